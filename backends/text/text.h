/* text.h -- a kernel program (lt/kernel.h) as C-like text: one walk, one row of spellings for each
 * dialect.
 *
 * Nothing is decided here: which value is computed where, what a loop runs over, how lanes are read and which of them
 * are on are the program's matter.  A value that is used once is printed where it is used, a value of a variable is the
 * variable's name, and what nothing uses is left out.
 */
#ifndef LT_TEXT_H
#define LT_TEXT_H
#include <stdbool.h>
#include "lt/kernel.h"

struct lt_text_dialect {
	const char *name;               /* "C99" */
	bool lanes;                     /* values may have several lanes: GNU vectors, with gcc and clang */
	bool packs;                     /* they may: structs, lane after lane */
	bool wraps;                     /* signed integers do, as compilers are told (-fwrapv); else unsigned ones */
	bool headers;                   /* those of C define types and functions; else the text does */
	const char *function;           /* before a function whose pointers are its parameters; its definition is `head` */
	const char *head;
	const char *inlined;            /* before a function that the text calls */
	const char *unroll;             /* before a loop that has copies of its body: how many, with %lld; NULL: nothing */
	const char *aligned;            /* before an array: its alignment, with %lld; NULL: that of its elements is all */
	const char *counting;           /* what that needs to be defined */
	const char *counted;            /* adds one to the count of faults; its value before */
	const struct lt_text_device *device;    /* how grids are written (grid.h); NULL: it runs teams */
};
extern const struct lt_text_dialect lt__text_c99;       /* no extension of any compiler is needed */
extern const struct lt_text_dialect lt__text_c;         /* gcc and clang */

/* For lt_machine.operators: what need not be expanded before it is printed.  Static.  scales: the processor has an
 * instruction for `scale` (AVX-512).  vector_library: the version of glibc, 235 for 2.35, whose libmvec the text may
 * call (with -lm); 0: none. */
const struct lt_machine_operator *lt__text_operators(bool scales, int vector_library, uint32_t *n);

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
#endif
