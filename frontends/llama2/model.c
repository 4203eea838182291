/* model.c -- a model as a graph: one token of each run, or the tokens of a prompt. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/llama2/llama2.h"
#include "ir/build/build.h"

/* What a root mean square has added, so that it is not 0. */
static const double epsilon = 1e-5;

/* Vars.  s: tokens of a run, -1 if it is one; t: positions that are attended to; d: the width; a: heads times head;
 * c: the same of keys; f: hidden; v: words; h: heads of keys; g: queries of each; e: a head.  Of int8, bd, ba, bf:
 * groups of d, a and f; i, ia, j: numbers of one of these. */
struct llama_graph {
	struct lt_context *ctx;
	const struct lt_llama *m;
	const struct lt_llama_options *o;
	struct lt_graph *g;
	lt_node tokens, position;       /* position: without dims */
	lt_param at, count;
	lt_var s, t, d, a, c, f, v, h, g_, e, bd, ba, bf, i, ia, j;
	lt_node cosine, sine;           /* [s] e */
	lt_node words, words_scale;     /* the embedding: v d, or of int8 v bd i and v bd */
};

/* The dims with s before them, where there is one; the number of them. */
static int32_t with_tokens(const struct llama_graph *l, int32_t n, const lt_var *dims, lt_var *out)
{
	int32_t before = 0;

	if (l->s >= 0)
		out[before++] = l->s;
	for (int32_t i = 0; i < n; i++)
		out[before + i] = dims[i];
	return before + n;
}

static lt_node reshape_to(const struct llama_graph *l, lt_node x, int32_t n, const lt_var *dims)
{
	lt_var all[LT_MAX_RANK];

	return lt_graph_reshape_to(l->g, x, with_tokens(l, n, dims, all), all);
}

/* Weights of int8, and a scale for each group; the last of n dims is within a group. */
static lt_status int8_weights(struct llama_graph *l, enum lt_llama_kind kind, int32_t layer, int32_t n,
	const lt_var *dims, lt_node *q, lt_node *scale)
{
	const struct lt_llama_weights *w = &l->m->weights[kind];
	const int64_t groups = w->rows * w->columns / l->m->group;
	const char *name = lt__llama_name(l->ctx, kind, layer);
	const unsigned char *scales = w->at ? w->scale + layer * w->stride : NULL;
	const void *scale_data = scales;

	if ((uintptr_t)scales % sizeof (float)) {
		void *copy = malloc((size_t)groups * sizeof (float));

		if (!copy || lt_graph_hold(l->g, free, copy)) {
			free(copy);
			return lt_fail(l->ctx, LT_ENOMEM, "out of memory");
		}
		scale_data = memcpy(copy, scales, (size_t)groups * sizeof (float));
	}
	*q = lt_graph_constant(l->g, name, LT_I8, n, dims);
	*scale = lt_graph_constant(l->g, lt__scratch(l->ctx, "%s.scale", name), LT_F32, n - 1, dims);
	if (*q < 0 || *scale < 0)
		return lt_context_code(l->ctx);
	LT_TRY(lt_graph_content(l->g, *q, w->at ? w->at + layer * w->stride : NULL));
	return lt_graph_content(l->g, *scale, scale_data);
}

/* The same as floats. */
static lt_node scaled_weights(struct llama_graph *l, enum lt_llama_kind kind, int32_t layer, int32_t n,
	const lt_var *dims)
{
	const struct lt_llama_weights *w = &l->m->weights[kind];
	const lt_var of[] = { lt_graph_var(l->g, "group", w->rows * w->columns / l->m->group),
		lt_graph_var(l->g, "i", l->m->group) };
	lt_node q, scale;

	if (int8_weights(l, kind, layer, 2, of, &q, &scale))
		return LT_NONE;
	lt_node y = lt_graph_binary(l->g, "mul", lt_graph_cast(l->g, q, LT_F32), scale);
	return lt_graph_reshape_to(l->g, y, n, dims);
}

/* Weights of a layer, row by row; n 1: a vector. */
static lt_node weights(struct llama_graph *l, enum lt_llama_kind kind, int32_t layer, int32_t n, const lt_var *dims)
{
	const struct lt_llama_weights *w = &l->m->weights[kind];

	if (w->dtype == LT_I8)
		return scaled_weights(l, kind, layer, n, dims);
	lt_node y = lt_graph_constant(l->g, lt__llama_name(l->ctx, kind, layer), w->dtype, n, dims);
	return y < 0 || lt_graph_content(l->g, y, w->at ? w->at + layer * w->stride : NULL) ? LT_NONE : y;
}

/* Whether matrices are multiplied as integers. */
static bool of_integers(const struct llama_graph *l)
{
	return l->m->group > 0 && !l->o->floats;
}

/* The numbers of a group. */
static lt_var within(const struct llama_graph *l, lt_var blocks)
{
	return blocks == l->bf ? l->j : blocks == l->ba ? l->ia : l->i;
}

/* x, [s] columns, as int8, [s] b i, with a scale for each group of the last axis, [s] b. */
static void round_groups(struct llama_graph *l, lt_node x, lt_var blocks, lt_node *q, lt_node *scale)
{
	const lt_var i = within(l, blocks), dims[] = { l->s, blocks, i };
	const bool one = lt_node_rank(l->g, x) == 1;           /* the last of a prompt's tokens, too */
	lt_node y = lt_graph_reshape_to(l->g, x, one ? 2 : 3, one ? dims + 1 : dims);
	lt_node largest = lt_graph_literal(l->g, LT_F32, 127);
	lt_node top = lt_graph_reduce(l->g, "max", lt_graph_unary(l->g, "abs", y), 1, &i);

	*scale = lt_graph_binary(l->g, "div", top, largest);
	*q = lt_graph_cast(l->g, lt_graph_unary(l->g, "round", lt_graph_binary(l->g, "div", y, *scale)), LT_I8);
}

/* A matrix of int8 by x: exact sums of each group, then these times both scales. */
static lt_node integer_product(struct llama_graph *l, lt_node x, enum lt_llama_kind kind, int32_t layer, lt_var rows,
	lt_var columns)
{
	const lt_var blocks = columns == l->f ? l->bf : columns == l->a ? l->ba : l->bd, i = within(l, blocks),
		of[] = { rows, blocks, i };
	lt_node q, scale, w = l->words, w_scale = l->words_scale;

	if (x < 0 || (kind != LT_LLAMA_EMBEDDING && int8_weights(l, kind, layer, 3, of, &w, &w_scale)))
		return LT_NONE;
	round_groups(l, x, blocks, &q, &scale);
	lt_node a = lt_graph_cast(l->g, q, LT_I32), b = lt_graph_cast(l->g, w, LT_I32);
	lt_node sums = lt_graph_cast(l->g, lt_graph_contract(l->g, a, b, 1, &i), LT_F32);
	return lt_graph_contract(l->g, lt_graph_binary(l->g, "mul", sums, w_scale), scale, 1, &blocks);
}

/* The embeddings of the tokens, [s] d. */
static lt_node embed(struct llama_graph *l)
{
	const lt_var of[] = { l->v, l->bd, l->i };
	lt_node words, scale;

	if (!of_integers(l)) {
		l->words = words = weights(l, LT_LLAMA_EMBEDDING, 0, 2, (lt_var[]){ l->v, l->d });
		return lt_graph_cast(l->g, lt_graph_gather(l->g, words, l->tokens, 0), LT_F32);
	}
	if (int8_weights(l, LT_LLAMA_EMBEDDING, 0, 3, of, &words, &scale))
		return LT_NONE;
	l->words = words;
	l->words_scale = scale;
	lt_node q = lt_graph_cast(l->g, lt_graph_gather(l->g, words, l->tokens, 0), LT_F32);
	lt_node y = lt_graph_binary(l->g, "mul", q, lt_graph_gather(l->g, scale, l->tokens, 0));
	return reshape_to(l, y, 1, &l->d);
}

/* A matrix by x: [s] rows. */
static lt_node product(struct llama_graph *l, lt_node x, enum lt_llama_kind kind, int32_t layer, lt_var rows,
	lt_var columns)
{
	if (of_integers(l))
		return integer_product(l, x, kind, layer, rows, columns);
	lt_node w = kind == LT_LLAMA_EMBEDDING ? l->words : weights(l, kind, layer, 2, (lt_var[]){ rows, columns });

	return lt_graph_contract(l->g, x, lt_graph_cast(l->g, w, LT_F32), 1, &columns);
}

static lt_node norm(struct llama_graph *l, lt_node x, enum lt_llama_kind kind, int32_t layer)
{
	lt_node w = weights(l, kind, layer, 1, &l->d);

	return lt_build_rms_norm(l->g, x, w, epsilon);
}

/* Rows at + s, s < count, of a value whose first dim is positions; the result's dims are s and the others. */
static lt_node rows_here(struct llama_graph *l, lt_node x, int32_t n, const lt_var *dims)
{
	const bool many = l->s >= 0;
	const int32_t rank = with_tokens(l, n, dims, (lt_var[LT_MAX_RANK]){ 0 }), width = 2 + rank;
	int64_t row[3 * 5] = { 0 };
	lt_var all[LT_MAX_RANK];

	with_tokens(l, n, dims, all);
	row[1] = 1;
	if (many)
		row[2] = 1;
	for (int32_t i = 0; i < n; i++)
		row[(i + 1) * width + 2 + many + i] = 1;
	const struct lt_view_piece piece = { .source = x,
		.map = { .n_param = 1, .n_dim = rank, .n_row = n + 1, .param = &l->at, .row = row } };
	return lt_graph_view(l->g, rank, all, 1, &piece, 0, 0);
}

/* Of position * 10000^(-2i/head), rounded at the same steps as llama2.c rounds them: its cosine for elements 2i and
 * 2i+1 of a head (turn 0), or its sine, negative for the first of them (turn 1). */
static lt_node rotation_table(struct llama_graph *l, int turn)
{
	const int32_t head = lt__llama_head(l->m);
	float *table = malloc(sizeof *table * (size_t)l->m->context * (size_t)head);
	const lt_var dims[] = { lt_graph_var(l->g, "position", l->m->context), l->e };

	if (!table || lt_graph_hold(l->g, free, table)) {
		free(table);
		lt_fail(l->ctx, LT_ENOMEM, "out of memory");
		return LT_NONE;
	}
	for (int32_t i = 0; i < head; i++) {
		const float step = 1.0f / powf(10000.0f, (float)(i - i % 2) / (float)head);

		for (int32_t p = 0; p < l->m->context; p++) {
			const float angle = (float)p * step;

			table[(int64_t)p * head + i] = !turn ? cosf(angle) : i % 2 ? sinf(angle) : -sinf(angle);
		}
	}
	lt_node all = lt_graph_constant(l->g, turn ? "rotation.sin" : "rotation.cos", LT_F32, 2, dims);
	if (all < 0 || lt_graph_content(l->g, all, table))
		return LT_NONE;
	return rows_here(l, all, 1, dims + 1);
}

/* The other element of each pair: e becomes 4 floor(e/2) + 1 - e. */
static lt_node swap_pairs(struct llama_graph *l, lt_node x)
{
	const int32_t rank = x < 0 ? 0 : lt_node_rank(l->g, x), width = 2 + rank;
	int64_t row[5 * 7] = { 0 }, div[8] = { 2 };
	lt_var dims[5];

	if (x < 0)
		return LT_NONE;
	div[1 + rank] = 1;
	for (int32_t i = 0; i < rank; i++) {
		dims[i] = lt_node_dim(l->g, x, i);
		row[i * width + 1 + i] = i < rank - 1 ? 1 : -1;
	}
	row[(rank - 1) * width] = 1;
	row[(rank - 1) * width + 1 + rank] = 4;
	const struct lt_view_piece piece = { .source = x,
		.map = { .n_dim = rank, .n_div = 1, .n_row = rank, .div = div, .row = row } };
	return lt_graph_view(l->g, rank, dims, 1, &piece, 0, 0);
}

/* Each head turned by its position: x of dims [s] rows, the result [s], the vars given, e. */
static lt_node rotate(struct llama_graph *l, lt_node x, int32_t n, const lt_var *heads)
{
	lt_var whole[3];

	for (int32_t i = 0; i < n; i++)
		whole[i] = heads[i];
	whole[n] = l->e;
	lt_node y = reshape_to(l, x, n + 1, whole), other = swap_pairs(l, y);
	lt_node straight = lt_graph_binary(l->g, "mul", y, l->cosine), across = lt_graph_binary(l->g, "mul", other, l->sine);
	return lt_graph_binary(l->g, "add", straight, across);
}

/* The state that remembers x, [s] h e, at the positions of this run: all of it up to the last one, h t e. */
static lt_node remember(struct llama_graph *l, lt_node x, const char *name, int32_t layer)
{
	const lt_var position = lt_graph_var(l->g, "position", l->m->context);
	const lt_var one = l->s >= 0 ? l->s : lt_graph_var(l->g, "one", 1);
	const lt_var part[] = { l->h, one, l->e }, seen[] = { l->h, l->t, l->e };
	const int64_t row[] = { 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }, offset[3] = { 0 };
	const lt_param at[] = { LT_OMIT, l->at, LT_OMIT };

	lt_node state = lt_graph_state(l->g, lt__scratch(l->ctx, "%s.%d", name, layer), l->o->cache ? l->o->cache : LT_F32, 3,
		(lt_var[]){ l->h, position, l->e });
	lt_node block = l->s >= 0 ? lt_graph_permute(l->g, x, 3, (int32_t[]){ 1, 0, 2 }) :
		lt_graph_reshape_to(l->g, x, 3, part);
	lt_node now = lt_graph_update(l->g, state, lt_graph_cast(l->g, block, lt_node_dtype(l->g, state)), offset, at);
	if (now < 0 || lt_graph_set_state(l->g, state, now))
		return LT_NONE;
	const struct lt_view_piece piece = { .source = now, .map = { .n_dim = 3, .n_row = 3, .row = row } };
	return lt_graph_cast(l->g, lt_graph_view(l->g, 3, seen, 1, &piece, 0, 0), LT_F32);
}

/* Later tokens than one's own have no weight. */
static lt_node causal(struct llama_graph *l, lt_node scores)
{
	lt_var dims[LT_MAX_RANK];

	if (l->s < 0 || scores < 0)
		return scores;
	for (int32_t i = 0; i < lt_node_rank(l->g, scores); i++)
		dims[i] = lt_node_dim(l->g, scores, i);
	lt_node t = lt_graph_index(l->g, l->t), s = lt_graph_index(l->g, l->s);
	lt_node last = lt_graph_binary(l->g, "add", s, l->position);
	lt_node seen = lt_graph_binary(l->g, "lessequal", t, last), hidden = lt_graph_literal(l->g, LT_F32, -INFINITY);
	return lt_graph_op_to(l->g, "select", 3, (lt_node[]){ seen, scores, hidden }, lt_node_rank(l->g, scores), dims);
}

static lt_node attend(struct llama_graph *l, lt_node x, int32_t layer)
{
	const lt_var queries[] = { l->h, l->g_ };
	lt_node q = product(l, x, LT_LLAMA_WQ, layer, l->a, l->d);
	lt_node k = product(l, x, LT_LLAMA_WK, layer, l->c, l->d);
	lt_node v = product(l, x, LT_LLAMA_WV, layer, l->c, l->d);

	q = rotate(l, q, 2, queries);
	k = remember(l, rotate(l, k, 1, &l->h), LT_LLAMA_KEYS, layer);
	v = remember(l, reshape_to(l, v, 2, (lt_var[]){ l->h, l->e }), LT_LLAMA_VALUES, layer);
	lt_node scale = lt_graph_literal(l->g, LT_F32, 1 / sqrt(lt__llama_head(l->m)));
	lt_node scores = lt_graph_binary(l->g, "mul", lt_graph_contract(l->g, q, k, 1, &l->e), scale);
	lt_node p = lt__build_softmax_over(l->g, causal(l, scores), l->t);
	lt_node y = lt_graph_contract(l->g, p, v, 1, &l->t);
	return product(l, reshape_to(l, y, 1, &l->a), LT_LLAMA_WO, layer, l->d, l->a);
}

/* Numbers of hidden_dim, of int8 in the groups in which the next product rounds them: so all on the way to it has the
 * same loops. */
static lt_node hidden(struct llama_graph *l, lt_node x)
{
	return of_integers(l) ? reshape_to(l, x, 2, (lt_var[]){ l->bf, l->j }) : x;
}

static lt_node feed_forward(struct llama_graph *l, lt_node x, int32_t layer)
{
	lt_node gate = lt_build_silu(l->g, hidden(l, product(l, x, LT_LLAMA_W1, layer, l->f, l->d)));
	lt_node up = hidden(l, product(l, x, LT_LLAMA_W3, layer, l->f, l->d)), y = lt_graph_binary(l->g, "mul", gate, up);

	return product(l, of_integers(l) ? reshape_to(l, y, 1, &l->f) : y, LT_LLAMA_W2, layer, l->d, l->f);
}

/* The last of the tokens. */
static lt_node last_token(struct llama_graph *l, lt_node x)
{
	const int64_t row[] = { -1, 1, 0, 0, 0, 1 };
	const struct lt_view_piece piece = { .source = x,
		.map = { .n_param = 1, .n_dim = 1, .n_row = 2, .param = &l->count, .row = row } };

	return l->s < 0 ? x : lt_graph_view(l->g, 1, &l->d, 1, &piece, 0, 0);
}

static void make_vars(struct llama_graph *l)
{
	const struct lt_llama *m = l->m;

	l->d = lt_graph_var(l->g, "d", m->dim);
	l->a = lt_graph_var(l->g, "a", m->dim);
	l->c = lt_graph_var(l->g, "c", (int64_t)lt__llama_head(m) * m->kv_heads);
	l->f = lt_graph_var(l->g, "f", m->hidden);
	l->v = lt_graph_var(l->g, "v", m->vocab);
	l->h = lt_graph_var(l->g, "h", m->kv_heads);
	l->g_ = lt_graph_var(l->g, "g", m->heads / m->kv_heads);
	l->e = lt_graph_var(l->g, "e", lt__llama_head(m));
	if (of_integers(l)) {
		l->bd = lt_graph_var(l->g, "bd", m->dim / m->group);
		l->ba = lt_graph_var(l->g, "ba", m->dim / m->group);
		l->bf = lt_graph_var(l->g, "bf", m->hidden / m->group);
		l->ia = lt_graph_var(l->g, "ia", m->group);
		l->i = lt_graph_var(l->g, "i", m->group);
		l->j = lt_graph_var(l->g, "j", m->group);
	}
}

/* What a run is given, and how far it goes. */
static lt_status make_inputs(struct llama_graph *l)
{
	static const char full[] = "the context is full: there is no position for these tokens";
	const lt_var one = lt_graph_var(l->g, "one", 1);
	const int64_t context = l->m->context, minus[] = { -1, -1 }, plus[] = { 1, 1 };
	lt_node at = lt_graph_input(l->g, LT_LLAMA_POSITION, LT_I64, 1, &one);

	l->at = lt_graph_param(l->g, at, 0, 0, context - 1);
	l->position = lt__pos_at(l->g, at, 0, 0);
	if (l->o->tokens == 1) {
		l->s = l->count = LT_NONE;
		l->tokens = lt__pos_at(l->g, lt_graph_input(l->g, LT_LLAMA_TOKENS, LT_I64, 1, &one), 0, 0);
		l->t = lt_graph_var_bounded(l->g, "t", context, 1, 1, &l->at, plus);
		return lt_context_code(l->ctx);
	}
	lt_node count = lt_graph_input(l->g, LT_LLAMA_COUNT, LT_I64, 1, &one);
	l->count = lt_graph_param(l->g, count, 0, 1, l->o->tokens);
	const lt_param both[] = { l->at, l->count };
	LT_TRY(lt_graph_require(l->g, 0, context, 2, both, minus, full));
	l->s = lt_graph_var_bounded(l->g, "s", l->o->tokens, 0, 1, &l->count, plus);
	l->t = lt_graph_var_bounded(l->g, "t", context, 0, 2, both, plus);
	l->tokens = lt_graph_input(l->g, LT_LLAMA_TOKENS, LT_I64, 1, &l->s);
	return lt_context_code(l->ctx);
}

static lt_status make_graph(struct llama_graph *l)
{
	make_vars(l);
	LT_TRY(make_inputs(l));
	l->cosine = rotation_table(l, 0);
	l->sine = rotation_table(l, 1);
	lt_node x = embed(l);
	for (int32_t i = 0; i < l->m->layers && x >= 0; i++) {
		x = lt_graph_binary(l->g, "add", x, attend(l, norm(l, x, LT_LLAMA_RMS_ATTENTION, i), i));
		x = lt_graph_binary(l->g, "add", x, feed_forward(l, norm(l, x, LT_LLAMA_RMS_FFN, i), i));
	}
	x = norm(l, last_token(l, x), LT_LLAMA_RMS_FINAL, 0);
	lt_node logits = product(l, x, l->m->shared ? LT_LLAMA_EMBEDDING : LT_LLAMA_CLASSIFIER, 0, l->v, l->d);
	return logits < 0 ? lt_context_code(l->ctx) : lt_graph_result(l->g, LT_LLAMA_LOGITS, logits);
}

lt_status lt__llama_cache_graph(struct lt_context *ctx, const struct lt_llama *m, enum lt_dtype cache,
	struct lt_graph **out)
{
	struct llama_graph l = { .ctx = ctx, .m = m };

	lt_context_clear(ctx);
	*out = NULL;
	LT_TRY(lt_graph_new(ctx, &l.g));
	const lt_var dims[] = { lt_graph_var(l.g, "h", m->kv_heads), lt_graph_var(l.g, "position", m->context),
		lt_graph_var(l.g, "e", lt__llama_head(m)) };
	const char *const names[] = { LT_LLAMA_KEYS, LT_LLAMA_VALUES };

	for (int32_t i = 0; i < 2 * m->layers; i++)
		(void)lt_graph_state(l.g, lt__scratch(ctx, "%s.%d", names[i % 2], i / 2), cache ? cache : LT_F32, 3, dims);
	/* a graph has a result */
	lt_status st = lt_graph_result(l.g, "context", lt_graph_literal(l.g, LT_I64, m->context));
	st = st ? st : lt_context_code(ctx);
	if (st)
		lt_graph_free(l.g);
	else
		*out = l.g;
	return st;
}

lt_status lt__llama_graph(struct lt_context *ctx, const struct lt_llama *m, const struct lt_llama_options *options,
	struct lt_graph **out)
{
	struct llama_graph l = { .ctx = ctx, .m = m, .o = options };

	lt_context_clear(ctx);
	*out = NULL;
	if (of_integers(&l) && (m->dim % m->group || m->hidden % m->group))
		return lt_fail(ctx, LT_EUNSUPPORTED, "%s: dim %d or hidden_dim %d is no multiple of its groups of %d, so rows cannot "
			"be multiplied as int8; lt-llama --dtype f32 makes floats of its weights, and --convert FILE keeps them", m->file,
			m->dim, m->hidden, m->group);
	LT_TRY(lt_graph_new(ctx, &l.g));
	lt_status st = make_graph(&l);
	if (st)
		lt_graph_free(l.g);
	else
		*out = l.g;
	return st;
}
