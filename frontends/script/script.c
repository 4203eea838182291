/* script.c -- the script language as a frontend. */
#include <string.h>
#include "frontends/frontends.h"
#include "frontends/script/reader.h"
#include "frontends/script/script.h"
#include "lt/frontend.h"

struct script_job {
	struct lt_script script;
	const char *text, *kernels;
	size_t bytes;
	struct lt_ownfolder folder;
};

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
	job->script.folder = &job->folder;
	for (int32_t i = 0; i < job->folder.n; i++)
		if (!strchr(job->folder.name[i], '/'))          /* those of domains are for models of ONNX */
			LT_TRY(lt__script_load_own(&job->script, job->folder.name[i]));
	return lt__script_parse(&job->script);
}

/* A run checks every run-time scalar of its graph.  A statement that no result needs is checked now, but must not
 * have a say in a run: where one brought such scalars the graph is built again without those statements. */
static lt_status parse_body(void *arg)
{
	struct script_job *job = arg;
	struct lt_script *s = &job->script;
	if (job->kernels)
		LT_TRY(lt__ownfolder_read(s->ctx, s->arena, job->kernels, &job->folder));
	LT_TRY(parse_text(job, NULL));
	if (!s->stray)
		return lt__script_own_find(s->graph, s->arena, &job->folder);
	bool *skip = LT_NEW(s->arena, bool, s->n_statement);
	for (int32_t i = 0; i < s->n_statement; i++)
		skip[i] = !s->statement[i].needed && s->statement[i].n_use;
	lt_graph_free(s->graph);
	s->graph = NULL;
	LT_TRY(lt_graph_new(s->ctx, &s->graph));
	LT_TRY(parse_text(job, skip));
	return lt__script_own_find(s->graph, s->arena, &job->folder);
}

static const char script_name[] = "script";

static lt_status parse_with(struct lt_context *ctx, const char *text, size_t bytes, const char *file,
	const struct lt_parse_options *o, struct lt_graph **out)
{
	struct script_job job = { .script = { .ctx = ctx, .file = file }, .text = text, .bytes = bytes,
		.kernels = o ? lt__parse_kernels(o) : NULL };
	*out = NULL;
	if (o)
		LT_TRY(lt__parse_fixes_nothing(ctx, file, script_name, o));
	if (bytes >= INT32_MAX)
		return lt_fail(ctx, LT_EOVERFLOW, "%s: a script of %zu bytes is too long, the limit is 2^31 - 2", file, bytes);
	return lt__parse_run(ctx, &job.script.arena, NULL, &job.script.graph, parse_body, &job, out);
}

static lt_status parse(struct lt_context *ctx, const char *text, size_t bytes, const char *file, struct lt_graph **out)
{
	return parse_with(ctx, text, bytes, file, NULL, out);
}

static int recognize(const char *text, size_t bytes)
{
	(void)text;
	(void)bytes;
	return LT_FRONTEND_ANY_TEXT;
}

static const struct lt_frontend script = {
	.size = sizeof script,
	.name = script_name,
	.summary = "the HamKaas script language, with extensions (docs/script.md)",
	.suffix = "lt",
	.recognize = recognize,
	.parse = parse,
	.parse_with = parse_with,
};
LT_FRONTEND(script)
