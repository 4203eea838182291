/* fault.h -- a correct backend to plant faults in: it hands everything on to the backend ref.
 *
 * ref is loaded from its plug-in, plugins/ref.so of the build that this file's plug-in lies in (tests/faults/NAME.so);
 * in a module of WebAssembly, which loads nothing, both are linked in.
 * A fault stands around one member of the table, or changes the copy of the tree that ref gets (tests/faults/copy.h).
 * FAULTY gives the table; the last of several designated values for a member counts.
 */
#ifndef LT_FAULT_H
#define LT_FAULT_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/faults/copy.h"

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#endif

struct lt_session { const struct lt_backend *table; struct lt_session *ref; };
struct lt_object {
	struct lt_session *session;
	struct lt_object *ref;
	const struct lt_tree *tree;     /* as the host gave it */
	struct copy *copy;              /* what ref got; NULL: the same */
	struct lt_slot kept;            /* for faults that remember */
	uint64_t count;
};

static lt_status fault_report(struct lt_diag *diag, lt_status code, const char *text)
{
	if (diag)
		diag->report(diag,
			&(struct lt_diagnostic){ .size = sizeof(struct lt_diagnostic),
				.code = code,
				.loop = -1,
				.stmt = -1,
				.text = text });
	return code;
}

#ifdef __wasm__
static const struct lt_backend *find_ref(struct lt_diag *diag)
{
	(void)diag;
	return lt_backend_find("ref");
}
#else
static const struct lt_backend *find_ref(struct lt_diag *diag)
{
	static const char here[] = "", there[] = "../../plugins/ref.so";
	Dl_info info;
	char path[4096] = "";
	const struct lt_backend *(*entry)(uint32_t) = NULL;
	if (dladdr(here, &info) && info.dli_fname)
		(void)snprintf(path, sizeof path, "%.4000s", info.dli_fname);
	char *base = strrchr(path, '/');
	base = base ? base + 1 : path;
	(void)snprintf(base, sizeof path - (size_t)(base - path), "%s", there);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol = library ? dlsym(library, "lt_backend_entry") : NULL;
	memcpy(&entry, &symbol, sizeof entry);
	if (!entry)
		(void)fault_report(diag, LT_ELOAD, library ? "../../plugins/ref.so has no lt_backend_entry" : dlerror());
	return entry ? entry(LT_ABI) : NULL;
}
#endif

static int32_t plain_score(const char *config, struct lt_diag *diag)
{
	const struct lt_backend *ref = find_ref(diag);
	return ref ? ref->score(config, diag) : 0;
}

static lt_status plain_open(
	const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	const struct lt_backend *ref = find_ref(diag);
	*out = NULL;
	if (!ref)
		return LT_ELOAD;
	struct lt_session *s = calloc(1, sizeof *s);
	if (!s)
		return fault_report(diag, LT_ENOMEM, "no memory for a session");
	s->table = ref;
	lt_status status = ref->open(host, config, &s->ref, diag);
	if (status)
		free(s);
	else
		*out = s;
	return status;
}

static void plain_close(struct lt_session *s)
{
	if (s)
		s->table->close(s->ref);
	free(s);
}

static const struct lt_caps *plain_caps(const struct lt_session *s) { return s->table->caps(s->ref); }

static lt_status plain_accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	return s->table->accepts(s->ref, t, diag);
}

static void plain_destroy(struct lt_object *o)
{
	if (!o)
		return;
	if (o->ref)
		o->session->table->destroy(o->ref);
	copy_free(o->copy);
	free(o);
}

/* change, where it is not NULL, plants the fault into what ref compiles. */
static lt_status compile_one(struct lt_session *s, const struct lt_tree *tree, struct lt_object **out,
	struct lt_diag *diag, void (*change)(struct copy *))
{
	struct lt_object *o = calloc(1, sizeof *o);
	*out = NULL;
	if (!o)
		return fault_report(diag, LT_ENOMEM, "no memory for a kernel");
	*o = (struct lt_object){ .session = s, .tree = tree };
	if (change) {
		o->copy = copy_new(tree);
		change(o->copy);
	}
	const struct lt_tree *given = o->copy ? &o->copy->t : tree;
	lt_status status = s->table->compile(s->ref, &given, 1, &o->ref, diag);
	if (status)
		plain_destroy(o);
	else
		*out = o;
	return status;
}

static lt_status compile_changed(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n,
	struct lt_object **object, struct lt_diag *diag, void (*change)(struct copy *))
{
	lt_status status = LT_OK;
	memset(object, 0, n * sizeof *object);
	for (uint32_t i = 0; !status && i < n; i++)
		status = compile_one(s, tree[i], &object[i], diag, change);
	for (uint32_t i = 0; status && i < n; i++) {
		plain_destroy(object[i]);
		object[i] = NULL;
	}
	return status;
}

static lt_status plain_compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n,
	struct lt_object **object, struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, NULL);
}

static lt_status plain_run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	return o->session->table->run(o->ref, args, diag);
}

static lt_status plain_sync(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	return s->table->sync(s->ref, stream, diag);
}

static void plain_need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	*bytes = 0;
	*align = 1;
	if (LT_HAS(struct lt_backend, o->session->table, need))
		o->session->table->need(o->ref, n_thread, bytes, align);
}

/* What faults around a run ask for. */
static const struct lt_buffer *buffer_at(const struct lt_object *o, uint32_t i)
{
	return LT_AT(struct lt_buffer, o->tree->buffers, i);
}
static const struct lt_type *type_of(const struct lt_object *o, const struct lt_buffer *b)
{
	return LT_AT(struct lt_type, o->tree->types, b->type);
}
static char *address(const struct lt_args *args, const struct lt_buffer *b)
{
	return (char *)args->slot[b->slot].base + args->slot[b->slot].offset;
}
static int64_t bytes_of(const struct lt_object *o, const struct lt_buffer *b)
{
	return b->elems * type_of(o, b)->bytes;
}
/* Whether buffer b is written whole by the host's wish: a result, or what another kernel reads. */
static int is_written(const struct lt_buffer *b) { return b->slot >= 0 && b->written && b->role != LT_LOCAL; }
/* Whether a statement of the tree has this operator, and writes that buffer (-1: any). */
static int has_op(const struct lt_tree *t, const char *name, int32_t buffer)
{
	for (uint32_t s = 0; s < t->stmts.n; s++) {
		const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
		if (st->kind >= LT_BARRIER || strcmp(LT_AT(struct lt_op, t->ops, st->op)->name, name))
			continue;
		if (buffer < 0 || LT_AT(struct lt_access, t->accesses, st->dest)->buffer == buffer)
			return 1;
	}
	return 0;
}

/* A refusal as it should be: the statement that has this operator, and what would help. */
static lt_status refuse(struct lt_diag *diag, const struct lt_tree *t, const char *name)
{
	for (int32_t s = 0; diag && s < (int32_t)t->stmts.n; s++) {
		const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
		if (st->kind >= LT_BARRIER || strcmp(LT_AT(struct lt_op, t->ops, st->op)->name, name))
			continue;
		diag->report(diag,
			&(struct lt_diagnostic){ .size = sizeof(struct lt_diagnostic),
				.code = LT_EUNSUPPORTED,
				.loop = -1,
				.stmt = s,
				.text = "the operator is not known here",
				.remedy = "use another one" });
		break;
	}
	return LT_EUNSUPPORTED;
}

#define FAULTY(name_, ...) \
	static const struct lt_backend faulty = { .size = sizeof(struct lt_backend), \
		.abi = LT_ABI, \
		.build = LT_BUILD, \
		.name = name_, \
		.summary = "ref with a fault", \
		.version = "1", \
		.score = plain_score, \
		.open = plain_open, \
		.close = plain_close, \
		.caps = plain_caps, \
		.accepts = plain_accepts, \
		.compile = plain_compile, \
		.run = plain_run, \
		.sync = plain_sync, \
		.destroy = plain_destroy, \
		.need = plain_need, \
		__VA_ARGS__ }; \
	LT_BACKEND(faulty)
#endif
