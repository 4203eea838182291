/* backends/cgen/lane.c -- statements of a vector loop: all lanes at once where the operator and the accesses allow it.
 *
 * Operands:   the same for all lanes: computed once; next to each other: a load; at another distance: built of
 *             elements; else (gathers, divisions that change from lane to lane) a loop over the lanes.
 * Conditions: where all lanes agree, a branch; else a loop over the lanes.
 * Reductions: lane by lane at once, each onto an element of its own; combines onto one element, folded in a tree.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "backends/cgen/gen.h"
#include "backends/cgen/vector.h"

/* Pieces of an operand that branches are made for; of more, the lanes are asked one by one. */
enum { MAX_BRANCHES = 16 };

/* A value of all lanes: one scalar for all, or a vector. */
struct value { const char *text; bool uniform; };

/* What an access names in the lanes. */
struct where {
	enum { ONE, VARIABLE, UNIT, STRIDED, ANYWHERE } kind;
	const char *text;               /* ONE: the element; VARIABLE: of vector type; UNIT, STRIDED: "b0 + row" */
	int64_t stride;
};

static const char *format(struct gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static const char *format(struct gen *g, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n < 0)
		longjmp(g->pool.jump, 1);
	char *at = lt__pool_alloc(&g->pool, (size_t)n + 1, 1);
	va_start(ap, fmt);
	(void)vsnprintf(at, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return at;
}

static const char *type_of(struct gen *g, uint32_t dtype) { return lt__vector_type(&g->pool, dtype, g->lanes); }
/* In the names of helpers. */
static const char *suffix(struct gen *g, uint32_t dtype) { return type_of(g, dtype) + strlen("lt_"); }

static struct where find(struct gen *g, int32_t stmt, int32_t access, bool written)
{
	const struct lt_access *a = LT_AT(struct lt_access, g->t->accesses, access);
	const struct place *p = &g->place[g->place[a->buffer].root];
	int64_t stride = 0, index_stride = 0, at = 0;
	bool regular = lt__gen_stride(g, a->row, &stride), number = a->index < 0 && regular && lt__gen_number(g, a->row, &at);
	for (int32_t i = a->index; i >= 0 && regular; i = LT_AT(struct lt_access, g->t->accesses, i)->index)
		regular = lt__gen_stride(g, LT_AT(struct lt_access, g->t->accesses, i)->row, &index_stride) && index_stride == 0
			&& !lt__gen_private(g, LT_AT(struct lt_access, g->t->accesses, i)->buffer);
	if (lt__gen_private(g, a->buffer)) {
		lt__gen_touch(g, a->buffer, number && stride == 0, at, 1);
		if (p->home == HOME_SCALAR)
			return (struct where){ VARIABLE, p->name, 0 };
		if (p->home == HOME_REGISTERS)
			return (struct where){ VARIABLE, p->reg[at], 0 };
		if (regular && stride == 0)
			return (struct where){ VARIABLE, format(g, "%s[%s]", p->name, lt__gen_subscript(g, stmt, access)), 0 };
		return (struct where){ ANYWHERE, NULL, 0 };
	}
	if (!regular) {
		lt__gen_touch(g, a->buffer, false, 0, 1);
		return (struct where){ ANYWHERE, NULL, 0 };
	}
	if (stride == 0)
		return (struct where){ ONE, lt__gen_access(g, stmt, access, written), 0 };
	/* No second element: a guard keeps all lanes but one away, though its text does not say so. */
	if (p->home == HOME_SCALAR)
		return (struct where){ ANYWHERE, NULL, 0 };
	lt__gen_touch(g, a->buffer, number && stride == 1, at, g->lanes);
	if (p->home == HOME_REGISTERS)
		return (struct where){ VARIABLE, p->reg[at], 0 };
	const char *row = lt__gen_subscript(g, stmt, access);
	return (struct where){ stride == 1 ? UNIT : STRIDED,
		strcmp(row, "0") == 0 ? p->name : format(g, "%s + %s", p->name, row), stride };
}

/* From vector text to the text of one lane: what was said of the first lane is no longer so. */
static struct lt_out enter_lanes(struct gen *g)
{
	struct lt_out outside = g->body;
	struct column *inside = lt__pool_alloc(&g->pool, (size_t)g->t->n_column, sizeof *inside);
	memcpy(inside, g->column, (size_t)g->t->n_column * sizeof *inside);
	g->vector_column = g->column;
	g->column = inside;
	for (int32_t c = 0; c < g->t->n_column; c++)
		if (inside[c].stride || inside[c].irregular) {
			inside[c].fixed = inside[c].irregular = false;
			inside[c].stride = 0;
		}
	const struct column *base = &g->vector_column[loop_column(g->t, g->lane_loop)];
	g->lane = base->fixed && base->value == 0 ? g->loop[g->lane_loop] : format(g, "l%d", (int)g->lane_loop);
	if (g->lane != g->loop[g->lane_loop])
		g->lane = lt__gen_unique(g, g->lane);
	g->copies = NULL;
	g->body = lt__out_new(&g->pool);
	g->indent++;
	return outside;
}

/* Puts what was printed since into a loop over the lanes.  l: the innermost loop around. */
static void leave_lanes(struct gen *g, struct lt_out outside, int32_t l)
{
	const struct lt_tree *t = g->t;
	struct lt_out body = g->body;
	const struct column *base = &g->vector_column[loop_column(t, g->lane_loop)];
	const char *i = g->lane, *name = g->loop[g->lane_loop];
	g->body = outside;
	g->indent--;
	for (struct copy *c = g->copies; c; c = c->next)
		lt__gen_line(g, "%s %s = %s;", c->type, c->name, c->of);
	lt__gen_line(g, "for (int64_t %s = 0; %s < %s; %s++) {", i, i, g->active ? g->active : format(g, "%d", g->lanes), i);
	g->indent++;
	if (i != name && base->fixed)
		lt__gen_line(g, "const int64_t %s = %lld + %s;", name, (long long)base->value, i);
	else if (i != name)
		lt__gen_line(g, "const int64_t %s = %s + %s;", name, g->strip, i);
	for (int32_t d = 0; d < t->n_div; d++) {
		const struct column *c = &g->vector_column[div_column(t, d)];
		if ((c->stride || c->irregular) && lt__gen_around(t, LT_AT(struct lt_div, t->divs, d)->loop, l))
			lt__gen_line(g, "const int64_t %s = %s;", g->div[d], lt__gen_floordiv(g, d));
	}
	g->indent--;
	lt__out_bytes(&g->body, body.at, body.n);
	lt__gen_line(g, "}");
	for (struct copy *c = g->copies; c; c = c->next)
		if (c->written)
			lt__gen_line(g, "%s = %s;", c->of, c->name);
	g->column = g->vector_column;
	g->lane = NULL;
}

/* The statement in a loop over the lanes. */
static void one_by_one(struct gen *g, int32_t s)
{
	const struct lt_stmt *st = LT_AT(struct lt_stmt, g->t->stmts, s);
	lt__gen_line(g, "{");
	g->indent++;
	struct lt_out outside = enter_lanes(g);
	lt__gen_stmt(g, s);
	leave_lanes(g, outside, st->loop);
	g->indent--;
	lt__gen_line(g, "}");
}

/* A vector of elements that are neither all the same nor next to each other. */
static struct value by_loop(struct gen *g, int32_t s, const struct lt_operand *o)
{
	const char *name = lt__gen_temp(g);
	lt__gen_line(g, "%s %s;", type_of(g, o->dtype), name);
	struct lt_out outside = enter_lanes(g);
	lt__gen_line(g, "%s[%s] = %s;", name, g->lane, lt__gen_operand(g, s, o).text);
	leave_lanes(g, outside, LT_AT(struct lt_stmt, g->t->stmts, s)->loop);
	return (struct value){ name, false };
}

/* The lanes of a vector in the other order. */
static const char *reversed(struct gen *g, uint32_t dtype, const char *vector)
{
	static const uint32_t ints[] = { 0, LT_I8, LT_I16, 0, LT_I32, 0, 0, 0, LT_I64 };
	struct lt_out o = lt__out_new(&g->pool);
	lt__outf(&o, "LT_SHUFFLE(%s, %s", vector, type_of(g, ints[lt__element_bytes(dtype)]));
	for (int i = g->lanes; i-- > 0; )
		lt__outf(&o, ", %d", i);
	lt__out(&o, ")");
	return o.at;
}

static struct value strided(struct gen *g, uint32_t dtype, struct where w)
{
	if (w.stride == -1)
		return (struct value){
			reversed(g, dtype,
				format(g, "*(const %s_u *)(%s - %d)", type_of(g, dtype), w.text, g->lanes - 1)),
			false
		};
	const char *from = lt__gen_temp(g);
	struct lt_out o = lt__out_new(&g->pool);
	lt__gen_line(g, "const %s *const %s = %s;", lt__ctype(g->t, dtype), from, w.text);
	lt__outf(&o, "(%s){ %s[0]", type_of(g, dtype), from);
	for (int i = 1; i < g->lanes; i++)
		lt__outf(&o, ", %s[%lld]", from, (long long)(i * w.stride));
	lt__out(&o, " }");
	return (struct value){ o.at, false };
}

/* text NULL: not without a loop over the lanes. */
static struct value piece(struct gen *g, int32_t s, const struct lt_piece *p, uint32_t dtype)
{
	int64_t stride;
	if (p->kind == LT_IMMEDIATE)
		return (struct value){ lt__gen_immediate(g, p->bits, dtype).text, true };
	if (p->kind == LT_AFFINE) {
		if (!lt__gen_stride(g, p->row, &stride) || (stride && dtype != LT_I64))
			return (struct value){ NULL, false };
		const char *row = lt__gen_row(g, p->row).text, *i64 = suffix(g, LT_I64);
		if (stride == 0)
			return (struct value){ dtype == LT_I64 ? row : format(g, "(%s)(%s)", lt__ctype(g->t, dtype), row), true };
		if (stride == 1)
			return (struct value){ format(g, "(lt_all_%s(%s) + lt_lane_%s())", i64, row, i64), false };
		return (struct value){ format(g, "(lt_all_%s(%s) + %lld*lt_lane_%s())", i64, row, (long long)stride, i64), false };
	}
	struct where w = find(g, s, p->access, false);
	const char *type = type_of(g, dtype);
	switch (w.kind) {
	case ONE: return (struct value){ w.text, true };
	case VARIABLE: return (struct value){ w.text, false };
	case UNIT:
		if (!g->active && (stride = lt__gen_prefetch(g, s, p->access, w.text)) != 0)
			lt__gen_line(g, "__builtin_prefetch((const char *)(%s) + %lld, 0, 2);", w.text, (long long)stride);
		return (struct value){ g->active ? format(g, "lt_load_%s(%s, %s)", suffix(g, dtype), w.text, g->active)
			: format(g, "*(const %s_u *)(%s)", type, w.text), false };
	case STRIDED:
		if (lt__gen_tile(g, p->access))
			return (struct value){ lt__gen_tile(g, p->access), false };
		if (!g->active)
			return strided(g, dtype, w);
		break;
	case ANYWHERE: break;
	}
	return (struct value){ NULL, false };
}

static const char *spread(struct gen *g, uint32_t dtype, struct value v)
{
	return v.uniform ? format(g, "lt_all_%s(%s)", suffix(g, dtype), v.text) : v.text;
}

/* Where the first pieces hold for no lane, the next one is looked at; where one holds for some lanes only, they are
 * asked one by one. */
static struct value operand(struct gen *g, int32_t s, const struct lt_operand *o)
{
	const char *name = NULL, *before = NULL, *all, *none;   /* before: the earlier ones hold for no lane */
	bool remainder = true;
	if (o->n_piece > MAX_BRANCHES)         /* each of which says that those before it do not hold */
		return by_loop(g, s, o);
	for (int32_t i = 0; i < o->n_piece; i++) {
		const struct lt_piece *p = LT_AT(struct lt_piece, g->t->pieces, o->first_piece + i);
		bool exact = lt__gen_lane_guards(g, p->first_guard, i + 1 < o->n_piece ? p->n_guard : 0, &all, &none);
		if (is_yes(none))
			continue;
		if (is_yes(all) && !before && !name) {
			struct value v = piece(g, s, p, o->dtype);
			return v.text ? v : by_loop(g, s, o);
		}
		remainder = !is_yes(all) || before;
		if (!is_no(all)) {
			const char *condition = !before ? all : is_yes(all) ? before : format(g, "%s && %s", before, all);
			const char *otherwise = name ? "} else " : "";
			if (!name) {
				name = lt__gen_temp(g);
				lt__gen_line(g, "%s %s;", type_of(g, o->dtype), name);
			}
			if (remainder)
				lt__gen_line(g, "%sif (%s) {", otherwise, condition);
			else
				lt__gen_line(g, "%s{", otherwise);
			g->indent++;
			struct value v = piece(g, s, p, o->dtype);
			v = v.text ? v : by_loop(g, s, o);
			lt__gen_line(g, "%s = %s;", name, spread(g, o->dtype, v));
			g->indent--;
		}
		if (is_yes(all) || is_no(none))
			break;
		if (!exact)
			before = before ? format(g, "%s && (%s)", before, none) : format(g, "(%s)", none);
	}
	if (!name)
		return by_loop(g, s, o);
	if (remainder) {
		lt__gen_line(g, "} else {");
		g->indent++;
		lt__gen_line(g, "%s = %s;", name, by_loop(g, s, o).text);
		g->indent--;
	}
	lt__gen_line(g, "}");
	return (struct value){ name, false };
}

/* Of a variable that is declared where it is first written, before a text that writes it in more than one place. */
static void declare(struct gen *g, int32_t s)
{
	int32_t b = LT_AT(struct lt_access, g->t->accesses, LT_AT(struct lt_stmt, g->t->stmts, s)->dest)->buffer;
	const struct place *p = &g->place[g->place[b].root];
	uint32_t dtype = lt__gen_dtype(g->t, b);
	if (!p->declared || p->first_writer != s || g->declared == s)
		return;
	lt__gen_line(g, "%s %s;", lt__gen_private(g, b) ? type_of(g, dtype) : lt__ctype(g->t, dtype), p->name);
	g->declared = s;
}

/* The type before a variable that is declared where it is first written. */
static const char *declaration(struct gen *g, int32_t s, const struct place *p, uint32_t dtype)
{
	if (!p->declared || p->first_writer != s || g->declared == s)
		return "";
	return format(g, "%s%s ", p->n_writer == 1 ? "const " : "", type_of(g, dtype));
}

static void store(struct gen *g, int32_t s, const struct lt_access *a, struct where w, struct value v)
{
	const struct place *p = &g->place[g->place[a->buffer].root];
	uint32_t dtype = lt__gen_dtype(g->t, a->buffer);
	const char *type = type_of(g, dtype), *ctype = lt__ctype(g->t, dtype), *text = spread(g, dtype, v);
	if (w.kind == VARIABLE && g->active && p->home == HOME_REGISTERS && !lt__gen_private(g, a->buffer)) {
		lt__gen_line(g, "%s = lt_blend_%s(lt_below_u8x%d(%s), %s, %s);", w.text, suffix(g, dtype), g->lanes,
			g->active, text, w.text);
	} else if (w.kind == VARIABLE) {
		lt__gen_line(g, "%s%s = %s;", declaration(g, s, p, dtype), w.text, text);
	} else if (w.kind == UNIT && g->active) {
		lt__gen_line(g, "lt_store_%s(%s, %s, %s);", suffix(g, dtype), w.text, text, g->active);
	} else if (w.kind == UNIT && lt__gen_streams(g, s, dtype)) {
		lt__gen_stream(g, type, w.text, text);
	} else if (w.kind == UNIT) {
		lt__gen_line(g, "*(%s_u *)(%s) = %s;", type, w.text, text);
	} else if (w.stride == -1 && !g->active) {
		lt__gen_line(g, "*(%s_u *)(%s - %d) = %s;", type, w.text, g->lanes - 1, reversed(g, dtype, text));
	} else {
		const char *to = lt__gen_temp(g), *from = lt__gen_temp(g);
		lt__gen_line(g, "%s *const %s = %s;", ctype, to, w.text);
		lt__gen_line(g, "const %s %s = %s;", type, from, text);
		if (g->active)
			lt__gen_line(g, "for (int64_t l = 0; l < %s; l++)", g->active);
		if (g->active)
			lt__gen_line(g, "\t%s[%lld*l] = %s[l];", to, (long long)w.stride, from);
		for (int i = 0; i < g->lanes && !g->active; i++)
			lt__gen_line(g, "%s[%lld] = %s[%d];", to, (long long)(i * w.stride), from, i);
	}
}

/* What a reduction adds to. */
static const char *old(struct gen *g, const struct lt_access *a, struct where w)
{
	uint32_t dtype = lt__gen_dtype(g->t, a->buffer);
	const char *type = type_of(g, dtype);
	if (w.kind == VARIABLE)
		return w.text;
	if (w.kind == UNIT)
		return g->active ? format(g, "lt_load_%s(%s, %s)", suffix(g, dtype), w.text, g->active)
				 : format(g, "*(const %s_u *)(%s)", type, w.text);
	return strided(g, dtype, w).text;
}

/* All lanes onto one element: vectors of one loop first, then the tree of their lanes, then the element. */
static void fold(struct gen *g, int32_t s, const struct lt_op *op, struct where w, struct value v)
{
	const char *type = suffix(g, op->out), *text = spread(g, op->out, v),
		   *add = lt__vector_op(&g->pool, op, g->lanes, g->d->vector_library);
	struct fold *later = g->folds;
	while (later && later->stmt != s)
		later = later->next;
	if (g->active)
		text = format(g, "lt_blend_%s(lt_below_u8x%d(%s), %s, lt_all_%s(%s))", type, g->lanes, g->active, text, type,
			lt__gen_immediate(g, op->identity, op->out).text);
	const char *sum = later ? later->name : g->folded;
	if (sum) {
		const struct expr both[2] = { { sum, true }, { text, false } };
		lt__gen_line(g, "%s = %s;", sum, lt__gen_apply(g, add, both));
		text = sum;
	} else if (g->fold_left > 0 && add) {
		g->folded = lt__gen_temp(g);
		lt__gen_line(g, "%s %s = %s;", type_of(g, op->out), g->folded, text);
	}
	if (!later && g->folded && g->fold_left-- > 0)
		return;
	const struct expr lanes = { text, false };
	const struct expr x[2] = { { w.text, true },
		{ lt__gen_apply(g, lt__vector_fold(&g->pool, op, g->lanes), &lanes), true } };
	const char *line = format(g, "%s = %s;", w.text, lt__gen_apply(g, lt__op_text(op), x));
	if (later)
		later->line = line;
	else
		lt__gen_line(g, "%s", line);
	g->folded = NULL;
}

static bool is_move(const struct lt_op *op) { return strcmp(lt__op_text(op), "$0") == 0 && op->in[0] == op->out; }

/* Whether the statement has a vector form, which `text` then is; empty for a move, a reset and a fold. */
static bool has_vectors(struct gen *g, const struct lt_stmt *st, struct where w, const char **text)
{
	const struct lt_op *op = LT_AT(struct lt_op, g->t->ops, st->op);
	bool once = st->kind == LT_COMBINE && w.kind == ONE;
	*text = "";
	if (w.kind == ANYWHERE || (w.kind == ONE && !once) || (w.kind == STRIDED && g->active && reduces(st)))
		return false;
	if (lt__gen_dtype(g->t, LT_AT(struct lt_access, g->t->accesses, st->dest)->buffer) != op->out || op->out >= LT_NDTYPE)
		return false;
	if (once)
		return lt__vector_fold(&g->pool, op, g->lanes) && (!g->active || op->out < LT_NDTYPE)
			&& lt__gen_uses(op, 0) == 1 && lt__gen_uses(op, 1) == 1;
	if (st->kind == LT_RESET || (st->kind == LT_MAP && is_move(op)))
		return true;
	*text = lt__vector_op(&g->pool, op, g->lanes, g->d->vector_library);
	return *text != NULL;
}

/* The text for the operands that the statement has: beside a literal it may be less. */
static const char *text_for(struct gen *g, const struct lt_stmt *st, const char *text)
{
	const struct lt_op *op = LT_AT(struct lt_op, g->t->ops, st->op);
	for (int32_t i = 0; i < st->n_operand && !reduces(st); i++) {
		const struct lt_operand *o = LT_AT(struct lt_operand, g->t->operands, st->first_operand + i);
		const struct lt_piece *p = LT_AT(struct lt_piece, g->t->pieces, o->first_piece);
		const char *beside = p->kind == LT_IMMEDIATE && o->n_piece == 1
			? lt__vector_beside(&g->pool, op, g->lanes, i, p->bits)
			: NULL;
		if (beside)
			return beside;
	}
	return text;
}

static void all_at_once(struct gen *g, int32_t s, struct where w, const char *text)
{
	const struct lt_stmt *st = LT_AT(struct lt_stmt, g->t->stmts, s);
	const struct lt_op *op = LT_AT(struct lt_op, g->t->ops, st->op);
	const struct lt_access *a = LT_AT(struct lt_access, g->t->accesses, st->dest);
	struct value x[3] = { { NULL, false } };
	struct expr e[4];
	int first = reduces(st);
	if (st->kind == LT_RESET) {
		store(g, s, a, w, (struct value){ lt__gen_immediate(g, op->identity, op->out).text, true });
		return;
	}
	for (int32_t i = 0; i < st->n_operand && i < 3; i++) {
		const struct lt_operand *o = LT_AT(struct lt_operand, g->t->operands, st->first_operand + i);
		x[i] = operand(g, s, o);
		if (text[0])
			e[first + i] = (struct expr){ spread(g, o->dtype, x[i]), true };
	}
	if (st->kind == LT_COMBINE && w.kind == ONE) {
		fold(g, s, op, w, x[0]);
	} else if (!text[0]) {
		store(g, s, a, w, x[0]);
	} else {
		if (first)
			e[0] = (struct expr){ old(g, a, w), true };
		store(g, s, a, w, (struct value){ lt__gen_apply(g, text_for(g, st, text), e), false });
	}
}

static void statement(struct gen *g, int32_t s)
{
	const struct lt_stmt *st = LT_AT(struct lt_stmt, g->t->stmts, s);
	const char *all, *none, *text;
	bool exact = lt__gen_lane_guards(g, st->first_guard, st->n_guard, &all, &none);
	if (is_yes(none))
		return;
	struct where w = find(g, s, st->dest, true);
	if (!has_vectors(g, st, w, &text) || is_no(all)) {
		declare(g, s);
		one_by_one(g, s);
	} else if (is_yes(all)) {
		all_at_once(g, s, w, text);
	} else {
		lt__gen_line(g, "if (%s) {", all);
		g->indent++;
		all_at_once(g, s, w, text);
		g->indent--;
		if (!exact) {
			lt__gen_line(g, is_no(none) ? "} else {" : "} else if (!(%s)) {", none);
			g->indent++;
			one_by_one(g, s);
			g->indent--;
		}
		lt__gen_line(g, "}");
	}
}

/* Where quotients that the statement uses change somewhere among the lanes, it is asked whether they do here. */
void lt__gen_lane_stmt(struct gen *g, int32_t s)
{
	const struct lt_stmt *st = LT_AT(struct lt_stmt, g->t->stmts, s);
	struct column *known = g->column;
	if (st->kind == LT_BARRIER)
		return;
	lt__gen_say_node(g, st);
	g->declared = -1;
	const char *steady = lt__gen_invariant(g, s);
	if (is_yes(steady) || is_no(steady)) {
		statement(g, s);
		return;
	}
	declare(g, s);
	lt__gen_line(g, "if (%s) {", steady);
	g->indent++;
	g->column = lt__gen_steadied(g);
	statement(g, s);
	g->column = known;
	g->indent--;
	lt__gen_line(g, "} else {");
	g->indent++;
	one_by_one(g, s);
	g->indent--;
	lt__gen_line(g, "}");
}
