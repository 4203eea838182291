/* variables.c -- which expressions of a program have a scale of their own, and what shows the range of their values.
 *
 * A constant, the input, what an operator makes (rows of operators.def say which), a sum: each is a variable.  What a
 * loop assigns to its accumulator is one variable with it, since all of its values have one scale.
 */
#include <math.h>
#include <string.h>
#include "frontends/seedot/seedot.h"

static int32_t new_variable(struct sd_program *p, const char *name, struct sd_place place, const struct sd_type *type)
{
	LT_GROW(p->arena, p->variable, p->n_variable, p->cap_variable);
	p->variable[p->n_variable] = (struct sd_variable){ .name = name, .place = place,
		.elems = lt__sd_elements(type) };
	return p->n_variable++;
}

static bool makes_variable(const struct sd_expr *e)
{
	return !e->type.whole && (e->kind == SD_DECLARE || e->kind == SD_SUM
		|| (e->kind == SD_OPERATOR && e->op->scale == SD_SCALED));
}

static double larger(double a, double b) { return fabs(a) > fabs(b) ? fabs(a) : fabs(b); }

/* variable: what it is to be, of an accumulator; 0: one of its own. */
static void take_variable(struct sd_program *p, struct sd_expr *e, int32_t variable)
{
	enum { STAGES = 3 };
	const char *name = e->kind == SD_SUM ? "$" : e->op ? e->op->name : e->name;

	e->variable = variable ? variable : new_variable(p, name, e->place, &e->type);
	struct sd_variable *v = &p->variable[e->variable];
	if (e->kind == SD_DECLARE) {
		v->declared = true;
		v->input = !strcmp(e->name, "X");
		v->least = larger(v->least, larger(e->low, e->high));
	}
	for (int32_t i = 0; i < STAGES && e->op && !strcmp(e->op->name, "mbconv"); i++) {
		const int32_t stage = new_variable(p, e->op->name, e->place, &e->type);

		p->variable[stage].stage = true;
		e->stages = i ? e->stages : stage;
	}
}

static const struct sd_expr *after_lets(const struct sd_expr *e)
{
	while (e->kind == SD_LET)
		e = e->arg[1];
	return e;
}

static void number(struct sd_program *p, struct sd_expr *e, int32_t variable);

static void number_let(struct sd_program *p, struct sd_expr *let)
{
	const struct sd_expr *value = after_lets(let->arg[0]);

	for (int32_t i = 2; i < let->n_arg; i++)
		number(p, let->arg[i], 0);
	number(p, let->arg[0], let->to && !let->n_list ? p->variable_of[let->to->index] : 0);
	if (!let->binding || value->type.whole)
		return;
	int32_t *of = &p->variable_of[let->binding->index];
	*of = value->variable;
	if (!*of && let->binding->accumulated)
		*of = new_variable(p, let->name, let->place, &value->type);
	if (*of)
		p->variable[*of].name = let->name;
}

static void number(struct sd_program *p, struct sd_expr *e, int32_t variable)
{
	for (; e->kind == SD_LET; e = e->arg[1])
		number_let(p, e);
	for (int32_t i = 0; i < e->n_arg; i++)
		number(p, e->arg[i], e->kind == SD_LOOP && e->to ? p->variable_of[e->to->index] : 0);
	if (makes_variable(e))
		take_variable(p, e, variable);
}

void lt__sd_variables(struct sd_program *p)
{
	static const struct sd_type nothing;

	p->variable_of = LT_NEW(p->arena, int32_t, p->n_name + 1);
	new_variable(p, "", (struct sd_place){ 0, 0 }, &nothing);
	number(p, p->root, 0);
}

void lt__sd_see(struct sd_lower *l, int32_t variable, const struct sd_value *x)
{
	struct sd_shown *s = l->p->seen ? &l->p->seen[variable] : NULL;

	if (!s || !variable || x->whole || (s->n && s->node[s->n - 1] == x->node))
		return;
	LT_GROW(l->p->arena, s->node, s->n, s->cap);
	s->node[s->n++] = x->node;
}

/* The greatest |x|, one number. */
static lt_node greatest(struct sd_lower *l, lt_node x)
{
	lt_var dims[LT_MAX_RANK];
	const int32_t n = lt_node_rank(l->g, x);
	const lt_node size = lt_graph_unary(l->g, "abs", x);

	for (int32_t i = 0; i < n; i++)
		dims[i] = lt_node_dim(l->g, x, i);
	return n ? lt_graph_reduce(l->g, "max", size, n, dims) : size;
}

bool lt__sd_seen_results(struct sd_lower *l)
{
	const struct sd_program *p = l->p;

	for (int32_t i = 1; i < p->n_variable; i++) {
		const struct sd_shown *s = &p->seen[i];
		lt_node most = LT_NONE;

		lt_graph_at(l->g, p->variable[i].place.line, p->variable[i].place.column);
		for (int32_t k = 0; k < s->n; k++) {
			const lt_node one = greatest(l, s->node[k]);

			most = k ? lt_graph_binary(l->g, "max", most, one) : one;
		}
		if (s->n && (most == LT_NONE || lt_graph_result(l->g, lt__scratch(p->ctx, "range.%d", i), most)))
			return false;
	}
	return true;
}
