/* cli/npy and cli/json: what NumPy writes is read, what is damaged is refused with a sentence that
 * says why, what is written reads back; JSON is well formed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "json.h"
#include "npy.h"

static char folder[] = "/tmp/kfuse-npy-XXXXXX";
static char path[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/a.npy", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void write_file(const void *bytes, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

/* A file of that version, dictionary and elements. Returns its length. */
static size_t make_npy(char *to, int version, const char *dictionary, const void *data, size_t n) {
    size_t header = strlen(dictionary), begin = version == 1 ? 10 : 12;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (char)version;
    to[7] = 0;
    for (size_t i = 8; i < begin; i++) to[i] = (char)(header >> 8 * (i - 8) & 0xff);
    memcpy(to + begin, dictionary, header);
    if (n) memcpy(to + begin + header, data, n);
    return begin + header + n;
}

static const kf_dtype AS_IN_FILE = {0};

static void test_read_good(void **state) {
    (void)state;
    static const float data[6] = {1, 2, 3, 4, 5, 6};
    static const struct {
        int version;
        const char *dictionary;
        kf_dtype as, dtype;
        int ndim;
        int64_t shape[3], strides[3]; /* strides 0: NULL */
    } rows[] = {
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", {0}, {2, 32, 1}, 2,
         {2, 3}, {0}},
        {2, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", {0}, {2, 32, 1}, 2,
         {2, 3}, {1, 2}},
        {3, "{\"shape\":(6,),\"fortran_order\":True,\"descr\":\"=f4\"}", {0}, {2, 32, 1}, 1, {6},
         {0}},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", {0}, {2, 64, 1}, 0, {0},
         {0}},
        {1, "{'descr': '<V2', 'fortran_order': False, 'shape': (4L, 1L), }", {4, 16, 1},
         {4, 16, 1}, 2, {4, 1}, {0}},
        {1, "{'descr': '<u2', 'fortran_order': False, 'shape': (4,), }", {4, 16, 1}, {4, 16, 1}, 1,
         {4}, {0}},
        {1, "{'descr': '|V1', 'fortran_order': False, 'shape': (4,), }", {10, 8, 1}, {10, 8, 1}, 1,
         {4}, {0}},
        {1, "{'descr': '|b1', 'fortran_order': False, 'shape': (0, 7), }", {6, 8, 1}, {6, 8, 1}, 2,
         {0, 7}, {0}},
        {1, "{'descr': '|i1', 'fortran_order': False, 'shape': (1, ), }", {0}, {0, 8, 1}, 1, {1},
         {0}},
        {1, "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }", {0}, {0, 16, 1}, 1, {3},
         {0}},
        {1, "{'descr': '<f2', 'fortran_order': True, 'shape': (1,2,3), }", {0}, {2, 16, 1}, 3,
         {1, 2, 3}, {1, 1, 2}},
    };
    char bytes[400];
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        struct npy npy;
        kf_error err = {0};
        write_file(bytes, make_npy(bytes, rows[i].version, rows[i].dictionary, data, sizeof data));
        if (npy_read(path, rows[i].as, &npy, &err) != KF_OK)
            fail_msg("%s: %s", rows[i].dictionary, err.message);
        assert_memory_equal(&npy.array.dtype, &rows[i].dtype, sizeof rows[i].dtype);
        assert_int_equal(npy.array.ndim, rows[i].ndim);
        assert_int_equal((uintptr_t)npy.array.data % 64, 0);
        size_t n = rows[i].dtype.bits / 8;
        for (int d = 0; d < rows[i].ndim; d++) {
            n *= (size_t)rows[i].shape[d];
            assert_int_equal(npy.array.shape[d], rows[i].shape[d]);
            if (rows[i].strides[0]) assert_int_equal(npy.array.strides[d], rows[i].strides[d]);
        }
        if (!rows[i].strides[0]) assert_null(npy.array.strides);
        if (n) assert_memory_equal(npy.array.data, data, n);
        npy_free(&npy);
        npy_free(&npy);
    }
    npy_free(NULL);
}

static void test_read_bad(void **state) {
    (void)state;
#define NPY(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': (" shape "), }"
    static const struct {
        int version;
        const char *dictionary;
        kf_dtype as;
        const char *says;
    } rows[] = {
        {1, NPY("|O", "2,"), {0}, "Python objects"},
        {1, NPY(">f4", "2,"), {0}, "big-endian"},
        {1, NPY("<V2", "2,"), {0}, "bfloat16"},
        {1, NPY("<V2", "2,"), {2, 32, 1}, "2-byte elements"},
        {1, NPY("|V16", "1,"), {0}, "raw 16-byte"},
        {1, NPY("<u4", "2,"), {0}, "unsigned integers"},
        {1, NPY("<c8", "2,"), {0}, "complex"},
        {1, NPY("<f16", "1,"), {0}, "floats of a size"},
        {1, NPY("<U4", "1,"), {0}, "text"},
        {1, NPY("", "1,"), {0}, "doesn't know"},
        {1, NPY("<", "1,"), {0}, "doesn't know"},
        {1, NPY("<f4", "2,"), {4, 16, 1}, "holds float32, not bfloat16"},
        {1, NPY("<f4", "1,1,1,1,1,1,1,1,1"), {0}, "more than 8 dimensions"},
        {1, NPY("<f4", "-1,"), {0}, "negative size -1"},
        {1, NPY("<f4", "99999999999999999999,"), {0}, "too large"},
        {1, NPY("<f4", "4611686018427387904, 4"), {0}, "2^63 bytes"},
        {1, NPY("<f4", "0, 4611686018427387904, 4"), {0}, "2^63 bytes"},
        {1, NPY("<f4", "1152921504606846976,"), {0}, "truncated"},
        {1, NPY("<f4", "7,"), {0}, "truncated: its header promises 28 bytes of elements, 24"},
        {1, NPY("<f4", "x,"), {0}, "a size in its shape"},
        {1, NPY("<f4", "1 2"), {0}, "a comma between sizes"},
        {1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (), }", {0}, "records"},
        {1, "{'descr': '<f4', 'shape': (1,), }", {0}, "one of"},
        {1, "{'descr': '<f4', 'fortran_order': 1, 'shape': (1,), }", {0}, "True or False"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", {0}, "unknown key"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", {0}, "closing brace"},
        {1, "{'descr': '<f4000000000000000000000000", {0}, "a dtype"},
        {1, "{'descr' '<f4'}", {0}, "a colon"},
        {1, "{", {0}, "a key"},
        {1, "", {0}, "opening brace"},
        {4, NPY("<f4", "1,"), {0}, "version 4.0"},
    };
    static const char data[24];
    char bytes[400];
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        struct npy npy;
        kf_error err = {0};
        write_file(bytes, make_npy(bytes, rows[i].version, rows[i].dictionary, data, sizeof data));
        assert_int_not_equal(npy_read(path, rows[i].as, &npy, &err), KF_OK);
        if (!strstr(err.message, rows[i].says))
            fail_msg("%s: '%s' doesn't say '%s'", rows[i].dictionary, err.message, rows[i].says);
        assert_non_null(strstr(err.message, path));
        assert_null(npy.memory);
        assert_null(npy.sizes);
    }
}

static void test_read_what_is_no_file(void **state) {
    (void)state;
    struct npy npy;
    kf_error err = {0};
    assert_int_equal(npy_read("/nowhere/x.npy", AS_IN_FILE, &npy, &err), KF_ERR_IO);
    assert_non_null(strstr(err.message, "No such file"));
    kf__error_clear(&err);
    assert_int_equal(npy_read(folder, AS_IN_FILE, &npy, &err), KF_ERR_IO);
    assert_non_null(strstr(err.message, "directory"));
    kf__error_clear(&err);
    write_file("PK\3\4 a zip", 10);
    assert_int_equal(npy_read(path, AS_IN_FILE, &npy, &err), KF_ERR_IO);
    assert_non_null(strstr(err.message, "isn't a .npy file"));
}

/* Every prefix of a file, and every byte of it changed, is refused or read, never worse. */
static void test_damage(void **state) {
    (void)state;
    static const int16_t data[6] = {1, 2, 3, 4, 5, 6};
    char bytes[400];
    struct npy npy;
    for (int version = 1; version <= 2; version++) {
        size_t n = make_npy(bytes, version, NPY("<i2", "2, 3"), data, sizeof data);
        for (size_t cut = 0; cut < n; cut++) {
            kf_error err = {0};
            write_file(bytes, cut);
            assert_int_equal(npy_read(path, AS_IN_FILE, &npy, &err), KF_ERR_IO);
            assert_true(err.message[0]);
        }
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 12; k++) {
                kf_error err = {0};
                char before = bytes[i];
                bytes[i] = "\xff\x00(){}',1-9V"[k];
                write_file(bytes, n);
                if (npy_read(path, AS_IN_FILE, &npy, &err) != KF_OK) assert_true(err.message[0]);
                npy_free(&npy);
                bytes[i] = before;
            }
    }
}

static void check_round_trip(kf_array *array, const void *expected, size_t n) {
    struct npy npy;
    kf_error err = {0};
    if (npy_write(path, array, &err) != KF_OK) fail_msg("%s", err.message);
    if (npy_read(path, array->dtype, &npy, &err) != KF_OK) fail_msg("%s", err.message);
    assert_int_equal(npy.array.ndim, array->ndim);
    for (int d = 0; d < array->ndim; d++)
        assert_int_equal(npy.array.shape[d], array->shape[d]);
    assert_memory_equal(npy.array.data, expected, n);
    npy_free(&npy);
}

static void test_write(void **state) {
    (void)state;
    int16_t data[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    int16_t transposed[12] = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11};
    int16_t reversed[3] = {3, 2, 1}, repeated[6] = {7, 7, 7, 8, 8, 8};
    int64_t shape[8] = {3, 4, 1, 1, 1, 1, 1, 1}, strides[2] = {1, 4};
    static const kf_dtype two_bytes[] = {{0, 16, 1}, {2, 16, 1}, {4, 16, 1}};
    for (size_t i = 0; i < KF__COUNT(two_bytes); i++)
        for (int ndim = 2; ndim <= 8; ndim += 6) {
            kf_array a = {data, {KF_CPU, 0}, ndim, two_bytes[i], shape, NULL, 0};
            check_round_trip(&a, data, sizeof data);
        }
    shape[0] = 4;
    shape[1] = 3;
    kf_array a = {data, {KF_CPU, 0}, 2, KF_I16, shape, strides, 0};
    check_round_trip(&a, transposed, sizeof transposed);
    a.strides[0] = 1;
    a.strides[1] = 0;
    a.shape[0] = 2;
    a.byte_offset = 14;
    check_round_trip(&a, repeated, sizeof repeated);
    a.ndim = 1;
    a.shape[0] = 3;
    a.strides[0] = -1;
    a.byte_offset = 6;
    check_round_trip(&a, reversed, sizeof reversed);
    a.ndim = 0;
    check_round_trip(&a, &data[3], 2);
    a.ndim = 2;
    a.shape[0] = 0;
    check_round_trip(&a, data, 0);
}

static void test_write_large(void **state) {
    (void)state;
    enum { ROWS = 1031, COLUMNS = 977 }; /* more than a block, no round number */
    float *data = malloc(sizeof(float) * ROWS * COLUMNS);
    float *turned = malloc(sizeof(float) * ROWS * COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        data[i] = (float)i;
        turned[i % COLUMNS * ROWS + i / COLUMNS] = (float)i;
    }
    int64_t shape[2] = {COLUMNS, ROWS}, strides[2] = {1, COLUMNS};
    kf_array a = {data, {KF_CPU, 0}, 2, KF_F32, shape, strides, 0};
    check_round_trip(&a, turned, sizeof(float) * ROWS * COLUMNS);
    a.strides = NULL;
    check_round_trip(&a, data, sizeof(float) * ROWS * COLUMNS);
    free(data);
    free(turned);
}

static void test_write_errors(void **state) {
    (void)state;
    float data[4] = {0};
    int64_t shape[1] = {4};
    kf_array a = {data, {KF_CPU, 0}, 1, KF_F32, shape, NULL, 0};
    kf_error err = {0};
    assert_int_equal(npy_write("/nowhere/x.npy", &a, &err), KF_ERR_IO);
    assert_non_null(strstr(err.message, "No such file"));
    kf__error_clear(&err);
    assert_int_equal(npy_write("/dev/full", &a, &err), KF_ERR_IO);
    assert_non_null(strstr(err.message, "No space left"));
    kf__error_clear(&err);
    assert_int_equal(npy_write("/dev/null", &a, &err), KF_OK);
    struct stat info;
    assert_true(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
    a.device.type = KF_CUDA;
    assert_int_equal(npy_write(path, &a, &err), KF_ERR_ARGUMENT);
}

static void test_json(void **state) {
    (void)state;
    struct json j;
    json_begin(&j, NULL);
    json_open_object(&j, NULL);
    json_string(&j, "name", "a\"b");
    json_open_array(&j, "shape");
    json_int(&j, NULL, 4096);
    json_int(&j, NULL, -1);
    json_close(&j);
    json_open_array(&j, "empty");
    json_close(&j);
    json_open_array(&j, "rows");
    json_open_object(&j, NULL);
    json_double(&j, "x", 0.1);
    json_double(&j, "nan", 0.0 / 0.0);
    json_close(&j);
    json_close(&j);
    json_bool(&j, "ok", true);
    json_string(&j, "none", NULL);
    json_null(&j, "null");
    json_close(&j);
    assert_int_equal(json_end(&j, "-", NULL), KF_OK);
    assert_string_equal(j.text.at, "{\n  \"name\": \"a\\\"b\",\n  \"shape\": [4096, -1],\n"
                                   "  \"empty\": [],\n  \"rows\": [\n    {\n      \"x\": 0.1,\n"
                                   "      \"nan\": null\n    }\n  ],\n  \"ok\": true,\n"
                                   "  \"none\": null,\n  \"null\": null\n}\n");
    kf__text_free(&j.text);
}

static void test_json_errors(void **state) {
    (void)state;
    struct json j;
    kf_error err = {0};
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    json_begin(&j, full);
    json_open_array(&j, NULL);
    for (int i = 0; i < 100000; i++) json_int(&j, NULL, i);
    json_close(&j);
    assert_int_equal(json_end(&j, "/dev/full", &err), KF_ERR_IO);
    fclose(full);
    json_begin(&j, NULL);
    json_open_object(&j, NULL);
    assert_int_equal(json_end(&j, "-", NULL), KF_ERR_INTERNAL);
    kf__text_free(&j.text);
    json_begin(&j, NULL);
    for (int i = 0; i < JSON_DEPTH + 5; i++) json_open_array(&j, NULL);
    for (int i = 0; i < JSON_DEPTH + 5; i++) json_close(&j);
    assert_int_equal(json_end(&j, "-", NULL), KF_ERR_INTERNAL);
    kf__text_free(&j.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_good),
        cmocka_unit_test(test_read_bad),
        cmocka_unit_test(test_read_what_is_no_file),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_write_large),
        cmocka_unit_test(test_write_errors),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_errors),
    };
    return cmocka_run_group_tests_name("npy", tests, make_folder, remove_folder);
}
