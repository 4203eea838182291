/* copy.h -- a copy of a frozen tree that a fault may change: its tables, with room for more rows of
 * them. */
#ifndef LT_FAULT_COPY_H
#define LT_FAULT_COPY_H
#include <stdlib.h>
#include <string.h>
#include "lt/backend.h"

#pragma GCC diagnostic ignored "-Wunused-function"

struct copy {
	struct lt_tree t;               /* its arrays are those below */
	int64_t *rows;
	struct lt_type *type;
	struct lt_op *op;
	struct lt_tparam *param;
	struct lt_loop *loop;
	struct lt_div *div;
	struct lt_buffer *buffer;
	struct lt_access *access; struct lt_piece *piece; struct lt_operand *operand; struct lt_stmt *stmt;
	int32_t *guard;                 /* a fault's own list; NULL: the tree's */
	int64_t *margin;                /* by buffer, bytes (tests/faults/loose.h); NULL: none */
};

/* A test has no use for a fault that ran out of memory. */
static void *allocate(size_t n, size_t bytes)
{
	void *at = calloc(n + 1, bytes);
	if (!at)
		abort();
	return at;
}
static uint32_t cap_for(uint32_t n) { return 8 * n + 64; }

static void *copy_array(struct lt_array *a, size_t size)
{
	char *at = allocate(cap_for(a->n), size);
	for (uint32_t i = 0; i < a->n; i++)
		memcpy(at + i * size, (const char *)a->at + (size_t)i * a->stride, a->stride < size ? a->stride : size);
	*a = (struct lt_array){ at, a->n, (uint32_t)size };
	return at;
}

static void copy_free(struct copy *c)
{
	if (!c)
		return;
	void *const parts[] = { c->rows, c->type, c->op, c->param, c->loop, c->div, c->buffer, c->access, c->piece,
		c->operand, c->stmt, c->guard, c->margin };
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		free(parts[i]);
	free(c);
}

static struct copy *copy_new(const struct lt_tree *tree)
{
	struct copy *c = allocate(1, sizeof *c);
	size_t cells = (size_t)tree->n_row * (size_t)tree->n_column;
	memcpy(&c->t, tree, tree->size < sizeof c->t ? tree->size : sizeof c->t);
	c->rows = allocate(cap_for((uint32_t)tree->n_row + tree->accesses.n + tree->divs.n + tree->stmts.n)
			* (size_t)tree->n_column,
		sizeof *c->rows);
	memcpy(c->rows, tree->rows, cells * sizeof *c->rows);
	c->t.rows = c->rows;
	c->type = copy_array(&c->t.types, sizeof *c->type);
	c->op = copy_array(&c->t.ops, sizeof *c->op);
	c->param = copy_array(&c->t.params, sizeof *c->param);
	c->loop = copy_array(&c->t.loops, sizeof *c->loop);
	c->div = copy_array(&c->t.divs, sizeof *c->div);
	c->buffer = copy_array(&c->t.buffers, sizeof *c->buffer);
	c->access = copy_array(&c->t.accesses, sizeof *c->access);
	c->piece = copy_array(&c->t.pieces, sizeof *c->piece);
	c->operand = copy_array(&c->t.operands, sizeof *c->operand);
	c->stmt = copy_array(&c->t.stmts, sizeof *c->stmt);
	return c;
}

static int64_t *copy_row(struct copy *c, int32_t row) { return c->rows + (int64_t)row * c->t.n_column; }
static int64_t *loop_cell(struct copy *c, int32_t row, int32_t loop)
{
	return copy_row(c, row) + 1 + c->t.n_param + loop;
}

/* New rows of the tables; each gives its index. */
static int32_t add_row(struct copy *c, int32_t like)
{
	if (like >= 0)
		memcpy(copy_row(c, c->t.n_row), copy_row(c, like), (size_t)c->t.n_column * sizeof *c->rows);
	return c->t.n_row++;
}

/* The row as the first lane of each vector has it. */
static int32_t first_lane(struct copy *c, int32_t row)
{
	int32_t mine = add_row(c, row);
	for (int32_t l = 0; l < c->t.n_loop; l++)
		if (c->loop[l].kind == LT_VECTOR)
			*loop_cell(c, mine, l) = 0;
	return mine;
}

static int32_t add_type(struct copy *c, uint32_t dtype)
{
	static const struct lt_type known[] = { { "f32", "float", LT_F32, 4 }, { "f64", "double", LT_F64, 8 },
		{ "i32", "int32_t", LT_I32, 4 }, { "i64", "int64_t", LT_I64, 8 }, { "bool", "uint8_t", LT_BOOL, 1 } };
	for (uint32_t i = 0; i < c->t.types.n; i++)
		if (c->type[i].dtype == dtype)
			return (int32_t)i;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].dtype == dtype)
			c->type[c->t.types.n] = known[i];
	return (int32_t)c->t.types.n++;
}

/* A scalar that lives in one trip of the loop; gives an access of it. */
static int32_t add_scalar(struct copy *c, int32_t loop, uint32_t dtype)
{
	int32_t b = (int32_t)c->t.buffers.n++, a = (int32_t)c->t.accesses.n++;
	c->buffer[b] = (struct lt_buffer){ .name = "extra",
		.type = add_type(c, dtype),
		.role = LT_LOCAL,
		.scope = loop,
		.elems = 1,
		.align = 8,
		.slot = -1,
		.written = 1,
		.alias_of = -1,
		.depth = 1 };
	c->access[a] = (struct lt_access){ .buffer = b, .row = add_row(c, -1), .index = -1 };
	return a;
}

static int32_t add_op(struct copy *c, const char *name, const char *source, uint32_t out, int32_t arity, uint32_t in)
{
	int32_t i = (int32_t)c->t.ops.n++;
	c->op[i] = (struct lt_op){ .name = name, .source = source, .arity = arity, .out = out, .in = { in, in, in } };
	return i;
}

static struct lt_operand read_of(struct copy *c, int32_t access, uint32_t dtype)
{
	int32_t p = (int32_t)c->t.pieces.n++;
	c->piece[p] = (struct lt_piece){ .kind = LT_READ, .access = access };
	return (struct lt_operand){ .first_piece = p, .n_piece = 1, .dtype = dtype };
}

static struct lt_operand value_of(struct copy *c, uint64_t bits, uint32_t dtype)
{
	int32_t p = (int32_t)c->t.pieces.n++;
	c->piece[p] = (struct lt_piece){ .kind = LT_IMMEDIATE, .bits = bits };
	return (struct lt_operand){ .first_piece = p, .n_piece = 1, .dtype = dtype };
}

/* A new statement right before `s`, in the same loops and under the same guards: dest = op(x ...). */
static void add_before(struct copy *c, int32_t s, int32_t op, int32_t dest, int32_t n, const struct lt_operand *x)
{
	struct lt_stmt st = c->stmt[s];
	st.kind = LT_MAP;
	st.op = op;
	st.dest = dest;
	st.reducing = -1;
	st.first_operand = (int32_t)c->t.operands.n;
	st.n_operand = n;
	for (int32_t i = 0; i < n; i++)
		c->operand[c->t.operands.n++] = x[i];
	memmove(c->stmt + s + 1, c->stmt + s, (c->t.stmts.n - (size_t)s) * sizeof *c->stmt);
	c->stmt[s] = st;
	c->t.stmts.n++;
	for (int32_t l = 0; l < c->t.n_loop; l++) {
		struct lt_loop *loop = &c->loop[l];
		if (loop->first_stmt > s)
			loop->first_stmt++;
		else if (loop->first_stmt + loop->n_stmt > s)
			loop->n_stmt++;
	}
}
static const char *op_of(const struct copy *c, int32_t s)
{
	return c->stmt[s].kind >= LT_BARRIER ? "" : c->op[c->stmt[s].op].name;
}
#endif
