/* tools/check_turns.c -- sessions that take turns in one thread, each with a tree and data of its own: what one keeps for another shows every
 * time, and not only where two threads meet.
 *
 * Each step is done by all sessions before the next one is: opened, asked, compiled, filled, run, compared; then enqueued, and waited for in
 * another order.  At last one is closed and opened anew while the others go on.
 */
#include <stdlib.h>
#include "tools/check_parts.h"

enum { N = 3, ROUNDS = 6 };
static const struct check_case kinds[N] = {
	{ .name = "chain", .group = CHECK_op, .spec = { .op = LT_OP_mul, .dtype = LT_F32, .shape = CHECK_PRIME, .neighbour = CHECK_PRODUCER } },
	{ .name = "sum", .group = CHECK_reduce, .spec = { .op = LT_OP_add, .dtype = LT_F32, .shape = CHECK_ABOVE } },
	{ .name = "difference", .group = CHECK_op, .spec = { .op = LT_OP_sub, .dtype = LT_F32, .shape = CHECK_PRIME } },
};

struct turn_side {
	struct check_device device;
	struct check_outcome out;
	struct check_work w;
	struct check_trial t;
	struct check_guarded room;
	struct check_space space;
	struct lt_slot *slot;
	struct lt_args args;
	struct lt_fault fault;
};

static bool open_side(const struct check_device *d, const struct check_case *c, uint64_t seed, struct turn_side *s)
{
	static const struct check_tree tree = { .kind = CHECK_DEFAULT };
	*s = (struct turn_side){ .w = { .device = &s->device, .out = &s->out, .seed = seed } };
	return lt__check_open_again(d, &s->device, &s->out) && !lt_context_new(&s->w.ctx) && !lt__check_graph(s->w.ctx, c, &s->w.g)
		&& lt__check_prepare(&s->w, &tree) && lt__check_trial_new(&s->w, 0, seed, &s->t);
}

static bool compile_side(struct turn_side *s)
{
	struct check_work *one = &s->w;
	return lt__check_compile(&one, 1) && !s->out.done;
}

static void close_side(struct turn_side *s)
{
	lt__check_guarded_free(&s->room);
	lt__check_trial_free(&s->w, &s->t);
	lt__check_work_free(&s->w);
	lt_graph_free(s->w.g);
	lt_context_free(s->w.ctx);
	lt__check_close(&s->device);
}

static bool side_fill(struct turn_side *s)
{
	lt__check_guarded_free(&s->room);
	lt__check_guarded_new(&s->w, 0, &s->room);
	return lt__check_guarded_fill(&s->room, s->t.data, 0xFF);
}
static bool side_run(struct turn_side *s) { return lt__check_launch(&s->room, 0x5A, 1, &s->fault); }
static bool compare(struct turn_side *s)
{
	return lt__check_guarded_stand(&s->room, s->t.data) && lt__check_compare(&s->room, s->t.judge, s->t.data, NULL);
}

/* The kernel's args stay until it is waited for.  Programs of more than one step are left out: their order is the host's. */
static bool is_single(const struct turn_side *s) { return s->w.p->plan.n_prepare == 0 && s->w.p->plan.n_run == 1 && s->w.p->plan.run[0].kind == LT_STEP_RUN; }

static bool enqueue(struct turn_side *s)
{
	int32_t nest = lt__check_nest(&s->w);
	struct check_diagnostics told;
	if (!is_single(s))
		return side_run(s);
	lt__check_diagnostics_init(&told);
	s->slot = calloc((size_t)s->w.p->nests.frozen[nest].n_bind + 1, sizeof *s->slot);
	if (!s->slot || !lt__check_space_new(&s->w, s->w.object[nest], 1, 0x5A, &s->space))
		return false;
	lt__check_guarded_slots(&s->room, nest, s->slot);
	s->args = (struct lt_args){ .size = sizeof s->args, .n_slot = (uint32_t)s->w.p->nests.frozen[nest].n_bind, .slot = s->slot,
		.workspace = s->space.device ? s->space.device : s->space.at, .n_thread = 1, .async = 1, .fault = &s->fault };
	lt_status st = s->device.backend->run(s->w.object[nest], &s->args, &told.diag);
	return !st || lt__check_end(&s->out, CHECK_FAILED, "a run that is only enqueued: %s: %s", lt_status_name(st), told.text);
}

static bool wait(struct turn_side *s)
{
	struct check_diagnostics told;
	lt__check_diagnostics_init(&told);
	lt_status st = s->device.backend->sync(s->device.session, NULL, &told.diag);
	bool good = lt__check_space_end(&s->w, &s->space) && (!st || lt__check_end(&s->out, CHECK_FAILED, "sync: %s: %s", lt_status_name(st), told.text));
	free(s->slot);
	s->slot = NULL;
	return good;
}

/* One step by all; first: who begins. */
static bool each(struct turn_side *side, int first, bool (*step)(struct turn_side *))
{
	for (int i = 0; i < N; i++)
		if (!step(&side[(first + i) % N]))
			return false;
	return true;
}

static bool take_turns(const struct check_device *d, uint64_t seed, struct turn_side *side)
{
	for (int i = 0; i < N; i++)
		if (!open_side(d, &kinds[i], seed + (uint64_t)i, &side[i]))
			return false;
	bool good = each(side, 1, compile_side);
	for (int i = 0; good && i < ROUNDS; i++) {
		good = each(side, i, side_fill) && each(side, i + 1, i < ROUNDS / 2 ? side_run : enqueue);
		for (int k = 0; i >= ROUNDS / 2 && k < N; k++)
			good = wait(&side[(2 * i + N - k) % N]) && good;
		good = good && each(side, i + 2, compare);
	}
	for (int i = 0; good && i < N; i++) {           /* one leaves, another comes */
		close_side(&side[i]);
		good = open_side(d, &kinds[i], seed + 10 + (uint64_t)i, &side[i]) && compile_side(&side[i]) && each(side, i, side_fill)
			&& each(side, i, side_run) && each(side, i + 1, compare);
	}
	return good;
}

void lt__check_threads_turns(struct check_device *d, const struct check_case *clause, struct check_outcome *out)
{
	struct turn_side side[N] = { { .fault = { .n = 0 } } };
	(void)take_turns(d, clause->seed, side);
	for (int i = 0; i < N; i++) {
		if (side[i].out.done && side[i].out.status == CHECK_FAILED)
			(void)lt__check_end(out, CHECK_FAILED, "kernel %s in session %d of %d that take turns: %s", kinds[i].name, i + 1, N, side[i].out.text);
		else if (side[i].out.done && side[i].out.status == CHECK_REFUSED)
			(void)lt__check_end(out, CHECK_REFUSED, "%s", side[i].out.text);
		close_side(&side[i]);
	}
}
