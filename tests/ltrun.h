/* ltrun.h -- lt-run in a process of its own, in a folder with a few scripts. */
#ifndef TESTS_LTRUN_H
#define TESTS_LTRUN_H
#include "tests/built.h"
#include "tools/tensor/tensor.h"

extern struct lt_context *ltrun_ctx;
extern char ltrun_out[1 << 20], ltrun_err[1 << 16];      /* what the last run wrote */

/* Make and remove the folder (tests/built.h: scratch) and the context. */
void ltrun_set_up(void);
void ltrun_tear_down(void);
/* Runs lt-run there with these arguments; its exit code. */
int ltrun(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void ltrun_write_text(const char *name, const char *text);
void ltrun_read(const char *name, struct lt_tensors *);
void ltrun_write(const char *name, int n, const struct lt_tensor *);
struct lt_tensor ltrun_tensor(const char *name, enum lt_dtype, int32_t rank, const int64_t *shape, const void *data);
#endif
