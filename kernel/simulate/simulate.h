/* simulate.h -- runs a kernel program without printing anything, finds what it breaks, and counts.
 *
 * The program holds the rules of lt_kernel_verify.  What a run finds beyond them is one sentence: kernel, region,
 * instruction, statement, buffer and element, both parties of a race, and the nearest change.  The checks below can be
 * turned off one by one, so that tests show that each is needed; without them a run is still safe: an access outside of
 * its buffer reads and writes nothing.
 *
 * Undefined values spread from operand to result, lane by lane, and are reported where they matter: in an address, a
 * condition or a count, in what is stored to a slot, and in a fault.  Not after a fault: results are undefined then.
 *
 * Grids are run block by block, the threads of a block one after the other up to where they meet: each byte of shared
 * and of global memory remembers its last writer and its readers, so that one order finds every race on the path that
 * is run, here, too.
 *
 * Teams are run range by range by one thread.  Each byte that several ranges can reach remembers who wrote and who read
 * it since the launch, so that one order finds every race on the path that is run, equal values included.
 */
#ifndef LT_KERNEL_SIMULATE_SIMULATE_H
#define LT_KERNEL_SIMULATE_SIMULATE_H
#include "lt/kernel.h"

/* X(name, way out) */
#define LT_SIMULATE_MAP(X) \
	X(space, "make workspace_bytes or thread_bytes larger, or the buffer's offset smaller") \
	X(align, "make the offset, or the address that the slot is bound to, a multiple of the buffer's align") \
	X(exclusive, "leave out exclusive, or give the buffers memory of their own") \
	X(element, "change the address, or give the buffer more elements") \
	X(written, "say `written` of the buffer") \
	X(address, "set or store what the address is computed from first") \
	X(condition, "set or store what the condition or count is computed from first") \
	X(stored, "set or store what is used on every way that leads there") \
	X(faulted, "set or store what the fault's mask and index are computed from first") \
	X(result, "store each element that the host reads") \
	X(write_write, "give each point elements of its own") \
	X(write_read, "let a point read only what itself or an earlier launch wrote, or launch the readers later") \
	X(read_write, "let a point write only what no other one reads, or launch the writers later") \
	X(ranges, "begin arrays, variables and parts of the thread anew for each point") \
	X(shift, "shift by 0 to bits - 1, or select 0 where the count is larger") \
	X(divisor, "use div or mod, which allow each divisor") \
	X(lanes, "number the lanes of the two operands from 0") \
	X(step, "count by a step above 0, up to an end that is at least a step below the largest i64") \
	X(convert, "bring it into the type's range first, or use cast") \
	X(scale, "bring x between 1/4 and 4, and round y") \
	X(blocks, "let no block access what another one of the launch writes") \
	X(threads, "put a barrier between the two accesses, at which both threads wait") \
	X(barrier, "let all threads that are to meet there reach it, and no others") \
	X(exchanged, "let threads that are off bring the identity of the operator") \
	X(member, "take the number of a member of the subgroup") \
	X(in_flight, "wait for its group first; where other threads access it, at a barrier after that") \
	X(uncommitted, "commit what was begun before the wait") \
	X(unwaited, "wait for all groups before the thread ends") \
	X(beyond, "let the block leave first: compare its number with how many blocks there are") \
	X(extent, "launch no more blocks than the region has") \
	X(wide, "let lanes that lie side by side begin at a multiple of the power of two in their bytes, up to 16") \
	X(routine, "give the result memory of its own, and the dims larger extents")
enum lt_simulate_check {
#define LT_SIMULATE_ENUM(name, way) LT_SIMULATE_##name,
	LT_SIMULATE_MAP(LT_SIMULATE_ENUM)
#undef LT_SIMULATE_ENUM
	LT_NSIMULATE
};
const char *lt__simulate_name(enum lt_simulate_check);

enum lt_simulate_order { LT_SIMULATE_DRAWN, LT_SIMULATE_FORWARD, LT_SIMULATE_BACKWARD };

struct lt_simulate_options {
	uint64_t seed;                  /* of drawn orders and ranges */
	enum lt_simulate_order order;   /* of ranges */
	/* Points of a range.  0: every point is a range of its own, and where that costs little (small shapes, the first
	 * launches) the launch is then done once more in drawn ranges, which must leave the same. */
	int64_t range;
	/* Blocks of a launch of a grid that are run, the first, the last and drawn ones: for counts, which are then scaled
	 * to all, not for results.  0: all. */
	int64_t blocks;
	/* Checks that are not made: bits 1 << enum lt_simulate_check.  Without blocks and threads it is not remembered who
	 * read and wrote global memory: large slots then cost nothing. */
	uint64_t off;
	/* Routines that leave out roundings between the operators of a call (lt_call_op.may_skip), each by itself or, with
	 * `some`, those that the seed draws; NULL at the end.  NULL: none does. */
	const char *const *wide;
	uint8_t some;
	/* By slot, may be NULL: 1: what it holds at the start is not defined; 2: and all of it is at the end. */
	const uint8_t *fresh;
};

/* By instruction: how often it ran; of loads and stores, how many lanes were on, together.  Added to what is there; a
 * launch that is done twice counts once. */
struct lt_simulate_count { int64_t *runs, *lanes; struct lt_simulate_request *request; };
/* Of a grid's accesses, by instruction; NULL above: not asked for.  Threads of a subgroup that run an instruction in
 * the same iterations of the loops around it make one request, for each 16 bytes of a thread one; copy_async makes one
 * for each of its two sides.  Of slots and workspace: sectors of 32 bytes.  Of shared memory: phases of 32 threads, 16
 * of 8 bytes each, or 8 of 16 bytes; cycles, one for each different word that a phase wants of one of 32 banks of 4
 * bytes. */
struct lt_simulate_request { int64_t requests, bytes, sectors, shared_requests, shared_bytes, phases, cycles; };

struct lt_simulate_finding {
	enum lt_simulate_check check;   /* LT_NSIMULATE: none */
	int32_t region, instruction, origin, buffer;    /* -1: none */
	int64_t element;
};

/* Whether it can be run: LT_EUNSUPPORTED names the first operator that is only text. */
lt_status lt__simulate_accepts(const struct lt_kernel *, struct lt_diag *);
/* One run.  The program's own memory is not args->workspace: it is made and freed.  LT_EINVAL: the args do not fit;
 * LT_EDEVICE: something was found.  count and finding may be NULL. */
lt_status lt__simulate(const struct lt_kernel *, const struct lt_args *, const struct lt_simulate_options *,
	struct lt_simulate_count *, struct lt_simulate_finding *, struct lt_diag *);

/* What counts come to, for one statement of the frozen tree. */
struct lt_simulate_statement {
	int64_t executions;             /* of what it writes, in elements: the last write in each block */
	/* Values that operators computed, as lt_instance_work counts them: no copies, casts and selects, no addresses. */
	int64_t operations;
	int64_t read_bytes, written_bytes;      /* of buffers; arrays, too */
};
/* Statement s in out[s], for s below n; what belongs to none of them is added up in out[n].  LT_ENOMEM, as below. */
lt_status lt__simulate_statements(
	const struct lt_kernel *, const struct lt_simulate_count *, int32_t n, struct lt_simulate_statement *out);
/* How many statements instructions name. */
int32_t lt__simulate_n_statement(const struct lt_kernel *);
/* Lines "statement3.operations 24". */
lt_status lt__simulate_print_counts(
	const struct lt_kernel *, const struct lt_simulate_count *, lt_write *, void *user);

/* What an operator, or a machine's opcode with values for operands, gives in one lane; bits of the type (a comparison:
 * 1 or 0).  dtype: of the operands. */
uint64_t lt__simulate_value(uint32_t opcode, uint32_t dtype, uint64_t x, uint64_t y);
uint64_t lt__simulate_cast(uint64_t x, uint32_t from, uint32_t to);

/* -- what bounds the loops of a grid on a machine, by what the simulator counted.
 *
 * Not modelled: latency, scheduling, and caches: what is read again counts again.  So a kernel that rereads little does
 * not fall below the time, and what is named is what has to become less first.
 */
/* Rates are by multiprocessor and cycle. */
struct lt_simulate_machine {
	const char *name;
	double multiprocessors, cycles_per_second;
	double instructions;            /* of subgroups that are issued                        */
	double lanes;                   /* of f32 and 32-bit arithmetic                        */
	double memory_bytes;            /* of device memory, its share of all                  */
	double shared_cycles;           /* phases of banks                                     */
	double products;                /* multiply-adds of 16-bit matrices                    */
	int64_t shared_bytes;           /* that a block may have, at most                      */
	int64_t registers;              /* of 4 bytes, of a multiprocessor                     */
	int64_t l2_bytes;               /* of the whole                                        */
};
const struct lt_simulate_machine *lt__simulate_machine(const char *name);       /* NULL: not known */

/* A lower bound of the registers, of 4 bytes, that a thread of a region needs: values and variables that live at once.
 * LT_ENOMEM: out of memory. */
lt_status lt__simulate_registers(const struct lt_kernel *, int32_t region, int64_t *out);

/* Lines for each grid and each loop in it: blocks, registers, cycles of each kind, and which are the most.  The counts
 * have requests. */
lt_status lt__simulate_predict(const struct lt_kernel *, const struct lt_simulate_count *,
	const struct lt_simulate_machine *, lt_write *, void *user);
#endif
