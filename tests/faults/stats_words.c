/* stats_words.c -- a dump of statistics with a line that ends in no number. */
#include "tests/faults/fault.h"

static lt_status dump(const struct lt_object *o, enum lt_dump kind, lt_write *write, void *user)
{
	static const char text[] = "parallel 1\nflags -O2\n";
	(void)o;
	if (kind != LT_DUMP_STATS)
		return LT_EUNSUPPORTED;
	write(user, text, sizeof text - 1);
	return LT_OK;
}
FAULTY("stats_words", .dump = dump)
