/* contraction.c -- a product and what follows it element by element, read off a description (describe.c): result = sum
 * along the deep axes of left * right, with a bias, a residual, an activation.
 *
 * From the only sum of a description to the product that it sums and the values from outside that are its factors, and
 * back from what is written to the sum.  Where that goes no further there is a sentence about the axis or operator in
 * the way.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/decimal.h"
#include "looptree/call/call.h"

/* in: the op that sums, and the product that it sums; end: what is written. */
struct contracting {
	const struct lt_graph *g;
	struct lt_arena *a;
	const char *where;
	const struct lt_description *d;
	struct lt_contraction *c;
	int32_t mul, sum, end;
	bool *used, *dependent;         /* by op; dependent: on the sum */
	bool wide;                      /* roundings between operators may be left out */
	const char *why;
};

bool lt__read_depends(const struct lt_read *r, int32_t x)
{
	for (int32_t i = 0; i < r->n_piece; i++) {
		const struct lt_map *m = &r->piece[i].map;
		int32_t width = lt__map_width(m), c = 1 + m->n_param + x;
		for (int32_t k = 0; k < m->n_row; k++)
			if (m->row[(int64_t)k * width + c])
				return true;
		for (int32_t k = 0; k < m->n_guard; k++)
			if (m->guard[(int64_t)k * width + c])
				return true;
		for (int32_t k = 0; k < m->n_div; k++)
			if (m->div[(int64_t)k * (width + 1) + 1 + c])
				return true;
	}
	return false;
}

/* A var of one element counts nothing: it fits any dim. */
static bool is_unit_var(const struct lt_graph *g, lt_var v)
{
	return g->var[v].extent == 1 && !g->var[v].bounded;
}
int32_t lt__product_roles(
	const struct lt_graph *g, const struct lt_leaf *mul, const struct lt_leaf *sum, int32_t right, int32_t *role)
{
	for (int32_t i = 0; i < mul->n_var; i++) {
		int32_t at = lt__leaf_column(sum, mul->var[i]);
		bool out = at >= 0 && at < sum->n_out, in_left = lt__read_depends(&mul->read[1 - right], i),
		     in_right = lt__read_depends(&mul->read[right], i);
		role[i] = !out ? LT_DIM_DEEP : in_left == in_right ? LT_DIM_BATCH : in_left ? LT_DIM_ROW : LT_DIM_COLUMN;
		if (!is_unit_var(g, mul->var[i]) && (out ? !in_left && !in_right : !in_left || !in_right))
			return i;
	}
	return -1;
}

/* -- what an op of the description is -- */

/* Each step fails with a sentence in why. */
__attribute__((format(printf, 2, 3)))
static bool contract_fail(struct contracting *s, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	s->why = s->why ? s->why : lt__arena_string(s->a, text);
	return false;
}

static const struct lt_described_op *op_at(const struct contracting *s, int32_t i) { return &s->d->op[i]; }
static const struct lt_nodedef *node_at(const struct contracting *s, int32_t i)
{
	return &s->g->node[op_at(s, i)->node];
}
static const char *name_of(const struct contracting *s, int32_t i) { return node_at(s, i)->name; }
static const char *op_name_of(const struct contracting *s, int32_t i) { return lt__op_info(node_at(s, i)->op)->name; }
static const char *axis_name(const struct contracting *s, int32_t axis) { return s->g->var[s->d->axis[axis].var].name; }

/* Axes of an op, of a reduction those that it reduces, too, as a bit set. */
static uint64_t axes_of_op(const struct contracting *s, int32_t i)
{
	uint64_t set = 0;
	for (int32_t k = 0; k < op_at(s, i)->n_digit; k++)
		set |= UINT64_C(1) << op_at(s, i)->digit[k].axis;
	return set;
}

/* Axes of the result. */
static uint64_t axes_out(const struct contracting *s)
{
	const struct lt_described_op *sum = op_at(s, s->sum);
	uint64_t set = 0;
	for (int32_t k = 0; k < sum->n_digit; k++)
		set |= sum->digit[k].column < sum->leaf->n_out ? UINT64_C(1) << sum->digit[k].axis : 0;
	return set;
}

/* Axes along which a value of an op changes. */
static uint64_t axes_of_value(const struct contracting *s, int32_t op, int32_t v)
{
	const struct lt_described_op *o = op_at(s, op);
	uint64_t set = 0;
	if (o->value[v].kind == LT_VALUE_OP)
		return axes_of_op(s, o->value[v].op);
	for (int32_t k = 0; k < o->n_digit && o->value[v].kind == LT_VALUE_READ; k++)
		set |= lt__read_depends(&o->leaf->read[v], o->digit[k].column) ? UINT64_C(1) << o->digit[k].axis : 0;
	return set;
}

/* A copy, or a cast to a type that has all values of the other. */
static bool keeps_value(const struct contracting *s, int32_t i)
{
	const struct lt_nodedef *d = node_at(s, i);
	if (d->reduce || op_at(s, i)->n_value != 1 || (d->op != LT_OP_cast && d->op != LT_OP_copy))
		return false;
	const enum lt_dtype was = op_at(s, i)->value[0].dtype;
	const struct lt_dtypeinfo *from = lt__dtype_info(was), *to = lt__dtype_info(d->dtype);
	if (d->op == LT_OP_copy || was == d->dtype)
		return true;
	if (from->cls == LT_CLASS_FLOAT)
		return to->cls == LT_CLASS_FLOAT && to->bytes > from->bytes;
	return from->cls == LT_CLASS_INT && to->bytes > from->bytes
		&& (to->cls == LT_CLASS_FLOAT || (to->cls == LT_CLASS_INT && (to->is_signed || !from->is_signed)));
}

/* The value from outside that value v of an op is, through casts that keep it. */
static bool value_outside(struct contracting *s, int32_t op, int32_t v, struct lt_callread *out)
{
	for (;; v = 0) {
		const struct lt_described_value *x = &op_at(s, op)->value[v];
		if (x->kind == LT_VALUE_BITS || x->kind == LT_VALUE_PLACE)
			return contract_fail(s, "%%%s (%s) takes a number, where a routine reads a value; move it out of %s",
				name_of(s, op), op_name_of(s, op), s->where);
		*out = (struct lt_callread){ op, v };
		if (x->kind == LT_VALUE_READ && x->piece->map.n_guard > 0)
			return contract_fail(s, "%%%s reads %%%s through a view with a border; materialize that outside of %s",
				name_of(s, op), s->g->node[node_at(s, op)->operand[v]].name, s->where);
		if (x->kind == LT_VALUE_READ)
			return true;
		if (s->dependent[x->op])
			return contract_fail(s, "%%%s (%s) uses the product twice; move it out of %s", name_of(s, op),
				op_name_of(s, op), s->where);
		if (!keeps_value(s, x->op))
			return contract_fail(s, "%%%s %s comes before %%%s, which a routine does not do; move it out of %s",
				name_of(s, x->op), op_name_of(s, x->op), name_of(s, op), s->where);
		s->used[x->op] = true;
		op = x->op;
	}
}

/* -- The product: its sum, its factors, and the roles of its dims. */

static bool find_end(struct contracting *s)
{
	for (int32_t i = 0; i < s->d->n_op; i++) {
		if (!op_at(s, i)->result)
			continue;
		if (s->end >= 0)
			return contract_fail(s, "%%%s and %%%s are both read outside of %s, and a routine writes one value; move one of "
				"them out", name_of(s, s->end), name_of(s, i), s->where);
		s->end = i;
	}
	return s->end >= 0 || contract_fail(s, "nothing that is computed in %s is read outside of it", s->where);
}

static bool find_sum(struct contracting *s)
{
	for (int32_t i = 0; i < s->d->n_op; i++) {
		if (op_at(s, i)->kind != LT_CALL_REDUCE || op_at(s, i)->dead)
			continue;
		if (node_at(s, i)->op != LT_OP_add)
			return contract_fail(s, "%%%s reduces by %s, and a product is a sum; move it out of %s", name_of(s, i),
				op_name_of(s, i), s->where);
		if (s->sum >= 0)
			return contract_fail(s, "%%%s and %%%s are two sums; give each a call of its own", name_of(s, s->sum),
				name_of(s, i));
		s->sum = i;
	}
	return s->sum >= 0 || contract_fail(s, "there is no sum of products in %s", s->where);
}

static bool find_mul(struct contracting *s)
{
	const struct lt_described_value *of = &op_at(s, s->sum)->value[0];
	if (of->kind != LT_VALUE_OP || op_at(s, of->op)->kind != LT_CALL_MAP || node_at(s, of->op)->op != LT_OP_mul)
		return contract_fail(s, "%%%s is not a sum of products: %%%s, which it sums, is not a product in %s",
			name_of(s, s->sum), s->g->node[node_at(s, s->sum)->operand[0]].name, s->where);
	s->mul = of->op;
	s->used[s->mul] = s->used[s->sum] = true;
	return true;
}

/* The factor along whose axes the sum lies in memory is the right one. */
static int32_t right_factor(const struct contracting *s)
{
	const struct lt_nodedef *node = node_at(s, s->sum);
	const struct lt_described_op *sum = op_at(s, s->sum);
	uint64_t first = axes_of_value(s, s->mul, 0), second = axes_of_value(s, s->mul, 1);
	for (int32_t i = node->n_dim; i-- > 0;)
		for (int32_t k = sum->n_digit; k-- > 0;) {
			uint64_t bit = UINT64_C(1) << sum->digit[k].axis;
			if (sum->leaf->var[sum->digit[k].column] == node->dim[i] && !(first & bit) != !(second & bit))
				return (second & bit) != 0;
		}
	return 1;
}

/* The axis in the way of a product. */
static bool fail_axis(struct contracting *s, int32_t axis, bool out)
{
	const char *name = axis_name(s, axis);
	uint64_t bit = UINT64_C(1) << axis, first = axes_of_value(s, s->mul, 0), second = axes_of_value(s, s->mul, 1);
	if (out)
		return contract_fail(s, "%%%s has the var %s, which neither factor has; repeat the result outside of %s",
			name_of(s, s->sum), name, s->where);
	if (!((first | second) & bit))
		return contract_fail(s, "%%%s sums over %s, which neither factor has; reduce over that outside of %s",
			name_of(s, s->sum), name, s->where);
	return contract_fail(s, "%%%s sums over %s, which only %%%s has; sum that alone, outside of %s", name_of(s, s->sum),
		name, s->g->node[node_at(s, s->mul)->operand[(second & bit) != 0]].name, s->where);
}

static bool find_dims(struct contracting *s)
{
	struct lt_contraction *c = s->c;
	const struct lt_described_op *sum = op_at(s, s->sum);
	const int32_t right = right_factor(s);
	const uint64_t out = axes_out(s), in_left = axes_of_value(s, s->mul, 1 - right),
		in_right = axes_of_value(s, s->mul, right);
	if (sum->n_digit > LT_MAX_RANK)
		return contract_fail(s, "%%%s has more than %d dims", name_of(s, s->mul), LT_MAX_RANK);
	for (int32_t role = LT_DIM_BATCH; role <= LT_DIM_DEEP; role++)
		for (int32_t k = 0; k < sum->n_digit; k++) {
			int32_t axis = sum->digit[k].axis;
			uint64_t bit = UINT64_C(1) << axis;
			bool left = in_left & bit, is_right = in_right & bit, is_out = out & bit;
			if (is_out ? !left && !is_right : !left || !is_right)
				return fail_axis(s, axis, is_out);
			if (role != (!is_out ? LT_DIM_DEEP : left == is_right ? LT_DIM_BATCH : left ? LT_DIM_ROW : LT_DIM_COLUMN))
				continue;
			c->axis[c->n_dim] = axis;
			c->role[c->n_dim++] = role;
		}
	c->n_operand = 3;
	return value_outside(s, s->mul, 1 - right, &c->operand[LT_CALL_LEFT])
		&& value_outside(s, s->mul, right, &c->operand[LT_CALL_RIGHT]);
}

static void find_dependent(struct contracting *s)
{
	s->dependent[s->sum] = true;
	for (int32_t i = s->sum + 1; i < s->d->n_op; i++)
		for (int32_t v = 0; v < op_at(s, i)->n_value && !op_at(s, i)->dead; v++)
			if (op_at(s, i)->value[v].kind == LT_VALUE_OP && s->dependent[op_at(s, i)->value[v].op])
				s->dependent[i] = true;
}

/* What is written has the dims of the sum. */
static bool check_end(struct contracting *s)
{
	const uint64_t out = axes_out(s), has = axes_of_op(s, s->end);
	if (node_at(s, s->end)->op == LT_OP_update)
		return contract_fail(s, "%%%s updates a part of a value; move it out of %s", name_of(s, s->end), s->where);
	for (int32_t a = 0; a < s->d->n_axis && s->end != s->sum; a++)
		if (has & ~out & UINT64_C(1) << a)
			return contract_fail(s, "%%%s has the var %s, which the product does not have; move it out of %s",
				name_of(s, s->end), axis_name(s, a), s->where);
	return s->end == s->sum || has == out
		|| contract_fail(s, "%%%s does not have the dims of %%%s", name_of(s, s->end), name_of(s, s->sum));
}

/* -- What follows the product, element by element: a bias, a residual, an activation, in the order of their bits.
 *
 * Found backwards, from what the call writes to the sum.  Activations are as the builders of ir/build/nn.c make them.
 */

/* Operators before their operands; x: the value before; the two operands of one are in any order.  mul3, mul4: a
 * product of so many factors, in any order and however it is bracketed.  From the last bit to the first. */
static const struct { uint32_t bit; const char *is, *name;
} activations[] = {
	{ LT_EPILOGUE_SILU, "mul x sigmoid x", "SiLU" },
	{ LT_EPILOGUE_GELU_TANH, "mul3 x 0.5 add tanh mul add x mul4 x x x 0.044715 0.79788456080286535588 1", "GELU" },
	{ LT_EPILOGUE_GELU, "mul3 x 0.5 add erf mul x 0.70710678118654752440 1", "GELU" },
	{ LT_EPILOGUE_RELU, "max x 0", "ReLU" },
};
enum { N_ACTIVATION = sizeof activations / sizeof *activations, MAX_NODES = 64, MAX_FACTORS = 4 };

struct match { const struct contracting *s; int32_t x, used[MAX_NODES], n; };

static bool is_number(const struct lt_described_value *v, const char *text)
{
	union lt_scalar want, is = lt__scalar_of(v->bits, v->dtype);
	double d = lt__decimal(text, NULL);
	if (lt__dtype_info(v->dtype)->cls != LT_CLASS_FLOAT)
		return (double)is.i == d;
	want.f = d;
	return lt__round_to(want, v->dtype).f == is.f;
}

/* How many operands the word that a part begins with has: of a number and of x none. */
static int operands_of(const char *is)
{
	char word[16];
	(void)snprintf(word, sizeof word, "%.*s", (int)strcspn(is, " "), is);
	const size_t n = strlen(word);
	if ((*word >= '0' && *word <= '9') || strcmp(word, "x") == 0)
		return 0;
	if (word[n - 1] == '3' || word[n - 1] == '4')
		return word[n - 1] - '0';
	return lt__op_info((enum lt_opcode)lt__op_find(word))->arity;
}

static const char *word_end(const char *is)
{
	is += strcspn(is, " ");
	return is + (*is == ' ');
}

/* The text behind a part. */
static const char *part_end(const char *is)
{
	int n = operands_of(is);
	is = word_end(is);
	while (n-- > 0)
		is = part_end(is);
	return is;
}

static bool match_op(struct match *, const char *is, int32_t op);

/* Whether value v of an op is the part that the text begins with. */
static bool match_value(struct match *m, const char *is, const struct lt_described_value *v)
{
	if (*is >= '0' && *is <= '9')
		return v->kind == LT_VALUE_BITS && is_number(v, is);
	if (v->kind != LT_VALUE_OP || !m->s->dependent[v->op])
		return false;
	if (strcspn(is, " ") != 1 || *is != 'x')
		return match_op(m, is, v->op);
	if (m->x >= 0 && m->x != v->op)
		return false;
	m->x = v->op;
	return true;
}

static bool is_op(const struct match *m, const char *name, size_t bytes, int32_t op)
{
	const char *of = op_name_of(m->s, op);
	return op_at(m->s, op)->kind == LT_CALL_MAP && strlen(of) == bytes && memcmp(of, name, bytes) == 0;
}

/* Whether an op is the product of the factors of a set, bits of `all`: one operand is that of some, the other one that
 * of the rest. */
static bool match_factors(struct match *m, const char *const *all, uint32_t set, int32_t op)
{
	const struct lt_described_op *o = op_at(m->s, op);
	const struct match before = *m;
	if (!is_op(m, "mul", 3, op) || m->n == MAX_NODES)
		return false;
	for (uint32_t some = (set - 1) & set; some; some = (some - 1) & set) {
		const uint32_t of[] = { some, set & ~some };
		bool all_match = true;
		*m = before;
		m->used[m->n++] = op;
		for (int v = 0; v < 2 && all_match; v++) {
			const struct lt_described_value *value = &o->value[v];
			all_match = of[v] & (of[v] - 1) ? value->kind == LT_VALUE_OP && m->s->dependent[value->op]
					&& match_factors(m, all, of[v], value->op)
				: match_value(m, all[__builtin_ctz(of[v])], value);
		}
		if (all_match)
			return true;
	}
	*m = before;
	return false;
}

static bool match_op(struct match *m, const char *is, int32_t op)
{
	const struct lt_described_op *o = op_at(m->s, op);
	const char *part[MAX_FACTORS] = { word_end(is) };
	const int n = operands_of(is);
	for (int i = 1; i < n; i++)
		part[i] = part_end(part[i - 1]);
	if (n > 2)
		return match_factors(m, part, (1u << n) - 1, op);
	if (!is_op(m, is, strcspn(is, " "), op) || m->n == MAX_NODES)
		return false;
	m->used[m->n++] = op;
	if (n == 1)
		return match_value(m, part[0], &o->value[0]);
	const struct match before = *m;
	for (int first = 0; first < 2; first++) {
		*m = before;
		if (match_value(m, part[0], &o->value[first]) && match_value(m, part[1], &o->value[1 - first]))
			return true;
	}
	return false;
}

/* A copy or cast that a routine need not know about: one that keeps every value, or the last one, which rounds to the
 * type of the result, or one whose rounding may be left out.  A sum of narrow integers wraps around, and one in a wider
 * type does not: casts of integers do not pass. */
static bool is_passed(const struct contracting *s, int32_t i, bool *last)
{
	const struct lt_described_op *o = op_at(s, i);
	enum lt_dtype to = node_at(s, i)->dtype;
	bool same = o->n_value > 0 && to == o->value[0].dtype,
	     is_float = o->kind == LT_CALL_CAST && lt__dtype_info(to)->cls == LT_CLASS_FLOAT
		     && lt__dtype_info(o->value[0].dtype)->cls == LT_CLASS_FLOAT;
	const bool skips = s->wide && o->may_skip && !o->rounds_to;
	if (!(keeps_value(s, i) && (is_float || same)) && !(is_float && *last) && !skips)
		return false;
	if (skips) {
		s->c->n_rounding++;
		s->c->rounded = op_at(s, i)->node;
	}
	*last = *last && same;
	return true;
}

/* The type that is added in: of the sum, or of an epilogue in a wider one. */
static void widen(struct lt_contraction *c, uint32_t type)
{
	if (lt__dtype_info((enum lt_dtype)type)->bytes > lt__dtype_info((enum lt_dtype)c->type)->bytes)
		c->type = type;
}

/* The dims of the result that an operand moves along: a bit set of their roles, and whether they are all. */
struct operand_along { uint32_t roles; bool full; };
static struct operand_along along(const struct contracting *s, const struct lt_callread *r)
{
	struct operand_along x = { .full = true };
	const uint64_t in = axes_of_value(s, r->op, r->value);
	for (int32_t d = 0; d < s->c->n_dim; d++) {
		bool moves = in >> s->c->axis[d] & 1;
		if (s->c->role[d] == LT_DIM_DEEP)
			continue;
		x.roles |= moves ? 1u << s->c->role[d] : 0;
		x.full = x.full && moves;
	}
	return x;
}

/* Left and right change places: a bias of the rows is one of the columns then. */
static void swap_factors(struct lt_contraction *c)
{
	const struct lt_callread left = c->operand[LT_CALL_LEFT];
	c->operand[LT_CALL_LEFT] = c->operand[LT_CALL_RIGHT];
	c->operand[LT_CALL_RIGHT] = left;
	for (int32_t i = 0; i < c->n_dim; i++)
		c->role[i] = c->role[i] == LT_DIM_ROW ? LT_DIM_COLUMN : c->role[i] == LT_DIM_COLUMN ? LT_DIM_ROW : c->role[i];
}

/* What has been found so far, from the end on. */
struct epilogue_found { struct lt_callread bias, residual; const char *next; };

static bool add_value(struct contracting *s, struct epilogue_found *f, int32_t op, const struct lt_callread *value)
{
	struct lt_contraction *c = s->c;
	struct operand_along is = along(s, value);
	if (is.roles == 1u << LT_DIM_ROW && !(c->epilogues & LT_EPILOGUE_BIAS) && !is.full) {
		swap_factors(c);
		is.roles = 1u << LT_DIM_COLUMN;
	}
	bool bias = !(is.roles & ~(1u << LT_DIM_COLUMN));
	if (!bias && !is.full)
		return contract_fail(s, "%%%s (add) adds %%%s, which has neither only the columns of the product, as a bias, nor "
			"all its dims; move it out of %s", name_of(s, op),
			s->g->node[op_at(s, value->op)->value[value->value].piece->base].name, s->where);
	/* A vector of results: the last of two is a residual, if it has all of them. */
	if (bias && (c->epilogues & LT_EPILOGUE_BIAS) && !(c->epilogues & LT_EPILOGUE_RESIDUAL) && along(s, &f->bias).full) {
		f->residual = f->bias;
		c->epilogues = (c->epilogues & ~(uint32_t)LT_EPILOGUE_BIAS) | LT_EPILOGUE_RESIDUAL;
	}
	if (c->epilogues & LT_EPILOGUE_BIAS || (!bias && c->epilogues & LT_EPILOGUE_RESIDUAL))
		return contract_fail(s, "%%%s (add) comes before the %s of a product that has one after it; a routine adds one bias, "
			"then one residual; move what comes after %%%s out of %s", name_of(s, op),
			c->epilogues & LT_EPILOGUE_BIAS ? "bias" : "residual", name_of(s, op), s->where);
	*(bias ? &f->bias : &f->residual) = *value;
	c->epilogues |= bias ? LT_EPILOGUE_BIAS : LT_EPILOGUE_RESIDUAL;
	f->next = bias ? "bias" : "residual";
	return true;
}

/* An activation that ends with op; *bit 0: none.  Gives the op before it. */
static int32_t match_activation(struct contracting *s, int32_t op, uint32_t *bit, const char **what)
{
	*bit = 0;
	for (int32_t i = 0; i < N_ACTIVATION; i++) {
		struct match m = { .s = s, .x = -1 };
		if (!match_op(&m, activations[i].is, op) || m.x < 0)
			continue;
		for (int32_t k = 0; k < m.n; k++)
			s->used[m.used[k]] = true;
		*bit = activations[i].bit;
		*what = activations[i].name;
		return m.x;
	}
	return op;
}

static bool step_back(struct contracting *s, struct epilogue_found *f, int32_t *op)
{
	const struct lt_described_op *o = op_at(s, *op);
	uint32_t bit;
	const char *what = NULL;
	struct lt_callread value;
	int32_t before = match_activation(s, *op, &bit, &what);
	if (bit) {
		if (s->c->epilogues && bit >= (s->c->epilogues & -s->c->epilogues))
			return contract_fail(s, "%%%s (%s) comes before the %s of the product, and a routine does that first; move what "
				"comes after %%%s out of %s", name_of(s, *op), what, f->next, name_of(s, *op), s->where);
		s->c->epilogues |= bit;
		f->next = what;
		*op = before;
		return true;
	}
	if (o->kind != LT_CALL_MAP || node_at(s, *op)->op != LT_OP_add) {
		if (f->next)
			return contract_fail(s, "%%%s %s is between the product and its %s; move it out of %s", name_of(s, *op),
				op_name_of(s, *op), f->next, s->where);
		return contract_fail(s, "%%%s %s comes after the product, and a routine does not do it; move it out of %s",
			name_of(s, *op), op_name_of(s, *op), s->where);
	}
	int32_t other = o->value[0].kind == LT_VALUE_OP && s->dependent[o->value[0].op];
	if (!value_outside(s, *op, other, &value) || !add_value(s, f, *op, &value))
		return false;
	s->used[*op] = true;
	*op = o->value[1 - other].op;
	return true;
}

/* What follows the sum up to the end.  Marks what it has used. */
static bool find_epilogue(struct contracting *s)
{
	struct epilogue_found f = { .next = NULL };
	struct lt_contraction *c = s->c;
	bool last = true;       /* only casts and copies are after op, and none that changes the type */
	c->type = node_at(s, s->sum)->dtype;
	for (int32_t op = s->end; op != s->sum;) {
		if (!s->dependent[op])
			return contract_fail(s, "%%%s is read outside of %s, but is not computed from the product; move it out",
				name_of(s, op), s->where);
		if (is_passed(s, op, &last)) {
			s->used[op] = true;
			op = op_at(s, op)->value[0].op;
			continue;
		}
		last = false;
		widen(c, node_at(s, op)->dtype);
		if (!step_back(s, &f, &op))
			return false;
	}
	if (c->epilogues & LT_EPILOGUE_BIAS)
		c->operand[c->n_operand++] = f.bias;
	if (c->epilogues & LT_EPILOGUE_RESIDUAL)
		c->operand[c->n_operand++] = f.residual;
	return true;
}

/* -- All of it. */

static bool contract(struct contracting *s)
{
	if (!find_end(s) || !find_sum(s) || !find_mul(s))
		return false;
	find_dependent(s);
	if (!find_dims(s) || !find_epilogue(s) || !check_end(s))
		return false;
	s->c->operand[LT_CALL_RESULT] = (struct lt_callread){ s->end, -1 };
	s->c->mul = op_at(s, s->mul)->node;
	s->c->sum = op_at(s, s->sum)->node;
	s->c->end = op_at(s, s->end)->node;
	for (int32_t i = 0; i < s->d->n_op; i++)
		if (!s->used[i] && !op_at(s, i)->dead)
			return contract_fail(s, "%%%s %s is not a part of the product; move it out of %s", name_of(s, i),
				op_name_of(s, i), s->where);
	return true;
}

const char *lt__contraction_of(const struct lt_graph *g, struct lt_arena *a, const struct lt_description *d,
	bool wide, const char *where, struct lt_contraction *out)
{
	struct contracting s = { .g = g, .a = a, .where = where, .d = d, .c = out, .mul = -1, .sum = -1, .end = -1,
		.wide = wide,
		.used = LT_NEW(a, bool, d->n_op + 1), .dependent = LT_NEW(a, bool, d->n_op + 1) };
	*out = (struct lt_contraction){ .mul = -1, .sum = -1, .end = -1 };
	return contract(&s) ? NULL : s.why;
}
