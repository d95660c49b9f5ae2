/* Finding defs in the embedded files of the library. A light scan for lines that begin with "def
 * NAME(": some tens of kilobytes, so no index is kept, and only defs that are used are read. */
#include "base/embedded.h"
#include "parse/ast.h"

/* The next line from `at` on that begins with "def ": its place, or n. */
static uint32_t next_def(const char *text, uint32_t n, uint32_t at) {
    while (at < n && !(n - at > 4 && memcmp(text + at, "def ", 4) == 0)) {
        const char *end = memchr(text + at, '\n', n - at);
        at = end ? (uint32_t)(end - text) + 1 : n;
    }
    return at;
}

static uint32_t name_length(const char *name, uint32_t left) {
    uint32_t n = 0;
    while (n < left && name[n] != '(' && name[n] != ' ') n++;
    return n;
}

static kf__library_place place_of(const struct kf__embedded *file, uint32_t begin) {
    uint32_t n = (uint32_t)file->size;
    return (kf__library_place){.in = file, .file = file->name, .text = file->text, .n = n,
                               .begin = begin, .end = next_def(file->text, n, begin + 4)};
}

static bool is_library(const struct kf__embedded *file) {
    size_t n = strlen(file->name);
    return n > 3 && strcmp(file->name + n - 3, ".kf") == 0;
}

bool kf__library_next(kf__library_place *place, const char **name, size_t *length) {
    const struct kf__embedded *file = place->in ? place->in : kf__embedded_files;
    for (uint32_t at = place->end; file->name; file++, at = 0) {
        uint32_t n = (uint32_t)file->size;
        if (!is_library(file) || (at = next_def(file->text, n, at)) >= n) continue;
        *name = file->text + at + 4;
        *length = name_length(*name, n - at - 4);
        *place = place_of(file, at);
        return true;
    }
    return false;
}

bool kf__library_find(const char *name, size_t length, kf__library_place *place) {
    const char *here;
    size_t n;
    *place = (kf__library_place){0};
    while (kf__library_next(place, &here, &n))
        if (n == length && memcmp(here, name, length) == 0) return true;
    return false;
}
