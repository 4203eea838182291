/* progress.c -- a line on the terminal while results are judged. */
#include <stdio.h>
#include "program/host/host.h"
#include "tools/common/common.h"

void lt__progress_show(void *line, const char *what, double share)
{
	struct progress_line *l = line;

	if (lt__now_ns() - l->begin_ns < 1000000000)
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
