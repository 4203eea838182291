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

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k0_5: loop tree c20912a000010e37af78b0c0213e258d, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k0_5(const float *restrict n1, float *restrict n5, const int64_t *restrict begin_2)
{
	const int64_t begin = begin_2[0];
	/* %5 = copy, line 6 */
	*(lt_f32x8_u *)&n5[begin] = *(const lt_f32x8_u *)&n1[0];
}

LT_ENTRY void k0_5_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k0_5_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k0_5(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2));
}

#if defined(__GNUC__) && !defined(__clang__) && (__GNUC__ < 12 || (__GNUC__ == 12 && __GNUC_MINOR__ < 4) \
	|| (__GNUC__ == 13 && __GNUC_MINOR__ < 3))
#pragma GCC optimize("no-tree-loop-if-convert")
#endif

#define LT_LANES static inline __attribute__((always_inline, unused))

LT_LANES lt_f32x8 lt_f32x8_splat(float x) { return x - (lt_f32x8){ 0 }; }

static inline int64_t lt_i64_div(int64_t a, int64_t b)
{
	if (b == 0 || b == -1)
		return b ? (int64_t)(0 - (uint64_t)a) : 0;
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static inline int64_t lt_i64_min(int64_t a, int64_t b) { return a < b ? a : b; }

typedef int32_t lt_i32x8 __attribute__((vector_size(32)));

LT_LANES lt_i32x8 lt_i32x8_splat(int32_t x) { return x - (lt_i32x8){ 0 }; }

LT_LANES lt_i32x8 lt_i32x8_below(int64_t n)
{
	n = n < 0 ? 0 : n > 8 ? 8 : n;
	return (lt_i32x8)((lt_i32x8){ 0, 1, 2, 3, 4, 5, 6, 7 } < lt_i32x8_splat((int32_t)n));
}

LT_LANES lt_f32x8 lt_f32x8_load(const float *p, lt_i32x8 m)
{
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && 8 * 32 >= 128 && 8 * 32 <= 512 && (8 & (8 - 1)) == 0
	lt_f32x8 r;
	uint8_t on;
	__asm__("vpmovd2m %1, %0" : "=Yk"(on) : "v"(m));
	__asm__("vmovdqu32 %2, %0 %{%1%}%{z%}" : "=v"(r) : "Yk"(on), "m"(*(const lt_f32x8_u *)p));
	return r;
#elif defined(__AVX__) && 32 >= 32 && 8 * 32 <= 256 && 8 * 32 >= 128 && 8 * 32 <= 512 && (8 & (8 - 1)) == 0
	lt_f32x8 r;
	__asm__("vmaskmovps %2, %1, %0" : "=x"(r) : "x"(m), "m"(*(const lt_f32x8_u *)p));
	return r;
#else
	return (lt_f32x8){ m[0] ? p[0] : 0, m[1] ? p[1] : 0, m[2] ? p[2] : 0, m[3] ? p[3] : 0, m[4] ? p[4] : 0, m[5] ? p[5] : 0, m[6] ? p[6] : 0, m[7] ? p[7] : 0 };
#endif
}

LT_LANES lt_f32x8 lt_f32x8_select(lt_i32x8 m, lt_f32x8 a, lt_f32x8 b) { return (lt_f32x8)((m & (lt_i32x8)a) | (~m & (lt_i32x8)b)); }

typedef float lt_f32x4 __attribute__((vector_size(16)));

typedef float lt_f32x2 __attribute__((vector_size(8)));

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

/* kernel k1_8: loop tree 3894ace338555e4f5eedfd8e67c03d66, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k1_8(const int64_t *restrict end2_2, const int64_t *restrict zero_2, const float *restrict n5, float *restrict n8)
{
	const int64_t end2 = end2_2[0];
	const int64_t zero = zero_2[0];
	/* %8.part = add.reduce, line 9 */
	lt_f32x8 n8_part_0 = lt_f32x8_splat(0.0f);
	lt_f32x8 n8_part_8 = lt_f32x8_splat(0.0f);
	lt_f32x8 n8_part_16 = lt_f32x8_splat(0.0f);
	lt_f32x8 n8_part_24 = lt_f32x8_splat(0.0f);
	const int64_t v3 = end2 + zero * -1;
	const int64_t v5 = lt_i64_div(v3 + 31, 32);
	const int64_t v6 = lt_i64_div(v3, 32);
	for (int64_t i6_ = 0; i6_ < v5; i6_++) {
		const int64_t v10 = lt_i64_min(i6_ * -1 + v6, 1);
		for (int64_t i6_1 = 0; i6_1 < v10; i6_1++) {
			/* %8.part = add.reduce, line 9 */
			const int64_t v13 = zero + i6_ * 32;
			n8_part_0 += *(const lt_f32x8_u *)&n5[v13];
			n8_part_8 += *(const lt_f32x8_u *)&n5[v13 + 8];
			n8_part_16 += *(const lt_f32x8_u *)&n5[v13 + 16];
			n8_part_24 += *(const lt_f32x8_u *)&n5[v13 + 24];
		}
		const int64_t v19 = v3 + i6_ * -32;
		const int64_t v22 = i6_ * 32;
		const int64_t v26 = lt_i64_min(lt_i64_min(v19, end2 * -1 + zero + v22 + 32), 1);
		for (int64_t i6_1 = 0; i6_1 < v26; i6_1++) {
			const int64_t v28 = lt_i64_min(v19, 8);
			if (v28 >= 8) {
				/* %8.part = add.reduce, line 9 */
				n8_part_0 += *(const lt_f32x8_u *)&n5[zero + v22];
			} else {
				if (v28 > 0) {
					const lt_i32x8 v33 = lt_i32x8_below(v28);
					/* %8.part = add.reduce, line 9 */
					const lt_f32x8 v40 = lt_f32x8_select(v33, lt_f32x8_select(v33, n8_part_0, lt_f32x8_splat(0.0f)) + lt_f32x8_load(&n5[zero + v22], v33), n8_part_0);
					n8_part_0 = v40;
				}
			}
			const int64_t v42 = lt_i64_min(v19 - 8, 8);
			if (v42 >= 8) {
				/* %8.part = add.reduce, line 9 */
				n8_part_8 += *(const lt_f32x8_u *)&n5[zero + v22 + 8];
			} else {
				if (v42 > 0) {
					const lt_i32x8 v47 = lt_i32x8_below(v42);
					/* %8.part = add.reduce, line 9 */
					const lt_f32x8 v54 = lt_f32x8_select(v47, lt_f32x8_select(v47, n8_part_8, lt_f32x8_splat(0.0f)) + lt_f32x8_load(&n5[zero + v22 + 8], v47), n8_part_8);
					n8_part_8 = v54;
				}
			}
			const int64_t v56 = lt_i64_min(v19 - 16, 8);
			if (v56 >= 8) {
				/* %8.part = add.reduce, line 9 */
				n8_part_16 += *(const lt_f32x8_u *)&n5[zero + v22 + 16];
			} else {
				if (v56 > 0) {
					const lt_i32x8 v61 = lt_i32x8_below(v56);
					/* %8.part = add.reduce, line 9 */
					const lt_f32x8 v68 = lt_f32x8_select(v61, lt_f32x8_select(v61, n8_part_16, lt_f32x8_splat(0.0f)) + lt_f32x8_load(&n5[zero + v22 + 16], v61), n8_part_16);
					n8_part_16 = v68;
				}
			}
			const int64_t v70 = lt_i64_min(v19 - 24, 8);
			if (v70 >= 8) {
				/* %8.part = add.reduce, line 9 */
				n8_part_24 += *(const lt_f32x8_u *)&n5[zero + v22 + 24];
			} else {
				if (v70 > 0) {
					const lt_i32x8 v75 = lt_i32x8_below(v70);
					/* %8.part = add.reduce, line 9 */
					const lt_f32x8 v82 = lt_f32x8_select(v75, lt_f32x8_select(v75, n8_part_24, lt_f32x8_splat(0.0f)) + lt_f32x8_load(&n5[zero + v22 + 24], v75), n8_part_24);
					n8_part_24 = v82;
				}
			}
		}
	}
	/* %8 = add.reduce, line 9 */
	n8[0] = 0.0f;
	/* %8 = add.reduce, line 9 */
	lt_f32x8 sum = lt_f32x8_splat(0.0f);
	sum = n8_part_0;
	sum += n8_part_8;
	sum += n8_part_16;
	sum += n8_part_24;
	n8[0] = n8[0] + lt_f32x8_fold_add(sum);
}

LT_ENTRY void k1_8_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k1_8_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k1_8(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3));
}
