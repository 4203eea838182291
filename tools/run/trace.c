/* trace.c -- runs as a trace: Chrome's trace event format, which Perfetto and chrome://tracing read.
 *
 * One object with the array "traceEvents".  Each thread and each device is a lane (a tid of process 1): complete events
 * (ph X) of the steps, within one of the run they belong to; what the compiler did is lane 0, one phase behind the
 * other, each as long as it took altogether.  ts and dur are microseconds.
 */
#include <stdlib.h>
#include <string.h>
#include "tools/common/common.h"
#include "tools/run/profile.h"

enum { PROCESS = 1, COMPILER = 0, LANES = 1 };         /* LANES: the tid of the first lane of a run */

static void trace_name(json_t *events, const char *what, int tid, const char *name)
{
	json_array_append_new(events, json_pack("{s:s,s:s,s:i,s:i,s:{s:o}}", "name", what, "ph", "M", "pid", PROCESS, "tid",
		tid, "args", "name", lt__json_text(name)));
}

static void trace_order(json_t *events, int tid, int at)
{
	json_array_append_new(events, json_pack("{s:s,s:s,s:i,s:i,s:{s:i}}", "name", "thread_sort_index", "ph", "M", "pid",
		PROCESS, "tid", tid, "args", "sort_index", at));
}

static void trace_span(json_t *events, const char *name, const char *category, int tid, double ts_ns, double ns,
	json_t *args)
{
	json_t *e = json_pack("{s:o,s:s,s:s,s:f,s:f,s:i,s:i}", "name", lt__json_text(name), "cat", category, "ph", "X", "ts",
		ts_ns / 1e3, "dur", ns / 1e3, "pid", PROCESS, "tid", tid);

	json_object_set_new(e, "args", args ? args : json_object());
	json_array_append_new(events, e);
}

static double trace_compile(const struct run *r, json_t *events)
{
	struct lt_stats st = { .size = sizeof st };
	double at = 0;

	lt_program_stats(r->program, &st);
	const struct { const char *name; int64_t ns; } phases[] = { { "parse", r->model.parse_ns }, { "passes", st.passes_ns },
		{ "tree", st.tree_ns }, { "freeze", st.freeze_ns }, { "accept", st.accept_ns }, { "compile", st.compile_ns },
		{ "bind", st.bind_ns } };
	for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
		trace_span(events, phases[i].name, "compile", COMPILER, at, (double)phases[i].ns, NULL);
		at += (double)phases[i].ns;
	}
	return at;
}

static json_t *trace_args(const struct run_kernel *k)
{
	char nodes[2000];

	run_nodes_text(&k->step, nodes, sizeof nodes);
	json_t *o = json_pack("{s:o,s:o,s:I,s:I,s:s,s:f,s:f}", "nodes", lt__json_text(nodes), "backend",
		lt__json_text(k->step.backend), "flops", (json_int_t)k->step.useful, "bytes", (json_int_t)k->step.bytes, "bound",
		run_bound_name(k->bound), "median_us", k->median_ns / 1e3, "possible_us", k->predicted_ns / 1e3);
	return o;
}

static void trace_run(const struct run_profile *p, int number, double shift_ns, json_t *events)
{
	const struct run_traced *t = &p->traced[number];
	char name[40];

	snprintf(name, sizeof name, t->first ? "first run" : "run %d", number + 1);
	trace_span(events, name, "run", LANES, (double)t->begin_ns + shift_ns, (double)t->run_ns, NULL);
	for (uint32_t i = 0; i < t->n_span; i++) {
		const struct lt_profile_span *s = &t->span[i];
		const struct run_kernel *k = &p->kernel[s->step];
		static const char *const kinds[] = { "kernel", "kernel", "copy", "copy" };

		trace_span(events, k->step.name, s->lane == 0 && k->step.lane > 0 ? "enqueue" : kinds[k->step.kind],
			LANES + s->lane, (double)s->begin_ns + shift_ns, (double)s->ns, trace_args(k));
	}
}

lt_status run_trace_write(struct run *r, const char *path)
{
	const struct run_profile *p = r->profile;
	json_t *events = json_array(), *whole;
	double compiled = trace_compile(r, events);
	struct lt_outfile out;

	trace_name(events, "process_name", 0, r->o.script);
	trace_name(events, "thread_name", COMPILER, "compiling");
	for (uint32_t i = 0; i < p->n_lane; i++)
		trace_name(events, "thread_name", LANES + (int)i, p->lane[i]);
	for (int i = 0; i <= (int)p->n_lane; i++)
		trace_order(events, i, i);
	for (int i = 0; i < p->n_traced; i++)
		trace_run(p, i, compiled - (double)p->traced[0].begin_ns, events);
	whole = json_pack("{s:o,s:s,s:{s:s,s:o}}", "traceEvents", events, "displayTimeUnit", "ns", "otherData", "looptree",
		lt_version(), "backends", lt__json_text(r->backends));
	lt_status s = whole ? lt__out_open(r->ctx, path, &out) : lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	if (!s) {
		const bool good = !json_dumpf(whole, out.file, JSON_COMPACT | LT_JSON_PLAIN | JSON_REAL_PRECISION(15));
		s = lt__out_close(r->ctx, &out, good);
		s = s || good ? s : lt_fail(r->ctx, LT_ENOMEM, "%s: out of memory", path);
	}
	json_decref(whole);
	return s;
}
