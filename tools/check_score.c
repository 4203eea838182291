/* tools/check_score.c -- what score answers, asked in a child: one that crashes or hangs is reported as such. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "tools/check.h"
#include "tools/interrupt.h"

struct score_answer { int32_t score; char text[600], remedy[300]; };

static void child(const struct lt_backend *b, const struct check_options *o, int fd)
{
	struct score_answer a = { .score = 0 };
	struct check_diagnostics told;
	lt__check_print_catch(-1, o->verbose);
	lt__check_diagnostics_init(&told);
	a.score = b->score(o->config, &told.diag);
	memcpy(a.text, told.text, sizeof a.text);
	memcpy(a.remedy, told.remedy, sizeof a.remedy);
	_exit(write(fd, &a, sizeof a) == (ssize_t)sizeof a ? 0 : 3);   /* in one piece, for it is less than PIPE_BUF */
}

bool lt__check_score(const struct lt_backend *b, const struct check_options *o, int32_t *score,
	struct check_diagnostics *told, char *how, size_t bytes)
{
	struct score_answer a = { .score = 0 };
	int fd, status = 0, ready;
	ssize_t n = -1;
	lt__check_diagnostics_init(told);
	pid_t pid = lt__check_fork(&fd);
	if (pid == 0)
		child(b, o, fd);
	if (pid < 0) {
		(void)snprintf(how, bytes, "it was not asked: no process can be made: %s", strerror(errno));
		return false;
	}
	while ((ready = lt__check_wait_read(fd, o->patience)) > 0 && (n = read(fd, &a, sizeof a)) < 0 && errno == EINTR)
		;
	const int lost = ready != 0 && n < 0 ? errno : 0;
	(void)close(fd);
	if (ready == 0 || lost)
		lt__check_end_child(pid);
	if (!lt__check_wait(pid, &status)) {
		(void)snprintf(how, bytes, "nothing is known of its process: %s", strerror(errno));
		return false;
	}
	if (lost)
		(void)snprintf(how, bytes, "what it answers cannot be read: %s", strerror(lost));
	else if (n != (ssize_t)sizeof a)
		lt__check_ended(o, status, ready == 0, how, bytes);
	if (n != (ssize_t)sizeof a)
		return false;
	*score = a.score;
	memcpy(told->text, a.text, sizeof a.text);
	memcpy(told->remedy, a.remedy, sizeof a.remedy);
	return true;
}
