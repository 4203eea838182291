/* Showing a program: each floor of it as text. */
#include <string.h>
#include "base/names.h"
#include "looptree/freeze/freeze.h"
#include "looptree/text/text.h"
#include "program/nest/nest.h"
#include "base/document.h"
#include "looptree/schedule/schedule.h"
#include "program/explain/parts.h"

struct dump { const struct lt_program *p; enum lt_dump_kind kind; lt_write *write; void *user; struct lt_arena *a; };

static void dump_text(struct dump *d, struct lt_text *x)
{
	if (x->n)
		d->write(d->user, x->at, x->n);
	x->n = 0;
}

/* The first nest that each kernel was made of. */
static bool is_first(const struct lt_program *p, int32_t nest)
{
	return p->kernels.of[nest] < 0 || p->kernels.at[p->kernels.of[nest]].frozen == &p->nests.frozen[nest];
}

static lt_status dump_nests(struct dump *d)
{
	const struct lt_program *p = d->p;
	struct lt_text x = { .arena = d->a };
	for (int32_t i = 0; i < p->nests.n; i++) {
		if (!is_first(p, i)) {
			lt__text_format(&x, "kernel %s = %s\n", p->nests.frozen[i].tree.name,
				p->kernels.at[p->kernels.of[i]].frozen->tree.name);
		} else if (d->kind == LT_SHOW_ACCESS) {
			lt__show_access(&x, &p->nests.frozen[i].tree);
		} else {
			lt__show_frozen(&x, &p->nests.frozen[i].tree);
		}
		dump_text(d, &x);
	}
	return LT_OK;
}

static void dump_keep(void *user, const char *text, size_t bytes) { lt__text_add(user, text, bytes); }

const char *lt__source_definitions(
	struct lt_names *written, const char *text, size_t bytes, lt_write *write, void *user)
{
	const char *at = text, *kernel = strstr(at, "/* kernel ");
	while (kernel && at < kernel) {
		const char *end = strstr(at, "\n\n");
		size_t n = end && end < kernel ? (size_t)(end + 2 - at) : (size_t)(kernel - at);
		if (lt__names_find(written, at, n) < 0) {
			lt__names_add(written, at, n, 0);
			write(user, at, n);
		}
		at += n;
	}
	return bytes ? at : text;
}

/* The whole can be compiled as one file. */
static void write_source(struct dump *d, struct lt_names *written, const struct lt_text *x)
{
	const char *at = lt__source_definitions(written, x->at, x->n, d->write, d->user);
	d->write(d->user, at, x->n - (size_t)(at - x->at));
}

/* What backends dump of a kernel. */
static const struct shown_kind {
	enum lt_dump_kind kind;
	enum lt_dump dump;
	const char *what, *who;         /* what it is called; which backends have it */
} shown_kinds[] = {
	{ LT_SHOW_SOURCE, LT_DUMP_SOURCE, "source", "use -b cpu" },
	{ LT_SHOW_ASM, LT_DUMP_ASM, "assembly", "use -b cpu" },
	{ LT_SHOW_KERNEL, LT_DUMP_KERNEL, "kernel program", "use -b cpu or -b sim" },
	{ LT_SHOW_STATS, LT_DUMP_STATS, "numbers", "use -b cpu" },
};

static const struct shown_kind *shown_kind(enum lt_dump_kind kind)
{
	const struct shown_kind *k = shown_kinds;
	while (k->kind != kind)
		k++;
	return k;
}

static lt_status dump_kernel(struct dump *d, const struct lt_built *k, const struct shown_kind *kind, struct lt_text *x)
{
	const struct lt_program *p = d->p;
	const struct lt_backend *b = p->backends.at[k->opened].backend;
	lt_status st = LT_EUNSUPPORTED;
	if (LT_HAS(struct lt_backend, b, dump)) {
		lt__lock_take(p->backends.at[k->opened].lock);
		st = b->dump(k->object, kind->dump, dump_keep, x);
		lt__lock_give(p->backends.at[k->opened].lock);
	}
	if (st == LT_EUNSUPPORTED && !x->n)
		return lt_fail(p->ctx, st, "backend %s has no %s to show; %s", b->name, kind->what, kind->who);
	if (st && !x->n)
		return lt_fail(p->ctx, st, "backend %s, kernel %s: it has no %s to show", b->name, k->frozen->tree.name, kind->what);
	return st ? lt_fail(p->ctx, st, "backend %s, kernel %s: %-s", b->name, k->frozen->tree.name,
		lt__diagnostic_text(x->at, b->name)) : LT_OK;
}

/* Whether the program was compiled with that. */
static lt_status check_shown(const struct lt_program *p, const struct shown_kind *kind)
{
	const bool made = kind->kind == LT_SHOW_STATS || kind->kind == LT_SHOW_ASM;
	if (p->options.plan_only || (made && p->options.source_only))
		return lt_fail(p->ctx, LT_EINVAL, "the program was compiled with %s: it has no %s to show",
			p->options.plan_only ? "plan_only" : "source_only", kind->what);
	return LT_OK;
}

/* What each kernel is to its backend: C, assembly, a kernel program, numbers. */
static lt_status dump_kernels(struct dump *d)
{
	const struct lt_program *p = d->p;
	const struct shown_kind *kind = shown_kind(d->kind);
	const bool source = d->kind == LT_SHOW_SOURCE, stats = d->kind == LT_SHOW_STATS;
	struct lt_names *written = lt__names_new(d->a);
	struct lt_text x = { .arena = d->a };
	LT_TRY(check_shown(p, kind));
	for (int32_t i = 0; i < p->kernels.n; i++) {
		x.n = 0;
		LT_TRY(dump_kernel(d, &p->kernels.at[i], kind, &x));
		if (i)
			d->write(d->user, "\n", 1);
		if (stats) {
			const char *name = p->kernels.at[i].frozen->tree.name;
			d->write(d->user, "kernel ", 7);
			d->write(d->user, name, strlen(name));
			d->write(d->user, "\n", 1);
		}
		if (source && x.n)
			write_source(d, written, &x);
		else
			dump_text(d, &x);
	}
	for (int32_t i = 0; i < p->nests.n && !stats && d->kind != LT_SHOW_ASM; i++)
		if (p->nests.blocks[i]) {
			x.n = 0;
			lt__text_format(&x, "%s%s %s is copied by the program, of %d block%s: it has no code%s\n",
				i || p->kernels.n ? "\n" : "", source ? "/*" : "#", p->nests.frozen[i].tree.name,
				(int)p->nests.blocks[i]->n, p->nests.blocks[i]->n == 1 ? "" : "s", source ? " */" : "");
			dump_text(d, &x);
		}
	return LT_OK;
}

static void explain(void *user, const struct lt_explained *e)
{
	struct dump *d = user;
	lt_explained_print(e, d->write, d->user);
}

static lt_status dump_explain(struct dump *d)
{
	lt__explain_each(d->p, d->a, explain, d);
	return LT_OK;
}

static void write_memory(struct dump *d, struct lt_text *x, int32_t memory)
{
	if (d->p->memories.n > 1)
		lt__text_format(x, " in %s", memory ? d->p->backends.at[d->p->memories.at[memory].opened].backend->name : "host");
}

static void write_storage(struct dump *d, struct lt_text *x, int32_t s, int32_t memory)
{
	const struct lt_storage *st = &d->p->nests.assigned.storage[s];
	if (st->binding >= 0)
		lt__text_format(x, "%s '%s'", lt__space_word(st->space), lt__storage_name(d->p, st));
	else
		lt__text_format(x, "%s+%lld", lt__space_word(st->space), (long long)d->p->offsets.at[memory].of[s]);
}

/* How far a place of a step moves on with each round of its loop. */
static void write_move(struct lt_text *x, const struct lt_step_row *row, const struct lt_rounds *r, int32_t step,
	int32_t place)
{
	const int64_t bytes = lt__round_bytes(row, r, step, place);
	if (bytes)
		lt__text_format(x, " %+lld bytes a round", (long long)bytes);
}

/* row: by step of a run; rounds: that it is the first of; NULL: none. */
static void write_step(struct dump *d, struct lt_text *x, const struct lt_pstep *s, const struct lt_step_row *row,
	const struct lt_rounds *r)
{
	const struct lt_program *p = d->p;
	const int32_t at = (int32_t)(s - p->plan.run);
	if (s->kind == LT_STEP_COPY) {
		lt__text_format(x, "copy ");
		write_storage(d, x, s->from, s->memory);
		write_move(x, row, r, at, 1);
		lt__text_format(x, " -> ");
		write_storage(d, x, s->to, s->memory);
		write_move(x, row, r, at, 0);
		write_memory(d, x, s->memory);
	} else if (s->kind == LT_STEP_MOVE) {
		lt__text_format(x, "move ");
		write_storage(d, x, s->from, s->from_memory);
		lt__text_format(x, "[%lld, %lld)", (long long)s->offset, (long long)(s->offset + s->elems));
		write_memory(d, x, s->from_memory);
		lt__text_format(x, " -> ");
		write_storage(d, x, s->to, s->memory);
		write_memory(d, x, s->memory);
	} else {
		const struct lt_frozen *f = &p->nests.frozen[s->nest];
		lt__text_format(x, "%s", f->tree.name);
		if (s->kind == LT_STEP_BLOCKS)
			lt__text_format(x, " by the program, %d blocks", (int)p->nests.blocks[s->nest]->n);
		else if (p->backends.n > 1)
			lt__text_format(x, " by %s", p->backends.at[p->nests.opened_of[s->nest]].backend->name);
		write_memory(d, x, s->memory);
		for (int32_t k = 0; k < f->n_bind; k++) {
			lt__text_format(x, "%s", f->bind[k].written ? "  writes " : "  reads ");
			write_storage(d, x, f->bind[k].storage, s->memory);
			lt__text_format(x, "[%lld, %lld)", (long long)f->bind[k].offset,
				(long long)(f->bind[k].offset + f->bind[k].elems));
			write_move(x, row, r, at, k);
		}
	}
	if (s->needs && s->kind != LT_STEP_MOVE) {
		const long long by = at >= 0 && at < p->plan.n_run ? lt__round_least(row, r, at) : 0;
		lt__text_format(x, "  if %s >= %lld", p->tree->graph->param[s->needs - 1].name, (long long)s->least);
		if (by)
			lt__text_format(x, " %+lld a round", by);
	}
	lt__text_add(x, "\n", 1);
	dump_text(d, x);
}

static lt_status dump_plan(struct dump *d)
{
	const struct lt_program *p = d->p;
	const struct lt_step_row *row = lt__plan_rows(&p->plan, &p->nests, &p->kernels, p->offsets.at, d->a);
	const struct lt_rounds_list rounds = lt__find_rounds(row, p->plan.n_run, d->a);
	struct lt_text x = { .arena = d->a };
	if (p->memories.n > 1)
		lt__text_format(&x, "moves %d a run, %lld bytes\n", (int)p->stats.n_move, (long long)p->stats.move_bytes);
	lt__text_format(&x, "workspace %lld bytes, intermediates %lld bytes in all, prepared from constants %lld bytes\n",
		(long long)p->stats.workspace_bytes, (long long)p->stats.intermediate_bytes, (long long)p->stats.constant_bytes);
	for (int32_t i = 0; i < p->plan.n_prepare; i++) {
		lt__text_format(&x, "once ");
		write_step(d, &x, &p->plan.prepare[i], row, NULL);
	}
	for (int32_t i = 0; i < p->plan.n_run;) {
		const struct lt_rounds *r = lt__rounds_at(&rounds, i);
		if (r)
			lt__text_format(&x, "%d rounds of %d step%s\n", (int)r->n, (int)r->period, r->period == 1 ? "" : "s");
		for (int32_t k = i; k < i + (r ? r->period : 1); k++) {
			lt__text_format(&x, r ? "  run  " : "run  ");
			write_step(d, &x, &p->plan.run[k], row, r);
		}
		i += r ? r->period * r->n : 1;
	}
	return LT_OK;
}

static lt_status dump_schedule(struct dump *d)
{
	const char *steps = d->p->tree->steps;
	struct lt_text x = { .arena = d->a };
	if (!steps)
		return lt_fail(d->p->ctx, LT_EUNSUPPORTED, "the tree is not made of primitives, as default trees of "
			"microcontrollers are (%s): LT_SHOW_TREE shows it", LT_DOCUMENT("build.md"));
	lt__text_format(&x, "schedule %d\n%s", (int)LT_SCHEDULE_VERSION, steps);
	dump_text(d, &x);
	return LT_OK;
}

static lt_status dump_tree(struct dump *d)
{
	struct lt_treecomments comments;
	LT_TRY(lt__find_locations(d->p, d->a, &comments));
	return lt__looptree_print(d->p->tree, &comments, d->write, d->user);
}

static lt_status dump_body(void *arg)
{
	struct dump *d = arg;
	switch (d->kind) {
	case LT_SHOW_GRAPH:   return lt_graph_print(d->p->base, d->write, d->user);
	case LT_SHOW_TREE:    return dump_tree(d);
	case LT_SHOW_ACCESS:
	case LT_SHOW_FROZEN:  return dump_nests(d);
	case LT_SHOW_SOURCE:
	case LT_SHOW_ASM:
	case LT_SHOW_KERNEL:
	case LT_SHOW_STATS:   return dump_kernels(d);
	case LT_SHOW_PLAN:    return dump_plan(d);
	case LT_SHOW_SCHEDULE: return dump_schedule(d);
	case LT_SHOW_EXPLAIN: return dump_explain(d);
	}
	return lt_fail(d->p->ctx, LT_EINVAL, "there is no dump of kind %d", (int)d->kind);
}

lt_status lt_program_dump(const struct lt_program *p, enum lt_dump_kind kind, lt_write *write, void *user)
{
	struct dump d = { p, kind, write, user, NULL };
	LT_TRY(lt__arena_new(p->ctx, &d.a));
	lt_status st = lt__protect(p->ctx, dump_body, &d);
	lt__arena_free(d.a);
	return st;
}

/* -- one kernel -- */

struct kernel_dump { struct dump d; int32_t i; };

static lt_status kernel_dump_body(void *arg)
{
	struct kernel_dump *k = arg;
	struct dump *d = &k->d;
	const struct lt_program *p = d->p;
	struct lt_text x = { .arena = d->a };
	if (d->kind == LT_SHOW_ACCESS || d->kind == LT_SHOW_FROZEN) {
		(d->kind == LT_SHOW_ACCESS ? lt__show_access : lt__show_frozen)(&x, &p->nests.frozen[k->i].tree);
	} else {
		const struct shown_kind *kind = shown_kind(d->kind);
		if (!p->kernels.of || p->kernels.of[k->i] < 0)
			return lt_fail(p->ctx, LT_EINVAL, "kernel %s is copied by the program: it has no %s to show",
				p->nests.frozen[k->i].tree.name, kind->what);
		LT_TRY(check_shown(p, kind));
		LT_TRY(dump_kernel(d, &p->kernels.at[p->kernels.of[k->i]], kind, &x));
	}
	dump_text(d, &x);
	return LT_OK;
}

lt_status lt_program_kernel_dump(
	const struct lt_program *p, int32_t i, enum lt_dump_kind kind, lt_write *write, void *user)
{
	struct kernel_dump k = { { p, kind, write, user, NULL }, i };
	const bool known = kind == LT_SHOW_ACCESS || kind == LT_SHOW_FROZEN || kind == LT_SHOW_SOURCE || kind == LT_SHOW_ASM
		|| kind == LT_SHOW_KERNEL || kind == LT_SHOW_STATS;
	if (i < 0 || i >= p->nests.n)
		return lt_fail(p->ctx, LT_EINVAL, "kernel %d is to be shown, and the program has %d", (int)i, (int)p->nests.n);
	if (!known)
		return lt_fail(p->ctx, LT_EINVAL, "a kernel has no dump of kind %d; lt_program_dump shows the program's", (int)kind);
	LT_TRY(lt__arena_new(p->ctx, &k.d.a));
	lt_status st = lt__protect(p->ctx, kernel_dump_body, &k);
	lt__arena_free(k.d.a);
	return st;
}
