/* backends/cgen/gen.h -- one emission: what the files of the emitter share. */
#ifndef LT_CGEN_GEN_H
#define LT_CGEN_GEN_H
#include "backends/cgen/cgen.h"
#include "backends/cgen/pool.h"

struct range { bool known; int64_t low, high; };
enum home {
	HOME_SLOT,              /* a pointer parameter, from a slot                     */
	HOME_WORKSPACE,         /* a pointer parameter, into the workspace              */
	HOME_ARRAY,             /* an array of the scope                                */
	HOME_SCALAR             /* a variable of the scope                              */
};
struct place {                  /* of a buffer                                          */
	enum home home;
	const char *name;
	int32_t root;           /* the buffer whose identifier it shares, or itself     */
	bool written, exclusive;        /* of the identifier: written; no other reaches its elements */
	int32_t first_writer, n_writer; /* statements                                   */
	bool declared;          /* at its first writer                                  */
	int64_t offset;         /* HOME_WORKSPACE                                       */
	int32_t next;           /* local of the same scope                              */
};
struct gen {
	const struct lt_tree *t;
	const struct lt_dialect *d;
	bool named;
	struct lt_pool pool;
	struct lt_out body;
	struct lt_nameset names, said;
	int indent, n_temp;
	bool uses_fault;
	const char *function;
	const char **param, **loop, **div;      /* names */
	struct place *place;                    /* a buffer */
	struct range *column;                   /* of each column's value */
	int32_t *first_local, *first_div, *next_div;    /* lists by loop + 1 */
	int64_t workspace;
};
enum { NAME_FIXED = 1, NAME_LOOP };

/* A text and whether it can stand as an operand without parentheses. */
struct expr { const char *text; bool primary; };

/* The C text of op; a move of the graph (view, index ..) that has none is its operand. */
const char *lt__op_text(const struct lt_op *);

static inline const int64_t *row_at(const struct lt_tree *t, int32_t row) { return t->rows + (int64_t)row * t->n_column; }
const char *lt__ctype(const struct lt_tree *, uint32_t dtype);

/* place.c: where buffers live. */
void lt__gen_places(struct gen *);
/* names.c */
void lt__gen_names(struct gen *);
const char *lt__gen_unique(struct gen *, const char *base);
/* row.c: affine values. */
void lt__gen_ranges(struct gen *);
struct range lt__gen_range(const struct gen *, int32_t row);
struct expr lt__gen_row(struct gen *, int32_t row);
const char *lt__gen_floordiv(struct gen *, int32_t div);
/* guards joined by &&; n >= 1. */
const char *lt__gen_guards(struct gen *, int32_t first, int32_t n);
/* expr.c: values. */
const char *lt__gen_access(struct gen *, int32_t stmt, int32_t access);
struct expr lt__gen_operand(struct gen *, int32_t stmt, const struct lt_operand *);
struct expr lt__gen_immediate(struct gen *, uint64_t bits, uint32_t dtype);
/* op.source with $0 .. replaced; without parentheses around the whole. */
const char *lt__gen_apply(struct gen *, const struct lt_op *, const struct expr *operand);
int lt__gen_uses(const struct lt_op *, int operand);
/* chunk.c: definitions that `text` needs, in order. */
void lt__gen_chunks(struct gen *, const char *text, struct lt_out *);
#endif
