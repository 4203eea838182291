/* Names that are near a word that is none. */
#include <string.h>
#include "base/nearest.h"

enum { LONGEST = 48, FAR = 1000 };

static char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Letters to change, add or drop, and neighbours to exchange, until one word is the other; case aside. */
static size_t distance(const char *a, size_t n, const char *b)
{
	size_t row[3][LONGEST + 1], m = strlen(b);
	if (n > LONGEST || m > LONGEST)
		return FAR;
	for (size_t i = 0; i <= n; i++) {
		size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
		for (size_t j = 0; j <= m; j++) {
			if (i == 0 || j == 0) {
				now[j] = i + j;
				continue;
			}
			size_t change = last[j - 1] + (lower_letter(a[i - 1]) != lower_letter(b[j - 1])),
			       other = (last[j] < now[j - 1] ? last[j] : now[j - 1]) + 1;
			now[j] = change < other ? change : other;
			if (i > 1 && j > 1 && lower_letter(a[i - 1]) == lower_letter(b[j - 2])
				&& lower_letter(a[i - 2]) == lower_letter(b[j - 1]) && before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
	}
	return row[n % 3][m];
}

void lt__nearest_begin(struct lt_nearest *x, const char *word, size_t bytes)
{
	/* farther off, a suggestion only confuses */
	*x = (struct lt_nearest){ .word = word, .bytes = bytes, .limit = bytes / 3 + 2 };
}

void lt__nearest_add(struct lt_nearest *x, const char *name)
{
	size_t d = distance(x->word, x->bytes, name);
	bool same = strlen(name) == x->bytes && !memcmp(name, x->word, x->bytes);
	if (d >= x->limit || d >= x->bytes)     /* nothing of a short word may be left of it */
		return;
	size_t cost = 2 * d + (d == 0 && !same);
	int at = x->n;
	while (at > 0 && cost < x->cost[at - 1])
		at--;
	if (at == LT_NEAREST_MAX)
		return;
	x->n += x->n < LT_NEAREST_MAX;
	for (int i = x->n - 1; i > at; i--) {
		x->name[i] = x->name[i - 1];
		x->cost[i] = x->cost[i - 1];
	}
	x->name[at] = name;
	x->cost[at] = cost;
}

const char *lt__nearest_hint(struct lt_context *ctx, const struct lt_nearest *x, const char *before, const char *after)
{
	char text[200] = "";
	int n = 0;
	/* others only where they are as near */
	for (int i = 0; i < x->n && (i == 0 || x->cost[i] / 2 == x->cost[0] / 2); i++)
		n += snprintf(text + n, sizeof text - (size_t)n, "%s%s%.48s%s", i == 0 ? "; did you mean " : " or ",
			before, x->name[i], after);
	return n ? lt__scratch(ctx, "%s?", text) : "";
}

static void search(struct lt_nearest *x, const char *word, size_t bytes, const char *const *list)
{
	lt__nearest_begin(x, word, bytes);
	for (; *list; list++)
		lt__nearest_add(x, *list);
}

const char *lt__nearest(const char *word, size_t bytes, const char *const *list)
{
	struct lt_nearest x;
	search(&x, word, bytes, list);
	return x.n ? x.name[0] : NULL;
}

const char *lt__nearest_of(struct lt_context *ctx, const char *word, size_t bytes, const char *const *list)
{
	struct lt_nearest x;
	search(&x, word, bytes, list);
	return lt__nearest_hint(ctx, &x, "'", "'");
}

const char *lt__nearest_node(const struct lt_graph *g, const bool *only, const char *word, size_t bytes)
{
	enum { SOME = 8 };
	struct lt_nearest x;
	char text[200] = "";
	int n = 0, shown = 0;
	lt__nearest_begin(&x, word, bytes);
	for (lt_node i = 0; i < g->n_node; i++)
		if (!only || only[i])
			lt__nearest_add(&x, g->node[i].name);
	if (x.n > 0)
		return lt__nearest_hint(g->ctx, &x, "%", "");
	for (lt_node i = 0; i < g->n_node && shown <= SOME && n < (int)sizeof text - 30; i++)
		if (!only || only[i])
			n += shown++ == SOME ? snprintf(text + n, sizeof text - (size_t)n, " ...")
					     : snprintf(text + n, sizeof text - (size_t)n, "%s%%%.20s",
						     shown > 1 ? ", " : "", g->node[i].name);
	return n ? lt__scratch(g->ctx, "; there %s %s", shown > 1 ? "are" : "is", text) : "";
}

const char *lt__nearest_var(const struct lt_graph *g, const char *word, size_t bytes)
{
	struct lt_nearest x;
	lt__nearest_begin(&x, word, bytes);
	for (lt_var v = 0; v < g->n_var; v++)
		lt__nearest_add(&x, g->var[v].name);
	return lt__nearest_hint(g->ctx, &x, "'", "'");
}

/* A type by its other name is meant, too: f32 is a script's float32. */
const char *lt__nearest_dtype(struct lt_context *ctx, bool script, const char *word, size_t bytes)
{
	struct lt_nearest x, other;
	lt__nearest_begin(&x, word, bytes);
	for (int i = 1; i < LT_NDTYPE; i++) {
		const struct lt_dtypeinfo *d = lt__dtype_info((enum lt_dtype)i);
		const char *mine = script ? d->script : d->name, *theirs = script ? d->name : d->script;
		lt__nearest_begin(&other, word, bytes);
		other.limit = 1;
		lt__nearest_add(&other, theirs);
		if (other.n) {
			lt__nearest_begin(&x, mine, strlen(mine));
			lt__nearest_add(&x, mine);
			break;
		}
		lt__nearest_add(&x, mine);
	}
	x.n = x.n > 0;
	return lt__nearest_hint(ctx, &x, "", "");
}
