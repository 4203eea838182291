/* sum.c -- run-time scalars, and their sums with integers: extents, offsets, requirements, rows of views. */
#include <string.h>
#include "frontends/script/reader.h"
#include "ir/node/node.h"

/* Names the operator that computes what has to be given: of several values under views, the first such. */
lt_param lt__script_computed(struct lt_script *s, const struct lt_arg *a)
{
	const struct lt_graph *g = s->graph;
	lt_node x = a->node;
	while (g->node[x].op == LT_OP_view) {
		int32_t i = 0;
		while (i < g->node[x].n_operand && s->sourced[g->node[x].operand[i]])
			i++;
		if (i == g->node[x].n_operand)
			break;
		x = g->node[x].operand[i];
	}
	return (lt_param)lt__script_refuse(s, a->position, LT_EINVAL,
		"%s is computed, by '%s' in line %d: a run-time index is read before the first kernel starts, "
		"so it has to be an element of an input, a constant or a buffer",
		lt__script_value(s, a), lt__op_info(g->node[x].op)->name, g->node[x].line);
}

lt_param lt__script_param(struct lt_script *s, const struct lt_arg *a, int64_t low, int64_t high, const char *role)
{
	struct lt_graph *g = s->graph;
	bool plural = strstr(role, " and ") != NULL;
	int32_t rank = lt_node_rank(g, a->node);
	if (lt_node_dtype(g, a->node) != LT_I64)
		return (lt_param)lt__script_refuse(s, a->position, LT_ETYPE, "%s should be %s: %s", role,
			plural ? "int64 tensors" : "an int64 tensor", lt__script_value(s, a));
	if (rank > 1 || (rank == 1 && (lt__script_extent(s, a->node, 0) != 1 || lt__script_bounded(s, a->node, 0))))
		return (lt_param)lt__script_refuse(s, a->position, LT_ETYPE, "%s should be %s of one element: %s", role,
			plural ? "1D tensors" : "a 1D tensor", lt__script_value(s, a));
	if (!s->sourced[a->node])
		return lt__script_computed(s, a);
	lt_param scalar = s->statement[a->statement].scalar - 1, p;
	if (scalar >= 0) {
		const struct lt_paramdef d = g->param[scalar];
		if (d.low > high || d.high < low)
			return (lt_param)lt__script_refuse(s, a->position, LT_EINVAL,
				"%s has to be %lld .. %lld, and %s is %lld .. %lld", role, (long long)low, (long long)high,
				lt__script_value(s, a), (long long)d.low, (long long)d.high);
		return lt_graph_param(g, d.source, d.element, d.low > low ? d.low : low, d.high < high ? d.high : high);
	}
	p = lt_graph_param(g, a->node, 0, low, high);
	if (p < 0 && s->ctx->code != LT_ENOMEM)
		return (lt_param)lt__script_refuse(s, a->position, LT_EUNSUPPORTED,
			"%s is not an element of an input, a constant or a "
			"buffer that is known before a run: it is a fill value, or another run-time value chooses it",
			lt__script_value(s, a));
	return p;
}

static lt_status too_large(struct lt_script *s, struct lt_position at)
{
	return lt__script_fail(s, at, LT_EOVERFLOW, "The sum exceeds 63 bits");
}

static lt_status sum_add(struct lt_script *s, struct lt_script_sum *sum, int64_t coef, lt_param param, int32_t name)
{
	int32_t i = 0;
	while (i < sum->n && (sum->param[i] != param || sum->name[i] != name))
		i++;
	if (i == sum->n) {
		int32_t cap[2] = { sum->cap, sum->cap };
		LT_GROW(s->arena, sum->coef, sum->n, sum->cap);
		LT_GROW(s->arena, sum->param, sum->n, cap[0]);
		LT_GROW(s->arena, sum->name, sum->n, cap[1]);
		sum->coef[sum->n] = 0;
		sum->param[sum->n] = param;
		sum->name[sum->n++] = name;
	}
	return lt__add_overflow(sum->coef[i], coef, &sum->coef[i]) ? too_large(s, s->cursor.position) : LT_OK;
}

lt_status lt__script_whole_number(struct lt_script *s, int64_t *out)
{
	double value;
	bool whole, overflow;
	struct lt_position at = s->cursor.position;
	if (!lt__lex_number(&s->cursor, &value, out, &whole, &overflow) || !whole)
		return lt__script_fail(s, at, LT_ESYNTAX, "Unexpected symbol, expected an integer");
	return overflow ? lt__script_fail(s, at, LT_EOVERFLOW, "Integer exceeds 63 bits") : LT_OK;
}

lt_status lt__script_refer(struct lt_script *s, struct lt_arg *out)
{
	int c = lt__lex_peek(&s->cursor);
	struct lt_cursor from = s->cursor;
	const char *word;
	*out = (struct lt_arg){ .position = from.position, .statement = -1, .node = -1 };
	if (c == '$') {
		lt__lex_step(&s->cursor);
		LT_TRY(lt__script_reference(s, out));
	} else {
		int32_t n = lt__lex_word(&s->cursor, &word);
		const struct lt_arg *value = n ? lt__script_lookup(s, word, n) : NULL;
		if (!n)
			return lt__script_unexpected(s, LT_EXPECTED_NODE);
		if (!value)
			return lt__script_unknown_name(s, from.position, word, n);
		*out = *value;
	}
	out->position = from.position;
	if (out->kind != LT_ARG_NODE)
		return lt__script_mismatch(s, &from, out, LT_EXPECTED_NODE);
	LT_GROW(s->arena, s->named, s->n_named, s->cap_named);
	s->named[s->n_named++] = out->statement;
	return LT_OK;
}

void lt__script_take_named(struct lt_script *s, struct lt_arg *a)
{
	a->use = lt__arena_copy(s->arena, s->named, sizeof *a->use * (size_t)s->n_named);
	a->n_use = s->n_named;
	s->n_named = 0;
}

/* $5: the scalar that a ScalarNode declares. */
static lt_status scalar_reference(struct lt_script *s, lt_param *param)
{
	struct lt_arg a;
	LT_TRY(lt__script_refer(s, &a));
	*param = s->statement[a.statement].scalar - 1;
	if (*param >= 0 || (s->skip && s->skip[a.statement]))
		return LT_OK;
	return lt__script_fail(s, a.position, LT_EINVAL,
		"%s is not a run-time scalar, whose range is known: ScalarNode gives it one", lt__script_value(s, &a));
}

/* 3, 3*$5, $5, i, 3*i */
static lt_status read_term(struct lt_script *s, const struct lt_names *names, int64_t sign, struct lt_script_sum *sum)
{
	int64_t by = 1;
	int32_t found;
	int c = lt__lex_peek(&s->cursor);
	struct lt_position at = s->cursor.position;
	if (c >= '0' && c <= '9') {
		LT_TRY(lt__script_whole_number(s, &by));
		if (lt__lex_peek(&s->cursor) != '*')
			return lt__mul_overflow(by, sign, &by) || lt__add_overflow(sum->constant, by, &sum->constant) ?
				too_large(s, at) : LT_OK;
		lt__lex_step(&s->cursor);
		c = lt__lex_peek(&s->cursor);
		at = s->cursor.position;
	}
	by *= sign;
	struct lt_cursor mark = s->cursor;
	const char *word;
	int32_t n = lt__lex_word(&s->cursor, &word);
	lt_param param = -1;
	if (n && names && (found = lt__names_find(names, word, (size_t)n)) >= 0)
		return sum_add(s, sum, by, -1, found);
	const struct lt_arg *value = n ? lt__script_lookup(s, word, n) : NULL;
	if (value && value->kind == LT_ARG_NUMBER && value->whole)      /* a counter, a parameter */
		return lt__mul_overflow(by, value->i, &by) || lt__add_overflow(sum->constant, by, &sum->constant) ?
			too_large(s, at) : LT_OK;
	if (n && names && !value)
		return lt__script_fail(s, at, LT_EINVAL, "Unknown axis '%.*s': the axes are named before the colon", n < 60 ? n : 60,
			word);
	s->cursor = mark;
	if (!value && c != '$')
		return lt__script_unexpected(s, names ? "an axis, a run-time scalar such as $1 or an integer" :
			"a run-time scalar such as $1 or an integer");
	LT_TRY(scalar_reference(s, &param));
	return sum_add(s, sum, by, param, -1);
}

lt_status lt__script_sum(struct lt_script *s, const struct lt_names *names, struct lt_script_sum *out)
{
	int c = lt__lex_peek(&s->cursor);
	*out = (struct lt_script_sum){ 0 };
	if (c == '-')
		lt__lex_step(&s->cursor);
	LT_TRY(read_term(s, names, c == '-' ? -1 : 1, out));
	while ((c = lt__lex_peek(&s->cursor)) == '+' || c == '-') {
		lt__lex_step(&s->cursor);
		LT_TRY(read_term(s, names, c == '-' ? -1 : 1, out));
	}
	return LT_OK;
}

lt_status lt__script_minus(struct lt_script *s, struct lt_script_sum *l, const struct lt_script_sum *r)
{
	if (__builtin_sub_overflow(l->constant, r->constant, &l->constant))
		return too_large(s, s->cursor.position);
	for (int32_t i = 0; i < r->n; i++)
		LT_TRY(r->coef[i] == INT64_MIN ? too_large(s, s->cursor.position) :
			sum_add(s, l, -r->coef[i], r->param[i], r->name[i]));
	return LT_OK;
}

/* $n <= 64 alone: any run-time value, whose range is that of the extent. */
static bool is_lone(struct lt_script *s, struct lt_arg *a)
{
	struct lt_cursor mark = s->cursor, look = s->cursor;
	const char *word;
	int32_t n_named = s->n_named, n;
	bool dollar = lt__lex_peek(&look) == '$';
	if (dollar)
		lt__lex_step(&look);
	n = dollar ? lt__lex_digits(&look, &word) : lt__lex_word(&look, &word);
	const struct lt_arg *value = dollar || !n ? NULL : lt__script_lookup(s, word, n);
	if (!n || lt__lex_peek(&look) != '<' || (!dollar && (!value || value->kind != LT_ARG_NODE)))
		return false;
	if (!lt__script_refer(s, a) && s->statement[a->statement].scalar == 0)
		return true;
	s->cursor = mark;
	s->n_named = n_named;
	return false;
}

static lt_status read_limit(struct lt_script *s, int64_t *extent)
{
	LT_TRY(lt__script_expect(s, '<', "'<=' and the most that the extent may be"));
	if (s->cursor.at == s->cursor.end || *s->cursor.at != '=')
		return lt__script_unexpected(s, "'<=' and the most that the extent may be");
	lt__lex_step(&s->cursor);
	int c = lt__lex_peek(&s->cursor);
	if (c != '-' && (c < '0' || c > '9'))
		return lt__script_unexpected(s, "an integer");
	return lt__script_whole_number(s, extent);
}

/* A statement that is skipped has neither nodes nor scalars. */
static bool is_built(const struct lt_script *s)
{
	return !s->skip || !s->skip[s->n_statement];
}

lt_status lt__script_dim(struct lt_script *s, int64_t *extent, const struct lt_linear **limit)
{
	struct lt_linear *l = LT_NEW(s->arena, struct lt_linear, 1);
	struct lt_script_sum sum = { 0 };
	struct lt_arg a;
	*limit = NULL;
	if (is_lone(s, &a)) {
		LT_TRY(read_limit(s, extent));
		lt_param p = is_built(s) ? lt__script_param(s, &a, 0, *extent < 0 ? 0 : *extent, "A run-time extent") : 0;
		if (p < 0)
			return lt__script_locate(s);
		LT_TRY(sum_add(s, &sum, 1, p, -1));
	} else {
		LT_TRY(lt__script_sum(s, NULL, &sum));
		if (!sum.n && lt__lex_peek(&s->cursor) != '<') {
			*extent = sum.constant;
			return LT_OK;
		}
		LT_TRY(read_limit(s, extent));
	}
	*limit = l;
	return is_built(s) ? lt__linear_make(s->graph, sum.constant, sum.n, sum.param, sum.coef, l) : LT_OK;
}

bool lt__script_is_limited(struct lt_script *s)
{
	const char *c = s->cursor.at;
	if (lt__lex_peek(&s->cursor) != '[')
		return false;
	for (c = s->cursor.at; c < s->cursor.end && *c != ']' && *c != ';'; c++)
		if (*c == '<')
			return true;
	return false;
}

lt_status lt__script_limited(struct lt_script *s, struct lt_arg *a)
{
	int64_t *list = LT_NEW(s->arena, int64_t, LT_MAX_RANK);
	a->limit = LT_NEW(s->arena, const struct lt_linear *, LT_MAX_RANK);
	lt__lex_step(&s->cursor);
	for (a->n = 0; lt__lex_peek(&s->cursor) != ']'; a->n++) {
		if (a->n)
			LT_TRY(lt__script_expect(s, ',', "',' or ']'"));
		if (a->n == LT_MAX_RANK)
			return lt__script_fail(s, a->position, LT_EUNSUPPORTED, "A shape of more than %d dimensions", LT_MAX_RANK);
		LT_TRY(lt__script_dim(s, &list[a->n], &a->limit[a->n]));
	}
	lt__lex_step(&s->cursor);
	a->list = list;
	lt__script_take_named(s, a);
	return LT_OK;
}

/* require $2 - $3 >= 0 "text"; */
lt_status lt__script_require(struct lt_script *s, struct lt_position at)
{
	struct lt_script_sum sum, right;
	const char *text = "a requirement of the script is not met";
	int32_t n;
	LT_TRY(lt__script_sum(s, NULL, &sum));
	int c = lt__lex_peek(&s->cursor);
	if (c != '>' && c != '<' && c != '=')
		return lt__script_unexpected(s, "'>=', '<=' or '=='");
	lt__lex_step(&s->cursor);
	LT_TRY(lt__script_expect(s, '=', "'>=', '<=' or '=='"));
	LT_TRY(lt__script_sum(s, NULL, &right));
	LT_TRY(c == '<' ? lt__script_minus(s, &right, &sum) : lt__script_minus(s, &sum, &right));
	if (lt__lex_peek(&s->cursor) == '"')
		LT_TRY(lt__script_string(s, &text, &n));
	for (int32_t i = 0; i < s->n_named; i++)
		s->statement[s->named[i]].needed = true;
	s->n_named = 0;
	LT_TRY(lt__script_end(s));
	const struct lt_script_sum *value = c == '<' ? &right : &sum;
	s->here = at;
	lt_graph_at(s->graph, at.line, at.column);
	return lt_graph_require(s->graph, c == '=', value->constant, value->n, value->param, value->coef, text) ?
		lt__script_locate(s) : LT_OK;
}
