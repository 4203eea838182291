/* backends/cgen/vector_cast.c -- conversions between vectors, as templates with the marks of vector_fn.def. */
#include <string.h>
#include "backends/cgen/vector_part.h"

#define FN(body) "LT_VFN @V lt_cast_@f_@nx@L(@F a)" body
#define VIA(type) FN(" { return lt_cast_" type "_@nx@L(lt_cast_@f_" type "x@L(a)); }\n")
/* The result of an exact or correctly rounded conversion by the processor. */
static const char direct[] = FN(" { return __builtin_convertvector(a, @V); }\n");
/* gcc narrows well in steps of one half only, unless the processor does it at once. */
static const char narrow[] =
	FN("\n{\n#if defined(__AVX512VL__) || defined(__clang__)\n\treturn __builtin_convertvector(a, @V);\n"
	   "#elif @o == 32 || @b == 16\n\treturn __builtin_convertvector(__builtin_convertvector(a, lt_i@rx@L), @V);\n"
	   "#else\n\treturn __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(a, lt_i32x@L), "
	   "lt_i16x@L), @V);\n#endif\n}\n");
static const char to_bool[] = FN(" { return lt_flag_@gx@L((@N)(a != 0)); }\n");
static const char half_to_bool[] = FN(" { return lt_flag_i16x@L((lt_i16x@L)((a & 0x7fff) != 0)); }\n");
/* The limits of the integers are floats: clamp to them first.  NaN becomes 0. */
static const char clamp[] = FN("\n{\n"
	"\t@N low = (@N)(a < @l), high = (@N)(a > @h), in = (@N)(a == a) & ~(low | high);\n"
	"\ta = (@F)((in & (@N)a) | (low & (@N)lt_all_@fx@L(@l)) | (high & (@N)lt_all_@fx@L(@h)));\n"
	"\treturn lt_cast_i32_@nx@L(__builtin_convertvector(a, lt_i32x@L));\n}\n");
/* The largest integer is no float: what does not fit is put in afterwards. */
static const char saturate[] = FN("\n{\n"
	"\t@N in = (@N)(a > @l) & (@N)(a < -(@l));\n"
	"\t@V high = __builtin_convertvector((@N)(a >= -(@l)), @V), low = __builtin_convertvector((@N)(a <= @l), @V);\n"
	"\treturn __builtin_convertvector((@F)((@N)a & in), @V) | (high & @x) | (low & (-@x - 1));\n}\n");
static const char f16_to_f32[] = FN("\n{\n"
	"#if defined(__AVX512F__) && @L == 16\n\t@V r;\n\t__asm__(\"vcvtph2ps %1, %0\" : \"=v\"(r) : \"v\"(a));\n\treturn r;\n"
	"#elif defined(__F16C__) && @L == 8\n\t@V r;\n\t__asm__(\"vcvtph2ps %1, %0\" : \"=x\"(r) : \"x\"(a));\n\treturn r;\n"
	"#else\n\tlt_u32x@L h = __builtin_convertvector(a, lt_u32x@L), w = h << 17;\n"
	"\t@V normal = (@V)((w >> 4) + 0x70000000u) * 0x1p-112f, small = (@V)((w >> 17) | 0x3f000000u) - 0.5f;\n"
	"\tlt_u32x@L m = (lt_u32x@L)(w < 0x08000000u);\n"
	"\treturn (@V)((m & (lt_u32x@L)small) | (~m & (lt_u32x@L)normal) | (h & 0x8000u) << 16);\n#endif\n}\n");
static const char bf16_to_f32[] = FN(" { return (@V)(__builtin_convertvector(a, lt_u32x@L) << 16); }\n");
/* Adding a float whose last place is the half's lets the adder round. */
static const char f32_to_f16[] =
	FN("\n{\n"
	   "#if defined(__AVX512F__) && @L == 16\n\t@V r;\n\t__asm__(\"vcvtps2ph $0, %1, %0\" : \"=v\"(r) : "
	   "\"v\"(a));\n\treturn r;\n"
	   "#elif defined(__F16C__) && @L == 8\n\t@V r;\n\t__asm__(\"vcvtps2ph $0, %1, %0\" : \"=x\"(r) : "
	   "\"x\"(a));\n\treturn r;\n"
	   "#else\n\tlt_u32x@L u = (lt_u32x@L)a, sign = u & 0x80000000u, twice = u + u, bias = twice & 0xff000000u;\n"
	   "\t@F base = (@F)(u - sign) * 0x1p112f * 0x1p-110f;\n\tlt_u32x@L m = (lt_u32x@L)(bias < 0x71000000u);\n"
	   "\tbias = (((m & 0x71000000u) | (~m & bias)) >> 1) + 0x07800000u;\n"
	   "\tlt_u32x@L sum = (lt_u32x@L)((@F)bias + base), rest = ((sum >> 13) & 0x7c00u) + (sum & 0x0fffu);\n"
	   "\tm = (lt_u32x@L)(twice > 0xff000000u);\n"
	   "\treturn lt_cast_i32_u16x@L((lt_i32x@L)(sign >> 16 | (m & 0x7e00u) | (~m & rest)));\n#endif\n}\n");
static const char f32_to_bf16[] = FN("\n{\n"
	"\tlt_u32x@L u = (lt_u32x@L)a, m = (lt_u32x@L)(a != a), even = u + 0x7fffu + (u >> 16 & 1);\n"
	"\treturn lt_cast_i32_u16x@L((lt_i32x@L)(((m & (u | 0x400000u)) | (~m & even)) >> 16));\n}\n");
/* Rounding to odd in f32 first: the last step alone rounds. */
static const char f64_to_half[] = FN(" { return lt_cast_f32_@nx@L(lt_odd_f32x@L(a)); }\n");
static const char each[] =
	FN("\n{\n\t@V r = { 0 };\n\tfor (int i = 0; i < @L; i++)\n\t\tr[i] = lt_cast_@f_@n(a[i]);\n\treturn r;\n}\n");

const char *lt__vector_cast(const struct lt_velement *from, const struct lt_velement *to)
{
	bool half_from = from->kind == 'H', half_to = to->kind == 'H';
	bool float_from = from->kind == 'F', float_to = to->kind == 'F';

	if (to->kind == 'B')
		return half_from ? half_to_bool : to_bool;
	if (half_from && from->dtype == LT_F16 && to->dtype == LT_F32)
		return f16_to_f32;
	if (half_from && to->dtype == LT_F32)
		return bf16_to_f32;
	if (half_from)
		return VIA("f32");
	if (half_to && from->dtype == LT_F32)
		return to->dtype == LT_F16 ? f32_to_f16 : f32_to_bf16;
	if (half_to && float_from)
		return f64_to_half;
	if (half_to)
		return from->bits <= 16 ? VIA("f32") : each;
	if (float_from && !float_to)
		return to->bits >= from->bits || to->dtype == LT_I64 ? saturate : clamp;
	if (float_to && !float_from && from->bits < 32)
		return VIA("i32");
	return !float_from && from->bits > 2 * to->bits ? narrow : direct;
}
