/* data.c -- data for the sources of any graph: a function of their names, types and ranges. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/random.h"
#include "tools/check/check.h"
#include "tools/common/common.h"

static uint64_t mix(uint64_t h, uint64_t x) { return (h ^ x) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29); }

static uint64_t seed_of(const struct lt_nodedef *d, const struct check_data *data)
{
	uint64_t h = mix(mix(data->seed, (uint64_t)data->set), d->op == LT_OP_constant ? 1 : 2);
	for (const char *c = d->label ? d->label : d->name; *c; c++)
		h = mix(h, (uint64_t)(unsigned char)*c);
	return h;
}

static double special_float(enum lt_dtype t, uint64_t *rng)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	double small = t == LT_F64 ? DBL_MIN : t == LT_F16 ? 0x1p-14 : (double)FLT_MIN;
	const double all[] = { NAN, INFINITY, -INFINITY, 0, -0.0, info->tiny, -info->tiny, 3 * info->tiny, small,
		-small, small / 2, info->largest, -info->largest, 1, -1, 1 + 2 * info->unit, 0.5, -0.5, 1.5, -2.5, 88,
		-104, 3.14159 };
	return all[random_between(rng, 0, (int64_t)(sizeof all / sizeof *all) - 1)];
}

static bool is_signed(enum lt_dtype t) { return lt__dtype_info(t)->is_signed; }

/* Of integers and bool; of u64 the bits. */
static int64_t highest(enum lt_dtype t)
{
	return t == LT_BOOL ? 1 : (int64_t)(UINT64_MAX >> (64 - 8 * lt__dtype_info(t)->bytes + is_signed(t)));
}
static int64_t lowest(enum lt_dtype t) { return is_signed(t) ? -highest(t) - 1 : 0; }

static int64_t special_int(enum lt_dtype t, uint64_t *rng)
{
	const int64_t middle = (int64_t)((uint64_t)highest(t) / 2 + 1);
	const int64_t all[] = { lowest(t), lowest(t) + 1, highest(t), highest(t) - 1, 0, 1,
		is_signed(t) ? -1 : (int64_t)((uint64_t)middle - 1), middle, 7 };
	return all[random_between(rng, 0, (int64_t)(sizeof all / sizeof *all) - 1)];
}

static union lt_scalar draw(enum lt_dtype t, const struct lt_source_range *r, bool special, uint64_t *rng)
{
	union lt_scalar x;
	if (r->given)
		x.i = random_between(rng, r->low, r->high);
	else if (lt__dtype_info(t)->cls == LT_CLASS_FLOAT)
		x.f = special ? special_float(t, rng) : (double)random_between(rng, -16, 16) / 4;
	else if (t == LT_BOOL)
		x.i = random_between(rng, 0, 1);
	else
		x.i = special ? special_int(t, rng) : random_between(rng, is_signed(t) ? -6 : 0, 9);
	return lt__dtype_info(t)->cls == LT_CLASS_FLOAT ? lt__round_to(x, t) : x;
}

/* The end of the type's range: no identity but the right one leaves it as it is. */
static union lt_scalar extreme(enum lt_dtype t, bool lowest_one)
{
	if (lt__dtype_info(t)->cls == LT_CLASS_FLOAT)
		return (union lt_scalar){ .f = lowest_one ? -INFINITY : INFINITY };
	return (union lt_scalar){ .i = lowest_one ? lowest(t) : highest(t) };
}

/* Of one sign, for reductions: a slice of them shows an identity that is wrong.  Products of many stay near 1, and
 * those of integers, which are odd, are never 0. */
static union lt_scalar draw_signed(enum lt_dtype t, bool below, uint64_t *rng)
{
	union lt_scalar x;
	int64_t sign = below ? -1 : 1;
	if (lt__dtype_info(t)->cls == LT_CLASS_FLOAT)
		x.f = (double)(sign * random_between(rng, 1, 8)) / 4;
	else if (t == LT_BOOL)
		x.i = !below;
	else
		x.i = (is_signed(t) ? sign : 1) * (2 * random_between(rng, 0, 3) + 1);
	return x;
}

/* Where inputs are below zero their factors are above: constants, and the suite's keys and values. */
static bool is_below(const struct lt_nodedef *d, int set)
{
	const char *name = d->label ? d->label : d->name;
	return set == CHECK_BELOW_ZERO && d->op != LT_OP_constant && strcmp(name, "k") && strcmp(name, "v");
}

static void *data_fill(
	const struct lt_graph *g, lt_node n, const struct lt_source_range *r, const struct check_data *data)
{
	const struct lt_nodedef *d = &g->node[n];
	int64_t elems = lt__node_elems(g, n);
	uint64_t rng = seed_of(d, data);
	int special = data->set == 1 ? data->special : 0;
	char *out = calloc(1, (size_t)elems * lt__dtype_info(d->dtype)->bytes + 1);
	bool at_end = data->set >= CHECK_MIN && !r->given && d->op != LT_OP_constant,
	     one_sign = data->set >= CHECK_BELOW_ZERO && !r->given;
	for (int64_t i = 0; out && i < elems; i++)
		lt__store(out, i, d->dtype,
			at_end             ? extreme(d->dtype, data->set == CHECK_MIN)
				: one_sign ? draw_signed(d->dtype, is_below(d, data->set), &rng)
					   : draw(d->dtype, r, random_chance(&rng, special), &rng));
	if (out && data->wild && data->set == 1 && r->given && elems > 0 && lt__dtype_info(d->dtype)->cls == LT_CLASS_INT)
		lt__store(out, elems / 2, d->dtype,
			(union lt_scalar){
				.i = (is_signed(d->dtype) || d->dtype == LT_U64) && !r->bounded && random_chance(&rng, 50) ? -1
					: r->high + 1 });
	return out;
}

/* Elements that run-time scalars are read from, as they are. */
static void store_params(const struct lt_graph *g, void **all, const struct check_data *data)
{
	for (int32_t i = 0; i < g->n_param; i++) {
		const struct lt_paramdef *p = &g->param[i];
		uint64_t rng = seed_of(&g->node[p->source], data) + (uint64_t)p->element;
		if (all[p->source])
			((int64_t *)all[p->source])[p->element] = data->set == 0 || data->set >= CHECK_BELOW_ZERO
				? p->high
				: data->set == 1 ? p->low
						 : random_between(&rng, p->low, p->high);
	}
}

void **lt__check_data_new(const struct lt_graph *g, const struct check_data *data)
{
	void **all = calloc((size_t)g->n_node + 1, sizeof *all);
	struct lt_source_range *r = lt__source_ranges(g, false);
	for (lt_node n = 0; all && r && n < g->n_node; n++)
		if (g->node[n].op == LT_OP_input || g->node[n].op == LT_OP_constant || g->node[n].op == LT_OP_state)
			all[n] = data_fill(g, n, &r[n], data);
	if (all && r)
		store_params(g, all, data);
	free(r);
	return all;
}

void lt__check_data_free(const struct lt_graph *g, void **all)
{
	for (lt_node n = 0; all && n < g->n_node; n++)
		free(all[n]);
	free(all);
}
