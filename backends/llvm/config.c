/* config.c -- the items after "llvm:": level=0 .. level=3, verify, cpu=NAME,
 * symbols=FOLDER. */
#include <stdio.h>
#include <string.h>
#include "lt/options.h"
#include "diagnostic.h"
#include "session.h"

enum { LEVEL, VERIFY, CPU, SYMBOLS, N_OPTION };
static const struct lt_option options[N_OPTION] = {
	[LEVEL] = { .key = "level", .value = "N", .high = 3, .again = 1, .about = "how far LLVM optimises; 1 is the default" },
	[VERIFY] = { .key = "verify", .again = 1, .about = "LLVM checks what it is given" },
	[CPU] = { .key = "cpu", .value = "NAME", .again = 1, .about = "the processor to make loops and code for" },
	[SYMBOLS] = { .key = "symbols", .value = "FOLDER", .slashes = 1,
		.about = "kernels' objects stay in that folder, with symbols and lines; nothing is cached" } };
const struct lt_array lt_llvm_options = { options, N_OPTION, sizeof *options };

static lt_status read_cpu(const struct lt_option_item *item, struct lt_llvm_config *c, struct lt_diag *diag)
{
	char names[256] = "give one of";
	for (uint32_t i = 0; lt_llvm_cpu_at(i); i++) {
		const struct lt_llvm_cpu *cpu = lt_llvm_cpu_at(i);
		size_t at = strlen(names);
		if (strlen(cpu->name) == item->bytes && memcmp(cpu->name, item->text, item->bytes) == 0) {
			c->cpu = cpu;
			return LT_OK;
		}
		(void)snprintf(names + at, sizeof names - at, "%s %s", i ? "," : "", cpu->name);
	}
	return lt_option_refuse(&options[CPU], item, names, diag);
}

lt_status lt_llvm_configure(const char *config, struct lt_llvm_config *c, struct lt_diag *diag)
{
	struct lt_option_reader r = lt_option_begin(config, options, N_OPTION, diag);
	*c = (struct lt_llvm_config){ .level = 1, .cpu = lt_llvm_cpu_at(0) };
#ifndef __OPTIMIZE__
	c->verify = true;               /* debug builds of the plug-in */
#endif
	for (struct lt_option_item item; lt_option_next(&r, &item); )
		switch (item.which) {
		case LEVEL: c->level = (int)item.number; break;
		case VERIFY: c->verify = true; break;
		case SYMBOLS:
			c->symbols = strndup(item.text, item.bytes);
			if (!c->symbols)
				return lt_llvm_report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a session");
			break;
		default: r.status = read_cpu(&item, c, diag);
		}
	return r.status;
}
