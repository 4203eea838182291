#include <stdint.h>
#include <math.h>

void k0_5(const float *restrict v1, float *restrict v5)
{
	for (int64_t i = 0; i < 1000; i++) {
		/* %2 = exp, line 3 */
		const float v2 = expf(v1[i]);
		/* %3.sigmoid = sigmoid, line 4 */
		const float v3_sigmoid = 1 / (1 + expf(-v2));
		/* %3 = mul, line 4 */
		const float v3 = v2 * v3_sigmoid;
		/* %4 = add, line 5 */
		const float v4 = v3 + v1[i];
		/* %5 = sqrt, line 6 */
		v5[i] = sqrtf(v4);
	}
}
