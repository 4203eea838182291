/* test_text_library.c -- functions over vectors that backends/text takes from libmvec: which of them with which
 * version, for each number of lanes and each kind of registers, and what they give.
 *
 * tests/test_cpu_ops.c measures their errors.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lt/kernel.h"
#include "backends/cpu/cpu.h"
#include "check/random/must.h"
#include "kernel/form/form.h"
#include "tests/simulated.h"
#include "tests/text_run.h"

TestSuite(text_library, .timeout = 120);

enum { N_SINGLE = 3, N_DOUBLE = 7, SIDE = 8 };
/* L: lanes.  Buffers end where the vectors do. */
static const char program[] = "kernel 1\nname functions\nworkspace 0 thread 0\n"
	"buffer a f32[@L] slot 0 align 4 exclusive\nbuffer b f32[@L] slot 1 align 4 exclusive\n"
	"buffer c f64[@L] slot 2 align 8 exclusive\nbuffer d f64[@L] slot 3 align 8 exclusive\n"
	"buffer o f32[@S] slot 4 align 4 exclusive written\nbuffer p f64[@D] slot 5 align 8 exclusive written\n"
	"region host\n\t%a = load f32x@L a[0]\n\t%b = load f32x@L b[0]\n\t%c = load f64x@L c[0]\n\t%d = load f64x@L d[0]\n"
	"\t%e = sin f32x@L %a\n\tstore o[0] %e\n\t%f = cos f32x@L %a\n\tstore o[@L] %f\n"
	"\t%g = pow f32x@L %a %b\n\tstore o[@2] %g\n"
	"\t%h = sin f64x@L %c\n\tstore p[0] %h\n\t%i = cos f64x@L %c\n\tstore p[@L] %i\n"
	"\t%j = pow f64x@L %c %d\n\tstore p[@2] %j\n\t%k = exp f64x@L %d\n\tstore p[@3] %k\n"
	"\t%l = log f64x@L %c\n\tstore p[@4] %l\n\t%m = tanh f64x@L %d\n\tstore p[@5] %m\n"
	"\t%n = erf f64x@L %d\n\tstore p[@6] %n\n";

static struct lt_kernel *functions_kernel(unsigned lanes)
{
	char text[4096], *to = text;
	for (const char *c = program; *c; c++)
		if (*c != '@')
			*to++ = *c;
		else
			to += sprintf(to, "%u", *++c == 'L' ? lanes : *c == 'S' ? N_SINGLE * lanes : *c == 'D' ? N_DOUBLE * lanes
				: lanes * (unsigned)(*c - '0'));
	*to = '\0';
	return simulated_kernel("%s", text);
}

static struct lt_kernel *expanded_for_library(const struct lt_kernel *k, int library)
{
	struct lt_machine m = { 0 };
	struct keeper diags = keeper_new();
	struct lt_kernel *expanded;
	m.operators = lt__text_operators(&lt__text_c, false, false, library, &m.n_operator);
	must(!lt_kernel_expand(k, &m, &expanded, &diags.diag), "%s", diags.text);
	return expanded;
}

static char *text_of(const struct lt_kernel *k)
{
	struct keeper diags = keeper_new();
	char *text;
	size_t definitions;
	must(!lt__text_print(&lt__text_c, k, NULL, NULL, &text, &definitions, &diags.diag), "%s", diags.text);
	return text;
}

static int count(const char *in, const char *part)
{
	int n = 0;
	for (; (in = strstr(in, part)); in++)
		n++;
	return n;
}

/* What a library does not have runs lane by lane. */
Test(text_library, by_version)
{
	static const struct { int library, each; } rows[] = { { 0, 10 }, { 221, 10 }, { 222, 2 }, { 234, 2 }, { 235, 0 },
		{ 241, 0 } };
	struct lt_kernel *k = functions_kernel(8);
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct lt_kernel *e = expanded_for_library(k, rows[r].library);
		int each = 0;
		for (uint32_t i = 0; i < e->n_instruction; i++)
			each += e->instructions[i].opcode == LT_OPCODE_each;
		char *text = text_of(e);
		cr_expect_eq(each, rows[r].each, "%d: %d", rows[r].library, each);
		cr_expect_eq(count(text, "r[i] = "), rows[r].each, "%d: %s", rows[r].library, text);
		cr_expect_eq(strstr(text, "_ZGV") != NULL, rows[r].library >= 222);
		cr_expect_eq(strstr(text, "_ZGVdN4v_tanh(") != NULL, rows[r].library >= 235);
		free(text);
		lt_kernel_free(e);
	}
	lt_kernel_free(k);
}

/* The register that is as wide as the vector, or the widest there is. */
Test(text_library, symbols)
{
	static const struct { unsigned lanes; const char *there, *not_there; } rows[] = {
		{ 2, "_ZGVbN4v_sinf(x.part", "_ZGVdN8v_sinf" }, { 2, "return _ZGVbN2v_sin(a)", "_ZGVdN4v_sin" },
		{ 3, "x.lane[i] = x.lane[2]", "_ZGVdN8v_sinf" }, { 4, "return _ZGVbN4vv_powf(a, b)", "_ZGVdN8vv_powf" },
		{ 8, "return _ZGVdN8v_cosf(a)", "_ZGVeN16v_cosf" }, { 8, "return _ZGVeN8vv_pow(a, b)", "_ZGVcN4" },
		{ 16, "return _ZGVeN16v_cosf(a)", "_ZGVcN8" } };
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct lt_kernel *k = functions_kernel(rows[r].lanes);
		char *text = text_of(k);
		cr_expect(strstr(text, rows[r].there), "%u lanes: no %s in\n%s", rows[r].lanes, rows[r].there, text);
		cr_expect(!strstr(text, rows[r].not_there), "%u lanes: %s", rows[r].lanes, rows[r].not_there);
		free(text);
		lt_kernel_free(k);
	}
}

struct functions_memory { float a[64], b[64], o[N_SINGLE * 64 + SIDE]; double c[64], d[64], p[N_DOUBLE * 64 + SIDE]; };

static void functions_fill(struct functions_memory *m)
{
	*m = (struct functions_memory){ .o = { 0 } };
	for (int i = 0; i < 64; i++) {
		m->c[i] = 0.03 + i * 0.37;
		m->d[i] = i * 0.171 - 5;
		m->a[i] = (float)m->c[i];
		m->b[i] = (float)m->d[i];
	}
	m->a[1] = m->b[2] = NAN;
	m->c[1] = m->d[2] = INFINITY;
	for (int i = 0; i < N_SINGLE * 64 + SIDE; i++)
		m->o[i] = -77;
	for (int i = 0; i < N_DOUBLE * 64 + SIDE; i++)
		m->p[i] = -77;
}

static bool is_near(double got, double want, double unit)
{
	return got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= 4 * unit * fabs(want);
}

static const unsigned lanes[] = { 2, 3, 4, 5, 7, 8, 16, 17, 24, 32, 40, 64 };
enum { N_LANES = sizeof lanes / sizeof *lanes };

static void functions_compare(const struct text_run *r, int k, const char *command)
{
	struct functions_memory expected, found;
	struct simulated s;
	struct lt_fault fault = { 0 };
	functions_fill(&expected);
	functions_fill(&found);
	simulated_run(r->kernel[k], (void *const[]){ expected.a, expected.b, expected.c, expected.d, expected.o, expected.p },
		NULL, NULL, &s);
	cr_assert_eq(s.status, LT_OK, "%u lanes: %s", lanes[k], s.diags.text);
	text_run_one(r, k, (void *const[]){ found.a, found.b, found.c, found.d, found.o, found.p }, 1, &fault);
	for (unsigned i = 0; i < N_SINGLE * lanes[k] + SIDE; i++)
		cr_expect(is_near((double)found.o[i], (double)expected.o[i], 0x1p-23), "%s, %u lanes, o[%u]: %a, not %a", command,
			lanes[k], i, (double)found.o[i], (double)expected.o[i]);
	for (unsigned i = 0; i < N_DOUBLE * lanes[k] + SIDE; i++)
		cr_expect(is_near(found.p[i], expected.p[i], 0x1p-52), "%s, %u lanes, p[%u]: %a, not %a", command, lanes[k], i,
			found.p[i], expected.p[i]);
}

/* AVX-512's text is compiled and linked where the processor does not have it, too. */
Test(text_library, every_number_of_lanes)
{
#define FLAGS " -std=gnu11 -Wall -Wextra -Wno-psabi -Wno-unused-function -fwrapv"
	static const struct { const char *command; bool wide, widest; } targets[] = { { "gcc -O1 -march=x86-64" FLAGS, 0, 0 },
		{ "gcc -O2 -march=x86-64-v3" FLAGS, 1, 0 }, { "gcc -O2 -march=x86-64-v4" FLAGS, 1, 1 },
		{ "clang -O2 -march=x86-64-v3" FLAGS, 1, 0 }, { "clang -O2 -march=x86-64-v4" FLAGS, 1, 1 } };
	if (lt_kernel_vector_library() < 235)
		cr_skip_test("no libmvec of glibc 2.35");
#ifdef __x86_64__
	for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
		struct text_run r = { .n = N_LANES };
		if (targets[t].command[0] == 'c' && system("clang --version >/dev/null 2>&1") != 0)
			continue;
		for (int k = 0; k < N_LANES; k++)
			r.kernel[k] = functions_kernel(lanes[k]);
		text_run_compile(&r, &lt__text_c, targets[t].command);
		bool runs = (!targets[t].wide || __builtin_cpu_supports("avx2"))
			&& (!targets[t].widest || __builtin_cpu_supports("avx512bw"));
		for (int k = 0; k < N_LANES; k++) {
			if (runs)
				functions_compare(&r, k, targets[t].command);
			lt_kernel_free((struct lt_kernel *)(uintptr_t)r.kernel[k]);
		}
		text_run_end(&r);
	}
#endif
}
