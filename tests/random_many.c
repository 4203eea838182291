/* Random graphs of views with many pieces: joined, padded, cut, with guards that meet, some of them at run time; read
 * by operators, reductions, products and other views.
 */
#include <math.h>
#include <string.h>
#include "check/random/random.h"
#include "tests/random_many.h"

enum { MAX_POOL = 24, MAX_JOINED = 300 };

struct draw {
	struct lt_graph *g;
	uint64_t rng;
	enum lt_dtype dtype;
	lt_param at;                    /* a number from 0 to 5 */
	lt_node pool[MAX_POOL];        /* what later views show */
	int n_pool, n_input;
};

static int64_t pick(struct draw *d, int64_t low, int64_t high) { return random_between(&d->rng, low, high); }
static bool maybe(struct draw *d, int percent) { return random_chance(&d->rng, percent); }

static lt_node input(struct draw *d, int32_t n, const lt_var *dims)
{
	char name[24];
	snprintf(name, sizeof name, "x%d", d->n_input++);
	return maybe(d, 15) ? lt_graph_constant(d->g, name, d->dtype, n, dims) : lt_graph_input(d->g, name, d->dtype, n, dims);
}

static lt_node input_of(struct draw *d, int32_t n, const int64_t *extent)
{
	lt_var dims[4];
	for (int32_t i = 0; i < n; i++)
		dims[i] = lt_graph_var(d->g, NULL, extent[i]);
	return input(d, n, dims);
}

static uint64_t bits(struct draw *d)
{
	return lt__bits_of(lt__convert((union lt_scalar){ .i = pick(d, -3, 3) }, LT_I64, d->dtype), d->dtype);
}

static void keep(struct draw *d, lt_node x)
{
	d->pool[d->n_pool < MAX_POOL ? d->n_pool++ : pick(d, 0, MAX_POOL - 1)] = x;
}

/* What may be joined to others along `axis`: dims of those extents, dim i of a given var if there is one. */
static lt_node part(struct draw *d, int32_t n, const int64_t *extent, int32_t axis, const lt_var *given)
{
	int64_t other[4], flat = 1, perm[4] = { 0 };
	lt_var dims[4];
	for (int32_t i = 0; i < n; i++) {
		other[i] = extent[i];
		flat *= extent[i];
		dims[i] = given[i] >= 0 ? given[i] : lt_graph_var(d->g, NULL, extent[i]);
		perm[0] += given[i] >= 0;
	}
	bool bounded = perm[0] > 0;
	switch (pick(d, 0, 9)) {
	case 0: {                       /* computed */
		lt_node x = input(d, n, dims);
		return lt_graph_binary(d->g, "add", x, x);
	}
	case 1: {                       /* some of it */
		int64_t begin = pick(d, 0, 2), step = pick(d, 1, 2);
		dims[axis] = lt_graph_var(d->g, NULL, begin + step * extent[axis] + pick(d, 0, 1));
		return lt_graph_slice(d->g, input(d, n, dims), axis, begin, step, extent[axis]);
	}
	case 2: {                       /* the axes in another order */
		int32_t turn[4];
		for (int32_t i = 0; i < n; i++) {
			turn[i] = n - 1 - i;
			other[n - 1 - i] = extent[i];
		}
		return bounded ? input(d, n, dims) : lt_graph_permute(d->g, input_of(d, n, other), n, turn);
	}
	case 3:                         /* another shape, of what lies in memory as it is or not */
		if (!bounded && maybe(d, 50))
			return lt_graph_reshape(d->g, input_of(d, 1, &flat), n, extent);
		if (!bounded && flat % 2 == 0)
			return lt_graph_reshape(d->g,
				lt_graph_permute(
					d->g, input_of(d, 2, (int64_t[]){ 2, flat / 2 }), 2, (int32_t[]){ 1, 0 }),
				n, extent);
		return input(d, n, dims);
	case 4: {                       /* a border */
		int64_t before[4] = { 0 }, after[4] = { 0 };
		if (extent[axis] < 2)
			return input(d, n, dims);
		before[axis] = pick(d, 0, 1);
		after[axis] = 1 - before[axis];
		dims[axis] = lt_graph_var(d->g, NULL, extent[axis] - 1);
		return lt_graph_pad(d->g, input(d, n, dims), before, after, bits(d));
	}
	case 5:                         /* positions */
		return n == 1 && !bounded ? lt_graph_cast(d->g, lt_graph_index(d->g, dims[0]), d->dtype) : input(d, n, dims);
	case 6: {                       /* a sum */
		if (n == 4)
			return input(d, n, dims);
		dims[n] = lt_graph_var(d->g, NULL, pick(d, 1, 3));
		return lt_graph_reduce(d->g, "add", input(d, n + 1, dims), 1, &dims[n]);
	}
	default:
		return input(d, n, dims);
	}
}

/* Parts of many lengths, or of one, some of them twice. */
static lt_node join(struct draw *d)
{
	lt_node part_of[MAX_JOINED];
	int32_t n = (int32_t)pick(d, 1, 3), axis = (int32_t)pick(d, 0, n - 1);
	int n_part = (int)(maybe(d, 15) ? pick(d, 100, MAX_JOINED) : pick(d, 1, 45));
	int64_t extent[4];
	lt_var given[4] = { -1, -1, -1, -1 };
	for (int32_t i = 0; i < n; i++)
		extent[i] = pick(d, 1, 3);
	if (n > 1 && maybe(d, 25)) {
		int32_t i = axis == 0 ? 1 : 0;
		extent[i] = 6;
		given[i] = lt_graph_var_bounded(d->g, NULL, 6, 1, 1, &d->at, &(int64_t){ 1 });
	}
	bool even = maybe(d, 40), again = maybe(d, 30);
	for (int i = 0; i < n_part; i++) {
		extent[axis] = even ? extent[axis] : pick(d, 1, 4);
		part_of[i] = part(d, n, extent, axis, given);
		if (again && i > 0 && maybe(d, 20))
			part_of[i] = part_of[pick(d, 0, i - 1)];
	}
	return lt_graph_concat(d->g, axis, n_part, part_of);
}

/* Vectors joined two by two, or one after the other. */
static lt_node tree(struct draw *d)
{
	lt_node list[64];
	int n = (int)pick(d, 2, 60);
	bool deep = maybe(d, 50);
	for (int i = 0; i < n; i++)
		list[i] = part(d, 1, &(int64_t){ pick(d, 1, 4) }, 0, (lt_var[]){ -1, -1, -1, -1 });
	while (n > 1) {
		int at = deep ? 0 : (int)pick(d, 0, n - 2);
		list[at] = lt_graph_concat(d->g, 0, 2, &list[at]);
		memmove(&list[at + 1], &list[at + 2], sizeof *list * (size_t)(--n - at - 1));
	}
	return list[0];
}

static lt_node borders(struct draw *d)
{
	int32_t n = (int32_t)pick(d, 1, 2);
	int64_t extent[2] = { pick(d, 1, 4), pick(d, 1, 4) };
	lt_node x = part(d, n, extent, 0, (lt_var[]){ -1, -1, -1, -1 });
	for (int i = (int)pick(d, 1, n == 1 ? 60 : 25); i > 0; i--)
		x = lt_graph_pad(d->g, x, (int64_t[]){ pick(d, 0, 2), pick(d, 0, 1) },
			(int64_t[]){ pick(d, 0, 1), pick(d, 0, 2) }, bits(d));
	return x;
}

/* Boxes anywhere, some with an edge that a run-time scalar moves, or that lies across. */
static lt_node boxes(struct draw *d)
{
	struct lt_view_piece piece[65];
	int32_t n = (int32_t)pick(d, 1, 2), n_piece = (int32_t)pick(d, 1, 64), width = 2 + n;
	int64_t extent[2], guard[65][5 * 4], row[65][2 * 4];
	bool odd = maybe(d, 20), late = maybe(d, 20), rest = maybe(d, 50);
	lt_var dims[2];
	lt_node source[6];
	for (int32_t i = 0; i < n; i++) {
		extent[i] = pick(d, 3, n == 1 ? 90 : 20);
		dims[i] = lt_graph_var(d->g, NULL, extent[i]);
	}
	for (int i = 0; i < 6; i++)
		source[i] = i % 3 ? input_of(d, n, extent) : lt_graph_unary(d->g, "abs", input_of(d, n, extent));
	memset(guard, 0, sizeof guard);
	memset(row, 0, sizeof row);
	for (int32_t k = 0; k < n_piece; k++) {
		struct lt_view_piece *p = &piece[k];
		bool last = rest && k == n_piece - 1;
		int64_t *at = guard[k];
		*p = (struct lt_view_piece){ .source = maybe(d, 70) || k == 0 ? source[pick(d, 0, 5)] : LT_OMIT, .bits = bits(d),
			.map = { .n_param = 1, .n_dim = n, .param = &d->at, .guard = guard[k], .row = row[k] } };
		for (int32_t i = 0; i < n && !last; i++) {
			int64_t low = pick(d, 0, extent[i] - 1), high = pick(d, low, low + 6 < extent[i] ? low + 6 : extent[i] - 1);
			if (maybe(d, 85)) {
				at[0] = -low;
				at[1] = late && maybe(d, 20) ? -1 : 0;
				at[2 + i] = 1;
				at += width;
			}
			if (maybe(d, 85)) {
				at[0] = high;
				at[2 + i] = -1;
				at += width;
			}
		}
		if (odd && n == 2 && !last && maybe(d, 30)) {
			at[0] = -pick(d, 0, 10);
			at[2] = 1;
			at[3] = pick(d, 0, 1) ? 1 : -1;
			at += width;
		}
		p->map.n_guard = (int32_t)(at - guard[k]) / width;
		p->map.n_row = p->source < 0 ? 0 : n;
		for (int32_t i = 0; i < n; i++)
			row[k][i * width + 2 + i] = 1;
	}
	return lt_graph_view(d->g, n, dims, n_piece, piece, bits(d), !rest || maybe(d, 20));
}

/* Pieces of what there is already, joined again. */
static lt_node mix(struct draw *d)
{
	lt_node list[40];
	int n = 0;
	for (int i = (int)pick(d, 1, 40); i > 0; i--) {
		lt_node x = d->pool[pick(d, 0, d->n_pool - 1)];
		int64_t extent = lt_node_rank(d->g, x) == 1 ? lt_var_extent(d->g, lt_node_dim(d->g, x, 0)) : 0;
		if (!extent)
			continue;
		int64_t begin = pick(d, 0, extent - 1);
		list[n++] = maybe(d, 20)
			? x
			: lt_graph_slice(d->g, x, 0, begin, 1, pick(d, 1, extent - begin < 9 ? extent - begin : 9));
	}
	return n ? lt_graph_concat(d->g, 0, n, list) : join(d);
}

static lt_node read(struct draw *d, lt_node x)
{
	int32_t rank = lt_node_rank(d->g, x), turn[4];
	bool bounded = false;
	int64_t elems = 1;
	for (int32_t i = 0; i < rank; i++) {
		turn[i] = rank - 1 - i;
		bounded = bounded || d->g->var[lt_node_dim(d->g, x, i)].bounded;
		elems *= lt_var_extent(d->g, lt_node_dim(d->g, x, i));
	}
	switch (pick(d, 0, 7)) {
	case 0: return lt_graph_unary(d->g, "neg", lt_graph_binary(d->g, "add", x, x));
	case 1: return lt_graph_reduce(d->g, "max", x, rank, d->g->node[x].dim);
	case 2: return lt_graph_permute(d->g, x, rank, turn);
	case 3: return bounded ? x : lt_graph_unary(d->g, "abs", lt_graph_reshape(d->g, x, 1, &elems));
	case 4: return elems % 2 || bounded ? x : lt_graph_reshape(d->g, x, 2, (int64_t[]){ 2, elems / 2 });
	case 5: {
		lt_var v = rank == 2 ? lt_node_dim(d->g, x, 1) : -1;
		return rank == 2 && !bounded
			? lt_graph_contract(d->g, x, input(d, 2, (lt_var[]){ v, lt_graph_var(d->g, NULL, 3) }), 1, &v)
			: x;
	}
	default: return x;
	}
}

struct lt_graph *random_many_new(struct lt_context *ctx, uint64_t seed)
{
	static const enum lt_dtype types[] = { LT_F32, LT_F32, LT_F64, LT_I8, LT_I32, LT_I64 };
	struct draw d = { .rng = seed * UINT64_C(0x9E3779B97F4A7C15) + 1 };
	if (lt_graph_new(ctx, &d.g))
		return NULL;
	d.dtype = types[pick(&d, 0, 5)];
	d.at = lt_graph_param(d.g, lt_graph_input(d.g, "at", LT_I64, 0, NULL), 0, 0, 5);
	bool good = true;
	for (int i = 0, n = (int)pick(&d, 1, 5); i < n && good; i++) {
		lt_node x = -1;
		switch (pick(&d, 0, d.n_pool ? 5 : 4)) {
		case 0: case 1: x = join(&d); break;
		case 2: x = tree(&d); break;
		case 3: x = borders(&d); break;
		case 4: x = boxes(&d); break;
		default: x = mix(&d); break;
		}
		good = x >= 0;
		if (good)
			keep(&d, x);
		if (good && maybe(&d, 60))
			keep(&d, read(&d, x));
	}
	for (int i = 0; i < d.n_pool && good; i++) {
		char name[24];
		snprintf(name, sizeof name, "y%d", i);
		good = d.pool[i] >= 0 && (i < d.n_pool - 1 && maybe(&d, 40) ? LT_OK : lt_graph_result(d.g, name, d.pool[i])) == LT_OK;
	}
	if (good)
		return d.g;
	lt_graph_free(d.g);
	return NULL;
}

void random_many_fill(const struct lt_graph *g, uint64_t seed, int run, lt_node n, void *out)
{
	const struct lt_nodedef *d = &g->node[n];
	uint64_t rng = seed + (uint64_t)n * 977 + (uint64_t)run * 7919;
	int64_t elems = lt__node_elems(g, n);
	size_t bytes = lt__dtype_info(d->dtype)->bytes;
	bool scalar = d->op == LT_OP_input && !strcmp(d->label, "at");
	for (int64_t i = 0; i < elems; i++) {
		int64_t value = scalar ? random_between(&rng, 0, 5) : random_between(&rng, -60, 60);
		uint64_t x = lt__bits_of(lt__convert((union lt_scalar){ .i = value }, LT_I64, d->dtype), d->dtype);
		memcpy((char *)out + (size_t)i * bytes, &x, bytes);
	}
}
