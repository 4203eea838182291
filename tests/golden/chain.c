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

typedef float lt_f32x8 __attribute__((vector_size(32)));

typedef float lt_f32x8_u __attribute__((vector_size(32), aligned(4), may_alias));

#define LT_LANES static inline __attribute__((always_inline, unused))

LT_LANES lt_f32x8 lt_f32x8_splat(float x) { return x - (lt_f32x8){ 0 }; }

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

LT_LANES lt_i32x8 lt_i32x8_splat(int32_t x) { return x - (lt_i32x8){ 0 }; }

typedef uint32_t lt_u32x8 __attribute__((vector_size(32)));

LT_LANES lt_f32x8 lt_f32x8_sqrt(lt_f32x8 a)
{
	lt_f32x8 r = a;
#if defined(__AVX512F__) && 8 * 32 == 512
	__asm__("vsqrtps %1, %0" : "=v"(r) : "v"(a));
#elif defined(__AVX__) && (8 * 32 == 256 || 8 * 32 == 128)
	__asm__("vsqrtps %1, %0" : "=x"(r) : "x"(a));
#elif defined(__SSE2__) && 8 * 32 == 128
	__asm__("sqrtps %1, %0" : "=x"(r) : "x"(a));
#elif defined(__aarch64__) && 8 * 32 == 128
	__asm__("fsqrt %0.4s, %1.4s" : "=w"(r) : "w"(a));
#elif defined(__wasm_simd128__) && 8 * 32 == 128
	r = __builtin_elementwise_sqrt(a);
#else
	for (int i = 0; i < 8; i++)
		r[i] = sqrtf(a[i]);
#endif
	return r;
}

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k0_5: loop tree da4959acefb2a91e57ebec1a3bef1632, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k0_5(const float *restrict n1, float *restrict n5)
{
	for (int64_t i = 0; i < 125; i++) {
		/* %2 = exp, line 3 */
		const int64_t v1 = i * 8;
		const lt_f32x8 v4 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), *(const lt_f32x8_u *)&n1[v1]));
		const lt_f32x8 v6 = v4 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v7 = v6 - 0x1.8p23f;
		const lt_f32x8 v11 = v7 * 0x1.bd0106p-13f + (v7 * -0x1.63p-1f + v4);
		const lt_f32x8 v19 = (((v11 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v11 + 0x1.5558bep-5f) * v11 + 0x1.555492p-3f) * v11 + 0x1.fffffcp-2f;
		const lt_i32x8 v25 = (lt_i32x8)v6 - 1262485250;
		const lt_i32x8 v26 = (lt_i32x8)((lt_u32x8)v25 >> 1);
		const lt_f32x8 v33 = (v19 * (v11 * v11) + v11 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v26 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v25 - v26) << 23);
		/* %3.sigmoid = sigmoid, line 4 */
		const lt_f32x8 v36 = lt_f32x8_lesser(lt_f32x8_splat(89.0f), lt_f32x8_larger(lt_f32x8_splat(-104.5f), -v33));
		const lt_f32x8 v38 = v36 * 0x1.715476p0f + 0x1.8p23f;
		const lt_f32x8 v39 = v38 - 0x1.8p23f;
		const lt_f32x8 v43 = v39 * 0x1.bd0106p-13f + (v39 * -0x1.63p-1f + v36);
		const lt_f32x8 v51 = (((v43 * 0x1.6a3fa6p-10f + 0x1.1239e2p-7f) * v43 + 0x1.5558bep-5f) * v43 + 0x1.555492p-3f) * v43 + 0x1.fffffcp-2f;
		const lt_i32x8 v57 = (lt_i32x8)v38 - 1262485250;
		const lt_i32x8 v58 = (lt_i32x8)((lt_u32x8)v57 >> 1);
		const lt_f32x8 v65 = (v51 * (v43 * v43) + v43 + 1.0f) * (lt_f32x8)(lt_i32x8)((lt_u32x8)v58 << 23) * (lt_f32x8)(lt_i32x8)((lt_u32x8)(v57 - v58) << 23);
		/* %5 = sqrt, line 6 */
		*(lt_f32x8_u *)&n5[v1] = lt_f32x8_sqrt(v33 * (1.0f / (v65 + 1.0f)) + *(const lt_f32x8_u *)&n1[v1]);
	}
}

LT_ENTRY void k0_5_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k0_5_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k0_5(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}
