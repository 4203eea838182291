/* config.c -- the items after "cpu:": O0 .. O3, target=NAME, emit=NAME, source=FILE, symbols=FOLDER. */
#include <stdio.h>
#include <string.h>
#include "backends/cpu/cpu.h"
#include "lt/options.h"

enum { LEVEL_0, LEVEL_3 = 3, TARGET, EMIT, SOURCE, SYMBOLS, N_OPTION };
static const struct lt_option options[N_OPTION] = {
	[LEVEL_0] = { .key = "O0", .again = 1, .about = "the compiler does not optimise" },
	{ .key = "O1", .again = 1, .about = "it optimises a little" },
	{ .key = "O2", .again = 1, .about = "it optimises" },
	{ .key = "O3", .again = 1, .about = "it optimises as far as it can: the default" },
	[TARGET] = { .key = "target", .value = "NAME", .about = "the processor to make loops and code for" },
	[EMIT] = { .key = "emit", .value = "NAME", .about = "the dialect of C: c, with vectors of gcc and clang, c99, or "
		"bare, for microcontrollers" },
	[SOURCE] = { .key = "source", .value = "FILE", .slashes = 1, .about = "C to run in place of what would be printed" },
	[SYMBOLS] = { .key = "symbols", .value = "FOLDER", .slashes = 1,
		.about = "kernels' C and objects stay in that folder, with symbols and lines; nothing is cached" } };
const struct lt_array lt__cpu_options = { options, N_OPTION, sizeof *options };

static lt_status no_target(const struct lt_option_item *item, struct lt_diag *diag)
{
	char names[256] = "give one of";
	for (uint32_t i = 0; i < lt__cpu_model_count(); i++) {
		size_t n = strlen(names);
		(void)snprintf(names + n, sizeof names - n, "%s %s", i ? "," : "", lt__cpu_model_at(i)->name);
	}
	return lt_option_refuse(&options[TARGET], item, names, diag);
}

lt_status lt__cpu_config(const char *config, struct lt_cpu_config *out, struct lt_diag *diag)
{
	struct lt_option_reader r = lt_option_begin(config, options, N_OPTION, diag);
	*out = (struct lt_cpu_config){ .level = '3', .model = lt__cpu_model_at(0) };
	for (struct lt_option_item item; lt_option_next(&r, &item); )
		switch (item.which) {
		case TARGET:
			out->model = lt__cpu_model_find(item.text, item.bytes);
			if (!out->model)
				return no_target(&item, diag);
			break;
		case EMIT:
			if (!lt__cpu_emit_find(item.text, item.bytes, &out->emit))
				return lt_option_refuse(&options[EMIT], &item, "give emit=c, emit=c99 or emit=bare", diag);
			break;
		case SOURCE:
			out->source = item.text;
			out->source_bytes = item.bytes;
			break;
		case SYMBOLS:
			out->symbols = item.text;
			out->symbols_bytes = item.bytes;
			break;
		default: out->level = (char)('0' + item.which);
		}
	return r.status;
}
