/* pool.h -- scratch memory of one emission; text and sets of names that grow in it.
 *
 * Nothing here fails: without memory it jumps to pool.jump, which the owner has set, and the owner frees the pool.
 */
#ifndef LT_KERNEL_POOL_POOL_H
#define LT_KERNEL_POOL_POOL_H
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

struct lt_poolblock { struct lt_poolblock *next; size_t used, bytes; };
struct lt_pool { struct lt_poolblock *block; jmp_buf jump; };
void *lt__pool_alloc(struct lt_pool *, size_t n, size_t size);          /* zeroed, aligned to 16 */
void lt__pool_free(struct lt_pool *);
/* Room for one more element behind n of an array in the pool; *cap doubles. */
void *lt__pool_grown(struct lt_pool *, void *at, int32_t n, int32_t *cap, size_t size);

/* at is always a string. */
struct lt_out { struct lt_pool *pool; char *at; size_t n, cap; };
void lt__out_bytes(struct lt_out *, const char *, size_t n);
void lt__out(struct lt_out *, const char *);
void lt__outf(struct lt_out *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline struct lt_out lt__out_new(struct lt_pool *p)
{
	return (struct lt_out){ .pool = p, .at = lt__pool_alloc(p, 64, 1), .cap = 64 };
}

/* A set of names. */
struct lt_nameset { struct lt_pool *pool; const char **name; uint8_t *tag; size_t n, cap; };
int lt__nameset_find(const struct lt_nameset *, const char *);          /* its tag; 0: not there */
void lt__nameset_add(struct lt_nameset *, const char *, int tag);       /* the name is kept, not copied; tag > 0 */
#endif
