/* The makers of _scan and its kin: what all elements up to each one are folded to. */
#include "parse/makers.h"

bool kf__make_scan(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                   kf__object *out) {
    int64_t axis, chunk;
    kf__ref x;
    kf__begin_call(ev, b->name);
    if (!kf__to_node(ev, &args[0], &x) || !kf__to_int(ev, &args[1], "axis", &axis) ||
        !kf__to_int(ev, &args[2], "chunk", &chunk))
        return false;
    return kf__eval_node(ev, kf__scan(ev->g, (kf__reduction)b->data, (int)axis, (uint32_t)chunk, x),
                         out);
}
