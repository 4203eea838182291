/* compile.c -- from the graph to something that runs: compile with progress, bind, make room. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "program/run/run.h"
#include "program/host/host.h"
#include "tools/common/common.h"
#include "tools/run/run.h"
#include "program/program.h"

/* Shown on a terminal only, and only once a compile takes its time. */
static void show_progress(void *user, int32_t done, int32_t total)
{
	struct run *r = user;

	if (lt__now_ns() - r->compile.begin_ns < 300000000)
		return;
	lt__phase(&r->phases, NULL);
	fprintf(stderr, "\rcompiling: %d of %d", done, total);       /* kernels, or plans of libraries */
	fflush(stderr);
	r->compile.shown = true;
}

/* What a backend tells is what was asked of it, such as the report of a trace (--quiet leaves it); debug lines are for
 * its author. */
static void show_log(void *user, int level, const char *text)
{
	struct run *r = user;

	lt__phase(&r->phases, NULL);
	if (level == LT_LOG_WARNING)
		lt__say(stderr, "%s: warning: %s\n", r->o.tool, text);
	else
		lt__say(stderr, "%s%s\n", level == LT_LOG_DEBUG ? "debug: " : "", text);
}

static void show_short_log(void *user, int level, const char *text)
{
	if (level != LT_LOG_DEBUG)
		show_log(user, level, text);
}

/* What is said of the schedule, and of kernels of one's own: nothing is run, so what a backend warns of is not so. */
static void show_info(void *user, int level, const char *text)
{
	if (level == LT_LOG_INFO)
		show_log(user, level, text);
}

static void explain(void *run, const struct lt_explained *e)
{
	model_explain_add(&((struct run *)run)->model, e);
}

static void report_stats(const struct run *r, int64_t ns)
{
	struct lt_stats st = { .size = sizeof st };

	char plans[80] = "";

	lt_program_stats(r->program, &st);
	if (st.n_plan_kept || st.n_plan_read)
		snprintf(plans, sizeof plans, "; plans of libraries: %d built, %d read", st.n_plan_kept, st.n_plan_read);
	lt__say(stderr, "%d kernel%s for '%s' in %.1f ms: %d compiled, %d from the cache%s%s%s\n", st.n_kernel,
		lt__plural(st.n_kernel), r->backends, (double)ns / 1e6, st.n_compiled, st.n_cached,
		r->cache_dir ? " in " : "", r->cache_dir ? r->cache_dir : "", plans);
}

static const char *schedule_name(const struct run *r)
{
	return r->o.schedule && !strcmp(r->o.schedule, "-") ? "standard input" : r->o.schedule;
}

static const char *schedule_text(const struct run *r)
{
	return !r->o.schedule ? NULL : r->schedule.at ? (const char *)r->schedule.at : "";
}

lt_status run_schedule_read(struct run *r)
{
	return lt__mistake(lt__bytes_read(r->ctx, r->o.schedule, &r->schedule));
}

lt_status run_schedule_check(struct run *r)
{
	struct lt_options options = { .size = sizeof options, .n_thread = (uint32_t)r->o.threads, .strict = r->o.strict,
		.no_passes = r->o.no_passes, .cc = r->o.cc, .temp_dir = lt__temp_dir(), .schedule = schedule_text(r),
		.schedule_bytes = r->schedule.n, .schedule_name = schedule_name(r), .apply = r->o.apply, .plan_only = 1,
		.kernels = r->o.kernels, .user = r, .log = r->o.quiet ? NULL : show_info };

	LT_TRY(run_backends_choose(r));
	options.backends = r->backends;
	/* A schedule that does not apply is an answer, not a mistake on the command line. */
	if (lt__check_schedule(r->ctx, r->model.graph, &options)) {
		r->verdict = r->unusable ? LT_EXIT_OK : LT_EXIT_FAILED;
		return lt_context_code(r->ctx);
	}
	if (!r->o.quiet)
		puts("applies");
	return LT_OK;
}

/* --on-device: the option's name in the sentence that refuses it. */
static lt_status device_refused(const struct run *r)
{
	static const char begins[] = "on_device: ";
	const char *why = lt_context_message(r->ctx);

	return strncmp(why, begins, sizeof begins - 1) != 0 ? lt_context_code(r->ctx)
		: lt__mistake(lt_fail(r->ctx, LT_EINVAL, "--on-device: %s (-b %s; --dump=plan shows where kernels run)",
			why + sizeof begins - 1, r->backends));
}

lt_status run_compile(struct run *r)
{
	bool terminal = isatty(STDERR_FILENO) && !r->o.quiet;
	r->compile.begin_ns = lt__now_ns();
	const struct lt_options options = { .size = sizeof options,
		.n_thread = (uint32_t)r->o.threads,
		.backends = r->backends,
		.strict = r->o.strict,
		.no_passes = r->o.no_passes,
		.cc = r->o.cc,
		.cache_dir = r->cache_dir,
		.cache_optional = !r->o.cache_dir,
		.temp_dir = lt__temp_dir(),
		.progress = terminal ? show_progress : NULL,
		.user = r,
		.schedule = schedule_text(r),
		.schedule_bytes = r->schedule.n,
		.schedule_name = schedule_name(r),
		.apply = r->o.apply,
		.plan_only = r->o.dump && !run_dump_is(&r->o, "source") && !run_dump_is(&r->o, "asm")
			&& !run_dump_is(&r->o, "kernel") && !run_dump_is(&r->o, "stats"),
		.no_capture = r->o.no_capture,
		.on_device = r->o.on_device ? "*" : NULL,
		.unpacked = r->o.unpacked,
		.device_time = r->o.time != 0,
		.profile = r->o.profile || r->o.view,
		.explain = r->o.explain ? explain : NULL,
		.log = r->o.verbose ? show_log : show_short_log,
		.cancelled = lt__interrupted,
		.cc_timeout_ms = r->o.cc_timeout_ms,
		.source_only = run_dump_is(&r->o, "source") || run_dump_is(&r->o, "kernel"),
		.kernel_step = (unsigned char)r->o.kernel_step,
		.kernels = r->o.kernels,
		.running = r->o.kernels ? lt__crash_running : NULL };
	lt_status s;

	if (r->o.kernels)
		lt__crash_catch(r->o.tool);

	if (r->o.explain)
		LT_TRY(model_explain_begin(r->ctx, r->json, &r->model));
	lt__interrupt_catch(LT_INTERRUPT_MS);
	lt__phase(&r->phases, "making loops");
	s = lt_compile(r->ctx, r->model.graph, &options, &r->program);
	lt__phase(&r->phases, NULL);
	if (r->compile.shown)
		fputs("\r\033[K", stderr);
	lt__interrupt_release();
	if (r->o.explain)
		model_explain_say(r->json, &r->model);
	if (!s && r->o.explain)
		s = model_explain_sums(r->json, &r->model);
	if (s && r->o.on_device)
		return device_refused(r);
	if (!s && r->o.verbose)
		report_stats(r, lt__now_ns() - r->compile.begin_ns);
	return s;
}

/* The graph's bindings and the program's are the same, in the same order; what a program needs beyond what the
 * graph shows would be a defect, but must not become a null pointer in a kernel. */
static lt_status check_bindings(const struct run *r)
{
	for (int k = 0; k <= LT_BINDING_RESULT; k++)
		if (lt_program_count(r->program, (enum lt_binding)k) != r->model.binding[k].n)
			return lt_fail(r->ctx, LT_EINVAL, "%s: the program has %d %ss, the graph %d", r->o.script,
				lt_program_count(r->program, (enum lt_binding)k), model_binding_kind((enum lt_binding)k),
				r->model.binding[k].n);
	for (int32_t e = 0; e < r->model.given.n_input; e++)
		for (int32_t i = 0; i < r->model.binding[LT_BINDING_INPUT].n; i++)
			if (lt_program_needs(r->program, LT_BINDING_INPUT, i) && !r->model.given.input[e].value[i])
				return lt_fail(r->ctx, LT_EMISSING, "input '%s' is missing: give it with -i %s",
					r->model.binding[LT_BINDING_INPUT].at[i].name,
					lt__shell(lt__scratch(r->ctx, "%s=FILE.npy",
							  r->model.binding[LT_BINDING_INPUT].at[i].name))
						.text);
	return LT_OK;
}

static lt_status make_results(struct run *r)
{
	const struct model_bindings *p = &r->model.binding[LT_BINDING_RESULT];

	r->result = calloc((size_t)p->n + 1, sizeof *r->result);
	r->output = calloc((size_t)p->n + 1, sizeof *r->output);
	r->input = calloc((size_t)r->model.binding[LT_BINDING_INPUT].n + 1, sizeof *r->input);
	if (!r->result || !r->output || !r->input)
		return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	for (int32_t i = 0; i < p->n; i++) {
		struct run_result *out = &r->result[i];
		size_t bytes = lt_program_bytes(r->program, LT_BINDING_RESULT, i);

		double has;

		if (lt__memory_lacks((double)bytes, &has))
			return lt_fail(r->ctx, LT_ENOMEM, "out of memory: the result '%s' takes %.1f GB, and this machine has %.1f GB",
				p->at[i].name, (double)bytes / 1e9, has / 1e9);
		out->binding = &p->at[i];
		out->data = aligned_alloc(64, (bytes + 127) / 64 * 64);
		out->packed = p->at[i].bounded ? malloc(bytes + 1) : NULL;
		out->tensor.shape = malloc((size_t)p->at[i].rank * sizeof(int64_t) + 1);
		if (r->o.real && lt_node_meaning(r->model.graph, r->model.graph->result[i].node, &out->scale, &out->zero))
			out->real = malloc(bytes / lt__dtype_info(p->at[i].dtype)->bytes * sizeof *out->real + 1);
		if (!out->data || !out->tensor.shape || (p->at[i].bounded && !out->packed) || (out->scale != 0 && !out->real))
			return lt_fail(r->ctx, LT_ENOMEM, "out of memory: the result '%s' takes %zu bytes", p->at[i].name, bytes);
		memset(out->data, 0, bytes);
		r->output[i] = out->data;
	}
	return LT_OK;
}

lt_status run_start(struct run *r)
{
	LT_TRY(check_bindings(r));
	for (int32_t i = 0; i < r->model.binding[LT_BINDING_CONSTANT].n; i++) {
		const struct lt_tensor *t = r->model.given.constant.value[i];

		if (t)
			LT_TRY(lt_program_bind(r->program, i, t->data, 0));
	}
	lt__phase(&r->phases, "preparing constants");
	lt_status st = lt_instance_new_sharing(r->program, r->shares, &r->instance);
	lt__phase(&r->phases, NULL);
	LT_TRY(st ? lt_fail(r->ctx, st, "%-s", lt_instance_message(r->instance)) : make_results(r));
	return r->o.on_device ? run_device_begin(r) : LT_OK;
}

void run_end(struct run *r)
{
	for (int32_t i = 0; r->result && i < r->model.binding[LT_BINDING_RESULT].n; i++) {
		free(r->result[i].data);
		free(r->result[i].packed);
		free(r->result[i].real);
		free(r->result[i].tensor.shape);
	}
	run_device_free(r);
	free(r->result);
	free(r->input);
	free(r->output);
	lt_instance_free(r->instance);
	lt_program_free(r->program);
}
