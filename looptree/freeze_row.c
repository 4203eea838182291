/* Rows of a frozen tree: loop bounds, params, floor divisions, accesses and the hull of what they touch. */
#include "looptree/freeze.h"

static void add_term(struct lt_freezer *f, struct lt_row *r, int32_t kind, int32_t at, int64_t coef)
{
	for (int32_t i = 0; i < r->n; i++)
		if (r->term[i].kind == kind && r->term[i].at == at) {
			r->term[i].coef += coef;
			return;
		}
	if (!coef)
		return;
	LT_GROW(f->a, r->term, r->n, r->cap);
	r->term[r->n++] = (struct lt_term){ kind, at, coef };
}

static void add_row(struct lt_freezer *f, struct lt_row *to, const struct lt_row *r, int64_t times)
{
	to->constant += times * r->constant;
	for (int32_t i = 0; i < r->n; i++)
		add_term(f, to, r->term[i].kind, r->term[i].at, times * r->term[i].coef);
}

static void add_linear(struct lt_freezer *f, struct lt_row *to, const struct lt_linear *l)
{
	to->constant += l->constant;
	for (int32_t i = 0; i < l->n; i++)
		add_term(f, to, LT_TERM_PARAM, lt__freeze_param(f, l->param[i]), l->coef[i]);
}

static int32_t buffer_of_storage(struct lt_freezer *f, int32_t storage, const char *name);

/* Each param has a slot of its own, so that kernels that differ in the number of a param stay equal. */
int32_t lt__freeze_param(struct lt_freezer *f, lt_param p)
{
	if (f->param_of[p] >= 0)
		return f->param_of[p];
	LT_GROW(f->a, f->param, f->n_param, f->cap_param);
	LT_GROW(f->a, f->param_buffer, f->n_param, f->cap_param_buffer);
	LT_GROW(f->a, f->buffer, f->n_buffer, f->cap_buffer);
	f->buffer[f->n_buffer] = (struct lt_fbuffer){ .node = -1, .storage = f->layout->param_storage, .dtype = LT_I64,
		.low = p, .high = p, .scope = -1, .read = true, .name = f->g->param[p].name };
	f->param_buffer[f->n_param] = f->n_buffer++;
	f->param[f->n_param] = p;
	f->needs |= LT_NEED_PARAMS;
	return f->param_of[p] = f->n_param++;
}

int32_t lt__freeze_limit(struct lt_freezer *f, const struct lt_linear *l)
{
	struct lt_row row = { 0 };
	add_linear(f, &row, l);
	LT_GROW(f->a, f->bound, f->n_bound, f->cap_bound);
	f->bound[f->n_bound] = row;
	return f->n_bound++;
}

static bool same_row(const struct lt_row *a, const struct lt_row *b)
{
	if (a->constant != b->constant || a->n != b->n)
		return false;
	for (int32_t i = 0; i < a->n; i++)
		if (a->term[i].kind != b->term[i].kind || a->term[i].at != b->term[i].at || a->term[i].coef != b->term[i].coef)
			return false;
	return true;
}

static int32_t depth(const struct lt_freezer *f, int32_t loop)
{
	int32_t d = 0;
	for (; loop >= 0; loop = f->loop[loop].parent)
		d++;
	return d;
}

static int32_t deeper(const struct lt_freezer *f, int32_t a, int32_t b) { return depth(f, a) >= depth(f, b) ? a : b; }

static int32_t add_div(struct lt_freezer *f, const struct lt_row *row, int64_t den)
{
	int32_t loop = -1;
	for (int32_t i = 0; i < row->n; i++)
		if (row->term[i].kind == LT_TERM_LOOP)
			loop = deeper(f, loop, row->term[i].at);
		else if (row->term[i].kind == LT_TERM_DIV)
			loop = deeper(f, loop, f->div[row->term[i].at].loop);
	for (int32_t i = 0; i < f->n_div; i++)
		if (f->div[i].den == den && f->div[i].loop == loop && same_row(&f->div[i].row, row))
			return i;
	LT_GROW(f->a, f->div, f->n_div, f->cap_div);
	f->div[f->n_div] = (struct lt_fdiv){ .row = *row, .den = den, .loop = loop };
	f->needs |= LT_NEED_DIVS;
	return f->n_div++;
}

void lt__freeze_row(struct lt_freezer *f, const struct lt_leaf *leaf, const struct lt_map *m, const int64_t *row, int32_t below,
	struct lt_row *out)
{
	*out = (struct lt_row){ .constant = row[0] };
	for (int32_t i = 0; i < m->n_param; i++)
		if (row[1 + i])
			add_term(f, out, LT_TERM_PARAM, lt__freeze_param(f, m->param[i]), row[1 + i]);
	for (int32_t i = 0; i < leaf->n_var; i++)
		for (int32_t k = below + 1; row[1 + m->n_param + i] && k < f->n_path; k++)
			if (f->path[k].var == leaf->var[i])
				add_term(f, out, LT_TERM_LOOP, f->path[k].loop, f->path[k].step * row[1 + m->n_param + i]);
	int32_t width = lt__map_width(m);
	for (int32_t d = 0; d < m->n_div; d++) {
		if (!row[1 + m->n_param + m->n_dim + d])
			continue;
		const int64_t *div = m->div + (int64_t)d * (1 + width);
		struct lt_row inner;
		lt__freeze_row(f, leaf, m, div + 1, -1, &inner);
		add_term(f, out, LT_TERM_DIV, add_div(f, &inner, div[0]), row[1 + m->n_param + m->n_dim + d]);
	}
}

/* For every span around it (the var's extent, then the step of each outer loop over it) a loop runs at most to
 * what is left of that span; a row is needed where the steps between do not divide. */
void lt__freeze_bounds(struct lt_freezer *f, lt_var v, int64_t step, struct lt_floop *loop)
{
	const struct lt_vardef *var = &f->g->var[v];
	int64_t span = var->extent;
	loop->first_bound = f->n_bound;
	for (int32_t first = -1; first < f->n_path; first++) {
		if (first >= 0 && f->path[first].var != v)
			continue;
		int64_t outer = first < 0 ? var->extent : f->path[first].step;
		bool bounded = first < 0 && var->bounded, exact = true;
		int64_t size = outer;
		struct lt_row rest = { .constant = outer };
		if (bounded) {
			rest.constant = 0;
			add_linear(f, &rest, &var->limit);
		}
		for (int32_t k = first + 1; k < f->n_path; k++) {
			if (f->path[k].var != v)
				continue;
			exact = exact && size % f->path[k].step == 0;
			size = f->path[k].step;
			add_term(f, &rest, LT_TERM_LOOP, f->path[k].loop, -f->path[k].step);
		}
		span = size < span ? size : span;
		if (exact && !bounded)
			continue;
		if (step > 1) {
			rest.constant += step - 1;
			int32_t d = add_div(f, &rest, step);
			rest = (struct lt_row){ 0 };
			add_term(f, &rest, LT_TERM_DIV, d, 1);
		}
		LT_GROW(f->a, f->bound, f->n_bound, f->cap_bound);
		f->bound[f->n_bound++] = rest;
	}
	loop->n_bound = f->n_bound - loop->first_bound;
	loop->max_trips = (span + step - 1) / step;
}

/* Saturating, since a range is clamped to the extent anyway. */
static int64_t times(int64_t a, int64_t b)
{
	int64_t r;
	return lt__mul_overflow(a, b, &r) ? ((a < 0) == (b < 0) ? INT64_MAX : INT64_MIN) : r;
}
static int64_t plus(int64_t a, int64_t b)
{
	int64_t r;
	return lt__add_overflow(a, b, &r) ? (b > 0 ? INT64_MAX : INT64_MIN) : r;
}

/* Range of a row by intervals. */
static void row_range(const struct lt_freezer *f, const struct lt_row *r, int64_t *low, int64_t *high)
{
	*low = *high = r->constant;
	for (int32_t i = 0; i < r->n; i++) {
		const struct lt_term *t = &r->term[i];
		int64_t a = 0, b = 0;
		if (t->kind == LT_TERM_LOOP) {
			b = f->loop[t->at].max_trips - 1;
		} else if (t->kind == LT_TERM_PARAM) {
			a = f->g->param[f->param[t->at]].low;
			b = f->g->param[f->param[t->at]].high;
		} else {
			row_range(f, &f->div[t->at].row, &a, &b);
			int64_t den = f->div[t->at].den;
			a = a >= 0 ? a / den : -((-a + den - 1) / den);
			b = b >= 0 ? b / den : -((-b + den - 1) / den);
		}
		int64_t x = times(t->coef, a), y = times(t->coef, b);
		*low = plus(*low, x < y ? x : y);
		*high = plus(*high, x < y ? y : x);
	}
}

static int32_t buffer_of_storage(struct lt_freezer *f, int32_t storage, const char *name)
{
	int32_t *at = &f->buffer_of_storage[storage];
	if (*at >= 0)
		return *at;
	LT_GROW(f->a, f->buffer, f->n_buffer, f->cap_buffer);
	f->buffer[f->n_buffer] = (struct lt_fbuffer){ .node = -1, .storage = storage, .dtype = f->layout->storage[storage].dtype,
		.elems = f->layout->storage[storage].elems, .low = INT64_MAX, .high = -1, .scope = -1, .name = name };
	return *at = f->n_buffer++;
}

static int32_t buffer_of_local(struct lt_freezer *f, lt_node n)
{
	int32_t *at = &f->buffer_of_node[n];
	if (*at >= 0)
		return *at;
	const struct lt_scope *s = &f->t->scope[n];
	int64_t elems = 1;
	for (int32_t i = 0; i < f->g->node[n].n_dim; i++)
		elems *= s->extent[i];
	int32_t scope = -1;
	for (int32_t k = 0; k < f->n_path; k++)
		if (f->path[k].at == s->owner)
			scope = f->path[k].loop;
	LT_GROW(f->a, f->buffer, f->n_buffer, f->cap_buffer);
	f->buffer[f->n_buffer] = (struct lt_fbuffer){ .node = n, .storage = -1, .dtype = f->g->node[n].dtype, .elems = elems,
		.scope = scope, .slot = -1, .name = f->g->node[n].name };
	return *at = f->n_buffer++;
}

/* Position in the path of the innermost loop that a local's owner stands in or is; -1: it owns the whole nest. */
static int32_t owner_position(const struct lt_freezer *f, lt_node n)
{
	for (int32_t k = f->n_path - 1; k >= 0; k--)
		if (f->path[k].at == f->t->scope[n].owner)
			return k;
	return -1;
}

static bool owner_covers(const struct lt_freezer *f, int32_t owner, lt_var v)
{
	for (int32_t k = 0; k <= owner; k++)
		if (f->path[k].var == v)
			return true;
	return false;
}

lt_status lt__freeze_access(struct lt_freezer *f, const struct lt_leaf *leaf, lt_node base, const struct lt_map *m, bool dest, int32_t *out)
{
	const struct lt_nodedef *d = &f->g->node[base];
	const struct lt_place *place = &f->layout->place[base];
	bool whole = place->storage >= 0;
	int32_t b = whole ? buffer_of_storage(f, place->storage, d->name) : buffer_of_local(f, base);
	int32_t owner = whole ? -1 : owner_position(f, base), width = lt__map_width(m);
	struct lt_faccess access = { .buffer = b, .index = -1, .row = { .constant = whole ? place->offset : 0 } };
	int64_t low = access.row.constant, high = low, unit = 1;
	for (int32_t i = d->n_dim - 1; i >= 0; i--) {
		const int64_t *row = m->row + (int64_t)i * width;
		int64_t stride = whole ? place->stride[i] : unit, extent = whole ? f->g->var[d->dim[i]].extent : f->t->scope[base].extent[i];
		struct lt_row index;
		lt__freeze_row(f, leaf, m, row, owner_covers(f, owner, d->dim[i]) ? owner : -1, &index);
		if (leaf->gather && m->n_dim > leaf->n_var && row[1 + m->n_param + leaf->n_var]) {
			access.index_stride += stride * row[1 + m->n_param + leaf->n_var];
			high += stride * (extent - 1);
		} else {
			int64_t l, h;
			row_range(f, &index, &l, &h);
			l = l < 0 ? 0 : l;
			h = h > extent - 1 ? extent - 1 : h;
			low += stride * l;
			high += stride * h;
		}
		add_row(f, &access.row, &index, stride);
		unit *= extent;
	}
	struct lt_fbuffer *buffer = &f->buffer[b];
	if (whole) {
		buffer->low = low < buffer->low ? low : buffer->low;
		buffer->high = high > buffer->high ? high : buffer->high;
	}
	buffer->written = buffer->written || dest;
	buffer->read = buffer->read || !dest;
	LT_GROW(f->a, f->access, f->n_access, f->cap_access);
	*out = f->n_access;
	f->access[f->n_access++] = access;
	return LT_OK;
}
