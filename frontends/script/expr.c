/* expr.c -- expressions: operands with the operators of infix.def between them. */
#include <string.h>
#include "frontends/script/script.h"

struct infix { const char *symbol; int level; const char *node; bool prefix; };
static const struct infix operators[] = {
#define INFIX(symbol, level, node) { symbol, level, #node, false },
#define PREFIX(symbol, level, node) { symbol, level, #node, true },
#include "frontends/script/infix.def"
};
enum { N_OPERATOR = sizeof operators / sizeof *operators, COMPARISON = 1, POWER = 8 };

static lt_status read_binary(struct lt_script *s, int level, const char *expected, struct lt_arg *out);

/* The longest operator at the cursor, NULL: none. */
static const struct infix *operator_at(struct lt_script *s, bool prefix)
{
	const struct infix *found = NULL;
	lt__lex_peek(&s->cursor);
	size_t left = (size_t)(s->cursor.end - s->cursor.at), most = 0;
	for (int32_t i = 0; i < N_OPERATOR; i++) {
		size_t n = strlen(operators[i].symbol);
		if (operators[i].prefix != prefix || n > left || n <= most || memcmp(operators[i].symbol, s->cursor.at, n))
			continue;
		found = &operators[i];
		most = n;
	}
	return found;
}

static void step_over(struct lt_script *s, const struct infix *op)
{
	for (const char *c = op->symbol; *c; c++)
		lt__lex_step(&s->cursor);
}

static const struct lt_script_node *node_named(const struct lt_script *s, const char *name)
{
	return &s->type[lt__names_find(s->types, name, strlen(name))];
}

/* Whether the statement ends at the cursor, so that its value has the statement's name; what follows in the statement
 * is looked at before a value is made. */
static lt_status find_end(struct lt_script *s, bool *is)
{
	int c = lt__lex_peek(&s->cursor);
	*is = s->level == 1 && s->target.named && (c == ';' || c == ',');
	if (s->level == 1 && c != ',' && c != '[' && !operator_at(s, false))
		return lt__script_follow(s);
	return LT_OK;
}

/* left op right, or op left: right NULL.  Numbers alone give a number. */
static lt_status combine(struct lt_script *s, const struct infix *op, struct lt_position at,
	const struct lt_cursor *from, const struct lt_arg *left, const struct lt_arg *right, struct lt_arg *out)
{
	const struct lt_script_node *type = node_named(s, op->node);
	const struct lt_arg *const operand[] = { left, right };
	int32_t first = s->n_arg, n = right ? 2 : 1, n_number = 0;
	for (int32_t i = 0; i < n; i++) {
		const struct lt_arg *x = operand[i];
		if (x->kind != LT_ARG_NODE && x->kind != LT_ARG_NUMBER)
			return lt__script_fail(s, x->position, LT_ETYPE, "Unexpected operand of %s: %s is %s, expected a value or a number",
				op->symbol, x->shown ? x->shown : "this", lt__script_kind(x));
		n_number += x->kind == LT_ARG_NUMBER;
	}
	if (n_number == n)
		return lt__script_fold(s, type, at, op->symbol, left, right, out);
	if (n_number && !type->numbers)
		return lt__script_fail(s, at, LT_ETYPE, "Unexpected number: %s takes two values, expected "
				LT_EXPECTED_NODE, op->symbol);
	if (right)
		LT_TRY(lt__script_check_bits(s, type, op->symbol, left, right));
	for (int32_t i = 0; i < n; i++) {
		struct lt_arg *a = lt__script_new_arg(s, operand[i]->kind);
		*a = *operand[i];
		a->given = true;
	}
	bool last;
	LT_TRY(find_end(s, &last));
	return lt__script_add(s, type, first, from, last, out);
}

/* The cursor stays where no number is. */
static bool scan_number(struct lt_script *s, struct lt_arg *out)
{
	struct lt_cursor from = s->cursor;
	if (!lt__lex_number(&s->cursor, &out->number, &out->i, &out->whole, &out->overflow)) {
		s->cursor = from;
		return false;
	}
	size_t bytes = (size_t)(s->cursor.at - from.at);
	out->kind = LT_ARG_NUMBER;
	out->whole = out->whole && !out->overflow;
	out->huge = out->number - out->number != 0 && out->number == out->number && s->cursor.at[-1] != 'f';
	out->literal = true;
	out->text = from.at;
	out->n = bytes < 40 ? (int32_t)bytes : 40;
	return true;
}

static lt_status read_list(struct lt_script *s, struct lt_arg *out)
{
	int32_t first = s->n_number;
	lt__lex_step(&s->cursor);
	while (lt__lex_peek(&s->cursor) != ']') {
		struct lt_arg x;
		if (s->n_number > first)
			LT_TRY(lt__script_expect(s, ',', "',' or ']'"));
		LT_TRY(lt__script_take(s, LT_ARG_INT, "an integer", &x));
		LT_GROW(s->arena, s->number, s->n_number, s->cap_number);
		s->number[s->n_number++] = x.i;
	}
	lt__lex_step(&s->cursor);
	out->kind = LT_ARG_LIST;
	out->n = s->n_number - first;
	out->list = lt__arena_copy(s->arena, s->number + first, (size_t)out->n * sizeof *out->list);
	s->n_number = first;
	return LT_OK;
}

static bool is_layout(const char *word, int32_t n)
{
	return n == 4 && (memcmp(word, "NCHW", 4) == 0 || memcmp(word, "NHWC", 4) == 0);
}

static bool is_number_word(const char *word, int32_t n)
{
	struct lt_cursor c = { word, word + n, { 1, 1 } };
	double number;
	int64_t i;
	bool whole, overflow;
	return lt__lex_number(&c, &number, &i, &whole, &overflow);
}

static lt_status read_call(
	struct lt_script *s, const struct lt_cursor *from, const char *word, int32_t n, struct lt_arg *out)
{
	int32_t first = s->n_arg, i = lt__script_function(s, word, n);
	if (n == 4 && !memcmp(word, "bits", 4))
		return lt__script_pattern(s, from, out);
	if (i >= 0)
		return lt__script_call(s, i, from, out);
	i = lt__names_find(s->types, word, (size_t)n);
	if (i < 0)
		return lt__script_unknown_node(s, from->position, word, n);
	bool last;
	LT_TRY(lt__script_args(s, &s->type[i]));
	LT_TRY(find_end(s, &last));
	return lt__script_add(s, &s->type[i], first, from, last, out);
}

/* Where no name is used, in words of the original language. */
static lt_status refuse_word(
	struct lt_script *s, const char *expected, const struct lt_cursor *from, const char *word, int32_t n)
{
	bool statement = strcmp(expected, LT_EXPECTED_NODE_TYPE) == 0;
	bool callable = lt__script_function(s, word, n) >= 0 || lt__names_find(s->types, word, (size_t)n) >= 0;
	if (callable && (statement || s->names_used))
		return lt__script_expect(s, '(', "'('");
	if (s->names_used)
		return lt__script_unknown_name(s, from->position, word, n);
	if (statement)
		return lt__script_unknown_node(s, from->position, word, n);
	s->cursor = *from;
	return lt__script_unexpected(s, expected);
}

/* A call, a name, or a word that is a number, a type or a layout. */
static lt_status read_word(struct lt_script *s, const char *expected, struct lt_arg *out)
{
	struct lt_cursor from = s->cursor;
	const char *word;
	int32_t n = lt__lex_word(&s->cursor, &word);
	if (lt__lex_peek(&s->cursor) == '(')
		return read_call(s, &from, word, n, out);
	const struct lt_arg *value = lt__script_lookup(s, word, n);
	int dtype = lt__dtype_find_script(word, (size_t)n);
	if (value) {
		*out = *value;
	} else if (is_number_word(word, n)) {
		s->cursor = from;
		scan_number(s, out);
	} else if (dtype) {
		out->kind = LT_ARG_TYPE;
		out->dtype = (enum lt_dtype)dtype;
	} else if (is_layout(word, n)) {
		out->kind = LT_ARG_LAYOUT;
		out->layout = word[1] == 'C' ? LT_NCHW : LT_NHWC;
	} else {
		return refuse_word(s, expected, &from, word, n);
	}
	return LT_OK;
}

static lt_status read_primary(struct lt_script *s, const char *expected, struct lt_arg *out)
{
	int c = lt__lex_peek(&s->cursor);
	if (c == '$') {
		lt__lex_step(&s->cursor);
		return lt__script_reference(s, out);
	}
	if (c == '(') {
		struct lt_cursor from = s->cursor;
		lt__lex_step(&s->cursor);
		if (!s->names_used && !lt__script_begins(s)) {
			s->cursor = from;
			return lt__script_unexpected(s, expected);
		}
		LT_TRY(lt__script_expression(s, expected, out));
		return lt__script_expect(s, ')', "')'");
	}
	if (c == '[')
		return read_list(s, out);
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_')
		return read_word(s, expected, out);
	return scan_number(s, out) ? lt__script_check_glued(s, out) : lt__script_unexpected(s, expected);
}

/* x[2], with no white space before the bracket: ($1 [2, 3]) lacks a comma. */
static lt_status read_postfix(struct lt_script *s, const char *expected, struct lt_arg *out)
{
	lt__lex_peek(&s->cursor);
	struct lt_cursor from = s->cursor;
	*out = (struct lt_arg){ .position = from.position, .statement = -1, .node = -1 };
	LT_TRY(read_primary(s, expected, out));
	out->position = from.position;
	while ((out->kind == LT_ARG_NODE || out->kind == LT_ARG_LIST) && s->cursor.at < s->cursor.end
		&& *s->cursor.at == '[' && s->cursor.at[-1] > ' ') {
		struct lt_arg x = *out, at;
		lt__lex_step(&s->cursor);
		LT_TRY(lt__script_take(s, LT_ARG_INT, "an integer; GatherNode takes elements at computed places", &at));
		LT_TRY(lt__script_expect(
			s, ']', "']'; x[0][1] takes one element after the other, SliceNode(x, axis, begin, end) a part"));
		bool last;
		LT_TRY(find_end(s, &last));
		LT_TRY(lt__script_element(s, &x, &at, &from, last, out));
		out->position = from.position;
	}
	return LT_OK;
}

/* A sign that belongs to a number is part of it, but in -2 ** 2, which is -4. */
static bool signed_number(struct lt_script *s, struct lt_arg *out)
{
	struct lt_cursor from = s->cursor;
	*out = (struct lt_arg){ .position = from.position, .statement = -1, .node = -1 };
	if (scan_number(s, out)) {
		const struct infix *next = operator_at(s, false);
		if (!next || next->level < POWER || *from.at == '+')
			return true;
	}
	s->cursor = from;
	return false;
}

static lt_status read_unary(struct lt_script *s, const char *expected, struct lt_arg *out)
{
	int c = lt__lex_peek(&s->cursor);
	const struct infix *op = operator_at(s, true);
	struct lt_cursor from = s->cursor;
	struct lt_arg x;
	if (!op && c != '+')
		return read_postfix(s, expected, out);
	if ((c == '-' || c == '+') && signed_number(s, out))
		return lt__script_check_glued(s, out);
	if (!op)
		return lt__script_unexpected(s, expected);
	step_over(s, op);
	s->level++;
	LT_TRY(read_binary(s, op->level + 1, "a value or a number", &x));
	s->level--;
	if (x.literal && (*x.text == 'n' || *x.text == 't' || *x.text == 'f')) {
		s->cursor = from;               /* -nan, -true */
		return lt__script_unexpected(s, expected);
	}
	LT_TRY(combine(s, op, from.position, &from, &x, NULL, out));
	out->position = from.position;
	return LT_OK;
}

static lt_status read_binary(struct lt_script *s, int level, const char *expected, struct lt_arg *out)
{
	const struct infix *op;
	lt__lex_peek(&s->cursor);
	struct lt_cursor from = s->cursor;
	LT_TRY(lt__script_enter(s));
	LT_TRY(read_unary(s, expected, out));
	while ((op = operator_at(s, false)) && op->level >= level) {
		struct lt_position at = s->cursor.position;
		struct lt_arg left = *out, right;
		step_over(s, op);
		s->level++;
		LT_TRY(read_binary(s, op->level + (op->level != POWER), "a value or a number", &right));
		s->level--;
		const struct infix *next = operator_at(s, false);
		if (op->level == COMPARISON && next && next->level == COMPARISON)
			return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Unexpected symbol %s: comparisons do not chain, "
				"a < b < c is (a < b) & (b < c)", next->symbol);
		LT_TRY(combine(s, op, at, &from, &left, &right, out));
		out->position = from.position;
	}
	s->depth--;
	return LT_OK;
}

lt_status lt__script_expression(struct lt_script *s, const char *expected, struct lt_arg *out)
{
	s->level++;
	LT_TRY(read_binary(s, 0, expected, out));
	s->level--;
	return LT_OK;
}
