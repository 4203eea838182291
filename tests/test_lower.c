/* tests/test_lower.c -- kernel programs for drawn machines: what the simulator runs is what the evaluator says.
 *
 * LT_SEED=N begins with another seed, LT_SEQUENCES=N draws another number of sequences of primitives.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "check/must.h"
#include "check/random_graph.h"
#include "tests/random_schedule.h"

TestSuite(lower, .timeout = 900);

/* Lanes, copies, arrays, teams, masks and gathers, each there or not. */
static const char *drawn_machine(uint64_t *rng, char *text, size_t bytes)
{
	static const char *const unroll[] = { "", ";unroll=0", ";unroll=8", ";unroll=100" };
	static const char *const array[] = { "", "", ";array=0", ";array=64", ";array=600" };
	snprintf(text, bytes, "sim:lanes=%d%s%s%s%s%s", 1 << (int)random_between(rng, 0, 6), unroll[random_between(rng, 0, 3)],
		array[random_between(rng, 0, 4)], random_chance(rng, 30) ? ";teams=0" : "",
		random_chance(rng, 50) ? ";masked" : "", random_chance(rng, 50) ? ";gathered" : "");
	return text;
}

static void draw(uint64_t first, int machines, int graphs)
{
	uint64_t seed = must_number("LT_SEED", first), rng = seed;
	int sequences = (int)must_number("LT_SEQUENCES", 400);
	for (int i = 0; i < machines; i++) {
		struct schedule_tally tally = { 0 };
		char text[100];
		struct schedule_plan plan = { .backends = drawn_machine(&rng, text, sizeof text), .skip = "bind call",
			.seed = seed + (uint64_t)(i * graphs), .graphs = graphs * sequences / 400 + 1, .sequences = 4, .together = 1 };
		random_schedules(&plan, &tally);
		cr_expect_eq(tally.failed, 0, "sequences fail on %s, see above; LT_SEED repeats them", text);
	}
}

Test(lower, drawn_machines_first_half) { draw(300001, 12, 5); }
Test(lower, drawn_machines_second_half) { draw(400001, 12, 5); }
