/* backends/cgen/cgen.h -- a frozen tree as C-like text, one function a tree, by a table of the dialect.
 *
 * Loops are printed as what they are: unrolled ones as copies of their body, vector loops in GNU vectors, parallel ones
 * as functions for a range of their points (plan.c says when), all others as C loops.  The text is printed in two ways:
 * with names by number and an entry that takes slots, which is what is compiled, so that equal trees give equal text
 * whatever they are called; and with the names of the graph and comments back to the script, for people.  The function
 * itself is the same.
 */
#ifndef LT_CGEN_H
#define LT_CGEN_H
#include <stdbool.h>
#include "lt/backend.h"
#include "backends/cgen/diagnostic.h"

enum {
	LT_CGEN_NEEDS =
		LT_NEED_PARAMS | LT_NEED_DIVS | LT_NEED_GATHER | LT_NEED_PIECES | LT_NEED_GUARDED | LT_NEED_COMBINE
};

/* How the head of a loop is printed. */
enum lt_head { LT_HEAD_NONE, LT_HEAD_FOR, LT_HEAD_BLOCK };

/* A definition that is put before the kernel when its name occurs there.  header: where a text for people has it
 * from. */
struct lt_chunk { const char *name, *text, *header; };

struct lt_dialect {
	const char *name;                       /* "C"                                            */
	const char *function;                   /* qualifiers and result type of the kernel       */
	const char *branching_function;         /* the first, of a kernel that reads memory under a condition */
	const char *pointer;                    /* qualifier of a pointer that is the only way to its elements */
	const char *array;                      /* before a local array: alignment, memory space  */
	const char *entry;                      /* name of the function that takes slots          */
	const struct lt_chunk *chunks;          /* types and library functions; ends with NULL    */
	uint8_t head[LT_NLOOP_KIND];            /* enum lt_head; LT_HEAD_NONE: refused            */
	bool regions;                           /* parallel loops become functions for teams; else they are plain loops */
	int64_t max_array_bytes, max_stack_bytes;       /* of one local array; of all together: the rest is workspace */
	/* Of the target; a session has a copy of the table with its own. */
	uint32_t vector_bytes, vector_registers;        /* vector_bytes 0: no GNU vectors, a vector loop is a plain one */
	int vector_library;                     /* as lt__vector_library (vector.h) gave it; 0: without */
	bool no_headers;                        /* texts for people, too, define what they use instead of including headers */
};
extern const struct lt_dialect lt__dialect_c;

/* LT_OK promises that lt__cgen_print will not answer LT_EUNSUPPORTED. */
lt_status lt__cgen_accepts(const struct lt_dialect *, const struct lt_tree *, struct lt_diag *);

/* What a printed kernel needs to run. */
struct lt_cgen_need {
	int64_t shared, private_;       /* bytes of workspace, multiples of 64: once, and for each thread behind that */
	bool threads;                   /* it has parallel loops: it calls its team */
	size_t definitions;             /* bytes of the text before the kernel: what other kernels may define, too */
};
/* *text: the caller's to free().  named: with names and comments. */
lt_status lt__cgen_print(const struct lt_dialect *, const struct lt_tree *, int named, char **text,
	struct lt_cgen_need *, struct lt_diag *);

/* Who runs a kernel's parallel loops: lt_host.parallel_for with the threads of this run.  The text has it, too. */
struct lt_team {
	void (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,
		void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);
	const struct lt_host *host;
	uint32_t n_thread;
};
/* The entry of a kernel printed in dialect C: `entry` of the dialect, or in a text with names that of the function and
 * _entry. Thread i has its part of the workspace at shared + i * private_. */
typedef void lt_kernel(const struct lt_slot *, void *workspace, struct lt_fault *, const struct lt_team *);

/* The whole prelude as text for lt_tree.prelude, for backends that print C of their own: without its includes, so that
 * int32_t .. and the libm functions must be there.  At most `bytes` with the final 0; returns its length, as
 * snprintf. */
size_t lt__cgen_prelude(char *text, size_t bytes);
#endif
