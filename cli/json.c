/* Streaming JSON: a stack of open objects and arrays decides on commas and line breaks. */
#include "json.h"

#include <errno.h>
#include <math.h>

enum { FLUSH_AT = 1 << 16 };

void json_begin(struct json *j, FILE *file) {
    *j = (struct json){.file = file};
    kf__text_init(&j->text, &kf__malloc);
}

static void flush(struct json *j) {
    if (!j->file || !j->text.n) return;
    if (fwrite(j->text.at, 1, j->text.n, j->file) != j->text.n && !j->write_error)
        j->write_error = errno;
    j->text.n = 0;
    j->text.at[0] = 0;
}

static void new_line(struct json *j) {
    kf__print(&j->text, "\n%*s", 2 * j->depth, "");
}

/* What stands before a value: a comma, a line break, its key. */
static void begin_value(struct json *j, const char *key, bool is_container) {
    if (j->text.n >= FLUSH_AT) flush(j);
    if (j->depth == 0) {
        j->misused = j->misused || key;
        return;
    }
    int top = j->depth - 1;
    bool is_object = j->level[top].is_object;
    if (is_object != (key != NULL)) j->misused = true;
    if (j->level[top].has_items) kf__print(&j->text, ",");
    if (is_object || is_container) {
        new_line(j);
        j->level[top].has_lines = true;
    } else if (j->level[top].has_items) {
        kf__print(&j->text, " ");
    }
    j->level[top].has_items = true;
    if (key) {
        kf__print_json(&j->text, key);
        kf__print(&j->text, ": ");
    }
}

static void open_level(struct json *j, const char *key, bool is_object) {
    begin_value(j, key, true);
    kf__print(&j->text, is_object ? "{" : "[");
    if (j->depth == JSON_DEPTH) {
        j->misused = true;
        return;
    }
    j->level[j->depth].is_object = is_object;
    j->level[j->depth].has_items = j->level[j->depth].has_lines = false;
    j->depth++;
}

void json_open_object(struct json *j, const char *key) {
    open_level(j, key, true);
}

void json_open_array(struct json *j, const char *key) {
    open_level(j, key, false);
}

void json_close(struct json *j) {
    if (j->depth == 0) {
        j->misused = true;
        return;
    }
    j->depth--;
    if (j->level[j->depth].has_lines) new_line(j);
    kf__print(&j->text, j->level[j->depth].is_object ? "}" : "]");
}

void json_string(struct json *j, const char *key, const char *value) {
    begin_value(j, key, false);
    if (value)
        kf__print_json(&j->text, value);
    else
        kf__print(&j->text, "null");
}

void json_int(struct json *j, const char *key, int64_t value) {
    begin_value(j, key, false);
    kf__print(&j->text, "%lld", (long long)value);
}

void json_double(struct json *j, const char *key, double value) {
    begin_value(j, key, false);
    if (isfinite(value))
        kf__print_double(&j->text, value);
    else
        kf__print(&j->text, "null");
}

void json_bool(struct json *j, const char *key, bool value) {
    begin_value(j, key, false);
    kf__print(&j->text, value ? "true" : "false");
}

void json_null(struct json *j, const char *key) {
    begin_value(j, key, false);
    kf__print(&j->text, "null");
}

kf_status json_end(struct json *j, const char *path, kf_error *err) {
    bool incomplete = j->misused || j->depth != 0;
    kf__print(&j->text, "\n");
    bool memory = j->text.failed;
    if (j->file) {
        flush(j);
        if (fflush(j->file) != 0 && !j->write_error) j->write_error = errno;
        kf__text_free(&j->text);
    }
    if (memory) return kf__out_of_memory(err);
    if (j->write_error && !(j->write_error == EPIPE && j->file == stdout)) /* main looks at that */
        return kf__fail(err, KF_ERR_IO, "can't write the JSON to '%s': %s", path,
                        strerror(j->write_error));
    if (incomplete) return kf__fail(err, KF_ERR_INTERNAL, "the JSON for '%s' isn't sound", path);
    return KF_OK;
}
