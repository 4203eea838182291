/* part.h -- what the files of the simulator share.
 *
 * simulate.c         a run: memory, the host's region
 * launch.c  the points of a team, range by range
 * grid.c    the blocks of a grid
 * block.c   the threads of a block, up to where they meet
 * thread.c  what each of them has
 * order.c   orders of ranges, blocks and threads
 * meet.c    what they do there: barriers, exchanges
 * call.c    routines: products
 * described.c  and what is described
 * matrix.c  and matrix instructions
 * shadow.c  races between the threads of a grid
 * flight.c  what is in flight
 * request.c requests of subgroups: sectors, banks
 * step.c    instructions of one region, in order; variables, control
 * access.c  loads and stores
 * lane.c    values from values, lane by lane
 * memory.c  elements: inside their buffer, defined, not raced for
 * value.c   what an operator gives
 * find.c    the sentence of a finding
 * count.c   what was counted, by statement
 */
#ifndef LT_KERNEL_SIMULATE_PART_H
#define LT_KERNEL_SIMULATE_PART_H
#include <stdbool.h>
#include "kernel/form/form.h"
#include "kernel/simulate/simulate.h"

/* Who touched a granule since the launch: numbers of ranges, and the instructions.  other: a second reader. */
struct simulate_mark { uint32_t writer, reader, other; int32_t write_at, read_at, other_at; };

/* An access by a thread of a block, at its subgroup's clock.  others: other threads of the subgroup did so, too. */
struct simulate_access { int32_t thread, at; uint32_t clock; bool others; };
/* Who touched a granule, of the blocks of a launch.  Two readers of different subgroups are enough to find each writer
 * that is not ordered behind all; where barriers are of parts of a block, all subgroups' readers are kept. */
struct simulate_shadow {
	uint32_t write_block, read_block;       /* numbers of blocks; 0: none */
	struct simulate_access write, read[2];  /* thread -1: none */
	struct simulate_access *reads;          /* by subgroup, instead of read; NULL: not so many */
	uint32_t other_block;           /* another block that reads; 0: none */
	int32_t other_at;
	int32_t arriving, leaving;      /* copies in flight to it, and what is in flight that reads it */
};

/* Storage that lives as one piece: a slot, the workspace, a thread's part, an array.  Its state is kept by granules,
 * the largest pieces that no element of a buffer in it cuts. */
struct simulate_area {
	unsigned char *at;
	int64_t bytes;
	int shift;                      /* a granule is 1 << shift bytes */
	uint32_t *stamp;                /* by granule: defined if it is `now`; NULL: all is */
	uint32_t now;
	struct simulate_mark *mark;     /* by granule; NULL: no two ranges can meet here, one of them writing */
	struct simulate_shadow *shadow; /* the same of threads of a grid */
	unsigned char *before, *after;  /* of a launch that is run twice: what it began with, what it left */
	uint32_t *stamp_before, *stamp_after;
};

struct simulate_trip { uint64_t around, trip; };
/* A thread of the block that is run. */
struct simulate_thread {
	uint64_t *value, *defined, *variable, *variable_defined;
	struct simulate_area *array;    /* as grid.array numbers them */
	int32_t at;                     /* the instruction that is next; that of its end: it has ended */
	int32_t first_flight;           /* of what it has begun; -1 */
	int64_t begun[LT_NFLIGHT], groups[LT_NFLIGHT];  /* since its last commit; all commits */
	int32_t *variable_flight;       /* by variable: accumulators in flight */
	uint64_t iterations;            /* of the loops around it, mixed */
	struct simulate_trip *trip;
	int32_t n_trip;
};
/* A copy, or a matrix instruction. */
struct simulate_flight {
	int32_t thread, next, at, kind; /* next: of the same thread, -1 */
	int64_t group;
	int32_t to, from;               /* buffers; of a product -1 */
	int64_t to_element, from_element, n;
	bool zeros;
};
/* One access of one thread, for requests. */
struct simulate_logged { int32_t instruction, thread, bytes; uint64_t key; int64_t byte; bool shared; };

struct simulate_grid {
	const struct lt_region *region;
	int32_t n_thread, n_subgroup;
	struct simulate_thread *thread;
	int32_t *array, n_array;        /* areas of the region's arrays */
	int32_t *order;                 /* of threads */
	uint32_t *clock;                /* of subgroups, as each one knows those of all */
	bool parts;                     /* barriers of parts of a block */
	int32_t now;                    /* the thread that runs */
	int64_t block[3], blocks[3];
	bool beyond;                    /* the block is more than were launched */
	int64_t left;                   /* instructions until another thread's turn; -1: no end */
	struct simulate_flight *flight;
	int32_t n_flight, cap_flight;
	struct simulate_logged *log;
	int32_t n_log, cap_log;
	uint64_t *matrix_bits[2];       /* room for a and b of a matrix instruction */
	uint8_t *matrix_known[2];
};

struct simulation {
	const struct lt_kernel *k;
	const struct lt_args *args;
	struct lt_simulate_options options;
	struct lt_diag *diag;
	struct lt_simulate_count *count;        /* NULL: this is not counted */
	struct lt_simulate_finding found;
	struct lt_pool pool;
	lt_status status;
	int64_t steps;                  /* instructions that ran */
	bool faulted;                   /* an index was out of range: results are undefined */

	struct simulate_area *area;     /* slots, workspace, a thread's part, then arrays */
	int32_t n_area;
	int32_t *area_of;               /* by buffer */
	int64_t *base, *element_bytes;  /* by buffer: its first byte in its area */

	int64_t *at;                    /* by instruction: its first lane in value */
	int64_t n_value;                /* all lanes of all instructions */
	uint64_t *value;                /* typed bits by lane; of a mask one word */
	uint64_t *defined;              /* by instruction: a bit by lane */
	int64_t *variable_at;           /* by variable, as above */
	uint64_t *variable, *variable_defined;
	int32_t *variable_region, *buffer_region;       /* the one that uses it */
	int64_t *param;

	const struct lt_instruction *launch;    /* that is being done; NULL: the host's region runs */
	int32_t region;
	int64_t points, size, n_range;  /* of the launch: ranges of `size` points, the last one of fewer */
	uint64_t scale, shift;          /* the order: range number i * scale + shift, modulo n_range */
	int64_t first, last;            /* the range */
	uint32_t range_base, range_now; /* numbers of the launch's first range and of this one */

	struct simulate_grid *grid;     /* that is being run; NULL: none */
	struct simulate_grid **grids;   /* by region, made when it is run first */
	uint32_t block_base, block_now; /* numbers of the launch's first block and of this one */
	int32_t shared_area;
};

/* find.c.  Sets s->status, unless the check is off or something was found before. */
__attribute__((format(printf, 6, 7))) void lt__simulate_find(struct simulation *, enum lt_simulate_check,
	int32_t instruction, int32_t buffer, int64_t element, const char *fmt, ...);
/* "point 3", "points 4..7"; of a range's number. */
void lt__simulate_range_text(const struct simulation *, uint32_t range, char *text, size_t cap);
/* "thread 3 of block (1, 0, 0)" */
void lt__simulate_thread_text(const struct simulation *, int32_t thread, char *text, size_t cap);
/* "store in line 27 of team 1, statement 4". */
void lt__simulate_position_text(const struct simulation *, int32_t instruction, char *text, size_t cap);

/* memory.c.  An element that is not there gives 0 and takes nothing. */
bool lt__simulate_inside(struct simulation *, int32_t instruction, int32_t buffer, int64_t element, bool writes);
uint64_t lt__simulate_bits(const struct simulation *, int32_t buffer, int64_t element, bool *defined);   /* unseen */
uint64_t lt__simulate_load(struct simulation *, int32_t instruction, int32_t buffer, int64_t element, bool *defined);
void lt__simulate_store(
	struct simulation *, int32_t instruction, int32_t buffer, int64_t element, uint64_t bits, bool defined);
void lt__simulate_undefine(struct simulate_area *);
bool lt__simulate_is_defined(const struct simulation *, int32_t buffer, int64_t element);
/* The lanes that a mask turns on; -1: all.  A lane of which that is not known is off. */
uint64_t lt__simulate_lanes_on(struct simulation *, int32_t instruction, int32_t mask, uint32_t lanes);
/* Address + number; false: it is undefined or beyond 63 bits, and was reported. */
bool lt__simulate_locate(
	struct simulation *, int32_t instruction, int32_t buffer, int32_t address, int64_t number, int64_t *element);

/* step.c: from an instruction on; where there is a launch, where threads meet, or the end, also of what was
 * found, or of a thread's turn. */
int32_t lt__simulate_steps(struct simulation *, int32_t from, int32_t end);
bool lt__simulate_meets(uint32_t opcode);               /* threads of a grid go on from there together */
/* access.c */
void lt__simulate_load_lanes(struct simulation *, int32_t instruction);
void lt__simulate_store_lanes(struct simulation *, int32_t instruction);
/* lane.c: an instruction whose value depends on its operands alone. */
void lt__simulate_lanes(struct simulation *, int32_t instruction);
uint64_t lt__simulate_mask_value(uint32_t opcode, uint64_t, uint64_t);
/* launch.c: all that the program does. */
void lt__simulate_host(struct simulation *);

/* order.c: a number that is drawn. */
uint64_t lt__simulate_draw(struct simulation *);
/* Number i of n in some order: i * scale + shift, modulo n. */
void lt__simulate_order(struct simulation *, uint64_t n, uint64_t *scale, uint64_t *shift);

/* grid.c */
void lt__simulate_grid(struct simulation *, const struct lt_instruction *launch, const int64_t *blocks);
/* block.c */
void lt__simulate_block(struct simulation *);
/* thread.c */
void lt__simulate_begin(struct simulation *);                   /* a block */
void lt__simulate_switch(struct simulation *, int32_t thread);  /* it is the one that runs */
/* meet.c: who waits goes on, if all are there; how many threads do. */
int32_t lt__simulate_meet(struct simulation *);
/* matrix.c: of n threads from first on; all have come. */
void lt__simulate_matrix(struct simulation *, int32_t instruction, int32_t first, int32_t n);
void lt__simulate_fragment(struct simulation *, int32_t instruction, int32_t first, int32_t n);
/* call.c */
void lt__simulate_call(struct simulation *, int32_t instruction);
/* described.c */
void lt__simulate_described(struct simulation *, int32_t instruction);
/* shadow.c: thread: that of the block that reads or writes an element. */
void lt__simulate_shadow_read(struct simulation *, int32_t instruction, int32_t buffer, int64_t element,
	int32_t thread);
void lt__simulate_shadow_write(struct simulation *, int32_t instruction, int32_t buffer, int64_t element,
	int32_t thread);
/* What is in flight to, or from, n elements is more or less by that. */
void lt__simulate_shadow_fly(
	struct simulation *, int32_t buffer, int64_t element, int64_t n, int32_t arriving, int32_t leaving);
/* flight.c */
void lt__simulate_copy(struct simulation *, int32_t instruction);
void lt__simulate_fly(struct simulation *, struct simulate_flight);    /* begun by the thread that it names */
void lt__simulate_commit(struct simulation *, int32_t instruction);
void lt__simulate_wait(struct simulation *, int32_t instruction);
void lt__simulate_thread_ends(struct simulation *);
/* request.c: an access of the thread that runs; `part`: lanes of one instruction that are requests of their
 * own.  Those of the subgroups' threads that have met are counted. */
void lt__simulate_log(
	struct simulation *, int32_t instruction, int32_t part, int32_t buffer, int64_t element, int64_t n);
void lt__simulate_requests(struct simulation *);

/* Whether an instruction is one of the operators of lt/tree.h. */
static inline bool simulate_is_operator(uint32_t opcode) { return opcode >= 1 && opcode < LT_NOPERATOR_OPCODE; }
static inline uint64_t simulate_all_lanes(uint32_t lanes)
{
	return lanes >= 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
}

/* What an operand has in a lane, and whether it is defined. */
static inline uint64_t simulate_lane(const struct simulation *s, int32_t value, uint32_t lane)
{
	return s->value[s->at[value] + lane];
}
static inline bool simulate_known(const struct simulation *s, int32_t value, uint32_t lane)
{
	return s->defined[value] >> lane & 1;
}
static inline uint64_t simulate_mask(const struct simulation *s, int32_t value) { return s->value[s->at[value]]; }

/* What stands in for a value that nobody knows: all bits, so that it is NaN or -1. */
static inline uint64_t simulate_nonsense(uint32_t dtype)
{
	uint32_t bytes = lt__number_bytes(dtype);
	return dtype == LT_BOOL ? 1 : bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

static inline void simulate_give(struct simulation *s, int32_t i, uint32_t lane, uint64_t bits, bool defined)
{
	s->value[s->at[i] + lane] = defined ? bits : simulate_nonsense(s->k->instructions[i].dtype);
	s->defined[i] = defined ? s->defined[i] | UINT64_C(1) << lane : s->defined[i] & ~(UINT64_C(1) << lane);
}
static inline void simulate_give_mask(struct simulation *s, int32_t i, uint64_t bits, uint64_t defined)
{
	s->value[s->at[i]] = bits & defined;
	s->defined[i] = defined;
}

/* The points of a range, by its number. */
static inline void simulate_range_bounds(const struct simulation *s, uint32_t range, int64_t *first, int64_t *last)
{
	uint64_t n = (uint64_t)s->n_range, i = (range - s->range_base) * s->scale % n;
	*first = (int64_t)((i + s->shift) % n) * s->size;
	*last = s->points - *first < s->size ? s->points : *first + s->size;
}
#endif
