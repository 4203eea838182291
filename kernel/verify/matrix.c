/* matrix.c -- descriptions of matrices: each element is kept by one thread; and the instruction
 * (verifier.h). */
#include <inttypes.h>
#include "kernel/form/form.h"
#include "kernel/verify/verifier.h"

/* Which element of a, b or c the bits of a number name. */
static void add_bits(const struct lt_matrix_bit *bit, uint8_t n, int64_t number, int64_t *at)
{
	for (int b = 0; b < n; b++)
		at[bit[b].axis] += (number >> b & 1) << bit[b].power;
}

/* Each element once: where the extent of a fragment is no power of two, its highest bit is not always used. */
static void check_fragment(struct lt_kernel_verifier *v, int32_t matrix, int part)
{
	const struct lt_kernel_matrix *x = &v->k->matrices[matrix];
	const struct lt_matrix_part *p = &x->part[part];
	int row = lt__matrix_row_axis(part), column = lt__matrix_column_axis(part);
	int64_t lanes = lt__matrix_lanes(x, part), all = (int64_t)x->extent[row] * x->extent[column];
	uint8_t *seen = lt__pool_alloc(&v->pool, (size_t)all, 1);
	bool good = lanes * x->threads == all && lanes <= INT64_C(1) << p->n_element && x->threads == 1 << p->n_thread;
	for (int64_t i = 0; good && i < all; i++) {
		int64_t at[3] = { 0, 0, 0 };
		add_bits(p->element, p->n_element, i % lanes, at);
		add_bits(p->thread, p->n_thread, i / lanes, at);
		good = at[row] < x->extent[row] && at[column] < x->extent[column] && at[3 - row - column] == 0
			&& !seen[at[row] * x->extent[column] + at[column]]++;
	}
	if (!good)
		lt__verify_fail_at(v, LT_PART_MATRIX, matrix, "compare the lists with the layout that the device's manual has",
			"matrix %s: the bits of %c do not give each of its %" PRId64 " elements to one place of one of %" PRId32 " threads",
			x->name, "abc"[part], all, x->threads);
}

void lt__verify_description(struct lt_kernel_verifier *v, int32_t matrix)
{
	const struct lt_kernel_matrix *x = &v->k->matrices[matrix];
	bool good = x->threads == 32 || x->threads == 128;
	for (int i = 0; i < 3; i++)
		good = good && x->extent[i] >= 1 && x->extent[i] <= LT_MATRIX_EXTENT && x->part[i].dtype > 0
			&& x->part[i].dtype < LT_NDTYPE;
	if (!good)
		lt__verify_fail_at(v, LT_PART_MATRIX, matrix, "describe an instruction of that kind",
			"matrix %s: it takes 32 or 128 threads, extents of 1 to 256, and elements of some type", x->name);
	for (int part = 0; part < LT_NMATRIX; part++) {
		const struct lt_matrix_part *p = &x->part[part];
		good = p->n_element <= LT_MATRIX_BITS && p->n_thread <= LT_MATRIX_BITS;
		for (int b = 0; good && b < LT_MATRIX_BITS; b++)
			good = p->element[b].axis < 3 && p->thread[b].axis < 3 && p->element[b].power < 16 && p->thread[b].power < 16;
		if (!good)
			lt__verify_fail_at(v, LT_PART_MATRIX, matrix, "describe an instruction of that kind",
				"matrix %s: a part has at most %d bits of each kind, along m, "
				"n or k", x->name, (int)LT_MATRIX_BITS);
		if (p->n_element || p->n_thread || part == LT_MATRIX_C)
			check_fragment(v, matrix, part);
	}
}

static void check_types(struct lt_kernel_verifier *v, const struct lt_kernel_matrix *x)
{
	uint32_t c = x->part[LT_MATRIX_C].dtype;
	for (int part = 0; part < 2; part++)
		if (lt__number_is_whole(x->part[part].dtype) != lt__number_is_whole(c) || x->part[part].dtype == LT_BOOL)
			lt__verify_fail(v, -1, "take a matrix of one kind of numbers", "matrix %s adds products of %s to %s", x->name,
				lt__kernel_element_name(x->part[part].dtype), lt__kernel_element_name(c));
}

static void check_location(struct lt_kernel_verifier *v, const struct lt_kernel_matrix *x, int part,
	struct lt_matrix_location at)
{
	const struct lt_kernel *k = v->k;
	const uint32_t dtype = x->part[part].dtype;
	if (at.buffer < 0 || at.buffer >= (int64_t)k->n_buffer || k->buffers[at.buffer].space != LT_SPACE_SHARED)
		lt__verify_fail(v, -1, "copy it to shared memory first", "a matrix is in registers or in a shared buffer");
	if (k->buffers[at.buffer].dtype != dtype)
		lt__verify_fail(v, -1, "cast the elements first, or take another matrix",
			"buffer %s has elements of type %s; matrix %s takes %s for %c",
			k->buffers[at.buffer].name, lt__kernel_element_name(k->buffers[at.buffer].dtype), x->name,
				lt__kernel_element_name(dtype), "ab"[part]);
	if (at.swizzle && k->buffers[at.buffer].swizzle)
		lt__verify_fail(v, -1, "write none here", "buffer %s has a swizzle itself", k->buffers[at.buffer].name);
	if (at.swizzle && !lt__is_swizzle(at.swizzle))
		lt__verify_fail(v, -1, "write 0 for none", "a swizzle is of 32, 64 or 128 bytes, not %" PRId64, at.swizzle);
	if (at.stride[0] < INT32_MIN || at.stride[0] > INT32_MAX || at.stride[1] < INT32_MIN || at.stride[1] > INT32_MAX)
		lt__verify_fail(v, -1, "copy the matrix to where its rows are closer",
			"the strides of a matrix have at most 32 bits");
}

static void check_layout(struct lt_kernel_verifier *v, const struct lt_kernel_matrix *x, int part)
{
	if (!x->part[part].n_element && !x->part[part].n_thread)
		lt__verify_fail(v, -1, "give a place in shared memory", "matrix %s has no layout of %c in registers", x->name,
			"ab"[part]);
}

static void check_operand(struct lt_kernel_verifier *v, const struct lt_instruction *i, int part)
{
	const struct lt_kernel *k = v->k;
	const struct lt_kernel_matrix *x = &k->matrices[i->what];
	const struct lt_matrix_part *p = &x->part[part];
	struct lt_matrix_location at = lt__matrix_location(k, i, part);
	int32_t value = i->operand[part];
	struct lt_value_type is = { 0, 0 }, want = { LT_I64, 1 };
	if (value >= 0)
		is = (struct lt_value_type){ k->instructions[value].dtype, k->instructions[value].lanes };
	if (at.buffer < 0) {
		want = (struct lt_value_type){ p->dtype, (uint32_t)lt__matrix_lanes(x, part) };
		check_layout(v, x, part);
	}
	if ((at.buffer < 0 || value >= 0) && (is.dtype != want.dtype || is.lanes != want.lanes))
		lt__verify_fail(v, value, "cast or shuffle it first",
			"operand %d of 'matrix' is %s; %s is needed", part, lt__shown_type(is).text,
			lt__shown_type(want).text);
	if (at.buffer >= 0)
		check_location(v, x, part, at);
}

static void check_region(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	const struct lt_region *r = &v->k->regions[v->region];
	const struct lt_kernel_matrix *x = &v->k->matrices[i->what];
	if (r->kind != LT_REGION_GRID)
		lt__verify_fail(v, -1, "move it to a grid", "'%s' is for the threads of a grid; this region is none",
			lt_opcode_name(i->opcode));
	if (r->subgroup != 32 || (int64_t)r->threads[0] * r->threads[1] * r->threads[2] % x->threads)
		lt__verify_fail(v, -1, "round the block up to as many, in subgroups of 32",
			"matrix %s takes %" PRId32 " threads in subgroups of 32; this grid has others", x->name,
			x->threads);
}

void lt__verify_fragment(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	const struct lt_kernel_matrix *x = &v->k->matrices[i->what];
	check_region(v, i);
	if (i->number != 0 && i->number != 1)
		lt__verify_fail(v, -1, "make it 0 for a, or 1 for b", "there is no matrix %" PRId64, i->number);
	const int part = (int)i->number;
	const struct lt_value_type want = { x->part[part].dtype, (uint32_t)lt__matrix_lanes(x, part) };
	check_layout(v, x, part);
	if (i->dtype != want.dtype || i->lanes != want.lanes)
		lt__verify_fail(v, -1, "make it of that type", "a thread's part of %c of matrix %s is %s, not %s",
			"ab"[part], x->name, lt__shown_type(want).text, lt__shown_type((struct lt_value_type){ i->dtype, i->lanes }).text);
	check_location(v, x, part, lt__matrix_location(v->k, i, 0));
}

void lt__verify_matrix(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	const struct lt_kernel *k = v->k;
	const struct lt_kernel_matrix *x = &k->matrices[i->what];
	int64_t lanes = 0;
	check_region(v, i);
	check_types(v, x);
	check_operand(v, i, LT_MATRIX_A);
	check_operand(v, i, LT_MATRIX_B);
	for (int32_t e = 2 * LT_MATRIX_LOCATION; e < i->n_extra && lanes <= lt__matrix_lanes(x, LT_MATRIX_C); e++) {
		int64_t variable = k->extras[i->first_extra + e];
		if (variable < 0 || variable >= (int64_t)k->n_variable)
			lt__verify_fail(v, -1, "declare it", "accumulator %d is no variable", (int)e - 2 * LT_MATRIX_LOCATION);
		lt__verify_variable(v, (int32_t)variable);
		if (k->variables[variable].dtype != x->part[LT_MATRIX_C].dtype)
			lt__verify_fail(v, -1, "declare it of that type, and cast it afterwards",
				"accumulator %s is %s; matrix %s adds to %s", k->variables[variable].name,
				lt__kernel_element_name(k->variables[variable].dtype), x->name,
				lt__kernel_element_name(x->part[LT_MATRIX_C].dtype));
		for (int32_t f = 2 * LT_MATRIX_LOCATION; f < e; f++)
			if (k->extras[i->first_extra + f] == variable)
				lt__verify_fail(v, -1, "give each part of c a variable of its own",
					"accumulator %s is there twice", k->variables[variable].name);
		lanes += k->variables[variable].lanes;
	}
	if (lanes != lt__matrix_lanes(x, LT_MATRIX_C))
		lt__verify_fail(v, -1, "declare variables that have as many together",
			"the accumulators have %" PRId64 " lanes; a thread's part of c has %" PRId64, lanes,
			lt__matrix_lanes(x, LT_MATRIX_C));
}
