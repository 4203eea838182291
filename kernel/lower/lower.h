/* lower.h -- step 'L': a frozen tree becomes a kernel program, for a machine. */
#ifndef LT_KERNEL_LOWER_LOWER_H
#define LT_KERNEL_LOWER_LOWER_H
#include "lt/kernel.h"

/* LT_EUNSUPPORTED says which loop or statement it cannot express.  report may be NULL. */
lt_status lt__lower_kernel(const struct lt_tree *, const struct lt_machine *, struct lt_kernel_report *,
	struct lt_kernel **, struct lt_diag *);
#endif
