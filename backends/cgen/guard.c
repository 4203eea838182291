/* backends/cgen/guard.c -- guards (rows that are not negative) as C conditions. */
#include <string.h>
#include "backends/cgen/gen.h"

/* Whether a loop has a coefficient of that sign. */
static bool loops(const struct gen *g, const int64_t *row, int sign)
{
	for (int32_t c = 1 + g->t->n_param; c < 1 + g->t->n_param + g->t->n_loop; c++)
		if (row[c] && (row[c] > 0) == (sign > 0))
			return true;
	return false;
}

/* r >= 0, with what is subtracted on the other side. */
static void holds(struct gen *g, struct lt_out *o, const int64_t *r)
{
	bool plus = false, minus = false;
	for (int32_t c = 1; c < g->t->n_column; c++) {
		plus |= r[c] > 0;
		minus |= r[c] < 0;
	}
	if (!plus && !minus) {
		lt__out(o, r[0] >= 0 ? "1" : "0");
	} else if (r[0] == INT64_MIN) {
		lt__outf(o, "%s >= 0", lt__gen_dense(g, r).text);
	} else if (!plus) {
		(void)lt__gen_terms(g, o, r, -1, 0);
		lt__outf(o, " <= %lld", (long long)r[0]);
	} else if (!minus) {
		(void)lt__gen_terms(g, o, r, 1, 0);
		lt__outf(o, " >= %lld", -(long long)r[0]);
	} else if (loops(g, r, -1) && !loops(g, r, 1)) {        /* i < n rather than n > i */
		(void)lt__gen_terms(g, o, r, -1, r[0] < -1 ? -r[0] : 0);
		lt__out(o, r[0] == -1 ? " < " : " <= ");
		(void)lt__gen_terms(g, o, r, 1, r[0] > 0 ? r[0] : 0);
	} else {
		(void)lt__gen_terms(g, o, r, 1, r[0] > 0 ? r[0] : 0);
		lt__out(o, r[0] == -1 ? " > " : " >= ");
		(void)lt__gen_terms(g, o, r, -1, r[0] < -1 ? -r[0] : 0);
	}
}

/* The guard as text, `add` added to its row; "1" or "0" where that is known. */
static const char *guard(struct gen *g, int32_t row, int64_t add)
{
	struct range range = lt__gen_range(g, row);
	if (range.known && range.low >= 0)
		return "1";
	if (range.known && range.high < 0)
		return "0";
	struct lt_out o = lt__out_new(&g->pool);
	int64_t *r = lt__pool_alloc(&g->pool, (size_t)g->t->n_column, sizeof *r);
	memcpy(r, lt__gen_fold(g, row), (size_t)g->t->n_column * sizeof *r);
	r[0] = (int64_t)((uint64_t)r[0] + (uint64_t)add);
	holds(g, &o, r);
	return o.at;
}

static void join(struct lt_out *o, const char *with, const char *fmt, const char *text)
{
	lt__out(o, o->n ? with : "");
	lt__outf(o, fmt, text);
}

const char *lt__gen_guards(struct gen *g, int32_t first, int32_t n)
{
	struct lt_out o = lt__out_new(&g->pool);
	for (int32_t i = 0; i < n; i++) {
		const char *text = guard(g, g->t->guards[first + i], 0);
		if (is_no(text))
			return "0";
		if (!is_yes(text))
			join(&o, " && ", "%s", text);
	}
	return o.n ? o.at : "1";
}

bool lt__gen_lane_guards(struct gen *g, int32_t first, int32_t n, const char **all, const char **none)
{
	struct lt_out every = lt__out_new(&g->pool), no = lt__out_new(&g->pool);
	bool exact = true, never = false;
	for (int32_t i = 0; i < n; i++) {
		int32_t row = g->t->guards[first + i];
		int64_t stride, last;
		bool regular = lt__gen_stride(g, row, &stride) && !__builtin_mul_overflow(stride, (int64_t)g->lanes - 1, &last);
		if (!regular) {                 /* what the first lane says is no help */
			struct range range = lt__gen_range(g, row);
			if (range.known && range.high < 0) {
				*all = "0", *none = "1";
				return true;
			}
			never = never || !range.known || range.low < 0;
			exact = exact && range.known && range.low >= 0;
			continue;
		}
		const char *low = guard(g, row, last < 0 ? last : 0), *high = last == 0 ? low : guard(g, row, last > 0 ? last : 0);
		if (is_no(high)) {
			*all = "0", *none = "1";
			return true;
		}
		never = never || is_no(low);
		exact = exact && (last == 0 || is_yes(low));
		if (!is_yes(low) && !is_no(low))
			join(&every, " && ", "%s", low);
		if (!is_yes(high))
			join(&no, " || ", "!(%s)", high);
	}
	*all = never ? "0" : every.n ? every.at : "1";
	*none = no.n ? no.at : "0";
	return exact;
}
