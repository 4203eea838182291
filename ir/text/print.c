/* print.c -- the text of a graph (docs/graph.md): deterministic, and parse.c reads the same graph back. */
#include <math.h>
#include "ir/text/printer.h"

static void say_location(struct lt_printer *p, int32_t line, int32_t column)
{
	if (line < 0 || (!line && !column))
		return;
	lt__printer_text(p, " @ ");
	lt__printer_int(p, line);
	lt__printer_text(p, ":");
	lt__printer_int(p, column);
}

/* Whether the operands are the sources in the order of their first piece, none twice. */
static bool operands_follow(const struct lt_nodedef *n)
{
	int32_t known = 0;

	for (int32_t i = 0; i < n->n_piece; i++) {
		if (n->piece[i].source > known)
			return false;
		known += n->piece[i].source == known;
	}
	for (int32_t i = 0; i < known; i++)
		for (int32_t j = 0; j < i; j++)
			if (n->operand[i] == n->operand[j])
				return false;
	return known == n->n_operand;
}

static void say_operands(struct lt_printer *p, const struct lt_nodedef *n)
{
	for (int32_t i = 0; i < n->n_operand; i++) {
		lt__printer_text(p, i ? ", " : " ");
		lt__printer_node(p, n->operand[i]);
	}
}

static void say_view(struct lt_printer *p, const struct lt_nodedef *n)
{
	bool listed = !operands_follow(n), lines = n->n_piece > 1;

	if (listed)
		say_operands(p, n);
	lt__printer_text(p, lines ? " {" : " { ");
	for (int32_t i = 0; i < n->n_piece; i++) {
		lt__printer_text(p, !lines ? "" : i ? ";\n  " : "\n  ");
		lt__printer_piece(p, n, &n->piece[i], listed);
	}
	if (n->has_fill) {
		lt__printer_text(p, lines ? ";\n  else " : "; else ");
		lt__printer_bits(p, n->bits, n->dtype);
	}
	lt__printer_text(p, lines ? "\n}" : " }");
}

static void say_update(struct lt_printer *p, const struct lt_nodedef *n)
{
	say_operands(p, n);
	lt__printer_text(p, " at [");
	for (int32_t i = 0; i < n->n_dim; i++) {
		lt__printer_text(p, i ? ", " : "");
		if (n->at[i] >= 0)
			lt__printer_text(p, p->g->param[n->at[i]].name);
		if (n->at[i] < 0 || n->offset[i])
			lt__printer_factor(p, n->at[i] < 0, n->offset[i], false);
	}
	lt__printer_text(p, "]");
}

static void say_literal(struct lt_printer *p, const struct lt_nodedef *n)
{
	lt__printer_text(p, " ");
	lt__printer_bits(p, n->bits, n->dtype);
}

static void say_label(struct lt_printer *p, const struct lt_nodedef *n)
{
	lt__printer_text(p, " ");
	lt__printer_string(p, n->label);
}

static void say_var(struct lt_printer *p, const struct lt_nodedef *n)
{
	lt__printer_text(p, " ");
	lt__printer_text(p, p->g->var[n->var].name);
}

static void say_gather(struct lt_printer *p, const struct lt_nodedef *n)
{
	say_operands(p, n);
	lt__printer_text(p, " axis ");
	lt__printer_int(p, n->axis);
}

/* What is after the operator; not named here: the operands. */
static void (*const say_attributes[LT_NOP])(struct lt_printer *, const struct lt_nodedef *) = {
	[LT_OP_lit] = say_literal,
	[LT_OP_input] = say_label,
	[LT_OP_constant] = say_label,
	[LT_OP_state] = say_label,
	[LT_OP_index] = say_var,
	[LT_OP_view] = say_view,
	[LT_OP_gather] = say_gather,
	[LT_OP_update] = say_update,
};

/* " means scale 2^-7 zero 128"; other scales as literals are. */
static void say_meaning(struct lt_printer *p, const struct lt_nodedef *n)
{
	int exponent;

	if (n->scale == 0)
		return;
	lt__printer_text(p, " means scale ");
	if (frexp(n->scale, &exponent) == 0.5) {
		lt__printer_text(p, "2^");
		lt__printer_int(p, exponent - 1);
	} else {
		lt__printer_bits(p, lt__bits_of((union lt_scalar){ .f = n->scale }, LT_F64), LT_F64);
	}
	if (n->zero) {
		lt__printer_text(p, " zero ");
		lt__printer_int(p, n->zero);
	}
}

static void say_range(struct lt_printer *p, const struct lt_nodedef *n)
{
	if (!n->ranged)
		return;
	lt__printer_text(p, " range ");
	lt__printer_bits(p, lt__bits_of((union lt_scalar){ .f = n->low }, LT_F64), LT_F64);
	lt__printer_text(p, " ");
	lt__printer_bits(p, lt__bits_of((union lt_scalar){ .f = n->high }, LT_F64), LT_F64);
}

static void say_nodedef(struct lt_printer *p, lt_node x)
{
	const struct lt_nodedef *n = &p->g->node[x];

	lt__printer_node(p, x);
	lt__printer_text(p, " = ");
	lt__printer_text(p, lt__dtype_info(n->dtype)->name);
	lt__printer_text(p, "[");
	for (int32_t i = 0; i < n->n_dim; i++) {
		lt__printer_text(p, i ? ", " : "");
		lt__printer_text(p, p->g->var[n->dim[i]].name);
	}
	lt__printer_text(p, "] ");
	lt__printer_text(p, lt__op_info(n->op)->name);
	lt__printer_text(p, n->reduce ? ".reduce" : "");
	(say_attributes[n->op] ? say_attributes[n->op] : say_operands)(p, n);
	say_meaning(p, n);
	say_range(p, n);
	say_location(p, n->line, n->column);
	lt__printer_text(p, "\n");
}

static void say_header(struct lt_printer *p)
{
	const struct lt_graph *g = p->g;

	lt__printer_text(p, "graph 1\n");
	for (lt_var v = 0; v < g->n_var; v++) {
		lt__printer_text(p, "var ");
		lt__printer_text(p, g->var[v].name);
		lt__printer_text(p, " ");
		lt__printer_int(p, g->var[v].extent);
		if (g->var[v].bounded) {
			lt__printer_text(p, " limit ");
			lt__printer_linear(p, &g->var[v].limit);
		}
		lt__printer_text(p, "\n");
	}
	for (lt_param i = 0; i < g->n_param; i++) {
		const struct lt_paramdef *d = &g->param[i];

		lt__printer_text(p, "param ");
		lt__printer_text(p, d->name);
		lt__printer_text(p, " = ");
		lt__printer_node(p, d->source);
		lt__printer_text(p, "[");
		lt__printer_int(p, d->element);
		lt__printer_text(p, "] in ");
		lt__printer_int(p, d->low);
		lt__printer_text(p, "..");
		lt__printer_int(p, d->high);
		lt__printer_text(p, "\n");
	}
	for (int32_t i = 0; i < g->n_require; i++) {
		lt__printer_text(p, "require ");
		lt__printer_linear(p, &g->require[i].value);
		lt__printer_text(p, g->require[i].equal ? " == 0 " : " >= 0 ");
		lt__printer_string(p, g->require[i].text);
		say_location(p, g->require[i].line, g->require[i].column);
		lt__printer_text(p, "\n");
	}
}

/* own "NAME" %y, %z = %x, %w with 0.5, 2 */
static void say_own(struct lt_printer *p, const struct lt_owncall *c)
{
	lt__printer_text(p, "own ");
	lt__printer_string(p, c->name);
	for (int32_t i = 0; i < c->n_result; i++) {
		lt__printer_text(p, i ? ", " : " ");
		lt__printer_node(p, c->result[i]);
	}
	for (int32_t i = 0; i < c->n_operand; i++) {
		lt__printer_text(p, i ? ", " : " = ");
		lt__printer_node(p, c->operand[i]);
	}
	for (int32_t i = 0; i < c->n_number; i++) {
		lt__printer_text(p, i ? ", " : " with ");
		lt__printer_bits(p, lt__bits_of((union lt_scalar){ .f = c->number[i] }, LT_F64), LT_F64);
	}
	lt__printer_text(p, c->computed ? " computed" : "");
	say_location(p, c->line, c->column);
	lt__printer_text(p, "\n");
}

static lt_status say_graph(void *user)
{
	struct lt_printer *p = user;
	const struct lt_graph *g = p->g;

	say_header(p);
	for (lt_node x = 0; x < g->n_node; x++)
		say_nodedef(p, x);
	for (int32_t i = 0; i < g->n_result; i++) {
		lt__printer_text(p, "result ");
		lt__printer_string(p, g->result[i].name);
		lt__printer_text(p, " = ");
		lt__printer_node(p, g->result[i].node);
		lt__printer_text(p, "\n");
	}
	for (int32_t i = 0; i < g->n_set; i++) {
		lt__printer_text(p, "set ");
		lt__printer_node(p, g->set[i].state);
		lt__printer_text(p, " = ");
		lt__printer_node(p, g->set[i].value);
		lt__printer_text(p, "\n");
	}
	for (int32_t i = 0; i < g->n_own; i++)
		say_own(p, &g->own[i]);
	lt__printer_flush(p);
	return LT_OK;
}

lt_status lt_graph_print(const struct lt_graph *g, void (*write)(void *, const char *, size_t), void *user)
{
	struct lt_printer p = { .g = g, .write = write, .user = user };
	lt_status status;

	LT_TRY(lt__arena_new(g->ctx, &p.scratch));
	status = lt__protect(g->ctx, say_graph, &p);
	lt__arena_free(p.scratch);
	return status;
}
