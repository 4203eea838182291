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

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k0_4_right: loop tree 766a2517694427e6baf9e81834ff5e09, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k0_4_right(const float *restrict n2, float *restrict n4_right)
{
	for (int64_t n = 0; n < 2; n++) {
		for (int64_t k = 0; k < 24; k++) {
			for (int64_t n_1 = 0; n_1 < 16; n_1++) {
				/* %4.right = copy, line 4 */
				n4_right[n * 384 + k * 16 + n_1] = n2[n * 16 + k * 32 + n_1];
			}
		}
	}
}

void k0_4_right_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
void k0_4_right_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k0_4_right(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}

#define LT_LANES static inline __attribute__((always_inline, unused))

typedef float lt_f32x4 __attribute__((vector_size(16)));

LT_LANES lt_f32x4 lt_f32x4_splat(float x) { return x - (lt_f32x4){ 0 }; }

typedef float lt_f32x4_u __attribute__((vector_size(16), aligned(4), may_alias));

typedef int32_t lt_i32x4 __attribute__((vector_size(16)));

LT_LANES lt_f32x4 lt_f32x4_select(lt_i32x4 m, lt_f32x4 a, lt_f32x4 b) { return (lt_f32x4)((m & (lt_i32x4)a) | (~m & (lt_i32x4)b)); }

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

void k1_6_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
void k1_6_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
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
	for (int64_t i4_ = 0; i4_ < 12; i4_++) {
		/* %9 = cast, line 12 */
		const int64_t v1 = i4_ * 4;
		const lt_i32x4 v5 = (lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n8[v1], lt_i32x4) << 16);
		const lt_i32x4 v7 = (lt_i32x4)(lt_f32x4)v5;
		const lt_i32x4 v8 = v7 & 2147483647;
		const lt_f32x4 v16 = (lt_f32x4)(lt_i32x4_larger(v8 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v8 * 0x1.0p112f * 0x1.0p-110f;
		const lt_i32x4 v17 = (lt_i32x4)v16;
		const lt_i32x4 v23 = lt_i32x4_select((lt_i32x4)(v8 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v17 >> 13) & 31744) + (v17 & 4095));
		/* %10.cast = cast, line 13 */
		const lt_i32x4 v31 = __builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n7[v1], lt_i32x4);
		const lt_i32x4 v32 = v31 & 32767;
		const lt_f32x4 v41 = lt_f32x4_select((lt_i32x4)(v32 < 1024), (lt_f32x4)(v32 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v32 << 13) + 1879048192) * 0x1.0p-112f);
		/* %10.cast2 = cast, line 13 */
		const lt_i16x4 v47 = (lt_i16x4)(lt_u16x4)__builtin_convertvector(v23 | ((lt_i32x4)((lt_u32x4)v7 >> 16) & 32768), lt_i16x4);
		const lt_i32x4 v48 = __builtin_convertvector(v47, lt_i32x4);
		const lt_i32x4 v49 = v48 & 32767;
		const lt_f32x4 v58 = lt_f32x4_select((lt_i32x4)(v49 < 1024), (lt_f32x4)(v49 | 1056964608) - 0.5f, (lt_f32x4)((lt_i32x4)((lt_u32x4)v49 << 13) + 1879048192) * 0x1.0p-112f);
		/* %10.mul = mul, line 13 */
		const lt_f32x4 v64 = (lt_f32x4)((lt_i32x4)v41 | (lt_i32x4)((lt_u32x4)(v31 & 32768) << 16)) * (lt_f32x4)((lt_i32x4)v58 | (lt_i32x4)((lt_u32x4)(v48 & 32768) << 16));
		/* %10 = cast, line 13 */
		const lt_i32x4 v65 = (lt_i32x4)v64;
		const lt_i32x4 v66 = v65 & 2147483647;
		const lt_f32x4 v74 = (lt_f32x4)(lt_i32x4_larger(v66 & 2139095040, lt_i32x4_splat(947912704)) + 125829120) + (lt_f32x4)v66 * 0x1.0p112f * 0x1.0p-110f;
		const lt_i32x4 v75 = (lt_i32x4)v74;
		const lt_i32x4 v81 = lt_i32x4_select((lt_i32x4)(v66 > 2139095040), lt_i32x4_splat(32256), ((lt_i32x4)((lt_u32x4)v75 >> 13) & 31744) + (v75 & 4095));
		*(lt_u16x4_u *)&n10[v1] = (lt_u16x4)__builtin_convertvector(v81 | ((lt_i32x4)((lt_u32x4)v65 >> 16) & 32768), lt_i16x4);
	}
	/* %9 = cast, line 12 */
	const lt_i32x2 v90 = (lt_i32x2)((lt_u32x2)__builtin_convertvector((lt_i16x2)*(const lt_u16x2_u *)&n8[48], lt_i32x2) << 16);
	const lt_i32x2 v92 = (lt_i32x2)(lt_f32x2)v90;
	const lt_i32x2 v93 = v92 & 2147483647;
	const lt_f32x2 v101 = (lt_f32x2)(lt_i32x2_larger(v93 & 2139095040, lt_i32x2_splat(947912704)) + 125829120) + (lt_f32x2)v93 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x2 v102 = (lt_i32x2)v101;
	const lt_i32x2 v108 = lt_i32x2_select((lt_i32x2)(v93 > 2139095040), lt_i32x2_splat(32256), ((lt_i32x2)((lt_u32x2)v102 >> 13) & 31744) + (v102 & 4095));
	/* %10.cast = cast, line 13 */
	const lt_i32x2 v116 = __builtin_convertvector((lt_i16x2)*(const lt_u16x2_u *)&n7[48], lt_i32x2);
	const lt_i32x2 v117 = v116 & 32767;
	const lt_f32x2 v126 = lt_f32x2_select((lt_i32x2)(v117 < 1024), (lt_f32x2)(v117 | 1056964608) - 0.5f, (lt_f32x2)((lt_i32x2)((lt_u32x2)v117 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.cast2 = cast, line 13 */
	const lt_i16x2 v132 = (lt_i16x2)(lt_u16x2)__builtin_convertvector(v108 | ((lt_i32x2)((lt_u32x2)v92 >> 16) & 32768), lt_i16x2);
	const lt_i32x2 v133 = __builtin_convertvector(v132, lt_i32x2);
	const lt_i32x2 v134 = v133 & 32767;
	const lt_f32x2 v143 = lt_f32x2_select((lt_i32x2)(v134 < 1024), (lt_f32x2)(v134 | 1056964608) - 0.5f, (lt_f32x2)((lt_i32x2)((lt_u32x2)v134 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.mul = mul, line 13 */
	const lt_f32x2 v149 = (lt_f32x2)((lt_i32x2)v126 | (lt_i32x2)((lt_u32x2)(v116 & 32768) << 16)) * (lt_f32x2)((lt_i32x2)v143 | (lt_i32x2)((lt_u32x2)(v133 & 32768) << 16));
	/* %10 = cast, line 13 */
	const lt_i32x2 v150 = (lt_i32x2)v149;
	const lt_i32x2 v151 = v150 & 2147483647;
	const lt_f32x2 v159 = (lt_f32x2)(lt_i32x2_larger(v151 & 2139095040, lt_i32x2_splat(947912704)) + 125829120) + (lt_f32x2)v151 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x2 v160 = (lt_i32x2)v159;
	const lt_i32x2 v166 = lt_i32x2_select((lt_i32x2)(v151 > 2139095040), lt_i32x2_splat(32256), ((lt_i32x2)((lt_u32x2)v160 >> 13) & 31744) + (v160 & 4095));
	*(lt_u16x2_u *)&n10[48] = (lt_u16x2)__builtin_convertvector(v166 | ((lt_i32x2)((lt_u32x2)v150 >> 16) & 32768), lt_i16x2);
}

void k2_10_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
void k2_10_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k2_10(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2));
}
