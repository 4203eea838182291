/* accept.c -- whether a dialect can express a program: what it cannot is named, before anything is
 * printed.
 */
#include "backends/text/part.h"
#include "kernel/form/form.h"

static lt_status accept_teams(const struct lt_text_dialect *d, const struct lt_kernel *k, struct lt_diag *diag)
{
	for (uint32_t r = 1; r < k->n_region; r++)
		if (k->regions[r].kind == LT_REGION_GRID)
			return lt__report(diag, LT_EUNSUPPORTED, k->regions[r].origin, -1, "print it as CUDA C or OpenCL C",
				"%s has no grids, as region %u of kernel %s is one", d->name, (unsigned)r, k->name);
	if (k->n_call)
		return lt__report(diag, LT_EUNSUPPORTED, k->calls[0].origin, -1, "lower it for a machine without calls",
			"%s calls no routines, as kernel %s does: %s", d->name, k->name, k->calls[0].routine);
	return LT_OK;
}

/* What the host does besides launches has no memory, and one lane. */
static bool host_has(const struct lt_kernel *k, const struct lt_instruction *x)
{
	const struct lt_value_type type = lt__instruction_type(k, x);
	switch (x->opcode) {
	case LT_OPCODE_load: case LT_OPCODE_store: case LT_OPCODE_fault: case LT_OPCODE_array: case LT_OPCODE_text:
	case LT_OPCODE_fold: case LT_OPCODE_each: case LT_OPCODE_launch: return false;
	default: return x->lanes <= 1 && type.lanes <= 1;
	}
}

static bool is_written(const struct lt_kernel *k, int32_t slot)
{
	for (uint32_t b = 0; b < k->n_buffer; b++)
		if (k->buffers[b].space == LT_SPACE_SLOT && k->buffers[b].slot == slot && k->buffers[b].written)
			return true;
	return false;
}

static lt_status accept_host(const struct lt_text_dialect *d, const struct lt_kernel *k, struct lt_diag *diag)
{
	for (int32_t i = k->regions[0].first; i < k->regions[0].first + k->regions[0].n; i++) {
		const struct lt_instruction *x = &k->instructions[i];
		if (!host_has(k, x))
			return lt__report(diag, LT_EUNSUPPORTED, -1, x->origin, "do it in a grid of one thread",
				"the host only launches grids in %s; kernel %s does '%s' there", d->name, k->name, lt_opcode_name(x->opcode));
	}
	for (uint32_t p = 0; p < k->n_param; p++)
		if (is_written(k, k->buffers[k->params[p].buffer].slot))
			return lt__report(diag, LT_EUNSUPPORTED, -1, -1, "write the next value to another buffer",
				"grids read param %s when they begin, but kernel %s writes the slot that it is in", k->params[p].name, k->name);
	return LT_OK;
}

/* What one instruction asks of the subgroup, or of the device. */
static const char *lacks(const struct lt_text_dialect *d, const struct lt_kernel *k, const struct lt_region *r,
	const struct lt_instruction *x, uint8_t control)
{
	const struct lt_text_device *v = d->device;
	bool numbered = x->opcode == LT_OPCODE_barrier && x->what == LT_BARRIER_BLOCK && x->number != 0;
	bool meets = x->opcode == LT_OPCODE_exchange || x->opcode == LT_OPCODE_barrier;
	bool multiplies = x->opcode == LT_OPCODE_matrix || x->opcode == LT_OPCODE_fragment;
	if (multiplies && !lt__text_matrix_name(v, &k->matrices[x->what]))
		return "no matrix instruction of that description";
	if (numbered && (!v->warps || r->subgroup != 32))
		return v->warps ? "barriers with a number only of subgroups of 32" : "no barriers with a number";
	if (meets && !v->warps && control < LT_UNIFORM_BLOCK)
		return "no barriers and exchanges that only some subgroups of a block reach";
	if (x->opcode == LT_OPCODE_text && v->offsets)
		return "no operators that are C text";
	if (x->opcode < LT_OPCODE_launch_grid && x->what >= 0 && (x->opcode == LT_OPCODE_load || x->opcode == LT_OPCODE_store)
		&& k->buffers[x->what].space == LT_SPACE_THREAD)
		return "no memory that belongs to a thread of a team";
	return NULL;
}

static lt_status accept_device(const struct lt_text_dialect *d, const struct lt_kernel *k, struct lt_diag *diag)
{
	struct lt_pool pool = { 0 };
	lt_status status = accept_host(d, k, diag);
	if (setjmp(pool.jump)) {
		lt__pool_free(&pool);
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
	}
	const struct lt_uniform u = lt__uniform(k, &pool);
	for (uint32_t n = 1; n < k->n_region && !status; n++) {
		const struct lt_region *r = &k->regions[n];
		if (r->kind != LT_REGION_GRID)
			status = lt__report(diag, LT_EUNSUPPORTED, r->origin, -1, "make it a grid, or print it as C",
				"%s has no teams, as region %u of kernel %s is one", d->name, (unsigned)n, k->name);
		else if (r->subgroup > 32 && d->device->warps)
			status = lt__report(diag, LT_EUNSUPPORTED, r->origin, -1, "say `subgroup 32`",
				"%s has subgroups of at most 32 threads, not %d", d->name, (int)r->subgroup);
		for (int32_t i = r->first; i < r->first + r->n && !status; i++) {
			const struct lt_instruction *x = &k->instructions[i];
			uint8_t control = LT_UNIFORM_LAUNCH;
			for (int32_t b = u.block[i]; b >= 0; b = u.block[b])
				control = u.control[b] < control ? u.control[b] : control;
			const char *what = lacks(d, k, r, x, control);
			if (what)
				status = lt__report(diag, LT_EUNSUPPORTED, -1, x->origin, NULL, "%s has %s; kernel %s, region %u, '%s'", d->name,
					what, k->name, (unsigned)n, lt_opcode_name(x->opcode));
		}
	}
	lt__pool_free(&pool);
	return status;
}

lt_status lt__text_accepts(const struct lt_text_dialect *d, const struct lt_kernel *k, struct lt_diag *diag)
{
	lt_status status = d->device ? accept_device(d, k, diag) : accept_teams(d, k, diag);
	for (uint32_t i = 0; i < k->n_instruction && !status; i++) {
		const struct lt_instruction *x = &k->instructions[i];
		const struct lt_value_type type = lt__instruction_type(k, x);
		if (x->opcode >= LT_NOPCODE || (!d->lanes && !d->packs && (x->lanes > 1 || type.lanes > 1)
			&& !(d->quads && lt__text_is_quad(x))))
			return lt__report(diag, LT_EUNSUPPORTED, -1, x->origin, "lower it for a machine without vectors",
				"%s has no values of several lanes, as instruction %u of kernel %s has", d->name, (unsigned)i, k->name);
		if (d->lanes && x->opcode == LT_OPCODE_fold && type.lanes > 1 && !lt__opcode_folded((uint32_t)x->what))
			return lt__report(diag, LT_EUNSUPPORTED, -1, x->origin, "expand it", "%s has no fold by %s", d->name,
				lt_opcode_name((uint32_t)x->what));
		if (x->opcode == LT_OPCODE_text && !k->ops[x->what].source)
			return lt__report(diag, LT_EUNSUPPORTED, -1, x->origin, "give it one: lt_op.source",
				"operator %s has no C text", k->ops[x->what].name);
	}
	return status;
}
