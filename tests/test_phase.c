/* test_phase.c -- the line that says what a tool does: on a terminal, after a second, and gone before anything
 * else is written. */
#include <criterion/criterion.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "program/host/host.h"
#include "tests/ltrun.h"
#include "tools/common/common.h"

TestSuite(phase, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120);

/* What a child writes to its terminal; once that has `awaited` in it, there is the file `then`. */
static const char *on_terminal(void (*child)(void), const char *awaited, const char *then)
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
	while (n < sizeof shown - 1 && (got = read(terminal, shown + n, sizeof shown - 1 - n)) > 0) {
		n += (size_t)got;
		shown[n] = 0;
		if (awaited && strstr(shown, awaited)) {
			ltrun_write_text(then, "");
			awaited = NULL;
		}
	}
	shown[n] = 0;
	close(terminal);
	cr_assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", shown);
	return shown;
}

/* Whether that stood there with a time of a second or more: how many depends on who else has the processors. */
static bool has_line(const char *shown, const char *text)
{
	const char *at = strstr(shown, text);
	int seconds = 0, used = 0;

	return at && at > shown && at[-1] == '\r' && sscanf(at + strlen(text), ", %d s%n", &seconds, &used) == 1
		&& seconds >= 1 && !strncmp(at + strlen(text) + used, "\033[K", 3);
}

enum { WAITS = 6000, WAIT_US = 10000 };        /* a minute, where the machine is busy */

static void some_phases(void)
{
	struct lt_phases p;
	bool there = false;

	lt__phases_begin(&p, true);
	lt__phase(&p, "short");
	lt__phase(&p, "counting to %d", 7);
	for (int i = 0; i < WAITS && !there; i++, usleep(WAIT_US)) {
		(void)pthread_mutex_lock(&p.lock);
		there = p.shown;
		(void)pthread_mutex_unlock(&p.lock);
	}
	lt__phase(&p, NULL);
	fputs("result\n", stderr);
	for (int i = 0; i < WAITS && !p.shown; i++, usleep(WAIT_US))
		lt__phase_between(&p, "round %d", i);
	lt__phases_end(&p);
	fputs("end\n", stderr);
}

Test(phase, stands_there_after_a_second_and_goes)
{
	const char *shown = on_terminal(some_phases, NULL, NULL);

	if (!shown)
		cr_skip_test("no pseudo-terminal can be had here");
	cr_assert(has_line(shown, "counting to 7"), "%s", shown);
	cr_assert(!strstr(shown, "short"), "%s", shown);
	cr_assert(strstr(shown, "\r\033[Kresult"), "it is wiped before: %s", shown);
	cr_assert(strstr(shown, "\rround ") && !strstr(shown, "round 0"), "%s", shown);
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
	const char *shown = on_terminal(not_wanted, NULL, NULL);

	if (!shown)
		cr_skip_test("no pseudo-terminal can be had here");
	cr_assert_str_eq(shown, "");
}

/* Of a judge that asks often, without a terminal: a line when it began ten seconds ago, and none before ten more. */
Test(phase, a_line_every_ten_seconds_of_judging)
{
	struct progress_line line = { .when = " of run 2", .begin_ns = lt__now_ns() - INT64_C(9000000000) };
	char text[400] = "";
	FILE *f;

	cr_assert_not_null(freopen(scratch("progress"), "w", stderr));
	lt__progress_show(&line, "reference", 0.25);
	line.begin_ns -= INT64_C(3000000000);
	for (int i = 0; i < 3; i++)
		lt__progress_show(&line, "reference", 0.5);
	line.written_ns -= INT64_C(11000000000);
	lt__progress_show(&line, "kernels", 0.75);
	lt__progress_end(&line);
	(void)fflush(stderr);
	f = fopen(scratch("progress"), "r");
	cr_assert(f && fread(text, 1, sizeof text - 1, f) > 0);
	(void)fclose(f);
	int first = 0, second = 0, used = 0;
	cr_assert(sscanf(text, "verify of run 2: reference, 50 %%, %d s\nverify of run 2: kernels, 75 %%, %d s\n%n", &first,
		&second, &used) == 2 && text[used] == 0 && first >= 12 && second >= first, "%s", text);
}

/* A compiler that waits until it is said what is done. */
static void slow_compiler(void)
{
	execl(built("lt-run"), "lt-run", scratch("add.lt"), "-i", "x=1", "-c", "w=1", "-b", "cpu", "--no-cache", "--cc",
		scratch("slow"), NULL);
	_exit(9);
}

Test(phase, of_lt_run)
{
	char none[100], text[1000];

	snprintf(text, sizeof text, "#!/bin/sh\ni=0\nwhile [ ! -e %s ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done\n"
		"exec cc \"$@\"\n", scratch("shown"));
	ltrun_write_text("slow", text);
	cr_assert_eq(chmod(scratch("slow"), 0700), 0);
	cr_assert_eq(run_command("command -v cc", none, sizeof none, none, sizeof none), 0);
	const char *shown = on_terminal(slow_compiler, "making loops, ", "shown");
	if (!shown)
		cr_skip_test("no pseudo-terminal can be had here");
	cr_assert(has_line(shown, "making loops"), "%s", shown);
	cr_assert(strstr(shown, "\r\033[K") && strstr(shown, "[[2. 2. 2.]"), "%s", shown);
}
