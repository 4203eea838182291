/* test_expand_program.c -- whole programs, expanded: they leave the same memory, and the step keeps the rest. */
#include <criterion/criterion.h>
#include "check/random/must.h"
#include "tests/expanded.h"
#include "tests/kernel_text.h"
#include "tests/random_kernel.h"

TestSuite(expand_program, .timeout = 240);

/* Loads and stores of slots, loops and launches, with their origins: in the same order. */
static int32_t next_kept(const struct lt_kernel *k, int32_t at)
{
	static const uint16_t kept[] = { LT_OPCODE_load, LT_OPCODE_store, LT_OPCODE_loop, LT_OPCODE_if, LT_OPCODE_else,
		LT_OPCODE_end, LT_OPCODE_launch, LT_OPCODE_fault, LT_OPCODE_prefetch, LT_OPCODE_array, LT_OPCODE_variable };
	for (; at < (int32_t)k->n_instruction; at++)
		for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
			if (k->instructions[at].opcode == kept[i])
				return at;
	return -1;
}

static void expect_kept(const struct lt_kernel *k, const struct lt_kernel *e, uint64_t seed)
{
	int32_t a = -1, b = -1;
	do {
		a = next_kept(k, a + 1);
		b = next_kept(e, b + 1);
		cr_assert_eq(a < 0, b < 0, "seed %llu", (unsigned long long)seed);
		if (a < 0)
			break;
		const struct lt_instruction *x = &k->instructions[a], *y = &e->instructions[b];
		cr_assert(x->opcode == y->opcode && x->origin == y->origin && x->flags == y->flags && x->number == y->number
			&& x->stride == y->stride, "seed %llu: line of %s", (unsigned long long)seed, lt_opcode_name(x->opcode));
	} while (true);
	cr_assert(k->n_region == e->n_region && k->n_buffer == e->n_buffer && k->n_variable == e->n_variable
		&& k->n_param == e->n_param && k->n_op == e->n_op && k->n_slot == e->n_slot && !strcmp(k->name, e->name)
		&& k->workspace_bytes == e->workspace_bytes && k->thread_bytes == e->thread_bytes);
	for (uint32_t i = 0; i < k->n_buffer; i++)
		cr_assert_str_eq(k->buffers[i].name, e->buffers[i].name);
}

static void check_seed(uint64_t seed)
{
	struct random_kernel_memory first, m;
	struct simulated s;
	struct lt_kernel *k = random_kernel(seed, seed % 4 ? RANDOM_KERNEL_LANES : 0);
	cr_assert_not_null(k);
	struct lt_kernel *e = expanded_for(k, seed % 2 ? &expanded_min : &expanded_c99);
	random_kernel_fill(k, seed, &first);
	random_kernel_fill(k, seed, &m);
	simulated_run(k, first.at, NULL, NULL, &s);
	cr_assert_eq(s.status, LT_OK, "seed %llu: %s", (unsigned long long)seed, s.diags.text);
	simulated_run(e, m.at, NULL, NULL, &s);
	cr_assert_eq(s.status, LT_OK, "seed %llu, expanded: %s", (unsigned long long)seed, s.diags.text);
	for (uint32_t b = 0; b < k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &k->buffers[b];
		cr_assert(x->space != LT_SPACE_SLOT || random_kernel_same(x->dtype, first.at[x->slot], m.at[x->slot], x->elems),
			"seed %llu: buffer %s", (unsigned long long)seed, x->name);
	}
	expect_kept(k, e, seed);
	random_kernel_drop(&first);
	random_kernel_drop(&m);
	lt_kernel_free(e);
	lt_kernel_free(k);
}

/* LT_SEED=N begins with another program, LT_KERNELS=N takes another number of them. */
Test(expand_program, random_programs_leave_the_same)
{
	uint64_t seed = must_number("LT_SEED", 1), n = must_draws("LT_KERNELS", 500);
	for (uint64_t i = 0; i < n; i++)
		check_seed(seed + i);
}

static char *text_of(const struct lt_kernel *k)
{
	struct kernel_text t = { 0 };
	lt_kernel_print(k, kernel_text_add, &t);
	return t.at;
}

/* What a machine has stays; a second expansion changes nothing; for a machine that has more, a program gets no longer
 * than it is. */
Test(expand_program, stays_what_it_is)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct lt_kernel *k = random_kernel(seed, 7), *e = expanded_for(k, &expanded_min);
		struct lt_kernel *again = expanded_for(e, &expanded_min);
		char *first = text_of(e), *second = text_of(again);
		cr_expect_str_eq(first, second, "seed %llu", (unsigned long long)seed);
		free(first);
		free(second);
		lt_kernel_free(again);
		lt_kernel_free(e);
		lt_kernel_free(k);
	}
}

/* Each row says for which types, and whether for one lane or for vectors. */
Test(expand_program, rows_of_a_machine)
{
	static const struct { struct lt_machine_operator row; const char *line, *kept; } cases[] = {
		{ { LT_OPCODE_max, 1 << LT_F32, 0, 0 }, "%r = max f32 %x %y", "max f32 " },
		{ { LT_OPCODE_max, 1 << LT_F64, 1 << LT_F32, 0 }, "%r = max f32 %x %y", "larger f32 " },
		{ { LT_OPCODE_max, 1 << LT_F32, 1 << LT_F32, 0 }, "update v max %x\n\t%r = get v", "update v max " },
		{ { LT_OPCODE_max, 0, 1 << LT_F32, 0 }, "update v max %x\n\t%r = get v", "set v " },
		{ { LT_OPCODE_sin, 1 << LT_F32, 0, 0 }, "%w = splat f32x2 %x\n\t%u = sin f32x2 %w\n\t%r = fold f32x2 add %u",
			"each f32x2 sin " },
		{ { LT_OPCODE_sin, 0, 1 << LT_F32, 0 }, "%w = splat f32x2 %x\n\t%u = each f32x2 sin %w\n\t%r = fold f32x2 add %u",
			" = sin f32x2 " },
		{ { LT_OPCODE_max, 1 << LT_F32, 1 << LT_F32, 0 }, "%w = splat f32x2 %x\n\t%r = fold f32x2 max %w",
			"fold f32x2 max " },
		{ { LT_OPCODE_max, 0, 1 << LT_F32, 0 }, "%w = splat f32x4 %x\n\t%r = fold f32x4 max %w", "max f32x2 " },
		{ { LT_OPCODE_cast, 1 << LT_I32, 0, 1 << LT_F32 }, "%w = cast i32 from f32 %x\n\t%r = convert f32 from i32 %w",
			"cast i32 from f32 " },
		{ { LT_OPCODE_cast, 1 << LT_I32, 0, 1 << LT_F64 }, "%w = cast i32 from f32 %x\n\t%r = convert f32 from i32 %w",
			"convert i32 from f32 " },
		{ { LT_OPCODE_cast, 1 << LT_F16, 0, 1 << LT_F32 }, "%w = cast f16 from f32 %x\n\t%r = cast f32 from f16 %w",
			"cast f16 from f32 " },
		{ { LT_OPCODE_abs, 1 << LT_F32, 0, 0 }, "%r = floor f32 %x", "abs f32 " },
		{ { LT_OPCODE_round, 1 << LT_F32, 0, 0 }, "%r = floor f32 %x", "round f32 " },
		{ { LT_OPCODE_floor, 1 << LT_F32, 0, 0 }, "%r = ceil f32 %x", "floor f32 " },
		{ { LT_OPCODE_exp, 1 << LT_F32, 0, 0 }, "%r = sigmoid f32 %x", "exp f32 " },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct lt_machine m = { .n_operator = 1, .operators = &cases[i].row };
		struct lt_kernel *k = simulated_kernel("kernel 1\nname k\nworkspace 0 thread 0\n"
			"buffer x f32[2] slot 0 align 4 exclusive written\nvariable v f32\nregion host\n\tvariable v\n\tset v 1\n"
			"\t%%x = load f32 x[0]\n\t%%y = load f32 x[1]\n\t%s\n\tstore x[0] %%r\n", cases[i].line);
		struct lt_kernel *e = expanded_for(k, &m);
		char *text = text_of(e);
		cr_expect(strstr(text, cases[i].kept), "'%s' is not in\n%s", cases[i].kept, text);
		free(text);
		lt_kernel_free(e);
		lt_kernel_free(k);
	}
	uint32_t n;
	const struct lt_machine_operator *rows = lt_kernel_c99(&n);
	cr_assert_eq(n, expanded_c99.n_operator);
	cr_expect_arr_eq(rows, expanded_c99.operators, n * sizeof *rows);
}
