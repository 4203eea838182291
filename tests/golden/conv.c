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

static inline int64_t lt_i64_div(int64_t a, int64_t b)
{
	if (b == 0 || b == -1)
		return b ? (int64_t)(0 - (uint64_t)a) : 0;
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

#define LT_LANES static inline __attribute__((always_inline, unused))

typedef int32_t lt_i32x8 __attribute__((vector_size(32)));

LT_LANES lt_i32x8 lt_i32x8_splat(int32_t x) { return x - (lt_i32x8){ 0 }; }

LT_LANES lt_i32x8 lt_i32x8_below(int64_t n)
{
	n = n < 0 ? 0 : n > 8 ? 8 : n;
	return (lt_i32x8)((lt_i32x8){ 0, 1, 2, 3, 4, 5, 6, 7 } < lt_i32x8_splat((int32_t)n));
}

typedef float lt_f32x8 __attribute__((vector_size(32)));

LT_LANES lt_f32x8 lt_f32x8_load_by_on(const float *p, int64_t n, lt_i32x8 m)
{
#if defined(__AVX512F__) && defined(__AVX512DQ__) && 8 == 16 && 32 == 32
	if (__builtin_constant_p(n) && n > -10000000 && n < 10000000)
		return (lt_f32x8)__builtin_ia32_gathersiv16sf((float __attribute__((vector_size(64)))){ 0 }, p,
			(lt_i32x8){ 0 * (int32_t)n, 1 * (int32_t)n, 2 * (int32_t)n, 3 * (int32_t)n, 4 * (int32_t)n, 5 * (int32_t)n, 6 * (int32_t)n, 7 * (int32_t)n }, (short)__builtin_ia32_cvtd2mask512(m), 4);
#endif
#if defined(__AVX512VL__) && defined(__AVX512DQ__) && 8 == 8 && 32 == 32
	if (__builtin_constant_p(n) && n > -10000000 && n < 10000000)
		return (lt_f32x8)__builtin_ia32_gather3siv8sf((float __attribute__((vector_size(32)))){ 0 }, p,
			(lt_i32x8){ 0 * (int32_t)n, 1 * (int32_t)n, 2 * (int32_t)n, 3 * (int32_t)n, 4 * (int32_t)n, 5 * (int32_t)n, 6 * (int32_t)n, 7 * (int32_t)n }, (char)__builtin_ia32_cvtd2mask256(m), 4);
#endif
#if defined(__AVX512VL__) && defined(__AVX512DQ__) && 8 == 4 && 32 == 32
	if (__builtin_constant_p(n) && n > -10000000 && n < 10000000)
		return (lt_f32x8)__builtin_ia32_gather3siv4sf((float __attribute__((vector_size(16)))){ 0 }, p,
			(lt_i32x8){ 0 * (int32_t)n, 1 * (int32_t)n, 2 * (int32_t)n, 3 * (int32_t)n, 4 * (int32_t)n, 5 * (int32_t)n, 6 * (int32_t)n, 7 * (int32_t)n }, (char)__builtin_ia32_cvtd2mask128(m), 4);
#endif
	return (lt_f32x8){ m[0] ? p[0 * n] : 0, m[1] ? p[1 * n] : 0, m[2] ? p[2 * n] : 0, m[3] ? p[3 * n] : 0, m[4] ? p[4 * n] : 0, m[5] ? p[5 * n] : 0, m[6] ? p[6 * n] : 0, m[7] ? p[7 * n] : 0 };
}

LT_LANES lt_f32x8 lt_f32x8_splat(float x) { return x - (lt_f32x8){ 0 }; }

LT_LANES lt_f32x8 lt_f32x8_select(lt_i32x8 m, lt_f32x8 a, lt_f32x8 b) { return (lt_f32x8)((m & (lt_i32x8)a) | (~m & (lt_i32x8)b)); }

typedef float lt_f32x8_u __attribute__((vector_size(32), aligned(4), may_alias));

LT_LANES void lt_f32x8_store(float *p, lt_f32x8 v, lt_i32x8 m)
{
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && 8 * 32 >= 128 && 8 * 32 <= 512 && (8 & (8 - 1)) == 0
	uint8_t on;
	__asm__("vpmovd2m %1, %0" : "=Yk"(on) : "v"(m));
	__asm__("vmovdqu32 %2, %0 %{%1%}" : "+m"(*(lt_f32x8_u *)p) : "Yk"(on), "v"(v));
#elif defined(__AVX__) && 32 >= 32 && 8 * 32 <= 256 && 8 * 32 >= 128 && 8 * 32 <= 512 && (8 & (8 - 1)) == 0
	__asm__("vmaskmovps %2, %1, %0" : "+m"(*(lt_f32x8_u *)p) : "x"(m), "x"(v));
#else
	if (m[0])
		p[0] = v[0];
	if (m[1])
		p[1] = v[1];
	if (m[2])
		p[2] = v[2];
	if (m[3])
		p[3] = v[3];
	if (m[4])
		p[4] = v[4];
	if (m[5])
		p[5] = v[5];
	if (m[6])
		p[6] = v[6];
	if (m[7])
		p[7] = v[7];
#endif
}

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k0_3_out: loop tree a8b2b52c4c7909b75754e9f12b6b8dc3, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k0_3_out(const float *restrict n1, const float *restrict n2, float *restrict n3_out)
{
	for (int64_t y = 0; y < 2; y++) {
		__attribute__((aligned(64))) float n3_right[288];
		for (int64_t j = 0; j < 2; j++) {
			for (int64_t k2 = 0; k2 < 3; k2++) {
				for (int64_t l2 = 0; l2 < 3; l2++) {
					/* %3.right = copy, line 4 */
					const int64_t v5 = lt_i64_div(l2 - 1, 2);
					const int64_t v8 = lt_i64_div(l2 * -1 + 9, 2);
					for (int64_t y_1 = 0; y_1 < 2; y_1++) {
						/* %3.right = copy, line 4 */
						const lt_i32x8 v23 = ((~lt_i32x8_below(0 - v5) & lt_i32x8_below(v8 + 1)) & lt_i32x8_splat(-(y * 4 + k2 + y_1 * 2 >= 1))) & (lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 };
						const lt_f32x8 v33 = lt_f32x8_select((lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 }, lt_f32x8_splat(0.0f), lt_f32x8_splat(0.0f));
						const lt_f32x8 v34 = lt_f32x8_select(v23, lt_f32x8_load_by_on(&n1[y * 36 + j * 81 + k2 * 9 + l2 + y_1 * 18 - 10], 2, v23), v33);
						*(lt_f32x8_u *)&n3_right[j * 144 + k2 * 48 + l2 * 16 + y_1 * 8] = v34;
					}
				}
			}
		}
		/* %3 = add.reduce, line 4 */
		lt_f32x8 n3_0 = lt_f32x8_splat(0.0f);
		lt_f32x8 n3_8 = lt_f32x8_splat(0.0f);
		lt_f32x8 n3_16 = lt_f32x8_splat(0.0f);
		lt_f32x8 n3_24 = lt_f32x8_splat(0.0f);
		lt_f32x8 n3_32 = lt_f32x8_splat(0.0f);
		lt_f32x8 n3_40 = lt_f32x8_splat(0.0f);
		for (int64_t j = 0; j < 2; j++) {
			for (int64_t k2 = 0; k2 < 3; k2++) {
				/* %3.mul = mul, line 4 */
				const int64_t v46 = j * 144 + k2 * 48;
				const int64_t v50 = j * 9 + k2 * 3;
				/* %3 = add.reduce, line 4 */
				n3_0 += *(const lt_f32x8_u *)&n3_right[v46] * lt_f32x8_splat(n2[v50]);
				n3_8 += *(const lt_f32x8_u *)&n3_right[v46 + 8] * lt_f32x8_splat(n2[v50]);
				n3_16 += *(const lt_f32x8_u *)&n3_right[v46] * lt_f32x8_splat(n2[v50 + 18]);
				n3_24 += *(const lt_f32x8_u *)&n3_right[v46 + 8] * lt_f32x8_splat(n2[v50 + 18]);
				n3_32 += *(const lt_f32x8_u *)&n3_right[v46] * lt_f32x8_splat(n2[v50 + 36]);
				n3_40 += *(const lt_f32x8_u *)&n3_right[v46 + 8] * lt_f32x8_splat(n2[v50 + 36]);
				n3_0 += *(const lt_f32x8_u *)&n3_right[v46 + 16] * lt_f32x8_splat(n2[v50 + 1]);
				n3_8 += *(const lt_f32x8_u *)&n3_right[v46 + 24] * lt_f32x8_splat(n2[v50 + 1]);
				n3_16 += *(const lt_f32x8_u *)&n3_right[v46 + 16] * lt_f32x8_splat(n2[v50 + 19]);
				n3_24 += *(const lt_f32x8_u *)&n3_right[v46 + 24] * lt_f32x8_splat(n2[v50 + 19]);
				n3_32 += *(const lt_f32x8_u *)&n3_right[v46 + 16] * lt_f32x8_splat(n2[v50 + 37]);
				n3_40 += *(const lt_f32x8_u *)&n3_right[v46 + 24] * lt_f32x8_splat(n2[v50 + 37]);
				n3_0 += *(const lt_f32x8_u *)&n3_right[v46 + 32] * lt_f32x8_splat(n2[v50 + 2]);
				n3_8 += *(const lt_f32x8_u *)&n3_right[v46 + 40] * lt_f32x8_splat(n2[v50 + 2]);
				n3_16 += *(const lt_f32x8_u *)&n3_right[v46 + 32] * lt_f32x8_splat(n2[v50 + 20]);
				n3_24 += *(const lt_f32x8_u *)&n3_right[v46 + 40] * lt_f32x8_splat(n2[v50 + 20]);
				n3_32 += *(const lt_f32x8_u *)&n3_right[v46 + 32] * lt_f32x8_splat(n2[v50 + 38]);
				n3_40 += *(const lt_f32x8_u *)&n3_right[v46 + 40] * lt_f32x8_splat(n2[v50 + 38]);
			}
		}
		/* %3.out = copy, line 4 */
		const int64_t v124 = y * 10;
		lt_f32x8_store(&n3_out[v124], lt_f32x8_select((lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 }, n3_0, lt_f32x8_splat(0.0f)), (lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 });
		lt_f32x8_store(&n3_out[v124 + 5], lt_f32x8_select((lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 }, n3_8, lt_f32x8_splat(0.0f)), (lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 });
		lt_f32x8_store(&n3_out[v124 + 25], lt_f32x8_select((lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 }, n3_16, lt_f32x8_splat(0.0f)), (lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 });
		lt_f32x8_store(&n3_out[v124 + 30], lt_f32x8_select((lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 }, n3_24, lt_f32x8_splat(0.0f)), (lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 });
		lt_f32x8_store(&n3_out[v124 + 50], lt_f32x8_select((lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 }, n3_32, lt_f32x8_splat(0.0f)), (lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 });
		lt_f32x8_store(&n3_out[v124 + 55], lt_f32x8_select((lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 }, n3_40, lt_f32x8_splat(0.0f)), (lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 });
	}
	__attribute__((aligned(64))) float n3_right_5[144];
	for (int64_t j = 0; j < 2; j++) {
		for (int64_t k2 = 0; k2 < 3; k2++) {
			for (int64_t l2 = 0; l2 < 3; l2++) {
				/* %3.right = copy, line 4 */
				const lt_i32x8 v152 = (~lt_i32x8_below(0 - lt_i64_div(l2 - 1, 2)) & lt_i32x8_below(lt_i64_div(l2 * -1 + 9, 2) + 1)) & lt_i32x8_splat(-(k2 * -1 >= -1));
				const lt_i32x8 v153 = v152 & (lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 };
				const lt_f32x8 v159 = lt_f32x8_select((lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 }, lt_f32x8_splat(0.0f), lt_f32x8_splat(0.0f));
				*(lt_f32x8_u *)&n3_right_5[j * 72 + k2 * 24 + l2 * 8] = lt_f32x8_select(v153, lt_f32x8_load_by_on(&n1[j * 81 + k2 * 9 + l2 + 62], 2, v153), v159);
			}
		}
	}
	/* %3 = add.reduce, line 4 */
	lt_f32x8 n3_6_0 = lt_f32x8_splat(0.0f);
	lt_f32x8 n3_6_8 = lt_f32x8_splat(0.0f);
	lt_f32x8 n3_6_16 = lt_f32x8_splat(0.0f);
	for (int64_t j = 0; j < 2; j++) {
		/* %3.mul = mul, line 4 */
		const int64_t v167 = j * 72;
		const int64_t v169 = j * 9;
		/* %3 = add.reduce, line 4 */
		n3_6_0 += *(const lt_f32x8_u *)&n3_right_5[v167] * lt_f32x8_splat(n2[v169]);
		n3_6_8 += *(const lt_f32x8_u *)&n3_right_5[v167] * lt_f32x8_splat(n2[v169 + 18]);
		n3_6_16 += *(const lt_f32x8_u *)&n3_right_5[v167] * lt_f32x8_splat(n2[v169 + 36]);
		n3_6_0 += *(const lt_f32x8_u *)&n3_right_5[v167 + 8] * lt_f32x8_splat(n2[v169 + 1]);
		n3_6_8 += *(const lt_f32x8_u *)&n3_right_5[v167 + 8] * lt_f32x8_splat(n2[v169 + 19]);
		n3_6_16 += *(const lt_f32x8_u *)&n3_right_5[v167 + 8] * lt_f32x8_splat(n2[v169 + 37]);
		n3_6_0 += *(const lt_f32x8_u *)&n3_right_5[v167 + 16] * lt_f32x8_splat(n2[v169 + 2]);
		n3_6_8 += *(const lt_f32x8_u *)&n3_right_5[v167 + 16] * lt_f32x8_splat(n2[v169 + 20]);
		n3_6_16 += *(const lt_f32x8_u *)&n3_right_5[v167 + 16] * lt_f32x8_splat(n2[v169 + 38]);
		n3_6_0 += *(const lt_f32x8_u *)&n3_right_5[v167 + 24] * lt_f32x8_splat(n2[v169 + 3]);
		n3_6_8 += *(const lt_f32x8_u *)&n3_right_5[v167 + 24] * lt_f32x8_splat(n2[v169 + 21]);
		n3_6_16 += *(const lt_f32x8_u *)&n3_right_5[v167 + 24] * lt_f32x8_splat(n2[v169 + 39]);
		n3_6_0 += *(const lt_f32x8_u *)&n3_right_5[v167 + 32] * lt_f32x8_splat(n2[v169 + 4]);
		n3_6_8 += *(const lt_f32x8_u *)&n3_right_5[v167 + 32] * lt_f32x8_splat(n2[v169 + 22]);
		n3_6_16 += *(const lt_f32x8_u *)&n3_right_5[v167 + 32] * lt_f32x8_splat(n2[v169 + 40]);
		n3_6_0 += *(const lt_f32x8_u *)&n3_right_5[v167 + 40] * lt_f32x8_splat(n2[v169 + 5]);
		n3_6_8 += *(const lt_f32x8_u *)&n3_right_5[v167 + 40] * lt_f32x8_splat(n2[v169 + 23]);
		n3_6_16 += *(const lt_f32x8_u *)&n3_right_5[v167 + 40] * lt_f32x8_splat(n2[v169 + 41]);
		n3_6_0 += *(const lt_f32x8_u *)&n3_right_5[v167 + 48] * lt_f32x8_splat(n2[v169 + 6]);
		n3_6_8 += *(const lt_f32x8_u *)&n3_right_5[v167 + 48] * lt_f32x8_splat(n2[v169 + 24]);
		n3_6_16 += *(const lt_f32x8_u *)&n3_right_5[v167 + 48] * lt_f32x8_splat(n2[v169 + 42]);
		n3_6_0 += *(const lt_f32x8_u *)&n3_right_5[v167 + 56] * lt_f32x8_splat(n2[v169 + 7]);
		n3_6_8 += *(const lt_f32x8_u *)&n3_right_5[v167 + 56] * lt_f32x8_splat(n2[v169 + 25]);
		n3_6_16 += *(const lt_f32x8_u *)&n3_right_5[v167 + 56] * lt_f32x8_splat(n2[v169 + 43]);
		n3_6_0 += *(const lt_f32x8_u *)&n3_right_5[v167 + 64] * lt_f32x8_splat(n2[v169 + 8]);
		n3_6_8 += *(const lt_f32x8_u *)&n3_right_5[v167 + 64] * lt_f32x8_splat(n2[v169 + 26]);
		n3_6_16 += *(const lt_f32x8_u *)&n3_right_5[v167 + 64] * lt_f32x8_splat(n2[v169 + 44]);
	}
	/* %3.out = copy, line 4 */
	lt_f32x8_store(&n3_out[20], lt_f32x8_select((lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 }, n3_6_0, lt_f32x8_splat(0.0f)), (lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 });
	lt_f32x8_store(&n3_out[45], lt_f32x8_select((lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 }, n3_6_8, lt_f32x8_splat(0.0f)), (lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 });
	lt_f32x8_store(&n3_out[70], lt_f32x8_select((lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 }, n3_6_16, lt_f32x8_splat(0.0f)), (lt_i32x8){ -1, -1, -1, -1, -1, 0, 0, 0 });
}

LT_ENTRY void k0_3_out_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k0_3_out_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k0_3_out(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2));
}
