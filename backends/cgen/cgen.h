/* backends/cgen/cgen.h -- a frozen tree as C-like text, one function a tree, by a table of the dialect.
 *
 * The text has one C loop for each loop of the tree.  It is printed in two ways: with names by number and an entry
 * that takes slots, which is what is compiled, so that equal trees give equal text whatever they are called; and with
 * the names of the graph and comments back to the script, for people.  The function itself is the same.
 */
#ifndef LT_CGEN_H
#define LT_CGEN_H
#include "lt/backend.h"
#include "backends/cgen/note.h"

enum { LT_CGEN_NEEDS = LT_NEED_PARAMS | LT_NEED_DIVS | LT_NEED_GATHER | LT_NEED_PIECES | LT_NEED_GUARDED };

/* How the head of a loop is printed. */
enum lt_head { LT_HEAD_NONE, LT_HEAD_FOR, LT_HEAD_BLOCK };

/* A definition that is put before the kernel when its name occurs there.  header: where a text for people has it from. */
struct lt_chunk { const char *name, *text, *header; };

struct lt_dialect {
	const char *name;                       /* "C"                                            */
	const char *function, *named_function;  /* qualifiers and result type of the kernel       */
	const char *branching_function;         /* the first, of a kernel that reads memory under a condition */
	const char *pointer;                    /* qualifier of a pointer that is the only way to its elements */
	const char *array;                      /* before a local array: alignment, memory space  */
	const char *entry;                      /* name of the function that takes slots          */
	const struct lt_chunk *chunks;          /* types and library functions; ends with NULL    */
	uint8_t head[LT_NLOOP_KIND];            /* enum lt_head; LT_HEAD_NONE: refused            */
	int64_t max_array_bytes, max_stack_bytes;       /* of one local array; of all together: the rest is workspace */
};
extern const struct lt_dialect lt__dialect_c;

/* LT_OK promises that lt__cgen_print will not answer LT_EUNSUPPORTED. */
lt_status lt__cgen_accepts(const struct lt_dialect *, const struct lt_tree *, struct lt_diag *);

/* *text: the caller's to free().  named: with names and comments.  *workspace: bytes, 64-aligned, that the kernel needs. */
lt_status lt__cgen_print(const struct lt_dialect *, const struct lt_tree *, int named, char **text, int64_t *workspace,
	struct lt_diag *);

/* The entry of a kernel printed in dialect C. */
typedef void lt_kernel(const struct lt_slot *, void *workspace, struct lt_fault *);

/* The whole prelude as text for lt_tree.prelude, for backends that print C of their own: without its includes, so that
 * int32_t .. and the libm functions must be there.  At most `bytes` with the final 0; returns its length, as snprintf. */
size_t lt__cgen_prelude(char *text, size_t bytes);
#endif
