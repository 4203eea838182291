/* tools/check_slots.c -- the memory of a run. */
#include "tools/check_parts.h"

static bool sentinels(struct check_work *w, const struct check_trial *t)
{
	bool good = true;
	for (uint32_t threads = 1; good && threads <= 3; threads++)
		good = lt__check_one_run(w, t, 0xFF, 0xFF, threads);
	return good;
}

/* Each at another place of the same alignment; async: each step enqueued, and waited for. */
static bool run_odd(struct check_work *w, const struct check_trial *t, int odd, bool async)
{
	struct check_guarded room;
	lt__check_guarded_new(w, odd, &room);
	room.async = async;
	bool good = lt__check_guarded_run(&room, t, 0x5A, 0x5A, 1) && lt__check_guarded_judge(&room, t);
	lt__check_guarded_free(&room);
	return good;
}

static bool alignment(struct check_work *w, const struct check_trial *t)
{
	bool good = true;
	for (int odd = 0; good && odd < 8; odd++)
		good = run_odd(w, t, odd, false);
	return good;
}

static bool async(struct check_work *w, const struct check_trial *t) { return run_odd(w, t, 0, true); }

/* Garbage of several kinds: 0xFF is NaN and -1, 0x7F a large number. */
static bool workspace(struct check_work *w, const struct check_trial *t)
{
	static const int fill[] = { 0x00, 0xFF, 0x7F, 0x01 };
	struct check_guarded first;
	lt__check_guarded_new(w, 0, &first);
	bool good = lt__check_guarded_run(&first, t, 0x5A, 0x00, 1);
	for (int i = 0; good && i < 4; i++) {
		good = lt__check_same_run(&first, w, t, 0x5A, fill[i], "when the workspace holds other garbage");
		for (uint32_t threads = 2; good && threads <= 3; threads++)
			good = lt__check_one_run(w, t, 0x5A, fill[i], threads);
	}
	lt__check_guarded_free(&first);
	return good;
}

static bool unwritten(struct check_work *w, const struct check_trial *t)
{
	struct check_guarded first, second;
	lt__check_guarded_new(w, 0, &first);
	lt__check_guarded_new(w, 0, &second);
	bool good = lt__check_guarded_run(&first, t, 0xFF, 0, 1) && lt__check_guarded_run(&second, t, 0x5A, 0, 1)
		&& lt__check_compare(&first, t->judge, t->data, &second)
		&& lt__check_same_bits(&first, &second, t->judge, "when its outputs held something else");
	lt__check_guarded_free(&first);
	lt__check_guarded_free(&second);
	return good;
}

static bool again(struct check_work *w, const struct check_trial *t)
{
	struct check_guarded first;
	lt__check_guarded_new(w, 0, &first);
	bool good = lt__check_guarded_run(&first, t, 0x5A, 0x5A, 1);
	for (int i = 0; good && i < 10; i++)
		good = lt__check_same_run(&first, w, t, 0x5A, 0x5A, "when it is run again");
	lt__check_guarded_free(&first);
	return good;
}

/* Two sets of data in turn. */
static bool interleaved(struct check_work *w, const struct check_trial *t)
{
	struct check_trial other;
	bool good = lt__check_trial_new(w, 1, w->seed + 7, &other);
	for (int i = 0; good && i < 8; i++)
		good = lt__check_one_run(w, i % 2 ? &other : t, 0xFF, 0xFF, 1);
	lt__check_trial_free(w, &other);
	return good;
}

#define CLAUSE(name, which) \
	void lt__check_slots_##name(struct check_device *d, const struct check_case *c, struct check_outcome *out) \
	{ lt__check_samples(d, c, out, which, name); }
CLAUSE(sentinels, CHECK_S_ALL)
CLAUSE(alignment, CHECK_S_ALL)
CLAUSE(workspace, CHECK_S_BASIC)
CLAUSE(unwritten, CHECK_S_ALL)
CLAUSE(again, CHECK_S_BASIC)
CLAUSE(interleaved, CHECK_S_ALL)
CLAUSE(async, CHECK_S_BASIC)
