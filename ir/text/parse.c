/* parse.c -- reading the text of a graph (docs/graph.md): vars, params, requirements, nodes, results, states. */
#include <math.h>
#include <string.h>
#include "ir/bounds/bounds.h"
#include "ir/text/literal.h"
#include "base/nearest.h"
#include "ir/node/node.h"
#include "ir/text/parse.h"

/* The failure of a graph function, at the token last read. */
static lt_status pass_on(struct lt_parser *p, const struct lt_lexer *at)
{
	const char *why = lt__arena_string(p->scratch, p->ctx->message);

	return lt__lex_fail(p->ctx, at, p->ctx->code, "%s", why);
}

static lt_status parse_string(struct lt_parser *p, const char **out)
{
	*out = p->l.kind == LT_TOKEN_STRING ? lt__lex_string(&p->l, p->g->arena) : NULL;
	if (!*out)
		return LT_PARSE_FAIL(p, "expected a text such as \"x\" (escapes are \\\" \\\\ \\n \\t \\xHH), found %s",
			lt__lex_text(p->ctx, &p->l));
	lt__lex_next(&p->l);
	return LT_OK;
}

/* An optional @ line:column. */
static lt_status parse_position(struct lt_parser *p, int32_t *line, int32_t *column)
{
	int64_t a = 0, b = 0;

	if (lt__parse_accept(p, "@")) {
		LT_TRY(lt__parse_int(p, &a));
		LT_TRY(lt__parse_expect(p, ":"));
		LT_TRY(lt__parse_int(p, &b));
		if (a != (int32_t)a || b != (int32_t)b)
			return LT_PARSE_FAIL(p, "line and column have at most 31 bits");
	}
	*line = (int32_t)a;
	*column = (int32_t)b;
	return LT_OK;
}

static lt_status parse_end(struct lt_parser *p)
{
	if (p->l.kind != LT_TOKEN_LINE && p->l.kind != LT_TOKEN_END)
		return LT_PARSE_FAIL(p, "expected the end of the line, found %s", lt__lex_text(p->ctx, &p->l));
	return LT_OK;
}

/* A new name of a var or param. */
static lt_status parse_new_name(struct lt_parser *p, int32_t value, const char **out)
{
	if (p->settled)
		return LT_PARSE_FAIL(p, "vars and params come before everything else");
	if (p->l.kind != LT_TOKEN_NAME)
		return LT_PARSE_FAIL(p, "expected a name, found %s", lt__lex_text(p->ctx, &p->l));
	if (lt__names_find(p->g->var_names, p->l.at, p->l.bytes) != -1)
		return LT_PARSE_FAIL(p, "%s is defined twice", lt__lex_text(p->ctx, &p->l));
	*out = lt__names_add(p->g->var_names, p->l.at, p->l.bytes, value);
	lt__lex_next(&p->l);
	return LT_OK;
}

/* var NAME EXTENT [limit SUM]; the sum is read when the params are known. */
static lt_status parse_var(struct lt_parser *p)
{
	struct lt_graph *g = p->g;
	struct lt_vardef v = { .name = NULL };

	LT_TRY(parse_new_name(p, g->n_var, &v.name));
	LT_TRY(lt__parse_int(p, &v.extent));
	if (v.extent < 1)
		return LT_PARSE_FAIL(p, "the extent of '%s' is %lld: at least 1 is needed", v.name, (long long)v.extent);
	if (lt__parse_accept(p, "limit")) {
		v.bounded = true;
		LT_GROW(p->scratch, p->limit, p->n_limit, p->cap_limit);
		p->limit[p->n_limit++] = p->l;
		while (p->l.kind != LT_TOKEN_LINE && p->l.kind != LT_TOKEN_END)
			lt__lex_next(&p->l);
	}
	LT_GROW(g->arena, g->var, g->n_var, g->cap_var);
	g->var[g->n_var++] = v;
	return LT_OK;
}

/* param NAME = %SOURCE[ELEMENT] in LOW..HIGH; the source is looked up when the nodes are known. */
static lt_status parse_param(struct lt_parser *p)
{
	struct lt_graph *g = p->g;
	struct lt_paramdef d = { .source = -1 };

	LT_TRY(parse_new_name(p, -2 - g->n_param, &d.name));
	LT_TRY(lt__parse_expect(p, "="));
	LT_GROW(p->scratch, p->source, p->n_source, p->cap_source);
	p->source[p->n_source++] = p->l;
	if (p->l.kind != LT_TOKEN_NODE)
		return LT_PARSE_FAIL(p, "expected a node such as %%x, found %s", lt__lex_text(p->ctx, &p->l));
	lt__lex_next(&p->l);
	LT_TRY(lt__parse_expect(p, "["));
	LT_TRY(lt__parse_int(p, &d.element));
	LT_TRY(lt__parse_expect(p, "]"));
	LT_TRY(lt__parse_expect(p, "in"));
	LT_TRY(lt__parse_int(p, &d.low));
	LT_TRY(lt__parse_expect(p, ".."));
	LT_TRY(lt__parse_int(p, &d.high));
	LT_GROW(g->arena, g->param, g->n_param, g->cap_param);
	g->param[g->n_param++] = d;
	return LT_OK;
}

/* From here on vars and params are known. */
static lt_status settle_limits(struct lt_parser *p)
{
	struct lt_lexer here = p->l;
	int32_t next = 0;

	if (p->settled)
		return LT_OK;
	p->settled = true;
	for (lt_var v = 0; v < p->g->n_var; v++)
		if (p->g->var[v].bounded) {
			p->l = p->limit[next++];
			LT_TRY(lt__parse_linear(p, &p->g->var[v].limit));
			LT_TRY(parse_end(p));
		}
	p->l = here;
	return LT_OK;
}

/* require SUM >= 0 "text", or == 0 */
static lt_status parse_require(struct lt_parser *p)
{
	struct lt_graph *g = p->g;
	struct lt_require r = { .equal = false };
	int64_t zero;

	LT_TRY(lt__parse_linear(p, &r.value));
	r.equal = lt__parse_accept(p, "==");
	if (!r.equal)
		LT_TRY(lt__parse_expect(p, ">="));
	LT_TRY(lt__parse_int(p, &zero));
	if (zero)
		return LT_PARSE_FAIL(p, "a requirement is written as a sum >= 0 or == 0");
	LT_TRY(parse_string(p, &r.text));
	LT_TRY(parse_position(p, &r.line, &r.column));
	lt__require_append(g, &r);
	return LT_OK;
}

/* -- nodes -- */

static lt_status parse_operands(struct lt_parser *p, struct lt_nodedef *n)
{
	int32_t cap = 0;

	if (p->l.kind != LT_TOKEN_NODE)
		return LT_OK;
	do {
		LT_GROW(p->g->arena, n->operand, n->n_operand, cap);
		LT_TRY(lt__parse_operand(p, &n->operand[n->n_operand]));
		n->n_operand++;
	} while (lt__parse_accept(p, ","));
	return LT_OK;
}

static lt_status parse_literal(struct lt_parser *p, struct lt_nodedef *n)
{
	return lt__literal_parse(p->ctx, &p->l, n->dtype, &n->bits);
}

static lt_status parse_label(struct lt_parser *p, struct lt_nodedef *n)
{
	return parse_string(p, &n->label);
}

static lt_status parse_known_var(struct lt_parser *p, lt_var *out)
{
	*out = p->l.kind == LT_TOKEN_NAME ? lt__names_find(p->g->var_names, p->l.at, p->l.bytes) : -1;
	if (*out < 0)
		return LT_PARSE_FAIL(p, "expected the name of a var, found %s%s", lt__lex_text(p->ctx, &p->l),
			p->l.kind == LT_TOKEN_NAME ? lt__nearest_var(p->g, p->l.at, p->l.bytes) : "");
	lt__lex_next(&p->l);
	return LT_OK;
}

static lt_status parse_index(struct lt_parser *p, struct lt_nodedef *n)
{
	return parse_known_var(p, &n->var);
}

static lt_status parse_view(struct lt_parser *p, struct lt_nodedef *n)
{
	LT_TRY(parse_operands(p, n));
	return lt__parse_pieces(p, n);
}

static lt_status parse_gather(struct lt_parser *p, struct lt_nodedef *n)
{
	int64_t axis;

	LT_TRY(parse_operands(p, n));
	LT_TRY(lt__parse_expect(p, "axis"));
	LT_TRY(lt__parse_int(p, &axis));
	n->axis = axis < 0 || axis > LT_MAX_RANK ? LT_MAX_RANK : (int32_t)axis;
	return LT_OK;
}

/* operands at [pos + 3, 0]: a run-time scalar and a constant for each dim */
static lt_status parse_update(struct lt_parser *p, struct lt_nodedef *n)
{
	LT_TRY(parse_operands(p, n));
	LT_TRY(lt__parse_expect(p, "at"));
	LT_TRY(lt__parse_expect(p, "["));
	n->offset = LT_NEW(p->g->arena, int64_t, n->n_dim);
	n->at = LT_NEW(p->g->arena, lt_param, n->n_dim);
	for (int32_t i = 0; i < n->n_dim; i++) {
		struct lt_linear sum;

		if (i)
			LT_TRY(lt__parse_expect(p, ","));
		LT_TRY(lt__parse_linear(p, &sum));
		if (sum.n > 1 || (sum.n && sum.coef[0] != 1))
			return LT_PARSE_FAIL(p, "an offset is a number, a run-time scalar, or the sum of the two");
		n->offset[i] = sum.constant;
		n->at[i] = sum.n ? sum.param[0] : -1;
	}
	return lt__parse_expect(p, "]");
}

/* What is after the operator; not named here: the operands. */
static lt_status (*const parse_attributes[LT_NOP])(struct lt_parser *, struct lt_nodedef *) = {
	[LT_OP_lit] = parse_literal,
	[LT_OP_input] = parse_label,
	[LT_OP_constant] = parse_label,
	[LT_OP_state] = parse_label,
	[LT_OP_index] = parse_index,
	[LT_OP_view] = parse_view,
	[LT_OP_gather] = parse_gather,
	[LT_OP_update] = parse_update,
};

static const char *near_type(struct lt_context *ctx, const char *word, size_t bytes)
{
	return lt__nearest_dtype(ctx, false, word, bytes);
}

static const char *near_operator(struct lt_context *ctx, const char *word, size_t bytes)
{
	const char *names[LT_NOP + 1] = { NULL };

	for (int i = 0; i < LT_NOP; i++)
		names[i] = lt__op_info((enum lt_opcode)i)->name;
	return lt__nearest_of(ctx, word, bytes, names);
}

/* A name of a table, such as an operator's. */
static lt_status parse_word(struct lt_parser *p, int (*find)(const char *), int min, const char *what,
	const char *(*near)(struct lt_context *, const char *, size_t), int *out)
{
	char word[32];

	*out = -1;
	if (p->l.kind == LT_TOKEN_NAME && p->l.bytes < sizeof word) {
		memcpy(word, p->l.at, p->l.bytes);
		word[p->l.bytes] = '\0';
		*out = find(word);
	}
	if (*out < min)
		return LT_PARSE_FAIL(p, "expected %s, found %s%s", what, lt__lex_text(p->ctx, &p->l), p->l.kind == LT_TOKEN_NAME ?
			near(p->ctx, p->l.at, p->l.bytes) : "");
	lt__lex_next(&p->l);
	return LT_OK;
}

static lt_status parse_dims(struct lt_parser *p, struct lt_nodedef *n)
{
	int32_t cap = 0;

	LT_TRY(lt__parse_expect(p, "["));
	if (lt__parse_accept(p, "]"))
		return LT_OK;
	do {
		if (n->n_dim == LT_MAX_RANK)
			return LT_PARSE_FAIL(p, "a value has at most %d dims", LT_MAX_RANK);
		LT_GROW(p->g->arena, n->dim, n->n_dim, cap);
		LT_TRY(parse_known_var(p, &n->dim[n->n_dim]));
		n->n_dim++;
	} while (lt__parse_accept(p, ","));
	return lt__parse_expect(p, "]");
}

/* An optional  means scale 2^-7 zero 128. */
static lt_status parse_meaning(struct lt_parser *p, double *scale, int64_t *zero)
{
	uint64_t bits, two;
	int64_t exponent;

	if (!lt__parse_accept(p, "means"))
		return LT_OK;
	LT_TRY(lt__parse_expect(p, "scale"));
	const bool may_be_power = p->l.kind == LT_TOKEN_NUMBER && lt__lex_whole(&p->l, &two) && two == 2;
	LT_TRY(lt__literal_parse(p->ctx, &p->l, LT_F64, &bits));
	*scale = lt__scalar_of(bits, LT_F64).f;
	if (may_be_power && lt__parse_accept(p, "^")) {
		LT_TRY(lt__parse_int(p, &exponent));
		if (exponent < -1074 || exponent > 1023)
			return LT_PARSE_FAIL(p, "a scale is 2^-1074 to 2^1023");
		*scale = ldexp(1, (int)exponent);
	}
	if (!(*scale > 0 && *scale < INFINITY))
		return LT_PARSE_FAIL(p, "a scale is above 0 and finite");
	return lt__parse_accept(p, "zero") ? lt__parse_int(p, zero) : LT_OK;
}

/* An optional  range -1.0 1.0. */
static lt_status parse_range(struct lt_parser *p, bool *ranged, double *low, double *high)
{
	uint64_t bits[2];

	if (!lt__parse_accept(p, "range"))
		return LT_OK;
	LT_TRY(lt__literal_parse(p->ctx, &p->l, LT_F64, &bits[0]));
	LT_TRY(lt__literal_parse(p->ctx, &p->l, LT_F64, &bits[1]));
	*ranged = true;
	*low = lt__scalar_of(bits[0], LT_F64).f;
	*high = lt__scalar_of(bits[1], LT_F64).f;
	return LT_OK;
}

/* %NAME = TYPE[DIMS] OPERATOR[.reduce] ... [means ...] [range ...] [@ line:column] */
static lt_status parse_node(struct lt_parser *p)
{
	struct lt_lexer at = p->l;
	struct lt_nodedef n = { .name = NULL };
	char *name = lt__arena_alloc(p->g->arena, p->l.bytes + 1);
	double scale = 0, low = 0, high = 0;
	bool ranged = false;
	int64_t zero = 0;
	int found;

	if (lt__names_find(p->g->node_names, p->l.at, p->l.bytes) >= 0)
		return LT_PARSE_FAIL(p, "%s is defined twice", lt__lex_text(p->ctx, &p->l));
	memcpy(name, p->l.at, p->l.bytes);
	n.name = name;
	lt__lex_next(&p->l);
	LT_TRY(lt__parse_expect(p, "="));
	LT_TRY(parse_word(p, lt__dtype_find, 1, "a type such as f32", near_type, &found));
	n.dtype = (enum lt_dtype)found;
	LT_TRY(parse_dims(p, &n));
	LT_TRY(parse_word(p, lt__op_find, 0, "an operator", near_operator, &found));
	n.op = (enum lt_opcode)found;
	if (lt__parse_accept(p, ".")) {
		LT_TRY(lt__parse_expect(p, "reduce"));
		n.reduce = true;
	}
	LT_TRY((parse_attributes[n.op] ? parse_attributes[n.op] : parse_operands)(p, &n));
	LT_TRY(parse_meaning(p, &scale, &zero));
	LT_TRY(parse_range(p, &ranged, &low, &high));
	LT_TRY(parse_position(p, &n.line, &n.column));
	LT_TRY(parse_end(p));
	if (lt__graph_adopt(p->g, &n) < 0 || (scale != 0 && lt_node_means(p->g, p->g->n_node - 1, scale, zero))
		|| (ranged && lt_node_ranges(p->g, p->g->n_node - 1, low, high)))
		return pass_on(p, &at);
	if (n.op == LT_OP_view || n.op == LT_OP_update) {
		LT_GROW(p->scratch, p->bounded, p->n_bounded, p->cap_bounded);
		p->bounded[p->n_bounded++] = (struct lt_bounded_node){ p->g->n_node - 1, at };
	}
	return LT_OK;
}

/* result "name" = %x */
static lt_status parse_result(struct lt_parser *p)
{
	struct lt_lexer at = p->l;
	const char *name;
	lt_node x;

	LT_TRY(parse_string(p, &name));
	LT_TRY(lt__parse_expect(p, "="));
	LT_TRY(lt__parse_operand(p, &x));
	return lt_graph_result(p->g, name, x) ? pass_on(p, &at) : LT_OK;
}

/* set %state = %value */
static lt_status parse_set(struct lt_parser *p)
{
	struct lt_lexer at = p->l;
	lt_node state, value;

	LT_TRY(lt__parse_operand(p, &state));
	LT_TRY(lt__parse_expect(p, "="));
	LT_TRY(lt__parse_operand(p, &value));
	return lt_graph_set_state(p->g, state, value) ? pass_on(p, &at) : LT_OK;
}

/* own "NAME" %y, %z = %x, %w [with 0.5, 2] [computed] [@ line:column] */
static lt_status parse_own(struct lt_parser *p)
{
	struct lt_lexer at = p->l;
	struct lt_owncall c = { .name = NULL };
	int32_t cap_result = 0, cap_operand = 0, cap_number = 0;

	LT_TRY(parse_string(p, &c.name));
	do {
		LT_GROW(p->scratch, c.result, c.n_result, cap_result);
		LT_TRY(lt__parse_operand(p, &c.result[c.n_result]));
		c.n_result++;
	} while (lt__parse_accept(p, ","));
	LT_TRY(lt__parse_expect(p, "="));
	do {
		LT_GROW(p->scratch, c.operand, c.n_operand, cap_operand);
		LT_TRY(lt__parse_operand(p, &c.operand[c.n_operand]));
		c.n_operand++;
	} while (lt__parse_accept(p, ","));
	bool more = lt__parse_accept(p, "with");
	for (; more; more = lt__parse_accept(p, ",")) {
		uint64_t bits;

		LT_TRY(lt__literal_parse(p->ctx, &p->l, LT_F64, &bits));
		LT_GROW(p->scratch, c.number, c.n_number, cap_number);
		c.number[c.n_number++] = lt__scalar_of(bits, LT_F64).f;
	}
	c.computed = lt__parse_accept(p, "computed");
	LT_TRY(parse_position(p, &c.line, &c.column));
	return lt__own_add(p->g, &c) ? pass_on(p, &at) : LT_OK;
}

static lt_status parse_statement(struct lt_parser *p)
{
	if (lt__parse_accept(p, "var"))
		return parse_var(p);
	if (lt__parse_accept(p, "param"))
		return parse_param(p);
	LT_TRY(settle_limits(p));
	if (lt__parse_accept(p, "require"))
		return parse_require(p);
	if (p->l.kind == LT_TOKEN_NODE)
		return parse_node(p);
	if (lt__parse_accept(p, "result"))
		return parse_result(p);
	if (lt__parse_accept(p, "set"))
		return parse_set(p);
	if (lt__parse_accept(p, "own"))
		return parse_own(p);
	return LT_PARSE_FAIL(p, "expected var, param, require, a node such as %%x, result, set or own, found %s",
		lt__lex_text(p->ctx, &p->l));
}

static lt_status settle_params(struct lt_parser *p)
{
	struct lt_graph *g = p->g;

	for (lt_param i = 0; i < g->n_param; i++) {
		struct lt_paramdef *d = &g->param[i];
		const char *key;

		LT_TRY(lt__parse_node_at(p, &p->source[i], &d->source));
		key = lt__arena_format(g->arena, "param:%d:%lld:%lld:%lld", d->source, (long long)d->element, (long long)d->low,
			(long long)d->high);
		lt__names_add(g->labels, key, strlen(key), i);
	}
	return LT_OK;
}

/* Nodes stay within their sources: asked when everything that is required is known. */
static lt_status settle_bounds(struct lt_parser *p)
{
	p->g->inside = false;
	for (int32_t i = 0; i < p->n_bounded; i++)
		if (lt__bounds_check(p->g, p->bounded[i].node, p->g))
			return pass_on(p, &p->bounded[i].at);
	return LT_OK;
}

static lt_status parse_graph(void *user)
{
	struct lt_parser *p = user;
	int64_t version;

	lt__lex_next(&p->l);
	while (p->l.kind == LT_TOKEN_LINE)
		lt__lex_next(&p->l);
	LT_TRY(lt__parse_expect(p, "graph"));
	LT_TRY(lt__parse_int(p, &version));
	if (version != 1)
		return LT_PARSE_FAIL(p, "this is version %lld of the graph's text; version 1 is understood", (long long)version);
	LT_TRY(parse_end(p));
	while (p->l.kind != LT_TOKEN_END) {
		if (p->l.kind != LT_TOKEN_LINE) {
			LT_TRY(parse_statement(p));
			LT_TRY(parse_end(p));
		}
		p->l.depth = 0;
		lt__lex_next(&p->l);
	}
	LT_TRY(settle_limits(p));
	LT_TRY(settle_params(p));
	if (lt_graph_verify(p->g))
		return pass_on(p, &p->l);
	return settle_bounds(p);
}

lt_status lt_graph_parse(
	struct lt_context *ctx, const char *text, size_t bytes, const char *file, struct lt_graph **out)
{
	struct lt_parser p = { .ctx = ctx };
	lt_status status;

	*out = NULL;
	lt__lex_begin(&p.l, file, text, bytes);
	LT_TRY(lt__arena_new(ctx, &p.scratch));
	status = lt_graph_new(ctx, &p.g);
	if (!status) {
		p.g->inside = true;
		status = lt__protect(ctx, parse_graph, &p);
	}
	lt__arena_free(p.scratch);
	if (status)
		lt_graph_free(p.g);
	else
		*out = p.g;
	return status;
}
