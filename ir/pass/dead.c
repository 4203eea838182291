/* dead.c -- dead code: nodes that no result, state or param needs go. */
#include "ir/node/node.h"
#include "ir/pass/pass.h"

static lt_status keep_live(struct lt_frame *f)
{
	const bool *live = lt__frame_live(f);

	for (lt_node x = 0; x < f->in->n_node; x++) {
		struct lt_nodedef n;

		if (!live[x])
			continue;
		n = lt__frame_node(f, x);
		f->to[x] = lt__graph_add(f->out, &n);
		if (f->to[x] < 0)
			return f->in->ctx->code;
	}
	return lt__own_carry(f->in, f->to, f->out, f->scratch);
}

/* Needs: nothing.  Keeps: names, order, everything live.  Breaks: node numbers. */
lt_status lt__pass_dead(const struct lt_graph *in, struct lt_graph **out)
{
	return lt__frame_run(in, keep_live, out);
}
