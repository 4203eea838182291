/* Features of trees (LT_NEED_*): which statement uses one, and those that a backend does not understand.
 * A text says what the backend lacks, and is the same for all kernels; where, and what to change there, the note and
 * its remedy say.
 */
#include <string.h>
#include <stdio.h>
#include "program/backend/caps.h"

/* Columns of rows: the params, or the divs. */
struct caps_columns { int32_t first, n; };

static bool row_uses(const struct lt_tree *t, int32_t row, struct caps_columns c)
{
	for (int32_t i = 0; row >= 0 && i < c.n; i++)
		if (t->rows[(int64_t)row * t->n_column + c.first + i])
			return true;
	return false;
}

static bool list_uses(const struct lt_tree *t, const int32_t *rows, int32_t first, int32_t n, struct caps_columns c)
{
	for (int32_t i = 0; i < n; i++)
		if (row_uses(t, rows[first + i], c))
			return true;
	return false;
}

static bool access_uses(const struct lt_tree *t, int32_t access, struct caps_columns c)
{
	for (; access >= 0; access = LT_AT(struct lt_access, t->accesses, access)->index) {
		const struct lt_access *a = LT_AT(struct lt_access, t->accesses, access);
		if (row_uses(t, a->row, c) || list_uses(t, t->bounds, a->first_bound, a->n_bound, c))
			return true;
	}
	return false;
}

static bool gathers(const struct lt_tree *t, int32_t access)
{
	return access >= 0 && LT_AT(struct lt_access, t->accesses, access)->index >= 0;
}

const struct lt_piece *lt__caps_piece(const struct lt_tree *t, const struct lt_stmt *s, int32_t operand, int32_t piece)
{
	const struct lt_operand *o = LT_AT(struct lt_operand, t->operands, s->first_operand + operand);
	return piece < o->n_piece ? LT_AT(struct lt_piece, t->pieces, o->first_piece + piece) : NULL;
}

static bool stmt_columns(const struct lt_tree *t, const struct lt_stmt *s, struct caps_columns c)
{
	const struct lt_piece *x;
	bool uses = access_uses(t, s->dest, c) || list_uses(t, t->guards, s->first_guard, s->n_guard, c);
	for (int32_t k = 0; k < s->n_operand; k++)
		for (int32_t i = 0; (x = lt__caps_piece(t, s, k, i)) && !uses; i++)
			uses = (x->kind == LT_READ && access_uses(t, x->access, c)) || (x->kind == LT_AFFINE && row_uses(t, x->row, c))
				|| list_uses(t, t->guards, x->first_guard, x->n_guard, c);
	return uses;
}

static bool stmt_gathers(const struct lt_tree *t, const struct lt_stmt *s)
{
	const struct lt_piece *x;
	bool uses = gathers(t, s->dest);
	for (int32_t k = 0; k < s->n_operand; k++)
		for (int32_t i = 0; (x = lt__caps_piece(t, s, k, i)) && !uses; i++)
			uses = x->kind == LT_READ && gathers(t, x->access);
	return uses;
}

static bool stmt_pieces(const struct lt_tree *t, const struct lt_stmt *s)
{
	for (int32_t k = 0; k < s->n_operand; k++)
		if (LT_AT(struct lt_operand, t->operands, s->first_operand + k)->n_piece > 1
			|| lt__caps_piece(t, s, k, 0)->kind == LT_AFFINE)
			return true;
	return false;
}

static bool is_masked(const struct lt_loop *l) { return l->tail == LT_MASK; }

static bool stmt_guarded(const struct lt_tree *t, const struct lt_stmt *s)
{
	bool uses = s->n_guard > 0;
	for (int32_t l = s->loop; l >= 0 && !uses; l = LT_AT(struct lt_loop, t->loops, l)->parent)
		uses = is_masked(LT_AT(struct lt_loop, t->loops, l));
	return uses;
}

const struct lt_buffer *lt__caps_dest(const struct lt_tree *t, const struct lt_stmt *s)
{
	return s->dest < 0 ? NULL : LT_AT(struct lt_buffer, t->buffers, LT_AT(struct lt_access, t->accesses, s->dest)->buffer);
}

/* Whether the statement uses the feature. */
static bool stmt_uses(const struct lt_tree *t, const struct lt_stmt *s, uint64_t need)
{
	switch (need) {
	case LT_NEED_PARAMS:  return stmt_columns(t, s, (struct caps_columns){ 1, t->n_param });
	case LT_NEED_DIVS:    return stmt_columns(t, s, (struct caps_columns){ 1 + t->n_param + t->n_loop, t->n_div });
	case LT_NEED_GATHER:  return stmt_gathers(t, s);
	case LT_NEED_PIECES:  return stmt_pieces(t, s);
	case LT_NEED_GUARDED: return stmt_guarded(t, s);
	case LT_NEED_COMBINE: return s->kind == LT_COMBINE;
	case LT_NEED_BARRIER: return s->kind == LT_BARRIER;
	case LT_NEED_ASYNC:   return s->async || s->kind == LT_COMMIT || s->kind == LT_WAIT;
	default:              return false;
	}
}

/* remedy: what a schedule may change, NULL: nothing. */
static const struct { uint64_t bit; const char *name, *words, *remedy;
} features[] = {
	{ LT_NEED_PARAMS, "params", "run-time scalars", NULL },
	{ LT_NEED_DIVS, "divs", "floor divisions in indices", NULL },
	{ LT_NEED_GATHER, "gather", "reads at an index that is itself read from memory", NULL },
	{ LT_NEED_PIECES, "pieces", "operands of several pieces, or an index as operand", NULL },
	{ LT_NEED_GUARDED, "guarded", "guarded statements or masked vectors",
		"choose steps that divide, or give the loops tail peel" },
	{ LT_NEED_COMBINE, "combine", "reductions across the iterations of a loop",
		"make the vector loops that reduce "
		"serial" },
	{ LT_NEED_BARRIER, "barrier", "barriers between threads", NULL },
	{ LT_NEED_TILE, "tile", "matrix instructions", "make the loops with `tile` serial" },
	{ LT_NEED_OWN, "own", "kernels of one's own", "leave the call out: its loops are what it means" },
	{ LT_NEED_ASYNC, "async", "copies that are begun and waited for", "leave `async` out" },
};

uint64_t lt__known_needs(void)
{
	uint64_t all = 0;
	for (size_t i = 0; i < sizeof features / sizeof *features; i++)
		all |= features[i].bit;
	return all;
}

const char *lt__need_words(uint64_t needs, char *out, size_t bytes)
{
	size_t n = 0;
	out[0] = '\0';
	for (size_t i = 0; i < sizeof features / sizeof *features && n < bytes; i++) {
		if (needs & features[i].bit)
			n += (size_t)snprintf(out + n, bytes - n, "%s%s", n ? ", " : "", features[i].name);
		needs &= ~features[i].bit;
	}
	if (needs && n < bytes)
		(void)snprintf(out + n, bytes - n, "%sbits 0x%llx, which have no name here", n ? ", " : "",
			(unsigned long long)needs);
	return out;
}

void lt__caps_report(struct lt_diag *diag, int32_t loop, int32_t stmt, const char *text, const char *remedy)
{
	const struct lt_diagnostic diagnostic = { sizeof diagnostic, LT_EUNSUPPORTED, loop, stmt, text, remedy };
	diag->report(diag, &diagnostic);
}

int32_t lt__caps_stmt(const struct lt_tree *t, uint64_t need)
{
	for (uint32_t i = 0; i < t->stmts.n; i++)
		if (stmt_uses(t, LT_AT(struct lt_stmt, t->stmts, i), need))
			return (int32_t)i;
	return -1;
}

/* A loop whose bound is a run-time scalar, or that is masked; -1: it is in no loop. */
static int32_t find_loop(const struct lt_tree *t, uint64_t need)
{
	for (int32_t i = 0; i < t->n_loop; i++) {
		const struct lt_loop *l = LT_AT(struct lt_loop, t->loops, i);
		if ((need == LT_NEED_PARAMS
			    && list_uses(
				    t, t->bounds, l->first_bound, l->n_bound, (struct caps_columns){ 1, t->n_param }))
			|| (need == LT_NEED_GUARDED && is_masked(l)))
			return i;
	}
	return -1;
}

bool lt__refuse_features(const struct lt_tree *t, uint64_t understands, struct lt_diag *diag)
{
	uint64_t missing = t->needs & ~understands;
	char text[200];
	for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
		if (!(missing & features[i].bit))
			continue;
		int32_t loop = find_loop(t, features[i].bit), stmt = lt__caps_stmt(t, features[i].bit);
		if (stmt < 0 && loop >= 0)
			stmt = LT_AT(struct lt_loop, t->loops, loop)->first_stmt;
		(void)snprintf(text, sizeof text, "it does not understand %s (%s)", features[i].words, features[i].name);
		lt__caps_report(diag, loop, stmt, text, features[i].remedy);
		missing &= ~features[i].bit;
	}
	if (missing) {
		(void)snprintf(text, sizeof text,
			"it does not understand a feature that has no name here (bits 0x%llx)",
			(unsigned long long)missing);
		lt__caps_report(diag, -1, -1, text, NULL);
	}
	return t->needs & ~understands;
}
