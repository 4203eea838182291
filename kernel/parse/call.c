/* call.c -- what a routine is called for, in the text of a kernel program (parser.h).
 *
 *   call ROUTINE f32 (bias, relu) (row m 64, column n 128, deep k 256) c (128, 1, 0) a (256, 0, 1) ... @7
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
		operand[c->n_operand].buffer = lt__kernel_known(p, LT_KERNEL_BUFFER);
		operand[c->n_operand].strides = stride;
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

void lt__kernel_read_call(struct lt_kernel_parser *p)
{
	struct lt_kernel_call c = { .routine = lt__kernel_word(p, "a routine's name") };
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
