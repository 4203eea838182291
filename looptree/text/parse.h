/* parse.h -- what the parts of reading a tree share: parse.c reads the lines of the tree, parse_head.c the
 * header and the nodes, and holds both against the graph; parse_word.c their words. */
#ifndef LT_LOOPTREE_TEXT_PARSE_H
#define LT_LOOPTREE_TEXT_PARSE_H
#include "base/names.h"
#include "ir/text/text.h"
#include "looptree/text/words.h"

struct lt_treereader {
	struct lt_context *ctx;
	const struct lt_graph *g;
	struct lt_looptree *t;
	struct lt_arena *scratch;
	struct lt_lexer l;
	bool other;                     /* the fingerprint is another graph's */
	const char *made_for, *given;   /* fingerprints: of the text, of the graph */
	struct lt_lexer print_at;       /* where the fingerprint is */
	lt_tnode open[LT_TREE_DEPTH];   /* by level: the last line's tree node, and those around it */
	int32_t n_open;
};

#define LT_TREE_SYNTAX(r, ...) lt__lex_fail((r)->ctx, &(r)->l, LT_ESYNTAX, __VA_ARGS__)

/* parse_word.c.  A word ends at a blank, an end of line or '#'; NULL: the line has no more. */
void lt__tree_next(struct lt_treereader *);
void lt__tree_word(struct lt_treereader *);
bool lt__tree_at_end(const struct lt_treereader *);    /* of a line, or of the text */
lt_status lt__tree_end(struct lt_treereader *);         /* refuses what is left of a line */
/* The next line that holds something: its first token is read. */
lt_status lt__tree_line(struct lt_treereader *);
/* The token as a whole number from `min` on. */
lt_status lt__tree_number(struct lt_treereader *, const char *what, int64_t min, int64_t *out);

/* "the text and the graph differ", at the token last read. */
lt_status lt__tree_differs(struct lt_treereader *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* parse_derived.c: the lines "own"; the first token of a line is read, and so it is afterwards.  r->g is the tree's
 * graph then. */
lt_status lt__tree_derived_lines(struct lt_treereader *);
/* "layout [DIGITS] pad N" of node n, up to `stream` or the end of the line; the token last read is `layout`. */
lt_status lt__tree_layout(struct lt_treereader *, lt_node n);
/* Whether the token last read is the word `layout` and begins a leaf's layout. */
bool lt__tree_at_layout(const struct lt_treereader *);
/* Whether it is the word `depth` with its number, of a leaf's line. */
bool lt__tree_at_depth(const struct lt_treereader *);
/* Whether it is the word `stream` that ends a leaf's line. */
bool lt__tree_at_stream(const struct lt_treereader *);

/* parse_head.c */
/* Everything up to the line "tree". */
lt_status lt__tree_header(struct lt_treereader *);
/* A node's line from %NAME on (the token last read) to its end; leaf: it is in the tree, in `parent`. */
lt_status lt__tree_node(struct lt_treereader *, bool leaf, lt_tnode parent, lt_node *out);
#endif
