/* text.h -- a kernel program (lt/kernel.h) as C-like text: one walk, one row of spellings for each
 * dialect.
 *
 * Nothing is decided here: which value is computed where, what a loop runs over, how lanes are read and which of them
 * are on are the program's matter.  A value that is used once is printed where it is used, a value of a variable is the
 * variable's name, and what nothing uses is left out.
 */
#ifndef LT_BACKENDS_TEXT_TEXT_H
#define LT_BACKENDS_TEXT_TEXT_H
#include <stdbool.h>
#include "lt/kernel.h"

struct lt_text_dialect {
	const char *name;               /* "C99" */
	bool lanes;                     /* values may have several lanes: GNU vectors, with gcc and clang */
	bool packs;                     /* they may: structs, lane after lane */
	bool wraps;                     /* signed integers do, as compilers are told (-fwrapv); else unsigned ones */
	bool madds;                     /* a product and a sum of vectors are a call: the compiler does not contract them */
	bool headers;                   /* those of C define types and functions; else the text does */
	const char *function;           /* before a function whose pointers are its parameters; its definition is `head` */
	const char *head;
	const char *inlined;            /* before a function that the text calls */
	const char *unroll;             /* before a loop that has copies of its body: how many, with %lld; NULL: nothing */
	const char *aligned;            /* before an array: its alignment, with %lld; NULL: that of its elements is all */
	const char *counting;           /* what that needs to be defined */
	const char *counted;            /* adds one to the count of faults; its value before */
	const struct lt_text_device *device;    /* how grids are written (grid.c); NULL: it runs teams */
	/* A function of typed pointers by slot, then `void *scratch`, if it has a workspace, and `uint8_t *fault`, if it has a
	 * fault; no entry, no teams.  int_bits: of an int of the machine, 16 or 32; whole numbers that are known to fit are as
	 * wide. */
	bool bare;
	uint8_t int_bits;
	bool quads;                     /* four bytes side by side are a number of 32 bits, for `dot` of one lane */
	/* Before the type of what a slot reads only stands KERNEL_slotN: a macro that says in which memory that is, of two
	 * with addresses of their own. */
	bool places;
};
extern const struct lt_text_dialect lt__text_c99;       /* no extension of any compiler is needed */
extern const struct lt_text_dialect lt__text_c;         /* gcc and clang */
extern const struct lt_text_dialect lt__text_bare;      /* C99 for machines without an operating system */

/* For lt_machine.operators: what need not be expanded before it is printed.  Static.  scales: the processor has an
 * instruction for `scale` (AVX-512).  avr_libc: the C library is that, which has neither rint nor erf; no `dot` of one
 * lane then.  vector_library: the version of glibc, 235 for 2.35, whose libmvec the text may call (with -lm); 0:
 * none. */
const struct lt_machine_operator *lt__text_operators(
	const struct lt_text_dialect *, bool scales, bool avr_libc, int vector_library, uint32_t *n);

/* LT_EUNSUPPORTED names the first value that the dialect cannot express. */
lt_status lt__text_accepts(const struct lt_text_dialect *, const struct lt_kernel *, struct lt_diag *);
/* What origins of a program are called, in a text for people: the variable of a loop of the frozen tree, and what a
 * statement computes, for a comment.  NULL or "": nothing.  Borrowed until the text is printed. */
struct lt_text_origins {
	const char *(*loop)(void *user, int32_t loop);
	const char *(*statement)(void *user, int32_t stmt);
	void *user;
};
/* Those of a frozen tree; names->t is set, and both are borrowed. */
struct lt_text_tree_names { const struct lt_tree *t; char comment[256]; };
struct lt_text_origins lt__text_tree_origins(struct lt_text_tree_names *names);

/* *text: the caller's to free().  entry: the name of the function that takes slots; NULL: the kernel's name and _entry.
 * definitions: bytes of the text before the kernel: what other kernels may define, too.  origins: NULL where nobody
 * reads the text.  The program holds the rules of lt_kernel_verify.  The entry is
 *     void entry(const struct lt_slot *, void *workspace, struct lt_fault *, const struct lt_team *)
 * with a workspace of workspace_bytes, then thread_bytes for each thread; lt_team says who runs teams (docs/kernel.md).
 */
lt_status lt__text_print(const struct lt_text_dialect *, const struct lt_kernel *, const char *entry,
	const struct lt_text_origins *origins, char **text, size_t *definitions, struct lt_diag *);
/* Definitions, the first n bytes of a text, with an empty line after each, so that one which other kernels also have
 * can be distinguished from the others. */
void lt__text_definitions(const char *text, size_t n, lt_write *, void *user);

/* The same of a tree that is a call of a kernel of one's own (lt_kernel_own_name).  named: for people, or a file of
 * several kernels: without lines of the user's files.  definitions: of the text, those that every kernel may have; own:
 * up to where the user's go, which are one piece. */
lt_status lt__text_own(const struct lt_text_dialect *, const struct lt_tree *, const char *entry, bool named,
	char **text, size_t *definitions, size_t *own, struct lt_diag *);

/* -- the grids of a kernel program as functions of a text for a device, and what the host does: an
 * order of launches.
 *
 * A backend prints the program once, compiles the text, and for each run asks for the launches.  It gives a function
 * its parameters in their order:
 *
 *     CUDA C     NAME<<<blocks, region.threads, grid.dynamic_bytes>>>(parameters)
 *     OpenCL C   clEnqueueNDRangeKernel, local sizes region.threads, global sizes blocks times those
 *
 * and runs launches and calls one after the other: what one writes, those behind it read.  Nothing else runs on the
 * host.
 */
extern const struct lt_text_dialect lt__text_cuda;      /* for NVRTC; sm_80 and later */
extern const struct lt_text_dialect lt__text_opencl;    /* OpenCL C 1.2, with doubles only if the program has some */

enum lt_text_parameter_kind {
	LT_TEXT_BUFFER,         /* the buffer `index`: CUDA: its address; OpenCL: the memory object that it is in */
	LT_TEXT_OFFSET,         /* of it: OpenCL only: bytes from the object's begin, a cl_long: lt_slot.offset, or that of
	                         * the workspace plus lt_kernel_buffer.offset */
	LT_TEXT_ARGUMENT,       /* value `index` of the launch, as many bytes as `dtype` has (a mask: an int, 1 or 0) */
	LT_TEXT_FAULT           /* the address, or object, of a struct lt_fault on the device: zeros before a run */
};
struct lt_text_parameter { enum lt_text_parameter_kind kind; int32_t index; uint32_t dtype; };

/* One grid. */
struct lt_text_grid {
	const char *name;               /* the function's */
	int32_t region;                 /* its threads and blocks are there */
	int64_t shared_bytes;           /* of each block */
	int64_t dynamic_bytes;          /* of these, what a launch has to ask for: the others stand in the text.  Above 48 KB
	                                 * the function must be allowed to (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) */
	uint32_t n_parameter;
	const struct lt_text_parameter *parameters;
};
/* definitions: bytes of the text before the first function: what other kernels may define, too. */
struct lt_text_grids { const char *text; uint32_t n_grid; const struct lt_text_grid *grids; size_t definitions; };

/* The caller's, to free with lt__text_grids_free (NULL is fine).  LT_EUNSUPPORTED says what the dialect cannot express:
 * teams, work of the host besides launches, subgroups of other sizes, a matrix that the device has no instruction
 * for. */
lt_status lt__text_grids(const struct lt_text_dialect *, const struct lt_kernel *, const struct lt_text_origins *,
	struct lt_text_grids **, struct lt_diag *);
void lt__text_grids_free(struct lt_text_grids *);
/* The text of a tree's program as LT_DUMP_SOURCE has it: with the names of loops, what statements compute, and
 * definitions apart from each other. */
lt_status lt__text_grids_write(const struct lt_text_dialect *, const struct lt_kernel *, const struct lt_tree *,
	lt_write *, void *user);

/* One launch: `argument` has the bits of each value that is handed over.  Borrowed during the call. */
struct lt_text_launch { int32_t region; int64_t blocks[3]; int32_t n_argument; const uint64_t *argument; };
/* One call of a routine: from which element of its buffer on each operand lies, how many there are of each dim, none of
 * them 0 but of those that are summed over.  Borrowed during the call. */
struct lt_text_call { const struct lt_kernel_call *what; int32_t number; const int64_t *begin, *count; };
struct lt_text_launcher {       /* a caller puts it in front of what it needs itself */
	lt_status (*launch)(struct lt_text_launcher *, const struct lt_text_launch *);
	lt_status (*call)(struct lt_text_launcher *, const struct lt_text_call *);     /* NULL: it calls no routines */
};
/* Tells of each launch and call of a run in its order, those without a block or without a result left out.  param: the
 * value of each run-time scalar. NULL: a recorded run, good for all values: each launch that depends on them has as
 * many blocks as its region may have; LT_EUNSUPPORTED says which argument, number of a call, condition or loop depends
 * on them.  Another status is the launcher's own. */
lt_status lt__text_launches(const struct lt_kernel *, const int64_t *param, struct lt_text_launcher *,
	struct lt_diag *);
#endif
