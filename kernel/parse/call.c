/* call.c -- what a routine is called for, in the text of a kernel program (parser.h).
 *
 *   call ROUTINE f32 (bias, relu) (row m 64, column n 128, deep k 256) c (128, 1, 0) a (256, 0, 1) ... @7
 *
 * or, described by lines of its own:
 *
 *   call ROUTINE (row m 64, deep k 256) @7
 *   	result c (1, 0) o1
 *   	read a (256, 1) if (1, 0) else 0x0
 *   	map f32 mul (m, k) r0, f32 0x40000000
 *   	reduce f32 add (m, k) along (k) o0
 *   	end
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "kernel/parse/parser.h"

/* One of the words up to a NULL, by its number. */
static int32_t call_word(struct lt_kernel_parser *p, const char *const *words)
{
	char all[120] = "";
	for (int32_t w = 0; words[w]; w++) {
		size_t n = strlen(all);
		if (lt__kernel_accept(p, words[w]))
			return w;
		(void)snprintf(all + n, sizeof all - n, "%s'%s'", w ? words[w + 1] ? ", " : " or " : "", words[w]);
	}
	LT_KERNEL_SYNTAX(p, "expected %s, found %s", all, lt__kernel_token(p).text);
}

static void read_epilogues(struct lt_kernel_parser *p, struct lt_kernel_call *c)
{
	lt__kernel_expect(p, "(");
	while (!lt__kernel_is(p, ")")) {
		if (c->epilogues)
			lt__kernel_expect(p, ",");
		c->epilogues |= 1u << call_word(p, lt__call_epilogues);
	}
	lt__kernel_next(p);
}

static void read_dims(struct lt_kernel_parser *p, struct lt_kernel_call *c)
{
	struct lt_kernel_call_dim *dim = lt__pool_alloc(&p->scratch, LT_MAX_CALL_DIMS, sizeof *dim);
	lt__kernel_expect(p, "(");
	while (!lt__kernel_is(p, ")")) {
		if (c->n_dim)
			lt__kernel_expect(p, ",");
		if (c->n_dim == LT_MAX_CALL_DIMS)
			LT_KERNEL_SYNTAX(p, "more than %d dims", (int)LT_MAX_CALL_DIMS);
		dim[c->n_dim].role = call_word(p, lt__call_roles);
		dim[c->n_dim].var = lt__kernel_word(p, "a dim's name");
		dim[c->n_dim].extent = lt__kernel_number(p, "how many there are at most", 1, INT64_MAX);
		c->n_dim++;
	}
	lt__kernel_next(p);
	c->dims = dim;
}

/* NAME (128, 1, 0): a stride for each dim. */
static void read_operands(struct lt_kernel_parser *p, struct lt_kernel_call *c)
{
	struct lt_kernel_call_operand *operand = lt__pool_alloc(&p->scratch, LT_MAX_CALL_OPERANDS, sizeof *operand);
	while (p->kind == LT_KERNEL_WORD) {
		int64_t *stride = lt__pool_alloc(&p->scratch, (size_t)c->n_dim + 1, sizeof *stride);
		if (c->n_operand == LT_MAX_CALL_OPERANDS)
			LT_KERNEL_SYNTAX(p, "more than %d operands", (int)LT_MAX_CALL_OPERANDS);
		operand[c->n_operand] = (struct lt_kernel_call_operand){ .buffer = lt__kernel_known(p, LT_KERNEL_BUFFER),
			.strides = stride };
		lt__kernel_expect(p, "(");
		for (int32_t d = 0; d < c->n_dim; d++) {
			if (d)
				lt__kernel_expect(p, ",");
			stride[d] = lt__kernel_number(p, "elements from one to the next along a dim", INT64_MIN, INT64_MAX);
		}
		lt__kernel_expect(p, ")");
		c->n_operand++;
	}
	c->operands = operand;
}

/* -- by its description -- */

static const int64_t *read_strides(struct lt_kernel_parser *p, const struct lt_kernel_call *c)
{
	int64_t *stride = lt__pool_alloc(&p->scratch, (size_t)c->n_dim + 1, sizeof *stride);
	lt__kernel_expect(p, "(");
	for (int32_t d = 0; d < c->n_dim; d++) {
		if (d)
			lt__kernel_expect(p, ",");
		stride[d] = lt__kernel_number(p, "how far a position along a dim moves it", INT64_MIN, INT64_MAX);
	}
	lt__kernel_expect(p, ")");
	return stride;
}

/* r3, o0: its number; -1: it is no such word. */
static int32_t accept_numbered(struct lt_kernel_parser *p, char letter)
{
	if (p->kind != LT_KERNEL_WORD || p->bytes < 2 || p->bytes > 8 || *p->at != letter)
		return -1;
	int32_t n = 0;
	for (size_t i = 1; i < p->bytes; i++) {
		if (p->at[i] < '0' || p->at[i] > '9')
			return -1;
		n = 10 * n + (p->at[i] - '0');
	}
	lt__kernel_next(p);
	return n;
}

static void read_result(struct lt_kernel_parser *p, const struct lt_kernel_call *c, struct lt_kernel_call_operand *x)
{
	*x = (struct lt_kernel_call_operand){ .buffer = lt__kernel_known(p, LT_KERNEL_BUFFER) };
	x->strides = read_strides(p, c);
	x->op = accept_numbered(p, 'o');
	if (x->op < 0)
		LT_KERNEL_SYNTAX(p, "expected the op that is written, such as o3, found %s", lt__kernel_token(p).text);
}

static void read_read(struct lt_kernel_parser *p, const struct lt_kernel_call *c, struct lt_kernel_call_operand *x)
{
	int64_t *guard = NULL;
	*x = (struct lt_kernel_call_operand){ .buffer = lt__kernel_known(p, LT_KERNEL_BUFFER) };
	x->strides = read_strides(p, c);
	while (lt__kernel_accept(p, "if")) {
		const int64_t *one = read_strides(p, c), *before = guard;
		if (x->n_guard == LT_MAX_CALL_GUARDS)
			LT_KERNEL_SYNTAX(p, "more than %d guards", (int)LT_MAX_CALL_GUARDS);
		guard = lt__pool_alloc(&p->scratch, (size_t)(x->n_guard + 1) * (size_t)(c->n_dim + 1), sizeof *guard);
		for (int32_t d = 0; d < x->n_guard * c->n_dim; d++)
			guard[d] = before[d];
		for (int32_t d = 0; d < c->n_dim; d++)
			guard[x->n_guard * c->n_dim + d] = one[d];
		x->n_guard++;
	}
	x->guards = guard;
	if (x->n_guard) {
		lt__kernel_expect(p, "else");
		x->fill = lt__kernel_hex(p, "what it is where a guard is negative");
	}
}

static uint64_t read_dim_set(struct lt_kernel_parser *p, const struct lt_kernel_call *c)
{
	uint64_t set = 0;
	lt__kernel_expect(p, "(");
	while (!lt__kernel_is(p, ")")) {
		if (set)
			lt__kernel_expect(p, ",");
		struct lt_text_position at = p->position;
		const char *name = lt__kernel_word(p, "a dim's name");
		int32_t d = 0;
		while (d < c->n_dim && strcmp(c->dims[d].var, name) != 0)
			d++;
		if (d == c->n_dim || set >> d & 1)
			lt__kernel_fail(p, LT_ESYNTAX, at, d == c->n_dim ? "the call has no dim of that name" : "that dim is named twice");
		set |= UINT64_C(1) << d;
	}
	lt__kernel_next(p);
	return set;
}

static uint32_t read_element_type(struct lt_kernel_parser *p)
{
	struct lt_text_position at = p->position;
	struct lt_value_type t = lt__kernel_type(p);
	if (t.lanes != 1 || t.dtype == LT_LANE_MASK)
		lt__kernel_fail(p, LT_ESYNTAX, at, "expected the type of one element, such as f32");
	return t.dtype;
}

static struct lt_kernel_call_value read_call_value(struct lt_kernel_parser *p, const struct lt_kernel_call *c)
{
	int32_t at = accept_numbered(p, 'o');
	if (at >= 0)
		return (struct lt_kernel_call_value){ .kind = LT_VALUE_OP, .at = at };
	at = accept_numbered(p, 'r');
	if (at >= 0)
		return (struct lt_kernel_call_value){ .kind = LT_VALUE_READ, .at = at };
	if (lt__kernel_accept(p, "place"))
		return (struct lt_kernel_call_value){ .kind = LT_VALUE_PLACE, .at = -1, .dtype = LT_I64,
			.strides = read_strides(p, c) };
	uint32_t dtype = read_element_type(p);
	return (struct lt_kernel_call_value){ .kind = LT_VALUE_BITS, .at = -1, .dtype = dtype,
		.bits = lt__kernel_hex(p, "typed bits") };
}

static void read_call_op(struct lt_kernel_parser *p, const struct lt_kernel_call *c, int32_t kind,
	struct lt_kernel_call_op *out)
{
	struct lt_kernel_call_value *value = lt__pool_alloc(&p->scratch, 3, sizeof *value);
	*out = (struct lt_kernel_call_op){ .kind = kind, .opcode = LT_OPCODE_cast, .dtype = read_element_type(p),
		.values = value };
	if (kind != LT_CALL_CAST) {
		struct lt_text_position at = p->position;
		const char *name = lt__kernel_word(p, "an operator");
		out->opcode = 1;
		while (out->opcode < LT_NOPERATOR_OPCODE && strcmp(lt_opcode_name(out->opcode), name) != 0)
			out->opcode++;
		if (out->opcode == LT_NOPERATOR_OPCODE)
			lt__kernel_fail(p, LT_ESYNTAX, at, "there is no operator of that name");
	}
	out->dims = read_dim_set(p, c);
	if (kind == LT_CALL_REDUCE) {
		lt__kernel_expect(p, "along");
		out->reduced = read_dim_set(p, c);
	}
	do {
		if (out->n_value == 3)
			LT_KERNEL_SYNTAX(p, "an operator has at most three operands");
		value[out->n_value++] = read_call_value(p, c);
	} while (lt__kernel_accept(p, ","));
	out->may_skip = lt__kernel_accept(p, "skip") ? 1 : lt__kernel_accept(p, "may") ? 2 : 0;
}

/* What a value's type is follows from what it names. */
static void type_values(struct lt_kernel_parser *p, const struct lt_kernel_call *c)
{
	for (int32_t o = 0; o < c->n_op; o++)
		for (int32_t v = 0; v < c->ops[o].n_value; v++) {
			struct lt_kernel_call_value *x = (struct lt_kernel_call_value *)(uintptr_t)&c->ops[o].values[v];
			int32_t read = c->n_result + x->at;
			if (x->kind == LT_VALUE_OP && x->at < c->n_op)
				x->dtype = c->ops[x->at].dtype;
			else if (x->kind == LT_VALUE_READ && read < c->n_operand)
				x->dtype = p->b.buffer[c->operands[read].buffer].dtype;
		}
}

static void read_description(struct lt_kernel_parser *p, struct lt_kernel_call *c)
{
	static const char *const kinds[] = { "map", "reduce", "cast" };
	struct lt_kernel_call_operand *operand = NULL;
	struct lt_kernel_call_op *op = NULL;
	int32_t cap_operand = 0, cap_op = 0;
	while (p->kind == LT_KERNEL_LINE) {
		lt__kernel_next(p);
		if (p->kind == LT_KERNEL_LINE)
			continue;
		if (lt__kernel_accept(p, "end"))
			break;
		if (c->n_operand == LT_MAX_CALL_PARTS || c->n_op == LT_MAX_CALL_PARTS)
			LT_KERNEL_SYNTAX(p, "a call has at most %d results, reads or ops", (int)LT_MAX_CALL_PARTS);
		operand = lt__pool_grown(&p->scratch, operand, c->n_operand, &cap_operand, sizeof *operand);
		op = lt__pool_grown(&p->scratch, op, c->n_op, &cap_op, sizeof *op);
		int32_t kind = 0;
		while (kind < 3 && !lt__kernel_is(p, kinds[kind]))
			kind++;
		if (kind < 3) {
			lt__kernel_next(p);
			read_call_op(p, c, kind, &op[c->n_op++]);
		} else if (c->n_operand == c->n_result && lt__kernel_accept(p, "result")) {
			read_result(p, c, &operand[c->n_operand++]);
			c->n_result++;
		} else if (lt__kernel_accept(p, "read")) {
			read_read(p, c, &operand[c->n_operand++]);
		} else {
			LT_KERNEL_SYNTAX(p, "expected a line that begins with result (before reads), read, map, reduce, cast or end, "
				"found %s", lt__kernel_token(p).text);
		}
		lt__kernel_line_end(p);
	}
	c->operands = operand;
	c->ops = op;
	if (!c->n_result)
		LT_KERNEL_SYNTAX(p, "a call that is described has a result");
	type_values(p, c);
}

void lt__kernel_read_call(struct lt_kernel_parser *p)
{
	struct lt_kernel_call c = { .routine = lt__kernel_word(p, "a routine's name") };
	if (lt__kernel_is(p, "(")) {
		read_dims(p, &c);
		c.origin = lt__kernel_origin(p);
		lt__kernel_line_end(p);
		read_description(p, &c);
		(void)lt__build_call(&p->b, &c);
		lt__kernel_located(p, LT_PART_CALL, p->statement);
		return;
	}
	struct lt_text_position at = p->position;
	struct lt_value_type sum = lt__kernel_type(p);
	if (sum.lanes != 1 || sum.dtype == LT_LANE_MASK)
		lt__kernel_fail(p, LT_ESYNTAX, at, "expected the type of one element, such as f32");
	c.sum = sum.dtype;
	read_epilogues(p, &c);
	read_dims(p, &c);
	read_operands(p, &c);
	c.origin = lt__kernel_origin(p);
	(void)lt__build_call(&p->b, &c);
	lt__kernel_located(p, LT_PART_CALL, p->statement);
}
