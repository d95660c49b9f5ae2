/* Merging reductions' states over lanes, warps and blocks of a cluster. Every thread ends with the
 * same bits: partners of a butterfly merge in the same order, and all threads merge warps in order.
 */
#include "lower/cuda.h"

bool kf__cuda_counts(const kf__low *L, const uint16_t *reds, uint32_t n) {
    for (uint32_t r = 0; r < n; ++r)
        if (kf__counts(L, reds[r])) return true;
    return false;
}

/* The fields of reduction r that are merged: [first, end). */
static int first_field(const kf__states *st) { return st->only ? st->only - 1 : 0; }
static int end_field(const kf__low *L, const kf__states *st, uint32_t r) {
    int fields = kf__fields(L, st->reds[r]);
    return st->only && st->only < fields ? st->only : fields;
}
static bool by_fold(const kf__low *L, const kf__states *st, uint32_t r) {
    return st->only || kf__is_simple(L, st->reds[r]);
}

void kf__cuda_put_barrier(kf__low *L) {
    kf__put_call(L, kf__l_callv(L, "kf_barrier", KF__I64, 0, NULL));
}

static const kf__lx *shuffle(kf__low *L, kf__dtype type, const kf__lx *value, const kf__lx *mask) {
    return kf__l_call(L, "kf_shfl_xor_T", type, value, mask);
}

/* q: fields and count read by `read`; then p = merge(p, q), count += q's. */
typedef const kf__lx *(*reader)(kf__low *L, kf__dtype type, const char *array, const kf__lx *value,
                                const kf__lx *where);

static void put_merge_from(kf__low *L, kf__states *st, reader read, const char *prefix,
                           const kf__lx *where) {
    const kf__lx *nq = NULL;
    if (st->count)
        nq = kf__put_let(L, "int64_t", "nq",
                         read(L, KF__I64, kf__l_name(L, "%s_n", prefix), st->count, where), NULL);
    for (uint32_t r = 0; r < st->n_reds; ++r) {
        uint32_t red = st->reds[r];
        kf__fields_of q;
        for (int f = first_field(st); f < end_field(L, st, r); ++f) {
            kf__dtype type = kf__field_type(L, red, f);
            q[f] = kf__put_let(L, kf__ctype(type), kf__field_name(L, "q", red, f),
                               read(L, type, kf__field_name(L, prefix, red, f),
                                    st->field[r][f], where), NULL);
        }
        int f0 = first_field(st);
        if (f0 >= end_field(L, st, r)) continue;
        if (by_fold(L, st, r))
            kf__put_set(L, st->field[r][f0], kf__fold_of(L, red, f0, st->field[r][f0], q[f0]));
        else
            kf__put_merge(L, red, st->field[r], q, kf__count_as(L, red, st->count),
                          kf__count_as(L, red, nq));
    }
    if (st->count) kf__put_set(L, st->count, kf__l_bin(L, "+", st->count, nq));
}

static const kf__lx *read_lane(kf__low *L, kf__dtype type, const char *array, const kf__lx *value,
                               const kf__lx *where) {
    (void)array;
    return shuffle(L, type, value, where);
}

void kf__cuda_merge_lanes(kf__low *L, kf__states *st, const kf__lx *half) {
    kf__open_halve(L, "m", half);
    put_merge_from(L, st, read_lane, "", kf__l_var(L, "m"));
    kf__close(L);
    if (!st->count) return;
    /* merge(p, q) and merge(q, p) may differ in the last bit: take the first lane's. */
    for (uint32_t r = 0; r < st->n_reds; ++r)
        for (int f = 0; !by_fold(L, st, r) && f < kf__fields(L, st->reds[r]); ++f)
            if (kf__counts(L, st->reds[r]))
                kf__put_set(L, st->field[r][f],
                            kf__l_call(L, "kf_shfl_T", kf__field_type(L, st->reds[r], f),
                                       st->field[r][f], kf__l_int(L, 0)));
}

static const kf__lx *read_shared(kf__low *L, kf__dtype type, const char *array, const kf__lx *value,
                                 const kf__lx *where) {
    (void)value;
    return kf__l_call(L, "kf_shared_get_T", type, kf__l_var(L, array), where);
}

static kf__dtype same_type(kf__dtype type) { return type; }

/* Declare shared arrays of n states: prefix<red>_<field>, prefix_n. */
static void put_arrays(kf__low *L, const kf__states *st, const char *prefix, int n,
                       kf__dtype (*as)(kf__dtype)) {
    if (st->count) kf__put_shared(L, "int64_t", kf__l_name(L, "%s_n", prefix), n);
    for (uint32_t r = 0; r < st->n_reds; ++r)
        for (int f = first_field(st); f < end_field(L, st, r); ++f)
            kf__put_shared(L, kf__ctype(as(kf__field_type(L, st->reds[r], f))),
                           kf__field_name(L, prefix, st->reds[r], f), n);
}

/* All states = those in the arrays, merged in order. */
static void put_merge_arrays(kf__low *L, kf__states *st, const char *prefix, int n, reader read) {
    const kf__lx *zero = kf__l_int(L, 0);
    if (st->count)
        kf__put_set(L, st->count,
                    read(L, KF__I64, kf__l_name(L, "%s_n", prefix), NULL, zero));
    for (uint32_t r = 0; r < st->n_reds; ++r)
        for (int f = first_field(st); f < end_field(L, st, r); ++f)
            kf__put_set(L, st->field[r][f],
                        read(L, kf__field_type(L, st->reds[r], f),
                             kf__field_name(L, prefix, st->reds[r], f), NULL, zero));
    kf__open_for(L, "int", "w", kf__l_int(L, 1), kf__l_int(L, n), kf__l_int(L, 1), KF__SERIAL);
    put_merge_from(L, st, read, prefix, kf__l_var(L, "w"));
    kf__close(L);
}

void kf__cuda_merge_warps(kf__low *L, kf__states *st, int threads, uint32_t stage) {
    if (threads <= 32 || !st->n_reds) return;
    const char *prefix = kf__l_name(L, "warps%u", (unsigned)stage);
    const kf__lx *tid = kf__l_var(L, "tid"), *size = kf__l_int(L, 32);
    put_arrays(L, st, prefix, threads / 32, same_type);
    kf__open_if(L, kf__l_bin(L, "==", kf__l_bin(L, "%", tid, size), kf__l_int(L, 0)));
    const kf__lx *warp = kf__l_bin(L, "/", tid, size);
    if (st->count)
        kf__put_call(L, kf__l_call(L, "kf_shared_put_i64", KF__I64,
                                   kf__l_var(L, kf__l_name(L, "%s_n", prefix)), warp, st->count));
    for (uint32_t r = 0; r < st->n_reds; ++r)
        for (int f = first_field(st); f < end_field(L, st, r); ++f) {
            const char *array = kf__field_name(L, prefix, st->reds[r], f);
            kf__put_call(L, kf__l_call(L, "kf_shared_put_T", kf__field_type(L, st->reds[r], f),
                                       kf__l_var(L, array), warp, st->field[r][f]));
        }
    kf__close(L);
    kf__cuda_put_barrier(L);
    put_merge_arrays(L, st, prefix, threads / 32, read_shared);
}

kf__dtype kf__cuda_message_type(kf__dtype type) {
    bool narrow = type == KF__I8 || type == KF__U8 || type == KF__I16;
    return narrow ? KF__I32 : type;
}

int kf__cuda_message_bytes(kf__dtype type) {
    return kf__max(kf__types[kf__cuda_message_type(type)].size, 4); /* a bool is an int */
}

static const kf__lx *read_message(kf__low *L, kf__dtype type, const char *array,
                                  const kf__lx *value, const kf__lx *where) {
    return read_shared(L, kf__cuda_message_type(type), array, value, where);
}

void kf__cuda_put_message(kf__low *L, kf__dtype type, const char *array, const kf__lx *at,
                          const kf__lx *rank, const kf__lx *value, int k) {
    const kf__lx *args[] = {kf__l_var(L, array), at, rank, value, kf__l_var(L, "messages"),
                            kf__l_int(L, k)};
    kf__put_call(L, kf__l_callv(L, "kf_cluster_send_T", kf__cuda_message_type(type), 6, args));
}

void kf__cuda_open_messages(kf__low *L, int sets) {
    const kf__lx *args[] = {kf__l_var(L, "messages"), kf__l_int(L, sets)};
    kf__put_shared(L, "uint64_t", "messages", sets);
    kf__put_call(L, kf__l_callv(L, "kf_cluster_open", KF__I64, 2, args));
}

void kf__cuda_collect_messages(kf__low *L, int k, const kf__lx *bytes) {
    const kf__lx *args[] = {kf__l_var(L, "messages"), kf__l_int(L, k), bytes};
    kf__put_call(L, kf__l_callv(L, "kf_cluster_collect", KF__I64, 3, args));
}

void kf__cuda_merge_cluster(kf__low *L, kf__states *st, int blocks, uint32_t stage, int k) {
    const char *prefix = kf__l_name(L, "blocks%u", (unsigned)stage);
    int64_t bytes = 0;
    put_arrays(L, st, prefix, blocks, kf__cuda_message_type);
    kf__put_comment(L, "to every block of the cluster");
    kf__open_if(L, kf__l_bin(L, "<", kf__l_var(L, "tid"), kf__l_int(L, blocks)));
    for (uint32_t r = 0; r < st->n_reds; ++r)
        for (int f = first_field(st); f < end_field(L, st, r); ++f) {
            kf__dtype type = kf__field_type(L, st->reds[r], f);
            kf__cuda_put_message(L, type, kf__field_name(L, prefix, st->reds[r], f),
                                 kf__l_var(L, "rank"), kf__l_var(L, "tid"), st->field[r][f], k);
            bytes += kf__cuda_message_bytes(type);
        }
    kf__close(L);
    kf__cuda_collect_messages(L, k, kf__l_int(L, blocks * bytes));
    put_merge_arrays(L, st, prefix, blocks, read_message);
}
