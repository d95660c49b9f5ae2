/* A private folder for a kernel cache that starts empty: how long a first call takes. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"

char *scratch_folder(void) {
    const char *base = getenv("TMPDIR");
    char *path = malloc((base ? strlen(base) : 4) + 48);
    if (!path) return NULL;
    /* Named like the compilers' folders, so that a signal removes it too. */
    sprintf(path, "%s/kfuse-%ld-XXXXXX", base ? base : "/tmp", (long)getpid());
    if (mkdtemp(path)) return path;
    free(path);
    return NULL;
}

void remove_scratch(char *path) {
    DIR *folder = opendir(path);
    for (struct dirent *e; folder && (e = readdir(folder));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(folder), e->d_name, 0);
    if (folder) closedir(folder);
    rmdir(path);
    free(path);
}
