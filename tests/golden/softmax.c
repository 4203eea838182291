#include <math.h>
#include <stdint.h>

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
		__attribute__((aligned(64))) float n2_exp[100];
		/* %2.max.part = max.reduce, line 3 */
		*(lt_f32x8_u *)&n2_max_part[0] = lt_f32x8_splat(-INFINITY);
		*(lt_f32x8_u *)&n2_max_part[8] = lt_f32x8_splat(-INFINITY);
		*(lt_f32x8_u *)&n2_max_part[16] = lt_f32x8_splat(-INFINITY);
		*(lt_f32x8_u *)&n2_max_part[24] = lt_f32x8_splat(-INFINITY);
		for (int64_t j = 0; j < 3; j++) {
			/* %2.max.part = max.reduce, line 3 */
			const int64_t v4 = i * 100 + j * 32;
			const lt_f32x8 v5 = *(const lt_f32x8_u *)&n1[v4];
			const lt_f32x8 v6 = *(const lt_f32x8_u *)&n2_max_part[0];
			const lt_i32x8 v9 = (lt_i32x8)lt_f32x8_larger(v6, v5);
			const lt_i32x8 v10 = (lt_i32x8)lt_f32x8_larger(v5, v6);
			*(lt_f32x8_u *)&n2_max_part[0] = (lt_f32x8)((v9 | v10) & ((v9 & v10) | 2147483647));
			const lt_f32x8 v16 = *(const lt_f32x8_u *)&n1[v4 + 8];
			const lt_f32x8 v17 = *(const lt_f32x8_u *)&n2_max_part[8];
			const lt_i32x8 v20 = (lt_i32x8)lt_f32x8_larger(v17, v16);
			const lt_i32x8 v21 = (lt_i32x8)lt_f32x8_larger(v16, v17);
			*(lt_f32x8_u *)&n2_max_part[8] = (lt_f32x8)((v20 | v21) & ((v20 & v21) | 2147483647));
			const lt_f32x8 v27 = *(const lt_f32x8_u *)&n1[v4 + 16];
			const lt_f32x8 v28 = *(const lt_f32x8_u *)&n2_max_part[16];
			const lt_i32x8 v31 = (lt_i32x8)lt_f32x8_larger(v28, v27);
			const lt_i32x8 v32 = (lt_i32x8)lt_f32x8_larger(v27, v28);
			*(lt_f32x8_u *)&n2_max_part[16] = (lt_f32x8)((v31 | v32) & ((v31 & v32) | 2147483647));
			const lt_f32x8 v38 = *(const lt_f32x8_u *)&n1[v4 + 24];
			const lt_f32x8 v39 = *(const lt_f32x8_u *)&n2_max_part[24];
			const lt_i32x8 v42 = (lt_i32x8)lt_f32x8_larger(v39, v38);
			const lt_i32x8 v43 = (lt_i32x8)lt_f32x8_larger(v38, v39);
			*(lt_f32x8_u *)&n2_max_part[24] = (lt_f32x8)((v42 | v43) & ((v42 & v43) | 2147483647));
		}
		/* %2.max.part = max.reduce, line 3 */
		const int64_t v49 = i * 100;
		const lt_f32x4 v50 = *(const lt_f32x4_u *)&n1[v49 + 96];
		const lt_f32x4 v51 = *(const lt_f32x4_u *)&n2_max_part[0];
		const lt_i32x4 v54 = (lt_i32x4)lt_f32x4_larger(v51, v50);
		const lt_i32x4 v55 = (lt_i32x4)lt_f32x4_larger(v50, v51);
		*(lt_f32x4_u *)&n2_max_part[0] = (lt_f32x4)((v54 | v55) & ((v54 & v55) | 2147483647));
		/* %2.max = max.reduce, line 3 */
		float n2_max = -INFINITY;
		/* %2.max = max.reduce, line 3 */
		lt_f32x8 sum = lt_f32x8_splat(-INFINITY);
		sum = *(const lt_f32x8_u *)&n2_max_part[0];
		const lt_f32x8 v62 = *(const lt_f32x8_u *)&n2_max_part[8];
		const lt_i32x8 v66 = (lt_i32x8)lt_f32x8_larger(sum, v62);
		const lt_i32x8 v67 = (lt_i32x8)lt_f32x8_larger(v62, sum);
		sum = (lt_f32x8)((v66 | v67) & ((v66 & v67) | 2147483647));
		const lt_f32x8 v73 = *(const lt_f32x8_u *)&n2_max_part[16];
		const lt_i32x8 v77 = (lt_i32x8)lt_f32x8_larger(sum, v73);
		const lt_i32x8 v78 = (lt_i32x8)lt_f32x8_larger(v73, sum);
		sum = (lt_f32x8)((v77 | v78) & ((v77 & v78) | 2147483647));
		const lt_f32x8 v84 = *(const lt_f32x8_u *)&n2_max_part[24];
		const lt_i32x8 v88 = (lt_i32x8)lt_f32x8_larger(sum, v84);
		const lt_i32x8 v89 = (lt_i32x8)lt_f32x8_larger(v84, sum);
		sum = (lt_f32x8)((v88 | v89) & ((v88 & v89) | 2147483647));
		const lt_f32x4 v96 = (lt_f32x4){ sum[0], sum[1], sum[2], sum[3] };
		const lt_f32x4 v97 = (lt_f32x4){ sum[4], sum[5], sum[6], sum[7] };
		const lt_i32x4 v100 = (lt_i32x4)lt_f32x4_larger(v96, v97);
		const lt_i32x4 v101 = (lt_i32x4)lt_f32x4_larger(v97, v96);
		const lt_f32x4 v106 = (lt_f32x4)((v100 | v101) & ((v100 & v101) | 2147483647));
		const lt_f32x2 v107 = (lt_f32x2){ v106[0], v106[1] };
		const lt_f32x2 v108 = (lt_f32x2){ v106[2], v106[3] };
		const lt_i32x2 v111 = (lt_i32x2)lt_f32x2_larger(v107, v108);
		const lt_i32x2 v112 = (lt_i32x2)lt_f32x2_larger(v108, v107);
		const lt_f32x2 v117 = (lt_f32x2)((v111 | v112) & ((v111 & v112) | 2147483647));
		n2_max = lt_f32_max(n2_max, lt_f32_max(v117[0], v117[1]));
		/* %2.add.part = add.reduce, line 3 */
		*(lt_f32x8_u *)&n2_add_part[0] = lt_f32x8_splat(0.0f);
		*(lt_f32x8_u *)&n2_add_part[8] = lt_f32x8_splat(0.0f);
		*(lt_f32x8_u *)&n2_add_part[16] = lt_f32x8_splat(0.0f);
		*(lt_f32x8_u *)&n2_add_part[24] = lt_f32x8_splat(0.0f);
		for (int64_t j = 0; j < 3; j++) {
			/* %2.sub = sub, line 3 */
			const int64_t v122 = j * 32;
			const int64_t v123 = v49 + v122;
			/* %2.exp = exp, line 3 */
			const lt_f32x8 v129 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v123] - lt_f32x8_splat(n2_max)));
			const lt_f32x8 v131 = v129 * 0x1.715476p0f + 0x1.8p23f;
			const lt_f32x8 v132 = v131 - 0x1.8p23f;
			const lt_f32x8 v136 = v132 * 0x1.bd0106p-13f + (v132 * -0x1.63p-1f + v129);
			const lt_f32x8 v144 = (((v136 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v136 + 0x1.5558bep-5f) * v136 + 0x1.555492p-3f) * v136 + 0x1.fffffcp-2f;
			const lt_i32x8 v150 = (lt_i32x8)v131 - 1262485250;
			const lt_i32x8 v151 = (lt_i32x8)((lt_u32x8)v150 >> 1);
			const lt_f32x8 v158 = (v144 * (v136 * v136) + v136 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v151 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v150 - v151) << 23);
			*(lt_f32x8_u *)&n2_exp[v122] = v158;
			/* %2.add.part = add.reduce, line 3 */
			*(lt_f32x8_u *)&n2_add_part[0] = *(const lt_f32x8_u *)&n2_add_part[0] + *(const lt_f32x8_u *)&n2_exp[v122];
			const lt_f32x8 v166 = lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v123 + 8] - lt_f32x8_splat(n2_max));
			const lt_f32x8 v167 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), v166);
			const lt_f32x8 v169 = v167 * 0x1.715476p0f + 0x1.8p23f;
			const lt_f32x8 v170 = v169 - 0x1.8p23f;
			const lt_f32x8 v174 = v170 * 0x1.bd0106p-13f + (v170 * -0x1.63p-1f + v167);
			const lt_f32x8 v182 = (((v174 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v174 + 0x1.5558bep-5f) * v174 + 0x1.555492p-3f) * v174 + 0x1.fffffcp-2f;
			const lt_i32x8 v188 = (lt_i32x8)v169 - 1262485250;
			const lt_i32x8 v189 = (lt_i32x8)((lt_u32x8)v188 >> 1);
			const lt_f32x8 v196 = (v182 * (v174 * v174) + v174 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v189 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v188 - v189) << 23);
			*(lt_f32x8_u *)&n2_exp[v122 + 8] = v196;
			*(lt_f32x8_u *)&n2_add_part[8] = *(const lt_f32x8_u *)&n2_add_part[8] + *(const lt_f32x8_u *)&n2_exp[v122 + 8];
			const lt_f32x8 v204 = lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v123 + 16] - lt_f32x8_splat(n2_max));
			const lt_f32x8 v205 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), v204);
			const lt_f32x8 v207 = v205 * 0x1.715476p0f + 0x1.8p23f;
			const lt_f32x8 v208 = v207 - 0x1.8p23f;
			const lt_f32x8 v212 = v208 * 0x1.bd0106p-13f + (v208 * -0x1.63p-1f + v205);
			const lt_f32x8 v220 = (((v212 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v212 + 0x1.5558bep-5f) * v212 + 0x1.555492p-3f) * v212 + 0x1.fffffcp-2f;
			const lt_i32x8 v226 = (lt_i32x8)v207 - 1262485250;
			const lt_i32x8 v227 = (lt_i32x8)((lt_u32x8)v226 >> 1);
			const lt_f32x8 v234 = (v220 * (v212 * v212) + v212 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v227 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v226 - v227) << 23);
			*(lt_f32x8_u *)&n2_exp[v122 + 16] = v234;
			*(lt_f32x8_u *)&n2_add_part[16] = *(const lt_f32x8_u *)&n2_add_part[16] + *(const lt_f32x8_u *)&n2_exp[v122 + 16];
			const lt_f32x8 v242 = lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v123 + 24] - lt_f32x8_splat(n2_max));
			const lt_f32x8 v243 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), v242);
			const lt_f32x8 v245 = v243 * 0x1.715476p0f + 0x1.8p23f;
			const lt_f32x8 v246 = v245 - 0x1.8p23f;
			const lt_f32x8 v250 = v246 * 0x1.bd0106p-13f + (v246 * -0x1.63p-1f + v243);
			const lt_f32x8 v258 = (((v250 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v250 + 0x1.5558bep-5f) * v250 + 0x1.555492p-3f) * v250 + 0x1.fffffcp-2f;
			const lt_i32x8 v264 = (lt_i32x8)v245 - 1262485250;
			const lt_i32x8 v265 = (lt_i32x8)((lt_u32x8)v264 >> 1);
			const lt_f32x8 v272 = (v258 * (v250 * v250) + v250 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v265 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v264 - v265) << 23);
			*(lt_f32x8_u *)&n2_exp[v122 + 24] = v272;
			*(lt_f32x8_u *)&n2_add_part[24] = *(const lt_f32x8_u *)&n2_add_part[24] + *(const lt_f32x8_u *)&n2_exp[v122 + 24];
		}
		/* %2.exp = exp, line 3 */
		const lt_f32x4 v280 = lt_f32x4_larger(lt_f32x4_splat(-104.5f), *(const lt_f32x4_u *)&n1[v49 + 96] - lt_f32x4_splat(n2_max));
		const lt_f32x4 v281 = lt_f32x4_lesser(lt_f32x4_splat(89.0f), v280);
		const lt_f32x4 v283 = v281 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x4 v284 = v283 - 0x1.8p23f;
		const lt_f32x4 v288 = v284 * 0x1.bd0106p-13f + (v284 * -0x1.63p-1f + v281);
		const lt_f32x4 v296 = (((v288 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v288 + 0x1.5558bep-5f) * v288 + 0x1.555492p-3f) * v288 + 0x1.fffffcp-2f;
		const lt_i32x4 v302 = (lt_i32x4)v283 - 1262485250;
		const lt_i32x4 v303 = (lt_i32x4)((lt_u32x4)v302 >> 1);
		const lt_f32x4 v310 = (v296 * (v288 * v288) + v288 + 1.0f) * (lt_f32x4)(lt_i32x4)((lt_u32x4)v303 << 23) * (lt_f32x4)(lt_i32x4)((lt_u32x4)(v302 - v303) << 23);
		*(lt_f32x4_u *)&n2_exp[96] = v310;
		/* %2.add.part = add.reduce, line 3 */
		*(lt_f32x4_u *)&n2_add_part[0] = *(const lt_f32x4_u *)&n2_add_part[0] + *(const lt_f32x4_u *)&n2_exp[96];
		/* %2.add = add.reduce, line 3 */
		float n2_add = 0.0f;
		/* %2.add = add.reduce, line 3 */
		lt_f32x8 sum_10 = lt_f32x8_splat(0.0f);
		sum_10 = *(const lt_f32x8_u *)&n2_add_part[0];
		sum_10 += *(const lt_f32x8_u *)&n2_add_part[8];
		sum_10 += *(const lt_f32x8_u *)&n2_add_part[16];
		sum_10 += *(const lt_f32x8_u *)&n2_add_part[24];
		n2_add += lt_f32x8_fold_add(sum_10);
		for (int64_t j = 0; j < 12; j++) {
			/* %2 = div, line 3 */
			const int64_t v321 = j * 8;
			*(lt_f32x8_u *)&n2[v49 + v321] = *(const lt_f32x8_u *)&n2_exp[v321] / lt_f32x8_splat(n2_add);
		}
		/* %2 = div, line 3 */
		*(lt_f32x4_u *)&n2[v49 + 96] = *(const lt_f32x4_u *)&n2_exp[96] / lt_f32x4_splat(n2_add);
	}
}

void k0_2_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
void k0_2_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k0_2(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}
