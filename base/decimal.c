/* decimal.c -- see decimal.h. */
#define _GNU_SOURCE 1           /* strtod_l */
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "base/decimal.h"

double lt__decimal(const char *text, char **end)
{
	const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	if (end)
		*end = (char *)(uintptr_t)text;
	if (!plain)
		return NAN;
	const double x = strtod_l(text, end, plain);
	freelocale(plain);
	return x;
}
