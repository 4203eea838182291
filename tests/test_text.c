/* tests/test_text.c -- random kernel programs (tests/random_kernel.h) printed in each dialect, compiled without a
 * warning and run: they leave what the simulator leaves, bit for bit.
 *
 * LT_SEED=N begins with another program, LT_KERNELS=N takes another number of them.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "check/must.h"
#include "tests/random_kernel.h"
#include "tests/simulated.h"
#include "tests/text_run.h"

TestSuite(text, .timeout = 300);

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
	struct keeper told = keeper_new();
	m.operators = lt__text_operators(&m.n_operator);
	must(k && !lt_kernel_expand(k, &m, &expanded, &told.diag), "seed %llu: %s", (unsigned long long)seed, told.text);
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
	check_all(&lt__text_c99, 0, "gcc -std=c99 -O1" STRICT, must_number("LT_SEED", 1), must_number("LT_KERNELS", 40));
}

Test(text, c99_has_no_undefined_behaviour)
{
	check_all(&lt__text_c99, 0, "gcc -std=c99 -O0 -fsanitize=undefined -fsanitize-undefined-trap-on-error" STRICT,
		must_number("LT_SEED", 101), must_number("LT_KERNELS", 40));
}

Test(text, c99_by_clang)
{
	if (system("clang --version >/dev/null 2>&1") != 0)
		cr_skip_test("clang is not there");
	check_all(&lt__text_c99, 0, "clang -std=c99 -O2" STRICT, must_number("LT_SEED", 201), must_number("LT_KERNELS", 20));
}

/* The flags of the backend cpu. */
#define USUAL " -std=gnu11 -w -Wno-psabi -fwrapv -fno-math-errno -fno-trapping-math -ffp-contract=fast -fno-strict-aliasing"
static const struct { const char *compiler, *flags; } vectors[] = {
	{ "gcc", "-O1 -march=x86-64" }, { "gcc", "-O3 -march=x86-64-v3" }, { "gcc", "-O1 -march=x86-64-v4" },
	{ "gcc", "-O2 -march=x86-64-v2" },
	{ "clang", "-O1 -march=x86-64" }, { "clang", "-O3 -march=x86-64-v3" },
	{ "clang", "-O1 -march=x86-64-v4" },
};
enum { N_VECTORS = sizeof vectors / sizeof *vectors };

Test(text, vectors_of_c_give_what_the_simulator_gives)
{
	uint64_t seed = must_number("LT_SEED", 301), n = must_number("LT_KERNELS", 12);
	for (int i = 0; i < N_VECTORS; i++, seed += n) {
		char command[512];
		(void)snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", vectors[i].compiler);
		if (system(command) != 0 || (strstr(vectors[i].flags, "-v3") && !__builtin_cpu_supports("avx2"))
			|| (strstr(vectors[i].flags, "-v4") && !__builtin_cpu_supports("avx512bw")))
			continue;
		(void)snprintf(command, sizeof command, "%s %s" USUAL, vectors[i].compiler, vectors[i].flags);
		check_all(&lt__text_c, RANDOM_KERNEL_LANES, command, seed, n);
	}
}

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
}

Test(text, several_lanes_are_refused_in_c99)
{
	struct keeper k = keeper_new();
	char *text;
	size_t definitions;
	struct lt_kernel *p = simulated_kernel("kernel 1\nname k\nworkspace 0 thread 0\n"
		"buffer o f32[4] slot 0 align 4 exclusive written\nregion host\n\tstore f32x4 o[0] 1\n");
	cr_expect_eq(lt__text_print(&lt__text_c99, p, NULL, &text, &definitions, &k.diag), LT_EUNSUPPORTED);
	cr_expect_str_eq(k.text, "C99 has no values of several lanes, as instruction 0 of kernel k has");
	cr_expect_null(text);
	lt_kernel_free(p);
}
