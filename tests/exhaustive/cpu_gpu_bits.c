/* Do the CPU and the GPU give the same bits? Every f32 through each operation of one argument,
 * random pairs through those of two. For a machine with a GPU and a CPU that has FMA; run by hand:
 *
 *     cc -O2 -std=c17 -Iinclude -Isrc tests/exhaustive/cpu_gpu_bits.c -Lbuild -lkfuse -lm \
 *        -o cpu_gpu_bits
 *     LD_LIBRARY_PATH=build ./cpu_gpu_bits [chunks of 2^24 floats, 256: all] [emulated]
 *
 * NaNs count as equal, and zeros of either sign are counted apart (of max and min of two zeros the
 * sign is left open). Exit status 1 if anything else differs. */
#include <kfuse/kfuse.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 24 };

/* Rows of ops.def that take floats and give one; further texts of one and two arguments. */
static const struct {
    const char *name, *rule, *code;
    int arity;
} rows[] = {
#define OP(id, name, arity, rule, fcode, icode, foracle, ioracle, ulp, lo, hi, grad, doc) \
    {name, #rule, fcode, arity},
#include "ir/ops.def"
#undef OP
};
static const char *const further[] = {
    "cast(x, i8)", "cast(x, i32)", "cast(x, i64)", "cast(cast(x, f16), f32)",
    "cast(cast(x, bf16), f32)", "pow(abs(x), y)", "pow(x, round(y))", "fma(x, y, x)",
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]), FURTHER = sizeof(further) / sizeof(further[0]),
       TEXTS = ROWS + FURTHER };
static char of_one[TEXTS][40], of_two[TEXTS][40];
static int ones, twos;

static void list_texts(void) {
    for (int i = 0; i < ROWS; i++) {
        int fits = !strcmp(rows[i].rule, "ARITH") || !strcmp(rows[i].rule, "SAME") ||
                   !strcmp(rows[i].rule, "FLOAT") || !strcmp(rows[i].rule, "DIVIDE");
        if (!fits || !rows[i].code || rows[i].arity > 2) continue;
        if (rows[i].arity == 1) snprintf(of_one[ones++], 40, "%s(x)", rows[i].name);
        else snprintf(of_two[twos++], 40, "%s(x, y)", rows[i].name);
    }
    for (int i = 0; i < FURTHER; i++)
        if (strchr(further[i], 'y')) snprintf(of_two[twos++], 40, "%s", further[i]);
        else snprintf(of_one[ones++], 40, "%s", further[i]);
}

static uint32_t bits_at(const void *data, size_t size, int64_t i) {
    uint32_t bits = 0;
    memcpy(&bits, (const char *)data + (size_t)i * size, size < 4 ? size : 4);
    return bits;
}
static int is_nan(uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }

typedef struct {
    int64_t differ, signs, where;
} count_t;

/* Evaluate on the device of `inputs`; the result comes to the CPU. */
static int evaluate(kf_context *ctx, const char *text, int n, const kf_array *inputs, kf_array *out,
                    kf_error *err) {
    kf_array result = {0};
    if (kf_eval(ctx, text, n, inputs, 1, &result, err)) return 0;
    kf_device cpu = {KF_CPU, 0};
    int ok = !kf_array_create(ctx, cpu, result.dtype, result.ndim, result.shape, out, err) &&
             !kf_array_copy(ctx, &result, out, err);
    kf_array_free(ctx, &result);
    return ok;
}

static int compare(kf_context *ctx, const char *text, int n, const kf_array *host,
                   const kf_array *device, count_t *count, kf_error *err) {
    kf_array a = {0}, b = {0};
    int ok = evaluate(ctx, text, n, host, &a, err) && evaluate(ctx, text, n, device, &b, err);
    for (int64_t i = 0; ok && i < CHUNK; i++) {
        size_t size = a.dtype.bits / 8u;
        uint32_t p = bits_at(a.data, size, i), q = bits_at(b.data, size, i);
        if (p == q || (a.dtype.code == 2 && is_nan(p) && is_nan(q))) continue;
        if (a.dtype.code == 2 && ((p | q) & 0x7fffffff) == 0) count->signs++;
        else if (count->differ++ == 0) count->where = i;
    }
    kf_array_free(ctx, &a);
    kf_array_free(ctx, &b);
    return ok;
}

static void fill(float *x, float *y, uint32_t chunk) {
    static uint64_t state = 1;
    for (uint32_t i = 0; i < CHUNK; i++) {
        uint32_t bits = chunk * CHUNK + i;
        if (y) { /* half over all floats, half of moderate size */
            state = state * 6364136223846793005u + 1442695040888963407u;
            bits = (uint32_t)(state >> 32);
            uint32_t other = (uint32_t)(state >> 16) * 2654435761u;
            memcpy(&y[i], &other, 4);
            if (i & 1) y[i] = (float)(int32_t)other * 0x1p-27f;
        }
        memcpy(&x[i], &bits, 4);
        if (y && i & 1) x[i] = (float)(int32_t)bits * 0x1p-28f;
    }
}

static int run(kf_context *ctx, kf_device gpu, uint32_t chunks, kf_error *err) {
    static count_t counts[2 * TEXTS];
    kf_device cpu = {KF_CPU, 0};
    kf_array host[2] = {{0}}, device[2] = {{0}};
    int64_t shape[1] = {CHUNK};
    int ok = 1, bad = 0;
    for (int k = 0; k < 2; k++)
        ok = ok && !kf_array_create(ctx, cpu, KF_F32, 1, shape, &host[k], err) &&
             !kf_array_create(ctx, gpu, KF_F32, 1, shape, &device[k], err);
    for (uint32_t c = 0; ok && c < chunks; c++)
        for (int two = 0; ok && two < 2; two++) {
            fill((float *)host[0].data, two ? (float *)host[1].data : NULL, c * (256 / chunks));
            for (int k = 0; k <= two; k++)
                ok = ok && !kf_array_copy(ctx, &host[k], &device[k], err);
            for (int f = 0; ok && f < (two ? twos : ones); f++)
                ok = compare(ctx, two ? of_two[f] : of_one[f], 1 + two, host, device,
                             &counts[two ? ones + f : f], err);
        }
    for (int f = 0; ok && f < ones + twos; f++) {
        printf("%-24s %12lld differ %10lld signs of zeros\n", f < ones ? of_one[f] : of_two[f - ones],
               (long long)counts[f].differ, (long long)counts[f].signs);
        bad |= counts[f].differ != 0;
    }
    for (int k = 0; k < 2; k++) {
        if (host[k].data) kf_array_free(ctx, &host[k]);
        if (device[k].data) kf_array_free(ctx, &device[k]);
    }
    return ok ? bad : 2;
}

int main(int argc, char **argv) {
    long chunks = argc > 1 ? strtol(argv[1], NULL, 10) : 256;
    kf_device gpu = {argc > 2 ? KF_CUDA_EMULATED : KF_CUDA, 0};
    kf_error err = {0};
    kf_context *ctx = kf_context_create(NULL, &err);
    list_texts();
    int status = ctx ? run(ctx, gpu, (uint32_t)(chunks < 1 ? 1 : chunks > 256 ? 256 : chunks), &err)
                     : 2;
    if (status == 2) fprintf(stderr, "%s\n", err.message);
    kf_context_free(ctx);
    return status;
}
