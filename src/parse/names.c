/* Names that aren't variables: constants, dtypes, and NumPy's, PyTorch's and SciPy's modules, whose
 * prefix may stand before whatever can be called: np.exp(x), F.relu(x), torch.float16.
 *
 * Where a module's function isn't what is meant without the prefix (torch.var divides by n - 1),
 * src/library/modules.kf has a def of its own for it. */
#include <math.h>
#include <stdio.h>

#include "parse/reader.h"

bool kf__token_is(const kf__reader *r, const kf__token *t, const char *word) {
    return strlen(word) == t->length && memcmp(kf__spelling(r, t), word, t->length) == 0;
}

bool kf__constant_named(const char *name, size_t n, kf__object *o) {
    static const struct {
        const char *name;
        double value;
    } numbers[] = {{"inf", INFINITY}, {"nan", NAN},
                   {"pi", 3.14159265358979323846}, {"e", 2.71828182845904523536}};
    for (size_t i = 0; i < KF__COUNT(numbers); i++)
        if (strlen(numbers[i].name) == n && memcmp(numbers[i].name, name, n) == 0) {
            *o = (kf__object){.kind = KF__O_FLOAT, .number = numbers[i].value};
            return true;
        }
    kf__dtype dtype;
    if (!kf__dtype_from_name(name, n, &dtype)) return false;
    *o = (kf__object){.kind = KF__O_DTYPE, .dtype = (uint8_t)dtype};
    return true;
}

bool kf__constant_name(const kf__reader *r, const kf__token *t, kf__object *o) {
    return kf__constant_named(kf__spelling(r, t), t->length, o);
}

/* ---------------------------------------------------------------- modules */

const char *const kf__family_prefix[KF__FAMILIES] = {"", "_numpy_", "_torch_", "_scipy_",
                                                     "_linalg_", "_method_"};

typedef struct module_row {
    const char *name;
    kf__family family;
    bool inside; /* of another module: torch.special */
} module_row;

static const module_row modules[] = {
    {"np", KF__NUMPY, false},         {"numpy", KF__NUMPY, false}, {"jnp", KF__NUMPY, false},
    {"math", KF__NUMPY, false},       {"torch", KF__TORCH, false}, {"F", KF__TORCH, false},
    {"nn", KF__TORCH, true},          {"scipy", KF__SCIPY, false}, {"special", KF__SCIPY, true},
    {"functional", KF__TORCH, true},  {"linalg", KF__LINALG, true}, {"stats", KF__SCIPY, true},
    {"integrate", KF__SCIPY, true},   {"random", KF__NUMPY, true}, {"fft", KF__NUMPY, true},
    {"lib", KF__NUMPY, true},         {"stride_tricks", KF__NUMPY, true},
};

static const module_row *find_module(const char *name, size_t n) {
    for (size_t i = 0; i < KF__COUNT(modules); i++)
        if (strlen(modules[i].name) == n && memcmp(modules[i].name, name, n) == 0)
            return &modules[i];
    return NULL;
}

static kf__family family_of(const char *name, size_t n) {
    const module_row *m = find_module(name, n);
    return m ? m->family : KF__OURS;
}

kf__family kf__module_family(const kf__reader *r, const kf__token *t) {
    return family_of(kf__spelling(r, t), t->length);
}

/* nn, functional, special, ...: a module inside of a module. */
static bool is_inside(const char *name, size_t n) {
    const module_row *m = find_module(name, n);
    return m && m->inside;
}

/* The family that the functions of a module have which is inside of one of that family. */
static kf__family family_inside(kf__family outer, const char *name, size_t n) {
    bool stays = outer == KF__TORCH && !(n == 6 && memcmp(name, "linalg", 6) == 0);
    return stays ? outer : family_of(name, n);
}

const char *kf__name_of_module(const char *name, char *own) {
    size_t n = strcspn(name, ".");
    kf__family family = family_of(name, n);
    kf__library_place place;
    if (family == KF__OURS || !name[n]) return NULL;
    const char *at = name + n + 1;
    for (n = strcspn(at, "."); at[n] && is_inside(at, n); n = strcspn(at, ".")) {
        family = family_inside(family, at, n);
        at += n + 1;
    }
    if (at[n] || !n || *at == '_' || n > 60) return NULL;
    int length = snprintf(own, KF__OWN_NAME, "%s%s", kf__family_prefix[family], at);
    return kf__library_find(own, (size_t)length, &place) ? own : at;
}

/* Dtypes that have such a name in a module only, where it isn't a function's too. */
static bool dtype_of_module(const kf__reader *r, const kf__token *t, kf__family family,
                            kf__object *o) {
    static const struct {
        kf__family family;
        const char *name;
        kf__dtype dtype;
    } names[] = {
        {KF__TORCH, "half", KF__F16},    {KF__TORCH, "float", KF__F32},
        {KF__TORCH, "double", KF__F64},  {KF__TORCH, "short", KF__I16},
        {KF__TORCH, "int", KF__I32},     {KF__TORCH, "long", KF__I64},
        {KF__NUMPY, "half", KF__F16},    {KF__NUMPY, "single", KF__F32},
        {KF__NUMPY, "double", KF__F64},  {KF__NUMPY, "byte", KF__I8},
        {KF__NUMPY, "ubyte", KF__U8},    {KF__NUMPY, "short", KF__I16},
        {KF__NUMPY, "intc", KF__I32},    {KF__NUMPY, "int_", KF__I64},
        {KF__NUMPY, "intp", KF__I64},    {KF__NUMPY, "bool_", KF__BOOL},
    };
    for (size_t i = 0; i < KF__COUNT(names); i++)
        if (names[i].family == family && kf__token_is(r, t, names[i].name)) {
            *o = (kf__object){.kind = KF__O_DTYPE, .dtype = (uint8_t)names[i].dtype};
            return true;
        }
    return false;
}

/* What NumPy has for square brackets behind it; NULL: that is no such name. */
static const char *said_of_brackets(const kf__reader *r, const kf__token *t) {
    static const char *const names[][2] = {
        {"r_", "concatenate() joins arrays"}, {"c_", "column_stack() joins columns"},
        {"mgrid", "meshgrid(..., indexing='ij') makes grids"},
        {"ogrid", "meshgrid(..., indexing='ij', sparse=True) makes grids"},
        {"s_", "slices stand in an array's brackets"},
        {"index_exp", "slices stand in an array's brackets"}};
    for (size_t i = 0; i < KF__COUNT(names); i++)
        if (kf__token_is(r, t, names[i][0])) return names[i][1];
    return NULL;
}

/* Dtypes that NumPy and PyTorch have and kfuse hasn't. */
static bool is_other_dtype(const kf__reader *r, const kf__token *t) {
    static const char *const names[] = {
        "uint16", "uint32", "uint64", "uint", "ushort", "uintc", "ulong", "complex", "complex64",
        "complex128", "complex32", "cfloat", "cdouble", "chalf", "float128", "longdouble",
        "longlong", "qint8", "quint8", "qint32", "object_", "str_", "void", "datetime64"};
    for (size_t i = 0; i < KF__COUNT(names); i++)
        if (kf__token_is(r, t, names[i])) return true;
    return false;
}

/* np.add.reduce(x): a call of the name "add.reduce". */
static kf__ast *read_ufunc_method(kf__reader *r, const kf__token *ufunc) {
    static const char *const methods[] = {"reduce", "accumulate", "outer", "reduceat", "at"};
    kf__take(r);
    kf__token t = r->token, name = *ufunc;
    if (!kf__expect(r, KF__T_NAME, "after `.`")) return NULL;
    size_t which = 0;
    while (which < KF__COUNT(methods) && !kf__token_is(r, &t, methods[which])) which++;
    if (which >= 3 && which < KF__COUNT(methods))
        return kf__reader_fail(r, KF_ERR_UNSUPPORTED, t.at, "np.%.*s.%s isn't supported; "
                               "index_add() adds at indices", (int)ufunc->length,
                               kf__spelling(r, ufunc), methods[which]);
    if (which == KF__COUNT(methods) || r->token.kind != KF__T_OPEN)
        return kf__reader_fail(r, KF_ERR_NAME, ufunc->at,
                               "there is no np.%.*s.%.*s here; `kfuse ops` lists what can be "
                               "called",
                               (int)ufunc->length, kf__spelling(r, ufunc), (int)t.length,
                               kf__spelling(r, &t));
    char own[KF__OWN_NAME];
    kf__library_place place;
    int length = snprintf(own, sizeof own, "%s%.*s_%.*s", kf__family_prefix[KF__NUMPY],
                          (int)kf__min(ufunc->length, 30u), kf__spelling(r, ufunc), (int)t.length,
                          kf__spelling(r, &t));
    if (!kf__library_find(own, (size_t)length, &place))
        return kf__reader_fail(r, KF_ERR_UNSUPPORTED, ufunc->at, "np.%.*s.%s isn't supported%s",
                               (int)ufunc->length, kf__spelling(r, ufunc), methods[which],
                               which == 2 ? "" : ": add, multiply, maximum, minimum and a few "
                                                 "more have it");
    name.length = t.at + t.length - name.at;
    return kf__read_call(r, &name, KF__NUMPY);
}

/* module := NAME {"." NAME} "."        before the name of a call, a constant or a dtype */
kf__ast *kf__read_of_module(kf__reader *r, const kf__token *module, kf__family family) {
    for (;;) {
        kf__take(r);
        kf__token t = r->token;
        if (!kf__expect(r, KF__T_NAME, "after `.`")) return NULL;
        if (r->token.kind == KF__T_OPEN) return kf__read_call(r, &t, family);
        if (r->token.kind == KF__T_DOT && is_inside(kf__spelling(r, &t), t.length)) {
            family = family_inside(family, kf__spelling(r, &t), t.length);
            continue;
        }
        if (family == KF__NUMPY && r->token.kind == KF__T_DOT)
            return read_ufunc_method(r, &t);
        kf__object o = {.kind = KF__O_NONE};
        if (kf__token_is(r, &t, "newaxis") || dtype_of_module(r, &t, family, &o) ||
            kf__constant_name(r, &t, &o))
            return kf__literal(r, t.at, o);
        if (is_other_dtype(r, &t))
            return kf__reader_fail(r, KF_ERR_TYPE, t.at,
                                   "there is no dtype `%.*s` here: there are bool, uint8, int8 to "
                                   "int64, float16 to float64, bfloat16 and two float8",
                                   (int)t.length, kf__spelling(r, &t));
        const char *instead = said_of_brackets(r, &t);
        if (instead && family == KF__NUMPY)
            return kf__reader_fail(r, KF_ERR_UNSUPPORTED, t.at, "%.*s isn't supported; %s",
                                   (int)t.length, kf__spelling(r, &t), instead);
        return kf__reader_fail(r, KF_ERR_NAME, t.at,
                               "`%.*s` is read as the module of that name, of which calls, "
                               "constants and dtypes are known; `%.*s` is no constant or dtype",
                               (int)module->length, kf__spelling(r, module), (int)t.length,
                               kf__spelling(r, &t));
    }
}
