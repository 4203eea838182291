#include <stdint.h>
#include <math.h>
#define LT_FN static inline
LT_FN float lt_max_f32(float a, float b) { return a != a ? a : a > b ? a : b; }

void k0_2(const float *restrict v1, float *restrict v2)
{
	for (int64_t i = 0; i < 8; i++) {
		_Alignas(64) float v2_exp[100];
		/* %2.max = max.reduce, line 3 */
		float v2_max = -INFINITY;
		for (int64_t j = 0; j < 100; j++) {
			v2_max = lt_max_f32(v2_max, v1[100*i + j]);
		}
		/* %2.add = add.reduce, line 3 */
		float v2_add = 0.0f;
		for (int64_t j = 0; j < 100; j++) {
			/* %2.sub = sub, line 3 */
			const float v2_sub = v1[100*i + j] - v2_max;
			/* %2.exp = exp, line 3 */
			v2_exp[j] = expf(v2_sub);
			v2_add += v2_exp[j];
		}
		for (int64_t j = 0; j < 100; j++) {
			/* %2 = div, line 3 */
			v2[100*i + j] = v2_exp[j] / v2_add;
		}
	}
}
