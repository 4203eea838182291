/* kernel_text.h -- kernel programs as text, and what is said of them. */
#ifndef LT_TEST_KERNEL_TEXT_H
#define LT_TEST_KERNEL_TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include "lt/kernel.h"

struct kernel_text { char *at; size_t n, cap; };        /* at ends with a 0; to be freed */
void kernel_text_add(void *text, const char *, size_t bytes);   /* an lt_write */

/* What the last of these two reported: "sentence" or "sentence; remedy". */
extern char kernel_message[2200];
extern bool kernel_has_remedy;
lt_status kernel_parse(const char *text, size_t bytes, struct lt_kernel **);
lt_status kernel_verify(const struct lt_kernel *);
#endif
