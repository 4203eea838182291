/* Tails: what each loop covers where steps do not divide, and what its partial last iteration becomes.
 *
 * A span is a var's extent or what one iteration of a loop over it covers; a loop further in runs at most to what is
 * left of each span around it.  guard and mask leave that to bound rows.  peel makes copies of a loop, in which what an
 * iteration covers is known; where a run-time scalar says what is left, the loop has one iteration, and there is a copy
 * for each number that it may be, or one in which it is counted.  pad lets the loops inside run to the end of the step.
 * After either, the spans further out no longer count (a cut).
 */
#include "looptree/freeze/parts.h"

static int64_t tail_min(int64_t a, int64_t b) { return a < b ? a : b; }
static bool is_lanes(enum lt_loop_kind kind) { return kind == LT_VECTOR || kind == LT_BLOCK; }

/* The innermost cut of v among the first `below` of the path, -1: none, so that v's extent is the outermost span. */
static int32_t last_cut(const struct lt_freezer *f, lt_var v, int32_t below)
{
	int32_t k = below - 1;
	while (k >= 0 && (f->path[k].var != v || !f->path[k].cut))
		k--;
	return k;
}

/* A span of v: the iteration of path[from], or (-1) the extent. */
struct tail_span { int32_t from; bool exact; int64_t size; struct lt_row left; };

/* What the loops from the span inwards to path[end - 1] leave of it.  exact: always `size`.  full: whatever is left
 * further out. */
static struct tail_span span_of(struct lt_freezer *f, lt_var v, int32_t from, int32_t end, bool full)
{
	const struct lt_vardef *var = &f->g->var[v];
	struct tail_span s = { .from = from, .exact = from >= 0 || !var->bounded,
		.size = from < 0 ? var->extent : full ? f->path[from].full : f->path[from].cover };
	s.left.constant = s.size;
	if (from < 0 && var->bounded) {
		s.left.constant = 0;
		lt__row_linear(f, &s.left, &var->limit);
	}
	for (int32_t k = from + 1; k < end; k++) {
		if (f->path[k].var != v)
			continue;
		int64_t step = f->path[k].step, covers = full ? f->path[k].full : step;
		s.exact = s.exact && (s.size % covers == 0 || s.size < covers);
		s.size = tail_min(s.size, covers);
		lt__row_term(f, &s.left, LT_TERM_LOOP, f->path[k].loop, -step);
		lt__row_number(f, &s.left, f->path[k].first, -step);
	}
	return s;
}

static bool is_span(const struct lt_freezer *f, lt_var v, int32_t k, int32_t cut)
{
	return k == cut || (k >= 0 && f->path[k].var == v);
}

/* -- copies of a peeled loop -- */

/* One thing that an iteration of the loops around may cover, and when it does. */
struct extent { int64_t size; struct lt_rows when; };
struct frozen_extents { int32_t n, cap; struct extent *at; };

static struct extent *tail_add_extent(struct lt_freezer *f, struct frozen_extents *x, int64_t size)
{
	LT_GROW(f->a, x->at, x->n, x->cap);
	x->at[x->n] = (struct extent){ .size = size };
	return &x->at[x->n++];
}

/* From what path[k] runs over to what its iterations cover: the whole step, or what is left in the last iteration.
 * when: with the rows. */
static struct frozen_extents go_in(
	struct lt_freezer *f, const struct frozen_extents *from, int32_t cut, int32_t k, bool when)
{
	const struct lt_step *p = &f->path[k];
	struct frozen_extents to = { 0 };
	bool whole = false;
	for (int32_t i = 0; i < from->n; i++)
		whole = whole || from->at[i].size >= p->step;
	if (whole) {
		struct extent *x = tail_add_extent(f, &to, p->step);
		for (int32_t i = cut; when && i < k; i++) {
			if (!is_span(f, p->var, i, cut))
				continue;
			struct tail_span s = span_of(f, p->var, i, k + 1, false);
			lt__row_number(f, &s.left, p->step, -1);
			if (!s.exact)
				lt__rows_add(f, &x->when, &s.left);
		}
	}
	for (int32_t i = 0; i < from->n; i++) {
		if (from->at[i].size % p->step == 0)
			continue;
		struct extent *x = tail_add_extent(f, &to, from->at[i].size % p->step);
		if (!when)
			continue;
		struct lt_row last = { .constant = p->first - from->at[i].size / p->step };
		lt__row_term(f, &last, LT_TERM_LOOP, p->loop, 1);
		for (int32_t r = 0; r < from->at[i].when.n; r++)
			lt__rows_add(f, &x->when, &from->at[i].when.at[r]);
		if (from->at[i].size >= p->step)
			lt__rows_add(f, &x->when, &last);
	}
	return to;
}

/* All that v may be covered of by the iterations of the loops from its last cut to path[end - 1]; none: a run-time
 * scalar says it. */
static struct frozen_extents extents_of(struct lt_freezer *f, lt_var v, int32_t end, bool when)
{
	int32_t cut = last_cut(f, v, end);
	struct frozen_extents x = { 0 };
	if (cut < 0 && f->g->var[v].bounded)
		return x;
	tail_add_extent(f, &x, cut < 0 ? f->g->var[v].extent : f->path[cut].cover);
	for (int32_t k = cut + 1; k < end; k++)
		if (f->path[k].var == v)
			x = go_in(f, &x, cut, k, when);
	return x;
}

/* Whether all are equal, or (step > 0) multiples of step. */
static bool are_same(const struct frozen_extents *x, int64_t step)
{
	bool same = x->n > 0;
	for (int32_t i = 0; i < x->n; i++)
		same = same && (step ? x->at[i].size % step == 0 : x->at[i].size == x->at[0].size);
	return same;
}

/* What is left is between 1 and the step, and a run-time scalar says it.  Only the extent can leave less than the loops
 * around cover (lt__check_tail). */
static void counted_copies(struct lt_freezer *f, lt_var v, int64_t step, int32_t *n, struct lt_peeled **out)
{
	struct tail_span left = span_of(f, v, -1, f->n_path, false);
	int64_t all = f->g->var[v].extent < step ? f->g->var[v].extent : step;
	*out = LT_NEW(f->a, struct lt_peeled, all + 1);
	*n = 0;
	if (all == step)
		(*out)[(*n)++] = (struct lt_peeled){ .peeled = true, .cover = step };
	const bool each = step <= LT_MAX_COUNTED;
	for (int64_t size = all < step ? all : step - 1; size > 0; size = each ? size - 1 : 0) {
		struct lt_peeled *c = &(*out)[(*n)++];
		struct lt_row there = { .constant = each ? -size : -1 }, last = { .constant = size };
		*c = (struct lt_peeled){ .peeled = true, .remainder = true, .counted = !each, .cover = each ? size : step };
		lt__row_plus(f, &there, &left.left, 1);
		lt__row_plus(f, &last, &left.left, -1);
		lt__rows_add(f, &c->when, &there);
		lt__rows_add(f, &c->when, &last);
	}
}

void lt__freeze_copies(
	struct lt_freezer *f, lt_var v, int64_t step, enum lt_tail tail, int32_t *n, struct lt_peeled **out)
{
	*n = 1;
	*out = LT_NEW(f->a, struct lt_peeled, 1);
	if (tail != LT_PEEL)
		return;
	struct frozen_extents x = extents_of(f, v, f->n_path, true);
	if (x.n == 0) {
		counted_copies(f, v, step, n, out);
		return;
	}
	*out = LT_NEW(f->a, struct lt_peeled, x.n + 1);
	*n = 0;
	for (int32_t i = 0; i < x.n; i++)
		if (x.at[i].size >= step && *n == 0)
			(*out)[(*n)++] = (struct lt_peeled){ .peeled = true, .cover = step };
	for (int32_t i = 0; i < x.n; i++)
		if (x.at[i].size % step)
			(*out)[(*n)++] = (struct lt_peeled){ .peeled = true,
				.remainder = true,
				.first = x.at[i].size / step,
				.cover = x.at[i].size % step,
				.when = x.at[i].when };
}

/* -- bounds -- */

static void add_bound(struct lt_freezer *f, struct lt_floop *loop, const struct lt_row *row)
{
	LT_GROW(f->a, f->bound, f->n_bound, f->cap_bound);
	f->bound[f->n_bound++] = *row;
	loop->n_bound++;
}

/* One iteration, where it is there: each row that has to hold is a bound of at least one iteration then. */
static void open_remainder(struct lt_freezer *f, const struct lt_peeled *c, struct lt_floop *loop, struct lt_step *p)
{
	loop->max_trip_count = 1;
	loop->base = c->first * p->step;
	if (loop->kind == LT_VECTOR || loop->kind == LT_UNROLL)
		loop->kind = LT_SERIAL;
	for (int32_t i = 0; i < c->when.n; i++) {
		struct lt_row row = c->when.at[i];
		lt__row_number(f, &row, 1, 1);
		add_bound(f, loop, &row);
	}
	p->first = c->first;
	p->full = p->cover = c->cover;
	p->cut = !c->counted;
}

/* whole: only iterations that cover all of the step. */
static void bound_by(struct lt_freezer *f, struct tail_span *s, bool whole, struct lt_floop *loop, struct lt_step *p)
{
	if (loop->kind == LT_UNROLL) {          /* its trip count is constant: iterations past the end are off */
		lt__row_term(f, &s->left, LT_TERM_LOOP, p->loop, -p->step);
		lt__row_number(f, &s->left, whole ? p->step : 1, -1);
		lt__rows_add(f, &p->on, &s->left);
		return;
	}
	struct lt_row trip_count = { 0 };
	lt__row_number(f, &s->left, whole ? 0 : p->step - 1, 1);
	lt__row_floor(f, &trip_count, &s->left, p->step, 1);
	add_bound(f, loop, &trip_count);
	if (is_lanes(loop->kind))
		loop->tail = LT_MASK;
}

void lt__freeze_trip_count(struct lt_freezer *f, const struct lt_peeled *c, struct lt_floop *loop, struct lt_step *p)
{
	int32_t cut = last_cut(f, p->var, f->n_path);
	int64_t size = cut < 0 ? f->g->var[p->var].extent : f->path[cut].cover;
	loop->first_bound = f->n_bound;
	loop->max_trip_count = 1;
	if (c->remainder) {
		open_remainder(f, c, loop, p);
		return;
	}
	struct frozen_extents x = extents_of(f, p->var, f->n_path, false);
	bool constant = are_same(&x, 0);
	for (int32_t from = cut; from < f->n_path; from++)
		if (is_span(f, p->var, from, cut))
			size = tail_min(size, span_of(f, p->var, from, f->n_path, false).size);
	if (constant)
		size = x.at[0].size;
	loop->max_trip_count = size / p->step + (!c->peeled && size % p->step != 0);
	for (int32_t from = cut; !constant && from < f->n_path; from++) {
		if (!is_span(f, p->var, from, cut))
			continue;
		struct tail_span s = span_of(f, p->var, from, f->n_path, false);
		if (!s.exact)
			bound_by(f, &s, c->peeled, loop, p);
	}
	p->cut = c->peeled || p->pad;
	p->cover = p->cut ? p->step : tail_min(p->step, size);
	p->full = p->cut ? p->cover : p->full;
}

void lt__freeze_on(struct lt_freezer *f, struct lt_rows *out)
{
	for (int32_t k = 0; k < f->n_path; k++) {
		int32_t in = k + 1;
		while (in < f->n_path && f->path[in].var != f->path[k].var)
			in++;
		/* What is left may bound a loop further in, too; not after a cut. */
		if (in < f->n_path && !f->path[in].cut && !f->path[k].cut
			&& (f->path[in].on.n > 0 || f->loop[f->path[in].loop].n_bound > 0))
			continue;
		for (int32_t i = 0; i < f->path[k].on.n; i++)
			lt__rows_add(f, out, &f->path[k].on.at[i]);
	}
}

/* -- padding -- */

/* The loops that count v, path[*begin] to path[*end - 1]: over v itself, or, of a trip count, those over the var that
 * it counts whose steps are smaller than its span, and no smaller than one of these iterations. */
static lt_var counted(const struct lt_freezer *f, lt_var v, int32_t *begin, int32_t *end)
{
	const struct lt_vardef *d = &f->g->var[v];
	*begin = 0;
	*end = f->n_path;
	for (int32_t k = 0; k < f->n_path; k++)
		if (f->path[k].var == v)
			return v;
	for (int32_t k = f->n_path - 1; d->unit && k >= 0; k--)
		if (f->path[k].var == d->of && f->path[k].step < d->unit)
			*end = k;
	for (int32_t k = 0; d->span && k < f->n_path; k++)
		if (f->path[k].var == d->of && f->path[k].step >= d->span)
			*begin = k + 1;
	return d->unit ? d->of : v;
}

bool lt__freeze_padded(const struct lt_freezer *f, lt_var v)
{
	int32_t begin, end;
	v = counted(f, v, &begin, &end);
	for (int32_t k = begin; k < end; k++)
		if (f->path[k].var == v && f->path[k].pad)
			return true;
	return false;
}

void lt__freeze_padding(struct lt_freezer *f, lt_var v, int32_t owner, bool roomy, struct lt_rows *out)
{
	int32_t begin, end;
	v = counted(f, v, &begin, &end);
	for (int32_t k = begin > owner + 1 ? begin : owner + 1; k < end; k++) {
		if (f->path[k].var != v || !f->path[k].pad)
			continue;
		int32_t cut = last_cut(f, v, k);
		struct frozen_extents x = extents_of(f, v, k, false);
		for (int32_t from = cut; !are_same(&x, f->path[k].step) && from < k; from++) {
			if (!is_span(f, v, from, cut) || (roomy && from <= owner))
				continue;
			struct tail_span s = span_of(f, v, from, k, true);
			if (s.exact && s.size % f->path[k].step == 0)
				continue;
			s = span_of(f, v, from, end, true);
			lt__row_number(f, &s.left, 1, -1);
			lt__rows_add(f, out, &s.left);
		}
	}
}
