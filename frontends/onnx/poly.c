/* poly.c -- see poly.h. */
#include <string.h>
#include "frontends/onnx/poly.h"
#include "ir/node/node.h"

enum { MAX_TERMS = 32, MAX_DEGREE = 16 };

/* Terms as they are collected. */
struct poly_sum { int32_t n; struct lt_onnx_term term[MAX_TERMS]; };

static int term_order(const struct lt_onnx_term *a, const struct lt_onnx_term *b)
{
	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	for (int32_t i = 0; i < a->n; i++)
		if (a->param[i] != b->param[i])
			return a->param[i] < b->param[i] ? -1 : 1;
	return 0;
}

/* Keeps the terms in order; false: there are too many, or a coefficient exceeds 63 bits. */
static bool term_add(struct poly_sum *s, struct lt_onnx_term t)
{
	int32_t at = 0;
	while (at < s->n && term_order(&s->term[at], &t) < 0)
		at++;
	if (at < s->n && term_order(&s->term[at], &t) == 0) {
		if (lt__add_overflow(s->term[at].coef, t.coef, &s->term[at].coef))
			return false;
		if (s->term[at].coef == 0)
			memmove(&s->term[at], &s->term[at + 1], sizeof t * (size_t)(--s->n - at));
		return true;
	}
	if (t.coef == 0)
		return true;
	if (s->n == MAX_TERMS)
		return false;
	memmove(&s->term[at + 1], &s->term[at], sizeof t * (size_t)(s->n++ - at));
	s->term[at] = t;
	return true;
}

static struct lt_onnx_poly poly_keep(struct lt_onnx *m, const struct poly_sum *s)
{
	return (struct lt_onnx_poly){ s->n, s->n ? lt__arena_copy(m->arena, s->term, sizeof *s->term * (size_t)s->n) : NULL };
}

struct lt_onnx_poly lt__poly_whole(struct lt_onnx *m, int64_t x)
{
	const struct poly_sum s = { .n = x != 0, .term = { { .coef = x } } };
	return poly_keep(m, &s);
}

struct lt_onnx_poly lt__poly_linear(struct lt_onnx *m, const struct lt_linear *x)
{
	struct poly_sum s = { .n = 0 };
	bool fits = term_add(&s, (struct lt_onnx_term){ .coef = x->constant });
	for (int32_t i = 0; i < x->n; i++)
		fits = fits && term_add(&s, (struct lt_onnx_term){ x->coef[i], 1, &x->param[i] });
	if (!fits)
		lt__onnx_refuse(m, "an extent depends on more than %d other ones", MAX_TERMS);
	return poly_keep(m, &s);
}

bool lt__poly_add(struct lt_onnx *m, const struct lt_onnx_poly *a, const struct lt_onnx_poly *b, int64_t by,
	struct lt_onnx_poly *out)
{
	struct poly_sum s = { .n = 0 };
	bool fits = true;
	for (int32_t i = 0; i < a->n; i++)
		fits = fits && term_add(&s, a->term[i]);
	for (int32_t i = 0; i < b->n; i++) {
		struct lt_onnx_term t = b->term[i];
		fits = fits && !lt__mul_overflow(t.coef, by, &t.coef) && term_add(&s, t);
	}
	*out = poly_keep(m, &s);
	return fits;
}

/* The scalars of both in order. */
static bool term_mul(struct lt_onnx *m, const struct lt_onnx_term *a, const struct lt_onnx_term *b,
	struct lt_onnx_term *out)
{
	lt_param *all = LT_NEW(m->arena, lt_param, a->n + b->n + 1);
	int32_t i = 0, k = 0;
	while (i < a->n || k < b->n) {
		const bool first = k == b->n || (i < a->n && a->param[i] <= b->param[k]);
		all[i + k] = first ? a->param[i] : b->param[k];
		i += first;
		k += !first;
	}
	*out = (struct lt_onnx_term){ .n = a->n + b->n, .param = all };
	return out->n <= MAX_DEGREE && !lt__mul_overflow(a->coef, b->coef, &out->coef);
}

bool lt__poly_mul(struct lt_onnx *m, const struct lt_onnx_poly *a, const struct lt_onnx_poly *b,
	struct lt_onnx_poly *out)
{
	struct poly_sum s = { .n = 0 };
	struct lt_onnx_term t;
	bool fits = true;
	for (int32_t i = 0; i < a->n; i++)
		for (int32_t k = 0; k < b->n; k++)
			fits = fits && term_mul(m, &a->term[i], &b->term[k], &t) && term_add(&s, t);
	*out = poly_keep(m, &s);
	return fits;
}

bool lt__poly_divide(struct lt_onnx *m, const struct lt_onnx_poly *a, int64_t by, struct lt_onnx_poly *out)
{
	struct lt_onnx_term *term = LT_NEW(m->arena, struct lt_onnx_term, a->n + 1);
	for (int32_t i = 0; i < a->n; i++) {
		if (by == 0 || (by == -1 && a->term[i].coef == INT64_MIN) || a->term[i].coef % by)
			return false;
		term[i] = a->term[i];
		term[i].coef /= by;
	}
	*out = (struct lt_onnx_poly){ a->n, term };
	return by != 0;
}

bool lt__poly_equal(const struct lt_onnx_poly *a, const struct lt_onnx_poly *b)
{
	bool same = a->n == b->n;
	for (int32_t i = 0; same && i < a->n; i++)
		same = term_order(&a->term[i], &b->term[i]) == 0 && a->term[i].coef == b->term[i].coef;
	return same;
}

bool lt__poly_known(const struct lt_onnx_poly *a, int64_t *out)
{
	*out = a->n ? a->term[0].coef : 0;
	return a->n == 0 || (a->n == 1 && a->term[0].n == 0);
}

bool lt__poly_is(const struct lt_onnx_poly *a, int64_t x)
{
	int64_t own;
	return lt__poly_known(a, &own) && own == x;
}

bool lt__poly_ratio(const struct lt_onnx_poly *a, const struct lt_onnx_poly *b, int64_t *k)
{
	bool same = a->n == b->n && a->n > 0;
	*k = 0;
	for (int32_t i = 0; same && i < a->n; i++) {
		const int64_t x = a->term[i].coef, y = b->term[i].coef;
		same = term_order(&a->term[i], &b->term[i]) == 0 && !(y == -1 && x == INT64_MIN) && x % y == 0 && x / y > 0
			&& (*k == 0 || *k == x / y);
		*k = same ? x / y : 0;
	}
	return same;
}

bool lt__poly_sum(struct lt_onnx *m, const struct lt_onnx_poly *a, struct lt_linear *out)
{
	lt_param *param = LT_NEW(m->arena, lt_param, a->n + 1);
	int64_t *coef = LT_NEW(m->arena, int64_t, a->n + 1), constant = 0;
	int32_t n = 0;
	for (int32_t i = 0; i < a->n; i++) {
		if (a->term[i].n > 1)
			return false;
		if (a->term[i].n == 0) {
			constant = a->term[i].coef;
			continue;
		}
		param[n] = a->term[i].param[0];
		coef[n++] = a->term[i].coef;
	}
	return lt__linear_make(m->graph, constant, n, param, coef, out) == LT_OK;
}

bool lt__poly_range(const struct lt_onnx *m, const struct lt_onnx_poly *a, int64_t *low, int64_t *high)
{
	bool fits = true;
	*low = *high = 0;
	for (int32_t i = 0; i < a->n; i++) {
		int64_t from = a->term[i].coef, to = from;
		for (int32_t k = 0; k < a->term[i].n; k++) {
			const struct lt_paramdef *p = &m->graph->param[a->term[i].param[k]];
			int64_t x[4];
			fits = fits && !lt__mul_overflow(from, p->low, &x[0]) && !lt__mul_overflow(from, p->high, &x[1])
				&& !lt__mul_overflow(to, p->low, &x[2]) && !lt__mul_overflow(to, p->high, &x[3]);
			if (!fits)
				return false;
			from = lt__min(lt__min(x[0], x[1]), lt__min(x[2], x[3]));
			to = lt__max(lt__max(x[0], x[1]), lt__max(x[2], x[3]));
		}
		fits = fits && !lt__add_overflow(*low, from, low) && !lt__add_overflow(*high, to, high);
	}
	return fits;
}

static const char *param_name(const struct lt_onnx *m, lt_param p)
{
	for (int32_t i = 0; i < m->n_symbol; i++)
		if (m->symbol[i].param == p)
			return m->symbol[i].name;
	return m->graph->param[p].name;
}

const char *lt__poly_text(struct lt_onnx *m, const struct lt_onnx_poly *a)
{
	struct lt_text t = { .arena = m->arena };
	for (int32_t i = 0; i < a->n; i++) {
		const struct lt_onnx_term *one = &a->term[i];
		const int64_t coef = one->coef;
		if (i)
			lt__text_format(&t, "%s", coef < 0 ? " - " : " + ");
		const int64_t shown = i && coef < 0 && coef != INT64_MIN ? -coef : coef;
		if (one->n == 0 || shown != 1)
			lt__text_format(&t, "%lld%s", (long long)shown, one->n ? "*" : "");
		for (int32_t k = 0; k < one->n; k++)
			lt__text_format(&t, "%s%s", k ? "*" : "", param_name(m, one->param[k]));
	}
	return a->n ? t.at : "0";
}

void lt__poly_symbols(const struct lt_onnx *m, int32_t n, const struct lt_onnx_poly *x, bool *named)
{
	for (int32_t i = 0; i < n; i++)
		for (int32_t k = 0; k < x[i].n; k++)
			for (int32_t j = 0; j < x[i].term[k].n; j++)
				for (int32_t s = 0; s < m->n_symbol; s++)
					named[s] = named[s] || m->symbol[s].param == x[i].term[k].param[j];
}

const char *lt__poly_dims(struct lt_onnx *m, const bool *named, int32_t *count)
{
	struct lt_text t = { .arena = m->arena };
	*count = 0;
	for (int32_t s = 0; s < m->n_symbol; s++)
		if (named[s])
			lt__text_format(&t, "%s--dim %s=8", (*count)++ ? " " : "", m->symbol[s].name);
	return *count ? t.at : "";
}

const char *lt__poly_fixes(struct lt_onnx *m, int32_t n, const struct lt_onnx_poly *x)
{
	bool *named = LT_NEW(m->arena, bool, m->n_symbol + 1);
	int32_t count;
	lt__poly_symbols(m, n, x, named);
	const char *dims = lt__poly_dims(m, named, &count);
	return lt__arena_format(m->arena, "%s%s", dims, count > 1 ? " fix them" : " fixes it");
}
