/* print.h -- what the files that print kernel programs as WebAssembly share.
 *
 * A value of one lane is a local: f32, f64, i64, and i32 for all that is narrower, with the bits above those of its
 * type as its sign has them.  A mask of one lane is 0 or 1.  A value of several lanes is as many v128 as its bytes
 * need, its chunks; bytes behind its last lane are anything.  A mask of several lanes has lanes of 1, 2, 4 or 8 bytes,
 * all bits alike: as wide as what it was compared from, or as who uses it (masks.c), and is made wider or narrower
 * where another width is wanted.
 */
#ifndef LT_WASM_PRINT_H
#define LT_WASM_PRINT_H
#include "backends/backends.h"
#include "backends/wasm/code.h"
#include "backends/wasm/wasm.h"
#include "lt/kernel.h"

/* A part of an address that several accesses share: another part, or a buffer's begin, + bytes * a value; it is
 * computed where the value is made.  along: the value is that of an innermost loop, and the part moves on with it;
 * lives: an access of the body in hand goes by it. */
struct wasm_part { int32_t parent, buffer, value; int64_t bytes; int32_t local; bool along, lives; };
/* Where an access goes: a part, or a buffer's begin, and bytes. */
struct wasm_place { int32_t part; int64_t bytes; bool is_positive; };

struct wasm_print {
	const struct lt_kernel *k;
	bool relaxed;                           /* multiply-adds may be rounded once */
	struct wasm_code code;                  /* of the function in hand */
	/* By instruction: the first local of its value, -1: none; the bytes of a mask's lane; how often it is used; its
	 * number in the program's text; whether it is not below 0; whether it is printed where it is used. */
	int32_t *value, *number, *n_use;
	uint8_t *width, *positive, *within;
	struct wasm_place *place;               /* of loads and stores */
	int32_t *variable;                      /* by variable: its first local */
	uint8_t *variable_width;
	int32_t *base;                          /* by buffer: the local with its address in this function; -1: none */
	int64_t *frame;                         /* by buffer: of an array, where it is behind the workspace */
	int64_t frame_bytes;
	struct wasm_part *part;
	int32_t n_part, cap_part;
	int32_t *first_part, *next_part;        /* by value, by part: those that are computed where it is made; -1: none */
	int32_t slots, workspace, fault, first, last;           /* locals */
	int32_t *param;                         /* by param */
	int32_t *argument;                      /* by argument of the region */
	int32_t *positive_argument;             /* by region: bits of the first 31 arguments */
	int32_t open[LT_MAX_BLOCKS];            /* loops and ifs around, by instruction */
	int32_t n_open;
	int32_t *seen;                          /* values in this block that a later one may be the same as */
	int32_t n_seen;
	int32_t temporary[2];                   /* i32 and i64 of one instruction; -1: none yet */
	uint64_t functions;                     /* of the library's, that are called: bits by number */
	uint8_t import[64];                     /* their numbers in the module */
	uint32_t n_import;
	void *memory;                           /* all of the above */
	struct wasm_code *body;                 /* functions of their own for bodies of outermost loops */
	uint32_t n_body, cap_body;
	int32_t *lives;                         /* values that one of them is given */
	bool failed;
};

static inline const struct lt_instruction *wasm_made(const struct wasm_print *p, int32_t v)
{
	return &p->k->instructions[v];
}
/* A read of one element that goes to every lane: its value is a vector. */
static inline bool wasm_is_spread(const struct wasm_print *p, int32_t v)
{
	return p->within[v] && wasm_made(p, v)->opcode == LT_OPCODE_load;
}
static inline bool wasm_is_float(uint32_t dtype) { return dtype == LT_F32 || dtype == LT_F64; }

/* local.c.  Bytes of a lane, 16-byte chunks; of so many lanes; new locals for a value, for anything; what a chunk of it
 * is given: the top of the stack; an i32 or i64 for one instruction. */
uint32_t lt__wasm_width(const struct wasm_print *, int32_t v);
uint32_t lt__wasm_chunks(const struct wasm_print *, int32_t v);
uint32_t lt__wasm_chunks_of(uint32_t lanes, uint32_t width);
enum wasm_type lt__wasm_scalar(uint32_t dtype);
void lt__wasm_new_value(struct wasm_print *, int32_t v);
int32_t lt__wasm_new_locals(struct wasm_print *, uint32_t dtype, uint32_t lanes, uint32_t width, bool parameter,
	const char *name);
void lt__wasm_set(struct wasm_print *, int32_t v, uint32_t chunk);
int32_t lt__wasm_temporary(struct wasm_print *, enum wasm_type);
/* operator.c: of one lane or a chunk; WASM_NONE: there is none. */
enum wasm_instruction lt__wasm_operator(uint32_t opcode, uint32_t dtype, bool many);

/* print.c: the module's binary, its text if `text`; false: no memory. */
bool lt__wasm_print(const struct lt_kernel *, bool relaxed, struct wasm_bytes *binary, struct wasm_bytes *text,
	struct wasm_need *);
/* The functions that a module imports, in order of their numbers. */
uint64_t lt__wasm_functions(const struct lt_kernel *);

/* lane.c.  Pushes: a value of one lane; lane l of a value; chunk c of a value, or of a mask with lanes of `width`
 * bytes; a constant in all lanes of a chunk. */
void lt__wasm_push(struct wasm_print *, int32_t v);
void lt__wasm_push_lane(struct wasm_print *, int32_t v, uint32_t l);
void lt__wasm_push_chunk(struct wasm_print *, int32_t v, uint32_t chunk);
void lt__wasm_push_mask(struct wasm_print *, int32_t v, uint32_t chunk, uint32_t width);
void lt__wasm_push_all(struct wasm_print *, uint32_t dtype, uint64_t bits);
void lt__wasm_push_zero(struct wasm_print *);
/* 16 bytes of values by number: byte b is byte from[b] of the sources one behind the other, -1: any.  sources: two
 * values with their chunks, of lanes of `width` bytes (of masks: are made so). */
void lt__wasm_push_bytes(struct wasm_print *, int32_t x, int32_t y, uint32_t width, const int32_t from[16]);
/* The top of the stack: a scalar into all lanes; lane l of a vector, as a scalar of that type; a scalar into lane l of
 * the vector below it; by bytes the bits of the lanes. */
void lt__wasm_splat(struct wasm_print *, uint32_t dtype, uint32_t width);
void lt__wasm_extract(struct wasm_print *, uint32_t dtype, uint32_t width, uint32_t l);
void lt__wasm_replace(struct wasm_print *, uint32_t dtype, uint32_t width, uint32_t l);
void lt__wasm_bitmask(struct wasm_print *, uint32_t width);
/* The bits of the lanes of a chunk of a mask, and no others, as i32. */
void lt__wasm_push_bits(struct wasm_print *, int32_t v, uint32_t chunk);
/* Whether any lane of a mask is on, as i32. */
void lt__wasm_push_any(struct wasm_print *, int32_t v);
/* splat, lane, below, shuffle, any, all, flag, test */
void lt__wasm_print_lanes(struct wasm_print *, int32_t i);

/* value.c */
void lt__wasm_print_value(struct wasm_print *, int32_t i);
void lt__wasm_print_update(struct wasm_print *, int32_t i);
/* convert.c: convert, bits. */
void lt__wasm_print_convert(struct wasm_print *, int32_t i);
void lt__wasm_print_bits(struct wasm_print *, int32_t i);
void lt__wasm_normalise(struct wasm_print *, uint32_t dtype);   /* the bits above those of the type */
/* fold.c */
void lt__wasm_print_fold(struct wasm_print *, int32_t i);
/* memory.c */
void lt__wasm_print_load(struct wasm_print *, int32_t i);
void lt__wasm_print_store(struct wasm_print *, int32_t i);
void lt__wasm_print_fault(struct wasm_print *, int32_t i);
/* address.c: which parts there are; those of a value, behind it, or those that live; before and at the end of a loop
 * those that move along; pushes an address from which what access i reaches, `elems` elements on, is `*offset` bytes
 * away. */
bool lt__wasm_find_places(struct wasm_print *);
void lt__wasm_print_parts(struct wasm_print *, int32_t v);
void lt__wasm_print_live_parts(struct wasm_print *, int32_t v);
void lt__wasm_begin_along(struct wasm_print *, int32_t loop);
void lt__wasm_step_along(struct wasm_print *, int32_t loop);
void lt__wasm_push_address(struct wasm_print *, int32_t i, int64_t elems, uint32_t *offset);
/* masks.c: the bytes of each mask's lanes. */
void lt__wasm_find_widths(struct wasm_print *);
/* function.c: functions of the library by number: their names in C, their address here; how many operands, -1: no such
 * for that opcode and type. */
int lt__wasm_function(uint32_t opcode, uint32_t dtype);
const char *lt__wasm_function_name(int);
wasm_function_fn *lt__wasm_function_at(int);
int lt__wasm_function_operands(int);
bool lt__wasm_function_is_f32(int);
#endif
