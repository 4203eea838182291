/* pairs.c -- rows of levels that cover every pair: a failure needs two things to meet more often than
 * three.
 *
 * Greedy: the first pair that is not covered yet is fixed, then each other factor takes the level that covers most new
 * pairs with those fixed so far; ties go to the level whose turn it is.  The rows depend on nothing but the factors.
 */
#include <stdlib.h>
#include <string.h>
#include "tools/check/check.h"

enum { MAX_FACTORS = 8, MAX_LEVELS = 64 };
struct pair_cover {
	const struct check_factors *f;
	bool done[MAX_FACTORS][MAX_LEVELS][MAX_FACTORS][MAX_LEVELS];
	int turn;
};

static bool is_wanted(const struct check_factors *f, int a, int b)
{
	return a < b && !(a == f->skip_a && b == f->skip_b && f->skip_a != f->skip_b);
}

static int gain(const struct pair_cover *c, const int *at, int factor, int level)
{
	int n = 0;
	for (int i = 0; i < c->f->n; i++) {
		int a = i < factor ? i : factor, b = i < factor ? factor : i;
		if (i == factor || at[i] < 0 || !is_wanted(c->f, a, b))
			continue;
		n += !(i < factor ? c->done[i][at[i]][factor][level] : c->done[factor][level][i][at[i]]);
	}
	return n;
}

/* Fills the open factors from i on: the best level first, another where the rest cannot be filled. */
static bool pairs_fill(struct pair_cover *c, int *at, int i)
{
	bool tried[MAX_LEVELS] = { false };
	while (i < c->f->n && at[i] >= 0)
		i++;
	if (i == c->f->n)
		return true;
	for (int n = 0; n < c->f->level[i]; n++) {
		int best = -1, best_gain = -1;
		for (int k = 0; k < c->f->level[i]; k++) {
			int level = (k + c->turn) % c->f->level[i], g = gain(c, at, i, level);
			if (!tried[level] && g > best_gain) {
				best_gain = g;
				best = level;
			}
		}
		tried[best] = true;
		at[i] = best;
		if (c->f->allowed(at) && pairs_fill(c, at, i + 1))
			return true;
		at[i] = -1;
	}
	return false;
}

static void pairs_mark(struct pair_cover *c, const int *at)
{
	for (int a = 0; a < c->f->n; a++)
		for (int b = a + 1; b < c->f->n; b++)
			c->done[a][at[a]][b][at[b]] = true;
}

static void cover_pair(
	struct pair_cover *c, int a, int la, int b, int lb, void (*row)(void *user, const int *at), void *user)
{
	int at[MAX_FACTORS];
	for (int i = 0; i < MAX_FACTORS; i++)
		at[i] = -1;
	at[a] = la;
	at[b] = lb;
	if (c->done[a][la][b][lb] || !c->f->allowed(at) || !pairs_fill(c, at, 0))
		return;
	pairs_mark(c, at);
	c->turn++;
	row(user, at);
}

static void product(const struct check_factors *f, void (*row)(void *user, const int *at), void *user)
{
	int at[MAX_FACTORS] = { 0 };
	for (int i = f->n; i >= 0;) {
		if (f->allowed(at))
			row(user, at);
		for (i = f->n - 1; i >= 0 && ++at[i] == f->level[i]; i--)
			at[i] = 0;
	}
}

bool lt__check_pairs(const struct check_factors *f, bool full, void (*row)(void *user, const int *at), void *user)
{
	struct pair_cover *c;
	if (full) {
		product(f, row, user);
		return true;
	}
	c = calloc(1, sizeof *c);
	if (!c)
		return false;
	c->f = f;
	for (int a = 0; a < f->n; a++)
		for (int b = a + 1; b < f->n; b++)
			for (int la = 0; is_wanted(f, a, b) && la < f->level[a]; la++)
				for (int lb = 0; lb < f->level[b]; lb++)
					cover_pair(c, a, la, b, lb, row, user);
	free(c);
	return true;
}
