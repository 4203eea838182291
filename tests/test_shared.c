/* test_shared.c -- one program on several threads: instances give the oracle's results, constants are prepared
 * once, backends that do not promise to run on several threads run in turns, and what fails is reported in the instance
 * that failed. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "check/random/random.h"
#include "lt/lt.h"
#include "tests/device.h"
#include "tests/run_graph.h"

enum { THREADS = 4, RUNS = 4, MAX_RESULT = 64 };
#ifdef __SANITIZE_THREAD__
enum { TEAM = 2, GRAPHS = 4 };
#else
enum { TEAM = 2, GRAPHS = 12 };
#endif

/* -- backends that watch over their threads: ref after a count of those that are in run -- */

static struct watch {
	atomic_int inside, max, runs, waiting;
	atomic_bool meet;                       /* a run waits for another one, for a minute at most */
} turns, together;

struct lt_session { struct lt_session *ref; struct watch *w; const struct lt_host *host; struct lt_caps caps; };
struct lt_object { struct lt_object *ref; struct watch *w; const struct lt_host *host; };

static const struct lt_backend *ref(void) { return lt_backend_find("ref"); }

static int32_t score(const char *config, struct lt_diag *diag)
{
	(void)config, (void)diag;
	return 1;
}

static lt_status open_watched(struct watch *w, uint64_t promises, const struct lt_host *host, struct lt_session **out,
	struct lt_diag *diag)
{
	struct lt_session *s = *out = calloc(1, sizeof *s);
	s->w = w;
	s->host = host;
	lt_status st = ref()->open(host, "", &s->ref, diag);
	s->caps = *ref()->caps(s->ref);
	s->caps.promises = promises;
	return st;
}

static lt_status open_turns(const struct lt_host *host, const char *config, struct lt_session **out,
	struct lt_diag *diag)
{
	(void)config;
	return open_watched(&turns, 0, host, out, diag);
}

static lt_status open_together(const struct lt_host *host, const char *config, struct lt_session **out,
	struct lt_diag *diag)
{
	(void)config;
	return open_watched(&together, LT_PROMISE_RUN_TOGETHER, host, out, diag);
}

static void close_(struct lt_session *s)
{
	ref()->close(s->ref);
	free(s);
}

static const struct lt_caps *caps(const struct lt_session *s) { return &s->caps; }
static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	return ref()->accepts(s->ref, t, diag);
}
static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	return ref()->sync(s->ref, stream, diag);
}

static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n,
	struct lt_object **object, struct lt_diag *diag)
{
	for (uint32_t i = 0; i < n; i++) {
		object[i] = calloc(1, sizeof *object[i]);
		object[i]->w = s->w;
		object[i]->host = s->host;
		cr_assert_eq(ref()->compile(s->ref, &tree[i], 1, &object[i]->ref, diag), LT_OK);
	}
	return LT_OK;
}

/* Until somebody else is inside, or was. */
static void meet(struct watch *w)
{
	for (int i = 0; i < 60000 && w->max < 2; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct watch *w = o->w;
	int now = ++w->inside;
	w->runs++;
	for (int max = w->max; now > max && !atomic_compare_exchange_weak(&w->max, &max, now); )
		;
	if (w->meet)
		meet(w);
	if (o->host->log)
		o->host->log(o->host, LT_LOG_INFO, "a run");
	lt_status st = ref()->run(o->ref, args, diag);
	sched_yield();
	w->inside--;
	return st;
}

static void destroy(struct lt_object *o)
{
	ref()->destroy(o->ref);
	free(o);
}

static void need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	ref()->need(o->ref, n_thread, bytes, align);
}

#define WATCHED(word, opener) \
	{ \
		.size = sizeof(struct lt_backend), .abi = LT_ABI, .build = LT_BUILD, .name = word, \
		.summary = "ref, watched", .version = "1", .score = score, .open = opener, .close = close_, \
		.caps = caps, .accepts = accepts, .compile = compile, .run = run, .sync = sync_, .destroy = destroy, \
		.need = need \
	}
static const struct lt_backend watched[] = { WATCHED("turns", open_turns), WATCHED("together", open_together) };

static void set_up(void)
{
	device_register();
	for (int i = 0; i < 2; i++)
		cr_assert(lt_backend_find(watched[i].name) || lt_backend_register(&watched[i], NULL) == LT_OK);
}

TestSuite(shared, .init = set_up, .timeout = 300);

/* -- an allocator that is called by one thread at a time -- */

struct careful { atomic_int inside; atomic_bool overlapped; };

static void *careful_alloc(void *user, void *at, size_t old_bytes, size_t bytes)
{
	struct careful *c = user;
	(void)old_bytes;
	if (++c->inside > 1)
		c->overlapped = true;
	if (bytes)
		at = realloc(at, bytes);
	else
		free(at);
	c->inside--;
	return bytes ? at : NULL;
}

/* -- threads with an instance each -- */

/* One thread's instance, its data and what came of it; it is judged when all threads have ended. */
struct side {
	struct lt_program *p;
	const struct lt_graph *g;
	pthread_barrier_t *start;
	pthread_t thread;
	struct run_want want;
	lt_status status;
	char text[300];                         /* why it failed */
	void *result[RUNS][MAX_RESULT];
	bool bounded;                           /* some extents are run-time scalars */
};

static int32_t binding_of(const struct side *s, enum lt_binding kind, lt_node n)
{
	return lt_program_find(s->p, kind, s->g->node[n].label);
}

static void side_fail(struct side *s, lt_status code, const char *text)
{
	s->status = code;
	(void)snprintf(s->text, sizeof s->text, "%s", text);
}

static lt_status one_run(struct side *s, struct lt_instance *r, int run_number, const void **input)
{
	void *const *source = s->want.source[run_number];
	for (lt_node n = 0; n < s->g->n_node; n++) {
		if (s->g->node[n].op == LT_OP_input)
			input[binding_of(s, LT_BINDING_INPUT, n)] = source[n];
		else if (s->g->node[n].op == LT_OP_state)
			memcpy(lt_instance_state(r, binding_of(s, LT_BINDING_STATE, n)), source[n],
				lt_program_bytes(s->p, LT_BINDING_STATE, binding_of(s, LT_BINDING_STATE, n)));
	}
	return lt_instance_run(r, input, s->result[run_number]);
}

static void *run_side(void *arg)
{
	struct side *s = arg;
	struct lt_instance *r = NULL;
	const void **input = calloc((size_t)lt_program_count(s->p, LT_BINDING_INPUT) + 1, sizeof *input);
	(void)pthread_barrier_wait(s->start);
	lt_status st = lt_instance_new(s->p, &r);
	for (int i = 0; i < s->want.n_run && !st; i++)
		st = one_run(s, r, i, input);
	struct lt_work work = { .size = sizeof work };
	struct lt_stats stats = { .size = sizeof stats };
	lt_program_stats(s->p, &stats);
	if (!st && (lt_instance_work(r, &work) || (work.useful != stats.flops && !s->bounded)))
		side_fail(s, LT_EINVAL, "it does not count what it does");
	if (st)
		side_fail(s, st, lt_instance_message(r));
	lt_instance_free(r);
	free(input);
	return NULL;
}

struct side_data { const struct random_graph *g; uint64_t seed; };
static void side_fill(void *user, int run_number, lt_node n, void *out)
{
	const struct side_data *x = user;
	random_graph_fill(x->g, x->g->g->node[n].op == LT_OP_constant ? 0 : x->seed, run_number, n, out);
}

static void judge_side(struct side *s, const char *who)
{
	const struct run_want *w = &s->want;
	cr_assert_eq(s->status, w->status, "%s: %s, the oracle says %s", who, s->text, w->message);
	for (int i = 0; i < w->n_run; i++)
		for (int k = 0; k < s->g->n_result && w->judge[i]; k++) {
			struct lt_report report = { 0 };
			lt_status st = lt__judge_result(w->judge[i], k, s->result[i][k], &report);
			cr_assert(!st && !lt__report_failed(&report), "%s, run %d: %s", who, i, report.first);
		}
}

static void run_graph_on(const struct random_graph *x, const char *backends, uint32_t team)
{
	struct side *side = calloc(THREADS, sizeof *side);
	const struct lt_options o = { .size = sizeof o, .backends = backends, .n_thread = team, .device_time = 1 };
	const struct lt_graph *g = x->g;
	struct lt_program *p;
	pthread_barrier_t start;
	struct lt_stats stats = { .size = sizeof stats };
	int64_t n_run = 0;
	char who[100];
	cr_assert_eq(lt_compile(g->ctx, g, &o, &p), LT_OK, "%s", lt_context_message(g->ctx));
	(void)pthread_barrier_init(&start, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		struct side_data data = { x, 100 + (uint64_t)i };
		side[i] = (struct side){ .p = p, .g = g, .start = &start, .bounded = g->n_param > 0 };
		run_want_new(g, RUNS, side_fill, &data, &side[i].want);
		cr_assert_leq(g->n_result, MAX_RESULT);
		for (int k = 0; k < RUNS * g->n_result; k++)
			side[i].result[k / g->n_result][k % g->n_result] =
				malloc(lt_program_bytes(p, LT_BINDING_RESULT, k % g->n_result) + 64);
	}
	for (lt_node n = 0; n < g->n_node; n++)
		if (g->node[n].op == LT_OP_constant)
			cr_assert_eq(LT_OK, lt_program_bind(p, lt_program_find(p, LT_BINDING_CONSTANT, g->node[n].label),
				side[0].want.source[0][n], 0));
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&side[i].thread, NULL, run_side, &side[i]), 0);
	for (int i = 0; i < THREADS; i++)
		(void)pthread_join(side[i].thread, NULL);
	for (int i = 0; i < THREADS; i++) {
		(void)snprintf(who, sizeof who, "%s, thread %d", backends, i);
		judge_side(&side[i], who);
		n_run += side[i].status ? side[i].want.n_run - 1 : side[i].want.n_run;
		run_want_free(&side[i].want);
		for (int k = 0; k < RUNS * g->n_result; k++)
			free(side[i].result[k / g->n_result][k % g->n_result]);
	}
	lt_program_stats(p, &stats);
	cr_assert_eq(stats.n_run, n_run, "%s: %lld runs are counted, not %lld", backends, (long long)stats.n_run,
		(long long)n_run);
	cr_assert_str_eq(lt_context_message(g->ctx), "", "%s", backends);
	(void)pthread_barrier_destroy(&start);
	lt_program_free(p);
	free(side);
}

Test(shared, instances_on_threads_give_the_oracles_results)
{
	static const char *const backends[] = { "cpu", "ref", "turns", "together", "devone", "devone:host;refuse=max,ref" };
	struct careful careful = { .inside = 0 };
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		const struct random_options o = { .n_node = 12, .views = true, .params = seed % 2, .states = true,
			.composites = seed % 3 == 0 };
		struct lt_context *ctx;
		struct random_graph x;
		cr_assert_eq(lt_context_new_with(careful_alloc, &careful, &ctx), LT_OK);
		random_graph_new(ctx, 3000 + seed, &o, &x);
		lt_context_clear(ctx);
		for (size_t b = 0; b < sizeof backends / sizeof *backends; b++)
			run_graph_on(&x, backends[b], b == 0 ? TEAM : 1);
		random_graph_free(&x);
		lt_context_free(ctx);
	}
	cr_assert_str_eq(device_one.wrong, "");
	cr_assert_eq(turns.max, 1, "%d threads were in a backend that does not promise to run them", (int)turns.max);
	cr_assert_gt(turns.runs, 0);
	cr_assert_not(careful.overlapped, "two threads were in the allocator");
}

/* -- what a program of two kernels, one of them of constants, does -- */

#define SCRIPT \
	"graph 1\nvar m 4\n%x = f32[m] input \"x\"\n%c = f32[m] constant \"c\"\n%e = f32[m] exp %c\n%s = f32[] " \
	"add.reduce %e\n" \
	"%y = f32[m] mul %x, %s\nresult \"y\" = %y\n"

static const float constant[4] = { 0, 0, 0, 0 };

static struct lt_program *compiled_by(struct lt_context *ctx, const struct lt_options *o)
{
	struct lt_graph *g;
	struct lt_program *p;
	cr_assert_eq(lt_graph_parse(ctx, SCRIPT, strlen(SCRIPT), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_compile(ctx, g, o, &p), LT_OK, "%s", lt_context_message(ctx));
	lt_graph_free(g);
	return p;
}

static struct lt_program *compiled(struct lt_context **ctx, const char *backend)
{
	const struct lt_options o = { .size = sizeof o, .backends = backend, .n_thread = 1 };
	cr_assert_eq(lt_context_new(ctx), LT_OK);
	struct lt_program *p = compiled_by(*ctx, &o);
	cr_assert_eq(lt_program_bind(p, 0, constant, 0), LT_OK);
	return p;
}

struct caller { struct lt_program *p; pthread_t thread; lt_status status; int runs; float y[4]; };

static void *call(void *arg)
{
	struct caller *c = arg;
	const float x[4] = { 1, 2, 3, 4 };
	struct lt_instance *r;
	c->status = lt_instance_new(c->p, &r);
	for (int i = 0; i < c->runs && !c->status; i++)
		c->status = lt_instance_run(r, (const void *const[]){ x }, (void *const[]){ c->y });
	if (c->runs && !c->status)
		cr_assert(c->y[0] == 4 && c->y[3] == 16, "%g %g", (double)c->y[0], (double)c->y[3]);
	lt_instance_free(r);
	return NULL;
}

static void call_all(struct lt_program *p, int runs)
{
	struct caller caller[THREADS] = { { .p = p } };
	for (int i = 0; i < THREADS; i++) {
		caller[i] = (struct caller){ .p = p, .runs = runs };
		cr_assert_eq(pthread_create(&caller[i].thread, NULL, call, &caller[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		(void)pthread_join(caller[i].thread, NULL);
		cr_assert_eq(caller[i].status, LT_OK);
	}
}

Test(shared, constants_are_prepared_once)
{
	struct lt_context *ctx;
	struct lt_program *p = compiled(&ctx, "together");
	struct lt_stats stats = { .size = sizeof stats };
	together.runs = 0;
	call_all(p, 0);
	cr_assert_gt(together.runs, 0);
	int once = together.runs;
	call_all(p, 2);
	lt_program_stats(p, &stats);
	cr_assert_eq(together.runs, once + 2 * THREADS * stats.n_launch, "%d launches, %d of them to prepare",
		(int)together.runs, once);
	lt_program_free(p);
	lt_context_free(ctx);
	p = compiled(&ctx, "together");
	together.runs = 0;
	call_all(p, 1);
	cr_assert_eq(together.runs, once + THREADS * stats.n_launch, "prepared by all at once");
	lt_program_free(p);
	lt_context_free(ctx);
}

/* A run of this backend waits until another thread is in it, too. */
Test(shared, a_backend_that_promises_it_runs_on_several_threads_at_once)
{
	struct lt_context *ctx;
	struct lt_program *p = compiled(&ctx, "together");
	call_all(p, 0);
	together.meet = true;
	call_all(p, 1);
	cr_assert_geq(together.max, 2);
	lt_program_free(p);
	lt_context_free(ctx);
	p = compiled(&ctx, "turns");
	call_all(p, 5);
	cr_assert_eq(turns.max, 1);
	lt_program_free(p);
	lt_context_free(ctx);
}

Test(shared, a_failure_is_told_in_the_instance_that_failed)
{
	struct lt_context *ctx;
	struct lt_program *p = compiled(&ctx, "ref");
	struct lt_instance *a, *b;
	const float x[4] = { 1, 2, 3, 4 };
	float y[4];
	cr_assert(!lt_instance_new(p, &a) && !lt_instance_new(p, &b));
	cr_assert_eq(lt_instance_run(a, (const void *const[]){ NULL }, (void *const[]){ y }), LT_EMISSING);
	cr_assert_eq(lt_instance_code(a), LT_EMISSING);
	cr_assert(strstr(lt_instance_message(a), "'x' (float32 [4])"), "%s", lt_instance_message(a));
	cr_assert_str_eq(lt_instance_message(b), "");
	cr_assert_eq(lt_instance_code(b), LT_OK);
	cr_assert_str_eq(lt_context_message(ctx), "");
	cr_assert_eq(lt_instance_run(b, (const void *const[]){ x }, (void *const[]){ NULL }), LT_EMISSING);
	cr_assert_str_eq(lt_instance_message(b), "result 'y' is given no memory");
	cr_assert(strstr(lt_instance_message(a), "'x' (float32 [4])"));
	lt_instance_free(a);
	lt_instance_free(b);
	lt_program_free(p);
	lt_context_free(ctx);
}

/* -- a callback, while constants are computed and while instances run -- */

struct asker { struct lt_program *p; int calls; lt_status made, bound; char text[2][200]; };

/* From the first kernel that runs, which is one of constants. */
static void ask_from_log(void *user, int level, const char *text)
{
	struct asker *a = user;
	struct lt_instance *r;
	(void)level, (void)text;
	if (a->calls++)
		return;
	a->made = lt_instance_new(a->p, &r);
	(void)snprintf(a->text[0], sizeof a->text[0], "%s", lt_instance_message(r));
	lt_instance_free(r);
	a->bound = lt_program_bind(a->p, 0, constant, 0);
}

Test(shared, a_callback_that_asks_for_an_instance_while_constants_are_computed_is_refused)
{
	struct lt_context *ctx;
	struct asker a = { .calls = 0 };
	struct lt_instance *r;
	const float x[4] = { 1, 2, 3, 4 };
	float y[4];
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	a.p = compiled_by(ctx, &(struct lt_options){ .size = sizeof(struct lt_options), .backends = "turns", .n_thread = 1,
		.log = ask_from_log, .user = &a });
	cr_assert_eq(lt_program_bind(a.p, 0, constant, 0), LT_OK);
	cr_assert_eq(lt_instance_new(a.p, &r), LT_OK, "%s", lt_instance_message(r));
	cr_assert_eq(a.calls, 1);
	cr_expect_eq(a.made, LT_EINVAL);
	cr_expect(strstr(a.text[0], "a callback calls lt_instance_new while the program's constants are computed"), "%s",
		a.text[0]);
	cr_expect_eq(a.bound, LT_EINVAL);
	cr_expect(strstr(lt_context_message(ctx), "a callback calls lt_program_bind"), "%s", lt_context_message(ctx));
	/* The log of a run may ask. */
	a.calls = 0;
	cr_assert_eq(lt_instance_run(r, (const void *const[]){ x }, (void *const[]){ y }), LT_OK);
	cr_expect_eq(a.made, LT_OK, "%s", a.text[0]);
	cr_expect(y[0] == 4 && y[3] == 16);
	lt_instance_free(r);
	lt_program_free(a.p);
	lt_context_free(ctx);
}
