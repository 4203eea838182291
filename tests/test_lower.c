/* test_lower.c -- kernel programs for drawn machines: what the simulator runs is what the evaluator says.
 *
 * LT_SEED=N begins with another seed, LT_SEQUENCES=N draws another number of sequences of primitives.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "check/random/must.h"
#include "lt/kernel.h"
#include "tests/keeper.h"
#include "check/random/random.h"
#include "tests/random_schedule.h"

TestSuite(lower, .timeout = 900);

/* Lanes, copies, arrays, teams, masks and gathers, each there or not. */
static const char *drawn_machine(uint64_t *rng, char *text, size_t bytes)
{
	static const char *const unroll[] = { "", ";unroll=0", ";unroll=8", ";unroll=100" };
	static const char *const array[] = { "", "", ";array=0", ";array=64", ";array=600" };
	static const char *const copied[] = { "", ";copied=8", ";copied=50" };
	static const char *const moved[] = { "", "", ";moved=4", ";moved=16" };
	const int lanes = 1 << (int)random_between(rng, 0, 6);
	snprintf(text, bytes, "sim:lanes=%d%s%s%s%s%s%s%s%s", lanes,
		moved[random_between(rng, 0, 3)], unroll[random_between(rng, 0, 3)],
		copied[random_between(rng, 0, 2)], array[random_between(rng, 0, 4)],
		random_chance(rng, 30) ? ";teams=0" : "",
		random_chance(rng, 50) ? ";masked" : "", random_chance(rng, 50) ? ";gathered" : "",
		random_chance(rng, 50) ? lanes == 1 ? ";quads" : ";dots" : "");
	return text;
}

static void draw(uint64_t first, int machines, int graphs)
{
	uint64_t seed = must_number("LT_SEED", first), rng = seed;
	int sequences = (int)must_draws("LT_SEQUENCES", 400);
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

struct text { char at[8000]; size_t n; };
static void add_text(void *user, const char *more, size_t n)
{
	struct text *t = user;
	must(t->n + n < sizeof t->at, "the text is too long");
	memcpy(t->at + t->n, more, n);
	t->at[t->n += n] = '\0';
}

/* y = odd(-x) in eight lanes: negated at once; the operator that is only a text, one lane after the other. */
Test(lower, texts_of_third_parties)
{
	static const struct lt_type types[] = { { "f32", "float", LT_F32, 4 } };
	static const struct lt_op ops[] = {
		{ .name = "neg", .source = "(-$0)", .arity = 1, .out = LT_F32, .in = { LT_F32 }, .opcode = LT_OPCODE_neg },
		{ .name = "odd", .source = "odd($0)", .arity = 1, .out = LT_F32, .in = { LT_F32 } } };
	static const struct lt_loop loops[] = { { .parent = -1, .kind = LT_VECTOR, .kind_arg = 8, .var = "i", .step = 1,
		.max_trip_count = 8, .n_stmt = 2 } };
	static const struct lt_buffer buffers[] = {
		{ .name = "x", .role = LT_INPUT, .scope = -1, .elems = 8, .align = 4, .slot = 0, .alias_of = -1 },
		{ .name = "z", .role = LT_LOCAL, .scope = 0, .elems = 1, .align = 4, .slot = -1, .written = 1, .alias_of = -1 },
		{ .name = "y", .role = LT_OUTPUT, .scope = -1, .elems = 8, .align = 4, .slot = 1, .written = 1, .alias_of = -1 } };
	static const struct lt_access accesses[] = { { .buffer = 0, .row = 1, .index = -1 },
		{ .buffer = 1, .row = 0, .index = -1 }, { .buffer = 2, .row = 1, .index = -1 } };
	static const struct lt_piece pieces[] = { { .kind = LT_READ, .access = 0 }, { .kind = LT_READ, .access = 1 } };
	static const struct lt_operand operands[] = { { 0, 1, LT_F32 }, { 1, 1, LT_F32 } };
	static const struct lt_stmt stmts[] = {
		{ .kind = LT_MAP, .op = 0, .dest = 1, .first_operand = 0, .n_operand = 1, .reducing = -1, .name = "z" },
		{ .kind = LT_MAP, .op = 1, .dest = 2, .first_operand = 1, .n_operand = 1, .reducing = -1, .name = "y" } };
	static const int64_t rows[] = { 0, 0, 0, 1 };
#define ALL(a) { a, sizeof a / sizeof *a, sizeof *a }
	const struct lt_tree t = { .size = sizeof t, .name = "odd", .n_loop = 1, .n_column = 2, .n_row = 2, .n_slot = 2,
		.rows = rows, .types = ALL(types), .ops = ALL(ops), .loops = ALL(loops), .buffers = ALL(buffers),
		.accesses = ALL(accesses), .pieces = ALL(pieces), .operands = ALL(operands), .stmts = ALL(stmts),
		.prelude = "float odd(float);", .text = "" };
	const struct lt_machine m = { .array_bytes = 4096, .stack_bytes = 65536, .vector_bytes = 32, .unrolled = 1024 };
	const struct lt_kernel_options checked = { .verify = 1 };
	struct keeper k = keeper_new();
	struct lt_kernel *kernel;
	struct text text = { .n = 0 };
	cr_assert_eq(lt_kernel_new(&t, &m, &checked, &kernel, &k.diag), LT_OK, "%s", k.text);
	lt_kernel_print(kernel, add_text, &text);
	cr_expect(strstr(text.at, "neg f32x8") && strstr(text.at, "text f32 ") && !strstr(text.at, "text f32x8")
		&& strstr(text.at, " from 0 to 8 ") && strstr(text.at, "prelude"), "%s", text.at);
	lt_kernel_free(kernel);
}
