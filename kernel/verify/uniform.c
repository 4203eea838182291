/* uniform.c -- who has to run an instruction of a grid together, and that they do (verifier.h). */
#include <inttypes.h>
#include "kernel/form/form.h"
#include "kernel/verify/verifier.h"

static const char *const of_whom[] = { "a thread", "a subgroup", "four subgroups", "a block", "a launch" };

/* Who has to run an instruction together. */
static enum lt_uniformity scope_of(const struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	switch (i->opcode) {
	case LT_OPCODE_barrier:
		return i->what == LT_BARRIER_BLOCK && i->number == 0 ? LT_UNIFORM_BLOCK : LT_UNIFORM_SUBGROUP;
	case LT_OPCODE_exchange:
	case LT_OPCODE_commit:
	case LT_OPCODE_wait: return LT_UNIFORM_SUBGROUP;
	case LT_OPCODE_fragment:
	case LT_OPCODE_matrix: return v->k->matrices[i->what].threads == 128 ? LT_UNIFORM_FOUR : LT_UNIFORM_SUBGROUP;
	default: return LT_UNIFORM_THREAD;
	}
}

/* The outermost block around it that its threads do not run together. */
static int32_t culprit(const struct lt_uniform *u, int32_t at, enum lt_uniformity scope)
{
	int32_t found = -1;
	for (int32_t b = u->block[at]; b >= 0 && u->control[b] < scope; b = u->block[b])
		found = b;
	return found;
}

static void check_control(struct lt_kernel_verifier *v, const struct lt_uniform *u, const struct lt_instruction *i)
{
	enum lt_uniformity scope = scope_of(v, i);
	int32_t block = culprit(u, v->at, scope);
	if (block >= 0)
		lt__verify_fail(v, block, "move it out of that block, and turn off the single statements instead",
			"all threads of %s run '%s' or none does, but the %s around it differ among them", of_whom[scope],
			lt_opcode_name(i->opcode), v->k->instructions[block].opcode == LT_OPCODE_if ? "conditions of the 'if'"
			: "trips of the 'loop'");
}

static void check_operand(
	struct lt_kernel_verifier *v, const struct lt_uniform *u, int k, enum lt_uniformity scope, const char *what)
{
	int32_t value = v->k->instructions[v->at].operand[k];
	if (value >= 0 && u->value[value] < scope)
		lt__verify_fail(v, value, "take what one member has: `exchange index` from a constant number",
			"%s of '%s' is the same in all threads of %s, but operand %d differs among them",
			what, lt_opcode_name(v->k->instructions[v->at].opcode), of_whom[scope], k);
}

/* What a block may do before it leaves. */
static bool comes_after_leave(uint32_t opcode)
{
	return opcode == LT_OPCODE_barrier || opcode == LT_OPCODE_exchange || opcode == LT_OPCODE_copy_async
		|| opcode == LT_OPCODE_commit || opcode == LT_OPCODE_wait || opcode == LT_OPCODE_matrix
		|| opcode == LT_OPCODE_fragment;
}

static void check_grid(struct lt_kernel_verifier *v, const struct lt_uniform *u)
{
	const struct lt_region *r = &v->k->regions[v->region];
	int32_t waited = -1;
	for (v->at = r->first; v->at < r->first + r->n; v->at++) {
		const struct lt_instruction *i = &v->k->instructions[v->at];
		check_control(v, u, i);
		if (i->opcode == LT_OPCODE_exchange && i->what != LT_EXCHANGE_INDEX)
			check_operand(v, u, 1, LT_UNIFORM_SUBGROUP, "the distance");
		if (i->opcode == LT_OPCODE_fragment)
			check_operand(v, u, 0, scope_of(v, i), "an address");
		for (int part = 0; i->opcode == LT_OPCODE_matrix && part < 2; part++)
			if (lt__matrix_location(v->k, i, part).buffer >= 0)
				check_operand(v, u, part, scope_of(v, i), "an address");
		if (i->opcode == LT_OPCODE_leave) {
			check_operand(v, u, 0, LT_UNIFORM_BLOCK, "the condition");
			if (waited >= 0)
				lt__verify_fail(v, waited, "put it at the beginning", "a block leaves before its threads wait for each other");
		}
		if (waited < 0 && comes_after_leave(i->opcode))
			waited = v->at;
	}
}

void lt__verify_uniform(struct lt_kernel_verifier *v)
{
	bool grids = false;
	for (uint32_t r = 0; r < v->k->n_region; r++)
		grids = grids || v->k->regions[r].kind == LT_REGION_GRID;
	if (!grids)
		return;
	struct lt_uniform u = lt__uniform(v->k, &v->pool);
	for (v->region = 0; v->region < (int32_t)v->k->n_region; v->region++)
		if (v->k->regions[v->region].kind == LT_REGION_GRID)
			check_grid(v, &u);
}
