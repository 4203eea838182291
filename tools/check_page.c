/* tools/check_page.c -- slots right before and right after memory that cannot be touched: whoever reads beside one
 * crashes. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tools/check_parts.h"

struct page { void *map; size_t bytes; };

/* The block moves to pages of its own, of which the one right after its data is closed, or the one right before them.
 * Its alignment, which is the lowest bit of where its data begin, stays where they end at a page, so that a few bytes
 * may be left after the data of a slot that asks for more than its elements do; where they begin at a page they are
 * aligned better than they need be, which other cases try. */
static bool write_beside_closed_page(struct check_block *b, struct page *p, bool before)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), align = b->at & (~b->at + 1),
	       rest = before ? 0 : (align - b->bytes % align) % align;
	size_t at = before ? 0 : b->at, total = at + b->bytes + rest + (before ? CHECK_GUARD : 0);
	p->bytes = (total + page - 1) / page * page + page;
	p->map = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->map == MAP_FAILED || mprotect((char *)p->map + (before ? 0 : p->bytes - page), page, PROT_NONE))
		return false;
	free(b->block);
	*b = (struct check_block){ .block = (unsigned char *)p->map + (before ? page : p->bytes - page - total),
		.at = at,
		.bytes = b->bytes,
		.total = before ? p->bytes - page : total };
	return true;
}

static bool run_beside(struct check_work *w, const struct check_trial *t, bool before)
{
	struct check_guarded room;
	bool good = true;
	lt__check_guarded_new(w, 0, &room);
	struct page *pages = calloc((size_t)room.n + 1, sizeof *pages);
	for (int32_t i = 0; good && i < room.n; i++)
		good = (pages && room.block[i].block && write_beside_closed_page(&room.block[i], &pages[i], before))
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
	return run_beside(w, t, false) && run_beside(w, t, true);
}

/* Padded and joined operands among them: pieces that are not chosen lie beside their buffers. */
void lt__check_slots_page(struct check_device *d, const struct check_case *c, struct check_outcome *out)
{
	lt__check_samples(d, c, out, CHECK_S_ALL | CHECK_S_PIECES, page);
}
