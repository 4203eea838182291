/* progress.c -- what lt-bench does, on a terminal (tools/common/phase.c): preparing and checking by a thread;
 * while something is measured only between two samples. */
#include "tools/bench/bench.h"

static struct lt_phases phases;

void bench_progress_begin(const struct bench_options *o) { lt__phases_begin(&phases, !o->quiet && !o->serve); }
void bench_progress_end(void) { lt__phases_end(&phases); }
struct lt_phases *bench_phases(void) { return &phases; }
