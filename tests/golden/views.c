#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__) && (__GNUC__ < 12 || (__GNUC__ == 12 && __GNUC_MINOR__ < 4) || (__GNUC__ == 13 && __GNUC_MINOR__ < 3))
#pragma GCC optimize("no-tree-loop-if-convert")
#endif

#define LT_KERNEL_BRANCHES static __attribute__((noinline))

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

typedef int32_t lt_i32x8 __attribute__((vector_size(32)));

#define LT_VFN static inline __attribute__((always_inline, unused))

LT_VFN lt_i32x8 lt_all_i32x8(int32_t x) { return x - (lt_i32x8){ 0 }; }

typedef int32_t lt_i32x8_u __attribute__((vector_size(32), aligned(1), may_alias));

typedef int32_t lt_i32x2 __attribute__((vector_size(8)));

LT_VFN lt_i32x2 lt_all_i32x2(int32_t x) { return x - (lt_i32x2){ 0 }; }

typedef int32_t lt_i32x2_u __attribute__((vector_size(8), aligned(1), may_alias));

/* kernel k0_6_copy: loop tree 95d650d565bb974b637a5f837328bb5b, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
LT_KERNEL_BRANCHES void k0_6_copy(const int32_t *restrict v1, int32_t *restrict v6_copy)
{
	for (int64_t k4 = 0; k4 < 4; k4++) {
		for (int64_t l2 = 0; l2 < 1; l2++) {
			/* %6.copy = copy, line 7 */
			lt_i32x8 t0;
			if (k4 >= 2) {
				lt_i32x8 t1;
				for (int64_t l2_1 = 0; l2_1 < 8; l2_1++) {
					const int64_t d0 = l2_1 / 4;
					t1[l2_1] = k4 >= 2 ? v1[6*l2_1 + 2*k4 + 2*l2 - 23*d0 - 2] : k4 >= 1 ? 7 : 9;
				}
				t0 = t1;
			} else if (k4 >= 1) {
				t0 = lt_all_i32x8(7);
			} else {
				t0 = lt_all_i32x8(9);
			}
			*(lt_i32x8_u *)(v6_copy + 10*k4 + 8*l2) = t0;
		}
		for (int64_t l2 = 0; l2 < 1; l2++) {
			lt_i32x2 t2;
			if (k4 >= 1) {
				t2 = lt_all_i32x2(7);
			} else {
				t2 = lt_all_i32x2(9);
			}
			*(lt_i32x2_u *)(v6_copy + 10*k4 + 8*l2 + 8) = t2;
		}
	}
}

void k0_6_copy_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)
{
	(void)workspace, (void)fault, (void)team;
	k0_6_copy(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}
