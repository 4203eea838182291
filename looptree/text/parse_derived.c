/* Reading what is a tree's own from its text: the lines "own", which make its graph, and the layouts of leaves. */
#include <string.h>
#include "looptree/derive/derive.h"
#include "looptree/text/parse.h"

static lt_status expect_word(struct lt_treereader *r, const char *word)
{
	if (r->l.kind != LT_TOKEN_NAME || !lt__lex_is(&r->l, word))
		return LT_TREE_SYNTAX(r, "'%s' is expected, not %s", word, lt__lex_text(r->ctx, &r->l));
	lt__tree_next(r);
	return LT_OK;
}

/* "%NAME" or, for a var, "NAME". */
static lt_status read_name(struct lt_treereader *r, bool node, const char **out)
{
	if (r->l.kind != (node ? LT_TOKEN_NODE : LT_TOKEN_NAME))
		return LT_TREE_SYNTAX(r, "%s is expected, not %s", node ? "a node such as %y" : "a var", lt__lex_text(r->ctx, &r->l));
	char *name = lt__arena_alloc(r->scratch, r->l.bytes + 1);
	memcpy(name, r->l.at, r->l.bytes);
	*out = name;
	lt__tree_next(r);
	return LT_OK;
}

static lt_status read_partial(struct lt_treereader *r, struct lt_derived_step *s)
{
	LT_TRY(expect_word(r, "over"));
	LT_TRY(read_name(r, false, &s->var));
	LT_TRY(expect_word(r, "step"));
	LT_TRY(lt__tree_number(r, "a step", 1, &s->step));
	lt__tree_next(r);
	if (r->l.kind == LT_TOKEN_NAME && lt__lex_is(&r->l, "below")) {
		lt__tree_next(r);
		LT_TRY(lt__tree_number(r, "a step", 1, &s->span));
		lt__tree_next(r);
	}
	LT_TRY(expect_word(r, "as"));
	return read_name(r, false, &s->dim);
}

/* "over y step 4 as y_4 over c step 1" */
static lt_status read_moves(struct lt_treereader *r, struct lt_derived_step *s)
{
	struct lt_derived_move *move = NULL;
	int32_t cap = 0;
	while (!lt__tree_at_end(r)) {
		struct lt_derived_move m = { 0 };
		LT_TRY(expect_word(r, "over"));
		LT_TRY(read_name(r, false, &m.var));
		LT_TRY(expect_word(r, "step"));
		LT_TRY(lt__tree_number(r, "a step", 1, &m.step));
		lt__tree_next(r);
		if (m.step > 1) {
			LT_TRY(expect_word(r, "as"));
			LT_TRY(read_name(r, false, &m.dim));
		}
		LT_GROW(r->scratch, move, s->n_move, cap);
		move[s->n_move++] = m;
	}
	s->move = move;
	return LT_OK;
}

static lt_status read_step(struct lt_treereader *r, struct lt_derived_step *s)
{
	*s = (struct lt_derived_step){ .kind = LT_DERIVED_MATERIALIZE };
	lt__tree_next(r);
	LT_TRY(read_name(r, true, &s->made));
	if (r->l.kind != LT_TOKEN_SIGN || !lt__lex_is(&r->l, "="))
		return LT_TREE_SYNTAX(r, "'=' is expected, not %s", lt__lex_text(r->ctx, &r->l));
	lt__tree_next(r);
	if (lt__lex_is(&r->l, "clone"))
		s->kind = LT_DERIVED_CLONE;
	else if (lt__lex_is(&r->l, "window"))
		s->kind = LT_DERIVED_WINDOW;
	else if (lt__lex_is(&r->l, "partial"))
		s->kind = LT_DERIVED_PARTIAL;
	else if (!lt__lex_is(&r->l, "copy"))
		return LT_TREE_SYNTAX(r, "'copy', 'window', 'clone' or 'partial' is expected, not %s", lt__lex_text(r->ctx, &r->l));
	lt__tree_next(r);
	LT_TRY(read_name(r, true, &s->of));
	if (s->kind == LT_DERIVED_PARTIAL)
		LT_TRY(read_partial(r, s));
	else if (s->kind != LT_DERIVED_MATERIALIZE || !lt__tree_at_end(r)) {
		s->kind = s->kind == LT_DERIVED_MATERIALIZE ? LT_DERIVED_COPY : s->kind;
		if (s->kind == LT_DERIVED_CLONE && r->l.kind == LT_TOKEN_NAME && lt__lex_is(&r->l, "at"))
			s->kind = LT_DERIVED_CLONE_VIEW;
		LT_TRY(expect_word(r, s->kind == LT_DERIVED_CLONE_VIEW ? "at" : "for"));
		LT_TRY(read_name(r, true, &s->reader));
	}
	if (s->kind == LT_DERIVED_WINDOW)
		LT_TRY(read_moves(r, s));
	return lt__tree_end(r);
}

lt_status lt__tree_derived_lines(struct lt_treereader *r)
{
	struct lt_derived_step *step = NULL;
	struct lt_lexer *at = NULL;
	int32_t n = 0, cap = 0, n_at = 0, cap_at = 0, failed;
	for (; lt__lex_is(&r->l, "own"); ) {
		LT_GROW(r->scratch, step, n, cap);
		LT_GROW(r->scratch, at, n_at, cap_at);
		at[n_at++] = r->l;
		LT_TRY(read_step(r, &step[n++]));
		LT_TRY(lt__tree_line(r));
	}
	if (n == 0)
		return LT_OK;
	lt_status st = lt__tree_derive_steps(r->t, step, n, NULL, &failed);
	r->g = r->t->graph;
	if (!st || lt__is_end(st))
		return st;
	const char *why = lt__arena_string(r->scratch, r->ctx->message);
	r->l = at[failed];
	return r->other ? lt__tree_differs(r, "%s", why) : lt__lex_fail(r->ctx, &r->l, st, "%s", why);
}

lt_status lt__tree_layout(struct lt_treereader *r, lt_node n)
{
	enum { MAX_DIGITS = 4 * LT_MAX_RANK };
	struct lt_step_word *word = LT_NEW(r->scratch, struct lt_step_word, MAX_DIGITS + 4);
	struct lt_words digits = { 0, word };
	int64_t number;
	struct lt_lexer at = r->l;
	lt__tree_word(r);
	if (lt__tree_at_end(r) || *r->l.at != '[')
		return LT_TREE_SYNTAX(r, "'[' is expected after 'layout'");
	for (bool more = true; more; lt__tree_word(r)) {
		struct lt_step_word w = { r->l.at, r->l.bytes };
		if (lt__tree_at_end(r) || digits.n == MAX_DIGITS)
			return LT_TREE_SYNTAX(r, "']' is expected after the digits of a layout");
		w.at += *w.at == '[';
		w.bytes -= *r->l.at == '[';
		more = w.bytes == 0 || w.at[w.bytes - 1] != ']';
		w.bytes -= !more;
		word[digits.n] = w;
		digits.n += w.bytes > 0;
	}
	while (!lt__tree_at_end(r) && lt__layout_word_ends(&(struct lt_step_word){ r->l.at, r->l.bytes })) {
		bool pads = *r->l.at == 'p';
		if (digits.n > MAX_DIGITS + 2)
			return LT_TREE_SYNTAX(r, "a layout ends with one pad or swizzle");
		word[digits.n++] = (struct lt_step_word){ r->l.at, r->l.bytes };
		lt__tree_word(r);
		LT_TRY(lt__tree_number(r, pads ? "the padding of a layout" : "the swizzle of a layout", 1, &number));
		word[digits.n++] = (struct lt_step_word){ r->l.at, r->l.bytes };
		lt__tree_word(r);
	}
	lt_status st = lt__layout_read(r->t, n, &digits, &r->t->layout[n]);
	if (!st)
		return LT_OK;
	const char *why = lt__arena_string(r->scratch, r->ctx->message);
	r->l = at;
	return lt__is_end(st) ? st : lt__lex_fail(r->ctx, &r->l, st, "%s", why);
}
