/* verify.h -- the rules of lt/kernel.h: which one a program breaks first, and saying so. */
#ifndef LT_KERNEL_VERIFY_VERIFY_H
#define LT_KERNEL_VERIFY_VERIFY_H
#include "kernel/print/print.h"

/* The first rule that a program breaks: where, in which region (-1: none), and another instruction that it has to do
 * with (-1: none). */
struct lt_broken_rule {
	enum lt_kernel_part part;
	int32_t index, region, other;
	char text[400];
	const char *remedy;
};
/* LT_EINVAL with *out, LT_ENOMEM, or LT_OK. */
lt_status lt__kernel_check(const struct lt_kernel *, struct lt_broken_rule *out);

struct lt_text_position { int32_t line, column; };
/* Reports it, and returns LT_EINVAL.  column 0: not known; other_line 0: no other. */
lt_status lt__kernel_refuse(
	struct lt_diag *, const struct lt_broken_rule *, struct lt_text_position at, int32_t other_line);
#endif
