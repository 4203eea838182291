/* test_host.c -- the services that a program gives its backends: threads, messages, facts that are kept. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "keeper.h"
#include "lt/lt.h"
#include "program/run/run.h"
#include "tests/ltrun.h"

TestSuite(host, .timeout = 60);

/* -- threads -- */

struct meeting { pthread_barrier_t barrier; uint32_t n_thread; uint32_t n[8], met[8]; pthread_t thread[8]; };

/* Nobody passes the barrier before all are there: bodies one after the other would wait for ever. */
static void meet(void *arg, uint32_t i, uint32_t n)
{
	struct meeting *m = arg;
	m->n[i] = n;
	m->met[i]++;
	m->thread[i] = pthread_self();
	if (n == m->n_thread)
		pthread_barrier_wait(&m->barrier);
}

static void *meet_often(void *host)
{
	struct meeting m = { .n_thread = 3 };
	pthread_barrier_init(&m.barrier, NULL, 3);
	for (int turn = 0; turn < 50; turn++)
		((const struct lt_host *)host)->parallel(host, 3, meet, &m);
	pthread_barrier_destroy(&m.barrier);
	bool ok = true;
	for (uint32_t i = 0; i < 3; i++)
		ok = ok && m.n[i] == 3 && m.met[i] == 50;
	return ok ? host : NULL;
}

static struct lt_host parallel_host(void)
{
	return (struct lt_host){ .size = sizeof(struct lt_host), .parallel = lt__host_parallel };
}

Test(host, bodies_run_at_once)
{
	struct lt_host host = parallel_host();
	struct meeting m = { .n_thread = 4 };
	pthread_barrier_init(&m.barrier, NULL, 4);
	host.parallel(&host, 4, meet, &m);
	for (uint32_t i = 0; i < 4; i++) {
		cr_expect(m.n[i] == 4 && m.met[i] == 1);
		for (uint32_t k = 0; k < i; k++)
			cr_expect(!pthread_equal(m.thread[i], m.thread[k]));
	}
	cr_expect(pthread_equal(m.thread[0], pthread_self()), "the caller works, too");
	for (uint32_t n = 0; n < 2; n++) {
		struct meeting one = { .n_thread = 99 };
		host.parallel(&host, n, meet, &one);
		cr_expect(one.n[0] == 1 && one.met[0] == 1 && one.met[1] == 0);
	}
	pthread_barrier_destroy(&m.barrier);
}

struct crowd { _Atomic uint32_t bodies, n; };

static void count_body(void *arg, uint32_t i, uint32_t n)
{
	struct crowd *c = arg;
	c->bodies++;
	if (i == 0)
		c->n = n;
}

/* A number that no system has threads for is no reason to end the process. */
Test(host, any_number_of_threads_may_be_asked_for)
{
	struct lt_host host = parallel_host();
	static const uint32_t ask[] = { 5000000, UINT32_MAX };
	for (size_t i = 0; i < sizeof ask / sizeof *ask; i++) {
		struct crowd c = { .n = 0 };
		host.parallel(&host, ask[i], count_body, &c);
		cr_expect(c.n >= 1 && c.n <= ask[i] && c.bodies == c.n, "%u bodies of %u", (unsigned)c.bodies, (unsigned)c.n);
	}
}

Test(host, two_threads_may_call_at_once)
{
	struct lt_host host[2] = { parallel_host(), parallel_host() };
	pthread_t thread[2];
	for (int i = 0; i < 2; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, meet_often, &host[i]), 0);
	for (int i = 0; i < 2; i++) {
		void *ok;
		cr_assert_eq(pthread_join(thread[i], &ok), 0);
		cr_expect(ok, "some bodies did not run");
	}
}

/* -- a backend that uses what it is given: ref, which tells and keeps something when it is opened -- */

static char logged[256], found[64];
static void log_(void *user, int level, const char *text)
{
	size_t n = strlen(logged);
	(void)snprintf(logged + n, sizeof logged - n, "%s%d: %s", user == logged ? "" : "wrong user ", level, text);
}

static void keep_found(void *user, const char *text, size_t bytes)
{
	(void)snprintf(user, sizeof found, "%.*s", (int)bytes, text);
}

static lt_status open_asking(
	const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	found[0] = '\0';
	if (LT_HAS(struct lt_host, host, log))
		host->log(host, LT_LOG_INFO, "asked");
	if (!LT_HAS(struct lt_host, host, recall) || !LT_HAS(struct lt_host, host, keep))
		(void)snprintf(found, sizeof found, "nothing is kept");
	else if (host->recall(host, "asking: a\0key", 13, keep_found, found) == LT_EMISSING)
		host->keep(host, "asking: a\0key", 13, "a fact", 6);
	return lt_backend_find("ref")->open(host, config, out, diag);
}

static lt_status compile_asking(const struct lt_options *o)
{
	static const char text[] = "graph 1\nvar m 4\n%x = f32[m] input \"x\"\n%y = f32[] add.reduce %x\nresult \"y\" = %y\n";
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	lt_status status = lt_compile(ctx, g, o, &p);
	cr_expect_eq(status, LT_OK, "%s", lt_context_message(ctx));
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	return status;
}

Test(host, messages_and_facts)
{
	static struct lt_backend asking;
	asking = *lt_backend_find("ref");
	asking.name = "asking";
	asking.open = open_asking;
	cr_assert_eq(lt_backend_register(&asking, NULL), LT_OK);
	struct lt_options o = { .size = sizeof o, .backends = "asking" };
	(void)compile_asking(&o);
	cr_expect(strcmp(found, "nothing is kept") == 0 && !*logged, "%s %s", found, logged);
	o.log = log_;
	o.user = logged;
	o.cache_dir = scratch("");
	(void)compile_asking(&o);
	cr_expect(!*found && strcmp(logged, "1: asked") == 0, "%s, %s", found, logged);
	(void)compile_asking(&o);
	cr_expect_str_eq(found, "a fact");
	o.size = offsetof(struct lt_options, log);              /* of a caller that does not know of messages */
	logged[0] = '\0';
	(void)compile_asking(&o);
	cr_expect_str_eq(logged, "");
	scratch_remove();
}

/* lt-run shows what a backend tells, with --quiet too. */
Test(host, lt_run_shows_messages, .init = ltrun_set_up, .fini = ltrun_tear_down)
{
	ltrun_write_text("add.lt", "$1 = InputTensor(x, float32, [4]); $2 = AddNode($1, $1); result = $2;");
	cr_assert_eq(ltrun("add.lt -B %s -b saves:talks -i x=random --no-cache -q --verbose",
			     built("tests/plugins/saves.so")),
		0, "%s", ltrun_err);
	cr_expect(strstr(ltrun_err, "warning: saves: this device is slow\n") != NULL, "%s", ltrun_err);
	cr_assert_eq(ltrun("add.lt -B %s -b saves:talks -i x=random --no-cache -q", built("tests/plugins/saves.so")), 0,
		"%s", ltrun_err);
	cr_expect_str_eq(ltrun_err, "lt-run: warning: saves: this device is slow\n");
}
