/* plan.c -- plans of calls: of equal convolutions one, built once, in the session and (as the library writes it) in the
 * host's cache once it has been found right; a run of one.
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
};
/* What the host keeps begins with it; sum: of everything behind. */
struct cudnn_head { char magic[8]; uint64_t sum, bytes; int64_t engine; };
static const char magic[8] = "LTCUDNN";

/* ---- kept by the host ---- */

static uint64_t sum_of(const struct cudnn_head *h, const char *text)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	const unsigned char *head = (const unsigned char *)h + offsetof(struct cudnn_head, bytes);
	for (size_t i = 0; i < sizeof *h - offsetof(struct cudnn_head, bytes); i++)
		sum = (sum ^ head[i]) * UINT64_C(0x100000001b3);
	for (size_t i = 0; i < h->bytes; i++)
		sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return sum;
}

struct kept { char *at; size_t n; };
static void kept_add(void *user, const char *data, size_t bytes)
{
	struct kept *k = user;
	char *grown = realloc(k->at, k->n + bytes + 1);
	if (!grown)
		return;                 /* what is short is damaged */
	memcpy(grown + k->n, data, bytes);
	k->at = grown;
	k->n += bytes;
}

static bool plan_recall(struct lt_session *s, struct lt_cudnn_plan *p)
{
	struct kept k = { NULL, 0 };
	struct cudnn_head h;
	bool good = LT_HAS(struct lt_host, s->host, recall)
		&& s->host->recall(s->host, p->key, strlen(p->key), kept_add, &k) == LT_OK && k.n >= sizeof h;
	if (good) {
		memcpy(&h, k.at, sizeof h);
		good = memcmp(h.magic, magic, sizeof magic) == 0 && h.bytes == k.n - sizeof h && h.sum == sum_of(&h, k.at + sizeof h)
			&& lt__cudnn_plan_load(cudnn_of(s), k.at + sizeof h, h.bytes, p) == LT_OK;
		p->engine = h.engine;
	}
	free(k.at);
	return good;
}

static void plan_keep(struct lt_session *s, const struct lt_cudnn_plan *p)
{
	char *text;
	size_t bytes;
	if (!LT_HAS(struct lt_host, s->host, keep) || lt__cudnn_plan_save(cudnn_of(s), p, &text, &bytes))
		return;                 /* it is built again */
	struct cudnn_head h = { .bytes = bytes, .engine = p->engine };
	char *all = malloc(sizeof h + bytes);
	memcpy(h.magic, magic, sizeof magic);
	h.sum = sum_of(&h, text);
	if (all) {
		memcpy(all, &h, sizeof h);
		memcpy(all + sizeof h, text, bytes);
		s->host->keep(s->host, p->key, strlen(p->key), all, sizeof h + bytes);
	}
	free(all);
	free(text);
}

/* ---- plans ---- */

static char *key_of(const struct lt_session *s, const struct lt_cudnn_wish *w)
{
	char *key = NULL;
	size_t bytes;
	FILE *to = open_memstream(&key, &bytes);
	if (!to)
		return NULL;
	(void)fprintf(to, "cudnn plan\nlibrary %u\ndevice %s %d multiprocessors %u\n", (unsigned)cudnn_of(s)->api.version(),
		s->facts.arch, s->facts.minor, (unsigned)s->target.multiprocessors);
	lt__cudnn_form_text(w, to);
	if (fclose(to)) {
		free(key);
		return NULL;
	}
	return key;
}

/* What the form has of zeros, all of it in one place. */
static lt_status zeros_new(struct lt_session *s, const struct lt_cudnn_wish *w, struct lt_cudnn_plan *p,
	struct lt_diag *diag)
{
	size_t bytes = 0;
	for (int i = 0; i < w->form.n_tensor; i++) {
		const struct lt_cudnn_tensor *t = &w->form.tensor[i];
		const size_t needs = t->operand == LT_CUDNN_ZEROS ? cudnn_bytes(t) : 0;
		bytes = needs > bytes ? needs : bytes;
	}
	if (!bytes)
		return LT_OK;
	(void)pthread_mutex_lock(&s->lock);
	CUresult r = lt__cuda_pool_new(&s->pool, &s->cuda, bytes, &p->zeros);
	(void)pthread_mutex_unlock(&s->lock);
	CUstream stream = NULL;                 /* its own: a queue may be in use by who asks for the plan */
	if (!r)
		r = s->cuda.stream_new(&stream, CU_STREAM_NON_BLOCKING);
	if (!r)
		r = s->cuda.fill(p->zeros, 0, bytes, stream);
	if (!r)
		r = s->cuda.stream_wait(stream);
	if (stream)
		(void)s->cuda.stream_free(stream);
	return lt__cuda_check(s, r, diag, "a bias of zeros");
}

/* ---- tried ---- */

static void warn(const struct lt_session *s, const struct lt_cudnn_plan *p, const char *why)
{
	char text[3000];
	if (!LT_HAS(struct lt_host, s->host, log))
		return;
	(void)snprintf(text, sizeof text, "cuDNN's engine %lld is not used: %s; for\n%s", (long long)p->engine, why, p->key);
	s->host->log(s->host, LT_LOG_WARNING, text);
}

/* A plan that reads astray loses the device for the whole process: what is under trial is written down, and one that
 * was never seen to end is not tried again. */
static char *mark_of(const struct lt_cudnn_plan *p)
{
	const size_t bytes = strlen(p->key) + 60;
	char *mark = malloc(bytes);
	if (mark)
		(void)snprintf(mark, bytes, "cudnn trial of engine %lld\n%s", (long long)p->engine, p->key);
	return mark;
}

static bool has_ended(const struct lt_session *s, const char *mark)
{
	struct kept k = { NULL, 0 };
	const bool begun = mark && LT_HAS(struct lt_host, s->host, recall)
		&& s->host->recall(s->host, mark, strlen(mark), kept_add, &k) == LT_OK && k.n && k.at[0] == 'b';
	free(k.at);
	return !begun;
}

static void write_mark(const struct lt_session *s, const char *mark, const char *what)
{
	if (mark && LT_HAS(struct lt_host, s->host, keep))
		s->host->keep(s->host, mark, strlen(mark), what, strlen(what));
}

/* false with LT_OK: the next one takes its place. */
static bool plan_is_good(struct lt_session *s, const struct lt_cudnn_wish *w, const struct lt_cudnn_plan *p,
	lt_status *status, struct lt_diag *diag)
{
	char *mark = mark_of(p), why[300];
	*status = LT_OK;
	if (!has_ended(s, mark)) {
		warn(s, p, "when it was tried last the device was lost, or the process ended");
		free(mark);
		return false;
	}
	write_mark(s, mark, "begun");
	lt_status tried = lt__cudnn_verify(s, w, p, why, sizeof why, diag);
	if (!s->lost)
		write_mark(s, mark, "done");
	free(mark);
	if (tried == LT_EMISSING)
		warn(s, p, why);
	else
		*status = tried;
	return !tried;
}

static lt_status plan_make(struct lt_session *s, const struct lt_cudnn_wish *w, struct lt_cudnn_plan *p, int *count,
	struct lt_diag *diag)
{
	struct lt_cudnn *d = cudnn_of(s);
	lt_status status = lt__cudnn_handle(d, &d->handle, diag);
	if (!status)
		status = zeros_new(s, w, p, diag);
	if (status || plan_recall(s, p))
		return status;
	for (int skip = 0; !status; skip++) {
		status = lt__cudnn_plan_new(d, w, skip, p, count, diag);
		if (status)
			return status;
		if (plan_is_good(s, w, p, &status, diag)) {
			plan_keep(s, p);
			return LT_OK;
		}
		lt__cudnn_plan_drop(d, p);
	}
	return status;
}

/* With the lock.  *out NULL with LT_EMISSING: the library has none. */
static lt_status plan_for(struct lt_session *s, const struct lt_cudnn_wish *w, const struct lt_cudnn_plan **out,
	int *count, struct lt_diag *diag)
{
	struct lt_cudnn *d = cudnn_of(s);
	struct lt_cudnn_plan *p = calloc(1, sizeof *p);
	*out = NULL;
	if (p)
		p->key = key_of(s, w);
	if (!p || !p->key) {
		free(p);
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a plan");
	}
	for (const struct lt_cudnn_plan *old = d->plans; old && !*out; old = old->next)
		*out = strcmp(old->key, p->key) == 0 ? old : NULL;
	lt_status status = *out ? LT_OK : plan_make(s, w, p, count, diag);
	if (*out || status) {
		(void)pthread_mutex_lock(&s->lock);
		if (p->zeros)
			lt__cuda_pool_free(&s->pool, p->zeros);
		(void)pthread_mutex_unlock(&s->lock);
		lt__cudnn_plan_free(d, p);
		free(p);
	} else {
		p->next = d->plans;
		d->plans = p;
		*out = p;
	}
	return status;
}

/* ---- calls ---- */

lt_status lt__cudnn_takes(
	struct lt_session *s, const struct lt_tree *t, const struct lt_kernel_call *c, struct lt_diag *diag)
{
	struct lt_cudnn_form form;
	char why[240];
	(void)s;
	if (!lt__cudnn_form(t, c->origin, NULL, &form, why, sizeof why))
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

static lt_status choose(struct lt_object *o, const struct lt_cuda_called *x, const struct lt_cudnn_form *f,
	const uint32_t *align, struct cudnn_choice *to, struct lt_diag *diag)
{
	const struct lt_cuda_config *c = &o->s->config;
	struct lt_cudnn_wish w = { .form = *f, .tf32 = c->tf32, .workspace = c->workspace, .tree = o->tree,
		.call = lt__cudnn_call_at(o->tree, x->call->origin) };
	int count = 0;
	memcpy(w.align, align, sizeof w.align);
	*to = (struct cudnn_choice){ .call = x->number, .form = *f };
	memcpy(to->align, align, sizeof to->align);
	lt_status status = plan_for(o->s, &w, &to->plan, &count, diag);
	if (status != LT_EMISSING)
		return status;
	return lt__report(diag, LT_EUNSUPPORTED, x->call->origin, -1, "remove the call, or lay its operands otherwise",
		count ? "kernel %s: of the %d plans that cuDNN has for it none computes%s what is asked for%s"
		: "kernel %s: cuDNN has no plan for a convolution of these types and layouts", cuda_name(o->tree), count,
		cudnn_dtype(f) == LT_F32 && !c->tf32 ? " in true float32" : "", c->workspace ? " with so little workspace" : "");
}

/* The choice for a call at its addresses, which is made if need be. */
static lt_status choice_for(struct lt_object *o, const struct lt_cuda_called *x, const struct cudnn_choice **out,
	uint64_t *at, struct lt_diag *diag)
{
	struct lt_cudnn *d = cudnn_of(o->s);
	struct cudnn_choice *c = NULL, *first;
	struct lt_cudnn_form form;
	uint32_t align[LT_CUDNN_TENSORS];
	lt_status status = LT_OK;
	char why[240];
	(void)pthread_mutex_lock(&d->lock);
	for (c = o->chosen; c; c = c->next) {
		bool fits = c->call == x->number;
		for (int i = 0; i < c->form.n_tensor && fits; i++)
			fits = cudnn_has_room(&c->form.tensor[i], x->room);
		if (!fits)
			continue;
		addresses(&c->form, x, at, align);
		if (memcmp(align, c->align, sizeof align) == 0)
			break;
	}
	if (!c) {
		if (lt__cudnn_form(o->tree, x->call->origin, x->room, &form, why, sizeof why))
			status = lt__report(diag, LT_EUNSUPPORTED, x->call->origin, -1, NULL, "kernel %s: %s cannot take it: %s",
				cuda_name(o->tree), x->call->routine, why);
		first = o->chosen;
		c = status ? NULL : calloc(1, sizeof *c);
		if (!status && !c)
			status = lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a call of kernel %s", cuda_name(o->tree));
		if (!status) {
			addresses(&form, x, at, align);
			status = choose(o, x, &form, align, c, diag);
		}
		if (status) {
			free(c);
			c = NULL;
		} else {
			c->next = first;
			o->chosen = c;
		}
	}
	(void)pthread_mutex_unlock(&d->lock);
	*out = c;
	return status;
}

lt_status lt__cudnn_prepare(struct lt_object *o, const struct lt_cuda_called *x, size_t *bytes, struct lt_diag *diag)
{
	const struct cudnn_choice *c;
	uint64_t at[LT_CUDNN_TENSORS];
	lt_status status = choice_for(o, x, &c, at, diag);
	*bytes = status ? 0 : (size_t)c->plan->workspace;
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
	for (int i = 0; i < c->form.n_tensor; i++)
		if (c->form.tensor[i].operand == LT_CUDNN_ZEROS)
			at[i] = c->plan->zeros;
	cudnnStatus_t r = d->api.set_stream(to->handle, (cudaStream_t)to->stream);
	r = r ? r : lt__cudnn_execute(d, c->plan, &c->form, to->handle, at, to->workspace);
	return lt__cudnn_check(d, r, diag, cuda_name(o->tree), x->call->routine);
}

void lt__cudnn_forget(struct lt_object *o)
{
	for (struct cudnn_choice *c; (c = o->chosen); ) {
		o->chosen = c->next;
		free(c);
	}
}
