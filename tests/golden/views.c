#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__) && (__GNUC__ < 12 || (__GNUC__ == 12 && __GNUC_MINOR__ < 4) \
	|| (__GNUC__ == 13 && __GNUC_MINOR__ < 3))
#pragma GCC optimize("no-tree-loop-if-convert")
#endif

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

typedef int32_t lt_i32x8 __attribute__((vector_size(32)));

typedef int32_t lt_i32x8_u __attribute__((vector_size(32), aligned(4), may_alias));

#define LT_LANES static inline __attribute__((always_inline, unused))

LT_LANES lt_i32x8 lt_i32x8_splat(int32_t x) { return x - (lt_i32x8){ 0 }; }

typedef int32_t lt_i32x2 __attribute__((vector_size(8)));

LT_LANES lt_i32x2 lt_i32x2_splat(int32_t x) { return x - (lt_i32x2){ 0 }; }

typedef int32_t lt_i32x2_u __attribute__((vector_size(8), aligned(4), may_alias));

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k0_6_copy: loop tree 95d650d565bb974b637a5f837328bb5b, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k0_6_copy(const int32_t *restrict n1, int32_t *restrict n6_copy)
{
	for (int64_t k4 = 0; k4 < 4; k4++) {
		/* %6.copy = copy, line 7 */
		const int v1 = k4 >= 2;
		lt_i32x8 piece = { 0 };
		if (v1) {
			__attribute__((aligned(64))) int32_t lanes[8];
			for (int64_t l2_1 = 0; l2_1 < 8; l2_1++) {
				int32_t piece_4 = 0;
				if (v1) {
					/* %6.copy = copy, line 7 */
					piece_4 = n1[k4 * 2 + l2_1 * 6 + l2_1 / 4 * -23 - 2];
				} else {
					if (k4 >= 1) {
						/* %6.copy = copy, line 7 */
						piece_4 = 7;
					} else {
						/* %6.copy = copy, line 7 */
						piece_4 = 9;
					}
				}
				/* %6.copy = copy, line 7 */
				lanes[l2_1] = piece_4;
			}
			/* %6.copy = copy, line 7 */
			piece = *(const lt_i32x8_u *)&lanes[0];
		} else {
			if (k4 >= 1) {
				/* %6.copy = copy, line 7 */
				piece = lt_i32x8_splat(7);
			} else {
				/* %6.copy = copy, line 7 */
				piece = lt_i32x8_splat(9);
			}
		}
		/* %6.copy = copy, line 7 */
		const int64_t v15 = k4 * 10;
		*(lt_i32x8_u *)&n6_copy[v15] = piece;
		lt_i32x2 piece_5 = { 0 };
		if (k4 >= 1) {
			/* %6.copy = copy, line 7 */
			piece_5 = lt_i32x2_splat(7);
		} else {
			/* %6.copy = copy, line 7 */
			piece_5 = lt_i32x2_splat(9);
		}
		/* %6.copy = copy, line 7 */
		*(lt_i32x2_u *)&n6_copy[v15 + 8] = piece_5;
	}
}

LT_ENTRY void k0_6_copy_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k0_6_copy_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k0_6_copy(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}
