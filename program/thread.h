/* program/thread.h -- what the system gives for threads: processors, threads, a clock, waiting for a word of memory. */
#ifndef LT_PROGRAM_THREAD_H
#define LT_PROGRAM_THREAD_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* Processors that this process may use; never 0. */
uint32_t lt__processors(void);
/* A thread that leaves signals to the caller's threads, except those that its own instructions raise.  Returns an error
 * number. */
int lt__thread_start(pthread_t *, void *(*)(void *), void *arg);
/* Of a clock that only goes forward. */
int64_t lt__now_ns(void);
void lt__relax(void);           /* once in a loop that waits busily */
/* The system call: sleeps while *at is `while_`; wakes all those who sleep with one of these bits. */
void lt__futex_sleep(_Atomic uint32_t *at, uint32_t while_, uint32_t bits);
void lt__futex_wake(_Atomic uint32_t *at, uint32_t bits);
#endif
