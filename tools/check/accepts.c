/* accepts.c -- what accepts promises. */
#include <stdlib.h>
#include <string.h>
#include "tools/check/parts.h"

enum { MAX_VECTOR = 1 << 16 };  /* bytes of a vector: far above any machine's */

/* Drawn trees of two graphs: those that are taken compile and run. */
bool lt__check_accepts_promise(struct check_device *d, struct check_outcome *out)
{
	int64_t taken = 0, refused = 0;
	for (int i = 0; i < 24 && !out->done; i++) {
		const struct check_case c = { .group = i % 2 ? CHECK_product : CHECK_op,
			.spec = { .op = LT_OP_add, .dtype = LT_F32, .shape = CHECK_PRIME, .variant = CHECK_BIAS_RELU,
				.neighbour = CHECK_REDUCED, .schedule = i % 4 < 2 ? CHECK_DRAWN : CHECK_DRAWN2 } };
		struct check_outcome mine = { 0 };
		struct check_work w;
		if (lt__check_work_open(&w, d, &c, d->seed + (uint64_t)i * 1000, &mine) && lt__check_work_compile(&w))
			(void)lt__check_run(&w);
		taken += mine.status != CHECK_REFUSED;
		refused += mine.done && mine.status == CHECK_REFUSED;
		if (mine.done && mine.status == CHECK_FAILED)
			(void)lt__check_fail(out, "drawn tree %d: %s", i, mine.text);
		lt__check_work_close(&w);
	}
	return taken > 0 || lt__check_end(out, CHECK_REFUSED, "all %lld trees are refused", (long long)refused);
}

bool lt__check_accepts_again(struct check_work *w, const struct check_trial *t)
{
	(void)t;
	const struct check_device *d = w->device;
	for (int i = 0; i < 20; i++) {
		struct check_diagnostics diags = lt__check_listen();
		lt_status st = d->backend->accepts(d->session, &w->p->nests.frozen[lt__check_nest(w)].tree, &diags.diag);
		if (st)
			return lt__check_fail(w->out, "accepts took the tree, and then answers %s: %s", lt_status_name(st), diags.text);
	}
	return true;
}

/* -- together -- */

/* The same trees several times and in another order, in one call. */
bool lt__check_accepts_together(struct check_device *d, struct check_outcome *out)
{
	static const unsigned which[] = { CHECK_S_ADD, CHECK_S_SUB, CHECK_S_MAX, CHECK_S_ADD, CHECK_S_MIN, CHECK_S_ONE };
	enum { N = sizeof which / sizeof *which };
	struct check_outcome mine[N] = { { 0 } };
	struct check_work w[N] = { { 0 } }, *open[N];
	int32_t n = 0;
	for (int i = 0; i < N; i++)
		if (lt__check_work_open(&w[i], d, lt__check_sample(which[i]), d->seed + (uint64_t)i, &mine[i]))
			open[n++] = &w[i];
	if (n > 0)
		(void)lt__check_compile(open, n);
	for (int i = N; i-- > 0;) {
		if (!mine[i].done)
			(void)lt__check_run(&w[i]);
		if (mine[i].status == CHECK_FAILED)
			(void)lt__check_fail(out, "tree %d of %d that one call compiled: %s", i, N, mine[i].text);
	}
	if (n == 0)
		(void)lt__check_end(out, CHECK_REFUSED, "%s", mine[0].text);
	for (int i = 0; i < N; i++)
		lt__check_work_close(&w[i]);
	return true;
}

/* -- caps -- */

/* Where every tree is refused, or no default tree fits, the caps are what is wrong, and not the trees. */
bool lt__check_accepts_caps(struct check_device *d, struct check_outcome *out)
{
	const struct lt_caps *caps = d->caps;
	const unsigned vector = caps->target->vector_bytes;
	unsigned narrowest = 0;
	for (int k = 1; k < LT_NDTYPE; k++) {
		unsigned bytes = (unsigned)lt__dtype_info((enum lt_dtype)k)->bytes;
		if (caps->dtypes >> k & 1 && (!narrowest || bytes < narrowest))
			narrowest = bytes;
	}
	if (caps->dtypes == 0)
		return lt__check_fail(out,
			"caps.dtypes is 0, so every tree is refused: it has a bit 1 << LT_F32 for float32, and so on");
	if (caps->dtypes & 1)
		return lt__check_fail(out, "caps.dtypes has bit 0, which is not a type: is a `1 <<` missing?");
	if (!(caps->loops >> LT_SERIAL & 1))
		return lt__check_fail(out, "caps.loops is 0x%llx and lacks 1 << LT_SERIAL, so every tree with a plain loop is "
			"refused%s", (unsigned long long)caps->loops, caps->loops ? ": is a `1 <<` missing?" : "");
	if (vector > MAX_VECTOR)
		return lt__check_fail(out, "caps.target->vector_bytes is %u; it is one vector register, 64 for AVX-512, and not "
			"more than %d", vector, MAX_VECTOR);
	if (narrowest && vector % narrowest)
		return lt__check_fail(out, "caps.target->vector_bytes is %u, which is not a whole number of its narrowest "
			"elements, of %u bytes", vector, narrowest);
	if (narrowest && vector > narrowest && !(caps->loops >> LT_VECTOR & 1))
		return lt__check_fail(out, "caps.target->vector_bytes is %u, so default trees have vector loops, and caps.loops "
			"lacks 1 << LT_VECTOR: they are refused", vector);
	if (narrowest && vector > narrowest && !(caps->understands & LT_NEED_COMBINE))
		return lt__check_fail(out, "caps.target->vector_bytes is %u, so default trees have LT_COMBINE statements, and "
			"caps.understands lacks LT_NEED_COMBINE: they are refused", vector);
	return true;
}

/* -- trees that are changed -- */

bool lt__check_accepts_no_diag(struct check_work *w, const struct check_trial *t)
{
	(void)t;
	const struct check_device *d = w->device;
	const struct lt_tree *tree = &w->p->nests.frozen[lt__check_nest(w)].tree;
	struct lt_tree strange = *tree;
	struct lt_object *object = NULL;
	struct lt_session *session = NULL;
	strange.needs |= UINT64_C(1) << 63;
	(void)d->backend->accepts(d->session, &strange, NULL);
	if (d->backend->accepts(d->session, tree, NULL))
		return lt__check_fail(w->out, "accepts takes a tree with a diag, and not without");
	lt_status st = d->backend->compile(d->session, &tree, 1, &object, NULL);
	if (st || !object)
		return lt__check_fail(w->out, "compile without a diag: %s", lt_status_name(st));
	d->backend->destroy(object);
	(void)d->backend->score("no_such_word_of_any_backend", NULL);
	if (!d->backend->open(&d->host, "no_such_word_of_any_backend", &session, NULL) && session)
		d->backend->close(session);
	return true;
}

/* The host asks caps, and refuses what they do not name before accepts sees it: caps that name what there is not would
 * let it pass.  A backend of a later interface may know more than this one. */
bool lt__check_accepts_unknown_feature(struct check_work *w, const struct check_trial *t)
{
	(void)t;
	const struct check_device *d = w->device;
	const struct lt_caps *caps = d->caps;
	struct lt_tree tree = w->p->nests.frozen[lt__check_nest(w)].tree;
	struct check_diagnostics diags = lt__check_listen();
	char words[200];
	const uint64_t needs = caps->understands & ~lt__known_needs(), loops = caps->loops >> LT_NLOOP_KIND << LT_NLOOP_KIND,
		dtypes = caps->dtypes & ~((UINT64_C(1) << LT_NDTYPE) - 2);
	const bool known = d->backend->abi <= LT_ABI;
	if (known && needs)
		return lt__check_fail(w->out, "caps.understands names features that the interface does not have: %s",
			lt__need_words(needs, words, sizeof words));
	if (known && (loops || dtypes))
		return lt__check_fail(w->out, "caps.%s names %s that the interface does not have: bits 0x%llx",
			loops ? "loops" : "dtypes", loops ? "kinds of loops" : "element types",
			(unsigned long long)(loops ? loops : dtypes));
	tree.needs |= UINT64_C(1) << 63;
	if (lt__refuse_by_caps(&tree, caps, &diags.diag) != LT_EUNSUPPORTED || !diags.text[0])
		return lt__check_fail(w->out, "a tree that needs feature bit 63 is not refused by what caps say");
	return true;
}

/* The tree's operators by a name that nobody knows; source NULL: their own.  The caller's to free. */
static struct lt_op *strange_ops(const struct lt_tree *t, const char *source)
{
	struct lt_op *ops = calloc(t->ops.n + 1u, sizeof *ops);
	for (uint32_t i = 0; ops && i < t->ops.n; i++) {
		ops[i] = *LT_AT(struct lt_op, t->ops, i);
		ops[i].name = "an_operator_of_tomorrow";
		ops[i].source = source ? source : ops[i].source;
	}
	return ops;
}

/* Operators travel by description: one of another name is computed by its source, or refused. */
bool lt__check_accepts_unknown_operator(struct check_work *w, const struct check_trial *t)
{
	const struct check_device *d = w->device;
	struct lt_tree *tree = &w->p->nests.frozen[lt__check_nest(w)].tree;
	const struct lt_array was = tree->ops;
	struct lt_op *ops = strange_ops(tree, NULL);
	struct check_diagnostics diags = lt__check_listen();
	bool good = false;
	if (!ops)
		return lt__check_fail(w->out, "out of memory");
	tree->ops = (struct lt_array){ ops, was.n, sizeof *ops };
	lt_status answer = d->backend->accepts(d->session, tree, &diags.diag);
	if (answer && answer != LT_EUNSUPPORTED)
		(void)lt__check_fail(w->out,
			"accepts answers %s (%d) for a tree with an unknown operator; a refusal is LT_EUNSUPPORTED",
			lt_status_name(answer), (int)answer);
	else if (answer)
		good = diags.text[0] || lt__check_fail(w->out, "accepts refuses a tree with an unknown operator and says nothing");
	else
		good = lt__check_twin_run(w, NULL, t);
	tree->ops = was;
	free(ops);
	return good;
}

/* A compilation of several trees of which one cannot be compiled leaves nothing after. */
bool lt__check_errors_half(struct check_work *w, const struct check_trial *t)
{
	enum { N = 3 };
	const struct check_device *d = w->device;
	const struct lt_tree *good_tree = &w->p->nests.frozen[lt__check_nest(w)].tree, *trees[N];
	struct lt_object *object[N] = { NULL };
	struct lt_tree bad = *good_tree;
	struct lt_op *ops = strange_ops(&bad, "no expression");
	bool fine = true;
	(void)t;
	if (!ops)
		return lt__check_fail(w->out, "out of memory");
	bad.ops = (struct lt_array){ ops, bad.ops.n, sizeof *ops };
	bad.text = "a tree whose operators are no expressions";
	for (int at = 0; at < N && fine; at++) {
		struct check_diagnostics diags = lt__check_listen();
		for (int i = 0; i < N; i++) {
			trees[i] = i == at ? &bad : good_tree;
			object[i] = (struct lt_object *)(void *)&diags;  /* something that is no object */
		}
		lt_status st = d->backend->compile(d->session, trees, N, object, &diags.diag);
		for (int i = 0; i < N && !st; i++)
			d->backend->destroy(object[i]);
		for (int i = 0; i < N && st && fine; i++)
			fine = !object[i] || lt__check_fail(w->out,
				"compile of %d trees fails with %s at tree %d and leaves an object behind", N, lt_status_name(st), at);
		fine = fine && (!st || diags.text[0] || lt__check_fail(w->out, "compile answers %s and says nothing",
			lt_status_name(st)));
	}
	free(ops);
	return fine;
}
