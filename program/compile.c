/* Compiling: the kernels of each backend at once, but for those that the cache has. */
#include <stdio.h>
#include <string.h>
#include "program/object_cache.h"

static const size_t MAX_WORKSPACE = SIZE_MAX / 16;     /* bytes: so that sums of a few do not overflow */

/* Lines "name number" of a backend, as they come. */
struct lines { char line[128]; size_t n; int threads; bool parallel, serialised; };

static void read_dump_line(struct lines *l)
{
	char name[64];
	long long value;
	l->line[l->n] = '\0';
	l->n = 0;
	if (sscanf(l->line, "%63s %lld", name, &value) != 2)
		return;
	if (strcmp(name, "threads") == 0 && value > 0 && value < INT32_MAX)
		l->threads = (int)value;
	l->parallel = l->parallel || (strcmp(name, "parallel") == 0 && value == 1);
	l->serialised = l->serialised || (strcmp(name, "serialised") == 0 && value == 1);
}

static void take_text(void *user, const char *text, size_t bytes)
{
	struct lines *l = user;
	for (size_t i = 0; i < bytes; i++)
		if (text[i] == '\n')
			read_dump_line(l);
		else if (l->n + 1 < sizeof l->line)
			l->line[l->n++] = text[i];
}

/* A backend may say of each object how many threads it uses. */
static void count_threads(struct lt_program *p, const struct lt_backend *b, const struct lt_object *object)
{
	struct lines l = { .n = 0 };
	if (!LT_HAS(struct lt_backend, b, dump) || b->dump(object, LT_DUMP_STATS, take_text, &l))
		return;
	read_dump_line(&l);
	if (l.threads > p->stats.n_thread)
		p->stats.n_thread = l.threads;
	p->stats.n_parallel += l.parallel;
	p->stats.n_serialised += l.parallel && l.serialised;
}

static void count_done(struct lt_program *p)
{
	p->n_done++;
	p->stats.n_cached++;
	if (p->options.progress)
		p->options.progress(p->options.user, p->n_done, p->n_kernel);
}

/* The kernels that a backend has to compile, and room for what it is asked and answers. */
struct missing { int32_t n, *kernel; const struct lt_tree **tree; struct lt_object **object; };

/* Those that are in the cache have their objects. */
static lt_status load_cached(struct lt_program *p, int32_t opened, struct lt_object_cache *kept, struct missing *m)
{
	for (int32_t i = 0; i < p->n_kernel; i++) {
		struct lt_kernel *k = &p->kernel[i];
		if (k->opened != opened)
			continue;
		LT_TRY(lt__cancelled(p));
		if (lt__object_cache_load(kept, &k->frozen->tree, &k->object))
			return lt_fail(p->ctx, LT_ENOMEM, "out of memory");
		if (k->object) {
			count_done(p);
			continue;
		}
		m->kernel[m->n] = i;
		m->tree[m->n++] = &k->frozen->tree;
	}
	return LT_OK;
}

static lt_status compile_missing(struct lt_program *p, const struct lt_opened *c, struct lt_object_cache *kept, const struct missing *m)
{
	struct lt_diagnostics told;
	lt__diagnostics_init(&told);
	lt_status st = m->n ? c->backend->compile(c->session, m->tree, (uint32_t)m->n, m->object, &told.diag) : LT_OK;
	if (st)
		return lt_fail(p->ctx, st, "backend %s: %s", c->backend->name, lt__diagnostic_reason(&told, st, c->backend->name, "compile"));
	for (int32_t i = 0; i < m->n; i++)
		p->kernel[m->kernel[i]].object = m->object[i];          /* to be destroyed, whatever comes */
	for (int32_t i = 0; i < m->n; i++)
		if (!m->object[i])
			return lt_fail(p->ctx, LT_EABI, "backend %s, kernel %s: it says that it is compiled, but gives no object; its author has to mend `compile`",
				c->backend->name, m->tree[i]->name);
	p->n_done += m->n;
	p->stats.n_compiled += m->n;
	for (int32_t i = 0; i < m->n; i++)
		if (lt__object_cache_save(kept, m->tree[i], m->object[i]))
			return lt_fail(p->ctx, LT_ENOMEM, "out of memory");
	return LT_OK;
}

/* What the kernels of a backend need to run. */
static lt_status workspace_measure(struct lt_program *p, int32_t opened)
{
	struct lt_opened *c = &p->opened[opened];
	for (int32_t i = 0; i < p->n_kernel; i++) {
		struct lt_kernel *k = &p->kernel[i];
		if (k->opened != opened)
			continue;
		count_threads(p, c->backend, k->object);
		k->workspace_align = 1;
		if (LT_HAS(struct lt_backend, c->backend, need))
			c->backend->need(k->object, p->options.n_thread, &k->workspace_bytes, &k->workspace_align);
		if (k->workspace_align == 0 || (k->workspace_align & (k->workspace_align - 1)) != 0)
			return lt_fail(p->ctx, LT_EABI, "backend %s, kernel %s: it asks for a workspace aligned to %zu bytes, which is no power of two; "
				"its author has to mend `need`", c->backend->name, k->frozen->tree.name, k->workspace_align);
		if (k->workspace_bytes > MAX_WORKSPACE || k->workspace_align > MAX_WORKSPACE)
			return lt_fail(p->ctx, LT_EABI, "backend %s, kernel %s: it asks for a workspace of %zu bytes aligned to %zu, more than any memory has; "
				"its author has to mend `need`", c->backend->name, k->frozen->tree.name, k->workspace_bytes, k->workspace_align);
		if (k->workspace_bytes > c->scratch_bytes)
			c->scratch_bytes = k->workspace_bytes;
		if (k->workspace_bytes > p->scratch_bytes)
			p->scratch_bytes = k->workspace_bytes;
		p->stats.kernel_bytes = (int64_t)p->scratch_bytes;
	}
	return LT_OK;
}

static lt_status compile_with(struct lt_program *p, int32_t opened)
{
	struct lt_opened *c = &p->opened[opened];
	struct lt_object_cache kept = { 0 };
	struct missing m = { .kernel = LT_NEW(p->arena, int32_t, p->n_kernel + 1), .tree = LT_NEW(p->arena, const struct lt_tree *, p->n_kernel + 1),
		.object = LT_NEW(p->arena, struct lt_object *, p->n_kernel + 1) };
	bool any = false;
	for (int32_t i = 0; i < p->n_kernel; i++)
		any = any || p->kernel[i].opened == opened;
	if (!any)
		return LT_OK;
	lt_status st = lt__object_cache_open(&kept, p, c);
	st = st ? st : load_cached(p, opened, &kept, &m);
	st = st ? st : compile_missing(p, c, &kept, &m);
	lt__object_cache_close(&kept);
	return st ? st : workspace_measure(p, opened);
}

lt_status lt__program_compile(struct lt_program *p)
{
	for (int32_t i = 0; i < p->n_opened && !p->options.plan_only; i++)
		LT_TRY(compile_with(p, i));
	return LT_OK;
}
