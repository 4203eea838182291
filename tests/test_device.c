/* test_device.c -- programs on devices with memory of their own (tests/device.h), against the oracle: what
 * crosses and how often, states, run-time scalars. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/random.h"
#include "tests/device_run.h"
#include "tests/run_graph.h"

TestSuite(device, .init = device_register, .timeout = 120);

static char *plan_of(const struct lt_program *p)
{
	struct run_text x = { NULL, 0 };
	cr_assert_eq(lt_program_dump(p, LT_SHOW_PLAN, run_text_add, &x), LT_OK);
	return x.at;
}

/* ---- random graphs ---- */

struct data { const struct random_graph *r; uint64_t seed; };
static void fill(void *user, int run, lt_node n, void *out)
{
	const struct data *d = user;
	random_graph_fill(d->r, d->seed, run, n, out);
}

static void check_seed(uint64_t seed, const struct run_config *config, int n, struct run_tally *tally)
{
	struct run_counter counter;
	struct lt_context *ctx;
	struct random_graph r;
	struct run_want want;
	char why[512] = "";
	cr_assert_eq(run_context(&counter, &ctx), LT_OK);
	random_graph_new(ctx, seed,
		&(struct random_options){ .n_node = 3 + (int32_t)(seed % 30),
			.views = true,
			.params = true,
			.states = true,
			.composites = seed % 2,
			.wild = true },
		&r);
	struct data d = { &r, seed };
	run_want_new(r.g, 3, fill, &d, &want);
	for (int i = 0; i < n; i++)
		cr_assert(run_compare(&want, r.g, &config[i], &counter, NULL, tally, why, sizeof why), "seed %llu on %s: %s",
			(unsigned long long)seed, config[i].backends, why);
	cr_assert_str_eq(device_one.wrong, "", "seed %llu: %s", (unsigned long long)seed, device_one.wrong);
	cr_assert_str_eq(device_two.wrong, "", "seed %llu: %s", (unsigned long long)seed, device_two.wrong);
	run_want_free(&want);
	random_graph_free(&r);
	lt_context_free(ctx);
	cr_assert_eq(counter.bytes, 0, "seed %llu: %lld bytes are not given back", (unsigned long long)seed,
		(long long)counter.bytes);
	cr_assert(device_one.blocks == 0 && device_two.blocks == 0 && device_one.captures_alive == 0);
}

Test(device, random_graphs_are_right_on_any_mixture_of_memories)
{
	static const struct run_config config[] = { { .backends = "devone" }, { .backends = "devone:refuse=add,ref" },
		{ .backends = "devone:refuse=mul,devtwo:refuse=add,ref" }, { .backends = "ref,devone" },
		{ .backends = "devone:refuse=sub,devtwo" }, { .backends = "devpeer:refuse=mul,devpeer:refuse=add,ref" },
		{ .backends = "devone:refuse=mul;vector,ref", .no_passes = true }, { .backends = "devone:host" } };
	struct run_tally tally = { 0 };
	for (uint64_t seed = 1; seed <= 60; seed++)
		check_seed(seed, config, (int)(sizeof config / sizeof *config), &tally);
	fprintf(stderr,
		"%lld elements; devone: %lld copies in, %lld out, %lld within, %lld launches, %lld replays; devtwo: "
		"%lld launches\n",
		(long long)tally.elements, (long long)device_one.to_device, (long long)device_one.to_host,
		(long long)device_one.within, (long long)device_one.runs, (long long)device_one.replays,
		(long long)device_two.runs);
	/* Beside compiled code. */
	static const struct run_config compiled[] = { { .backends = "devone:refuse=add,cpu:O0" },
		{ .backends = "cpu:O0,devone" } };
	for (uint64_t seed = 20; seed <= 22; seed++)
		check_seed(seed, compiled, 2, &tally);
	cr_assert(device_one.to_device > 1000 && device_one.to_host > 1000 && device_one.within > 10
		&& device_two.runs > 100 && device_one.replays > 10 && device_one.params > 10);
}

/* ---- products: packed weights, partial sums, and states after them ---- */

#define PRODUCT \
	"graph 1\nvar m 9\nvar n 40\nvar k 56\n%x = f32[m, k] input \"x\"\n%w = f32[n, k] constant \"w\"\n%b = " \
	"f32[n] constant \"b\"\n" \
	"%p = f32[m, n, k] mul %x, %w\n%y = f32[m, n] add.reduce %p\n%z = f32[m, n] add %y, %b\n%s = f32[m, n] state " \
	"\"s\"\n%t = f32[m, n] max %s, %z\n" \
	"%l = f32[n] add.reduce %t\nset %s = %t\nresult \"z\" = %z\nresult \"l\" = %l\n"

static void fill_product(void *user, int run, lt_node n, void *out)
{
	const struct lt_graph *g = user;
	for (int64_t i = 0; i < random_elems(g, n); i++)
		((float *)out)[i] = (float)((i * 7 + n * 3 + run) % 11 - 5) / 4;
}

Test(device, products_of_packed_weights)
{
	static const struct run_config config[] = { { .backends = "devone:vector" },
		{ .backends = "devone:vector;refuse=copy,ref" },
		{ .backends = "devone:vector;refuse=max,devtwo:vector" },
		{ .backends = "devone:vector;refuse=max,ref" }, { .backends = "ref,devone" } };
	struct run_counter counter;
	struct lt_context *ctx;
	struct lt_graph *g;
	struct run_want want;
	struct run_tally tally = { 0 };
	char why[512] = "";
	cr_assert_eq(run_context(&counter, &ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, PRODUCT, strlen(PRODUCT), "p", &g), LT_OK, "%s", lt_context_message(ctx));
	run_want_new(g, 3, fill_product, g, &want);
	for (size_t i = 0; i < sizeof config / sizeof *config; i++)
		cr_assert(run_compare(&want, g, &config[i], &counter, NULL, &tally, why, sizeof why), "%s: %s",
			config[i].backends, why);
	run_want_free(&want);
	lt_graph_free(g);
	lt_context_free(ctx);
	cr_assert(!device_one.wrong[0] && device_two.runs + device_two.replays > 0, "%s", device_one.wrong);
}

/* ---- what crosses, and how often ---- */

Test(device, each_thing_crosses_once)
{
	struct lt_graph *g = parsed(CHAIN);
	float w[15], z[2][15], t[2][5];
	memset(w, 0, sizeof w);
	for (int which = 0; which < 2; which++) {
		struct lt_program *p = compiled(g, which ? "devone" : "ref");
		cr_assert_eq(lt_program_bind(p, 0, w, 0), LT_OK);
		struct lt_instance *r = instance_of(p);
		if (which)
			cr_assert_eq(device_one.to_device, 1, "the constant, once");
		for (int run = 0; run < 3; run++)
			run_chain(r, z[which], t[which]);
		struct lt_stats st = { .size = sizeof st };
		lt_program_stats(p, &st);
		cr_assert_eq(st.n_run, 3);
		if (which) {
			cr_assert_eq(device_one.to_device, 1 + 3, "the input, once a run");
			cr_assert_eq(device_one.to_host, 3 * 2, "the results, once a run");
			cr_assert_eq(device_one.within, 0);
			cr_assert_eq(st.n_move, 3);
			cr_assert_eq(st.move_bytes, (15 + 15 + 5) * 4);
			cr_assert_gt(st.move_ns, 0);
			cr_assert_geq(st.device_bytes, (15 * 4 + 5) * 4);
		} else {
			cr_assert(st.n_move == 0 && st.move_bytes == 0 && st.device_bytes == 0);
		}
		lt_instance_free(r);
		lt_program_free(p);
	}
	cr_assert(!memcmp(z[0], z[1], sizeof z[0]) && !memcmp(t[0], t[1], sizeof t[0]), "the same code gives the same bits");
	close_graph(g);
}

/* The kernels of a run, its copies and what is recorded are enqueued: the host waits once, or where it runs a kernel
 * itself. */
Test(device, a_run_waits_once)
{
	static const struct { const char *backends; int waits; } cases[] = { { "devone", 1 }, { "devone:nocapture", 1 },
		{ "devone:nostream", 1 }, { "devone:refuse=max,ref", 2 } };
	struct lt_graph *g = parsed(LONG);
	float x[16], want[4], h[4];
	struct lt_program *p = compiled(g, "ref");
	struct lt_instance *r = instance_of(p);
	run_long(r, x, want, 1);
	lt_instance_free(r);
	lt_program_free(p);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		device_register();
		p = compiled(g, cases[i].backends);
		r = instance_of(p);
		for (int run = 1; run <= 3; run++) {
			memset(h, 0xa5, sizeof h);
			run_long(r, x, h, 1);
			cr_expect(!memcmp(h, want, sizeof h), "%s", cases[i].backends);
			cr_expect_eq(device_one.syncs + device_two.syncs, run * cases[i].waits, "%s: %lld and %lld after %d runs",
				cases[i].backends, (long long)device_one.syncs, (long long)device_two.syncs, run);
		}
		lt_instance_free(r);
		lt_program_free(p);
		cr_expect(device_one.streams == 0 && device_two.streams == 0);
	}
	close_graph(g);
}

/* Two devices of one backend: what they exchange does not cross the host, and the host does not wait for it. */
Test(device, two_devices_of_one_backend_copy_to_one_another)
{
	struct lt_graph *g = parsed(LONG);
	struct lt_program *p = compiled(g, "ref");
	struct lt_instance *r = instance_of(p);
	float x[16], want[4], h[4];
	run_long(r, x, want, 1);
	lt_instance_free(r);
	lt_program_free(p);
	static const struct { const char *backends; int syncs; } cases[] = { { "devpeer:refuse=max,devpeer", 2 },
		{ "devpeer:refuse=max;nostream,devpeer:nostream", 0 }, { "devpeer:refuse=max,devpeer:nostream", 0 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		device_register();
		p = compiled(g, cases[i].backends);
		r = instance_of(p);
		for (int run = 1; run <= 4; run++) {
			memset(h, 0xa5, sizeof h);
			run_long(r, x, h, 1);
			cr_expect(!memcmp(h, want, sizeof h), "%s, run %d", cases[i].backends, run);
			cr_expect(!cases[i].syncs || device_one.syncs == run * cases[i].syncs, "%s: %lld", cases[i].backends,
				(long long)device_one.syncs);
			cr_expect(device_one.to_device == 2 * run && device_one.to_host == run && device_one.peers >= 2 * run,
				"%s: %lld in, %lld out, %lld from one to the other", cases[i].backends, (long long)device_one.to_device,
				(long long)device_one.to_host, (long long)device_one.peers);
		}
		lt_instance_free(r);
		lt_program_free(p);
	}
	close_graph(g);
}

static int count_of(const char *text, const char *word)
{
	int n = 0;
	while ((text = strstr(text, word))) {
		text += strlen(word);
		n++;
	}
	return n;
}

/* max is not the device's: the nest of it runs elsewhere, and what lies between crosses once. */
Test(device, what_a_refused_nest_reads_and_writes_crosses_once)
{
	static const char *const others[] = { "devone:refuse=max,ref", "devone:refuse=max,devtwo" };
	struct lt_graph *g = parsed(LONG);
	struct lt_program *p = compiled(g, "ref");
	struct lt_instance *r = instance_of(p);
	float x[16], want[4], h[4];
	run_long(r, x, want, 1);
	lt_instance_free(r);
	lt_program_free(p);
	for (int i = 0; i < 2; i++) {
		device_register();
		p = compiled(g, others[i]);
		char *plan = plan_of(p);
		struct lt_stats st = { .size = sizeof st };
		lt_program_stats(p, &st);
		cr_assert_eq(count_of(plan, "run  move "), st.n_move, "%s", plan);
		cr_assert_eq(count_of(plan, "move input 'x'[0, 16) in host -> input 'x' in devone"), 1, "%s", plan);
		cr_assert_eq(count_of(plan, "-> result 'h' in host"), 1, "%s", plan);
		cr_assert_eq(count_of(plan, " in devtwo") > 0, i == 1, "%s", plan);
		r = instance_of(p);
		for (int run = 1; run <= 3; run++) {
			run_long(r, x, h, 1);
			cr_assert(!memcmp(h, want, sizeof h), "%s", plan);
			cr_assert_eq(
				device_one.to_device + device_one.to_host + device_two.to_device + device_two.to_host,
				run * st.n_move, "%s", plan);
		}
		cr_assert(device_one.runs > 0 && (i == 0 || device_two.runs + device_two.replays > 0));
		lt_instance_free(r);
		lt_program_free(p);
		free(plan);
	}
	close_graph(g);
}

/* ---- states ---- */

#define COUNT "graph 1\nvar m 4\n%x = f32[m] input \"x\"\n%s = f32[m] state \"s\"\n%y = f32[m] add %s, %x\n" \
	"%z = f32[m] mul %y, %x\nset %s = %y\nresult \"z\" = %z\n"

Test(device, a_state_lives_on_the_device_and_is_fetched_when_asked_for)
{
	struct lt_graph *g = parsed(COUNT);
	struct lt_program *p = compiled(g, "devone");
	struct lt_instance *r = instance_of(p);
	const float x[4] = { 1, 2, 3, 4 };
	float z[4];
	const void *in[] = { x };
	void *out[] = { z };
	for (int run = 1; run <= 4; run++)
		cr_assert_eq(lt_instance_run(r, in, out), LT_OK, "%s", lt_instance_message(r));
	cr_assert_float_eq(z[3], 4 * 16, 0);
	cr_assert_eq(device_one.to_host, 4, "results only");
	cr_assert_eq(device_one.to_device, 4 + 1, "inputs, and the state's zeros once");
	float *s = lt_instance_state(r, 0);
	cr_assert_float_eq(s[3], 16, 0);
	cr_assert_eq(device_one.to_host, 4 + 1);
	s[3] = 100;
	cr_assert_eq(((float *)lt_instance_state(r, 0))[3], 100, "asked for twice, it is not fetched over what was written");
	cr_assert_eq(lt_instance_run(r, in, out), LT_OK);
	cr_assert_float_eq(z[3], 104 * 4, 0);
	cr_assert_float_eq(z[0], 5, 0);
	lt_instance_reset(r);
	cr_assert_eq(lt_instance_run(r, in, out), LT_OK);
	cr_assert_float_eq(z[3], 16, 0);
	s = lt_instance_state(r, 0);
	cr_assert_float_eq(s[2], 3, 0);
	/* A device that fails to give it says so. */
	cr_assert_eq(lt_instance_run(r, in, out), LT_OK);
	device_one.fail_copy = 1;
	cr_assert_null(lt_instance_state(r, 0));
	cr_assert_str_eq(lt_instance_message(r),
		"backend devone: copying 16 bytes of state 's' from its memory: the bus is broken");
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}

/* Where one program keeps a shared state on a device, and another one does not, it crosses when the other one runs. */
Test(device, a_shared_state_is_where_it_is_needed)
{
	struct lt_graph *g = parsed(COUNT);
	struct lt_program *p = compiled(g, "devone"), *q = compiled(g, "ref");
	struct lt_instance *a = instance_of(p), *b;
	const float x[4] = { 1, 2, 3, 4 };
	float z[4];
	const void *in[] = { x };
	void *out[] = { z };
	cr_assert_eq(lt_instance_new_sharing(q, a, &b), LT_OK);
	for (int run = 1; run <= 6; run++) {
		cr_assert_eq(lt_instance_run(run % 3 ? a : b, in, out), LT_OK);
		cr_assert_float_eq(z[3], (float)(16 * run), 0, "run %d: %g", run, (double)z[3]);
	}
	cr_assert_eq(device_one.to_device, 4 + 2, "inputs, and the state before runs 1 and 4");
	cr_assert_eq(lt_instance_run(a, in, out), LT_OK);
	lt_instance_free(a);                    /* what is on the device is there for the other one */
	cr_assert_float_eq(((float *)lt_instance_state(b, 0))[3], 28, 0);
	/* and where the device fails, it is said */
	cr_assert_eq(lt_instance_new_sharing(p, b, &a), LT_OK);
	cr_assert_eq(lt_instance_run(a, in, out), LT_OK);
	device_one.fail_copy = 1;
	lt_instance_free(a);
	cr_assert_eq(lt_instance_run(b, in, out), LT_EDEVICE);
	cr_assert(strstr(lt_instance_message(b), "the states that were shared are lost: backend devone: copying 16 bytes of "
		"state 's'"), "%s", lt_instance_message(b));
	lt_instance_free(b);
	lt_program_free(p);
	lt_program_free(q);
	close_graph(g);
}

/* A state that gets its first sharer when its instance was not the last that ran: the device has the newest bytes. */
Test(device, a_state_shared_late_is_as_its_last_run_left_it)
{
	struct lt_graph *g = parsed("graph 1\nvar n 4\n%x = f32[n] input \"x\"\n%a = f32[n] state \"a\"\n%b = f32[n] state "
		"\"b\"\n%c = f32[n] add %a, %x\n%d = f32[n] add %b, %x\nset %a = %c\nset %b = %d\nresult \"c\" = %c\n"
		"result \"d\" = %d\n");
	struct lt_graph *h = parsed("graph 1\nvar n 4\n%x = f32[n] input \"x\"\n%a = f32[n] state \"a\"\n"
		"%c = f32[n] add %a, %x\nset %a = %c\nresult \"c\" = %c\n");
	struct lt_program *both = compiled(g, "devone"), *one = compiled(h, "devone");
	const float x[4] = { 1, 2, 3, 4 };
	float c[4], d[4];
	const void *in[] = { x };
	void *out[] = { c, d };
	for (int gone = 0; gone < 2; gone++) {
		struct lt_instance *w = instance_of(both), *r, *s;
		cr_assert_eq(lt_instance_new_sharing(one, w, &r), LT_OK);
		cr_assert_eq(lt_instance_run(w, in, out), LT_OK);
		cr_assert_eq(lt_instance_run(r, in, out), LT_OK);
		if (gone)
			lt_instance_free(r);            /* and none is the last that ran */
		/* where the device fails, nothing is shared, and it is said */
		device_one.fail_copy = 1;
		cr_assert_eq(lt_instance_new_sharing(both, w, &s), LT_EDEVICE);
		cr_assert(strstr(lt_instance_message(s), "backend devone: copying 16 bytes of state 'b'"), "%s",
			lt_instance_message(s));
		lt_instance_free(s);
		cr_assert_eq(lt_instance_new_sharing(both, w, &s), LT_OK, "%s", lt_instance_message(s));
		cr_assert_eq(lt_instance_run(s, in, out), LT_OK, "%s", lt_instance_message(s));
		cr_assert(c[3] == 12 && d[3] == 8, "a %g, b %g", (double)c[3], (double)d[3]);
		cr_assert_eq(lt_instance_run(w, in, out), LT_OK);
		cr_assert(c[3] == 16 && d[3] == 12, "a %g, b %g", (double)c[3], (double)d[3]);
		lt_instance_free(w);
		lt_instance_free(s);
		if (!gone)
			lt_instance_free(r);
	}
	lt_program_free(both);
	lt_program_free(one);
	parsed_free(h);
	close_graph(g);
}

/* ---- run-time scalars, and no trips at all ---- */

Test(device, a_run_time_scalar_crosses_each_run)
{
	struct lt_graph *g = parsed("graph 1\nvar m 4 limit e\nvar n 3\nvar one 1\nparam e = %pos[0] in 0..4\n%pos = "
				    "i64[one] input \"pos\"\n"
				    "%x = f32[m, n] input \"x\"\n%s = f32[n] add.reduce %x\n%y = f32[m, n] neg "
				    "%x\nresult \"s\" = %s\nresult \"y\" = %y\n");
	struct lt_program *p = compiled(g, "devone");
	struct lt_instance *r = instance_of(p);
	float x[12] = { 1, 2, 3, 4 }, s[3] = { 7, 7, 7 }, y[12];
	int64_t e = 0;
	for (int run = 0; run < 3; run++)
		cr_assert_eq(lt_instance_run(r, (const void *[]){ &e, x }, (void *[]){ s, y }), LT_OK, "%s", lt_instance_message(r));
	cr_assert(s[0] == 0 && s[1] == 0 && s[2] == 0);
	e = 2;
	cr_assert_eq(lt_instance_run(r, (const void *[]){ &e, x }, (void *[]){ s, y }), LT_OK);
	cr_assert(s[0] == 5 && s[1] == 2 && y[3] == -4, "%g %g", s[0], s[1]);
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}
