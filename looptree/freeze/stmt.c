/* What a frozen nest is made of: operators, loops opened and closed, statements with guards and where they write. */
#include <string.h>
#include "looptree/freeze/parts.h"

/* An operator without a number in the interface does not compile here: it needs a row of LT_OPERATOR_MAP
 * (lt/tree.h). */
static const uint32_t opcode_of[] = {
#define OP(name, ...) [LT_OP_##name] = LT_OPCODE_##name,
#define DATA(name, ...) [LT_OP_##name] = LT_OPCODE_copy,
#include "ir/op/op.def"
};

int32_t lt__freeze_op(struct lt_freezer *f, enum lt_opcode op, enum lt_dtype out, int32_t n, const enum lt_dtype *in)
{
	const struct lt_opinfo *info = lt__op_info(op);
	struct lt_op want = { .name = info->name, .arity = n, .out = out };
	for (int32_t i = 0; i < n; i++)
		want.in[i] = in[i];
	for (int32_t i = 0; i < f->n_op; i++)
		if (!strcmp(f->op[i].name, want.name) && f->op[i].out == want.out && f->op[i].arity == n
		    && !memcmp(f->op[i].in, want.in, sizeof want.in))
			return i;
	char text[256];
	lt__op_csource(op, in[n - 1], out, text, sizeof text);
	bool move = info->data && op != LT_OP_cast;                     /* a view, a gather ..: the access says where from */
	want.source = move ? "$0" : lt__arena_string(f->keep, text);
	want.opcode = op == LT_OP_cast ? LT_OPCODE_cast : opcode_of[op];
	if (info->identity != LT_ID_NONE)
		want.identity = lt__bits_of(lt__op_identity(op, out), out);
	LT_GROW(f->a, f->op, f->n_op, f->cap_op);
	f->op[f->n_op] = want;
	return f->n_op++;
}

enum { MAX_LOOPS = 4096 };      /* of one kernel, with the copies of peeled ones */

/* A step beyond the extent is one trip, and no factor may overflow by it; what is padded runs over all of it. */
int64_t lt__freeze_step(const struct lt_freezer *f, lt_tnode at)
{
	const struct lt_tnodedef *d = &f->t->node[at];
	int64_t extent = f->g->var[d->var].extent;
	bool padded = d->tail == LT_PAD;
	for (int32_t k = 0; k < f->n_path; k++)
		padded = padded || (f->path[k].var == d->var && f->path[k].pad);
	return d->step < extent || padded ? d->step : extent;
}

lt_status lt__freeze_open(
	struct lt_freezer *f, lt_tnode at, lt_var v, int64_t step, enum lt_tail tail, const struct lt_peeled *copy)
{
	int32_t primes = 0, parent = f->n_path > 0 ? f->path[f->n_path - 1].loop : -1;
	if (f->n_loop >= MAX_LOOPS && copy->peeled)
		return lt__tree_fail(f->t, at, LT_EUNSUPPORTED,
			"peeling the loop %s and those around it makes a nest of more than %d loops; give one of them "
			"tail guard, mask or pad, or steps that divide",
			lt__loop_path(f->t, at), MAX_LOOPS);
	for (int32_t k = 0; k < f->n_path; k++)
		primes += f->path[k].var == v;
	LT_GROW(f->a, f->loop, f->n_loop, f->cap_loop);
	LT_GROW(f->a, f->path, f->n_path, f->cap_path);
	struct lt_step p = { .var = v,
		.step = step,
		.full = v == f->t->node[at].var ? f->t->node[at].step : step,
		.loop = f->n_loop,
		.at = at,
		.pad = tail == LT_PAD };
	f->loop[f->n_loop] = (struct lt_floop){ .parent = parent, .first_stmt = f->n_stmt, .at = at, .primes = primes,
		.kind = f->t->node[at].loop, .line = { at, copy->remainder } };
	lt__freeze_trip_count(f, copy, &f->loop[f->n_loop], &p);
	f->path[f->n_path++] = p;
	f->n_loop++;
	return LT_OK;
}

void lt__freeze_close(struct lt_freezer *f)
{
	int32_t at = f->path[--f->n_path].loop;
	f->loop[at].n_stmt = f->n_stmt - f->loop[at].first_stmt;
	lt__freeze_forget(f, at);
}

struct lt_stmt *lt__freeze_stmt(struct lt_freezer *f, int32_t kind, lt_node n)
{
	const struct lt_nodedef *d = &f->g->node[n];
	LT_GROW(f->a, f->stmt, f->n_stmt, f->cap_stmt);
	LT_GROW(f->a, f->stmt_node, f->n_stmt, f->cap_stmt_node);
	f->stmt_node[f->n_stmt] = n;
	f->stmt[f->n_stmt] = (struct lt_stmt){ .kind = kind, .loop = f->n_path > 0 ? f->path[f->n_path - 1].loop : -1,
		.first_operand = f->n_operand, .reducing = -1, .name = d->name,
		.line = d->line > 0 ? d->line : 0, .column = d->line > 0 ? d->column : 0 };
	return &f->stmt[f->n_stmt++];
}

void lt__freeze_guard(struct lt_freezer *f, lt_node n, const struct lt_leaf *leaf, struct lt_rows *guards)
{
	struct lt_map m;
	lt__leaf_dest(f->g, f->a, n, leaf, &m);
	lt__freeze_on(f, guards);
	lt__pad_rows(f, n, leaf, n, &m, true, guards, guards);
}

lt_status lt__freeze_dest(struct lt_freezer *f, lt_node n, const struct lt_leaf *leaf, int32_t stmt, bool lane,
	const struct lt_rows *guards)
{
	struct lt_map m;
	int32_t dest;
	lt__leaf_dest(f->g, f->a, n, leaf, &m);
	if (lane)
		dest = lt__freeze_lane(f, n, leaf, true);
	else
		LT_TRY(lt__freeze_access(f, leaf, n, &m, true, &dest));
	f->stmt[stmt].dest = dest;
	f->stmt[stmt].first_guard = lt__freeze_guards(f, guards);
	f->stmt[stmt].n_guard = guards->n;
	if (guards->n > 0)
		f->needs |= LT_NEED_GUARDED;
	return LT_OK;
}
