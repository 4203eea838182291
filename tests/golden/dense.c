#include <stdint.h>
#define LT_FN static inline
LT_FN float lt_max_f32(float a, float b) { return a != a ? a : a > b ? a : b; }

void k0_6(const float *restrict v1, const float *restrict v2, const float *restrict v3, float *restrict v6)
{
	for (int64_t i = 0; i < 16; i++) {
		_Alignas(64) float v4[10];
		for (int64_t j2 = 0; j2 < 10; j2++) {
			/* %4 = add.reduce, line 5 */
			v4[j2] = 0.0f;
		}
		for (int64_t j = 0; j < 24; j++) {
			for (int64_t j2 = 0; j2 < 10; j2++) {
				/* %4.mul = mul, line 5 */
				const float v4_mul = v1[24*i + j] * v2[10*j + j2];
				v4[j2] += v4_mul;
			}
		}
		for (int64_t j2 = 0; j2 < 10; j2++) {
			/* %5 = add, line 6 */
			const float v5 = v4[j2] + v3[j2];
			/* %6 = max, line 7 */
			v6[10*i + j2] = lt_max_f32(v5, 0.0f);
		}
	}
}
