/* nodes_axes.c -- nodes whose axes have names: MapNode and GatherAlongNode by letters, ViewNode by
 * any words, which shows elements by sums over its axes. */
#include <string.h>
#include "frontends/script/reader.h"
#include "frontends/script/script.h"
#include "ir/node/node.h"

enum { N_LETTER = 128 };

/* The letters of an equation: of its operands, one after the other, and of the result. */
struct lettered {
	struct lt_script *s;
	const struct lt_arg *equation;
	const char *at;                 /* of the operand that comes next */
	const char *out;
	lt_var var[N_LETTER];           /* of a letter; -1: not seen */
};

static lt_node letters_refuse(const struct lettered *l, const char *why)
{
	return lt__script_refuse(l->s, l->equation->position, LT_ESYNTAX, "Invalid equation '%.*s': %s",
		l->equation->n < 200 ? l->equation->n : 200, l->equation->text, why);
}

static lt_node letters_begin(struct lettered *l, struct lt_script *s, const struct lt_arg *equation, int32_t n)
{
	const char *arrow = strstr(equation->text, "->");
	int32_t commas = 0;
	*l = (struct lettered){ .s = s, .equation = equation, .at = equation->text, .out = arrow ? arrow + 2 : NULL };
	memset(l->var, -1, sizeof l->var);
	for (const char *c = l->at; *c && c != arrow; c++) {
		commas += *c == ',';
		if (*c == '-' || *c == '>')
			return letters_refuse(l, "the result comes after '->'");
	}
	if (!arrow)
		return letters_refuse(l, "the result's axes come after '->'");
	if (commas + 1 != n)
		return letters_refuse(l, "it has to have one comma less than there are operands");
	return 0;
}

static bool is_taken(const struct lettered *l, lt_var v)
{
	for (int32_t c = 0; c < N_LETTER; c++)
		if (l->var[c] == v)
			return true;
	return false;
}

/* The next operand with the vars of its letters.  An axis keeps its var where no other letter has it.  apart: the axis
 * whose letter is its own; -1: none. */
static lt_node letters_operand(struct lettered *l, const struct lt_arg *a, int32_t apart)
{
	struct lt_script *s = l->s;
	int32_t rank = lt_node_rank(s->graph, a->node), n = 0;
	lt_var *v = LT_NEW(s->arena, lt_var, rank);
	int32_t *at = LT_NEW(s->arena, int32_t, rank);
	for (; *l->at && *l->at != ',' && *l->at != '-'; l->at++, n++) {
		int c = *l->at;
		if (n >= rank)
			continue;
		lt_var own = lt_node_dim(s->graph, a->node, n);
		at[n] = n;
		if (n == apart && l->var[c] >= 0)
			return letters_refuse(l, "the axis that is gathered along has a letter of its own");
		if (l->var[c] < 0)
			l->var[c] = is_taken(l, own) ? lt__script_fresh(s, own) : own;
		else if (!lt__var_same_range(s->graph, l->var[c], own))
			return lt__script_refuse(s, a->position, LT_ETYPE, "Incompatible shapes: axis %c is %lld long, and %lld in %s%s",
				(char)c, (long long)lt_var_extent(s->graph, l->var[c]), (long long)lt_var_extent(s->graph, own),
				lt__script_value(s, a), lt__script_unlike(s, l->var[c], own));
		v[n] = l->var[c];
		for (int32_t i = 0; i < n; i++)
			if (v[i] == v[n])
				return letters_refuse(l, "an operand names an axis twice");
	}
	l->at += *l->at == ',';
	if (n != rank)
		return lt__script_refuse(s, a->position, LT_ETYPE,
			"Different number of dimensions: the equation names %d axes of %s", n, lt__script_value(s, a));
	return lt__script_view(s, a->node, rank, v, at);
}

/* Vars of the result; -1 after a failure. */
static int32_t letters_result(struct lettered *l, lt_var **out)
{
	int32_t n = (int32_t)strlen(l->out);
	*out = LT_NEW(l->s->arena, lt_var, n);
	for (int32_t i = 0; i < n; i++) {
		(*out)[i] = l->var[(unsigned char)l->out[i] % N_LETTER];
		if ((*out)[i] < 0)
			return letters_refuse(l, "the result names an axis that no operand has");
		for (int32_t k = 0; k < i; k++)
			if ((*out)[k] == (*out)[i])
				return letters_refuse(l, "the result names an axis twice");
	}
	return n;
}

LT_BUILDER(map)
{
	struct lettered l;
	char name[16] = "";
	lt_var *dim;
	int32_t m = n - 2;
	if (a[0].n < (int32_t)sizeof name)
		memcpy(name, a[0].text, (size_t)a[0].n);
	int op = lt__op_find(name);
	if (op < 0 || lt__op_info((enum lt_opcode)op)->data)
		return lt__script_refuse(s, a[0].position, LT_EINVAL, "Unknown operator '%.*s': it is the name of an elementwise "
			"one, such as add or exp", a[0].n < 40 ? a[0].n : 40, a[0].text);
	const struct lt_opinfo *info = lt__op_info((enum lt_opcode)op);
	int32_t first = op == LT_OP_select;
	if (m != info->arity)
		return lt__script_refuse(s, a[2].position, LT_EINVAL, "'%s' has %d operand%s, found %d", name, info->arity,
			info->arity == 1 ? "" : "s", m);
	if (first && lt_node_dtype(s->graph, a[2].node) != LT_BOOL)
		return lt__script_refuse(s, a[2].position, LT_ETYPE, "Unsupported value type: %s has to be bool",
			lt__script_value(s, &a[2]));
	lt_node *x = LT_NEW(s->arena, lt_node, m);
	if (letters_begin(&l, s, &a[1], m) < 0)
		return -1;
	for (int32_t i = 0; i < m; i++) {
		if (i >= first && (!lt__script_same_type(s, &a[2 + first], &a[2 + i]) ||
			!lt__script_takes(s, &a[2 + i], (enum lt_opcode)op)))
			return -1;
		x[i] = letters_operand(&l, &a[2 + i], -1);
		if (x[i] < 0)
			return -1;
	}
	int32_t rank = letters_result(&l, &dim);
	return rank < 0 ? -1 : lt_graph_op_to(s->graph, name, m, x, rank, dim);
}

LT_BUILDER(gather_along)
{
	struct lt_graph *g = s->graph;
	struct lettered l;
	lt_var *dim;
	int32_t axis;
	if (lt__dtype_info(lt_node_dtype(g, a[2].node))->cls != LT_CLASS_INT)
		return lt__script_refuse(s, a[2].position, LT_ETYPE, "Unsupported value type: %s has to be of an integer type",
			lt__script_value(s, &a[2]));
	if (!lt__script_axis(s, &a[3], lt_node_rank(g, a[1].node), &axis) || letters_begin(&l, s, &a[0], 2) < 0)
		return -1;
	lt_node x[2] = { letters_operand(&l, &a[1], axis), -1 };
	if (x[0] < 0)
		return -1;
	char along = a[0].text[axis];
	if (strchr(a[0].text + axis + 1, along))
		return letters_refuse(&l, "the axis that is gathered along has a letter of its own");
	x[1] = letters_operand(&l, &a[2], -1);
	int32_t rank = x[1] < 0 ? -1 : letters_result(&l, &dim);
	if (rank < 0)
		return -1;
	struct lt_nodedef def = { .op = LT_OP_gather, .dtype = lt_node_dtype(g, x[0]), .axis = axis, .operand = x,
		.n_operand = 2, .dim = dim, .n_dim = rank, .line = g->line, .column = g->column };
	return lt__graph_add(g, &def);
}

/* Columns of a piece's map: the params and divisions that it uses. */
struct columns { const struct lt_script_view *view; lt_param *param; int32_t n_param, *div, n_div; };

static int32_t param_column(const struct columns *c, lt_param p)
{
	int32_t i = 0;
	while (i < c->n_param && c->param[i] != p)
		i++;
	return i;
}

static void use_sum(struct columns *c, const struct lt_script_sum *sum)
{
	for (int32_t i = 0; i < sum->n; i++) {
		int32_t at = sum->param[i] >= 0 ? param_column(c, sum->param[i]) : sum->name[i] - c->view->n_axis;
		if (sum->param[i] >= 0 && at == c->n_param)
			c->param[c->n_param++] = sum->param[i];
		else if (sum->param[i] < 0 && at >= 0)
			c->div[at] = 0;
	}
}

static void write_sum(const struct columns *c, const struct lt_script_sum *sum, int64_t *row)
{
	row[0] = sum->constant;
	for (int32_t i = 0; i < sum->n; i++) {
		int32_t name = sum->name[i], axes = c->view->n_axis;
		int32_t at = sum->param[i] >= 0 ? param_column(c, sum->param[i]) :
			c->n_param + (name < axes ? name : axes + c->div[name - axes]);
		row[1 + at] = sum->coef[i];
	}
}

/* Divisions of divisions come before them: the last ones are looked at first. */
static void find_columns(struct lt_script *s, struct columns *c, const struct lt_script_piece *p)
{
	const struct lt_script_view *view = c->view;
	int32_t most = 0;
	for (int32_t i = 0; i < p->n_row; i++)
		most += p->row[i].n;
	for (int32_t i = 0; i < p->n_guard; i++)
		most += p->guard[i].n;
	for (int32_t i = 0; i < view->n_div; i++)
		most += view->div[i].of.n;
	c->param = LT_NEW(s->arena, lt_param, most);
	c->div = LT_NEW(s->arena, int32_t, view->n_div);
	memset(c->div, -1, sizeof *c->div * (size_t)view->n_div);
	for (int32_t i = 0; i < p->n_row; i++)
		use_sum(c, &p->row[i]);
	for (int32_t i = 0; i < p->n_guard; i++)
		use_sum(c, &p->guard[i]);
	for (int32_t i = view->n_div; i-- > 0;)
		if (c->div[i] >= 0)
			use_sum(c, &view->div[i].of);
	for (int32_t i = 0; i < view->n_div; i++)
		if (c->div[i] >= 0)
			c->div[i] = c->n_div++;
}

static struct lt_map map_of(struct lt_script *s, const struct lt_script_view *view, const struct lt_script_piece *p)
{
	struct columns c = { .view = view };
	find_columns(s, &c, p);
	struct lt_map m = { .n_param = c.n_param, .n_dim = view->n_axis, .n_div = c.n_div, .n_guard = p->n_guard,
		.n_row = p->n_row, .param = c.param };
	int32_t width = lt__map_width(&m);
	int64_t *row = LT_NEW(s->arena, int64_t, (int64_t)width * p->n_row);
	int64_t *guard = LT_NEW(s->arena, int64_t, (int64_t)width * p->n_guard);
	int64_t *div = LT_NEW(s->arena, int64_t, (int64_t)(width + 1) * c.n_div);
	for (int32_t i = 0; i < p->n_row; i++)
		write_sum(&c, &p->row[i], row + (int64_t)i * width);
	for (int32_t i = 0; i < p->n_guard; i++)
		write_sum(&c, &p->guard[i], guard + (int64_t)i * width);
	for (int32_t i = 0; i < view->n_div; i++) {
		if (c.div[i] < 0)
			continue;
		int64_t *at = div + (int64_t)c.div[i] * (width + 1);
		at[0] = view->div[i].by;
		write_sum(&c, &view->div[i].of, at + 1);
	}
	m.row = row;
	m.guard = guard;
	m.div = div;
	return m;
}

/* An element without a condition at the end stands for all others. */
LT_BUILDER(view)
{
	const struct lt_script_view *view = a[1].view;
	struct lt_view_piece *piece = LT_NEW(s->arena, struct lt_view_piece, view->n_piece);
	const struct lt_script_piece *last = &view->piece[view->n_piece - 1];
	const struct lt_arg *first = NULL;
	uint64_t fill = 0;
	for (int32_t i = 0; i < view->n_piece && !first; i++)
		if (view->piece[i].source.statement >= 0)
			first = &view->piece[i].source;
	if (!first)
		return lt__script_refuse(s, a[1].position, LT_EINVAL,
			"A view shows elements of a node; FullNode gives a number alone");
	enum lt_dtype t = lt_node_dtype(s->graph, first->node);
	bool has_fill = last->source.statement < 0 && !last->n_guard;
	if (!lt__script_no_overflow(s, &view->shape, t))
		return -1;
	for (int32_t i = 0; i < view->n_piece; i++) {
		const struct lt_script_piece *p = &view->piece[i];
		const struct lt_arg *x = &p->source;
		if (x->statement < 0) {
			if (!lt__script_bits(s, x, t, p == last && has_fill ? &fill : &piece[i].bits))
				return -1;
		} else if (!lt__script_same_type(s, first, x)) {
			return -1;
		} else if (p->n_row != lt_node_rank(s->graph, x->node)) {
			return lt__script_refuse(s, x->position, LT_ETYPE, "Different number of dimensions: %d indices of %s", p->n_row,
				lt__script_value(s, x));
		}
		piece[i].source = x->statement < 0 ? LT_OMIT : x->node;
		piece[i].map = map_of(s, view, p);
	}
	return lt_graph_view(s->graph, view->n_axis, lt__script_vars(s, &view->shape), view->n_piece - has_fill, piece, fill,
		has_fill);
}
