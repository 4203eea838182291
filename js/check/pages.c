/* pages.c -- tools/check/pages.c where memory has no pages: what is closed is filled with bytes that are no address and
 * no number of anything, and what is sealed is looked at again when it is opened or closed.
 * Who only reads what is closed goes on with those bytes, so that what he does by them has to show.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/check/check.h"

enum { MAX_BYTES = 4 << 20, CLOSED = 0xA5 };
/* Before the bytes: the hash of those that are sealed, and how many there are. */
struct sealed { uint64_t hash; size_t n; char at[]; };

static struct sealed *sealed_of(const struct check_pages *p)
{
	return (struct sealed *)(void *)(p->at - offsetof(struct sealed, at));
}

/* Who writes where nobody may crashes elsewhere; here he is found out later. */
static void look(struct check_pages *p)
{
	struct sealed *s = sealed_of(p);

	if (s->n > 0 && s->hash != lt__check_hash(p->at, s->n, 0)) {
		(void)fprintf(stderr, "what is only lent was written to\n");
		abort();
	}
	s->n = 0;
}

bool lt__check_pages_new(struct check_pages *p)
{
	struct sealed *s = malloc(sizeof *s + MAX_BYTES);

	*p = (struct check_pages){ .at = s ? s->at : NULL };
	if (s)
		s->n = 0;
	return s != NULL;
}

void lt__check_pages_free(struct check_pages *p)
{
	if (p->at)
		free(sealed_of(p));
	*p = (struct check_pages){ 0 };
}

void lt__check_pages_open(struct check_pages *p)
{
	look(p);
	p->n = 0;
}

void lt__check_pages_seal(struct check_pages *p)
{
	struct sealed *s = sealed_of(p);

	s->n = p->n;
	s->hash = lt__check_hash(p->at, s->n, 0);
}

void lt__check_pages_close(struct check_pages *p)
{
	look(p);
	memset(p->at, CLOSED, p->n);
}

void *lt__check_pages_take(struct check_pages *p, const void *from, size_t bytes)
{
	const size_t at = (p->n + 15) / 16 * 16;

	if (bytes > MAX_BYTES - at) {
		p->full = true;
		return NULL;
	}
	p->n = at + bytes;
	if (from && bytes)
		memcpy(p->at + at, from, bytes);
	return p->at + at;
}

bool lt__check_between_pages(struct check_block *b, size_t align, bool before)
{
	(void)b, (void)align, (void)before;
	return false;
}

void lt__check_between_pages_free(struct check_block *b) { (void)b; }

/* What a child has there when it ends its parent has, too. */
__attribute__((import_module("page"), import_name("share"))) void page_share(void *at, size_t bytes);

void *lt__check_shared(size_t bytes)
{
	void *at = calloc(1, bytes);

	if (at)
		page_share(at, bytes);
	return at;
}
