/* launch.c -- the host's region of a program for a device, run step by step: which launches there are, of
 * how many blocks, with which arguments, and which calls of routines (grid.c).  It has no memory, and values of one
 * lane.
 */
#include <stdlib.h>
#include "backends/text/text.h"
#include "backends/text/part.h"
#include "kernel/form/form.h"
#include "kernel/simulate/simulate.h"

/* A value that depends on run-time scalars whose values are not known. */
struct host_value { uint64_t bits; bool depends; };
struct host_run {
	const struct lt_kernel *k;
	const int64_t *param;
	struct lt_text_launcher *launcher;
	struct lt_diag *diag;
	struct host_value *value, *variable;
	uint64_t *argument;
	lt_status status;
};

static const struct lt_instruction *host_at(const struct host_run *h, int32_t i) { return &h->k->instructions[i]; }

static lt_status host_refuse(struct host_run *h, int32_t i, const char *what)
{
	return h->status = lt__report(h->diag, LT_EUNSUPPORTED, -1, host_at(h, i)->origin,
		"compute it in the grid, from `param`",
		"%s of '%s' in the host's region of kernel %s depends on run-time scalars, so one recorded run cannot stand for all",
		what, lt_opcode_name(host_at(h, i)->opcode), h->k->name);
}

/* What does not depend on them. */
static int64_t host_number(struct host_run *h, int32_t i, int32_t value, const char *what)
{
	if (h->value[value].depends)
		(void)host_refuse(h, i, what);
	return (int64_t)h->value[value].bits;
}

static uint64_t mask_value(uint32_t opcode, uint64_t x, uint64_t y)
{
	return opcode == LT_OPCODE_and ? x & y : opcode == LT_OPCODE_or ? x | y : opcode == LT_OPCODE_xor ? x ^ y
		: opcode == LT_OPCODE_not ? !x : x;
}

static struct host_value operated(struct host_run *h, const struct lt_instruction *x)
{
	struct host_value v[3] = { { 0 } }, r = { 0 };
	const uint32_t from = x->operand[0] >= 0 ? host_at(h, x->operand[0])->dtype : 0;
	for (int k = 0; k < 3 && x->operand[k] >= 0; k++) {
		v[k] = h->value[x->operand[k]];
		r.depends = r.depends || v[k].depends;
	}
	switch (x->opcode) {
	case LT_OPCODE_select: r.bits = v[v[0].bits & 1 ? 1 : 2].bits; break;
	case LT_OPCODE_cast:
	case LT_OPCODE_convert: r.bits = lt__simulate_cast(v[0].bits, from, x->dtype); break;
	case LT_OPCODE_bits:
	case LT_OPCODE_any:
	case LT_OPCODE_all:
	case LT_OPCODE_flag:
	case LT_OPCODE_splat: r.bits = v[0].bits; break;
	case LT_OPCODE_test: r.bits = v[0].bits != 0; break;
	case LT_OPCODE_below: r.bits = (int64_t)v[0].bits > 0; break;
	case LT_OPCODE_lane: break;
	case LT_OPCODE_shuffle: r.bits = v[h->k->extras[x->first_extra] != 0].bits; break;
	default:
		r.bits = from == LT_LANE_MASK ? mask_value(x->opcode, v[0].bits, v[1].bits)
			: lt__simulate_value(x->opcode, from, v[0].bits, v[1].bits);
		break;
	}
	return r;
}

static void launch_grid(struct host_run *h, int32_t i)
{
	const struct lt_instruction *x = host_at(h, i);
	const struct lt_region *r = &h->k->regions[x->what];
	struct lt_text_launch launch = { .region = x->what, .n_argument = x->n_extra, .argument = h->argument };
	bool any = true;
	for (int axis = 0; axis < 3; axis++) {
		const struct host_value *v = &h->value[x->operand[axis]];
		launch.blocks[axis] = v->depends ? r->blocks[axis] : (int64_t)v->bits;
		any = any && launch.blocks[axis] > 0;
		if (launch.blocks[axis] > r->blocks[axis])
			h->status = lt__report(h->diag, LT_EINVAL, -1, x->origin, "make `blocks` of the region larger",
				"kernel %s launches %lld blocks along axis %d of region %d, which has at most %lld", h->k->name,
				(long long)launch.blocks[axis], axis, (int)x->what, (long long)r->blocks[axis]);
	}
	for (int32_t e = 0; e < x->n_extra; e++)
		h->argument[e] = (uint64_t)host_number(h, i, (int32_t)h->k->extras[x->first_extra + e], "an argument");
	if (any && !h->status)
		h->status = h->launcher->launch(h->launcher, &launch);
}

static void call_routine(struct host_run *h, int32_t i)
{
	const struct lt_instruction *x = host_at(h, i);
	const struct lt_kernel_call *c = &h->k->calls[x->what];
	int64_t *number = (int64_t *)(void *)h->argument;
	bool any = true;
	if (!h->launcher->call) {
		h->status = lt__report(h->diag, LT_EUNSUPPORTED, c->origin, x->origin, "remove the call: make it serial",
			"kernel %s calls %s, and this backend calls no routines", h->k->name, c->routine);
		return;
	}
	for (int32_t e = 0; e < x->n_extra; e++)
		number[e] = host_number(h, i, (int32_t)h->k->extras[x->first_extra + e],
			e < c->n_operand || e >= c->n_operand + c->n_dim ? "where an operand begins" : "how many there are of a dim");
	for (int32_t d = 0; d < c->n_dim; d++)
		any = any && (c->n_result || number[c->n_operand + d] > 0 || c->dims[d].role == LT_DIM_DEEP);
	if (any && !h->status)
		h->status = h->launcher->call(h->launcher, &(struct lt_text_call){ c, x->what, number, number + c->n_operand });
}

/* The one behind the end of a loop or if that is left out. */
static int32_t behind(const struct host_run *h, int32_t i) { return host_at(h, i)->what + 1; }

/* Runs instruction i; which is next. */
static int32_t host_step(struct host_run *h, int32_t i)
{
	const struct lt_instruction *x = host_at(h, i);
	struct host_value *v = &h->value[i];
	switch (x->opcode) {
	case LT_OPCODE_const: v->bits = (uint64_t)x->number; break;
	case LT_OPCODE_param:
		*v = h->param ? (struct host_value){ (uint64_t)h->param[x->what], false } : (struct host_value){ 0, true };
		break;
	case LT_OPCODE_variable: break;
	case LT_OPCODE_get: *v = h->variable[x->what]; break;
	case LT_OPCODE_set: h->variable[x->what] = h->value[x->operand[0]]; break;
	case LT_OPCODE_update: {
		const uint32_t dtype = h->k->variables[x->what].dtype;
		struct host_value *to = &h->variable[x->what];
		const struct host_value *y = &h->value[x->operand[0]];
		to->depends = to->depends || y->depends;
		to->bits = dtype == LT_LANE_MASK ? mask_value((uint32_t)x->number, to->bits, y->bits)
			: lt__simulate_value((uint32_t)x->number, dtype, to->bits, y->bits);
		break;
	}
	case LT_OPCODE_loop:
		v->bits = (uint64_t)host_number(h, i, x->operand[0], "the begin");
		if ((int64_t)v->bits >= host_number(h, i, x->operand[1], "the end"))
			return behind(h, i);
		break;
	case LT_OPCODE_if:
		if (!(host_number(h, i, x->operand[0], "the condition") & 1))
			return behind(h, i);
		break;
	case LT_OPCODE_else: return behind(h, i);
	case LT_OPCODE_end:
		if (host_at(h, x->what)->opcode == LT_OPCODE_loop) {
			const struct lt_instruction *loop = host_at(h, x->what);
			h->value[x->what].bits += (uint64_t)loop->number;
			if ((int64_t)h->value[x->what].bits < (int64_t)h->value[loop->operand[1]].bits)
				return x->what + 1;
		}
		break;
	case LT_OPCODE_launch_grid: launch_grid(h, i); break;
	case LT_OPCODE_call: call_routine(h, i); break;
	default: *v = operated(h, x); break;
	}
	return i + 1;
}

lt_status lt__text_launches(
	const struct lt_kernel *k, const int64_t *param, struct lt_text_launcher *launcher, struct lt_diag *diag)
{
	int32_t n_argument = 0, end = k->regions[0].first + k->regions[0].n;
	for (uint32_t r = 0; r < k->n_region; r++)
		n_argument = k->regions[r].n_argument > n_argument ? k->regions[r].n_argument : n_argument;
	for (uint32_t c = 0; c < k->n_call; c++)
		n_argument = lt__call_n_value(&k->calls[c]) > n_argument ? lt__call_n_value(&k->calls[c]) : n_argument;
	struct host_run h = { .k = k, .param = param, .launcher = launcher, .diag = diag,
		.value = calloc((size_t)end + 1, sizeof *h.value), .variable = calloc(k->n_variable + 1u, sizeof *h.variable),
		.argument = calloc((size_t)n_argument + 1, sizeof *h.argument) };
	if (!h.value || !h.variable || !h.argument)
		h.status = lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
	for (int32_t i = k->regions[0].first; i < end && !h.status; )
		i = host_step(&h, i);
	free(h.value);
	free(h.variable);
	free(h.argument);
	return h.status;
}
