/* tools/check_reduce_write.c -- the files of a reduced failure, and the commands that repeat it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "tools/check.h"
#include "tools/check_reduce.h"
#include "tools/tensorfile.h"

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
static lt_status write_data(const struct check_failure *f, const struct reduced *r, const struct lt_graph *g,
	const char *path, bool *has_state)
{
	const struct check_data data = { .seed = f->data_seed, .set = r->set, .special = f->special, .wild = f->wild };
	struct lt_tensors all = { .at = calloc((size_t)g->n_node + 1, sizeof *all.at) };
	void **source = lt__check_data_new(g, &data);
	lt_status st = all.at && source ? LT_OK : LT_ENOMEM;
	for (lt_node x = 0; !st && x < g->n_node; x++) {
		const struct lt_nodedef *n = &g->node[x];
		int64_t shape[LT_MAX_RANK];
		*has_state |= n->op == LT_OP_state;
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

static int32_t count_nodes(const struct lt_graph *g)
{
	int32_t n = 0;
	for (lt_node x = 0; x < g->n_node; x++)
		n += g->node[x].op != LT_OP_input && g->node[x].op != LT_OP_constant && g->node[x].op != LT_OP_state
			&& g->node[x].op != LT_OP_lit;
	return n;
}

static bool has_op(const struct lt_graph *g, enum lt_opcode op)
{
	for (lt_node x = 0; x < g->n_node; x++)
		if (g->node[x].op == op)
			return true;
	return false;
}

static void say_path(FILE *to, const char *option, const char *path)
{
	char word[CHECK_COMMAND] = "";
	lt__check_word(path, word, sizeof word);
	(void)fprintf(to, "%s%s", option, word);
}

/* lt-check sees all that it saw; lt-run only wrong values: where what differs is one. */
static void say_commands(const struct check_failure *f, const struct reduced *r, const struct lt_graph *g,
	const struct paths *p, bool has_state, FILE *to)
{
	int32_t n = count_nodes(g);
	(void)fprintf(to, "reduced to %d computed node%s in %d tries%s\n", (int)n, n == 1 ? "" : "s", r->n_tried,
		r->is_over ? ", which is where time or tries ran out" : "");
	if (!f->backend)
		return;
	(void)fprintf(to, "  lt-check %s", f->backend);
	say_path(to, " --script", p->script);
	if (r->schedule)
		say_path(to, " --schedule", p->schedule);
	(void)fprintf(to, " --data %" PRIu64 "/%d/%d/%d%s\n", f->data_seed, r->set, f->special, f->wild,
		f->limits ? f->limits : "");
	if (!f->what || !(strstr(f->what, " elements are ") || strstr(f->what, " as a whole is off by ")))
		return;
	(void)fprintf(to, "  lt-run %s", f->backend);
	say_path(to, "", p->script);
	(void)fprintf(to, " --no-passes");
	if (r->schedule && !strncmp(r->schedule, "schedule ", 9)) {
		say_path(to, " --schedule", p->schedule);
	} else if (r->schedule) {       /* of the default tree */
		say_path(to, " --apply \"$(cat", p->schedule);
		(void)fprintf(to, ")\"");
	}
	if (has_op(g, LT_OP_input))
		say_path(to, " --inputs", p->data);
	if (has_op(g, LT_OP_constant))
		say_path(to, " -w", p->data);
	(void)fprintf(to, " --verify   # judges values only%s\n", has_state ? "; states begin as zeros" : "");
}

lt_status lt__reduce_write(const struct check_failure *f, const struct reduced *r, char *told, size_t bytes)
{
	struct lt_context *ctx = f->graph->ctx;
	FILE *to = fmemopen(told, bytes, "w");
	struct paths p;
	struct lt_graph *g = NULL;
	bool has_state = false;
	name_files(f, &p);
	lt_status st = to ? lt_graph_parse(ctx, r->graph, strlen(r->graph), p.script, &g) : LT_ENOMEM;
	if (!st)
		st = write_text(ctx, p.script, r->graph);
	if (!st && r->schedule)
		st = write_text(ctx, p.schedule, r->schedule);
	if (!st)
		st = write_data(f, r, g, p.data, &has_state);
	if (!st)
		say_commands(f, r, g, &p, has_state, to);
	lt_graph_free(g);
	if (to)
		(void)fclose(to);
	return st;
}
