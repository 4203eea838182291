/* dot.c -- sums of four products of bytes, by the instructions of x86: exact for all bytes.
 *
 * VNNI multiplies bytes of which the first have no sign and the second one: x of i8 with its sign turned is 128 more,
 * so that 128 times the sum of y is taken away again; of u8 the second operand is x less 128, and that much is added.
 * What is corrected by depends on y alone, and leaves a loop that y does not change in.  Others multiply words: the
 * even bytes of both, then the odd ones.
 */
#include "emit.h"

enum { LANES_512 = 16, LANES_256 = 8, LANES_128 = 4 };

static LLVMTypeRef vector_of(struct lt_llvm_emit *e, unsigned bits, uint32_t bytes)
{
	return LLVMVectorType(LLVMIntTypeInContext(e->c, bits), bytes * 8 / bits);
}

static LLVMValueRef all_of(struct lt_llvm_emit *e, unsigned bits, uint32_t bytes, uint64_t number)
{
	return lt_llvm_splat(e, LLVMConstInt(LLVMIntTypeInContext(e->c, bits), number, 0), bytes * 8 / bits);
}

/* z and the products of u, bytes without a sign, and s, bytes with one. */
static LLVMValueRef by_four(struct lt_llvm_emit *e, LLVMValueRef z, LLVMValueRef u, LLVMValueRef s, uint32_t lanes)
{
	const char *name = lanes == LANES_512 ? "llvm.x86.avx512.vpdpbusd.512"
		: lanes == LANES_256 ? "llvm.x86.avx512.vpdpbusd.256" : "llvm.x86.avx512.vpdpbusd.128";
	LLVMTypeRef words = vector_of(e, 32, 4 * lanes);
	LLVMValueRef in[3] = { z, LLVMBuildBitCast(e->b, u, words, ""), LLVMBuildBitCast(e->b, s, words, "") };
	return lt_llvm_intrinsic(e, name, NULL, 0, in, 3);
}

static LLVMValueRef dot_vnni(
	struct lt_llvm_emit *e, bool sign, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z, uint32_t lanes)
{
	LLVMValueRef none = LLVMConstNull(vector_of(e, 32, 4 * lanes)), turn = all_of(e, 8, 4 * lanes, 0x80);
	LLVMValueRef turned = LLVMBuildXor(e->b, x, turn, ""), more;
	if (sign) {
		more = by_four(e, none, turn, y, lanes);
		return by_four(e, LLVMBuildSub(e->b, z, more, ""), turned, y, lanes);
	}
	more = by_four(e, none, y, all_of(e, 8, 4 * lanes, 1), lanes);
	more = LLVMBuildShl(e->b, more, all_of(e, 32, 4 * lanes, 7), "");
	return by_four(e, LLVMBuildAdd(e->b, z, more, ""), y, turned, lanes);
}

/* Every second byte of v as a word, the odd ones or the even ones. */
static LLVMValueRef words_of(struct lt_llvm_emit *e, bool sign, LLVMValueRef v, bool odd, uint32_t lanes)
{
	LLVMValueRef eight = all_of(e, 16, 4 * lanes, 8), w = LLVMBuildBitCast(e->b, v, vector_of(e, 16, 4 * lanes), "");
	if (!odd)
		w = LLVMBuildShl(e->b, w, eight, "");
	return sign ? LLVMBuildAShr(e->b, w, eight, "") : LLVMBuildLShr(e->b, w, eight, "");
}

static LLVMValueRef dot_words(
	struct lt_llvm_emit *e, bool sign, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z, uint32_t lanes)
{
	const char *name = lanes == LANES_512 ? "llvm.x86.avx512.pmaddw.d.512"
		: lanes == LANES_256 ? "llvm.x86.avx2.pmadd.wd" : "llvm.x86.sse2.pmadd.wd";
	for (int odd = 0; odd < 2; odd++) {
		LLVMValueRef in[2] = { words_of(e, sign, x, odd, lanes), words_of(e, sign, y, odd, lanes) };
		z = LLVMBuildAdd(e->b, z, lt_llvm_intrinsic(e, name, NULL, 0, in, 2), "");
	}
	return z;
}

LLVMValueRef lt_llvm_dot(struct lt_llvm_emit *e, uint32_t dtype, LLVMValueRef const in[3], uint32_t lanes)
{
	uint32_t n = LANES_128;
	LLVMValueRef r = LLVMGetPoison(lt_llvm_type(e, LT_I32, lanes)), x, y, z;
	while (n < lanes && 8 * n <= e->vector_bytes)
		n *= 2;
	for (uint32_t l = 0; l < lanes; l += n) {
		x = n == lanes ? in[0] : lt_llvm_cut(e, in[0], 4 * lanes, 4 * l, 4 * n);
		y = n == lanes ? in[1] : lt_llvm_cut(e, in[1], 4 * lanes, 4 * l, 4 * n);
		z = n == lanes ? in[2] : lanes == 1 ? lt_llvm_splat(e, in[2], n) : lt_llvm_cut(e, in[2], lanes, l, n);
		z = e->vnni ? dot_vnni(e, dtype == LT_I8, x, y, z, n) : dot_words(e, dtype == LT_I8, x, y, z, n);
		if (n >= lanes)
			return n == lanes ? z : lt_llvm_cut(e, z, n, 0, lanes);
		r = lt_llvm_paste(e, r, z, n, l, lanes);
	}
	return r;
}
