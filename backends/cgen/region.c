/* backends/cgen/region.c -- a parallel loop: functions for a range of its points, and the call that shares them out.
 *
 *   NAME_0(buffers, numbers, first, last)      the points first .. last-1.  A function of its own, because a pointer
 *                                              keeps its `restrict` only as a parameter.
 *   NAME_0_team(arg, first, last, thread)      what the host calls, on any thread: takes struct NAME_0_args apart.
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

/* What the function takes, side by side: parameters and arguments of the range, members of the struct and what they are
 * set to. */
struct pass { struct lt_out parameter, argument, member, value; int n_member; bool own; };

static struct pass pass_new(struct gen *g)
{
	return (struct pass){ .parameter = lt__out_new(&g->pool), .argument = lt__out_new(&g->pool),
		.member = lt__out_new(&g->pool), .value = lt__out_new(&g->pool) };
}

static void pass_member(struct pass *p, const char *type, const char *name)
{
	lt__outf(&p->member, " %s%s;", type, name);
	lt__outf(&p->value, "%s%s", p->n_member++ ? ", " : "", name);
}

static void pass_value(struct pass *p, const char *type, const char *name)
{
	pass_member(p, type, name);
	lt__outf(&p->parameter, "%s%s, ", type, name);
	lt__outf(&p->argument, "a->%s, ", name);
}

static void pass_buffer(struct gen *g, int32_t b, struct pass *pass)
{
	const struct place *p = &g->place[b];
	struct lt_out type = lt__out_new(&g->pool);
	lt__outf(&type, p->home == HOME_SCALAR || p->written ? "%s " : "const %s ", ctype_of(g, b));
	if (p->home == HOME_SCALAR) {
		pass_value(pass, type.at, p->name);
		return;
	}
	lt__gen_buffer_parameter(g, &pass->parameter, b);
	lt__out(&pass->parameter, ", ");
	if (p->home == HOME_OWN) {
		lt__outf(&pass->argument, "(void *)(own + %lld), ", (long long)p->offset);
		pass->own = true;
		return;
	}
	lt__out(&type, "*");
	pass_member(pass, type.at, p->name);
	lt__outf(&pass->argument, "a->%s, ", p->name);
}

static void pass_buffers(struct gen *g, int32_t region, const char *text, struct pass *pass)
{
	for (int32_t b = 0; b < (int32_t)g->t->buffers.n; b++) {
		const struct place *p = &g->place[b];
		int32_t scope = LT_AT(struct lt_buffer, g->t->buffers, b)->scope;
		if (p->root == b && names(text, p->name) && !(p->home >= HOME_ARRAY && lt__gen_around(g->t, region, scope)))
			pass_buffer(g, b, pass);
	}
}

static void pass_numbers(struct gen *g, int32_t region, const char *text, struct pass *pass)
{
	const struct lt_tree *t = g->t;
	if (names(text, "fault"))
		pass_value(pass, "struct lt_fault *", "fault");
	for (int32_t c = 1; c < t->n_column; c++) {
		int32_t loop = c - 1 - t->n_param, div = loop - t->n_loop;
		const char *name = loop < 0 ? g->param[c - 1] : div < 0 ? g->loop[loop] : g->div[div];
		int32_t stands = loop < 0 ? -1 : div < 0 ? loop : LT_AT(struct lt_div, t->divs, div)->loop;
		if (!g->column[c].fixed && lt__gen_around(t, stands, region) && stands != region && names(text, name))
			pass_value(pass, "int64_t ", name);
	}
}

/* The loops that are shared out as one, outermost first. */
static int32_t region_loops(const struct gen *g, int32_t l, int32_t *loop)
{
	int32_t n = 0;
	for (int32_t at = l; ; ) {
		loop[n++] = at;
		if (n == g->plan[l].n_collapsed)
			return n;
		for (at++; g->plan[at].mode != MODE_COLLAPSED || LT_AT(struct lt_loop, g->t->loops, at)->parent != loop[n - 1]; at++)
			;
	}
}

static bool is_number(const char *text) { return text[strspn(text, "0123456789")] == '\0'; }

/* The trip counts of the loops, each as a text that can stand as an operand. */
static void region_counts(struct gen *g, const int32_t *loop, int32_t n, const char **count)
{
	for (int32_t k = 0; k < n; k++) {
		struct lt_out o = lt__out_new(&g->pool);
		const char *text = lt__gen_trip_count(g, loop[k]), *end = text;
		while (letter(*end))
			end++;
		lt__outf(&o, n > 1 && *end ? "(%s)" : "%s", text);
		count[k] = o.at;
	}
}

/* The points of all loops together; a count that is no number may be negative, and then there are none. */
static const char *region_points(struct gen *g, const char *const *count, int32_t n)
{
	struct lt_out o = lt__out_new(&g->pool);
	for (int32_t k = 0; k < n; k++)
		lt__outf(&o, n == 1 || is_number(count[k]) ? "%s%s" : "%slt_max_i64(%s, 0)", k ? "*" : "", count[k]);
	return o.at;
}

/* Of loops that are counted as one, the indices of the range's first point. */
static void region_begin(struct gen *g, const int32_t *loop, const char *const *count, int32_t n)
{
	for (int32_t k = 0; k < n; k++) {
		struct lt_out o = lt__out_new(&g->pool);
		for (int32_t i = n - 1; i > k; i--)
			lt__outf(&o, " / %s", count[i]);
		if (k > 0)
			lt__outf(&o, " %% %s", count[k]);
		lt__gen_line(g, "int64_t %s = first%s;", g->loop[loop[k]], o.at);
	}
}

/* And those of the next one. */
static void region_next(struct gen *g, const int32_t *loop, const char *const *count, int32_t n)
{
	for (int32_t k = n; k-- > 1; ) {
		lt__gen_line(g, "if (++%s == %s) {", g->loop[loop[k]], count[k]);
		g->indent++;
		lt__gen_line(g, "%s = 0;", g->loop[loop[k]]);
	}
	lt__gen_line(g, "%s++;", g->loop[loop[0]]);
	for (int32_t k = n; k-- > 1; ) {
		g->indent--;
		lt__gen_line(g, "}");
	}
}

/* The points first .. last-1, each what is in the innermost of the loops. */
static void region_range(struct gen *g, const int32_t *loop, int32_t n)
{
	const struct lt_loop *inner = LT_AT(struct lt_loop, g->t->loops, loop[n - 1]);
	const char *count[MAX_COLLAPSED], *i = n == 1 ? g->loop[loop[0]] : "point";
	if (n > 1) {
		region_counts(g, loop, n, count);
		region_begin(g, loop, count, n);
	}
	lt__gen_line(g, "for (int64_t %s = first; %s < last; %s++) {", i, i, i);
	g->indent++;
	for (int32_t k = 0; k + 1 < n; k++)
		lt__gen_body(g, loop[k], inner->first_stmt, inner->first_stmt);
	lt__gen_body(g, loop[n - 1], inner->first_stmt, inner->first_stmt + inner->n_stmt);
	if (n > 1)
		region_next(g, loop, count, n);
	g->indent--;
	lt__gen_line(g, "}");
}

/* The body of the function for a range of the points of region l. */
static struct lt_out region_text(struct gen *g, int32_t l, const int32_t *loop, int32_t n)
{
	struct lt_out outside = g->body;
	int indent = g->indent;
	bool streams = g->streams;
	g->body = lt__out_new(&g->pool);
	g->indent = 1;
	g->region = l;
	g->streams = false;
	region_range(g, loop, n);
	lt__gen_stream_end(g);
	g->streams = streams;
	g->region = -1;
	g->indent = indent;
	struct lt_out text = g->body;
	g->body = outside;
	return text;
}

/* The function that the host calls. */
static void region_team(struct gen *g, const char *function, const struct pass *pass)
{
	lt__outf(&g->regions, "static void %s_team(void *arg, int64_t first, int64_t last, uint32_t thread)\n{\n", function);
	if (pass->n_member)
		lt__outf(&g->regions, "\tconst struct %s_args *const a = arg;\n", function);
	if (pass->own)
		lt__outf(&g->regions, "\tchar *const own = a->private_ + %lld*(int64_t)thread;\n", (long long)g->own);
	lt__outf(&g->regions, "\t%s%s%s(%sfirst, last);\n}\n\n", pass->n_member ? "" : "(void)arg;\n\t",
		pass->own ? "" : "(void)thread;\n\t", function, pass->argument.at);
}

void lt__gen_region(struct gen *g, int32_t l)
{
	struct pass pass = pass_new(g);
	struct lt_out name = lt__out_new(&g->pool);
	const char *count[MAX_COLLAPSED];
	int32_t loop[MAX_COLLAPSED], n = region_loops(g, l, loop);
	struct lt_out text = region_text(g, l, loop, n);
	pass_buffers(g, l, text.at, &pass);
	pass_numbers(g, l, text.at, &pass);
	if (pass.own)
		pass_member(&pass, "char *", "private_");
	g->uses_own = g->uses_own || pass.own;
	lt__outf(&name, "%s_%d", g->function, g->n_region++);
	const char *function = lt__gen_unique(g, name.at);
	if (pass.n_member)
		lt__outf(&g->regions, "struct %s_args {%s };\n\n", function, pass.member.at);
	lt__outf(&g->regions, "%s %s(%sint64_t first, int64_t last)\n{\n%s}\n\n", g->head, function, pass.parameter.at,
		text.at);
	region_team(g, function, &pass);
	region_counts(g, loop, n, count);
	lt__gen_line(g, "{");
	g->indent++;
	if (pass.n_member)
		lt__gen_line(g, "struct %s_args args = { %s };", function, pass.value.at);
	lt__gen_line(g, "team->parallel_for(team->host, team->n_thread, %s, %s_team, %s);", region_points(g, count, n),
		function, pass.n_member ? "&args" : "0");
	g->indent--;
	lt__gen_line(g, "}");
}
