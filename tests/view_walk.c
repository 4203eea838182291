/* view_walk.c -- walking views point by point. */
#include <criterion/criterion.h>
#include <string.h>
#include "ir/pass/pass.h"
#include "program/run/run.h"
#include "tests/view_walk.h"

bool walk_apply(const struct lt_map *m, const int64_t *param, const int64_t *dim, int64_t *out)
{
	int32_t width = lt__map_width(m);
	int64_t column[LT_MAX_RANK * 4];
	column[0] = 1;
	for (int32_t i = 0; i < m->n_param; i++)
		column[1 + i] = param[m->param[i]];
	for (int32_t i = 0; i < m->n_dim; i++)
		column[1 + m->n_param + i] = dim[i];
	for (int32_t d = 0; d < m->n_div; d++) {
		const int64_t *div = m->div + (int64_t)d * (1 + width);
		int64_t sum = 0;
		for (int32_t c = 0; c < 1 + m->n_param + m->n_dim + d; c++)
			sum += div[1 + c] * column[c];
		column[1 + m->n_param + m->n_dim + d] = sum >= 0 ? sum / div[0] : -((-sum + div[0] - 1) / div[0]);
	}
	for (int32_t i = 0; i < m->n_guard; i++) {
		int64_t sum = 0;
		for (int32_t c = 0; c < width; c++)
			sum += m->guard[(int64_t)i * width + c] * column[c];
		if (sum < 0)
			return false;
	}
	for (int32_t i = 0; i < m->n_row; i++) {
		out[i] = 0;
		for (int32_t c = 0; c < width; c++)
			out[i] += m->row[(int64_t)i * width + c] * column[c];
	}
	return true;
}

void walk_views(const struct lt_graph *g, const int64_t *param, lt_node n, const int64_t *at, struct walk_found *f)
{
	*f = (struct walk_found){ .base = -1 };
	memcpy(f->at, at, sizeof *at * (size_t)g->node[n].n_dim);
	while (g->node[n].op == LT_OP_view) {
		const struct lt_nodedef *d = &g->node[n];
		int64_t next[LT_MAX_RANK];
		int32_t p = 0;
		while (p < d->n_piece && !walk_apply(&d->piece[p].map, param, f->at, next))
			p++;
		if (p == d->n_piece || d->piece[p].source < 0) {
			f->bits = p == d->n_piece ? d->bits : d->piece[p].bits;
			memset(f->at, 0, sizeof f->at);
			return;
		}
		n = d->operand[d->piece[p].source];
		memcpy(f->at, next, sizeof f->at);
	}
	if (g->node[n].op == LT_OP_lit)
		f->bits = g->node[n].bits;
	else if (g->node[n].op == LT_OP_index)
		f->position = f->at[0];
	else
		f->base = n;
	if (f->base < 0)
		memset(f->at, 0, sizeof f->at);
}

bool walk_next(int32_t n, const int64_t *extent, int64_t *at)
{
	for (int32_t i = n; i-- > 0;) {
		if (++at[i] < extent[i])
			return true;
		at[i] = 0;
	}
	return false;
}

int64_t walk_extent(const struct lt_graph *g, const int64_t *param, lt_var v)
{
	const struct lt_vardef *d = &g->var[v];
	if (!d->bounded)
		return d->extent;
	int64_t sum = d->limit.constant;
	for (int32_t i = 0; i < d->limit.n; i++)
		sum += d->limit.coef[i] * param[d->limit.param[i]];
	return sum < 0 ? 0 : sum > d->extent ? d->extent : sum;
}


struct walk_graph walk_lower(uint64_t seed)
{
	struct walk_graph l;
	cr_assert_eq(lt_context_new(&l.ctx), LT_OK);
	random_graph_new(l.ctx, seed,
		&(struct random_options){
			.n_node = 20, .views = true, .params = true, .states = true, .composites = seed % 3 == 0 },
		&l.r);
	cr_assert_eq(seed % 2 ? lt__pass_dead(l.r.g, &l.live) : lt__passes_run(l.r.g, NULL, NULL, &l.live), LT_OK, "%s",
		lt_context_message(l.ctx));
	cr_assert_eq(lt__materialize(l.live, &l.g), LT_OK, "%s", lt_context_message(l.ctx));
	return l;
}

void walk_free(struct walk_graph *l)
{
	lt_graph_free(l->g);
	lt_graph_free(l->live);
	random_graph_free(&l->r);
	lt_context_free(l->ctx);
}

bool walk_params(const struct lt_graph *g, uint64_t *rng, int64_t *param)
{
	for (int tries = 0; tries < 50; tries++) {
		bool good = true;
		for (lt_param p = 0; p < g->n_param; p++)
			param[p] = random_between(rng, g->param[p].low, g->param[p].high);
		for (int32_t i = 0; i < g->n_require; i++) {
			int64_t sum = g->require[i].value.constant;
			for (int32_t k = 0; k < g->require[i].value.n; k++)
				sum += g->require[i].value.coef[k] * param[g->require[i].value.param[k]];
			good = good && (g->require[i].equal ? sum == 0 : sum >= 0);
		}
		for (lt_var v = 0; v < g->n_var && good; v++)
			if (g->var[v].bounded) {
				struct lt_vardef wide = g->var[v];
				int64_t sum = wide.limit.constant;
				for (int32_t i = 0; i < wide.limit.n; i++)
					sum += wide.limit.coef[i] * param[wide.limit.param[i]];
				good = sum <= wide.extent;
			}
		if (good)
			return true;
	}
	return false;
}
