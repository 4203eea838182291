/* loose.h -- faults that read or write at a wrong place, without harm to the program that looks for them.
 *
 * ref refuses an element outside its buffer; compiled code would take what lies there.  So every buffer of the copy
 * gets as many elements before and after it as it has itself, and a run is one of copies of the slots with such
 * margins, full of 0x41.
 */
#ifndef LT_FAULT_LOOSE_H
#define LT_FAULT_LOOSE_H
#include "tests/faults/fault.h"

static int32_t root_of(const struct copy *c, int32_t b)
{
	while (c->buffer[b].alias_of >= 0)
		b = c->buffer[b].alias_of;
	return b;
}

/* After all other changes of the copy. */
static void loosen(struct copy *c)
{
	uint32_t n = c->t.buffers.n;
	c->margin = allocate(n, sizeof *c->margin);
	for (uint32_t i = 0; i < n; i++) {
		int64_t bytes = (c->buffer[i].elems * c->type[c->buffer[i].type].bytes + 63) & ~(int64_t)63;
		int64_t *margin = &c->margin[root_of(c, (int32_t)i)];
		*margin = bytes > *margin ? bytes : *margin;
	}
	for (uint32_t i = 0; i < n; i++)
		c->margin[i] = c->margin[root_of(c, (int32_t)i)];
	for (uint32_t i = 0; i < c->t.accesses.n; i++) {
		struct lt_access *a = &c->access[i];
		a->row = add_row(c, a->row);
		copy_row(c, a->row)[0] += c->margin[a->buffer] / c->type[c->buffer[a->buffer].type].bytes;
	}
	for (int32_t i = 0; i < c->t.n_param; i++)
		c->param[i].element += c->margin[c->param[i].buffer] / 8;
	for (uint32_t i = 0; i < n; i++)
		c->buffer[i].elems += 2 * c->margin[i] / c->type[c->buffer[i].type].bytes;
}

static lt_status loose_run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	const struct copy *c = o->copy;
	char **block = allocate(c->t.buffers.n, sizeof *block);
	struct lt_slot *slot = allocate(args->n_slot, sizeof *slot);
	struct lt_args inner = *args;
	for (uint32_t i = 0; i < c->t.buffers.n; i++) {
		const struct lt_buffer *b = buffer_at(o, i);
		int32_t root = root_of(c, (int32_t)i);
		if (b->slot < 0)
			continue;
		if (!block[root]) {
			block[root] = allocate((size_t)c->margin[root], 3);
			memset(block[root], 0x41, (size_t)c->margin[root] * 3);
		}
		memcpy(block[root] + c->margin[root], address(args, b), (size_t)bytes_of(o, b));
		slot[b->slot] = (struct lt_slot){ .base = block[root], .bytes = 3 * c->margin[root] };
	}
	inner.slot = slot;
	lt_status status = o->session->table->run(o->ref, &inner, diag);
	for (uint32_t i = 0; i < c->t.buffers.n; i++) {
		const struct lt_buffer *b = buffer_at(o, i);
		if (b->slot >= 0 && b->written)
			memcpy(address(args, b), block[root_of(c, (int32_t)i)] + c->margin[i], (size_t)bytes_of(o, b));
	}
	for (uint32_t i = 0; i < c->t.buffers.n; i++)
		free(block[i]);
	free(block);
	free(slot);
	return status;
}
#endif
