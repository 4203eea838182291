/* examples/plugin/llvm/region.c -- a parallel loop: a function that the host calls for ranges of its points.
 *
 *   body(arg, first, last, thread)   what host->parallel_for calls, on any thread
 *   region(..., first, last)         the loop over these points, which body calls.  A function of its own, because
 *                                    `noalias` is said of parameters.
 *
 * What the loop needs of what is around it, addresses and numbers, is handed over in an array of 64-bit words.
 */
#include <stdio.h>
#include <string.h>
#include "gen.h"

/* Words: value in the caller; where it is to be set in the region. */
struct word { LLVMValueRef v, *set; bool exclusive; int32_t column; };
struct words { struct word *at; unsigned n; };

static void add(struct words *w, LLVMValueRef v, LLVMValueRef *set, bool exclusive, int32_t column)
{
	w->at[w->n++] = (struct word){ v, set, exclusive, column };
}

static LLVMTypeRef word_type(const struct words *w, unsigned i) { return LLVMTypeOf(w->at[i].v); }

/* The i-th of the words behind `array`. */
static LLVMValueRef word_address(struct gen *g, LLVMValueRef array, unsigned i)
{
	LLVMValueRef by = lt_llvm_i64(g, 8 * (int64_t)i);
	return LLVMBuildGEP2(g->e.b, LLVMInt8TypeInContext(g->e.c), array, &by, 1, "");
}

/* All that is there in the caller: whatever the body does not use costs a word. */
static struct words collect(struct gen *g, int32_t l)
{
	const struct lt_tree *t = g->t;
	struct words w = { lt_llvm_alloc(g, t->buffers.n + (size_t)t->n_column + 2 + LT_LLVM_COLLAPSED, sizeof *w.at), 0 };
	for (int32_t b = 0; b < (int32_t)t->buffers.n; b++)
		if (g->place[b].root == b && g->place[b].base)
			add(&w, g->place[b].base, &g->place[b].base, g->place[b].exclusive, 0);
	add(&w, g->fault, &g->fault, false, 0);
	add(&w, g->own, &g->own, false, 0);
	for (int32_t c = 1; c < t->n_column; c++) {
		int32_t loop = c - 1 - t->n_param, div = loop - t->n_loop;
		int32_t stands = loop < 0 ? -1 : div < 0 ? loop : LT_AT(struct lt_div, t->divs, div)->loop;
		if (g->column[c].fixed || stands == l || !is_around(t, stands, l))
			continue;
		add(&w, lt_llvm_column(g, c), &g->column[c].v, false, c);
	}
	return w;
}

/* Trips of the loops that are shared out together, outermost first; their product is the number of points. */
static int32_t trip_count(
	struct gen *g, int32_t l, int32_t *loop, LLVMValueRef *n, LLVMValueRef *total, struct words *w)
{
	int32_t count = g->plan[l].n_collapsed, at = l;
	LLVMValueRef zero = lt_llvm_i64(g, 0);
	for (int32_t k = 0; k < count; k++) {
		int64_t least;
		if (k > 0)
			for (at++; g->plan[at].mode != MODE_COLLAPSED || loop_at(g, at)->parent != loop[k - 1]; at++)
				;
		loop[k] = at;
		n[k] = lt_llvm_trip_count(g, at, &least);
		n[k] = LLVMBuildSelect(g->e.b, LLVMBuildICmp(g->e.b, LLVMIntSGT, n[k], zero, ""), n[k], zero, "");
		*total = k ? LLVMBuildMul(g->e.b, *total, n[k], "") : n[k];
		if (!LLVMIsConstant(n[k]))
			add(w, n[k], &n[k], false, 0);
	}
	return count;
}

/* The index of each loop in a range of points: taken apart for the first of them, then counted. */
struct indices { LLVMValueRef at[LT_LLVM_COLLAPSED]; };

static struct indices first_indices(struct gen *g, LLVMValueRef first, const LLVMValueRef *n, int32_t count)
{
	struct indices x;
	for (int32_t k = count; k-- > 0; ) {
		x.at[k] = k ? LLVMBuildURem(g->e.b, first, n[k], "") : first;
		first = k ? LLVMBuildUDiv(g->e.b, first, n[k], "") : first;
	}
	return x;
}

/* At the head of the loop over points: phis, which begin with `first`. */
static struct indices begin_indices(struct gen *g, const struct indices *first, LLVMBasicBlockRef before, int32_t count)
{
	struct indices x;
	LLVMBasicBlockRef here = LLVMGetInsertBlock(g->e.b);
	LLVMPositionBuilderBefore(g->e.b, g->scope[g->n_scope - 1].mark);
	for (int32_t k = 0; k < count; k++) {
		x.at[k] = LLVMBuildPhi(g->e.b, LLVMInt64TypeInContext(g->e.c), "");
		LLVMAddIncoming(x.at[k], (LLVMValueRef *)&first->at[k], &before, 1);
	}
	LLVMPositionBuilderAtEnd(g->e.b, here);
	return x;
}

/* At its end: those of the next point. */
static void next_indices(struct gen *g, const struct indices *x, const LLVMValueRef *n, int32_t count)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(g->e.b);
	LLVMValueRef more = lt_llvm_i64(g, 1), zero = lt_llvm_i64(g, 0);
	for (int32_t k = count; k-- > 0; ) {
		LLVMValueRef next = LLVMBuildAdd(g->e.b, x->at[k], more, "");
		if (k > 0) {
			LLVMValueRef full = LLVMBuildICmp(g->e.b, LLVMIntEQ, next, n[k], "");
			next = LLVMBuildSelect(g->e.b, full, zero, next, "");
			more = LLVMBuildZExt(g->e.b, full, LLVMInt64TypeInContext(g->e.c), "");
		}
		LLVMAddIncoming(x->at[k], &next, &here, 1);
	}
}

/* region(words..., first, last): the loop over some of the points. */
static LLVMValueRef region(struct gen *g, int32_t l, const char *name, struct words *w, const int32_t *loop,
	LLVMValueRef *n, int32_t count)
{
	const struct lt_tree *t = g->t;
	LLVMTypeRef *type = lt_llvm_alloc(g, (size_t)w->n + 2, sizeof *type), i64 = LLVMInt64TypeInContext(g->e.c);
	for (unsigned i = 0; i < w->n; i++)
		type[i] = word_type(w, i);
	type[w->n] = type[w->n + 1] = i64;
	LLVMValueRef f = lt_llvm_begin_function(g, name, type, w->n + 2);
	for (unsigned i = 0; i < w->n; i++) {
		*w->at[i].set = LLVMGetParam(f, i);
		if (w->at[i].exclusive)
			lt_llvm_attribute(g, f, i + 1, "noalias");
		if (w->at[i].column)
			g->column[w->at[i].column].scope = g->first_scope;
	}
	lt_llvm_bind_locals(g, l);
	struct indices x = first_indices(g, LLVMGetParam(f, w->n), n, count);
	LLVMBasicBlockRef before = LLVMGetInsertBlock(g->e.b);
	struct count c = lt_llvm_begin_count(g, LLVMGetParam(f, w->n), LLVMGetParam(f, w->n + 1), 1, false);
	if (count > 1)
		x = begin_indices(g, &x, before, count);
	else
		x.at[0] = c.i;
	for (int32_t k = 0; k < count; k++)
		g->column[loop_column(t, loop[k])] = (struct column){ .range = { true, 0, loop_at(g, loop[k])->max_trip_count - 1 },
			.scope = g->n_scope - 1, .v = x.at[k] };
	for (int32_t k = 0; k < count; k++)
		lt_llvm_set_divs(g, loop[k]);
	const struct lt_loop *inner = loop_at(g, loop[count - 1]);
	lt_llvm_body(g, loop[count - 1], inner->first_stmt, inner->first_stmt + inner->n_stmt);
	if (count > 1)
		next_indices(g, &x, n, count);
	lt_llvm_end_count(g, &c);
	lt_llvm_end_function(g);
	return f;
}

/* body(arg, first, last, thread): takes the words out of arg. */
static LLVMValueRef body(struct gen *g, const char *name, const struct words *w, unsigned own, LLVMValueRef region_)
{
	LLVMContextRef c = g->e.c;
	LLVMBuilderRef b = g->e.b;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(c), i64 = LLVMInt64TypeInContext(c),
		    type[4] = { LLVMPointerTypeInContext(c, 0), i64, i64, i32 };
	LLVMValueRef *in = lt_llvm_alloc(g, (size_t)w->n + 2, sizeof *in);
	LLVMValueRef f = lt_llvm_begin_function(g, name, type, 4), arg = LLVMGetParam(f, 0);
	for (unsigned k = 0; k < w->n; k++)
		in[k] = LLVMBuildLoad2(b, word_type(w, k), word_address(g, arg, k), "");
	LLVMValueRef thread = LLVMBuildZExt(b, LLVMGetParam(f, 3), i64, "");
	LLVMValueRef by = LLVMBuildMul(b, thread, lt_llvm_i64(g, g->own_bytes), "");
	in[own] = LLVMBuildGEP2(b, LLVMInt8TypeInContext(c), in[own], &by, 1, "");
	in[w->n] = LLVMGetParam(f, 1);
	in[w->n + 1] = LLVMGetParam(f, 2);
	(void)LLVMBuildCall2(b, LLVMGlobalGetValueType(region_), region_, in, w->n + 2, "");
	lt_llvm_end_function(g);
	return f;
}

void lt_llvm_region(struct gen *g, int32_t l)
{
	const struct lt_tree *t = g->t;
	LLVMContextRef c = g->e.c;
	LLVMBuilderRef b = g->e.b;
	struct words w = collect(g, l);
	int32_t loop[LT_LLVM_COLLAPSED];
	LLVMValueRef n[LT_LLVM_COLLAPSED], total = NULL;
	unsigned own = 0;
	char name[2][32];
	int32_t count = trip_count(g, l, loop, n, &total, &w);
	LLVMValueRef array = lt_llvm_local(g, LLVMArrayType(LLVMInt64TypeInContext(c), w.n));
	for (unsigned i = 0; i < w.n; i++) {
		LLVMBuildStore(b, w.at[i].v, word_address(g, array, i));
		own = w.at[i].set == &g->own ? i : own;
	}

	struct gen outside = *g;
	struct column *column = lt_llvm_alloc(g, (size_t)t->n_column, sizeof *column);
	memcpy(column, g->column, (size_t)t->n_column * sizeof *column);
	LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
	(void)snprintf(name[0], sizeof name[0], "region%d", (int)g->n_region);
	(void)snprintf(name[1], sizeof name[1], "body%d", (int)g->n_region);
	g->region = l;
	LLVMValueRef part = region(g, l, name[0], &w, loop, n, count);
	LLVMValueRef all = body(g, name[1], &w, own, part);
	for (unsigned i = 0; i < w.n; i++)
		*w.at[i].set = w.at[i].v;
	for (uint32_t i = 0; i < t->buffers.n; i++)
		if (g->place[i].region == l)
			g->place[i].base = NULL;
	memcpy(g->column, column, (size_t)t->n_column * sizeof *column);
	struct chunk *chunks = g->chunks;
	*g = outside;
	g->chunks = chunks;
	g->n_region++;
	LLVMPositionBuilderAtEnd(b, here);

	LLVMTypeRef ptr = LLVMPointerTypeInContext(c, 0);
	LLVMTypeRef type[5] = { ptr, LLVMInt32TypeInContext(c), LLVMInt64TypeInContext(c), ptr, ptr };
	LLVMValueRef in[5] = { g->host, g->n_thread, total, all, array };
	(void)LLVMBuildCall2(b, LLVMFunctionType(LLVMVoidTypeInContext(c), type, 5, 0), g->call, in, 5, "");
}
