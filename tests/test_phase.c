/* tests/test_phase.c -- the line that says what a tool does: on a terminal, after a second, and gone before anything
 * else is written. */
#include <criterion/criterion.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/ltrun.h"
#include "tools/phase.h"

TestSuite(phase, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120);

/* What a child writes to its terminal. */
static const char *on_terminal(void (*child)(void))
{
	static char shown[1 << 14];
	size_t n = 0;
	ssize_t got;
	int terminal, status;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	if (pid < 0)
		return NULL;
	if (pid == 0) {
		child();
		_exit(0);
	}
	while (n < sizeof shown - 1 && (got = read(terminal, shown + n, sizeof shown - 1 - n)) > 0)
		n += (size_t)got;
	shown[n] = 0;
	close(terminal);
	cr_assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", shown);
	return shown;
}

/* Whether a phase stood there with its seconds; a busy machine may leave out the first of them. */
static bool seconds_are_shown(const char *shown, const char *phase)
{
	char begin[40];

	snprintf(begin, sizeof begin, "\r%s, ", phase);
	const char *time = strstr(shown, begin);
	return time && strspn(time + strlen(begin), "123456789") == 1 &&
		strncmp(time + strlen(begin) + 1, " s\033[K", 5) == 0;
}

static void some_phases(void)
{
	struct lt_phases p;

	lt__phases_begin(&p, true);
	lt__phase(&p, "short");
	lt__phase(&p, "counting to %d", 7);
	usleep(2300000);
	lt__phase(&p, NULL);
	fputs("result\n", stderr);
	for (int i = 0; i < 14; i++, usleep(100000))
		lt__phase_between(&p, "round %d", i);
	lt__phases_end(&p);
	fputs("end\n", stderr);
}

Test(phase, stands_there_after_a_second_and_goes)
{
	const char *shown = on_terminal(some_phases);

	if (!shown)
		cr_skip_test("no pseudo-terminal can be had here");
	cr_assert(seconds_are_shown(shown, "counting to 7"), "%s", shown);
	cr_assert(!strstr(shown, "short"), "%s", shown);
	cr_assert(strstr(shown, "\r\033[Kresult"), "it is wiped before: %s", shown);
	cr_assert(strstr(shown, "\rround 1") && !strstr(shown, "round 0"), "%s", shown);
	cr_assert(strstr(shown, "\r\033[Kend"), "%s", shown);
}

static void not_wanted(void)
{
	struct lt_phases p;

	lt__phases_begin(&p, false);
	lt__phase(&p, "quiet");
	usleep(1200000);
	lt__phases_end(&p);
}

Test(phase, is_not_there_where_nobody_wants_it)
{
	const char *shown = on_terminal(not_wanted);

	if (!shown)
		cr_skip_test("no pseudo-terminal can be had here");
	cr_assert_str_eq(shown, "");
}

/* A compiler that takes its time. */
static void slow_compiler(void)
{
	execl(built("lt-run"), "lt-run", scratch("add.lt"), "-i", "x=1", "-c", "w=1", "-b", "cpu", "--no-cache", "--cc",
		scratch("slow"), NULL);
	_exit(9);
}

Test(phase, of_lt_run)
{
	char none[100];

	ltrun_write_text("slow", "#!/bin/sh\nsleep 2.5\nexec cc \"$@\"\n");
	cr_assert_eq(chmod(scratch("slow"), 0700), 0);
	cr_assert_eq(run_command("command -v cc", none, sizeof none, none, sizeof none), 0);
	const char *shown = on_terminal(slow_compiler);
	if (!shown)
		cr_skip_test("no pseudo-terminal can be had here");
	cr_assert(seconds_are_shown(shown, "making loops"), "%s", shown);
	cr_assert(strstr(shown, "\r\033[K") && strstr(shown, "[[2. 2. 2.]"), "%s", shown);
}
