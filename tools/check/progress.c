/* progress.c -- how far a suite is: one line on a terminal, written again and again, and wiped before
 * anything else is. */
#include <unistd.h>
#include "tools/check/check.h"
#include "tools/common/common.h"

void lt__check_progress_begin(struct check_progress *p, bool wanted)
{
	*p = (struct check_progress){
		.on = wanted && isatty(STDERR_FILENO), .begin = lt__check_now(), .last = lt__check_now()
	};
}

void lt__check_progress_show(struct check_progress *p, const struct check_report *r, const char *what, bool at_once)
{
	enum { EACH_MS = 500 };
	int32_t n_done = 0, n_failed = 0;
	double seconds = lt__check_now();
	if (!p->on || (!at_once && seconds - p->last < EACH_MS * 1e-3))
		return;
	p->last = seconds;
	for (int32_t i = 0; i < r->n; i++) {
		n_done += r->outcome[i].done;
		n_failed += r->outcome[i].done && r->outcome[i].status == CHECK_FAILED;
	}
	lt__say(stderr, "%d of %d cases", (int)n_done, (int)r->n);
	if (n_failed > 0)
		lt__say(stderr, ", %d failed", (int)n_failed);
	lt__say(stderr, ", %.0f s: %.40s", seconds - p->begin, what);
	(void)fputs("\033[K\r", stderr);        /* what is written next stands over it */
	(void)fflush(stderr);
	p->shown = true;
}

void lt__check_progress_wipe(struct check_progress *p)
{
	if (p->shown)
		(void)fputs("\r\033[K", stderr);
	p->shown = false;
}
