#include <stdint.h>

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

union lt_word { uint32_t u; float f; };

LT_FN float lt_bits_f32(uint32_t u) { union lt_word w; w.u = u; return w.f; }

LT_FN float lt_cast_bf16_f32(uint16_t h) { return lt_bits_f32((uint32_t)h << 16); }

LT_FN uint16_t lt_cast_f32_bf16(float x)
{
	union lt_word w;
	w.f = x;
	return (uint16_t)(x != x ? (w.u >> 16) | 0x40u : (w.u + 0x7fffu + (w.u >> 16 & 1)) >> 16);
}

typedef int32_t lt_i32x4 __attribute__((vector_size(16)));

typedef int8_t lt_i8x4 __attribute__((vector_size(4)));

#define LT_VFN static inline __attribute__((always_inline, unused))

LT_VFN lt_i32x4 lt_cast_i8_i32x4(lt_i8x4 a) { return __builtin_convertvector(a, lt_i32x4); }

typedef int8_t lt_i8x4_u __attribute__((vector_size(4), aligned(1), may_alias));

typedef uint32_t lt_u32x4 __attribute__((vector_size(16)));

typedef int16_t lt_i16x4 __attribute__((vector_size(8)));

LT_VFN lt_i8x4 lt_cast_i32_i8x4(lt_i32x4 a)
{
#if defined(__AVX512VL__) || defined(__clang__)
	return __builtin_convertvector(a, lt_i8x4);
#elif 32 == 32 || 8 == 16
	return __builtin_convertvector(__builtin_convertvector(a, lt_i16x4), lt_i8x4);
#else
	return __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(a, lt_i32x4), lt_i16x4), lt_i8x4);
#endif
}

typedef float lt_f32x4 __attribute__((vector_size(16)));

typedef uint16_t lt_u16x4 __attribute__((vector_size(8)));

LT_VFN lt_f32x4 lt_cast_bf16_f32x4(lt_u16x4 a) { return (lt_f32x4)(__builtin_convertvector(a, lt_u32x4) << 16); }

typedef uint16_t lt_u16x4_u __attribute__((vector_size(8), aligned(1), may_alias));

LT_VFN lt_u16x4 lt_cast_i32_u16x4(lt_i32x4 a) { return __builtin_convertvector(a, lt_u16x4); }

LT_VFN lt_u16x4 lt_cast_f32_bf16x4(lt_f32x4 a)
{
	lt_u32x4 u = (lt_u32x4)a, m = (lt_u32x4)(a != a), even = u + 0x7fffu + (u >> 16 & 1);
	return lt_cast_i32_u16x4((lt_i32x4)(((m & (u | 0x400000u)) | (~m & even)) >> 16));
}

typedef uint8_t lt_u8x4 __attribute__((vector_size(4)));

LT_VFN lt_u8x4 lt_flag_i32x4(lt_i32x4 m)
{
#if 32 <= 16 || defined(__AVX512VL__) || defined(__clang__)
	return __builtin_convertvector(m, lt_u8x4) & 1;
#elif 32 == 32
	return __builtin_convertvector(__builtin_convertvector(m, lt_i16x4), lt_u8x4) & 1;
#else
	return __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(m, lt_i32x4), lt_i16x4), lt_u8x4) & 1;
#endif
}

LT_VFN lt_f32x4 lt_cast_i32_f32x4(lt_i32x4 a) { return __builtin_convertvector(a, lt_f32x4); }

LT_VFN lt_i32x4 lt_cast_bool_i32x4(lt_u8x4 a) { return __builtin_convertvector(a, lt_i32x4); }

LT_VFN lt_f32x4 lt_cast_bool_f32x4(lt_u8x4 a) { return lt_cast_i32_f32x4(lt_cast_bool_i32x4(a)); }

/* kernel k0_7: loop tree a2ca7e32de6380b8e7dd1f856deb21d7, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL void k0_7(const int8_t *restrict v2, int8_t *restrict v4, const uint16_t *restrict v1, uint16_t *restrict v7)
{
	{
		/* %4.cast = cast, line 5 */
		const lt_i32x4 v4_cast = lt_cast_i8_i32x4(*(const lt_i8x4_u *)(v2));
		/* %4.add = add, line 5 */
		const lt_i32x4 v4_add = (lt_i32x4)((lt_u32x4)v4_cast + (lt_u32x4)v4_cast);
		/* %4 = cast, line 5 */
		*(lt_i8x4_u *)(v4) = lt_cast_i32_i8x4(v4_add);
		/* %3.cast = cast, line 4 */
		const lt_f32x4 v3_cast = lt_cast_bf16_f32x4(*(const lt_u16x4_u *)(v1));
		/* %3.mul = mul, line 4 */
		const lt_f32x4 v3_mul = v3_cast * v3_cast;
		/* %3 = cast, line 4 */
		const lt_u16x4 v3 = lt_cast_f32_bf16x4(v3_mul);
		/* %5.cast2 = cast, line 6 */
		const lt_i32x4 v5_cast2 = lt_cast_i8_i32x4(*(const lt_i8x4_u *)(v4));
		/* %5 = greater, line 6 */
		const lt_u8x4 v5 = lt_flag_i32x4((lt_i32x4)(v4_cast > v5_cast2));
		/* %7.cast = cast, line 8 */
		const lt_f32x4 v7_cast = lt_cast_bf16_f32x4(v3);
		/* %7.cast2 = cast, line 8 */
		const lt_f32x4 v7_cast2 = lt_cast_bool_f32x4(v5);
		/* %7.add = add, line 8 */
		const lt_f32x4 v7_add = v7_cast + v7_cast2;
		/* %7 = cast, line 8 */
		*(lt_u16x4_u *)(v7) = lt_cast_f32_bf16x4(v7_add);
	}
	{
		const int32_t v4_cast = (int32_t)v2[4];
		const int32_t v4_add = (int32_t)((uint32_t)v4_cast + (uint32_t)v4_cast);
		v4[4] = (int8_t)v4_add;
		const float v3_cast = lt_cast_bf16_f32(v1[4]);
		const float v3_mul = v3_cast * v3_cast;
		const uint16_t v3 = lt_cast_f32_bf16(v3_mul);
		const int32_t v5_cast2 = (int32_t)v4[4];
		const uint8_t v5 = v4_cast > v5_cast2;
		const float v7_cast = lt_cast_bf16_f32(v3);
		const float v7_cast2 = (float)v5;
		const float v7_add = v7_cast + v7_cast2;
		v7[4] = lt_cast_f32_bf16(v7_add);
	}
}

void k0_7_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k0_7(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3));
}
