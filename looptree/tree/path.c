/* Loops and leaves by the names that a step of a schedule calls them by. */
#include <string.h>
#include "base/names.h"
#include "base/nearest.h"
#include "looptree/tree/tree.h"

/* Loops over its var around a loop, groups around a group. */
static int32_t primes_of(const struct lt_looptree *t, lt_tnode loop)
{
	int32_t n = 0;
	for (lt_tnode up = t->node[loop].parent; up >= 0; up = t->node[up].parent)
		n += t->node[up].kind == t->node[loop].kind && t->node[up].var == t->node[loop].var;
	return n;
}

const char *lt__loop_name(const struct lt_looptree *t, lt_tnode loop)
{
	int32_t n = primes_of(t, loop);
	static const char primes[] = "''''''''''''''''''''''''''''''''";
	return lt__scratch(t->ctx, "%.180s%.*s",
		t->node[loop].kind == LT_TGROUP ? "group" : t->graph->var[t->node[loop].var].name, n < 32 ? (int)n : 32,
		primes);
}

static bool same_name(const struct lt_looptree *t, lt_tnode a, lt_tnode b)
{
	return t->node[a].kind != LT_TLEAF && t->node[b].kind == t->node[a].kind && t->node[a].var == t->node[b].var
		&& primes_of(t, a) == primes_of(t, b);
}

static const char *first_leaf(const struct lt_looptree *t, lt_tnode at)
{
	while (at >= 0 && t->node[at].kind != LT_TLEAF)
		at = t->node[at].child;
	return at < 0 ? "?" : t->graph->node[t->node[at].leaf].name;    /* a loop that is about to be refused holds none */
}

const char *lt__loop_path(const struct lt_looptree *t, lt_tnode loop)
{
	const char *name = lt__loop_name(t, loop);
	for (lt_tnode at = lt_looptree_after(t, -1); at >= 0; at = lt_looptree_after(t, at))
		if (at != loop && same_name(t, at, loop))
			return lt__scratch(t->ctx, "%%%.60s/%s", first_leaf(t, loop), name);
	return name;
}

const char *lt__loop_is(const struct lt_looptree *t, lt_tnode loop)
{
	const struct lt_tnodedef *d = &t->node[loop];
	const struct lt_kindword *k = lt__kind_word(d->loop, d->arg);
	return lt__scratch(t->ctx, "%s%s%.60s%s%s", k->word, d->call ? " " : "", d->call ? d->call : "",
		d->tail ? ", tail " : "", d->tail ? lt__tail_word(d->tail) : "");
}

bool lt__word_is(const struct lt_step_word *w, const char *text)
{
	return strlen(text) == w->bytes && !memcmp(text, w->at, w->bytes);
}

/* For messages: words of any length stay short. */
static int path_bytes_shown(size_t bytes) { return bytes < 60 ? (int)bytes : 60; }

lt_status lt__word_number(const struct lt_looptree *t, const struct lt_step_word *w, const char *what, int64_t *out)
{
	bool digits = true, large = false;
	*out = 0;
	for (size_t i = 0; i < w->bytes && digits; i++) {
		digits = w->at[i] >= '0' && w->at[i] <= '9';
		large = large || (digits && (lt__mul_overflow(*out, 10, out) || lt__add_overflow(*out, w->at[i] - '0', out)));
	}
	if (digits && large)
		return lt_fail(t->ctx, LT_ESYNTAX, "%s is at most %lld, not '%.*s'", what, (long long)INT64_MAX,
			path_bytes_shown(w->bytes), w->at);
	return digits && *out >= 1 ? LT_OK : lt_fail(t->ctx, LT_ESYNTAX, "%s is a whole number of at least 1, not '%.*s'",
		what, path_bytes_shown(w->bytes), w->at);
}

lt_status lt__path_no_node(const struct lt_looptree *t, bool leaf, const char *name, size_t bytes)
{
	bool *has_leaf = LT_NEW(t->arena, bool, t->graph->n_node + 1);
	for (lt_node n = 0; n < t->graph->n_node; n++)
		has_leaf[n] = t->leaf_of[n] >= 0;
	return lt_fail(t->ctx, LT_EILLEGAL, "the graph has no node %%%.*s%s (lt-run --dump=tree shows them)",
		path_bytes_shown(bytes), name, lt__nearest_node(t->graph, leaf ? has_leaf : NULL, name, bytes));
}

static lt_status find_leaf(const struct lt_looptree *t, const char *name, size_t bytes, lt_node *out)
{
	for (lt_node n = 0; n < t->graph->n_node; n++)
		if (strlen(t->graph->node[n].name) == bytes && !memcmp(t->graph->node[n].name, name, bytes)) {
			*out = n;
			return t->leaf_of[n] >= 0 ? LT_OK
						  : lt_fail(t->ctx, LT_EILLEGAL,
							  "%%%.*s has no leaf: inputs, constants, states, literals and "
							  "views are read where they are used",
							  path_bytes_shown(bytes), name);
		}
	return lt__path_no_node(t, true, name, bytes);
}

lt_status lt__path_leaf(const struct lt_looptree *t, const struct lt_step_word *w, lt_node *out)
{
	if (w->bytes < 2 || w->at[0] != '%')
		return lt_fail(t->ctx, LT_ESYNTAX, "a leaf is named by its node, as %%y, not '%.*s'",
			path_bytes_shown(w->bytes), w->at);
	return find_leaf(t, w->at + 1, w->bytes - 1, out);
}

/* Texts of a list in a sentence. */
struct names { char text[400]; size_t n; int32_t count; };
enum { MAX_NAMES = 8 };

static void add_name(struct names *l, const char *name)
{
	if (l->count++ > MAX_NAMES)
		return;
	int n = snprintf(l->text + l->n, sizeof l->text - l->n, "%s%s", l->n ? ", " : "", l->count > MAX_NAMES ? "..." : name);
	l->n += n > 0 && (size_t)n < sizeof l->text - l->n ? (size_t)n : 0;
}

struct path_search {
	const struct lt_looptree *t;
	const char *name;
	size_t bytes, primes;
	lt_node n;
	enum lt_path_where where;
	enum lt_tnode_kind kind;
};

static bool is_eligible(const struct path_search *s, lt_tnode loop)
{
	if (s->t->node[loop].kind != s->kind)
		return false;
	return s->n < 0 || lt__is_above(s->t, loop, s->t->leaf_of[s->n]) == (s->where == LT_PATH_AROUND);
}

static bool is_match(const struct path_search *s, lt_tnode loop)
{
	const char *var = !is_eligible(s, loop) ? NULL
		: s->kind == LT_TGROUP          ? "group"
						: s->t->graph->var[s->t->node[loop].var].name;
	return var && strlen(var) == s->bytes && !memcmp(var, s->name, s->bytes) && (size_t)primes_of(s->t, loop) == s->primes;
}

/* Loops by name, each name once. */
static lt_status say_missing(const struct path_search *s, const char *around)
{
	struct names all = { .n = 0 };
	struct path_search below = *s;
	struct lt_nearest near;
	lt__nearest_begin(&near, s->name, s->bytes);
	below.where = LT_PATH_AROUND;
	for (lt_tnode at = lt_looptree_after(s->t, -1); at >= 0; at = lt_looptree_after(s->t, at)) {
		if (s->n >= 0 && s->where == LT_PATH_APART && is_match(&below, at))
			return lt_fail(s->t->ctx, LT_EILLEGAL, "%%%s is inside the loop %s already", s->t->graph->node[s->n].name,
				lt__loop_path(s->t, at));
		bool first = is_eligible(s, at);
		for (lt_tnode b = lt_looptree_after(s->t, -1); first && b != at; b = lt_looptree_after(s->t, b))
			first = !(is_eligible(s, b) && same_name(s->t, b, at));
		if (first)
			add_name(&all, lt__loop_name(s->t, at));
		if (first && s->kind == LT_TLOOP && (size_t)primes_of(s->t, at) == s->primes)
			lt__nearest_add(&near, s->t->graph->var[s->t->node[at].var].name);
	}
	size_t bytes = s->bytes + s->primes;
	return lt_fail(s->t->ctx, LT_EILLEGAL, "there is no %s%.*s%s%s; %s%s%s", s->kind == LT_TGROUP ? "" : "loop ",
		path_bytes_shown(bytes), s->name, *around ? " around %" : "", around,
		all.count ? "there are " : "there is none", all.text,
		lt__nearest_hint(s->t->ctx, &near, "",
			lt__scratch(s->t->ctx, "%.*s", path_bytes_shown(s->primes), s->name + s->bytes)));
}

static lt_status find_name(const struct path_search *s, const char *around, lt_tnode *out)
{
	struct names all = { .n = 0 };
	int32_t n = 0;
	for (lt_tnode at = lt_looptree_after(s->t, -1); at >= 0; at = lt_looptree_after(s->t, at))
		if (is_match(s, at)) {
			*out = at;
			add_name(&all, lt__loop_path(s->t, at));
			n++;
		}
	if (n == 0)
		return say_missing(s, around);
	return n == 1 ? LT_OK
		      : lt_fail(s->t->ctx, LT_EILLEGAL, "there are %d %s%.*s%s; say which: %s", (int)n,
			      s->kind == LT_TGROUP ? "" : "loops ", path_bytes_shown(s->bytes + s->primes), s->name,
			      s->kind == LT_TGROUP ? "s" : "", all.text);
}

static lt_status path_find(const struct lt_looptree *t, const struct lt_step_word *w, lt_node n,
	enum lt_path_where where, bool groups, lt_tnode *out)
{
	struct path_search s = { t, w->at, w->bytes, 0, n, where, LT_TLOOP };
	const char *slash = w->bytes > 0 && w->at[0] == '%' ? memchr(w->at, '/', w->bytes) : NULL;
	*out = -1;
	if (slash) {
		LT_TRY(find_leaf(t, w->at + 1, (size_t)(slash - w->at) - 1, &s.n));
		s.where = LT_PATH_AROUND;
		s.name = slash + 1;
		s.bytes = w->bytes - (size_t)(s.name - w->at);
	} else if (w->bytes > 1 && w->at[0] == '%' && lt__names_find(t->graph->node_names, w->at + 1, w->bytes - 1) < 0) {
		return lt__path_no_node(t, true, w->at + 1, w->bytes - 1);
	} else if (w->bytes > 0 && w->at[0] == '%') {
		return lt_fail(t->ctx, LT_ESYNTAX, "'%.*s' is a leaf; a loop is named by its var, as m', or %%y/m' around the leaf "
			"of %%y", path_bytes_shown(w->bytes), w->at);
	}
	while (s.bytes > 0 && s.name[s.bytes - 1] == '\'') {
		s.bytes--;
		s.primes++;
	}
	if (groups && s.bytes == 5 && !memcmp(s.name, "group", 5) && lt__names_find(t->graph->var_names, "group", 5) < 0)
		s.kind = LT_TGROUP;
	return find_name(&s, s.n >= 0 && s.where == LT_PATH_AROUND ? t->graph->node[s.n].name : "", out);
}

lt_status lt__path_find(
	const struct lt_looptree *t, const struct lt_step_word *w, lt_node n, enum lt_path_where where, lt_tnode *out)
{
	return path_find(t, w, n, where, false, out);
}

lt_status lt__path_find_any(const struct lt_looptree *t, const struct lt_step_word *w, lt_tnode *out)
{
	return path_find(t, w, -1, LT_PATH_AROUND, true, out);
}

lt_status lt__path_find_line(const struct lt_looptree *t, const struct lt_step_word *w, lt_tnode *out)
{
	lt_node n;
	*out = -1;
	if (w->bytes == 0 || *w->at != '%' || memchr(w->at, '/', w->bytes))
		return lt__path_find_any(t, w, out);
	LT_TRY(lt__path_leaf(t, w, &n));
	*out = t->leaf_of[n];
	return LT_OK;
}

lt_status lt_looptree_find(const struct lt_looptree *t, const char *path, lt_tnode *out)
{
	const struct lt_step_word w = { path, strlen(path) };
	lt_status st = LT_ENOMEM;
	LT_GUARDED(t->ctx, st, lt__path_find_line(t, &w, out));
	return st;
}
