/* frontends/script/args.c -- arguments of a node, read by the pattern of its row in nodes.def.
 *
 * pattern = item {", " item}; "?" after an item: it may be left out; "=value": left out, this holds;
 * "...": one or more of it, at the end.  An item that may be left out is left out where what
 * is in its place cannot be one, so LayerNormNode($x, 1e-6) needs no weights.
 */
#include <math.h>
#include <string.h>
#include "frontends/script/script.h"
#include "ir/nearest.h"

struct item {
	enum lt_arg_kind kind;
	bool optional, many;
	const char *value;      /* default, up to `end`; NULL: none */
	const char *end;
};

static enum lt_arg_kind kind_of(const char *word, const char *end)
{
	static const struct { const char *word; enum lt_arg_kind kind; } words[] = {
		{ "name", LT_ARG_NAME }, { "type", LT_ARG_TYPE }, { "layout", LT_ARG_LAYOUT }, { "value", LT_ARG_NUMBER },
		{ "eps", LT_ARG_NUMBER }, { "scale", LT_ARG_NUMBER }, { "equation", LT_ARG_EQUATION }, { "op", LT_ARG_NAME },
		{ "axes", LT_ARG_AXES }, { "pieces", LT_ARG_PIECES }, { "[shape]", LT_ARG_SHAPE },
	};
	size_t n = (size_t)(end - word);
	if (*word == '$' && n > 4 && memcmp(end - 4, "|sum", 4) == 0)
		return LT_ARG_OFFSET;
	if (*word == '$')
		return n > 4 && memcmp(end - 4, "|int", 4) == 0 ? LT_ARG_NODE_OR_INT : LT_ARG_NODE;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == n && memcmp(words[i].word, word, n) == 0)
			return words[i].kind;
	return *word == '[' ? LT_ARG_LIST : LT_ARG_INT;
}

/* The item at p; returns what is after it, NULL at the pattern's end. */
static const char *next_item(const char *p, struct item *out)
{
	memset(out, 0, sizeof *out);
	if (!*p)
		return NULL;
	int depth = 0;
	const char *word = p, *end = NULL;
	for (; *p && (depth || (*p != ',' && *p != ':')); p++) {
		depth += (*p == '[') - (*p == ']');
		if (!depth && !end && (*p == '?' || *p == '=' || *p == '.'))
			end = p;
		if (!depth && *p == '=')
			out->value = p + 1;
	}
	out->end = p;
	if (!end)
		end = p;
	out->kind = kind_of(word, end);
	out->optional = *end == '?' || *end == '=';
	out->many = p - word > 3 && !memcmp(p - 3, "...", 3);
	while (*p == ',' || *p == ':' || *p == ' ')
		p++;
	return p;
}

lt_status lt__script_unexpected(struct lt_script *s, const char *expected)
{
	char found[32];
	int c = lt__lex_peek(&s->cursor);
	if (c < 0)
		return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Unexpected end of script, expected %s", expected);
	if (c == ';')
		return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Unexpected end of expression, expected %s", expected);
	return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Unexpected symbol %s, expected %s",
		lt__lex_found(&s->cursor, found, sizeof found), expected);
}

lt_status lt__script_expect(struct lt_script *s, char c, const char *what)
{
	if (lt__lex_peek(&s->cursor) != (unsigned char)c)
		return lt__script_unexpected(s, what);
	lt__lex_step(&s->cursor);
	return LT_OK;
}

lt_status lt__script_reference(struct lt_script *s, int32_t *statement)
{
	lt__lex_peek(&s->cursor);
	struct lt_position at = s->cursor.position;
	const char *text;
	LT_TRY(lt__script_expect(s, '$', "a node such as $1"));
	int32_t n = lt__lex_digits(&s->cursor, &text);
	if (!n)
		return lt__script_unexpected(s, "the node's number");
	while (n > 1 && *text == '0')
		text++, n--;
	*statement = lt__names_find(s->ids, text, (size_t)n);
	if (*statement < 0) {
		struct lt_nearest near;
		lt__nearest_begin(&near, text, (size_t)n);
		for (int32_t i = 0; i < s->n_statement; i++)
			lt__nearest_add(&near, lt__arena_format(s->arena, "%.*s", s->statement[i].id_bytes, s->statement[i].id));
		return lt__script_fail(s, at, LT_EINVAL,
			"Expression references unknown node: $%.*s is not defined before it is used%s", n < 40 ? n : 40,
			text, lt__nearest_hint(s->ctx, &near, "$", ""));
	}
	return LT_OK;
}

/* How much of a number a message shows. */
static int quoted(size_t bytes)
{
	return bytes < 40 ? (int)bytes : 40;
}

static lt_status read_integer(struct lt_script *s, int64_t *out)
{
	double value;
	bool whole, overflow;
	int c = lt__lex_peek(&s->cursor);
	struct lt_position at = s->cursor.position;
	const char *text = s->cursor.at;
	if (c != '-' && (c < '0' || c > '9'))
		return lt__script_unexpected(s, "an integer");
	if (!lt__lex_number(&s->cursor, &value, out, &whole, &overflow))
		return lt__script_unexpected(s, "an integer");
	if (overflow)
		return lt__script_fail(s, at, LT_EOVERFLOW, "Integer exceeds 63 bits");
	if (!whole)
		return lt__script_fail(s, at, LT_ESYNTAX, "Unexpected symbol, expected an integer, found %.*s",
			quoted((size_t)(s->cursor.at - text)), text);
	return LT_OK;
}

/* Whether a sum of run-time scalars is next, and not an integer. */
static bool is_sum(struct lt_script *s)
{
	struct lt_cursor c = s->cursor;
	const char *text;
	lt__lex_digits(&c, &text);
	int next = lt__lex_peek(&c);
	return (next > 0 && strchr("$<*", next)) || (c.at > text && (next == '+' || next == '-'));
}

static lt_status read_list(struct lt_script *s, struct lt_arg *a)
{
	s->n_number = 0;
	LT_TRY(lt__script_expect(s, '[', "a list such as [2, 3]"));
	while (lt__lex_peek(&s->cursor) != ']') {
		const struct lt_linear *limit = NULL;
		if (s->n_number)
			LT_TRY(lt__script_expect(s, ',', "',' or ']'"));
		LT_GROW(s->arena, s->number, s->n_number, s->cap_number);
		int64_t *number = &s->number[s->n_number];
		LT_TRY(a->kind == LT_ARG_SHAPE && is_sum(s) ? lt__script_dim(s, number, &limit) : read_integer(s, number));
		if (limit && !a->limit)
			a->limit = LT_NEW(s->arena, const struct lt_linear *, LT_MAX_RANK);
		if (limit && s->n_number >= LT_MAX_RANK)
			return lt__script_fail(s, a->position, LT_EUNSUPPORTED, "A shape of more than %d dimensions", LT_MAX_RANK);
		if (limit)
			a->limit[s->n_number] = limit;
		s->n_number++;
	}
	if (a->limit && s->n_number > LT_MAX_RANK)
		return lt__script_fail(s, a->position, LT_EUNSUPPORTED, "A shape of more than %d dimensions", LT_MAX_RANK);
	lt__lex_step(&s->cursor);
	a->n = s->n_number;
	a->list = lt__arena_copy(s->arena, s->number, (size_t)a->n * sizeof *a->list);
	return LT_OK;
}

static lt_status read_name(struct lt_script *s, struct lt_arg *a)
{
	if (a->kind == LT_ARG_NAME)
		LT_TRY(lt__script_text_name(s, &a->text, &a->n));
	if (a->text)
		return LT_OK;
	a->n = lt__lex_name(&s->cursor, a->kind == LT_ARG_NAME ? ",)" : ",);", &a->text);
	if (!a->n && s->cursor.at < s->cursor.end && !*s->cursor.at)
		return lt__script_unexpected(s, "a name");
	if (!a->n && a->kind == LT_ARG_NAME)
		return lt__script_fail(s, a->position, LT_ESYNTAX, "Empty name");
	if (!a->n)
		return lt__script_unexpected(s, "a type such as float32");
	int c = lt__lex_peek(&s->cursor);
	if (c > 0 && c != ',' && c != ')' && a->kind == LT_ARG_NAME)
		return lt__script_fail(s, s->cursor.position, LT_ESYNTAX,
			"Unexpected symbol, expected ',' or ')': a name has no white space, and ends at ',' or ')'");
	return LT_OK;
}

static lt_status read_type(struct lt_script *s, struct lt_arg *a)
{
	struct lt_text known = { .arena = s->arena };
	LT_TRY(read_name(s, a));
	int dtype = lt__dtype_find_script(a->text, (size_t)a->n);
	if (dtype) {
		a->dtype = (enum lt_dtype)dtype;
		return LT_OK;
	}
	for (int i = 1; i < LT_NDTYPE; i++)
		lt__text_format(&known, "%s%s", i > 1 ? ", " : "", lt__dtype_script((enum lt_dtype)i));
	const char *near = lt__nearest_dtype(s->ctx, true, a->text, (size_t)a->n);
	return lt__script_fail(s, a->position, LT_ETYPE, "Unknown value type '%.*s'%s%s%s%s", a->n < 40 ? a->n : 40,
		a->text, near, *near ? " (there are " : "; there are ", known.at, *near ? ")" : "");
}

static lt_status read_layout(struct lt_script *s, struct lt_arg *a)
{
	a->n = lt__lex_word(&s->cursor, &a->text);
	if (a->n != 4 || (memcmp(a->text, "NCHW", 4) && memcmp(a->text, "NHWC", 4)))
		return lt__script_fail(s, a->position, LT_ESYNTAX, "Unknown layout '%.*s', expected NCHW or NHWC",
			a->n < 40 ? a->n : 40, a->text);
	a->layout = a->text[1] == 'C' ? LT_NCHW : LT_NHWC;
	return LT_OK;
}

/* bits(0x7fc00001): the pattern of a float. */
static bool read_bits(struct lt_script *s, struct lt_arg *a)
{
	const char *word, *begin = s->cursor.at;
	uint64_t bits = 0;
	int32_t n = 0;
	if (lt__lex_word(&s->cursor, &word) != 4 || memcmp(word, "bits", 4) || lt__lex_peek(&s->cursor) != '(')
		return false;
	lt__lex_step(&s->cursor);
	if (lt__lex_peek(&s->cursor) != '0' || s->cursor.end - s->cursor.at < 3 || s->cursor.at[1] != 'x')
		return false;
	lt__lex_step(&s->cursor);
	lt__lex_step(&s->cursor);
	for (; n < 16 && s->cursor.at < s->cursor.end && lt__lex_hex(s->cursor.at) >= 0; n++) {
		bits = bits << 4 | (uint64_t)lt__lex_hex(s->cursor.at);
		lt__lex_step(&s->cursor);
	}
	if (!n || lt__lex_peek(&s->cursor) != ')')
		return false;
	lt__lex_step(&s->cursor);
	a->bits = true;
	a->i = (int64_t)bits;
	a->text = begin;
	a->n = (int32_t)(s->cursor.at - begin);
	return true;
}

lt_status lt__script_number(struct lt_script *s, struct lt_arg *a)
{
	bool overflow;
	lt__lex_peek(&s->cursor);
	struct lt_cursor mark = s->cursor;
	if (read_bits(s, a))
		return LT_OK;
	s->cursor = mark;
	if (!lt__lex_number(&s->cursor, &a->number, &a->i, &a->whole, &overflow)) {
		s->cursor = mark;
		return lt__script_unexpected(s, "a number");
	}
	a->whole = a->whole && !overflow;
	a->text = mark.at;
	a->n = quoted((size_t)(s->cursor.at - mark.at));
	if (isinf(a->number) && s->cursor.at[-1] != 'f')
		return lt__script_fail(s, a->position, LT_EOVERFLOW,
			"The number %.*s exceeds float64; write inf if that is meant", a->n, a->text);
	return LT_OK;
}

/* Text up to the colon, without white space. */
static lt_status read_equation(struct lt_script *s, struct lt_arg *a)
{
	struct lt_text text = { .arena = s->arena };
	int c;
	while ((c = lt__lex_peek(&s->cursor)) != ':') {
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		if (c < 0 || (!letter && c != ',' && c != '-' && c != '>'))
			return lt__script_unexpected(s, "an equation such as mk,kn->mn and a colon");
		bool arrow = c == '-' && s->cursor.end - s->cursor.at > 1 && s->cursor.at[1] == '>';
		if (c == '-' && !arrow)
			return lt__script_unexpected(s, "an equation such as mk,kn->mn, with no white space within ->");
		for (int32_t i = 0; i <= arrow; i++) {
			lt__text_add(&text, s->cursor.at, 1);
			lt__lex_step(&s->cursor);
		}
	}
	lt__text_add(&text, "", 1);
	a->text = text.at;
	a->n = (int32_t)text.n - 1;
	return LT_OK;
}

static lt_status read_node(struct lt_script *s, struct lt_arg *a)
{
	if (a->kind == LT_ARG_NODE_OR_INT && lt__lex_peek(&s->cursor) != '$')
		return read_integer(s, &a->i);
	LT_TRY(lt__script_reference(s, &a->statement));
	a->node = s->statement[a->statement].node;
	LT_GROW(s->arena, s->use, s->n_use, s->cap_use);
	s->use[s->n_use++] = a->statement;
	return LT_OK;
}

static lt_status read_arg(struct lt_script *s, struct lt_arg *a)
{
	lt__lex_peek(&s->cursor);
	a->position = s->cursor.position;
	switch (a->kind) {
	case LT_ARG_NODE:
	case LT_ARG_NODE_OR_INT: return read_node(s, a);
	case LT_ARG_LIST:
	case LT_ARG_SHAPE:       return read_list(s, a);
	case LT_ARG_OFFSET:      return lt__script_offset(s, a);
	case LT_ARG_AXES:        return lt__script_read_axes(s, a);
	case LT_ARG_PIECES:      return lt__script_read_pieces(s, a);
	case LT_ARG_NAME:        return read_name(s, a);
	case LT_ARG_TYPE:        return read_type(s, a);
	case LT_ARG_LAYOUT:      return read_layout(s, a);
	case LT_ARG_NUMBER:      return lt__script_number(s, a);
	case LT_ARG_EQUATION:    return read_equation(s, a);
	case LT_ARG_INT:         return read_integer(s, &a->i);
	}
	return LT_OK;
}

/* A name that may be left out (BufferTensor): a list after the first comma says that it was. */
static bool name_stands(struct lt_script *s)
{
	struct lt_cursor c = s->cursor;
	const char *text;
	lt__lex_name(&c, ",)", &text);
	if (lt__lex_peek(&c) != ',')
		return true;
	lt__lex_step(&c);
	return lt__lex_peek(&c) != '[';
}

/* Whether the next byte can begin an argument of that kind. */
static bool can_begin(struct lt_script *s, const struct item *item)
{
	int c = lt__lex_peek(&s->cursor);
	bool integer = c == '-' || (c >= '0' && c <= '9');
	bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
	switch (item->kind) {
	case LT_ARG_NODE:        return c == '$';
	case LT_ARG_NODE_OR_INT:
	case LT_ARG_OFFSET:      return c == '$' || integer;
	case LT_ARG_LIST:
	case LT_ARG_SHAPE:
	case LT_ARG_AXES:        return c == '[';
	case LT_ARG_NAME:        return !item->optional || name_stands(s);
	case LT_ARG_TYPE:
	case LT_ARG_PIECES:
	case LT_ARG_EQUATION:    return true;
	case LT_ARG_LAYOUT:      return letter;
	case LT_ARG_NUMBER:      return integer || letter || c == '+' || c == '.';
	case LT_ARG_INT:         return integer;
	}
	return false;
}

static const char *expected(enum lt_arg_kind kind)
{
	static const char *const text[] = {
		[LT_ARG_NODE] = "a node such as $1", [LT_ARG_NODE_OR_INT] = "a node such as $1 or an integer",
		[LT_ARG_LIST] = "a list such as [2, 3]", [LT_ARG_SHAPE] = "a list such as [2, 3]",
		[LT_ARG_OFFSET] = "a node such as $1 or an integer", [LT_ARG_AXES] = "axes such as [i: 2, j: 3]",
		[LT_ARG_PIECES] = "an element such as $1[i, j]", [LT_ARG_NAME] = "a name", [LT_ARG_TYPE] = "a type such as float32",
		[LT_ARG_LAYOUT] = "NCHW or NHWC", [LT_ARG_NUMBER] = "a number", [LT_ARG_EQUATION] = "an equation",
		[LT_ARG_INT] = "an integer",
	};
	return text[kind];
}

static struct lt_arg *new_arg(struct lt_script *s, enum lt_arg_kind kind)
{
	LT_GROW(s->arena, s->arg, s->n_arg, s->cap_arg);
	struct lt_arg *a = &s->arg[s->n_arg++];
	memset(a, 0, sizeof *a);
	a->kind = kind;
	a->statement = a->node = -1;
	a->position = s->cursor.position;
	return a;
}

/* The default is in the pattern and is read as if it was in the script. */
static lt_status read_default(struct lt_script *s, const struct item *item)
{
	struct lt_arg *a = new_arg(s, item->kind);
	if (!item->value)
		return LT_OK;
	struct lt_cursor mark = s->cursor;
	struct lt_position position = a->position;
	s->cursor.at = item->value;
	s->cursor.end = item->end;
	lt_status status = read_arg(s, a);
	s->cursor = mark;
	a->position = position;
	return status;
}

/* Reads one argument and the separator after it; *more: another one has to follow. */
static lt_status read_given(struct lt_script *s, const struct item *item, bool *more)
{
	int32_t i = s->n_arg;
	new_arg(s, item->kind);
	struct lt_arg a = s->arg[i];
	LT_TRY(read_arg(s, &a));
	a.given = true;
	s->arg[i] = a;
	if (item->kind == LT_ARG_EQUATION || item->kind == LT_ARG_AXES)
		return lt__script_expect(s, ':', "':'");
	*more = lt__lex_peek(&s->cursor) == ',';
	if (*more)
		lt__lex_step(&s->cursor);
	else if (lt__lex_peek(&s->cursor) != ')')
		return lt__script_unexpected(s, "',' or ')'");
	return LT_OK;
}

lt_status lt__script_args(struct lt_script *s, const struct lt_script_node *type)
{
	struct item item;
	const char *p = type->pattern;
	bool skipped = false;
	s->n_arg = 0;
	LT_TRY(lt__script_expect(s, '(', "'('"));
	bool more = lt__lex_peek(&s->cursor) != ')';
	while ((p = next_item(p, &item))) {
		if (more && can_begin(s, &item)) {
			do
				LT_TRY(read_given(s, &item, &more));
			while (item.many && more);
		} else if (item.optional) {
			LT_TRY(read_default(s, &item));
			skipped = true;
		} else if (more) {
			return lt__script_unexpected(s, expected(item.kind));
		} else {
			return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Too few arguments, expected %s(%s)",
				type->name, type->pattern);
		}
	}
	int c = lt__lex_peek(&s->cursor);
	if (more && (c < 0 || c == ';' || c == ')'))
		return lt__script_unexpected(s, "an argument");
	if (more)
		return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "%s, expected %s(%s)",
			skipped ? "Unexpected argument" : "Too many arguments", type->name, type->pattern);
	return lt__script_expect(s, ')', "')'");
}
