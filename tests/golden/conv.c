#include <stdint.h>

void k0_3(float *restrict v3, const float *restrict v1, const float *restrict v2)
{
	for (int64_t i = 0; i < 1; i++) {
		for (int64_t i2 = 0; i2 < 3; i2++) {
			for (int64_t y = 0; y < 5; y++) {
				for (int64_t x = 0; x < 5; x++) {
					/* %3 = add.reduce, line 4 */
					v3[75*i + 25*i2 + 5*y + x] = 0.0f;
					for (int64_t j = 0; j < 2; j++) {
						for (int64_t k2 = 0; k2 < 3; k2++) {
							for (int64_t l2 = 0; l2 < 3; l2++) {
								/* %3.mul = mul, line 4 */
								const float v3_mul = (2*x + l2 >= 1 && 2*x + l2 <= 9 && 2*y + k2 >= 1 && 2*y + k2 <= 9 ? v1[162*i + 81*j + 18*y + 9*k2 + 2*x + l2 - 10] : 0.0f) * v2[18*i2 + 9*j + 3*k2 + l2];
								v3[75*i + 25*i2 + 5*y + x] += v3_mul;
							}
						}
					}
				}
			}
		}
	}
}
