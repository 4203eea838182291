/* trunc_div.c -- integers are divided towards zero, as C would have it. */
#include "tests/faults/fault.h"

static void change(struct copy *c)
{
	for (uint32_t i = 0; i < c->t.ops.n; i++)
		if (!strcmp(c->op[i].name, "div") && c->op[i].out == LT_I32)
			c->op[i].source = "(lt_floordiv_i32(lt_abs_i32($0), lt_abs_i32($1)) * lt_sign_i32($0) * lt_sign_i32($1))";
		else if (!strcmp(c->op[i].name, "div") && c->op[i].out == LT_I64)
			c->op[i].source = "(lt_floordiv_i64(lt_abs_i64($0), lt_abs_i64($1)) * lt_sign_i64($0) * lt_sign_i64($1))";
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("trunc_div", .compile = compile)
