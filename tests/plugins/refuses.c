/* refuses.c -- one of another version, as LT_BACKEND makes it: it gives no table. */
#include "null.h"
const struct lt_backend *lt_backend_entry(uint32_t host_abi);
LT_API const struct lt_backend *lt_backend_entry(uint32_t host_abi)
{
	static const struct lt_backend table = NULL_BACKEND(.name = "refuses");
	return host_abi >> 16 == LT_ABI_MAJOR + 1 ? &table : NULL;
}
