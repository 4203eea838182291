/* backends/cgen/expr.c -- values as C expressions: elements, immediates, operands, operators. */
#include <string.h>
#include "backends/cgen/gen.h"
#include "backends/cgen/vector.h"

const char *lt__op_text(const struct lt_op *op)
{
	return op->source ? op->source : "";
}

static const char *literal_int(struct gen *g, int64_t v)
{
	struct lt_out o = lt__out_new(&g->pool);
	if (v == INT64_MIN)
		lt__out(&o, "(-9223372036854775807 - 1)");
	else if (v == INT32_MIN)
		lt__out(&o, "(-2147483647 - 1)");
	else
		lt__outf(&o, "%lld", (long long)v);
	return o.at;
}

/* Exact, and the same in every locale: a short decimal where there is one, else hexadecimal. */
static const char *literal_float(struct gen *g, double v, const char *suffix)
{
	struct lt_out o = lt__out_new(&g->pool);
	union { double f; uint64_t u; } w = { .f = v };
	int exponent = (int)(w.u >> 52 & 2047);
	uint64_t m = w.u & 0xfffffffffffffu, size;
	if (w.u >> 63)
		lt__out(&o, "-");
	v = w.u >> 63 ? -v : v;
	if (v < 1e6 && v * 8 == (double)(uint64_t)(v * 8)) {
		size = (uint64_t)(v * 1000);
		unsigned remainder = (unsigned)(size % 1000);
		lt__outf(&o, "%llu.%u", (unsigned long long)(size / 1000), remainder / 100);
		if (remainder % 100)
			lt__outf(&o, "%u", remainder / 10 % 10);
		if (remainder % 10)
			lt__outf(&o, "%u", remainder % 10);
		lt__out(&o, suffix);
		return o.at;
	}
	int digits = 13;
	while (digits > 1 && (m & 15) == 0)
		m >>= 4, digits--;
	lt__outf(&o, "0x%d.%0*llxp%d%s", exponent != 0, digits, (unsigned long long)m,
		exponent ? exponent - 1023 : -1022, suffix);
	return o.at;
}

static int64_t int_of(uint64_t bits, uint32_t dtype)
{
	switch (dtype) {
	case LT_I8: return (int8_t)bits;
	case LT_U8: return (uint8_t)bits;
	case LT_I16: return (int16_t)bits;
	case LT_I32: return (int32_t)bits;
	case LT_BOOL: return (uint8_t)bits != 0;
	default: return (int64_t)bits;
	}
}

static double float_of(uint64_t bits, bool single)
{
	union { uint32_t u; float f; } narrow = { .u = (uint32_t)bits };
	union { uint64_t u; double f; } wide = { .u = bits };
	return single ? (double)narrow.f : wide.f;
}

struct expr lt__gen_immediate(struct gen *g, uint64_t bits, uint32_t dtype)
{
	struct lt_out o = lt__out_new(&g->pool);
	if (dtype == LT_F16 || dtype == LT_BF16) {
		lt__outf(&o, "0x%04x", (unsigned)(bits & 0xffff));
		return (struct expr){ o.at, true };
	}
	bool is_float = dtype == LT_F32 || dtype == LT_F64, single = dtype == LT_F32;
	if (!is_float) {
		const char *text = literal_int(g, int_of(bits, dtype));
		return (struct expr){ text, text[0] != '-' };
	}
	double v = float_of(bits, single);
	if (v != v) {
		lt__outf(&o, single ? "lt_bits_f32(0x%08llxu)" : "lt_bits_f64(0x%016llxu)",
			(unsigned long long)(single ? bits & 0xffffffffu : bits));
		return (struct expr){ o.at, true };
	}
	if (v - v != 0) {
		lt__out(&o, v < 0 ? "-INFINITY" : "INFINITY");
		return (struct expr){ o.at, v > 0 };
	}
	const char *text = literal_float(g, v, single ? "f" : "");
	return (struct expr){ text, text[0] != '-' };
}

/* The least of what a gathered index must be below. */
static const char *gathered_extent(struct gen *g, const struct lt_access *a)
{
	struct lt_out least = lt__out_new(&g->pool);
	lt__outf(&least, "%lld", (long long)a->index_extent);
	for (int32_t i = 0; i < a->n_bound; i++) {
		struct lt_out both = lt__out_new(&g->pool);
		const char *bound = lt__gen_row(g, g->t->bounds[a->first_bound + i]).text;
		lt__outf(&both, "(%s < %s ? %s : %s)", bound, least.at, bound, least.at);
		least = both;
	}
	return least.at;
}

const char *lt__gen_subscript(struct gen *g, int32_t stmt, int32_t access)
{
	const struct lt_access *a = LT_AT(struct lt_access, g->t->accesses, access);
	struct lt_out o = lt__out_new(&g->pool);
	if (a->index < 0)
		return lt__gen_row(g, a->row).text;
	const char *index = lt__gen_access(g, stmt, a->index, false), *row = lt__gen_row(g, a->row).text;
	g->uses_fault = true;
	lt__outf(&o, "%s(fault, %s, %s, %d, %d)", g->region >= 0 ? "lt_gather_shared" : "lt_gather", index,
		gathered_extent(g, a), (int)stmt, (int)access);
	if (a->index_stride != 1)
		lt__outf(&o, "*%s", literal_int(g, a->index_stride));
	if (strcmp(row, "0") != 0)
		lt__outf(&o, row[0] == '-' ? " - %s" : " + %s", row + (row[0] == '-'));
	return o.at;
}

/* The variable that has the lanes of `of` in a lane-by-lane loop. */
static const char *lanes_of(struct gen *g, const char *of, const char *type, bool written)
{
	struct copy *c = g->copies;
	while (c && c->of != of)
		c = c->next;
	if (!c) {
		c = lt__pool_alloc(&g->pool, 1, sizeof *c);
		*c = (struct copy){ .of = of, .name = lt__gen_temp(g), .type = type, .next = g->copies };
		g->copies = c;
	}
	c->written = c->written || written;
	return c->name;
}

/* An element of a local in registers: a variable or one lane of it. */
static const char *element(struct gen *g, const struct place *p, int64_t at)
{
	struct lt_out o = lt__out_new(&g->pool);
	int32_t tile = p->tile[at];
	lt__outf(&o, p->width[tile] > 1 ? "%s[%d]" : "%s", p->reg[tile], (int)(at - tile));
	return o.at;
}

/* In a lane-by-lane loop: an element that each lane has of its own, or that a variable holds in its lanes.  NULL: it is
 * in memory. */
static const char *lane_element(struct gen *g, int32_t stmt, int32_t access, bool written)
{
	const struct lt_access *a = LT_AT(struct lt_access, g->t->accesses, access);
	const struct place *p = &g->place[g->place[a->buffer].root];
	const char *type = lt__vector_type(&g->pool, lt__gen_dtype(g->t, a->buffer), g->lanes);
	bool private = lt__gen_private(g, a->buffer);
	struct lt_out o = lt__out_new(&g->pool);
	struct column *outside = g->vector_column, *inside = g->column;
	int64_t at = 0, stride = 0;
	if (!private && p->home != HOME_REGISTERS && p->home != HOME_ARRAY)
		return NULL;
	g->column = outside;
	bool known = a->index < 0 && lt__gen_number(g, a->row, &at) && lt__gen_stride(g, a->row, &stride)
		&& (stride == 0 || (stride == 1 && !private));
	g->column = inside;
	lt__gen_touch(g, a->buffer, known, at, known && stride ? g->lanes : 1);
	if (p->home == HOME_REGISTERS && !private && stride == 0)
		return element(g, p, at);
	if (p->home == HOME_SCALAR || p->home == HOME_REGISTERS)
		lt__outf(&o, "%s[%s]", lanes_of(g, p->home == HOME_SCALAR ? p->name : p->reg[at], type, written), g->lane);
	else if (private)
		lt__outf(&o, "%s[%s][%s]", p->name, lt__gen_subscript(g, stmt, access), g->lane);
	else
		return NULL;
	return o.at;
}

const char *lt__gen_access(struct gen *g, int32_t stmt, int32_t access, bool written)
{
	const struct lt_access *a = LT_AT(struct lt_access, g->t->accesses, access);
	const struct place *p = &g->place[g->place[a->buffer].root];
	struct lt_out o = lt__out_new(&g->pool);
	int64_t at = 0;
	const char *lane = g->lane ? lane_element(g, stmt, access, written) : NULL;
	if (lane)
		return lane;
	bool number = a->index < 0 && lt__gen_number(g, a->row, &at);
	if (!g->lane)
		lt__gen_touch(g, a->buffer, number, at, 1);
	if (p->home == HOME_SCALAR)
		return p->name;
	if (p->home == HOME_REGISTERS)
		return element(g, p, at);
	lt__outf(&o, "%s[%s]", p->name, lt__gen_subscript(g, stmt, access));
	return o.at;
}

static struct expr piece(struct gen *g, int32_t stmt, const struct lt_piece *p, uint32_t dtype)
{
	if (p->kind == LT_IMMEDIATE)
		return lt__gen_immediate(g, p->bits, dtype);
	if (p->kind == LT_READ)
		return (struct expr){ lt__gen_access(g, stmt, p->access, false), true };
	struct expr e = lt__gen_row(g, p->row);
	if (dtype != LT_I64) {
		struct lt_out o = lt__out_new(&g->pool);
		lt__outf(&o, e.primary ? "(%s)%s" : "(%s)(%s)", lt__ctype(g->t, dtype), e.text);
		return (struct expr){ o.at, false };
	}
	return e;
}

struct expr lt__gen_operand(struct gen *g, int32_t stmt, const struct lt_operand *op)
{
	struct lt_out o = lt__out_new(&g->pool);
	for (int32_t i = 0; i < op->n_piece; i++) {
		const struct lt_piece *p = LT_AT(struct lt_piece, g->t->pieces, op->first_piece + i);
		const char *guards = i + 1 < op->n_piece ? lt__gen_guards(g, p->first_guard, p->n_guard) : "1";
		if (is_no(guards))
			continue;
		struct expr e = piece(g, stmt, p, op->dtype);
		if (is_yes(guards) && o.n == 0)
			return e;
		lt__outf(&o, is_yes(guards) ? "%s%s" : "%s ? %s : ", is_yes(guards) ? "" : guards, e.text);
		if (is_yes(guards))
			break;
	}
	return (struct expr){ o.at, false };
}

int lt__gen_uses(const struct lt_op *op, int operand)
{
	int n = 0;
	for (const char *s = lt__op_text(op); *s; s++)
		n += s[0] == '$' && s[1] == '0' + operand;
	return n;
}

/* Whether the parentheses that text begins and ends with are a pair. */
static bool wrapped(const char *text, size_t n)
{
	int depth = 0;
	if (n < 2 || text[0] != '(' || text[n - 1] != ')')
		return false;
	for (size_t i = 0; i + 1 < n; i++) {
		depth += (text[i] == '(') - (text[i] == ')');
		if (depth == 0)
			return false;
	}
	return true;
}

const char *lt__gen_apply(struct gen *g, const char *source, const struct expr *operand)
{
	struct lt_out o = lt__out_new(&g->pool);
	const char *first = source, *end = first + strlen(first);
	if (wrapped(first, (size_t)(end - first)))
		first++, end--;
	for (const char *s = first; s < end; s++) {
		if (*s != '$' || s + 1 == end || s[1] < '0' || s[1] > '2') {
			lt__out_bytes(&o, s, 1);
			continue;
		}
		const struct expr *e = &operand[s[1] - '0'];
		const char *behind = s + 2;
		/* alone between commas and the parentheses of a call, or alone */
		bool open = s == first || (s[-1] == '(') || (s - first >= 2 && s[-1] == ' ' && s[-2] == ',');
		bool close = behind == end || *behind == ')' || *behind == ',';
		lt__outf(&o, e->primary || (open && close) ? "%s" : "(%s)", e->text);
		s++;
	}
	return o.at;
}
