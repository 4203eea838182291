/* model.c -- a program that becomes SeeDot's own integers: parsed once, then made a graph for each candidate. */
#include <string.h>
#include "frontends/frontends.h"
#include "frontends/seedot/seedot.h"

/* own: of the tree, as long as the model. */
struct sd_model { struct sd_program p; struct lt_arena *own; struct lt_parse_options options; bool shows; };

static lt_status model_read(struct sd_model *m, const char *text, size_t bytes)
{
	struct sd_program *p = &m->p;

	if (!lt__sd_parse(p, text, bytes) || !lt__sd_check(p))
		return lt_context_code(p->ctx);
	lt__sd_trips(p);
	lt__sd_variables(p);
	return LT_OK;
}

struct sd_reading { struct sd_model *m; const char *text; size_t bytes; };

static lt_status read_body(void *user)
{
	const struct sd_reading *r = user;

	return model_read(r->m, r->text, r->bytes);
}

lt_status lt__sd_model_new(struct lt_context *ctx, const char *text, size_t bytes, const char *file, const char *folder,
	struct sd_model **out)
{
	struct lt_arena *arena;

	*out = NULL;
	LT_TRY(lt__arena_new(ctx, &arena));
	struct sd_model *m = LT_NEW(arena, struct sd_model, 1);
	m->own = arena;
	m->options = (struct lt_parse_options){ .size = sizeof m->options, .folder = folder };
	m->p = (struct sd_program){ .ctx = ctx, .arena = arena, .file = file, .options = &m->options };
	struct sd_reading r = { m, text, bytes };
	const lt_status s = lt__protect(ctx, read_body, &r);
	if (s)
		lt__arena_free(arena);
	else
		*out = m;
	return s;
}

void lt__sd_model_free(struct sd_model *m)
{
	if (m)
		lt__arena_free(m->own);
}

struct sd_variable *lt__sd_model_variables(const struct sd_model *m, int32_t *n)
{
	*n = m->p.n_variable;
	return m->p.variable;
}

static lt_status lower_body(void *user)
{
	struct sd_model *m = user;
	struct sd_program *p = &m->p;

	p->graph->file = lt__arena_string(p->graph->arena, p->file);
	if (m->shows)
		p->seen = LT_NEW(p->arena, struct sd_shown, p->n_variable);
	return lt__sd_lower(p) ? LT_OK : lt_context_code(p->ctx);
}

/* The tree as a graph; what that takes meanwhile is in an arena of its own. */
static lt_status lower_model(struct sd_model *m, struct lt_graph **out)
{
	const lt_status s = lt__parse_run(m->p.ctx, &m->p.arena, &m->p.kept, &m->p.graph, lower_body, m, out);

	m->p.arena = m->own;
	m->p.fixing = NULL;
	m->p.seen = NULL;
	return s;
}

lt_status lt__sd_model_ranges(struct sd_model *m, struct lt_graph **out)
{
	m->shows = true;
	const lt_status s = lower_model(m, out);
	m->shows = false;
	return s;
}

lt_status lt__sd_model_integers(struct sd_model *m, const struct sd_choice *choice, struct compat_value *formats,
	struct compat_value *result, struct lt_graph **out)
{
	struct sd_fixing fixing = { .rule = { .wide = !choice->derives, .derives = choice->derives,
		.maxscale = choice->maxscale }, .choice = choice, .format = formats };

	memset(formats, 0, (size_t)m->p.n_variable * sizeof *formats);
	m->p.fixing = &fixing;
	const lt_status s = lower_model(m, out);
	*result = m->p.result;
	return s;
}
