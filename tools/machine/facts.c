/* facts.c -- what the machine and the compiler are, as far as the system tells. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "tools/machine/machine.h"

/* The value of the first line of /proc/cpuinfo that begins so. */
static void cpu_fact(const char *key, char *out, size_t bytes)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[4096];

	*out = 0;
	while (f && !*out && fgets(line, sizeof line, f))
		if (!strncmp(line, key, strlen(key)) && strchr(line, ':')) {
			snprintf(out, bytes, "%s", strchr(line, ':') + 1 + (strchr(line, ':')[1] == ' '));
			out[strcspn(out, "\n")] = 0;
		}
	if (f)
		fclose(f);
}

static long cache(int level)
{
#ifdef _SC_LEVEL1_DCACHE_SIZE
	static const int names[] = { _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE };
	long bytes = sysconf(names[level - 1]);

	return bytes > 0 ? bytes : 0;
#else
	(void)level;
	return 0;
#endif
}

/* Bytes of the last cache that a processor may use, by the system; libc's answer, by the instruction that virtual
 * machines do not pass on well, is that of the whole package. */
int64_t machine_last_cache(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r");
	long long n = 0;
	char unit = 0;

	if (f && fscanf(f, "%lld%c", &n, &unit) == 2)
		n <<= unit == 'K' ? 10 : unit == 'M' ? 20 : 0;
	if (f)
		fclose(f);
	return n;
}

json_t *machine_facts(void)
{
	char model[256], flags[4096], when[64];
	time_t now = time(NULL);
	struct utsname u;
	struct tm tm;
	json_t *o;

	uname(&u);
	cpu_fact("model name", model, sizeof model);
	cpu_fact("flags", flags, sizeof flags);
	gmtime_r(&now, &tm);
	strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm);
	o = json_pack("{s:s,s:s,s:i,s:I,s:I,s:I,s:I,s:s,s:s,s:s,s:s,s:s}", "processor", model, "architecture",
		u.machine, "processors", (int)sysconf(_SC_NPROCESSORS_ONLN), "l1_bytes", (json_int_t)cache(1),
		"l2_bytes", (json_int_t)cache(2), "l3_bytes", (json_int_t)machine_last_cache(), "memory_bytes",
		(json_int_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE), "system", u.sysname, "release", u.release,
		"flags", flags, "looptree", lt_version(), "time", when);
	json_object_set_new(o, "built_with", json_string(__VERSION__));
	return o;
}
