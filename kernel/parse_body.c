/* kernel/parse_body.c -- instructions of a kernel program's text, element by element as opcode.h has them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "kernel/parse.h"

/* An instruction that is being read. */
struct read_instruction {
	struct lt_instruction i;
	const struct lt_opcode_facts *facts;
	struct lt_value_type t, from;
	const struct lt_op *op;                 /* of `text` */
	const char *name;                       /* of its value; NULL: it has none so far */
	size_t bytes;
	struct lt_text_place named;
};

static int32_t build_placed(struct lt_kernel_parser *p, struct lt_instruction i)
{
	lt__kernel_placed(p, LT_PART_INSTRUCTION, p->statement);
	return lt__build(&p->b, i);
}

static int32_t build_constant(struct lt_kernel_parser *p, struct lt_value_type t, uint64_t bits)
{
	return build_placed(p, (struct lt_instruction){ .opcode = LT_OPCODE_const, .dtype = (uint8_t)t.dtype, .lanes = t.lanes,
		.operand = { -1, -1, -1, -1 }, .what = -1, .origin = -1, .number = (int64_t)bits });
}

struct shown_type { char text[24]; };
static struct shown_type shown_type(struct lt_value_type t)
{
	struct shown_type s;
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
		lt__kernel_fail(p, LT_EINVAL, p->place, "%s is %s; %s is needed here", lt__kernel_token(p).text,
			shown_type((struct lt_value_type){ i->dtype, i->lanes }).text, shown_type(t).text);
	lt__kernel_next(p);
	return value;
}

static void read_type(struct lt_kernel_parser *p, struct read_instruction *r)
{
	struct lt_text_place at = p->place;
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

/* odd: variables, else buffers. */
static int32_t read_known(struct lt_kernel_parser *p, bool odd)
{
	int32_t x = p->kind == LT_KERNEL_WORD ? lt__kernel_name_find(&p->names, p->at, p->bytes) : -1;
	if (x < 0 || (x & 1) != odd)
		LT_KERNEL_SYNTAX(p, "expected the name of a %s%s, found %s%s", odd ? "variable" : "buffer",
			p->kind == LT_KERNEL_WORD && x < 0 ? " that a line above the regions declares" : "", lt__kernel_token(p).text,
			x < 0 ? "" : odd ? ", which is a buffer" : ", which is a variable");
	lt__kernel_next(p);
	return x / 2;
}

/* What is added to an address, behind + or -. */
static int64_t read_added(struct lt_kernel_parser *p)
{
	bool minus = lt__kernel_is(p, "-");
	lt__kernel_next(p);
	struct lt_text_place at = p->place;
	uint64_t size = lt__kernel_hex(p, "what is added to the address");
	if (size > (uint64_t)INT64_MAX + minus)
		lt__kernel_fail(p, LT_ESYNTAX, at, "what is added to an address has at most 63 bits and a sign");
	return (int64_t)(minus ? 0 - size : size);
}

static void read_address(struct lt_kernel_parser *p, struct read_instruction *r)
{
	static const struct lt_value_type i64 = { LT_I64, 1 };
	struct lt_text_place at = p->place;
	r->i.what = read_known(p, false);
	uint32_t dtype = p->b.buffer[r->i.what].dtype;
	if (r->t.dtype && r->t.dtype != dtype)
		lt__kernel_fail(p, LT_EINVAL, at, "the buffer's elements are %s, not %s", lt__kernel_element_name(dtype),
			lt__kernel_element_name(r->t.dtype));
	r->t = (struct lt_value_type){ dtype, r->t.dtype ? r->t.lanes : 1 };
	r->i.stride = 1;
	lt__kernel_expect(p, "[");
	if (p->kind == LT_KERNEL_VALUE)
		r->i.operand[0] = read_value_or_constant(p, i64);
	else
		r->i.number = lt__kernel_number(p, "an address such as %0 + 16 or 16", INT64_MIN, INT64_MAX);
	if (lt__kernel_is(p, "+") || lt__kernel_is(p, "-")) {
		if (r->i.operand[0] < 0)
			r->i.operand[0] = build_constant(p, i64, (uint64_t)r->i.number);
		r->i.number = read_added(p);
	}
	if (lt__kernel_accept(p, "by"))
		r->i.stride = lt__kernel_number(p, "elements from lane to lane", INT64_MIN, INT64_MAX);
	else if (lt__kernel_accept(p, "at"))
		r->i.operand[1] = read_value_or_constant(p, lt__rule_type(LT_RULE_INDEX, r->t, NULL, 1));
	lt__kernel_expect(p, "]");
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
static void read_list(struct lt_kernel_parser *p, struct read_instruction *r, bool values)
{
	int64_t *list = NULL;
	int32_t n = 0, cap = 0;
	lt__kernel_expect(p, "(");
	while (!lt__kernel_is(p, ")")) {
		if (n)
			lt__kernel_expect(p, ",");
		if (!values && n == LT_MAX_LANES)
			LT_KERNEL_SYNTAX(p, "more than %d lanes", (int)LT_MAX_LANES);
		list = lt__kernel_grown(&p->scratch, list, n, &cap, sizeof *list);
		list[n++] = values ? read_handed(p) : lt__kernel_number(p, "the number of a lane", 0, 2 * LT_MAX_LANES - 1);
	}
	lt__kernel_next(p);
	r->i.first_extra = lt__build_extras(&p->b, list, n);
	r->i.n_extra = n;
}

/* A name for the value of this line. */
static void read_name(struct lt_kernel_parser *p, struct read_instruction *r)
{
	if (p->kind != LT_KERNEL_VALUE || p->bytes == 0 || p->bytes > LT_MAX_NAME)
		LT_KERNEL_SYNTAX(p, "expected a value such as %%0, of at most %d bytes, found %s", (int)LT_MAX_NAME,
			lt__kernel_token(p).text);
	if (lt__kernel_name_find(&p->values, p->at, p->bytes) >= 0)
		LT_KERNEL_SYNTAX(p, "%s is made twice in this region; give one of them another name", lt__kernel_token(p).text);
	r->name = p->at;
	r->bytes = p->bytes;
	r->named = p->place;
	lt__kernel_next(p);
}

static void read_from(struct lt_kernel_parser *p, struct read_instruction *r)
{
	lt__kernel_expect(p, "from");
	struct lt_text_place at = p->place;
	r->from = lt__kernel_type(p);
	if (r->from.lanes != r->t.lanes || r->from.dtype == LT_LANE_MASK)
		lt__kernel_fail(p, LT_EINVAL, at, "%s from %s: both have as many lanes, and a mask is no number (see `flag`)",
			shown_type(r->t).text, shown_type(r->from).text);
}

static void read_what(struct lt_kernel_parser *p, struct read_instruction *r)
{
	struct lt_text_place at = p->place;
	r->i.what = (int32_t)lt__kernel_number(p, "a number", 0, INT32_MAX);
	if (r->i.opcode != LT_OPCODE_text)
		return;
	if (r->i.what >= p->b.n_op)
		lt__kernel_fail(p, LT_EINVAL, at, "there is no operator %" PRId32 "; %" PRId32 " are declared, from 0 on", r->i.what,
			p->b.n_op);
	r->op = &p->b.op[r->i.what];
}

static void read_operand_at(struct lt_kernel_parser *p, struct read_instruction *r, int k)
{
	enum lt_type_rule rule = r->facts->operand[k];
	struct lt_value_type t = rule == LT_RULE_FROM ? r->from : lt__rule_type(rule, r->t, r->op, k);
	r->i.operand[k] = read_value_or_constant(p, t);
}

static void read_element(struct lt_kernel_parser *p, struct read_instruction *r, char element)
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
	case 'd': read_name(p, r); break;
	case 'n': read_what(p, r); break;
	case 'v':
		r->i.what = read_known(p, true);
		r->t = (struct lt_value_type){ p->b.variable[r->i.what].dtype, p->b.variable[r->i.what].lanes };
		break;
	case 'b': r->i.what = read_known(p, false); break;
	case 'e': r->i.what = read_lane_operator(p); break;
	case 'o': r->i.what = read_operator(p); break;
	case 'u': r->i.number = read_operator(p); break;
	case 'a': read_address(p, r); break;
	case 'm':
		if (lt__kernel_accept(p, "mask"))
			read_operand_at(p, r, 2);
		break;
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
static void read_stored_lanes(struct lt_kernel_parser *p, struct read_instruction *r)
{
	if (p->kind == LT_KERNEL_VALUE && r->t.lanes == 1)
		r->t.lanes = lt__build_at(&p->b, read_value(p))->lanes;
}

/* Blocks are opened and closed in pairs: the builder relies on it. */
static void check_block(struct lt_kernel_parser *p, uint32_t opcode, struct lt_text_place at)
{
	const struct lt_region_builder *region = &p->b.region[p->b.now];
	uint32_t open = region->n_open ? region->at[region->open[region->n_open - 1]].opcode : LT_NOPCODE;
	if (opcode == LT_OPCODE_end && region->n_open == 0)
		lt__kernel_fail(p, LT_ESYNTAX, at, "this 'end' ends nothing: no loop and no if is open");
	if (opcode == LT_OPCODE_else && open != LT_OPCODE_if)
		lt__kernel_fail(p, LT_ESYNTAX, at, "'else' without an 'if' that is open: the block here is %s",
			open == LT_OPCODE_loop ? "a loop" : open == LT_OPCODE_else ? "an else" : "the region");
	if ((opcode == LT_OPCODE_loop || opcode == LT_OPCODE_if) && region->n_open == LT_MAX_BLOCKS)
		lt__kernel_fail(p, LT_EINVAL, at, "more than %d loops and ifs in one another", (int)LT_MAX_BLOCKS);
}

/* A value in front: %3 = */
static void read_front(struct lt_kernel_parser *p, struct read_instruction *r)
{
	if (p->kind != LT_KERNEL_VALUE)
		return;
	read_name(p, r);
	lt__kernel_expect(p, "=");
}

static void read_opcode(struct lt_kernel_parser *p, struct read_instruction *r)
{
	int32_t opcode = p->kind == LT_KERNEL_WORD ? lt__opcode_find(p->at, p->bytes) : -1;
	r->facts = opcode < 0 ? NULL : lt__opcode((uint32_t)opcode);
	if (r->facts && !r->facts->pattern)
		LT_KERNEL_SYNTAX(p, "a constant is written where it is used: `add i64 %%0 4`");
	if (!r->facts)
		LT_KERNEL_SYNTAX(p, "expected an instruction, found %s; docs/kernel.md lists them", lt__kernel_token(p).text);
	bool inside = *r->facts->pattern == 'd', makes = r->facts->value != LT_RULE_NONE && !inside;
	if (makes && !r->name)
		LT_KERNEL_SYNTAX(p, "'%s' makes a value: write %%NAME = %s ...", r->facts->name, r->facts->name);
	if (!makes && r->name)
		LT_KERNEL_SYNTAX(p, "'%s' %s; write no %%%.*s = before it", r->facts->name,
			inside ? "names its value itself" : "makes no value", (int)r->bytes, r->name);
	r->i.opcode = (uint16_t)opcode;
	lt__kernel_next(p);
}

void lt__kernel_instruction(struct lt_kernel_parser *p)
{
	struct read_instruction r = { .i = { .operand = { -1, -1, -1, -1 }, .what = -1 } };
	p->statement = p->place;
	read_front(p, &r);
	read_opcode(p, &r);
	for (const char *e = r.facts->pattern; *e; e += *e == ' ') {
		size_t n = strcspn(e, " ");
		char word[16] = "";
		memcpy(word, e, n < sizeof word ? n : 0);
		if (*e == '3' && n == 1)
			read_stored_lanes(p, &r);
		if (n == 1)
			read_element(p, &r, *e);
		else
			lt__kernel_expect(p, word);
		e += n;
	}
	r.i.origin = lt__kernel_origin(p);
	lt__kernel_line_end(p);
	struct lt_value_type t = lt__rule_type(r.facts->value, r.t, NULL, 0);
	r.i.dtype = (uint8_t)t.dtype;
	r.i.lanes = r.facts->value == LT_RULE_LIST ? (uint32_t)r.i.n_extra : t.lanes;
	check_block(p, r.i.opcode, p->statement);
	int32_t value = build_placed(p, r.i);
	if (r.name)
		lt__kernel_name_add(&p->values, r.name, r.bytes, value);
}
