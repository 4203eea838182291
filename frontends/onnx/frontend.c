/* frontend.c -- models of ONNX as a frontend: the order of an import. */
#include <string.h>
#include "frontends/frontends.h"
#include "frontends/onnx/onnx.h"
#include "frontends/onnx/onnx.pb-c.h"
#include "frontends/script/script.h"

enum { NEWEST_OPSET = 28 };

struct onnx_import { struct lt_onnx m; const char *text; size_t bytes; };

/* The standard's own set of operators has to be one that is known. */
static void check_versions(struct lt_onnx *m)
{
	for (size_t i = 0; i < m->model->n_opset_import; i++) {
		const Onnx__OperatorSetIdProto *set = m->model->opset_import[i];
		if ((!set->domain || !*set->domain || !strcmp(set->domain, "ai.onnx")) && set->version > NEWEST_OPSET)
			lt__onnx_problem(m, NULL, lt__arena_format(m->arena, "it is of version %lld of the operators, but the newest "
				"that is known is %d", (long long)set->version, NEWEST_OPSET));
	}
}

static lt_status import_body(void *arg)
{
	struct onnx_import *job = arg;
	struct lt_onnx *m = &job->m;
	struct lt_onnx_scope scope = { 0 };

	m->graph->file = lt__arena_string(m->graph->arena, m->file);
	m->constants = lt__names_new(m->arena);
	m->dim_used = LT_NEW(m->arena, bool, m->options->n_dim + 1);
	m->dim_number = LT_NEW(m->arena, bool, m->options->n_dim + 1);
	if (lt__parse_kernels(m->options))
		LT_TRY(lt__ownfolder_read(m->ctx, m->arena, lt__parse_kernels(m->options), &m->folder));
	scope.names = lt__names_new(m->arena);
	m->model = lt__onnx_read(m, job->text, job->bytes);
	if (!m->model)
		return lt_context_code(m->ctx);
	check_versions(m);
	lt__onnx_sources(m, &scope);
	lt__onnx_convert(m, &scope, m->model->graph->n_node, m->model->graph->node);
	lt__onnx_results(m, &scope);
	LT_TRY(lt__onnx_problems(m));
	return lt__script_own_find(m->graph, m->arena, &m->folder);
}

static lt_status onnx_parse_with(struct lt_context *ctx, const char *text, size_t bytes, const char *file,
	const struct lt_parse_options *options, struct lt_graph **out)
{
	struct onnx_import job = { .m = { .ctx = ctx, .file = file, .options = options, .convert = lt__onnx_convert },
		.text = text, .bytes = bytes };
	*out = NULL;
	lt_context_clear(ctx);
	return lt__parse_run(ctx, &job.m.arena, &job.m.kept, &job.m.graph, import_body, &job, out);
}

static lt_status onnx_parse(struct lt_context *ctx, const char *text, size_t bytes, const char *file,
	struct lt_graph **out)
{
	static const struct lt_parse_options none = { .size = sizeof none };
	return onnx_parse_with(ctx, text, bytes, file, &none, out);
}

static int onnx_recognize(const char *text, size_t bytes)
{
	return lt__foreign_is_onnx(text, bytes) ? 90 : 0;
}

static const struct lt_frontend onnx = {
	.size = sizeof onnx,
	.name = "onnx",
	.summary = "models of ONNX (docs/onnx.md)",
	.suffix = "onnx",
	.recognize = onnx_recognize,
	.parse = onnx_parse,
	.parse_with = onnx_parse_with,
};
LT_FRONTEND(onnx)
