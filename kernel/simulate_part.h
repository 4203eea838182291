/* kernel/simulate_part.h -- what the files of the simulator share.
 *
 * simulate.c         a run: memory, the host's region
 * simulate_launch.c  the points of a team, range by range
 * simulate_step.c    instructions of one region, in order; memory, variables, control
 * simulate_lane.c    values from values, lane by lane
 * simulate_memory.c  elements: inside their buffer, defined, not raced for
 * simulate_value.c   what an operator gives
 * simulate_find.c    the sentence of a finding
 * simulate_count.c   what was counted, by statement
 */
#ifndef LT_KERNEL_SIMULATE_PART_H
#define LT_KERNEL_SIMULATE_PART_H
#include <stdbool.h>
#include "kernel/number.h"
#include "kernel/pool.h"
#include "kernel/simulate.h"

/* Who touched a granule since the launch: numbers of ranges, and the instructions.  other: a second reader. */
struct simulate_mark { uint32_t writer, reader, other; int32_t write_at, read_at, other_at; };

/* Storage that lives as one piece: a slot, the workspace, a thread's part, an array.  Its state is kept by granules,
 * the largest pieces that no element of a buffer in it cuts. */
struct simulate_area {
	unsigned char *at;
	int64_t bytes;
	int shift;                      /* a granule is 1 << shift bytes */
	uint32_t *stamp;                /* by granule: defined if it is `now`; NULL: all is */
	uint32_t now;
	struct simulate_mark *mark;     /* by granule; NULL: no two ranges can meet here, one of them writing */
	unsigned char *before, *after;  /* of a launch that is run twice: what it began with, what it left */
	uint32_t *stamp_before, *stamp_after;
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

	struct simulate_area *area;     /* slots, workspace, a thread's part, then arrays */
	int32_t n_area;
	int32_t *area_of;               /* by buffer */
	int64_t *base, *element_bytes;  /* by buffer: its first byte in its area */

	int64_t *at;                    /* by instruction: its first lane in value */
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
};

/* simulate_find.c.  Sets s->status, unless the check is off or something was found before. */
__attribute__((format(printf, 6, 7))) void lt__simulate_find(struct simulation *, enum lt_simulate_check,
	int32_t instruction, int32_t buffer, int64_t element, const char *fmt, ...);
/* "point 3", "points 4..7"; of a range's number. */
void lt__simulate_range_text(const struct simulation *, uint32_t range, char *text, size_t room);
/* "store in line 27 of team 1, statement 4". */
void lt__simulate_place_text(const struct simulation *, int32_t instruction, char *text, size_t room);

/* simulate_memory.c.  An element that is not there gives 0 and takes nothing. */
bool lt__simulate_inside(struct simulation *, int32_t instruction, int32_t buffer, int64_t element, bool writes);
uint64_t lt__simulate_load(struct simulation *, int32_t instruction, int32_t buffer, int64_t element, bool *defined);
void lt__simulate_store(
	struct simulation *, int32_t instruction, int32_t buffer, int64_t element, uint64_t bits, bool defined);
void lt__simulate_undefine(struct simulate_area *);
bool lt__simulate_is_defined(const struct simulation *, int32_t buffer, int64_t element);

/* simulate_step.c: from an instruction on; where there is a launch, or the end, also of what was found. */
int32_t lt__simulate_steps(struct simulation *, int32_t from, int32_t end);
/* simulate_lane.c: an instruction whose value depends on its operands alone. */
void lt__simulate_lanes(struct simulation *, int32_t instruction);
uint64_t lt__simulate_mask_value(uint32_t opcode, uint64_t, uint64_t);
/* simulate_launch.c: all that the program does. */
void lt__simulate_host(struct simulation *);

/* Whether an instruction is one of the operators of lt/tree.h. */
static inline bool simulate_is_operator(uint32_t opcode) { return opcode >= 1 && opcode < LT_NOPERATOR_OPCODE; }
static inline bool simulate_is_test(uint32_t opcode)
{
	return opcode >= LT_OPCODE_eq && opcode <= LT_OPCODE_greaterequal;
}
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
