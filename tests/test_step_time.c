/* test_step_time.c -- steps take time in proportion to a program's length: the product of a packed tile. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "tests/stepped.h"

TestSuite(step_time, .timeout = 120);

static void line(struct kernel_text *t, const char *fmt, int a, int b, int c, int d)
{
	char text[200];
	int n = snprintf(text, sizeof text, fmt, a, b, c, d);
	kernel_text_add(t, text, (size_t)n);
}

enum { ROWS = 12, COLUMNS = 8 };        /* accumulators of 8 lanes: 96 */

/* `copies` iterations of k in one of the loop; tiles: one product after the other. */
static struct lt_kernel *packed_product(int copies, int tiles)
{
	struct kernel_text t = { 0 };
	struct lt_kernel *k;
	line(&t, "kernel 1\nname product\nworkspace 0 thread 0\n", 0, 0, 0, 0);
	for (int n = 0; n < tiles; n++)
		line(&t, "buffer acc%d f32[%d] array align 64 exclusive written\n", n, ROWS * COLUMNS * 8, 0, 0);
	line(&t, "buffer a f32[1000000] slot 0 align 4 exclusive\nbuffer b f32[1000000] slot 1 align 4 exclusive\n"
		"buffer c f32[1000000] slot 2 align 4 exclusive written\nregion host\n", 0, 0, 0, 0);
	for (int n = 0; n < tiles; n++) {
		line(&t, "\tarray acc%d\n", n, 0, 0, 0);
		for (int e = 0; e < ROWS * COLUMNS; e++)
			line(&t, "\tstore f32x8 acc%d[%d] 0\n", n, e * 8, 0, 0);
		line(&t, "\tloop %%k%d from 0 to 1000 step %d\n", n, copies, 0, 0);
		for (int u = 0; u < copies; u++) {
			line(&t, "\t\t%%k%d.%d = add i64 %%k%d %d\n", n, u, n, u);
			line(&t, "\t\t%%a%d.%d = mul i64 %%k%d.%d 12\n", n, u, n, u);
			line(&t, "\t\t%%b%d.%d = mul i64 %%k%d.%d 64\n", n, u, n, u);
			for (int j = 0; j < COLUMNS; j++) {
				line(&t, "\t\t%%v%d.%d.%d = load f32x8 ", n, u, j, 0);
				line(&t, "b[%%b%d.%d + %d]\n", n, u, j * 8, 0);
			}
			for (int i = 0; i < ROWS; i++) {
				line(&t, "\t\t%%x%d.%d.%d = load f32 ", n, u, i, 0);
				line(&t, "a[%%a%d.%d + %d]\n", n, u, i, 0);
				line(&t, "\t\t%%s%d.%d.%d = splat f32x8 ", n, u, i, 0);
				line(&t, "%%x%d.%d.%d\n", n, u, i, 0);
				for (int j = 0; j < COLUMNS; j++) {
					line(&t, "\t\t%%m%d.%d.%d.%d = mul f32x8 ", n, u, i, j);
					line(&t, "%%s%d.%d.%d ", n, u, i, 0);
					line(&t, "%%v%d.%d.%d\n", n, u, j, 0);
					line(&t, "\t\t%%o%d.%d.%d.%d = load f32x8 ", n, u, i, j);
					line(&t, "acc%d[%d]\n", n, (i * COLUMNS + j) * 8, 0, 0);
					line(&t, "\t\t%%p%d.%d.%d.%d = add f32x8 ", n, u, i, j);
					line(&t, "%%o%d.%d.%d.%d ", n, u, i, j);
					line(&t, "%%m%d.%d.%d.%d\n", n, u, i, j);
					line(&t, "\t\tstore f32x8 acc%d[%d] ", n, (i * COLUMNS + j) * 8, 0, 0);
					line(&t, "%%p%d.%d.%d.%d\n", n, u, i, j);
				}
			}
		}
		line(&t, "\tend\n", 0, 0, 0, 0);
		for (int e = 0; e < ROWS * COLUMNS; e++) {
			line(&t, "\t%%e%d.%d = load f32x8 acc%d[%d]\n", n, e, n, e * 8);
			line(&t, "\tstore f32x8 c[%d] %%e%d.%d\n", e * 8, n, e, 0);
		}
	}
	cr_assert_eq(kernel_parse(t.at, t.n, &k), LT_OK, "%s", kernel_message);
	free(t.at);
	return k;
}

static int64_t now_ns(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The shortest of some runs; *after: how many instructions are left. */
static int64_t time_of(const struct lt_kernel *k, int runs, uint32_t *after)
{
	int64_t best = INT64_MAX;
	for (int i = 0; i < runs; i++) {
		struct lt_kernel *out;
		int64_t begin = now_ns();
		cr_assert_eq(lt_kernel_optimize(k, &stepped_plain_machine, NULL, &out, NULL), LT_OK);
		int64_t took = now_ns() - begin;
		best = took < best ? took : best;
		*after = out->n_instruction;
		lt_kernel_free(out);
	}
	return best;
}

/* A millisecond for 2000 instructions where the machine is free, more with sanitizers and where others compute. */
Test(step_time, a_packed_product_is_quick)
{
	struct lt_kernel *k = packed_product(4, 1);
	uint32_t after;
	int64_t ns = time_of(k, 20, &after);
	(void)fprintf(stderr, "%" PRIu32 " instructions, %" PRIu32 " after steps: %.3f ms\n", k->n_instruction, after,
		(double)ns / 1e6);
	cr_expect_lt(after, k->n_instruction * 3 / 4);
	cr_expect_lt(ns, 20 * INT64_C(1000000));
	lt_kernel_free(k);
}

Test(step_time, time_grows_with_length)
{
	struct lt_kernel *small = packed_product(4, 4), *large = packed_product(4, 64);
	uint32_t after;
	int64_t a = time_of(small, 5, &after), b = time_of(large, 2, &after);
	(void)fprintf(stderr, "%" PRIu32 " instructions %.3f ms, %" PRIu32 " %.3f ms\n", small->n_instruction, (double)a / 1e6,
		large->n_instruction, (double)b / 1e6);
	cr_expect_lt(b, a * 100);       /* 16 times as many */
	lt_kernel_free(small);
	lt_kernel_free(large);
}
