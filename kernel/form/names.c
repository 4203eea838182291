/* names.c -- what a name in the text of a kernel program stands for (form.h).
 *
 * A tree that forks at the first bit in which two names differ, bits counted from the first byte's highest; behind its
 * end a name has zeros.  No choice of names makes a path longer than a name has bits.
 */
#include <string.h>
#include "kernel/form/form.h"

bool lt__kernel_is_name(const char *name, size_t bytes)
{
	if (bytes == 0 || bytes > LT_MAX_NAME || *name == '.' || (*name >= '0' && *name <= '9'))
		return false;
	for (size_t i = 0; i < bytes; i++) {
		char c = name[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.'))
			return false;
	}
	return true;
}

static unsigned byte_at(const char *name, size_t bytes, size_t i) { return i < bytes ? (unsigned char)name[i] : 0; }
static int bit_at(const char *name, size_t bytes, uint32_t bit)
{
	return byte_at(name, bytes, bit / 8) >> (7 - bit % 8) & 1;
}

/* The one name that may be this one.  There is a name. */
static int32_t closest(const struct lt_kernel_names *s, const char *name, size_t bytes)
{
	int32_t at = s->n > 1 ? 0 : ~0;
	while (at >= 0)
		at = s->fork[at].child[bit_at(name, bytes, s->fork[at].bit)];
	return ~at;
}

int32_t lt__kernel_name_find(const struct lt_kernel_names *s, const char *name, size_t bytes)
{
	if (s->n == 0)
		return -1;
	const struct lt_kernel_name *x = &s->name[closest(s, name, bytes)];
	return x->bytes == bytes && memcmp(x->at, name, bytes) == 0 ? x->value : -1;
}

static void names_grow(struct lt_kernel_names *s)
{
	int32_t cap = s->cap ? s->cap * 2 : 64;
	struct lt_kernel_name *name = lt__pool_alloc(s->pool, (size_t)cap, sizeof *name);
	struct lt_name_fork *fork = lt__pool_alloc(s->pool, (size_t)cap, sizeof *fork);
	if (s->n) {
		memcpy(name, s->name, (size_t)s->n * sizeof *name);
		memcpy(fork, s->fork, (size_t)s->n * sizeof *fork);
	}
	s->name = name;
	s->fork = fork;
	s->cap = cap;
}

/* Fork n - 1 is that of name n: the first name has none, and fork 0 is the root. */
void lt__kernel_name_add(struct lt_kernel_names *s, const char *name, size_t bytes, int32_t value)
{
	if (s->n == s->cap)
		names_grow(s);
	int32_t leaf = s->n++;
	s->name[leaf] = (struct lt_kernel_name){ name, bytes, value };
	if (leaf == 0)
		return;
	const struct lt_kernel_name *near = &s->name[leaf == 1 ? 0 : closest(&(struct lt_kernel_names){ .name = s->name,
		.fork = s->fork, .n = leaf }, name, bytes)];
	size_t i = 0;
	while (byte_at(near->at, near->bytes, i) == byte_at(name, bytes, i))
		i++;
	unsigned differ = byte_at(near->at, near->bytes, i) ^ byte_at(name, bytes, i);
	uint32_t bit = (uint32_t)i * 8 + (uint32_t)__builtin_clz(differ) - 24;
	int side = bit_at(name, bytes, bit);
	struct lt_name_fork made = { bit, { ~leaf, ~leaf } };
	/* Above the first fork that asks for a later bit; the root stays fork 0, so what it was moves. */
	int32_t *from = NULL, at = leaf == 1 ? ~0 : 0;
	while (at >= 0 && s->fork[at].bit < bit) {
		from = &s->fork[at].child[bit_at(name, bytes, s->fork[at].bit)];
		at = *from;
	}
	int32_t fork = leaf - 1;
	if (!from && fork > 0) {
		s->fork[fork] = s->fork[0];
		at = fork;
		fork = 0;
	}
	made.child[!side] = at;
	s->fork[fork] = made;
	if (from)
		*from = fork;
}
