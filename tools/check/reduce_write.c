/* reduce_write.c -- the files of a reduced failure, and the commands that repeat it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "tools/check/check.h"
#include "tools/check/reduce.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

struct paths { char script[1200], schedule[1200], data[1200]; };

static void name_files(const struct check_failure *f, struct paths *p)
{
	char clean[100];
	size_t n = 0;
	for (const char *s = f->name; *s && n + 1 < sizeof clean; s++)
		clean[n++] = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '_' ? *s : '-';
	clean[n] = '\0';
	(void)snprintf(p->script, sizeof p->script, "%.1000s/%s.lt", f->keep, clean);
	(void)snprintf(p->schedule, sizeof p->schedule, "%.1000s/%s.schedule", f->keep, clean);
	(void)snprintf(p->data, sizeof p->data, "%.1000s/%s.safetensors", f->keep, clean);
}

static lt_status write_text(struct lt_context *ctx, const char *path, const char *text)
{
	struct lt_outfile out;
	LT_TRY(lt__out_open(ctx, path, &out));
	return lt__out_close(ctx, &out, fputs(text, out.file) >= 0);
}

/* The inputs and constants that it fails with; states begin as zeros in a run of their own. */
static lt_status write_data(
	const struct check_failure *f, const struct reduced *r, const struct lt_graph *g, const char *path)
{
	const struct check_data data = { .seed = f->data_seed, .set = r->set, .special = f->special, .wild = f->wild };
	struct lt_tensors all = { .at = calloc((size_t)g->n_node + 1, sizeof *all.at) };
	void **source = lt__check_data_new(g, &data);
	lt_status st = all.at && source ? LT_OK : LT_ENOMEM;
	for (lt_node x = 0; !st && x < g->n_node; x++) {
		const struct lt_nodedef *n = &g->node[x];
		int64_t shape[LT_MAX_RANK];
		if (n->op != LT_OP_input && n->op != LT_OP_constant)
			continue;
		for (int32_t i = 0; i < n->n_dim; i++)
			shape[i] = g->var[n->dim[i]].extent;
		st = lt__tensor_new(g->ctx, path, n->label, n->dtype, n->n_dim, shape, &all.at[all.n]);
		if (!st) {
			memcpy(all.at[all.n].data, source[x], all.at[all.n].bytes);
			all.n++;
		}
	}
	if (!st)
		st = lt__tensors_write(g->ctx, path, &all);
	if (source)
		lt__check_data_free(g, source);
	lt__tensors_free(&all);
	return st;
}

static int count_op(const struct lt_graph *g, enum lt_opcode op)
{
	int n = 0;
	for (lt_node x = 0; x < g->n_node; x++)
		n += g->node[x].op == op;
	return n;
}

/* lt-check sees all that it saw; lt-run only wrong values: where what differs is one. */
static void say_commands(const struct check_failure *f, const struct reduced *r, const struct lt_graph *g,
	const struct paths *p, FILE *to)
{
	const int input = count_op(g, LT_OP_input), constant = count_op(g, LT_OP_constant), state = count_op(g, LT_OP_state),
		n = g->n_node - input - constant - state - count_op(g, LT_OP_lit);
	(void)fprintf(to, "reduced to %d computed node%s in %d tries%s\n", n, n == 1 ? "" : "s", r->n_tried,
		r->is_over ? ", which is where time or tries ran out" : "");
	if (!f->backend)
		return;
	(void)fprintf(to, "  lt-check %s --script %s", f->backend, lt__shell(p->script).text);
	if (r->schedule)
		(void)fprintf(to, " --schedule %s", lt__shell(p->schedule).text);
	(void)fprintf(to, " --data %" PRIu64 "/%d/%d/%d%s\n", f->data_seed, r->set, f->special, f->wild,
		f->limits ? f->limits : "");
	if (!f->what || !(strstr(f->what, " elements are ") || strstr(f->what, " as a whole is off by ")))
		return;
	(void)fprintf(to, "  lt-run %s %s --no-passes", f->backend, lt__shell(p->script).text);
	if (r->schedule && !strncmp(r->schedule, "schedule ", 9))
		(void)fprintf(to, " --schedule %s", lt__shell(p->schedule).text);
	else if (r->schedule)           /* of the default tree */
		(void)fprintf(to, " --apply \"$(cat %s)\"", lt__shell(p->schedule).text);
	if (input)
		(void)fprintf(to, " --inputs %s", lt__shell(p->data).text);
	if (constant)
		(void)fprintf(to, " -w %s", lt__shell(p->data).text);
	(void)fprintf(to, " --verify   # judges values only%s\n", state ? "; states begin as zeros" : "");
}

lt_status lt__reduce_write(const struct check_failure *f, const struct reduced *r, char *text, size_t bytes)
{
	struct lt_context *ctx = f->graph->ctx;
	struct paths p;
	struct lt_graph *g;
	if (mkdir(f->keep, 0777) && errno != EEXIST)
		return lt_fail(ctx, LT_EIO, "%s: cannot be made: %s", f->keep, strerror(errno));
	name_files(f, &p);
	LT_TRY(lt_graph_parse(ctx, r->graph, strlen(r->graph), p.script, &g));
	FILE *to = fmemopen(text, bytes, "w");
	lt_status st = to ? write_text(ctx, p.script, r->graph) : lt_fail(ctx, LT_ENOMEM, "out of memory");
	if (!st && r->schedule)
		st = write_text(ctx, p.schedule, r->schedule);
	if (!st)
		st = write_data(f, r, g, p.data);
	if (!st)
		say_commands(f, r, g, &p, to);
	lt_graph_free(g);
	if (to)
		(void)fclose(to);
	return st;
}
