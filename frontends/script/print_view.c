/* print_view.c -- ViewNode of any view. */
#include <string.h>
#include "frontends/script/printer.h"

/* A view being said: its floor divisions have names, and pieces share those that are written alike. */
struct view_words {
	const struct lt_scripter *p;
	const struct lt_nodedef *d;
	struct lt_text divs;            /* ", q = floor(i / 2)" */
	struct lt_names *known;         /* the text of a division: its number */
	int32_t n_div;
	const struct lt_map *map;       /* of the piece */
	int32_t *name;                  /* of its divisions */
};

static void say_axis(struct lt_text *t, int32_t i)
{
	static const char letters[] = "ijklmn";
	if (i < (int32_t)sizeof letters - 1)
		lt__text_format(t, "%c", letters[i]);
	else
		lt__text_format(t, "i%d", i);
}

static void say_column(const struct view_words *w, struct lt_text *t, int32_t column)
{
	const struct lt_map *m = w->map;
	if (column < m->n_param)
		lt__text_format(t, "$%d", w->p->scalar[m->param[column]]);
	else if (column < m->n_param + m->n_dim)
		say_axis(t, column - m->n_param);
	else
		lt__text_format(t, "q%d", w->name[column - m->n_param - m->n_dim]);
}

/* Axes first, then run-time scalars and divisions, then the number; sign -1: of the negative ones, as positive. */
static int32_t say_terms(const struct view_words *w, struct lt_text *t, const int64_t *row, int64_t sign, bool all)
{
	const struct lt_map *m = w->map;
	int32_t n = m->n_param + m->n_dim + m->n_div, said = 0;
	for (int32_t i = 0; i < n; i++) {
		int32_t column = (i + m->n_param) % n;
		int64_t by = row[1 + column];
		if (!by || (!all && (by < 0) != (sign < 0)))
			continue;
		lt__say_factor(t, !said, by * sign, true);
		say_column(w, t, column);
		said++;
	}
	return said;
}

static void say_row(const struct view_words *w, struct lt_text *t, const int64_t *row)
{
	int32_t said = say_terms(w, t, row, 1, true);
	if (row[0] || !said)
		lt__say_factor(t, !said, row[0], false);
}

/* terms with + >= terms with -: where all are on one side the number is on the other. */
static void say_guard(const struct view_words *w, struct lt_text *t, const int64_t *row)
{
	struct lt_text more = { .arena = t->arena }, less = { .arena = t->arena };
	int32_t n_more = say_terms(w, &more, row, 1, false), n_less = say_terms(w, &less, row, -1, false);
	if (!n_more && n_less) {
		lt__text_format(t, "%s <= %lld", less.at, (long long)row[0]);
		return;
	}
	lt__text_format(t, "%s", n_more ? more.at : "0");
	if (!n_less) {
		lt__text_format(t, " >= %lld", -(long long)row[0]);
		return;
	}
	if (row[0] > 0)
		lt__text_format(t, " + %lld", (long long)row[0]);
	lt__text_format(t, " >= %s", less.at);
	if (row[0] < 0)
		lt__text_format(t, " + %lld", -(long long)row[0]);
}

/* Names for the divisions of the piece. */
static void name_divs(struct view_words *w, struct lt_arena *arena)
{
	const struct lt_map *m = w->map;
	int32_t width = lt__map_width(m);
	w->name = LT_NEW(arena, int32_t, m->n_div);
	for (int32_t i = 0; i < m->n_div; i++) {
		const int64_t *div = m->div + (int64_t)i * (1 + width);
		struct lt_text t = { .arena = arena };
		int32_t n = 0;
		for (int32_t k = 0; k < width; k++)
			n += div[1 + k] != 0;
		lt__text_format(&t, "floor(%s", n > 1 ? "(" : "");
		say_row(w, &t, div + 1);
		lt__text_format(&t, "%s / %lld)", n > 1 ? ")" : "", (long long)div[0]);
		int32_t found = lt__names_find(w->known, t.at, t.n);
		if (found < 0) {
			found = w->n_div++;
			lt__names_add(w->known, t.at, t.n, found);
			lt__text_format(&w->divs, ", q%d = %s", found, t.at);
		}
		w->name[i] = found;
	}
}

static void say_piece(struct view_words *w, struct lt_text *t, const struct lt_graphpiece *piece, const int32_t *id)
{
	const struct lt_map *m = &piece->map;
	int32_t width = lt__map_width(m);
	w->map = m;
	name_divs(w, t->arena);
	if (piece->source < 0) {
		lt__say_bits(t, piece->bits, w->d->dtype);
	} else {
		lt__text_format(t, "$%d[", id[piece->source]);
		for (int32_t i = 0; i < m->n_row; i++) {
			lt__text_format(t, "%s", i ? ", " : "");
			say_row(w, t, m->row + (int64_t)i * width);
		}
		lt__text_format(t, "]");
	}
	for (int32_t i = 0; i < m->n_guard; i++) {
		lt__text_format(t, "%s", i ? " and " : " if ");
		say_guard(w, t, m->guard + (int64_t)i * width);
	}
}

/* The type is that of a node: where no piece shows one, a last one does so nowhere. */
static void say_nowhere(const struct lt_scripter *p, struct lt_text *t, const struct lt_nodedef *d, const int32_t *id)
{
	for (int32_t i = 0; i < d->n_piece; i++)
		if (d->piece[i].source >= 0)
			return;
	lt__text_format(t, "$%d[", id[0]);
	for (int32_t i = 0; i < p->g->node[d->operand[0]].n_dim; i++)
		lt__text_format(t, "%s0", i ? ", " : "");
	lt__text_format(t, "] if 0 >= 1 else ");
}

void lt__say_view(const struct lt_scripter *p, struct lt_text *t, const struct lt_nodedef *d, const int32_t *id)
{
	struct view_words w = { .p = p, .d = d, .divs = { .arena = t->arena }, .known = lt__names_new(t->arena) };
	struct lt_text pieces = { .arena = t->arena };
	say_nowhere(p, &pieces, d, id);
	for (int32_t i = 0; i < d->n_piece; i++) {
		lt__text_format(&pieces, "%s", i ? " else " : "");
		say_piece(&w, &pieces, &d->piece[i], id);
	}
	if (d->has_fill) {
		lt__text_format(&pieces, " else ");
		lt__say_bits(&pieces, d->bits, d->dtype);
	}
	lt__text_format(t, "ViewNode([");
	for (int32_t i = 0; i < d->n_dim; i++) {
		lt__text_format(t, "%s", i ? ", " : "");
		say_axis(t, i);
		lt__text_format(t, ": ");
		lt__say_dim(p, t, d->dim[i]);
	}
	lt__text_format(t, "]%s: %s)", w.n_div ? w.divs.at : "", pieces.at);
}
