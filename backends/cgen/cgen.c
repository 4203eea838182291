/* backends/cgen/cgen.c -- prints the function of a tree, and the entry that takes slots. */
#include <stdlib.h>
#include <string.h>
#include "backends/cgen/gen.h"
#include "backends/cgen/vector.h"

/* Whether buffer b is a parameter of the kernel. */
static bool is_parameter(const struct gen *g, int32_t b)
{
	return g->place[b].root == b && g->place[b].home <= HOME_WORKSPACE;
}

static bool reads_memory(const struct gen *g, const struct lt_operand *o)
{
	for (int32_t p = 0; p < o->n_piece; p++) {
		const struct lt_piece *piece = LT_AT(struct lt_piece, g->t->pieces, o->first_piece + p);
		if (piece->kind == LT_READ
			&& g->place[LT_AT(struct lt_access, g->t->accesses, piece->access)->buffer].home != HOME_SCALAR)
			return true;
	}
	return false;
}

/* Whether the compiler may make conditions of the trips of a loop around: of an inner one with few trips, some of which
 * may be missing. */
static bool has_few_iterations(const struct gen *g, int32_t l)
{
	enum { MAX_PEELED = 16 };      /* gcc's max-completely-peel-times */
	for (; l >= 0; l = LT_AT(struct lt_loop, g->t->loops, l)->parent) {
		const struct lt_loop *loop = LT_AT(struct lt_loop, g->t->loops, l);
		if (loop->n_bound > 0 && loop->parent >= 0 && loop->max_trip_count <= MAX_PEELED)
			return true;
	}
	return false;
}

/* Whether memory is read where a condition holds: the statement's, by one of several pieces, or in a branch of the
 * operator's text. */
static bool reads_in_branches(const struct gen *g)
{
	const struct lt_tree *t = g->t;
	for (uint32_t i = 0; i < t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		const char *text = s->kind == LT_BARRIER ? "" : lt__op_text(LT_AT(struct lt_op, t->ops, s->op));
		bool branches = strchr(text, '?') || strstr(text, "&&") || strstr(text, "||") || s->n_guard > 0
			|| has_few_iterations(g, s->loop);
		for (int32_t k = 0; k < s->n_operand; k++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, t->operands, s->first_operand + k);
			if ((branches || o->n_piece > 1) && reads_memory(g, o))
				return true;
		}
	}
	return false;
}

static void function(struct gen *g, struct lt_out *o)
{
	const struct lt_tree *t = g->t;
	int n = 0;
	lt__outf(o, "%s%s %s(", g->regions.at, g->head, g->function);
	for (int32_t b = 0; b < (int32_t)t->buffers.n; b++) {
		if (!is_parameter(g, b))
			continue;
		lt__out(o, n++ ? ", " : "");
		lt__gen_buffer_parameter(g, o, b);
	}
	if (g->uses_fault)
		lt__outf(o, "%sstruct lt_fault *fault", n++ ? ", " : "");
	if (g->uses_own)
		lt__outf(o, "%schar *private_", n++ ? ", " : "");
	if (g->n_region)
		lt__outf(o, "%sconst struct lt_team *team", n++ ? ", " : "");
	lt__outf(o, "%s)\n{\n", n ? "" : "void");
	for (int32_t i = 0; i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		lt__outf(o, "\tconst int64_t %s = %s[%lld];\n", g->param[i], g->place[p->buffer].name, (long long)p->element);
	}
	lt__outf(o, "%s}\n", g->body.at);
}

static void entry(struct gen *g, struct lt_out *o)
{
	int n = 0;
	lt__outf(o,
		"\nvoid %s%s(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team *team)"
		"\n{\n%s\t%s(",
		g->named ? g->function : g->d->entry, g->named ? "_entry" : "",
		g->named ? "\t(void)workspace, (void)fault, (void)team;\n" : "", g->function);
	for (int32_t b = 0; b < (int32_t)g->t->buffers.n; b++) {
		if (!is_parameter(g, b))
			continue;
		lt__out(o, n++ ? ", " : "");
		if (g->place[b].home == HOME_SLOT)
			lt__outf(o, "lt_slot_at(slot, %d)", (int)LT_AT(struct lt_buffer, g->t->buffers, b)->slot);
		else
			lt__outf(o, "(void *)(workspace + %lld)", (long long)g->place[b].offset);
	}
	if (g->uses_fault)
		lt__outf(o, "%sfault", n++ ? ", " : "");
	if (g->uses_own)
		lt__outf(o, "%sworkspace + %lld", n++ ? ", " : "", (long long)g->shared);
	if (g->n_region)
		lt__outf(o, "%steam", n++ ? ", " : "");
	lt__out(o, ");\n}\n");
}

static void lists(struct gen *g)
{
	const struct lt_tree *t = g->t;
	size_t n = (size_t)t->n_loop + 1;
	g->first_local = lt__pool_alloc(&g->pool, n, sizeof *g->first_local);
	g->first_div = lt__pool_alloc(&g->pool, n, sizeof *g->first_div);
	g->next_div = lt__pool_alloc(&g->pool, (size_t)t->n_div, sizeof *g->next_div);
	for (size_t i = 0; i < n; i++)
		g->first_local[i] = g->first_div[i] = -1;
	for (int32_t d = t->n_div; d-- > 0; ) {
		int32_t *first = &g->first_div[LT_AT(struct lt_div, t->divs, d)->loop + 1];
		g->next_div[d] = *first;
		*first = d;
	}
}

static void walk(struct gen *g)
{
	lt__gen_names(g);
	lt__gen_columns(g);
	g->body = lt__out_new(&g->pool);
	g->regions = lt__out_new(&g->pool);
	g->indent = 1;
	g->region = -1;
	g->uses_fault = g->uses_own = false;
	g->aheads = NULL;
	g->streams = false;
	lt__gen_body(g, -1, 0, (int32_t)g->t->stmts.n);
	lt__gen_stream_end(g);
}

static void print(struct gen *g, struct lt_out *o)
{
	lists(g);
	lt__gen_columns(g);
	lt__gen_plan(g);
	lt__gen_assign_storage(g);
	g->head = g->d->branching_function && reads_in_branches(g) ? g->d->branching_function : g->d->function;
	walk(g);
	lt__gen_registers(g);
	walk(g);
	struct lt_out code = lt__out_new(&g->pool), vectors = lt__out_new(&g->pool), both = lt__out_new(&g->pool);
	function(g, &code);
	entry(g, &code);
	lt__vector_defs(&g->pool, code.at, &vectors);
	lt__outf(&both, "%s\n%s", vectors.at, code.at);
	lt__gen_chunks(g, both.at, o);
	lt__out(o, vectors.at);
	g->definitions = o->n;
	lt__outf(o, "\n%s", code.at);
}

lt_status lt__cgen_print(const struct lt_dialect *d, const struct lt_tree *t, int named, char **text,
	struct lt_cgen_need *need, struct lt_diag *diag)
{
	*text = NULL;
	*need = (struct lt_cgen_need){ 0 };
	lt_status status = lt__cgen_accepts(d, t, diag);
	if (status)
		return status;
	struct gen *g = calloc(1, sizeof *g);
	if (g) {
		g->t = t;
		g->d = d;
		g->named = named != 0;
		if (setjmp(g->pool.jump) == 0) {
			struct lt_out o = lt__out_new(&g->pool);
			print(g, &o);
			*need = (struct lt_cgen_need){ .shared = g->shared, .private_ = g->own, .threads = g->n_region > 0,
				.definitions = g->definitions };
			*text = malloc(o.n + 1);
			if (*text)
				memcpy(*text, o.at, o.n + 1);
		}
		lt__pool_free(&g->pool);
		free(g);
	}
	return *text ? LT_OK : lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
}
