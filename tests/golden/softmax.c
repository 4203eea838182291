#include <math.h>
#include <stdint.h>

#ifndef LT_ENTRY
#define LT_ENTRY
#endif

struct lt_slot { void *base; int64_t offset, bytes; };

struct lt_kernel_fault { int64_t n; int32_t stmt, access; int64_t value; };

struct lt_host;

struct lt_team {
	void (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,
		void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);
	const struct lt_host *host;
	uint32_t n_thread;
};

#define LT_LANES static inline __attribute__((always_inline, unused))

typedef float lt_f32x8 __attribute__((vector_size(32)));

LT_LANES lt_f32x8 lt_f32x8_splat(float x) { return x - (lt_f32x8){ 0 }; }

typedef float lt_f32x8_u __attribute__((vector_size(32), aligned(4), may_alias));

typedef int32_t lt_i32x8 __attribute__((vector_size(32)));

LT_LANES lt_f32x8 lt_f32x8_select(lt_i32x8 m, lt_f32x8 a, lt_f32x8 b) { return (lt_f32x8)((m & (lt_i32x8)a) | (~m & (lt_i32x8)b)); }

LT_LANES lt_f32x8 lt_f32x8_larger(lt_f32x8 a, lt_f32x8 b)
{
#if defined(__AVX512F__) && 8 * 32 == 512 || defined(__AVX__) && (8 * 32 == 256 || 8 * 32 == 128)
	lt_f32x8 r;
	__asm__("vmaxps %2, %1, %0" : "=v"(r) : "v"(a), "vm"(b));
	return r;
#elif defined(__SSE2__) && 8 * 32 == 128
	__asm__("maxps %1, %0" : "+x"(a) : "x"(b));
	return a;
#else
	return lt_f32x8_select((lt_i32x8)(a > b), a, b);
#endif
}

LT_LANES lt_i32x8 lt_i32x8_splat(int32_t x) { return x - (lt_i32x8){ 0 }; }

typedef float lt_f32x4 __attribute__((vector_size(16)));

typedef float lt_f32x4_u __attribute__((vector_size(16), aligned(4), may_alias));

typedef int32_t lt_i32x4 __attribute__((vector_size(16)));

LT_LANES lt_f32x4 lt_f32x4_select(lt_i32x4 m, lt_f32x4 a, lt_f32x4 b) { return (lt_f32x4)((m & (lt_i32x4)a) | (~m & (lt_i32x4)b)); }

LT_LANES lt_f32x4 lt_f32x4_larger(lt_f32x4 a, lt_f32x4 b)
{
#if defined(__AVX512F__) && 4 * 32 == 512 || defined(__AVX__) && (4 * 32 == 256 || 4 * 32 == 128)
	lt_f32x4 r;
	__asm__("vmaxps %2, %1, %0" : "=v"(r) : "v"(a), "vm"(b));
	return r;
#elif defined(__SSE2__) && 4 * 32 == 128
	__asm__("maxps %1, %0" : "+x"(a) : "x"(b));
	return a;
#else
	return lt_f32x4_select((lt_i32x4)(a > b), a, b);
#endif
}

LT_LANES lt_i32x4 lt_i32x4_splat(int32_t x) { return x - (lt_i32x4){ 0 }; }

LT_LANES lt_f32x4 lt_f32x4_of_lt_f32x8(lt_f32x8 v, int k)
{
	union { lt_f32x8 v; lt_f32x4 part[2]; } u = { v };
	return u.part[k];
}

typedef float lt_f32x2 __attribute__((vector_size(8)));

typedef int32_t lt_i32x2 __attribute__((vector_size(8)));

LT_LANES lt_f32x2 lt_f32x2_select(lt_i32x2 m, lt_f32x2 a, lt_f32x2 b) { return (lt_f32x2)((m & (lt_i32x2)a) | (~m & (lt_i32x2)b)); }

LT_LANES lt_f32x2 lt_f32x2_larger(lt_f32x2 a, lt_f32x2 b)
{
#if defined(__AVX512F__) && 2 * 32 == 512 || defined(__AVX__) && (2 * 32 == 256 || 2 * 32 == 128)
	lt_f32x2 r;
	__asm__("vmaxps %2, %1, %0" : "=v"(r) : "v"(a), "vm"(b));
	return r;
#elif defined(__SSE2__) && 2 * 32 == 128
	__asm__("maxps %1, %0" : "+x"(a) : "x"(b));
	return a;
#else
	return lt_f32x2_select((lt_i32x2)(a > b), a, b);
#endif
}

LT_LANES lt_i32x2 lt_i32x2_splat(int32_t x) { return x - (lt_i32x2){ 0 }; }

LT_LANES float lt_f32_max(float a, float b)
{
	if (__builtin_constant_p(b) && b == b && (b != 0 || !signbit(b)))
		return (b == 0 ? b >= a : b > a) ? b : a;
#if defined(__AVX__)
	float r, s;
	__asm__("vmaxss %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
	__asm__("vmaxss %2, %1, %0" : "=x"(s) : "x"(b), "x"(a));
	__asm__("vandps %1, %0, %0" : "+x"(r) : "x"(s));
	__asm__("vcmpunordss %2, %1, %0" : "=x"(s) : "x"(a), "x"(b));
	__asm__("vorps %1, %0, %0" : "+x"(r) : "x"(s));
	return r;
#elif defined(__SSE2__)
	float r = a, s = b;
	__asm__("maxss %1, %0" : "+x"(r) : "x"(b));
	__asm__("maxss %1, %0" : "+x"(s) : "x"(a));
	__asm__("andps %1, %0" : "+x"(r) : "x"(s));
	s = a;
	__asm__("cmpunordss %1, %0" : "+x"(s) : "x"(b));
	__asm__("orps %1, %0" : "+x"(r) : "x"(s));
	return r;
#else
	float zeros = b + (a == 0 ? a : (float)-0.0), r = a > b ? a : zeros;
	return a != a ? a : r;
#endif
}

LT_LANES lt_f32x8 lt_f32x8_lesser(lt_f32x8 a, lt_f32x8 b)
{
#if defined(__AVX512F__) && 8 * 32 == 512 || defined(__AVX__) && (8 * 32 == 256 || 8 * 32 == 128)
	lt_f32x8 r;
	__asm__("vminps %2, %1, %0" : "=v"(r) : "v"(a), "vm"(b));
	return r;
#elif defined(__SSE2__) && 8 * 32 == 128
	__asm__("minps %1, %0" : "+x"(a) : "x"(b));
	return a;
#else
	return lt_f32x8_select((lt_i32x8)(a < b), a, b);
#endif
}

typedef uint32_t lt_u32x8 __attribute__((vector_size(32)));

LT_LANES lt_f32x4 lt_f32x4_splat(float x) { return x - (lt_f32x4){ 0 }; }

LT_LANES lt_f32x4 lt_f32x4_lesser(lt_f32x4 a, lt_f32x4 b)
{
#if defined(__AVX512F__) && 4 * 32 == 512 || defined(__AVX__) && (4 * 32 == 256 || 4 * 32 == 128)
	lt_f32x4 r;
	__asm__("vminps %2, %1, %0" : "=v"(r) : "v"(a), "vm"(b));
	return r;
#elif defined(__SSE2__) && 4 * 32 == 128
	__asm__("minps %1, %0" : "+x"(a) : "x"(b));
	return a;
#else
	return lt_f32x4_select((lt_i32x4)(a < b), a, b);
#endif
}

typedef uint32_t lt_u32x4 __attribute__((vector_size(16)));

LT_LANES float lt_f32x2_fold_add(lt_f32x2 v)
{
#if 2 == 2
	float a = v[0], b = v[1];
	return a + b;
#else
	union { lt_f32x2 v; float half[2]; } u = { v };
	float r = u.half[0], s = u.half[1];
	return lt_f32_fold_add(lt_f32_add(r, s));
#endif
}

LT_LANES lt_f32x2 lt_f32x2_add(lt_f32x2 a, lt_f32x2 b) { return a + b; }

LT_LANES float lt_f32x4_fold_add(lt_f32x4 v)
{
#if 4 == 2
	float a = v[0], b = v[1];
	return a + b;
#else
	union { lt_f32x4 v; lt_f32x2 half[2]; } u = { v };
	lt_f32x2 r = u.half[0], s = u.half[1];
	return lt_f32x2_fold_add(lt_f32x2_add(r, s));
#endif
}

LT_LANES lt_f32x4 lt_f32x4_add(lt_f32x4 a, lt_f32x4 b) { return a + b; }

LT_LANES float lt_f32x8_fold_add(lt_f32x8 v)
{
#if 8 == 2
	float a = v[0], b = v[1];
	return a + b;
#else
	union { lt_f32x8 v; lt_f32x4 half[2]; } u = { v };
	lt_f32x4 r = u.half[0], s = u.half[1];
	return lt_f32x4_fold_add(lt_f32x4_add(r, s));
#endif
}

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k0_2: loop tree baa41e8287233a793932418d16992326, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k0_2(const float *restrict n1, float *restrict n2)
{
	for (int64_t i = 0; i < 8; i++) {
		__attribute__((aligned(64))) float n2_max_part[32];
		__attribute__((aligned(64))) float n2_add_part[32];
		/* %2.max.part = max.reduce, line 3 */
		*(lt_f32x8_u *)&n2_max_part[0] = lt_f32x8_splat(-INFINITY);
		*(lt_f32x8_u *)&n2_max_part[8] = lt_f32x8_splat(-INFINITY);
		*(lt_f32x8_u *)&n2_max_part[16] = lt_f32x8_splat(-INFINITY);
		*(lt_f32x8_u *)&n2_max_part[24] = lt_f32x8_splat(-INFINITY);
		/* %2.max.part = max.reduce, line 3 */
		const int64_t v1 = i * 100;
		const lt_f32x8 v2 = *(const lt_f32x8_u *)&n1[v1];
		const lt_f32x8 v3 = *(const lt_f32x8_u *)&n2_max_part[0];
		const lt_i32x8 v6 = (lt_i32x8)lt_f32x8_larger(v3, v2);
		const lt_i32x8 v7 = (lt_i32x8)lt_f32x8_larger(v2, v3);
		*(lt_f32x8_u *)&n2_max_part[0] = (lt_f32x8)((v6 | v7) & ((v6 & v7) | 2147483647));
		const lt_f32x8 v13 = *(const lt_f32x8_u *)&n1[v1 + 8];
		const lt_f32x8 v14 = *(const lt_f32x8_u *)&n2_max_part[8];
		const lt_i32x8 v17 = (lt_i32x8)lt_f32x8_larger(v14, v13);
		const lt_i32x8 v18 = (lt_i32x8)lt_f32x8_larger(v13, v14);
		*(lt_f32x8_u *)&n2_max_part[8] = (lt_f32x8)((v17 | v18) & ((v17 & v18) | 2147483647));
		const lt_f32x8 v24 = *(const lt_f32x8_u *)&n1[v1 + 16];
		const lt_f32x8 v25 = *(const lt_f32x8_u *)&n2_max_part[16];
		const lt_i32x8 v28 = (lt_i32x8)lt_f32x8_larger(v25, v24);
		const lt_i32x8 v29 = (lt_i32x8)lt_f32x8_larger(v24, v25);
		*(lt_f32x8_u *)&n2_max_part[16] = (lt_f32x8)((v28 | v29) & ((v28 & v29) | 2147483647));
		const lt_f32x8 v35 = *(const lt_f32x8_u *)&n1[v1 + 24];
		const lt_f32x8 v36 = *(const lt_f32x8_u *)&n2_max_part[24];
		const lt_i32x8 v39 = (lt_i32x8)lt_f32x8_larger(v36, v35);
		const lt_i32x8 v40 = (lt_i32x8)lt_f32x8_larger(v35, v36);
		*(lt_f32x8_u *)&n2_max_part[24] = (lt_f32x8)((v39 | v40) & ((v39 & v40) | 2147483647));
		const lt_f32x8 v46 = *(const lt_f32x8_u *)&n1[v1 + 32];
		const lt_f32x8 v47 = *(const lt_f32x8_u *)&n2_max_part[0];
		const lt_i32x8 v50 = (lt_i32x8)lt_f32x8_larger(v47, v46);
		const lt_i32x8 v51 = (lt_i32x8)lt_f32x8_larger(v46, v47);
		*(lt_f32x8_u *)&n2_max_part[0] = (lt_f32x8)((v50 | v51) & ((v50 & v51) | 2147483647));
		const lt_f32x8 v57 = *(const lt_f32x8_u *)&n1[v1 + 40];
		const lt_f32x8 v58 = *(const lt_f32x8_u *)&n2_max_part[8];
		const lt_i32x8 v61 = (lt_i32x8)lt_f32x8_larger(v58, v57);
		const lt_i32x8 v62 = (lt_i32x8)lt_f32x8_larger(v57, v58);
		*(lt_f32x8_u *)&n2_max_part[8] = (lt_f32x8)((v61 | v62) & ((v61 & v62) | 2147483647));
		const lt_f32x8 v68 = *(const lt_f32x8_u *)&n1[v1 + 48];
		const lt_f32x8 v69 = *(const lt_f32x8_u *)&n2_max_part[16];
		const lt_i32x8 v72 = (lt_i32x8)lt_f32x8_larger(v69, v68);
		const lt_i32x8 v73 = (lt_i32x8)lt_f32x8_larger(v68, v69);
		*(lt_f32x8_u *)&n2_max_part[16] = (lt_f32x8)((v72 | v73) & ((v72 & v73) | 2147483647));
		const lt_f32x8 v79 = *(const lt_f32x8_u *)&n1[v1 + 56];
		const lt_f32x8 v80 = *(const lt_f32x8_u *)&n2_max_part[24];
		const lt_i32x8 v83 = (lt_i32x8)lt_f32x8_larger(v80, v79);
		const lt_i32x8 v84 = (lt_i32x8)lt_f32x8_larger(v79, v80);
		*(lt_f32x8_u *)&n2_max_part[24] = (lt_f32x8)((v83 | v84) & ((v83 & v84) | 2147483647));
		const lt_f32x8 v90 = *(const lt_f32x8_u *)&n1[v1 + 64];
		const lt_f32x8 v91 = *(const lt_f32x8_u *)&n2_max_part[0];
		const lt_i32x8 v94 = (lt_i32x8)lt_f32x8_larger(v91, v90);
		const lt_i32x8 v95 = (lt_i32x8)lt_f32x8_larger(v90, v91);
		*(lt_f32x8_u *)&n2_max_part[0] = (lt_f32x8)((v94 | v95) & ((v94 & v95) | 2147483647));
		const lt_f32x8 v101 = *(const lt_f32x8_u *)&n1[v1 + 72];
		const lt_f32x8 v102 = *(const lt_f32x8_u *)&n2_max_part[8];
		const lt_i32x8 v105 = (lt_i32x8)lt_f32x8_larger(v102, v101);
		const lt_i32x8 v106 = (lt_i32x8)lt_f32x8_larger(v101, v102);
		*(lt_f32x8_u *)&n2_max_part[8] = (lt_f32x8)((v105 | v106) & ((v105 & v106) | 2147483647));
		const lt_f32x8 v112 = *(const lt_f32x8_u *)&n1[v1 + 80];
		const lt_f32x8 v113 = *(const lt_f32x8_u *)&n2_max_part[16];
		const lt_i32x8 v116 = (lt_i32x8)lt_f32x8_larger(v113, v112);
		const lt_i32x8 v117 = (lt_i32x8)lt_f32x8_larger(v112, v113);
		*(lt_f32x8_u *)&n2_max_part[16] = (lt_f32x8)((v116 | v117) & ((v116 & v117) | 2147483647));
		const lt_f32x8 v123 = *(const lt_f32x8_u *)&n1[v1 + 88];
		const lt_f32x8 v124 = *(const lt_f32x8_u *)&n2_max_part[24];
		const lt_i32x8 v127 = (lt_i32x8)lt_f32x8_larger(v124, v123);
		const lt_i32x8 v128 = (lt_i32x8)lt_f32x8_larger(v123, v124);
		*(lt_f32x8_u *)&n2_max_part[24] = (lt_f32x8)((v127 | v128) & ((v127 & v128) | 2147483647));
		/* %2.max.part = max.reduce, line 3 */
		const lt_f32x4 v134 = *(const lt_f32x4_u *)&n1[v1 + 96];
		const lt_f32x4 v135 = *(const lt_f32x4_u *)&n2_max_part[0];
		const lt_i32x4 v138 = (lt_i32x4)lt_f32x4_larger(v135, v134);
		const lt_i32x4 v139 = (lt_i32x4)lt_f32x4_larger(v134, v135);
		*(lt_f32x4_u *)&n2_max_part[0] = (lt_f32x4)((v138 | v139) & ((v138 & v139) | 2147483647));
		/* %2.max = max.reduce, line 3 */
		float n2_max = -INFINITY;
		/* %2.max = max.reduce, line 3 */
		lt_f32x8 sum = lt_f32x8_splat(-INFINITY);
		sum = *(const lt_f32x8_u *)&n2_max_part[0];
		const lt_f32x8 v146 = *(const lt_f32x8_u *)&n2_max_part[8];
		const lt_i32x8 v150 = (lt_i32x8)lt_f32x8_larger(sum, v146);
		const lt_i32x8 v151 = (lt_i32x8)lt_f32x8_larger(v146, sum);
		sum = (lt_f32x8)((v150 | v151) & ((v150 & v151) | 2147483647));
		const lt_f32x8 v157 = *(const lt_f32x8_u *)&n2_max_part[16];
		const lt_i32x8 v161 = (lt_i32x8)lt_f32x8_larger(sum, v157);
		const lt_i32x8 v162 = (lt_i32x8)lt_f32x8_larger(v157, sum);
		sum = (lt_f32x8)((v161 | v162) & ((v161 & v162) | 2147483647));
		const lt_f32x8 v168 = *(const lt_f32x8_u *)&n2_max_part[24];
		const lt_i32x8 v172 = (lt_i32x8)lt_f32x8_larger(sum, v168);
		const lt_i32x8 v173 = (lt_i32x8)lt_f32x8_larger(v168, sum);
		sum = (lt_f32x8)((v172 | v173) & ((v172 & v173) | 2147483647));
		const lt_f32x4 v180 = lt_f32x4_of_lt_f32x8(sum, 0);
		const lt_f32x4 v181 = lt_f32x4_of_lt_f32x8(sum, 1);
		const lt_i32x4 v184 = (lt_i32x4)lt_f32x4_larger(v180, v181);
		const lt_i32x4 v185 = (lt_i32x4)lt_f32x4_larger(v181, v180);
		const lt_f32x4 v190 = (lt_f32x4)((v184 | v185) & ((v184 & v185) | 2147483647));
		const lt_f32x2 v191 = (lt_f32x2){ v190[0], v190[1] };
		const lt_f32x2 v192 = (lt_f32x2){ v190[2], v190[3] };
		const lt_i32x2 v195 = (lt_i32x2)lt_f32x2_larger(v191, v192);
		const lt_i32x2 v196 = (lt_i32x2)lt_f32x2_larger(v192, v191);
		const lt_f32x2 v201 = (lt_f32x2)((v195 | v196) & ((v195 & v196) | 2147483647));
		n2_max = lt_f32_max(n2_max, lt_f32_max(v201[0], v201[1]));
		/* %2.add.part = add.reduce, line 3 */
		*(lt_f32x8_u *)&n2_add_part[0] = lt_f32x8_splat(0.0f);
		*(lt_f32x8_u *)&n2_add_part[8] = lt_f32x8_splat(0.0f);
		*(lt_f32x8_u *)&n2_add_part[16] = lt_f32x8_splat(0.0f);
		*(lt_f32x8_u *)&n2_add_part[24] = lt_f32x8_splat(0.0f);
		/* %2.exp = exp, line 3 */
		const lt_f32x8 v210 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v1] - lt_f32x8_splat(n2_max)));
		const lt_f32x8 v212 = v210 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v213 = v212 - 0x1.8p23f;
		const lt_f32x8 v217 = v213 * 0x1.bd0106p-13f + (v213 * -0x1.63p-1f + v210);
		const lt_f32x8 v225 = (((v217 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v217 + 0x1.5558bep-5f) * v217 + 0x1.555492p-3f) * v217 + 0x1.fffffcp-2f;
		const lt_i32x8 v231 = (lt_i32x8)v212 - 1262485250;
		const lt_i32x8 v232 = (lt_i32x8)((lt_u32x8)v231 >> 1);
		const lt_f32x8 v239 = (v225 * (v217 * v217) + v217 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v232 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v231 - v232) << 23);
		/* %2.add.part = add.reduce, line 3 */
		*(lt_f32x8_u *)&n2_add_part[0] = *(const lt_f32x8_u *)&n2_add_part[0] + v239;
		const lt_f32x8 v247 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v1 + 8] - lt_f32x8_splat(n2_max)));
		const lt_f32x8 v249 = v247 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v250 = v249 - 0x1.8p23f;
		const lt_f32x8 v254 = v250 * 0x1.bd0106p-13f + (v250 * -0x1.63p-1f + v247);
		const lt_f32x8 v262 = (((v254 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v254 + 0x1.5558bep-5f) * v254 + 0x1.555492p-3f) * v254 + 0x1.fffffcp-2f;
		const lt_i32x8 v268 = (lt_i32x8)v249 - 1262485250;
		const lt_i32x8 v269 = (lt_i32x8)((lt_u32x8)v268 >> 1);
		const lt_f32x8 v276 = (v262 * (v254 * v254) + v254 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v269 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v268 - v269) << 23);
		*(lt_f32x8_u *)&n2_add_part[8] = *(const lt_f32x8_u *)&n2_add_part[8] + v276;
		const lt_f32x8 v284 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v1 + 16] - lt_f32x8_splat(n2_max)));
		const lt_f32x8 v286 = v284 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v287 = v286 - 0x1.8p23f;
		const lt_f32x8 v291 = v287 * 0x1.bd0106p-13f + (v287 * -0x1.63p-1f + v284);
		const lt_f32x8 v299 = (((v291 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v291 + 0x1.5558bep-5f) * v291 + 0x1.555492p-3f) * v291 + 0x1.fffffcp-2f;
		const lt_i32x8 v305 = (lt_i32x8)v286 - 1262485250;
		const lt_i32x8 v306 = (lt_i32x8)((lt_u32x8)v305 >> 1);
		const lt_f32x8 v313 = (v299 * (v291 * v291) + v291 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v306 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v305 - v306) << 23);
		*(lt_f32x8_u *)&n2_add_part[16] = *(const lt_f32x8_u *)&n2_add_part[16] + v313;
		const lt_f32x8 v321 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v1 + 24] - lt_f32x8_splat(n2_max)));
		const lt_f32x8 v323 = v321 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v324 = v323 - 0x1.8p23f;
		const lt_f32x8 v328 = v324 * 0x1.bd0106p-13f + (v324 * -0x1.63p-1f + v321);
		const lt_f32x8 v336 = (((v328 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v328 + 0x1.5558bep-5f) * v328 + 0x1.555492p-3f) * v328 + 0x1.fffffcp-2f;
		const lt_i32x8 v342 = (lt_i32x8)v323 - 1262485250;
		const lt_i32x8 v343 = (lt_i32x8)((lt_u32x8)v342 >> 1);
		const lt_f32x8 v350 = (v336 * (v328 * v328) + v328 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v343 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v342 - v343) << 23);
		*(lt_f32x8_u *)&n2_add_part[24] = *(const lt_f32x8_u *)&n2_add_part[24] + v350;
		const lt_f32x8 v358 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v1 + 32] - lt_f32x8_splat(n2_max)));
		const lt_f32x8 v360 = v358 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v361 = v360 - 0x1.8p23f;
		const lt_f32x8 v365 = v361 * 0x1.bd0106p-13f + (v361 * -0x1.63p-1f + v358);
		const lt_f32x8 v373 = (((v365 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v365 + 0x1.5558bep-5f) * v365 + 0x1.555492p-3f) * v365 + 0x1.fffffcp-2f;
		const lt_i32x8 v379 = (lt_i32x8)v360 - 1262485250;
		const lt_i32x8 v380 = (lt_i32x8)((lt_u32x8)v379 >> 1);
		const lt_f32x8 v387 = (v373 * (v365 * v365) + v365 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v380 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v379 - v380) << 23);
		*(lt_f32x8_u *)&n2_add_part[0] = *(const lt_f32x8_u *)&n2_add_part[0] + v387;
		const lt_f32x8 v395 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v1 + 40] - lt_f32x8_splat(n2_max)));
		const lt_f32x8 v397 = v395 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v398 = v397 - 0x1.8p23f;
		const lt_f32x8 v402 = v398 * 0x1.bd0106p-13f + (v398 * -0x1.63p-1f + v395);
		const lt_f32x8 v410 = (((v402 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v402 + 0x1.5558bep-5f) * v402 + 0x1.555492p-3f) * v402 + 0x1.fffffcp-2f;
		const lt_i32x8 v416 = (lt_i32x8)v397 - 1262485250;
		const lt_i32x8 v417 = (lt_i32x8)((lt_u32x8)v416 >> 1);
		const lt_f32x8 v424 = (v410 * (v402 * v402) + v402 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v417 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v416 - v417) << 23);
		*(lt_f32x8_u *)&n2_add_part[8] = *(const lt_f32x8_u *)&n2_add_part[8] + v424;
		const lt_f32x8 v432 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v1 + 48] - lt_f32x8_splat(n2_max)));
		const lt_f32x8 v434 = v432 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v435 = v434 - 0x1.8p23f;
		const lt_f32x8 v439 = v435 * 0x1.bd0106p-13f + (v435 * -0x1.63p-1f + v432);
		const lt_f32x8 v447 = (((v439 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v439 + 0x1.5558bep-5f) * v439 + 0x1.555492p-3f) * v439 + 0x1.fffffcp-2f;
		const lt_i32x8 v453 = (lt_i32x8)v434 - 1262485250;
		const lt_i32x8 v454 = (lt_i32x8)((lt_u32x8)v453 >> 1);
		const lt_f32x8 v461 = (v447 * (v439 * v439) + v439 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v454 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v453 - v454) << 23);
		*(lt_f32x8_u *)&n2_add_part[16] = *(const lt_f32x8_u *)&n2_add_part[16] + v461;
		const lt_f32x8 v469 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v1 + 56] - lt_f32x8_splat(n2_max)));
		const lt_f32x8 v471 = v469 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v472 = v471 - 0x1.8p23f;
		const lt_f32x8 v476 = v472 * 0x1.bd0106p-13f + (v472 * -0x1.63p-1f + v469);
		const lt_f32x8 v484 = (((v476 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v476 + 0x1.5558bep-5f) * v476 + 0x1.555492p-3f) * v476 + 0x1.fffffcp-2f;
		const lt_i32x8 v490 = (lt_i32x8)v471 - 1262485250;
		const lt_i32x8 v491 = (lt_i32x8)((lt_u32x8)v490 >> 1);
		const lt_f32x8 v498 = (v484 * (v476 * v476) + v476 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v491 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v490 - v491) << 23);
		*(lt_f32x8_u *)&n2_add_part[24] = *(const lt_f32x8_u *)&n2_add_part[24] + v498;
		const lt_f32x8 v506 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v1 + 64] - lt_f32x8_splat(n2_max)));
		const lt_f32x8 v508 = v506 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v509 = v508 - 0x1.8p23f;
		const lt_f32x8 v513 = v509 * 0x1.bd0106p-13f + (v509 * -0x1.63p-1f + v506);
		const lt_f32x8 v521 = (((v513 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v513 + 0x1.5558bep-5f) * v513 + 0x1.555492p-3f) * v513 + 0x1.fffffcp-2f;
		const lt_i32x8 v527 = (lt_i32x8)v508 - 1262485250;
		const lt_i32x8 v528 = (lt_i32x8)((lt_u32x8)v527 >> 1);
		const lt_f32x8 v535 = (v521 * (v513 * v513) + v513 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v528 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v527 - v528) << 23);
		*(lt_f32x8_u *)&n2_add_part[0] = *(const lt_f32x8_u *)&n2_add_part[0] + v535;
		const lt_f32x8 v543 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v1 + 72] - lt_f32x8_splat(n2_max)));
		const lt_f32x8 v545 = v543 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v546 = v545 - 0x1.8p23f;
		const lt_f32x8 v550 = v546 * 0x1.bd0106p-13f + (v546 * -0x1.63p-1f + v543);
		const lt_f32x8 v558 = (((v550 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v550 + 0x1.5558bep-5f) * v550 + 0x1.555492p-3f) * v550 + 0x1.fffffcp-2f;
		const lt_i32x8 v564 = (lt_i32x8)v545 - 1262485250;
		const lt_i32x8 v565 = (lt_i32x8)((lt_u32x8)v564 >> 1);
		const lt_f32x8 v572 = (v558 * (v550 * v550) + v550 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v565 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v564 - v565) << 23);
		*(lt_f32x8_u *)&n2_add_part[8] = *(const lt_f32x8_u *)&n2_add_part[8] + v572;
		const lt_f32x8 v580 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v1 + 80] - lt_f32x8_splat(n2_max)));
		const lt_f32x8 v582 = v580 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v583 = v582 - 0x1.8p23f;
		const lt_f32x8 v587 = v583 * 0x1.bd0106p-13f + (v583 * -0x1.63p-1f + v580);
		const lt_f32x8 v595 = (((v587 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v587 + 0x1.5558bep-5f) * v587 + 0x1.555492p-3f) * v587 + 0x1.fffffcp-2f;
		const lt_i32x8 v601 = (lt_i32x8)v582 - 1262485250;
		const lt_i32x8 v602 = (lt_i32x8)((lt_u32x8)v601 >> 1);
		const lt_f32x8 v609 = (v595 * (v587 * v587) + v587 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v602 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v601 - v602) << 23);
		*(lt_f32x8_u *)&n2_add_part[16] = *(const lt_f32x8_u *)&n2_add_part[16] + v609;
		const lt_f32x8 v617 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v1 + 88] - lt_f32x8_splat(n2_max)));
		const lt_f32x8 v619 = v617 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v620 = v619 - 0x1.8p23f;
		const lt_f32x8 v624 = v620 * 0x1.bd0106p-13f + (v620 * -0x1.63p-1f + v617);
		const lt_f32x8 v632 = (((v624 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v624 + 0x1.5558bep-5f) * v624 + 0x1.555492p-3f) * v624 + 0x1.fffffcp-2f;
		const lt_i32x8 v638 = (lt_i32x8)v619 - 1262485250;
		const lt_i32x8 v639 = (lt_i32x8)((lt_u32x8)v638 >> 1);
		const lt_f32x8 v646 = (v632 * (v624 * v624) + v624 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v639 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v638 - v639) << 23);
		*(lt_f32x8_u *)&n2_add_part[24] = *(const lt_f32x8_u *)&n2_add_part[24] + v646;
		/* %2.exp = exp, line 3 */
		const lt_f32x4 v654 = lt_f32x4_lesser(lt_f32x4_splat(89.0f), lt_f32x4_larger(lt_f32x4_splat(-104.5f), *(const lt_f32x4_u *)&n1[v1 + 96] - lt_f32x4_splat(n2_max)));
		const lt_f32x4 v656 = v654 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x4 v657 = v656 - 0x1.8p23f;
		const lt_f32x4 v661 = v657 * 0x1.bd0106p-13f + (v657 * -0x1.63p-1f + v654);
		const lt_f32x4 v669 = (((v661 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v661 + 0x1.5558bep-5f) * v661 + 0x1.555492p-3f) * v661 + 0x1.fffffcp-2f;
		const lt_i32x4 v675 = (lt_i32x4)v656 - 1262485250;
		const lt_i32x4 v676 = (lt_i32x4)((lt_u32x4)v675 >> 1);
		const lt_f32x4 v683 = (v669 * (v661 * v661) + v661 + 1.0f) * (lt_f32x4)(lt_i32x4)((lt_u32x4)v676 << 23) * (lt_f32x4)(lt_i32x4)((lt_u32x4)(v675 - v676) << 23);
		/* %2.add.part = add.reduce, line 3 */
		*(lt_f32x4_u *)&n2_add_part[0] = *(const lt_f32x4_u *)&n2_add_part[0] + v683;
		/* %2.add = add.reduce, line 3 */
		float n2_add = 0.0f;
		/* %2.add = add.reduce, line 3 */
		lt_f32x8 sum_10 = lt_f32x8_splat(0.0f);
		sum_10 = *(const lt_f32x8_u *)&n2_add_part[0];
		sum_10 += *(const lt_f32x8_u *)&n2_add_part[8];
		sum_10 += *(const lt_f32x8_u *)&n2_add_part[16];
		sum_10 += *(const lt_f32x8_u *)&n2_add_part[24];
		n2_add += lt_f32x8_fold_add(sum_10);
		/* %2 = div, line 3 */
		*(lt_f32x8_u *)&n2[v1] = v239 / lt_f32x8_splat(n2_add);
		*(lt_f32x8_u *)&n2[v1 + 8] = v276 / lt_f32x8_splat(n2_add);
		*(lt_f32x8_u *)&n2[v1 + 16] = v313 / lt_f32x8_splat(n2_add);
		*(lt_f32x8_u *)&n2[v1 + 24] = v350 / lt_f32x8_splat(n2_add);
		*(lt_f32x8_u *)&n2[v1 + 32] = v387 / lt_f32x8_splat(n2_add);
		*(lt_f32x8_u *)&n2[v1 + 40] = v424 / lt_f32x8_splat(n2_add);
		*(lt_f32x8_u *)&n2[v1 + 48] = v461 / lt_f32x8_splat(n2_add);
		*(lt_f32x8_u *)&n2[v1 + 56] = v498 / lt_f32x8_splat(n2_add);
		*(lt_f32x8_u *)&n2[v1 + 64] = v535 / lt_f32x8_splat(n2_add);
		*(lt_f32x8_u *)&n2[v1 + 72] = v572 / lt_f32x8_splat(n2_add);
		*(lt_f32x8_u *)&n2[v1 + 80] = v609 / lt_f32x8_splat(n2_add);
		*(lt_f32x8_u *)&n2[v1 + 88] = v646 / lt_f32x8_splat(n2_add);
		/* %2 = div, line 3 */
		*(lt_f32x4_u *)&n2[v1 + 96] = v683 / lt_f32x4_splat(n2_add);
	}
}

LT_ENTRY void k0_2_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k0_2_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k0_2(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}
