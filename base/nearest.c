/* nearest.c -- names that are near a word that is none. */
#include <stdio.h>
#include <string.h>
#include "base/arena.h"
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

const char *lt__nearest_of(struct lt_context *ctx, const char *word, size_t bytes, const char *const *list)
{
	struct lt_nearest x;
	lt__nearest_begin(&x, word, bytes);
	for (; *list; list++)
		lt__nearest_add(&x, *list);
	return lt__nearest_hint(ctx, &x, "'", "'");
}
