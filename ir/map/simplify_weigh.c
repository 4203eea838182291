/* simplify_weigh.c -- how simple a row is: simplify.c and, by isl, affine.c look for a simpler one. */
#include <string.h>
#include "ir/map/simplify.h"

void lt__simplify_weigh(struct lt_simplify *t, const int64_t *row, int32_t *n_div, int32_t *n_term)
{
	*n_div = *n_term = 0;
	memset(t->need, 0, (size_t)t->q.cap_div * sizeof *t->need);
	for (int32_t k = t->q.n_div; k >= 0; k--) {
		const int64_t *at = k == t->q.n_div ? row : t->q.num + (size_t)k * (size_t)t->width;

		if (k < t->q.n_div && !t->need[k])
			continue;
		*n_div += k < t->q.n_div;
		for (int32_t i = 0; i < t->q.n_base + k; i++)
			*n_term += at[i] != 0;
		for (int32_t i = 0; i < k; i++)
			t->need[i] |= at[t->q.n_base + i] != 0;
	}
}
