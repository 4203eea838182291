#include <stdint.h>

void k0_6_copy(const int32_t *restrict v1, int32_t *restrict v6_copy)
{
	for (int64_t k4 = 0; k4 < 4; k4++) {
		for (int64_t l2 = 0; l2 < 10; l2++) {
			const int64_t d0 = l2 / 4;
			/* %6.copy = copy, line 7 */
			v6_copy[10*k4 + l2] = k4 >= 2 && l2 <= 7 ? v1[6*l2 + 2*k4 - 23*d0 - 2] : k4 >= 1 ? 7 : 9;
		}
	}
}
