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

typedef float lt_f32x8 __attribute__((vector_size(32)));

#define LT_VFN static inline __attribute__((always_inline, unused))

LT_VFN lt_f32x8 lt_all_f32x8(float x) { return x - (lt_f32x8){ 0 }; }

typedef float lt_f32x2_u __attribute__((vector_size(8), aligned(1), may_alias));

typedef float lt_f32x2 __attribute__((vector_size(8)));

LT_VFN lt_f32x2 lt_all_f32x2(float x) { return x - (lt_f32x2){ 0 }; }

typedef int32_t lt_i32x8 __attribute__((vector_size(32)));

LT_VFN lt_f32x8 lt_most_f32x8(lt_f32x8 a, lt_f32x8 b)
{
	lt_i32x8 m = (lt_i32x8)(b >= a);
	return (lt_f32x8)((m & (lt_i32x8)b) | (~m & (lt_i32x8)a));
}

typedef int32_t lt_i32x2 __attribute__((vector_size(8)));

LT_VFN lt_f32x2 lt_most_f32x2(lt_f32x2 a, lt_f32x2 b)
{
	lt_i32x2 m = (lt_i32x2)(b >= a);
	return (lt_f32x2)((m & (lt_i32x2)b) | (~m & (lt_i32x2)a));
}

/* kernel k0_6: loop tree 3dd937de6d61b04889251a1038a0008d, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL void k0_6(const float *restrict v1, const float *restrict v2, const float *restrict v3, float *restrict v6)
{
	for (int64_t m = 0; m < 2; m++) {
		_Alignas(64) float v4[60];
		/* %4 = add.reduce, line 5 */
		*(lt_f32x8_u *)(v4) = lt_all_f32x8(0.0f);
		for (int64_t n = 0; n < 1; n++) {
			*(lt_f32x2_u *)(v4 + 8*n + 8) = lt_all_f32x2(0.0f);
		}
		*(lt_f32x8_u *)(v4 + 10) = lt_all_f32x8(0.0f);
		for (int64_t n = 0; n < 1; n++) {
			*(lt_f32x2_u *)(v4 + 8*n + 18) = lt_all_f32x2(0.0f);
		}
		*(lt_f32x8_u *)(v4 + 20) = lt_all_f32x8(0.0f);
		for (int64_t n = 0; n < 1; n++) {
			*(lt_f32x2_u *)(v4 + 8*n + 28) = lt_all_f32x2(0.0f);
		}
		*(lt_f32x8_u *)(v4 + 30) = lt_all_f32x8(0.0f);
		for (int64_t n = 0; n < 1; n++) {
			*(lt_f32x2_u *)(v4 + 8*n + 38) = lt_all_f32x2(0.0f);
		}
		*(lt_f32x8_u *)(v4 + 40) = lt_all_f32x8(0.0f);
		for (int64_t n = 0; n < 1; n++) {
			*(lt_f32x2_u *)(v4 + 8*n + 48) = lt_all_f32x2(0.0f);
		}
		*(lt_f32x8_u *)(v4 + 50) = lt_all_f32x8(0.0f);
		for (int64_t n = 0; n < 1; n++) {
			*(lt_f32x2_u *)(v4 + 8*n + 58) = lt_all_f32x2(0.0f);
		}
		for (int64_t k = 0; k < 24; k++) {
			{
				/* %4.mul = mul, line 5 */
				const lt_f32x8 v4_mul = lt_all_f32x8(v1[144*m + k]) * *(const lt_f32x8_u *)(v2 + 10*k);
				*(lt_f32x8_u *)(v4) = *(const lt_f32x8_u *)(v4) + v4_mul;
			}
			for (int64_t n = 0; n < 1; n++) {
				{
					const lt_f32x2 v4_mul_2 = lt_all_f32x2(v1[144*m + k]) * *(const lt_f32x2_u *)(v2 + 10*k + 8*n + 8);
					*(lt_f32x2_u *)(v4 + 8*n + 8) = *(const lt_f32x2_u *)(v4 + 8*n + 8) + v4_mul_2;
				}
			}
			{
				const lt_f32x8 v4_mul = lt_all_f32x8(v1[144*m + k + 24]) * *(const lt_f32x8_u *)(v2 + 10*k);
				*(lt_f32x8_u *)(v4 + 10) = *(const lt_f32x8_u *)(v4 + 10) + v4_mul;
			}
			for (int64_t n = 0; n < 1; n++) {
				{
					const lt_f32x2 v4_mul_2 = lt_all_f32x2(v1[144*m + k + 24]) * *(const lt_f32x2_u *)(v2 + 10*k + 8*n + 8);
					*(lt_f32x2_u *)(v4 + 8*n + 18) = *(const lt_f32x2_u *)(v4 + 8*n + 18) + v4_mul_2;
				}
			}
			{
				const lt_f32x8 v4_mul = lt_all_f32x8(v1[144*m + k + 48]) * *(const lt_f32x8_u *)(v2 + 10*k);
				*(lt_f32x8_u *)(v4 + 20) = *(const lt_f32x8_u *)(v4 + 20) + v4_mul;
			}
			for (int64_t n = 0; n < 1; n++) {
				{
					const lt_f32x2 v4_mul_2 = lt_all_f32x2(v1[144*m + k + 48]) * *(const lt_f32x2_u *)(v2 + 10*k + 8*n + 8);
					*(lt_f32x2_u *)(v4 + 8*n + 28) = *(const lt_f32x2_u *)(v4 + 8*n + 28) + v4_mul_2;
				}
			}
			{
				const lt_f32x8 v4_mul = lt_all_f32x8(v1[144*m + k + 72]) * *(const lt_f32x8_u *)(v2 + 10*k);
				*(lt_f32x8_u *)(v4 + 30) = *(const lt_f32x8_u *)(v4 + 30) + v4_mul;
			}
			for (int64_t n = 0; n < 1; n++) {
				{
					const lt_f32x2 v4_mul_2 = lt_all_f32x2(v1[144*m + k + 72]) * *(const lt_f32x2_u *)(v2 + 10*k + 8*n + 8);
					*(lt_f32x2_u *)(v4 + 8*n + 38) = *(const lt_f32x2_u *)(v4 + 8*n + 38) + v4_mul_2;
				}
			}
			{
				const lt_f32x8 v4_mul = lt_all_f32x8(v1[144*m + k + 96]) * *(const lt_f32x8_u *)(v2 + 10*k);
				*(lt_f32x8_u *)(v4 + 40) = *(const lt_f32x8_u *)(v4 + 40) + v4_mul;
			}
			for (int64_t n = 0; n < 1; n++) {
				{
					const lt_f32x2 v4_mul_2 = lt_all_f32x2(v1[144*m + k + 96]) * *(const lt_f32x2_u *)(v2 + 10*k + 8*n + 8);
					*(lt_f32x2_u *)(v4 + 8*n + 48) = *(const lt_f32x2_u *)(v4 + 8*n + 48) + v4_mul_2;
				}
			}
			{
				const lt_f32x8 v4_mul = lt_all_f32x8(v1[144*m + k + 120]) * *(const lt_f32x8_u *)(v2 + 10*k);
				*(lt_f32x8_u *)(v4 + 50) = *(const lt_f32x8_u *)(v4 + 50) + v4_mul;
			}
			for (int64_t n = 0; n < 1; n++) {
				{
					const lt_f32x2 v4_mul_2 = lt_all_f32x2(v1[144*m + k + 120]) * *(const lt_f32x2_u *)(v2 + 10*k + 8*n + 8);
					*(lt_f32x2_u *)(v4 + 8*n + 58) = *(const lt_f32x2_u *)(v4 + 8*n + 58) + v4_mul_2;
				}
			}
		}
		{
			/* %5 = add, line 6 */
			const lt_f32x8 v5 = *(const lt_f32x8_u *)(v4) + *(const lt_f32x8_u *)(v3);
			/* %6 = max, line 7 */
			*(lt_f32x8_u *)(v6 + 60*m) = lt_most_f32x8(v5, lt_all_f32x8(0.0f));
		}
		for (int64_t n = 0; n < 1; n++) {
			{
				const lt_f32x2 v5_2 = *(const lt_f32x2_u *)(v4 + 8*n + 8) + *(const lt_f32x2_u *)(v3 + 8*n + 8);
				*(lt_f32x2_u *)(v6 + 60*m + 8*n + 8) = lt_most_f32x2(v5_2, lt_all_f32x2(0.0f));
			}
		}
		{
			const lt_f32x8 v5 = *(const lt_f32x8_u *)(v4 + 10) + *(const lt_f32x8_u *)(v3);
			*(lt_f32x8_u *)(v6 + 60*m + 10) = lt_most_f32x8(v5, lt_all_f32x8(0.0f));
		}
		for (int64_t n = 0; n < 1; n++) {
			{
				const lt_f32x2 v5_2 = *(const lt_f32x2_u *)(v4 + 8*n + 18) + *(const lt_f32x2_u *)(v3 + 8*n + 8);
				*(lt_f32x2_u *)(v6 + 60*m + 8*n + 18) = lt_most_f32x2(v5_2, lt_all_f32x2(0.0f));
			}
		}
		{
			const lt_f32x8 v5 = *(const lt_f32x8_u *)(v4 + 20) + *(const lt_f32x8_u *)(v3);
			*(lt_f32x8_u *)(v6 + 60*m + 20) = lt_most_f32x8(v5, lt_all_f32x8(0.0f));
		}
		for (int64_t n = 0; n < 1; n++) {
			{
				const lt_f32x2 v5_2 = *(const lt_f32x2_u *)(v4 + 8*n + 28) + *(const lt_f32x2_u *)(v3 + 8*n + 8);
				*(lt_f32x2_u *)(v6 + 60*m + 8*n + 28) = lt_most_f32x2(v5_2, lt_all_f32x2(0.0f));
			}
		}
		{
			const lt_f32x8 v5 = *(const lt_f32x8_u *)(v4 + 30) + *(const lt_f32x8_u *)(v3);
			*(lt_f32x8_u *)(v6 + 60*m + 30) = lt_most_f32x8(v5, lt_all_f32x8(0.0f));
		}
		for (int64_t n = 0; n < 1; n++) {
			{
				const lt_f32x2 v5_2 = *(const lt_f32x2_u *)(v4 + 8*n + 38) + *(const lt_f32x2_u *)(v3 + 8*n + 8);
				*(lt_f32x2_u *)(v6 + 60*m + 8*n + 38) = lt_most_f32x2(v5_2, lt_all_f32x2(0.0f));
			}
		}
		{
			const lt_f32x8 v5 = *(const lt_f32x8_u *)(v4 + 40) + *(const lt_f32x8_u *)(v3);
			*(lt_f32x8_u *)(v6 + 60*m + 40) = lt_most_f32x8(v5, lt_all_f32x8(0.0f));
		}
		for (int64_t n = 0; n < 1; n++) {
			{
				const lt_f32x2 v5_2 = *(const lt_f32x2_u *)(v4 + 8*n + 48) + *(const lt_f32x2_u *)(v3 + 8*n + 8);
				*(lt_f32x2_u *)(v6 + 60*m + 8*n + 48) = lt_most_f32x2(v5_2, lt_all_f32x2(0.0f));
			}
		}
		{
			const lt_f32x8 v5 = *(const lt_f32x8_u *)(v4 + 50) + *(const lt_f32x8_u *)(v3);
			*(lt_f32x8_u *)(v6 + 60*m + 50) = lt_most_f32x8(v5, lt_all_f32x8(0.0f));
		}
		for (int64_t n = 0; n < 1; n++) {
			{
				const lt_f32x2 v5_2 = *(const lt_f32x2_u *)(v4 + 8*n + 58) + *(const lt_f32x2_u *)(v3 + 8*n + 8);
				*(lt_f32x2_u *)(v6 + 60*m + 8*n + 58) = lt_most_f32x2(v5_2, lt_all_f32x2(0.0f));
			}
		}
	}
	for (int64_t m = 0; m < 1; m++) {
		_Alignas(64) float v4_2[40];
		*(lt_f32x8_u *)(v4_2) = lt_all_f32x8(0.0f);
		for (int64_t n = 0; n < 1; n++) {
			*(lt_f32x2_u *)(v4_2 + 8*n + 8) = lt_all_f32x2(0.0f);
		}
		*(lt_f32x8_u *)(v4_2 + 10) = lt_all_f32x8(0.0f);
		for (int64_t n = 0; n < 1; n++) {
			*(lt_f32x2_u *)(v4_2 + 8*n + 18) = lt_all_f32x2(0.0f);
		}
		*(lt_f32x8_u *)(v4_2 + 20) = lt_all_f32x8(0.0f);
		for (int64_t n = 0; n < 1; n++) {
			*(lt_f32x2_u *)(v4_2 + 8*n + 28) = lt_all_f32x2(0.0f);
		}
		*(lt_f32x8_u *)(v4_2 + 30) = lt_all_f32x8(0.0f);
		for (int64_t n = 0; n < 1; n++) {
			*(lt_f32x2_u *)(v4_2 + 8*n + 38) = lt_all_f32x2(0.0f);
		}
		for (int64_t k = 0; k < 24; k++) {
			{
				const lt_f32x8 v4_mul_3 = lt_all_f32x8(v1[144*m + k + 288]) * *(const lt_f32x8_u *)(v2 + 10*k);
				*(lt_f32x8_u *)(v4_2) = *(const lt_f32x8_u *)(v4_2) + v4_mul_3;
			}
			for (int64_t n = 0; n < 1; n++) {
				{
					const lt_f32x2 v4_mul_4 = lt_all_f32x2(v1[144*m + k + 288]) * *(const lt_f32x2_u *)(v2 + 10*k + 8*n + 8);
					*(lt_f32x2_u *)(v4_2 + 8*n + 8) = *(const lt_f32x2_u *)(v4_2 + 8*n + 8) + v4_mul_4;
				}
			}
			{
				const lt_f32x8 v4_mul_3 = lt_all_f32x8(v1[144*m + k + 312]) * *(const lt_f32x8_u *)(v2 + 10*k);
				*(lt_f32x8_u *)(v4_2 + 10) = *(const lt_f32x8_u *)(v4_2 + 10) + v4_mul_3;
			}
			for (int64_t n = 0; n < 1; n++) {
				{
					const lt_f32x2 v4_mul_4 = lt_all_f32x2(v1[144*m + k + 312]) * *(const lt_f32x2_u *)(v2 + 10*k + 8*n + 8);
					*(lt_f32x2_u *)(v4_2 + 8*n + 18) = *(const lt_f32x2_u *)(v4_2 + 8*n + 18) + v4_mul_4;
				}
			}
			{
				const lt_f32x8 v4_mul_3 = lt_all_f32x8(v1[144*m + k + 336]) * *(const lt_f32x8_u *)(v2 + 10*k);
				*(lt_f32x8_u *)(v4_2 + 20) = *(const lt_f32x8_u *)(v4_2 + 20) + v4_mul_3;
			}
			for (int64_t n = 0; n < 1; n++) {
				{
					const lt_f32x2 v4_mul_4 = lt_all_f32x2(v1[144*m + k + 336]) * *(const lt_f32x2_u *)(v2 + 10*k + 8*n + 8);
					*(lt_f32x2_u *)(v4_2 + 8*n + 28) = *(const lt_f32x2_u *)(v4_2 + 8*n + 28) + v4_mul_4;
				}
			}
			{
				const lt_f32x8 v4_mul_3 = lt_all_f32x8(v1[144*m + k + 360]) * *(const lt_f32x8_u *)(v2 + 10*k);
				*(lt_f32x8_u *)(v4_2 + 30) = *(const lt_f32x8_u *)(v4_2 + 30) + v4_mul_3;
			}
			for (int64_t n = 0; n < 1; n++) {
				{
					const lt_f32x2 v4_mul_4 = lt_all_f32x2(v1[144*m + k + 360]) * *(const lt_f32x2_u *)(v2 + 10*k + 8*n + 8);
					*(lt_f32x2_u *)(v4_2 + 8*n + 38) = *(const lt_f32x2_u *)(v4_2 + 8*n + 38) + v4_mul_4;
				}
			}
		}
		{
			const lt_f32x8 v5_3 = *(const lt_f32x8_u *)(v4_2) + *(const lt_f32x8_u *)(v3);
			*(lt_f32x8_u *)(v6 + 60*m + 120) = lt_most_f32x8(v5_3, lt_all_f32x8(0.0f));
		}
		for (int64_t n = 0; n < 1; n++) {
			{
				const lt_f32x2 v5_4 = *(const lt_f32x2_u *)(v4_2 + 8*n + 8) + *(const lt_f32x2_u *)(v3 + 8*n + 8);
				*(lt_f32x2_u *)(v6 + 60*m + 8*n + 128) = lt_most_f32x2(v5_4, lt_all_f32x2(0.0f));
			}
		}
		{
			const lt_f32x8 v5_3 = *(const lt_f32x8_u *)(v4_2 + 10) + *(const lt_f32x8_u *)(v3);
			*(lt_f32x8_u *)(v6 + 60*m + 130) = lt_most_f32x8(v5_3, lt_all_f32x8(0.0f));
		}
		for (int64_t n = 0; n < 1; n++) {
			{
				const lt_f32x2 v5_4 = *(const lt_f32x2_u *)(v4_2 + 8*n + 18) + *(const lt_f32x2_u *)(v3 + 8*n + 8);
				*(lt_f32x2_u *)(v6 + 60*m + 8*n + 138) = lt_most_f32x2(v5_4, lt_all_f32x2(0.0f));
			}
		}
		{
			const lt_f32x8 v5_3 = *(const lt_f32x8_u *)(v4_2 + 20) + *(const lt_f32x8_u *)(v3);
			*(lt_f32x8_u *)(v6 + 60*m + 140) = lt_most_f32x8(v5_3, lt_all_f32x8(0.0f));
		}
		for (int64_t n = 0; n < 1; n++) {
			{
				const lt_f32x2 v5_4 = *(const lt_f32x2_u *)(v4_2 + 8*n + 28) + *(const lt_f32x2_u *)(v3 + 8*n + 8);
				*(lt_f32x2_u *)(v6 + 60*m + 8*n + 148) = lt_most_f32x2(v5_4, lt_all_f32x2(0.0f));
			}
		}
		{
			const lt_f32x8 v5_3 = *(const lt_f32x8_u *)(v4_2 + 30) + *(const lt_f32x8_u *)(v3);
			*(lt_f32x8_u *)(v6 + 60*m + 150) = lt_most_f32x8(v5_3, lt_all_f32x8(0.0f));
		}
		for (int64_t n = 0; n < 1; n++) {
			{
				const lt_f32x2 v5_4 = *(const lt_f32x2_u *)(v4_2 + 8*n + 38) + *(const lt_f32x2_u *)(v3 + 8*n + 8);
				*(lt_f32x2_u *)(v6 + 60*m + 8*n + 158) = lt_most_f32x2(v5_4, lt_all_f32x2(0.0f));
			}
		}
	}
}

void k0_6_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k0_6(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3));
}
