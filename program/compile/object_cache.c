/* object_cache.c -- compiled kernels from the cache on disk, for backends that can save and load theirs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "program/compile/object_cache.h"
#include "program/nest/nest.h"

#ifndef LT_VERSION                      /* of the library: the Makefile's */
#define LT_VERSION "0"
#endif

static void append(struct lt_growing *b, const void *data, size_t bytes)
{
	if (!b->failed && b->cap - b->n < bytes) {
		size_t cap = 2 * (b->n + bytes) + 1024;
		char *at = realloc(b->at, cap);
		b->failed = !at;
		b->at = at ? at : b->at;
		b->cap = at ? cap : b->cap;
	}
	if (b->failed || !bytes)
		return;
	memcpy(b->at + b->n, data, bytes);
	b->n += bytes;
}

static void write_bytes(void *user, const char *text, size_t bytes) { append(user, text, bytes); }
static void append_text(struct lt_growing *b, const char *text) { append(b, text, text ? strlen(text) : 0); }

lt_status lt__object_cache_open(struct lt_object_cache *k, struct lt_services *s, const struct lt_opened *c)
{
	static const char own[] = "config ";    /* it says itself what of the config matters */
	const struct lt_backend *b = c->backend;
	char text[256];
	*k = (struct lt_object_cache){ .backend = b, .session = c->session, .cache = &s->cache };
	if (!s->options->cache_dir || !LT_HAS(struct lt_backend, b, identity) || !LT_HAS(struct lt_backend, b, save)
		|| !LT_HAS(struct lt_backend, b, load))
		return LT_OK;
	if (s->cache.fd < 0) {
		if (s->cache_why)
			lt__cache_warn(&s->cache, "%s", s->cache_why);
		return LT_OK;
	}
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	(void)snprintf(text, sizeof text, "looptree %s build %u\nbackend ", LT_VERSION, (unsigned)LT_BUILD);
	append_text(&k->start, text);
	append_text(&k->start, b->name);
	append_text(&k->start, " ");
	append_text(&k->start, b->version);
	lt_status st = b->identity(c->session, write_bytes, &k->key, &diags.diag);
	k->on = st == LT_OK;
	if (k->key.n < sizeof own - 1 || memcmp(k->key.at, own, sizeof own - 1) != 0) {
		append_text(&k->start, "\nconfig ");
		append_text(&k->start, c->config);
	}
	append_text(&k->start, "\nidentity\n");
	append(&k->start, k->key.at, k->key.n);
	if (k->start.failed || k->key.failed)
		return lt_fail(s->ctx, LT_ENOMEM, "out of memory");
	if (st && st != LT_EUNSUPPORTED)
		return lt_fail(s->ctx, st, "backend %s: %s", b->name, lt__diagnostic_reason(&diags, st, b->name, "identity"));
	return LT_OK;
}

void lt__object_cache_close(struct lt_object_cache *k)
{
	free(k->start.at);
	free(k->key.at);
	free(k->saved.at);
	*k = (struct lt_object_cache){ 0 };
}

/* Operators and types go by description: another source, or another type in C, under the same name is other code; so is
 * another prelude. */
void lt__object_cache_tree(struct lt_growing *b, const struct lt_tree *t)
{
	char text[160];
	append_text(b, "\noperators\n");
	for (uint32_t i = 0; i < t->ops.n; i++) {
		const struct lt_op *op = LT_AT(struct lt_op, t->ops, i);
		append_text(b, op->name);
		(void)snprintf(text, sizeof text, " %d %u:%u:%u>%u %llx ", (int)op->arity, op->in[0], op->in[1], op->in[2], op->out,
			(unsigned long long)op->identity);
		append_text(b, text);
		append_text(b, op->source);
		append_text(b, "\n");
	}
	append_text(b, "types\n");
	for (uint32_t i = 0; i < t->types.n; i++) {
		const struct lt_type *type = LT_AT(struct lt_type, t->types, i);
		append_text(b, type->name);
		append_text(b, " ");
		append_text(b, type->ctype);
		(void)snprintf(text, sizeof text, " %u %u\n", (unsigned)type->dtype, (unsigned)type->bytes);
		append_text(b, text);
	}
	size_t prelude = t->prelude ? strlen(t->prelude) : 0;
	(void)snprintf(text, sizeof text, "prelude %016llx\ntree\n",
		(unsigned long long)(prelude ? XXH3_64bits(t->prelude, prelude) : 0));
	append_text(b, text);
	append_text(b, t->text);
}

/* False: no memory. */
static bool make_key(struct lt_object_cache *k, const struct lt_tree *t)
{
	k->key.n = 0;
	append(&k->key, k->start.at, k->start.n);
	lt__object_cache_tree(&k->key, t);
	return !k->key.failed;
}

/* Out of memory is no miss: that would be compiled in silence. */
lt_status lt__object_cache_load(struct lt_object_cache *k, const struct lt_tree *t, struct lt_object **out)
{
	size_t bytes;
	lt_status st = LT_OK;
	*out = NULL;
	if (!k->on)
		return LT_OK;
	if (!make_key(k, t))
		return LT_ENOMEM;
	errno = 0;
	char *data = lt__cache_read(k->cache, LT_ENTRY_OBJECT, k->key.at, k->key.n, &bytes);
	if (!data)
		return errno == ENOMEM ? LT_ENOMEM : LT_OK;
	st = k->backend->load(k->session, t, data, bytes, out, NULL);
	free(data);
	if (st)
		*out = NULL;
	return st == LT_ENOMEM ? st : LT_OK;            /* none of its bytes, it says: compiled again, and replaced */
}

lt_status lt__object_cache_save(struct lt_object_cache *k, const struct lt_tree *t, const struct lt_object *object)
{
	k->saved.n = 0;
	if (!k->on)
		return LT_OK;
	if (!make_key(k, t))
		return LT_ENOMEM;
	lt_status st = k->backend->save(object, write_bytes, &k->saved, NULL);
	if (st == LT_ENOMEM || k->saved.failed)
		return LT_ENOMEM;
	if (!st)
		lt__cache_write(k->cache, LT_ENTRY_OBJECT, k->key.at, k->key.n, k->saved.at, k->saved.n);
	return LT_OK;
}
