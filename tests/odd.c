/* odd.c -- a backend with routines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ir/op/op.h"
#include "lt/backend.h"
#include "check/random/must.h"
#include "tests/odd.h"

struct lt_session { struct lt_session *ref; struct lt_caps caps; };
struct lt_object { const struct lt_tree *tree; const struct lt_call *call; struct lt_object *ref; };

static const struct lt_routine dot_bias[] = {
	{ .name = "dot_bias", LT_PATTERN_PRODUCT, LT_EPILOGUE_BIAS, 1u << LT_F32, 1u << LT_F32, 1u << LT_F32, 0, 0, LT_F64,
		LT_LAYOUT_ANY | LT_LAYOUT_BATCH | LT_LAYOUT_BOUNDED, 0 },
};
static struct lt_target target;
static struct odd_tally tally;
static bool no_calls;
static uint32_t no_epilogues;
static const char *const epilogues[] = { "bias", "residual", "relu", "gelu", "gelu_tanh", "silu" };

static const struct lt_backend *ref(void)
{
	const struct lt_backend *b = lt_backend_find("ref");
	must(b != NULL, "the backend ref is not linked");
	return b;
}

static lt_status refuse(struct lt_diag *diag, int32_t loop, const char *text)
{
	const struct lt_diagnostic diagnostic = { sizeof diagnostic, LT_EUNSUPPORTED, loop, -1, text,
		"make that loop serial" };
	if (diag)
		diag->report(diag, &diagnostic);
	return LT_EUNSUPPORTED;
}

/* -- a call -- */

struct run {
	const struct lt_tree *t;
	const struct lt_args *args;
	int64_t *column;
	const struct lt_call *call;
	int64_t index[64];
};

static int64_t row(const struct run *r, int32_t i)
{
	int64_t sum = 0;
	for (int32_t c = 0; c < r->t->n_column; c++)
		sum += r->t->rows[(int64_t)i * r->t->n_column + c] * r->column[c];
	return sum;
}

static char *base_of(const struct run *r, int32_t buffer, enum lt_dtype *type)
{
	const struct lt_buffer *b = LT_AT(struct lt_buffer, r->t->buffers, buffer);
	const struct lt_slot *s = &r->args->slot[b->slot];
	*type = (enum lt_dtype)LT_AT(struct lt_type, r->t->types, b->type)->dtype;
	return (char *)s->base + s->offset;
}

static const struct lt_call_dim *dim_of(const struct run *r, int32_t d)
{
	return LT_AT(struct lt_call_dim, r->t->call_dims, r->call->first_dim + d);
}

static int64_t extent_of(const struct run *r, int32_t d)
{
	const struct lt_call_dim *dim = dim_of(r, d);
	int64_t n = dim->extent;
	for (int32_t i = 0; i < dim->n_bound; i++) {
		int64_t bound = row(r, r->t->bounds[dim->first_bound + i]);
		n = bound < n ? bound : n;
	}
	return n < 0 ? 0 : n;
}

static int64_t element(const struct run *r, int32_t o, int32_t *buffer)
{
	const struct lt_call_operand *p = LT_AT(struct lt_call_operand, r->t->call_operands, r->call->first_operand + o);
	int64_t at = row(r, p->row);
	for (int32_t d = 0; d < r->call->n_dim; d++)
		at += r->t->strides[p->first_stride + d] * r->index[d];
	*buffer = p->buffer;
	must(at >= 0 && at < LT_AT(struct lt_buffer, r->t->buffers, p->buffer)->elems, "element %lld of %s", (long long)at,
		LT_AT(struct lt_buffer, r->t->buffers, p->buffer)->name);
	return at;
}

/* Operand o as a float, or (of a sum of integers) as an integer. */
static union lt_scalar value(const struct run *r, int32_t o)
{
	enum lt_dtype type, wide = lt__dtype_info((enum lt_dtype)r->call->sum)->cls == LT_CLASS_FLOAT ? LT_F64 : LT_I64;
	int32_t buffer;
	int64_t at = element(r, o, &buffer);
	const char *base = base_of(r, buffer, &type);
	return lt__convert(lt__load(base, at, type), type, wide);
}

/* Runs over the dims of some roles from d on. */
static void each(struct run *r, int32_t d, bool deep, void (*body)(struct run *, void *), void *arg)
{
	while (d < r->call->n_dim && (dim_of(r, d)->role == LT_DIM_DEEP) != deep)
		d++;
	if (d == r->call->n_dim) {
		body(r, arg);
		return;
	}
	int64_t n = extent_of(r, d);
	for (r->index[d] = 0; r->index[d] < n; r->index[d]++)
		each(r, d + 1, deep, body, arg);
	r->index[d] = 0;
}

static void add_term(struct run *r, void *arg)
{
	union lt_scalar *sum = arg;
	union lt_scalar a = value(r, 1), b = value(r, 2);
	if (lt__dtype_info((enum lt_dtype)r->call->sum)->cls == LT_CLASS_FLOAT)
		sum->f += a.f * b.f;
	else
		sum->i = (int64_t)((uint64_t)sum->i + (uint64_t)a.i * (uint64_t)b.i);
}

static double activate(uint32_t bits, double x)
{
	if (bits & LT_EPILOGUE_RELU)
		x = isnan(x) || x > 0 ? x : 0;
	if (bits & LT_EPILOGUE_GELU)
		x = x * 0.5 * (1 + erf(x * sqrt(0.5)));
	if (bits & LT_EPILOGUE_GELU_TANH)
		x = x * 0.5 * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
	return bits & LT_EPILOGUE_SILU ? x / (1 + exp(-x)) : x;
}

static void one_result(struct run *r, void *arg)
{
	union lt_scalar x = { .i = 0 };
	enum lt_dtype sum = (enum lt_dtype)r->call->sum, type;
	bool is_float = lt__dtype_info(sum)->cls == LT_CLASS_FLOAT;
	int32_t buffer, o = 3;
	(void)arg;
	each(r, 0, true, add_term, &x);
	x = lt__round_to(x, sum);
	for (uint32_t bit = LT_EPILOGUE_BIAS; bit <= LT_EPILOGUE_RESIDUAL; bit <<= 1) {
		if (!(r->call->epilogues & bit))
			continue;
		union lt_scalar y = value(r, o++);
		if (is_float)
			x.f += y.f;
		else
			x.i = (int64_t)((uint64_t)x.i + (uint64_t)y.i);
	}
	if (is_float)
		x.f = activate(r->call->epilogues, x.f);
	else if (r->call->epilogues & LT_EPILOGUE_RELU)
		x.i = lt__round_to(x, sum).i > 0 ? lt__round_to(x, sum).i : 0;
	int64_t at = element(r, 0, &buffer);
	char *base = base_of(r, buffer, &type);
	lt__store(base, at, type, lt__convert(lt__round_to(x, sum), sum, type));
}

static void find_divs(struct run *r, int32_t loop)
{
	for (int32_t d = 0; d < r->t->n_div; d++) {
		const struct lt_div *div = LT_AT(struct lt_div, r->t->divs, d);
		int64_t n = row(r, div->row);
		if (div->loop == loop)
			r->column[1 + r->t->n_param + r->t->n_loop + d] = n / div->den - (n % div->den < 0);
	}
}

/* Loops that hold one another, down to those of calls. */
static void each_loop(struct run *r, int32_t parent)
{
	find_divs(r, parent);
	for (int32_t l = 0; l < r->t->n_loop; l++) {
		const struct lt_loop *loop = LT_AT(struct lt_loop, r->t->loops, l);
		int64_t n = loop->max_trip_count;
		if (loop->parent != parent)
			continue;
		for (int32_t i = 0; i < loop->n_bound; i++) {
			int64_t bound = row(r, r->t->bounds[loop->first_bound + i]);
			n = bound < n ? bound : n;
		}
		for (uint32_t c = 0; c < r->t->calls.n; c++)
			if (LT_AT(struct lt_call, r->t->calls, c)->loop == l) {
				r->call = LT_AT(struct lt_call, r->t->calls, c);
				each(r, 0, false, one_result, NULL);
				n = 0;
			}
		for (int64_t i = 0; i < n; i++) {
			r->column[1 + r->t->n_param + l] = i;
			each_loop(r, l);
		}
		r->column[1 + r->t->n_param + l] = 0;
	}
}

/* -- the backend -- */

static bool is_called(const struct lt_tree *t, int32_t loop)
{
	while (loop >= 0 && LT_AT(struct lt_loop, t->loops, loop)->kind != LT_CALL)
		loop = LT_AT(struct lt_loop, t->loops, loop)->parent;
	return loop >= 0;
}

static lt_status check(const struct lt_tree *t, struct lt_diag *diag)
{
	for (uint32_t i = 0; i < t->calls.n; i++) {
		const struct lt_call *c = LT_AT(struct lt_call, t->calls, i);
		if (no_calls)
			return refuse(diag, c->loop, "calls are not taken today");
		if (c->epilogues & no_epilogues || no_epilogues == ~0u)
			return refuse(diag, c->loop, "an epilogue is not taken");
		if (c->pattern != LT_PATTERN_PRODUCT)
			return refuse(diag, c->loop, "the tree does not say what the call computes");
		for (int32_t o = 0; o < c->n_operand; o++)
			if (LT_AT(struct lt_buffer, t->buffers,
				    LT_AT(struct lt_call_operand, t->call_operands, c->first_operand + o)->buffer)
					->slot
				< 0)
				return refuse(diag, c->loop, "an operand of the call is local");
	}
	for (uint32_t s = 0; s < t->stmts.n; s++)
		if (!is_called(t, LT_AT(struct lt_stmt, t->stmts, s)->loop) && LT_AT(struct lt_stmt, t->stmts, s)->kind != LT_RESET)
			return refuse(diag, -1, "statements are next to a call");
	return LT_OK;
}

static void report_call(const struct lt_tree *t, const struct lt_call *c)
{
	static const char *const role[] = { "batch", "row", "column", "deep" };
	size_t n = strlen(tally.text);
#define ADD(...) n += (size_t)snprintf(tally.text + n, n < sizeof tally.text ? sizeof tally.text - n : 0, __VA_ARGS__)
	ADD("%s:", LT_AT(struct lt_loop, t->loops, c->loop)->call);
	for (int32_t d = 0; d < c->n_dim; d++) {
		const struct lt_call_dim *dim = LT_AT(struct lt_call_dim, t->call_dims, c->first_dim + d);
		ADD("%s %s %s %lld%s", d ? "," : "", role[dim->role], dim->var, (long long)dim->extent, dim->n_bound ? "?" : "");
	}
	for (int i = 0; i < 6; i++)
		if (c->epilogues >> i & 1)
			ADD("; %s", epilogues[i]);
	ADD("\n");
#undef ADD
}

static int32_t score(const char *config, struct lt_diag *diag)
{
	(void)config, (void)diag;
	return 1;
}

static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	struct lt_session *s = *out = calloc(1, sizeof *s);
	must(s != NULL, "out of memory");
	lt_status st = ref()->open(host, config, &s->ref, diag);
	must(st == LT_OK, "ref does not open");
	s->caps = *ref()->caps(s->ref);
	s->caps.loops |= 1u << LT_CALL;
	s->caps.target = &target;
	return LT_OK;
}

static void close_(struct lt_session *s)
{
	ref()->close(s->ref);
	free(s);
}

static const struct lt_caps *caps(const struct lt_session *s) { return &s->caps; }

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	return t->calls.n > 0 ? check(t, diag) : ref()->accepts(s->ref, t, diag);
}

static lt_status accepts_all(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, lt_status *verdict,
	struct lt_diag *const *diag)
{
	tally.together = (int)n > tally.together ? (int)n : tally.together;
	for (uint32_t i = 0; i < n; i++)
		verdict[i] = accepts(s, tree[i], diag[i]);
	return LT_OK;
}

static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	for (uint32_t i = 0; i < n; i++) {
		struct lt_object *o = object[i] = calloc(1, sizeof *o);
		must(o != NULL, "out of memory");
		o->tree = tree[i];
		if (tree[i]->calls.n == 0) {
			lt_status st = ref()->compile(s->ref, &tree[i], 1, &o->ref, diag);
			must(st == LT_OK, "ref does not compile what it accepted");
			tally.others++;
		}
		for (uint32_t c = 0; c < tree[i]->calls.n; c++, tally.calls++)
			report_call(tree[i], LT_AT(struct lt_call, tree[i]->calls, c));
	}
	return LT_OK;
}

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	if (o->ref)
		return ref()->run(o->ref, args, diag);
	const struct lt_tree *t = o->tree;
	int64_t *column = calloc((size_t)t->n_column, sizeof *column);
	struct run r = { .t = t, .args = args, .column = column };
	must(column != NULL, "out of memory");
	column[0] = 1;
	for (int32_t p = 0; p < t->n_param; p++) {
		const struct lt_tparam *param = LT_AT(struct lt_tparam, t->params, p);
		enum lt_dtype type;
		column[1 + p] = lt__load(base_of(&r, param->buffer, &type), param->element, LT_I64).i;
	}
	each_loop(&r, -1);
	free(column);
	return LT_OK;
}

static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	return ref()->sync(s->ref, stream, diag);
}

static void destroy(struct lt_object *o)
{
	if (o->ref)
		ref()->destroy(o->ref);
	free(o);
}

static void need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	*bytes = 0;
	*align = 64;
	if (o->ref)
		ref()->need(o->ref, n_thread, bytes, align);
}

static const struct lt_backend table = {
	.size = sizeof table,
	.abi = LT_ABI,
	.build = LT_BUILD,
	.name = "odd",
	.summary = "odd numbers and routines",
	.version = "1",
	.score = score,
	.open = open_,
	.close = close_,
	.caps = caps,
	.accepts = accepts,
	.compile = compile,
	.run = run,
	.sync = sync_,
	.destroy = destroy,
	.need = need,
	.accepts_all = accepts_all,
};

void odd_routines(const struct lt_routine *at, uint32_t n) { target.routines = (struct lt_array){ at, n, sizeof *at }; }

void odd_refuse_calls(void) { no_calls = true; }

void odd_refuse_epilogues(uint32_t bits) { no_epilogues = bits; }

struct lt_target *odd_open(void)
{
	no_calls = false;
	no_epilogues = 0;
	must(lt_backend_find("odd") || lt_backend_register(&table, NULL) == LT_OK, "the backend odd cannot be registered");
	target = (struct lt_target){ .size = sizeof target,
		.name = "odd",
		.vector_bytes = 12,
		.vector_registers = 5,
		.cores = 3,
		.cache_line = 12,
		.l1_bytes = 96,
		.l2_bytes = 384 };
	odd_routines(dot_bias, 1);
	tally = (struct odd_tally){ 0 };
	return &target;
}

const struct odd_tally *odd_reported(void) { return &tally; }
