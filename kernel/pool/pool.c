/* pool.c -- scratch memory, text and name sets of one emission. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "kernel/pool/pool.h"

enum { BLOCK = 16384 };
_Static_assert(sizeof(struct lt_poolblock) <= 32, "the header fits before the first allocation");

void *lt__pool_alloc(struct lt_pool *p, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes) || __builtin_add_overflow(bytes, (size_t)15, &bytes))
		longjmp(p->jump, 1);
	bytes &= ~(size_t)15;
	if (!p->block || p->block->bytes - p->block->used < bytes) {
		size_t room = bytes > BLOCK ? bytes : BLOCK;
		struct lt_poolblock *b = room > SIZE_MAX - 32 ? NULL : calloc(1, room + 32);
		if (!b)
			longjmp(p->jump, 1);
		b->next = p->block;
		b->bytes = room;
		p->block = b;
	}
	char *at = (char *)p->block + 32 + p->block->used;
	p->block->used += bytes;
	return at;
}

void lt__pool_free(struct lt_pool *p)
{
	while (p->block) {
		struct lt_poolblock *next = p->block->next;
		free(p->block);
		p->block = next;
	}
}

void *lt__pool_grown(struct lt_pool *p, void *at, int32_t n, int32_t *cap, size_t size)
{
	if (n < *cap)
		return at;
	if (*cap > INT32_MAX / 2)
		longjmp(p->jump, 1);
	*cap = *cap ? *cap * 2 : 16;
	void *more = lt__pool_alloc(p, (size_t)*cap, size);
	if (n)
		memcpy(more, at, (size_t)n * size);
	return more;
}

void lt__out_bytes(struct lt_out *o, const char *text, size_t n)
{
	if (o->cap - o->n <= n) {
		size_t cap = (o->n + n + 1) * 2;
		char *at = lt__pool_alloc(o->pool, cap, 1);
		memcpy(at, o->at, o->n);
		o->at = at;
		o->cap = cap;
	}
	memcpy(o->at + o->n, text, n);
	o->n += n;
	o->at[o->n] = '\0';
}

void lt__out(struct lt_out *o, const char *text) { lt__out_bytes(o, text, strlen(text)); }

void lt__outf(struct lt_out *o, const char *fmt, ...)
{
	char some[256], *text = some;
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(some, sizeof some, fmt, ap);
	va_end(ap);
	if (n < 0)
		longjmp(o->pool->jump, 1);
	if ((size_t)n >= sizeof some) {
		text = lt__pool_alloc(o->pool, (size_t)n + 1, 1);
		va_start(ap, fmt);
		(void)vsnprintf(text, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	lt__out_bytes(o, text, (size_t)n);
}

/* Where name is, or the free place where it would be. */
static size_t nameset_slot(const struct lt_nameset *s, const char *name)
{
	const uint64_t h = lt__hash_more(LT_HASH_BEGIN, name, strlen(name));
	size_t i = (size_t)(h ^ h >> 32) & (s->cap - 1);
	while (s->name[i] && strcmp(s->name[i], name) != 0)
		i = (i + 1) & (s->cap - 1);
	return i;
}

int lt__nameset_find(const struct lt_nameset *s, const char *name)
{
	return s->cap ? s->tag[nameset_slot(s, name)] : 0;
}

void lt__nameset_add(struct lt_nameset *s, const char *name, int tag)
{
	if (s->n * 2 >= s->cap) {
		struct lt_nameset old = *s;
		s->cap = old.cap ? old.cap * 2 : 256;
		s->name = lt__pool_alloc(s->pool, s->cap, sizeof *s->name);
		s->tag = lt__pool_alloc(s->pool, s->cap, 1);
		for (size_t i = 0; i < old.cap; i++)
			if (old.name[i]) {
				size_t to = nameset_slot(s, old.name[i]);
				s->name[to] = old.name[i];
				s->tag[to] = old.tag[i];
			}
	}
	size_t i = nameset_slot(s, name);
	s->n += !s->name[i];
	s->name[i] = name;
	s->tag[i] = (uint8_t)tag;
}
