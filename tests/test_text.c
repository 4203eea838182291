/* test_text.c -- random kernel programs (tests/random_kernel.h) printed in each dialect, compiled without a
 * warning and run: they leave what the simulator leaves, bit for bit.
 *
 * LT_SEED=N begins with another program, LT_KERNELS=N takes another number of them.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "check/random/must.h"
#include "kernel/form/form.h"
#include "tests/kernel_text.h"
#include "tests/random_kernel.h"
#include "tests/simulated.h"
#include "tests/text_run.h"

TestSuite(text, .timeout = 300);
TestSuite(more_text, .timeout = 300);

static void check_one(const struct text_run *r, int i, unsigned flags, uint64_t seed)
{
	const struct lt_kernel *k = r->kernel[i];
	struct lt_kernel *original = random_kernel(seed, flags);
	struct random_kernel_memory expected, found;
	struct lt_fault fault = { 0 };
	random_kernel_fill(k, seed, &expected);
	random_kernel_fill(k, seed, &found);
	simulated_good(original, expected.at);
	lt_kernel_free(original);
	text_run_one(r, i, found.at, 1 + (int64_t)(seed % 5), &fault);
	cr_assert_eq(fault.n, 0, "seed %llu", (unsigned long long)seed);
	for (uint32_t b = 0; b < k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &k->buffers[b];
		cr_assert(x->space != LT_SPACE_SLOT
			|| random_kernel_same(x->dtype, expected.at[x->slot], found.at[x->slot], x->elems),
			"seed %llu: buffer %s", (unsigned long long)seed, x->name);
	}
	random_kernel_drop(&expected);
	random_kernel_drop(&found);
}

/* As a machine has it whose operators are those of the dialects. */
static struct lt_kernel *expanded_kernel(uint64_t seed, unsigned flags)
{
	struct lt_machine m = { 0 };
	struct lt_kernel *k = random_kernel(seed, flags), *expanded;
	struct keeper diags = keeper_new();
	m.operators = lt__text_operators(&lt__text_c, seed % 2 == 0, false, 0, &m.n_operator);
	must(k && !lt_kernel_expand(k, &m, &expanded, &diags.diag), "seed %llu: %s", (unsigned long long)seed, diags.text);
	lt_kernel_free(k);
	return expanded;
}

static void check_all(const struct lt_text_dialect *d, unsigned flags, const char *command, uint64_t seed, uint64_t n)
{
	while (n > 0) {
		struct text_run r = { .n = (int)(n < TEXT_RUN_MAX ? n : TEXT_RUN_MAX) };
		for (int i = 0; i < r.n; i++)
			r.kernel[i] = expanded_kernel(seed + (uint64_t)i, flags);
		text_run_compile(&r, d, command);
		for (int i = 0; i < r.n; i++)
			check_one(&r, i, flags, seed + (uint64_t)i);
		text_run_end(&r);
		for (int i = 0; i < r.n; i++)
			lt_kernel_free((struct lt_kernel *)(uintptr_t)r.kernel[i]);
		seed += (uint64_t)r.n;
		n -= (uint64_t)r.n;
	}
}

#define STRICT " -Wall -Wextra -pedantic -Werror"

Test(text, c99_is_silent_and_gives_what_the_simulator_gives)
{
	check_all(&lt__text_c99, 0, "gcc -std=c99 -O1" STRICT, must_number("LT_SEED", 1), must_draws("LT_KERNELS", 40));
}

Test(text, c99_has_no_undefined_behaviour)
{
	check_all(&lt__text_c99, 0, "gcc -std=c99 -O0 -fsanitize=undefined -fsanitize-undefined-trap-on-error" STRICT,
		must_number("LT_SEED", 101), must_draws("LT_KERNELS", 40));
}

Test(more_text, c99_by_clang)
{
	if (system("clang --version >/dev/null 2>&1") != 0)
		cr_skip_test("clang is not there");
	check_all(&lt__text_c99, 0, "clang -std=c99 -O2" STRICT, must_number("LT_SEED", 201), must_draws("LT_KERNELS", 20));
}

/* The flags of the backend cpu. */
#define USUAL " -std=gnu11 -w -Wno-psabi -fwrapv -fno-math-errno -fno-trapping-math -ffp-contract=fast" \
	" -fno-strict-aliasing"
static const struct { const char *compiler, *flags; } vectors[] = {
	{ "gcc", "-O1 -march=x86-64" }, { "gcc", "-O3 -march=x86-64-v3" }, { "gcc", "-O1 -march=x86-64-v4" },
	{ "gcc", "-O2 -march=x86-64-v2" },
	{ "clang", "-O1 -march=x86-64" }, { "clang", "-O3 -march=x86-64-v3" },
	{ "clang", "-O1 -march=x86-64-v4" },
};
enum { N_VECTORS = sizeof vectors / sizeof *vectors };

/* Those of make check; the others are for make check-more. */
static bool is_sample(int i) { return i == 1 || i == 6; }

/* Whether the compiler is there and this machine runs what it makes; its command. */
static bool text_vectors_run(int i, char *command, size_t bytes)
{
	(void)snprintf(command, bytes, "%s --version >/dev/null 2>&1", vectors[i].compiler);
	if (system(command) != 0 || (strstr(vectors[i].flags, "-v3") && !__builtin_cpu_supports("avx2"))
		|| (strstr(vectors[i].flags, "-v4") && !__builtin_cpu_supports("avx512bw")))
		return false;
	(void)snprintf(command, bytes, "%s %s" USUAL, vectors[i].compiler, vectors[i].flags);
	return true;
}

static void vectors_of_c(bool sample)
{
	uint64_t seed = must_number("LT_SEED", 301), n = must_draws("LT_KERNELS", 12);
	for (int i = 0; i < N_VECTORS; i++, seed += n) {
		char command[512];
		if (is_sample(i) == sample && text_vectors_run(i, command, sizeof command))
			check_all(&lt__text_c, RANDOM_KERNEL_LANES, command, seed, n);
	}
}

Test(text, vectors_of_c_give_what_the_simulator_gives) { vectors_of_c(true); }
Test(more_text, vectors_of_c_give_what_the_simulator_gives) { vectors_of_c(false); }

/* Bits of a number: near a half's, or any. */
static uint64_t cast_bits(uint32_t dtype, uint64_t *state)
{
	uint64_t bits = simulated_random(state);
	double near = ldexp((double)(int64_t)(bits % 8193) - 4096, (int)(bits >> 20 & 255) - 150);
	near += bits >> 33 & 1 ? 0x1p-1060 : 0;
	if (dtype == LT_BOOL)
		return bits & 1;
	return !(bits >> 40 & 3) ? bits : dtype == LT_F64 ? simulated_double_bits(near)
		: dtype == LT_F32 ? simulated_float_bits((float)near) : bits;
}

/* One lane: every pair of types has a spelling or a function of its own here. */
Test(text, casts_of_all_pairs)
{
	enum { N = 4000, LAST = LT_BOOL };
	static unsigned char from[N * 8], expected[N * 8], found[N * 8];
	for (uint32_t f = 1; f <= LAST; f++) {
		struct text_run r = { .n = LAST };
		const uint32_t bytes = lt__kernel_element_bytes(f);
		uint64_t state = f;
		for (int i = 0; i < N; i++) {
			uint64_t bits = cast_bits(f, &state);
			memcpy(from + (size_t)i * bytes, &bits, bytes);         /* of a machine whose lowest byte is first */
		}
		for (uint32_t to = 1; to <= LAST; to++)
			r.kernel[to - 1] = simulated_kernel("kernel 1\nname casts\nworkspace 0 thread 0\nbuffer a %s[%d] slot 0 align 8\n"
				"buffer b %s[%d] slot 1 align 8 written\nregion host\n\tloop %%i from 0 to %d\n\t\t%%x = load %s a[%%i]\n"
				"\t\t%%y = cast %s from %s %%x\n\t\tstore b[%%i] %%y\n\tend\n", simulated_type(f), N, simulated_type(to), N, N,
				simulated_type(f), simulated_type(to), simulated_type(f));
		text_run_compile(&r, &lt__text_c99, "gcc -std=c99 -O2" STRICT);
		for (uint32_t to = 1; to <= LAST; to++) {
			struct lt_fault fault = { 0 };
			simulated_good(r.kernel[to - 1], (void *const[]){ from, expected });
			text_run_one(&r, (int)to - 1, (void *const[]){ from, found }, 1, &fault);
			cr_expect(random_kernel_same(to, expected, found, N), "%s to %s", simulated_type(f), simulated_type(to));
			lt_kernel_free((struct lt_kernel *)(uintptr_t)r.kernel[to - 1]);
		}
		text_run_end(&r);
	}
}

/* Minimum and maximum of two values, and beside constants: GNU C has functions of its own for one lane, with and
 * without those of a processor. */
static struct lt_kernel *extremes_kernel(const char *type, int n)
{
	static const char *const right[] = { "%y", "0", "-0", "2", "-3" };
	enum { RIGHT = sizeof right / sizeof *right };
	char text[4096];
	int at = snprintf(text, sizeof text, "kernel 1\nname extremes\nworkspace 0 thread 0\nbuffer a %s[%d] slot 0 align 8\n"
		"buffer o %s[%d] slot 1 align 8 written\nregion host\n\tloop %%i from 0 to %d\n\t\tloop %%j from 0 to %d\n"
		"\t\t\t%%x = load %s a[%%i]\n\t\t\t%%y = load %s a[%%j]\n\t\t\t%%r = mul i64 %%i %d\n\t\t\t%%k = add i64 %%r %%j\n"
		"\t\t\t%%at = mul i64 %%k %d\n", type, n, type, 2 * RIGHT * n * n, n, n, type, type, n, 2 * RIGHT);
	for (int i = 0; i < 2 * RIGHT; i++)
		at += snprintf(text + at, sizeof text - (size_t)at, "\t\t\t%%v%d = %s %s %%x %s\n\t\t\tstore o[%%at + %d] %%v%d\n",
			i, i < RIGHT ? "min" : "max", type, right[i % RIGHT], i, i);
	(void)snprintf(text + at, sizeof text - (size_t)at, "\t\tend\n\tend\n");
	return simulated_kernel("%s", text);
}

Test(text, extremes_of_one_lane)
{
	static const float values[] = { 0, -0.0f, 1, -1, 2, -3, 2.5f, INFINITY, -INFINITY, NAN, 1e-40f, -1e-40f };
	enum { N = sizeof values / sizeof *values, ALL = 10 * N * N };
	static const char *const without[] = { "", " -U__AVX__", " -U__AVX__ -U__SSE2__" };
	static double wide[N], expected[2][ALL], found[ALL];
	for (int i = 0; i < N; i++)
		wide[i] = (double)values[i];
	struct text_run r = { .n = 2, .kernel = { extremes_kernel("f32", N), extremes_kernel("f64", N) } };
	const void *const from[] = { values, wide };
	for (int k = 0; k < 2; k++)
		simulated_good(r.kernel[k], (void *const[]){ (void *)(uintptr_t)from[k], expected[k] });
	for (int v = 0; v < 3 * N_VECTORS; v++) {
		char command[512];
		if (!text_vectors_run(v / 3, command, sizeof command))
			continue;
		strcat(command, without[v % 3]);
		text_run_compile(&r, &lt__text_c, command);
		for (int k = 0; k < 2; k++) {
			struct lt_fault fault = { 0 };
			text_run_one(&r, k, (void *const[]){ (void *)(uintptr_t)from[k], found }, 1, &fault);
			cr_expect(random_kernel_same(k ? LT_F64 : LT_F32, expected[k], found, ALL), "%s", command);
		}
		text_run_end(&r);
	}
	for (int k = 0; k < 2; k++)
		lt_kernel_free((struct lt_kernel *)(uintptr_t)r.kernel[k]);
}

/* Every form of access and mask, at numbers of lanes that no register has, too; a gather that is out of range. */
static const char forms[] = "kernel 1\nname forms\nworkspace 0 thread 0\nbuffer a f32[256] slot 0 align 4 exclusive\n"
	"buffer i i64[64] slot 1 align 8 exclusive\nbuffer o f32[768] slot 2 align 4 exclusive written\n"
	"buffer p i64[512] slot 3 align 8 exclusive written\nbuffer h f16[64] slot 4 align 2 exclusive written\n"
	"variable v maskx@L\nregion host\n\t%x = load f32x@L a[3]\n\t%y = load f32x@L a[2 by 2]\n"
	"\t%i = load i64x@L i[0]\n\t%z = load f32x@L a[1 at %i]\n\t%m = less f32x@L %x %y\n"
	"\t%k = below maskx@L @H\n\t%n = and maskx@L %m %k\n\t%s = select f32x@L %n %x %z\n"
	"\tstore o[0] %s\n\tstore o[64] %y mask %n stream\n\tstore o[128] %y stream\n\tstore o[200 by 2] %s\n"
	"\tstore o[399 by -1] %x mask %k\n\tstore i64x@L p[0 at %i] %i mask %k\n"
	"\tprefetch f32x@L a[0 at %i] mask %k\n\t%l = load f32x@L a[40 by 3] mask %n\n"
	"\t%g = load i64x@L i[0 at %i] mask %n\n\tstore p[64] %g\n\tstore o[400] %l\n"
	"\t%c = cast i64x@L from f32x@L %s\n\tstore p[128] %c\n\t%f = cast f16x@L from f32x@L %l\n"
	"\tstore h[0] %f\n\tvariable v\n\tset v %m\n\tupdate v xor %k\n\t%w = get v\n"
	"\t%u = select i64x@L %w %i -7\n\tstore p[192] %u\n\t%q = any maskx@L %n\n\t%e = all maskx@L %w\n"
	"\t%j = load f32x@L a[100 by 2] mask %n\n\tstore o[520] %j\n\t%v = cast f32x@L from i64x@L %i\n"
	"\t%p = scale f32x@L 1.5 %v\n\t%o = mul f32x@L %v -3\n\t%a = scale f32x@L -0.75 %o\n"
	"\tstore o[600] %p\n\tstore o[680] %a\n"
	"\tif %q\n\t\tstore o[500] 1\n\tend\n\tif %e\n\t\tstore o[501] 1\n\tend\n"
	"\t%t = greater i64x@L %i @T\n\tfault i64x@L %t %i access 2 @5\n"
	"\t%b = flag maskx@L %w\n\t%d = cast i64x@L from boolx@L %b\n\tstore p[256] %d\n"
	"\t%h = shuffle f32x@L %x %y (@E, 0, 1)\n\tstore o[505] %h\n";
static const char folds[] = "\t%A = fold f32x@L add %x\n\tstore o[510] %A\n\t%B = fold i64x@L xor %i\n"
	"\tstore p[511] %B\n\t%C = fold maskx@L xor %m\n\tif %C\n\t\tstore o[511] 1\n\tend\n";

/* L: lanes; H: above half of them; T: above two thirds; E: the last lane of two operands. */
static struct lt_kernel *forms_kernel(unsigned lanes)
{
	char text[8192], *to = text;
	const char *const parts[] = { forms, lanes & (lanes - 1) ? "" : folds };
	for (int i = 0; i < 2; i++)
		for (const char *c = parts[i]; *c; c++)
			if (*c != '@' || !strchr("LHTE", c[1]))
				*to++ = *c;
			else
				to += sprintf(to, "%u", *++c == 'L' ? lanes : *c == 'H' ? lanes / 2 + 1 : *c == 'T' ? lanes * 2 / 3
					: 2 * lanes - 1);
	*to = '\0';
	return simulated_kernel("%s", text);
}

struct forms_memory { float a[256], o[768]; int64_t i[64], p[512]; uint16_t h[64]; };

static void forms_fill(struct forms_memory *m, unsigned lanes)
{
	*m = (struct forms_memory){ .h = { 0 } };
	for (unsigned i = 0; i < 256; i++)
		m->a[i] = (float)(i * 37 % 101) - 50;
	for (unsigned i = 0; i < lanes; i++)
		m->i[i] = (i * 7 + 3) % (lanes % 7 ? lanes : lanes - 1);
}

static void every_number_of_lanes(bool sample)
{
	static const unsigned lanes[] = { 2, 3, 4, 5, 8, 16, 24, 32, 64 };
	enum { N = sizeof lanes / sizeof *lanes };
	for (int v = 0; v < N_VECTORS; v++) {
		struct text_run r = { .n = N };
		char command[512];
		if (is_sample(v) != sample || !text_vectors_run(v, command, sizeof command))
			continue;
		for (int k = 0; k < N; k++) {
			struct lt_machine machine = { 0 };
			struct keeper diags = keeper_new();
			struct lt_kernel *expanded, *p = forms_kernel(lanes[k]);
			machine.operators = lt__text_operators(&lt__text_c, true, false, 0, &machine.n_operator);
			must(!lt_kernel_expand(p, &machine, &expanded, &diags.diag), "%s", diags.text);
			lt_kernel_free(p);
			r.kernel[k] = expanded;
		}
		text_run_compile(&r, &lt__text_c, command);
		for (int k = 0; k < N; k++) {
			struct forms_memory expected, found;
			struct simulated s;
			struct lt_fault fault = { 0 };
			forms_fill(&expected, lanes[k]);
			forms_fill(&found, lanes[k]);
			simulated_run(r.kernel[k], (void *const[]){ expected.a, expected.i, expected.o, expected.p, expected.h }, NULL,
				NULL, &s);
			cr_assert_eq(s.status, LT_OK, "%u lanes: %s", lanes[k], s.diags.text);
			text_run_one(&r, k, (void *const[]){ found.a, found.i, found.o, found.p, found.h }, 1, &fault);
			cr_expect_arr_eq(found.o, expected.o, sizeof found.o, "%s, %u lanes", command, lanes[k]);
			cr_expect_arr_eq(found.p, expected.p, sizeof found.p, "%s, %u lanes", command, lanes[k]);
			cr_expect_arr_eq(found.h, expected.h, sizeof found.h, "%s, %u lanes", command, lanes[k]);
			cr_expect(fault.n == s.fault.n && fault.value == s.fault.value && fault.stmt == s.fault.stmt, "%s, %u lanes",
				command, lanes[k]);
			lt_kernel_free((struct lt_kernel *)(uintptr_t)r.kernel[k]);
		}
		text_run_end(&r);
	}
}

Test(text, every_number_of_lanes) { every_number_of_lanes(true); }
Test(more_text, every_number_of_lanes) { every_number_of_lanes(false); }

/* A gather by two teams, the second with an index that is out of range; an operator that is only text; a param. */
static const char written[] =
	"kernel 1\nname written\nworkspace 0 thread 0\nprelude \"static inline float half_of(float x) { return x / 2; }\\n\"\n"
	"operator halve f32 (f32, i32) identity 0x0 \"half_of($0) + (float)$1 * $0\"\n"
	"buffer while f32[8] slot 0 align 4 exclusive\nbuffer v1 i64[8] slot 1 align 8 exclusive\n"
	"buffer %s f32[8] slot 2 align 4 exclusive written\nvariable fault f32\nparam LIMIT buffer v1 element 7 range 0..9\n"
	"region host\n\tlaunch 1 6 (i64 2)\n"
	"region team 1\n\t%%0 = argument i64 0\n\t%%1 = first\n\t%%2 = last\n\tloop %%3 from %%1 to %%2\n"
	"\t\tvariable fault\n\t\t%%4 = load i64 v1[%%3]\n\t\t%%5 = param 0\n\t\t%%6 = greaterequal i64 %%4 %%5\n"
	"\t\tfault %%6 %%4 access 4 @3\n\t\t%%7 = select i64 %%6 %%0 %%4\n\t\t%%8 = load f32 while[%%7]\n"
	"\t\tset fault %%8\n\t\t%%9 = get fault\n\t\t%%10 = add f32 %%9 1\n\t\tset fault 100\n"
	"\t\t%%11 = text f32 0 %%10 3\n\t\tstore %s[%%3] %%11\n\tend\n";

Test(text, names_faults_params_and_third_parties)
{
	float from[8] = { 0, 1, 2, 3, 4, 5, 6, 7 }, to[8] = { 0 };
	int64_t index[8] = { 3, 1, 0, 5, 6, 2, 0, 6 };
	struct lt_fault fault = { 0 };
	struct text_run r = { .n = 1 };
	r.kernel[0] = simulated_kernel(written, "int", "int");
	text_run_compile(&r, &lt__text_c99, "gcc -std=c99 -O2" STRICT);
	text_run_one(&r, 0, (void *const[]){ from, index, to }, 2, &fault);
	for (int i = 0; i < 6; i++)                     /* of 6 the element 2, which was handed over */
		cr_expect_eq(to[i], (float)3.5 * (from[index[i] == 6 ? 2 : index[i]] + 1), "%d: %g", i, (double)to[i]);
	cr_expect(fault.n == 1 && fault.stmt == 3 && fault.access == 4 && fault.value == 6);
	text_run_end(&r);
	lt_kernel_free((struct lt_kernel *)(uintptr_t)r.kernel[0]);
}

/* A program may be called as a word of C is, and its parts as the functions and types that are printed. */
Test(text, names_that_c_has)
{
	static const char form[] = "kernel 1\nname %s\nworkspace 0 thread 0\n"
		"buffer %s f32[8] slot 0 align 4 exclusive written\nregion host\n\tlaunch 1 8 ()\nregion team 1\n"
		"\t%%0 = first\n\t%%1 = last\n\tloop %%2 from %%0 to %%1\n"
		"\t\tstore %s[%%2] 2\n\tend\n";
	static const struct { const char *kernel, *buffer; } names[] = { { "int", "int_1_team" }, { "main", "main" },
		{ "lt_slot_at", "xlt_slot_at_1" }, { "nullptr", "constexpr" }, { "k", "k_entry" }, { "thread_local", "true" },
		{ "first", "team" }, { "uint32_t", "uintptr_t" }, { "v7", "alignas" } };
	enum { N = sizeof names / sizeof *names };
	struct text_run r = { .n = N };
	for (int i = 0; i < N; i++)
		r.kernel[i] = simulated_kernel(form, names[i].kernel, names[i].buffer, names[i].buffer);
	text_run_compile(&r, &lt__text_c99, "gcc -std=c2x -O1" STRICT);
	for (int i = 0; i < N; i++) {
		struct lt_fault fault = { 0 };
		float y[8] = { 0 };
		text_run_one(&r, i, (void *const[]){ y }, 3, &fault);
		for (int e = 0; e < 8; e++)
			cr_expect_eq(y[e], 2, "kernel %s", names[i].kernel);
		lt_kernel_free((struct lt_kernel *)(uintptr_t)r.kernel[i]);
	}
	text_run_end(&r);
}

/* Seconds to print a loop in which each variable gets what the next one had. */
static double seconds_to_print(int n)
{
	struct kernel_text text = { 0 };
	struct lt_kernel *k = NULL;
	struct timespec a, b;
	char some[96], *out = NULL;
	size_t definitions;
	kernel_text_add(&text, "kernel 1\nname k\nbuffer y f32[8] slot 0 align 4 exclusive written\n", 69);
	for (int i = 0; i <= n; i++)
		kernel_text_add(&text, some, (size_t)snprintf(some, sizeof some, "variable u%d f32\n", i));
	kernel_text_add(&text, "region host\n", 12);
	for (int i = 0; i <= n; i++)
		kernel_text_add(&text, some, (size_t)snprintf(some, sizeof some, "variable u%d\nset u%d 1\n", i, i));
	kernel_text_add(&text, "loop %l from 0 to 9\n%v = get u0\nstore y[0] %v\n", 47);
	for (int i = 0; i < n; i++)
		kernel_text_add(&text, some, (size_t)snprintf(some, sizeof some, "%%v%d = get u%d\nset u%d %%v%d\n", i, i + 1, i, i));
	kernel_text_add(&text, "end\n", 4);
	cr_assert_eq(kernel_parse(text.at, text.n, &k), LT_OK, "%s", kernel_message);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	cr_assert_eq(lt__text_print(&lt__text_c, k, NULL, NULL, &out, &definitions, NULL), LT_OK);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	cr_expect_not_null(strstr(out, "= u2;"));
	lt_kernel_free(k);
	free(out);
	free(text.at);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

Test(text, time_grows_with_the_program)
{
	double one = 1e9, four = 1e9;
	for (int try = 0; try < 5 && !(four < 8 * one + 0.02); try++) {
		double a = seconds_to_print(4000), b = seconds_to_print(16000);
		one = a < one ? a : one;
		four = b < four ? b : four;
	}
	cr_expect(four < 8 * one + 0.02, "%g s, four times as much: %g s", one, four);
}

Test(text, several_lanes_are_refused_in_c99)
{
	struct keeper k = keeper_new();
	char *text;
	size_t definitions;
	struct lt_kernel *p = simulated_kernel("kernel 1\nname k\nworkspace 0 thread 0\n"
		"buffer o f32[4] slot 0 align 4 exclusive written\nregion host\n\tstore f32x4 o[0] 1\n");
	cr_expect_eq(lt__text_print(&lt__text_c99, p, NULL, NULL, &text, &definitions, &k.diag), LT_EUNSUPPORTED);
	cr_expect_str_eq(k.text, "C99 has no values of several lanes, as instruction 0 of kernel k has");
	cr_expect_null(text);
	lt_kernel_free(p);
}
