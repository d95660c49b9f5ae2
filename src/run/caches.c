/* How large a core's caches are, and who made it, asked once.
 *
 * Linux tells it of each cache in a folder of its own. sysconf comes second: glibc 2.36 takes all
 * L3 of an AMD package for one cache (of a Zen 4 320 MB, not 32). */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "run/context.h"

enum { LEVELS = 4, MOST_CACHES = 16 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int64_t bytes_of[LEVELS]; /* by level, 0: not known; written once */
static bool amd;                 /* the same */

#if defined(__x86_64__)
static bool ask_amd(void) {
    unsigned most, b = 0, c = 0, d = 0;
    return __get_cpuid(0, &most, &b, &c, &d) && b == signature_AMD_ebx && d == signature_AMD_edx &&
           c == signature_AMD_ecx;
}
#else
static bool ask_amd(void) { return false; }
#endif

static bool read_line(int cache, const char *name, char *to, int size) {
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", cache, name);
    FILE *file = fopen(path, "re");
    bool ok = file && fgets(to, size, file);
    if (file) fclose(file);
    return ok;
}

/* "32768K": in KiB, as Linux prints it. */
static void read_cache(int cache) {
    char type[32], level[32], size[32];
    int of, kib;
    char unit;
    if (!read_line(cache, "type", type, sizeof type) || strncmp(type, "Instruction", 11) == 0)
        return;
    if (!read_line(cache, "level", level, sizeof level) || sscanf(level, "%d", &of) != 1) return;
    if (!read_line(cache, "size", size, sizeof size)) return;
    if (sscanf(size, "%d%c", &kib, &unit) != 2 || unit != 'K') return;
    if (of > 0 && of < LEVELS && kib > 0) bytes_of[of] = (int64_t)kib << 10;
}

static void ask(int level, int name) {
    long size = bytes_of[level] ? -1 : sysconf(name);
    if (size > 0) bytes_of[level] = size;
}

static void ask_once(void) {
    amd = ask_amd();
    for (int i = 0; i < MOST_CACHES; ++i) read_cache(i);
#ifdef _SC_LEVEL3_CACHE_SIZE
    ask(2, _SC_LEVEL2_CACHE_SIZE);
    ask(3, _SC_LEVEL3_CACHE_SIZE);
#endif
}

bool kf__is_amd(void) {
    pthread_once(&once, ask_once);
    return amd;
}

int64_t kf__core_cache_bytes(void) {
    pthread_once(&once, ask_once);
    return bytes_of[2];
}

int64_t kf__last_cache_bytes(void) {
    pthread_once(&once, ask_once);
    int64_t bytes = bytes_of[3] ? bytes_of[3] : bytes_of[2];
    return bytes ? bytes : 8 << 20;
}
