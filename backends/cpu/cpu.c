/* backends/cpu/cpu.c -- the backend cpu: C text, the system's compiler, dlopen.
 *
 * Config: words separated by ';': O0, O1, O2, O3 (the compiler's level of optimisation).
 * dump: LT_DUMP_SOURCE is the C text with the graph's names; LT_DUMP_STATS lines "name value": from_cache, workspace_bytes.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cpu/cpu.h"

struct lt_object {
	const struct lt_tree *tree;
	void *handle;
	lt_kernel *kernel;
	int64_t workspace;              /* bytes */
	bool cached;
};

static lt_status read_config(const char *config, char *level, struct lt_diag *diag)
{
	*level = '3';
	for (const char *at = config ? config : ""; *at; ) {
		size_t n = strcspn(at, ";");
		if (n == 2 && at[0] == 'O' && at[1] >= '0' && at[1] <= '3')
			*level = at[1];
		else if (n)
			return lt__note(diag, LT_EINVAL, -1, -1, "give O0, O1, O2 or O3", "cpu: unknown option '%.*s'",
				(int)n, at);
		at += n + (at[n] == ';');
	}
	return LT_OK;
}

static int32_t score(const char *config, struct lt_diag *diag)
{
	char level;
	return read_config(config, &level, diag) ? 0 : 100;
}

static void close_(struct lt_session *s)
{
	free(s->cc);
	free(s->cache_dir);
	free(s->identity);
	free(s);
}

static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	char level;
	*out = NULL;
	lt_status status = read_config(config, &level, diag);
	if (status)
		return status;
	const char *cc = LT_HAS(struct lt_host, host, cc) ? host->cc : "cc";
	const char *cache_dir = LT_HAS(struct lt_host, host, cache_dir) ? host->cache_dir : NULL;
	struct lt_session *s = calloc(1, sizeof *s);
	if (!s)
		return lt__note(diag, LT_ENOMEM, -1, -1, NULL, "cpu: no memory for a session");
	lt__cpu_target(&s->target);
	s->n_thread = LT_HAS(struct lt_host, host, n_thread) ? host->n_thread : s->target.cores;
	s->level = level;
	s->progress = LT_HAS(struct lt_host, host, progress) ? host->progress : NULL;
	s->user = s->progress ? host->user : NULL;
	s->cc = strdup(cc);
	s->cache_dir = cache_dir ? strdup(cache_dir) : NULL;
	if (!s->cc || (cache_dir && !s->cache_dir)) {
		close_(s);
		return lt__note(diag, LT_ENOMEM, -1, -1, NULL, "cpu: no memory for a session");
	}
	s->caps = (struct lt_caps){ .size = sizeof s->caps, .dtypes = ((UINT64_C(1) << LT_NDTYPE) - 1) & ~UINT64_C(1),
		.loops = 1u << LT_SERIAL | 1u << LT_UNROLL | 1u << LT_VECTOR | 1u << LT_PARALLEL | 1u << LT_GROUP,
		.understands = LT_CGEN_NEEDS, .target = &s->target, .max_local_bytes = 16 << 10 };
	*out = s;
	return LT_OK;
}

static const struct lt_caps *caps(const struct lt_session *s) { return &s->caps; }

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	(void)s;
	return lt__cgen_accepts(&lt__dialect_c, t, diag);
}

static void destroy(struct lt_object *o)
{
	if (o && o->handle)
		(void)dlclose(o->handle);
	free(o);
}

static lt_status print_all(const struct lt_tree *const *tree, uint32_t n, struct lt_object **object, struct lt_job *job, struct lt_diag *diag)
{
	for (uint32_t i = 0; i < n; i++) {
		struct lt_object *o = object[i] = calloc(1, sizeof *o);
		char *text;
		if (!o)
			return lt__note(diag, LT_ENOMEM, -1, -1, NULL, "cpu: no memory for %u kernels", (unsigned)n);
		o->tree = tree[i];
		lt_status status = lt__cgen_print(&lt__dialect_c, tree[i], 0, &text, &o->workspace, diag);
		if (status)
			return status;
		job[i] = (struct lt_job){ .name = tree[i]->name ? tree[i]->name : "?", .source = text, .text = tree[i]->text };
	}
	return LT_OK;
}

static lt_status take_all(uint32_t n, struct lt_object **object, struct lt_job *job, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	for (uint32_t i = 0; i < n; i++) {
		object[i]->handle = job[i].handle;
		object[i]->cached = job[i].cached;
		*(void **)&object[i]->kernel = dlsym(job[i].handle, lt__dialect_c.entry);
		if (!object[i]->kernel && !status)
			status = lt__note(diag, LT_ECOMPILE, -1, -1, NULL, "cpu: kernel %s was compiled but has no function %s", job[i].name,
				lt__dialect_c.entry);
	}
	return status;
}

static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	memset(object, 0, n * sizeof *object);
	if (n == 0)
		return LT_OK;
	struct lt_job *job = calloc(n, sizeof *job);
	lt_status status = job ? print_all(tree, n, object, job, diag) : lt__note(diag, LT_ENOMEM, -1, -1, NULL, "cpu: no memory to compile");
	if (!status)
		status = lt__cpu_compile(s, job, n, diag);
	if (!status)
		status = take_all(n, object, job, diag);
	for (uint32_t i = 0; i < n; i++) {
		if (job)
			free((void *)(uintptr_t)job[i].source);
		if (status) {
			destroy(object[i]);
			object[i] = NULL;
		}
	}
	free(job);
	return status;
}

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	const struct lt_tree *t = o->tree;
	if (args->n_slot != (uint32_t)t->n_slot)
		return lt__note(diag, LT_EINVAL, -1, -1, NULL, "kernel %s takes %d buffers, %u were given", t->name, (int)t->n_slot,
			(unsigned)args->n_slot);
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		int64_t bytes = b->elems * LT_AT(struct lt_type, t->types, b->type)->bytes;
		if (b->slot >= 0 && args->slot[b->slot].bytes < bytes)
			return lt__note(diag, LT_EINVAL, -1, -1, NULL, "kernel %s: buffer %s has %lld bytes and needs %lld", t->name,
				b->name ? b->name : "?", (long long)args->slot[b->slot].bytes, (long long)bytes);
	}
	if (o->workspace && !args->workspace)
		return lt__note(diag, LT_EINVAL, -1, -1, NULL, "kernel %s needs a workspace of %lld bytes", t->name, (long long)o->workspace);
	o->kernel(args->slot, args->workspace, args->fault);
	return LT_OK;
}

static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	(void)s, (void)stream, (void)diag;
	return LT_OK;
}

static void need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	(void)n_thread;
	*bytes = (size_t)o->workspace;
	*align = 64;
}

static lt_status dump(const struct lt_object *o, enum lt_dump what, lt_write *write, void *user)
{
	char *text = NULL, line[128];
	int64_t workspace;
	if (what == LT_DUMP_STATS) {
		int n = snprintf(line, sizeof line, "from_cache %d\nworkspace_bytes %lld\n", (int)o->cached, (long long)o->workspace);
		write(user, line, (size_t)n);
		return LT_OK;
	}
	if (what != LT_DUMP_SOURCE)
		return LT_EUNSUPPORTED;
	lt_status status = lt__cgen_print(&lt__dialect_c, o->tree, 1, &text, &workspace, NULL);
	if (!status)
		write(user, text, strlen(text));
	free(text);
	return status;
}

static const struct lt_backend cpu = {
	.size = sizeof cpu, .abi = LT_ABI, .build = LT_BUILD,
	.name = "cpu", .summary = "C text through the system's compiler", .version = LT_CPU_VERSION,
	.score = score, .open = open_, .close = close_, .caps = caps, .accepts = accepts, .compile = compile, .run = run,
	.sync = sync_, .destroy = destroy, .need = need, .dump = dump,
};
LT_BACKEND(cpu)
