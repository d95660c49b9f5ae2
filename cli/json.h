/* JSON, written as it comes:
 *
 *     struct json j;
 *     json_begin(&j, stdout);
 *     json_open_object(&j, NULL);
 *     json_string(&j, "name", "relu");
 *     json_open_array(&j, "shape");
 *     json_int(&j, NULL, 4096);        // no key inside an array
 *     json_close(&j);
 *     json_close(&j);
 *     KF_TRY(json_end(&j, "-", err));  // the first thing that failed, if any
 *
 * Indented by two spaces; arrays of plain values stay on a line. Numbers read back exactly; what
 * JSON has no number for (nan, inf) becomes null. */
#ifndef KFUSE_CLI_JSON_H
#define KFUSE_CLI_JSON_H

#include <stdio.h>

#include "base/base.h"

enum { JSON_DEPTH = 32 };

struct json {
    FILE *file;    /* NULL: all stays in `text` */
    kf__text text; /* what isn't written to the file yet */
    int depth;
    bool misused;
    int write_error; /* errno of the first write that failed */
    struct {
        bool is_object, has_items, has_lines;
    } level[JSON_DEPTH];
};

void json_begin(struct json *j, FILE *file);
/* Write the rest to the file and free the text; without a file the text is the caller's, who frees
 * it with kf__text_free. `path` is for the message. */
kf_status json_end(struct json *j, const char *path, kf_error *err);

/* `key` is for members of objects, NULL elsewhere. */
void json_open_object(struct json *j, const char *key);
void json_open_array(struct json *j, const char *key);
void json_close(struct json *j);
void json_string(struct json *j, const char *key, const char *value); /* NULL: null */
void json_int(struct json *j, const char *key, int64_t value);
void json_double(struct json *j, const char *key, double value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
