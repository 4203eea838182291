/* test_cudnn_plans.c -- what the library itself says of our descriptors: plans for a device that is not there, of which
 * ../shared/data/cudnn-h200.json tells.  Which of them it names first is not asked.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cudnn/cudnn.h"
#include "tests/keeper.h"

/* last: channels inside. */
static int32_t tensor(struct lt_cudnn_wish *w, int32_t operand, uint32_t dtype, bool last, int64_t n, int64_t c,
	int64_t height, int64_t width)
{
	struct lt_cudnn_form *f = &w->form;
	struct lt_cudnn_tensor *t = &f->tensor[f->n_tensor];
	const int64_t plane = height * width, first[] = { c * plane, plane, width, 1 },
		inside[] = { c * plane, 1, c * width, c };
	*t = (struct lt_cudnn_tensor){ .operand = operand, .dtype = dtype, .n_dim = 4, .dim = { n, c, height, width } };
	memcpy(t->stride, last ? inside : first, sizeof first);
	w->align[f->n_tensor] = 16;
	return f->n_tensor++;
}

/* b -1: it has one operand. */
static int32_t node(struct lt_cudnn_wish *w, int32_t kind, int32_t mode, int32_t a, int32_t b, int32_t out)
{
	w->form.node[w->form.n_node++] = (struct lt_cudnn_node){ kind, mode, 1 + (b >= 0), { a, b }, out };
	return out;
}

/* 3x3 with borders of 1, or 1x1, 64 to 64 channels on 28 x 28; more: borders below, and to the left. */
static struct lt_cudnn_wish wish_of(
	uint32_t dtype, bool last, int window, int64_t groups, const char *behind, const int64_t *more)
{
	struct lt_cudnn_wish w = { .form = { .n_space = 2 } };
	struct lt_cudnn_form *f = &w.form;
	const bool z = strstr(behind, "residual"), relu = strstr(behind, "relu"), b = strstr(behind, "bias") || z || relu;
	const int64_t height = 28 + more[0], width = 28 + more[1];
	const int32_t x = tensor(&w, 1, dtype, last, 4, 64, 28, 28),
		filters = tensor(&w, 2, dtype, last, 64, 64 / groups, window, window),
		y = tensor(&w, 0, dtype, last, 4, 64, height, width);
	for (int i = 0; i < 2; i++) {
		f->stride[i] = f->dilation[i] = 1;
		f->before[i] = f->after[i] = window / 2;
	}
	f->after[0] += more[0];
	f->before[1] += more[1];
	int left = z + b + relu;
	int32_t at = node(&w, LT_CUDNN_CONVOLUTION, 0, x, filters,
		left ? tensor(&w, LT_CUDNN_BETWEEN, LT_F32, last, 4, 64, height, width) : y);
	if (z)
		at = node(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, at, tensor(&w, 3, dtype, last, 4, 64, height, width),
			--left ? tensor(&w, LT_CUDNN_BETWEEN, LT_F32, last, 4, 64, height, width) : y);
	if (b)
		at = node(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, at, tensor(&w, 4, dtype, last, 1, 64, 1, 1),
			--left ? tensor(&w, LT_CUDNN_BETWEEN, LT_F32, last, 4, 64, height, width) : y);
	if (relu)
		(void)node(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_RELU_FWD, at, -1, y);
	return w;
}

/* As a text; the end of it. */
static void is_saved(struct lt_cudnn *d, struct lt_cudnn_plan *p)
{
	char *text;
	size_t bytes;
	cr_expect_eq(lt__cudnn_plan_save(d, p, &text, &bytes), LT_OK);
	cr_expect(bytes > 100 && text[0] == '{', "%zu bytes", bytes);
	free(text);
	lt__cudnn_plan_free(d, p);
}

Test(cudnn_plans, every_form_has_one)
{
	static const char *const behind[] = { "", "bias", "bias relu", "residual bias", "residual bias relu", "relu",
		"residual" };
	static const uint32_t types[] = { LT_F32, LT_F16, LT_BF16 };
	static char json[4096];
	struct keeper k = keeper_new();
	struct lt_cudnn d = { .handle = NULL };
	FILE *f = fopen("../shared/data/cudnn-h200.json", "r");
	if (!f || lt__cudnn_load(&d.api, &k.diag))
		cr_skip_test("it needs ../shared/data and cuDNN: %s", k.text);
	size_t n = fread(json, 1, sizeof json - 1, f);
	(void)fclose(f);
	while (n && (unsigned char)json[n - 1] <= ' ')
		n--;
	cr_assert_eq(d.api.descriptor_new(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &d.device), CUDNN_STATUS_SUCCESS);
	cudnnStatus_t r = d.api.set(d.device, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, (int64_t)n, json);
	if (r || (r = d.api.finish(d.device)))
		cr_skip_test("cuDNN %zu does not take a device as text: %s", d.api.version(), d.api.error_text(r));
	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		for (size_t b = 0; b < sizeof behind / sizeof *behind; b++)
			for (int window = 1; window <= 3; window += 2)
				for (int last = types[t] != LT_F32; last <= 1; last++)
					for (int more = 0; more < 2; more++) {
						const int64_t borders[] = { more, 2 * more };
						const struct lt_cudnn_wish w =
							wish_of(types[t], last, window, window == 3 && b % 2 ? 2 : 1, behind[b], borders);
						struct lt_cudnn_plan p = { .key = NULL };
						int count = 0;
						lt_status status = lt__cudnn_plan_new(&d, &w, 0, &p, &count, &k.diag);
						cr_expect_eq(status, LT_OK, "type %u, %dx%d, '%s', %s, %d more: %d, of %d: %s", (unsigned)types[t],
							window, window, behind[b], last ? "channels inside" : "plane inside", more, (int)status, count,
							k.text);
						if (!status)
							is_saved(&d, &p);
					}
	(void)d.api.descriptor_free(d.device);
}
