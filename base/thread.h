/* thread.h -- threads of our own, in a process whose signals are the caller's. */
#ifndef LT_BASE_THREAD_H
#define LT_BASE_THREAD_H
#include <pthread.h>

/* A thread that leaves signals to the caller's threads, except those that its own instructions raise.  Returns an error
 * number. */
int lt__thread_start(pthread_t *, void *(*)(void *), void *arg);
#endif
