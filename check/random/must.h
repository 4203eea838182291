/* must.h -- what test code that is also linked without a test framework asks for: a sentence, and the end of the
 * program.
 *
 * Inside of a Criterion test the end of the program is a failure of that test alone.
 */
#ifndef LT_CHECK_RANDOM_MUST_H
#define LT_CHECK_RANDOM_MUST_H
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 3, 4), noreturn)) static inline void must_end(
	const char *file, int line, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	(void)fprintf(stderr, "%s:%d: ", file, line);
	(void)vfprintf(stderr, fmt, list);
	(void)fputc('\n', stderr);
	va_end(list);
	abort();
}

#define must(holds, ...) ((holds) ? (void)0 : must_end(__FILE__, __LINE__, __VA_ARGS__))

/* A number from the environment. */
static inline uint64_t must_number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* How many of n random cases are drawn: the number that the environment has by that name, else LT_DRAWS percent of n,
 * one at the least. */
static inline uint64_t must_draws(const char *name, uint64_t n)
{
	const uint64_t share = n * must_number("LT_DRAWS", 100) / 100;
	return must_number(name, share ? share : 1);
}
#endif
