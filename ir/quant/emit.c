/* emit.c -- nodes of the graphs that are made of a plan: with other operands and types, and with a dim of samples.
 *
 * What depends on an input has the samples as its first dim; maps of views get a column for it, and rows of sources
 * that have it, too.
 */
#include <string.h>
#include "ir/pass/pass.h"
#include "ir/quant/emit.h"

bool lt__quant_has_sample(const struct quant_emission *e, lt_node x) { return e->sample >= 0 && e->q->node[x].sampled; }

/* The columns of a row before the dims, one for the samples, those behind. */
static int64_t *row_with_sample(struct quant_emission *e, const struct lt_map *m, const int64_t *row, int32_t n_row)
{
	const int32_t width = lt__map_width(m), before = 1 + m->n_param;
	int64_t *to = LT_NEW(e->scratch, int64_t, n_row * (width + 1) + 1);
	for (int32_t r = 0; r < n_row; r++) {
		memcpy(to + r * (width + 1), row + r * width, sizeof *row * (size_t)before);
		memcpy(to + r * (width + 1) + before + 1, row + r * width + before, sizeof *row * (size_t)(width - before));
	}
	return to;
}

/* Divs: a denominator before each row. */
static int64_t *divs_with_sample(struct quant_emission *e, const struct lt_map *m)
{
	const int32_t width = lt__map_width(m);
	int64_t *to = LT_NEW(e->scratch, int64_t, m->n_div * (width + 2) + 1);
	for (int32_t i = 0; i < m->n_div; i++) {
		const int64_t *from = m->div + i * (width + 1);
		to[i * (width + 2)] = from[0];
		memcpy(to + i * (width + 2) + 1, row_with_sample(e, m, from + 1, 1), sizeof *to * (size_t)(width + 1));
	}
	return to;
}

/* of_source: the source has the samples, too. */
static struct lt_map map_with_sample(struct quant_emission *e, const struct lt_map *m, bool of_source)
{
	const int32_t width = lt__map_width(m) + 1;
	struct lt_map r = *m;
	r.n_dim++;
	r.div = m->n_div ? divs_with_sample(e, m) : NULL;
	r.guard = m->n_guard ? row_with_sample(e, m, m->guard, m->n_guard) : NULL;
	r.row = row_with_sample(e, m, m->row, m->n_row);
	if (of_source) {
		int64_t *rows = LT_NEW(e->scratch, int64_t, (m->n_row + 1) * width);
		rows[1 + m->n_param] = 1;
		memcpy(rows + width, r.row, sizeof *rows * (size_t)(m->n_row * width));
		r.row = rows;
		r.n_row++;
	}
	return r;
}

static struct lt_graphpiece *pieces_with_sample(struct quant_emission *e, lt_node x)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	struct lt_graphpiece *to = LT_NEW(e->scratch, struct lt_graphpiece, d->n_piece);
	for (int32_t i = 0; i < d->n_piece; i++) {
		to[i] = d->piece[i];
		to[i].map = map_with_sample(e, &d->piece[i].map, to[i].source >= 0 && lt__quant_has_sample(e,
			d->operand[to[i].source]));
	}
	return to;
}

/* Dims of node x, after the samples where it has them. */
static int32_t dims_of(struct quant_emission *e, lt_node x, bool sampled, lt_var **out)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	lt_var *dims = *out = LT_NEW(e->scratch, lt_var, d->n_dim + 1);
	if (sampled)
		*dims++ = e->sample;
	for (int32_t i = 0; i < d->n_dim; i++)
		dims[i] = d->dim[i];
	return d->n_dim + sampled;
}

lt_node lt__quant_emit_like(struct quant_emission *e, lt_node x, enum lt_dtype t, const lt_node *operand, uint64_t fill)
{
	struct lt_nodedef d = e->q->graph->node[x];
	const bool sampled = lt__quant_has_sample(e, x);
	for (int32_t i = 0; i < d.n_operand; i++)
		if (operand[i] < 0)
			return LT_NONE;
	d.dtype = t;
	d.operand = lt__arena_copy(e->scratch, operand, sizeof *operand * (size_t)d.n_operand);
	d.bits = d.op == LT_OP_view ? fill : d.bits;
	d.scale = 0;
	d.n_dim = dims_of(e, x, sampled, &d.dim);
	if (d.op == LT_OP_view && sampled)
		d.piece = pieces_with_sample(e, x);
	if (d.op == LT_OP_gather && sampled) {
		const bool inside = !lt__quant_has_sample(e, e->q->graph->node[x].operand[0]);
		if (!inside)
			d.axis++;
		else if (d.axis > 0) {          /* the index's dims come in the place of the axis */
			memmove(d.dim, d.dim + 1, sizeof *d.dim * (size_t)d.axis);
			d.dim[d.axis] = e->sample;
			const lt_node y = lt__graph_add(e->out, &d);
			int32_t perm[LT_MAX_RANK];
			for (int32_t i = 0; i < d.n_dim; i++)
				perm[i] = i == 0 ? d.axis : i <= d.axis ? i - 1 : i;
			return y < 0 ? LT_NONE : lt_graph_permute(e->out, y, d.n_dim, perm);
		}
	}
	return lt__graph_add(e->out, &d);
}

static lt_node emit_op(struct quant_emission *e, lt_node x, enum lt_opcode op, const lt_node *operand)
{
	const struct lt_nodedef *from = &e->q->graph->node[x];
	struct lt_nodedef d = { .op = op, .n_operand = lt__op_info(op)->arity, .line = from->line, .column = from->column,
		.var = -1 };
	bool dims = false;
	for (int32_t i = 0; i < d.n_operand; i++) {
		if (operand[i] < 0)
			return LT_NONE;
		dims = dims || e->out->node[operand[i]].n_dim;
	}
	d.operand = lt__arena_copy(e->scratch, operand, sizeof *operand * (size_t)d.n_operand);
	d.dtype = e->out->node[operand[op == LT_OP_select]].dtype;
	if (dims)                               /* of numbers alone it is a number */
		d.n_dim = dims_of(e, x, lt__quant_has_sample(e, x), &d.dim);
	d.name = lt__arena_format(e->scratch, "%s.%s", from->name, lt__op_info(op)->name);
	return lt__graph_add(e->out, &d);
}

lt_node lt__quant_emit_op(struct quant_emission *e, lt_node x, enum lt_opcode op, lt_node a, lt_node b)
{
	return emit_op(e, x, op, (const lt_node[]){ a, b });
}

lt_node lt__quant_emit_select(struct quant_emission *e, lt_node x, lt_node which, lt_node a, lt_node b)
{
	return emit_op(e, x, LT_OP_select, (const lt_node[]){ which, a, b });
}

lt_node lt__quant_emit_spread(struct quant_emission *e, lt_node x, lt_node y)
{
	const struct lt_nodedef *from = &e->q->graph->node[x];
	bool same = y >= 0 && e->q->graph->node[from->operand[0]].n_dim == from->n_dim;
	for (int32_t i = 0; same && i < from->n_dim; i++)
		same = e->q->graph->node[from->operand[0]].dim[i] == from->dim[i];
	return same || y < 0 ? y : lt__quant_emit_op(e, x, LT_OP_copy, y, LT_NONE);
}

lt_node lt__quant_emit_number(struct quant_emission *e, lt_node x, enum lt_dtype t, union lt_scalar v)
{
	const struct lt_nodedef *from = &e->q->graph->node[x];
	lt_node number = lt__dtype_info(t)->cls == LT_CLASS_FLOAT ? lt_graph_literal(e->out, t, v.f)
		: lt_graph_literal_int(e->out, t, v.i);
	struct lt_nodedef d = { .op = LT_OP_copy, .dtype = t, .n_operand = 1, .operand = &number, .line = from->line,
		.column = from->column, .var = -1, .name = from->name };
	d.n_dim = dims_of(e, x, lt__quant_has_sample(e, x), &d.dim);
	return number < 0 || d.n_dim == 0 ? number : lt__graph_add(e->out, &d);
}

lt_node lt__quant_emit_cast(struct quant_emission *e, lt_node x, enum lt_dtype t)
{
	return x < 0 ? LT_NONE : e->out->node[x].dtype == t ? x : lt_graph_cast(e->out, x, t);
}

lt_node lt__quant_emit_source(struct quant_emission *e, enum lt_opcode op, const char *label, enum lt_dtype t,
	lt_node like,
	bool sampled, const void *content)
{
	lt_var *dims = NULL;
	int32_t n_dim = 0;
	lt_graph_at(e->out, 0, 0);
	if (like >= 0) {
		n_dim = dims_of(e, like, sampled && e->sample >= 0, &dims);
		lt_graph_at(e->out, e->q->graph->node[like].line, e->q->graph->node[like].column);
	}
	if (op == LT_OP_input)
		return lt_graph_input(e->out, label, t, n_dim, dims);
	const lt_node y = lt_graph_constant(e->out, label, t, n_dim, dims);
	if (y >= 0 && content)
		e->out->node[y].content = content;
	return y;
}

lt_node lt__quant_emit_kept(struct quant_emission *e, lt_node x)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	lt_node *operand = LT_NEW(e->scratch, lt_node, d->n_operand + 1);
	if (d->op == LT_OP_input || d->op == LT_OP_constant)
		return lt__quant_emit_source(e, d->op, d->label, d->dtype, x, d->op == LT_OP_input,
			d->op == LT_OP_constant ? e->q->source[x] : NULL);
	for (int32_t i = 0; i < d->n_operand; i++)
		operand[i] = e->to[d->operand[i]];
	return lt__quant_emit_like(e, x, d->dtype, operand, d->bits);
}

lt_node lt__quant_emit_views(struct quant_emission *e, lt_node x, lt_node base, enum lt_dtype t, uint64_t lowest)
{
	const struct lt_graph *g = e->q->graph;
	const struct lt_nodedef *d = &g->node[x];
	if (lt__quant_source(g, x) == x || base < 0)
		return base;
	const lt_node under = lt__quant_emit_views(e, d->operand[0], base, t, lowest);
	const double fill = lt__as_double(lt__scalar_of(d->bits, d->dtype), d->dtype);
	return lt__quant_emit_like(e, x, t, &under, d->has_fill && fill < 0 ? lowest : 0);
}

/* -- a graph that is made of a plan -- */

/* What nothing reads is given to the model, so it is to what is made of it. */
static lt_status emit_unread(struct quant_emission *e)
{
	const struct lt_graph *g = e->q->graph;
	for (lt_node x = 0; x < g->n_node; x++)
		if (g->node[x].op == LT_OP_input && e->to[x] < 0 && lt__quant_emit_kept(e, x) < 0)
			return g->ctx->code;
	return LT_OK;
}

struct quant_emission_run { struct quant_emission e; quant_emission_body *body; void *user; int64_t samples; };

static lt_status run_emission(void *user)
{
	struct quant_emission_run *r = user;
	const struct lt_graph *g = r->e.q->graph;
	r->e.sample = r->samples ? lt__var_add(r->e.out, "sample", r->samples, NULL) : -1;
	if (r->samples && r->e.sample < 0)
		return g->ctx->code;
	r->e.to = LT_NEW(r->e.scratch, lt_node, g->n_node + 1);
	memset(r->e.to, -1, sizeof *r->e.to * (size_t)g->n_node);
	LT_TRY(r->body(&r->e, r->user));
	return r->samples ? LT_OK : emit_unread(&r->e);
}

lt_status lt__quant_emission_run(const struct lt_quant *q, int64_t samples, quant_emission_body *body, void *user,
	struct lt_graph **out)
{
	struct quant_emission_run r = { .e = { .q = q }, .body = body, .user = user, .samples = samples };
	*out = NULL;
	LT_TRY(lt__arena_new(q->graph->ctx, &r.e.scratch));
	lt_status s = lt__graph_like(q->graph, &r.e.out);
	if (!s)
		s = lt__protect(q->graph->ctx, run_emission, &r);
	lt__arena_free(r.e.scratch);
	if (s)
		lt_graph_free(r.e.out);
	else
		*out = r.e.out;
	return s;
}
