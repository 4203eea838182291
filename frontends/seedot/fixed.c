/* fixed.c -- operators as SeeDot's own integers: a function for each row of operators.def that is no move of elements.
 *
 * A value has bits and a scale (compat/compat.h), and lies in a node of so many bits; what is computed has 32.  Docs:
 * docs/seedot.md, "SeeDot's own fixed point".
 */
#include <math.h>
#include <string.h>
#include "frontends/seedot/seedot.h"

enum { WORD = 16, BYTE = 8, TABLE_SCALE = -14, TABLE_SCALE_BYTE = -6 };

/* -- numbers and formats -- */
int32_t lt__sd_scale(double most)
{
	int exponent;

	(void)frexp(most > 0 ? most : 1e-6, &exponent);
	return exponent - (WORD - 1);
}

int64_t lt__sd_quantise(double x, struct compat_value f)
{
	const double q = trunc(ldexp(x, -f.scale)), most = ldexp(1, f.bits - 1);

	return q < -most ? (int64_t)-most : q > most - 1 ? (int64_t)most - 1 : (int64_t)q;
}

/* native: the scale in 16 bits. */
struct compat_value lt__sd_format(const struct sd_lower *l, int32_t variable, int32_t *native)
{
	const double margin = 0.01;
	const struct sd_fixing *x = l->p->fixing;
	const struct sd_variable *v = &l->p->variable[variable];
	const struct sd_narrow *narrow = x->choice->variable ? &x->choice->variable[variable] : NULL;
	const double seen = v->most + (x->rule.derives || (v->declared && v->most <= 0) ? 0 : margin);
	struct compat_value f = { WORD, lt__sd_scale(v->declared && v->least > seen ? v->least : seen) };

	if (v->input && !x->rule.derives)
		f.scale = x->choice->input;
	*native = f.scale;
	if (narrow && narrow->narrow)
		f = (struct compat_value){ BYTE, f.scale + BYTE + narrow->offset };
	x->format[variable] = f;
	return f;
}

static bool refuse(const struct sd_lower *l, const struct sd_expr *e, const char *why)
{
	lt_fail(l->p->ctx, LT_EUNSUPPORTED, "%s:%d:%d: SeeDot has no scales for this: %s", l->p->file, e->place.line,
		e->place.column, why);
	return false;
}

static lt_node whole(struct sd_lower *l, int64_t x) { return lt_graph_literal_int(l->g, LT_I32, x); }
static lt_node wide(struct sd_lower *l, const struct sd_value *x) { return lt_graph_cast(l->g, x->node, LT_I32); }

/* A value with axes, of a node in 32 bits whose dims may be in any order. */
static bool store(struct sd_lower *l, lt_node x, int32_t rank, const lt_var *axes, struct compat_value format,
	struct sd_value *out)
{
	struct sd_value y = { .rank = rank };

	for (int32_t i = 0; i < rank; i++)
		y.axis[i] = axes[i];
	if (!lt__sd_set(l, &y, lt_graph_cast(l->g, x, lt__compat_type(format.bits))) || !lt__sd_order(l, &y))
		return false;
	y.format = format;
	*out = y;
	return true;
}

static bool store_as(struct sd_lower *l, lt_node x, const struct sd_value *like, struct compat_value format,
	struct sd_value *out)
{
	return store(l, x, like->rank, like->axis, format, out);
}

bool lt__sd_fixed_real(struct sd_lower *l, double real, struct sd_value *out)
{
	const struct compat_value f = { WORD, lt__sd_scale(fabs(real)) };

	return store(l, whole(l, lt__sd_quantise(real, f)), 0, NULL, f, out);
}

bool lt__sd_fixed_sign(struct sd_lower *l, const struct sd_value *x, struct sd_value *out)
{
	return store_as(l, lt_graph_unary(l->g, "neg", wide(l, x)), x, x->format, out);
}

bool lt__sd_fixed_to(struct sd_lower *l, const struct sd_value *x, struct compat_value to, struct sd_value *out)
{
	if (x->format.bits != to.bits || x->format.scale != to.scale)
		return store_as(l, lt__compat_shift(l->g, wide(l, x), to.scale - x->format.scale), x, to, out);
	*out = *x;
	return true;
}

bool lt__sd_fixed_binding(struct sd_lower *l, const struct sd_name *name, struct sd_value *x)
{
	const int32_t variable = l->p->variable_of[name->index];
	int32_t native;

	return !name->accumulated || x->whole || lt__sd_fixed_to(l, x, lt__sd_format(l, variable, &native), x);
}

bool lt__sd_fixed_choices(struct sd_lower *l, struct sd_value *a, struct sd_value *b)
{
	const struct compat_value common = { WORD, a->format.scale > b->format.scale ? a->format.scale : b->format.scale };

	return a->whole || (lt__sd_fixed_to(l, a, common, a) && lt__sd_fixed_to(l, b, common, b));
}

/* -- products -- */
/* Steps of a sum of products, and the format that comes out. */
static bool steps(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *a, const struct sd_value *b,
	int64_t terms, struct compat_steps *s, struct compat_value *out)
{
	struct sd_fixing *x = l->p->fixing;
	int32_t native = 0;

	*out = (struct compat_value){ WORD, 0 };
	if (!x->rule.derives)
		*out = lt__sd_format(l, e->variable, &native);
	if (!lt__compat_steps(&x->rule, a->format, b->format, native, *out, terms, s))
		return refuse(l, e, "the product would be shifted by more than its word has");
	out->scale = s->scale;
	return true;
}

static bool elementwise(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	const struct sd_value *shaped = arg[0].rank ? &arg[0] : &arg[1];
	struct sd_value a, b;
	struct compat_steps s;
	struct compat_value format;
	lt_var dims[LT_MAX_RANK];
	int32_t n;

	if (!steps(l, e, &arg[0], &arg[1], 1, &s, &format) || !lt__sd_align(l, &arg[0], shaped->axis, &a)
	    || !lt__sd_align(l, &arg[1], shaped->axis, &b)
	    || !lt__sd_dims(l, 2, (const struct sd_value *[]){ &a, &b }, shaped->rank, shaped->axis, &n, dims))
		return false;
	return store_as(l, lt__compat_product(l->g, a.node, b.node, n, dims, 0, NULL, &l->p->fixing->rule, &s, format.bits),
		shaped, format, out);
}

static bool product(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, bool sparse,
	struct sd_value *out)
{
	const struct sd_value *a = &arg[0], *b = &arg[1];
	const struct compat_rule *rule = &l->p->fixing->rule;
	struct sd_value right;
	struct compat_steps s;
	struct compat_value format;
	lt_var dims[LT_MAX_RANK], axes[2];
	int32_t n;

	if (a->whole)
		return lt__sd_build_product(l, e, arg, out);
	if (!a->rank || !b->rank)
		return elementwise(l, e, arg, out);
	const lt_var m = a->axis[0], k = a->axis[1], own = b->axis[1];
	axes[0] = m;
	axes[1] = own == m || own == k ? lt_graph_var(l->g, NULL, lt_var_extent(l->g, own)) : own;
	if (axes[1] == LT_NONE || !steps(l, e, a, b, lt_var_extent(l->g, k), &s, &format)
	    || !lt__sd_align(l, b, (lt_var[]){ k, axes[1] }, &right)
	    || !lt__sd_dims(l, 2, (const struct sd_value *[]){ a, &right }, 2, axes, &n, dims))
		return false;
	return store(l, sparse ? lt__compat_sparse(l->g, a->node, right.node, n, dims, 1, &k, &s, format.bits)
		: lt__compat_product(l->g, a->node, right.node, n, dims, 1, &k, rule, &s, format.bits), 2, axes, format, out);
}

bool lt__sd_fixed_product(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	return product(l, e, arg, false, out);
}

bool lt__sd_fixed_sparse(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	return product(l, e, arg, true, out);
}

/* What is stored finer than the product itself is brought there. */
bool lt__sd_fixed_times(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	int32_t native;

	if (!elementwise(l, e, arg, out))
		return false;
	return l->p->fixing->rule.derives || lt__sd_fixed_to(l, out, lt__sd_format(l, e->variable, &native), out);
}

static lt_node sum_window(struct sd_lower *l, const struct sd_products *p, lt_node x, lt_node f, int32_t n,
	const lt_var *all, int32_t n_over)
{
	return lt__compat_product(l->g, x, f, n - n_over, all, n_over, &all[n - n_over], &l->p->fixing->rule, p->steps,
		p->bits);
}

bool lt__sd_fixed_conv2d(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	const int64_t *f = e->arg[1]->type.shape;
	struct sd_window w = lt__sd_window(e, &f[1], &e->list[1], &e->list[0]);
	struct compat_steps s;
	struct compat_value format;

	w.dilations[0] = e->list[2].at[0];
	w.dilations[1] = e->list[2].at[1];
	if (!steps(l, e, &arg[0], &arg[1], f[1] * f[2] * f[3], &s, &format))
		return false;
	const struct sd_products p = { .sum = sum_window, .steps = &s, .bits = format.bits };
	if (!lt__sd_convolve(l, &arg[0], &arg[1], e->list[3].at[0], &w, &p, out))
		return false;
	out->format = format;
	return true;
}

/* -- an inverted bottleneck -- */
static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

/* x * 2^-by, without the limit of a shift. */
static lt_node scaled_by(struct sd_lower *l, lt_node x, int32_t by)
{
	return by < 0 ? lt__compat_shift(l->g, x, by) : lt__compat_divide(l->g, x, by);
}

static lt_node kept_in(struct sd_lower *l, lt_node x, int32_t bits)
{
	return lt_graph_cast(l->g, lt_graph_cast(l->g, x, lt__compat_type(bits)), LT_I32);
}

/* (sum + bias) * weight of one of its convolutions; to NULL: between 0 and 6, in as many bits as that needs. */
static bool stage(struct sd_lower *l, const struct sd_expr *e, int32_t number, const struct sd_value *arg,
	int64_t terms, int64_t groups, const struct sd_window *w, const struct compat_value *to, struct sd_value *x)
{
	const struct sd_value *f = &arg[0], *weight = &arg[1], *bias = &arg[2];
	const int32_t levels = lt__compat_levels(terms), bits = larger(x->format.bits, f->format.bits);
	const int32_t kept = 2 * larger(bits, weight->format.bits);
	const struct compat_steps s = { .halved = levels };
	const struct sd_products p = { .sum = sum_window, .steps = &s, .bits = 2 * WORD };
	const int32_t from = x->format.scale + f->format.scale + levels;
	struct sd_value sum, right, y;
	int32_t native;

	(void)lt__sd_format(l, e->stages + number, &native);
	const int32_t added = native + WORD - bits, product = added + weight->format.scale;
	const struct compat_value six = { larger(bits, weight->format.bits), 3 + 1 - larger(bits, weight->format.bits) };
	const struct compat_value out = to ? *to : six;
	if (!lt__sd_convolve(l, x, f, groups, w, &p, &sum) || !lt__sd_align(l, bias, &sum.axis[3], &right)
	    || !lt__sd_align(l, weight, &sum.axis[3], &y))
		return false;
	if (-product > 28)
		return refuse(l, e, "6 does not fit beside the product of a stage");
	lt_node v = lt_graph_binary(l->g, "add", scaled_by(l, sum.node, added - from),
		scaled_by(l, wide(l, &right), added - bias->format.scale));
	v = lt_graph_binary(l->g, "mul", kept_in(l, v, kept), wide(l, &y));
	if (!to) {
		v = lt_graph_binary(l->g, "max", kept_in(l, v, kept), whole(l, 0));
		v = lt_graph_binary(l->g, "min", v, whole(l, (int64_t)ldexp(6, -product)));
	}
	return store_as(l, scaled_by(l, v, out.scale - product), &sum, out, x);
}

bool lt__sd_fixed_mbconv(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	const int64_t *x = e->arg[0]->type.shape, *f = e->arg[4]->type.shape;
	const struct sd_window middle = lt__sd_window(e, &f[1], &e->list[1], &e->list[0]);
	const struct sd_window first = { { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { x[1], x[2] } };
	const struct sd_window last = { { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { e->type.shape[1], e->type.shape[2] } };
	struct sd_value y = arg[0];
	int32_t native;

	if (l->p->fixing->rule.derives)
		return refuse(l, e, "mbconv takes scales from ranges (--compat shiftry)");
	const struct compat_value to = lt__sd_format(l, e->variable, &native);
	if (!stage(l, e, 0, &arg[1], x[3], 1, &first, NULL, &y)
	    || !stage(l, e, 1, &arg[4], f[1] * f[2], f[0], &middle, NULL, &y)
	    || !stage(l, e, 2, &arg[7], f[0], 1, &last, &to, &y))
		return false;
	*out = y;
	return true;
}

/* -- sums -- */
static bool add(struct sd_lower *l, const struct sd_expr *e, const char *op, const struct sd_value *a,
	const struct sd_value *b, const struct sd_value *shaped, struct sd_value *out)
{
	struct compat_value format = { WORD, 0 };
	struct compat_add s;
	int32_t native;

	if (!l->p->fixing->rule.derives)
		format = lt__sd_format(l, e->variable, &native);
	lt__compat_add_steps(&l->p->fixing->rule, a->format, b->format, format, &s);
	format.scale = s.scale;
	return store_as(l, lt__compat_sum(l->g, op, a->node, b->node, &s, format.bits), shaped, format, out);
}

static bool elements(struct sd_lower *l, const struct sd_expr *e, const char *op, const struct sd_value *arg,
	struct sd_value *out)
{
	const struct sd_value *shaped = arg[0].rank ? &arg[0] : &arg[1];
	struct sd_value a, b;

	return lt__sd_align(l, &arg[0], shaped->axis, &a) && lt__sd_align(l, &arg[1], shaped->axis, &b)
		&& add(l, e, op, &a, &b, shaped, out);
}

bool lt__sd_fixed_plus(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	return arg->whole ? lt__sd_build_plus(l, e, arg, out) : elements(l, e, "add", arg, out);
}

bool lt__sd_fixed_minus(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	return arg->whole ? lt__sd_build_minus(l, e, arg, out) : elements(l, e, "sub", arg, out);
}

static bool last_axis(struct sd_lower *l, const struct sd_expr *e, const char *op, const struct sd_value *arg,
	struct sd_value *out)
{
	struct sd_value along;

	return lt__sd_align(l, &arg[1], &arg[0].axis[arg[0].rank - 1], &along)
		&& add(l, e, op, &arg[0], &along, &arg[0], out);
}

bool lt__sd_fixed_plus_last(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg,
	struct sd_value *out)
{
	return last_axis(l, e, "add", arg, out);
}

bool lt__sd_fixed_minus_last(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg,
	struct sd_value *out)
{
	return last_axis(l, e, "sub", arg, out);
}

/* What a term of a sum of n is divided by, and the scale of the sum. */
static int32_t term_shift(const struct sd_lower *l, const struct sd_expr *e, int64_t n, int32_t from,
	struct compat_value *to)
{
	const struct sd_fixing *x = l->p->fixing;
	const int32_t levels = lt__compat_levels(n), most = from + levels;
	int32_t native;

	*to = (struct compat_value){ WORD, from >= x->rule.maxscale ? from : most < x->rule.maxscale ? most
		: x->rule.maxscale };
	if (!x->rule.derives)
		*to = lt__sd_format(l, e->variable, &native);
	return to->scale - from;
}

/* Of Shiftry what exceeds the levels of a tree is shifted by itself, first. */
bool lt__sd_fixed_term(struct sd_lower *l, const struct sd_expr *e, int64_t n, const struct sd_value *x,
	struct sd_value *out)
{
	const int32_t levels = lt__compat_levels(n);
	struct compat_value to;
	const int32_t by = term_shift(l, e, n, x->format.scale, &to), more = by > levels ? by - levels : 0;
	lt_node y = wide(l, x);

	if (more)
		y = lt__compat_shift(l->g, y, more);
	y = lt__compat_shift(l->g, y, by - more);
	*out = *x;
	return lt__sd_set(l, out, y);
}

bool lt__sd_fixed_summed(struct sd_lower *l, const struct sd_expr *e, int64_t n, struct compat_value term,
	struct sd_value *x)
{
	struct compat_value to;

	(void)term_shift(l, e, n, term.scale, &to);
	return store_as(l, x->node, x, to, x);
}

/* -- elements -- */
bool lt__sd_fixed_init(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	struct compat_value f = { WORD, lt__sd_scale(fabs(e->real)) };
	struct sd_value x = { .rank = 0 };
	lt_var axes[SD_MAX_RANK];
	int32_t native;

	(void)arg;
	if (!l->p->fixing->rule.derives)
		f = lt__sd_format(l, e->variable, &native);
	if (!lt__sd_new_axes(l, &e->type, axes) || !lt__sd_set(l, &x, whole(l, lt__sd_quantise(e->real, f)))
	    || !lt__sd_map(l, "copy", 1, (const struct sd_value *[]){ &x }, e->type.rank, axes, out))
		return false;
	return store_as(l, out->node, out, f, out);
}

bool lt__sd_fixed_maxpool(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	const struct sd_window w = lt__sd_window(e, e->list[0].at, &e->list[1], &e->list[2]);
	const union lt_scalar least = { .i = -(INT64_C(1) << (arg->format.bits - 1)) };

	return lt__sd_pool(l, arg, &w, lt__bits_of(least, lt__compat_type(arg->format.bits)), out);
}

bool lt__sd_fixed_relu(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	(void)e;
	return store_as(l, lt_graph_binary(l->g, "max", wide(l, arg), whole(l, 0)), arg, arg->format, out);
}

bool lt__sd_fixed_relu6(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	const double six = ldexp(6, -arg->format.scale);
	const lt_node most = whole(l, six < INT16_MAX ? (int64_t)six : INT16_MAX);
	const lt_node above = lt_graph_binary(l->g, "max", wide(l, arg), whole(l, 0));

	(void)e;
	return store_as(l, lt_graph_binary(l->g, "min", above, most), arg, arg->format, out);
}

/* y * x, y from 1 to 2^(half - 1) - 1 being the greatest with sum y^2 <= 1, half of the bits of x being left out. */
bool lt__sd_fixed_normalise(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg,
	struct sd_value *out)
{
	const int32_t half = arg->format.bits / 2, exponent = -2 * arg->format.scale - 2;
	const int64_t one = exponent < 0 ? 0 : INT64_C(1) << (exponent > 62 ? 62 : exponent);
	struct sd_value sum = *arg;
	lt_var dims[LT_MAX_RANK];
	int32_t n;

	(void)e;
	const lt_node x = wide(l, arg), square = lt_graph_binary(l->g, "mul", x, x);
	if (!lt__sd_set(l, &sum, lt__compat_divide(l->g, lt__compat_divide(l->g, square, half), half))
	    || !lt__sd_reduce(l, "add", &sum, 1, &arg->axis[arg->rank - 1], &sum))
		return false;
	const lt_node squares = lt_graph_cast(l->g, sum.node, LT_I64), bound = lt_graph_literal_int(l->g, LT_I64, one);
	lt_node y = lt_graph_literal_int(l->g, LT_I64, 0);
	for (int32_t bit = half - 2; bit >= 0; bit--) {
		const lt_node with = lt_graph_binary(l->g, "add", y, lt_graph_literal_int(l->g, LT_I64, INT64_C(1) << bit));
		const lt_node length = lt_graph_binary(l->g, "mul", squares, lt_graph_binary(l->g, "mul", with, with));
		const lt_node fits = lt_graph_binary(l->g, "lessequal", length, bound);

		y = lt_graph_op(l->g, "select", 3, (lt_node[]){ fits, with, y });
	}
	y = lt_graph_cast(l->g, lt_graph_binary(l->g, "max", y, lt_graph_literal_int(l->g, LT_I64, 1)), LT_I32);
	if (!lt__sd_set(l, &sum, y)
	    || !lt__sd_dims(l, 2, (const struct sd_value *[]){ arg, &sum }, arg->rank, arg->axis, &n, dims))
		return false;
	const lt_node less = lt__compat_divide(l->g, x, half);
	return store_as(l, lt_graph_op_to(l->g, "mul", 2, (lt_node[]){ less, y }, n, dims), arg,
		(struct compat_value){ arg->format.bits, arg->format.scale + 1 }, out);
}

bool lt__sd_fixed_sgn(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	struct sd_value x;

	(void)e;
	if (!lt__sd_only(l, arg, &x))
		return false;
	*out = x;
	if (!lt__sd_set(l, out, lt_graph_cast(l->g, lt_graph_binary(l->g, "greater", wide(l, &x), whole(l, 0)), LT_I32)))
		return false;
	out->whole = true;
	return true;
}

/* -- functions by tables -- */
static lt_node table(struct sd_lower *l, const char *name, enum lt_dtype t, int64_t n, const void *content)
{
	const char *label = name;
	const lt_var v = lt_graph_var(l->g, NULL, n);

	for (int32_t i = 0, again = 2; i < l->p->n_declared; i++)
		if (!strcmp(l->p->declared[i]->name, label)) {
			label = lt__arena_format(l->p->kept, "%s_%d", name, again++);
			i = -1;
		}
	const lt_node x = lt_graph_constant(l->g, label, t, 1, &v);
	if (x == LT_NONE || lt_graph_content(l->g, x, content))
		return LT_NONE;
	return x;
}

static bool make_tables(struct sd_lower *l)
{
	enum { COARSE = 256, FINE = 128 };
	struct sd_fixing *x = l->p->fixing;
	int16_t *coarse = LT_NEW(l->p->kept, int16_t, COARSE), *fine = LT_NEW(l->p->kept, int16_t, FINE);
	int8_t *bytes = LT_NEW(l->p->kept, int8_t, FINE);

	if (x->has_tables)
		return true;
	lt__compat_tables(coarse, fine, bytes);
	x->tables = (struct compat_tables){ table(l, "exp_coarse", LT_I16, COARSE, coarse),
		table(l, "exp_fine", LT_I16, FINE, fine), table(l, "exp_bytes", LT_I8, FINE, bytes) };
	x->has_tables = x->tables.coarse != LT_NONE && x->tables.fine != LT_NONE && x->tables.bytes != LT_NONE;
	return x->has_tables;
}

static int32_t table_scale(int32_t bits) { return bits == BYTE ? TABLE_SCALE_BYTE : TABLE_SCALE; }

/* At the scale that tables are asked with; what is larger than they have is cut off. */
static bool rescale(struct sd_lower *l, const struct sd_value *x, struct sd_value *out)
{
	const struct compat_value to = { x->format.bits, x->format.bits == BYTE ? -4 : -11 };
	const int32_t up = x->format.scale - to.scale, room = -table_scale(to.bits) - up;
	struct sd_value y = *x;

	if (up > 0) {
		const int64_t most = room < 0 ? 0 : INT64_C(1) << room;
		const lt_node low = lt_graph_binary(l->g, "max", wide(l, x), whole(l, -most));

		if (!store_as(l, lt_graph_binary(l->g, "min", low, whole(l, most)), x, x->format, &y))
			return false;
	}
	return make_tables(l) && lt__sd_fixed_to(l, &y, to, out);
}

bool lt__sd_fixed_exp(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	struct compat_value f = { WORD, 0 };
	struct sd_value x;
	int32_t native;

	if (!l->p->fixing->rule.derives)
		f = lt__sd_format(l, e->variable, &native);
	f.scale = table_scale(f.bits);
	l->p->fixing->format[e->variable] = f;
	if (!rescale(l, arg, &x))
		return false;
	return store_as(l, lt__compat_exp(l->g, x.node, &l->p->fixing->tables, x.format.bits, f.bits), arg, f, out);
}

/* Between least and 1 at the scale of x. */
static lt_node clamp(struct sd_lower *l, lt_node x, double least, int32_t scale)
{
	const double one = ldexp(1, -scale);
	const int64_t most = one < INT16_MAX + 1.0 ? (int64_t)one : INT16_MAX + 1;
	const lt_node above = lt_graph_binary(l->g, "max", x, whole(l, (int64_t)(least * (double)most)));

	return lt_graph_binary(l->g, "min", above, whole(l, most));
}

bool lt__sd_fixed_tanh(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	struct sd_value x;

	(void)e;
	if (l->p->fixing->rule.derives)
		return store_as(l, clamp(l, wide(l, arg), -1, arg->format.scale), arg, arg->format, out);
	if (!rescale(l, arg, &x))
		return false;
	const struct compat_value f = { x.format.bits, table_scale(x.format.bits) };
	return store_as(l, lt__compat_tanh(l->g, x.node, &l->p->fixing->tables, f.bits), arg, f, out);
}

bool lt__sd_fixed_sigmoid(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	struct sd_value x;

	(void)e;
	if (l->p->fixing->rule.derives) {
		const double half = trunc(ldexp(0.5, -arg->format.scale));
		const lt_node less = lt__compat_divide(l->g, wide(l, arg), 1);
		const lt_node line = lt_graph_binary(l->g, "add", less, whole(l, half < INT16_MAX ? (int64_t)half : INT16_MAX));
		const lt_node y = clamp(l, line, 0, arg->format.scale);

		return store_as(l, lt__compat_shift(l->g, y, TABLE_SCALE - arg->format.scale), arg,
			(struct compat_value){ WORD, TABLE_SCALE }, out);
	}
	if (!rescale(l, arg, &x))
		return false;
	const struct compat_value f = { x.format.bits, table_scale(x.format.bits) };
	return store_as(l, lt__compat_sigmoid(l->g, x.node, &l->p->fixing->tables, f.bits), arg, f, out);
}
