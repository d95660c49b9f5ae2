/* kfuse emit: the source of a program's kernels, for a target that needn't be on this machine, and
 * for CUDA the cubin too. */
#include <errno.h>
#include <stdlib.h>

#include "commands.h"
#include "compile/compile.h"
#include "pipeline.h"
#include "run/plan.h"

/* ---------------------------------------------------------------- the target */

static kf_status cuda_target(const struct options *o, kf__target *target, kf_error *err) {
    const char *arch = o->arch ? o->arch : "sm_90";
    int64_t sm;
    if (strncmp(arch, "sm_", 3) != 0 || !kf__parse_int(arch + 3, strlen(arch + 3), &sm) ||
        sm < 70 || sm > 999)
        return kf__fail(err, KF_ERR_ARGUMENT, "--arch %s: for CUDA write sm_75, sm_80, sm_90, "
                        "sm_120, ...", arch);
    /* Multiprocessors and cache only change how many blocks are launched, not the source. */
    *target = (kf__target){.kind = KF__TARGET_CUDA, .sm = (int)sm, .sms = 132,
                           .cache_bytes = 50 << 20};
    return KF_OK;
}

static kf_status c_target(const struct options *o, kf__target *target, kf_error *err) {
    *target = (kf__target){.kind = KF__TARGET_C, .cpu_level = kf__cpu_level(),
                           .cache_bytes = 32 << 20};
    if (!o->arch) return KF_OK;
    for (int level = 1; level <= 4; level++) {
        char name[32];
        snprintf(name, sizeof name, "x86-64-v%d", level);
        target->cpu_level = level;
        if (strcmp(o->arch, name) == 0) return KF_OK;
    }
    return kf__fail(err, KF_ERR_ARGUMENT, "--arch %s: for C write x86-64-v1, -v2, -v3 or -v4",
                    o->arch);
}

/* ---------------------------------------------------------------- the source */

/* What a plan would know: sizes of names, strides of values. */
static kf_status make_layout(struct job *job, const kf_program *program, kf__arena *arena,
                             kf__layout *layout, kf_error *err) {
    const kf__partition *p = program->partition;
    int64_t *names = KF__NEW(arena, int64_t, p->graph->exprs.names.n + 1);
    int64_t(*shapes)[KF__MAX_RANK] = kf__arena_alloc(arena, sizeof *shapes * (p->n_values + 1));
    int64_t(*strides)[KF__MAX_RANK] = kf__arena_alloc(arena, sizeof *strides * (p->n_values + 1));
    int64_t *bytes = KF__NEW(arena, int64_t, p->n_values + 1);
    if (!names || !shapes || !strides || !bytes) return kf__out_of_memory(err);
    KF_TRY(kf__bind_sizes(p->graph, job->n_inputs, job->arrays, job->device, names, err));
    KF_TRY(kf__bind_shapes(p, names, shapes, bytes, err));
    kf__bind_strides(p, (const int64_t(*)[KF__MAX_RANK])shapes, job->arrays, NULL, strides);
    *layout = (kf__layout){names, (const int64_t(*)[KF__MAX_RANK])strides};
    return KF_OK;
}

static kf_status write_file(const char *path, const void *bytes, size_t n, kf_error *err) {
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(bytes, 1, n, file) == n;
    if (file && fclose(file) != 0) written = false;
    if (written) return KF_OK;
    return kf__fail(err, KF_ERR_IO, "can't write '%s': %s", path, strerror(errno));
}

static kf_status write_cubin(const kf_program *program, const kf__text *source, const char *path,
                             kf_error *err) {
    kf__compile_target target = {program->target.kind, 0, program->target.sm};
    kf__object *object;
    size_t n;
    KF_TRY(kf__compile(program->ctx->compiler, &target, source->at, source->n, path, &object,
                       err));
    const void *image = kf__object_image(object, &n);
    return write_file(path, image, n, err);
}

static void give_json(const struct options *o, const kf_program *program, const kf__text *source,
                      struct output *out) {
    if (!out->json_file) return;
    json_open_object(&out->json, NULL);
    json_string(&out->json, "target", program->target.kind == KF__TARGET_C ? "c" : "cuda");
    json_open_array(&out->json, "kernels");
    for (uint32_t k = 0; k < program->partition->n_kernels; k++)
        json_string(&out->json, NULL, program->partition->kernels[k].name);
    json_close(&out->json);
    json_string(&out->json, "file", o->outputs.n ? o->outputs.at[0] : NULL);
    json_string(&out->json, "cubin", o->cubin);
    json_string(&out->json, "source", source->at);
    json_close(&out->json);
}

static kf_status emit(struct job *job, kf_program *program, struct output *out, kf_error *err) {
    const struct options *o = job->options;
    kf__arena arena;
    kf__text source;
    kf__layout layout;
    kf__arena_init(&arena, &kf__malloc);
    kf__text_init(&source, &kf__malloc);
    kf_program *instead = NULL;
    kf_status status = make_layout(job, program, &arena, &layout, err);
    if (status == KF_OK) status = kf__program_sized(program, &layout, &arena, &instead, err);
    if (instead) {
        program = instead;
        status = make_layout(job, program, &arena, &layout, err);
    }
    if (status == KF_OK) status = kf__build_source(program, &layout, NULL, &source, err);
    if (status == KF_OK && o->cubin) status = write_cubin(program, &source, o->cubin, err);
    if (status == KF_OK && o->outputs.n)
        status = write_file(o->outputs.at[0], source.at, source.n, err);
    if (status == KF_OK && !o->outputs.n && !o->cubin && source.at)
        fputs(source.at, out->table);
    if (status == KF_OK) give_json(o, program, &source, out);
    kf__text_free(&source);
    kf__arena_free(&arena);
    return status;
}

kf_status command_emit(const struct options *o, struct job *job, int *code, kf_error *err) {
    (void)code;
    bool gpu = o->device.type == KF_CUDA || o->device.type == KF_CUDA_EMULATED;
    bool cuda = o->target ? strcmp(o->target, "cuda") == 0
                          : gpu || o->cubin || (o->arch && strncmp(o->arch, "sm_", 3) == 0);
    if (o->cubin && !cuda)
        return kf__fail(err, KF_ERR_ARGUMENT, "--cubin is for --target cuda");
    if (o->outputs.n > 1)
        return kf__fail(err, KF_ERR_ARGUMENT, "all kernels go into one file: give -o once");
    kf__target target;
    KF_TRY(cuda ? cuda_target(o, &target, err) : c_target(o, &target, err));
    KF_TRY(job_begin(job, o, err));
    job->device = (kf_device){cuda ? KF_CUDA : KF_CPU, 0};
    KF_TRY(job_open(job, false, err));
    kf_program *program = NULL;
    struct output out;
    KF_TRY(output_open(&out, o, err));
    kf_status status = kf__compile_offline(job->ctx, job->graph, o->fusion, job->device, &target,
                                           &program, err);
    if (status == KF_OK) status = emit(job, program, &out, err);
    kf_program_free(program);
    return output_close(&out, o, status, err);
}
