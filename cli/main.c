/* kfuse, the command: reads its options, runs one of the commands, reports what failed.
 *
 *     options.c     the command line                     recipe*.c    arrays by expression
 *     job.c         function, inputs, graph              npy*.c       arrays in files
 *     variant.c     fused and unfused plans              report*.c    errors, tables, arrays
 *     output.c      tables, JSON                         target.c     files that are written
 *     cmd_*.c       the commands                         bench_*.c    how `bench` measures
 *
 * Exit codes: 0 fine, 1 a check failed, 2 bad input or usage. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "commands.h"
#include "report.h"
#include "target.h"

enum { EXIT_BAD = 2 };

static const struct {
    unsigned bit;
    command *run;
} commands[] = {
    {CMD_RUN, command_run},     {CMD_CHECK, command_check}, {CMD_EXPLAIN, command_explain},
    {CMD_EMIT, command_emit},   {CMD_BENCH, command_bench}, {CMD_OPS, command_ops},
    {CMD_DOCTOR, command_doctor}, {CMD_CACHE, command_cache},
};

static kf_status run_command(const struct options *o, struct job *job, int *code, kf_error *err) {
    for (size_t i = 0; i < KF__COUNT(commands); i++)
        if (commands[i].bit == o->command) return commands[i].run(o, job, code, err);
    options_help(stderr, 0);
    *code = EXIT_BAD;
    return KF_OK;
}

/* A file that is opened mustn't become the standard output or error that the caller closed. And a
 * reader that went away, or a file that may grow no more, is an error of a write, not a signal. */
static void guard_process(void) {
    int fd;
    do fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) close(fd);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    unfinished_watch();
}

/* `kfuse ops | head -3`: what isn't read needn't be written, and nothing went wrong. */
static bool reader_left(void) {
    struct pollfd fd = {.fd = STDOUT_FILENO};
    return poll(&fd, 1, 0) == 1 && (fd.revents & POLLERR);
}

/* Was all that was printed written? If not, errno says why: where an earlier write has failed, the
 * reason of which isn't known any more, one more is tried. */
static bool is_written(void) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    if (!errno && write(STDOUT_FILENO, "\n", 1) == 1) errno = 0;
    return reader_left();
}

int main(int argc, char **argv) {
    struct options o;
    struct job job = {0};
    kf_error err = {0};
    int code = 0;
    guard_process();
    kf_status status = options_read(&o, argc, argv, &err);
    if (status == KF_OK && o.version)
        printf("kfuse %s\n", KF_VERSION);
    else if (status == KF_OK && o.help)
        options_help(stdout, o.command);
    else if (status == KF_OK && (status = targets_differ(&o, &err)) == KF_OK)
        status = run_command(&o, &job, &code, &err);
    if (status == KF_OK && !is_written())
        status = kf__fail(&err, KF_ERR_IO, "can't write to standard output%s%s",
                          errno ? ": " : "", errno ? strerror(errno) : "");
    if (status != KF_OK) {
        report_error(&err, job.text, job.file_name);
        code = EXIT_BAD;
    }
    job_end(&job);
    options_free(&o);
    return code;
}
