/* frontends/script/parse.c -- statements: nodes and results, in order. */
#include <string.h>
#include "frontends/script/script.h"

/* Values get the statement's number as their name; what was built on the way "5.mul". */
static void name_nodes(struct lt_script *s, int32_t from, lt_node value, const char *id, int32_t bytes)
{
	struct lt_graph *g = s->graph;
	char name[64];
	for (lt_node i = from; i < g->n_node; i++) {
		if (i == value)
			snprintf(name, sizeof name, "%.*s", bytes, id);
		else
			snprintf(name, sizeof name, "%.*s.%s", bytes, id, lt__op_info(g->node[i].op)->name);
		lt_node_set_name(g, i, name);
	}
}

/* Which nodes may be read before the first kernel starts: sources, and views of nothing else. */
static void mark_sourced(struct lt_script *s)
{
	const struct lt_graph *g = s->graph;
	while (s->n_sourced < g->n_node) {
		const struct lt_nodedef *d = &g->node[s->n_sourced];
		bool is = d->op == LT_OP_input || d->op == LT_OP_constant || d->op == LT_OP_state;
		if (d->op == LT_OP_view) {
			is = true;
			for (int32_t i = 0; i < d->n_operand; i++)
				is = is && s->sourced[d->operand[i]];
		}
		LT_GROW(s->arena, s->sourced, s->n_sourced, s->cap_sourced);
		s->sourced[s->n_sourced++] = is;
	}
}

/* A builder of the graph that failed by itself has reported what, but maybe not where. */
static lt_status locate_failure(struct lt_script *s)
{
	struct lt_context *ctx = s->ctx;
	char text[sizeof ctx->message];
	size_t n = strlen(s->file);
	lt_status code = ctx->code ? ctx->code : LT_EINVAL;
	if (code == LT_ENOMEM)
		return code;
	if (strncmp(ctx->message, s->file, n) == 0 && ctx->message[n] == ':')
		return code;
	memcpy(text, ctx->message, sizeof text);
	text[sizeof text - 1] = 0;
	return lt__script_fail(s, s->here, code, "%s", text);
}

static lt_status parse_id(struct lt_script *s, const char **text, int32_t *bytes)
{
	lt__lex_peek(&s->cursor);
	struct lt_position at = s->cursor.position;
	int64_t value = 0;
	int32_t n = lt__lex_digits(&s->cursor, text);
	if (!n)
		return lt__script_unexpected(s, "the node's number");
	while (n > 1 && **text == '0')
		(*text)++, n--;
	for (int32_t i = 0; i < n; i++)
		if (lt__mul_overflow(value, 10, &value) || lt__add_overflow(value, (*text)[i] - '0', &value))
			return lt__script_fail(s, at, LT_EOVERFLOW, "Node number $%.*s%s exceeds 63 bits",
				n < 40 ? n : 40, *text, n < 40 ? "" : "...");
	*bytes = n;
	return LT_OK;
}

static lt_status parse_type(struct lt_script *s, const struct lt_script_node **type)
{
	const char *text;
	lt__lex_peek(&s->cursor);
	struct lt_position at = s->cursor.position;
	int32_t n = lt__lex_word(&s->cursor, &text);
	if (!n)
		return lt__script_unexpected(s, "a type of node such as SumNode");
	int32_t i = lt__names_find(s->types, text, (size_t)n);
	if (i >= 0) {
		*type = &s->type[i];
		return LT_OK;
	}
	const char *nearest = lt__script_nearest(s, text, n);
	return lt__script_fail(s, at, LT_EINVAL, "Unknown node type '%.*s'%s%s%s", n < 60 ? n : 60, text,
		nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static lt_status build_node(struct lt_script *s, struct lt_statement *st)
{
	struct lt_graph *g = s->graph;
	int32_t from = g->n_node, scalars = g->n_param + g->n_require;
	s->here = st->position;
	s->id = st->id;
	s->id_bytes = st->id_bytes;
	s->chain = s->previous = s->scalar = -1;
	lt_graph_at(g, st->position.line, st->position.column);
	st->node = st->type->build(s, st->type, s->arg, s->n_arg);
	if (st->node < 0)
		return locate_failure(s);
	name_nodes(s, from, st->node, st->id, st->id_bytes);
	mark_sourced(s);
	st->chain = s->chain;
	st->previous = s->previous;
	st->scalar = s->scalar;
	st->scalars = g->n_param + g->n_require > scalars;
	return LT_OK;
}

static lt_status parse_node(struct lt_script *s, struct lt_position at)
{
	struct lt_statement st = { .node = -1, .position = at, .chain = -1, .previous = -1, .scalar = -1 };
	LT_TRY(parse_id(s, &st.id, &st.id_bytes));
	int32_t before = lt__names_find(s->ids, st.id, (size_t)st.id_bytes);
	if (before >= 0)
		return lt__script_fail(s, at, LT_EEXIST, "Node is defined twice: $%.*s, first at line %d", st.id_bytes, st.id,
			s->statement[before].position.line);
	LT_TRY(lt__script_expect(s, '=', "'='"));
	LT_TRY(parse_type(s, &st.type));
	st.first_use = s->n_use;
	LT_TRY(lt__script_args(s, st.type));
	st.n_use = s->n_use - st.first_use;
	if (lt__lex_peek(&s->cursor) >= 0 && lt__lex_peek(&s->cursor) != ';')
		return lt__script_fail(
			s, s->cursor.position, LT_ESYNTAX, "Unexpected symbols after the end of expression, expected ';'");
	LT_TRY(lt__script_expect(s, ';', "';'"));

	if (!s->skip || !s->skip[s->n_statement])
		LT_TRY(build_node(s, &st));
	lt__names_add(s->ids, st.id, (size_t)st.id_bytes, s->n_statement);
	LT_GROW(s->arena, s->statement, s->n_statement, s->cap_statement);
	s->statement[s->n_statement++] = st;
	return LT_OK;
}

/* result = $5;   result NAME = $5;   The last one of a name holds. */
static lt_status parse_result(struct lt_script *s)
{
	const char *name = "result";
	int32_t n = 6, statement;
	if (lt__lex_peek(&s->cursor) != '=') {
		LT_TRY(lt__script_text_name(s, &name, &n));
		if (!name)
			n = lt__lex_name(&s->cursor, "=;,)", &name);
		if (!n)
			return lt__script_unexpected(s, "'=' or a name");
	}
	LT_TRY(lt__script_expect(s, '=', "'='"));
	LT_TRY(lt__script_reference(s, &statement));
	if (lt__lex_peek(&s->cursor) >= 0 && lt__lex_peek(&s->cursor) != ';')
		return lt__script_fail(
			s, s->cursor.position, LT_ESYNTAX, "Unexpected symbols after the end of expression, expected ';'");
	LT_TRY(lt__script_expect(s, ';', "';'"));
	int32_t i = lt__names_find(s->result_names, name, (size_t)n);
	if (i < 0) {
		LT_GROW(s->arena, s->result, s->n_result, s->cap_result);
		i = s->n_result++;
		s->result[i].name = lt__names_add(s->result_names, name, (size_t)n, i);
	}
	s->result[i].statement = statement;
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

static lt_status parse_statement(struct lt_script *s)
{
	struct lt_position at = s->cursor.position;
	const char *word;
	if (lt__lex_peek(&s->cursor) == '$') {
		lt__lex_step(&s->cursor);
		return parse_node(s, at);
	}
	if (lt__lex_peek(&s->cursor) == ';')
		return lt__script_fail(s, at, LT_ESYNTAX, "Empty expression");
	struct lt_cursor mark = s->cursor;
	int32_t n = lt__lex_word(&s->cursor, &word);
	if (n == 6 && memcmp(word, "result", 6) == 0)
		return parse_result(s);
	if (n == 3 && memcmp(word, "set", 3) == 0)
		return lt__script_set(s);
	if (n == 7 && memcmp(word, "require", 7) == 0)
		return lt__script_require(s);
	s->cursor = mark;
	const char *other = s->n_statement == 0 ? other_text(word, n) : NULL;
	if (other)
		return lt__script_fail(s, at, LT_ESYNTAX, "this is %s", other);
	return lt__script_unexpected(s, "a statement such as $1 = ReLUNode($2); or result = $1;");
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
			return locate_failure(s);
	}
	return lt__script_states(s);
}
