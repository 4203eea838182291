/* cases.c -- see cases.h. */
#include <criterion/criterion.h>
#include <string.h>
#include "tests/onnx/cases.h"

const char *onnx_case_tensor(const struct lt_tensor *t)
{
	return strrchr(t->name, '/') + 1;
}

static struct onnx_case *case_of(struct onnx_cases *c, const char *name, size_t bytes)
{
	for (int i = 0; i < c->n; i++)
		if (strlen(c->at[i].name) == bytes && !memcmp(c->at[i].name, name, bytes))
			return &c->at[i];
	cr_assert_lt(c->n, ONNX_MAX_CASES);
	cr_assert_lt(bytes, sizeof c->at[0].name);
	memcpy(c->at[c->n].name, name, bytes);
	return &c->at[c->n++];
}

static void case_dims(struct onnx_case *one, const struct lt_tensor *t)
{
	cr_assert_lt(t->bytes, sizeof one->dims);
	memcpy(one->dims, t->data, t->bytes);
	for (char *at = one->dims; at; ) {
		one->dim[one->n_dim++] = at;
		at = strchr(at, '\n');
		if (at)
			*at++ = '\0';
	}
}

/* The run of an entry "in/x" or "in/2/x". */
static struct onnx_given *case_run(struct onnx_case *one, const char *after)
{
	const int i = after[0] >= '0' && after[0] <= '9' && after[1] == '/' ? after[0] - '0' : 0;
	cr_assert_lt(i, ONNX_MAX_RUNS);
	one->n_run = i < one->n_run ? one->n_run : i + 1;
	return &one->run[i];
}

static void case_put(struct onnx_given *run, const struct lt_tensor *t, bool in)
{
	if (in)
		run->in[run->n_in++] = t;
	else
		run->out[run->n_out++] = t;
	cr_assert(run->n_in < ONNX_MAX_GIVEN && run->n_out < ONNX_MAX_GIVEN);
}

static void case_entry(struct onnx_cases *c, const struct lt_tensor *t)
{
	const char *slash = strchr(t->name, '/'), *what = slash + 1;
	struct onnx_case *one = case_of(c, t->name, (size_t)(slash - t->name));
	if (!strcmp(what, "model"))
		one->model = t;
	else if (!strcmp(what, "error"))
		one->error = t;
	else if (!strcmp(what, "dims"))
		case_dims(one, t);
	else if (!strncmp(what, "in/", 3))
		case_put(case_run(one, what + 3), t, true);
	else if (!strncmp(what, "out/", 4))
		case_put(case_run(one, what + 4), t, false);
	else if (!strncmp(what, "fix/", 4))
		one->fixed[one->n_fixed++] = (struct lt_fixed){ .name = onnx_case_tensor(t), .dtype = t->dtype, .rank = t->rank,
			.shape = t->shape, .data = t->data };
	else
		cr_assert_fail("%s is no entry of a case", t->name);
	cr_assert(one->n_fixed < ONNX_MAX_GIVEN);
}

void onnx_cases_read(struct lt_context *ctx, struct onnx_cases *c)
{
	static const char *const file[ONNX_FILES] = { "tests/onnx/cases.npz", "tests/onnx/layers.npz",
		"tests/onnx/types.npz", "tests/onnx/dims.npz", "tests/onnx/microsoft.npz",
		"tests/onnx/halves.npz", "tests/onnx/group_query.npz", "tests/onnx/known.npz" };
	memset(c, 0, sizeof *c);
	for (int k = 0; k < ONNX_FILES; k++) {
		const int before = c->n;
		cr_assert_eq(lt__tensors_read(ctx, file[k], &c->file[k]), LT_OK, "%s", lt_context_message(ctx));
		for (int32_t i = 0; i < c->file[k].n; i++)
			case_entry(c, &c->file[k].at[i]);
		cr_assert_gt(c->n, before + 4);
	}
}

void onnx_cases_free(struct onnx_cases *c)
{
	for (int k = 0; k < ONNX_FILES; k++)
		lt__tensors_free(&c->file[k]);
}

lt_status onnx_case_parse(struct lt_context *ctx, const struct onnx_case *one, const void *model, size_t bytes,
	struct lt_graph **out)
{
	const struct lt_parse_options options = { .size = sizeof options, .dim = one->dim, .n_dim = (uint32_t)one->n_dim,
		.fixed = one->fixed, .n_fixed = (uint32_t)one->n_fixed };
	return lt_parse_with(ctx, model, bytes, one->name, "onnx", &options, out);
}
