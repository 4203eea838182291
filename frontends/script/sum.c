/* frontends/script/sum.c -- sums of run-time scalars and integers: extents, offsets, requirements, rows of views. */
#include <string.h>
#include "frontends/script/script.h"

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

static lt_status whole_number(struct lt_script *s, int64_t *out)
{
	double value;
	bool whole, overflow;
	struct lt_position at = s->cursor.position;
	if (!lt__lex_number(&s->cursor, &value, out, &whole, &overflow) || !whole)
		return lt__script_fail(s, at, LT_ESYNTAX, "Unexpected symbol, expected an integer");
	return overflow ? lt__script_fail(s, at, LT_EOVERFLOW, "Integer exceeds 63 bits") : LT_OK;
}

/* $5: the scalar that a ScalarNode declares. */
static lt_status scalar_reference(struct lt_script *s, int32_t *statement)
{
	lt__lex_peek(&s->cursor);
	struct lt_position at = s->cursor.position;
	LT_TRY(lt__script_reference(s, statement));
	LT_GROW(s->arena, s->use, s->n_use, s->cap_use);
	s->use[s->n_use++] = *statement;
	if (s->statement[*statement].scalar >= 0 || (s->skip && s->skip[*statement]))
		return LT_OK;
	const struct lt_arg a = { .statement = *statement, .node = s->statement[*statement].node };
	return lt__script_fail(s, at, LT_EINVAL,
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
		LT_TRY(whole_number(s, &by));
		if (lt__lex_peek(&s->cursor) != '*')
			return lt__mul_overflow(by, sign, &by) || lt__add_overflow(sum->constant, by, &sum->constant) ?
				too_large(s, at) : LT_OK;
		lt__lex_step(&s->cursor);
		c = lt__lex_peek(&s->cursor);
		at = s->cursor.position;
	}
	by *= sign;
	if (c == '$') {
		LT_TRY(scalar_reference(s, &found));
		return sum_add(s, sum, by, s->statement[found].scalar, -1);
	}
	const char *word;
	int32_t n = names ? lt__lex_word(&s->cursor, &word) : 0;
	if (!n)
		return lt__script_unexpected(s, names ? "an axis, a run-time scalar such as $1 or an integer" :
			"a run-time scalar such as $1 or an integer");
	found = lt__names_find(names, word, (size_t)n);
	if (found < 0)
		return lt__script_fail(s, at, LT_EINVAL, "Unknown axis '%.*s': the axes are named before the colon", n < 60 ? n : 60,
			word);
	return sum_add(s, sum, by, -1, found);
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

lt_status lt__script_linear(struct lt_script *s, const struct lt_script_sum *sum, struct lt_linear *out)
{
	return lt__linear_make(s->graph, sum->constant, sum->n, sum->param, sum->coef, out);
}

/* $n <= 64 alone: any run-time value, whose range is that of the extent. */
static bool lone_value(struct lt_script *s, struct lt_arg *a)
{
	struct lt_cursor mark = s->cursor;
	int32_t statement, n_use = s->n_use;
	a->position = mark.position;
	if (lt__lex_peek(&s->cursor) == '$' && !lt__script_reference(s, &statement) && lt__lex_peek(&s->cursor) == '<'
		&& s->statement[statement].scalar < 0) {
		a->statement = statement;
		a->node = s->statement[statement].node;
		LT_GROW(s->arena, s->use, s->n_use, s->cap_use);
		s->use[s->n_use++] = statement;
		return true;
	}
	s->cursor = mark;
	s->n_use = n_use;
	return false;
}

static lt_status at_most(struct lt_script *s, int64_t *extent)
{
	LT_TRY(lt__script_expect(s, '<', "'<=' and the most that the extent may be"));
	if (s->cursor.at == s->cursor.end || *s->cursor.at != '=')
		return lt__script_unexpected(s, "'<=' and the most that the extent may be");
	lt__lex_step(&s->cursor);
	int c = lt__lex_peek(&s->cursor);
	if (c != '-' && (c < '0' || c > '9'))
		return lt__script_unexpected(s, "an integer");
	return whole_number(s, extent);
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
	struct lt_arg a = { .statement = -1 };
	*limit = NULL;
	lt__lex_peek(&s->cursor);
	if (lone_value(s, &a)) {
		LT_TRY(at_most(s, extent));
		lt_param p = is_built(s) ? lt__script_param(s, &a, 0, *extent < 0 ? 0 : *extent, "A run-time extent") : 0;
		if (p < 0)
			return s->ctx->code;
		LT_TRY(sum_add(s, &sum, 1, p, -1));
	} else {
		s->ctx->code = LT_OK;
		LT_TRY(lt__script_sum(s, NULL, &sum));
		if (!sum.n && lt__lex_peek(&s->cursor) != '<') {
			*extent = sum.constant;
			return LT_OK;
		}
		LT_TRY(at_most(s, extent));
	}
	*limit = l;
	return is_built(s) ? lt__script_linear(s, &sum, l) : LT_OK;
}

lt_status lt__script_offset(struct lt_script *s, struct lt_arg *a)
{
	if (lt__lex_peek(&s->cursor) != '$')
		return whole_number(s, &a->i);
	LT_TRY(lt__script_reference(s, &a->statement));
	a->node = s->statement[a->statement].node;
	LT_GROW(s->arena, s->use, s->n_use, s->cap_use);
	s->use[s->n_use++] = a->statement;
	int c = lt__lex_peek(&s->cursor);
	if (c != '+' && c != '-')
		return LT_OK;
	lt__lex_step(&s->cursor);
	c = c == '-' ? -1 : 1;
	lt__lex_peek(&s->cursor);
	LT_TRY(whole_number(s, &a->i));
	a->i *= c;
	a->whole = true;
	return LT_OK;
}

/* require $2 - $3 >= 0 "text"; */
lt_status lt__script_require(struct lt_script *s)
{
	struct lt_script_sum sum, right;
	struct lt_linear value;
	const char *text = "a requirement of the script is not met";
	int32_t n, first = s->n_use;
	struct lt_position at = s->cursor.position;
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
	for (int32_t i = first; i < s->n_use; i++)
		s->statement[s->use[i]].needed = true;
	LT_TRY(lt__script_expect(s, ';', "';'"));
	LT_TRY(lt__script_linear(s, c == '<' ? &right : &sum, &value));
	lt_graph_at(s->graph, at.line, at.column);
	return lt_graph_require(s->graph, c == '=', value.constant, value.n, value.param, value.coef, text);
}
