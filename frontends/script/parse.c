/* parse.c -- statements: names and numbers get values, results; functions and repeats are in
 * function.c. */
#include <string.h>
#include "frontends/script/script.h"

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
		LT_TRY(lt__script_expression(s, expected, &value));
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
		LT_TRY(lt__script_name(s, "=;,)", &name));
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
	if (is_word(word, n, "result"))
		return parse_result(s, at);
	if (n && (c == '=' || c == ',')) {
		s->cursor = mark;
		return parse_assignment(s);
	}
	if (is_word(word, n, "def") || is_word(word, n, "repeat")) {
		LT_TRY(*word == 'd' ? lt__script_define(s, at) : lt__script_repeat(s, at));
		return lt__lex_peek(&s->cursor) == ';' ? lt__script_fail(s, s->cursor.position, LT_ESYNTAX,
			"Empty expression: no ';' follows the '}' of %s", *word == 'd' ? "def" : "repeat") : LT_OK;
	}
	if (is_word(word, n, "set"))
		return lt__script_set(s, at);
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
	s->expression = lt__script_expression;
	s->block = parse_block;
	s->values = read_values;
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
