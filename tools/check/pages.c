/* pages.c -- memory in pages that can be closed, so that whoever touches it then crashes; and memory that processes
 * share.  (js/check/pages.c has the same where memory has no pages.) */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tools/check/check.h"

enum { MAX_BYTES = 32 << 20 };          /* of addresses; pages are taken as they are used */

bool lt__check_pages_new(struct check_pages *p)
{
	*p = (struct check_pages){ .at = mmap(NULL, MAX_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
					   -1, 0) };
	if (p->at == MAP_FAILED)
		p->at = NULL;
	return p->at != NULL;
}

void lt__check_pages_free(struct check_pages *p)
{
	if (p->at)
		(void)munmap(p->at, MAX_BYTES);
	*p = (struct check_pages){ 0 };
}

void lt__check_pages_open(struct check_pages *p)
{
	p->n = 0;
	(void)mprotect(p->at, MAX_BYTES, PROT_READ | PROT_WRITE);
}

void lt__check_pages_seal(struct check_pages *p) { (void)mprotect(p->at, MAX_BYTES, PROT_READ); }

void lt__check_pages_close(struct check_pages *p)
{
	(void)madvise(p->at, MAX_BYTES, MADV_DONTNEED);
	(void)mprotect(p->at, MAX_BYTES, PROT_NONE);
}

void *lt__check_pages_take(struct check_pages *p, const void *from, size_t bytes)
{
	size_t at = (p->n + 15) / 16 * 16;
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
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t at = before ? 0 : b->at, rest = before ? CHECK_GUARD : (align - b->bytes % align) % align,
		total = at + b->bytes + rest;
	b->mapped = (total + page - 1) / page * page + page;
	char *map = mmap(NULL, b->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return false;
	b->map = map;
	b->at = at;
	b->total = before ? b->mapped - page : total;
	b->block = (unsigned char *)map + (before ? page : b->mapped - page - total);
	return !mprotect(map + (before ? 0 : b->mapped - page), page, PROT_NONE);
}

void lt__check_between_pages_free(struct check_block *b) { (void)munmap(b->map, b->mapped); }

void *lt__check_shared(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}
