/* Finishing a tree: its rules are checked, what follows from it is filled in, and it is proven legal. */
#include "looptree/legality/legality.h"

static lt_status finish_body(void *arg)
{
	struct lt_looptree *t = arg;
	LT_TRY(lt__check_tree(t));
	LT_TRY(lt__check_layouts(t));
	LT_TRY(lt__fill_scopes(t));
	LT_TRY(lt__check_depths(t));
	return lt__verify_tree(t);
}

lt_status lt_looptree_finish(struct lt_looptree *t) { return lt__protect(t->ctx, finish_body, t); }
