/* Compile a prelude with some text behind it, as generated code is, and load the object. */
#ifndef KFUSE_TESTS_PRELUDE_H
#define KFUSE_TESTS_PRELUDE_H

/* dialect: "prelude_c.h" or "prelude_emu.h"; flags: of the C compiler ($CC, else cc). Gives what
 * dlopen gave, or NULL, and the compiler has then said why on stderr. */
void *prelude_build(const char *dialect, const char *flags, const char *text);

/* The functions kf_..., and macros of that name, of what the preprocessor makes of a dialect's own
 * files (with spaces between) and the shared ones; sorted. */
enum { PRELUDE_NAMES = 1200, PRELUDE_NAME = 48 };
typedef struct prelude_names {
    char at[PRELUDE_NAMES][PRELUDE_NAME];
    int n;
} prelude_names;
void prelude_read_names(const char *files, const char *flags, prelude_names *names);

#endif
