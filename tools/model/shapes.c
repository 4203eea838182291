/* shapes.c -- the shapes that an input has in the files that it will be read from, for a model that does not say them.
 */
#include <stdlib.h>
#include <string.h>
#include "tools/model/model.h"

/* NAME=SPEC or *=SPEC: what stands there; NULL: the option is another input's.  A name may itself hold '='. */
static const char *spec_of(const char *option, const char *name)
{
	const size_t n = strlen(name);

	return !strncmp(option, name, n) && option[n] == '=' ? option + n + 1 :
		!strncmp(option, "*=", 2) ? option + 2 : NULL;
}

/* Files of evaluations were given, and none has the input. */
static lt_status not_there(struct lt_context *ctx, const char *path, const struct lt_tensors *t, const char *input)
{
	return lt_fail(ctx, LT_EMISSING, "%s has no '%s'%s%s%s%s", path, input, t->n ? "; it has '" : "",
		t->n ? t->at[0].name : "", t->n ? "'" : "", t->n > 1 ? " and others" : "");
}

static lt_status shapes_read(struct lt_context *ctx, struct model_shapes *s, const char *path,
	const struct lt_tensors **out)
{
	for (int32_t i = 0; i < s->n; i++)
		if (!strcmp(s->at[i].path, path)) {
			*out = &s->at[i].tensors;
			return LT_OK;
		}
	struct model_shapes_file *grown = realloc(s->at, ((size_t)s->n + 1) * sizeof *grown);
	if (!grown)
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	s->at = grown;
	LT_TRY(lt__tensors_shapes(ctx, path, &s->at[s->n].tensors));
	s->at[s->n].path = path;
	*out = &s->at[s->n++].tensors;
	return LT_OK;
}

void model_shapes_free(struct model_shapes *s)
{
	for (int32_t i = 0; i < s->n; i++)
		lt__tensors_free(&s->at[i].tensors);
	free(s->at);
	*s = (struct model_shapes){ 0 };
}

/* One file's tensor: the first shape, or what makes the range of an extent wider.  A rank that differs says nothing:
 * the tensor is refused when it is bound. */
static void shape_join(const struct lt_tensor *t, int32_t *rank, int64_t *low, int64_t *high)
{
	if (*rank >= 0 && *rank != t->rank)
		return;
	for (int32_t d = 0; d < t->rank && d < LT_MAX_RANK; d++) {
		low[d] = *rank < 0 || t->shape[d] < low[d] ? t->shape[d] : low[d];
		high[d] = *rank < 0 || t->shape[d] > high[d] ? t->shape[d] : high[d];
	}
	*rank = t->rank;
}

lt_status model_shape(struct lt_context *ctx, const struct model_options *o, struct model_shapes *shapes,
	const char *input, int32_t *rank, int64_t *low, int64_t *high)
{
	const struct lt_tensors *t = NULL;

	*rank = -1;
	for (int32_t i = 0; i < o->input->n; i++) {
		const char *spec = spec_of(o->input->at[i], input);
		if (!spec)
			continue;
		LT_TRY(model_spec_check(ctx, o->inputs_option, spec));
		if (lt__tensorfile_kind(spec) == LT_FILE_OTHER)
			return LT_OK;
		LT_TRY(shapes_read(ctx, shapes, spec, &t));
		if (t->n == 1)
			shape_join(t->at, rank, low, high);
		return LT_OK;
	}
	for (int32_t i = 0; i < o->inputs->n; i++) {
		LT_TRY(shapes_read(ctx, shapes, o->inputs->at[i], &t));
		for (int32_t k = 0; k < t->n; k++)
			if (!strcmp(t->at[k].name, input))
				shape_join(&t->at[k], rank, low, high);
	}
	return *rank < 0 && t ? not_there(ctx, o->inputs->at[o->inputs->n - 1], t, input) : LT_OK;
}
