/* plain.c -- see plain.h. */
#include <stdint.h>
#include "base/plain.h"

/* Characters that terminals act upon, or that make a line look like another one. */
static const struct { uint32_t first, last; } acting[] = {
	{ 0x00, 0x1f }, { 0x7f, 0x9f },                         /* C0, DEL and C1 */
	{ 0x061c, 0x061c }, { 0x200e, 0x200f },                 /* marks of direction */
	{ 0x2028, 0x202e }, { 0x2066, 0x2069 },                 /* ends of line and paragraph; embeddings, isolates */
	{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb },                 /* no width, no break; annotations */
	{ 0xe0000, 0xe007f },                                   /* tags */
};

/* Its code point, UINT32_MAX: no UTF-8. */
static uint32_t decode(const unsigned char *at, size_t n, size_t *bytes)
{
	static const uint32_t min[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const size_t length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;
	uint32_t c = length == 1 ? at[0] : at[0] & (0x7fu >> length);

	*bytes = 1;
	if (length == 0 || length > n)
		return UINT32_MAX;
	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return UINT32_MAX;
		c = c << 6 | (at[i] & 0x3f);
	}
	if (c < min[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return UINT32_MAX;
	*bytes = length;
	return c;
}

size_t lt__plain_next(const char *text, size_t n, bool *plain)
{
	size_t bytes;
	uint32_t c = decode((const unsigned char *)text, n, &bytes);

	*plain = c != UINT32_MAX;
	for (size_t i = 0; *plain && i < sizeof acting / sizeof *acting; i++)
		*plain = c < acting[i].first || c > acting[i].last;
	return bytes;
}
