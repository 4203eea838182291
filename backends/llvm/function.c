/* function.c -- operators that LLVM or the C library has: of one lane, of vectors.
 *
 * Of one lane a function is libm's.  Of vectors it is libmvec's, a register at a time, where that is there; all else is
 * made of simpler operators before (lt_kernel_expand).
 */
#include <stdio.h>
#include <string.h>
#include "emit.h"

enum { F32 = 1 << LT_F32, F64 = 1 << LT_F64, F16 = 1 << LT_F16, I32 = 1 << LT_I32, FLOATS = F32 | F64 };

/* name: of libm, without its f; intrinsic: of LLVM; vectors: types for which libmvec has it, since which glibc. */
static const struct llvm_function { uint16_t opcode, n, vectors; int since; const char *name, *intrinsic;
} functions[] = {
	{ LT_OPCODE_exp, 1, F64, 222, "exp", NULL }, { LT_OPCODE_log, 1, F64, 222, "log", NULL },
	{ LT_OPCODE_tanh, 1, F64, 235, "tanh", NULL }, { LT_OPCODE_erf, 1, F64, 235, "erf", NULL },
	{ LT_OPCODE_sin, 1, FLOATS, 222, "sin", NULL }, { LT_OPCODE_cos, 1, FLOATS, 222, "cos", NULL },
	{ LT_OPCODE_pow, 2, FLOATS, 222, "pow", NULL }, { LT_OPCODE_remainder, 2, 0, 0, "fmod", NULL },
	{ LT_OPCODE_sqrt, 1, 0, 0, NULL, "llvm.sqrt" }, { LT_OPCODE_abs, 1, 0, 0, NULL, "llvm.fabs" },
	{ LT_OPCODE_floor, 1, 0, 0, NULL, "llvm.floor" }, { LT_OPCODE_ceil, 1, 0, 0, NULL, "llvm.ceil" },
	{ LT_OPCODE_round, 1, 0, 0, NULL, "llvm.rint" },
};
enum { N_FUNCTION = sizeof functions / sizeof *functions };

static bool is_rounding(uint32_t opcode)
{
	return opcode == LT_OPCODE_floor || opcode == LT_OPCODE_ceil || opcode == LT_OPCODE_round;
}

uint32_t lt_llvm_operators(const struct lt_llvm_machine *m, struct lt_machine_operator rows[LT_LLVM_OPERATORS])
{
	uint32_t n = 0;
	for (int i = 0; i < N_FUNCTION; i++) {
		const struct llvm_function *f = &functions[i];
		bool many = f->name ? m->vector_library >= f->since : m->rounds || !is_rounding(f->opcode);
		rows[n++] = (struct lt_machine_operator){ f->opcode, FLOATS,
			(uint16_t)(!many ? 0 : f->name ? f->vectors : FLOATS), 0 };
	}
	if (m->halves) {
		rows[n++] = (struct lt_machine_operator){ LT_OPCODE_cast, F32, F32, F16 };
		rows[n++] = (struct lt_machine_operator){ LT_OPCODE_cast, F16, F16, F32 };
	}
	if (m->dots)
		rows[n++] = (struct lt_machine_operator){ LT_OPCODE_dot, I32, I32, 0 };
	if (m->scales)
		rows[n++] = (struct lt_machine_operator){ LT_OPCODE_scale, 0, F32, 0 };
	return n;
}

static const struct llvm_function *function_find(uint32_t opcode)
{
	int i = 0;
	while (i + 1 < N_FUNCTION && functions[i].opcode != opcode)
		i++;
	return &functions[i];
}

/* A function without side effects. */
static LLVMValueRef declare_function(
	struct lt_llvm_emit *e, const char *name, LLVMTypeRef type, unsigned n, LLVMTypeRef *function)
{
	static const char *const facts[] = { "nounwind", "willreturn", "memory" };
	LLVMTypeRef in[2] = { type, type };
	LLVMValueRef f = LLVMGetNamedFunction(e->m, name);
	*function = LLVMFunctionType(type, in, n, 0);
	if (f)
		return f;
	f = LLVMAddFunction(e->m, name, *function);
	for (unsigned i = 0; i < sizeof facts / sizeof *facts; i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(facts[i], strlen(facts[i]));
		if (kind)               /* LLVM 15 has no `memory` */
			LLVMAddAttributeAtIndex(
				f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->c, kind, 0));
	}
	return f;
}

static LLVMValueRef one_lane(struct lt_llvm_emit *e, LLVMValueRef v, uint32_t l)
{
	return LLVMBuildExtractElement(e->b, v, lt_llvm_i32(e, l), "");
}

LLVMValueRef lt_llvm_each(
	struct lt_llvm_emit *e, uint32_t opcode, uint32_t dtype, LLVMValueRef const *in, uint32_t lanes)
{
	uint32_t n = function_find(opcode)->n;
	LLVMValueRef r = LLVMGetPoison(lt_llvm_type(e, dtype, lanes)), args[2] = { in[0], in[1] };
	if (lanes == 1)
		return lt_llvm_function(e, opcode, dtype, in, 1);
	for (uint32_t l = 0; l < lanes; l++) {
		for (uint32_t k = 0; k < n; k++)
			args[k] = one_lane(e, in[k], l);
		LLVMValueRef one = lt_llvm_function(e, opcode, dtype, args, 1);
		r = LLVMBuildInsertElement(e->b, r, one, lt_llvm_i32(e, l), "");
	}
	return r;
}

/* Lanes beyond its end repeat its last, since what stands there by chance may take longer. */
LLVMValueRef lt_llvm_cut(struct lt_llvm_emit *e, LLVMValueRef v, uint32_t lanes, uint32_t first, uint32_t n)
{
	int64_t at[LT_MAX_LANES];
	for (uint32_t i = 0; i < n; i++)
		at[i] = first + i < lanes ? first + i : lanes - 1;
	return lt_llvm_lanes(e, v, NULL, at, n);
}

LLVMValueRef lt_llvm_paste(
	struct lt_llvm_emit *e, LLVMValueRef r, LLVMValueRef part, uint32_t n, uint32_t first, uint32_t lanes)
{
	int64_t at[LT_MAX_LANES] = { 0 };
	if (n == lanes)
		return part;
	for (uint32_t i = 0; i < lanes; i++)
		at[i] = i >= first && i < first + n ? i - first : 0;
	LLVMValueRef wide = lt_llvm_lanes(e, part, NULL, at, lanes);
	for (uint32_t i = 0; i < lanes; i++)
		at[i] = i >= first && i < first + n ? lanes + i : i;
	return first == 0 ? wide : lt_llvm_lanes(e, r, wide, at, lanes);
}

/* Lanes of one call: a register of the machine, or a smaller one if that is enough. */
static uint32_t register_bytes(const struct lt_llvm_emit *e, uint32_t bytes)
{
	uint32_t size = 16;
	while (size < e->vector_bytes && size < 64 && size < bytes)
		size *= 2;
	return size;
}

/* The names of libmvec's functions tell their registers: b 16 bytes, d 32 (AVX2), e 64 (AVX-512). */
static LLVMValueRef by_registers(
	struct lt_llvm_emit *e, const struct llvm_function *f, uint32_t dtype, LLVMValueRef const *in, uint32_t lanes)
{
	uint32_t size = lt_llvm_bytes(dtype), bytes = register_bytes(e, lanes * size), n = bytes / size;
	LLVMValueRef r = LLVMGetPoison(lt_llvm_type(e, dtype, lanes)), args[2] = { NULL, NULL };
	LLVMTypeRef type;
	char symbol[48];
	(void)snprintf(symbol, sizeof symbol, "_ZGV%cN%u%s_%s%s", bytes == 64 ? 'e' : bytes == 32 ? 'd' : 'b', (unsigned)n,
		f->n > 1 ? "vv" : "v", f->name, dtype == LT_F32 ? "f" : "");
	LLVMValueRef called = declare_function(e, symbol, lt_llvm_type(e, dtype, n), f->n, &type);
	for (uint32_t l = 0; l < lanes; l += n) {
		for (unsigned k = 0; k < f->n; k++)
			args[k] = lt_llvm_cut(e, in[k], lanes, l, n);
		r = lt_llvm_paste(e, r, LLVMBuildCall2(e->b, type, called, args, f->n, ""), n, l, lanes);
	}
	return r;
}

/* AVX-512's instruction: x times 2 to the power of y.  The last operand says: round to nearest. */
static LLVMValueRef scale_registers(struct lt_llvm_emit *e, LLVMValueRef x, LLVMValueRef y, uint32_t lanes)
{
	static const char name[] = "llvm.x86.avx512.mask.scalef.ps.512";
	unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
	LLVMTypeRef type = LLVMIntrinsicGetType(e->c, id, NULL, 0);
	LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->m, id, NULL, 0), r = LLVMGetPoison(lt_llvm_type(e, LT_F32, lanes));
	LLVMValueRef all = LLVMConstAllOnes(LLVMInt16TypeInContext(e->c));
	for (uint32_t l = 0; l < lanes; l += 16) {
		LLVMValueRef from = lt_llvm_cut(e, x, lanes, l, 16);
		LLVMValueRef in[5] = { from, lt_llvm_cut(e, y, lanes, l, 16), from, all, lt_llvm_i32(e, 4) };
		r = lt_llvm_paste(e, r, LLVMBuildCall2(e->b, type, f, in, 5, ""), 16, l, lanes);
	}
	return r;
}

/* Between f16, which are integers here, and f32.  The fence keeps LLVM from computing in halves what was asked for in
 * f32: no machine here does, and it would fall into scalars. */
static LLVMValueRef cast_half(struct lt_llvm_emit *e, uint32_t to, LLVMValueRef v, uint32_t lanes)
{
	LLVMTypeRef one = LLVMHalfTypeInContext(e->c), half = lanes > 1 ? LLVMVectorType(one, lanes) : one,
		    type = lt_llvm_type(e, to, lanes), from = LLVMTypeOf(v);
	if (to == LT_F32)
		v = LLVMBuildFPExt(e->b, LLVMBuildBitCast(e->b, v, half, ""), type, "");
	else
		v = lt_llvm_intrinsic(e, "llvm.arithmetic.fence", &from, 1, &v, 1);
	return to == LT_F32 ? lt_llvm_intrinsic(e, "llvm.arithmetic.fence", &type, 1, &v, 1)
		: LLVMBuildBitCast(e->b, LLVMBuildFPTrunc(e->b, v, half, ""), type, "");
}

LLVMValueRef lt_llvm_function(
	struct lt_llvm_emit *e, uint32_t opcode, uint32_t dtype, LLVMValueRef const *in, uint32_t lanes)
{
	const struct llvm_function *f = function_find(opcode);
	LLVMTypeRef type = lt_llvm_type(e, dtype, lanes), called;
	LLVMValueRef args[2] = { in[0], in[1] };
	char symbol[32];
	if (opcode == LT_OPCODE_cast)
		return cast_half(e, dtype, in[0], lanes);
	if (opcode == LT_OPCODE_scale)
		return scale_registers(e, in[0], in[1], lanes);
	if (f->intrinsic)
		return lt_llvm_intrinsic(e, f->intrinsic, &type, 1, in, 1);
	if (lanes > 1)
		return by_registers(e, f, dtype, in, lanes);
	(void)snprintf(symbol, sizeof symbol, "%s%s", f->name, dtype == LT_F32 ? "f" : "");
	LLVMValueRef function = declare_function(e, symbol, type, f->n, &called);
	return LLVMBuildCall2(e->b, called, function, args, f->n, "");
}
