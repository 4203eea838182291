/* What depends only on constants, computed while a program is exported: by the backend ref, on this machine, whatever
 * the target is. */
#include "program/nest/nest.h"
#include "program/export/export.h"

struct preparing {
	struct lt_export *x;
	struct lt_opened_backends backends;
	struct lt_object **object;              /* by kernel of the program; NULL: none yet */
	struct lt_addresses at;
	struct lt_slot *slot;
	struct lt_arena *a;                     /* of what a launch needs */
};

static lt_status prepare_fail(const struct preparing *r, lt_status st, struct lt_diagnostics *diags,
	const struct lt_frozen *f, const char *what)
{
	const struct lt_backend *b = r->backends.at[0].backend;
	return lt_fail(r->x->p->ctx, st, "constants cannot be prepared: backend %s, kernel %s: %-s", b->name, f->tree.name,
		lt__diagnostic_reason(diags, st, b->name, what));
}

/* A kernel of the user's own is code for the target: the loops, which say what it means, are run. */
static const struct lt_tree *meaning_of(const struct lt_tree *t, struct lt_arena *a)
{
	if (!(t->needs & LT_NEED_OWN))
		return t;
	struct lt_tree *loops = lt__arena_copy(a, t, sizeof *t);
	loops->needs &= ~(uint64_t)LT_NEED_OWN;
	return loops;
}

static lt_status prepare_compile(struct preparing *r, int32_t kernel)
{
	const struct lt_frozen *f = r->x->p->kernels.at[kernel].frozen;
	const struct lt_tree *tree = meaning_of(&f->tree, r->a);
	const struct lt_opened *c = &r->backends.at[0];
	struct lt_diagnostics diags;
	if (r->object[kernel])
		return LT_OK;
	lt__diagnostics_init(&diags);
	lt_status st = c->backend->accepts(c->session, tree, &diags.diag);
	if (!st)
		st = c->backend->compile(c->session, &tree, 1, &r->object[kernel], &diags.diag);
	return st ? prepare_fail(r, st, &diags, f, "compile") : LT_OK;
}

static lt_status prepare_launch(struct preparing *r, const struct lt_pstep *step)
{
	struct lt_program *p = r->x->p;
	const int32_t kernel = p->kernels.of[step->nest];
	const struct lt_frozen *f = &p->nests.frozen[step->nest];
	const struct lt_backend *b = r->backends.at[0].backend;
	struct lt_scratch need = { 0, 1 };
	struct lt_diagnostics diags;
	struct lt_fault fault;
	LT_TRY(prepare_compile(r, kernel));
	if (LT_HAS(struct lt_backend, b, need))
		b->need(r->object[kernel], 1, &need.bytes, &need.align);
	lt__fault_clear(&fault);
	struct lt_args args = lt__launch_args(p, step, &r->at, r->slot, &fault);
	args.workspace = need.bytes ? lt__scratch_new(r->a, &need) : NULL;
	args.n_thread = 1;
	lt__diagnostics_init(&diags);
	lt_status st = b->run(r->object[kernel], &args, &diags.diag);
	if (fault.n > 0)
		return lt__fault_report(p, &r->at, step, &fault);
	return st ? prepare_fail(r, st, &diags, f, "run") : LT_OK;
}

static lt_status prepare_steps(void *arg)
{
	struct preparing *r = arg;
	struct lt_export *x = r->x;
	struct lt_program *p = x->p;
	struct lt_fault fault;
	x->prepared = lt__aligned_new(x->a, p->offsets.at[0].prepared_bytes, LT_EXPORT_ALIGN);
	r->slot = LT_NEW(r->a, struct lt_slot, lt__program_slots(p, p->plan.prepare, p->plan.n_prepare) + 1);
	r->object = LT_NEW(r->a, struct lt_object *, p->kernels.n + 1);
	r->at = (struct lt_addresses){ .ctx = p->ctx, .constant = p->constants.data, .prepared = x->prepared };
	LT_TRY(lt__backends_open("ref", &p->services.host, r->a, &r->backends));
	for (int32_t i = 0; i < p->plan.n_prepare; i++) {
		const struct lt_pstep *step = &p->plan.prepare[i];
		LT_TRY(lt__cancelled(&p->services));
		LT_TRY(step->kind == LT_STEP_RUN ? prepare_launch(r, step)
			: lt__program_steps_run(p, step, 1, &r->at, r->slot, &fault));
	}
	return LT_OK;
}

lt_status lt__export_prepare(struct lt_export *x)
{
	struct preparing r = { .x = x };
	if (!x->p->plan.n_prepare)
		return LT_OK;
	LT_TRY(lt__arena_new(x->p->ctx, &r.a));
	lt_status st = lt__protect(x->p->ctx, prepare_steps, &r);
	for (int32_t i = 0; r.object && i < x->p->kernels.n; i++)
		if (r.object[i])
			r.backends.at[0].backend->destroy(r.object[i]);
	lt__backends_close(&r.backends);
	lt__arena_free(r.a);
	return st;
}
