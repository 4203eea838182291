/* mine.c -- a backend for float32: it walks the loops of a kernel and does what the statements say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <lt/backend.h>

struct lt_session { int unused; };
/* local[b]: where buffer b is in the workspace */
struct lt_object { const struct lt_tree *tree; int64_t *local, bytes; };
struct run { const struct lt_object *o; const struct lt_tree *t; const struct lt_args *args; int64_t *column; };

static float copy(float x, float y) { return (void)y, x; }
static float add(float x, float y) { return x + y; }
static float sub(float x, float y) { return x - y; }
static float mul(float x, float y) { return x * y; }
static float divide(float x, float y) { return x / y; }
static float most(float x, float y) { return isnan(x) || x > y ? x : y; }
static float negate(float x, float y) { return (void)y, -x; }
static float power_of_e(float x, float y) { return (void)y, expf(x); }
static const struct { const char *name; int32_t arity; float (*value)(float, float); } known[] = {
	{ "copy", 1, copy }, { "add", 2, add }, { "sub", 2, sub }, { "mul", 2, mul }, { "div", 2, divide }, { "max", 2, most },
	{ "neg", 1, negate }, { "exp", 1, power_of_e } };

/* its place in the table; -1: not known, or not for float32 */
static int find_op(const struct lt_op *op)
{
	for (int i = 0; i < (int)(sizeof known / sizeof *known); i++)
		if (!strcmp(known[i].name, op->name) && known[i].arity == op->arity)
			return op->out == LT_F32 && op->in[0] == LT_F32 && (op->arity == 1 || op->in[1] == LT_F32) ? i : -1;
	return -1;
}

static lt_status refuse(
	struct lt_diag *diag, lt_status code, int32_t stmt, const char *text, const char *what, const char *remedy)
{
	char sentence[200];
	(void)snprintf(sentence, sizeof sentence, text, what);
	const struct lt_diagnostic note = {
		.size = sizeof note, .code = code, .loop = -1, .stmt = stmt, .text = sentence, .remedy = remedy
	};
	if (diag)
		diag->report(diag, &note);
	return code;
}

static int64_t row(const struct run *r, int32_t i)          /* the value of an affine row */
{
	int64_t sum = 0;
	for (int32_t c = 0; c < r->t->n_column; c++)
		sum += r->t->rows[(int64_t)i * r->t->n_column + c] * r->column[c];
	return sum;
}

static int holds(const struct run *r, int32_t first, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		if (row(r, r->t->guards[first + i]) < 0)
			return 0;
	return 1;
}

static float *element(const struct run *r, int32_t access)
{
	const struct lt_access *a = LT_AT(struct lt_access, r->t->accesses, access);
	const struct lt_buffer *b = LT_AT(struct lt_buffer, r->t->buffers, a->buffer);
	const struct lt_slot *slot = b->slot < 0 ? NULL : &r->args->slot[b->slot];
	char *base = slot ? (char *)slot->base + slot->offset : (char *)r->args->workspace + r->o->local[a->buffer];
	return (float *)(void *)base + row(r, a->row);
}

static float operand(const struct run *r, int32_t at)       /* the first piece whose guards all hold */
{
	const struct lt_operand *o = LT_AT(struct lt_operand, r->t->operands, at);
	const struct lt_piece *p = LT_AT(struct lt_piece, r->t->pieces, o->first_piece);
	for (int32_t i = 1; i < o->n_piece && !holds(r, p->first_guard, p->n_guard); i++)
		p = LT_AT(struct lt_piece, r->t->pieces, o->first_piece + i);
	float f;
	return p->kind == LT_READ ? *element(r, p->access) : (memcpy(&f, &(uint32_t){ (uint32_t)p->bits }, 4), f);
}

static void statement(const struct run *r, const struct lt_stmt *s)
{
	if (!holds(r, s->first_guard, s->n_guard))
		return;
	const struct lt_op *op = LT_AT(struct lt_op, r->t->ops, s->op);
	float x = operand(r, s->first_operand), y = op->arity == 2 && s->kind == LT_MAP ? operand(r, s->first_operand + 1) : 0;
	float *to = element(r, s->dest);
	*to = s->kind == LT_RESET ? x : s->kind == LT_MAP ? known[find_op(op)].value(x, y) : known[find_op(op)].value(*to, x);
}

static void body(const struct run *r, int32_t loop, int32_t s, int32_t end)    /* an iteration; -1: the kernel */
{
	while (s < end) {
		int32_t inner = LT_AT(struct lt_stmt, r->t->stmts, s)->loop;
		if (inner == loop) {
			statement(r, LT_AT(struct lt_stmt, r->t->stmts, s++));
			continue;
		}
		while (LT_AT(struct lt_loop, r->t->loops, inner)->parent != loop)
			inner = LT_AT(struct lt_loop, r->t->loops, inner)->parent;
		const struct lt_loop *l = LT_AT(struct lt_loop, r->t->loops, inner);
		int64_t trips = l->max_trip_count, *trip = &r->column[1 + r->t->n_param + inner];
		for (int32_t b = 0; b < l->n_bound; b++)
			if (row(r, r->t->bounds[l->first_bound + b]) < trips)
				trips = row(r, r->t->bounds[l->first_bound + b]);
		for (*trip = 0; *trip < trips; ++*trip)
			body(r, inner, l->first_stmt, l->first_stmt + l->n_stmt);
		*trip = 0;
		s = l->first_stmt + l->n_stmt;
	}
}

static int32_t score(const char *config, struct lt_diag *diag)
{
	return config && *config ? (refuse(diag, LT_EINVAL, -1, "unknown option '%s'", config, "leave it out"), 0) : 1;
}
static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	(void)host;
	*out = NULL;
	if (!score(config, diag))
		return LT_EINVAL;
	*out = calloc(1, sizeof **out);
	return *out ? LT_OK : refuse(diag, LT_ENOMEM, -1, "there is no memory for a %s", "session", NULL);
}
static void close_(struct lt_session *s) { free(s); }
static const struct lt_caps *caps(const struct lt_session *s)
{
	static const struct lt_target target = {
		.size = sizeof target, .name = "mine", .cores = 1, .cache_line = 64, .l1_bytes = 32 << 10
	};
	static const struct lt_caps caps = { .size = sizeof caps, .dtypes = 1u << LT_F32, .loops = (1u << LT_NLOOP_KIND) - 1,
		.understands = LT_NEED_PIECES | LT_NEED_GUARDED | LT_NEED_COMBINE, .target = &target };
	return (void)s, &caps;
}
static lt_status accepts(struct lt_session *session, const struct lt_tree *t, struct lt_diag *diag)
{
	(void)session;                  /* needs, types and kinds of loops that caps do not name: the host has refused them */
	for (int32_t i = 0; i < (int32_t)t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		if (s->kind > LT_COMBINE)
			return refuse(diag, LT_EUNSUPPORTED, i, "it does not know this kind of %s", "statement", NULL);
		const struct lt_op *op = LT_AT(struct lt_op, t->ops, s->op);
		if (find_op(op) < 0)
			return refuse(diag, LT_EUNSUPPORTED, i, "it computes no '%s' of these types", op->name, NULL);
		for (int32_t k = 0; k < s->n_operand; k++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, t->operands, s->first_operand + k);
			for (int32_t q = 0; q < o->n_piece; q++)
				if (LT_AT(struct lt_piece, t->pieces, o->first_piece + q)->kind > LT_IMMEDIATE)
					return refuse(diag, LT_EUNSUPPORTED, i, "it does not know this kind of %s", "operand", NULL);
		}
	}
	return LT_OK;
}
static lt_status accepts_all(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, lt_status *verdict,
	struct lt_diag *const *diag)
{
	for (uint32_t i = 0; i < n; i++)        /* optional: for a backend whose plans take long, in parallel */
		verdict[i] = accepts(s, tree[i], diag[i]);
	return LT_OK;
}
static void destroy(struct lt_object *o)
{
	if (o)
		free(o->local);
	free(o);
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	lt_status status = LT_OK;
	memset(object, 0, n * sizeof *object);
	for (uint32_t i = 0; !status && i < n; i++) {
		const struct lt_tree *t = tree[i];
		if ((status = accepts(s, t, diag)))
			break;
		struct lt_object *o = object[i] = calloc(1, sizeof *o);
		if (!o || !(o->local = calloc(t->buffers.n + 1, sizeof *o->local))) {
			status = refuse(diag, LT_ENOMEM, -1, "there is no memory for kernel %s", t->name, NULL);
			break;
		}
		o->tree = t;
		o->bytes = t->n_column * (int64_t)sizeof(int64_t);      /* the columns' values come first, then the locals */
		for (uint32_t b = 0; b < t->buffers.n; b++) {
			const struct lt_buffer *buffer = LT_AT(struct lt_buffer, t->buffers, b);
			o->local[b] = buffer->alias_of >= 0 ? o->local[buffer->alias_of] : o->bytes;
			o->bytes += buffer->slot < 0 && buffer->alias_of < 0 ? (buffer->elems * 4 + 63) / 64 * 64 : 0;
		}
	}
	for (uint32_t i = 0; status && i < n; i++) {                    /* all or nothing */
		destroy(object[i]);
		object[i] = NULL;
	}
	return status;
}
static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	const struct run r = { o, o->tree, args, args->workspace };
	if (args->n_slot != (uint32_t)r.t->n_slot || !args->workspace)
		return refuse(diag, LT_EINVAL, -1, "kernel %s has another number of slots, and needs a workspace", r.t->name, NULL);
	for (uint32_t i = 0; i < r.t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, r.t->buffers, i);
		if (b->slot >= 0 && args->slot[b->slot].bytes < b->elems * 4)
			return refuse(diag, LT_EINVAL, -1, "the slot of buffer %s is too small", b->name, NULL);
	}
	memset(r.column, 0, (size_t)r.t->n_column * sizeof *r.column);
	r.column[0] = 1;
	body(&r, -1, 0, (int32_t)r.t->stmts.n);
	return LT_OK;
}
static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	return (void)s, (void)stream, (void)diag, LT_OK;
}
static void need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	(void)n_thread;
	*bytes = (size_t)o->bytes;
	*align = 64;
}

static const struct lt_backend mine = { .size = sizeof mine,
	.abi = LT_ABI,
	.build = LT_BUILD,
	.name = "mine",
	.summary = "walks the loops of float32 kernels",
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
	.accepts_all = accepts_all };
LT_BACKEND(mine)
