/* table.c -- functions of one value: their graphs evaluated at many values, and tables of integers of them. */
#include <math.h>
#include <string.h>
#include "ir/eval/eval.h"
#include "ir/quant/parts.h"

struct function {
	const struct lt_quant *q;
	struct lt_graph *g;
	lt_node *to;                    /* by node of the plan's graph; -1: not made yet */
	lt_node of, x;
	lt_var n;
};

/* Node y of the function, in f64. */
static lt_node function_node(struct function *f, lt_node y)
{
	const struct lt_nodedef *d = &f->q->graph->node[y];
	lt_node operand[3];
	double number;
	if (y == f->of)
		return f->x;
	if (f->to[y] >= 0)
		return f->to[y];
	for (int32_t i = 0; i < d->n_operand; i++) {
		operand[i] = !lt__quant_is_number(f->q, y, i, &number) ? function_node(f, d->operand[i])
			: lt_graph_literal(f->g, f->q->graph->node[d->operand[i]].dtype == LT_BOOL ? LT_BOOL : LT_F64, number);
		if (operand[i] < 0)
			return LT_NONE;
	}
	if (d->op == LT_OP_cast)
		return f->to[y] = lt__dtype_info(d->dtype)->cls == LT_CLASS_FLOAT ? lt_graph_cast(f->g, operand[0], LT_F64)
			: lt_graph_cast(f->g, operand[0], d->dtype);
	return f->to[y] = lt_graph_op_to(f->g, lt__op_info(d->op)->name, d->n_operand, operand, 1, &f->n);
}

struct function_values { struct function f; lt_node y; const double *x; int64_t n; double *out; };

static lt_status evaluate_function(void *user)
{
	struct function_values *v = user;
	const struct lt_graph *g = v->f.q->graph;
	struct lt_evaluation *e = NULL;
	v->f.n = lt_graph_var(v->f.g, "n", v->n);
	v->f.x = lt_graph_constant(v->f.g, "x", LT_F64, 1, &v->f.n);
	v->f.to = LT_NEW(v->f.g->arena, lt_node, g->n_node + 1);
	memset(v->f.to, -1, sizeof *v->f.to * (size_t)g->n_node);
	const lt_node y = function_node(&v->f, v->y);
	LT_TRY(lt_graph_result(v->f.g, "y", y));
	const void **source = LT_NEW(v->f.g->arena, const void *, v->f.g->n_node + 1);
	source[v->f.x] = v->x;
	LT_TRY(lt_eval(v->f.g, source, false, &e));
	memcpy(v->out, lt_eval_result(e, 0, NULL), sizeof *v->out * (size_t)v->n);
	lt_eval_free(e);
	return LT_OK;
}

lt_status lt__quant_function(const struct lt_quant *q, lt_node f, int64_t n, const double *x, double *y)
{
	struct function_values v = { .f = { .q = q, .of = q->node[f].of }, .y = f, .x = x, .n = n, .out = y };
	LT_TRY(lt_graph_new(q->graph->ctx, &v.f.g));
	const lt_status s = lt__protect(q->graph->ctx, evaluate_function, &v);
	lt_graph_free(v.f.g);
	return s;
}

/* Whether the first number of a table is that of minus infinity. */
static bool shows_lowest(const struct lt_quant *q, const struct lt_quant_derived *d, lt_node f)
{
	const lt_node of = q->node[f].of;
	const int32_t asked = q->node[of].cell;
	return asked >= 0 && q->cell[asked].lowest && d->at[of].value.least == d->least[asked];
}

/* Whether two nodes compute the same of what they are functions of. */
static bool same_function(const struct lt_quant *q, lt_node a, lt_node b, lt_node of_a, lt_node of_b)
{
	const struct lt_nodedef *x = &q->graph->node[a], *y = &q->graph->node[b];
	if (a == of_a || b == of_b)
		return a == of_a && b == of_b;
	if (x->op != y->op || x->dtype != y->dtype || x->n_operand != y->n_operand)
		return false;
	for (int32_t i = 0; i < x->n_operand; i++) {
		double v = 0, w = 0;
		const bool number = lt__quant_is_number(q, a, i, &v);
		if (number != lt__quant_is_number(q, b, i, &w) || (number ? v < w || v > w : !same_function(q, x->operand[i],
			y->operand[i], of_a, of_b)))
			return false;
	}
	return true;
}

bool lt__quant_same_table(const struct lt_quant *q, const struct lt_quant_derived *d, lt_node a, lt_node b)
{
	const lt_node of[] = { q->node[a].of, q->node[b].of };
	const int32_t cell[] = { q->node[a].cell, q->node[b].cell };
	const struct quant_number x = d->at[of[0]].value, y = d->at[of[1]].value;
	const bool same_places = x.scale == y.scale && x.least == y.least && x.most == y.most
		&& shows_lowest(q, d, a) == shows_lowest(q, d, b);
	return same_places && d->scale[cell[0]] == d->scale[cell[1]] && d->type[cell[0]] == d->type[cell[1]]
		&& d->least[cell[0]] == d->least[cell[1]] && d->most[cell[0]] == d->most[cell[1]]
		&& same_function(q, a, b, of[0], of[1]);
}

lt_status lt__quant_table(const struct lt_quant *q, const struct lt_quant_derived *d, lt_node f, struct lt_arena *arena,
	int64_t *n, int64_t **out)
{
	const struct quant_number index = d->at[q->node[f].of].value;
	const int32_t cell = q->node[f].cell;
	const struct lt_quant_range r = { d->least[cell], d->most[cell] };
	*n = index.most - index.least + 1;
	double *x = LT_NEW(arena, double, *n), *y = LT_NEW(arena, double, *n);
	*out = LT_NEW(arena, int64_t, *n);
	for (int64_t i = 0; i < *n; i++)
		x[i] = (double)(index.least + i) * index.scale;
	if (shows_lowest(q, d, f))
		x[0] = -INFINITY;
	LT_TRY(lt__quant_function(q, f, *n, x, y));
	for (int64_t i = 0; i < *n; i++)
		(*out)[i] = isnan(y[i]) ? 0 : lt__quant_round(y[i], d->scale[cell], r);
	return LT_OK;
}

bool lt__quant_is_uniform(int64_t n, const int64_t *table)
{
	for (int64_t i = 1; i < n; i++)
		if (table[i] != table[0])
			return false;
	return true;
}
