/* A run by its segments: launches of one backend that repeat with the same addresses are recorded in the second run
 * that has them and replayed by one call from then on.  What the program has in a device's memory never moves; inputs
 * and results of the caller's may.  A run on the host all of which is recorded is nothing but these calls. */
#include <string.h>
#include "program/run/parts.h"

/* On a device, where one launch is one call already, unless it is a library's, which takes the host several times as
 * long; on the host it is also checked. */
enum { MIN_LAUNCHES = 2 };

struct lt_recorder {
	const void **input;             /* of the last run */
	void **result;
	/* runs; of them those in a row, up to now, with these addresses on the host, and on the device */
	int64_t runs, same, same_device;
	struct lt_slot *slot;           /* room to record a segment, as are these */
	struct lt_args *args;
	struct lt_object **object;
	struct lt_capture **capture;    /* by segment */
	void **stream;                  /* by segment: that it was recorded for */
	bool *refused;                  /* by segment: its backend cannot record it */
	bool *slow;                     /* by segment, of the host: its last run was long enough to be asked in between */
	bool whole;                     /* all segments are recorded, on the host: the next run repeats them */
	const int64_t **param;          /* by param, then: where it is read; NULL: nowhere */
};

static bool calls_a_library(const struct lt_program *p, const struct lt_segment *s)
{
	const struct lt_pstep *step = &p->plan.run[s->first];
	if (s->n < 1 || step->kind != LT_STEP_RUN)
		return false;
	const struct lt_tree *t = &p->nests.frozen[step->nest].tree;
	for (int32_t i = 0; i < t->n_loop; i++)
		if (LT_AT(struct lt_loop, t->loops, i)->kind == LT_CALL)
			return true;
	return false;
}

static bool can_record(const struct lt_program *p, const struct lt_segment *s)
{
	const struct lt_backend *b = s->opened < 0 ? NULL : p->backends.at[s->opened].backend;
	const int32_t least = b && p->memories.of_opened[s->opened] && !calls_a_library(p, s) ? MIN_LAUNCHES : 1;
	return b && s->n >= least && LT_HAS(struct lt_backend, b, capture)
		&& LT_HAS(struct lt_backend, b, replay) && LT_HAS(struct lt_backend, b, capture_free);
}

static int32_t slots_of(const struct lt_program *p, const struct lt_segment *s)
{
	int32_t n = 0;
	for (int32_t i = 0; i < s->n; i++)
		n += p->plan.run[s->first + i].kind == LT_STEP_COPY ? 2 : p->nests.frozen[p->plan.run[s->first + i].nest].n_bind;
	return n;
}

void lt__recorder_new(struct lt_instance *r)
{
	const struct lt_program *p = r->program;
	struct lt_arena *a = r->arena;
	int32_t n_slot = 0, n_args = 0;
	for (int32_t i = 0; i < p->plan.n_segment && !p->options.no_capture && !p->options.profile; i++) {
		if (!can_record(p, &p->plan.segment[i]))
			continue;
		int32_t slots = slots_of(p, &p->plan.segment[i]);
		n_slot = slots > n_slot ? slots : n_slot;
		n_args = p->plan.segment[i].n > n_args ? p->plan.segment[i].n : n_args;
	}
	if (n_args == 0)
		return;
	struct lt_recorder *x = r->recorder = LT_NEW(a, struct lt_recorder, 1);
	x->slot = LT_NEW(a, struct lt_slot, n_slot + 1);
	x->args = LT_NEW(a, struct lt_args, n_args + 1);
	x->object = LT_NEW(a, struct lt_object *, n_args + 1);
	x->capture = LT_NEW(a, struct lt_capture *, p->plan.n_segment + 1);
	x->stream = LT_NEW(a, void *, p->plan.n_segment + 1);
	x->refused = LT_NEW(a, bool, p->plan.n_segment + 1);
	x->slow = LT_NEW(a, bool, p->plan.n_segment + 1);
	x->param = LT_NEW(a, const int64_t *, p->tree->graph->n_param + 1);
	x->input = LT_NEW(a, const void *, p->bindings[LT_BINDING_INPUT].n + 1);
	x->result = LT_NEW(a, void *, p->bindings[LT_BINDING_RESULT].n + 1);
}

/* It may still be running: what that failed of is told by who waits. */
static void drop(struct lt_instance *r, int32_t segment)
{
	struct lt_capture **c = &r->recorder->capture[segment];
	const int32_t opened = r->program->plan.segment[segment].opened;
	const struct lt_opened *by = &r->program->backends.at[opened];
	if (!*c)
		return;
	lt__queue_settle(r, r->program->memories.of_opened[opened]);
	lt__lock_take(by->lock);
	by->backend->capture_free(*c);
	lt__lock_give(by->lock);
	*c = NULL;
	r->recorder->whole = false;
}

void lt__recorder_forget(struct lt_instance *r)
{
	for (int32_t i = 0; r->recorder && i < r->program->plan.n_segment; i++)
		drop(r, i);
}

void lt__recorder_free(struct lt_instance *r)
{
	lt__recorder_forget(r);
	r->recorder = NULL;
}

/* What changed, of those in the host's memory and of those on the device. */
static void changed_addresses(const struct lt_bindings *bindings, const void *const *was, const void *const *is,
	bool *host, bool *device)
{
	for (int32_t i = 0; i < bindings->n; i++)
		*(bindings->at[i].on_device ? device : host) |= was[i] != is[i];
}

/* Where addresses of the host have changed, what was recorded with them is void. */
static void record_addresses(struct lt_instance *r, const struct lt_addresses *a)
{
	struct lt_program *p = r->program;
	struct lt_recorder *x = r->recorder;
	size_t in = sizeof(void *) * (size_t)p->bindings[LT_BINDING_INPUT].n,
	       out = sizeof(void *) * (size_t)p->bindings[LT_BINDING_RESULT].n;
	bool host = x->runs == 0, device = x->runs == 0;
	changed_addresses(&p->bindings[LT_BINDING_INPUT], x->input, a->input, &host, &device);
	changed_addresses(
		&p->bindings[LT_BINDING_RESULT], (const void *const *)x->result, (const void *const *)a->result, &host, &device);
	x->runs++;
	x->same = host ? 1 : x->same + 1;
	x->same_device = device ? 1 : x->same_device + 1;
	if (!host && !device)
		return;
	if (in)
		memcpy(x->input, a->input, in);
	if (out)
		memcpy(x->result, a->result, out);
	for (int32_t i = 0; i < p->plan.n_segment; i++)
		if (p->plan.segment[i].opened >= 0 && (p->memories.of_opened[p->plan.segment[i].opened] ? device : host))
			drop(r, i);
}

/* Its launches are made one by one, as without recording; the user may ask why. */
static void report_unrecorded(const struct lt_program *p, const struct lt_opened *c, int32_t n, const char *why)
{
	char text[400];
	(void)snprintf(text, sizeof text, "backend %s: %d launches are not recorded: %s", c->backend->name, (int)n, why);
	if (p->options.log)
		p->options.log(p->options.user, LT_LOG_INFO, text);
}

static lt_status record(struct lt_instance *r, int32_t segment, const struct lt_addresses *a)
{
	struct lt_program *p = r->program;
	struct lt_recorder *x = r->recorder;
	const struct lt_segment *s = &p->plan.segment[segment];
	const struct lt_opened *c = &p->backends.at[s->opened];
	struct lt_slot *slot = x->slot;
	struct lt_diagnostics diags;
	for (int32_t i = 0; i < s->n; i++) {
		const struct lt_pstep *step = &p->plan.run[s->first + i];
		const bool copy = step->kind == LT_STEP_COPY;
		x->args[i] = copy ? lt__copy_args(p, step, a, slot) : lt__launch_args(p, step, a, slot, &r->fault[s->first + i]);
		x->args[i].fault = &r->fault[s->first + i];
		x->args[i].param = NULL;                /* other ones, in a later run */
		x->object[i] = copy ? NULL : p->kernels.at[p->kernels.of[step->nest]].object;
		slot += x->args[i].n_slot;
	}
	x->stream[segment] = x->args[0].stream;
	lt__diagnostics_init(&diags);
	lt__lock_take(c->lock);
	lt_status st = c->backend->capture(c->session, x->object, x->args, (uint32_t)s->n, &x->capture[segment], &diags.diag);
	lt__lock_give(c->lock);
	if (!st)
		return LT_OK;
	x->capture[segment] = NULL;
	x->refused[segment] = st == LT_EUNSUPPORTED;
	if (x->refused[segment])
		report_unrecorded(p, c, s->n, lt__diagnostic_reason(&diags, st, c->backend->name, "capture"));
	return x->refused[segment]
		? LT_OK
		: lt_fail(&r->ctx, st, "backend %s: recording %d launches: %s%s", c->backend->name, (int)s->n,
			lt__diagnostic_reason(&diags, st, c->backend->name, "capture"),
			st == LT_ENOMEM ? "" : "; run without recording (no_capture)");
}

static lt_status replay(struct lt_instance *r, int32_t segment, const struct lt_addresses *a)
{
	struct lt_program *p = r->program;
	const struct lt_segment *s = &p->plan.segment[segment];
	const struct lt_opened *c = &p->backends.at[s->opened];
	struct lt_fault *fault = &r->fault[s->first];
	struct lt_diagnostics diags;
	const int32_t memory = p->memories.of_opened[s->opened];
	if (memory) {
		a->queue[memory].busy = true;
		a->queue[memory].ends = false;
	} else {
		LT_TRY(lt__queue_before_host(p, a, 0, true));
	}
	const int32_t n_fault = memory || !p->has_faults ? 0 : s->n;
	for (int32_t i = 0; i < n_fault; i++)
		lt__fault_clear(&fault[i]);
	lt__diagnostics_init(&diags);
	if (!c->together)
		lt__lock_take(c->lock);
	lt_status st = c->backend->replay(r->recorder->capture[segment], &diags.diag);
	if (!c->together)
		lt__lock_give(c->lock);
	for (int32_t i = 0; i < n_fault; i++)
		if (fault[i].n > 0)
			return lt__fault_report(p, a, &p->plan.run[s->first + i], &fault[i]);
	return st ? lt_fail(&r->ctx, st, "backend %s, %d recorded launches: %s", c->backend->name, (int)s->n,
		lt__diagnostic_reason(&diags, st, c->backend->name, "replay")) : LT_OK;
}

/* Whether a run launches so few of its steps that this is faster than to replay all: a launch takes about twice as long
 * as in a replay.  What is replayed and not needed is computed, and not read. */
static bool needs_few(const struct lt_program *p, const struct lt_segment *s, const struct lt_addresses *a)
{
	int32_t n = 0;
	if (!s->varies)
		return false;
	for (int32_t i = s->first; i < s->first + s->n; i++)
		n += lt__step_needed(&p->plan.run[i], a);
	return 2 * n < s->n;
}

/* Launches one by one.  Where somebody may cancel the run, who is asked between them, those of the host that take long
 * are not recorded: a replay is one call, and what it saves is nothing to them. */
static lt_status launch_each(struct lt_instance *r, int32_t segment, const struct lt_addresses *a, bool on_host)
{
	struct lt_program *p = r->program;
	const struct lt_segment *s = &p->plan.segment[segment];
	const bool asks = r->recorder && on_host && a->ctx->cancelled;
	const int64_t begin = asks ? lt__now_ns() : 0;
	struct lt_fault fault;
	const lt_status st = lt__program_steps_run(p, &p->plan.run[s->first], s->n, a, r->slot, &fault);
	if (r->recorder)
		r->recorder->slow[segment] = asks && lt__now_ns() - begin >= LT_ASK_NS;
	return st;
}

static lt_status launch_all(struct lt_instance *r, int32_t segment, const struct lt_addresses *a)
{
	struct lt_program *p = r->program;
	const struct lt_segment *s = &p->plan.segment[segment];
	struct lt_recorder *x = r->recorder;
	const int32_t memory = p->memories.of_opened[s->opened];
	if (x && x->capture[segment] && memory && x->stream[segment] != a->queue[memory].stream)
		drop(r, segment);
	if (x && !x->capture[segment] && !x->refused[segment] && !x->slow[segment]
		&& (memory ? x->same_device : x->same) > 1 && can_record(p, s))
		LT_TRY(record(r, segment, a));
	if (x && x->capture[segment] && !needs_few(p, s, a))
		return replay(r, segment, a);
	return launch_each(r, segment, a, !memory);
}

/* The same between two events of the device, which has nothing else to do meanwhile. */
static lt_status timed_in_turn(struct lt_instance *r, int32_t segment, const struct lt_addresses *a)
{
	struct lt_program *p = r->program;
	const struct lt_opened *c = &p->backends.at[p->plan.segment[segment].opened];
	struct lt_event **e = &r->event[2 * p->plan.segment[segment].opened];
	const int32_t memory = p->memories.of_opened[p->plan.segment[segment].opened];
	void *stream = memory ? a->queue[memory].stream : NULL;
	int64_t ns = 0;
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	lt_status st = c->backend->event_record(e[0], stream, &diags.diag);
	if (!st)
		LT_TRY(launch_all(r, segment, a));
	if (!st)
		st = c->backend->event_record(e[1], stream, &diags.diag);
	if (!st)
		st = c->backend->event_ns(e[0], e[1], &ns, &diags.diag);
	p->tally.device_ns += ns;
	return st ? lt_fail(&r->ctx, st, "backend %s: timing a run: %s", c->backend->name,
		       lt__diagnostic_reason(&diags, st, c->backend->name, "event_ns"))
		  : LT_OK;
}

static lt_status launch_timed(struct lt_instance *r, int32_t segment, const struct lt_addresses *a)
{
	int32_t opened = r->program->plan.segment[segment].opened;
	struct lt_lock *turn = r->program->backends.at[opened].lock;
	if (r->unclocked || !r->event || !r->event[2 * opened])
		return launch_all(r, segment, a);
	lt__lock_take(turn);
	lt_status st = timed_in_turn(r, segment, a);
	lt__lock_give(turn);
	return st;
}

static void count_run(struct lt_instance *r, bool replayed)
{
	lt__count_up(&r->n_run, 1);
	lt__count_up(&r->n_replayed, replayed);
}

lt_status lt__instance_segments(struct lt_instance *r, const struct lt_addresses *a)
{
	struct lt_program *p = r->program;
	struct lt_fault fault;
	int32_t replayed = 0;
	if (r->recorder)
		record_addresses(r, a);
	for (int32_t i = 0; i < p->plan.n_segment; i++) {
		const struct lt_segment *s = &p->plan.segment[i];
		LT_TRY(lt__run_unwanted(a->ctx));
		LT_TRY(s->opened < 0 ? lt__program_steps_run(p, &p->plan.run[s->first], s->n, a, r->slot, &fault)
				     : launch_timed(r, i, a));
		replayed += r->recorder && r->recorder->capture[i];
	}
	count_run(r, replayed > 0);
	bool varies = false;
	for (int32_t i = 0; i < p->plan.n_segment; i++)
		varies = varies || p->plan.segment[i].varies;
	if (r->recorder && !r->recorder->whole && replayed == p->plan.n_segment && !r->device && !r->event && !varies) {
		r->recorder->whole = true;
		for (int32_t i = 0; i < p->tree->graph->n_param; i++)
			r->recorder->param[i] = lt__param_address(r, i, a);
	}
	return LT_OK;
}

bool lt__recorder_same_params(const struct lt_instance *r)
{
	for (int32_t i = 0; i < r->program->tree->graph->n_param; i++)
		if (r->recorder->param[i] && *r->recorder->param[i] != r->param[i])
			return false;
	return true;
}

bool lt__recorder_repeats(const struct lt_instance *r, const void *const *input, void *const *result)
{
	const struct lt_program *p = r->program;
	const struct lt_recorder *x = r->recorder;
	if (!x || !x->whole || r->states->newest != r || (!input && p->bindings[LT_BINDING_INPUT].n) || !result)
		return false;
	for (int32_t i = 0; i < p->bindings[LT_BINDING_INPUT].n; i++)
		if (input[i] != x->input[i])
			return false;
	for (int32_t i = 0; i < p->bindings[LT_BINDING_RESULT].n; i++)
		if (result[i] != x->result[i])
			return false;
	return true;
}

lt_status lt__recorder_repeat(struct lt_instance *r, const struct lt_addresses *a)
{
	for (int32_t i = 0; i < r->program->plan.n_segment; i++) {
		LT_TRY(lt__run_unwanted(a->ctx));
		LT_TRY(replay(r, i, a));
	}
	count_run(r, true);
	return LT_OK;
}

lt_status lt__events_new(struct lt_instance *r)
{
	struct lt_program *p = r->program;
	for (int32_t i = 0; r->event && i < 2 * p->backends.n; i++)
		if (p->kernels.used[i / 2])
			LT_TRY(lt__event_new(&r->ctx, &p->backends.at[i / 2], "runs", &r->event[i]));
	return LT_OK;
}

bool lt__instance_clocked(const struct lt_instance *r)
{
	for (int32_t i = 0; r->event && i < r->program->backends.n; i++)
		if (r->event[2 * i])
			return true;
	return r->crossing != NULL;
}

void lt__events_free(struct lt_instance *r)
{
	for (int32_t i = 0; r->event && i < 2 * r->program->backends.n; i++)
		lt__event_free(&r->program->backends.at[i / 2], r->event[i]);
}
