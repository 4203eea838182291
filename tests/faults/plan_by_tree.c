/* plan_by_tree.c -- accepts makes a plan and knows it again by the tree's address and its size, where
 * another tree may stand by then. */
#include "tests/faults/fault.h"

enum { MAX_OPS = 8 };
struct plan {
	struct plan *next;
	const struct lt_tree *tree;
	int32_t n_row, n_loop;
	uint32_t n, n_stmt;
	struct lt_op op[MAX_OPS];
};
static struct plan *plans, *chosen;

static struct plan *find(const struct lt_tree *t)
{
	struct plan *p = __atomic_load_n(&plans, __ATOMIC_SEQ_CST);
	while (p
		&& !(p->tree == t && p->n == t->ops.n && p->n_stmt == t->stmts.n && p->n_row == t->n_row
			&& p->n_loop == t->n_loop))
		p = p->next;
	return p;
}

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	lt_status status = plain_accepts(s, t, diag);
	if (status || t->ops.n > MAX_OPS || find(t))
		return status;
	struct plan *p = allocate(1, sizeof *p);
	p->tree = t;
	p->n = t->ops.n;
	p->n_row = t->n_row;
	p->n_loop = t->n_loop;
	p->n_stmt = t->stmts.n;
	for (uint32_t i = 0; i < p->n; i++) {
		p->op[i] = *LT_AT(struct lt_op, t->ops, i);
		p->op[i].name = strdup(p->op[i].name);
		p->op[i].source = p->op[i].source ? strdup(p->op[i].source) : NULL;
	}
	p->next = plans;
	__atomic_store_n(&plans, p, __ATOMIC_SEQ_CST);
	return LT_OK;
}

static void change(struct copy *c)
{
	for (uint32_t i = 0; chosen && i < chosen->n; i++)
		c->op[i] = chosen->op[i];
}

static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	if (n != 1)
		return plain_compile(s, tree, n, object, diag);
	chosen = find(tree[0]);
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("plan_by_tree", .accepts = accepts, .compile = compile)
