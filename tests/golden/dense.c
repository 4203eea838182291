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

typedef float lt_f32x2 __attribute__((vector_size(8)));

LT_LANES lt_f32x2 lt_f32x2_splat(float x) { return x - (lt_f32x2){ 0 }; }

typedef float lt_f32x8_u __attribute__((vector_size(32), aligned(4), may_alias));

typedef float lt_f32x2_u __attribute__((vector_size(8), aligned(4), may_alias));

typedef int32_t lt_i32x8 __attribute__((vector_size(32)));

LT_LANES lt_f32x8 lt_f32x8_select(lt_i32x8 m, lt_f32x8 a, lt_f32x8 b) { return (lt_f32x8)((m & (lt_i32x8)a) | (~m & (lt_i32x8)b)); }

typedef int32_t lt_i32x2 __attribute__((vector_size(8)));

LT_LANES lt_f32x2 lt_f32x2_select(lt_i32x2 m, lt_f32x2 a, lt_f32x2 b) { return (lt_f32x2)((m & (lt_i32x2)a) | (~m & (lt_i32x2)b)); }

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k0_6: loop tree 3dd937de6d61b04889251a1038a0008d, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k0_6(const float *restrict n1, const float *restrict n2, const float *restrict n3, float *restrict n6)
{
	for (int64_t m = 0; m < 2; m++) {
		/* %4 = add.reduce, line 5 */
		lt_f32x8 n4_0 = lt_f32x8_splat(0.0f);
		/* %4 = add.reduce, line 5 */
		lt_f32x2 n4_8 = lt_f32x2_splat(0.0f);
		lt_f32x8 n4_10 = lt_f32x8_splat(0.0f);
		lt_f32x2 n4_18 = lt_f32x2_splat(0.0f);
		lt_f32x8 n4_20 = lt_f32x8_splat(0.0f);
		lt_f32x2 n4_28 = lt_f32x2_splat(0.0f);
		lt_f32x8 n4_30 = lt_f32x8_splat(0.0f);
		lt_f32x2 n4_38 = lt_f32x2_splat(0.0f);
		lt_f32x8 n4_40 = lt_f32x8_splat(0.0f);
		lt_f32x2 n4_48 = lt_f32x2_splat(0.0f);
		lt_f32x8 n4_50 = lt_f32x8_splat(0.0f);
		lt_f32x2 n4_58 = lt_f32x2_splat(0.0f);
		for (int64_t k = 0; k < 24; k++) {
			/* %4.mul = mul, line 5 */
			const int64_t v3 = m * 144 + k;
			const int64_t v5 = k * 10;
			/* %4 = add.reduce, line 5 */
			n4_0 += lt_f32x8_splat(n1[v3]) * *(const lt_f32x8_u *)&n2[v5];
			/* %4 = add.reduce, line 5 */
			n4_8 += lt_f32x2_splat(n1[v3]) * *(const lt_f32x2_u *)&n2[v5 + 8];
			n4_10 += lt_f32x8_splat(n1[v3 + 24]) * *(const lt_f32x8_u *)&n2[v5];
			n4_18 += lt_f32x2_splat(n1[v3 + 24]) * *(const lt_f32x2_u *)&n2[v5 + 8];
			n4_20 += lt_f32x8_splat(n1[v3 + 48]) * *(const lt_f32x8_u *)&n2[v5];
			n4_28 += lt_f32x2_splat(n1[v3 + 48]) * *(const lt_f32x2_u *)&n2[v5 + 8];
			n4_30 += lt_f32x8_splat(n1[v3 + 72]) * *(const lt_f32x8_u *)&n2[v5];
			n4_38 += lt_f32x2_splat(n1[v3 + 72]) * *(const lt_f32x2_u *)&n2[v5 + 8];
			n4_40 += lt_f32x8_splat(n1[v3 + 96]) * *(const lt_f32x8_u *)&n2[v5];
			n4_48 += lt_f32x2_splat(n1[v3 + 96]) * *(const lt_f32x2_u *)&n2[v5 + 8];
			n4_50 += lt_f32x8_splat(n1[v3 + 120]) * *(const lt_f32x8_u *)&n2[v5];
			n4_58 += lt_f32x2_splat(n1[v3 + 120]) * *(const lt_f32x2_u *)&n2[v5 + 8];
		}
		/* %5 = add, line 6 */
		const lt_f32x8 v55 = n4_0 + *(const lt_f32x8_u *)&n3[0];
		/* %6 = max, line 7 */
		const int64_t v58 = m * 60;
		*(lt_f32x8_u *)&n6[v58] = lt_f32x8_select((lt_i32x8)(0.0f >= v55), lt_f32x8_splat(0.0f), v55);
		/* %5 = add, line 6 */
		const lt_f32x2 v61 = n4_8 + *(const lt_f32x2_u *)&n3[8];
		/* %6 = max, line 7 */
		*(lt_f32x2_u *)&n6[v58 + 8] = lt_f32x2_select((lt_i32x2)(0.0f >= v61), lt_f32x2_splat(0.0f), v61);
		const lt_f32x8 v66 = n4_10 + *(const lt_f32x8_u *)&n3[0];
		*(lt_f32x8_u *)&n6[v58 + 10] = lt_f32x8_select((lt_i32x8)(0.0f >= v66), lt_f32x8_splat(0.0f), v66);
		const lt_f32x2 v71 = n4_18 + *(const lt_f32x2_u *)&n3[8];
		*(lt_f32x2_u *)&n6[v58 + 18] = lt_f32x2_select((lt_i32x2)(0.0f >= v71), lt_f32x2_splat(0.0f), v71);
		const lt_f32x8 v76 = n4_20 + *(const lt_f32x8_u *)&n3[0];
		*(lt_f32x8_u *)&n6[v58 + 20] = lt_f32x8_select((lt_i32x8)(0.0f >= v76), lt_f32x8_splat(0.0f), v76);
		const lt_f32x2 v81 = n4_28 + *(const lt_f32x2_u *)&n3[8];
		*(lt_f32x2_u *)&n6[v58 + 28] = lt_f32x2_select((lt_i32x2)(0.0f >= v81), lt_f32x2_splat(0.0f), v81);
		const lt_f32x8 v86 = n4_30 + *(const lt_f32x8_u *)&n3[0];
		*(lt_f32x8_u *)&n6[v58 + 30] = lt_f32x8_select((lt_i32x8)(0.0f >= v86), lt_f32x8_splat(0.0f), v86);
		const lt_f32x2 v91 = n4_38 + *(const lt_f32x2_u *)&n3[8];
		*(lt_f32x2_u *)&n6[v58 + 38] = lt_f32x2_select((lt_i32x2)(0.0f >= v91), lt_f32x2_splat(0.0f), v91);
		const lt_f32x8 v96 = n4_40 + *(const lt_f32x8_u *)&n3[0];
		*(lt_f32x8_u *)&n6[v58 + 40] = lt_f32x8_select((lt_i32x8)(0.0f >= v96), lt_f32x8_splat(0.0f), v96);
		const lt_f32x2 v101 = n4_48 + *(const lt_f32x2_u *)&n3[8];
		*(lt_f32x2_u *)&n6[v58 + 48] = lt_f32x2_select((lt_i32x2)(0.0f >= v101), lt_f32x2_splat(0.0f), v101);
		const lt_f32x8 v106 = n4_50 + *(const lt_f32x8_u *)&n3[0];
		*(lt_f32x8_u *)&n6[v58 + 50] = lt_f32x8_select((lt_i32x8)(0.0f >= v106), lt_f32x8_splat(0.0f), v106);
		const lt_f32x2 v111 = n4_58 + *(const lt_f32x2_u *)&n3[8];
		*(lt_f32x2_u *)&n6[v58 + 58] = lt_f32x2_select((lt_i32x2)(0.0f >= v111), lt_f32x2_splat(0.0f), v111);
	}
	/* %4 = add.reduce, line 5 */
	lt_f32x8 n4_5_0 = lt_f32x8_splat(0.0f);
	/* %4 = add.reduce, line 5 */
	lt_f32x2 n4_5_8 = lt_f32x2_splat(0.0f);
	lt_f32x8 n4_5_10 = lt_f32x8_splat(0.0f);
	lt_f32x2 n4_5_18 = lt_f32x2_splat(0.0f);
	lt_f32x8 n4_5_20 = lt_f32x8_splat(0.0f);
	lt_f32x2 n4_5_28 = lt_f32x2_splat(0.0f);
	lt_f32x8 n4_5_30 = lt_f32x8_splat(0.0f);
	lt_f32x2 n4_5_38 = lt_f32x2_splat(0.0f);
	for (int64_t k = 0; k < 24; k++) {
		/* %4.mul = mul, line 5 */
		const int64_t v116 = k * 10;
		/* %4 = add.reduce, line 5 */
		n4_5_0 += lt_f32x8_splat(n1[k + 288]) * *(const lt_f32x8_u *)&n2[v116];
		/* %4 = add.reduce, line 5 */
		n4_5_8 += lt_f32x2_splat(n1[k + 288]) * *(const lt_f32x2_u *)&n2[v116 + 8];
		n4_5_10 += lt_f32x8_splat(n1[k + 312]) * *(const lt_f32x8_u *)&n2[v116];
		n4_5_18 += lt_f32x2_splat(n1[k + 312]) * *(const lt_f32x2_u *)&n2[v116 + 8];
		n4_5_20 += lt_f32x8_splat(n1[k + 336]) * *(const lt_f32x8_u *)&n2[v116];
		n4_5_28 += lt_f32x2_splat(n1[k + 336]) * *(const lt_f32x2_u *)&n2[v116 + 8];
		n4_5_30 += lt_f32x8_splat(n1[k + 360]) * *(const lt_f32x8_u *)&n2[v116];
		n4_5_38 += lt_f32x2_splat(n1[k + 360]) * *(const lt_f32x2_u *)&n2[v116 + 8];
	}
	/* %5 = add, line 6 */
	const lt_f32x8 v150 = n4_5_0 + *(const lt_f32x8_u *)&n3[0];
	/* %6 = max, line 7 */
	*(lt_f32x8_u *)&n6[120] = lt_f32x8_select((lt_i32x8)(0.0f >= v150), lt_f32x8_splat(0.0f), v150);
	/* %5 = add, line 6 */
	const lt_f32x2 v155 = n4_5_8 + *(const lt_f32x2_u *)&n3[8];
	/* %6 = max, line 7 */
	*(lt_f32x2_u *)&n6[128] = lt_f32x2_select((lt_i32x2)(0.0f >= v155), lt_f32x2_splat(0.0f), v155);
	const lt_f32x8 v160 = n4_5_10 + *(const lt_f32x8_u *)&n3[0];
	*(lt_f32x8_u *)&n6[130] = lt_f32x8_select((lt_i32x8)(0.0f >= v160), lt_f32x8_splat(0.0f), v160);
	const lt_f32x2 v165 = n4_5_18 + *(const lt_f32x2_u *)&n3[8];
	*(lt_f32x2_u *)&n6[138] = lt_f32x2_select((lt_i32x2)(0.0f >= v165), lt_f32x2_splat(0.0f), v165);
	const lt_f32x8 v170 = n4_5_20 + *(const lt_f32x8_u *)&n3[0];
	*(lt_f32x8_u *)&n6[140] = lt_f32x8_select((lt_i32x8)(0.0f >= v170), lt_f32x8_splat(0.0f), v170);
	const lt_f32x2 v175 = n4_5_28 + *(const lt_f32x2_u *)&n3[8];
	*(lt_f32x2_u *)&n6[148] = lt_f32x2_select((lt_i32x2)(0.0f >= v175), lt_f32x2_splat(0.0f), v175);
	const lt_f32x8 v180 = n4_5_30 + *(const lt_f32x8_u *)&n3[0];
	*(lt_f32x8_u *)&n6[150] = lt_f32x8_select((lt_i32x8)(0.0f >= v180), lt_f32x8_splat(0.0f), v180);
	const lt_f32x2 v185 = n4_5_38 + *(const lt_f32x2_u *)&n3[8];
	*(lt_f32x2_u *)&n6[158] = lt_f32x2_select((lt_i32x2)(0.0f >= v185), lt_f32x2_splat(0.0f), v185);
}

LT_ENTRY void k0_6_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k0_6_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k0_6(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3));
}
