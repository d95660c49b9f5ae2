/* src/base: errors, arenas, growing arrays, text, numbers in any locale, hashes. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/embedded.h"

/* ---------------------------------------------------------------- an allocator that fails */

typedef struct failing {
    int calls_left; /* the call after these fails, and all that follow */
    int live;       /* allocations not yet released */
} failing;

static void *failing_allocate(void *user, size_t size) {
    failing *f = user;
    if (f->calls_left-- <= 0) return NULL;
    f->live++;
    return malloc(size);
}

static void failing_release(void *user, void *memory) {
    ((failing *)user)->live--;
    free(memory);
}

/* ---------------------------------------------------------------- errors */

static void test_errors(void **state) {
    (void)state;
    kf_error err = {0};
    assert_int_equal(kf__fail_at(&err, KF_ERR_SYNTAX, 3, 7, "expected '%c'", ')'), KF_ERR_SYNTAX);
    assert_int_equal(kf__fail(&err, KF_ERR_MEMORY, "later"), KF_ERR_MEMORY);
    assert_int_equal(err.status, KF_ERR_SYNTAX);
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 7);
    assert_string_equal(err.message, "expected ')'");
    kf__error_clear(&err);
    assert_int_equal(err.status, KF_OK);
    assert_string_equal(err.message, "");
    assert_int_equal(kf__out_of_memory(&err), KF_ERR_MEMORY);
    assert_string_equal(err.message, "out of memory");
    assert_int_equal(kf__fail(NULL, KF_ERR_IO, "nobody listens"), KF_ERR_IO);
    kf__error_clear(NULL);
    assert_string_equal(kf_status_text((kf_status)999), "an unknown status");
}

static void test_what_steers_a_terminal_is_no_message(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"\x1b[31m", "?[31m"}, {"\xc2\x9b" "31m", "??31m"}, {"a\rb\x7f", "a?b?"},
        {"two\nlines", "two\nlines"}, {"\xff\xc3\xa9", "?\xc3\xa9"},
        {"\xc2\xa0\xc2\xb5", "\xc2\xa0\xc2\xb5"},
    };
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        kf_error err = {0};
        kf__fail(&err, KF_ERR_IO, "%s", rows[i].text);
        assert_string_equal(err.message, rows[i].message);
    }
}

static void test_long_message_is_cut_between_characters(void **state) {
    (void)state;
    for (int lead = 0; lead < 4; lead++) {
        char text[2048] = "";
        for (int i = 0; i < lead; i++) strcat(text, "a");
        for (int i = 0; i < 500; i++) strcat(text, "\xe2\x82\xac"); /* the euro sign */
        kf_error err = {0};
        kf__fail(&err, KF_ERR_NAME, "%s", text);
        size_t n = strlen(err.message);
        assert_true(n < sizeof err.message && n > sizeof err.message - 8);
        assert_string_equal(err.message + n - 3, "...");
        assert_int_equal((n - 3 - (size_t)lead) % 3, 0);
    }
}

/* ---------------------------------------------------------------- memory */

static void test_arena(void **state) {
    (void)state;
    failing f = {1 << 30, 0};
    kf_allocator mem = {failing_allocate, failing_release, &f};
    kf__arena arena;
    kf__arena_init(&arena, &mem);
    unsigned char *blocks[400];
    static const size_t sizes[] = {0, 1, 15, 16, 17, 100, 4096, 5000, 1 << 20, 3 << 20};
    size_t used[400];
    for (size_t i = 0; i < 400; i++) {
        used[i] = sizes[i % (i > 100 ? 7 : KF__COUNT(sizes))];
        blocks[i] = kf__arena_alloc(&arena, used[i]);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        for (size_t j = 0; j < used[i]; j++)
            if (blocks[i][j]) fail_msg("byte %zu of block %zu isn't zero", j, i);
        memset(blocks[i], (int)(i % 255) + 1, used[i]);
    }
    for (size_t i = 0; i < 400; i++)
        for (size_t j = 0; j < used[i]; j++)
            if (blocks[i][j] != i % 255 + 1) fail_msg("block %zu was overwritten", i);
    assert_null(kf__arena_alloc(&arena, SIZE_MAX - 8));
    assert_string_equal(kf__arena_string(&arena, "abcdef", 3), "abc");
    assert_string_equal(kf__arena_printf(&arena, "%s=%d", "n", 12), "n=12");
    kf__arena_free(&arena);
    assert_int_equal(f.live, 0);
    kf__arena_free(&arena); /* twice is fine */
}

static bool use_everything(const kf_allocator *mem) {
    bool ok = true;
    kf__arena arena;
    kf__arena_init(&arena, mem);
    for (int i = 0; i < 100; i++) {
        ok = ok && kf__arena_alloc(&arena, 1000);
        ok = ok && kf__arena_printf(&arena, "%0*d", 100, i);
        ok = ok && kf__arena_copy(&arena, "0123456789", 10);
    }
    KF__VEC(int) numbers = {0};
    for (int i = 0; i < 100; i++) ok = ok && KF__PUSH(mem, &numbers, i);
    for (uint32_t i = 0; ok && i < numbers.n; i++) ok = numbers.at[i] == (int)i;
    kf__text text;
    kf__text_init(&text, mem);
    for (int i = 0; i < 100; i++) {
        kf__print(&text, "%d %s\n", i, "something longer than nothing");
        kf__print_json(&text, "a\n\x01");
    }
    ok = ok && !text.failed;
    kf__text_free(&text);
    KF__VEC_FREE(mem, &numbers);
    kf__arena_free(&arena);
    return ok;
}

static void test_every_allocation_may_fail(void **state) {
    (void)state;
    bool ok = false;
    for (int n = 0; !ok; n++) {
        failing f = {n, 0};
        kf_allocator mem = {failing_allocate, failing_release, &f};
        ok = use_everything(&mem);
        assert_int_equal(f.live, 0);
        assert_true(ok == (f.calls_left >= 0));
        assert_true(n < 1000);
    }
}

/* ---------------------------------------------------------------- text and numbers */

static const char *printed(kf__text *text, double value) {
    kf__text_free(text);
    kf__print_double(text, value);
    return text->at;
}

static void check_numbers(void) {
    static const struct {
        double value;
        const char *text;
    } shortest[] = {{0.1, "0.1"},         {1.0 / 3, "0.3333333333333333"},
                    {1, "1"},             {-0.0, "-0"},
                    {1e300, "1e+300"},    {5e-324, "5e-324"},
                    {123456, "123456"},   {DBL_MAX, "1.7976931348623157e+308"},
                    {INFINITY, "inf"},    {-INFINITY, "-inf"},
                    {0.1f, "0.10000000149011612"}, {NAN, "nan"}};
    kf__text text;
    kf__text_init(&text, &kf__malloc);
    for (size_t i = 0; i < KF__COUNT(shortest); i++) {
        double back;
        assert_string_equal(printed(&text, shortest[i].value), shortest[i].text);
        assert_true(kf__parse_double(text.at, text.n, &back));
        assert_true(isnan(back) ? isnan(shortest[i].value) : back == shortest[i].value);
    }
    kf__text_free(&text);
    kf__print_hexfloat(&text, 1.5);
    kf__print(&text, " %g %.3f", 1.5, 2.25);
    assert_string_equal(text.at, "0x1.8p+0 1.5 2.250");
    kf__text_free(&text);
    char *from_arena;
    kf__arena arena;
    kf__arena_init(&arena, &kf__malloc);
    from_arena = kf__arena_printf(&arena, "%g", 0.5);
    assert_string_equal(from_arena, "0.5");
    kf__arena_free(&arena);
}

static void test_numbers_in_every_locale(void **state) {
    (void)state;
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "tr_TR.UTF-8"};
    for (size_t i = 0; i < KF__COUNT(locales); i++) {
        if (!setlocale(LC_ALL, locales[i])) continue; /* not on this machine */
        check_numbers();
    }
    setlocale(LC_ALL, "C");
}

static void test_parse_double(void **state) {
    (void)state;
    static const char *const bad[] = {"", " 1", "1 ", "1,5", "x", "1e", "--1", "\n1", "1.5.2"};
    double out = 42;
    for (size_t i = 0; i < KF__COUNT(bad); i++)
        if (kf__parse_double(bad[i], strlen(bad[i]), &out)) fail_msg("'%s' was read", bad[i]);
    assert_false(kf__parse_double("1\0" "2", 3, &out));
    assert_true(out == 42);
    assert_true(kf__parse_double("1.5e3rest", 5, &out) && out == 1500);
    assert_true(kf__parse_double("0x1.8p1", 7, &out) && out == 3);
}

static void test_parse_int(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } rows[] = {{"0", true, 0},
                {"-17", true, -17},
                {"+5", true, 5},
                {"9223372036854775807", true, INT64_MAX},
                {"-9223372036854775808", true, INT64_MIN},
                {"9223372036854775808", false, 0},
                {"-9223372036854775809", false, 0},
                {"99999999999999999999999", false, 0},
                {"0x7fFf", true, 0x7fff},
                {"0b101", true, 5},
                {"0o17", true, 15},
                {"0x", false, 0},
                {"0b2", false, 0},
                {"", false, 0},
                {"-", false, 0},
                {"1.5", false, 0},
                {"12a", false, 0},
                {" 1", false, 0}};
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        int64_t value = 0;
        bool ok = kf__parse_int(rows[i].text, strlen(rows[i].text), &value);
        if (ok != rows[i].ok || (ok && value != rows[i].value))
            fail_msg("'%s' gave %d, %lld", rows[i].text, ok, (long long)value);
    }
}

static void test_json_strings(void **state) {
    (void)state;
    static const struct {
        const char *text, *json;
    } rows[] = {{"", "\"\""},
                {"a\"b\\c\n\t\x01", "\"a\\\"b\\\\c\\n\\t\\u0001\""},
                {"\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xe2\x82\xac\xf0\x9f\x98\x80\""},
                {"\xff", "\"\\ufffd\""},
                {"\xe2\x82", "\"\\ufffd\\ufffd\""},
                {"\xc0\xaf", "\"\\ufffd\\ufffd\""},
                {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""}};
    kf__text text;
    kf__text_init(&text, &kf__malloc);
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        kf__text_free(&text);
        kf__print_json(&text, rows[i].text);
        assert_string_equal(text.at, rows[i].json);
    }
    kf__text_free(&text);
}

static void test_growing_text(void **state) {
    (void)state;
    kf__text text;
    kf__text_init(&text, &kf__malloc);
    char expected[3000] = "";
    for (int i = 0; i < 200; i++) {
        kf__print(&text, "%*d,", i % 13, i);
        sprintf(expected + strlen(expected), "%*d,", i % 13, i);
    }
    assert_string_equal(text.at, expected);
    assert_int_equal(text.n, strlen(expected));
    kf__print(&text, "%s", expected); /* longer than what is left */
    assert_int_equal(text.n, 2 * strlen(expected));
    kf__text_free(&text);
    kf__print(&text, "%s", "");
    assert_string_equal(text.at, "");
    kf__text_free(&text);
}

/* ---------------------------------------------------------------- hashes, names, files */

static void test_hash(void **state) {
    (void)state;
    static const char bytes[] = "the quick brown fox jumps over the lazy dog";
    uint64_t seen[2 * sizeof bytes];
    size_t n = 0;
    for (size_t length = 0; length < sizeof bytes; length++)
        for (uint64_t seed = 0; seed < 2; seed++) {
            uint64_t hash = kf__hash(bytes, length, seed);
            assert_true(hash == kf__hash(bytes, length, seed));
            for (size_t i = 0; i < n; i++) assert_true(seen[i] != hash);
            seen[n++] = hash;
        }
    /* One changed bit changes about half of the bits. */
    for (size_t length = 1; length < 24; length++)
        for (size_t bit = 0; bit < 8 * length; bit++) {
            char changed[sizeof bytes];
            memcpy(changed, bytes, sizeof bytes);
            changed[bit / 8] ^= (char)(1 << bit % 8);
            int flips = __builtin_popcountll(kf__hash(bytes, length, 0) ^
                                             kf__hash(changed, length, 0));
            assert_in_range(flips, 8, 56);
        }
    assert_true(kf__hash("\0", 1, 0) != kf__hash("\0\0", 2, 0));
}

static void test_nearest(void **state) {
    (void)state;
    static const char *const names[] = {"relu", "softmax", "layer_norm", "exp", "sigmoid"};
    static const struct {
        const char *word, *nearest;
    } rows[] = {{"rleu", "relu"},         {"softmx", "softmax"}, {"layernorm", "layer_norm"},
                {"sigmoyd", "sigmoid"},   {"exq", "exp"},        {"completely", NULL},
                {"", NULL},               {"ex", NULL},          {"relu", "relu"}};
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        const char *found =
            kf__nearest(rows[i].word, strlen(rows[i].word), names, KF__COUNT(names));
        if (!rows[i].nearest)
            assert_null(found);
        else
            assert_string_equal(found, rows[i].nearest);
    }
    char word[500];
    memset(word, 'a', sizeof word);
    assert_null(kf__nearest(word, sizeof word, names, KF__COUNT(names)));
}

static void test_checked_integers(void **state) {
    (void)state;
    int64_t out;
    assert_false(kf__add_ok(INT64_MAX, 1, &out));
    assert_false(kf__mul_ok(INT64_MAX, 2, &out));
    assert_true(kf__mul_ok(-3, 4, &out) && out == -12);
    assert_int_equal(kf__ceil_div(10, 3), 4);
    assert_int_equal(kf__ceil_div(9, 3), 3);
}

static void test_embedded_files(void **state) {
    (void)state;
    for (size_t i = 0; i < kf__embedded_file_count; i++) {
        const struct kf__embedded *file = &kf__embedded_files[i];
        assert_ptr_equal(kf__embedded_find(file->name), file);
        assert_int_equal(file->text[file->size], 0);
        assert_int_equal(strlen(file->text), file->size);
        if (i) assert_true(strcmp(file[-1].name, file->name) < 0);
    }
    assert_null(kf__embedded_files[kf__embedded_file_count].name);
    assert_null(kf__embedded_find("no such file"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_what_steers_a_terminal_is_no_message),
        cmocka_unit_test(test_long_message_is_cut_between_characters),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_numbers_in_every_locale),
        cmocka_unit_test(test_parse_double),
        cmocka_unit_test(test_parse_int),
        cmocka_unit_test(test_json_strings),
        cmocka_unit_test(test_growing_text),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_checked_integers),
        cmocka_unit_test(test_embedded_files),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
