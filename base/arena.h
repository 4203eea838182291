/* arena.h -- memory by lifetime, and what happens when it runs out.
 *
 * An arena hands out zeroed memory and frees it all at once.  Running out of memory inside
 * lt__protect unwinds to it (longjmp) and lt__protect answers LT_ENOMEM; every public entry runs its body
 * so.  Outside lt__protect it is a bug.  Code that holds anything but arena memory (isl objects, files,
 * malloc) must not allocate from an arena while it does, or must tie the resource to the arena
 * (lt__arena_defer).
 */
#ifndef LT_BASE_ARENA_H
#define LT_BASE_ARENA_H
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include "base/budget.h"
#include "base/checked.h"
#include "lt/context.h"

/* forwards: it answers the context's code, whatever that is (lt__protect); else only memory that runs out comes
 * there. */
struct lt_catch { jmp_buf jump; struct lt_catch *up; bool forwards; };
/* What was done so far, in numbers that no machine changes: tests see by them how work grows with a graph. */
struct lt_labour {
	int64_t maps;                   /* maps brought into their simplest form */
	int64_t isl;                    /* contexts of isl: questions that plain arithmetic left open */
	int64_t calls;                  /* leaves looked at for what is handed to routines */
};
struct lt_context {
	lt_alloc *alloc;                /* like realloc; bytes 0 frees */
	void *user;
	struct lt_context *of;          /* whose memory a branch uses; NULL: it is none */
	pthread_mutex_t lock;           /* of alloc, which branches on other threads use, too */
	struct lt_catch *top;           /* innermost lt__protect */
	int64_t most[LT_NBUDGET];       /* budgets (budget.h); 0: as by default */
	struct lt_spending *spending;   /* of the call that is under way; NULL: none that counts */
	int (*cancelled)(void *user);
	void *cancelled_user;
	uint32_t polls;
	int64_t asked_ns;
	bool asks_always;               /* at each poll: for tests */
	bool unproven;                  /* no tree is proven legal: tests see what a simulator finds in those that are not */
	size_t chunk, chunk_max;       /* bytes of an arena's first chunk and of later ones; tests make them small */
	struct lt_labour labour;
	lt_status code;                 /* of the last failure */
	char message[4096];             /* its sentence, or several in lines */
	char scratch[4][256];           /* short texts that go into a sentence, used in turn */
	unsigned turn;
};

/* A branch: a context that uses the memory of another one, on a thread of its own, and has its own failures.  Not to be
 * freed. */
void lt__context_branch(struct lt_context *of, struct lt_context *out);

struct lt_arena;
lt_status lt__arena_new(struct lt_context *, struct lt_arena **out);
void lt__arena_free(struct lt_arena *);                 /* NULL: nothing */
void *lt__arena_alloc(struct lt_arena *, size_t bytes); /* zeroed, aligned to 16; never NULL */
/* The same, not set to anything: for what is filled at once. */
void *lt__arena_alloc_unset(struct lt_arena *, size_t bytes);
void *lt__arena_copy(struct lt_arena *, const void *, size_t bytes);
char *lt__arena_string(struct lt_arena *, const char *);
char *lt__arena_format(struct lt_arena *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void lt__arena_defer(struct lt_arena *, void (*release)(void *), void *);       /* called by lt__arena_free */
size_t lt__arena_bytes(const struct lt_arena *);        /* handed out so far */
struct lt_context *lt__arena_context(const struct lt_arena *);
/* As an allocation that fails: what: "a table could not be kept". */
_Noreturn void lt__arena_refuse(struct lt_arena *, const char *what);

#define LT_NEW(arena, type, n) ((type *)lt__arena_alloc_array((arena), sizeof(type), (size_t)(n)))
void *lt__arena_alloc_array(struct lt_arena *, size_t size, size_t n);
/* Makes room for one more element in an array that grows by doubling within the arena. */
#define LT_GROW(arena, array, n, cap) \
	((n) < (cap) ? (void)0 : (void)((array) = lt__arena_grow((arena), (array), sizeof *(array), (n), &(cap))))
void *lt__arena_grow(struct lt_arena *, void *array, size_t size, int32_t n, int32_t *cap);

/* Runs body(arg); LT_ENOMEM if an arena ran out of memory in it, LT_EBUDGET and LT_ECANCELLED as budget.h says.
 * Nests. */
lt_status lt__protect(struct lt_context *, lt_status (*body)(void *), void *arg);
/* The same around one statement: `result` keeps what it held before where memory runs out. */
#define LT_CAUGHT(ctx, result, call) do { \
	struct lt_catch catch_; \
	catch_.up = (ctx)->top; \
	catch_.forwards = false; \
	(ctx)->top = &catch_; \
	if (!setjmp(catch_.jump)) \
		(result) = (call); \
	(ctx)->top = catch_.up; \
} while (0)
/* The same of a public entry that has nothing to free.  Within the library, where an lt__protect is around it, memory
 * that runs out unwinds to that: code that makes a hundred nodes need not check each, and no failure is forgotten. */
#define LT_GUARDED(ctx, result, call) do { \
	if ((ctx)->top) \
		(result) = (call); \
	else \
		LT_CAUGHT(ctx, result, call); \
} while (0)
/* Plain memory of the context that is not an arena's: NULL when out of memory. */
void *lt__context_realloc(struct lt_context *, void *, size_t old_bytes, size_t new_bytes);

/* A failure: sets the context's code and sentence, returns the code.  Names and paths that are put in stay in their
 * line; "%-s" is for a text that has lines (message.h). */
lt_status lt_fail(struct lt_context *, lt_status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#define LT_TRY(call) do { lt_status try_ = (call); if (try_) return try_; } while (0)
/* One of the context's scratch buffers filled with a short text; the fourth call after it overwrites it. */
const char *lt__scratch(struct lt_context *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A defect of this library, not of its user: names the place and aborts. */
#define lt_bug(what) lt__bug(__FILE__, __LINE__, what)
_Noreturn void lt__bug(const char *file, int line, const char *what);

/* Text that grows in an arena. */
struct lt_text { struct lt_arena *arena; char *at; size_t n, cap; };
void lt__text_add(struct lt_text *, const char *, size_t bytes);
void lt__text_format(struct lt_text *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#endif
