/* slots.c -- the memory of a run. */
#include "tools/check/parts.h"

bool lt__check_slots_sentinels(struct check_work *w, const struct check_trial *t)
{
	bool good = true;
	for (uint32_t threads = 1; good && threads <= 3; threads++)
		good = lt__check_one_run(w, t, 0xFF, 0xFF, threads);
	return good;
}

bool lt__check_slots_alignment(struct check_work *w, const struct check_trial *t)
{
	struct check_how how = { .poison = 0x5A, .fill = 0x5A, .n_thread = 1 };
	while (how.odd < 8 && lt__check_run_by(w, t, &how))
		how.odd++;
	return how.odd == 8;
}

bool lt__check_slots_async(struct check_work *w, const struct check_trial *t)
{
	return lt__check_run_by(w, t, &(struct check_how){ .poison = 0x5A, .fill = 0x5A, .n_thread = 1, .async = true });
}

/* Whoever reads beside a slot crashes. */
bool lt__check_slots_page(struct check_work *w, const struct check_trial *t)
{
	struct check_how how = { .poison = 0x5A, .fill = 0x5A, .n_thread = 1, .page = CHECK_PAGE_AFTER };
	if (LT_HAS(struct lt_caps, w->device->caps, device_memory))
		return lt__check_end(w->out, CHECK_SKIPPED, "its memory is the device's");
	if (!lt__check_has.pages)
		return lt__check_end(w->out, CHECK_SKIPPED, "memory has no pages here that can be closed");
	bool good = lt__check_run_by(w, t, &how);
	how.page = CHECK_PAGE_BEFORE;
	return good && lt__check_run_by(w, t, &how);
}

/* Garbage of several kinds: 0xFF is NaN and -1, 0x7F a large number. */
bool lt__check_slots_workspace(struct check_work *w, const struct check_trial *t)
{
	static const int fill[] = { 0x00, 0xFF, 0x7F, 0x01 };
	struct check_guarded first;
	struct check_how how = { .poison = 0x5A, .n_thread = 1, .like = &first,
		.why = "when the workspace holds other garbage" };
	lt__check_guarded_new(w, NULL, &first);
	bool good = lt__check_guarded_run(&first, t, 0x5A, 0x00, 1);
	for (int i = 0; good && i < 4; i++) {
		how.fill = fill[i];
		good = lt__check_run_by(w, t, &how);
		for (uint32_t threads = 2; good && threads <= 3; threads++)
			good = lt__check_one_run(w, t, 0x5A, fill[i], threads);
	}
	lt__check_guarded_free(&first);
	return good;
}

bool lt__check_slots_unwritten(struct check_work *w, const struct check_trial *t)
{
	struct check_guarded first, second;
	lt__check_guarded_new(w, NULL, &first);
	lt__check_guarded_new(w, NULL, &second);
	bool good = lt__check_guarded_run(&first, t, 0xFF, 0, 1) && lt__check_guarded_run(&second, t, 0x5A, 0, 1)
		&& lt__check_compare(&first, t->judge, &second)
		&& lt__check_same_bits(&first, &second, t->judge, "when its outputs held something else");
	lt__check_guarded_free(&first);
	lt__check_guarded_free(&second);
	return good;
}

bool lt__check_slots_again(struct check_work *w, const struct check_trial *t)
{
	struct check_guarded first;
	const struct check_how how = { .poison = 0x5A, .fill = 0x5A, .n_thread = 1, .like = &first,
		.why = "when it is run again" };
	lt__check_guarded_new(w, NULL, &first);
	bool good = lt__check_guarded_run(&first, t, 0x5A, 0x5A, 1);
	for (int i = 0; good && i < 10; i++)
		good = lt__check_run_by(w, t, &how);
	lt__check_guarded_free(&first);
	return good;
}

/* Two sets of data in turn. */
bool lt__check_slots_interleaved(struct check_work *w, const struct check_trial *t)
{
	struct check_trial other;
	bool good = lt__check_trial_new(w, 1, w->seed + 7, &other);
	for (int i = 0; good && i < 8; i++)
		good = lt__check_one_run(w, i % 2 ? &other : t, 0xFF, 0xFF, 1);
	lt__check_trial_free(w, &other);
	return good;
}
