/* test_ref_tree.c -- the interpreter ref on trees made by hand: one rounding, and what is wrong in a tree. */
#include "treerun.h"

/* A whole reduction is computed in double and rounded once: 2^24 + 1 + 1 + .. in f32. */
Test(ref_tree, rounds_a_reduction_once)
{
	struct tb *b = tb_new("once", 0, 1, 0);
	int32_t l = tb_loop(b, -1, LT_SERIAL, 1001, NULL, "i"), y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, 1);
	int32_t add = tb_op(b, "add", LT_F32, LT_F32), ay = tb_access(b, y, "0");
	tb_reset(b, add, -1, ay, "y", 1);
	tb_stmt(b, LT_REDUCE, add, l, ay, NULL, "y", 1);
	tb_pieces(b, LT_F32);
	tb_piece(b, tb_is(LT_F32, tb_f(16777216)), "0 - i0");
	tb_piece(b, tb_is(LT_F32, tb_f(1)), NULL);
	struct bench n;
	open_bench(&n, "ref", b);
	cr_assert_eq(run(&n, 1), LT_OK);
	cr_expect_eq(*(float *)data(&n, 0), 16777216.0f + 1000);
	close_bench(&n);
	free(b);
}

Test(ref_tree, names_the_place_of_a_wrong_access)
{
	struct tb *b = tb_product(3, 4, 5);
	struct bench n;
	tb_done(b);
	b->buffer[1].elems--;                   /* too short for its last access */
	open_bench(&n, "ref", b);
	memset(data(&n, 0), 0, 60);
	memset(data(&n, 1), 0, 76);
	cr_expect_eq(run(&n, 4), LT_EILLEGAL);
	cr_expect_str_eq(n.k.text,
		"ref: kernel product, %4.mul (line 7, statement 1) at m=0, n=3, k=4: element 19 of buffer B, which has "
		"19");
	cr_expect_eq(n.k.stmt, 1);
	struct lt_args args = {
		.size = sizeof args, .n_slot = 4, .slot = n.slot, .workspace = n.workspace, .fault = &n.fault
	};
	n.slot[0].bytes -= 4;
	cr_expect_eq(n.backend->run(n.object, &args, &n.k.diag), LT_EINVAL);
	cr_expect_str_eq(n.k.text, "kernel product: buffer A has 56 bytes and needs 60");
	n.slot[0].bytes += 4;
	cr_expect_eq(run(&n, 3), LT_EINVAL);
	close_bench(&n);
	free(b);
}

Test(ref_tree, finds_malformed_trees)
{
	const struct lt_backend *ref = lt_backend_find("ref");
	const struct lt_host host = { .size = sizeof host };
	struct keeper k = keeper_new();
	struct lt_session *s;
	cr_assert_eq(ref->open(&host, NULL, &s, &k.diag), LT_OK);
	for (int wrong = 0; wrong < 12; wrong++) {
		struct tb *b = tb_product(3, 4, 5);
		const struct lt_tree *t = tb_done(b);
		switch (wrong) {
		case 0: b->loop[1].parent = 1; break;
		case 1: b->loop[2].n_stmt = 3; break;
		case 2: b->loop[2].first_stmt = 0; break;
		case 3: b->access[1].buffer = 99; break;
		case 4: b->access[1].row = -1; break;
		case 5: b->stmt[1].op = 77; break;
		case 6: b->stmt[1].n_operand = 1; break;
		case 7: b->operand[1].dtype = LT_I32; break;
		case 8: b->buffer[4].type = 1; break;
		case 9: b->access[1].index = 1; break;
		case 10: b->buffer[0].slot = 4; break;
		case 11: b->operand[1].n_piece = 0; break;
		}
		k.text[0] = '\0';
		cr_expect_eq(ref->accepts(s, t, &k.diag), LT_EILLEGAL, "case %d: %s", wrong, k.text);
		cr_expect(k.text[0] != '\0');
		free(b);
	}
	struct tb *b = tb_product(3, 4, 5);
	b->op[1].name = "frobnicate";                   /* an operator is its source, whatever its name is */
	cr_expect_eq(ref->accepts(s, tb_done(b), &k.diag), LT_OK);
	b->op[1].source = "1 + frob($0, $1)";
	cr_expect_eq(ref->accepts(s, tb_done(b), &k.diag), LT_EUNSUPPORTED);
	cr_expect_str_eq(k.text,
		"ref: %4.mul: the source of operator frobnicate, '1 + frob($0, $1)', cannot be read from 'frob($0, "
		"$1)' on");
	b->tree.needs |= UINT64_C(1) << 50;
	cr_expect_eq(ref->accepts(s, &b->tree, &k.diag), LT_EUNSUPPORTED);
	free(b);
	ref->close(s);
}
