/* part.h -- one text while it is printed: what the files share.
 *
 * own.c       the whole of a kernel of one's own, whose text the user wrote
 * print.c     the whole: functions, parameters, the entry
 * kernel.c    the whole of grids: a function for each
 * accept.c    what a dialect can express
 * live.c      where things stand, how often they are used
 * walk.c      instructions in their order, as statements
 * value.c     values as expressions
 * narrow.c    whole numbers that fit 32 bits, or 16: of grids, and of bare texts
 * memory.c    loads and stores
 * pack*.c     values of several lanes as structs, and their loads and stores
 * lane.c      values of several lanes as GNU vectors
 * grid.c      what only the threads of grids do; matrix.c: matrix instructions
 * address.c   addresses
 * cast.c      one lane, casts
 * operator.c  operators, by operator.def; operands
 * line.c      lines, with comments where they come from; values that get a name
 * literal.c   constants
 * library.c   functions over vectors that the C library has
 * helper.c    functions that a text calls, from the templates of helper.def
 * name.c      identifiers and types
 * define.c    definitions that stand before the kernel
 * A file calls only those below it.
 */
#ifndef LT_TEXT_PART_H
#define LT_TEXT_PART_H
#include "backends/text/text.h"
#include "kernel/form/form.h"

/* How grids are written.  An array by space: what stands before an element's type, and behind a function's name. */
struct lt_text_device {
	const char *name;                       /* of the column of device.def */
	bool overloads;                         /* functions of math.h have one name for all floats */
	bool warps;                             /* of 32 threads, and what PTX has for them */
	bool matrices;
	bool offsets;                           /* a buffer is a base and an offset */
	bool narrows;                           /* casts to narrower integers are calls of `narrow` */
	const char *kernel;                     /* before a kernel's name; $n threads, $x $y $z of them, $r resident blocks */
	/* What a kernel does before all else, which a function then does whose pointers alone are restricted: a compiler that
	 * takes them for those of the kernel moves what it reads before it.  NULL: nothing */
	const char *first;
	/* A function of a buffer's pointer, behind `first`: what it reaches is from here on what others have written; NULL:
	 * none */
	const char *seen;
	const char *shared, *dynamic;           /* before the type of shared memory; of as many bytes as the launch says */
	int64_t most;                           /* bytes of it without `dynamic` */
	const char *rolled;                     /* before a loop of one thread alone; NULL: nothing */
	const char *space[LT_NSPACE], *suffix[LT_NSPACE];
	const char *restricted;                 /* behind the * of a pointer that alone reaches its elements */
	const char *block[3], *thread[3];       /* their numbers */
	const char *chunk[5];                   /* numbers of 1, 2, 4, 8, 16 bytes, at which any type may be accessed */
	const char *infinity;
	const char *taken;                      /* words that are no names */
};

/* How tightly an expression holds together: what needs no brackets beside what. */
enum { TEXT_PRIMARY, TEXT_UNARY, TEXT_TIMES, TEXT_PLUS, TEXT_COMPARE, TEXT_LOOSE, TEXT_ANY };
struct text_expr {
	const char *text;
	uint8_t tight;
	bool wide;                      /* as an unsigned number of as many bits: the value is what its bits mean */
	bool literal;                   /* of an integer: a constant of C */
	const char *scalar;             /* of a constant of several lanes: what is in each */
	const char *factor[2];          /* of a product of vectors of floats: each as a vector; NULL: it is none */
	bool memory, variable;          /* it reads some */
	uint32_t mask_bits;             /* of a mask of several lanes: of one lane */
};

struct text_range { int64_t low, high; };
struct text_value {                     /* of an instruction */
	int32_t number;                 /* as in the text of the program; -1: none */
	int32_t uses, user;             /* the last one that uses it */
	int32_t block;                  /* the loop, if or else that it stands in; -1: none */
	bool live;
	bool declares;                  /* a set whose variable begins there; a variable that begins with its set */
	bool pending;                   /* made, but not printed yet */
	uint32_t mask_bits;             /* of a mask of several lanes: of one lane; 0: as it is used */
	struct text_range range;        /* of an i64 where narrow.c looks */
	const char *clamp;              /* a `min` of a `max`: the function that is both; NULL: it is none */
	uint8_t narrow;                 /* an i64 that is an integer of so many bits in the text, 16 or 32; 0: it is none */
	struct text_expr expr;
};
struct text_loop { const char *base, *name; bool open; struct text_loop *next; };
/* What it uses; of an argument the last instruction that gives it, 0: none (the host's region comes first). */
struct text_region { bool *buffer, *loaded, *stored, *param, fault, own, meets; int32_t *argument; };

struct text {
	const struct lt_kernel *k;
	const struct lt_text_dialect *d;
	const struct lt_text_origins *origins;  /* NULL: nobody reads it */
	struct lt_pool pool;
	struct lt_out body, functions, helpers;
	struct lt_nameset names, defined;
	const char *function, *entry;           /* their names */
	const char **buffer, **variable, **param;       /* identifiers */
	int32_t *variable_get;                  /* by variable: one more than the first `get` of it; 0: none */
	uint32_t *variable_mask_bits;
	struct text_value *value;
	struct text_region *uses;       /* by region */
	int32_t region, indent;
	int32_t *pending, n_pending;
	int32_t at, *commented;              /* the instruction that is printed, -1: none that computes; line.c */
	struct text_loop *loops;        /* names that loops have, or have had */
	const char **fragment;          /* by instruction: the words of a fragment that another one has read; NULL: none */
	const char *where;              /* inside of an if that copies only: its condition; else NULL */
	bool self, passes;              /* a grid: the thread's number is used; memory to exchange values is */
	bool exact;                     /* what is printed cannot overflow: integers need not wrap */
	bool math, branches, streams;   /* a function of math.h is called; memory is read in branches; ... past the caches */
	bool splits;                    /* a signed number of memory or a variable is added to as an unsigned one */
};

static inline const struct lt_instruction *text_at(const struct text *t, int32_t i) { return &t->k->instructions[i]; }

/* print.c: what stands before everything; a function of a slot, and the parameters of an entry. */
struct text_head { bool math, headers, branches, splits, named, teams; };
void lt__text_head(struct lt_out *, const struct lt_text_dialect *, const struct text_head *);
extern const char lt__text_slot_at[], lt__text_parameters[];

/* live.c */
void lt__text_live(struct text *);

/* walk.c: the instructions of a region. */
void lt__text_walk(struct text *, int32_t region);

/* value.c: what an instruction gives. */
struct text_expr lt__text_value(struct text *, int32_t i);

/* narrow.c: finds what is narrow, in grids and bare texts; a narrow value that is no number of a thread or
 * block: of its operands. */
void lt__text_narrow(struct text *);
struct text_expr lt__text_narrow_value(struct text *, const struct lt_instruction *, struct text_expr *x);
/* Of a bare text: a product of numbers of 8 or 16 bits that were cast to 32, which does not overflow. */
bool lt__text_is_product(const struct text *, const struct lt_instruction *);
struct text_expr lt__text_product(struct text *, const struct lt_instruction *, struct text_expr *x);
/* Whether a narrow value with a number added fits 16 bits. */
bool lt__text_fits_int16(const struct text *, int32_t value, int64_t number);

/* memory.c */
struct text_expr lt__text_load(struct text *, int32_t i);
void lt__text_store(struct text *, int32_t i);
void lt__text_prefetch(struct text *, int32_t i);

/* address.c: the number of the element, lane 0's; the element. */
struct text_expr lt__text_address(struct text *, int32_t value, int64_t number);
/* The same of a buffer, with its swizzle, if it has one; the swizzled number of an element; after how many elements
 * that begins anew. */
struct text_expr lt__text_subscript(struct text *, int32_t buffer, int32_t value, int64_t number);
const char *lt__text_swizzled(struct text *, int32_t buffer, const char *element);
int64_t lt__text_swizzle_period(const struct text *, int32_t buffer);
struct text_expr lt__text_element_at(struct text *, const struct lt_instruction *);

/* pack.c: an instruction with operands, or a value, of several lanes.  called: a function of these.  */
/* quad.c */
bool lt__text_is_quad(const struct lt_instruction *);
struct text_expr lt__text_quad_load(struct text *, int32_t i);
struct text_expr lt__text_quad_dot(struct text *, int32_t i);
struct text_expr lt__text_pack(struct text *, int32_t i);
struct text_expr lt__text_pack_update(struct text *, const struct lt_instruction *, const struct text_expr *x);
struct text_expr lt__text_called(struct text *, const char *function, const struct text_expr *x, int n);
/* pack_memory.c.  chunks: a number of as many bytes as may be accessed at once; how many of them. */
struct text_expr lt__text_pack_load(struct text *, int32_t i);
void lt__text_pack_store(struct text *, int32_t i);
const char *lt__text_chunk(struct text *, uint32_t bytes, uint32_t *n);

/* grid.c: opcodes that only grids have; those with a value, and the others.  self: the number of the thread in its
 * block, lane: in its subgroup. */
bool lt__text_grid_opcode(uint32_t opcode);
struct text_expr lt__text_grid_value(struct text *, int32_t i);
void lt__text_grid_step(struct text *, int32_t i);

/* matrix.c: the instruction; NULL: the device has none of that description. */
const char *lt__text_matrix_name(const struct lt_text_device *, const struct lt_kernel_matrix *);
void lt__text_matrix(struct text *, int32_t i);
struct text_expr lt__text_fragment(struct text *, int32_t i);
/* grid.c.  Whether an if has copies in it that a device can begin under a condition, and nothing else of effect. */
bool lt__text_copies_only(const struct text *, int32_t i);

/* lane.c: an instruction with operands, or a value, of several lanes.  A mask as a vector of integers of so many bits;
 * of one that has no width yet, the bits that its user works with. */
struct text_expr lt__text_lanes(struct text *, int32_t i);
struct text_expr lt__text_update(struct text *, const struct lt_instruction *, const struct text_expr *x);
struct text_expr lt__text_mask(struct text *, int32_t value, uint32_t bits);
uint32_t lt__text_user_bits(const struct text *, int32_t value);

/* cast.c.  one: an instruction of one lane, or one lane of it.  third: a third party's operator. */
struct text_expr lt__text_one(struct text *, const struct lt_instruction *, const struct text_expr *x, int n);
struct text_expr lt__text_third(struct text *, const struct lt_instruction *, const struct text_expr *x, int n);
struct text_expr lt__text_cast(struct text *, struct text_expr, uint32_t from, struct lt_value_type to);
struct text_expr lt__text_convert(struct text *, struct text_expr, uint32_t from, uint32_t to);
struct text_expr lt__text_bits(struct text *, struct text_expr, uint32_t from, uint32_t to);

/* operator.c.  use: a value as an operand of what is printed next.  plain: of its own type.  in: with brackets, unless
 * it holds as tightly as asked.  operator: x ends with one that has no text.  joined: what it has of its operands. */
struct text_expr lt__text_use(struct text *, int32_t value);
struct text_expr lt__text_plain(struct text *, struct text_expr, uint32_t dtype);
const char *lt__text_in(struct text *, struct text_expr, int tight);
struct text_expr lt__text_operator(struct text *, uint32_t opcode, struct lt_value_type, const struct text_expr *x);
bool lt__text_has_lanes(uint32_t opcode, uint32_t dtype);       /* as signs, or functions, of vectors */
struct text_expr lt__text_joined(const struct text_expr *x, int n);

/* line.c.  name: the value becomes a constant of the text.  flush: values that read memory, or variables, and are not
 * printed yet, get names: what follows changes it. */
void lt__text_line(struct text *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void lt__text_name(struct text *, int32_t i);
void lt__text_flush(struct text *, bool memory, bool variable);

/* literal.c: one element; of a mask of one lane 0 or 1. */
struct text_expr lt__text_literal(struct text *, uint32_t dtype, uint64_t bits);

/* library.c: the function's name, which is printed before the kernel; NULL: the library has none for such vectors. */
const char *lt__text_library(struct text *, uint32_t opcode, struct lt_value_type);

/* helper.c: the name of a function for a type, of a template or from floats to integers; it is printed before the
 * kernel. */
const char *lt__text_helper(struct text *, const char *name, struct lt_value_type);
/* Whether device.def has one for the device. */
bool lt__text_device_has(const struct text *, const char *name, uint32_t dtype);
const char *lt__text_to_integer(struct text *, uint32_t from, uint32_t to);

/* name.c */
struct text_element {
	const char *name, *type, *word;         /* "f32", "float", "uint32_t": the unsigned number of as many bits */
	char kind;                              /* F I U (unsigned) B H (half) N (narrow integer) M (mask) */
	uint8_t bytes, is_signed;
};
const struct text_element *lt__text_element(uint32_t dtype);
const char *lt__text_type(struct text *, struct lt_value_type, uint32_t mask_bits);      /* "float", "lt_f32x8" */
const char *lt__text_short(struct text *, struct lt_value_type);                         /* "f32", "f32x8" */
const char *lt__text_word(struct text *, struct lt_value_type);
const char *lt__text_loose(struct text *, struct lt_value_type);
const char *lt__text_unique(struct text *, const char *name);
/* Of a loop: its variable's in the frozen tree, where the text is for people.  Loops that do not stand in each other
 * may have one name: it is open from here to close_loop. */
const char *lt__text_open_loop(struct text *, int32_t loop);
void lt__text_close_loop(struct text *, const char *name);
void lt__text_names(struct text *);

/* define.c: text in the pool; a definition, the first time that its name comes. */
const char *lt__text_formatted(struct text *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A function of math.h, whose name ends the text, is called: f behind it, where it has a name of its own for floats. */
void lt__text_math(struct text *, struct lt_out *, bool single);
void lt__text_define(struct text *, const char *name, const char *text);
#endif
