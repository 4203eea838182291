/* test_text_grid.c -- grids as CUDA C and OpenCL C: the programs of tests/kernels, each beside its texts, and
 * random ones.  NVRTC compiles them without a device; on PoCL they leave what the simulator leaves.
 *
 * LT_BLESS=1 rewrites the texts; LT_SEED=N begins with another program, LT_KERNELS=N takes another number of them.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/text/text.h"
#include "check/random/must.h"
#include "tests/grid_files.h"
#include "tests/grid_rows.h"
#include "tests/nvrtc.h"
#include "tests/opencl.h"
#include "tests/simulated.h"

TestSuite(text_grid, .timeout = 300);

static const struct device_row { const struct lt_text_dialect *dialect; const char *ending; } devices[] = {
	{ &lt__text_cuda, "cu" }, { &lt__text_opencl, "cl" }
};
enum { N_DEVICE = sizeof devices / sizeof *devices };

/* Its text, or why there is none. */
static char *text_of(const struct device_row *d, const struct lt_kernel *k)
{
	struct keeper diags = keeper_new();
	struct lt_text_grids *grids;
	lt_status status = lt__text_grids(d->dialect, k, NULL, &grids, &diags.diag);
	size_t bytes = status ? sizeof diags.text + 32 : strlen(grids->text) + 1;
	char *text = malloc(bytes);
	cr_assert_not_null(text);
	(void)snprintf(text, bytes, status ? "/* %s */\n" : "%s", status ? diags.text : grids->text);
	lt__text_grids_free(grids);
	return text;
}

Test(text_grid, texts_are_those_beside_the_programs)
{
	for (int i = 0; i < N_GRID_FILE * N_DEVICE; i++) {
		const char *name = grid_files[i / N_DEVICE], *ending = devices[i % N_DEVICE].ending;
		struct lt_kernel *k = grid_file_kernel(name);
		char *text = text_of(&devices[i % N_DEVICE], k), *want = grid_file_text(name, ending), path[256];
		if (getenv("LT_BLESS") && (!want || strcmp(text, want) != 0)) {
			(void)snprintf(path, sizeof path, "tests/kernels/%s.%s", name, ending);
			FILE *f = fopen(path, "wb");
			cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
		} else {
			cr_expect(want && strcmp(text, want) == 0, "tests/kernels/%s.%s is another text; LT_BLESS=1 rewrites it", name,
				ending);
		}
		free(text);
		free(want);
		lt_kernel_free(k);
	}
}

/* The last element that 32 bits can name, and the one behind it; a constant is added in 64 bits; what is loaded may be
 * any number. */
Test(text_grid, numbers_that_fit_are_32_bits_wide)
{
	static const struct { int blocks; const char *in[3], *absent; } cases[] = {
		{ 32768, { "const int32_t v0 = ", "x[v0 * 65536 + (int32_t)threadIdx.x + 8L] = (uint64_t)v4 * (uint64_t)v4 + ",
			"const int64_t v4 = y[v0];" }, "uint64_t)v0" },
		{ 32769, { "const int32_t v0 = ", "x[(uint64_t)v0 * 65536 + (uint64_t)(int32_t)threadIdx.x + 8] = ",
			"const int64_t v4 = y[v0];" }, "8L" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_kernel *k = simulated_kernel("kernel 1\nname far\nworkspace 0 thread 0\n"
			"buffer x i64[4294967296] slot 0 align 8 exclusive written\nbuffer y i64[65536] slot 1 align 8 exclusive\n"
			"region host\n\tlaunch_grid 1 %d 1 1 ()\nregion grid 1 blocks (%d, 1, 1) threads (256, 1, 1) subgroup 32 "
			"shared 0\n\t%%b = block 0\n\t%%t = thread 0\n\t%%f = mul i64 %%b 65536\n\t%%a = add i64 %%f %%t\n"
			"\t%%l = load i64 y[%%b]\n\t%%m = mod i64 %%l 65536\n\t%%n = mul i64 %%l %%l\n\t%%o = load i64 y[%%m]\n"
			"\t%%p = add i64 %%n %%o\n\tstore x[%%a + 8] %%p\n", cases[i].blocks, cases[i].blocks);
		char *text = text_of(&devices[0], k);
		for (int n = 0; n < 3; n++)
			cr_expect(strstr(text, cases[i].in[n]), "%d blocks, no %s: %s", cases[i].blocks, cases[i].in[n], text);
		cr_expect(!strstr(text, cases[i].absent), "%d blocks, %s: %s", cases[i].blocks, cases[i].absent, text);
		free(text);
		lt_kernel_free(k);
	}
}

static void expect_compiled(const struct lt_kernel *k, const char *name, const char *arch)
{
	static char said[8192];
	char *text = text_of(&devices[0], k);
	*said = 0;
	cr_expect(nvrtc_compile(text, arch, said, sizeof said, NULL, NULL), "%s for %s: %s\n%s", name, arch, said, text);
	free(text);
}

Test(text_grid, nvrtc_compiles_every_program)
{
	if (!nvrtc_is_there())
		cr_skip_test("NVRTC is not there");
	for (int i = 0; i < N_GRID_FILE; i++) {
		struct lt_kernel *k = grid_file_kernel(grid_files[i]);
		expect_compiled(k, grid_files[i], "sm_80");
		expect_compiled(k, grid_files[i], "sm_90a");
		lt_kernel_free(k);
	}
}

/* On the device and in the simulator, from the same memory. */
static void expect_same_run(const struct lt_kernel *k, const char *name, uint64_t seed, bool exact)
{
	static char said[8192];
	struct random_kernel_memory want, got;
	struct lt_fault fault = { 0 };
	struct simulated s;
	(exact ? random_kernel_fill : grid_fill)(k, seed, &want);
	(exact ? random_kernel_fill : grid_fill)(k, seed, &got);
	simulated_run(k, want.at, NULL, NULL, &s);
	cr_assert_eq(s.status, LT_OK, "%s %llu: %s", name, (unsigned long long)seed, s.diags.text);
	cr_expect(opencl_run(k, got.at, got.bytes, &fault, said, sizeof said), "%s %llu: %s", name, (unsigned long long)seed,
		said);
	cr_expect_eq(fault.n, s.fault.n, "%s: %lld faults, not %lld", name, (long long)fault.n, (long long)s.fault.n);
	cr_expect_eq(fault.stmt, s.fault.stmt, "%s: in statement %d, not %d", name, (int)fault.stmt, (int)s.fault.stmt);
	if (!exact)
		cr_expect(grid_near(k, &want, &got, said, sizeof said), "%s %llu: %s", name, (unsigned long long)seed, said);
	for (uint32_t b = 0; b < k->n_buffer && exact; b++) {
		const struct lt_kernel_buffer *x = &k->buffers[b];
		cr_expect(x->space != LT_SPACE_SLOT || random_kernel_same(x->dtype, want.at[x->slot], got.at[x->slot], x->elems),
			"%s %llu: buffer %s", name, (unsigned long long)seed, x->name);
	}
	random_kernel_drop(&want);
	random_kernel_drop(&got);
}

Test(text_grid, opencl_gives_what_the_simulator_gives)
{
	if (!opencl_is_there())
		cr_skip_test("no OpenCL device is there: Debian's pocl-opencl-icd makes one of the processor");
	for (int i = 0; i < N_GRID_FILE; i++) {
		struct lt_kernel *k = grid_file_kernel(grid_files[i]);
		if (k->n_matrix == 0)
			for (uint64_t seed = 1, n = must_draws("LT_SEEDS", 3); seed <= n; seed++)
				expect_same_run(k, grid_files[i], seed, false);
		lt_kernel_free(k);
	}
}

/* Two blocks of two subgroups of 8; roles, which have barriers of some subgroups, are for devices with warps of 32. */
Test(text_grid, opcodes)
{
	static char message[8192];
	bool compiles = nvrtc_is_there(), runs = opencl_is_there();
	for (int r = 0; r < N_GRID_ROW; r++) {
		if (strncmp(grid_rows[r].what, "roles", 5) == 0)
			continue;
		_Alignas(64) float x[256], y[256];
		const int64_t bytes[2] = { sizeof x, sizeof y };
		struct lt_fault fault = { 0 };
		struct lt_kernel *k = simulated_kernel("%s", grid_row_text(grid_rows[r].lines));
		for (int i = 0; i < 256; i++) {
			x[i] = (float)i;
			y[i] = -1;
		}
		if (compiles)
			expect_compiled(k, grid_rows[r].what, "sm_80");
		cr_expect(!runs || opencl_run(k, (void *const[]){ x, y }, bytes, &fault, message, sizeof message), "%s: %s",
			grid_rows[r].what, message);
		for (int t = 0; t < 32 && runs; t++)
			cr_expect_eq(y[t], grid_rows[r].want(t / 16, t % 16), "%s: thread %d has %g", grid_rows[r].what, t,
				(double)y[t]);
		lt_kernel_free(k);
	}
}

static double sigmoid_of(double x, double y) { (void)y; return 1 / (1 + exp(-x)); }
#define ONE(name) static double name##_of(double x, double y) { (void)y; return name(x); }
ONE(rint)
ONE(floor)
ONE(ceil)
ONE(exp)
ONE(tanh)
#undef ONE
static double pow_of(double x, double y) { return pow(x, y); }

static bool near_of(double x, double want, double relative)
{
	if (isnan(want) || isinf(want) || want == 0)
		return isnan(want) ? isnan(x) : x == want && !signbit(x) == !signbit(want);
	return fabs(x - want) <= relative * fabs(want);
}

/* Constants, numbers that are loaded, and both by two lanes: a compiler knows the first, and what its library makes of
 * numbers that no integer has.  ulp: what OpenCL allows of f32; of sigmoid, with its sum and quotient. */
Test(text_grid, opencl_functions_take_every_number)
{
	static const struct { const char *name; double ulp, (*of)(double, double); } functions[] = { { "round", 0, rint_of },
		{ "floor", 0, floor_of }, { "ceil", 0, ceil_of }, { "exp", 3, exp_of }, { "sigmoid", 3 + 0.5 + 2.5, sigmoid_of },
		{ "tanh", 5, tanh_of }, { "pow", 16, pow_of } };
	static const char *const constant[] = { "inf", "-inf", "1e+30", "-1e+30", "8388609", "0.5", "1.5", "-2.5", "-0",
		"-0.25", "0.49999997", "nan" };
	static const char *const nan_of[2] = { "nan:0x7fc00000", "nan:0x7ff8000000000000" };
	enum { N = sizeof constant / sizeof *constant, N_FUNCTION = sizeof functions / sizeof *functions };
	static char text[65536], said[8192];
	float x[N], y[N_FUNCTION * N * 4];
	double z[N_FUNCTION * N];
	if (!opencl_is_there())
		cr_skip_test("no OpenCL device is there: Debian's pocl-opencl-icd makes one of the processor");
	size_t n = (size_t)snprintf(text, sizeof text, "kernel 1\nname k\nworkspace 0 thread 0\n"
		"buffer x f32[%d] slot 0 align 4 exclusive\nbuffer y f32[%d] slot 1 align 4 exclusive written\n"
		"buffer z f64[%d] slot 2 align 8 exclusive written\nregion host\n\tlaunch_grid 1 1 1 1 ()\n"
		"region grid 1 blocks (1, 1, 1) threads (1, 1, 1) subgroup 1 shared 0\n", N, 4 * N_FUNCTION * N, N_FUNCTION * N);
	for (int i = 0; i < N_FUNCTION * N; i++) {
		const char *f = functions[i / N].name, *c = constant[i % N];
		const bool two = functions[i / N].of == pow_of, none = c[0] == 'n';
		char more[2][40] = { "", "" }, loaded[2][40] = { "", "" };
		for (int k = 0; k < 2 && two; k++) {
			(void)snprintf(more[k], sizeof more[k], " %s", none ? nan_of[k] : c);
			(void)snprintf(loaded[k], sizeof loaded[k], " %%%c%d", k ? 'd' : 'b', i);
		}
		n += (size_t)snprintf(text + n, sizeof text - n, "\t%%a%d = %s f32 %s%s\n\tstore y[%d] %%a%d\n"
			"\t%%b%d = load f32 x[%d]\n\t%%c%d = %s f32 %%b%d%s\n\tstore y[%d] %%c%d\n\t%%d%d = splat f32x2 %%b%d\n"
			"\t%%e%d = %s f32x2 %%d%d%s\n\tstore f32x2 y[%d] %%e%d\n\t%%f%d = %s f64 %s%s\n\tstore z[%d] %%f%d\n",
			i, f, none ? nan_of[0] : c, more[0], 4 * i, i, i, i % N, i, f, i, loaded[0], 4 * i + 1, i, i, i,
			i, f, i, loaded[1], 4 * i + 2, i, i, f, none ? nan_of[1] : c, more[1], i, i);
	}
	must(n < sizeof text, "the text is too long");
	for (int i = 0; i < N; i++)
		x[i] = strtof(constant[i], NULL);
	struct lt_kernel *k = simulated_kernel("%s", text);
	const int64_t bytes[3] = { sizeof x, sizeof y, sizeof z };
	struct lt_fault fault = { 0 };
	cr_expect(opencl_run(k, (void *const[]){ x, y, z }, bytes, &fault, said, sizeof said), "%s", said);
	for (int i = 0; i < N_FUNCTION * N; i++) {
		const double given = strtod(constant[i % N], NULL), ulp = functions[i / N].ulp;
		const double want = functions[i / N].of((double)x[i % N], (double)x[i % N]), wide = functions[i / N].of(given, given);
		for (int j = 4 * i; j < 4 * i + 4; j++)
			cr_expect(near_of((double)y[j], (double)(float)want, ulp * 0x1p-23), "%s of %s: y[%d] is %g",
				functions[i / N].name, constant[i % N], j, (double)y[j]);
		cr_expect(near_of(z[i], wide, ulp * 0x1p-52), "%s of %s: z[%d] is %g", functions[i / N].name, constant[i % N], i,
			z[i]);
	}
	lt_kernel_free(k);
}

/* Which function a device means is said by the types of operands: infinity has that of the value, too. */
Test(text_grid, opencl_divides_doubles_by_infinity)
{
	const double x[1] = { 2.5 };
	double y[2] = { 0 };
	static char said[8192];
	const int64_t bytes[2] = { sizeof x, sizeof y };
	struct lt_fault fault = { 0 };
	if (!opencl_is_there())
		cr_skip_test("no OpenCL device is there: Debian's pocl-opencl-icd makes one of the processor");
	struct lt_kernel *k = simulated_kernel("kernel 1\nname k\nworkspace 0 thread 0\n"
		"buffer x f64[1] slot 0 align 8 exclusive\nbuffer y f64[2] slot 1 align 8 exclusive written\n"
		"region host\n\tlaunch_grid 1 1 1 1 ()\n"
		"region grid 1 blocks (1, 1, 1) threads (1, 1, 1) subgroup 1 shared 0\n\t%%a = load f64 x[0]\n"
		"\t%%b = remainder f64 %%a inf\n\tstore y[0] %%b\n\t%%c = remainder f64 -inf %%a\n\tstore y[1] %%c\n");
	cr_expect(opencl_run(k, (void *const[]){ (void *)(uintptr_t)x, y }, bytes, &fault, said, sizeof said), "%s", said);
	cr_expect(y[0] == 2.5 && isnan(y[1]), "%g, %g", y[0], y[1]);
	lt_kernel_free(k);
}

/* Every other one has values of several lanes. */
static struct lt_kernel *random_grids(uint64_t seed)
{
	struct lt_kernel *k = random_kernel(seed, RANDOM_KERNEL_GRID | (seed % 2 ? RANDOM_KERNEL_LANES : 0));
	struct keeper diags = keeper_new();
	must(k && !lt_kernel_verify(k, &diags.diag), "seed %llu: %s", (unsigned long long)seed, diags.text);
	return k;
}

Test(text_grid, opencl_of_random_programs)
{
	const uint64_t seed = must_number("LT_SEED", 1), n = must_draws("LT_KERNELS", 24);
	if (!opencl_is_there())
		cr_skip_test("no OpenCL device is there: Debian's pocl-opencl-icd makes one of the processor");
	for (uint64_t i = 0; i < n; i++) {
		struct lt_kernel *k = random_grids(seed + i);
		expect_same_run(k, "random program", seed + i, true);
		lt_kernel_free(k);
	}
}

Test(text_grid, nvrtc_compiles_random_programs)
{
	const uint64_t seed = must_number("LT_SEED", 101), n = must_draws("LT_KERNELS", 12);
	if (!nvrtc_is_there())
		cr_skip_test("NVRTC is not there");
	for (uint64_t i = 0; i < n; i++) {
		struct lt_kernel *k = random_grids(seed + i);
		expect_compiled(k, "random program", i % 2 ? "sm_80" : "sm_90a");
		lt_kernel_free(k);
	}
}
