/* system.c -- what the library asks the system for, where there is none: program/host/thread.c for the one thread that
 * WebAssembly without shared memory has, and what emscripten's C library leaves out. */
#include <pthread.h>
#include <stddef.h>
#include <sys/random.h>
#include <time.h>
#include "program/host/pool.h"

uint32_t lt__processors(void) { return 1; }
int32_t lt__thread_id(void) { return 1; }
int32_t lt__processor(void) { return -1; }

bool lt__processor_forbid(int32_t thread, int32_t processor, struct processor_set *left)
{
	(void)thread, (void)processor, (void)left;
	return false;
}

void lt__processor_allow(int32_t thread, int32_t processor, const struct processor_set *left)
{
	(void)thread, (void)processor, (void)left;
}

/* Nobody waits: a pool of one thread has no workers. */
void lt__relax(void) { }
void lt__yield(void) { }
void lt__futex_sleep(_Atomic uint32_t *at, uint32_t while_, uint32_t bits) { (void)at, (void)while_, (void)bits; }
void lt__futex_wake(_Atomic uint32_t *at, uint32_t bits) { (void)at, (void)bits; }

int64_t lt__now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int pthread_setname_np(pthread_t thread, const char *name)
{
	(void)thread, (void)name;
	return 0;
}

__attribute__((import_module("page"), import_name("random"))) void page_random(void *to, size_t bytes);

ssize_t getrandom(void *to, size_t bytes, unsigned flags)
{
	(void)flags;
	page_random(to, bytes);
	return (ssize_t)bytes;
}
