/* fork.c -- child processes of lt-check: begun, listened to, ended with all that they have started.
 * (js/check/process.c has the same where a process is an instance of a module of WebAssembly.) */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/check/check.h"
#include "tools/common/common.h"

const struct check_system lt__check_has = { .pages = true, .threads = true, .json = true, .compiler = true };

pid_t lt__check_fork(void (*body)(void *user, int fd), void *user, int *fd)
{
	int pipes[2];
	const struct rlimit none = { 0, 0 };
	pid_t parent = getpid(), pid;

	(void)fflush(NULL);
	/* Where whoever began lt-check ignores it, nobody is reported how a child ended. */
	(void)signal(SIGCHLD, SIG_DFL);
	if (pipe(pipes))
		return -1;
	pid = fork();
	if (pid != 0) {
		int error = errno;
		(void)close(pipes[1]);
		*fd = pipes[0];
		if (pid < 0)
			(void)close(pipes[0]);
		errno = error;
		return pid;
	}
	(void)close(pipes[0]);
	*fd = pipes[1];
	(void)setrlimit(RLIMIT_CORE, &none);    /* no core file of each crash */
	(void)setpgid(0, 0);
	/* What it has started is ended by it: a compiler is in a group of its own, and is asked for by lt_host.cancelled. */
	lt__interrupt_forget();
	lt__interrupt_catch(LT_INTERRUPT_MS);
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(3);
	body(user, *fd);
	_exit(0);
}

int lt__check_wait_read(int fd, double seconds)
{
	enum { SLICE = 50 };           /* ms: how long a signal may be overlooked that comes just before poll */
	int64_t until = lt__now_ns() + (int64_t)(seconds * 1e9);

	while (!lt__interrupted(NULL)) {
		struct pollfd f = { .fd = fd, .events = POLLIN };
		int64_t left = (until - lt__now_ns() + 999999) / 1000000;
		int ready = poll(&f, 1, left < SLICE ? left > 0 ? (int)left : 0 : SLICE);
		if (ready > 0 || (ready == 0 && left <= 0) || (ready < 0 && errno != EINTR))
			return ready;
	}
	errno = EINTR;
	return -1;
}

bool lt__check_wait(pid_t pid, int *status)
{
	pid_t got;

	while ((got = waitpid(pid, status, 0)) < 0 && errno == EINTR)
		;
	return got == pid;
}

/* Members that may run other programs, which have to be ended first. */
static bool has_programs(void)
{
	static const char *const some[] = { "open", "compile", "dump", "describe", "identity", NULL };
	const char *member = lt__check_calls_in();
	for (int i = 0; member && some[i]; i++)
		if (!strcmp(member, some[i]))
			return true;
	return false;
}

void lt__check_end_child(pid_t pid)
{
	enum { GRACE = 2500, STEP = 5 };        /* ms */
	siginfo_t info = { .si_pid = 0 };

	if (has_programs()) {
		(void)kill(pid, SIGTERM);
		for (int ms = 0; ms < GRACE && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0
			&& info.si_pid == 0;
			ms += STEP)
			(void)poll(NULL, 0, STEP);
	}
	(void)kill(-pid, SIGKILL);
	(void)kill(pid, SIGKILL);
}
