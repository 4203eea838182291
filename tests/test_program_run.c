/* test_program_run.c -- running programs: memory as callers have it, what is missing or out of range, instances,
 * threads. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "tests/parsed.h"
#include "tests/run_graph.h"

TestSuite(program_run, .timeout = 240);

static void expect_failure(struct lt_instance *r, lt_status got, lt_status want, const char *say)
{
	cr_assert_eq(got, want, "%s: %s", lt_status_name(got), lt_instance_message(r));
	cr_assert_eq(lt_instance_code(r), want);
	cr_assert(strstr(lt_instance_message(r), say), "'%s' does not say '%s'", lt_instance_message(r), say);
}

/* What lt/program.h asks of the memory of a run, and no more: each tensor lies as badly as its elements allow, and
 * touches the next one; the bytes around them stay. */
Test(program_run, memory_is_aligned_as_elements_are_and_may_touch)
{
	static const char *const backends[] = { "cpu", "ref" };
	enum { M = 5, K = 67, N = 33, PAST = 77 };
	for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
		struct lt_graph *g = parsed(
			"graph 1\nvar m 5\nvar k 67\nvar n 33\n%x = f32[m, k] input \"x\"\n%h = f16[m, k] input \"h\"\n"
			"%w = f32[k, n] constant \"w\"\n%u = i8[m, k] input \"u\"\n%p = f32[m, k, n] mul %x, %w\n%y = "
			"f32[m, n] add.reduce %p\n"
			"%h32 = f32[m, k] cast %h\n%s = f32[m, k] add %h32, %x\n%t = f16[m, k] cast %s\n%v = i8[m, k] "
			"copy %u\n"
			"result \"y\" = %y\nresult \"t\" = %t\nresult \"v\" = %v\n");
		struct lt_program *p = compiled(g, backends[b]);
		static char block[64 + 3 * (M * K * 4 + K * N * 4 + M * N * 4)];
		char *at = (char *)(((uintptr_t)block + 63) & ~(uintptr_t)63) + 4;
		memset(block, PAST, sizeof block);
		/* From here on each begins where the one before ends: f32, f32, f32, f16, f16, i8, i8. */
		float *x = (float *)(void *)at, *w = x + M * K, *y = w + K * N;
		uint16_t *h = (uint16_t *)(void *)(y + M * N), *t = h + M * K;
		int8_t *u = (int8_t *)(t + M * K), *v = u + M * K, *end = v + M * K;
		for (int i = 0; i < M * K; i++)
			x[i] = (float)(i % 7 - 3), h[i] = i % 2 ? 0x3c00 : 0x4000, u[i] = (int8_t)(i * 5);      /* 1, 2 */
		for (int i = 0; i < K * N; i++)
			w[i] = (float)(i % 5 - 2);
		cr_assert_eq(lt_program_bind(p, 0, w, 0), LT_OK);
		struct lt_instance *r = instance_of(p);
		for (int run = 0; run < 3; run++) {
			cr_assert_eq(lt_instance_run(r, (const void *[]){ x, h, u }, (void *[]){ y, t, v }), LT_OK, "%s",
				lt_instance_message(r));
			for (int i = 0; i < M; i++)
				for (int j = 0; j < N; j++) {
					float sum = 0;
					for (int l = 0; l < K; l++)
						sum += x[i * K + l] * w[l * N + j];
					cr_assert_eq(y[i * N + j], sum, "%s: %d %d", backends[b], i, j);
				}
			static const uint16_t half[] = { 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500 };   /* -2 .. 5 */
			for (int i = 0; i < M * K; i++)
				cr_assert(t[i] == half[i % 7 - 3 + (i % 2 ? 1 : 2) + 2] && v[i] == u[i], "%s: %d", backends[b], i);
			cr_assert(at[-1] == PAST && *end == PAST);
		}
		lt_instance_free(r);
		lt_program_free(p);
		parsed_free(g);
	}
}

#define MANY \
	"graph 1\nvar m 3\nvar n 2\nvar one 1\nparam p = %pos[0] in 0..2\n%pos = i64[one] input \"pos\"\n%x = f32[m] " \
	"input \"x\"\n" \
	"%y = f16[m, n] input \"y\"\n%z = f32[m] input \"z\"\n%c = f32[m] constant \"c\"\n%k = i64[n] constant " \
	"\"k\"\n%d = f32[m] neg %z\n" \
	"%part = f32[one] input \"part\"\n%dead = f32[m] update %d, %part at [p]\n%kd = i64[n] neg %k\n%y32 = f32[m, " \
	"n] cast %y\n" \
	"%s = f32[m] add.reduce %y32\n%a = f32[m] add %x, %s\n%r = f32[m] mul %a, %c\nresult \"r\" = %r\n"

Test(program_run, missing_inputs_and_constants_are_named_unneeded_ones_are_not_asked_for)
{
	for (int no_passes = 0; no_passes < 2; no_passes++)
		for (int b = 0; b < 2; b++) {
			struct lt_graph *g = parsed(MANY);
			struct lt_program *p = compiled_with(
				g, (struct lt_options){ .backends = b ? "cpu" : "ref", .no_passes = no_passes > 0 });
			struct lt_instance *r;
			float x[3] = { 1, 2, 3 }, c[3] = { 2, 2, 2 }, out[3];
			uint16_t y[6] = { 0x3C00, 0x3C00, 0, 0, 0, 0x3C00 };
			const char *const names[] = { "pos", "x", "y", "z", "part" };
			const int needed[] = { 0, 1, 1, 0, 0 };
			cr_assert_eq(lt_program_count(p, LT_BINDING_INPUT), 5);
			for (int i = 0; i < 5; i++) {
				cr_assert_str_eq(lt_program_name(p, LT_BINDING_INPUT, i), names[i]);
				cr_assert_eq(lt_program_needs(p, LT_BINDING_INPUT, i), needed[i], "%s", names[i]);
				cr_assert_eq(lt_program_find(p, LT_BINDING_INPUT, names[i]), i);
			}
			cr_assert_eq(lt_program_find(p, LT_BINDING_INPUT, "c"), -1);
			cr_assert(lt_program_needs(p, LT_BINDING_CONSTANT, 0) && !lt_program_needs(p, LT_BINDING_CONSTANT, 1));
			cr_assert_eq(lt_program_rank(p, LT_BINDING_INPUT, 2), 2);
			cr_assert_eq(lt_program_extent(p, LT_BINDING_INPUT, 2, 1), 2);
			cr_assert_eq(lt_program_bytes(p, LT_BINDING_INPUT, 2), 12);
			cr_assert_eq(lt_program_dtype(p, LT_BINDING_INPUT, 2), LT_F16);
			cr_assert_null(lt_program_name(p, LT_BINDING_INPUT, 5));
			lt_status missing = lt_instance_new(p, &r);
			expect_failure(r, missing, LT_EMISSING, "'c' (float32 [3])");
			cr_assert(!strstr(lt_instance_message(r), "'k'"));
			cr_assert_str_eq(lt_context_message(g->ctx), "");
			lt_instance_free(r);
			expect_message(g, lt_program_bind(p, 2, c, 0), LT_EINVAL, "there is no constant 2; the program has 2");
			expect_message(g, lt_program_bind(p, 0, NULL, 0), LT_EMISSING, "constant 'c'");
			cr_assert_eq(lt_program_bind(p, 0, c, 1), LT_OK);
			r = instance_of(p);
			expect_message(g, lt_program_bind(p, 0, c, 1), LT_EINVAL, "constant 'c' is bound too late");
			expect_failure(r,
				lt_instance_run(r, (const void *const[]){ NULL, NULL, NULL, NULL, NULL },
					(void *const[]){ out }),
				LT_EMISSING, "'x' (float32 [3]), 'y' (float16 [3, 2])");
			cr_assert(!strstr(lt_instance_message(r), "'z'"));
			expect_failure(r, lt_instance_run(r, NULL, (void *const[]){ out }), LT_EMISSING, "Missing input");
			expect_failure(r,
				lt_instance_run(
					r, (const void *const[]){ NULL, x, y, NULL, NULL }, (void *const[]){ NULL }),
				LT_EMISSING, "result 'r'");
			cr_assert_eq(lt_instance_run(r, (const void *const[]){ NULL, x, y, NULL, NULL },
					     (void *const[]){ out }),
				LT_OK, "%s", lt_instance_message(r));
			cr_assert(out[0] == 6 && out[1] == 4 && out[2] == 8);
			lt_instance_free(r);
			lt_program_free(p);
			parsed_free(g);
		}
}

#define CACHE \
	"graph 1\nvar m 8\nvar n 3\nvar two 2\nvar t 8 limit e - p\nparam p = %pos[0] in 0..5\nparam e = %pos[1] in " \
	"0..8\n" \
	"require e - p >= 0 \"the end stands before the beginning\"\n%pos = i64[two] input \"pos\"\n%s = f32[m] " \
	"state \"s\"\n%x = f32[n] input \"x\"\n" \
	"%u = f32[m] update %s, %x at [p]\n%v = f32[t] view { %u[t + p] }\n%r = f32[] add.reduce %v\nresult \"r\" = " \
	"%r\nset %s = %u\n"

Test(program_run, a_refused_run_changes_no_state)
{
	static const struct { int64_t pos[2]; const char *say; } bad[] = {
		{ { 6, 8 }, "it must be in 0..5" },
		{ { -1, 8 }, "is -1; it must be in 0..5" },
		{ { 0, 9 }, "is 9; it must be in 0..8" },
		{ { 4, 2 }, "the end stands before the beginning" },
	};
	for (int b = 0; b < 2; b++) {
		struct lt_graph *g = parsed(CACHE);
		struct lt_program *p = compiled(g, b ? "cpu" : "ref");
		struct lt_instance *r = instance_of(p);
		const float x[3] = { 1, 2, 4 };
		float out = 0, before[8];
		int64_t pos[2] = { 2, 8 };
		const void *const in[2] = { pos, x };
		cr_assert_eq(lt_instance_run(r, in, (void *const[]){ &out }), LT_OK, "%s", lt_instance_message(r));
		cr_assert_eq(out, 7);
		cr_assert_eq(lt_program_bytes(p, LT_BINDING_STATE, 0), sizeof before);
		memcpy(before, lt_instance_state(r, 0), sizeof before);
		cr_assert(before[1] == 0 && before[2] == 1 && before[4] == 4);
		for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
			memcpy(pos, bad[i].pos, sizeof pos);
			expect_failure(r, lt_instance_run(r, in, (void *const[]){ &out }), LT_EFAULT, bad[i].say);
			cr_assert(!memcmp(before, lt_instance_state(r, 0), sizeof before), "%s", bad[i].say);
		}
		memcpy(pos, (int64_t[2]){ 5, 5 }, sizeof pos);
		cr_assert_eq(lt_instance_run(r, in, (void *const[]){ &out }), LT_OK, "it runs again: %s", lt_instance_message(r));
		cr_assert_eq(out, 0, "no trips give the identity");
		lt_instance_reset(r);
		memset(before, 0, sizeof before);
		cr_assert(!memcmp(before, lt_instance_state(r, 0), sizeof before));
		cr_assert_null(lt_instance_state(r, 1));
		lt_instance_free(r);
		lt_program_free(p);
		parsed_free(g);
	}
}

Test(program_run, a_gather_out_of_range_is_a_fault_with_node_and_value)
{
	for (int b = 0; b < 2; b++) {
		struct lt_graph *g = parsed("graph 1\nvar m 4\nvar i 3\n%x = f32[m] input \"x\"\n%k = i32[i] input "
					    "\"k\"\n%y = f32[i] gather %x, %k axis 0\n"
					    "%z = f32[i] neg %y\nresult \"z\" = %z\n");
		struct lt_program *p = compiled(g, b ? "cpu" : "ref");
		struct lt_instance *r = instance_of(p);
		const float x[4] = { 1, 2, 3, 4 };
		int32_t k[3] = { 3, 4, 0 };
		float z[3];
		expect_failure(r, lt_instance_run(r, (const void *const[]){ x, k }, (void *const[]){ z }), LT_EFAULT,
			"%y: index 4 is out of range 0..3");
		k[1] = -1;
		expect_failure(r, lt_instance_run(r, (const void *const[]){ x, k }, (void *const[]){ z }), LT_EFAULT,
			"index -1 is out of range");
		k[1] = 1;
		cr_assert_eq(lt_instance_run(r, (const void *const[]){ x, k }, (void *const[]){ z }), LT_OK);
		cr_assert(z[0] == -4 && z[1] == -2 && z[2] == -1);
		lt_instance_free(r);
		lt_program_free(p);
		parsed_free(g);
	}
}

/* Below what run-time scalars leave of an axis, not below its maximum; and nothing outside the source is read. */
Test(program_run, a_gather_along_a_bounded_axis_stays_within_this_run)
{
	static const struct { int64_t pos[2]; int32_t k; int want;
	} cases[] = {
		{ { 0, 3 }, 2, 3 },
		{ { 0, 3 }, 3, -1 },
		{ { 5, 8 }, 2, 8 },
		{ { 5, 8 }, 3, -1 },
		{ { 8, 8 }, 0, -1 },
		{ { 0, 8 }, 7, 8 },
		{ { 2, 4 }, -1, -1 },
	};
	for (int b = 0; b < 2; b++) {
		struct lt_graph *g = parsed("graph 1\nvar m 8\nvar two 2\nvar one 1\nvar t 8 limit e - p\nparam p = "
					    "%pos[0] in 0..8\nparam e = %pos[1] in 0..8\n"
					    "%pos = i64[two] input \"pos\"\n%x = f32[m] input \"x\"\n%k = i32[one] "
					    "input \"k\"\n%v = f32[t] view { %x[t + p] }\n"
					    "%y = f32[one] gather %v, %k axis 0\nresult \"y\" = %y\n");
		struct lt_program *p = compiled(g, b ? "cpu" : "ref");
		struct lt_instance *r = instance_of(p);
		float *x = malloc(8 * sizeof *x), y;    /* to its end: a sanitizer sees a read after it */
		for (int i = 0; i < 8; i++)
			x[i] = (float)(i + 1);
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
			lt_status st = lt_instance_run(r, (const void *const[]){ cases[i].pos, x, &cases[i].k }, (void *const[]){ &y });
			cr_assert_eq(st, cases[i].want < 0 ? LT_EFAULT : LT_OK, "case %d: %s", (int)i, lt_instance_message(r));
			if (!st)
				cr_assert_eq(y, (float)cases[i].want, "case %d: %g", (int)i, (double)y);
			else
				cr_assert(strstr(lt_instance_message(r), "is out of range 0.."));
		}
		free(x);
		lt_instance_free(r);
		lt_program_free(p);
		parsed_free(g);
	}
}

#define COUNTER \
	"graph 1\nvar m 2\n%x = f32[m] input \"x\"\n%s = f32[m] state \"s\"\n%y = f32[m] add %s, %x\nresult \"y\" = " \
	"%y\nset %s = %y\n"

Test(program_run, instances_have_states_of_their_own)
{
	struct lt_graph *g = parsed(COUNTER);
	struct lt_program *p = compiled(g, "ref");
	struct lt_instance *a = instance_of(p), *b = instance_of(p);
	const float one[2] = { 1, 10 };
	float y[2];
	for (int i = 1; i <= 5; i++) {
		cr_assert_eq(lt_instance_run(a, (const void *const[]){ one }, (void *const[]){ y }), LT_OK);
		cr_assert(y[0] == (float)i && y[1] == (float)(10 * i));
	}
	cr_assert_eq(lt_instance_run(b, (const void *const[]){ one }, (void *const[]){ y }), LT_OK);
	cr_assert(y[0] == 1 && y[1] == 10);
	((float *)lt_instance_state(b, 0))[0] = 100;    /* may be written between runs */
	cr_assert_eq(lt_instance_run(b, (const void *const[]){ one }, (void *const[]){ y }), LT_OK);
	cr_assert(y[0] == 101 && y[1] == 20);
	lt_instance_free(b);
	cr_assert_eq(lt_instance_run(a, (const void *const[]){ one }, (void *const[]){ y }), LT_OK);
	cr_assert(y[0] == 6 && y[1] == 60);
	lt_instance_free(a);
	lt_program_free(p);
	parsed_free(g);
}

#define LISTENER \
	"graph 1\nvar m 2\n%o = f32[m] state \"own\"\n%s = f32[m] state \"s\"\n%y = f32[m] add %s, %o\nresult \"y\" = " \
	"%y\nset %s = %y\nset %o = %s\n"

/* Instances of two programs, in whatever order they run and are freed. */
Test(program_run, states_may_be_shared)
{
	const float one[2] = { 1, 10 };
	const void *const in[] = { one };
	for (int order = 0; order < 2; order++) {
		struct lt_graph *g = parsed(COUNTER), *h = parsed(LISTENER);
		struct lt_program *p = compiled(g, "ref"), *q = compiled(h, "ref");
		struct lt_instance *a = instance_of(p), *b, *c;
		float y[2];
		cr_assert_eq(lt_instance_run(a, in, (void *const[]){ y }), LT_OK);
		cr_assert_eq(lt_instance_new_sharing(q, a, &b), LT_OK, "%s", lt_instance_message(b));
		cr_assert_eq(lt_instance_new_sharing(p, b, &c), LT_OK, "%s", lt_instance_message(c));
		cr_assert_eq(lt_instance_state(a, 0), lt_instance_state(b, lt_program_find(q, LT_BINDING_STATE, "s")));
		cr_assert_eq(lt_instance_run(b, NULL, (void *const[]){ y }), LT_OK);
		cr_assert(y[0] == 1 && y[1] == 10);             /* own was 0, and is 1 and 10 now */
		cr_assert_eq(lt_instance_run(c, in, (void *const[]){ y }), LT_OK);
		cr_assert(y[0] == 2 && y[1] == 20);
		lt_instance_free(order ? a : c);
		cr_assert_eq(lt_instance_run(b, NULL, (void *const[]){ y }), LT_OK);
		cr_assert(y[0] == 3 && y[1] == 30, "%g %g", (double)y[0], (double)y[1]);
		lt_instance_reset(b);
		cr_assert_eq(lt_instance_run(order ? c : a, in, (void *const[]){ y }), LT_OK);
		cr_assert(y[0] == 1 && y[1] == 10);
		lt_instance_free(b);
		cr_assert_eq(lt_instance_run(order ? c : a, in, (void *const[]){ y }), LT_OK);
		cr_assert(y[0] == 2 && y[1] == 20);
		lt_instance_free(order ? c : a);
		lt_program_free(p);
		lt_program_free(q);
		parsed_free(g);
		parsed_free(h);
	}
}

/* What an instance has alone goes with it, or with the last one that it was shared with, while the others stay. */
Test(program_run, states_of_ones_own_go_with_the_instance)
{
	const char own[] = "graph 1\nvar m 2\nvar n 100000\n%o = f32[n] state \"own\"\n%s = f32[m] state \"s\"\n"
		"%y = f32[m] add %s, %s\n%z = f32[n] add %o, %o\nresult \"y\" = %y\nset %s = %y\nset %o = %z\n";
	const struct lt_options o = { .size = sizeof o, .backends = "ref", .n_thread = 1 };
	struct run_counter counter;
	struct lt_context *ctx;
	struct lt_graph *g, *h;
	struct lt_program *p, *q;
	struct lt_instance *a, *b, *c;
	int64_t before = 0;
	float y[2];

	cr_assert(!run_context(&counter, &ctx) && !lt_graph_parse(ctx, COUNTER, strlen(COUNTER), "g", &g)
		&& !lt_graph_parse(ctx, own, strlen(own), "h", &h) && !lt_compile(ctx, g, &o, &p) && !lt_compile(ctx, h, &o, &q));
	cr_assert_eq(lt_instance_new(p, &a), LT_OK);
	for (int i = 0; i < 6; i++) {
		cr_assert_eq(lt_instance_new_sharing(q, a, &b), LT_OK, "%s", lt_instance_message(b));
		cr_assert_eq(lt_instance_new_sharing(q, b, &c), LT_OK, "%s", lt_instance_message(c));
		const int32_t at = lt_program_find(q, LT_BINDING_STATE, "own");
		((float *)lt_instance_state(b, at))[99999] = 3;
		lt_instance_free(i % 2 ? b : c);
		struct lt_instance *rest = i % 2 ? c : b;
		cr_assert_eq(lt_instance_run(rest, NULL, (void *const[]){ y }), LT_OK);
		cr_expect_eq(((float *)lt_instance_state(rest, at))[99999], 6);
		lt_instance_free(rest);
		if (i == 0)
			before = counter.bytes;
		cr_expect(counter.bytes <= before, "%lld bytes are left in round %d, %lld before", (long long)counter.bytes, i,
			(long long)before);
	}
	/* Memory that is refused leaves nothing either. */
	for (lt_status s = LT_ENOMEM; s;) {
		static int k;

		counter.fail_at = counter.calls + ++k;
		s = lt_instance_new_sharing(q, a, &b);
		counter.fail_at = 0;
		cr_assert(!s || s == LT_ENOMEM, "%s", lt_instance_message(b));
		lt_instance_free(b);
		cr_assert(counter.bytes <= before, "allocation %d", k);
	}
	lt_instance_free(a);
	lt_program_free(p);
	lt_program_free(q);
	lt_graph_free(g);
	lt_graph_free(h);
	lt_context_free(ctx);
	cr_expect_eq(counter.bytes, 0);
}

Test(program_run, other_states_of_that_name_are_not_shared)
{
	struct lt_graph *g = parsed(COUNTER), *h = parsed("graph 1\nvar m 3\n%x = f32[m] input \"x\"\n%s = f32[m] state "
		"\"s\"\n%y = f32[m] add %s, %x\nresult \"y\" = %y\nset %s = %y\n");
	struct lt_program *p = compiled(g, "ref"), *q = compiled(h, "ref");
	struct lt_instance *a = instance_of(p), *b;
	cr_assert_eq(lt_instance_new_sharing(q, a, &b), LT_EINVAL);
	cr_assert_str_eq(lt_instance_message(b), "state 's' cannot be shared: the other program's has another type or other "
		"extents, 8 bytes, and 12 here; make both alike, or give one another name");
	lt_instance_free(b);
	lt_instance_free(a);
	lt_program_free(p);
	lt_program_free(q);
	parsed_free(g);
	parsed_free(h);
}

static void *work(void *backend)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	struct lt_instance *r;
	struct lt_options o = { .size = sizeof o, .backends = backend, .n_thread = 1 };
	for (int round = 0; round < 5; round++) {
		float x[2] = { 1, (float)round }, y[2];
		if (lt_context_new(&ctx) || lt_graph_parse(ctx, COUNTER, strlen(COUNTER), "t", &g) || lt_compile(ctx, g, &o, &p)
		    || lt_instance_new(p, &r))
			return (void *)1;
		for (int i = 1; i <= 200; i++)
			if (lt_instance_run(r, (const void *const[]){ x }, (void *const[]){ y }) || y[0] != (float)i
				|| y[1] != (float)(i * round))
				return (void *)2;
		lt_instance_free(r);
		lt_program_free(p);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	return NULL;
}

Test(program_run, contexts_on_threads_do_not_know_of_each_other)
{
	pthread_t thread[4];
	for (int i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)(i % 2 ? "cpu" : "ref")), 0);
	for (int i = 0; i < 4; i++) {
		void *got;
		pthread_join(thread[i], &got);
		cr_assert_null(got, "thread %d fails in step %d", i, (int)(intptr_t)got);
	}
}

/* As lt/program.h says. */
Test(program_run, what_is_not_there_is_answered)
{
	struct lt_graph *g = parsed(COUNTER);
	struct lt_program *p = compiled(g, "ref");
	struct lt_instance *r = instance_of(p);
	struct { struct lt_stats stats; int64_t after; } s = { .after = 7 };
	struct lt_work none = { .useful = 7 };
	for (int kind = LT_BINDING_INPUT; kind <= LT_BINDING_RESULT; kind++)
		for (int i = -1; i < 100; i = i < 0 ? lt_program_count(p, (enum lt_binding)kind) : 100) {
			cr_expect_null(lt_program_name(p, (enum lt_binding)kind, i));
			cr_expect_eq((int)lt_program_dtype(p, (enum lt_binding)kind, i), 0);
			cr_expect_eq(lt_program_rank(p, (enum lt_binding)kind, i), 0);
			cr_expect_eq(lt_program_extent(p, (enum lt_binding)kind, i, 0), 0);
			cr_expect_eq(lt_program_bytes(p, (enum lt_binding)kind, i), 0);
			cr_expect_eq(lt_program_needs(p, (enum lt_binding)kind, i), 0);
		}
	cr_expect_null(lt_instance_state(r, -1));
	cr_expect_eq(lt_instance_code(r), LT_EINVAL);
	cr_expect_str_eq(lt_instance_message(r), "there is no state -1; the program has 1");
	cr_expect_eq(lt_instance_extent(r, 100, 0), 0);
	cr_expect_eq(lt_instance_extent(r, 0, 100), 0);
	/* As many bytes as the caller has. */
	lt_program_stats(p, &s.stats);
	cr_expect(s.stats.size == 0 && s.stats.n_kernel == 0);
	s.stats.size = sizeof s;
	lt_program_stats(p, &s.stats);
	cr_expect(s.stats.size == sizeof s.stats && s.stats.n_kernel > 0 && s.after == 7);
	cr_expect_eq(lt_instance_work(r, &none), LT_OK);
	cr_expect(none.size == 0 && none.useful == 7);
	lt_instance_free(r);
	lt_program_free(p);
	parsed_free(g);
	lt_instance_free(NULL);
	lt_program_free(NULL);
	lt_looptree_free(NULL);
}
