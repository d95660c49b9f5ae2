# What dev/quickstart and dev/test share: find what is missing, install it, configure, build.
# Sourced by them in the repository's root; POSIX sh.

missing=

# need WHAT PACKAGE CHECK...: remember PACKAGE where CHECK fails.
need() {
    what=$1 package=$2
    shift 2
    if "$@" >/dev/null 2>&1; then return 0; fi
    echo "missing: $what (package $package)"
    missing="$missing $package"
}

has_header() {
    printf '#include <%s>\nint main(void) { return 0; }\n' "$1" | cc -E - >/dev/null 2>&1 ||
        printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>
#include <%s>\n' "$1" | cc -E - >/dev/null 2>&1
}

cmake_is_new_enough() {
    cmake --version |
        awk 'NR == 1 { split($3, v, "."); ok = v[1] > 3 || v[2] >= 25 } END { exit !ok }'
}

need_build_tools() {
    need "a C compiler" gcc command -v cc
    need "the C library's headers" libc6-dev has_header stdio.h
    need "OpenMP" gcc has_header omp.h
    need "CMake 3.25 or newer" cmake cmake_is_new_enough
    command -v make >/dev/null 2>&1 || need "ninja" ninja-build command -v ninja
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        echo "$0: run this as root, or install sudo: $*" >&2
        return 1
    fi
}

install_missing() {
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "$0: install these (Debian's names) and run it again:$missing" >&2
        exit 2
    fi
    echo "installing:$missing"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq || exit 2
    # shellcheck disable=SC2086 # a list of names
    apt_install $missing || exit 2
    missing=
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

cores() {
    nproc 2>/dev/null || echo 2
}

# build FOLDER [-DOPTION...]: configure (again) and build.
build() {
    folder=$1
    shift
    if [ ! -f "$folder/CMakeCache.txt" ] && command -v ninja >/dev/null 2>&1; then
        set -- -G Ninja "$@"
    fi
    cmake -S . -B "$folder" "$@" && cmake --build "$folder" -j "$(cores)"
}
