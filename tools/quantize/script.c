/* script.c -- a candidate's graph, and the script of a graph, with a file of its weights beside it. */
#include <stdlib.h>
#include <string.h>
#include "frontends/script/print/print.h"
#include "tools/quantize/quantize.h"

/* Nodes that a result depends on: a script has no others. */
static bool *needed_nodes(const struct lt_graph *g)
{
	bool *needed = calloc((size_t)g->n_node + 1, sizeof *needed);
	for (int32_t i = 0; needed && i < g->n_result; i++)
		needed[g->result[i].node] = true;
	for (lt_node x = g->n_node; needed && x-- > 0; )
		for (int32_t k = 0; needed[x] && k < g->node[x].n_operand; k++)
			needed[g->node[x].operand[k]] = true;
	return needed;
}

lt_status quantize_count_kept(struct quantizing *z, const struct lt_graph *g)
{
	bool *needed = needed_nodes(g);
	if (!needed)
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	for (lt_node x = 0; x < g->n_node; x++)
		if (g->node[x].op == LT_OP_constant && needed[x] && lt__quant_is_kept(z->q, g->node[x].content))
			z->kept += lt__node_elems(g, x) * (int64_t)lt_dtype_bytes(g->node[x].dtype);
	free(needed);
	return LT_OK;
}

/* name: of the file beside the script; NULL: there are no constants, and no file. */
static lt_status write_weights(struct quantizing *z, const struct lt_graph *g, const char *script, char **name)
{
	struct lt_tensors t = { .at = calloc((size_t)g->n_node + 1, sizeof *t.at) };
	char *path = model_weights_path(script);
	bool *needed = needed_nodes(g);
	lt_status s = t.at && path && needed ? LT_OK : lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	for (lt_node x = 0; x < g->n_node && !s; x++) {
		const struct lt_nodedef *d = &g->node[x];
		if (d->op != LT_OP_constant || !needed[x])
			continue;
		int64_t *shape = calloc((size_t)d->n_dim + 1, sizeof *shape);
		char *label = strdup(d->label);
		if (!shape || !label) {
			free(shape);
			free(label);
			s = lt_fail(z->ctx, LT_ENOMEM, "out of memory");
			break;
		}
		for (int32_t i = 0; i < d->n_dim; i++)
			shape[i] = g->var[d->dim[i]].extent;
		t.at[t.n++] = (struct lt_tensor){ .name = label, .dtype = d->dtype, .rank = d->n_dim, .shape = shape,
			.bytes = (size_t)lt__node_elems(g, x) * lt_dtype_bytes(d->dtype), .data = (void *)(uintptr_t)d->content,
			.borrowed = true };
	}
	const bool some = t.n > 0;
	if (!s && some)
		s = lt__safetensors_write(z->ctx, path, &t);
	lt__tensors_free(&t);
	free(needed);
	if (!some) {
		free(path);
		path = NULL;
	}
	*name = path;
	return s;
}

static const char *last_name(const char *path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }

lt_status quantize_script_write(struct quantizing *z, const struct lt_graph *g, const char *path)
{
	struct lt_outfile out;
	char *weights = NULL;
	lt_status s = write_weights(z, g, path, &weights);
	if (!s && !(s = lt__out_open(z->ctx, path, &out))) {
		struct lt_says says = { .to = out.file };
		lt__say(out.file, "# %s in integers: an integer q of a value that means %s.\n", lt__shown(last_name(z->o.model)).text,
			z->q && z->q->any ? "0.02 stands for q * 0.02" : "2^-7 stands for q / 128");
		if (weights)
			lt__say(out.file, "# weights: %s\n", lt__shown(last_name(weights)).text);
		s = lt__script_print(g, lt__say_piece, &says);
		lt__say_end(&says);
		const lt_status closed = lt__out_close(z->ctx, &out, !s);
		s = s ? s : closed;
	}
	free(weights);
	return s;
}

lt_status quantize_graph(struct quantizing *z, const struct quantize_candidate *c, struct lt_arena *arena,
	struct lt_quant_derived *d, struct lt_graph **out)
{
	LT_TRY(quantize_give(z, c, arena, d));
	return z->q->mode == LT_QUANT_STATIC ? lt__quant_result(z->q, c->format, d, out)
		: lt__quant_floats(z->q, 0, c->format, d, out);
}
