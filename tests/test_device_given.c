/* test_device_given.c -- inputs, states and results in a caller's device memory, runs that are enqueued, and
 * run-time scalars that lie on a device (tests/device.h). */
#include "tests/device_run.h"

TestSuite(device_given, .init = device_register, .timeout = 60);

/* y = exp(x + w) in one kernel, its sum in another; a state counts with x. */
#define GIVEN \
	"graph 1\nvar m 4\nvar n 4\n%x = f32[m, n] input \"x\"\n%w = f32[m, n] input \"w\"\n%a = f32[m, n] add %x, " \
	"%w\n%s = f32[m] add.reduce %a\n%y = f32[m, n] mul %a, %s\n%c = f32[m, n] state \"c\"\n%d = f32[m, n] add %c, " \
	"%x\n%z = f32[n] add.reduce %y\nset %c = %d\nresult \"z\" = %z\nresult \"y\" = %y\n"

enum { N = 16 };
struct given { float x[N], w[N], z[4], y[N]; };

static void given_want(struct given *g, float first)
{
	memset(g->z, 0, sizeof g->z);
	for (int i = 0; i < N; i++) {
		g->x[i] = first + (float)i;
		g->w[i] = 2;
	}
	for (int m = 0; m < 4; m++) {
		float s = 0;
		for (int n = 0; n < 4; n++)
			s += g->x[4 * m + n] + 2;
		for (int n = 0; n < 4; n++)
			g->z[n] += g->y[4 * m + n] = (g->x[4 * m + n] + 2) * s;
	}
}

static struct lt_program *given_compiled(struct lt_graph *g, const char *on_device)
{
	return compiled_with(g, (struct lt_options){ .backends = "devone", .on_device = on_device });
}

Test(device_given, inputs_states_and_results_are_used_in_place)
{
	struct lt_graph *g = parsed(GIVEN);
	struct lt_program *p = given_compiled(g, "*,c");
	struct lt_instance *r = instance_of(p);
	struct given want, got;
	float zero[N] = { 0 };
	cr_assert_str_eq(lt_program_device(p, LT_BINDING_INPUT, 0), "devone");
	cr_assert_str_eq(lt_program_device(p, LT_BINDING_STATE, 0), "devone");
	cr_assert(!lt_program_device(p, LT_BINDING_CONSTANT, 0) && lt_program_align(p, LT_BINDING_INPUT, 0) == 64);
	struct lt_verifier *v;
	expect_message(g, lt_verifier_new(g, p, NULL, NULL, &v), LT_EINVAL, "compiled with on_device '*,c'");
	given_want(&want, 1);
	void *x[2] = { device_new(want.x, sizeof want.x), device_new(want.x, sizeof want.x) },
	     *w = device_new(want.w, sizeof want.w), *z = device_new(zero, sizeof want.z),
	     *y = device_new(zero, sizeof want.y), *c = device_new(zero, sizeof zero);
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x[0], w }, (void *[]){ z, y }), LT_EMISSING);
	cr_assert(strstr(lt_instance_message(r), "state 'c' is given no memory"), "%s", lt_instance_message(r));
	cr_assert_eq(lt_instance_bind_state(r, 0, c), LT_OK);
	/* Recorded in the second run with these addresses; another address, and the recording begins again. */
	static const int which[] = { 0, 0, 0, 1, 1, 1 }, captures[] = { 0, 1, 1, 1, 2, 2 }, replays[] = { 0, 1, 2, 2, 3, 4 };
	for (int run = 0; run < 6; run++) {
		cr_assert_eq(lt_instance_run(r, (const void *[]){ x[which[run]], w }, (void *[]){ z, y }), LT_OK, "%s",
			lt_instance_message(r));
		device_read(z, got.z, sizeof got.z);
		device_read(y, got.y, sizeof got.y);
		cr_assert(!memcmp(got.z, want.z, sizeof got.z) && !memcmp(got.y, want.y, sizeof got.y), "run %d", run);
		cr_expect(device_one.captures == captures[run] && device_one.replays == replays[run], "run %d: %lld, %lld", run,
			(long long)device_one.captures, (long long)device_one.replays);
	}
	cr_assert_eq(device_one.to_device + device_one.to_host, 0, "nothing crosses");
	cr_assert_eq(device_one.syncs, 6);
	device_read(c, got.x, sizeof got.x);
	for (int i = 0; i < N; i++)
		cr_assert_eq(got.x[i], 6 * want.x[i]);
	/* The host sees the state, too, and may change it. */
	float *state = lt_instance_state(r, 0);
	cr_assert(state && state[3] == 6 * want.x[3]);
	lt_instance_reset(r);
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x[0], w }, (void *[]){ z, y }), LT_OK);
	device_read(c, got.x, sizeof got.x);
	cr_assert_eq(got.x[5], want.x[5]);
	lt_instance_free(r);
	device_free(x[0]);
	device_free(x[1]);
	device_free(w);
	device_free(z);
	device_free(y);
	device_free(c);
	lt_program_free(p);
	close_graph(g);
}

/* Several runs one behind the other, in the caller's queue: nobody waits before lt_instance_wait. */
Test(device_given, runs_are_enqueued)
{
	struct lt_graph *g = parsed(GIVEN);
	struct lt_program *p = given_compiled(g, "*");
	struct lt_instance *r = instance_of(p), *q = instance_of(p);
	struct given want[2], got;
	float zero[N] = { 0 };
	given_want(&want[0], 1);
	given_want(&want[1], 7);
	void *x[2], *z[2], *y[2], *w = device_new(want[0].w, sizeof want[0].w), *stream = device_stream_new();
	for (int i = 0; i < 2; i++) {
		x[i] = device_new(want[i].x, sizeof want[i].x);
		z[i] = device_new(zero, sizeof want[i].z);
		y[i] = device_new(zero, sizeof want[i].y);
	}
	/* The first sends the state, and the second would wait for that. */
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x[0], w }, (void *[]){ z[1], y[1] }), LT_OK);
	const int64_t syncs = device_one.syncs;
	for (int run = 0; run < 5; run++) {
		const struct lt_run mine = { sizeof mine, stream, (const void *[]){ x[run % 2], w },
			(void *[]){ z[run % 2], y[run % 2] } };
		cr_assert_eq(lt_instance_enqueue(r, &mine), LT_OK, "%s", lt_instance_message(r));
	}
	/* Another instance runs meanwhile, in a queue of its own. */
	struct lt_run other = { sizeof other, NULL, (const void *[]){ x[1], w }, (void *[]){ z[1], y[1] } };
	cr_assert_eq(lt_instance_enqueue(q, &other), LT_OK, "%s", lt_instance_message(q));
	cr_assert_eq(device_one.syncs, syncs);
	device_read(z[0], got.z, sizeof got.z);
	cr_assert_eq(got.z[0], 0, "nothing has run");
	cr_assert_eq(lt_instance_wait(q), LT_OK);
	cr_assert_eq(lt_instance_wait(r), LT_OK);
	/* In the caller's queue no more is waited for than what was enqueued before the last run's end. */
	cr_assert(device_one.syncs == syncs + 1 && device_one.waits == 1);
	for (int i = 0; i < 2; i++) {
		device_read(z[i], got.z, sizeof got.z);
		device_read(y[i], got.y, sizeof got.y);
		cr_assert(!memcmp(got.z, want[i].z, sizeof got.z) && !memcmp(got.y, want[i].y, sizeof got.y), "%d", i);
	}
	const float *state = lt_instance_state(r, 0);
	cr_assert(state && state[2] == 4 * want[0].x[2] + 2 * want[1].x[2]);
	/* What is enqueued when the instance is freed is waited for. */
	cr_assert_eq(lt_instance_enqueue(q, &other), LT_OK);
	lt_instance_free(q);
	lt_instance_free(r);
	device_stream_free(stream);
	device_free(w);
	for (int i = 0; i < 2; i++) {
		device_free(x[i]);
		device_free(z[i]);
		device_free(y[i]);
	}
	lt_program_free(p);
	close_graph(g);
}

Test(device_given, what_is_refused)
{
	static const struct { const char *backends, *on_device, *says; } cases[] = {
		{ "devone", "x,nobody", "on_device: there is no input, state or result 'nobody'" },
		{ "ref", "*", "is used outside of the device's memory (no kernel runs on a device that has one)" },
		{ "ref,devone", "x", "on_device: 'x' is used outside of the device's memory (no" },
		{ "devone:refuse=mul,ref", "*", "is used outside of the device's memory (LT_SHOW_PLAN" } };
	struct lt_graph *g = parsed(GIVEN);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct lt_options o = { .size = sizeof o, .backends = cases[i].backends, .on_device = cases[i].on_device };
		struct lt_program *p;
		cr_expect_neq(lt_compile(g->ctx, g, &o, &p), LT_OK, "%s", cases[i].on_device);
		cr_expect(strstr(lt_context_message(g->ctx), cases[i].says), "%s", lt_context_message(g->ctx));
	}
	struct lt_program *p = compiled(g, "devone");
	struct lt_instance *r = instance_of(p);
	cr_expect_eq(lt_instance_bind_state(r, 0, r), LT_EINVAL);
	lt_instance_free(r);
	lt_program_free(p);
	p = compiled(g, "ref");
	r = instance_of(p);
	const struct lt_run run = { .size = sizeof run, .stream = r };
	cr_expect_eq(lt_instance_enqueue(r, &run), LT_EINVAL);
	cr_expect(strstr(lt_instance_message(r), "not all kernels run on one device"), "%s", lt_instance_message(r));
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}

/* A state that is a position stays on the device: its element is fetched with the results. */
Test(device_given, a_scalar_of_a_state_on_the_device)
{
	struct lt_graph *g = parsed("graph 1\nvar m 8 limit e\nvar k 300\nparam e = %pos[7] in 0..8\n"
				    "%pos = i64[k] state \"pos\"\n"
				    "%one = i64[k] constant \"one\"\n%next = i64[k] add %pos, %one\nset %pos = %next\n"
				    "%x = f32[m] input \"x\"\n%s = f32[] add.reduce %x\nresult \"s\" = %s\n");
	struct lt_program *p = compiled(g, "devone");
	int64_t one[300];
	for (int i = 0; i < 300; i++)
		one[i] = 1;
	cr_assert_eq(lt_program_bind(p, 0, one, 0), LT_OK);
	struct lt_instance *r = instance_of(p);
	device_one.bytes = 0;
	const float x[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };
	float s;
	for (int run = 0; run < 6; run++) {
		cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ &s }), LT_OK, "%s", lt_instance_message(r));
		cr_assert_eq((int)s, (1 << run) - 1, "run %d: %g", run, s);
		cr_expect_eq(device_one.syncs, run + 1);
	}
	/* The state goes there once, with the first run, and is copied within the device, which is recorded in the second
	 * run; x, the result and the scalar cross in each. */
	cr_expect(device_one.within == 1 && device_one.replays == 5);
	cr_expect_eq(device_one.bytes, 2 * 300 * 8 + 6 * (sizeof x + sizeof s + 8 + 8), "%lld", (long long)device_one.bytes);
	int64_t *pos = lt_instance_state(r, 0);
	cr_assert(pos && pos[7] == 6);
	pos[7] = 2;
	for (int run = 2; run < 4; run++) {
		cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ &s }), LT_OK, "%s", lt_instance_message(r));
		cr_assert_eq((int)s, (1 << run) - 1);
	}
	pos = lt_instance_state(r, 0);
	pos[7] = 9;
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ &s }), LT_EFAULT);
	cr_assert(strstr(lt_instance_message(r), "is 9; it must be in 0..8"), "%s", lt_instance_message(r));
	lt_instance_reset(r);
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ &s }), LT_OK);
	cr_assert_eq(s, 0);
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}

/* Where the state is the caller's, so is its content: what the caller has written before a run counts in it. */
Test(device_given, a_scalar_of_a_state_that_the_caller_writes)
{
	struct lt_graph *g = parsed("graph 1\nvar m 8 limit e\nparam e = %pos[0] in 0..8\n"
				    "%pos = i64[] state \"pos\"\n%one = i64[] constant \"one\"\n%next = i64[] add %pos, %one\n"
				    "set %pos = %next\n%x = f32[m] input \"x\"\n%s = f32[] add.reduce %x\nresult \"s\" = %s\n");
	struct lt_program *p = compiled_with(g, (struct lt_options){ .backends = "devone", .on_device = "pos" });
	const int64_t one = 1, start = 0;
	const float x[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };
	cr_assert_eq(lt_program_bind(p, 0, &one, 0), LT_OK);
	struct lt_instance *r = instance_of(p);
	void *pos = device_new(&start, sizeof start);
	cr_assert_eq(lt_instance_bind_state(r, 0, pos), LT_OK);
	static const int64_t written[] = { -1, -1, -1, 0, 5, -1, 9 };
	int64_t at = 0;
	for (int run = 0; run < 7; run++, at++) {
		float s = -1;
		if (written[run] >= 0)
			device_write(pos, &(int64_t){ at = written[run] }, sizeof at);
		lt_status st = lt_instance_run(r, (const void *[]){ x }, (void *[]){ &s });
		cr_assert_eq(st, at > 8 ? LT_EFAULT : LT_OK, "run %d: %s", run, lt_instance_message(r));
		if (!st)
			cr_expect_eq((int)s, (1 << at) - 1, "run %d at %d: %g", run, (int)at, s);
	}
	lt_instance_free(r);
	device_free(pos);
	lt_program_free(p);
	close_graph(g);
}
