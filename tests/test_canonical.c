/* test_canonical.c -- the key of every cache holds each field of a frozen tree that changes what is compiled:
 * each is changed alone.
 *
 * A table lists every byte of every struct of lt/tree.h: a member that is added later fails the test until it stands
 * here, as one that changes the key or with the reason why it need not.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "looptree/freeze/freeze.h"
#include "program/compile/object_cache.h"

TestSuite(canonical, .timeout = 60);

enum kind { I32, U32, I64, U64, INDEX, TEXT, FREE, PAD };
struct field {
	const char *name;
	size_t at, bytes;
	enum kind kind;
	const char *why;                        /* FREE: why it need not be in the key */
	bool (*when)(const void *element);      /* where it has a meaning; NULL: everywhere */
};

static bool is_immediate(const void *p) { return ((const struct lt_piece *)p)->kind == LT_IMMEDIATE; }
static bool is_affine(const void *p) { return ((const struct lt_piece *)p)->kind == LT_AFFINE; }
static bool is_read(const void *p) { return ((const struct lt_piece *)p)->kind == LT_READ; }
static bool has_guard(const void *p) { return ((const struct lt_piece *)p)->n_guard > 0; }
static bool is_gather(const void *a) { return ((const struct lt_access *)a)->index >= 0; }
static bool access_bound(const void *a) { return ((const struct lt_access *)a)->n_bound > 0; }
static bool loop_bound(const void *l) { return ((const struct lt_loop *)l)->n_bound > 0; }
static bool stmt_guard(const void *s) { return ((const struct lt_stmt *)s)->n_guard > 0; }
static bool value_at(const void *v)
{
	const struct lt_call_value *value = v;
	return value->kind == LT_VALUE_OP || value->kind == LT_VALUE_READ;
}
static bool value_place(const void *v) { return ((const struct lt_call_value *)v)->kind == LT_VALUE_PLACE; }
static bool value_bits(const void *v) { return ((const struct lt_call_value *)v)->kind == LT_VALUE_BITS; }
static bool dim_bound(const void *d) { return ((const struct lt_call_dim *)d)->n_bound > 0; }

#define F(type, member, kind, ...) \
	{ \
#type "." #member, offsetof(struct type, member), sizeof((struct type *)0)->member, kind, __VA_ARGS__ \
	}
#define NAMED "a name, for people"
#define DUMPED "documented as for dumps: rows, trips and elems hold what comes of it"
#define REACHED "only what is reached from loops, statements, accesses and calls counts"

static const struct field type_fields[] = {
	F(lt_type, name, TEXT, 0, 0),
	F(lt_type, ctype, TEXT, 0, 0),
	F(lt_type, dtype, U32, 0, 0),
	F(lt_type, bytes, U32, 0, 0),
};
static const struct field op_fields[] = {
	F(lt_op, name, TEXT, 0, 0), F(lt_op, source, TEXT, 0, 0), F(lt_op, arity, I32, 0, 0), F(lt_op, out, U32, 0, 0),
	F(lt_op, in[0], U32, 0, 0), F(lt_op, in[1], U32, 0, 0), F(lt_op, in[2], U32, 0, 0), { "pad", 36, 4, PAD, 0, 0 },
	F(lt_op, identity, U64, 0, 0), F(lt_op, opcode, FREE, "what its source says, as a number", 0),
	F(lt_op, reserved, FREE, "reserved: always 0", 0),
};
static const struct field param_fields[] = {
	F(lt_tparam, name, FREE, NAMED, 0),
	F(lt_tparam, buffer, I32, 0, 0),
	{ "pad", 12, 4, PAD, 0, 0 },
	F(lt_tparam, element, I64, 0, 0),
	F(lt_tparam, low, I64, 0, 0),
	F(lt_tparam, high, I64, 0, 0),
};
static const struct field div_fields[] = { F(lt_div, row, I32, 0, 0), F(lt_div, loop, I32, 0, 0),
	F(lt_div, den, I64, 0, 0) };
static const struct field loop_fields[] = {
	F(lt_loop, parent, I32, 0, 0),
	F(lt_loop, kind, I32, 0, 0),
	F(lt_loop, kind_arg, I32, 0, 0),
	F(lt_loop, tail, I32, 0, 0),
	F(lt_loop, var, FREE, NAMED, 0),
	F(lt_loop, step, FREE, DUMPED, 0),
	F(lt_loop, max_trip_count, I64, 0, 0),
	F(lt_loop, first_bound, I32, 0, loop_bound),
	F(lt_loop, n_bound, I32, 0, 0),
	F(lt_loop, first_stmt, I32, 0, 0),
	F(lt_loop, n_stmt, I32, 0, 0),
	F(lt_loop, call, TEXT, 0, 0),
	F(lt_loop, base, FREE, DUMPED, 0),
};
static const struct field buffer_fields[] = {
	F(lt_buffer, name, FREE, NAMED, 0),
	F(lt_buffer, type, I32, 0, 0),
	F(lt_buffer, role, I32, 0, 0),
	F(lt_buffer, scope, I32, 0, 0),
	{ "pad", 20, 4, PAD, 0, 0 },
	F(lt_buffer, elems, I64, 0, 0),
	F(lt_buffer, align, I64, 0, 0),
	F(lt_buffer, slot, I32, 0, 0),
	F(lt_buffer, written, I32, 0, 0),
	F(lt_buffer, alias_of, I32, 0, 0),
	F(lt_buffer, depth, I32, 0, 0),
	F(lt_buffer, swizzle, I32, 0, 0),
	F(lt_buffer, reserved, FREE, "reserved: always 0", 0),
};
static const struct field access_fields[] = {
	F(lt_access, buffer, I32, 0, 0),
	F(lt_access, row, I32, 0, 0),
	F(lt_access, index, INDEX, 0, 0),
	{ "pad", 12, 4, PAD, 0, 0 },
	F(lt_access, index_extent, I64, 0, is_gather),
	F(lt_access, index_stride, I64, 0, is_gather),
	F(lt_access, first_bound, I32, 0, access_bound),
	F(lt_access, n_bound, I32, 0, 0),
};
static const struct field piece_fields[] = {
	F(lt_piece, kind, I32, 0, 0),
	F(lt_piece, access, I32, 0, is_read),
	F(lt_piece, row, I32, 0, is_affine),
	F(lt_piece, first_guard, I32, 0, has_guard),
	F(lt_piece, n_guard, I32, 0, 0),
	{ "pad", 20, 4, PAD, 0, 0 },
	F(lt_piece, bits, U64, 0, is_immediate),
};
static const struct field operand_fields[] = {
	F(lt_operand, first_piece, I32, 0, 0), F(lt_operand, n_piece, I32, 0, 0), F(lt_operand, dtype, U32, 0, 0),
};
static const struct field stmt_fields[] = {
	F(lt_stmt, kind, I32, 0, 0),
	F(lt_stmt, op, I32, 0, 0),
	F(lt_stmt, loop, I32, 0, 0),
	F(lt_stmt, dest, I32, 0, 0),
	F(lt_stmt, first_operand, I32, 0, 0),
	F(lt_stmt, n_operand, I32, 0, 0),
	F(lt_stmt, first_guard, I32, 0, stmt_guard),
	F(lt_stmt, n_guard, I32, 0, 0),
	F(lt_stmt, reducing, I32, 0, 0),
	{ "pad", 36, 4, PAD, 0, 0 },
	F(lt_stmt, name, FREE, NAMED, 0),
	F(lt_stmt, line, FREE, "a place in the script", 0),
	F(lt_stmt, column, FREE, "a place in the script", 0),
	F(lt_stmt, stream, I32, 0, 0),
	F(lt_stmt, async, I32, 0, 0),
	F(lt_stmt, scope, I32, 0, 0),
	F(lt_stmt, reserved, FREE, "reserved: always 0", 0),
};
static bool never(const void *element)
{
	(void)element;
	return false;
}
static const struct field call_fields[] = {
	F(lt_call, loop, I32, 0, 0),
	F(lt_call, pattern, I32, 0, 0),
	F(lt_call, epilogues, U32, 0, 0),
	F(lt_call, sum, U32, 0, 0),
	F(lt_call, stmt, I32, 0, 0),
	F(lt_call, first_dim, I32, 0, 0),
	F(lt_call, n_dim, I32, 0, 0),
	F(lt_call, first_operand, I32, 0, 0),
	F(lt_call, n_operand, I32, 0, 0),
	F(lt_call, first_axis, I32, 0, 0),
	F(lt_call, n_axis, I32, 0, 0),
	F(lt_call, first_read, I32, 0, 0),
	F(lt_call, n_read, I32, 0, 0),
	F(lt_call, first_op, I32, 0, 0),
	F(lt_call, n_op, I32, 0, 0),
	F(lt_call, first_result, I32, 0, 0),
	F(lt_call, n_result, I32, 0, 0),
	F(lt_call, anchor, INDEX, 0, 0),
	F(lt_call, undescribed, FREE, NAMED, 0),
	F(lt_call, source, TEXT, 0, 0),
	F(lt_call, number, TEXT, 0, never),     /* what it holds is changed below */
	F(lt_call, workspace, I64, 0, 0),
	F(lt_call, workspace_each, I64, 0, 0),
	F(lt_call, n_number, I32, 0, 0),
	F(lt_call, n_anchor, I32, 0, 0),
};
static const struct field call_read_fields[] = {
	F(lt_call_read, buffer, I32, 0, 0),
	F(lt_call_read, row, I32, 0, 0),
	F(lt_call_read, first_stride, I32, 0, 0),
	F(lt_call_read, first_guard, I32, 0, 0),
	F(lt_call_read, n_guard, I32, 0, 0),
	F(lt_call_read, reserved, FREE, "reserved: always 0", 0),
	F(lt_call_read, fill, U64, 0, 0),
};
static const struct field call_guard_fields[] = {
	F(lt_call_guard, row, I32, 0, 0),
	F(lt_call_guard, first_stride, I32, 0, 0),
};
static const struct field call_value_fields[] = {
	F(lt_call_value, kind, I32, 0, 0),
	F(lt_call_value, dtype, U32, 0, 0),
	F(lt_call_value, at, I32, 0, value_at),
	F(lt_call_value, row, I32, 0, value_place),
	F(lt_call_value, first_stride, I32, 0, value_place),
	F(lt_call_value, reserved, FREE, "reserved: always 0", 0),
	F(lt_call_value, bits, U64, 0, value_bits),
};
static const struct field call_op_fields[] = {
	F(lt_call_op, kind, I32, 0, 0),
	F(lt_call_op, op, I32, 0, 0),
	F(lt_call_op, may_skip, I32, 0, 0),
	F(lt_call_op, reserved, FREE, "reserved: always 0", 0),
	F(lt_call_op, axes, U64, 0, 0),
	F(lt_call_op, reduced, U64, 0, 0),
	F(lt_call_op, first_value, I32, 0, 0),
	F(lt_call_op, n_value, I32, 0, 0),
};
static const struct field call_result_fields[] = {
	F(lt_call_result, op, I32, 0, 0),
	F(lt_call_result, buffer, I32, 0, 0),
	F(lt_call_result, row, I32, 0, 0),
	F(lt_call_result, first_stride, I32, 0, 0),
};
static const struct field call_anchor_fields[] = {
	F(lt_call_anchor, kind, I32, 0, 0),
	F(lt_call_anchor, op[0], I32, 0, 0),
	F(lt_call_anchor, op[1], I32, 0, 0),
	F(lt_call_anchor, op[2], I32, 0, 0),
	F(lt_call_anchor, op[3], I32, 0, 0),
	F(lt_call_anchor, op[4], I32, 0, 0),
	F(lt_call_anchor, read[0], I32, 0, 0),
	F(lt_call_anchor, read[1], I32, 0, 0),
	F(lt_call_anchor, read[2], I32, 0, 0),
	F(lt_call_anchor, first_window, I32, 0, 0),
	F(lt_call_anchor, n_window, I32, 0, 0),
	F(lt_call_anchor, scale, I32, 0, 0),
	F(lt_call_anchor, scores, I32, 0, 0),
	F(lt_call_anchor, offset_row, I32, 0, 0),
	F(lt_call_anchor, mask, I32, 0, 0),
	F(lt_call_anchor, length, I32, 0, 0),
	F(lt_call_anchor, up_to, I32, 0, 0),
};
static const struct field call_window_fields[] = {
	F(lt_call_window, out, I32, 0, 0),
	F(lt_call_window, window, I32, 0, 0),
	F(lt_call_window, stride, I64, 0, 0),
	F(lt_call_window, dilation, I64, 0, 0),
	F(lt_call_window, before, I64, 0, 0),
	F(lt_call_window, after, I64, 0, 0),
	F(lt_call_window, extent, I64, 0, 0),
	F(lt_call_window, step, I64, 0, 0),
};
static const struct field call_dim_fields[] = {
	F(lt_call_dim, var, FREE, NAMED, 0),
	F(lt_call_dim, role, I32, 0, 0),
	{ "pad", 12, 4, PAD, 0, 0 },
	F(lt_call_dim, extent, I64, 0, 0),
	F(lt_call_dim, first_bound, I32, 0, dim_bound),
	F(lt_call_dim, n_bound, I32, 0, 0),
};
static const struct field call_operand_fields[] = {
	F(lt_call_operand, buffer, I32, 0, 0), F(lt_call_operand, row, I32, 0, 0), F(lt_call_operand, first_stride, I32, 0, 0),
};
#define ARRAY(member, why) F(lt_tree, member, FREE, why, 0)
static const struct field tree_fields[] = {
	F(lt_tree, size, FREE, "of the struct", 0),
	{ "pad", 4, 4, PAD, 0, 0 },
	F(lt_tree, name, FREE, NAMED, 0),
	F(lt_tree, needs, U64, 0, 0),
	F(lt_tree, n_param, I32, 0, 0),
	F(lt_tree, n_loop, I32, 0, 0),
	F(lt_tree, n_div, I32, 0, 0),
	F(lt_tree, n_column, I32, 0, 0),
	F(lt_tree, n_row, FREE, REACHED, 0),
	F(lt_tree, n_slot, I32, 0, 0),
	/* What these hold is changed element by element below. */
	ARRAY(rows, "see lists"),
	ARRAY(guards, "see lists"),
	ARRAY(bounds, "see lists"),
	ARRAY(types, "see arrays"),
	ARRAY(ops, "see arrays"),
	ARRAY(params, "see arrays"),
	ARRAY(divs, "see arrays"),
	ARRAY(loops, "see arrays"),
	ARRAY(buffers, "see arrays"),
	ARRAY(accesses, "see arrays"),
	ARRAY(pieces, "see arrays"),
	ARRAY(operands, "see arrays"),
	ARRAY(stmts, "see arrays"),
	F(lt_tree, prelude, TEXT, 0, 0),
	ARRAY(text, "it is the key's part itself"),
	ARRAY(calls, "see arrays"),
	ARRAY(call_dims, "see arrays"),
	ARRAY(call_operands, "see arrays"),
	ARRAY(strides, "see lists"),
	ARRAY(call_reads, "see arrays"),
	ARRAY(call_values, "see arrays"),
	ARRAY(call_ops, "see arrays"),
	ARRAY(call_results, "see arrays"),
	ARRAY(call_guards, "see arrays"),
	ARRAY(call_anchors, "see arrays"),
	ARRAY(call_windows, "see arrays"),
};

/* -- a tree that has all of it; after what is used of each table stands more that is other -- */

enum { COLUMNS = 7, ROWS = 48, STRIDES = 48 };                /* 1 + 2 params + 3 loops + 1 div */
struct rich {
	struct lt_tree tree;
	int64_t rows[ROWS * COLUMNS + 2 * ROWS], strides[STRIDES];
	int32_t guards[8], bounds[8];
	struct lt_type types[3];
	struct lt_op ops[3];
	struct lt_tparam params[3];
	struct lt_div divs[2];
	struct lt_loop loops[4];
	struct lt_buffer buffers[5];
	struct lt_access accesses[6];
	struct lt_piece pieces[6];
	struct lt_operand operands[6];
	struct lt_stmt stmts[4];
	struct lt_call calls[2];
	struct lt_call_dim call_dims[6];
	struct lt_call_operand call_operands[4];
	struct lt_call_read call_reads[4];
	struct lt_call_guard call_guards[5];
	struct lt_call_value call_values[6];
	struct lt_call_op call_ops[4];
	struct lt_call_result call_results[4];
	struct lt_call_anchor call_anchors[3];
	struct lt_call_window call_windows[4];
};

/* live: elements that are used. */
struct table { const char *name; const struct field *field; size_t n_field, element, at, array; uint32_t live, n; };
#define T(name, used) \
	{ \
#name, name##_fields, sizeof name##_fields / sizeof *name##_fields, \
			sizeof((struct rich *)0) \
				->name##s[0], offsetof(struct rich, name##s), offsetof(struct lt_tree, name##s), used, \
					sizeof((struct rich *)0)->name##s / sizeof((struct rich *)0)->name##s[0] \
	}
static const struct table tables[] = {
	T(type, 2),
	T(op, 2),
	T(param, 2),
	T(div, 1),
	T(loop, 3),
	T(buffer, 4),
	{ "access", access_fields, sizeof access_fields / sizeof *access_fields, sizeof(struct lt_access),
		offsetof(struct rich, accesses), offsetof(struct lt_tree, accesses), 4, 6 },
	T(piece, 4),
	T(operand, 3),
	T(stmt, 3),
	T(call, 1),
	T(call_dim, 4),
	T(call_operand, 2),
	T(call_read, 2),
	T(call_guard, 3),
	T(call_value, 4),
	T(call_op, 2),
	T(call_result, 2),
	T(call_anchor, 1),
	T(call_window, 2),
};
enum { N_TABLE = sizeof tables / sizeof *tables };

static double numbers[2] = { 0.5, 3 };  /* that a kernel of one's own is given */

static void fill(struct rich *r)
{
	memset(r, 0, sizeof *r);
	for (int i = 0; i < ROWS * COLUMNS + 2 * ROWS; i++)
		r->rows[i] = 3 + 7 * i % 101 + i;
	for (int i = 0; i < STRIDES; i++)
		r->strides[i] = 100 + 3 * i;
	for (int i = 0; i < 8; i++) {
		r->guards[i] = 2 + i;
		r->bounds[i] = 10 + i;
	}
	static const char *const names[] = { "f32", "i64", "u8" }, *const ctypes[] = { "float", "int64_t", "uint8_t" };
	for (uint32_t i = 0; i < 3; i++) {
		r->types[i] = (struct lt_type){ names[i], ctypes[i], i + 1, 4 + i };
		r->ops[i] = (struct lt_op){ i == 0 ? "add"
				: i == 1           ? "select"
						   : "max",
			i == 0 ? "$0 + $1" : "$0 ? $1 : $2", 2 + (int32_t)(i == 1), 1 + i, { 1, 1 + i, 1 }, 7 + i, 0, 0 };
		r->params[i] = (struct lt_tparam){ "p", (int32_t)i, 3 + i, i, 40 + i };
	}
	for (int32_t i = 0; i < 2; i++)
		r->divs[i] = (struct lt_div){ 1 + i, i, 5 + i };
	for (int32_t i = 0; i < 4; i++)
		r->loops[i] = (struct lt_loop){ i - 1, i == 2 ? LT_CALL : LT_VECTOR, 8 + i, i, "m", 1, 9 + i, i, 2, i,
			2, i == 2 ? "gemm" : "other", 0 };
	for (int32_t i = 0; i < 5; i++)
		r->buffers[i] = (struct lt_buffer){ .name = "b",
			.type = i % 2,
			.role = i,
			.scope = i - 1,
			.elems = 60 + i,
			.align = 64,
			.slot = i,
			.written = i % 2,
			.alias_of = i - 2,
			.depth = 2,
			.swizzle = 32 };
	/* 0 is found by the value of 1; pieces 0 .. 3 of operands 0 .. 2; statements 0 .. 2 with one operand each. */
	for (int32_t i = 0; i < 6; i++)
		r->accesses[i] = (struct lt_access){ i % 4, 3 + i, i == 0 ? 1 : -1, 30 + i, 2, i % 3, 1 };
	static const int32_t kinds[] = { LT_READ, LT_IMMEDIATE, LT_AFFINE, LT_READ, LT_IMMEDIATE, LT_READ };
	for (int32_t i = 0; i < 6; i++) {
		r->pieces[i] = (struct lt_piece){ kinds[i], i % 5, 8 + i, i, 1 + i % 2, 0x100u + (uint64_t)i };
		r->operands[i] = (struct lt_operand){ i, 1 + (i == 2), 1 };
	}
	for (int32_t i = 0; i < 4; i++)
		r->stmts[i] = (struct lt_stmt){ i % 3, i % 2, i - 1, i, i, 1, i, 1, -1 + i, "y", 3, 4, 0, 0, 0, 0 };
	for (int32_t i = 0; i < 2; i++)
		r->calls[i] = (struct lt_call){ 2 + i, LT_PATTERN_PRODUCT, 5, 1, i, i, 2, i, 2, 2 + i, 2, i, 2, i, 2, i, 2, i, NULL,
			"void lt_own_x(void) { }", numbers, 64, 32, 1, 1 };
	for (int32_t i = 0; i < 6; i++)
		r->call_dims[i] = (struct lt_call_dim){ "m", i % 4, 20 + i, i, 1 };
	for (int32_t i = 0; i < 4; i++)
		r->call_operands[i] = (struct lt_call_operand){ i, 12 + i, 3 * i };
	/* Of the description: rows from 20, strides from 6 on, two of each place. */
	static const int32_t values[] = { LT_VALUE_OP, LT_VALUE_READ, LT_VALUE_BITS, LT_VALUE_PLACE, LT_VALUE_OP,
		LT_VALUE_OP };
	for (int32_t i = 0; i < 4; i++) {
		r->call_reads[i] = (struct lt_call_read){ i, 20 + i, 6 + 2 * i, i, 1 + i % 2, 0, 50 + (uint64_t)i };
		r->call_ops[i] = (struct lt_call_op){ i % 3, i % 2, i, 0, 3, (uint64_t)i, 2 * i, 2 };
		r->call_results[i] = (struct lt_call_result){ i, i + 1, 24 + i, 14 + 2 * i };
		r->call_windows[i] = (struct lt_call_window){ i, 1, 2, 3, 4, 5, 6, 7 + i };
	}
	for (int32_t i = 0; i < 5; i++)
		r->call_guards[i] = (struct lt_call_guard){ 28 + i, 22 + 2 * i };
	for (int32_t i = 0; i < 6; i++)
		r->call_values[i] = (struct lt_call_value){ values[i], 1 + (uint32_t)i % 3, i, 33 + i, 32 + 2 * i, 0,
			70 + (uint64_t)i };
	for (int32_t i = 0; i < 3; i++)
		r->call_anchors[i] = (struct lt_call_anchor){ LT_ANCHOR_CONVOLUTION, { 0, 1, 2, 3, 4 }, { 5, 6, 7 }, i, 2, 1,
			LT_SCORES_CAUSAL_LENGTHS, 40 + i, i, i, 1 };
	r->tree = (struct lt_tree){ .size = sizeof r->tree,
		.name = "k",
		.needs = 3,
		.n_param = 2,
		.n_loop = 3,
		.n_div = 1,
		.n_column = COLUMNS,
		.n_row = ROWS,
		.n_slot = 5,
		.rows = r->rows,
		.guards = r->guards,
		.bounds = r->bounds,
		.prelude = "static int f;",
		.strides = r->strides };
	for (int i = 0; i < N_TABLE; i++) {
		struct lt_array a = { (char *)r + tables[i].at, tables[i].live, (uint32_t)tables[i].element };
		memcpy((char *)&r->tree + tables[i].array, &a, sizeof a);
	}
}

static char *key_of(struct rich *r)
{
	static struct lt_context *ctx;
	struct lt_arena *a;
	struct lt_growing key = { 0 };
	if (!ctx)
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt__arena_new(ctx, &a), LT_OK);
	struct lt_text text = { .arena = a };
	lt__tree_canonical(&text, &r->tree);
	r->tree.text = text.at;
	lt__object_cache_tree(&key, &r->tree);
	cr_assert(!key.failed);
	char *out = strndup(key.at, key.n);
	r->tree.text = NULL;
	free(key.at);
	lt__arena_free(a);
	return out;
}

/* Another value of the same kind that is one, too. */
static void change(void *at, const struct field *f)
{
	union { int32_t i; int64_t l; const char *text; } v;
	memcpy(&v, at, f->bytes);
	switch (f->kind) {
	case I32: case U32: v.i++; break;
	case I64: case U64: v.l++; break;
	case INDEX: v.i = v.i < 0 ? 5 : -1; break;      /* of an access, by whose value another one is found: no ring */
	case TEXT: v.text = "another"; break;
	/* A pointer, a list or a number, by size. */
	case FREE:
		if (f->bytes == 4)
			v.i++;
		else if (f->bytes == 8 && (strstr(f->why, "name") || strstr(f->name, "layout")))
			v.text = "another";
		else
			v.l++;
		break;
	case PAD: break;
	}
	memcpy(at, &v, f->bytes);
}

/* Whether the table holds every byte of the struct, in order. */
static void expect_whole(const char *name, const struct field *f, size_t n, size_t bytes)
{
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(f[i].at, at, "struct of %s: there is something before %s that the table does not list", name, f[i].name);
		cr_assert((f[i].kind == FREE) == (f[i].why != NULL), "%s: a reason goes with what is not in the key", f[i].name);
		at += f[i].bytes;
	}
	cr_assert_eq(at, bytes, "struct of %s: there is something at its end that the table does not list", name);
}

Test(canonical, every_member_is_listed)
{
	for (int i = 0; i < N_TABLE; i++)
		expect_whole(tables[i].name, tables[i].field, tables[i].n_field, tables[i].element);
	expect_whole("tree", tree_fields, sizeof tree_fields / sizeof *tree_fields, sizeof (struct lt_tree));
}

static int try_field(struct rich *r, void *at, const struct field *f, const char *before, uint32_t element)
{
	struct rich *kept = malloc(sizeof *kept);
	memcpy(kept, r, sizeof *kept);
	change(at, f);
	char *after = key_of(r);
	bool same = !strcmp(before, after);
	if (f->kind == FREE)
		cr_expect(same, "%s of element %u is in the key: %s", f->name, element, f->why);
	else
		cr_expect(!same, "%s of element %u is not in the key\n%s", f->name, element, after);
	free(after);
	memcpy(r, kept, sizeof *kept);
	free(kept);
	return 1;
}

Test(canonical, each_field_is_in_the_key_or_has_its_reason)
{
	static struct rich r;
	int n = 0;
	fill(&r);
	char *before = key_of(&r);
	for (int i = 0; i < N_TABLE; i++)
		for (uint32_t e = 0; e < tables[i].live; e++)
			for (size_t k = 0; k < tables[i].n_field; k++) {
				const struct field *f = &tables[i].field[k];
				char *element = (char *)&r + tables[i].at + e * tables[i].element;
				if (f->kind != PAD && (!f->when || f->when(element)))
					n += try_field(&r, element + f->at, f, before, e);
			}
	for (size_t k = 0; k < sizeof tree_fields / sizeof *tree_fields; k++)
		if (tree_fields[k].kind != PAD && tree_fields[k].kind != FREE)
			n += try_field(&r, (char *)&r.tree + tree_fields[k].at, &tree_fields[k], before, 0);
	cr_expect_gt(n, 330);
	numbers[0] = 0.25;
	char *after = key_of(&r);
	cr_expect_str_neq(before, after, "a number that a kernel of one's own is given is not in the key");
	numbers[0] = 0.5;
	free(after);
	free(before);
}

/* Which rows are named by what is used. */
static void find_rows(const struct rich *r, bool *named)
{
	named[r->divs[0].row] = true;
	for (int i = 0; i < 3; i++)
		for (int32_t k = 0; k < r->loops[i].n_bound; k++)
			named[r->bounds[r->loops[i].first_bound + k]] = true;
	for (int i = 0; i < 4; i++)
		named[r->accesses[i].row] = true;
	for (int i = 0; i < 4; i++)
		for (int32_t k = 0; k < r->pieces[i].n_guard; k++)
			named[r->guards[r->pieces[i].first_guard + k]] = true;
	named[r->pieces[2].row] = true;
	for (int i = 0; i < 2; i++) {
		named[r->call_operands[i].row] = true;
		named[r->call_reads[i].row] = true;
		named[r->call_results[i].row] = true;
	}
	for (int i = 0; i < 3; i++)
		named[r->call_guards[i].row] = true;
	named[r->call_values[3].row] = true;
	named[r->call_anchors[0].offset_row] = true;
	for (int i = 0; i < 4; i++)
		named[r->bounds[r->call_dims[i].first_bound]] = true;
}

/* Which strides are named by what is used: two by each. */
static void find_strides(const struct rich *r, bool *named)
{
	int32_t first[16], n = 0;
	for (int i = 0; i < 2; i++) {
		first[n++] = r->call_operands[i].first_stride;
		first[n++] = r->call_reads[i].first_stride;
		first[n++] = r->call_results[i].first_stride;
	}
	for (int i = 0; i < 3; i++)
		first[n++] = r->call_guards[i].first_stride;
	first[n++] = r->call_values[3].first_stride;
	for (int32_t i = 0; i < n; i++)
		named[first[i]] = named[first[i] + 1] = true;
}

/* Every number of a list that something names. */
Test(canonical, each_list_is_in_the_key)
{
	static struct rich r;
	static const struct field number = { "an element of the list", 0, 8, I64, 0, 0 },
				  index = { "an element of the list", 0, 4, I32, 0, 0 };
	static const struct field other = { "an element that nothing names", 0, 8, FREE, "it is not used", 0 };
	bool named[ROWS] = { false }, strided[STRIDES] = { false };
	fill(&r);
	char *before = key_of(&r);
	for (uint32_t i = 0; i < 4; i++) {
		try_field(&r, &r.guards[i], &index, before, i);
		try_field(&r, &r.bounds[i], &index, before, i);
	}
	find_strides(&r, strided);
	for (uint32_t i = 0; i < STRIDES; i++)
		try_field(&r, &r.strides[i], strided[i] ? &number : &other, before, i);
	find_rows(&r, named);
	for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
		try_field(&r, &r.rows[i], named[i / COLUMNS] ? &number : &other, before, i);
	free(before);
}
