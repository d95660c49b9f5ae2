/* Numbers and strings, as they are written in a text. */
#include "parse/reader.h"

kf__ast *kf__literal(kf__reader *r, uint32_t at, kf__object object) {
    kf__ast *node = kf__ast_new(r, KF__A_LITERAL, at);
    if (node) node->literal = object;
    return node;
}

/* number := decimal or 0x, 0b, 0o integer | decimal float; single `_` between digits */
kf__ast *kf__read_number(kf__reader *r) {
    kf__token t = r->token;
    char digits[400];
    size_t n = 0;
    for (uint32_t i = 0; i < t.length; i++) {
        char c = kf__spelling(r, &t)[i];
        if (c == '_') continue;
        if (n == sizeof digits - 1)
            return kf__reader_fail(r, KF_ERR_LIMIT, t.at, "this number has too many digits");
        digits[n++] = c;
    }
    kf__object o = {.kind = KF__O_FLOAT};
    if (t.kind == KF__T_FLOAT) {
        if (!kf__parse_double(digits, n, &o.number))
            return kf__reader_fail(r, KF_ERR_SYNTAX, t.at, "this isn't a number");
    } else {
        o.kind = KF__O_INT;
        int base = n > 2 && digits[0] == '0' ? (digits[1] | 32) == 'x'   ? 16
                                               : (digits[1] | 32) == 'b' ? 2
                                               : (digits[1] | 32) == 'o' ? 8
                                                                         : 10
                                             : 10;
        if (n == 2 && digits[0] == '0' && strchr("xXbBoO", digits[1]))
            return kf__reader_fail(r, KF_ERR_SYNTAX, t.at, "`%.2s` needs digits behind it", digits);
        bool fits = base == 10 && kf__parse_int(digits, n, &o.integer);
        for (size_t i = 2; base != 10 && i < n; i++) {
            int c = digits[i] <= '9' ? digits[i] - '0' : (digits[i] | 32) - 'a' + 10;
            if (c >= base)
                return kf__reader_fail(r, KF_ERR_SYNTAX, t.at, "`%c` isn't a digit of base %d",
                                       digits[i], base);
            fits = kf__mul_ok(o.integer, base, &o.integer) &&
                   kf__add_ok(o.integer, c, &o.integer) && (i == 2 || fits);
        }
        if (!fits)
            return kf__reader_fail(r, KF_ERR_LIMIT, t.at,
                                   "this integer doesn't fit in 64 bits; write it as a float, "
                                   "with a point");
    }
    kf__take(r);
    return kf__literal(r, t.at, o);
}

kf__ast *kf__read_string(kf__reader *r) {
    kf__token t = r->token;
    const char *text = kf__spelling(r, &t);
    uint32_t marks = t.length >= 6 && text[1] == text[0] && text[2] == text[0] ? 3 : 1;
    kf__object o = {.kind = KF__O_STRING, .n = t.length - 2 * marks, .text = text + marks};
    kf__take(r);
    return kf__literal(r, t.at, o);
}
