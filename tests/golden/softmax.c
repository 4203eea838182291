#include <stdint.h>
#include <math.h>

#define LT_KERNEL static __attribute__((noinline))

#define LT_FN static inline

struct lt_slot { void *base; int64_t offset, bytes; };

static inline void *lt_slot_at(const struct lt_slot *slot, int i) { return (char *)slot[i].base + slot[i].offset; }

struct lt_host;

struct lt_team {
	void (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,
		void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);
	const struct lt_host *host;
	uint32_t n_thread;
};

struct lt_fault { int64_t n; int32_t stmt, access; int64_t value; };

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

typedef float lt_f32x8_u __attribute__((vector_size(32), aligned(1), may_alias));

typedef float lt_f32x8 __attribute__((vector_size(32)));

#define LT_VFN static inline __attribute__((always_inline, unused))

LT_VFN lt_f32x8 lt_all_f32x8(float x) { return x - (lt_f32x8){ 0 }; }

typedef int32_t lt_i32x8 __attribute__((vector_size(32)));

LT_VFN lt_f32x8 lt_max_f32x8(lt_f32x8 a, lt_f32x8 b)
{
	lt_f32x8 r, s;
#if defined(__AVX512F__) && 8 * 32 == 512
	__asm__("vmaxps %2, %1, %0" : "=v"(r) : "v"(a), "v"(b));
	__asm__("vmaxps %2, %1, %0" : "=v"(s) : "v"(b), "v"(a));
#elif defined(__AVX__) && (8 * 32 == 256 || 8 * 32 == 128)
	__asm__("vmaxps %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
	__asm__("vmaxps %2, %1, %0" : "=x"(s) : "x"(b), "x"(a));
#elif defined(__SSE2__) && 8 * 32 == 128
	__asm__("maxps %2, %0" : "=x"(r) : "0"(a), "x"(b));
	__asm__("maxps %2, %0" : "=x"(s) : "0"(b), "x"(a));
#else
	lt_i32x8 m = (lt_i32x8)(a > b) | (lt_i32x8)(a != a), e = (lt_i32x8)(a == b);
	r = (lt_f32x8)((m & (lt_i32x8)a) | (~m & (lt_i32x8)b));
	s = (lt_f32x8)(~e | (lt_i32x8)a);
#endif
	r = (lt_f32x8)((lt_i32x8)r & (lt_i32x8)s);
#if defined(__AVX512F__) && 8 * 32 == 512
	uint8_t nan;
	__asm__("vcmpunordps %2, %1, %0" : "=Yk"(nan) : "v"(a), "v"(b));
	__asm__("vaddps %2, %1, %0 %{%3%}" : "+v"(r) : "v"(a), "v"(b), "Yk"(nan));
#elif defined(__AVX__) && (8 * 32 == 256 || 8 * 32 == 128)
	__asm__("vcmpunordps %2, %1, %0" : "=x"(s) : "x"(a), "x"(b));
	r = (lt_f32x8)((lt_i32x8)r | (lt_i32x8)s);
#elif defined(__SSE2__) && 8 * 32 == 128
	__asm__("cmpunordps %2, %0" : "=x"(s) : "0"(a), "x"(b));
	r = (lt_f32x8)((lt_i32x8)r | (lt_i32x8)s);
#endif
	return r;
}

typedef float lt_f32x4_u __attribute__((vector_size(16), aligned(1), may_alias));

typedef float lt_f32x4 __attribute__((vector_size(16)));

typedef int32_t lt_i32x4 __attribute__((vector_size(16)));

LT_VFN lt_f32x4 lt_max_f32x4(lt_f32x4 a, lt_f32x4 b)
{
	lt_f32x4 r, s;
#if defined(__AVX512F__) && 4 * 32 == 512
	__asm__("vmaxps %2, %1, %0" : "=v"(r) : "v"(a), "v"(b));
	__asm__("vmaxps %2, %1, %0" : "=v"(s) : "v"(b), "v"(a));
#elif defined(__AVX__) && (4 * 32 == 256 || 4 * 32 == 128)
	__asm__("vmaxps %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
	__asm__("vmaxps %2, %1, %0" : "=x"(s) : "x"(b), "x"(a));
#elif defined(__SSE2__) && 4 * 32 == 128
	__asm__("maxps %2, %0" : "=x"(r) : "0"(a), "x"(b));
	__asm__("maxps %2, %0" : "=x"(s) : "0"(b), "x"(a));
#else
	lt_i32x4 m = (lt_i32x4)(a > b) | (lt_i32x4)(a != a), e = (lt_i32x4)(a == b);
	r = (lt_f32x4)((m & (lt_i32x4)a) | (~m & (lt_i32x4)b));
	s = (lt_f32x4)(~e | (lt_i32x4)a);
#endif
	r = (lt_f32x4)((lt_i32x4)r & (lt_i32x4)s);
#if defined(__AVX512F__) && 4 * 32 == 512
	uint8_t nan;
	__asm__("vcmpunordps %2, %1, %0" : "=Yk"(nan) : "v"(a), "v"(b));
	__asm__("vaddps %2, %1, %0 %{%3%}" : "+v"(r) : "v"(a), "v"(b), "Yk"(nan));
#elif defined(__AVX__) && (4 * 32 == 256 || 4 * 32 == 128)
	__asm__("vcmpunordps %2, %1, %0" : "=x"(s) : "x"(a), "x"(b));
	r = (lt_f32x4)((lt_i32x4)r | (lt_i32x4)s);
#elif defined(__SSE2__) && 4 * 32 == 128
	__asm__("cmpunordps %2, %0" : "=x"(s) : "0"(a), "x"(b));
	r = (lt_f32x4)((lt_i32x4)r | (lt_i32x4)s);
#endif
	return r;
}

typedef float lt_f32x2 __attribute__((vector_size(8)));

LT_VFN float lt_fold_max_f32x2(lt_f32x2 v)
{
#if 2 == 2
	float a = v[0], b = v[1];
	return lt_max_f32(a, b);
#else
	union { lt_f32x2 v; lt_f32x1 half[2]; } u = { v };
	return lt_fold_max_f32x1(lt_max_f32x1(u.half[0], u.half[1]));
#endif
}

typedef int32_t lt_i32x2 __attribute__((vector_size(8)));

LT_VFN lt_f32x2 lt_max_f32x2(lt_f32x2 a, lt_f32x2 b)
{
	lt_f32x2 r, s;
#if defined(__AVX512F__) && 2 * 32 == 512
	__asm__("vmaxps %2, %1, %0" : "=v"(r) : "v"(a), "v"(b));
	__asm__("vmaxps %2, %1, %0" : "=v"(s) : "v"(b), "v"(a));
#elif defined(__AVX__) && (2 * 32 == 256 || 2 * 32 == 128)
	__asm__("vmaxps %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
	__asm__("vmaxps %2, %1, %0" : "=x"(s) : "x"(b), "x"(a));
#elif defined(__SSE2__) && 2 * 32 == 128
	__asm__("maxps %2, %0" : "=x"(r) : "0"(a), "x"(b));
	__asm__("maxps %2, %0" : "=x"(s) : "0"(b), "x"(a));
#else
	lt_i32x2 m = (lt_i32x2)(a > b) | (lt_i32x2)(a != a), e = (lt_i32x2)(a == b);
	r = (lt_f32x2)((m & (lt_i32x2)a) | (~m & (lt_i32x2)b));
	s = (lt_f32x2)(~e | (lt_i32x2)a);
#endif
	r = (lt_f32x2)((lt_i32x2)r & (lt_i32x2)s);
#if defined(__AVX512F__) && 2 * 32 == 512
	uint8_t nan;
	__asm__("vcmpunordps %2, %1, %0" : "=Yk"(nan) : "v"(a), "v"(b));
	__asm__("vaddps %2, %1, %0 %{%3%}" : "+v"(r) : "v"(a), "v"(b), "Yk"(nan));
#elif defined(__AVX__) && (2 * 32 == 256 || 2 * 32 == 128)
	__asm__("vcmpunordps %2, %1, %0" : "=x"(s) : "x"(a), "x"(b));
	r = (lt_f32x2)((lt_i32x2)r | (lt_i32x2)s);
#elif defined(__SSE2__) && 2 * 32 == 128
	__asm__("cmpunordps %2, %0" : "=x"(s) : "0"(a), "x"(b));
	r = (lt_f32x2)((lt_i32x2)r | (lt_i32x2)s);
#endif
	return r;
}

LT_VFN float lt_fold_max_f32x4(lt_f32x4 v)
{
#if 4 == 2
	float a = v[0], b = v[1];
	return lt_max_f32(a, b);
#else
	union { lt_f32x4 v; lt_f32x2 half[2]; } u = { v };
	return lt_fold_max_f32x2(lt_max_f32x2(u.half[0], u.half[1]));
#endif
}

LT_VFN float lt_fold_max_f32x8(lt_f32x8 v)
{
#if 8 == 2
	float a = v[0], b = v[1];
	return lt_max_f32(a, b);
#else
	union { lt_f32x8 v; lt_f32x4 half[2]; } u = { v };
	return lt_fold_max_f32x4(lt_max_f32x4(u.half[0], u.half[1]));
#endif
}

LT_VFN lt_f32x8 lt_clamp_f32x8(lt_f32x8 x, float low, float high)
{
	lt_f32x8 a = lt_all_f32x8(low), b = lt_all_f32x8(high);
#if defined(__AVX512F__) && 8 * 32 == 512 || defined(__AVX__) && (8 * 32 == 256 || 8 * 32 == 128)
	__asm__("vmaxps %0, %1, %0" : "+v"(x) : "v"(a));
	__asm__("vminps %0, %1, %0" : "+v"(x) : "v"(b));
	return x;
#else
	lt_i32x8 m = (lt_i32x8)(x < a);
	x = (lt_f32x8)((m & (lt_i32x8)a) | (~m & (lt_i32x8)x));
	m = (lt_i32x8)(x > b);
	return (lt_f32x8)((m & (lt_i32x8)b) | (~m & (lt_i32x8)x));
#endif
}

LT_VFN lt_f32x8 lt_exp_f32x8(lt_f32x8 x)
{
	x = lt_clamp_f32x8(x, -104.5f, 89.0f);
	lt_f32x8 t = x * 0x1.715476p+0f + 0x1.8p+23f, n = t - 0x1.8p+23f;
	lt_f32x8 r = x - n * 0x1.63p-1f;
	r = r - n * -0x1.bd0106p-13f;
	lt_f32x8 p = r * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f;
	p = p * r + 0x1.5558bep-5f;
	p = p * r + 0x1.555492p-3f;
	p = p * r + 0x1.fffffcp-2f;
	p = p * (r * r) + r + 1.0f;
#if defined(__AVX512F__) && 8 * 32 == 512
	__asm__("vscalefps %1, %0, %0" : "+v"(p) : "v"(n));
	return p;
#else
	lt_i32x8 e = (lt_i32x8)t - 0x4b400000, half = e >> 1;
	return p * (lt_f32x8)((half + 127) << 23) * (lt_f32x8)((e - half + 127) << 23);
#endif
}

LT_VFN lt_f32x4 lt_all_f32x4(float x) { return x - (lt_f32x4){ 0 }; }

LT_VFN lt_f32x4 lt_clamp_f32x4(lt_f32x4 x, float low, float high)
{
	lt_f32x4 a = lt_all_f32x4(low), b = lt_all_f32x4(high);
#if defined(__AVX512F__) && 4 * 32 == 512 || defined(__AVX__) && (4 * 32 == 256 || 4 * 32 == 128)
	__asm__("vmaxps %0, %1, %0" : "+v"(x) : "v"(a));
	__asm__("vminps %0, %1, %0" : "+v"(x) : "v"(b));
	return x;
#else
	lt_i32x4 m = (lt_i32x4)(x < a);
	x = (lt_f32x4)((m & (lt_i32x4)a) | (~m & (lt_i32x4)x));
	m = (lt_i32x4)(x > b);
	return (lt_f32x4)((m & (lt_i32x4)b) | (~m & (lt_i32x4)x));
#endif
}

LT_VFN lt_f32x4 lt_exp_f32x4(lt_f32x4 x)
{
	x = lt_clamp_f32x4(x, -104.5f, 89.0f);
	lt_f32x4 t = x * 0x1.715476p+0f + 0x1.8p+23f, n = t - 0x1.8p+23f;
	lt_f32x4 r = x - n * 0x1.63p-1f;
	r = r - n * -0x1.bd0106p-13f;
	lt_f32x4 p = r * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f;
	p = p * r + 0x1.5558bep-5f;
	p = p * r + 0x1.555492p-3f;
	p = p * r + 0x1.fffffcp-2f;
	p = p * (r * r) + r + 1.0f;
#if defined(__AVX512F__) && 4 * 32 == 512
	__asm__("vscalefps %1, %0, %0" : "+v"(p) : "v"(n));
	return p;
#else
	lt_i32x4 e = (lt_i32x4)t - 0x4b400000, half = e >> 1;
	return p * (lt_f32x4)((half + 127) << 23) * (lt_f32x4)((e - half + 127) << 23);
#endif
}

LT_VFN float lt_fold_add_f32x2(lt_f32x2 v)
{
#if 2 == 2
	float a = v[0], b = v[1];
	return a + b;
#else
	union { lt_f32x2 v; lt_f32x1 half[2]; } u = { v };
	return lt_fold_add_f32x1(lt_add_f32x1(u.half[0], u.half[1]));
#endif
}

LT_VFN lt_f32x2 lt_add_f32x2(lt_f32x2 a, lt_f32x2 b) { return a + b; }

LT_VFN float lt_fold_add_f32x4(lt_f32x4 v)
{
#if 4 == 2
	float a = v[0], b = v[1];
	return a + b;
#else
	union { lt_f32x4 v; lt_f32x2 half[2]; } u = { v };
	return lt_fold_add_f32x2(lt_add_f32x2(u.half[0], u.half[1]));
#endif
}

LT_VFN lt_f32x4 lt_add_f32x4(lt_f32x4 a, lt_f32x4 b) { return a + b; }

LT_VFN float lt_fold_add_f32x8(lt_f32x8 v)
{
#if 8 == 2
	float a = v[0], b = v[1];
	return a + b;
#else
	union { lt_f32x8 v; lt_f32x4 half[2]; } u = { v };
	return lt_fold_add_f32x4(lt_add_f32x4(u.half[0], u.half[1]));
#endif
}

/* kernel k0_2: loop tree baa41e8287233a793932418d16992326, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL void k0_2(const float *restrict v1, float *restrict v2)
{
	for (int64_t i = 0; i < 8; i++) {
		_Alignas(64) float v2_max_part[32];
		_Alignas(64) float v2_add_part[32];
		_Alignas(64) float v2_exp[100];
		/* %2.max.part = max.reduce, line 3 */
		*(lt_f32x8_u *)(v2_max_part) = lt_all_f32x8(-INFINITY);
		*(lt_f32x8_u *)(v2_max_part + 8) = lt_all_f32x8(-INFINITY);
		*(lt_f32x8_u *)(v2_max_part + 16) = lt_all_f32x8(-INFINITY);
		*(lt_f32x8_u *)(v2_max_part + 24) = lt_all_f32x8(-INFINITY);
		for (int64_t j = 0; j < 3; j++) {
			*(lt_f32x8_u *)(v2_max_part) = lt_max_f32x8(*(const lt_f32x8_u *)(v2_max_part), *(const lt_f32x8_u *)(v1 + 100*i + 32*j));
			*(lt_f32x8_u *)(v2_max_part + 8) = lt_max_f32x8(*(const lt_f32x8_u *)(v2_max_part + 8), *(const lt_f32x8_u *)(v1 + 100*i + 32*j + 8));
			*(lt_f32x8_u *)(v2_max_part + 16) = lt_max_f32x8(*(const lt_f32x8_u *)(v2_max_part + 16), *(const lt_f32x8_u *)(v1 + 100*i + 32*j + 16));
			*(lt_f32x8_u *)(v2_max_part + 24) = lt_max_f32x8(*(const lt_f32x8_u *)(v2_max_part + 24), *(const lt_f32x8_u *)(v1 + 100*i + 32*j + 24));
		}
		for (int64_t j = 0; j < 1; j++) {
			for (int64_t j_1 = 0; j_1 < 1; j_1++) {
				*(lt_f32x4_u *)(v2_max_part + 8*j_1) = lt_max_f32x4(*(const lt_f32x4_u *)(v2_max_part + 8*j_1), *(const lt_f32x4_u *)(v1 + 100*i + 32*j + 8*j_1 + 96));
			}
		}
		/* %2.max = max.reduce, line 3 */
		float v2_max = -INFINITY;
		lt_f32x8 t0 = *(const lt_f32x8_u *)(v2_max_part);
		t0 = lt_max_f32x8(t0, *(const lt_f32x8_u *)(v2_max_part + 8));
		t0 = lt_max_f32x8(t0, *(const lt_f32x8_u *)(v2_max_part + 16));
		t0 = lt_max_f32x8(t0, *(const lt_f32x8_u *)(v2_max_part + 24));
		v2_max = lt_max_f32(v2_max, lt_fold_max_f32x8(t0));
		/* %2.add.part = add.reduce, line 3 */
		*(lt_f32x8_u *)(v2_add_part) = lt_all_f32x8(0.0f);
		*(lt_f32x8_u *)(v2_add_part + 8) = lt_all_f32x8(0.0f);
		*(lt_f32x8_u *)(v2_add_part + 16) = lt_all_f32x8(0.0f);
		*(lt_f32x8_u *)(v2_add_part + 24) = lt_all_f32x8(0.0f);
		for (int64_t j = 0; j < 3; j++) {
			{
				/* %2.sub = sub, line 3 */
				const lt_f32x8 v2_sub = *(const lt_f32x8_u *)(v1 + 100*i + 32*j) - lt_all_f32x8(v2_max);
				/* %2.exp = exp, line 3 */
				*(lt_f32x8_u *)(v2_exp + 32*j) = lt_exp_f32x8(v2_sub);
				*(lt_f32x8_u *)(v2_add_part) = *(const lt_f32x8_u *)(v2_add_part) + *(const lt_f32x8_u *)(v2_exp + 32*j);
			}
			{
				const lt_f32x8 v2_sub = *(const lt_f32x8_u *)(v1 + 100*i + 32*j + 8) - lt_all_f32x8(v2_max);
				*(lt_f32x8_u *)(v2_exp + 32*j + 8) = lt_exp_f32x8(v2_sub);
				*(lt_f32x8_u *)(v2_add_part + 8) = *(const lt_f32x8_u *)(v2_add_part + 8) + *(const lt_f32x8_u *)(v2_exp + 32*j + 8);
			}
			{
				const lt_f32x8 v2_sub = *(const lt_f32x8_u *)(v1 + 100*i + 32*j + 16) - lt_all_f32x8(v2_max);
				*(lt_f32x8_u *)(v2_exp + 32*j + 16) = lt_exp_f32x8(v2_sub);
				*(lt_f32x8_u *)(v2_add_part + 16) = *(const lt_f32x8_u *)(v2_add_part + 16) + *(const lt_f32x8_u *)(v2_exp + 32*j + 16);
			}
			{
				const lt_f32x8 v2_sub = *(const lt_f32x8_u *)(v1 + 100*i + 32*j + 24) - lt_all_f32x8(v2_max);
				*(lt_f32x8_u *)(v2_exp + 32*j + 24) = lt_exp_f32x8(v2_sub);
				*(lt_f32x8_u *)(v2_add_part + 24) = *(const lt_f32x8_u *)(v2_add_part + 24) + *(const lt_f32x8_u *)(v2_exp + 32*j + 24);
			}
		}
		for (int64_t j = 0; j < 1; j++) {
			for (int64_t j_1 = 0; j_1 < 1; j_1++) {
				{
					const lt_f32x4 v2_sub_2 = *(const lt_f32x4_u *)(v1 + 100*i + 32*j + 8*j_1 + 96) - lt_all_f32x4(v2_max);
					*(lt_f32x4_u *)(v2_exp + 32*j + 8*j_1 + 96) = lt_exp_f32x4(v2_sub_2);
					*(lt_f32x4_u *)(v2_add_part + 8*j_1) = *(const lt_f32x4_u *)(v2_add_part + 8*j_1) + *(const lt_f32x4_u *)(v2_exp + 32*j + 8*j_1 + 96);
				}
			}
		}
		/* %2.add = add.reduce, line 3 */
		float v2_add = 0.0f;
		lt_f32x8 t1 = *(const lt_f32x8_u *)(v2_add_part);
		t1 = t1 + (*(const lt_f32x8_u *)(v2_add_part + 8));
		t1 = t1 + (*(const lt_f32x8_u *)(v2_add_part + 16));
		t1 = t1 + (*(const lt_f32x8_u *)(v2_add_part + 24));
		v2_add = v2_add + lt_fold_add_f32x8(t1);
		for (int64_t j = 0; j < 12; j++) {
			/* %2 = div, line 3 */
			*(lt_f32x8_u *)(v2 + 100*i + 8*j) = *(const lt_f32x8_u *)(v2_exp + 8*j) / lt_all_f32x8(v2_add);
		}
		for (int64_t j = 0; j < 1; j++) {
			*(lt_f32x4_u *)(v2 + 100*i + 8*j + 96) = *(const lt_f32x4_u *)(v2_exp + 8*j + 96) / lt_all_f32x4(v2_add);
		}
	}
}

void k0_2_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k0_2(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}
