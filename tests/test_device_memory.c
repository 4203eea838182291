/* test_device_memory.c -- memory of devices and of the host that runs out or lies badly: what is told, what is
 * counted. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/every_allocation.h"
#include "tests/device_run.h"
#include "tests/run_graph.h"

TestSuite(device_memory, .init = device_register, .timeout = 120);

Test(device_memory, what_the_device_cannot_do_is_told)
{
	struct lt_graph *g = parsed(CHAIN);
	struct lt_program *p;
	struct lt_options none = { .size = sizeof none, .backends = "devnone" };
	cr_assert_eq(lt_compile(g->ctx, g, &none, &p), LT_EUNSUPPORTED);
	cr_assert(strstr(lt_context_message(g->ctx), "backend devnone keeps its buffers in device memory, but does not have "
		"all of mem_new"), "%s",
		lt_context_message(g->ctx));
	p = compiled(g, "devone");
	float w[15] = { 0 }, z[15], t[5], x[15] = { 0 };
	cr_assert_eq(lt_program_bind(p, 0, w, 0), LT_OK);
	struct lt_instance *r;
	int failed = 0;
	for (int64_t n = 1; ; n++) {
		device_one.fail_new = n;
		lt_status st = lt_instance_new(p, &r);
		if (!st)
			break;
		failed++;
		cr_assert_eq(st, LT_ENOMEM);
		cr_assert(strstr(lt_instance_message(r), "backend devone: no memory on the device: ")
			&& strstr(lt_instance_message(r), ": the device is full: use less"), "%s", lt_instance_message(r));
		lt_instance_free(r);
	}
	cr_assert_geq(failed, 4);
	device_one.fail_new = 0;
	device_one.fail_copy = 1;
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ z, t }), LT_EDEVICE);
	cr_assert_str_eq(lt_instance_message(r),
		"backend devone: copying 60 bytes of input 'x' to its memory: the bus is broken");
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ z, t }), LT_OK);
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}

/* What is reported of device memory is of one instance, however many there are, or were refused. */
Test(device_memory, its_memory_is_counted_for_one_instance)
{
	struct lt_graph *g = parsed(CHAIN);
	struct lt_program *p = compiled(g, "devone");
	struct lt_instance *r[3];
	struct lt_stats st = { .size = sizeof st };
	float w[15] = { 0 };
	int64_t bytes = 0;
	cr_assert_eq(lt_program_bind(p, 0, w, 0), LT_OK);
	for (int i = 0; i < 3; i++) {
		r[i] = instance_of(p);
		lt_program_stats(p, &st);
		bytes = i ? bytes : st.device_bytes;
		cr_expect(st.device_bytes == bytes && bytes > 0, "%lld, of %d instances %lld", (long long)bytes, i + 1,
			(long long)st.device_bytes);
		struct lt_instance *refused;
		device_one.fail_new = 2;
		cr_assert_eq(lt_instance_new(p, &refused), LT_ENOMEM);
		device_one.fail_new = 0;
		lt_program_stats(p, &st);
		cr_expect_eq(st.device_bytes, bytes);
		lt_instance_free(refused);
	}
	for (int i = 0; i < 3; i++)
		lt_instance_free(r[i]);
	lt_program_free(p);
	close_graph(g);
}

/* What crosses and what stays, to the byte: ports in blocks of their own, and what is computed from constants before
 * the first run. */
Test(device_memory, constants_and_what_is_computed_from_them_are_counted)
{
	static const struct { const char *graph; int64_t floats, shared;
	} rows[] = {
		{ "graph 1\nvar i 40\n%x = f32[i] input \"x\"\n%z = f32[i] neg %x\nresult \"z\" = %z\n", 40 + 40, 0 },
		{ "graph 1\nvar i 40\n%x = f32[i] input \"x\"\n%w = f32[i] constant \"w\"\n%z = f32[i] add %x, "
		  "%w\nresult \"z\" = %z\n",
			40 + 40 + 40, 0 },
		{ "graph 1\nvar i 3\nvar j 20\nvar k 7\n%x = f32[i, k] input \"x\"\n%w = f32[k, j] constant \"w\"\n"
		  "%p = f32[k, j] exp %w\n%s = f32[k] add.reduce %p\n%z = f32[i, k] mul %x, %s\nresult \"z\" = %z\n",
			21 + 140 + 21, 7 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct lt_graph *g = parsed(rows[i].graph);
		struct lt_program *p = compiled(g, "devone");
		struct lt_stats st = { .size = sizeof st };
		float w[140] = { 0 };
		if (lt_program_count(p, LT_BINDING_CONSTANT) > 0)
			cr_assert_eq(lt_program_bind(p, 0, w, 0), LT_OK);
		struct lt_instance *r = instance_of(p);
		lt_program_stats(p, &st);
		/* what has no binding is aligned to 64 bytes; kernels have a workspace where constants are computed, and
		 * one in the instance */
		st.device_bytes -= 2 * st.kernel_bytes;
		int64_t min = 4 * (rows[i].floats + rows[i].shared),
			max = 4 * rows[i].floats + (4 * rows[i].shared + 63) / 64 * 64;
		cr_expect(st.device_bytes >= min && st.device_bytes <= max, "graph %d: %lld bytes, not %lld to %lld", (int)i,
			(long long)st.device_bytes, (long long)min, (long long)max);
		lt_instance_free(r);
		lt_program_free(p);
		close_graph(g);
	}
}

/* What a backend says that its kernels need beside their slots. */
Test(device_memory, a_workspace_that_no_memory_has_is_refused)
{
	static const char *const backends[] = { "devone:host;scratch=18446744073709551600",
		"devone:host;scratch=64;align=0x8000000000000000", "devone:scratch=9223372036854775807" };
	struct lt_graph *g = parsed(CHAIN);
	for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
		struct lt_program *p = NULL;
		cr_expect_eq(
			lt_compile(g->ctx, g,
				&(struct lt_options){ .size = sizeof(struct lt_options), .backends = backends[i] }, &p),
			LT_EABI, "%s", backends[i]);
		cr_expect(strstr(lt_context_message(g->ctx), "more than any memory has; its author has to fix `need`"), "%s",
			lt_context_message(g->ctx));
		lt_program_free(p);
	}
	close_graph(g);
}

Test(device_memory, an_object_that_is_not_given_is_missed)
{
	struct lt_graph *g = parsed(LONG);
	struct lt_program *p = NULL;
	cr_expect_eq(lt_compile(g->ctx, g,
			     &(struct lt_options){ .size = sizeof(struct lt_options), .backends = "devone:loses" }, &p),
		LT_EABI);
	cr_expect(strstr(lt_context_message(g->ctx), "backend devone, kernel k") && strstr(lt_context_message(g->ctx), ": it "
		"reports success, but gives no object; its author has to fix `compile`"), "%s", lt_context_message(g->ctx));
	lt_program_free(p);
	close_graph(g);
}

Test(device_memory, an_alignment_of_no_bytes_is_of_no_account)
{
	struct lt_graph *g = parsed(CHAIN);
	float w[15] = { 0 };
	struct lt_program *p = compiled(g, "devone:scratch=0;align=4096");
	struct lt_instance *r;
	cr_assert_eq(lt_program_bind(p, 0, w, 0), LT_OK);
	cr_expect_eq(lt_instance_new(p, &r), LT_OK, "%s", lt_instance_message(r));
	lt_instance_free(r);
	lt_program_free(p);
	p = compiled(g, "devone:scratch=64;align=4096");
	cr_assert_eq(lt_program_bind(p, 0, w, 0), LT_OK);
	cr_expect_eq(lt_instance_new(p, &r), LT_EUNSUPPORTED);
	cr_expect(strstr(lt_instance_message(r),
			  "a kernel's workspace wants an alignment of 4096 bytes; device memory has 256"),
		"%s", lt_instance_message(r));
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}

/* In the host's memory it costs nothing, either. */
Test(device_memory, an_alignment_of_no_bytes_takes_no_memory)
{
	static const char *const backends[] = { "devone:host;scratch=0;align=64", "devone:host;scratch=0;align=8192",
		"devone:host;scratch=64;align=8192" };
	int64_t bytes[3];
	for (int i = 0; i < 3; i++) {
		struct run_counter counter;
		struct lt_context *ctx;
		struct lt_graph *g;
		struct lt_instance *r;
		float w[15] = { 0 };
		cr_assert_eq(run_context(&counter, &ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, CHAIN, strlen(CHAIN), "p", &g), LT_OK, "%s", lt_context_message(ctx));
		struct lt_program *p = compiled(g, backends[i]);
		cr_assert_eq(lt_program_bind(p, 0, w, 0), LT_OK);
		int64_t before = counter.bytes;
		cr_assert_eq(lt_instance_new(p, &r), LT_OK, "%s", lt_instance_message(r));
		bytes[i] = counter.bytes - before;
		lt_instance_free(r);
		lt_program_free(p);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	cr_expect_eq(bytes[1], bytes[0], "%lld, not %lld", (long long)bytes[1], (long long)bytes[0]);
	cr_expect_geq(bytes[2], bytes[0] + 8192);
}

/* ---- the host's memory may run out anywhere ---- */

static void ignore(void *user, const struct lt_explained *e)
{
	(void)user, (void)e;
}

/* Two devices, a prepared constant, a state, rebuilt trees, recorded runs, events. */
#define ALL \
	"graph 1\nvar m 4\nvar n 4\n%x = f32[m, n] input \"x\"\n%w = f32[n] constant \"w\"\n%v = f32[n] neg %w\n%s = " \
	"f32[m] state \"s\"\n" \
	"%a = f32[m] add.reduce %x\n%b = f32[m, n] add %x, %a\n%c = f32[n] max.reduce %b\n%d = f32[n] mul %c, %v\n%e " \
	"= f32[m, n] mul %x, %d\n" \
	"%f = f32[m] add.reduce %e\n%t = f32[m] add %s, %f\nset %s = %t\nresult \"d\" = %d\nresult \"f\" = %f\n"

Test(device_memory, every_allocation_may_fail)
{
	const float x[16] = { 1 }, w[4] = { 2 };
	float d[4], f[4];
	const struct every_allocation e = { .text = ALL,
		.options = &(struct lt_options){ .size = sizeof(struct lt_options),
			.backends = "devone:refuse=max,devtwo",
			.device_time = 1,
			.explain = ignore },
		.n_run = 3,
		.constant = w,
		.input = (const void *const[]){ x },
		.result = (void *const[]){ d, f } };
	bool done = false;
	for (int64_t n = 1; !done; n++) {
		done = every_allocation_try(&e, n);
		cr_assert(!device_one.wrong[0] && !device_one.blocks && !device_two.blocks && !device_one.captures_alive
				&& !device_one.events && !device_one.sessions && !device_two.sessions,
			"allocation %lld: %s", (long long)n, device_one.wrong);
		cr_assert_lt(n, 20000);
	}
	cr_assert(device_two.runs > 0 && device_one.replays > 0);
}
