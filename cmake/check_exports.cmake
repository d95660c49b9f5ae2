# Fail where the shared library exports what isn't public: cmake -DNM=nm -DLIBRARY=... -P this.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE lines
                RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${NM} ${LIBRARY} failed")
endif()
string(REGEX MATCHALL "[^ \n]+\n" symbols "${lines}")
foreach(symbol IN LISTS symbols)
    string(STRIP "${symbol}" symbol)
    if(NOT symbol MATCHES "^kf_[a-z]")
        message(SEND_ERROR "exported, yet not public: ${symbol}")
    endif()
endforeach()
