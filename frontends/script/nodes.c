/* frontends/script/nodes.c -- the table of node types: rows of nodes.def, then the operators of ir/op.def. */
#include <string.h>
#include "frontends/script/script.h"

#define NODE(name, pattern, builder, doc) lt_script_build lt__script_build_##builder;
#define OPNODE(name, op)
#include "frontends/script/nodes.def"
lt_script_build lt__script_build_op;

struct row { const char *name, *pattern; lt_script_build *build; enum lt_opcode op; const char *doc; };
static const struct row rows[] = {
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
	return true;
}

int32_t lt__script_nodes(struct lt_script_node *out, int32_t cap)
{
	int32_t n = 0;
	for (int32_t i = 0; i < N_ROW; i++, n++) {
		const struct row *r = &rows[i];
		bool op = r->op != LT_NOP;
		if (n >= cap)
			continue;
		out[n] = (struct lt_script_node){ .pattern = op ? op_pattern(r->op) : r->pattern,
			.doc = op ? lt__op_info(r->op)->doc : r->doc, .build = r->build, .op = r->op };
		snprintf(out[n].name, sizeof out[n].name, "%s", r->name);
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

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Edits (one letter in, out or changed) from a to b, not counting case. */
static int32_t distance(const char *a, int32_t n, const char *b)
{
	int32_t row[64], m = (int32_t)strlen(b);
	for (int32_t j = 0; j <= m; j++)
		row[j] = j;
	for (int32_t i = 1; i <= n; i++) {
		int32_t corner = row[0];
		row[0] = i;
		for (int32_t j = 1; j <= m; j++) {
			int32_t change = corner + (lower(a[i - 1]) != lower(b[j - 1]));
			corner = row[j];
			int32_t least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
			row[j] = change < least ? change : least;
		}
	}
	return row[m];
}

const char *lt__script_nearest(const struct lt_script *s, const char *name, int32_t bytes)
{
	static const char *const ends[] = { "", "Node", "Tensor" };      /* ReLU: ReLUNode */
	const char *best = NULL;
	int32_t least = bytes / 3 + 2;          /* farther off, a suggestion only confuses */
	if (bytes >= 40)
		return NULL;
	for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
		char whole[48];
		int32_t n = (int32_t)snprintf(whole, sizeof whole, "%.*s%s", bytes, name, ends[k]);
		if (k > 0 && least > bytes / 3 + 1)
			least = bytes / 3 + 1;  /* letters that were not written tell nothing */
		for (int32_t i = 0; i < s->n_type; i++) {
			int32_t d = distance(whole, n, s->type[i].name);
			if (d < least) {
				least = d;
				best = s->type[i].name;
			}
		}
	}
	return best;
}
