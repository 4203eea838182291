/* backends/sim/sim.h -- the simulator as a backend: what its files share. */
#ifndef LT_SIM_H
#define LT_SIM_H
#include <stdbool.h>
#include <stdint.h>
#include "kernel/simulate_predict.h"

struct sim_config {
	struct lt_simulate_options options;
	bool counts, expand;
	uint64_t drop;                          /* leave this barrier out of each program, from 1; 0: none */
	struct lt_machine machine;
	const struct lt_simulate_machine *named;        /* whose numbers predictions are made with; NULL: none */
	char skip[27];                          /* letters of steps that are left out */
};

/* The words after `sim:`, separated by ';'.  LT_EINVAL names one that is not known. */
lt_status lt__sim_config(const char *text, struct sim_config *, struct lt_diag *);
/* drop.c: the program without its barrier number `drop`, if it has so many, in its place. */
lt_status lt__sim_drop(struct lt_kernel **, uint64_t drop, struct lt_diag *);
#endif
