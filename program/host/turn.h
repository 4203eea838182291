/* turn.h -- what one thread may use at a time: the others take turns. */
#ifndef LT_PROGRAM_HOST_TURN_H
#define LT_PROGRAM_HOST_TURN_H
#include <pthread.h>
#include <stdbool.h>

/* Made once and not moved. */
struct lt_turn { pthread_mutex_t lock; bool made; };

/* again: a thread may take a turn that it has, and gives it back as often; else lt__turn_take answers false then. */
static inline bool lt__turn_init(struct lt_turn *t, bool again)
{
	pthread_mutexattr_t kind;
	if (pthread_mutexattr_init(&kind))
		return false;
	t->made = !pthread_mutexattr_settype(&kind, again ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_ERRORCHECK)
		&& !pthread_mutex_init(&t->lock, &kind);
	(void)pthread_mutexattr_destroy(&kind);
	return t->made;
}
static inline void lt__turn_free(struct lt_turn *t)
{
	if (t->made)
		(void)pthread_mutex_destroy(&t->lock);
	t->made = false;
}
static inline bool lt__turn_take(struct lt_turn *t) { return pthread_mutex_lock(&t->lock) == 0; }
static inline void lt__turn_give(struct lt_turn *t) { (void)pthread_mutex_unlock(&t->lock); }
#endif
