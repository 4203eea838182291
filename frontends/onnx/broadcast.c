/* broadcast.c -- inputs with groups, handed to builders that know nothing of groups: see groups.h.
 *
 * A builder gets values with an axis for each dim, which meet axis by axis as they did before; the dims of what it
 * gives are grouped again afterwards.
 */
#include "frontends/onnx/groups.h"
#include "frontends/onnx/position.h"
#include "frontends/onnx/trace.h"

static bool axis_is_one(struct lt_onnx *m, const struct lt_onnx_value *v, int32_t axis)
{
	return v->shape[axis] == 1 && lt__onnx_parts(v, axis) == 1
		&& !(v->node >= 0 && lt__onnx_bounded(m, v->node, lt__onnx_first_part(v, axis)));
}

/* The value with an axis for each dim, and of an axis of one element as many as `part` says; those of the result are
 * aligned with the value's at the right, without the last `skip` ones. */
static struct lt_onnx_value *broadcast_apart(struct lt_onnx *m, struct lt_onnx_value *v, int32_t rank,
	const int32_t *part, int32_t skip)
{
	bool *mask = LT_NEW(m->arena, bool, 2 * LT_MAX_RANK);
	int64_t *shape = LT_NEW(m->arena, int64_t, 2 * LT_MAX_RANK);
	int32_t n = 0, dim = 0;
	bool more = false;
	for (int32_t i = 0; i < v->rank; i++) {
		const int32_t j = rank - (v->rank - skip) + i;
		const int32_t own = lt__onnx_parts(v, i), all = i < v->rank - skip && j >= 0 ? part[j] : own;
		if (own != all && !axis_is_one(m, v, i)) {
			lt__onnx_refuse(m, "'%s' of %s does not fit the other inputs at axis %d, which is a product of extents that "
				"differ from run to run", v->name ? v->name : "", lt__onnx_extents(m, v), i);
			return NULL;
		}
		for (int32_t k = 0; k < (all > own ? all : own) && n < LT_MAX_RANK; k++) {
			mask[n] = k >= own;
			more = more || k >= own;
			shape[n++] = k >= own ? 1 : v->node >= 0 ? lt__onnx_extent(m, v->node, dim) : v->shape[i];
			dim += k < own;
		}
	}
	if (!more)
		return lt__onnx_apart(m, v);
	struct lt_onnx_value one = v->data || v->empty ? lt__onnx_of_data(m, v->dtype, n, shape, v->data) :
		lt__onnx_of_node(m, lt__onnx_unsqueeze(m, v->node, n, mask));
	one.name = v->name;
	one.stored = v->stored;
	return lt__arena_copy(m->arena, &one, sizeof one);
}

/* How many dims each axis of the result has, of the inputs without their last `skip` axes. */
static int32_t broadcast_parts(struct lt_onnx_call *c, int32_t skip, int32_t *part)
{
	int32_t rank = 0;
	for (int32_t k = 0; k < c->n_in; k++)
		if (c->in[k] && c->in[k]->rank - skip > rank)
			rank = c->in[k]->rank - skip;
	for (int32_t i = 0; i < rank; i++) {
		part[i] = 1;
		for (int32_t k = 0; k < c->n_in; k++) {
			const int32_t own = c->in[k] ? i - (rank - (c->in[k]->rank - skip)) : -1;
			if (own >= 0 && lt__onnx_parts(c->in[k], own) > part[i])
				part[i] = lt__onnx_parts(c->in[k], own);
		}
	}
	return rank;
}

static void broadcast_each(struct lt_onnx_call *c, struct lt_onnx_value **out)
{
	int32_t *part = LT_NEW(c->m->arena, int32_t, LT_MAX_RANK + 2);
	c->part_rank = broadcast_parts(c, 0, part);
	c->part = part;
	for (int32_t k = 0; k < c->n_in; k++)
		out[k] = c->in[k] ? broadcast_apart(c->m, c->in[k], c->part_rank, part, 0) : NULL;
}

/* Input 0 says the axes; others are as they are. */
static void broadcast_axis(struct lt_onnx_call *c, struct lt_onnx_value **out)
{
	const struct lt_onnx_value *x = lt__onnx_value(c, 0);
	c->part = x->part;
	c->part_rank = x->rank;
	for (int32_t k = 0; k < c->n_in; k++)
		out[k] = c->in[k] ? lt__onnx_apart(c->m, c->in[k]) : NULL;
}

static bool single_axis(struct lt_onnx_call *c, int32_t k, int32_t axis)
{
	const struct lt_onnx_value *v = c->in[k];
	if (axis < 0 || lt__onnx_parts(v, axis) == 1)
		return true;
	lt__onnx_refuse(c->m,
		"axis %d of '%s' (%s), along which it multiplies, is a product of extents that differ from run to run: "
		"%s",
		axis, v->name ? v->name : "", lt__onnx_extents(c->m, v), lt__onnx_fixes_of(c->m, v));
	return false;
}

/* A product of matrices: the rows of the left ones may be a group, whose outer dims are as those of batches.  The right
 * ones get an axis of one element for each of these. */
static void broadcast_rows(struct lt_onnx_call *c, struct lt_onnx_value **out)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *a = lt__onnx_value(c, 0), *b = lt__onnx_value(c, 1);
	int32_t *part = LT_NEW(m->arena, int32_t, LT_MAX_RANK + 2), batch;
	if (a->lost || b->lost || !single_axis(c, 0, a->rank - 1) || !single_axis(c, 1, b->rank - 1)
	    || !single_axis(c, 1, b->rank - 2))
		return;
	const int32_t rows = a->rank > 1 ? lt__onnx_parts(a, a->rank - 2) : 0;
	struct lt_onnx_call both = *c;
	both.n_in = 2;
	batch = broadcast_parts(&both, 2, part);
	out[0] = broadcast_apart(m, a, batch, part, 2);
	out[1] = broadcast_apart(m, b, batch, part, 2);
	for (int32_t k = 1; k < rows && b->rank > 2 && out[1]; k++) {
		struct lt_onnx_value one = lt__onnx_of_node(m, lt__onnx_insert(m, lt__onnx_node(m, out[1]), out[1]->rank - 2));
		out[1] = lt__arena_copy(m->arena, &one, sizeof one);
	}
	if (rows)
		part[batch++] = rows;
	if (b->rank > 1)
		part[batch++] = 1;
	c->part = part;
	c->part_rank = batch;
	for (int32_t k = 2; k < c->n_in; k++)
		out[k] = c->in[k] ? broadcast_apart(m, c->in[k], batch, part, 0) : NULL;
}

void lt__onnx_broadcast(struct lt_onnx_call *c)
{
	struct lt_onnx_value **out = LT_NEW(c->m->arena, struct lt_onnx_value *, c->n_in + 1);
	bool any = false;
	for (int32_t k = 0; k < c->n_in; k++)
		any = any || (c->in[k] && c->in[k]->part);
	if (!any || c->op->groups == LT_ONNX_WHOLE || c->op->groups == LT_ONNX_OWN)
		return;
	if (c->op->groups == LT_ONNX_EACH)
		broadcast_each(c, out);
	else if (c->op->groups == LT_ONNX_AXIS)
		broadcast_axis(c, out);
	else
		broadcast_rows(c, out);
	if (lt__onnx_failed(c->m))
		return;
	c->whole = c->in;
	c->in = out;
}

void lt__onnx_part_again(struct lt_onnx_call *c)
{
	int32_t dims = 0;
	for (int32_t i = 0; c->whole && c->part && i < c->part_rank; i++)
		dims += c->part[i];
	for (int32_t i = 0; c->whole && c->part && i < c->n_out && !lt__onnx_failed(c->m); i++) {
		struct lt_onnx_value *v = &c->out[i];
		if (v->node < 0 || v->rank != dims)
			continue;
		const int32_t stored = v->stored;
		*v = lt__onnx_grouped(c->m, v->node, c->part_rank, c->part);
		v->stored = stored;
	}
}

int32_t lt__onnx_along(struct lt_onnx_call *c, int64_t axis)
{
	const struct lt_onnx_value *v = c->whole ? c->whole[0] : lt__onnx_value(c, 0);
	const int32_t own = lt__onnx_axis(c->m, axis, v->rank);
	if (own < 0)
		return -1;
	if (c->whole && lt__onnx_parts(v, own) != 1) {
		lt__onnx_refuse(c->m, "axis %d of '%s' (%s) is a product of extents that differ from run to run, along which this "
			"cannot be done: %s", own, v->name ? v->name : "", lt__onnx_extents(c->m, v), lt__onnx_fixes_of(c->m, v));
		return -1;
	}
	return c->whole ? lt__onnx_first_part(v, own) : own;
}
