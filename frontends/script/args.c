/* args.c -- arguments of a node, read by the pattern of its row in nodes.def.
 *
 * pattern = item {", " item}; "?" after an item: it may be left out; "=value": left out, this holds;
 * "...": one or more of it, at the end; "one|other": a choice of words, of which the first holds where none is there.
 * An item that may be left out is left out where what is in its place cannot be one, so LayerNormNode($x, 1e-6) needs
 * no weights.
 */
#include <math.h>
#include <string.h>
#include "frontends/script/script.h"

struct item {
	enum lt_arg_kind kind;
	bool optional, many;
	const char *value;      /* default, up to `end`; NULL: none */
	const char *end;
	const char *words;      /* of a choice, up to `end` */
};

static enum lt_arg_kind kind_of(const char *word, const char *end)
{
	static const struct { const char *word; enum lt_arg_kind kind; } words[] = {
		{ "name", LT_ARG_NAME }, { "type", LT_ARG_TYPE }, { "layout", LT_ARG_LAYOUT }, { "value", LT_ARG_NUMBER },
		{ "eps", LT_ARG_NUMBER }, { "scale", LT_ARG_NUMBER }, { "equation", LT_ARG_EQUATION },
		{ "alpha", LT_ARG_NUMBER }, { "beta", LT_ARG_NUMBER }, { "gamma", LT_ARG_NUMBER }, { "bias", LT_ARG_NUMBER },
		{ "op", LT_ARG_NAME }, { "axes", LT_ARG_AXES }, { "pieces", LT_ARG_PIECES }, { "[shape]", LT_ARG_SHAPE },
		{ "lambd", LT_ARG_NUMBER }, { "low", LT_ARG_NUMBER }, { "high", LT_ARG_NUMBER },
	};
	size_t n = (size_t)(end - word);
	if (*word == '$' && n > 4 && memcmp(end - 4, "|sum", 4) == 0)
		return LT_ARG_OFFSET;
	if (*word == '$')
		return n > 4 && memcmp(end - 4, "|int", 4) == 0 ? LT_ARG_NODE_OR_INT : LT_ARG_NODE;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == n && memcmp(words[i].word, word, n) == 0)
			return words[i].kind;
	return *word == '[' ? LT_ARG_LIST : memchr(word, '|', n) ? LT_ARG_WORD : LT_ARG_INT;
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
	out->optional = *end == '?' || *end == '=' || out->kind == LT_ARG_WORD;
	if (out->kind == LT_ARG_WORD)
		out->words = out->value = word;
	out->many = p - word > 3 && memcmp(p - 3, "...", 3) == 0;
	while (*p == ',' || *p == ':' || *p == ' ')
		p++;
	return p;
}

/* A value that was read before it was known which argument it is; numbers: nodes may be numbers. */
struct pending { bool is, numbers; struct lt_arg value; struct lt_cursor from; };

static lt_status read_name(struct lt_script *s, struct lt_arg *a)
{
	bool name = a->kind == LT_ARG_NAME;
	if (name)
		LT_TRY(lt__script_name(s, ",)", a));
	else
		a->n = lt__lex_name(&s->cursor, ",);", &a->text);
	if (!a->n && s->cursor.at < s->cursor.end && !*s->cursor.at)
		return lt__script_unexpected(s, "a name");
	if (!a->n && name)
		return lt__script_fail(s, a->position, LT_ESYNTAX, "Empty name");
	if (!a->n)
		return lt__script_unexpected(s, "a type such as float32");
	int c = lt__lex_peek(&s->cursor);
	if (c > 0 && c != ',' && c != ')' && name)
		return lt__script_fail(s, s->cursor.position, LT_ESYNTAX,
			"Unexpected symbol, expected ',' or ')': a name has no white space, and ends at ',' or ')'");
	return LT_OK;
}

static lt_status read_type(struct lt_script *s, struct lt_arg *a)
{
	struct lt_text known = { .arena = s->arena };
	LT_TRY(read_name(s, a));
	int dtype = lt__dtype_find_script(a->text, (size_t)a->n);
	const struct lt_arg *value = lt__script_lookup(s, a->text, a->n);
	if (!dtype && value && value->kind == LT_ARG_TYPE)
		dtype = (int)value->dtype;
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

/* Number of a word among "one|other"; -1: it is none of them. */
static int64_t find_word(const char *words, const char *word, int32_t n)
{
	for (int64_t i = 0;; i++) {
		size_t m = strcspn(words, "|,");
		if (m == (size_t)n && memcmp(words, word, m) == 0)
			return i;
		if (words[m] != '|')
			return -1;
		words += m + 1;
	}
}

static lt_status read_word(struct lt_script *s, struct lt_arg *a)
{
	const char *words = a->text;
	a->n = lt__lex_word(&s->cursor, &a->text);
	a->i = find_word(words, a->text, a->n);
	return a->i < 0 ? lt__script_unexpected(s, "one of some words") : LT_OK;
}

static bool word_stands(struct lt_script *s, const char *words)
{
	struct lt_cursor c = s->cursor;
	const char *text;
	int32_t n = lt__lex_word(&c, &text);
	return n && find_word(words, text, n) >= 0;
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

/* A name that may be left out (BufferTensor): a list after the first comma says that it was. */
static bool name_stands(struct lt_script *s)
{
	struct lt_cursor c = s->cursor;
	const char *text;
	lt__lex_name(&c, ",)", &text);
	if (lt__lex_peek(&c) != ',')
		return true;
	lt__lex_step(&c);
	if (lt__lex_peek(&c) == '[')
		return false;
	int32_t n = lt__lex_word(&c, &text);
	const struct lt_arg *shape = n ? lt__script_lookup(s, text, n) : NULL;
	return !shape || shape->kind != LT_ARG_LIST;
}

static const char *expected(enum lt_arg_kind kind)
{
	static const char *const text[] = {
		[LT_ARG_NODE] = LT_EXPECTED_NODE, [LT_ARG_NODE_OR_INT] = LT_EXPECTED_NODE " or an integer",
		[LT_ARG_LIST] = "a list such as [2, 3]", [LT_ARG_SHAPE] = "a list such as [2, 3]",
		[LT_ARG_OFFSET] = LT_EXPECTED_NODE " or an integer", [LT_ARG_AXES] = "axes such as [i: 2, j: 3]",
		[LT_ARG_PIECES] = "an element such as $1[i, j]", [LT_ARG_NAME] = "a name", [LT_ARG_TYPE] = "a type such as float32",
		[LT_ARG_LAYOUT] = "NCHW or NHWC", [LT_ARG_NUMBER] = "a number", [LT_ARG_EQUATION] = "an equation",
		[LT_ARG_INT] = "an integer", [LT_ARG_WORD] = "a word",
	};
	return text[kind];
}

/* Whether what is at the cursor can be that argument.  Only a value's kind tells, so it is read; it pends until an
 * argument takes it. */
static lt_status can_be(
	struct lt_script *s, const struct lt_script_node *type, const struct item *item, struct pending *p, bool *can)
{
	int c = lt__lex_peek(&s->cursor);
	bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
	*can = item->kind != LT_ARG_NAME || !item->optional || name_stands(s);
	if (!p->is && (item->kind == LT_ARG_TYPE || item->kind == LT_ARG_EQUATION || item->kind == LT_ARG_NAME))
		return LT_OK;
	if (!p->is && (item->kind == LT_ARG_AXES || item->kind == LT_ARG_PIECES || item->kind == LT_ARG_OFFSET
		|| (item->kind == LT_ARG_SHAPE && lt__script_is_limited(s)))) {
		*can = item->kind != LT_ARG_AXES || c == '[';
		return LT_OK;
	}
	if (!p->is && item->kind == LT_ARG_WORD) {
		*can = word_stands(s, item->words);
		return LT_OK;
	}
	if (!p->is && lt__script_begins(s)) {
		p->from = s->cursor;
		LT_TRY(s->expression(s, expected(item->kind), &p->value));
		p->is = true;
	}
	if (!p->is)
		*can = (item->kind == LT_ARG_LAYOUT && letter) || (!item->optional && s->names_used);
	else
		*can = lt__script_fits(item->kind, &p->value) || (item->kind == LT_ARG_NODE && p->value.kind == LT_ARG_NUMBER &&
			type->numbers);
	return LT_OK;
}

static lt_status read_arg(struct lt_script *s, struct pending *p, struct lt_arg *a)
{
	enum lt_arg_kind kind = a->kind;
	lt__lex_peek(&s->cursor);
	a->position = s->cursor.position;
	if (!p->is && kind == LT_ARG_NAME)
		return read_name(s, a);
	if (!p->is && kind == LT_ARG_TYPE)
		return read_type(s, a);
	if (!p->is && kind == LT_ARG_LAYOUT)
		return read_layout(s, a);
	if (!p->is && kind == LT_ARG_WORD)
		return read_word(s, a);
	if (!p->is && kind == LT_ARG_EQUATION)
		return read_equation(s, a);
	if (!p->is && kind == LT_ARG_AXES)
		return lt__script_read_axes(s, a);
	if (!p->is && kind == LT_ARG_PIECES)
		return lt__script_read_pieces(s, a);
	if (!p->is && kind == LT_ARG_OFFSET)
		return lt__script_offset(s, a);
	if (!p->is && kind == LT_ARG_SHAPE && lt__script_is_limited(s))
		return lt__script_limited(s, a);
	if (!p->is) {
		p->from = s->cursor;
		LT_TRY(s->expression(s, expected(kind), &p->value));
	}
	*a = p->value;
	p->is = false;
	if (kind == LT_ARG_NODE && a->kind == LT_ARG_NUMBER && p->numbers)
		return lt__script_check_huge(s, a);
	return lt__script_accept(s, kind, expected(kind), &p->from, a);
}

struct lt_arg *lt__script_new_arg(struct lt_script *s, enum lt_arg_kind kind)
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
	int32_t i = s->n_arg;
	struct lt_arg a = *lt__script_new_arg(s, item->kind);
	struct pending none = { .is = false };
	a.text = item->words;
	if (!item->value)
		return LT_OK;
	struct lt_cursor mark = s->cursor;
	struct lt_position position = a.position;
	s->cursor.at = item->value;
	s->cursor.end = item->end;
	lt_status status = read_arg(s, &none, &a);
	s->cursor = mark;
	a.position = position;
	s->arg[i] = a;
	return status;
}

/* Reads one argument and the separator after it; *more: another one has to follow. */
static lt_status read_given(struct lt_script *s, const struct item *item, struct pending *p, bool *more)
{
	int32_t i = s->n_arg;
	struct lt_arg a = *lt__script_new_arg(s, item->kind);
	a.text = item->words;
	LT_TRY(read_arg(s, p, &a));
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

/* What the pattern has no place for. */
static lt_status refuse_more(struct lt_script *s, const struct lt_script_node *type, struct pending *p, bool skipped)
{
	if (!p->is) {
		int c = lt__lex_peek(&s->cursor);
		if (c < 0 || c == ';' || c == ')')
			return lt__script_unexpected(s, "an argument");
		p->from = s->cursor;
		if (s->names_used && !lt__script_begins(s))
			LT_TRY(s->expression(s, "an argument", &p->value));     /* an unknown name, mostly */
	}
	return lt__script_fail(s, p->from.position, LT_ESYNTAX, "%s, expected %s(%s)",
		skipped ? "Unexpected argument" : "Too many arguments", type->name, type->pattern);
}

lt_status lt__script_args(struct lt_script *s, const struct lt_script_node *type)
{
	struct item item;
	struct pending p = { .numbers = type->numbers };
	const char *at = type->pattern;
	bool skipped = false, can = false;
	LT_TRY(lt__script_expect(s, '(', "'('"));
	s->level++;
	bool more = lt__lex_peek(&s->cursor) != ')';
	while ((at = next_item(at, &item))) {
		if (more)
			LT_TRY(can_be(s, type, &item, &p, &can));
		if (more && can) {
			do
				LT_TRY(read_given(s, &item, &p, &more));
			while (item.many && more);
		} else if (item.optional) {
			LT_TRY(read_default(s, &item));
			skipped = true;
		} else if (more && p.is) {
			return lt__script_mismatch(s, &p.from, &p.value, expected(item.kind));
		} else if (more) {
			return lt__script_unexpected(s, expected(item.kind));
		} else {
			return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Too few arguments, expected %s(%s)",
				type->name, type->pattern);
		}
	}
	if (more)
		return refuse_more(s, type, &p, skipped);
	s->level--;
	return lt__script_expect(s, ')', "')'");
}
