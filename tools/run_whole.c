/* tools/run_whole.c -- which of lt-run's options go together: what only the whole command line can show. */
#include <string.h>
#include "tools/run.h"

/* What is asked for, the first of these that is: the rest must have a meaning beside it. */
enum { LIST = 1, CACHE = 2, DIFF = 4, CHECK = 8, GRAPH = 16, PROGRAM = 32, RUN = 64 };

static const struct { int asked; const char *which; } whys[] = {
	{ LIST, "--list-backends, which lists them and ends" },
	{ CACHE, "--cache, which looks after compiled code and ends" },
	{ DIFF, "--dump=diff, which compares two files and ends" },
	{ CHECK, "--check-schedule, which runs nothing" },
	{ GRAPH, "--dump=graph or dot, which prints the graph and ends" },
	{ PROGRAM, "--dump, which prints instead of running" },
};

static int asked_for(const struct run_options *o)
{
	return o->list ? LIST : o->cache ? CACHE : run_dump_is(o, "diff") ? DIFF : o->check_schedule ? CHECK :
		run_dump_is(o, "graph") || run_dump_is(o, "dot") ? GRAPH : o->dump ? PROGRAM : RUN;
}

bool run_dump_is(const struct run_options *o, const char *kind)
{
	return o->dump && !strcmp(o->dump, kind);
}

int run_check_together(const struct run_options *o)
{
	enum { TENSORS = RUN | PROGRAM | GRAPH | CHECK, LOOPS = RUN | PROGRAM | CHECK };
	const struct { const char *name; bool given; int with; } options[] = {
		{ "a script", o->script, TENSORS | DIFF },
		{ "--input", o->input.n > 0, TENSORS }, { "--inputs", o->inputs.n > 0, TENSORS },
		{ "--constant", o->constant.n > 0, TENSORS }, { "--weights", o->weights.n > 0, TENSORS },
		{ "--cache", o->cache, CACHE }, { "--check-schedule", o->check_schedule, CHECK },
		{ "--dump", o->dump, PROGRAM | GRAPH | DIFF }, { "--output", o->output, RUN | PROGRAM | GRAPH | DIFF },
		{ "--json", o->json, RUN | CACHE | LIST }, { "--runs", o->runs > 1, RUN },
		{ "--target", o->target, TENSORS }, { "--use-source", o->use_source, RUN },
		{ "--backend", o->backends, TENSORS }, { "--strict", o->strict, TENSORS },
		{ "--no-passes", o->no_passes, TENSORS }, { "--schedule", o->schedule, LOOPS }, { "--apply", o->apply, LOOPS },
		{ "--verify", o->verify, RUN }, { "--time", o->time, RUN }, { "--explain", o->explain, RUN },
		{ "--no-capture", o->no_capture, RUN },
	};
	int asked = asked_for(o);

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		for (size_t k = 0; k < sizeof whys / sizeof *whys && options[i].given && !(options[i].with & asked); k++)
			if (whys[k].asked == asked)
				return run_usage("%s does not go with %s", options[i].name, whys[k].which);
	return RUN_OK;
}
