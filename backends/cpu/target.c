/* target.c -- the machine this runs on: what the default schedule asks, and what compiled code depends
 * on. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lt/kernel.h"
#include "backends/cpu/cpu.h"

/* The first line of a small file of the system, without its end; false: not there. */
static bool read_first_line(const char *path, char *line, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, line, cap - 1) : -1;
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return true;
}

static bool cache_fact(int index, const char *what, char *line, size_t cap)
{
	char path[128];
	(void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
	return read_first_line(path, line, cap);
}

static uint64_t with_unit(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);
	return *end == 'K' ? n << 10 : *end == 'M' ? n << 20 : n;
}

static void caches(struct lt_target *t)
{
	uint64_t *bytes[] = { &t->l1_bytes, &t->l2_bytes, &t->l3_bytes };
	uint32_t *ways[] = { &t->l1_ways, &t->l2_ways, &t->l3_ways };
	char line[64];
	for (int i = 0; i < 8; i++) {
		if (!cache_fact(i, "type", line, sizeof line) || strcmp(line, "Instruction") == 0
			|| !cache_fact(i, "level", line, sizeof line))
			continue;
		int level = line[0] - '1';
		if (level < 0 || level > 2)
			continue;
		if (cache_fact(i, "size", line, sizeof line))
			*bytes[level] = with_unit(line);
		if (cache_fact(i, "ways_of_associativity", line, sizeof line))
			*ways[level] = (uint32_t)with_unit(line);
		if (cache_fact(i, "coherency_line_size", line, sizeof line))
			t->cache_line = (uint32_t)with_unit(line);
	}
#ifdef _SC_LEVEL1_DCACHE_SIZE
	static const int sizes[] = { _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE };
	static const int assocs[] = { _SC_LEVEL1_DCACHE_ASSOC, _SC_LEVEL2_CACHE_ASSOC, _SC_LEVEL3_CACHE_ASSOC };
	for (int i = 0; i < 3; i++) {
		long size = sysconf(sizes[i]), assoc = sysconf(assocs[i]);
		if (*bytes[i] == 0 && size > 0)
			*bytes[i] = (uint64_t)size;
		if (*ways[i] == 0 && assoc > 0)
			*ways[i] = (uint32_t)assoc;
	}
#endif
	/* The default: small enough to be true almost everywhere. */
	t->l1_bytes = t->l1_bytes ? t->l1_bytes : 32 << 10;
	t->l2_bytes = t->l2_bytes ? t->l2_bytes : 256 << 10;
	t->cache_line = t->cache_line ? t->cache_line : 64;
}

void lt__cpu_target(struct lt_target *t)
{
	*t = (struct lt_target){ .size = sizeof *t, .name = "cpu:native", .vector_bytes = 16, .vector_registers = 16,
		.cores = lt_kernel_cores() };
#if defined(__x86_64__) || defined(__i386__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f")) {
		t->vector_bytes = 64;
		t->vector_registers = 32;
	} else if (__builtin_cpu_supports("avx")) {
		t->vector_bytes = 32;
	}
#elif defined(__aarch64__)
	t->vector_registers = 32;
#endif
	caches(t);
}

char *lt__cpu_processor(void)
{
	static const char *const facts[] = { "vendor_id", "cpu family", "model", "stepping", "flags", "Features",
		"CPU implementer", "CPU architecture", "CPU variant", "CPU part", "isa", "uarch" };
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *text = NULL, *line = NULL;
	size_t bytes = 0, cap = 0;
	bool no_memory = !f && errno == ENOMEM;
	FILE *out = no_memory ? NULL : open_memstream(&text, &bytes);
	while (f && out && getline(&line, &cap, f) > 1)       /* the first processor ends with an empty line */
		for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
			if (strncmp(line, facts[i], strlen(facts[i])) == 0) {
				(void)fputs(line, out);
				break;
			}
	if (f)
		fclose(f);
	free(line);
	if (!out || fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
