/* kernel/parse_element.c -- what instructions of a kernel program's text are made of, by the letters of opcode.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "kernel/parse.h"

int32_t lt__kernel_build(struct lt_kernel_parser *p, struct lt_instruction i)
{
	lt__kernel_located(p, LT_PART_INSTRUCTION, p->statement);
	return lt__build(&p->b, i);
}

static int32_t build_constant(struct lt_kernel_parser *p, struct lt_value_type t, uint64_t bits)
{
	return lt__kernel_build(p, (struct lt_instruction){ .opcode = LT_OPCODE_const, .dtype = (uint8_t)t.dtype,
		.lanes = t.lanes, .operand = { -1, -1, -1, -1 }, .what = -1, .origin = -1, .number = (int64_t)bits });
}

struct parsed_type { char text[24]; };
static struct parsed_type shown_type(struct lt_value_type t)
{
	struct parsed_type s;
	const char *name = lt__kernel_element_name(t.dtype);
	if (t.lanes == 1)
		(void)snprintf(s.text, sizeof s.text, "%s", name ? name : "?");
	else
		(void)snprintf(s.text, sizeof s.text, "%sx%" PRIu32, name ? name : "?", t.lanes);
	return s;
}

static int32_t read_value(struct lt_kernel_parser *p)
{
	int32_t value = lt__kernel_name_find(&p->values, p->at, p->bytes);
	if (value < 0)
		LT_KERNEL_SYNTAX(p, "no line above in this region makes %s", lt__kernel_token(p).text);
	return value;
}

/* A value or a constant of that type. */
static int32_t read_value_or_constant(struct lt_kernel_parser *p, struct lt_value_type t)
{
	if (p->kind != LT_KERNEL_VALUE)
		return build_constant(p, t, lt__kernel_constant(p, t));
	int32_t value = read_value(p);
	const struct lt_instruction *i = lt__build_at(&p->b, value);
	if (i->dtype != t.dtype || i->lanes != t.lanes)
		lt__kernel_fail(p, LT_EINVAL, p->position, "%s is %s; %s is needed here", lt__kernel_token(p).text,
			shown_type((struct lt_value_type){ i->dtype, i->lanes }).text, shown_type(t).text);
	lt__kernel_next(p);
	return value;
}

static void read_type(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	struct lt_text_position at = p->position;
	r->t = lt__kernel_type(p);
	if (!(r->facts->types >> r->t.dtype & 1))
		lt__kernel_fail(p, LT_EINVAL, at, "'%s' does not exist for type %s", r->facts->name, shown_type(r->t).text);
}

/* A type, unless it is a buffer of that name. */
static bool at_type(const struct lt_kernel_parser *p)
{
	const char *c = p->next;
	size_t n = p->bytes;
	while (c < p->end && (*c == ' ' || *c == '\t'))
		c++;
	if (p->kind != LT_KERNEL_WORD || (c < p->end && *c == '['))
		return false;
	if (lt__kernel_element_find(p->at, n))
		return true;
	while (n > 1 && p->at[n - 1] >= '0' && p->at[n - 1] <= '9')
		n--;
	return n < p->bytes && n > 1 && p->at[n - 1] == 'x' && lt__kernel_element_find(p->at, n - 1);
}

static int32_t read_known(struct lt_kernel_parser *p, enum lt_kernel_named kind)
{
	static const char *const kinds[] = { "buffer", "variable", "matrix description" };
	int32_t x = p->kind == LT_KERNEL_WORD ? lt__kernel_name_find(&p->names, p->at, p->bytes) : -1;
	if (x < 0 || x % LT_NKERNEL_NAMED != (int32_t)kind)
		LT_KERNEL_SYNTAX(p, "expected the name of a %s%s, found %s%s%s", kinds[kind],
			p->kind == LT_KERNEL_WORD && x < 0 ? " that a line above the regions declares" : "", lt__kernel_token(p).text,
			x < 0 ? "" : ", which is a ", x < 0 ? "" : kinds[x % LT_NKERNEL_NAMED]);
	lt__kernel_next(p);
	return x / LT_NKERNEL_NAMED;
}

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
		*address = read_value_or_constant(p, i64);
	else
		*number = lt__kernel_number(p, "an address such as %0 + 16 or 16", INT64_MIN, INT64_MAX);
	if (lt__kernel_is(p, "+") || lt__kernel_is(p, "-")) {
		if (*address < 0)
			*address = build_constant(p, i64, (uint64_t)*number);
		*number = read_added(p);
	}
}

static void read_address(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	struct lt_text_position at = p->position;
	r->i.what = read_known(p, LT_KERNEL_BUFFER);
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
		r->i.operand[1] = read_value_or_constant(p, lt__rule_type(LT_RULE_INDEX, r->t, NULL, 1));
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
static void read_source(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	int64_t x[2] = { read_known(p, LT_KERNEL_BUFFER), 0 };
	lt__kernel_expect(p, "[");
	read_index(p, &r->i.operand[3], &x[1]);
	lt__kernel_expect(p, "]");
	add_extras(p, r, x, 2);
}

/* %3, or NAME[%3 + 5 by 64, 1 swizzle 128]. */
static void read_matrix_operand(struct lt_kernel_parser *p, struct lt_read_instruction *r, int operand)
{
	const struct lt_kernel_matrix *x = &p->b.matrix[r->i.what];
	struct lt_matrix_location at = { -1, 0, { 0, 0 }, 0 };
	if (p->kind == LT_KERNEL_WORD && lt__kernel_name_find(&p->names, p->at, p->bytes) >= 0) {
		at.buffer = read_known(p, LT_KERNEL_BUFFER);
		lt__kernel_expect(p, "[");
		read_index(p, &r->i.operand[operand], &at.number);
		lt__kernel_expect(p, "by");
		at.stride[0] = lt__kernel_number(p, "elements from row to row", INT32_MIN, INT32_MAX);
		lt__kernel_expect(p, ",");
		at.stride[1] = lt__kernel_number(p, "elements from column to column", INT32_MIN, INT32_MAX);
		at.swizzle = lt__kernel_accept(p, "swizzle") ? lt__kernel_number(p, "32, 64 or 128", 32, 128) : 0;
		lt__kernel_expect(p, "]");
	} else {
		int64_t lanes = x->threads > 0 ? lt__matrix_lanes(x, operand) : 0;
		if (lanes < 1 || lanes > LT_MAX_LANES)
			LT_KERNEL_SYNTAX(p, "a fragment of 1 to %d elements fits in a value, and this one has %" PRId64 ": give the matrix "
				"in shared memory", (int)LT_MAX_LANES, lanes);
		r->i.operand[operand] = read_value_or_constant(p,
			(struct lt_value_type){ x->part[operand].dtype, (uint32_t)lanes });
	}
	/* The places of a and b, then accumulators, which stand in front in the text. */
	int64_t location[] = { at.buffer, at.number, at.stride[0], at.stride[1], at.swizzle };
	memcpy(&p->b.extra[r->i.first_extra + operand * LT_MATRIX_LOCATION], location, sizeof location);
}

/* (c0, c1) */
static void read_accumulators(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	static const int64_t locations[2 * LT_MATRIX_LOCATION];
	add_extras(p, r, locations, 2 * LT_MATRIX_LOCATION);
	lt__kernel_expect(p, "(");
	while (!lt__kernel_is(p, ")")) {
		if (r->i.n_extra > 2 * LT_MATRIX_LOCATION)
			lt__kernel_expect(p, ",");
		int64_t x = read_known(p, LT_KERNEL_VARIABLE);
		add_extras(p, r, &x, 1);
	}
	lt__kernel_next(p);
}

static int32_t read_one_word(struct lt_kernel_parser *p, uint32_t opcode)
{
	const char *const *words = lt__opcode_words(opcode);
	char all[80] = "";
	for (int32_t w = 0; words[w]; w++) {
		if (lt__kernel_accept(p, words[w]))
			return w;
		size_t n = strlen(all);
		(void)snprintf(all + n, sizeof all - n, "%s'%s'", w ? words[w + 1] ? ", " : " or " : "", words[w]);
	}
	LT_KERNEL_SYNTAX(p, "expected %s, found %s", all, lt__kernel_token(p).text);
}

static int32_t read_operator(struct lt_kernel_parser *p)
{
	int32_t opcode = p->kind == LT_KERNEL_WORD ? lt__opcode_find(p->at, p->bytes) : -1;
	if (opcode < 0 || !lt__opcode_folds((uint32_t)opcode))
		LT_KERNEL_SYNTAX(p, "expected an operator of two operands such as add or max, found %s", lt__kernel_token(p).text);
	lt__kernel_next(p);
	return opcode;
}

/* Of `each`. */
static int32_t read_lane_operator(struct lt_kernel_parser *p)
{
	int32_t opcode = p->kind == LT_KERNEL_WORD ? lt__opcode_find(p->at, p->bytes) : -1;
	if (opcode < 0 || !lt__opcode_each((uint32_t)opcode))
		LT_KERNEL_SYNTAX(p, "expected an operator of one or two operands such as sin or pow, found %s",
			lt__kernel_token(p).text);
	lt__kernel_next(p);
	return opcode;
}

static int64_t read_handed(struct lt_kernel_parser *p)
{
	if (p->kind != LT_KERNEL_VALUE) {
		struct lt_value_type t = lt__kernel_type(p);
		return build_constant(p, t, lt__kernel_constant(p, t));
	}
	int32_t value = read_value(p);
	lt__kernel_next(p);
	return value;
}

/* (0, 3, 1) or, of values, (%0, i64 5). */
static void read_list(struct lt_kernel_parser *p, struct lt_read_instruction *r, bool values)
{
	int64_t *list = NULL;
	int32_t n = 0, cap = 0;
	lt__kernel_expect(p, "(");
	while (!lt__kernel_is(p, ")")) {
		if (n)
			lt__kernel_expect(p, ",");
		if (!values && n == LT_MAX_LANES)
			LT_KERNEL_SYNTAX(p, "more than %d lanes", (int)LT_MAX_LANES);
		list = lt__pool_grown(&p->scratch, list, n, &cap, sizeof *list);
		list[n++] = values ? read_handed(p) : lt__kernel_number(p, "the number of a lane", 0, 2 * LT_MAX_LANES - 1);
	}
	lt__kernel_next(p);
	r->i.first_extra = lt__build_extras(&p->b, list, n);
	r->i.n_extra = n;
}

static void read_from(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	lt__kernel_expect(p, "from");
	struct lt_text_position at = p->position;
	r->from = lt__kernel_type(p);
	if (r->from.lanes != r->t.lanes || r->from.dtype == LT_LANE_MASK)
		lt__kernel_fail(p, LT_EINVAL, at, "%s from %s: both have as many lanes, and a mask is no number (see `flag`)",
			shown_type(r->t).text, shown_type(r->from).text);
}

static void read_what(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	struct lt_text_position at = p->position;
	r->i.what = (int32_t)lt__kernel_number(p, "a number", 0, INT32_MAX);
	if (r->i.opcode != LT_OPCODE_text)
		return;
	if (r->i.what >= p->b.n_op)
		lt__kernel_fail(p, LT_EINVAL, at, "there is no operator %" PRId32 "; %" PRId32 " are declared, from 0 on", r->i.what,
			p->b.n_op);
	r->op = &p->b.op[r->i.what];
}

static void read_operand_at(struct lt_kernel_parser *p, struct lt_read_instruction *r, int k)
{
	enum lt_type_rule rule = r->facts->operand[k];
	struct lt_value_type t = rule == LT_RULE_FROM ? r->from : lt__rule_type(rule, r->t, r->op, k);
	r->i.operand[k] = read_value_or_constant(p, t);
}

/* A name for the value of this line. */
void lt__kernel_value_name(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	if (p->kind != LT_KERNEL_VALUE || p->bytes == 0 || p->bytes > LT_MAX_NAME)
		LT_KERNEL_SYNTAX(p, "expected a value such as %%0, of at most %d bytes, found %s", (int)LT_MAX_NAME,
			lt__kernel_token(p).text);
	if (lt__kernel_name_find(&p->values, p->at, p->bytes) >= 0)
		LT_KERNEL_SYNTAX(p, "%s is made twice in this region; give one of them another name", lt__kernel_token(p).text);
	r->name = p->at;
	r->bytes = p->bytes;
	lt__kernel_next(p);
}

void lt__kernel_element(struct lt_kernel_parser *p, struct lt_read_instruction *r, char element)
{
	switch (element) {
	case 't': read_type(p, r); break;
	case 'l':
		if (at_type(p))
			read_type(p, r);
		else if (r->facts->source == LT_TYPE_OF_FAULT)
			r->t = (struct lt_value_type){ LT_I64, 1 };
		break;
	case '0':
	case '1':
	case '2':
	case '3': read_operand_at(p, r, element - '0'); break;
	case 'i':
		for (int k = 0; k < (r->op ? r->op->arity : lt__opcode_each((uint32_t)r->i.what)); k++)
			read_operand_at(p, r, k);
		break;
	case 'f': read_from(p, r); break;
	case 'd': lt__kernel_value_name(p, r); break;
	case 'n': read_what(p, r); break;
	case 'v':
		r->i.what = read_known(p, LT_KERNEL_VARIABLE);
		r->t = (struct lt_value_type){ p->b.variable[r->i.what].dtype, p->b.variable[r->i.what].lanes };
		break;
	case 'b': r->i.what = read_known(p, LT_KERNEL_BUFFER); break;
	case 'e': r->i.what = read_lane_operator(p); break;
	case 'o': r->i.what = read_operator(p); break;
	case 'u': r->i.number = read_operator(p); break;
	case 'a': read_address(p, r); break;
	case 'm':
		if (lt__kernel_accept(p, "mask"))
			read_operand_at(p, r, 2);
		break;
	case 'q': r->i.flags |= lt__kernel_accept(p, "async") ? LT_INSTRUCTION_ASYNC : 0; break;
	case 'w': r->i.what = read_one_word(p, r->i.opcode); break;
	case 'c': r->i.number = lt__kernel_number(p, "a number", 0, INT32_MAX); break;
	case 'j': r->i.stride = lt__kernel_number(p, "a number of threads", 1, LT_MAX_THREADS); break;
	case 'y': read_source(p, r); break;
	case 'g': r->i.what = read_known(p, LT_KERNEL_MATRIX); break;
	case 'z': read_accumulators(p, r); break;
	case 'A':
	case 'B': read_matrix_operand(p, r, element - 'A'); break;
	case 's': r->i.flags |= lt__kernel_accept(p, "stream") ? LT_INSTRUCTION_STREAM : 0; break;
	case 'k': read_list(p, r, false); break;
	case 'h': read_list(p, r, true); break;
	case 'p':
		r->i.number = lt__kernel_accept(p, "step") ? lt__kernel_number(p, "a step", 1, INT64_MAX) : 1;
		if (lt__kernel_accept(p, "unroll")) {
			r->i.flags |= LT_INSTRUCTION_UNROLL;
			r->i.stride = lt__kernel_number(p, "a number of copies", 1, INT64_MAX);
		}
		break;
	default: break;
	}
}


/* A store tells its lanes by its value, so the type may be left out where that has a name. */
void lt__kernel_stored_lanes(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	if (p->kind == LT_KERNEL_VALUE && r->t.lanes == 1)
		r->t.lanes = lt__build_at(&p->b, read_value(p))->lanes;
}
