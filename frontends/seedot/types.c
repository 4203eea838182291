/* types.c -- what each operator takes and gives: a function of a type for rows of operators.def. */
#include <string.h>
#include "frontends/seedot/seedot.h"

const struct sd_operator lt__sd_operators[] = {
#define SD_OPERATOR_ROW(word, id, level, pattern, type, fixed, scale, doc) \
	{ word, pattern, doc, level, lt__sd_type_##type, lt__sd_build_##id, lt__sd_##fixed, SD_##scale },
#include "frontends/seedot/operators.def"
#undef SD_OPERATOR_ROW
};
const int32_t lt__sd_n_operators = sizeof lt__sd_operators / sizeof *lt__sd_operators;

const struct sd_operator *lt__sd_operator(const char *name, int32_t n, bool infix)
{
	for (int32_t i = 0; i < lt__sd_n_operators; i++) {
		const struct sd_operator *op = &lt__sd_operators[i];

		if ((op->level != SD_PREFIX) == infix && strlen(op->name) == (size_t)n && !memcmp(op->name, name, (size_t)n))
			return op;
	}
	return NULL;
}

const char *lt__sd_type_text(struct sd_program *p, const struct sd_type *t)
{
	struct lt_text text = { .arena = p->arena };

	if (t->whole || !t->rank)
		return t->whole ? "a whole number" : "a number";
	for (int32_t i = 0; i < t->rank; i++)
		lt__text_format(&text, "%s%lld", i ? ", " : "(", (long long)t->shape[i]);
	lt__text_format(&text, ")");
	return text.at;
}

bool lt__sd_same_type(const struct sd_type *a, const struct sd_type *b)
{
	return a->whole == b->whole && a->rank == b->rank
		&& (!a->rank || !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape));
}

int64_t lt__sd_elements(const struct sd_type *t)
{
	int64_t n = 1;

	for (int32_t i = 0; i < t->rank; i++)
		if (lt__mul_overflow(n, t->shape[i], &n) || n > INT64_MAX / 2)
			return -1;
	return n;
}

bool lt__sd_is_one(const struct sd_type *t) { return t->whole || lt__sd_elements(t) == 1; }

static const char *word_of(const struct sd_expr *e) { return e->op ? e->op->name : e->name; }

/* Whether an argument is a tensor of a rank, -1: of any. */
static bool takes(struct sd_program *p, const struct sd_expr *e, const struct sd_expr *arg, int32_t rank)
{
	if (!arg->type.whole && (rank < 0 || arg->type.rank == rank))
		return true;
	return lt__sd_refuse(p, arg->place, "%s takes a tensor%s, not %s", word_of(e),
		rank < 0 ? "" : lt__scratch(p->ctx, " of %d ax%s", rank, rank == 1 ? "is" : "es"), lt__sd_type_text(p, &arg->type));
}

static bool misfit(struct sd_program *p, const struct sd_expr *e, const char *why)
{
	return lt__sd_refuse(p, e->place, "%s of %s and %s: %s", word_of(e), lt__sd_type_text(p, &e->arg[0]->type),
		lt__sd_type_text(p, &e->arg[1]->type), why);
}

static bool gives(struct sd_program *p, struct sd_expr *e, int32_t rank, const int64_t *shape)
{
	e->type = (struct sd_type){ .rank = rank, .shape = lt__arena_copy(p->arena, shape, (size_t)rank * sizeof *shape) };
	return lt__sd_elements(&e->type) > 0 || lt__sd_refuse(p, e->place, "a tensor of shape %s has more than 2^62 elements",
		lt__sd_type_text(p, &e->type));
}

/* Two whole numbers give one; a whole number and a tensor do not meet. */
static bool both_whole(struct sd_program *p, struct sd_expr *e, bool *both)
{
	const bool a = e->arg[0]->type.whole, b = e->arg[1]->type.whole;

	*both = a && b;
	e->type.whole = *both;
	return a == b || misfit(p, e, "a whole number and a tensor do not mix; a number for tensors has a point: 2.0");
}

bool lt__sd_type_product(struct sd_program *p, struct sd_expr *e)
{
	const struct sd_type *a = &e->arg[0]->type, *b = &e->arg[1]->type;
	bool both;

	if (!both_whole(p, e, &both) || both)
		return both;
	if (!a->rank || !b->rank) {
		e->type = a->rank ? *a : *b;
		return true;
	}
	if (a->rank != 2 || b->rank != 2)
		return misfit(p, e, "one is a number, or both are matrices; <*> is the product of elements");
	if (a->shape[1] != b->shape[0])
		return misfit(p, e, "the first has as many columns as the second has rows");
	return gives(p, e, 2, (const int64_t[]){ a->shape[0], b->shape[1] });
}

bool lt__sd_type_same(struct sd_program *p, struct sd_expr *e)
{
	if (!takes(p, e, e->arg[0], -1) || !takes(p, e, e->arg[1], -1))
		return false;
	e->type = e->arg[0]->type;
	return lt__sd_same_type(&e->arg[0]->type, &e->arg[1]->type) || misfit(p, e, "their shapes are equal");
}

bool lt__sd_type_last_axis(struct sd_program *p, struct sd_expr *e)
{
	const struct sd_type *a = &e->arg[0]->type, *b = &e->arg[1]->type;

	if (!takes(p, e, e->arg[0], -1) || !takes(p, e, e->arg[1], 1))
		return false;
	e->type = *a;
	return (a->rank && a->shape[a->rank - 1] == b->shape[0]) || misfit(p, e, "the last axis of the first has that extent");
}

bool lt__sd_type_broadcast(struct sd_program *p, struct sd_expr *e)
{
	const struct sd_type *a = &e->arg[0]->type, *b = &e->arg[1]->type;
	bool both;

	if (!both_whole(p, e, &both) || both)
		return both;
	e->type = a->rank ? *a : *b;
	return !a->rank || !b->rank || lt__sd_same_type(a, b)
		|| misfit(p, e, "one is a number, or their shapes are equal; <+> and <-> take a vector along the last axis");
}

bool lt__sd_type_map(struct sd_program *p, struct sd_expr *e)
{
	e->type = e->arg[0]->type;
	return takes(p, e, e->arg[0], -1);
}

bool lt__sd_type_normalise(struct sd_program *p, struct sd_expr *e)
{
	e->type = e->arg[0]->type;
	return takes(p, e, e->arg[0], -1)
		&& (e->type.rank || lt__sd_refuse(p, e->place, "%s takes a tensor of at least one axis", word_of(e)));
}

bool lt__sd_type_argmax(struct sd_program *p, struct sd_expr *e)
{
	if (!lt__sd_type_normalise(p, e))
		return false;
	if (lt__sd_elements(&e->type) > INT32_MAX)
		return lt__sd_refuse(p, e->place, "argmax of %s: the position exceeds 31 bits", lt__sd_type_text(p, &e->type));
	e->type = (struct sd_type){ .whole = true };
	return true;
}

bool lt__sd_type_sgn(struct sd_program *p, struct sd_expr *e)
{
	e->type.whole = true;
	return takes(p, e, e->arg[0], -1) && (lt__sd_is_one(&e->arg[0]->type)
		|| lt__sd_refuse(p, e->place, "sgn takes one element, not %s", lt__sd_type_text(p, &e->arg[0]->type)));
}

static bool has_elements(struct sd_program *p, const struct sd_expr *e, const struct sd_list *shape)
{
	for (int32_t i = 0; i < shape->n; i++)
		if (shape->at[i] < 1)
			return lt__sd_refuse(p, e->place, "axis %d has 0 elements: a tensor has at least one", i + 1);
	return true;
}

bool lt__sd_type_init(struct sd_program *p, struct sd_expr *e)
{
	return has_elements(p, e, &e->list[0]) && gives(p, e, e->list[0].n, e->list[0].at);
}

bool lt__sd_type_reshape(struct sd_program *p, struct sd_expr *e)
{
	const struct sd_type *from = &e->arg[0]->type;
	const struct sd_list *order = &e->list[1];
	bool had[SD_MAX_RANK] = { false };

	if (!takes(p, e, e->arg[0], -1) || !has_elements(p, e, &e->list[0]) || !gives(p, e, e->list[0].n, e->list[0].at))
		return false;
	if (lt__sd_elements(from) != lt__sd_elements(&e->type))
		return lt__sd_refuse(p, e->place, "%s has %lld elements, %s has %lld", lt__sd_type_text(p, from),
			(long long)lt__sd_elements(from), lt__sd_type_text(p, &e->type), (long long)lt__sd_elements(&e->type));
	for (int32_t i = 0; i < order->n; i++) {
		const int64_t axis = order->at[i];

		if (order->n != from->rank || axis < 1 || axis > from->rank || had[axis - 1])
			return lt__sd_refuse(p, e->place, "the order names each of the %d axes of %s once, from 1 on", from->rank,
				lt__sd_type_text(p, from));
		had[axis - 1] = true;
	}
	return true;
}

bool lt__sd_type_reverse(struct sd_program *p, struct sd_expr *e)
{
	e->type = e->arg[0]->type;
	return takes(p, e, e->arg[0], -1) && (e->list[0].at[0] < e->type.rank || lt__sd_refuse(p, e->place,
		"there is no axis %lld: %s has %d, counted from 0", (long long)e->list[0].at[0], lt__sd_type_text(p, &e->type),
		e->type.rank));
}

/* How often a window lies on an axis with its pads; 0: there is a sentence. */
static int64_t positions(struct sd_program *p, const struct sd_expr *e, const char *axis, int64_t extent,
	int64_t window,
	int64_t dilation, int64_t pads, int64_t stride)
{
	if (stride < 1 || dilation < 1 || window < 1) {
		lt__sd_refuse(p, e->place, "%s: windows, strides and dilations are at least 1", word_of(e));
		return 0;
	}
	/* Each number of a program has 31 bits: nothing here exceeds 63. */
	const int64_t reach = dilation * (window - 1) + 1;
	if (reach > extent + pads) {
		lt__sd_refuse(p, e->place, "%s: a window over %lld %s does not fit into %lld with pads of %lld", word_of(e),
			(long long)reach, axis, (long long)extent, (long long)pads);
		return 0;
	}
	return (extent + pads - reach) / stride + 1;
}

/* Rows and columns of [n, rows, columns, c] under windows. */
static bool image(struct sd_program *p, struct sd_expr *e, const int64_t window[2], const struct sd_list *pads,
	const int64_t *dilations, const struct sd_list *strides, int64_t channels)
{
	static const int64_t ones[2] = { 1, 1 };
	const int64_t *x = e->arg[0]->type.shape, *d = dilations ? dilations : ones;
	const int64_t rows = positions(p, e, "rows", x[1], window[0], d[0], pads->at[0] + pads->at[1], strides->at[0]);
	const int64_t columns = rows
		? positions(p, e, "columns", x[2], window[1], d[1], pads->at[2] + pads->at[3], strides->at[1]) : 0;

	return columns && gives(p, e, 4, (const int64_t[]){ x[0], rows, columns, channels });
}

bool lt__sd_type_maxpool(struct sd_program *p, struct sd_expr *e)
{
	return takes(p, e, e->arg[0], 4)
		&& image(p, e, e->list[0].at, &e->list[1], NULL, &e->list[2], e->arg[0]->type.shape[3]);
}

bool lt__sd_type_conv2d(struct sd_program *p, struct sd_expr *e)
{
	const int64_t groups = e->list[3].at[0];

	if (!takes(p, e, e->arg[0], 4) || !takes(p, e, e->arg[1], 5))
		return false;
	const int64_t *x = e->arg[0]->type.shape, *f = e->arg[1]->type.shape;
	if (f[0] != groups)
		return misfit(p, e, lt__scratch(p->ctx, "the filter's first axis is the groups, {g %lld}", (long long)groups));
	if (f[3] * groups != x[3])
		return misfit(p, e, lt__scratch(p->ctx, "the image's %lld channels are %lld groups of the filter's %lld",
			(long long)x[3], (long long)groups, (long long)f[3]));
	return image(p, e, &f[1], &e->list[1], e->list[2].at, &e->list[0], f[0] * f[4]);
}

/* The filter, scale and bias of each of the three convolutions. */
bool lt__sd_type_mbconv(struct sd_program *p, struct sd_expr *e)
{
	if (!takes(p, e, e->arg[0], 4))
		return false;
	for (int32_t i = 1; i < 10; i++)
		if (!takes(p, e, e->arg[i], i % 3 == 1 ? 5 : 1))
			return false;
	const int64_t *x = e->arg[0]->type.shape, *f1 = e->arg[1]->type.shape, *f2 = e->arg[4]->type.shape,
		*f3 = e->arg[7]->type.shape;
	if (f1[0] != 1 || f1[1] != 1 || f1[2] != 1 || f1[3] != x[3])
		return lt__sd_refuse(p, e->arg[1]->place, "mbconv's first filter is (1, 1, 1, %lld, N)", (long long)x[3]);
	if (f2[0] != f1[4] || f2[3] != 1 || f2[4] != 1)
		return lt__sd_refuse(p, e->arg[4]->place, "mbconv's second filter is (%lld, ROWS, COLUMNS, 1, 1)", (long long)f1[4]);
	if (f3[0] != 1 || f3[1] != 1 || f3[2] != 1 || f3[3] != f1[4])
		return lt__sd_refuse(p, e->arg[7]->place, "mbconv's third filter is (1, 1, 1, %lld, N)", (long long)f1[4]);
	for (int32_t i = 1; i < 10; i++) {
		const int64_t want = i < 7 ? f1[4] : f3[4];

		if (i % 3 != 1 && e->arg[i]->type.shape[0] != want)
			return lt__sd_refuse(p, e->arg[i]->place, "mbconv's scale and bias have an element for each of the %lld channels, "
				"not %s", (long long)want, lt__sd_type_text(p, &e->arg[i]->type));
	}
	return image(p, e, &f2[1], &e->list[1], NULL, &e->list[0], f3[4]);
}
