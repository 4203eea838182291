/* lt/context.h -- the context: what all memory comes from, and the last message.
 *
 * Graphs, trees and programs belong to the context that they were made with.  Each is freed by its own function, before
 * lt_context_free, which frees the context alone.
 * Two contexts on two threads are independent; one context belongs to one thread at a time.  Instances of its programs
 * are each used by a thread of their own (lt/program.h).
 */
#ifndef LT_CONTEXT_H
#define LT_CONTEXT_H
#include "lt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lt_context;
/* Like realloc: at NULL allocates, bytes 0 frees (and returns NULL), NULL on failure leaves `at`.  Called
 * by one thread at a time; where several use instances of one program, by any of them. */
typedef void *lt_alloc(void *user, void *at, size_t old_bytes, size_t bytes);

LT_API lt_status lt_context_new(struct lt_context **out);
LT_API lt_status lt_context_new_with(lt_alloc *, void *user, struct lt_context **out);
LT_API void lt_context_free(struct lt_context *);               /* NULL: nothing */
/* The sentence of the last failure, "" if none; valid until the next call on the context.
 * What fails in an instance is not here, but in the instance: lt_instance_message. */
LT_API const char *lt_context_message(const struct lt_context *);
LT_API lt_status lt_context_code(const struct lt_context *);
LT_API void lt_context_clear(struct lt_context *);

/* What one step may make: the reading of a model (lt_parse), a pass, a tree, a schedule, freezing.  Beyond that the
 * call fails with LT_EBUDGET, and a sentence that says for which node, and what grew.
 * X(id, name, most by default, what it is) */
#define LT_BUDGET_MAP(X)                                                                                              \
	X(NODES,    "nodes",    INT64_C(5000000),  "nodes of graphs are made")                                        \
	X(PIECES,   "pieces",   INT64_C(5000000),  "pieces of views are made")                                        \
	X(ELEMENTS, "elements", INT64_C(33554432), "elements are computed for shapes, places and tables")             \
	X(LOOPS,    "loops",    INT64_C(5000000),  "loops and leaves of trees are made")                              \
	X(PAIRS,    "pairs",    INT64_C(50000000), "pairs of accesses are compared for barriers")
enum lt_budget {
#define LT_BUDGET_ENUM(id, name, most, what) LT_BUDGET_##id,
	LT_BUDGET_MAP(LT_BUDGET_ENUM)
#undef LT_BUDGET_ENUM
	LT_NBUDGET
};
LT_API const char *lt_budget_name(enum lt_budget);              /* "nodes"; NULL: no such */
LT_API int64_t lt_budget_default(enum lt_budget);
LT_API void lt_context_budget(struct lt_context *, enum lt_budget, int64_t most);      /* 0: any number */
/* Asked (with user) some fifty times a second by calls on the context that take long, on the thread that called:
 * reading, passes, trees, proofs, freezing, the evaluator.  If it is not 0, the call returns LT_ECANCELLED.
 * lt_options.cancelled goes before it.  A kernel that runs is not interrupted by it.  NULL: nobody is asked. */
LT_API void lt_context_cancel(struct lt_context *, int (*cancelled)(void *user), void *user);

#ifdef __cplusplus
}
#endif
#endif
