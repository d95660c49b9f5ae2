/* NVRTC takes all generated CUDA: the golden cases for every architecture that we name, and random
 * programs for one. Needs NVRTC, but no GPU; skipped, in so many words, where it isn't found. */
#include <dirent.h>
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/compile.h"
#include "compile/nvrtc.h"
#include "fuzz/fuzz.h"
#include "pipeline.h"
#include "support/stages.h"

static const char *const folder = KFUSE_SOURCE_DIR "/tests/golden";
static const int architectures[] = {75, 80, 90, 120};
enum { RANDOM_PROGRAMS = 30 };

/* ---------------------------------------------------------------- golden cases */

/* VIMNMX3 in the code of an ELF file of sm_90: instructions of 16 bytes, whose low 9 bits say what
 * they are. */
static int count_threes(const unsigned char *image, size_t size) {
    const Elf64_Ehdr *elf = (const Elf64_Ehdr *)image;
    int n = 0;
    assert_true(size > sizeof *elf && elf->e_shoff + elf->e_shnum * sizeof(Elf64_Shdr) <= size);
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + elf->e_shoff);
    for (int i = 0; i < elf->e_shnum; i++) {
        if (!(sections[i].sh_flags & SHF_EXECINSTR)) continue;
        assert_true(sections[i].sh_offset + sections[i].sh_size <= size);
        for (size_t at = 0; at + 16 <= sections[i].sh_size; at += 16) {
            uint32_t word;
            memcpy(&word, image + sections[i].sh_offset + at, sizeof word);
            n += (word & 0x1ff) == 0xf;
        }
    }
    return n;
}

/* Bytes of its object; threes: its maxima and minima of three integers, or NULL. */
static size_t compile_source(kf__compiler *compiler, const char *name, const char *text, int sm,
                             int *threes) {
    stages s;
    kf_error err = {0};
    kf__text source;
    kf__target target = stages_target(KF__TARGET_CUDA, sm);
    kf__compile_target to = {.kind = KF__TARGET_CUDA, .sm = sm};
    kf__object *object = NULL;
    kf__text_init(&source, &kf__malloc);
    if (stages_make(&s, text, text, KF__TARGET_CUDA, &err) != KF_OK ||
        stages_source(&s, &target, true, &source, &err) != KF_OK ||
        kf__compile(compiler, &to, source.at, source.n, name, &object, &err) != KF_OK)
        fail_msg("%s for sm_%d: %s", name, sm, err.message);
    size_t size = 0;
    const void *image = kf__object_image(object, &size);
    assert_non_null(image);
    assert_true(size > 0);
    if (threes) *threes = count_threes(image, size);
    kf__text_free(&source);
    stages_free(&s);
    return size;
}

static void golden_cases(void **state) {
    kf__compiler *compiler = *state;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int cases = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 3, ".kf")) continue;
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        char *text = read_text(path);
        assert_non_null(text);
        for (size_t i = 0; i < KF__COUNT(architectures); i++)
            compile_source(compiler, e->d_name, text, architectures[i], NULL);
        free(text);
        cases++;
    }
    closedir(dir);
    assert_true(cases > 20);
}

/* ---------------------------------------------------------------- many loads */

/* Two dozen shifts of a value made of three inputs, stored as bytes beside a reduction: of sixteen
 * elements a pack and four packs a thread, unrolled, one compiled for 131 s. */
static void many_loads(void **state) {
    static const char *const heads[] = {
        "# x: f64[7, 33] step 2\n# y: f64[1, 33] step 2\n# z: f64[7, 33] step 2\n",
        "# x: i8[7, 90000]\n# y: i8[1, 90000]\n# z: i8[7, 90000]\n",
    };
    for (size_t i = 0; i < KF__COUNT(heads); i++) {
        kf__text text;
        kf__text_init(&text, &kf__malloc);
        kf__print(&text, "%st = where(x, y, z)\nu = t", heads[i]);
        for (int k = -6; k <= 6; k++)
            if (k) kf__print(&text, " == pad(t, (%d, %d)) == pad(y[::-1], (%d, %d))", k, -k, k, -k);
        kf__print(&text, "\nu, %s\n", i ? "argmax(u, axis=1)" : "any(t + 100)");
        size_t size = compile_source(*state, "many_loads", text.at, 90, NULL);
        if (size >= 400000) fail_msg("many_loads %zu: %zu bytes of code", i, size);
        kf__text_free(&text);
    }
}

/* ---------------------------------------------------------------- negated integers */

/* ptxas leaves a negation out of what a maximum of three takes: there must be none. */
static void negated_integers(void **state) {
    static const char *const texts[] = {
        "max(-x, axis=0)", "min(-x, axis=1)", "max(x * -1, axis=0)", "max(~x + 1, axis=0)",
        "argmax(-x, axis=0)", "maximum(maximum(-x, -y), x ^ y)", "clip(-x, -y, 3)",
        "max(-clip(x, 0, 5), axis=1)", "max(where(x > y, -x, x), axis=0)",
    };
    for (size_t i = 0; i < KF__COUNT(texts); i++) {
        char text[200];
        int threes = 0;
        snprintf(text, sizeof text, "# x: i32[300, 5]\n# y: i32[300, 5]\n%s\n", texts[i]);
        compile_source(*state, texts[i], text, 90, &threes);
        if (threes) fail_msg("%s: %d maxima or minima of three", texts[i], threes);
    }
}

/* ---------------------------------------------------------------- random programs */

/* false: the program or its sizes aren't supported. */
static bool compile_program(kf_context *ctx, const fz_program *p, fz_random *r) {
    kf_graph *graph = NULL;
    kf_program *program = NULL;
    kf_plan *plan = NULL;
    kf_error err = {0};
    kf__target target = stages_target(KF__TARGET_CUDA, 90);
    kf_device device = {KF_CUDA, 0};
    int which[FZ_INPUTS];
    if (fz_graph(p, KF_FUSED, &graph, which, &err) != KF_OK) return false;
    fz_trial trial;
    fz_array inputs[FZ_INPUTS] = {0};
    kf_array arrays[FZ_INPUTS] = {0};
    fz_make_trial(p, graph, which, r, false, false, &trial);
    int n = (int)graph->inputs.n;
    for (int i = 0; i < n; i++) {
        kf_scalar number;
        assert_true(fz_make_input(&p->inputs[which[i]], &trial, which[i], &inputs[i], &number));
        arrays[i] = inputs[i].array;
        arrays[i].device = device;
    }
    kf_status status =
        kf__compile_offline(ctx, graph, KF_FUSION_ON, device, &target, &program, &err);
    if (status == KF_OK) status = kf_plan_for(program, n, arrays, 0, NULL, &plan, &err);
    char text[FZ_TEXT];
    bool used[FZ_INPUTS];
    fz_print(p, text, used);
    if (status == KF_ERR_COMPILER || status == KF_ERR_INTERNAL)
        fail_msg("%s\n%s", text, err.message);
    kf_plan_free(plan);
    kf_program_free(program);
    kf_graph_free(graph);
    for (int i = 0; i < n; i++) fz_free_array(&inputs[i]);
    return status == KF_OK;
}

static void random_programs(void **state) {
    (void)state;
    kf_error err = {0};
    kf_context *ctx = kf_context_create(NULL, &err);
    assert_non_null(ctx);
    fz_random r = {20261121};
    int compiled = 0;
    for (int i = 0; i < RANDOM_PROGRAMS; i++) {
        fz_program p;
        fz_generate(&p, &r);
        compiled += compile_program(ctx, &p, &r);
    }
    assert_true(compiled > RANDOM_PROGRAMS / 2);
    kf_context_free(ctx);
}

/* ---------------------------------------------------------------- */

static int setup(void **state) {
    kf_error err = {0};
    kf__compiler *compiler = NULL;
    if (kf__compiler_create(&kf__malloc, NULL, NULL, NULL, &compiler, &err) != KF_OK) return 1;
    *state = compiler;
    return 0;
}

static int teardown(void **state) {
    kf__compiler_free(*state);
    return 0;
}

int main(void) {
    if (!kf__nvrtc_path()) {
        printf("skipped: NVRTC wasn't found (pip install nvidia-cuda-nvrtc, or set KFUSE_NVRTC)\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(golden_cases, setup, teardown),
        cmocka_unit_test_setup_teardown(many_loads, setup, teardown),
        cmocka_unit_test_setup_teardown(negated_integers, setup, teardown),
        cmocka_unit_test(random_programs),
    };
    return cmocka_run_group_tests_name("nvrtc", tests, NULL, NULL);
}
