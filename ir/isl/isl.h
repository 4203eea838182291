/* isl.h -- what all questions to isl have in common: who owns an object, contexts with a budget, numbers. */
#ifndef LT_IR_ISL_ISL_H
#define LT_IR_ISL_ISL_H
#include <stdbool.h>
#include <stdint.h>
#include "lt/status.h"

/* Ownership, as isl writes it: the result is the caller's; the argument is used up; it stays the caller's. */
#define lt_give
#define lt_take
#define lt_keep

struct isl_aff;
struct isl_ctx;
struct isl_set;
struct isl_val;

struct lt_context;

/* A context that gives an error back, also after so many operations; NULL: no memory. */
lt_give struct isl_ctx *lt__isl_open(struct lt_context *, int64_t operations);
/* A question of its own, in such a context: it makes and frees all objects in it, and leaves its answer with `user`.
 * It may be asked on another thread than the caller's: nothing there is an arena's, or fails into a context. */
typedef void lt_isl_question(struct isl_ctx *, void *user);
/* Asks it; where there is a caller to ask whether to go on (lt_context_cancel), that one is asked meanwhile.
 * LT_ENOMEM: without a sentence; LT_ECANCELLED: with one; then what is with `user` is no answer. */
lt_status lt__isl_ask(struct lt_context *, int64_t operations, lt_isl_question *, void *user);
/* Where the expression is 0 or more. */
lt_give struct isl_set *lt__isl_nonnegative(lt_take struct isl_aff *);
/* An integer; NULL: no memory, as of all that is isl's. */
lt_give struct isl_val *lt__isl_value(struct isl_ctx *, int64_t);
/* False, *out 0: no integer, or one beyond 63 bits. */
bool lt__isl_number(lt_take struct isl_val *, int64_t *out);
#endif
