/* arguments.c -- whether what a host hands to a run fits the tree. */
#include "backends/backends.h"
#include "kernel/form/form.h"

lt_status lt__check_arguments(
	const struct lt_tree *t, const struct lt_args *args, int64_t workspace_bytes, struct lt_diag *diag)
{
	const char *name = t->name ? t->name : "?";
	if (args->n_slot != (uint32_t)t->n_slot)
		return lt__report(diag, LT_EINVAL, -1, -1, NULL, "kernel %s takes %d buffers, %u were given", name,
			(int)t->n_slot, (unsigned)args->n_slot);
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		const int64_t bytes = b->elems * LT_AT(struct lt_type, t->types, b->type)->bytes;
		if (b->slot >= 0 && args->slot[b->slot].bytes < bytes)
			return lt__report(diag, LT_EINVAL, -1, -1, NULL, "kernel %s: buffer %s has %lld bytes and needs %lld", name,
				b->name ? b->name : "?", (long long)args->slot[b->slot].bytes, (long long)bytes);
	}
	if (workspace_bytes && !args->workspace)
		return lt__report(diag, LT_EINVAL, -1, -1, NULL, "kernel %s needs a workspace of %lld bytes", name,
			(long long)workspace_bytes);
	return LT_OK;
}

lt_status lt__check_addresses(const struct lt_tree *t, const struct lt_args *args, struct lt_diag *diag)
{
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		const struct lt_slot *slot = b->slot < 0 ? NULL : &args->slot[b->slot];
		const uint64_t at = slot ? (uint64_t)(uintptr_t)slot->base + (uint64_t)slot->offset : 0;
		if (b->align > 1 && at % (uint64_t)b->align)
			return lt__report(diag, LT_EINVAL, -1, -1,
				"give memory that begins there (what the device's driver hands out does), or a copy in such memory",
				"kernel %s: buffer %s lies at address 0x%llx of the device, which is no multiple of %lld bytes",
				t->name ? t->name : "?", b->name ? b->name : "?", (unsigned long long)at, (long long)b->align);
	}
	return LT_OK;
}
