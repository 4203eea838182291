/* thread.c -- see thread.h. */
#include <signal.h>
#include <stddef.h>
#include "base/thread.h"

int lt__thread_start(pthread_t *thread, void *(*main_)(void *), void *arg)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
	sigset_t all, before;
	(void)sigfillset(&all);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		(void)sigdelset(&all, own[i]);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(thread, NULL, main_, arg);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}
