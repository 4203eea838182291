#include <stdint.h>
#include <math.h>
#define LT_FN static inline
LT_FN float lt_max_f32(float a, float b) { return a != a ? a : a > b ? a : b; }

void k0_4(float *restrict v4, const float *restrict v1)
{
	for (int64_t j = 0; j < 4; j++) {
		/* %4 = max.reduce, line 5 */
		v4[j] = -INFINITY;
	}
	for (int64_t i = 0; i < 10; i++) {
		for (int64_t j = 0; j < 4; j++) {
			v4[j] = lt_max_f32(v4[j], v1[4*i + j]);
		}
	}
}

#include <stdint.h>
#define LT_FN static inline
struct lt_fault { int64_t n; int32_t stmt, access; int64_t value; };
LT_FN int64_t lt_gather(struct lt_fault *fault, int64_t v, int64_t extent, int32_t stmt, int32_t access)
{
	if (v >= 0 && v < extent)
		return v;
	if (fault->n++ == 0) {
		fault->stmt = stmt;
		fault->access = access;
		fault->value = v;
	}
	return 0;
}

void k1_5(const float *restrict v1, const int64_t *restrict v2, const float *restrict v4, float *restrict v5, struct lt_fault *fault)
{
	for (int64_t i2 = 0; i2 < 3; i2++) {
		for (int64_t j = 0; j < 4; j++) {
			/* %3 = copy, line 4 */
			const float v3 = v1[lt_gather(fault, v2[i2], 10, 0, 0)*4 + j];
			/* %5 = sub, line 6 */
			v5[4*i2 + j] = v3 - v4[j];
		}
	}
}
