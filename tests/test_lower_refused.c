/* test_lower_refused.c -- frozen trees that no kernel program can express: each is refused with its sentence. */
#include <criterion/criterion.h>
#include <string.h>
#include "lt/kernel.h"
#include "tests/keeper.h"

TestSuite(lower_refused, .timeout = 30);

/* y[i] = -x[i], and what a row below spoils of it. */
enum { DEPTH = 80 };
struct refused {
	struct lt_type type;
	struct lt_op op;
	struct lt_loop loop[DEPTH];
	struct lt_buffer buffer[2];
	struct lt_access access[2];
	struct lt_piece piece;
	struct lt_operand operand;
	struct lt_stmt stmt;
	int64_t rows[2 * (1 + DEPTH)];
	struct lt_tree tree;
};

#define ONE(member, n) (struct lt_array){ member, n, sizeof *(member) }
static void refused_fill(struct refused *r)
{
	memset(r, 0, sizeof *r);
	r->type = (struct lt_type){ "f32", "float", LT_F32, 4 };
	r->op = (struct lt_op){ .name = "neg", .source = "(-$0)", .arity = 1, .out = LT_F32, .in = { LT_F32 },
		.opcode = LT_OPCODE_neg };
	for (int i = 0; i < DEPTH; i++)
		r->loop[i] = (struct lt_loop){ .parent = i - 1, .kind = LT_SERIAL, .var = "i", .step = 1, .max_trip_count = 4,
			.n_stmt = 1 };
	for (int i = 0; i < 2; i++) {
		r->buffer[i] = (struct lt_buffer){ .name = i ? "y" : "x", .role = i ? LT_OUTPUT : LT_INPUT, .scope = -1, .elems = 4,
			.align = 16, .slot = i, .written = i, .alias_of = -1 };
		r->access[i] = (struct lt_access){ .buffer = i, .row = 1, .index = -1 };
	}
	r->piece = (struct lt_piece){ .kind = LT_READ, .access = 0 };
	r->operand = (struct lt_operand){ 0, 1, LT_F32 };
	r->stmt = (struct lt_stmt){ .kind = LT_MAP, .dest = 1, .n_operand = 1, .reducing = -1, .name = "y" };
	r->rows[DEPTH + 1 + 1] = 1;
	r->tree = (struct lt_tree){ .size = sizeof r->tree, .name = "negate", .n_loop = 1, .n_column = 2, .n_row = 2,
		.n_slot = 2,
		.rows = r->rows, .types = ONE(&r->type, 1), .ops = ONE(&r->op, 1), .loops = ONE(r->loop, 1),
		.buffers = ONE(r->buffer, 2), .accesses = ONE(r->access, 2), .pieces = ONE(&r->piece, 1),
		.operands = ONE(&r->operand, 1), .stmts = ONE(&r->stmt, 1), .prelude = "", .text = "" };
}

static void nothing(struct refused *r) { (void)r; }
static void asks_for_more(struct refused *r) { r->tree.needs = LT_KERNEL_NEEDS + 1; }
static void unknown_type(struct refused *r) { r->type = (struct lt_type){ "f12", "float", LT_NDTYPE, 2 }; }
static void too_large(struct refused *r) { r->buffer[1].elems = INT64_MAX / 2; }
static void too_large_together(struct refused *r) { r->buffer[0].elems = r->buffer[1].elems = INT64_MAX / 6; }
static void barrier(struct refused *r) { r->stmt.kind = LT_COMBINE + 1; }
static void strange_loop(struct refused *r) { r->loop[0].kind = LT_NLOOP_KIND; }
static void block_loop(struct refused *r) { r->loop[0].kind = LT_GRID; }
static void wrong_type(struct refused *r)
{
	r->op.opcode = LT_OPCODE_exp;
	r->op.name = "exp";
	r->op.in[0] = LT_I32;
}
static void many_pieces(struct refused *r) { r->operand.n_piece = 501; }
static void deep(struct refused *r)
{
	r->tree.n_loop = DEPTH;
	r->tree.n_column = 1 + DEPTH;
	r->tree.loops.n = DEPTH;
	r->stmt.loop = DEPTH - 1;
}

static const struct { void (*spoil)(struct refused *); lt_status status; const char *message; } rows[] = {
	{ nothing, LT_OK, "" },
	{ asks_for_more, LT_EUNSUPPORTED, "kernel programs do not have a feature (bit " },
	{ unknown_type, LT_EUNSUPPORTED, "type f12 is not known" },
	{ too_large, LT_EOVERFLOW, "buffer y: 4611686018427387903 elements are more than 63 bits of bytes" },
	{ too_large_together, LT_EOVERFLOW, "buffer y: 1537228672809129301 elements are more than 63 bits of bytes" },
	{ barrier, LT_EUNSUPPORTED, "%y: only a machine that runs grids has barriers" },
	{ strange_loop, LT_EUNSUPPORTED, "loop i: this machine's kernel programs have no loops of this kind" },
	{ block_loop, LT_EUNSUPPORTED, "loop i: this machine's kernel programs have no loops of this kind" },
	{ wrong_type, LT_EUNSUPPORTED, "operator exp is not for i32" },
	{ many_pieces, LT_EUNSUPPORTED, "an operand has 501 pieces; kernel programs take 500" },
	{ deep, LT_EUNSUPPORTED, "loop i: more than 64 loops are around it" },
};

Test(lower_refused, each_sentence)
{
	static struct refused r;
	const struct lt_machine machine = { .array_bytes = 64, .stack_bytes = 64, .teams = 1 };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct keeper k = keeper_new();
		struct lt_kernel *made;
		refused_fill(&r);
		rows[i].spoil(&r);
		cr_expect_eq(lt_kernel_new(&r.tree, &machine, NULL, &made, &k.diag), rows[i].status, "row %zu: %s", i, k.text);
		cr_expect(strncmp(k.text, rows[i].message, strlen(rows[i].message)) == 0, "row %zu: '%s', not '%s'", i, k.text,
			rows[i].message);
		cr_expect_eq(made != NULL, rows[i].status == LT_OK);
		lt_kernel_free(made);
	}
}
