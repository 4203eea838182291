/* backends/cuda/compile.c -- texts become cubins, several at once, and cubins objects that can be launched. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cuda/session.h"

void lt__cuda_destroy(struct lt_object *o)
{
	if (!o)
		return;
	if (o->module && lt__cuda_enter(o->s, NULL) == LT_OK) {
		(void)o->s->cuda.module_free(o->module);
		lt__cuda_leave(o->s);
	}
	lt__cuda_code_free(&o->code);
	free(o->function);
	free(o);
}

/* A launch that the device cannot make is said now, and not by the first run. */
static lt_status function_check(struct lt_object *o, uint32_t i, struct lt_diag *diag)
{
	const struct lt_cuda_launch *l = &o->code.launches[i];
	const struct lt_cuda_driver *cuda = &o->s->cuda;
	const char *name = cuda_name(o->tree);
	const uint64_t threads = (uint64_t)l->threads[0] * l->threads[1] * l->threads[2];
	int most = 0, registers = 0, fixed = 0;
	CUresult r = cuda->function_attribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, o->function[i]);
	if (!r)
		r = cuda->function_attribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, o->function[i]);
	if (!r)
		r = cuda->function_attribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, o->function[i]);
	if (r)
		return lt__cuda_check(o->s, r, diag, "kernel %s: function %s", name, l->function);
	if (threads > (uint64_t)most)
		return lt__report(diag, LT_ECOMPILE, -1, -1, "use smaller blocks",
			"kernel %s: function %s takes %d registers a thread, so that a block has at most %d threads, not %llu", name,
			l->function, registers, most, (unsigned long long)threads);
	if (fixed + (int64_t)l->shared_bytes > o->s->facts.shared_bytes)
		return lt__report(diag, LT_ECOMPILE, -1, -1, "stage less, or in smaller tiles",
			"kernel %s: function %s needs %lld bytes of shared memory a block, and the device has %d", name, l->function,
			(long long)(fixed + (int64_t)l->shared_bytes), o->s->facts.shared_bytes);
	if (l->shared_bytes)
		r = cuda->function_set(o->function[i], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)l->shared_bytes);
	return lt__cuda_check(o->s, r, diag, "kernel %s: function %s: %u bytes of shared memory", name, l->function,
		(unsigned)l->shared_bytes);
}

static lt_status object_fill(struct lt_object *o, struct lt_diag *diag)
{
	const struct lt_cuda_driver *cuda = &o->s->cuda;
	const char *name = cuda_name(o->tree);
	o->function = calloc(o->code.n_launch + 1, sizeof *o->function);
	if (!o->function)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for kernel %s", name);
	lt_status status = lt__cuda_check(o->s, cuda->module_load(&o->module, o->code.cubin), diag,
		"kernel %s: its code cannot be loaded", name);
	for (uint32_t i = 0; !status && i < o->code.n_launch; i++) {
		const char *function = o->code.launches[i].function;
		status = lt__cuda_check(o->s, cuda->module_function(&o->function[i], o->module, function), diag,
			"kernel %s: its function %s", name, function);
		if (!status)
			status = function_check(o, i, diag);
	}
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
	lt_status status = lt__cuda_enter(s, diag);
	if (!status) {
		status = object_fill(o, diag);
		lt__cuda_leave(s);
	}
	if (status)
		lt__cuda_destroy(o);
	else
		*out = o;
	return status;
}

/* ---- texts, by as many threads as there are ---- */

struct compile_team {
	const struct lt_session *s;
	const struct lt_tree *const *tree;
	const struct lt_cuda_text *text;
	struct lt_cuda_cubin *cubin;
	uint32_t n;
	atomic_uint next;
	atomic_bool stopped;
};
struct compile_member { struct compile_team *team; bool asks; };

/* Only the thread that called the backend may ask the host. */
static int compile_stopped(void *member)
{
	struct compile_member *m = member;
	const struct lt_host *host = m->team->s->host;
	if (m->asks && LT_HAS(struct lt_host, host, cancelled) && host->cancelled(host))
		atomic_store(&m->team->stopped, true);
	return atomic_load(&m->team->stopped);
}

static void compile_some(void *arg, uint32_t i, uint32_t n)
{
	struct compile_team *team = arg;
	struct compile_member m = { team, i == 0 };
	(void)n;
	for (uint32_t k; (k = atomic_fetch_add(&team->next, 1)) < team->n; ) {
		struct lt_cuda_cubin *cubin = &team->cubin[k];
		if (compile_stopped(&m)) {
			cubin->status = LT_ECANCELLED;
			(void)snprintf(cubin->why, sizeof cubin->why, "compiling was cancelled");
			continue;
		}
		lt__cuda_nvrtc_compile(&team->s->nvrtc, team->s->facts.arch, cuda_name(team->tree[k]), team->text[k].text,
			compile_stopped, &m, cubin);
	}
}

static void compile_all(struct compile_team *team)
{
	const struct lt_host *host = team->s->host;
	const uint32_t n_thread = LT_HAS(struct lt_host, host, n_thread) ? host->n_thread : 1;
	if (team->n > 1 && LT_HAS(struct lt_host, host, parallel))
		host->parallel(host, n_thread < team->n ? n_thread : team->n, compile_some, team);
	else
		compile_some(team, 0, 1);
}

static lt_status compile_take(struct lt_session *s, const struct compile_team *team, uint32_t i,
	struct lt_object **out, struct lt_diag *diag)
{
	const struct lt_cuda_cubin *cubin = &team->cubin[i];
	struct lt_cuda_code code;
	if (cubin->log && cubin->log[0] && LT_HAS(struct lt_host, s->host, log))
		s->host->log(s->host, cubin->status ? LT_LOG_WARNING : LT_LOG_DEBUG, cubin->log);
	if (cubin->status)
		return lt__report(diag, cubin->status, -1, -1, NULL, "%s", cubin->why);
	if (lt__cuda_code_new(&team->text[i], cubin->at, cubin->bytes, &code))
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for kernel %s", cuda_name(team->tree[i]));
	lt_status status = lt__cuda_object(s, team->tree[i], &code, out, diag);
	if (!status && LT_HAS(struct lt_host, s->host, progress))
		s->host->progress(s->host->user, (int32_t)i + 1, (int32_t)team->n);
	return status;
}

static lt_status arguments_check(const struct lt_tree *t, const struct lt_cuda_text *text, struct lt_diag *diag)
{
	for (uint32_t i = 0; i < text->n_launch; i++)
		if (text->launches[i].n_argument > LT_CUDA_MAX_ARGUMENTS)
			return lt__report(diag, LT_EUNSUPPORTED, -1, -1, "cut the nest in two", "kernel %s: function %s takes %u "
				"arguments, and a launch has at most %d", cuda_name(t), text->launches[i].function,
				(unsigned)text->launches[i].n_argument, (int)LT_CUDA_MAX_ARGUMENTS);
	return LT_OK;
}

lt_status lt__cuda_compile(struct lt_session *s, const struct lt_tree *const *tree, const struct lt_cuda_text *text,
	uint32_t n, struct lt_object **object, struct lt_diag *diag)
{
	struct compile_team team = { .s = s, .tree = tree, .text = text, .cubin = calloc(n + 1, sizeof *team.cubin), .n = n };
	lt_status status = LT_OK;
	memset(object, 0, n * sizeof *object);
	if (!team.cubin)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for %u kernels", (unsigned)n);
	for (uint32_t i = 0; !status && i < n; i++)
		status = arguments_check(tree[i], &text[i], diag);
	if (!status)
		compile_all(&team);
	for (uint32_t i = 0; !status && i < n; i++)
		status = compile_take(s, &team, i, &object[i], diag);
	for (uint32_t i = 0; i < n; i++) {
		free(team.cubin[i].at);
		free(team.cubin[i].log);
		if (status) {
			lt__cuda_destroy(object[i]);
			object[i] = NULL;
		}
	}
	free(team.cubin);
	return status;
}
