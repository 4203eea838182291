/* extents.c -- inputs whose extents differ from run to run: a tensor of fewer elements
 * is copied, row by row, into one of the largest extents, which the program reads. */
#include <stdlib.h>
#include <string.h>
#include "ir/op/op.h"
#include "tools/model/binder.h"

bool model_extents_fit(const struct model_binding *p, const struct lt_tensor *t)
{
	bool fits = p->rank == t->rank;

	for (int32_t d = 0; d < p->rank && fits; d++)
		fits = t->shape[d] == p->shape[d] || ((p->extent_from[d] >= 0 || p->sum[d].n) && t->shape[d] < p->shape[d]);
	return fits;
}

bool model_binding_fits(const struct model_binding *p, const struct lt_tensor *t)
{
	bool fits = p->rank == t->rank;

	for (int32_t d = 0; d < p->rank && fits; d++)
		fits = p->shape[d] == t->shape[d];
	return fits;
}

bool model_binding_takes(const struct model_binding *p, const struct lt_tensor *t)
{
	return p->dtype == t->dtype && (model_binding_fits(p, t) || (p->bounded && model_extents_fit(p, t)));
}

int32_t model_extents_check(const struct model_binding *p, const struct lt_tensor *t,
	const struct lt_tensor *const *value,
	int64_t *want)
{
	for (int32_t d = 0; d < p->rank; d++) {
		const struct model_sum *s = &p->sum[d];
		bool known = s->n > 0;

		*want = s->constant;
		for (int32_t k = 0; k < s->n; k++) {
			const struct lt_tensor *x = value[s->from[k]];

			known = known && x && x->dtype == LT_I64 && x->rank == 0;
			*want += known ? s->coef[k] * *(const int64_t *)x->data : 0;
		}
		if (known && t->shape[d] != *want)
			return d;
	}
	return -1;
}

lt_status model_extents_spread(struct lt_context *ctx, const struct model_binding *p, const struct lt_tensor *t,
	struct lt_tensor *out)
{
	const size_t size = lt__dtype_info(p->dtype)->bytes, row = p->rank ? (size_t)t->shape[p->rank - 1] * size : size;
	char *to;

	LT_TRY(lt__tensor_new(ctx, p->name, p->name, p->dtype, p->rank, p->shape, out));
	memset(out->data, 0, out->bytes);
	/* Row by row: `at` is the place of the row's first element where each extent is the most. */
	for (size_t i = 0; i * row < t->bytes; i++) {
		size_t left = i, at = 0, step = p->rank ? (size_t)p->shape[p->rank - 1] * size : size;

		for (int32_t d = p->rank - 2; d >= 0; d--) {
			at += left % (size_t)t->shape[d] * step;
			left /= (size_t)t->shape[d];
			step *= (size_t)p->shape[d];
		}
		to = (char *)out->data + at;
		memcpy(to, (const char *)t->data + i * row, row);
	}
	return LT_OK;
}
