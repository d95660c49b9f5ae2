/* The commands. Each gets the options and a zeroed job, which the caller ends after it has reported
 * an error; *code is set where it should be something else than 0. */
#ifndef KFUSE_CLI_COMMANDS_H
#define KFUSE_CLI_COMMANDS_H

#include "job.h"
#include "json.h"

typedef kf_status command(const struct options *o, struct job *job, int *code, kf_error *err);

command command_run, command_check, command_explain, command_emit, command_bench, command_ops,
    command_doctor, command_cache;

/* --json: open the file, where there is one. Tables go to `table`: standard error for
 * `--json -`. */
struct output {
    FILE *table;
    FILE *json_file; /* NULL: no --json */
    int ticket;      /* of the unfinished file */
    struct json json;
};
kf_status output_open(struct output *out, const struct options *o, kf_error *err);
/* Ends the JSON unless it failed before; `status` is what the command came to. */
kf_status output_close(struct output *out, const struct options *o, kf_status status,
                       kf_error *err);

/* A program on the path; NULL: there is none. Freed by the caller. */
char *find_program(const char *name);

/* A new private folder for temporary files (NULL: there can be none); removed, with the files in
 * it, and freed by remove_scratch. */
char *scratch_folder(void);
void remove_scratch(char *path);

#endif
