#include <stdint.h>

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

typedef float lt_f32x16 __attribute__((vector_size(64)));

#define LT_VFN static inline __attribute__((always_inline, unused))

LT_VFN lt_f32x16 lt_all_f32x16(float x) { return x - (lt_f32x16){ 0 }; }

typedef float lt_f32x16_u __attribute__((vector_size(64), aligned(1), may_alias));

typedef int32_t lt_i32x16 __attribute__((vector_size(64)));

LT_VFN lt_f32x16 lt_most_f32x16(lt_f32x16 a, lt_f32x16 b)
{
	lt_i32x16 m = (lt_i32x16)(b >= a);
	return (lt_f32x16)((m & (lt_i32x16)b) | (~m & (lt_i32x16)a));
}

/* kernel k0_6: loop tree 973904bcbd22e3d961020d0b9278f2c3, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL void k0_6(const float *restrict v1, const float *restrict v2, const float *restrict v3, float *restrict v6)
{
	for (int64_t m = 0; m < 1; m++) {
		lt_f32x16 v4_0, v4_1, v4_2_2, v4_3, v4_4, v4_5, v4_6, v4_7;
		lt_f32x16 v4_8, v4_9, v4_10, v4_11, v4_12, v4_13;
		/* %4 = add.reduce, line 6 */
		v4_0 = lt_all_f32x16(0.0f);
		v4_1 = lt_all_f32x16(0.0f);
		v4_2_2 = lt_all_f32x16(0.0f);
		v4_3 = lt_all_f32x16(0.0f);
		v4_4 = lt_all_f32x16(0.0f);
		v4_5 = lt_all_f32x16(0.0f);
		v4_6 = lt_all_f32x16(0.0f);
		v4_7 = lt_all_f32x16(0.0f);
		v4_8 = lt_all_f32x16(0.0f);
		v4_9 = lt_all_f32x16(0.0f);
		v4_10 = lt_all_f32x16(0.0f);
		v4_11 = lt_all_f32x16(0.0f);
		v4_12 = lt_all_f32x16(0.0f);
		v4_13 = lt_all_f32x16(0.0f);
		for (int64_t k = 0; k < 24; k++) {
			{
				/* %4.mul = mul, line 6 */
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k]) * *(const lt_f32x16_u *)(v2 + 32*k);
				v4_0 = v4_0 + v4_mul;
			}
			{
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k]) * *(const lt_f32x16_u *)(v2 + 32*k + 16);
				v4_1 = v4_1 + v4_mul;
			}
			{
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k + 24]) * *(const lt_f32x16_u *)(v2 + 32*k);
				v4_2_2 = v4_2_2 + v4_mul;
			}
			{
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k + 24]) * *(const lt_f32x16_u *)(v2 + 32*k + 16);
				v4_3 = v4_3 + v4_mul;
			}
			{
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k + 48]) * *(const lt_f32x16_u *)(v2 + 32*k);
				v4_4 = v4_4 + v4_mul;
			}
			{
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k + 48]) * *(const lt_f32x16_u *)(v2 + 32*k + 16);
				v4_5 = v4_5 + v4_mul;
			}
			{
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k + 72]) * *(const lt_f32x16_u *)(v2 + 32*k);
				v4_6 = v4_6 + v4_mul;
			}
			{
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k + 72]) * *(const lt_f32x16_u *)(v2 + 32*k + 16);
				v4_7 = v4_7 + v4_mul;
			}
			{
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k + 96]) * *(const lt_f32x16_u *)(v2 + 32*k);
				v4_8 = v4_8 + v4_mul;
			}
			{
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k + 96]) * *(const lt_f32x16_u *)(v2 + 32*k + 16);
				v4_9 = v4_9 + v4_mul;
			}
			{
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k + 120]) * *(const lt_f32x16_u *)(v2 + 32*k);
				v4_10 = v4_10 + v4_mul;
			}
			{
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k + 120]) * *(const lt_f32x16_u *)(v2 + 32*k + 16);
				v4_11 = v4_11 + v4_mul;
			}
			{
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k + 144]) * *(const lt_f32x16_u *)(v2 + 32*k);
				v4_12 = v4_12 + v4_mul;
			}
			{
				const lt_f32x16 v4_mul = lt_all_f32x16(v1[168*m + k + 144]) * *(const lt_f32x16_u *)(v2 + 32*k + 16);
				v4_13 = v4_13 + v4_mul;
			}
		}
		{
			/* %5 = add, line 7 */
			const lt_f32x16 v5 = v4_0 + *(const lt_f32x16_u *)(v3);
			/* %6 = max, line 8 */
			*(lt_f32x16_u *)(v6 + 224*m) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5 = v4_1 + *(const lt_f32x16_u *)(v3 + 16);
			*(lt_f32x16_u *)(v6 + 224*m + 16) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5 = v4_2_2 + *(const lt_f32x16_u *)(v3);
			*(lt_f32x16_u *)(v6 + 224*m + 32) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5 = v4_3 + *(const lt_f32x16_u *)(v3 + 16);
			*(lt_f32x16_u *)(v6 + 224*m + 48) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5 = v4_4 + *(const lt_f32x16_u *)(v3);
			*(lt_f32x16_u *)(v6 + 224*m + 64) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5 = v4_5 + *(const lt_f32x16_u *)(v3 + 16);
			*(lt_f32x16_u *)(v6 + 224*m + 80) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5 = v4_6 + *(const lt_f32x16_u *)(v3);
			*(lt_f32x16_u *)(v6 + 224*m + 96) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5 = v4_7 + *(const lt_f32x16_u *)(v3 + 16);
			*(lt_f32x16_u *)(v6 + 224*m + 112) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5 = v4_8 + *(const lt_f32x16_u *)(v3);
			*(lt_f32x16_u *)(v6 + 224*m + 128) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5 = v4_9 + *(const lt_f32x16_u *)(v3 + 16);
			*(lt_f32x16_u *)(v6 + 224*m + 144) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5 = v4_10 + *(const lt_f32x16_u *)(v3);
			*(lt_f32x16_u *)(v6 + 224*m + 160) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5 = v4_11 + *(const lt_f32x16_u *)(v3 + 16);
			*(lt_f32x16_u *)(v6 + 224*m + 176) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5 = v4_12 + *(const lt_f32x16_u *)(v3);
			*(lt_f32x16_u *)(v6 + 224*m + 192) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5 = v4_13 + *(const lt_f32x16_u *)(v3 + 16);
			*(lt_f32x16_u *)(v6 + 224*m + 208) = lt_most_f32x16(v5, lt_all_f32x16(0.0f));
		}
	}
	for (int64_t m = 0; m < 1; m++) {
		lt_f32x16 v4_2_0, v4_2_1, v4_2_2_2, v4_2_3, v4_2_4, v4_2_5, v4_2_6, v4_2_7;
		lt_f32x16 v4_2_8, v4_2_9, v4_2_10, v4_2_11;
		v4_2_0 = lt_all_f32x16(0.0f);
		v4_2_1 = lt_all_f32x16(0.0f);
		v4_2_2_2 = lt_all_f32x16(0.0f);
		v4_2_3 = lt_all_f32x16(0.0f);
		v4_2_4 = lt_all_f32x16(0.0f);
		v4_2_5 = lt_all_f32x16(0.0f);
		v4_2_6 = lt_all_f32x16(0.0f);
		v4_2_7 = lt_all_f32x16(0.0f);
		v4_2_8 = lt_all_f32x16(0.0f);
		v4_2_9 = lt_all_f32x16(0.0f);
		v4_2_10 = lt_all_f32x16(0.0f);
		v4_2_11 = lt_all_f32x16(0.0f);
		for (int64_t k = 0; k < 24; k++) {
			{
				const lt_f32x16 v4_mul_2 = lt_all_f32x16(v1[168*m + k + 168]) * *(const lt_f32x16_u *)(v2 + 32*k);
				v4_2_0 = v4_2_0 + v4_mul_2;
			}
			{
				const lt_f32x16 v4_mul_2 = lt_all_f32x16(v1[168*m + k + 168]) * *(const lt_f32x16_u *)(v2 + 32*k + 16);
				v4_2_1 = v4_2_1 + v4_mul_2;
			}
			{
				const lt_f32x16 v4_mul_2 = lt_all_f32x16(v1[168*m + k + 192]) * *(const lt_f32x16_u *)(v2 + 32*k);
				v4_2_2_2 = v4_2_2_2 + v4_mul_2;
			}
			{
				const lt_f32x16 v4_mul_2 = lt_all_f32x16(v1[168*m + k + 192]) * *(const lt_f32x16_u *)(v2 + 32*k + 16);
				v4_2_3 = v4_2_3 + v4_mul_2;
			}
			{
				const lt_f32x16 v4_mul_2 = lt_all_f32x16(v1[168*m + k + 216]) * *(const lt_f32x16_u *)(v2 + 32*k);
				v4_2_4 = v4_2_4 + v4_mul_2;
			}
			{
				const lt_f32x16 v4_mul_2 = lt_all_f32x16(v1[168*m + k + 216]) * *(const lt_f32x16_u *)(v2 + 32*k + 16);
				v4_2_5 = v4_2_5 + v4_mul_2;
			}
			{
				const lt_f32x16 v4_mul_2 = lt_all_f32x16(v1[168*m + k + 240]) * *(const lt_f32x16_u *)(v2 + 32*k);
				v4_2_6 = v4_2_6 + v4_mul_2;
			}
			{
				const lt_f32x16 v4_mul_2 = lt_all_f32x16(v1[168*m + k + 240]) * *(const lt_f32x16_u *)(v2 + 32*k + 16);
				v4_2_7 = v4_2_7 + v4_mul_2;
			}
			{
				const lt_f32x16 v4_mul_2 = lt_all_f32x16(v1[168*m + k + 264]) * *(const lt_f32x16_u *)(v2 + 32*k);
				v4_2_8 = v4_2_8 + v4_mul_2;
			}
			{
				const lt_f32x16 v4_mul_2 = lt_all_f32x16(v1[168*m + k + 264]) * *(const lt_f32x16_u *)(v2 + 32*k + 16);
				v4_2_9 = v4_2_9 + v4_mul_2;
			}
			{
				const lt_f32x16 v4_mul_2 = lt_all_f32x16(v1[168*m + k + 288]) * *(const lt_f32x16_u *)(v2 + 32*k);
				v4_2_10 = v4_2_10 + v4_mul_2;
			}
			{
				const lt_f32x16 v4_mul_2 = lt_all_f32x16(v1[168*m + k + 288]) * *(const lt_f32x16_u *)(v2 + 32*k + 16);
				v4_2_11 = v4_2_11 + v4_mul_2;
			}
		}
		{
			const lt_f32x16 v5_2 = v4_2_0 + *(const lt_f32x16_u *)(v3);
			*(lt_f32x16_u *)(v6 + 224*m + 224) = lt_most_f32x16(v5_2, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5_2 = v4_2_1 + *(const lt_f32x16_u *)(v3 + 16);
			*(lt_f32x16_u *)(v6 + 224*m + 240) = lt_most_f32x16(v5_2, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5_2 = v4_2_2_2 + *(const lt_f32x16_u *)(v3);
			*(lt_f32x16_u *)(v6 + 224*m + 256) = lt_most_f32x16(v5_2, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5_2 = v4_2_3 + *(const lt_f32x16_u *)(v3 + 16);
			*(lt_f32x16_u *)(v6 + 224*m + 272) = lt_most_f32x16(v5_2, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5_2 = v4_2_4 + *(const lt_f32x16_u *)(v3);
			*(lt_f32x16_u *)(v6 + 224*m + 288) = lt_most_f32x16(v5_2, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5_2 = v4_2_5 + *(const lt_f32x16_u *)(v3 + 16);
			*(lt_f32x16_u *)(v6 + 224*m + 304) = lt_most_f32x16(v5_2, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5_2 = v4_2_6 + *(const lt_f32x16_u *)(v3);
			*(lt_f32x16_u *)(v6 + 224*m + 320) = lt_most_f32x16(v5_2, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5_2 = v4_2_7 + *(const lt_f32x16_u *)(v3 + 16);
			*(lt_f32x16_u *)(v6 + 224*m + 336) = lt_most_f32x16(v5_2, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5_2 = v4_2_8 + *(const lt_f32x16_u *)(v3);
			*(lt_f32x16_u *)(v6 + 224*m + 352) = lt_most_f32x16(v5_2, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5_2 = v4_2_9 + *(const lt_f32x16_u *)(v3 + 16);
			*(lt_f32x16_u *)(v6 + 224*m + 368) = lt_most_f32x16(v5_2, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5_2 = v4_2_10 + *(const lt_f32x16_u *)(v3);
			*(lt_f32x16_u *)(v6 + 224*m + 384) = lt_most_f32x16(v5_2, lt_all_f32x16(0.0f));
		}
		{
			const lt_f32x16 v5_2 = v4_2_11 + *(const lt_f32x16_u *)(v3 + 16);
			*(lt_f32x16_u *)(v6 + 224*m + 400) = lt_most_f32x16(v5_2, lt_all_f32x16(0.0f));
		}
	}
}

void k0_6_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k0_6(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3));
}

typedef uint16_t lt_u16x16 __attribute__((vector_size(32)));

typedef uint32_t lt_u32x16 __attribute__((vector_size(64)));

LT_VFN lt_u16x16 lt_cast_i32_u16x16(lt_i32x16 a) { return __builtin_convertvector(a, lt_u16x16); }

LT_VFN lt_u16x16 lt_cast_f32_f16x16(lt_f32x16 a)
{
#if defined(__AVX512F__) && 16 == 16
	lt_u16x16 r;
	__asm__("vcvtps2ph $0, %1, %0" : "=v"(r) : "v"(a));
	return r;
#elif defined(__F16C__) && 16 == 8
	lt_u16x16 r;
	__asm__("vcvtps2ph $0, %1, %0" : "=x"(r) : "x"(a));
	return r;
#else
	lt_u32x16 u = (lt_u32x16)a, sign = u & 0x80000000u, twice = u + u, bias = twice & 0xff000000u;
	lt_f32x16 base = (lt_f32x16)(u - sign) * 0x1p112f * 0x1p-110f;
	lt_u32x16 m = (lt_u32x16)(bias < 0x71000000u);
	bias = (((m & 0x71000000u) | (~m & bias)) >> 1) + 0x07800000u;
	lt_u32x16 sum = (lt_u32x16)((lt_f32x16)bias + base), rest = ((sum >> 13) & 0x7c00u) + (sum & 0x0fffu);
	m = (lt_u32x16)(twice > 0xff000000u);
	return lt_cast_i32_u16x16((lt_i32x16)(sign >> 16 | (m & 0x7e00u) | (~m & rest)));
#endif
}

LT_VFN lt_f32x16 lt_cast_bf16_f32x16(lt_u16x16 a) { return (lt_f32x16)(__builtin_convertvector(a, lt_u32x16) << 16); }

LT_VFN lt_u16x16 lt_cast_bf16_f16x16(lt_u16x16 a) { return lt_cast_f32_f16x16(lt_cast_bf16_f32x16(a)); }

typedef uint16_t lt_u16x16_u __attribute__((vector_size(32), aligned(1), may_alias));

LT_VFN lt_f32x16 lt_cast_f16_f32x16(lt_u16x16 a)
{
#if defined(__AVX512F__) && 16 == 16
	lt_f32x16 r;
	__asm__("vcvtph2ps %1, %0" : "=v"(r) : "v"(a));
	return r;
#elif defined(__F16C__) && 16 == 8
	lt_f32x16 r;
	__asm__("vcvtph2ps %1, %0" : "=x"(r) : "x"(a));
	return r;
#else
	lt_u32x16 h = __builtin_convertvector(a, lt_u32x16), w = h << 17;
	lt_f32x16 normal = (lt_f32x16)((w >> 4) + 0x70000000u) * 0x1p-112f, small = (lt_f32x16)((w >> 17) | 0x3f000000u) - 0.5f;
	lt_u32x16 m = (lt_u32x16)(w < 0x08000000u);
	return (lt_f32x16)((m & (lt_u32x16)small) | (~m & (lt_u32x16)normal) | (h & 0x8000u) << 16);
#endif
}

typedef uint16_t lt_u16x2 __attribute__((vector_size(4)));

typedef float lt_f32x2 __attribute__((vector_size(8)));

typedef uint32_t lt_u32x2 __attribute__((vector_size(8)));

typedef int32_t lt_i32x2 __attribute__((vector_size(8)));

LT_VFN lt_u16x2 lt_cast_i32_u16x2(lt_i32x2 a) { return __builtin_convertvector(a, lt_u16x2); }

LT_VFN lt_u16x2 lt_cast_f32_f16x2(lt_f32x2 a)
{
#if defined(__AVX512F__) && 2 == 16
	lt_u16x2 r;
	__asm__("vcvtps2ph $0, %1, %0" : "=v"(r) : "v"(a));
	return r;
#elif defined(__F16C__) && 2 == 8
	lt_u16x2 r;
	__asm__("vcvtps2ph $0, %1, %0" : "=x"(r) : "x"(a));
	return r;
#else
	lt_u32x2 u = (lt_u32x2)a, sign = u & 0x80000000u, twice = u + u, bias = twice & 0xff000000u;
	lt_f32x2 base = (lt_f32x2)(u - sign) * 0x1p112f * 0x1p-110f;
	lt_u32x2 m = (lt_u32x2)(bias < 0x71000000u);
	bias = (((m & 0x71000000u) | (~m & bias)) >> 1) + 0x07800000u;
	lt_u32x2 sum = (lt_u32x2)((lt_f32x2)bias + base), rest = ((sum >> 13) & 0x7c00u) + (sum & 0x0fffu);
	m = (lt_u32x2)(twice > 0xff000000u);
	return lt_cast_i32_u16x2((lt_i32x2)(sign >> 16 | (m & 0x7e00u) | (~m & rest)));
#endif
}

LT_VFN lt_f32x2 lt_cast_bf16_f32x2(lt_u16x2 a) { return (lt_f32x2)(__builtin_convertvector(a, lt_u32x2) << 16); }

LT_VFN lt_u16x2 lt_cast_bf16_f16x2(lt_u16x2 a) { return lt_cast_f32_f16x2(lt_cast_bf16_f32x2(a)); }

typedef uint16_t lt_u16x2_u __attribute__((vector_size(4), aligned(1), may_alias));

LT_VFN lt_f32x2 lt_cast_f16_f32x2(lt_u16x2 a)
{
#if defined(__AVX512F__) && 2 == 16
	lt_f32x2 r;
	__asm__("vcvtph2ps %1, %0" : "=v"(r) : "v"(a));
	return r;
#elif defined(__F16C__) && 2 == 8
	lt_f32x2 r;
	__asm__("vcvtph2ps %1, %0" : "=x"(r) : "x"(a));
	return r;
#else
	lt_u32x2 h = __builtin_convertvector(a, lt_u32x2), w = h << 17;
	lt_f32x2 normal = (lt_f32x2)((w >> 4) + 0x70000000u) * 0x1p-112f, small = (lt_f32x2)((w >> 17) | 0x3f000000u) - 0.5f;
	lt_u32x2 m = (lt_u32x2)(w < 0x08000000u);
	return (lt_f32x2)((m & (lt_u32x2)small) | (~m & (lt_u32x2)normal) | (h & 0x8000u) << 16);
#endif
}

/* kernel k1_10: loop tree a3a9fe2193f11cdeb653987bf326437a, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL void k1_10(const uint16_t *restrict v8, const uint16_t *restrict v7, uint16_t *restrict v10)
{
	for (int64_t i4 = 0; i4 < 3; i4++) {
		{
			/* %9 = cast, line 12 */
			const lt_u16x16 v9 = lt_cast_bf16_f16x16(*(const lt_u16x16_u *)(v8 + 16*i4));
			/* %10.cast = cast, line 13 */
			const lt_f32x16 v10_cast = lt_cast_f16_f32x16(*(const lt_u16x16_u *)(v7 + 16*i4));
			/* %10.cast2 = cast, line 13 */
			const lt_f32x16 v10_cast2 = lt_cast_f16_f32x16(v9);
			/* %10.mul = mul, line 13 */
			const lt_f32x16 v10_mul = v10_cast * v10_cast2;
			/* %10 = cast, line 13 */
			*(lt_u16x16_u *)(v10 + 16*i4) = lt_cast_f32_f16x16(v10_mul);
		}
	}
	for (int64_t i4 = 0; i4 < 1; i4++) {
		{
			const lt_u16x2 v9_2 = lt_cast_bf16_f16x2(*(const lt_u16x2_u *)(v8 + 16*i4 + 48));
			const lt_f32x2 v10_cast_2 = lt_cast_f16_f32x2(*(const lt_u16x2_u *)(v7 + 16*i4 + 48));
			const lt_f32x2 v10_cast2_2 = lt_cast_f16_f32x2(v9_2);
			const lt_f32x2 v10_mul_2 = v10_cast_2 * v10_cast2_2;
			*(lt_u16x2_u *)(v10 + 16*i4 + 48) = lt_cast_f32_f16x2(v10_mul_2);
		}
	}
}

void k1_10_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k1_10(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2));
}
