/* compile.c -- trees become texts, texts programs, several at once, and programs objects that can be
 * launched. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/opencl/session.h"

void lt__opencl_destroy(struct lt_object *o)
{
	if (!o)
		return;
	for (uint32_t i = 0; o->function && i < o->grids->n_grid; i++)
		if (o->function[i])
			(void)o->s->cl.kernel_free(o->function[i]);
	if (o->program)
		(void)o->s->cl.program_free(o->program);
	free(o->function);
	lt__text_grids_free(o->grids);
	lt_kernel_free(o->kernel);
	(void)pthread_mutex_destroy(&o->turn);
	free(o);
}

/* Whether its launches are the same whatever the run-time scalars are. */
static lt_status launches_nothing(struct lt_text_launcher *l, const struct lt_text_launch *x)
{
	(void)l, (void)x;
	return LT_OK;
}

lt_status lt__opencl_object_new(
	struct lt_session *s, const struct lt_tree *t, struct lt_object **out, struct lt_diag *diag)
{
	struct lt_text_launcher nobody = { .launch = launches_nothing };
	struct lt_object *o = *out = calloc(1, sizeof *o);
	if (!o || pthread_mutex_init(&o->turn, NULL)) {
		free(o);
		*out = NULL;
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for kernel %s", opencl_name(t));
	}
	o->s = s;
	o->tree = t;
	lt_status status = lt__opencl_lower(s, t, &o->kernel, &o->grids, diag);
	if (!status && !(o->function = calloc(o->grids->n_grid + 1, sizeof(cl_kernel))))
		status = lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for kernel %s", opencl_name(t));
	if (status) {
		lt__opencl_destroy(o);
		*out = NULL;
		return status;
	}
	o->recorded = lt__text_launches(o->kernel, NULL, &nobody, NULL) == LT_OK;
	for (uint32_t i = 0; i < o->grids->n_grid; i++)
		for (uint32_t p = 0; p < o->grids->grids[i].n_parameter; p++)
			o->faults = o->faults || o->grids->grids[i].parameters[p].kind == LT_TEXT_FAULT;
	return LT_OK;
}

/* A launch that the device cannot make is said now, and not by the first run. */
static lt_status function_check(struct lt_object *o, uint32_t i, struct lt_diag *diag)
{
	const struct lt_text_grid *g = &o->grids->grids[i];
	const struct lt_region *r = &o->kernel->regions[g->region];
	const int64_t threads = (int64_t)r->threads[0] * r->threads[1] * r->threads[2];
	size_t max_threads = 0, made[3] = { 0 };
	lt_status status = lt__opencl_check(o->s->cl.kernel_fact(o->function[i], o->s->device, CL_KERNEL_WORK_GROUP_SIZE,
		sizeof max_threads, &max_threads, NULL), diag, "kernel %s: function %s", opencl_name(o->tree), g->name);
	if (status || threads <= (int64_t)max_threads)
		return status;
	/* NVIDIA's driver says 256 of any function, also where it was made for the blocks that are asked for. */
	if (o->s->cl.kernel_fact(o->function[i], o->s->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof made, made, NULL)
			== CL_SUCCESS
		&& made[0] == (size_t)r->threads[0] && made[1] == (size_t)r->threads[1] && made[2] == (size_t)r->threads[2])
		return LT_OK;
	return lt__report(diag, LT_ECOMPILE, r->origin, -1, "use smaller blocks",
		"kernel %s: function %s needs so many registers that a block has at most %zu threads, not %lld",
		opencl_name(o->tree), g->name, max_threads, (long long)threads);
}

lt_status lt__opencl_object_take(struct lt_object *o, cl_program program, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	o->program = program;
	for (uint32_t i = 0; !status && i < o->grids->n_grid; i++) {
		cl_int r = CL_SUCCESS;
		o->function[i] = o->s->cl.kernel_new(program, o->grids->grids[i].name, &r);
		status = lt__opencl_check(r, diag, "kernel %s: its function %s", opencl_name(o->tree), o->grids->grids[i].name);
		if (!status)
			status = function_check(o, i, diag);
	}
	return status;
}

/* ---- texts, by as many threads as there are ---- */

/* What a thread has to report, until the one that was called can. */
struct opencl_heard { struct lt_diag diag; lt_status status; char text[900], remedy[200]; };
struct opencl_team {
	struct lt_session *s;
	struct lt_object **object;
	cl_program *program;
	struct opencl_heard *heard;
	uint32_t n;
	atomic_uint next;
	atomic_bool stopped;
};

static void opencl_hear(struct lt_diag *diag, const struct lt_diagnostic *d)
{
	struct opencl_heard *h = (struct opencl_heard *)(void *)diag;
	h->status = d->code;
	(void)snprintf(h->text, sizeof h->text, "%s", d->text);
	(void)snprintf(h->remedy, sizeof h->remedy, "%s", d->remedy ? d->remedy : "");
}

/* Only the thread that called the backend may ask the host. */
static bool compile_stopped(struct opencl_team *team, bool asks)
{
	const struct lt_host *host = team->s->host;
	if (asks && LT_HAS(struct lt_host, host, cancelled) && host->cancelled(host))
		atomic_store(&team->stopped, true);
	return atomic_load(&team->stopped);
}

static void compile_some(void *arg, uint32_t i, uint32_t n)
{
	struct opencl_team *team = arg;
	(void)n;
	for (uint32_t k; (k = atomic_fetch_add(&team->next, 1)) < team->n; ) {
		struct opencl_heard *h = &team->heard[k];
		const char *name = opencl_name(team->object[k]->tree);
		h->diag = (struct lt_diag){ sizeof h->diag, opencl_hear };
		if (compile_stopped(team, i == 0))
			(void)lt__report(&h->diag, LT_ECANCELLED, -1, -1, NULL, "compiling kernel %s was cancelled", name);
		else
			(void)lt__opencl_program_new(team->s, name, team->object[k]->grids->text, &team->program[k], &h->diag);
	}
}

/* All texts in one, which saves most of the time that compilers take to begin: reading their own headers.  False: one
 * by one, so that the kernel in which something is wrong is known. */
static bool compile_together(struct opencl_team *team)
{
	char *text = team->n > 1 && team->s->config.plain ? lt__opencl_merge(team->object, team->n) : NULL;
	cl_program program = NULL;
	if (!text || compile_stopped(team, true) || lt__opencl_program_new(team->s, "?", text, &program, NULL))
		program = NULL;
	free(text);
	for (uint32_t i = 0; program && i < team->n; i++) {
		(void)(i ? team->s->cl.program_keep(program) : CL_SUCCESS);
		team->program[i] = program;
	}
	return program != NULL;
}

static void compile_all(struct opencl_team *team)
{
	if (compile_together(team))
		return;
	const struct lt_host *host = team->s->host;
	const uint32_t n_thread = LT_HAS(struct lt_host, host, n_thread) ? host->n_thread : 1;
	if (team->n > 1 && n_thread > 1 && LT_HAS(struct lt_host, host, parallel))
		host->parallel(host, n_thread < team->n ? n_thread : team->n, compile_some, team);
	else
		compile_some(team, 0, 1);
}

static lt_status compile_programs(struct opencl_team *team, struct lt_diag *diag)
{
	const struct lt_host *host = team->s->host;
	lt_status status = LT_OK;
	compile_all(team);
	for (uint32_t i = 0; i < team->n; i++) {
		const struct opencl_heard *h = &team->heard[i];
		if (!status && h->status)
			status = lt__report(diag, h->status, -1, -1, h->remedy[0] ? h->remedy : NULL, "%s", h->text);
		if (!status)
			status = lt__opencl_object_take(team->object[i], team->program[i], diag);
		else if (team->program[i])
			(void)team->s->cl.program_free(team->program[i]);
		if (!status && LT_HAS(struct lt_host, host, progress))
			host->progress(host->user, (int32_t)i + 1, (int32_t)team->n);
	}
	return status;
}

lt_status lt__opencl_compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n,
	struct lt_object **object, struct lt_diag *diag)
{
	struct opencl_team team = { .s = s, .object = object, .program = calloc(n + 1, sizeof(cl_program)),
		.heard = calloc(n + 1, sizeof *team.heard), .n = n };
	lt_status status = team.program && team.heard ? LT_OK
		: lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for %u kernels", (unsigned)n);
	memset(object, 0, n * sizeof *object);
	for (uint32_t i = 0; !status && i < n; i++)
		status = lt__opencl_object_new(s, tree[i], &object[i], diag);
	if (!status && !LT_HAS(struct lt_host, s->host, text_only))
		status = compile_programs(&team, diag);
	for (uint32_t i = 0; status && i < n; i++) {
		lt__opencl_destroy(object[i]);
		object[i] = NULL;
	}
	free(team.program);
	free(team.heard);
	return status;
}
