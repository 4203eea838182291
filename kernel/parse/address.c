/* address.c -- addresses in a kernel program's text, and where the parts of a matrix instruction are
 * (parser.h). */
#include <inttypes.h>
#include <string.h>
#include "kernel/parse/parser.h"

/* What is added to an address, behind + or -. */
static int64_t read_added(struct lt_kernel_parser *p)
{
	bool minus = lt__kernel_is(p, "-");
	lt__kernel_next(p);
	struct lt_text_position at = p->position;
	uint64_t size = lt__kernel_hex(p, "what is added to the address");
	if (size > (uint64_t)INT64_MAX + minus)
		lt__kernel_fail(p, LT_ESYNTAX, at, "what is added to an address has at most 63 bits and a sign");
	return (int64_t)(minus ? 0 - size : size);
}

/* %3 + 5, or 5: behind `NAME[`. */
static void read_index(struct lt_kernel_parser *p, int32_t *address, int64_t *number)
{
	static const struct lt_value_type i64 = { LT_I64, 1 };
	if (p->kind == LT_KERNEL_VALUE)
		*address = lt__kernel_operand(p, i64);
	else
		*number = lt__kernel_number(p, "an address such as %0 + 16 or 16", INT64_MIN, INT64_MAX);
	if (lt__kernel_is(p, "+") || lt__kernel_is(p, "-")) {
		if (*address < 0)
			*address = lt__kernel_build_constant(p, i64, (uint64_t)*number);
		*number = read_added(p);
	}
}

void lt__kernel_read_address(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	struct lt_text_position at = p->position;
	r->i.what = lt__kernel_known(p, LT_KERNEL_BUFFER);
	uint32_t dtype = p->b.buffer[r->i.what].dtype;
	if (r->t.dtype && r->t.dtype != dtype)
		lt__kernel_fail(p, LT_EINVAL, at, "the buffer's elements are %s, not %s", lt__kernel_element_name(dtype),
			lt__kernel_element_name(r->t.dtype));
	r->t = (struct lt_value_type){ dtype, r->t.dtype ? r->t.lanes : 1 };
	r->i.stride = r->facts->source == LT_TYPE_OF_COPY ? (int64_t)r->t.lanes : 1;
	lt__kernel_expect(p, "[");
	read_index(p, &r->i.operand[0], &r->i.number);
	if (r->facts->source == LT_TYPE_OF_COPY) {
		lt__kernel_expect(p, "]");
		return;
	}
	if (lt__kernel_accept(p, "by"))
		r->i.stride = lt__kernel_number(p, "elements from lane to lane", INT64_MIN, INT64_MAX);
	else if (lt__kernel_accept(p, "at"))
		r->i.operand[1] = lt__kernel_operand(p, lt__rule_type(LT_RULE_INDEX, r->t, NULL, 1));
	lt__kernel_expect(p, "]");
}

/* Extras of an instruction, one after the other. */
static void add_extras(struct lt_kernel_parser *p, struct lt_read_instruction *r, const int64_t *x, int32_t n)
{
	int32_t first = lt__build_extras(&p->b, x, n);
	if (!r->i.n_extra)
		r->i.first_extra = first;
	r->i.n_extra += n;
}

/* What is copied: NAME[%3 + 5]. */
void lt__kernel_read_source(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	int64_t x[2] = { lt__kernel_known(p, LT_KERNEL_BUFFER), 0 };
	lt__kernel_expect(p, "[");
	read_index(p, &r->i.operand[3], &x[1]);
	lt__kernel_expect(p, "]");
	add_extras(p, r, x, 2);
}

/* NAME[%3 + 5 by 64, 1 swizzle 128]. */
static struct lt_matrix_location read_location(struct lt_kernel_parser *p, int32_t *address)
{
	struct lt_matrix_location at = { lt__kernel_known(p, LT_KERNEL_BUFFER), 0, { 0, 0 }, 0 };
	lt__kernel_expect(p, "[");
	read_index(p, address, &at.number);
	lt__kernel_expect(p, "by");
	at.stride[0] = lt__kernel_number(p, "elements from row to row", INT32_MIN, INT32_MAX);
	lt__kernel_expect(p, ",");
	at.stride[1] = lt__kernel_number(p, "elements from column to column", INT32_MIN, INT32_MAX);
	at.swizzle = lt__kernel_accept(p, "swizzle") ? lt__kernel_number(p, "32, 64 or 128", 32, 128) : 0;
	lt__kernel_expect(p, "]");
	return at;
}

void lt__kernel_read_fragment(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	struct lt_matrix_location at = read_location(p, &r->i.operand[0]);
	int64_t location[] = { at.buffer, at.number, at.stride[0], at.stride[1], at.swizzle };
	add_extras(p, r, location, LT_MATRIX_LOCATION);
}

/* %3, or NAME[%3 + 5 by 64, 1 swizzle 128]. */
void lt__kernel_read_matrix(struct lt_kernel_parser *p, struct lt_read_instruction *r, int operand)
{
	const struct lt_kernel_matrix *x = &p->b.matrix[r->i.what];
	struct lt_matrix_location at = { -1, 0, { 0, 0 }, 0 };
	if (p->kind == LT_KERNEL_WORD && lt__kernel_name_find(&p->names, p->at, p->bytes) >= 0) {
		at = read_location(p, &r->i.operand[operand]);
	} else {
		int64_t lanes = x->threads > 0 ? lt__matrix_lanes(x, operand) : 0;
		if (lanes < 1 || lanes > LT_MAX_LANES)
			LT_KERNEL_SYNTAX(p, "a fragment of 1 to %d elements fits in a value, and this one has %" PRId64 ": give the matrix "
				"in shared memory", (int)LT_MAX_LANES, lanes);
		r->i.operand[operand] = lt__kernel_operand(p,
			(struct lt_value_type){ x->part[operand].dtype, (uint32_t)lanes });
	}
	/* The places of a and b, then accumulators, which stand in front in the text. */
	int64_t location[] = { at.buffer, at.number, at.stride[0], at.stride[1], at.swizzle };
	memcpy(&p->b.extra[r->i.first_extra + operand * LT_MATRIX_LOCATION], location, sizeof location);
}

/* (c0, c1) */
void lt__kernel_read_accumulators(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	static const int64_t locations[2 * LT_MATRIX_LOCATION];
	add_extras(p, r, locations, 2 * LT_MATRIX_LOCATION);
	lt__kernel_expect(p, "(");
	while (!lt__kernel_is(p, ")")) {
		if (r->i.n_extra > 2 * LT_MATRIX_LOCATION)
			lt__kernel_expect(p, ",");
		int64_t x = lt__kernel_known(p, LT_KERNEL_VARIABLE);
		add_extras(p, r, &x, 1);
	}
	lt__kernel_next(p);
}
