/* ref.c -- the backend ref: an interpreter in double precision, slow and obvious.
 *
 * It distinguishes a wrong tree (ref differs from the graph evaluator) from a wrong backend (a backend differs from
 * ref).
 */
#include <stdlib.h>
#include <string.h>
#include "backends/ref/ref.h"
#include "lt/options.h"

struct lt_session { int unused; };

enum { KNOWN = LT_NEED_PARAMS | LT_NEED_DIVS | LT_NEED_GATHER | LT_NEED_PIECES | LT_NEED_GUARDED | LT_NEED_COMBINE
	| LT_NEED_BARRIER | LT_NEED_ASYNC | LT_NEED_TILE };

static const struct lt_target target = { .size = sizeof target, .name = "ref", .cores = 1,
	.cache_line = 64, .l1_bytes = 32 << 10, .l2_bytes = 256 << 10 };
static const struct lt_caps known = { .size = sizeof known,
	.dtypes = (1u << LT_NDTYPE) - 2,
	.loops = (1u << LT_NLOOP_KIND) - 1,
	.understands = KNOWN,
	.target = &target,
	.promises = LT_PROMISE_RUN_TOGETHER };

static const struct lt_array no_options = { NULL, 0, sizeof(struct lt_option) };

static lt_status read_config(const char *config, struct lt_diag *diag)
{
	struct lt_option_reader r = lt_option_begin(config, NULL, 0, diag);
	struct lt_option_item item;
	(void)lt_option_next(&r, &item);
	return r.status;
}

static int32_t score(const char *config, struct lt_diag *diag) { return read_config(config, diag) ? 0 : 1; }

static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	(void)host;
	*out = NULL;
	lt_status status = read_config(config, diag);
	if (status)
		return status;
	*out = calloc(1, sizeof **out);
	return *out ? LT_OK : lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
}

static void close_(struct lt_session *s) { free(s); }

static const struct lt_caps *caps(const struct lt_session *s)
{
	(void)s;
	return &known;
}

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	(void)s;
	if (t->needs & ~(uint64_t)KNOWN)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "ref: the tree needs a feature (bit %d) that it does not know",
			__builtin_ctzll(t->needs & ~(uint64_t)KNOWN));
	return lt__ref_check(t, diag);
}

static void destroy(struct lt_object *o)
{
	if (!o)
		return;
	void *const parts[] = { o->term, o->first_term, o->value, o->local, o->shadow, o->starts, o->first_div,
		o->next_div, o->first_local, o->next_local };
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		free(parts[i]);
	free(o);
}

static struct lt_object *allocate(const struct lt_tree *t)
{
	struct lt_object *o = calloc(1, sizeof *o);
	size_t n_term = 0, n_buffer = t->buffers.n + 1u, n_loop = (size_t)t->n_loop + 1;
	for (int64_t i = 0; i < (int64_t)t->n_row * t->n_column; i++)
		n_term += i % t->n_column && t->rows[i];
	if (!o)
		return NULL;
	o->tree = t;
	o->term = calloc(n_term + 1, sizeof *o->term);
	o->first_term = calloc((size_t)t->n_row + 1, sizeof *o->first_term);
	o->value = calloc(t->ops.n + 1u, sizeof *o->value);
	o->local = calloc(n_buffer, sizeof *o->local);
	o->shadow = calloc(n_buffer, sizeof *o->shadow);
	o->starts = calloc(n_buffer, sizeof *o->starts);
	o->next_local = calloc(n_buffer, sizeof *o->next_local);
	o->first_local = calloc(n_loop, sizeof *o->first_local);
	o->first_div = calloc(n_loop, sizeof *o->first_div);
	o->next_div = calloc((size_t)t->n_div + 1, sizeof *o->next_div);
	if (o->term && o->first_term && o->value && o->local && o->shadow && o->starts && o->next_local
		&& o->first_local && o->first_div && o->next_div)
		return o;
	destroy(o);
	return NULL;
}

static void fill_rows(struct lt_object *o)
{
	const struct lt_tree *t = o->tree;
	int32_t n = 0;
	for (int32_t r = 0; r < t->n_row; r++) {
		o->first_term[r] = n;
		for (int32_t c = 1; c < t->n_column; c++)
			if (t->rows[(int64_t)r * t->n_column + c])
				o->term[n++] = (struct term){ c, t->rows[(int64_t)r * t->n_column + c] };
	}
	o->first_term[t->n_row] = n;
}

static void fill_lists(struct lt_object *o)
{
	const struct lt_tree *t = o->tree;
	for (int32_t i = 0; i <= t->n_loop; i++)
		o->first_div[i] = o->first_local[i] = -1;
	for (int32_t i = t->n_div; i-- > 0; ) {
		int32_t *first = &o->first_div[LT_AT(struct lt_div, t->divs, i)->loop + 1];
		o->next_div[i] = *first;
		*first = i;
	}
	for (int32_t i = (int32_t)t->buffers.n; i-- > 0; ) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		int32_t *first = &o->first_local[b->scope + 1];
		if (b->role != LT_LOCAL || b->alias_of >= 0)
			continue;
		o->next_local[i] = *first;
		*first = i;
	}
	for (uint32_t i = 0; i < t->ops.n; i++) {
		const char *at;
		/* those of statements can be: check.c */
		(void)lt__ref_value_read(LT_AT(struct lt_op, t->ops, i), &o->value[i], &at);
	}
}

static int32_t root(const struct lt_tree *t, int32_t b)
{
	while (LT_AT(struct lt_buffer, t->buffers, b)->alias_of >= 0)
		b = LT_AT(struct lt_buffer, t->buffers, b)->alias_of;
	return b;
}

static int64_t bytes_take(struct lt_object *o, int64_t bytes, lt_status *status)
{
	int64_t at = o->workspace;
	if (__builtin_add_overflow(o->workspace, bytes, &o->workspace)
		|| __builtin_add_overflow(o->workspace, 63, &o->workspace))
		*status = LT_EOVERFLOW;
	o->workspace &= ~(int64_t)63;
	return at;
}

/* The workspace: columns, locals, doubles of reduced buffers.  Buffers with one storage share all of it. */
static lt_status fill_memory(struct lt_object *o)
{
	const struct lt_tree *t = o->tree;
	lt_status status = LT_OK;
	(void)bytes_take(o, (int64_t)t->n_column * 8, &status);
	for (int32_t i = 0; i < (int32_t)t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		int32_t of = root(t, i);
		o->shadow[i] = -1;
		o->local[i] = of != i ? o->local[of] : b->role == LT_LOCAL
			? bytes_take(o, b->elems * LT_AT(struct lt_type, t->types, b->type)->bytes, &status) : -1;
	}
	for (uint32_t s = 0; s < t->stmts.n; s++) {
		const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
		if ((st->kind != LT_REDUCE && st->kind != LT_COMBINE)
			|| !lt__number_is_float(LT_AT(struct lt_op, t->ops, st->op)->out))
			continue;
		int32_t b = root(t, LT_AT(struct lt_access, t->accesses, st->dest)->buffer);
		if (o->shadow[b] < 0)
			o->shadow[b] = bytes_take(o, LT_AT(struct lt_buffer, t->buffers, b)->elems * 8, &status);
		o->starts[b] = true;
	}
	for (uint32_t s = 0; s < t->stmts.n; s++) {
		const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
		if (st->kind == LT_RESET || st->kind == LT_MAP)
			o->starts[root(t, LT_AT(struct lt_access, t->accesses, st->dest)->buffer)] = false;
	}
	for (int32_t i = 0; i < (int32_t)t->buffers.n; i++)
		o->shadow[i] = o->shadow[root(t, i)];
	return status;
}

static lt_status ref_compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n,
	struct lt_object **object, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	memset(object, 0, n * sizeof *object);
	for (uint32_t i = 0; !status && i < n; i++) {
		status = accepts(s, tree[i], diag);
		if (status)
			break;
		object[i] = allocate(tree[i]);
		if (!object[i]) {
			status = lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
			break;
		}
		fill_rows(object[i]);
		fill_lists(object[i]);
		status = fill_memory(object[i]);
		if (status)
			lt__report(diag, status, -1, -1, NULL, "ref: the size in bytes of the locals of kernel %s exceeds 63 bits",
				tree[i]->name ? tree[i]->name : "?");
	}
	for (uint32_t i = 0; status && i < n; i++) {
		destroy(object[i]);
		object[i] = NULL;
	}
	return status;
}

static lt_status ref_run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	return lt__ref_run(o, args, diag);
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

static const struct lt_backend ref = {
	.size = sizeof ref,
	.abi = LT_ABI,
	.build = LT_BUILD,
	.name = "ref",
	.summary = "interpreter in double precision: slow, for comparison",
	.version = "1",
	.score = score,
	.open = open_,
	.close = close_,
	.caps = caps,
	.accepts = accepts,
	.compile = ref_compile,
	.run = ref_run,
	.sync = sync_,
	.destroy = destroy,
	.need = need,
	.options = &no_options,
};
LT_BACKEND(ref)
