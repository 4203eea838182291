/* lt/context.h -- the context: owns what the library allocates and the last message.
 *
 * Two contexts on two threads are independent; one context belongs to one thread at a time, but for the
 * instances of its programs (lt/program.h).
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
/* The sentence of the last failure, "" if none; valid until the next call on the context. */
LT_API const char *lt_context_message(const struct lt_context *);
LT_API lt_status lt_context_code(const struct lt_context *);
LT_API void lt_context_clear(struct lt_context *);

#ifdef __cplusplus
}
#endif
#endif
