/* examples/plugin/llvm/row.c -- affine rows: what is known of their values, and code that computes them.
 *
 * An affine value is computed in the head of the innermost scope that it depends on, from what the scopes around
 * computed of it. So nothing is left for LLVM to move out of loops, and equal values are computed once.
 */
#include <string.h>
#include "gen.h"

LLVMValueRef lt_llvm_i64(struct gen *g, int64_t n)
{
	return LLVMConstInt(LLVMInt64TypeInContext(g->e.c), (uint64_t)n, 1);
}

struct range lt_llvm_range(const struct gen *g, int32_t row)
{
	const int64_t *r = row_at(g->t, row);
	struct range sum = { true, r[0], r[0] };
	for (int32_t c = 1; c < g->t->n_column; c++) {
		struct range x = g->column[c].range;
		int64_t low = r[c] > 0 ? x.low : x.high, high = r[c] > 0 ? x.high : x.low;
		if (r[c] == 0)
			continue;
		if (!x.known || __builtin_mul_overflow(r[c], low, &low) || __builtin_mul_overflow(r[c], high, &high)
		    || __builtin_add_overflow(sum.low, low, &sum.low) || __builtin_add_overflow(sum.high, high, &sum.high))
			return (struct range){ false, 0, 0 };
	}
	return sum;
}

/* How it moves from lane to lane; false: not by equal steps. */
bool lt_llvm_stride(const struct gen *g, int32_t row, int64_t *stride)
{
	const int64_t *r = row_at(g->t, row);
	int64_t one;
	*stride = 0;
	for (int32_t c = 1; c < g->t->n_column; c++)
		if (r[c] && (g->column[c].irregular || __builtin_mul_overflow(r[c], g->column[c].stride, &one)
		    || __builtin_add_overflow(*stride, one, stride)))
			return false;
	return true;
}

int64_t *lt_llvm_dense(struct gen *g, int32_t row, int64_t scale, bool regular)
{
	const int64_t *r = row_at(g->t, row);
	int64_t *out = lt_llvm_alloc(g, (size_t)g->t->n_column, sizeof *out);
	uint64_t sum = (uint64_t)r[0];
	for (int32_t c = 1; c < g->t->n_column; c++) {
		if (r[c] == 0 || (regular && g->column[c].irregular))
			continue;
		sum += (uint64_t)r[c] * (uint64_t)g->column[c].value;
		if (!g->column[c].fixed)
			out[c] = (int64_t)((uint64_t)r[c] * (uint64_t)scale);
	}
	out[0] = (int64_t)(sum * (uint64_t)scale);
	return out;
}

static LLVMValueRef floor_quotient(struct gen *g, LLVMValueRef x, int64_t den, struct range range)
{
	LLVMBuilderRef b = g->e.b;
	LLVMTypeRef type = LLVMTypeOf(x);
	bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	LLVMValueRef d = lt_llvm_i64(g, den);
	d = vector ? lt_llvm_splat(&g->e, d, g->lanes) : d;
	if ((den & (den - 1)) == 0) {
		LLVMValueRef bits = lt_llvm_i64(g, __builtin_ctzll((uint64_t)den));
		return LLVMBuildAShr(b, x, vector ? lt_llvm_splat(&g->e, bits, g->lanes) : bits, "");
	}
	/* half as wide is twice as fast */
	if (range.known && range.low >= 0 && range.high <= INT32_MAX && den <= INT32_MAX) {
		LLVMTypeRef narrow = LLVMInt32TypeInContext(g->e.c);
		narrow = vector ? LLVMVectorType(narrow, g->lanes) : narrow;
		LLVMValueRef q = LLVMBuildUDiv(b, LLVMBuildTrunc(b, x, narrow, ""), LLVMConstTrunc(d, narrow), "");
		return LLVMBuildZExt(b, q, type, "");
	}
	if (range.known && range.low >= 0)
		return LLVMBuildUDiv(b, x, d, "");
	LLVMValueRef zero = LLVMConstNull(type), q = LLVMBuildSDiv(b, x, d, "");
	LLVMValueRef inexact = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildMul(b, q, d, ""), x, "");
	LLVMValueRef down = LLVMBuildAnd(b, inexact, LLVMBuildICmp(b, LLVMIntSLT, x, zero, ""), "");
	return LLVMBuildSub(b, q, LLVMBuildZExt(b, down, type, ""), "");
}

static LLVMValueRef affine(struct gen *g, LLVMValueRef base, const int64_t *coef);

/* The value of column c in lane 0, without what is added to it; that of a div is made when it is first asked for. */
LLVMValueRef lt_llvm_column(struct gen *g, int32_t c)
{
	struct column *x = &g->column[c];
	if (x->v)
		return x->v;
	const struct lt_div *d = LT_AT(struct lt_div, g->t->divs, c - div_column(g->t, 0));
	LLVMBasicBlockRef here = LLVMGetInsertBlock(g->e.b);
	const int64_t *row = lt_llvm_dense(g, d->row, 1, false);
	LLVMValueRef v = affine(g, NULL, row);
	LLVMPositionBuilderBefore(g->e.b, g->scope[x->scope].mark);
	if (row[0])
		v = LLVMBuildAdd(g->e.b, v, lt_llvm_i64(g, row[0]), "");
	x->v = floor_quotient(g, v, d->den, lt_llvm_range(g, d->row));
	LLVMPositionBuilderAtEnd(g->e.b, here);
	return x->v;
}

static struct known *find(const struct gen *g, int32_t scope, LLVMValueRef base, const int64_t *coef)
{
	size_t bytes = (size_t)(g->t->n_column - 1) * sizeof *coef;
	for (struct known *k = g->scope[scope].known; k; k = k->next)
		if (k->base == base && memcmp(k->row + 1, coef + 1, bytes) == 0)
			return k;
	return NULL;
}

/* base (NULL: 0) plus the columns times coef, coef[0] left out; NULL: nothing at all. */
static LLVMValueRef affine(struct gen *g, LLVMValueRef base, const int64_t *coef)
{
	LLVMBuilderRef b = g->e.b;
	int32_t scope = -1, n_column = g->t->n_column, n = 0;
	for (int32_t c = 1; c < n_column; c++)
		if (coef[c] && g->column[c].scope >= scope) {
			n = g->column[c].scope > scope ? 1 : n + 1;
			scope = g->column[c].scope;
		}
	if (scope < 0)
		return base;
	struct known *k = find(g, scope, base, coef);
	if (k)
		return k->value;
	int64_t *outer = lt_llvm_alloc(g, (size_t)n_column, sizeof *outer);
	LLVMValueRef sum = NULL;
	bool alone = base == NULL && n == 1;
	for (int32_t c = 1; c < n_column; c++) {
		if (coef[c] && g->column[c].scope < scope) {
			outer[c] = coef[c];
			alone = false;
		}
	}
	for (int32_t c = 1; c < n_column; c++) {
		if (!coef[c] || g->column[c].scope != scope)
			continue;
		int64_t *one = lt_llvm_alloc(g, (size_t)n_column, sizeof *one);
		LLVMValueRef v = lt_llvm_column(g, c);
		one[c] = coef[c];
		if (!alone && coef[c] != 1)
			v = affine(g, NULL, one);
		LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
		LLVMPositionBuilderBefore(b, g->scope[scope].mark);
		if (alone && coef[c] != 1)
			v = LLVMBuildMul(b, v, lt_llvm_i64(g, coef[c]), "");
		sum = sum ? LLVMBuildAdd(b, sum, v, "") : v;
		LLVMPositionBuilderAtEnd(b, here);
	}
	LLVMValueRef before = affine(g, base, outer);
	LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
	LLVMPositionBuilderBefore(b, g->scope[scope].mark);
	if (base)
		sum = LLVMBuildGEP2(b, LLVMInt8TypeInContext(g->e.c), before, &sum, 1, "");
	else if (before)
		sum = LLVMBuildAdd(b, before, sum, "");
	LLVMPositionBuilderAtEnd(b, here);
	k = lt_llvm_alloc(g, 1, sizeof *k);
	k->row = lt_llvm_alloc(g, (size_t)n_column, sizeof *k->row);
	memcpy(k->row, coef, (size_t)n_column * sizeof *coef);
	k->base = base;
	k->value = sum;
	k->next = g->scope[scope].known;
	g->scope[scope].known = k;
	return sum;
}

LLVMValueRef lt_llvm_row(struct gen *g, int32_t row)
{
	int64_t *r = lt_llvm_dense(g, row, 1, false);
	LLVMValueRef v = affine(g, NULL, r), constant = lt_llvm_i64(g, r[0]);
	return !v ? constant : r[0] ? LLVMBuildAdd(g->e.b, v, constant, "") : v;
}

/* The address of row elements of `scale` bytes from base, in lane 0, without its constant. */
LLVMValueRef lt_llvm_address(struct gen *g, LLVMValueRef base, int32_t row, int64_t scale, int64_t *constant)
{
	int64_t *r = lt_llvm_dense(g, row, scale, true);
	*constant = r[0];
	return affine(g, base, r);
}

LLVMValueRef lt_llvm_lane_numbers(struct gen *g, LLVMTypeRef scalar)
{
	LLVMValueRef number[64];
	for (uint32_t i = 0; i < g->lanes; i++)
		number[i] = LLVMConstInt(scalar, i, 0);
	return LLVMConstVector(number, g->lanes);
}

/* A quotient in each lane. */
static LLVMValueRef div_lanes(struct gen *g, int32_t div, int64_t scale)
{
	const struct lt_div *d = LT_AT(struct lt_div, g->t->divs, div);
	LLVMValueRef q = floor_quotient(g, lt_llvm_row_lanes(g, d->row, 1), d->den, lt_llvm_range(g, d->row));
	return scale == 1 ? q : LLVMBuildMul(g->e.b, q, lt_llvm_splat(&g->e, lt_llvm_i64(g, scale), g->lanes), "");
}

LLVMValueRef lt_llvm_row_lanes(struct gen *g, int32_t row, int64_t scale)
{
	const int64_t *r = row_at(g->t, row);
	int64_t *regular = lt_llvm_dense(g, row, scale, true);
	uint64_t stride = 0;
	LLVMValueRef first = affine(g, NULL, regular), constant = lt_llvm_i64(g, regular[0]);
	first = first ? LLVMBuildAdd(g->e.b, first, constant, "") : constant;
	LLVMValueRef sum = lt_llvm_splat(&g->e, first, g->lanes);
	for (int32_t c = 1; c < g->t->n_column; c++)
		if (r[c] && !g->column[c].irregular)
			stride += (uint64_t)r[c] * (uint64_t)g->column[c].stride * (uint64_t)scale;
	if (stride) {
		LLVMValueRef numbers = lt_llvm_lane_numbers(g, LLVMInt64TypeInContext(g->e.c));
		LLVMValueRef step = lt_llvm_splat(&g->e, lt_llvm_i64(g, (int64_t)stride), g->lanes);
		sum = LLVMBuildAdd(g->e.b, sum, LLVMBuildMul(g->e.b, numbers, step, ""), "");
	}
	for (int32_t d = 0; d < g->t->n_div; d++) {
		int32_t c = div_column(g->t, d);
		if (r[c] && g->column[c].irregular)
			sum = LLVMBuildAdd(g->e.b, sum, div_lanes(g, d, (int64_t)((uint64_t)r[c] * (uint64_t)scale)), "");
	}
	return sum;
}

/* The alignment of base + row*scale, base being aligned to `base` bytes. */
uint32_t lt_llvm_row_align(const struct gen *g, int32_t row, int64_t scale, uint32_t base)
{
	const int64_t *r = row_at(g->t, row);
	uint64_t bits = base | (uint64_t)r[0] * (uint64_t)scale;
	for (int32_t c = 1; c < g->t->n_column; c++) {
		uint64_t step = (uint64_t)r[c] * (uint64_t)scale;
		if (g->column[c].fixed)
			step *= (uint64_t)g->column[c].value;
		else if (g->lane_loop >= 0 && c == loop_column(g->t, g->lane_loop))
			step *= g->lanes;       /* vectors begin at multiples of their lanes */
		bits |= step;
	}
	return (uint32_t)(bits & (0 - bits));
}

void lt_llvm_push_scope(struct gen *g)
{
	LLVMBasicBlockRef body = lt_llvm_block(g, "");
	g->scope[g->n_scope].mark = LLVMBuildBr(g->e.b, body);
	g->scope[g->n_scope++].known = NULL;
	LLVMPositionBuilderAtEnd(g->e.b, body);
}

void lt_llvm_pop_scope(struct gen *g) { g->n_scope--; }
