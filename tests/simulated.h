/* simulated.h -- a kernel program from its text, run in the simulator. */
#ifndef TESTS_SIMULATED_H
#define TESTS_SIMULATED_H
#include <string.h>
#include "kernel/simulate/simulate.h"
#include "tests/keeper.h"

struct simulated { lt_status status; struct lt_simulate_finding found; struct keeper diags; struct lt_fault fault; };
/* Printed, parsed, verified; the caller's to free. */
struct lt_kernel *simulated_kernel(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* slot[i]: memory of as many bytes as the buffers of slot i have.  options, count may be NULL. */
void simulated_run(const struct lt_kernel *, void *const *slot, const struct lt_simulate_options *,
	struct lt_simulate_count *, struct simulated *);
/* The same, and it finds nothing. */
void simulated_good(const struct lt_kernel *, void *const *slot);

/* A good run's counts by statement, the rest behind; NULL or, with them, the lines that print them.  The caller's. */
struct lt_simulate_statement *simulated_statements(
	const struct lt_kernel *, void *const *slot, int32_t *n, char **lines);

/* Typed bits of operands and results. */
enum { SIMULATED_MAX_VALUE = 48, SIMULATED_MAX_PAIRS = SIMULATED_MAX_VALUE * SIMULATED_MAX_VALUE + 64 };
struct simulated_pairs {
	uint32_t dtype, out;
	int n;
	uint64_t x[SIMULATED_MAX_PAIRS], y[SIMULATED_MAX_PAIRS], z[SIMULATED_MAX_PAIRS];
};
/* z of all pairs, by lines that make %r of %x and %y; in them TYPE is the type, and LANES what stands behind a type's
 * name.  n grows to whole vectors. */
void simulated_pairs_run(struct simulated_pairs *, const char *lines, uint32_t lanes);
static const uint32_t simulated_lanes[] = { 1, 2, 8, 64 };
const char *simulated_type(uint32_t dtype);

static inline uint64_t simulated_random(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = (*state ^ *state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	return z ^ z >> 27;
}
static inline uint64_t simulated_float_bits(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
static inline uint64_t simulated_double_bits(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }
static inline float simulated_float(uint64_t b) { uint32_t u = (uint32_t)b; float x; memcpy(&x, &u, 4); return x; }
static inline double simulated_double(uint64_t b) { double x; memcpy(&x, &b, 8); return x; }
#endif
