/* tests/random_kernel.c -- random kernel programs: memory, variables, blocks, teams (random_kernel_maker.h). */
#include <stdlib.h>
#include <string.h>
#include "tests/random_kernel_maker.h"

/* Buffers that may be read, and written, here; those of teams have a part for each point. */
static int32_t choose_buffer(struct kernel_maker *g, bool store)
{
	int written = g->n_output + g->n_work, first = g->n_input, all = first + written;
	if (g->in.n_array && maker_one_in(g, 4))
		return g->in.array[maker_below(g, g->in.n_array)];
	if (g->in.has_thread && maker_one_in(g, 4))
		return all + maker_below(g, g->n_thread);
	if (g->in.base < 0 && maker_one_in(g, 8))
		return all + g->n_thread + maker_below(g, 2);         /* those that overlap */
	return store ? first + maker_below(g, written) : maker_below(g, all);
}

static uint32_t part_of(const struct kernel_maker *g, int32_t buffer)
{
	return buffer < MAX_PARTED ? g->part[buffer] : 0;
}

/* A part of an array at a constant place; sometimes masked. */
static void address_part(struct kernel_maker *g, struct lt_instruction *i, uint32_t lanes)
{
	i->number = (int64_t)lanes * maker_below(g, (int)(g->b.buffer[i->what].elems / lanes));
	i->stride = 1;
	if (maker_one_in(g, 2)) {
		i->operand[0] = maker_whole(g, i->number - 7);
		i->number = 7;
	}
	if (maker_one_in(g, 4))
		i->operand[2] = maker_want(g, (struct lt_value_type){ LT_LANE_MASK, lanes });
}

static void make_store(struct kernel_maker *);

/* Rows of a square tile that is read across: all of its loads, stores in between. */
static void make_tile(struct kernel_maker *g)
{
	static const struct lt_value_type i64 = { LT_I64, 1 };
	int n = 2 << maker_below(g, 2), apart = maker_one_in(g, 2) ? n : n + 1 + maker_below(g, 4);
	int32_t buffer = maker_below(g, g->n_input), from = -1;
	if (maker_one_in(g, 3) && g->in.base < 0)
		buffer = g->n_input + g->n_output + maker_below(g, g->n_work);
	if (maker_one_in(g, 2))
		from = maker_mod(g, i64, READ_ELEMS - apart * n);
	for (int u = 0; u < n; u++) {
		struct lt_instruction i = maker_plain(LT_OPCODE_load,
			(struct lt_value_type){ g->b.buffer[buffer].dtype, (uint32_t)n });
		i.what = buffer;
		i.operand[0] = from;
		i.number = u;
		i.stride = apart;
		(void)maker_pooled(g, maker_make(g, i), -1);
		if (maker_one_in(g, 4))
			maker_value(g);
		if (maker_one_in(g, 12))
			make_store(g);
	}
}

/* The members of an access that is inside its buffer, or its point's part of it. */
static void address(struct kernel_maker *g, struct lt_instruction *i, uint32_t lanes, bool store)
{
	static const struct lt_value_type i64 = { LT_I64, 1 };
	const struct lt_kernel_buffer *b = &g->b.buffer[i->what];
	bool shared = g->in.base >= 0 && i->what >= g->n_input
		&& (b->space == LT_SPACE_SLOT || b->space == LT_SPACE_WORKSPACE);
	int64_t room = shared ? PART : b->elems, span, added = 0;
	i->stride = lanes == 1 ? 1 : maker_one_in(g, 2) ? 1 : store ? 1 + maker_below(g, 2) : maker_below(g, 3);
	if ((lanes - 1) * i->stride >= room)
		i->stride = 1;
	span = room - (int64_t)(lanes - 1) * i->stride;
	if (lanes > 1 && lanes <= room && maker_one_in(g, 4)) {       /* each at an index of its own, all different */
		struct lt_value_type many = { LT_I64, lanes };
		int32_t lane = maker_make(g, maker_plain(LT_OPCODE_lane, many)), start = maker_want(g, i64);
		start = maker_two(g, LT_OPCODE_splat, many, start, -1);
		start = maker_two(g, LT_OPCODE_add, many, lane, start);
		i->operand[1] = maker_two(g, LT_OPCODE_mod, many, start, maker_constant(g, many, (uint64_t)room));
		i->stride = 1;
		span = 1;
	}
	if (!shared && maker_one_in(g, 5)) {
		i->number = maker_below(g, (int)span);
	} else {
		int64_t most = 1 + maker_below(g, (int)span);
		added = maker_below(g, (int)(span - most + 1));
		i->operand[0] = maker_mod(g, i64, (int)most);
		i->number = added;
		if (maker_one_in(g, 4)) {
			i->operand[0] = maker_two(g, LT_OPCODE_add, i64, i->operand[0], maker_whole(g, 5 + added));
			i->number = -5;
		}
		if (shared)
			i->operand[0] = maker_two(g, LT_OPCODE_add, i64, i->operand[0], g->in.base);
	}
	if (maker_one_in(g, 3))
		i->operand[2] = maker_want(g, (struct lt_value_type){ LT_LANE_MASK, lanes });
}

static void make_load(struct kernel_maker *g)
{
	int32_t buffer = choose_buffer(g, false);
	uint32_t part = part_of(g, buffer);
	struct lt_instruction i = maker_plain(LT_OPCODE_load,
		(struct lt_value_type){ g->b.buffer[buffer].dtype, part ? part : maker_lanes(g) });
	i.what = buffer;
	if (part)
		address_part(g, &i, part);
	else
		address(g, &i, i.lanes, false);
	(void)maker_pooled(g, maker_make(g, i), -1);
}

static void make_store(struct kernel_maker *g)
{
	int32_t buffer = choose_buffer(g, true);
	uint32_t part = part_of(g, buffer), lanes = part ? part : maker_lanes(g);
	struct lt_instruction i = maker_plain(LT_OPCODE_store, (struct lt_value_type){ 0, 0 });
	i.what = buffer;
	i.operand[3] = maker_want(g, (struct lt_value_type){ g->b.buffer[buffer].dtype, lanes });
	if (part)
		address_part(g, &i, lanes);
	else
		address(g, &i, lanes, true);
	i.flags = maker_one_in(g, 8) ? LT_INSTRUCTION_STREAM : 0;
	(void)maker_make(g, i);
}

static void make_prefetch(struct kernel_maker *g)
{
	struct lt_instruction i = maker_plain(LT_OPCODE_prefetch, (struct lt_value_type){ 0, 0 });
	i.what = choose_buffer(g, false);
	address(g, &i, 1, false);
	(void)maker_make(g, i);
}

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

/* Every element has a value from here on. */
static void write_all(struct kernel_maker *g, int32_t buffer)
{
	const struct lt_kernel_buffer *b = &g->b.buffer[buffer];
	int32_t from = maker_whole(g, 0), to = maker_whole(g, b->elems);
	int32_t loop = lt__build_loop(&g->b, from, to, 1, -1);
	int32_t value = b->dtype == LT_I64 ? loop
		: maker_two(g, LT_OPCODE_cast, (struct lt_value_type){ b->dtype, 1 }, loop, -1);
	lt__build_store(&g->b, buffer, loop, 0, value);
	lt__build_end(&g->b);
}

/* part = operator(part, x) */
static void maker_accumulate(struct kernel_maker *g, int32_t array)
{
	uint32_t lanes = g->part[array], dtype = g->b.buffer[array].dtype;
	struct lt_instruction i = maker_plain(LT_OPCODE_load, (struct lt_value_type){ dtype, lanes });
	if (!(maker_foldable >> dtype & 1))
		return;
	i.what = array;
	i.stride = 1;
	i.number = (int64_t)lanes * maker_below(g, (int)(g->b.buffer[array].elems / lanes));
	int32_t x = maker_want(g, (struct lt_value_type){ dtype, lanes }), old = maker_make(g, i);
	bool second = maker_one_in(g, 2);
	int opcode = maker_folding(g, dtype);
	int32_t made = maker_two(g, opcode, (struct lt_value_type){ dtype, lanes }, second ? x : old, second ? old : x);
	struct lt_instruction st = maker_plain(LT_OPCODE_store, (struct lt_value_type){ 0, 0 });
	st.what = array;
	st.stride = 1;
	st.number = i.number;
	st.operand[3] = made;
	(void)maker_make(g, st);
}

/* The same, by constant places. */
static void write_parts(struct kernel_maker *g, int32_t array)
{
	uint32_t lanes = g->flags & RANDOM_KERNEL_LANES ? 1u << maker_below(g, 4) : 1;
	g->part[array] = (uint8_t)lanes;
	for (int64_t e = 0; e + lanes <= g->b.buffer[array].elems; e += lanes) {
		struct lt_instruction i = maker_plain(LT_OPCODE_store, (struct lt_value_type){ 0, 0 });
		i.what = array;
		i.number = e;
		i.stride = 1;
		i.operand[3] = maker_want(g, (struct lt_value_type){ g->b.buffer[array].dtype, lanes });
		(void)maker_make(g, i);
	}
	if (maker_one_in(g, 2))         /* the sum of what was there and something else */
		for (int n = maker_below(g, 4); n > 0; n--)
			maker_accumulate(g, array);
}

static void begin_array(struct kernel_maker *g)
{
	if (g->in.n_array == MAX_SCOPE)
		return;
	uint32_t dtype = (uint32_t)(1 + maker_below(g, LT_NDTYPE - 1));
	int32_t array = lt__build_buffer(&g->b, &(struct lt_kernel_buffer){ .name = "local", .dtype = dtype,
		.space = LT_SPACE_ARRAY, .elems = 16 + maker_below(g, 20), .align = 64, .slot = -1,
		.exclusive = (uint8_t)maker_below(g, 2), .origin = -1 });
	lt__build_begins(&g->b, LT_OPCODE_array, array);
	if (g->flags & RANDOM_KERNEL_STEPS && array < MAX_PARTED && maker_one_in(g, 2))
		write_parts(g, array);
	else
		write_all(g, array);
	g->in.array[g->in.n_array++] = array;
}

static void make_statements(struct kernel_maker *, int n);

static void make_block(struct kernel_maker *g, int n)
{
	int n_pool = g->in.n_pool, n_variable = g->in.n_variable, n_array = g->in.n_array;
	g->in.depth++;
	make_statements(g, n);
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
	case 3: make_load(g); break;
	case 4:
	case 5:
	case 6: make_store(g); break;
	case 7:
	case 8: use_variable(g); break;
	case 9: begin_variable(g); break;
	case 10:
		begin_array(g);
		if (g->flags & RANDOM_KERNEL_STEPS)
			begin_array(g);
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
		make_prefetch(g);
		if (g->flags & RANDOM_KERNEL_STEPS && g->flags & RANDOM_KERNEL_LANES)
			make_tile(g);
		break;
	case 16: make_fault(g); break;
	case 17: make_text(g); break;
	case 18: maker_fold(g); break;
	case 19: maker_shuffle(g); break;
	case 22: maker_each(g); break;
	case 20:
		if (g->in.base < 0 && g->in.depth < 2)
			make_launch(g);
		break;
	case 21:
		(void)maker_pooled(g, lt__build_numbered(&g->b, LT_OPCODE_param, LT_I64, maker_below(g, g->b.n_param)), -1);
		break;
	default: maker_value(g); break;
	}
}

static void make_statements(struct kernel_maker *g, int n)
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
		write_all(g, g->n_input + g->n_output + g->n_work + t);
	g->in.has_thread = g->n_thread > 0;
	g->in.depth = 1;
	make_statements(g, 10 + maker_below(g, 20));
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

static void add_buffer(struct kernel_maker *g, const char *name, uint32_t dtype, enum lt_space space, int64_t elems)
{
	struct lt_kernel_buffer x = { .name = name, .dtype = dtype, .space = space, .elems = elems, .align = 64, .slot = -1,
		.exclusive = 1, .origin = maker_one_in(g, 2) ? maker_below(g, 9) : -1 };
	int64_t bytes = (elems * (int64_t)lt__kernel_element_bytes(dtype) + 63) / 64 * 64;
	int64_t *total = space == LT_SPACE_WORKSPACE ? &g->b.workspace_bytes : &g->b.thread_bytes;
	if (space == LT_SPACE_SLOT) {
		x.slot = g->b.n_slot++;
	} else {
		x.offset = *total;
		*total += bytes;
	}
	(void)lt__build_buffer(&g->b, &x);
}

static uint32_t random_element(struct kernel_maker *g) { return (uint32_t)(1 + maker_below(g, LT_NDTYPE - 1)); }

static void make_buffers(struct kernel_maker *g)
{
	g->n_input = 2 + maker_below(g, 4);
	g->n_output = 2 + maker_below(g, 4);
	g->n_work = 1 + maker_below(g, 2);
	g->n_thread = maker_below(g, 3);
	for (int i = 0; i < g->n_input; i++)
		add_buffer(g, "in", i ? random_element(g) : LT_F32, LT_SPACE_SLOT, READ_ELEMS);
	for (int i = 0; i < g->n_output; i++)
		add_buffer(g, "out", i ? random_element(g) : LT_F32, LT_SPACE_SLOT, POINTS * PART);
	for (int i = 0; i < g->n_work; i++)
		add_buffer(g, "work", random_element(g), LT_SPACE_WORKSPACE, POINTS * PART);
	for (int i = 0; i < g->n_thread; i++)
		add_buffer(g, "part", random_element(g), LT_SPACE_THREAD, 30);
	uint32_t dtype = random_element(g);
	add_buffer(g, "low", dtype, LT_SPACE_WORKSPACE, 64);
	add_buffer(g, "high", dtype, LT_SPACE_WORKSPACE, 64);
	struct lt_kernel_buffer *low = &g->b.buffer[g->b.n_buffer - 2];
	low[0].exclusive = low[1].exclusive = 0;
	low[1].offset = low[0].offset + (maker_one_in(g, 2) ? 64 : 0);
	add_buffer(g, "params", LT_I64, LT_SPACE_SLOT, 4);
	for (int i = 0; i < 2; i++)
		(void)lt__build_param(&g->b, &(struct lt_kernel_param){ i ? "pos" : "odd name'", g->b.n_buffer - 1, i, -2, 9 });
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

static void make_program(struct kernel_maker *g)
{
	lt__builder_begin(&g->b);
	g->b.name = "random_kernel";
	g->in.base = -1;
	g->left = 60 + maker_below(g, 300);
	make_buffers(g);
	make_operators(g);
	for (int i = 0; i < g->n_work; i++)
		write_all(g, g->n_input + g->n_output + i);
	for (int i = 0; i < 2; i++)
		write_all(g, g->n_input + g->n_output + g->n_work + g->n_thread + i);
	make_statements(g, 40);
	make_launch(g);
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
