/* random_kernel.c -- random kernel programs: variables, blocks, teams (random_kernel_maker.h). */
#include <stdlib.h>
#include "tests/random_kernel_maker.h"

/* One that never happens. */
static void make_fault(struct kernel_maker *g)
{
	struct lt_value_type i64 = { LT_I64, maker_lanes(g) };
	struct lt_instruction i = maker_plain(LT_OPCODE_fault, (struct lt_value_type){ 0, 0 });
	int32_t x = maker_mod(g, i64, 10), zero = maker_constant(g, i64, 0);
	i.operand[0] = maker_two(g, LT_OPCODE_less, (struct lt_value_type){ LT_LANE_MASK, i64.lanes }, x, zero);
	i.operand[1] = x;
	i.what = maker_below(g, 9);
	(void)maker_make(g, i);
}

/* A number that only steps find out: a sum of constants, or what a variable was set to. */
static int32_t hidden_number(struct kernel_maker *g, int32_t variable, int64_t number)
{
	static const struct lt_value_type i64 = { LT_I64, 1 };
	int64_t part = maker_below(g, 1000);
	if (maker_one_in(g, 2))
		return lt__build_get(&g->b, variable);
	return maker_two(g, LT_OPCODE_add, i64, maker_whole(g, part), maker_whole(g, number - part));
}

/* A block that never runs, in which a constant would be no address, no divisor and no shift. */
static void make_never(struct kernel_maker *g)
{
	static const struct lt_value_type i64 = { LT_I64, 1 };
	static const struct { int opcode; int64_t number; } bad[] = { { LT_OPCODE_load, 1000000 }, { LT_OPCODE_store, -1 },
		{ LT_OPCODE_quotient, 0 }, { LT_OPCODE_remainder, -1 }, { LT_OPCODE_shift_left, 64 },
		{ LT_OPCODE_shift_right, -1 }, { LT_OPCODE_shift_signed, 70 } };
	int n = maker_below(g, sizeof bad / sizeof *bad);
	int32_t variable = lt__build_variable(&g->b, "never", LT_I64, 1), x = maker_mod(g, i64, 10), buffer = g->n_input;
	int32_t never = maker_two(g, LT_OPCODE_less, (struct lt_value_type){ LT_LANE_MASK, 1 }, x, maker_whole(g, 0));
	lt__build_begins(&g->b, LT_OPCODE_variable, variable);
	lt__build_set(&g->b, variable, maker_whole(g, bad[n].number));
	lt__build_if(&g->b, never);
	int32_t number = hidden_number(g, variable, bad[n].number);
	if (bad[n].opcode == LT_OPCODE_load)
		(void)lt__build_load(&g->b, 0, number, 0);
	else if (bad[n].opcode == LT_OPCODE_store)
		lt__build_store(&g->b, buffer, number, 0, maker_want(g, (struct lt_value_type){ g->b.buffer[buffer].dtype, 1 }));
	else
		lt__build_set(&g->b, variable, maker_two(g, bad[n].opcode, i64, x, number));
	lt__build_end(&g->b);
}

static void make_text(struct kernel_maker *g)
{
	if (!g->b.n_op)
		return;
	int32_t op = maker_below(g, g->b.n_op);
	struct lt_instruction i = maker_plain(LT_OPCODE_text, (struct lt_value_type){ g->b.op[op].out, maker_lanes(g) });
	i.what = op;
	for (int k = 0; k < g->b.op[op].arity; k++)
		i.operand[k] = maker_want(g, (struct lt_value_type){ g->b.op[op].in[k], i.lanes });
	(void)maker_pooled(g, maker_make(g, i), -1);
}

/* A value that was got from the variable is not used any more; -1: from any. */
static void forget(struct kernel_maker *g, int32_t variable)
{
	for (int p = 0; p < g->in.n_pool; p++)
		if (g->in.pool[p].variable >= 0 && (variable < 0 || g->in.pool[p].variable == variable))
			g->in.pool[p].value = -1;
}

static void make_set(struct kernel_maker *g, int32_t variable)
{
	struct lt_value_type t = { g->b.variable[variable].dtype, g->b.variable[variable].lanes };
	struct lt_instruction i = maker_plain(LT_OPCODE_set, (struct lt_value_type){ 0, 0 });
	i.operand[0] = maker_want(g, t);
	i.what = variable;
	if (maker_foldable >> t.dtype & 1 && maker_one_in(g, 2)) {
		i.opcode = LT_OPCODE_update;
		i.number = maker_folding(g, t.dtype);
	}
	(void)maker_make(g, i);
	forget(g, variable);
}

static void use_variable(struct kernel_maker *g)
{
	if (!g->in.n_variable)
		return;
	int32_t variable = g->in.variable[maker_below(g, g->in.n_variable)];
	if (maker_one_in(g, 2)) {
		make_set(g, variable);
		return;
	}
	g->left--;
	(void)maker_pooled(g, lt__build_get(&g->b, variable), variable);
}

static void begin_variable(struct kernel_maker *g)
{
	if (g->in.n_variable == MAX_SCOPE)
		return;
	struct lt_value_type t = maker_type(g, lt__opcode(LT_OPCODE_get)->types);
	int32_t variable = lt__build_variable(&g->b, maker_one_in(g, 2) ? "v" : "%sum.1", t.dtype, t.lanes);
	lt__build_begins(&g->b, LT_OPCODE_variable, variable);
	lt__build_set(&g->b, variable, maker_want(g, t));
	g->in.variable[g->in.n_variable++] = variable;
}


static void make_block(struct kernel_maker *g, int n)
{
	int n_pool = g->in.n_pool, n_variable = g->in.n_variable, n_array = g->in.n_array;
	g->in.depth++;
	maker_statements(g, n);
	g->in.depth--;
	g->in.n_pool = n_pool;
	g->in.n_variable = n_variable;
	g->in.n_array = n_array;
}

static void make_loop(struct kernel_maker *g)
{
	static const struct lt_value_type i64 = { LT_I64, 1 };
	int32_t from = maker_one_in(g, 3) ? maker_mod(g, i64, 4) : maker_whole(g, maker_below(g, 4) - 1);
	int32_t to = maker_one_in(g, 3) ? maker_mod(g, i64, 5) : maker_whole(g, maker_below(g, 5));
	int n_pool = g->in.n_pool;
	forget(g, -1);
	struct lt_instruction i = maker_plain(LT_OPCODE_loop, i64);
	i.operand[0] = from;
	i.operand[1] = to;
	i.number = 1 + maker_below(g, 3);
	if (maker_one_in(g, 4)) {
		i.flags = LT_INSTRUCTION_UNROLL;
		i.stride = 1 + maker_below(g, 8);
	}
	(void)maker_pooled(g, maker_make(g, i), -1);
	make_block(g, 2 + maker_below(g, 6));
	lt__build_end(&g->b);
	g->in.n_pool = n_pool;
	forget(g, -1);
}

static void make_if(struct kernel_maker *g)
{
	lt__build_if(&g->b, maker_want(g, (struct lt_value_type){ LT_LANE_MASK, 1 }));
	make_block(g, 1 + maker_below(g, 5));
	if (maker_one_in(g, 2)) {
		lt__build_else(&g->b);
		make_block(g, 1 + maker_below(g, 5));
	}
	lt__build_end(&g->b);
}

static void make_launch(struct kernel_maker *);

static void make_statement(struct kernel_maker *g)
{
	switch (maker_below(g, 32)) {
	case 0:
	case 1:
	case 2:
	case 3: maker_load(g); break;
	case 4:
	case 5:
	case 6: maker_store(g); break;
	case 7:
	case 8: use_variable(g); break;
	case 9: begin_variable(g); break;
	case 10:
		maker_array(g);
		if (g->flags & RANDOM_KERNEL_STEPS)
			maker_array(g);
		break;
	case 11:
	case 12:
		if (g->in.depth < 3)
			make_loop(g);
		break;
	case 13:
	case 14:
		if (g->in.depth < 4)
			make_if(g);
		break;
	case 15:
		maker_prefetch(g);
		if (g->flags & RANDOM_KERNEL_STEPS && g->flags & RANDOM_KERNEL_LANES)
			maker_tile(g);
		break;
	case 16:
		make_fault(g);
		if (g->flags & RANDOM_KERNEL_STEPS)
			make_never(g);
		break;
	case 17: make_text(g); break;
	case 18: maker_fold(g); break;
	case 19: maker_shuffle(g); break;
	case 22: maker_each(g); break;
	case 20:
		if (g->in.base < 0 && g->in.depth < 2 && !(g->flags & RANDOM_KERNEL_GRID))
			make_launch(g);
		break;
	case 21:
		(void)maker_pooled(g, lt__build_numbered(&g->b, LT_OPCODE_param, LT_I64, maker_below(g, g->b.n_param)), -1);
		break;
	default: maker_value(g); break;
	}
}

void maker_statements(struct kernel_maker *g, int n)
{
	for (int i = 0; i < n && g->left > 0; i++)
		make_statement(g);
}

/* The body of a team: its points one after the other, each with its own part of what is written. */
static int32_t make_team(struct kernel_maker *g, int n_argument, const struct lt_value_type *type)
{
	static const struct lt_value_type i64 = { LT_I64, 1 };
	int32_t host = g->b.now, region = lt__build_region(&g->b, LT_REGION_TEAM, n_argument, maker_one_in(g, 2) ? 3 : -1);
	for (int a = 0; a < n_argument; a++) {
		struct lt_instruction i = maker_plain(LT_OPCODE_argument, type[a]);
		i.what = a;
		(void)maker_pooled(g, maker_make(g, i), -1);
	}
	int32_t first = maker_make(g, maker_plain(LT_OPCODE_first, i64));
	int32_t last = maker_make(g, maker_plain(LT_OPCODE_last, i64));
	for (int i = 0; i < 3; i++)
		maker_value(g);
	int32_t point = maker_pooled(g, lt__build_loop(&g->b, first, last, 1, -1), -1);
	g->in.base = maker_two(g, LT_OPCODE_mul, i64, point, maker_whole(g, PART));
	for (int t = 0; t < g->n_thread; t++)
		maker_write_all(g, g->n_input + g->n_output + g->n_work + t);
	g->in.has_thread = g->n_thread > 0;
	g->in.depth = 1;
	maker_statements(g, 10 + maker_below(g, 20));
	lt__build_end(&g->b);
	g->b.now = host;
	return region;
}

/* A new team, or one that there is already. */
static void make_launch(struct kernel_maker *g)
{
	static const struct lt_value_type i64 = { LT_I64, 1 };
	int t = g->n_team < MAX_TEAM && maker_one_in(g, 2) ? g->n_team : g->n_team ? maker_below(g, g->n_team) : 0;
	struct lt_value_type *type = g->team_type[t];
	int64_t handed[MAX_HANDED];
	int n = t == g->n_team ? maker_below(g, MAX_HANDED) : g->b.region[g->team[t]].region.n_argument;
	if (t == g->n_team) {
		struct maker_scope outer = g->in;
		for (int a = 0; a < n; a++)
			type[a] = maker_type(g, lt__opcode(LT_OPCODE_argument)->types);
		g->in = (struct maker_scope){ .base = -1 };
		g->team[g->n_team++] = make_team(g, n, type);
		g->in = outer;
	}
	for (int a = 0; a < n; a++)
		handed[a] = maker_want(g, type[a]);
	struct lt_instruction i = maker_plain(LT_OPCODE_launch, (struct lt_value_type){ 0, 0 });
	i.operand[0] = maker_one_in(g, 2) ? maker_whole(g, maker_below(g, POINTS + 1))
		: maker_mod(g, i64, POINTS + 1);
	i.what = g->team[t];
	i.first_extra = lt__build_extras(&g->b, handed, n);
	i.n_extra = n;
	(void)maker_make(g, i);
}

static void make_operators(struct kernel_maker *g)
{
	static const struct lt_op some[] = {
		{ .name = "mish", .source = "($0 < 0 ? -$0 : \"x\"[0] == 'x' ? $0 : 0)", .arity = 1, .out = LT_F32,
			.in = { LT_F32 } },
		{ .name = "halve-both", .source = "half_of($0)\n\t+ half_of($1)", .arity = 2, .out = LT_F64,
			.in = { LT_F64, LT_I32 }, .identity = 7 },
	};
	if (!(g->flags & RANDOM_KERNEL_TEXT))
		return;
	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		(void)lt__build_op(&g->b, &some[i]);
	g->b.prelude = "static inline double half_of(double x)\n{\n\treturn x / 2;\n}\n";
}

/* Two outermost nests that go by one param, through other buffers each. */
static void make_nests(struct kernel_maker *g)
{
	static const struct lt_value_type i64 = { LT_I64, 1 };
	const int32_t param = lt__build_numbered(&g->b, LT_OPCODE_param, LT_I64, maker_below(g, g->b.n_param));
	for (int nest = 0; nest < 2; nest++) {
		struct lt_instruction i = maker_plain(LT_OPCODE_load, (struct lt_value_type){ LT_F32, 1 });
		const int32_t to = g->n_input + nest;
		int32_t at = param, loop;
		for (int n = 0; n < 2; n++) {
			loop = lt__build_loop(&g->b, maker_whole(g, 0), maker_whole(g, 1 + maker_below(g, 5)), 1, -1);
			at = maker_two(g, LT_OPCODE_add, i64, at, loop);
		}
		i.what = nest;
		i.dtype = (uint8_t)g->b.buffer[nest].dtype;
		i.operand[0] = at;
		i.number = 2 + maker_below(g, 8);
		i.stride = 1;
		int32_t value = maker_make(g, i);
		if (g->b.buffer[to].dtype != i.dtype)
			value = maker_two(g, LT_OPCODE_cast, (struct lt_value_type){ g->b.buffer[to].dtype, 1 }, value, -1);
		lt__build_store(&g->b, to, at, 2 + maker_below(g, 8), value);
		lt__build_end(&g->b);
		lt__build_end(&g->b);
	}
}

static void make_program(struct kernel_maker *g)
{
	lt__builder_begin(&g->b);
	g->b.name = "random_kernel";
	g->in.base = -1;
	g->left = 60 + maker_below(g, 300);
	maker_buffers(g);
	make_operators(g);
	if (g->flags & RANDOM_KERNEL_GRID) {
		maker_grids(g);
	} else {
		maker_write_work(g);
		maker_statements(g, 40);
		make_launch(g);
		make_nests(g);
	}
	for (int32_t r = 0; r < g->b.n_region; r++)
		for (int32_t i = 0; i < g->b.region[r].n; i++)
			if (g->b.region[r].at[i].opcode == LT_OPCODE_store)
				g->b.buffer[g->b.region[r].at[i].what].written = 1;
}

struct lt_kernel *random_kernel(uint64_t seed, unsigned flags)
{
	struct kernel_maker *g = calloc(1, sizeof *g);
	struct lt_kernel *k = NULL;
	if (g && !setjmp(g->b.pool.jump)) {
		g->state = seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
		g->flags = flags;
		make_program(g);
		k = lt__builder_end(&g->b);
	} else if (g) {
		lt__builder_free(&g->b);
	}
	free(g);
	return k;
}
