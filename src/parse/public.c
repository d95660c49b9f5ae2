/* kf_parse and kf_graph_create: the two functions of this room that take a context. */
#include "parse/parse.h"

kf_status kf_parse(kf_context *ctx, const char *text, const char *name, kf_function **out,
                   kf_error *err) {
    kf__error_clear(err);
    if (!ctx || !text || !out)
        return kf__fail(err, KF_ERR_ARGUMENT, "kf_parse needs a context, a text and a result");
    return kf__parse(kf__context_allocator(ctx), text, name, out, err);
}

kf_status kf_graph_create(kf_context *ctx, const kf_function *function, int n_specs,
                          const kf_spec *specs, kf_numerics numerics, kf_graph **out,
                          kf_error *err) {
    kf__error_clear(err);
    if (!ctx || !function || !out)
        return kf__fail(err, KF_ERR_ARGUMENT,
                        "kf_graph_create needs a context, a function and a result");
    if ((unsigned)numerics > KF_EAGER)
        return kf__fail(err, KF_ERR_ARGUMENT, "there are no numerics %d", (int)numerics);
    if (n_specs > 0 && !specs)
        return kf__fail(err, KF_ERR_ARGUMENT, "%d specs, but no address of them", n_specs);
    return kf__instantiate(kf__context_allocator(ctx), function, n_specs, specs, numerics, out,
                           err);
}
