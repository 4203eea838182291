#include <stdint.h>

#ifndef LT_ENTRY
#define LT_ENTRY
#endif

struct lt_slot { void *base; int64_t offset, bytes; };

struct lt_kernel_fault { int64_t n; int32_t stmt, access; int64_t value; };

struct lt_host;

struct lt_team {
	void (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,
		void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);
	const struct lt_host *host;
	uint32_t n_thread;
};

typedef int8_t lt_i8x4 __attribute__((vector_size(4)));

typedef int8_t lt_i8x4_u __attribute__((vector_size(4), aligned(1), may_alias));

typedef int32_t lt_i32x4 __attribute__((vector_size(16)));

typedef int16_t lt_i16x4 __attribute__((vector_size(8)));

typedef uint16_t lt_u16x4 __attribute__((vector_size(8)));

typedef uint16_t lt_u16x4_u __attribute__((vector_size(8), aligned(2), may_alias));

#define LT_LANES static inline __attribute__((always_inline, unused))

LT_LANES lt_i32x4 lt_i32x4_splat(int32_t x) { return x - (lt_i32x4){ 0 }; }

typedef uint32_t lt_u32x4 __attribute__((vector_size(16)));

typedef float lt_f32x4 __attribute__((vector_size(16)));

LT_LANES lt_i32x4 lt_i32x4_select(lt_i32x4 m, lt_i32x4 a, lt_i32x4 b) { return (lt_i32x4)((m & (lt_i32x4)a) | (~m & (lt_i32x4)b)); }

typedef uint8_t lt_u8x4 __attribute__((vector_size(4)));

LT_LANES lt_u8x4 lt_i32x4_flag(lt_i32x4 m)
{
#if 32 <= 16 || defined(__AVX512VL__) || defined(__clang__)
	return __builtin_convertvector(m, lt_u8x4) & 1;
#elif 32 == 32
	return __builtin_convertvector(__builtin_convertvector(m, lt_i16x4), lt_u8x4) & 1;
#else
	return __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(m, lt_i32x4), lt_i16x4), lt_u8x4) & 1;
#endif
}

static inline float lt_bf16_to_f32(uint16_t h)
{
	union { uint32_t bits; float value; } w;
	w.bits = (uint32_t)h << 16;
	return w.value;
}

static inline uint16_t lt_bf16_of_f32(float x)
{
	union { uint32_t bits; float value; } w;
	w.value = x;
	return (uint16_t)(x != x ? (w.bits >> 16) | 0x40u : (w.bits + 0x7fffu + (w.bits >> 16 & 1)) >> 16);
}

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k0_7: loop tree a2ca7e32de6380b8e7dd1f856deb21d7, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k0_7(const int8_t *restrict n2, int8_t *restrict n4, const uint16_t *restrict n1, uint16_t *restrict n7)
{
	/* %4.cast = cast, line 5 */
	const lt_i32x4 v1 = __builtin_convertvector(*(const lt_i8x4_u *)&n2[0], lt_i32x4);
	/* %4 = cast, line 5 */
	*(lt_i8x4_u *)&n4[0] = __builtin_convertvector(__builtin_convertvector(v1 + v1, lt_i16x4), lt_i8x4);
	/* %3.cast = cast, line 4 */
	const lt_f32x4 v8 = (lt_f32x4)(lt_i32x4)((lt_u32x4)__builtin_convertvector((lt_i16x4)*(const lt_u16x4_u *)&n1[0], lt_i32x4) << 16);
	/* %3.mul = mul, line 4 */
	const lt_f32x4 v9 = v8 * v8;
	/* %3 = cast, line 4 */
	const lt_i32x4 v10 = (lt_i32x4)v9;
	const lt_i32x4 v17 = lt_i32x4_select((lt_i32x4)(v9 != v9), v10 | 4194304, v10 + 32767 + ((lt_i32x4)((lt_u32x4)v10 >> 16) & 1));
	/* %7.cast = cast, line 8 */
	const lt_i32x4 v26 = __builtin_convertvector((lt_i16x4)(lt_u16x4)__builtin_convertvector((lt_i32x4)((lt_u32x4)v17 >> 16), lt_i16x4), lt_i32x4);
	/* %7.cast2 = cast, line 8 */
	const lt_i32x4 v29 = __builtin_convertvector(lt_i32x4_flag((lt_i32x4)(v1 > __builtin_convertvector(*(const lt_i8x4_u *)&n4[0], lt_i32x4))), lt_i32x4);
	/* %7.add = add, line 8 */
	const lt_f32x4 v31 = (lt_f32x4)(lt_i32x4)((lt_u32x4)v26 << 16) + __builtin_convertvector(v29, lt_f32x4);
	/* %7 = cast, line 8 */
	const lt_i32x4 v32 = (lt_i32x4)v31;
	const lt_i32x4 v39 = lt_i32x4_select((lt_i32x4)(v31 != v31), v32 | 4194304, v32 + 32767 + ((lt_i32x4)((lt_u32x4)v32 >> 16) & 1));
	*(lt_u16x4_u *)&n7[0] = (lt_u16x4)__builtin_convertvector((lt_i32x4)((lt_u32x4)v39 >> 16), lt_i16x4);
	const int32_t v44 = (int32_t)n2[4];
	n4[4] = (int8_t)(v44 + v44);
	const float v48 = lt_bf16_to_f32(n1[4]);
	n7[4] = lt_bf16_of_f32(lt_bf16_to_f32(lt_bf16_of_f32(v48 * v48)) + (float)(v44 > (int32_t)n4[4]));
}

LT_ENTRY void k0_7_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k0_7_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k0_7(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3));
}
