/* names.c -- a hash table from strings to a number: open addressing, linear probing, no removal. */
#include <string.h>
#include "base/hash.h"
#include "base/names.h"

#ifndef LT_NAMES_SLOTS
#define LT_NAMES_SLOTS 16       /* a power of two; test builds use 2 */
#endif

struct name {
	const char *text;               /* NULL: a free slot */
	size_t bytes;
	uint64_t hash;
	int32_t value;
	int32_t next;                   /* number after the next name made from this one */
};
struct lt_names {
	struct lt_arena *arena;
	struct name *slot;
	size_t n_slot, n_used;
};

struct lt_names *lt__names_new(struct lt_arena *arena)
{
	struct lt_names *names = LT_NEW(arena, struct lt_names, 1);

	names->arena = arena;
	names->slot = LT_NEW(arena, struct name, LT_NAMES_SLOTS);
	names->n_slot = LT_NAMES_SLOTS;
	return names;
}

static uint64_t hash_of(const char *text, size_t bytes)
{
	const uint64_t hash = lt__hash_more(LT_HASH_BEGIN, text, bytes);
	return hash ^ hash >> 32;
}

/* The slot that holds the text, or the free one where it belongs. */
static struct name *slot_of(const struct lt_names *names, const char *text, size_t bytes, uint64_t hash)
{
	for (size_t i = hash & (names->n_slot - 1);; i = (i + 1) & (names->n_slot - 1)) {
		struct name *s = &names->slot[i];

		if (!s->text || (s->hash == hash && s->bytes == bytes && !memcmp(s->text, text, bytes)))
			return s;
	}
}

/* At most half of the slots are used. */
static void names_grow(struct lt_names *names)
{
	struct name *old = names->slot;
	size_t n_old = names->n_slot;

	names->slot = LT_NEW(names->arena, struct name, n_old * 2);
	names->n_slot = n_old * 2;
	for (size_t i = 0; i < n_old; i++)
		if (old[i].text)
			*slot_of(names, old[i].text, old[i].bytes, old[i].hash) = old[i];
}

int32_t lt__names_find(const struct lt_names *names, const char *text, size_t bytes)
{
	const struct name *s = slot_of(names, text, bytes, hash_of(text, bytes));

	return s->text ? s->value : -1;
}

static struct name *names_insert(struct lt_names *names, const char *text, size_t bytes, int32_t value)
{
	uint64_t hash = hash_of(text, bytes);
	struct name *s = slot_of(names, text, bytes, hash);

	if (!s->text) {
		char *copy = lt__arena_alloc(names->arena, bytes + 1);

		if (bytes)
			memcpy(copy, text, bytes);
		if ((names->n_used + 1) * 2 > names->n_slot) {
			names_grow(names);
			s = slot_of(names, text, bytes, hash);
		}
		*s = (struct name){ .text = copy, .bytes = bytes, .hash = hash, .next = 2 };
		names->n_used++;
	}
	s->value = value;
	return s;
}

const char *lt__names_add(struct lt_names *names, const char *text, size_t bytes, int32_t value)
{
	return names_insert(names, text, bytes, value)->text;
}

const char *lt__names_unique(struct lt_names *names, const char *text, int32_t value)
{
	size_t bytes = strlen(text);
	struct name *base = slot_of(names, text, bytes, hash_of(text, bytes));
	const char *gap = bytes && text[bytes - 1] >= '0' && text[bytes - 1] <= '9' ? "_" : "";
	int32_t number;
	char *made;

	if (!base->text)
		return lt__names_add(names, text, bytes, value);
	for (number = base->next;; number++) {
		made = lt__arena_format(names->arena, "%s%s%d", text, gap, number);
		if (!slot_of(names, made, strlen(made), hash_of(made, strlen(made)))->text)
			break;
	}
	base->next = number + 1;
	return lt__names_add(names, made, strlen(made), value);
}
