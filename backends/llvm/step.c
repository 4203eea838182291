/* step.c -- one instruction of a kernel program: blocks, variables, values. */
#include <llvm/Config/llvm-config.h>
#include "print.h"

static const struct lt_instruction *made_by(const struct printing *p, int32_t value)
{
	return &p->k->instructions[value];
}

static void block_go_to(struct printing *p, LLVMBasicBlockRef at)
{
	LLVMBuildBr(p->e.b, at);
	LLVMPositionBuilderAtEnd(p->e.b, at);
}

/* A loop's test stands behind its body, and once before it. */
static void print_loop(struct printing *p, int32_t i)
{
	const struct lt_instruction *x = &p->k->instructions[i];
	LLVMValueRef from = printing_operand(p, x, 0), to = printing_operand(p, x, 1);
	LLVMBasicBlockRef here = LLVMGetInsertBlock(p->e.b), head = lt_llvm_block(p, "loop"), next = lt_llvm_block(p, "");
	LLVMBuildCondBr(p->e.b, LLVMBuildICmp(p->e.b, LLVMIntSLT, from, to, ""), head, next);
	LLVMPositionBuilderAtEnd(p->e.b, head);
	p->value[i] = LLVMBuildPhi(p->e.b, LLVMInt64TypeInContext(p->e.c), "");
	LLVMAddIncoming(p->value[i], &from, &here, 1);
	p->open[p->n_open++] = (struct opened){ i, here, head, next, p->value[i] };
}

static void print_loop_end(struct printing *p, const struct opened *o)
{
	const struct lt_instruction *x = &p->k->instructions[o->at];
	LLVMBasicBlockRef here = LLVMGetInsertBlock(p->e.b);
	LLVMValueRef step = lt_llvm_i64(&p->e, x->number);
	LLVMValueRef more = x->number == 1 ? LLVMBuildNSWAdd(p->e.b, o->number, step, "")
		: LLVMBuildAdd(p->e.b, o->number, step, "");
	LLVMAddIncoming(o->number, &more, &here, 1);
	lt_llvm_addresses_end(p, o);
	LLVMBuildCondBr(p->e.b, LLVMBuildICmp(p->e.b, LLVMIntSLT, more, printing_operand(p, x, 1), ""), o->head, o->next);
	LLVMPositionBuilderAtEnd(p->e.b, o->next);
}

/* if: `next` is where its end or its else leads to. */
static void print_if(struct printing *p, int32_t i)
{
	LLVMBasicBlockRef yes = lt_llvm_block(p, "if"), next = lt_llvm_block(p, "");
	LLVMBuildCondBr(p->e.b, printing_operand(p, &p->k->instructions[i], 0), yes, next);
	LLVMPositionBuilderAtEnd(p->e.b, yes);
	p->open[p->n_open++] = (struct opened){ i, NULL, NULL, next, NULL };
}

static void print_else(struct printing *p)
{
	struct opened *o = &p->open[p->n_open - 1];
	LLVMBasicBlockRef other = o->next;
	o->next = lt_llvm_block(p, "");
	LLVMBuildBr(p->e.b, o->next);
	LLVMPositionBuilderAtEnd(p->e.b, other);
}

static void print_end(struct printing *p)
{
	const struct opened *o = &p->open[--p->n_open];
	if (o->number)
		print_loop_end(p, o);
	else
		block_go_to(p, o->next);
}

static LLVMValueRef lane_numbers(struct lt_llvm_emit *e, uint32_t dtype, uint32_t lanes)
{
	LLVMValueRef number[LT_MAX_LANES];
	for (uint32_t i = 0; i < lanes; i++)
		number[i] = lt_llvm_whole(e, dtype, i, 1);
	return lanes > 1 ? LLVMConstVector(number, lanes) : number[0];
}

/* Lane numbers have 32 bits, so the count is cut to as many lanes as there are. */
static LLVMValueRef print_below(struct printing *p, LLVMValueRef n, uint32_t lanes)
{
	struct lt_llvm_emit *e = &p->e;
	LLVMTypeRef i64 = LLVMInt64TypeInContext(e->c);
	n = lt_llvm_intrinsic(e, "llvm.smin", &i64, 1, (LLVMValueRef[]){ n, lt_llvm_i64(e, lanes) }, 2);
	n = lt_llvm_intrinsic(e, "llvm.smax", &i64, 1, (LLVMValueRef[]){ n, lt_llvm_i64(e, 0) }, 2);
	n = LLVMBuildTrunc(e->b, n, LLVMInt32TypeInContext(e->c), "");
	return LLVMBuildICmp(e->b, LLVMIntULT, lane_numbers(e, LT_I32, lanes), lt_llvm_splat(e, n, lanes), "");
}

static LLVMValueRef print_const(struct printing *p, const struct lt_instruction *x)
{
	LLVMValueRef bit[LT_MAX_LANES];
	if (x->dtype != LT_LANE_MASK || x->lanes == 1)
		return lt_llvm_immediate(&p->e, x->dtype, (uint64_t)x->number, x->lanes);
	for (uint32_t i = 0; i < x->lanes; i++)
		bit[i] = lt_llvm_immediate(&p->e, LT_LANE_MASK, (uint64_t)x->number >> i & 1, 1);
	return LLVMConstVector(bit, x->lanes);
}

static LLVMValueRef splat_mask(struct printing *p, LLVMValueRef bit, uint32_t lanes)
{
	LLVMTypeRef type = lt_llvm_type(&p->e, LT_LANE_MASK, lanes);
	return LLVMBuildSelect(p->e.b, bit, LLVMConstAllOnes(type), LLVMConstNull(type), "");
}

/* No number is below 0. */
bool lt_llvm_has_no_sign(uint32_t dtype)
{
	static const uint64_t types = 1u << LT_U8 | 1u << LT_U16 | 1u << LT_U32 | 1u << LT_U64 | 1u << LT_BOOL
		| UINT64_C(1) << LT_LANE_MASK;
	return types >> dtype & 1;
}

/* Comparisons: of floats, of integers, of those without a sign. */
static const struct { int real, whole, plain; } comparison[] = {
	[LT_OPCODE_eq] = { LLVMRealOEQ, LLVMIntEQ, LLVMIntEQ }, [LT_OPCODE_ne] = { LLVMRealUNE, LLVMIntNE, LLVMIntNE },
	[LT_OPCODE_less] = { LLVMRealOLT, LLVMIntSLT, LLVMIntULT },
	[LT_OPCODE_lessequal] = { LLVMRealOLE, LLVMIntSLE, LLVMIntULE },
	[LT_OPCODE_greater] = { LLVMRealOGT, LLVMIntSGT, LLVMIntUGT },
	[LT_OPCODE_greaterequal] = { LLVMRealOGE, LLVMIntSGE, LLVMIntUGE },
	[LT_OPCODE_lesser] = { LLVMRealOLT, LLVMIntSLT, LLVMIntULT },
	[LT_OPCODE_larger] = { LLVMRealOGT, LLVMIntSGT, LLVMIntUGT },
};

static LLVMValueRef print_compare(
	struct lt_llvm_emit *e, uint32_t opcode, uint32_t dtype, LLVMValueRef x, LLVMValueRef y)
{
	if (lt_llvm_is_real(dtype))
		return LLVMBuildFCmp(e->b, (LLVMRealPredicate)comparison[opcode].real, x, y, "");
	int how = lt_llvm_has_no_sign(dtype) ? comparison[opcode].plain : comparison[opcode].whole;
	return LLVMBuildICmp(e->b, (LLVMIntPredicate)how, x, y, "");
}

/* Instructions of LLVM: for floats and for the others. */
static const struct { int real, whole; } arithmetic[] = {
	[LT_OPCODE_add] = { LLVMFAdd, LLVMAdd }, [LT_OPCODE_sub] = { LLVMFSub, LLVMSub },
	[LT_OPCODE_mul] = { LLVMFMul, LLVMMul }, [LT_OPCODE_div] = { LLVMFDiv, 0 }, [LT_OPCODE_and] = { 0, LLVMAnd },
	[LT_OPCODE_or] = { 0, LLVMOr }, [LT_OPCODE_xor] = { 0, LLVMXor }, [LT_OPCODE_shift_left] = { 0, LLVMShl },
	[LT_OPCODE_shift_right] = { 0, LLVMLShr }, [LT_OPCODE_shift_signed] = { 0, LLVMAShr },
};

/* A product may be fused with the sum that it goes to: these two and no others.  LLVM 17 and earlier cannot be told so
 * by its C interface, but have an intrinsic for both; a product that has no other use is left out later. */
#if LLVM_VERSION_MAJOR >= 18
static LLVMValueRef print_fused(struct lt_llvm_emit *e, uint32_t opcode, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef r = LLVMBuildBinOp(e->b, (LLVMOpcode)arithmetic[opcode].real, x, y, "");
	if (LLVMIsAInstruction(r))
		LLVMSetFastMathFlags(r, LLVMFastMathAllowContract);
	return r;
}
#else
static bool is_product(LLVMValueRef v) { return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMFMul; }

static LLVMValueRef print_fused(struct lt_llvm_emit *e, uint32_t opcode, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef product = is_product(x) ? x : y;
	LLVMTypeRef type = LLVMTypeOf(x);
	if (opcode == LT_OPCODE_mul || !is_product(product))
		return LLVMBuildBinOp(e->b, (LLVMOpcode)arithmetic[opcode].real, x, y, "");
	return lt_llvm_intrinsic(e, "llvm.fmuladd", &type, 1,
		(LLVMValueRef[]){ LLVMGetOperand(product, 0), LLVMGetOperand(product, 1), product == x ? y : x }, 3);
}
#endif

/* An operator of two operands and a value of one type. */
static LLVMValueRef print_combine(
	struct lt_llvm_emit *e, uint32_t opcode, uint32_t dtype, LLVMValueRef x, LLVMValueRef y)
{
	if (opcode == LT_OPCODE_lesser || opcode == LT_OPCODE_larger)
		return LLVMBuildSelect(e->b, print_compare(e, opcode, dtype, x, y), x, y, "");
	bool real = lt_llvm_is_real(dtype);
	if (real && (opcode == LT_OPCODE_add || opcode == LT_OPCODE_mul))
		return print_fused(e, opcode, x, y);
	return LLVMBuildBinOp(e->b, (LLVMOpcode)(real ? arithmetic[opcode].real : arithmetic[opcode].whole), x, y, "");
}

/* The upper half onto the lower, until there is one. */
static LLVMValueRef print_fold(struct printing *p, const struct lt_instruction *x, LLVMValueRef v)
{
	uint32_t lanes = made_by(p, x->operand[0])->lanes;
	int64_t number[LT_MAX_LANES];
	for (uint32_t i = 0; i < lanes; i++)
		number[i] = i;
	for (uint32_t half = lanes / 2; half > 0; half /= 2) {
		LLVMValueRef low = lt_llvm_lanes(&p->e, v, NULL, number, half),
			     high = lt_llvm_lanes(&p->e, v, NULL, number + half, half);
		v = print_combine(&p->e, (uint32_t)x->what, x->dtype, low, high);
	}
	return v;
}

/* Of integers, towards zero.  Vectors of 32 bits have no division: the quotient of two f64 cannot round up to a whole
 * number, since it is at least 2^-32 of itself away from one that it is not. */
static LLVMValueRef print_quotient(struct printing *p, const struct lt_instruction *x, LLVMValueRef a, LLVMValueRef b)
{
	LLVMBuilderRef d = p->e.b;
	bool plain = lt_llvm_has_no_sign(x->dtype);
	if (lt_llvm_bytes(x->dtype) != 4 || x->lanes == 1 || LLVMIsConstant(b))
		return plain ? LLVMBuildUDiv(d, a, b, "") : LLVMBuildSDiv(d, a, b, "");
	LLVMTypeRef f64 = lt_llvm_type(&p->e, LT_F64, x->lanes);
	if (plain) {
		LLVMValueRef r = LLVMBuildFDiv(d, LLVMBuildUIToFP(d, a, f64, ""), LLVMBuildUIToFP(d, b, f64, ""), "");
		return LLVMBuildFPToUI(d, r, LLVMTypeOf(a), "");
	}
	LLVMValueRef q = LLVMBuildFDiv(d, LLVMBuildSIToFP(d, a, f64, ""), LLVMBuildSIToFP(d, b, f64, ""), "");
	return LLVMBuildFPToSI(d, q, LLVMTypeOf(a), "");
}

/* A cast as C does it. */
static LLVMValueRef print_convert(struct lt_llvm_emit *e, uint32_t from, uint32_t to, LLVMValueRef v, LLVMTypeRef type)
{
	bool real = lt_llvm_is_real(from), no_sign = lt_llvm_has_no_sign(from);
	if (lt_llvm_is_real(to) && real)
		return to == LT_F64 ? LLVMBuildFPExt(e->b, v, type, "") : LLVMBuildFPTrunc(e->b, v, type, "");
	if (lt_llvm_is_real(to))
		return no_sign ? LLVMBuildUIToFP(e->b, v, type, "") : LLVMBuildSIToFP(e->b, v, type, "");
	if (real)
		return lt_llvm_has_no_sign(to) ? LLVMBuildFPToUI(e->b, v, type, "") : LLVMBuildFPToSI(e->b, v, type, "");
	if (lt_llvm_bytes(to) <= lt_llvm_bytes(from))
		return LLVMBuildTrunc(e->b, v, type, "");
	return no_sign ? LLVMBuildZExt(e->b, v, type, "") : LLVMBuildSExt(e->b, v, type, "");
}

static LLVMValueRef print_function(struct printing *p, const struct lt_instruction *x)
{
	LLVMValueRef in[2] = { printing_operand(p, x, 0), printing_operand(p, x, 1) };
	if (x->opcode == LT_OPCODE_each)
		return lt_llvm_each(&p->e, (uint32_t)x->what, x->dtype, in, x->lanes);
	return lt_llvm_function(&p->e, x->opcode, x->dtype, in, x->lanes);
}

static LLVMValueRef load_variable(struct printing *p, int32_t variable)
{
	const struct lt_variable *v = &p->k->variables[variable];
	return LLVMBuildLoad2(p->e.b, lt_llvm_type(&p->e, v->dtype, v->lanes), p->variable[variable], "");
}

static void print_update(struct printing *p, const struct lt_instruction *x)
{
	const struct lt_variable *v = &p->k->variables[x->what];
	LLVMValueRef old = load_variable(p, x->what), more = printing_operand(p, x, 0);
	LLVMBuildStore(p->e.b, print_combine(&p->e, (uint32_t)x->number, v->dtype, old, more), p->variable[x->what]);
}

/* What an instruction's value is. */
static LLVMValueRef print_value(struct printing *p, const struct lt_instruction *x)
{
	LLVMBuilderRef b = p->e.b;
	LLVMTypeRef type = lt_llvm_type(&p->e, x->dtype, x->lanes);
	LLVMValueRef a = printing_operand(p, x, 0), c = printing_operand(p, x, 1);
	switch (x->opcode) {
	case LT_OPCODE_const: return print_const(p, x);
	case LT_OPCODE_param: return p->param[x->what];
	case LT_OPCODE_argument: return p->argument[x->what];
	case LT_OPCODE_first: return p->first;
	case LT_OPCODE_last: return p->last;
	case LT_OPCODE_splat:
		return x->dtype == LT_LANE_MASK ? splat_mask(p, a, x->lanes) : lt_llvm_splat(&p->e, a, x->lanes);
	case LT_OPCODE_lane: return lane_numbers(&p->e, x->dtype, x->lanes);
	case LT_OPCODE_below: return print_below(p, a, x->lanes);
	case LT_OPCODE_shuffle: return lt_llvm_lanes(&p->e, a, c, p->k->extras + x->first_extra, (uint32_t)x->n_extra);
	case LT_OPCODE_fold: return print_fold(p, x, a);
	case LT_OPCODE_any: return lt_llvm_any(p, a, made_by(p, x->operand[0])->lanes);
	case LT_OPCODE_all: return lt_llvm_all(p, a, made_by(p, x->operand[0])->lanes);
	case LT_OPCODE_flag: return LLVMBuildZExt(b, a, type, "");
	case LT_OPCODE_test: return LLVMBuildICmp(b, LLVMIntNE, a, LLVMConstNull(LLVMTypeOf(a)), "");
	case LT_OPCODE_bits: return LLVMBuildBitCast(b, a, type, "");
	case LT_OPCODE_quotient: return print_quotient(p, x, a, c);
	case LT_OPCODE_remainder:
		return lt_llvm_is_real(x->dtype) ? print_function(p, x)
			: LLVMBuildSub(b, a, LLVMBuildMul(b, print_quotient(p, x, a, c), c, ""), "");
	case LT_OPCODE_copy: return a;
	case LT_OPCODE_select: return LLVMBuildSelect(b, a, c, printing_operand(p, x, 2), "");
	case LT_OPCODE_eq:
	case LT_OPCODE_ne:
	case LT_OPCODE_less:
	case LT_OPCODE_lessequal:
	case LT_OPCODE_greater:
	case LT_OPCODE_greaterequal: return print_compare(&p->e, x->opcode, made_by(p, x->operand[0])->dtype, a, c);
	case LT_OPCODE_add:
	case LT_OPCODE_sub:
	case LT_OPCODE_mul:
	case LT_OPCODE_div:
	case LT_OPCODE_and:
	case LT_OPCODE_or:
	case LT_OPCODE_xor:
	case LT_OPCODE_lesser:
	case LT_OPCODE_larger:
	case LT_OPCODE_shift_left:
	case LT_OPCODE_shift_right:
	case LT_OPCODE_shift_signed: return print_combine(&p->e, x->opcode, x->dtype, a, c);
	case LT_OPCODE_neg: return LLVMBuildFNeg(b, a, "");
	case LT_OPCODE_not: return LLVMBuildNot(b, a, "");
	case LT_OPCODE_convert: return print_convert(&p->e, made_by(p, x->operand[0])->dtype, x->dtype, a, type);
	case LT_OPCODE_dot:
		return lt_llvm_dot(&p->e, made_by(p, x->operand[0])->dtype,
			(LLVMValueRef[]){ a, c, printing_operand(p, x, 2) }, x->lanes);
	case LT_OPCODE_load: return lt_llvm_print_load(p, x);
	case LT_OPCODE_get: return load_variable(p, x->what);
	default: return print_function(p, x);
	}
}

void lt_llvm_print_step(struct printing *p, int32_t i)
{
	const struct lt_instruction *x = &p->k->instructions[i];
	switch (x->opcode) {
	case LT_OPCODE_store: lt_llvm_print_store(p, x); break;
	case LT_OPCODE_prefetch: lt_llvm_print_prefetch(p, x); break;
	case LT_OPCODE_fault: lt_llvm_print_fault(p, x); break;
	case LT_OPCODE_set: LLVMBuildStore(p->e.b, printing_operand(p, x, 0), p->variable[x->what]); break;
	case LT_OPCODE_update: print_update(p, x); break;
	case LT_OPCODE_array:
	case LT_OPCODE_variable: break;         /* they begin with the function: what they hold is not said */
	case LT_OPCODE_loop: print_loop(p, i); break;
	case LT_OPCODE_if: print_if(p, i); break;
	case LT_OPCODE_else: print_else(p); break;
	case LT_OPCODE_end: print_end(p); break;
	case LT_OPCODE_launch: lt_llvm_print_launch(p, x); break;
	default: p->value[i] = print_value(p, x); break;
	}
}
