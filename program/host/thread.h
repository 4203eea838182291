/* thread.h -- what the system gives for threads: processors, threads, a clock, waiting for a word of memory. */
#ifndef LT_PROGRAM_HOST_THREAD_H
#define LT_PROGRAM_HOST_THREAD_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Processors that this process may use; never 0. */
uint32_t lt__processors(void);
/* A thread that leaves signals to the caller's threads, except those that its own instructions raise.  Returns an error
 * number. */
int lt__thread_start(pthread_t *, void *(*)(void *), void *arg);
int32_t lt__thread_id(void);    /* the calling thread's, as the system counts them; never 0 */
int32_t lt__processor(void);    /* that the calling thread runs on; negative: unknown */
/* A set of processors, as the system writes it. */
struct processor_set { _Alignas(8) unsigned char bits[128]; };
/* A thread may not use that processor until it is let on again; left: those that it may use meanwhile.  False: nothing
 * has changed, because it did not use it before, has no other, or the system does not allow it. */
bool lt__processor_forbid(int32_t thread, int32_t processor, struct processor_set *left);
/* Does nothing if somebody has chosen others than `left` for it meanwhile. */
void lt__processor_allow(int32_t thread, int32_t processor, const struct processor_set *left);
/* Of a clock that only goes forward. */
int64_t lt__now_ns(void);
void lt__relax(void);           /* once in a loop that waits busily */
void lt__yield(void);           /* in a longer one: a thread that waits for this processor may have it */
/* The system call: sleeps while *at is `while_`; wakes all those who sleep with one of these bits. */
void lt__futex_sleep(_Atomic uint32_t *at, uint32_t while_, uint32_t bits);
void lt__futex_wake(_Atomic uint32_t *at, uint32_t bits);
#endif
