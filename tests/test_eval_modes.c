/* The oracle's modes (lt_eval_with), node by node against tests/naive_eval.c: on random graphs, on products by tiles
 * and odd values. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/random.h"
#include "tests/naive_eval.h"
#include "tests/oracle.h"

enum { MODES = 3, GRAPHS = 150 };
static const char *const mode_name[MODES] = { "exact", "nearest", "random" };

/* ---- random graphs ---- */

struct drawn { struct lt_context *ctx; struct random_graph r; const struct lt_graph *g; void **source; };

static bool is_source(const struct lt_nodedef *d)
{
	return d->op == LT_OP_input || d->op == LT_OP_constant || d->op == LT_OP_state;
}

static void draw(struct drawn *d, uint64_t seed)
{
	cr_assert_eq(lt_context_new(&d->ctx), LT_OK);
	random_graph_new(d->ctx, seed,
		&(struct random_options){ .n_node = 4 + (int32_t)(seed % 30),
			.views = true,
			.params = true,
			.states = true,
			.composites = seed % 2 == 0 },
		&d->r);
	d->g = d->r.g;
	d->source = calloc((size_t)d->g->n_node + 1, sizeof *d->source);
	for (lt_node n = 0; n < d->g->n_node; n++) {
		if (!is_source(&d->g->node[n]))
			continue;
		d->source[n] = calloc(random_bytes(d->g, n) + 1, 1);
		if (d->g->node[n].op != LT_OP_state)
			random_graph_fill(&d->r, seed, 0, n, d->source[n]);
	}
}

static void discard(struct drawn *d)
{
	for (lt_node n = 0; n < d->g->n_node; n++)
		free(d->source[n]);
	free(d->source);
	random_graph_free(&d->r);
	lt_context_free(d->ctx);
}

/* Copies of the wanted values and errors, by node. */
struct kept { const struct lt_graph *g; void **value; double **error; int calls; };

static lt_status keep(void *user, const struct lt_evaluation *e, lt_node n, const void *value, const double *error)
{
	struct kept *k = user;
	int64_t elems = lt__node_elems(k->g, n);

	cr_assert_not_null(e);
	cr_assert_null(k->value[n], "node %d is handed over twice", (int)n);
	k->value[n] = malloc(random_bytes(k->g, n) + 1);
	memcpy(k->value[n], value, random_bytes(k->g, n));
	if (error) {
		k->error[n] = malloc(sizeof *error * (size_t)elems + 1);
		memcpy(k->error[n], error, sizeof *error * (size_t)elems);
	}
	k->calls++;
	return LT_OK;
}

static void object_cache_free(struct kept *k)
{
	for (lt_node n = 0; n < k->g->n_node; n++) {
		free(k->value[n]);
		free(k->error[n]);
	}
	free(k->value);
	free(k->error);
}

static lt_status evaluate(const struct lt_graph *g, void *const *source, struct lt_eval_options o, struct kept *k)
{
	struct lt_evaluation *e = NULL;

	*k = (struct kept){ .g = g,
		.value = calloc((size_t)g->n_node + 1, sizeof *k->value),
		.error = calloc((size_t)g->n_node + 1, sizeof *k->error) };
	o.done = keep;
	o.user = k;
	lt_status status = lt_eval_with(g, (const void *const *)source, &o, &e);
	lt_eval_free(e);
	return status;
}

static lt_node *all_nodes(const struct lt_graph *g)
{
	lt_node *all = malloc(sizeof *all * ((size_t)g->n_node + 1));

	for (lt_node n = 0; n < g->n_node; n++)
		all[n] = n;
	return all;
}

static bool same(union lt_scalar a, union lt_scalar b, enum lt_dtype t)
{
	if (lt__dtype_info(t)->cls != LT_CLASS_FLOAT)
		return a.i == b.i;
	return a.f == b.f || (isnan(a.f) && isnan(b.f));
}

/* Each element of node n against the naive evaluator's, from the same operands. */
static void compare_node(
	const struct naive *v, lt_node n, const void *data, enum lt_eval_mode mode, uint64_t seed, const char *pass)
{
	const struct lt_nodedef *d = &v->g->node[n];
	int64_t elems = lt__node_elems(v->g, n);

	for (int64_t i = 0; i < elems; i++) {
		int64_t at[LT_MAX_RANK], rest = i;
		for (int32_t k = d->n_dim - 1; k >= 0; k--) {
			at[k] = rest % v->g->var[d->dim[k]].extent;
			rest /= v->g->var[d->dim[k]].extent;
		}
		union lt_scalar got = lt__load(data, i, d->dtype), want = { .i = 0 };
		struct naive_range range = { INFINITY, -INFINITY, false };
		if (naive_is_inside(v, n, at)) {
			want = naive_element(v, n, at, mode == LT_EVAL_NEAREST, &range);
			if (mode == LT_EVAL_RANDOM) {
				struct naive_range wide = naive_random(v, n, at, 1);
				if (wide.low <= wide.high)
					range = wide;
			}
		}
		bool good = same(got, want, d->dtype) || (lt__dtype_info(d->dtype)->cls == LT_CLASS_FLOAT
			&& ((got.f >= range.low && got.f <= range.high) || range.nan));
		cr_assert(good,
			"seed %llu, %s, %s: node '%s' (%s %s%s) element %lld is %.17g (%lld), not %.17g in %.17g .. "
			"%.17g",
			(unsigned long long)seed, mode_name[mode], pass, d->name, lt__dtype_info(d->dtype)->name,
			lt__op_info(d->op)->name, d->reduce ? ".reduce" : "", (long long)i, got.f, (long long)got.i,
			want.f, range.low, range.high);
	}
}

/* Sums of products are computed apart only where the product itself is not wanted. */
static bool is_factor(const struct lt_graph *g, lt_node n)
{
	for (lt_node k = 0; k < g->n_node; k++)
		if (g->node[k].reduce && g->node[k].operand[0] == n && g->node[n].op == LT_OP_mul && !g->node[n].reduce)
			return true;
	return false;
}

/* Products of a random evaluation have noise of their own that is not seen: two operators in one. */
static bool try_graph(uint64_t seed, enum lt_eval_mode mode)
{
	bool good;

	struct drawn d;
	struct naive v;
	struct kept whole, lazy;

	draw(&d, seed);
	lt_node *want = all_nodes(d.g);
	struct lt_eval_options o = { .mode = mode, .seed = seed, .want = want, .n_want = d.g->n_node, .want_error = true };
	good = evaluate(d.g, d.source, o, &whole) == LT_OK;
	if (good) {
		cr_assert_eq(whole.calls, d.g->n_node);
		naive_open(&v, d.g, (const void *const *)d.source);
		for (lt_node n = 0; n < d.g->n_node; n++)
			naive_take(&v, n, whole.value[n]);
		for (lt_node n = 0; n < d.g->n_node; n++)
			compare_node(&v, n, whole.value[n], mode, seed, "all");
		o.n_want = 0;
		for (lt_node n = 0; n < d.g->n_node; n++)
			if (!is_factor(d.g, n))
				want[o.n_want++] = n;
		void **given = calloc((size_t)d.g->n_node + 1, sizeof *given);
		for (int32_t i = 0; i < o.n_want; i++)
			given[want[i]] = whole.value[want[i]];
		o.given = (const void *const *)given;
		cr_assert_eq(evaluate(d.g, d.source, o, &lazy), LT_OK);
		for (int32_t i = 0; i < o.n_want; i++)
			if (mode != LT_EVAL_RANDOM)
				compare_node(&v, want[i], lazy.value[want[i]], mode, seed, "lazy products");
		object_cache_free(&lazy);
		free(given);
		naive_close(&v);
	}
	object_cache_free(&whole);
	free(want);
	discard(&d);
	return good;
}

Test(eval_modes, as_the_definition_says, .timeout = 300)
{
	int good = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++)
		for (int mode = 0; mode < MODES; mode++)
			good += try_graph(seed, (enum lt_eval_mode)mode);
	cr_expect_geq(good, MODES * GRAPHS * 9 / 10, "only %d evaluations were possible", good);
}

/* ---- bounds of products by tiles and term by term ---- */

static bool near(double a, double b) { return a == b || fabs(a - b) <= 1e-9 * fabs(a); }

/* Where the product is wanted too, its sum is folded element by element.  Asking for bounds changes no value. */
Test(eval_modes, bounds_of_products, .timeout = 120)
{
	int64_t products = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct drawn d;
		struct kept whole, lazy, plain;
		draw(&d, seed);
		lt_node *want = all_nodes(d.g);
		struct lt_eval_options o = { .want = want, .n_want = d.g->n_node, .want_error = true };
		bool good = evaluate(d.g, d.source, o, &whole) == LT_OK;
		o.n_want = 0;
		for (lt_node n = 0; n < d.g->n_node; n++) {
			products += is_factor(d.g, n);
			if (!is_factor(d.g, n))
				want[o.n_want++] = n;
		}
		if (evaluate(d.g, d.source, o, &lazy) == LT_OK && good)
			for (int32_t i = 0; i < o.n_want; i++)
				for (int64_t k = 0; k < lt__node_elems(d.g, want[i]); k++)
					cr_assert(near(whole.error[want[i]][k], lazy.error[want[i]][k]), "seed %llu node %d element %lld: %g, %g",
						(unsigned long long)seed, (int)want[i], (long long)k, whole.error[want[i]][k], lazy.error[want[i]][k]);
		o.want_error = false;
		if (evaluate(d.g, d.source, o, &plain) == LT_OK && good)
			for (int32_t i = 0; i < o.n_want; i++)
				cr_assert_arr_eq(plain.value[want[i]], lazy.value[want[i]], random_bytes(d.g, want[i]), "seed %llu node %d",
					(unsigned long long)seed, (int)want[i]);
		object_cache_free(&whole);
		object_cache_free(&lazy);
		object_cache_free(&plain);
		free(want);
		discard(&d);
	}
	cr_expect_geq(products, 20);
}

/* Integers that are not certain, by tiles and term by term: small ones, and some whose products are no doubles. */
Test(eval_modes, bounds_of_whole_products)
{
	for (int i = 0; i < 2; i++) {
		struct oracle *b = oracle_open(LT_F32);
		struct kept tiles, terms;
		uint64_t seed = 29;
		int uncertain = 0;
		lt_var r = lt_graph_var(b->g, "r", 9), c = lt_graph_var(b->g, "c", 13), k = lt_graph_var(b->g, "k", 140);
		lt_node x = oracle_random(b, LT_F32, 2, (lt_var[]){ r, k }, &seed, 0x1.1p-6);
		x = lt_graph_binary(b->g, "mul", lt_graph_unary(b->g, "exp", x), lt_graph_literal(b->g, LT_F32, i ? 1e8 : 40));
		lt_node w = oracle_random(b, LT_I32, 2, (lt_var[]){ k, c }, &seed, i ? 1e7 : 1);
		lt_node sum = lt_graph_contract(b->g, lt_graph_cast(b->g, x, LT_I32), w, 1, &k);
		lt_node want[2] = { sum, b->g->node[sum].operand[0] };
		struct lt_eval_options o = { .want = want, .n_want = 1, .want_error = true };
		cr_assert(sum >= 0 && b->g->node[sum].reduce && b->g->node[want[1]].op == LT_OP_mul);
		void *const *source = (void *const *)(uintptr_t)b->source;
		cr_assert_eq(evaluate(b->g, source, o, &tiles), LT_OK, "%s", lt_context_message(b->ctx));
		o.n_want = 2;
		cr_assert_eq(evaluate(b->g, source, o, &terms), LT_OK, "%s", lt_context_message(b->ctx));
		cr_assert_arr_eq(tiles.value[sum], terms.value[sum], 9 * 13 * sizeof(int32_t));
		for (int j = 0; j < 9 * 13; j++) {
			double by_tiles = tiles.error[sum][j], by_terms = terms.error[sum][j];
			/* Term by term a product that may wrap says nothing; its sum, which wraps as a whole, does. */
			cr_assert(near(by_tiles, by_terms) || (i == 1 && isinf(by_terms)), "%d, element %d: %g, %g", i, j, by_tiles,
				by_terms);
			uncertain += by_tiles > 0;
		}
		cr_assert(uncertain > 0, "%d: all is certain", i);
		object_cache_free(&tiles);
		object_cache_free(&terms);
		oracle_close(b);
	}
}

/* ---- products by tiles ---- */

/* unit: of the left factor's numbers; of the right one's a thirtieth, but at least 1 of integers. */
struct shape { int64_t r, c, k, batch; int order; enum lt_dtype t; double unit; };

/* a[batch, r, k] b[batch, k, c], summed over k, with the dims in several orders; of types that compute in others by
 * casts. */
static lt_node product(struct oracle *b, const struct shape *s, uint64_t *seed)
{
	lt_var r = lt_graph_var(b->g, "r", s->r), c = lt_graph_var(b->g, "c", s->c), k = lt_graph_var(b->g, "k", s->k);
	lt_var batch = lt_graph_var(b->g, "batch", s->batch);
	double unit = s->unit > 0 ? s->unit : 0.37, other = s->unit > 0 && unit < 30 ? 1 : unit / 30;
	lt_node x = oracle_random(
		b, s->t, 3, s->order & 1 ? (lt_var[]){ k, batch, r } : (lt_var[]){ batch, r, k }, seed, unit);
	lt_node w = oracle_random(
		b, s->t, 3, s->order & 2 ? (lt_var[]){ c, k, batch } : (lt_var[]){ batch, k, c }, seed, other);

	return lt_graph_contract(b->g, x, w, 1, &k);
}

/* Tiles that are full, that are not, of one row; more deep positions than a tile has; integers whose sums wrap, and
 * whose products are no doubles. */
Test(eval_modes, products, .timeout = 120)
{
	static const struct shape shapes[] = { { 70, 70, 20, 1, 0, LT_F32, 0 }, { 1, 300, 140, 1, 1, LT_F32, 0 },
		{ 3, 9, 300, 2, 2, LT_F64, 0 }, { 66, 1, 33, 1, 3, LT_F32, 0 }, { 65, 5, 130, 2, 0, LT_F64, 0 },
		{ 5, 17, 31, 3, 3, LT_F16, 0 }, { 8, 8, 8, 1, 1, LT_BF16, 0 }, { 70, 70, 20, 1, 0, LT_I32, 1 },
		{ 66, 3, 300, 2, 3, LT_I32, 3 }, { 5, 17, 140, 1, 2, LT_I32, 1e6 }, { 33, 9, 130, 1, 1, LT_I32, 3e7 },
		{ 9, 40, 31, 2, 1, LT_U32, 5e7 }, { 7, 70, 200, 1, 0, LT_I8, 1 } };

	for (int i = 0; i < COUNT(shapes); i++)
		for (int mode = 0; mode < 2 * MODES; mode++) {
			struct oracle *b = oracle_open(shapes[i].t);
			struct kept k;
			struct naive v;
			uint64_t seed = 11;
			lt_node y = product(b, &shapes[i], &seed), sum = y;
			while (!b->g->node[sum].reduce)
				sum = b->g->node[sum].operand[0];
			lt_node mul = b->g->node[sum].operand[0],
				want[4] = { sum, b->g->node[mul].operand[0], b->g->node[mul].operand[1], mul };
			struct lt_eval_options o = { .mode = (enum lt_eval_mode)(mode % MODES),
				.want = want,
				.n_want = mode < MODES ? 3 : 4,
				.seed = 2 };
			cr_assert_eq(evaluate(b->g, (void *const *)(uintptr_t)b->source, o, &k), LT_OK, "%s", lt_context_message(b->ctx));
			naive_open(&v, b->g, b->source);
			for (int j = 1; j < o.n_want; j++)
				naive_take(&v, want[j], k.value[want[j]]);
			int64_t at[4] = { 0 }, elems = lt__node_elems(b->g, mul);
			for (int64_t j = 0; j < elems && mode < MODES; j++) {           /* the rounded products */
				int64_t rest = j;
				struct naive_range range;
				for (int32_t d = b->g->node[mul].n_dim - 1; d >= 0; d--) {
					at[d] = rest % b->g->var[b->g->node[mul].dim[d]].extent;
					rest /= b->g->var[b->g->node[mul].dim[d]].extent;
				}
				v.value[mul][j] = naive_element(&v, mul, at, false, &range);
			}
			compare_node(&v, sum, k.value[sum], o.mode, (uint64_t)i, mode < MODES ? "by tiles" : "by rows");
			naive_close(&v);
			object_cache_free(&k);
			oracle_close(b);
		}
}

/* Whether a product of finite factors overflows in element j of a sum over 7 of them, 6 columns. */
static bool overflows(const float *x, const float *w, bool uncertain, int64_t j)
{
	bool any = false;

	for (int64_t k = 0; k < 7; k++) {
		float a = x[j / 6 * 7 + k], b = w[k * 6 + j % 6];
		b = uncertain ? b + (float)exp((double)b) : b;
		any = any || (isfinite(a) && isfinite(b) && isinf(a * b));
	}
	return any;
}

/* A backend may contract a product into its sum, and then it does not overflow first: a sum may come back, or leave the
 * type in either direction.  Infinities that are there from the beginning leave no choice. */
Test(eval_modes, overflowing_products_leave_it_open)
{
	enum { NANS = 1, UP = 2, DOWN = 4, NUMBERS = 8 };
	static const struct { float x[3]; int may, must; } cases[] = {
		{ { 1, 3e38f, -3e38f }, NANS | UP | DOWN, NANS | UP | DOWN },
		{ { 1, 1e38f, -1e38f }, NANS | UP | DOWN | NUMBERS, NANS | UP | DOWN | NUMBERS },
		{ { 1, 3e38f, 3e38f }, UP, UP },
		{ { 1, 1e38f, 1e38f }, UP, UP },
		{ { -1e30f, 3e38f, -2e37f }, UP, UP },
		{ { -1e38f, 6e37f, 5e37f }, NUMBERS | UP, NUMBERS | UP },
		{ { 1, INFINITY, -INFINITY }, NANS, NANS },
		{ { 1, INFINITY, 1 }, NANS | UP, UP },
		{ { NAN, 1, 1 }, NANS, NANS }
	};

	for (int i = 0; i < COUNT(cases); i++)
		for (int tiles = 0; tiles < 2; tiles++) {
			int seen = 0;
			struct oracle *b = oracle_open(LT_F32);
			uint64_t seed = 4;
			lt_var r = lt_graph_var(b->g, "r", 2), k = lt_graph_var(b->g, "k", 3);
			lt_node x = oracle_random(b, LT_F32, tiles ? 2 : 1, tiles ? (lt_var[]){ r, k } : &k, &seed, 0.1),
				w = oracle_random(b, LT_F32, 1, &k, &seed, 0.1), sum;
			for (int j = 0; j < 3; j++) {
				((float *)b->data[x])[j] = cases[i].x[j];
				((float *)b->data[w])[j] = j == 0 ? 1 : 4;
			}
			sum = lt_graph_contract(b->g, x, w, 1, &k);
			for (int run = 0; run < 40; run++) {
				struct kept found;
				struct lt_eval_options o = { .mode = LT_EVAL_RANDOM, .seed = (uint64_t)run, .want = &sum, .n_want = 1 };
				cr_assert_eq(evaluate(b->g, (void *const *)(uintptr_t)b->source, o, &found), LT_OK);
				union lt_scalar value = lt__load(found.value[sum], 0, LT_F32);
				seen |= isnan(value.f) ? NANS : isfinite(value.f) ? NUMBERS : value.f > 0 ? UP : DOWN;
				object_cache_free(&found);
			}
			cr_expect((seen & ~cases[i].may) == 0 && (~seen & cases[i].must) == 0, "case %d, %s: %d", i,
				tiles ? "tiles" : "rows", seen);
			oracle_close(b);
		}
}

/* Infinities, NaN and what overflows, certain and not: values and bounds of tiles are those of rows. */
Test(eval_modes, odd_products)
{
	static const float odd[] = { INFINITY, NAN, 3e38f, -3e38f, 0, 1e-40f, 2, -INFINITY };

	for (int uncertain = 0; uncertain < 2; uncertain++)
		for (int mode = 0; mode < MODES; mode++)
			for (int i = 0; i < COUNT(odd); i++) {
				struct oracle *b = oracle_open(LT_F32);
				struct kept rows, tiles;
				uint64_t seed = 4;
				lt_var r = lt_graph_var(b->g, "r", 5), c = lt_graph_var(b->g, "c", 6), k = lt_graph_var(b->g, "k", 7);
				lt_node x = oracle_random(b, LT_F32, 2, (lt_var[]){ r, k }, &seed, 0.01),
					w = oracle_random(b, LT_F32, 2, (lt_var[]){ k, c }, &seed, 0.1);
				lt_node read = w;
				((float *)b->data[x])[9] = odd[i];
				((float *)b->data[w])[20] = odd[(i + 3) % COUNT(odd)];
				if (uncertain)
					w = lt_graph_binary(b->g, "add", w, lt_graph_unary(b->g, "exp", w));
				lt_node sum = lt_graph_contract(b->g, x, w, 1, &k), want[2] = { sum, b->g->node[sum].operand[0] };
				struct lt_eval_options o = { .mode = (enum lt_eval_mode)mode, .want = want, .n_want = 2, .want_error = true };
				cr_assert_eq(evaluate(b->g, (void *const *)(uintptr_t)b->source, o, &rows), LT_OK);
				o.n_want = 1;
				cr_assert_eq(evaluate(b->g, (void *const *)(uintptr_t)b->source, o, &tiles), LT_OK);
				for (int64_t j = 0; j < 30; j++) {
					union lt_scalar one = lt__load(rows.value[sum], j, LT_F32), two = lt__load(tiles.value[sum], j, LT_F32);
					bool random = mode == LT_EVAL_RANDOM && isfinite(one.f) && fabs(one.f - two.f) <= 1e-5 * fmax(fabs(one.f), 1);
					bool open = mode == LT_EVAL_RANDOM && overflows(b->data[x], b->data[read], uncertain, j);
					cr_expect(same(one, two, LT_F32) || random || open, "%g, mode %d: element %d is %g, %g",
						(double)odd[i], mode, (int)j, one.f, two.f);
					cr_expect(mode != 0 || near(rows.error[sum][j], tiles.error[sum][j]),
						"%g: bound of element %d is %g, %g", (double)odd[i], (int)j,
						rows.error[sum][j], tiles.error[sum][j]);
				}
				object_cache_free(&rows);
				object_cache_free(&tiles);
				oracle_close(b);
			}
}
