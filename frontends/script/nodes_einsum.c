/* nodes_einsum.c -- EinsumNode: sums of products by one-letter names of the axes. */
#include <string.h>
#include "frontends/script/reader.h"

enum { N_LETTER = 128 };
struct einsum {
	struct lt_script *s;
	const struct lt_arg *equation;
	const char *at, *end;           /* of the operands' part that is still to be read */
	const char *out; int32_t n_out; /* letters of the result */
	lt_var var[N_LETTER];           /* of a letter; -1: not seen */
	const struct lt_arg *from[N_LETTER];
	int32_t last[N_LETTER];         /* operand that names it last */
};

static lt_node einsum_refuse(const struct einsum *e, const char *why)
{
	return lt__script_refuse(e->s, e->equation->position, LT_ESYNTAX, "Invalid equation '%.*s': %s",
		e->equation->n < 200 ? e->equation->n : 200, e->equation->text, why);
}

/* Letters of the result: after "->", or (without one) those that occur once, in alphabetical order. */
static bool split(struct einsum *e, int32_t n)
{
	const char *text = e->equation->text, *arrow = strstr(text, "->");
	int32_t seen[N_LETTER] = { 0 }, commas = 0;
	char *made = LT_NEW(e->s->arena, char, N_LETTER + 1);
	e->at = text;
	e->end = arrow ? arrow : text + e->equation->n;
	for (const char *c = e->at; c < e->end; c++) {
		commas += *c == ',';
		if (*c == '-' || *c == '>')
			return einsum_refuse(e, "the result comes after '->'") >= 0;
		if (*c != ',')
			e->last[(int)*c] = commas, seen[(int)*c]++;
	}
	if (commas + 1 != n)
		return einsum_refuse(e, "it has to have one comma less than there are operands") >= 0;
	e->out = arrow ? arrow + 2 : made;
	for (int c = 0; !arrow && c < N_LETTER; c++)
		if (seen[c] == 1)
			*made++ = (char)c;
	e->n_out = (int32_t)strlen(e->out);
	int32_t twice[N_LETTER] = { 0 };
	for (int32_t i = 0; i < e->n_out; i++) {
		int c = e->out[i];
		if (c == ',' || c == '-' || c == '>' || !seen[c])
			return einsum_refuse(e, "the result names an axis that no operand has") >= 0;
		if (twice[c]++)
			return einsum_refuse(e, "the result names an axis twice") >= 0;
	}
	return true;
}

/* A var called by its letter. */
static lt_var named_like(struct lt_script *s, const char *letter, lt_var like)
{
	lt_var v = lt__script_fresh(s, like);
	lt_var_set_name(s->graph, v, letter);
	return v;
}

/* The operand with the letters' vars; an axis named twice in it is a diagonal. */
static lt_node read_operand(struct einsum *e, const struct lt_arg *a)
{
	struct lt_script *s = e->s;
	int32_t rank = lt_node_rank(s->graph, a->node), n = 0, m = 0;
	lt_var *v = LT_NEW(s->arena, lt_var, rank);
	int32_t *at = LT_NEW(s->arena, int32_t, rank);
	int32_t axis_of[N_LETTER];
	memset(axis_of, -1, sizeof axis_of);
	for (; e->at < e->end && *e->at != ','; e->at++, n++) {
		int c = *e->at;
		if (n >= rank)
			continue;
		lt_var own = lt_node_dim(s->graph, a->node, n);
		char name[2] = { (char)c, 0 };
		if (e->var[c] < 0) {
			e->var[c] = named_like(s, name, own);
			e->from[c] = a;
		} else if (!lt__var_same_range(s->graph, e->var[c], own)) {
			return lt__script_refuse(s, a->position, LT_ETYPE,
				"Incompatible shapes: axis %s is %lld long in %s and %lld in %s%s", name,
				(long long)lt_var_extent(s->graph, e->var[c]), lt__script_value(s, e->from[c]),
				(long long)lt_var_extent(s->graph, own), lt__script_value(s, a),
				lt__script_unlike(s, e->var[c], own));
		}
		if (axis_of[c] < 0) {
			axis_of[c] = m;
			v[m++] = e->var[c];
		}
		at[n] = axis_of[c];
	}
	e->at++;
	if (n != rank)
		return lt__script_refuse(s, a->position, LT_ETYPE,
			"Different number of dimensions: the equation names %d axes of %s", n,
			lt__script_value(s, a));
	return lt__script_view(s, a->node, m, v, at);
}

/* Axes of x that neither the result nor an operand after number i names: they are summed now. */
static int32_t finished(const struct einsum *e, const lt_node *x, int32_t i, lt_var *over)
{
	int32_t n = 0;
	for (int c = 0; c < N_LETTER; c++) {
		bool there = false;
		for (int32_t k = 0; k < 2 && e->var[c] >= 0 && x[k] >= 0; k++)
			for (int32_t d = 0; d < lt_node_rank(e->s->graph, x[k]); d++)
				there = there || lt_node_dim(e->s->graph, x[k], d) == e->var[c];
		if (there && e->last[c] <= i && !memchr(e->out, c, (size_t)e->n_out))
			over[n++] = e->var[c];
	}
	return n;
}

LT_BUILDER(einsum)
{
	struct lt_graph *g = s->graph;
	struct einsum e = { .s = s, .equation = a };
	lt_var over[N_LETTER];
	lt_node x[2] = { -1, -1 };      /* the product so far, the next operand */
	memset(e.var, -1, sizeof e.var);
	if (!split(&e, n - 1))
		return -1;
	for (int32_t i = 0; i < n - 1; i++) {
		if (!lt__script_same_type(s, &a[1], &a[1 + i]) || !lt__script_takes(s, &a[1 + i], LT_OP_mul))
			return -1;
		lt_node next = read_operand(&e, &a[1 + i]);
		if (next < 0)
			return -1;
		x[i > 0] = next;
		int32_t m = finished(&e, x, i, over);
		if (i == 0)
			x[0] = m ? lt_graph_reduce(g, "add", x[0], m, over) : x[0];
		else
			x[0] = m ? lt_graph_contract(g, x[0], x[1], m, over) : lt_graph_binary(g, "mul", x[0], x[1]);
		if (x[0] < 0)
			return -1;
	}
	int32_t *perm = LT_NEW(s->arena, int32_t, e.n_out), moved = 0;
	for (int32_t i = 0; i < e.n_out; i++) {
		while (lt_node_dim(g, x[0], perm[i]) != e.var[(int)e.out[i]])
			perm[i]++;
		moved += perm[i] != i;
	}
	return moved ? lt_graph_permute(g, x[0], e.n_out, perm) : x[0];
}
