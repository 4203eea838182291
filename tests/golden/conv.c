#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__) && (__GNUC__ < 12 || (__GNUC__ == 12 && __GNUC_MINOR__ < 4) || (__GNUC__ == 13 && __GNUC_MINOR__ < 3))
#pragma GCC optimize("no-tree-loop-if-convert")
#endif

#define LT_KERNEL_BRANCHES static __attribute__((noinline))

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

typedef float lt_f32x8_u __attribute__((vector_size(32), aligned(1), may_alias));

/* kernel k0_3_out: loop tree 5a82cb7b45e0a8aa2daa745206b5f3c7, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL_BRANCHES void k0_3_out(const float *restrict v1, const float *restrict v2, float *restrict v3_out)
{
	for (int64_t i = 0; i < 1; i++) {
		for (int64_t y = 0; y < 2; y++) {
			for (int64_t x = 0; x < 1; x++) {
				_Alignas(64) float v3_right[288];
				lt_f32x8 v3_0, v3_1, v3_2_2, v3_3, v3_4, v3_5;
				for (int64_t j = 0; j < 2; j++) {
					for (int64_t k2 = 0; k2 < 3; k2++) {
						for (int64_t l2 = 0; l2 < 3; l2++) {
							for (int64_t y_1 = 0; y_1 < 2; y_1++) {
								/* %3.right = copy, line 4 */
								lt_f32x8 t0;
								if (16*x + l2 >= 1 && 16*x + l2 <= -5 && 4*y + 2*y_1 + k2 >= 1 && 8*x <= -3) {
									const float *const t1 = v1 + 162*i + 81*j + 36*y + 18*y_1 + 16*x + 9*k2 + l2 - 10;
									t0 = (lt_f32x8){ t1[0], t1[2], t1[4], t1[6], t1[8], t1[10], t1[12], t1[14] };
								} else if ((!(16*x + l2 >= -13) || !(16*x + l2 <= 9) || !(4*y + 2*y_1 + k2 >= 1) || !(8*x <= 4)) && 8*x <= -3) {
									t0 = lt_all_f32x8(0.0f);
								} else if ((!(16*x + l2 >= -13) || !(16*x + l2 <= 9) || !(4*y + 2*y_1 + k2 >= 1) || !(8*x <= 4)) && (!(8*x <= 4))) {
									t0 = lt_all_f32x8(0.0f);
								} else {
									lt_f32x8 t2;
									for (int64_t x_1 = 0; x_1 < 8; x_1++) {
										t2[x_1] = 16*x + 2*x_1 + l2 >= 1 && 16*x + 2*x_1 + l2 <= 9 && 4*y + 2*y_1 + k2 >= 1 && 8*x + x_1 <= 4 ? v1[162*i + 81*j + 36*y + 18*y_1 + 16*x + 9*k2 + 2*x_1 + l2 - 10] : 8*x + x_1 <= 4 ? 0.0f : 0.0f;
									}
									t0 = t2;
								}
								*(lt_f32x8_u *)(v3_right + 144*j + 48*k2 + 16*l2 + 8*y_1) = t0;
							}
						}
					}
				}
				/* %3 = add.reduce, line 4 */
				v3_0 = lt_all_f32x8(0.0f);
				v3_1 = lt_all_f32x8(0.0f);
				v3_2_2 = lt_all_f32x8(0.0f);
				v3_3 = lt_all_f32x8(0.0f);
				v3_4 = lt_all_f32x8(0.0f);
				v3_5 = lt_all_f32x8(0.0f);
				for (int64_t j = 0; j < 2; j++) {
					for (int64_t k2 = 0; k2 < 3; k2++) {
						for (int64_t l2 = 0; l2 < 3; l2++) {
							{
								/* %3.mul = mul, line 4 */
								const lt_f32x8 v3_mul = *(const lt_f32x8_u *)(v3_right + 144*j + 48*k2 + 16*l2) * lt_all_f32x8(v2[9*j + 3*k2 + l2]);
								v3_0 = v3_0 + v3_mul;
							}
							{
								const lt_f32x8 v3_mul = *(const lt_f32x8_u *)(v3_right + 144*j + 48*k2 + 16*l2 + 8) * lt_all_f32x8(v2[9*j + 3*k2 + l2]);
								v3_1 = v3_1 + v3_mul;
							}
							{
								const lt_f32x8 v3_mul = *(const lt_f32x8_u *)(v3_right + 144*j + 48*k2 + 16*l2) * lt_all_f32x8(v2[9*j + 3*k2 + l2 + 18]);
								v3_2_2 = v3_2_2 + v3_mul;
							}
							{
								const lt_f32x8 v3_mul = *(const lt_f32x8_u *)(v3_right + 144*j + 48*k2 + 16*l2 + 8) * lt_all_f32x8(v2[9*j + 3*k2 + l2 + 18]);
								v3_3 = v3_3 + v3_mul;
							}
							{
								const lt_f32x8 v3_mul = *(const lt_f32x8_u *)(v3_right + 144*j + 48*k2 + 16*l2) * lt_all_f32x8(v2[9*j + 3*k2 + l2 + 36]);
								v3_4 = v3_4 + v3_mul;
							}
							{
								const lt_f32x8 v3_mul = *(const lt_f32x8_u *)(v3_right + 144*j + 48*k2 + 16*l2 + 8) * lt_all_f32x8(v2[9*j + 3*k2 + l2 + 36]);
								v3_5 = v3_5 + v3_mul;
							}
						}
					}
				}
				/* %3.out = copy, line 4 */
				if (8*x <= -3) {
					*(lt_f32x8_u *)(v3_out + 75*i + 10*y + 8*x) = v3_0;
				} else if (!(!(8*x <= 4))) {
					{
						lt_f32x8 t3 = v3_0;
						for (int64_t x_1 = 0; x_1 < 8; x_1++) {
							if (8*x + x_1 <= 4) {
								v3_out[75*i + 10*y + 8*x + x_1] = t3[x_1];
							}
						}
					}
				}
				if (8*x <= -3) {
					*(lt_f32x8_u *)(v3_out + 75*i + 10*y + 8*x + 5) = v3_1;
				} else if (!(!(8*x <= 4))) {
					{
						lt_f32x8 t4 = v3_1;
						for (int64_t x_1 = 0; x_1 < 8; x_1++) {
							if (8*x + x_1 <= 4) {
								v3_out[75*i + 10*y + 8*x + x_1 + 5] = t4[x_1];
							}
						}
					}
				}
				if (8*x <= -3) {
					*(lt_f32x8_u *)(v3_out + 75*i + 10*y + 8*x + 25) = v3_2_2;
				} else if (!(!(8*x <= 4))) {
					{
						lt_f32x8 t5 = v3_2_2;
						for (int64_t x_1 = 0; x_1 < 8; x_1++) {
							if (8*x + x_1 <= 4) {
								v3_out[75*i + 10*y + 8*x + x_1 + 25] = t5[x_1];
							}
						}
					}
				}
				if (8*x <= -3) {
					*(lt_f32x8_u *)(v3_out + 75*i + 10*y + 8*x + 30) = v3_3;
				} else if (!(!(8*x <= 4))) {
					{
						lt_f32x8 t6 = v3_3;
						for (int64_t x_1 = 0; x_1 < 8; x_1++) {
							if (8*x + x_1 <= 4) {
								v3_out[75*i + 10*y + 8*x + x_1 + 30] = t6[x_1];
							}
						}
					}
				}
				if (8*x <= -3) {
					*(lt_f32x8_u *)(v3_out + 75*i + 10*y + 8*x + 50) = v3_4;
				} else if (!(!(8*x <= 4))) {
					{
						lt_f32x8 t7 = v3_4;
						for (int64_t x_1 = 0; x_1 < 8; x_1++) {
							if (8*x + x_1 <= 4) {
								v3_out[75*i + 10*y + 8*x + x_1 + 50] = t7[x_1];
							}
						}
					}
				}
				if (8*x <= -3) {
					*(lt_f32x8_u *)(v3_out + 75*i + 10*y + 8*x + 55) = v3_5;
				} else if (!(!(8*x <= 4))) {
					{
						lt_f32x8 t8 = v3_5;
						for (int64_t x_1 = 0; x_1 < 8; x_1++) {
							if (8*x + x_1 <= 4) {
								v3_out[75*i + 10*y + 8*x + x_1 + 55] = t8[x_1];
							}
						}
					}
				}
			}
		}
		for (int64_t y = 0; y < 1; y++) {
			for (int64_t x = 0; x < 1; x++) {
				_Alignas(64) float v3_right_2[144];
				lt_f32x8 v3_2_0, v3_2_1, v3_2_2_2;
				for (int64_t j = 0; j < 2; j++) {
					for (int64_t k2 = 0; k2 < 3; k2++) {
						for (int64_t l2 = 0; l2 < 3; l2++) {
							for (int64_t y_1 = 0; y_1 < 1; y_1++) {
								lt_f32x8 t9;
								if (16*x + l2 >= 1 && 16*x + l2 <= -5 && 4*y + 2*y_1 + k2 <= 1 && 8*x <= -3) {
									const float *const t10 = v1 + 162*i + 81*j + 36*y + 18*y_1 + 16*x + 9*k2 + l2 + 62;
									t9 = (lt_f32x8){ t10[0], t10[2], t10[4], t10[6], t10[8], t10[10], t10[12], t10[14] };
								} else if ((!(16*x + l2 >= -13) || !(16*x + l2 <= 9) || !(4*y + 2*y_1 + k2 <= 1) || !(8*x <= 4)) && 8*x <= -3) {
									t9 = lt_all_f32x8(0.0f);
								} else if ((!(16*x + l2 >= -13) || !(16*x + l2 <= 9) || !(4*y + 2*y_1 + k2 <= 1) || !(8*x <= 4)) && (!(8*x <= 4))) {
									t9 = lt_all_f32x8(0.0f);
								} else {
									lt_f32x8 t11;
									for (int64_t x_1 = 0; x_1 < 8; x_1++) {
										t11[x_1] = 16*x + 2*x_1 + l2 >= 1 && 16*x + 2*x_1 + l2 <= 9 && 4*y + 2*y_1 + k2 <= 1 && 8*x + x_1 <= 4 ? v1[162*i + 81*j + 36*y + 18*y_1 + 16*x + 9*k2 + 2*x_1 + l2 + 62] : 8*x + x_1 <= 4 ? 0.0f : 0.0f;
									}
									t9 = t11;
								}
								*(lt_f32x8_u *)(v3_right_2 + 72*j + 24*k2 + 8*l2 + 8*y_1) = t9;
							}
						}
					}
				}
				v3_2_0 = lt_all_f32x8(0.0f);
				v3_2_1 = lt_all_f32x8(0.0f);
				v3_2_2_2 = lt_all_f32x8(0.0f);
				for (int64_t j = 0; j < 2; j++) {
					for (int64_t k2 = 0; k2 < 3; k2++) {
						for (int64_t l2 = 0; l2 < 3; l2++) {
							{
								const lt_f32x8 v3_mul_2 = *(const lt_f32x8_u *)(v3_right_2 + 72*j + 24*k2 + 8*l2) * lt_all_f32x8(v2[9*j + 3*k2 + l2]);
								v3_2_0 = v3_2_0 + v3_mul_2;
							}
							{
								const lt_f32x8 v3_mul_2 = *(const lt_f32x8_u *)(v3_right_2 + 72*j + 24*k2 + 8*l2) * lt_all_f32x8(v2[9*j + 3*k2 + l2 + 18]);
								v3_2_1 = v3_2_1 + v3_mul_2;
							}
							{
								const lt_f32x8 v3_mul_2 = *(const lt_f32x8_u *)(v3_right_2 + 72*j + 24*k2 + 8*l2) * lt_all_f32x8(v2[9*j + 3*k2 + l2 + 36]);
								v3_2_2_2 = v3_2_2_2 + v3_mul_2;
							}
						}
					}
				}
				if (8*x <= -3) {
					*(lt_f32x8_u *)(v3_out + 75*i + 10*y + 8*x + 20) = v3_2_0;
				} else if (!(!(8*x <= 4))) {
					{
						lt_f32x8 t12 = v3_2_0;
						for (int64_t x_1 = 0; x_1 < 8; x_1++) {
							if (8*x + x_1 <= 4) {
								v3_out[75*i + 10*y + 8*x + x_1 + 20] = t12[x_1];
							}
						}
					}
				}
				if (8*x <= -3) {
					*(lt_f32x8_u *)(v3_out + 75*i + 10*y + 8*x + 45) = v3_2_1;
				} else if (!(!(8*x <= 4))) {
					{
						lt_f32x8 t13 = v3_2_1;
						for (int64_t x_1 = 0; x_1 < 8; x_1++) {
							if (8*x + x_1 <= 4) {
								v3_out[75*i + 10*y + 8*x + x_1 + 45] = t13[x_1];
							}
						}
					}
				}
				if (8*x <= -3) {
					*(lt_f32x8_u *)(v3_out + 75*i + 10*y + 8*x + 70) = v3_2_2_2;
				} else if (!(!(8*x <= 4))) {
					{
						lt_f32x8 t14 = v3_2_2_2;
						for (int64_t x_1 = 0; x_1 < 8; x_1++) {
							if (8*x + x_1 <= 4) {
								v3_out[75*i + 10*y + 8*x + x_1 + 70] = t14[x_1];
							}
						}
					}
				}
			}
		}
	}
}

void k0_3_out_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k0_3_out(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2));
}
