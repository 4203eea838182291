/* cpu_session.h -- a session of the backend cpu on so many threads, opened as a host does. */
#ifndef TESTS_CPU_SESSION_H
#define TESTS_CPU_SESSION_H
#include <criterion/criterion.h>
#include "lt/lt.h"
#include "program/host/host.h"
#include "tests/keeper.h"

/* What it says goes to the keeper; fails the test where it does not open. */
static inline struct lt_session *cpu_session(const char *config, uint32_t n_thread, struct keeper *k)
{
	static struct lt_host hosts[64];        /* one lives as long as its session */
	struct lt_session *s;
	cr_assert_lt(n_thread, 64);
	hosts[n_thread] = (struct lt_host){ .size = sizeof *hosts, .n_thread = n_thread,
		.parallel_for = lt__host_parallel_for };
	cr_assert_eq(lt_backend_find("cpu")->open(&hosts[n_thread], config, &s, &k->diag), LT_OK, "%s: %s", config, k->text);
	return s;
}
#endif
