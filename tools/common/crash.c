/* crash.c -- the process ends in a kernel of one's own, by a signal or since that has called exit: it says in which.
 *
 * Signals are the process's, so what is known of them is, too.  The name is that of the last one that any thread has
 * begun: threads of its loops crash for it.
 */
#define _GNU_SOURCE 1
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/common/common.h"

static const char *tool_name = "";
static const char *volatile running_name;

static void crash_say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

/* The handler is gone when it is called (SA_RESETHAND): what has crashed is done again, and ends the process. */
static void crash_signal(int signal_number)
{
	if (running_name) {
		crash_say(tool_name);
		crash_say(": the kernel '");
		crash_say(running_name);
		crash_say("', one's own, has crashed: SIG");
		crash_say(sigabbrev_np(signal_number) ? sigabbrev_np(signal_number) : "NAL");
		crash_say("; lt-check --kernels finds what it does wrong\n");
	}
	(void)raise(signal_number);
}

/* Such a process must not pass for one that has done its work. */
static void crash_exit(void)
{
	if (!running_name)
		return;
	(void)fflush(stdout);
	lt__say(stderr, "%s: the kernel '%s', one's own, has called exit; it has to return\n", tool_name, running_name);
	_exit(EXIT_FAILURE);
}

void lt__crash_catch(const char *tool)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	/* of a stack that is full there is no room for a handler */
	static char stack[1 << 16];
	const stack_t apart = { .ss_sp = stack, .ss_size = sizeof stack };
	struct sigaction act = { .sa_handler = crash_signal, .sa_flags = (int)SA_RESETHAND | SA_NODEFER | SA_ONSTACK };
	tool_name = tool;
	(void)sigaltstack(&apart, NULL);
	(void)atexit(crash_exit);
	(void)at_quick_exit(crash_exit);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		(void)sigaction(signals[i], &act, NULL);
}

void lt__crash_running(void *user, const char *name)
{
	(void)user;
	running_name = name;
}
