/* table.c -- the panel of a product's factor by tables.
 *
 * Where a factor is read through views without quotients, every index and every guard on the way is affine: the sum of
 * what a position of the factor's vars gives and of what a deep position gives.  Each of these is a table over both
 * kinds of positions; an element then takes an addition where strips (read.c), of a few elements each in a
 * window, evaluate the maps again and again.  What does not fit this, and what is refused, is left to strips.
 */
#include <math.h>
#include <string.h>
#include "ir/map/map.h"
#include "ir/eval/parts.h"

enum { TABLE_DIMS = 12, TABLE_TESTS = 32 };
#define TABLE_SIZE 0x1p60               /* of the numbers in tables, at most */

/* At position i and deep position k it is at[i] + at[n + k], n being the number of positions. */
struct index_table { int64_t *at; double size; };
/* 0 <= table < extent; a guard, with the value where it does not hold, or an index of what is stored. */
struct table_test { struct index_table of; int64_t extent, low, high; bool guard; double fill; };
struct tables {
	const struct lt_worker *w;
	int32_t n, depth;
	int32_t n_dim, n_test, used;
	struct index_table dim[TABLE_DIMS];           /* indices of the node that is looked at */
	struct table_test test[TABLE_TESTS];    /* in the order in which they are asked */
	struct index_table to, from;                  /* places in the panel, in the stored values */
};

static int32_t table_length(const struct tables *t) { return t->n + t->depth; }

/* Two for each index, one for each test, and the places. */
size_t lt__eval_tables_bytes(const struct lt_eval_product *p)
{
	int64_t wide = p->n > p->m ? p->n : p->m;

	return (size_t)(2 * TABLE_DIMS + TABLE_TESTS + 2) * (size_t)(wide + p->k) * sizeof(int64_t);
}

static struct index_table new_table(struct tables *t, double size)
{
	struct index_table out = { t->w->tables + (int64_t)t->used++ * table_length(t), size };

	memset(out.at, 0, (size_t)table_length(t) * sizeof *out.at);
	return out;
}

static bool is_one_of(lt_var v, const lt_var *var, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		if (var[i] == v)
			return true;
	return false;
}

/* The indices of the factor itself: a var is the factor's own, a deep one or of the batch. */
static void begin_tables(struct tables *t, struct lt_worker *w, const struct lt_panel *p, const struct lt_nodedef *d,
	int64_t first, int64_t deep)
{
	const struct lt_eval_product *job = w->job->product;

	t->n_dim = d->n_dim;
	for (int32_t i = 0; i < d->n_dim; i++) {
		t->dim[i] = new_table(t, (double)w->e->g->var[d->dim[i]].extent);
		bool batch = !is_one_of(d->dim[i], p->var, p->n_var) && !is_one_of(d->dim[i], job->deep, job->n_deep);
		for (int32_t k = 0; batch && k < t->depth; k++)
			t->dim[i].at[t->n + k] = w->at[d->dim[i]];
	}
	for (int part = 0; part < 2; part++) {
		const lt_var *var = part ? job->deep : p->var;
		int32_t n_var = part ? job->n_deep : p->n_var, n = part ? t->depth : t->n;
		lt__eval_set_walk(w, var, n_var, part ? deep : first);
		for (int32_t j = 0; j < n; j++) {
			for (int32_t i = 0; i < d->n_dim; i++)
				if (is_one_of(d->dim[i], var, n_var))
					t->dim[i].at[part * t->n + j] = w->at[d->dim[i]];
			lt__eval_next_walk(w, var, n_var);
		}
	}
}

static bool add_times(const struct tables *t, struct index_table *to, const struct index_table *x, int64_t factor)
{
	to->size += fabs((double)factor) * x->size;
	if (!(to->size < TABLE_SIZE))
		return false;
	for (int32_t j = 0; j < table_length(t) && factor != 0; j++)
		to->at[j] += factor * x->at[j];
	return true;
}

/* A row of a map over the indices. */
static bool table_of_row(struct tables *t, const struct lt_map *map, const int64_t *row, struct index_table *out)
{
	double at = (double)row[0];
	int64_t constant = row[0];

	for (int32_t i = 0; i < map->n_param; i++)
		at += fabs((double)row[1 + i]) * fabs((double)t->w->e->param[map->param[i]]);
	if (!(fabs(at) < TABLE_SIZE))
		return false;
	for (int32_t i = 0; i < map->n_param; i++)
		constant += row[1 + i] * t->w->e->param[map->param[i]];
	*out = new_table(t, fabs(at));
	for (int32_t k = 0; k < t->depth; k++)
		out->at[t->n + k] = constant;
	for (int32_t i = 0; i < map->n_dim; i++)
		if (!add_times(t, out, &t->dim[i], row[1 + map->n_param + i]))
			return false;
	return true;
}

/* along_deep: a row of the panel has one position and all deep ones. */
static bool add_test(struct tables *t, struct index_table of, int64_t extent, bool guard, double fill, bool along_deep)
{
	const int64_t *inner = of.at + (along_deep ? t->n : 0);
	struct table_test test = { of, extent, inner[0], inner[0], guard, fill };

	if (t->n_test == TABLE_TESTS)
		return false;
	for (int32_t j = 1; j < (along_deep ? t->depth : t->n); j++) {
		test.low = inner[j] < test.low ? inner[j] : test.low;
		test.high = inner[j] > test.high ? inner[j] : test.high;
	}
	t->test[t->n_test++] = test;
	return true;
}

/* Through a view of one piece. */
static bool through_view(struct tables *t, const struct lt_nodedef *d, bool along_deep)
{
	const double fill = lt__as_double(lt__scalar_of(d->bits, d->dtype), d->dtype);
	const struct lt_map *map = &d->piece[0].map;
	int32_t width = lt__map_width(map);
	struct index_table source[TABLE_DIMS], guard;

	if (d->n_piece != 1 || d->piece[0].source < 0 || map->n_div > 0 || map->n_row > TABLE_DIMS
		|| t->n_test + map->n_guard > TABLE_TESTS)
		return false;
	for (int32_t i = 0; i < map->n_guard; i++)
		if (!table_of_row(t, map, map->guard + (int64_t)i * width, &guard)
			|| !add_test(t, guard, INT64_MAX, true, fill, along_deep))
			return false;
	int32_t used = t->used;
	for (int32_t i = 0; i < map->n_row; i++)
		if (!table_of_row(t, map, map->row + (int64_t)i * width, &source[i]))
			return false;
	for (int32_t i = 0; i < map->n_row; i++) {
		int64_t *at = t->w->tables + (int64_t)i * table_length(t);
		memcpy(at, source[i].at, (size_t)table_length(t) * sizeof *at);
		t->dim[i] = (struct index_table){ at, source[i].size };
	}
	t->used = used;
	t->n_dim = map->n_row;
	return true;
}

/* Where things lie: in the panel, and in the stored values, whose indices are tested. */
static bool find_positions(struct tables *t, const struct lt_nodedef *d, const struct lt_filling *f, bool along_deep)
{
	int64_t stride = 1;

	t->from = new_table(t, 0);
	for (int32_t i = d->n_dim - 1; i >= 0; i--) {
		int64_t extent = t->w->e->g->var[d->dim[i]].extent;
		if (!add_test(t, t->dim[i], extent, false, 0, along_deep) || !add_times(t, &t->from, &t->dim[i], stride)
			|| lt__mul_overflow(stride, extent, &stride))
			return false;
	}
	t->to = new_table(t, 0);
	for (int32_t i = 0; i < t->n; i++)
		t->to.at[i] = lt__eval_pack_position(f, i, 0);
	for (int32_t k = 0; k < t->depth; k++)
		t->to.at[t->n + k] = lt__eval_pack_position(f, 0, k);
	return true;
}

/* The tests of one row of the panel that may fail somewhere in it. */
struct open_tests { const struct table_test *test[TABLE_TESTS]; int64_t outer[TABLE_TESTS]; int32_t n; };

/* The test that fails at place j of the row, NULL: none. */
static const struct table_test *failed_test(const struct open_tests *open, int32_t inner, int32_t j)
{
	for (int32_t i = 0; i < open->n; i++)
		if ((uint64_t)(open->outer[i] + open->test[i]->of.at[inner + j]) >= (uint64_t)open->test[i]->extent)
			return open->test[i];
	return NULL;
}

typedef float loose_float __attribute__((aligned(1), may_alias));
typedef double loose_double __attribute__((aligned(1), may_alias));
typedef int32_t loose_int __attribute__((aligned(1), may_alias));

/* Of a type that products have tiles of. */
static double stored_number(const void *data, enum lt_dtype t, int64_t at)
{
	return t == LT_F64 ? ((const loose_double *)data)[at] : !lt__eval_is_whole(t) ? (double)((const loose_float *)data)[at]
		: t == LT_I32 ? ((const loose_int *)data)[at] : (double)(uint32_t)((const loose_int *)data)[at];
}

/* Along the part `inner` of the tables, at place `o` of the other. */
static bool fill_row(const struct tables *t, struct lt_filling *f, int32_t inner, int32_t n, int32_t o,
	const struct lt_stored *value, enum lt_dtype type)
{
	const double *error = value->data == value->own ? value->error : NULL;
	const int64_t *from = t->from.at + inner, *to = t->to.at + inner;
	const loose_float *data = value->data;
	const loose_int *whole = value->data;
	bool plain = !f->error && (type == LT_F32 || type == LT_I32);
	int64_t from_o = t->from.at[o], to_o = t->to.at[o];
	struct open_tests open = { .n = 0 };

	for (int32_t i = 0; i < t->n_test; i++) {
		const struct table_test *test = &t->test[i];
		int64_t outer = test->of.at[o];
		if (outer + test->low >= 0 && outer + test->high < test->extent)
			continue;
		open.test[open.n] = test;
		open.outer[open.n++] = outer;
	}
	plain = plain && open.n == 0;
	if (plain && f->to_f32) {
		for (int32_t j = 0; j < n; j++)
			f->to_f32[to_o + to[j]] = data[from_o + from[j]];
		return true;
	}
	if (plain && type == LT_F32) {
		for (int32_t j = 0; j < n; j++)
			f->to[to_o + to[j]] = (double)data[from_o + from[j]];
		return true;
	}
	if (plain) {
		for (int32_t j = 0; j < n; j++)
			f->to[to_o + to[j]] = whole[from_o + from[j]];
		return true;
	}
	for (int32_t j = 0; j < n; j++) {
		const struct table_test *failed = failed_test(&open, inner, j);
		int64_t at = from_o + from[j];
		if (failed && !failed->guard)
			return false;
		lt__eval_pack_write(f, to_o + to[j], failed ? failed->fill : stored_number(value->data, type, at),
			failed || !error ? 0 : error[at]);
	}
	return true;
}

bool lt__eval_fill_tables(
	struct lt_worker *w, const struct lt_panel *p, int64_t first, int32_t count, int64_t deep, struct lt_filling *f)
{
	const struct lt_evaluation *e = w->e;
	lt_node node = p->steps.step[p->steps.top].node;
	const struct lt_nodedef *d = &e->g->node[node];
	struct tables t = { .w = w, .n = count, .depth = f->depth };
	const enum lt_dtype type = d->dtype;

	if (p->steps.n != 1 || !p->steps.step[0].read || d->n_dim > TABLE_DIMS || count == 0 || f->depth == 0)
		return false;
	begin_tables(&t, w, p, d, first, deep);
	t.used = TABLE_DIMS;            /* the indices are always in the first tables */
	while (!e->value[node].data && d->op == LT_OP_view) {
		if (!through_view(&t, d, p->along_deep))
			return false;
		node = d->operand[d->piece[0].source];
		d = &e->g->node[node];
	}
	if (!e->value[node].data || !find_positions(&t, d, f, p->along_deep))
		return false;
	for (int32_t o = 0; o < (p->along_deep ? count : f->depth); o++)
		if (!fill_row(&t, f, p->along_deep ? count : 0, p->along_deep ? f->depth : count, p->along_deep ? o : count + o,
			    &e->value[node], type))
			return false;
	return true;
}
