/* device.c -- --on-device: inputs and results in the memory of the device that runs the kernels.  What a run is given
 * there is copied before it, and fetched after it, by the tool: nothing of it crosses in a run. */
#include <stdlib.h>
#include "program/run/run.h"
#include "tools/run/run.h"

/* By binding: a handle, or (run-time scalars, what is not needed) what the host has. */
struct run_device { const void **input; void **output; };

static lt_status device_fail(const struct run *r, lt_status st)
{
	return st ? lt_fail(r->ctx, st, "--on-device: %s", lt_instance_message(r->instance)) : LT_OK;
}

static bool is_there(const struct run *r, enum lt_binding kind, int32_t i)
{
	return r->program->bindings[kind].at[i].on_device;
}

lt_status run_device_begin(struct run *r)
{
	const int32_t n_in = r->model.binding[LT_BINDING_INPUT].n, n_out = r->model.binding[LT_BINDING_RESULT].n;
	struct run_device *d = r->device = calloc(1, sizeof *d);

	if (!d || !(d->input = calloc((size_t)n_in + 1, sizeof *d->input))
		|| !(d->output = calloc((size_t)n_out + 1, sizeof *d->output)))
		return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	for (int32_t i = 0; i < n_in; i++) {
		void *memory = NULL;

		if (is_there(r, LT_BINDING_INPUT, i) && lt_program_needs(r->program, LT_BINDING_INPUT, i))
			LT_TRY(device_fail(
				r, lt__given_new(r->instance, lt_program_bytes(r->program, LT_BINDING_INPUT, i), &memory)));
		d->input[i] = memory;
	}
	for (int32_t i = 0; i < n_out; i++)
		LT_TRY(device_fail(
			r, lt__given_new(r->instance, lt_program_bytes(r->program, LT_BINDING_RESULT, i), &d->output[i])));
	return LT_OK;
}

void run_device_free(struct run *r)
{
	struct run_device *d = r->device;

	for (int32_t i = 0; d && d->input && i < r->model.binding[LT_BINDING_INPUT].n; i++)
		if (is_there(r, LT_BINDING_INPUT, i))
			lt__given_free(r->instance, (void *)(uintptr_t)d->input[i]);
	for (int32_t i = 0; d && d->output && i < r->model.binding[LT_BINDING_RESULT].n; i++)
		lt__given_free(r->instance, d->output[i]);
	if (d) {
		free(d->input);
		free(d->output);
	}
	free(d);
	r->device = NULL;
}

lt_status run_device_send(const struct run *r)
{
	for (int32_t i = 0; i < r->model.binding[LT_BINDING_INPUT].n; i++) {
		if (!is_there(r, LT_BINDING_INPUT, i))
			r->device->input[i] = r->input[i];
		else if (r->device->input[i] && r->input[i])
			LT_TRY(device_fail(r, lt__given_copy(r->instance, (void *)(uintptr_t)r->device->input[i],
				(void *)(uintptr_t)r->input[i], lt_program_bytes(r->program, LT_BINDING_INPUT, i), LT_COPY_TO_DEVICE)));
	}
	return LT_OK;
}

lt_status run_device_fetch(const struct run *r)
{
	for (int32_t i = 0; i < r->model.binding[LT_BINDING_RESULT].n; i++)
		LT_TRY(device_fail(r, lt__given_copy(r->instance, r->device->output[i], r->output[i],
			lt_program_bytes(r->program, LT_BINDING_RESULT, i), LT_COPY_TO_HOST)));
	return LT_OK;
}

const void *const *run_device_input(const struct run *r) { return r->device ? r->device->input : r->input; }
void *const *run_device_output(const struct run *r) { return r->device ? r->device->output : r->output; }
