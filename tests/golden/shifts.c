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

typedef int32_t lt_i32x4 __attribute__((vector_size(16)));

typedef int32_t lt_i32x4_u __attribute__((vector_size(16), aligned(4), may_alias));

#define LT_LANES static inline __attribute__((always_inline, unused))

LT_LANES lt_i32x4 lt_i32x4_splat(int32_t x) { return x - (lt_i32x4){ 0 }; }

typedef uint32_t lt_u32x4 __attribute__((vector_size(16)));

typedef int64_t lt_i64x4 __attribute__((vector_size(32)));

typedef int64_t lt_i64x4_u __attribute__((vector_size(32), aligned(8), may_alias));

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k0_4: loop tree 8eb417beca2aa91155102eb20366a261, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k0_4(const int32_t *restrict n1, int64_t *restrict n4)
{
	/* %4 = cast, line 6 */
	*(lt_i64x4_u *)&n4[0] = __builtin_convertvector((lt_i32x4)((lt_u32x4)*(const lt_i32x4_u *)&n1[0] << 30), lt_i64x4);
}

LT_ENTRY void k0_4_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k0_4_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k0_4(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}

LT_LANES lt_i64x4 lt_i64x4_splat(int64_t x) { return x - (lt_i64x4){ 0 }; }

LT_LANES lt_i64x4 lt_i64x4_select(lt_i64x4 m, lt_i64x4 a, lt_i64x4 b) { return (lt_i64x4)((m & (lt_i64x4)a) | (~m & (lt_i64x4)b)); }

LT_LANES lt_i64x4 lt_i64x4_larger(lt_i64x4 a, lt_i64x4 b) { return lt_i64x4_select((lt_i64x4)(a > b), a, b); }

LT_LANES lt_i64x4 lt_i64x4_lesser(lt_i64x4 a, lt_i64x4 b) { return lt_i64x4_select((lt_i64x4)(a < b), a, b); }

/* kernel k1_7: loop tree 454a6985d4689bd8237d821a83a7e1f3, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k1_7(const int32_t *restrict n1, int64_t *restrict n6, const int64_t *restrict n4, int64_t *restrict n7)
{
	/* %6 = cast, line 9 */
	*(lt_i64x4_u *)&n6[0] = __builtin_convertvector(*(const lt_i32x4_u *)&n1[0] * 1610612736, lt_i64x4);
	/* %7 = shr, line 10 */
	const lt_i64x4 v7 = *(const lt_i64x4_u *)&n4[0] >> lt_i64x4_lesser(lt_i64x4_larger(*(const lt_i64x4_u *)&n6[0], lt_i64x4_splat(0)), lt_i64x4_splat(63));
	*(lt_i64x4_u *)&n7[0] = v7;
}

LT_ENTRY void k1_7_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k1_7_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k1_7(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3));
}

/* kernel k2_8: loop tree 2de180f96f87528fcf8cf28e2c5507c2, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k2_8(const int32_t *restrict n1, int32_t *restrict n8)
{
	/* %8 = shr, line 11 */
	*(lt_i32x4_u *)&n8[0] = *(const lt_i32x4_u *)&n1[0] >> 30;
}

LT_ENTRY void k2_8_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k2_8_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k2_8(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}
