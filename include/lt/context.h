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

#ifdef __cplusplus
}
#endif
#endif
