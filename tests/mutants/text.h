/* text.h -- the C that lt-run prints, as tokens: what is a kernel, what an index, what an operand.
 *
 * No compiler: just enough of C's grammar for what backends/text prints.  What is read wrongly gives a mutant that does
 * not compile, and that is counted as such.
 */
#ifndef MUTANTS_TEXT_H
#define MUTANTS_TEXT_H
#include <stdbool.h>
#include <stddef.h>

enum token_kind { TOKEN_NAME, TOKEN_INT, TOKEN_FLOAT, TOKEN_MARK };
enum zone { ZONE_NONE, ZONE_FUNCTION, ZONE_KERNEL };    /* outside; a function that kernels call; a kernel */
struct token {
	size_t at, n;
	enum token_kind kind;
	enum zone zone;
	bool index;             /* part of an address, a loop's header or a condition: counts elements, is no element */
	bool header;            /* of a for */
	bool begins;            /* a statement */
	int pair;               /* the other bracket; -1: none */
	int left, right;        /* of a binary operator: where its operands begin and end; left -1: it is none */
	int body;               /* the { of the function that it is in; -1: in none */
};
struct text { char *at; size_t n; struct token *tok; int n_tok; };

/* Takes the text (malloc). */
void text_read(struct text *, char *at);
void text_free(struct text *);
bool text_is(const struct text *, int i, const char *word);
bool text_same(const struct text *, int i, int j);
bool text_starts(const struct text *, int i, const char *with);
bool text_ends(const struct text *, int i, const char *with);
/* A type's name, or a word that belongs to one: const, restrict. */
bool text_is_type(const struct text *, int i);
/* Bytes of the vector's type that the name is or begins with ("lt_f32x8_sqrt": 8), and its lanes (8); 0: none. */
size_t text_type_bytes(const struct text *, int i);
int text_lanes(const struct text *, int i);
/* i: a "(".  Whether it holds a type alone. */
bool text_is_cast(const struct text *, int i);
/* Past the operand that begins at i. */
int text_operand(const struct text *, int i);
/* The last token of the statement that begins at i. */
int text_end(const struct text *, int i);
/* The first token of the statement that i is in. */
int text_begin(const struct text *, int i);
bool text_is_declaration(const struct text *, int begin);
/* The = or += or *= of an assignment or a declaration with a value that begins there; -1: it is neither. */
int text_assign(const struct text *, int begin);
/* The next comma at the level of i, or the bracket that ends it. */
int text_comma(const struct text *, int i);
/* i: a "[".  Whether what stands there is the number of a vector's lane. */
bool text_is_lane(const struct text *, int i);

/* index.c, for text_read: finds what is an index. */
void text_indices(struct text *);
#endif
