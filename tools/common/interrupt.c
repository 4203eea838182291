/* interrupt.c -- signals that are noted while there is something to clean up.
 *
 * Signals are the process's, so what is known of them is, too.
 */
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include "tools/common/common.h"

enum { N_SIGNAL = 4 };
static const int caught[N_SIGNAL] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static struct sigaction before[N_SIGNAL], alarm_before;
static int depth;
static bool held;
static volatile sig_atomic_t interrupted, patience;

/* Where the signal is held back, it comes when the handler has returned. */
static void end_by(int signal_number)
{
	(void)signal(signal_number, SIG_DFL);
	(void)raise(signal_number);
}

static void end_late(int signal_number)
{
	(void)signal_number;
	end_by(interrupted);
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
	(void)alarm((unsigned)patience);
}

void lt__interrupt_catch(unsigned seconds)
{
	/* No SA_RESTART: what waits, such as poll, comes back. */
	struct sigaction a = { .sa_handler = interrupt_signal };

	if (depth++ > 0)
		return;
	/* One that comes while another one is noted waits: both would keep the action of SIGALRM. */
	for (int i = 0; i < N_SIGNAL; i++)
		(void)sigaddset(&a.sa_mask, caught[i]);
	interrupted = 0;
	patience = (sig_atomic_t)seconds;
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

		(void)alarm(0);
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
}
