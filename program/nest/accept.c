/* Asking backends: equal nests are asked for once, and each is refused at its derived nodes. */
#include <string.h>
#include "base/names.h"
#include "program/nest/accept.h"

struct accept_reason { lt_status code; int32_t loop, stmt; const char *text, *remedy; };
enum verdict { UNKNOWN, TAKEN, REFUSED };
struct accept_answer { enum verdict verdict; int32_t n_diagnostic; struct accept_reason *reason; };
struct lt_asked {
	struct lt_arena *arena;
	const struct lt_opened_backends *backends;
	const char *list;                       /* that they were named by; NULL: no other one is to be proposed */
	bool fixed;                             /* the user's loops, which no other backend gets anew */
	struct lt_names *texts;                 /* canonical text: its number */
	struct accept_answer **answer;                 /* by number, by choice */
	int32_t n, cap;
	lt_status failed;                       /* what is no refusal, by code and sentence */
	const char *why;
};

struct lt_asked *lt__asked_new(
	const struct lt_opened_backends *backends, const struct lt_options *options, struct lt_arena *arena)
{
	struct lt_asked *a = LT_NEW(arena, struct lt_asked, 1);
	*a = (struct lt_asked){ .arena = arena, .backends = backends, .list = options->strict ? NULL : options->backends,
		.fixed = options->schedule || options->apply, .texts = lt__names_new(arena) };
	return a;
}

bool lt__asked_device(const struct lt_asked *a, int32_t opened)
{
	const struct lt_opened *c = &a->backends->at[opened];
	const struct lt_caps *caps = c->backend->caps(c->session);
	return LT_HAS(struct lt_caps, caps, device_memory) && caps->device_memory;
}

static struct accept_answer *answer_of(struct lt_asked *a, const char *text, int32_t opened)
{
	int32_t at = lt__names_find(a->texts, text, strlen(text));
	if (at < 0) {
		LT_GROW(a->arena, a->answer, a->n, a->cap);
		at = a->n++;
		a->answer[at] = LT_NEW(a->arena, struct accept_answer, a->backends->n);
		lt__names_add(a->texts, text, strlen(text), at);
	}
	return &a->answer[at][opened];
}

/* What a backend answered, and what it said. */
static void answer_take(struct lt_asked *a, const struct lt_tree *tree, const struct lt_opened *c, lt_status st,
	struct lt_diagnostics *diags, struct accept_answer *out)
{
	out->verdict = st ? REFUSED : TAKEN;
	if (st && st != LT_EUNSUPPORTED && !a->failed) {
		a->failed = st;
		a->why = lt__arena_format(a->arena, "backend %s, asked for kernel %s: %s", c->backend->name, tree->name,
			lt__diagnostic_reason(diags, st, c->backend->name, "accepts"));
	}
	if (!st)
		return;
	out->n_diagnostic = diags->n_diagnostic ? diags->n_diagnostic : 1;
	out->reason = LT_NEW(a->arena, struct accept_reason, out->n_diagnostic);
	if (!diags->n_diagnostic)
		out->reason[0] = (struct accept_reason){ .code = st, .loop = -1, .stmt = -1,
			.text = lt__arena_string(a->arena, lt__diagnostic_reason(diags, st, c->backend->name, "accepts")) };
	for (int32_t i = 0; i < diags->n_diagnostic; i++)
		out->reason[i] = (struct accept_reason){ diags->entry[i].code ? diags->entry[i].code : st, diags->entry[i].loop,
			diags->entry[i].stmt,
			lt__arena_string(a->arena, lt__diagnostic_text(diags->pool + diags->entry[i].text, c->backend->name)),
			diags->entry[i].remedy ? lt__arena_string(a->arena, diags->pool + diags->entry[i].remedy) : NULL };
}

static void accept_ask(
	struct lt_asked *a, const struct lt_tree *tree, const struct lt_opened *c, struct accept_answer *out)
{
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	lt_status st = lt__refuse_by_caps(tree, c->backend->caps(c->session), &diags.diag);
	if (!st)
		st = c->backend->accepts(c->session, tree, &diags.diag);
	answer_take(a, tree, c, st, &diags, out);
}

void lt__accepts_ahead(struct lt_asked *a, const struct lt_tree *const *tree, int32_t n, int32_t opened)
{
	const struct lt_opened *c = &a->backends->at[opened];
	if (n < 2 || !LT_HAS(struct lt_backend, c->backend, accepts_all))
		return;
	const struct lt_tree **ask = LT_NEW(a->arena, const struct lt_tree *, n);
	struct accept_answer **out = LT_NEW(a->arena, struct accept_answer *, n);
	struct lt_diagnostics *diags = LT_NEW(a->arena, struct lt_diagnostics, n);
	struct lt_diag **diag = LT_NEW(a->arena, struct lt_diag *, n);
	lt_status *verdict = LT_NEW(a->arena, lt_status, n), failed;
	int32_t n_ask = 0;
	for (int32_t i = 0; i < n; i++) {
		struct accept_answer *x = answer_of(a, tree[i]->text, opened);
		bool known = x->verdict != UNKNOWN;
		for (int32_t k = 0; k < n_ask && !known; k++)
			known = out[k] == x;
		lt__diagnostics_init(&diags[n_ask]);
		if (known || lt__refuse_by_caps(tree[i], c->backend->caps(c->session), &diags[n_ask].diag))
			continue;
		diag[n_ask] = &diags[n_ask].diag;
		ask[n_ask] = tree[i];
		out[n_ask++] = x;
	}
	if (n_ask == 0)
		return;
	failed = c->backend->accepts_all(c->session, ask, (uint32_t)n_ask, verdict, diag);
	for (int32_t i = 0; i < n_ask; i++)
		answer_take(a, ask[i], c, failed ? failed : verdict[i], &diags[i], out[i]);
}

/* "t.tree:10:3: ", the line of a tree that was read that a diagnostic is about: that of its loop or statement, else of
 * the nest; "": none. */
static const char *tree_line(
	struct lt_asked *a, const struct lt_looptree *t, const struct lt_frozen *f, const struct accept_reason *n)
{
	lt_tnode at = n->loop >= 0 && n->loop < f->tree.n_loop ? f->line[n->loop].at : -1;
	int column = 1;
	if (at < 0 && n->stmt >= 0 && (uint32_t)n->stmt < f->tree.stmts.n)
		at = t->leaf_of[f->node[n->stmt]];
	at = at < 0 ? f->root : at;
	if (!t->file || t->node[at].line <= 0)
		return "";
	for (lt_tnode up = t->node[at].parent; up >= 0; up = t->node[up].parent)
		column += 2;
	return lt__arena_format(a->arena, "%s:%d:%d: ", t->file, (int)t->node[at].line, column);
}

/* A diagnostic about this nest: where it points to is reported by name and by the place in the script and in the tree's
 * text. */
static struct lt_refusal *refusal_of(struct lt_asked *a, const struct lt_looptree *t, const struct lt_frozen *f,
	const struct accept_reason *n, const char *backend)
{
	const struct lt_graph *g = t->graph;
	const char *line = tree_line(a, t, f, n);
	struct lt_refusal *r = LT_NEW(a->arena, struct lt_refusal, 1);
	*r = (struct lt_refusal){
		.size = sizeof *r, .code = n->code, .backend = backend, .text = n->text, .remedy = n->remedy
	};
	if (*line)
		r->text = lt__arena_format(a->arena, "%s%s", line, n->text);
	if (n->loop >= 0 && n->loop < f->tree.n_loop && LT_AT(struct lt_loop, f->tree.loops, n->loop)->var)
		r->loop = lt__arena_string(a->arena, LT_AT(struct lt_loop, f->tree.loops, n->loop)->var);
	if (n->stmt < 0 || (uint32_t)n->stmt >= f->tree.stmts.n)
		return r;
	const struct lt_nodedef *d = &g->node[f->node[n->stmt]];
	r->node = lt__arena_string(a->arena, d->name);
	r->line = d->line;
	r->column = d->column;
	if (d->line > 0 && g->file)
		r->file = lt__arena_string(a->arena, g->file);
	return r;
}

/* The list to put another backend after, which only the host can propose: it knows who is asked next.  NULL: somebody
 * is, or nobody may be. */
static const char *elsewhere(const struct lt_asked *a, int32_t opened)
{
	const struct lt_backend *cpu = lt_backend_find("cpu");
	if (!cpu || !a->list || opened + 1 < a->backends->n)
		return NULL;
	for (int32_t i = 0; i < a->backends->n; i++)
		if (a->backends->at[i].backend == cpu)
			return NULL;
	return a->list;
}

static bool needs_gpu(const struct lt_tree *t)
{
	for (uint32_t i = 0; i < t->loops.n; i++) {
		const int32_t kind = LT_AT(struct lt_loop, t->loops, i)->kind;
		if (kind == LT_GRID || kind == LT_BLOCK)
			return true;
	}
	return false;
}

bool lt__accepts(struct lt_asked *a, const struct lt_looptree *t, const struct lt_frozen *f, int32_t opened,
	struct lt_refusals *why)
{
	const struct lt_opened *c = &a->backends->at[opened];
	struct accept_answer *x = answer_of(a, f->tree.text, opened);
	if (x->verdict == UNKNOWN)
		accept_ask(a, &f->tree, c, x);
	/* told once, after all that the backend says itself; the processor takes no loops of a GPU */
	const char *other = x->n_diagnostic > 0 && !(a->fixed && needs_gpu(&f->tree)) ? elsewhere(a, opened) : NULL;
	for (int32_t i = 0; i < x->n_diagnostic; i++) {
		struct lt_refusal *r = refusal_of(a, t, f, &x->reason[i], c->backend->name);
		if (other && i + 1 == x->n_diagnostic)
			r->remedy = lt__arena_format(a->arena, "%s%sname another backend after it (-b %s,cpu)", r->remedy ? r->remedy : "",
				r->remedy ? "; or " : "", other);
		LT_GROW(a->arena, why->at, why->n, why->cap);
		why->at[why->n++] = r;
	}
	return x->verdict == TAKEN;
}

lt_status lt__asked_failed(const struct lt_asked *a)
{
	return a->failed ? lt_fail(lt__arena_context(a->arena), a->failed, "%s", a->why) : LT_OK;
}
