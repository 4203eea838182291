/* parse.h -- what the parts of the graph parser share: parse.c reads statements, parse_map.c expressions. */
#ifndef LT_IR_TEXT_PARSE_H
#define LT_IR_TEXT_PARSE_H
#include "ir/graph/graph.h"
#include "base/names.h"
#include "ir/text/text.h"

enum lt_term_kind { LT_TERM_CONSTANT, LT_TERM_PARAM, LT_TERM_DIM, LT_TERM_FLOOR };
/* index: of the piece's params, dims, floors */
struct lt_parse_term  { enum lt_term_kind kind; int32_t index; int64_t coef; };
struct lt_span  { int32_t first, n; };                                          /* of terms */
struct lt_floor { int64_t den; struct lt_span num; };
struct lt_open  { int32_t first; int64_t coef; bool paren; };                  /* a floor under way */

struct lt_parser {
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_arena *scratch;
	struct lt_lexer l;
	/* the expressions of one piece, limit or requirement; arrays are used again and again */
	int32_t n_dim;
	const lt_var *dim;
	bool numbered, in_with;
	struct lt_parse_term *term;    int32_t n_term, cap_term;      /* of finished rows and floors */
	struct lt_parse_term *pending; int32_t n_pending, cap_pending;
	struct lt_span *row;     int32_t n_row, cap_row;
	struct lt_floor *floor;  int32_t n_floor, cap_floor;
	lt_param *param;         int32_t n_param, cap_param;
	struct lt_open *open;    int32_t cap_open;
	struct lt_names *floors;        /* finds an equal floor; NULL: none yet */
	/* what can only be looked up later */
	struct lt_lexer *limit;  int32_t n_limit, cap_limit;    /* places of limits, in the order of the bounded vars */
	struct lt_lexer *source; int32_t n_source, cap_source;  /* places of the params' sources */
	/* nodes that have to stay within their sources */
	struct lt_bounded_node { lt_node node; struct lt_lexer at; } *bounded;
	int32_t n_bounded, cap_bounded;
	bool settled;                                           /* limits are resolved; no var or param may follow */
};

#define LT_PARSE_FAIL(p, ...) lt__lex_fail((p)->ctx, &(p)->l, LT_ESYNTAX, __VA_ARGS__)

/* parse_word.c */
lt_status lt__parse_expect(struct lt_parser *, const char *sign);       /* and moves after it */
bool lt__parse_accept(struct lt_parser *, const char *sign);
lt_status lt__parse_int(struct lt_parser *, int64_t *out);              /* with its minus */
lt_status lt__parse_operand(struct lt_parser *, lt_node *out);
/* The node that a token read before names. */
lt_status lt__parse_node_at(struct lt_parser *, const struct lt_lexer *at, lt_node *out);

/* parse_map.c */
/* constant + sum coef*param; params by name. */
lt_status lt__parse_linear(struct lt_parser *, struct lt_linear *out);
/* The pieces of a view between { and }, its fill, and, unless they are given, its operands. */
lt_status lt__parse_pieces(struct lt_parser *, struct lt_nodedef *);
#endif
