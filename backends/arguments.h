/* arguments.h -- whether what a host hands to a run fits the tree. */
#ifndef LT_BACKENDS_ARGUMENTS_H
#define LT_BACKENDS_ARGUMENTS_H
#include "lt/backend.h"

/* What lt_backend.run has to refuse before anything is touched: LT_EINVAL.  workspace_bytes: that this run needs. */
lt_status lt__check_arguments(
	const struct lt_tree *, const struct lt_args *, int64_t workspace_bytes, struct lt_diag *);
/* For backends whose handles are addresses: those of the slots are as aligned as the tree says.  LT_EINVAL. */
lt_status lt__check_addresses(const struct lt_tree *, const struct lt_args *, struct lt_diag *);
#endif
