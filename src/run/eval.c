/* kf_eval: text and arrays in, results out, with what was made on the way kept in the context.
 *
 *     program table   text | device | dtype, rank, which sizes are 1     -> kf_program
 *     plan table      the same | shapes, strides | results' strides      -> kf_plan
 *
 * Both tables keep the most recently used entries. An entry that a thread is running is never
 * dropped. What is missing is made without the lock; of two that threads made, one is dropped. */
#include "ir/graph.h"
#include "run/array.h"
#include "run/device.h"
#include "run/plan.h"

enum { MOST_ENTRIES = 512 };

/* A kept program, or a kept plan with its program. */
typedef struct entry {
    char *key;
    size_t n;
    uint64_t hash, last_used;
    int users; /* threads, and for a program its plans */
    kf_program *program;
    kf_plan *plan; /* NULL: a program */
    struct entry *made_for; /* a plan's program */
} entry;

struct kf__eval_cache {
    pthread_mutex_t mutex;
    KF__VEC(entry *) entries;
    uint64_t clock;
};

struct kf__eval_cache *kf__eval_cache_new(const kf_allocator *mem) {
    struct kf__eval_cache *cache = kf__allocate(mem, sizeof *cache);
    if (!cache) return NULL;
    memset(cache, 0, sizeof *cache);
    pthread_mutex_init(&cache->mutex, NULL);
    return cache;
}

static void free_entry(const kf_allocator *mem, entry *e) {
    kf_plan_free(e->plan);
    if (!e->plan) kf_program_free(e->program);
    kf__release(mem, e->key);
    kf__release(mem, e);
}

void kf__eval_cache_free(const kf_allocator *mem, struct kf__eval_cache *cache) {
    if (!cache) return;
    for (int plans = 1; plans >= 0; plans--) /* plans first: they need their programs */
        for (uint32_t i = 0; i < cache->entries.n; i++)
            if ((cache->entries.at[i]->plan != NULL) == (plans == 1)) {
                entry *e = cache->entries.at[i];
                cache->entries.at[i] = cache->entries.at[--cache->entries.n];
                i--;
                free_entry(mem, e);
            }
    KF__VEC_FREE(mem, &cache->entries);
    pthread_mutex_destroy(&cache->mutex);
    kf__release(mem, cache);
}

/* ---------------------------------------------------------------- keys */

static void add_bytes(kf__text *key, const void *bytes, size_t n) {
    kf__print_bytes(key, bytes, n);
}

/* What a program depends on. */
static void add_program_key(kf__text *key, const char *text, kf_device device, int n,
                            const kf_array *inputs) {
    kf__print_bytes(key, text, strlen(text) + 1);
    add_bytes(key, &device, sizeof device);
    for (int i = 0; i < n; i++) {
        uint64_t kind = inputs[i].dtype.code | (uint64_t)inputs[i].dtype.bits << 8 |
                        (uint64_t)inputs[i].ndim << 16;
        for (int d = 0; d < inputs[i].ndim; d++)
            kind |= (uint64_t)(inputs[i].shape[d] == 1) << (32 + d);
        add_bytes(key, &kind, sizeof kind);
    }
}

/* What a plan depends on besides. results NULL: row-major ones. */
static void add_plan_key(kf__text *key, int n, const kf_array *inputs, int n_results,
                         const kf_array *results) {
    kf__print_bytes(key, results ? "r" : "p", 1);
    for (int i = 0; i < n + (results ? n_results : 0); i++) {
        const kf_array *a = i < n ? &inputs[i] : &results[i - n];
        int64_t strides[KF__MAX_ARRAY_RANK];
        if (!a->strides) kf__row_major(a->ndim, a->shape, strides);
        const int64_t *used = a->strides ? a->strides : strides;
        add_bytes(key, a->shape, (size_t)a->ndim * sizeof *used);
        add_bytes(key, used, (size_t)a->ndim * sizeof *used);
    }
}

/* ---------------------------------------------------------------- the tables; under the lock */

static entry *find(struct kf__eval_cache *cache, const kf__text *key, uint64_t hash) {
    for (uint32_t i = 0; i < cache->entries.n; i++) {
        entry *e = cache->entries.at[i];
        if (e->hash == hash && e->n == key->n && memcmp(e->key, key->at, key->n) == 0) {
            e->last_used = ++cache->clock;
            e->users++;
            return e;
        }
    }
    return NULL;
}

/* Take out the least recently used entry that nobody uses; NULL: there is none. A plan still uses
 * its program: freeing it reads that. */
static entry *take_oldest(struct kf__eval_cache *cache) {
    uint32_t oldest = UINT32_MAX;
    for (uint32_t i = 0; i < cache->entries.n; i++) {
        const entry *e = cache->entries.at[i];
        if (e->users == 0 &&
            (oldest == UINT32_MAX || e->last_used < cache->entries.at[oldest]->last_used))
            oldest = i;
    }
    if (oldest == UINT32_MAX) return NULL;
    entry *e = cache->entries.at[oldest];
    cache->entries.at[oldest] = cache->entries.at[--cache->entries.n];
    return e;
}

static entry *look_up(kf_context *ctx, const kf__text *key) {
    struct kf__eval_cache *cache = ctx->eval;
    uint64_t hash = kf__hash(key->at, key->n, 0);
    pthread_mutex_lock(&cache->mutex);
    entry *e = find(cache, key, hash);
    pthread_mutex_unlock(&cache->mutex);
    return e;
}

static void done_with(kf_context *ctx, entry *e) {
    if (!e) return;
    pthread_mutex_lock(&ctx->eval->mutex);
    e->users--;
    pthread_mutex_unlock(&ctx->eval->mutex);
}

static void free_dropped(kf_context *ctx, entry *e) {
    entry *program = e->made_for;
    free_entry(&ctx->mem, e);
    done_with(ctx, program);
}

/* Keep *made, used by this thread; gives an equal entry instead where another thread was faster. */
static kf_status keep(kf_context *ctx, const kf__text *key, entry made, entry **out,
                      kf_error *err) {
    struct kf__eval_cache *cache = ctx->eval;
    entry *e = kf__allocate(&ctx->mem, sizeof *e), *dropped = NULL, *found = NULL;
    if (!e) {
        kf_plan_free(made.plan);
        if (!made.plan) kf_program_free(made.program);
        return kf__out_of_memory(err);
    }
    *e = made;
    e->hash = kf__hash(key->at, key->n, 0);
    e->n = key->n;
    e->users = 1;
    e->key = kf__allocate(&ctx->mem, key->n);
    if (e->key) memcpy(e->key, key->at, key->n);
    pthread_mutex_lock(&cache->mutex);
    found = e->key ? find(cache, key, e->hash) : NULL;
    if (e->key && !found && cache->entries.n >= MOST_ENTRIES) dropped = take_oldest(cache);
    if (e->key && !found && KF__PUSH(&ctx->mem, &cache->entries, e)) {
        e->last_used = ++cache->clock;
        if (e->made_for) e->made_for->users++;
        found = e;
    }
    pthread_mutex_unlock(&cache->mutex);
    if (dropped) free_dropped(ctx, dropped);
    if (found != e) free_entry(&ctx->mem, e);
    *out = found;
    return found ? KF_OK : kf__out_of_memory(err);
}

/* ---------------------------------------------------------------- making what is missing */

static kf_status make_graph(kf_context *ctx, const char *text, int n, const kf_array *inputs,
                            kf_graph **out, kf_error *err) {
    kf_function *function = NULL;
    KF_TRY(kf_parse(ctx, text, NULL, &function, err));
    int count = kf_function_input_count(function);
    kf_spec *specs = kf__allocate(&ctx->mem, ((size_t)count + 1) * sizeof *specs);
    kf_status status = specs ? KF_OK : kf__out_of_memory(err);
    if (status == KF_OK && n > count)
        status = kf__fail(err, KF_ERR_ARGUMENT, "%d inputs were given, but the text has %d", n,
                          count);
    for (int i = 0; i < count && status == KF_OK; i++) {
        if (i < n)
            specs[i] = (kf_spec){.kind = KF_SPEC_ARRAY, .dtype = inputs[i].dtype,
                                 .ndim = inputs[i].ndim, .shape = inputs[i].shape};
        else if (kf_function_input_optional(function, i))
            specs[i] = (kf_spec){.kind = KF_SPEC_DEFAULT};
        else
            status = kf__fail(err, KF_ERR_ARGUMENT, "input %d, %s, is missing: the text has %d",
                              i + 1, kf_function_input_name(function, i), count);
    }
    if (status == KF_OK)
        status = kf_graph_create(ctx, function, count, specs, KF_FUSED, out, err);
    kf__release(&ctx->mem, specs);
    kf_function_free(function);
    return status;
}

static kf_status find_program(kf_context *ctx, const char *text, kf_device device, int n,
                              const kf_array *inputs, entry **out, kf_error *err) {
    kf__text key;
    kf__text_init(&key, &ctx->mem);
    add_program_key(&key, text, device, n, inputs);
    if (key.failed) {
        kf__text_free(&key);
        return kf__out_of_memory(err);
    }
    kf_status status = KF_OK;
    *out = look_up(ctx, &key);
    if (!*out) {
        kf_graph *graph = NULL;
        entry made = {0};
        kf_compile_options options = {sizeof options, device, KF_FUSION_ON};
        status = make_graph(ctx, text, n, inputs, &graph, err);
        if (status == KF_OK) status = kf_compile(ctx, graph, &options, &made.program, err);
        kf_graph_free(graph);
        if (status == KF_OK) status = keep(ctx, &key, made, out, err);
    }
    kf__text_free(&key);
    return status;
}

/* Inputs as the program's graph counts them: those left out are empty. */
static kf_status plan_for(kf_context *ctx, entry *program, int n, const kf_array *inputs,
                          int n_results, const kf_array *results, kf_plan **out, kf_error *err) {
    int count = (int)program->program->partition->graph->inputs.n;
    if (count <= n)
        return kf_plan_for(program->program, n, inputs, n_results, results, out, err);
    kf_array *all = kf__allocate(&ctx->mem, (size_t)count * sizeof *all);
    if (!all) return kf__out_of_memory(err);
    memset(all, 0, (size_t)count * sizeof *all);
    if (n) memcpy(all, inputs, (size_t)n * sizeof *all);
    kf_status status = kf_plan_for(program->program, count, all, n_results, results, out, err);
    kf__release(&ctx->mem, all);
    return status;
}

static kf_status find_plan(kf_context *ctx, const char *text, kf_device device, int n,
                           const kf_array *inputs, int n_results, const kf_array *results,
                           entry **out, kf_error *err) {
    kf__text key;
    kf__text_init(&key, &ctx->mem);
    add_program_key(&key, text, device, n, inputs);
    add_plan_key(&key, n, inputs, n_results, results);
    if (key.failed) {
        kf__text_free(&key);
        return kf__out_of_memory(err);
    }
    kf_status status = KF_OK;
    *out = look_up(ctx, &key);
    if (!*out) {
        entry *program = NULL, made = {0};
        status = find_program(ctx, text, device, n, inputs, &program, err);
        if (status == KF_OK) {
            made.program = program->program;
            made.made_for = program;
            status = plan_for(ctx, program, n, inputs, n_results, results, &made.plan, err);
        }
        if (status == KF_OK) status = keep(ctx, &key, made, out, err);
        done_with(ctx, program);
    }
    kf__text_free(&key);
    return status;
}

/* ---------------------------------------------------------------- one evaluation */

static kf_status check_inputs(int n, const kf_array *inputs, kf_device *device, kf_error *err) {
    *device = (kf_device){KF_CPU, 0};
    for (int i = 0; i < n; i++) {
        int64_t bytes;
        const kf_array *a = &inputs[i];
        if (a->ndim > 0 && !a->shape)
            return kf__fail(err, KF_ERR_ARGUMENT, "input %d has rank %d but no shape", i + 1,
                            a->ndim);
        KF_TRY(kf__array_bytes(a->dtype, a->ndim, a->shape, &bytes, err));
        if (a->byte_offset > INT64_MAX)
            return kf__fail(err, KF_ERR_ARGUMENT, "input %d has a byte_offset of %llu", i + 1,
                            (unsigned long long)a->byte_offset);
        if (i == 0) *device = a->device;
        if (a->device.type != device->type || a->device.id != device->id) {
            char one[24], other[24];
            return kf__fail(err, KF_ERR_DEVICE, "inputs 1 and %d are on %s and %s; move them to "
                            "one device", i + 1, kf__device_name(*device, one),
                            kf__device_name(a->device, other));
        }
    }
    return KF_OK;
}

static kf_status make_results(kf_context *ctx, const kf_plan *plan, kf_array *results, bool *made,
                              kf_error *err) {
    for (int i = 0; i < kf_plan_result_count(plan); i++) {
        if (results[i].data) continue;
        kf_array like;
        kf_plan_result(plan, i, &like);
        KF_TRY(kf_array_create(ctx, like.device, like.dtype, like.ndim, like.shape, &results[i],
                               err));
        made[i] = true;
    }
    return KF_OK;
}

static kf_status run_plan(kf_context *ctx, const kf_plan *plan, int n, const kf_array *inputs,
                          const kf_array *results, kf_error *err) {
    size_t n_in = plan->n_inputs, n_out = plan->n_results;
    const void **addresses = kf__allocate(&ctx->mem, (n_in + n_out + 1) * sizeof *addresses);
    if (!addresses) return kf__out_of_memory(err);
    void **targets = (void **)(addresses + n_in);
    for (size_t i = 0; i < n_in; i++)
        addresses[i] = i < (size_t)n ? kf__array_first(&inputs[i]) : NULL;
    for (size_t i = 0; i < n_out; i++) targets[i] = kf__array_first(&results[i]);
    kf_device device = plan->program->device;
    kf__block workspace = {0};
    kf_status status = KF_OK;
    if (plan->workspace)
        status = kf__pool_take(ctx, device, (size_t)plan->workspace, &workspace, err);
    if (status == KF_OK)
        status = kf_run(plan, addresses, targets, NULL, workspace.data, NULL, err);
    if (status == KF_OK) status = kf_synchronize(ctx, device, NULL, err);
    kf__pool_give(ctx, &workspace);
    kf__release(&ctx->mem, addresses);
    return status;
}

static bool any_layout(int n, const kf_array *results, const bool *made) {
    for (int i = 0; i < n; i++)
        if (!made[i] && !kf__array_row_major(&results[i])) return true;
    return false;
}

static kf_status evaluate(kf_context *ctx, const char *text, int n, const kf_array *inputs,
                          int n_results, kf_array *results, bool *made, kf_error *err) {
    kf_device device;
    KF_TRY(check_inputs(n, inputs, &device, err));
    entry *plan = NULL, *other = NULL;
    KF_TRY(find_plan(ctx, text, device, n, inputs, 0, NULL, &plan, err));
    kf_status status = KF_OK;
    if (n_results != kf_plan_result_count(plan->plan))
        status = kf__fail(err, KF_ERR_ARGUMENT, "the text has %d result%s, but %d were asked for",
                          kf_plan_result_count(plan->plan),
                          kf_plan_result_count(plan->plan) == 1 ? "" : "s", n_results);
    if (status == KF_OK) status = make_results(ctx, plan->plan, results, made, err);
    if (status == KF_OK) status = kf__plan_check_results(plan->plan, results, err);
    if (status == KF_OK && any_layout(n_results, results, made)) {
        status = find_plan(ctx, text, device, n, inputs, n_results, results, &other, err);
        if (status == KF_OK) status = run_plan(ctx, other->plan, n, inputs, results, err);
    } else if (status == KF_OK) {
        status = run_plan(ctx, plan->plan, n, inputs, results, err);
    }
    done_with(ctx, other);
    done_with(ctx, plan);
    return status;
}

kf_status kf_eval(kf_context *ctx, const char *text, int n_inputs, const kf_array *inputs,
                  int n_results, kf_array *results, kf_error *err) {
    kf__error_clear(err);
    if (!ctx || !text || (n_inputs > 0 && !inputs) || (n_results > 0 && !results))
        return kf__fail(err, KF_ERR_ARGUMENT, "kf_eval needs a context, a text, its inputs and a "
                                              "place for its results");
    if (n_inputs < 0 || n_results < 0)
        return kf__fail(err, KF_ERR_ARGUMENT, "%d inputs and %d results", n_inputs, n_results);
    bool *made = kf__allocate(&ctx->mem, (size_t)n_results + 1);
    if (!made) return kf__out_of_memory(err);
    memset(made, 0, (size_t)n_results + 1);
    kf_status status = evaluate(ctx, text, n_inputs, inputs, n_results, results, made, err);
    for (int i = 0; status != KF_OK && i < n_results; i++)
        if (made[i]) kf_array_free(ctx, &results[i]);
    kf__release(&ctx->mem, made);
    return status;
}

kf_status kf_synchronize(kf_context *ctx, kf_device device, void *stream, kf_error *err) {
    kf__error_clear(err);
    if (!ctx) return kf__fail(err, KF_ERR_ARGUMENT, "kf_synchronize needs a context");
    KF_TRY(kf__check_device(device, err));
    if (device.type != KF_CUDA) return KF_OK;
    return kf__cuda_wait_stream(ctx, device.id, stream, err);
}
