/* bench_program.h -- lt-bench as a program in a folder of the test's own, its report, and a peer that does what
 * its mode says.
 *
 * Times decide nothing: the peer says how long it took.
 */
#ifndef TESTS_BENCH_PROGRAM_H
#define TESTS_BENCH_PROGRAM_H
#include <jansson.h>
#include "tests/built.h"

/* What the last run wrote. */
extern char bench_out[1 << 20], bench_err[1 << 16];
/* Ended by scratch_remove. */
void bench_set_up(void);
void bench_write_text(const char *name, const char *text);
/* With these options; its exit code. */
int bench_run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* One small case with ref, and peers in these modes. */
int bench_with_peers(const char *modes, const char *more);

/* The report x.json, the row of a contestant in its first case, and what is in a row. */
json_t *bench_read_json(void);
json_t *bench_row_of(json_t *report, const char *label);
double bench_real_of(json_t *, const char *key);
const char *bench_text_of(json_t *, const char *key);
#endif
