/* test_shared_calls.c -- calls on one program by several threads: instances that cannot be made say why on their
 * own thread, one is filled while others call, and a program is dumped while its instances run. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "lt/lt.h"

enum { DUMP_BYTES = 1 << 18 };
static const char script[] = "graph 1\nvar m 4\n%x = f32[m] input \"x\"\n%c = f32[m] constant \"c\"\n"
	"%e = f32[m] exp %c\n%s = f32[] add.reduce %e\n%y = f32[m] mul %x, %s\nresult \"y\" = %y\n";
static const float constant[4] = { 0, 0, 0, 0 };

TestSuite(shared_calls, .timeout = 300);

static struct lt_program *compiled_by(struct lt_context *ctx, const char *text, const struct lt_options *o)
{
	struct lt_graph *g;
	struct lt_program *p;
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_compile(ctx, g, o, &p), LT_OK, "%s", lt_context_message(ctx));
	lt_graph_free(g);
	return p;
}

/* -- instances that cannot be made -- */

struct failing { struct lt_program *p; pthread_t thread; lt_status code; const char *say; int wrong; };

static void *fail_often(void *arg)
{
	struct failing *f = arg;
	for (int i = 0; i < 2000; i++) {
		struct lt_instance *r;
		lt_status st = lt_instance_new(f->p, &r);
		f->wrong += !r || st != f->code || lt_instance_code(r) != f->code || !strstr(lt_instance_message(r), f->say);
		lt_instance_free(r);
	}
	return NULL;
}

/* Nothing of it is seen in the context, which another thread may be using. */
Test(shared_calls, an_instance_that_cannot_be_made_says_why_on_its_own_thread)
{
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	struct failing f[2] = {
		{ .p = compiled_by(ctx, script, &(struct lt_options){ .size = sizeof(struct lt_options), .backends = "ref" }),
			.code = LT_EMISSING, .say = "Missing constant: 'c' (float32 [4])" },
		{ .p = compiled_by(ctx, script,
			  &(struct lt_options){ .size = sizeof(struct lt_options), .backends = "ref", .plan_only = 1 }),
			.code = LT_EINVAL, .say = "compiled with plan_only" } };
	for (int i = 0; i < 2; i++)
		cr_assert_eq(pthread_create(&f[i].thread, NULL, fail_often, &f[i]), 0);
	for (int i = 0; i < 2000; i++) {
		cr_assert_str_eq(lt_context_message(ctx), "");
		lt_context_clear(ctx);
	}
	for (int i = 0; i < 2; i++) {
		(void)pthread_join(f[i].thread, NULL);
		cr_assert_eq(f[i].wrong, 0, "%d of 2000 times it is not '%s'", f[i].wrong, f[i].say);
		lt_program_free(f[i].p);
	}
	cr_assert_eq(lt_context_code(ctx), LT_OK);
	lt_context_free(ctx);
}

Test(shared_calls, an_instance_that_was_not_made_refuses_all_and_keeps_its_sentence)
{
	struct lt_context *ctx;
	struct lt_work work = { .size = sizeof work };
	const float x[4] = { 1 };
	float y[4];
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	struct lt_program *p =
		compiled_by(ctx, script, &(struct lt_options){ .size = sizeof(struct lt_options), .backends = "ref" });
	struct lt_instance *r;
	cr_assert_eq(lt_instance_new(p, &r), LT_EMISSING);
	cr_expect_eq(lt_instance_run(r, (const void *const[]){ x }, (void *const[]){ y }), LT_EMISSING);
	cr_expect_null(lt_instance_state(r, 0));
	cr_expect_eq(lt_instance_extent(r, 0, 0), 0);
	cr_expect_eq(lt_instance_work(r, &work), LT_EMISSING);
	lt_instance_reset(r);
	cr_expect(strstr(lt_instance_message(r), "'c' (float32 [4])"), "%s", lt_instance_message(r));
	lt_instance_free(r);
	cr_expect_eq(lt_instance_code(NULL), LT_ENOMEM);
	cr_expect_str_eq(lt_instance_message(NULL), "out of memory");
	lt_program_free(p);
	lt_context_free(ctx);
}

/* -- calls of others meanwhile -- */

/* An allocator that, once it is armed, lets another thread call the program and waits for its answer. */
struct prompt { struct lt_program *p; atomic_bool armed, answered; pthread_t thread; };

static void *bind_late(void *arg)
{
	struct prompt *t = arg;
	(void)lt_program_bind(t->p, 0, constant, 0);
	t->answered = true;
	return NULL;
}

static void *prompt_alloc(void *user, void *at, size_t old_bytes, size_t bytes)
{
	struct prompt *t = user;
	(void)old_bytes;
	if (t->armed && bytes > 10000) {        /* the zeroed memory of an instance, not the struct */
		t->armed = false;
		(void)pthread_create(&t->thread, NULL, bind_late, t);
		for (int i = 0; i < 60000 && !t->answered; i++)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	if (bytes)
		return realloc(at, bytes);
	free(at);
	return NULL;
}

Test(shared_calls, an_instance_is_filled_while_other_threads_call_the_program)
{
	static const char large[] = "graph 1\nvar m 10000\n%x = f32[m] input \"x\"\n%s = f32[m] state \"s\"\n"
		"%c = f32[] constant \"c\"\n%y = f32[m] mul %x, %c\n%t = f32[m] add %y, %s\nset %s = %t\nresult \"y\" = %t\n";
	struct prompt t = { .p = NULL };
	struct lt_context *ctx;
	struct lt_instance *r[2];
	const struct lt_options o = { .size = sizeof o, .backends = "ref", .n_thread = 1 };
	cr_assert_eq(lt_context_new_with(prompt_alloc, &t, &ctx), LT_OK);
	t.p = compiled_by(ctx, large, &o);
	cr_assert_eq(lt_program_bind(t.p, 0, constant, 0), LT_OK);
	cr_assert_eq(lt_instance_new(t.p, &r[0]), LT_OK, "%s", lt_instance_message(r[0]));
	t.armed = true;
	cr_assert_eq(lt_instance_new(t.p, &r[1]), LT_OK, "%s", lt_instance_message(r[1]));
	cr_assert_not(t.armed);
	bool answered = t.answered;
	(void)pthread_join(t.thread, NULL);
	cr_assert(answered, "a call on the program waits until an instance is filled");
	lt_instance_free(r[0]);
	lt_instance_free(r[1]);
	lt_program_free(t.p);
	lt_context_free(ctx);
}

static void add_text(void *user, const char *text, size_t bytes)
{
	char *to = user;
	size_t n = strlen(to);
	cr_assert_lt(n + bytes, DUMP_BYTES);
	memcpy(to + n, text, bytes);
	to[n + bytes] = '\0';
}

struct caller { struct lt_program *p; pthread_t thread; lt_status status; };

static void *call(void *arg)
{
	struct caller *c = arg;
	const float x[4] = { 1, 2, 3, 4 };
	float y[4];
	struct lt_instance *r;
	c->status = lt_instance_new(c->p, &r);
	for (int i = 0; i < 2000 && !c->status; i++)
		c->status = lt_instance_run(r, (const void *const[]){ x }, (void *const[]){ y });
	lt_instance_free(r);
	return NULL;
}

/* Each kind gives what it gave when nothing ran. */
Test(shared_calls, a_program_is_dumped_while_its_instances_run)
{
	static const enum lt_dump_kind kinds[] = { LT_SHOW_GRAPH, LT_SHOW_TREE, LT_SHOW_ACCESS, LT_SHOW_FROZEN,
		LT_SHOW_SOURCE, LT_SHOW_PLAN, LT_SHOW_EXPLAIN };
	enum { KINDS = sizeof kinds / sizeof *kinds };
	const struct lt_options o = { .size = sizeof o, .backends = "cpu", .n_thread = 1 };
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	struct lt_program *p = compiled_by(ctx, script, &o);
	cr_assert_eq(lt_program_bind(p, 0, constant, 0), LT_OK);
	char *want[KINDS], *got = calloc(DUMP_BYTES, 1);
	struct caller caller[2];
	for (int k = 0; k < KINDS; k++)
		cr_assert_eq(lt_program_dump(p, kinds[k], add_text, want[k] = calloc(DUMP_BYTES, 1)), LT_OK);
	for (int i = 0; i < 2; i++) {
		caller[i] = (struct caller){ .p = p };
		cr_assert_eq(pthread_create(&caller[i].thread, NULL, call, &caller[i]), 0);
	}
	for (int round = 0; round < 50; round++)
		for (int k = 0; k < KINDS; k++) {
			*got = '\0';
			cr_assert_eq(lt_program_dump(p, kinds[k], add_text, got), LT_OK, "%s", lt_context_message(ctx));
			cr_assert_str_eq(got, want[k]);
		}
	for (int i = 0; i < 2; i++) {
		(void)pthread_join(caller[i].thread, NULL);
		cr_assert_eq(caller[i].status, LT_OK);
	}
	for (int k = 0; k < KINDS; k++)
		free(want[k]);
	free(got);
	lt_program_free(p);
	lt_context_free(ctx);
}
