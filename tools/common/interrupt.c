/* interrupt.c -- signals that end the process, and leave nothing: at once, or noted while something is brought to its
 * end.
 *
 * Signals are the process's, so what is known of them is, too.
 */
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "backends/command/command.h"
#include "tools/common/common.h"

enum { N_SIGNAL = 4 };
static const int caught[N_SIGNAL] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static struct sigaction before[N_SIGNAL], alarm_before;
static int depth;
static bool held;
static pid_t owner;                     /* not a child of it that has begun nothing itself */
static char unfinished[4096];           /* a file that is not whole yet; "": none */
static volatile sig_atomic_t interrupted, patience;

/* Where the signal is held back, it comes when the handler has returned. */
static void end_by(int signal_number)
{
	if (getpid() == owner) {
		if (unfinished[0])
			(void)unlink(unfinished);
		lt__folder_leave_none();
	}
	(void)signal(signal_number, SIG_DFL);
	(void)raise(signal_number);
}

static void end_late(int signal_number)
{
	(void)signal_number;
	end_by(interrupted);
}

/* 0: without an end. */
static void wait_for(int ms)
{
	const struct itimerval t = { .it_value = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 } };

	(void)setitimer(ITIMER_REAL, &t, NULL);
}

/* SIGALRM stays the caller's until the process is sure to end. */
static void interrupt_signal(int signal_number)
{
	struct sigaction late = { .sa_handler = end_late };

	if (interrupted == signal_number)
		end_by(signal_number);
	if (interrupted)
		return;
	interrupted = signal_number;
	(void)sigaction(SIGALRM, &late, &alarm_before);
	wait_for(patience);
}

void lt__interrupt_begin(void)
{
	struct sigaction a = { .sa_handler = end_by }, is;

	owner = getpid();
	for (int i = 0; i < N_SIGNAL; i++)
		if (sigaction(caught[i], NULL, &is) == 0 && is.sa_handler == SIG_DFL)
			(void)sigaction(caught[i], &a, NULL);
}

void lt__interrupt_unfinished(const char *path)
{
	unfinished[0] = '\0';
	if (path && strlen(path) < sizeof unfinished) {
		memcpy(unfinished + 1, path + 1, strlen(path));
		unfinished[0] = path[0];
	}
}

void lt__interrupt_catch(unsigned ms)
{
	/* No SA_RESTART: what waits, such as poll, comes back. */
	struct sigaction a = { .sa_handler = interrupt_signal };

	if (depth++ > 0)
		return;
	/* One that comes while another one is noted waits: both would keep the action of SIGALRM. */
	for (int i = 0; i < N_SIGNAL; i++)
		(void)sigaddset(&a.sa_mask, caught[i]);
	interrupted = 0;
	owner = getpid();
	patience = (sig_atomic_t)ms;
	for (int i = 0; i < N_SIGNAL; i++)
		if (sigaction(caught[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
			(void)sigaction(caught[i], &a, NULL);
}

int lt__interrupted(void *user)
{
	(void)user;
	return held ? 0 : interrupted;
}

void lt__interrupt_hold(bool hold) { held = hold; }

static void restore(void)
{
	for (int i = 0; i < N_SIGNAL; i++)
		if (before[i].sa_handler != SIG_IGN)
			(void)sigaction(caught[i], &before[i], NULL);
}

void lt__interrupt_release(void)
{
	if (depth == 0 || --depth > 0)
		return;
	restore();
	if (interrupted) {
		sigset_t set;

		wait_for(0);
		end_by(interrupted);
		/* Somebody has blocked it. */
		sigemptyset(&set);
		sigaddset(&set, interrupted);
		(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
		_exit(128 + interrupted);
	}
}

void lt__interrupt_forget(void)
{
	if (depth > 0)
		restore();
	if (depth > 0 && interrupted)
		(void)sigaction(SIGALRM, &alarm_before, NULL);
	depth = 0;
	held = false;
	interrupted = 0;
	unfinished[0] = '\0';
	lt__folder_disown();
	owner = getpid();
}
