#include <stdint.h>
#define LT_FN static inline
union lt_word { uint32_t u; float f; };
LT_FN float lt_bits_f32(uint32_t u) { union lt_word w; w.u = u; return w.f; }
LT_FN float lt_cast_bf16_f32(uint16_t h) { return lt_bits_f32((uint32_t)h << 16); }
LT_FN uint16_t lt_cast_f32_bf16(float x)
{
	union lt_word w;
	w.f = x;
	return (uint16_t)(x != x ? (w.u >> 16) | 0x40u : (w.u + 0x7fffu + (w.u >> 16 & 1)) >> 16);
}

void k0_7(const int8_t *restrict v2, int8_t *restrict v4, const uint16_t *restrict v1, uint16_t *restrict v7)
{
	for (int64_t i = 0; i < 5; i++) {
		/* %4.cast = cast, line 5 */
		const int32_t v4_cast = (int32_t)v2[i];
		/* %4.add = add, line 5 */
		const int32_t v4_add = (int32_t)((uint32_t)v4_cast + (uint32_t)v4_cast);
		/* %4 = cast, line 5 */
		v4[i] = (int8_t)v4_add;
		/* %3.cast = cast, line 4 */
		const float v3_cast = lt_cast_bf16_f32(v1[i]);
		/* %3.mul = mul, line 4 */
		const float v3_mul = v3_cast * v3_cast;
		/* %3 = cast, line 4 */
		const uint16_t v3 = lt_cast_f32_bf16(v3_mul);
		/* %5.cast2 = cast, line 6 */
		const int32_t v5_cast2 = (int32_t)v4[i];
		/* %5 = greater, line 6 */
		const uint8_t v5 = v4_cast > v5_cast2;
		/* %7.cast = cast, line 8 */
		const float v7_cast = lt_cast_bf16_f32(v3);
		/* %7.cast2 = cast, line 8 */
		const float v7_cast2 = (float)v5;
		/* %7.add = add, line 8 */
		const float v7_add = v7_cast + v7_cast2;
		/* %7 = cast, line 8 */
		v7[i] = lt_cast_f32_bf16(v7_add);
	}
}
