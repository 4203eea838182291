/* tools/check_score.c -- what score answers, asked in a child: one that crashes or hangs is told as such. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/check.h"

struct answer { int32_t score; char text[600], remedy[300]; };

static void child(const struct lt_backend *b, const struct check_options *o, int fd)
{
	struct answer a = { .score = 0 };
	struct check_told told;
	lt__check_no_core();
	lt__check_print_catch(-1, o->verbose);
	(void)setpgid(0, 0);
	lt__check_told_init(&told);
	a.score = b->score(o->config, &told.diag);
	memcpy(a.text, told.text, sizeof a.text);
	memcpy(a.remedy, told.remedy, sizeof a.remedy);
	_exit(write(fd, &a, sizeof a) == (ssize_t)sizeof a ? 0 : 3);   /* in one piece, for it is less than PIPE_BUF */
}

bool lt__check_score(const struct lt_backend *b, const struct check_options *o, int32_t *score, struct check_told *told, char *how, size_t bytes)
{
	struct answer a = { .score = 0 };
	int pipes[2], status = 0, ready;
	ssize_t n = 0;
	lt__check_told_init(told);
	(void)fflush(NULL);
	if (pipe(pipes)) {
		(void)snprintf(how, bytes, "no process can be made: %s", strerror(errno));
		return false;
	}
	pid_t pid = fork();
	if (pid == 0) {
		(void)close(pipes[0]);
		child(b, o, pipes[1]);
	}
	(void)close(pipes[1]);
	struct pollfd f = { .fd = pipes[0], .events = POLLIN };
	do
		ready = pid > 0 ? poll(&f, 1, (int)(o->patience * 1000)) : -1;
	while (pid > 0 && ready < 0 && errno == EINTR);
	while (ready > 0 && (n = read(pipes[0], &a, sizeof a)) < 0 && errno == EINTR)
		;
	(void)close(pipes[0]);
	if (pid > 0 && ready == 0) {
		(void)kill(-pid, SIGKILL);
		(void)kill(pid, SIGKILL);
	}
	bool ended = pid > 0 && waitpid(pid, &status, 0) == pid;
	if (!ended) {
		(void)snprintf(how, bytes, "no process can be made: %s", strerror(errno));
	} else if (n != (ssize_t)sizeof a) {
		lt__check_ended(o, status, ready == 0, how, bytes);
		return false;
	}
	*score = a.score;
	memcpy(told->text, a.text, sizeof a.text);
	memcpy(told->remedy, a.remedy, sizeof a.remedy);
	return ended;
}
