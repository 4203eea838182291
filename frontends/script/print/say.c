/* say.c -- a node as a statement: the pieces of its text, ViewNode of any view, and the form that says just what
 * the node is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/script/print/printer.h"

/* The shortest decimal that is read as the value. */
static void say_float(struct lt_text *t, uint64_t bits, enum lt_dtype dtype)
{
	double x = lt__scalar_of(bits, dtype).f;
	union lt_scalar nan = { .f = NAN };
	char text[40];
	if (isnan(x)) {
		if (bits == lt__bits_of(lt__round_to(nan, dtype), dtype))
			lt__text_format(t, "nan");
		else
			lt__text_format(t, "bits(0x%llx)", (unsigned long long)bits);
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, x);
		if (lt__bits_of(lt__round_to((union lt_scalar){ .f = strtod(text, NULL) }, dtype), dtype) == bits)
			break;
	}
	for (char *c = text; *c; c++)   /* the point of the locale */
		if (!strchr("0123456789+-einf", *c))
			*c = '.';
	lt__text_format(t, "%s", text);
}

void lt__say_bits(struct lt_text *t, uint64_t bits, enum lt_dtype dtype)
{
	enum lt_class cls = lt__dtype_info(dtype)->cls;
	if (cls == LT_CLASS_FLOAT)
		say_float(t, bits, dtype);
	else if (cls == LT_CLASS_BOOL)
		lt__text_format(t, "%s", lt__scalar_of(bits, dtype).i ? "true" : "false");
	else if (dtype == LT_U64)
		lt__text_format(t, "%llu", (unsigned long long)bits);
	else
		lt__text_format(t, "%lld", (long long)lt__scalar_of(bits, dtype).i);
}

void lt__say_string(struct lt_text *t, const char *text)
{
	static const char special[] = "\"\\\n\t", letter[] = "\"\\nt";
	lt__text_add(t, "\"", 1);
	for (; *text; text++) {
		const char *found = strchr(special, *text);
		if (found)
			lt__text_format(t, "\\%c", letter[found - special]);
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			lt__text_format(t, "\\x%02x", (unsigned char)*text);
		else
			lt__text_add(t, text, 1);
	}
	lt__text_add(t, "\"", 1);
}

void lt__say_name(struct lt_text *t, const char *name, const char *stop)
{
	bool plain = *name && *name != '#' && strncmp(name, "//", 2) != 0 && !strpbrk(name, stop);
	for (const char *c = name; *c && plain; c++)
		plain = (unsigned char)*c > ' ' && *c != 0x7f;
	if (plain) {
		lt__text_format(t, "%s", name);
	} else {
		lt__text_format(t, "text ");
		lt__say_string(t, name);
	}
}

static void say_factor(struct lt_text *t, bool first, int64_t by, bool atom)
{
	uint64_t size = by < 0 ? 0 - (uint64_t)by : (uint64_t)by;
	lt__text_format(t, "%s", first ? (by < 0 ? "-" : "") : by < 0 ? " - " : " + ");
	if (!atom || size != 1)
		lt__text_format(t, "%llu%s", (unsigned long long)size, atom ? "*" : "");
}

/* A sum begins with no minus where a number can stand before it. */
void lt__say_linear(const struct lt_scripter *p, struct lt_text *t, const struct lt_linear *l)
{
	bool lead = l->n && l->coef[0] < 0, first = !lead;
	if (lead)
		lt__text_format(t, "%lld", (long long)l->constant);
	for (int32_t i = 0; i < l->n; i++, first = false) {
		say_factor(t, first, l->coef[i], true);
		lt__text_format(t, "$%d", p->scalar[l->param[i]]);
	}
	if (!lead && (l->constant || first))
		say_factor(t, first, l->constant, false);
}

static void say_dim(const struct lt_scripter *p, struct lt_text *t, lt_var v)
{
	const struct lt_vardef *d = &p->g->var[v];
	if (d->bounded) {
		lt__say_linear(p, t, &d->limit);
		lt__text_format(t, " <= ");
	}
	lt__text_format(t, "%lld", (long long)d->extent);
}

void lt__say_shape(const struct lt_scripter *p, struct lt_text *t, int32_t n, const lt_var *dim)
{
	lt__text_format(t, "[");
	for (int32_t i = 0; i < n; i++) {
		lt__text_format(t, "%s", i ? ", " : "");
		say_dim(p, t, dim[i]);
	}
	lt__text_format(t, "]");
}

void lt__say_list(struct lt_text *t, int32_t n, const int64_t *x)
{
	lt__text_format(t, "[");
	for (int32_t i = 0; i < n; i++)
		lt__text_format(t, "%s%lld", i ? ", " : "", (long long)x[i]);
	lt__text_format(t, "]");
}

/* -- ViewNode of any view. */

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
		say_factor(t, !said, by * sign, true);
		say_column(w, t, column);
		said++;
	}
	return said;
}

static void say_row(const struct view_words *w, struct lt_text *t, const int64_t *row)
{
	int32_t said = say_terms(w, t, row, 1, true);
	if (row[0] || !said)
		say_factor(t, !said, row[0], false);
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

static void say_any_view(const struct lt_scripter *p, struct lt_text *t, const struct lt_nodedef *d, const int32_t *id)
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
		say_dim(p, t, d->dim[i]);
	}
	lt__text_format(t, "]%s: %s)", w.n_div ? w.divs.at : "", pieces.at);
}

/* -- Statements. */

int32_t lt__say_begin(struct lt_scripter *p)
{
	lt__text_format(&p->text, "$%d = ", ++p->n);
	return p->n;
}

/* Letters of the axes of a value of so many dims; NULL: there are not enough. */
static char letter_of(int32_t i)
{
	static const char letters[] = "ijklmnopqrstuvwxyzabcdefghIJKLMNOPQRSTUVWXYZABCDEFGH";
	return letters[i];
}
enum { N_LETTERS = 52 };

lt_node lt__script_operand(const struct lt_scripter *p, lt_node x, int32_t k)
{
	return p->pick[x] ? p->pick[x][k] : p->alias.same[p->g->node[x].operand[k]];
}

static int32_t operand_id(const struct lt_scripter *p, const struct lt_nodedef *d, int32_t k)
{
	return p->id[lt__script_operand(p, (lt_node)(d - p->g->node), k)];
}

static int32_t index_in(const lt_var *dim, int32_t n, lt_var v)
{
	int32_t i = 0;
	while (i < n && dim[i] != v)
		i++;
	return i;
}

/* Whether numpy's rule gives axis i of operand k its place, where y is said in its stead: the axes of y are the last
 * of the result's, or of one element. */
static bool is_broadcast(const struct lt_scripter *p, const struct lt_nodedef *d, int32_t k, lt_node y)
{
	const int32_t n = d->n_dim;
	const lt_var *own = d->dim;
	const struct lt_nodedef *x = &p->g->node[d->operand[k]], *z = &p->g->node[y];
	int32_t at[LT_MAX_RANK], to[LT_MAX_RANK], m = lt__script_solid(p->g, x->n_dim, x->dim, at);
	if (z->n_dim > n || lt__script_solid(p->g, z->n_dim, z->dim, to) != m)
		return false;
	for (int32_t i = 0; i < m; i++)
		if (index_in(own, n, x->dim[at[i]]) != n - z->n_dim + to[i])
			return false;
	for (int32_t i = 0; y == p->alias.same[d->operand[k]] && i < x->n_dim; i++)     /* which one of one element it is */
		if (index_in(own, n, x->dim[i]) != n - x->n_dim + i)
			return false;
	return true;
}

static lt_node above(const struct lt_scripter *p, lt_node y)
{
	return p->alias.up[y] < 0 ? -1 : p->alias.same[p->alias.up[y]];
}

/* Operands by numpy's rule; NULL: it does not say the same.  A view that only takes axes of one element away, as the
 * rule itself does, is passed over. */
lt_node *lt__script_pick(struct lt_scripter *p, const struct lt_nodedef *d)
{
	int32_t most = 0;
	lt_node *pick = LT_NEW(p->arena, lt_node, d->n_operand);
	for (int32_t k = 0; k < d->n_operand; k++) {
		lt_node y = p->alias.same[d->operand[k]];
		while (y >= 0 && !is_broadcast(p, d, k, y))
			y = above(p, y);
		if (y < 0)
			return NULL;
		for (lt_node z = above(p, y); z >= 0 && p->g->node[z].n_dim > p->g->node[y].n_dim && is_broadcast(p, d, k, z);
			z = above(p, y))
			y = z;
		pick[k] = y;
		most = p->g->node[y].n_dim > most ? p->g->node[y].n_dim : most;
	}
	return most == d->n_dim ? pick : NULL;
}

/* Letters of operand k: each axis by its place among `own`, others by letters that are still free. */
static void say_letters(struct lt_scripter *p, const struct lt_nodedef *x, int32_t n, const lt_var *own, int32_t apart)
{
	for (int32_t i = 0; i < x->n_dim; i++)
		lt__text_format(&p->text, "%c", letter_of(i == apart ? n : index_in(own, n, x->dim[i])));
}

static void say_operands(struct lt_scripter *p, const struct lt_nodedef *d)
{
	for (int32_t k = 0; k < d->n_operand; k++)
		lt__text_format(&p->text, "%s$%d", k ? ", " : "", operand_id(p, d, k));
}

static lt_status too_many_axes(const struct lt_scripter *p, lt_node x)
{
	return lt_fail(p->g->ctx, LT_EUNSUPPORTED, "node '%s' has more than %d axes: a script has a letter for each",
		p->g->node[x].name, N_LETTERS - 1);
}

static lt_status say_lettered(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	if (d->n_dim >= N_LETTERS)
		return too_many_axes(p, x);
	lt__text_format(&p->text, "MapNode(%s, ", lt__op_info(d->op)->name);
	for (int32_t k = 0; k < d->n_operand; k++) {
		lt__text_format(&p->text, "%s", k ? "," : "");
		say_letters(p, &p->g->node[d->operand[k]], d->n_dim, d->dim, -1);
	}
	lt__text_format(&p->text, "->");
	for (int32_t i = 0; i < d->n_dim; i++)
		lt__text_format(&p->text, "%c", letter_of(i));
	lt__text_format(&p->text, ": ");
	say_operands(p, d);
	return LT_OK;
}

static lt_status say_map(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	p->id[x] = lt__say_begin(p);
	if (d->op == LT_OP_cast) {
		lt__text_format(&p->text, "CastNode($%d, %s", operand_id(p, d, 0), lt__dtype_info(d->dtype)->script);
		return LT_OK;
	}
	if (!p->pick[x])
		return say_lettered(p, x);
	lt__text_format(&p->text, "%s(", lt__script_op_name(p->language, d->op));
	say_operands(p, d);
	return LT_OK;
}

static void say_reduce(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	static const char *const name[LT_NOP] = { [LT_OP_add] = "Sum", [LT_OP_mul] = "Product", [LT_OP_min] = "Min",
		[LT_OP_max] = "Max" };
	int32_t n = 0;
	p->id[x] = lt__say_begin(p);
	lt__text_format(&p->text, "Reduce%sNode($%d, [", name[d->op], operand_id(p, d, 0));
	for (int32_t i = 0; i < p->g->node[d->operand[0]].n_dim; i++)
		if (lt__script_find_axis(p->g, d, 0, i) < 0)
			lt__text_format(&p->text, "%s%d", n++ ? ", " : "", i);
	lt__text_format(&p->text, "]");
}

/* Whether the axes of the index stand where the axis was, and are no other axes of x. */
static bool is_take(const struct lt_scripter *p, const struct lt_nodedef *d)
{
	const struct lt_nodedef *from = &p->g->node[d->operand[0]], *at = &p->g->node[d->operand[1]];
	if (d->n_dim != from->n_dim - 1 + at->n_dim)
		return false;
	for (int32_t i = 0; i < from->n_dim; i++)
		if (i != d->axis && lt__script_find_axis(p->g, d, 0, i) != (i < d->axis ? i : i - 1 + at->n_dim))
			return false;
	for (int32_t i = 0; i < at->n_dim; i++)
		if (lt__script_find_axis(p->g, d, 1, i) != d->axis + i)
			return false;
	return true;
}

static lt_status say_gather(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	p->id[x] = lt__say_begin(p);
	if (is_take(p, d)) {
		lt__text_format(&p->text, "GatherNode($%d, $%d", operand_id(p, d, 0), operand_id(p, d, 1));
		if (d->axis)
			lt__text_format(&p->text, ", %d", d->axis);
		return LT_OK;
	}
	if (d->n_dim >= N_LETTERS)
		return too_many_axes(p, x);
	lt__text_format(&p->text, "GatherAlongNode(");
	say_letters(p, &p->g->node[d->operand[0]], d->n_dim, d->dim, d->axis);
	lt__text_format(&p->text, ",");
	say_letters(p, &p->g->node[d->operand[1]], d->n_dim, d->dim, -1);
	lt__text_format(&p->text, "->");
	for (int32_t i = 0; i < d->n_dim; i++)
		lt__text_format(&p->text, "%c", letter_of(i));
	lt__text_format(&p->text, ": ");
	say_operands(p, d);
	lt__text_format(&p->text, ", %d", d->axis);
	return LT_OK;
}

static void say_update(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	p->id[x] = lt__say_begin(p);
	lt__text_format(&p->text, "UpdateNode(");
	say_operands(p, d);
	for (int32_t i = 0; i < d->n_dim; i++) {
		lt__text_format(&p->text, ", ");
		if (d->at[i] >= 0)
			lt__text_format(&p->text, "$%d", p->scalar[d->at[i]]);
		if (d->at[i] < 0 || d->offset[i])
			say_factor(&p->text, d->at[i] < 0, d->offset[i], false);
	}
}

static void say_view(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	int32_t *id = LT_NEW(p->arena, int32_t, d->n_operand);
	for (int32_t k = 0; k < d->n_operand; k++)
		id[k] = operand_id(p, d, k);
	p->id[x] = lt__say_begin(p);
	say_any_view(p, &p->text, d, id);
	p->text.n--;            /* its parenthesis is the statement's */
}

/* $0 $1 .. are the operands' numbers. */
static void say_form(struct lt_scripter *p, lt_node x)
{
	const struct lt_script_form *f = p->form[x];
	const char *at = f->text.at, *end = at + f->text.n - 1;         /* before the parenthesis */
	p->id[x] = lt__say_begin(p);
	for (; at < end; at++) {
		int32_t k = 0;
		if (*at != '$') {
			lt__text_add(&p->text, at, 1);
			continue;
		}
		for (; at[1] >= '0' && at[1] <= '9'; at++)
			k = 10 * k + (at[1] - '0');
		lt__text_format(&p->text, "$%d", p->id[p->alias.same[f->operand[k]]]);
	}
}

lt_status lt__say_node(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	lt_status status = LT_OK;
	if (p->form[x]) {
		say_form(p, x);
	} else if (d->reduce) {
		say_reduce(p, x);
	} else if (d->op == LT_OP_lit) {
		p->id[x] = lt__say_begin(p);
		lt__text_format(&p->text, "FullNode(%s, [], ", lt__dtype_info(d->dtype)->script);
		lt__say_bits(&p->text, d->bits, d->dtype);
	} else if (d->op == LT_OP_index) {
		p->id[x] = lt__say_begin(p);
		lt__text_format(&p->text, "IotaNode(");
		lt__say_shape(p, &p->text, 1, d->dim);
	} else if (d->op == LT_OP_view) {
		say_view(p, x);
	} else if (d->op == LT_OP_gather) {
		status = say_gather(p, x);
	} else if (d->op == LT_OP_update) {
		say_update(p, x);
	} else {
		status = say_map(p, x);
	}
	return status;
}
