/* there.c -- what is there to be used: buffers, variables, constants (verifier.h). */
#include <inttypes.h>
#include "kernel/verify/verifier.h"

bool lt__verify_constant(const struct lt_kernel *k, int32_t value, int64_t *out)
{
	return lt__constant_integer(value < 0 ? NULL : &k->instructions[value], out);
}

void lt__verify_buffer(struct lt_kernel_verifier *v, int32_t buffer)
{
	const struct lt_kernel_buffer *b = &v->k->buffers[buffer];
	uint32_t kind = v->k->regions[v->region].kind;
	if (b->space == LT_SPACE_THREAD && kind != LT_REGION_TEAM)
		lt__verify_fail(v, -1, kind == LT_REGION_GRID ? "make it an array" : "put it in the workspace, or use it in a team",
			"buffer %s is a part of each thread of a team; %s has none", b->name,
			kind == LT_REGION_GRID ? "a grid" : "the host region");
	if (b->space == LT_SPACE_SHARED && kind != LT_REGION_GRID)
		lt__verify_fail(v, -1, "put it in the workspace", "buffer %s is shared by the threads of a block; only a grid has "
			"blocks", b->name);
	if (b->space == LT_SPACE_ARRAY) {
		struct lt_begun begun = v->array[buffer];
		if (begun.region != v->region || (begun.block >= 0 && !v->is_open[begun.block]))
			lt__verify_fail(v, -1, "write `array NAME` in the block around all its uses",
				"array %s does not exist here: its instruction stands in %s", b->name,
				begun.region < 0 ? "no line before this one" : begun.region != v->region ? "another region"
				: "a block that has ended");
	}
}

void lt__verify_written(struct lt_kernel_verifier *v, int32_t buffer)
{
	const struct lt_kernel_buffer *b = &v->k->buffers[buffer];
	if (!b->written)
		lt__verify_fail(v, -1, "declare it with `written`", "buffer %s is written here, but declared without `written`",
			b->name);
	v->stored[buffer] = true;
}

void lt__verify_variable(struct lt_kernel_verifier *v, int32_t variable)
{
	struct lt_begun begun = v->variable[variable];
	if (begun.region == v->region && (begun.block < 0 || v->is_open[begun.block]))
		return;
	lt__verify_fail(v, -1, "write `variable NAME` in the block around all its uses",
		"variable %s does not exist here: its instruction stands in %s", v->k->variables[variable].name,
		begun.region < 0 ? "no line before this one" : begun.region != v->region ? "another region"
		: "a block that has ended");
}
