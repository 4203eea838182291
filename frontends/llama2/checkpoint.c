/* checkpoint.c -- where a checkpoint has which weights: its header, its sizes, all checked. */
#include <string.h>
#include "frontends/llama2/checkpoint.h"
#include "base/arena.h"
#include "frontends/frontends.h"

enum extent { ONE, DIM, HIDDEN, KV, VOCAB };
static const struct { const char *name; bool layered; enum extent rows, columns; } kinds[LT_LLAMA_KINDS] = {
	[LT_LLAMA_EMBEDDING] = { "tok_embeddings", false, VOCAB, DIM },
	[LT_LLAMA_RMS_ATTENTION] = { "attention_norm", true, ONE, DIM },
	[LT_LLAMA_WQ] = { "attention.wq", true, DIM, DIM },
	[LT_LLAMA_WK] = { "attention.wk", true, KV, DIM },
	[LT_LLAMA_WV] = { "attention.wv", true, KV, DIM },
	[LT_LLAMA_WO] = { "attention.wo", true, DIM, DIM },
	[LT_LLAMA_RMS_FFN] = { "ffn_norm", true, ONE, DIM },
	[LT_LLAMA_W1] = { "feed_forward.w1", true, HIDDEN, DIM },
	[LT_LLAMA_W2] = { "feed_forward.w2", true, DIM, HIDDEN },
	[LT_LLAMA_W3] = { "feed_forward.w3", true, HIDDEN, DIM },
	[LT_LLAMA_RMS_FINAL] = { "norm", false, ONE, DIM },
	[LT_LLAMA_CLASSIFIER] = { "output", false, VOCAB, DIM },
};

/* In the order of the file, the classifier last. */
enum { N_ORDER = LT_LLAMA_KINDS + 1 };
static const int order_legacy[N_ORDER] = { LT_LLAMA_EMBEDDING, LT_LLAMA_RMS_ATTENTION, LT_LLAMA_WQ, LT_LLAMA_WK,
	LT_LLAMA_WV, LT_LLAMA_WO, LT_LLAMA_RMS_FFN, LT_LLAMA_W1, LT_LLAMA_W2, LT_LLAMA_W3, LT_LLAMA_RMS_FINAL,
	LT_LLAMA_ROTATIONS, LT_LLAMA_CLASSIFIER };
static const int order_later[N_ORDER - 1] = { LT_LLAMA_RMS_ATTENTION, LT_LLAMA_RMS_FFN, LT_LLAMA_RMS_FINAL,
	LT_LLAMA_EMBEDDING, LT_LLAMA_WQ, LT_LLAMA_WK, LT_LLAMA_WV, LT_LLAMA_WO, LT_LLAMA_W1, LT_LLAMA_W2, LT_LLAMA_W3,
	LT_LLAMA_CLASSIFIER };

/* More than any model has, and small enough that a product of two of them is an int64_t. */
enum { MAX_SIZE = 1 << 24 };

struct checkpoint_reader {
	struct lt_context *ctx;
	struct lt_llama *m;
	const unsigned char *at;
	size_t n;
	int64_t used;
	enum lt_dtype matrices;
};

static int32_t int_at(const unsigned char *at)
{
	return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
}

static lt_status check_sizes(struct checkpoint_reader *r)
{
	const struct lt_llama *m = r->m;
	const struct { const char *name; int32_t value; } sizes[] = { { "dim", m->dim }, { "hidden_dim", m->hidden },
		{ "n_layers", m->layers }, { "n_heads", m->heads }, { "n_kv_heads", m->kv_heads }, { "vocab_size", m->vocab },
		{ "seq_len", m->context } };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i].value < 1 || sizes[i].value > MAX_SIZE)
			return lt_fail(r->ctx, LT_EINVAL, "%s: it is no checkpoint of llama2.c: %s is %d, and not 1 to %d", m->file,
				sizes[i].name, sizes[i].value, MAX_SIZE);
	if (m->dim % m->heads || m->dim / m->heads % 2)
		return lt_fail(r->ctx, LT_EINVAL, "%s: dim %d cannot be cut into %d heads of an even size", m->file, m->dim,
			m->heads);
	if (m->heads % m->kv_heads)
		return lt_fail(r->ctx, LT_EINVAL, "%s: n_heads %d is no multiple of n_kv_heads %d", m->file, m->heads, m->kv_heads);
	if (m->vocab <= LT_LLAMA_END)
		return lt_fail(r->ctx, LT_EINVAL, "%s: vocab_size is %d, but three tokens have a meaning of their own", m->file,
			m->vocab);
	return LT_OK;
}

static void read_sizes(struct lt_llama *m, const unsigned char *at)
{
	int32_t *const to[] = { &m->dim, &m->hidden, &m->layers, &m->heads, &m->kv_heads, &m->vocab, &m->context };

	for (size_t i = 0; i < sizeof to / sizeof *to; i++)
		*to[i] = int_at(at + 4 * i);
}

/* Of the matrices, which are not int8. */
static lt_status read_type(struct checkpoint_reader *r, int32_t type)
{
	r->matrices = type == LT_LLAMA_IS_BF16 ? LT_BF16 : type == LT_LLAMA_IS_F16 ? LT_F16 : LT_F32;
	if (r->m->version == LT_LLAMA_HALVES && r->matrices == LT_F32)
		return lt_fail(r->ctx, LT_EUNSUPPORTED, "%s: its matrices have type %d; %d (bf16) and %d (f16) are known",
			r->m->file, type, LT_LLAMA_IS_BF16, LT_LLAMA_IS_F16);
	return LT_OK;
}

static lt_status read_header(struct checkpoint_reader *r)
{
	struct lt_llama *m = r->m;

	if (r->n < LT_LLAMA_LEGACY_HEADER || (int_at(r->at) == LT_LLAMA_MAGIC && r->n < LT_LLAMA_HEADER))
		return lt_fail(r->ctx, LT_EINVAL, "%s: it is no checkpoint of llama2.c: %zu bytes are too few for a header",
			m->file, r->n);
	if (int_at(r->at) != LT_LLAMA_MAGIC) {
		read_sizes(m, r->at);
		m->shared = m->vocab > 0;
		m->vocab = m->vocab == INT32_MIN || m->vocab > 0 ? m->vocab : -m->vocab;
		r->used = LT_LLAMA_LEGACY_HEADER;
		return check_sizes(r);
	}
	m->version = int_at(r->at + LT_LLAMA_VERSION_AT);
	if (m->version != 1 && m->version != 2 && m->version != LT_LLAMA_HALVES)
		return lt_fail(r->ctx, LT_EUNSUPPORTED, "%s: it is a checkpoint of version %d; 0, 1, 2 and %d are known", m->file,
			m->version, LT_LLAMA_HALVES);
	read_sizes(m, r->at + LT_LLAMA_SIZES_AT);
	m->shared = r->at[LT_LLAMA_SHARED_AT] != 0;
	m->group = m->version == 2 ? int_at(r->at + LT_LLAMA_GROUP_AT) : 0;
	r->matrices = m->version == 2 ? LT_I8 : LT_F32;
	r->used = LT_LLAMA_HEADER;
	LT_TRY(check_sizes(r));
	if (m->version == 2 && (m->group < 1 || m->dim % m->group))
		return lt_fail(r->ctx, LT_EINVAL, "%s: groups of %d numbers do not divide dim %d", m->file, m->group, m->dim);
	return m->version == 2 ? LT_OK : read_type(r, m->version == 1 ? 0 : int_at(r->at + LT_LLAMA_GROUP_AT));
}

/* Moves on by `count` numbers of `bytes`; *at: where they are. */
static lt_status take_bytes(struct checkpoint_reader *r, int64_t count, int64_t bytes, const unsigned char **at)
{
	int64_t all;

	*at = r->at + (r->used <= (int64_t)r->n ? r->used : 0);
	if (lt__mul_overflow(count, bytes, &all) || lt__add_overflow(r->used, all, &r->used))
		return lt_fail(r->ctx, LT_EOVERFLOW, "%s: the sizes in its header multiply to more than 63 bits", r->m->file);
	return LT_OK;
}

static int64_t extent_of(const struct lt_llama *m, enum extent e)
{
	const int64_t of[] = { 1, m->dim, m->hidden, (int64_t)m->dim / m->heads * m->kv_heads, m->vocab };

	return of[e];
}

static lt_status take_kind(struct checkpoint_reader *r, enum lt_llama_kind kind)
{
	struct lt_llama *m = r->m;
	struct lt_llama_weights *w = &m->weights[kind];
	const int64_t layers = kinds[kind].layered ? m->layers : 1;
	int64_t each, all;

	w->rows = extent_of(m, kinds[kind].rows);
	w->columns = extent_of(m, kinds[kind].columns);
	each = w->rows * w->columns;            /* both at most MAX_SIZE */
	if (lt__mul_overflow(each, layers, &all) || lt__add_overflow(m->parameters, all, &m->parameters))
		return lt_fail(r->ctx, LT_EOVERFLOW, "%s: the sizes in its header multiply to more than 63 bits", m->file);
	w->dtype = lt__llama_is_norm((int)kind) ? LT_F32 : r->matrices;
	if (w->dtype != LT_I8) {
		const int64_t bytes = (int64_t)lt_dtype_bytes(w->dtype);

		w->stride = each * bytes;
		return take_bytes(r, all, bytes, &w->at);
	}
	if (each % m->group)
		return lt_fail(r->ctx, LT_EINVAL, "%s: %s has %lld numbers, no multiple of its groups of %d", m->file,
			kinds[kind].name, (long long)each, m->group);
	/* a layer's numbers, its scales, then the next layer's */
	w->stride = each + each / m->group * (int64_t)sizeof (float);
	LT_TRY(take_bytes(r, layers, w->stride, &w->at));
	w->scale = w->at + (r->used <= (int64_t)r->n ? each : 0);
	return LT_OK;
}

int lt__llama_order(const struct lt_llama *m, int32_t version, const int **kind)
{
	*kind = version ? order_later : order_legacy;
	return (version ? N_ORDER - 1 : N_ORDER) - m->shared;
}

static lt_status take_all(struct checkpoint_reader *r)
{
	const struct lt_llama *m = r->m;
	const unsigned char *skipped;
	const int *kind;
	const int n = lt__llama_order(m, m->version, &kind);

	for (int i = 0; i < n; i++)
		if (kind[i] == LT_LLAMA_ROTATIONS)
			LT_TRY(take_bytes(r, (int64_t)m->context * lt__llama_head(m), sizeof (float), &skipped));
		else
			LT_TRY(take_kind(r, (enum lt_llama_kind)kind[i]));
	return LT_OK;
}

bool lt__llama_is_header(struct lt_context *ctx, const void *bytes, size_t n)
{
	struct lt_llama m = { .file = "" };
	struct checkpoint_reader r = { .ctx = ctx, .m = &m, .at = bytes, .n = n, .matrices = LT_F32 };

	return !read_header(&r);
}

/* A file of another kind, if it is one that is known. */
static lt_status refuse_header(struct checkpoint_reader *r)
{
	char seems[300];
	const char *foreign = NULL;

	if (lt__llama_is_tokenizer(r->at, r->n))
		foreign = "it seems to be a tokenizer, which a checkpoint needs beside it: lt-llama CHECKPOINT -z FILE";
	else if (r->n < 4 || int_at(r->at) != LT_LLAMA_MAGIC)
		foreign = lt__foreign((const char *)r->at, r->n, seems, sizeof seems);
	if (foreign)
		return lt_fail(r->ctx, LT_EINVAL, "%s: it is no checkpoint of llama2.c: %s", r->m->file, foreign);
	return lt_context_code(r->ctx);
}

lt_status lt__llama_read(struct lt_context *ctx, const void *bytes, size_t n, const char *file, struct lt_llama *out)
{
	struct checkpoint_reader r = { .ctx = ctx, .m = out, .at = bytes, .n = n, .matrices = LT_F32 };

	lt_context_clear(ctx);
	*out = (struct lt_llama){ .file = file };
	if (read_header(&r))
		return refuse_header(&r);
	LT_TRY(take_all(&r));
	if (r.used != (int64_t)n)
		return lt_fail(ctx, LT_EINVAL, "%s: its header (version %d: dim %d, hidden_dim %d, %d layers, %d heads, %d of keys, "
			"vocabulary %d, context %d) asks for %lld bytes, but it has %zu: it is %s", file, out->version, out->dim,
			out->hidden, out->layers, out->heads, out->kv_heads, out->vocab, out->context, (long long)r.used, n,
			(int64_t)n < r.used ? "truncated, or no checkpoint" : "damaged, or no checkpoint");
	return LT_OK;
}

lt_status lt__llama_sized(struct lt_context *ctx, struct lt_llama *m, enum lt_dtype matrices, int64_t *bytes)
{
	struct checkpoint_reader r = { .ctx = ctx, .m = m, .matrices = matrices };

	lt_context_clear(ctx);
	m->version = matrices == LT_F32 ? 0 : matrices == LT_I8 ? 2 : LT_LLAMA_HALVES;
	m->parameters = 0;
	r.used = m->version ? LT_LLAMA_HEADER : LT_LLAMA_LEGACY_HEADER;
	LT_TRY(check_sizes(&r));
	LT_TRY(take_all(&r));
	*bytes = r.used;
	return LT_OK;
}

bool lt__llama_layered(enum lt_llama_kind kind)
{
	return kinds[kind].layered;
}

bool lt__llama_is_vector(enum lt_llama_kind kind)
{
	return kinds[kind].rows == ONE;
}

const char *lt__llama_name(struct lt_context *ctx, enum lt_llama_kind kind, int32_t layer)
{
	return kinds[kind].layered ? lt__scratch(ctx, "layers.%d.%s.weight", layer, kinds[kind].name) :
		lt__scratch(ctx, "%s.weight", kinds[kind].name);
}
