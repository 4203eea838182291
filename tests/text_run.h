/* text_run.h -- kernel programs printed by backends/text, compiled and run. */
#ifndef TESTS_TEXT_RUN_H
#define TESTS_TEXT_RUN_H
#include "backends/text/text.h"

/* So many programs in one shared object; what the compiler says must be nothing. */
enum { TEXT_RUN_MAX = 64 };
struct text_run { void *handle; int n; const struct lt_kernel *kernel[TEXT_RUN_MAX]; };
/* command: compiler and flags.  A failure names the file, which stays. */
void text_run_compile(struct text_run *, const struct lt_text_dialect *, const char *command);
/* Points in ranges of `range`, each on a part of its own.  slot[i]: memory. */
void text_run_one(const struct text_run *, int i, void *const *slot, int64_t range, struct lt_fault *);
void text_run_end(struct text_run *);
#endif
