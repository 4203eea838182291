/* oracle.c -- see tests/oracle.h. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "tests/oracle.h"

static void *counting(void *user, void *at, size_t old_bytes, size_t bytes)
{
	struct oracle *b = user;

	b->live += (int64_t)bytes - (int64_t)(at ? old_bytes : 0);
	b->peak = b->live > b->peak ? b->live : b->peak;
	if (bytes)
		return realloc(at, bytes);
	free(at);
	return NULL;
}

void *oracle_rationed(void *user, void *at, size_t old_bytes, size_t bytes)
{
	struct oracle_ration *r = user;
	void *to;

	(void)old_bytes;
	if (!bytes) {
		r->live -= at != NULL;
		free(at);
		return NULL;
	}
	if (r->left-- <= 0)
		return NULL;
	to = realloc(at, bytes);
	r->live += !at && to;
	return to;
}

struct oracle *oracle_open(enum lt_dtype t)
{
	struct oracle *b = calloc(1, sizeof *b);

	b->t = t;
	b->source = calloc(ORACLE_DATA, sizeof *b->source);
	cr_assert_eq(lt_context_new_with(counting, b, &b->ctx), LT_OK);
	cr_assert_eq(lt_graph_new(b->ctx, &b->g), LT_OK);
	return b;
}

void oracle_close(struct oracle *b)
{
	lt_eval_free(b->e);
	lt_graph_free(b->g);
	lt_context_free(b->ctx);
	cr_assert_eq(b->live, 0, "%lld bytes leak", (long long)b->live);
	for (int i = 0; i < ORACLE_DATA; i++)
		free(b->data[i]);
	free(b->source);
	free(b);
}

lt_node oracle_input(struct oracle *b, enum lt_dtype t, int32_t n, const lt_var *dims, const void *data)
{
	char name[32];
	size_t bytes;
	lt_node x;

	snprintf(name, sizeof name, "x%d", (int)b->g->n_node);
	x = lt_graph_input(b->g, name, t, n, dims);
	cr_assert(x >= 0 && x < ORACLE_DATA, "%s", lt_context_message(b->ctx));
	bytes = (size_t)lt__node_elems(b->g, x) * lt__dtype_info(t)->bytes;
	b->source[x] = b->data[x] = calloc(1, bytes);
	if (data)
		memcpy(b->data[x], data, bytes);
	return x;
}

void oracle_fill(struct oracle *b, lt_node x, const double *from)
{
	enum lt_dtype t = lt_node_dtype(b->g, x);

	for (int64_t i = 0; i < lt__node_elems(b->g, x); i++)
		lt__store(b->data[x], i, t, lt__convert((union lt_scalar){ .f = from[i] }, LT_F64, t));
}

uint64_t oracle_noise(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

lt_node oracle_random(struct oracle *b, enum lt_dtype t, int32_t n, const lt_var *dims, uint64_t *seed, double unit)
{
	lt_node x = oracle_input(b, t, n, dims, NULL);

	for (int64_t i = 0; i < lt__node_elems(b->g, x); i++) {
		double value = ((double)(oracle_noise(seed) % 128) - 64) * unit;

		lt__store(b->data[x], i, t, lt__convert((union lt_scalar){ .f = value }, LT_F64, t));
	}
	return x;
}

/* The sources are as many as the nodes now. */
const void *oracle_run(struct oracle *b, lt_node y, const double **error)
{
	cr_assert_eq(lt_graph_result(b->g, "y", y), LT_OK, "%s", lt_context_message(b->ctx));
	if (b->g->n_node > ORACLE_DATA) {
		b->source = realloc(b->source, (size_t)b->g->n_node * sizeof *b->source);
		memset(b->source + ORACLE_DATA, 0, (size_t)(b->g->n_node - ORACLE_DATA) * sizeof *b->source);
	}
	cr_assert_eq(lt_eval(b->g, b->source, true, &b->e), LT_OK, "%s", lt_context_message(b->ctx));
	return lt_eval_result(b->e, 0, error);
}

double oracle_number(const void *data, int64_t i, enum lt_dtype t)
{
	union lt_scalar x = lt__load(data, i, t);

	return lt__dtype_info(t)->cls == LT_CLASS_FLOAT ? x.f : (double)x.i;
}

/* As sample() of tests/data/make_vectors.py. */
static double oracle_sample(int64_t seed, int64_t i)
{
	return (double)((i * 7919 + seed * 104729) % 2003 - 1001) / 256;
}

lt_node oracle_tensor(struct oracle *b, int64_t seed, int32_t n, const int64_t *shape)
{
	lt_var dims[8];

	for (int32_t i = 0; i < n; i++)
		dims[i] = lt_graph_var(b->g, NULL, shape[i]);
	lt_node x = oracle_input(b, b->t, n, dims, NULL);
	for (int64_t i = 0; i < lt__node_elems(b->g, x); i++)
		lt__store(b->data[x], i, b->t, lt__convert((union lt_scalar){ .f = oracle_sample(seed, i) }, LT_F64, b->t));
	return x;
}
