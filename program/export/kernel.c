/* The kernels of an exported program, as their backend prints them; each definition once. */
#include <string.h>
#include "base/names.h"
#include "program/explain/explain.h"
#include "program/export/export.h"

void lt__export_add(void *user, const char *text, size_t bytes) { lt__text_add(user, text, bytes); }

lt_status lt__export_kernel_text(const struct lt_program *p, const struct lt_built *k, struct lt_text *t)
{
	const struct lt_opened *c = &p->backends.at[k->opened];
	lt__lock_take(c->lock);
	lt_status st = c->backend->dump(k->object, LT_DUMP_SOURCE, lt__export_add, t);
	lt__lock_give(c->lock);
	return st ? lt_fail(p->ctx, st, "backend %s, kernel %s: %-s", c->backend->name, k->frozen->tree.name,
		t->n ? t->at : lt_status_text(st)) : LT_OK;
}

/* Those that a run launches: the others have made constants. */
static bool *kernels_used(const struct lt_export *x)
{
	const struct lt_program *p = x->p;
	bool *used = LT_NEW(x->a, bool, p->kernels.n + 1);
	for (int32_t i = 0; i < p->plan.n_run; i++)
		if (p->plan.run[i].kind == LT_STEP_RUN)
			used[p->kernels.of[p->plan.run[i].nest]] = true;
	return used;
}

lt_status lt__export_kernels(const struct lt_export *x, lt_write *write, void *user)
{
	const struct lt_program *p = x->p;
	const bool *used = kernels_used(x);
	struct lt_names *written = lt__names_new(x->a);
	struct lt_text t = { .arena = x->a };
	for (int32_t i = 0; i < p->kernels.n; i++) {
		if (!used[i])
			continue;
		t.n = 0;
		LT_TRY(lt__export_kernel_text(p, &p->kernels.at[i], &t));
		const char *kernel = lt__source_definitions(written, t.at, t.n, write, user);
		kernel += strcspn(kernel, "\n");       /* past the line that says what the text is of */
		kernel += *kernel == '\n';
		write(user, kernel, (size_t)(t.at + t.n - kernel));
		write(user, "\n", 1);
	}
	return LT_OK;
}
