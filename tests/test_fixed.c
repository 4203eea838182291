/* test_fixed.c -- fixed point: what is refused, and what is proven of sums, beside a search of the worst operand.  What
 * results are is tried by tests/fixed.sh. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass/pass.h"
#include "lt/context.h"
#include "lt/graph.h"
#include "tests/oracle.h"
#include "tests/script_run.h"

#define X(type, shape) "$1 = InputTensor(x, " type ", " shape ");\n"
Test(fixed, what_has_no_meaning_is_refused)
{
	static const struct { const char *script, *says; } rows[] = {
		{ X("float32", "[2]") "$2 = RequantShiftNode($1, 1, int8);", "int8, uint8, int16, uint16, int32 or int64" },
		{ X("uint64", "[2]") "$2 = RequantShiftNode($1, 1, int8);", "int8, uint8, int16, uint16, int32 or int64" },
		{ X("int32", "[2]") "$2 = RequantShiftNode($1, 31, int8);", "A shift is 31: 0 to 30 is possible" },
		{ X("int64", "[2]") "$2 = RequantShiftNode($1, 63, int8);", "A shift is 63: 0 to 62 is possible" },
		{ X("int32", "[2]") "$2 = RequantShiftNode($1, -1, int8);", "A shift is -1: 0 to 30 is possible" },
		{ X("int32", "[2]") "$2 = RequantShiftNode($1, 1, int64);", "not to int64" },
		{ X("int32", "[2]") "$2 = RequantShiftNode($1, 1, float32);", "not to float32" },
		{ X("int32", "[2]") "$2 = RequantShiftNode($1, 1, int8, even, 128);", "A zero point of 128 for i8" },
		{ X("int32", "[2]") "$2 = RequantShiftNode($1, 1, int32, even, 1);", "types of 8 and 16 bits have one" },
		{ X("int32", "[2]") "$2 = RequantShiftNode($1, 1, int8, even, 0, 5, 4);", "Results from 5 to 4" },
		{ X("int32", "[2]") "$2 = RequantShiftNode($1, 1, uint8, even, 0, -1, 4);", "u8, which has 0 to 255" },
		{ X("int32", "[2]") "$3 = InputTensor(s, int32, [3]); $2 = RequantShiftNode($1, $3, int8);", "Different shapes" },
		{ X("int32", "[2]") "$3 = InputTensor(s, int32, [2, 2]); $2 = RequantShiftNode($1, $3, int8);", "broadcast to" },
		{ X("int32", "[2]") "$2 = RequantMultiplierNode($1, -1, 0, int8);", "A multiplier is -1: 0 to 2147483647" },
		{ X("int32", "[2]") "$2 = RequantMultiplierNode($1, 1, 31, int8);", "A shift is 31: -30 to 30" },
		{ X("int64", "[2]") "$2 = RequantMultiplierNode($1, 1, 1, int8);", "only a shift brings that to another scale" },
		{ X("int32", "[2]") "$3 = FullNode(float32, [], 0); $2 = RequantStepNode($1, $3, int8);", "above 0 and finite" },
		{ X("int32", "[2]") "$3 = FullNode(float32, [], nan); $2 = RequantStepNode($1, $3, int8);", "above 0 and finite" },
		{ X("int32", "[2]") "$3 = FullNode(float32, [], inf); $2 = RequantStepNode($1, $3, int8);", "above 0 and finite" },
		{ X("int32", "[2]") "$3 = FullNode(float32, [], -1); $2 = RequantStepNode($1, $3, int8);", "above 0 and finite" },
		{ X("int32", "[2]") "$3 = FullNode(float64, [], 1); $2 = RequantStepNode($1, $3, int8);", "float32" },
		{ X("int8", "[2, 3]") "$2 = FixedMatMulNode($1, $1);", "Incompatible shapes" },
		{ X("int8", "[2, 2]") "$2 = FixedMatMulNode($1, $1, 0, 128);", "A zero point of 128" },
		{ X("int8", "[2, 2]") "$3 = InputTensor(b, int32, [3]); $2 = FixedMatMulNode($1, $1, $3);", "each of 2 channels" },
		{ X("int8", "[2, 2]") "$3 = InputTensor(b, float32, [2]); $2 = FixedMatMulNode($1, $1, $3);", "A bias" },
		{ X("int8", "[2, 2, 2]") "$2 = FixedMatMulNode($1, $1);", "the second has to be a matrix" },
		{ X("int8", "[2, 2]") "$2 = FixedConv2dNode($1, $1);", "rank 4" },
		{ X("int8", "[1, 1, 2, 2]") "$2 = FixedConv2dNode($1, $1, 0, 0, 0, auto, [1, 1], [0, 0, -1, 0]);", "pads are" },
		{ X("int8", "[1, 1, 2, 2]") "$2 = FixedConv2dNode($1, $1, 0, 0, 0, auto, [1]);", "2 numbers are needed" },
		{ X("int8", "[1, 3, 2, 2]") "$2 = FixedConv2dNode($1, $1, 0, 0, 0, auto, [1, 1], [0, 0, 0, 0], [1, 1], 2);",
			"groups must divide" },
		{ X("int8", "[255]") "$2 = TableNode($1, $1);", "one element for each of its numbers" },
		{ X("int32", "[256]") "$2 = TableNode($1, $1);", "one element for each of its numbers" },
		{ X("int16", "[256]") "$2 = FixedExpNode($1, $1, $1);", "of 256 and 128 elements" },
		{ X("int16", "[4]") "$2 = FixedSoftmaxNode($1, $1, $1, 1);", "axis" },
		{ X("int32", "[4]") "$2 = FixedL2NormNode($1);", "i8, u8 or i16 are taken" },
		{ X("int16", "[65536]") "$2 = FixedL2NormNode($1);", "are not known to fit" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[512];
		snprintf(text, sizeof text, "%s\nresult = $2;\n", rows[i].script);
		const char *said = script_error(text, "t.lt");
		cr_expect(strstr(said, rows[i].says), "%s\n'%s', not '%s'", text, said, rows[i].says);
	}
}

enum { K = 5, N = 3 };

static lt_node constant_of(
	struct oracle *b, const char *name, enum lt_dtype t, int32_t n, const lt_var *v, const void *data)
{
	lt_node x = lt_graph_constant(b->g, name, t, n, v);
	cr_assert_eq(lt_graph_content(b->g, x, data), LT_OK);
	return x;
}

/* The bound is reached: by the operand whose elements are at the end that each weight asks for. */
Test(fixed, proofs_are_what_the_worst_operand_gives)
{
	uint64_t seed = 5;
	for (int trial = 0; trial < 200; trial++) {
		struct oracle *b = oracle_open(LT_F32);
		const bool is_signed = trial & 1;
		const int64_t least = is_signed ? -128 : 0, most = is_signed ? 127 : 255;
		const int64_t za = trial & 2 ? least + (int64_t)(oracle_noise(&seed) % 256) : 0;
		int16_t w[K][N];
		int8_t zero[N];
		int32_t bias[N];
		for (int n = 0; n < N; n++) {
			zero[n] = (int8_t)(trial & 4 ? (int64_t)(oracle_noise(&seed) % 256) - 128 : 0);
			bias[n] = (int32_t)((int64_t)(oracle_noise(&seed) % 200001) - 100000);
			for (int k = 0; k < K; k++)
				w[k][n] = (int16_t)(trial % 5 ? (int64_t)(oracle_noise(&seed) % 65536) - 32768 : 0);
		}
		lt_var k = lt_graph_var(b->g, "k", K), n = lt_graph_var(b->g, "n", N), m = lt_graph_var(b->g, "m", 2);
		lt_node x = lt_graph_input(b->g, "x", is_signed ? LT_I8 : LT_U8, 2, (lt_var[]){ m, k });
		struct lt_fixed_product p = { .zero_a = za, .zero_b = LT_OMIT };
		lt_node weights = constant_of(b, "w", LT_I16, 2, (lt_var[]){ k, n }, w);
		p.bias = constant_of(b, "bias", LT_I32, 1, &n, bias);
		if (trial & 4)
			p.zero_b = constant_of(b, "zero", LT_I8, 1, &n, zero);
		struct lt_sum_proof proof;
		lt_node y = lt_build_fixed_matmul(b->g, x, weights, &p, &proof);
		cr_assert_geq(y, 0, "%s", lt_context_message(b->ctx));
		int64_t worst = -1, channel = -1;
		for (int c = 0; c < N; c++) {
			int64_t sum = 0;
			for (int i = 0; i < K; i++) {
				const int64_t v = w[i][c] - (trial & 4 ? zero[c] : 0), ends[] = { labs(least - za), labs(most - za) };
				sum += labs(v) * (ends[0] > ends[1] ? ends[0] : ends[1]);
			}
			if (sum + labs((long)bias[c]) >= worst)
				worst = sum + labs((long)bias[c]), channel = c;
		}
		cr_expect(proof.known && proof.terms == K && proof.bound == worst && proof.channel == channel,
			"trial %d: %lld of channel %lld, not %lld of %lld", trial, (long long)proof.bound, (long long)proof.channel,
			(long long)worst, (long long)channel);
		cr_expect_eq(lt_node_dtype(b->g, y), worst <= INT32_MAX ? LT_I32 : LT_I64);
		oracle_close(b);
	}
}

struct late { lt_node node; const void *data; };
static const void *known_late(void *user, lt_node x)
{
	const struct late *late = user;
	return x == late->node ? late->data : NULL;
}

/* Every operand whose elements are ends of its type or a clamp, and every end of what is not known:
 * no sum is more than what is proven. */
Test(fixed, no_sum_of_extremes_is_beyond_its_proof)
{
	uint64_t seed = 11;
	for (int trial = 0; trial < 120; trial++) {
		struct oracle *b = oracle_open(LT_F32);
		const bool late = trial % 3 == 1, types = trial % 6 == 5;
		const bool no_bias = trial % 4 == 3, run_bias = trial % 4 == 2;
		int8_t w[K][N];
		int32_t bias[N];
		for (int n = 0; n < N; n++) {
			bias[n] = (int32_t)oracle_noise(&seed);
			for (int k = 0; k < K; k++)
				w[k][n] = (int8_t)oracle_noise(&seed);
		}
		lt_var k = lt_graph_var(b->g, "k", K), n = lt_graph_var(b->g, "n", N), m = lt_graph_var(b->g, "m", 1);
		lt_node x = lt_graph_input(b->g, "x", LT_I16, 2, (lt_var[]){ m, k });
		const struct lt_requant clamp = { .kind = LT_REQUANT_SHIFT, .shift = lt_graph_literal_int(b->g, LT_I32, 0),
			.least = -500, .most = 700, .to = LT_I16 };
		const int64_t ends[] = { trial & 1 ? -500 : -32768, trial & 1 ? 700 : 32767 };
		x = trial & 1 ? lt_build_requant(b->g, x, &clamp) : x;
		const int64_t za = trial % 5 - 2;
		struct lt_fixed_product p = { .zero_a = za, .zero_b = LT_OMIT, .bias = LT_OMIT };
		lt_node weights = late || types ? lt_graph_constant(b->g, "w", LT_I8, 2, (lt_var[]){ k, n })
			: constant_of(b, "w", LT_I8, 2, (lt_var[]){ k, n }, w);
		if (run_bias)
			p.bias = lt_graph_input(b->g, "bias", LT_I16, 1, &n);
		else if (!no_bias)
			p.bias = constant_of(b, "bias", LT_I32, 1, &n, bias);
		struct lt_sum_proof built, proof;
		lt_node y = lt_build_fixed_matmul(b->g, x, weights, &p, &built);
		cr_assert_geq(y, 0, "%s", lt_context_message(b->ctx));
		cr_assert_eq(lt_graph_sums(b->g), 1);
		cr_assert_eq(lt_graph_sum(b->g, 0, late ? known_late : NULL, &(struct late){ weights, w }, &proof), LT_OK);
		cr_expect(proof.node == y && built.node == y && proof.b == weights && proof.sum == lt_node_dtype(b->g, y));
		cr_expect_eq(proof.known, !types && !run_bias, "trial %d", trial);
		int64_t worst = 0;
		for (int c = 0; c < N; c++)
			for (int which = 0; which < 2 << K; which++) {
				int64_t sum = no_bias ? 0 : run_bias ? which >> K ? 32767 : -32768 : bias[c];
				for (int i = 0; i < K; i++)
					sum += (ends[which >> i & 1] - za) * (types ? which >> K ? 127 : -128 : w[i][c]);
				worst = llabs(sum) > worst ? llabs(sum) : worst;
			}
		cr_expect_leq(worst, proof.bound, "trial %d: a sum is %lld, proven is %lld", trial, (long long)worst,
			(long long)proof.bound);
		cr_expect_geq(proof.bound, proof.weight * proof.reach);
		cr_expect_eq(proof.bound, proof.weight * proof.reach + proof.bias);
		cr_expect_eq(lt_node_dtype(b->g, y) == LT_I32, built.bound <= INT32_MAX);
		cr_expect_eq(lt_graph_sum(b->g, 1, NULL, NULL, &proof), LT_EINVAL);
		oracle_close(b);
	}
}

/* One more product than fits, and one less; a clamp makes room; what is not known is taken at the caller's word. */
Test(fixed, sums_that_may_not_fit_are_refused)
{
	enum { TERMS = 512 };           /* 32768 * 128 * 512 is 2^31 */
	static int8_t w[TERMS];
	memset(w, -128, sizeof w);
	for (int how = 0; how < 5; how++) {
		struct oracle *b = oracle_open(LT_F32);
		lt_var k = lt_graph_var(b->g, "k", TERMS), n = lt_graph_var(b->g, "n", 1), m = lt_graph_var(b->g, "m", 1);
		lt_node x = lt_graph_input(b->g, "x", LT_I16, 2, (lt_var[]){ m, k });
		lt_node weights = how == 3 ? lt_graph_input(b->g, "w", LT_I8, 2, (lt_var[]){ k, n })
			: constant_of(b, "w", LT_I8, 2, (lt_var[]){ k, n }, w);
		w[0] = how == 1 ? -127 : -128;
		if (how == 2) {
			const struct lt_requant clamp = { .kind = LT_REQUANT_SHIFT, .shift = lt_graph_literal_int(b->g, LT_I32, 0),
				.least = 0, .most = 32767, .to = LT_I16 };
			x = lt_build_requant(b->g, x, &clamp);
		}
		const struct lt_fixed_product p = { .zero_b = LT_OMIT, .bias = LT_OMIT, .sum = how == 4 ? 0 : LT_I32 };
		struct lt_sum_proof proof;
		lt_node y = lt_build_fixed_matmul(b->g, x, weights, &p, &proof);
		if (how == 0) {
			cr_expect_eq(y, LT_NONE);
			cr_expect(strstr(lt_context_message(b->ctx), "A sum of 512 products may be 2147483648, which i32 does not hold: "
				"the weights of channel 0 are 65536 in all, and what they meet is up to 32768"), "%s",
				lt_context_message(b->ctx));
		} else {
			cr_assert_geq(y, 0, "%d: %s", how, lt_context_message(b->ctx));
			cr_expect_eq(lt_node_dtype(b->g, y), how == 4 ? LT_I64 : LT_I32);
		}
		cr_expect_eq(proof.bound, how == 1 ? 2147450880 : how == 2 ? INT64_C(32767) * 65536 : INT64_C(2147483648));
		cr_expect_eq(proof.known != 0, how != 3);
		oracle_close(b);
	}
}

/* The tables that the documents speak of. */
Test(fixed, tables_of_the_exponential)
{
	int16_t coarse[256], fine[128];
	lt_fixed_exp_tables(coarse, fine);
	for (int i = 0; i < 256; i++)
		cr_expect_eq(coarse[i], (int16_t)floor(16384 * exp(-i / 16.) + 0.5));
	for (int i = 0; i < 128; i++)
		cr_expect_eq(fine[i], (int16_t)floor(16384 * exp(-i / 2048.) + 0.5));
	cr_expect(coarse[0] == 16384 && coarse[255] == 0 && fine[0] == 16384 && fine[127] == 15399);
}

/* -- notes -- */

static void write_text(void *user, const char *text, size_t bytes)
{
	char *to = user;
	const size_t n = strlen(to);
	cr_assert_lt(n + bytes, 4096);
	memcpy(to + n, text, bytes);
	to[n + bytes] = '\0';
}

Test(fixed, notes_are_read_as_they_are_printed)
{
	static const char text[] = "graph 1\nvar i 3\n"
		"%x = u8[i] input \"x\" means scale 2^-7 zero 128 @ 1:1\n%y = i16[i] input \"y\" means scale 3.0\n"
		"%z = i8[i] input \"z\" means scale 0x1.47ae147ae147bp-6 zero -128\n%w = i64[i] input \"w\" means scale 2^0\n"
		"result \"x\" = %x\nresult \"y\" = %y\nresult \"z\" = %z\nresult \"w\" = %w\n";
	static const struct { double scale; int64_t zero; } want[] = { { 0x1p-7, 128 }, { 3, 0 }, { 0.02, -128 }, { 1, 0 } };
	struct lt_context *ctx;
	struct lt_graph *g;
	char again[4096] = "";
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), NULL, &g), LT_OK, "%s", lt_context_message(ctx));
	for (lt_node x = 0; x < 4; x++) {
		double scale;
		int64_t zero;
		cr_expect_eq(lt_node_meaning(g, x, &scale, &zero), 1);
		cr_expect(scale == want[x].scale && zero == want[x].zero, "%d: %g %lld", x, scale, (long long)zero);
	}
	cr_assert_eq(lt_graph_print(g, write_text, again), LT_OK);
	cr_expect_str_eq(again, text);
	lt_graph_free(g);
	lt_context_free(ctx);
}

Test(fixed, ranges_are_read_as_they_are_printed)
{
	static const char text[] = "graph 1\nvar i 3\n"
		"%x = f32[i] input \"x\" range -0.5 0x1.999999999999ap-4 @ 1:1\n%w = f16[i] constant \"w\" range 2.0 2.0\n"
		"%y = f32[i] input \"y\"\nresult \"x\" = %x\nresult \"w\" = %w\nresult \"y\" = %y\n";
	struct lt_context *ctx;
	struct lt_graph *g;
	char again[4096] = "";
	double low, high;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), NULL, &g), LT_OK, "%s", lt_context_message(ctx));
	cr_expect(lt_node_range(g, 0, &low, &high) == 1 && low == -0.5 && high == 0.1);
	cr_expect(lt_node_range(g, 1, &low, &high) == 1 && low == 2 && high == 2);
	cr_expect(lt_node_range(g, 2, &low, &high) == 0 && low == 0 && high == 0);
	cr_expect(lt_node_range(g, 99, &low, &high) == 0);
	cr_assert_eq(lt_graph_print(g, write_text, again), LT_OK);
	cr_expect_str_eq(again, text);
	lt_graph_free(g);
	lt_context_free(ctx);
}

Test(fixed, notes_without_a_meaning_are_refused)
{
	static const struct { const char *node, *says; } rows[] = {
		{ "f32[] lit 1.0 means scale 2^-7", "integers stand for numbers by a scale" },
		{ "bool[] lit true means scale 1.0", "integers stand for numbers by a scale" },
		{ "u8[] lit 1 means scale 0.0", "above 0 and finite" },
		{ "u8[] lit 1 means scale -0.5", "above 0 and finite" },
		{ "u8[] lit 1 means scale inf", "above 0 and finite" },
		{ "u8[] lit 1 means scale bits(0x7ff8000000000000)", "above 0 and finite" },
		{ "u8[] lit 1 means scale 2^1024", "2^1023" },
		{ "u8[] lit 1 means scale 3^2", "end of the line" },
		{ "u8[] lit 1 means scale 1.0 zero 256", "A zero point of 256" },
		{ "u8[] lit 1 means scale 1.0 zero -1", "A zero point of -1" },
		{ "u8[] lit 1 means 1.0", "scale" },
		{ "f32[] input \"x\" range 1.0 0.5", "A range from 1 to 0.5" },
		{ "f32[] input \"x\" range 0.0 inf", "its ends are finite" },
		{ "f32[] input \"x\" range bits(0x7ff8000000000000) 1.0", "its ends are finite" },
		{ "f32[] input \"x\" range 1.0", "expected a value of type f64" },
		{ "f32[] lit 1.0 range 0.0 1.0", "no input and no constant" },
		{ "i8[] input \"x\" range 0.0 1.0", "a range is of floats" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[256];
		struct lt_context *ctx;
		struct lt_graph *g;
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		snprintf(text, sizeof text, "graph 1\n%%x = %s\nresult \"x\" = %%x\n", rows[i].node);
		cr_expect_neq(lt_graph_parse(ctx, text, strlen(text), NULL, &g), LT_OK, "%s", text);
		cr_expect(strstr(lt_context_message(ctx), rows[i].says), "%s\n%s", text, lt_context_message(ctx));
		lt_context_free(ctx);
	}
	cr_expect(strstr(script_error("$1 = InputTensor(x, int8, [2]);\n$2 = MeansNode($1, 0.5);\n$3 = MeansNode($2, 0.25);\n"
		"result = $3;\n", "t.lt"), "means scale 0.5 and zero 0 already"), "%s", "another meaning");
}

/* Equal numbers that mean different things are one value without a meaning; a copy of a graph keeps what is so. */
Test(fixed, notes_go_where_values_are_one)
{
	static const char *const scales[] = { "2^-2", "2^-1" };
	for (int differ = 0; differ < 2; differ++) {
		struct lt_context *ctx;
		struct lt_graph *g, *out;
		char text[400], printed[4096] = "";
		snprintf(text, sizeof text, "graph 1\nvar i 3\n%%x = i32[i] input \"x\"\n%%y = i32[i] neg %%x means scale 2^-2\n"
			"%%z = i32[i] neg %%x means scale %s\nresult \"y\" = %%y\nresult \"z\" = %%z\n", scales[differ]);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), NULL, &g), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt__passes_run(g, NULL, NULL, &out), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt_graph_print(out, write_text, printed), LT_OK);
		cr_expect_eq(strstr(printed, "means scale 2^-2") != NULL, !differ, "%s", printed);
		cr_expect(!strstr(printed, "2^-1"), "%s", printed);
		lt_graph_free(out);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}
