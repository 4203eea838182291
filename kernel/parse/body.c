/* body.c -- instructions of a kernel program's text, element by element as kernel/form/form.h has them. */
#include <string.h>
#include "kernel/parse/parser.h"

/* Blocks are opened and closed in pairs: the builder relies on it. */
static void check_block(struct lt_kernel_parser *p, uint32_t opcode, struct lt_text_position at)
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
static void read_front(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	if (p->kind != LT_KERNEL_VALUE)
		return;
	lt__kernel_value_name(p, r);
	lt__kernel_expect(p, "=");
}

static void read_opcode(struct lt_kernel_parser *p, struct lt_read_instruction *r)
{
	int32_t opcode = p->kind == LT_KERNEL_WORD ? lt__opcode_find(p->at, p->bytes) : -1;
	r->facts = opcode < 0 ? NULL : lt__opcode((uint32_t)opcode);
	if (r->facts && !r->facts->pattern)
		LT_KERNEL_SYNTAX(p, "a constant is written where it is used: `add i64 %%0 4`");
	if (!r->facts) {
		const char *near = p->kind == LT_KERNEL_WORD ? lt__opcode_near(p->at, p->bytes) : NULL;
		LT_KERNEL_SYNTAX(p, "expected an instruction, found %s; %s%s%s", lt__kernel_token(p).text,
			near ? "did you mean '" : "docs/kernel.md lists them", near ? near : "", near ? "'?" : "");
	}
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
	struct lt_read_instruction r = { .i = { .operand = { -1, -1, -1, -1 }, .what = -1 } };
	p->statement = p->position;
	read_front(p, &r);
	read_opcode(p, &r);
	for (const char *e = r.facts->pattern; *e; e += *e == ' ') {
		size_t n = strcspn(e, " ");
		char word[16] = "";
		memcpy(word, e, n < sizeof word ? n : 0);
		if (*e == '3' && n == 1)
			lt__kernel_stored_lanes(p, &r);
		if (n == 1)
			lt__kernel_element(p, &r, *e);
		else
			lt__kernel_expect(p, word);
		e += n;
	}
	if (r.facts->source == LT_TYPE_OF_PREFETCH && r.t.lanes > 1 && r.i.operand[1] < 0 && r.i.operand[2] < 0)
		lt__kernel_fail(p, LT_EINVAL, p->statement,
			"a prefetch without index and mask is of one address; leave out the type");
	r.i.origin = lt__kernel_origin(p);
	lt__kernel_line_end(p);
	struct lt_value_type t = lt__rule_type(r.facts->value, r.t, NULL, 0);
	r.i.dtype = (uint8_t)t.dtype;
	r.i.lanes = r.facts->value == LT_RULE_LIST ? (uint32_t)r.i.n_extra : t.lanes;
	check_block(p, r.i.opcode, p->statement);
	int32_t value = lt__kernel_build(p, r.i);
	if (r.name)
		lt__kernel_name_add(&p->values, r.name, r.bytes, value);
}
