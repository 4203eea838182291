/* progress.c -- how far it is while results are judged: a line on the terminal, or one every ten seconds. */
#include <stdio.h>
#include <unistd.h>
#include "program/host/host.h"
#include "tools/common/common.h"

enum { SECOND = 1000000000, BETWEEN = 10 };

/* Where nothing can be written over. */
static void show_each_ten_seconds(struct progress_line *l, const char *what, double share)
{
	int64_t now = lt__now_ns(), since = l->written_ns > l->begin_ns ? l->written_ns : l->begin_ns;

	if (now - since < (int64_t)BETWEEN * SECOND)
		return;
	l->written_ns = now;
	lt__say(stderr, "verify%s: %s, %d %%, %d s\n", l->when, what, (int)(100 * share), (int)((now - l->begin_ns) / SECOND));
	fflush(stderr);
}

void lt__progress_show(void *line, const char *what, double share)
{
	struct progress_line *l = line;

	if (!isatty(STDERR_FILENO)) {
		show_each_ten_seconds(l, what, share);
		return;
	}
	if (lt__now_ns() - l->begin_ns < SECOND)
		return;
	fputc('\r', stderr);
	lt__say(stderr, "verify%s: %s, %d %%", l->when, what, (int)(100 * share));
	fputs("\033[K", stderr);
	fflush(stderr);
	l->shown = true;
}

void lt__progress_end(struct progress_line *l)
{
	if (l->shown)
		fputs("\r\033[K", stderr);
	l->shown = false;
}
