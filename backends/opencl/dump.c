/* dump.c -- an object's text, its kernel program, and numbers of it. */
#include <stdio.h>
#include "backends/opencl/session.h"

static void dump_number(const char *name, const char *what, unsigned long long value, lt_write *write, void *user)
{
	char line[200];
	int n = snprintf(line, sizeof line, "%.100s.%s %llu\n", name, what, value);
	write(user, line, (size_t)n);
}

static void dump_grid(const struct lt_object *o, uint32_t i, lt_write *write, void *user)
{
	static const struct { cl_kernel_work_group_info which; const char *name; } facts[] = {
		{ CL_KERNEL_LOCAL_MEM_SIZE, "shared_bytes" }, { CL_KERNEL_PRIVATE_MEM_SIZE, "private_bytes" }
	};
	const struct lt_text_grid *g = &o->grids->grids[i];
	const struct lt_region *r = &o->kernel->regions[g->region];
	dump_number(g->name, "threads", (unsigned long long)r->threads[0] * (unsigned long long)r->threads[1]
		* (unsigned long long)r->threads[2], write, user);
	for (int k = 0; k < 2 && o->program; k++) {
		cl_ulong bytes = 0;
		if (!o->s->cl.kernel_fact(o->function[i], o->s->device, facts[k].which, sizeof bytes, &bytes, NULL))
			dump_number(g->name, facts[k].name, bytes, write, user);
	}
}

static lt_status dump_stats(const struct lt_object *o, lt_write *write, void *user)
{
	char text[200];
	int n = snprintf(text, sizeof text,
		"from_cache %d\nworkspace_bytes %lld\nparallel 0\nserialised 0\nthreads 1\nlaunches %u\n", (int)o->loaded,
		(long long)o->kernel->workspace_bytes, (unsigned)o->grids->n_grid);
	write(user, text, (size_t)n);
	for (uint32_t i = 0; i < o->grids->n_grid; i++)
		dump_grid(o, i, write, user);
	return LT_OK;
}

lt_status lt__opencl_dump(const struct lt_object *o, enum lt_dump what, lt_write *write, void *user)
{
	switch (what) {
	case LT_DUMP_SOURCE: return lt__text_grids_write(&lt__text_opencl, o->kernel, o->tree, write, user);
	case LT_DUMP_STATS: return dump_stats(o, write, user);
	case LT_DUMP_KERNEL: lt_kernel_print(o->kernel, write, user); return LT_OK;
	case LT_DUMP_DECISIONS: return lt_kernel_explain(o->tree, &o->s->machine, NULL, write, user);
	case LT_DUMP_LOCATIONS: return lt_kernel_locations(o->tree, &o->s->machine, o->kernel, write, user);
	default: return LT_EUNSUPPORTED;
	}
}
