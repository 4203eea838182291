/* function.h -- functions of one value, element by element, that are graphs of operators: rows of
 * function.def. */
#ifndef LT_IR_BUILD_FUNCTION_H
#define LT_IR_BUILD_FUNCTION_H
#include "ir/graph/graph.h"

enum { LT_FUNCTION_OPERATOR = 1, LT_FUNCTION_RECURRENT = 2 };
enum { LT_FUNCTION_NUMBERS = 2 };
/* x of a float type that is computed with. */
typedef lt_node lt_function_build(struct lt_graph *, lt_node x, double a, double b);
struct lt_function {
	const char *name;
	int where;
	const char *number[LT_FUNCTION_NUMBERS];        /* "alpha"; "": it takes none */
	double otherwise[LT_FUNCTION_NUMBERS];
	lt_function_build *build;
};

/* The row of a name (any case) that is for `where`; NULL: there is none. */
const struct lt_function *lt__function_find(int where, const char *name, size_t bytes);
/* Widens half types, and rounds back to x's type. */
lt_node lt__build_function(struct lt_graph *, const struct lt_function *, lt_node x, double a, double b);

#define FUNCTION(name, where, first, a, second, b, pattern, doc) lt_function_build lt__function_##name;
#include "ir/build/function.def"
#endif
