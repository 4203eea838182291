/* Reading a loop tree from its text (docs/tree.md).
 *
 * The text is held against the graph while it is read, so that what is reported first is the first line that does not
 * fit; then the tree is checked as one that was built by hand.  Nothing is changed afterwards: what runs is what the
 * text says.
 */
#include <string.h>
#include "base/nearest.h"
#include "looptree/text/parse.h"

/* The level of the line whose first token was read: how many lines above it are open around it. */
static lt_status read_level(struct lt_treereader *r, int32_t *out)
{
	/* A node's token begins after its %. */
	int64_t blanks = r->l.token_column - 1;
	*out = 0;
	if (blanks % 2 != 0)
		return LT_TREE_SYNTAX(r, "%lld blanks before the line; a level is two blanks", (long long)blanks);
	bool holds = r->n_open > 0 && r->t->node[r->open[r->n_open - 1]].kind != LT_TLEAF;
	if (blanks / 2 > r->n_open - !holds && r->n_open > 0)
		return LT_TREE_SYNTAX(r, holds ? "the line is indented by more than one level relative to the line above it" :
			"the line is indented under a leaf, which holds nothing");
	if (blanks > 0 && r->n_open == 0)
		return LT_TREE_SYNTAX(r, "the first line of the tree is indented");
	if (blanks / 2 >= LT_TREE_DEPTH)
		return LT_TREE_SYNTAX(r, "more than %d levels", LT_TREE_DEPTH);
	*out = (int32_t)(blanks / 2);
	return LT_OK;
}

static lt_status unknown_var(struct lt_treereader *r, size_t bytes)
{
	const bool *used = lt__vars_used(r->g, r->scratch);
	const char **name = LT_NEW(r->scratch, const char *, r->g->n_var + 1);
	for (lt_var v = 0, n = 0; v < r->g->n_var; v++)
		if (used[v])
			name[n++] = r->g->var[v].name;
	return lt__tree_differs(r, "the graph has no var '%.*s'%s", bytes < 60 ? (int)bytes : 60, r->l.at,
		lt__nearest_of(r->ctx, r->l.at, bytes, name));
}

/* The loop's name, whose primes say how many loops over the var are around it. */
static lt_status read_loop_name(struct lt_treereader *r, lt_tnode parent, lt_var *out)
{
	lt__tree_word(r);
	if (lt__tree_at_end(r))
		return LT_TREE_SYNTAX(r, "the name of a loop is expected after 'for'");
	size_t bytes = r->l.bytes, primes = 0, around = 0;
	while (bytes > 0 && r->l.at[bytes - 1] == '\'') {
		bytes--;
		primes++;
	}
	lt_var v = lt__names_find(r->g->var_names, r->l.at, bytes);
	if (v < 0 || v >= r->g->n_var)
		return unknown_var(r, bytes);
	for (lt_tnode up = parent; up >= 0; up = r->t->node[up].parent)
		around += r->t->node[up].kind == LT_TLOOP && r->t->node[up].var == v;
	if (around != primes)
		return LT_TREE_SYNTAX(r, "%zu loop%s over %s enclose%s this one, so its name has %zu prime%s, not %zu", around,
			around == 1 ? "" : "s",
			r->g->var[v].name, around == 1 ? "s" : "", around, around == 1 ? "" : "s", primes);
	*out = v;
	return LT_OK;
}

static lt_status unknown_word(struct lt_treereader *r, const char *what, const char *const *words, const char *all)
{
	const char *near = lt__nearest_of(r->ctx, r->l.at, r->l.bytes, words);
	if (*near)
		return LT_TREE_SYNTAX(r, "there is no %s %s%s", what, lt__lex_text(r->ctx, &r->l), near);
	return LT_TREE_SYNTAX(r, "there is no %s %s; there are %s", what, lt__lex_text(r->ctx, &r->l), all);
}

/* A kind and what it needs; the word is read. */
static lt_status read_kind(struct lt_treereader *r, lt_tnode at, const struct lt_kindword *k)
{
	r->t->node[at].loop = k->kind;
	r->t->node[at].arg = k->arg;
	lt__tree_word(r);
	if (!k->named)
		return LT_OK;
	size_t good = 0;
	while (!lt__tree_at_end(r) && good < r->l.bytes
		&& (r->l.at[good] == '_' || r->l.at[good] == '.' || (r->l.at[good] >= '0' && r->l.at[good] <= '9')
			|| (r->l.at[good] >= 'a' && r->l.at[good] <= 'z')
			|| (r->l.at[good] >= 'A' && r->l.at[good] <= 'Z')))
		good++;
	if (lt__tree_at_end(r) || good < r->l.bytes)
		return LT_TREE_SYNTAX(r, "'%s' is followed by the name of %s, not by %s", k->word,
			k->kind == LT_CALL ? "a routine" : "an instruction", lt__lex_text(r->ctx, &r->l));
	char *name = lt__arena_alloc(r->t->arena, r->l.bytes + 1);
	memcpy(name, r->l.at, r->l.bytes);
	r->t->node[at].call = name;
	lt__tree_word(r);
	return LT_OK;
}

static lt_status read_tail(struct lt_treereader *r, lt_tnode at)
{
	static const char *const words[] = { "guard", "peel", "mask", "pad", NULL };
	lt__tree_word(r);
	if (lt__tree_at_end(r))
		return LT_TREE_SYNTAX(r, "'tail' is followed by guard, peel, mask or pad");
	int tail = lt__tail_find(r->l.at, r->l.bytes);
	if (tail < 0)
		return unknown_word(r, "tail", words, "guard, peel, mask and pad");
	r->t->node[at].tail = (enum lt_tail)tail;
	lt__tree_word(r);
	return LT_OK;
}

/* What is after a loop's name, or after "group". */
static lt_status read_kind_and_tail(struct lt_treereader *r, lt_tnode at)
{
	bool group = r->t->node[at].kind == LT_TGROUP;
	if (lt__tree_at_end(r))
		return LT_OK;
	const struct lt_kindword *k = lt__kind_find(r->l.at, r->l.bytes);
	if (group && (!k || !k->named))
		return LT_TREE_SYNTAX(r, "only `call NAME` or `tile NAME` can follow a group, not %s", lt__lex_text(r->ctx, &r->l));
	if (k)
		LT_TRY(read_kind(r, at, k));
	if (!group && !lt__tree_at_end(r) && r->l.bytes == 4 && !memcmp(r->l.at, "tail", 4))
		return read_tail(r, at);
	if (lt__tree_at_end(r))
		return LT_OK;
	if (group)
		return LT_TREE_SYNTAX(r, "%s is not allowed here: nothing follows the name of what a group is handed to",
			lt__lex_text(r->ctx, &r->l));
	for (const char *const *word = lt__loop_words; *word; word++)
		if (strlen(*word) == r->l.bytes && !memcmp(*word, r->l.at, r->l.bytes))
			return LT_TREE_SYNTAX(r, "%s is not allowed here; the order is: for LOOP step N KIND tail TAIL, each at most once",
				lt__lex_text(r->ctx, &r->l));
	if (k)
		return lt__tree_end(r);
	return unknown_word(r, "kind of loop", lt__loop_words,
		"serial, parallel, vector, unroll, grid.x, block.x, call NAME, tile NAME and rank");
}

static lt_status read_loop(struct lt_treereader *r, lt_tnode parent, lt_tnode *out)
{
	lt_var v = -1;
	int64_t step = 1;
	LT_TRY(read_loop_name(r, parent, &v));
	lt__tree_word(r);
	if (!lt__tree_at_end(r) && r->l.bytes == 4 && !memcmp(r->l.at, "step", 4)) {
		lt__tree_word(r);
		LT_TRY(lt__tree_number(r, "a step", 1, &step));
		lt__tree_word(r);
	}
	*out = lt_looptree_add_loop(r->t, parent, v, step);
	return *out < 0 ? lt_context_code(r->ctx) : read_kind_and_tail(r, *out);
}

static lt_status read_group(struct lt_treereader *r, lt_tnode parent, lt_tnode *out)
{
	*out = lt_looptree_add_group(r->t, parent);
	if (*out < 0)
		return lt_context_code(r->ctx);
	lt__tree_word(r);
	return read_kind_and_tail(r, *out);
}

static lt_status read_leaf(struct lt_treereader *r, lt_tnode parent, lt_tnode *out)
{
	struct lt_lexer at = r->l;
	lt_node n;
	LT_TRY(lt__tree_node(r, true, parent, &n));
	if (r->t->leaf_of[n] >= 0) {
		r->l = at;
		return lt__lex_fail(r->ctx, &r->l, LT_EILLEGAL,
			"%%%s has a leaf already, in line %d; remove one of them", r->g->node[n].name,
			(int)r->t->node[r->t->leaf_of[n]].line);
	}
	*out = lt_looptree_add_leaf(r->t, parent, n);
	if (*out < 0)
		return lt_context_code(r->ctx);
	if (lt__tree_at_layout(r))
		LT_TRY(lt__tree_layout(r, n));
	if (lt__tree_at_depth(r)) {
		int64_t depth;
		lt__tree_word(r);
		LT_TRY(lt__tree_number(r, "a depth", 1, &depth));
		if (depth > LT_MAX_DEPTH)
			return LT_TREE_SYNTAX(r, "a depth is at most %d", LT_MAX_DEPTH);
		r->t->node[*out].depth = (int32_t)depth;
		lt__tree_word(r);
		if (r->l.kind == LT_TOKEN_NAME && lt__lex_is(&r->l, "async")) {
			r->t->node[*out].async = true;
			lt__tree_word(r);
		}
	}
	if (lt__tree_at_stream(r)) {
		r->t->node[*out].stream = true;
		lt__tree_word(r);
	}
	return LT_OK;
}

static lt_status read_tree_line(struct lt_treereader *r)
{
	static const char *const words[] = { "for", "group", NULL };
	int32_t level, line = r->l.token_line;
	lt_tnode at = -1;
	LT_TRY(read_level(r, &level));
	lt_tnode parent = level > 0 ? r->open[level - 1] : -1;
	if (r->l.kind == LT_TOKEN_NODE)
		LT_TRY(read_leaf(r, parent, &at));
	else if (lt__lex_is(&r->l, "for"))
		LT_TRY(read_loop(r, parent, &at));
	else if (lt__lex_is(&r->l, "group"))
		LT_TRY(read_group(r, parent, &at));
	else
		return unknown_word(r, "line that begins with", words, "`for LOOP`, `group` and leaves such as `%y`");
	r->t->node[at].line = line;
	r->open[level] = at;
	r->n_open = level + 1;
	return lt__tree_end(r);
}

/* Every node that is computed has a leaf; asked here so that the end of the text is named. */
static lt_status check_leaves(struct lt_treereader *r)
{
	for (lt_node n = 0; n < r->g->n_node; n++)
		if (lt__has_leaf(r->g, n) && r->t->leaf_of[n] < 0)
			return lt__tree_differs(r,
				"%%%s (%s) has no leaf in the tree; every node that is computed has one",
				r->g->node[n].name, lt__op_info(r->g->node[n].op)->name);
	if (!r->other)
		return LT_OK;
	r->l = r->print_at;
	return lt__lex_fail(r->ctx, &r->l, LT_EILLEGAL,
		"this tree is of another graph, or of an older version of the script (%s; the graph is %s); they "
		"differ in what a tree does not show: maps of views, params, names of inputs or results, kernels of one's "
		"own; dump the tree again",
		r->made_for, r->given);
}

static lt_status read_tree(void *user)
{
	struct lt_treereader *r = user;
	LT_TRY(lt__tree_header(r));
	for (;;) {
		LT_TRY(lt__tree_line(r));
		if (r->l.kind == LT_TOKEN_END)
			break;
		LT_TRY(read_tree_line(r));
	}
	return check_leaves(r);
}

struct parse_start { struct lt_looptree *t; const char *file; };
static lt_status keep_file(void *user)
{
	struct parse_start *s = user;
	s->t->file = lt__arena_string(s->t->arena, s->file);
	return LT_OK;
}

lt_status lt_looptree_parse(
	const struct lt_graph *g, const char *text, size_t bytes, const char *file, struct lt_looptree **out)
{
	struct lt_treereader r = { .ctx = g->ctx, .g = g };
	struct parse_start start = { NULL, file ? file : "tree" };
	LT_TRY(lt_looptree_new(g, out));
	r.t = start.t = *out;
	lt__lex_begin(&r.l, start.file, text, bytes);
	lt_status st = lt__arena_new(g->ctx, &r.scratch);
	if (!st) {
		st = lt__protect(g->ctx, keep_file, &start);
		if (!st)
			st = lt__protect(g->ctx, read_tree, &r);
		lt__arena_free(r.scratch);
	}
	if (!st)
		st = lt_looptree_finish(*out);
	if (st) {
		lt_looptree_free(*out);
		*out = NULL;
	}
	return st;
}
