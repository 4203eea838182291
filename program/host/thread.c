/* thread.c -- threads, processors, time, by the system's calls. */
#define _GNU_SOURCE 1
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "program/host/pool.h"

uint32_t lt__processors(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
		return (uint32_t)CPU_COUNT(&set);
	long n = sysconf(_SC_NPROCESSORS_ONLN);         /* more processors than the set has places for */
	return n > 0 ? (uint32_t)n : 1;
}

int32_t lt__thread_id(void)
{
	return (int32_t)syscall(SYS_gettid);
}

int32_t lt__processor(void)
{
	return sched_getcpu();
}

_Static_assert(sizeof(cpu_set_t) == sizeof(struct processor_set), "both are what the system writes");

bool lt__processor_forbid(int32_t thread, int32_t processor, struct processor_set *left)
{
	cpu_set_t set;
	if (processor < 0 || processor >= CPU_SETSIZE || sched_getaffinity(thread, sizeof set, &set))
		return false;
	if (!CPU_ISSET((size_t)processor, &set) || CPU_COUNT(&set) < 2)
		return false;
	CPU_CLR((size_t)processor, &set);
	memcpy(left, &set, sizeof set);
	return sched_setaffinity(thread, sizeof set, &set) == 0;
}

void lt__processor_allow(int32_t thread, int32_t processor, const struct processor_set *left)
{
	cpu_set_t set;
	if (sched_getaffinity(thread, sizeof set, &set) || memcmp(left, &set, sizeof set) != 0)
		return;
	CPU_SET((size_t)processor, &set);
	(void)sched_setaffinity(thread, sizeof set, &set);
}

void lt__relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

void lt__yield(void)
{
	(void)sched_yield();
}

void lt__futex_sleep(_Atomic uint32_t *at, uint32_t while_, uint32_t bits)
{
	(void)syscall(SYS_futex, at, FUTEX_WAIT_BITSET_PRIVATE, while_, NULL, NULL, bits);
}

void lt__futex_wake(_Atomic uint32_t *at, uint32_t bits)
{
	(void)syscall(SYS_futex, at, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, bits);
}

int64_t lt__now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
