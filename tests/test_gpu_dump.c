/* test_gpu_dump.c -- what --dump=tree shows of a device: grids, where values live, and barriers; held against the
 * frozen trees and the kernel programs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lt/program.h"
#include "tests/ltrun.h"

TestSuite(dump_of_gpus, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 300);

static int count(const char *text, const char *what)
{
	int n = 0;
	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static void dump(const char *backend, const char *kind, const char *graph, const char *more)
{
	cr_assert_eq(ltrun("--no-cache -b %s --dump=%s %s %s", backend, kind, more, graph), 0, "%s", ltrun_err);
}

#define SOFTMAX "graph 1\nvar i 64\nvar j 1000\n%x = f32[i, j] input \"x\"\n%m = f32[i] max.reduce %x\n" \
	"%d = f32[i, j] sub %x, %m\n%e = f32[i, j] exp %d\n%s = f32[i] add.reduce %e\n%y = f32[i, j] div %e, %s\n" \
	"result \"y\" = %y\n"
#define PRODUCT(m, k, n) "graph 1\nvar m " m "\nvar k " k "\nvar n " n "\n%a = f32[m, k] input \"a\"\n" \
	"%b = f32[k, n] input \"b\"\n%p = f32[m, k, n] mul %a, %b\n%c = f32[m, n] add.reduce %p\n" \
	"%z = f32[] lit 0.0\n%r = f32[m, n] max %c, %z\nresult \"r\" = %r\n"
#define TRANSPOSE "graph 1\nvar i 100\nvar j 70\n%x = f32[i, j] input \"x\"\n%z = f32[] lit 0.0\n" \
	"%y = f32[j, i] max %x, %z\nresult \"y\" = %y\n"
static const char *const graphs[] = { SOFTMAX, PRODUCT("512", "256", "512"), PRODUCT("64", "2048", "64"),
	TRANSPOSE,
	"graph 1\nvar i 300000\n%x = f32[i] input \"x\"\n%y = f32[] add.reduce %x\nresult \"y\" = %y\n",
	"graph 1\nvar i 3000\nvar j 200\n%x = f32[i, j] input \"x\"\n%y = f32[j] max.reduce %x\nresult \"y\" = %y\n" };
enum { N_GRAPH = sizeof graphs / sizeof *graphs };
static const char *const machines[] = { "sim:grid", "sim:h100", "sim:grid/subgroup=1" };
enum { N_MACHINE = sizeof machines / sizeof *machines };

/* Bytes of the shared buffers that locals are, and of all: in a kernel program. */
static void shared_in_program(const char *text, int64_t *locals, int64_t *all)
{
	*locals = *all = 0;
	for (const char *at = text; (at = strstr(at, "\nbuffer ")); at++) {
		char name[64], type[64];
		long long elems = 0;
		int n = 0;
		if (sscanf(at, "\nbuffer %63s %63[a-z0-9][%lld] %n", name, type, &elems, &n) < 3 || strncmp(at + n, "shared ", 7))
			continue;
		long long bytes = elems * (strstr(type, "64") ? 8 : strstr(type, "16") ? 2 : 4);
		*all += (bytes + 15) / 16 * 16;
		*locals += strncmp(name, "parts", 5) ? bytes : 0;
	}
}

static int64_t add_numbers(const char *text, const char *before, const char *after)
{
	int64_t sum = 0;
	for (const char *at = text; (at = strstr(at, before)); ) {
		char *end;
		long long n = strtoll(at += strlen(before), &end, 10);
		sum += strncmp(end, after, strlen(after)) ? 0 : n;
	}
	return sum;
}

Test(dump_of_gpus, it_says_what_the_program_has)
{
	for (int g = 0; g < N_GRAPH; g++)
		for (int m = 0; m < N_MACHINE; m++) {
			int64_t locals, all;
			ltrun_write_text("case.graph", graphs[g]);
			dump(machines[m], "frozen", "case.graph", "");
			int barriers = count(ltrun_out, "  barrier\n");
			dump(machines[m], "kernel", "case.graph", "");
			shared_in_program(ltrun_out, &locals, &all);
			int grids = count(ltrun_out, "\nregion grid "), kernels = count(ltrun_out, "\nname k");
			dump(machines[m], "tree", "case.graph", "");
			cr_expect_eq(count(ltrun_out, "# barrier\n"), barriers, "%d, %s: %s", g, machines[m], ltrun_out);
			cr_expect_eq(count(ltrun_out, "; kernel k"), kernels, "%d, %s: %s", g, machines[m], ltrun_out);
			cr_expect_eq(count(ltrun_out, "; a grid of "), grids, "%d, %s: %s", g, machines[m], ltrun_out);
			cr_expect_eq(add_numbers(ltrun_out, "; shared memory, ", " bytes"), locals, "%d, %s: %s", g, machines[m],
				ltrun_out);
			cr_expect_geq(add_numbers(ltrun_out, " threads, ", " bytes of shared memory"), locals, "%d: %s", g, ltrun_out);
			cr_expect_leq(add_numbers(ltrun_out, " threads, ", " bytes of shared memory"), all, "%d: %s", g, ltrun_out);
		}
}

/* By hand: what each thread needs is its own, what all need is shared, and a barrier is between its write and reads. */
Test(dump_of_gpus, a_softmax)
{
	ltrun_write_text("case.graph", SOFTMAX);
	dump("sim:grid", "tree", "case.graph", "");
	static const char *const lines[] = { "\nfor i grid.x  # ", "; a grid of 64 blocks of 128 threads, 64 bytes of shared "
		"memory\n", "%m f32[i] = max.reduce", "; shared memory, 4 bytes; lanes in registers distributed over the block, 1 "
		"element in each thread; its threads are combined by exchanges of a warp, then by shared memory between barriers\n",
		"\n  # barrier\n  for j step 512", "%d f32[i j] = sub %x %m  # scalar; registers\n", "%e f32[i j] = exp %d  # local, "
		"1000 elements, 4000 bytes; registers distributed over the block, 8 elements in each thread\n", "\n  # barrier\n",
		"%y f32[i j] = div %e %s  # whole, 256000 bytes; global memory\n" };
	const char *at = ltrun_out;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		const char *next = strstr(at, lines[i]);
		cr_assert_not_null(next, "line %d, \"%s\", is missing in %s", (int)i, lines[i], at);
		at = next + 1;
	}
}

/* An array that is indexed by a loop is none of registers. */
Test(dump_of_gpus, an_array)
{
	ltrun_write_text("case.graph", SOFTMAX);
	ltrun_write_text("case.schedule", "schedule 1\nbind i block.x\n");
	cr_assert_eq(ltrun("--no-cache -b sim:grid --dump=tree --schedule=case.schedule case.graph"), 0, "%s", ltrun_err);
	cr_expect_not_null(strstr(ltrun_out, "; a grid of 1 block of 64 threads\n"), "%s", ltrun_out);
	cr_expect_not_null(strstr(ltrun_out, "; an array of each thread\n"), "%s", ltrun_out);
	cr_expect_null(strstr(ltrun_out, "shared"), "%s", ltrun_out);
}

static void dump_write(void *user, const char *text, size_t bytes) { strncat(user, text, bytes); }

/* A program that can be run shows the same as one that was planned only; without grids there is nothing to show. */
Test(dump_of_gpus, of_any_program)
{
	static const char *const backends[] = { "sim:h100", "ref" };
	static char text[2][1 << 16];
	for (int b = 0; b < 2; b++) {
		for (int plan = 0; plan < 2; plan++) {
			const struct lt_options o = { .size = sizeof o, .backends = backends[b], .plan_only = (uint32_t)plan };
			struct lt_graph *g;
			struct lt_program *p;
			text[plan][0] = '\0';
			cr_assert_eq(lt_graph_parse(ltrun_ctx, SOFTMAX, strlen(SOFTMAX), NULL, &g), LT_OK, "%s",
				lt_context_message(ltrun_ctx));
			cr_assert_eq(lt_compile(ltrun_ctx, g, &o, &p), LT_OK, "%s", lt_context_message(ltrun_ctx));
			cr_assert_eq(lt_program_dump(p, LT_SHOW_TREE, dump_write, text[plan]), LT_OK);
			lt_program_free(p);
			lt_graph_free(g);
		}
		cr_expect_str_eq(text[0], text[1]);
		cr_expect_eq(count(text[0], "; a grid of "), b == 0, "%s", text[0]);
		cr_expect_eq(count(text[0], ";"), b == 0 ? count(text[0], ";") : 0, "%s", text[0]);
	}
}

/* Devices: the driver that is not there (tests/cuda), and OpenCL, each where it was built and works. */
Test(dump_of_gpus, of_devices)
{
	static char command[2000], out[1 << 16], err[1 << 14];
	static const char *const names[] = { "cuda", "opencl" };
	ltrun_write_text("case.graph", SOFTMAX);
	for (int i = 0; i < 2; i++) {
		(void)snprintf(command, sizeof command, "LD_LIBRARY_PATH=%s:$LD_LIBRARY_PATH %s --no-cache -b %s --dump=tree %s",
			built("tests/cuda"), built("lt-run"), names[i], scratch("case.graph"));
		if (run_command(command, out, sizeof out, err, sizeof err)) {
			cr_expect(strstr(err, "libOpenCL") || strstr(err, "not usable") || strstr(err, "no backend")
				|| strstr(err, "platform") || strstr(err, "NVRTC"), "%s: %s", names[i], err);
			continue;
		}
		cr_expect_eq(count(out, "; a grid of "), 1, "%s: %s", names[i], out);
		cr_expect_gt(count(out, "; registers"), 0, "%s: %s", names[i], out);
		cr_expect_eq(count(out, "# barrier\n"), 2, "%s: %s", names[i], out);
	}
}

/* docs/gpu.md goes on from the PTX of a kernel to machine code; where the toolkit's assembler is. */
Test(dump_of_gpus, of_machine_code)
{
	static char command[2000], out[1 << 14], err[1 << 14];
	ltrun_write_text("case.graph", SOFTMAX);
	if (run_command("PATH=$PATH:/usr/local/cuda/bin ptxas --version", out, sizeof out, err, sizeof err))
		cr_skip_test("it needs ptxas");
	(void)snprintf(command, sizeof command, "LD_LIBRARY_PATH=%s:$LD_LIBRARY_PATH %s --no-cache -b cuda --dump=asm %s "
		"-o %s", built("tests/cuda"), built("lt-run"), scratch("case.graph"), scratch("case.ptx"));
	if (run_command(command, out, sizeof out, err, sizeof err))
		cr_skip_test("it needs NVRTC");
	(void)snprintf(command, sizeof command, "PATH=$PATH:/usr/local/cuda/bin ptxas -arch=sm_90a -v %s -o %s",
		scratch("case.ptx"), scratch("case.cubin"));
	cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	cr_expect_not_null(strstr(err, "0 bytes spill stores"), "%s", err);
	cr_expect_not_null(strstr(err, " 64 bytes smem"), "%s", err);        /* as the tree's facts have it */
}
