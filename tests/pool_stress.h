/* pool_stress.h -- random calls of lt_host.parallel_for, each of which says what was wrong with it.  Without the
 * test framework, which does not start under the thread sanitizer. */
#ifndef LT_POOL_STRESS_H
#define LT_POOL_STRESS_H
#include <stdint.h>

/* One call: n points; spins: how long a point takes; nested: each range calls the service again.  Returns how many
 * points were not met once, ranges that were none, and thread numbers that were in use or none of n_thread. */
struct pool_call { uint32_t n_thread; int64_t n; int spins; int nested; };
int64_t pool_call(const struct pool_call *);
/* Random ones, on `callers` threads at once; the sum of what was wrong. */
int64_t pool_stress(uint64_t seed, int calls, int callers);
#endif
