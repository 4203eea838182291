/* backends/sim/sim.h -- the simulator as a backend: what its files share. */
#ifndef LT_SIM_H
#define LT_SIM_H
#include <stdbool.h>
#include <stdint.h>
#include "kernel/simulate.h"

struct sim_config {
	struct lt_simulate_options options;
	bool counts, expand;
	struct lt_machine machine;
	char skip[27];                          /* letters of steps that are left out */
};

/* The words after `sim:`, separated by ';'.  LT_EINVAL names one that is not known. */
lt_status lt__sim_config(const char *text, struct sim_config *, struct lt_diag *);
#endif
