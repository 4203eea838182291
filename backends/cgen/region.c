/* backends/cgen/region.c -- a parallel loop: a function that all threads run, each its part of the trips.
 *
 * A function of its own, because a pointer keeps its `restrict` only as a parameter.
 */
#include <string.h>
#include "backends/cgen/gen.h"

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether name occurs in text as a word. */
static bool names(const char *text, const char *name)
{
	size_t n = strlen(name);
	for (const char *at = text; (at = strstr(at, name)) != NULL; at += n)
		if ((at == text || !letter(at[-1])) && !letter(at[n]))
			return true;
	return false;
}

static const char *ctype_of(const struct gen *g, int32_t b)
{
	return LT_AT(struct lt_type, g->t->types, LT_AT(struct lt_buffer, g->t->buffers, b)->type)->ctype;
}

void lt__gen_buffer_parameter(struct gen *g, struct lt_out *o, int32_t b)
{
	const struct place *p = &g->place[b];
	lt__outf(o, "%s%s *%s%s", p->written ? "" : "const ", ctype_of(g, b), p->exclusive ? g->d->pointer : "", p->name);
}

/* Parameters and arguments side by side. */
struct pass { struct lt_out parameter, argument; int n; };

static struct lt_out *more(struct pass *p, const char *argument)
{
	lt__outf(&p->argument, "%s%s", p->n ? ", " : "", argument);
	lt__out(&p->parameter, p->n++ ? ", " : "");
	return &p->parameter;
}

static void pass_buffers(struct gen *g, int32_t region, const char *text, struct pass *pass)
{
	for (int32_t b = 0; b < (int32_t)g->t->buffers.n; b++) {
		const struct place *p = &g->place[b];
		int32_t scope = LT_AT(struct lt_buffer, g->t->buffers, b)->scope;
		if (p->root != b || !names(text, p->name) || (p->home >= HOME_ARRAY && lt__gen_around(g->t, region, scope)))
			continue;
		if (p->home == HOME_SCALAR) {
			lt__outf(more(pass, p->name), "%s %s", ctype_of(g, b), p->name);
		} else if (p->home == HOME_OWN) {
			struct lt_out own = lt__out_new(&g->pool);
			lt__outf(&own, "(void *)(own + %lld)", (long long)p->offset);
			lt__gen_buffer_parameter(g, more(pass, own.at), b);
		} else {
			lt__gen_buffer_parameter(g, more(pass, p->name), b);
		}
	}
}

static void pass_numbers(struct gen *g, int32_t region, const char *text, struct pass *pass)
{
	const struct lt_tree *t = g->t;
	if (names(text, "fault"))
		lt__out(more(pass, "fault"), "struct lt_fault *fault");
	for (int32_t c = 1; c < t->n_column; c++) {
		int32_t loop = c - 1 - t->n_param, div = loop - t->n_loop;
		const char *name = loop < 0 ? g->param[c - 1] : div < 0 ? g->loop[loop] : g->div[div];
		int32_t stands = loop < 0 ? -1 : div < 0 ? loop : LT_AT(struct lt_div, t->divs, div)->loop;
		if (!g->column[c].fixed && lt__gen_around(t, stands, region) && stands != region && names(text, name))
			lt__outf(more(pass, name), "int64_t %s", name);
	}
}

/* The loops that are shared out, and what is in the innermost. */
static void share(struct gen *g, int32_t l)
{
	const struct plan *p = &g->plan[l];
	const char *trip_count[MAX_COLLAPSED];
	int32_t loop[MAX_COLLAPSED], n = 0, at = l;
	for (;;) {
		loop[n] = at;
		trip_count[n++] = lt__gen_trip_count(g, at);
		if (n == p->n_collapsed)
			break;
		for (at++; g->plan[at].mode != MODE_COLLAPSED || LT_AT(struct lt_loop, g->t->loops, at)->parent != loop[n - 1]; at++)
			;
	}
	lt__gen_line(g,
		n > 1 ? "#pragma omp for schedule(static) collapse(%d) nowait"
		      : "#pragma omp for schedule(static) nowait",
		(int)n);
	for (int32_t k = 0; k < n; k++) {
		const char *i = g->loop[loop[k]];
		lt__gen_line(g, "for (int64_t %s = 0; %s < %s; %s++) {", i, i, trip_count[k], i);
		g->indent++;
	}
	const struct lt_loop *inner = LT_AT(struct lt_loop, g->t->loops, at);
	for (int32_t k = 0; k + 1 < n; k++)
		lt__gen_body(g, loop[k], inner->first_stmt, inner->first_stmt);
	lt__gen_body(g, at, inner->first_stmt, inner->first_stmt + inner->n_stmt);
	for (int32_t k = 0; k < n; k++) {
		g->indent--;
		lt__gen_line(g, "}");
	}
}

void lt__gen_region(struct gen *g, int32_t l)
{
	struct lt_out outside = g->body, name = lt__out_new(&g->pool);
	struct pass pass = { .parameter = lt__out_new(&g->pool), .argument = lt__out_new(&g->pool) };
	int indent = g->indent;
	g->body = lt__out_new(&g->pool);
	g->indent = 1;
	g->region = l;
	bool streams = g->streams;
	g->streams = false;
	share(g, l);
	lt__gen_stream_end(g);
	g->streams = streams;
	g->region = -1;
	g->indent = indent;
	struct lt_out text = g->body;
	g->body = outside;
	pass_buffers(g, l, text.at, &pass);
	pass_numbers(g, l, text.at, &pass);
	lt__outf(&name, "%s_%d", g->function, g->n_region++);
	const char *function = lt__gen_unique(g, name.at);
	lt__outf(&g->regions, "%s %s(%s)\n{\n%s}\n\n", g->head, function, pass.n ? pass.parameter.at : "void", text.at);
	lt__gen_line(g, "#pragma omp parallel num_threads(n_thread) if(n_thread > 1)");
	if (g->own) {
		g->uses_own = true;
		lt__gen_line(g, "{");
		lt__gen_line(g, "\tchar *const own = private_ + %lld*(int64_t)omp_get_thread_num();", (long long)g->own);
		lt__gen_line(g, "\t%s(%s);", function, pass.argument.at);
		lt__gen_line(g, "}");
	} else {
		lt__gen_line(g, "%s(%s);", function, pass.argument.at);
	}
}
