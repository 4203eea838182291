/* test_processes.c -- compilers that hang, hold their output, find no room: how they are ended, and what is said;
 * Ctrl-C in each phase of each program; and cancelling. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "backends/command/command.h"
#include "lt/lt.h"
#include "tests/checkpoint.h"
#include "tests/ltrun.h"
#include "tools/common/common.h"

#define out ltrun_out
#define err ltrun_err
#define run ltrun

static void write_script(const char *name, const char *text)
{
	char command[4096];
	ltrun_write_text(name, text);
	snprintf(command, sizeof command, "chmod +x %s", scratch(name));
	cr_assert_eq(system(command), 0);
}

static void set_up(void)
{
	ltrun_set_up();
	cr_assert_eq(mkdir(scratch("tmp"), 0700), 0);
	setenv("TMPDIR", scratch("tmp"), 1);
	ltrun_write_text("one.lt", "$1 = InputTensor(x, float32, [6]); $2 = SumNode($1, $1); result = $2;");
}

TestSuite(processes, .init = set_up, .fini = ltrun_tear_down, .timeout = 120);

static int n_entry(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;
	cr_assert_not_null(d);
	for (const struct dirent *e; (e = readdir(d)); )
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static void expect_clean(void)
{
	char command[4096], found[4096], nothing[256];
	cr_expect_eq(n_entry(scratch("tmp")), 0);
	snprintf(command, sizeof command, "grep -lzas '^TMPDIR=%s/' /proc/[0-9]*/environ", scratch("tmp"));
	/* What was killed is gone when it next has a processor. */
	for (int i = 0; i < 200; i++, usleep(50000)) {
		(void)run_command(command, found, sizeof found, nothing, sizeof nothing);
		if (!*found)
			break;
	}
	cr_expect_str_empty(found, "%s is left", found);
}

/* At each place where a compiler is asked or works: the message has the time and the way out. */
Test(processes, a_compiler_that_hangs_is_ended)
{
	/* The time is long enough for what the compiler answers, however busy the machine is. */
	static const struct { const char *name, *text, *on, *seconds; } compilers[] = {
		{ "version", "#!/bin/sh\nsleep 50\n", "being asked for its version", "0.3" },
		{ "kernel",
			"#!/bin/sh\ncase \" $* \" in *\" --version \"*) echo one; exit 0 ;; esac\ntrap '' TERM\nsleep "
			"50\nsleep 50\n",
			"k0_2", "2" },
		{ "child", "#!/bin/sh\ncase \" $* \" in *\" --version \"*) echo one; exit 0 ;; esac\nsetsid sleep 50\n",
			"k0_2", "2" },
	};
	char want[512];
	for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
		write_script(compilers[i].name, compilers[i].text);
		cr_expect_eq(run("one.lt -b cpu -i x=1 --cc ./%s --cc-timeout %s", compilers[i].name, compilers[i].seconds), 1);
		snprintf(want, sizeof want, "lt-run: backend cpu: ./%s was ended on %s, because it took longer than %s s: "
			"give it more time with --cc-timeout, or name another compiler with --cc\n", compilers[i].name, compilers[i].on,
			compilers[i].seconds);
		cr_expect_str_eq(err, want);
		expect_clean();
	}
	cr_expect_eq(run("one.lt -b cpu -i x=1 --cc-timeout 0"), 2);
	cr_expect_not_null(strstr(err, "--cc-timeout takes seconds, more than 0 and at most 1000000, not '0'"), "%s", err);
}

/* The program is waited for, and not what it has left running. */
Test(processes, a_child_that_holds_the_output_delays_nothing)
{
	write_script("cc", "#!/bin/sh\nsleep 100 &\nexec cc \"$@\"\n");
	char command[4096];
	snprintf(command, sizeof command, "cd %s && timeout 90 %s one.lt -i x=1 -q --cc ./cc -b cpu:O0", scratch(""),
		built("lt-run"));
	cr_expect_eq(run_command(command, out, sizeof ltrun_out, err, sizeof ltrun_err), 0, "%s", err);
	cr_expect_eq(n_entry(scratch("tmp")), 0);
}

Test(processes, source_needs_no_compiler)
{
	cr_expect_eq(run("one.lt --dump=source --cc /nonexistent"), 0, "%s", err);
	cr_expect_not_null(strstr(out, "k0_2_entry("), "%s", out);
	cr_expect_str_empty(err);
	/* nor for threads */
	cr_expect_eq(run("one.lt --dump=source --cc /nonexistent --apply 'parallel i'"), 0, "%s", err);
	cr_expect_not_null(strstr(out, "team->parallel_for("), "%s", out);
	expect_clean();
	cr_expect_eq(run("one.lt --dump=asm --cc /nonexistent"), 1);
	cr_expect_eq(run("one.lt -b cpu -i x=1 --cc /nonexistent"), 1);
	cr_expect_not_null(strstr(err, "/nonexistent: not found"), "%s", err);
}

/* What a program that is gone has left: its folder, and a process that works in it.  What another one still has
 * stays. */
Test(processes, folders_of_the_dead_are_removed)
{
	char dead[1024], alive[1024], odd[1024], command[9000];
	snprintf(dead, sizeof dead, "%s", scratch("tmp/looptree-tmp-abcdef"));
	snprintf(alive, sizeof alive, "%s", scratch("tmp/looptree-tmp-uvwxyz"));
	snprintf(odd, sizeof odd, "%s", scratch("tmp/looptree-tmp-thesis"));
	cr_assert(!mkdir(dead, 0700) && !mkdir(alive, 0700) && !mkdir(odd, 0700) && !chmod(odd, 0755));
	snprintf(command, sizeof command,
		"mkdir %s/in && echo 1 >%s/in/k.c && ln -s %s %s/link && { TMPDIR=%s sh -c ': >%s/begun; sleep 100' & } && "
		"while [ ! -e %s/begun ]; do sleep 0.01; done", dead, dead, odd, dead, dead, dead, dead);
	cr_assert_eq(system(command), 0);
	int fd = open(alive, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
	cr_expect_eq(run("one.lt -b cpu -i x=1 -q"), 0, "%s", err);
	cr_expect(access(dead, F_OK) != 0);
	cr_expect(access(alive, F_OK) == 0, "its owner lives");
	cr_expect(access(odd, F_OK) == 0, "others may read it: it is none of ours");
	close(fd);
	cr_expect_eq(run("one.lt -b cpu -i x=1 -q"), 0, "%s", err);
	cr_expect(access(alive, F_OK) != 0);
	cr_assert_eq(rmdir(odd), 0);
	expect_clean();
}

/* However TMPDIR named the folder above: by a link, with more slashes, from the current folder. */
Test(processes, what_is_left_is_found_by_any_name_of_its_folder)
{
	char command[16384], want[1024], names[4][512] = { "", "", "", "tmp" };
	struct lt_folder f;
	char *real = realpath(scratch("tmp"), NULL);
	cr_assert(real && !symlink(scratch("tmp"), scratch("link")) && !chdir(scratch("")));
	snprintf(names[0], sizeof names[0], "%s", scratch("link"));
	snprintf(names[1], sizeof names[1], "%s//", scratch("tmp"));
	snprintf(names[2], sizeof names[2], "%s/../link/", scratch("tmp"));
	snprintf(want, sizeof want, "%s/looptree-tmp-", real);
	for (int i = 0; i < 4; i++) {
		cr_assert_eq(lt__folder_new(&f, names[i]), 0, "%s", names[i]);
		cr_expect_eq(strncmp(f.path, want, strlen(want)), 0, "%s: %s", names[i], f.path);
		snprintf(command, sizeof command, "TMPDIR='%s' sh -c ': >%s/begun; sleep 100' & "
			"while [ ! -e %s/begun ]; do sleep 0.01; done", f.path, f.path, f.path);
		cr_assert_eq(system(command), 0);
		close(f.fd);            /* as if its owner had been killed */
		cr_assert_eq(lt__folder_new(&f, names[(i + 1) % 4]), 0);
		lt__folder_remove(&f);
		expect_clean();
	}
	free(real);
	cr_assert_eq(chdir("/"), 0);
}

static volatile sig_atomic_t n_alarm;
static void count_alarm(int signal_number) { n_alarm += signal_number == SIGALRM; }

/* SIGALRM is the caller's as long as nothing has interrupted it. */
Test(processes, an_alarm_of_ones_own_stays)
{
	struct sigaction mine = { .sa_handler = count_alarm }, is;
	cr_assert_eq(sigaction(SIGALRM, &mine, NULL), 0);
	lt__interrupt_catch(LT_INTERRUPT_MS);
	(void)raise(SIGALRM);
	cr_expect_eq(n_alarm, 1);
	(void)alarm(100);
	lt__interrupt_release();
	cr_expect_neq(alarm(0), 0u, "the alarm was taken away");
	cr_assert_eq(sigaction(SIGALRM, NULL, &is), 0);
	cr_expect(is.sa_handler == count_alarm);
	/* Nor has a child to do with what has interrupted its parent.  A shell starts what runs beside it with SIGQUIT
	 * ignored, which stays so. */
	(void)signal(SIGQUIT, SIG_DFL);
	lt__interrupt_catch(LT_INTERRUPT_MS);
	(void)raise(SIGQUIT);
	cr_expect_eq(lt__interrupted(NULL), SIGQUIT);
	(void)alarm(0);
	lt__interrupt_forget();
	cr_assert_eq(sigaction(SIGALRM, NULL, &is), 0);
	cr_expect(is.sa_handler == count_alarm && !lt__interrupted(NULL));
}

Test(processes, a_folder_is_private_and_its_own)
{
	struct lt_folder a, b;
	struct stat st;
	cr_assert_eq(lt__folder_new(&a, scratch("tmp")), 0);
	cr_assert_eq(lt__folder_new(&b, scratch("tmp")), 0);
	cr_expect_str_neq(a.path, b.path);
	cr_assert_eq(stat(a.path, &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0700u);
	lt__folder_remove(&a);
	lt__folder_remove(&a);
	lt__folder_remove(&b);
	cr_expect_eq(n_entry(scratch("tmp")), 0);
	cr_expect_neq(lt__folder_new(&a, "/nonexistent"), 0);
	lt__folder_remove(&a);
}

/* The folder is named, and TMPDIR as the way out.  What is kept needs none. */
Test(processes, a_folder_that_does_not_work_is_told)
{
	cr_expect_eq(run("one.lt -b cpu -i x=1 -q"), 0, "%s", err);
	setenv("TMPDIR", "/nonexistent", 1);
	cr_expect_eq(run("one.lt -b cpu -i x=1 --no-cache"), 1);
	cr_expect_not_null(strstr(err,
				   "no temporary folder can be made in '/nonexistent': No such file or directory: name "
				   "a folder in TMPDIR that is there and that you may write to"),
		"%s", err);
	cr_expect_eq(run("one.lt -b cpu -i x=1"), 0, "%s", err);
}

/* A file system of its own, where the user may have one. */
static int run_mounted(const char *options, const char *arguments)
{
	char command[4096], dir[1024];
	snprintf(dir, sizeof dir, "%s", scratch(""));
	snprintf(command, sizeof command,
		"cd %s && unshare -rm sh -c 'mkdir -p m && mount -t tmpfs -o %s tmpfs m || exit 99; export "
		"TMPDIR=$PWD/m; %s one.lt -b cpu -i x=1 %s'",
		dir, options, built("lt-run"), arguments);
	return run_command(command, out, sizeof ltrun_out, err, sizeof ltrun_err);
}

Test(processes, full_and_noexec_folders)
{
	static const struct { const char *options, *want; } mounts[] = {
		{ "noexec", "/m' must not hold code (noexec): name another one in TMPDIR" },
		{ "size=4k", "TMPDIR" }, { "size=16k", "TMPDIR" }, { "nr_inodes=1", "TMPDIR" }, { "nr_inodes=3", "TMPDIR" },
	};
	cr_expect_eq(run("one.lt -b cpu -i x=1 -q"), 0, "%s", err);
	if (run_mounted("size=1m", "-q --no-cache") != 0)
		cr_skip_test("needs a user namespace");
	for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++) {
		int code = run_mounted(mounts[i].options, "--no-cache");
		cr_expect_eq(code, 1, "%s: %d %s", mounts[i].options, code, err);
		cr_expect_not_null(strstr(err, mounts[i].want), "%s: %s", mounts[i].options, err);
		cr_expect_not_null(strstr(err, "/m"), "%s: %s", mounts[i].options, err);
	}
	cr_expect_eq(run_mounted("noexec", "-q"), 0, "what is kept is loaded from memory: %s", err);
}

/* -- Ctrl-C, in each phase --
 *
 * A program says on a terminal what it is at; what it is at then takes longer than anybody waits here, or waits itself.
 */

/* mark NULL: it says nothing, and is at it a second after it was begun; shut: what it writes is not read any more. */
struct phase { const char *tool, *options, *mark; bool shut; };

/* Until the terminal has shown the mark, or, NULL, nothing for a moment; false: there is nobody left who writes. */
static bool read_until(int terminal, const char *mark)
{
	static char seen[1 << 16];
	size_t n = 0;
	struct pollfd p = { .fd = terminal, .events = POLLIN };
	for (int quiet = 0; quiet < (mark ? 3000 : 1); ) {
		const int is = poll(&p, 1, 100);
		if (is == 0) {
			quiet++;
			continue;
		}
		if (n > sizeof seen / 2)
			n = 0;
		const ssize_t got = is > 0 ? read(terminal, seen + n, sizeof seen - 1 - n) : -1;
		if (got <= 0)
			return false;
		n += (size_t)got;
		seen[n] = '\0';
		if (mark && memmem(seen, n, mark, strlen(mark)))
			return true;
	}
	return !mark;
}

static pid_t begin_on_terminal(const struct phase *f, int *terminal)
{
	char command[4096];
	snprintf(command, sizeof command, "cd %s && exec %s %s", scratch(""), built(f->tool), f->options);
	*terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	cr_assert(*terminal >= 0 && !grantpt(*terminal) && !unlockpt(*terminal));
	const int its = open(ptsname(*terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
	cr_assert_geq(its, 0);
	const pid_t pid = fork();
	cr_assert_geq(pid, 0);
	if (pid == 0) {
		(void)signal(SIGINT, SIG_DFL);
		if (dup2(its, STDIN_FILENO) >= 0 && dup2(its, STDOUT_FILENO) >= 0 && dup2(its, STDERR_FILENO) >= 0)
			(void)execl("/bin/bash", "bash", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(its);
	return pid;
}

static void expect_interrupted(const struct phase *f)
{
	int terminal, status = 0;
	bool ended = false;
	const pid_t pid = begin_on_terminal(f, &terminal);
	if (f->mark)
		cr_expect(read_until(terminal, f->mark), "%s %s: it never said '%s'", f->tool, f->options, f->mark);
	else
		sleep(1);
	cr_assert_eq(waitpid(pid, &status, WNOHANG), 0, "%s %s has ended before", f->tool, f->options);
	cr_expect_eq(kill(pid, SIGINT), 0);
	/* Far longer than a busy machine takes, and far shorter than what it was at. */
	for (int i = 0; i < 600 && !ended; i++) {
		if (f->shut || !read_until(terminal, NULL))
			usleep(100000);
		ended = waitpid(pid, &status, WNOHANG) == pid;
	}
	cr_expect(ended, "%s %s goes on", f->tool, f->options);
	if (!ended) {
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, &status, 0);
	}
	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT, "%s %s: it ended with %d", f->tool, f->options, status);
	close(terminal);
	expect_clean();
}

static void expect_all_interrupted(const struct phase *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		expect_interrupted(&f[i]);
}

/* A chain of so many steps, and products for which an interpreter takes a quarter of an hour. */
static void write_models(int n)
{
	FILE *f = fopen(scratch("long.lt"), "w");
	cr_assert_not_null(f);
	fputs("$1 = InputTensor(x, float32, [6]);\n", f);
	for (int i = 2; i < n; i++)
		fprintf(f, "$%d = %s($%d, $%d);\n", i, i % 2 ? "SumNode" : "HadamardProductNode", i - 1, i > 2 ? i - 2 : 1);
	fprintf(f, "result = $%d;\n", n - 1);
	cr_assert_eq(fclose(f), 0);
	ltrun_write_text("product.lt", "x = InputTensor(x, float32, [1500, 1500]); "
		"w = ConstantTensor(w, float32, [1500, 1500]); result = x @ w;");
	ltrun_write_text("constant.lt", "x = InputTensor(x, float32, [1500, 1500]); w = ConstantTensor(w, float32, "
		"[1500, 1500]); result = x + w @ w;");
}

Test(processes, control_c_ends_what_waits_and_what_computes)
{
	static const struct phase phases[] = {
		{ "lt-run", "-", NULL, false },
		{ "lt-run", "long.lt --no-passes --dump=graph", "graph 1", true },
		{ "lt-run", "constant.lt -i '*=random' -c '*=random' -b ref", "preparing constants", false },
	};
	write_models(10000);
	expect_all_interrupted(phases, sizeof phases / sizeof *phases);
}

TestSuite(more_processes, .init = set_up, .fini = ltrun_tear_down, .timeout = 900);

Test(more_processes, control_c_ends_every_phase)
{
	static const struct phase phases[] = {
		{ "lt-run", "long.lt -i x=1 -b ref", "reading long.lt", false },
		{ "lt-run", "long.lt -i x=1 -b ref", "making loops", false },
		{ "lt-run", "long.lt -b ref --dump=tree", NULL, false },
		{ "lt-build", "long.lt -o long", "making loops", false },
		{ "lt-run", "product.lt -i '*=random' -c '*=random' -b ref", "running", false },
		{ "lt-run", "product.lt -i '*=random' -c '*=random' -b ref --verify", NULL, false },
		{ "lt-run", "product.lt -i '*=random' -c '*=random' --time=1000000 -q", NULL, false },
		{ "lt-build", "long.lt -o long", "reading long.lt", false },
		{ "lt-check", "-b ref", " cases, ", false },
		{ "lt-bench", "gemm --quick --samples 100000 --no-vendor -b ref", "copy:", false },
		{ "lt-llama", "long.bin --tokens -n 0 -b ref", "1", false },
		{ "lt-llama", "long.bin --tokens -n 0 -b ref --verify", "1", false },
	};
	static const struct checkpoint_sizes sizes = { 24, 40, 2, 6, 3, 300, 50000 };
	struct checkpoint *c = checkpoint_new(&sizes, false, 0, 0, 5);
	checkpoint_write(c, scratch("long.bin"));
	checkpoint_free(c);
	write_models(1000000);
	expect_all_interrupted(phases, sizeof phases / sizeof *phases);
}

/* -- cancelling, by a caller of the library -- */

struct patience { int left, asked; };

static int count_down(void *user)
{
	struct patience *p = user;
	p->asked++;
	return p->left-- <= 0;
}

Test(processes, a_compilation_is_cancelled_wherever_it_is)
{
	struct lt_graph *g;
	struct lt_program *p;
	static const char script[] = "$1 = InputTensor(x, float32, [64, 64]); $2 = SoftmaxNode($1, 1); result = $2;";
	int n_cancelled = 0, n_done = 0;
	cr_assert_eq(lt_parse(ltrun_ctx, script, strlen(script), "s.lt", NULL, &g), LT_OK);
	for (int left = 0; left < 40 && n_done == 0; left += left < 8 ? 1 : 4) {
		struct patience patience = { left, 0 };
		const struct lt_options o = { .size = sizeof o,
			.backends = "cpu:O0",
			.temp_dir = scratch("tmp"),
			.cancelled = count_down,
			.user = &patience,
			.n_thread = 1 };
		lt_status st = lt_compile(ltrun_ctx, g, &o, &p);
		cr_expect(st == LT_OK || st == LT_ECANCELLED, "%d: %s", left, lt_context_message(ltrun_ctx));
		if (st == LT_OK) {
			lt_program_free(p);
		} else {
			cr_expect_null(p);
			cr_expect_not_null(strstr(lt_context_message(ltrun_ctx), "compiling was cancelled"), "%s",
				lt_context_message(ltrun_ctx));
		}
		n_cancelled += st != LT_OK;
		n_done += st == LT_OK;
		expect_clean();
	}
	cr_expect_gt(n_cancelled, 6);
	lt_graph_free(g);
}
