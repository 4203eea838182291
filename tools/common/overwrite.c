/* overwrite.c -- files are the same if they have the same place on the disk. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "tools/common/common.h"

struct overwritten { struct lt_context *ctx; const char *to; struct stat there; };

/* "-" is standard input. */
static lt_status check_other(const struct overwritten *w, const char *input)
{
	struct stat st;
	const bool standard = !strcmp(input, "-");

	if ((standard ? fstat(STDIN_FILENO, &st) : stat(input, &st)) != 0 || st.st_dev != w->there.st_dev
			|| st.st_ino != w->there.st_ino)
		return LT_OK;
	return lt_fail(w->ctx, LT_EINVAL, "%s would be written over the input %s, which is the same file: give another "
		"name", w->to, standard ? "that is standard input" : input);
}

/* named: NAME=FILE, or NAME=SPEC; what is no file is no other file either.  all: each is a file, and else those that
 * end in .npy are. */
static lt_status check_others(const struct overwritten *w, const struct lt_texts *list, bool named, bool all)
{
	for (int32_t i = 0; list && i < list->n; i++) {
		const char *at = named ? strchr(list->at[i], '=') : list->at[i];
		const size_t n = at ? strlen(at) : 0;

		if (!at || (!all && (n < 5 || strcmp(at + n - 4, ".npy") != 0)))
			continue;
		LT_TRY(check_other(w, named ? at + 1 : at));
	}
	return LT_OK;
}

lt_status lt__overwrite_check(struct lt_context *ctx, const char *to, const struct lt_tool_inputs *in)
{
	struct overwritten w = { .ctx = ctx, .to = to };

	if (stat(to, &w.there) != 0 || !S_ISREG(w.there.st_mode))
		return LT_OK;
	if (in->model)
		LT_TRY(check_other(&w, in->model));
	if (in->schedule)
		LT_TRY(check_other(&w, in->schedule));
	LT_TRY(check_others(&w, in->read, false, true));
	LT_TRY(check_others(&w, in->weights, false, true));
	LT_TRY(check_others(&w, in->inputs, false, true));
	LT_TRY(check_others(&w, in->constant, true, false));
	LT_TRY(check_others(&w, in->input, true, false));
	return check_others(&w, in->fix, true, true);
}
