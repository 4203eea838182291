/* lt/tile.h -- the matrix instructions that `tile NAME` hands a nest to (docs/schedule.md), as data.
 *
 * What an instruction computes is c[m x n] += a[m x k] b[k x n], of fixed extents, by the threads of a subgroup: each
 * has a fragment of a, b and c, a fixed part of the elements (struct lt_matrix_part in lt/kernel.h).  Names are pinned:
 * a name is never given another meaning.  Which of them a machine has, its target says (lt/target.h).
 *
 * The layouts are those of NVIDIA's manual of PTX ("Matrix Fragments for mma.m16n8k16").
 */
#ifndef LT_TILE_H
#define LT_TILE_H
#include "lt/kernel.h"

/* TILE(name, m, n, k, threads, bits of a factor's fraction that it takes (0: all), fragments of a, b and c). */
#define LT_TILE_MAP(TILE) \
	TILE("mma.m16n8k16.f16", 16, 8, 16, 32, 0, LT_TILE_HALVES_16(LT_F16)) \
	TILE("mma.m16n8k16.bf16", 16, 8, 16, 32, 0, LT_TILE_HALVES_16(LT_BF16)) \
	TILE("mma.m16n8k8.f16", 16, 8, 8, 32, 0, LT_TILE_HALVES_8(LT_F16)) \
	TILE("mma.m16n8k8.bf16", 16, 8, 8, 32, 0, LT_TILE_HALVES_8(LT_BF16)) \
	TILE("mma.m16n8k8.tf32", 16, 8, 8, 32, 10, LT_TILE_WORDS_8(LT_F32))

/* Fragments: bits of the element's number in it, then of the thread's, the lowest first: each adds a power of two along
 * m, n or k. */
#define LT_TILE_M(power) { 0, power }
#define LT_TILE_N(power) { 1, power }
#define LT_TILE_K(power) { 2, power }
#define LT_TILE_BITS(...) { __VA_ARGS__ }
#define LT_TILE_PART(type, n_element, element, n_thread, thread) { type, n_element, n_thread, element, thread }
#define LT_TILE_K_M LT_TILE_BITS(LT_TILE_K(1), LT_TILE_K(2), LT_TILE_M(0), LT_TILE_M(1), LT_TILE_M(2))
#define LT_TILE_K_N LT_TILE_BITS(LT_TILE_K(1), LT_TILE_K(2), LT_TILE_N(0), LT_TILE_N(1), LT_TILE_N(2))
#define LT_TILE_SUMS LT_TILE_PART(LT_F32, 2, LT_TILE_BITS(LT_TILE_N(0), LT_TILE_M(3)), 5, \
	LT_TILE_BITS(LT_TILE_N(1), LT_TILE_N(2), LT_TILE_M(0), LT_TILE_M(1), LT_TILE_M(2)))
#define LT_TILE_HALVES_16(type) \
	LT_TILE_PART(type, 3, LT_TILE_BITS(LT_TILE_K(0), LT_TILE_M(3), LT_TILE_K(3)), 5, LT_TILE_K_M), \
	LT_TILE_PART(type, 2, LT_TILE_BITS(LT_TILE_K(0), LT_TILE_K(3)), 5, LT_TILE_K_N), LT_TILE_SUMS
#define LT_TILE_HALVES_8(type) \
	LT_TILE_PART(type, 2, LT_TILE_BITS(LT_TILE_K(0), LT_TILE_M(3)), 5, LT_TILE_K_M), \
	LT_TILE_PART(type, 1, LT_TILE_BITS(LT_TILE_K(0)), 5, LT_TILE_K_N), LT_TILE_SUMS
#define LT_TILE_WORDS_8(type) \
	LT_TILE_PART(type, 2, LT_TILE_BITS(LT_TILE_M(3), LT_TILE_K(2)), 5, \
		LT_TILE_BITS(LT_TILE_K(0), LT_TILE_K(1), LT_TILE_M(0), LT_TILE_M(1), LT_TILE_M(2))), \
	LT_TILE_PART(type, 1, LT_TILE_BITS(LT_TILE_K(2)), 5, \
		LT_TILE_BITS(LT_TILE_K(0), LT_TILE_K(1), LT_TILE_N(0), LT_TILE_N(1), LT_TILE_N(2))), LT_TILE_SUMS

struct lt_tile_row { struct lt_kernel_matrix matrix; uint32_t kept_bits; };
/* static const struct lt_tile_row rows[] = { LT_TILE_MAP(LT_TILE_ROW) }; */
#define LT_TILE_ROW(name, m, n, k, threads, kept, ...) { { name, { m, n, k }, threads, { __VA_ARGS__ } }, kept },
#endif
