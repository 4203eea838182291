/* own.c -- calls of kernels of the user's own in a frozen tree: the group computes what such a call of the graph means,
 * and is handed over as whole tensors, dense and in the order of their dims.
 */
#include <string.h>
#include "ir/node/node.h"
#include "looptree/freeze/parts.h"

struct own_freezing {
	struct lt_freezer *f;
	lt_tnode at;
	const struct lt_owncall *own;
	struct lt_call *call;
	const char *why;                /* it is none; NULL */
};

static bool has_inside(const struct lt_freezer *f, lt_tnode at, lt_node n)
{
	return f->t->leaf_of[n] >= 0 && lt__is_above(f->t, at, f->t->leaf_of[n]);
}

/* The call of that name whose result is computed inside; else one of which something is, or that comes first; NULL: the
 * graph has none of that name. */
static const struct lt_owncall *own_of(const struct lt_freezer *f, lt_tnode at)
{
	const struct lt_owncall *first = NULL, *part = NULL;
	for (int32_t i = 0; i < f->g->n_own; i++) {
		const struct lt_owncall *c = &f->g->own[i];
		if (strcmp(lt__own_word(f->a, c->name), f->t->node[at].call) != 0)
			continue;
		if (has_inside(f, at, c->result[0]))
			return c;
		const bool *member = lt__own_members(f->g, f->a, c);
		for (lt_node n = 0; n < f->g->n_node && !part; n++)
			part = member[n] && has_inside(f, at, n) ? c : NULL;
		first = first ? first : c;
	}
	return part ? part : first;
}

/* The leaves of the group are those of the call. */
static void check_members(struct own_freezing *x)
{
	const struct lt_looptree *t = x->f->t;
	const bool *member = lt__own_members(x->f->g, x->f->a, x->own);
	if (t->node[x->at].kind != LT_TGROUP)
		x->why = lt__arena_format(x->f->keep, "a kernel of one's own is handed a group; put one around it: group %s",
			lt__loop_path(t, x->at));
	else if (t->node[x->at].parent >= 0)
		x->why = "a kernel of one's own is a nest of its own; move the group out of what is around it";
	for (lt_node n = 0; n < x->f->g->n_node && !x->why; n++) {
		const bool inside = has_inside(x->f, x->at, n);
		if (t->leaf_of[n] >= 0 && inside != member[n])
			x->why = lt__arena_format(x->f->keep, inside ? "%%%s is computed in it, and is no part of what %s means; move it out"
				: "%%%s, a part of what %s means, is computed outside of it; move it into the group", x->f->g->node[n].name,
				x->own->name);
	}
}

/* Loops over the dims of a value, as if it were a leaf there. */
static void open_axes(struct lt_freezer *f, const struct lt_nodedef *d)
{
	for (int32_t i = 0; i < d->n_dim; i++) {
		LT_GROW(f->a, f->path, f->n_path, f->cap_path);
		LT_GROW(f->a, f->loop, f->n_loop, f->cap_loop);
		f->path[f->n_path++] = (struct lt_step){ .var = d->dim[i], .step = 1, .cover = 1, .full = 1, .loop = f->n_loop,
			.at = -1 };
		f->loop[f->n_loop++] = (struct lt_floop){ .parent = -1, .kind = LT_SERIAL,
			.max_trip_count = f->g->var[d->dim[i]].extent, .at = -1 };
	}
}

/* Strides along the axes from `first_axis` on, and none along others: what the row says, if that is dense. */
static bool take_strides(struct own_freezing *x, const struct lt_nodedef *d, int32_t access, int32_t first_axis,
	int32_t first_loop, struct lt_fplace *out)
{
	struct lt_freezer *f = x->f;
	const struct lt_faccess *a = &f->access[access];
	const struct lt_fbuffer *b = &f->buffer[a->buffer];
	int64_t want = 1;
	*out = (struct lt_fplace){ .row = { .constant = a->row.constant }, .first_stride = f->n_stride };
	for (int32_t i = 0; i < x->call->n_axis; i++) {
		LT_GROW(f->a, f->stride, f->n_stride, f->cap_stride);
		f->stride[f->n_stride++] = 0;
	}
	int64_t *stride = f->stride + out->first_stride + first_axis;
	for (int32_t i = 0; i < a->row.n; i++) {
		const struct lt_term *term = &a->row.term[i];
		if (term->kind != LT_TERM_LOOP || term->at < first_loop)
			return false;
		stride[term->at - first_loop] = term->coef;
	}
	for (int32_t i = d->n_dim; i-- > 0; want *= f->g->var[d->dim[i]].extent) {
		if (f->g->var[d->dim[i]].extent == 1)
			stride[i] = want;
		if (stride[i] != want)
			return false;
	}
	return b->storage >= 0 && b->low == a->row.constant && b->high - b->low + 1 == want;
}

/* A tensor of the call; its buffer and place. */
static lt_status add_tensor(struct own_freezing *x, lt_node n, bool written, int32_t *axis, int32_t *buffer,
	struct lt_fplace *place)
{
	struct lt_freezer *f = x->f;
	const struct lt_nodedef *d = &f->g->node[n];
	const struct lt_leaf leaf = { .n_var = d->n_dim, .var = d->dim };
	const int32_t n_loop = f->n_loop, n_path = f->n_path, n_div = f->n_div, n_access = f->n_access;
	struct lt_map map;
	int32_t access;
	lt__leaf_dest(f->g, f->a, n, &leaf, &map);
	open_axes(f, d);
	LT_TRY(lt__freeze_access(f, &leaf, n, &map, written, &access));
	*buffer = f->access[access].buffer;
	if (!take_strides(x, d, access, *axis, n_loop, place))
		x->why = lt__arena_format(f->keep, "the elements of %%%s do not lie in one block, in the order of its dims; "
			"materialize it", d->name);
	*axis += d->n_dim;
	f->n_loop = n_loop;
	f->n_path = n_path;
	f->n_div = n_div;
	f->n_access = n_access;
	return LT_OK;
}

static void add_axes(struct own_freezing *x, lt_node n)
{
	struct lt_freezer *f = x->f;
	for (int32_t i = 0; i < f->g->node[n].n_dim; i++) {
		const lt_var v = f->g->node[n].dim[i];
		LT_GROW(f->a, f->call_dim, f->n_call_dim, f->cap_call_dim);
		f->call_dim[f->n_call_dim++] = (struct lt_fcalldim){ .var = v, .role = LT_DIM_OTHER, .extent = f->g->var[v].extent };
		x->call->n_axis++;
	}
}

static lt_status describe_own(struct own_freezing *x)
{
	struct lt_freezer *f = x->f;
	int32_t axis = 0;
	for (int32_t k = 0; k < x->own->n_operand; k++)
		add_axes(x, x->own->operand[k]);
	for (int32_t k = 0; k < x->own->n_result; k++)
		add_axes(x, x->own->result[k]);
	for (int32_t k = 0; k < x->own->n_operand && !x->why; k++) {
		struct lt_fcallread read = { .n_guard = 0 };
		LT_TRY(add_tensor(x, x->own->operand[k], false, &axis, &read.buffer, &read.at));
		LT_GROW(f->a, f->call_read, f->n_call_read, f->cap_call_read);
		f->call_read[f->n_call_read++] = read;
		x->call->n_read++;
	}
	for (int32_t k = 0; k < x->own->n_result && !x->why; k++) {
		struct lt_fcallresult result = { .op = -1 };
		LT_TRY(add_tensor(x, x->own->result[k], true, &axis, &result.buffer, &result.at));
		LT_GROW(f->a, f->call_result, f->n_call_result, f->cap_call_result);
		f->call_result[f->n_call_result++] = result;
		x->call->n_result++;
	}
	return LT_OK;
}

lt_status lt__freeze_own(
	struct lt_freezer *f, lt_tnode at, int32_t loop, bool *is, struct lt_call *call, const char **why)
{
	struct own_freezing x = { .f = f, .at = at, .own = own_of(f, at), .call = call };
	*is = x.own != NULL;
	if (!*is)
		return LT_OK;
	*call = (struct lt_call){ .loop = loop, .pattern = LT_PATTERN_NONE, .stmt = -1, .anchor = -1,
		.first_dim = f->n_call_dim, .first_operand = f->n_call_operand, .first_axis = f->n_call_dim,
		.first_read = f->n_call_read,
		.first_op = f->n_call_op, .first_result = f->n_call_result };
	check_members(&x);
	if (!x.why)
		LT_TRY(describe_own(&x));
	*why = x.why;
	if (x.why) {
		f->n_call_dim = call->first_axis;
		f->n_call_read = call->first_read;
		f->n_call_result = call->first_result;
		call->n_axis = call->n_read = call->n_result = 0;
		call->undescribed = x.why;
		return LT_OK;
	}
	call->source = x.own->source;
	call->n_number = x.own->n_number;
	if (call->n_number)
		call->number = lt__arena_copy(f->keep, x.own->number, sizeof *x.own->number * (size_t)call->n_number);
	call->workspace = x.own->workspace[0];
	call->workspace_each = x.own->workspace[1];
	f->needs |= call->source ? (uint64_t)LT_NEED_OWN : 0;
	return LT_OK;
}
