/* loops.c -- kinds of mutants of where and how often: indices, loops, stores, accumulations,
 * conditions. */
#include <string.h>
#include "tests/mutants/kinds.h"

/* A factor, or how far apart lanes are: behind an address. */
static bool is_stride(const struct text *t, int i)
{
	return text_is(t, i + 1, "*") || text_is(t, i - 1, "*") || (text_is(t, i - 1, ",") && !t->tok[i - 1].index);
}

bool kind_stride(const struct text *t, int i, int variant, struct mutant *m)
{
	return t->tok[i].kind == TOKEN_INT && t->tok[i].index && is_stride(t, i)
		&& mutate(t, m, i, i, "(%.*s %s 1)", SPAN(t, i, i), variant ? "-" : "+");
}

/* A constant, or the end of an address that has none. */
bool kind_offset(const struct text *t, int i, int variant, struct mutant *m)
{
	const struct token *k = &t->tok[i];
	if (k->kind == TOKEN_INT && k->index && !k->header && !is_stride(t, i))
		return mutate(t, m, i, i, "(%.*s %s 1)", SPAN(t, i, i), variant ? "-" : "+");
	bool address = text_is(t, i, "]") && k->pair >= 0 && k->pair + 1 < i && t->tok[i - 1].index
		&& t->tok[i - 1].kind == TOKEN_NAME;
	return address && mutate_before(t, m, i, " %s 1", variant ? "-" : "+");
}

/* -- loops -- */

/* for (TYPE NAME = FIRST; NAME < BOUND; STEP) */
struct loop { int name, first, less, bound, bound_end, step, step_end, body; };
static bool read_loop(const struct text *t, int i, struct loop *l)
{
	if (!text_is(t, i, "for") || !t->tok[i].zone || !text_is(t, i + 1, "("))
		return false;
	int at = i + 2, close = t->tok[i + 1].pair;
	while (at < close && !text_is(t, at, "="))
		at++;
	l->name = at - 1;
	l->first = at + 1;
	while (at < close && !text_is(t, at, ";"))
		at++;
	l->less = at + 2;
	l->bound = at + 3;
	for (at++; at < close && !text_is(t, at, ";"); at++)
		;
	l->bound_end = at - 1;
	l->step = at + 1;
	l->step_end = close - 1;
	l->body = close + 1;
	return at < close && text_is(t, l->less, "<") && l->bound <= l->bound_end && text_same(t, l->name, l->less - 1);
}

/* The name of the loop that is nearest round i, but of another name. */
bool kind_variable(const struct text *t, int i, int variant, struct mutant *m)
{
	struct loop l;
	int mine = -1, other = -1;
	(void)variant;
	if (t->tok[i].kind != TOKEN_NAME || !t->tok[i].index || t->tok[i].header || t->tok[i].body < 0)
		return false;
	for (int at = t->tok[i].body; at < i; at++)
		if (read_loop(t, at, &l) && text_end(t, at) > i) {
			mine = text_same(t, l.name, i) ? l.name : mine;
			other = text_same(t, l.name, i) ? other : l.name;
		}
	if (mine < 0)
		return false;
	return other < 0 ? mutate(t, m, i, i, "0") : mutate(t, m, i, i, "%.*s", SPAN(t, other, other));
}

/* 49 * (1 / 49) is less than 1 in float: the mistake that makes 48 of it. */
bool kind_float_index(const struct text *t, int i, int variant, struct mutant *m)
{
	static const char wrong[] = "(int64_t)((float)(%.*s) * (1.0f / 49) * 49)";
	const struct token *k = &t->tok[i];
	(void)variant;
	if (text_is(t, i, "[") && k->pair > i + 1 && !k->index && t->tok[i + 1].kind != TOKEN_INT)
		return mutate(t, m, i + 1, k->pair - 1, wrong, SPAN(t, i + 1, k->pair - 1));
	return text_is(t, i, "*") && k->left >= 0 && k->index && !k->header
		&& mutate(t, m, k->left, k->right, wrong, SPAN(t, k->left, k->right));
}

bool kind_bound(const struct text *t, int i, int variant, struct mutant *m)
{
	struct loop l;
	return read_loop(t, i, &l)
		&& mutate(
			t, m, l.bound, l.bound_end, "(%.*s) %s 1", SPAN(t, l.bound, l.bound_end), variant ? "+" : "-");
}

bool kind_first(const struct text *t, int i, int variant, struct mutant *m)
{
	struct loop l;
	(void)variant;
	return read_loop(t, i, &l) && mutate_before(t, m, l.first, "1 + ");
}

bool kind_step(const struct text *t, int i, int variant, struct mutant *m)
{
	struct loop l;
	(void)variant;
	return read_loop(t, i, &l) && text_is(t, l.step + 1, "++")
		&& mutate(t, m, l.step, l.step_end, "%.*s += 2", SPAN(t, l.step, l.step));
}

/* The statement before the one that begins at i, in the same block; -1: there is none.  Of those that end there the
 * outermost. */
static int statement_before(const struct text *t, int i)
{
	int before = -1;
	for (int k = i - 1; k > t->tok[i].body && !(text_is(t, k, "{") && t->tok[k].pair > i); k--) {
		if (t->tok[k].pair >= 0 && t->tok[k].pair < k)
			k = t->tok[k].pair;
		if (t->tok[k].begins && text_end(t, k) == i - 1)
			before = k;
		else if (t->tok[k].begins && text_end(t, k) < i - 1)
			break;
	}
	return before;
}

bool kind_tail(const struct text *t, int i, int variant, struct mutant *m)
{
	(void)variant;
	if (!t->tok[i].begins || !(text_is(t, i, "for") || text_is(t, i, "if") || text_is(t, i, "{")))
		return false;
	int before = statement_before(t, i);
	return before >= 0 && text_is(t, before, "for") && mutate(t, m, i, text_end(t, i), ";");
}

/* -- accumulations -- */

/* The next token from i on that is no `const`. */
static int plain(const struct text *t, int i) { return text_is(t, i, "const") ? plain(t, i + 1) : i; }

/* X += E, X = X + E or X = f(X, E), maybe in casts: what is computed, and where in it E stands. */
struct sum { int assign, from, to, value, value_to; };
static bool read_sum(const struct text *t, int i, struct sum *s)
{
	if (!t->tok[i].begins || text_is_declaration(t, i) || (s->assign = text_assign(t, i)) < 0)
		return false;
	s->from = s->value = s->assign + 1;
	s->to = s->value_to = text_end(t, i) - 1;
	if (!text_is(t, s->assign, "="))
		return true;
	int at = s->from, call;
	while (text_is(t, at, "("))
		at = text_is_cast(t, at) ? t->tok[at].pair + 1 : at + 1;
	call = t->tok[at].kind == TOKEN_NAME && text_is(t, at + 1, "(") ? at : -1;
	at += call >= 0 ? 2 : 0;
	for (int k = plain(t, i); k < s->assign; k = plain(t, k + 1), at++) {
		at = plain(t, at);
		if (!text_same(t, k, at))
			return false;
	}
	s->value = at + 1;
	if (call >= 0) {
		s->from = call;
		s->to = t->tok[call + 1].pair;
		s->value_to = s->to - 1;
		return text_is(t, at, ",");
	}
	s->from = t->tok[at].left;
	s->to = s->value_to = t->tok[at].right;
	return s->from > s->assign && s->from <= at - 1 && s->value <= s->to;
}

bool kind_forget(const struct text *t, int i, int variant, struct mutant *m)
{
	struct sum s;
	(void)variant;
	if (!read_sum(t, i, &s))
		return false;
	return text_is(t, s.assign, "=") ? mutate(t, m, s.from, s.to, "%.*s", SPAN(t, s.value, s.value_to))
					 : mutate(t, m, s.assign, s.assign, "=");
}

bool kind_twice(const struct text *t, int i, int variant, struct mutant *m)
{
	struct sum s;
	(void)variant;
	if (!read_sum(t, i, &s))
		return false;
	int end = text_end(t, i);
	return mutate(t, m, i, end, "{ %.*s %.*s }", SPAN(t, i, end), SPAN(t, i, end));
}

/* An assignment to a variable that is older than the loop, whose body begins at `body`. */
static bool carries(const struct text *t, int i, int body)
{
	if (!t->tok[i].begins || text_is_declaration(t, i) || text_assign(t, i) != i + 1)
		return false;
	for (int k = body; k < i; k++)
		if (text_same(t, k, i) && text_is_type(t, k - 1))
			return false;
	return true;
}

static bool names(const struct text *t, int from, int to, int name)
{
	for (int i = from; i < to; i++)
		if (text_same(t, i, name))
			return true;
	return false;
}

/* A loop over what is reduced: it accumulates at a place that its variable does not say. */
bool kind_early_end(const struct text *t, int i, int variant, struct mutant *m)
{
	struct loop l;
	struct sum s;
	bool sums = false;
	(void)variant;
	if (!read_loop(t, i, &l))
		return false;
	for (int k = l.body, end = text_end(t, i); k < end && !sums; k++)
		sums = carries(t, k, l.body) || (read_sum(t, k, &s) && !names(t, k, s.assign, l.name));
	return sums && mutate(t, m, l.bound, l.bound_end, "(%.*s) / 2", SPAN(t, l.bound, l.bound_end));
}

/* A number, in all lanes of a vector, too; the smallest integer is two. */
static bool is_neutral(const struct text *t, int from, int to)
{
	int values = 0, wholes = 0;
	for (int i = from; i <= to; i++) {
		const struct token *k = &t->tok[i];
		if (text_is(t, i, "(") || text_is(t, i, ")") || text_is(t, i, "-") || text_ends(t, i, "_splat"))
			continue;
		values++;
		wholes += k->kind == TOKEN_INT;
		if (k->kind != TOKEN_INT && k->kind != TOKEN_FLOAT && !text_is(t, i, "INFINITY"))
			return false;
	}
	return values == 1 || (values == 2 && wholes == 2);
}

static bool read_reset(const struct text *t, int i, int *assign, int *end)
{
	if (!t->tok[i].begins || t->tok[i].index || (*assign = text_assign(t, i)) < 0 || !text_is(t, *assign, "=")
		|| text_is(t, i, "const"))
		return false;
	*end = text_end(t, i);
	return is_neutral(t, *assign + 1, *end - 1);
}

bool kind_no_reset(const struct text *t, int i, int variant, struct mutant *m)
{
	int assign, end;
	(void)variant;
	if (!read_reset(t, i, &assign, &end))
		return false;
	return text_is_declaration(t, i) ? mutate(t, m, i, end, "static _Thread_local %.*s;", SPAN(t, i, assign - 1))
					 : mutate(t, m, i, end, ";");
}

/* 1 for 0, 0 for everything else. */
bool kind_reset(const struct text *t, int i, int variant, struct mutant *m)
{
	int assign, end;
	(void)variant;
	if (!read_reset(t, i, &assign, &end))
		return false;
	for (int k = assign + 1; k < end; k++) {
		if (t->tok[k].kind == TOKEN_FLOAT || t->tok[k].kind == TOKEN_INT)
			return mutate(t, m, k, k, text_is(t, k, "0.0f") || text_is(t, k, "0.0") || text_is(t, k, "0") ? "1" : "0");
		if (t->tok[k].kind == TOKEN_NAME && !text_is(t, k + 1, "("))
			return mutate(t, m, k, k, "0");
	}
	return false;
}

bool kind_drop(const struct text *t, int i, int variant, struct mutant *m)
{
	int assign, end;
	(void)variant;
	if (!t->tok[i].begins || text_is_declaration(t, i) || read_reset(t, i, &assign, &end))
		return false;
	return (text_assign(t, i) >= 0 || moves(t, i)) && mutate(t, m, i, text_end(t, i), ";");
}

/* The variable or the array that an assignment sets. */
static int target(const struct text *t, int i, int assign)
{
	while (i < assign && (t->tok[i].kind != TOKEN_NAME || text_is_type(t, i)))
		i++;
	return i;
}

/* Whether tokens from .. to have a name that the loop sets. */
static bool depends(const struct text *t, int from, int to, int loop)
{
	for (int i = loop, end = text_end(t, loop); i < end; i++) {
		int assign = t->tok[i].begins && !text_is_declaration(t, i) ? text_assign(t, i) : -1;
		if (assign >= 0 && names(t, from, to, target(t, i, assign)))
			return true;
	}
	return false;
}

/* A loop done after what uses its results.  Declarations may stand in between. */
bool kind_early_store(const struct text *t, int i, int variant, struct mutant *m)
{
	int loop = i, end;
	(void)variant;
	if (!t->tok[i].begins || (text_is_declaration(t, i) && !text_is(t, i, "const")) || text_is(t, i, "for")
		|| text_is(t, i, "return"))
		return false;
	do
		loop = statement_before(t, loop);
	while (loop >= 0 && text_is_declaration(t, loop));
	if (loop < 0 || !text_is(t, loop, "for") || !depends(t, i, end = text_end(t, i), loop))
		return false;
	return mutate(t, m, loop, text_end(t, loop), ";")
		&& mutate_before(t, m, end + 1, "%.*s\n", SPAN(t, loop, text_end(t, loop)));
}

/* team->parallel_for(team->host, team->n_thread, POINTS, ..) */
bool kind_team(const struct text *t, int i, int variant, struct mutant *m)
{
	if (!text_is(t, i, "parallel_for") || !text_is(t, i + 1, "("))
		return false;
	int points = text_comma(t, text_comma(t, i + 2) + 1) + 1, end = text_comma(t, points) - 1;
	return mutate(t, m, points, end, variant ? "(%.*s) / 2" : "(%.*s) - 1", SPAN(t, points, end));
}

/* Of an if, or of a choice by ? and :. */
bool kind_guard(const struct text *t, int i, int variant, struct mutant *m)
{
	int from, to;
	if (text_is(t, i, "if") && t->tok[i].zone && t->tok[i + 1].pair > i + 2) {
		from = i + 2;
		to = t->tok[i + 1].pair - 1;
	} else if (text_is(t, i, "?")) {
		/* Back to what begins the part that it ends. */
		for (from = i; from > 0; from--) {
			int k = from - 1;
			if (t->tok[k].pair >= 0 && t->tok[k].pair < k && !text_is(t, k, "}"))
				from = t->tok[k].pair + 1;
			else if (t->tok[k].pair > k || text_is(t, k, ",") || text_is(t, k, "=") || text_is(t, k, ";")
				|| text_is(t, k, "return") || text_is(t, k, ":") || text_is(t, k, "?")
				|| text_is(t, k, "}"))
				break;
		}
		to = i - 1;
	} else {
		return false;
	}
	return variant == 2 ? mutate(t, m, from, to, "!(%.*s)", SPAN(t, from, to))
			    : mutate(t, m, from, to, variant ? "0" : "1");
}
