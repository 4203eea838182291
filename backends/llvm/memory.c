/* memory.c -- loads and stores of all forms, prefetches, faults.
 *
 * Lanes side by side are one vector, at another distance they are loaded one by one; what has an index of its own for
 * each lane, or a mask and a distance, is a gather or a scatter.
 */
#include "print.h"

/* Where an access goes. */
struct where {
	LLVMTypeRef element, type;      /* of a lane, of all */
	LLVMValueRef at, index, mask;   /* at: of lane 0; index, mask: NULL: none */
	uint32_t lanes, bytes;
	int64_t stride;
};

static LLVMValueRef element_at(struct printing *p, const struct where *w, LLVMValueRef from, LLVMValueRef by)
{
	return LLVMBuildGEP2(p->e.b, w->element, from, &by, 1, "");
}

static struct where memory_find(struct printing *p, const struct lt_instruction *x, uint32_t lanes)
{
	uint32_t dtype = p->k->buffers[x->what].dtype;
	struct where w = { lt_llvm_type(&p->e, dtype, 1), lt_llvm_type(&p->e, dtype, lanes), p->base[x->what],
		printing_operand(p, x, 1), printing_operand(p, x, 2), lanes, lt_llvm_bytes(dtype), x->stride };
	w.at = lt_llvm_address(p, w.at, x->operand[0], x->number, w.bytes);
	if (w.index && lanes == 1) {
		w.at = element_at(p, &w, w.at, w.index);
		w.index = NULL;
	}
	return w;
}

/* The address of each lane. */
static LLVMValueRef each_address(struct printing *p, const struct where *w)
{
	LLVMValueRef step[LT_MAX_LANES];
	for (uint32_t i = 0; i < w->lanes && !w->index; i++)
		step[i] = lt_llvm_i64(&p->e, (int64_t)((uint64_t)w->stride * i));
	return element_at(p, w, w->at, w->index ? w->index : LLVMConstVector(step, w->lanes));
}

static LLVMValueRef lane_address(struct printing *p, const struct where *w, uint32_t lane)
{
	return element_at(p, w, w->at, lt_llvm_i64(&p->e, (int64_t)((uint64_t)w->stride * lane)));
}

static LLVMValueRef load_aligned(struct printing *p, LLVMTypeRef type, LLVMValueRef at, uint32_t align)
{
	LLVMValueRef v = LLVMBuildLoad2(p->e.b, type, at, "");
	LLVMSetAlignment(v, align);
	return v;
}

static void store_aligned(struct printing *p, LLVMValueRef v, LLVMValueRef at, uint32_t align)
{
	LLVMSetAlignment(LLVMBuildStore(p->e.b, v, at), align);
}

static LLVMValueRef reverse_lanes(struct printing *p, LLVMValueRef v, uint32_t lanes)
{
	int64_t from[LT_MAX_LANES];
	for (uint32_t i = 0; i < lanes; i++)
		from[i] = lanes - 1 - i;
	return lt_llvm_lanes(&p->e, v, NULL, from, lanes);
}

static LLVMValueRef load_lanes(struct printing *p, const struct where *w)
{
	LLVMValueRef v = LLVMGetPoison(w->type);
	for (uint32_t i = 0; i < w->lanes; i++)
		v = LLVMBuildInsertElement(
			p->e.b, v, load_aligned(p, w->element, lane_address(p, w, i), w->bytes), lt_llvm_i32(&p->e, i), "");
	return v;
}

/* llvm.masked.load, from one address, or gather, from many. */
static LLVMValueRef load_masked(struct printing *p, const struct where *w, bool many)
{
	LLVMValueRef all = LLVMConstAllOnes(lt_llvm_type(&p->e, LT_LANE_MASK, w->lanes));
	LLVMValueRef at = many ? each_address(p, w) : w->at;
	LLVMValueRef in[4] = { at, lt_llvm_i32(&p->e, w->bytes), w->mask ? w->mask : all, LLVMConstNull(w->type) };
	LLVMTypeRef types[2] = { w->type, LLVMTypeOf(at) };
	return lt_llvm_intrinsic(&p->e, many ? "llvm.masked.gather" : "llvm.masked.load", types, 2, in, 4);
}

static void store_masked(struct printing *p, const struct where *w, LLVMValueRef v, bool many)
{
	LLVMValueRef all = LLVMConstAllOnes(lt_llvm_type(&p->e, LT_LANE_MASK, w->lanes));
	LLVMValueRef at = many ? each_address(p, w) : w->at;
	LLVMValueRef in[4] = { v, at, lt_llvm_i32(&p->e, w->bytes), w->mask ? w->mask : all };
	LLVMTypeRef types[2] = { w->type, LLVMTypeOf(at) };
	(void)lt_llvm_intrinsic(&p->e, many ? "llvm.masked.scatter" : "llvm.masked.store", types, 2, in, 4);
}

/* One lane behind a branch: what it gives is 0 where it is off. */
struct guarded { LLVMBasicBlockRef before, end; };

static struct guarded begin_guarded(struct printing *p, LLVMValueRef mask)
{
	struct guarded g = { LLVMGetInsertBlock(p->e.b), lt_llvm_block(p, "") };
	LLVMBasicBlockRef on = lt_llvm_block(p, "on");
	LLVMBuildCondBr(p->e.b, mask, on, g.end);
	LLVMPositionBuilderAtEnd(p->e.b, on);
	return g;
}

static LLVMValueRef end_guarded(struct printing *p, const struct guarded *g, LLVMValueRef v)
{
	LLVMBasicBlockRef on = LLVMGetInsertBlock(p->e.b);
	LLVMBuildBr(p->e.b, g->end);
	LLVMPositionBuilderAtEnd(p->e.b, g->end);
	if (!v)
		return NULL;
	LLVMValueRef phi = LLVMBuildPhi(p->e.b, LLVMTypeOf(v), ""), in[2] = { v, LLVMConstNull(LLVMTypeOf(v)) };
	LLVMAddIncoming(phi, in, (LLVMBasicBlockRef[]){ on, g->before }, 2);
	return phi;
}

LLVMValueRef lt_llvm_print_load(struct printing *p, const struct lt_instruction *x)
{
	struct where w = memory_find(p, x, x->lanes);
	if (w.lanes == 1 && w.mask) {
		struct guarded g = begin_guarded(p, w.mask);
		return end_guarded(p, &g, load_aligned(p, w.type, w.at, w.bytes));
	}
	if (w.index || (w.mask && w.stride != 1))
		return load_masked(p, &w, true);
	if (w.mask)
		return load_masked(p, &w, false);
	if (w.lanes == 1 || w.stride == 1)
		return load_aligned(p, w.type, w.at, w.bytes);
	if (w.stride == 0)
		return lt_llvm_splat(&p->e, load_aligned(p, w.element, w.at, w.bytes), w.lanes);
	if (w.stride == -1)
		return reverse_lanes(p, load_aligned(p, w.type, lane_address(p, &w, w.lanes - 1), w.bytes), w.lanes);
	return load_lanes(p, &w);
}

static void store_past_caches(struct printing *p, LLVMValueRef v, LLVMValueRef at, uint32_t align)
{
	LLVMMetadataRef one = LLVMValueAsMetadata(lt_llvm_i32(&p->e, 1));
	LLVMValueRef s = LLVMBuildStore(p->e.b, v, at);
	LLVMSetAlignment(s, align);
	LLVMSetMetadata(s, LLVMGetMDKindIDInContext(p->e.c, "nontemporal", 11),
		LLVMMetadataAsValue(p->e.c, LLVMMDNodeInContext2(p->e.c, &one, 1)));
}

/* A whole vector past the caches, if it turns out to be aligned: only then are there instructions for that. */
static void store_stream(struct printing *p, const struct where *w, LLVMValueRef v)
{
	LLVMBuilderRef b = p->e.b;
	uint32_t size = w->bytes * w->lanes;
	LLVMValueRef low = LLVMBuildAnd(
		b, LLVMBuildPtrToInt(b, w->at, LLVMInt64TypeInContext(p->e.c), ""), lt_llvm_i64(&p->e, size - 1), "");
	LLVMBasicBlockRef aligned = lt_llvm_block(p, "aligned"), other = lt_llvm_block(p, "other"), end = lt_llvm_block(p, "");
	p->streams = true;
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, low, lt_llvm_i64(&p->e, 0), ""), aligned, other);
	LLVMPositionBuilderAtEnd(b, aligned);
	store_past_caches(p, v, w->at, size);
	LLVMBuildBr(b, end);
	LLVMPositionBuilderAtEnd(b, other);
	store_aligned(p, v, w->at, w->bytes);
	LLVMBuildBr(b, end);
	LLVMPositionBuilderAtEnd(b, end);
}

static void store_lanes(struct printing *p, const struct where *w, LLVMValueRef v)
{
	for (uint32_t i = 0; i < w->lanes; i++)
		store_aligned(p, LLVMBuildExtractElement(p->e.b, v, lt_llvm_i32(&p->e, i), ""), lane_address(p, w, i), w->bytes);
}

static bool has_stream(const struct where *w)
{
	uint32_t size = w->bytes * w->lanes;
	return size == 16 || size == 32 || size == 64;
}

void lt_llvm_print_store(struct printing *p, const struct lt_instruction *x)
{
	LLVMValueRef v = printing_operand(p, x, 3);
	struct where w = memory_find(p, x, p->k->instructions[x->operand[3]].lanes);
	if (w.lanes == 1 && w.mask) {
		struct guarded g = begin_guarded(p, w.mask);
		store_aligned(p, v, w.at, w.bytes);
		(void)end_guarded(p, &g, NULL);
	} else if (w.index || (w.mask && w.stride != 1)) {
		store_masked(p, &w, v, true);
	} else if (w.mask) {
		store_masked(p, &w, v, false);
	} else if (w.lanes > 1 && w.stride == 1 && x->flags & LT_INSTRUCTION_STREAM && has_stream(&w)) {
		store_stream(p, &w, v);
	} else if (w.lanes == 1 || w.stride == 1) {
		store_aligned(p, v, w.at, w.bytes);
	} else if (w.stride == -1) {
		store_aligned(p, reverse_lanes(p, v, w.lanes), lane_address(p, &w, w.lanes - 1), w.bytes);
	} else {
		store_lanes(p, &w, v);
	}
}

/* A hint: of many addresses, that of the first lane. */
void lt_llvm_print_prefetch(struct printing *p, const struct lt_instruction *x)
{
	LLVMValueRef index = printing_operand(p, x, 1);
	uint32_t lanes = x->operand[1] < 0 ? 1 : p->k->instructions[x->operand[1]].lanes;
	struct where w = memory_find(p, x, lanes);
	if (lanes > 1)
		w.at = element_at(p, &w, w.at, LLVMBuildExtractElement(p->e.b, index, lt_llvm_i32(&p->e, 0), ""));
	LLVMTypeRef ptr = LLVMPointerTypeInContext(p->e.c, 0);
	LLVMValueRef in[4] = { w.at, lt_llvm_i32(&p->e, 0), lt_llvm_i32(&p->e, 3), lt_llvm_i32(&p->e, 1) };
	(void)lt_llvm_intrinsic(&p->e, "llvm.prefetch", &ptr, 1, in, 4);
}

/* void out_of_range(struct lt_fault *, i64 count, i32 stmt, i32 access, i64 value), made when it is first needed. */
static LLVMValueRef out_of_range(struct printing *p, LLVMTypeRef *type)
{
	LLVMContextRef c = p->e.c;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(c), i64 = LLVMInt64TypeInContext(c), i8 = LLVMInt8TypeInContext(c);
	LLVMTypeRef parameters[5] = { LLVMPointerTypeInContext(c, 0), i64, i32, i32, i64 };
	*type = LLVMFunctionType(LLVMVoidTypeInContext(c), parameters, 5, 0);
	LLVMValueRef f = LLVMGetNamedFunction(p->e.m, "out_of_range");
	if (f)
		return f;
	f = LLVMAddFunction(p->e.m, "out_of_range", *type);
	LLVMSetLinkage(f, LLVMInternalLinkage);
	lt_llvm_attribute(p, f, 0, "noinline", 0);
	lt_llvm_attribute(p, f, 0, "cold", 0);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(c, f, "entry"),
			  first = LLVMAppendBasicBlockInContext(c, f, "first"),
			  end = LLVMAppendBasicBlockInContext(c, f, "end");
	LLVMPositionBuilderAtEnd(b, entry);
	LLVMValueRef before = LLVMBuildAtomicRMW(b, LLVMAtomicRMWBinOpAdd, LLVMGetParam(f, 0), LLVMGetParam(f, 1),
		LLVMAtomicOrderingMonotonic, 0);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, before, LLVMConstNull(i64), ""), first, end);
	LLVMPositionBuilderAtEnd(b, first);
	static const size_t members[3] = { offsetof(struct lt_fault, stmt), offsetof(struct lt_fault, access),
		offsetof(struct lt_fault, value) };
	for (unsigned i = 0; i < 3; i++) {
		LLVMValueRef by = LLVMConstInt(i64, members[i], 0);
		LLVMBuildStore(b, LLVMGetParam(f, 2 + i), LLVMBuildGEP2(b, i8, LLVMGetParam(f, 0), &by, 1, ""));
	}
	LLVMBuildBr(b, end);
	LLVMPositionBuilderAtEnd(b, end);
	LLVMBuildRetVoid(b);
	LLVMDisposeBuilder(b);
	return f;
}

/* How many lanes are bad, and the value in the first of them. */
static void count_lanes(struct printing *p, LLVMValueRef bad, uint32_t lanes, LLVMValueRef *count, LLVMValueRef *value)
{
	LLVMBuilderRef b = p->e.b;
	LLVMTypeRef i64 = LLVMInt64TypeInContext(p->e.c);
	LLVMValueRef all = LLVMBuildBitCast(b, bad, LLVMIntTypeInContext(p->e.c, lanes), "");
	all = lanes < 64 ? LLVMBuildZExt(b, all, i64, "") : all;
	LLVMValueRef in[2] = { all, lt_llvm_immediate(&p->e, LT_LANE_MASK, 0, 1) };
	*count = lt_llvm_intrinsic(&p->e, "llvm.ctpop", &i64, 1, in, 1);
	*value = LLVMBuildExtractElement(b, *value, lt_llvm_intrinsic(&p->e, "llvm.cttz", &i64, 1, in, 2), "");
}

void lt_llvm_print_fault(struct printing *p, const struct lt_instruction *x)
{
	uint32_t lanes = p->k->instructions[x->operand[0]].lanes;
	LLVMValueRef bad = printing_operand(p, x, 0), value = printing_operand(p, x, 1), count = lt_llvm_i64(&p->e, 1);
	struct guarded g = begin_guarded(p, lt_llvm_any(p, bad, lanes));
	if (lanes > 1)
		count_lanes(p, bad, lanes, &count, &value);
	LLVMTypeRef type;
	LLVMValueRef f = out_of_range(p, &type);
	LLVMValueRef in[5] = { p->fault, count, lt_llvm_i32(&p->e, (uint32_t)x->origin), lt_llvm_i32(&p->e, (uint32_t)x->what),
		value };
	(void)LLVMBuildCall2(p->e.b, type, f, in, 5, "");
	(void)end_guarded(p, &g, NULL);
}
