/* crossing.c -- what copies between the host's memory and that of devices take, apart from the rest of a run. */
#include "tools/common/common.h"
#include "tools/run/run.h"

static void print_way(const char *way, int32_t n, int64_t bytes, double ns)
{
	char a[32], b[32];

	if (n > 0)
		printf("; %s %s, %s", way, run_bytes_text((double)bytes, a, sizeof a), run_time_text(ns, b, sizeof b));
}

static int32_t between(const struct lt_stats *st) { return st->n_move - st->n_send - st->n_bring; }
static int64_t between_bytes(const struct lt_stats *st) { return st->move_bytes - st->send_bytes - st->bring_bytes; }
/* Where inputs and results are the device's own, nothing may be left that crosses, which is worth saying. */
static bool crosses(const struct run *r, const struct lt_stats *st)
{
	return r->device || st->n_move + st->n_once > 0 || st->device_bytes > 0;
}

void run_crossing_print(const struct run *r, const struct lt_stats *st, const struct run_crossing *c)
{
	char a[32], b[32], d[32];

	if (!crosses(r, st))
		return;
	printf("crossing: %d cop%s between memories a run, %s", st->n_move, st->n_move == 1 ? "y" : "ies",
		run_bytes_text((double)st->move_bytes, a, sizeof a));
	print_way("to devices", st->n_send, st->send_bytes, c->send_ns);
	print_way("from devices", st->n_bring, st->bring_bytes, c->bring_ns);
	print_way("between devices", between(st), between_bytes(st), c->between_ns);
	printf("; the rest of a run takes %s\n", run_time_text(c->rest_ns, a, sizeof a));
	printf("crossing once: %d cop%s of constants, %s, %s; %s in device memory\n", st->n_once,
		st->n_once == 1 ? "y" : "ies",
		run_bytes_text((double)st->once_bytes, a, sizeof a), run_time_text((double)st->once_ns, b, sizeof b),
		run_bytes_text((double)st->device_bytes, d, sizeof d));
}

static json_t *way_json(int32_t n, int64_t bytes, double ns)
{
	return json_pack("{s:i,s:I,s:f}", "copies", (int)n, "bytes", (json_int_t)bytes, "ns", ns);
}

json_t *run_crossing_json(const struct run *r, const struct lt_stats *st, const struct run_crossing *c)
{
	if (!crosses(r, st))
		return json_null();
	return json_pack("{s:o,s:o,s:o,s:o,s:f}", "to_devices", way_json(st->n_send, st->send_bytes, c->send_ns),
		"from_devices", way_json(st->n_bring, st->bring_bytes, c->bring_ns), "between_devices",
		way_json(between(st), between_bytes(st), c->between_ns), "once",
		way_json(st->n_once, st->once_bytes, (double)st->once_ns), "rest_ns", c->rest_ns);
}
