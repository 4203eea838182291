/* step.c -- runs the instructions of a region, one after the other, lane by lane. */
#include "kernel/simulate/part.h"

/* An integer that decides what is run; 0 where it is undefined. */
static int64_t decided(struct simulation *s, int32_t i, int32_t value, const char *what)
{
	if (simulate_known(s, value, 0))
		return (int64_t)simulate_lane(s, value, 0);
	lt__simulate_find(s, LT_SIMULATE_condition, i, -1, -1, "%s is undefined", what);
	return 0;
}

static void leave_fault(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	struct lt_fault *fault = s->args->fault;
	uint32_t lanes = s->k->instructions[x->operand[0]].lanes;
	if ((s->defined[x->operand[0]] & simulate_all_lanes(lanes)) != simulate_all_lanes(lanes))
		lt__simulate_find(s, LT_SIMULATE_faulted, i, -1, -1, "whether an index is out of range is undefined");
	for (uint32_t lane = 0; lane < lanes; lane++) {
		if (!(simulate_mask(s, x->operand[0]) >> lane & 1) || !simulate_known(s, x->operand[0], lane))
			continue;
		if (!simulate_known(s, x->operand[1], lane))
			lt__simulate_find(s, LT_SIMULATE_faulted, i, -1, -1, "the index that is out of range is undefined (lane %u)",
				(unsigned)lane);
		s->faulted = true;
		if (fault->n++ == 0)
			*fault = (struct lt_fault){ .n = fault->n, .stmt = x->origin, .access = x->what,
				.value = (int64_t)simulate_lane(s, x->operand[1], lane) };
	}
}

/* get, set, update. */
static void simulate_variable(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	const struct lt_variable *v = &s->k->variables[x->what];
	uint64_t *at = s->variable + s->variable_at[x->what], *known = &s->variable_defined[x->what];
	if (s->grid && s->grid->thread[s->grid->now].variable_flight[x->what])
		lt__simulate_find(s, LT_SIMULATE_in_flight, i, -1, -1, "variable %s is an accumulator of a matrix instruction that "
			"is in flight", v->name);
	if (v->dtype == LT_LANE_MASK) {
		if (x->opcode == LT_OPCODE_get)
			simulate_give_mask(s, i, at[0], *known);
		else if (x->opcode == LT_OPCODE_set) {
			at[0] = simulate_mask(s, x->operand[0]);
			*known = s->defined[x->operand[0]];
		} else {
			at[0] = lt__simulate_mask_value((uint32_t)x->number, at[0], simulate_mask(s, x->operand[0]));
			*known &= s->defined[x->operand[0]];
		}
		return;
	}
	for (uint32_t lane = 0; lane < v->lanes; lane++) {
		uint64_t bit = UINT64_C(1) << lane;
		if (x->opcode == LT_OPCODE_get) {
			simulate_give(s, i, lane, at[lane], *known & bit);
			continue;
		}
		uint64_t y = simulate_lane(s, x->operand[0], lane);
		bool defined = simulate_known(s, x->operand[0], lane);
		if (x->opcode == LT_OPCODE_update) {
			defined = defined && (*known & bit);
			y = defined ? lt__simulate_value((uint32_t)x->number, v->dtype, at[lane], y) : 0;
		}
		at[lane] = y;
		*known = defined ? *known | bit : *known & ~bit;
	}
}

/* A thread of a grid is in a trip of one loop more, in the next one, or behind that loop. */
static void count_trip(struct simulation *s, int more)
{
	struct simulate_thread *t = s->grid ? &s->grid->thread[s->grid->now] : NULL;
	if (!t)
		return;
	if (more > 0)
		t->trip[t->n_trip++] = (struct simulate_trip){ t->iterations, 0 };
	struct simulate_trip *p = &t->trip[t->n_trip - 1];
	p->trip++;
	t->iterations = (p->around ^ p->trip * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
	t->iterations ^= t->iterations >> 31;
	if (more < 0) {
		t->iterations = p->around;
		t->n_trip--;
	}
}

/* Where to go on behind a loop's head or an if. */
static int32_t enter(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	if (x->opcode == LT_OPCODE_if)
		return lt__simulate_lanes_on(s, i, x->operand[0], 1) ? i : x->what;
	int64_t from = decided(s, i, x->operand[0], "where a loop begins");
	int64_t to = decided(s, i, x->operand[1], "where a loop ends");
	if (x->number <= 0)
		lt__simulate_find(s, LT_SIMULATE_step, i, -1, -1, "a loop's step is %lld", (long long)x->number);
	simulate_give(s, i, 0, (uint64_t)from, true);
	if (from >= to || x->number <= 0)
		return x->what;
	if (to > INT64_MAX - x->number)
		lt__simulate_find(s, LT_SIMULATE_step, i, -1, -1, "a loop by steps of %lld ends at %lld, so that it may never end",
			(long long)x->number, (long long)to);
	count_trip(s, 1);
	return i;
}

static int32_t leave(struct simulation *s, int32_t i)
{
	int32_t head = s->k->instructions[i].what;
	const struct lt_instruction *x = &s->k->instructions[head];
	int64_t next;
	if (x->opcode != LT_OPCODE_loop)
		return i;
	if (__builtin_add_overflow((int64_t)s->value[s->at[head]], x->number, &next)
		|| next >= (int64_t)s->value[s->at[x->operand[1]]]) {
		count_trip(s, -1);
		return i;
	}
	count_trip(s, 0);
	s->value[s->at[head]] = (uint64_t)next;
	return head;
}

/* An argument is a value of the host's region. */
static void hand_over(struct simulation *s, int32_t i)
{
	int32_t from = (int32_t)s->k->extras[s->launch->first_extra + s->k->instructions[i].what];
	if (s->k->instructions[i].dtype == LT_LANE_MASK)
		simulate_give_mask(s, i, simulate_mask(s, from), s->defined[from]);
	else
		for (uint32_t lane = 0; lane < s->k->instructions[i].lanes; lane++)
			simulate_give(s, i, lane, simulate_lane(s, from, lane), simulate_known(s, from, lane));
}

/* A number that tells a thread where it is. */
static int64_t member_number(const struct simulation *s, const struct lt_instruction *x)
{
	const struct simulate_grid *g = s->grid;
	const struct lt_region *r = g->region;
	switch (x->opcode) {
	case LT_OPCODE_block: return g->block[x->what];
	case LT_OPCODE_thread:
		return x->what == 0 ? g->now % r->threads[0] : x->what == 1 ? g->now / r->threads[0] % r->threads[1]
			: g->now / r->threads[0] / r->threads[1];
	case LT_OPCODE_subgroup: return g->now / r->subgroup / x->what;
	default: return g->now % r->subgroup;
	}
}

static void machine(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	switch (x->opcode) {
	case LT_OPCODE_param: simulate_give(s, i, 0, (uint64_t)s->param[x->what], true); break;
	case LT_OPCODE_argument: hand_over(s, i); break;
	case LT_OPCODE_first: simulate_give(s, i, 0, (uint64_t)s->first, true); break;
	case LT_OPCODE_last: simulate_give(s, i, 0, (uint64_t)s->last, true); break;
	case LT_OPCODE_load: lt__simulate_load_lanes(s, i); break;
	case LT_OPCODE_store: lt__simulate_store_lanes(s, i); break;
	case LT_OPCODE_fault: leave_fault(s, i); break;
	case LT_OPCODE_get:
	case LT_OPCODE_set:
	case LT_OPCODE_update: simulate_variable(s, i); break;
	case LT_OPCODE_array: lt__simulate_undefine(&s->area[s->area_of[x->what]]); break;
	case LT_OPCODE_variable: s->variable_defined[x->what] = 0; break;
	case LT_OPCODE_prefetch: break;         /* it may be anywhere */
	case LT_OPCODE_block:
	case LT_OPCODE_thread:
	case LT_OPCODE_subgroup:
	case LT_OPCODE_member: simulate_give(s, i, 0, (uint64_t)member_number(s, x), true); break;
	case LT_OPCODE_copy_async: lt__simulate_copy(s, i); break;
	case LT_OPCODE_commit: lt__simulate_commit(s, i); break;
	case LT_OPCODE_wait: lt__simulate_wait(s, i); break;
	case LT_OPCODE_call: lt__simulate_call(s, i); break;
	default: lt__simulate_lanes(s, i); break;
	}
}

bool lt__simulate_meets(uint32_t opcode)
{
	return opcode == LT_OPCODE_barrier || opcode == LT_OPCODE_exchange || opcode == LT_OPCODE_matrix
		|| opcode == LT_OPCODE_fragment;
}

/* What a block that is more than were launched does not do. */
static bool is_beyond(struct simulation *s, int32_t i)
{
	uint32_t opcode = s->k->instructions[i].opcode;
	if (!s->grid->beyond || (!lt__simulate_meets(opcode) && opcode != LT_OPCODE_load && opcode != LT_OPCODE_store
		&& opcode != LT_OPCODE_fault && opcode != LT_OPCODE_copy_async))
		return false;
	lt__simulate_find(s, LT_SIMULATE_beyond, i, -1, -1,
		"a launch that is recorded has this block, too, which is beyond the %lld x %lld x %lld that are wanted",
		(long long)s->grid->blocks[0], (long long)s->grid->blocks[1], (long long)s->grid->blocks[2]);
	return true;
}

int32_t lt__simulate_steps(struct simulation *s, int32_t i, int32_t end)
{
	for (; i < end && !s->status; i++) {
		const struct lt_instruction *x = &s->k->instructions[i];
		bool meets = lt__simulate_meets(x->opcode);
		if (s->grid && is_beyond(s, i))
			return end;
		if (s->grid && !meets && s->grid->left >= 0 && s->grid->left-- == 0)
			return i;
		s->steps++;
		if (s->count)
			s->count->runs[i]++;
		if (meets)
			return i;
		switch (x->opcode) {
		case LT_OPCODE_loop:
		case LT_OPCODE_if: i = enter(s, i); break;
		case LT_OPCODE_else: i = x->what; break;        /* from the end of the other block */
		case LT_OPCODE_end: i = leave(s, i); break;
		case LT_OPCODE_launch:
		case LT_OPCODE_launch_grid: return i;
		case LT_OPCODE_leave:
			if (lt__simulate_lanes_on(s, i, x->operand[0], 1))
				return end;
			break;
		case LT_OPCODE_const: break;            /* since the run began */
		default: machine(s, i); break;
		}
	}
	return end;
}
