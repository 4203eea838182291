/* treebuild.h -- frozen trees by hand, for the tests of lowering and the backends.
 *
 * Rows are texts over p0.. (params), i0.. (loops) and d0.. (divs): "128*i0 + i1 - 1".  Loops, statements and pieces
 * are added in the order in which the tree holds them.  Everything is checked by assert: a bad test should stop.
 */
#ifndef LT_TREEBUILD_H
#define LT_TREEBUILD_H
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/op/op.h"
#include "lt/backend.h"

enum { TB_MAX = 512 };
struct tb {
	struct lt_tree tree;
	int n_row, n_guard, n_bound, n_type, n_op, n_param, n_div, n_loop, n_buffer, n_access, n_piece, n_operand,
		n_stmt, n_text;
	int64_t rows[TB_MAX * 24];
	int32_t guards[TB_MAX], bounds[TB_MAX];
	struct lt_type type[LT_NDTYPE];
	struct lt_op op[TB_MAX];
	struct lt_tparam param[8];
	struct lt_div div[16];
	struct lt_loop loop[32];
	struct lt_buffer buffer[TB_MAX];
	struct lt_access access[TB_MAX];
	struct lt_piece piece[TB_MAX];
	struct lt_operand operand[TB_MAX];
	struct lt_stmt stmt[TB_MAX];
	char text[TB_MAX][128];
};

/* The numbers of params, loops and divs are needed first: they are the columns. */
static inline struct tb *tb_new(const char *name, int n_param, int n_loop, int n_div)
{
	struct tb *b = calloc(1, sizeof *b);
	assert(b && 1 + n_param + n_loop + n_div <= 24);
	b->tree = (struct lt_tree){ .size = sizeof b->tree, .name = name, .n_param = n_param, .n_loop = n_loop, .n_div = n_div,
		.n_column = 1 + n_param + n_loop + n_div, .text = name };
	for (int t = 1; t < LT_NDTYPE; t++) {
		const struct lt_dtypeinfo *i = lt__dtype_info((enum lt_dtype)t);
		b->type[b->n_type++] = (struct lt_type){ i->name, i->ctype, (uint32_t)t, i->bytes };
	}
	return b;
}

static inline int32_t tb_row(struct tb *b, const char *text)
{
	int64_t *row = b->rows + (ptrdiff_t)b->n_row * b->tree.n_column, sign = 1;
	assert(b->n_row < TB_MAX);
	for (const char *s = text; *s; ) {
		char *end;
		int64_t coef = 1;
		if (*s == ' ' || *s == '+' || *s == '-') {
			sign = *s == '-' ? -sign : *s == '+' ? 1 : sign;
			s++;
			continue;
		}
		if (*s >= '0' && *s <= '9') {
			coef = strtoll(s, &end, 10);
			s = end;
			if (*s != '*') {
				row[0] += sign * coef;
				sign = 1;
				continue;
			}
			s++;
		}
		int base = *s == 'p' ? 1 : *s == 'i' ? 1 + b->tree.n_param : 1 + b->tree.n_param + b->tree.n_loop;
		assert(*s == 'p' || *s == 'i' || *s == 'd');
		long at = strtol(s + 1, &end, 10);
		assert(end > s + 1 && base + at < b->tree.n_column);
		row[base + at] += sign * coef;
		sign = 1;
		s = end;
	}
	return b->n_row++;
}

/* Rows separated by ';' into a list; returns how many. */
static inline int32_t tb_rows(struct tb *b, const char *text, int32_t *list, int *n)
{
	char part[128];
	int32_t count = 0;
	while (text && *text) {
		size_t bytes = strcspn(text, ";");
		assert(bytes < sizeof part && *n < TB_MAX);
		memcpy(part, text, bytes);
		part[bytes] = '\0';
		list[(*n)++] = tb_row(b, part);
		text += bytes + (text[bytes] == ';');
		count++;
	}
	return count;
}

static inline int32_t tb_loop(
	struct tb *b, int32_t parent, int32_t kind, int64_t max_trip_count, const char *bounds, const char *var)
{
	b->loop[b->n_loop] = (struct lt_loop){ .parent = parent,
		.kind = kind,
		.var = var,
		.step = 1,
		.max_trip_count = max_trip_count,
		.first_bound = b->n_bound };
	b->loop[b->n_loop].n_bound = tb_rows(b, bounds, b->bounds, &b->n_bound);
	return b->n_loop++;
}

static inline void tb_div(struct tb *b, const char *row, int64_t den, int32_t loop)
{
	b->div[b->n_div++] = (struct lt_div){ .row = tb_row(b, row), .loop = loop, .den = den };
}

static inline int32_t tb_buffer(
	struct tb *b, const char *name, enum lt_dtype type, int32_t role, int32_t scope, int64_t elems)
{
	b->buffer[b->n_buffer] = (struct lt_buffer){ .name = name,
		.type = (int32_t)type - 1,
		.role = role,
		.scope = scope,
		.elems = elems,
		.align = 64,
		.slot = role == LT_LOCAL ? -1 : b->tree.n_slot++,
		.alias_of = -1,
		.depth = 1 };
	return b->n_buffer++;
}

static inline void tb_param(struct tb *b, const char *name, int32_t buffer, int64_t element, int64_t low, int64_t high)
{
	b->param[b->n_param++] = (struct lt_tparam){ name, buffer, element, low, high };
}

static inline int32_t tb_gather(
	struct tb *b, int32_t buffer, const char *row, int32_t index, int64_t extent, int64_t stride)
{
	b->access[b->n_access] = (struct lt_access){ buffer, tb_row(b, row), index, extent, stride, 0, 0 };
	return b->n_access++;
}
static inline int32_t tb_access(struct tb *b, int32_t buffer, const char *row)
{
	return tb_gather(b, buffer, row, -1, 0, 0);
}

/* An operator computed in type t; a cast: from t to `to`. */
static inline uint32_t tb_opcode(const char *name)
{
	static const struct { const char *name; uint32_t opcode; } rows[] = {
#define TB_OPCODE(name, number, operands, types) { #name, number },
		LT_OPERATOR_MAP(TB_OPCODE)
#undef TB_OPCODE
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].opcode;
	return LT_OPCODE_TEXT;
}

static inline int32_t tb_op(struct tb *b, const char *name, enum lt_dtype t, enum lt_dtype to)
{
	int code = lt__op_find(name);
	assert(code >= 0 && b->n_text < TB_MAX);
	const struct lt_opinfo *info = lt__op_info((enum lt_opcode)code);
	char *source = b->text[b->n_text++];
	(void)lt__op_csource((enum lt_opcode)code, t, to, source, sizeof b->text[0]);
	struct lt_op op = { .name = info->name, .source = source, .arity = info->arity, .in = { t, t, t },
		.opcode = tb_opcode(name), .out = strcmp(name, "cast") == 0 ? to : info->to_bool ? LT_BOOL : t };
	if (code == LT_OP_select)
		op.in[0] = LT_BOOL;
	if (info->identity != LT_ID_NONE)
		op.identity = lt__bits_of(lt__op_identity((enum lt_opcode)code, t), t);
	b->op[b->n_op] = op;
	return b->n_op++;
}

/* Operands follow by tb_read, tb_imm, tb_affine, or tb_pieces and tb_piece. */
static inline struct lt_stmt *tb_stmt(struct tb *b, int32_t kind, int32_t op, int32_t loop, int32_t dest,
	const char *guards, const char *name, int32_t line)
{
	struct lt_stmt *s = &b->stmt[b->n_stmt++];
	assert(b->n_stmt < TB_MAX);
	*s = (struct lt_stmt){ .kind = kind, .op = op, .loop = loop, .dest = dest, .first_operand = b->n_operand,
		.first_guard = b->n_guard, .reducing = -1, .name = name, .line = line };
	s->n_guard = tb_rows(b, guards, b->guards, &b->n_guard);
	b->buffer[b->access[dest].buffer].written = 1;
	return s;
}

static inline void tb_pieces(struct tb *b, enum lt_dtype t)
{
	b->operand[b->n_operand++] = (struct lt_operand){ .first_piece = b->n_piece, .dtype = t };
	b->stmt[b->n_stmt - 1].n_operand++;
}
static inline void tb_piece(struct tb *b, struct lt_piece p, const char *guards)
{
	p.first_guard = b->n_guard;
	p.n_guard = tb_rows(b, guards, b->guards, &b->n_guard);
	b->piece[b->n_piece++] = p;
	b->operand[b->n_operand - 1].n_piece++;
}
static inline struct lt_piece tb_reads(int32_t access)
{
	return (struct lt_piece){ .kind = LT_READ, .access = access };
}
static inline struct lt_piece tb_is(enum lt_dtype t, union lt_scalar v)
{
	return (struct lt_piece){ .kind = LT_IMMEDIATE, .access = -1, .bits = lt__bits_of(v, t) };
}
static inline void tb_read(struct tb *b, int32_t access)
{
	tb_pieces(b, (enum lt_dtype)(b->buffer[b->access[access].buffer].type + 1));
	tb_piece(b, tb_reads(access), NULL);
}
static inline void tb_imm(struct tb *b, enum lt_dtype t, union lt_scalar v)
{
	tb_pieces(b, t);
	tb_piece(b, tb_is(t, v), NULL);
}
static inline void tb_affine(struct tb *b, const char *row)
{
	tb_pieces(b, LT_I64);
	tb_piece(b, (struct lt_piece){ .kind = LT_AFFINE, .access = -1, .row = tb_row(b, row) }, NULL);
}
static inline void tb_reset(struct tb *b, int32_t op, int32_t loop, int32_t dest, const char *name, int32_t line)
{
	tb_stmt(b, LT_RESET, op, loop, dest, NULL, name, line);
	tb_pieces(b, (enum lt_dtype)b->op[op].out);
	tb_piece(b, (struct lt_piece){ .kind = LT_IMMEDIATE, .access = -1, .bits = b->op[op].identity }, NULL);
}

/* Fills what follows from the rest.  The tree lives as long as b. */
static inline const struct lt_tree *tb_done(struct tb *b)
{
	struct lt_tree *t = &b->tree;
	assert(b->n_param == t->n_param && b->n_loop == t->n_loop && b->n_div == t->n_div);
	for (int l = 0; l < b->n_loop; l++)
		b->loop[l].n_stmt = 0;
	for (int s = 0; s < b->n_stmt; s++)
		for (int32_t l = b->stmt[s].loop; l >= 0; l = b->loop[l].parent)
			if (b->loop[l].n_stmt++ == 0)
				b->loop[l].first_stmt = s;
	for (int s = 0; s < b->n_stmt; s++)
		t->needs |= (b->stmt[s].n_guard ? (uint64_t)LT_NEED_GUARDED : 0)
			| (b->stmt[s].kind == LT_COMBINE ? (uint64_t)LT_NEED_COMBINE : 0);
	for (int o = 0; o < b->n_operand; o++)
		if (b->operand[o].n_piece > 1)
			t->needs |= LT_NEED_PIECES;
	for (int a = 0; a < b->n_access; a++)
		if (b->access[a].index >= 0)
			t->needs |= LT_NEED_GATHER;
	t->needs |= (b->n_param ? LT_NEED_PARAMS : 0u) | (b->n_div ? LT_NEED_DIVS : 0u);
	t->n_row = b->n_row;
	t->rows = b->rows;
	t->guards = b->guards;
	t->bounds = b->bounds;
#define TB_ARRAY(to, from) t->to = (struct lt_array){ b->from, (uint32_t)b->n_##from, sizeof *b->from }
	TB_ARRAY(types, type);
	TB_ARRAY(ops, op);
	TB_ARRAY(params, param);
	TB_ARRAY(divs, div);
	TB_ARRAY(loops, loop);
	TB_ARRAY(buffers, buffer);
	TB_ARRAY(accesses, access);
	TB_ARRAY(pieces, piece);
	TB_ARRAY(operands, operand);
	TB_ARRAY(stmts, stmt);
#undef TB_ARRAY
	return t;
}

static inline union lt_scalar tb_f(double f) { return (union lt_scalar){ .f = f }; }
static inline union lt_scalar tb_i(int64_t i) { return (union lt_scalar){ .i = i }; }

/* Trees that several tests use. */

/* C[m,n] = max(sum_k A[m,k]*B[k,n] + bias[n], 0): a product with its epilogue. */
static inline struct tb *tb_product(int m, int n, int k)
{
	char row[64], kn[64], mn[64];
	struct tb *b = tb_new("product", 0, 3, 0);
	tb_loop(b, -1, LT_SERIAL, m, NULL, "m");
	tb_loop(b, 0, LT_SERIAL, n, NULL, "n");
	tb_loop(b, 1, LT_SERIAL, k, NULL, "k");
	int32_t A = tb_buffer(b, "A", LT_F32, LT_INPUT, -1, (int64_t)m * k),
		B = tb_buffer(b, "B", LT_F32, LT_INPUT, -1, (int64_t)k * n);
	int32_t bias = tb_buffer(b, "bias", LT_F32, LT_CONSTANT, -1, n),
		C = tb_buffer(b, "relu", LT_F32, LT_OUTPUT, -1, (int64_t)m * n);
	int32_t p = tb_buffer(b, "4.mul", LT_F32, LT_LOCAL, 2, 1), s = tb_buffer(b, "4", LT_F32, LT_LOCAL, 1, 1);
	int32_t v = tb_buffer(b, "5", LT_F32, LT_LOCAL, 1, 1);
	(void)snprintf(row, sizeof row, "%d*i0 + i2", k);
	(void)snprintf(kn, sizeof kn, "%d*i2 + i1", n);
	(void)snprintf(mn, sizeof mn, "%d*i0 + i1", n);
	int32_t add = tb_op(b, "add", LT_F32, LT_F32), mul = tb_op(b, "mul", LT_F32, LT_F32),
		max = tb_op(b, "max", LT_F32, LT_F32);
	int32_t ap = tb_access(b, p, "0"), as = tb_access(b, s, "0"), av = tb_access(b, v, "0");
	tb_reset(b, add, 1, as, "4", 7);
	tb_stmt(b, LT_MAP, mul, 2, ap, NULL, "4.mul", 7);
	tb_read(b, tb_access(b, A, row));
	tb_read(b, tb_access(b, B, kn));
	tb_stmt(b, LT_REDUCE, add, 2, as, NULL, "4", 7)->reducing = 2;
	tb_read(b, ap);
	tb_stmt(b, LT_MAP, add, 1, av, NULL, "5", 8);
	tb_read(b, as);
	tb_read(b, tb_access(b, bias, "i1"));
	tb_stmt(b, LT_MAP, max, 1, tb_access(b, C, mn), NULL, "relu", 9);
	tb_read(b, av);
	tb_imm(b, LT_F32, tb_f(0));
	return b;
}
#endif
