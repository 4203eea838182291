/* lower.c -- a frozen tree's kernel program for the device, and its text. */
#include "backends/opencl/session.h"
#include "kernel/form/form.h"

static lt_status check_threads(
	const struct lt_session *s, const struct lt_kernel *k, const struct lt_region *r, struct lt_diag *diag)
{
	const struct lt_opencl_facts *f = &s->facts;
	for (int a = 0; a < 3; a++)
		if (r->threads[a] > (int64_t)f->max_along[a])
			return lt__report(diag, LT_EUNSUPPORTED, r->origin, -1, "bind other loops to this axis",
				"kernel %s: its blocks have %d threads along block.%c, and %zu are the most on this device", k->name,
				(int)r->threads[a], 'x' + a, f->max_along[a]);
	return LT_OK;
}

static lt_status check_program(const struct lt_session *s, const struct lt_kernel *k, const struct lt_text_grids *grids,
	struct lt_diag *diag)
{
	lt_status status = lt__blocks_fit(k, (int64_t)s->facts.max_threads, s->machine.shared_bytes, diag);
	for (uint32_t i = 0; !status && i < grids->n_grid; i++) {
		const struct lt_text_grid *g = &grids->grids[i];
		const struct lt_region *r = &k->regions[g->region];
		const size_t bytes = g->n_parameter * sizeof(int64_t);  /* at most */
		status = check_threads(s, k, r, diag);
		if (!status && bytes > s->facts.parameter_bytes)
			status = lt__report(diag, LT_EUNSUPPORTED, r->origin, -1, "cut the nest in two",
				"kernel %s: it takes %zu bytes of arguments, and %zu are the most on this device", k->name, bytes,
				s->facts.parameter_bytes);
	}
	return status;
}

lt_status lt__opencl_lower(const struct lt_session *s, const struct lt_tree *t, struct lt_kernel **kernel,
	struct lt_text_grids **grids, struct lt_diag *diag)
{
	const struct lt_kernel_options options = {
		.last = LT_HAS(struct lt_host, s->host, kernel_step) ? (char)s->host->kernel_step : '\0'
	};
	*grids = NULL;
	lt_status status = lt_kernel_new(t, &s->machine, &options, kernel, diag);
	status = status ? status : lt__text_grids(&lt__text_opencl, *kernel, NULL, grids, diag);
	status = status ? status : check_program(s, *kernel, *grids, diag);
	if (status) {
		lt__text_grids_free(*grids);
		lt_kernel_free(*kernel);
		*grids = NULL;
		*kernel = NULL;
	}
	return status;
}
