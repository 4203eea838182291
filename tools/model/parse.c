/* parse.c -- a script to a graph, by the frontend that recognizes it. */
#include <stdlib.h>
#include <string.h>
#include "program/host/host.h"
#include "tools/common/common.h"
#include "tools/model/model.h"
#include "tools/option/option.h"

/* What --fix names: the tensors, and the frontend's view of them. */
struct model_fixes { struct lt_tensors *file; struct lt_fixed *fixed; char **name; int32_t n; };

static void fixes_free(struct model_fixes *f)
{
	for (int32_t i = 0; i < f->n; i++) {
		lt__tensors_free(&f->file[i]);
		free(f->name[i]);
	}
	free(f->file);
	free(f->fixed);
	free(f->name);
}

/* The way out where a number stands for the file: NAME=6. */
static const char *fix_number(struct lt_context *ctx, const char *option, const char *equals)
{
	char *end = NULL;

	if (!equals || equals == option || !equals[1] || (strtod(equals + 1, &end), *end))
		return "";
	return lt__scratch(ctx, "; in NumPy, np.save('%.*s.npy', np.%s(%s)), of the input's type, makes the file of a number",
		(int)(equals - option), option, strspn(equals + 1, "+-0123456789") == strlen(equals + 1) ? "int64" : "float32",
		equals + 1);
}

static lt_status fix_read(struct lt_context *ctx, const char *option, struct model_fixes *f)
{
	const char *path = strchr(option, '=');
	struct lt_tensors *file = &f->file[f->n];

	if (!path || path == option || lt__tensorfile_kind(path + 1) != LT_FILE_NPY)
		return lt_fail(ctx, LT_EINVAL, "--fix takes NAME=FILE.npy, not '%s'%s", option, fix_number(ctx, option, path));
	LT_TRY(lt__tensors_read(ctx, path + 1, file));
	f->name[f->n] = strndup(option, (size_t)(path - option));
	f->fixed[f->n] = (struct lt_fixed){ .name = f->name[f->n], .dtype = file->at[0].dtype, .rank = file->at[0].rank,
		.shape = file->at[0].shape, .data = file->at[0].data };
	return f->name[f->n++] ? LT_OK : lt_fail(ctx, LT_ENOMEM, "out of memory");
}

static lt_status fixes_read(struct lt_context *ctx, const struct lt_texts *options, struct model_fixes *f)
{
	const size_t n = (size_t)options->n + 1;

	*f = (struct model_fixes){ .file = calloc(n, sizeof *f->file), .fixed = calloc(n, sizeof *f->fixed),
		.name = calloc(n, sizeof *f->name) };
	if (!f->file || !f->fixed || !f->name)
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	for (int32_t i = 0; i < options->n; i++)
		LT_TRY(fix_read(ctx, options->at[i], f));
	return LT_OK;
}

struct model_reading {
	struct lt_context *ctx;
	const struct model_options *o;
	struct model *m;
	struct model_shapes shapes;
	bool lost;
};

static lt_status parse_shape(void *user, const char *input, int32_t *rank, int64_t *low, int64_t *high)
{
	struct model_reading *r = user;

	return model_shape(r->ctx, r->o, &r->shapes, input, rank, low, high);
}

static void parse_read(void *user, const char *path)
{
	struct model_reading *r = user;
	struct lt_texts *read = &r->m->read;
	char *text;

	for (int32_t i = read->n; i-- > 0; )
		if (!strcmp(read->at[i], path))
			return;
	text = strdup(path);
	if (!text || lt__texts_add(r->ctx, read, text)) {
		free(text);
		r->lost = true;
	}
}

static void given_free(struct model_given *g)
{
	for (int32_t i = 0; i < g->n_file; i++)
		lt__tensors_free(&g->file[i]);
	for (int32_t i = 0; i < g->n_input; i++)
		free(g->input[i].value);
	free(g->file);
	free(g->input);
	free(g->constant.value);
	memset(g, 0, sizeof *g);
}

void model_free(struct model *m)
{
	given_free(&m->given);
	model_bindings_free(m->binding);
	if (m->graph)
		lt_graph_free(m->graph);
	for (int32_t i = 0; i < m->read.n; i++)
		free((void *)(uintptr_t)m->read.at[i]);
	free(m->read.at);
	lt__bytes_free(&m->script);
}

static lt_status parse_with(struct model_reading *r, const char *name, const char *folder)
{
	struct model_fixes fixes;
	lt_status st = fixes_read(r->ctx, r->o->fix, &fixes);

	if (!st) {
		const struct lt_parse_options options = { .size = sizeof options, .dim = r->o->dim->at,
			.n_dim = (uint32_t)r->o->dim->n,
			.fixed = fixes.fixed, .n_fixed = (uint32_t)fixes.n, .folder = folder,
			.reads = parse_read, .user = r, .shape = r->o->fixed ? NULL : parse_shape, .mapped = r->m->script.mapped,
			.kernels = r->o->kernels, .fixed_extents = r->o->fixed };
		int64_t begin = lt__now_ns();

		st = lt_parse_with(r->ctx, (const char *)r->m->script.at, r->m->script.n, name, NULL, &options, &r->m->graph);
		r->m->parse_ns = lt__now_ns() - begin;
		if (!st && r->lost)
			st = lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	}
	fixes_free(&fixes);
	model_shapes_free(&r->shapes);
	return st;
}

static void text_release(void *user)
{
	struct lt_bytes *text = user;

	lt__bytes_free(text);
	free(text);
}

/* A text that is mapped is the graph's, which may have contents in it. */
static lt_status text_hand_over(struct lt_context *ctx, struct model *m)
{
	struct lt_bytes *text = malloc(sizeof *text);

	if (!text)
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	*text = m->script;
	if (lt_graph_hold(m->graph, text_release, text)) {
		free(text);
		return lt_context_code(ctx);
	}
	m->script = (struct lt_bytes){ .n = 0 };
	return LT_OK;
}

const char *model_script_name(const char *script)
{
	return !strcmp(script, "-") ? "standard input" : script;
}

lt_status model_parse(struct lt_context *ctx, const struct model_options *o, struct lt_phases *phases, struct model *m)
{
	struct model_reading r = { .ctx = ctx, .o = o, .m = m };
	const bool standard = !strcmp(o->script, "-");
	const char *name = model_script_name(o->script), *slash = strrchr(o->script, '/');
	char *folder = standard ? NULL : slash ? strndup(o->script, (size_t)(slash - o->script) + 1) : strdup(".");

	if (!standard && !folder)
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	if (!standard)
		lt__phase(phases, "reading %s", name);
	lt_status st = lt__mistake(lt__bytes_map(ctx, o->script, &m->script));
	st = st ? st : lt__mistake(parse_with(&r, name, folder));
	lt__phase(phases, NULL);
	free(folder);
	if (!st && m->script.mapped && !(o->keep_text && !memchr(m->script.at, 0, m->script.n)))
		st = text_hand_over(ctx, m);
	/* The graph has what it needs; a model's text is as large as its weights. */
	if (!o->keep_text || (m->script.n && memchr(m->script.at, 0, m->script.n)))
		lt__bytes_free(&m->script);
	LT_TRY(st);
	if (o->verbose)
		lt__say(stderr, "%s: %d node%s in %.1f ms\n", lt__shown(name).text, m->graph->n_node,
			lt__plural(m->graph->n_node), (double)m->parse_ns / 1e6);
	return model_bindings_find(m->graph, m->binding);
}
