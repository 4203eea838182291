/* task.c -- doing the tasks of a job, on all threads where that pays; scratch; what went wrong.
 *
 * Tasks are handed out in order.  After a failure only those before it are still done, so that the first failure is
 * reported whatever the number of threads.
 */
#include <stdatomic.h>
#include <string.h>
#include "ir/eval/parts.h"

/* Nanoseconds, about: below the first a job has one thread; progress is reported after the second. */
enum { COST_THREADS = 200000, COST_ROUND = 50000000 };

struct round { struct lt_evaluation *e; const struct lt_eval_job *job; _Atomic int64_t next, failed; int64_t end; };

static void take_tasks(void *arg, uint32_t i, uint32_t n)
{
	struct round *r = arg;
	struct lt_worker *w = &r->e->worker[i];

	(void)n;
	for (;;) {
		int64_t task = atomic_fetch_add(&r->next, 1), failed = atomic_load(&r->failed);
		if (task >= r->end || task > failed)
			return;
		if (!r->job->run(w, task))
			continue;
		w->fault.task = task;
		while (task < failed && !atomic_compare_exchange_weak(&r->failed, &failed, task))
			continue;
		return;         /* its own fault is kept, and only earlier tasks could replace it */
	}
}

static lt_status report(const struct lt_evaluation *e, const struct lt_eval_fault *f)
{
	const struct lt_nodedef *d = &e->g->node[f->node];

	if (f->kind == LT_FAULT_READ)
		return lt__node_fail(e->g, f->node, LT_EINVAL, "it is read at index %lld of axis %d, whose extent is %lld",
			(long long)f->value, (int)f->axis, (long long)f->extent);
	if (f->kind == LT_FAULT_GATHER)
		return lt__node_fail(e->g, f->node, LT_EFAULT,
			"the index %lld from '%s' is outside of axis %d of '%s', whose extent is %lld",
			(long long)f->value, e->g->node[d->operand[1]].name, (int)f->axis,
			e->g->node[d->operand[0]].name, (long long)f->extent);
	return lt__node_fail(e->g, f->node, LT_EOVERFLOW,
		"an index or a guard of it exceeds 63 bits: its coefficients are too large for the extents");
}

/* Parts of one block of memory, each aligned to 64 bytes; at NULL only counts. */
struct scratch_pieces { char *at; size_t used; };
static void *piece(struct scratch_pieces *p, size_t bytes)
{
	size_t begin = p->used;

	p->used += (bytes + 63) / 64 * 64;
	return p->at ? p->at + begin : NULL;
}

static void cut_block(
	const struct lt_evaluation *e, const struct lt_eval_job *job, struct lt_worker *w, struct scratch_pieces *p)
{
	bool reduce = e->g->node[job->node].reduce && !job->product;
	int32_t n_step = job->steps.n;

	if (job->product)
		n_step = job->product->left.steps.n > job->product->right.steps.n ? job->product->left.steps.n
										  : job->product->right.steps.n;
	w->strip = piece(p, (size_t)n_step * sizeof *w->strip);
	w->out = piece(p, sizeof *w->out);
	w->one = piece(p, sizeof *w->one);
	w->spread = piece(p, 5 * sizeof *w->spread);
	w->fold_value[0] = piece(p, reduce ? sizeof *w->fold_value[0] : 0);
	w->fold_value[1] = piece(p, reduce ? sizeof *w->fold_value[1] : 0);
	w->lost = piece(p, reduce ? LT_STRIP * sizeof *w->lost : 0);
	w->fold = piece(p, reduce && (e->options.want_error || e->noise) ? LT_STRIP * sizeof *w->fold : 0);
	w->panel = piece(p, job->product ? lt__eval_product_bytes(e, job->product, e->g->node[job->node].dtype) : 0);
	w->tables = piece(p, job->product ? lt__eval_tables_bytes(job->product) : 0);
	w->row_at = piece(p, job->product ? (size_t)job->product->m * sizeof *w->row_at : 0);
	w->column_at = piece(p, job->product ? (size_t)job->product->n * sizeof *w->column_at : 0);
}

/* Scratch grows with the jobs that need more, and is not cleared. */
static lt_status worker_prepare(struct lt_evaluation *e, const struct lt_eval_job *job, struct lt_worker *w)
{
	struct scratch_pieces count = { NULL, 64 }, parts;

	if (!w->e) {
		w->at = LT_NEW(e->arena, int64_t, e->n_var + 1);
		w->row = LT_NEW(e->arena, struct lt_line, e->width);
		w->column = LT_NEW(e->arena, struct lt_line, e->width);
		w->index = LT_NEW(e->arena, struct lt_line, e->width);
		w->e = e;
	}
	w->job = job;
	w->fault.kind = LT_FAULT_NONE;
	w->inexact = false;
	cut_block(e, job, w, &count);
	if (count.used > w->bytes) {
		void *more = lt__context_realloc(e->ctx, w->block, w->bytes, count.used);
		if (!more)
			return lt_fail(e->ctx, LT_ENOMEM, "out of memory: %zu more bytes were refused", count.used);
		w->block = more;
		w->bytes = count.used;
	}
	parts = (struct scratch_pieces){ (char *)w->block + (64 - (uintptr_t)w->block % 64) % 64, 0 };
	cut_block(e, job, w, &parts);
	return LT_OK;
}

void lt__eval_free_workers(struct lt_evaluation *e)
{
	for (uint32_t i = 0; i < e->n_worker; i++)
		if (e->worker[i].block)
			lt__context_realloc(e->ctx, e->worker[i].block, e->worker[i].bytes, 0);
}

static const struct lt_eval_fault *find_fault(const struct lt_evaluation *e, uint32_t n, int64_t task)
{
	for (uint32_t i = 0; i < n; i++)
		if (e->worker[i].fault.kind && e->worker[i].fault.task == task)
			return &e->worker[i].fault;
	return NULL;
}

/* part: of the node that is computed now. */
static void report_progress(const struct lt_evaluation *e, double part)
{
	double share = (e->work_done + e->node_work * part) / e->work;

	if (e->options.progress)
		e->options.progress(e->options.user, share < 1 ? share : 1);
}

lt_status lt__eval_run_tasks(struct lt_evaluation *e, struct lt_eval_job *job)
{
	uint32_t n = e->options.parallel && job->cost * (double)job->n_task > COST_THREADS ? e->n_worker : 1;
	struct round r = { .e = e, .job = job };

	n = (int64_t)n > job->n_task ? (uint32_t)job->n_task : n;
	for (uint32_t i = 0; i < n; i++)
		LT_TRY(worker_prepare(e, job, &e->worker[i]));
	int64_t step = job->cost < COST_ROUND ? (int64_t)(COST_ROUND / job->cost) * n : n;
	atomic_store(&r.failed, INT64_MAX);
	while (r.end < job->n_task && atomic_load(&r.failed) == INT64_MAX) {
		atomic_store(&r.next, r.end);
		r.end = job->n_task - r.end < step ? job->n_task : r.end + step;
		if (n > 1)
			e->options.parallel(e->options.user, n, take_tasks, &r);
		else
			take_tasks(&r, 0, 1);
		lt__poll_long(e->ctx);
		report_progress(e, (double)r.end / (double)job->n_task);
	}
	const struct lt_eval_fault *fault = find_fault(e, n, atomic_load(&r.failed));
	for (uint32_t i = 0; i < n; i++)
		job->inexact = job->inexact || e->worker[i].inexact;
	return fault ? report(e, fault) : LT_OK;
}
