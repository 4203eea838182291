/* variables.c -- step 'V': arrays that are reached only at constant places become variables.
 *
 * The accumulators of a register tile of 6 rows of 16 floats, in an array of 96, are accessed by vectors of 8 lanes at
 * 0, 8, 16 ...: they become 12 variables, acc.0, acc.8, acc.16 ...  Each element has to belong to one variable: an
 * array of which an element is accessed in different widths stays.
 *
 * A load becomes a `get`, or a copy of one where the variable changes while the value is still used; a store a `set`,
 * or an `update` where it stores what an operator made of the variable itself.  Where a mask turns lanes off, a
 * `select` keeps what was there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "kernel/build/build.h"
#include "kernel/step/step.h"

enum { MAX_ELEMS = 8192 };      /* of an array that is looked at */

/* An array of the program: by element where its variable begins, plus 1, and how wide that is. */
struct array_parts { int32_t *part; uint32_t *width; int32_t *variable; int32_t n; bool stays, is_used; };

struct variables_step {
	struct lt_stepping *s;
	const struct lt_kernel *k;
	struct array_parts *array;              /* by buffer */
	bool *gone;                             /* by buffer: it becomes variables */
	int32_t *block;                         /* lt__step_blocks */
	int32_t *end_use;                       /* by value: where it is used last, loops taken as a whole */
	int32_t *n_use;
	int32_t *next_change;                   /* by load: where what it reads changes next */
	int32_t *last_event;                    /* the last instruction before it that may change anything */
};

static bool is_access(const struct lt_instruction *i)
{
	return i->opcode == LT_OPCODE_load || i->opcode == LT_OPCODE_store || i->opcode == LT_OPCODE_prefetch;
}

/* The loop of the tree that a computed address moves with, found among its operands; -1: none was. */
static int32_t moving_loop(const struct lt_kernel *k, int32_t value, int depth)
{
	const struct lt_instruction *i = value < 0 ? NULL : &k->instructions[value];
	if (!i || i->opcode == LT_OPCODE_loop)
		return i ? i->origin : -1;
	int32_t loop = -1;
	for (int n = 0; n < 2 && depth > 0 && loop < 0 && i->opcode != LT_OPCODE_load; n++)
		loop = moving_loop(k, i->operand[1 - n], depth - 1);
	return loop;
}

static void keep_array(struct variables_step *v, const struct lt_instruction *i, const char *why)
{
	struct array_parts *a = &v->array[i->what];
	const struct lt_kernel_buffer *b = &v->k->buffers[i->what];
	if (!a->stays)
		lt__step_decide(v->s, moving_loop(v->k, i->operand[0], 6), i->origin, b->origin, "array %s stays in memory: %s",
			b->name, why);
	a->stays = true;
}

/* The first element of an access that is known; false, with why: it is not, or it has no one part for its elements. */
static bool find_part(const struct variables_step *v, const struct lt_instruction *i, int64_t *at, uint32_t *lanes,
	const char **why)
{
	const struct lt_kernel_buffer *b = &v->k->buffers[i->what];
	*lanes = lt__instruction_type(v->k, i).lanes;
	*why = "an element is chosen by an index of its own for each lane";
	if (i->operand[1] >= 0)
		return false;
	*why = "its elements are chosen by a loop; unroll that";
	if (!lt__step_constant(v->k, i->operand[0], at) || __builtin_add_overflow(*at, i->number, at))
		return false;
	*why = "lanes are a stride apart";
	if (*lanes > 1 && i->stride != 1)
		return false;
	*why = "lanes that are off may be outside of it";
	return *at >= 0 && *at <= b->elems - (int64_t)*lanes;
}

static void record_access(struct variables_step *v, const struct lt_instruction *i)
{
	struct array_parts *a = &v->array[i->what];
	const char *why;
	uint32_t lanes;
	int64_t at;
	if (a->stays || i->opcode == LT_OPCODE_prefetch)
		return;
	if (!find_part(v, i, &at, &lanes, &why)) {
		keep_array(v, i, why);
		return;
	}
	if (!a->part) {
		size_t n = (size_t)v->k->buffers[i->what].elems;
		a->part = lt__pool_alloc(&v->s->b.pool, n, sizeof *a->part);
		a->width = lt__pool_alloc(&v->s->b.pool, n, sizeof *a->width);
		a->variable = lt__pool_alloc(&v->s->b.pool, n, sizeof *a->variable);
	}
	if (a->part[at] == (int32_t)at + 1 && a->width[at] == lanes)
		return;
	for (int64_t e = at; e < at + lanes; e++) {
		if (a->part[e]) {
			char text[120];
			(void)snprintf(text, sizeof text, "element %" PRId64 " is accessed in %" PRIu32 " lanes from %" PRId64
				" on, and in %" PRIu32 " from %" PRId32 " on", e, lanes, at, a->width[a->part[e] - 1], a->part[e] - 1);
			keep_array(v, i, text);
			return;
		}
		a->part[e] = (int32_t)at + 1;
	}
	a->width[at] = lanes;
	if (++a->n > (int64_t)v->s->machine->max_variables)
		keep_array(v, i, "it would be more variables than registers are worth");
}

/* Which arrays become variables; false: none. */
static bool choose_arrays(struct variables_step *v)
{
	bool any = false;
	for (uint32_t b = 0; b < v->k->n_buffer; b++)
		v->array[b].stays = v->k->buffers[b].space != LT_SPACE_ARRAY || v->k->buffers[b].elems > MAX_ELEMS;
	for (uint32_t at = 0; at < v->k->n_instruction; at++)
		if (is_access(&v->k->instructions[at]))
			record_access(v, &v->k->instructions[at]);
	for (uint32_t b = 0; b < v->k->n_buffer; b++) {
		v->gone[b] = !v->array[b].stays && v->array[b].n > 0;
		any = any || v->gone[b];
	}
	return any;
}

/* Where a use at `at` of a value counts as being: at the end of the outermost loop around it that the value is not in,
 * which may run again. */
static int32_t end_of_use(const struct variables_step *v, int32_t value, int32_t at)
{
	int32_t block = v->block[value], end = at;
	for (int32_t b = v->block[at]; b != block && b >= 0; b = v->block[b])
		if (v->k->instructions[b].opcode == LT_OPCODE_loop)
			end = v->k->instructions[b].what;
	return end;
}

static void find_uses(struct variables_step *v)
{
	for (int32_t at = 0; at < (int32_t)v->k->n_instruction; at++) {
		const struct lt_instruction *i = &v->k->instructions[at];
		for (int32_t n = 0; n < lt__step_uses(i); n++) {
			int32_t value = lt__step_use(v->k, i, n);
			if (value < 0)
				continue;
			/* The end of a loop is looked at after each iteration. */
			int32_t end = i->opcode == LT_OPCODE_loop && n == 1 ? i->what : at;
			int32_t outer = end_of_use(v, value, at);
			end = outer > end ? outer : end;
			v->end_use[value] = end > v->end_use[value] ? end : v->end_use[value];
			v->n_use[value]++;
		}
	}
}

static void find_events(struct variables_step *v)
{
	int32_t last = -1;
	for (int32_t at = 0; at < (int32_t)v->k->n_instruction; at++) {
		v->last_event[at] = last;
		if (!v->k->instructions[at].dtype || v->k->instructions[at].opcode == LT_OPCODE_loop)
			last = at;
	}
}

/* Backwards: where each part changes next. */
static void find_changes(struct variables_step *v)
{
	int32_t **next = lt__pool_alloc(&v->s->b.pool, (size_t)v->k->n_buffer + 1, sizeof *next);
	for (uint32_t b = 0; b < v->k->n_buffer; b++)
		if (v->gone[b]) {
			size_t n = (size_t)v->k->buffers[b].elems;
			next[b] = lt__pool_alloc(&v->s->b.pool, n, sizeof *next[b]);
			for (size_t e = 0; e < n; e++)
				next[b][e] = INT32_MAX;
		}
	for (int32_t at = (int32_t)v->k->n_instruction; at-- > 0; ) {
		const struct lt_instruction *i = &v->k->instructions[at];
		int64_t first;
		uint32_t lanes;
		const char *why;
		if (i->opcode == LT_OPCODE_array && v->gone[i->what]) {
			for (int64_t e = 0; e < v->k->buffers[i->what].elems; e++)
				next[i->what][e] = at;
			continue;
		}
		if (!is_access(i) || !v->gone[i->what] || !find_part(v, i, &first, &lanes, &why))
			continue;
		if (i->opcode == LT_OPCODE_store)
			next[i->what][first] = at;
		else
			v->next_change[at] = next[i->what][first];
	}
}

/* Names say where in the array a variable begins: acc.8; the only one has the array's. */
static void make_variables(struct variables_step *v, int32_t b)
{
	const struct lt_kernel_buffer *x = &v->k->buffers[b];
	struct array_parts *a = &v->array[b];
	int64_t first = -1;
	for (int64_t e = 0; e < x->elems; e++) {
		char name[96];
		if (a->part[e] != (int32_t)e + 1)
			continue;
		(void)snprintf(name, sizeof name, a->n > 1 ? "%.50s.%" PRId64 : "%.60s", x->name, e);
		a->variable[e] = lt__build_variable(&v->s->b, name, x->dtype, a->width[e]);
		first = first < 0 ? e : first;
	}
	uint32_t lanes = a->width[first];
	for (int64_t e = 0; e < x->elems && lanes; e++)
		if (a->part[e] == (int32_t)e + 1 && a->width[e] != lanes)
			lanes = 0;
	if (lanes)
		lt__step_decide(v->s, -1, -1, x->origin, "array %s of %" PRId64 " elements is %" PRId32 " variable%s of %" PRIu32
			" lane%s", x->name, x->elems, a->n, a->n > 1 ? "s" : "", lanes, lanes > 1 ? "s" : "");
	else
		lt__step_decide(v->s, -1, -1, x->origin, "array %s of %" PRId64 " elements is %" PRId32
			" variables of different widths", x->name, x->elems, a->n);
}

static int32_t variable_of(const struct variables_step *v, const struct lt_instruction *i)
{
	int64_t at;
	uint32_t lanes;
	const char *why;
	(void)find_part(v, i, &at, &lanes, &why);
	return v->array[i->what].variable[at];
}

static int32_t add_select(struct variables_step *v, int32_t mask, int32_t x, int32_t y)
{
	return lt__build_select(&v->s->b, mask, x, y);
}

static void rewrite_load(struct variables_step *v, int32_t at)
{
	struct lt_stepping *s = v->s;
	const struct lt_instruction *i = &v->k->instructions[at];
	int32_t got = lt__build_get(&s->b, variable_of(v, i));
	if (i->operand[2] >= 0)
		got = add_select(v, s->to[i->operand[2]], got, lt__rewrite_const(s, i->dtype, i->lanes, 0));
	else if (v->next_change[at] < v->end_use[at])
		got = lt__build_value(&s->b, LT_OPCODE_copy, i->dtype, i->lanes, got, -1);
	s->to[at] = got;
}

/* Whether the value is what a load of the same part gives, and it is the store that changes that next. */
static bool is_old(const struct variables_step *v, int32_t value, int32_t user, int32_t store)
{
	const struct lt_instruction *i = &v->k->instructions[value], *st = &v->k->instructions[store];
	return i->opcode == LT_OPCODE_load && i->what == st->what && i->operand[2] < 0 && v->n_use[value] == 1
		&& variable_of(v, i) == variable_of(v, st) && v->next_change[value] == store && v->end_use[value] == user;
}

/* An operand of the operator `made` that may be used at the store as well: no variable changes in between. */
static bool is_known_later(const struct variables_step *v, int32_t value, int32_t made, int32_t store)
{
	const struct lt_instruction *i = &v->k->instructions[value];
	bool got = i->opcode == LT_OPCODE_get || (i->opcode == LT_OPCODE_load && v->gone[i->what]);
	return !got || v->last_event[store] < made;
}

/* What the store adds to its variable (operand 0 or 1 of what it stores); -1: it is no update. */
static int update_operand(const struct variables_step *v, int32_t store)
{
	const struct lt_instruction *st = &v->k->instructions[store], *i = &v->k->instructions[st->operand[3]];
	int32_t made = st->operand[3];
	if (st->operand[2] >= 0 || v->n_use[made] != 1 || v->block[made] != v->block[store] || !lt__opcode_folds(i->opcode))
		return -1;
	if (is_old(v, i->operand[0], made, store) && is_known_later(v, i->operand[1], made, store))
		return 1;
	return lt__opcode_commutes(i->opcode) && is_old(v, i->operand[1], made, store)
		&& is_known_later(v, i->operand[0], made, store) ? 0 : -1;
}

static void rewrite_store(struct variables_step *v, int32_t at)
{
	struct lt_stepping *s = v->s;
	const struct lt_instruction *i = &v->k->instructions[at], *made = &v->k->instructions[i->operand[3]];
	int32_t variable = variable_of(v, i), value = s->to[i->operand[3]], other = update_operand(v, at);
	if (other >= 0) {
		(void)lt__build(&s->b, (struct lt_instruction){ .opcode = LT_OPCODE_update,
			.operand = { s->to[made->operand[other]], -1, -1, -1 }, .what = variable, .origin = i->origin,
			.number = made->opcode });
		return;
	}
	if (i->operand[2] >= 0)
		value = add_select(v, s->to[i->operand[2]], value, lt__build_get(&s->b, variable));
	lt__build_set(&s->b, variable, value);
}

/* The load and the operator of an update are not made. */
static void mark_updates(struct variables_step *v, bool *skip)
{
	for (int32_t at = 0; at < (int32_t)v->k->n_instruction; at++) {
		const struct lt_instruction *i = &v->k->instructions[at];
		if (i->opcode != LT_OPCODE_store || !v->gone[i->what])
			continue;
		int other = update_operand(v, at);
		if (other >= 0) {
			skip[i->operand[3]] = true;
			skip[v->k->instructions[i->operand[3]].operand[1 - other]] = true;
		}
	}
}

static void rewrite_instruction(struct variables_step *v, int32_t at, const bool *skip)
{
	const struct lt_instruction *i = &v->k->instructions[at];
	bool gone = (is_access(i) || i->opcode == LT_OPCODE_array) && v->gone[i->what];
	v->s->b.origin = i->origin;
	if (skip[at] || (gone && i->opcode == LT_OPCODE_prefetch))
		return;
	if (!gone) {
		(void)lt__rewrite_copy(v->s, at);
	} else if (i->opcode == LT_OPCODE_array) {
		for (int64_t e = 0; e < v->k->buffers[i->what].elems; e++)
			if (v->array[i->what].part[e] == (int32_t)e + 1)
				lt__build_begins(&v->s->b, LT_OPCODE_variable, v->array[i->what].variable[e]);
	} else if (i->opcode == LT_OPCODE_load) {
		rewrite_load(v, at);
	} else {
		rewrite_store(v, at);
	}
}

bool lt__step_variables(struct lt_stepping *s)
{
	struct lt_pool *p = &s->b.pool;
	struct variables_step v = { .s = s, .k = s->k };
	const size_t n = (size_t)s->k->n_instruction + 1;
	v.array = lt__pool_alloc(p, (size_t)s->k->n_buffer + 1, sizeof *v.array);
	v.gone = lt__pool_alloc(p, (size_t)s->k->n_buffer + 1, sizeof *v.gone);
	if (!s->machine->max_variables || !choose_arrays(&v))
		return false;
	v.block = lt__step_blocks(s);
	v.end_use = lt__pool_alloc(p, n, sizeof *v.end_use);
	v.n_use = lt__pool_alloc(p, n, sizeof *v.n_use);
	v.next_change = lt__pool_alloc(p, n, sizeof *v.next_change);
	v.last_event = lt__pool_alloc(p, n, sizeof *v.last_event);
	bool *skip = lt__pool_alloc(p, n, sizeof *skip);
	find_uses(&v);
	find_events(&v);
	find_changes(&v);
	lt__rewrite_begin(s, v.gone, NULL);
	for (int32_t b = 0; b < (int32_t)s->k->n_buffer; b++)
		if (v.gone[b])
			make_variables(&v, b);
	mark_updates(&v, skip);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
		lt__rewrite_region(s, r);
		for (int32_t at = s->k->regions[r].first; at < s->k->regions[r].first + s->k->regions[r].n; at++)
			rewrite_instruction(&v, at, skip);
	}
	return true;
}
