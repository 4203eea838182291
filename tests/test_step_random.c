/* test_step_random.c -- random kernel programs (tests/random_kernel.h) do the same after each step, and the
 * simulator finds nothing in them.
 *
 * LT_SEED=N begins with another program, LT_KERNELS=N takes another number of them.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "check/random/must.h"
#include "tests/grid_files.h"
#include "tests/random_kernel.h"
#include "tests/simulated.h"
#include "tests/stepped.h"

TestSuite(step_random, .timeout = 120);

static void expect_same(const struct lt_kernel *k, struct random_kernel_memory *a, struct random_kernel_memory *b,
	uint64_t seed, const char *letters)
{
	for (uint32_t i = 0; i < k->n_buffer; i++) {
		const struct lt_kernel_buffer *x = &k->buffers[i];
		cr_assert(x->space != LT_SPACE_SLOT || random_kernel_same(x->dtype, a->at[x->slot], b->at[x->slot], x->elems),
			"seed %llu, steps %s: buffer %s", (unsigned long long)seed, letters, x->name);
	}
}

static bool same_text(const struct lt_kernel *a, const struct lt_kernel *b)
{
	struct kernel_text x = { 0 }, y = { 0 };
	lt_kernel_print(a, kernel_text_add, &x);
	lt_kernel_print(b, kernel_text_add, &y);
	bool same = strcmp(x.at, y.at) == 0;
	free(x.at);
	free(y.at);
	return same;
}

/* Whether the steps have changed anything. */
static bool check_steps(
	const struct lt_kernel *k, uint64_t seed, const char *letters, struct random_kernel_memory *want)
{
	static const struct lt_simulate_options options = { .seed = 1 };
	struct lt_machine machine = stepped_plain_machine;
	struct keeper said = keeper_new();
	struct random_kernel_memory got;
	struct simulated s;
	struct lt_kernel *after;
	machine.cache_bytes = 64;
	machine.page_bytes = 8;
	machine.masked = seed & 1;
	cr_assert_eq(stepped_only(k, &machine, letters, NULL, &after, &said.diag), LT_OK, "seed %llu, steps %s: %s",
		(unsigned long long)seed, letters, said.text);
	random_kernel_fill(k, seed, &got);
	simulated_run(after, got.at, &options, NULL, &s);
	cr_assert_eq(s.status, LT_OK, "seed %llu, steps %s: %s", (unsigned long long)seed, letters, s.diags.text);
	expect_same(k, want, &got, seed, letters);
	random_kernel_drop(&got);
	bool changed = !same_text(k, after);
	lt_kernel_free(after);
	return changed;
}

/* Of the kind, each step by itself and all together; changed: by step, how many programs it has changed. */
static void try_programs(uint64_t seed, uint64_t n, unsigned kind, const char *letters, uint64_t *changed)
{
	static const struct lt_simulate_options options = { .seed = 1 };
	for (uint64_t i = seed; i < seed + n; i++) {
		struct random_kernel_memory want;
		struct simulated s;
		struct lt_kernel *k = random_kernel(i, (i % 4 ? RANDOM_KERNEL_LANES : 0) | kind);
		cr_assert_not_null(k);
		random_kernel_fill(k, i, &want);
		simulated_run(k, want.at, &options, NULL, &s);
		cr_assert_eq(s.status, LT_OK, "seed %llu: %s", (unsigned long long)i, s.diags.text);
		for (size_t l = 0; letters[l]; l++)
			changed[l] += check_steps(k, i, (char[]){ letters[l], '\0' }, &want);
		(void)check_steps(k, i, letters, &want);
		random_kernel_drop(&want);
		lt_kernel_free(k);
	}
}

static void all_letters(char *letters)
{
	for (uint32_t i = 1; lt_kernel_step_at(i); i++) {
		letters[i - 1] = lt_kernel_step_at(i)->letter;
		letters[i] = '\0';
	}
}

/* Steps that are for other programs change none of these; prefetches need loops that are long, branches are alike
 * seldom. */
static void expect_changed(const char *letters, const uint64_t *changed, uint64_t n, const char *other)
{
	for (size_t l = 0; letters[l] && n >= 100; l++) {
		bool never = strchr(other, letters[l]) != NULL;
		cr_expect(strchr("PG", letters[l]) || (never ? changed[l] == 0 : changed[l] > n / 20),
			"step %c has changed %llu of %llu programs", letters[l], (unsigned long long)changed[l], (unsigned long long)n);
	}
}

Test(step_random, programs_do_the_same)
{
	const uint64_t seed = must_number("LT_SEED", 1), n = must_draws("LT_KERNELS", 300);
	uint64_t changed[40] = { 0 };
	char letters[40] = "";
	all_letters(letters);
	try_programs(seed, n, RANDOM_KERNEL_STEPS, letters, changed);
	expect_changed(letters, changed, n, "GW");
}

Test(step_random, grids_do_the_same)
{
	const uint64_t seed = must_number("LT_SEED", 1001), n = must_draws("LT_KERNELS", 150);
	uint64_t changed[40] = { 0 };
	char letters[40] = "";
	all_letters(letters);
	try_programs(seed, n, RANDOM_KERNEL_STEPS | RANDOM_KERNEL_GRID, letters, changed);
	expect_changed(letters, changed, n, "TAPS");
}

/* The programs of tests/kernels, from the same memory. */
Test(step_random, files_do_the_same)
{
	char letters[40] = "";
	all_letters(letters);
	for (int f = 0; f < N_GRID_FILE; f++)
		for (size_t l = 0; l == 0 || letters[l - 1]; l++) {
			static const struct lt_simulate_options options = { .seed = 1 };
			struct lt_kernel *k = grid_file_kernel(grid_files[f]), *after;
			struct random_kernel_memory want, got;
			struct keeper said = keeper_new();
			struct simulated s;
			const char *some = letters[l] ? (char[]){ letters[l], '\0' } : letters;
			grid_fill(k, 1, &want);
			grid_fill(k, 1, &got);
			simulated_run(k, want.at, &options, NULL, &s);
			cr_assert_eq(stepped_only(k, &stepped_plain_machine, some, NULL, &after, &said.diag), LT_OK, "%s, steps %s: %s",
				grid_files[f], some, said.text);
			simulated_run(after, got.at, &options, NULL, &s);
			cr_assert_eq(s.status, LT_OK, "%s, steps %s: %s", grid_files[f], some, s.diags.text);
			expect_same(k, &want, &got, 1, some);
			random_kernel_drop(&want);
			random_kernel_drop(&got);
			lt_kernel_free(k);
			lt_kernel_free(after);
		}
}
