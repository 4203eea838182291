/* config.c -- the items after "sim:". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/sim/sim.h"
#include "kernel/form/form.h"
#include "lt/options.h"

enum { SEED, ORDER, RANGE, COUNTS, EXPAND, OFF, DROP, SKIP, LANES, MOVED, UNROLL, COPIED, ARRAY, TEAMS, MASKED,
	GATHERED, DOTS, QUADS, GRID, SUBGROUP, SHARED, BLOCK, CALLS, DESCRIBED, GROUPS, BLOCKS, A100, H100, H200, TF32, WIDE,
	N_OPTION };
#define LARGEST 999999999999999999
#define MILLION (1 << 20)
static const struct lt_option options[N_OPTION] = {
	[SEED] = { .key = "seed", .value = "N", .high = LARGEST, .about = "of random orders and lanes" },
	[ORDER] = { .key = "order", .value = "ORDER", .words = "random forward backward",
		.about = "in which threads, points and lanes run" },
	[RANGE] = { .key = "range", .value = "POINTS", .low = 1, .high = LARGEST,
		.about = "points of a range of a parallel loop" },
	[COUNTS] = { .key = "counts", .about = "what was run is counted, and told" },
	[EXPAND] = { .key = "expand",
		.about = "operators are made of simpler ones, as for a machine without them" },
	[OFF] = { .key = "off", .value = "CHECK", .again = 1, .about = "one check is left out" },
	[DROP] = { .key = "drop", .value = "BARRIER", .low = 1, .high = LARGEST,
		.about = "the barrier of that number is left out" },
	[SKIP] = { .key = "skip", .value = "STEPS", .again = 1,
		.about = "steps that are left out, by their letters" },
	[LANES] = { .key = "lanes", .value = "N", .words = "1 2 4 8 16 32 64",
		.about = "lanes of a vector of float32" },
	[MOVED] = { .key = "moved", .value = "N", .words = "0 1 2 4 8 16 32 64",
		.about = "lanes that one access to memory moves" },
	[UNROLL] = { .key = "unroll", .value = "N", .high = MILLION,
		.about = "statements that loops are unrolled to" },
	[COPIED] = { .key = "copied", .value = "N", .high = MILLION,
		.about = "statements of a loop that is copied for its remainder" },
	[ARRAY] = { .key = "array", .value = "BYTES", .high = MILLION,
		.about = "bytes of an array that lives in variables" },
	[TEAMS] = { .key = "teams", .value = "0|1", .high = 1, .about = "1: parallel loops are run by teams" },
	[MASKED] = { .key = "masked", .about = "a vector under a mask costs nothing" },
	[GATHERED] = { .key = "gathered", .about = "lanes may be at an index of their own" },
	[DOTS] = { .key = "dots", .about = "sums of products of bytes have an instruction" },
	[QUADS] = { .key = "quads", .about = "the same of four bytes, where there are no vectors" },
	[GRID] = { .key = "grid", .about = "the machine runs grids of blocks" },
	[SUBGROUP] = { .key = "subgroup", .value = "THREADS", .words = "1 2 4 8 16 32 64",
		.about = "threads of a subgroup" },
	[SHARED] = { .key = "shared", .value = "BYTES", .high = MILLION,
		.about = "bytes of memory that a block shares" },
	[BLOCK] = { .key = "block", .value = "THREADS", .low = 1, .high = LT_MAX_THREADS,
		.about = "threads of a block, at most" },
	[CALLS] = { .key = "calls", .about = "products are calls of a routine" },
	[DESCRIBED] = { .key = "described", .about = "calls are described" },
	[GROUPS] = { .key = "groups", .about = "calls are described, of several operators" },
	[BLOCKS] = { .key = "blocks", .value = "N", .low = 1, .high = LARGEST,
		.about = "blocks that run at once" },
	[A100] = { .key = "a100", .about = "as a GPU of that name" },
	[H100] = { .key = "h100", .about = "as a GPU of that name" },
	[H200] = { .key = "h200", .about = "as a GPU of that name" },
	[TF32] = { .key = "tf32",
		.about = "products of float32 may drop all but 10 bits of their factors' fractions" },
	[WIDE] = { .key = "wide", .value = "ROUNDINGS", .words = "all some",
		.about = "routines leave out all roundings between their operators, or some" }
};
const struct lt_array lt__sim_options = { options, N_OPTION, sizeof *options };

/* A check's name: only for tests of the checks. */
static lt_status read_off(const struct lt_option_item *item, uint64_t *off, struct lt_diag *diag)
{
	char checks[512] = "give one of";
	for (int i = 0; i < LT_NSIMULATE; i++) {
		const char *name = lt__simulate_name((enum lt_simulate_check)i);
		const size_t end = strlen(checks);
		if (strlen(name) == item->bytes && memcmp(name, item->text, item->bytes) == 0) {
			*off |= UINT64_C(1) << i;
			return LT_OK;
		}
		(void)snprintf(checks + end, sizeof checks - end, "%s %s", i ? "," : "", name);
	}
	return lt_option_refuse(&options[OFF], item, checks, diag);
}

/* Letters of steps; a letter that there is not is refused when a program is made. */
static lt_status read_skip(const struct lt_option_item *item, char *skip, struct lt_diag *diag)
{
	for (const char *c = item->text; c < item->text + item->bytes; c++) {
		size_t end = strlen(skip);
		if (*c < 'A' || *c > 'Z')
			return lt_option_refuse(&options[SKIP], item, "give letters of steps, as lt-run -k takes them", diag);
		if (!strchr(skip, *c)) {
			skip[end] = *c;
			skip[end + 1] = '\0';
		}
	}
	return LT_OK;
}

static void machine_with_grids(struct lt_machine *m, int64_t shared_bytes)
{
	m->subgroup = 32;
	m->shared_bytes = shared_bytes;
	m->memory_bytes = 16;
	m->dot_bytes = 16;
	m->unrolled = 4096;
	m->n_tile = lt__n_tile_name;
	m->tiles = lt__tile_names;
}

/* Numbers of the machine; lanes are of f32. */
static void read_machine(const struct lt_option_item *item, struct lt_machine *m)
{
	const int64_t x = item->number;
	switch (item->which) {
	case LANES:
		m->vector_bytes = x > 0 ? 4u << x : 0;
		m->unrolled = 1024;
		break;
	case MOVED: m->memory_bytes = x > 0 ? 4u << (x - 1) : 0; break;
	case UNROLL: m->unrolled = x; break;
	case COPIED: m->copied = x; break;
	case ARRAY: m->array_bytes = x; break;
	case TEAMS: m->teams = (uint32_t)x; break;
	case MASKED: m->masked = 1; break;
	case GATHERED: m->gathered = 1; break;
	case DOTS: m->dot_bytes = 16; break;
	case QUADS: m->dot_bytes = 4; break;
	case GRID:
		machine_with_grids(m, 49152);
		break;
	case SUBGROUP: m->subgroup = 1u << x; break;
	case SHARED: m->shared_bytes = x; break;
	case CALLS: m->calls = 1; break;
	case DESCRIBED: case GROUPS: m->calls = 2; break;
	default: break;
	}
}

/* With `expand`: what no expansion replaces. */
#define BOTH (1 << LT_F32 | 1 << LT_F64)
static const struct lt_machine_operator functions[] = {
	{ LT_OPCODE_sqrt, BOTH, 0, 0 }, { LT_OPCODE_remainder, BOTH, 0, 0 }, { LT_OPCODE_pow, BOTH, 0, 0 },
	{ LT_OPCODE_sin, BOTH, 0, 0 }, { LT_OPCODE_cos, BOTH, 0, 0 }, { LT_OPCODE_exp, 1 << LT_F64, 0, 0 },
	{ LT_OPCODE_log, 1 << LT_F64, 0, 0 }, { LT_OPCODE_tanh, 1 << LT_F64, 0, 0 }, { LT_OPCODE_erf, 1 << LT_F64, 0, 0 },
};
#undef BOTH

lt_status lt__sim_config(const char *text, struct sim_config *out, struct lt_diag *diag)
{
	struct lt_option_reader r = lt_option_begin(text, options, N_OPTION, diag);
	*out = (struct sim_config){ .options = { .seed = 1 }, .max_block = LT_MAX_THREADS,
		.machine = { .array_bytes = 4096, .stack_bytes = 65536, .teams = 1, .max_variables = 128,
			.tile_lanes = 32, .stream_bytes = 16 | 32 | 64, .cache_bytes = 1 << 20, .page_bytes = 4096,
			.n_operator = sizeof functions / sizeof *functions, .operators = functions } };
	for (struct lt_option_item item; lt_option_next(&r, &item); )
		switch (item.which) {
		case SEED: out->options.seed = (uint64_t)item.number; break;
		case ORDER: out->options.order = (enum lt_simulate_order)item.number; break;
		case RANGE: out->options.range = item.number; break;
		case COUNTS: out->counts = true; break;
		case TF32: out->tf32 = true; break;
		case EXPAND: out->expand = true; break;
		case OFF: r.status = read_off(&item, &out->options.off, diag); break;
		case DROP: out->drop = (uint64_t)item.number; break;
		case BLOCK: out->max_block = item.number; break;
		case BLOCKS: out->options.blocks = item.number; break;
		case A100: case H100: case H200:
			if (out->named)
				r.status = lt_option_refuse(&options[item.which], &item, "name one machine only", diag);
			out->named = lt__simulate_machine(options[item.which].key);
			machine_with_grids(&out->machine, out->named->shared_bytes);
			out->machine.registers = out->named->registers;
			break;
		case WIDE:
			if (!out->groups)
				r.status = lt_option_refuse(&options[WIDE], &item, "write groups before it, whose routines are wide", diag);
			out->options.wide = lt__sim_wide;
			out->options.some = item.number == 1;
			break;
		case SKIP: r.status = read_skip(&item, out->skip, diag); break;
		default:
			if ((item.which == SHARED || item.which == CALLS || item.which == DESCRIBED || item.which == GROUPS)
				&& !out->machine.subgroup)
				r.status = lt_option_refuse(&options[item.which], &item, "write grid or a machine's name before it", diag);
			out->groups = out->groups || item.which == GROUPS;
			read_machine(&item, &out->machine);
		}
	return r.status;
}
