/* simulated_device.c -- see simulated_device.h. */
#include "tests/cuda/simulated_device.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cuda/session.h"
#include "check/random/must.h"
#include "kernel/form/form.h"
#include "kernel/simulate/simulate.h"
#include "tests/keeper.h"

static struct mock_cuda *device;
static struct lt_backend backend;
static const struct lt_backend *cuda;
static char wrong[2200];
static int n_launch;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- objects by their code ---- */

enum { MAX_OBJECT = 4096 };
static struct { const struct lt_object *o; const void *code; } objects[MAX_OBJECT];

static void object_keep(const struct lt_object *o)
{
	int i = 0;
	(void)pthread_mutex_lock(&lock);
	while (objects[i].o)
		must(++i < MAX_OBJECT, "too many objects");
	objects[i].o = o;
	objects[i].code = o->code.cubin;
	(void)pthread_mutex_unlock(&lock);
}

static const struct lt_cuda_code *code_of(const void *image)
{
	const struct lt_cuda_code *code = NULL;
	(void)pthread_mutex_lock(&lock);
	for (int i = 0; i < MAX_OBJECT && !code; i++)
		if (objects[i].o && objects[i].code == image)
			code = &objects[i].o->code;
	(void)pthread_mutex_unlock(&lock);
	must(code != NULL, "code of no object is launched");
	return code;
}

static lt_status compile_kept(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n,
	struct lt_object **object, struct lt_diag *diag)
{
	lt_status status = cuda->compile(s, tree, n, object, diag);
	for (uint32_t i = 0; !status && i < n; i++)
		object_keep(object[i]);
	return status;
}

static lt_status load_kept(struct lt_session *s, const struct lt_tree *t, const void *data, size_t bytes,
	struct lt_object **out, struct lt_diag *diag)
{
	lt_status status = cuda->load(s, t, data, bytes, out, diag);
	if (!status)
		object_keep(*out);
	return status;
}

static void destroy_kept(struct lt_object *o)
{
	(void)pthread_mutex_lock(&lock);
	for (int i = 0; o && i < MAX_OBJECT; i++)
		if (objects[i].o == o)
			objects[i].o = NULL;
	(void)pthread_mutex_unlock(&lock);
	cuda->destroy(o);
}

static const struct lt_text_grid *grid_of(const struct lt_cuda_code *code, const char *function)
{
	for (uint32_t g = 0; g < code->grids->n_grid; g++)
		if (strcmp(code->grids->grids[g].name, function) == 0)
			return &code->grids->grids[g];
	must(false, "%s is no function of its code", function);
	return NULL;
}

static int count_parameters(const void *image, const char *function)
{
	return (int)grid_of(code_of(image), function)->n_parameter;
}

/* ---- one launch, as a program of its own ---- */

struct device_run {
	struct lt_kernel k;
	struct lt_kernel_buffer *buffers;
	struct lt_instruction *instructions;
	struct lt_region *regions;
	int64_t *extras;
	struct lt_slot *slot;
	void **dummy;                   /* by slot: memory of what the launch does not take */
	struct lt_fault *fault;
};

static int64_t bytes_of(const struct lt_kernel_buffer *b) { return b->elems * lt__number_bytes(b->dtype); }

/* Each buffer of the workspace becomes a slot: the simulator's own workspace is new in each run. */
static void take_buffers(struct device_run *r, const struct lt_text_grid *g, const struct mock_launch *l)
{
	bool *given = calloc(r->k.n_buffer + 1u, sizeof *given);
	must(given != NULL, "out of memory");
	for (uint32_t b = 0; b < r->k.n_buffer; b++)
		if (r->buffers[b].space == LT_SPACE_WORKSPACE) {
			r->buffers[b].space = LT_SPACE_SLOT;
			r->buffers[b].offset = 0;
			r->buffers[b].slot = (int32_t)r->k.n_slot++;
		}
	for (uint32_t p = 0; p < g->n_parameter; p++) {
		const struct lt_text_parameter *x = &g->parameters[p];
		if (x->kind == LT_TEXT_FAULT)
			r->fault = device->host(l->arg[p]);
		if (x->kind != LT_TEXT_BUFFER)
			continue;
		const int32_t s = r->buffers[x->index].slot;
		must(!r->slot[s].base || r->slot[s].base == device->host(l->arg[p]), "two addresses of one slot");
		r->slot[s].base = device->host(l->arg[p]);
	}
	for (uint32_t b = 0; b < r->k.n_buffer; b++)
		if (r->buffers[b].space == LT_SPACE_SLOT && bytes_of(&r->buffers[b]) > r->slot[r->buffers[b].slot].bytes)
			r->slot[r->buffers[b].slot].bytes = bytes_of(&r->buffers[b]);
	for (uint32_t s = 0; s < r->k.n_slot; s++)
		if (!r->slot[s].base)
			r->slot[s].base = r->dummy[s] = aligned_alloc(64, ((size_t)r->slot[s].bytes + 127) / 64 * 64);
	for (uint32_t p = 0; p < r->k.n_param; p++) {
		const struct lt_kernel_param *x = &r->k.params[p];
		void *dummy = r->dummy[r->buffers[x->buffer].slot];
		if (dummy)
			((int64_t *)dummy)[x->element] = x->low;
	}
	free(given);
}

static int32_t add_number(struct device_run *r, uint32_t dtype, uint64_t bits)
{
	r->instructions[r->k.n_instruction] = (struct lt_instruction){ .opcode = LT_OPCODE_const, .dtype = (uint8_t)dtype,
		.lanes = 1, .operand = { -1, -1, -1, -1 }, .what = -1, .origin = -1, .number = (int64_t)bits };
	return (int32_t)r->k.n_instruction++;
}

/* The host's region, behind the others: only this launch. */
static void take_launch(struct device_run *r, const struct lt_text_grid *g, const struct mock_launch *l)
{
	const int32_t n = r->k.regions[g->region].n_argument, first = (int32_t)r->k.n_instruction;
	struct lt_instruction launch = { .opcode = LT_OPCODE_launch_grid, .operand = { -1, -1, -1, -1 }, .what = g->region,
		.origin = -1, .first_extra = (int32_t)r->k.n_extra, .n_extra = n };
	for (int a = 0; a < 3; a++) {
		must((int)l->threads[a] == r->k.regions[g->region].threads[a], "%s: other threads", l->function);
		launch.operand[a] = add_number(r, LT_I64, l->blocks[a]);
	}
	must(l->shared == (unsigned)g->dynamic_bytes, "%s: other bytes of shared memory", l->function);
	for (int32_t i = 0; i < n; i++)
		r->extras[r->k.n_extra + (uint32_t)i] = -1;
	for (uint32_t i = 0; i < (uint32_t)first; i++) {        /* what a grid does not use is no parameter: any number */
		const struct lt_instruction *x = &r->instructions[i];
		if (x->opcode != LT_OPCODE_argument || (int32_t)i < r->k.regions[g->region].first
			|| (int32_t)i >= r->k.regions[g->region].first + r->k.regions[g->region].n)
			continue;
		uint64_t bits = 0;
		for (uint32_t p = 0; p < g->n_parameter; p++)
			if (g->parameters[p].kind == LT_TEXT_ARGUMENT && g->parameters[p].index == x->what)
				bits = l->arg[p];
		r->extras[r->k.n_extra + (uint32_t)x->what] = add_number(r, x->dtype, bits);
	}
	for (int32_t i = 0; i < n; i++)
		if (r->extras[r->k.n_extra + (uint32_t)i] < 0)
			r->extras[r->k.n_extra + (uint32_t)i] = add_number(r, LT_I64, 0);
	r->k.n_extra += (uint32_t)n;
	r->instructions[r->k.n_instruction++] = launch;
	r->regions[0].first = first;
	r->regions[0].n = (int32_t)r->k.n_instruction - first;
}

static void *copy_of(const void *at, size_t n, size_t more, size_t bytes)
{
	void *to = calloc(n + more + 1, bytes);
	must(to != NULL, "out of memory");
	return n ? memcpy(to, at, n * bytes) : to;
}

static void run_new(const struct lt_kernel *k, struct device_run *r)
{
	uint32_t n_argument = 0;
	for (uint32_t g = 0; g < k->n_region; g++)
		n_argument += (uint32_t)k->regions[g].n_argument;
	*r = (struct device_run){ .k = *k };
	r->k.buffers = r->buffers = copy_of(k->buffers, k->n_buffer, 0, sizeof *k->buffers);
	r->k.regions = r->regions = copy_of(k->regions, k->n_region, 0, sizeof *k->regions);
	r->k.instructions = r->instructions = copy_of(k->instructions, k->n_instruction, 2 * n_argument + 4,
		sizeof *k->instructions);
	r->k.extras = r->extras = copy_of(k->extras, k->n_extra, n_argument, sizeof *k->extras);
	r->slot = calloc(k->n_slot + k->n_buffer + 1u, sizeof *r->slot);
	r->dummy = calloc(k->n_slot + k->n_buffer + 1u, sizeof *r->dummy);
	must(r->slot && r->dummy, "out of memory");
}

static void run_free(struct device_run *r)
{
	for (uint32_t s = 0; s < r->k.n_slot; s++)
		free(r->dummy[s]);
	free(r->dummy);
	free(r->slot);
	free(r->extras);
	free(r->instructions);
	free(r->regions);
	free(r->buffers);
}

static CUresult run_launch(const struct mock_launch *l)
{
	static const struct lt_simulate_options options = { .seed = 1 };
	const struct lt_cuda_code *code = code_of(l->code);
	const struct lt_text_grid *g = grid_of(code, l->function);
	struct keeper diags = keeper_new();
	struct device_run r;
	run_new(code->kernel, &r);
	take_buffers(&r, g, l);
	take_launch(&r, g, l);
	const struct lt_args args = { .size = sizeof args, .n_slot = r.k.n_slot, .slot = r.slot, .fault = r.fault };
	lt_status status = lt__simulate(&r.k, &args, &options, NULL, NULL, &diags.diag);
	if (status && !wrong[0])
		(void)snprintf(wrong, sizeof wrong, "%s: %s", l->function, diags.text);
	n_launch++;
	run_free(&r);
	return status ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

void simulated_device(struct mock_cuda *mock)
{
	device = mock;
	mock->parameters = count_parameters;
	mock->run_code = run_launch;
	cuda = lt_backend_find("cuda");
	backend = *cuda;
	backend.name = "cuda_sim";
	backend.compile = compile_kept;
	backend.load = load_kept;
	backend.destroy = destroy_kept;
	must(lt_backend_register(&backend, NULL) == LT_OK, "cuda_sim is not registered");
}

const char *simulated_device_wrong(void) { return wrong; }
int simulated_device_launches(void) { return n_launch; }
