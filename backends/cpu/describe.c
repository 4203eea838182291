/* describe.c -- what a session found on this machine, for people: lines "name value". */
#define _GNU_SOURCE 1
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/command/command.h"
#include "backends/cpu/object.h"

struct to { lt_write *write; void *user; };

static void describe_fact(const struct to *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void describe_fact(const struct to *to, const char *fmt, ...)
{
	char text[1024];
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	to->write(to->user, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void write_cache(const struct to *to, const char *name, uint64_t bytes, uint32_t ways)
{
	if (bytes && ways)
		describe_fact(to, "%s %llu KiB, %u ways\n", name, (unsigned long long)(bytes >> 10), (unsigned)ways);
	else if (bytes)
		describe_fact(to, "%s %llu KiB\n", name, (unsigned long long)(bytes >> 10));
}

static void write_models(const struct to *to, const char *name, bool runs)
{
	bool first = true;
	for (uint32_t i = 0; i < lt__cpu_model_count(); i++) {
		const struct lt_cpu_model *m = lt__cpu_model_at(i);
		if (m->runs() != runs)
			continue;
		describe_fact(to, "%s%s", first ? name : ", ", m->name);
		first = false;
	}
	describe_fact(to, "%s", first ? "" : "\n");
}

/* Looked up as the kernels' compiler will be; it is not run. */
static void write_compiler(const struct to *to, const struct lt_session *s)
{
	const struct lt_command_limits limits = { .ms = s->cc_timeout_ms };
	uint32_t n = 0;
	const char **word = s->cc ? lt__command_words(s->cc, 0, &n) : NULL;
	if (word && n > 0) {
		const char *const argv[] = { "/bin/sh", "-c", "command -v \"$1\" >/dev/null 2>&1", "sh", word[0], NULL };
		struct lt_command c = { .argv = argv };
		(void)lt__command_run(&c, 1, 1, &limits, NULL, NULL);
		describe_fact(to, "compiler %s%s\n", s->cc, c.status == 0 ? "" : ": not found: install gcc or give --cc");
	}
	free(word);
}

void lt__cpu_describe(struct lt_session *s, lt_write *write, void *user)
{
	const struct to to = { write, user };
	const struct lt_target *t = &s->target;
	describe_fact(&to, "cores %u\n", (unsigned)t->cores);
	describe_fact(&to, "vectors %u bytes, %u registers\n", (unsigned)t->vector_bytes, (unsigned)t->vector_registers);
	write_cache(&to, "L1", t->l1_bytes, t->l1_ways);
	write_cache(&to, "L2", t->l2_bytes, t->l2_ways);
	write_cache(&to, "L3", t->l3_bytes, t->l3_ways);
	describe_fact(&to, "threads %u\n", lt__cpu_has_threads(s) ? (unsigned)s->n_thread : 1);
	write_compiler(&to, s);
	write_models(&to, "targets ", true);
	write_models(&to, "text-only ", false);
}
