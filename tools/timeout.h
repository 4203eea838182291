/* tools/timeout.h -- the value of --cc-timeout, alike in all tools. */
#ifndef LT_TOOLS_TIMEOUT_H
#define LT_TOOLS_TIMEOUT_H
#include <stdint.h>
#include <stdlib.h>

#define LT_TIMEOUT_WORDS "seconds, more than 0 and at most 1000000"

/* For lt_options.cc_timeout_ms; 0: it is no such number. */
static inline uint32_t lt__timeout_read(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0) || seconds > 1e6)
		return 0;
	return seconds * 1e3 < 1 ? 1 : (uint32_t)(seconds * 1e3);
}
#endif
