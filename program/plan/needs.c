/* Needs: the steps that a run may leave out, since what they write is not read at its run-time scalars.
 *
 * Example: a recurrent layer of up to 512 steps has 512 rounds, of which a result shows the first `length`.  What round
 * 7 writes is read by the copy to that result where length >= 8, and by round 8, which is needed where length >= 9: so
 * round 7 is needed where length >= 8.
 *
 * From the last step to the first: a step is needed where some step after it is, and reads what it writes.  A step
 * reads elements up to one that is a sum of run-time scalars, and only where its guards may hold.  Within a step it is
 * the same from its last leaf to its first: where one step adds up what ten rounds give, and shows the sum after the
 * last one of a run, it does not read what the others give.  A condition is one scalar and the least value that it has;
 * what is no such condition is taken to hold.
 */
#include "base/checked.h"
#include "program/plan/plan.h"

/* param: 1 + number; ALWAYS, NEVER. */
enum { NEVER = -1, ALWAYS = 0 };
struct need_condition { int32_t param; int64_t least; };
static const struct need_condition always = { ALWAYS, 0 }, never = { NEVER, 0 };

/* Either is wider than both together. */
static struct need_condition both(struct need_condition a, struct need_condition b)
{
	if (a.param == NEVER || b.param == ALWAYS)
		return a;
	if (b.param == NEVER || a.param == ALWAYS || a.param != b.param)
		return b;
	return a.least > b.least ? a : b;
}

static struct need_condition any(struct need_condition a, struct need_condition b)
{
	if (a.param == NEVER || b.param == ALWAYS)
		return b;
	if (b.param == NEVER || a.param == ALWAYS)
		return a;
	return a.param != b.param ? always : a.least < b.least ? a : b;
}

/* constant + coef * a param; known false: another sum. */
struct need_sum { bool known; int64_t constant, coef; int32_t param; };

static void sum_add(struct need_sum *s, int64_t by, int64_t constant, int32_t n, const lt_param *param,
	const int64_t *coef)
{
	int64_t term;
	if (lt__mul_overflow(by, constant, &term) || lt__add_overflow(s->constant, term, &s->constant))
		s->known = false;
	for (int32_t i = 0; i < n && s->known; i++) {
		if (!coef[i])
			continue;
		s->known = !s->coef || s->param == param[i];
		s->param = param[i];
		if (lt__mul_overflow(by, coef[i], &term) || lt__add_overflow(s->coef, term, &s->coef))
			s->known = false;
	}
}

/* The most that a row over [1 | params | the leaf's vars] is. */
static struct need_sum most_of(const struct lt_graph *g, const struct lt_leaf *leaf, const struct lt_map *m,
	const int64_t *row)
{
	struct need_sum s = { .known = true };
	sum_add(&s, 1, row[0], m->n_param, m->param, row + 1);
	for (int32_t i = 0; i < m->n_dim && s.known; i++) {
		const int64_t by = row[1 + m->n_param + i];
		const struct lt_vardef *v = i < leaf->n_var ? &g->var[leaf->var[i]] : NULL;
		if (by <= 0)
			s.known = s.known && (v || !by);
		else if (!v)
			s.known = false;
		else if (v->bounded)
			sum_add(&s, by, v->limit.constant - 1, v->limit.n, v->limit.param, v->limit.coef);
		else
			sum_add(&s, by, v->extent - 1, 0, NULL, NULL);
	}
	for (int32_t i = 1 + m->n_param + m->n_dim; i < lt__map_width(m); i++)
		s.known = s.known && !row[i];
	return s;
}

/* Where the sum is so much at least. */
static struct need_condition reaches(const struct lt_graph *g, const struct need_sum *s, int64_t least)
{
	int64_t rest;
	if (!s->known || __builtin_sub_overflow(least, s->constant, &rest))
		return always;
	if (s->coef <= 0)
		return !s->coef && rest > 0 ? never : always;
	const int64_t value = rest > 0 ? (rest - 1) / s->coef + 1 : 0;
	return value <= g->param[s->param].low ? always : (struct need_condition){ 1 + s->param, value };
}

/* A step after this one reads elements from .. to - 1 of a storage, not beyond `most`. */
struct need_reading { int64_t from, to; struct need_sum most; struct need_condition needed; int32_t next; };
struct needs {
	const struct lt_looptree *t;
	const struct lt_nests *nests;
	struct lt_arena *a;
	struct need_reading *at; int32_t n, cap;
	int32_t *first;                 /* by storage; -1 */
	struct need_condition *local;   /* by node: where a leaf reads it */
	int32_t *last;                  /* by node, within a nest: its last statement; -1 */
};

static void reading_add(struct needs *x, int32_t storage, struct need_reading r)
{
	if (storage < 0 || r.needed.param == NEVER)
		return;
	LT_GROW(x->a, x->at, x->n, x->cap);
	r.next = x->first[storage];
	x->at[x->n] = r;
	x->first[storage] = x->n++;
}

static void whole_reading(struct needs *x, int32_t storage, int64_t from, int64_t to, struct need_condition needed)
{
	reading_add(x, storage, (struct need_reading){ .from = from, .to = to, .needed = needed });
}

/* Where some step reads what is written there. */
static struct need_condition written(const struct needs *x, int32_t storage, int64_t from, int64_t to)
{
	const enum lt_storage_space space = x->nests->assigned.storage[storage].space;
	struct need_condition c = never;
	if (space == LT_STORAGE_RESULT || space == LT_STORAGE_STATE)
		return always;
	for (int32_t i = x->first[storage]; i >= 0; i = x->at[i].next) {
		const struct need_reading *r = &x->at[i];
		if (from < r->to && to > r->from)
			c = any(c, both(r->needed, reaches(x->t->graph, &r->most, from)));
	}
	return c;
}

/* What one operand of a leaf reads, if that is a row. */
static void read_pieces(struct needs *x, const struct lt_leaf *leaf, const struct lt_read *read, bool plain,
	struct need_condition needed, bool *covered)
{
	for (int32_t i = 0; i < read->n_piece; i++) {
		const struct lt_readpiece *p = &read->piece[i];
		const struct lt_location *at = p->base >= 0 ? &x->nests->assigned.location[p->base] : NULL;
		struct need_condition c = needed;
		struct need_reading r = { .to = INT64_MAX };
		if (!at)
			continue;
		int64_t *row = LT_NEW(x->a, int64_t, lt__map_width(&p->map));
		for (int32_t k = 0; plain && k < p->map.n_guard; k++) {
			const struct need_sum s = most_of(x->t->graph, leaf, &p->map, p->map.guard + (int64_t)k * lt__map_width(&p->map));
			c = both(c, reaches(x->t->graph, &s, 0));
		}
		x->local[p->base] = any(x->local[p->base], c);
		if (at->storage < 0)
			continue;
		if (plain && !x->t->layout[p->base] && lt__flat_row(&p->map, at->stride, row)
			&& !lt__add_overflow(row[0], at->offset, &row[0]))
			r.most = most_of(x->t->graph, leaf, &p->map, row);
		r.needed = c;
		reading_add(x, at->storage, r);
		covered[at->storage] = true;
	}
}

static const struct lt_leaf *leaf_at(const struct needs *x, const struct lt_frozen *f, uint32_t stmt)
{
	const lt_node n = f->node[stmt];
	return x->t->leaf_of[n] >= 0 ? x->t->leaf[n] : NULL;
}

/* Whether each leaf of a nest comes after those that it reads, so that going backwards the readers of a value are known
 * before what makes it.  A call reads what it is handed, whatever of it is needed. */
static bool comes_in_order(const struct needs *x, const struct lt_frozen *f)
{
	bool good = f->tree.calls.n == 0;
	for (uint32_t i = 0; i < f->tree.stmts.n; i++)
		x->last[f->node[i]] = (int32_t)i;
	for (uint32_t i = 0; i < f->tree.stmts.n; i++) {
		const struct lt_leaf *leaf = leaf_at(x, f, i);
		for (int32_t k = 0; leaf && k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				const lt_node base = leaf->read[k].piece[p].base;
				good = good && (base < 0 || x->last[base] < (int32_t)i);
			}
	}
	for (uint32_t i = 0; i < f->tree.stmts.n; i++)
		x->last[f->node[i]] = -1;
	return good;
}

/* Where some leaf of the nest, or a step after it, reads what a leaf makes. */
static struct need_condition leaf_needed(const struct needs *x, const struct lt_frozen *f, lt_node n)
{
	const int32_t storage = x->nests->assigned.location[n].storage;
	struct need_condition c = x->local[n];
	bool found = storage < 0;
	for (int32_t i = 0; i < f->n_bind && storage >= 0; i++)
		if (f->bind[i].written && f->bind[i].storage == storage) {
			c = any(c, written(x, storage, f->bind[i].offset, f->bind[i].offset + f->bind[i].elems));
			found = true;
		}
	return found && c.param != NEVER ? c : always;
}

/* A leaf reads where what it makes is needed; in a run in which it is not, it may compute of anything.  Not so one that
 * takes elements at places, which have to be some. */
static struct need_condition launch_needed(struct needs *x, const struct lt_frozen *f, bool *covered)
{
	const struct lt_graph *g = x->t->graph;
	const bool in_order = comes_in_order(x, f);
	struct need_condition c = never;
	for (int32_t i = 0; i < f->n_bind; i++)
		if (f->bind[i].written)
			c = any(c, written(x, f->bind[i].storage, f->bind[i].offset, f->bind[i].offset + f->bind[i].elems));
	if (c.param == NEVER)
		c = always;
	for (uint32_t i = f->tree.stmts.n; i-- > 0;) {
		const lt_node n = f->node[i];
		const struct lt_leaf *leaf = leaf_at(x, f, i);
		const bool plain = leaf && !leaf->n_trip && !leaf->gather && g->node[n].op != LT_OP_update;
		const struct need_condition of = plain && in_order ? both(c, leaf_needed(x, f, n)) : c;
		for (int32_t k = 0; leaf && k < leaf->n_read; k++)
			read_pieces(x, leaf, &leaf->read[k], plain, of, covered);
	}
	for (int32_t i = 0; i < f->n_bind; i++)         /* an update's old content, what a call takes */
		if (!covered[f->bind[i].storage])
			whole_reading(x, f->bind[i].storage, f->bind[i].offset, f->bind[i].offset + f->bind[i].elems, c);
	for (int32_t i = 0; i < f->n_bind; i++)
		covered[f->bind[i].storage] = false;
	return c;
}

/* Each block is read as a copy of its own. */
static void blocks_read(struct needs *x, const struct lt_blocks *b)
{
	for (int32_t i = 0; i < b->n; i++) {
		const struct lt_block *k = &b->at[i];
		int64_t to_end = k->to_at + 1, from_end = k->from_at + 1;
		struct need_condition c = always;
		for (int32_t j = k->first_dim; j < k->first_dim + k->n_dim; j++) {
			const struct lt_blockdim *d = &b->dim[j];
			to_end += (d->size - 1) * d->to;
			from_end += d->from > 0 ? (d->size - 1) * d->from : 0;
			if (!d->limit)
				continue;
			struct need_sum s = { .known = true };
			sum_add(&s, 1, d->limit->constant, d->limit->n, d->limit->param, d->limit->coef);
			c = both(c, reaches(x->t->graph, &s, d->low + 1));
		}
		c = both(written(x, b->to, k->to_at, to_end), c);
		bool plain = !k->n_term;
		for (int32_t j = k->first_dim; j < k->first_dim + k->n_dim; j++)
			plain = plain && b->dim[j].from >= 0;
		whole_reading(x, k->from, plain ? k->from_at : 0, plain ? from_end : INT64_MAX, c);
	}
}

void lt__plan_needs(const struct lt_looptree *t, const struct lt_nests *nests, struct lt_plan *plan, struct lt_arena *a)
{
	const int32_t n = nests->assigned.n_storage;
	struct needs x = { .t = t, .nests = nests, .a = a, .first = LT_NEW(a, int32_t, n + 1) };
	bool *covered = LT_NEW(a, bool, n + 1);
	if (!t->graph->n_param)
		return;
	for (int32_t i = 0; i < n; i++)
		x.first[i] = -1;
	x.local = LT_NEW(a, struct need_condition, t->graph->n_node + 1);
	x.last = LT_NEW(a, int32_t, t->graph->n_node + 1);
	for (lt_node i = 0; i < t->graph->n_node; i++) {
		x.local[i] = never;
		x.last[i] = -1;
	}
	for (int32_t i = plan->n_run - 1; i >= 0; i--) {
		struct lt_pstep *s = &plan->run[i];
		struct need_condition c = always;
		if (s->kind == LT_STEP_RUN) {
			c = launch_needed(&x, &nests->frozen[s->nest], covered);
		} else if (s->kind == LT_STEP_BLOCKS) {
			blocks_read(&x, nests->blocks[s->nest]);
		} else {
			c = written(&x, s->to, 0, INT64_MAX);
			c = c.param == NEVER ? always : c;
			whole_reading(&x, s->from, 0, INT64_MAX, c);
		}
		s->needs = c.param;
		s->least = c.least;
	}
	for (int32_t i = 0; i < plan->n_segment; i++)
		for (int32_t k = 0; k < plan->segment[i].n; k++)
			plan->segment[i].varies = plan->segment[i].varies || plan->run[plan->segment[i].first + k].needs;
}
