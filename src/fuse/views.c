/* Index vectors through views: for an index of the view's result, the index of its argument.
 *
 * A reshape is matched in groups of dims with equal products, so that only dims that really change
 * are linearised:
 *
 *     [B, N]    -> [B, 4, M]       b stays; (i, j) -> i * M + j
 *     [B, H*W]  -> [B, H, W]       b stays; the expressions' ranges resolve div and mod
 */
#include "fuse/internal.h"

kf__ref kf__peel(const kf_graph *g, kf__ref node) {
    while (kf__is_view(kf__at(g, node))) node = kf__at(g, node)->args[0];
    return node;
}

kf__ref kf__anchor(const kf__fuse_state *f, kf__ref root) {
    kf__ref node = root;
    while (node == root || !f->stored[node]) {
        const kf__node *n = kf__at(f->g, node);
        if (n->kind == KF__INPUT) break;
        if (n->kind != KF__PERMUTE && n->kind != KF__RESHAPE) return node;
        node = n->args[0];
    }
    return root; /* a view of something in memory is a copy in the result's order */
}

/* One group of a reshape: dims [0, nf) of `from` with index fi become dims [0, nt) of `to`. */
static void reshape_group(kf__exprs *x, int nf, const kf__expr *from, const kf__expr *fi, int nt,
                          const kf__expr *to, kf__expr *ti) {
    int cf = 0, ct = 0, lf = 0, lt = 0; /* dims that aren't literally 1: how many, the last */
    for (int i = 0; i < nf; i++)
        if (!kf__x_is(x, from[i], 1)) cf++, lf = i;
    for (int i = 0; i < nt; i++) {
        if (!kf__x_is(x, to[i], 1)) ct++, lt = i;
        ti[i] = kf__x_const(x, 0);
    }
    if (ct == 0) return;
    if (cf == 1 && ct == 1) {
        ti[lt] = fi[lf];
        return;
    }
    kf__expr linear = kf__x_const(x, 0);
    for (int i = 0; i < nf; i++)
        linear = kf__x_add(x, kf__x_mul(x, linear, from[i]), fi[i]);
    for (int i = nt; i-- > 0;) {
        if (kf__x_is(x, to[i], 1)) continue;
        if (--ct == 0) { /* the outermost: what is left is below its size */
            ti[i] = linear;
            break;
        }
        ti[i] = kf__x_mod(x, linear, to[i]);
        linear = kf__x_div(x, linear, to[i]);
    }
}

bool kf__reshape_index(kf__exprs *x, int nf, const kf__expr *from, const kf__expr *fi, int nt,
                       const kf__expr *to, kf__expr *ti) {
    for (int i = 0; i < nt; i++)
        if (kf__x_is(x, to[i], 0)) { /* no elements: any index does */
            for (int j = 0; j < nt; j++) ti[j] = kf__x_const(x, 0);
            return !x->failed;
        }
    int f0 = 0, t0 = 0;
    while (f0 < nf || t0 < nt) {
        int f1 = nf, t1 = nt; /* the smallest group: from f0, t0 on, to where products agree */
        kf__expr pf = kf__x_const(x, 1);
        for (int i = f0; i < nf && f1 == nf; i++) {
            pf = kf__x_mul(x, pf, from[i]);
            kf__expr pt = kf__x_const(x, 1);
            for (int j = t0; j < nt; j++) {
                pt = kf__x_mul(x, pt, to[j]);
                if (pt == pf && pf) {
                    f1 = i + 1, t1 = j + 1;
                    break;
                }
            }
            if (f1 == i + 1) break;
        }
        reshape_group(x, f1 - f0, from + f0, fi + f0, t1 - t0, to + t0, ti + t0);
        f0 = f1, t0 = t1;
    }
    return !x->failed;
}

bool kf__view_index(kf_graph *g, const kf__node *view, const kf__expr *index, kf__expr *arg) {
    kf__exprs *x = &g->exprs;
    const kf__node *a = kf__at(g, view->args[0]);
    switch (view->kind) {
    case KF__EXPAND:
        for (int i = 0; i < a->rank; i++)
            arg[i] = kf__x_is(x, a->shape[i], 1) ? kf__x_const(x, 0) : index[i];
        break;
    case KF__PERMUTE:
        for (int i = 0; i < view->rank; i++) arg[view->u.perm[i]] = index[i];
        break;
    case KF__SLICE:
        for (int i = 0; i < view->rank; i++)
            arg[i] = kf__x_add(x, view->u.slice.start[i],
                               kf__x_mul(x, kf__x_const(x, view->u.slice.step[i]), index[i]));
        break;
    default:
        return kf__reshape_index(x, view->rank, view->shape, index, a->rank, a->shape, arg);
    }
    return !x->failed;
}

bool kf__view_inverse(kf_graph *g, const kf__node *view, const kf__expr *arg, kf__expr *index) {
    const kf__node *a = kf__at(g, view->args[0]);
    if (view->kind == KF__PERMUTE) {
        for (int i = 0; i < view->rank; i++) index[i] = arg[view->u.perm[i]];
        return true;
    }
    return kf__reshape_index(&g->exprs, a->rank, a->shape, arg, view->rank, view->shape, index);
}
