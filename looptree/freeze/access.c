/* Buffers and accesses of a frozen tree: where an element lies, by the order of its dims or by the digits of a
 * layout. */
#include "looptree/freeze/parts.h"

static int32_t buffer_of_storage(struct lt_freezer *f, int32_t storage, const char *name)
{
	int32_t *at = &f->buffer_of_storage[storage];
	if (*at >= 0)
		return *at;
	LT_GROW(f->a, f->buffer, f->n_buffer, f->cap_buffer);
	f->buffer[f->n_buffer] = (struct lt_fbuffer){ .node = -1,
		.storage = storage,
		.dtype = f->memory->storage[storage].dtype,
		.elems = f->memory->storage[storage].elems,
		.low = INT64_MAX,
		.high = -1,
		.scope = -1,
		.name = name };
	return *at = f->n_buffer++;
}

int32_t lt__freeze_owner(const struct lt_freezer *f, lt_node n)
{
	for (int32_t k = f->n_path - 1; k >= 0 && f->memory->location[n].storage < 0; k--)
		if (f->path[k].at == f->t->scope[n].owner)
			return k;
	return -1;
}

int64_t lt__freeze_held(const struct lt_freezer *f, int32_t owner, lt_var v)
{
	const struct lt_vardef *d = &f->g->var[v];
	for (int32_t k = owner; k >= 0; k--) {
		const struct lt_step *p = &f->path[k];
		int64_t step = lt__var_step(f->g, v, p->var, p->step);
		if (step && p->var == v)
			return p->cover;
		if (step)
			return step < d->extent ? step : d->extent;
	}
	return d->extent;
}

lt_status lt__held_elems(const struct lt_looptree *t, lt_node n, const int64_t *extent, int64_t *out)
{
	const struct lt_nodedef *d = &t->graph->node[n];
	const struct lt_memlayout *l = t->layout[n];
	bool over = false;
	*out = 1;
	for (int32_t i = 0; !l && i < d->n_dim; i++)
		over = over || lt__mul_overflow(*out, extent[i], out);
	for (int32_t i = l ? l->n - 1 : -1; i >= 0; i--)
		over = over || lt__mul_overflow(*out, lt__digit_extent(&l->digit[i], extent), out)
			|| lt__add_overflow(*out, l->digit[i].pad, out);
	if (l && l->swizzle) {          /* whole periods of it, so that buffers in turn begin with one */
		int64_t period = 8 * (int64_t)l->swizzle / (int64_t)lt__dtype_info(d->dtype)->bytes;
		over = over || lt__add_overflow(*out, period - 1, out);
		*out = *out / period * period;
	}
	over = over || *out > INT64_MAX / 64;
	return !over ? LT_OK : lt_fail(t->ctx, LT_EOVERFLOW, "%%%s with the gaps that its loops and layout leave has a size "
		"that exceeds 63 bits; choose smaller steps", d->name);
}

int64_t lt__digit_extent(const struct lt_digit *d, const int64_t *extent)
{
	return d->span ? d->span / d->step : extent[d->dim] / d->step + (extent[d->dim] % d->step != 0);
}

lt_tnode lt__freeze_next(const struct lt_looptree *t, lt_tnode at)
{
	lt_tnode next = lt_looptree_after(t, at);
	return next >= 0 && t->node[next].parent >= 0 ? next : -1;
}

/* Whether all leaves that read n, a local, are inside `at`: they are in its nest. */
static bool is_read_below(const struct lt_looptree *t, lt_tnode at, lt_node n)
{
	for (lt_tnode u = lt__root_of(t, at); u >= 0; u = lt__freeze_next(t, u)) {
		const struct lt_leaf *leaf =
			t->node[u].kind == LT_TLEAF && !lt__is_above(t, at, u) ? t->leaf[t->node[u].leaf] : NULL;
		t->ctx->labour.calls++;
		for (int32_t k = 0; leaf && k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++)
				if (leaf->read[k].piece[p].base == n)
					return false;
	}
	return true;
}

/* The frozen loop in whose iteration a local lives: its owner, or a called group between that and all of its leaves. */
static int32_t scope_of(const struct lt_freezer *f, lt_node n, int32_t owner)
{
	for (int32_t k = f->n_path - 1; k > owner; k--)
		if (f->path[k].var < 0 && is_read_below(f->t, f->path[k].at, n))
			return f->path[k].loop;
	return owner < 0 ? -1 : f->path[owner].loop;
}

static lt_status buffer_of_local(struct lt_freezer *f, lt_node n, int32_t *out)
{
	*out = f->buffer_of_node[n];
	if (*out >= 0)
		return LT_OK;
	const struct lt_nodedef *d = &f->g->node[n];
	const struct lt_scope *s = &f->t->scope[n];
	int32_t owner = lt__freeze_owner(f, n);
	/* Buffers in turn outlive the iteration whose copy each holds. */
	int32_t depth = lt__copy_depth(f->t, n), scope = depth > 1 ? owner - 1 : owner;
	struct lt_fbuffer b = { .node = n,
		.storage = -1,
		.dtype = d->dtype,
		.scope = depth == 1 ? scope_of(f, n, owner)
			: scope < 0 ? -1
				    : f->path[scope].loop,
		.slot = -1,
		.name = d->name,
		.extent = LT_NEW(f->a, int64_t, d->n_dim + 1) };
	for (int32_t i = 0; i < d->n_dim; i++)
		b.extent[i] = lt__round_up(lt__freeze_held(f, owner, d->dim[i]), s->unit[i]);
	LT_TRY(lt__held_elems(f->t, n, b.extent, &b.elems));
	if (lt__mul_overflow(b.elems, depth, &b.elems) || b.elems > INT64_MAX / 64)
		return lt_fail(f->t->ctx, LT_EOVERFLOW, "%%%s in %d buffers has a size that exceeds 63 bits; choose a smaller "
			"depth", d->name, (int)depth);
	LT_GROW(f->a, f->buffer, f->n_buffer, f->cap_buffer);
	*out = f->buffer_of_node[n] = f->n_buffer;
	f->buffer[f->n_buffer++] = b;
	return LT_OK;
}

void lt__freeze_forget(struct lt_freezer *f, int32_t loop)
{
	for (int32_t i = 0; i < f->n_buffer; i++)
		if (f->buffer[i].node >= 0 && f->buffer[i].scope == loop)
			f->buffer_of_node[f->buffer[i].node] = -1;
}

bool lt__freeze_covers(const struct lt_freezer *f, int32_t owner, lt_var v)
{
	for (int32_t k = 0; k <= owner; k++)
		if (lt__var_step(f->g, v, f->path[k].var, f->path[k].step))
			return true;
	return false;
}

/* Adds the digits of dim i, whose index is known, to the offset. */
static void add_digits(struct lt_freezer *f, const struct lt_memlayout *l, int32_t dim, const int64_t *extent,
	const struct lt_row *index, struct lt_row *offset)
{
	int64_t unit = 1;
	for (int32_t i = l->n - 1; i >= 0; i--) {
		const struct lt_digit *d = &l->digit[i];
		if (d->dim == dim) {
			lt__row_floor(f, offset, index, d->step, unit);
			if (d->span)
				lt__row_floor(f, offset, index, d->span, -unit * (d->span / d->step));
		}
		unit = unit * lt__digit_extent(d, extent) + d->pad;
	}
}

/* Elements from one to the next along a dim; 0: the dim has several digits. */
static int64_t stride_of(const struct lt_memlayout *l, int32_t dim, const int64_t *extent)
{
	int64_t unit = 1, stride = 0;
	for (int32_t i = l->n - 1; i >= 0; i--) {
		if (l->digit[i].dim == dim && (stride || l->digit[i].step != 1 || l->digit[i].span))
			return 0;
		if (l->digit[i].dim == dim)
			stride = unit;
		unit = unit * lt__digit_extent(&l->digit[i], extent) + l->digit[i].pad;
	}
	return stride;
}

/* How the index along dim i of `base` moves an access. */
struct access_along { int64_t stride, extent; const struct lt_memlayout *layout; const int64_t *held; };

static void add_index(struct lt_freezer *f, const struct access_along *a, int32_t dim, const struct lt_row *index,
	struct lt_row *offset)
{
	if (a->layout)
		add_digits(f, a->layout, dim, a->held, index, offset);
	else
		lt__row_plus(f, offset, index, a->stride);
}

/* Which of the buffers in turn an access means: the trip of the loop around, mod depth. */
static void add_turn(struct lt_freezer *f, lt_node n, int32_t owner, int64_t elems, struct lt_faccess *access)
{
	int64_t depth = lt__copy_depth(f->t, n);
	if (depth == 1)
		return;
	struct lt_row trip = { .constant = f->path[owner].first };
	lt__row_term(f, &trip, LT_TERM_LOOP, f->path[owner].loop, 1);
	lt__row_plus(f, &access->row, &trip, elems);
	lt__row_floor(f, &access->row, &trip, depth, -depth * elems);
	access->turn = (struct lt_inturn){ f->path[owner].loop, f->path[owner].first, depth };
}

/* An index that is read is one of the axis, whatever intervals say. */
static int64_t within(int64_t index, int64_t extent) { return index < 0 ? 0 : index > extent - 1 ? extent - 1 : index; }

lt_status lt__freeze_access(
	struct lt_freezer *f, const struct lt_leaf *leaf, lt_node base, const struct lt_map *m, bool dest, int32_t *out)
{
	const struct lt_nodedef *d = &f->g->node[base];
	const struct lt_location *location = &f->memory->location[base];
	bool whole = location->storage >= 0;
	int32_t b = whole ? buffer_of_storage(f, location->storage, d->name) : -1, owner = lt__freeze_owner(f, base),
		width = lt__map_width(m);
	if (!whole)
		LT_TRY(buffer_of_local(f, base, &b));
	const int64_t *extent = !whole ? f->buffer[b].extent : f->t->leaf_of[base] >= 0 ? f->t->scope[base].extent : NULL;
	struct lt_faccess access = { .buffer = b, .index = -1, .row = { .constant = whole ? location->offset : 0 } };
	int64_t low = access.row.constant, high = low, unit = 1;
	for (int32_t i = d->n_dim - 1; i >= 0; i--) {
		const int64_t *row = m->row + (int64_t)i * width;
		struct access_along along = { .extent = extent ? extent[i] : f->g->var[d->dim[i]].extent,
			.layout = f->t->layout[base],
			.held = extent };
		along.stride = along.layout ? stride_of(along.layout, i, extent) : whole ? location->stride[i] : unit;
		struct lt_row index;
		int64_t l, h;
		lt__freeze_row(f, leaf, m, row, lt__freeze_covers(f, owner, d->dim[i]) ? owner : -1, &index);
		if (leaf->gather && m->n_dim > leaf->n_var && row[1 + m->n_param + leaf->n_var]) {
			if (!along.stride)
				return lt__tree_fail(f->t, f->t->leaf_of[base], LT_EUNSUPPORTED,
					"the layout of %%%s cuts the axis %s, along which it is gathered, into digits; "
					"leave that dim whole",
					d->name, f->g->var[d->dim[i]].name);
			f->overflow |= lt__mul_overflow(along.stride, row[1 + m->n_param + leaf->n_var], &l)
				|| lt__add_overflow(access.index_stride, l, &access.index_stride);
			high += along.stride * (along.extent - 1);
		} else if (!along.layout) {
			lt__row_range(f, &index, &l, &h);
			low += along.stride * within(l, along.extent);
			high += along.stride * within(h, along.extent);
		}
		add_index(f, &along, i, &index, &access.row);
		unit *= along.extent;
	}
	if (!whole)
		add_turn(f, base, owner, f->buffer[b].elems / lt__copy_depth(f->t, base), &access);
	struct lt_fbuffer *buffer = &f->buffer[b];
	if (whole && f->t->layout[base]) {
		low = location->offset;
		high = low + f->memory->storage[location->storage].elems - 1;
	}
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
