/* Calls of the default tree: products that fit a row of the target's table of routines, with as much of what follows
 * them as fits.
 *
 * What is handed over is in a group, as a plain nest: a routine does not look at its loops, and a backend that has lost
 * the routine still finds loops that are right.
 */
#include <string.h>
#include "ir/node/node.h"
#include "looptree/default/auto_group.h"
#include "looptree/call/call.h"

enum { MAX_MEMBERS = 40 };

/* refused: what follows the call, and is in none, NULL: nothing does that a routine might take.  group: it was made by
 * what its description says (auto_group.c), or is of a kernel of the user's own: it has no product. */
struct lt_autocall {
	const char *name, *refused;
	bool group;
	lt_node mul, sum, end;
	int32_t n;
	lt_node *member;
};
/* The leaves that may become a call. */
struct draft {
	struct lt_auto *s;
	const struct lt_routine *row;   /* that took the last smaller one */
	const char *refused;            /* why that does not take this one */
	lt_node mul, sum, end;
	int32_t n, n_dependent;
	lt_node dependent[MAX_MEMBERS], member[MAX_MEMBERS];
	const char *why;                /* why the row that was found last is taken; else why none is, the first time */
};

static bool has(const lt_node *list, int32_t n, lt_node x)
{
	for (int32_t i = 0; i < n; i++)
		if (list[i] == x)
			return true;
	return false;
}

/* Whether more than the leaves after the sum need x. */
static bool is_open(const struct draft *d, lt_node x)
{
	int32_t n = 0;
	for (int32_t i = 0; i < d->n_dependent; i++)
		n += lt__auto_reads(d->s->t->leaf[d->dependent[i]], x);
	return n < d->s->n_reader[x];
}

static bool may_join(const struct draft *d, lt_node n)
{
	const struct lt_nodedef *x = &d->s->g->node[n];
	return lt__has_leaf(d->s->g, n) && !d->s->in_call[n] && !x->reduce && x->op != LT_OP_update
		&& x->op != LT_OP_gather && d->s->constant[n] == d->s->constant[d->sum]
		&& lt__auto_same_class(d->s, n, d->sum);
}

/* Adds the readers of x; false: one of them may be in no call, or x is a result. */
static bool add_readers(struct draft *d, lt_node x)
{
	const struct lt_graph *g = d->s->g;
	if (d->s->written[x])
		return false;
	for (lt_node u = x + 1; u <= d->s->reader[x]; u++) {
		if (!lt__has_leaf(g, u) || !lt__auto_reads(d->s->t->leaf[u], x) || has(d->dependent, d->n_dependent, u))
			continue;
		if (!may_join(d, u) || d->n_dependent == MAX_MEMBERS)
			return false;
		d->dependent[d->n_dependent++] = u;
	}
	return true;
}

/* On to the next value that is all that others need of what is after the sum; false: there is none. */
static bool draft_grow(struct draft *d)
{
	if (!add_readers(d, d->end))
		return false;
	for (;;) {
		lt_node first = -1;
		int32_t n = 0;
		for (int32_t i = 0; i < d->n_dependent; i++)
			if (is_open(d, d->dependent[i])) {
				first = first < 0 || d->dependent[i] < first ? d->dependent[i] : first;
				n++;
			}
		if (n <= 1) {
			d->end = first;
			return n == 1;
		}
		if (!add_readers(d, first))
			return false;
	}
}

/* Casts and copies that only the call reads are in it, too; of factors, or of all that it reads. */
enum draft_casts { CASTS_NONE, CASTS_OF_FACTORS, CASTS_ALL };
static void add_casts(struct draft *d, enum draft_casts of)
{
	const struct lt_auto *s = d->s;
	for (int32_t i = 0; i < d->n && (of == CASTS_ALL || (of == CASTS_OF_FACTORS && d->member[i] == d->mul)); i++) {
		const struct lt_leaf *leaf = s->t->leaf[d->member[i]];
		for (int32_t k = 0; k < leaf->n_read; k++) {
			lt_node base = leaf->read[k].n_piece == 1 ? leaf->read[k].piece[0].base : -1;
			if (base < 0 || !lt__has_leaf(s->g, base) || s->in_call[base] || s->n_reader[base] != 1
				|| d->n == MAX_MEMBERS || has(d->member, d->n, base))
				continue;
			if (lt__may_be_left_out(s->g, base) && lt__auto_same_class(s, base, d->sum))
				d->member[d->n++] = base;
		}
	}
}

/* Whether one nest over the vars of the sum holds all leaves, each at its own elements. */
static bool is_one_nest(const struct lt_auto *s, lt_node sum, const lt_node *member, int32_t n)
{
	for (int32_t i = 0; i < n; i++) {
		const struct lt_leaf *leaf = s->t->leaf[member[i]];
		for (int32_t k = 0; k < leaf->n_var; k++)
			if (lt__leaf_column(s->t->leaf[sum], leaf->var[k]) < 0)
				return false;
	}
	return true;
}

/* Elements from one position along an axis to the next, of what an op reads or writes there; -1: not known. */
static int64_t stride_along(
	const struct draft *d, const struct lt_described_op *op, const struct lt_readpiece *p, int32_t axis)
{
	for (int32_t k = 0; k < op->n_digit; k++)
		if (op->digit[k].axis == axis) {
			int64_t by = lt__auto_stride(d->s->g, p, op->digit[k].column);
			return by == -1 ? by : lt__mul_sat(by, op->digit[k].place);
		}
	return 0;
}

/* The same of what the op writes; dest: the leaf's element. */
static int64_t stride_written(
	const struct draft *d, const struct lt_described_op *op, const struct lt_map *dest, int32_t axis)
{
	const int64_t *stride = lt__auto_strides_written(d->s, d->s->t->arena, op->node);
	int64_t by = 0;
	for (int32_t k = 0; k < op->n_digit && stride; k++)
		for (int32_t i = 0; op->digit[k].axis == axis && i < dest->n_row; i++)
			by = lt__add_sat(by, lt__mul_sat(lt__mul_sat(stride[i], op->digit[k].place),
				dest->row[(int64_t)i * lt__map_width(dest) + 1 + dest->n_param + op->digit[k].column]));
	return stride ? by : -1;
}

static void shape_of(const struct draft *d, const struct lt_description *of, const struct lt_contraction *c,
	struct lt_callshape *out)
{
	const struct lt_graph *g = d->s->g;
	*out = (struct lt_callshape){ .pattern = LT_PATTERN_PRODUCT,
		.epilogues = c->epilogues,
		.sum = c->type,
		.n_dim = c->n_dim,
		.n_operand = c->n_operand,
		.n_rounding = c->n_rounding,
		.rounded = c->n_rounding ? g->node[c->rounded].name : NULL,
		.rounded_to = c->n_rounding ? g->node[c->rounded].dtype : 0 };
	for (int32_t i = 0; i < c->n_dim; i++) {
		const struct lt_axis *axis = &of->axis[c->axis[i]];
		out->role[i] = c->role[i];
		out->extent[i] = axis->extent;
		out->bounded[i] = axis->whole && g->var[axis->var].bounded;
		out->var[i] = g->var[axis->var].name;
	}
	for (int32_t o = 0; o < c->n_operand; o++) {
		const struct lt_described_op *op = &of->op[c->operand[o].op];
		const bool written = c->operand[o].value < 0;
		struct lt_readpiece dest = { .kind = LT_PIECE_READ, .base = op->node };
		if (written)
			lt__leaf_dest(g, d->s->t->arena, op->node, op->leaf, &dest.map);
		const struct lt_readpiece *p = written ? &dest : op->value[c->operand[o].value].piece;
		out->dtype[o] = g->node[p->base].dtype;
		out->name[o] = g->node[p->base].name;
		for (int32_t i = 0; i < c->n_dim; i++)
			out->stride[o][i] = written ? stride_written(d, op, &dest.map, c->axis[i])
				: stride_along(d, op, p, c->axis[i]);
	}
}

/* Elements whose places are not sums of strides. */
static bool is_cut(const struct lt_callshape *c)
{
	for (int32_t o = 1; o < c->n_operand; o++)
		for (int32_t i = 0; i < c->n_dim; i++)
			if (c->stride[o][i] == -1 && c->extent[i] > 1)
				return true;
	return false;
}

/* Why a call of the routine with that sum was refused; NULL: it was not. */
static const char *was_refused(const struct lt_auto *s, lt_node sum, const char *name)
{
	const struct lt_refused_call *x = s->fallback ? s->fallback[sum].refused : NULL;
	while (x && strcmp(x->name, name) != 0)
		x = x->next;
	return x ? x->why : NULL;
}

/* The first row that takes the draft; NULL. */
static const struct lt_routine *find_row(struct draft *d)
{
	struct lt_callshape shape;
	struct lt_arena *a = d->s->t->arena;
	bool *result = LT_NEW(a, bool, d->n + 1);
	struct lt_description of;
	struct lt_contraction c;
	for (int32_t i = 0; i < d->n; i++)
		result[i] = d->member[i] == d->end;
	const char *why = lt__describe(d->s->t, a, d->member, d->n, result, "the nest", &of);
	why = why ? why : lt__contraction_of(d->s->g, a, &of, true, "the nest", &c);
	if (!why && c.n_rounding && d->s->g->node[d->end].op == LT_OP_cast
		&& lt__dtype_as_wide(d->s->g->node[d->s->g->node[d->end].operand[0]].dtype, d->s->g->node[d->end].dtype))
		why = "readers widen what it rounds";           /* from fewer bytes than the call would write */
	if (why || !is_one_nest(d->s, d->sum, d->member, d->n)) {
		d->why = d->why ? d->why : why;
		return NULL;
	}
	shape_of(d, &of, &c, &shape);
	for (int32_t i = 0; i < lt__routine_count(d->s->target) && !is_cut(&shape); i++) {
		const struct lt_routine *r = lt__routine_at(d->s->target, i);
		if (r->pattern == LT_PATTERN_PRODUCT && lt__routine_is_sound(r) && !was_refused(d->s, d->sum, r->name)
			&& !lt__auto_avoids_product(a, d->s->target, r, &shape)) {
			d->why = lt__auto_call_reason(a, d->s->target, r, &shape);
			return r;
		}
	}
	if (d->row && !d->refused)
		d->refused = lt__routine_refuses(a, d->s->target, d->row, &shape);
	if (!d->why)
		d->why = is_cut(&shape) ? "elements of a factor do not lie in equal steps"
			: lt__auto_call_refusal(a, d->s->target, &shape);
	return NULL;
}

static const struct lt_routine *try_draft(struct draft *d, enum draft_casts casts)
{
	d->n = 0;
	d->member[d->n++] = d->mul;
	for (int32_t i = 0; i < d->n_dependent && d->n < MAX_MEMBERS; i++)
		d->member[d->n++] = d->dependent[i];
	add_casts(d, casts);
	lt__auto_sort(d->member, d->n);
	return find_row(d);
}

/* As many leaves after the sum as a row takes. */
static void add_call(struct lt_auto *s, lt_node sum)
{
	const struct lt_graph *g = s->g;
	struct draft d = { .s = s, .sum = sum, .end = sum, .n_dependent = 1, .dependent = { sum } };
	struct lt_autocall best = { .name = NULL };
	const struct lt_refused_call *refused = s->fallback ? s->fallback[sum].refused : NULL;
	if (!lt__has_leaf(g, sum) || g->node[sum].op != LT_OP_add || !g->node[sum].reduce)
		return;
	d.mul = g->node[sum].operand[0];
	if (g->node[d.mul].op != LT_OP_mul || g->node[d.mul].reduce || s->in_call[d.mul] || s->n_reader[d.mul] != 1
		|| !lt__auto_same_class(s, d.mul, sum))
		return;
	const char *why = NULL;
	do {
		const struct lt_routine *r = try_draft(&d, CASTS_ALL);
		if (!r)
			r = try_draft(&d, CASTS_OF_FACTORS);
		if (!r && lt__auto_stores_cast(s, d.mul, NULL, 0))
			d.why = "a factor would be cast and stored, and each of its elements read a few times only";
		else if (!r)
			r = try_draft(&d, CASTS_NONE);
		if (!r)
			continue;
		d.row = r;
		d.refused = NULL;
		why = d.why;
		best = (struct lt_autocall){ .name = r->name, .mul = d.mul, .sum = sum, .end = d.end, .n = d.n };
		best.member = lt__arena_copy(s->t->arena, d.member, sizeof *d.member * (size_t)d.n);
	} while (draft_grow(&d));
	if (!best.name && refused) {
		lt__auto_uncalled_because(s, sum, refused->why);
		return;
	}
	lt__auto_call_because(s, sum, best.name != NULL, why ? why : d.why ? d.why : "no routine takes it");
	if (!best.name)
		return;
	best.refused = d.refused;
	LT_GROW(s->t->arena, s->call, s->n_call, s->cap_call);
	s->call[s->n_call++] = best;
	for (int32_t k = 0; k < best.n; k++)
		s->in_call[best.member[k]] = s->n_call;
}

/* What the graph says that a kernel of the user's own computes. */
static void add_own(struct lt_auto *s, const struct lt_owncall *own)
{
	struct lt_arena *a = s->t->arena;
	struct lt_autocall c = { .name = lt__own_word(a, own->name), .group = true, .mul = -1, .sum = -1, .end = -1 };
	const bool *member = lt__own_members(s->g, a, own);
	c.member = LT_NEW(a, lt_node, s->g->n_node + 1);
	for (lt_node n = 0; n < s->g->n_node; n++)
		if (member[n] && lt__has_leaf(s->g, n))
			c.member[c.n++] = c.end = n;
	LT_GROW(a, s->call, s->n_call, s->cap_call);
	s->call[s->n_call++] = c;
	for (int32_t k = 0; k < c.n; k++)
		s->in_call[c.member[k]] = s->n_call;
}

/* A product is one nest where that holds it. */
static void put_group(struct lt_auto *s, const struct lt_group_option *o)
{
	const bool nest = o->product && is_one_nest(s, o->seed, o->member, o->n);
	LT_GROW(s->t->arena, s->call, s->n_call, s->cap_call);
	s->call[s->n_call++] = (struct lt_autocall){ .name = o->name, .group = !nest,
		.mul = nest ? s->g->node[o->seed].operand[0] : -1, .sum = nest ? o->seed : -1, .end = o->member[o->n - 1],
		.n = o->n, .member = o->member };
	for (int32_t k = 0; k < o->n; k++)
		s->in_call[o->member[k]] = s->n_call;
}

/* The calls so far, and what is known of nodes, where these have moved. */
static lt_status follow(struct lt_auto *s, const lt_node *to)
{
	if (!to)
		return LT_OK;
	lt__auto_move_calls(s, to);
	return lt__auto_survey(s);
}

lt_status lt__auto_calls(struct lt_auto *s)
{
	s->in_call = LT_NEW(s->t->arena, int32_t, s->g->n_node + 1);
	struct lt_group_option *option;
	const lt_node *to;
	int32_t n_option;
	for (int32_t i = 0; i < s->g->n_own; i++)
		add_own(s, &s->g->own[i]);
	LT_TRY(lt__auto_groups(s, &option, &n_option));
	LT_TRY(lt__auto_compute_again(s, option, n_option, &to));
	LT_TRY(follow(s, to));
	for (int32_t i = 0; i < n_option; i++)
		if (option[i].chosen)
			put_group(s, &option[i]);
	LT_TRY(lt__auto_copy_read(s, option, n_option, &to));
	LT_TRY(follow(s, to));
	for (lt_node n = 0; n < s->g->n_node; n++) {
		lt__auto_aim(s, n);
		if (lt__routine_count(s->target) > 0 && !s->in_call[n])
			add_call(s, n);
	}
	return LT_OK;
}

void lt__auto_move_calls(struct lt_auto *s, const lt_node *to)
{
	s->in_call = LT_NEW(s->t->arena, int32_t, s->g->n_node + 1);
	for (int32_t i = 0; i < s->n_call; i++) {
		struct lt_autocall *c = &s->call[i];
		c->mul = c->group ? -1 : to[c->mul];
		c->sum = c->group ? -1 : to[c->sum];
		c->end = to[c->end];
		for (int32_t k = 0; k < c->n; k++)
			s->in_call[c->member[k] = to[c->member[k]]] = i + 1;
	}
}

/* Whether node n is made before the product's terms are: the casts of its factors. */
static bool feeds(const struct lt_auto *s, lt_node n, lt_node mul)
{
	for (; n < mul; n = s->reader[n])
		if (s->reader[n] < 0)
			return false;
	return n == mul;
}

/* The loops of the product, then what follows it. */
static lt_status add_product(struct lt_auto *s, const struct lt_autocall *c, lt_tnode group)
{
	struct lt_looptree *t = s->t;
	const struct lt_leaf *sum = t->leaf[c->sum];
	lt_tnode outer = group, inner;
	for (int32_t i = 0; i < s->g->node[c->sum].n_dim && outer >= 0; i++)
		outer = lt_looptree_add_loop(t, outer, s->g->node[c->sum].dim[i], 1);
	inner = outer;
	for (int32_t i = sum->n_out; i < sum->n_var && inner >= 0; i++)
		inner = lt_looptree_add_loop(t, inner, sum->var[i], 1);
	for (int32_t i = 0; i < c->n && inner >= 0; i++) {
		lt_node leaf = c->member[i];
		bool term = leaf == c->sum || feeds(s, leaf, c->mul);
		inner = lt_looptree_add_leaf(t, term ? inner : outer, leaf) < 0 ? -1 : inner;
	}
	return inner < 0 ? lt_context_code(t->ctx) : LT_OK;
}

lt_status lt__auto_add_call(struct lt_auto *s, lt_node n)
{
	const struct lt_autocall *c = &s->call[s->in_call[n] - 1];
	struct lt_looptree *t = s->t;
	if (c->end != n)
		return LT_OK;
	lt_tnode group = lt_looptree_add_group(t, -1);
	if (group < 0)
		return lt_context_code(t->ctx);
	t->node[group].loop = LT_CALL;
	t->node[group].call = lt__arena_string(t->arena, c->name);
	LT_TRY(c->group ? lt__auto_add_group(s, group, c->member, c->n) : add_product(s, c, group));
	lt__auto_record_nest(s, group, s->constant[c->end], true);
	if (c->refused) {
		LT_GROW(t->arena, t->note, t->n_note, t->cap_note);
		t->note[t->n_note++] = (struct lt_tnote){ c->end,
			lt__arena_format(t->arena, "tree: %s ends here: %.*s", c->name, (int)strcspn(c->refused, ";"), c->refused) };
	}
	return LT_OK;
}
