/* cpu.c -- the backend cpu: C text, the system's compiler, dlopen.
 *
 * config: config.c.  dump: LT_DUMP_SOURCE is the C text with the graph's names, LT_DUMP_ASM what the compiler makes of
 * it, LT_DUMP_STATS lines "name value": workspace_bytes, parallel (1: it has parallel loops), serialised (1: for which
 * the host has no threads), threads (that a run uses).
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lt/kernel.h"
#include "backends/cpu/object.h"

static const struct lt_host nobody = { .size = sizeof nobody };

static int32_t score(const char *config, struct lt_diag *diag)
{
	struct lt_cpu_config c;
	if (lt__cpu_config(config, &c, diag))
		return 0;
	if (c.model->runs())
		return 100;
	lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "cpu: this machine does not run code for the target %s",
		c.model->name);
	return 0;
}

static void close_(struct lt_session *s)
{
	lt__cpu_source_close(s);
	free(s->cc);
	free(s->temp_dir);
	free(s->symbols);
	free(s->identity);
	free(s);
}

static void set_target(struct lt_session *s, const struct lt_cpu_model *m)
{
	s->model = m;
	s->runs = m->runs();
	if (m->target.size)
		s->target = m->target;
	else
		lt__cpu_target(&s->target);
	s->vector_library = strcmp(m->machine, lt__cpu_machine()) == 0 ? lt_kernel_vector_library() : 0;
}

static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	struct lt_cpu_config c;
	*out = NULL;
	host = host ? host : &nobody;
	lt_status status = lt__cpu_config(config, &c, diag);
	if (status)
		return status;
	const char *cc = LT_HAS(struct lt_host, host, cc) ? host->cc : "cc";
	const char *temp_dir = LT_HAS(struct lt_host, host, temp_dir) ? host->temp_dir : NULL;
	struct lt_session *s = calloc(1, sizeof *s);
	if (!s)
		return lt__cpu_no_memory(diag);
	set_target(s, c.model);
	s->n_core = lt_kernel_cores();
	s->n_thread = LT_HAS(struct lt_host, host, n_thread) ? host->n_thread : s->n_core;
	if (!c.model->target.size && s->n_thread < s->target.cores)      /* this machine, or as much of it as a run may use */
		s->target.cores = s->n_thread;
	s->cc_timeout_ms = LT_HAS(struct lt_host, host, cc_timeout_ms) ? host->cc_timeout_ms : 0;
	s->text_only = LT_HAS(struct lt_host, host, text_only);
	s->level = c.level;
	s->emit = c.model->int_bits ? LT_CPU_BARE : c.emit;
	s->host = host;
	s->progress = LT_HAS(struct lt_host, host, progress) ? host->progress : NULL;
	s->user = s->progress ? host->user : NULL;
	s->cc = strdup(cc);
	s->temp_dir = temp_dir ? strdup(temp_dir) : NULL;
	s->symbols = c.symbols ? strndup(c.symbols, c.symbols_bytes) : NULL;
	if (!s->cc || (temp_dir && !s->temp_dir) || (c.symbols && !s->symbols))
		status = lt__cpu_no_memory(diag);
	if (!status && c.symbols)
		status = lt__cpu_symbols(s, diag);
	if (!status && c.source)
		status = lt__cpu_source_open(s, c.source, c.source_bytes, diag);
	if (status) {
		close_(s);
		return status;
	}
	s->caps = (struct lt_caps){ .size = sizeof s->caps, .dtypes = ((UINT64_C(1) << LT_NDTYPE) - 1) & ~UINT64_C(1),
		.loops = 1u << LT_SERIAL | 1u << LT_UNROLL | 1u << LT_VECTOR | 1u << LT_PARALLEL | 1u << LT_GROUP
			| 1u << LT_TILE,
		.understands = LT_CPU_NEEDS, .target = &s->target, .promises = LT_PROMISE_RUN_TOGETHER };
	*out = s;
	return LT_OK;
}

static const struct lt_caps *caps(const struct lt_session *s) { return &s->caps; }

static void destroy(struct lt_object *o)
{
	if (o && o->handle)
		(void)dlclose(o->handle);
	if (o)
		free(o->code);
	free(o);
}

/* Else objects are texts: for another machine, or to be looked at only. */
static bool is_compiled(const struct lt_session *s) { return s->runs && !s->text_only; }

static lt_status print_all(
	struct lt_session *s, uint32_t n, struct lt_object **object, struct lt_cpu_job *job, struct lt_diag *diag)
{
	for (uint32_t i = 0; i < n; i++) {
		struct lt_object *o = object[i];
		char *text;
		lt_status status = lt__cpu_print(s, o->tree, LT_CPU_TEXT_COMPILED, &text, &o->need, diag);
		if (status)
			return status;
		job[i] = (struct lt_cpu_job){ .name = o->tree->name ? o->tree->name : "?", .source = text, .keep = true };
	}
	return LT_OK;
}

static lt_status take_all(uint32_t n, struct lt_object **object, struct lt_cpu_job *job, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	for (uint32_t i = 0; i < n; i++) {
		object[i]->handle = job[i].handle;
		object[i]->code = job[i].code;
		object[i]->code_bytes = job[i].code_bytes;
		*(void **)&object[i]->kernel = dlsym(job[i].handle, LT_CPU_ENTRY);
		if (!object[i]->kernel && !status)
			status = lt__report(diag, LT_ECOMPILE, -1, -1, NULL,
				"cpu: kernel %s was compiled but has no function %s", job[i].name, LT_CPU_ENTRY);
	}
	return status;
}

/* What is printed, compiled; of a target that does not run here, the texts only. */
static lt_status compile_printed(struct lt_session *s, uint32_t n, struct lt_object **object, struct lt_diag *diag)
{
	struct lt_cpu_job *job = calloc(n, sizeof *job);
	lt_status status = job ? print_all(s, n, object, job, diag) : lt__cpu_no_memory(diag);
	if (!status && is_compiled(s))
		status = lt__cpu_compile(s, job, n, diag);
	if (!status && is_compiled(s))
		status = take_all(n, object, job, diag);
	for (uint32_t i = 0; job && i < n; i++)
		free((void *)(uintptr_t)job[i].source);
	free(job);
	return status;
}

static lt_status cpu_compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n,
	struct lt_object **object, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	memset(object, 0, n * sizeof *object);
	for (uint32_t i = 0; !status && i < n; i++) {
		object[i] = calloc(1, sizeof *object[i]);
		if (!object[i])
			status = lt__cpu_no_memory(diag);
		else
			*object[i] = (struct lt_object){ .s = s, .tree = tree[i], .own = lt_kernel_own_name(tree[i]) };
	}
	for (uint32_t i = 0; !status && s->source && i < n; i++)
		status = lt__cpu_source_find(s, tree[i], &object[i]->kernel, &object[i]->need, diag);
	if (!status && !s->source && n)
		status = compile_printed(s, n, object, diag);
	for (uint32_t i = 0; status && i < n; i++) {
		destroy(object[i]);
		object[i] = NULL;
	}
	return status;
}

static lt_status cpu_run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct lt_team team;
	lt_status status = lt__cpu_check(o, args, &team, diag);
	if (!status)
		lt__cpu_call(&(struct lt_cpu_call){ o->kernel, args->slot, args->workspace, args->fault, team, o->own });
	return status;
}

static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	(void)s, (void)stream, (void)diag;
	return LT_OK;
}

static void need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	*bytes = (size_t)lt__cpu_workspace(o, lt__cpu_threads(o, n_thread));
	*align = 64;
}

/* A dump that fails writes why. */
struct report { struct lt_diag diag; lt_write *write; void *user; };

static void dump_report(struct lt_diag *d, const struct lt_diagnostic *one)
{
	struct report *t = (struct report *)(void *)d;
	const char *const parts[] = { one->text, one->remedy ? ": " : "", one->remedy ? one->remedy : "" };
	for (int i = 0; i < 3; i++)
		t->write(t->user, parts[i], strlen(parts[i]));
}

static void dump_stats(const struct lt_object *o, lt_write *write, void *user)
{
	char line[256];
	uint32_t n_thread = lt__cpu_threads(o, 0);
	int n = snprintf(line, sizeof line, "workspace_bytes %lld\nparallel %d\nserialised %d\nthreads %u\n",
		(long long)lt__cpu_workspace(o, n_thread), (int)o->need.threads, (int)(o->need.threads && !lt__cpu_has_threads(o->s)),
		(unsigned)n_thread);
	write(user, line, (size_t)n);
}

static lt_status dump_assembly(const struct lt_object *o, lt_write *write, void *user, struct lt_diag *diag)
{
	struct lt_session *s = o->s;
	struct lt_cpu_need printed;
	char *text;
	/* Headers of another machine need not be there. */
	lt_status status = lt__cpu_print(s, o->tree, LT_CPU_TEXT_ALONE, &text, &printed, diag);
	if (status)
		return status;
	struct lt_cpu_job job = { .name = o->tree->name, .source = text, .product = LT_ASSEMBLY };
	void (*progress)(void *, int32_t, int32_t) = s->progress;
	s->progress = NULL;             /* the host counts kernels */
	status = lt__cpu_compile(s, &job, 1, diag);
	s->progress = progress;
	if (!status)
		write(user, job.assembly, strlen(job.assembly));
	free(job.assembly);
	free(text);
	return status;
}

static lt_status dump(const struct lt_object *o, enum lt_dump what, lt_write *write, void *user)
{
	struct report t = { { sizeof t.diag, dump_report }, write, user };
	if (what == LT_DUMP_STATS) {
		dump_stats(o, write, user);
		return LT_OK;
	}
	if (what == LT_DUMP_DECISIONS)
		return o->s->source ? LT_EUNSUPPORTED : lt__cpu_explain(o->s, o->tree, write, user);
	if (o->s->source)
		return lt__report(&t.diag, LT_EINVAL, -1, -1, NULL, "cpu: the code is the C file that was given");
	return what == LT_DUMP_SOURCE ? lt__cpu_source_write(o->s, o->tree, write, user, &t.diag)
		: what == LT_DUMP_KERNEL ? lt__cpu_print_kernel(o->s, o->tree, write, user, &t.diag)
		: what == LT_DUMP_ASM ? dump_assembly(o, write, user, &t.diag) : LT_EUNSUPPORTED;
}

static const struct lt_backend cpu = {
	.size = sizeof cpu,
	.abi = LT_ABI,
	.build = LT_BUILD,
	.name = "cpu",
	.summary = "C text through the system's compiler",
	.version = LT_CPU_VERSION,
	.score = score,
	.open = open_,
	.close = close_,
	.caps = caps,
	.accepts = lt__cpu_accepts,
	.compile = cpu_compile,
	.run = cpu_run,
	.sync = sync_,
	.destroy = destroy,
	.need = need,
	.dump = dump,
	.describe = lt__cpu_describe,
	.identity = lt__cpu_session_identity,
	.save = lt__cpu_save,
	.load = lt__cpu_load,
	.capture = lt__cpu_capture,
	.replay = lt__cpu_replay,
	.capture_free = lt__cpu_capture_free,
	.options = &lt__cpu_options,
};
LT_BACKEND(cpu)
