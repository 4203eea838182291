/* tools/check_page.c -- slots right before and right behind memory that cannot be touched: whoever reads beside one crashes. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tools/check_parts.h"

struct page { void *map; size_t bytes; };

/* The block moves to pages of its own, behind which one is closed.  Its alignment, which is the lowest bit of where its data begin, stays, so
 * that a few bytes may be left behind the data of a slot that asks for more than its elements do. */
static bool put_before_closed_page(struct check_block *b, struct page *p)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), align = b->at & (~b->at + 1), rest = (align - b->bytes % align) % align;
	p->bytes = (b->at + b->bytes + rest + page - 1) / page * page + page;
	p->map = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->map == MAP_FAILED || mprotect((char *)p->map + p->bytes - page, page, PROT_NONE))
		return false;
	free(b->block);
	b->total = b->at + b->bytes + rest;
	b->block = (unsigned char *)p->map + p->bytes - page - b->total;
	return true;
}

/* The block's data begin where its pages do, behind one that is closed: aligned better than they need be, which other cases try. */
static bool put_behind_closed_page(struct check_block *b, struct page *p)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	p->bytes = (b->bytes + CHECK_GUARD + page - 1) / page * page + page;
	p->map = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->map == MAP_FAILED || mprotect(p->map, page, PROT_NONE))
		return false;
	free(b->block);
	b->at = 0;
	b->total = p->bytes - page;
	b->block = (unsigned char *)p->map + page;
	return true;
}

static bool run_beside(struct check_work *w, const struct check_trial *t, bool (*put)(struct check_block *, struct page *))
{
	struct check_guarded room;
	bool good = true;
	lt__check_guarded_new(w, 0, &room);
	struct page *pages = calloc((size_t)room.n + 1, sizeof *pages);
	for (int32_t i = 0; good && i < room.n; i++)
		good = (pages && room.block[i].block && put(&room.block[i], &pages[i]))
			|| lt__check_end(w->out, CHECK_FAILED, "no memory for %zu bytes", room.block[i].total);
	good = good && lt__check_guarded_run(&room, t, 0x5A, 0x5A, 1) && lt__check_guarded_judge(&room, t);
	for (int32_t i = 0; pages && i < room.n; i++)
		if (pages[i].map && pages[i].map != MAP_FAILED) {
			(void)munmap(pages[i].map, pages[i].bytes);
			room.block[i].block = NULL;
		}
	free(pages);
	lt__check_guarded_free(&room);
	return good;
}

static bool page(struct check_work *w, const struct check_trial *t)
{
	if (LT_HAS(struct lt_caps, w->device->caps, device_memory))
		return lt__check_end(w->out, CHECK_SKIPPED, "its memory is the device's");
	return run_beside(w, t, put_before_closed_page) && run_beside(w, t, put_behind_closed_page);
}

/* Padded and joined operands among them: pieces that are not chosen lie beside their buffers. */
void lt__check_slots_page(struct check_device *d, const struct check_case *c, struct check_outcome *out)
{
	lt__check_samples(d, c, out, CHECK_S_ALL | CHECK_S_PIECES, page);
}
