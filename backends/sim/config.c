/* backends/sim/config.c -- the words after "sim:", separated by ';'. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/sim/sim.h"
#include "kernel/report.h"

static bool is_word(const char *at, size_t n, const char *word)
{
	return n == strlen(word) && memcmp(at, word, n) == 0;
}

/* "NAME=NUMBER" of digits. */
static bool sim_number(const char *at, size_t n, const char *name, uint64_t *out)
{
	size_t stem = strlen(name);
	if (n <= stem + 1 || n > stem + 19 || memcmp(at, name, stem) != 0 || at[stem] != '=')
		return false;
	*out = 0;
	for (size_t i = stem + 1; i < n; i++) {
		if (at[i] < '0' || at[i] > '9')
			return false;
		*out = *out * 10 + (uint64_t)(at[i] - '0');
	}
	return true;
}

static bool order_of(const char *at, size_t n, enum lt_simulate_order *out)
{
	static const char *const words[] = { "order=random", "order=forward", "order=backward" };
	for (int i = 0; i < 3; i++)
		if (is_word(at, n, words[i])) {
			*out = (enum lt_simulate_order)i;
			return true;
		}
	return false;
}

/* A check's name: only for tests of the checks. */
static bool off_of(const char *at, size_t n, uint64_t *off)
{
	for (int i = 0; n > 4 && memcmp(at, "off=", 4) == 0 && i < LT_NSIMULATE; i++)
		if (is_word(at + 4, n - 4, lt__simulate_name((enum lt_simulate_check)i))) {
			*off |= UINT64_C(1) << i;
			return true;
		}
	return false;
}

/* "skip=LETTERS" of steps; a letter that there is not is refused when a program is made. */
static bool skip_of(const char *at, size_t n, char *skip)
{
	if (n <= 5 || memcmp(at, "skip=", 5) != 0)
		return false;
	for (const char *c = at + 5; c < at + n; c++) {
		size_t end = strlen(skip);
		if (*c < 'A' || *c > 'Z')
			return false;
		if (!strchr(skip, *c)) {
			skip[end] = *c;
			skip[end + 1] = '\0';
		}
	}
	return true;
}

/* Numbers of the machine; lanes are of f32. */
static bool machine_of(const char *at, size_t n, struct lt_machine *m)
{
	uint64_t x;
	if (sim_number(at, n, "lanes", &x) && x >= 1 && x <= LT_MAX_LANES && (x & (x - 1)) == 0) {
		m->vector_bytes = x > 1 ? (uint32_t)x * 4 : 0;
		m->unrolled = 1024;
	} else if (sim_number(at, n, "moved", &x) && x <= LT_MAX_LANES && (x & (x - 1)) == 0) {
		m->memory_bytes = (uint32_t)x * 4;
	} else if (sim_number(at, n, "unroll", &x) && x <= 1 << 20) {
		m->unrolled = (int64_t)x;
	} else if (sim_number(at, n, "copied", &x) && x <= 1 << 20) {
		m->copied = (int64_t)x;
	} else if (sim_number(at, n, "array", &x) && x <= 1 << 20) {
		m->array_bytes = (int64_t)x;
	} else if (sim_number(at, n, "teams", &x) && x <= 1) {
		m->teams = (uint32_t)x;
	} else if (is_word(at, n, "grid")) {
		m->subgroup = 32;
		m->shared_bytes = 49152;
	} else if (sim_number(at, n, "subgroup", &x) && x >= 1 && x <= 64 && (x & (x - 1)) == 0) {
		m->subgroup = (uint32_t)x;
	} else if (sim_number(at, n, "shared", &x) && x <= 1 << 20) {
		m->shared_bytes = (int64_t)x;
	} else if (is_word(at, n, "masked")) {
		m->masked = 1;
	} else if (is_word(at, n, "gathered")) {
		m->gathered = 1;
	} else {
		return false;
	}
	return true;
}

/* A GPU by its name: what a block of it has, and predictions. */
static bool named_of(const char *at, size_t n, struct sim_config *out)
{
	char name[16];
	if (n >= sizeof name)
		return false;
	memcpy(name, at, n);
	name[n] = '\0';
	const struct lt_simulate_machine *m = lt__simulate_machine(name);
	if (!m)
		return false;
	out->named = m;
	out->machine.subgroup = 32;
	out->machine.shared_bytes = strcmp(name, "a100") == 0 ? 163 << 10 : 227 << 10;
	return true;
}

/* With `expand`: what no expansion replaces. */
#define BOTH (1 << LT_F32 | 1 << LT_F64)
static const struct lt_machine_operator functions[] = {
	{ LT_OPCODE_sqrt, BOTH, 0, 0 }, { LT_OPCODE_remainder, BOTH, 0, 0 }, { LT_OPCODE_pow, BOTH, 0, 0 },
	{ LT_OPCODE_sin, BOTH, 0, 0 }, { LT_OPCODE_cos, BOTH, 0, 0 }, { LT_OPCODE_exp, 1 << LT_F64, 0, 0 },
	{ LT_OPCODE_log, 1 << LT_F64, 0, 0 }, { LT_OPCODE_tanh, 1 << LT_F64, 0, 0 }, { LT_OPCODE_erf, 1 << LT_F64, 0, 0 },
};
#undef BOTH

/* The value is wrong where the option is one; what it takes is one row's. */
static lt_status sim_refuse(const char *at, size_t n, struct lt_diag *diag)
{
	static const struct { const char *stem, *takes; } options[] = {
		{ "seed=", "give a whole number from 0" }, { "order=", "give order=random, order=forward or order=backward" },
		{ "range=", "give a number of points from 1; without it every point is a range of its own" },
		{ "off=", NULL },               /* the checks' names */
		{ "skip=", "give letters of steps, as lt-run -k takes them" },
		{ "lanes=", "give 1, 2, 4, 8, 16, 32 or 64" }, { "moved=", "give 0, 1, 2, 4, 8, 16, 32 or 64" },
		{ "unroll=", "give a whole number up to 1048576" }, { "copied=", "give a whole number up to 1048576" },
		{ "array=", "give a number of bytes up to 1048576" }, { "teams=", "give 0 or 1" },
		{ "drop=", "give the number of a barrier, from 1" },
		{ "blocks=", "give how many blocks of a grid are run and counted; results are then not complete" },
		{ "subgroup=", "give 1, 2, 4, 8, 16, 32 or 64 threads" }, { "shared=", "give a number of bytes up to 1048576" },
	};
	const int shown = (int)(n < 60 ? n : 60);
	char checks[512] = "give one of";
	for (int i = 0; i < LT_NSIMULATE; i++) {
		const size_t end = strlen(checks);
		(void)snprintf(checks + end, sizeof checks - end, "%s %s", i ? "," : "",
			lt__simulate_name((enum lt_simulate_check)i));
	}
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		const int stem = (int)strlen(options[i].stem);
		if (n >= (size_t)stem && memcmp(at, options[i].stem, (size_t)stem) == 0)
			return lt__report(diag, LT_EINVAL, -1, -1, options[i].takes ? options[i].takes : checks,
				"sim: the option %.*s does not take '%.*s'", stem - 1, at, shown - stem < 0 ? 0 : shown - stem, at + stem);
	}
	return lt__report(diag, LT_EINVAL, -1, -1,
		"give seed=N, order=random, order=forward, order=backward, range=POINTS, counts, expand, off=CHECK, "
		"drop=BARRIER, skip=STEPS, or of the machine lanes=N (1, 2, 4 .. 64), moved=N, unroll=N, copied=N, array=BYTES, "
		"teams=0, masked, gathered, grid, a100, h100, h200, subgroup=THREADS, shared=BYTES, and for counts alone "
		"blocks=NUMBER",
		"sim: unknown option '%.*s'", shown, at);
}

lt_status lt__sim_config(const char *text, struct sim_config *out, struct lt_diag *diag)
{
	*out = (struct sim_config){ .options = { .seed = 1 },
		.machine = { .array_bytes = 4096, .stack_bytes = 65536, .teams = 1, .max_variables = 128,
			.tile_lanes = 32, .stream_bytes = 16 | 32 | 64, .cache_bytes = 1 << 20, .page_bytes = 4096,
			.n_operator = sizeof functions / sizeof *functions, .operators = functions } };
	for (const char *at = text ? text : ""; *at; ) {
		size_t n = strcspn(at, ";");
		uint64_t number;
		if (sim_number(at, n, "seed", &number))
			out->options.seed = number;
		else if (sim_number(at, n, "range", &number) && number > 0)
			out->options.range = (int64_t)number;
		else if (sim_number(at, n, "drop", &number) && number > 0)
			out->drop = number;
		else if (sim_number(at, n, "blocks", &number) && number <= INT64_MAX)
			out->options.blocks = (int64_t)number;
		else if (is_word(at, n, "counts"))
			out->counts = true;
		else if (is_word(at, n, "expand"))
			out->expand = true;
		else if (n && !machine_of(at, n, &out->machine) && !named_of(at, n, out) && !order_of(at, n, &out->options.order)
			&& !off_of(at, n, &out->options.off) && !skip_of(at, n, out->skip))
			return sim_refuse(at, n, diag);
		at += n + (at[n] == ';');
	}
	return LT_OK;
}
