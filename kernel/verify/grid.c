/* grid.c -- grids: their extents, their shared memory, the opcodes that only they have (verifier.h). */
#include <inttypes.h>
#include "kernel/verify/verifier.h"

enum { MAX_BLOCKS = 65535, MAX_SUBGROUP = 64, MAX_SHARED = 1 << 24 };

static bool has_extents(const struct lt_region *r)
{
	for (int i = 0; i < 3; i++)
		if (r->blocks[i] || r->threads[i])
			return true;
	return r->subgroup || r->resident || r->shared_bytes;
}

void lt__verify_extents(struct lt_kernel_verifier *v, int32_t region)
{
	const struct lt_region *r = &v->k->regions[region];
	int64_t threads = 1;
	if (r->kind != LT_REGION_GRID) {
		if (has_extents(r))
			lt__verify_fail_at(v, LT_PART_REGION, region, "make these 0, or the region a grid",
				"only a grid has blocks, threads and shared memory");
		return;
	}
	for (int i = 0; i < 3; i++) {
		int64_t max = i ? MAX_BLOCKS : INT32_MAX;
		if (r->blocks[i] < 1 || r->blocks[i] > max)
			lt__verify_fail_at(v, LT_PART_REGION, region, "give each block more threads, or a loop",
				"a grid has 1 to %" PRId64 " blocks along axis %d, not %" PRId64, max, i, r->blocks[i]);
		threads *= r->threads[i] < 1 || r->threads[i] > LT_MAX_THREADS ? LT_MAX_THREADS + 1 : r->threads[i];
		if (threads > LT_MAX_THREADS)
			lt__verify_fail_at(v, LT_PART_REGION, region, "give each thread a loop, or launch more blocks",
				"a block has 1 to %d threads", (int)LT_MAX_THREADS);
	}
	if (r->subgroup < 1 || r->subgroup > MAX_SUBGROUP || (r->subgroup & (r->subgroup - 1)) || threads % r->subgroup)
		lt__verify_fail_at(v, LT_PART_REGION, region, "round the block up, and turn the threads that are too many off",
			"a subgroup has 1, 2, 4 ... %d threads, of which a block's %" PRId64 " are a multiple; not %" PRId32,
			(int)MAX_SUBGROUP, threads, r->subgroup);
	if (r->shared_bytes < 0 || r->shared_bytes > MAX_SHARED || r->resident < 0 || r->resident > LT_MAX_THREADS)
		lt__verify_fail_at(v, LT_PART_REGION, region, "use less shared memory at a time, or memory of the workspace",
			"a block has 0 to %d bytes of shared memory, and 0 to %d of them are to be resident", (int)MAX_SHARED,
			(int)LT_MAX_THREADS);
}

static void mark_shared(struct lt_kernel_verifier *v, int64_t buffer)
{
	const struct lt_kernel *k = v->k;
	if (buffer < 0 || buffer >= (int64_t)k->n_buffer || k->buffers[buffer].space != LT_SPACE_SHARED
		|| k->regions[v->region].kind != LT_REGION_GRID)
		return;
	if (v->shared_region[buffer] >= 0 && v->shared_region[buffer] != v->region)
		lt__verify_fail(v, -1, "give each region its own", "shared buffer %s is used in region %" PRId32 ", too",
			k->buffers[buffer].name, v->shared_region[buffer]);
	v->shared_region[buffer] = v->region;
}

/* The walk that refuses members comes later: what is wrong is passed by here. */
void lt__verify_find_shared(struct lt_kernel_verifier *v)
{
	const struct lt_kernel *k = v->k;
	for (v->region = 0; v->region < (int32_t)k->n_region; v->region++) {
		const struct lt_region *r = &k->regions[v->region];
		for (v->at = r->first; v->at < r->first + r->n; v->at++) {
			const struct lt_instruction *i = &k->instructions[v->at];
			bool is_copy = i->opcode == LT_OPCODE_copy_async, is_matrix = i->opcode == LT_OPCODE_matrix;
			bool has_extras = i->first_extra >= 0 && (int64_t)i->first_extra + i->n_extra <= (int64_t)k->n_extra;
			if (i->opcode == LT_OPCODE_load || i->opcode == LT_OPCODE_store || i->opcode == LT_OPCODE_prefetch || is_copy)
				mark_shared(v, i->what);
			if (is_copy && has_extras && i->n_extra > 0)
				mark_shared(v, k->extras[i->first_extra]);
			if (i->opcode == LT_OPCODE_fragment && has_extras && i->n_extra >= LT_MATRIX_LOCATION)
				mark_shared(v, k->extras[i->first_extra]);
			for (int part = 0; part < 2 && is_matrix && has_extras && i->n_extra >= 2 * LT_MATRIX_LOCATION; part++)
				mark_shared(v, k->extras[i->first_extra + part * LT_MATRIX_LOCATION]);
		}
	}
}

void lt__verify_shared(struct lt_kernel_verifier *v, int32_t buffer)
{
	const struct lt_kernel_buffer *b = &v->k->buffers[buffer];
	int32_t region = v->shared_region[buffer];
	int64_t bytes = b->elems * (int64_t)lt__kernel_element_bytes(b->dtype), all;
	if (b->offset < 0 || b->offset % b->align)
		lt__verify_fail_at(v, LT_PART_BUFFER, buffer, "round the offset up",
			"offset %" PRId64 " of buffer %s is no multiple of its alignment",
			b->offset, b->name);
	if (b->swizzle && (!lt__is_swizzle(b->swizzle) || b->align < 8 * (int64_t)b->swizzle || bytes % b->swizzle))
		lt__verify_fail_at(v, LT_PART_BUFFER, buffer, "round both up; the swizzle is of 32, 64 or 128 bytes",
			"buffer %s of %" PRId64 " bytes, aligned to %" PRId64 ", has a swizzle of %" PRId32 " bytes, of which these "
			"are no multiples of once and 8 times", b->name, bytes, b->align, b->swizzle);
	all = region < 0 ? MAX_SHARED : v->k->regions[region].shared_bytes;
	if (b->offset > all || bytes > all - b->offset)
		lt__verify_fail_at(v, LT_PART_BUFFER, buffer, "make `shared` of the region larger",
			"buffer %s ends behind the %" PRId64 " bytes of shared memory", b->name, all);
}

static void check_blocks(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	const struct lt_region *r = &v->k->regions[i->what];
	int64_t n;
	for (int axis = 0; axis < 3; axis++)
		if (lt__verify_constant(v->k, i->operand[axis], &n) && n > r->blocks[axis])
			lt__verify_fail(v, -1, "make `blocks` of the region larger",
				"%" PRId64 " blocks along axis %d, but region %" PRId32 " has at most %" PRId64, n, axis, i->what,
				r->blocks[axis]);
}

static int64_t threads_of(const struct lt_region *r)
{
	return (int64_t)r->threads[0] * r->threads[1] * r->threads[2];
}

static void check_barrier(struct lt_kernel_verifier *v, const struct lt_instruction *i, const struct lt_region *r)
{
	bool whole = i->what == LT_BARRIER_BLOCK;
	if (!whole && (i->stride != r->subgroup || i->number))
		lt__verify_fail(v, -1, "write `barrier subgroup 0 threads` with that number",
			"the barrier of a subgroup is number 0, of its %" PRId32 " threads", r->subgroup);
	if (i->number < 0 || i->number >= LT_MAX_BARRIERS)
		lt__verify_fail(v, -1, "use one of these again: a barrier is free when all have passed it",
			"barriers of a block have the numbers 0 to %d, not %" PRId64, LT_MAX_BARRIERS - 1,
			i->number);
	if (i->stride < 1 || i->stride > threads_of(r) || i->stride % r->subgroup)
		lt__verify_fail(v, -1, "round `threads` to whole subgroups, or use a barrier of the subgroup",
			"a barrier is of whole subgroups of %" PRId32 ", and of at most the block's %" PRId64
			" threads; not of %" PRId64, r->subgroup, threads_of(r), i->stride);
	if (whole && i->number == 0 && i->stride != threads_of(r))
		lt__verify_fail(v, -1, "give this one another number, up to 15",
			"barrier 0 of a block is of all its %" PRId64 " threads", threads_of(r));
}

static void check_copy(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	const struct lt_kernel *k = v->k;
	int64_t source = k->extras[i->first_extra];
	const struct lt_kernel_buffer *to = &k->buffers[i->what];
	if (source < 0 || source >= (int64_t)k->n_buffer)
		lt__verify_fail(v, -1, "name a buffer that there is",
			"'copy_async' copies from buffer number %" PRId64 "; there are %" PRIu32, source,
			k->n_buffer);
	const struct lt_kernel_buffer *from = &k->buffers[source];
	int64_t bytes = i->stride * (int64_t)lt__kernel_element_bytes(to->dtype);
	if (to->space != LT_SPACE_SHARED || (from->space != LT_SPACE_SLOT && from->space != LT_SPACE_WORKSPACE))
		lt__verify_fail(v, -1, "load and store it",
			"'copy_async' is from a slot or the workspace to shared memory, not from "
			"%s to %s", from->name, to->name);
	if (from->dtype != to->dtype)
		lt__verify_fail(v, -1, "load, cast and store it", "%s has elements of type %s, %s of type %s", from->name,
			lt__kernel_element_name(from->dtype), to->name, lt__kernel_element_name(to->dtype));
	if (bytes != 4 && bytes != 8 && bytes != 16)
		lt__verify_fail(v, -1, "copy in several parts, or load and store it",
			"'copy_async' copies 4, 8 or 16 bytes, not %" PRId64, bytes);
	lt__verify_buffer(v, i->what);
	lt__verify_written(v, i->what);
}

void lt__verify_grid(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	const struct lt_region *r = &v->k->regions[v->region];
	const char *name = lt_opcode_name(i->opcode);
	if (i->opcode == LT_OPCODE_launch_grid) {
		check_blocks(v, i);
		return;
	}
	if (r->kind != LT_REGION_GRID)
		lt__verify_fail(v, -1, "move it to a grid", "'%s' is for the threads of a grid; this region is none", name);
	if ((i->opcode == LT_OPCODE_block || i->opcode == LT_OPCODE_thread) && (i->what < 0 || i->what > 2))
		lt__verify_fail(v, -1, "take one of these", "'%s' is along axis 0, 1 or 2, not %" PRId32, name, i->what);
	if (i->opcode == LT_OPCODE_subgroup && i->what != 1 && i->what != 4)
		lt__verify_fail(v, -1, "take one of these, and divide it",
			"'subgroup' numbers single subgroups (1) or four together (4), not %" PRId32, i->what);
	bool needs = i->opcode == LT_OPCODE_subgroup || i->opcode == LT_OPCODE_member || i->opcode == LT_OPCODE_exchange
		|| (i->opcode == LT_OPCODE_barrier && i->what == LT_BARRIER_SUBGROUP);
	if (needs && r->subgroup == 1)
		lt__verify_fail(v, -1, "say `subgroup 32` in the line of the region, or use shared memory and barriers",
			"'%s' needs subgroups, and this grid has none", name);
	if (i->opcode == LT_OPCODE_subgroup && i->what == 4 && threads_of(r) % (4 * (int64_t)r->subgroup))
		lt__verify_fail(v, -1, "round the block up to a multiple of four subgroups",
			"a block of %" PRId64 " threads is not made of four subgroups at a time", threads_of(r));
	if (i->opcode == LT_OPCODE_leave && v->n_open)
		lt__verify_fail(v, v->open[v->n_open - 1].opener, "put it in front of that block", "'leave' stands in a block");
	if (i->opcode == LT_OPCODE_barrier)
		check_barrier(v, i, r);
	if (i->opcode == LT_OPCODE_copy_async)
		check_copy(v, i);
	if (i->opcode == LT_OPCODE_wait && i->number < 0)
		lt__verify_fail(v, -1, "write 0 to wait for all", "'wait' leaves at least 0 groups, not %" PRId64, i->number);
}
