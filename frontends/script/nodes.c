/* nodes.c -- the table of node types: rows of nodes.def, functions of ir/build/function.def, operators of
 * ir/op/op.def. */
#include <string.h>
#include "frontends/script/reader.h"
#include "ir/build/build.h"

#define NODE(name, pattern, builder, doc) lt_script_build lt__script_build_##builder;
#define OPNODE(name, op)
#include "frontends/script/nodes.def"
lt_script_build lt__script_build_op, lt__script_build_function;

struct node_row { const char *name, *pattern; lt_script_build *build; enum lt_opcode op; const char *doc; };
static const struct node_row rows[] = {
#define NODE(name, pattern, builder, doc) { #name, pattern, lt__script_build_##builder, LT_NOP, doc },
#define OPNODE(name, op) { #name, NULL, lt__script_build_op, LT_OP_##op, NULL },
#include "frontends/script/nodes.def"
};
enum { N_ROW = sizeof rows / sizeof *rows };

static const char *op_pattern(enum lt_opcode op)
{
	switch (lt__op_info(op)->arity) {
	case 1:  return "$x";
	case 2:  return "$l, $r";
	default: return "$c, $l, $r";
	}
}

/* Whether an operator's own name makes a node: it computes, and nodes.def does not use the name. */
static bool op_node(enum lt_opcode op, char *name, size_t bytes)
{
	const struct lt_opinfo *info = lt__op_info(op);
	if (info->data)
		return false;
	snprintf(name, bytes, "%c%sNode", info->name[0] - 'a' + 'A', info->name + 1);
	for (int32_t i = 0; i < N_ROW; i++)
		if (strcmp(rows[i].name, name) == 0)
			return false;
	return !lt__function_find(LT_FUNCTION_OPERATOR, name, strlen(name) - strlen("Node"));
}

static void set_operands(struct lt_script_node *n)
{
	n->equal_ranks = n->build == lt__script_build_sum || n->build == lt__script_build_hadamard;
	n->numbers = n->equal_ranks || (n->build == lt__script_build_op && lt__op_info(n->op)->arity > 1);
}

int32_t lt__script_nodes(struct lt_script_node *out, int32_t cap)
{
	int32_t n = 0;
	for (int32_t i = 0; i < N_ROW; i++) {
		const struct node_row *r = &rows[i];
		bool op = r->op != LT_NOP;
		if (n++ >= cap)
			continue;
		out[n - 1] = (struct lt_script_node){ .pattern = op ? op_pattern(r->op) : r->pattern,
			.doc = op ? lt__op_info(r->op)->doc : r->doc, .build = r->build, .op = r->op };
		snprintf(out[n - 1].name, sizeof out->name, "%s", r->name);
		set_operands(&out[n - 1]);
	}
	const struct lt_function *f;
	for (int32_t i = 0; (f = lt__function_at(i)); i++) {
		if (!(f->where & LT_FUNCTION_OPERATOR) || n++ >= cap)
			continue;
		out[n - 1] = (struct lt_script_node){ .pattern = f->pattern, .doc = f->doc, .build = lt__script_build_function,
			.op = LT_NOP };
		snprintf(out[n - 1].name, sizeof out->name, "%sNode", f->name);
		set_operands(&out[n - 1]);
	}
	for (int op = 0; op < LT_NOP; op++) {
		struct lt_script_node node = { .build = lt__script_build_op, .op = (enum lt_opcode)op };
		if (!op_node(node.op, node.name, sizeof node.name))
			continue;
		node.pattern = op_pattern(node.op);
		node.doc = lt__op_info(node.op)->doc;
		set_operands(&node);
		if (n < cap)
			out[n] = node;
		n++;
	}
	return n;
}
