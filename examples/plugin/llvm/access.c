/* examples/plugin/llvm/access.c -- memory: where an access points in each lane, reading it and writing it.
 *
 * Lanes that stand side by side are one vector; at another distance they are loaded one by one, or with those of the
 * next copies (tile.c); all else is a gather or a scatter.
 * What is off in a mask is neither read nor written, unless it is known to exist (where.whole) and to be the thread's
 * own.
 */
#include "gen.h"

static LLVMTypeRef pointers(struct gen *g) { return LLVMVectorType(LLVMPointerTypeInContext(g->e.c, 0), g->lanes); }

static LLVMValueRef offset(struct gen *g, LLVMValueRef at, LLVMValueRef bytes)
{
	return LLVMBuildGEP2(g->e.b, LLVMInt8TypeInContext(g->e.c), at, &bytes, 1, "");
}

static LLVMValueRef offset_by(struct gen *g, LLVMValueRef at, int64_t bytes)
{
	return bytes ? offset(g, at, lt_llvm_i64(g, bytes)) : at;
}

/* 0, n, 2n ... */
static LLVMValueRef steps(struct gen *g, int64_t n)
{
	LLVMValueRef step[64];
	for (uint32_t i = 0; i < g->lanes; i++)
		step[i] = lt_llvm_i64(g, (int64_t)((uint64_t)n * i));
	return LLVMConstVector(step, g->lanes);
}

LLVMValueRef lt_llvm_vector(struct gen *g, struct value v)
{
	return v.uniform && g->lanes > 1 ? lt_llvm_splat(&g->e, v.v, g->lanes) : v.v;
}

/* The value that an access takes its index from, as i64. */
static struct value index_of(struct gen *g, int32_t stmt, int32_t access, LLVMValueRef mask)
{
	int32_t from = LT_AT(struct lt_access, g->t->accesses, access)->index;
	struct where w = lt_llvm_find(g, stmt, from, mask);
	struct value v = lt_llvm_read(g, &w, mask);
	v.v = lt_llvm_convert(&g->e, w.dtype, LT_I64, v.v, v.uniform ? 1 : g->lanes);
	return lt_llvm_check(g, stmt, access, v, mask);
}

struct where lt_llvm_find(struct gen *g, int32_t stmt, int32_t access, LLVMValueRef mask)
{
	const struct lt_access *a = LT_AT(struct lt_access, g->t->accesses, access);
	const struct lt_buffer *b = LT_AT(struct lt_buffer, g->t->buffers, a->buffer);
	const struct place *p = &g->place[g->place[a->buffer].root];
	struct where w = { .stmt = stmt, .access = access, .dtype = buffer_dtype(g->t, a->buffer),
		.private = lt_llvm_is_private(g, a->buffer) };
	int64_t bytes = lt_llvm_bytes(w.dtype), scale = w.private ? bytes * g->lanes : bytes, constant;
	struct range range = lt_llvm_range(g, a->row);
	bool regular = lt_llvm_stride(g, a->row, &w.stride);
	struct value index = { NULL, true };
	if (a->index >= 0)
		index = index_of(g, stmt, access, mask);
	w.stride = w.private ? w.stride * g->lanes + 1 : w.stride;
	w.whole = a->index < 0 && range.known && range.low >= 0 && range.high < b->elems;
	w.own = w.whole && b->role == LT_LOCAL && (g->region < 0 || is_around(g->t, g->region, b->scope));
	w.align = lt_llvm_row_align(g, a->row, scale, b->align > 0 && b->align < 64 ? (uint32_t)b->align : 64);
	if (a->index >= 0 || w.align < bytes)
		w.align = (uint32_t)bytes;
	if (regular && index.uniform) {
		w.at = lt_llvm_address(g, p->base, a->row, scale, &constant);
		if (index.v)
			w.at = offset(g, w.at, LLVMBuildMul(g->e.b, index.v, lt_llvm_i64(g, a->index_stride * scale), ""));
		w.base = w.at;
		w.constant = constant;
		w.at = offset_by(g, w.at, constant);
		return w;
	}
	LLVMValueRef each = lt_llvm_row_lanes(g, a->row, scale);
	if (index.v) {
		LLVMValueRef by = lt_llvm_splat(&g->e, lt_llvm_i64(g, a->index_stride * scale), g->lanes);
		each = LLVMBuildAdd(g->e.b, each, LLVMBuildMul(g->e.b, lt_llvm_vector(g, index), by, ""), "");
	}
	if (w.private)
		each = LLVMBuildAdd(g->e.b, each, steps(g, bytes), "");
	w.each = offset(g, p->base, each);
	return w;
}

/* The address of each lane. */
static LLVMValueRef each(struct gen *g, const struct where *w)
{
	return w->each ? w->each : offset(g, w->at, steps(g, w->stride * lt_llvm_bytes(w->dtype)));
}

static LLVMValueRef element_align(struct gen *g, const struct where *w)
{
	return LLVMConstInt(LLVMInt32TypeInContext(g->e.c), lt_llvm_bytes(w->dtype), 0);
}

static LLVMValueRef all_on(struct gen *g, LLVMValueRef mask)
{
	return mask ? mask : LLVMConstAllOnes(LLVMVectorType(LLVMInt1TypeInContext(g->e.c), g->lanes));
}

static LLVMValueRef load(struct gen *g, const struct where *w, LLVMValueRef at, uint32_t lanes, uint32_t align)
{
	LLVMValueRef v = LLVMBuildLoad2(g->e.b, lt_llvm_storage_type(&g->e, w->dtype, lanes), at, "");
	LLVMSetAlignment(v, align);
	return v;
}

static void store(struct gen *g, LLVMValueRef v, LLVMValueRef at, uint32_t align)
{
	LLVMSetAlignment(LLVMBuildStore(g->e.b, v, at), align);
}

static LLVMValueRef reverse(struct gen *g, LLVMValueRef v)
{
	LLVMValueRef from[64];
	for (uint32_t i = 0; i < g->lanes; i++)
		from[i] = LLVMConstInt(LLVMInt32TypeInContext(g->e.c), g->lanes - 1 - i, 0);
	return LLVMBuildShuffleVector(g->e.b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(from, g->lanes), "");
}

/* Elements at equal distances, one by one. */
static LLVMValueRef load_strided(struct gen *g, const struct where *w, uint32_t bytes)
{
	LLVMValueRef v = LLVMGetPoison(lt_llvm_storage_type(&g->e, w->dtype, g->lanes));
	for (uint32_t i = 0; i < g->lanes; i++) {
		LLVMValueRef one = load(g, w, offset_by(g, w->at, (int64_t)i * w->stride * bytes), 1, bytes);
		v = LLVMBuildInsertElement(g->e.b, v, one, LLVMConstInt(LLVMInt32TypeInContext(g->e.c), i, 0), "");
	}
	return v;
}

static LLVMValueRef load_apart(struct gen *g, const struct where *w, LLVMValueRef mask, uint32_t bytes)
{
	LLVMValueRef v = mask ? NULL : lt_llvm_read_tile(g, w);
	return v ? v : load_strided(g, w, bytes);
}

static LLVMValueRef load_masked(struct gen *g, const struct where *w, const char *intrinsic, LLVMValueRef at,
	LLVMTypeRef at_type, LLVMValueRef mask)
{
	LLVMTypeRef type = lt_llvm_storage_type(&g->e, w->dtype, g->lanes), types[2] = { type, at_type };
	LLVMValueRef in[4] = { at, element_align(g, w), all_on(g, mask), LLVMConstNull(type) };
	return lt_llvm_intrinsic(&g->e, intrinsic, types, 2, in, 4);
}

struct value lt_llvm_read(struct gen *g, const struct where *w, LLVMValueRef mask)
{
	uint32_t bytes = lt_llvm_bytes(w->dtype);
	bool uniform = w->at && (w->stride == 0 || g->lanes == 1), plain = !mask || w->whole;
	LLVMValueRef v;
	if (uniform)
		v = load(g, w, w->at, 1, bytes);
	else if (w->at && w->stride == 1 && plain)
		v = load(g, w, w->at, g->lanes, w->own ? w->align : bytes);
	else if (w->at && w->stride == 1)
		v = load_masked(g, w, "llvm.masked.load", w->at, LLVMPointerTypeInContext(g->e.c, 0), mask);
	else if (w->at && w->stride == -1 && plain)
		v = reverse(g, load(g, w, offset_by(g, w->at, -(int64_t)bytes * (g->lanes - 1)), g->lanes, bytes));
	else if (w->at && plain)
		v = load_apart(g, w, mask, bytes);
	else
		v = load_masked(g, w, "llvm.masked.gather", each(g, w), pointers(g), w->whole ? NULL : mask);
	return (struct value){ lt_llvm_from_storage(&g->e, w->dtype, v, uniform ? 1 : g->lanes), uniform };
}

static void store_masked(struct gen *g, const struct where *w, const char *intrinsic, LLVMValueRef v, LLVMValueRef at,
	LLVMTypeRef at_type, LLVMValueRef mask)
{
	LLVMTypeRef types[2] = { LLVMTypeOf(v), at_type };
	LLVMValueRef in[4] = { v, at, element_align(g, w), all_on(g, mask) };
	(void)lt_llvm_intrinsic(&g->e, intrinsic, types, 2, in, 4);
}

static void store_strided(struct gen *g, const struct where *w, LLVMValueRef v, uint32_t bytes)
{
	for (uint32_t i = 0; i < g->lanes; i++) {
		LLVMValueRef one = LLVMBuildExtractElement(g->e.b, v, LLVMConstInt(LLVMInt32TypeInContext(g->e.c), i, 0), "");
		store(g, one, offset_by(g, w->at, (int64_t)i * w->stride * bytes), bytes);
	}
}

static void store_apart(struct gen *g, const struct where *w, LLVMValueRef v, uint32_t bytes)
{
	if (!lt_llvm_write_tile(g, w, v))
		store_strided(g, w, v, bytes);
}

static void store_past_caches(struct gen *g, LLVMValueRef v, LLVMValueRef at, uint32_t align)
{
	LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(g->e.c), 1, 0));
	LLVMValueRef s = LLVMBuildStore(g->e.b, v, at);
	LLVMSetAlignment(s, align);
	LLVMSetMetadata(s, LLVMGetMDKindIDInContext(g->e.c, "nontemporal", 11),
		LLVMMetadataAsValue(g->e.c, LLVMMDNodeInContext2(g->e.c, &one, 1)));
}

/* A whole vector past the caches, if it turns out to be aligned: only then are there instructions for that. */
static void store_stream(struct gen *g, const struct where *w, LLVMValueRef v, uint32_t bytes)
{
	LLVMBuilderRef b = g->e.b;
	uint32_t size = bytes * g->lanes;
	g->streams = true;
	if (w->align >= size) {
		store_past_caches(g, v, w->at, size);
		return;
	}
	LLVMValueRef low = LLVMBuildAnd(
		b, LLVMBuildPtrToInt(b, w->at, LLVMInt64TypeInContext(g->e.c), ""), lt_llvm_i64(g, size - 1), "");
	LLVMBasicBlockRef aligned = lt_llvm_block(g, "aligned"), other = lt_llvm_block(g, "other"), end = lt_llvm_block(g, "");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, low, lt_llvm_i64(g, 0), ""), aligned, other);
	LLVMPositionBuilderAtEnd(b, aligned);
	store_past_caches(g, v, w->at, size);
	LLVMBuildBr(b, end);
	LLVMPositionBuilderAtEnd(b, other);
	store(g, v, w->at, bytes);
	LLVMBuildBr(b, end);
	LLVMPositionBuilderAtEnd(b, end);
}

/* What is stored into one element by all lanes: the last that is on counts. */
static void store_last(struct gen *g, const struct where *w, LLVMValueRef v, LLVMValueRef mask, uint32_t bytes)
{
	LLVMValueRef last = LLVMConstInt(LLVMInt32TypeInContext(g->e.c), g->lanes - 1, 0);
	if (mask)
		store_masked(g, w, "llvm.masked.scatter", v, each(g, w), pointers(g), mask);
	else
		store(g, LLVMBuildExtractElement(g->e.b, v, last, ""), w->at, bytes);
}

static void store_beside(
	struct gen *g, const struct where *w, LLVMValueRef v, LLVMValueRef mask, bool stream, uint32_t bytes)
{
	if (mask && w->private && mask == g->active)
		mask = NULL;            /* nobody looks at the copies of lanes that are off in all the body */
	if (mask && w->own) {
		LLVMValueRef old = load(g, w, w->at, g->lanes, w->align);
		v = LLVMBuildSelect(g->e.b, mask, v, old, "");
		mask = NULL;
	}
	if (mask)
		store_masked(g, w, "llvm.masked.store", v, w->at, LLVMPointerTypeInContext(g->e.c, 0), mask);
	else if (stream && !w->own && bytes * g->lanes >= 16 && bytes * g->lanes <= 64)
		store_stream(g, w, v, bytes);
	else
		store(g, v, w->at, w->own ? w->align : bytes);
}

void lt_llvm_write(struct gen *g, const struct where *w, struct value value, LLVMValueRef mask, bool stream)
{
	uint32_t bytes = lt_llvm_bytes(w->dtype);
	bool one = w->at && (w->stride == 0 || g->lanes == 1);
	if (one && value.uniform) {
		store(g, lt_llvm_to_storage(&g->e, w->dtype, value.v, 1), w->at, bytes);
		return;
	}
	LLVMValueRef v = lt_llvm_to_storage(&g->e, w->dtype, lt_llvm_vector(g, value), g->lanes);
	if (one)
		store_last(g, w, v, mask, bytes);
	else if (w->at && w->stride == 1)
		store_beside(g, w, v, mask, stream, bytes);
	else if (w->at && w->stride == -1 && !mask)
		store(g, reverse(g, v), offset_by(g, w->at, -(int64_t)bytes * (g->lanes - 1)), bytes);
	else if (w->at && !mask)
		store_apart(g, w, v, bytes);
	else
		store_masked(g, w, "llvm.masked.scatter", v, each(g, w), pointers(g), mask);
}
