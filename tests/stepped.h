/* stepped.h -- kernel programs after steps. */
#ifndef TESTS_STEPPED_H
#define TESTS_STEPPED_H
#include <stdbool.h>
#include "lt/kernel.h"
#include "tests/kernel_text.h"

/* One that has all that steps ask for. */
extern const struct lt_machine stepped_plain_machine;
bool stepped_machine(struct lt_machine *, const char *member, int64_t);         /* false: there is no such number */

/* Sentences, one a line. */
struct stepped_listener { struct lt_kernel_report report; struct kernel_text text; };
struct stepped_listener stepped_listener(void);

/* These steps alone, each checked. */
lt_status stepped_only(const struct lt_kernel *, const struct lt_machine *, const char *letters,
	struct lt_kernel_report *, struct lt_kernel **, struct lt_diag *);
#endif
