/* lt-run.c -- compiles a script and runs it: the order of things; each step is in a file here, or in tools/model/. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/common/common.h"
#include "tools/run/run.h"

static lt_status check_results(const struct run *r)
{
	return r->model.binding[LT_BINDING_RESULT].n > 0 ? LT_OK
						   : lt_fail(r->ctx, LT_EINVAL,
							   "%s: the graph has no result: name one (result = $n; in a "
							   "script, result \"name\" = %%n in a graph's text)",
							   model_script_name(r->o.script));
}

static void list_bindings(const struct run *r)
{
	char text[256];

	for (int k = 0; k <= LT_BINDING_RESULT; k++)
		for (int32_t i = 0; i < r->model.binding[k].n; i++)
			lt__say(stderr, "  %s '%s', %s%s\n", model_binding_kind((enum lt_binding)k),
				lt__shown(r->model.binding[k].at[i].name).text,
				model_binding_text(&r->model.binding[k].at[i], text, sizeof text),
				r->model.binding[k].at[i].needed ? "" : ", not used");
}

static lt_status check_output(const struct run *r)
{
	enum lt_tensorfile kind = r->o.output ? lt__tensorfile_kind(r->o.output) : LT_FILE_OTHER;
	const struct model_bindings *p = &r->model.binding[LT_BINDING_RESULT];

	if (kind == LT_FILE_NPY && p->n != 1)
		return lt_fail(r->ctx, LT_EINVAL,
			"%s has %d results, and a .npy holds one: write a .npz or a .safetensors", r->o.script, p->n);
	for (int32_t i = 0; kind == LT_FILE_NPZ && i < p->n; i++)
		if (lt__npz_name(p->at[i].name))
			return lt_fail(r->ctx, LT_EINVAL,
				"%s: the result '%.200s' cannot be the name of an entry: %s; name it otherwise, or "
				"write a .safetensors",
				r->o.output, p->at[i].name, lt__npz_name(p->at[i].name));
	for (int32_t i = 0; i < p->n; i++)
		if ((kind == LT_FILE_NPY || kind == LT_FILE_NPZ) && p->at[i].dtype == LT_BF16)
			return lt_fail(r->ctx, LT_EINVAL,
				"%s: the result '%s' is bfloat16, which NumPy's format does not have: write a "
				".safetensors",
				r->o.output, p->at[i].name);
	return LT_OK;
}

/* From the script to results, in order. */
static lt_status run_script(struct run *r)
{
	const struct model_options o = run_model_options(&r->o);

	LT_TRY(check_output(r));
	LT_TRY(run_backends_choose(r));
	LT_TRY(run_cache_find(r));
	lt__phase(&r->phases, "reading tensors");
	LT_TRY(model_bind(r->ctx, &o, r->backends, &r->model));
	model_fit(&r->model);
	LT_TRY(run_compile(r));
	LT_TRY(run_start(r));
	if (r->o.profile || r->o.view)
		LT_TRY(run_profile_begin(r));
	LT_TRY(run_evaluate(r));
	if (r->o.explain)
		LT_TRY(model_explain_bounds(r->ctx, r->json, r->program));
	if (r->profile)
		LT_TRY(run_profile(r));
	return r->o.time ? run_time(r) : LT_OK;
}

/* No file that is written is one that is read, and each can be written. */
static lt_status check_outputs(const struct run *r)
{
	const struct run_options *o = &r->o;
	char *first = o->output && !o->dump ? run_output_name(r, 0) : NULL;
	const char *const to[] = { first ? first : o->output, o->trace, o->view };
	const struct lt_tool_inputs in = { .model = o->script, .schedule = o->schedule, .read = &r->model.read,
		.weights = &o->weights, .inputs = &o->inputs, .constant = &o->constant, .input = &o->input, .fix = &o->fix };

	lt_status s = o->output && !o->dump && !first ? lt_fail(r->ctx, LT_ENOMEM, "out of memory") : LT_OK;

	for (size_t i = 0; i < sizeof to / sizeof *to && !s; i++)
		if (to[i]) {
			s = lt__mistake(lt__overwrite_check(r->ctx, to[i], &in));
			s = s ? s : lt__out_check(r->ctx, to[i]);
		}
	free(first);
	return s;
}

/* What is done with a script. */
static lt_status work_on_script(struct run *r)
{
	const struct model_options o = run_model_options(&r->o);

	LT_TRY(model_parse(r->ctx, &o, &r->phases, &r->model));
	LT_TRY(check_outputs(r));
	if (!run_dump_graph(&r->o))
		LT_TRY(check_results(r));
	if (r->o.dump || r->o.check_schedule)
		LT_TRY(model_bind(r->ctx, &o, r->backends, &r->model));
	if (r->o.schedule)
		LT_TRY(run_schedule_read(r));
	if (r->o.check_schedule)
		return run_schedule_check(r);
	if (r->o.verbose)
		list_bindings(r);
	return r->o.dump ? run_dump(r) : run_script(r);
}

static lt_status work(struct run *r)
{
	LT_TRY(lt__mistake(lt__plugins_load(r->ctx, run_tool.name, r->o.load.at, r->o.load.n)));
	if (r->o.list)
		return run_backends_list(r);
	if (r->o.cache) {
		LT_TRY(run_cache_find(r));
		return run_cache_command(r);
	}
	return run_dump_is(&r->o, "diff") ? run_diff(r) : work_on_script(r);
}

static void run_release(struct run *r)
{
	run_verify_free(r);
	model_explain_free(&r->model);
	run_profile_free(r);
	run_end(r);
	model_free(&r->model);
	lt__bytes_free(&r->schedule);
	run_options_free(&r->o);
	lt_context_free(r->ctx);
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
	lt__say(stderr, "lt-run: a backend has called exit before lt-run was done; its author has to return an error "
		"instead%s%s\n", running->backends ? ": -b " : "", running->backends ? running->backends : "");
	_exit(LT_EXIT_FAILED);
}

static lt_status run_begin(struct run *r, int argc, char **argv)
{
	bool done;
	lt_status s;

	LT_TRY(run_options_read(r->ctx, argc, argv, &r->o, &done));
	if (done)
		return LT_OK;
	r->o.asks_cpu = r->o.cc || r->o.target || r->o.use_source;
	if (!r->o.cc && getenv("CC") && *getenv("CC"))
		r->o.cc = getenv("CC");
	lt__phases_begin(&r->phases, !r->o.quiet);
	r->json = r->o.json && !r->o.list && !r->o.cache && !r->o.dump ? json_object() : NULL;
	s = work(r);
	return r->unusable ? lt__mistake(s) : s;
}

int main(int argc, char **argv)
{
	static struct run r;
	lt_status s;
	int code;

	lt__interrupt_begin();
	if (lt_context_new(&r.ctx)) {
		fputs("lt-run: out of memory\n", stderr);
		return LT_EXIT_FAILED;
	}
	lt_context_cancel(r.ctx, lt__interrupted, NULL);
	if (atexit(end_early) == 0)
		running = &r;
	s = run_begin(&r, argc, argv);
	lt__phases_end(&r.phases);
	/* A verification that failed is reported, too. */
	if (r.json && json_object_size(r.json) > 0) {
		json_dumpf(r.json, stdout, LT_JSON_PLAIN);
		putchar('\n');
	}
	code = lt__tool_end(r.ctx, &run_tool, s);
	if (r.verdict)
		code = (int)r.verdict;
	run_release(&r);
	running = NULL;
	return code;
}
