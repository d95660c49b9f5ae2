/* Where tables and JSON go, and programs that are asked for help. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "target.h"

static bool is_file(FILE *file) {
    struct stat info;
    return fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
}

kf_status output_open(struct output *out, const struct options *o, kf_error *err) {
    *out = (struct output){.table = stdout};
    if (!o->json) return KF_OK;
    bool standard = strcmp(o->json, "-") == 0;
    if (standard) out->table = stderr;
    out->json_file = standard ? stdout : fopen(o->json, "wb");
    if (!out->json_file)
        return kf__fail(err, KF_ERR_IO, "can't write '%s': %s", o->json, strerror(errno));
    out->ticket = standard || !is_file(out->json_file) ? -1 : unfinished_begin(o->json);
    json_begin(&out->json, out->json_file);
    return KF_OK;
}

kf_status output_close(struct output *out, const struct options *o, kf_status status,
                       kf_error *err) {
    if (!out->json_file) return status;
    if (status != KF_OK) { /* half a JSON is worse than none */
        kf__text_free(&out->json.text);
    } else {
        status = json_end(&out->json, o->json, err);
    }
    bool named = out->json_file != stdout, file = named && is_file(out->json_file);
    if (named && fclose(out->json_file) != 0 && status == KF_OK)
        status = kf__fail(err, KF_ERR_IO, "can't write '%s': %s", o->json, strerror(errno));
    if (file && status != KF_OK) remove(o->json); /* never a device or a pipe */
    unfinished_end(out->ticket);
    out->json_file = NULL;
    return status;
}

char *find_program(const char *name) {
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at; at += *at == ':') {
        size_t n = strcspn(at, ":");
        char *file = malloc(n + strlen(name) + 2);
        if (!file) return NULL;
        memcpy(file, at, n);
        file[n] = '/';
        strcpy(file + n + 1, name);
        if (access(file, X_OK) == 0) return file;
        free(file);
        at += n;
    }
    return NULL;
}
