/* Kernels: what nests have in common.  Those of each backend are compiled at once, except those that the cache has. */
#include <stdio.h>
#include <string.h>
#include "base/names.h"
#include "program/nest/nest.h"
#include "program/compile/compile.h"
#include "program/compile/object_cache.h"

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
static void count_threads(struct lt_kernels *x, const struct lt_backend *b, const struct lt_object *object)
{
	struct lines l = { .n = 0 };
	if (!LT_HAS(struct lt_backend, b, dump) || b->dump(object, LT_DUMP_STATS, take_text, &l))
		return;
	read_dump_line(&l);
	if (l.threads > x->n_thread)
		x->n_thread = l.threads;
	x->n_parallel += l.parallel;
	x->n_serialised += l.parallel && l.serialised;
}

static void count_cached(struct lt_kernels *x, struct lt_services *s)
{
	x->n_cached++;
	s->n_done++;
	if (s->options->progress)
		s->options->progress(s->options->user, s->n_done, s->n_kernel);
}

/* The kernels that a backend has to compile, and room for what it is asked and answers. */
struct missing { int32_t n, *kernel; const struct lt_tree **tree; struct lt_object **object; };

/* Those that are in the cache have their objects. */
static lt_status load_cached(
	struct lt_kernels *x, int32_t opened, struct lt_services *s, struct lt_object_cache *cache, struct missing *m)
{
	for (int32_t i = 0; i < x->n; i++) {
		struct lt_built *k = &x->at[i];
		if (k->opened != opened)
			continue;
		LT_TRY(lt__cancelled(s));
		if (lt__object_cache_load(cache, &k->frozen->tree, &k->object))
			return lt_fail(s->ctx, LT_ENOMEM, "out of memory");
		if (k->object) {
			count_cached(x, s);
			continue;
		}
		m->kernel[m->n] = i;
		m->tree[m->n++] = &k->frozen->tree;
	}
	return LT_OK;
}

static lt_status compile_missing(struct lt_kernels *x, const struct lt_opened *c, struct lt_services *s,
	struct lt_object_cache *cache, const struct missing *m)
{
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	lt_status st = m->n ? c->backend->compile(c->session, m->tree, (uint32_t)m->n, m->object, &diags.diag) : LT_OK;
	if (st)
		return lt_fail(s->ctx, st, "backend %s: %-s", c->backend->name,
			lt__diagnostic_reason(&diags, st, c->backend->name, "compile"));
	for (int32_t i = 0; i < m->n; i++)
		x->at[m->kernel[i]].object = m->object[i];          /* to be destroyed, whatever comes */
	for (int32_t i = 0; i < m->n; i++)
		if (!m->object[i])
			return lt_fail(s->ctx, LT_EABI, "backend %s, kernel %s: it reports success, but gives no object; its author has to "
				"fix `compile`",
				c->backend->name, m->tree[i]->name);
	s->n_done += m->n;
	x->n_compiled += m->n;
	for (int32_t i = 0; i < m->n; i++)
		if (lt__object_cache_save(cache, m->tree[i], m->object[i]))
			return lt_fail(s->ctx, LT_ENOMEM, "out of memory");
	return LT_OK;
}

/* What the kernels of a backend need to run. */
static lt_status workspace_measure(
	struct lt_kernels *x, int32_t opened, const struct lt_opened *c, const struct lt_services *s)
{
	for (int32_t i = 0; i < x->n; i++) {
		struct lt_built *k = &x->at[i];
		if (k->opened != opened)
			continue;
		count_threads(x, c->backend, k->object);
		k->workspace_align = 1;
		if (LT_HAS(struct lt_backend, c->backend, need))
			c->backend->need(k->object, s->options->n_thread, &k->workspace_bytes, &k->workspace_align);
		if (k->workspace_align == 0 || (k->workspace_align & (k->workspace_align - 1)) != 0)
			return lt_fail(s->ctx, LT_EABI, "backend %s, kernel %s: it asks for a workspace aligned to %zu bytes, which is not "
				"a power of two; its author has to fix `need`", c->backend->name, k->frozen->tree.name, k->workspace_align);
		if (k->workspace_bytes > MAX_WORKSPACE || k->workspace_align > MAX_WORKSPACE)
			return lt_fail(s->ctx, LT_EABI, "backend %s, kernel %s: it asks for a workspace of %zu bytes aligned to %zu, more "
				"than any memory has; its author has to fix `need`", c->backend->name, k->frozen->tree.name, k->workspace_bytes,
				k->workspace_align);
	}
	return LT_OK;
}

static lt_status compile_with(
	struct lt_kernels *x, int32_t opened, const struct lt_opened *c, struct lt_services *s, struct lt_arena *a)
{
	struct lt_object_cache cache = { 0 };
	struct missing m = { .kernel = LT_NEW(a, int32_t, x->n + 1), .tree = LT_NEW(a, const struct lt_tree *, x->n + 1),
		.object = LT_NEW(a, struct lt_object *, x->n + 1) };
	lt_status st = lt__object_cache_open(&cache, s, c);
	st = st ? st : load_cached(x, opened, s, &cache, &m);
	st = st ? st : compile_missing(x, c, s, &cache, &m);
	lt__object_cache_close(&cache);
	return st ? st : workspace_measure(x, opened, c, s);
}

lt_status lt__kernels_compile(
	struct lt_kernels *x, const struct lt_opened_backends *backends, struct lt_services *s, struct lt_arena *a)
{
	s->n_kernel = x->n;
	for (int32_t i = 0; i < backends->n; i++)
		if (x->used[i])
			LT_TRY(compile_with(x, i, &backends->at[i], s, a));
	return LT_OK;
}

void lt__kernels_find(const struct lt_nests *nests, int32_t n_opened, struct lt_arena *a, struct lt_kernels *out)
{
	struct lt_names **texts = LT_NEW(a, struct lt_names *, n_opened + 1);
	*out = (struct lt_kernels){ .at = LT_NEW(a, struct lt_built, nests->n + 1), .of = LT_NEW(a, int32_t, nests->n + 1),
		.used = LT_NEW(a, bool, n_opened + 1) };
	for (int32_t i = 0; i < n_opened; i++)
		texts[i] = lt__names_new(a);
	for (int32_t i = 0; i < nests->n; i++) {
		const char *text = nests->frozen[i].tree.text;
		int32_t opened = nests->opened_of[i];
		struct lt_names *known = texts[opened];
		out->of[i] = -1;
		if (nests->blocks[i])
			continue;
		int32_t k = lt__names_find(known, text, strlen(text));
		if (k < 0) {
			k = out->n++;
			lt__names_add(known, text, strlen(text), k);
			out->at[k] = (struct lt_built){ .frozen = &nests->frozen[i], .opened = opened };
			out->used[opened] = true;
		}
		out->of[i] = k;
	}
}

void lt__kernels_destroy(struct lt_kernels *x, const struct lt_opened_backends *backends)
{
	for (int32_t i = 0; i < x->n; i++)
		if (x->at[i].object)
			backends->at[x->at[i].opened].backend->destroy(x->at[i].object);
	x->n = 0;
}
