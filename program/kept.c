/* program/kept.c -- compiled kernels from the cache on disk, for backends that can save and load theirs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "program/cache.h"
#include "program/kept.h"

#ifndef LT_VERSION                      /* of the library: the Makefile's */
#define LT_VERSION "0"
#endif

static void append(struct lt_growing *b, const void *data, size_t bytes)
{
	if (!b->failed && b->room - b->n < bytes) {
		size_t room = 2 * (b->n + bytes) + 1024;
		char *at = realloc(b->at, room);
		b->failed = !at;
		b->at = at ? at : b->at;
		b->room = at ? room : b->room;
	}
	if (b->failed || !bytes)
		return;
	memcpy(b->at + b->n, data, bytes);
	b->n += bytes;
}

static void write_bytes(void *user, const char *text, size_t bytes) { append(user, text, bytes); }
static void append_text(struct lt_growing *b, const char *text) { append(b, text, text ? strlen(text) : 0); }

lt_status lt__kept_open(struct lt_kept *k, struct lt_program *p, const struct lt_choice *c)
{
	const struct lt_backend *b = c->backend;
	char text[256];
	*k = (struct lt_kept){ .backend = b, .session = c->session, .dir = p->options.cache_dir };
	if (!k->dir || !LT_HAS(struct lt_backend, b, identity) || !LT_HAS(struct lt_backend, b, save) || !LT_HAS(struct lt_backend, b, load))
		return LT_OK;
	struct lt_told told;
	lt__told_init(&told);
	(void)snprintf(text, sizeof text, "looptree %s build %u\nbackend ", LT_VERSION, (unsigned)LT_BUILD);
	append_text(&k->start, text);
	append_text(&k->start, b->name);
	append_text(&k->start, " ");
	append_text(&k->start, b->version);
	append_text(&k->start, "\nconfig ");
	append_text(&k->start, c->config);
	append_text(&k->start, "\nidentity\n");
	lt_status st = b->identity(c->session, write_bytes, &k->start, &told.diag);
	k->on = st == LT_OK && !k->start.failed;
	if (st && st != LT_EUNSUPPORTED)
		return lt_fail(p->ctx, st, "backend %s: %s", b->name, lt__told_reason(&told, st, b->name, "identity"));
	return LT_OK;
}

void lt__kept_close(struct lt_kept *k)
{
	free(k->start.at);
	free(k->key.at);
	free(k->saved.at);
	*k = (struct lt_kept){ 0 };
}

/* Operators go by description: another source under the same name is other code; so is another prelude. */
static bool make_key(struct lt_kept *k, const struct lt_tree *t)
{
	char text[64];
	k->key.n = 0;
	append(&k->key, k->start.at, k->start.n);
	append_text(&k->key, "\noperators\n");
	for (uint32_t i = 0; i < t->ops.n; i++) {
		append_text(&k->key, LT_AT(struct lt_op, t->ops, i)->name);
		append_text(&k->key, " ");
		append_text(&k->key, LT_AT(struct lt_op, t->ops, i)->source);
		append_text(&k->key, "\n");
	}
	size_t prelude = t->prelude ? strlen(t->prelude) : 0;
	(void)snprintf(text, sizeof text, "prelude %016llx\ntree\n", (unsigned long long)(prelude ? XXH3_64bits(t->prelude, prelude) : 0));
	append_text(&k->key, text);
	append_text(&k->key, t->text);
	return !k->key.failed;
}

struct lt_object *lt__kept_load(struct lt_kept *k, const struct lt_tree *t)
{
	struct lt_object *object = NULL;
	size_t bytes;
	char *data = k->on && make_key(k, t) ? lt__cache_read(k->dir, LT_ENTRY_OBJECT, k->key.at, k->key.n, &bytes) : NULL;
	if (data && k->backend->load(k->session, t, data, bytes, &object, NULL))
		object = NULL;                  /* none of its bytes, it says: compiled anew, and replaced */
	free(data);
	return object;
}

void lt__kept_save(struct lt_kept *k, const struct lt_tree *t, const struct lt_object *object)
{
	k->saved.n = 0;
	if (k->on && make_key(k, t) && !k->backend->save(object, write_bytes, &k->saved, NULL) && !k->saved.failed)
		lt__cache_write(k->dir, LT_ENTRY_OBJECT, k->key.at, k->key.n, k->saved.at, k->saved.n);
}
