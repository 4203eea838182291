/* print_piece.c -- the text of a piece of a view: rows with their floors, guards, columns that have to be listed. */
#include <string.h>
#include "base/names.h"
#include "ir/text/printer.h"
#include "ir/map/map.h"

enum { LONGEST = 4096 };                /* numbers of terms that floors may unfold to */

/* Which columns a row has, and how they are named. */
struct print_columns {
	const struct lt_map *map;
	const lt_var *dim;
	bool numbered;                  /* params and floors as ~0, ~1 ... */
};
/* An expression under way: a row, and how far it is printed. */
struct lt_print_frame {
	const int64_t *row;
	int32_t step;                   /* next column: 0 the constant if it leads, dims, params, divs, the constant */
	bool lead, first, paren;
	int64_t den;                    /* of the floor that it is in; 0: none */
};


static void open_frame(const struct print_columns *c, struct lt_print_frame *f, const int64_t *row, int64_t den)
{
	int32_t n_term = row[0] != 0;
	int64_t lead = 0;

	for (int32_t i = 0; i < c->map->n_dim && !lead; i++)
		lead = row[1 + c->map->n_param + i];
	for (int32_t i = 0; i < c->map->n_param && !lead; i++)
		lead = row[1 + i];
	for (int32_t i = 0; i < c->map->n_div && !lead; i++)
		lead = row[1 + c->map->n_param + c->map->n_dim + i];
	for (int32_t i = 1; i < lt__map_width(c->map); i++)
		n_term += row[i] != 0;
	*f = (struct lt_print_frame){ .row = row, .lead = !lead || (lead < 0 && row[0] > 0), .first = true,
		.paren = den && n_term > 1, .den = den };
}

static void say_constant(struct lt_printer *p, struct lt_print_frame *f, bool needed)
{
	if (!f->row[0] && !needed)
		return;
	lt__printer_factor(p, f->first, f->row[0], false);
	f->first = false;
}

/* The column of step s: dims, params, divs. */
static int32_t column_of(const struct lt_map *m, int32_t s)
{
	if (s <= m->n_dim)
		return m->n_param + s;
	return s <= m->n_dim + m->n_param ? s - m->n_dim : s;
}

static void say_column(struct lt_printer *p, const struct print_columns *c, int32_t column)
{
	const struct lt_map *m = c->map;

	if (column > m->n_param && column <= m->n_param + m->n_dim) {
		lt__printer_text(p, p->g->var[c->dim[column - 1 - m->n_param]].name);
	} else if (c->numbered) {
		lt__printer_text(p, "~");
		lt__printer_int(p, column <= m->n_param ? column - 1 : column - 1 - m->n_dim);
	} else {
		lt__printer_text(p, p->g->param[m->param[column - 1]].name);
	}
}

/* A row, or (den > 0) its floor; one within it opens a frame on the stack instead of a recursion. */
static void say_row(struct lt_printer *p, const struct print_columns *c, const int64_t *row, int64_t den)
{
	const struct lt_map *m = c->map;
	int32_t width = lt__map_width(m), depth = 0;

	LT_GROW(p->scratch, p->stack, 0, p->cap_stack);
	open_frame(c, &p->stack[0], row, den);
	while (depth >= 0) {
		struct lt_print_frame *f = &p->stack[depth];
		int32_t s = f->step++, column = s && s < width ? column_of(m, s) : 0;

		if (s == 0 && f->den)
			lt__printer_text(p, f->paren ? "floor((" : "floor(");
		if ((s == 0 && f->lead) || (s == width && !f->lead))
			say_constant(p, f, s == 0 && f->lead);
		if (s == width) {
			if (f->den) {
				lt__printer_text(p, f->paren ? ") / " : " / ");
				lt__printer_int(p, f->den);
				lt__printer_text(p, ")");
			}
			depth--;
		} else if (column && f->row[column]) {
			lt__printer_factor(p, f->first, f->row[column], true);
			f->first = false;
			if (column <= m->n_param + m->n_dim || c->numbered) {
				say_column(p, c, column);
				continue;
			}
			const int64_t *div = m->div + (size_t)(column - 1 - m->n_param - m->n_dim) * (size_t)(width + 1);

			LT_GROW(p->scratch, p->stack, depth + 1, p->cap_stack);
			open_frame(c, &p->stack[++depth], div + 1, div[0]);
		}
	}
}

/* Whether the columns follow from the text: each named, in this order, none twice, and not unfolding without end. */
static bool follows(struct lt_printer *p, const struct lt_map *m)
{
	int32_t *param = LT_NEW(p->scratch, int32_t, 2 * m->n_param + 4 * m->n_div), *div = param + m->n_param, n_param, n_div;
	int64_t *terms = LT_NEW(p->scratch, int64_t, m->n_div), total = 0;
	struct lt_names *known = m->n_div > 1 ? lt__names_new(p->scratch) : NULL;
	size_t width = (size_t)lt__map_width(m), bytes = (width + 1) * sizeof *m->div;

	lt__map_appearance(m, param, &n_param, div, &n_div, div + m->n_div);
	if (n_param != m->n_param || n_div != m->n_div)
		return false;
	for (int32_t i = 0; i < n_param; i++) {
		if (param[i] != i)
			return false;
		for (int32_t j = 0; j < i; j++)
			if (m->param[i] == m->param[j])
				return false;
	}
	for (int32_t k = 0; k < n_div; k++) {
		const int64_t *num = m->div + (size_t)k * (width + 1) + 1;

		if (div[k] != k || (known && lt__names_find(known, (const char *)(num - 1), bytes) >= 0))
			return false;
		if (known)
			lt__names_add(known, (const char *)(num - 1), bytes, k);
		terms[k] = 1;
		for (int32_t i = 0; i < k; i++) {
			terms[k] += num[1 + m->n_param + m->n_dim + i] ? terms[i] : 0;
			if (terms[k] > LONGEST)
				return false;
		}
	}
	for (int32_t r = 0; r < m->n_row + m->n_guard; r++) {
		const int64_t *row = r < m->n_row ? m->row + (size_t)r * width : m->guard + (size_t)(r - m->n_row) * width;

		for (int32_t i = 0; i < n_div && total <= LONGEST; i++)
			total += row[1 + m->n_param + m->n_dim + i] ? terms[i] : 0;
	}
	return total <= LONGEST;
}

static void say_with(struct lt_printer *p, const struct print_columns *c)
{
	const struct lt_map *m = c->map;
	size_t width = (size_t)lt__map_width(m);

	lt__printer_text(p, "with ");
	for (int32_t i = 0; i < m->n_param; i++) {
		lt__printer_text(p, i ? ", " : "");
		lt__printer_text(p, p->g->param[m->param[i]].name);
	}
	for (int32_t k = 0; k < m->n_div; k++) {
		const int64_t *div = m->div + (size_t)k * (width + 1);

		lt__printer_text(p, k || m->n_param ? ", " : "");
		say_row(p, c, div + 1, div[0]);
	}
	lt__printer_text(p, ": ");
}

void lt__printer_piece(
	struct lt_printer *p, const struct lt_nodedef *n, const struct lt_graphpiece *piece, bool listed)
{
	const struct lt_map *m = &piece->map;
	struct print_columns c = { .map = m, .dim = n->dim, .numbered = !follows(p, m) };
	size_t width = (size_t)lt__map_width(m);

	if (c.numbered)
		say_with(p, &c);
	if (piece->source < 0) {
		lt__printer_bits(p, piece->bits, n->dtype);
	} else {
		if (listed)
			lt__printer_int(p, piece->source);
		else
			lt__printer_node(p, n->operand[piece->source]);
		lt__printer_text(p, "[");
		for (int32_t r = 0; r < m->n_row; r++) {
			lt__printer_text(p, r ? ", " : "");
			say_row(p, &c, m->row + (size_t)r * width, 0);
		}
		lt__printer_text(p, "]");
	}
	for (int32_t i = 0; i < m->n_guard; i++) {
		lt__printer_text(p, i ? ", " : " if ");
		say_row(p, &c, m->guard + (size_t)i * width, 0);
		lt__printer_text(p, " >= 0");
	}
}
