/* tools/check_errors.c -- wrong use, and data out of range: told, and nothing left after. */
#include <stdlib.h>
#include <string.h>
#include "check/compare.h"
#include "tools/check_parts.h"

void lt__check_errors_config(struct check_device *d, const struct check_case *clause, struct check_outcome *out)
{
	static const char word[] = "no_such_word_of_any_backend";
	struct check_diagnostics told;
	struct lt_session *session = (struct lt_session *)(void *)out;  /* a failure has to make it NULL */
	(void)clause;
	lt__check_diagnostics_init(&told);
	lt_status st = d->backend->open(&d->host, word, &session, &told.diag);
	if (!st) {
		if (session)
			d->backend->close(session);
		(void)lt__check_end(out, CHECK_FAILED, "open takes the config '%s', a word that it cannot know", word);
	} else if (session) {
		(void)lt__check_end(out, CHECK_FAILED, "open fails with %s and leaves a session behind", lt_status_name(st));
	} else if (st != LT_EINVAL) {
		(void)lt__check_end(out, CHECK_FAILED, "open answers %s to an unknown config, not LT_EINVAL", lt_status_name(st));
	} else if (!told.text[0]) {
		(void)lt__check_end(out, CHECK_FAILED, "open refuses an unknown config and says nothing");
	} else if (!strstr(told.text, word)) {
		(void)lt__check_end(out, CHECK_FAILED, "open refuses an unknown config and does not name the word: %s", told.text);
	}
}

/* -- wrong args -- */

enum wrong { FEWER_SLOTS, MORE_SLOTS, SMALL_SLOT, NO_WORKSPACE };

/* One run with something wrong: refused, told, and nothing is written. */
static bool run_wrong(struct check_work *w, const struct check_trial *t, enum wrong what, int32_t at)
{
	int32_t nest = lt__check_nest(w), n = w->p->nests.frozen[nest].n_bind;
	struct check_args a = { .slot = NULL };
	struct lt_fault fault = { 0, -1, -1, 0 };
	struct check_guarded room, before;
	struct check_diagnostics told;
	lt__check_guarded_new(w, 0, &room);
	lt__check_guarded_new(w, 0, &before);
	bool good = lt__check_guarded_run(&room, t, 0x5A, 0x5A, 1) && lt__check_guarded_fill(&room, t->data, 0x5A)
		&& lt__check_guarded_fill(&before, t->data, 0x5A) && lt__check_args_new(&room, nest, 0x5A, 1, &fault, &a);
	if (good) {
		lt__check_diagnostics_init(&told);
		a.slot[n] = a.slot[n > 0 ? n - 1 : 0];
		a.slot[at].bytes -= what == SMALL_SLOT;
		a.args.n_slot = (uint32_t)(n - (what == FEWER_SLOTS) + (what == MORE_SLOTS));
		a.args.workspace = what == NO_WORKSPACE ? NULL : a.args.workspace;
		lt_status st = w->device->backend->run(w->object[nest], &a.args, &told.diag);
		if (!st)
			good = lt__check_end(w->out, CHECK_FAILED, what == SMALL_SLOT ? "a run with slot %d a byte too small succeeds"
				: what == NO_WORKSPACE ? "a run without a workspace succeeds, and need() says that there must be one (%d)"
				: "a run with another number of slots than the tree's succeeds (%d)", (int)at);
		else if (!told.text[0])
			good = lt__check_end(w->out, CHECK_FAILED, "a run with wrong args answers %s and says nothing", lt_status_name(st));
		good = good && lt__check_guarded_stand(&room, t->data);
		for (int32_t i = 0; good && i < room.n; i++)
			if (memcmp(room.block[i].block, before.block[i].block, room.block[i].total))
				good = lt__check_end(w->out, CHECK_FAILED, "a run that fails with %s has written to a buffer", lt_status_name(st));
	}
	good = lt__check_args_end(w, &a) && good;
	lt__check_guarded_free(&room);
	lt__check_guarded_free(&before);
	return good;
}

static bool slots(struct check_work *w, const struct check_trial *t)
{
	return run_wrong(w, t, FEWER_SLOTS, 0) && run_wrong(w, t, MORE_SLOTS, 0);
}

static bool small_slot(struct check_work *w, const struct check_trial *t)
{
	int32_t n = w->p->nests.frozen[lt__check_nest(w)].n_bind;
	bool good = true;
	for (int32_t i = 0; good && i < n; i++)
		good = run_wrong(w, t, SMALL_SLOT, i);
	return good;
}

static bool workspace(struct check_work *w, const struct check_trial *t)
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
	return (struct check_case){ .name = "gather",
		.group = CHECK_gather,
		.spec = { .dtype = LT_F32,
			.schedule = CHECK_PLAIN,
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
		return lt__check_end(w->out, CHECK_FAILED, "an index is out of range and the fault record is not set");
	if (f->stmt < 0 || f->stmt >= (int32_t)t->stmts.n || f->access < 0 || f->access >= (int32_t)t->accesses.n)
		return lt__check_end(w->out, CHECK_FAILED, "the fault record names statement %d of %u, access %d of %u", (int)f->stmt,
			(unsigned)t->stmts.n, (int)f->access, (unsigned)t->accesses.n);
	if (LT_AT(struct lt_access, t->accesses, f->access)->index < 0)
		return lt__check_end(w->out, CHECK_FAILED, "the fault record names access %d, which is not a gather", (int)f->access);
	if (f->value != first_value && f->value != second_value)
		return lt__check_end(w->out, CHECK_FAILED, "the fault record has value %lld, which is not an index",
			(long long)f->value);
	return true;
}

/* fn: with the room as it is after a run with two indices out of range, data with 0 in their place. */
static void with_fault(
	struct check_device *d, const struct check_case *clause, struct check_outcome *out, bool elsewhere)
{
	const struct check_case gather = gather_for(d);
	struct check_work w;
	struct check_trial good_data = { 0 };
	struct check_guarded room = { 0 };
	struct lt_fault fault = { 0, -1, -1, 0 };
	void **data = NULL;
	if (lt__check_work_open(&w, d, &gather, clause->seed, out) && lt__check_work_compile(&w)) {
		const struct check_data how = { clause->seed, 0, 0, false };
		data = lt__check_data_new(w.g, &how);
		store_index(&w, data, 0, 0);
		good_data.data = lt__check_data_new(w.g, &how);         /* the judge's own: the others change */
		store_index(&w, good_data.data, 0, 0);
		(void)lt__judge_new(w.g, (const void *const *)good_data.data, NULL, &good_data.judge);
		lt__check_guarded_new(&w, 0, &room);
		store_index(&w, data, first_value, second_value);
		bool good = good_data.judge && lt__check_guarded_fill(&room, data, 0xFF) && lt__check_launch(&room, 0xFF, 1, &fault)
			&& lt__check_guarded_stand(&room, data) && is_reported(&w, &fault);
		if (good && elsewhere)
			(void)lt__check_guarded_judge(&room, &(struct check_trial){ data, good_data.judge });
		else if (good && fault.value != first_value)
			(void)lt__check_end(out, CHECK_FAILED, "the fault record has value %lld; the first index out of range, of one "
				"thread and serial loops, is %lld", (long long)fault.value, (long long)first_value);
	}
	lt__check_guarded_free(&room);
	lt__judge_free(good_data.judge);
	lt__check_data_free(w.g, good_data.data);
	if (data)
		lt__check_data_free(w.g, data);
	lt__check_work_close(&w);
}

void lt__check_errors_fault(struct check_device *d, const struct check_case *c, struct check_outcome *out)
{
	with_fault(d, c, out, true);
}
void lt__check_errors_fault_value(struct check_device *d, const struct check_case *c, struct check_outcome *out)
{
	with_fault(d, c, out, false);
}

#define CLAUSE(name, function, which) \
	void lt__check_errors_##name(struct check_device *d, const struct check_case *c, struct check_outcome *out) \
	{ lt__check_samples(d, c, out, which, function); }
CLAUSE(slots, slots, CHECK_S_CHAIN | CHECK_S_PARAM)
CLAUSE(small_slot, small_slot, CHECK_S_CHAIN | CHECK_S_SUM)
CLAUSE(workspace, workspace, CHECK_S_ALL)
