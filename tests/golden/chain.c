#include <stdint.h>
#include <math.h>

#define LT_KERNEL static __attribute__((noinline))

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

typedef float lt_f32x8 __attribute__((vector_size(32)));

#define LT_VFN static inline __attribute__((always_inline, unused))

LT_VFN lt_f32x8 lt_all_f32x8(float x) { return x - (lt_f32x8){ 0 }; }

typedef int32_t lt_i32x8 __attribute__((vector_size(32)));

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

typedef float lt_f32x8_u __attribute__((vector_size(32), aligned(1), may_alias));

LT_VFN lt_f32x8 lt_sigmoid_f32x8(lt_f32x8 x) { return 1.0f / (1.0f + lt_exp_f32x8(-x)); }

LT_VFN lt_f32x8 lt_sqrt_f32x8(lt_f32x8 a)
{
	lt_f32x8 r = a;
#if defined(__AVX512F__) && 8 * 32 == 512 || defined(__AVX__) && (8 * 32 == 256 || 8 * 32 == 128)
	__asm__("vsqrtps %1, %0" : "=v"(r) : "v"(a));
#elif defined(__SSE2__) && 8 * 32 == 128
	__asm__("sqrtps %1, %0" : "=x"(r) : "x"(a));
#elif defined(__aarch64__) && 8 * 32 == 128
	__asm__("fsqrt %0.4s, %1.4s" : "=w"(r) : "w"(a));
#else
	for (int i = 0; i < 8; i++)
		r[i] = sqrtf(a[i]);
#endif
	return r;
}

/* kernel k0_5: loop tree da4959acefb2a91e57ebec1a3bef1632, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL void k0_5(const float *restrict v1, float *restrict v5)
{
	for (int64_t i = 0; i < 125; i++) {
		{
			/* %2 = exp, line 3 */
			const lt_f32x8 v2 = lt_exp_f32x8(*(const lt_f32x8_u *)(v1 + 8*i));
			/* %3.sigmoid = sigmoid, line 4 */
			const lt_f32x8 v3_sigmoid = lt_sigmoid_f32x8(v2);
			/* %3 = mul, line 4 */
			const lt_f32x8 v3 = v2 * v3_sigmoid;
			/* %4 = add, line 5 */
			const lt_f32x8 v4 = v3 + *(const lt_f32x8_u *)(v1 + 8*i);
			/* %5 = sqrt, line 6 */
			*(lt_f32x8_u *)(v5 + 8*i) = lt_sqrt_f32x8(v4);
		}
	}
}

void k0_5_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k0_5(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}
