/* element.c -- what instructions of a kernel program's text are made of, by the letters of kernel/form/form.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "kernel/parse/parser.h"

static void read_type(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	struct lt_text_position at = p->position;
	r->t = lt__kernel_type(p);
	if (!(r->facts->types >> r->t.dtype & 1))
		lt__kernel_fail(p, LT_EINVAL, at, "'%s' does not exist for type %s", r->facts->name, lt__shown_type(r->t).text);
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
		return lt__kernel_build_constant(p, t, lt__kernel_constant(p, t));
	}
	int32_t value = lt__kernel_read_value(p);
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
	if (r->facts->operand[0] == LT_RULE_FOUR) {
		if ((r->from.dtype == LT_I8 || r->from.dtype == LT_U8) && r->from.lanes == 4 * r->t.lanes)
			return;
		lt__kernel_fail(p, LT_EINVAL, at, "%s from %s: four of i8 or u8 go to each lane", lt__shown_type(r->t).text,
			lt__shown_type(r->from).text);
	}
	if (r->from.lanes != r->t.lanes || r->from.dtype == LT_LANE_MASK)
		lt__kernel_fail(p, LT_EINVAL, at, "%s from %s: both have as many lanes, and a mask is no number (see `flag`)",
			lt__shown_type(r->t).text, lt__shown_type(r->from).text);
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
	struct lt_value_type t = rule == LT_RULE_FROM || rule == LT_RULE_FOUR ? r->from : lt__rule_type(rule, r->t, r->op, k);
	r->i.operand[k] = lt__kernel_operand(p, t);
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
		r->i.what = lt__kernel_known(p, LT_KERNEL_VARIABLE);
		r->t = (struct lt_value_type){ p->b.variable[r->i.what].dtype, p->b.variable[r->i.what].lanes };
		break;
	case 'b': r->i.what = lt__kernel_known(p, LT_KERNEL_BUFFER); break;
	case 'e': r->i.what = read_lane_operator(p); break;
	case 'o': r->i.what = read_operator(p); break;
	case 'u': r->i.number = read_operator(p); break;
	case 'a': lt__kernel_read_address(p, r); break;
	case 'm':
		if (lt__kernel_accept(p, "mask"))
			read_operand_at(p, r, 2);
		break;
	case 'q': r->i.flags |= lt__kernel_accept(p, "async") ? LT_INSTRUCTION_ASYNC : 0; break;
	case 'w': r->i.what = read_one_word(p, r->i.opcode); break;
	case 'c': r->i.number = lt__kernel_number(p, "a number", 0, INT32_MAX); break;
	case 'j': r->i.stride = lt__kernel_number(p, "a number of threads", 1, LT_MAX_THREADS); break;
	case 'y': lt__kernel_read_source(p, r); break;
	case 'g': r->i.what = lt__kernel_known(p, LT_KERNEL_MATRIX); break;
	case 'z': lt__kernel_read_accumulators(p, r); break;
	case 'A':
	case 'B': lt__kernel_read_matrix(p, r, element - 'A'); break;
	case 'r':
		r->i.number = lt__kernel_accept(p, "b");
		if (!r->i.number)
			lt__kernel_expect(p, "a");
		break;
	case 'x': lt__kernel_read_fragment(p, r); break;
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
		r->t.lanes = lt__build_at(&p->b, lt__kernel_read_value(p))->lanes;
}
