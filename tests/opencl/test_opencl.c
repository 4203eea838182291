/* test_opencl.c -- the backend opencl on a device: PoCL makes one of any processor. */
#define _GNU_SOURCE 1
#include <math.h>
#include <pthread.h>
#include "tests/opencl/opencl_session.h"

TestSuite(opencl, .init = opencl_begin, .timeout = 120);

static void write_text(void *user, const char *text, size_t bytes)
{
	char *to = user;
	size_t n = strlen(to);
	cr_assert_lt(n + bytes, 1u << 16);
	memcpy(to + n, text, bytes);
	to[n + bytes] = '\0';
}

Test(opencl, describes_the_device_and_refuses_others)
{
	static const struct { const char *config, *says; } wrong[] = {
		{ "device=999", "has no device 999" }, { "platform=999", "there is no platform 999" },
		{ "fast", "unknown option 'fast'" }, { "device=x", "device" }
	};
	static char text[1 << 16];
	struct lt_session *s = opencl_open();
	opencl_backend()->describe(s, write_text, text);
	cr_expect(strstr(text, "platform ") && strstr(text, "\ndevice 0, ") && strstr(text, " KiB a block\n"), "%s", text);
	cr_expect_eq(strncmp(opencl_backend()->caps(s)->target->name, "opencl:", 7), 0);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct keeper k = keeper_new();
		struct lt_session *none = NULL;
		cr_expect_eq(opencl_backend()->open(NULL, wrong[i].config, &none, &k.diag), LT_EINVAL, "%s", wrong[i].config);
		cr_expect(!none && strstr(k.text, wrong[i].says), "%s: %s", wrong[i].config, k.text);
	}
	opencl_backend()->close(s);
}

/* What a caller has from a session of its own is taken by a program's. */
Test(opencl, sessions_of_a_device_share_its_context)
{
	struct lt_session *s[3] = { opencl_open(), opencl_open(), NULL };
	struct keeper k = keeper_new();
	struct tb *b = opencl_twice("twice");
	struct lt_object *o = opencl_object(s[1], b);
	struct lt_slot slot[2];
	struct lt_fault fault;
	const cl_context of = s[0]->context;
	void *queue;
	opencl_vectors(s[0], slot);
	cr_assert_eq(opencl_backend()->stream_new(s[0], &queue, &k.diag), LT_OK, "%s", k.text);
	cr_expect(of && of == s[1]->context);
	struct lt_args args = opencl_args(slot, 2, &fault);
	args.stream = queue;
	cr_expect_eq(opencl_backend()->run(o, &args, &k.diag), LT_OK, "%s", k.text);
	opencl_expect_times(s[0], &slot[1], 2);
	opencl_backend()->stream_free(s[0], queue);
	for (int i = 0; i < 2; i++)
		opencl_backend()->mem_free(s[0], slot[i].base);
	opencl_backend()->close(s[0]);
	/* The second has it still, and so has a third. */
	s[2] = opencl_open();
	cr_expect(s[2]->context == of);
	opencl_backend()->destroy(o);
	opencl_backend()->close(s[1]);
	opencl_backend()->close(s[2]);
	free(b);
}

/* Two in the session's queue, the second reads what the first has written; two in a queue of the caller's. */
Test(opencl, asynchronous_runs_are_done_when_they_are_waited_for)
{
	struct keeper k = keeper_new();
	struct lt_session *s = opencl_open();
	struct tb *b = opencl_twice("twice");
	struct lt_object *o = opencl_object(s, b);
	struct lt_slot slot[4], other[4];
	struct lt_fault fault;
	void *own = NULL;
	cr_assert_eq(opencl_backend()->stream_new(s, &own, &k.diag), LT_OK, "%s", k.text);
	opencl_vectors(s, slot);
	opencl_vectors(s, slot + 2);
	memcpy(other, slot, sizeof other);
	for (int round = 0; round < 2; round++) {
		struct lt_slot chain[2] = { slot[1], slot[0] };
		struct lt_args first = opencl_args(slot, 2, &fault), second = opencl_args(chain, 2, &fault),
			third = opencl_args(slot + 2, 2, &fault);
		first.async = second.async = third.async = 1;
		third.stream = own;
		cr_assert_eq(opencl_backend()->run(o, &first, &k.diag), LT_OK, "%s", k.text);
		cr_assert_eq(opencl_backend()->run(o, &second, &k.diag), LT_OK, "%s", k.text);
		cr_assert_eq(opencl_backend()->run(o, &third, &k.diag), LT_OK, "%s", k.text);
		cr_assert_not_null(s->streams);
		if (round)
			cr_assert_eq(opencl_backend()->sync(s, own, &k.diag), LT_OK, "%s", k.text);
		cr_assert_eq(opencl_backend()->sync(s, NULL, &k.diag), LT_OK, "%s", k.text);
		cr_assert_null(s->streams);
		opencl_expect_times(s, &slot[1], round ? 8 : 2);
		opencl_expect_times(s, &slot[0], round ? 16 : 4);
		opencl_expect_times(s, &slot[3], 2);
	}
	struct lt_args last = opencl_args(slot + 2, 2, &fault);
	last.async = 1;
	last.stream = own;
	cr_assert_eq(opencl_backend()->run(o, &last, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(opencl_backend()->sync(s, NULL, &k.diag), LT_OK, "%s", k.text);
	opencl_expect_times(s, &slot[3], 2);
	cr_assert_eq(opencl_backend()->run(o, &last, &k.diag), LT_OK, "%s", k.text);
	opencl_backend()->stream_free(s, own);          /* with what nobody has waited for */
	cr_assert_null(s->streams);
	opencl_drop(s, other, 4);
	opencl_backend()->destroy(o);
	opencl_backend()->close(s);
	free(b);
}

Test(opencl, faults_arrive_when_a_run_is_waited_for)
{
	static const int64_t at[BLOCKS] = { 3, -1, 7, 8 };
	static const float table[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct keeper k = keeper_new();
	struct lt_session *s = opencl_open();
	struct tb *b = opencl_gather();
	struct lt_object *o = opencl_object(s, b);
	struct lt_fault fault, more[3];
	struct lt_slot slot[3] = { opencl_slot(s, table, sizeof table), opencl_slot(s, at, sizeof at),
		opencl_slot(s, NULL, BLOCKS * 4) };
	struct lt_args args = opencl_args(slot, 3, &fault);
	cr_assert_eq(opencl_backend()->run(o, &args, &k.diag), LT_OK, "%s", k.text);
	cr_expect(fault.n == 2 && fault.stmt == 0 && (fault.value == -1 || fault.value == 8), "%lld", (long long)fault.n);
	for (int i = 0; i < 3; i++) {
		args = opencl_args(slot, 3, &more[i]);
		args.async = 1;
		cr_assert_eq(opencl_backend()->run(o, &args, &k.diag), LT_OK, "%s", k.text);
		cr_expect_eq(more[i].n, 0, "a record is handed over by sync");
	}
	cr_assert_eq(opencl_backend()->sync(s, NULL, &k.diag), LT_OK, "%s", k.text);
	for (int i = 0; i < 3; i++)
		cr_expect_eq(more[i].n, 2);
	static const int64_t good[BLOCKS] = { 3, 0, 7, 1 };
	struct lt_slot indices = opencl_slot(s, good, sizeof good);
	opencl_drop(s, &slot[1], 1);
	slot[1] = indices;
	args = opencl_args(slot, 3, &fault);
	cr_assert_eq(opencl_backend()->run(o, &args, &k.diag), LT_OK, "%s", k.text);
	float y[BLOCKS];
	opencl_fetch(s, &slot[2], y);
	cr_expect_eq(fault.n, 0, "a record is cleared before each run");
	for (int i = 0; i < BLOCKS; i++)
		cr_expect_eq(y[i], (float)good[i]);
	opencl_drop(s, slot, 3);
	opencl_backend()->destroy(o);
	opencl_backend()->close(s);
	free(b);
}

struct runner { struct lt_session *s; struct lt_object *o; bool right; };

static void *run_often(void *arg)
{
	struct runner *r = arg;
	struct keeper k = keeper_new();
	struct lt_fault fault;
	struct lt_slot slot[2];
	opencl_vectors(r->s, slot);
	r->right = true;
	for (int i = 0; i < 50; i++) {
		struct lt_slot to[2] = { slot[i % 2], slot[1 - i % 2] };
		struct lt_args args = opencl_args(to, 2, &fault);
		r->right = r->right && opencl_backend()->run(r->o, &args, &k.diag) == LT_OK;
	}
	float y[ELEMS];
	opencl_fetch(r->s, &slot[0], y);
	for (int i = 0; i < ELEMS; i++)
		r->right = r->right && y[i] == 0x1p50f * ((float)i - 9);
	opencl_drop(r->s, slot, 2);
	return NULL;
}

Test(opencl, threads_run_one_object_at_once)
{
	enum { N = 4 };
	struct lt_session *s = opencl_open();
	struct tb *b = opencl_twice("twice");
	struct runner r[N];
	pthread_t thread[N];
	struct lt_object *o = opencl_object(s, b);
	for (int i = 0; i < N; i++) {
		r[i] = (struct runner){ s, o, false };
		cr_assert_eq(pthread_create(&thread[i], NULL, run_often, &r[i]), 0);
	}
	for (int i = 0; i < N; i++) {
		cr_assert_eq(pthread_join(thread[i], NULL), 0);
		cr_expect(r[i].right, "thread %d", i);
	}
	opencl_backend()->destroy(o);
	opencl_backend()->close(s);
	free(b);
}

struct bytes { char *at; size_t n; };
static void write_bytes(void *user, const char *data, size_t n)
{
	struct bytes *b = user;
	b->at = realloc(b->at, b->n + n);
	cr_assert_not_null(b->at);
	memcpy(b->at + b->n, data, n);
	b->n += n;
}

Test(opencl, objects_are_saved_and_loaded)
{
	static char text[1 << 16], again[1 << 16];
	struct keeper k = keeper_new();
	struct lt_session *s = opencl_open(), *t = opencl_open();
	struct tb *b = opencl_twice("twice"), *other = opencl_gather();
	struct lt_object *o = opencl_object(s, b), *none = NULL;
	struct bytes kept = { NULL, 0 };
	cr_assert_eq(opencl_backend()->save(o, write_bytes, &kept, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(opencl_backend()->identity(s, write_text, text, &k.diag), LT_OK);
	cr_assert_eq(opencl_backend()->identity(t, write_text, again, &k.diag), LT_OK);
	cr_expect_str_eq(text, again);
	cr_expect(strstr(text, "-cl-opt-disable") && strstr(text, "driver "), "%s", text);
	opencl_backend()->destroy(o);
	cr_expect_eq(opencl_backend()->load(t, &other->tree, kept.at, kept.n, &none, &k.diag), LT_EINVAL);
	for (size_t n = 0; n < kept.n; n += kept.n / 7 + 1)
		cr_expect_eq(opencl_backend()->load(t, &b->tree, kept.at, n, &none, &k.diag), LT_EINVAL, "of %zu bytes", n);
	kept.at[kept.n / 2] ^= 4;
	cr_expect_eq(opencl_backend()->load(t, &b->tree, kept.at, kept.n, &none, &k.diag), LT_EINVAL);
	kept.at[kept.n / 2] ^= 4;
	cr_expect_null(none);
	cr_assert_eq(opencl_backend()->load(t, &b->tree, kept.at, kept.n, &o, &k.diag), LT_OK, "%s", k.text);
	struct lt_slot slot[2];
	struct lt_fault fault;
	opencl_vectors(t, slot);
	struct lt_args args = opencl_args(slot, 2, &fault);
	cr_assert_eq(opencl_backend()->run(o, &args, &k.diag), LT_OK, "%s", k.text);
	opencl_expect_times(t, &slot[1], 2);
	text[0] = '\0';
	cr_assert_eq(opencl_backend()->dump(o, LT_DUMP_STATS, write_text, text), LT_OK);
	cr_expect(strstr(text, "from_cache 1\n") && strstr(text, "twice_1.threads 16\n"), "%s", text);
	opencl_drop(t, slot, 2);
	opencl_backend()->destroy(o);
	opencl_backend()->close(s);
	opencl_backend()->close(t);
	free(kept.at);
	free(b);
	free(other);
}

/* With O0 one text, where the names of functions differ. */
Test(opencl, kernels_are_compiled_together)
{
	for (int same = 0; same < 2; same++) {
		struct keeper k = keeper_new();
		struct lt_session *s = opencl_open();
		struct tb *b[3] = { opencl_twice("one"), opencl_gather(), opencl_twice(same ? "one" : "two") };
		const struct lt_tree *tree[3] = { &b[0]->tree, &b[1]->tree, &b[2]->tree };
		struct lt_object *o[3];
		struct lt_slot slot[2];
		struct lt_fault fault;
		cr_assert_eq(opencl_backend()->compile(s, tree, 3, o, &k.diag), LT_OK, "%s", k.text);
		cr_expect_eq(o[0]->program == o[2]->program, !same);
		opencl_vectors(s, slot);
		for (int i = 0; i < 4; i++) {
			struct lt_slot to[2] = { slot[i % 2], slot[1 - i % 2] };
			struct lt_args args = opencl_args(to, 2, &fault);
			cr_assert_eq(opencl_backend()->run(o[i % 2 ? 2 : 0], &args, &k.diag), LT_OK, "%s", k.text);
		}
		opencl_expect_times(s, &slot[0], 16);
		opencl_drop(s, slot, 2);
		for (int i = 0; i < 3; i++) {
			opencl_backend()->destroy(o[i]);
			free(b[i]);
		}
		opencl_backend()->close(s);
	}
}

/* PoCL's own gives a little less of -infinity. */
Test(opencl, tanh_ends_at_one)
{
	static const float x[] = { -INFINITY, INFINITY, -40, 40, -0x1p127f, 0, 0x1p-140f, NAN };
	static const float want[] = { -1, 1, -1, 1, -1, 0, 0x1p-140f, NAN };
	enum { N = sizeof x / sizeof *x };
	struct keeper k = keeper_new();
	struct lt_session *s = opencl_open();
	struct tb *b = tb_new("bent", 0, 1, 0);
	int32_t i = tb_loop(b, -1, LT_GRID, N, NULL, "i"), from = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, N);
	int32_t to = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, N), at = tb_access(b, from, "i0");
	tb_stmt(b, LT_MAP, tb_op(b, "tanh", LT_F32, LT_F32), i, tb_access(b, to, "i0"), NULL, "y", 1);
	tb_read(b, at);
	(void)tb_done(b);
	struct lt_object *o = opencl_object(s, b);
	struct lt_slot slot[2] = { opencl_slot(s, x, sizeof x), opencl_slot(s, NULL, sizeof x) };
	struct lt_fault fault;
	struct lt_args args = opencl_args(slot, 2, &fault);
	float y[N];
	cr_assert_eq(opencl_backend()->run(o, &args, &k.diag), LT_OK, "%s", k.text);
	opencl_fetch(s, &slot[1], y);
	for (int n = 0; n < N; n++)
		cr_expect(y[n] == want[n] || (isnan(y[n]) && isnan(want[n])), "tanh %g is %g", (double)x[n], (double)y[n]);
	opencl_drop(s, slot, 2);
	opencl_backend()->destroy(o);
	opencl_backend()->close(s);
	free(b);
}

Test(opencl, time_passes_between_events)
{
	struct keeper k = keeper_new();
	struct lt_session *s = opencl_open();
	struct lt_event *from, *to;
	int64_t ns = -1;
	cr_assert_eq(opencl_backend()->event_new(s, &from, &k.diag), LT_OK);
	cr_assert_eq(opencl_backend()->event_new(s, &to, &k.diag), LT_OK);
	cr_expect_eq(opencl_backend()->event_ns(from, to, &ns, &k.diag), LT_EINVAL);
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(opencl_backend()->event_record(from, NULL, &k.diag), LT_OK, "%s", k.text);
		opencl_expect_usable(s);
		cr_assert_eq(opencl_backend()->event_record(to, NULL, &k.diag), LT_OK, "%s", k.text);
		cr_assert_eq(opencl_backend()->event_ns(from, to, &ns, &k.diag), LT_OK, "%s", k.text);
		cr_expect(ns > 1000 && ns < INT64_C(60000000000), "%lld ns", (long long)ns);
	}
	opencl_backend()->event_free(from);
	opencl_backend()->event_free(to);
	opencl_backend()->close(s);
}
