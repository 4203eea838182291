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

/* kernel k0_4_right: loop tree 766a2517694427e6baf9e81834ff5e09, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL void k0_4_right(const float *restrict v2, float *restrict v4_right)
{
	for (int64_t n = 0; n < 2; n++) {
		for (int64_t k = 0; k < 24; k++) {
			for (int64_t n_1 = 0; n_1 < 16; n_1++) {
				/* %4.right = copy, line 4 */
				v4_right[384*n + 16*k + n_1] = v2[32*k + 16*n + n_1];
			}
		}
	}
}

void k0_4_right_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k0_4_right(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}

typedef float lt_f32x4 __attribute__((vector_size(16)));

#define LT_VFN static inline __attribute__((always_inline, unused))

LT_VFN lt_f32x4 lt_all_f32x4(float x) { return x - (lt_f32x4){ 0 }; }

typedef float lt_f32x4_u __attribute__((vector_size(16), aligned(1), may_alias));

typedef int32_t lt_i32x4 __attribute__((vector_size(16)));

LT_VFN lt_f32x4 lt_most_f32x4(lt_f32x4 a, lt_f32x4 b)
{
	lt_i32x4 m = (lt_i32x4)(b >= a);
	return (lt_f32x4)((m & (lt_i32x4)b) | (~m & (lt_i32x4)a));
}

/* kernel k1_6: loop tree e30a17c5a47d95d2522b7525330a97fa, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL void k1_6(const float *restrict v1, const float *restrict v4_right, const float *restrict v3, float *restrict v6)
{
	for (int64_t n = 0; n < 2; n++) {
		for (int64_t m = 0; m < 2; m++) {
			lt_f32x4 v4_0, v4_1, v4_2_2, v4_3, v4_4, v4_5, v4_6, v4_7;
			lt_f32x4 v4_8, v4_9, v4_10, v4_11, v4_12, v4_13, v4_14, v4_15;
			lt_f32x4 v4_16, v4_17, v4_18, v4_19;
			/* %4 = add.reduce, line 6 */
			v4_0 = lt_all_f32x4(0.0f);
			v4_1 = lt_all_f32x4(0.0f);
			v4_2_2 = lt_all_f32x4(0.0f);
			v4_3 = lt_all_f32x4(0.0f);
			v4_4 = lt_all_f32x4(0.0f);
			v4_5 = lt_all_f32x4(0.0f);
			v4_6 = lt_all_f32x4(0.0f);
			v4_7 = lt_all_f32x4(0.0f);
			v4_8 = lt_all_f32x4(0.0f);
			v4_9 = lt_all_f32x4(0.0f);
			v4_10 = lt_all_f32x4(0.0f);
			v4_11 = lt_all_f32x4(0.0f);
			v4_12 = lt_all_f32x4(0.0f);
			v4_13 = lt_all_f32x4(0.0f);
			v4_14 = lt_all_f32x4(0.0f);
			v4_15 = lt_all_f32x4(0.0f);
			v4_16 = lt_all_f32x4(0.0f);
			v4_17 = lt_all_f32x4(0.0f);
			v4_18 = lt_all_f32x4(0.0f);
			v4_19 = lt_all_f32x4(0.0f);
			for (int64_t k = 0; k < 24; k++) {
				{
					/* %4.mul = mul, line 6 */
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k);
					v4_0 = v4_0 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 4);
					v4_1 = v4_1 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 8);
					v4_2_2 = v4_2_2 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 12);
					v4_3 = v4_3 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 24]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k);
					v4_4 = v4_4 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 24]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 4);
					v4_5 = v4_5 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 24]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 8);
					v4_6 = v4_6 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 24]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 12);
					v4_7 = v4_7 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 48]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k);
					v4_8 = v4_8 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 48]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 4);
					v4_9 = v4_9 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 48]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 8);
					v4_10 = v4_10 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 48]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 12);
					v4_11 = v4_11 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 72]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k);
					v4_12 = v4_12 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 72]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 4);
					v4_13 = v4_13 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 72]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 8);
					v4_14 = v4_14 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 72]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 12);
					v4_15 = v4_15 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 96]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k);
					v4_16 = v4_16 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 96]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 4);
					v4_17 = v4_17 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 96]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 8);
					v4_18 = v4_18 + v4_mul;
				}
				{
					const lt_f32x4 v4_mul = lt_all_f32x4(v1[120*m + k + 96]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 12);
					v4_19 = v4_19 + v4_mul;
				}
			}
			{
				/* %5 = add, line 7 */
				const lt_f32x4 v5 = v4_0 + *(const lt_f32x4_u *)(v3 + 16*n);
				/* %6 = max, line 8 */
				*(lt_f32x4_u *)(v6 + 160*m + 16*n) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_1 + *(const lt_f32x4_u *)(v3 + 16*n + 4);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 4) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_2_2 + *(const lt_f32x4_u *)(v3 + 16*n + 8);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 8) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_3 + *(const lt_f32x4_u *)(v3 + 16*n + 12);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 12) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_4 + *(const lt_f32x4_u *)(v3 + 16*n);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 32) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_5 + *(const lt_f32x4_u *)(v3 + 16*n + 4);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 36) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_6 + *(const lt_f32x4_u *)(v3 + 16*n + 8);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 40) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_7 + *(const lt_f32x4_u *)(v3 + 16*n + 12);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 44) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_8 + *(const lt_f32x4_u *)(v3 + 16*n);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 64) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_9 + *(const lt_f32x4_u *)(v3 + 16*n + 4);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 68) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_10 + *(const lt_f32x4_u *)(v3 + 16*n + 8);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 72) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_11 + *(const lt_f32x4_u *)(v3 + 16*n + 12);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 76) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_12 + *(const lt_f32x4_u *)(v3 + 16*n);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 96) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_13 + *(const lt_f32x4_u *)(v3 + 16*n + 4);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 100) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_14 + *(const lt_f32x4_u *)(v3 + 16*n + 8);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 104) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_15 + *(const lt_f32x4_u *)(v3 + 16*n + 12);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 108) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_16 + *(const lt_f32x4_u *)(v3 + 16*n);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 128) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_17 + *(const lt_f32x4_u *)(v3 + 16*n + 4);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 132) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_18 + *(const lt_f32x4_u *)(v3 + 16*n + 8);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 136) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5 = v4_19 + *(const lt_f32x4_u *)(v3 + 16*n + 12);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 140) = lt_most_f32x4(v5, lt_all_f32x4(0.0f));
			}
		}
		for (int64_t m = 0; m < 1; m++) {
			lt_f32x4 v4_2_0, v4_2_1, v4_2_2_2, v4_2_3, v4_2_4, v4_2_5, v4_2_6, v4_2_7;
			lt_f32x4 v4_2_8, v4_2_9, v4_2_10, v4_2_11;
			v4_2_0 = lt_all_f32x4(0.0f);
			v4_2_1 = lt_all_f32x4(0.0f);
			v4_2_2_2 = lt_all_f32x4(0.0f);
			v4_2_3 = lt_all_f32x4(0.0f);
			v4_2_4 = lt_all_f32x4(0.0f);
			v4_2_5 = lt_all_f32x4(0.0f);
			v4_2_6 = lt_all_f32x4(0.0f);
			v4_2_7 = lt_all_f32x4(0.0f);
			v4_2_8 = lt_all_f32x4(0.0f);
			v4_2_9 = lt_all_f32x4(0.0f);
			v4_2_10 = lt_all_f32x4(0.0f);
			v4_2_11 = lt_all_f32x4(0.0f);
			for (int64_t k = 0; k < 24; k++) {
				{
					const lt_f32x4 v4_mul_2 = lt_all_f32x4(v1[120*m + k + 240]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k);
					v4_2_0 = v4_2_0 + v4_mul_2;
				}
				{
					const lt_f32x4 v4_mul_2 = lt_all_f32x4(v1[120*m + k + 240]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 4);
					v4_2_1 = v4_2_1 + v4_mul_2;
				}
				{
					const lt_f32x4 v4_mul_2 = lt_all_f32x4(v1[120*m + k + 240]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 8);
					v4_2_2_2 = v4_2_2_2 + v4_mul_2;
				}
				{
					const lt_f32x4 v4_mul_2 = lt_all_f32x4(v1[120*m + k + 240]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 12);
					v4_2_3 = v4_2_3 + v4_mul_2;
				}
				{
					const lt_f32x4 v4_mul_2 = lt_all_f32x4(v1[120*m + k + 264]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k);
					v4_2_4 = v4_2_4 + v4_mul_2;
				}
				{
					const lt_f32x4 v4_mul_2 = lt_all_f32x4(v1[120*m + k + 264]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 4);
					v4_2_5 = v4_2_5 + v4_mul_2;
				}
				{
					const lt_f32x4 v4_mul_2 = lt_all_f32x4(v1[120*m + k + 264]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 8);
					v4_2_6 = v4_2_6 + v4_mul_2;
				}
				{
					const lt_f32x4 v4_mul_2 = lt_all_f32x4(v1[120*m + k + 264]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 12);
					v4_2_7 = v4_2_7 + v4_mul_2;
				}
				{
					const lt_f32x4 v4_mul_2 = lt_all_f32x4(v1[120*m + k + 288]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k);
					v4_2_8 = v4_2_8 + v4_mul_2;
				}
				{
					const lt_f32x4 v4_mul_2 = lt_all_f32x4(v1[120*m + k + 288]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 4);
					v4_2_9 = v4_2_9 + v4_mul_2;
				}
				{
					const lt_f32x4 v4_mul_2 = lt_all_f32x4(v1[120*m + k + 288]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 8);
					v4_2_10 = v4_2_10 + v4_mul_2;
				}
				{
					const lt_f32x4 v4_mul_2 = lt_all_f32x4(v1[120*m + k + 288]) * *(const lt_f32x4_u *)(v4_right + 384*n + 16*k + 12);
					v4_2_11 = v4_2_11 + v4_mul_2;
				}
			}
			{
				const lt_f32x4 v5_2 = v4_2_0 + *(const lt_f32x4_u *)(v3 + 16*n);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 320) = lt_most_f32x4(v5_2, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5_2 = v4_2_1 + *(const lt_f32x4_u *)(v3 + 16*n + 4);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 324) = lt_most_f32x4(v5_2, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5_2 = v4_2_2_2 + *(const lt_f32x4_u *)(v3 + 16*n + 8);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 328) = lt_most_f32x4(v5_2, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5_2 = v4_2_3 + *(const lt_f32x4_u *)(v3 + 16*n + 12);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 332) = lt_most_f32x4(v5_2, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5_2 = v4_2_4 + *(const lt_f32x4_u *)(v3 + 16*n);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 352) = lt_most_f32x4(v5_2, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5_2 = v4_2_5 + *(const lt_f32x4_u *)(v3 + 16*n + 4);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 356) = lt_most_f32x4(v5_2, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5_2 = v4_2_6 + *(const lt_f32x4_u *)(v3 + 16*n + 8);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 360) = lt_most_f32x4(v5_2, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5_2 = v4_2_7 + *(const lt_f32x4_u *)(v3 + 16*n + 12);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 364) = lt_most_f32x4(v5_2, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5_2 = v4_2_8 + *(const lt_f32x4_u *)(v3 + 16*n);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 384) = lt_most_f32x4(v5_2, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5_2 = v4_2_9 + *(const lt_f32x4_u *)(v3 + 16*n + 4);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 388) = lt_most_f32x4(v5_2, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5_2 = v4_2_10 + *(const lt_f32x4_u *)(v3 + 16*n + 8);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 392) = lt_most_f32x4(v5_2, lt_all_f32x4(0.0f));
			}
			{
				const lt_f32x4 v5_2 = v4_2_11 + *(const lt_f32x4_u *)(v3 + 16*n + 12);
				*(lt_f32x4_u *)(v6 + 160*m + 16*n + 396) = lt_most_f32x4(v5_2, lt_all_f32x4(0.0f));
			}
		}
	}
}

void k1_6_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k1_6(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3));
}

typedef uint16_t lt_u16x4 __attribute__((vector_size(8)));

typedef uint32_t lt_u32x4 __attribute__((vector_size(16)));

LT_VFN lt_u16x4 lt_cast_i32_u16x4(lt_i32x4 a) { return __builtin_convertvector(a, lt_u16x4); }

LT_VFN lt_u16x4 lt_cast_f32_f16x4(lt_f32x4 a)
{
#if defined(__AVX512F__) && 4 == 16
	lt_u16x4 r;
	__asm__("vcvtps2ph $0, %1, %0" : "=v"(r) : "v"(a));
	return r;
#elif defined(__F16C__) && 4 == 8
	lt_u16x4 r;
	__asm__("vcvtps2ph $0, %1, %0" : "=x"(r) : "x"(a));
	return r;
#else
	lt_u32x4 u = (lt_u32x4)a, sign = u & 0x80000000u, twice = u + u, bias = twice & 0xff000000u;
	lt_f32x4 base = (lt_f32x4)(u - sign) * 0x1p112f * 0x1p-110f;
	lt_u32x4 m = (lt_u32x4)(bias < 0x71000000u);
	bias = (((m & 0x71000000u) | (~m & bias)) >> 1) + 0x07800000u;
	lt_u32x4 sum = (lt_u32x4)((lt_f32x4)bias + base), rest = ((sum >> 13) & 0x7c00u) + (sum & 0x0fffu);
	m = (lt_u32x4)(twice > 0xff000000u);
	return lt_cast_i32_u16x4((lt_i32x4)(sign >> 16 | (m & 0x7e00u) | (~m & rest)));
#endif
}

LT_VFN lt_f32x4 lt_cast_bf16_f32x4(lt_u16x4 a) { return (lt_f32x4)(__builtin_convertvector(a, lt_u32x4) << 16); }

LT_VFN lt_u16x4 lt_cast_bf16_f16x4(lt_u16x4 a) { return lt_cast_f32_f16x4(lt_cast_bf16_f32x4(a)); }

typedef uint16_t lt_u16x4_u __attribute__((vector_size(8), aligned(1), may_alias));

LT_VFN lt_f32x4 lt_cast_f16_f32x4(lt_u16x4 a)
{
#if defined(__AVX512F__) && 4 == 16
	lt_f32x4 r;
	__asm__("vcvtph2ps %1, %0" : "=v"(r) : "v"(a));
	return r;
#elif defined(__F16C__) && 4 == 8
	lt_f32x4 r;
	__asm__("vcvtph2ps %1, %0" : "=x"(r) : "x"(a));
	return r;
#else
	lt_u32x4 h = __builtin_convertvector(a, lt_u32x4), w = h << 17;
	lt_f32x4 normal = (lt_f32x4)((w >> 4) + 0x70000000u) * 0x1p-112f, small = (lt_f32x4)((w >> 17) | 0x3f000000u) - 0.5f;
	lt_u32x4 m = (lt_u32x4)(w < 0x08000000u);
	return (lt_f32x4)((m & (lt_u32x4)small) | (~m & (lt_u32x4)normal) | (h & 0x8000u) << 16);
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

/* kernel k2_10: loop tree e9597adebe760521fd160ca922c3c886, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL void k2_10(const uint16_t *restrict v8, const uint16_t *restrict v7, uint16_t *restrict v10)
{
	for (int64_t i4 = 0; i4 < 12; i4++) {
		{
			/* %9 = cast, line 12 */
			const lt_u16x4 v9 = lt_cast_bf16_f16x4(*(const lt_u16x4_u *)(v8 + 4*i4));
			/* %10.cast = cast, line 13 */
			const lt_f32x4 v10_cast = lt_cast_f16_f32x4(*(const lt_u16x4_u *)(v7 + 4*i4));
			/* %10.cast2 = cast, line 13 */
			const lt_f32x4 v10_cast2 = lt_cast_f16_f32x4(v9);
			/* %10.mul = mul, line 13 */
			const lt_f32x4 v10_mul = v10_cast * v10_cast2;
			/* %10 = cast, line 13 */
			*(lt_u16x4_u *)(v10 + 4*i4) = lt_cast_f32_f16x4(v10_mul);
		}
	}
	for (int64_t i4 = 0; i4 < 1; i4++) {
		{
			const lt_u16x2 v9_2 = lt_cast_bf16_f16x2(*(const lt_u16x2_u *)(v8 + 4*i4 + 48));
			const lt_f32x2 v10_cast_2 = lt_cast_f16_f32x2(*(const lt_u16x2_u *)(v7 + 4*i4 + 48));
			const lt_f32x2 v10_cast2_2 = lt_cast_f16_f32x2(v9_2);
			const lt_f32x2 v10_mul_2 = v10_cast_2 * v10_cast2_2;
			*(lt_u16x2_u *)(v10 + 4*i4 + 48) = lt_cast_f32_f16x2(v10_mul_2);
		}
	}
}

void k2_10_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k2_10(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2));
}
