/* frontends/script/nodes.c -- the table of node types: rows of nodes.def, functions of ir/function.def, operators of
 * ir/op.def. */
#include <string.h>
#include "frontends/script/script.h"
#include "ir/function.h"
#include "ir/nearest.h"

#define NODE(name, pattern, builder, doc) lt_script_build lt__script_build_##builder;
#define OPNODE(name, op)
#include "frontends/script/nodes.def"
lt_script_build lt__script_build_op, lt__script_build_function;

struct node_row { const char *name, *pattern; lt_script_build *build; enum lt_opcode op; const char *doc; };
#define OPERATOR LT_FUNCTION_OPERATOR
#define RECURRENT LT_FUNCTION_RECURRENT
static const struct node_row rows[] = {
#define NODE(name, pattern, builder, doc) { #name, pattern, lt__script_build_##builder, LT_NOP, doc },
#define OPNODE(name, op) { #name, NULL, lt__script_build_op, LT_OP_##op, NULL },
#include "frontends/script/nodes.def"
#define FUNCTION(name, where, first, a, second, b, pattern, doc) \
	{ #name "Node", (where) & OPERATOR ? pattern : NULL, lt__script_build_function, LT_NOP, doc },
#include "ir/function.def"
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
		if (strcmp(rows[i].name, name) == 0 && (rows[i].pattern || rows[i].op != LT_NOP))
			return false;
	return true;
}

int32_t lt__script_nodes(struct lt_script_node *out, int32_t cap)
{
	int32_t n = 0;
	for (int32_t i = 0; i < N_ROW; i++) {
		const struct node_row *r = &rows[i];
		bool op = r->op != LT_NOP;
		if (!op && !r->pattern)
			continue;               /* a function that is no operator */
		if (n++ >= cap)
			continue;
		out[n - 1] = (struct lt_script_node){ .pattern = op ? op_pattern(r->op) : r->pattern,
			.doc = op ? lt__op_info(r->op)->doc : r->doc, .build = r->build, .op = r->op };
		snprintf(out[n - 1].name, sizeof out->name, "%s", r->name);
	}
	for (int op = 0; op < LT_NOP; op++) {
		struct lt_script_node node = { .build = lt__script_build_op, .op = (enum lt_opcode)op };
		if (!op_node(node.op, node.name, sizeof node.name))
			continue;
		node.pattern = op_pattern(node.op);
		node.doc = lt__op_info(node.op)->doc;
		if (n < cap)
			out[n] = node;
		n++;
	}
	return n;
}

static const struct { const char *word, *node; } hints[] = {
#define HINT(word, node) { #word, #node },
#include "frontends/script/hints.def"
};

/* What other libraries call a node: global_max_pool, GlobalMaxPool; NULL. */
static const char *hint_of(const char *name, int32_t bytes)
{
	char word[48];
	size_t n = 0;
	if (bytes > 4 && memcmp(name + bytes - 4, "Node", 4) == 0)
		bytes -= 4;
	for (int32_t i = 0; i < bytes && n < sizeof word - 1; i++)
		if (name[i] != '_')
			word[n++] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
	word[n] = 0;
	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
		if (strcmp(hints[i].word, word) == 0)
			return hints[i].node;
	return NULL;
}

/* ReLU: ReLUNode. */
const char *lt__script_nearest(const struct lt_script *s, const char *name, int32_t bytes)
{
	static const char *const ends[] = { "", "Node", "Tensor" };
	struct lt_nearest near;
	char whole[3][48];
	const char *hint = hint_of(name, bytes);
	if (hint || bytes >= 40)
		return hint;
	lt__nearest_begin(&near, name, (size_t)bytes);
	for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
		near.limit = (size_t)bytes / 3 + (k == 0 ? 2 : 1);      /* letters that were not written say nothing */
		near.bytes = (size_t)snprintf(whole[k], sizeof whole[k], "%.*s%s", bytes, name, ends[k]);
		near.word = whole[k];
		for (int32_t i = 0; i < s->n_type; i++)
			lt__nearest_add(&near, s->type[i].name);
		for (int32_t i = 0; k == 0 && i < s->n_function; i++)
			lt__nearest_add(&near, s->function[i].name);
	}
	return near.n ? near.name[0] : NULL;
}

/* The nodes of the original language whose operands have one rank and one type. */
bool lt__script_equal_ranks(const struct lt_script_node *type)
{
	return type->build == lt__script_build_sum || type->build == lt__script_build_hadamard;
}

bool lt__script_takes_numbers(const struct lt_script_node *type)
{
	return lt__script_equal_ranks(type) || (type->build == lt__script_build_op && lt__op_info(type->op)->arity > 1);
}
