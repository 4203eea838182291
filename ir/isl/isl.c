/* isl.c -- isl's contexts and numbers, for all that asks isl. */
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/val.h>
#include "base/arena.h"
#include "ir/isl/isl.h"

lt_give isl_ctx *lt__isl_open(struct lt_context *of, int64_t operations)
{
	isl_ctx *ctx = isl_ctx_alloc();

	of->labour.isl++;
	if (!ctx)
		return NULL;
	isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
	isl_ctx_set_max_operations(ctx, (unsigned long)operations);
	return ctx;
}

lt_give isl_set *lt__isl_nonnegative(lt_take isl_aff *aff) { return isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(aff)); }

bool lt__isl_number(lt_take isl_val *v, int64_t *out)
{
	bool fits = isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, INT64_MAX) <= 0
		&& isl_val_cmp_si(v, INT64_MIN + 1) >= 0;

	*out = fits ? isl_val_get_num_si(v) : 0;
	isl_val_free(v);
	return fits;
}
