/* test_tables.c -- the tables of types, operators and statuses as callers get them (lt/table.h), and the names of
 * graphs. */
#include <criterion/criterion.h>
#include <string.h>
#include "lt/lt.h"

TestSuite(tables, .timeout = 60);

Test(tables, types)
{
	/* of NumPy and safetensors, by hand */
	static const struct { const char *name, *script, *numpy, *safetensors; uint32_t bytes; int32_t kind; } want[] = {
		{ "f32", "float32", "f4", "F32", 4, LT_KIND_FLOAT }, { "f64", "float64", "f8", "F64", 8, LT_KIND_FLOAT },
		{ "f16", "float16", "f2", "F16", 2, LT_KIND_FLOAT }, { "bf16", "bfloat16", "", "BF16", 2, LT_KIND_FLOAT },
		{ "i8", "int8", "i1", "I8", 1, LT_KIND_INT }, { "u8", "uint8", "u1", "U8", 1, LT_KIND_INT },
		{ "i16", "int16", "i2", "I16", 2, LT_KIND_INT }, { "i32", "int32", "i4", "I32", 4, LT_KIND_INT },
		{ "i64", "int64", "i8", "I64", 8, LT_KIND_INT }, { "bool", "bool", "b1", "BOOL", 1, LT_KIND_BOOL },
		{ "u16", "uint16", "u2", "U16", 2, LT_KIND_INT }, { "u32", "uint32", "u4", "U32", 4, LT_KIND_INT },
		{ "u64", "uint64", "u8", "U64", 8, LT_KIND_INT },
	};
	cr_assert_eq(lt_type_count(), (int32_t)(sizeof want / sizeof *want));
	for (int32_t i = 0; i < lt_type_count(); i++) {
		struct lt_type_row r = { .size = sizeof r };
		cr_assert_eq(lt_type_at(i, &r), LT_OK);
		cr_assert(r.size == sizeof r && r.dtype == i + 1 && !strcmp(r.name, want[i].name)
			&& !strcmp(r.script, want[i].script) && !strcmp(r.numpy, want[i].numpy)
			&& !strcmp(r.safetensors, want[i].safetensors) && r.bytes == want[i].bytes && r.kind == want[i].kind, "%s",
			want[i].name);
		cr_assert_eq(r.is_signed, *want[i].name != 'u' && r.kind != LT_KIND_BOOL, "%s", r.name);
	}
	for (int i = 0; i < 4; i++) {
		const enum lt_dtype none = (enum lt_dtype)(int[]){ 0, -1, LT_NDTYPE, 77 }[i];
		cr_assert(!lt_dtype_name(none) && lt_dtype_bytes(none) == 0);
	}
	struct lt_type_row r = { .size = sizeof r, .dtype = 77 };
	cr_assert(lt_type_at(-1, &r) == LT_EINVAL && lt_type_at(lt_type_count(), &r) == LT_EINVAL && r.dtype == 77);
	/* a caller of a time when the struct was shorter */
	r = (struct lt_type_row){ .size = offsetof(struct lt_type_row, script), .script = "kept" };
	cr_assert_eq(lt_type_at(0, &r), LT_OK);
	cr_assert(!strcmp(r.name, "f32") && !strcmp(r.script, "kept") && r.size == offsetof(struct lt_type_row, script));
}

/* What a row says of an operator is what the functions that build graphs do. */
Test(tables, operators)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	int pointwise = 0, reducing = 0;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_new(ctx, &g), LT_OK);
	const lt_var v = lt_graph_var(g, "v", 4);
	const lt_node x = lt_graph_input(g, "x", LT_F32, 1, &v), i = lt_graph_input(g, "i", LT_I32, 1, &v),
		b = lt_graph_input(g, "b", LT_BOOL, 1, &v);
	for (int32_t k = 0; k < lt_operator_count(); k++) {
		struct lt_operator_row r = { .size = sizeof r };
		cr_assert_eq(lt_operator_at(k, &r), LT_OK);
		cr_assert(*r.help && *r.name);
		const lt_node of[] = { x, i, b };
		for (int32_t kind = 0; kind < 3; kind++) {
			const lt_node operand[3] = { r.arity == 3 ? b : of[kind], of[kind], of[kind] };
			const bool takes = !r.moves_data && (r.any_type || r.kinds >> kind & 1);
			lt_context_clear(ctx);
			const lt_node made = r.arity < 0 ? LT_NONE : lt_graph_op(g, r.name, r.arity, operand);
			cr_expect_eq(made != LT_NONE, takes, "%s of %s", r.name, lt_dtype_name(lt_node_dtype(g, of[kind])));
			if (made != LT_NONE && !r.any_type)
				cr_expect_eq(lt_node_dtype(g, made) == LT_BOOL, r.to_bool || kind == 2, "%s", r.name);
			pointwise += made != LT_NONE;
		}
		lt_context_clear(ctx);
		const bool floats = r.kinds & 1 << LT_KIND_FLOAT;
		const lt_node sum = lt_graph_reduce(g, r.name, floats ? x : i, 1, &v);
		cr_expect_eq(sum != LT_NONE, r.reduces, "%s", r.name);
		reducing += sum != LT_NONE;
	}
	cr_assert(pointwise > 30 && reducing >= 4);
	struct lt_operator_row r = { .size = sizeof r };
	cr_assert_eq(lt_operator_at(lt_operator_count(), &r), LT_EINVAL);
	cr_assert(lt_node_op(g, x) >= 0 && !lt_operator_at(lt_node_op(g, x), &r) && !strcmp(r.name, "input"));
	lt_graph_free(g);
	lt_context_free(ctx);
}

Test(tables, statuses)
{
	for (int32_t i = 0; i < lt_status_count(); i++) {
		struct lt_status_row r = { .size = sizeof r };
		cr_assert_eq(lt_status_at(i, &r), LT_OK);
		cr_assert(r.status == i && !strcmp(r.name, lt_status_name(i)) && !strcmp(r.text, lt_status_text(i)));
	}
	struct lt_status_row r = { .size = sizeof r };
	cr_assert(lt_status_count() > LT_EBUDGET && lt_status_at(lt_status_count(), &r) == LT_EINVAL);
}

Test(tables, names)
{
	static const char text[] = "graph 1\nvar i 4\nparam p = %pos[0] in 0..3\nvar one 1\n%pos = i64[one] input \"pos\"\n"
		"%x = f32[i] input \"x\"\n%y = f32[i] neg %x\nresult \"y\" = %y\n";
	struct lt_context *ctx;
	struct lt_graph *g;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	const lt_node x = lt_graph_find_node(g, "x"), y = lt_graph_find_node(g, "y");
	cr_assert(lt_graph_node_count(g) == 3 && lt_graph_var_count(g) == 2 && lt_graph_param_count(g) == 1);
	cr_assert(!strcmp(lt_node_name(g, y), "y") && lt_node_operand(g, y, 0) == x && lt_node_operand(g, y, 1) == LT_NONE);
	cr_assert(!strcmp(lt_var_name(g, lt_node_dim(g, x, 0)), "i") && !strcmp(lt_param_name(g, 0), "p"));
	struct lt_operator_row r = { .size = sizeof r };
	cr_assert(!lt_operator_at(lt_node_op(g, y), &r) && !strcmp(r.name, "neg"));
	cr_assert_eq(lt_graph_find_node(g, "zz"), LT_NONE);
	cr_assert(!lt_node_name(g, -1) && !lt_node_name(g, 3) && !lt_var_name(g, 2) && !lt_param_name(g, 1)
		&& lt_node_op(g, -2) == -1 && lt_node_operand(g, x, 0) == LT_NONE && lt_node_operand(g, 3, 0) == LT_NONE);
	lt_graph_free(g);
	lt_context_free(ctx);
}
