/* own.c -- calls of functions that are the user's own operations (docs/own-kernels.md). */
#include <string.h>
#include "base/nearest.h"
#include "frontends/script/script.h"
#include "frontends/seedot/seedot.h"

static bool has_shape(struct sd_lower *l, lt_node y, const struct sd_type *t)
{
	if (lt_node_dtype(l->g, y) != LT_F32 || lt_node_rank(l->g, y) != t->rank)
		return false;
	for (int32_t i = 0; i < t->rank; i++)
		if (lt_var_extent(l->g, lt_node_dim(l->g, y, i)) != t->shape[i])
			return false;
	return true;
}

static bool no_operator(struct sd_program *p, const struct sd_expr *e)
{
	struct lt_nearest near;

	lt__nearest_begin(&near, e->name, strlen(e->name));
	for (int32_t i = 0; i < lt__sd_n_operators; i++)
		if (lt__sd_operators[i].level == SD_PREFIX)
			lt__nearest_add(&near, lt__sd_operators[i].name);
	for (int32_t i = 0; i < p->folder.n; i++)
		lt__nearest_add(&near, p->folder.name[i]);
	return lt__sd_refuse(p, e->place, near.n ? "there is no operator '%.100s'%s" : "there is no operator '%.100s'; "
		"%.100s.lt in a folder of kernels would say what it means", e->name,
		near.n ? lt__nearest_hint(p->ctx, &near, "'", "'") : e->name);
}

bool lt__sd_own(struct sd_lower *l, const struct sd_expr *e, const lt_node *operand, lt_node *out)
{
	struct sd_program *p = l->p;
	bool used;
	const struct lt_own_given given = { .n_operand = e->n_arg, .operand = operand, .used = &used };
	lt_node *result = NULL;
	int32_t n = 0;

	if (lt__ownfolder_find(&p->folder, e->name, strlen(e->name)) < 0)
		return no_operator(p, e);
	if (lt__script_own(lt__script_language(p->arena), l->g, &p->folder, e->name, &given, &n, &result))
		return false;
	if (n != 1 || !has_shape(l, result[0], &e->type))
		return lt__sd_refuse(p, e->place, "'%.100s' gives one tensor of floats with the shape of what it is given, %s",
			e->name,
			lt__sd_type_text(p, &e->type));
	*out = result[0];
	return true;
}
