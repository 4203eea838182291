/* own.h -- kernels of one's own in a program of their own, with sanitizers; own.c lists the cases. */
#ifndef LT_TOOLS_CHECK_OWN_H
#define LT_TOOLS_CHECK_OWN_H
struct check_clause;
extern const struct check_clause lt__check_own_sanitized;
#endif
