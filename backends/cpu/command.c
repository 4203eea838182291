/* backends/cpu/command.c -- running other programs side by side and keeping how their output began. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "backends/cpu/cpu.h"

extern char **environ;          /* handed on, never read */

/* A program at work: its output is read until it ends. */
struct running { struct lt_command *command; pid_t pid; int fd; };

static bool start(struct lt_command *c, struct running *r)
{
	int ends[2];
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t set;
	c->output[0] = '\0';
	c->status = -1;
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
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGCHLD);
	posix_spawnattr_setsigdefault(&attr, &set);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	c->error = c->error ? c->error : posix_spawnp(&r->pid, c->argv[0], &actions, &attr, (char *const *)c->argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	r->command = c;
	r->fd = ends[0];
	if (c->error)
		close(ends[0]);
	return c->error == 0;
}

static void finish(struct running *r)
{
	int status;
	pid_t got;
	close(r->fd);
	while ((got = waitpid(r->pid, &status, 0)) < 0 && errno == EINTR)
		;
	if (got < 0) {                  /* a host that ignores SIGCHLD: the result itself must tell */
		r->command->status = 0;
		return;
	}
	r->command->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Reads what is there; true: the program has ended. */
static bool take(struct running *r)
{
	char some[1024];
	struct lt_command *c = r->command;
	ssize_t n = read(r->fd, some, sizeof some);
	if (n < 0)
		return errno != EINTR && errno != EAGAIN;
	size_t have = strlen(c->output), room = sizeof c->output - 1 - have, used = 0;
	for (; used < (size_t)n && used < room; used++)
		c->output[have + used] = some[used] ? some[used] : '?';
	c->output[have + used] = '\0';
	return n == 0;
}

void lt__cpu_run(struct lt_command *c, uint32_t n, uint32_t width, void (*ended)(void *user), void *user)
{
	enum { MOST = 64 };
	struct running at_work[MOST];
	struct pollfd polls[MOST];
	uint32_t n_work = 0, next = 0;
	width = width < 1 ? 1 : width > MOST ? MOST : width;
	while (next < n || n_work) {
		while (next < n && n_work < width)
			n_work += start(&c[next++], &at_work[n_work]);
		for (uint32_t i = 0; i < n_work; i++)
			polls[i] = (struct pollfd){ .fd = at_work[i].fd, .events = POLLIN };
		if (n_work && poll(polls, n_work, -1) < 0 && errno != EINTR)
			for (uint32_t i = 0; i < n_work; i++)
				polls[i].revents = POLLIN;
		for (uint32_t i = n_work; i-- > 0; )
			if (polls[i].revents && take(&at_work[i])) {
				finish(&at_work[i]);
				at_work[i] = at_work[--n_work];
				if (ended)
					ended(user);
			}
	}
}

const char **lt__cpu_words(const char *text, uint32_t more, uint32_t *n)
{
	size_t bytes = strlen(text) + 1, room = bytes / 2 + 1 + more + 1;
	const char **word = malloc(room * sizeof *word + bytes);
	if (!word)
		return NULL;
	char *at = memcpy((char *)(word + room), text, bytes), *rest = NULL;
	*n = 0;
	for (char *w = strtok_r(at, " \t\n", &rest); w; w = strtok_r(NULL, " \t\n", &rest))
		word[(*n)++] = w;
	word[*n] = NULL;
	return word;
}
