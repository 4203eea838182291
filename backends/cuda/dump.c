/* backends/cuda/dump.c -- numbers of an object: registers, shared memory, spills, and how many blocks run at once. */
#include <stdio.h>
#include "backends/cuda/session.h"

static int function_number(const struct lt_object *o, uint32_t i, CUfunction_attribute which)
{
	int value = 0;
	return o->s->cuda.function_attribute(&value, which, o->function[i]) ? 0 : value;
}

static int blocks_at_once(const struct lt_object *o, uint32_t i)
{
	const struct lt_cuda_launch *l = &o->code.launches[i];
	const int threads = (int)(l->threads[0] * l->threads[1] * l->threads[2]);
	int blocks = 0;
	return o->s->cuda.occupancy(&blocks, o->function[i], threads, l->shared_bytes) ? 0 : blocks;
}

static void dump_launch(const struct lt_object *o, uint32_t i, lt_write *write, void *user)
{
	const struct lt_cuda_launch *l = &o->code.launches[i];
	const char *f = l->function;
	char text[800];
	int n = snprintf(text, sizeof text,
		"%s.blocks %llu\n%s.threads %u\n%s.registers %d\n%s.shared_bytes %lld\n%s.spilled_bytes %d\n"
		"%s.resident_blocks %d\n",
		f, (unsigned long long)l->blocks[0] * l->blocks[1] * l->blocks[2], f,
		(unsigned)(l->threads[0] * l->threads[1] * l->threads[2]), f, function_number(o, i, CU_FUNC_ATTRIBUTE_NUM_REGS),
		f, (long long)function_number(o, i, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) + l->shared_bytes, f,
		function_number(o, i, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), f, blocks_at_once(o, i));
	write(user, text, (size_t)n);
}

lt_status lt__cuda_dump(const struct lt_object *o, enum lt_dump what, lt_write *write, void *user)
{
	char text[160];
	if (what != LT_DUMP_STATS)
		return LT_EUNSUPPORTED;
	lt_status status = lt__cuda_enter(o->s, NULL);
	if (status)
		return status;
	int n = snprintf(text, sizeof text,
		"from_cache %d\nworkspace_bytes %llu\nparallel 0\nserialised 0\nthreads 1\nobject_bytes %zu\n", (int)o->loaded,
		(unsigned long long)o->code.workspace_bytes, o->code.bytes);
	write(user, text, (size_t)n);
	for (uint32_t i = 0; i < o->code.n_launch; i++)
		dump_launch(o, i, write, user);
	lt__cuda_leave(o->s);
	return LT_OK;
}
