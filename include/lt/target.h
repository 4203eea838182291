/* lt/target.h -- what a default tree needs to know of a machine: plain data.
 *
 * A backend's caps hold one.  Numbers that do not apply are 0.  The resolved
 * target stands in the header of a dumped tree.
 */
#ifndef LT_TARGET_H
#define LT_TARGET_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lt_target {
	uint32_t size;
	const char *name;               /* "cpu:native", "ref"                           */
	uint32_t vector_bytes;          /* 64 for AVX-512                                */
	uint32_t vector_registers;      /* 32 for AVX-512                                */
	uint32_t cores;
	uint32_t cache_line;            /* bytes                                         */
	uint64_t l1_bytes, l2_bytes, l3_bytes;
	uint32_t l1_ways, l2_ways, l3_ways;
	/* GPUs */
	uint32_t multiprocessors, warp, max_block;
	uint64_t shared_bytes, registers;
};

#ifdef __cplusplus
}
#endif
#endif
