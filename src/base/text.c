/* Text: a growing string, and numbers read and written the same way in every locale.
 *
 * printf and strtod follow the locale of the program that loaded us ("1,5" in German), and
 * generated source, JSON and messages must not. So each call runs under the thread's C locale; on
 * glibc and musl newlocale("C") is a static object, and this costs no allocation. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

#ifdef __APPLE__
#include <xlocale.h>
#endif

/* ---------------------------------------------------------------- under the C locale */

typedef struct c_locale {
    locale_t own, before;
} c_locale;

static c_locale enter_c_locale(void) {
    c_locale c = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (c.own) c.before = uselocale(c.own);
    return c;
}

static void leave_c_locale(c_locale c) {
    if (!c.own) return;
    uselocale(c.before);
    freelocale(c.own);
}

int kf__vsnprintf(char *to, size_t size, const char *format, va_list args) {
    c_locale c = enter_c_locale();
    int n = vsnprintf(to, size, format, args);
    leave_c_locale(c);
    return n;
}

/* ---------------------------------------------------------------- a growing string */

void kf__text_init(kf__text *text, const kf_allocator *mem) {
    *text = (kf__text){.mem = mem};
}

void kf__text_free(kf__text *text) {
    kf__release(text->mem, text->at);
    kf__text_init(text, text->mem);
}

/* Room for `more` bytes and the 0 at the end. */
static bool reserve(kf__text *text, size_t more) {
    if (text->failed) return false;
    if (more < text->capacity - text->n) return true; /* capacity 0: n is 0 and this is false */
    if (more > SIZE_MAX / 4 || text->n > SIZE_MAX / 4) {
        text->failed = true;
        return false;
    }
    size_t wanted = text->capacity ? text->capacity : 64;
    while (wanted - text->n <= more) wanted *= 2;
    char *larger = kf__allocate(text->mem, wanted);
    if (!larger) {
        text->failed = true;
        return false;
    }
    if (text->at) memcpy(larger, text->at, text->n + 1);
    kf__release(text->mem, text->at);
    text->at = larger;
    text->at[text->n] = 0;
    text->capacity = wanted;
    return true;
}

void kf__print_bytes(kf__text *text, const char *bytes, size_t n) {
    if (!reserve(text, n)) return;
    if (n) memcpy(text->at + text->n, bytes, n);
    text->n += n;
    text->at[text->n] = 0;
}

void kf__print(kf__text *text, const char *format, ...) {
    if (!reserve(text, 0)) return;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = kf__vsnprintf(text->at + text->n, text->capacity - text->n, format, args);
    if (n < 0) {
        text->failed = true;
        text->at[text->n] = 0;
    } else if ((size_t)n < text->capacity - text->n) {
        text->n += (size_t)n;
    } else {
        text->at[text->n] = 0; /* what fitted is written again, after growing */
        if (reserve(text, (size_t)n)) {
            kf__vsnprintf(text->at + text->n, text->capacity - text->n, format, again);
            text->n += (size_t)n;
        }
    }
    va_end(again);
    va_end(args);
}

/* ---------------------------------------------------------------- numbers */

void kf__print_double(kf__text *text, double value) {
    if (isnan(value)) {
        kf__print_bytes(text, "nan", 3);
        return;
    }
    char digits[40];
    c_locale c = enter_c_locale();
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) break;
    }
    leave_c_locale(c);
    kf__print_bytes(text, digits, strlen(digits));
}

void kf__print_hexfloat(kf__text *text, double value) {
    kf__print(text, "%a", value);
}

bool kf__parse_double(const char *text, size_t n, double *out) {
    char copy[1024]; /* longer than any number that is meant */
    if (n == 0 || n >= sizeof copy) return false;
    unsigned char first = (unsigned char)text[0];
    if (first == ' ' || (first >= '\t' && first <= '\r')) return false;
    memcpy(copy, text, n);
    copy[n] = 0;
    char *end;
    c_locale c = enter_c_locale();
    double value = strtod(copy, &end);
    leave_c_locale(c);
    if (end != copy + n) return false;
    *out = value;
    return true;
}

static int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

/* Decimal, or 0x, 0o, 0b as in Python, with an optional sign. */
bool kf__parse_int(const char *text, size_t n, int64_t *out) {
    size_t i = 0;
    bool negative = false;
    if (n && (text[0] == '-' || text[0] == '+')) negative = text[i++] == '-';
    int base = 10;
    if (n - i > 2 && text[i] == '0') {
        char kind = text[i + 1];
        if (kind == 'x' || kind == 'X') base = 16;
        if (kind == 'o' || kind == 'O') base = 8;
        if (kind == 'b' || kind == 'B') base = 2;
        if (base != 10) i += 2;
    }
    if (i == n) return false;
    int64_t value = 0; /* counted downwards: INT64_MIN has no positive twin */
    for (; i < n; i++) {
        int digit = digit_value(text[i]);
        if (digit >= base) return false;
        if (!kf__mul_ok(value, base, &value)) return false;
        if (!kf__add_ok(value, -digit, &value)) return false;
    }
    if (!negative && value == INT64_MIN) return false;
    *out = negative ? value : -value;
    return true;
}

/* ---------------------------------------------------------------- JSON strings */

size_t kf__utf8_length(const unsigned char *s) {
    if (s[0] < 0x80) return s[0] != 0;
    size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0; /* the 0 at the end stops here too */
    if (s[0] == 0xe0 && s[1] < 0xa0) return 0; /* overlong */
    if (s[0] == 0xf0 && s[1] < 0x90) return 0;
    if (s[0] == 0xed && s[1] >= 0xa0) return 0; /* surrogates */
    if (s[0] == 0xf4 && s[1] >= 0x90) return 0; /* beyond U+10FFFF */
    return n;
}

static void print_json_control(kf__text *text, unsigned char c) {
    static const char from[] = "\"\\\n\r\t\b\f", to[] = "\"\\nrtbf";
    const char *place = strchr(from, c);
    if (place)
        kf__print(text, "\\%c", to[place - from]);
    else
        kf__print(text, "\\u%04x", c);
}

/* What isn't UTF-8 becomes U+FFFD, so that the output is always valid. */
void kf__print_json(kf__text *text, const char *string) {
    const unsigned char *s = (const unsigned char *)string;
    kf__print_bytes(text, "\"", 1);
    while (*s) {
        size_t n = kf__utf8_length(s);
        if (n == 0) {
            kf__print_bytes(text, "\\ufffd", 6);
            n = 1;
        } else if (*s < 0x20 || *s == '"' || *s == '\\' || *s == 0x7f) {
            print_json_control(text, *s);
        } else {
            kf__print_bytes(text, (const char *)s, n);
        }
        s += n;
    }
    kf__print_bytes(text, "\"", 1);
}
