/* parse_map.c -- reading expressions of the graph's text: sums with floors, and the pieces of a view.
 *
 * Terms are collected first and become rows when the piece is at its end and the number of its columns is known.
 */
#include <string.h>
#include "ir/node/node.h"
#include "ir/text/literal.h"
#include "ir/text/parse.h"

static void parser_forget(struct lt_parser *p, int32_t n_dim, const lt_var *dim)
{
	p->n_dim = n_dim;
	p->dim = dim;
	p->numbered = p->in_with = false;
	p->n_term = p->n_pending = p->n_row = p->n_floor = p->n_param = 0;
	p->floors = NULL;
}

static void push(struct lt_parser *p, enum lt_term_kind kind, int32_t index, int64_t coef)
{
	LT_GROW(p->scratch, p->pending, p->n_pending, p->cap_pending);
	p->pending[p->n_pending++] = (struct lt_parse_term){ .kind = kind, .index = index, .coef = coef };
}

/* The pending terms from `first` on become finished ones. */
static struct lt_span span_settle(struct lt_parser *p, int32_t first)
{
	struct lt_span span = { .first = p->n_term, .n = p->n_pending - first };

	for (int32_t i = first; i < p->n_pending; i++) {
		LT_GROW(p->scratch, p->term, p->n_term, p->cap_term);
		p->term[p->n_term++] = p->pending[i];
	}
	p->n_pending = first;
	return span;
}

/* A floor that was named before in the same words is the same one, but in a with list. */
static int32_t floor_number(struct lt_parser *p, int64_t den, int32_t first)
{
	size_t bytes = (size_t)(p->n_pending - first) * 3 * sizeof den + sizeof den;
	int64_t *key = lt__arena_alloc(p->scratch, bytes), *at = key;
	int32_t found;

	*at++ = den;
	for (int32_t i = first; i < p->n_pending; i++) {
		*at++ = p->pending[i].kind;
		*at++ = p->pending[i].index;
		*at++ = p->pending[i].coef;
	}
	if (!p->floors)
		p->floors = lt__names_new(p->scratch);
	found = p->in_with ? -1 : lt__names_find(p->floors, (const char *)key, bytes);
	if (found >= 0) {
		p->n_pending = first;
		return found;
	}
	lt__names_add(p->floors, (const char *)key, bytes, p->n_floor);
	LT_GROW(p->scratch, p->floor, p->n_floor, p->cap_floor);
	p->floor[p->n_floor] = (struct lt_floor){ .den = den, .num = span_settle(p, first) };
	return p->n_floor++;
}

static int32_t param_number(struct lt_parser *p, lt_param param)
{
	int32_t i = 0;

	while (i < p->n_param && p->param[i] != param)
		i++;
	if (i == p->n_param) {
		LT_GROW(p->scratch, p->param, p->n_param, p->cap_param);
		p->param[p->n_param++] = param;
	}
	return i;
}

/* A var of the view or a run-time scalar. */
static lt_status parse_name(struct lt_parser *p, int64_t coef)
{
	int32_t found = lt__names_find(p->g->var_names, p->l.at, p->l.bytes);

	if (found <= -2) {
		if (p->numbered)
			return LT_PARSE_FAIL(p, "after a with list, run-time scalars and floors are written ~0, ~1 ...");
		push(p, LT_TERM_PARAM, param_number(p, -2 - found), coef);
	} else {
		int32_t i = 0;

		while (i < p->n_dim && p->dim[i] != found)
			i++;
		if (found < 0 || i == p->n_dim)
			return LT_PARSE_FAIL(p, "%s is %srun-time scalar", lt__lex_text(p->ctx, &p->l),
				p->dim ? "neither a dim of this view nor a " : "not a ");
		push(p, LT_TERM_DIM, i, coef);
	}
	lt__lex_next(&p->l);
	return LT_OK;
}

/* ~k: column k of the with list. */
static lt_status parse_column(struct lt_parser *p, int64_t coef)
{
	int64_t k;

	lt__lex_next(&p->l);
	if (!p->numbered)
		return LT_PARSE_FAIL(p, "~ names a column of a with list, and there is none");
	LT_TRY(lt__parse_int(p, &k));
	if (k < 0 || k >= (int64_t)p->n_param + p->n_floor)
		return LT_PARSE_FAIL(p, "the with list has no column ~%lld before this place", (long long)k);
	if (k < p->n_param)
		push(p, LT_TERM_PARAM, (int32_t)k, coef);
	else
		push(p, LT_TERM_FLOOR, (int32_t)k - p->n_param, coef);
	return LT_OK;
}

static bool at_floor(const struct lt_parser *p)
{
	struct lt_lexer next = p->l;

	if (!lt__lex_is(&next, "floor"))
		return false;
	lt__lex_next(&next);
	return lt__lex_is(&next, "(");
}

/* [number *] name, or a number; *floor: it precedes a floor's parenthesis with its coefficient. */
static lt_status parse_term(struct lt_parser *p, bool minus, int64_t *coef, bool *floor)
{
	bool number = p->l.kind == LT_TOKEN_NUMBER;
	uint64_t size = 1;

	*floor = false;
	if (number && (!lt__lex_whole(&p->l, &size) || size > (uint64_t)INT64_MAX + minus))
		return LT_PARSE_FAIL(p, "%s is not a whole number of at most 63 bits", lt__lex_text(p->ctx, &p->l));
	*coef = (int64_t)(minus ? 0 - size : size);
	if (number) {
		lt__lex_next(&p->l);
		if (!lt__parse_accept(p, "*")) {
			push(p, LT_TERM_CONSTANT, 0, *coef);
			return LT_OK;
		}
	}
	if (at_floor(p)) {
		if ((p->numbered && !p->in_with) || !p->dim)
			return LT_PARSE_FAIL(p, "a floor is not allowed here%s", p->dim ? ": it belongs in the with list" : "");
		*floor = true;
		return LT_OK;
	}
	if (lt__lex_is(&p->l, "~"))
		return parse_column(p, *coef);
	if (p->l.kind == LT_TOKEN_NAME)
		return parse_name(p, *coef);
	return LT_PARSE_FAIL(p, "expected a dim, a run-time scalar or a number, found %s", lt__lex_text(p->ctx, &p->l));
}

static lt_status close_floor(struct lt_parser *p, const struct lt_open *open)
{
	int64_t den;

	if (open->paren)
		LT_TRY(lt__parse_expect(p, ")"));
	LT_TRY(lt__parse_expect(p, "/"));
	LT_TRY(lt__parse_int(p, &den));
	if (den < 1)
		return LT_PARSE_FAIL(p, "a floor division is by a positive number, not by %lld", (long long)den);
	LT_TRY(lt__parse_expect(p, ")"));
	push(p, LT_TERM_FLOOR, floor_number(p, den, open->first), open->coef);
	return LT_OK;
}

/* A sum of terms, which become a row.  Floors within floors wait on a stack. */
static lt_status parse_sum(struct lt_parser *p)
{
	bool minus = lt__parse_accept(p, "-"), floor;
	int32_t depth = 0;
	int64_t coef;

	for (;;) {
		LT_TRY(parse_term(p, minus, &coef, &floor));
		if (floor) {
			LT_GROW(p->scratch, p->open, depth, p->cap_open);
			lt__lex_next(&p->l);
			LT_TRY(lt__parse_expect(p, "("));
			p->open[depth++] = (struct lt_open){ .first = p->n_pending, .coef = coef, .paren = lt__parse_accept(p, "(") };
			minus = lt__parse_accept(p, "-");
			continue;
		}
		while (depth && !lt__lex_is(&p->l, "+") && !lt__lex_is(&p->l, "-"))
			LT_TRY(close_floor(p, &p->open[--depth]));
		minus = lt__lex_is(&p->l, "-");
		if (!minus && !lt__lex_is(&p->l, "+"))
			break;
		lt__lex_next(&p->l);
	}
	LT_GROW(p->scratch, p->row, p->n_row, p->cap_row);
	p->row[p->n_row++] = span_settle(p, 0);
	return LT_OK;
}

lt_status lt__parse_linear(struct lt_parser *p, struct lt_linear *out)
{
	int64_t constant = 0, *coef;
	lt_param *param;
	int32_t n = 0;

	parser_forget(p, 0, NULL);
	LT_TRY(parse_sum(p));
	param = LT_NEW(p->scratch, lt_param, p->n_term);
	coef = LT_NEW(p->scratch, int64_t, p->n_term);
	for (int32_t i = 0; i < p->n_term; i++) {
		const struct lt_parse_term *t = &p->term[i];

		if (t->kind == LT_TERM_PARAM) {
			param[n] = p->param[t->index];
			coef[n++] = t->coef;
		} else if (__builtin_add_overflow(constant, t->coef, &constant)) {
			return LT_PARSE_FAIL(p, "the constant of this sum exceeds 63 bits");
		}
	}
	if (lt__linear_make(p->g, constant, n, param, coef, out)) {
		const char *why = lt__arena_string(p->scratch, p->ctx->message);

		return lt__lex_fail(p->ctx, &p->l, p->ctx->code, "%s", why);
	}
	return LT_OK;
}

static lt_status parse_with(struct lt_parser *p)
{
	p->numbered = p->in_with = true;
	do {
		int32_t before = p->n_floor;

		if (!at_floor(p)) {
			int32_t found = p->l.kind == LT_TOKEN_NAME ? lt__names_find(p->g->var_names, p->l.at, p->l.bytes) : -1;

			if (found > -2 || p->n_floor)
				return LT_PARSE_FAIL(p, "a with list has run-time scalars, then floors; found %s", lt__lex_text(p->ctx, &p->l));
			LT_GROW(p->scratch, p->param, p->n_param, p->cap_param);
			p->param[p->n_param++] = -2 - found;
			lt__lex_next(&p->l);
			continue;
		}
		LT_TRY(parse_sum(p));
		p->n_row--;
		if (p->n_floor != before + 1 || p->row[p->n_row].n != 1)
			return LT_PARSE_FAIL(p, "a with list has run-time scalars, then floors, each floor alone");
	} while (lt__parse_accept(p, ","));
	p->in_with = false;
	return lt__parse_expect(p, ":");
}

static bool fill_row(const struct lt_parser *p, struct lt_span span, int64_t *row)
{
	const int32_t base[] = { [LT_TERM_CONSTANT] = 0, [LT_TERM_PARAM] = 1, [LT_TERM_DIM] = 1 + p->n_param,
		[LT_TERM_FLOOR] = 1 + p->n_param + p->n_dim };

	for (int32_t i = 0; i < span.n; i++) {
		const struct lt_parse_term *t = &p->term[span.first + i];
		int64_t *at = &row[base[t->kind] + t->index];

		if (__builtin_add_overflow(*at, t->coef, at))
			return false;
	}
	return true;
}

/* The collected rows, of which the last n_guard are guards, as a map in the graph's arena. */
static lt_status make_map(struct lt_parser *p, int32_t n_guard, struct lt_map *out)
{
	struct lt_map m = { .n_param = p->n_param, .n_dim = p->n_dim, .n_div = p->n_floor, .n_guard = n_guard,
		.n_row = p->n_row - n_guard };
	struct lt_arena *arena = p->g->arena;
	int64_t *div, *guard, *row;
	bool fits = true;
	size_t width;

	if ((int64_t)m.n_param + m.n_div + m.n_dim >= LT_MAX_WIDTH)
		return LT_PARSE_FAIL(p, "a piece has at most %d run-time scalars, dims and floors together", LT_MAX_WIDTH - 1);
	width = (size_t)lt__map_width(&m);
	m.param = lt__arena_copy(arena, p->param, sizeof *p->param * (size_t)m.n_param);
	m.div = div = LT_NEW(arena, int64_t, (size_t)m.n_div * (width + 1));
	m.guard = guard = LT_NEW(arena, int64_t, (size_t)m.n_guard * width);
	m.row = row = LT_NEW(arena, int64_t, (size_t)m.n_row * width);
	for (int32_t i = 0; i < m.n_div; i++) {
		div[(size_t)i * (width + 1)] = p->floor[i].den;
		fits &= fill_row(p, p->floor[i].num, div + (size_t)i * (width + 1) + 1);
	}
	for (int32_t i = 0; i < m.n_row; i++)
		fits &= fill_row(p, p->row[i], row + (size_t)i * width);
	for (int32_t i = 0; i < m.n_guard; i++)
		fits &= fill_row(p, p->row[m.n_row + i], guard + (size_t)i * width);
	if (!fits)
		return LT_PARSE_FAIL(p, "a coefficient of this piece exceeds 63 bits");
	*out = m;
	return LT_OK;
}

struct view_pieces {
	struct lt_graphpiece *piece;
	int32_t n, cap;
	lt_node *operand;
	int32_t n_operand, cap_operand;
	bool listed;
	struct lt_names *seen;
};

static lt_status parse_indices(struct lt_parser *p)
{
	LT_TRY(lt__parse_expect(p, "["));
	if (lt__parse_accept(p, "]"))
		return LT_OK;
	do
		LT_TRY(parse_sum(p));
	while (lt__parse_accept(p, ","));
	return lt__parse_expect(p, "]");
}

static bool at_operand_number(const struct lt_parser *p)
{
	struct lt_lexer next = p->l;

	lt__lex_next(&next);
	return p->l.kind == LT_TOKEN_NUMBER && lt__lex_is(&next, "[");
}

/* %source[...], or 0[...] where the operands are listed, or a value. */
static lt_status parse_source(
	struct lt_parser *p, struct view_pieces *s, const struct lt_nodedef *n, struct lt_graphpiece *piece)
{
	int64_t number;
	lt_node x;

	if (s->listed && at_operand_number(p)) {
		LT_TRY(lt__parse_int(p, &number));
		if (number >= s->n_operand)
			return LT_PARSE_FAIL(p, "there is no operand %lld: the view lists %d", (long long)number, s->n_operand);
		piece->source = (int32_t)number;
		return parse_indices(p);
	}
	if (p->l.kind != LT_TOKEN_NODE) {
		piece->source = -1;
		return lt__literal_parse(p->ctx, &p->l, n->dtype, &piece->bits);
	}
	if (s->listed)
		return LT_PARSE_FAIL(p, "the operands are listed: write the number of one before [");
	LT_TRY(lt__parse_operand(p, &x));
	if (!s->seen)
		s->seen = lt__names_new(p->scratch);
	piece->source = lt__names_find(s->seen, (const char *)&x, sizeof x);
	if (piece->source < 0) {
		LT_GROW(p->g->arena, s->operand, s->n_operand, s->cap_operand);
		lt__names_add(s->seen, (const char *)&x, sizeof x, s->n_operand);
		piece->source = s->n_operand;
		s->operand[s->n_operand++] = x;
	}
	return parse_indices(p);
}

static lt_status parse_piece(
	struct lt_parser *p, struct view_pieces *s, const struct lt_nodedef *n, struct lt_graphpiece *piece)
{
	int32_t n_row;
	int64_t zero;

	parser_forget(p, n->n_dim, n->dim ? n->dim : &(lt_var){ -1 });
	if (lt__parse_accept(p, "with"))
		LT_TRY(parse_with(p));
	LT_TRY(parse_source(p, s, n, piece));
	n_row = p->n_row;
	if (lt__parse_accept(p, "if"))
		do {
			LT_TRY(parse_sum(p));
			LT_TRY(lt__parse_expect(p, ">="));
			LT_TRY(lt__parse_int(p, &zero));
			if (zero)
				return LT_PARSE_FAIL(p, "a guard is written as a sum >= 0");
		} while (lt__parse_accept(p, ","));
	return make_map(p, p->n_row - n_row, &piece->map);
}

lt_status lt__parse_pieces(struct lt_parser *p, struct lt_nodedef *n)
{
	struct view_pieces s = { .operand = n->operand, .n_operand = n->n_operand, .listed = n->n_operand > 0 };

	LT_TRY(lt__parse_expect(p, "{"));
	do {
		if (lt__parse_accept(p, "else")) {
			n->has_fill = true;
			LT_TRY(lt__literal_parse(p->ctx, &p->l, n->dtype, &n->bits));
			break;
		}
		LT_GROW(p->g->arena, s.piece, s.n, s.cap);
		s.piece[s.n] = (struct lt_graphpiece){ .source = -1 };
		LT_TRY(parse_piece(p, &s, n, &s.piece[s.n]));
		s.n++;
	} while (lt__parse_accept(p, ";"));
	LT_TRY(lt__parse_expect(p, "}"));
	n->piece = s.piece;
	n->n_piece = s.n;
	n->operand = s.operand;
	n->n_operand = s.n_operand;
	return LT_OK;
}
