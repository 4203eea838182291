/* test_kernel_described.c -- calls that are described, in kernel programs: their text, their rules, and what the
 * simulator computes of them, compared with loops in C; a description with one mistake gives something else. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/kernel_text.h"
#include "tests/simulated.h"

TestSuite(kernel_described, .timeout = 60);

/* y[m] = max(sum over k of x[m + k - 1] * w[k], 0), x 0 outside of its 5 elements; at[m] = m - 2; most of y. */
enum { M = 5, K = 3 };
static const char program[] =
	"kernel 1\nname described\nworkspace 64 thread 0\n"
	"buffer x f32[5] slot 0 align 4 exclusive\nbuffer w f32[3] slot 1 align 4 exclusive\n"
	"buffer y f32[5] slot 2 align 4 exclusive written\nbuffer at i64[5] slot 3 align 8 exclusive written\n"
	"buffer most f32[1] slot 4 align 4 exclusive written\n"
	"call graph (row m 5, deep k 3) @0\n"
	"\tresult y (1, 0) o2\n\tresult at (1, 0) o3\n\tresult most (0, 0) o4\n"
	"\tread x (1, 1) if (1, 1) if (-1, -1) else 0x0\n\tread w (0, 1)\n"
	"\tmap f32 mul (m, k) r0, r1\n\treduce f32 add (m, k) along (k) o0\n\tmap f32 max (m) o1, f32 0x0\n"
	"\tmap i64 copy (m) place (1, 0)\n\treduce f32 max (m) along (m) o2\n\tend\n"
	"region host\n"
	"\tcall 0 (i64 0, i64 0, i64 0, i64 -1, i64 0, i64 5, i64 3, i64 -1, i64 5, i64 -2)\n";

static char *with(const char *part, const char *instead)
{
	static char text[4096];
	const char *at = strstr(program, part);
	cr_assert_not_null(at, "%s", part);
	(void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - program), program, instead, at + strlen(part));
	return text;
}

Test(kernel_described, prints_as_it_was_written)
{
	struct lt_kernel *k = NULL;
	struct kernel_text text = { 0 };
	cr_assert_eq(kernel_parse(program, strlen(program), &k), LT_OK, "%s", kernel_message);
	lt_kernel_print(k, kernel_text_add, &text);
	cr_expect_str_eq(text.at, program);
	/* Lines of descriptions count: the instruction is in the last one. */
	cr_expect_eq(lt_kernel_line(k, (int32_t)k->n_instruction - 1), 22);
	free(text.at);
	lt_kernel_free(k);
}

/* -- its rules -- */

static const struct { const char *part, *instead, *message; } spoiled[] = {
	{ "\tend\n", "",
		"expected a line that begins with result (before reads), read, map, reduce, cast or end, found 'region'" },
	{ "(row m 5", "(high m 5", "expected 'batch', 'row', 'column', 'deep' or 'other', found 'high'" },
	{ "\tresult y (1, 0) o2\n\tresult at (1, 0) o3\n\tresult most (0, 0) o4\n", "",
		"a call that is described has a result" },
	{ "result y (1, 0) o2", "result y (1, 0) r2", "expected the op that is written, such as o3, found 'r2'" },
	{ "result y (1, 0) o2", "result y (1, 0) o3", "y, a result, is written by no op of its type" },
	{ "result y (1, 0) o2", "result y (1, 0) o9", "y, a result, is written by no op of its type" },
	{ "result y (1, 0) o2", "result y (0, 0) o2", "y, a result, would be written 5 times along m" },
	{ "result y (1, 0) o2", "result y (1, 1) o2", "y, a result, moves along k, which op 2 does not have" },
	{ "read w (0, 1)", "read z (0, 1)",
		"expected the name of a buffer that a line above the regions declares, found 'z'" },
	{ "if (-1, -1) else 0x0", "if (-1, -1)", "expected 'else'" },
	{ "else 0x0", "else 0x100000000", "the fill of x has more bits than an element of it" },
	{ "f32 mul (m, k) r0, r1", "f32 mul (m, k) r0", "op 0 of the call of graph is no operator with as many operands" },
	{ "f32 mul (m, k) r0, r1", "f32 times (m, k) r0, r1", "there is no operator of that name" },
	{ "f32 mul (m, k) r0, r1", "f32 mul (m, n) r0, r1", "the call has no dim of that name" },
	{ "f32 mul (m, k) r0, r1", "f32 mul (m, m) r0, r1", "that dim is named twice" },
	{ "f32 mul (m, k) r0, r1", "f64 mul (m, k) r0, r1", "op 0 of the call of graph, mul, does not take those types" },
	{ "f32 mul (m, k) r0, r1", "f32 mul (m) r0, r1", "at its position, which has a dim more than it" },
	{ "f32 mul (m, k) r0, r1", "f32 mul (m, k) r0, o0", "op 0 of the call of graph reads what is not there before it" },
	{ "f32 mul (m, k) r0, r1", "f32 mul (m, k) r0, r2", "op 0 of the call of graph reads what is not there before it" },
	{ "f32 mul (m, k) r0, r1", "f32 mul (m, k) r0, place (1, 0)", "does not take those types" },
	{ "f32 mul (m, k) r0, r1", "f32 mul (m, k) r0, r1 skip", "or is left out and no cast" },
	{ "along (k) o0", "along () o0", "reduces over none" },
	{ "reduce f32 add (m, k) along (k) o0", "reduce f32 add (m) along (k) o0",
		"reduces over none or others than its own" },
	{ "reduce f32 add (m, k)", "reduce f32 sub (m, k)", "no cast, and no reduction" },
	{ "f32 max (m) o1, f32 0x0", "f32 max (m) o1, f64 0x0", "does not take those types" },
	{ "f32 max (m) o1, f32 0x0", "f32 max (m) o0, f32 0x0", "at its position, which has a dim more than it" },
	{ "i64 -1, i64 5, i64 -2)", "i64 -1, i64 5)", "a call of graph takes 10 values, not 9" },
	{ "i64 -1, i64 5, i64 -2)", "i64 -1, i64 5, i32 -2)", "value 9 of 'call' is i32; i64 is needed" },
	{ "i64 5, i64 3, i64 -1", "i64 6, i64 3, i64 -1", "6 of m, but there are at most 5" },
	/* guards that leave too much, a window that begins elsewhere */
	{ "i64 5, i64 3, i64 -1, i64 5,", "i64 5, i64 3, i64 0, i64 5,", "read 0 goes outside of buffer x, which has 5" },
	{ "i64 5, i64 3, i64 -1, i64 5,", "i64 5, i64 3, i64 -1, i64 6,", "read 0 goes outside of buffer x, which has 5" },
	{ "i64 0, i64 -1, i64 0, i64 5", "i64 0, i64 -1, i64 1, i64 5", "read 1 goes outside of buffer w, which has 3" },
	{ "\tcall 0 (i64 0, i64 0", "\tcall 0 (i64 1, i64 0", "result 0 goes outside of buffer y, which has 5" },
	{ "slot 2 align 4 exclusive written", "slot 2 align 4 exclusive", "buffer y is written here, but declared without" },
	{ "w f32[3] slot 1 align 4 exclusive", "w f32[3] array align 4 exclusive",
		"w, a read, is neither in a slot nor in the" },
};

Test(kernel_described, each_rule)
{
	for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
		struct lt_kernel *k = NULL;
		const char *text = with(spoiled[i].part, spoiled[i].instead);
		lt_status status = kernel_parse(text, strlen(text), &k);
		cr_expect(status && strstr(kernel_message, spoiled[i].message), "%s: says %s\nnot %s", spoiled[i].instead,
			status ? kernel_message : "nothing", spoiled[i].message);
		lt_kernel_free(k);
	}
}

/* Bytes of the text that are other ones: it is refused, or what it is runs. */
Test(kernel_described, texts_at_random)
{
	uint64_t rng = 7;
	int good = 0;
	for (int i = 0; i < 4000; i++) {
		char text[sizeof program];
		struct lt_kernel *k = NULL;
		memcpy(text, program, sizeof program);
		for (uint64_t n = 1 + simulated_random(&rng) % 3; n > 0; n--) {
			size_t at = simulated_random(&rng) % (sizeof program - 1), from = simulated_random(&rng) % (sizeof program - 1);
			text[at] = program[from];
		}
		if (kernel_parse(text, strlen(text), &k) == LT_OK) {
			float x[5] = { 1, 2, 3, 4, 5 }, w[3] = { 1, 2, 3 }, y[5], most;
			int64_t at[5];
			struct simulated s;
			const struct lt_kernel_buffer *b = k->buffers;
			bool same = k->n_buffer == 5;
			for (uint32_t n = 0; same && n < 5; n++)
				same = b[n].space == LT_SPACE_SLOT && b[n].slot == (int32_t)n && b[n].elems == (n == 1 ? 3 : n == 4 ? 1 : 5)
					&& b[n].dtype == (n == 3 ? LT_I64 : LT_F32);
			if (same) {
				simulated_run(k, (void *const[]){ x, w, y, at, &most }, NULL, NULL, &s);
				good++;
			}
		}
		lt_kernel_free(k);
	}
	cr_expect_gt(good, 100);
}

/* -- what it computes -- */

static void run(const char *text, const float *x, const float *w, float *y, int64_t *at, float *most)
{
	struct lt_kernel *k = simulated_kernel("%s", text);
	simulated_good(k, (void *const[]){ (void *)(uintptr_t)x, (void *)(uintptr_t)w, y, at, most });
	lt_kernel_free(k);
}

/* Whether all are what loops in C say; a NaN is one. */
static bool is_right(const float *x, const float *w, const float *y, const int64_t *at, float most)
{
	float want = -INFINITY;
	for (int m = 0; m < M; m++) {
		double sum = 0;
		for (int k = 0; k < K; k++)
			sum += m + k - 1 >= 0 && m + k - 1 < M ? (double)x[m + k - 1] * (double)w[k] : 0;
		float one = sum > 0 || isnan(sum) ? (float)sum : 0;
		want = isnan(want) || isnan(one) ? NAN : one > want ? one : want;
		if (at[m] != m - 2 || !(y[m] == one || (isnan(y[m]) && isnan(one))))
			return false;
	}
	return most == want || (isnan(most) && isnan(want));
}

static const float xs[] = { 1.5f, -2, 0.25f, 4, -3 }, ws[] = { -1, 2, 0.5f }, odd[] = { 1, NAN, -INFINITY, 0, -0.0f };

Test(kernel_described, as_loops_do)
{
	float y[M], most;
	int64_t at[M];
	run(program, xs, ws, y, at, &most);
	cr_expect(is_right(xs, ws, y, at, most));
	run(program, odd, ws, y, at, &most);
	cr_expect(is_right(odd, ws, y, at, most));
}

/* What it is called for may be less, or nothing: what nothing is reduced over is the identity. */
Test(kernel_described, of_fewer_and_of_none)
{
	float y[M] = { 7, 7, 7, 7, 7 }, most = 0;
	int64_t at[M] = { 0 };
	run(with("i64 5, i64 3, i64 -1", "i64 2, i64 0, i64 -1"), xs, ws, y, at, &most);
	cr_expect(y[0] == 0 && y[1] == 0 && y[2] == 7 && most == 0 && at[1] == -1);
	run(with("i64 5, i64 3, i64 -1", "i64 0, i64 3, i64 -1"), xs, ws, y, at, &most);
	cr_expect(y[0] == 0 && y[2] == 7 && most == -INFINITY);
}

/* One mistake each. */
static const struct { const char *part, *instead; } wrong[] = {
	{ "read x (1, 1)", "read x (0, 1)" },
	{ "read w (0, 1)", "read w (0, 0)" },
	{ "else 0x0", "else 0x3f800000" },
	{ "if (1, 1) if", "if (1, 0) if" },
	{ "f32 mul (m, k) r0, r1", "f32 add (m, k) r0, r1" },
	{ "reduce f32 add", "reduce f32 max" },
	{ "f32 max (m) o1, f32 0x0", "f32 min (m) o1, f32 0x0" },
	{ "f32 max (m) o1, f32 0x0", "f32 max (m) o1, f32 0x40400000" },
	{ "place (1, 0)", "place (2, 0)" },
	{ "i64 5, i64 -2)", "i64 5, i64 -1)" },
	{ "result y (1, 0) o2", "result y (1, 0) o1" },
};

Test(kernel_described, mistakes_show)
{
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		float y[M], most;
		int64_t at[M];
		struct lt_kernel *k = NULL;
		const char *text = with(wrong[i].part, wrong[i].instead);
		if (kernel_parse(text, strlen(text), &k)) {     /* found before it runs */
			lt_kernel_free(k);
			continue;
		}
		struct simulated s;
		simulated_run(k, (void *const[]){ (void *)(uintptr_t)xs, (void *)(uintptr_t)ws, y, at, &most }, NULL, NULL, &s);
		cr_expect(s.status || !is_right(xs, ws, y, at, most), "%s is not seen", wrong[i].instead);
		lt_kernel_free(k);
	}
}

/* -- what the simulator finds -- */

#define TWO "kernel 1\nname k\nworkspace 64 thread 0\nbuffer a f32[6] slot 0 align 4%s\n" \
	"buffer b f32[6] slot 1 align 4%s\nvariable n i64\nbuffer t f32[6] workspace 0 align 4 exclusive\n"
static const struct { const char *rest; enum lt_simulate_check check; const char *says; } faults[] = {
	{ "call g (row i 4)\n\tresult b (1) o0\n\tread a (1)\n\tmap f32 neg (i) r0\n\tend\nregion host\n"
		"\tcall 0 (i64 0, i64 0, i64 4)\n", LT_NSIMULATE, "" },
	/* in place */
	{ "call g (row i 4)\n\tresult a (1) o0\n\tread a (1)\n\tmap f32 neg (i) r0\n\tend\nregion host\n"
		"\tcall 0 (i64 0, i64 0, i64 4)\n", LT_NSIMULATE, "" },
	{ "call g (row i 4)\n\tresult a (1) o0\n\tread a (1)\n\tmap f32 neg (i) r0\n\tend\nregion host\n"
		"\tcall 0 (i64 1, i64 0, i64 4)\n", LT_SIMULATE_routine, "g reads element 1 of buffer a, which it writes, too" },
	/* beside what it reads, whose borders are there */
	{ "call g (row i 4)\n\tresult a (1) o0\n\tread a (1) if (-1) else 0x0\n\tmap f32 neg (i) r0\n\tend\nregion host\n"
		"\tcall 0 (i64 2, i64 0, i64 4, i64 1)\n", LT_NSIMULATE, "" },
	{ "call g (row i 4)\n\tresult a (1) o0\n\tread a (1) if (-1) else 0x0\n\tmap f32 neg (i) r0\n\tend\nregion host\n"
		"\tcall 0 (i64 2, i64 0, i64 4, i64 2)\n", LT_SIMULATE_routine,
		"g reads element 2 of buffer a, which it writes, too" },
	{ "call g (row i 4)\n\tresult a (1) o0\n\tread a (0) if (1) else 0x0\n\tmap f32 neg (i) r0\n\tend\nregion host\n"
		"\tcall 0 (i64 0, i64 2, i64 4, i64 -3)\n", LT_SIMULATE_routine,
		"g reads element 2 of buffer a, which it writes, too" },
	/* two results at one place */
	{ "call g (row i 4, row j 2)\n\tresult b (1, 1) o0\n\tread a (1, 0)\n\tmap f32 add (i, j) r0, f32 0x0\n\tend\n"
		"region host\n\tcall 0 (i64 0, i64 0, i64 4, i64 2)\n", LT_SIMULATE_routine, "g writes element 1 of buffer b twice" },
	/* what was never written */
	{ "call g (row i 4)\n\tresult b (1) o0\n\tread t (1)\n\tmap f32 neg (i) r0\n\tend\nregion host\n"
		"\tcall 0 (i64 0, i64 0, i64 4)\n", LT_SIMULATE_stored, "an undefined value goes to element 0 of buffer b" },
	/* what is not chosen may be undefined */
	{ "call g (row i 4)\n\tresult b (1) o1\n\tread t (1)\n\tread a (1)\n\tmap bool less (i) place (1), i64 0x0\n"
		"\tmap f32 select (i) o0, r0, r1\n\tend\nregion host\n\tcall 0 (i64 0, i64 0, i64 0, i64 4, i64 0)\n", LT_NSIMULATE,
		"" },
	{ "call g (row i 4)\n\tresult b (1) o0\n\tread a (1)\n\tmap f32 neg (i) r0\n\tend\nregion host\n"
		"\tvariable n\n\t%0 = get n\n\tcall 0 (%0, i64 0, i64 4)\n", LT_SIMULATE_address,
		"where an operand begins of g is undefined" },
};

Test(kernel_described, what_the_simulator_finds)
{
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		float a[6] = { 1, 2, 3, 4, 5, 6 }, b[6] = { 0 };
		struct simulated s;
		struct lt_kernel *k = simulated_kernel(TWO "%s", strstr(faults[i].rest, "result a") ? " written" : "",
			strstr(faults[i].rest, "result b") ? " written" : "", faults[i].rest);
		simulated_run(k, (void *const[]){ a, b }, NULL, NULL, &s);
		cr_expect(s.found.check == faults[i].check && strstr(s.diags.text, faults[i].says), "case %d: %s", (int)i,
			s.diags.text);
		lt_kernel_free(k);
	}
}
