/* errors.c -- wrong use, and data out of range: told, and nothing left after. */
#include <stdlib.h>
#include <string.h>
#include "ir/op/op.h"
#include "tools/check/parts.h"

bool lt__check_errors_config(struct check_device *d, struct check_outcome *out)
{
	static const char word[] = "no_such_word_of_any_backend";
	struct check_diagnostics diags = lt__check_listen();
	struct lt_session *session = (struct lt_session *)(void *)out;  /* a failure has to make it NULL */
	lt_status st = d->backend->open(&d->host, word, &session, &diags.diag);
	if (!st && session)
		d->backend->close(session);
	if (!st)
		return lt__check_fail(out, "open takes the config '%s', a word that it cannot know", word);
	if (session)
		return lt__check_fail(out, "open fails with %s and leaves a session behind", lt_status_name(st));
	if (st != LT_EINVAL)
		return lt__check_fail(out, "open answers %s to an unknown config, not LT_EINVAL", lt_status_name(st));
	if (!diags.text[0])
		return lt__check_fail(out, "open refuses an unknown config and says nothing");
	return strstr(diags.text, word)
		|| lt__check_fail(out, "open refuses an unknown config and does not name the word: %s", diags.text);
}

/* -- wrong args -- */

enum wrong { FEWER_SLOTS, MORE_SLOTS, SMALL_SLOT, NO_WORKSPACE };

/* One run with something wrong: refused, told, and nothing is written. */
static bool run_wrong(struct check_work *w, const struct check_trial *t, enum wrong what, int32_t at)
{
	int32_t nest = lt__check_nest(w), n = w->p->nests.frozen[nest].n_bind;
	struct check_args a = { .slot = NULL };
	struct lt_fault fault = { 0, -1, -1, 0 };
	struct check_guarded guarded, before;
	struct check_diagnostics diags = lt__check_listen();
	lt__check_guarded_new(w, NULL, &guarded);
	lt__check_guarded_new(w, NULL, &before);
	bool good = lt__check_guarded_run(&guarded, t, 0x5A, 0x5A, 1) && lt__check_guarded_fill(&guarded, t->data, 0x5A)
		&& lt__check_guarded_fill(&before, t->data, 0x5A) && lt__check_args_new(&guarded, nest, 0x5A, 1, &fault, &a);
	if (good) {
		a.slot[n] = a.slot[n > 0 ? n - 1 : 0];
		a.slot[at].bytes -= what == SMALL_SLOT;
		a.args.n_slot = (uint32_t)(n - (what == FEWER_SLOTS) + (what == MORE_SLOTS));
		a.args.workspace = what == NO_WORKSPACE ? NULL : a.args.workspace;
		lt_status st = w->device->backend->run(w->object[nest], &a.args, &diags.diag);
		if (!st)
			good = lt__check_fail(w->out, what == SMALL_SLOT ? "a run with slot %d a byte too small succeeds"
				: what == NO_WORKSPACE ? "a run without a workspace succeeds, and need() says that there must be one (%d)"
				: "a run with another number of slots than the tree's succeeds (%d)", (int)at);
		else if (!diags.text[0])
			good = lt__check_fail(w->out, "a run with wrong args answers %s and says nothing", lt_status_name(st));
		good = good && lt__check_guarded_stand(&guarded, t->data);
		for (int32_t i = 0; good && i < guarded.n; i++)
			if (memcmp(guarded.block[i].block, before.block[i].block, guarded.block[i].total))
				good = lt__check_fail(w->out, "a run that fails with %s has written to a buffer", lt_status_name(st));
	}
	good = lt__check_args_end(w, &a) && good;
	lt__check_guarded_free(&guarded);
	lt__check_guarded_free(&before);
	return good;
}

bool lt__check_errors_slots(struct check_work *w, const struct check_trial *t)
{
	return run_wrong(w, t, FEWER_SLOTS, 0) && run_wrong(w, t, MORE_SLOTS, 0);
}

bool lt__check_errors_small_slot(struct check_work *w, const struct check_trial *t)
{
	int32_t n = w->p->nests.frozen[lt__check_nest(w)].n_bind;
	bool good = true;
	for (int32_t i = 0; good && i < n; i++)
		good = run_wrong(w, t, SMALL_SLOT, i);
	return good;
}

bool lt__check_errors_workspace(struct check_work *w, const struct check_trial *t)
{
	const struct check_device *d = w->device;
	size_t bytes = 0, align = 1;
	if (LT_HAS(struct lt_backend, d->backend, need))
		d->backend->need(w->object[lt__check_nest(w)], 1, &bytes, &align);
	return bytes == 0 || run_wrong(w, t, NO_WORKSPACE, 0);
}

/* -- a gather out of range -- */

enum { FIRST = 4, SECOND = 9 };
static const int64_t first_value = 1000, second_value = -7;

/* By indices of a type that the backend has. */
static struct check_case gather_for(const struct check_device *d)
{
	return (struct check_case){ .name = "gather", .group = CHECK_gather,
		.spec = { .dtype = LT_F32, .schedule = CHECK_PLAIN,
			.other = d->caps->dtypes & UINT64_C(1) << LT_I64 ? LT_I64 : LT_I32 } };
}

static void store_index(const struct check_work *w, void **data, int64_t first, int64_t second)
{
	for (lt_node n = 0; n < w->g->n_node; n++)
		if (w->g->node[n].op == LT_OP_input && lt__dtype_info(w->g->node[n].dtype)->cls == LT_CLASS_INT) {
			lt__store(data[n], FIRST, w->g->node[n].dtype, (union lt_scalar){ .i = first });
			lt__store(data[n], SECOND, w->g->node[n].dtype, (union lt_scalar){ .i = second });
		}
}

static bool is_reported(struct check_work *w, const struct lt_fault *f)
{
	const struct lt_tree *t = &w->p->nests.frozen[lt__check_nest(w)].tree;
	if (f->n <= 0)
		return lt__check_fail(w->out, "an index is out of range and the fault record is not set");
	if (f->stmt < 0 || f->stmt >= (int32_t)t->stmts.n || f->access < 0 || f->access >= (int32_t)t->accesses.n)
		return lt__check_fail(w->out, "the fault record names statement %d of %u, access %d of %u", (int)f->stmt,
			(unsigned)t->stmts.n, (int)f->access, (unsigned)t->accesses.n);
	if (LT_AT(struct lt_access, t->accesses, f->access)->index < 0)
		return lt__check_fail(w->out, "the fault record names access %d, which is not a gather", (int)f->access);
	if (f->value != first_value && f->value != second_value)
		return lt__check_fail(w->out, "the fault record has value %lld, which is not an index", (long long)f->value);
	return true;
}

/* A run with two indices out of range, judged as if they were 0; elsewhere: all that it left, or the record of the
 * fault. */
static bool with_fault(struct check_device *d, struct check_outcome *out, bool elsewhere)
{
	const struct check_case gather = gather_for(d);
	struct check_work w;
	struct check_trial zeros = { 0 };
	struct check_guarded guarded = { 0 };
	struct lt_fault fault = { 0, -1, -1, 0 };
	void **data = NULL;
	bool good = lt__check_work_open(&w, d, &gather, d->seed, out) && lt__check_work_compile(&w)
		&& lt__check_trial_new(&w, 0, d->seed, &zeros);
	if (good) {
		lt_verifier_free(zeros.judge);  /* its data change */
		store_index(&w, zeros.data, 0, 0);
		good = !lt__check_judge(&w, zeros.data, &zeros.judge) || lt__check_fail(out, "out of memory");
		data = lt__check_data_new(w.g, &(struct check_data){ .seed = d->seed });
		store_index(&w, data, first_value, second_value);
		lt__check_guarded_new(&w, NULL, &guarded);
		good = good && lt__check_guarded_fill(&guarded, data, 0xFF) && lt__check_launch(&guarded, 0xFF, 1, &fault)
			&& lt__check_guarded_stand(&guarded, data) && is_reported(&w, &fault);
	}
	if (good && elsewhere)
		good = lt__check_guarded_judge(&guarded, &(struct check_trial){ .data = data, .judge = zeros.judge });
	else if (good && fault.value != first_value)
		good = lt__check_fail(out, "the fault record has value %lld; the first index out of range, of one thread and serial "
			"loops, is %lld", (long long)fault.value, (long long)first_value);
	lt__check_guarded_free(&guarded);
	if (data)
		lt__check_data_free(w.g, data);
	lt__check_trial_free(&w, &zeros);
	lt__check_work_close(&w);
	return good;
}

bool lt__check_errors_fault(struct check_device *d, struct check_outcome *out) { return with_fault(d, out, true); }
bool lt__check_errors_fault_value(struct check_device *d, struct check_outcome *out)
{
	return with_fault(d, out, false);
}
