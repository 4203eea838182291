/* parse.c -- lt-run's script to a graph, by the frontend that recognizes it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tools/run/run.h"
#include "tools/common/common.h"

int64_t run_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* What --fix names: the tensors, and the frontend's view of them. */
struct run_fixes { struct lt_tensors *file; struct lt_fixed *fixed; char **name; int32_t n; };

static void fixes_free(struct run_fixes *f)
{
	for (int32_t i = 0; i < f->n; i++) {
		lt__tensors_free(&f->file[i]);
		free(f->name[i]);
	}
	free(f->file);
	free(f->fixed);
	free(f->name);
}

static lt_status fix_read(struct lt_context *ctx, const char *option, struct run_fixes *f)
{
	const char *path = strchr(option, '=');
	struct lt_tensors *file = &f->file[f->n];

	if (!path || path == option || lt__tensorfile_kind(path + 1) != LT_FILE_NPY)
		return lt_fail(ctx, LT_EINVAL, "--fix takes NAME=FILE.npy, not '%s'", option);
	LT_TRY(lt__tensors_read(ctx, path + 1, file));
	f->name[f->n] = strndup(option, (size_t)(path - option));
	f->fixed[f->n] = (struct lt_fixed){ .name = f->name[f->n], .dtype = file->at[0].dtype, .rank = file->at[0].rank,
		.shape = file->at[0].shape, .data = file->at[0].data };
	return f->name[f->n++] ? LT_OK : lt_fail(ctx, LT_ENOMEM, "out of memory");
}

static lt_status fixes_read(struct lt_context *ctx, const struct lt_texts *options, struct run_fixes *f)
{
	const size_t n = (size_t)options->n + 1;

	*f = (struct run_fixes){ .file = calloc(n, sizeof *f->file), .fixed = calloc(n, sizeof *f->fixed),
		.name = calloc(n, sizeof *f->name) };
	if (!f->file || !f->fixed || !f->name)
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	for (int32_t i = 0; i < options->n; i++)
		LT_TRY(fix_read(ctx, options->at[i], f));
	return LT_OK;
}

static void parse_read(void *user, const char *path)
{
	struct run *r = user;
	char *text;

	for (int32_t i = r->read.n; i-- > 0; )
		if (!strcmp(r->read.at[i], path))
			return;
	text = strdup(path);
	if (!text || lt__texts_add(r->ctx, &r->read, text)) {
		free(text);
		r->read_lost = true;
	}
}

void run_parse_free(struct run *r)
{
	for (int32_t i = 0; i < r->read.n; i++)
		free((void *)(uintptr_t)r->read.at[i]);
	free(r->read.at);
	lt__bytes_free(&r->script);
}

static lt_status parse_with(struct run *r, const char *name, const char *folder)
{
	struct run_fixes fixes;
	lt_status st = fixes_read(r->ctx, &r->o.fix, &fixes);

	if (!st) {
		const struct lt_parse_options options = { .size = sizeof options, .dim = r->o.dim.at, .n_dim = (uint32_t)r->o.dim.n,
			.fixed = fixes.fixed, .n_fixed = (uint32_t)fixes.n, .folder = folder,
			.reads = parse_read, .user = r };
		int64_t begin = run_now();

		st = lt_parse_with(r->ctx, (const char *)r->script.at, r->script.n, name, NULL, &options, &r->graph);
		r->parse_ns = run_now() - begin;
		if (!st && r->read_lost)
			st = lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	}
	fixes_free(&fixes);
	return st;
}

const char *run_script_name(const struct run *r)
{
	return !strcmp(r->o.script, "-") ? "standard input" : r->o.script;
}

lt_status run_parse(struct run *r)
{
	const bool standard = !strcmp(r->o.script, "-");
	const char *name = run_script_name(r), *slash = strrchr(r->o.script, '/');
	char *folder = standard ? NULL : slash ? strndup(r->o.script, (size_t)(slash - r->o.script) + 1) : strdup(".");

	if (!standard && !folder)
		return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	if (!standard)
		lt__phase(&r->phases, "reading %s", name);
	lt_status st = lt__mistake(lt__bytes_read(r->ctx, r->o.script, &r->script));
	st = st ? st : lt__mistake(parse_with(r, name, folder));
	lt__phase(&r->phases, NULL);
	free(folder);
	/* The graph has what it needs; a model's text is as large as its weights.  --view shows that of a script. */
	if (!r->o.view || (r->script.n && memchr(r->script.at, 0, r->script.n)))
		lt__bytes_free(&r->script);
	LT_TRY(st);
	if (r->o.verbose)
		lt__say(stderr, "%s: %d node%s in %.1f ms\n", lt__shown(name).text, r->graph->n_node,
			run_s(r->graph->n_node), (double)r->parse_ns / 1e6);
	return run_bindings_find(r->graph, r->binding);
}
