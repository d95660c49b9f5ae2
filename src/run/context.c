/* Contexts: options, the log, what KFUSE_DUMP asks for, and the targets of devices. */
#include <stdio.h>
#include <stdlib.h>

#include "emit/prelude.h"
#include "run/context.h"
#include "run/device.h"

/* ---------------------------------------------------------------- the log */

static void log_to_stderr(void *user, const char *line) {
    (void)user;
    fprintf(stderr, "kfuse: %s\n", line);
}

void kf__context_log(const kf_context *ctx, const char *line) {
    ctx->log(ctx->log_user, line);
}

void kf__context_log_text(const kf_context *ctx, const char *title, const char *text) {
    kf__text line;
    kf__text_init(&line, &ctx->mem);
    kf__print(&line, "==== %s", title);
    if (!line.failed) kf__context_log(ctx, line.at);
    while (text && *text) {
        size_t n = strcspn(text, "\n");
        line.n = 0;
        kf__print_bytes(&line, text, n);
        if (!line.failed) kf__context_log(ctx, line.at);
        text += n + (text[n] == '\n');
    }
    kf__text_free(&line);
}

/* ---------------------------------------------------------------- KFUSE_DUMP */

static const struct {
    const char *name;
    unsigned bit;
    const char *doc;
} dumps[] = {
    {"graph", KF__DUMP_GRAPH, "the graph as given and after simplify"},
    {"fuse", KF__DUMP_FUSE, "the kernels that the graph is cut into"},
    {"loop", KF__DUMP_LOOP, "each kernel's loop nest"},
    {"source", KF__DUMP_SOURCE, "each kernel's source, without the prelude"},
    {"launch", KF__DUMP_LAUNCH, "each plan's steps: geometry, arguments, workspace"},
    {"time", KF__DUMP_TIME, "how long each stage took"},
};

static void log_unknown_dump(const kf_context *ctx, const char *word, size_t n) {
    kf__text line;
    kf__text_init(&line, &ctx->mem);
    kf__print(&line, "KFUSE_DUMP: there is no '%.*s'; there are", (int)n, word);
    for (size_t i = 0; i < KF__COUNT(dumps); i++)
        kf__print(&line, "%s %s (%s)", i ? "," : "", dumps[i].name, dumps[i].doc);
    if (!line.failed) kf__context_log(ctx, line.at);
    kf__text_free(&line);
}

static unsigned dumps_asked_for(const kf_context *ctx) {
    unsigned asked = 0;
    const char *at = getenv("KFUSE_DUMP");
    while (at && *at) {
        size_t n = strcspn(at, ", "), i = 0;
        while (i < KF__COUNT(dumps) &&
               !(strlen(dumps[i].name) == n && memcmp(dumps[i].name, at, n) == 0))
            i++;
        if (i < KF__COUNT(dumps))
            asked |= dumps[i].bit;
        else if (n)
            log_unknown_dump(ctx, at, n);
        at += n + (at[n] != 0);
    }
    return asked;
}

/* ---------------------------------------------------------------- making and freeing */

/* The options as far as the caller's version of the struct has them. */
static kf_context_options known_options(const kf_context_options *given) {
    kf_context_options known = {.struct_size = 0};
    if (!given) return known;
    size_t size = given->struct_size ? given->struct_size : sizeof known;
    memcpy(&known, given, size < sizeof known ? size : sizeof known);
    return known;
}

kf_context *kf_context_create(const kf_context_options *options, kf_error *err) {
    kf__error_clear(err);
    kf_context_options o = known_options(options);
    bool own = o.allocator.allocate || o.allocator.release;
    if (own && !(o.allocator.allocate && o.allocator.release)) {
        kf__fail(err, KF_ERR_ARGUMENT, "the allocator needs both allocate and release");
        return NULL;
    }
    if (o.threads < 0) {
        kf__fail(err, KF_ERR_ARGUMENT, "threads is %d; 0 leaves it to OpenMP", o.threads);
        return NULL;
    }
    kf_allocator mem = own ? o.allocator : kf__malloc;
    kf_context *ctx = kf__allocate(&mem, sizeof *ctx);
    if (!ctx) {
        kf__out_of_memory(err);
        return NULL;
    }
    *ctx = (kf_context){.mem = mem, .own_allocator = own, .parallel_for = o.parallel_for,
                        .parallel_user = o.parallel_user, .threads = o.threads,
                        .bytes_a_thread = 64 << 10,
                        .log = o.log ? o.log : log_to_stderr, .log_user = o.log_user};
    kf__pool_init(&ctx->pool);
    pthread_mutex_init(&ctx->cuda_mutex, NULL);
    ctx->dump = dumps_asked_for(ctx);
    ctx->eval = kf__eval_cache_new(&ctx->mem);
    kf_status status = ctx->eval ? KF_OK : kf__out_of_memory(err);
    if (status == KF_OK)
        status = kf__compiler_create(&ctx->mem, ctx->log, ctx->log_user, o.cache_dir,
                                     &ctx->compiler, err);
    if (status == KF_OK) return ctx;
    kf_context_free(ctx);
    return NULL;
}

void kf_context_free(kf_context *ctx) {
    if (!ctx) return;
    kf_allocator mem = ctx->mem;
    kf__eval_cache_free(&ctx->mem, ctx->eval);
    kf__pool_free(ctx);
    kf__compiler_free(ctx->compiler);
    for (int i = 0; i < KF__TARGET_KINDS; i++) kf__prelude_free(atomic_load(&ctx->preludes[i]));
    kf__cuda_release_contexts(ctx);
    pthread_mutex_destroy(&ctx->cuda_mutex);
    kf__release(&mem, ctx);
}

const kf_allocator *kf__context_allocator(const kf_context *ctx) {
    return &ctx->mem;
}

void kf_context_statistics(const kf_context *ctx, kf_statistics *out) {
    if (!out) return;
    *out = (kf_statistics){0};
    if (!ctx) return;
    *out = (kf_statistics){.launches = atomic_load(&ctx->launches)};
    kf__compiler_statistics(ctx->compiler, &out->compiled, &out->cache_hits);
}

void kf_text_free(kf_context *ctx, char *text) {
    if (ctx) kf__release(&ctx->mem, text);
}

/* ---------------------------------------------------------------- devices */

const char *kf__device_name(kf_device device, char *to) {
    switch (device.type) {
    case KF_CPU: return "cpu";
    case KF_CUDA: snprintf(to, 24, "cuda:%d", (int)device.id); return to;
    case KF_CUDA_EMULATED: return "cuda-emulated";
    default: snprintf(to, 24, "device type %d", (int)device.type); return to;
    }
}

kf_status kf__check_device(kf_device device, kf_error *err) {
    bool known = device.type == KF_CPU || device.type == KF_CUDA ||
                 device.type == KF_CUDA_EMULATED;
    if (!known)
        return kf__fail(err, KF_ERR_ARGUMENT,
                        "there are no devices of type %d; use KF_CPU or KF_CUDA", device.type);
    if (device.type == KF_CUDA && device.id < 0)
        return kf__fail(err, KF_ERR_DEVICE, "there is no device cuda:%d", device.id);
    return KF_OK;
}

kf_status kf__context_target(kf_context *ctx, kf_device device, kf__target *out, kf_error *err) {
    KF_TRY(kf__check_device(device, err));
    *out = (kf__target){.cpu_level = kf__cpu_level(), .cache_bytes = kf__last_cache_bytes(),
                        .core_bytes = kf__core_cache_bytes(),
                        .thread_bytes = kf__has_threads(ctx) ? ctx->bytes_a_thread : 0,
                        .amd = kf__is_amd()};
    switch (device.type) {
    case KF_CPU:
        out->kind = KF__TARGET_C;
        return KF_OK;
    case KF_CUDA_EMULATED: /* few multiprocessors: what is done by rounds is then tested */
        out->kind = KF__TARGET_EMULATED;
        out->sm = 90;
        out->sms = 4;
        return KF_OK;
    default:
        out->kind = KF__TARGET_CUDA;
        return kf__cuda_target(device.id, out, err);
    }
}
