# Write text files into one C file (src/base/embedded.h says how they are found there).
#   cmake -DOUT=embedded.c -DLIST=files.txt -P embed.cmake       LIST: one path a line
# Every byte is an escape, so no byte can end the literal or run into its neighbour.
cmake_minimum_required(VERSION 3.25)

file(STRINGS "${LIST}" files)
set(arrays "")
set(rows "")
set(count 0)
foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME)
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" symbol "kf__embedded_${name}")
    file(READ "${file}" hex HEX)
    string(LENGTH "${hex}" digits)
    math(EXPR size "${digits} / 2")
    set(text "")
    set(at 0)
    while(at LESS digits)
        string(SUBSTRING "${hex}" ${at} 48 line)
        string(REGEX REPLACE "(..)" "\\\\x\\1" line "${line}")
        string(APPEND text "\n    \"${line}\"")
        math(EXPR at "${at} + 48")
    endwhile()
    if(size EQUAL 0)
        set(text " \"\"")
    endif()
    string(APPEND arrays "const char ${symbol}[] =${text};\n"
                         "const size_t ${symbol}_size = ${size};\n\n")
    string(APPEND rows "    {\"${name}\", ${symbol}, ${size}},\n")
    math(EXPR count "${count} + 1")
endforeach()

file(WRITE "${OUT}"
     "/* Made by cmake/embed.cmake. */\n#include \"base/embedded.h\"\n\n${arrays}"
     "const struct kf__embedded kf__embedded_files[] = {\n${rows}    {NULL, NULL, 0},\n};\n"
     "const size_t kf__embedded_file_count = ${count};\n")
