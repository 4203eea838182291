/* compile.c -- trees become objects, several at once on the host's threads.  The host is asked whether to
 * go on, and told how far it is, by the thread that called, each time that this one is done with a tree: LLVM itself
 * cannot be interrupted. */
#include <dlfcn.h>
#include <pthread.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include "diagnostic.h"
#include "print.h"
#include "session.h"

/* One tree on its way to an object file.  why: what stopped it, a message of LLVM's. */
struct compile_job {
	struct lt_object *o;
	struct lt_kernel *k;            /* NULL: it is a kernel of one's own */
	LLVMMemoryBufferRef file;
	char *library;                  /* of such a kernel, instead of the file */
	size_t bytes;
	char *why;
	lt_status status;
};
struct compile_jobs {
	struct lt_session *s;
	struct compile_job *at, **order;                    /* order: the longest first, so that all threads end together */
	uint32_t n, next, n_done, n_reported;       /* taken; built; and what the host was told of */
	bool cancelled;
	pthread_t caller;
};

/* last: the step after which the program is as it is wanted, '\0': all. */
static lt_status lower_until(const struct lt_session *s, const struct lt_tree *t, char last, struct lt_kernel **out,
	struct lt_diag *diag)
{
	const struct lt_kernel_options options = { .last = last };
	*out = NULL;
	if (lt_kernel_own_name(t))
		return LT_OK;           /* the C compiler says what is wrong with it */
	lt_status status = lt_kernel_new(t, &s->machine.lowering, &options, out, diag);
	struct lt_kernel *k;
	if (!status && !(*out)->n_op) {
		status = lt_kernel_expand(*out, &s->machine.lowering, &k, diag);
		lt_kernel_free(*out);
		*out = status ? NULL : k;
		return status;
	}
	if (status)
		return status;
	status = lt_llvm_report(diag, LT_EUNSUPPORTED, -1, -1, NULL,
		"operator %s is known only as C text, which this backend cannot compile", (*out)->ops[0].name);
	lt_kernel_free(*out);
	*out = NULL;
	return status;
}

lt_status lt_llvm_lower(
	const struct lt_session *s, const struct lt_tree *t, struct lt_kernel **out, struct lt_diag *diag)
{
	const bool asked = s->host && LT_HAS(struct lt_host, s->host, kernel_step);
	return lower_until(s, t, asked ? (char)s->host->kernel_step : '\0', out, diag);
}

/* Steps make a better program of any program: only the first refuses trees, and what is refused of operators is in its
 * program, too.  A start from the cache asks for nothing else. */
lt_status lt_llvm_accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	struct lt_kernel *k;
	lt_status status = lower_until(s, t, lt_kernel_step_at(0)->letter, &k, diag);
	lt_kernel_free(k);
	return status;
}

/* Whether LLVM is to make vectors of what stands side by side: where a program has none of its own.  LLVM 19 shortens
 * integers for that to the bits that they need as signed ones, and then still converts them to floats as unsigned ones:
 * not where a program does so. */
static bool has_only_scalars(const struct lt_kernel *k)
{
	for (uint32_t i = 0; i < k->n_instruction; i++) {
		const struct lt_instruction *x = &k->instructions[i];
		if (x->lanes > 1 || (x->opcode == LT_OPCODE_convert && lt_llvm_is_real(x->dtype)
			&& lt_llvm_has_no_sign(k->instructions[x->operand[0]].dtype)))
			return false;
	}
	return true;
}

LLVMModuleRef lt_llvm_make(const struct lt_session *s, const struct lt_kernel *k, LLVMTargetMachineRef machine,
	LLVMContextRef c, char **why)
{
	LLVMModuleRef m = lt_llvm_module(k, &s->machine.machine, c, s->config.symbols);
	*why = NULL;
	if (!m)
		return NULL;
	LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
	LLVMSetModuleDataLayout(m, layout);
	LLVMSetTarget(m, s->machine.triple);
	LLVMDisposeTargetData(layout);
	if (lt_llvm_optimise(m, machine, has_only_scalars(k), s->config.verify, why))
		return m;
	LLVMDisposeModule(m);
	return NULL;
}

static struct lt_llvm_need need_of(const struct lt_kernel *k)
{
	struct lt_llvm_need need = { k->workspace_bytes, k->thread_bytes, 64, k->n_region > 1, false };
	for (uint32_t b = 0; b < k->n_buffer; b++)
		if ((k->buffers[b].space == LT_SPACE_WORKSPACE || k->buffers[b].space == LT_SPACE_THREAD)
			&& k->buffers[b].align > need.align)
			need.align = (uint32_t)k->buffers[b].align;
	return need;
}

static bool jobs_cancelled(struct compile_jobs *jobs)
{
	const struct lt_host *host = jobs->s->host;
	bool cancelled = __atomic_load_n(&jobs->cancelled, __ATOMIC_RELAXED);
	if (cancelled || !pthread_equal(pthread_self(), jobs->caller) || !LT_HAS(struct lt_host, host, cancelled)
		|| !host->cancelled(host))
		return cancelled;
	__atomic_store_n(&jobs->cancelled, true, __ATOMIC_RELAXED);
	return true;
}

static bool own_cancelled(void *jobs) { return jobs_cancelled(jobs); }

static void build_own(struct compile_jobs *jobs, struct compile_job *j)
{
	const struct lt_kernel_own own = lt_kernel_own_need(j->o->tree);
	j->o->need = (struct lt_llvm_need){ own.shared, own.each, 64, true, true };
	j->status = lt_llvm_own_build(jobs->s, j->o->tree, own_cancelled, jobs, &j->library, &j->bytes, &j->why);
}

static void build_one(struct lt_session *s, LLVMTargetMachineRef machine, struct compile_job *j)
{
	struct lt_kernel *k = j->k;
	if (j->status)
		return;
	if (s->config.symbols && !lt_llvm_symbols_write(s->config.symbols, k)) {
		j->why = LLVMCreateMessage("its text cannot be written to the folder for symbols");
		j->status = LT_ECOMPILE;
		return;
	}
	LLVMContextRef c = LLVMContextCreate();
	LLVMModuleRef m = lt_llvm_make(s, k, machine, c, &j->why);
	j->status = m || j->why ? LT_ECOMPILE : LT_ENOMEM;
	if (m && !LLVMTargetMachineEmitToMemoryBuffer(machine, m, LLVMObjectFile, &j->why, &j->file))
		j->status = LT_OK;
	if (m)
		LLVMDisposeModule(m);
	LLVMContextDispose(c);
	j->o->need = need_of(k);
}

/* The last is told when all are linked. */
static void jobs_report(struct compile_jobs *jobs)
{
	const struct lt_host *host = jobs->s->host;
	uint32_t n_done = __atomic_load_n(&jobs->n_done, __ATOMIC_RELAXED);
	if (!pthread_equal(pthread_self(), jobs->caller) || n_done == jobs->n_reported || n_done == jobs->n)
		return;
	jobs->n_reported = n_done;
	if (LT_HAS(struct lt_host, host, progress))
		host->progress(host->user, (int32_t)n_done, (int32_t)jobs->n);
}

/* Takes no time that somebody would want to end. */
static void lower_some(void *arg, uint32_t thread, uint32_t n_thread)
{
	struct compile_jobs *jobs = arg;
	(void)thread, (void)n_thread;
	for (uint32_t i; (i = __atomic_fetch_add(&jobs->next, 1, __ATOMIC_RELAXED)) < jobs->n; )
		jobs->at[i].status = lt_llvm_lower(jobs->s, jobs->at[i].o->tree, &jobs->at[i].k, NULL);
}

/* Each thread takes the next job until there is none. */
static void build_some(void *arg, uint32_t thread, uint32_t n_thread)
{
	struct compile_jobs *jobs = arg;
	LLVMTargetMachineRef machine = lt_llvm_target_machine(&jobs->s->machine, jobs->s->config.level);
	(void)thread, (void)n_thread;
	for (uint32_t i; !jobs_cancelled(jobs) && (i = __atomic_fetch_add(&jobs->next, 1, __ATOMIC_RELAXED)) < jobs->n; ) {
		if (jobs->order[i]->o->own)
			build_own(jobs, jobs->order[i]);
		else if (machine)
			build_one(jobs->s, machine, jobs->order[i]);
		else
			jobs->order[i]->status = LT_ENOMEM;
		(void)__atomic_add_fetch(&jobs->n_done, 1, __ATOMIC_RELAXED);
		jobs_report(jobs);
	}
	if (machine)
		LLVMDisposeTargetMachine(machine);
}

struct lt_object *lt_llvm_new_object(struct lt_session *s, const struct lt_tree *t)
{
	struct lt_object *o = calloc(1, sizeof *o);
	if (o)
		*o = (struct lt_object){ .s = s, .tree = t, .own = lt_kernel_own_name(t) };
	return o;
}

lt_status lt_llvm_take(struct lt_object *o, const void *file, size_t bytes, struct lt_diag *diag)
{
	o->file = malloc(bytes);
	if (!o->file)
		return lt_llvm_report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for kernel %s", name_of(o->tree));
	memcpy(o->file, file, bytes);
	o->bytes = bytes;
	if (o->need.library)
		return lt_llvm_own_take(o, file, bytes, diag);
	if (o->s->config.symbols)
		return lt_llvm_symbols_load(o, file, bytes, diag);
	LLVMMemoryBufferRef copy = LLVMCreateMemoryBufferWithMemoryRangeCopy(o->file, bytes, name_of(o->tree));
	return lt_llvm_link(o->s->jit, copy, name_of(o->tree), &o->code, &o->kernel, diag);
}

static lt_status finish_one(struct compile_job *j, struct lt_diag *diag)
{
	const char *name = name_of(j->o->tree);
	if (j->status == LT_ENOMEM)
		return lt_llvm_report(diag, LT_ENOMEM, -1, -1, NULL, "no memory to compile kernel %s", name);
	if (j->status)
		return lt_llvm_report(diag, j->status, -1, -1, NULL, "kernel %s: %s", name, j->why ? j->why : "LLVM failed");
	return j->library ? lt_llvm_take(j->o, j->library, j->bytes, diag)
		: lt_llvm_take(j->o, LLVMGetBufferStart(j->file), LLVMGetBufferSize(j->file), diag);
}

static void jobs_run(struct compile_jobs *jobs, void (*some)(void *, uint32_t, uint32_t))
{
	const struct lt_session *s = jobs->s;
	uint32_t n_thread = s->n_thread < jobs->n ? s->n_thread : jobs->n;
	jobs->next = 0;
	if (n_thread > 1 && LT_HAS(struct lt_host, s->host, parallel))
		s->host->parallel(s->host, n_thread, some, jobs);
	else
		some(jobs, 0, 1);
}

/* Kernels of equal length stay in the order in which they came. */
static int compare_jobs(const void *a, const void *b)
{
	const struct compile_job *x = *(struct compile_job *const *)a, *y = *(struct compile_job *const *)b;
	uint32_t n_x = x->k ? x->k->n_instruction : 0, n_y = y->k ? y->k->n_instruction : 0;
	return n_x != n_y ? (n_x < n_y) - (n_x > n_y) : (x > y) - (x < y);
}

static lt_status build_all(struct compile_jobs *jobs, struct lt_diag *diag)
{
	const struct lt_session *s = jobs->s;
	lt_status status = LT_OK;
	jobs_run(jobs, lower_some);
	for (uint32_t i = 0; i < jobs->n; i++)
		jobs->order[i] = &jobs->at[i];
	qsort(jobs->order, jobs->n, sizeof *jobs->order, compare_jobs);
	jobs_run(jobs, build_some);
	for (uint32_t i = 0; !status && i < jobs->n && !jobs_cancelled(jobs); i++)
		status = finish_one(&jobs->at[i], diag);
	if (!status && jobs->cancelled)
		return lt_llvm_report(diag, LT_ECANCELLED, -1, -1, NULL, "compiling was cancelled");
	if (!status && jobs->n && LT_HAS(struct lt_host, s->host, progress))
		s->host->progress(s->host->user, (int32_t)jobs->n, (int32_t)jobs->n);
	return status;
}

/* What building took is as much as a network's weights, and is wanted for those: the C library would keep it. */
static void return_memory(void)
{
#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
}

lt_status lt_llvm_compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n,
	struct lt_object **object, struct lt_diag *diag)
{
	struct compile_job *job = calloc(n ? n : 1, sizeof *job), **order = calloc(n ? n : 1, sizeof *order);
	lt_status status = job && order ? LT_OK : lt_llvm_report(diag, LT_ENOMEM, -1, -1, NULL, "no memory to compile");
	memset(object, 0, n * sizeof *object);
	for (uint32_t i = 0; !status && i < n; i++) {
		job[i].o = object[i] = lt_llvm_new_object(s, tree[i]);
		if (!object[i])
			status = lt_llvm_report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for %u kernels", (unsigned)n);
	}
	if (!status) {
		struct compile_jobs jobs = { .s = s, .at = job, .order = order, .n = n, .caller = pthread_self() };
		status = build_all(&jobs, diag);
	}
	for (uint32_t i = 0; job && i < n; i++) {
		if (job[i].file)
			LLVMDisposeMemoryBuffer(job[i].file);
		free(job[i].library);
		if (job[i].why)
			LLVMDisposeMessage(job[i].why);
		lt_kernel_free(job[i].k);
		if (status && object[i]) {
			lt_llvm_destroy(object[i]);
			object[i] = NULL;
		}
	}
	free(order);
	free(job);
	return_memory();
	return status;
}

void lt_llvm_destroy(struct lt_object *o)
{
	if (o && o->code)
		lt_llvm_unlink(o->code);
	if (o && o->library)
		(void)dlclose(o->library);
	if (o)
		free(o->file);
	free(o);
}
