/* plan.c -- plans of calls: which one an object's call has at its addresses; those of many trees asked for at once; a
 * run of one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/backends.h"
#include "backends/cudnn/cudnn.h"

/* Of an object: which plan a call has at these addresses. */
struct cudnn_choice {
	struct cudnn_choice *next;
	int32_t call;
	uint32_t align[LT_CUDNN_TENSORS];
	struct lt_cudnn_form form;
	const struct lt_cudnn_plan *plan;
	CUdeviceptr program;            /* of its mask; 0: it has none */
};

/* ---- calls ---- */

lt_status lt__cudnn_takes(
	struct lt_session *s, const struct lt_tree *t, const struct lt_kernel_call *c, struct lt_diag *diag)
{
	struct lt_cudnn_form form;
	char why[240];
	if (!lt__cudnn_form(t, c->origin, s->config.tf32, NULL, &form, why, sizeof why))
		return LT_OK;
	return lt__report(diag, LT_EUNSUPPORTED, c->origin, -1, "remove the call, or change what is in it",
		"%s cannot take it: %s", c->routine, why);
}

/* Addresses of the form's tensors; 0: they are none of the call's. */
static void addresses(const struct lt_cudnn_form *f, const struct lt_cuda_called *x, uint64_t *at, uint32_t *align)
{
	enum { MOST = 16 };             /* what the library asks for at most */
	memset(align, 0, LT_CUDNN_TENSORS * sizeof *align);
	for (int i = 0; i < f->n_tensor; i++) {
		const struct lt_cudnn_tensor *t = &f->tensor[i];
		at[i] = t->operand < 0 ? 0 : x->at[t->operand] + (uint64_t)t->offset * cudnn_element_bytes(t->dtype);
		const uint64_t bits = at[i] | MOST;
		align[i] = (uint32_t)(bits & -bits);
	}
}

static struct lt_cudnn_wish wish_of(const struct lt_session *s, const struct lt_tree *t,
	const struct lt_cuda_called *x, const struct lt_cudnn_form *f, const uint32_t *align)
{
	struct lt_cudnn_wish w = { .form = *f, .tf32 = s->config.tf32, .workspace = s->config.workspace, .tree = t,
		.call = lt__cudnn_call_at(t, x->call->origin) };
	memcpy(w.align, align, sizeof w.align);
	w.first = lt__cudnn_wished(cudnn_of(s)->version, s->facts.arch, &w);
	return w;
}

static lt_status choose(struct lt_object *o, const struct lt_cuda_called *x, const struct lt_cudnn_form *f,
	const uint32_t *align, struct cudnn_choice *to, struct lt_diag *diag)
{
	const struct lt_cuda_config *c = &o->s->config;
	struct lt_cudnn *d = cudnn_of(o->s);
	const struct lt_cudnn_wish w = wish_of(o->s, o->tree, x, f, align);
	*to = (struct cudnn_choice){ .call = x->number, .form = *f };
	memcpy(to->align, align, sizeof to->align);
	lt_status status = lt__cudnn_plan_for(o->s, &w, &to->plan, diag);
	if (!status && to->plan->state == LT_CUDNN_MADE && f->mask.how) {       /* a plan that is kept was not tried here */
		(void)pthread_mutex_lock(&d->trial);
		status = lt__cudnn_kernels(o->s, diag);
		(void)pthread_mutex_unlock(&d->trial);
	}
	if (!status && to->plan->state == LT_CUDNN_MADE)
		status = lt__cudnn_mask_new(o->s, o->tree, w.call, f, &to->program, diag);
	if (status || to->plan->state == LT_CUDNN_MADE)
		return status;
	const int count = to->plan->count;
	return lt__report(diag, LT_EUNSUPPORTED, x->call->origin, -1, "remove the call, or lay its operands otherwise",
		count ? "kernel %s: of the %d plans that cuDNN has for it none computes%s what is asked for%s"
		: "kernel %s: cuDNN has no plan for such a call of these types and layouts", cuda_name(o->tree), count,
		cudnn_dtype(f) == LT_F32 && !c->tf32 ? " in true float32" : "", c->workspace ? " with so little workspace" : "");
}

/* With the lock: that for a call at its addresses; NULL: there is none yet. */
static const struct cudnn_choice *choice_find(
	const struct lt_object *o, const struct lt_cuda_called *x, uint64_t *at, uint32_t *align)
{
	for (const struct cudnn_choice *c = o->chosen; c; c = c->next) {
		bool fits = c->call == x->number;
		for (int i = 0; i < c->form.n_tensor && fits; i++)
			fits = cudnn_has_room(&c->form.tensor[i], x->room);
		if (!fits)
			continue;
		addresses(&c->form, x, at, align);
		if (memcmp(align, c->align, sizeof c->align) == 0)
			return c;
	}
	return NULL;
}

/* Without the lock: plans may have to be built.  Another thread may have chosen, too: the same plan. */
static lt_status choice_new(
	struct lt_object *o, const struct lt_cuda_called *x, const struct cudnn_choice **out, struct lt_diag *diag)
{
	struct lt_cudnn *d = cudnn_of(o->s);
	struct lt_cudnn_form form;
	uint64_t at[LT_CUDNN_TENSORS];
	uint32_t align[LT_CUDNN_TENSORS];
	char why[240];
	if (lt__cudnn_form(o->tree, x->call->origin, o->s->config.tf32, x->room, &form, why, sizeof why))
		return lt__report(diag, LT_EUNSUPPORTED, x->call->origin, -1, NULL, "kernel %s: %s cannot take it: %s",
			cuda_name(o->tree), x->call->routine, why);
	struct cudnn_choice *c = calloc(1, sizeof *c);
	if (!c)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a call of kernel %s", cuda_name(o->tree));
	addresses(&form, x, at, align);
	lt_status status = choose(o, x, &form, align, c, diag);
	if (status) {
		free(c);
		return status;
	}
	(void)pthread_mutex_lock(&d->lock);
	c->next = o->chosen;
	o->chosen = c;
	(void)pthread_mutex_unlock(&d->lock);
	*out = c;
	return LT_OK;
}

/* The choice for a call at its addresses, which is made if need be. */
static lt_status choice_for(struct lt_object *o, const struct lt_cuda_called *x, const struct cudnn_choice **out,
	uint64_t *at, struct lt_diag *diag)
{
	struct lt_cudnn *d = cudnn_of(o->s);
	uint32_t align[LT_CUDNN_TENSORS];
	(void)pthread_mutex_lock(&d->lock);
	*out = choice_find(o, x, at, align);
	(void)pthread_mutex_unlock(&d->lock);
	lt_status status = *out ? LT_OK : choice_new(o, x, out, diag);
	if (!status)
		addresses(&(*out)->form, x, at, align);
	return status;
}

/* ---- many trees ---- */

struct cudnn_wishes {
	const struct lt_session *s;
	const struct lt_tree *tree;
	struct lt_cudnn_wish *at;
	uint32_t n, cap;
	bool failed;
};

static void wish_add(void *user, const struct lt_cuda_called *x)
{
	struct cudnn_wishes *all = user;
	struct lt_cudnn_form form;
	uint64_t at[LT_CUDNN_TENSORS];
	uint32_t align[LT_CUDNN_TENSORS];
	char why[240];
	if (lt__cudnn_form(all->tree, x->call->origin, all->s->config.tf32, x->room, &form, why, sizeof why))
		return;                         /* accepts says so */
	if (all->n == all->cap) {
		const uint32_t cap = 2 * all->cap + 8;
		struct lt_cudnn_wish *grown = realloc(all->at, cap * sizeof *grown);
		all->failed = all->failed || !grown;
		if (!grown)
			return;
		all->at = grown;
		all->cap = cap;
	}
	addresses(&form, x, at, align);
	all->at[all->n++] = wish_of(all->s, all->tree, x, &form, align);
}

/* Whether a routine of the library's computes the statement. */
static bool is_in_call(const struct lt_session *s, const struct lt_tree *t, const struct lt_stmt *stmt)
{
	for (int32_t l = stmt->loop; l >= 0; ) {
		const struct lt_loop *loop = LT_AT(struct lt_loop, t->loops, l);
		if (loop->kind == LT_CALL)
			return loop->call && strcmp(loop->call, s->more->routine) == 0;
		l = loop->parent;
	}
	return false;
}

/* With `only`: each statement that is in no such call is named. */
lt_status lt__cudnn_accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	for (uint32_t i = 0; i < t->stmts.n && s->config.only; i++) {
		const struct lt_stmt *stmt = LT_AT(struct lt_stmt, t->stmts, i);
		if (stmt->kind <= LT_COMBINE && stmt->kind != LT_RESET && !is_in_call(s, t, stmt))
			status = lt__report(diag, LT_EUNSUPPORTED, -1, (int32_t)i, "leave out `only`",
				"no routine of cuDNN's takes it, and `only` has nothing else");
	}
	return status ? status : lt__cuda_accepts(s, t, diag);
}

lt_status lt__cudnn_accepts_all(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n,
	lt_status *verdict, struct lt_diag *const *diag)
{
	struct cudnn_wishes all = { .s = s };
	lt_status status = LT_OK;
	for (uint32_t i = 0; i < n; i++) {
		all.tree = tree[i];
		if (tree[i]->calls.n && !LT_HAS(struct lt_host, s->host, text_only))
			lt__cuda_each_call(s, tree[i], wish_add, &all);
	}
	/* What the device fails of is the first tree's, by whom it is asked once more. */
	if (all.n > 1 && !all.failed && lt__cuda_enter(s, NULL) == LT_OK) {
		status = lt__cudnn_plans(s, all.at, all.n, diag[0]);
		lt__cuda_leave(s);
	}
	free(all.at);
	if (status == LT_ECANCELLED)
		return status;
	for (uint32_t i = 0; i < n; i++)
		verdict[i] = lt__cudnn_accepts(s, tree[i], diag[i]);
	return LT_OK;
}

/* ---- runs ---- */

lt_status lt__cudnn_prepare(struct lt_object *o, const struct lt_cuda_called *x, size_t *bytes, struct lt_diag *diag)
{
	const struct cudnn_choice *c;
	uint64_t at[LT_CUDNN_TENSORS];
	lt_status status = choice_for(o, x, &c, at, diag);
	*bytes = status ? 0 : (size_t)c->plan->workspace + lt__cudnn_mask_bytes(&c->form);
	return status;
}

lt_status lt__cudnn_call(
	struct lt_object *o, const struct lt_cuda_called *x, const struct lt_cuda_where *to, struct lt_diag *diag)
{
	const struct lt_cudnn *d = cudnn_of(o->s);
	const struct cudnn_choice *c;
	uint64_t at[LT_CUDNN_TENSORS];
	lt_status status = choice_for(o, x, &c, at, diag);
	if (status)
		return status;
	const uint64_t mask = lt__cudnn_mask_at(to->workspace + (uint64_t)c->plan->workspace);
	for (int i = 0; i < c->form.n_tensor; i++)
		if (c->form.tensor[i].operand < 0)
			at[i] = c->form.tensor[i].operand == LT_CUDNN_MASK ? cudnn_made_at(&c->form.tensor[i], mask)
				: cudnn_constant(c->plan, &c->form.tensor[i]);
	status = lt__cuda_check(o->s, lt__cudnn_mask_make(o->s, &c->form, c->program, x->at, mask, to->stream), diag,
		"the mask of kernel %s", cuda_name(o->tree));
	if (status)
		return status;
	cudnnStatus_t r = d->api.set_stream(to->handle, (cudaStream_t)to->stream);
	r = r ? r : lt__cudnn_execute(d, c->plan, &c->form, to->handle, at, to->workspace);
	status = lt__cudnn_check(d, r, diag, cuda_name(o->tree), x->call->routine);
	return status ? status : lt__cuda_check(o->s, lt__cudnn_mask_after(o->s, &c->form, x->at, to->stream), diag,
		"batches without keys of kernel %s", cuda_name(o->tree));
}

void lt__cudnn_forget(struct lt_object *o)
{
	for (struct cudnn_choice *c; (c = o->chosen); ) {
		o->chosen = c->next;
		lt__cudnn_mask_free(o->s, &c->program);
		free(c);
	}
}

/* ---- what is said of them ---- */

struct cudnn_told { const struct lt_object *o; lt_write *write; void *user; };

static void tell_mask(void *user, const struct lt_cuda_called *x)
{
	const struct cudnn_told *to = user;
	struct lt_cudnn_form form;
	char why[240], line[240];
	if (lt__cudnn_form(to->o->tree, x->call->origin, to->o->s->config.tf32, x->room, &form, why, sizeof why)
		|| !form.mask.how)
		return;
	const int n = snprintf(line, sizeof line, "-1 -1 -1 %s for the call of %s: %zu bytes behind its workspace, made in "
		"each run\n", form.mask.how == LT_CUDNN_LENGTHS ? "a copy of the lengths" : "a mask", x->call->routine,
		lt__cudnn_mask_bytes(&form));
	to->write(to->user, line, (size_t)n);
}

void lt__cudnn_explain(const struct lt_object *o, lt_write *write, void *user)
{
	struct cudnn_told to = { o, write, user };
	lt__cuda_each_call(o->s, o->tree, tell_mask, &to);
}
