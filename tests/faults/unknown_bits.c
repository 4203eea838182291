/* unknown_bits.c -- says that it understands every feature there will ever be. */
#include "tests/faults/fault.h"

static const struct lt_caps *caps(const struct lt_session *s)
{
	static _Thread_local struct lt_caps all;
	const struct lt_caps *known = plain_caps(s);
	memset(&all, 0, sizeof all);
	memcpy(&all, known, known->size < sizeof all ? known->size : sizeof all);
	all.understands = ~UINT64_C(0);
	return &all;
}
FAULTY("unknown_bits", .caps = caps)
