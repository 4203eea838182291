/* dump.c -- an object as text: CUDA C, PTX, the kernel program; as numbers: registers, shared memory,
 * spills, and how many blocks run at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cuda/session.h"

static int function_number(const struct lt_object *o, uint32_t i, CUfunction_attribute which)
{
	int value = 0;
	return o->s->cuda.function_attribute(&value, which, o->function[i]) ? 0 : value;
}

static int threads_of(const struct lt_region *r) { return r->threads[0] * r->threads[1] * r->threads[2]; }

static int blocks_at_once(const struct lt_object *o, uint32_t i)
{
	const struct lt_text_grid *g = &o->code.grids->grids[i];
	int blocks = 0;
	return o->s->cuda.occupancy(&blocks, o->function[i], threads_of(&o->code.kernel->regions[g->region]),
		(size_t)g->dynamic_bytes) ? 0 : blocks;
}

/* Blocks: at most, along all axes. */
static void dump_grid(const struct lt_object *o, uint32_t i, lt_write *write, void *user)
{
	const struct lt_text_grid *g = &o->code.grids->grids[i];
	const struct lt_region *r = &o->code.kernel->regions[g->region];
	const char *f = g->name;
	char text[1000];
	int n = snprintf(text, sizeof text,
		"%s.blocks %lld\n%s.threads %d\n%s.registers %d\n%s.shared_bytes %lld\n%s.spilled_bytes %d\n"
		"%s.resident_blocks %d\n",
		f, (long long)r->blocks[0] * r->blocks[1] * r->blocks[2], f, threads_of(r), f,
		function_number(o, i, CU_FUNC_ATTRIBUTE_NUM_REGS), f,
		(long long)function_number(o, i, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) + g->dynamic_bytes, f,
		function_number(o, i, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), f, blocks_at_once(o, i));
	write(user, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static lt_status dump_stats(const struct lt_object *o, lt_write *write, void *user)
{
	const struct lt_kernel *k = o->code.kernel;
	bool grids = false;
	char text[200];
	lt_status status = o->module ? lt__cuda_enter(o->s, NULL) : LT_OK;
	if (status)
		return status;
	for (uint32_t r = 1; r < k->n_region; r++)
		grids = grids || k->regions[r].blocks[0] * k->regions[r].blocks[1] * k->regions[r].blocks[2] > 1
			|| threads_of(&k->regions[r]) > 1;
	int n = snprintf(text, sizeof text,
		"from_cache %d\nworkspace_bytes %lld\nparallel %d\nserialised 0\nthreads 1\n"
		"launches %u\ncalls %u\nobject_bytes %zu\n",
		(int)o->loaded, (long long)k->workspace_bytes, (int)grids, (unsigned)(o->launches.n_launch - o->launches.n_call),
		(unsigned)o->launches.n_call, o->code.cubin_bytes);
	write(user, text, (size_t)n);
	for (uint32_t i = 0; o->module && i < o->code.grids->n_grid; i++)
		dump_grid(o, i, write, user);
	if (o->module)
		lt__cuda_leave(o->s);
	return LT_OK;
}

/* ---- texts ---- */

/* The processor's own code is in the cubin, and only tools of the toolkit read that. */
static lt_status dump_ptx(const struct lt_object *o, lt_write *write, void *user)
{
	const struct lt_cuda_job job = { .arch = o->s->facts.arch, .name = cuda_name(o->tree), .text = o->code.grids->text,
		.ptx = true };
	struct lt_cuda_cubin out;
	lt__cuda_nvrtc_compile(&o->s->nvrtc, &job, &out);
	const char *text = out.status ? out.why : out.at;
	write(user, text, out.status || !out.bytes ? strlen(text) : out.bytes - 1);    /* a 0 ends it */
	free(out.at);
	free(out.log);
	return out.status;
}

lt_status lt__cuda_dump(const struct lt_object *o, enum lt_dump what, lt_write *write, void *user)
{
	switch (what) {
	case LT_DUMP_SOURCE: return lt__text_grids_write(&lt__text_cuda, o->code.kernel, o->tree, write, user);
	case LT_DUMP_ASM: return dump_ptx(o, write, user);
	case LT_DUMP_STATS: return dump_stats(o, write, user);
	case LT_DUMP_KERNEL: lt_kernel_print(o->code.kernel, write, user); return LT_OK;
	case LT_DUMP_DECISIONS:
		if (o->s->more)
			o->s->more->explain(o, write, user);
		return lt_kernel_explain(o->tree, &o->s->machine, NULL, write, user);
	case LT_DUMP_LOCATIONS: return lt_kernel_locations(o->tree, &o->s->machine, o->code.kernel, write, user);
	default: return LT_EUNSUPPORTED;
	}
}
