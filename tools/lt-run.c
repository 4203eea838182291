/* tools/lt-run.c -- compiles a script and runs it: the order of things; each step is in a run_*.c. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/jsontext.h"
#include "tools/run.h"
#include "tools/say.h"

/* What the user wrote is a matter of usage; what went wrong with it afterwards is a failure. */
int run_status(const struct run *r, lt_status s, const char *doing)
{
	const char *text = r->instance && lt_instance_code(r->instance) ? lt_instance_message(r->instance) : lt_context_message(r->ctx);

	if (!*text)
		return run_failed("%s: %s", doing, lt_status_text(s));
	return s == LT_EINVAL || s == LT_ESYNTAX || s == LT_ETYPE || s == LT_EMISSING ? run_usage("%s", text) : run_failed("%s", text);
}

static const char *script_name(const struct run *r)
{
	return !strcmp(r->o.script, "-") ? "standard input" : r->o.script;
}

static int parse(struct run *r)
{
	const char *name = script_name(r);
	int64_t begin;
	lt_status s = lt__bytes_read(r->ctx, r->o.script, &r->script);

	if (s)
		return run_usage("%s", lt_context_message(r->ctx));
	begin = run_now();
	s = lt_parse(r->ctx, (const char *)r->script.at, r->script.n, name, NULL, &r->graph);
	r->parse_ns = run_now() - begin;
	/* Whatever a script does wrong is a mistake in it. */
	if (s)
		return s == LT_ENOMEM ? run_failed("%s", lt_context_message(r->ctx)) : run_usage("%s", lt_context_message(r->ctx));
	if (r->o.verbose)
		lt__say(stderr, "%s: %d node%s in %.1f ms\n", name, r->graph->n_node, run_s(r->graph->n_node), (double)r->parse_ns / 1e6);
	return run_bindings_find(r->graph, r->binding);
}

static int check_results(const struct run *r)
{
	return r->binding[LT_BINDING_RESULT].n > 0 ? RUN_OK : run_usage("%s: the graph has no result: name one (result = $n; in a script, "
		"result \"name\" = %%n in a graph's text)", script_name(r));
}

static void list_bindings(const struct run *r)
{
	char text[256];

	for (int k = 0; k <= LT_BINDING_RESULT; k++)
		for (int32_t i = 0; i < r->binding[k].n; i++)
			lt__say(stderr, "  %s '%s', %s%s\n", run_binding_kind((enum lt_binding)k), lt__shown(r->binding[k].at[i].name).text,
				run_binding_text(&r->binding[k].at[i], text, sizeof text), r->binding[k].at[i].needed ? "" : ", not used");
}

static int check_output(const struct run *r)
{
	enum lt_tensorfile kind = r->o.output ? lt__tensorfile_kind(r->o.output) : LT_FILE_OTHER;
	const struct run_bindings *p = &r->binding[LT_BINDING_RESULT];

	if (kind == LT_FILE_NPY && p->n != 1)
		return run_usage("%s has %d results, and a .npy holds one: write a .npz or a .safetensors", r->o.script, p->n);
	for (int32_t i = 0; kind == LT_FILE_NPZ && i < p->n; i++)
		if (lt__npz_name(p->at[i].name))
			return run_usage("%s: the result '%.200s' cannot be the name of an entry: %s; name it otherwise, or write a .safetensors", r->o.output,
				p->at[i].name, lt__npz_name(p->at[i].name));
	for (int32_t i = 0; i < p->n; i++)
		if ((kind == LT_FILE_NPY || kind == LT_FILE_NPZ) && p->at[i].dtype == LT_BF16)
			return run_usage("%s: the result '%s' is bfloat16, which NumPy's format does not have: write a .safetensors", r->o.output,
				p->at[i].name);
	return RUN_OK;
}

/* After a step that was all that was asked for. */
static int the_end(int code)
{
	return code == RUN_OK ? RUN_DONE : code;
}

/* Everything, in order; the first step that does not answer RUN_OK ends it. */
static int work(struct run *r)
{
	int code;

#define STEP(when, call) if ((when) && (code = (call)) != RUN_OK) return code
	STEP(true, run_plugins_load(&r->o));
	STEP(r->o.list, the_end(run_backends_list(&r->o)));
	STEP(r->o.cache, run_cache_find(r));
	STEP(r->o.cache, the_end(run_cache_command(r)));
	STEP(run_dump_is(&r->o, "diff"), the_end(run_diff(r)));
	STEP(true, parse(r));
	STEP(!run_dump_is(&r->o, "graph") && !run_dump_is(&r->o, "dot"), check_results(r));
	STEP(r->o.dump || r->o.check_schedule, run_bind(r->ctx, &r->o, r->backends, r->binding, &r->given));
	STEP(r->o.schedule, run_schedule_read(r));
	STEP(r->o.check_schedule, the_end(run_schedule_check(r)));
	if (r->o.verbose)
		list_bindings(r);
	STEP(r->o.dump, the_end(run_dump(r)));
	STEP(true, check_output(r));
	STEP(true, run_backends_choose(r));
	STEP(true, run_cache_find(r));
	STEP(true, run_bind(r->ctx, &r->o, r->backends, r->binding, &r->given));
	STEP(true, run_compile(r));
	STEP(true, run_start(r));
	STEP(true, run_evaluate(r));
	STEP(r->o.time, run_time(r));
#undef STEP
	return RUN_OK;
}

static void run_release(struct run *r)
{
	run_verify_free(r);
	run_explain_free(r);
	for (int32_t i = 0; r->result && i < r->binding[LT_BINDING_RESULT].n; i++) {
		free(r->result[i].data);
		free(r->result[i].packed);
		free(r->result[i].tensor.shape);
	}
	free(r->result);
	free(r->input);
	free(r->output);
	lt_instance_free(r->instance);
	lt_program_free(r->program);
	run_given_free(&r->given);
	run_bindings_free(r->binding);
	if (r->graph)
		lt_graph_free(r->graph);
	lt__bytes_free(&r->script);
	lt__bytes_free(&r->schedule);
	lt_context_free(r->ctx);
	run_options_free(&r->o);
	free(r->backends);
	free(r->cache_dir);
	json_decref(r->json);
}

/* The run that is under way: a backend that ends the process must not pass for one that has computed. */
static const struct run *running;

static void end_early(void)
{
	if (!running)
		return;
	fflush(stdout);
	lt__say(stderr, "lt-run: a backend has called exit before lt-run was done; its author has to return an error instead%s%s\n",
		running->backends ? ": -b " : "", running->backends ? running->backends : "");
	_exit(RUN_FAILED);
}

int main(int argc, char **argv)
{
	static struct run r;
	int code = run_options_parse(argc, argv, &r.o);

	if (atexit(end_early) == 0)
		running = &r;
	if (code == RUN_OK && lt_context_new(&r.ctx))
		code = run_failed("out of memory");
	if (code == RUN_OK) {
		if (!r.o.cc && getenv("CC") && *getenv("CC"))
			r.o.cc = getenv("CC");
		r.json = r.o.json && !r.o.list && !r.o.cache && !r.o.dump ? json_object() : NULL;
		code = work(&r);
	}
	/* A verification that failed is told, too. */
	if (r.json && json_object_size(r.json) > 0) {
		json_dumpf(r.json, stdout, LT_JSON_PLAIN);
		putchar('\n');
	}
	run_release(&r);
	if (fflush(stdout) != 0 || ferror(stdout))
		code = run_failed("standard output cannot be written");
	running = NULL;
	return code == RUN_DONE ? RUN_OK : code;
}
