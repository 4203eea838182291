/* refusal.c -- see refusal.h: names, remedy and numbers are copied into memory of the refusal's own. */
#include <string.h>
#include "base/owned.h"
#include "looptree/schedule/refusal.h"

struct refusal { struct lt_refused_step is; struct lt_violation violation; struct lt_arena *arena; };
struct fill { const struct lt_refused *from; struct refusal *to; lt_status status; const char *sentence; };

/* Names are of letters, digits, '_' and '.', so that only our own sentences have a ';' with a blank behind it: what
 * follows the last one is what would help. */
static void fill_sentence(struct refusal *r, const char *sentence)
{
	const char *remedy = NULL;
	for (const char *at = sentence; (at = strstr(at, "; ")) != NULL; at += 2)
		remedy = at + 2;
	r->is.text = lt__arena_format(r->arena, "%.*s", remedy ? (int)(remedy - 2 - sentence) : -1, sentence);
	r->is.remedy = remedy ? lt__arena_string(r->arena, remedy) : NULL;
}

static const char *copy_word(struct refusal *r, const struct lt_step_word *w, size_t skip)
{
	return lt__arena_format(r->arena, "%.*s", w->bytes - skip < 250 ? (int)(w->bytes - skip) : 250, w->at + skip);
}

/* The number in the tree that was given of a node of the tree before the step. */
static lt_tnode given_of(const struct lt_refused *f, lt_tnode at)
{
	for (lt_tnode i = 0; at >= 0 && i < f->n_given; i++)
		if (f->given[i] == at)
			return i;
	return -1;
}

/* A loop as a step names it: around the leaf that the step names, not around it, or any. */
static lt_tnode loop_of_word(const struct lt_looptree *t, const struct lt_step_word *w, lt_node n)
{
	lt_tnode at;
	if (n >= 0 && !lt__path_find(t, w, n, LT_PATH_AROUND, &at))
		return at;
	if (n >= 0 && !lt__path_find(t, w, n, LT_PATH_APART, &at))
		return at;
	return lt__path_find_line(t, w, &at) ? -1 : at;
}

/* What the step itself names: its first node and its first loop. */
static void fill_words(const struct fill *f)
{
	const struct lt_looptree *t = f->from->from;
	struct lt_argument_row row = { .size = sizeof row };
	struct lt_refused_step *is = &f->to->is;
	lt_node node = -1;
	for (int32_t k = 0; k < f->from->words.n && !lt_primitive_argument(f->from->primitive, k, &row); k++) {
		const struct lt_step_word *w = &f->from->words.word[k];
		const bool loop = row.kind == LT_ARGUMENT_LOOP || row.kind == LT_ARGUMENT_LINE;
		const bool leaf = w->bytes > 1 && *w->at == '%' && !memchr(w->at, '/', w->bytes);
		if (leaf && !is->node && (row.kind == LT_ARGUMENT_NODE || row.kind == LT_ARGUMENT_VALUE || loop)) {
			is->node = copy_word(f->to, w, 1);
			node = lt_graph_find_node(t->graph, is->node);
			node = node >= 0 && t->leaf_of[node] >= 0 ? node : -1;
			is->at = is->at < 0 && node >= 0 ? given_of(f->from, t->leaf_of[node]) : is->at;
		} else if (loop && !leaf && !is->loop) {
			const lt_tnode at = loop_of_word(t, w, node);
			is->loop = at < 0 ? copy_word(f->to, w, 0) : lt__arena_string(f->to->arena, lt__loop_path(t, at));
			is->at = is->at < 0 ? given_of(f->from, at) : is->at;
		}
	}
}

/* The line of the changed tree that the sentence is about. */
static void fill_line(const struct fill *f)
{
	const struct lt_edit *e = f->from->edit;
	struct lt_refused_step *is = &f->to->is;
	const lt_tnode at = *e->t->failed;
	lt_tnode before = -1;
	if (at < 0)
		return;
	for (lt_tnode old = 0; old < f->from->from->n_node && before < 0; old++)
		before = e->number[old] == at ? old : -1;
	is->at = given_of(f->from, before);
	if (e->t->node[at].kind == LT_TLEAF)
		is->node = lt__arena_string(f->to->arena, lt__leaf_name(e->t, e->t->node[at].leaf));
	else
		is->loop = lt__arena_string(f->to->arena, lt__loop_path(e->t, at));
}

static struct lt_array numbers(struct refusal *r, const int64_t *from, int32_t n)
{
	return (struct lt_array){ n ? lt__arena_copy(r->arena, from, (size_t)n * sizeof *from) : NULL, (uint32_t)n,
		sizeof *from };
}

static struct lt_array coordinates(struct refusal *r, const struct lt_graph *g, const int32_t *of, const int64_t *at,
	int32_t n, const char *name(const struct lt_graph *, int32_t))
{
	struct lt_coordinate *c = LT_NEW(r->arena, struct lt_coordinate, n + 1);
	for (int32_t i = 0; i < n; i++)
		c[i] = (struct lt_coordinate){ lt__arena_string(r->arena, name(g, of[i])), at[i] };
	return (struct lt_array){ c, (uint32_t)n, sizeof *c };
}

static void fill_violation(struct refusal *r, const struct lt_looptree *t)
{
	const struct lt_clash *c = t->clash;
	struct lt_iteration *pair = LT_NEW(r->arena, struct lt_iteration, 2);
	for (int i = 0; i < 2; i++)
		pair[i] = (struct lt_iteration){ .node = lt__arena_string(r->arena, lt__leaf_name(t, c->side[i].node)),
			.does = c->side[i].does, .at = coordinates(r, t->graph, c->side[i].var, c->side[i].at, c->side[i].n,
				lt_var_name) };
	r->violation = (struct lt_violation){ .size = sizeof r->violation, .kind = c->kind,
		.value = lt__arena_string(r->arena, lt__leaf_name(t, c->value)),
		.loop = c->loop < 0 ? NULL : lt__arena_string(r->arena, lt__loop_path(t, c->loop)),
		.element = numbers(r, c->element, c->n_element), .found = numbers(r, c->found, c->n_found),
		.params = coordinates(r, t->graph, c->param, c->param_value, c->n_param, lt_param_name),
		.pair = { pair, 2, sizeof *pair } };
	r->is.violation = &r->violation;
}

static lt_status fill_body(void *arg)
{
	const struct fill *f = arg;
	struct refusal *r = f->to;
	r->is = (struct lt_refused_step){ .size = sizeof r->is, .code = f->status, .line = f->from->line,
		.column = f->from->column, .number = f->from->number, .at = -1 };
	r->is.message = lt__arena_string(r->arena, f->sentence);
	r->is.name = lt__arena_string(r->arena, f->from->name);
	r->is.step = lt__arena_format(r->arena, "%.*s", f->from->step_bytes < 4000 ? (int)f->from->step_bytes : 4000,
		f->from->step);
	fill_sentence(r, f->sentence);
	if (f->from->primitive >= 0)
		fill_words(f);
	if (f->from->edit && f->from->edit->number)
		fill_line(f);
	if (f->from->edit && f->from->edit->t->clash->kind)
		fill_violation(r, f->from->edit->t);
	return LT_OK;
}

/* What asks for names in between has sentences of its own, and so has memory that runs out. */
struct lt_refused_step *lt__refusal_new(const struct lt_refused *from, lt_status status)
{
	struct lt_context *ctx = from->from->ctx;
	char sentence[sizeof ctx->message];
	memcpy(sentence, ctx->message, sizeof sentence);
	struct refusal *r = lt__owned_new(ctx, sizeof *r);
	struct fill f = { from, r, status, sentence };
	if (r)
		r->arena = lt__owned_arena(r);
	if (r && lt__protect(ctx, fill_body, &f)) {
		lt_refused_step_free(&r->is);
		r = NULL;
	}
	memcpy(ctx->message, sentence, sizeof sentence);
	ctx->code = status;
	return r ? &r->is : NULL;
}

static lt_status message_body(void *arg)
{
	struct refusal *r = arg;
	r->is.message = lt__arena_string(r->arena, lt__arena_context(r->arena)->message);
	return LT_OK;
}

void lt__refusal_message(struct lt_refused_step *is)
{
	struct refusal *r = (struct refusal *)(void *)is;
	(void)lt__protect(lt__arena_context(r->arena), message_body, r);
}

void lt_refused_step_free(struct lt_refused_step *is) { lt__owned_free(is); }
