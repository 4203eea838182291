/* mistakes.c -- the way out for what other languages write and this one does not, and for a name that there is not. */
#include <string.h>
#include "base/nearest.h"
#include "frontends/script/reader.h"
#include "ir/op/op.h"

static const struct { const char *word, *node; } hints[] = {
#define HINT(word, node) { #word, #node },
#include "frontends/script/hints.def"
};

/* What other libraries call a node: global_max_pool, GlobalMaxPool; NULL. */
static const char *hint_of(const char *name, int32_t bytes)
{
	char word[48];
	size_t n = 0;
	if (bytes > 4 && memcmp(name + bytes - 4, "Node", 4) == 0)
		bytes -= 4;
	for (int32_t i = 0; i < bytes && n < sizeof word - 1; i++)
		if (name[i] != '_')
			word[n++] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
	word[n] = 0;
	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
		if (strcmp(hints[i].word, word) == 0)
			return hints[i].node;
	return NULL;
}

/* ReLU: ReLUNode. */
static const char *nearest_node(const struct lt_script *s, const char *name, int32_t bytes)
{
	static const char *const ends[] = { "", "Node", "Tensor" };
	struct lt_nearest near;
	char whole[3][48];
	const char *hint = hint_of(name, bytes);
	if (hint || bytes >= 40)
		return hint;
	lt__nearest_begin(&near, name, (size_t)bytes);
	for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
		near.limit = (size_t)bytes / 3 + (k == 0 ? 2 : 1);      /* letters that were not written say nothing */
		near.bytes = (size_t)snprintf(whole[k], sizeof whole[k], "%.*s%s", bytes, name, ends[k]);
		near.word = whole[k];
		for (int32_t i = 0; i < s->n_type; i++)
			lt__nearest_add(&near, s->type[i].name);
		for (int32_t i = 0; k == 0 && i < s->n_function; i++)
			lt__nearest_add(&near, s->function[i].name);
	}
	return near.n ? near.name[0] : NULL;
}

/* -- What other languages write. */

/* Statements of other languages, by their first word. */
static const char *foreign_word(const char *word, int32_t n)
{
	static const struct { const char *word, *instead; } words[] = {
		{ "for", "repeat i in 0..12 { ... } runs statements again" },
		{ "while", "repeat i in 0..12 { ... } runs statements a fixed number of times" },
		{ "if", "SelectNode(condition, a, b) takes a where the condition holds" },
		{ "function", "a function is def f(x) { return x + 1; }" }, { "fn", "a function is def f(x) { return x + 1; }" },
		{ "let", "a value gets its name by x = ...;" }, { "var", "a value gets its name by x = ...;" },
		{ "const", "a value gets its name by x = ...;" }, { "import", "a script is one file" },
		{ "print", "result NAME = x; gives a value out" },
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == (size_t)n && memcmp(words[i].word, word, (size_t)n) == 0)
			return words[i].instead;
	return NULL;
}

lt_status lt__script_no_statement(struct lt_script *s, const struct lt_cursor *from)
{
	struct lt_cursor after = *from;
	const char *word;
	int32_t n = lt__lex_word(&after, &word);
	const char *instead = foreign_word(word, n), *end = after.at;
	int c = lt__lex_peek(&after);
	s->cursor = *from;
	if (instead && c != ';')
		return lt__script_fail(s, from->position, LT_ESYNTAX, "Unexpected '%.*s': %s", n, word, instead);
	if (n && after.end - after.at > 1 && after.at[1] == '=' && strchr("+-*/%@&|^", c))
		return lt__script_fail(s, after.position, LT_ESYNTAX,
			"Unexpected symbol '%c', expected '=': write %.*s = %.*s %c ...;", c, n, word, n, word, c);
	if (n && c >= 0x80 && after.at == end)
		return lt__script_fail(s, after.position, LT_ESYNTAX,
			"Unexpected symbol in a name: it has letters a to z and A to Z, digits and _");
	if (n && c == '(')
		return lt__script_fail(s, after.position, LT_ESYNTAX,
			"Unexpected symbol '(', expected '=': the value of %.*s(...) needs a name, as in y = %.*s(...);", n, word, n, word);
	if (n && s->names_used && c >= 0 && c != ';') {
		s->cursor = after;
		return lt__script_unexpected(s, "'=' after the name");
	}
	return lt__script_unexpected(s, s->names_used ? "a statement such as y = ReLUNode(x); or result = y;"
						      : "a statement such as $1 = ReLUNode($2); or result = $1;");
}

/* The line of "def NAME(" behind the cursor, 0: there is none. */
static int32_t defined_later(const struct lt_script *s, const char *name, int32_t bytes)
{
	struct lt_cursor c = s->cursor;
	const char *word;
	for (bool def = false; lt__lex_peek(&c) >= 0;) {
		struct lt_position at = c.position;
		int32_t n = lt__lex_word(&c, &word);
		if (def && n == bytes && memcmp(word, name, (size_t)n) == 0)
			return at.line;
		def = n == 3 && memcmp(word, "def", 3) == 0;
		if (!n)
			lt__lex_step(&c);
	}
	return 0;
}

/* What the folder of operations has to do with a name that is none of them; "". */
static const char *folder_lacks(struct lt_script *s, const char *name, int32_t bytes)
{
	const struct lt_ownfolder *f = s->folder;
	if (!f || !f->path)
		return "";
	for (int32_t i = 0; i < f->n; i++) {
		const char *slash = strrchr(f->name[i], '/');
		if (slash && strlen(slash + 1) == (size_t)bytes && !memcmp(slash + 1, name, (size_t)bytes))
			return lt__arena_format(s->arena, "; %s/%s.lt is for models of ONNX, whose nodes name the domain: a script calls "
				"what is in %s itself", f->path, f->name[i], f->path);
	}
	return lt__arena_format(s->arena, "; no operation is called so in the folder %s", f->path);
}

lt_status lt__script_unknown_node(struct lt_script *s, struct lt_position at, const char *name, int32_t bytes)
{
	const char *nearest = nearest_node(s, name, bytes);
	int32_t line = defined_later(s, name, bytes);
	if (line)
		return lt__script_fail(s, at, LT_EINVAL, "Unknown node type '%.*s': the function of that name is defined in line %d, "
			"behind its use; move it up", bytes < 60 ? bytes : 60, name, line);
	return lt__script_fail(s, at, LT_EINVAL, "Unknown node type '%.*s'%s%s%s", bytes < 60 ? bytes : 60, name,
		nearest ? "; did you mean " : "", nearest ? nearest : folder_lacks(s, name, bytes), nearest ? "?" : "");
}

lt_status lt__script_check_glued(struct lt_script *s, const struct lt_arg *number)
{
	struct lt_cursor after = s->cursor;
	const char *word;
	int32_t n = after.at < after.end && *after.at > ' ' && *after.at != '#' ? lt__lex_word(&after, &word) : 0;
	if (!n)
		return LT_OK;
	if (number->n == 1 && *number->text == '0' && *word == 'x')
		return lt__script_fail(s, number->position, LT_ESYNTAX, "Unexpected symbol 'x' after 0: numbers are decimal");
	return lt__script_fail(s, s->cursor.position, LT_ESYNTAX,
		"Unexpected symbol '%c' after the number %.*s; a product is %.*s * %.*s", *word, number->n, number->text, number->n,
		number->text, n, word);
}

lt_status lt__script_check_bits(struct lt_script *s, const struct lt_script_node *type, const char *symbol,
	const struct lt_arg *left, const struct lt_arg *right)
{
	const struct lt_arg *x[] = { left, right };
	bool power = strcmp(symbol, "^") == 0;
	if (!power && strcmp(symbol, "&") != 0 && strcmp(symbol, "|") != 0)
		return LT_OK;
	for (int32_t i = 0; i < 2; i++) {
		if (x[i]->kind != LT_ARG_NODE
			|| lt__op_takes(type->op, lt__dtype_info(lt_node_dtype(s->graph, x[i]->node))->compute))
			continue;
		if (power)
			return lt__script_fail(s, x[i]->position, LT_ETYPE,
				"Unsupported value type: %s, but ^ is the exclusive or of integers and bool; the power is **",
				lt__script_value(s, x[i]));
		return lt__script_fail(s, x[i]->position, LT_ETYPE, "Unsupported value type: %s, but %s takes integer or bool; it "
			"binds tighter than comparisons: (a > 1) %s (b < 2)", lt__script_value(s, x[i]), symbol, symbol);
	}
	return LT_OK;
}
