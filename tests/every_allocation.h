/* every_allocation.h -- a program whose n-th allocation fails, for every n. */
#ifndef TESTS_EVERY_ALLOCATION_H
#define TESTS_EVERY_ALLOCATION_H
#include <stdbool.h>
#include "lt/lt.h"

/* A graph's text with one constant and one state; what is done with it: compiled, run n_run times, its state asked
 * for. */
struct every_allocation {
	const char *text;
	const struct lt_options *options;
	int n_run;
	const void *constant, *const *input;
	void *const *result;
};
/* With allocation n failing: LT_ENOMEM, and nothing is left allocated.  True: there was no such allocation, and all was
 * well; a context that could not be made is not. */
bool every_allocation_try(const struct every_allocation *, int64_t n);
#endif
