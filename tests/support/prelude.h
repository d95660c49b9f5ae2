/* Compile a prelude with some text behind it, as generated code is, and load the object. */
#ifndef KFUSE_TESTS_PRELUDE_H
#define KFUSE_TESTS_PRELUDE_H

/* dialect: "prelude_c.h" or "prelude_emu.h"; flags: of the C compiler ($CC, else cc). Gives what
 * dlopen gave, or NULL, and the compiler has then said why on stderr. */
void *prelude_build(const char *dialect, const char *flags, const char *text);

#endif
