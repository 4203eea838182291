#include <math.h>
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

#define LT_LANES static inline __attribute__((always_inline, unused))

typedef float lt_f32x4 __attribute__((vector_size(16)));

LT_LANES lt_f32x4 lt_f32x4_splat(float x) { return x - (lt_f32x4){ 0 }; }

typedef float lt_f32x4_u __attribute__((vector_size(16), aligned(4), may_alias));

typedef int32_t lt_i32x4 __attribute__((vector_size(16)));

LT_LANES lt_f32x4 lt_f32x4_select(lt_i32x4 m, lt_f32x4 a, lt_f32x4 b) { return (lt_f32x4)((m & (lt_i32x4)a) | (~m & (lt_i32x4)b)); }

LT_LANES lt_f32x4 lt_f32x4_larger(lt_f32x4 a, lt_f32x4 b)
{
#if defined(__AVX512F__) && 4 * 32 == 512 || defined(__AVX__) && (4 * 32 == 256 || 4 * 32 == 128)
	lt_f32x4 r;
	__asm__("vmaxps %2, %1, %0" : "=v"(r) : "v"(a), "vm"(b));
	return r;
#elif defined(__SSE2__) && 4 * 32 == 128
	__asm__("maxps %1, %0" : "+x"(a) : "x"(b));
	return a;
#else
	return lt_f32x4_select((lt_i32x4)(a > b), a, b);
#endif
}

LT_LANES lt_i32x4 lt_i32x4_splat(int32_t x) { return x - (lt_i32x4){ 0 }; }

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k0_4_out: loop tree 1c90ccb69ce9302ad2d4678143684848, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k0_4_out(const float *restrict n1, float *restrict n4_out)
{
	/* %4 = max.reduce, line 5 */
	lt_f32x4 n4 = lt_f32x4_splat(-INFINITY);
	/* %4 = max.reduce, line 5 */
	const lt_f32x4 v0 = *(const lt_f32x4_u *)&n1[0];
	const lt_i32x4 v4 = (lt_i32x4)lt_f32x4_larger(n4, v0);
	const lt_i32x4 v5 = (lt_i32x4)lt_f32x4_larger(v0, n4);
	n4 = (lt_f32x4)((v4 | v5) & ((v4 & v5) | 2147483647));
	const lt_f32x4 v11 = *(const lt_f32x4_u *)&n1[4];
	const lt_i32x4 v15 = (lt_i32x4)lt_f32x4_larger(n4, v11);
	const lt_i32x4 v16 = (lt_i32x4)lt_f32x4_larger(v11, n4);
	n4 = (lt_f32x4)((v15 | v16) & ((v15 & v16) | 2147483647));
	const lt_f32x4 v22 = *(const lt_f32x4_u *)&n1[8];
	const lt_i32x4 v26 = (lt_i32x4)lt_f32x4_larger(n4, v22);
	const lt_i32x4 v27 = (lt_i32x4)lt_f32x4_larger(v22, n4);
	n4 = (lt_f32x4)((v26 | v27) & ((v26 & v27) | 2147483647));
	const lt_f32x4 v33 = *(const lt_f32x4_u *)&n1[12];
	const lt_i32x4 v37 = (lt_i32x4)lt_f32x4_larger(n4, v33);
	const lt_i32x4 v38 = (lt_i32x4)lt_f32x4_larger(v33, n4);
	n4 = (lt_f32x4)((v37 | v38) & ((v37 & v38) | 2147483647));
	const lt_f32x4 v44 = *(const lt_f32x4_u *)&n1[16];
	const lt_i32x4 v48 = (lt_i32x4)lt_f32x4_larger(n4, v44);
	const lt_i32x4 v49 = (lt_i32x4)lt_f32x4_larger(v44, n4);
	n4 = (lt_f32x4)((v48 | v49) & ((v48 & v49) | 2147483647));
	const lt_f32x4 v55 = *(const lt_f32x4_u *)&n1[20];
	const lt_i32x4 v59 = (lt_i32x4)lt_f32x4_larger(n4, v55);
	const lt_i32x4 v60 = (lt_i32x4)lt_f32x4_larger(v55, n4);
	n4 = (lt_f32x4)((v59 | v60) & ((v59 & v60) | 2147483647));
	const lt_f32x4 v66 = *(const lt_f32x4_u *)&n1[24];
	const lt_i32x4 v70 = (lt_i32x4)lt_f32x4_larger(n4, v66);
	const lt_i32x4 v71 = (lt_i32x4)lt_f32x4_larger(v66, n4);
	n4 = (lt_f32x4)((v70 | v71) & ((v70 & v71) | 2147483647));
	const lt_f32x4 v77 = *(const lt_f32x4_u *)&n1[28];
	const lt_i32x4 v81 = (lt_i32x4)lt_f32x4_larger(n4, v77);
	const lt_i32x4 v82 = (lt_i32x4)lt_f32x4_larger(v77, n4);
	n4 = (lt_f32x4)((v81 | v82) & ((v81 & v82) | 2147483647));
	const lt_f32x4 v88 = *(const lt_f32x4_u *)&n1[32];
	const lt_i32x4 v92 = (lt_i32x4)lt_f32x4_larger(n4, v88);
	const lt_i32x4 v93 = (lt_i32x4)lt_f32x4_larger(v88, n4);
	n4 = (lt_f32x4)((v92 | v93) & ((v92 & v93) | 2147483647));
	const lt_f32x4 v99 = *(const lt_f32x4_u *)&n1[36];
	const lt_i32x4 v103 = (lt_i32x4)lt_f32x4_larger(n4, v99);
	const lt_i32x4 v104 = (lt_i32x4)lt_f32x4_larger(v99, n4);
	n4 = (lt_f32x4)((v103 | v104) & ((v103 & v104) | 2147483647));
	/* %4.out = copy, line 5 */
	*(lt_f32x4_u *)&n4_out[0] = n4;
}

LT_ENTRY void k0_4_out_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k0_4_out_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k0_4_out(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}

#include <stdint.h>

static void lt_fault_at(struct lt_kernel_fault *fault, int64_t value, int32_t stmt, int32_t access)
{
	if (__atomic_fetch_add(&fault->n, 1, __ATOMIC_RELAXED) == 0) {
		fault->stmt = stmt;
		fault->access = access;
		fault->value = value;
	}
}

/* kernel k1_5: loop tree 95f0f593062f3bb7abfe8c4d5650ee8e, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k1_5(const float *restrict n1, const int64_t *restrict n2, const float *restrict n4_out, float *restrict n5, struct lt_kernel_fault *fault)
{
	/* %3 = copy, line 4 */
	const int64_t v0 = n2[0];
	const int v3 = v0 < 0 || v0 >= 10;
	if (v3)
		lt_fault_at(fault, v0, 0, 0);
	/* %5 = sub, line 6 */
	*(lt_f32x4_u *)&n5[0] = *(const lt_f32x4_u *)&n1[(v3 ? 0 : v0) * 4] - *(const lt_f32x4_u *)&n4_out[0];
	const int64_t v9 = n2[1];
	const int v12 = v9 < 0 || v9 >= 10;
	if (v12)
		lt_fault_at(fault, v9, 0, 0);
	*(lt_f32x4_u *)&n5[4] = *(const lt_f32x4_u *)&n1[(v12 ? 0 : v9) * 4] - *(const lt_f32x4_u *)&n4_out[0];
	const int64_t v18 = n2[2];
	const int v21 = v18 < 0 || v18 >= 10;
	if (v21)
		lt_fault_at(fault, v18, 0, 0);
	*(lt_f32x4_u *)&n5[8] = *(const lt_f32x4_u *)&n1[(v21 ? 0 : v18) * 4] - *(const lt_f32x4_u *)&n4_out[0];
}

LT_ENTRY void k1_5_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k1_5_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)team;
	k1_5(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3), fault);
}
