/* trips.c -- loops whose trips can be done at once, as positions of a var, and not one after the other.
 *
 * A trip must not see what another one assigned.  So of each name from outside that the body assigns, either the body
 * assigns all of it before it reads any (the value of the last trip stays), or it reads nothing of it and each trip
 * assigns
 * a part that no other trip does:
 *
 *   loop(i = [0:8], A) (let A[i:+1][0:+4] = f(i) in A)
 */
#include "frontends/seedot/seedot.h"

enum sd_touched { UNTOUCHED, PARTS, OWN };
/* What the body did to a name so far.  PARTS: on `axis` a trip writes from form + low to form + high - 1. */
struct sd_seen { enum sd_touched touched; bool assigned; int32_t axis; const struct sd_linear *form; int64_t low,
	high; };
struct sd_walk { struct sd_program *p; const struct sd_expr *loop; struct sd_seen *seen; int32_t n_parts; };

static bool walk(struct sd_walk *, const struct sd_expr *);
static bool walk_body(struct sd_walk *, const struct sd_expr *, const struct sd_name *accumulator);

static bool is_outside(const struct sd_walk *w, const struct sd_name *n) { return n->index < w->loop->first; }

/* Names that the body assigns. */
static void collect(struct sd_seen *seen, const struct sd_expr *e)
{
	for (; ; e = e->arg[1]) {
		if (e->to)
			seen[e->to->index].assigned = true;
		for (int32_t i = 0; i < e->n_arg; i++)
			if (e->kind != SD_LET || i != 1)
				collect(seen, e->arg[i]);
		if (e->kind != SD_LET)
			return;
	}
}

static bool walk_read(const struct sd_walk *w, const struct sd_name *n)
{
	return !is_outside(w, n) || !w->seen[n->index].assigned || w->seen[n->index].touched == OWN;
}

static bool walk_assign(struct sd_walk *w, const struct sd_name *n)
{
	struct sd_seen *s = &w->seen[n->index];

	if (!is_outside(w, n))
		return true;
	if (s->touched == PARTS)
		return false;
	s->touched = OWN;
	return true;
}

/* The coefficient of the loop's own trip, where no other trip of its body is in it; 0 otherwise. */
static int64_t own_coef(const struct sd_walk *w, const struct sd_linear *l)
{
	int64_t coef = 0;

	for (int32_t i = 0; i < l->n; i++) {
		if (l->trip[i] == w->loop->binding)
			coef = l->coef[i];
		else if (!is_outside(w, l->trip[i]) && l->coef[i])
			return 0;
	}
	return coef;
}

static bool same_trips(const struct sd_linear *a, const struct sd_linear *b)
{
	if (a->n != b->n)
		return false;
	for (int32_t i = 0; i < a->n; i++)
		if (a->trip[i] != b->trip[i] || a->coef[i] != b->coef[i])
			return false;
	return true;
}

/* Whether all that is written on an axis by a trip, this part with it, leaves room for the next trip. */
static bool leaves_room(const struct sd_walk *w, const struct sd_seen *s, const struct sd_linear *l, int64_t n,
	struct sd_seen *out)
{
	*out = *s;
	out->low = s->touched == PARTS && s->low < l->constant ? s->low : l->constant;
	out->high = s->touched == PARTS && s->high > l->constant + n ? s->high : l->constant + n;
	out->form = l;
	out->touched = PARTS;
	return out->high - out->low <= own_coef(w, l) && (s->touched != PARTS || same_trips(s->form, l));
}

static bool walk_part(struct sd_walk *w, const struct sd_expr *let)
{
	const struct sd_name *n = let->to;
	struct sd_seen *s = &w->seen[n->index], next;
	bool all = true;

	if (!is_outside(w, n) || s->touched == OWN)
		return true;
	for (int32_t i = 0; i < n->type.rank; i++) {
		all = all && let->list[0].at[i] == n->type.shape[i];
		if (!let->arg[2 + i]->linear)
			return false;
	}
	if (all)
		return walk_assign(w, n);
	for (int32_t i = 0; i < n->type.rank; i++)
		if ((s->touched != PARTS || s->axis == i)
		    && leaves_room(w, s, let->arg[2 + i]->linear, let->list[0].at[i], &next)) {
			w->n_parts += s->touched != PARTS;
			*s = next;
			s->axis = i;
			return true;
		}
	return false;
}

static bool walk_let(struct sd_walk *w, const struct sd_expr *e)
{
	if (!walk(w, e->arg[0]))
		return false;
	for (int32_t i = 2; i < e->n_arg; i++)
		if (!walk(w, e->arg[i]))
			return false;
	return !e->to || (e->n_list ? walk_part(w, e) : walk_assign(w, e->to));
}

static bool walk(struct sd_walk *w, const struct sd_expr *e)
{
	for (; e->kind == SD_LET; e = e->arg[1])
		if (!walk_let(w, e))
			return false;
	if (e->kind == SD_NAME)
		return walk_read(w, e->binding);
	if (e->kind == SD_LOOP && e->to)
		return walk_body(w, e->arg[0], e->to) && walk_read(w, e->to);
	/* A kernel of the user's own takes whole tensors; what is assigned in one choice is read after both. */
	if (e->kind == SD_OWN || (e->kind == SD_CHOOSE && e->assigns))
		return false;
	for (int32_t i = 0; i < e->n_arg; i++)
		if (!walk(w, e->arg[i]))
			return false;
	return true;
}

/* What a loop assigns to its accumulator: nothing, where that is its value already. */
static bool walk_body(struct sd_walk *w, const struct sd_expr *e, const struct sd_name *accumulator)
{
	for (; e->kind == SD_LET; e = e->arg[1])
		if (!walk_let(w, e))
			return false;
	if (e->kind == SD_NAME && e->binding == accumulator)
		return true;
	if (e->kind == SD_LOOP && e->to == accumulator)
		return walk_body(w, e->arg[0], accumulator);
	return walk(w, e) && walk_assign(w, accumulator);
}

static void decide(struct sd_program *p, struct sd_expr *loop)
{
	struct sd_walk w = { .p = p, .loop = loop, .seen = LT_NEW(p->arena, struct sd_seen, p->n_name + 1) };

	collect(w.seen, loop->arg[0]);
	if (loop->to)
		w.seen[loop->to->index].assigned = true;
	loop->at_once = loop->to ? walk_body(&w, loop->arg[0], loop->to) : walk(&w, loop->arg[0]);
	if (!loop->at_once)
		return;
	loop->sliced = LT_NEW(p->arena, int32_t, w.n_parts + 1);
	for (int32_t i = 0; i < loop->first; i++)
		if (w.seen[i].touched == PARTS)
			loop->sliced[loop->n_sliced++] = i;
}

static void decide_all(struct sd_program *p, struct sd_expr *e)
{
	for (; ; e = e->arg[1]) {
		for (int32_t i = 0; i < e->n_arg; i++)
			if (e->kind != SD_LET || i != 1)
				decide_all(p, e->arg[i]);
		if (e->kind == SD_SUM || e->kind == SD_LOOP)
			decide(p, e);
		if (e->kind != SD_LET)
			return;
	}
}

void lt__sd_trips(struct sd_program *p)
{
	decide_all(p, p->root);
}
