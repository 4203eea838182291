/* prelude.h -- what the C texts of op.def call: small functions, valid C11 and CUDA C.
 *
 * Frozen trees have it as text (lt_tree.prelude), for backends that print the operators' texts: without the lines that
 * begin with #, which are for C sources that include this file.  Each definition uses only those above it.
 *
 * Casts:  from a float type to an integer type truncate and saturate, NaN gives 0; to bool: != 0.  Casts to a half
 * type round once, to nearest even.  A half is the uint16_t of its bits.
 */
#ifndef LT_IR_OP_PRELUDE_H
#define LT_IR_OP_PRELUDE_H
#include <math.h>
#include <stdint.h>
#ifndef LT_FN
#define LT_FN static inline
#endif

union lt_word { uint32_t u; float f; };
union lt_dword { uint64_t u; double f; };
LT_FN float lt_bits_f32(uint32_t u) { union lt_word w; w.u = u; return w.f; }
LT_FN double lt_bits_f64(uint64_t u) { union lt_dword w; w.u = u; return w.f; }

/* Arithmetic.  min and max hand NaN on, and for them -0 < +0 (op.def).  Beside a literal one comparison is enough:
 * it is false for a NaN. x86's own min and max give their second operand for two zeros and for NaN: taken both ways,
 * the results differ for those alone; their bits joined are the zero that is wanted, and NaN stays or is put back.
 * Without branches, which random data would mispredict. */
LT_FN float lt_min_f32(float a, float b)
{
	if (__builtin_constant_p(b) && b == b)
		return (b == 0 && __builtin_signbit(b) ? b <= a : b < a) ? b : a;
#if defined(__AVX__) && !defined(__CUDACC__)
	float r, s;
	__asm__("vminss %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
	__asm__("vminss %2, %1, %0" : "=x"(s) : "x"(b), "x"(a));
	__asm__("vorps %1, %0, %0" : "+x"(r) : "x"(s));
	return r;
#elif defined(__SSE2__) && !defined(__CUDACC__)
	float r, s;
	__asm__("minss %2, %0" : "=x"(r) : "0"(a), "x"(b));
	__asm__("minss %2, %0" : "=x"(s) : "0"(b), "x"(a));
	__asm__("orps %1, %0" : "+x"(r) : "x"(s));
	return r;
#else
	float equal = -(-b + (a == 0 ? -a : -0.0f)), r = a < b ? a : equal;
	return a != a ? a : r;
#endif
}
LT_FN float lt_max_f32(float a, float b)
{
	if (__builtin_constant_p(b) && b == b)
		return (b == 0 && !__builtin_signbit(b) ? b >= a : b > a) ? b : a;
#if defined(__AVX__) && !defined(__CUDACC__)
	float r, s;
	__asm__("vmaxss %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
	__asm__("vmaxss %2, %1, %0" : "=x"(s) : "x"(b), "x"(a));
	__asm__("vandps %1, %0, %0" : "+x"(r) : "x"(s));
	__asm__("vcmpunordss %2, %1, %0" : "=x"(s) : "x"(a), "x"(b));
	__asm__("vorps %1, %0, %0" : "+x"(r) : "x"(s));
	return r;
#elif defined(__SSE2__) && !defined(__CUDACC__)
	float r, s;
	__asm__("maxss %2, %0" : "=x"(r) : "0"(a), "x"(b));
	__asm__("maxss %2, %0" : "=x"(s) : "0"(b), "x"(a));
	__asm__("andps %1, %0" : "+x"(r) : "x"(s));
	__asm__("cmpunordss %2, %0" : "=x"(s) : "0"(a), "x"(b));
	__asm__("orps %1, %0" : "+x"(r) : "x"(s));
	return r;
#else
	float equal = b + (a == 0 ? a : -0.0f), r = a > b ? a : equal;
	return a != a ? a : r;
#endif
}
LT_FN float lt_sign_f32(float x) { return x != x ? x : (float)((x > 0) - (x < 0)); }
LT_FN double lt_min_f64(double a, double b)
{
	if (__builtin_constant_p(b) && b == b)
		return (b == 0 && __builtin_signbit(b) ? b <= a : b < a) ? b : a;
#if defined(__AVX__) && !defined(__CUDACC__)
	double r, s;
	__asm__("vminsd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
	__asm__("vminsd %2, %1, %0" : "=x"(s) : "x"(b), "x"(a));
	__asm__("vorpd %1, %0, %0" : "+x"(r) : "x"(s));
	return r;
#elif defined(__SSE2__) && !defined(__CUDACC__)
	double r, s;
	__asm__("minsd %2, %0" : "=x"(r) : "0"(a), "x"(b));
	__asm__("minsd %2, %0" : "=x"(s) : "0"(b), "x"(a));
	__asm__("orpd %1, %0" : "+x"(r) : "x"(s));
	return r;
#else
	double equal = -(-b + (a == 0 ? -a : -0.0)), r = a < b ? a : equal;
	return a != a ? a : r;
#endif
}
LT_FN double lt_max_f64(double a, double b)
{
	if (__builtin_constant_p(b) && b == b)
		return (b == 0 && !__builtin_signbit(b) ? b >= a : b > a) ? b : a;
#if defined(__AVX__) && !defined(__CUDACC__)
	double r, s;
	__asm__("vmaxsd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
	__asm__("vmaxsd %2, %1, %0" : "=x"(s) : "x"(b), "x"(a));
	__asm__("vandpd %1, %0, %0" : "+x"(r) : "x"(s));
	__asm__("vcmpunordsd %2, %1, %0" : "=x"(s) : "x"(a), "x"(b));
	__asm__("vorpd %1, %0, %0" : "+x"(r) : "x"(s));
	return r;
#elif defined(__SSE2__) && !defined(__CUDACC__)
	double r, s;
	__asm__("maxsd %2, %0" : "=x"(r) : "0"(a), "x"(b));
	__asm__("maxsd %2, %0" : "=x"(s) : "0"(b), "x"(a));
	__asm__("andpd %1, %0" : "+x"(r) : "x"(s));
	__asm__("cmpunordsd %2, %0" : "=x"(s) : "0"(a), "x"(b));
	__asm__("orpd %1, %0" : "+x"(r) : "x"(s));
	return r;
#else
	double equal = b + (a == 0 ? a : -0.0), r = a > b ? a : equal;
	return a != a ? a : r;
#endif
}
LT_FN double lt_sign_f64(double x) { return x != x ? x : (double)((x > 0) - (x < 0)); }
LT_FN int32_t lt_min_i32(int32_t a, int32_t b) { return a < b ? a : b; }
LT_FN int32_t lt_max_i32(int32_t a, int32_t b) { return a > b ? a : b; }
LT_FN int32_t lt_sign_i32(int32_t x) { return (x > 0) - (x < 0); }
LT_FN int32_t lt_abs_i32(int32_t x) { return x < 0 ? (int32_t)(0 - (uint32_t)x) : x; }
LT_FN int64_t lt_min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
LT_FN int64_t lt_max_i64(int64_t a, int64_t b) { return a > b ? a : b; }
LT_FN int64_t lt_sign_i64(int64_t x) { return (x > 0) - (x < 0); }
LT_FN int64_t lt_abs_i64(int64_t x) { return x < 0 ? (int64_t)(0 - (uint64_t)x) : x; }
LT_FN uint32_t lt_min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
LT_FN uint32_t lt_max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }
LT_FN uint32_t lt_sign_u32(uint32_t x) { return x != 0; }
LT_FN uint32_t lt_abs_u32(uint32_t x) { return x; }
LT_FN uint64_t lt_min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
LT_FN uint64_t lt_max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }
LT_FN uint64_t lt_sign_u64(uint64_t x) { return x != 0; }
LT_FN uint64_t lt_abs_u64(uint64_t x) { return x; }
LT_FN uint8_t lt_min_bool(uint8_t a, uint8_t b) { return a < b ? a : b; }
LT_FN uint8_t lt_max_bool(uint8_t a, uint8_t b) { return a > b ? a : b; }
/* The remainder has the sign of the divisor, and so has a zero. */
LT_FN float lt_mod_f32(float a, float b)
{
	float r = fmodf(a, b);
	return r == 0 ? copysignf(0, b) : (r < 0) != (b < 0) ? r + b : r;
}
LT_FN double lt_mod_f64(double a, double b)
{
	double r = fmod(a, b);
	return r == 0 ? copysign(0, b) : (r < 0) != (b < 0) ? r + b : r;
}
/* Towards minus infinity; x/0 and x%0 are 0; the smallest integer / -1 wraps. */
LT_FN int32_t lt_floordiv_i32(int32_t a, int32_t b)
{
	if (b == 0 || b == -1)
		return b ? (int32_t)(0 - (uint32_t)a) : 0;
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
LT_FN int32_t lt_mod_i32(int32_t a, int32_t b)
{
	if (b == 0 || b == -1)
		return 0;
	return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}
LT_FN int64_t lt_floordiv_i64(int64_t a, int64_t b)
{
	if (b == 0 || b == -1)
		return b ? (int64_t)(0 - (uint64_t)a) : 0;
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
LT_FN int64_t lt_mod_i64(int64_t a, int64_t b)
{
	if (b == 0 || b == -1)
		return 0;
	return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}
LT_FN uint32_t lt_floordiv_u32(uint32_t a, uint32_t b) { return b ? a / b : 0; }
LT_FN uint32_t lt_mod_u32(uint32_t a, uint32_t b) { return b ? a % b : 0; }
LT_FN uint64_t lt_floordiv_u64(uint64_t a, uint64_t b) { return b ? a / b : 0; }
LT_FN uint64_t lt_mod_u64(uint64_t a, uint64_t b) { return b ? a % b : 0; }
/* A count below 0: all is lost, and nothing is moved. */
LT_FN int32_t lt_shl_i32(int32_t a, int32_t n) { return n < 0 || n > 31 ? 0 : (int32_t)((uint32_t)a << n); }
LT_FN int32_t lt_shr_i32(int32_t a, int32_t n) { return n < 0 ? a : a >> (n > 31 ? 31 : n); }
LT_FN int64_t lt_shl_i64(int64_t a, int64_t n) { return n < 0 || n > 63 ? 0 : (int64_t)((uint64_t)a << n); }
LT_FN int64_t lt_shr_i64(int64_t a, int64_t n) { return n < 0 ? a : a >> (n > 63 ? 63 : n); }
LT_FN uint32_t lt_shl_u32(uint32_t a, uint32_t n) { return n > 31 ? 0 : a << n; }
LT_FN uint32_t lt_shr_u32(uint32_t a, uint32_t n) { return n > 31 ? 0 : a >> n; }
LT_FN uint64_t lt_shl_u64(uint64_t a, uint64_t n) { return n > 63 ? 0 : a << n; }
LT_FN uint64_t lt_shr_u64(uint64_t a, uint64_t n) { return n > 63 ? 0 : a >> n; }

/* Half types to f32, exactly. */
LT_FN float lt_cast_f16_f32(uint16_t h)
{
	uint32_t w = (uint32_t)h << 17;
	float normal = lt_bits_f32((w >> 4) + 0x70000000u) * 0x1p-112f;
	float small = lt_bits_f32((w >> 17) | 0x3f000000u) - 0.5f;
	union lt_word r;
	r.f = w < 0x08000000u ? small : normal;
	r.u |= ((uint32_t)h & 0x8000u) << 16;
	return r.f;
}
LT_FN float lt_cast_bf16_f32(uint16_t h) { return lt_bits_f32((uint32_t)h << 16); }
LT_FN double lt_cast_f16_f64(uint16_t h) { return (double)lt_cast_f16_f32(h); }
LT_FN double lt_cast_bf16_f64(uint16_t h) { return (double)lt_cast_bf16_f32(h); }

/* To half types.  f32 to f16: adding a float whose last place is the half's lets the adder round. */
LT_FN uint16_t lt_cast_f32_f16(float x)
{
	union lt_word w, base, bias;
	w.f = x;
	uint32_t sign = w.u & 0x80000000u, twice = w.u + w.u;
	w.u -= sign;
	base.f = w.f * 0x1p112f * 0x1p-110f;
	bias.u = twice & 0xff000000u;
	bias.u = ((bias.u < 0x71000000u ? 0x71000000u : bias.u) >> 1) + 0x07800000u;
	base.f = bias.f + base.f;
	uint32_t remainder = ((base.u >> 13) & 0x7c00u) + (base.u & 0x0fffu);
	return (uint16_t)((sign >> 16) | (twice > 0xff000000u ? 0x7e00u : remainder));
}
LT_FN uint16_t lt_cast_f32_bf16(float x)
{
	union lt_word w;
	w.f = x;
	return (uint16_t)(x != x ? (w.u >> 16) | 0x40u : (w.u + 0x7fffu + (w.u >> 16 & 1)) >> 16);
}
/* `mantissa` bits behind the point, exponents biased by `bias`. */
LT_FN uint16_t lt_narrow_f64(double x, int mantissa, int bias)
{
	union lt_dword w;
	w.f = x;
	uint64_t sign = w.u >> 48 & 0x8000u, m = w.u & 0xfffffffffffffu;
	int e = (int)(w.u >> 52 & 0x7ff) - 1023 + bias, shift = 52 - mantissa;
	uint64_t inf = (uint64_t)(2 * bias + 1) << mantissa;
	if (x != x)
		return (uint16_t)(sign | inf | 1u << (mantissa - 1));
	if (e > 2 * bias)
		return (uint16_t)(sign | inf);
	if (e <= 0) {
		m |= 0x10000000000000u;
		shift = shift + 1 - e > 54 ? 54 : shift + 1 - e;
		e = 0;
	}
	uint64_t kept = m >> shift, remainder = m & (((uint64_t)1 << shift) - 1), half = (uint64_t)1 << (shift - 1);
	kept += remainder > half || (remainder == half && (kept & 1));
	return (uint16_t)(sign | (((uint64_t)e << mantissa) + kept));
}
LT_FN uint16_t lt_cast_f64_f16(double x) { return lt_narrow_f64(x, 10, 15); }
LT_FN uint16_t lt_cast_f64_bf16(double x) { return lt_narrow_f64(x, 7, 127); }
LT_FN uint16_t lt_cast_f16_bf16(uint16_t h) { return lt_cast_f32_bf16(lt_cast_f16_f32(h)); }
LT_FN uint16_t lt_cast_bf16_f16(uint16_t h) { return lt_cast_f32_f16(lt_cast_bf16_f32(h)); }
LT_FN uint16_t lt_cast_f16_f16(uint16_t h) { return h; }
LT_FN uint16_t lt_cast_bf16_bf16(uint16_t h) { return h; }
LT_FN uint16_t lt_cast_i8_f16(int8_t x) { return lt_cast_f32_f16((float)x); }
LT_FN uint16_t lt_cast_i8_bf16(int8_t x) { return lt_cast_f32_bf16((float)x); }
LT_FN uint16_t lt_cast_u8_f16(uint8_t x) { return lt_cast_f32_f16((float)x); }
LT_FN uint16_t lt_cast_u8_bf16(uint8_t x) { return lt_cast_f32_bf16((float)x); }
LT_FN uint16_t lt_cast_i16_f16(int16_t x) { return lt_cast_f32_f16((float)x); }
LT_FN uint16_t lt_cast_i16_bf16(int16_t x) { return lt_cast_f32_bf16((float)x); }
LT_FN uint16_t lt_cast_u16_f16(uint16_t x) { return lt_cast_f32_f16((float)x); }
LT_FN uint16_t lt_cast_u16_bf16(uint16_t x) { return lt_cast_f32_bf16((float)x); }
LT_FN uint16_t lt_cast_bool_f16(uint8_t x) { return lt_cast_f32_f16((float)x); }
LT_FN uint16_t lt_cast_bool_bf16(uint8_t x) { return lt_cast_f32_bf16((float)x); }
LT_FN uint16_t lt_cast_i32_f16(int32_t x) { return lt_cast_f64_f16((double)x); }
LT_FN uint16_t lt_cast_i32_bf16(int32_t x) { return lt_cast_f64_bf16((double)x); }
LT_FN uint16_t lt_cast_i64_f16(int64_t x) { return lt_cast_f64_f16((double)x); }
LT_FN uint16_t lt_cast_u32_f16(uint32_t x) { return lt_cast_f64_f16((double)x); }
LT_FN uint16_t lt_cast_u32_bf16(uint32_t x) { return lt_cast_f64_bf16((double)x); }
LT_FN uint16_t lt_cast_u64_f16(uint64_t x) { return lt_cast_f64_f16((double)x); }
/* Bits that a double cannot hold are kept as one sticky bit, so that only the last step rounds. */
LT_FN uint16_t lt_cast_i64_bf16(int64_t x)
{
	uint64_t u = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
	double d = (double)(int64_t)(u >> 11 | ((u & 2047) != 0)) * 2048;
	if (u >> 53 == 0)
		d = (double)(int64_t)u;
	return lt_cast_f64_bf16(x < 0 ? -d : d);
}
LT_FN uint16_t lt_cast_u64_bf16(uint64_t x)
{
	double d = (double)(int64_t)(x >> 11 | ((x & 2047) != 0)) * 2048;
	return lt_cast_f64_bf16(x >> 53 ? d : (double)(int64_t)x);
}

/* Floats to integers. */
LT_FN int8_t lt_cast_f32_i8(float x) { return x >= 0x1p7f ? 127 : x > -0x1p7f ? (int8_t)x : x != x ? 0 : (-128); }
LT_FN uint8_t lt_cast_f32_u8(float x) { return x >= 0x1p8f ? 255 : x > 0 ? (uint8_t)x : x != x ? 0 : 0; }
LT_FN int16_t lt_cast_f32_i16(float x)
{
	return x >= 0x1p15f ? 32767 : x > -0x1p15f ? (int16_t)x : x != x ? 0 : (-32768);
}
LT_FN int32_t lt_cast_f32_i32(float x)
{
	return x >= 0x1p31f ? 2147483647 : x > -0x1p31f ? (int32_t)x : x != x ? 0 : (-2147483647 - 1);
}
LT_FN int64_t lt_cast_f32_i64(float x)
{
	return x >= 0x1p63f ? 9223372036854775807 : x > -0x1p63f ? (int64_t)x : x != x ? 0 : (-9223372036854775807 - 1);
}
LT_FN uint16_t lt_cast_f32_u16(float x) { return x >= 0x1p16f ? 65535 : x > 0 ? (uint16_t)x : 0; }
LT_FN uint32_t lt_cast_f32_u32(float x) { return x >= 0x1p32f ? 4294967295u : x > 0 ? (uint32_t)x : 0; }
LT_FN uint64_t lt_cast_f32_u64(float x) { return x >= 0x1p64f ? 18446744073709551615u : x > 0 ? (uint64_t)x : 0; }
LT_FN uint8_t lt_cast_f32_bool(float x) { return x != 0; }
LT_FN int8_t lt_cast_f64_i8(double x) { return x >= 0x1p7 ? 127 : x > -0x1p7 ? (int8_t)x : x != x ? 0 : (-128); }
LT_FN uint8_t lt_cast_f64_u8(double x) { return x >= 0x1p8 ? 255 : x > 0 ? (uint8_t)x : x != x ? 0 : 0; }
LT_FN int16_t lt_cast_f64_i16(double x)
{
	return x >= 0x1p15 ? 32767 : x > -0x1p15 ? (int16_t)x : x != x ? 0 : (-32768);
}
LT_FN int32_t lt_cast_f64_i32(double x)
{
	return x >= 0x1p31 ? 2147483647 : x > -0x1p31 ? (int32_t)x : x != x ? 0 : (-2147483647 - 1);
}
LT_FN int64_t lt_cast_f64_i64(double x)
{
	return x >= 0x1p63 ? 9223372036854775807 : x > -0x1p63 ? (int64_t)x : x != x ? 0 : (-9223372036854775807 - 1);
}
LT_FN uint16_t lt_cast_f64_u16(double x) { return x >= 0x1p16 ? 65535 : x > 0 ? (uint16_t)x : 0; }
LT_FN uint32_t lt_cast_f64_u32(double x) { return x >= 0x1p32 ? 4294967295u : x > 0 ? (uint32_t)x : 0; }
LT_FN uint64_t lt_cast_f64_u64(double x) { return x >= 0x1p64 ? 18446744073709551615u : x > 0 ? (uint64_t)x : 0; }
LT_FN uint8_t lt_cast_f64_bool(double x) { return x != 0; }
LT_FN int8_t lt_cast_f16_i8(uint16_t h) { return lt_cast_f32_i8(lt_cast_f16_f32(h)); }
LT_FN uint8_t lt_cast_f16_u8(uint16_t h) { return lt_cast_f32_u8(lt_cast_f16_f32(h)); }
LT_FN int16_t lt_cast_f16_i16(uint16_t h) { return lt_cast_f32_i16(lt_cast_f16_f32(h)); }
LT_FN int32_t lt_cast_f16_i32(uint16_t h) { return lt_cast_f32_i32(lt_cast_f16_f32(h)); }
LT_FN int64_t lt_cast_f16_i64(uint16_t h) { return lt_cast_f32_i64(lt_cast_f16_f32(h)); }
LT_FN uint16_t lt_cast_f16_u16(uint16_t h) { return lt_cast_f32_u16(lt_cast_f16_f32(h)); }
LT_FN uint32_t lt_cast_f16_u32(uint16_t h) { return lt_cast_f32_u32(lt_cast_f16_f32(h)); }
LT_FN uint64_t lt_cast_f16_u64(uint16_t h) { return lt_cast_f32_u64(lt_cast_f16_f32(h)); }
LT_FN uint8_t lt_cast_f16_bool(uint16_t h) { return (h & 0x7fff) != 0; }
LT_FN int8_t lt_cast_bf16_i8(uint16_t h) { return lt_cast_f32_i8(lt_cast_bf16_f32(h)); }
LT_FN uint8_t lt_cast_bf16_u8(uint16_t h) { return lt_cast_f32_u8(lt_cast_bf16_f32(h)); }
LT_FN int16_t lt_cast_bf16_i16(uint16_t h) { return lt_cast_f32_i16(lt_cast_bf16_f32(h)); }
LT_FN int32_t lt_cast_bf16_i32(uint16_t h) { return lt_cast_f32_i32(lt_cast_bf16_f32(h)); }
LT_FN int64_t lt_cast_bf16_i64(uint16_t h) { return lt_cast_f32_i64(lt_cast_bf16_f32(h)); }
LT_FN uint16_t lt_cast_bf16_u16(uint16_t h) { return lt_cast_f32_u16(lt_cast_bf16_f32(h)); }
LT_FN uint32_t lt_cast_bf16_u32(uint16_t h) { return lt_cast_f32_u32(lt_cast_bf16_f32(h)); }
LT_FN uint64_t lt_cast_bf16_u64(uint16_t h) { return lt_cast_f32_u64(lt_cast_bf16_f32(h)); }
LT_FN uint8_t lt_cast_bf16_bool(uint16_t h) { return (h & 0x7fff) != 0; }
#endif
