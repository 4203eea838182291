/* meet.c -- threads of a block that have come to where they meet: barriers, exchanges, matrix
 * instructions.  Who is there goes on as soon as all are. */
#include <string.h>
#include "kernel/simulate/part.h"

/* The instruction at which a subgroup waits as a whole; -1: it does not. */
static int32_t waits_at(const struct simulation *s, int32_t subgroup)
{
	const struct simulate_grid *g = s->grid;
	const struct simulate_thread *t = &g->thread[subgroup * g->region->subgroup];
	if (t->at >= g->region->first + g->region->n)
		return -1;
	for (int32_t i = 1; i < g->region->subgroup; i++)
		if (t[i].at != t->at || t[i].iterations != t->iterations)
			return -1;
	return t->at;
}

static void go_on(struct simulation *s, int32_t subgroup)
{
	struct simulate_grid *g = s->grid;
	for (int32_t i = 0; i < g->region->subgroup; i++)
		g->thread[subgroup * g->region->subgroup + i].at++;
}

/* All members have come: each takes what another one brings. */
static void exchange(struct simulation *s, int32_t at, int32_t subgroup)
{
	struct simulate_grid *g = s->grid;
	const struct lt_instruction *x = &s->k->instructions[at];
	int32_t n = g->region->subgroup, first = subgroup * n;
	for (int32_t i = 0; i < n && !s->status; i++) {
		lt__simulate_switch(s, first + i);
		bool known = simulate_known(s, x->operand[1], 0);
		int64_t by = known ? (int64_t)simulate_lane(s, x->operand[1], 0) : 0, from = i;
		if (!known || s->defined[x->operand[0]] != simulate_all_lanes(x->lanes))
			lt__simulate_find(s, LT_SIMULATE_exchanged, at, -1, -1, "%s is undefined",
				known ? "a value that is exchanged" : "with whom a value is exchanged");
		if (x->what == LT_EXCHANGE_INDEX)
			from = by;
		else if (x->what == LT_EXCHANGE_XOR)
			from = by < 0 || by >= n ? by : i ^ by;
		else if (by >= 0 && by < n)
			from = x->what == LT_EXCHANGE_UP ? i - by : i + by;
		if ((x->what == LT_EXCHANGE_UP || x->what == LT_EXCHANGE_DOWN) && (from < 0 || from >= n))
			from = i;
		if (from < 0 || from >= n) {
			lt__simulate_find(s, LT_SIMULATE_member, at, -1, -1, "takes the value of member %lld of a subgroup that has %d",
				(long long)from, (int)n);
			from = i;
		}
		const struct simulate_thread *t = &g->thread[first + from];
		if (x->dtype == LT_LANE_MASK)
			simulate_give_mask(s, at, t->value[s->at[x->operand[0]]], t->defined[x->operand[0]]);
		for (uint32_t lane = 0; x->dtype != LT_LANE_MASK && lane < x->lanes; lane++)
			simulate_give(s, at, lane, t->value[s->at[x->operand[0]] + lane], t->defined[x->operand[0]] >> lane & 1);
	}
	go_on(s, subgroup);
}

/* The subgroups that wait at a barrier of that number: each knows from here on what all of them knew. */
static void pass_barrier(struct simulation *s, const uint8_t *there)
{
	struct simulate_grid *g = s->grid;
	int32_t n = g->n_subgroup;
	for (int32_t of = 0; of < n; of++) {
		uint32_t latest = 0;
		for (int32_t i = 0; i < n; i++)
			if (there[i] && g->clock[i * n + of] + (i == of) > latest)
				latest = g->clock[i * n + of] + (i == of);
		for (int32_t i = 0; i < n; i++)
			if (there[i])
				g->clock[i * n + of] = latest;
	}
	for (int32_t i = 0; i < n; i++)
		if (there[i])
			go_on(s, i);
}

/* Who waits at barrier `number` of the block: how many threads, at which instruction; `other`: one that is for another
 * number of them, -1: none. */
struct barrier_meeting { uint8_t there[LT_MAX_THREADS]; int64_t threads; int32_t at, other; };

static void find_waiting(const struct simulation *s, int64_t number, struct barrier_meeting *m)
{
	const struct simulate_grid *g = s->grid;
	m->threads = 0;
	m->at = m->other = -1;
	for (int32_t i = 0; i < g->n_subgroup; i++) {
		int32_t where = waits_at(s, i);
		const struct lt_instruction *x = where < 0 ? NULL : &s->k->instructions[where];
		m->there[i] = x && x->opcode == LT_OPCODE_barrier && x->what == LT_BARRIER_BLOCK && x->number == number;
		if (!m->there[i])
			continue;
		if (m->at < 0)
			m->at = where;
		else if (x->stride != s->k->instructions[m->at].stride)
			m->other = where;
		m->threads += g->region->subgroup;
	}
}

static void check_counts(struct simulation *s, const struct barrier_meeting *m)
{
	const struct lt_instruction *x = &s->k->instructions[m->at];
	char position[160];
	if (m->other >= 0) {
		lt__simulate_position_text(s, m->other, position, sizeof position);
		lt__simulate_find(s, LT_SIMULATE_barrier, m->at, -1, -1, "barrier %lld is for %lld threads here, and for %lld at %s",
			(long long)x->number, (long long)x->stride, (long long)s->k->instructions[m->other].stride, position);
	}
	if (m->threads > x->stride)
		lt__simulate_find(s, LT_SIMULATE_barrier, m->at, -1, -1, "%lld threads wait at barrier %lld, which is for %lld",
			(long long)m->threads, (long long)x->number, (long long)x->stride);
}

static int32_t meet_at_barriers(struct simulation *s)
{
	struct barrier_meeting m;
	int32_t passed = 0;
	for (int64_t number = 0; number < LT_MAX_BARRIERS && !s->status; number++) {
		find_waiting(s, number, &m);
		if (m.at < 0)
			continue;
		check_counts(s, &m);
		if (m.threads < s->k->instructions[m.at].stride)
			continue;
		pass_barrier(s, m.there);
		passed++;
	}
	return passed;
}

/* Four subgroups from one on wait at the same matrix instruction. */
static bool four_wait(const struct simulation *s, int32_t first, int32_t at)
{
	const struct simulate_grid *g = s->grid;
	for (int32_t i = 0; i < 4; i++)
		if (first + i >= g->n_subgroup || waits_at(s, first + i) != at
			|| g->thread[(first + i) * g->region->subgroup].iterations != g->thread[first * g->region->subgroup].iterations)
			return false;
	return true;
}

static int32_t meet_in_subgroup(struct simulation *s, int32_t subgroup)
{
	struct simulate_grid *g = s->grid;
	int32_t at = waits_at(s, subgroup), n = g->n_subgroup;
	const struct lt_instruction *x = at < 0 ? NULL : &s->k->instructions[at];
	if (!x)
		return 0;
	if (x->opcode == LT_OPCODE_exchange) {
		exchange(s, at, subgroup);
		return 1;
	}
	if (x->opcode == LT_OPCODE_barrier && x->what == LT_BARRIER_SUBGROUP) {
		g->clock[subgroup * n + subgroup]++;
		go_on(s, subgroup);
		return 1;
	}
	int32_t takes = x->opcode == LT_OPCODE_matrix || x->opcode == LT_OPCODE_fragment
		? s->k->matrices[x->what].threads / g->region->subgroup : 0;
	if (takes == 0 || subgroup % takes || (takes == 4 && !four_wait(s, subgroup, at)))
		return 0;
	(x->opcode == LT_OPCODE_matrix ? lt__simulate_matrix : lt__simulate_fragment)(s, at, subgroup * g->region->subgroup,
		s->k->matrices[x->what].threads);
	for (int32_t i = 0; i < takes; i++)
		go_on(s, subgroup + i);
	return 1;
}

/* Nobody can go on: who waits, and who does not come. */
static int32_t give_up(struct simulation *s)
{
	struct simulate_grid *g = s->grid;
	int32_t end = g->region->first + g->region->n, waiting = -1, away = -1, all = 0;
	for (int32_t i = 0; i < g->n_thread; i++) {
		if (g->thread[i].at < end && waiting < 0)
			waiting = i;
	}
	if (waiting < 0)
		return 0;
	for (int32_t i = 0; i < g->n_thread && away < 0; i++)
		if (g->thread[i].at != g->thread[waiting].at)
			away = i;
	lt__simulate_switch(s, waiting);
	int32_t at = g->thread[waiting].at;
	char position[160] = "its end";
	if (away >= 0 && g->thread[away].at < end)
		lt__simulate_position_text(s, g->thread[away].at, position, sizeof position);
	if (away < 0)
		lt__simulate_find(s, LT_SIMULATE_barrier, at, -1, -1, "waits for ever: too few threads come here");
	else
		lt__simulate_find(s, LT_SIMULATE_barrier, at, -1, -1, "waits for ever: thread %d has come to %s instead", (int)away,
			position);
	for (int32_t i = 0; i < g->n_thread && !s->status; i++)         /* the check is off */
		if (g->thread[i].at < end) {
			g->thread[i].at++;
			all++;
		}
	return all;
}

int32_t lt__simulate_meet(struct simulation *s)
{
	int32_t n = 0;
	for (int32_t i = 0; i < s->grid->n_subgroup && !s->status; i++)
		n += meet_in_subgroup(s, i);
	if (!s->status)
		n += meet_at_barriers(s);
	return n || s->status ? n : give_up(s);
}
