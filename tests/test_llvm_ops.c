/* test_llvm_ops.c -- every operator, cast and reduction on the backend llvm, one value at a time and in vectors,
 * beside the operator table (backend_ops.h).
 *
 * LT_DENSE=1 measures functions at sixteen times as many values; LT_SHOW=1 shows the greatest errors found.
 */
#include "tests/backend_ops.h"
#include "tests/llvm_plugin.h"

static const struct ops_backend llvm = { "llvm", "" };

TestSuite(llvm_ops, .init = llvm_load, .timeout = 120);
Test(llvm_ops, all_types) { ops_all_types(&llvm); }
Test(llvm_ops, casts_of_all_pairs) { ops_casts_of_all_pairs(&llvm); }
Test(llvm_ops, constants) { ops_constants(&llvm); }
Test(llvm_ops, shifts) { ops_shifts(&llvm); }
Test(llvm_ops, all_halves) { ops_all_halves(&llvm); }
Test(llvm_ops, reductions) { ops_reductions(&llvm); }
Test(llvm_ops, functions_of_f32) { ops_functions(&llvm, LT_F32); }
Test(llvm_ops, functions_of_f64) { ops_functions(&llvm, LT_F64); }

/* What the backend does not know it says, before it compiles. */
Test(llvm_ops, an_unknown_operator_is_refused)
{
	struct keeper k = keeper_new();
	struct lt_session *s;
	const struct ops_map m = { .type = LT_F32, .n = 32, .n_case = 1, .n_width = 1, .width = { 4 },
		.cases = { { LT_OP_copy, LT_F32, -1, { 0 } } } };
	struct tb *b = ops_tree(&m);
	b->op[0].name = "gudermannian";
	b->op[0].source = "atanf(sinhf($0))";
	b->op[0].opcode = LT_OPCODE_TEXT;
	const struct lt_tree *t = tb_done(b);
	const struct lt_host host = { .size = sizeof host };
	const struct lt_backend *backend = lt_backend_find(llvm.name);
	cr_assert_eq(backend->open(&host, "", &s, &k.diag), LT_OK, "%s", k.text);
	cr_expect_eq(backend->accepts(s, t, &k.diag), LT_EUNSUPPORTED);
	cr_expect(strstr(k.text, "gudermannian"), "%s", k.text);
	backend->close(s);
	free(b);
}
