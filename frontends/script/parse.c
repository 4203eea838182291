/* parse.c -- the grammar: arguments, functions, expressions, statements.  These need each other, and nothing else needs
 * their parts: an expression has calls, a call has arguments, which are expressions; the call of a function runs its
 * statements.
 */
#include <string.h>
#include "frontends/script/reader.h"

static lt_status read_expression(struct lt_script *, const char *expected, struct lt_arg *out);
static lt_status parse_block(struct lt_script *);
static lt_status read_values(
	struct lt_script *, const struct lt_script_target *, int32_t n_target, const char *expected);

/* -- Values where one of a certain kind has to be; numbers in the names of tensors. */

static lt_status take_value(struct lt_script *s, enum lt_arg_kind kind, const char *expected, struct lt_arg *a)
{
	lt__lex_peek(&s->cursor);
	struct lt_cursor from = s->cursor;
	LT_TRY(read_expression(s, expected, a));
	return lt__script_accept(s, kind, expected, &from, a);
}

static lt_status read_value(struct lt_script *s, struct lt_arg *a)
{
	lt__lex_peek(&s->cursor);
	struct lt_cursor from = s->cursor;
	s->level++;
	LT_TRY(read_expression(s, "a value, a number or a list", a));
	s->level--;
	return a->kind == LT_ARG_MANY ? lt__script_mismatch(s, &from, a, "one value") : LT_OK;
}

/* The text in the braces of a{i}: a name of a number; within functions and repeats it has to be a number, elsewhere it
 * may be mere text. */
static lt_status read_inserted(struct lt_script *s, struct lt_cursor at, const char *end, bool *is, int64_t *number)
{
	struct lt_cursor back = s->cursor, look = { at.at, end, at.position };
	const char *word;
	struct lt_arg value;
	int32_t n = lt__lex_word(&look, &word);
	const struct lt_arg *named = n && look.at == end ? lt__script_lookup(s, word, n) : NULL;
	*is = s->frame || (named && named->kind == LT_ARG_NUMBER);
	if (!*is)
		return LT_OK;
	s->cursor = (struct lt_cursor){ at.at, end, at.position };
	s->level++;
	LT_TRY(take_value(s, LT_ARG_INT, "an integer, which is for {...} in a name", &value));
	s->level--;
	if (s->cursor.at < end)
		return lt__script_unexpected(s, "'}'");
	s->cursor = back;
	*number = value.i;
	return LT_OK;
}

static lt_status read_text(struct lt_script *s, const char *stop, struct lt_arg *a)
{
	struct lt_text made = { .arena = s->arena };
	LT_TRY(lt__script_text_name(s, &a->text, &a->n));
	if (a->text)
		return LT_OK;
	lt__lex_peek(&s->cursor);
	struct lt_cursor at = s->cursor;
	a->n = lt__lex_name(&s->cursor, stop, &a->text);
	if (!s->names_used || !memchr(a->text, '{', (size_t)a->n))
		return LT_OK;
	while (at.at < s->cursor.at) {
		const char *begin = at.at, *close = *begin == '{' ? begin + 1 : NULL;
		int64_t number = 0;
		bool is = false;
		while (close && close < s->cursor.at && *close != '{' && *close != '}')
			close++;
		if (close && (close == s->cursor.at || *close == '{'))
			close = NULL;
		lt__lex_step(&at);
		if (close)
			LT_TRY(read_inserted(s, at, close, &is, &number));
		if (is)
			lt__text_format(&made, "%lld", (long long)number);
		else
			lt__text_add(&made, begin, 1);
		while (is && at.at <= close)
			lt__lex_step(&at);
	}
	a->text = made.at;
	a->n = (int32_t)made.n;
	return LT_OK;
}

/* -- Arguments of a view: axes with divisions, then pieces; offsets. */

static lt_status read_view_name(struct lt_script *s, struct lt_script_view *view, const char *what, const char *after)
{
	const char *word;
	lt__lex_peek(&s->cursor);
	struct lt_position at = s->cursor.position;
	int32_t n = lt__lex_word(&s->cursor, &word);
	if (!n)
		return lt__script_unexpected(s, what);
	if (lt__names_find(view->names, word, (size_t)n) >= 0)
		return lt__script_fail(s, at, LT_EEXIST, "The axis '%.*s' is named twice", n < 60 ? n : 60, word);
	lt__names_add(view->names, word, (size_t)n, view->n_axis + view->n_div);
	char sign[4] = { '\'', *after, '\'' };
	return lt__script_expect(s, *after, sign);
}

/* floor(i / 2), floor((i + j) / 2) */
static lt_status read_division(struct lt_script *s, struct lt_script_view *view)
{
	struct lt_script_division div = { 0 };
	const char *word;
	struct lt_script_sum by;
	int32_t n = lt__lex_word(&s->cursor, &word);
	if (n != 5 || memcmp(word, "floor", 5))
		return lt__script_unexpected(s, "a floor division such as floor(i / 2)");
	LT_TRY(lt__script_expect(s, '(', "'('"));
	bool paren = lt__lex_peek(&s->cursor) == '(';
	if (paren)
		lt__lex_step(&s->cursor);
	LT_TRY(lt__script_sum(s, view->names, &div.of));
	if (paren)
		LT_TRY(lt__script_expect(s, ')', "')'"));
	LT_TRY(lt__script_expect(s, '/', "'/'"));
	lt__lex_peek(&s->cursor);
	struct lt_position at = s->cursor.position;
	LT_TRY(lt__script_sum(s, NULL, &by));
	if (by.n || by.constant < 1)
		return lt__script_fail(s, at, LT_EINVAL, "A floor division is by an integer of at least 1");
	if (!paren && div.of.n + (div.of.constant != 0) > 1)
		return lt__script_fail(s, at, LT_ESYNTAX, "A sum that is divided stands in parentheses: floor((i + j) / 2)");
	div.by = by.constant;
	LT_TRY(lt__script_expect(s, ')', "')'"));
	LT_GROW(s->arena, view->div, view->n_div, view->cap_div);
	view->div[view->n_div] = div;
	return LT_OK;
}

static lt_status read_axes(struct lt_script *s, struct lt_arg *a)
{
	struct lt_script_view *view = LT_NEW(s->arena, struct lt_script_view, 1);
	int64_t extent[LT_MAX_RANK];
	const struct lt_linear *limit[LT_MAX_RANK] = { NULL };
	view->names = lt__names_new(s->arena);
	LT_TRY(lt__script_expect(s, '[', "axes such as [i: 2, j: 3]"));
	while (lt__lex_peek(&s->cursor) != ']') {
		if (view->n_axis)
			LT_TRY(lt__script_expect(s, ',', "',' or ']'"));
		if (view->n_axis == LT_MAX_RANK)
			return lt__script_fail(s, a->position, LT_EUNSUPPORTED, "A value has at most %d dimensions", LT_MAX_RANK);
		LT_TRY(read_view_name(s, view, "the name of an axis", ":"));
		LT_TRY(lt__script_dim(s, &extent[view->n_axis], &limit[view->n_axis]));
		view->n_axis++;
	}
	lt__lex_step(&s->cursor);
	for (; lt__lex_peek(&s->cursor) == ','; view->n_div++) {
		lt__lex_step(&s->cursor);
		LT_TRY(read_view_name(s, view, "a name for a floor division", "="));
		LT_TRY(read_division(s, view));
	}
	view->shape = (struct lt_arg){ .position = a->position, .n = view->n_axis,
		.list = lt__arena_copy(s->arena, extent, sizeof extent),
		.limit = lt__arena_copy(s->arena, limit, sizeof limit) };
	a->view = view;
	lt__script_take_named(s, a);
	return LT_OK;
}

static bool is_axis_word(struct lt_script *s, const char *word)
{
	struct lt_cursor mark = s->cursor;
	const char *text;
	int32_t n = lt__lex_word(&s->cursor, &text);
	if (n == (int32_t)strlen(word) && !memcmp(text, word, (size_t)n))
		return true;
	s->cursor = mark;
	return false;
}

/* j >= 1: as a sum that is not below 0. */
static lt_status read_guard(struct lt_script *s, const struct lt_script_view *view, struct lt_script_sum *out)
{
	struct lt_script_sum right;
	LT_TRY(lt__script_sum(s, view->names, out));
	int c = lt__lex_peek(&s->cursor);
	if (c != '>' && c != '<')
		return lt__script_unexpected(s, "'>=' or '<='");
	lt__lex_step(&s->cursor);
	LT_TRY(lt__script_expect(s, '=', "'>=' or '<='"));
	LT_TRY(lt__script_sum(s, view->names, &right));
	LT_TRY(c == '<' ? lt__script_minus(s, &right, out) : lt__script_minus(s, out, &right));
	if (c == '<')
		*out = right;
	return LT_OK;
}

/* Whether the name of a node is next. */
static bool is_name(struct lt_script *s)
{
	struct lt_cursor look = s->cursor;
	const char *word;
	int32_t n = lt__lex_word(&look, &word);
	const struct lt_arg *value = n ? lt__script_lookup(s, word, n) : NULL;
	return (value && value->kind == LT_ARG_NODE) || (n && !value && lt__lex_peek(&look) == '[');
}

static lt_status read_source(struct lt_script *s, const struct lt_script_view *view, struct lt_script_piece *p)
{
	struct lt_arg *a = &p->source;
	int32_t cap = 0;
	*a = (struct lt_arg){ .statement = -1, .node = -1 };
	lt__lex_peek(&s->cursor);
	a->position = s->cursor.position;
	if (lt__lex_peek(&s->cursor) != '$' && !is_name(s))
		return take_value(s, LT_ARG_NUMBER, "an element such as $1[i, j] or a number", a);
	LT_TRY(lt__script_refer(s, a));
	LT_TRY(lt__script_expect(s, '[', "'[' and the indices of an element"));
	while (lt__lex_peek(&s->cursor) != ']') {
		if (p->n_row)
			LT_TRY(lt__script_expect(s, ',', "',' or ']'"));
		LT_GROW(s->arena, p->row, p->n_row, cap);
		LT_TRY(lt__script_sum(s, view->names, &p->row[p->n_row]));
		p->n_row++;
	}
	lt__lex_step(&s->cursor);
	return LT_OK;
}

/* The axes were read just before. */
static lt_status read_pieces(struct lt_script *s, struct lt_arg *a)
{
	struct lt_script_view *view = s->arg[s->n_arg - 2].view;
	do {
		struct lt_script_piece p = { .n_row = 0 };
		int32_t cap = 0;
		LT_TRY(read_source(s, view, &p));
		if (is_axis_word(s, "if"))
			do {
				LT_GROW(s->arena, p.guard, p.n_guard, cap);
				LT_TRY(read_guard(s, view, &p.guard[p.n_guard]));
				p.n_guard++;
			} while (is_axis_word(s, "and"));
		LT_GROW(s->arena, view->piece, view->n_piece, view->cap_piece);
		view->piece[view->n_piece++] = p;
	} while (is_axis_word(s, "else"));
	a->view = view;
	lt__script_take_named(s, a);
	return LT_OK;
}

static lt_status read_offset(struct lt_script *s, struct lt_arg *a)
{
	struct lt_cursor look = s->cursor;
	const char *word;
	int c = lt__lex_peek(&look);
	int32_t n = lt__lex_word(&look, &word);
	const struct lt_arg *value = n ? lt__script_lookup(s, word, n) : NULL;
	if (c != '$' && !(value && value->kind == LT_ARG_NODE)) {
		LT_TRY(take_value(s, LT_ARG_INT, LT_EXPECTED_NODE " or an integer", a));
		a->kind = LT_ARG_OFFSET;
		a->whole = false;
		return LT_OK;
	}
	LT_TRY(lt__script_refer(s, a));
	s->n_named = 0;
	a->kind = LT_ARG_OFFSET;
	c = lt__lex_peek(&s->cursor);
	if (c != '+' && c != '-')
		return LT_OK;
	lt__lex_step(&s->cursor);
	lt__lex_peek(&s->cursor);
	LT_TRY(lt__script_whole_number(s, &a->i));
	a->i *= c == '-' ? -1 : 1;
	a->whole = true;
	return LT_OK;
}

/* -- Arguments of a node, by the pattern of its row in nodes.def.
 *
 * pattern = item {", " item}; "?" after an item: it may be left out; "=value": left out, this holds;
 * "...": one or more of it, at the end; "one|other": a choice of words, of which the first holds where none is there.
 * An item that may be left out is left out where what is in its place cannot be one, so LayerNormNode($x, 1e-6) needs
 * no weights.
 */

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
		LT_TRY(read_text(s, ",)", a));
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
		lt__text_format(&known, "%s%s", i > 1 ? ", " : "", lt__dtype_info((enum lt_dtype)i)->script);
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

static lt_status read_choice(struct lt_script *s, struct lt_arg *a)
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

static const char *expected_of(enum lt_arg_kind kind)
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
		LT_TRY(read_expression(s, expected_of(item->kind), &p->value));
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
		return read_choice(s, a);
	if (!p->is && kind == LT_ARG_EQUATION)
		return read_equation(s, a);
	if (!p->is && kind == LT_ARG_AXES)
		return read_axes(s, a);
	if (!p->is && kind == LT_ARG_PIECES)
		return read_pieces(s, a);
	if (!p->is && kind == LT_ARG_OFFSET)
		return read_offset(s, a);
	if (!p->is && kind == LT_ARG_SHAPE && lt__script_is_limited(s))
		return lt__script_limited(s, a);
	if (!p->is) {
		p->from = s->cursor;
		LT_TRY(read_expression(s, expected_of(kind), &p->value));
	}
	*a = p->value;
	p->is = false;
	if (kind == LT_ARG_NODE && a->kind == LT_ARG_NUMBER && p->numbers)
		return lt__script_check_huge(s, a);
	return lt__script_accept(s, kind, expected_of(kind), &p->from, a);
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
			LT_TRY(read_expression(s, "an argument", &p->value));     /* an unknown name, mostly */
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
			return lt__script_mismatch(s, &p.from, &p.value, expected_of(item.kind));
		} else if (more) {
			return lt__script_unexpected(s, expected_of(item.kind));
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

/* -- Functions and repeats: text that is read again at each call, in each round. */

enum {
	DEPTH_MAX = 200,                /* expressions, calls and repeats within each other */
	TEXT_MAX = 1 << 26,             /* bytes of all calls and rounds, */
	TEXT_EACH = 16                  /* each of which counts for some more */
};

static lt_status enter_level(struct lt_script *s)
{
	if (++s->depth > DEPTH_MAX)
		return lt__script_fail(s, s->cursor.position, LT_EUNSUPPORTED,
			"Nested too deeply, the limit is %d levels", DEPTH_MAX);
	return LT_OK;
}

/* To the '}' of a block; names of tensors and results may have braces of their own. */
static lt_status skip_block(struct lt_script *s, struct lt_position open)
{
	bool begin = true;              /* of a statement */
	int32_t depth = 1;
	for (int c; (c = lt__lex_peek(&s->cursor)) >= 0;) {
		const char *word;
		int32_t n = lt__lex_word(&s->cursor, &word);
		int32_t type = n ? lt__names_find(s->types, word, (size_t)n) : -1;
		if (type >= 0 && strncmp(s->type[type].pattern, "name", 4) == 0 && lt__lex_peek(&s->cursor) == '(') {
			lt__lex_step(&s->cursor);
			lt__lex_name(&s->cursor, ",)", &word);
		} else if (begin && n == 6 && memcmp(word, "result", 6) == 0) {
			lt__lex_name(&s->cursor, "=;,)", &word);
		} else if (!n) {
			depth += (c == '{') - (c == '}');
			if (!depth)
				return LT_OK;
			lt__lex_step(&s->cursor);
		}
		begin = !n && (c == ';' || c == '{' || c == '}');
	}
	return lt__script_fail(s, s->cursor.position, LT_ESYNTAX,
		"Unexpected end of script, expected '}' for the '{' of line %d", open.line);
}

/* The '{' at the cursor up to its '}', and what reading it n times costs; the cursor is after it then. */
static lt_status find_block(struct lt_script *s, struct lt_cursor *body, struct lt_cursor *end)
{
	LT_TRY(lt__script_expect(s, '{', "'{'"));
	struct lt_position open = s->cursor.position;
	*body = s->cursor;
	LT_TRY(skip_block(s, open));
	*end = s->cursor;
	lt__lex_step(&s->cursor);
	s->names_used = true;
	return LT_OK;
}

static lt_status count_text(
	struct lt_script *s, struct lt_position at, const struct lt_cursor *body, const struct lt_cursor *end, int64_t times)
{
	int64_t bytes;
	if (lt__mul_overflow(end->at - body->at + TEXT_EACH, times, &bytes) || bytes > TEXT_MAX - s->text_read)
		return lt__script_fail(s, at, LT_EUNSUPPORTED,
			"Functions and repeats go through too much text: more than %d bytes, each round and each call counted", TEXT_MAX);
	s->text_read += bytes;
	return LT_OK;
}

static lt_status read_new_name(struct lt_script *s, const char *expected, const char **name, int32_t *bytes)
{
	lt__lex_peek(&s->cursor);
	struct lt_position at = s->cursor.position;
	*bytes = lt__lex_word(&s->cursor, name);
	if (!*bytes)
		return lt__script_unexpected(s, expected);
	return lt__script_check_name(s, *name, *bytes, at);
}

static lt_status read_parameter(struct lt_script *s, struct lt_script_function *f)
{
	struct lt_parameter p = { .name = NULL };
	lt__lex_peek(&s->cursor);
	struct lt_position at = s->cursor.position;
	LT_TRY(read_new_name(s, "the name of a parameter", &p.name, &p.bytes));
	for (int32_t i = 0; i < f->n_parameter; i++)
		if (f->parameter[i].bytes == p.bytes && memcmp(f->parameter[i].name, p.name, (size_t)p.bytes) == 0)
			return lt__script_fail(s, at, LT_EEXIST, "Parameter '%.*s' is defined twice", p.bytes, p.name);
	p.has_default = lt__lex_peek(&s->cursor) == '=';
	if (p.has_default) {
		lt__lex_step(&s->cursor);
		LT_TRY(read_value(s, &p.value));
	} else if (f->n_parameter && f->parameter[f->n_parameter - 1].has_default) {
		return lt__script_fail(s, at, LT_ESYNTAX, "Parameter '%.*s' has no default, but the one before it has",
			p.bytes, p.name);
	}
	LT_GROW(s->arena, f->parameter, f->n_parameter, f->cap_parameter);
	f->parameter[f->n_parameter++] = p;
	return LT_OK;
}

static lt_status parse_def(struct lt_script *s, struct lt_position at)
{
	struct lt_script_function f = { .position = at };
	const char *name;
	if (s->frame)
		return lt__script_fail(s, at, LT_ESYNTAX, "Unexpected def: a function is defined outside of functions and repeats");
	lt__lex_peek(&s->cursor);
	struct lt_position name_at = s->cursor.position;
	f.bytes = lt__lex_word(&s->cursor, &name);
	int32_t before = lt__script_function(s, name, f.bytes);
	const bool again = before >= 0 && s->function[before].file && s->function[before].file != s->file;
	if (before >= 0 && !again)
		return lt__script_fail(s, name_at, LT_EEXIST, "Function is defined twice: '%.*s', first at line %d", f.bytes, name,
			s->function[before].position.line);
	if (!f.bytes)
		return lt__script_unexpected(s, "the name of a function");
	if (!again)
		LT_TRY(lt__script_check_name(s, name, f.bytes, name_at));
	if (lt__script_lookup(s, name, f.bytes))
		return lt__script_fail(s, name_at, LT_EEXIST, "'%.*s' is the name of a value: a function needs another one", f.bytes,
			name);
	lt__lex_peek(&s->cursor);
	f.head = s->cursor;
	LT_TRY(lt__script_expect(s, '(', "'('"));
	while (lt__lex_peek(&s->cursor) != ')') {
		if (f.n_parameter)
			LT_TRY(lt__script_expect(s, ',', "',' or ')'"));
		LT_TRY(read_parameter(s, &f));
	}
	lt__lex_step(&s->cursor);
	LT_TRY(find_block(s, &f.body, &f.end));
	if (again && !lt__script_same_function(&f, &s->function[before]))
		return lt__script_fail(s, name_at, LT_EEXIST, "The function '%.*s' is not the one of the kernel's meaning in %s; "
			"make them equal, or give one of them another name", f.bytes, name, s->function[before].file);
	if (again)
		return LT_OK;
	lt__script_scope_new(s, &f.scope);
	LT_GROW(s->arena, s->function, s->n_function, s->cap_function);
	f.name = lt__names_add(s->functions, name, (size_t)f.bytes, s->n_function);
	s->function[s->n_function++] = f;
	return LT_OK;
}

/* "f(x, w, heads=...)" */
static const char *signature(struct lt_script *s, const struct lt_script_function *f)
{
	struct lt_text t = { .arena = s->arena };
	for (int32_t i = 0; i < f->n_parameter; i++)
		lt__text_format(&t, "%s%.*s%s", i ? ", " : "", f->parameter[i].bytes, f->parameter[i].name,
			f->parameter[i].has_default ? "=..." : "");
	return lt__arena_format(s->arena, "%s(%s)", f->name, t.n ? t.at : "");
}

/* Arguments from `first` on become the function's names, which hold for this call. */
static lt_status bind_arguments(struct lt_script *s, struct lt_script_function *f, int32_t first)
{
	const int32_t n = s->n_arg - first;
	if (n < f->n_parameter && !f->parameter[n].has_default)
		return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Too few arguments, expected %s", signature(s, f));
	struct lt_script_scope *outer = s->scope;
	f->scope.call++;
	s->scope = &f->scope;
	for (int32_t i = 0; i < f->n_parameter; i++)
		lt__script_bind(s, f->parameter[i].name, f->parameter[i].bytes,
			i < n ? &s->arg[first + i] : &f->parameter[i].value);
	s->scope = outer;
	s->n_arg = first;
	return LT_OK;
}

static lt_status read_arguments(struct lt_script *s, const struct lt_script_function *f)
{
	LT_TRY(lt__script_expect(s, '(', "'('"));
	for (int32_t n = 0; lt__lex_peek(&s->cursor) != ')'; n++) {
		struct lt_arg value;
		if (n)
			LT_TRY(lt__script_expect(s, ',', "',' or ')'"));
		lt__lex_peek(&s->cursor);
		if (n == f->n_parameter)
			return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Too many arguments, expected %s", signature(s, f));
		LT_TRY(read_value(s, &value));
		*lt__script_new_arg(s, value.kind) = value;
	}
	return LT_OK;
}

/* The body: statements, and at its end "return" with values, which are left in s->arg. */
static lt_status run_body(struct lt_script *s, const struct lt_script_function *f)
{
	const char *word;
	LT_TRY(parse_block(s));
	struct lt_position at = s->cursor.position;
	if (lt__lex_peek(&s->cursor) == '}')
		return lt__script_fail(s, at, LT_ESYNTAX, "The function '%s' ends without return", f->name);
	lt__lex_word(&s->cursor, &word);
	const struct lt_script_target target = { .path = lt__script_path(s, "", 0), .position = at, .named = true };
	LT_TRY(read_values(s, &target, 1, "a value to return"));
	LT_TRY(lt__script_end(s));
	if (lt__lex_peek(&s->cursor) != '}')
		return lt__script_fail(s, s->cursor.position, LT_ESYNTAX,
			"Unexpected statement: return is the last one of a function");
	return LT_OK;
}

lt_status lt__script_call(
	struct lt_script *s, int32_t function, int32_t first, const struct lt_cursor *from, struct lt_arg *out)
{
	struct lt_script_function *f = &s->function[function];  /* no other is defined meanwhile */
	struct lt_script_own own;
	LT_TRY(bind_arguments(s, f, first));
	LT_TRY(count_text(s, from->position, &f->body, &f->end, 1));
	const struct lt_script back = { .cursor = s->cursor, .scope = s->scope, .target = s->target, .frame = s->frame,
		.level = s->level, .file = s->file, .own_at = s->own_at };
	const struct lt_script_frame frame = { .function = f->name, .position = from->position, .up = s->frame };
	const struct lt_position at = s->own_at.line ? s->own_at : from->position;
	if (f->own) {
		lt__script_own_begin(s, f, &own);
		s->own_at = at;
	}
	f->running = true;
	s->frame = &frame;
	s->scope = &f->scope;
	s->cursor = f->body;
	s->file = f->file ? f->file : s->file;
	LT_TRY(run_body(s, f));
	f->running = false;
	s->frame = back.frame;
	s->scope = back.scope;
	s->cursor = back.cursor;
	s->target = back.target;
	s->level = back.level;
	s->file = back.file;
	s->own_at = back.own_at;
	int32_t n = s->n_arg - first;
	if (f->own)
		LT_TRY(lt__script_own_end(s, &own, at, s->arg + first, n));
	if (n == 1)
		*out = s->arg[first];
	else
		*out = (struct lt_arg){ .kind = LT_ARG_MANY, .statement = -1, .node = -1, .n = n,
			.many = lt__arena_copy(s->arena, s->arg + first, (size_t)n * sizeof *s->arg) };
	s->n_arg = first;
	return LT_OK;
}

static lt_status call_function(struct lt_script *s, int32_t function, const struct lt_cursor *from, struct lt_arg *out)
{
	const struct lt_script_function *f = &s->function[function];
	const int32_t first = s->n_arg, level = s->level;
	if (f->running)
		return lt__script_fail(s, from->position, LT_EUNSUPPORTED,
			"The function '%s' calls itself: there is no recursion, repeat runs statements again", f->name);
	LT_TRY(enter_level(s));
	LT_TRY(read_arguments(s, f));
	if (s->n_arg - first < f->n_parameter && !f->parameter[s->n_arg - first].has_default)
		return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Too few arguments, expected %s", signature(s, f));
	lt__lex_step(&s->cursor);
	LT_TRY(lt__script_call(s, function, first, from, out));
	s->level = level;
	s->depth--;
	out->position = from->position;
	out->literal = false;
	out->shown = lt__script_quote(s, from);
	return LT_OK;
}

/* The file holds that function, and nothing else. */
lt_status lt__script_load_own(struct lt_script *s, const char *name)
{
	const struct lt_script back = { .cursor = s->cursor, .file = s->file, .names_used = s->names_used };
	const char *path = lt__arena_format(s->arena, "%s/%s.lt", s->folder->path, name), *slash = strrchr(name, '/'), *word;
	const char *stem = slash ? slash + 1 : name;
	char *text;
	size_t bytes;
	LT_TRY(lt__text_read(s->ctx, s->arena, path, &text, &bytes));
	s->file = path;
	s->cursor = (struct lt_cursor){ text, text + bytes, { 1, 1 } };
	lt__lex_peek(&s->cursor);
	const struct lt_position at = s->cursor.position;
	if (lt__lex_word(&s->cursor, &word) != 3 || memcmp(word, "def", 3) != 0)
		return lt__script_fail(s, at, LT_ESYNTAX, "The meaning of the operation is a function: "
			"def %s(x) { ... return y; }", stem);
	LT_TRY(parse_def(s, at));
	struct lt_script_function *f = &s->function[s->n_function - 1];
	if (f->file || strcmp(f->name, stem) != 0)
		return lt__script_fail(s, at, LT_EINVAL, "The function of this file is called '%s': the file's name says '%s'",
			f->name, stem);
	if (lt__lex_peek(&s->cursor) >= 0)
		return lt__script_unexpected(s, "the end of the file: it holds the function of its name alone");
	f->file = path;
	f->own = lt__arena_string(s->arena, name);
	s->cursor = back.cursor;
	s->file = back.file;
	s->names_used = back.names_used;
	return LT_OK;
}

/* Where rounds end: an integer, or a run-time scalar. */
static lt_status read_end(struct lt_script *s, struct lt_arg *end)
{
	static const char expected[] = "an integer or a run-time scalar, which ScalarNode gives";
	lt__lex_peek(&s->cursor);
	const struct lt_cursor from = s->cursor;
	LT_TRY(read_expression(s, expected, end));
	if (end->kind == LT_ARG_NODE && s->statement[end->statement].type->build == lt__script_build_scalar)
		return LT_OK;
	return lt__script_accept(s, LT_ARG_INT, expected, &from, end);
}

/* "repeat i in 0..12", and what is between the braces after it. */
struct repeat {
	struct lt_position position;
	const char *counter;
	int64_t begin, end;
	struct lt_script_rounds open;   /* end: as many as a run says; or no more than a counter of rounds */
	bool is_open;
	struct lt_cursor body;
};

static lt_status read_repeat(struct lt_script *s, struct repeat *r)
{
	const char *name, *word;
	int32_t bytes;
	struct lt_arg begin, end;
	struct lt_cursor after;
	LT_TRY(read_new_name(s, "the name of a counter, as in repeat i in 0..12", &name, &bytes));
	lt__lex_peek(&s->cursor);
	struct lt_cursor in = s->cursor;
	if (lt__lex_word(&s->cursor, &word) != 2 || memcmp(word, "in", 2) != 0) {
		s->cursor = in;
		return lt__script_unexpected(s, "'in', as in repeat i in 0..12");
	}
	s->level = 1;
	LT_TRY(take_value(s, LT_ARG_INT, "an integer", &begin));
	LT_TRY(lt__script_expect(s, '.', "'..', as in 0..12"));
	LT_TRY(lt__script_expect(s, '.', "'..', as in 0..12"));
	LT_TRY(read_end(s, &end));
	s->level = 0;
	r->counter = lt__arena_format(s->arena, "%.*s", bytes, name);
	r->is_open = end.kind == LT_ARG_NODE;
	r->begin = begin.i;
	if (r->is_open)
		LT_TRY(lt__script_rounds_begin(s, &r->open, begin.i, &end));
	r->end = r->is_open ? s->statement[end.statement].most : end.i;
	if (r->end < r->begin)
		return lt__script_fail(s, end.position, LT_EINVAL, "Invalid range %lld .. %lld: the end is below the begin",
			(long long)r->begin, (long long)r->end);
	LT_TRY(find_block(s, &r->body, &after));
	uint64_t rounds = (uint64_t)r->end - (uint64_t)r->begin;
	return count_text(s, r->position, &r->body, &after, rounds > INT64_MAX ? INT64_MAX : (int64_t)rounds);
}

static lt_status parse_repeat(struct lt_script *s, struct lt_position at)
{
	struct repeat r = { .position = at };
	LT_TRY(enter_level(s));
	LT_TRY(read_repeat(s, &r));
	struct lt_cursor back = s->cursor;
	struct lt_script_frame frame = { .counter = r.counter, .position = at, .up = s->frame,
		.rounds = r.is_open ? &r.open : NULL };
	for (frame.round = r.begin; frame.round < r.end; frame.round++) {
		const struct lt_arg i = { .kind = LT_ARG_NUMBER, .position = at, .statement = -1, .node = -1, .whole = true,
			.i = frame.round, .number = (double)frame.round };
		lt__script_bind(s, r.counter, (int32_t)strlen(r.counter), &i);
		s->frame = &frame;
		s->cursor = r.body;
		LT_TRY(parse_block(s));
		if (lt__lex_peek(&s->cursor) != '}')
			return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Unexpected return: a function returns after its repeats");
		if (r.is_open)
			LT_TRY(lt__script_rounds_next(s, at));
		s->frame = frame.up;
	}
	if (r.is_open)
		LT_TRY(lt__script_rounds_end(s, &r.open, at));
	s->cursor = back;
	s->depth--;
	return LT_OK;
}

/* -- Expressions: operands with the operators of infix.def between them. */

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
		LT_TRY(take_value(s, LT_ARG_INT, "an integer", &x));
		LT_GROW(s->arena, s->number, s->n_number, s->cap_number);
		s->number[s->n_number++] = x.i;
	}
	lt__lex_step(&s->cursor);
	out->kind = LT_ARG_LIST;
	out->n = s->n_number - first;
	out->list = lt__arena_copy(s->arena, out->n ? s->number + first : NULL, (size_t)out->n * sizeof *out->list);
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
		return call_function(s, i, from, out);
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
		LT_TRY(read_expression(s, expected, out));
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
		LT_TRY(take_value(s, LT_ARG_INT, "an integer; GatherNode takes elements at computed places", &at));
		LT_TRY(lt__script_expect(
			s, ']', "']'; x[0][1] takes one element after the other, SliceNode(x, begin, end, axis) a part"));
		bool last;
		LT_TRY(find_end(s, &last));
		LT_TRY(lt__script_element(s, &x, &at, &from, last, out));
		out->position = from.position;
	}
	return out->kind == LT_ARG_NUMBER && s->cursor.at < s->cursor.end && *s->cursor.at == '[' && s->cursor.at[-1] > ' '
		? lt__script_fail(s, s->cursor.position, LT_ETYPE, "Unexpected symbol '[': %s is a number, and elements are taken "
			"of lists and tensors", lt__script_quote(s, &from)) : LT_OK;
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
	LT_TRY(enter_level(s));
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

static lt_status read_expression(struct lt_script *s, const char *expected, struct lt_arg *out)
{
	s->level++;
	LT_TRY(read_binary(s, 0, expected, out));
	s->level--;
	return LT_OK;
}

/* -- Statements: names and numbers get values, results, contents of buffers. */

/* What is left of an equals sign. */
struct left_side { const char *text; int32_t bytes; bool numbered; struct lt_position position; };

/* A value that was made in this statement, and not as a whole: h = (x + 1); */
static void name_value(struct lt_script *s, const struct lt_arg *value, int32_t from)
{
	if (value->kind != LT_ARG_NODE || value->statement < from || !s->statement[value->statement].unnamed)
		return;
	struct lt_statement *st = &s->statement[value->statement];
	st->unnamed = false;
	if (s->target.shown)
		st->shown = s->target.shown;
	if (st->node >= 0)
		lt_node_set_name(s->graph, st->node, s->target.path);
}

static lt_status read_values(
	struct lt_script *s, const struct lt_script_target *target, int32_t n_target, const char *expected)
{
	int32_t first = s->n_arg, n = 0;
	for (bool more = true; more; n++) {
		struct lt_arg value;
		int32_t from = s->n_statement;
		s->target = target[n < n_target ? n : n_target - 1];
		s->level = 0;
		LT_TRY(read_expression(s, expected, &value));
		name_value(s, &value, from);
		*lt__script_new_arg(s, value.kind) = value;
		more = lt__lex_peek(&s->cursor) == ',';
		if (more)
			lt__lex_step(&s->cursor);
	}
	if (n > 1 || s->arg[first].kind != LT_ARG_MANY)
		return LT_OK;
	const struct lt_arg many = s->arg[first];
	s->n_arg = first;
	for (int32_t i = 0; i < many.n; i++)
		*lt__script_new_arg(s, many.many[i].kind) = many.many[i];
	return LT_OK;
}

static lt_status check_id(struct lt_script *s, const struct left_side *p)
{
	int32_t before = lt__names_find(s->ids, p->text, (size_t)p->bytes);
	if (before >= 0)
		return lt__script_fail(s, p->position, LT_EEXIST, "Node is defined twice: $%.*s, first at line %d", p->bytes, p->text,
			s->id[before].value.position.line);
	if (s->frame)
		return lt__script_fail(s, p->position, LT_ESYNTAX,
			"Unexpected number: functions and repeats make nodes again and again, expected a name instead of $%.*s",
			p->bytes, p->text);
	return LT_OK;
}

static void bind_id(struct lt_script *s, const struct left_side *p, const struct lt_arg *value)
{
	lt__names_add(s->ids, p->text, (size_t)p->bytes, s->n_id);
	LT_GROW(s->arena, s->id, s->n_id, s->cap_id);
	struct lt_binding *b = &s->id[s->n_id++];
	b->value = *value;
	b->value.position = p->position;
	b->value.shown = lt__arena_format(s->arena, "$%.*s", p->bytes, p->text);
}

static lt_status read_left(struct lt_script *s, struct left_side *p)
{
	int c = lt__lex_peek(&s->cursor);
	*p = (struct left_side){ .position = s->cursor.position, .numbered = c == '$' };
	if (p->numbered) {
		lt__lex_step(&s->cursor);
		LT_TRY(lt__script_id(s, &p->text, &p->bytes));
		return check_id(s, p);
	}
	p->bytes = lt__lex_word(&s->cursor, &p->text);
	if (!p->bytes)
		return lt__script_unexpected(s, "a name or a number such as $1");
	s->names_used = true;
	return lt__script_check_name(s, p->text, p->bytes, p->position);
}

static lt_status check_counts(struct lt_script *s, const struct left_side *p, int32_t n_left, int32_t n_value)
{
	if (n_left == n_value)
		return LT_OK;
	return lt__script_fail(s, p->position, LT_ESYNTAX, "Unexpected number of values: %d for %d name%s", n_value, n_left,
		n_left > 1 ? "s" : "");
}

/* $1 = value;   h = value;   a, b = f(h); */
static lt_status parse_assignment(struct lt_script *s)
{
	enum { MAX_LEFT = 32 };
	struct left_side left[MAX_LEFT];
	struct lt_script_target target[MAX_LEFT];
	int32_t n = 0, first = s->n_arg;
	do {
		if (n == MAX_LEFT)
			return lt__script_fail(s, s->cursor.position, LT_EUNSUPPORTED,
				"Too many names before '=', the limit is %d", MAX_LEFT);
		if (n)
			lt__lex_step(&s->cursor);
		struct left_side *p = &left[n];
		LT_TRY(read_left(s, p));
		for (int32_t i = 0; i < n; i++)
			if (left[i].bytes == p->bytes && left[i].numbered == p->numbered && !memcmp(left[i].text, p->text, (size_t)p->bytes))
				return lt__script_fail(s, p->position, LT_EEXIST, "'%.*s' stands before '=' twice, and is one value",
					p->bytes, p->text);
		const char *path = lt__script_path(s, p->text, p->bytes);
		target[n++] = (struct lt_script_target){ .path = path, .position = left[0].position, .named = true,
			.shown = p->numbered ? lt__arena_format(s->arena, "$%s", path) : path };
	} while (lt__lex_peek(&s->cursor) == ',');
	LT_TRY(lt__script_expect(s, '=', "'='"));
	lt__lex_peek(&s->cursor);
	struct lt_cursor from = s->cursor;
	bool numbered = left[0].numbered;
	LT_TRY(read_values(s, target, n, numbered ? LT_EXPECTED_NODE_TYPE : "a value such as ReLUNode(x) or a number"));
	struct lt_cursor end = s->cursor;
	if (n == 1 && numbered && s->n_arg == first + 1 && s->arg[first].kind != LT_ARG_NODE)
		return lt__script_mismatch(s, &from, &s->arg[first], LT_EXPECTED_NODE_TYPE);
	s->cursor = end;
	LT_TRY(lt__script_follow(s));
	LT_TRY(check_counts(s, left, n, s->n_arg - first));
	for (int32_t i = 0; i < n; i++) {
		const struct lt_arg *value = &s->arg[first + i];
		if (left[i].numbered && value->kind != LT_ARG_NODE)
			return lt__script_mismatch(s, &from, value, LT_EXPECTED_NODE);
		if (value->kind == LT_ARG_MANY)
			return lt__script_mismatch(s, &from, value, "one value");
		if (left[i].numbered)
			bind_id(s, &left[i], value);
		else
			lt__script_bind(s, left[i].text, left[i].bytes, value);
	}
	s->n_arg = first;
	return lt__script_end(s);
}

/* result = $5;   result NAME = x + 1;   The last one of a name holds. */
static lt_status parse_result(struct lt_script *s, struct lt_position at)
{
	struct lt_arg name = { .text = "result", .n = 6 }, value;
	if (lt__lex_peek(&s->cursor) != '=') {
		LT_TRY(read_text(s, "=;,)", &name));
		if (!name.n)
			return lt__script_unexpected(s, "'=' or a name");
	}
	LT_TRY(lt__script_expect(s, '=', "'='"));
	lt__lex_peek(&s->cursor);
	struct lt_cursor from = s->cursor;
	const struct lt_script_target target = { .position = at, .named = true,
		.path = lt__script_path(s, name.text, name.n < 100 ? name.n : 100) };
	int32_t first = s->n_arg;
	LT_TRY(read_values(s, &target, 1, LT_EXPECTED_NODE));
	value = s->arg[first];
	if (s->n_arg != first + 1 && value.kind == LT_ARG_NODE)
		return check_counts(s, &(struct left_side){ .position = at }, 1, s->n_arg - first);
	if (value.kind != LT_ARG_NODE)
		return lt__script_mismatch(s, &from, &value, LT_EXPECTED_NODE);
	s->n_arg = first;
	LT_TRY(lt__script_end(s));
	int32_t i = lt__names_find(s->result_names, name.text, (size_t)name.n);
	if (i < 0) {
		LT_GROW(s->arena, s->result, s->n_result, s->cap_result);
		i = s->n_result++;
		s->result[i].name = lt__names_add(s->result_names, name.text, (size_t)name.n, i);
	}
	s->result[i].statement = value.statement;
	return LT_OK;
}

/* set $1 = $2; */
static lt_status parse_set(struct lt_script *s, struct lt_position at)
{
	struct lt_script_set set = { .position = at };
	struct lt_arg state, value;
	LT_TRY(lt__script_refer(s, &state));
	s->n_named = 0;
	set.state = state.statement;
	LT_TRY(lt__script_expect(s, '=', "'='"));
	s->level = 0;
	s->target = (struct lt_script_target){ .path = lt__script_path(s, "set", 3), .position = at };
	LT_TRY(take_value(s, LT_ARG_NODE, LT_EXPECTED_NODE, &value));
	set.value = value.statement;
	LT_TRY(lt__script_end(s));
	if (s->statement[set.state].type->build != lt__script_build_buffer)
		return lt__script_fail(s, state.position, LT_EINVAL, "%s is not a BufferTensor, which set gives a new content",
			state.shown);
	for (int32_t i = 0; i < s->n_set; i++)
		if (s->set[i].state == set.state)
			return lt__script_fail(s, at, LT_EEXIST, "The new content of %s is set twice, first in line %d", state.shown,
				s->set[i].position.line);
	LT_GROW(s->arena, s->set, s->n_set, s->cap_set);
	s->set[s->n_set++] = set;
	return LT_OK;
}

#define C_TEXT "C, not a script: lt-run SCRIPT --use-source FILE runs the C that -b cpu --dump=source wrote"

/* Other texts that these tools write, which begin with a word of their own. */
static const char *other_text(const char *word, int32_t n)
{
	static const struct { const char *word, *what; } texts[] = {
		{ "looptree", "a loop tree, not a script: lt-run SCRIPT --schedule FILE runs the script by it" },
		{ "schedule", "a list of schedule primitives, not a script: lt-run SCRIPT --schedule FILE applies it" },
		{ "kernel", "a kernel program, not a script: build/simulate FILE runs it (docs/kernel.md)" },
		{ "struct", C_TEXT }, { "static", C_TEXT }, { "void", C_TEXT }, { "typedef", C_TEXT },
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if ((int32_t)strlen(texts[i].word) == n && memcmp(texts[i].word, word, (size_t)n) == 0)
			return texts[i].what;
	return NULL;
}

static bool is_word(const char *word, int32_t n, const char *is)
{
	return (int32_t)strlen(is) == n && memcmp(word, is, (size_t)n) == 0;
}

/* Whether it is a round of a repeat whose rounds a run says. */
static bool in_rounds(const struct lt_script *s)
{
	const struct lt_script_frame *f = s->frame;
	while (f && !f->rounds)
		f = f->up;
	return f != NULL;
}

/* Whether some function is being called. */
static bool in_function(const struct lt_script *s)
{
	const struct lt_script_frame *f = s->frame;
	while (f && !f->function)
		f = f->up;
	return f != NULL;
}

static lt_status parse_statement(struct lt_script *s)
{
	int c = lt__lex_peek(&s->cursor);
	struct lt_cursor mark = s->cursor;
	struct lt_position at = mark.position;
	const char *word;
	if (c == '$')
		return parse_assignment(s);
	if (c == ';')
		return lt__script_fail(s, at, LT_ESYNTAX, "Empty expression");
	int32_t n = lt__lex_word(&s->cursor, &word);
	c = lt__lex_peek(&s->cursor);
	if (is_word(word, n, "result") && in_function(s))
		return lt__script_fail(s, at, LT_ESYNTAX, "Unexpected result: a function gives its values by return");
	if (in_rounds(s) && (is_word(word, n, "result") ||
		(c != '=' && c != ',' && (is_word(word, n, "set") || is_word(word, n, "require")))))
		return lt__script_fail(s, at, LT_EUNSUPPORTED, "Unexpected %.*s in a repeat whose number of rounds differs from run "
			"to run: it stands after the repeat", n, word);
	if (is_word(word, n, "result"))
		return parse_result(s, at);
	if (n && (c == '=' || c == ',')) {
		s->cursor = mark;
		return parse_assignment(s);
	}
	if (is_word(word, n, "def") || is_word(word, n, "repeat")) {
		LT_TRY(*word == 'd' ? parse_def(s, at) : parse_repeat(s, at));
		return lt__lex_peek(&s->cursor) == ';' ? lt__script_fail(s, s->cursor.position, LT_ESYNTAX,
			"Empty expression: no ';' follows the '}' of %s", *word == 'd' ? "def" : "repeat") : LT_OK;
	}
	if (is_word(word, n, "set"))
		return parse_set(s, at);
	if (is_word(word, n, "require"))
		return lt__script_require(s, at);
	if (is_word(word, n, "return"))
		return lt__script_fail(s, at, LT_ESYNTAX, "Unexpected return: it is the last statement of a function");
	s->cursor = mark;
	const char *other = s->n_statement == 0 ? other_text(word, n) : NULL;
	if (other)
		return lt__script_fail(s, at, LT_ESYNTAX, "this is %s", other);
	return lt__script_no_statement(s, &mark);
}

static lt_status parse_block(struct lt_script *s)
{
	for (;;) {
		int c = lt__lex_peek(&s->cursor);
		struct lt_cursor look = s->cursor;
		const char *word;
		int32_t n = lt__lex_word(&look, &word);
		if (c < 0)
			return lt__script_unexpected(s, "'}'");
		if (c == '}' || is_word(word, n, "return"))
			return LT_OK;
		LT_TRY(parse_statement(s));
	}
}

static void mark_needed(struct lt_script *s)
{
	for (int32_t i = 0; i < s->n_result; i++)
		s->statement[s->result[i].statement].needed = true;
	for (int32_t i = 0; i < s->n_set; i++)
		s->statement[s->set[i].state].needed = s->statement[s->set[i].value].needed = true;
	for (int32_t i = s->n_statement; i-- > 0;) {
		const struct lt_statement *st = &s->statement[i];
		for (int32_t k = 0; st->needed && k < st->n_use; k++)
			s->statement[s->use[st->first_use + k]].needed = true;
		s->stray = s->stray || (!st->needed && st->scalars);
	}
}

lt_status lt__script_parse(struct lt_script *s)
{
	s->target.path = "value";
	while (lt__lex_peek(&s->cursor) >= 0)
		LT_TRY(parse_statement(s));
	if (!s->n_result && !s->n_set)
		return lt__script_fail(s, s->cursor.position, LT_EINVAL,
			"Output node is not defined: a script ends with result = $n;");
	mark_needed(s);
	lt_graph_at(s->graph, 0, 0);
	for (int32_t i = 0; i < s->n_result; i++) {
		const struct lt_statement *st = &s->statement[s->result[i].statement];
		s->here = st->position;
		if (lt_graph_result(s->graph, s->result[i].name, st->node))
			return lt__script_locate(s);
	}
	return lt__script_states(s);
}
