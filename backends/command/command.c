/* command.c -- running other programs side by side, keeping how their output began, and ending those that
 * do not end. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "backends/command/command.h"

extern char **environ;          /* handed on, never read except for one name that is replaced */

/* How often a program is looked after that says nothing; one whose output has ended will end at once; how long one that
 * is asked to end has for removing its files. */
enum { TICK_MS = 50, SOON_MS = 1, GRACE_MS = 1000, MAX_JOBS = 64 };

struct running {
	struct lt_command *command;
	pid_t pid;
	int fd;                         /* its output; -1: that has ended */
	/* can be read when it has ended; -1: the system has no such thing, and it is looked after often */
	int end;
	int64_t until;                  /* ms; then it is asked to end, or (asked) made to */
	bool asked;
};

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What programs are given: ours with another TMPDIR.  One block, with the text; NULL: no memory. */
static char **make_environment(const char *folder)
{
	static const char name[] = "TMPDIR=";
	size_t n = 0, k = 0, bytes = sizeof name + strlen(folder);
	while (environ && environ[n])
		n++;
	char **out = malloc((n + 2) * sizeof *out + bytes);
	if (!out)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], name, sizeof name - 1) != 0)
			out[k++] = environ[i];
	out[k] = memcpy(out + n + 2, name, sizeof name);
	memcpy(out[k++] + sizeof name - 1, folder, strlen(folder) + 1);
	out[k] = NULL;
	return out;
}

static bool start(struct lt_command *c, struct running *r, char *const *environment, int64_t ms)
{
	int ends[2];
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t set;
	if (pipe2(ends, O_CLOEXEC) != 0) {
		c->error = errno;
		return false;
	}
	/* A host that ignores or blocks signals must not make its compilers do so. */
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	c->error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	c->error = c->error ? c->error : posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	c->error = c->error ? c->error : posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attr, &set);
	for (const int *s = (const int[]){ SIGPIPE, SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, 0 }; *s; s++)
		sigaddset(&set, *s);
	posix_spawnattr_setsigdefault(&attr, &set);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	c->error = c->error ? c->error
			    : posix_spawnp(&r->pid, c->argv[0], &actions, &attr, (char *const *)c->argv, environment);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (c->error) {
		close(ends[0]);
		return false;
	}
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	*r = (struct running){ .command = c, .pid = r->pid, .fd = ends[0],
		.end = (int)syscall(SYS_pidfd_open, r->pid, 0), .until = now_ms() + ms };
	return true;
}

/* Reads what is there, and no more than a program that ends can have left there. */
static void command_take_output(struct running *r)
{
	enum { MAX_PARTS = 128 };
	struct lt_command *c = r->command;
	for (int part = 0; r->fd >= 0 && part < MAX_PARTS; part++) {
		char some[1024];
		ssize_t n = read(r->fd, some, sizeof some);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			close(r->fd);
			r->fd = -1;
			return;
		}
		size_t have = strlen(c->output), cap = sizeof c->output - 1 - have, used = 0;
		for (; used < (size_t)n && used < cap; used++)
			c->output[have + used] = some[used] ? some[used] : '?';
		c->output[have + used] = '\0';
	}
}

/* Whether it has ended; it keeps its number, which is that of its group. */
static bool has_ended(const struct running *r)
{
	siginfo_t info = { .si_pid = 0 };
	int got = waitid(P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT);
	return got == 0 ? info.si_pid == r->pid : errno != EINTR;
}

static void command_finish(struct running *r)
{
	int status;
	pid_t got;
	command_take_output(r);
	if (r->fd >= 0)
		close(r->fd);
	if (r->end >= 0)
		close(r->end);
	if (r->asked)                   /* what it leaves after of its group */
		(void)kill(-r->pid, SIGKILL);
	while ((got = waitpid(r->pid, &status, 0)) < 0 && errno == EINTR)
		;
	if (got < 0) {                  /* a host that ignores SIGCHLD: the result itself must show it */
		r->command->status = 0;
		return;
	}
	r->command->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* First asked, so that it removes what it has made; then made to. */
static void end_group(struct running *r)
{
	(void)kill(-r->pid, r->asked ? SIGKILL : SIGTERM);
	(void)kill(-r->pid, SIGCONT);
	r->asked = true;
	r->until = now_ms() + GRACE_MS;
}

/* Until something happens, or somebody has to be looked after. */
static void wait_some(const struct running *r, uint32_t n)
{
	struct pollfd polls[2 * MAX_JOBS];
	int ms = TICK_MS;
	int64_t now = now_ms();
	for (uint32_t i = 0; i < n; i++) {
		int64_t left = r[i].fd < 0 && r[i].end < 0 ? SOON_MS : r[i].until - now;
		ms = left < ms ? left < 0 ? 0 : (int)left : ms;
		polls[2 * i] = (struct pollfd){ .fd = r[i].fd, .events = POLLIN };
		polls[2 * i + 1] = (struct pollfd){ .fd = r[i].end, .events = POLLIN };
	}
	(void)poll(polls, 2 * n, ms);
}

bool lt__command_run(struct lt_command *c, uint32_t n, uint32_t width, const struct lt_command_limits *limits,
	void (*ended)(void *), void *user)
{
	struct running work[MAX_JOBS];
	uint32_t n_work = 0, next = 0;
	int64_t ms = limits->ms ? limits->ms : LT_CC_TIMEOUT_MS;
	char **environment = limits->folder ? make_environment(limits->folder) : environ;
	bool cancelled = false, ends = false;
	width = width < 1 ? 1 : width > MAX_JOBS ? MAX_JOBS : width;
	for (uint32_t i = 0; i < n; i++) {
		c[i].status = -1;
		c[i].error = environment ? ECANCELED : ENOMEM;
		c[i].output[0] = '\0';
		c[i].late = false;
	}
	while (environment && (n_work || (next < n && !cancelled))) {
		if (!cancelled && limits->cancelled && limits->cancelled(limits->user)) {
			cancelled = ends = true;
			for (uint32_t i = 0; i < n_work; i++)
				end_group(&work[i]);
		}
		while (next < n && n_work < width && !cancelled)
			n_work += start(&c[next++], &work[n_work], environment, ms);
		wait_some(work, n_work);
		for (uint32_t i = n_work; i-- > 0; ) {
			command_take_output(&work[i]);
			if (has_ended(&work[i])) {
				command_finish(&work[i]);
				work[i] = work[--n_work];
				if (ended && !cancelled)
					ended(user);
			} else if (now_ms() >= work[i].until) {
				work[i].command->late = ends = true;
				end_group(&work[i]);
			}
		}
	}
	if (ends && limits->folder)     /* those that have left their group */
		lt__folder_end_users(limits->folder);
	if (environment != environ)
		free(environment);
	return !cancelled;
}

const char **lt__command_words(const char *text, uint32_t more, uint32_t *n)
{
	size_t bytes = strlen(text) + 1, cap = bytes / 2 + 1 + more + 1;
	const char **word = malloc(cap * sizeof *word + bytes);
	if (!word)
		return NULL;
	char *at = memcpy((char *)(word + cap), text, bytes), *remainder = NULL;
	*n = 0;
	for (char *w = strtok_r(at, " \t\n", &remainder); w; w = strtok_r(NULL, " \t\n", &remainder))
		word[(*n)++] = w;
	word[*n] = NULL;
	return word;
}
