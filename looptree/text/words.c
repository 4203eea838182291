/* words.c -- parts of a tree's text: loops, dims, operands; and the number by which a tree knows its graph. */
#include "looptree/text/words.h"

void lt__text_loop(struct lt_text *x, const struct lt_looptree *t, lt_tnode loop)
{
	lt__text_format(x, "%s", t->graph->var[t->node[loop].var].name);
	for (lt_tnode up = t->node[loop].parent; up >= 0; up = t->node[up].parent)
		if (t->node[up].kind == LT_TLOOP && t->node[up].var == t->node[loop].var)
			lt__text_add(x, "'", 1);
}

void lt__text_linear(struct lt_text *x, const struct lt_graph *g, const struct lt_linear *l)
{
	lt__text_format(x, "%lld", (long long)l->constant);
	for (int32_t i = 0; i < l->n; i++) {
		uint64_t size = l->coef[i] < 0 ? 0 - (uint64_t)l->coef[i] : (uint64_t)l->coef[i];
		lt__text_format(x, " %c %llu*%s", l->coef[i] < 0 ? '-' : '+', (unsigned long long)size, g->param[l->param[i]].name);
	}
}

void lt__text_dims(struct lt_text *x, const struct lt_graph *g, lt_node n)
{
	lt__text_add(x, "[", 1);
	for (int32_t i = 0; i < g->node[n].n_dim; i++)
		lt__text_format(x, "%s%s", i ? " " : "", g->var[g->node[n].dim[i]].name);
	lt__text_add(x, "]", 1);
}

void lt__text_operands(struct lt_text *x, const struct lt_graph *g, lt_node n)
{
	for (int32_t i = 0; i < g->node[n].n_operand; i++)
		lt__text_format(x, "%s%%%s", i ? " " : "", g->node[g->node[n].operand[i]].name);
}

void lt__text_attribute(struct lt_text *x, const struct lt_graph *g, lt_node n)
{
	const struct lt_nodedef *d = &g->node[n];
	if (d->op == LT_OP_index)
		lt__text_format(x, "%s", g->var[d->var].name);
	if (d->op == LT_OP_lit)
		lt__text_format(x, "0x%llx", (unsigned long long)d->bits);
	if (d->op == LT_OP_gather)
		lt__text_format(x, "axis %d", (int)d->axis);
	for (int32_t i = 0; d->op == LT_OP_update && i < d->n_dim; i++)
		lt__text_format(x, "%s%lld%s%s", i ? ", " : "at ", (long long)d->offset[i], d->at[i] >= 0 ? " + " : "",
			d->at[i] >= 0 ? g->param[d->at[i]].name : "");
}

lt_status lt__text_reduced(struct lt_text *x, struct lt_looptree *t, lt_node n, lt_tnode parent)
{
	const struct lt_leaf *leaf;
	int32_t n_loop = 0;
	LT_TRY(lt__leaf(t, n, &leaf));
	for (lt_tnode up = parent; up >= 0; up = t->node[up].parent)
		n_loop++;
	lt_tnode *loop = LT_NEW(x->arena, lt_tnode, n_loop + 1);
	for (lt_tnode up = parent, i = n_loop; up >= 0; up = t->node[up].parent)
		loop[--i] = up;
	lt__text_add(x, "[", 1);
	bool first = true;
	for (int32_t i = 0; i < n_loop; i++) {
		if (!lt__loop_reduces(t, n, loop[i]))
			continue;
		lt__text_add(x, " ", first ? 0 : 1);
		lt__text_loop(x, t, loop[i]);
		first = false;
	}
	lt__text_add(x, "]", 1);
	return LT_OK;
}

bool *lt__vars_used(const struct lt_graph *g, struct lt_arena *a)
{
	bool *used = LT_NEW(a, bool, g->n_var + 1);
	for (lt_node n = 0; n < g->n_node; n++)
		for (int32_t i = 0; i < g->node[n].n_dim; i++)
			used[g->node[n].dim[i]] = true;
	return used;
}

/* FNV-1a over the graph's text without its places: " @ LINE:COLUMN" to the end of a line. */
struct hash { uint64_t value; int64_t blanks; bool string, escape, origin; };

static void hash_byte(struct hash *h, char c) { h->value = (h->value ^ (unsigned char)c) * UINT64_C(1099511628211); }

static void hash_text(void *user, const char *text, size_t bytes)
{
	struct hash *h = user;
	for (size_t i = 0; i < bytes; i++) {
		char c = text[i];
		if (h->origin && c != '\n')
			continue;
		if (!h->string && !h->origin && c == ' ') {
			h->blanks++;
			continue;
		}
		h->origin = !h->string && c == '@';
		if (h->origin)
			h->blanks = 0;
		for (; h->blanks > 0; h->blanks--)
			hash_byte(h, ' ');
		if (h->origin)
			continue;
		hash_byte(h, c);
		if (c == '"' && !h->escape)
			h->string = !h->string;
		h->escape = h->string && c == '\\' && !h->escape;
	}
}

lt_status lt__graph_fingerprint(const struct lt_graph *g, uint64_t *out)
{
	struct hash h = { .value = UINT64_C(14695981039346656037) };
	LT_TRY(lt_graph_print(g, hash_text, &h));
	*out = h.value;
	return LT_OK;
}
