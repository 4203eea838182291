/* access.c -- what leaves access as rows over the loops around them: the maps of a leaf over its vars (lt__leaf), with
 * each var as the sum of its loops. */
#include <string.h>
#include "base/owned.h"
#include "looptree/access/access.h"

/* The loops around a leaf, and of a gather the axis after them: columns of the maps; where each is among all. */
struct around { lt_tnode leaf; const struct lt_leaf *of; int32_t n_loop, n_dim; lt_tnode *loop; int32_t *column; };
struct entry { struct lt_leaf_access is; struct lt_map map; const struct around *around; };
struct bounds { struct lt_map map; const struct around *around; int32_t n_entry; };
struct access_build {
	struct lt_looptree *t;
	struct lt_arena *a, *keep;      /* while it is made, and of the answer */
	lt_tnode at;
	lt_node value;
	struct lt_accesses *out;
	struct lt_access_loop *loop; int32_t n_loop, cap_loop;
	struct entry *entry; int32_t n_entry, cap_entry;
	struct bounds *bounds; int32_t n_bounds, cap_bounds;    /* by leaf */
	struct lt_access_param *param; int32_t n_param, cap_param;
	int32_t *param_of;              /* by graph param: its column among params; -1 */
	int64_t *rows; int32_t *guards; struct lt_access_div *div;
	int32_t n_row, n_div, n_guard;
};

static const char *keep_string(struct access_build *b, const char *text) { return lt__arena_string(b->keep, text); }

/* -- columns -- */

static void add_loop(struct access_build *b, lt_tnode at, int32_t inside)
{
	LT_GROW(b->keep, b->loop, b->n_loop, b->cap_loop);
	b->loop[b->n_loop++] = (struct lt_access_loop){ .loop = at, .inside = inside,
		.name = keep_string(b, lt__loop_name(b->t, at)), .path = keep_string(b, lt__loop_path(b->t, at)),
		.step = b->t->node[at].step, .trip_count = lt_looptree_trip_count(b->t, at) };
}

static int32_t add_gathered(struct access_build *b, lt_var axis)
{
	LT_GROW(b->keep, b->loop, b->n_loop, b->cap_loop);
	const char *name = keep_string(b, b->t->graph->var[axis].name);
	b->loop[b->n_loop] = (struct lt_access_loop){ .loop = -1, .inside = 1, .name = name, .path = name, .step = 1,
		.trip_count = b->t->graph->var[axis].extent };
	return b->n_loop++;
}

static lt_tnode after_inside(const struct lt_looptree *t, lt_tnode at, lt_tnode top)
{
	const lt_tnode next = lt_looptree_after(t, at);
	return next >= 0 && lt__is_above(t, top, next) ? next : -1;
}

static void add_loops(struct access_build *b)
{
	lt_tnode *above = LT_NEW(b->a, lt_tnode, lt__loops_above(b->t, b->at, NULL) + 1);
	const int32_t n = lt__loops_above(b->t, b->at, above);
	for (int32_t i = 0; i < n; i++)
		add_loop(b, above[i], 0);
	for (lt_tnode x = b->at; x >= 0; x = after_inside(b->t, x, b->at))
		if (b->t->node[x].kind == LT_TLOOP)
			add_loop(b, x, 1);
}

static const struct around *find_around(struct access_build *b, lt_tnode leaf, const struct lt_leaf *of)
{
	struct around *r = LT_NEW(b->a, struct around, 1);
	const lt_node n = b->t->node[leaf].leaf;
	*r = (struct around){ .leaf = leaf, .of = of, .n_loop = lt__loops_above(b->t, leaf, NULL) };
	r->n_dim = r->n_loop + of->gather;
	r->loop = LT_NEW(b->a, lt_tnode, r->n_dim + 1);
	r->column = LT_NEW(b->a, int32_t, r->n_dim + 1);
	lt__loops_above(b->t, leaf, r->loop);
	for (int32_t i = 0; i < r->n_loop; i++)
		while (b->loop[r->column[i]].loop != r->loop[i])
			r->column[i]++;
	if (of->gather) {
		const struct lt_nodedef *d = &b->t->graph->node[n];
		r->column[r->n_loop] = add_gathered(b, b->t->graph->node[d->operand[0]].dim[d->axis]);
	}
	return r;
}

/* -- maps over loops -- */

/* The leaf's columns, n_row of them, as sums of its loops. */
static struct lt_map columns_of(struct access_build *b, const struct around *r, int32_t n_row)
{
	struct lt_map m = { .n_dim = r->n_dim, .n_row = n_row };
	const int32_t width = 1 + r->n_dim, n_var = r->of->n_var + r->of->n_trip;
	int64_t *row = LT_NEW(b->a, int64_t, (int64_t)width * n_row + 1);
	for (int32_t i = 0; i < n_row && i < n_var; i++)
		for (int32_t k = 0; k < r->n_loop; k++)
			row[(int64_t)width * i + 1 + k] = lt__var_step(b->t->graph, r->of->var[i], b->t->node[r->loop[k]].var,
				b->t->node[r->loop[k]].step);
	if (n_row > n_var)
		row[(int64_t)width * n_var + 1 + r->n_loop] = 1;
	m.row = row;
	return m;
}

/* The map's rows, then each of the first n columns as a row. */
static struct lt_map with_columns(struct access_build *b, const struct lt_map *m, int32_t n)
{
	struct lt_map all = *m;
	const size_t width = (size_t)lt__map_width(m);
	int64_t *row = LT_NEW(b->a, int64_t, width * (size_t)(m->n_row + n) + 1);
	memcpy(row, m->row, width * (size_t)m->n_row * sizeof *row);
	for (int32_t i = 0; i < n; i++)
		row[width * (size_t)(m->n_row + i) + 1 + (size_t)m->n_param + (size_t)i] = 1;
	all.row = row;
	all.n_row += n;
	return all;
}

/* Adds an access by a map over the leaf's columns; *always: it has no guards. */
static lt_status add_entry(struct access_build *b, const struct around *r, struct lt_leaf_access is,
	const struct lt_map *m, bool *always)
{
	struct lt_map over = columns_of(b, r, m->n_dim), both, place;
	int64_t *extent = LT_NEW(b->a, int64_t, r->n_dim + 1);
	struct lt_box box = { .n = r->n_dim, .extent = extent };
	bool empty;
	for (int32_t i = 0; i < r->n_dim; i++)
		extent[i] = b->loop[r->column[i]].trip_count;
	LT_TRY(lt__map_compose(b->t->ctx, b->a, &over, m, &both));
	if (is.kind == LT_READ) {
		over = with_columns(b, &both, r->n_loop);
		LT_TRY(lt__access_place(b->t, b->a, is.value, r->n_loop, r->loop, &place));
		LT_TRY(lt__map_compose(b->t->ctx, b->a, &over, &place, &both));
	}
	LT_TRY(lt__map_simplify(b->t->graph, b->a, &box, &both, &empty));
	*always = !empty && both.n_guard == 0;
	if (empty || (b->value != LT_OMIT && is.value != b->value))
		return LT_OK;
	is.leaf = r->leaf;
	is.node = b->t->node[r->leaf].leaf;
	is.n_row = both.n_row - (is.kind == LT_READ);
	LT_GROW(b->a, b->entry, b->n_entry, b->cap_entry);
	b->entry[b->n_entry++] = (struct entry){ is, both, r };
	return LT_OK;
}

static lt_status add_reads(struct access_build *b, const struct around *r)
{
	static const int32_t kinds[] = { [LT_PIECE_READ] = LT_READ, [LT_PIECE_IMMEDIATE] = LT_IMMEDIATE,
		[LT_PIECE_INDEX] = LT_AFFINE };
	const struct lt_nodedef *d = &b->t->graph->node[b->t->node[r->leaf].leaf];
	for (int32_t k = 0; k < r->of->n_read; k++) {
		bool always = false;
		for (int32_t p = 0; p < r->of->read[k].n_piece && !always; p++) {
			const struct lt_readpiece *piece = &r->of->read[k].piece[p];
			const struct lt_leaf_access is = { .does = LT_DOES_READ, .operand = k + (d->op == LT_OP_update),
				.kind = kinds[piece->kind], .value = piece->base, .bits = piece->bits };
			LT_TRY(add_entry(b, r, is, &piece->map, &always));
		}
	}
	return LT_OK;
}

static lt_status add_write(struct access_build *b, const struct around *r)
{
	const lt_node n = b->t->node[r->leaf].leaf;
	const struct lt_leaf_access is = { .does = b->t->graph->node[n].reduce ? LT_DOES_ADD : LT_DOES_WRITE, .operand = -1,
		.kind = LT_READ, .value = n };
	struct lt_map dest;
	bool always;
	lt__leaf_dest(b->t->graph, b->a, n, r->of, &dest);
	return add_entry(b, r, is, &dest, &always);
}

/* -- which iterations run -- */

static int64_t *bound_row(struct access_build *b, struct lt_map *m, int32_t *cap, int64_t **guard)
{
	const int32_t width = lt__map_width(m);
	while (m->n_guard >= *cap)
		*guard = lt__arena_grow(b->a, *guard, (size_t)width * sizeof **guard, m->n_guard, cap);
	m->guard = *guard;
	return *guard + (int64_t)width * m->n_guard++;
}

/* The loops over one var, from the k-th around the leaf inwards: what is left of its span, that of the loop before it.
 * Steps that divide each other, and a span that is whole, leave nothing to say. */
static int64_t span_rows(struct access_build *b, const struct around *r, int32_t k, struct lt_map *m, int32_t *cap,
	int64_t **guard)
{
	const struct lt_tnodedef *d = &b->t->node[r->loop[k]];
	int32_t next = k + 1;
	while (next < r->n_loop && b->t->node[r->loop[next]].var != d->var)
		next++;
	const int64_t inside = next < r->n_loop ? span_rows(b, r, next, m, cap, guard) : 0,
		span = lt__loop_span(b->t, r->loop[k]), last = (lt_looptree_trip_count(b->t, r->loop[k]) - 1) * d->step + inside;
	const struct lt_vardef *v = &b->t->graph->var[d->var];
	const bool bounded = v->bounded && lt__loop_around(b->t, r->loop[k]) < 0;
	for (int i = 0; i < 2; i++) {
		if (i == 0 ? last <= span - 1 : !bounded)
			continue;
		int64_t *row = bound_row(b, m, cap, guard);
		row[0] = i == 0 ? span - 1 : v->limit.constant - 1;
		for (int32_t p = 0; i == 1 && p < v->limit.n; p++)
			row[1 + lt__index_of(m->param, m->n_param, v->limit.param[p])] += v->limit.coef[p];
		for (int32_t j = k; j < r->n_loop; j++)
			if (b->t->node[r->loop[j]].var == d->var)
				row[1 + m->n_param + j] = -b->t->node[r->loop[j]].step;
	}
	return last < span - 1 ? last : span - 1;
}

static void add_bounds(struct access_build *b, const struct around *r, int32_t n_entry)
{
	const struct lt_graph *g = b->t->graph;
	struct lt_map m = { .n_dim = r->n_dim };
	lt_param *param = NULL;
	int32_t cap = 0, cap_param = 0;
	int64_t *guard = NULL;
	for (int32_t k = 0; k < r->n_loop; k++) {
		const struct lt_vardef *v = &g->var[b->t->node[r->loop[k]].var];
		for (int32_t p = 0; v->bounded && p < v->limit.n; p++)
			if (!lt__has(param, m.n_param, v->limit.param[p])) {
				LT_GROW(b->a, param, m.n_param, cap_param);
				param[m.n_param++] = v->limit.param[p];
			}
	}
	m.param = param;
	for (int32_t k = 0; k < r->n_loop; k++)
		if (lt__loop_around(b->t, r->loop[k]) < 0)
			span_rows(b, r, k, &m, &cap, &guard);
	LT_GROW(b->a, b->bounds, b->n_bounds, b->cap_bounds);
	b->bounds[b->n_bounds++] = (struct bounds){ m, r, n_entry };
}

/* -- the answer's rows -- */

static void count_map(struct access_build *b, const struct lt_map *m)
{
	b->n_row += m->n_row + m->n_guard + m->n_div;
	b->n_guard += m->n_guard;
	b->n_div += m->n_div;
	for (int32_t i = 0; i < m->n_param; i++) {
		const struct lt_paramdef *p = &b->t->graph->param[m->param[i]];
		if (b->param_of[m->param[i]] >= 0)
			continue;
		LT_GROW(b->keep, b->param, b->n_param, b->cap_param);
		b->param_of[m->param[i]] = b->n_param;
		b->param[b->n_param++] = (struct lt_access_param){ .param = m->param[i], .name = keep_string(b, p->name),
			.low = p->low, .high = p->high };
	}
}

/* A row over the map's columns becomes one over all: its number. */
static int32_t write_row(struct access_build *b, const struct around *r, const struct lt_map *m, int32_t first_div,
	const int64_t *from)
{
	const struct lt_accesses *out = b->out;
	int64_t *row = b->rows + (int64_t)out->n_column * b->n_row;
	row[0] = from[0];
	for (int32_t i = 0; i < m->n_param; i++)
		row[1 + b->param_of[m->param[i]]] += from[1 + i];
	for (int32_t i = 0; i < m->n_dim; i++)
		row[1 + out->n_param + r->column[i]] += from[1 + m->n_param + i];
	for (int32_t i = 0; i < m->n_div; i++)
		row[1 + out->n_param + out->n_loop + first_div + i] = from[1 + m->n_param + m->n_dim + i];
	return b->n_row++;
}

/* first_row, first_guard: where its rows and guards are now. */
static void write_map(struct access_build *b, const struct around *r, const struct lt_map *m, int32_t *first_row,
	int32_t *first_guard)
{
	const int32_t width = lt__map_width(m), first_div = b->n_div;
	for (int32_t i = 0; i < m->n_div; i++, b->n_div++) {
		const int64_t *div = m->div + (int64_t)i * (1 + width);
		b->div[b->n_div] = (struct lt_access_div){ .row = write_row(b, r, m, first_div, div + 1), .den = div[0] };
	}
	*first_guard = b->n_guard;
	for (int32_t i = 0; i < m->n_guard; i++)
		b->guards[b->n_guard++] = write_row(b, r, m, first_div, m->guard + (int64_t)i * width);
	*first_row = b->n_row;
	for (int32_t i = 0; i < m->n_row; i++)
		write_row(b, r, m, first_div, m->row + (int64_t)i * width);
}

static void write_rows(struct access_build *b)
{
	struct lt_accesses *out = b->out;
	struct lt_leaf_access *access = LT_NEW(b->keep, struct lt_leaf_access, b->n_entry + 1);
	int32_t first, n = 0, row;
	b->param_of = LT_NEW(b->a, int32_t, b->t->graph->n_param + 1);
	for (lt_param p = 0; p < b->t->graph->n_param; p++)
		b->param_of[p] = -1;
	for (int32_t i = 0; i < b->n_bounds; i++)
		count_map(b, &b->bounds[i].map);
	for (int32_t i = 0; i < b->n_entry; i++)
		count_map(b, &b->entry[i].map);
	*out = (struct lt_accesses){ .size = sizeof *out, .at = b->at, .n_param = b->n_param, .n_loop = b->n_loop,
		.n_div = b->n_div, .n_column = 1 + b->n_param + b->n_loop + b->n_div, .n_row = b->n_row, .n_guard = b->n_guard };
	out->rows = b->rows = lt__arena_alloc_array(b->keep, (size_t)out->n_column * sizeof *b->rows, (size_t)b->n_row + 1);
	out->guards = b->guards = LT_NEW(b->keep, int32_t, b->n_guard + 1);
	b->div = LT_NEW(b->keep, struct lt_access_div, b->n_div + 1);
	b->n_row = b->n_div = b->n_guard = 0;
	out->params = (struct lt_array){ b->param, (uint32_t)b->n_param, sizeof *b->param };
	out->loops = (struct lt_array){ b->loop, (uint32_t)b->n_loop, sizeof *b->loop };
	out->divs = (struct lt_array){ b->div, (uint32_t)out->n_div, sizeof *b->div };
	out->accesses = (struct lt_array){ access, (uint32_t)b->n_entry, sizeof *access };
	for (int32_t i = 0; i < b->n_bounds; i++) {
		write_map(b, b->bounds[i].around, &b->bounds[i].map, &row, &first);
		for (const int32_t end = n + b->bounds[i].n_entry; n < end; n++) {
			access[n] = b->entry[n].is;
			access[n].first_bound = first;
			access[n].n_bound = b->bounds[i].map.n_guard;
		}
	}
	for (n = 0; n < b->n_entry; n++) {
		struct lt_leaf_access *x = &access[n];
		write_map(b, b->entry[n].around, &b->entry[n].map, &x->first_row, &x->first_guard);
		x->n_guard = b->entry[n].map.n_guard;
		x->place = x->kind == LT_READ ? x->first_row + x->n_row : -1;
	}
	for (n = 0; n < b->n_entry; n++)
		access[n].text = lt__access_text(b->t, b->keep, out, &access[n]);
}

static lt_status build_body(void *arg)
{
	struct access_build *b = arg;
	const struct lt_leaf *leaf;
	add_loops(b);
	for (lt_tnode at = b->at; at >= 0; at = after_inside(b->t, at, b->at)) {
		if (b->t->node[at].kind != LT_TLEAF)
			continue;
		LT_TRY(lt__leaf(b->t, b->t->node[at].leaf, &leaf));
		const struct around *r = find_around(b, at, leaf);
		const int32_t before = b->n_entry;
		LT_TRY(add_reads(b, r));
		LT_TRY(add_write(b, r));
		add_bounds(b, r, b->n_entry - before);
	}
	write_rows(b);
	return LT_OK;
}

/* -- for callers -- */

lt_status lt_looptree_access(struct lt_looptree *t, lt_tnode at, lt_node value, struct lt_accesses **out)
{
	struct access_build b = { .t = t, .at = at, .value = value };
	*out = NULL;
	if (!t->scope)
		return lt_fail(t->ctx, LT_EINVAL, "the tree is not finished: call lt_looptree_finish first");
	if (at < 0 || at >= t->n_node || (value != LT_OMIT && (value < 0 || value >= t->graph->n_node)))
		return lt_fail(t->ctx, LT_EINVAL, "the tree has nodes 0 to %d and its graph 0 to %d: there is no %d and %d",
			(int)t->n_node - 1, (int)t->graph->n_node - 1, (int)at, (int)value);
	b.out = lt__owned_new(t->ctx, sizeof *b.out);
	if (!b.out)
		return lt_fail(t->ctx, LT_ENOMEM, "out of memory");
	b.keep = lt__owned_arena(b.out);
	lt_status st = lt__arena_new(t->ctx, &b.a);
	if (!st)
		st = lt__protect(t->ctx, build_body, &b);
	lt__arena_free(b.a);
	if (st)
		lt_accesses_free(b.out);
	else
		*out = b.out;
	return st;
}

void lt_accesses_free(struct lt_accesses *x) { lt__owned_free(x); }

static int64_t div_value(const struct lt_accesses *x, int32_t d, const int64_t *param, const int64_t *trip)
{
	const struct lt_access_div *div = LT_AT(struct lt_access_div, x->divs, d);
	return lt__floor_div(lt_accesses_value(x, div->row, param, trip), div->den);
}

int64_t lt_accesses_value(const struct lt_accesses *x, int32_t row, const int64_t *param, const int64_t *trip)
{
	const int64_t *at = x->rows + (int64_t)x->n_column * row;
	int64_t value = *at++;
	for (int32_t i = 0; i < x->n_param; i++, at++)
		value += *at ? *at * param[i] : 0;
	for (int32_t i = 0; i < x->n_loop; i++, at++)
		value += *at ? *at * trip[i] : 0;
	for (int32_t i = 0; i < x->n_div; i++, at++)
		value += *at ? *at * div_value(x, i, param, trip) : 0;
	return value;
}

/* Divs use earlier ones only. */
static bool row_moves(const struct lt_accesses *x, int32_t row, int32_t column)
{
	const int64_t *at = x->rows + (int64_t)x->n_column * row, *div = at + 1 + x->n_param + x->n_loop;
	for (int32_t i = 0; i < x->n_div; i++)
		if (div[i] && row_moves(x, LT_AT(struct lt_access_div, x->divs, i)->row, column))
			return true;
	return at[column] != 0;
}

int lt_accesses_along(const struct lt_accesses *x, int32_t row, int32_t loop, int64_t *out)
{
	const int32_t column = 1 + x->n_param + loop;
	const int64_t *at = x->rows + (int64_t)x->n_column * row, *div = at + 1 + x->n_param + x->n_loop;
	for (int32_t i = 0; i < x->n_div; i++)
		if (div[i] && row_moves(x, LT_AT(struct lt_access_div, x->divs, i)->row, column))
			return 0;
	*out = at[column];
	return 1;
}
