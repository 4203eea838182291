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

typedef float lt_f32x8_u __attribute__((vector_size(32), aligned(1), may_alias));

/* kernel k0_5: loop tree c20912a000010e37af78b0c0213e258d, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL void k0_5(const float *restrict v1, float *restrict v5, const int64_t *restrict begin_2)
{
	const int64_t begin = begin_2[0];
	/* %5 = copy, line 6 */
	*(lt_f32x8_u *)(v5 + begin) = *(const lt_f32x8_u *)(v1);
}

void k0_5_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k0_5(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2));
}

#if defined(__GNUC__) && !defined(__clang__) && (__GNUC__ < 12 || (__GNUC__ == 12 && __GNUC_MINOR__ < 4) || (__GNUC__ == 13 && __GNUC_MINOR__ < 3))
#pragma GCC optimize("no-tree-loop-if-convert")
#endif

#define LT_KERNEL_BRANCHES static __attribute__((noinline))

#define LT_FN static inline

LT_FN int64_t lt_min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

LT_FN int64_t lt_floordiv_i64(int64_t a, int64_t b)
{
	if (b == 0 || b == -1)
		return b ? (int64_t)(0 - (uint64_t)a) : 0;
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

typedef float lt_f32x8 __attribute__((vector_size(32)));

#define LT_VFN static inline __attribute__((always_inline, unused))

LT_VFN lt_f32x8 lt_all_f32x8(float x) { return x - (lt_f32x8){ 0 }; }

typedef uint8_t lt_u8x8 __attribute__((vector_size(8)));

typedef int32_t lt_i32x8 __attribute__((vector_size(32)));

LT_VFN lt_f32x8 lt_blend_f32x8(lt_u8x8 c, lt_f32x8 a, lt_f32x8 b)
{
	lt_i32x8 m = (lt_i32x8)(__builtin_convertvector(c, lt_i32x8) != 0);
	return (lt_f32x8)((m & (lt_i32x8)a) | (~m & (lt_i32x8)b));
}

LT_VFN lt_u8x8 lt_lane_u8x8(void) { return (lt_u8x8){ 0, 1, 2, 3, 4, 5, 6, 7 }; }

LT_VFN lt_u8x8 lt_all_u8x8(uint8_t x) { return x - (lt_u8x8){ 0 }; }

LT_VFN lt_u8x8 lt_below_u8x8(int64_t n)
{
	n = n < 0 ? 0 : n > 8 ? 8 : n;
	return (lt_u8x8)(lt_lane_u8x8() < lt_all_u8x8((uint8_t)n)) & 1;
}

LT_VFN lt_i32x8 lt_lane_i32x8(void) { return (lt_i32x8){ 0, 1, 2, 3, 4, 5, 6, 7 }; }

LT_VFN lt_i32x8 lt_all_i32x8(int32_t x) { return x - (lt_i32x8){ 0 }; }

LT_VFN lt_f32x8 lt_load_f32x8(const float *p, int64_t n)
{
	lt_f32x8 r = { 0 };
#if 8 * 32 >= 128 && defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
	n = n < 0 ? 0 : n > 8 ? 8 : n;
	uint8_t on = (uint8_t)(n < 64 ? ((uint64_t)1 << (n & 63)) - 1 : ~(uint64_t)0);
	__asm__("vmovdqu32 %2, %0 %{%1%}%{z%}" : "=v"(r) : "Yk"(on), "m"(*(const lt_f32x8_u *)p));
#elif 32 >= 32 && 8 * 32 >= 128 && 8 * 32 <= 256 && defined(__AVX__)
	lt_i32x8 on = (lt_i32x8)(lt_lane_i32x8() < lt_all_i32x8((int32_t)(n < 0 ? 0 : n > 8 ? 8 : n)));
	__asm__("vmaskmovps %2, %1, %0" : "=x"(r) : "x"(on), "m"(*(const lt_f32x8_u *)p));
#else
	for (int i = 0; i < 8 && i < n; i++)
		r[i] = p[i];
#endif
	return r;
}

typedef float lt_f32x4 __attribute__((vector_size(16)));

typedef float lt_f32x2 __attribute__((vector_size(8)));

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

/* kernel k1_8: loop tree 0c02053576ed15145d29768a2b692801, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL_BRANCHES void k1_8(const int64_t *restrict end2_2, const int64_t *restrict zero_2, const float *restrict v5, float *restrict v8)
{
	const int64_t end2 = end2_2[0];
	const int64_t zero = zero_2[0];
	const int64_t d0 = lt_floordiv_i64(end2 + 7 - zero, 8);
	lt_f32x8 v8_part_0;
	/* %8.part = add.reduce, line 9 */
	v8_part_0 = lt_all_f32x8(0.0f);
	for (int64_t i6 = 0; i6 < d0; i6++) {
		const int64_t i6_1_trips = lt_min_i64(8, end2 - 8*i6 - zero);
		if (i6_1_trips >= 8) {
			v8_part_0 = v8_part_0 + *(const lt_f32x8_u *)(v5 + 8*i6 + zero);
		} else if (i6_1_trips > 0) {
			const int64_t on2 = i6_1_trips;
			v8_part_0 = lt_blend_f32x8(lt_below_u8x8(on2), v8_part_0 + lt_load_f32x8(v5 + 8*i6 + zero, on2), v8_part_0);
		}
	}
	/* %8 = add.reduce, line 9 */
	v8[0] = 0.0f;
	v8[0] = v8[0] + lt_fold_add_f32x8(v8_part_0);
}

void k1_8_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k1_8(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3));
}
