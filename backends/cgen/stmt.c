/* backends/cgen/stmt.c -- lines of a kernel, and its statements, one element at a time. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "backends/cgen/gen.h"

void lt__gen_line(struct gen *g, const char *fmt, ...)
{
	char some[512], *text = some;
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(some, sizeof some, fmt, ap);
	va_end(ap);
	if (n < 0)
		longjmp(g->pool.jump, 1);
	if ((size_t)n >= sizeof some) {
		text = lt__pool_alloc(&g->pool, (size_t)n + 1, 1);
		va_start(ap, fmt);
		(void)vsnprintf(text, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	for (int i = text[0] == '#' ? g->indent : 0; i < g->indent; i++)
		lt__out_bytes(&g->body, "\t", 1);
	lt__out_bytes(&g->body, text, (size_t)n);
	lt__out_bytes(&g->body, "\n", 1);
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
void lt__gen_say_node(struct gen *g, const struct lt_stmt *st)
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
	lt__gen_line(g, "%s", o.at);
}

/* A name or a number. */
static bool is_word(const char *text)
{
	while ((*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z')
		|| *text == '_')
		text++;
	return *text == '\0';
}

/* The right side of a reduction "($0 + $1)" is better said as +=. */
static const char *compound(const struct lt_op *op)
{
	return strcmp(lt__op_text(op), "($0 + $1)") == 0 ? "+=" : strcmp(lt__op_text(op), "($0 * $1)") == 0 ? "*=" : NULL;
}

static void assign(struct gen *g, int32_t s)
{
	const struct lt_tree *t = g->t;
	const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
	const struct lt_op *op = LT_AT(struct lt_op, t->ops, st->op);
	int32_t dest = LT_AT(struct lt_access, t->accesses, st->dest)->buffer;
	struct place *p = &g->place[g->place[dest].root];
	struct expr x[4] = { { NULL, false } };
	struct lt_out o = lt__out_new(&g->pool);
	int first = reduces(st);
	const char *to = lt__gen_access(g, s, st->dest, true);
	x[0] = st->kind == LT_RESET ? lt__gen_immediate(g, op->identity, op->out) : (struct expr){ to, true };
	for (int i = 0; i < st->n_operand; i++) {
		struct expr *e = &x[first + i];
		const struct lt_operand *operand = LT_AT(struct lt_operand, t->operands, st->first_operand + i);
		*e = lt__gen_operand(g, s, operand);
		if (st->kind != LT_RESET && lt__gen_uses(op, first + i) > 1 && !is_word(e->text)) {
			const char *name = lt__gen_temp(g);
			lt__gen_line(g, "const %s %s = %s;", lt__ctype(t, operand->dtype), name, e->text);
			*e = (struct expr){ name, true };
		}
	}
	if (p->declared && p->first_writer == s && !g->lane)
		lt__outf(&o, "%s%s ", p->n_writer == 1 ? "const " : "",
			LT_AT(struct lt_type, t->types, LT_AT(struct lt_buffer, t->buffers, dest)->type)->ctype);
	const char *sign = reduces(st) ? compound(op) : NULL;
	lt__gen_line(g, "%s%s %s %s;", o.at, to, sign ? sign : "=", sign ? x[1].text : st->kind == LT_RESET ? x[0].text
		: lt__gen_apply(g, lt__op_text(op), x));
}

void lt__gen_stmt(struct gen *g, int32_t s)
{
	const struct lt_stmt *st = LT_AT(struct lt_stmt, g->t->stmts, s);
	const char *guards = lt__gen_guards(g, st->first_guard, st->n_guard);
	if (st->kind == LT_BARRIER || is_no(guards))
		return;                         /* one thread has nothing to wait for */
	if (!g->lane)
		lt__gen_say_node(g, st);
	if (!is_yes(guards)) {
		lt__gen_line(g, "if (%s) {", guards);
		g->indent++;
	}
	assign(g, s);
	if (!is_yes(guards)) {
		g->indent--;
		lt__gen_line(g, "}");
	}
}
