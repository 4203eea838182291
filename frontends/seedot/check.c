/* check.c -- types of expressions, and what their names are bound to. */
#include <string.h>
#include "base/nearest.h"
#include "frontends/seedot/seedot.h"

struct sd_checker { struct sd_program *p; struct sd_name *scope; int32_t n_assigned; };

static bool check(struct sd_checker *, struct sd_expr *);

/* -- whole numbers that are sums of trips -- */
static bool linear_bounds(const struct sd_linear *l, int64_t *low, int64_t *high)
{
	*low = *high = l->constant;
	for (int32_t i = 0; i < l->n; i++) {
		int64_t a, b;

		if (lt__mul_overflow(l->coef[i], l->trip[i]->low, &a) || lt__mul_overflow(l->coef[i], l->trip[i]->high - 1, &b)
		    || lt__add_overflow(*low, a < b ? a : b, low) || lt__add_overflow(*high, a < b ? b : a, high))
			return false;
	}
	return true;
}

/* x * a + y * b; NULL: numbers of 32 bits would wrap. */
static const struct sd_linear *combine(struct sd_program *p, const struct sd_linear *x, int64_t a,
	const struct sd_linear *y,
	int64_t b)
{
	static const struct sd_linear zero;
	const struct sd_linear *from[2] = { x, y ? y : &zero };
	const int64_t by[2] = { a, b };
	struct sd_linear *out = LT_NEW(p->arena, struct sd_linear, 1);
	const struct sd_name **trip = LT_NEW(p->arena, const struct sd_name *, from[0]->n + from[1]->n);
	int64_t *coef = LT_NEW(p->arena, int64_t, from[0]->n + from[1]->n), low, high, add;

	for (int32_t k = 0; k < 2; k++) {
		if (lt__mul_overflow(from[k]->constant, by[k], &add) || lt__add_overflow(out->constant, add, &out->constant))
			return NULL;
		for (int32_t i = 0; i < from[k]->n; i++) {
			int32_t at = 0;

			while (at < out->n && trip[at] != from[k]->trip[i])
				at++;
			trip[at] = from[k]->trip[i];
			out->n += at == out->n;
			if (lt__mul_overflow(from[k]->coef[i], by[k], &add) || lt__add_overflow(coef[at], add, &coef[at]))
				return NULL;
		}
	}
	out->trip = trip;
	out->coef = coef;
	return linear_bounds(out, &low, &high) && low >= INT32_MIN && high <= INT32_MAX ? out : NULL;
}

static const struct sd_linear *linear_of(struct sd_program *p, const struct sd_expr *e)
{
	const struct sd_linear *a = e->n_arg ? e->arg[0]->linear : NULL, *b = e->n_arg > 1 ? e->arg[1]->linear : NULL;

	if (e->kind == SD_WHOLE) {
		struct sd_linear *l = LT_NEW(p->arena, struct sd_linear, 1);

		l->constant = e->list[0].at[0];
		return l;
	}
	if (e->kind == SD_NAME)
		return e->binding->linear;
	if (e->kind == SD_SIGN)
		return a ? combine(p, a, e->negative ? -1 : 1, NULL, 0) : NULL;
	if (e->kind != SD_OPERATOR || !a || !b)
		return NULL;
	if (e->op->level == SD_ADDS)
		return combine(p, a, 1, b, e->op->name[0] == '-' ? -1 : 1);
	return !b->n ? combine(p, a, b->constant, NULL, 0) : !a->n ? combine(p, b, a->constant, NULL, 0) : NULL;
}

/* -- names -- */
static struct sd_name *find(const struct sd_checker *c, const char *name)
{
	struct sd_name *n = c->scope;

	while (n && strcmp(n->name, name) != 0)
		n = (struct sd_name *)(uintptr_t)n->up;
	return n;
}

static struct sd_name *bind(struct sd_checker *c, const char *name, struct sd_place place, const struct sd_type *type)
{
	struct sd_name *n = LT_NEW(c->p->arena, struct sd_name, 1);

	*n = (struct sd_name){ .name = name, .place = place, .type = *type, .index = c->p->n_name++, .up = c->scope };
	return c->scope = n;
}

static bool unknown(struct sd_checker *c, struct sd_place place, const char *name)
{
	struct lt_nearest near;

	lt__nearest_begin(&near, name, strlen(name));
	for (const struct sd_name *n = c->scope; n; n = n->up)
		lt__nearest_add(&near, n->name);
	return lt__sd_refuse(c->p, place, "there is no '%.100s' here%s", name, lt__nearest_hint(c->p->ctx, &near, "'", "'"));
}

static bool is_new(struct sd_checker *c, struct sd_place place, const char *name)
{
	const struct sd_name *n = find(c, name);

	return !n || lt__sd_refuse(c->p, place, "'%.100s' is defined already, in %d:%d; another name is needed", name,
		n->place.line, n->place.column);
}

/* -- expressions -- */
static bool whole(struct sd_checker *c, const struct sd_expr *e, const char *what)
{
	return e->type.whole || lt__sd_refuse(c->p, e->place, "%s is a whole number, not %s", what,
		e->type.rank ? lt__sd_type_text(c->p, &e->type) : "one with a point");
}

/* Where a part of n of `extent` elements begins, if that is known. */
static bool inside(struct sd_checker *c, const struct sd_expr *begin, int32_t axis, int64_t n, int64_t extent)
{
	int64_t low, high;

	if (!begin->linear || !linear_bounds(begin->linear, &low, &high) || (low >= 0 && high <= extent - n))
		return true;
	return lt__sd_refuse(c->p, begin->place, "axis %d has %lld elements, and what is taken are %lld from %lld on",
		axis + 1,
		(long long)extent, (long long)n, (long long)(low < 0 ? low : high));
}

/* x[begin :+ n]..: begins[i] of each axis. */
static bool check_parts(struct sd_checker *c, const struct sd_expr *e, const struct sd_type *of,
	struct sd_expr *const *begins)
{
	if (of->whole || of->rank != e->list[0].n)
		return lt__sd_refuse(c->p, e->place, "a part of %s is said for each of its axes: [BEGIN:+N]%s",
			lt__sd_type_text(c->p, of), of->rank > 1 ? "[BEGIN:+N].." : "");
	for (int32_t i = 0; i < of->rank; i++) {
		const int64_t n = e->list[0].at[i];

		if (!check(c, begins[i]) || !whole(c, begins[i], "where a part begins"))
			return false;
		if (n < 1 || n > of->shape[i])
			return lt__sd_refuse(c->p, begins[i]->place, "axis %d has %lld elements: a part of it has 1 to %lld, not %lld",
				i + 1,
				(long long)of->shape[i], (long long)of->shape[i], (long long)n);
		if (!inside(c, begins[i], i, n, of->shape[i]))
			return false;
	}
	return true;
}

static bool check_slice(struct sd_checker *c, struct sd_expr *e)
{
	if (!check(c, e->arg[0]) || !check_parts(c, e, &e->arg[0]->type, &e->arg[1]))
		return false;
	e->type = (struct sd_type){ .rank = e->list[0].n, .shape = e->list[0].at };
	return true;
}

static bool check_index(struct sd_checker *c, struct sd_expr *e)
{
	const struct sd_type *of = &e->arg[0]->type;

	if (!check(c, e->arg[0]) || !check(c, e->arg[1]) || !whole(c, e->arg[1], "an index"))
		return false;
	if (of->whole || !of->rank)
		return lt__sd_refuse(c->p, e->place, "%s has no elements to index", lt__sd_type_text(c->p, of));
	e->type = (struct sd_type){ .rank = of->rank - 1, .shape = of->shape + 1 };
	return inside(c, e->arg[1], 0, 1, of->shape[0]);
}

static bool check_declared(struct sd_checker *c, struct sd_expr *e)
{
	struct sd_program *p = c->p;

	if (!e->name)
		return lt__sd_refuse(p, e->place, "what is declared has a name: let NAME = (SHAPE) in [LEAST, MOST] in ..");
	if (e->low > e->high)
		return lt__sd_refuse(p, e->place, "the range of '%.100s' is empty: %g is more than %g", e->name, e->low, e->high);
	for (int32_t i = 0; i < p->n_declared; i++)
		if (!strcmp(p->declared[i]->name, e->name))
			return lt__sd_refuse(p, e->place, "'%.100s' is declared already, in %d:%d", e->name, p->declared[i]->place.line,
				p->declared[i]->place.column);
	for (int32_t i = 0; i < e->list[0].n; i++)
		if (e->list[0].at[i] < 1)
			return lt__sd_refuse(p, e->place, "axis %d has 0 elements: a tensor has at least one", i + 1);
	e->type = (struct sd_type){ .rank = e->list[0].n, .shape = e->list[0].at };
	if (lt__sd_elements(&e->type) < 0)
		return lt__sd_refuse(p, e->place, "'%.100s' has more than 2^62 elements", e->name);
	LT_GROW(p->arena, p->declared, p->n_declared, p->cap_declared);
	p->declared[p->n_declared++] = e;
	return true;
}

static bool check_own(struct sd_checker *c, struct sd_expr *e)
{
	for (int32_t i = 0; i < e->n_arg; i++) {
		if (!check(c, e->arg[i]))
			return false;
		if (e->arg[i]->type.whole || !lt__sd_same_type(&e->arg[i]->type, &e->arg[0]->type))
			return lt__sd_refuse(c->p, e->arg[i]->place, "what '%.100s' is given are tensors of one shape", e->name);
	}
	e->type = e->arg[0]->type;
	return true;
}

static bool check_trips(struct sd_checker *c, struct sd_expr *e)
{
	static const struct sd_type number = { .whole = true };
	struct sd_name *saved = c->scope, *to = e->accumulator ? find(c, e->accumulator) : NULL;
	const int64_t *range = e->list[0].at;

	if (range[0] >= range[1])
		return lt__sd_refuse(c->p, e->place, "[%lld:%lld] has no trip: the end comes after the begin", (long long)range[0],
			(long long)range[1]);
	if (!is_new(c, e->place, e->name))
		return false;
	if (e->kind == SD_LOOP) {
		if (!to)
			return unknown(c, e->place, e->accumulator);
		if (to->type.whole)
			return lt__sd_refuse(c->p, e->place, "a loop accumulates a tensor, which '%.100s' is not", to->name);
		to->accumulated = true;
		c->n_assigned++;
	}
	struct sd_name *trip = bind(c, e->name, e->place, &number);
	struct sd_linear *l = LT_NEW(c->p->arena, struct sd_linear, 1);
	*l = (struct sd_linear){ .n = 1, .trip = lt__arena_copy(c->p->arena, (const struct sd_name *[]){ trip }, sizeof trip),
		.coef = lt__arena_copy(c->p->arena, (int64_t[]){ 1 }, sizeof (int64_t)) };
	trip->is_trip = true;
	trip->low = range[0];
	trip->high = range[1];
	trip->linear = l;
	e->binding = trip;
	e->to = to;
	e->first = c->p->n_name;
	if (!check(c, e->arg[0]))
		return false;
	e->last = c->p->n_name;
	e->type = e->arg[0]->type;
	c->scope = saved;
	if (e->type.whole)
		return lt__sd_refuse(c->p, e->arg[0]->place, "what is %s is a tensor, not a whole number",
			e->kind == SD_SUM ? "summed" : "accumulated");
	/* Of another type it is the loop's value alone. */
	if (to && !lt__sd_same_type(&to->type, &e->type))
		e->to = NULL;
	return true;
}

static bool check_choice(struct sd_checker *c, struct sd_expr *e)
{
	const int32_t assigned = c->n_assigned;

	if (!check(c, e->arg[0]) || !check(c, e->arg[1]) || !check(c, e->arg[2]))
		return false;
	e->assigns = c->n_assigned != assigned;
	if (!lt__sd_is_one(&e->arg[0]->type))
		return lt__sd_refuse(c->p, e->place, "what is compared has one element, not %s",
			lt__sd_type_text(c->p, &e->arg[0]->type));
	e->type = e->arg[1]->type;
	return lt__sd_same_type(&e->type, &e->arg[2]->type) || lt__sd_refuse(c->p, e->place,
		"both choices have one type, not %s and %s", lt__sd_type_text(c->p, &e->type),
		lt__sd_type_text(c->p, &e->arg[2]->type));
}

/* let NAME = value: a new name, or a loop's accumulator. */
static bool check_binding(struct sd_checker *c, struct sd_expr *e)
{
	const struct sd_type *type = &e->arg[0]->type;
	struct sd_name *n = find(c, e->name);

	if (n && !n->accumulated)
		return is_new(c, e->place, e->name);
	if (!n) {
		n = bind(c, e->name, e->place, type);
		n->linear = e->arg[0]->linear;
		e->binding = n;
		return true;
	}
	e->to = n;
	c->n_assigned++;
	return lt__sd_same_type(&n->type, type) || lt__sd_refuse(c->p, e->place, "'%.100s' is %s, and not %s", e->name,
		lt__sd_type_text(c->p, &n->type), lt__sd_type_text(c->p, type));
}

/* let NAME[begin :+ n].. = value */
static bool check_assigned(struct sd_checker *c, struct sd_expr *e)
{
	const struct sd_name *n = find(c, e->name);
	const struct sd_type part = { .rank = e->list[0].n, .shape = e->list[0].at };

	if (!n)
		return unknown(c, e->place, e->name);
	if (!check_parts(c, e, &n->type, &e->arg[2]))
		return false;
	e->to = n;
	c->n_assigned++;
	return lt__sd_same_type(&part, &e->arg[0]->type) || lt__sd_refuse(c->p, e->place,
		"the part has shape %s, its value %s",
		lt__sd_type_text(c->p, &part), lt__sd_type_text(c->p, &e->arg[0]->type));
}

static bool check_lets(struct sd_checker *c, struct sd_expr *first)
{
	struct sd_name *saved = c->scope;
	struct sd_expr *e = first;

	for (; e->kind == SD_LET; e = e->arg[1])
		if (!check(c, e->arg[0]) || !(e->n_list ? check_assigned(c, e) : check_binding(c, e)))
			return false;
	if (!check(c, e))
		return false;
	c->scope = saved;
	for (struct sd_expr *let = first; let != e; let = let->arg[1])
		let->type = e->type;
	return true;
}

static bool check_typed(struct sd_checker *c, struct sd_expr *e)
{
	switch (e->kind) {
	case SD_WHOLE:
		e->type.whole = true;
		return true;
	case SD_REAL:
		return true;
	case SD_NAME:
		e->binding = find(c, e->name);
		if (!e->binding)
			return unknown(c, e->place, e->name);
		e->type = e->binding->type;
		return true;
	case SD_DECLARE:
		return check_declared(c, e);
	case SD_OPERATOR:
		for (int32_t i = 0; i < e->n_arg; i++)
			if (!check(c, e->arg[i]))
				return false;
		return e->op->type(c->p, e);
	case SD_OWN:
		return check_own(c, e);
	case SD_SIGN:
		if (!check(c, e->arg[0]))
			return false;
		e->type = e->arg[0]->type;
		return true;
	case SD_TRANSPOSE:
		if (!check(c, e->arg[0]))
			return false;
		if (e->arg[0]->type.whole || e->arg[0]->type.rank != 2)
			return lt__sd_refuse(c->p, e->place, "^T takes a matrix, not %s", lt__sd_type_text(c->p, &e->arg[0]->type));
		e->type = (struct sd_type){ .rank = 2, .shape = lt__arena_copy(c->p->arena,
			(int64_t[]){ e->arg[0]->type.shape[1], e->arg[0]->type.shape[0] }, 2 * sizeof (int64_t)) };
		return true;
	case SD_SLICE:
		return check_slice(c, e);
	case SD_INDEX:
		return check_index(c, e);
	case SD_SUM:
	case SD_LOOP:
		return check_trips(c, e);
	case SD_CHOOSE:
		return check_choice(c, e);
	case SD_LET:
		return check_lets(c, e);
	}
	return false;
}

static bool check(struct sd_checker *c, struct sd_expr *e)
{
	if (!check_typed(c, e))
		return false;
	/* Of a let the assignments in it must not be left out. */
	if (e->type.whole && e->kind != SD_LET)
		e->linear = linear_of(c->p, e);
	return true;
}

bool lt__sd_check(struct sd_program *p)
{
	struct sd_checker c = { .p = p };

	return check(&c, p->root);
}
