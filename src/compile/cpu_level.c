/* Which x86-64 level generated code may use: what the processor has and the system saves.
 *
 * The levels are those of the x86-64 psABI. AVX counts only if the system saves its registers
 * (XCR0), AVX-512 only if it saves the mask and upper registers too. */
#include <pthread.h>
#include <stdlib.h>

#include "compile/compile.h"

/* $KFUSE_CPU_LEVEL, 0 where it isn't set; false: it is no level. */
static bool level_asked_for(int *level) {
    const char *wish = getenv("KFUSE_CPU_LEVEL");
    *level = 0;
    if (!wish || !*wish) return true;
    if (strncmp(wish, "x86-64-", 7) == 0) wish += 7;
    if (*wish == 'v') wish++;
    if (wish[0] < '1' || wish[0] > '4' || wish[1]) return false;
    *level = wish[0] - '0';
    return true;
}

#if defined(__x86_64__)
#include <cpuid.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int hardware_level; /* written once */

static bool has(unsigned value, unsigned bits) { return (value & bits) == bits; }

static unsigned enabled_state(void) {
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static int detect(void) {
    enum {
        V2_C = bit_SSE3 | bit_SSSE3 | bit_CMPXCHG16B | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT,
        V3_C = bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C,
        V3_B = bit_BMI | bit_AVX2 | bit_BMI2,
        AVX_STATE = 0x6,
        AVX512_STATE = 0xe6,
    };
    const unsigned v4_b = bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL;
    unsigned a, b7 = 0, c1, d, b, c, extended = 0;
    if (!__get_cpuid(1, &a, &b, &c1, &d)) return 1;
    if (!__get_cpuid(0x80000001, &a, &b, &extended, &d)) return 1;
    if (!has(c1, V2_C) || !has(extended, bit_LAHF_LM)) return 1;
    if (!__get_cpuid_count(7, 0, &a, &b7, &c, &d)) return 2;
    if (!has(c1, V3_C) || !has(b7, V3_B) || !has(extended, bit_LZCNT)) return 2;
    unsigned state = enabled_state();
    if (!has(state, AVX_STATE)) return 2;
    return has(b7, v4_b) && has(state, AVX512_STATE) ? 4 : 3;
}

static void detect_once(void) { hardware_level = detect(); }

int kf__cpu_level(void) {
    int wish;
    pthread_once(&once, detect_once);
    return level_asked_for(&wish) && wish && wish < hardware_level ? wish : hardware_level;
}

#else
int kf__cpu_level(void) { return 1; }
#endif

void kf__cpu_level_check(kf__log log, void *log_user) {
    int ignored;
    if (log && !level_asked_for(&ignored))
        log(log_user, "KFUSE_CPU_LEVEL isn't a level from x86-64-v1 to x86-64-v4: this machine's "
                      "is used");
}

const char *kf__cpu_architecture(int level) {
#if defined(__x86_64__)
    static const char *const names[] = {"x86-64-v1", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
    return names[level < 1 ? 0 : level > 4 ? 3 : level - 1];
#else
    (void)level;
#if defined(__aarch64__)
    return "aarch64";
#elif defined(__riscv)
    return "riscv64";
#elif defined(__powerpc64__)
    return "ppc64";
#elif defined(__s390x__)
    return "s390x";
#else
    return "other";
#endif
#endif
}
