/* random_kernel_buffer.c -- buffers of random kernel programs, and accesses to them (random_kernel_maker.h). */
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

/* The members of an access that is inside its buffer, or its point's part of it. */
static void address(struct kernel_maker *g, struct lt_instruction *i, uint32_t lanes, bool store)
{
	static const struct lt_value_type i64 = { LT_I64, 1 };
	const struct lt_kernel_buffer *b = &g->b.buffer[i->what];
	bool shared = g->in.base >= 0 && i->what >= g->n_input
		&& (b->space == LT_SPACE_SLOT || b->space == LT_SPACE_WORKSPACE);
	int64_t elems = shared ? PART : b->elems, span, added = 0;
	i->stride = lanes == 1 ? 1 : maker_one_in(g, 2) ? 1 : store ? 1 + maker_below(g, 2) : maker_below(g, 3);
	if ((lanes - 1) * i->stride >= elems)
		i->stride = 1;
	span = elems - (int64_t)(lanes - 1) * i->stride;
	/* Where a grid has lanes side by side, they begin at a multiple: here none do that could be anywhere. */
	bool apart = g->flags & RANDOM_KERNEL_GRID && i->stride == 1;
	if (lanes > 1 && lanes <= elems && (apart || maker_one_in(g, 4))) {     /* at indices that are all different */
		struct lt_value_type many = { LT_I64, lanes };
		int32_t lane = maker_make(g, maker_plain(LT_OPCODE_lane, many)), start = maker_want(g, i64);
		start = maker_two(g, LT_OPCODE_splat, many, start, -1);
		start = maker_two(g, LT_OPCODE_add, many, lane, start);
		i->operand[1] = maker_two(g, LT_OPCODE_mod, many, start, maker_constant(g, many, (uint64_t)elems));
		i->stride = 1;
		span = 1;
	}
	if (!shared && maker_one_in(g, 5)) {
		i->number = maker_below(g, (int)span);
	} else {
		int64_t below = 1 + maker_below(g, (int)span);
		added = maker_below(g, (int)(span - below + 1));
		i->operand[0] = maker_mod(g, i64, (int)below);
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

void maker_load(struct kernel_maker *g)
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

void maker_store(struct kernel_maker *g)
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

void maker_prefetch(struct kernel_maker *g)
{
	struct lt_instruction i = maker_plain(LT_OPCODE_prefetch, (struct lt_value_type){ 0, 0 });
	i.what = choose_buffer(g, false);
	address(g, &i, 1, false);
	(void)maker_make(g, i);
}

/* Rows of a square tile that is read across: all of its loads, stores in between. */
void maker_tile(struct kernel_maker *g)
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
			maker_store(g);
	}
}

/* Every element has a value from here on. */
void maker_write_all(struct kernel_maker *g, int32_t buffer)
{
	const struct lt_kernel_buffer *b = &g->b.buffer[buffer];
	int32_t from = maker_whole(g, 0), to = maker_whole(g, b->elems);
	int32_t loop = lt__build_loop(&g->b, from, to, 1, -1);
	int32_t value = b->dtype == LT_I64 ? loop
		: maker_two(g, LT_OPCODE_cast, (struct lt_value_type){ b->dtype, 1 }, loop, -1);
	lt__build_store(&g->b, buffer, loop, 0, value);
	lt__build_end(&g->b);
}

void maker_write_work(struct kernel_maker *g)
{
	for (int i = 0; i < g->n_work; i++)
		maker_write_all(g, g->n_input + g->n_output + i);
	for (int i = 0; i < 2; i++)
		maker_write_all(g, g->n_input + g->n_output + g->n_work + g->n_thread + i);
}

/* part = operator(part, x) */
static void accumulate_part(struct kernel_maker *g, int32_t array)
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
			accumulate_part(g, array);
}

void maker_array(struct kernel_maker *g)
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
		maker_write_all(g, array);
	g->in.array[g->in.n_array++] = array;
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

void maker_buffers(struct kernel_maker *g)
{
	g->n_input = 2 + maker_below(g, 4);
	g->n_output = 2 + maker_below(g, 4);
	g->n_work = 1 + maker_below(g, 2);
	g->n_thread = g->flags & RANDOM_KERNEL_GRID ? 0 : maker_below(g, 3);
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
