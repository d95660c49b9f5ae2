/* The table of contents: every stage is a row, and one loop runs, verifies, dumps and times them.
 *
 *     kf_compile     graph -> simplify -> fuse                     a program: which kernels
 *     kf_plan_for    lower -> emit -> compile, for each kernel     a plan: kernels for one layout
 */
#include "pipeline.h"

#include <time.h>

#include "emit/dialect.h"
#include "emit/emit.h"
#include "emit/prelude.h"
#include "fuse/fuse.h"
#include "lower/lower.h"
#include "simplify/simplify.h"

typedef struct stage {
    const char *name;
    unsigned dump; /* the KFUSE_DUMP value that prints what it made */
    kf_status (*run)(kf__build *b, kf_error *err);
    kf_status (*verify)(const kf__build *b, kf_error *err);
    void (*print)(const kf__build *b, kf__text *text);
} stage;

/* ---------------------------------------------------------------- graph, simplify, fuse */

static kf_status run_graph(kf__build *b, kf_error *err) {
    if (kf__graph_ok(b->given)) return KF_OK;
    if (err && err->status == KF_OK) *err = b->given->error;
    return b->given->error.status;
}

static kf_status run_simplify(kf__build *b, kf_error *err) {
    return kf__simplify_sized(b->given, b->sizes, &b->graph, err);
}

static kf_status run_fuse(kf__build *b, kf_error *err) {
    kf_graph *graph = b->graph;
    b->graph = NULL; /* fuse takes it over, also on failure */
    return kf__fuse(graph, b->fusion, b->target->kind, &b->partition, err);
}

static kf_status verify_given(const kf__build *b, kf_error *err) {
    return kf__graph_verify(b->given, err);
}

static kf_status verify_graph(const kf__build *b, kf_error *err) {
    return kf__graph_verify(b->graph, err);
}

static kf_status verify_partition(const kf__build *b, kf_error *err) {
    return kf__partition_verify(b->partition, err);
}

static void print_given(const kf__build *b, kf__text *text) {
    kf__graph_print(b->given, text);
}

static void print_graph(const kf__build *b, kf__text *text) {
    kf__graph_print(b->graph, text);
}

static void print_partition(const kf__build *b, kf__text *text) {
    kf__partition_print(b->partition, text);
}

static const stage partition_stages[] = {
    {"graph", KF__DUMP_GRAPH, run_graph, verify_given, print_given},
    {"simplify", KF__DUMP_GRAPH, run_simplify, verify_graph, print_graph},
    {"fuse", KF__DUMP_FUSE, run_fuse, verify_partition, print_partition},
};

/* ---------------------------------------------------------------- lower, emit, compile */

static kf_status run_lower(kf__build *b, kf_error *err) {
    return kf__lower(b->partition, b->kernel, b->layout, b->target, b->arena, &b->lowered, err);
}

static kf_status run_emit(kf__build *b, kf_error *err) {
    KF_TRY(kf__emit(&b->lowered, b->target, &b->functions, err));
    return b->functions.failed ? kf__out_of_memory(err) : KF_OK;
}

/* Read when it is first asked for. If two threads do so at once, the first one's stays. */
static const kf__prelude *prelude_of(kf_context *ctx, kf__target_kind kind) {
    kf__prelude *there = atomic_load(&ctx->preludes[kind]);
    if (there) return there;
    kf__prelude *read = kf__prelude_read(&ctx->mem, kf__dialects[kind].preludes);
    if (!read || atomic_compare_exchange_strong(&ctx->preludes[kind], &there, read)) return read;
    kf__prelude_free(read);
    return there;
}

/* Append the functions behind what they need of the target's prelude. */
static kf_status put_source(kf_context *ctx, const kf__target *target, const kf__text *functions,
                            kf__text *out, kf_error *err) {
    const kf__prelude *prelude = prelude_of(ctx, target->kind);
    if (functions->failed || !prelude ||
        kf__prelude_print(prelude, functions->at, functions->n, out) != KF_OK)
        return kf__out_of_memory(err);
    kf__print_bytes(out, functions->at, functions->n);
    return out->failed ? kf__out_of_memory(err) : KF_OK;
}

/* On the CPU without the program's names, so that kernels that differ in nothing else are one
 * object; who profiles a GPU knows kernels by their names. */
static kf_status run_compile(kf__build *b, kf_error *err) {
    kf__compile_target target = {b->target->kind, b->target->cpu_level, b->target->sm};
    kf__text source, nameless;
    kf__text_init(&source, &b->ctx->mem);
    kf__text_init(&nameless, &b->ctx->mem);
    bool c = b->target->kind == KF__TARGET_C;
    if (c) kf__print_nameless(&b->functions, b->kernel->name, &nameless);
    kf_status status = put_source(b->ctx, b->target, c ? &nameless : &b->functions, &source, err);
    kf__text_free(&nameless);
    if (status == KF_OK)
        status = kf__compile(b->ctx->compiler, &target, source.at, source.n, b->kernel->name,
                             &b->object, err);
    kf__text_free(&source);
    return status;
}

static kf_status verify_lowered(const kf__build *b, kf_error *err) {
    for (uint32_t i = 0; i < b->lowered.n_fns; i++)
        KF_TRY(kf__loop_verify(&b->lowered.fns[i], err));
    return KF_OK;
}

static void print_lowered(const kf__build *b, kf__text *text) {
    for (uint32_t i = 0; i < b->lowered.n_fns; i++) kf__loop_print(&b->lowered.fns[i], text);
}

static void print_functions(const kf__build *b, kf__text *text) {
    kf__print_bytes(text, b->functions.at, b->functions.n);
}

static const stage function_stages[] = {
    {"lower", KF__DUMP_LOOP, run_lower, verify_lowered, print_lowered},
    {"emit", KF__DUMP_SOURCE, run_emit, NULL, print_functions},
};

static const stage object_stages[] = {
    {"compile", 0, run_compile, NULL, NULL},
};

/* ---------------------------------------------------------------- the loop over the rows */

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* "lower k0_exp", or the stage's name alone. */
static void dump_stage(const stage *s, const kf__build *b, double us) {
    bool print = s->print && (b->ctx->dump & s->dump), time = b->ctx->dump & KF__DUMP_TIME;
    if (!print && !time) return;
    kf__text title, text;
    kf__text_init(&title, &b->ctx->mem);
    kf__text_init(&text, &b->ctx->mem);
    kf__print(&title, "%s%s%s", s->name, b->kernel ? " " : "", b->kernel ? b->kernel->name : "");
    if (print) s->print(b, &text);
    if (print && !text.failed && !title.failed)
        kf__context_log_text(b->ctx, title.at, text.at);
    kf__print(&title, ": %.0f us", us);
    if (time && !title.failed) kf__context_log(b->ctx, title.at);
    kf__text_free(&text);
    kf__text_free(&title);
}

static kf_status run_stages(const stage *stages, size_t n, kf__build *b, kf_error *err) {
    for (size_t i = 0; i < n; i++) {
        const stage *s = &stages[i];
        double start = b->ctx->dump & KF__DUMP_TIME ? now_us() : 0;
        KF_TRY(s->run(b, err));
        double us = b->ctx->dump & KF__DUMP_TIME ? now_us() - start : 0;
        if (b->ctx->dump) dump_stage(s, b, us);
#ifdef KF__VERIFY
        if (s->verify) KF_TRY(s->verify(b, err));
#endif
    }
    return KF_OK;
}

kf_status kf__build_partition(kf__build *b, kf_error *err) {
    kf_status status = run_stages(partition_stages, KF__COUNT(partition_stages), b, err);
    kf_graph_free(b->graph);
    b->graph = NULL;
    if (status != KF_OK) {
        kf__partition_free(b->partition);
        b->partition = NULL;
    }
    return status;
}

kf_status kf__build_functions(kf__build *b, kf_error *err) {
    kf__text_init(&b->functions, &b->ctx->mem);
    return run_stages(function_stages, KF__COUNT(function_stages), b, err);
}

kf_status kf__build_object(kf__build *b, kf_error *err) {
    return run_stages(object_stages, KF__COUNT(object_stages), b, err);
}

kf_status kf__build_source(const kf_program *program, const kf__layout *layout,
                           const kf__lowered *made, kf__text *out, kf_error *err) {
    const kf__partition *p = program->partition;
    kf_status status = KF_OK;
    kf__text functions;
    kf__arena arena;
    kf__arena_init(&arena, &program->ctx->mem);
    kf__text_init(&functions, &program->ctx->mem);
    for (uint32_t k = 0; k < p->n_kernels && status == KF_OK; k++) {
        if (made && made[k].n_fns == 0) continue;
        kf__build b = {.ctx = program->ctx, .target = &program->target,
                       .partition = program->partition, .kernel = &p->kernels[k],
                       .layout = layout, .arena = &arena};
        status = kf__build_functions(&b, err);
        if (status == KF_OK) kf__print_bytes(&functions, b.functions.at, b.functions.n);
        kf__text_free(&b.functions);
    }
    if (status == KF_OK && (functions.n || functions.failed))
        status = put_source(program->ctx, &program->target, &functions, out, err);
    kf__text_free(&functions);
    kf__arena_free(&arena);
    return status;
}

/* ---------------------------------------------------------------- programs */

static kf_status make_program(kf_program like, const kf_graph *graph, const int64_t *sizes,
                              kf_program **out, kf_error *err) {
    kf_program *program = kf__allocate(&like.ctx->mem, sizeof *program);
    if (!program) return kf__out_of_memory(err);
    *program = like;
    pthread_mutex_init(&program->lowering, NULL);
    kf__build b = {.ctx = like.ctx, .fusion = like.fusion, .target = &program->target,
                   .given = graph, .sizes = sizes};
    kf_status status = kf__build_partition(&b, err);
    program->partition = b.partition;
    if (status != KF_OK) {
        kf_program_free(program);
        return status;
    }
    *out = program;
    return KF_OK;
}

kf_status kf_compile(kf_context *ctx, const kf_graph *graph, const kf_compile_options *options,
                     kf_program **out, kf_error *err) {
    kf__error_clear(err);
    if (!ctx || !graph || !out)
        return kf__fail(err, KF_ERR_ARGUMENT, "kf_compile needs a context, a graph and a result");
    *out = NULL;
    kf_compile_options o = {.struct_size = 0};
    if (options)
        memcpy(&o, options, options->struct_size && options->struct_size < sizeof o
                                ? options->struct_size : sizeof o);
    if (o.device.type == 0) o.device = (kf_device){KF_CPU, 0};
    if ((unsigned)o.fusion > KF_FUSION_OPS)
        return kf__fail(err, KF_ERR_ARGUMENT, "there is no fusion %d", (int)o.fusion);
    kf_program like = {.ctx = ctx, .device = o.device, .fusion = o.fusion};
    KF_TRY(kf__context_target(ctx, o.device, &like.target, err));
    return make_program(like, graph, NULL, out, err);
}

kf_status kf__compile_sized(const kf_program *program, const int64_t *sizes, kf_program **out,
                            kf_error *err) {
    const kf__partition *p = program->partition;
    kf_program like = {.ctx = program->ctx, .device = program->device, .fusion = program->fusion,
                       .target = program->target, .offline = program->offline,
                       .texts = program->texts, .is_sized = true};
    return make_program(like, kf__unstepped(p), sizes, out, err);
}

kf_status kf__compile_offline(kf_context *ctx, const kf_graph *graph, kf_fusion fusion,
                              kf_device device, const kf__target *target, kf_program **out,
                              kf_error *err) {
    kf__error_clear(err);
    *out = NULL;
    kf_program like = {.ctx = ctx, .device = device, .fusion = fusion, .target = *target,
                       .offline = true};
    return make_program(like, graph, NULL, out, err);
}

void kf__program_for_texts(kf_program *program) {
    program->offline = program->texts = true;
}

void kf_program_free(kf_program *program) {
    if (!program) return;
    kf__sized_free(program);
    kf__partition_free(program->partition);
    pthread_mutex_destroy(&program->lowering);
    kf__release(&program->ctx->mem, program);
}
