/* tools/interrupt.c -- see interrupt.h.  Signals are the process's, so what is known of them is, too. */
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include "tools/interrupt.h"

enum { N_SIGNAL = 3 };
static const int caught[N_SIGNAL] = { SIGINT, SIGTERM, SIGHUP };
static struct sigaction before[N_SIGNAL];
static int depth;
static volatile sig_atomic_t interrupted, patience;

/* Where the signal is held back, it comes when the handler has returned. */
static void end_by(int signal_number)
{
	(void)signal(signal_number, SIG_DFL);
	(void)raise(signal_number);
}

static void note(int signal_number)
{
	if (interrupted == signal_number)
		end_by(signal_number);
	if (interrupted)
		return;
	interrupted = signal_number;
	(void)alarm((unsigned)patience);
}

static void end_late(int signal_number)
{
	(void)signal_number;
	end_by(interrupted);
}

void lt__interrupt_catch(unsigned seconds)
{
	/* No SA_RESTART: what waits, such as poll, comes back. */
	struct sigaction a = { .sa_handler = note }, late = { .sa_handler = end_late };

	if (depth++ > 0)
		return;
	interrupted = 0;
	patience = (sig_atomic_t)seconds;
	(void)sigaction(SIGALRM, &late, NULL);
	for (int i = 0; i < N_SIGNAL; i++)
		if (sigaction(caught[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
			(void)sigaction(caught[i], &a, NULL);
}

int lt__interrupted(void *user)
{
	(void)user;
	return interrupted;
}

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
	(void)alarm(0);
	if (interrupted) {
		sigset_t set;

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
	depth = 0;
	interrupted = 0;
}
