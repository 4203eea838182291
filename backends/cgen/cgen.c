/* backends/cgen/cgen.c -- prints the function of a tree: its head, loops and statements. */
#include <stdlib.h>
#include <string.h>
#include "backends/cgen/gen.h"

static void line(struct gen *g, const char *text)
{
	for (int i = 0; i < g->indent; i++)
		lt__out_bytes(&g->body, "\t", 1);
	lt__outf(&g->body, "%s\n", text);
}

/* Text from outside that may not end the comment it stands in. */
static void quote(struct lt_out *o, const char *text)
{
	for (const char *s = text ? text : ""; *s; s++) {
		bool bad = (unsigned char)*s < 32 || *s == 127 || *s == '\\' || (*s == '/' && s > text && s[-1] == '*')
			|| (*s == '*' && s > text && s[-1] == '/');
		lt__out_bytes(o, bad ? "?" : s, 1);
	}
}

/* Once for each node: its reset comes first, its other statements follow. */
static void say_node(struct gen *g, const struct lt_stmt *st)
{
	if (!g->named || !st->name || lt__nameset_find(&g->said, st->name))
		return;
	lt__nameset_add(&g->said, st->name, 1);
	struct lt_out o = lt__out_new(&g->pool);
	lt__out(&o, st->name[0] == '%' ? "/* " : "/* %");
	quote(&o, st->name);
	if (st->kind != LT_BARRIER) {
		lt__out(&o, " = ");
		quote(&o, LT_AT(struct lt_op, g->t->ops, st->op)->name);
		lt__out(&o, st->kind == LT_MAP ? "" : ".reduce");
	}
	if (st->line > 0)
		lt__outf(&o, ", line %d", (int)st->line);
	lt__out(&o, " */");
	line(g, o.at);
}

/* A name or a number. */
static bool is_word(const char *text)
{
	while ((*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || *text == '_')
		text++;
	return *text == '\0';
}

/* The right side of a reduction "($0 + $1)" is better said as +=. */
static const char *compound(const struct lt_op *op)
{
	return strcmp(lt__op_text(op), "($0 + $1)") == 0 ? "+=" : strcmp(lt__op_text(op), "($0 * $1)") == 0 ? "*=" : NULL;
}

static void stmt(struct gen *g, int32_t s)
{
	const struct lt_tree *t = g->t;
	const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
	if (st->kind == LT_BARRIER)
		return;                         /* one thread has nothing to wait for */
	const struct lt_op *op = LT_AT(struct lt_op, t->ops, st->op);
	const struct lt_access *dest = LT_AT(struct lt_access, t->accesses, st->dest);
	struct place *p = &g->place[g->place[dest->buffer].root];
	struct expr x[4] = { { NULL, false } };
	struct lt_out o = lt__out_new(&g->pool);
	int first = st->kind == LT_REDUCE;
	say_node(g, st);
	if (st->n_guard) {
		lt__outf(&o, "if (%s) {", lt__gen_guards(g, st->first_guard, st->n_guard));
		line(g, o.at);
		g->indent++;
	}
	const char *to = lt__gen_access(g, s, st->dest);
	x[0] = st->kind == LT_RESET ? lt__gen_immediate(g, op->identity, op->out) : (struct expr){ to, true };
	for (int i = 0; i < st->n_operand; i++) {
		struct expr *e = &x[first + i];
		const struct lt_operand *operand = LT_AT(struct lt_operand, t->operands, st->first_operand + i);
		*e = lt__gen_operand(g, s, operand);
		if (st->kind != LT_RESET && lt__gen_uses(op, first + i) > 1 && !is_word(e->text)) {
			struct lt_out number = lt__out_new(&g->pool), temp = lt__out_new(&g->pool);
			lt__outf(&number, "t%d", g->n_temp++);
			const char *name = lt__gen_unique(g, number.at);
			lt__outf(&temp, "const %s %s = %s;", lt__ctype(t, operand->dtype), name, e->text);
			line(g, temp.at);
			*e = (struct expr){ name, true };
		}
	}
	o.n = 0;
	if (p->declared && p->first_writer == s)
		lt__outf(&o, "%s%s ", p->n_writer == 1 ? "const " : "",
			LT_AT(struct lt_type, t->types, LT_AT(struct lt_buffer, t->buffers, dest->buffer)->type)->ctype);
	const char *sign = st->kind == LT_REDUCE ? compound(op) : NULL;
	lt__outf(&o, "%s %s %s;", to, sign ? sign : "=", sign ? x[1].text : st->kind == LT_RESET ? x[0].text
		: lt__gen_apply(g, op, x));
	line(g, o.at);
	if (st->n_guard) {
		g->indent--;
		line(g, "}");
	}
}

/* What depends on loop l (-1: on none) and lives in its trips. */
static void declare(struct gen *g, int32_t l)
{
	struct lt_out o = lt__out_new(&g->pool);
	for (int32_t d = g->first_div[l + 1]; d >= 0; d = g->next_div[d]) {
		o.n = 0;
		lt__outf(&o, "const int64_t %s = %s;", g->div[d], lt__gen_floordiv(g, d));
		line(g, o.at);
	}
	for (int32_t b = g->first_local[l + 1]; b >= 0; b = g->place[b].next) {
		const struct place *p = &g->place[b];
		const struct lt_buffer *buffer = LT_AT(struct lt_buffer, g->t->buffers, b);
		const char *type = LT_AT(struct lt_type, g->t->types, buffer->type)->ctype;
		if (p->declared)
			continue;
		o.n = 0;
		if (p->home == HOME_SCALAR)
			lt__outf(&o, "%s %s;", type, p->name);
		else
			lt__outf(&o, "%s%s %s[%lld];", g->d->array, type, p->name, (long long)buffer->elems);
		line(g, o.at);
	}
}

/* The number of trips of loop l, as text: the least of its maximum and its bounds, without those that are never it. */
static const char *trips(struct gen *g, int32_t l)
{
	const struct lt_loop *loop = LT_AT(struct lt_loop, g->t->loops, l);
	int64_t most = loop->max_trips;
	struct lt_out least = lt__out_new(&g->pool);
	bool covered = false;
	int n = 0;
	for (int32_t b = loop->first_bound; b < loop->first_bound + loop->n_bound; b++) {
		struct range r = lt__gen_range(g, g->t->bounds[b]);
		if (r.known && r.low == r.high && r.high < most)
			most = r.high;
	}
	for (int32_t b = loop->first_bound; b < loop->first_bound + loop->n_bound; b++) {
		struct range r = lt__gen_range(g, g->t->bounds[b]);
		if (r.known && r.low >= most)
			continue;
		covered |= r.known && r.high <= most;
		struct lt_out next = lt__out_new(&g->pool);
		lt__outf(&next, n ? "lt_min_i64(%s, %s)" : "%s%s", least.at, lt__gen_row(g, g->t->bounds[b]).text);
		least = next;
		n++;
	}
	if (!covered) {
		struct lt_out next = lt__out_new(&g->pool);
		lt__outf(&next, n ? "lt_min_i64(%lld, %s)" : "%lld%s", (long long)most, least.at);
		least = next;
		n++;
	}
	if (n == 1)
		return least.at;
	struct lt_out name = lt__out_new(&g->pool), o = lt__out_new(&g->pool);
	lt__outf(&name, g->named ? "%s_trips" : "n%s", g->loop[l]);
	const char *unique = g->named ? lt__gen_unique(g, name.at) : name.at;
	lt__outf(&o, "const int64_t %s = %s;", unique, least.at);
	line(g, o.at);
	return unique;
}

static void head(struct gen *g, int32_t l)
{
	const char *i = g->loop[l];
	struct lt_out o = lt__out_new(&g->pool);
	if (g->d->head[LT_AT(struct lt_loop, g->t->loops, l)->kind] == LT_HEAD_BLOCK)
		lt__out(&o, "{");
	else
		lt__outf(&o, "for (int64_t %s = 0; %s < %s; %s++) {", i, i, trips(g, l), i);
	line(g, o.at);
}

static void body(struct gen *g, int32_t loop, int32_t s, int32_t end)
{
	declare(g, loop);
	while (s < end) {
		int32_t inner = LT_AT(struct lt_stmt, g->t->stmts, s)->loop;
		if (inner == loop) {
			stmt(g, s++);
			continue;
		}
		while (LT_AT(struct lt_loop, g->t->loops, inner)->parent != loop)
			inner = LT_AT(struct lt_loop, g->t->loops, inner)->parent;
		const struct lt_loop *l = LT_AT(struct lt_loop, g->t->loops, inner);
		head(g, inner);
		g->indent++;
		body(g, inner, l->first_stmt, l->first_stmt + l->n_stmt);
		g->indent--;
		line(g, "}");
		s = l->first_stmt + l->n_stmt;
	}
}

/* Whether buffer b is a parameter of the kernel. */
static bool is_parameter(const struct gen *g, int32_t b)
{
	return g->place[b].root == b && g->place[b].home <= HOME_WORKSPACE;
}

static bool reads_memory(const struct gen *g, const struct lt_operand *o)
{
	for (int32_t p = 0; p < o->n_piece; p++) {
		const struct lt_piece *piece = LT_AT(struct lt_piece, g->t->pieces, o->first_piece + p);
		if (piece->kind == LT_READ && g->place[LT_AT(struct lt_access, g->t->accesses, piece->access)->buffer].home != HOME_SCALAR)
			return true;
	}
	return false;
}

/* Whether memory is read where a condition holds: by one of several pieces, or in a branch of the operator's text. */
static bool reads_in_branches(const struct gen *g)
{
	const struct lt_tree *t = g->t;
	for (uint32_t i = 0; i < t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		const char *text = s->kind == LT_BARRIER ? "" : lt__op_text(LT_AT(struct lt_op, t->ops, s->op));
		bool branches = strchr(text, '?') || strstr(text, "&&") || strstr(text, "||");
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
	const char *head = g->named ? g->d->named_function : g->d->function;
	int n = 0;
	if (!g->named && g->d->branching_function && reads_in_branches(g))
		head = g->d->branching_function;
	lt__outf(o, "%s %s(", head, g->function);
	for (int32_t b = 0; b < (int32_t)t->buffers.n; b++) {
		const struct place *p = &g->place[b];
		const struct lt_buffer *buffer = LT_AT(struct lt_buffer, t->buffers, b);
		if (is_parameter(g, b))
			lt__outf(o, "%s%s%s *%s%s", n++ ? ", " : "", p->written ? "" : "const ",
				LT_AT(struct lt_type, t->types, buffer->type)->ctype, p->exclusive ? g->d->pointer : "", p->name);
	}
	if (g->uses_fault)
		lt__outf(o, "%sstruct lt_fault *fault", n++ ? ", " : "");
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
	lt__outf(o, "\nvoid %s(const struct lt_slot *slot, char *workspace, struct lt_fault *fault)\n{\n\t%s(", g->d->entry, g->function);
	for (int32_t b = 0; b < (int32_t)g->t->buffers.n; b++) {
		if (!is_parameter(g, b))
			continue;
		lt__out(o, n++ ? ", " : "");
		if (g->place[b].home == HOME_SLOT)
			lt__outf(o, "lt_slot_at(slot, %d)", (int)LT_AT(struct lt_buffer, g->t->buffers, b)->slot);
		else
			lt__outf(o, "(void *)(workspace + %lld)", (long long)g->place[b].offset);
	}
	lt__outf(o, "%s);\n}\n", g->uses_fault ? (n ? ", fault" : "fault") : "");
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

static void print(struct gen *g, struct lt_out *o)
{
	g->names.pool = g->said.pool = &g->pool;
	lists(g);
	lt__gen_places(g);
	lt__gen_names(g);
	lt__gen_ranges(g);
	g->body = lt__out_new(&g->pool);
	g->indent = 1;
	body(g, -1, 0, (int32_t)g->t->stmts.n);
	struct lt_out code = lt__out_new(&g->pool);
	function(g, &code);
	if (!g->named)
		entry(g, &code);
	lt__gen_chunks(g, code.at, o);
	lt__outf(o, "\n%s", code.at);
}

lt_status lt__cgen_print(const struct lt_dialect *d, const struct lt_tree *t, int named, char **text, int64_t *workspace,
	struct lt_diag *diag)
{
	*text = NULL;
	*workspace = 0;
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
			*workspace = g->workspace;
			*text = malloc(o.n + 1);
			if (*text)
				memcpy(*text, o.at, o.n + 1);
		}
		lt__pool_free(&g->pool);
		free(g);
	}
	return *text ? LT_OK : lt__note(diag, LT_ENOMEM, -1, -1, NULL, "kernel %s: no memory to print it", t->name ? t->name : "?");
}
