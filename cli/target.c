#include "target.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/process.h"

/* ---------------------------------------------------------------- which file */

/* "folder/name", name relative to the folder that `path` is in. */
static char *beside(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    size_t n = slash && *name != '/' ? (size_t)(slash - path) + 1 : 0;
    char *joined = malloc(n + strlen(name) + 1);
    if (!joined) return NULL;
    memcpy(joined, path, n);
    strcpy(joined + n, name);
    return joined;
}

char *target_of(const char *path) {
    enum { MOST_LINKS = 40 }; /* as the system has it */
    char link[PATH_MAX], *at = realpath(path, NULL);
    if (at || errno != ENOENT) return at;
    at = strdup(path);
    for (int i = 0; at && i < MOST_LINKS; i++) {
        ssize_t n = readlink(at, link, sizeof link - 1);
        if (n < 0) return at;
        link[n] = 0;
        char *next = beside(at, link);
        free(at);
        at = next;
    }
    free(at);
    errno = at ? ELOOP : ENOMEM;
    return NULL;
}

/* The same text for the same file, which needn't exist yet: the folder's path, and a name. NULL for
 * what can be written twice, a device or a pipe, and for what can't be written at all. */
static char *identity(const char *path) {
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return NULL;
    char *target = target_of(path);
    if (!target || *target == 0) return target;
    char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    char *folder = beside(target, "."), *real = folder ? realpath(folder, NULL) : NULL;
    char *whole = NULL;
    if (real && (whole = malloc(strlen(real) + strlen(name) + 2)))
        sprintf(whole, "%s/%s", real, name);
    free(folder);
    free(real);
    free(target);
    return whole;
}

kf_status targets_differ(const struct options *o, kf_error *err) {
    const char *others[] = {o->json && strcmp(o->json, "-") != 0 ? o->json : NULL, o->cubin,
                            o->plot};
    uint32_t n = o->outputs.n + KF__COUNT(others);
    char **seen = calloc(n, sizeof *seen);
    if (!seen) return kf__out_of_memory(err);
    kf_status status = KF_OK;
    for (uint32_t i = 0; i < n && status == KF_OK; i++) {
        const char *path = i < o->outputs.n ? o->outputs.at[i] : others[i - o->outputs.n];
        seen[i] = path ? identity(path) : NULL;
        for (uint32_t k = 0; k < i && seen[i] && status == KF_OK; k++)
            if (seen[k] && strcmp(seen[i], seen[k]) == 0)
                status = kf__fail(err, KF_ERR_ARGUMENT, "'%s' is given for two results: the second "
                                  "would replace the first", path);
    }
    for (uint32_t i = 0; i < n; i++) free(seen[i]);
    free(seen);
    return status;
}

/* ---------------------------------------------------------------- unfinished files */

enum { PLACES = 4, FREE = 0, CLAIMED, UNFINISHED };

static struct place {
    atomic_int state;
    char path[PATH_MAX + 64];
} places[PLACES]; /* of the process, as its signals are */

/* Only what a signal's handler may call. */
static void remove_and_die(int signal) {
    for (int i = 0; i < PLACES; i++)
        if (atomic_load(&places[i].state) == UNFINISHED) unlink(places[i].path);
    kf__end_processes(); /* compilers that run */
    kf__remove_private_folders();
    raise(signal); /* waits for this handler's end, and finds the default again */
}

void unfinished_watch(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < KF__COUNT(signals); i++) {
        struct sigaction before, action = {.sa_flags = (int)SA_RESETHAND};
        action.sa_handler = remove_and_die;
        sigfillset(&action.sa_mask);
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    }
}

int unfinished_begin(const char *path) {
    size_t n = strlen(path);
    for (int i = 0; i < PLACES && n < sizeof places[i].path; i++) {
        int expected = FREE;
        if (!atomic_compare_exchange_strong(&places[i].state, &expected, CLAIMED)) continue;
        memcpy(places[i].path, path, n + 1);
        atomic_store(&places[i].state, UNFINISHED);
        return i;
    }
    return -1;
}

void unfinished_end(int ticket) {
    if (ticket >= 0) atomic_store(&places[ticket].state, FREE);
}
