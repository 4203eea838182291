/* sim.h -- the simulator as a backend: what its files share. */
#ifndef LT_SIM_H
#define LT_SIM_H
#include <stdbool.h>
#include <stdint.h>
#include "kernel/simulate/simulate.h"

struct sim_config {
	struct lt_simulate_options options;
	bool counts, expand, tf32, groups;
	uint64_t drop;                          /* leave this barrier out of each program, from 1; 0: none */
	int64_t max_block;                      /* threads of one */
	struct lt_machine machine;
	const struct lt_simulate_machine *named;        /* sim:h200: it has grids, and its bounds are predicted; or NULL */
	char skip[27];                          /* letters of steps that are left out */
};

/* sim.c: the routines that may leave out roundings between operators, NULL behind the last. */
extern const char *const lt__sim_wide[];
/* The items after `sim:`. */
extern const struct lt_array lt__sim_options;           /* struct lt_option */
lt_status lt__sim_config(const char *text, struct sim_config *, struct lt_diag *);
/* memory.c: of a machine that runs grids. */
lt_status lt__sim_mem_new(struct lt_session *, size_t bytes, void **, struct lt_diag *);
void lt__sim_mem_free(struct lt_session *, void *);
lt_status lt__sim_mem_copy(struct lt_session *, const struct lt_slot *dst, const struct lt_slot *src, size_t bytes,
	enum lt_copy, void *stream, struct lt_diag *);
/* drop.c: the program without its barrier number `drop`, if it has so many, in its place. */
lt_status lt__sim_drop(struct lt_kernel **, uint64_t drop, struct lt_diag *);
#endif
