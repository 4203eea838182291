#include <stdint.h>
#include <math.h>

#define LT_KERNEL static __attribute__((noinline))

struct lt_slot { void *base; int64_t offset, bytes; };

static inline void *lt_slot_at(const struct lt_slot *slot, int i) { return (char *)slot[i].base + slot[i].offset; }

struct lt_host;

struct lt_team {
	void (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,
		void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);
	const struct lt_host *host;
	uint32_t n_thread;
};

struct lt_fault { int64_t n; int32_t stmt, access; int64_t value; };

typedef float lt_f32x4 __attribute__((vector_size(16)));

#define LT_VFN static inline __attribute__((always_inline, unused))

LT_VFN lt_f32x4 lt_all_f32x4(float x) { return x - (lt_f32x4){ 0 }; }

typedef int32_t lt_i32x4 __attribute__((vector_size(16)));

LT_VFN lt_f32x4 lt_max_f32x4(lt_f32x4 a, lt_f32x4 b)
{
	lt_f32x4 r, s;
#if defined(__AVX512F__) && 4 * 32 == 512
	__asm__("vmaxps %2, %1, %0" : "=v"(r) : "v"(a), "v"(b));
	__asm__("vmaxps %2, %1, %0" : "=v"(s) : "v"(b), "v"(a));
#elif defined(__AVX__) && (4 * 32 == 256 || 4 * 32 == 128)
	__asm__("vmaxps %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
	__asm__("vmaxps %2, %1, %0" : "=x"(s) : "x"(b), "x"(a));
#elif defined(__SSE2__) && 4 * 32 == 128
	__asm__("maxps %2, %0" : "=x"(r) : "0"(a), "x"(b));
	__asm__("maxps %2, %0" : "=x"(s) : "0"(b), "x"(a));
#else
	lt_i32x4 m = (lt_i32x4)(a > b) | (lt_i32x4)(a != a), e = (lt_i32x4)(a == b);
	r = (lt_f32x4)((m & (lt_i32x4)a) | (~m & (lt_i32x4)b));
	s = (lt_f32x4)(~e | (lt_i32x4)a);
#endif
	r = (lt_f32x4)((lt_i32x4)r & (lt_i32x4)s);
#if defined(__AVX512F__) && 4 * 32 == 512
	uint8_t nan;
	__asm__("vcmpunordps %2, %1, %0" : "=Yk"(nan) : "v"(a), "v"(b));
	__asm__("vaddps %2, %1, %0 %{%3%}" : "+v"(r) : "v"(a), "v"(b), "Yk"(nan));
#elif defined(__AVX__) && (4 * 32 == 256 || 4 * 32 == 128)
	__asm__("vcmpunordps %2, %1, %0" : "=x"(s) : "x"(a), "x"(b));
	r = (lt_f32x4)((lt_i32x4)r | (lt_i32x4)s);
#elif defined(__SSE2__) && 4 * 32 == 128
	__asm__("cmpunordps %2, %0" : "=x"(s) : "0"(a), "x"(b));
	r = (lt_f32x4)((lt_i32x4)r | (lt_i32x4)s);
#endif
	return r;
}

typedef float lt_f32x4_u __attribute__((vector_size(16), aligned(1), may_alias));

/* kernel k0_4_out: loop tree 1c90ccb69ce9302ad2d4678143684848, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL void k0_4_out(const float *restrict v1, float *restrict v4_out)
{
	lt_f32x4 v4_0;
	/* %4 = max.reduce, line 5 */
	v4_0 = lt_all_f32x4(-INFINITY);
	for (int64_t i = 0; i < 10; i++) {
		v4_0 = lt_max_f32x4(v4_0, *(const lt_f32x4_u *)(v1 + 4*i));
	}
	/* %4.out = copy, line 5 */
	*(lt_f32x4_u *)(v4_out) = v4_0;
}

void k0_4_out_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k0_4_out(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}

#include <stdint.h>

#define LT_FN static inline

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

/* kernel k1_5: loop tree 95f0f593062f3bb7abfe8c4d5650ee8e, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL void k1_5(const float *restrict v1, const int64_t *restrict v2, const float *restrict v4_out, float *restrict v5, struct lt_fault *fault)
{
	for (int64_t i2 = 0; i2 < 3; i2++) {
		{
			/* %3 = copy, line 4 */
			const lt_f32x4 v3 = *(const lt_f32x4_u *)(v1 + lt_gather(fault, v2[i2], 10, 0, 0)*4);
			/* %5 = sub, line 6 */
			*(lt_f32x4_u *)(v5 + 4*i2) = v3 - *(const lt_f32x4_u *)(v4_out);
		}
	}
}

void k1_5_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k1_5(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3), fault);
}
