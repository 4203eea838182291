/* test_check_ends.c -- lt-check on backends that end the process, hang, or take nothing: what is named, when it
 * stops, what it answers. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/built.h"
#include "tests/ltcheck.h"
#include "tests/sanitized.h"
#include "tests/script_run.h"

TestSuite(check_ends, .timeout = 120, .fini = scratch_remove);

#define out ltcheck_out
#define err ltcheck_err
#define lt_check ltcheck_fault

static int count(const char *text, const char *word)
{
	int n = 0;
	for (const char *at = text; (at = strstr(at, word)); at++)
		n++;
	return n;
}

/* -- the member that was called -- */

static const char *const members[] = { "open", "caps", "accepts", "compile", "run", "need", "destroy", "close" };
enum { N_MEMBER = sizeof members / sizeof *members };

ParameterizedTestParameters(check_ends, the_member_is_named)
{
	static int at[N_MEMBER];
	for (int i = 0; i < N_MEMBER; i++)
		at[i] = i;
	return cr_make_param_array(int, at, N_MEMBER);
}

/* In a batch of graphs, and in a clause that is alone in its process. */
ParameterizedTest(int *at, check_ends, the_member_is_named)
{
	static const char *const filters[] = { "op/add/f32/*none*", "slots/again" };
	char words[200];
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(lt_check("dies", "-b dies:%s --filter '%s'", members[*at], filters[i]), 1, "%s: %s%s",
			members[*at], out, err);
		(void)snprintf(words, sizeof words, "  in %s: it ended the process by a signal: ", members[*at]);
		cr_expect_not_null(strstr(out, words), "%s: %s", members[*at], out);
	}
	/* Few cases, so that there is time for the members that do come back, however busy the machine is. */
	cr_expect_eq(lt_check("dies", "-b dies:%s_hangs --patience 2 --no-reduce --filter "
		"'op/add/f32/prime/view=none/default/alone'", members[*at]), 1, "%s: %s%s", members[*at], out, err);
	(void)snprintf(words, sizeof words, "  in %s: it did not come back within 2 s\n", members[*at]);
	cr_expect_not_null(strstr(out, words), "%s: %s", members[*at], out);
}

/* Every case whose graph is shown to it fails by itself, not the batch. */
Test(check_ends, each_case_of_a_batch_has_its_own)
{
	cr_expect_eq(lt_check("dies", "-b dies:accepts --filter 'op/add/f32/*none*'"), 1, "%s%s", out, err);
	cr_expect_eq(count(out, "\n  in accepts: "), count(out, "FAILED op/add/f32/"), "%s", out);
	cr_expect_gt(count(out, "FAILED op/add/f32/"), 5, "%s", out);
}

/* score is asked before there is a case. */
Test(check_ends, score)
{
	cr_expect_eq(lt_check("dies", "-b dies:score --filter op/exp/f32/prime"), 1, "%s%s", out, err);
	cr_expect_not_null(strstr(err, "lt-check: dies: FAILED: in score: it ended the process by a signal: "), "%s", err);
	cr_expect_eq(lt_check("dies", "-b dies:score_hangs --patience 0.2 --filter op/exp/f32/prime"), 1, "%s%s", out, err);
	cr_expect_not_null(strstr(err, "lt-check: dies: FAILED: in score: it did not come back within 0.2 s"), "%s", err);
	cr_expect_eq(lt_check("dies", "-b dies:nothing --filter op/exp/f32/prime"), 2, "%s%s", out, err);
	cr_expect_not_null(strstr(err, "lt-check: dies cannot be used here: "), "%s", err);
}

/* -- when every case ends so -- */

Test(check_ends, it_stops_where_every_run_ends_so)
{
	cr_expect_eq(lt_check("dies", "-b dies:run"), 1, "%s%s", out, err);
	cr_expect_eq(count(out, "\n  in run: it ended the process by a signal: "), 20, "%s", out);
	cr_expect_not_null(
		strstr(out, ": every call of run ends so; the rest is not tried (--go-on tries it): in run: it ended"),
		"%s", out);
	cr_expect_not_null(strstr(out, " not tried; seed 1, "), "%s", out);
	cr_expect_eq(lt_check("dies", "-b dies:run_hangs --patience 1 --no-reduce"), 1, "%s%s", out, err);
	cr_expect_eq(count(out, "\n  in run: it did not come back "), 5, "%s", out);
	cr_expect_not_null(strstr(out, ": every call of run ends so; the rest is not tried"), "%s", out);
	/* once a batch; most cases pass */
	cr_expect_eq(lt_check("dies", "-b dies:close --filter 'op/*/f32/*none*'"), 1, "%s%s", out, err);
	cr_expect_null(strstr(out, "ends so"), "%s", out);
	cr_expect_eq(lt_check("odd_caps", "-b odd_caps:none"), 1, "%s%s", out, err);
	cr_expect_eq(count(out, "\n  caps returned NULL\n"), 20, "%s", out);
	cr_expect_not_null(strstr(out, ": every session ends so; the rest is not tried"), "%s", out);
}

Test(check_ends, it_goes_on_when_told)
{
	cr_expect_eq(lt_check("dies", "-b dies:run --filter 'op/add/*none*'"), 1, "%s%s", out, err);
	cr_expect_eq(count(out, "\n  in run: "), 20, "%s", out);
	cr_expect_eq(lt_check("dies", "-b dies:run --filter 'op/add/*none*' --go-on"), 1, "%s%s", out, err);
	cr_expect_gt(count(out, "\n  in run: "), 30, "%s", out);
	cr_expect_null(strstr(out, "not tried"), "%s", out);
	cr_expect_eq(lt_check("dies", "-b dies --list --go-on"), 2, "%s", out);
	cr_expect_not_null(strstr(err, "--go-on does not go with --list"), "%s", err);
}

/* Some that end between others that do not are no reason to stop. */
Test(check_ends, it_goes_on_between_cases_that_pass)
{
	cr_expect_eq(lt_check("zero_trip", "--filter 'op/exp/*'"), 1, "%s%s", out, err);
	cr_expect_not_null(strstr(out, "\n  in run: it ended the process by a signal: "), "%s", out);
	cr_expect_null(strstr(out, "not tried"), "%s", out);
}

/* -- when it takes nothing -- */

/* Clauses that need no kernel pass; they are no work. */
Test(check_ends, who_refuses_everything_is_not_good)
{
	cr_expect_eq(lt_check("odd_caps", "-b odd_caps:refuses"), 3, "%s%s", out, err);
	cr_expect_not_null(strstr(out, ": nothing failed of "), "%s", out);
	cr_expect_null(strstr(out, ": nothing failed of 0 cases"), "%s", out);
	cr_expect_not_null(strstr(out, "\nnothing was computed, no kernel ran: "), "%s", out);
	cr_expect_not_null(strstr(out, ": nothing is taken here\n"), "%s", out);
}

/* -- when processes cannot be made -- */

#define CLOSED "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; "

/* By limits of the system; each has its sentence, and none counts as success.  NPROC does not bind root. */
Test(check_ends, what_cannot_be_run_has_failed)
{
	static const struct { const char *prefix, *want;
	} limits[] = {
		{ CLOSED "ulimit -n 4; exec",
			"in score: it was not run: no process can be made: Too many open files" },
		{ CLOSED "ulimit -n 5; exec", "it was not run: no process can be made: Too many open files" },
		{ "[ $(id -u) != 0 ] || user=\"setpriv --reuid $((100000 + $$)) --regid 65534 --clear-groups\"; exec "
		  "prlimit --nproc=0 $user",
			"in score: it was not run: no process can be made: Resource temporarily unavailable" },
	};
	char command[4096];
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		for (int json = 0; json < 2; json++) {
			(void)snprintf(command, sizeof command, "%s %s -b ref --filter 'op/add/f32/prime*' %s",
				limits[i].prefix, built("lt-check"), json ? "--json" : "");
			cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 1, "%s: %s%s", limits[i].prefix, out, err);
			cr_expect(strstr(out, limits[i].want) || strstr(err, limits[i].want), "%s: %s%s", limits[i].prefix, out, err);
			cr_expect_null(strstr(out, "nothing failed"), "%s", out);
		}
}

/* -- when a call of the system fails -- */

static const char one[] = "op/exp/f32/prime";

/* In the first process that is asked, and in a later one; of casts, in the second batch: a reason, and never a good
 * exit. */
Test(check_ends, each_call_that_fails_has_its_reason)
{
	static const struct { const char *call; int at; const char *filter, *want;
	} calls[] = {
		{ "fork", 1, one, "in score: it was not run: no process can be made: Cannot allocate memory" },
		{ "fork", 2, one, "it was not run: no process can be made: Cannot allocate memory" },
		{ "fork", 3, "cast/f", "it was not run: no process can be made: Cannot allocate memory" },
		{ "pipe", 2, one, "it was not run: no process can be made: Too many open files in system" },
		{ "waitpid", 1, one, "in score: it was not run: nothing is known of its process: No child processes" },
		{ "waitpid", 2, one, "it was not run: nothing is known of its process: No child processes" },
		{ "poll", 1, one, "in score: it was not run: what its process says cannot be read: Cannot allocate memory" },
		{ "poll", 5, one, "it was not run: what its process says cannot be read: Cannot allocate memory" },
		{ "poll", 7, one, "it was not run: what its process says cannot be read: Cannot allocate memory" },
		{ "memfd_create", 0, one,
			"it was not run: there is no file for what backends print: Cannot allocate memory" },
		{ "pthread_create", 0, "threads/sessions",
			"it was not run: no thread can be made: Resource temporarily unavailable" },
		{ "pthread_create", 0, "threads/moved",
			"it was not run: no thread can be made: Resource temporarily unavailable" },
	};
	char command[4096];
	if (SANITIZED)
		cr_skip_test("a sanitizer is loaded first");
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		(void)snprintf(command, sizeof command,
			"LD_PRELOAD=%s LT_FAIL_PROGRAM=lt-check LT_FAIL_CALL=%s LT_FAIL_AT=%d ",
			built("tests/interpose/call.so"), calls[i].call, calls[i].at);
		size_t n = strlen(command);
		(void)snprintf(command + n, sizeof command - n, "%s -b ref --no-reduce --filter %s", built("lt-check"),
			calls[i].filter);
		cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 1, "%s %d: %s%s", calls[i].call,
			calls[i].at, out, err);
		cr_expect(strstr(out, calls[i].want) || strstr(err, calls[i].want), "%s %d: %s%s", calls[i].call,
			calls[i].at, out, err);
		cr_expect_null(strstr(out, "nothing failed"), "%s %d: %s", calls[i].call, calls[i].at, out);
	}
}

/* Whatever is not there to be had: the same output, or no good exit. */
Test(check_ends, memory_that_runs_out_is_no_success)
{
	static char want[sizeof out];
	static const char *const tries[] = { "--list", "-v" };
	char command[4096];
	if (SANITIZED)
		cr_skip_test("a sanitizer has malloc");
	for (int k = 0; k < 2; k++)
		for (int at = 0; at < (k ? 130 : 20); at += k && at ? 7 : 1) {
			(void)snprintf(command, sizeof command, "LD_PRELOAD=%s LT_FAIL_PROGRAM=lt-check LT_FAIL_AT=%d ",
				built("tests/interpose/alloc.so"), at);
			size_t n = strlen(command);
			(void)snprintf(command + n, sizeof command - n, "%s -b ref --no-reduce --filter %s %s",
				built("lt-check"), one, tries[k]);
			int code = run_command(command, out, sizeof out, err, sizeof err);
			out[k ? strcspn(out, "\n") : strlen(out)] = '\0';      /* after it is how long it took */
			if (at == 0)
				(void)snprintf(want, sizeof want, "%s", out);
			cr_expect(code == 1 || code == 2 || (code == 0 && !strcmp(out, want)),
				"%s, allocation %d: %d: %s%s", tries[k], at, code, out, err);
		}
}

/* Where children are ignored nobody is reported how they end: that is set right. */
Test(check_ends, ignored_children)
{
	char command[4096];
	(void)snprintf(command, sizeof command, "trap '' CHLD; cd %s && exec %s -b ref --filter %s", scratch(""),
		built("lt-check"), one);
	cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s%s", out, err);
	FILE *f = fopen(scratch("a.lt"), "w");
	cr_assert_not_null(f);
	fputs("graph 1\nvar m 5\n%x = f32[m] input \"x\"\n%y = f32[m] exp %x\nresult \"y\" = %y\n", f);
	fclose(f);
	int n = snprintf(command, sizeof command, "trap '' CHLD; cd %s && exec %s ", scratch(""), built("lt-check"));
	(void)snprintf(command + n, sizeof command - (size_t)n, "-B %s -b dies:run --script a.lt",
		built("tests/faults/dies.so"));
	cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 1, "%s%s", out, err);
	cr_expect_not_null(strstr(out, "FAILED a.lt\n  in run: it ended the process by a signal: "), "%s", out);
}

/* -- when nothing can be written -- */

Test(check_ends, output_that_cannot_be_written)
{
	static const char *const whats[] = { "-b ref --filter op/exp/f32/prime",
		"-b ref --filter op/exp/f32/prime --json", "-b ref --list", "--help", "--version" };
	static const struct {
		const char *to, *why;
	} where[] = { { ">/dev/full", "No space left on device" }, { ">&-", "Bad file descriptor" } };
	char command[4096], words[200];
	for (size_t i = 0; i < sizeof whats / sizeof *whats; i++)
		for (int k = 0; k < 2; k++) {
			(void)snprintf(command, sizeof command, "%s %s %s", built("lt-check"), whats[i], where[k].to);
			(void)snprintf(words, sizeof words, "lt-check: standard output cannot be written: %s\n", where[k].why);
			cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 1, "%s: %s%s", command, out, err);
			cr_expect_not_null(strstr(err, words), "%s: %s", command, err);
		}
	cr_expect_eq(lt_check("none", "--filter op/exp/f32/prime --report /dev/full"), 1, "%s%s", out, err);
	cr_expect_not_null(strstr(err, "lt-check: /dev/full: cannot be written: No space left on device"), "%s", err);
}

/* -- how far it is -- */

/* What it writes to a terminal; false: there is none. */
static bool on_a_terminal(const char *plugin, const char *options)
{
	char command[2048];
	int k = snprintf(command, sizeof command, "exec %s", built("lt-check"));
	(void)snprintf(command + k, sizeof command - (size_t)k, " -B %s %s", built(plugin), options);
	size_t n = 0;
	int terminal, status = 0;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);
	if (pid < 0)
		return false;
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(9);
	}
	for (ssize_t got; (got = read(terminal, out + n, sizeof out - 1 - n)) > 0;)
		n += (size_t)got;
	out[n] = '\0';
	(void)close(terminal);
	cr_assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "%s", out);
	return true;
}

/* A line that is wiped before what stays; not where somebody else reads it. */
Test(check_ends, it_says_how_far_it_is_on_a_terminal)
{
	if (!on_a_terminal("tests/faults/endless.so",
		    "--no-reduce --patience 2 --filter 'op/mod/f32/p*/*none/default/alone'"))
		cr_skip_test("no pseudo-terminal can be had here");
	cr_expect(strstr(out, " cases, ") && strstr(out, " s: op\033[K\r"), "%s", out);
	cr_expect(strstr(out, "\r\033[KFAILED op/"), "%s", out);
	cr_expect(strstr(out, "1 of 2 cases, 1 failed, "), "%s", out);
	cr_expect(on_a_terminal(
		"tests/faults/endless.so", "--json --no-reduce --patience 2 --filter op/mod/f32/prime/view=none"));
	cr_expect_null(strstr(out, "\033"), "%s", out);
	cr_expect_eq(lt_check("none", "--filter 'op/max/f32/*'"), 0, "%s%s", out, err);
	cr_expect_str_eq(err, "");
}
