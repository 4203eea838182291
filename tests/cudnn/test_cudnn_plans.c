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
static void place(struct lt_cudnn_tensor *t, int32_t operand, bool last, int64_t n, int64_t c, int64_t h, int64_t w)
{
	*t = (struct lt_cudnn_tensor){ .operand = operand, .dim = { n, c, h, w } };
	const int64_t first[] = { c * h * w, h * w, w, 1 }, inside[] = { c * h * w, 1, c * w, c };
	memcpy(t->stride, last ? inside : first, sizeof first);
}

/* 3x3 with borders of 1, or 1x1, 64 to 64 channels on 28 x 28. */
static struct lt_cudnn_wish wish_of(uint32_t dtype, bool last, int window, int64_t groups, const char *behind)
{
	struct lt_cudnn_wish w = { .form = { .dtype = dtype, .n_space = 2, .relu = strstr(behind, "relu") } };
	struct lt_cudnn_form *f = &w.form;
	for (int i = 0; i < LT_CUDNN_TENSORS; i++)
		w.align[i] = 16;
	for (int i = 0; i < 2; i++) {
		f->stride[i] = f->dilation[i] = 1;
		f->before[i] = f->after[i] = window / 2;
	}
	place(&f->tensor[LT_CUDNN_X], 1, last, 4, 64, 28, 28);
	place(&f->tensor[LT_CUDNN_W], 2, last, 64, 64 / groups, window, window);
	place(&f->tensor[LT_CUDNN_Y], 0, last, 4, 64, 28, 28);
	place(&f->tensor[LT_CUDNN_Z], strstr(behind, "residual") ? 3 : -1, last, 4, 64, 28, 28);
	place(&f->tensor[LT_CUDNN_B], strstr(behind, "bias") ? 4 : -1, last, 1, 64, 1, 1);
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
				for (int last = types[t] != LT_F32; last <= 1; last++) {
					const struct lt_cudnn_wish w = wish_of(types[t], last, window, window == 3 && b % 2 ? 2 : 1, behind[b]);
					struct lt_cudnn_plan p = { .key = NULL };
					int count = 0;
					lt_status status = lt__cudnn_plan_new(&d, &w, 0, &p, &count, &k.diag);
					cr_expect_eq(status, LT_OK, "type %u, %dx%d, '%s', %s: %d, of %d: %s", (unsigned)types[t], window, window,
						behind[b], last ? "channels inside" : "plane inside", (int)status, count, k.text);
					if (!status)
						is_saved(&d, &p);
					/* More below and to the right than above and to the left, or the other way round. */
					struct lt_cudnn_wish uneven = w;
					uneven.form.after[0] += 1;
					uneven.form.before[1] += 2;
					place(&uneven.form.tensor[LT_CUDNN_Y], 0, last, 4, 64, 29, 30);
					place(&uneven.form.tensor[LT_CUDNN_Z], w.form.tensor[LT_CUDNN_Z].operand, last, 4, 64, 29, 30);
					status = lt__cudnn_plan_new(&d, &uneven, 0, &p, &count, &k.diag);
					cr_expect_eq(status, LT_OK, "type %u, %dx%d, '%s': %d, of %d, with borders that differ", (unsigned)types[t],
						window, window, behind[b], (int)status, count);
					if (!status)
						lt__cudnn_plan_free(&d, &p);
				}
	(void)d.api.descriptor_free(d.device);
}
