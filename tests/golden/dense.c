#include <stdint.h>
#define LT_FN static inline
LT_FN float lt_max_f32(float a, float b) { return a != a ? a : a > b ? a : b; }

void k0_6(const float *restrict v1, const float *restrict v2, const float *restrict v3, float *restrict v6)
{
	for (int64_t m = 0; m < 16; m++) {
		_Alignas(64) float v4[10];
		for (int64_t n = 0; n < 10; n++) {
			/* %4 = add.reduce, line 5 */
			v4[n] = 0.0f;
		}
		for (int64_t k = 0; k < 24; k++) {
			for (int64_t n = 0; n < 10; n++) {
				/* %4.mul = mul, line 5 */
				const float v4_mul = v1[24*m + k] * v2[10*k + n];
				v4[n] += v4_mul;
			}
		}
		for (int64_t n = 0; n < 10; n++) {
			/* %5 = add, line 6 */
			const float v5 = v4[n] + v3[n];
			/* %6 = max, line 7 */
			v6[10*m + n] = lt_max_f32(v5, 0.0f);
		}
	}
}
