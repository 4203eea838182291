/* dot.c -- a graph as graphviz text: nodes as boxes, sources and results marked, edges from operand to reader. */
#include <string.h>
#include "ir/graph/graph.h"

struct dot {
	const struct lt_graph *g;
	struct lt_text text;
	void (*write)(void *, const char *, size_t);
	void *user;
};

/* A string literal of the dot language: backslash and quote are escaped. */
static void add_quoted(struct lt_text *t, const char *s)
{
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			lt__text_add(t, "\\", 1);
		lt__text_add(t, s, 1);
	}
}

static void flush(struct dot *d)
{
	if (d->text.n)
		d->write(d->user, d->text.at, d->text.n);
	d->text.n = 0;
}

static void print_node(struct dot *d, lt_node n)
{
	const struct lt_nodedef *node = &d->g->node[n];
	struct lt_text *t = &d->text;
	bool source = node->op == LT_OP_input || node->op == LT_OP_constant || node->op == LT_OP_state;

	lt__text_format(t, "  n%d [label=\"%%", (int)n);
	add_quoted(t, node->name);
	lt__text_format(t, " = %s%s", lt__op_info(node->op)->name, node->reduce ? ".reduce" : "");
	if (node->label) {
		lt__text_add(t, " ", 1);
		add_quoted(t, node->label);
	}
	lt__text_format(t, "\\n%s[", lt__dtype_info(node->dtype)->name);
	for (int32_t i = 0; i < node->n_dim; i++)
		lt__text_format(t, "%s%s %lld", i ? ", " : "", d->g->var[node->dim[i]].name,
			(long long)d->g->var[node->dim[i]].extent);
	lt__text_format(t, "]\"%s];\n", source ? ", shape=ellipse" : node->op == LT_OP_view ? ", style=dashed" : "");
	for (int32_t i = 0; i < node->n_operand; i++)
		lt__text_format(t, "  n%d -> n%d;\n", (int)node->operand[i], (int)n);
}

static lt_status print_body(void *arg)
{
	struct dot *d = arg;
	const struct lt_graph *g = d->g;

	lt__text_format(&d->text, "digraph looptree {\n  node [shape=box, fontname=monospace];\n");
	for (lt_node n = 0; n < g->n_node; n++) {
		print_node(d, n);
		flush(d);
	}
	for (int32_t i = 0; i < g->n_result; i++) {
		lt__text_format(&d->text, "  r%d [label=\"", (int)i);
		add_quoted(&d->text, g->result[i].name);
		lt__text_format(&d->text, "\", shape=plaintext];\n  n%d -> r%d;\n", (int)g->result[i].node, (int)i);
	}
	for (int32_t i = 0; i < g->n_set; i++)
		lt__text_format(&d->text, "  n%d -> n%d [style=dotted, constraint=false];\n", (int)g->set[i].value,
			(int)g->set[i].state);
	lt__text_format(&d->text, "}\n");
	flush(d);
	return LT_OK;
}

lt_status lt_graph_dot(const struct lt_graph *g, void (*write)(void *, const char *, size_t), void *user)
{
	struct dot d = { .g = g, .write = write, .user = user };

	LT_TRY(lt__arena_new(g->ctx, &d.text.arena));
	lt_status st = lt__protect(g->ctx, print_body, &d);
	lt__arena_free(d.text.arena);
	return st;
}
