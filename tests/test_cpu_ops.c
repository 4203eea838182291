/* test_cpu_ops.c -- every operator, cast and reduction on the backend cpu, one value at a time and in vectors,
 * beside the operator table (backend_ops.h): by gcc and clang, for processors with and without wide vectors.
 *
 * LT_DENSE=1 measures functions at sixteen times as many values, as the table of docs/accuracy.md was; LT_SHOW=1 shows
 * what is found.
 */
#include <stdlib.h>
#include "tests/backend_ops.h"

static const struct cpu_target { const char *cc, *config, *feature; } targets[] = {
	{ "gcc", "O2", "" }, { "gcc", "O1;target=avx2", "avx2" }, { "gcc", "O1;target=sse2", "sse2" },
	{ "clang", "O1", "" },
};

/* The backend for a row of targets, unless it cannot be tried here. */
static struct ops_backend backend_for(int i)
{
	const struct cpu_target *t = &targets[i];
	char line[64];
	(void)snprintf(line, sizeof line, "%s --version >/dev/null 2>&1", t->cc);
	if (system(line) != 0)
		cr_skip_test("no %s", t->cc);
#ifdef __x86_64__
	if (strcmp(t->feature, "avx2") == 0 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")))
		cr_skip_test("the processor does not have avx2");
#else
	if (*t->feature)
		cr_skip_test("another machine");
#endif
	cr_assert_eq(setenv("LT_CC", t->cc, 1), 0);
	return (struct ops_backend){ "cpu", t->config };
}

static void on_target(int i, void (*tried)(const struct ops_backend *))
{
	const struct ops_backend backend = backend_for(i);
	tried(&backend);
}

static void functions_of_f32(const struct ops_backend *o) { ops_functions(o, LT_F32); }
static void functions_of_f64(const struct ops_backend *o) { ops_functions(o, LT_F64); }

TestSuite(cpu_ops, .timeout = 300);
TestSuite(more_cpu_ops, .timeout = 300);
Test(cpu_ops, all_types) { on_target(0, ops_all_types); }
Test(more_cpu_ops, all_types_avx2) { on_target(1, ops_all_types); }
Test(more_cpu_ops, all_types_sse2) { on_target(2, ops_all_types); }
Test(more_cpu_ops, all_types_clang) { on_target(3, ops_all_types); }
Test(cpu_ops, casts) { on_target(0, ops_casts_of_all_pairs); }
Test(more_cpu_ops, casts_sse2) { on_target(2, ops_casts_of_all_pairs); }
Test(more_cpu_ops, casts_clang) { on_target(3, ops_casts_of_all_pairs); }
Test(cpu_ops, constants) { on_target(0, ops_constants); }
Test(cpu_ops, shifts) { on_target(0, ops_shifts); }
Test(cpu_ops, shifts_avx2) { on_target(1, ops_shifts); }
Test(more_cpu_ops, shifts_sse2) { on_target(2, ops_shifts); }
Test(more_cpu_ops, shifts_clang) { on_target(3, ops_shifts); }
Test(cpu_ops, halves) { on_target(0, ops_all_halves); }
Test(cpu_ops, reductions) { on_target(0, ops_reductions); }
Test(more_cpu_ops, reductions_sse2) { on_target(2, ops_reductions); }
Test(cpu_ops, functions_of_f32) { on_target(0, functions_of_f32); }
Test(cpu_ops, functions_of_f64) { on_target(0, functions_of_f64); }
Test(more_cpu_ops, functions_of_f32_avx2) { on_target(1, functions_of_f32); }
Test(more_cpu_ops, functions_of_f64_avx2) { on_target(1, functions_of_f64); }
Test(more_cpu_ops, functions_of_f32_sse2) { on_target(2, functions_of_f32); }
Test(more_cpu_ops, functions_of_f64_sse2) { on_target(2, functions_of_f64); }
Test(more_cpu_ops, functions_of_f32_clang) { on_target(3, functions_of_f32); }
Test(more_cpu_ops, functions_of_f64_clang) { on_target(3, functions_of_f64); }
