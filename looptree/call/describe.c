/* describe.c -- what a few leaves compute, as operations over common axes (lt/tree.h: the description of a call).
 *
 * Each leaf is an op.  A var of a leaf is one axis, or, where a view cuts it by a constant, several digits of a mixed
 * radix: c = 16*g + o.  Leaves that read each other in place share their axes, so vars are merged, and digits are cut,
 * until nothing changes.  What is read from outside may move along the axes as it likes, as long as that is linear; a
 * value that is made inside is read at the reader's own position, since it is nowhere in memory.  At the end a digit
 * that leaves have without sharing it is an axis for each: the elements of keys are summed over, those of values stay,
 * also where the graph has one var for both, as of layers of attention that share keys.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "looptree/call/call.h"

enum { MAX_DIGITS = 256, MAX_AXES = 64, MAX_OPS = 1000 };

/* A digit of a var; one that was merged into another is that one, one that was cut is its two parts. */
struct digit { int32_t same, high, low; int64_t extent; lt_var var; int64_t place; bool bounded, whole; };
struct describing {
	struct lt_looptree *t;
	struct lt_arena *a;
	const char *where, *why;
	const lt_node *member; int32_t n_member;
	const bool *result;
	bool *mapped;                   /* by member: it, and all in the group that it is made of, is no reduction */
	int32_t *own;                   /* by member: its op */
	struct lt_described_op *op; int32_t n_op, cap_op;
	struct digit digit[MAX_DIGITS];
	int32_t n_digit, n_var;
	struct { lt_var var; int32_t digit; } var[MAX_DIGITS];         /* the digit that is all of a var */
	bool changed;
};
/* A sum over digits: constant + sum coef * digit. */
struct digit_sum { int64_t constant, coef[MAX_DIGITS]; bool params; };
/* Digits of a value, the lowest first. */
struct digit_list { int32_t n, at[MAX_AXES]; int64_t place[MAX_AXES]; };

__attribute__((format(printf, 2, 3)))
static bool describe_fail(struct describing *s, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	s->why = s->why ? s->why : lt__arena_string(s->a, text);
	return false;
}
static const char *node_name(const struct describing *s, lt_node n) { return s->t->graph->node[n].name; }

/* "%5 (model.lt:12)": a node that no way leads to by a schedule is looked for in the script. */
static const char *node_place(const struct describing *s, lt_node n)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_nodedef *d = &g->node[n];
	return d->line > 0 && g->file ? lt__arena_format(s->a, "%%%s (%s:%d)", d->name, g->file, (int)d->line)
		: lt__arena_format(s->a, "%%%s", d->name);
}

static int32_t member_of(const struct describing *s, lt_node n)
{
	for (int32_t i = 0; i < s->n_member; i++)
		if (s->member[i] == n)
			return i;
	return -1;
}

/* -- digits -- */

static int32_t root_of(const struct describing *s, int32_t d)
{
	while (s->digit[d].same >= 0)
		d = s->digit[d].same;
	return d;
}

static bool is_unit(const struct digit *d) { return d->extent == 1 && !d->bounded; }

static bool add_var(struct describing *s, lt_var v)
{
	const struct lt_graph *g = s->t->graph;
	for (int32_t i = 0; i < s->n_var; i++)
		if (s->var[i].var == v)
			return true;
	if (s->n_digit == MAX_DIGITS)
		return describe_fail(s, "there are more than %d vars in %s", (int)MAX_DIGITS, s->where);
	s->var[s->n_var].var = v;
	s->var[s->n_var++].digit = s->n_digit;
	s->digit[s->n_digit++] = (struct digit){ .same = -1, .high = -1, .low = -1, .extent = g->var[v].extent, .var = v,
		.place = 1, .bounded = g->var[v].bounded, .whole = true };
	return true;
}

/* The digits of a digit, those of one element left out; false: there are too many. */
static bool expand(const struct describing *s, int32_t d, int64_t place, struct digit_list *out)
{
	d = root_of(s, d);
	if (s->digit[d].low >= 0)
		return expand(s, s->digit[d].low, place, out)
			&& expand(s, s->digit[d].high, place * s->digit[root_of(s, s->digit[d].low)].extent, out);
	if (is_unit(&s->digit[d]))
		return true;
	if (out->n == MAX_AXES)
		return false;
	out->at[out->n] = d;
	out->place[out->n++] = place;
	return true;
}

static bool digits_of_var(struct describing *s, lt_var v, struct digit_list *out)
{
	*out = (struct digit_list){ .n = 0 };
	for (int32_t i = 0; i < s->n_var; i++)
		if (s->var[i].var == v)
			return expand(s, s->var[i].digit, 1, out)
				|| describe_fail(s, "there are more than %d axes in %s", (int)MAX_AXES, s->where);
	return true;
}

/* Cuts a digit in two, the lower of q elements; false: that is not exact. */
static bool cut(struct describing *s, int32_t d, int64_t q)
{
	const struct digit x = s->digit[d];
	if (x.bounded || q <= 1 || q >= x.extent || x.extent % q || s->n_digit > MAX_DIGITS - 2)
		return false;
	for (int high = 0; high < 2; high++)
		s->digit[s->n_digit + high] = (struct digit){ .same = -1, .high = -1, .low = -1,
			.extent = high ? x.extent / q : q, .var = x.var, .place = high ? x.place * q : x.place };
	s->digit[d].low = s->n_digit;
	s->digit[d].high = s->n_digit + 1;
	s->n_digit += 2;
	s->changed = true;
	return true;
}

/* -- rows as sums over digits -- */

static bool add_term(struct digit_sum *to, int64_t coef, const struct digit_sum *x)
{
	int64_t part;
	bool over = lt__mul_overflow(coef, x->constant, &part) || lt__add_overflow(to->constant, part, &to->constant);
	for (int32_t i = 0; i < MAX_DIGITS && !over; i++)
		over = x->coef[i] && (lt__mul_overflow(coef, x->coef[i], &part) || lt__add_overflow(to->coef[i], part, &to->coef[i]));
	to->params |= x->params;
	return !over;
}

/* floor(x / den): of each digit the multiples of den leave, and what remains has to stay within one den, for which
 * digits are cut. */
static bool divide(struct describing *s, const struct digit_sum *x, int64_t den, struct digit_sum *out)
{
	int64_t rest = x->constant - lt__floor_div(x->constant, den) * den, low = rest, high = rest;
	*out = (struct digit_sum){ .constant = lt__floor_div(x->constant, den) };
	for (int32_t i = 0; i < s->n_digit; i++) {
		if (x->coef[i] % den == 0) {
			out->coef[i] = x->coef[i] / den;
			continue;
		}
		int64_t far = lt__mul_sat(x->coef[i], s->digit[i].extent - 1);
		low = far < 0 ? lt__add_sat(low, far) : low;
		high = far > 0 ? lt__add_sat(high, far) : high;
	}
	if (!x->params && low >= 0 && high < den)
		return true;
	for (int32_t i = 0; i < s->n_digit && !x->params; i++)
		if (x->coef[i] > 0 && x->coef[i] < den && den % x->coef[i] == 0 && cut(s, i, den / x->coef[i]))
			return true;
	return false;
}

static bool sum_of_row(struct describing *s, const struct lt_leaf *leaf, const struct lt_map *m, const int64_t *row,
	struct digit_sum *out)
{
	int64_t whole = row[0];
	*out = (struct digit_sum){ .constant = whole };
	for (int32_t i = 0; i < m->n_param; i++)
		out->params |= row[1 + i] != 0;
	for (int32_t i = 0; i < leaf->n_var; i++) {
		int64_t coef = row[1 + m->n_param + i];
		struct digit_list list;
		if (!coef)
			continue;
		if (!digits_of_var(s, leaf->var[i], &list))
			return false;
		for (int32_t k = 0; k < list.n; k++) {
			int64_t part;
			if (lt__mul_overflow(coef, list.place[k], &part)
				|| lt__add_overflow(out->coef[list.at[k]], part, &out->coef[list.at[k]]))
				return false;
		}
	}
	for (int32_t i = 0; i < m->n_div; i++) {
		const int64_t *div = m->div + (int64_t)i * (1 + lt__map_width(m));
		struct digit_sum inner, quotient;
		int64_t coef = row[1 + m->n_param + m->n_dim + i];
		if (!coef)
			continue;
		if (!sum_of_row(s, leaf, m, div + 1, &inner) || !divide(s, &inner, div[0], &quotient)
			|| !add_term(out, coef, &quotient))
			return false;
	}
	return true;
}

/* -- reads -- */

/* The rows and guards of what is read from outside, or of a position, have no floors after their digits are cut. */
static bool read_outside(struct describing *s, lt_node n, const struct lt_leaf *leaf, const struct lt_readpiece *p)
{
	struct digit_sum sum;
	for (int32_t i = 0; i < p->map.n_row + p->map.n_guard; i++) {
		bool guard = i >= p->map.n_row;
		const int64_t *row = guard ? p->map.guard + (int64_t)(i - p->map.n_row) * lt__map_width(&p->map)
			: p->map.row + (int64_t)i * lt__map_width(&p->map);
		if (!sum_of_row(s, leaf, &p->map, row, &sum))
			return describe_fail(s, "%%%s reads %s%s in blocks that its axes do not divide into; materialize that outside of %s",
				node_name(s, n), p->base >= 0 ? "%" : "a position", p->base >= 0 ? node_name(s, p->base) : "", s->where);
	}
	return true;
}

/* The digits whose sum it is in a mixed radix, the lowest first; false: it is no such number. */
static bool list_of_sum(const struct describing *s, const struct digit_sum *sum, struct digit_list *out)
{
	int64_t next = 1;
	*out = (struct digit_list){ .n = 0 };
	if (sum->constant || sum->params)
		return false;
	for (bool more = true; more;) {
		more = false;
		for (int32_t i = 0; i < s->n_digit && !more; i++)
			if (sum->coef[i] == next && out->n < MAX_AXES) {
				out->at[out->n] = i;
				out->place[out->n++] = next;
				next = lt__mul_sat(next, s->digit[i].extent);
				more = true;
			}
	}
	int32_t used = 0;
	for (int32_t i = 0; i < s->n_digit; i++)
		used += sum->coef[i] != 0;
	return used == out->n;
}

static void merge(struct describing *s, int32_t a, int32_t b)
{
	int32_t from = a < b ? b : a, to = a < b ? a : b;
	s->digit[from].same = to;
	s->changed = true;
}

/* Two lists of digits count the same: equal ones are one from here on, a longer one is cut. */
static bool same_digits(struct describing *s, const struct digit_list *a, const struct digit_list *b)
{
	const struct lt_graph *g = s->t->graph;
	int32_t i = 0;
	for (; i < a->n && i < b->n; i++) {
		const struct digit *x = &s->digit[a->at[i]], *y = &s->digit[b->at[i]];
		if (a->at[i] == b->at[i])
			continue;
		if (x->extent != y->extent)
			return x->extent < y->extent ? cut(s, b->at[i], x->extent) : cut(s, a->at[i], y->extent);
		if ((x->bounded || y->bounded) && !lt__var_same_range(g, x->var, y->var))
			return false;
		merge(s, a->at[i], b->at[i]);
		return true;
	}
	return i == a->n && i == b->n;
}

/* A value that is made inside is read at the reader's own position. */
static bool read_inside(struct describing *s, lt_node n, const struct lt_leaf *leaf, const struct lt_readpiece *p)
{
	const struct lt_nodedef *d = &s->t->graph->node[p->base];
	if (d->op == LT_OP_update)
		return describe_fail(s, "%%%s reads what %%%s updates a part of; move one of them out of %s", node_name(s, n),
			node_name(s, p->base), s->where);
	for (int32_t i = 0; i < d->n_dim && !s->changed; i++) {
		struct digit_sum sum;
		struct digit_list own, here;
		bool fits = sum_of_row(s, leaf, &p->map, p->map.row + (int64_t)i * lt__map_width(&p->map), &sum);
		if (s->changed)
			return true;
		if (!fits || !digits_of_var(s, d->dim[i], &own) || !list_of_sum(s, &sum, &here) || !same_digits(s, &own, &here))
			return describe_fail(s, "%%%s reads %%%s, which is made in %s, at other positions than its own along %s; move one "
				"of them out", node_name(s, n), node_name(s, p->base), s->where, s->t->graph->var[d->dim[i]].name);
	}
	return true;
}

static bool describe_value(struct describing *s, const struct lt_described_op *op, int32_t k,
	struct lt_described_value *out)
{
	const struct lt_leaf *leaf = op->leaf;
	const struct lt_read *r = &leaf->read[k];
	lt_node n = op->node;
	const struct lt_readpiece *p = &r->piece[0];
	bool bordered = r->n_piece == 2 && r->piece[1].kind == LT_PIECE_IMMEDIATE && p->kind == LT_PIECE_READ;
	*out = (struct lt_described_value){ .op = -1, .dtype = r->dtype, .bits = bordered ? r->piece[1].bits : p->bits,
		.piece = p };
	int32_t inside = op->inside[k];
	if (inside >= 0 && s->op[inside].instance) {
		out->kind = LT_VALUE_OP;
		out->op = inside;
		return true;
	}
	if (r->n_piece > 1 && (!bordered || inside >= 0))
		return describe_fail(s, "%s reads %s through a view %s; materialize that outside of %s", node_place(s, n),
			node_place(s, s->t->graph->node[n].operand[k]), bordered ? "with a border, though that is made here"
			: "of several pieces", s->where);
	out->kind = p->kind == LT_PIECE_IMMEDIATE ? LT_VALUE_BITS : p->kind == LT_PIECE_INDEX ? LT_VALUE_PLACE
		: inside >= 0 ? LT_VALUE_OP : LT_VALUE_READ;
	out->op = inside;
	if (out->kind == LT_VALUE_BITS)
		return true;
	return inside >= 0 ? read_inside(s, n, leaf, p) : read_outside(s, n, leaf, p);
}

static bool describe_leaf(struct describing *s, struct lt_described_op *op)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_nodedef *d = &g->node[op->node];
	const struct lt_leaf *leaf = op->leaf;
	if (leaf->gather)
		return describe_fail(s, "%s reads at an index from memory; move it out of %s", node_place(s, op->node), s->where);
	if (leaf->n_trip > 0)
		return describe_fail(s, "%s reads windows that are copied once per iteration; move that out of %s",
			node_place(s, op->node), s->where);
	op->n_value = leaf->n_read;
	for (int32_t i = 0; i < leaf->n_var; i++) {
		if (g->var[leaf->var[i]].unit)
			return describe_fail(s, "%%%s has partial sums, one per iteration of a loop over %s; call the whole sum",
				node_name(s, op->node), g->var[g->var[leaf->var[i]].of].name);
		if (!add_var(s, leaf->var[i]))
			return false;
	}
	op->kind = d->reduce ? LT_CALL_REDUCE : d->op == LT_OP_cast ? LT_CALL_CAST : LT_CALL_MAP;
	for (int32_t k = 0; k < leaf->n_read && !s->changed; k++)
		if (!describe_value(s, op, k, &op->value[k]))
			return false;
	return true;
}

/* -- axes -- */

/* A digit that an op has.  Ops count along one axis where one reads the other, or both the same tensor, along the
 * digit.  What a sum was over is gone behind it: one that has the digit again, of another tensor, has an axis of its
 * own; of the same one, too, if it was a sum of products (keys that are values, too). */
struct held { int32_t column, digit, same, axis; int64_t place; bool contracted; };
struct held_list { int32_t first, n; };
struct holding { struct held *at; int32_t n, cap; struct held_list *of; };      /* of: by op */

static int32_t held_root(const struct holding *h, int32_t i)
{
	while (h->at[i].same >= 0)
		i = h->at[i].same;
	return i;
}

static bool hold(struct describing *s, struct holding *h, int32_t o)
{
	const struct lt_described_op *op = &s->op[o];
	const struct lt_leaf *leaf = op->leaf;
	h->of[o].first = h->n;
	for (int32_t i = 0; i < leaf->n_var; i++) {
		struct digit_list list;
		bool moves = !op->instance;
		for (int32_t k = 0; k < leaf->n_read; k++)
			moves = moves || lt__read_depends(&leaf->read[k], i);
		if (!digits_of_var(s, leaf->var[i], &list))
			return false;
		for (int32_t k = moves ? list.n : 0; k-- > 0;) {
			if (h->n - h->of[o].first == MAX_AXES)
				return describe_fail(s, "there are more than %d axes in %s", (int)MAX_AXES, s->where);
			for (int32_t q = h->of[o].first; q < h->n; q++)
				if (h->at[q].digit == list.at[k])
					return describe_fail(s, "%%%s, or a value that it is made of, is read along two axes that count the same, as %s "
						"does; move a part of it out of %s",
						node_name(s, op->node), s->t->graph->var[leaf->var[i]].name, s->where);
			LT_GROW(s->a, h->at, h->n, h->cap);
			h->at[h->n++] = (struct held){ i, list.at[k], -1, -1, list.place[k], false };
		}
	}
	h->of[o].n = h->n - h->of[o].first;
	return true;
}

/* The digits that both have; read: of each, what it reads; NULL: all that it computes. */
static void join_held(const struct describing *s, struct holding *h, int32_t a, const struct lt_read *read_a, int32_t b,
	const struct lt_read *read_b)
{
	for (int32_t i = h->of[a].first; i < h->of[a].first + h->of[a].n; i++) {
		if (read_a ? !lt__read_depends(read_a, h->at[i].column) : h->at[i].column >= s->op[a].leaf->n_out)
			continue;
		for (int32_t k = h->of[b].first; k < h->of[b].first + h->of[b].n; k++) {
			const int32_t x = held_root(h, i), y = held_root(h, k);
			if (read_a && h->at[x].contracted != h->at[y].contracted)
				continue;
			if (h->at[i].digit == h->at[k].digit && x != y && lt__read_depends(read_b, h->at[k].column))
				h->at[x < y ? y : x].same = x < y ? x : y;
		}
	}
}

/* Whether op o multiplies two values, or one at two positions. */
static bool multiplies_two(const struct describing *s, int32_t o)
{
	const struct lt_described_op *op = &s->op[o];
	const struct lt_described_value *left = &op->value[0], *right = &op->value[1];

	if (op->kind != LT_CALL_MAP || s->t->graph->node[op->node].op != LT_OP_mul)
		return false;
	if (left->kind != right->kind || left->kind == LT_VALUE_OP)
		return left->kind != right->kind || left->op != right->op;
	for (int32_t i = 0; i < op->leaf->n_var; i++)
		if (lt__read_depends(&op->leaf->read[0], i) != lt__read_depends(&op->leaf->read[1], i))
			return true;
	return left->kind == LT_VALUE_READ && left->piece->base != right->piece->base;
}

/* Marks the axes that sums of products are over. */
static void mark_contracted(const struct describing *s, struct holding *h)
{
	for (int32_t o = 0; o < s->n_op; o++) {
		int32_t of = s->op[o].value[0].op;

		if (s->op[o].dead || s->op[o].kind != LT_CALL_REDUCE || s->op[o].value[0].kind != LT_VALUE_OP)
			continue;
		while (s->op[of].kind == LT_CALL_CAST && s->op[of].value[0].kind == LT_VALUE_OP)
			of = s->op[of].value[0].op;
		for (int32_t i = h->of[o].first; i < h->of[o].first + h->of[o].n && multiplies_two(s, of); i++)
			if (h->at[i].column >= s->op[o].leaf->n_out)
				h->at[held_root(h, i)].contracted = true;
	}
}

static void join_made(const struct describing *s, struct holding *h, int32_t o, int32_t k)
{
	if (s->op[o].value[k].kind == LT_VALUE_OP)
		join_held(s, h, s->op[o].value[k].op, NULL, o, &s->op[o].leaf->read[k]);
}

static void join_reads(const struct describing *s, struct holding *h, int32_t o, int32_t k)
{
	const struct lt_described_op *op = &s->op[o];
	const struct lt_read *r = &op->leaf->read[k];

	for (int32_t i = 0; op->value[k].kind == LT_VALUE_READ && i < o; i++)
		for (int32_t v = 0; v < s->op[i].n_value && !s->op[i].dead; v++)
			if (s->op[i].value[v].kind == LT_VALUE_READ && s->op[i].value[v].piece->base == r->piece[0].base)
				join_held(s, h, i, &s->op[i].leaf->read[v], o, r);
}

static bool number_axes(struct describing *s, struct lt_description *out)
{
	struct holding h = { .of = LT_NEW(s->a, struct held_list, s->n_op + 1) };
	for (int32_t o = 0; o < s->n_op; o++)
		if (!s->op[o].dead && !hold(s, &h, o))
			return false;
	for (int32_t o = 0; o < s->n_op; o++)
		for (int32_t k = 0; k < s->op[o].n_value && !s->op[o].dead; k++)
			join_made(s, &h, o, k);
	mark_contracted(s, &h);
	for (int32_t o = 0; o < s->n_op; o++)
		for (int32_t k = 0; k < s->op[o].n_value && !s->op[o].dead; k++)
			join_reads(s, &h, o, k);
	for (int32_t o = 0; o < s->n_op; o++) {
		struct lt_described_op *op = &s->op[o];
		op->digit = LT_NEW(s->a, struct lt_axis_digit, MAX_AXES);
		for (int32_t i = h.of[o].first; i < h.of[o].first + h.of[o].n; i++) {
			const struct digit *d = &s->digit[h.at[i].digit];
			struct held *root = &h.at[held_root(&h, i)];
			if (root->axis < 0) {
				if (out->n_axis == MAX_AXES)
					return describe_fail(s, "there are more than %d axes in %s", (int)MAX_AXES, s->where);
				root->axis = out->n_axis;
				int32_t again = 0;
				for (int32_t a = 0; a < out->n_axis; a++)
					again += out->axis[a].var == d->var && out->axis[a].place == d->place;
				out->axis[out->n_axis++] = (struct lt_axis){ d->var, d->place, d->extent, d->whole, again };
			}
			op->digit[op->n_digit++] = (struct lt_axis_digit){ h.at[i].column, root->axis, h.at[i].place };
		}
	}
	return true;
}

/* -- roundings -- */

static bool is_float(enum lt_dtype t) { return lt__dtype_info(t)->cls == LT_CLASS_FLOAT; }

/* The number of ops that read op i; *only: one of them. */
static int32_t readers_of(const struct lt_description *d, int32_t i, int32_t *only)
{
	int32_t n = 0;
	for (int32_t o = i + 1; o < d->n_op; o++)
		for (int32_t v = 0; v < d->op[o].n_value && !d->op[o].dead; v++)
			if (d->op[o].value[v].kind == LT_VALUE_OP && d->op[o].value[v].op == i) {
				*only = o;
				n++;
				break;
			}
	return n;
}

/* A cast to a narrower float. */
static bool rounds(const struct lt_graph *g, const struct lt_described_op *op)
{
	enum lt_dtype to = g->node[op->node].dtype, from = op->value[0].dtype;
	return op->kind == LT_CALL_CAST && is_float(to) && is_float(from)
		&& lt__dtype_info(to)->bytes < lt__dtype_info(from)->bytes;
}

/* Whether op i, of type `wide`, may be computed before a rounding to `narrow`: f(round(x)) is round(f(x)). */
static bool may_precede(const struct lt_graph *g, const struct lt_described_op *op, enum lt_dtype narrow)
{
	enum lt_opcode is = g->node[op->node].op;
	if (op->kind != LT_CALL_MAP || (is != LT_OP_max && is != LT_OP_min && is != LT_OP_neg && is != LT_OP_abs))
		return false;
	for (int32_t v = 0; v < op->n_value; v++) {
		if (op->value[v].kind != LT_VALUE_BITS)
			continue;
		union lt_scalar x = lt__scalar_of(op->value[v].bits, op->value[v].dtype);
		if (lt__round_to(x, narrow).f != x.f)
			return false;
	}
	return true;
}

/* ReLU, min, max, neg and abs come before a rounding that may be left out, where their own value is rounded to the same
 * type at once: the same bits, and a routine that computes in the wider type has one rounding less to give up. */
static void move_before_rounding(const struct lt_graph *g, struct lt_description *d, int32_t i)
{
	struct lt_described_op *op = &d->op[i];
	for (int32_t v = 0; v < op->n_value; v++) {
		const struct lt_described_op *widens = op->value[v].kind == LT_VALUE_OP ? &d->op[op->value[v].op] : NULL,
			*narrows = widens && widens->kind == LT_CALL_CAST && widens->value[0].kind == LT_VALUE_OP
			? &d->op[widens->value[0].op] : NULL;
		int32_t next = -1;
		if (!narrows || !narrows->may_skip || narrows->value[0].dtype != op->value[v].dtype
			|| op->result)
			continue;
		enum lt_dtype narrow = g->node[narrows->node].dtype;
		bool others = op->n_value == 2 && op->value[1 - v].kind != LT_VALUE_BITS;
		if (others || !may_precede(g, op, narrow) || readers_of(d, i, &next) != 1 || d->op[next].kind != LT_CALL_CAST
			|| g->node[d->op[next].node].dtype != narrow)
			continue;
		op->moved = widens->value[0].op;
		op->behind = next;
		op->value[v] = narrows->value[0];
		op->value[v].dtype = narrows->value[0].dtype;
	}
}

/* What is moved before a rounding has one behind it: where that is left out, so is the one before. */
static void mark_unrounded(struct lt_description *d)
{
	for (int32_t i = d->n_op; i-- > 0;) {
		d->op[i].unrounded = d->op[i].unrounded || d->op[i].may_skip;
		if (d->op[i].moved >= 0 && d->op[d->op[i].behind].unrounded)
			d->op[d->op[i].moved].unrounded = true;
	}
}

static void mark_roundings(const struct lt_graph *g, struct lt_description *d)
{
	int32_t only;
	for (int32_t i = 0; i < d->n_op; i++)
		d->op[i].may_skip = rounds(g, &d->op[i]) && d->op[i].value[0].kind == LT_VALUE_OP && readers_of(d, i, &only) > 0;
	for (int32_t i = 0; i < d->n_op; i++)
		move_before_rounding(g, d, i);
	for (int32_t i = d->n_op; i-- > 0;)
		d->op[i].dead = !d->op[i].result && readers_of(d, i, &only) == 0;
	for (int32_t i = 0; i < d->n_op; i++)
		d->op[i].may_skip = d->op[i].may_skip && readers_of(d, i, &only) > 0;
	mark_unrounded(d);
}

/* Whether op i is x / sum of x, with x an exponential: in [0, 1], so that no type overflows. */
static bool is_probability(const struct lt_graph *g, const struct lt_description *d, int32_t i)
{
	const struct lt_described_op *div = &d->op[i];
	if (div->kind != LT_CALL_MAP || g->node[div->node].op != LT_OP_div || div->result
		|| div->value[0].kind != LT_VALUE_OP || div->value[1].kind != LT_VALUE_OP)
		return false;
	const int32_t exp = div->value[0].op;
	const struct lt_described_op *sum = &d->op[div->value[1].op];
	return d->op[exp].kind == LT_CALL_MAP && g->node[d->op[exp].node].op == LT_OP_exp && sum->kind == LT_CALL_REDUCE
		&& g->node[sum->node].op == LT_OP_add && sum->value[0].kind == LT_VALUE_OP && sum->value[0].op == exp;
}

/* The halves that op i, probabilities in float32, is alone multiplied by for a sum; 0: it is none such. */
static enum lt_dtype halves_beside(const struct lt_graph *g, const struct lt_description *d, int32_t i)
{
	int32_t mul = -1, sum = -1;
	if (!is_probability(g, d, i) || g->node[d->op[i].node].dtype != LT_F32 || readers_of(d, i, &mul) != 1
		|| d->op[mul].kind != LT_CALL_MAP || g->node[d->op[mul].node].op != LT_OP_mul || readers_of(d, mul, &sum) != 1
		|| d->op[sum].kind != LT_CALL_REDUCE || g->node[d->op[sum].node].op != LT_OP_add)
		return 0;
	for (int32_t v = 0; v < 2; v++) {
		const struct lt_described_value *other = &d->op[mul].value[1 - v];
		const struct lt_described_op *cast = other->kind == LT_VALUE_OP && other->op != i ? &d->op[other->op] : NULL;
		if (cast && cast->kind == LT_CALL_CAST && cast->value[0].kind == LT_VALUE_READ
			&& (cast->value[0].dtype == LT_F16 || cast->value[0].dtype == LT_BF16))
			return cast->value[0].dtype;
	}
	return 0;
}

/* Behind op i, that it may be rounded to a type: a cast to it that may be left out, and back. */
static void add_rounding(struct lt_arena *a, struct lt_description *d, int32_t i, enum lt_dtype to)
{
	enum { ADDED = 2 };
	struct lt_described_op *op = LT_NEW(a, struct lt_described_op, d->n_op + ADDED);
	for (int32_t o = 0; o < d->n_op; o++) {
		struct lt_described_op *x = &op[o > i ? o + ADDED : o];
		*x = d->op[o];
		for (int32_t v = 0; v < 3 && o > i; v++) {
			x->value[v].op += v < x->n_value && x->value[v].kind == LT_VALUE_OP && x->value[v].op >= i ? ADDED : 0;
			x->inside[v] += x->inside[v] >= i ? ADDED : 0;
		}
		x->moved += x->moved > i ? ADDED : 0;
		x->behind += x->behind > i ? ADDED : 0;
	}
	for (int32_t k = 0; k < ADDED; k++) {
		struct lt_described_op *cast = &op[i + 1 + k];
		*cast = op[i];
		cast->kind = LT_CALL_CAST;
		cast->n_value = 1;
		cast->value[0] = (struct lt_described_value){ .kind = LT_VALUE_OP, .op = i + k, .dtype = k ? to : LT_F32 };
		cast->rounds_to = k ? LT_F32 : to;
		cast->may_skip = !k;
	}
	d->op = op;
	d->n_op += ADDED;
}

/* Probabilities that multiply halves may be rounded to these, as a routine does that multiplies halves alone.  Where
 * the graph rounds them, the exponentials may be instead: a routine divides what it has multiplied them by. */
static void add_roundings(const struct lt_graph *g, struct lt_arena *a, struct lt_description *d)
{
	for (int32_t i = 0; i < d->n_op; i++) {
		const struct lt_described_op *cast = &d->op[i];
		if (cast->may_skip && !cast->rounds_to && is_probability(g, d, cast->value[0].op))
			d->op[d->op[cast->value[0].op].value[0].op].may_round = g->node[cast->node].dtype;
	}
	for (int32_t i = 0; i < d->n_op; i++) {
		const enum lt_dtype to = d->op[i].dead || d->op[i].rounds_to ? 0 : halves_beside(g, d, i);
		if (to)
			add_rounding(a, d, i, to);
	}
}

/* -- the ops: a leaf each, and those that are computed at a reader's positions -- */

/* The vars that a row of a map has, its floors looked into, as a bit set of columns. */
static uint64_t columns_of(const struct lt_map *m, const int64_t *row)
{
	uint64_t set = 0;
	for (int32_t k = 0; k < m->n_dim && k < 64; k++)
		set |= row[1 + m->n_param + k] ? UINT64_C(1) << k : 0;
	for (int32_t d = 0; d < m->n_div; d++)
		set |= row[1 + m->n_param + m->n_dim + d] ? columns_of(m, m->div + (int64_t)d * (1 + lt__map_width(m)) + 1) : 0;
	return set;
}

/* Whether a read is at the reader's own positions, of all of each dim: nothing but an order and digits of its vars. */
static bool is_own_position(const struct describing *s, const struct lt_leaf *leaf, const struct lt_read *r)
{
	const struct lt_map *m = &r->piece[0].map;
	if (r->n_piece > 1 || m->n_guard > 0)
		return false;
	for (int32_t i = 0; i < m->n_row; i++) {
		const int64_t *row = m->row + (int64_t)i * lt__map_width(m);
		int64_t next = 1;
		int32_t n = 0, used = 0;
		bool divs = false;
		for (int32_t d = 0; d < m->n_div; d++)
			divs = divs || row[1 + m->n_param + m->n_dim + d];
		if (divs) {             /* a digit of one var, or a sum that is none */
			const uint64_t of = columns_of(m, row);
			if (of & (of - 1))
				return false;
			continue;
		}
		for (int32_t k = 0; k < leaf->n_var; k++)
			n += row[1 + m->n_param + k] != 0;
		for (bool more = true; more;) {
			more = false;
			for (int32_t k = 0; k < leaf->n_var && !more; k++)
				if (row[1 + m->n_param + k] == next && used < n) {
					next = lt__mul_sat(next, s->t->graph->var[leaf->var[k]].extent);
					used++;
					more = next > 1 && used < n;
				}
		}
		if (row[0] || used < n || next != s->t->graph->var[s->t->graph->node[r->piece[0].base].dim[i]].extent)
			return false;
	}
	return true;
}

/* The op on numbers: of operands that are what `x` says. */
static uint64_t value_of(const struct lt_nodedef *d, const struct lt_leaf *leaf, const union lt_scalar *x)
{
	enum lt_dtype last = leaf->read[leaf->n_read - 1].dtype;
	union lt_scalar v = d->op == LT_OP_cast ? lt__convert(x[0], last, d->dtype)
		: lt__op_value(lt__op_info(d->op)->data ? LT_OP_copy : d->op, last, x);
	return lt__bits_of(lt__round_to(v, d->dtype), d->dtype);
}

/* What an op's operands are where it has to be `fill`: numbers stay, everything else is one number.  False: none does
 * that is known. */
static bool fill_before(const struct lt_nodedef *d, const struct lt_leaf *leaf, uint64_t fill, uint64_t *bits)
{
	union lt_scalar x[3] = { { .i = 0 } };
	for (int32_t k = 0; k < leaf->n_read; k++) {
		const struct lt_readpiece *p = &leaf->read[k].piece[0];
		bool number = leaf->read[k].n_piece == 1 && p->kind == LT_PIECE_IMMEDIATE;
		enum lt_dtype type = leaf->read[k].dtype;
		if (p->kind == LT_PIECE_INDEX)
			return false;
		x[k] = lt__scalar_of(number ? p->bits : 0, type);
		if (!number && d->op == LT_OP_cast)
			x[k] = lt__convert(lt__scalar_of(fill, d->dtype), d->dtype, type);
		bits[k] = lt__bits_of(x[k], type);
	}
	return value_of(d, leaf, x) == fill;
}

/* The leaf of member m over the vars of a reader, which reads it as r does; NULL: it cannot be computed there. */
static struct lt_leaf *leaf_at(struct describing *s, int32_t m, const struct lt_leaf *reader, const struct lt_read *r)
{
	const struct lt_nodedef *d = &s->t->graph->node[s->member[m]];
	const struct lt_leaf *own = s->t->leaf[s->member[m]];
	const struct lt_readpiece *at = &r->piece[0];
	const bool border = r->n_piece == 2 && r->piece[1].kind == LT_PIECE_IMMEDIATE && at->map.n_guard > 0;
	struct lt_leaf *leaf = LT_NEW(s->a, struct lt_leaf, 1);
	uint64_t fill[3] = { 0 };
	if ((r->n_piece > 1 && !border) || (border && !fill_before(d, own, r->piece[1].bits, fill)))
		return NULL;
	*leaf = *reader;
	leaf->n_out = reader->n_var;
	leaf->n_read = own->n_read;
	leaf->read = LT_NEW(s->a, struct lt_read, own->n_read);
	for (int32_t k = 0; k < own->n_read; k++) {
		const struct lt_read *from = &own->read[k];
		const struct lt_readpiece *p = &from->piece[0];
		bool inner = from->n_piece == 2 && from->piece[1].kind == LT_PIECE_IMMEDIATE;
		if (from->n_piece > 1 && (!inner || (border && from->piece[1].bits != fill[k])))
			return NULL;
		struct lt_readpiece *piece = LT_NEW(s->a, struct lt_readpiece, 2);
		piece[0] = *p;
		if (p->kind != LT_PIECE_IMMEDIATE
			&& lt__map_compose(s->t->ctx, s->a, &at->map, &p->map, &piece[0].map) != LT_OK)
			return NULL;
		bool bordered = p->kind == LT_PIECE_READ && piece[0].map.n_guard > 0;
		piece[1] = (struct lt_readpiece){ .kind = LT_PIECE_IMMEDIATE, .base = -1, .bits = border ? fill[k]
			: inner ? from->piece[1].bits : 0, .map = { .n_dim = piece[0].map.n_dim } };
		if (p->kind == LT_PIECE_IMMEDIATE)
			piece[0].map = piece[1].map;
		leaf->read[k] = (struct lt_read){ .n_piece = 1 + bordered, .dtype = from->dtype, .piece = piece };
	}
	return leaf;
}

static bool add_op(
	struct describing *s, lt_node n, const struct lt_leaf *leaf, bool instance, bool result, int32_t *out)
{
	struct lt_described_op op = { .node = n, .leaf = leaf, .instance = instance, .result = result, .moved = -1,
		.behind = -1, .inside = { -1, -1, -1 } };
	for (int32_t k = 0; k < leaf->n_read && k < 3 && !leaf->gather; k++) {
		const struct lt_read *r = &leaf->read[k];
		int32_t m = r->piece[0].kind == LT_PIECE_READ ? member_of(s, r->piece[0].base) : -1;
		if (m < 0)
			continue;
		op.inside[k] = s->own[m];
		struct lt_leaf *at = s->mapped[m] && !is_own_position(s, leaf, r) ? leaf_at(s, m, leaf, r) : NULL;
		if (at && !add_op(s, s->member[m], at, true, false, &op.inside[k]))
			return false;
	}
	if (s->n_op >= MAX_OPS)
		return describe_fail(s, "there are more than %d operations in %s", (int)MAX_OPS, s->where);
	LT_GROW(s->a, s->op, s->n_op, s->cap_op);
	*out = s->n_op;
	s->op[s->n_op++] = op;
	return true;
}

static bool add_ops(struct describing *s)
{
	const struct lt_graph *g = s->t->graph;
	for (int32_t i = 0; i < s->n_member; i++) {
		const struct lt_nodedef *d = &g->node[s->member[i]];
		const struct lt_leaf *leaf = s->t->leaf[s->member[i]];
		s->mapped[i] = !d->reduce && d->op != LT_OP_update && !leaf->gather && leaf->n_trip == 0 && leaf->n_read <= 3;
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				int32_t m = leaf->read[k].piece[p].kind == LT_PIECE_READ ? member_of(s, leaf->read[k].piece[p].base) : -1;
				s->mapped[i] = s->mapped[i] && (m < 0 || s->mapped[m]);
			}
		if (!add_op(s, s->member[i], leaf, false, s->result[i], &s->own[i]))
			return false;
	}
	return true;
}

/* -- all of it -- */

/* What nothing reads where it is made is not made there. */
static void drop_unread(struct describing *s)
{
	bool *read = LT_NEW(s->a, bool, s->n_op + 1);
	for (int32_t i = s->n_op; i-- > 0;) {
		s->op[i].dead = !read[i] && !s->op[i].result;
		for (int32_t k = 0; k < 3 && !s->op[i].dead; k++)
			if (s->op[i].inside[k] >= 0)
				read[s->op[i].inside[k]] = true;
	}
}

static bool describe_all(struct describing *s, struct lt_description *out)
{
	if (!add_ops(s))
		return false;
	drop_unread(s);
	for (int32_t round = 0; round == 0 || s->changed; round++) {
		s->changed = false;
		for (int32_t i = 0; i < s->n_op && !s->changed; i++) {
			if (!s->op[i].dead && !describe_leaf(s, &s->op[i]) && !s->changed)
				return false;
			s->why = s->changed ? NULL : s->why;
		}
	}
	if (!number_axes(s, out))
		return false;
	out->op = s->op;
	out->n_op = s->n_op;
	mark_roundings(s->t->graph, out);
	add_roundings(s->t->graph, s->a, out);
	return true;
}

const char *lt__describe(struct lt_looptree *t, struct lt_arena *a, const lt_node *member, int32_t n,
	const bool *result, const char *where, struct lt_description *out)
{
	struct describing *s = LT_NEW(a, struct describing, 1);
	*s = (struct describing){ .t = t, .a = a, .where = where, .member = member, .n_member = n, .result = result,
		.mapped = LT_NEW(a, bool, n + 1), .own = LT_NEW(a, int32_t, n + 1) };
	*out = (struct lt_description){ .axis = LT_NEW(a, struct lt_axis, MAX_AXES) };
	return describe_all(s, out) ? NULL : s->why ? s->why : "its axes are too many, or too large";
}
