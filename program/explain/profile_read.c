/* profile_read.c -- what the clock's readings say: facts of each step, their times, spans by lane. */
#include <string.h>
#include "base/names.h"
#include "ir/op/op.h"
#include "looptree/count/count.h"
#include "program/nest/nest.h"
#include "program/explain/parts.h"

struct profile_facts { struct lt_instance *r; struct lt_arena *scratch; };

/* -- what a step is: made once -- */

static const char *profile_storage(const struct lt_program *p, struct lt_arena *a, int32_t storage)
{
	const struct lt_storage *s = &p->nests.assigned.storage[storage];
	return s->binding < 0 ? lt__space_word(s->space)
		: lt__arena_format(a, "%s '%s'", lt__space_word(s->space), lt__storage_name(p, s));
}

static void profile_kernel(const struct lt_program *p, struct lt_arena *a, int32_t nest, struct lt_profile_step *out)
{
	const struct lt_frozen *f = &p->nests.frozen[nest];
	out->name = f->tree.name;
	out->n_node = lt__kernel_nodes(p, a, f, &out->node);
	if (out->kind != LT_PROFILE_KERNEL)
		return;
	const struct lt_built *k = &p->kernels.at[p->kernels.of[nest]];
	out->backend = p->backends.at[k->opened].backend->name;
	out->same_as = k->frozen == f ? NULL : k->frozen->tree.name;
}

static void profile_fact(const struct lt_program *p, struct lt_arena *a, int32_t i, int32_t n_thread_lane,
	struct lt_profile_step *out)
{
	static const enum lt_profile_kind kinds[] = { [LT_STEP_RUN] = LT_PROFILE_KERNEL, [LT_STEP_BLOCKS] = LT_PROFILE_BLOCKS,
		[LT_STEP_COPY] = LT_PROFILE_COPY, [LT_STEP_MOVE] = LT_PROFILE_MOVE };
	const struct lt_pstep *s = &p->plan.run[i];
	const int32_t memory = lt__profile_memory(s);
	*out = (struct lt_profile_step){ .size = sizeof *out, .kind = kinds[s->kind],
		.backend = memory ? p->backends.at[p->memories.at[memory].opened].backend->name : "host",
		.lane = memory ? n_thread_lane + memory - 1 : 0,
		.way = s->kind != LT_STEP_MOVE ? LT_PROFILE_STAYS : !s->from_memory ? LT_PROFILE_SENT
			: !s->memory ? LT_PROFILE_BROUGHT : LT_PROFILE_BETWEEN };
	if (s->kind == LT_STEP_RUN || s->kind == LT_STEP_BLOCKS)
		profile_kernel(p, a, s->nest, out);
	else
		out->name = profile_storage(p, a, s->to);
}

static lt_status profile_facts_make(void *arg)
{
	struct lt_instance *r = ((struct profile_facts *)arg)->r;
	const struct lt_program *p = r->program;
	struct lt_profiler *x = r->profiler;
	struct lt_profile_step *fact = LT_NEW(r->arena, struct lt_profile_step, p->plan.n_run + 1);
	x->lane = LT_NEW(r->arena, const char *, (int64_t)x->n_thread_lane + p->memories.n + 1);
	for (int32_t i = 0; i < x->n_thread_lane; i++)
		x->lane[i] = lt__arena_format(r->arena, "thread %d", (int)i);
	for (int32_t m = 1; m < p->memories.n; m++) {
		const struct lt_opened *c = &p->backends.at[p->memories.at[m].opened];
		x->lane[x->n_thread_lane + m - 1] = lt__arena_format(r->arena, "device of %s", c->backend->name);
	}
	for (int32_t i = 0; i < p->plan.n_run; i++)
		profile_fact(p, r->arena, i, x->n_thread_lane, &fact[i]);
	x->fact = fact;
	return LT_OK;
}

/* -- work, by the extents of the run -- */

static int64_t profile_useful(const struct lt_program *p, struct lt_arena *a, const struct lt_frozen *f,
	const bool *useful, const int64_t *extent, bool *counted)
{
	const struct lt_graph *g = p->tree->graph;
	int64_t sum = 0;
	for (uint32_t i = 0; i < f->tree.stmts.n; i++) {
		const lt_node n = f->node[i];
		if (n < 0 || counted[n] || !useful[n] || !lt__op_counts(g->node[n].op))
			continue;
		counted[n] = true;
		sum = lt__add_sat(sum, lt__node_operations(g, a, n, extent));
	}
	return sum;
}

static lt_status profile_work(void *arg)
{
	const struct profile_facts *facts = arg;
	const struct lt_instance *r = facts->r;
	const struct lt_program *p = r->program;
	const bool *useful = lt__useful_leaves(p->tree, facts->scratch);
	bool *counted = LT_NEW(facts->scratch, bool, p->tree->graph->n_node + 1);
	for (int32_t i = 0; i < p->plan.n_run; i++) {
		const struct lt_pstep *s = &p->plan.run[i];
		struct lt_profile_step *out = &r->profiler->fact[i];
		struct lt_counted c = { 0 };
		lt__count_step(p, s, r->param, facts->scratch, &c);
		out->executed = c.executed;
		out->bytes = c.bytes;
		out->useful = s->kind != LT_STEP_RUN ? 0
			: profile_useful(p, facts->scratch, &p->nests.frozen[s->nest], useful, r->extent, counted);
	}
	return LT_OK;
}

static lt_status profile_make(struct lt_instance *r)
{
	struct profile_facts f = { .r = r };
	if (!r->profiler->fact)
		LT_TRY(lt__protect(&r->ctx, profile_facts_make, &f));
	else if (r->program->tree->graph->n_param == 0)
		return LT_OK;                   /* they are as before */
	LT_TRY(lt__arena_new(&r->ctx, &f.scratch));
	lt_status st = lt__protect(&r->ctx, profile_work, &f);
	lt__arena_free(f.scratch);
	return st;
}

/* -- times -- */

static int32_t profile_threads(const struct profiled_step *s)
{
	int32_t n = 0;
	for (size_t i = 0; i < sizeof s->threads / sizeof *s->threads; i++)
		n += __builtin_popcountll(s->threads[i]);
	return n ? n : 1;
}

static void profile_host_step(const struct profiled_step *s, struct lt_profile_step *out)
{
	const int64_t alone = s->host_ns - s->team_ns;
	out->ns = s->host_ns;
	out->clock = LT_PROFILE_HOST;
	out->n_team = s->n_team;
	out->n_thread = profile_threads(s);
	out->busy_ns = s->busy_ns + (alone > 0 ? alone : 0);
}

/* The lane's clock begins where the host enqueued its first step. */
static lt_status profile_device_step(struct lt_instance *r, int32_t i, const int32_t *first_of)
{
	const struct lt_program *p = r->program;
	struct lt_profiler *x = r->profiler;
	const int32_t memory = lt__profile_memory(&p->plan.run[i]), first = first_of[memory];
	const struct lt_opened *c = &p->backends.at[p->memories.at[memory].opened];
	struct lt_profile_step *out = &x->fact[i];
	int64_t since = 0;
	out->clock = LT_PROFILE_DEVICE;
	out->busy_ns = out->n_thread = out->n_team = 0;
	LT_TRY(lt__event_between(&r->ctx, c, "a kernel", x->event[2 * i], x->event[2 * i + 1], &out->ns));
	LT_TRY(lt__event_between(&r->ctx, c, "a kernel", x->event[2 * first], x->event[2 * i], &since));
	if (x->n_span < x->cap_span)
		x->span[x->n_span++] = (struct lt_profile_span){ i, out->lane, x->step[first].begin_ns + since, out->ns };
	else
		x->n_dropped++;
	return LT_OK;
}

static lt_status profile_times(struct lt_instance *r)
{
	const struct lt_program *p = r->program;
	struct lt_profiler *x = r->profiler;
	int32_t first_of[64];
	for (int32_t m = 0; m < 64; m++)
		first_of[m] = -1;
	for (int32_t i = 0; i < p->plan.n_run; i++) {
		const int32_t memory = lt__profile_memory(&p->plan.run[i]);
		if (!x->step[i].recorded || memory >= 64) {
			profile_host_step(&x->step[i], &x->fact[i]);
			continue;
		}
		first_of[memory] = first_of[memory] < 0 ? i : first_of[memory];
		LT_TRY(profile_device_step(r, i, first_of));
	}
	return LT_OK;
}

static void profile_whole(struct lt_instance *r)
{
	struct lt_profiler *x = r->profiler;
	int64_t in_steps = 0;
	for (int32_t i = 0; i < r->program->plan.n_run; i++)
		in_steps += x->fact[i].clock == LT_PROFILE_HOST ? x->step[i].host_ns : 0;
	const int64_t between = x->launched_ns - x->ready_ns - in_steps;
	x->out = (struct lt_profile){ .size = sizeof x->out, .n_step = (uint32_t)r->program->plan.n_run,
		.n_span = (uint32_t)x->n_span, .n_lane = (uint32_t)(x->n_thread_lane + r->program->memories.n - 1),
		.step = x->fact, .span = x->span, .lane = x->lane, .n_dropped = x->n_dropped, .begin_ns = x->begin_ns,
		.run_ns = x->end_ns - x->begin_ns, .check_ns = x->ready_ns - x->begin_ns, .launch_ns = between,
		.wait_ns = x->end_ns - x->launched_ns, .n_stamp = x->n_stamp, .stamp_ps = x->stamp_ps };
}

lt_status lt_instance_profile(struct lt_instance *r, const struct lt_profile **out)
{
	*out = NULL;
	if (!r->ready)
		return r->ctx.code;
	if (!r->profiler)
		return lt_fail(&r->ctx, LT_EINVAL, "the program was compiled without lt_options.profile: its runs take no times");
	if (!r->profiler->ran)
		return lt_fail(&r->ctx, LT_EINVAL, "there is no run to give the times of");
	LT_TRY(lt_instance_wait(r));
	r->profiler->n_span = r->profiler->n_host_span;
	LT_TRY(profile_make(r));
	LT_TRY(profile_times(r));
	profile_whole(r);
	*out = &r->profiler->out;
	return LT_OK;
}
