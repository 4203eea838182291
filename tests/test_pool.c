/* test_pool.c -- the process's pool of threads (lt_host.parallel_for): each point once, whoever calls; nobody
 * waits for a thread that has not begun; idle threads cost nothing; a child of fork has a pool of its own. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <dirent.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "program/host/pool.h"
#include "tests/pool_stress.h"
#include "tests/sanitized.h"

TestSuite(pool, .timeout = 120);

Test(pool, each_point_is_met_once)
{
	cr_expect_eq(pool_stress(1, 3000, 1), 0);
}

Test(pool, several_threads_may_call_at_once)
{
	for (int callers = 2; callers <= 6; callers++)
		cr_expect_eq(pool_stress((uint64_t)callers * 100, 500, callers), 0, "%d callers", callers);
}

Test(pool, extremes)
{
	static const struct pool_call calls[] = { { .n_thread = 0, .n = 100 }, { .n_thread = 1, .n = 100 },
		{ .n_thread = 16, .n = 1 }, { .n_thread = 16, .n = 2 }, { .n_thread = 16, .n = 0 }, { .n_thread = 3, .n = 1000003 } };
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		cr_expect_eq(pool_call(&calls[i]), 0, "call %zu", i);
}

struct sum { _Atomic int64_t points; _Atomic uint32_t max; };

static void sum_range(void *arg, int64_t first, int64_t last, uint32_t thread)
{
	struct sum *s = arg;
	s->points += last - first;
	for (uint32_t max = s->max; thread > max && !atomic_compare_exchange_weak(&s->max, &max, thread); )
		;
}

/* More threads than there are, and more points than there is memory for. */
Test(pool, any_number_may_be_asked_for)
{
	static const int64_t n[] = { INT64_MAX, INT64_MAX / 3, (int64_t)1 << 40, 5000000000 };
	for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
		struct sum s = { 0 };
		lt__host_parallel_for(NULL, i % 2 ? UINT32_MAX : 5, n[i], sum_range, &s);
		cr_expect(s.points == n[i] && s.max < (i % 2 ? 256 : 5), "%lld points, thread %u", (long long)s.points,
			(unsigned)s.max);
	}
	struct sum s = { 0 };
	lt__host_parallel_for(NULL, 5, -3, sum_range, &s);
	cr_expect_eq(s.points, 0);
}

/* -- a range that does not end for a long time -- */

enum { POINTS = 64 };
struct slow { _Atomic int64_t done; int64_t own; _Atomic bool others_done; };

static void slow_range(void *arg, int64_t first, int64_t last, uint32_t thread)
{
	struct slow *s = arg;
	(void)thread;
	if (first > 0) {
		s->done += last - first;
		return;
	}
	s->own = last;
	for (int i = 0; i < 10000 && s->done < POINTS - last; i++)
		usleep(1000);
	s->others_done = s->done == POINTS - last;
}

/* The thread that has point 0 sleeps until all others are done: with shares that are fixed it would sleep for ever. */
Test(pool, others_do_what_a_slow_thread_leaves)
{
	for (int turn = 0; turn < 20; turn++) {
		struct slow s = { 0 };
		lt__host_parallel_for(NULL, 3, POINTS, slow_range, &s);
		cr_assert(s.others_done, "turn %d: %d points wait for a thread", turn, (int)(POINTS - s.own - s.done));
		usleep((useconds_t)(turn % 3 * 1000));
	}
}

/* -- sharing -- */

struct sharing { _Atomic int64_t others; };

static void shared_range(void *arg, int64_t first, int64_t last, uint32_t thread)
{
	struct sharing *s = arg;
	if (thread > 0)
		s->others += last - first;
	usleep(200);
}

/* Where there is work for milliseconds, others do a part of it: within many calls, since the machine may be busy. */
Test(pool, other_threads_take_part)
{
	struct sharing s = { 0 };
	for (int turn = 0; turn < 2000 && s.others < 100; turn++)
		lt__host_parallel_for(NULL, 2, POINTS, shared_range, &s);
	cr_assert_geq(s.others, 100);
}

/* -- waking -- */

static void busy_range(void *arg, int64_t first, int64_t last, uint32_t thread)
{
	int64_t *ns = arg, until = lt__now_ns() + *ns * (last - first);
	(void)thread;
	while (lt__now_ns() < until)
		;
}

static void short_call(void) { lt__host_parallel_for(NULL, 2, 4, busy_range, &(int64_t){ 500 }); }

static bool is_asleep(void) { return atomic_load(&lt__pool.share[1].asleep); }

static void until_asleep(void)
{
	for (int i = 0; i < 5000 && !is_asleep(); i++)
		usleep(1000);
	cr_assert(is_asleep(), "the thread does not sleep");
}

/* What holds of most calls where the machine is free holds in one of so many attempts where it is not. */
enum { ATTEMPTS = 20 };

/* The first call wakes it, as its time is not known.  One that the machine disturbed seems long to the next one. */
Test(pool, a_short_loop_after_a_pause_wakes_nobody)
{
	int asleep = 0, turns = 100;
	short_call();
	for (int attempt = 0; attempt < ATTEMPTS && 2 * asleep <= turns; attempt++) {
		asleep = 0;
		for (int turn = 0; turn < turns; turn++) {
			until_asleep();
			usleep(1000);
			short_call();
			asleep += is_asleep();
		}
	}
	cr_expect_gt(2 * asleep, turns, "it slept on in %d of %d calls", asleep, turns);
}

Test(pool, many_short_loops_wake_it)
{
	short_call();
	for (int turn = 0; turn < 20; turn++) {
		until_asleep();
		int calls = 0;
		for (; calls < 1000000 && is_asleep(); calls++)
			short_call();
		cr_expect_not(is_asleep(), "it slept on through %d calls", calls);
	}
}

static int by_time(const void *a, const void *b)
{
	return (*(const int64_t *)a > *(const int64_t *)b) - (*(const int64_t *)a < *(const int64_t *)b);
}

/* How long it stays awake after a loop, in ns: the median, as the machine may be busy. */
static int64_t awake_ns(void)
{
	int64_t ns[31];
	const size_t n = sizeof ns / sizeof *ns;
	for (size_t i = 0; i < n; i++) {
		until_asleep();
		lt__host_parallel_for(NULL, 2, 16, busy_range, &(int64_t){ 5000 });
		int64_t end = lt__now_ns();
		while (is_asleep() && lt__now_ns() - end < 1000000)     /* it was woken, and may be late, */
			;
		int64_t begin = lt__now_ns();
		while (!is_asleep() && lt__now_ns() - begin < 100000000)
			;
		ns[i] = lt__now_ns() - begin;
		i -= begin - end >= 1000000;                            /* or this thread was */
	}
	qsort(ns, n, sizeof *ns, by_time);
	return ns[n / 2];
}

/* Between two kernels that are shared there may be one that is not. */
Test(pool, threads_stay_awake_in_a_run)
{
	if (lt__processors() < 2)
		cr_skip_test("there is one processor only");
	short_call();
	lt__pool_run_begin();
	int64_t in_run = 0;
	for (int attempt = 0; attempt < ATTEMPTS && in_run < 180000; attempt++)
		in_run = awake_ns();
	lt__pool_run_end();
	cr_expect_geq(in_run, 180000, "it sleeps %lld ns after a loop", (long long)in_run);
	cr_expect_eq(atomic_load(&lt__pool.n_run), 0);
}

/* In place of the C library's: counts what thread 1 of the pool calls. */
static _Atomic int n_offered;

int sched_yield(void)
{
	n_offered += lt__thread_id() == lt__pool.share[1].id;
	return (int)syscall(SYS_sched_yield);
}

/* So that another process has it now, and does not take it away in the middle of a chunk. */
Test(pool, a_thread_that_waits_offers_its_processor)
{
	for (int turn = 0; turn < 5000 && !n_offered; turn++) {
		lt__host_parallel_for(NULL, 2, 16, busy_range, &(int64_t){ 5000 });
		busy_range(&(int64_t){ 50000 }, 0, 1, 0);
	}
	cr_expect_gt(n_offered, 0, "it waits, and never offers its processor");
}

/* -- processors -- */

/* What thread 1 saw when it ran its first range of a call: where it was; after how many calls it may use just those
 * processors. */
struct location { cpu_set_t allowed; _Atomic int32_t id, at, n; int32_t masks; };

static void location_range(void *arg, int64_t first, int64_t last, uint32_t thread)
{
	struct location *p = arg;
	(void)first;
	(void)last;
	if (thread == 1 && p->n++ == 0) {
		p->id = lt__thread_id();
		p->at = sched_getcpu();
	}
	for (volatile int k = 0; k < 20000; k++)
		;
}

static void location_call(struct location *p)
{
	cpu_set_t set;
	p->n = 0;
	lt__host_parallel_for(NULL, 2, POINTS, location_range, p);
	p->masks += p->n > 0 && sched_getaffinity(p->id, sizeof set, &set) == 0 && CPU_EQUAL(&set, &p->allowed);
}

/* A thread that was asleep does not begin where the caller is, and nothing is left of that afterwards.  The system may
 * move the caller in between, so it holds for most calls. */
Test(pool, threads_wake_where_the_caller_is_not)
{
	struct location p = { .n = 0 };
	int calls = 0, same = 0;
	cr_assert_eq(sched_getaffinity(0, sizeof p.allowed, &p.allowed), 0);
	if (CPU_COUNT(&p.allowed) < 2)
		cr_skip_test("there is one processor only");
	for (int attempt = 0; attempt < ATTEMPTS && 5 * same >= calls; attempt++) {
		calls = same = p.masks = 0;
		for (int turn = 0; turn < 300; turn++) {
			usleep(4000);
			int32_t here = sched_getcpu();
			location_call(&p);
			calls += p.n > 0;
			same += p.n > 0 && p.at == here;
		}
		cr_expect_eq(p.masks, calls, "in %d of %d calls a thread may not use all processors", calls - p.masks, calls);
	}
	cr_expect_gt(calls, 0, "thread 1 takes no part");
	cr_expect_lt(5 * same, calls, "in %d of %d calls it begins where the caller is", same, calls);
}

/* Processors that somebody chose for a thread of the pool while it slept. */
Test(pool, a_choice_of_processors_stays)
{
	struct location p = { .n = 0 };
	CPU_ZERO(&p.allowed);
	CPU_SET((size_t)sched_getcpu(), &p.allowed);
	for (int turn = 0; turn < 2000 && !p.n; turn++)
		lt__host_parallel_for(NULL, 2, POINTS, location_range, &p);
	cr_assert(p.n && sched_setaffinity(p.id, sizeof p.allowed, &p.allowed) == 0);
	p.masks = 0;
	int calls = 0;
	for (int turn = 0; turn < 1000 && calls < 20; turn++, calls += p.n > 0) {
		usleep(4000);
		location_call(&p);
	}
	cr_expect_gt(calls, 0, "thread 1 takes no part");
	cr_expect_eq(p.masks, calls);
}

/* Processors that somebody chose between the two calls, while the thread was being woken: the second one does not add
 * to them. */
Test(pool, a_choice_while_it_is_woken_stays)
{
	cpu_set_t all, chosen, after;
	struct processor_set left;
	int32_t here = lt__processor(), self = lt__thread_id(), other = -1;
	cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
	if (CPU_COUNT(&all) < 2)
		cr_skip_test("there is one processor only");
	for (int32_t i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET((size_t)i, &all) && i != here)
			other = i;
	cr_assert(lt__processor_forbid(self, here, &left));
	cr_assert(sched_getaffinity(0, sizeof after, &after) == 0 && !memcmp(&after, &left, sizeof after));
	cr_assert(CPU_COUNT(&after) == CPU_COUNT(&all) - 1 && !CPU_ISSET((size_t)here, &after));
	lt__processor_allow(self, here, &left);
	cr_assert(sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&after, &all), "as before");

	CPU_ZERO(&chosen);
	CPU_SET((size_t)here, &chosen);
	cr_assert(lt__processor_forbid(self, here, &left) && sched_setaffinity(0, sizeof chosen, &chosen) == 0);
	lt__processor_allow(self, other, &left);
	cr_assert(sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&after, &chosen));
}

/* -- threads -- */

/* Threads of this process with that beginning of a name. */
static int count_threads(const char *name)
{
	char path[300], text[64];
	int n = 0;
	DIR *d = opendir("/proc/self/task");
	cr_assert_not_null(d);
	for (struct dirent *e; (e = readdir(d)); ) {
		(void)snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
		FILE *f = fopen(path, "r");
		if (f && fgets(text, sizeof text, f))
			n += strncmp(text, name, strlen(name)) == 0;
		if (f)
			fclose(f);
	}
	closedir(d);
	return n;
}

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

Test(pool, threads_have_names_and_sleep)
{
	struct sum s = { 0 };
	cr_expect_eq(count_threads("looptree-"), 0, "threads before there is work");
	lt__host_parallel_for(NULL, 4, 1000, sum_range, &s);
	for (int i = 0; i < 1000 && count_threads("looptree-") != 3; i++)
		usleep(1000);
	cr_expect_eq(count_threads("looptree-"), 3);
	lt__host_parallel_for(NULL, 2, 1000, sum_range, &s);
	cr_expect_eq(count_threads("looptree-"), 3, "threads are made once");
	double used = 1;
	for (int attempt = 0; attempt < ATTEMPTS && used >= 0.02; attempt++) {
		double before = cpu_seconds();
		usleep(400000);
		used = cpu_seconds() - before;
	}
	cr_expect_lt(used, 0.02, "idle threads use %g s", used);
}

static bool in_child(int (*what)(void))
{
	int status = -1;
	pid_t child = fork();
	if (child == 0)
		_exit(what());
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static int child_stress(void) { return pool_stress(7, 200, 3) != 0; }
static int child_again(void) { return child_stress() || !in_child(child_stress); }

static void *fork_often(void *bad)
{
	for (int i = 0; i < 20; i++)
		*(_Atomic int *)bad += !in_child(child_stress);
	return NULL;
}

/* Under a filter that ends the process when it is asked to choose processors. */
static int child_filtered(void)
{
	struct sock_filter code[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	const struct sock_fprog filter = { .len = sizeof code / sizeof *code, .filter = code };
	const struct lt_options o = { .size = sizeof o, .no_affinity = 1 };
	struct lt_services s = { .cache.fd = -1 };
	struct sum sum = { 0 };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)
		|| lt__host_open(&s, NULL, &o, NULL))
		return 1;
	for (int turn = 0; turn < 50; turn++) {
		usleep(3000);
		s.host.parallel_for(&s.host, 2, POINTS, sum_range, &sum);
	}
	return sum.points != 50 * POINTS;
}

Test(pool, no_affinity_calls_nothing_that_a_filter_may_forbid)
{
	cr_expect(in_child(child_filtered));
}

Test(pool, children_have_pools_of_their_own)
{
	if (SANITIZED)
		cr_skip_test("a sanitizer's locks do not survive a fork while other threads make threads");
	_Atomic int bad = 0;
	pthread_t thread;
	cr_expect(in_child(child_again), "a child before there is a pool");
	cr_expect_eq(pool_stress(1, 200, 1), 0);
	cr_expect(in_child(child_again), "a child and its child");
	/* Whatever other threads are in the midst of. */
	cr_assert_eq(pthread_create(&thread, NULL, fork_often, &bad), 0);
	cr_expect_eq(pool_stress(2, 2000, 2), 0);
	(void)pthread_join(thread, NULL);
	cr_expect_eq(bad, 0, "%d children failed", (int)bad);
	cr_expect_eq(pool_stress(3, 200, 1), 0);
}
