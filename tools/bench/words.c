/* words.c -- a program as it is called: where it is, and its words. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/bench/start.h"

lt_status bench_program_beside(struct lt_context *ctx, const char *name, const char *suite, char **out)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
	char *slash;

	*out = NULL;
	if (n <= 0)
		return lt_fail(ctx, LT_EIO, "lt-bench does not find its own folder, where %s is: %s", name, strerror(errno));
	path[n] = 0;
	slash = strrchr(path, '/');
	snprintf(slash ? slash + 1 : path, 60, "%s", name);
	*out = lt__must_format("%s", path);
	return access(path, X_OK) ? lt_fail(ctx, LT_EIO, "there is no '%s': the suite %s runs it", path, suite) : LT_OK;
}

void bench_word_add(struct bench_words *w, char *text)
{
	w->at = lt__must_grow(w->at, w->n, &w->cap, sizeof *w->at);
	w->at[w->n++] = text;
}

void bench_words_free(struct bench_words *w)
{
	for (int i = 0; i < w->n; i++)
		free(w->at[i]);
	free(w->at);
	*w = (struct bench_words){ .n = 0 };
}

void bench_option_add(struct bench_words *w, const char *option, char *value)
{
	bench_word_add(w, lt__must_format("%s", option));
	bench_word_add(w, value);
}
