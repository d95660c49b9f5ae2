/* The arguments of a call are bound to the parameters of what is called, under NumPy's and
 * PyTorch's names too. */
#include "parse/evaluate.h"

void kf__read_signature(const kf__builtin *b, kf__signature *s) {
    *s = (kf__signature){.name = b->name};
    s->rest = KF__MAX_PARAMETERS;
    for (const char *at = b->signature; *at && s->n < KF__MAX_PARAMETERS;) {
        if (*at == '*') s->rest = s->n, at++;
        uint32_t n = (uint32_t)strcspn(at, "=,");
        s->word[s->n] = at;
        s->length[s->n] = n;
        s->optional[s->n++] = at[n] == '=';
        at += strcspn(at, ",");
        at += strspn(at, ", ");
    }
}

static const char *parameter(const kf__signature *s, uint32_t i, uint32_t *n) {
    if (!s->def) {
        *n = s->length[i];
        return s->word[i];
    }
    *n = s->def->params[i].name_n;
    return s->def->module->text + s->def->params[i].name;
}

static uint32_t place_of(const kf__signature *s, uint32_t i) {
    return s->def ? s->def->params[i].slot : i;
}

uint32_t kf__find_parameter(const kf__signature *s, const char *name, uint32_t length) {
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t n;
        const char *word = parameter(s, i, &n);
        if (n == length && memcmp(word, name, n) == 0) return i;
    }
    return UINT32_MAX;
}

/* Not a def of the text. */
static bool is_known(const kf__signature *s) { return !s->def || s->def->library; }

/* atan2(y, x): its first parameter is what elsewhere is the second's other name. */
static bool is_turned(const kf__signature *s, const char *name, uint32_t length) {
    return !s->def && strcmp(s->name, "atan2") == 0 && length == 1 &&
           (*name == 'x' || *name == 'y');
}

/* Other names of the same parameters: PyTorch's, and NumPy's. A def of the text has its own only. */
static uint32_t find_alias(const kf__signature *s, const char *name, uint32_t length) {
    static const struct {
        const char *other, *ours;
    } aliases[] = {
        {"dim", "axis"}, {"dims", "axis"}, {"dims", "axes"}, {"axes", "axis"}, {"axis", "axes"},
        {"dimension", "axis"}, {"keepdim", "keepdims"}, {"dim0", "axis0"}, {"dim1", "axis1"},
        {"dim0", "axes"}, {"start_dim", "start"}, {"end_dim", "end"},
        {"input", "x"}, {"input", "a"}, {"other", "b"}, {"x1", "a"}, {"x2", "b"}, {"a", "x"},
        {"self", "x"}, {"exponent", "b"}, {"other", "y"}, {"x1", "x"}, {"x2", "y"},
        {"a_min", "lo"}, {"a_max", "hi"}, {"min", "lo"}, {"max", "hi"}, {"min_val", "lo"},
        {"max_val", "hi"}, {"unbiased", "correction"}, {"ddof", "correction"},
        {"newshape", "shape"}, {"size", "shape"}, {"fill_value", "value"}, {"num_groups", "groups"},
        {"tensors", "arrays"}, {"pad_width", "widths"}, {"constant_values", "value"},
        {"indices_or_sections", "sections"}, {"split_size_or_sections", "sizes"},
        {"split_size", "sizes"}, {"shifts", "shift"}, {"index", "indices"}, {"axis2", "axis0"},
        {"dims", "reps"}, {"diagonal", "k"}, {"end", "stop"},
        {"steps", "num"}, {"vec2", "b"}, {"upscale_factor", "r"}, {"downscale_factor", "r"},
        {"tensor1", "a"}, {"tensor2", "b"}, {"p", "ord"}, {"ord", "p"}, {"input1", "a"},
        {"input2", "b"}, {"tensor", "indices"}, {"tensor", "x"}, {"array", "x"}, {"arr", "x"},
        {"tup", "arrays"}, {"repeats", "reps"}, {"labels", "target"}, {"logits", "x"},
        {"A", "x"}, {"m", "x"}, {"ary", "x"}, {"N", "n"}, {"M", "m"}, {"x2", "values"},
        {"element", "x"}, {"elements", "x"}, {"test_elements", "test"}, {"moment", "order"},
        {"input", "indices"}, {"input", "start"}, {"offset", "k"}, {"window_length", "n"},
        {"other", "q"}, {"other", "n"}, {"x", "a"}, {"y", "b"}, {"src", "y"}, {"input", "p"},
        {"indices", "sections"}, {"split_size_or_sections", "sections"}, {"y", "other"},
        {"a1", "a"}, {"a2", "b"}, {"z", "x"}, {"v", "x"}, {"f", "x"}, {"val", "value"},
        {"val", "x"},
        {"object", "x"}, {"values", "y"}, {"values", "x"}, {"M", "n"}, {"condlist", "conditions"},
        {"choicelist", "values"}, {"ind", "indices"}, {"tensor", "b"},
        {"axis1", "dim1"}, {"axis2", "dim2"}, {"funclist", "values"},
    };
    if (!is_known(s)) return UINT32_MAX;
    if (is_turned(s, name, length)) return *name == 'x';
    for (size_t i = 0; i < KF__COUNT(aliases); i++) {
        if (strlen(aliases[i].other) != length || memcmp(aliases[i].other, name, length) != 0)
            continue;
        uint32_t found = kf__find_parameter(s, aliases[i].ours, (uint32_t)strlen(aliases[i].ours));
        if (found != UINT32_MAX) return found;
    }
    return UINT32_MAX;
}

int kf__input_named(const kf_function *f, const char *name, size_t n) {
    kf__signature s = {.name = f->main->name, .def = f->main, .n = f->main->n_params};
    uint32_t i = kf__find_parameter(&s, name, (uint32_t)n);
    if (i == UINT32_MAX) i = find_alias(&s, name, (uint32_t)n);
    return i == UINT32_MAX ? -1 : (int)i;
}

const char *kf__input_example(const kf_function *f, int i) {
    const kf__param *p = &f->main->params[i];
    const char *name = f->main->slots[p->slot];
    if (p->annotation.present)
        switch ((kf__annotated)p->annotation.kind) {
        case KF__ANNOTATED_TUPLE: return "'(3, 4)'";
        case KF__ANNOTATED_INT: return "3";
        case KF__ANNOTATED_FLOAT: return "0.5";
        case KF__ANNOTATED_STRING: return "word";
        default: return NULL;
        }
    if (!f->main->library) return NULL;
    return strcmp(name, "dtype") == 0 ? "f16" : strcmp(name, "shape") == 0 ? "'(3, 4)'"
           : strcmp(name, "axis") == 0 ? "0" : NULL;
}

static bool unknown_keyword(kf__evaluator *ev, const kf__signature *s, const char *name,
                            uint32_t n) {
    char copy[KF__MAX_PARAMETERS * 2][32];
    const char *words[KF__COUNT(copy)];
    uint32_t count = s->n < KF__COUNT(copy) ? s->n : (uint32_t)KF__COUNT(copy);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length;
        const char *word = parameter(s, i, &length);
        length = length > 31 ? 31 : length;
        memcpy(copy[i], word, length);
        copy[i][length] = 0;
        words[i] = copy[i];
    }
    const char *near = kf__nearest(name, n, words, count);
    if (is_known(s) && n == 6 && memcmp(name, "device", 6) == 0)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%s() has no parameter `device`: everything is "
                                                  "where the inputs are; leave it out", s->name);
    return kf__eval_fail(ev, KF_ERR_ARGUMENT,
                         near ? "%s() has no parameter `%.*s`; did you mean `%s`?"
                              : "%s() has no parameter `%.*s`",
                         s->name, (int)n, name, near);
}

static bool too_many(kf__evaluator *ev, const kf__signature *s) {
    return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%s() takes %u argument%s at most", s->name, s->n,
                         s->n == 1 ? "" : "s");
}

/* Several arguments of a composite that are arrays may be lists: ix_([0, 2], [1, 3]). */
static bool takes_lists(const kf__signature *s) {
    uint32_t n;
    const char *word = parameter(s, s->rest, &n);
    return s->def && s->def->library && !(n == 5 && memcmp(word, "shape", 5) == 0);
}

/* zeros(2, 3) is zeros((2, 3)): a further argument by position joins the one that is there. A
 * dtype, or a string, goes to the parameter behind. */
static bool join_rest(kf__evaluator *ev, const kf__signature *s, const kf__object *o,
                      kf__object *to) {
    kf__object *rest = &to[place_of(s, s->rest)], pair = {.kind = KF__O_TUPLE};
    kf__object *behind = s->rest + 1 < s->n ? &to[place_of(s, s->rest + 1)] : NULL;
    bool apart = o->kind == KF__O_DTYPE || o->kind == KF__O_STRING;
    if (apart && behind && behind->kind == KF__O_UNSET) {
        *behind = *o;
        return true;
    }
    bool joined = rest->kind == KF__O_TUPLE && rest->joined;
    uint32_t length;
    const char *word = parameter(s, s->rest, &length);
    if (!takes_lists(s) && ((rest->kind == KF__O_TUPLE && !joined) || o->kind == KF__O_TUPLE))
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "`%.*s` of %s() is one tuple, or numbers one "
                                                  "after another", (int)length, word, s->name);
    kf__object left = *rest;
    if (!joined && !kf__tuple(ev, &left, 1, &left)) return false;
    if (!kf__tuple(ev, o, 1, &pair) || !kf__binary(ev, KF__T_PLUS, &left, &pair, rest))
        return false;
    rest->joined = true;
    return true;
}

static bool put(kf__evaluator *ev, const kf__signature *s, uint32_t at, const kf__object *value,
                kf__object *to) {
    uint32_t length;
    const char *word = parameter(s, at, &length);
    if (to[place_of(s, at)].kind != KF__O_UNSET)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "`%.*s` of %s() is given twice", (int)length,
                             word, s->name);
    to[place_of(s, at)] = *value;
    return true;
}

/* Values never change, so there is nothing to copy, and there are no gradients. */
static bool means_nothing(const char *name, uint32_t n) {
    static const char *const names[] = {"inplace", "copy", "non_blocking", "_stacklevel",
                                        "sparse_grad", "order", "subok", "requires_grad",
                                        "casting"};
    return kf__index_of(names, KF__COUNT(names), name, n) < KF__COUNT(names);
}

/* order='F' is how a result lies in memory; other orders are how often, or of which norm. */
static bool is_other_order(const char *name, uint32_t n, const kf__object *value) {
    bool layout = value->kind == KF__O_NONE || (value->kind == KF__O_STRING && value->n == 1 &&
                                                strchr("CFAK", *value->text) != NULL);
    return n == 5 && memcmp(name, "order", 5) == 0 && !layout;
}

/* torch.sum(x, dim=()) is over all axes, np.sum(x, axis=()) over none. */
static bool is_no_dim(const char *name, uint32_t n, const kf__object *value) {
    return n == 3 && memcmp(name, "dim", 3) == 0 && value->kind == KF__O_TUPLE && value->n == 0;
}

static bool bind_keyword(kf__evaluator *ev, const kf__signature *s, const kf__part *part,
                         kf__object *to) {
    const char *name = ev->def->module->text + part->name;
    kf__object value;
    uint32_t at = kf__find_parameter(s, name, part->name_n);
    if (at == UINT32_MAX) at = find_alias(s, name, part->name_n);
    bool ignored = at == UINT32_MAX && is_known(s) && means_nothing(name, part->name_n);
    if (at == UINT32_MAX && !ignored) return unknown_keyword(ev, s, name, part->name_n);
    if (!kf__evaluate(ev, part->node, &value)) return false;
    ev->at = part->at;
    if (ignored && is_other_order(name, part->name_n, &value))
        return unknown_keyword(ev, s, name, part->name_n);
    if (is_known(s) && is_no_dim(name, part->name_n, &value))
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "dim=() is all axes in PyTorch: leave it out, or "
                                                  "say axis=() for none");
    return ignored || put(ev, s, at, &value, to);
}

/* A parameter of the library that is annotated as a tuple and has a default: what isn't a tuple is
 * for the one behind it. layer_norm(x, (n,), w) and layer_norm(x, w). */
static bool skips(const kf__signature *s, uint32_t at, const kf__object *value) {
    const kf__param *p = s->def && s->def->library ? &s->def->params[at] : NULL;
    return p && p->fallback && p->annotation.present &&
           p->annotation.kind == KF__ANNOTATED_TUPLE && value->kind != KF__O_TUPLE &&
           value->kind != KF__O_NONE;
}

/* np.sum(x, 0, np.float64), np.var(x, 0, np.float64): NumPy has the dtype where keepdims or the
 * correction stands here. */
static uint32_t for_dtype(const kf__signature *s, uint32_t at) {
    uint32_t dtype = kf__find_parameter(s, "dtype", 5);
    bool theirs = at == kf__find_parameter(s, "keepdims", 8) ||
                  at == kf__find_parameter(s, "correction", 10);
    return theirs && dtype != UINT32_MAX ? dtype : at;
}

/* np.sum(x, 0, None, None, True): NumPy has dtype and out here. */
static bool is_moved(const kf__signature *s, uint32_t at, const kf__object *to) {
    uint32_t before = at - 1, keepdims = kf__find_parameter(s, "keepdims", 8);
    bool moved = before == keepdims || before == kf__find_parameter(s, "correction", 10);
    return at > 1 && moved && kf__find_parameter(s, "axis", 4) < before &&
           to[place_of(s, before)].kind == KF__O_NONE;
}

/* *position: which parameter is next */
static bool bind_value(kf__evaluator *ev, const kf__signature *s, const kf__object *value,
                       uint32_t *position, kf__object *to) {
    if (*position >= s->n && s->rest >= s->n) return too_many(ev, s);
    uint32_t at = (*position)++;
    if (at > s->rest) {
        const kf__object *rest = &to[place_of(s, s->rest)];
        bool one = rest->kind == KF__O_TUPLE && !rest->joined && /* then `at` is the one behind */
                   !(takes_lists(s) && value->kind == KF__O_ARRAY);
        if (!one || value->kind == KF__O_TUPLE || at >= s->n)
            return join_rest(ev, s, value, to);
    }
    while (at + 1 < s->n && skips(s, at, value)) at = (*position)++;
    if (value->kind == KF__O_DTYPE && is_known(s)) at = for_dtype(s, at);
    if (is_known(s) && !ev->def->library && is_moved(s, at, to))
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%s() has other parameters by position than in "
                             "NumPy, where the None before is dtype or out: name what follows, "
                             "keepdims=True", s->name);
    return put(ev, s, at, value, to);
}

static bool bind_position(kf__evaluator *ev, const kf__signature *s, const kf__part *part,
                          uint32_t *position, kf__object *to) {
    kf__object value;
    const kf__object *items;
    uint32_t n;
    if (*position >= s->n && s->rest >= s->n && part->node->kind != KF__A_STAR)
        return too_many(ev, s);
    if (!kf__evaluate_items(ev, part->node, &value, &items, &n)) return false;
    ev->at = part->at;
    for (uint32_t i = 0; i < n; i++)
        if (!bind_value(ev, s, &items[i], position, to)) return false;
    return true;
}

/* Behind torch `axis` of what reduces: of a number 0 and -1 are all there is, and no axis at all
 * isn't what it is in NumPy. max and min of a number have places to give, too. */
static bool torch_axis(kf__evaluator *ev, const kf__signature *s, kf__object *to) {
    uint32_t at = kf__find_parameter(s, "axis", 4);
    const kf__object *x = &to[place_of(s, 0)];
    if (at == UINT32_MAX || kf__find_parameter(s, "keepdims", 8) == UINT32_MAX) return true;
    kf__object *axis = &to[place_of(s, at)];
    const kf__object *only = axis->kind == KF__O_TUPLE && axis->n == 1 ? axis->items : axis;
    if (axis->kind == KF__O_TUPLE && axis->n == 0)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT,
                             "an empty dim is all axes in PyTorch: leave it out");
    bool number = x->kind == KF__O_ARRAY && kf__at(ev->g, x->ref)->rank == 0;
    bool pair = s->def && (strcmp(s->name, "max") == 0 || strcmp(s->name, "min") == 0);
    if (number && !pair && only->kind == KF__O_INT && (only->integer == 0 || only->integer == -1))
        *axis = (kf__object){.kind = KF__O_NONE};
    return true;
}

bool kf__bind_arguments(kf__evaluator *ev, const kf__signature *s, const kf__ast *node,
                        kf__object *to) {
    bool keywords = false;
    uint32_t position = 0;
    for (uint32_t i = 0; i < node->n; i++) {
        const kf__part *part = &node->part[i];
        keywords |= part->name_n != 0;
        ev->at = part->at;
        if (keywords && !part->name_n)
            return kf__eval_fail(ev, KF_ERR_SYNTAX, "an argument without a name can't follow "
                                                    "one with a name");
        if (!(part->name_n ? bind_keyword(ev, s, part, to)
                           : bind_position(ev, s, part, &position, to)))
            return false;
    }
    ev->at = node->at;
    for (uint32_t i = 0; i < s->n; i++) {
        bool optional = s->def ? s->def->params[i].fallback != NULL : s->optional[i];
        uint32_t length;
        const char *word = parameter(s, i, &length);
        if (to[place_of(s, i)].kind == KF__O_UNSET && !optional && i == 1 && !s->def &&
            strcmp(s->name, "where") == 0)
            return kf__eval_fail(ev, KF_ERR_ARGUMENT, "where() of a condition alone gives indices, "
                                 "how many depends on values: where(condition, x, y) is there");
        if (to[place_of(s, i)].kind == KF__O_UNSET && !optional)
            return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%s() needs an argument for `%.*s`", s->name,
                                 (int)length, word);
    }
    return node->family != KF__TORCH || !is_known(s) || torch_axis(ev, s, to);
}
