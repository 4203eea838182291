/* profile_json.c -- a profile as JSON: what the table has, and all nodes. */
#include "tools/common/common.h"
#include "tools/run/profile.h"

static json_t *profile_node_json(const struct lt_kernel_node *n)
{
	json_t *o = json_object();

	json_object_set_new(o, "name", lt__json_text(n->name));
	json_object_set_new(o, "op", lt__json_text(n->op));
	json_object_set_new(o, "file", lt__json_text(n->file));
	json_object_set_new(o, "line", n->line > 0 ? json_integer(n->line) : json_null());
	json_object_set_new(o, "column", n->line > 0 ? json_integer(n->column) : json_null());
	json_object_set_new(o, "part", lt__json_text(n->part));
	json_object_set_new(o, "added", json_boolean(n->derived));
	return o;
}

static json_t *profile_kernel_json(const struct run_kernel *k)
{
	static const char *const kinds[] = { "kernel", "blocks", "copy", "crossing" };
	json_t *nodes = json_array();
	const struct lt_profile_step *s = &k->step;

	for (uint32_t i = 0; i < s->n_node; i++)
		json_array_append_new(nodes, profile_node_json(&s->node[i]));
	json_t *o = json_pack("{s:s,s:o,s:o,s:o,s:f,s:I,s:f,s:I,s:I,s:I,s:f,s:f}", "kind", kinds[s->kind], "name",
		lt__json_text(s->name), "backend", lt__json_text(s->backend), "same_as", lt__json_text(s->same_as), "ns",
		k->median_ns, "first_ns", (json_int_t)k->first_ns, "share", k->share, "flops", (json_int_t)s->useful,
		"executed_flops", (json_int_t)s->executed, "bytes", (json_int_t)s->bytes, "gflop_per_s", k->flops / 1e9,
		"gb_per_s", k->bytes / 1e9);
	json_object_update_new(o, json_pack("{s:o,s:o,s:o,s:s,s:o,s:i,s:i,s:s,s:o}", "of_peak",
		k->of_flops > 0 ? json_real(k->of_flops) : json_null(), "of_bandwidth",
		k->of_bytes > 0 ? json_real(k->of_bytes) : json_null(), "possible_ns",
		k->predicted_ns > 0 ? json_real(k->predicted_ns) : json_null(), "bound", run_bound_name(k->bound), "busy_threads",
		k->threads > 0 ? json_real(k->threads) : json_null(), "threads", (int)s->n_thread, "parallel_loops", (int)s->n_team,
		"clock", s->clock == LT_PROFILE_DEVICE ? "device" : "host", "nodes", nodes));
	return o;
}

json_t *run_profile_object(const struct run *r)
{
	struct run_profile *p = r->profile;
	json_t *kernels = json_array(), *limits;
	const struct run_limits *l = &p->limits;

	for (int32_t i = 0; i < p->n_kernel; i++)
		json_array_append_new(kernels, profile_kernel_json(&p->kernel[p->order[i].at]));
	limits = l->flops > 0 ? json_pack("{s:i,s:b,s:f,s:f,s:f,s:s}", "threads", l->threads, "device", l->device,
		"flop_per_s", l->flops, "read_bytes_per_s", l->read, "copy_bytes_per_s", l->copy, "measured", l->when) : json_null();
	const int64_t stamps = run_median(p->stamps, p->n_sample);
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:I,s:f,s:o,s:o,s:o}", "runs",
		(json_int_t)p->n_sample, "median_ns", (json_int_t)p->median_run, "first_ns", (json_int_t)p->first_ns, "kernels_ns",
		(json_int_t)p->median_kernels, "flops", (json_int_t)p->work.useful, "bytes", (json_int_t)p->work.bytes, "check_ns",
		(json_int_t)run_median(p->check_ns, p->n_sample), "between_ns",
		(json_int_t)run_median(p->launch_ns, p->n_sample), "copy_ns",
		(json_int_t)run_median(p->copy_ns[LT_PROFILE_STAYS], p->n_sample),
		"wait_ns", (json_int_t)run_median(p->wait_ns, p->n_sample), "clock_readings", (json_int_t)stamps,
		"ns_a_reading", (double)p->stamp_ps / 1e3, "dropped_spans", (json_int_t)p->n_dropped, "lost_processor", p->lost,
		"limits", limits, "kernels", kernels, "crossing", run_crossing_json(r, &p->stats, &p->crossing));
}
