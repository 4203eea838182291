/* all_alike.c -- accepts_all answers for all trees what the first one gets. */
#include "tests/faults/fault.h"

static lt_status accepts_all(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, lt_status *verdict,
	struct lt_diag *const *diag)
{
	for (uint32_t i = 0; i < n; i++)
		verdict[i] = i ? verdict[0] : plain_accepts(s, tree[0], diag[0]);
	return LT_OK;
}
FAULTY("all_alike", .accepts_all = accepts_all)
