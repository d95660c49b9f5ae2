/* loop IR -> C or CUDA C: one walker over statements and expressions; the dialect's record spells
 * what differs. Parentheses stand where a reader would have to think of precedence; numbers that
 * short decimals can't say exactly are hexadecimal. */
#include "emit/emit.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "emit/dialect.h"

/* ---------------------------------------------------------------- expressions */

static void print_expr(kf__text *out, const kf__dialect *d, const kf__lx *x, bool nested);

/* How many decimals say a number exactly, as 2.0, -0.5 and 127.0 do. 0: that needs too many. */
static int decimals(double number) {
    double scaled = number * 64; /* a multiple of 1/64 has at most six */
    if (!(fabs(number) < 1e7) || scaled != floor(scaled)) return 0;
    int n = 1;
    for (scaled = number * 10; scaled != floor(scaled); scaled *= 10) ++n;
    return n;
}

/* "1e-05", for the comment behind a hexadecimal number. */
static void print_about(kf__text *out, kf__dtype type, double number) {
    char text[40];
    for (int digits = 3; digits <= 17; ++digits) {
        double back = 0;
        kf__text about;
        kf__text_init(&about, out->mem);
        kf__print(&about, "%.*g", digits, number);
        bool same = about.at && kf__parse_double(about.at, about.n, &back) &&
                    (type == KF__F32 ? (float)back == (float)number : back == number);
        if (same) snprintf(text, sizeof text, "%s", about.at);
        kf__text_free(&about);
        if (!same) continue;
        kf__print(out, " /* %s */", text);
        return;
    }
}

static void print_float(kf__text *out, kf__dtype type, double number, bool nested) {
    const char *suffix = kf__types[type].alias, *end = type == KF__F32 ? "f" : "";
    if (type == KF__F32) number = (double)(float)number;
    nested = nested && signbit(number) && !isnan(number);
    if (nested) kf__print(out, "(");
    if (isnan(number))
        kf__print(out, "kf_nan_%s", suffix);
    else if (isinf(number))
        kf__print(out, "%skf_inf_%s", number < 0 ? "-" : "", suffix);
    else if (decimals(number))
        kf__print(out, "%.*f%s", decimals(number), number, end);
    else {
        kf__print_hexfloat(out, number);
        kf__print(out, "%s", end);
        print_about(out, type, number);
    }
    if (nested) kf__print(out, ")");
}

static void print_int(kf__text *out, int64_t value, bool nested) {
    if (value == INT64_MIN)
        kf__print(out, "(-9223372036854775807 - 1)");
    else
        kf__print(out, value < 0 && nested ? "(%lld)" : "%lld", (long long)value);
}

/* ---------------------------------------------------------------- templates */

/* The word at c: its length. */
static size_t word(const char *c) {
    size_t n = 0;
    while (isalnum((unsigned char)c[n]) || c[n] == '_') ++n;
    return n;
}

/* Is a template one name or one call, so that it needs no parentheses? */
static bool is_atomic(const char *code) {
    size_t n = word(code);
    if (!n || !code[n]) return n > 0;
    if (code[n] != '(') return false;
    int depth = 0;
    for (const char *c = code + n; *c; ++c) {
        depth += (*c == '(') - (*c == ')');
        if (!depth) return !c[1];
    }
    return false;
}

/* A name or template with its formals replaced, _T by the suffix of the type that is computed with,
 * _S by that of the type. */
static void print_code(kf__text *out, const kf__dialect *d, const kf__lx *x) {
    char before = 0; /* what was last printed but spaces */
    for (const char *c = x->name; *c;) {
        size_t n = word(c);
        if (!n) {
            if (*c != ' ') before = *c;
            kf__print_bytes(out, c++, 1);
            continue;
        }
        const char *formal = x->formals ? x->formals : "";
        int found = -1;
        for (int i = 0; *formal && i < x->n_args; ++i) {
            size_t length = strcspn(formal, " ");
            if (length == n && !memcmp(formal, c, n)) found = i;
            formal += length + (formal[length] == ' ');
        }
        bool argument = (before == '(' || before == ',') && (c[n] == ')' || c[n] == ',');
        if (found >= 0)
            print_expr(out, d, x->args[found], !argument);
        else if (n > 2 && (c[n - 1] == 'T' || c[n - 1] == 'S') && c[n - 2] == '_') {
            kf__dtype type = (kf__dtype)x->type;
            kf__print_bytes(out, c, n - 1);
            kf__print(out, "%s", kf__types[c[n - 1] == 'S' ? type : kf__compute(type)].alias);
        } else
            kf__print_bytes(out, c, n);
        before = 'a';
        c += n;
    }
}

/* ---------------------------------------------------------------- operators */

/* How tightly an operator binds; those of 0 always get parentheses. */
static int binding(const kf__lx *x) {
    static const char *const levels[] = {"&&", "<", "<=", ">", ">=", "==", "+", "-", "*", "/", "%"};
    static const uint8_t binds[] = {1, 2, 2, 2, 2, 2, 3, 3, 4, 4, 4};
    if (x->kind != KF__L_BINARY) return 0;
    for (size_t i = 0; i < KF__COUNT(levels); ++i)
        if (!strcmp(x->name, levels[i])) return binds[i];
    return 0;
}

/* Operand `side` of x: a * b + c and i < n - 1 need no parentheses, nor does a + b + c. */
static void print_operand(kf__text *out, const kf__dialect *d, const kf__lx *x, int side) {
    const kf__lx *y = x->args[side];
    int inner = binding(y), outer = binding(x);
    bool chain = side == 0 && inner == outer &&
                 (outer == 3 || (!strcmp(x->name, "*") && !strcmp(y->name, "*")));
    print_expr(out, d, y, !(inner && outer && (inner > outer || chain)));
}

static void print_select(kf__text *out, const kf__dialect *d, const kf__lx *x) {
    print_expr(out, d, x->args[0], !binding(x->args[0]));
    kf__print(out, " ? ");
    print_expr(out, d, x->args[1], true);
    kf__print(out, " : ");
    print_expr(out, d, x->args[2], true);
}

static void print_expr(kf__text *out, const kf__dialect *d, const kf__lx *x, bool nested) {
    bool brackets = nested && (x->kind == KF__L_BINARY || x->kind == KF__L_SELECT ||
                               (x->kind == KF__L_CODE && !is_atomic(x->name)));
    if (brackets) kf__print(out, "(");
    switch ((kf__lx_kind)x->kind) {
    case KF__L_VAR: kf__print(out, "%s", x->name); break;
    case KF__L_INT: print_int(out, x->integer, nested); break;
    case KF__L_FLOAT:
        print_float(out, kf__compute((kf__dtype)x->type), x->number, nested);
        break;
    case KF__L_PARAM: kf__print(out, "%s%s", d->field, x->name); break;
    case KF__L_BINARY:
        print_operand(out, d, x, 0);
        kf__print(out, " %s ", x->name);
        print_operand(out, d, x, 1);
        break;
    case KF__L_CALL:
        print_code(out, d, x);
        kf__print(out, "(");
        for (int i = 0; i < x->n_args; ++i) {
            if (i) kf__print(out, ", ");
            print_expr(out, d, x->args[i], false);
        }
        kf__print(out, ")");
        break;
    case KF__L_ITEM:
        kf__print(out, "%s[", x->name);
        print_expr(out, d, x->args[0], false);
        kf__print(out, "]");
        break;
    case KF__L_CODE: print_code(out, d, x); break;
    case KF__L_SELECT: print_select(out, d, x); break;
    }
    if (brackets) kf__print(out, ")");
}

/* ---------------------------------------------------------------- statements */

static void print_body(kf__text *out, const kf__dialect *d, const kf__ls *s, int depth);

static void indent(kf__text *out, int depth) { kf__print(out, "%*s", 4 * depth, ""); }

static void print_let(kf__text *out, const kf__dialect *d, const kf__ls *s) {
    bool pointer = strchr(s->ctype, '*') != NULL;
    if (pointer)
        kf__print(out, "%s%s = ", s->ctype, s->name);
    else
        kf__print(out, "const %s %s = ", s->ctype, s->name);
    print_expr(out, d, s->value, false);
    kf__print(out, ";");
    if (s->comment) kf__print(out, "  // %s", s->comment);
    kf__print(out, "\n");
}

static void print_for(kf__text *out, const kf__dialect *d, const kf__ls *s, int depth) {
    if (s->kind == KF__S_HALVE) {
        kf__print(out, "for (int %s = ", s->name);
        print_expr(out, d, s->from, false);
        kf__print(out, "; %s > 0; %s /= 2) {\n", s->name, s->name);
    } else {
        kf__print(out, "for (%s %s = ", s->ctype, s->name);
        print_expr(out, d, s->from, false);
        kf__print(out, "; %s < ", s->name);
        print_expr(out, d, s->to, binding(s->to) < 3);
        if (s->step->kind == KF__L_INT && s->step->integer == 1)
            kf__print(out, "; ++%s) {\n", s->name);
        else {
            kf__print(out, "; %s += ", s->name);
            print_expr(out, d, s->step, false);
            kf__print(out, ") {\n");
        }
    }
    print_body(out, d, s->body, depth + 1);
    indent(out, depth);
    kf__print(out, "}\n");
}

static void print_statement(kf__text *out, const kf__dialect *d, const kf__ls *s, int depth) {
    const char *pragma = s->kind != KF__S_FOR       ? ""
                         : s->bind == KF__SIMD      ? d->simd
                         : s->bind == KF__UNROLL    ? d->unroll
                                                    : "";
    if (*pragma) {
        indent(out, depth);
        kf__print(out, "%s", pragma);
    }
    indent(out, depth);
    switch ((kf__ls_kind)s->kind) {
    case KF__S_COMMENT: kf__print(out, "// %s\n", s->comment); break;
    case KF__S_LET: print_let(out, d, s); break;
    case KF__S_VAR:
        kf__print(out, strchr(s->ctype, '*') ? "%s%s" : "%s %s", s->ctype, s->name);
        if (s->count) kf__print(out, "[%lld]", (long long)s->count);
        if (s->value) {
            kf__print(out, " = ");
            print_expr(out, d, s->value, false);
        }
        kf__print(out, ";\n");
        break;
    case KF__S_SET:
        print_expr(out, d, s->target, false);
        kf__print(out, " = ");
        print_expr(out, d, s->value, false);
        kf__print(out, ";\n");
        break;
    case KF__S_CALL:
        print_expr(out, d, s->value, false);
        kf__print(out, ";\n");
        break;
    case KF__S_FOR:
    case KF__S_HALVE: print_for(out, d, s, depth); break;
    case KF__S_IF:
        kf__print(out, "if (");
        print_expr(out, d, s->value, false);
        kf__print(out, ") {\n");
        print_body(out, d, s->body, depth + 1);
        indent(out, depth);
        if (s->other) {
            kf__print(out, "} else {\n");
            print_body(out, d, s->other, depth + 1);
            indent(out, depth);
        }
        kf__print(out, "}\n");
        break;
    case KF__S_SHARED:
        kf__print(out, "KF_SHARED(%s, %s, %lld);\n", s->ctype, s->name, (long long)s->count);
        break;
    case KF__S_BLOCK:
        kf__print(out, "{\n");
        print_body(out, d, s->body, depth + 1);
        indent(out, depth);
        kf__print(out, "}\n");
        break;
    }
}

static void print_body(kf__text *out, const kf__dialect *d, const kf__ls *s, int depth) {
    for (; s; s = s->next) print_statement(out, d, s, depth);
}

/* ---------------------------------------------------------------- functions */

static void print_doc(kf__text *out, const char *doc) {
    kf__print(out, "/* ");
    for (const char *c = doc; *c; ++c) {
        if (*c == '\n')
            kf__print(out, "\n * ");
        else if (!(c[0] == '*' && c[1] == '/'))
            kf__print_bytes(out, c, 1);
    }
    kf__print(out, " */\n");
}

static void print_frame(kf__text *out, const char *frame, const kf__loop_fn *fn) {
    for (; *frame; ++frame) {
        if (*frame == '$')
            kf__print(out, "%s", fn->name);
        else if (*frame == '#')
            kf__print(out, "%d", fn->threads);
        else
            kf__print_bytes(out, frame, 1);
    }
}

static void print_function(kf__text *out, const kf__dialect *d, const kf__loop_fn *fn) {
    kf__print(out, "\ntypedef struct {\n");
    for (uint32_t w = 0; w < fn->n_words; ++w) {
        const char *ctype = fn->words[w].ctype;
        bool pointer = ctype[strlen(ctype) - 1] == '*';
        kf__print(out, "    %s%s%s;\n", ctype, pointer ? "" : " ", fn->words[w].name);
    }
    if (!fn->n_words) kf__print(out, "    int64_t none;\n");
    kf__print(out, "} %s_args;\n\n", fn->name);
    print_doc(out, fn->doc);
    if (fn->jumps) kf__print(out, "KF_JUMPS ");
    print_frame(out, d->open, fn);
    print_body(out, d, fn->body, 1);
    kf__print(out, "}\n");
    print_frame(out, d->close, fn);
}

kf_status kf__emit(const kf__lowered *lowered, const kf__target *target, kf__text *out,
                   kf_error *err) {
    const kf__dialect *d = &kf__dialects[target->kind];
    for (uint32_t i = 0; i < lowered->n_fns; ++i) print_function(out, d, &lowered->fns[i]);
    return out->failed ? kf__out_of_memory(err) : KF_OK;
}
