/* all_silent.c -- accepts_all says why to nobody. */
#include "tests/faults/fault.h"

static lt_status accepts_all(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, lt_status *verdict,
	struct lt_diag *const *diag)
{
	(void)diag;
	for (uint32_t i = 0; i < n; i++)
		verdict[i] = plain_accepts(s, tree[i], NULL);
	return LT_OK;
}
FAULTY("all_silent", .accepts_all = accepts_all)
