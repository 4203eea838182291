/* tools/check_slots.c -- the memory of a run. */
#include "tools/check_parts.h"

static bool sentinels(struct check_work *w)
{
	struct check_trial t;
	struct check_guarded room;
	struct lt_fault fault;
	bool good = lt__check_trial_new(w, 0, w->seed, &t);
	for (uint32_t threads = 1; good && threads <= 3; threads++) {
		lt__check_guarded_new(w, 0, &room);
		good = lt__check_guarded_fill(&room, t.data, 0xFF) && lt__check_launch(&room, 0xFF, threads, &fault) && lt__check_guarded_stand(&room, t.data);
		lt__check_guarded_free(&room);
	}
	lt__check_trial_free(w, &t);
	return good;
}

static bool alignment(struct check_work *w)
{
	struct check_trial t;
	struct check_guarded room;
	struct lt_fault fault;
	bool good = lt__check_trial_new(w, 0, w->seed, &t);
	for (int odd = 0; good && odd < 8; odd++) {
		lt__check_guarded_new(w, odd, &room);
		good = lt__check_guarded_fill(&room, t.data, 0x5A) && lt__check_launch(&room, 0x5A, 1, &fault) && lt__check_guarded_stand(&room, t.data)
			&& lt__check_compare(&room, t.judge, t.data, NULL);
		lt__check_guarded_free(&room);
	}
	lt__check_trial_free(w, &t);
	return good;
}

/* Garbage of several kinds: 0xFF is NaN and -1, 0x7F a large number. */
static bool workspace(struct check_work *w)
{
	static const int fill[] = { 0x00, 0xFF, 0x7F, 0x01 };
	struct check_trial t;
	struct check_guarded first, room;
	struct lt_fault fault;
	bool good = lt__check_trial_new(w, 0, w->seed, &t);
	lt__check_guarded_new(w, 0, &first);
	for (int i = 0; good && i < 4; i++)
		for (uint32_t threads = 1; good && threads <= 3; threads++) {
			lt__check_guarded_new(w, 0, &room);
			good = lt__check_guarded_fill(&room, t.data, 0x5A) && lt__check_launch(&room, fill[i], threads, &fault)
				&& lt__check_guarded_stand(&room, t.data) && lt__check_compare(&room, t.judge, t.data, NULL);
			lt__check_guarded_free(&room);
		}
	good = good && lt__check_guarded_fill(&first, t.data, 0x5A) && lt__check_launch(&first, 0x00, 1, &fault) && lt__check_guarded_stand(&first, t.data);
	for (int i = 1; good && i < 4; i++) {
		lt__check_guarded_new(w, 0, &room);
		good = lt__check_guarded_fill(&room, t.data, 0x5A) && lt__check_launch(&room, fill[i], 1, &fault) && lt__check_guarded_stand(&room, t.data)
			&& lt__check_same_bits(&first, &room, t.judge, "when the workspace holds other garbage");
		lt__check_guarded_free(&room);
	}
	lt__check_guarded_free(&first);
	lt__check_trial_free(w, &t);
	return good;
}

static bool unwritten(struct check_work *w)
{
	struct check_trial t;
	struct check_guarded first, second;
	struct lt_fault fault;
	bool good = lt__check_trial_new(w, 0, w->seed, &t);
	lt__check_guarded_new(w, 0, &first);
	lt__check_guarded_new(w, 0, &second);
	good = good && lt__check_guarded_fill(&first, t.data, 0xFF) && lt__check_launch(&first, 0, 1, &fault) && lt__check_guarded_stand(&first, t.data)
		&& lt__check_guarded_fill(&second, t.data, 0x5A) && lt__check_launch(&second, 0, 1, &fault) && lt__check_guarded_stand(&second, t.data)
		&& lt__check_compare(&first, t.judge, t.data, &second) && lt__check_same_bits(&first, &second, t.judge, "when its outputs held something else");
	lt__check_guarded_free(&first);
	lt__check_guarded_free(&second);
	lt__check_trial_free(w, &t);
	return good;
}

static bool again(struct check_work *w)
{
	struct check_trial t;
	struct check_guarded first, room;
	struct lt_fault fault;
	bool good = lt__check_trial_new(w, 0, w->seed, &t);
	lt__check_guarded_new(w, 0, &first);
	lt__check_guarded_new(w, 0, &room);
	good = good && lt__check_guarded_fill(&first, t.data, 0x5A) && lt__check_launch(&first, 0x5A, 1, &fault) && lt__check_guarded_stand(&first, t.data);
	for (int i = 0; good && i < 10; i++)
		good = lt__check_guarded_fill(&room, t.data, 0x5A) && lt__check_launch(&room, 0x5A, 1, &fault) && lt__check_guarded_stand(&room, t.data)
			&& lt__check_same_bits(&first, &room, t.judge, "when it is run again");
	lt__check_guarded_free(&first);
	lt__check_guarded_free(&room);
	lt__check_trial_free(w, &t);
	return good;
}

/* Two sets of data in turn. */
static bool interleaved(struct check_work *w)
{
	struct check_trial t[2] = { { 0 } };
	bool good = lt__check_trial_new(w, 0, w->seed, &t[0]) && lt__check_trial_new(w, 1, w->seed + 7, &t[1]);
	for (int i = 0; good && i < 8; i++)
		good = lt__check_one_run(w, &t[i % 2], 0xFF, 0xFF, 1);
	lt__check_trial_free(w, &t[0]);
	lt__check_trial_free(w, &t[1]);
	return good;
}

/* Each step enqueued, and waited for. */
static bool async(struct check_work *w)
{
	struct check_trial t;
	struct check_guarded room;
	struct lt_fault fault;
	bool good = lt__check_trial_new(w, 0, w->seed, &t);
	lt__check_guarded_new(w, 0, &room);
	room.async = true;
	good = good && lt__check_guarded_fill(&room, t.data, 0x5A) && lt__check_launch(&room, 0x5A, 1, &fault) && lt__check_guarded_stand(&room, t.data)
		&& lt__check_compare(&room, t.judge, t.data, NULL);
	lt__check_guarded_free(&room);
	lt__check_trial_free(w, &t);
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
