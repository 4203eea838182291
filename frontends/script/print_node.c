/* print_node.c -- the statement of a node: its form, or what says just what it is. */
#include <string.h>
#include "frontends/script/printer.h"

int32_t lt__say_begin(struct lt_scripter *p)
{
	lt__text_format(&p->text, "$%d = ", ++p->n);
	return p->n;
}

/* Letters of the axes of a value of so many dims; NULL: there are not enough. */
static char letter_of(int32_t i)
{
	static const char letters[] = "ijklmnopqrstuvwxyzabcdefghIJKLMNOPQRSTUVWXYZABCDEFGH";
	return letters[i];
}
enum { N_LETTERS = 52 };

static const char *op_name(const struct lt_scripter *p, enum lt_opcode op)
{
	for (int32_t i = 0; i < p->n_type; i++)
		if (p->type[i].op == op)
			return p->type[i].name;
	return "";
}

lt_node lt__script_operand(const struct lt_scripter *p, lt_node x, int32_t k)
{
	return p->pick[x] ? p->pick[x][k] : p->alias.same[p->g->node[x].operand[k]];
}

static int32_t operand_id(const struct lt_scripter *p, const struct lt_nodedef *d, int32_t k)
{
	return p->id[lt__script_operand(p, (lt_node)(d - p->g->node), k)];
}

static int32_t index_in(const lt_var *dim, int32_t n, lt_var v)
{
	int32_t i = 0;
	while (i < n && dim[i] != v)
		i++;
	return i;
}

/* Whether numpy's rule gives axis i of operand k its place, where y is said in its stead: the axes of y are the last
 * of the result's, or of one element. */
static bool is_broadcast(const struct lt_scripter *p, const struct lt_nodedef *d, int32_t k, lt_node y)
{
	const int32_t n = d->n_dim;
	const lt_var *own = d->dim;
	const struct lt_nodedef *x = &p->g->node[d->operand[k]], *z = &p->g->node[y];
	int32_t at[LT_MAX_RANK], to[LT_MAX_RANK], m = lt__script_solid(p->g, x->n_dim, x->dim, at);
	if (z->n_dim > n || lt__script_solid(p->g, z->n_dim, z->dim, to) != m)
		return false;
	for (int32_t i = 0; i < m; i++)
		if (index_in(own, n, x->dim[at[i]]) != n - z->n_dim + to[i])
			return false;
	for (int32_t i = 0; y == p->alias.same[d->operand[k]] && i < x->n_dim; i++)     /* which one of one element it is */
		if (index_in(own, n, x->dim[i]) != n - x->n_dim + i)
			return false;
	return true;
}

static lt_node above(const struct lt_scripter *p, lt_node y)
{
	return p->alias.up[y] < 0 ? -1 : p->alias.same[p->alias.up[y]];
}

/* Operands by numpy's rule; NULL: it does not say the same.  A view that only takes axes of one element away, as the
 * rule itself does, is passed over. */
lt_node *lt__script_pick(struct lt_scripter *p, const struct lt_nodedef *d)
{
	int32_t most = 0;
	lt_node *pick = LT_NEW(p->arena, lt_node, d->n_operand);
	for (int32_t k = 0; k < d->n_operand; k++) {
		lt_node y = p->alias.same[d->operand[k]];
		while (y >= 0 && !is_broadcast(p, d, k, y))
			y = above(p, y);
		if (y < 0)
			return NULL;
		for (lt_node z = above(p, y); z >= 0 && p->g->node[z].n_dim > p->g->node[y].n_dim && is_broadcast(p, d, k, z);
			z = above(p, y))
			y = z;
		pick[k] = y;
		most = p->g->node[y].n_dim > most ? p->g->node[y].n_dim : most;
	}
	return most == d->n_dim ? pick : NULL;
}

/* Letters of operand k: each axis by its place among `own`, others by letters that are still free. */
static void say_letters(struct lt_scripter *p, const struct lt_nodedef *x, int32_t n, const lt_var *own, int32_t apart)
{
	for (int32_t i = 0; i < x->n_dim; i++)
		lt__text_format(&p->text, "%c", letter_of(i == apart ? n : index_in(own, n, x->dim[i])));
}

static void say_operands(struct lt_scripter *p, const struct lt_nodedef *d)
{
	for (int32_t k = 0; k < d->n_operand; k++)
		lt__text_format(&p->text, "%s$%d", k ? ", " : "", operand_id(p, d, k));
}

static lt_status too_many_axes(const struct lt_scripter *p, lt_node x)
{
	return lt_fail(p->g->ctx, LT_EUNSUPPORTED, "node '%s' has more than %d axes: a script has a letter for each",
		p->g->node[x].name, N_LETTERS - 1);
}

static lt_status say_lettered(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	if (d->n_dim >= N_LETTERS)
		return too_many_axes(p, x);
	lt__text_format(&p->text, "MapNode(%s, ", lt__op_info(d->op)->name);
	for (int32_t k = 0; k < d->n_operand; k++) {
		lt__text_format(&p->text, "%s", k ? "," : "");
		say_letters(p, &p->g->node[d->operand[k]], d->n_dim, d->dim, -1);
	}
	lt__text_format(&p->text, "->");
	for (int32_t i = 0; i < d->n_dim; i++)
		lt__text_format(&p->text, "%c", letter_of(i));
	lt__text_format(&p->text, ": ");
	say_operands(p, d);
	return LT_OK;
}

static lt_status say_map(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	p->id[x] = lt__say_begin(p);
	if (d->op == LT_OP_cast) {
		lt__text_format(&p->text, "CastNode($%d, %s", operand_id(p, d, 0), lt__dtype_script(d->dtype));
		return LT_OK;
	}
	if (!p->pick[x])
		return say_lettered(p, x);
	lt__text_format(&p->text, "%s(", op_name(p, d->op));
	say_operands(p, d);
	return LT_OK;
}

static void say_reduce(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	static const char *const name[LT_NOP] = { [LT_OP_add] = "Sum", [LT_OP_mul] = "Product", [LT_OP_min] = "Min",
		[LT_OP_max] = "Max" };
	int32_t n = 0;
	p->id[x] = lt__say_begin(p);
	lt__text_format(&p->text, "Reduce%sNode($%d, [", name[d->op], operand_id(p, d, 0));
	for (int32_t i = 0; i < p->g->node[d->operand[0]].n_dim; i++)
		if (lt__script_find_axis(p->g, d, 0, i) < 0)
			lt__text_format(&p->text, "%s%d", n++ ? ", " : "", i);
	lt__text_format(&p->text, "]");
}

/* Whether the axes of the index stand where the axis was, and are no other axes of x. */
static bool is_take(const struct lt_scripter *p, const struct lt_nodedef *d)
{
	const struct lt_nodedef *from = &p->g->node[d->operand[0]], *at = &p->g->node[d->operand[1]];
	if (d->n_dim != from->n_dim - 1 + at->n_dim)
		return false;
	for (int32_t i = 0; i < from->n_dim; i++)
		if (i != d->axis && lt__script_find_axis(p->g, d, 0, i) != (i < d->axis ? i : i - 1 + at->n_dim))
			return false;
	for (int32_t i = 0; i < at->n_dim; i++)
		if (lt__script_find_axis(p->g, d, 1, i) != d->axis + i)
			return false;
	return true;
}

static lt_status say_gather(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	p->id[x] = lt__say_begin(p);
	if (is_take(p, d)) {
		lt__text_format(&p->text, "GatherNode($%d, $%d", operand_id(p, d, 0), operand_id(p, d, 1));
		if (d->axis)
			lt__text_format(&p->text, ", %d", d->axis);
		return LT_OK;
	}
	if (d->n_dim >= N_LETTERS)
		return too_many_axes(p, x);
	lt__text_format(&p->text, "GatherAlongNode(");
	say_letters(p, &p->g->node[d->operand[0]], d->n_dim, d->dim, d->axis);
	lt__text_format(&p->text, ",");
	say_letters(p, &p->g->node[d->operand[1]], d->n_dim, d->dim, -1);
	lt__text_format(&p->text, "->");
	for (int32_t i = 0; i < d->n_dim; i++)
		lt__text_format(&p->text, "%c", letter_of(i));
	lt__text_format(&p->text, ": ");
	say_operands(p, d);
	lt__text_format(&p->text, ", %d", d->axis);
	return LT_OK;
}

static void say_update(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	p->id[x] = lt__say_begin(p);
	lt__text_format(&p->text, "UpdateNode(");
	say_operands(p, d);
	for (int32_t i = 0; i < d->n_dim; i++) {
		lt__text_format(&p->text, ", ");
		if (d->at[i] >= 0)
			lt__text_format(&p->text, "$%d", p->scalar[d->at[i]]);
		if (d->at[i] < 0 || d->offset[i])
			lt__say_factor(&p->text, d->at[i] < 0, d->offset[i], false);
	}
}

static void say_view(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	int32_t *id = LT_NEW(p->arena, int32_t, d->n_operand);
	for (int32_t k = 0; k < d->n_operand; k++)
		id[k] = operand_id(p, d, k);
	p->id[x] = lt__say_begin(p);
	lt__say_view(p, &p->text, d, id);
	p->text.n--;            /* its parenthesis is the statement's */
}

/* $0 $1 .. are the operands' numbers. */
static void say_form(struct lt_scripter *p, lt_node x)
{
	const struct lt_script_form *f = p->form[x];
	const char *at = f->text.at, *end = at + f->text.n - 1;         /* before the parenthesis */
	p->id[x] = lt__say_begin(p);
	for (; at < end; at++) {
		int32_t k = 0;
		if (*at != '$') {
			lt__text_add(&p->text, at, 1);
			continue;
		}
		for (; at[1] >= '0' && at[1] <= '9'; at++)
			k = 10 * k + (at[1] - '0');
		lt__text_format(&p->text, "$%d", p->id[p->alias.same[f->operand[k]]]);
	}
}

lt_status lt__say_node(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	lt_status status = LT_OK;
	if (p->form[x]) {
		say_form(p, x);
	} else if (d->reduce) {
		say_reduce(p, x);
	} else if (d->op == LT_OP_lit) {
		p->id[x] = lt__say_begin(p);
		lt__text_format(&p->text, "FullNode(%s, [], ", lt__dtype_script(d->dtype));
		lt__say_bits(&p->text, d->bits, d->dtype);
	} else if (d->op == LT_OP_index) {
		p->id[x] = lt__say_begin(p);
		lt__text_format(&p->text, "IotaNode(");
		lt__say_shape(p, &p->text, 1, d->dim);
	} else if (d->op == LT_OP_view) {
		say_view(p, x);
	} else if (d->op == LT_OP_gather) {
		status = say_gather(p, x);
	} else if (d->op == LT_OP_update) {
		say_update(p, x);
	} else {
		status = say_map(p, x);
	}
	return status;
}
