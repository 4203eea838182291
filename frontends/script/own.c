/* own.c -- calls of functions that are operations of the user's own: the graph says where they are. */
#include "frontends/script/reader.h"
#include "ir/node/node.h"

static void own_number(struct lt_script *s, struct lt_owncall *c, int32_t *cap, double number)
{
	LT_GROW(s->arena, c->number, c->n_number, *cap);
	c->number[c->n_number++] = number;
}

/* Tensors are operands, in the order of the parameters; a list gives its numbers one after the other.  A kernel reads a
 * parameter with a default as what that is, so one that gets a tensor there is not called. */
void lt__script_own_begin(struct lt_script *s, const struct lt_script_function *f, struct lt_script_own *out)
{
	int32_t cap_operand = 0, cap_number = 0;

	*out = (struct lt_script_own){ .call.name = f->own, .built = true };
	for (int32_t i = 0; i < f->n_parameter; i++) {
		const struct lt_arg *a = &f->scope.binding[lt__names_find(f->scope.names, f->parameter[i].name,
			(size_t)f->parameter[i].bytes)].value;

		if (a->kind == LT_ARG_NODE) {
			LT_GROW(s->arena, out->call.operand, out->call.n_operand, cap_operand);
			out->call.operand[out->call.n_operand++] = a->node;
			out->built = out->built && a->node >= 0;
			out->call.computed = out->call.computed || f->parameter[i].has_default;
		} else if (a->kind == LT_ARG_NUMBER) {
			own_number(s, &out->call, &cap_number, a->whole ? (double)a->i : a->number);
		} else if (a->kind == LT_ARG_LIST) {
			for (int32_t k = 0; k < a->n; k++)
				own_number(s, &out->call, &cap_number, (double)a->list[k]);
		} else {
			own_number(s, &out->call, &cap_number, a->kind == LT_ARG_TYPE ? (double)a->dtype : (double)a->layout);
		}
	}
}

/* Without a tensor among its arguments, or where nothing needs it, it is a function as any. */
lt_status lt__script_own_end(
	struct lt_script *s, struct lt_script_own *own, struct lt_position at, const struct lt_arg *value, int32_t n)
{
	own->call.result = LT_NEW(s->arena, lt_node, n);
	for (int32_t i = 0; i < n; i++) {
		if (value[i].kind != LT_ARG_NODE)
			return LT_OK;
		own->call.result[own->call.n_result++] = value[i].node;
		own->built = own->built && value[i].node >= 0;
	}
	if (!own->built || !own->call.n_operand)
		return LT_OK;
	own->call.line = at.line;
	own->call.column = at.column;
	s->here = at;
	lt_graph_at(s->graph, at.line, at.column);
	return lt__own_add(s->graph, &own->call) ? lt__script_locate(s) : LT_OK;
}

static int own_next(struct lt_cursor *c, const char *end)
{
	const int byte = lt__lex_peek(c);

	if (byte < 0 || c->at >= end)
		return -1;
	lt__lex_step(c);
	return byte;
}

bool lt__script_same_function(const struct lt_script_function *f, const struct lt_script_function *g)
{
	struct lt_cursor a = f->head, b = g->head;

	for (;;) {
		const int x = own_next(&a, f->end.at), y = own_next(&b, g->end.at);

		if (x != y)
			return false;
		if (x < 0)
			return true;
	}
}
