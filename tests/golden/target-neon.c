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

typedef float lt_f32x4 __attribute__((vector_size(16)));

LT_LANES lt_f32x4 lt_f32x4_splat(float x) { return x - (lt_f32x4){ 0 }; }

typedef float lt_f32x4_u __attribute__((vector_size(16), aligned(4), may_alias));

typedef int32_t lt_i32x4 __attribute__((vector_size(16)));

LT_LANES lt_f32x4 lt_f32x4_select(lt_i32x4 m, lt_f32x4 a, lt_f32x4 b) { return (lt_f32x4)((m & (lt_i32x4)a) | (~m & (lt_i32x4)b)); }

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k1_6: loop tree e30a17c5a47d95d2522b7525330a97fa, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k1_6(const float *restrict n1, const float *restrict n4_right, const float *restrict n3, float *restrict n6)
{
	for (int64_t n = 0; n < 2; n++) {
		for (int64_t m = 0; m < 2; m++) {
			/* %4 = add.reduce, line 6 */
			lt_f32x4 n4_0 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_4 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_8 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_12 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_16 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_20 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_24 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_28 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_32 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_36 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_40 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_44 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_48 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_52 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_56 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_60 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_64 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_68 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_72 = lt_f32x4_splat(0.0f);
			lt_f32x4 n4_76 = lt_f32x4_splat(0.0f);
			for (int64_t k = 0; k < 24; k++) {
				/* %4.mul = mul, line 6 */
				const int64_t v4 = m * 120 + k;
				const int64_t v8 = n * 384 + k * 16;
				/* %4 = add.reduce, line 6 */
				n4_0 += lt_f32x4_splat(n1[v4]) * *(const lt_f32x4_u *)&n4_right[v8];
				n4_4 += lt_f32x4_splat(n1[v4]) * *(const lt_f32x4_u *)&n4_right[v8 + 4];
				n4_8 += lt_f32x4_splat(n1[v4]) * *(const lt_f32x4_u *)&n4_right[v8 + 8];
				n4_12 += lt_f32x4_splat(n1[v4]) * *(const lt_f32x4_u *)&n4_right[v8 + 12];
				n4_16 += lt_f32x4_splat(n1[v4 + 24]) * *(const lt_f32x4_u *)&n4_right[v8];
				n4_20 += lt_f32x4_splat(n1[v4 + 24]) * *(const lt_f32x4_u *)&n4_right[v8 + 4];
				n4_24 += lt_f32x4_splat(n1[v4 + 24]) * *(const lt_f32x4_u *)&n4_right[v8 + 8];
				n4_28 += lt_f32x4_splat(n1[v4 + 24]) * *(const lt_f32x4_u *)&n4_right[v8 + 12];
				n4_32 += lt_f32x4_splat(n1[v4 + 48]) * *(const lt_f32x4_u *)&n4_right[v8];
				n4_36 += lt_f32x4_splat(n1[v4 + 48]) * *(const lt_f32x4_u *)&n4_right[v8 + 4];
				n4_40 += lt_f32x4_splat(n1[v4 + 48]) * *(const lt_f32x4_u *)&n4_right[v8 + 8];
				n4_44 += lt_f32x4_splat(n1[v4 + 48]) * *(const lt_f32x4_u *)&n4_right[v8 + 12];
				n4_48 += lt_f32x4_splat(n1[v4 + 72]) * *(const lt_f32x4_u *)&n4_right[v8];
				n4_52 += lt_f32x4_splat(n1[v4 + 72]) * *(const lt_f32x4_u *)&n4_right[v8 + 4];
				n4_56 += lt_f32x4_splat(n1[v4 + 72]) * *(const lt_f32x4_u *)&n4_right[v8 + 8];
				n4_60 += lt_f32x4_splat(n1[v4 + 72]) * *(const lt_f32x4_u *)&n4_right[v8 + 12];
				n4_64 += lt_f32x4_splat(n1[v4 + 96]) * *(const lt_f32x4_u *)&n4_right[v8];
				n4_68 += lt_f32x4_splat(n1[v4 + 96]) * *(const lt_f32x4_u *)&n4_right[v8 + 4];
				n4_72 += lt_f32x4_splat(n1[v4 + 96]) * *(const lt_f32x4_u *)&n4_right[v8 + 8];
				n4_76 += lt_f32x4_splat(n1[v4 + 96]) * *(const lt_f32x4_u *)&n4_right[v8 + 12];
			}
			/* %5 = add, line 7 */
			const int64_t v89 = n * 16;
			const lt_f32x4 v91 = n4_0 + *(const lt_f32x4_u *)&n3[v89];
			/* %6 = max, line 8 */
			const int64_t v95 = v89 + m * 160;
			*(lt_f32x4_u *)&n6[v95] = lt_f32x4_select((lt_i32x4)(0.0f >= v91), lt_f32x4_splat(0.0f), v91);
			const lt_f32x4 v98 = n4_4 + *(const lt_f32x4_u *)&n3[v89 + 4];
			*(lt_f32x4_u *)&n6[v95 + 4] = lt_f32x4_select((lt_i32x4)(0.0f >= v98), lt_f32x4_splat(0.0f), v98);
			const lt_f32x4 v103 = n4_8 + *(const lt_f32x4_u *)&n3[v89 + 8];
			*(lt_f32x4_u *)&n6[v95 + 8] = lt_f32x4_select((lt_i32x4)(0.0f >= v103), lt_f32x4_splat(0.0f), v103);
			const lt_f32x4 v108 = n4_12 + *(const lt_f32x4_u *)&n3[v89 + 12];
			*(lt_f32x4_u *)&n6[v95 + 12] = lt_f32x4_select((lt_i32x4)(0.0f >= v108), lt_f32x4_splat(0.0f), v108);
			const lt_f32x4 v113 = n4_16 + *(const lt_f32x4_u *)&n3[v89];
			*(lt_f32x4_u *)&n6[v95 + 32] = lt_f32x4_select((lt_i32x4)(0.0f >= v113), lt_f32x4_splat(0.0f), v113);
			const lt_f32x4 v118 = n4_20 + *(const lt_f32x4_u *)&n3[v89 + 4];
			*(lt_f32x4_u *)&n6[v95 + 36] = lt_f32x4_select((lt_i32x4)(0.0f >= v118), lt_f32x4_splat(0.0f), v118);
			const lt_f32x4 v123 = n4_24 + *(const lt_f32x4_u *)&n3[v89 + 8];
			*(lt_f32x4_u *)&n6[v95 + 40] = lt_f32x4_select((lt_i32x4)(0.0f >= v123), lt_f32x4_splat(0.0f), v123);
			const lt_f32x4 v128 = n4_28 + *(const lt_f32x4_u *)&n3[v89 + 12];
			*(lt_f32x4_u *)&n6[v95 + 44] = lt_f32x4_select((lt_i32x4)(0.0f >= v128), lt_f32x4_splat(0.0f), v128);
			const lt_f32x4 v133 = n4_32 + *(const lt_f32x4_u *)&n3[v89];
			*(lt_f32x4_u *)&n6[v95 + 64] = lt_f32x4_select((lt_i32x4)(0.0f >= v133), lt_f32x4_splat(0.0f), v133);
			const lt_f32x4 v138 = n4_36 + *(const lt_f32x4_u *)&n3[v89 + 4];
			*(lt_f32x4_u *)&n6[v95 + 68] = lt_f32x4_select((lt_i32x4)(0.0f >= v138), lt_f32x4_splat(0.0f), v138);
			const lt_f32x4 v143 = n4_40 + *(const lt_f32x4_u *)&n3[v89 + 8];
			*(lt_f32x4_u *)&n6[v95 + 72] = lt_f32x4_select((lt_i32x4)(0.0f >= v143), lt_f32x4_splat(0.0f), v143);
			const lt_f32x4 v148 = n4_44 + *(const lt_f32x4_u *)&n3[v89 + 12];
			*(lt_f32x4_u *)&n6[v95 + 76] = lt_f32x4_select((lt_i32x4)(0.0f >= v148), lt_f32x4_splat(0.0f), v148);
			const lt_f32x4 v153 = n4_48 + *(const lt_f32x4_u *)&n3[v89];
			*(lt_f32x4_u *)&n6[v95 + 96] = lt_f32x4_select((lt_i32x4)(0.0f >= v153), lt_f32x4_splat(0.0f), v153);
			const lt_f32x4 v158 = n4_52 + *(const lt_f32x4_u *)&n3[v89 + 4];
			*(lt_f32x4_u *)&n6[v95 + 100] = lt_f32x4_select((lt_i32x4)(0.0f >= v158), lt_f32x4_splat(0.0f), v158);
			const lt_f32x4 v163 = n4_56 + *(const lt_f32x4_u *)&n3[v89 + 8];
			*(lt_f32x4_u *)&n6[v95 + 104] = lt_f32x4_select((lt_i32x4)(0.0f >= v163), lt_f32x4_splat(0.0f), v163);
			const lt_f32x4 v168 = n4_60 + *(const lt_f32x4_u *)&n3[v89 + 12];
			*(lt_f32x4_u *)&n6[v95 + 108] = lt_f32x4_select((lt_i32x4)(0.0f >= v168), lt_f32x4_splat(0.0f), v168);
			const lt_f32x4 v173 = n4_64 + *(const lt_f32x4_u *)&n3[v89];
			*(lt_f32x4_u *)&n6[v95 + 128] = lt_f32x4_select((lt_i32x4)(0.0f >= v173), lt_f32x4_splat(0.0f), v173);
			const lt_f32x4 v178 = n4_68 + *(const lt_f32x4_u *)&n3[v89 + 4];
			*(lt_f32x4_u *)&n6[v95 + 132] = lt_f32x4_select((lt_i32x4)(0.0f >= v178), lt_f32x4_splat(0.0f), v178);
			const lt_f32x4 v183 = n4_72 + *(const lt_f32x4_u *)&n3[v89 + 8];
			*(lt_f32x4_u *)&n6[v95 + 136] = lt_f32x4_select((lt_i32x4)(0.0f >= v183), lt_f32x4_splat(0.0f), v183);
			const lt_f32x4 v188 = n4_76 + *(const lt_f32x4_u *)&n3[v89 + 12];
			*(lt_f32x4_u *)&n6[v95 + 140] = lt_f32x4_select((lt_i32x4)(0.0f >= v188), lt_f32x4_splat(0.0f), v188);
		}
		/* %4 = add.reduce, line 6 */
		lt_f32x4 n4_5_0 = lt_f32x4_splat(0.0f);
		lt_f32x4 n4_5_4 = lt_f32x4_splat(0.0f);
		lt_f32x4 n4_5_8 = lt_f32x4_splat(0.0f);
		lt_f32x4 n4_5_12 = lt_f32x4_splat(0.0f);
		lt_f32x4 n4_5_16 = lt_f32x4_splat(0.0f);
		lt_f32x4 n4_5_20 = lt_f32x4_splat(0.0f);
		lt_f32x4 n4_5_24 = lt_f32x4_splat(0.0f);
		lt_f32x4 n4_5_28 = lt_f32x4_splat(0.0f);
		lt_f32x4 n4_5_32 = lt_f32x4_splat(0.0f);
		lt_f32x4 n4_5_36 = lt_f32x4_splat(0.0f);
		lt_f32x4 n4_5_40 = lt_f32x4_splat(0.0f);
		lt_f32x4 n4_5_44 = lt_f32x4_splat(0.0f);
		for (int64_t k = 0; k < 24; k++) {
			/* %4.mul = mul, line 6 */
			const int64_t v195 = n * 384 + k * 16;
			/* %4 = add.reduce, line 6 */
			n4_5_0 += lt_f32x4_splat(n1[k + 240]) * *(const lt_f32x4_u *)&n4_right[v195];
			n4_5_4 += lt_f32x4_splat(n1[k + 240]) * *(const lt_f32x4_u *)&n4_right[v195 + 4];
			n4_5_8 += lt_f32x4_splat(n1[k + 240]) * *(const lt_f32x4_u *)&n4_right[v195 + 8];
			n4_5_12 += lt_f32x4_splat(n1[k + 240]) * *(const lt_f32x4_u *)&n4_right[v195 + 12];
			n4_5_16 += lt_f32x4_splat(n1[k + 264]) * *(const lt_f32x4_u *)&n4_right[v195];
			n4_5_20 += lt_f32x4_splat(n1[k + 264]) * *(const lt_f32x4_u *)&n4_right[v195 + 4];
			n4_5_24 += lt_f32x4_splat(n1[k + 264]) * *(const lt_f32x4_u *)&n4_right[v195 + 8];
			n4_5_28 += lt_f32x4_splat(n1[k + 264]) * *(const lt_f32x4_u *)&n4_right[v195 + 12];
			n4_5_32 += lt_f32x4_splat(n1[k + 288]) * *(const lt_f32x4_u *)&n4_right[v195];
			n4_5_36 += lt_f32x4_splat(n1[k + 288]) * *(const lt_f32x4_u *)&n4_right[v195 + 4];
			n4_5_40 += lt_f32x4_splat(n1[k + 288]) * *(const lt_f32x4_u *)&n4_right[v195 + 8];
			n4_5_44 += lt_f32x4_splat(n1[k + 288]) * *(const lt_f32x4_u *)&n4_right[v195 + 12];
		}
		/* %5 = add, line 7 */
		const int64_t v244 = n * 16;
		const lt_f32x4 v246 = n4_5_0 + *(const lt_f32x4_u *)&n3[v244];
		/* %6 = max, line 8 */
		*(lt_f32x4_u *)&n6[v244 + 320] = lt_f32x4_select((lt_i32x4)(0.0f >= v246), lt_f32x4_splat(0.0f), v246);
		const lt_f32x4 v251 = n4_5_4 + *(const lt_f32x4_u *)&n3[v244 + 4];
		*(lt_f32x4_u *)&n6[v244 + 324] = lt_f32x4_select((lt_i32x4)(0.0f >= v251), lt_f32x4_splat(0.0f), v251);
		const lt_f32x4 v256 = n4_5_8 + *(const lt_f32x4_u *)&n3[v244 + 8];
		*(lt_f32x4_u *)&n6[v244 + 328] = lt_f32x4_select((lt_i32x4)(0.0f >= v256), lt_f32x4_splat(0.0f), v256);
		const lt_f32x4 v261 = n4_5_12 + *(const lt_f32x4_u *)&n3[v244 + 12];
		*(lt_f32x4_u *)&n6[v244 + 332] = lt_f32x4_select((lt_i32x4)(0.0f >= v261), lt_f32x4_splat(0.0f), v261);
		const lt_f32x4 v266 = n4_5_16 + *(const lt_f32x4_u *)&n3[v244];
		*(lt_f32x4_u *)&n6[v244 + 352] = lt_f32x4_select((lt_i32x4)(0.0f >= v266), lt_f32x4_splat(0.0f), v266);
		const lt_f32x4 v271 = n4_5_20 + *(const lt_f32x4_u *)&n3[v244 + 4];
		*(lt_f32x4_u *)&n6[v244 + 356] = lt_f32x4_select((lt_i32x4)(0.0f >= v271), lt_f32x4_splat(0.0f), v271);
		const lt_f32x4 v276 = n4_5_24 + *(const lt_f32x4_u *)&n3[v244 + 8];
		*(lt_f32x4_u *)&n6[v244 + 360] = lt_f32x4_select((lt_i32x4)(0.0f >= v276), lt_f32x4_splat(0.0f), v276);
		const lt_f32x4 v281 = n4_5_28 + *(const lt_f32x4_u *)&n3[v244 + 12];
		*(lt_f32x4_u *)&n6[v244 + 364] = lt_f32x4_select((lt_i32x4)(0.0f >= v281), lt_f32x4_splat(0.0f), v281);
		const lt_f32x4 v286 = n4_5_32 + *(const lt_f32x4_u *)&n3[v244];
		*(lt_f32x4_u *)&n6[v244 + 384] = lt_f32x4_select((lt_i32x4)(0.0f >= v286), lt_f32x4_splat(0.0f), v286);
		const lt_f32x4 v291 = n4_5_36 + *(const lt_f32x4_u *)&n3[v244 + 4];
		*(lt_f32x4_u *)&n6[v244 + 388] = lt_f32x4_select((lt_i32x4)(0.0f >= v291), lt_f32x4_splat(0.0f), v291);
		const lt_f32x4 v296 = n4_5_40 + *(const lt_f32x4_u *)&n3[v244 + 8];
		*(lt_f32x4_u *)&n6[v244 + 392] = lt_f32x4_select((lt_i32x4)(0.0f >= v296), lt_f32x4_splat(0.0f), v296);
		const lt_f32x4 v301 = n4_5_44 + *(const lt_f32x4_u *)&n3[v244 + 12];
		*(lt_f32x4_u *)&n6[v244 + 396] = lt_f32x4_select((lt_i32x4)(0.0f >= v301), lt_f32x4_splat(0.0f), v301);
	}
}

LT_ENTRY void k1_6_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k1_6_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k1_6(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3));
}

typedef uint16_t lt_u16x4 __attribute__((vector_size(8)));

typedef uint16_t lt_u16x4_u __attribute__((vector_size(8), aligned(2), may_alias));

typedef int16_t lt_i16x4 __attribute__((vector_size(8)));

LT_LANES lt_i32x4 lt_i32x4_splat(int32_t x) { return x - (lt_i32x4){ 0 }; }

typedef uint32_t lt_u32x4 __attribute__((vector_size(16)));

LT_LANES lt_i32x4 lt_i32x4_select(lt_i32x4 m, lt_i32x4 a, lt_i32x4 b) { return (lt_i32x4)((m & (lt_i32x4)a) | (~m & (lt_i32x4)b)); }

LT_LANES lt_i32x4 lt_i32x4_larger(lt_i32x4 a, lt_i32x4 b) { return lt_i32x4_select((lt_i32x4)(a > b), a, b); }

typedef uint16_t lt_u16x2 __attribute__((vector_size(4)));

typedef uint16_t lt_u16x2_u __attribute__((vector_size(4), aligned(2), may_alias));

typedef int16_t lt_i16x2 __attribute__((vector_size(4)));

typedef int32_t lt_i32x2 __attribute__((vector_size(8)));

LT_LANES lt_i32x2 lt_i32x2_splat(int32_t x) { return x - (lt_i32x2){ 0 }; }

typedef uint32_t lt_u32x2 __attribute__((vector_size(8)));

typedef float lt_f32x2 __attribute__((vector_size(8)));

LT_LANES lt_f32x2 lt_f32x2_splat(float x) { return x - (lt_f32x2){ 0 }; }

LT_LANES lt_i32x2 lt_i32x2_select(lt_i32x2 m, lt_i32x2 a, lt_i32x2 b) { return (lt_i32x2)((m & (lt_i32x2)a) | (~m & (lt_i32x2)b)); }

LT_LANES lt_i32x2 lt_i32x2_larger(lt_i32x2 a, lt_i32x2 b) { return lt_i32x2_select((lt_i32x2)(a > b), a, b); }

LT_LANES lt_f32x2 lt_f32x2_select(lt_i32x2 m, lt_f32x2 a, lt_f32x2 b) { return (lt_f32x2)((m & (lt_i32x2)a) | (~m & (lt_i32x2)b)); }

/* kernel k2_10: loop tree e9597adebe760521fd160ca922c3c886, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k2_10(const uint16_t *restrict n8, const uint16_t *restrict n7, uint16_t *restrict n10)
{
	/* %9 = cast, line 12 */
	const lt_f32x4 v4 = (lt_f32x4)(lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n8[0], lt_i32x4) << 16);
	const lt_i32x4 v5 = (lt_i32x4)v4;
	const lt_i32x4 v6 = v5 & 2147483647;
	const lt_f32x4 v14 = (lt_f32x4)(lt_i32x4_larger(v6 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v6 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v15 = (lt_i32x4)v14;
	const lt_i32x4 v21 = lt_i32x4_select((lt_i32x4)(v6 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v15 >> 13) & 31744) + (v15 & 4095));
	/* %10.cast = cast, line 13 */
	const lt_i32x4 v29 = __builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n7[0], lt_i32x4);
	const lt_i32x4 v30 = v29 & 32767;
	const lt_f32x4 v39 = lt_f32x4_select((lt_i32x4)(v30 < 1024), (lt_f32x4)(v30 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v30 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.cast2 = cast, line 13 */
	const lt_i16x4 v45 = (lt_i16x4)(lt_u16x4)__builtin_convertvector(v21 | ((lt_i32x4)((lt_u32x4)v5 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v46 = __builtin_convertvector(v45, lt_i32x4);
	const lt_i32x4 v47 = v46 & 32767;
	const lt_f32x4 v56 = lt_f32x4_select((lt_i32x4)(v47 < 1024), (lt_f32x4)(v47 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v47 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.mul = mul, line 13 */
	const lt_f32x4 v62 = (lt_f32x4)((lt_i32x4)v39 | (lt_i32x4)((lt_u32x4)(v29 & 32768) << 16)) * (lt_f32x4)((lt_i32x4)v56 | (lt_i32x4)((lt_u32x4)(v46 & 32768) << 16));
	/* %10 = cast, line 13 */
	const lt_i32x4 v63 = (lt_i32x4)v62;
	const lt_i32x4 v64 = v63 & 2147483647;
	const lt_f32x4 v72 = (lt_f32x4)(lt_i32x4_larger(v64 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v64 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v73 = (lt_i32x4)v72;
	const lt_i32x4 v79 = lt_i32x4_select((lt_i32x4)(v64 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v73 >> 13) & 31744) + (v73 & 4095));
	*(lt_u16x4_u *)&n10[0] = (lt_u16x4)__builtin_convertvector(v79 | ((lt_i32x4)((lt_u32x4)v63 >> 16) & 32768), lt_i16x4);
	const lt_f32x4 v89 = (lt_f32x4)(lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n8[4], lt_i32x4) << 16);
	const lt_i32x4 v90 = (lt_i32x4)v89;
	const lt_i32x4 v91 = v90 & 2147483647;
	const lt_f32x4 v99 = (lt_f32x4)(lt_i32x4_larger(v91 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v91 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v100 = (lt_i32x4)v99;
	const lt_i32x4 v106 = lt_i32x4_select((lt_i32x4)(v91 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v100 >> 13) & 31744) + (v100 & 4095));
	const lt_i32x4 v114 = __builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n7[4], lt_i32x4);
	const lt_i32x4 v115 = v114 & 32767;
	const lt_f32x4 v124 = lt_f32x4_select((lt_i32x4)(v115 < 1024), (lt_f32x4)(v115 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v115 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x4 v130 = (lt_i16x4)(lt_u16x4)__builtin_convertvector(v106 | ((lt_i32x4)((lt_u32x4)v90 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v131 = __builtin_convertvector(v130, lt_i32x4);
	const lt_i32x4 v132 = v131 & 32767;
	const lt_f32x4 v141 = lt_f32x4_select((lt_i32x4)(v132 < 1024), (lt_f32x4)(v132 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v132 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x4 v147 = (lt_f32x4)((lt_i32x4)v124 | (lt_i32x4)((lt_u32x4)(v114 & 32768) << 16)) * (lt_f32x4)((lt_i32x4)v141 | (lt_i32x4)((lt_u32x4)(v131 & 32768) << 16));
	const lt_i32x4 v148 = (lt_i32x4)v147;
	const lt_i32x4 v149 = v148 & 2147483647;
	const lt_f32x4 v157 = (lt_f32x4)(lt_i32x4_larger(v149 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v149 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v158 = (lt_i32x4)v157;
	const lt_i32x4 v164 = lt_i32x4_select((lt_i32x4)(v149 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v158 >> 13) & 31744) + (v158 & 4095));
	*(lt_u16x4_u *)&n10[4] = (lt_u16x4)__builtin_convertvector(v164 | ((lt_i32x4)((lt_u32x4)v148 >> 16) & 32768), lt_i16x4);
	const lt_f32x4 v174 = (lt_f32x4)(lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n8[8], lt_i32x4) << 16);
	const lt_i32x4 v175 = (lt_i32x4)v174;
	const lt_i32x4 v176 = v175 & 2147483647;
	const lt_f32x4 v184 = (lt_f32x4)(lt_i32x4_larger(v176 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v176 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v185 = (lt_i32x4)v184;
	const lt_i32x4 v191 = lt_i32x4_select((lt_i32x4)(v176 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v185 >> 13) & 31744) + (v185 & 4095));
	const lt_i32x4 v199 = __builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n7[8], lt_i32x4);
	const lt_i32x4 v200 = v199 & 32767;
	const lt_f32x4 v209 = lt_f32x4_select((lt_i32x4)(v200 < 1024), (lt_f32x4)(v200 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v200 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x4 v215 = (lt_i16x4)(lt_u16x4)__builtin_convertvector(v191 | ((lt_i32x4)((lt_u32x4)v175 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v216 = __builtin_convertvector(v215, lt_i32x4);
	const lt_i32x4 v217 = v216 & 32767;
	const lt_f32x4 v226 = lt_f32x4_select((lt_i32x4)(v217 < 1024), (lt_f32x4)(v217 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v217 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x4 v232 = (lt_f32x4)((lt_i32x4)v209 | (lt_i32x4)((lt_u32x4)(v199 & 32768) << 16)) * (lt_f32x4)((lt_i32x4)v226 | (lt_i32x4)((lt_u32x4)(v216 & 32768) << 16));
	const lt_i32x4 v233 = (lt_i32x4)v232;
	const lt_i32x4 v234 = v233 & 2147483647;
	const lt_f32x4 v242 = (lt_f32x4)(lt_i32x4_larger(v234 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v234 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v243 = (lt_i32x4)v242;
	const lt_i32x4 v249 = lt_i32x4_select((lt_i32x4)(v234 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v243 >> 13) & 31744) + (v243 & 4095));
	*(lt_u16x4_u *)&n10[8] = (lt_u16x4)__builtin_convertvector(v249 | ((lt_i32x4)((lt_u32x4)v233 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v258 = (lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n8[12], lt_i32x4) << 16);
	const lt_i32x4 v260 = (lt_i32x4)(lt_f32x4)v258;
	const lt_i32x4 v261 = v260 & 2147483647;
	const lt_f32x4 v269 = (lt_f32x4)(lt_i32x4_larger(v261 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v261 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v270 = (lt_i32x4)v269;
	const lt_i32x4 v276 = lt_i32x4_select((lt_i32x4)(v261 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v270 >> 13) & 31744) + (v270 & 4095));
	const lt_i32x4 v284 = __builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n7[12], lt_i32x4);
	const lt_i32x4 v285 = v284 & 32767;
	const lt_f32x4 v294 = lt_f32x4_select((lt_i32x4)(v285 < 1024), (lt_f32x4)(v285 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v285 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x4 v300 = (lt_i16x4)(lt_u16x4)__builtin_convertvector(v276 | ((lt_i32x4)((lt_u32x4)v260 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v301 = __builtin_convertvector(v300, lt_i32x4);
	const lt_i32x4 v302 = v301 & 32767;
	const lt_f32x4 v311 = lt_f32x4_select((lt_i32x4)(v302 < 1024), (lt_f32x4)(v302 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v302 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x4 v317 = (lt_f32x4)((lt_i32x4)v294 | (lt_i32x4)((lt_u32x4)(v284 & 32768) << 16)) * (lt_f32x4)((lt_i32x4)v311 | (lt_i32x4)((lt_u32x4)(v301 & 32768) << 16));
	const lt_i32x4 v318 = (lt_i32x4)v317;
	const lt_i32x4 v319 = v318 & 2147483647;
	const lt_f32x4 v327 = (lt_f32x4)(lt_i32x4_larger(v319 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v319 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v328 = (lt_i32x4)v327;
	const lt_i32x4 v334 = lt_i32x4_select((lt_i32x4)(v319 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v328 >> 13) & 31744) + (v328 & 4095));
	*(lt_u16x4_u *)&n10[12] = (lt_u16x4)__builtin_convertvector(v334 | ((lt_i32x4)((lt_u32x4)v318 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v343 = (lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n8[16], lt_i32x4) << 16);
	const lt_i32x4 v345 = (lt_i32x4)(lt_f32x4)v343;
	const lt_i32x4 v346 = v345 & 2147483647;
	const lt_f32x4 v354 = (lt_f32x4)(lt_i32x4_larger(v346 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v346 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v355 = (lt_i32x4)v354;
	const lt_i32x4 v361 = lt_i32x4_select((lt_i32x4)(v346 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v355 >> 13) & 31744) + (v355 & 4095));
	const lt_i32x4 v369 = __builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n7[16], lt_i32x4);
	const lt_i32x4 v370 = v369 & 32767;
	const lt_f32x4 v379 = lt_f32x4_select((lt_i32x4)(v370 < 1024), (lt_f32x4)(v370 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v370 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x4 v385 = (lt_i16x4)(lt_u16x4)__builtin_convertvector(v361 | ((lt_i32x4)((lt_u32x4)v345 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v386 = __builtin_convertvector(v385, lt_i32x4);
	const lt_i32x4 v387 = v386 & 32767;
	const lt_f32x4 v396 = lt_f32x4_select((lt_i32x4)(v387 < 1024), (lt_f32x4)(v387 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v387 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x4 v402 = (lt_f32x4)((lt_i32x4)v379 | (lt_i32x4)((lt_u32x4)(v369 & 32768) << 16)) * (lt_f32x4)((lt_i32x4)v396 | (lt_i32x4)((lt_u32x4)(v386 & 32768) << 16));
	const lt_i32x4 v403 = (lt_i32x4)v402;
	const lt_i32x4 v404 = v403 & 2147483647;
	const lt_f32x4 v412 = (lt_f32x4)(lt_i32x4_larger(v404 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v404 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v413 = (lt_i32x4)v412;
	const lt_i32x4 v419 = lt_i32x4_select((lt_i32x4)(v404 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v413 >> 13) & 31744) + (v413 & 4095));
	*(lt_u16x4_u *)&n10[16] = (lt_u16x4)__builtin_convertvector(v419 | ((lt_i32x4)((lt_u32x4)v403 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v428 = (lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n8[20], lt_i32x4) << 16);
	const lt_i32x4 v430 = (lt_i32x4)(lt_f32x4)v428;
	const lt_i32x4 v431 = v430 & 2147483647;
	const lt_f32x4 v439 = (lt_f32x4)(lt_i32x4_larger(v431 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v431 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v440 = (lt_i32x4)v439;
	const lt_i32x4 v446 = lt_i32x4_select((lt_i32x4)(v431 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v440 >> 13) & 31744) + (v440 & 4095));
	const lt_i32x4 v454 = __builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n7[20], lt_i32x4);
	const lt_i32x4 v455 = v454 & 32767;
	const lt_f32x4 v464 = lt_f32x4_select((lt_i32x4)(v455 < 1024), (lt_f32x4)(v455 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v455 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x4 v470 = (lt_i16x4)(lt_u16x4)__builtin_convertvector(v446 | ((lt_i32x4)((lt_u32x4)v430 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v471 = __builtin_convertvector(v470, lt_i32x4);
	const lt_i32x4 v472 = v471 & 32767;
	const lt_f32x4 v481 = lt_f32x4_select((lt_i32x4)(v472 < 1024), (lt_f32x4)(v472 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v472 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x4 v487 = (lt_f32x4)((lt_i32x4)v464 | (lt_i32x4)((lt_u32x4)(v454 & 32768) << 16)) * (lt_f32x4)((lt_i32x4)v481 | (lt_i32x4)((lt_u32x4)(v471 & 32768) << 16));
	const lt_i32x4 v488 = (lt_i32x4)v487;
	const lt_i32x4 v489 = v488 & 2147483647;
	const lt_f32x4 v497 = (lt_f32x4)(lt_i32x4_larger(v489 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v489 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v498 = (lt_i32x4)v497;
	const lt_i32x4 v504 = lt_i32x4_select((lt_i32x4)(v489 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v498 >> 13) & 31744) + (v498 & 4095));
	*(lt_u16x4_u *)&n10[20] = (lt_u16x4)__builtin_convertvector(v504 | ((lt_i32x4)((lt_u32x4)v488 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v513 = (lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n8[24], lt_i32x4) << 16);
	const lt_i32x4 v515 = (lt_i32x4)(lt_f32x4)v513;
	const lt_i32x4 v516 = v515 & 2147483647;
	const lt_f32x4 v524 = (lt_f32x4)(lt_i32x4_larger(v516 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v516 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v525 = (lt_i32x4)v524;
	const lt_i32x4 v531 = lt_i32x4_select((lt_i32x4)(v516 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v525 >> 13) & 31744) + (v525 & 4095));
	const lt_i32x4 v539 = __builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n7[24], lt_i32x4);
	const lt_i32x4 v540 = v539 & 32767;
	const lt_f32x4 v549 = lt_f32x4_select((lt_i32x4)(v540 < 1024), (lt_f32x4)(v540 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v540 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x4 v555 = (lt_i16x4)(lt_u16x4)__builtin_convertvector(v531 | ((lt_i32x4)((lt_u32x4)v515 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v556 = __builtin_convertvector(v555, lt_i32x4);
	const lt_i32x4 v557 = v556 & 32767;
	const lt_f32x4 v566 = lt_f32x4_select((lt_i32x4)(v557 < 1024), (lt_f32x4)(v557 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v557 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x4 v572 = (lt_f32x4)((lt_i32x4)v549 | (lt_i32x4)((lt_u32x4)(v539 & 32768) << 16)) * (lt_f32x4)((lt_i32x4)v566 | (lt_i32x4)((lt_u32x4)(v556 & 32768) << 16));
	const lt_i32x4 v573 = (lt_i32x4)v572;
	const lt_i32x4 v574 = v573 & 2147483647;
	const lt_f32x4 v582 = (lt_f32x4)(lt_i32x4_larger(v574 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v574 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v583 = (lt_i32x4)v582;
	const lt_i32x4 v589 = lt_i32x4_select((lt_i32x4)(v574 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v583 >> 13) & 31744) + (v583 & 4095));
	*(lt_u16x4_u *)&n10[24] = (lt_u16x4)__builtin_convertvector(v589 | ((lt_i32x4)((lt_u32x4)v573 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v598 = (lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n8[28], lt_i32x4) << 16);
	const lt_i32x4 v600 = (lt_i32x4)(lt_f32x4)v598;
	const lt_i32x4 v601 = v600 & 2147483647;
	const lt_f32x4 v609 = (lt_f32x4)(lt_i32x4_larger(v601 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v601 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v610 = (lt_i32x4)v609;
	const lt_i32x4 v616 = lt_i32x4_select((lt_i32x4)(v601 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v610 >> 13) & 31744) + (v610 & 4095));
	const lt_i32x4 v624 = __builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n7[28], lt_i32x4);
	const lt_i32x4 v625 = v624 & 32767;
	const lt_f32x4 v634 = lt_f32x4_select((lt_i32x4)(v625 < 1024), (lt_f32x4)(v625 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v625 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x4 v640 = (lt_i16x4)(lt_u16x4)__builtin_convertvector(v616 | ((lt_i32x4)((lt_u32x4)v600 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v641 = __builtin_convertvector(v640, lt_i32x4);
	const lt_i32x4 v642 = v641 & 32767;
	const lt_f32x4 v651 = lt_f32x4_select((lt_i32x4)(v642 < 1024), (lt_f32x4)(v642 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v642 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x4 v657 = (lt_f32x4)((lt_i32x4)v634 | (lt_i32x4)((lt_u32x4)(v624 & 32768) << 16)) * (lt_f32x4)((lt_i32x4)v651 | (lt_i32x4)((lt_u32x4)(v641 & 32768) << 16));
	const lt_i32x4 v658 = (lt_i32x4)v657;
	const lt_i32x4 v659 = v658 & 2147483647;
	const lt_f32x4 v667 = (lt_f32x4)(lt_i32x4_larger(v659 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v659 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v668 = (lt_i32x4)v667;
	const lt_i32x4 v674 = lt_i32x4_select((lt_i32x4)(v659 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v668 >> 13) & 31744) + (v668 & 4095));
	*(lt_u16x4_u *)&n10[28] = (lt_u16x4)__builtin_convertvector(v674 | ((lt_i32x4)((lt_u32x4)v658 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v683 = (lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n8[32], lt_i32x4) << 16);
	const lt_i32x4 v685 = (lt_i32x4)(lt_f32x4)v683;
	const lt_i32x4 v686 = v685 & 2147483647;
	const lt_f32x4 v694 = (lt_f32x4)(lt_i32x4_larger(v686 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v686 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v695 = (lt_i32x4)v694;
	const lt_i32x4 v701 = lt_i32x4_select((lt_i32x4)(v686 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v695 >> 13) & 31744) + (v695 & 4095));
	const lt_i32x4 v709 = __builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n7[32], lt_i32x4);
	const lt_i32x4 v710 = v709 & 32767;
	const lt_f32x4 v719 = lt_f32x4_select((lt_i32x4)(v710 < 1024), (lt_f32x4)(v710 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v710 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x4 v725 = (lt_i16x4)(lt_u16x4)__builtin_convertvector(v701 | ((lt_i32x4)((lt_u32x4)v685 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v726 = __builtin_convertvector(v725, lt_i32x4);
	const lt_i32x4 v727 = v726 & 32767;
	const lt_f32x4 v736 = lt_f32x4_select((lt_i32x4)(v727 < 1024), (lt_f32x4)(v727 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v727 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x4 v742 = (lt_f32x4)((lt_i32x4)v719 | (lt_i32x4)((lt_u32x4)(v709 & 32768) << 16)) * (lt_f32x4)((lt_i32x4)v736 | (lt_i32x4)((lt_u32x4)(v726 & 32768) << 16));
	const lt_i32x4 v743 = (lt_i32x4)v742;
	const lt_i32x4 v744 = v743 & 2147483647;
	const lt_f32x4 v752 = (lt_f32x4)(lt_i32x4_larger(v744 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v744 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v753 = (lt_i32x4)v752;
	const lt_i32x4 v759 = lt_i32x4_select((lt_i32x4)(v744 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v753 >> 13) & 31744) + (v753 & 4095));
	*(lt_u16x4_u *)&n10[32] = (lt_u16x4)__builtin_convertvector(v759 | ((lt_i32x4)((lt_u32x4)v743 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v768 = (lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n8[36], lt_i32x4) << 16);
	const lt_i32x4 v770 = (lt_i32x4)(lt_f32x4)v768;
	const lt_i32x4 v771 = v770 & 2147483647;
	const lt_f32x4 v779 = (lt_f32x4)(lt_i32x4_larger(v771 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v771 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v780 = (lt_i32x4)v779;
	const lt_i32x4 v786 = lt_i32x4_select((lt_i32x4)(v771 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v780 >> 13) & 31744) + (v780 & 4095));
	const lt_i32x4 v794 = __builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n7[36], lt_i32x4);
	const lt_i32x4 v795 = v794 & 32767;
	const lt_f32x4 v804 = lt_f32x4_select((lt_i32x4)(v795 < 1024), (lt_f32x4)(v795 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v795 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x4 v810 = (lt_i16x4)(lt_u16x4)__builtin_convertvector(v786 | ((lt_i32x4)((lt_u32x4)v770 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v811 = __builtin_convertvector(v810, lt_i32x4);
	const lt_i32x4 v812 = v811 & 32767;
	const lt_f32x4 v821 = lt_f32x4_select((lt_i32x4)(v812 < 1024), (lt_f32x4)(v812 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v812 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x4 v827 = (lt_f32x4)((lt_i32x4)v804 | (lt_i32x4)((lt_u32x4)(v794 & 32768) << 16)) * (lt_f32x4)((lt_i32x4)v821 | (lt_i32x4)((lt_u32x4)(v811 & 32768) << 16));
	const lt_i32x4 v828 = (lt_i32x4)v827;
	const lt_i32x4 v829 = v828 & 2147483647;
	const lt_f32x4 v837 = (lt_f32x4)(lt_i32x4_larger(v829 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v829 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v838 = (lt_i32x4)v837;
	const lt_i32x4 v844 = lt_i32x4_select((lt_i32x4)(v829 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v838 >> 13) & 31744) + (v838 & 4095));
	*(lt_u16x4_u *)&n10[36] = (lt_u16x4)__builtin_convertvector(v844 | ((lt_i32x4)((lt_u32x4)v828 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v853 = (lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n8[40], lt_i32x4) << 16);
	const lt_i32x4 v855 = (lt_i32x4)(lt_f32x4)v853;
	const lt_i32x4 v856 = v855 & 2147483647;
	const lt_f32x4 v864 = (lt_f32x4)(lt_i32x4_larger(v856 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v856 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v865 = (lt_i32x4)v864;
	const lt_i32x4 v871 = lt_i32x4_select((lt_i32x4)(v856 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v865 >> 13) & 31744) + (v865 & 4095));
	const lt_i32x4 v879 = __builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n7[40], lt_i32x4);
	const lt_i32x4 v880 = v879 & 32767;
	const lt_f32x4 v889 = lt_f32x4_select((lt_i32x4)(v880 < 1024), (lt_f32x4)(v880 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v880 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x4 v895 = (lt_i16x4)(lt_u16x4)__builtin_convertvector(v871 | ((lt_i32x4)((lt_u32x4)v855 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v896 = __builtin_convertvector(v895, lt_i32x4);
	const lt_i32x4 v897 = v896 & 32767;
	const lt_f32x4 v906 = lt_f32x4_select((lt_i32x4)(v897 < 1024), (lt_f32x4)(v897 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v897 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x4 v912 = (lt_f32x4)((lt_i32x4)v889 | (lt_i32x4)((lt_u32x4)(v879 & 32768) << 16)) * (lt_f32x4)((lt_i32x4)v906 | (lt_i32x4)((lt_u32x4)(v896 & 32768) << 16));
	const lt_i32x4 v913 = (lt_i32x4)v912;
	const lt_i32x4 v914 = v913 & 2147483647;
	const lt_f32x4 v922 = (lt_f32x4)(lt_i32x4_larger(v914 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v914 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v923 = (lt_i32x4)v922;
	const lt_i32x4 v929 = lt_i32x4_select((lt_i32x4)(v914 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v923 >> 13) & 31744) + (v923 & 4095));
	*(lt_u16x4_u *)&n10[40] = (lt_u16x4)__builtin_convertvector(v929 | ((lt_i32x4)((lt_u32x4)v913 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v938 = (lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n8[44], lt_i32x4) << 16);
	const lt_i32x4 v940 = (lt_i32x4)(lt_f32x4)v938;
	const lt_i32x4 v941 = v940 & 2147483647;
	const lt_f32x4 v949 = (lt_f32x4)(lt_i32x4_larger(v941 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v941 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v950 = (lt_i32x4)v949;
	const lt_i32x4 v956 = lt_i32x4_select((lt_i32x4)(v941 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v950 >> 13) & 31744) + (v950 & 4095));
	const lt_i32x4 v964 = __builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n7[44], lt_i32x4);
	const lt_i32x4 v965 = v964 & 32767;
	const lt_f32x4 v974 = lt_f32x4_select((lt_i32x4)(v965 < 1024), (lt_f32x4)(v965 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v965 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x4 v980 = (lt_i16x4)(lt_u16x4)__builtin_convertvector(v956 | ((lt_i32x4)((lt_u32x4)v940 >> 16) & 32768), lt_i16x4);
	const lt_i32x4 v981 = __builtin_convertvector(v980, lt_i32x4);
	const lt_i32x4 v982 = v981 & 32767;
	const lt_f32x4 v991 = lt_f32x4_select((lt_i32x4)(v982 < 1024), (lt_f32x4)(v982 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v982 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x4 v997 = (lt_f32x4)((lt_i32x4)v974 | (lt_i32x4)((lt_u32x4)(v964 & 32768) << 16)) * (lt_f32x4)((lt_i32x4)v991 | (lt_i32x4)((lt_u32x4)(v981 & 32768) << 16));
	const lt_i32x4 v998 = (lt_i32x4)v997;
	const lt_i32x4 v999 = v998 & 2147483647;
	const lt_f32x4 v1007 = (lt_f32x4)(lt_i32x4_larger(v999 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v999 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x4 v1008 = (lt_i32x4)v1007;
	const lt_i32x4 v1014 = lt_i32x4_select((lt_i32x4)(v999 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v1008 >> 13) & 31744) + (v1008 & 4095));
	*(lt_u16x4_u *)&n10[44] = (lt_u16x4)__builtin_convertvector(v1014 | ((lt_i32x4)((lt_u32x4)v998 >> 16) & 32768), lt_i16x4);
	/* %9 = cast, line 12 */
	const lt_i32x2 v1023 = (lt_i32x2)((lt_u32x2)__builtin_convertvector((lt_i16x2)*(const lt_u16x2_u *)&n8[48], lt_i32x2) << 16);
	const lt_i32x2 v1025 = (lt_i32x2)(lt_f32x2)v1023;
	const lt_i32x2 v1026 = v1025 & 2147483647;
	const lt_f32x2 v1034 = (lt_f32x2)(lt_i32x2_larger(v1026 & 2139095040, lt_i32x2_splat(947912704)) + 125829120) + (lt_f32x2)v1026 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x2 v1035 = (lt_i32x2)v1034;
	const lt_i32x2 v1041 = lt_i32x2_select((lt_i32x2)(v1026 > 2139095040), lt_i32x2_splat(32256), ((lt_i32x2)((lt_u32x2)v1035 >> 13) & 31744) + (v1035 & 4095));
	/* %10.cast = cast, line 13 */
	const lt_i32x2 v1049 = __builtin_convertvector((lt_i16x2)*(const lt_u16x2_u *)&n7[48], lt_i32x2);
	const lt_i32x2 v1050 = v1049 & 32767;
	const lt_f32x2 v1059 = lt_f32x2_select((lt_i32x2)(v1050 < 1024), (lt_f32x2)(v1050 | 1056964608) - 0.5f, (lt_f32x2)((lt_i32x2)((lt_u32x2)v1050 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.cast2 = cast, line 13 */
	const lt_i16x2 v1065 = (lt_i16x2)(lt_u16x2)__builtin_convertvector(v1041 | ((lt_i32x2)((lt_u32x2)v1025 >> 16) & 32768), lt_i16x2);
	const lt_i32x2 v1066 = __builtin_convertvector(v1065, lt_i32x2);
	const lt_i32x2 v1067 = v1066 & 32767;
	const lt_f32x2 v1076 = lt_f32x2_select((lt_i32x2)(v1067 < 1024), (lt_f32x2)(v1067 | 1056964608) - 0.5f, (lt_f32x2)((lt_i32x2)((lt_u32x2)v1067 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.mul = mul, line 13 */
	const lt_f32x2 v1082 = (lt_f32x2)((lt_i32x2)v1059 | (lt_i32x2)((lt_u32x2)(v1049 & 32768) << 16)) * (lt_f32x2)((lt_i32x2)v1076 | (lt_i32x2)((lt_u32x2)(v1066 & 32768) << 16));
	/* %10 = cast, line 13 */
	const lt_i32x2 v1083 = (lt_i32x2)v1082;
	const lt_i32x2 v1084 = v1083 & 2147483647;
	const lt_f32x2 v1092 = (lt_f32x2)(lt_i32x2_larger(v1084 & 2139095040, lt_i32x2_splat(947912704)) + 125829120) + (lt_f32x2)v1084 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x2 v1093 = (lt_i32x2)v1092;
	const lt_i32x2 v1099 = lt_i32x2_select((lt_i32x2)(v1084 > 2139095040), lt_i32x2_splat(32256), ((lt_i32x2)((lt_u32x2)v1093 >> 13) & 31744) + (v1093 & 4095));
	*(lt_u16x2_u *)&n10[48] = (lt_u16x2)__builtin_convertvector(v1099 | ((lt_i32x2)((lt_u32x2)v1083 >> 16) & 32768), lt_i16x2);
}

LT_ENTRY void k2_10_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k2_10_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k2_10(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2));
}

/* k0_4_right is copied by the program, of 1 block: it has no code */
