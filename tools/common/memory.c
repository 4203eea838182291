/* memory.c -- how much memory the machine has. */
#include <unistd.h>
#include "tools/common/common.h"

bool lt__memory_lacks(double bytes, double *has)
{
	*has = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
	return *has > 0 && bytes > *has;
}
