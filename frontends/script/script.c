/* script.c -- the script language as a frontend; one call of a node alone, for what prints graphs as scripts. */
#include <string.h>
#include "frontends/script/reader.h"
#include "frontends/script/script.h"
#include "lt/frontend.h"

struct script_job { struct lt_script script; const char *text; size_t bytes; };

struct lt_script_language { struct lt_script_node *type; int32_t n; struct lt_names *names; };

struct lt_script_language *lt__script_language(struct lt_arena *arena)
{
	struct lt_script_language *l = LT_NEW(arena, struct lt_script_language, 1);
	l->n = lt__script_nodes(NULL, 0);
	l->type = LT_NEW(arena, struct lt_script_node, l->n);
	l->names = lt__names_new(arena);
	lt__script_nodes(l->type, l->n);
	for (int32_t i = 0; i < l->n; i++)
		lt__names_add(l->names, l->type[i].name, strlen(l->type[i].name), i);
	return l;
}

const char *lt__script_op_name(const struct lt_script_language *l, enum lt_opcode op)
{
	for (int32_t i = 0; i < l->n; i++)
		if (l->type[i].op == op)
			return l->type[i].name;
	return NULL;
}

/* The operands are statements of their own; the text is parsed after them. */
lt_node lt__script_build(const struct lt_script_language *l, struct lt_graph *g, int32_t n, const lt_node *operand,
	const char *text, size_t bytes)
{
	struct lt_arena *arena = g->arena;
	struct lt_script s = { .ctx = g->ctx, .arena = arena, .graph = g, .file = "form", .type = l->type, .n_type = l->n,
		.types = l->names, .ids = lt__names_new(arena), .functions = lt__names_new(arena), .shown = "$",
		.target = { .path = "form" }, .cursor = { text, text + bytes, { 1, 1 } } };
	lt__script_scope_new(&s, &s.script_scope);
	s.scope = &s.script_scope;
	s.sourced = LT_NEW(arena, bool, g->n_node);
	for (int32_t k = 0; k < n; k++) {
		char id[16];
		int32_t length = snprintf(id, sizeof id, "%d", k);
		const char *shown = lt__arena_format(arena, "$%d", k);
		struct lt_statement st = { .shown = shown, .node = operand[k], .type = l->type, .chain = -1, .previous = -1 };
		lt__names_add(s.ids, id, (size_t)length, k);
		LT_GROW(arena, s.id, s.n_id, s.cap_id);
		s.id[s.n_id++] = (struct lt_binding){ .value = { .kind = LT_ARG_NODE, .statement = k, .node = st.node,
			.shown = shown } };
		LT_GROW(arena, s.statement, s.n_statement, s.cap_statement);
		s.statement[s.n_statement++] = st;
	}
	const char *word;
	int32_t length = lt__lex_word(&s.cursor, &word), i = lt__names_find(l->names, word, (size_t)length);
	return i < 0 || lt__script_args(&s, &l->type[i]) ? -1 : l->type[i].build(&s, &l->type[i], s.arg, s.n_arg);
}

static lt_status parse_text(struct script_job *job, const bool *skip)
{
	struct lt_arena *arena = job->script.arena;
	const struct lt_script_language *language = lt__script_language(arena);
	static const char mark[] = "\xef\xbb\xbf";      /* of UTF-8, at the begin of some files */
	const char *begin = job->text + (job->bytes >= 3 && memcmp(job->text, mark, 3) == 0 ? 3 : 0);
	job->script = (struct lt_script){
		.ctx = job->script.ctx, .arena = arena, .graph = job->script.graph, .file = job->script.file, .skip = skip,
		.cursor = { begin, job->text + job->bytes, { 1, 1 } },
		.type = language->type, .n_type = language->n, .types = language->names,
		.ids = lt__names_new(arena), .functions = lt__names_new(arena),
		.buffers = lt__names_new(arena),
		.inputs = lt__names_new(arena), .constants = lt__names_new(arena), .result_names = lt__names_new(arena),
	};
	lt__script_scope_new(&job->script, &job->script.script_scope);
	job->script.scope = &job->script.script_scope;
	job->script.graph->file = lt__arena_string(job->script.graph->arena, job->script.file);
	return lt__script_parse(&job->script);
}

/* A run checks every run-time scalar of its graph.  A statement that no result needs is checked now, but must not
 * have a say in a run: where one brought such scalars the graph is built again without those statements. */
static lt_status parse_body(void *arg)
{
	struct script_job *job = arg;
	struct lt_script *s = &job->script;
	LT_TRY(parse_text(job, NULL));
	if (!s->stray)
		return LT_OK;
	bool *skip = LT_NEW(s->arena, bool, s->n_statement);
	for (int32_t i = 0; i < s->n_statement; i++)
		skip[i] = !s->statement[i].needed && s->statement[i].n_use;
	lt_graph_free(s->graph);
	s->graph = NULL;
	LT_TRY(lt_graph_new(s->ctx, &s->graph));
	return parse_text(job, skip);
}

static lt_status parse(struct lt_context *ctx, const char *text, size_t bytes, const char *file, struct lt_graph **out)
{
	struct script_job job = { .script = { .ctx = ctx, .file = file }, .text = text, .bytes = bytes };
	*out = NULL;
	if (bytes >= INT32_MAX)
		return lt_fail(ctx, LT_EOVERFLOW, "%s: a script of %zu bytes is too long, the limit is 2^31 - 2", file, bytes);
	LT_TRY(lt__arena_new(ctx, &job.script.arena));
	lt_status status = lt_graph_new(ctx, &job.script.graph);
	if (!status)
		status = lt__protect(ctx, parse_body, &job);
	lt__arena_free(job.script.arena);
	if (status)
		lt_graph_free(job.script.graph);
	else
		*out = job.script.graph;
	return status;
}

static int recognize(const char *text, size_t bytes)
{
	(void)text;
	(void)bytes;
	return LT_FRONTEND_ANY_TEXT;
}

static const struct lt_frontend script = {
	.size = sizeof script,
	.name = "script",
	.summary = "the HamKaas script language, with extensions (docs/script.md)",
	.suffix = "lt",
	.recognize = recognize,
	.parse = parse,
};
LT_FRONTEND(script)
