/* test_kernel_call.c -- calls of routines in kernel programs: their text, their rules, what they mean, and how a
 * device is told of them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/text/text.h"
#include "tests/call_kernel.h"
#include "tests/kernel_text.h"
#include "tests/ltrun.h"
#include "tests/simulated.h"

TestSuite(kernel_call, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120);

Test(kernel_call, prints_as_it_was_written)
{
	struct lt_kernel *k = NULL;
	struct kernel_text text = { 0 };
	cr_assert_eq(kernel_parse(call_kernel, strlen(call_kernel), &k), LT_OK, "%s", kernel_message);
	lt_kernel_print(k, kernel_text_add, &text);
	cr_expect_str_eq(text.at, call_kernel);
	free(text.at);
	lt_kernel_free(k);
}

/* A part of call_kernel, what stands there instead, and what is said. */
static const struct { const char *part, *instead, *message; } spoiled[] = {
	{ "call gemm f32 ()", "call gemm f32x2 ()", "kernel:9:11: expected the type of one element, such as f32" },
	{ "(bias, relu)", "(bias, tanh)", "kernel:10:27: expected 'bias', 'residual', 'relu', 'gelu', 'gelu_tanh' or 'silu', "
		"found 'tanh'" },
	{ "(bias, relu)", "(bias relu)", "expected ',', found 'relu'" },
	{ "column n 2,", "wide n 2,", "expected 'batch', 'row', 'column', 'deep' or 'other', found 'wide'" },
	{ "column n 2,", "column n 0,", "expected how many there are at most, a whole number from 1" },
	{ "w (2, 1, 0)", "z (2, 1, 0)", "expected the name of a buffer that a line above the regions declares, found 'z'" },
	{ "w (2, 1, 0)", "w (2, 1)", "expected ',', found ')'" },
	{ "v (0, 1, 0)\n", "v (0, 1, 0) v (0, 1, 0)\n",
		"kernel:10:1: this call of gemm.bias has 4 operands, not 5; name the result, left, right, then a bias and a "
		"residual" },
	{ " v (0, 1, 0)\n", "\n", "kernel:10:1: this call of gemm.bias has 4 operands, not 3" },
	{ "v (0, 1, 0)\n", "v (1, 1, 0)\n", "kernel:10:1: v, the bias, does not have the row k, but moves along it by 1" },
	{ "w (2, 1, 0)", "w (2, 1, 1)", "kernel:9:1: w, the result, does not have the deep k, but moves along it by 1" },
	{ "w (2, 1, 0)", "w (2, 0, 0)", "kernel:9:1: w, the result, would be written 2 times along n" },
	{ "buffer v f32", "buffer v i32",
		"kernel:10:1: v, the bias, has elements of type i32, and the sum is of f32; cast it" },
	{ "w f32[8] workspace 0", "w f32[8] array",
		"kernel:9:1: w, the result, is neither in a slot nor in the workspace, where a routine finds it" },
	{ "i64 2, i64 2, i64 3) @2", "i64 3, i64 2, i64 3) @2", "kernel:15:3: region 0: 3 of m', but there are at most 2" },
	{ "i64 2, i64 2, i64 3) @2", "i64 2, i64 2) @2",
		"a call of gemm takes 6 values, not 5; say where each operand begins" },
	{ "i64 2, i64 2, i64 3) @2", "i64 2, i64 2, i32 3) @2", "value 5 of 'call' is i32; i64 is needed" },
	{ "call 1 (i64 0, i64 0", "call 1 (i64 1, i64 0", "the result goes outside of buffer y, which has 9 elements" },
	{ "call 1 (i64 0, i64 0", "call 1 (i64 -1, i64 0", "the result goes outside of buffer y, which has 9 elements" },
	{ "call 1 (i64 0, i64 0, i64 0", "call 1 (i64 0, i64 0, i64 7", "right goes outside of buffer b, which has 6" },
	{ "\tcall 1", "\tcall 2", "region 0: 'call' names number 2; there are 2" },
	{ "w f32[8] workspace 0 align 64 exclusive written", "w f32[8] workspace 0 align 64 exclusive",
		"buffer w is written here, but declared without `written`" },
	{ "\t%0 = block 0\n", "\t%0 = block 0\n\tcall 1 (i64 0, i64 0, i64 0, i64 0, i64 3, i64 3, i64 2)\n",
		"region 1: only the host region calls routines; move it there" },
};

Test(kernel_call, each_rule)
{
	for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
		char text[4096];
		struct lt_kernel *k = NULL;
		const char *at = strstr(call_kernel, spoiled[i].part);
		cr_assert_not_null(at, "%s", spoiled[i].part);
		(void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - call_kernel), call_kernel, spoiled[i].instead,
			at + strlen(spoiled[i].part));
		lt_status status = kernel_parse(text, strlen(text), &k);
		cr_expect(status && strstr(kernel_message, spoiled[i].message), "%s: says %s\nnot %s", spoiled[i].instead,
			status ? kernel_message : "nothing", spoiled[i].message);
		lt_kernel_free(k);
	}
}

/* -- what it computes -- */

Test(kernel_call, in_order_with_loops_and_grids)
{
	float a[12], b[6], v[3] = { -3, 1, 5 }, y[9], w[8] = { 0 };
	for (int i = 0; i < 12; i++)
		a[i] = (float)i - 4;
	for (int i = 0; i < 6; i++)
		b[i] = (float)(i * i) / 4 - 2;
	for (int m = 0; m < 4; m++)
		for (int n = 0; n < 2; n++)
			for (int k = 0; k < 3; k++)
				w[2 * m + n] += a[3 * m + k] * b[2 * k + n];
	struct lt_kernel *k = simulated_kernel("%s", call_kernel);
	simulated_good(k, (void *const[]){ a, b, v, y });
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 3; c++) {
			float sum = b[2 * r] * b[2 * c] + b[2 * r + 1] * b[2 * c + 1] + v[c];
			int at = r + 3 * c;
			cr_expect_float_eq(y[at], w[at % 8] - (sum > 0 ? sum : 0), 1e-5, "element %d", at);
		}
	lt_kernel_free(k);
}

/* x = 1.5 i + 0.25 for row i, times 1: what each epilogue makes of it, with a bias of 2 and a residual of -4. */
#define ONE "kernel 1\nname k\nworkspace 64 thread 0\nbuffer x f32[4] slot 0 align 4 exclusive\n" \
	"buffer o f32[1] slot 1 align 4\nbuffer v f32[1] slot 2 align 4\nbuffer r f32[4] slot 3 align 4\n" \
	"buffer y %s[4] slot 4 align 4 written\n"
static const struct { const char *words, *operands, *begins; double (*want)(double x); } epilogues[] = {
	{ "", "", "", NULL },
	{ "bias", " v (0, 0)", ", i64 0", NULL },
	{ "bias, residual", " v (0, 0) r (1, 0)", ", i64 0, i64 0", NULL },
	{ "relu", "", "", NULL }, { "gelu", "", "", NULL }, { "gelu_tanh", "", "", NULL }, { "silu", "", "", NULL },
};
static double expected(const char *words, double x)
{
	x += strstr(words, "bias") ? 2 : 0;
	x += strstr(words, "residual") ? -4 : 0;
	if (!strcmp(words, "relu"))
		return x > 0 ? x : 0;
	if (!strcmp(words, "gelu"))
		return x / 2 * (1 + erf(x / sqrt(2)));
	if (!strcmp(words, "gelu_tanh"))
		return x / 2 * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * pow(x, 3))));
	return strcmp(words, "silu") ? x : x / (1 + exp(-x));
}

Test(kernel_call, what_follows_a_product)
{
	for (size_t i = 0; i < sizeof epilogues / sizeof *epilogues; i++) {
		float x[4] = { 0.25F, 1.75F, -3.25F, 4.75F }, o = 1, v = 2, r[4] = { -4, -4, -4, -4 }, y[4];
		struct lt_kernel *k = simulated_kernel(ONE "call g f32 (%s) (row i 4, column j 1) y (1, 0) x (1, 0) o (0, 0)%s\n"
			"region host\n\tcall 0 (i64 0, i64 0, i64 0%s, i64 4, i64 1)\n", "f32", epilogues[i].words, epilogues[i].operands,
			epilogues[i].begins);
		simulated_good(k, (void *const[]){ x, &o, &v, r, y });
		for (int e = 0; e < 4; e++)
			cr_expect_float_eq(y[e], (float)expected(epilogues[i].words, (double)x[e]), 1e-6, "%s of %g: %g", epilogues[i].words,
				(double)x[e], (double)y[e]);
		lt_kernel_free(k);
	}
}

/* Rounded to the type of the result, at the end only. */
Test(kernel_call, of_each_type)
{
	float x[4] = { 1 + 0x1p-9F, -2, 65520, 1e-9F }, o = 3, y[4];
	uint16_t h[4];
	static const uint16_t want[] = { 0x4203, 0xc600, 0x7c00, 0 };
	struct lt_kernel *k = simulated_kernel(ONE "call g f32 () (row i 4) y (1) x (1) o (0)\n"
		"region host\n\tcall 0 (i64 0, i64 0, i64 0, i64 4)\n", "f16");
	simulated_good(k, (void *const[]){ x, &o, &o, y, h });
	for (int e = 0; e < 4; e++)
		cr_expect_eq(h[e], want[e], "element %d: %x", e, h[e]);
	lt_kernel_free(k);
	static const signed char l[4] = { -128, 127, 3, 5 };
	static const signed char m[2] = { -128, 2 };
	int32_t sum[2];
	k = simulated_kernel("kernel 1\nname k\nworkspace 0 thread 0\nbuffer l i8[4] slot 0 align 1\n"
		"buffer m i8[2] slot 1 align 1\nbuffer y i32[2] slot 2 align 4 exclusive written\n"
		"call g i32 () (row i 2, deep k 2) y (-1, 0) l (2, 1) m (0, 1)\nregion host\n"
		"\tcall 0 (i64 1, i64 0, i64 0, i64 2, i64 2)\n");
	simulated_good(k, (void *const[]){ (void *)(uintptr_t)l, (void *)(uintptr_t)m, sum });
	cr_expect(sum[1] == 128 * 128 + 254 && sum[0] == -384 + 10, "%d %d", sum[1], sum[0]);
	lt_kernel_free(k);
}

/* Counts that are known when it runs: none of the deep ones leave zeros, none of others leave what there was. */
Test(kernel_call, of_no_elements)
{
	for (int i = 0; i < 3; i++) {
		float x[4] = { 1, 2, 3, 4 }, o = 1, v = 0, r[4] = { 0 }, y[4] = { 9, 9, 9, 9 };
		struct lt_kernel *k = simulated_kernel(ONE "call g f32 () (batch i 4, deep k 1) y (1, 0) x (1, 0) o (0, 1)\n"
			"region host\n\tcall 0 (i64 0, i64 0, i64 0, i64 %d, i64 %d)\n", "f32", i == 0 ? 0 : 3, i == 1 ? -1 : 1);
		simulated_good(k, (void *const[]){ x, &o, &v, r, y });
		for (int e = 0; e < 4; e++)
			cr_expect_eq(y[e], i == 0 || e == 3 ? 9 : i == 1 ? 0 : x[e], "case %d, element %d: %g", i, e, (double)y[e]);
		lt_kernel_free(k);
	}
}

/* Lines instead of those of ONE's call, and what is found. */
static const struct { const char *call, *host; enum lt_simulate_check check; const char *says; } faults[] = {
	{ "y (1) x (1) o (0)", "\t%n = neg i64 -4\n\tcall 0 (i64 0, i64 1, i64 0, %n)\n", LT_SIMULATE_element,
		"reads element 4 of buffer x, which has 4" },
	{ "y (1) x (1) o (0)", "\t%n = neg i64 -5\n\tcall 0 (i64 0, i64 0, i64 0, %n)\n", LT_SIMULATE_routine,
		"g is called for 5 of i, which are at most 4" },
	{ "y (1) x (1) o (0)", "\tvariable n\n\t%n = get n\n\tcall 0 (i64 0, i64 0, i64 0, %n)\n", LT_SIMULATE_condition,
		"how many there are of a dim of g is undefined" },
	{ "y (1) x (1) o (0)", "\tvariable n\n\t%n = get n\n\tcall 0 (i64 0, %n, i64 0, i64 4)\n", LT_SIMULATE_address,
		"where an operand begins of g is undefined" },
	{ "y (1) w (1) o (0)", "\tcall 0 (i64 0, i64 0, i64 0, i64 4)\n", LT_SIMULATE_stored,
		"an undefined value goes to element 0 of buffer y" },
	{ "w (1) w (1) o (0)", "\tcall 0 (i64 0, i64 0, i64 0, i64 4)\n", LT_SIMULATE_routine,
		"g reads element 0 of buffer w, which it writes, too" },
	{ "w (1) w (1) o (0)", "\tcall 0 (i64 4, i64 0, i64 0, i64 4)\n", LT_NSIMULATE, "" },
	{ "w (2) w (2) o (0)", "\tcall 0 (i64 0, i64 1, i64 0, i64 4)\n", LT_NSIMULATE, "" },
};

Test(kernel_call, what_the_simulator_finds)
{
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		float x[4] = { 1, 2, 3, 4 }, o = 1, v = 0, r[4] = { 0 }, y[4];
		struct simulated s;
		char text[2048];
		(void)snprintf(text, sizeof text, ONE, "f32");
		if (faults[i].call[0] == 'w')
			(void)strcpy(strstr(text, " written\n"), "\n");
		struct lt_kernel *k = simulated_kernel("%svariable n i64\nbuffer w f32[9] workspace 0 align 4 exclusive%s\n"
			"call g f32 () (row i 4) %s\nregion host\n%s", text, faults[i].call[0] == 'w' ? " written" : "", faults[i].call,
			faults[i].host);
		simulated_run(k, (void *const[]){ x, &o, &v, r, y }, NULL, NULL, &s);
		cr_expect(s.found.check == faults[i].check && strstr(s.diags.text, faults[i].says), "case %d: %s", (int)i,
			s.diags.text);
		const struct lt_simulate_options none = { .off = UINT64_MAX };
		simulated_run(k, (void *const[]){ x, &o, &v, r, y }, &none, NULL, &s);
		cr_expect_eq(s.status, LT_OK, "case %d: %s", (int)i, s.diags.text);
		lt_kernel_free(k);
	}
}

/* -- what a device is told -- */

struct call_list { struct lt_text_launcher launcher; char text[1024]; size_t n; };

static lt_status list_launch(struct lt_text_launcher *launcher, const struct lt_text_launch *x)
{
	struct call_list *l = (struct call_list *)(void *)launcher;
	l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "grid %d; ", (int)x->region);
	return LT_OK;
}

static lt_status list_call(struct lt_text_launcher *launcher, const struct lt_text_call *x)
{
	struct call_list *l = (struct call_list *)(void *)launcher;
	l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "%d %s", (int)x->number, x->what->routine);
	for (int32_t o = 0; o < x->what->n_operand; o++)
		l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, " %lld", (long long)x->begin[o]);
	for (int32_t d = 0; d < x->what->n_dim; d++)
		l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "%s%lld", d ? "x" : " of ", (long long)x->count[d]);
	l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "; ");
	return LT_OK;
}

Test(kernel_call, in_order_with_launches)
{
	struct lt_kernel *k = simulated_kernel("%s", call_kernel);
	struct call_list l = { .launcher = { list_launch, list_call } };
	struct lt_text_grids *grids;
	struct keeper diags = keeper_new();
	cr_assert_eq(lt__text_launches(k, NULL, &l.launcher, &diags.diag), LT_OK, "%s", diags.text);
	cr_expect_str_eq(l.text, "0 gemm 0 0 0 of 2x2x3; 0 gemm 4 6 0 of 2x2x3; 1 gemm.bias 0 0 0 0 of 3x3x2; grid 1; ");
	l.launcher.call = NULL;
	cr_expect_eq(lt__text_launches(k, NULL, &l.launcher, &diags.diag), LT_EUNSUPPORTED);
	cr_expect(strstr(diags.text, "kernel calls calls gemm, and this backend calls no routines"), "%s", diags.text);
	cr_expect_eq(lt__text_grids(&lt__text_cuda, k, NULL, &grids, &diags.diag), LT_OK, "%s", diags.text);
	cr_expect(grids->n_grid == 1 && !strstr(grids->text, "gemm"), "%s", grids->text);
	lt__text_grids_free(grids);
	lt_kernel_free(k);
}

Test(kernel_call, a_scalar_says_how_many)
{
	struct call_list l = { .launcher = { list_launch, list_call } };
	struct keeper diags = keeper_new();
	struct lt_kernel *k = simulated_kernel(ONE "buffer p i64[1] slot 5 align 8\nparam n buffer p element 0 range 0..4\n"
		"call g f32 () (row i 4) y (1) x (1) o (0)\nregion host\n\t%%n = param 0\n"
		"\tcall 0 (i64 0, i64 0, i64 0, %%n)\n", "f32");
	cr_expect_eq(lt__text_launches(k, (const int64_t[]){ 3 }, &l.launcher, &diags.diag), LT_OK, "%s", diags.text);
	cr_expect_str_eq(l.text, "0 g 0 0 0 of 3; ");
	l.n = 0;
	l.text[0] = '\0';
	cr_expect_eq(lt__text_launches(k, (const int64_t[]){ 0 }, &l.launcher, &diags.diag), LT_OK);
	cr_expect_str_eq(l.text, "");
	cr_expect_eq(lt__text_launches(k, NULL, &l.launcher, &diags.diag), LT_EUNSUPPORTED);
	cr_expect(strstr(diags.text, "how many there are of a dim of 'call' in the host's region of kernel k depends on "
		"run-time scalars"), "%s", diags.text);
	lt_kernel_free(k);
}

/* -- trees -- */

#define PRODUCT "graph 1\nvar m 6\nvar k 5\nvar n 4\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n" \
	"%p = f32[m, k, n] mul %a, %b\n%c = f32[m, n] add.reduce %p\n"
#define PLAIN PRODUCT "result \"c\" = %c\n"
/* An exponential before, one after: grids on both sides. */
#define BETWEEN "graph 1\nvar i 3\nvar m 6\nvar k 5\nvar n 4\n%x = f32[i, m, k] input \"x\"\n" \
	"%b = f32[i, k, n] input \"b\"\n%a = f32[i, m, k] exp %x\n%p = f32[i, m, k, n] mul %a, %b\n" \
	"%c = f32[i, m, n] add.reduce %p\n%y = f32[i, m, n] neg %c\nresult \"y\" = %y\n"

/* What becomes of trees: lines of the program, one after the other. */
static const struct { const char *graph, *steps; const char *lines[6]; } trees[] = {
	{ PLAIN, "call m gemm", { "call gemm f32 () (row m 6, column n 4, deep k 5) c (4, 1, 0) a (5, 0, 1) b (0, 1, 4)",
		"region host\n\tcall 0 (i64 0, i64 0, i64 0, i64 6, i64 4, i64 5)" } },
	/* In a loop of the host's; the last time there are fewer. */
	{ PLAIN, "split m 4; call m' gemm", { "(row m 4, column n 4, deep k 5)", "region host\n\tloop %0 from 0 to 2",
		"max i64", "\t\tcall 0 (%" } },
	/* In a loop of the host's between two grids: what is local to the loop is in the workspace. */
	{ BETWEEN, "fission %y %p/m; group %p/m; call group gemm; bind %a/m grid.x; bind %y/m grid.x",
		{ "buffer a f32[30] workspace", "buffer c f32[24] workspace", "\tloop ", "\t\tlaunch_grid 1", "\t\tcall 0",
			"\t\tlaunch_grid 2" } },
};

#define PLAINLY "--no-cache --no-passes -b 'sim:grid/calls' --schedule=plain "

static void write_tree_case(size_t i)
{
	ltrun_write_text("case.graph", trees[i].graph);
	ltrun_write_text("plain", "schedule 1\n");
}

Test(kernel_call, of_trees)
{
	for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
		write_tree_case(i);
		cr_assert_eq(ltrun(PLAINLY "--apply=\"%s\" --dump=kernel case.graph",
			trees[i].steps), 0, "case %d: %s", (int)i, ltrun_err);
		const char *at = ltrun_out;
		for (int n = 0; n < 6 && trees[i].lines[n]; n++) {
			const char *found = strstr(at, trees[i].lines[n]);
			cr_expect_not_null(found, "case %d has no '%s' behind the others: %s", (int)i, trees[i].lines[n], ltrun_out);
			at = found ? found : at;
		}
		cr_expect_eq(ltrun(PLAINLY "--apply=\"%s\" -q --verify -i '*=random' case.graph",
			trees[i].steps), 0, "case %d: %s", (int)i, ltrun_err);
	}
}

static const struct { const char *graph, *steps, *says; } refused[] = {
	{ PLAIN, "bind m grid.x; call k gemm", "loop k: only the host calls gemm, and the grid loop m is around it" },
	{ PLAIN, "call m gem", "`call gem` on the loop m: sim:grid has no routine of that name; it has gemm" },
};

Test(kernel_call, refusals_name_the_loop)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		ltrun_write_text("case.graph", refused[i].graph);
		ltrun_write_text("plain", "schedule 1\n");
		cr_expect_neq(ltrun(PLAINLY "--strict --apply=\"%s\" -q -i '*=random' case.graph",
			refused[i].steps), 0);
		cr_expect_not_null(strstr(ltrun_err, refused[i].says), "case %d: %s", (int)i, ltrun_err);
	}
}
