/* A program as bare C99, for microcontrollers: kernels are static functions, which one function calls in their order by
 * typed pointers; memory is one piece, planned by the byte; nothing of the C library but <stdint.h> is needed.
 *
 * What an input, result or state is, is a parameter.  A machine whose program memory has addresses of its own (AVR) has
 * constants there: a macro of each slot that a kernel only reads says in which memory it lies.
 */
#include <string.h>
#include "base/checked.h"
#include "base/names.h"
#include "kernel/walk/walk.h"
#include "program/explain/explain.h"
#include "program/plan/plan.h"
#include "program/export/export.h"

static const struct bare_kind { enum lt_binding kind; const char *word, *is_const; } kinds[] = {
	{ LT_BINDING_INPUT, "input", "const " },
	{ LT_BINDING_RESULT, "result", "" },
	{ LT_BINDING_STATE, "state", "" },
};
enum { N_KIND = sizeof kinds / sizeof *kinds };

/* --- what such a program may have --- */

static lt_status check_node(const struct lt_export *x, lt_node n)
{
	const struct lt_nodedef *d = &x->p->tree->graph->node[n];
	const struct lt_dtypeinfo *type = lt__dtype_info(d->dtype);
	if (x->o.no_f64 && d->dtype == LT_F64)
		return lt_fail(x->p->ctx, LT_EUNSUPPORTED, "%s%%%s is float64, and a double of this target has 32 bits: make it "
			"float32", lt__export_location(x, d->line, d->column), d->name);
	if (!x->o.integer || type->cls != LT_CLASS_FLOAT)
		return LT_OK;
	return lt_fail(x->p->ctx, LT_EUNSUPPORTED, "%s%%%s is %s, and with --integer a run computes with integers only: "
		"requantise by RequantShiftNode or RequantMultiplierNode, whose numbers are integers, or leave --integer out",
		lt__export_location(x, d->line, d->column), d->name, type->script);
}

/* A node that lies there; -1: none does. */
static lt_node node_in(const struct lt_export *x, int32_t storage)
{
	const struct lt_program *p = x->p;
	for (lt_node n = 0; n < p->tree->graph->n_node; n++)
		if (p->nests.assigned.location[n].storage == storage)
			return n;
	return -1;
}

/* What a kernel computes in variables is not stored, and what is copied or cast is not computed. */
static lt_status check_storage(const struct lt_export *x, int32_t storage)
{
	const lt_node n = x->o.no_f64 && x->p->nests.assigned.storage[storage].dtype == LT_F64 ? node_in(x, storage) : -1;
	return n < 0 ? LT_OK : check_node(x, n);
}

static lt_status check_step(const struct lt_export *x, const struct lt_pstep *step)
{
	const struct lt_program *p = x->p;
	const struct lt_frozen *f = step->kind == LT_STEP_COPY ? NULL : &p->nests.frozen[step->nest];
	if (step->kind == LT_STEP_BLOCKS)
		return lt_fail(p->ctx, LT_EUNSUPPORTED, "%s%%%s copies a view of many pieces, which bare C99 has no loops for: give "
			"it a kernel of its own by `materialize` in a schedule, or build C99 that is not bare (--target portable)",
			lt__export_location(x, p->tree->graph->node[f->node[0]].line, p->tree->graph->node[f->node[0]].column),
			p->tree->graph->node[f->node[0]].name);
	for (uint32_t i = 0; f && i < f->tree.stmts.n; i++)
		LT_TRY(check_node(x, f->node[i]));
	for (int32_t i = 0; f && i < f->n_bind; i++)
		LT_TRY(check_storage(x, f->bind[i].storage));
	if (!f)
		LT_TRY(check_storage(x, step->to));
	const char *own = f ? lt_kernel_own_name(&f->tree) : NULL;
	if (own && x->o.integer)
		return lt_fail(p->ctx, LT_EUNSUPPORTED, "%s%%%s is computed by %s.c, a kernel of one's own, and with --integer a run "
			"computes with integers only, which is not known of that: give --kernels a folder without %s.c, whose meaning is "
			"computed then, or leave --integer out", lt__export_location(x, p->tree->graph->node[f->node[0]].line,
			p->tree->graph->node[f->node[0]].column), p->tree->graph->node[f->node[0]].name, own, own);
	return LT_OK;
}

lt_status lt__export_bare_check(const struct lt_export *x)
{
	const struct lt_graph *g = x->p->tree->graph;
	const struct lt_nodedef *d = g->n_param ? &g->node[g->param[0].source] : NULL;
	if (d)
		return lt_fail(x->p->ctx, LT_EUNSUPPORTED, "%s%%%s is an extent or an offset that is read when a run begins, and "
			"bare C99 is of fixed ones: a script has a number in its place, of a model of ONNX --dim or --fix says it; or build "
			"C99 that is not bare (--target portable)", lt__export_location(x, d->line, d->column), d->name);
	for (int32_t i = 0; i < x->p->plan.n_run; i++)
		LT_TRY(check_step(x, &x->p->plan.run[i]));
	return LT_OK;
}

/* --- memory --- */

static int64_t unit_of(const struct lt_export *x, int32_t storage)
{
	return (int64_t)lt__dtype_info(x->p->nests.assigned.storage[storage].dtype)->bytes;
}

/* storage -1 - i: what step i needs while it runs. */
static const char *peak_name(const struct lt_export *x, int32_t storage)
{
	const struct lt_program *p = x->p;
	const struct lt_graph *g = p->tree->graph;
	if (storage < 0)
		return lt__arena_format(x->a, "the loops of %s", p->kernels.at[p->kernels.of[p->plan.run[-1 - storage].nest]]
			.frozen->tree.name);
	const lt_node n = node_in(x, storage);
	return n < 0 ? "a copy" : lt__arena_format(x->a, "%s%%%s", lt__export_location(x, g->node[n].line, g->node[n].column),
		g->node[n].name);
}

/* Sets bare_peak: of the first step in which most is live, the largest. */
static void find_peak(struct lt_export *x, const struct lt_fit *fit, const int32_t *storage, int32_t n)
{
	int64_t most = 0;
	int32_t best = -1;
	for (int32_t step = 0; step < x->p->plan.n_run; step++) {
		int64_t live = 0;
		int32_t large = -1;
		for (int32_t i = 0; i < n; i++)
			if (fit[i].first <= step && step <= fit[i].last) {
				live += fit[i].bytes;
				large = large < 0 || fit[i].bytes > fit[large].bytes ? i : large;
			}
		if (live > most) {
			most = live;
			best = large;
		}
	}
	x->bare_peak = best < 0 ? "" : lt__arena_format(x->a, " (%lld at one time, the largest of them %s, %lld bytes)",
		(long long)x->bare_size.bound, peak_name(x, storage[best]), (long long)fit[best].bytes);
}

const char *lt__export_bare_peak(const struct lt_export *x) { return x->bare_peak; }

/* Where each step finds what it works with, its scratch memory last. */
static void bare_rows(struct lt_export *x)
{
	const struct lt_program *p = x->p;
	const struct lt_memory_offsets memory = { .of = x->bare_at };
	x->row = lt__plan_rows(&p->plan, &p->nests, &p->kernels, &memory, x->a);
	for (int32_t i = 0; i < p->plan.n_run; i++)
		if (p->plan.run[i].kind == LT_STEP_RUN)
			x->row[i].place[x->row[i].n++] = (struct lt_step_place){ -1, x->bare_scratch[i], 0 };
}

/* --- values that are written where others are read --- */

/* By kernel: how far what it writes may begin before what it reads (lt__walk_ahead); NULL: it was not asked yet. */
struct bare_pairs { int64_t **ahead; struct lt_fit_pair *at; int32_t n, cap; };

/* The kernel program of a kernel; *out NULL: it is one's own, and has none. */
static lt_status kernel_program(const struct lt_program *p, const struct lt_built *built, struct lt_arena *a,
	struct lt_kernel **out)
{
	const struct lt_opened *c = &p->backends.at[built->opened];
	struct lt_text t = { .arena = a };
	*out = NULL;
	lt__lock_take(c->lock);
	lt_status st = c->backend->dump(built->object, LT_DUMP_KERNEL, lt__export_add, &t);
	lt__lock_give(c->lock);
	st = st ? st : lt_kernel_parse(t.at, t.n, out, NULL);
	return !st || st == LT_EUNSUPPORTED ? LT_OK : lt_fail(p->ctx, st, "kernel %s: %s", built->frozen->tree.name,
		lt_status_text(st));
}

/* Of one kernel: all -1 where its program says nothing. */
static lt_status find_ahead(const struct lt_export *x, int32_t kernel, int64_t **ahead)
{
	const struct lt_built *built = &x->p->kernels.at[kernel];
	const int32_t n = built->frozen->n_bind;
	struct lt_kernel *k;
	if (*ahead)
		return LT_OK;
	*ahead = LT_NEW(x->a, int64_t, n * n + 1);
	LT_TRY(kernel_program(x->p, built, x->a, &k));
	const lt_status st = k && (int32_t)k->n_slot == n ? lt__walk_ahead(k, *ahead, NULL) : LT_EUNSUPPORTED;
	lt_kernel_free(k);
	for (int32_t i = 0; i < n * n && st; i++)
		(*ahead)[i] = -1;
	return !st || st == LT_EUNSUPPORTED ? LT_OK : lt_fail(x->p->ctx, st, "kernel %s: %s", built->frozen->tree.name,
		lt_status_text(st));
}

lt_status lt__export_bare_work(const struct lt_export *x, struct lt_walk_work *all, bool *whole)
{
	const struct lt_program *p = x->p;
	struct lt_walk_work *of = LT_NEW(x->a, struct lt_walk_work, p->kernels.n + 1);
	memset(all, 0, sizeof *all);
	*whole = true;
	for (int32_t i = 0; i < p->plan.n_run; i++) {
		const struct lt_pstep *step = &p->plan.run[i];
		struct lt_walk_work *w = &of[step->kind == LT_STEP_RUN ? p->kernels.of[step->nest] : p->kernels.n];
		struct lt_kernel *k;
		if (step->kind != LT_STEP_RUN) {        /* a copy: element by element */
			const struct lt_storage *s = &p->nests.assigned.storage[step->to];
			*w = (struct lt_walk_work){ .n = { [LT_WORK_LOAD] = s->elems, [LT_WORK_LOAD_BYTES] = (int64_t)lt__storage_bytes(s),
				[LT_WORK_STORE] = s->elems, [LT_WORK_STORE_BYTES] = (int64_t)lt__storage_bytes(s),
				[LT_WORK_ITERATION] = s->elems, [LT_WORK_ENTERED] = 1 } };
		} else if (!w->n[LT_WORK_LAUNCH]) {
			LT_TRY(kernel_program(p, &p->kernels.at[p->kernels.of[step->nest]], x->a, &k));
			*whole = k && !lt__walk_work(k, w, NULL) && *whole;
			lt_kernel_free(k);
		}
		for (int n = 0; n < LT_NWORK; n++)
			all->n[n] += w->n[n];
	}
	return LT_OK;
}

/* C lets characters reach what is of any type; else the two are of one. */
static bool types_share(const struct lt_export *x, int32_t a, int32_t b)
{
	return x->p->nests.assigned.storage[a].dtype == x->p->nests.assigned.storage[b].dtype || unit_of(x, a) == 1
		|| unit_of(x, b) == 1;
}

/* Slot o of a nest begins a value in this step, or slot i ends one, and no other slot has the storage. */
static bool slot_turns(const struct lt_export *x, const struct lt_frozen *f, int32_t slot, int32_t step, bool begins)
{
	const struct lt_bind *b = &f->bind[slot];
	const struct lt_lifetime *l = &x->p->offsets.lifetime[b->storage];
	int32_t n = 0;
	for (int32_t k = 0; k < f->n_bind; k++)
		n += f->bind[k].storage == b->storage;
	return n == 1 && b->written == begins && b->read != begins && (begins ? l->first : l->last) == x->p->plan.n_prepare
		+ step;
}

static void add_pair(const struct lt_export *x, struct bare_pairs *p, int32_t ahead, int32_t behind, int64_t bytes)
{
	LT_GROW(x->a, p->at, p->n, p->cap);
	p->at[p->n++] = (struct lt_fit_pair){ ahead - 1, behind - 1, lt__max(bytes, 0) };
}

/* Those of a step; of_storage: 1 + its buffer in the plan, 0: it has none. */
static lt_status find_pairs(const struct lt_export *x, int32_t at, const int32_t *of_storage, struct bare_pairs *p)
{
	const struct lt_pstep *step = &x->p->plan.run[at];
	const struct lt_lifetime *l = x->p->offsets.lifetime;
	if (step->kind == LT_STEP_COPY && of_storage[step->to] && of_storage[step->from]
			&& l[step->to].first == x->p->plan.n_prepare + at && l[step->from].last == l[step->to].first)
		add_pair(x, p, of_storage[step->to], of_storage[step->from], 0);
	if (step->kind != LT_STEP_RUN)
		return LT_OK;
	const struct lt_frozen *f = &x->p->nests.frozen[step->nest];
	for (int32_t o = 0; o < f->n_bind; o++)
		for (int32_t i = 0; i < f->n_bind && of_storage[f->bind[o].storage] && slot_turns(x, f, o, at, true); i++) {
			const struct lt_bind *to = &f->bind[o], *from = &f->bind[i];
			int64_t **ahead = &p->ahead[x->p->kernels.of[step->nest]];
			if (!of_storage[from->storage] || !slot_turns(x, f, i, at, false) || !types_share(x, to->storage, from->storage))
				continue;
			LT_TRY(find_ahead(x, x->p->kernels.of[step->nest], ahead));
			if ((*ahead)[o * f->n_bind + i] >= 0)
				add_pair(x, p, of_storage[to->storage], of_storage[from->storage], (*ahead)[o * f->n_bind + i]
					+ to->offset * unit_of(x, to->storage) - from->offset * unit_of(x, from->storage));
		}
	return LT_OK;
}

/* Kernels that write, in some launch, where they read: C is not told then that they do not. */
static void find_shared(struct lt_export *x, const struct lt_fit *fit, const struct bare_pairs *p)
{
	for (int32_t i = 0; i < p->n; i++) {
		const struct lt_fit *a = &fit[p->at[i].ahead], *b = &fit[p->at[i].behind];
		const struct lt_pstep *step = &x->p->plan.run[a->first];
		if (a->at < b->at + b->bytes && b->at < a->at + a->bytes && step->kind == LT_STEP_RUN)
			x->bare_shared[x->p->kernels.of[step->nest]] = true;
	}
}

/* Values that live in memory, and what kernels need while they run, in one plan.  A step of a round has both where the
 * round before has them, if there is no smaller plan: the rounds are one loop then.  A value may share bytes with one
 * that its kernel reads for the last time. */
lt_status lt__export_bare_plan(struct lt_export *x)
{
	const struct lt_program *p = x->p;
	const struct lt_assigned *s = &p->nests.assigned;
	const int32_t first_step = p->plan.n_prepare;
	int32_t *of_storage = LT_NEW(x->a, int32_t, s->n_storage + 1), *of_step = LT_NEW(x->a, int32_t, p->plan.n_run + 1);
	int32_t *like;
	const struct lt_rounds_list rounds = lt__plan_rounds(&p->plan, &p->nests, &p->kernels, 1, x->a, &like);
	struct lt_fit *fit = LT_NEW(x->a, struct lt_fit, s->n_storage + p->plan.n_run + 1);
	int32_t *storage = LT_NEW(x->a, int32_t, s->n_storage + p->plan.n_run + 1), n = 0;
	x->bare_at = LT_NEW(x->a, int64_t, s->n_storage + 1);
	x->bare_scratch = LT_NEW(x->a, int64_t, p->plan.n_run + 1);
	x->bare_shared = LT_NEW(x->a, bool, p->kernels.n + 1);
	x->bare_align = 1;
	for (int32_t i = 0; i < s->n_storage; i++) {
		const struct lt_lifetime *l = &p->offsets.lifetime[i];
		const int64_t bytes = (int64_t)lt__storage_bytes(&s->storage[i]);
		if (s->storage[i].space != LT_STORAGE_WORKSPACE || l->first < first_step || !bytes)
			continue;
		storage[n] = i;
		fit[n++] = (struct lt_fit){ .bytes = bytes, .align = unit_of(x, i), .first = l->first - first_step,
			.last = l->last - first_step };
		of_storage[i] = n;
	}
	for (int32_t i = 0; i < p->plan.n_run; i++) {
		const struct lt_pstep *step = &p->plan.run[i];
		const int32_t k = step->kind == LT_STEP_RUN ? p->kernels.of[step->nest] : -1;
		const struct lt_rounds *r = lt__rounds_at(&rounds, i);
		if (k < 0 || !p->kernels.at[k].workspace_bytes)
			continue;
		storage[n] = -1 - i;
		fit[n++] = (struct lt_fit){ .bytes = (int64_t)p->kernels.at[k].workspace_bytes, .align = sizeof(int64_t), .first = i,
			.last = i, .like = r && i >= r->first + r->period ? of_step[i - r->period] : 0 };
		of_step[i] = n;
	}
	for (int32_t i = 0; i < s->n_storage; i++)
		if (of_storage[i] && like[i] >= 0)
			fit[of_storage[i] - 1].like = of_storage[like[i]];
	struct bare_pairs pairs = { .ahead = LT_NEW(x->a, int64_t *, p->kernels.n + 1) };
	for (int32_t i = 0; i < p->plan.n_run; i++)
		LT_TRY(find_pairs(x, i, of_storage, &pairs));
	x->bare_size = lt__fit(fit, n, pairs.at, pairs.n, x->a);
	find_shared(x, fit, &pairs);
	find_peak(x, fit, storage, n);
	for (int32_t i = 0; i < n; i++)
		x->bare_align = lt__max(x->bare_align, fit[i].align);
	for (int32_t i = 0; i < s->n_storage; i++)
		x->bare_at[i] = of_storage[i] ? fit[of_storage[i] - 1].at : 0;
	for (int32_t i = 0; i < p->plan.n_run; i++)
		x->bare_scratch[i] = of_step[i] ? fit[of_step[i] - 1].at : 0;
	bare_rows(x);
	return LT_OK;
}

/* --- the header --- */

static const char *bare_type(const struct lt_export *x, int32_t storage)
{
	return lt__dtype_info(x->p->nests.assigned.storage[storage].dtype)->ctype;
}

static void bare_parameters(const struct lt_export *x, struct lt_text *t)
{
	bool any = false;
	for (int k = 0; k < N_KIND; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++) {
			const struct lt_export_member *m = &x->member[kinds[k].kind][i];
			if (!m->name)
				continue;
			lt__text_format(t, "%s%s%s *%s", any ? ", " : "", kinds[k].is_const, lt__dtype_info(m->def->dtype)->ctype, m->name);
			any = true;
		}
	if (!x->o.static_workspace && x->bare_size.bytes)
		lt__text_format(t, "%svoid *workspace", any ? ", " : "");
	else if (!any)
		lt__text_format(t, "void");
}

void lt__export_bare_declare(const struct lt_export *x, struct lt_text *t)
{
	lt__text_format(t, "/* %s */\n#ifndef %s_H\n#define %s_H\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n"
		"#endif\n\n", x->o.about, x->upper, x->upper);
	for (int k = 0; k < N_KIND; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++) {
			const struct lt_export_member *m = &x->member[kinds[k].kind][i];
			if (!m->name)
				continue;
			lt__text_format(t, "/* %s */\n", lt__export_comment(x, lt__arena_format(x->a, "%s '%s', %s%s", kinds[k].word,
				m->def->name, lt__export_type(x, m), kinds[k].kind == LT_BINDING_STATE ? ": zeros before the first call" : "")));
			for (int32_t d = 0; d < m->def->rank; d++)
				lt__text_format(t, "#define %s_%s_DIM%d %lld\n", x->upper, m->name, (int)d, (long long)m->def->extent[d]);
			lt__text_format(t, "#define %s_%s_ELEMENTS %lld\n", x->upper, m->name,
				(long long)((int64_t)m->def->bytes / (int64_t)lt__dtype_info(m->def->dtype)->bytes));
		}
	lt__export_unread(x, t, "/* input '", lt__export_comment, "': nothing reads it, so no call is given it */\n");
	lt__text_format(t, "/* Of RAM, besides what a call is given: %s; of it %lld are live at one time.  Of constants. */\n"
		"#define %s_WORKSPACE_BYTES %lld\n#define %s_CONSTANT_BYTES %lld\n\n",
		x->o.static_workspace ? "static memory, for one call at a time" : "`workspace`, at a multiple of 8",
		(long long)x->bare_size.bound, x->upper, (long long)x->bare_size.bytes, x->upper,
		(long long)lt__export_constant_bytes(x));
	lt__text_format(t, "/* Row-major tensors, none of which shares a byte with another one.  %s_INDEX: an index into a\n"
		" * tensor is out of range; results and states are undefined then. */\nenum { %s_OK, %s_INDEX };\nint %s(",
		x->upper, x->upper, x->upper, x->o.name);
	bare_parameters(x, t);
	lt__text_format(t, ");\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* --- the function --- */

/* " + round * 16", or nothing. */
static const char *bare_moves(const struct lt_export *x, int64_t by)
{
	const char sign = by < 0 ? '-' : '+';
	return by ? lt__arena_format(x->a, " %c round * %lld", sign, by < 0 ? -(long long)by : (long long)by) : "";
}

/* Where a place in a storage is: at this element, and in each round of a loop so many bytes further. */
static const char *bare_address(const struct lt_export *x, int32_t storage, int64_t offset, int64_t round_bytes)
{
	const struct lt_storage *s = &x->p->nests.assigned.storage[storage];
	const enum lt_binding kind = s->space == LT_STORAGE_INPUT ? LT_BINDING_INPUT : s->space == LT_STORAGE_RESULT
		? LT_BINDING_RESULT : LT_BINDING_STATE;
	const int64_t unit = unit_of(x, storage), by = s->space == LT_STORAGE_WORKSPACE ? round_bytes : round_bytes / unit;
	const char *base, *moves = bare_moves(x, by);
	switch (s->space) {
	case LT_STORAGE_INPUT:
	case LT_STORAGE_RESULT:
	case LT_STORAGE_STATE: base = x->member[kind][s->binding].name; break;
	case LT_STORAGE_WORKSPACE:
		return lt__arena_format(x->a, "(void *)(memory + %lld%s)", (long long)(x->bare_at[storage] + offset * unit), moves);
	case LT_STORAGE_CONSTANT:
	case LT_STORAGE_PREPARED: base = x->constant_of[storage] < 0 ? NULL : x->constant[x->constant_of[storage]].name; break;
	default: lt_bug("a storage of no space");
	}
	return !base ? "0" : offset || by ? lt__arena_format(x->a, "%s + %lld%s", base, (long long)offset, moves) : base;
}

static bool is_flash(const struct lt_export *x, int32_t storage)
{
	return lt__space_is_early(x->p->nests.assigned.storage[storage].space) && lt__export_flash(x, storage);
}

static const char *storage_comment(const struct lt_export *x, int32_t storage)
{
	const struct lt_storage *s = &x->p->nests.assigned.storage[storage];
	return s->binding < 0 ? lt__space_word(s->space) : lt__export_comment(x, lt__arena_format(x->a, "%s '%s'",
		lt__space_word(s->space), lt__storage_name(x->p, s)));
}

/* What the head of a printed kernel has, behind its slots. */
struct bare_kernel { bool used, scratch, fault; const char *text; size_t bytes; };

static void launch(const struct lt_export *x, struct lt_text *t, const struct lt_rounds *r, int32_t at,
	const struct bare_kernel *kernel)
{
	const struct lt_program *p = x->p;
	const struct lt_pstep *step = &p->plan.run[at];
	const struct lt_frozen *f = &p->nests.frozen[step->nest];
	const struct lt_built *k = &p->kernels.at[p->kernels.of[step->nest]];
	const struct bare_kernel *b = &kernel[p->kernels.of[step->nest]];
	bool any = false;
	lt__text_format(t, "\t%s(", k->frozen->tree.name);
	for (int32_t i = 0; i < f->n_bind; i++) {
		lt__text_format(t, "%s%s", any ? ", " : "", bare_address(x, f->bind[i].storage, f->bind[i].offset,
			lt__round_bytes(x->row, r, at, i)));
		any = true;
	}
	if (b->scratch)
		lt__text_format(t, "%smemory + %lld%s", any ? ", " : "", (long long)x->bare_scratch[at],
			bare_moves(x, lt__round_bytes(x->row, r, at, f->n_bind)));
	if (b->fault)
		lt__text_format(t, "%s&fault", any || b->scratch ? ", " : "");
	lt__text_format(t, ");\t/*");
	for (int32_t i = 0; i < f->n_bind; i++)
		lt__text_format(t, "%s %s", i ? "," : "", storage_comment(x, f->bind[i].storage));
	lt__text_format(t, " */\n");
	if (b->fault)
		lt__text_format(t, "\tif (fault)\n\t\treturn %s_INDEX;\n", x->upper);
}

static void copy(const struct lt_export *x, struct lt_text *t, const struct lt_rounds *r, int32_t at)
{
	const struct lt_pstep *step = &x->p->plan.run[at];
	const int64_t n = x->p->nests.assigned.storage[step->to].elems;
	const char *type = bare_type(x, step->to), *place = is_flash(x, step->from) ? x->o.flash : "";
	if (!n)
		return;
	const char *const to = bare_address(x, step->to, 0, lt__round_bytes(x->row, r, at, 0)),
		*const from = bare_address(x, step->from, 0, lt__round_bytes(x->row, r, at, 1));
	lt__text_format(t, "\t{\n\t\tconst %s%s *const from = %s;\t/* %s */\n\t\t%s *const to = %s;\t/* %s */\n"
		"\t\tfor (int%d_t i = 0; i < %lld; i++)\n\t\t\tto[i] = from[i];\n\t}\n", place, type, from,
		storage_comment(x, step->from), type, to, storage_comment(x, step->to), n < INT16_MAX ? 16 : 32, (long long)n);
}

/* A slot that the kernel only reads: where it is in all launches; __memx of avr-gcc is either memory. */
static void define_places(const struct lt_export *x, struct lt_text *t, int32_t kernel)
{
	const struct lt_program *p = x->p;
	const struct lt_frozen *first = p->kernels.at[kernel].frozen;
	for (int32_t slot = 0; slot < first->n_bind; slot++) {
		int n = 0, in_flash = 0;
		if (first->bind[slot].written)
			continue;
		for (int32_t i = 0; i < p->plan.n_run; i++)
			if (p->plan.run[i].kind == LT_STEP_RUN && p->kernels.of[p->plan.run[i].nest] == kernel) {
				n++;
				in_flash += is_flash(x, p->nests.frozen[p->plan.run[i].nest].bind[slot].storage);
			}
		lt__text_format(t, "#define %s_slot%d %s\n", first->tree.name, (int)slot, !in_flash ? "" : in_flash == n ? x->o.flash
			: "__memx");
	}
}

static lt_status bare_kernels(const struct lt_export *x, struct lt_text *t, struct bare_kernel *kernel)
{
	const struct lt_program *p = x->p;
	struct lt_names *written = lt__names_new(x->a);
	for (int32_t i = 0; i < p->plan.n_run; i++)
		if (p->plan.run[i].kind == LT_STEP_RUN)
			kernel[p->kernels.of[p->plan.run[i].nest]].used = true;
	for (int32_t i = 0; i < p->kernels.n; i++) {
		struct lt_text text = { .arena = x->a };
		if (!kernel[i].used)
			continue;
		LT_TRY(lt__export_kernel_text(p, &p->kernels.at[i], &text));
		const char *at = lt__source_definitions(written, text.at, text.n, lt__export_add, t);
		at += strcspn(at, "\n");
		at += *at == '\n';
		size_t head = strcspn(at, "{");
		/* Of one's own it is the last function. */
		const char *begin = strstr(at, lt__arena_format(x->a, " void %s(", p->kernels.at[i].frozen->tree.name));
		if (!begin)
			lt_bug("a bare kernel without its function");
		const char *end = begin + strcspn(begin, "{"), *scratch = strstr(begin, "void *scratch"),
			*fault = strstr(begin, "uint8_t *fault)");
		kernel[i].scratch = scratch && scratch < end;
		kernel[i].fault = fault && fault < end;
		if (x->o.flash)
			define_places(x, t, i);
		/* The pointers reach the same bytes. */
		for (const char *word; x->bare_shared[i] && (word = strstr(at, "restrict ")) && word < at + head; ) {
			lt__text_add(t, at, (size_t)(word - at));
			head -= (size_t)(word - at) + strlen("restrict ");
			at = word + strlen("restrict ");
		}
		lt__text_add(t, at, (size_t)(text.at + text.n - at));
		lt__text_add(t, "\n", 1);
	}
	return LT_OK;
}

static void bare_memory(const struct lt_export *x, struct lt_text *t)
{
	static const char *const words[] = { [1] = "int8_t", [2] = "int16_t", [4] = "int32_t", [8] = "int64_t" };
	if (x->bare_size.bytes && x->o.static_workspace)
		lt__text_format(t, "static union { %s align; uint8_t at[%lld]; } %s_memory;\n\n", words[x->bare_align],
			(long long)x->bare_size.bytes, x->o.name);
}

/* As wide as the numbers of the rounds, and the distances that they are multiplied by. */
static const char *bare_counter(const struct lt_export *x, const struct lt_rounds *r)
{
	int64_t most = r->n;
	for (int32_t i = r->first; i < r->first + r->period; i++)
		for (int32_t k = 0; k < x->row[i].n; k++) {
			const int64_t bytes = lt__round_bytes(x->row, r, i, k);
			most = lt__max(most, (bytes < 0 ? -bytes : bytes) * r->n);
		}
	return most <= INT16_MAX ? "int16_t" : "int32_t";
}

/* In their order; those that are rounds as a loop. */
static void bare_steps(const struct lt_export *x, struct lt_text *t, const struct bare_kernel *kernel)
{
	for (int32_t i = 0; i < x->p->plan.n_run;) {
		const struct lt_rounds *r = lt__rounds_at(&x->rounds, i);
		const int32_t period = r ? r->period : 1;
		struct lt_text steps = { .arena = x->a };
		for (int32_t k = i; k < i + period; k++)
			if (x->p->plan.run[k].kind == LT_STEP_RUN)
				launch(x, &steps, r, k, kernel);
			else
				copy(x, &steps, r, k);
		if (r) {
			lt__text_format(t, "\tfor (%s round = 0; round < %d; round++) {\n", bare_counter(x, r), (int)r->n);
			lt__export_indented(t, steps.at, steps.n);
			lt__text_format(t, "\t}\n");
		} else if (steps.n) {
			lt__text_add(t, steps.at, steps.n);
		}
		i += r ? period * r->n : 1;
	}
}

lt_status lt__export_bare_source(struct lt_export *x, lt_write *write, void *user)
{
	const struct lt_program *p = x->p;
	struct lt_text t = { .arena = x->a };
	struct bare_kernel *kernel = LT_NEW(x->a, struct bare_kernel, p->kernels.n + 1);
	bool faults = false;
	lt__text_format(&t, "/* %s", x->o.about);
	if (x->o.flags)
		lt__text_format(&t, "\n * Flags: %s", x->o.flags);
	lt__text_format(&t, " */\n#include \"%s\"\n\n", x->o.header);
	lt__export_extern(x, &t);
	LT_TRY(bare_kernels(x, &t, kernel));
	for (int32_t i = 0; i < p->kernels.n; i++)
		faults = faults || kernel[i].fault;
	bare_memory(x, &t);
	lt__text_format(&t, "int %s(", x->o.name);
	bare_parameters(x, &t);
	lt__text_format(&t, ")\n{\n");
	if (x->bare_size.bytes)
		lt__text_format(&t, "\tuint8_t *const memory = %s;\n", x->o.static_workspace
			? lt__arena_format(x->a, "%s_memory.at", x->o.name) : "workspace");
	if (faults)
		lt__text_format(&t, "\tuint8_t fault = 0;\n");
	bare_steps(x, &t, kernel);
	lt__text_format(&t, "\treturn %s_OK;\n}\n", x->upper);
	write(user, t.at, t.n);
	return LT_OK;
}
