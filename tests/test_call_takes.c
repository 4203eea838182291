/* test_call_takes.c -- which descriptions a row of LT_PATTERN_GRAPH takes: hand-made ones, one thing of the row or of
 * the description changed at a time, against the sentence that has to come of it.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "base/arena.h"
#include "looptree/call/call.h"

TestSuite(call_takes, .timeout = 60);

#define BIT(x) (UINT64_C(1) << (x))
enum { M, N, K, I, AXES };      /* I: a window's, or keys */

/* act(max(sum over k of (r0 + number) * r1 + r2, 0)): one op before, two behind; a row that takes just that. */
struct hand {
	struct lt_tree tree;
	struct lt_call call;
	struct lt_routine row;
	struct lt_type types[3];
	struct lt_op ops[8];
	struct lt_buffer buffers[5];
	struct lt_call_dim dims[AXES];
	struct lt_call_read reads[4];
	struct lt_call_guard guards[1];
	struct lt_call_value values[24];
	struct lt_call_op call_ops[12];
	struct lt_call_result results[2];
	struct lt_call_anchor anchors[2];
	struct lt_call_window window;
	struct lt_routine_shape shapes[2];
	int64_t rows[8][2], strides[8][AXES];
	int32_t bounds[1];
};

static int32_t add_op(struct hand *h, int32_t kind, int32_t op, uint64_t axes, int32_t n, const struct lt_call_value *v)
{
	int32_t first = h->call.n_op ? h->call_ops[h->call.n_op - 1].first_value + h->call_ops[h->call.n_op - 1].n_value : 0;
	memcpy(h->values + first, v, sizeof *v * (size_t)n);
	h->call_ops[h->call.n_op] = (struct lt_call_op){ .kind = kind, .op = op, .axes = axes, .first_value = first,
		.n_value = n };
	return h->call.n_op++;
}
#define VALUES(...) (sizeof (const struct lt_call_value[]){ __VA_ARGS__ } / sizeof(struct lt_call_value)), \
	(const struct lt_call_value[]){ __VA_ARGS__ }
#define OP(i) { .kind = LT_VALUE_OP, .dtype = LT_F32, .at = i, .row = -1 }
#define READ(i) { .kind = LT_VALUE_READ, .dtype = LT_F32, .at = i, .row = -1 }
#define NUMBER { .kind = LT_VALUE_BITS, .dtype = LT_F32, .at = -1, .row = -1, .bits = 0 }

enum { ADD, MUL, MAX, TO_HALF, TO_FLOAT, EXP, COPY };
static struct lt_array list(const void *at, uint32_t n, uint32_t stride) { return (struct lt_array){ at, n, stride }; }
#define LIST(a) list((a), sizeof(a) / sizeof *(a), sizeof *(a))

static void make(struct hand *h)
{
	static const struct { const char *name; uint32_t opcode, out, in; } ops[] = { { "add", LT_OPCODE_add, LT_F32, LT_F32 },
		{ "mul", LT_OPCODE_mul, LT_F32, LT_F32 }, { "max", LT_OPCODE_max, LT_F32, LT_F32 },
		{ "cast", LT_OPCODE_cast, LT_F16, LT_F32 }, { "cast", LT_OPCODE_cast, LT_F32, LT_F16 },
		{ "exp", LT_OPCODE_exp, LT_F32, LT_F32 }, { "copy", LT_OPCODE_copy, LT_F32, LT_F32 } };
	static const int64_t strides[4][AXES] = { { 12, 0, 1, 0 }, { 0, 1, 8, 0 }, { 0, 1, 0, 0 }, { 8, 1, 0, 0 } };
	memset(h, 0, sizeof *h);
	for (uint32_t i = 0; i < 3; i++)
		h->types[i] = (struct lt_type){ "t", "t", i == 0 ? LT_F32 : i == 1 ? LT_F16 : LT_F64, i == 0 ? 4 : i == 1 ? 2 : 8 };
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		h->ops[i] = (struct lt_op){ .name = ops[i].name, .opcode = ops[i].opcode, .out = ops[i].out,
			.in = { ops[i].in, ops[i].in } };
	for (int32_t i = 0; i < 5; i++)
		h->buffers[i] = (struct lt_buffer){ .name = "b", .align = 64, .elems = 1000 };
	h->dims[M] = (struct lt_call_dim){ "m", LT_DIM_ROW, 6, 0, 0 };
	h->dims[N] = (struct lt_call_dim){ "n", LT_DIM_COLUMN, 8, 0, 0 };
	h->dims[K] = (struct lt_call_dim){ "k", LT_DIM_DEEP, 12, 0, 0 };
	h->dims[I] = (struct lt_call_dim){ "i", LT_DIM_OTHER, 1, 0, 0 };
	memcpy(h->strides, strides, sizeof strides);
	for (int32_t i = 0; i < 4; i++)
		h->reads[i] = (struct lt_call_read){ .buffer = i, .row = i, .first_stride = i * AXES };
	h->results[0] = (struct lt_call_result){ 5, 3, 3, 3 * AXES };
	(void)add_op(h, LT_CALL_MAP, ADD, BIT(M) | BIT(K), VALUES(READ(0), NUMBER));
	(void)add_op(h, LT_CALL_MAP, MUL, BIT(M) | BIT(N) | BIT(K), VALUES(OP(0), READ(1)));
	h->call_ops[add_op(h, LT_CALL_REDUCE, ADD, BIT(M) | BIT(N) | BIT(K), VALUES(OP(1)))].reduced = BIT(K);
	(void)add_op(h, LT_CALL_MAP, ADD, BIT(M) | BIT(N), VALUES(OP(2), READ(2)));
	(void)add_op(h, LT_CALL_MAP, MAX, BIT(M) | BIT(N), VALUES(OP(3), NUMBER));
	(void)add_op(h, LT_CALL_MAP, COPY, BIT(M) | BIT(N), VALUES(OP(4)));
	h->anchors[0] = (struct lt_call_anchor){ LT_ANCHOR_PRODUCT, { 2, 1, -1, -1, -1 }, { 0, 1, -1 }, 0, 0, 0, 0, -1, -1, -1,
		0 };
	h->call.n_axis = AXES;
	h->call.n_anchor = 1;
	h->call.n_read = 3;
	h->call.n_result = 1;
	h->tree = (struct lt_tree){ .size = sizeof h->tree, .n_param = 1, .n_column = 2, .n_row = 8, .rows = h->rows[0],
		.bounds = h->bounds, .types = LIST(h->types), .ops = LIST(h->ops), .buffers = LIST(h->buffers),
		.calls = list(&h->call, 1, sizeof h->call), .call_dims = LIST(h->dims), .strides = h->strides[0],
		.call_reads = LIST(h->reads), .call_values = LIST(h->values), .call_ops = LIST(h->call_ops),
		.call_results = LIST(h->results), .call_guards = LIST(h->guards),
		.call_anchors = LIST(h->anchors), .call_windows = list(&h->window, 1, sizeof h->window) };
	h->row = (struct lt_routine){ .name = "lib", .pattern = LT_PATTERN_GRAPH, .left = BIT(LT_F32), .right = BIT(LT_F32),
		.result = BIT(LT_F32), .sum = LT_F32, .anchors = BIT(LT_ANCHOR_PRODUCT), .before = BIT(LT_OPCODE_add),
		.behind = BIT(LT_OPCODE_add) | BIT(LT_OPCODE_max), .max_ops = 3, .max_reads = 3, .max_results = 1, .align = 4 };
}

/* The image of a convolution, channels k last: windows of 3 along m, a border of 1 on each side. */
static void convolve(struct hand *h)
{
	h->anchors[0].kind = LT_ANCHOR_CONVOLUTION;
	h->anchors[0].n_window = 1;
	h->dims[I] = (struct lt_call_dim){ "i", LT_DIM_DEEP, 3, 0, 0 };
	for (int32_t i = 0; i < 3; i++)
		h->call_ops[i].axes |= BIT(I);
	h->call_ops[2].reduced |= BIT(I);
	h->window = (struct lt_call_window){ M, I, 1, 1, 1, 1, 6, 12 };
	h->strides[0][I] = 12;
	h->rows[0][0] = -12;
	h->reads[0].n_guard = 1;
	h->strides[1][I] = 96;
	h->row.anchors = BIT(LT_ANCHOR_CONVOLUTION);
	h->row.layouts = LT_LAYOUT_CHANNELS_LAST;
}

static void channels_first(struct hand *h)
{
	convolve(h);
	h->strides[0][M] = h->strides[0][I] = h->window.step = 1;
	h->strides[0][K] = 6;
	h->rows[0][0] = -1;
	h->strides[3][M] = 1;
	h->strides[3][N] = 6;
}

/* A rounding to f16 between the sum and what follows. */
static void round_between(struct hand *h)
{
	h->call_ops[5] = h->call_ops[3];        /* the values of o3 and o4 follow the casts */
	h->call.n_op = 3;
	h->call_ops[add_op(h, LT_CALL_CAST, TO_HALF, BIT(M) | BIT(N), VALUES(OP(2)))].may_skip = 1;
	(void)add_op(h, LT_CALL_CAST, TO_FLOAT, BIT(M) | BIT(N), VALUES({ .kind = LT_VALUE_OP, .dtype = LT_F16, .at = 3 }));
	(void)add_op(h, LT_CALL_MAP, ADD, BIT(M) | BIT(N), VALUES(OP(4), READ(2)));
}

/* softmax over keys i between two products, as far as it is asked for. */
static void attend(struct hand *h, int32_t scores)
{
	h->call.n_op = 0;
	(void)add_op(h, LT_CALL_MAP, MUL, BIT(M) | BIT(I) | BIT(K), VALUES(READ(0), READ(1)));
	h->call_ops[add_op(h, LT_CALL_REDUCE, ADD, BIT(M) | BIT(I) | BIT(K), VALUES(OP(0)))].reduced = BIT(K);
	h->call_ops[add_op(h, LT_CALL_REDUCE, MAX, BIT(M) | BIT(I), VALUES(OP(1)))].reduced = BIT(I);
	(void)add_op(h, LT_CALL_MAP, EXP, BIT(M) | BIT(I), VALUES(OP(1)));
	h->call_ops[add_op(h, LT_CALL_REDUCE, ADD, BIT(M) | BIT(I), VALUES(OP(3)))].reduced = BIT(I);
	(void)add_op(h, LT_CALL_MAP, MUL, BIT(M) | BIT(N) | BIT(I), VALUES(OP(3), READ(2)));
	h->call_ops[add_op(h, LT_CALL_REDUCE, ADD, BIT(M) | BIT(N) | BIT(I), VALUES(OP(5)))].reduced = BIT(I);
	h->results[0].op = 6;
	h->dims[I].extent = 5;
	h->strides[1][I] = 12;
	h->strides[1][N] = 0;
	h->strides[1][K] = 1;
	h->strides[2][I] = 8;
	h->anchors[0] = (struct lt_call_anchor){ LT_ANCHOR_ATTENTION, { 1, 0, 2, 4, 6 }, { 0, 1, 2 }, 0, 0, 0, scores, -1,
		-1, -1, 0 };
	h->row.anchors = BIT(LT_ANCHOR_ATTENTION);
	h->row.behind = h->row.before = 0;
	h->row.scores = BIT(LT_SCORES_ALL) | BIT(LT_SCORES_CAUSAL);
}

/* Its scores with the exponential of r3, of another type, added: as op `mask` says. */
static void mask_by(struct hand *h, int32_t buffer_type, int32_t scores)
{
	attend(h, scores);
	h->reads[3] = (struct lt_call_read){ .buffer = 4, .row = 4, .first_stride = 4 * AXES };
	h->strides[4][I] = 1;
	h->buffers[4].type = 1 + buffer_type;
	h->call.n_read = 4;
	h->row.max_reads = 4;
	h->row.scores = BIT(LT_SCORES_COMPUTED);
	h->call.n_op = 2;
	(void)add_op(h, LT_CALL_MAP, EXP, BIT(I), VALUES(READ(3)));
	(void)add_op(h, LT_CALL_MAP, ADD, BIT(M) | BIT(I), VALUES(OP(1), OP(2)));
	h->call_ops[add_op(h, LT_CALL_REDUCE, MAX, BIT(M) | BIT(I), VALUES(OP(3)))].reduced = BIT(I);
	(void)add_op(h, LT_CALL_MAP, EXP, BIT(M) | BIT(I), VALUES(OP(3)));
	h->call_ops[add_op(h, LT_CALL_REDUCE, ADD, BIT(M) | BIT(I), VALUES(OP(5)))].reduced = BIT(I);
	(void)add_op(h, LT_CALL_MAP, MUL, BIT(M) | BIT(N) | BIT(I), VALUES(OP(5), READ(2)));
	h->call_ops[add_op(h, LT_CALL_REDUCE, ADD, BIT(M) | BIT(N) | BIT(I), VALUES(OP(7)))].reduced = BIT(I);
	h->results[0].op = 8;
	h->anchors[0] = (struct lt_call_anchor){ LT_ANCHOR_ATTENTION, { 1, 0, 4, 6, 8 }, { 0, 1, 2 }, 0, 0, 0, scores, -1, 3,
		-1, 0 };
}

/* The first product, after its epilogues, times another of r0 and r3, over the same terms. */
static void beside(struct hand *h)
{
	static const int64_t strides[AXES] = { 0, 1, 8, 0 };
	memcpy(h->strides[4], strides, sizeof strides);
	h->reads[3] = (struct lt_call_read){ .buffer = 4, .row = 4, .first_stride = 4 * AXES };
	h->call.n_read = 4;
	(void)add_op(h, LT_CALL_MAP, MUL, BIT(M) | BIT(N) | BIT(K), VALUES(READ(0), READ(3)));
	h->call_ops[add_op(h, LT_CALL_REDUCE, ADD, BIT(M) | BIT(N) | BIT(K), VALUES(OP(6)))].reduced = BIT(K);
	(void)add_op(h, LT_CALL_MAP, MUL, BIT(M) | BIT(N), VALUES(OP(5), OP(7)));
	h->results[0].op = 8;
	h->anchors[1] = (struct lt_call_anchor){ LT_ANCHOR_PRODUCT, { 7, 6, -1, -1, -1 }, { 0, 3, -1 }, 0, 0, 0, 0, -1, -1, -1,
		0 };
	h->call.n_anchor = 2;
	h->row.max_anchors = 2;
	h->row.max_ops = h->row.max_reads = 4;
	h->row.behind |= BIT(LT_OPCODE_mul);
}

/* The second adds up 5 terms along an axis of its own. */
static void beside_deep(struct hand *h)
{
	beside(h);
	h->dims[I] = (struct lt_call_dim){ "i", LT_DIM_DEEP, 5, 0, 0 };
	h->call_ops[6].axes = h->call_ops[7].axes = BIT(M) | BIT(N) | BIT(I);
	h->call_ops[7].reduced = BIT(I);
	h->strides[4][K] = 0;
	h->strides[4][I] = 8;
}

#define CASES(X) \
	X(takes_all, , NULL) \
	X(another_anchor, h->row.anchors = BIT(LT_ANCHOR_NORM), "it is a product, which lib does not compute; use another") \
	X(no_anchor, h->call.anchor = -1, "what it computes is no product, convolution, attention or norm as a whole") \
	X(no_op, h->call.n_op = 0, "what it computes is no product") \
	X(before, h->row.before = BIT(LT_OPCODE_mul), \
		"o0, add, is before the product, and lib takes no such operator there; " \
		"move it out") \
	X(behind, h->row.behind = BIT(LT_OPCODE_add), "o4, max, is behind the product") \
	X(not_by_before, (h->row.behind = 0, h->row.before = ~UINT64_C(0)), "o3, add, is behind the product") \
	X(ops, h->row.max_ops = 2, "o4 is one operator more than the 2 that lib takes with a product") \
	X(any_ops, h->row.max_ops = 0, NULL) \
	X(reads, h->row.max_reads = 2, "r2 is the operand after the 2 that lib takes") \
	X(any_reads, h->row.max_reads = 0, NULL) \
	X(results, (h->call.n_result = 2, h->results[1] = h->results[0], h->results[0].op = 3), \
		"o3 is read outside of the group, too, and lib writes 1 result; end the group there") \
	X(two_results, (h->call.n_result = 2, h->results[1] = h->results[0], h->row.max_results = 2), NULL) \
	X(any_results, (h->call.n_result = 2, h->results[1] = h->results[0], h->row.max_results = 0), NULL) \
	X(another_sum, (h->call_ops[4].kind = LT_CALL_REDUCE, h->call_ops[4].reduced = BIT(N)), \
		"o4 reduces beside the product; move it out") \
	X(left, h->row.left = BIT(LT_F16), "r0 is read as f32, and lib takes f16 there; cast it outside") \
	X(right, h->row.right = BIT(LT_F16) | BIT(LT_F64), "r1 is read as f32, and lib takes f64, f16 there") \
	X(bias_of_result, h->buffers[2].type = 1, "r2 is read as f16, and lib takes f32 there") \
	X(bias, (h->buffers[2].type = 1, h->row.bias = BIT(LT_F16)), NULL) \
	X(result, h->buffers[3].type = 1, "o5 is written as f16, and lib takes f32 there") \
	X(sum, h->ops[ADD].out = LT_F64, "o2 adds in f64, and lib in f32; cast outside") \
	X(wider_sum, h->row.sum = LT_F64, NULL) \
	X(rounds, round_between(h), "o3 rounds to f16 between two operators, which lib does not do; end the group there") \
	X(rounds_wide, (round_between(h), h->row.wide = 1), NULL) \
	X(rounds_itself, (round_between(h), h->row.behind |= BIT(LT_OPCODE_cast)), NULL) \
	X(no_stride_of_one, h->strides[0][K] = 2, "elements of r0 do not lie side by side along any axis, as lib asks") \
	X(any_stride, (h->strides[0][K] = 2, h->row.layouts = LT_LAYOUT_ANY), NULL) \
	X(backwards, h->strides[1][K] = -8, "r1 is read backwards along k") \
	X(one_element, (h->strides[0][K] = 2, h->dims[K].extent = 1, h->dims[M].extent = 1), NULL) \
	X(batch, h->dims[I] = ((struct lt_call_dim){ "i", LT_DIM_BATCH, 2, 0, 0 }), "the product has the batch or groups i") \
	X(batches, (h->dims[I] = (struct lt_call_dim){ "i", LT_DIM_BATCH, 2, 0, 0 }, h->row.layouts = LT_LAYOUT_BATCH), NULL) \
	X(one_batch, h->dims[I] = ((struct lt_call_dim){ "i", LT_DIM_BATCH, 1, 0, 0 }), NULL) \
	X(bounded, (h->dims[M].n_bound = 1, h->bounds[0] = 7, h->rows[7][1] = 1), "of m follows from a run-time scalar") \
	X(bounded_taken, (h->dims[M].n_bound = 1, h->bounds[0] = 7, h->rows[7][1] = 1, \
		h->row.layouts = LT_LAYOUT_BOUNDED), NULL) \
	X(bounded_by_number, (h->dims[M].n_bound = 1, h->bounds[0] = 7), NULL) \
	X(guarded, h->reads[2].n_guard = 1, "r2 is not read at all positions, and it is no image of windows") \
	X(guarded_any, (h->reads[2].n_guard = 1, h->row.layouts = LT_LAYOUT_ANY), NULL) \
	X(position, h->values[h->call_ops[4].first_value + 1].kind = LT_VALUE_PLACE, "o4 reads its own position") \
	X(position_any, (h->values[h->call_ops[4].first_value + 1].kind = LT_VALUE_PLACE, \
		h->row.layouts = LT_LAYOUT_ANY), NULL) \
	X(begins, h->rows[2][0] = 1, NULL) \
	X(begins_off, (h->rows[2][0] = 1, h->row.align = 16), "r2 does not begin at a multiple of 16 bytes") \
	X(begins_by_param, (h->rows[2][1] = 1, h->row.align = 16), "r2 does not begin at a multiple of 16 bytes") \
	X(begins_in_memory, (h->buffers[3].align = 8, h->row.align = 16), "o5 does not begin at a multiple of 16 bytes") \
	X(stride_off, h->row.align = 32, "neighbours of r0 along m are 48 bytes apart, which is no multiple of the 32") \
	X(aligned, h->row.align = 16, NULL) \
	X(image, convolve(h), NULL) \
	X(image_aligned, (convolve(h), h->row.align = 16), NULL) \
	X(image_border_off, (convolve(h), h->rows[0][0] = -11, h->row.align = 16), "r0 does not begin at a multiple of 16") \
	X(image_of_another, (convolve(h), h->row.anchors = BIT(LT_ANCHOR_PRODUCT)), "it is a convolution") \
	X(plane_inside, channels_first(h), "r0 does not lie along its channels, as lib asks; choose another layout") \
	X(plane_wanted, (channels_first(h), h->row.layouts = LT_LAYOUT_CHANNELS_FIRST), NULL) \
	X(channels_inside, (convolve(h), h->row.layouts = LT_LAYOUT_CHANNELS_FIRST), "r0 does not lie along its plane") \
	X(either, (convolve(h), h->row.layouts = LT_LAYOUT_CHANNELS_FIRST | LT_LAYOUT_CHANNELS_LAST), NULL) \
	X(result_inside, (convolve(h), h->strides[3][M] = 1, h->strides[3][N] = 6), "o5 does not lie along its channels") \
	X(attention, attend(h, LT_SCORES_ALL), NULL) \
	X(masked, attend(h, LT_SCORES_MASKED), "lib does not take scores that are masked by something else") \
	X(computed, mask_by(h, 1, LT_SCORES_COMPUTED), NULL) \
	X(computed_refused, (mask_by(h, 1, LT_SCORES_COMPUTED), h->row.scores = BIT(LT_SCORES_MASKED)), \
		"lib does not take scores that are masked by what is computed for that") \
	X(by_lengths, (mask_by(h, 1, LT_SCORES_LENGTHS), h->row.scores = BIT(LT_SCORES_LENGTHS)), NULL) \
	X(by_lengths_refused, mask_by(h, 1, LT_SCORES_LENGTHS), "lib does not take scores that are counted by lengths") \
	X(causal_lengths, (mask_by(h, 1, LT_SCORES_CAUSAL_LENGTHS), h->row.scores = BIT(LT_SCORES_LENGTHS)), \
		"lib does not take scores that are causal and counted by lengths") \
	X(computed_and_read, (mask_by(h, 1, LT_SCORES_COMPUTED), h->anchors[0].scores = LT_SCORES_MASKED, \
		h->anchors[0].mask = -1, h->row.scores = BIT(LT_SCORES_MASKED)), \
		"r3 is read as f64, and lib takes f32 there; cast it outside, or, where it") \
	X(computed_by_two, (mask_by(h, 1, LT_SCORES_COMPUTED), \
		(void)add_op(h, LT_CALL_MAP, ADD, BIT(M) | BIT(N) | BIT(I), VALUES(OP(8), OP(2))), h->results[0].op = 9, \
		h->row.behind = BIT(LT_OPCODE_add)), "r3 is read as f64, and lib takes f32 there") \
	X(all_scores, (attend(h, LT_SCORES_ALL), h->row.scores = BIT(LT_SCORES_CAUSAL)), "scores that are all counted") \
	X(two, beside(h), NULL) \
	X(two_deep, beside_deep(h), NULL) \
	X(two_of_one, (beside(h), h->row.max_anchors = 0), \
		"o7 is a product beside o2, and lib computes 1 of them in a call; move it out of the group") \
	X(two_of_one_said, (beside(h), h->row.max_anchors = 1), "o7 is a product beside o2") \
	X(one_of_two, h->row.max_anchors = 2, NULL) \
	X(two_kinds, (beside(h), h->anchors[1].kind = LT_ANCHOR_CONVOLUTION), "it is a convolution, which lib does not") \
	X(two_behind, (beside(h), h->row.behind &= ~BIT(LT_OPCODE_mul)), "o8, mul, is behind the product") \
	X(two_ops, (beside(h), h->row.max_ops = 3), "o8 is one operator more than the 3") \
	X(two_right, (beside(h), h->buffers[4].type = 1, h->row.bias = BIT(LT_F16) | BIT(LT_F32)), \
		"r3 is read as f16, and lib takes f32 there") \
	X(two_sums, (beside(h), h->call_ops[7].op = 7, h->ops[7] = h->ops[ADD], h->ops[7].out = LT_F64), \
		"o7 adds in f64, and lib in f32; cast outside") \
	X(two_strides, (beside(h), h->strides[4][N] = 2, h->strides[4][K] = 16), "elements of r3 do not lie side by side") \
	X(values_type, (attend(h, LT_SCORES_ALL), h->buffers[2].type = 1), "r2 is read as f16, and lib takes f32 there")

#define CASE(name, change, why) static void case_##name(struct hand *h) { (void)h; change; }
CASES(CASE)
#undef CASE
#define CASE(name, change, why) { #name, case_##name, why },
static const struct { const char *name; void (*change)(struct hand *); const char *why; } cases[] = { CASES(CASE) };
#undef CASE

struct asked { struct lt_arena *arena; struct hand hand; };

static lt_status ask_all(void *arg)
{
	struct asked *x = arg;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct hand *h = &x->hand;
		make(h);
		cases[i].change(h);
		struct lt_take_reach reach;
		const char *why = lt__routine_refuses_graph(x->arena, &h->row, &h->tree, &h->call, NULL, &reach);
		if (!cases[i].why)
			cr_expect_null(why, "%s: %s", cases[i].name, why);
		else
			cr_expect(why && strstr(why, cases[i].why), "%s: %s", cases[i].name, why ? why : "taken");
	}
	/* names of nodes in the place of numbers */
	static const char *const ops[] = { "a", "b", "c", "d", "e", "f" }, *const reads[] = { "x", "w", "v" };
	struct lt_take_reach reach;
	make(&x->hand);
	x->hand.row.behind = x->hand.row.bias = 0;
	cr_expect_not_null(strstr(lt__routine_refuses_graph(x->arena, &x->hand.row, &x->hand.tree, &x->hand.call,
		&(struct lt_call_names){ ops, reads }, &reach), "%d, add, is behind"));
	x->hand.row.max_reads = 1;
	x->hand.row.behind = ~UINT64_C(0);
	cr_expect_not_null(strstr(lt__routine_refuses_graph(x->arena, &x->hand.row, &x->hand.tree, &x->hand.call,
		&(struct lt_call_names){ ops, reads }, &reach), "%w is the operand after the 1"));
	return LT_OK;
}

static void run(lt_status (*body)(void *))
{
	static struct asked x;
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt__arena_new(ctx, &x.arena), LT_OK);
	cr_expect_eq(lt__protect(ctx, body, &x), LT_OK);
	lt__arena_free(x.arena);
	lt_context_free(ctx);
}

Test(call_takes, each_member_of_a_row) { run(ask_all); }

/* Of two rows, the second came farther: the later the check, and of operators the later op. */
static lt_status ask_reach(void *arg)
{
	struct asked *x = arg;
	struct lt_take_reach last = { -1, 0 };
	for (int i = 0; i < 8; i++) {
		struct hand *h = &x->hand;
		struct lt_take_reach reach;
		beside((make(h), h));
		h->row.max_anchors = i == 1 ? 1 : 2;
		if (i == 0)
			h->row.anchors = BIT(LT_ANCHOR_NORM);
		h->row.left = i <= 2 ? BIT(LT_F16) : BIT(LT_F32);
		h->row.before = i <= 3 ? 0 : BIT(LT_OPCODE_add);
		h->row.behind = i <= 4 ? BIT(LT_OPCODE_add) | BIT(LT_OPCODE_max) : ~UINT64_C(0);
		h->row.max_reads = i <= 5 ? 3 : 4;
		h->strides[0][K] = i <= 6 ? 2 : 1;
		const char *why = lt__routine_refuses_graph(x->arena, &h->row, &h->tree, &h->call, NULL, &reach);
		cr_expect_eq(why == NULL, i == 7, "%d: %s", i, why);
		cr_expect(i == 7 || lt__came_farther(reach, last), "%d: %s", i, why);
		cr_expect_not(i < 7 && lt__came_farther(reach, reach));
		last = reach;
	}
	return LT_OK;
}

/* m 6, n 8, k 12: 1152 operations. */
static lt_status ask_shapes(void *arg)
{
	static const struct { int64_t flops; struct lt_routine_shape first, second; uint32_t n; const char *why; } shapes[] = {
		{ .flops = 1152 }, { .flops = 1153, .why = "1.15e+03 operations are fewer than the 1.15e+03 from which on lib" },
		{ .flops = INT64_MAX, .why = "a schedule may hand it over to lib (`call`), a default tree does not" },
		{ .n = 1, .first.row = { 6, 6 }, .first.column = { 8, 0 }, .first.deep = { 0, 12 } },
		{ .n = 1, .first.row = { 7, 0 }, .why = "it has 6 rows, and a default tree calls lib for 7 and more; "
			"a schedule may hand it over (`call`)" },
		{ .n = 1, .first.row = { 5, 5 }, .why = "for 5; " }, { .n = 1, .first.row = { 2, 5 }, .why = "for 2 to 5; " },
		{ .n = 1, .first.row = { 1, 5 }, .why = "for 5 and fewer; " },
		{ .n = 1, .first.column = { 0, 7 }, .why = "it has 8 columns" }, { .n = 1, .first.deep = { 13, 0 },
			.why = "12 terms" },
		{ .n = 1, .first.batch = { 2, 0 }, .why = "it has 1 batches" },
		{ .n = 1, .first.window = { 2, 0 }, .why = "it has 1 positions of a window" },
		{ .n = 2, .first.row = { 7, 0 }, .second.row = { 0, 6 } },
		{ .n = 2, .first.row = { 7, 0 }, .second.deep = { 0, 6 }, .why = "it has 6 rows" },
		/* the shape that most numbers are in says why, wherever it stands */
		{ .n = 2, .first = { .row = { 7, 0 }, .column = { 9, 0 } }, .second.deep = { 0, 6 }, .why = "it has 12 terms" },
		{ .n = 2, .first.deep = { 0, 6 }, .second = { .row = { 7, 0 }, .column = { 9, 0 } }, .why = "it has 12 terms" },
	};
	struct asked *x = arg;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct hand *h = &x->hand;
		make(h);
		h->row.min_flops = shapes[i].flops;
		h->shapes[0] = shapes[i].first;
		h->shapes[1] = shapes[i].second;
		h->row.shapes = list(h->shapes, shapes[i].n, sizeof *h->shapes);
		const char *why = lt__routine_avoids_graph(x->arena, &h->row, &h->tree, &h->call);
		cr_expect(shapes[i].why ? why && strstr(why, shapes[i].why) : !why, "%zu: %s", i, why);
	}
	/* two side by side: 12 terms, and 5; 1152 operations and 480 */
	static const struct { int64_t deep[2], flops; const char *why; } two[] = { { { 5, 12 }, 1632, NULL },
		{ { 12, 0 }, 0, "it has 5 terms" }, { { 0, 5 }, 0, "it has 12 terms" }, { { 0, 0 }, 1633, "1.63e+03 operations" } };
	for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
		make(&x->hand);
		beside_deep(&x->hand);
		x->hand.row.min_flops = two[i].flops;
		x->hand.shapes[0] = (struct lt_routine_shape){ .deep = { two[i].deep[0], two[i].deep[1] } };
		x->hand.row.shapes = list(x->hand.shapes, 1, sizeof *x->hand.shapes);
		const char *why = lt__routine_avoids_graph(x->arena, &x->hand.row, &x->hand.tree, &x->hand.call);
		cr_expect(two[i].why ? why && strstr(why, two[i].why) : !why, "%zu: %s", i, why);
	}
	/* of a window 3, beside 12 channels; 5 keys */
	make(&x->hand);
	convolve(&x->hand);
	x->hand.shapes[0] = (struct lt_routine_shape){ .deep = { 12, 12 }, .window = { 3, 3 } };
	x->hand.row.shapes = list(x->hand.shapes, 1, sizeof *x->hand.shapes);
	cr_expect_null(lt__routine_avoids_graph(x->arena, &x->hand.row, &x->hand.tree, &x->hand.call));
	make(&x->hand);
	attend(&x->hand, LT_SCORES_ALL);
	x->hand.shapes[0] = (struct lt_routine_shape){ .window = { 5, 5 } };
	x->hand.row.shapes = list(x->hand.shapes, 1, sizeof *x->hand.shapes);
	cr_expect_null(lt__routine_avoids_graph(x->arena, &x->hand.row, &x->hand.tree, &x->hand.call));
	x->hand.shapes[0].window[0] = x->hand.shapes[0].window[1] = 6;
	const char *keys = lt__routine_avoids_graph(x->arena, &x->hand.row, &x->hand.tree, &x->hand.call);
	cr_expect(keys && strstr(keys, "it has 5 keys, and a default tree calls lib for 6; "), "%s", keys);
	/* sums of a norm: two with a mean, else one */
	for (int64_t sums = 1; sums <= 2; sums++)
		for (int64_t takes = 1; takes <= 2; takes++) {
			make(&x->hand);
			x->hand.anchors[0].kind = LT_ANCHOR_NORM;
			x->hand.anchors[0].op[0] = sums == 2 ? 2 : -1;
			x->hand.row.anchors = BIT(LT_ANCHOR_NORM);
			x->hand.shapes[0] = (struct lt_routine_shape){ .window = { takes, takes } };
			x->hand.row.shapes = list(x->hand.shapes, 1, sizeof *x->hand.shapes);
			const char *why = lt__routine_avoids_graph(x->arena, &x->hand.row, &x->hand.tree, &x->hand.call);
			cr_expect_eq(why == NULL, sums == takes, "%s", why);
			cr_expect(!why || strstr(why, " sums, and a default tree"), "%s", why);
		}
	return LT_OK;
}

Test(call_takes, how_far_a_row_came) { run(ask_reach); }
Test(call_takes, where_it_is_to_be_taken) { run(ask_shapes); }

/* Rows of a table of 1.0 have none of these members, whatever they say of their pattern. */
Test(call_takes, rows_of_before)
{
	struct hand h;
	make(&h);
	struct lt_target now = { .size = sizeof now, .routines = list(&h.row, 1, sizeof h.row) },
		before = { .size = sizeof before, .routines = list(&h.row, 1, offsetof(struct lt_routine, anchors)) };
	cr_expect(lt__routine_is_graph(&now, 0));
	cr_expect_not(lt__routine_is_graph(&before, 0));
	h.row.name = "a-b";
	cr_expect_not(lt__routine_is_graph(&now, 0));
}
