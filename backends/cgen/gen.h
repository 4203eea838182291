/* backends/cgen/gen.h -- one emission: what the files of the emitter share.
 *
 * A tree is walked twice.  The first walk's text is thrown away: it tells which elements of each local the text would
 * name, now that unrolled trips are numbers, and so which locals can be variables instead of arrays.
 */
#ifndef LT_CGEN_GEN_H
#define LT_CGEN_GEN_H
#include "backends/cgen/cgen.h"
#include "kernel/pool.h"

struct range { bool known; int64_t low, high; };
/* What is known of a column of the rows where the text is being printed.  In a vector loop everything is said of its
 * first lane; range alone is of all lanes. */
struct column {
	struct range range;
	bool fixed; int64_t value;      /* a number, so that its name does not occur */
	bool irregular; int64_t stride; /* how it moves from lane to lane; irregular: not by equal steps */
};
enum home {
	HOME_SLOT,              /* a pointer parameter, from a slot                     */
	HOME_WORKSPACE,         /* a pointer parameter, into the workspace              */
	HOME_OWN,               /* the same, into the part of the thread                */
	HOME_ARRAY,             /* an array of the scope                                */
	HOME_SCALAR,            /* a variable of the scope                              */
	HOME_REGISTERS          /* several, each one element or the lanes of one vector */
};
struct place {                  /* of a buffer                                          */
	enum home home;
	const char *name;
	int32_t root;           /* the buffer whose identifier it shares, or itself     */
	bool written, exclusive;        /* of the identifier: written; no other reaches its elements */
	int32_t first_writer, n_writer; /* statements                                   */
	bool declared;          /* at its first writer                                  */
	int32_t region;         /* HOME_OWN: the parallel loop it is below              */
	int64_t offset;         /* HOME_WORKSPACE, HOME_OWN                             */
	int32_t next;           /* local of the same scope                              */
	/* Found by the first walk: an element that is no number is named, or in two ways; else by element: where the
	 * variable begins that holds it (-1: none), and by that how many lanes it has and its name. */
	bool wanders;
	int32_t *tile; uint8_t *width; const char **reg;
};
enum mode {
	MODE_FOR, MODE_BLOCK,
	MODE_COPIES,            /* the body once for each trip                          */
	MODE_HINT,              /* a loop that the compiler is told to unroll           */
	MODE_LANES,             /* vectors                                              */
	MODE_REGION,            /* shared out to threads                                */
	MODE_COLLAPSED          /* shared out together with the loop around it          */
};
enum { MAX_COLLAPSED = 16 };
struct plan {                   /* of a loop                                            */
	enum mode mode;
	int64_t cost;           /* statements printed for one trip                      */
	int lanes;              /* MODE_LANES: of one vector                            */
	bool straight;          /* MODE_LANES: every vector has its own copy of the body */
	bool masked;            /* MODE_LANES: lanes may be off                         */
	int n_collapsed;        /* MODE_REGION: loops in one, itself included           */
	bool parallel, vector;  /* there is such a loop in it, or it is one             */
};
/* A combine in a loop over vectors: the variable that they are added to, and the line that folds it; NULL: none of them
 * was. */
struct fold { int32_t stmt; const char *name, *line; struct fold *next; };
/* A vector variable whose lanes a lane-by-lane loop needs: subscripted, a variable would live in memory everywhere. */
struct copy { const char *of, *name, *type; bool written; struct copy *next; };
/* Columns of a square tile that is read across, by trip of the unrolled loop that goes through them (tile.c). */
struct tile { int32_t access, loop; const char **row; struct tile *next; };
struct gen {
	const struct lt_tree *t;
	const struct lt_dialect *d;
	bool named;
	struct lt_pool pool;
	struct lt_out body, regions;    /* regions: functions that are done */
	struct lt_nameset names, said;
	int indent, n_temp, n_region;
	bool uses_fault, uses_own;
	struct tile *tiles;                     /* of the unrolled loop in hand */
	bool streams;                           /* the function being printed has stores past the caches */
	const char *head, *function;            /* qualifiers and name */
	const char **param, **loop, **div;      /* names */
	struct place *place;                    /* a buffer */
	struct plan *plan;                      /* a loop */
	struct column *column;
	int64_t *row;                           /* the row in hand */
	int32_t *first_local, *first_div, *next_div;    /* lists by loop + 1 */
	int32_t region;                         /* the parallel loop that the text is in, or -1 */
	/* In a vector loop: */
	int32_t lane_loop;                      /* the loop, else -1 */
	int lanes;
	const char *strip;                      /* variable that counts its vectors; NULL: each is printed */
	int32_t declared;                       /* statement whose variable has been declared before it, or -1 */
	const char *active;                     /* how many lanes are on; NULL: all */
	int64_t fold_left;                      /* vectors that are to come before lanes are folded: all together, then */
	const char *folded;                     /* variable that holds those that have come; NULL: none */
	struct fold *folds;                     /* of a loop over vectors: those that are folded behind it */
	/* In a lane-by-lane loop: */
	const char *lane;                       /* the lane's number, else NULL */
	struct column *vector_column;           /* what is known outside it */
	struct copy *copies;
	struct ahead *aheads;                   /* what the text prefetches so far */
	int64_t shared, own;                    /* bytes of workspace */
	size_t definitions;                     /* bytes of the text before the kernel */
};
enum { NAME_FIXED = 1, NAME_LOOP };

/* A text and whether it can stand as an operand without parentheses. */
struct expr { const char *text; bool primary; };

/* The C text of op; "": it has none. */
const char *lt__op_text(const struct lt_op *);

/* A combine is a reduction whose lanes meet: where they come one after the other, there is no difference. */
static inline bool reduces(const struct lt_stmt *s) { return s->kind == LT_REDUCE || s->kind == LT_COMBINE; }
static inline const int64_t *row_at(const struct lt_tree *t, int32_t row)
{
	return t->rows + (int64_t)row * t->n_column;
}
static inline int32_t loop_column(const struct lt_tree *t, int32_t loop) { return 1 + t->n_param + loop; }
static inline int32_t div_column(const struct lt_tree *t, int32_t div) { return 1 + t->n_param + t->n_loop + div; }
const char *lt__ctype(const struct lt_tree *, uint32_t dtype);
static inline uint32_t lt__gen_dtype(const struct lt_tree *t, int32_t buffer)
{
	return LT_AT(struct lt_type, t->types, LT_AT(struct lt_buffer, t->buffers, buffer)->type)->dtype;
}
/* Whether loop a is b or stands around it; -1 stands around all. */
bool lt__gen_around(const struct lt_tree *, int32_t a, int32_t b);

/* plan.c: how each loop is printed. */
void lt__gen_plan(struct gen *);
/* storage.c: where buffers live.  After the first walk: which locals become variables. */
void lt__gen_assign_storage(struct gen *);
void lt__gen_registers(struct gen *);
/* The text names element `at` of a local, or (lanes > 1) that and the ones behind it as a vector. */
void lt__gen_touch(struct gen *, int32_t buffer, bool known, int64_t at, int lanes);
/* Whether each lane of the vector loop in hand has a b of its own. */
bool lt__gen_private(const struct gen *, int32_t b);
/* names.c */
void lt__gen_names(struct gen *);
const char *lt__gen_unique(struct gen *, const char *base);
const char *lt__gen_temp(struct gen *);
/* row.c: affine values. */
/* What is known outside all loops; and of a div's column, from the columns in its row. */
void lt__gen_columns(struct gen *);
void lt__gen_set_div(struct gen *, int32_t div);
struct range lt__gen_range(const struct gen *, int32_t row);
struct expr lt__gen_row(struct gen *, int32_t row);
/* A row that has been folded. */
struct expr lt__gen_dense(struct gen *, const int64_t *row);
/* The row with the columns that are numbers added to its constant; until the next call. */
const int64_t *lt__gen_fold(struct gen *, int32_t row);
/* The terms with coefficients of the given sign, as "a + 3*b"; then `add` unless 0.  Returns the number of terms. */
int lt__gen_terms(struct gen *, struct lt_out *, const int64_t *row, int sign, int64_t add);
/* Whether the row is a number. */
bool lt__gen_number(const struct gen *, int32_t row, int64_t *value);
/* How it moves from lane to lane; false: not by equal steps. */
bool lt__gen_stride(const struct gen *, int32_t row, int64_t *stride);
/* What a div's variable is set to. */
const char *lt__gen_floordiv(struct gen *, int32_t div);
/* invariant.c: the condition that no quotient that the statement uses changes from lane to lane; "1" if none ever does,
 * "0" where that is certain not to hold; and what is known of the columns where it holds. */
const char *lt__gen_invariant(struct gen *, int32_t stmt);
struct column *lt__gen_steadied(struct gen *);
/* guard.c: conditions, as texts; "1" is always true, "0" never. */
const char *lt__gen_guards(struct gen *, int32_t first, int32_t n);
/* Of all lanes of the vector loop in hand: `all` holds only where the guards hold in each, `none` only where they hold
 * in none. Returns whether one of the two always holds. */
bool lt__gen_lane_guards(struct gen *, int32_t first, int32_t n, const char **all, const char **none);
static inline bool is_yes(const char *text) { return text[0] == '1' && !text[1]; }
static inline bool is_no(const char *text) { return text[0] == '0' && !text[1]; }
/* expr.c: values. */
/* The element that an access names.  An index may be gathered, and gathered itself. */
const char *lt__gen_access(struct gen *, int32_t stmt, int32_t access, bool written);
/* What is between the brackets. */
const char *lt__gen_subscript(struct gen *, int32_t stmt, int32_t access);
struct expr lt__gen_operand(struct gen *, int32_t stmt, const struct lt_operand *);
struct expr lt__gen_immediate(struct gen *, uint64_t bits, uint32_t dtype);
/* op.source with $0 .. replaced; without parentheses around the whole. */
const char *lt__gen_apply(struct gen *, const char *source, const struct expr *operand);
int lt__gen_uses(const struct lt_op *, int operand);
/* prefetch.c: bytes from a vector load at `text` to the one that is worth prefetching there; 0: none. */
int64_t lt__gen_prefetch(struct gen *, int32_t stmt, int32_t access, const char *text);
/* stmt.c */
void lt__gen_line(struct gen *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void lt__gen_say_node(struct gen *, const struct lt_stmt *);
void lt__gen_stmt(struct gen *, int32_t stmt);
/* lane.c: a statement in a vector loop. */
void lt__gen_lane_stmt(struct gen *, int32_t stmt);
/* tile.c: before the copies of an unrolled loop; the variable that an access is in then, or NULL. */
void lt__gen_tiles(struct gen *, int32_t loop);
const char *lt__gen_tile(const struct gen *, int32_t access);
/* stream.c: whether a whole vector that the statement writes goes past the caches; the store; and the end of the
 * function. */
bool lt__gen_streams(const struct gen *, int32_t stmt, uint32_t dtype);
void lt__gen_stream(struct gen *, const char *type, const char *to, const char *value);
void lt__gen_stream_end(struct gen *);
/* nest.c */
void lt__gen_body(struct gen *, int32_t loop, int32_t first_stmt, int32_t end);
/* The number of trips as text; a variable is made for it unless it is short. */
const char *lt__gen_trip_count(struct gen *, int32_t loop);
/* region.c: a parallel loop. */
void lt__gen_region(struct gen *, int32_t loop);
/* "const float *restrict b0". */
void lt__gen_buffer_parameter(struct gen *, struct lt_out *, int32_t b);
/* chunk.c: definitions that `text` needs, in order. */
void lt__gen_chunks(struct gen *, const char *text, struct lt_out *);
#endif
