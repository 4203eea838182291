/* backends/llvm/config.c -- the words behind "llvm:", separated by ';': level=0 .. level=3, verify, cpu=NAME. */
#include <stdio.h>
#include <string.h>
#include "diagnostic.h"
#include "session.h"

static lt_status read_cpu(const char *name, size_t n, struct lt_llvm_config *c, struct lt_diag *diag)
{
	char names[256] = "give one of";
	for (uint32_t i = 0; lt_llvm_cpu_at(i); i++) {
		const struct lt_llvm_cpu *cpu = lt_llvm_cpu_at(i);
		size_t at = strlen(names);
		if (strlen(cpu->name) == n && memcmp(cpu->name, name, n) == 0) {
			c->cpu = cpu;
			return LT_OK;
		}
		(void)snprintf(names + at, sizeof names - at, "%s %s", i ? "," : "", cpu->name);
	}
	return lt_llvm_report(diag, LT_EINVAL, -1, -1, names, "there is no cpu '%.*s'", (int)(n < 60 ? n : 60), name);
}

lt_status lt_llvm_configure(const char *config, struct lt_llvm_config *c, struct lt_diag *diag)
{
	*c = (struct lt_llvm_config){ .level = 2, .cpu = lt_llvm_cpu_at(0) };
#ifndef __OPTIMIZE__
	c->verify = true;               /* debug builds of the plug-in */
#endif
	lt_status status = LT_OK;
	for (const char *at = config ? config : ""; !status && *at; ) {
		size_t n = strcspn(at, ";");
		if (n == 7 && strncmp(at, "level=", 6) == 0 && at[6] >= '0' && at[6] <= '3')
			c->level = at[6] - '0';
		else if (n == 6 && strncmp(at, "verify", 6) == 0)
			c->verify = true;
		else if (n > 4 && strncmp(at, "cpu=", 4) == 0)
			status = read_cpu(at + 4, n - 4, c, diag);
		else if (n)
			status = lt_llvm_report(diag, LT_EINVAL, -1, -1,
				"write level=0 .. level=3, verify, or cpu=NAME, with ; between them",
				"config '%.*s' is not known", (int)(n < 60 ? n : 60), at);
		at += n + (at[n] == ';');
	}
	return status;
}
