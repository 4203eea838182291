/* parse_word.c -- the words of a graph's text that statements and expressions share. */
#include "ir/text/parse.h"

bool lt__parse_accept(struct lt_parser *p, const char *sign)
{
	bool is = lt__lex_is(&p->l, sign);

	if (is)
		lt__lex_next(&p->l);
	return is;
}

lt_status lt__parse_expect(struct lt_parser *p, const char *sign)
{
	if (!lt__parse_accept(p, sign))
		return LT_PARSE_FAIL(p, "expected %s, found %s", sign, lt__lex_text(p->ctx, &p->l));
	return LT_OK;
}

lt_status lt__parse_int(struct lt_parser *p, int64_t *out)
{
	bool minus = lt__parse_accept(p, "-");
	uint64_t size;

	if (p->l.kind != LT_TOKEN_NUMBER || !lt__lex_whole(&p->l, &size) || size > (uint64_t)INT64_MAX + minus)
		return LT_PARSE_FAIL(p, "expected a whole number of at most 63 bits, found %s", lt__lex_text(p->ctx, &p->l));
	*out = (int64_t)(minus ? 0 - size : size);
	lt__lex_next(&p->l);
	return LT_OK;
}

lt_status lt__parse_node_at(struct lt_parser *p, const struct lt_lexer *at, lt_node *out)
{
	*out = at->kind == LT_TOKEN_NODE ? lt__names_find(p->g->node_names, at->at, at->bytes) : -1;
	if (at->kind != LT_TOKEN_NODE)
		return lt__lex_fail(p->ctx, at, LT_ESYNTAX, "expected a node such as %%x, found %s", lt__lex_text(p->ctx, at));
	if (*out < 0)
		return lt__lex_fail(p->ctx, at, LT_ESYNTAX, "there is no node %s above this line%s", lt__lex_text(p->ctx, at),
			lt__nearest_node(p->g, NULL, at->at, at->bytes));
	return LT_OK;
}

lt_status lt__parse_operand(struct lt_parser *p, lt_node *out)
{
	LT_TRY(lt__parse_node_at(p, &p->l, out));
	lt__lex_next(&p->l);
	return LT_OK;
}
