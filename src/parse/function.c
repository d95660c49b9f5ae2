/* kf_parse: text -> kf_function. Reads the text, then resolves its calls: a def of the text, a
 * builtin, or a def of the library, which is read then and whose calls are resolved in turn; then
 * looks for recursion. So whatever can be said without dtypes and shapes is said here. */
#include "parse/evaluate.h"
#include "parse/reader.h"

#include <stdio.h>

/* ---------------------------------------------------------------- resolving calls */

static kf__def *find_def(const kf_function *f, bool library, const char *name, size_t n) {
    for (kf__def *d = f->defs; d; d = d->next)
        if (d->library == library && strncmp(d->name, name, n) == 0 && d->name[n] == 0) return d;
    return NULL;
}

/* A def of the library, read if it isn't yet. *out stays NULL where there is none. */
static kf_status library_def(kf_function *f, kf__def ***list_at, const char *name, size_t n,
                             kf__def **out, kf_error *err) {
    kf__library_place place;
    const char *other = kf__alias_in(name, n);
    if (other && kf__library_find(other, strlen(other), &place)) name = other, n = strlen(other);
    *out = find_def(f, true, name, n);
    if (*out || !kf__library_find(name, n, &place)) return KF_OK;
    kf__module *module = KF__NEW(&f->arena, kf__module, 1);
    kf__def *script;
    if (!module) return kf__out_of_memory(err);
    *module = (kf__module){.text = place.text, .n = place.n, .file = place.file};
    KF_TRY(kf__read(f, module, place.begin, place.end, list_at, &script, err));
    *out = find_def(f, true, name, n);
    return KF_OK;
}

typedef KF__VEC(const char *) words;

/* Every name that can be called from the text. Short of memory: fewer. */
static void callable_names(kf_function *f, words *out) {
    for (kf__def *d = f->defs; d; d = d->next)
        if (!d->library && !KF__PUSH(f->mem, out, d->name)) return;
    for (size_t i = 0; kf__builtin_at(i); i++)
        if (!kf__builtin_private(kf__builtin_at(i)) &&
            !KF__PUSH(f->mem, out, kf__builtin_at(i)->name))
            return;
    kf__library_place place = {0};
    const char *name;
    size_t n;
    while (kf__library_next(&place, &name, &n)) {
        char *copy = name[0] == '_' ? NULL : kf__arena_string(&f->arena, name, n);
        if (copy && !KF__PUSH(f->mem, out, copy)) return;
    }
}

/* x.mul_(2): there is a function of that name without the mark. */
static bool works_in_place(const char *name, size_t n) {
    kf__library_place place;
    return n > 1 && name[0] != '_' && name[n - 1] == '_' &&
           (kf__builtin_find(name, n - 1) || kf__library_find(name, n - 1, &place));
}

static kf_status unknown_function(kf_function *f, const kf__module *module, uint32_t at,
                                  uint32_t n, kf_error *err) {
    const char *name = module->text + at, *why = kf__unsupported(name, n);
    if (why)
        return kf__fail_in(err, KF_ERR_UNSUPPORTED, module, at, "`%.*s` %s", (int)n, name, why);
    if (works_in_place(name, n))
        return kf__fail_in(err, KF_ERR_UNSUPPORTED, module, at,
                           "`%.*s` changes an array, and values never change here: `%.*s` gives a "
                           "new one", (int)n, name, (int)n - 1, name);
    words names = {0};
    callable_names(f, &names);
    const char *near = kf__nearest(name, n, names.at, names.n);
    kf_status status = kf__fail_in(
        err, KF_ERR_NAME, module, at,
        near ? "unknown function `%.*s`; did you mean `%s`?"
             : "unknown function `%.*s`; `kfuse ops` lists what can be called",
        (int)n, name, near);
    KF__VEC_FREE(f->mem, &names);
    return status;
}

/* The library's _torch_var for torch.var, which isn't what var is; _numpy_add_reduce for
 * np.add.reduce. */
static kf_status def_of_module(kf_function *f, kf__def ***list_at, const kf__ast *call,
                               const char *name, kf__def **out, kf_error *err) {
    char own[80];
    int n = snprintf(own, sizeof own, "%s%.*s", kf__family_prefix[call->family],
                     (int)kf__min(call->name_n, 60u), name);
    for (int i = 0; i < n; i++)
        if (own[i] == '.') own[i] = '_';
    return library_def(f, list_at, own, (size_t)n, out, err);
}

/* round(x, 2): a call with more than a builtin takes may be NumPy's longer form of it. */
static kf_status longer_form(kf_function *f, kf__def ***list_at, kf__ast *call, const char *name,
                             kf__def **out, kf_error *err) {
    uint32_t takes = 1;
    for (const char *at = call->call.builtin->signature; *at; at++) {
        if (*at == '*') return KF_OK;
        takes += *at == ',';
    }
    if (call->n <= takes) return KF_OK;
    call->family = KF__NUMPY;
    KF_TRY(def_of_module(f, list_at, call, name, out, err));
    call->family = KF__OURS;
    return KF_OK;
}

/* x.var(dim=0): whoever says `dim` means PyTorch's. */
static bool means_torch(const kf__ast *call, const char *text) {
    static const char *const theirs[] = {"dim", "keepdim", "unbiased"};
    if (call->family != KF__METHOD) return false;
    for (uint32_t i = 0; i < call->n; i++) {
        const kf__part *part = &call->part[i];
        const char *name = text + part->name;
        if (kf__index_of(theirs, KF__COUNT(theirs), name, part->name_n) < KF__COUNT(theirs))
            return true;
    }
    return false;
}

/* torch.split_copy: values never change, so what is a view there may be a copy. */
static bool is_copy(const char *name, size_t n) {
    return n > 5 && memcmp(name + n - 5, "_copy", 5) == 0 && name[0] != '_';
}

static kf_status resolve_call(kf_function *f, kf__def ***list_at, kf__def *from, kf__ast *call,
                              kf_error *err) {
    const char *name = from->module->text + call->name;
    size_t n = call->name_n;
    bool own = call->family == KF__OURS || call->family == KF__METHOD;
    kf__def *def = from->library || !own ? NULL : find_def(f, false, name, n);
    if (!def && call->family != KF__OURS) KF_TRY(def_of_module(f, list_at, call, name, &def, err));
    if (!def && means_torch(call, from->module->text)) {
        call->family = KF__TORCH;
        KF_TRY(def_of_module(f, list_at, call, name, &def, err));
    }
    if (!def) {
        const kf__builtin *b = kf__builtin_find(name, n);
        if (b && kf__builtin_private(b) && !from->library) b = NULL;
        call->call.builtin = b;
        if (b && call->family == KF__OURS && !from->library)
            KF_TRY(longer_form(f, list_at, call, name, &def, err));
        if (b && !def) return KF_OK;
        if (def) call->call.builtin = NULL;
        if (!def && (from->library || name[0] != '_'))
            KF_TRY(library_def(f, list_at, name, n, &def, err));
    }
    if (!def && !from->library && is_copy(name, n)) {
        call->name_n -= 5;
        return resolve_call(f, list_at, from, call, err);
    }
    call->call.def = def;
    return def ? KF_OK : unknown_function(f, from->module, call->name, call->name_n, err);
}

/* Defs that are read on the way are appended to the list, so the loop gets to them too. */
static kf_status resolve(kf_function *f, kf__def ***list_at, kf_error *err) {
    for (kf__def *d = f->defs; d; d = d->next)
        for (kf__ast *call = d->calls; call; call = call->call.next_call)
            KF_TRY(resolve_call(f, list_at, d, call, err));
    return KF_OK;
}

/* ---------------------------------------------------------------- recursion */

enum { UNSEEN, OPEN, DONE };

/* "f -> g -> f": from the def that is called again to the one that calls it. */
static kf_status recursion(const kf__def *caller, const kf__def *callee, uint32_t at,
                           kf_error *err) {
    char path[300];
    size_t n = sizeof path - 1;
    path[n] = 0;
    const char *name = callee->name;
    for (const kf__def *d = caller;; d = d->from) { /* written from its end */
        char step[80];
        int length = snprintf(step, sizeof step, " -> %.60s", name);
        if (length < 0 || (size_t)length + 70 > n) break;
        n -= (size_t)length;
        memcpy(path + n, step, (size_t)length);
        name = d->name;
        if (d == callee) break;
    }
    return kf__fail_in(err, KF_ERR_LIMIT, caller->module, at,
                       "defs can't call themselves: %s%s", name, path + n);
}

/* Depth first without recursion of our own: d->cursor is the next call to look at. */
static kf_status find_recursion(kf_function *f, kf_error *err) {
    for (kf__def *root = f->defs; root; root = root->next) {
        if (root->state != UNSEEN) continue;
        root->state = OPEN, root->cursor = root->calls, root->from = NULL;
        for (kf__def *d = root; d;) {
            kf__ast *call = d->cursor;
            if (!call) {
                d->state = DONE;
                d = d->from;
                continue;
            }
            d->cursor = call->call.next_call;
            kf__def *callee = (kf__def *)call->call.def;
            if (!callee || callee->state == DONE) continue;
            if (callee->state == OPEN) return recursion(d, callee, call->at, err);
            callee->state = OPEN, callee->cursor = callee->calls, callee->from = d;
            d = callee;
        }
    }
    return KF_OK;
}

/* ---------------------------------------------------------------- which def */

/* An operation as a function of its own: "def exp(a): return exp(a)". What is behind a parameter
 * that takes several arguments goes by name: "def zeros(shape, dtype=float32): return zeros(shape,
 * dtype=dtype)". */
static kf_status wrap_builtin(kf_function *f, kf__def ***list_at, const kf__builtin *b,
                              kf_error *err) {
    char names[240] = "", parameters[160] = "";
    size_t n = 0, m = 0;
    bool rest = false;
    for (const char *s = b->signature; *s;) {
        size_t whole = strcspn(s, ","), name;
        bool several = *s == '*';
        s += several, whole -= several;
        name = strcspn(s, "=,");
        m += (size_t)snprintf(parameters + m, sizeof parameters - m, "%s%.*s", m ? ", " : "",
                              (int)whole, s);
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%.*s", n ? ", " : "", (int)name, s);
        if (rest) n += (size_t)snprintf(names + n, sizeof names - n, "=%.*s", (int)name, s);
        if (n >= sizeof names || m >= sizeof parameters)
            return kf__fail(err, KF_ERR_INTERNAL, "the signature of %s is too long", b->name);
        rest |= several;
        s += whole;
        s += strspn(s, ", ");
    }
    kf__module *module = KF__NEW(&f->arena, kf__module, 1);
    char *text = kf__arena_printf(&f->arena, "def %s(%s): return %s(%s)", b->name, parameters,
                                  b->name, names);
    kf__def *script;
    if (!module || !text) return kf__out_of_memory(err);
    *module = (kf__module){.text = text, .n = (uint32_t)strlen(text), .file = "operation"};
    KF_TRY(kf__read(f, module, 0, module->n, list_at, &script, err));
    f->main = find_def(f, true, b->name, strlen(b->name));
    return KF_OK;
}

/* The text's own defs where it has any. */
static kf_status unknown_def(kf_function *f, const char *name, kf_error *err) {
    words names = {0};
    kf__text own;
    kf__text_init(&own, f->mem);
    for (const kf__def *d = f->defs; d && names.n < 20; d = d->next)
        if (d->name[0] && !d->library) kf__print(&own, "%s%s", own.n ? ", " : "", d->name);
    callable_names(f, &names);
    const char *near = kf__nearest(name, strlen(name), names.at, names.n);
    kf_status status = kf__fail(err, KF_ERR_NAME, "there is no def `%s`; %s%s%s", name,
                                near ? "did you mean `" : own.n ? "there are " : "`kfuse ops` ",
                                near ? near : own.n ? own.at : "lists what there is",
                                near ? "`?" : "");
    kf__text_free(&own);
    KF__VEC_FREE(f->mem, &names);
    return status;
}

static kf_status pick_named(kf_function *f, kf__def ***list_at, const char *name, kf_error *err) {
    char own[KF__OWN_NAME];
    const char *of_module = kf__name_of_module(name, own), *asked = name;
    f->main = find_def(f, false, name, strlen(name));
    if (f->main) return KF_OK;
    if (of_module) name = of_module;
    size_t n = strlen(name);
    if (name[0] != '_' || of_module) KF_TRY(library_def(f, list_at, name, n, &f->main, err));
    if (f->main) return KF_OK;
    const kf__builtin *b = kf__builtin_find(name, n);
    if (b && !kf__builtin_private(b)) return wrap_builtin(f, list_at, b, err);
    const char *why = kf__unsupported(name, n);
    if (why) return kf__fail(err, KF_ERR_UNSUPPORTED, "`%s` %s", name, why);
    kf__object constant;
    if (kf__constant_named(name, n, &constant) && constant.kind == KF__O_FLOAT)
        return kf__fail(err, KF_ERR_NAME, "`%s` is a constant, not a function: it stands in an "
                        "expression, as in 'x * %s'", name, name);
    return unknown_def(f, asked, err);
}

static kf_status same_names(const kf_function *f, kf_error *err) {
    for (kf__def *d = f->defs; d; d = d->next)
        for (kf__def *other = f->defs; other != d; other = other->next)
            if (d->name[0] && strcmp(d->name, other->name) == 0)
                return kf__fail_in(err, KF_ERR_NAME, d->module, d->at,
                                   "two defs are called `%s`", d->name);
    return KF_OK;
}

static kf_status build(kf_function *f, const char *text, const char *name, kf_error *err) {
    size_t n = strlen(text);
    if (n > UINT32_MAX / 4) return kf__fail(err, KF_ERR_LIMIT, "the text is too long");
    size_t mark = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* that a file is UTF-8 */
    text += mark, n -= mark;
    f->text = (kf__module){.n = (uint32_t)n, .text = kf__arena_string(&f->arena, text, n)};
    if (!f->text.text) return kf__out_of_memory(err);
    kf__def **list_at = &f->defs, *script;
    KF_TRY(kf__read(f, &f->text, 0, f->text.n, &list_at, &script, err));
    KF_TRY(same_names(f, err));
    if (name) KF_TRY(pick_named(f, &list_at, name, err));
    for (kf__def *d = f->defs; d && !f->main && !script; d = d->next)
        if (!d->next) f->main = d;
    if (script) *list_at = script, list_at = &script->next;
    f->fixed_inputs = f->main != NULL;
    if (!f->main) f->main = script;
    if (!f->main)
        return kf__fail(err, KF_ERR_SYNTAX, "the text is empty; try \"exp(x * 2)\"");
    KF_TRY(resolve(f, &list_at, err));
    return find_recursion(f, err);
}

kf_status kf__parse(const kf_allocator *mem, const char *text, const char *name,
                    kf_function **out, kf_error *err) {
    kf_error local = {0};
    *out = NULL;
    kf_function *f = kf__allocate(mem, sizeof *f);
    if (!f) return kf__out_of_memory(err);
    memset(f, 0, sizeof *f);
    f->mem = mem;
    kf__arena_init(&f->arena, mem);
    kf_status status = build(f, text, name, &local);
    if (status != KF_OK) {
        if (err && err->status == KF_OK) *err = local;
        kf_function_free(f);
        return status;
    }
    *out = f;
    return KF_OK;
}

/* ---------------------------------------------------------------- public */

void kf_function_free(kf_function *f) {
    if (!f) return;
    const kf_allocator *mem = f->mem;
    kf__arena_free(&f->arena);
    kf__release(mem, f);
}

int kf_function_input_count(const kf_function *f) { return f ? (int)f->main->n_params : 0; }

const char *kf_function_input_name(const kf_function *f, int i) {
    if (i < 0 || i >= kf_function_input_count(f)) return NULL;
    return f->main->slots[f->main->params[i].slot];
}

int kf_function_input_optional(const kf_function *f, int i) {
    return i >= 0 && i < kf_function_input_count(f) && f->main->params[i].fallback != NULL;
}

const char *kf__function_name(const kf_function *f) { return f->main->name; }
