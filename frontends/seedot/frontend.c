/* frontend.c -- SeeDot's language as a frontend: the order of the work. */
#include <string.h>
#include "frontends/frontends.h"
#include "frontends/seedot/seedot.h"

struct sd_job { struct sd_program p; const char *text; size_t bytes; };

/* What is fixed is declared. */
static bool check_options(struct sd_program *p)
{
	const struct lt_parse_options *o = p->options;

	for (uint32_t i = 0; i < o->n_fixed; i++) {
		int32_t k = 0;

		while (k < p->n_declared && strcmp(p->declared[k]->name, o->fixed[i].name) != 0)
			k++;
		if (k == p->n_declared) {
			lt_fail(p->ctx, LT_EINVAL, "%s: '%s' is fixed, which it does not declare", p->file, o->fixed[i].name);
			return false;
		}
	}
	return true;
}

static lt_status parse_body(void *arg)
{
	struct sd_job *job = arg;
	struct sd_program *p = &job->p;

	p->graph->file = lt__arena_string(p->graph->arena, p->file);
	if (lt__parse_kernels(p->options))
		LT_TRY(lt__ownfolder_read(p->ctx, p->arena, lt__parse_kernels(p->options), &p->folder));
	if (!lt__sd_parse(p, job->text, job->bytes) || !lt__sd_check(p) || !check_options(p))
		return lt_context_code(p->ctx);
	lt__sd_trips(p);
	return lt__sd_lower(p) ? LT_OK : lt_context_code(p->ctx);
}

static lt_status parse_with(struct lt_context *ctx, const char *text, size_t bytes, const char *file,
	const struct lt_parse_options *options, struct lt_graph **out)
{
	struct sd_job job = { .p = { .ctx = ctx, .file = file, .options = options }, .text = text, .bytes = bytes };

	*out = NULL;
	lt_context_clear(ctx);
	if (options->n_dim)
		return lt_fail(ctx, LT_EINVAL, "%s: a program of SeeDot says the extents of its dimensions itself", file);
	return lt__parse_run(ctx, &job.p.arena, &job.p.kept, &job.p.graph, parse_body, &job, out);
}

static lt_status parse(struct lt_context *ctx, const char *text, size_t bytes, const char *file, struct lt_graph **out)
{
	static const struct lt_parse_options none = { .size = sizeof none };

	return parse_with(ctx, text, bytes, file, &none, out);
}

/* It begins with "let" and a name, after comments; another text may be one, by the name of its file. */
static int recognize(const char *text, size_t bytes)
{
	const char *at = text, *end = text + bytes;

	while (at < end && *at && (strchr(" \t\r\n", *at) || (*at == '/' && end - at > 1 && at[1] == '/'))) {
		const char *line = *at == '/' ? memchr(at, '\n', (size_t)(end - at)) : at;

		at = line ? line + 1 : end;
	}
	return end - at > 4 && !memcmp(at, "let", 3) && (at[3] == ' ' || at[3] == '\t') ? 60 : LT_FRONTEND_ANY_TEXT;
}

static const struct lt_frontend seedot = {
	.size = sizeof seedot,
	.name = "seedot",
	.summary = "programs of SeeDot and Shiftry (docs/seedot.md)",
	.suffix = "sd",
	.recognize = recognize,
	.parse = parse,
	.parse_with = parse_with,
};
LT_FRONTEND(seedot)
