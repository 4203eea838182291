/* object.c -- a kernel's code becomes an object that can be launched. */
#include <stdlib.h>
#include "backends/cuda/session.h"

void lt__cuda_destroy(struct lt_object *o)
{
	if (!o)
		return;
	if (o->module && lt__cuda_enter(o->s, NULL) == LT_OK) {
		(void)o->s->cuda.module_free(o->module);
		lt__cuda_leave(o->s);
	}
	lt__cuda_plans_free(o);
	if (o->chosen)
		o->s->more->forget(o);
	lt__cuda_launches_free(&o->launches);
	lt__cuda_code_free(&o->code);
	free(o->function);
	free(o);
}

/* A launch that the device cannot make is said now, and not by the first run. */
static lt_status function_check(struct lt_object *o, uint32_t i, struct lt_diag *diag)
{
	const struct lt_text_grid *g = &o->code.grids->grids[i];
	const struct lt_region *r = &o->code.kernel->regions[g->region];
	const struct lt_cuda_driver *cuda = &o->s->cuda;
	const char *name = cuda_name(o->tree);
	const int64_t threads = (int64_t)r->threads[0] * r->threads[1] * r->threads[2];
	int max_threads = 0, registers = 0, fixed = 0;
	CUresult result = cuda->function_attribute(&max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, o->function[i]);
	if (!result)
		result = cuda->function_attribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, o->function[i]);
	if (!result)
		result = cuda->function_attribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, o->function[i]);
	if (result)
		return lt__cuda_check(o->s, result, diag, "kernel %s: function %s", name, g->name);
	if (threads > max_threads)
		return lt__report(diag, LT_ECOMPILE, r->origin, -1, "use smaller blocks",
			"kernel %s: function %s takes %d registers a thread, so that a block has at most %d threads, not %lld", name,
			g->name, registers, max_threads, (long long)threads);
	if (fixed + g->dynamic_bytes > o->s->facts.shared_bytes)
		return lt__report(diag, LT_ECOMPILE, r->origin, -1, "stage less, or in smaller tiles",
			"kernel %s: function %s needs %lld bytes of shared memory a block, and the device has %d", name, g->name,
			(long long)(fixed + g->dynamic_bytes), o->s->facts.shared_bytes);
	if (g->dynamic_bytes)
		result = cuda->function_set(o->function[i], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
			(int)g->dynamic_bytes);
	return lt__cuda_check(o->s, result, diag, "kernel %s: function %s: %lld bytes of shared memory", name, g->name,
		(long long)g->dynamic_bytes);
}

/* With the context current. */
static lt_status load_functions(struct lt_object *o, struct lt_diag *diag)
{
	const struct lt_cuda_driver *cuda = &o->s->cuda;
	const struct lt_text_grids *grids = o->code.grids;
	const char *name = cuda_name(o->tree);
	if (!grids->n_grid)
		return LT_OK;
	lt_status status = lt__cuda_check(o->s, cuda->module_load(&o->module, o->code.cubin), diag,
		"kernel %s: its code cannot be loaded", name);
	for (uint32_t i = 0; !status && i < grids->n_grid; i++) {
		const char *function = grids->grids[i].name;
		status = lt__cuda_check(o->s, cuda->module_function(&o->function[i], o->module, function), diag,
			"kernel %s: its function %s", name, function);
		if (!status)
			status = function_check(o, i, diag);
	}
	return status;
}

static bool follows_scalars(const struct lt_kernel *k)
{
	for (int32_t i = k->regions[0].first; i < k->regions[0].first + k->regions[0].n; i++)
		if (k->instructions[i].opcode == LT_OPCODE_param)
			return true;
	return false;
}

static lt_status object_fill(struct lt_object *o, struct lt_diag *diag)
{
	size_t bytes;
	o->function = calloc(o->code.grids->n_grid + 1, sizeof *o->function);
	if (!o->function)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for kernel %s", cuda_name(o->tree));
	lt_status status = lt__cuda_launches(&o->code, NULL, &o->launches, NULL);
	o->recorded = status == LT_OK;
	o->follows = follows_scalars(o->code.kernel);
	if (status && status != LT_EUNSUPPORTED)        /* said once more, now to somebody */
		return lt__cuda_launches(&o->code, NULL, &o->launches, diag);
	if (!o->code.cubin)
		return LT_OK;
	status = lt__cuda_enter(o->s, diag);
	if (status)
		return status;
	status = load_functions(o, diag);
	if (!status && o->recorded)             /* what cuBLAS does not take is said now, too */
		status = lt__cuda_calls_prepare(o, &o->launches, NULL, &bytes, diag);
	lt__cuda_leave(o->s);
	return status;
}

lt_status lt__cuda_object(struct lt_session *s, const struct lt_tree *t, struct lt_cuda_code *code,
	struct lt_object **out, struct lt_diag *diag)
{
	struct lt_object *o = calloc(1, sizeof *o);
	*out = NULL;
	if (!o) {
		lt__cuda_code_free(code);
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for kernel %s", cuda_name(t));
	}
	*o = (struct lt_object){ .s = s, .tree = t, .code = *code };
	*code = (struct lt_cuda_code){ 0 };
	lt_status status = object_fill(o, diag);
	if (status)
		lt__cuda_destroy(o);
	else
		*out = o;
	return status;
}
