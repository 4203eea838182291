/* widen.c -- halves stay halves up to the product or the reduction that widens them: a factor, or what is reduced,
 * that is a view of their cast becomes a cast of a view of them.
 *
 * A cast is exact there, so both are the same value.  What is between a cast and its product keeps the factor in
 * memory in float32, and from routines and matrix instructions that multiply halves.  A reduction reads windows (a
 * pool), too, with what stands beside the border: of halves it reads half of the bytes, and nobody writes the others.
 * So does a convolution by channels, of bfloat16 and by small windows: each element is cast again for each place in a
 * window, which there costs less than a copy (a shift).  Float16's conversions cost more, and a convolution of all
 * channels repeats them for each filter.
 */
#include <string.h>
#include "ir/node/node.h"
#include "ir/pass/pass.h"

enum { MAX_WINDOW = 9 };        /* elements: 3x3; of 5x5 LLVM's code was slower, the compiler's faster */
enum { FACTOR = 1, REDUCED, BY_CHANNELS };      /* an operand is: factor, what is reduced, a factor by windows */

/* What stands beside the border, of type `to`. */
static uint64_t fill_as(uint64_t fill, enum lt_dtype from, enum lt_dtype to)
{
	return lt__bits_of(lt__convert(lt__scalar_of(fill, from), from, to), to);
}

/* The cast of halves that node x shows by one piece; -1.  windows: elements of it may be shown several times, and
 * others beside it that are halves, too. */
static lt_node shown_cast(const struct lt_graph *g, lt_node x, bool windows)
{
	const struct lt_nodedef *view = &g->node[x];
	if (view->op != LT_OP_view || view->n_piece != 1 || view->n_operand != 1 || view->piece[0].source != 0)
		return -1;
	const struct lt_nodedef *cast = &g->node[view->operand[0]];
	const bool plain = !view->has_fill && !view->piece[0].map.n_guard
		&& lt__node_elems(g, x) <= lt__node_elems(g, view->operand[0]);
	const enum lt_dtype from = cast->op == LT_OP_cast && !cast->reduce ? g->node[cast->operand[0]].dtype : LT_F32;
	if ((!plain && !windows) || (from != LT_F16 && from != LT_BF16) || cast->dtype != LT_F32)
		return -1;
	if (view->has_fill && fill_as(fill_as(view->bits, LT_F32, from), from, LT_F32) != view->bits)
		return -1;
	/* The view's map is over the cast's dims: those of the halves, in that order. */
	const struct lt_nodedef *half = &g->node[cast->operand[0]];
	return half->n_dim == cast->n_dim && (half->n_dim == 0
		|| !memcmp(half->dim, cast->dim, (size_t)half->n_dim * sizeof *half->dim)) ? view->operand[0] : -1;
}

/* Whether factor x of the product, a view of a cast, is cast where it is read: it has all dims, and is no half of
 * float16. */
static bool shows_channels(const struct lt_graph *g, lt_node product, lt_node x)
{
	const struct lt_nodedef *cast = g->node[x].n_operand ? &g->node[g->node[x].operand[0]] : NULL;

	return g->node[x].n_dim == g->node[product].n_dim && cast && cast->op == LT_OP_cast
		&& g->node[cast->operand[0]].dtype == LT_BF16;
}

/* Marks the nodes that multiply for one sum alone, and those that reduce. */
static uint8_t *mark_readers(const struct lt_frame *f)
{
	const struct lt_graph *g = f->in;
	int32_t *readers = LT_NEW(f->scratch, int32_t, g->n_node + 1);
	uint8_t *mark = LT_NEW(f->scratch, uint8_t, g->n_node + 1);
	for (lt_node x = 0; x < g->n_node; x++)
		for (int32_t i = 0; i < g->node[x].n_operand; i++)
			readers[g->node[x].operand[i]]++;
	for (lt_node x = 0; x < g->n_node; x++) {
		lt_node of = g->node[x].reduce && g->node[x].op == LT_OP_add ? g->node[x].operand[0] : -1;
		if (of >= 0 && g->node[of].op == LT_OP_mul && !g->node[of].reduce && readers[of] == 1)
			mark[of] = (lt__node_elems(g, of) - 1) / MAX_WINDOW >= lt__node_elems(g, x) ? FACTOR : BY_CHANNELS;
		if (g->node[x].reduce)
			mark[x] = REDUCED;
	}
	return mark;
}

/* The factor, made of the halves. */
static lt_status widen_factor(struct lt_frame *f, lt_node x, lt_node cast, lt_node *out)
{
	const struct lt_nodedef *old = &f->in->node[x];
	struct lt_nodedef half = lt__frame_node(f, x), wide = lt__frame_node(f, cast);
	half.operand = &f->to[f->in->node[cast].operand[0]];
	half.dtype = f->in->node[f->in->node[cast].operand[0]].dtype;
	half.bits = half.has_fill ? fill_as(half.bits, LT_F32, half.dtype) : half.bits;
	half.name = lt__arena_format(f->scratch, "%s.half", old->name);
	lt_node narrow = lt__graph_add(f->out, &half);
	if (narrow < 0)
		return f->in->ctx->code;
	wide.operand = &narrow;
	wide.n_dim = old->n_dim;
	wide.dim = old->dim;
	wide.name = lt__arena_format(f->scratch, "%s.wide", old->name);
	*out = lt__graph_add(f->out, &wide);
	return *out < 0 ? f->in->ctx->code : LT_OK;
}

static lt_status widen(struct lt_frame *f)
{
	const struct lt_graph *g = f->in;
	const uint8_t *mark = mark_readers(f);
	lt_node *wide = LT_NEW(f->scratch, lt_node, g->n_node + 1);     /* by view: its factor, made already; 0: not yet */
	for (lt_node x = 0; x < g->n_node; x++) {
		struct lt_nodedef n = lt__frame_node(f, x);
		for (int32_t i = 0; mark[x] && i < n.n_operand; i++) {
			const lt_node of = g->node[x].operand[i];
			const bool windows = mark[x] == REDUCED || (mark[x] == BY_CHANNELS && shows_channels(g, x, of));
			const lt_node cast = shown_cast(g, of, windows);

			if (cast >= 0 && !wide[of])
				LT_TRY(widen_factor(f, of, cast, &wide[of]));
			n.operand[i] = cast >= 0 ? wide[of] : n.operand[i];
		}
		f->to[x] = lt__graph_add(f->out, &n);
		if (f->to[x] < 0)
			return g->ctx->code;
	}
	return LT_OK;
}

/* Needs: flat dims.  Keeps: values, names.  Breaks: node numbers. */
lt_status lt__pass_widen(const struct lt_graph *in, struct lt_graph **out)
{
	struct lt_graph *wide;
	*out = NULL;
	LT_TRY(lt__frame_run(in, widen, &wide));
	lt_status status = lt__pass_dead(wide, out);    /* casts that nothing reads any more */
	lt_graph_free(wide);
	return status;
}
