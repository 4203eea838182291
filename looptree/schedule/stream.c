/* stream: a value that is too much for the caches, and not read again soon, is written past them. */
#include "looptree/schedule/schedule.h"

lt_status lt__primitive_stream(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	lt_node n;
	LT_TRY(lt__path_leaf(t, &w->word[0], &n));
	const char *name = t->graph->node[n].name;
	bool no = w->n > 1 && lt__word_is(&w->word[1], "no");
	if (w->n > 1 && !no)
		return lt_fail(t->ctx, LT_ESYNTAX, "after %%%s comes nothing or `no`, not `%.*s`", name,
			(int)(w->word[1].bytes < 60 ? w->word[1].bytes : 60), w->word[1].at);
	if (!no && !e->from->scope[n].whole)
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s does not outlive its nest, so writing it past the caches saves nothing; "
			"`fission` its readers, or stream what they write", name);
	if (!no && t->graph->node[n].reduce)
		return lt_fail(t->ctx, LT_EILLEGAL,
			"%%%s is a reduction, which reads what it wrote; `materialize %%%s` and stream the copy", name,
			name);
	t->node[t->leaf_of[n]].stream = !no;
	return LT_OK;
}
