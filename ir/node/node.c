/* node.c -- the tables of a graph: making one, adding a node, names, facts. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include "ir/node/node.h"
#include "ir/node/parts.h"
#include "ir/bounds/bounds.h"
#include "base/names.h"
#include "ir/map/map.h"

static lt_status build_graph(struct lt_context *ctx, struct lt_arena *arena, struct lt_graph **out)
{
	struct lt_graph *g = LT_NEW(arena, struct lt_graph, 1);

	g->ctx = ctx;
	g->arena = arena;
	g->var_names = lt__names_new(arena);
	g->node_names = lt__names_new(arena);
	g->labels = lt__names_new(arena);
	*out = g;
	return LT_OK;
}

lt_status lt_graph_new(struct lt_context *ctx, struct lt_graph **out)
{
	volatile lt_status status = LT_ENOMEM;
	struct lt_arena *arena;

	*out = NULL;
	LT_TRY(lt__arena_new(ctx, &arena));
	LT_CAUGHT(ctx, status, build_graph(ctx, arena, out));
	if (status)
		lt__arena_free(arena);
	return status;
}

void lt_graph_free(struct lt_graph *g)
{
	if (g)
		lt__arena_free(g->arena);
}

void lt_graph_at(struct lt_graph *g, int32_t line, int32_t column)
{
	g->line = line;
	g->column = column;
}

void lt__graph_part(struct lt_graph *g, const char *name)
{
	LT_GROW(g->arena, g->part, g->n_part, g->cap_part);
	g->part[g->n_part] = lt__arena_string(g->arena, name);
	g->line = -1 - g->n_part++;
	g->column = 0;
}

/* A name with what is not allowed in it replaced.  Vars are C identifiers; nodes may begin with a digit and
 * have dots. */
static char *clean_name(struct lt_arena *arena, const char *name, bool is_node)
{
	bool lead = !name[0] || (!is_node && isdigit((unsigned char)name[0])) || name[0] == '.';
	char *at = lt__arena_format(arena, "%s%s", lead ? "_" : "", name);

	for (char *s = at; *s; s++)
		if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '_'
		      || (is_node && *s == '.')))
			*s = '_';
	return at;
}

static void *graph_copy(struct lt_graph *g, const void *from, size_t size, int32_t n)
{
	return from && n > 0 ? lt__arena_copy(g->arena, from, size * (size_t)n) : NULL;
}

lt_node lt__graph_add(struct lt_graph *g, const struct lt_nodedef *def)
{
	struct lt_nodedef n = *def;

	n.operand = graph_copy(g, def->operand, sizeof *n.operand, n.n_operand);
	n.dim = graph_copy(g, def->dim, sizeof *n.dim, n.n_dim);
	n.offset = graph_copy(g, def->offset, sizeof *n.offset, n.n_dim);
	n.at = graph_copy(g, def->at, sizeof *n.at, n.n_dim);
	n.piece = graph_copy(g, def->piece, sizeof *n.piece, n.n_piece);
	for (int32_t i = 0; i < n.n_piece; i++)
		n.piece[i].map = lt__map_copy(g->arena, &n.piece[i].map);
	if (n.label)
		n.label = lt__arena_string(g->arena, n.label);
	return lt__graph_adopt(g, &n);
}

/* The name under which a labelled node is unique; NULL: it has none. */
static const char *label_key(struct lt_graph *g, const struct lt_nodedef *n)
{
	return n->label ? lt__arena_format(g->arena, "%s:%s", lt__op_info(n->op)->name, n->label) : NULL;
}

/* The node counts from the last statement on: running out of memory before leaves the graph as it was. */
lt_node lt__graph_adopt(struct lt_graph *g, const struct lt_nodedef *def)
{
	lt_node index = g->n_node, other;
	struct lt_nodedef *n;
	const char *key;

	LT_GROW(g->arena, g->node, g->n_node, g->cap_node);
	n = &g->node[index];
	*n = *def;
	n->name = n->name ? clean_name(g->arena, n->name, true) : lt__arena_format(g->arena, "n%d", index);
	lt__spend(g->ctx, LT_BUDGET_NODES, 1, n->name);
	lt__spend(g->ctx, LT_BUDGET_PIECES, n->n_piece, n->name);
	if (n->op == LT_OP_state && !n->label)
		n->label = n->name;
	if (lt__verify_node(g, index))
		return -1;
	key = label_key(g, n);
	other = key ? lt__names_find(g->labels, key, strlen(key)) : -1;
	if (other >= 0) {
		lt__node_fail(g, index, LT_EEXIST, "there is a %s named '%.200s' already, node '%.200s'",
			lt__op_info(n->op)->name, n->label, g->node[other].name);
		return -1;
	}
	n->name = lt__names_unique(g->node_names, n->name, index);
	if (!g->inside && lt__bounds_check(g, index, g))
		return -1;
	if (key)
		lt__names_add(g->labels, key, strlen(key), index);
	g->n_node++;
	return index;
}

static lt_status set_node_name(struct lt_graph *g, lt_node x, const char *name)
{
	const char *clean = clean_name(g->arena, name, true);

	if (lt__names_find(g->node_names, clean, strlen(clean)) != x)
		g->node[x].name = lt__names_unique(g->node_names, clean, x);
	else
		g->node[x].name = lt__names_add(g->node_names, clean, strlen(clean), x);
	return LT_OK;
}

void lt_node_set_name(struct lt_graph *g, lt_node x, const char *name)
{
	lt_status status = LT_ENOMEM;

	if (name && lt__graph_has(g, x))
		LT_GUARDED(g->ctx, status, set_node_name(g, x, name));
	else
		return;
	g->nameless = g->nameless || status == LT_ENOMEM;
}

lt_status lt_node_means(struct lt_graph *g, lt_node x, double scale, int64_t zero)
{
	if (!lt__graph_has(g, x))
		return LT_EINVAL;
	struct lt_nodedef *d = &g->node[x];
	const struct lt_dtypeinfo *type = lt__dtype_info(d->dtype);
	const double least = type->is_signed ? -type->largest - 1 : 0;
	if (type->cls != LT_CLASS_INT)
		return lt__graph_fail(g, LT_ETYPE, "'%.100s' is %s: integers stand for numbers by a scale", d->name, type->name);
	if (!(scale > 0 && scale < INFINITY))
		return lt__graph_fail(g, LT_EINVAL, "A scale of %g: it has to be above 0 and finite", scale);
	if ((double)zero < least || (double)zero > type->largest)
		return lt__graph_fail(g, LT_EINVAL, "A zero point of %lld, which is no number of %s", (long long)zero, type->name);
	if (d->scale != 0 && (d->scale != scale || d->zero != zero))
		return lt__graph_fail(g, LT_EEXIST, "'%.100s' means scale %g and zero %lld already: what means something else is "
			"another value, such as a copy", d->name, d->scale, (long long)d->zero);
	d->scale = scale;
	d->zero = zero;
	return LT_OK;
}

int lt_node_meaning(const struct lt_graph *g, lt_node x, double *scale, int64_t *zero)
{
	*scale = x >= 0 && x < g->n_node ? g->node[x].scale : 0;
	*zero = x >= 0 && x < g->n_node ? g->node[x].zero : 0;
	return *scale != 0;
}

lt_status lt_node_ranges(struct lt_graph *g, lt_node x, double low, double high)
{
	if (!lt__graph_has(g, x))
		return LT_EINVAL;
	struct lt_nodedef *d = &g->node[x];
	if (d->op != LT_OP_input && d->op != LT_OP_constant)
		return lt__graph_fail(g, LT_EINVAL, "'%.100s' is no input and no constant: a range is a note on these", d->name);
	if (lt__dtype_info(d->dtype)->cls != LT_CLASS_FLOAT)
		return lt__graph_fail(g, LT_ETYPE, "'%.100s' is %s: a range is of floats", d->name, lt__dtype_info(d->dtype)->name);
	if (!(low <= high && low > -INFINITY && high < INFINITY))
		return lt__graph_fail(g, LT_EINVAL, "A range from %g to %g: its ends are finite, the lower one first", low, high);
	d->ranged = true;
	d->low = low;
	d->high = high;
	return LT_OK;
}

int lt_node_range(const struct lt_graph *g, lt_node x, double *low, double *high)
{
	const struct lt_nodedef *d = x >= 0 && x < g->n_node && g->node[x].ranged ? &g->node[x] : NULL;

	*low = d ? d->low : 0;
	*high = d ? d->high : 0;
	return d != NULL;
}

static lt_status set_var_name(struct lt_graph *g, lt_var v, const char *name)
{
	const char *clean = clean_name(g->arena, name, false);

	if (lt__names_find(g->var_names, clean, strlen(clean)) != v)
		g->var[v].name = lt__names_unique(g->var_names, clean, v);
	else
		g->var[v].name = lt__names_add(g->var_names, clean, strlen(clean), v);
	return LT_OK;
}

void lt_var_set_name(struct lt_graph *g, lt_var v, const char *name)
{
	lt_status status = LT_ENOMEM;

	if (name && v >= 0 && v < g->n_var)
		LT_GUARDED(g->ctx, status, set_var_name(g, v, name));
	else
		return;
	g->nameless = g->nameless || status == LT_ENOMEM;
}

const char *lt__name_clean_var(struct lt_graph *g, const char *name)
{
	return clean_name(g->arena, name, false);
}
