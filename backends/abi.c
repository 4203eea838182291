/* abi.c -- the layout of the backend interface, pinned, so that nothing in it changes without being seen:
 * structs only grow at their ends.  tests/abi/freeze.sh writes the table of a new minor version. */
#include "lt/backend.h"

#if __SIZEOF_POINTER__ == 8
#define MEMBER(type, member, at, bytes) \
	_Static_assert(offsetof(struct type, member) == (at) && sizeof((struct type *)0)->member == (bytes), \
		#type "." #member " has moved");
#define VALUE(name, value) _Static_assert((name) == (value), #name " has another value");
#define SIZE(type, bytes) _Static_assert(sizeof (struct type) == (bytes), #type " has another size");
#include "backends/abi.def"
#endif
_Static_assert(LT_ABI == (1u << 16 | 1u), "a new version has a table of its own");
