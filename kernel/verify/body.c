/* body.c -- the walk through a program's instructions: members, types, blocks, what is there to be used
 * (verifier.h). */
#include <inttypes.h>
#include <string.h>
#include "kernel/verify/verifier.h"

enum { MAX_ORIGIN = (1 << 24) - 1 };    /* what counts by statement has as many rows */

/* A value is used: operand k, or value k of those handed over. */
static void check_use(struct lt_kernel_verifier *v, const char *as, int k, int64_t value)
{
	const struct lt_kernel *kernel = v->k;
	if (value < 0 || value >= v->at)
		lt__verify_fail(v, -1, "move what makes it in front", "%s %d is no value of an instruction before this one", as, k);
	const struct lt_instruction *x = &kernel->instructions[value];
	if (value < kernel->regions[v->region].first)
		lt__verify_fail(v, (int32_t)value, "hand it over by launch", "%s %d is made in another region", as, k);
	if (!x->dtype)
		lt__verify_fail(v, (int32_t)value, "use what that instruction was given, or get it",
			"%s %d is an instruction that makes no value", as, k);
	if (v->block[value] >= 0 && !v->is_open[v->block[value]])
		lt__verify_fail(v, (int32_t)value, "make it before that block, or keep it in a variable",
			"%s %d is made in a block that has ended", as, k);
	if (x->opcode == LT_OPCODE_get && lt__verify_is_stale(v, (int32_t)value))
		lt__verify_fail(v, (int32_t)value, "get it again", "%s %d is what variable %s held before it was set again", as, k,
			kernel->variables[x->what].name);
}

static struct lt_value_type type_at(const struct lt_kernel *k, int64_t value)
{
	return (struct lt_value_type){ k->instructions[value].dtype, k->instructions[value].lanes };
}

static void check_there(struct lt_kernel_verifier *v, const struct lt_instruction *i, const struct lt_opcode_facts *f)
{
	for (int k = 0; k < 4; k++) {
		if (i->operand[k] == -1 && (f->operand[k] == LT_RULE_NONE || f->optional >> k & 1))
			continue;
		if (f->operand[k] == LT_RULE_NONE)
			lt__verify_fail(v, -1, "make it -1", "'%s' has no operand %d", f->name, k);
		check_use(v, "operand", k, i->operand[k]);
	}
}

static bool is_in(uint64_t types, uint32_t dtype) { return dtype <= LT_LANE_MASK && types >> dtype & 1; }

static void check_types(struct lt_kernel_verifier *v, const struct lt_instruction *i, const struct lt_opcode_facts *f)
{
	struct lt_value_type t = lt__instruction_type(v->k, i);
	const struct lt_op *op = i->opcode == LT_OPCODE_text ? &v->k->ops[i->what] : NULL;
	if (f->types && (!is_in(f->types, t.dtype) || t.lanes < 1 || t.lanes > LT_MAX_LANES))
		lt__verify_fail(v, -1, "cast to a type that it has (docs/kernel.md)",
			"'%s' does not exist for type %s", f->name, lt__shown_type(t).text);
	for (int k = 0; k < 4; k++) {
		struct lt_value_type want = lt__rule_type(f->operand[k], t, op, k), is;
		if (i->operand[k] < 0)
			continue;
		is = type_at(v->k, i->operand[k]);
		if (f->operand[k] == LT_RULE_ANY)
			want = is;
		if (f->operand[k] == LT_RULE_FROM && is.dtype != LT_LANE_MASK)
			want.dtype = is.dtype;
		if (f->operand[k] == LT_RULE_FOUR && type_at(v->k, i->operand[0]).dtype == LT_U8)
			want.dtype = LT_U8;
		if (is.dtype != want.dtype || is.lanes != want.lanes)
			lt__verify_fail(v, i->operand[k], "cast, splat or shuffle it first",
				"operand %d of '%s' is %s; %s is needed", k, f->name,
				lt__shown_type(is).text, lt__shown_type(want).text);
	}
	struct lt_value_type value = lt__rule_type(f->value, t, op, 0);
	if (f->value == LT_RULE_LIST)
		value.lanes = (uint32_t)i->n_extra;
	if (i->dtype != value.dtype || i->lanes != value.lanes)
		lt__verify_fail(v, -1, "change dtype and lanes to that", "'%s' makes %s, not %s", f->name,
			value.dtype ? lt__shown_type(value).text : "no value",
			lt__shown_type((struct lt_value_type){ i->dtype, i->lanes }).text);
}

static void check_extras(struct lt_kernel_verifier *v, const struct lt_instruction *i, const struct lt_opcode_facts *f)
{
	char list = lt__opcode_list(f);
	bool values = list == 'h', lanes = list == 'k';
	int64_t end = (int64_t)i->first_extra + i->n_extra;
	int32_t min = list == 'y' ? 2 : list == 'z' ? 2 * LT_MATRIX_LOCATION + 1
		: list == 'x' ? LT_MATRIX_LOCATION : 0;
	if (!list && i->n_extra == 0)
		return;
	if (!list || i->n_extra < 0 || i->first_extra < 0 || end > (int64_t)v->k->n_extra)
		lt__verify_fail(v, -1, "correct first_extra and n_extra", "'%s' has a list of values that %s", f->name,
			list ? "is not inside of `extras`" : "it should not have");
	if (i->n_extra < min || ((list == 'y' || list == 'x') && i->n_extra > min))
		lt__verify_fail(v, -1, "correct n_extra",
			"'%s' has too %s extras: %" PRId32, f->name, i->n_extra < min ? "few" : "many",
			i->n_extra);
	if (lanes && (i->n_extra < 1 || i->n_extra > LT_MAX_LANES))
		lt__verify_fail(v, -1, "make several values",
			"a value has 1 to %d lanes, not %" PRId32, (int)LT_MAX_LANES, i->n_extra);
	for (int32_t e = 0; values && e < i->n_extra; e++)
		check_use(v, "the value handed over as", e, v->k->extras[i->first_extra + e]);
}

static void open_block(struct lt_kernel_verifier *v)
{
	if (v->n_open == LT_MAX_BLOCKS)
		lt__verify_fail(v, -1, "move the inner ones to a team, or join conditions with `and`",
			"more than %d loops and ifs in one another", (int)LT_MAX_BLOCKS);
	v->open[v->n_open++] = (struct lt_open_block){ v->at, v->n_change };
	v->is_open[v->at] = true;
}

/* The block ends at this instruction; what it began with. */
static struct lt_open_block close_block(struct lt_kernel_verifier *v)
{
	struct lt_open_block b = v->open[--v->n_open];
	v->is_open[b.opener] = false;
	if (v->k->instructions[b.opener].what != v->at)
		lt__verify_fail(v, b.opener, "let `what` be the index of the end, or of the else",
			"`what` of the '%s' that ends here is not this instruction",
			lt_opcode_name(v->k->instructions[b.opener].opcode));
	return b;
}

static void enter_loop(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	open_block(v);
	v->block[v->at] = v->at;
	v->open_loop[v->n_open_loop++] = v->at;
	const struct lt_instruction *to = &v->k->instructions[i->operand[1]];
	if (to->opcode == LT_OPCODE_get && lt__verify_is_stale(v, i->operand[1]))
		lt__verify_fail(v, i->operand[1], "copy it first: `copy i64 %N`",
			"the end of the loop is what variable %s holds, but the loop changes it", v->k->variables[to->what].name);
}

static void enter_else(struct lt_kernel_verifier *v)
{
	if (v->n_open == 0 || v->k->instructions[v->open[v->n_open - 1].opener].opcode != LT_OPCODE_if)
		lt__verify_fail(v, -1, "write the if, or remove the else", "'else' without an 'if' that is open");
	int32_t first = close_block(v).first_change;
	lt__verify_else(v, first);
	open_block(v);
	v->open[v->n_open - 1].first_change = first;
}

static void end_block(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	if (v->n_open == 0)
		lt__verify_fail(v, -1, "remove it", "this 'end' ends nothing: no loop and no if is open");
	struct lt_open_block b = close_block(v);
	if (i->what != b.opener)
		lt__verify_fail(v, b.opener, "let `what` be the index of the loop, if or else",
			"`what` of 'end' is not what it ends");
	if (v->k->instructions[b.opener].opcode == LT_OPCODE_loop)
		v->n_open_loop--;
	else
		lt__verify_joined(v, b.first_change);
}

static void check_instruction(struct lt_kernel_verifier *v)
{
	const struct lt_instruction *i = &v->k->instructions[v->at];
	const struct lt_opcode_facts *f = lt__opcode(i->opcode);
	if (!f)
		lt__verify_fail(v, -1, "take one of enum lt_operator_opcode or lt_machine_opcode",
			"there is no opcode %u", (unsigned)i->opcode);
	int allowed = i->opcode == LT_OPCODE_loop ? LT_INSTRUCTION_UNROLL
		: i->opcode == LT_OPCODE_store ? LT_INSTRUCTION_STREAM
		: i->opcode == LT_OPCODE_matrix ? LT_INSTRUCTION_ASYNC : 0;
	if (i->flags & ~allowed)
		lt__verify_fail(v, -1, "clear them", "'%s' has flags 0x%x, which it does not know", f->name, (unsigned)i->flags);
	if (i->origin < -1 || i->origin > MAX_ORIGIN)
		lt__verify_fail(v, -1, "make it -1",
			"an origin is -1 or an index of at most %d, not %" PRId32, (int)MAX_ORIGIN, i->origin);
	lt__verify_what(v, i, f);
	check_there(v, i, f);
	check_extras(v, i, f);
	check_types(v, i, f);
	lt__verify_opcode(v, i);
	v->block[v->at] = v->n_open ? v->open[v->n_open - 1].opener : -1;
	switch (i->opcode) {
	case LT_OPCODE_get: v->got[v->at] = v->version[i->what]; break;
	case LT_OPCODE_set:
	case LT_OPCODE_update: lt__verify_changed(v, i->what); break;
	case LT_OPCODE_if: open_block(v); break;
	case LT_OPCODE_loop: enter_loop(v, i); break;
	case LT_OPCODE_else: enter_else(v); break;
	case LT_OPCODE_end: end_block(v, i); break;
	case LT_OPCODE_matrix:
		for (int32_t e = 2 * LT_MATRIX_LOCATION; e < i->n_extra; e++)
			lt__verify_changed(v, (int32_t)v->k->extras[i->first_extra + e]);
		break;
	default: break;
	}
}

void lt__verify_regions(struct lt_kernel_verifier *v)
{
	for (uint32_t r = 0; r < v->k->n_region; r++) {
		const struct lt_region *region = &v->k->regions[r];
		v->region = (int32_t)r;
		v->n_open = v->n_open_loop = v->n_change = 0;
		for (v->at = region->first; v->at < region->first + region->n; v->at++)
			check_instruction(v);
		if (v->n_open) {
			v->at = v->open[v->n_open - 1].opener;
			lt__verify_fail(v, -1, "write `end` behind its block",
				"this '%s' has no 'end'", lt_opcode_name(v->k->instructions[v->at].opcode));
		}
	}
}
