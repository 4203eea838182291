/* opencl.c -- see opencl.h.  The loader is opened, so that tests build without its headers. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/form/form.h"
#include "tests/keeper.h"
#include "tests/opencl.h"

/* What CL/cl.h has: handles are pointers. */
typedef void *cl;
enum { CL_ALL = -1, CL_LOG = 0x1183, MAX_OBJECT = 64, EDGE = 256, SENTINEL = 0xa5, POISON = 0xff };
#define API(X) \
	X(int, clGetPlatformIDs, (uint32_t, cl *, uint32_t *)) \
	X(int, clGetDeviceIDs, (cl, uint64_t, uint32_t, cl *, uint32_t *)) \
	X(cl, clCreateContext, (const intptr_t *, uint32_t, const cl *, void *, void *, int *)) \
	X(cl, clCreateCommandQueue, (cl, cl, uint64_t, int *)) \
	X(cl, clCreateProgramWithSource, (cl, uint32_t, const char **, const size_t *, int *)) \
	X(int, clBuildProgram, (cl, uint32_t, const cl *, const char *, void *, void *)) \
	X(int, clGetProgramBuildInfo, (cl, cl, uint32_t, size_t, void *, size_t *)) \
	X(cl, clCreateKernel, (cl, const char *, int *)) \
	X(int, clSetKernelArg, (cl, uint32_t, size_t, const void *)) \
	X(cl, clCreateBuffer, (cl, uint64_t, size_t, void *, int *)) \
	X(int, clEnqueueWriteBuffer, (cl, cl, uint32_t, size_t, size_t, const void *, uint32_t, const cl *, cl *)) \
	X(int, clEnqueueReadBuffer, (cl, cl, uint32_t, size_t, size_t, void *, uint32_t, const cl *, cl *)) \
	X(int, clEnqueueNDRangeKernel, (cl, cl, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, \
		const cl *, cl *)) \
	X(int, clReleaseMemObject, (cl)) \
	X(int, clReleaseKernel, (cl)) \
	X(int, clReleaseProgram, (cl))
static struct {
	void *handle;
	cl device, context, queue;
#define API_MEMBER(type, name, parameters) type (*name) parameters;
	API(API_MEMBER)
} ocl;

bool opencl_is_there(void)
{
	cl platform;
	int error = 0;
	if (ocl.queue)
		return true;
	ocl.handle = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!ocl.handle)
		return false;
#define API_FIND(type, name, parameters) *(void **)&ocl.name = dlsym(ocl.handle, #name);
	API(API_FIND)
	if (ocl.clGetPlatformIDs(1, &platform, NULL) || ocl.clGetDeviceIDs(platform, (uint32_t)CL_ALL, 1, &ocl.device, NULL))
		return false;
	ocl.context = ocl.clCreateContext(NULL, 1, &ocl.device, NULL, NULL, &error);
	ocl.queue = ocl.context ? ocl.clCreateCommandQueue(ocl.context, ocl.device, 0, &error) : NULL;
	return ocl.queue != NULL;
}

struct opencl_run {
	struct lt_text_launcher launcher;
	const struct lt_kernel *k;
	const struct lt_text_grids *grids;
	cl program, workspace, fault, slot[MAX_OBJECT];
	char *message;
	size_t cap;
};

static bool wrong(struct opencl_run *r, const char *what, int error)
{
	(void)snprintf(r->message, r->cap, "%s: error %d of OpenCL", what, error);
	return false;
}

/* `edge` bytes of sentinels before and behind. */
static cl new_object(const void *data, size_t bytes, int fill, size_t edge)
{
	int error = 0;
	unsigned char *all = malloc(bytes + 2 * edge);
	cl object = ocl.clCreateBuffer(ocl.context, 1, bytes + 2 * edge, NULL, &error);
	if (!all || !object)
		abort();
	memset(all, SENTINEL, bytes + 2 * edge);
	memset(all + edge, fill, bytes);
	if (data)
		memcpy(all + edge, data, bytes);
	if (ocl.clEnqueueWriteBuffer(ocl.queue, object, 1, 0, bytes + 2 * edge, all, 0, NULL, NULL))
		abort();
	free(all);
	return object;
}

/* False: a sentinel was overwritten. */
static bool take_object(cl object, void *data, size_t bytes, size_t edge)
{
	unsigned char *all = malloc(bytes + 2 * edge);
	bool whole = true;
	if (!all || ocl.clEnqueueReadBuffer(ocl.queue, object, 1, 0, bytes + 2 * edge, all, 0, NULL, NULL))
		abort();
	for (size_t i = 0; i < edge; i++)
		whole = whole && all[i] == SENTINEL && all[edge + bytes + i] == SENTINEL;
	if (data)
		memcpy(data, all + edge, bytes);
	free(all);
	(void)ocl.clReleaseMemObject(object);
	return whole;
}

static bool build(struct opencl_run *r)
{
	int error = 0;
	const char *text = r->grids->text;
	r->program = ocl.clCreateProgramWithSource(ocl.context, 1, &text, NULL, &error);
	if (!r->program)
		return wrong(r, "clCreateProgramWithSource", error);
	error = ocl.clBuildProgram(r->program, 1, &ocl.device, "", NULL, NULL);
	if (!error)
		return true;
	(void)wrong(r, "clBuildProgram", error);
	(void)ocl.clGetProgramBuildInfo(r->program, ocl.device, CL_LOG, r->cap, r->message, NULL);
	return false;
}

static int give(const struct opencl_run *r, cl kernel, const struct lt_text_grid *g, const struct lt_text_launch *x,
	uint32_t i)
{
	const struct lt_text_parameter *p = &g->parameters[i];
	const struct lt_kernel_buffer *b = p->kind <= LT_TEXT_OFFSET ? &r->k->buffers[p->index] : NULL;
	bool in_slot = b && b->space == LT_SPACE_SLOT;
	int64_t offset = EDGE + (b && !in_slot ? b->offset : 0);
	switch (p->kind) {
	case LT_TEXT_BUFFER: return ocl.clSetKernelArg(kernel, i, sizeof(cl), in_slot ? &r->slot[b->slot] : &r->workspace);
	case LT_TEXT_OFFSET: return ocl.clSetKernelArg(kernel, i, sizeof offset, &offset);
	case LT_TEXT_FAULT: return ocl.clSetKernelArg(kernel, i, sizeof(cl), &r->fault);
	default: return ocl.clSetKernelArg(kernel, i, p->dtype == LT_LANE_MASK ? 4
		: (size_t)lt__kernel_element_bytes(p->dtype), &x->argument[p->index]);
	}
}

static lt_status launch(struct lt_text_launcher *launcher, const struct lt_text_launch *x)
{
	struct opencl_run *r = (struct opencl_run *)(void *)launcher;
	const struct lt_text_grid *g = &r->grids->grids[x->region - 1];
	const struct lt_region *region = &r->k->regions[x->region];
	size_t global[3], local[3];
	int error = 0;
	cl kernel = ocl.clCreateKernel(r->program, g->name, &error);
	for (uint32_t i = 0; i < g->n_parameter && !error; i++)
		error = give(r, kernel, g, x, i);
	for (int axis = 0; axis < 3; axis++) {
		local[axis] = (size_t)region->threads[axis];
		global[axis] = local[axis] * (size_t)x->blocks[axis];
	}
	if (!error)
		error = ocl.clEnqueueNDRangeKernel(ocl.queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
	if (kernel)
		(void)ocl.clReleaseKernel(kernel);
	return error ? wrong(r, g->name, error), LT_EDEVICE : LT_OK;
}

bool opencl_run(const struct lt_kernel *k, void *const *slot, const int64_t *bytes, struct lt_fault *fault,
	char *message, size_t cap)
{
	struct keeper keeper = keeper_new();
	struct lt_text_grids *grids;
	int64_t param[16] = { 0 };
	if (lt__text_grids(&lt__text_opencl, k, NULL, &grids, &keeper.diag)) {
		(void)snprintf(message, cap, "%s", keeper.text);
		return false;
	}
	struct opencl_run r = { { launch, NULL }, k, grids, NULL, NULL, NULL, { NULL }, message, cap };
	bool good = build(&r), whole = true;
	for (uint32_t s = 0; s < k->n_slot; s++)
		r.slot[s] = new_object(slot[s], (size_t)bytes[s], 0, EDGE);
	r.workspace = new_object(NULL, (size_t)k->workspace_bytes + 1, POISON, EDGE);
	r.fault = new_object(fault, sizeof *fault, 0, 0);
	for (uint32_t p = 0; p < k->n_param && p < 16; p++)
		param[p] = ((const int64_t *)slot[k->buffers[k->params[p].buffer].slot])[k->params[p].element];
	if (good && lt__text_launches(k, param, &r.launcher, &keeper.diag)) {
		good = false;
		if (keeper.n)
			(void)snprintf(message, cap, "%s", keeper.text);
	}
	for (uint32_t s = 0; s < k->n_slot; s++)
		whole = take_object(r.slot[s], slot[s], (size_t)bytes[s], EDGE) && whole;
	whole = take_object(r.workspace, NULL, (size_t)k->workspace_bytes + 1, EDGE) && whole;
	whole = take_object(r.fault, fault, sizeof *fault, 0) && whole;
	if (good && !whole)
		(void)snprintf(message, cap, "something was written beside a buffer");
	if (r.program)
		(void)ocl.clReleaseProgram(r.program);
	lt__text_grids_free(grids);
	return good && whole;
}
