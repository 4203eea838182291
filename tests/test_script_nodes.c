/* test_script_nodes.c -- nodes of the script whose meaning is NumPy's, against loops over drawn shapes: products
 * of any ranks, reshapes with -1, transposes, positions of the greatest and the least. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/script/reader.h"
#include "tests/drawn.h"
#include "tests/script_run.h"

TestSuite(script_nodes, .timeout = 120);

/* ---- products ---- */

/* Ranks 1 .. 5; batch axes broadcast from either side. */
static void draw_factors(uint64_t *seed, struct drawn *a, struct drawn *b)
{
	int32_t ranks[2] = { 1 + (int32_t)drawn_number(seed, 5), 1 + (int32_t)drawn_number(seed, 5) };
	int64_t batch[3], k = drawn_extent(seed), rows[2] = { drawn_extent(seed), drawn_extent(seed) };
	for (int i = 0; i < 3; i++)
		batch[i] = 1 + (int64_t)drawn_number(seed, 3);
	for (int f = 0; f < 2; f++) {
		int64_t shape[DRAWN_RANK];
		int32_t rank = ranks[f], over = rank - 2;
		for (int32_t i = 0; i < over; i++)
			shape[i] = drawn_number(seed, 3) ? batch[3 - over + i] : 1;
		if (rank == 1)
			shape[0] = k;
		else
			shape[over + 1 - f] = k, shape[over + f] = rows[f];
		drawn_fill(f ? b : a, seed, rank, shape, false);
	}
}

/* NumPy's: a vector is a row on the left, a column on the right, and its axis goes away. */
static struct drawn product_of(const struct drawn *a, const struct drawn *b)
{
	struct drawn l = *a, r = *b, y;
	int64_t shape[DRAWN_RANK], index[DRAWN_RANK] = { 0 }, left[DRAWN_RANK], right[DRAWN_RANK];
	int32_t n = 0, na = a->rank > 2 ? a->rank - 2 : 0, nb = b->rank > 2 ? b->rank - 2 : 0, batches = na > nb ? na : nb;
	const int64_t k = a->shape[a->rank - 1];
	if (a->rank == 1)
		l.rank = 2, l.shape[0] = 1, l.shape[1] = k;
	if (b->rank == 1)
		r.rank = 2, r.shape[0] = k, r.shape[1] = 1;
	for (int32_t i = 0; i < batches; i++) {
		const int32_t p = i - (batches - na), q = i - (batches - nb);
		const int64_t x = p >= 0 ? a->shape[p] : 1, z = q >= 0 ? b->shape[q] : 1;
		shape[n++] = x > z ? x : z;
	}
	shape[n++] = l.shape[l.rank - 2];
	shape[n++] = r.shape[r.rank - 1];
	y = drawn_zeros(n, shape);
	int64_t at = 0;
	do {
		memcpy(left, index, sizeof left);
		memcpy(right, index, sizeof right);
		for (int64_t i = 0; i < k; i++) {
			left[n - 1] = right[n - 2] = i;
			y.at[at] += l.at[drawn_offset(&l, n, left)] * r.at[drawn_offset(&r, n, right)];
		}
		at++;
	} while (drawn_next(n, shape, index));
	return y;
}

Test(script_nodes, products_of_all_ranks_are_numpys)
{
	static const char *const types[] = { "float32", "float64", "int32", "float16", "int64" };
	bool seen[6][6] = { { false } };
	uint64_t seed = 5;
	for (int run = 0; run < 400; run++) {
		struct drawn a, b;
		struct drawn_script s;
		const char *type = types[run % 5];
		draw_factors(&seed, &a, &b);
		for (int64_t i = 0; i < DRAWN_ELEMS && type[0] == 'i'; i++)
			a.at[i] = trunc(a.at[i]), b.at[i] = trunc(b.at[i]);
		seen[a.rank][b.rank] = true;
		struct drawn y = product_of(&a, &b);
		drawn_open(&s);
		drawn_input(&s, 1, "a", type, &a);
		drawn_input(&s, 2, "b", type, &b);
		fprintf(s.script, "$3 = MatMulNode($1, $2);\nresult = $3;\n");
		drawn_result(&s, "result", &y);
		const char *bad = drawn_close(&s);
		cr_assert(!bad, "run %d: %s", run, bad);
	}
	for (int i = 1; i < 6; i++)
		for (int k = 1; k < 6; k++)
			cr_expect(seen[i][k], "ranks %d and %d were not drawn", i, k);
}

/* One value on both sides: its axes are not confused. */
Test(script_nodes, a_value_by_itself)
{
	uint64_t seed = 8;
	for (int run = 0; run < 40; run++) {
		struct drawn x;
		struct drawn_script s;
		const int64_t m = drawn_extent(&seed), shape[] = { drawn_extent(&seed), drawn_extent(&seed), m, m };
		const int32_t rank = 2 + run % 3;
		drawn_fill(&x, &seed, rank, shape + 4 - rank, false);
		struct drawn y = product_of(&x, &x);
		drawn_open(&s);
		drawn_input(&s, 1, "x", "float32", &x);
		fprintf(s.script, "$2 = MatMulNode($1, $1);\nresult = $2;\n");
		drawn_result(&s, "result", &y);
		const char *bad = drawn_close(&s);
		cr_assert(!bad, "run %d: %s", run, bad);
	}
}

/* ---- reshape and transpose ---- */

Test(script_nodes, one_dimension_is_what_the_others_leave)
{
	uint64_t seed = 6;
	for (int run = 0; run < 60; run++) {
		struct drawn x;
		struct drawn_script s;
		int64_t shape[4], to[4] = { 1, 1, 1, 1 };
		for (int i = 0; i < 4; i++)
			shape[i] = drawn_extent(&seed);
		drawn_fill(&x, &seed, 4, shape, false);
		const int32_t n = 1 + (int32_t)drawn_number(&seed, 4), free = (int32_t)drawn_number(&seed, (uint64_t)n);
		for (int i = 0; i < 4; i++)
			to[drawn_number(&seed, (uint64_t)n)] *= shape[i];
		struct drawn y = drawn_zeros(n, to);
		memcpy(y.at, x.at, sizeof y.at);
		to[free] = -1;
		drawn_open(&s);
		drawn_input(&s, 1, "x", "float32", &x);
		fprintf(s.script, "$2 = ReshapeNode($1, ");
		drawn_list(s.script, to, n);
		/* the same shape in full gives a sum that does not broadcast */
		fprintf(s.script, ");\n$3 = ReshapeNode($1, ");
		drawn_list(s.script, y.shape, n);
		fprintf(s.script, ");\n$4 = SumNode($2, $3);\nresult = $2;\n");
		drawn_result(&s, "result", &y);
		const char *bad = drawn_close(&s);
		cr_assert(!bad, "run %d: %s", run, bad);
	}
}

static struct drawn transposed(const struct drawn *x, const int64_t *perm)
{
	int64_t shape[DRAWN_RANK], index[DRAWN_RANK] = { 0 }, own[DRAWN_RANK], at = 0;
	for (int32_t i = 0; i < x->rank; i++)
		shape[i] = x->shape[perm[i]];
	struct drawn y = drawn_zeros(x->rank, shape);
	do {
		for (int32_t i = 0; i < x->rank; i++)
			own[perm[i]] = index[i];
		y.at[at++] = x->at[drawn_offset(x, x->rank, own)];
	} while (drawn_next(x->rank, shape, index));
	return y;
}

Test(script_nodes, transposes_are_numpys)
{
	uint64_t seed = 7;
	for (int run = 0; run < 60; run++) {
		struct drawn x;
		struct drawn_script s;
		int64_t shape[4], perm[4], back[4];
		const int32_t rank = 1 + run % 4;
		for (int32_t i = 0; i < rank; i++) {
			shape[i] = drawn_extent(&seed);
			back[i] = rank - 1 - i;
			perm[i] = i;
		}
		for (int32_t i = 0; i < rank; i++) {
			const int32_t k = (int32_t)drawn_number(&seed, (uint64_t)rank);
			const int64_t swap = perm[i];
			perm[i] = perm[k];
			perm[k] = swap;
		}
		drawn_fill(&x, &seed, rank, shape, false);
		struct drawn y = transposed(&x, perm), z = transposed(&x, back);
		for (int32_t i = 0; i < rank; i++)
			perm[i] -= drawn_number(&seed, 2) ? rank : 0;
		drawn_open(&s);
		drawn_input(&s, 1, "x", "int16", &x);
		for (int64_t i = 0; i < DRAWN_ELEMS; i++)
			y.at[i] = trunc(y.at[i]), z.at[i] = trunc(z.at[i]);
		fprintf(s.script, "$2 = TransposeNode($1, ");
		drawn_list(s.script, perm, rank);
		fprintf(s.script, ");\n$3 = TransposeNode($1);\nresult = $2;\nresult reversed = $3;\n");
		drawn_result(&s, "result", &y);
		drawn_result(&s, "reversed", &z);
		const char *bad = drawn_close(&s);
		cr_assert(!bad, "run %d: %s", run, bad);
	}
}

/* ---- positions ---- */

/* The first of the best; NaN is better than all. */
static struct drawn best_of(const struct drawn *x, int32_t axis, int sign, bool keep)
{
	int64_t shape[DRAWN_RANK], index[DRAWN_RANK] = { 0 }, at = 0;
	int32_t n = 0;
	struct drawn y;
	for (int32_t i = 0; i < x->rank; i++)
		if (i != axis || keep)
			shape[n++] = i == axis ? 1 : x->shape[i];
	y = drawn_zeros(n, shape);
	memcpy(shape, x->shape, sizeof shape);
	shape[axis] = 1;
	do {
		int64_t best = 0;
		for (int64_t i = 0; i < x->shape[axis]; i++) {
			int64_t own[DRAWN_RANK];
			memcpy(own, index, sizeof own);
			own[axis] = best;
			const double old = x->at[drawn_offset(x, x->rank, own)];
			own[axis] = i;
			const double new = x->at[drawn_offset(x, x->rank, own)];
			if (!isnan(old) && (isnan(new) || sign * new > sign * old))
				best = i;
		}
		y.at[at++] = (double)best;
	} while (drawn_next(x->rank, shape, index));
	return y;
}

Test(script_nodes, the_first_of_the_greatest)
{
	static const char *const types[] = { "float32", "float16", "int8", "bool", "float64" };
	uint64_t seed = 9;
	for (int run = 0; run < 100; run++) {
		const char *type = types[run % 5];
		const bool real = type[0] == 'f';
		struct drawn x;
		struct drawn_script s;
		int64_t shape[3] = { drawn_extent(&seed), drawn_extent(&seed), drawn_extent(&seed) };
		const int32_t rank = 1 + run % 3, axis = (int32_t)drawn_number(&seed, (uint64_t)rank);
		drawn_fill(&x, &seed, rank, shape, real);
		for (int64_t i = 0; i < x.elems && !real; i++)
			x.at[i] = type[0] == 'b' ? x.at[i] > 0 : trunc(x.at[i]);
		struct drawn most = best_of(&x, axis, 1, false), least = best_of(&x, axis, -1, true);
		drawn_open(&s);
		drawn_input(&s, 1, "x", type, &x);
		fprintf(s.script, "$2 = ArgMaxNode($1, %d);\n$3 = ArgMinNode($1, %d, 1);\nresult most = $2;\nresult least = $3;\n",
			(int)axis, (int)(axis - rank));
		drawn_result(&s, "most", &most);
		drawn_result(&s, "least", &least);
		const char *bad = drawn_close(&s);
		cr_assert(!bad, "run %d: %s", run, bad);
	}
}

/* ---- what is refused ---- */

Test(script_nodes, refuses_with_a_sentence)
{
	static const struct { const char *node, *says; } rows[] = {
		{ "MatMulNode($1, $1)", "Incompatible shapes for matrix multiplication: $1 (float32 [2, 3]) and $1 (float32 [2, 3]); "
			"the last dimension of the first has to be the second-to-last of the second" },
		{ "MatMulNode($1, $4)", "the last dimension of the first has to be that of the second" },
		{ "MatMulNode($5, $1)", "is neither a matrix nor a vector" },
		{ "MatMulNode($2, $3)", "the batch dimensions differ" },
		{ "MatMulNode($1, $6)", "Different value types: $1 (float32 [2, 3]) and $6 (float64 [3])" },
		{ "MatMulNode($7, $7)", "Unsupported value type: $7 (bool [2, 2])" },
		{ "ReshapeNode($1, [-1, -1])", "Invalid shape [-1, -1]: only one dimension can be -1" },
		{ "ReshapeNode($1, [4, -1])", "$1 (float32 [2, 3]) has 6, which is no multiple of the 4 of the shape [4, -1]" },
		{ "ReshapeNode($1, [12, -1])", "which is no multiple of the 12" },
		{ "ReshapeNode($1, [-1, 0])", "dimension 1 is 0, each has to be at least 1, or -1 for what is left" },
		{ "ReshapeNode($1, [-1, -2])", "dimension 1 is -2" },
		{ "ReshapeNode($1, [-2, 3])", "dimension 0 is -2, each has to be at least 1" },
		{ "ReshapeNode($1, [9223372036854775807, 9, -1])", "exceed 63 bits" },
		{ "SliceNode($1, 0, -1)", "Invalid end index -1" },
		{ "ExpandNode($1, [-1, 3])", "dimension 0 is -1, each has to be at least 1" },
		{ "TransposeNode($1, [0])", "Invalid permutation size: [0] has 1 numbers, $1 (float32 [2, 3]) 2 axes" },
		{ "TransposeNode($1, [0, -2])", "Duplicate permutation index -2 in [0, -2]" },
		{ "TransposeNode($1, [0, 2])", "Invalid permutation index 2 in [0, 2]" },
		{ "TransposeNode($1, [0, -3])", "Invalid permutation index -3" },
		{ "ArgMaxNode($1, 2)", "Invalid axis 2 of a value of rank 2" },
		{ "ArgMinNode($5, 0)", "Invalid axis 0 of a value of rank 0" },
		{ "ArgMaxNode($1, 0, 2)", "Invalid keepdims 2, it is 0 or 1" },
		{ "ArgMaxNode($1)", "Too few arguments" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[700];
		snprintf(text, sizeof text, "$1 = InputTensor(x, float32, [2, 3]);\n$2 = InputTensor(b, float32, [2, 5, 3]);"
			"$3 = InputTensor(c, float32, [3, 3, 5]);$4 = InputTensor(v, float32, [4]);$5 = FullNode(float32, [], 1);"
			"$6 = InputTensor(d, float64, [3]);$7 = InputTensor(e, bool, [2, 2]);\n$9 = %s; result = $9;", rows[i].node);
		const char *bad = script_error(text, "t.lt");
		cr_expect(strstr(bad, rows[i].says) && strncmp(bad, "t.lt:3:", 7) == 0, "%s: %s", rows[i].node, bad);
	}
}

/* $1 [2, 3, 4], $2 [3], $3 [4], $4 [2, 3] int64, $5 bool, $6 float64 [3], $7 .. $9 of a GRU: x [5, 2, 3], w, r */
Test(script_nodes, refuses_layers_and_positions_with_a_sentence)
{
	static const struct { const char *node, *says;
	} rows[] = {
		{ "BatchNormNode($1, $2, $2, $2, $3)",
			"Different shapes: $1 (float32 [2, 3, 4]) and $3 (float32 [4]); it has to be one vector as "
			"long as axis 1, the channels" },
		{ "BatchNormNode($1, $2, $6, $2, $2)", "Different value types" },
		{ "BatchNormNode($2, $2, $2, $2, $2)", "$2 (float32 [3]) has to have two at least, [N, C, ..]" },
		{ "BatchNormNode($1, $2, $2, $2, $2, -1)", "Invalid eps -1" },
		{ "BatchNormNode($1, $2, $2, $2)", "Too few arguments" },
		{ "InstanceNormNode($10, $2, $2)", "has to have three at least" },
		{ "GroupNormNode($1, $2, $2, 2)", "Invalid number of groups 2: it has to divide the channels" },
		{ "GroupNormNode($1, $2, $2, 0)", "Invalid number of groups 0" },
		{ "LinearNode($1, $10)", "the weights have to be [out, in], and in the last dimension of the first" },
		{ "LinearNode($10, $10, $2)", "the bias has to be one vector" },
		{ "LinearNode($5, $5)", "Unsupported value type: $5 (bool [2, 3])" },
		{ "LogSoftmaxNode($4)", "has to be of a float type" },
		{ "GeluNode($1, exact)", "expected GeluNode($x, none|tanh)" },
		{ "PReluNode($1, $2)", "Incompatible shapes" },
		{ "PReluNode($2, $1)", "Incompatible shapes" },
		{ "EluNode($4)", "has to be of a float type" },
		{ "TanNode($1, 1)", "Too many arguments, expected TanNode($x)" },
		{ "ClipNode($4, 0.5)", "The value 0.5 is not a number of type int64" },
		{ "IsNanNode($4)", "has to be of a float type" },
		{ "SqueezeNode($1, [0])", "axis 0 of $1 (float32 [2, 3, 4]) is not of 1 element" },
		{ "SqueezeNode($1, [3])", "Invalid axis 3 of a value of rank 3" },
		{ "UnsqueezeNode($1, [0, -5])", "Duplicate axis -5" },
		{ "UnsqueezeNode($1, [4])", "Invalid axis 4 of a value of rank 4" },
		{ "FlattenNode($1, 4)", "Invalid axis 4" },
		{ "TileNode($1, [2, 2])", "takes 3 numbers of at least 1" },
		{ "TileNode($1, [1, 0, 1])", "takes 3 numbers of at least 1" },
		{ "TileNode($1, [1, 9000000000000000000, 1])", "Invalid repeats" },
		{ "FlipNode($1, [0, 0])", "Duplicate axis 0" },
		{ "StackNode(0, $2, $3)", "Different shapes: $2 (float32 [3]) and $3 (float32 [4])" },
		{ "StackNode(2, $2, $2)", "Invalid axis 2 of a value of rank 2" },
		{ "StackNode(0, $2, $6)", "Different value types" },
		{ "GatherElementsNode($10, $10)", "has to be of an integer type" },
		{ "GatherElementsNode($1, $4)", "has to have the axes of" },
		{ "OneHotNode($1, 3)", "has to be of an integer type" },
		{ "OneHotNode($4, 0)", "Invalid depth 0" },
		{ "OneHotNode($4, 3, 3)", "Invalid axis 3 of a value of rank 3" },
		{ "TopKNode($1, 5)", "Invalid number 5: axis 2 of $1 (float32 [2, 3, 4]) allows 1 .. 4" },
		{ "TopKNode($1, 0)", "Invalid number 0" },
		{ "TopKNode($5, 1)", "Unsupported value type: $5 (bool [2, 3])" },
		{ "TopKNode($1, 1, values, largest)", "Unexpected argument, expected TopKNode(" },
		{ "TrilNode($2)", "has to have two at least" },
		{ "CumSumNode($5, 0)", "Unsupported value type: $5 (bool [2, 3])" },
		{ "CumSumNode($1, 0, 2)", "Invalid exclusive 2, it is 0 or 1" },
		{ "CumProdNode($1, 0, 0, -1)", "Invalid reverse -1, it is 0 or 1" },
		{ "ReduceL2Node($4)", "has to be of a float type" },
		{ "ReduceLogSumExpNode($1, 0)", "The axes are a list: [0]" },
		{ "GruNode($7, $8, $8)",
			"x [5, 2, 3], W [1, 12, 3] and R [1, 12, 3] do not fit 1 directions of 3, with 3 gates" },
		{ "GruNode($7, $8, $9, bidirectional)", "do not fit 2 directions of 4" },
		{ "LstmNode($7, $8, $9)", "with 4 gates" },
		{ "RnnNode($1, $8, $9)", "with 1 gates" },
		{ "GruNode($2, $8, $9)", "x [3], W" },
		{ "GruNode($7, $8, $9, $8)", "the bias has the shape [1, 12, 3], which does not fit" },
		{ "GruNode($7, $8, $9, 0, 0, $9)",
			"the first h has the shape [1, 12, 4], which does not fit x [5, 2, 3]" },
		{ "GruNode($7, $8, $9, 0, $4)", "lengths has the shape [2, 3], which does not fit" },
		{ "GruNode($7, $8, $9, 0, $2)", "has to be of an integer type" },
		{ "GruNode($7, $8, $9, 1)", "Invalid number 1: this is a node, or 0 for none" },
		{ "GruNode($7, $8, $9, $6)", "Different value types" },
		{ "GruNode($4, $4, $4)", "has to be of a float type" },
		{ "GruNode($7, $8, $9, Y_c)", "Unexpected argument, expected GruNode(" },
		{ "GruNode($7, $8, $9, backwards)", "Unexpected argument, expected GruNode(" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[900];
		snprintf(text, sizeof text, "$1 = InputTensor(x, float32, [2, 3, 4]);\n$2 = InputTensor(b, float32, [3]);"
			"$3 = InputTensor(c, float32, [4]);$4 = InputTensor(i, int64, [2, 3]);$5 = InputTensor(t, bool, [2, 3]);"
			"$6 = InputTensor(d, float64, [3]);$7 = InputTensor(s, float32, [5, 2, 3]);"
			"$8 = InputTensor(w, float32, [1, 12, 3]);$9 = InputTensor(r, float32, [1, 12, 4]);"
			"$10 = InputTensor(m, float32, [2, 3]);\n$11 = %s; result = $11;", rows[i].node);
		const char *bad = script_error(text, "t.lt");
		cr_expect(strstr(bad, rows[i].says) && strncmp(bad, "t.lt:3:", 7) == 0, "%s: %s", rows[i].node, bad);
	}
}

/* What other libraries call a node is understood, and no hint names what is not there. */
Test(script_nodes, hints)
{
	static const struct { const char *word, *node; } hints[] = {
#define HINT(word, node) { #word, #node },
#include "frontends/script/hints.def"
		{ "Relu", "ReLUNode" }, { "Linear", "LinearNode" }, { "Softmax", "SoftmaxNode" }, { "LayerNorm", "LayerNormNode" },
		{ "Gemm", "LinearNode" }, { "GemmNode", "LinearNode" }, { "batch_normalization", "BatchNormNode" },
		{ "GRU", "GruNode" }, { "LSTM", "LstmNode" }, { "argmax", "ArgMaxNode" }, { "top_k", "TopKNode" },
		{ "LogSoftmax", "LogSoftmaxNode" }, { "cumsum", "CumSumNode" }, { "tril", "TrilNode" }, { "Where", "WhereNode" },
		{ "transpose", "TransposeNode" }, { "LeakyReLUNode", "LeakyReluNode" }, { "scaled_dot_product_attention",
			"AttentionNode" },
	};
	static struct lt_script_node nodes[256];
	int32_t n_node = lt__script_nodes(nodes, 256);
	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
		char text[100], says[100];
		bool there = false, taken = false;
		for (int32_t k = 0; k < n_node; k++) {
			there = there || !strcmp(nodes[k].name, hints[i].node);
			taken = taken || !strcmp(nodes[k].name, hints[i].word);
		}
		snprintf(text, sizeof text, "$1 = %s(1);", hints[i].word);
		snprintf(says, sizeof says, "'%s'; did you mean %s?", hints[i].word, hints[i].node);
		const char *bad = script_error(text, "t.lt");
		cr_expect(there && !taken && strstr(bad, says), "%s: %s", hints[i].word, bad);
	}
}

/* A run-time extent is counted as its maximum. */
Test(script_nodes, run_time_extents)
{
	const char *text = "$1 = InputTensor(x, float32, [3, 4]); $2 = InputTensor(n, int64, [1]); $3 = SliceNode($1, 0, $2);"
		"$4 = ReshapeNode($3, [-1, 2, 2]); $5 = ReshapeNode($3, [3, -1, 1]); $6 = ReduceSumNode($4, [0]);"
		"$7 = ReduceSumNode($5, [0]); $8 = InputTensor(w, float32, [4, 2]); $9 = MatMulNode($3, $8);"
		"$10 = ReduceSumNode($9, [0]); $11 = ArgMaxNode($3, 0); $12 = TransposeNode($3); $13 = ReduceSumNode($12, [1]);"
		"result = $6; result column = $7; result product = $10; result most = $11; result turned = $13;";
	const char *bad = script_run(text, "t.lt", "x = [1, 2, 9, 4, 5, 6, 7, 8, 90, 90, 90, 90]\nn = [2]\n"
		"w = [1, 0, 0, 1, 1, 0, 0, 1]\nresult -> [6, 8, 16, 12]\ncolumn -> [6, 8, 16, 12]\nproduct -> [22, 20]\n"
		"most -> [1, 1, 0, 1]\nturned -> [6, 8, 16, 12]\n", NULL);
	cr_expect(!bad, "%s", bad);
	bad = script_error("$1 = InputTensor(x, float32, [3, 4]); $2 = InputTensor(n, int64, [1]); $3 = SliceNode($1, 0, $2);"
		"$4 = ReshapeNode($3, [-1]); result = $4;", "t.lt");
	cr_expect(strstr(bad, "run-time extent at axis 0, which cannot be split or joined"), "%s", bad);
}
