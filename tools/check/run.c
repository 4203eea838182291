/* run.c -- a graph through a backend: lowered, accepted, compiled with others, run on several sets of
 * data. */
#include <stdlib.h>
#include <string.h>
#include "program/nest/nest.h"
#include "tools/check/check.h"
#include "program/explain/explain.h"

/* -- accepted -- */

/* A sentence is one line: no newline, no tab, no colours. */
static bool is_a_line(struct check_work *w, const char *what, const char *text)
{
	char shown[200];
	size_t n = 0;
	int bad = -1;
	for (; text[n] && n < sizeof shown - 1; n++) {
		unsigned char c = (unsigned char)text[n];
		shown[n] = (char)(c < 0x20 || c == 0x7F ? ' ' : c);
		bad = bad < 0 && shown[n] != text[n] ? c : bad;
	}
	shown[n] = '\0';
	return bad < 0 || lt__check_fail(w->out,
		"the %s \"%s\" holds a control character (0x%02x); it is one line of plain text", what, shown, (unsigned)bad);
}

/* A refusal is an answer, if it says why, and where or what would help. */
static bool take_refusal(
	struct check_work *w, const struct lt_tree *t, lt_status st, const struct check_diagnostics *diags)
{
	size_t n = strlen(diags->text);
	if (st != LT_EUNSUPPORTED)
		return lt__check_fail(w->out, "accepts answers %s (%d%s) for kernel %s%s%s; a refusal is LT_EUNSUPPORTED, and any "
			"other error ends the host's compilation", lt_status_name(st), (int)st,
			st < 0 || st >= LT_NSTATUS ? ": no status at all" : "", t->name, n ? ", and says: " : ", and says nothing",
			diags->text);
	if (n == 0)
		return lt__check_fail(w->out, "accepts answers %s for kernel %s and says nothing", lt_status_name(st), t->name);
	if (diags->text[n - 1] == '.' || lt__diagnostic_text(diags->text, w->device->backend->name) != diags->text)
		return lt__check_fail(w->out, "the refusal \"%s\" %s", diags->text,
			diags->text[n - 1] == '.' ? "ends with a full stop; the host puts it into sentences of its own"
						 : "begins with the backend's name; the host says that itself");
	if (!is_a_line(w, "refusal", diags->text) || !is_a_line(w, "remedy", diags->remedy))
		return false;
	if (diags->size < offsetof(struct lt_diagnostic, remedy) + sizeof (char *))
		return lt__check_fail(w->out,
			"the diagnostic of the refusal \"%s\" has size %u, and it has to be sizeof (struct lt_diagnostic)",
			diags->text, (unsigned)diags->size);
	if (!diags->remedy[0] && diags->loop < 0 && diags->stmt < 0)
		return lt__check_fail(w->out, "the refusal \"%s\" names neither a loop nor a statement nor a remedy", diags->text);
	if (diags->loop >= t->n_loop || diags->stmt >= (int32_t)t->stmts.n)
		return lt__check_fail(w->out, "the refusal \"%s\" names loop %d of %d, statement %d of %u",
			diags->text, (int)diags->loop, (int)t->n_loop, (int)diags->stmt, (unsigned)t->stmts.n);
	return lt__check_end(w->out, CHECK_REFUSED, "%s%s%s", lt__diagnostic_text(diags->text, w->device->backend->name),
		diags->remedy[0] ? "; " : "", diags->remedy);
}

static bool is_accepted(struct check_work *w, const struct lt_tree *t)
{
	struct check_device *d = w->device;
	struct check_diagnostics diags = lt__check_listen();
	/* as the host does before it asks; its remedies are for the script's author */
	if (lt__refuse_by_caps(t, d->caps, &diags.diag))
		return lt__check_end(w->out, CHECK_REFUSED, "%s", diags.text);
	lt_status st = d->backend->accepts(d->session, t, &diags.diag);
	return !st || take_refusal(w, t, st, &diags);
}

/* Those before the first run, then those of each. */
static int32_t count_steps(const struct lt_program *p) { return p->plan.n_prepare + p->plan.n_run; }
static const struct lt_pstep *step_at(const struct lt_program *p, int32_t i)
{
	return i < p->plan.n_prepare ? &p->plan.prepare[i] : &p->plan.run[i - p->plan.n_prepare];
}

/* A nest that has steps; padding nests of nothing are not run. */
static bool is_run(const struct lt_program *p, int32_t nest)
{
	for (int32_t i = 0; i < count_steps(p); i++)
		if (step_at(p, i)->kind == LT_STEP_RUN && step_at(p, i)->nest == nest)
			return true;
	return false;
}

bool lt__check_prepare(struct check_work *w, const struct check_tree *tree)
{
	lt_status st = lt__check_lower(w->device, w->g, tree, &w->p, &w->schedule);
	/* A tree may be refused; all else is a mistake of the suite, where the graph and the tree are its own. */
	bool skipped = st == LT_EILLEGAL || st == LT_EUNSUPPORTED || (w->is_given && st != LT_ENOMEM);
	if (st)
		return lt__check_end(w->out, skipped ? CHECK_SKIPPED : CHECK_FAILED, "no tree: %s: %s",
			lt_status_name(st), lt_context_message(w->ctx));
	w->object = calloc((size_t)w->p->nests.n + 1, sizeof *w->object);
	if (!w->object)
		return lt__check_fail(w->out, "out of memory");
	for (int32_t i = 0; i < w->p->nests.n; i++)
		if (is_run(w->p, i) && !is_accepted(w, &w->p->nests.frozen[i].tree))
			return false;
	return true;
}

/* -- compiled -- */

static bool compile_failed(
	struct check_work *const *w, int32_t n, lt_status st, const struct check_diagnostics *diags, bool left)
{
	if (n > 1) {                    /* which one? */
		bool all = true;
		for (int32_t i = 0; i < n; i++)
			all = (w[i]->out->done || lt__check_compile(&w[i], 1)) && all;
		return all;
	}
	if (left)
		return lt__check_fail(w[0]->out, "compile fails with %s and leaves an object behind", lt_status_name(st));
	if (st == LT_EUNSUPPORTED)
		return lt__check_fail(w[0]->out, "accepts took the tree, compile answers %s%s%s", lt_status_name(st),
			diags->text[0] ? ": " : " and says nothing; refuse it in accepts", diags->text);
	return lt__check_went(w[0]->out, st, diags, "compile");
}

bool lt__check_compile(struct check_work *const *w, int32_t n)
{
	size_t max = 1;
	uint32_t n_tree = 0;
	for (int32_t i = 0; i < n; i++)
		max += (size_t)w[i]->p->nests.n;
	const struct lt_tree **tree = calloc(max, sizeof *tree);
	struct lt_object ***target = calloc(max, sizeof *target), **object = calloc(max, sizeof *object);
	struct check_diagnostics diags = lt__check_listen();
	bool good = true, left = false, holes = false;
	for (int32_t i = 0; (!tree || !target || !object) && i < n; i++)
		good = lt__check_fail(w[i]->out, "out of memory");
	for (int32_t i = 0; good && i < n; i++)
		for (int32_t k = 0; !w[i]->out->done && k < w[i]->p->nests.n; k++)
			if (is_run(w[i]->p, k)) {
				tree[n_tree] = &w[i]->p->nests.frozen[k].tree;
				target[n_tree] = &w[i]->object[k];
				object[n_tree++] = (struct lt_object *)(void *)object;          /* a failure has to make it NULL */
			}
	if (n_tree > 0) {
		struct check_device *d = w[0]->device;
		lt_status st = d->backend->compile(d->session, tree, n_tree, object, &diags.diag);
		for (uint32_t i = 0; i < n_tree; i++) {
			left = left || object[i];
			holes = holes || !object[i];
			*target[i] = st ? NULL : object[i];
		}
		if (st)
			good = compile_failed(w, n, st, &diags, left);
		for (int32_t i = 0; !st && holes && i < n; i++)
			good = lt__check_fail(w[i]->out, "compile succeeds and leaves an object NULL");
	}
	free(tree);
	free(target);
	free(object);
	return good;
}

void lt__check_work_free(struct check_work *w)
{
	for (int32_t i = 0; w->object && i < w->p->nests.n; i++)
		if (w->object[i])
			w->device->backend->destroy(w->object[i]);
	free(w->object);
	free(w->schedule);
	lt_program_free(w->p);
	w->object = NULL;
	w->schedule = NULL;
	w->p = NULL;
}

/* -- run -- */

static bool run_copy_step(struct check_guarded *guarded, const struct lt_pstep *step)
{
	struct check_block *to = &guarded->block[step->to], *from = &guarded->block[step->from];
	if (to->device)
		return lt__check_mem_copy(guarded->w, to->device, to->at, from->device, from->at, to->bytes, LT_COPY_DEVICE);
	memcpy(to->block + to->at, from->block + from->at, to->bytes);
	return true;
}

static struct lt_slot fetched_slot(const void *user, int32_t storage)
{
	const struct check_block *b = &((const struct check_guarded *)user)->block[storage];

	return (struct lt_slot){ b->block + b->at, 0, (int64_t)b->bytes };
}

/* What the program copies itself, without a kernel, in the host's memory. */
static bool run_blocks_step(struct check_guarded *guarded, int32_t nest, uint32_t n_thread)
{
	const struct lt_program *p = guarded->w->p;
	const struct lt_blocks *b = p->nests.blocks[nest];

	for (int32_t i = 0; i < b->n; i++)
		if (b->at[i].from >= 0 && !lt__check_guarded_fetch(guarded, b->at[i].from))
			return false;
	if (!lt__check_guarded_fetch(guarded, b->to))
		return false;
	lt__blocks_run(&p->services.host, n_thread, b, 0, b->n, lt__check_guarded_at(guarded, LT_STORAGE_PARAM, -1),
		fetched_slot, guarded);
	return lt__check_guarded_send(guarded, b->to);
}

/* Args that are gone when the run has come back. */
static lt_status run_lent(struct check_pages *lend, const struct check_work *w, int32_t nest,
	const struct lt_args *args, struct lt_diag *diag)
{
	lt__check_pages_open(lend);
	struct lt_slot *slot = lt__check_pages_take(lend, args->slot, args->n_slot * sizeof *slot);
	struct lt_args *lent = lt__check_pages_take(lend, args, sizeof *lent);
	lent->slot = slot;
	lt__check_pages_seal(lend);
	lt_status st = w->device->backend->run(w->object[nest], lent, diag);
	lt__check_pages_close(lend);
	if (args->async && !st)
		st = w->device->backend->sync(w->device->session, NULL, diag);
	return st;
}

static bool launch_nest(struct check_guarded *guarded, int32_t nest, int fill, uint32_t n_thread,
	struct lt_fault *fault)
{
	struct check_work *w = guarded->w;
	struct check_args a;
	struct check_diagnostics diags = lt__check_listen();
	bool good = lt__check_args_new(guarded, nest, fill, n_thread, fault, &a);
	if (good) {
		lt_status st = guarded->lend ? run_lent(guarded->lend, w, nest, &a.args, &diags.diag)
			: w->device->backend->run(w->object[nest], &a.args, &diags.diag);
		if (guarded->async && !guarded->lend && !st)
			st = w->device->backend->sync(w->device->session, NULL, &diags.diag);
		good = fault->n || lt__check_went(w->out, st, &diags, "run of kernel %s", w->p->nests.frozen[nest].tree.name);
	}
	return lt__check_args_end(w, &a) && good;
}

/* Hands what step `at` has left to the judge of kernels. */
static bool run_show(struct check_guarded *guarded, const struct lt_seen *seen, int32_t n, int32_t at)
{
	const struct lt_program *p = guarded->w->p;
	for (int32_t i = 0; i < n; i++) {
		if (seen[i].step != at)
			continue;
		const void *from = lt__check_guarded_fetch(guarded, seen[i].storage);
		void *data = from
			? malloc((size_t)seen[i].elems * lt__dtype_info(p->base->node[seen[i].base].dtype)->bytes + 1)
			: NULL;
		bool good = data && !lt__seen_read(p, &seen[i], from, data)
			&& !lt_verifier_value(guarded->kernels, seen[i].base, step_at(p, at)->nest, data);
		free(data);
		if (!good)
			return lt__check_fail(guarded->w->out, "out of memory");
	}
	return true;
}

struct looking { const struct lt_program *p; struct lt_arena *arena; struct lt_seen *seen; int32_t n; };

static lt_status run_look(void *user)
{
	struct looking *l = user;
	lt__seen_values(l->p, l->arena, &l->seen, &l->n);
	return LT_OK;
}

static bool run_step(struct check_guarded *guarded, const struct lt_pstep *step, int fill, uint32_t n_thread,
	struct lt_fault *fault)
{
	switch (step->kind) {
	case LT_STEP_COPY:   return run_copy_step(guarded, step);
	case LT_STEP_BLOCKS: return run_blocks_step(guarded, step->nest, n_thread);
	default:             return launch_nest(guarded, step->nest, fill, n_thread, fault);
	}
}

static bool launch_all(
	struct check_guarded *guarded, int fill, uint32_t n_thread, const struct looking *l, struct lt_fault *fault)
{
	const struct lt_program *p = guarded->w->p;
	for (int32_t i = 0; i < count_steps(p) && fault->n == 0; i++) {
		if (!run_step(guarded, step_at(p, i), fill, n_thread, fault))
			return false;
		if (guarded->kernels && !run_show(guarded, l->seen, l->n, i))
			return false;
	}
	return true;
}

bool lt__check_launch(struct check_guarded *guarded, int fill, uint32_t n_thread, struct lt_fault *fault)
{
	struct looking l = { .p = guarded->w->p };
	*fault = (struct lt_fault){ .n = 0, .stmt = -1, .access = -1 };
	if (guarded->kernels && (lt__arena_new(guarded->w->ctx, &l.arena) || lt__protect(guarded->w->ctx, run_look, &l)))
		return lt__check_fail(guarded->w->out, "out of memory");
	bool good = launch_all(guarded, fill, n_thread, &l, fault);
	lt__arena_free(l.arena);
	return good;
}

/* Each kernel by itself. */
static bool judge_kernels(struct check_guarded *guarded)
{
	lt_verifier_clear(guarded->kernels);
	if (lt_verifier_values(guarded->kernels))
		return lt__check_fail(guarded->w->out, "the kernels cannot be evaluated: %s", lt_context_message(guarded->w->ctx));
	const struct lt_verified *r = lt_verifier_report(guarded->kernels);
	return r->verdict != LT_VERDICT_FAILED || lt__check_fail(guarded->w->out, "%s", r->first);
}

/* Twice, with other poison, other garbage in the workspace: the values of the first, the bits of both. */
static bool run_twice(struct check_work *w, void *const *data, struct lt_verifier *judge)
{
	struct check_guarded first, second;
	struct lt_fault fault;
	lt__check_guarded_new(w, NULL, &first);
	lt__check_guarded_new(w, NULL, &second);
	first.kernels = judge;
	bool good = lt__check_guarded_fill(&first, data, 0xFF)
		&& lt__check_launch(&first, 0xFF, 1, &fault) && lt__check_guarded_stand(&first, data)
		&& lt__check_guarded_fill(&second, data, 0x5A) && lt__check_launch(&second, 0x5A, 1, &fault)
		&& lt__check_guarded_stand(&second, data);
	if (good && fault.n)
		good = lt__check_fail(w->out, "the fault record is set (statement %d, access %d, value %lld); no index "
			"is out of range",
			(int)fault.stmt, (int)fault.access, (long long)fault.value);
	good = good && lt__check_compare(&first, judge, &second) && judge_kernels(&first)
		&& lt__check_same_bits(&first, &second, judge, "when it is run again, its outputs and workspace filled differently");
	lt__check_guarded_free(&first);
	lt__check_guarded_free(&second);
	return good;
}

/* A gather out of range: the run ends, and the fault record names a gather of the tree. */
static bool run_fault(struct check_work *w, void *const *data)
{
	struct check_guarded guarded;
	struct lt_fault fault;
	lt__check_guarded_new(w, NULL, &guarded);
	bool good = lt__check_guarded_fill(&guarded, data, 0x5A) && lt__check_launch(&guarded, 0x5A, 1, &fault)
		&& lt__check_guarded_stand(&guarded, data);
	lt__check_guarded_free(&guarded);
	return good && (fault.n || lt__check_fail(w->out, "an index is out of range (%s) and the fault record is not set",
		lt_context_message(w->ctx)));
}

static bool run_set(struct check_work *w, int set, bool *unfit)
{
	struct check_data how = { w->seed, set, w->special, w->wild };
	lt_status st = LT_EFAULT;
	struct lt_verifier *judge = NULL;
	void **data = NULL;
	bool wild = w->wild && set == 1, good = true;
	for (int tries = 0; tries < (wild ? 1 : 6) && st == LT_EFAULT; tries++, how.seed += UINT64_C(0x9e3779b97f4a7c15)) {
		lt__check_data_free(w->g, data);
		data = lt__check_data_new(w->g, &how);
		st = lt__check_judge(w, data, &judge);
	}
	if (!st)
		good = run_twice(w, data, judge);
	else if (wild && st == LT_EFAULT)
		good = run_fault(w, data);
	else if (st == LT_ENOMEM)
		good = lt__check_fail(w->out, "out of memory");
	else
		*unfit = true;          /* no data were found that the run-time scalars allow */
	lt_verifier_free(judge);
	lt__check_data_free(w->g, data);
	w->out->set = good ? w->out->set : set;
	return good;
}

static bool reduces(const struct lt_graph *g, bool to_an_end)
{
	for (lt_node n = 0; n < g->n_node; n++)
		if (g->node[n].reduce && (!to_an_end || g->node[n].op == LT_OP_max || g->node[n].op == LT_OP_min))
			return true;
	return false;
}

bool lt__check_run(struct check_work *w)
{
	int unfit = 0;
	for (int set = 0; set < CHECK_N_SET; set++) {
		bool miss = false;
		if ((set == 2 && w->g->n_param == 0) || (set >= CHECK_BELOW_ZERO && !reduces(w->g, set >= CHECK_MIN)))
			continue;
		if (!run_set(w, set, &miss))
			return false;
		unfit += miss && set < CHECK_BELOW_ZERO;
	}
	if (unfit >= 2)
		return lt__check_end(w->out, CHECK_SKIPPED, "no data fit its run-time scalars: %s", lt_context_message(w->ctx));
	(void)lt__check_end(w->out, CHECK_PASSED, "%s", "");
	return true;
}
