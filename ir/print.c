/* ir/print.c -- the text of a graph (docs/graph.md): deterministic, and ir/parse.c reads the same graph back. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "ir/intern.h"
#include "ir/literal.h"
#include "ir/plain.h"
#include "ir/quasi.h"

enum { BUFFER = 4096, LONGEST = 4096 };        /* bytes kept back; numbers of terms that floors may unfold to */

/* Which columns a row has, and how they are named. */
struct print_columns {
	const struct lt_map *map;
	const lt_var *dim;
	bool numbered;                  /* params and floors as ~0, ~1 ... */
};
/* An expression under way: a row, and how far it is printed. */
struct frame {
	const int64_t *row;
	int32_t step;                   /* next column: 0 the constant if it leads, dims, params, divs, the constant */
	bool lead, first, paren;
	int64_t den;                    /* of the floor that it is in; 0: none */
};

struct graph_printer {
	const struct lt_graph *g;
	struct lt_arena *scratch;
	void (*write)(void *, const char *, size_t);
	void *user;
	struct frame *stack;            /* of say_row */
	int32_t cap_stack;
	char buffer[BUFFER];
	size_t n;
};

static void printer_add(struct graph_printer *p, const char *text, size_t bytes)
{
	if (p->n + bytes > BUFFER) {
		p->write(p->user, p->buffer, p->n);
		p->n = 0;
	}
	if (bytes > BUFFER) {
		p->write(p->user, text, bytes);
	} else {
		memcpy(p->buffer + p->n, text, bytes);
		p->n += bytes;
	}
}

static void printer_text(struct graph_printer *p, const char *text)
{
	printer_add(p, text, strlen(text));
}

static void say_int(struct graph_printer *p, int64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRId64, value);
	printer_text(p, text);
}

/* What may not be shown as it is, byte by byte, so that every text is read back, and none acts upon a terminal. */
static void say_string(struct graph_printer *p, const char *text)
{
	static const char special[] = "\"\\\n\t", letter[] = "\"\\nt";
	char escape[8];
	bool plain;

	printer_text(p, "\"");
	for (size_t n = strlen(text), bytes; n > 0; text += bytes, n -= bytes) {
		const char *found = strchr(special, *text);

		bytes = lt__plain_next(text, n, &plain);
		for (size_t i = 0; i < bytes; i++) {
			snprintf(escape, sizeof escape,
				found           ? "\\%c"
					: plain ? "%c"
						: "\\x%02x",
				found ? letter[found - special] : (unsigned char)text[i]);
			printer_text(p, escape);
		}
	}
	printer_text(p, "\"");
}

static void say_node(struct graph_printer *p, lt_node x)
{
	printer_text(p, "%");
	printer_text(p, p->g->node[x].name);
}

static void say_bits(struct graph_printer *p, uint64_t bits, enum lt_dtype t)
{
	char text[LT_LITERAL_BYTES];

	lt__literal_text(bits, t, text);
	printer_text(p, text);
}

static void say_location(struct graph_printer *p, int32_t line, int32_t column)
{
	if (!line && !column)
		return;
	printer_text(p, " @ ");
	say_int(p, line);
	printer_text(p, ":");
	say_int(p, column);
}

/* "+ 3*" before a term, "-" before a first one. */
static void say_factor(struct graph_printer *p, bool first, int64_t c, bool atom)
{
	char text[24];
	uint64_t size = c < 0 ? 0 - (uint64_t)c : (uint64_t)c;

	printer_text(p, first ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ");
	if (atom && size == 1)
		return;
	snprintf(text, sizeof text, "%" PRIu64 "%s", size, atom ? "*" : "");
	printer_text(p, text);
}

/* constant + sum coef*param, params first. */
static void say_linear(struct graph_printer *p, const struct lt_linear *l)
{
	bool first = true;

	for (int32_t i = 0; i < l->n; i++) {
		say_factor(p, first, l->coef[i], true);
		printer_text(p, p->g->param[l->param[i]].name);
		first = false;
	}
	if (l->constant || first)
		say_factor(p, first, l->constant, false);
}

static void open_frame(const struct print_columns *c, struct frame *f, const int64_t *row, int64_t den)
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
	*f = (struct frame){ .row = row, .lead = !lead || (lead < 0 && row[0] > 0), .first = true, .paren = den && n_term > 1,
		.den = den };
}

static void say_constant(struct graph_printer *p, struct frame *f, bool needed)
{
	if (!f->row[0] && !needed)
		return;
	say_factor(p, f->first, f->row[0], false);
	f->first = false;
}

/* The column of step s: dims, params, divs. */
static int32_t column_of(const struct lt_map *m, int32_t s)
{
	if (s <= m->n_dim)
		return m->n_param + s;
	return s <= m->n_dim + m->n_param ? s - m->n_dim : s;
}

static void say_column(struct graph_printer *p, const struct print_columns *c, int32_t column)
{
	const struct lt_map *m = c->map;

	if (column > m->n_param && column <= m->n_param + m->n_dim) {
		printer_text(p, p->g->var[c->dim[column - 1 - m->n_param]].name);
	} else if (c->numbered) {
		printer_text(p, "~");
		say_int(p, column <= m->n_param ? column - 1 : column - 1 - m->n_dim);
	} else {
		printer_text(p, p->g->param[m->param[column - 1]].name);
	}
}

/* A row, or (den > 0) its floor; one within it opens a frame on the stack instead of a recursion. */
static void say_row(struct graph_printer *p, const struct print_columns *c, const int64_t *row, int64_t den)
{
	const struct lt_map *m = c->map;
	int32_t width = lt__map_width(m), depth = 0;

	LT_GROW(p->scratch, p->stack, 0, p->cap_stack);
	open_frame(c, &p->stack[0], row, den);
	while (depth >= 0) {
		struct frame *f = &p->stack[depth];
		int32_t s = f->step++, column = s && s < width ? column_of(m, s) : 0;

		if (s == 0 && f->den)
			printer_text(p, f->paren ? "floor((" : "floor(");
		if ((s == 0 && f->lead) || (s == width && !f->lead))
			say_constant(p, f, s == 0 && f->lead);
		if (s == width) {
			if (f->den) {
				printer_text(p, f->paren ? ") / " : " / ");
				say_int(p, f->den);
				printer_text(p, ")");
			}
			depth--;
		} else if (column && f->row[column]) {
			say_factor(p, f->first, f->row[column], true);
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
static bool follows(struct graph_printer *p, const struct lt_map *m)
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

static void say_with(struct graph_printer *p, const struct print_columns *c)
{
	const struct lt_map *m = c->map;
	size_t width = (size_t)lt__map_width(m);

	printer_text(p, "with ");
	for (int32_t i = 0; i < m->n_param; i++) {
		printer_text(p, i ? ", " : "");
		printer_text(p, p->g->param[m->param[i]].name);
	}
	for (int32_t k = 0; k < m->n_div; k++) {
		const int64_t *div = m->div + (size_t)k * (width + 1);

		printer_text(p, k || m->n_param ? ", " : "");
		say_row(p, c, div + 1, div[0]);
	}
	printer_text(p, ": ");
}

static void say_piece(
	struct graph_printer *p, const struct lt_nodedef *n, const struct lt_graphpiece *piece, bool listed)
{
	const struct lt_map *m = &piece->map;
	struct print_columns c = { .map = m, .dim = n->dim, .numbered = !follows(p, m) };
	size_t width = (size_t)lt__map_width(m);

	if (c.numbered)
		say_with(p, &c);
	if (piece->source < 0) {
		say_bits(p, piece->bits, n->dtype);
	} else {
		if (listed)
			say_int(p, piece->source);
		else
			say_node(p, n->operand[piece->source]);
		printer_text(p, "[");
		for (int32_t r = 0; r < m->n_row; r++) {
			printer_text(p, r ? ", " : "");
			say_row(p, &c, m->row + (size_t)r * width, 0);
		}
		printer_text(p, "]");
	}
	for (int32_t i = 0; i < m->n_guard; i++) {
		printer_text(p, i ? ", " : " if ");
		say_row(p, &c, m->guard + (size_t)i * width, 0);
		printer_text(p, " >= 0");
	}
}

/* Whether the operands are the sources in the order of their first piece, none twice. */
static bool operands_follow(const struct lt_nodedef *n)
{
	int32_t known = 0;

	for (int32_t i = 0; i < n->n_piece; i++) {
		if (n->piece[i].source > known)
			return false;
		known += n->piece[i].source == known;
	}
	for (int32_t i = 0; i < known; i++)
		for (int32_t j = 0; j < i; j++)
			if (n->operand[i] == n->operand[j])
				return false;
	return known == n->n_operand;
}

static void say_operands(struct graph_printer *p, const struct lt_nodedef *n)
{
	for (int32_t i = 0; i < n->n_operand; i++) {
		printer_text(p, i ? ", " : " ");
		say_node(p, n->operand[i]);
	}
}

static void say_view(struct graph_printer *p, const struct lt_nodedef *n)
{
	bool listed = !operands_follow(n), lines = n->n_piece > 1;

	if (listed)
		say_operands(p, n);
	printer_text(p, lines ? " {" : " { ");
	for (int32_t i = 0; i < n->n_piece; i++) {
		printer_text(p, !lines ? "" : i ? ";\n  " : "\n  ");
		say_piece(p, n, &n->piece[i], listed);
	}
	if (n->has_fill) {
		printer_text(p, lines ? ";\n  else " : "; else ");
		say_bits(p, n->bits, n->dtype);
	}
	printer_text(p, lines ? "\n}" : " }");
}

static void say_update(struct graph_printer *p, const struct lt_nodedef *n)
{
	say_operands(p, n);
	printer_text(p, " at [");
	for (int32_t i = 0; i < n->n_dim; i++) {
		printer_text(p, i ? ", " : "");
		if (n->at[i] >= 0)
			printer_text(p, p->g->param[n->at[i]].name);
		if (n->at[i] < 0 || n->offset[i])
			say_factor(p, n->at[i] < 0, n->offset[i], false);
	}
	printer_text(p, "]");
}

static void say_literal(struct graph_printer *p, const struct lt_nodedef *n)
{
	printer_text(p, " ");
	say_bits(p, n->bits, n->dtype);
}

static void say_label(struct graph_printer *p, const struct lt_nodedef *n)
{
	printer_text(p, " ");
	say_string(p, n->label);
}

static void say_var(struct graph_printer *p, const struct lt_nodedef *n)
{
	printer_text(p, " ");
	printer_text(p, p->g->var[n->var].name);
}

static void say_gather(struct graph_printer *p, const struct lt_nodedef *n)
{
	say_operands(p, n);
	printer_text(p, " axis ");
	say_int(p, n->axis);
}

/* What is after the operator; not named here: the operands. */
static void (*const say_attributes[LT_NOP])(struct graph_printer *, const struct lt_nodedef *) = {
	[LT_OP_lit] = say_literal,
	[LT_OP_input] = say_label,
	[LT_OP_constant] = say_label,
	[LT_OP_state] = say_label,
	[LT_OP_index] = say_var,
	[LT_OP_view] = say_view,
	[LT_OP_gather] = say_gather,
	[LT_OP_update] = say_update,
};

static void say_nodedef(struct graph_printer *p, lt_node x)
{
	const struct lt_nodedef *n = &p->g->node[x];

	say_node(p, x);
	printer_text(p, " = ");
	printer_text(p, lt__dtype_info(n->dtype)->name);
	printer_text(p, "[");
	for (int32_t i = 0; i < n->n_dim; i++) {
		printer_text(p, i ? ", " : "");
		printer_text(p, p->g->var[n->dim[i]].name);
	}
	printer_text(p, "] ");
	printer_text(p, lt__op_info(n->op)->name);
	printer_text(p, n->reduce ? ".reduce" : "");
	(say_attributes[n->op] ? say_attributes[n->op] : say_operands)(p, n);
	say_location(p, n->line, n->column);
	printer_text(p, "\n");
}

static void say_header(struct graph_printer *p)
{
	const struct lt_graph *g = p->g;

	printer_text(p, "graph 1\n");
	for (lt_var v = 0; v < g->n_var; v++) {
		printer_text(p, "var ");
		printer_text(p, g->var[v].name);
		printer_text(p, " ");
		say_int(p, g->var[v].extent);
		if (g->var[v].bounded) {
			printer_text(p, " limit ");
			say_linear(p, &g->var[v].limit);
		}
		printer_text(p, "\n");
	}
	for (lt_param i = 0; i < g->n_param; i++) {
		const struct lt_paramdef *d = &g->param[i];

		printer_text(p, "param ");
		printer_text(p, d->name);
		printer_text(p, " = ");
		say_node(p, d->source);
		printer_text(p, "[");
		say_int(p, d->element);
		printer_text(p, "] in ");
		say_int(p, d->low);
		printer_text(p, "..");
		say_int(p, d->high);
		printer_text(p, "\n");
	}
	for (int32_t i = 0; i < g->n_require; i++) {
		printer_text(p, "require ");
		say_linear(p, &g->require[i].value);
		printer_text(p, g->require[i].equal ? " == 0 " : " >= 0 ");
		say_string(p, g->require[i].text);
		say_location(p, g->require[i].line, g->require[i].column);
		printer_text(p, "\n");
	}
}

static lt_status say_graph(void *user)
{
	struct graph_printer *p = user;
	const struct lt_graph *g = p->g;

	say_header(p);
	for (lt_node x = 0; x < g->n_node; x++)
		say_nodedef(p, x);
	for (int32_t i = 0; i < g->n_result; i++) {
		printer_text(p, "result ");
		say_string(p, g->result[i].name);
		printer_text(p, " = ");
		say_node(p, g->result[i].node);
		printer_text(p, "\n");
	}
	for (int32_t i = 0; i < g->n_set; i++) {
		printer_text(p, "set ");
		say_node(p, g->set[i].state);
		printer_text(p, " = ");
		say_node(p, g->set[i].value);
		printer_text(p, "\n");
	}
	if (p->n)
		p->write(p->user, p->buffer, p->n);
	return LT_OK;
}

lt_status lt_graph_print(const struct lt_graph *g, void (*write)(void *, const char *, size_t), void *user)
{
	struct graph_printer p = { .g = g, .write = write, .user = user };
	lt_status status;

	LT_TRY(lt__arena_new(g->ctx, &p.scratch));
	status = lt__protect(g->ctx, say_graph, &p);
	lt__arena_free(p.scratch);
	return status;
}
