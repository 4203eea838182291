/* nodes_letters.c -- nodes whose equation names each axis by a letter: MapNode, GatherAlongNode, EinsumNode. */
#include <string.h>
#include "base/sets.h"
#include "frontends/script/reader.h"
#include "ir/build/build.h"
#include "ir/node/node.h"

enum { N_LETTER = 128 };
#define WRONG_COMMAS "it has to have one comma less than there are operands"

static lt_node refuse(struct lt_script *s, const struct lt_arg *equation, const char *why)
{
	return lt__script_refuse(s, equation->position, LT_ESYNTAX, "Invalid equation '%.*s': %s",
		equation->n < 200 ? equation->n : 200, equation->text, why);
}

static lt_node refuse_rank(struct lt_script *s, const struct lt_arg *a, int32_t n)
{
	return lt__script_refuse(s, a->position, LT_ETYPE,
		"Different number of dimensions: the equation names %d axes of %s", n, lt__script_value(s, a));
}

/* Operands that the equation names, up to its arrow or end; -1: it has an arrow in pieces. */
static int32_t count_operands(struct lt_script *s, const struct lt_arg *equation, const char *end)
{
	int32_t n = 1;
	for (const char *c = equation->text; c < end; c++) {
		n += *c == ',';
		if (*c == '-' || *c == '>')
			return refuse(s, equation, "the result comes after '->'");
	}
	return n;
}

/* -- MapNode and GatherAlongNode: an axis keeps its var where it can. */

/* The letters of an equation: of its operands, one after the other, and of the result. */
struct lettered {
	struct lt_script *s;
	const struct lt_arg *equation;
	const char *at;                 /* of the operand that comes next */
	const char *out;
	lt_var var[N_LETTER];           /* of a letter; -1: not seen */
};

static lt_node letters_begin(struct lettered *l, struct lt_script *s, const struct lt_arg *equation, int32_t n)
{
	const char *arrow = strstr(equation->text, "->");
	*l = (struct lettered){ .s = s, .equation = equation, .at = equation->text, .out = arrow ? arrow + 2 : NULL };
	memset(l->var, -1, sizeof l->var);
	int32_t named = count_operands(s, equation, arrow ? arrow : equation->text + equation->n);
	if (named < 0)
		return -1;
	if (!arrow)
		return refuse(s, equation, "the result's axes come after '->'");
	return named == n ? 0 : refuse(s, equation, WRONG_COMMAS);
}

/* The next operand with the vars of its letters.  An axis keeps its var where no other letter has it.  apart: the axis
 * whose letter is its own; -1: none. */
static lt_node letters_operand(struct lettered *l, const struct lt_arg *a, int32_t apart)
{
	struct lt_script *s = l->s;
	int32_t rank = lt_node_rank(s->graph, a->node), n = 0;
	lt_var *v = LT_NEW(s->arena, lt_var, rank);
	int32_t *at = LT_NEW(s->arena, int32_t, rank);
	for (; *l->at && *l->at != ',' && *l->at != '-'; l->at++, n++) {
		int c = *l->at;
		if (n >= rank)
			continue;
		lt_var own = lt_node_dim(s->graph, a->node, n);
		at[n] = n;
		if (n == apart && l->var[c] >= 0)
			return refuse(l->s, l->equation, "the axis that is gathered along has a letter of its own");
		if (l->var[c] < 0)
			l->var[c] = lt__has(l->var, N_LETTER, own) ? lt__pos_fresh(s->graph, own) : own;
		else if (!lt__var_same_range(s->graph, l->var[c], own))
			return lt__script_refuse(s, a->position, LT_ETYPE, "Incompatible shapes: axis %c is %lld long, and %lld in %s%s",
				(char)c, (long long)lt_var_extent(s->graph, l->var[c]), (long long)lt_var_extent(s->graph, own),
				lt__script_value(s, a), lt__script_unlike(s, l->var[c], own));
		v[n] = l->var[c];
		if (lt__has(v, n, v[n]))
			return refuse(l->s, l->equation, "an operand names an axis twice");
	}
	l->at += *l->at == ',';
	if (n != rank)
		return refuse_rank(s, a, n);
	return lt__pos_view(s->graph, a->node, rank, v, at);
}

/* Vars of the result; -1 after a failure. */
static int32_t letters_result(struct lettered *l, lt_var **out)
{
	int32_t n = (int32_t)strlen(l->out);
	*out = LT_NEW(l->s->arena, lt_var, n);
	for (int32_t i = 0; i < n; i++) {
		(*out)[i] = l->var[(unsigned char)l->out[i] % N_LETTER];
		if ((*out)[i] < 0)
			return refuse(l->s, l->equation, "the result names an axis that no operand has");
		if (lt__has(*out, i, (*out)[i]))
			return refuse(l->s, l->equation, "the result names an axis twice");
	}
	return n;
}

LT_BUILDER(map)
{
	struct lettered l;
	char name[16] = "";
	lt_var *dim;
	int32_t m = n - 2;
	if (a[0].n < (int32_t)sizeof name)
		memcpy(name, a[0].text, (size_t)a[0].n);
	int op = lt__op_find(name);
	if (op < 0 || lt__op_info((enum lt_opcode)op)->data)
		return lt__script_refuse(s, a[0].position, LT_EINVAL, "Unknown operator '%.*s': it is the name of an elementwise "
			"one, such as add or exp", a[0].n < 40 ? a[0].n : 40, a[0].text);
	const struct lt_opinfo *info = lt__op_info((enum lt_opcode)op);
	int32_t first = op == LT_OP_select;
	if (m != info->arity)
		return lt__script_refuse(s, a[2].position, LT_EINVAL, "'%s' has %d operand%s, found %d", name, info->arity,
			info->arity == 1 ? "" : "s", m);
	if (first && lt_node_dtype(s->graph, a[2].node) != LT_BOOL)
		return lt__script_refuse(s, a[2].position, LT_ETYPE, "Unsupported value type: %s has to be bool",
			lt__script_value(s, &a[2]));
	lt_node *x = LT_NEW(s->arena, lt_node, m);
	if (letters_begin(&l, s, &a[1], m) < 0)
		return -1;
	for (int32_t i = 0; i < m; i++) {
		if (i >= first && (!lt__script_same_type(s, &a[2 + first], &a[2 + i]) ||
			!lt__script_takes(s, &a[2 + i], (enum lt_opcode)op)))
			return -1;
		x[i] = letters_operand(&l, &a[2 + i], -1);
		if (x[i] < 0)
			return -1;
	}
	int32_t rank = letters_result(&l, &dim);
	return rank < 0 ? -1 : lt_graph_op_to(s->graph, name, m, x, rank, dim);
}

LT_BUILDER(gather_along)
{
	struct lt_graph *g = s->graph;
	struct lettered l;
	lt_var *dim;
	int32_t axis;
	if (lt__dtype_info(lt_node_dtype(g, a[2].node))->cls != LT_CLASS_INT)
		return lt__script_refuse(s, a[2].position, LT_ETYPE, "Unsupported value type: %s has to be of an integer type",
			lt__script_value(s, &a[2]));
	if (!lt__script_axis(s, &a[3], lt_node_rank(g, a[1].node), &axis) || letters_begin(&l, s, &a[0], 2) < 0)
		return -1;
	lt_node x[2] = { letters_operand(&l, &a[1], axis), -1 };
	if (x[0] < 0)
		return -1;
	char along = a[0].text[axis];
	if (strchr(a[0].text + axis + 1, along))
		return refuse(s, a, "the axis that is gathered along has a letter of its own");
	struct lt_arg index = a[2];
	index.node = lt__script_places(s, index.node);
	x[1] = index.node < 0 ? -1 : letters_operand(&l, &index, -1);
	int32_t rank = x[1] < 0 ? -1 : letters_result(&l, &dim);
	if (rank < 0)
		return -1;
	struct lt_nodedef def = { .op = LT_OP_gather, .dtype = lt_node_dtype(g, x[0]), .axis = axis, .operand = x,
		.n_operand = 2, .dim = dim, .n_dim = rank, .line = g->line, .column = g->column };
	return lt__graph_add(g, &def);
}

/* -- EinsumNode: sums of products. */

struct einsum {
	struct lt_script *s;
	const struct lt_arg *equation;
	const char *at, *end;           /* of the operands' part that is still to be read */
	const char *out; int32_t n_out; /* letters of the result */
	lt_var var[N_LETTER];           /* of a letter; -1: not seen */
	const struct lt_arg *from[N_LETTER];
	int32_t last[N_LETTER];         /* operand that names it last */
};

/* Letters of the result: after "->", or (without one) those that occur once, in alphabetical order. */
static bool split(struct einsum *e, int32_t n)
{
	const char *text = e->equation->text, *arrow = strstr(text, "->");
	int32_t seen[N_LETTER] = { 0 }, operand = 0;
	char *made = LT_NEW(e->s->arena, char, N_LETTER + 1);
	e->at = text;
	e->end = arrow ? arrow : text + e->equation->n;
	int32_t named = count_operands(e->s, e->equation, e->end);
	if (named < 0)
		return false;
	if (named != n)
		return refuse(e->s, e->equation, WRONG_COMMAS) >= 0;
	for (const char *c = e->at; c < e->end; c++)
		if (*c == ',')
			operand++;
		else
			e->last[(int)*c] = operand, seen[(int)*c]++;
	e->out = arrow ? arrow + 2 : made;
	for (int c = 0; !arrow && c < N_LETTER; c++)
		if (seen[c] == 1)
			*made++ = (char)c;
	e->n_out = (int32_t)strlen(e->out);
	int32_t twice[N_LETTER] = { 0 };
	for (int32_t i = 0; i < e->n_out; i++) {
		int c = e->out[i];
		if (c == ',' || c == '-' || c == '>' || !seen[c])
			return refuse(e->s, e->equation, "the result names an axis that no operand has") >= 0;
		if (twice[c]++)
			return refuse(e->s, e->equation, "the result names an axis twice") >= 0;
	}
	return true;
}

/* A var called by its letter. */
static lt_var named_like(struct lt_script *s, const char *letter, lt_var like)
{
	lt_var v = lt__pos_fresh(s->graph, like);
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
		return refuse_rank(s, a, n);
	return lt__pos_view(s->graph, a->node, m, v, at);
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
