/* Statuses and errors: the sentence of each status, and how a failure's own sentence is written.
 *
 * The first failure stays in the kf_error: what fails later, cleaning up, can't hide it. */
#include <stdio.h>

#include "base/base.h"

const char *kf_status_text(kf_status status) {
    switch (status) {
#define KF_STATUS(id, value, sentence) \
    case id:                           \
        return sentence;
#include <kfuse/status.def>
#undef KF_STATUS
    }
    return "an unknown status";
}

/* A message that was cut ends in "...", and never inside a UTF-8 sequence. */
static void end_cut_message(char *message, size_t size) {
    size_t end = size - 4;
    while (end > 0 && ((unsigned char)message[end] & 0xc0) == 0x80) end--;
    memcpy(message + end, "...", 4);
}

/* Below a space, DEL, and U+0080 to U+009F: of these U+009B is what Escape and `[` are. */
static bool steers_terminals(const unsigned char *s) {
    return (*s < ' ' && *s != '\n') || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0);
}

/* What came from files and arguments may be any bytes: what isn't UTF-8, or would steer a terminal,
 * becomes `?`. */
static void clean(char *message) {
    for (unsigned char *s = (unsigned char *)message; *s;) {
        size_t n = kf__utf8_length(s);
        if (n == 0 || steers_terminals(s)) *s = '?', n = 1;
        s += n;
    }
}

static void write_message(kf_error *err, kf_status status, int line, int column,
                          const char *format, va_list args) {
    if (!err || err->status != KF_OK) return;
    err->status = status;
    err->line = line;
    err->column = column;
    int n = kf__vsnprintf(err->message, sizeof err->message, format, args);
    if (n < 0)
        snprintf(err->message, sizeof err->message, "%s", kf_status_text(status));
    else if ((size_t)n >= sizeof err->message)
        end_cut_message(err->message, sizeof err->message);
    clean(err->message);
}

kf_status kf__fail(kf_error *err, kf_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    write_message(err, status, 0, 0, format, args);
    va_end(args);
    return status;
}

kf_status kf__fail_at(kf_error *err, kf_status status, int line, int column, const char *format,
                      ...) {
    va_list args;
    va_start(args, format);
    write_message(err, status, line, column, format, args);
    va_end(args);
    return status;
}

kf_status kf__out_of_memory(kf_error *err) {
    return kf__fail(err, KF_ERR_MEMORY, "%s", kf_status_text(KF_ERR_MEMORY));
}

void kf__error_clear(kf_error *err) {
    if (!err) return;
    err->status = KF_OK;
    err->line = err->column = 0;
    err->message[0] = 0;
}
