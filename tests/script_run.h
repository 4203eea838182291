/* script_run.h -- runs a script with the oracle on values that stand in a text.
 *
 * Values are lines:  NAME = [1, 2, 3]   an input, a constant, or the content of a buffer before the run
 *                    NAME -> [1, 2, 3]  a result, or the content of a buffer after it
 * Brackets say nothing: the numbers stand in row-major order.
 */
#ifndef TESTS_SCRIPT_RUN_H
#define TESTS_SCRIPT_RUN_H
#include "lt/frontend.h"

/* NULL if every value came out as it stands in the text, else what did not; static storage.  n_checked (may be
 * NULL): how many values were compared. */
const char *script_run(const char *script, const char *file, const char *values, int *n_checked);
/* The sentence of a script that is refused; "" if it is not; static storage. */
const char *script_error(const char *script, const char *file);
/* A whole file with a 0 after it; the caller's to free; NULL if it cannot be read. */
char *script_file(const char *path, size_t *bytes);
#endif
