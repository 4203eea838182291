/* random_kernel_maker.h -- a random kernel program while it grows (random_kernel.h).
 *
 * random_kernel_value.c   values from values
 * random_kernel_buffer.c  buffers, accesses to them
 * random_kernel.c         variables, blocks, teams; the whole
 * random_kernel_grid.c    grids
 * random_kernel_memory.c  what slots hold before a run
 */
#ifndef LT_RANDOM_KERNEL_MAKER_H
#define LT_RANDOM_KERNEL_MAKER_H
#include "kernel/build/build.h"
#include "tests/random_kernel.h"

enum { POINTS = 8, PART = 24, MAX_POOL = 400, MAX_SCOPE = 12, READ_ELEMS = 100, MAX_TEAM = 3, MAX_HANDED = 4,
	MAX_PARTED = 256 };

/* A value that may be used; variable: which it came from by `get`, -1: none. */
struct pooled_value { int32_t value, variable; };
/* What may be used where instructions are made now. */
struct maker_scope {
	struct pooled_value pool[MAX_POOL];
	int n_pool;
	int32_t variable[MAX_SCOPE], array[MAX_SCOPE];  /* alive */
	int n_variable, n_array;
	int32_t base;                                   /* in a team: the first element of the point; -1: the host */
	bool has_thread;                                /* the thread's buffers are written */
	int depth;                                      /* blocks open */
};
struct kernel_maker {
	struct lt_kernel_builder b;
	uint64_t state;
	unsigned flags;
	int left;                                       /* instructions that may be made */
	struct maker_scope in;
	/* Buffers in this order; then two that overlap, then the params'. */
	int n_input, n_output, n_work, n_thread;
	int32_t team[MAX_TEAM], n_team;
	struct lt_value_type team_type[MAX_TEAM][MAX_HANDED];
	uint8_t part[MAX_PARTED];                       /* by buffer: lanes of each access, at a multiple of them; 0: any */
};

int maker_below(struct kernel_maker *, int n);
bool maker_one_in(struct kernel_maker *, int n);
uint64_t maker_bits(struct kernel_maker *, struct lt_value_type);       /* of a constant */
uint32_t maker_lanes(struct kernel_maker *);
struct lt_value_type maker_type(struct kernel_maker *, uint64_t types); /* one of these elements */
struct lt_instruction maker_plain(int opcode, struct lt_value_type);
int32_t maker_make(struct kernel_maker *, struct lt_instruction);
int32_t maker_pooled(struct kernel_maker *, int32_t value, int32_t variable);   /* may be used from now on */
int32_t maker_constant(struct kernel_maker *, struct lt_value_type, uint64_t bits);
int32_t maker_whole(struct kernel_maker *, int64_t);
int32_t maker_want(struct kernel_maker *, struct lt_value_type);       /* a value of the pool, or a constant */
int32_t maker_two(struct kernel_maker *, int opcode, struct lt_value_type, int32_t x, int32_t y);
int32_t maker_mod(struct kernel_maker *, struct lt_value_type, int n);  /* from 0 to n - 1 */
void maker_value(struct kernel_maker *);
void maker_fold(struct kernel_maker *);
void maker_each(struct kernel_maker *);
void maker_shuffle(struct kernel_maker *);
extern const uint64_t maker_foldable;                                   /* element types with operators that fold */
int maker_folding(struct kernel_maker *, uint32_t dtype);

void maker_statements(struct kernel_maker *, int n);
void maker_grids(struct kernel_maker *);

void maker_buffers(struct kernel_maker *);
void maker_load(struct kernel_maker *);
void maker_store(struct kernel_maker *);
void maker_prefetch(struct kernel_maker *);
void maker_tile(struct kernel_maker *);         /* rows of a square tile that is read across */
void maker_write_all(struct kernel_maker *, int32_t buffer);    /* every element has a value from here on */
void maker_write_work(struct kernel_maker *);    /* of all buffers of the workspace */
void maker_array(struct kernel_maker *);        /* a new one, written */
#endif
