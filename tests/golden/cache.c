#include <stdint.h>

void k0_5(const float *restrict v1, float *restrict v5, const int64_t *restrict begin_2)
{
	const int64_t begin = begin_2[0];
	for (int64_t i = 0; i < 8; i++) {
		/* %5 = copy, line 6 */
		v5[i + begin] = v1[i];
	}
}

#include <stdint.h>

void k1_8(float *restrict v8, const int64_t *restrict end2_2, const int64_t *restrict zero_2, const float *restrict v5)
{
	const int64_t end2 = end2_2[0];
	const int64_t zero = zero_2[0];
	/* %8 = add.reduce, line 9 */
	v8[0] = 0.0f;
	for (int64_t i6 = 0; i6 < end2 - zero; i6++) {
		v8[0] += v5[i6 + zero];
	}
}
