/* test_cudnn_plans.c -- what the library itself says of our descriptors: plans for a device that is not there, of which
 * ../shared/data/cudnn-h200.json tells.  Which of them it names first is not asked.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dlfcn.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backends/cudnn/cudnn.h"
#include "tests/cuda/cuda_session.h"
#include "tests/described.h"
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
	w->form.node[w->form.n_node++] = (struct lt_cudnn_node){ .kind = kind, .mode = mode, .n_in = 1 + (b >= 0),
		.in = { a, b }, .out = out };
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

/* As a text; the end of it.  Its engine configured by hand: with the tile that it has. */
static bool is_saved(struct lt_cudnn *d, struct lt_cudnn_plan *p, struct lt_cudnn_wished *same)
{
	static const char knob[] = "\"CUDNN_KNOB_TYPE_TILE_SIZE\":";
	char *text;
	size_t bytes;
	cr_expect_eq(lt__cudnn_plan_save(d, p, &text, &bytes), LT_OK);
	cr_expect(bytes > 100 && text[0] == '{', "%zu bytes", bytes);
	const char *at = strstr(text, knob);
	*same = (struct lt_cudnn_wished){ .engine = p->engine, .n_knob = 1,
		.knob = { { CUDNN_KNOB_TYPE_TILE_SIZE, at ? atoll(at + sizeof knob - 1) : -1 } } };
	free(text);
	lt__cudnn_plan_free(d, p);
	return same->knob[0].value >= 0;
}

/* Plans for the device of ../shared/data/cudnn-h200.json. */
static void begin(struct lt_cudnn *d, struct keeper *k)
{
	static char json[4096];
	FILE *f = fopen("../shared/data/cudnn-h200.json", "r");
	if (!f || lt__cudnn_load(&d->api, &k->diag))
		cr_skip_test("it needs ../shared/data and cuDNN: %s", k->text);
	size_t n = fread(json, 1, sizeof json - 1, f);
	(void)fclose(f);
	while (n && (unsigned char)json[n - 1] <= ' ')
		n--;
	cr_assert_eq(d->api.descriptor_new(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &d->device), CUDNN_STATUS_SUCCESS);
	cudnnStatus_t r = d->api.set(d->device, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, (int64_t)n, json);
	if (r || (r = d->api.finish(d->device)))
		cr_skip_test("cuDNN %zu does not take a device as text: %s", d->api.version(), d->api.error_text(r));
}

Test(cudnn_plans, every_form_has_one)
{
	static const char *const behind[] = { "", "bias", "bias relu", "residual bias", "residual bias relu", "relu",
		"residual" };
	static const uint32_t types[] = { LT_F32, LT_F16, LT_BF16 };
	struct keeper k = keeper_new();
	struct lt_cudnn d = { .handle = NULL };
	int by_hand = 0;
	begin(&d, &k);
	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		for (size_t b = 0; b < sizeof behind / sizeof *behind; b++)
			for (int window = 1; window <= 3; window += 2)
				for (int last = types[t] != LT_F32; last <= 1; last++)
					for (int more = 0; more < 2; more++) {
						const int64_t borders[] = { more, 2 * more };
						struct lt_cudnn_wish w =
							wish_of(types[t], last, window, window == 3 && b % 2 ? 2 : 1, behind[b], borders);
						struct lt_cudnn_plan p = { .key = NULL };
						int count = 0;
						lt_status status = lt__cudnn_plan_new(&d, &w, 0, &p, &count, &k.diag);
						cr_expect_eq(status, LT_OK, "type %u, %dx%d, '%s', %s, %d more: %d, of %d: %s", (unsigned)types[t],
							window, window, behind[b], last ? "channels inside" : "plane inside", more, (int)status, count,
							k.text);
						struct lt_cudnn_wished same;
						if (status || !is_saved(&d, &p, &same))
							continue;
						w.first = &same;
						status = lt__cudnn_plan_new(&d, &w, 0, &p, &count, &k.diag);
						cr_expect(!status && count == 1 && p.engine == same.engine, "engine %lld by hand: %d, %lld",
							(long long)same.engine, count, (long long)p.engine);
						lt__cudnn_plan_free(&d, &p);
						by_hand++;
					}
	cr_expect_gt(by_hand, 10);
	(void)d.api.descriptor_free(d.device);
}

/* ---- an engine that is wished ---- */

/* Of the library that is not there: which plan a wish gets with an engine before the others. */
Test(cudnn_plans, an_engine_is_asked_for_first)
{
	static const struct { struct lt_cudnn_wished first; const char *fault; int64_t engine; const char *log; } cases[] = {
		/* By hand: one that no heuristic names, as its own knobs are or with others; one that there is not. */
		{ { 77, 2, { { CUDNN_KNOB_TYPE_KERNEL_CFG, 3 }, { CUDNN_KNOB_TYPE_STAGES, 5 } } }, "", 77,
			"knob 24 3\nknob 14 5\nbuilt 77\n" },
		{ { 78, 1, { { CUDNN_KNOB_TYPE_STAGES, 5 } } }, "", 12, "heuristic\nbuilt 12\n" },
		/* Without knobs: of those that are named, another one than the first; one that is not named; none such. */
		{ { 12, 0, { { 0 } } }, "", 12, "heuristic\nbuilt 12\n" },
		{ { 77, 0, { { 0 } } }, "", 77, "heuristic\nbuilt 77\n" },
		{ { 78, 0, { { 0 } } }, "", 12, "heuristic\nheuristic\nbuilt 12\n" },
		/* One that is not allowed, and one that cannot be built. */
		{ { 41, 1, { { 14, 1 } } }, "", 12, "knob 14 1\nheuristic\nbuilt 12\n" },
		{ { 77, 1, { { 14, 1 } } }, "build:77", 12, "knob 14 1\nheuristic\nbuilt 12\n" },
	};
	static const int64_t none[2] = { 0 };
	static char text[2000];
	struct keeper k = keeper_new();
	struct lt_cudnn d = { .handle = NULL };
	char path[] = "/tmp/cudnn_plans_XXXXXX";
	const int fd = mkstemp(path);
	cr_assert(fd >= 0 && close(fd) == 0);
	struct mock_cuda *mock = mock_load();
	(void)mock_library("../cudnn/libcudnn.so.9");
	(void)setenv("MOCK_CUDNN_LOG", path, 1);
	struct lt_session *s = cuda_open("");
	cr_assert_eq(lt__cuda_enter(s, &k.diag), LT_OK);
	cr_assert_eq(lt__cudnn_load(&d.api, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(lt__cudnn_handle(&d, &d.handle, &k.diag), LT_OK);
	const int handles = mock->handles;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_cudnn_wish w = wish_of(LT_F32, true, 3, 1, "bias relu", none);
		struct lt_cudnn_plan p = { .handle = d.handle };
		int count = 0;
		w.first = &cases[i].first;
		(void)setenv("MOCK_CUDNN", cases[i].fault, 1);
		cr_assert_eq(truncate(path, 0), 0);
		cr_expect_eq(lt__cudnn_plan_new(&d, &w, 0, &p, &count, &k.diag), LT_OK, "%s", k.text);
		cr_expect_eq(p.engine, cases[i].engine, "%zu: %lld", i, (long long)p.engine);
		FILE *f = fopen(path, "r");
		cr_assert_not_null(f);
		text[fread(text, 1, sizeof text - 1, f)] = '\0';
		(void)fclose(f);
		cr_expect_str_eq(text, cases[i].log, "%zu: %s", i, text);
		lt__cudnn_plan_free(&d, &p);
		/* Behind it the others come as ever. */
		const int skip = count;
		lt_status status = lt__cudnn_plan_new(&d, &w, skip, &p, &count, &k.diag);
		cr_expect(!status && count > skip, "%zu: %d", i, count);
		lt__cudnn_plan_free(&d, &p);
		cr_expect_eq(mock->handles, handles, "%zu: %d are left", i, mock->handles - handles);
	}
	(void)d.api.destroy(d.handle);
	lt__cuda_leave(s);
	cuda_backend()->close(s);
	cr_expect_eq(remove(path), 0);
}

/* 1x1 on 56 x 56, channels inside, with a bias. */
static struct lt_cudnn_wish layer_of(uint32_t dtype, int64_t n, int64_t c, int64_t filters, bool residual)
{
	struct lt_cudnn_wish w = { .form = { .n_space = 2, .stride = { 1, 1 }, .dilation = { 1, 1 } } };
	const int32_t x = tensor(&w, 1, dtype, true, n, c, 56, 56), by = tensor(&w, 2, dtype, true, filters, c, 1, 1);
	int32_t at = node(&w, LT_CUDNN_CONVOLUTION, 0, x, by, tensor(&w, LT_CUDNN_BETWEEN, LT_F32, true, n, filters, 56, 56));
	if (residual)
		at = node(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, at, tensor(&w, 3, dtype, true, n, filters, 56, 56),
			tensor(&w, LT_CUDNN_BETWEEN, LT_F32, true, n, filters, 56, 56));
	(void)node(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, at, tensor(&w, 4, dtype, true, 1, filters, 1, 1),
		tensor(&w, 0, dtype, true, n, filters, 56, 56));
	return w;
}

/* What was measured to be another one than the first (../shared/data/cudnn-convolutions.txt, sections 2 and 8). */
Test(cudnn_plans, engines_that_were_measured)
{
	static const struct {
		uint32_t dtype; int64_t n, c, filters; bool residual, tf32; size_t version; const char *arch; int64_t engine;
	} cases[] = {
		{ LT_F16, 32, 64, 256, false, false, 91400, "sm_90a", 41 },
		{ LT_BF16, 32, 64, 256, false, false, 91400, "sm_90a", 41 },
		{ LT_F16, 32, 64, 256, true, false, 91400, "sm_90a", -1 }, { LT_F16, 32, 256, 128, true, false, 91400, "sm_90a", -1 },
		{ LT_F16, 1, 64, 256, false, false, 91400, "sm_90a", -1 }, { LT_F16, 32, 64, 64, false, false, 91400, "sm_90a", -1 },
		{ LT_F16, 32, 64, 256, false, false, 91900, "sm_90a", -1 }, { LT_F16, 32, 64, 256, false, false, 91400, "sm_80", -1 },
		{ LT_F32, 32, 64, 64, true, true, 91400, "sm_90a", 39 }, { LT_F32, 32, 64, 64, true, false, 91400, "sm_90a", -1 },
		{ LT_F32, 32, 64, 64, false, true, 91400, "sm_90a", -1 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_cudnn_wish w = layer_of(cases[i].dtype, cases[i].n, cases[i].c, cases[i].filters, cases[i].residual);
		w.tf32 = cases[i].tf32;
		const struct lt_cudnn_wished *first = lt__cudnn_wished(cases[i].version, cases[i].arch, &w);
		cr_expect_eq(first ? first->engine : -1, cases[i].engine, "%zu", i);
	}
}

/* Windows of one element with a bias, a residual and a ReLU, of which the fused graph is asked for first where section
 * 2 has it faster: its convolution has an operation of its own behind it, the plain one the residual. */
Test(cudnn_plans, squares_of_the_fused_graph)
{
	static const struct { const char *type; int images, side, channels, filters; bool tf32, fused; } cases[] = {
		{ "float16", 32, 14, 256, 1024, false, true }, { "bfloat16", 1, 56, 64, 256, false, true },
		{ "float16", 1, 14, 256, 1024, false, true }, { "float16", 32, 28, 512, 128, false, true },
		{ "bfloat16", 32, 56, 256, 64, false, true }, { "float16", 32, 28, 128, 512, false, false },
		{ "float16", 32, 56, 64, 256, false, false }, { "float16", 1, 7, 512, 2048, false, false },
		{ "bfloat16", 1, 28, 512, 128, false, false }, { "float16", 32, 14, 1024, 256, false, false },
		{ "float32", 1, 56, 64, 64, true, true }, { "float32", 1, 14, 256, 1024, true, true },
		{ "float32", 1, 14, 1024, 256, true, false }, { "float32", 32, 14, 256, 1024, true, false },
		{ "float32", 1, 14, 256, 1024, false, false } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct described_called call;
		struct lt_cudnn_form f;
		char text[900], why[240];
		const char *t = cases[i].type;
		(void)snprintf(text, sizeof text, "n = %d; s = %d; c = %d; k = %d;\ndef f(x) { return CastNode(x, float32); }\n"
			"x = InputTensor(x, %s, [n, s, s, c]); w = ConstantTensor(w, %s, [k, c]); b = ConstantTensor(b, %s, [k]);\n"
			"z = InputTensor(z, %s, [n, s, s, k]);\n"
			"v = ReshapeNode(PermuteNode(f(w), [1, 0]), [1, 1, c, k]);\n"
			"y = Conv2dNode(f(x), v, [1, 1], [0, 0, 0, 0], [1, 1], 1, NHWC);\n"
			"result = CastNode(ReLUNode(y + f(b) + f(z)), %s);\n",
			cases[i].images, cases[i].side, cases[i].channels, cases[i].filters, t, t, t, t, t);
		described_called_new(text, &call);
		const char *none =
			lt__cudnn_form(call.t, LT_AT(struct lt_call, call.t->calls, 0)->loop, cases[i].tf32, NULL, &f, why, sizeof why);
		cr_assert_null(none, "%s%s", text, none);
		const bool fused = f.node[1].kind == LT_CUDNN_POINTWISE && f.node[1].mode == CUDNN_POINTWISE_IDENTITY;
		cr_expect(f.node[0].kind == LT_CUDNN_CONVOLUTION && fused == cases[i].fused && (f.n_other > 0) == fused, "%s", text);
		described_called_free(&call);
	}
}

/* ResNet's first layer, as our graph becomes it: the library's own engine of first layers is asked for first, which has
 * the image copied (section 2: 12.3M). */
Test(cudnn_plans, a_first_layer)
{
	struct keeper k = keeper_new();
	struct lt_cudnn d = { .handle = NULL };
	struct described_called call;
	struct lt_cudnn_wish w = { .tf32 = false };
	struct lt_cudnn_plan p = { .key = NULL };
	char why[240];
	int count = 0;
	begin(&d, &k);
	described_called_new("def f(x) { return CastNode(x, float32); }\nx = InputTensor(x, float16, [32, 224, 224, 3]);\n"
		"w = ConstantTensor(w, float16, [64, 7, 7, 3]); b = ConstantTensor(b, float16, [64]);\n"
		"y = Conv2dNode(f(x), f(PermuteNode(w, [1, 2, 3, 0])), [2, 2], [3, 3, 3, 3], [1, 1], 1, NHWC) + f(b);\n"
		"result = CastNode(ReLUNode(y), float16);\n", &call);
	const char *none =
		lt__cudnn_form(call.t, LT_AT(struct lt_call, call.t->calls, 0)->loop, false, NULL, &w.form, why, sizeof why);
	cr_assert_null(none, "%s", none);
	for (int i = 0; i < w.form.n_tensor; i++)
		w.align[i] = 16;
	cr_assert_eq(lt__cudnn_plan_new(&d, &w, 0, &p, &count, &k.diag), LT_OK, "%s", k.text);
	cr_expect(p.workspace > 12000000 && p.workspace < 13000000, "engine %lld, %lld bytes", (long long)p.engine,
		(long long)p.workspace);
	lt__cudnn_plan_free(&d, &p);
	described_called_free(&call);
	(void)d.api.descriptor_free(d.device);
}

/* ---- compiled ---- */

/* Plans that are compiled when they are built, for which the library asks a driver: one that is not there is enough
 * (mock_driver.c), if it is loaded before the library looks for one. */
static void begin_compiled(struct lt_cudnn *d, struct keeper *k)
{
	char path[300];
	(void)snprintf(path, sizeof path, "%s/tests/cudnn/driver/libcuda.so.1", getenv("O") ? getenv("O") : "build");
	cr_assert(dlopen(path, RTLD_NOW | RTLD_GLOBAL), "%s", dlerror());
	begin(d, k);
}

static struct lt_cudnn_wish norm_of(uint32_t dtype, int32_t mode, int64_t rows, int64_t deep)
{
	struct lt_cudnn_wish w = { .form = { .n_space = 0 } };
	struct lt_cudnn_form *f = &w.form;
	int32_t in[4], n = 0;
	in[n++] = tensor(&w, 1, dtype, true, rows, deep, 1, 1);
	in[n++] = tensor(&w, 2, dtype, true, 1, deep, 1, 1);
	if (mode == CUDNN_LAYER_NORM)
		in[n++] = tensor(&w, 3, dtype, true, 1, deep, 1, 1);
	in[n++] = tensor(&w, LT_CUDNN_NUMBER, LT_F32, true, 1, 1, 1, 1);
	f->node[f->n_node] = (struct lt_cudnn_node){ .kind = LT_CUDNN_NORM, .mode = mode, .n_in = n,
		.out = tensor(&w, 0, dtype, true, rows, deep, 1, 1) };
	memcpy(f->node[f->n_node++].in, in, sizeof in);
	return w;
}

static void norms_have_plans(int64_t rows, int64_t deep)
{
	static const uint32_t types[] = { LT_F32, LT_F16, LT_BF16 };
	static const int32_t modes[] = { CUDNN_LAYER_NORM, CUDNN_RMS_NORM };
	struct keeper k = keeper_new();
	struct lt_cudnn d = { .handle = NULL };
	begin_compiled(&d, &k);
	for (size_t t = 0; t < 3; t++)
		for (size_t m = 0; m < 2; m++) {
			const struct lt_cudnn_wish w = norm_of(types[t], modes[m], rows, deep);
			struct lt_cudnn_plan p = { .key = NULL };
			int count = 0;
			lt_status status = lt__cudnn_plan_new(&d, &w, 0, &p, &count, &k.diag);
			cr_expect_eq(status, LT_OK, "type %u, mode %d, %d x %d: %d, of %d: %s", (unsigned)types[t], (int)modes[m],
				(int)rows, (int)deep, (int)status, count, k.text);
			struct lt_cudnn_wished same;
			if (!status)
				(void)is_saved(&d, &p, &same);
		}
	(void)d.api.descriptor_free(d.device);
}

Test(cudnn_plans, norms) { norms_have_plans(128, 768); }
Test(more_cudnn_plans, norms)
{
	norms_have_plans(7, 11);
	norms_have_plans(1, 4096);
	norms_have_plans(8192, 4096);
}

static int32_t matrix(struct lt_cudnn_wish *w, int32_t operand, uint32_t dtype, int64_t rows, int64_t columns)
{
	const int32_t t = tensor(w, operand, dtype, false, 1, rows, columns, 1);
	w->form.tensor[t].n_dim = 3;
	return t;
}

/* silu(x u) * (x v), as form.c and chain.c make it. */
Test(cudnn_plans, two_products)
{
	enum { ROWS = 128, DEEP = 768, COLUMNS = 3072 };
	static const uint32_t types[] = { LT_F16, LT_BF16 };
	struct keeper k = keeper_new();
	struct lt_cudnn d = { .handle = NULL };
	begin_compiled(&d, &k);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		struct lt_cudnn_wish w = { .form = { .n_space = 0 } };
		struct lt_cudnn_plan p = { .key = NULL };
		struct lt_cudnn_wished same;
		int count = 0;
		const int32_t x = matrix(&w, 1, types[i], ROWS, DEEP), u = matrix(&w, 2, types[i], DEEP, COLUMNS),
			v = matrix(&w, 3, types[i], DEEP, COLUMNS);
#define BETWEEN() matrix(&w, LT_CUDNN_BETWEEN, LT_F32, ROWS, COLUMNS)
		const int32_t y = node(&w, LT_CUDNN_PRODUCT, 0, x, u, BETWEEN()),
			gate = node(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_SIGMOID_FWD, y, -1, BETWEEN()),
			silu = node(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_MUL, y, gate, BETWEEN()),
			z = node(&w, LT_CUDNN_PRODUCT, 0, x, v, BETWEEN());
#undef BETWEEN
		(void)node(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_MUL, silu, z, matrix(&w, 0, types[i], ROWS, COLUMNS));
		const lt_status status = lt__cudnn_plan_new(&d, &w, 0, &p, &count, &k.diag);
		cr_expect_eq(status, LT_OK, "type %u: %d, of %d: %s", (unsigned)types[i], (int)status, count, k.text);
		if (!status)
			(void)is_saved(&d, &p, &same);
	}
	(void)d.api.descriptor_free(d.device);
}

/* Of 4 dims, the last inside. */
static int32_t dense(
	struct lt_cudnn_wish *w, int32_t operand, uint32_t dtype, int64_t b, int64_t h, int64_t s, int64_t d)
{
	const int32_t t = tensor(w, operand, dtype, false, b, h, s, d);
	w->form.tensor[t].number = operand == LT_CUDNN_NUMBER ? 0.125 : 0;
	return t;
}

/* ahead: of a causal mask, keys beyond the query's number; -1, of another: the least with a mask that is made. */
struct attention_sizes { int64_t batch, heads, key_heads, queries, keys, d; bool causal, mask; int64_t ahead; };

static int32_t operation(
	struct lt_cudnn_wish *w, int32_t kind, int32_t mode, int32_t a, int32_t b, int32_t c, int32_t out)
{
	w->form.node[w->form.n_node++] = (struct lt_cudnn_node){ .kind = kind, .mode = mode, .n_in = 1 + (b >= 0) + (c >= 0),
		.in = { a, b, c }, .out = out };
	return out;
}

/* by_lengths: how many keys and queries count in each batch is read. */
static struct lt_cudnn_wish attention_by(uint32_t dtype, const struct attention_sizes *z, bool by_lengths)
{
	struct lt_cudnn_wish w = { .form = { .n_space = 0 } };
	const int64_t b = z->batch, h = z->heads, s = z->queries, t = z->keys;
	const int32_t q = dense(&w, 1, dtype, b, h, s, z->d), k = dense(&w, 2, dtype, b, z->key_heads, z->d, t),
		v = dense(&w, 3, dtype, b, z->key_heads, t, z->d);
	w.form.tensor[k].stride[2] = 1;
	w.form.tensor[k].stride[3] = z->d;
#define SCORES(type) dense(&w, LT_CUDNN_BETWEEN, type, b, h, s, t)
#define ROW() dense(&w, LT_CUDNN_BETWEEN, LT_F32, b, h, s, 1)
	int32_t x = operation(&w, LT_CUDNN_PRODUCT, 0, q, k, -1, SCORES(LT_F32));
	x = operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_MUL, x, dense(&w, LT_CUDNN_NUMBER, LT_F32, 1, 1, 1, 1), -1,
		SCORES(LT_F32));
	if (z->mask)
		x = operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, x, dense(&w, 4, dtype, b, 1, 1, t), -1,
			SCORES(LT_F32));
	if (z->ahead < 0)
		x = operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_MIN, x, dense(&w, LT_CUDNN_MASK, dtype, b, 1, s, t), -1,
			SCORES(LT_F32));
	if (by_lengths) {
		const int32_t row = operation(&w, LT_CUDNN_INDEX, 2, x, -1, -1, SCORES(LT_I32)),
			key = operation(&w, LT_CUDNN_INDEX, 3, x, -1, -1, SCORES(LT_I32)),
			counts = operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_CMP_LT, row,
				dense(&w, LT_CUDNN_MASK, LT_I32, b, 1, 1, 1), -1, SCORES(LT_BOOL)),
			seen = operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_LOGICAL_AND, counts,
				operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_CMP_LT, key, dense(&w, LT_CUDNN_MASK, LT_I32, b, 1, 1, 1), -1,
					SCORES(LT_BOOL)), -1, SCORES(LT_BOOL)),
			hidden = dense(&w, LT_CUDNN_NUMBER, LT_F32, 1, 1, 1, 1);
		w.form.tensor[hidden].number = -INFINITY;
		w.form.mask.how = LT_CUDNN_LENGTHS;
		x = operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_BINARY_SELECT, x, hidden, seen, SCORES(LT_F32));
	}
	if (z->causal) {
		int32_t row = operation(&w, LT_CUDNN_INDEX, 2, x, -1, -1, SCORES(LT_I32));
		if (z->ahead) {
			const int32_t more = dense(&w, LT_CUDNN_NUMBER, LT_I32, 1, 1, 1, 1);
			w.form.tensor[more].number = (double)z->ahead;
			row = operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, row, more, -1, SCORES(LT_I32));
		}
		const int32_t key = operation(&w, LT_CUDNN_INDEX, 3, x, -1, -1, SCORES(LT_I32)),
			seen = operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_CMP_GE, row, key, -1, SCORES(LT_BOOL)),
			hidden = dense(&w, LT_CUDNN_NUMBER, LT_F32, 1, 1, 1, 1);
		w.form.tensor[hidden].number = -INFINITY;
		x = operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_BINARY_SELECT, x, hidden, seen, SCORES(LT_F32));
	}
	const int32_t most = operation(&w, LT_CUDNN_REDUCTION, CUDNN_REDUCE_TENSOR_MAX, x, -1, -1, ROW());
	x = operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_SUB, x, most, -1, SCORES(LT_F32));
	x = operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_EXP, x, -1, -1, SCORES(LT_F32));
	const int32_t total = operation(&w, LT_CUDNN_REDUCTION, CUDNN_REDUCE_TENSOR_ADD, x, -1, -1, ROW());
	const int32_t size = operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_LOG, total, -1, -1, ROW());
	(void)operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, most, size, -1, ROW());
	x = operation(&w, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_DIV, x, total, -1, SCORES(dtype));
	(void)operation(&w, LT_CUDNN_PRODUCT, 0, x, v, -1, dense(&w, 0, dtype, b, h, s, z->d));
	return w;
}

static struct lt_cudnn_wish attention_of(uint32_t dtype, const struct attention_sizes *z)
{
	return attention_by(dtype, z, false);
}

static void attention_has_plans_by(uint32_t dtype, const struct attention_sizes *z, bool by_lengths)
{
	struct keeper k = keeper_new();
	struct lt_cudnn d = { .handle = NULL };
	const struct lt_cudnn_wish w = attention_by(dtype, z, by_lengths);
	struct lt_cudnn_plan p = { .key = NULL };
	int count = 0;
	begin_compiled(&d, &k);
	lt_status status = lt__cudnn_plan_new(&d, &w, 0, &p, &count, &k.diag);
	cr_expect_eq(status, LT_OK, "type %u, %d queries, %d keys, d %d%s%s%s: %d, of %d: %s", (unsigned)dtype,
		(int)z->queries, (int)z->keys, (int)z->d, z->causal ? ", causal" : "", z->mask ? ", masked" : "",
		by_lengths ? ", by lengths" : "", (int)status, count, k.text);
	struct lt_cudnn_wished same;
	if (!status)
		(void)is_saved(&d, &p, &same);
	(void)d.api.descriptor_free(d.device);
}

static void attention_has_plans(uint32_t dtype, const struct attention_sizes *z)
{
	attention_has_plans_by(dtype, z, false);
}

/* What was measured to be another one than the first: by batches times heads, with a mask or without; none beside the
 * ends of what was measured, of heads that share keys, and of fewer queries than keys. */
Test(cudnn_plans, engines_of_attention)
{
	static const struct { struct attention_sizes z; int64_t engine, knob; } cases[] = {
		{ { 1, 16, 16, 128, 128, 64, true, false, 0 }, 1, 3 }, { { 4, 4, 4, 512, 512, 128, true, false, 0 }, 1, 3 },
		{ { 16, 1, 1, 333, 333, 64, true, false, 0 }, 1, 3 }, { { 128, 16, 16, 128, 128, 64, false, false, 0 }, 2, 7 },
		{ { 2048, 1, 1, 128, 128, 64, true, false, 0 }, 2, 7 }, { { 16, 12, 12, 128, 128, 64, false, true, 0 }, 1, 3 },
		{ { 192, 1, 1, 128, 128, 64, false, false, 0 }, 1, 3 }, { { 4, 16, 16, 333, 333, 64, false, true, 0 }, 1, 3 },
		{ { 1, 15, 15, 128, 128, 64, true, false, 0 }, -1, 0 }, { { 1, 17, 17, 128, 128, 64, true, false, 0 }, -1, 0 },
		{ { 257, 1, 1, 128, 128, 64, false, false, 0 }, -1, 0 }, { { 65, 1, 1, 333, 333, 64, false, false, 0 }, -1, 0 },
		{ { 1, 16, 16, 127, 127, 64, true, false, 0 }, -1, 0 }, { { 1, 16, 16, 513, 513, 64, false, false, 0 }, -1, 0 },
		{ { 1, 16, 16, 128, 128, 96, false, false, 0 }, -1, 0 }, { { 1, 16, 4, 128, 128, 64, true, false, 0 }, -1, 0 },
		{ { 1, 16, 16, 64, 128, 64, false, false, 0 }, -1, 0 }, { { 1, 12, 12, 128, 128, 64, false, true, 0 }, 1, 3 },
		{ { 1, 11, 11, 128, 128, 64, false, true, 0 }, -1, 0 }, { { 32, 16, 16, 512, 512, 64, true, false, 0 }, 2, 7 },
		{ { 32, 16, 16, 512, 512, 64, false, false, 0 }, -1, 0 }, { { 33, 16, 16, 512, 512, 64, true, false, 0 }, -1, 0 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct lt_cudnn_wish w = attention_of(i % 2 ? LT_BF16 : LT_F16, &cases[i].z),
			wide = attention_of(LT_F32, &cases[i].z);
		const struct lt_cudnn_wished *first = lt__cudnn_wished(91400, "sm_90a", &w);
		cr_expect_eq(first ? first->engine : -1, cases[i].engine, "%zu", i);
		cr_expect(!first || first->knob[0].value == cases[i].knob, "%zu", i);
		cr_expect(!lt__cudnn_wished(91400, "sm_90a", &wide) && !lt__cudnn_wished(91900, "sm_90a", &w), "%zu", i);
	}
	static const struct { int64_t keys, d, engine, knob; } padded[] = { { 128, 64, 1, 3 }, { 512, 64, 2, 0 },
		{ 1024, 64, 2, 7 }, { 1024, 128, -1, 0 } };             /* the first as without lengths */
	for (size_t i = 0; i < sizeof padded / sizeof *padded; i++) {
		const struct lt_cudnn_wish w = attention_by(LT_F16, &(struct attention_sizes){ 16, 16, 16, padded[i].keys,
			padded[i].keys, padded[i].d, false, false, 0 }, true);
		const struct lt_cudnn_wished *first = lt__cudnn_wished(91400, "sm_90a", &w);
		cr_expect_eq(first ? first->engine : -1, padded[i].engine, "%zu", i);
		cr_expect(!first || first->knob[0].value == padded[i].knob, "%zu", i);
	}
}

Test(cudnn_plans, attention)
{
	attention_has_plans(LT_F16, &(struct attention_sizes){ 2, 16, 16, 128, 128, 64, false, false, 0 });
	attention_has_plans(LT_BF16, &(struct attention_sizes){ 2, 16, 4, 128, 128, 128, true, false, 0 });
	attention_has_plans(LT_F16, &(struct attention_sizes){ 2, 16, 16, 128, 256, 64, true, false, 128 });
	attention_has_plans(LT_F16, &(struct attention_sizes){ 2, 16, 16, 128, 256, 64, false, false, -1 });
}
Test(more_cudnn_plans, attention)
{
	attention_has_plans(LT_F16, &(struct attention_sizes){ 1, 16, 16, 1, 512, 64, false, false, 0 });
	attention_has_plans(LT_F16, &(struct attention_sizes){ 2, 12, 12, 128, 128, 64, false, true, 0 });
	attention_has_plans(LT_F16, &(struct attention_sizes){ 1, 16, 16, 333, 1024, 96, true, false, 0 });
	attention_has_plans(LT_BF16, &(struct attention_sizes){ 1, 16, 4, 333, 1024, 96, true, false, 17 });
	attention_has_plans(LT_BF16, &(struct attention_sizes){ 2, 12, 12, 333, 400, 64, false, true, -1 });
	attention_has_plans(LT_F32, &(struct attention_sizes){ 1, 16, 16, 128, 128, 64, false, false, -1 });
	attention_has_plans(LT_F32, &(struct attention_sizes){ 1, 16, 16, 512, 512, 64, false, false, 0 });
	attention_has_plans(LT_F32, &(struct attention_sizes){ 1, 16, 16, 512, 512, 64, true, false, 0 });
	attention_has_plans(LT_F16, &(struct attention_sizes){ 1, 16, 16, 128, 128, 256, false, false, 0 });
}

/* Padding: keys that lengths say, alone, with a mask that is added, and causal ones. */
Test(cudnn_plans, attention_by_lengths)
{
	attention_has_plans_by(LT_F16, &(struct attention_sizes){ 2, 16, 16, 128, 128, 64, false, false, 0 }, true);
	attention_has_plans_by(LT_BF16, &(struct attention_sizes){ 16, 16, 4, 1024, 1024, 128, true, false, 0 }, true);
	attention_has_plans_by(LT_F32, &(struct attention_sizes){ 16, 16, 16, 512, 512, 64, false, false, 0 }, true);
}
Test(more_cudnn_plans, attention_by_lengths)
{
	attention_has_plans_by(LT_F32, &(struct attention_sizes){ 24, 1, 1, 128, 128, 64, true, false, 0 }, true);
	attention_has_plans_by(LT_F16, &(struct attention_sizes){ 2, 16, 16, 128, 256, 64, true, false, 128 }, true);
	attention_has_plans_by(LT_BF16, &(struct attention_sizes){ 3, 12, 12, 333, 400, 64, false, true, 0 }, true);
	attention_has_plans_by(LT_F16, &(struct attention_sizes){ 1, 32, 8, 1, 4096, 64, false, false, 0 }, true);
}

/* ---- all forms that were measured ---- */

/* Section 4 of ../shared/data/cudnn-convolutions.txt, line by line, 66 forms that are taken and one that is not: 4
 * images of 28 x 28 with 64 channels, 64 filters of 3x3, channels inside, unless its name says otherwise.  why: by
 * type, as its columns are, what refuses the form; "none": the library has no plan; NULL: it has one. */
enum { F16, BF16, TF32, F32, MEASURED_TYPES };
struct measured_form { const char *name, *why[MEASURED_TYPES]; };
#define EXACT "in true float32 the library has nothing else"
#define DEPTHWISE "of bfloat16 with one filter for each channel the library has nothing else"
#define APART "its channels do not lie side by side, as the library asks for anything else"
#define ADDS "mul is behind it, where the library only adds, and then takes the maximum with 0"
#define TYPES "what it reads and writes is not of one type; cast outside"
#define BORDERS "only the image has borders; copy the other outside"
#define BEFORE "a factor is computed in the call; compute it outside"
#define FLOATS "an element has more bytes"
static const struct measured_form measured[] = {
	{ "conv", { 0 } }, { "conv+bias", { 0 } }, { "conv+bias+elu", { NULL, NULL, NULL, EXACT } },
	{ "conv+bias+gelu", { NULL, NULL, NULL, EXACT } }, { "conv+bias+gelut", { NULL, NULL, NULL, EXACT } },
	{ "conv+bias+hswish", { NULL, NULL, NULL, EXACT } }, { "conv+bias+relu", { 0 } },
	{ "conv+bias+relu+res", { NULL, NULL, NULL, EXACT } }, { "conv+bias+relu6", { NULL, NULL, NULL, EXACT } },
	{ "conv+bias+res", { 0 } }, { "conv+bias+res+relu", { 0 } },
	{ "conv+bias+sigmoid", { NULL, NULL, NULL, EXACT } }, { "conv+bias+silu", { NULL, NULL, NULL, EXACT } },
	{ "conv+bias+tanh", { NULL, NULL, NULL, EXACT } }, { "conv+relu", { 0 } },
	{ "conv+relu6", { NULL, NULL, NULL, EXACT } }, { "conv+res", { 0 } }, { "conv+res+bias", { 0 } },
	{ "conv+res+bias+relu", { 0 } }, { "conv+res+bias+relu6", { NULL, NULL, NULL, EXACT } },
	{ "conv+res+relu", { 0 } }, { "conv+scale", { NULL, NULL, NULL, EXACT } },
	{ "conv+scale+bias", { NULL, NULL, NULL, EXACT } }, { "conv+scale+bias+relu", { NULL, NULL, NULL, EXACT } },
	{ "conv+two", { NULL, NULL, NULL, EXACT } }, { "pre+conv", { BORDERS, BORDERS, BORDERS, BEFORE } },
	{ "conv+bias+relu6:g=64", { NULL, DEPTHWISE, NULL, NULL } }, { "conv+bias+relu:align=4", { 0 } },
	{ "conv+bias+relu:asym", { 0 } }, { "conv+bias+relu:c=3", { 0 } }, { "conv+bias+relu:c=30", { 0 } },
	{ "conv+bias+relu:c=4", { 0 } }, { "conv+bias+relu:dil", { 0 } }, { "conv+bias+relu:g=32", { 0 } },
	{ "conv+bias+relu:g=4", { 0 } }, { "conv+bias+relu:g=64", { 0 } }, { "conv+bias+relu:k=30", { 0 } },
	{ "conv+bias+relu:nchw", { 0 } }, { "conv+bias+relu:r=1", { 0 } }, { "conv+bias+relu:r=5", { 0 } },
	{ "conv+bias+relu:yf32", { TYPES, TYPES, NULL, NULL } }, { "conv+bias+res:g=64", { 0 } },
	{ "conv+bias+silu:g=64", { NULL, DEPTHWISE, NULL, NULL } },
	{ "conv+bias+silu:k=30", { NULL, NULL, NULL, EXACT } },
	{ "conv+bias+silu:nchw", { APART, APART, APART, EXACT } },
	{ "conv+bias+silu:r=1", { NULL, NULL, NULL, ADDS } }, { "conv+bias:g=64", { 0 } },
	{ "conv+res+bias+relu:g=64", { 0 } }, { "conv+res+bias+relu:nchw", { 0 } },
	{ "conv:align=2", { NULL, NULL, FLOATS, FLOATS } },
	{ "conv:align=4", { 0 } }, { "conv:asym", { 0 } }, { "conv:c=3", { 0 } }, { "conv:c=30", { 0 } },
	{ "conv:c=4", { 0 } }, { "conv:dil", { 0 } }, { "conv:g=32", { 0 } }, { "conv:g=4", { 0 } },
	{ "conv:g=64", { 0 } }, { "conv:k=30", { 0 } }, { "conv:nchw", { 0 } }, { "conv:r=1", { 0 } },
	{ "conv:r=5", { 0 } }, { "conv:yf32", { TYPES, TYPES, NULL, NULL } }, { "conv+bias+relu:nchw:g=64", { 0 } },
	{ "conv:g=64:k=128", { 0 } }, { "conv:nchw:g=64", { 0 } },
};
#undef EXACT
#undef DEPTHWISE
#undef APART
#undef ADDS
#undef TYPES
#undef BORDERS
#undef BEFORE
#undef FLOATS
enum { N_MEASURED = sizeof measured / sizeof *measured };

/* A number behind `key` in the name; else `otherwise`. */
static int64_t said(const char *name, const char *key, int64_t otherwise)
{
	const char *at = strstr(name, key);
	return at ? atoll(at + strlen(key)) : otherwise;
}
static bool has(const char *name, const char *word) { return strstr(name, word) != NULL; }

/* What is behind the convolution, in the order that the name says. */
static void add_behind(const char *name, FILE *to)
{
	static const struct { const char *word, *does; } behind[] = { { "bias", "y + F(b)" }, { "scale", "y * F(s)" },
		{ "res", "y + F(z)" }, { "relu6", "MinNode(MaxNode(y, 0), 6)" }, { "relu", "ReLUNode(y)" },
		{ "elu", "SelectNode(GreaterNode(y, y * 0), y, ExpNode(y) - 1)" },
		{ "gelut", "y * 0.5 * (1 + TanhNode(0.7978845608 * (y + 0.044715 * y * y * y)))" },
		{ "gelu", "y * 0.5 * (1 + ErfNode(y * 0.70710678))" },
		{ "hswish", "y * MinNode(MaxNode(y + 3, 0), 6) / 6" }, { "sigmoid", "SigmoidNode(y)" }, { "tanh", "TanhNode(y)" },
		{ "silu", "y * SigmoidNode(y)" }, { "two", "ReLUNode(y)" } };
	const size_t end = strcspn(name, ":");
	for (const char *at = strchr(name, '+'); at && at < name + end; at = strchr(at, '+')) {
		const size_t n = strcspn(++at, "+:");
		bool found = strncmp(at, "conv", n) == 0;
		if (strncmp(at, "two", n) == 0)
			(void)fprintf(to, "result first = TO(y);\n");
		for (size_t i = 0; i < sizeof behind / sizeof *behind && !found; i++) {
			found = strlen(behind[i].word) == n && strncmp(at, behind[i].word, n) == 0;
			if (found)
				(void)fprintf(to, "y = %s;\n", behind[i].does);
		}
		cr_assert(found, "%s: what is %.*s?", name, (int)n, at);
	}
}

/* Of n images, c channels, height and width. */
static void add_tensor(const char *begin, const char *type, bool last, const int64_t *dim, FILE *to)
{
	(void)fprintf(to, "%s, %s, [%lld, %lld, %lld, %lld]);\n", begin, type, (long long)dim[0], (long long)dim[last ? 2 : 1],
		(long long)dim[last ? 3 : 2], (long long)dim[last ? 1 : 3]);
}

/* The form as a script, of a type. */
static char *measured_script(const char *name, int type)
{
	static const char *const types[] = { "float16", "bfloat16", "float32", "float32" };
	const bool last = !has(name, ":nchw"), half = type <= BF16, before = strncmp(name, "pre", 3) == 0;
	const int64_t c = said(name, ":c=", 64), k = said(name, ":k=", 64), groups = said(name, ":g=", 1),
		window = said(name, ":r=", 3), apart = has(name, ":dil") ? 2 : 1, border = window / 2 * apart,
		side = 28 + has(name, ":asym");
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	cr_assert_not_null(to);
	(void)fprintf(to, half ? "def F(x) { return CastNode(x, float32); }\n" : "def F(x) { return x; }\n");
	if (half && !has(name, ":yf32"))
		(void)fprintf(to, "def TO(x) { return CastNode(x, %s); }\n", types[type]);
	else
		(void)fputs("def TO(x) { return x; }\n", to);
	add_tensor("x = InputTensor(x", types[type], last, (const int64_t[]){ 4, c, 28, 28 }, to);
	add_tensor("w = ConstantTensor(w", types[type], last, (const int64_t[]){ k, c / groups, window, window }, to);
	if (has(name, "bias"))
		add_tensor("b = ConstantTensor(b", types[type], last, (const int64_t[]){ 1, k, 1, 1 }, to);
	if (has(name, "scale") || before)
		add_tensor("s = ConstantTensor(s", types[type], last, (const int64_t[]){ 1, before ? c : k, 1, 1 }, to);
	if (has(name, "+res"))
		add_tensor("z = InputTensor(z", types[type], last, (const int64_t[]){ 4, k, side, side }, to);
	(void)fprintf(to, "y = Conv2dNode(%s, F(%s), [1, 1], [%lld, %lld, %lld, %lld], [%lld, %lld], %lld%s);\n",
		before ? "ReLUNode(F(x) * F(s))" : "F(x)", last ? "PermuteNode(w, [1, 2, 3, 0])" : "w", (long long)border,
		(long long)border, (long long)(border + has(name, ":asym")), (long long)(border + has(name, ":asym")),
		(long long)apart, (long long)apart, (long long)groups, last ? ", NHWC" : "");
	add_behind(name, to);
	(void)fprintf(to, "result = TO(y);\n");
	cr_assert_eq(fclose(to), 0);
	return text;
}

/* NULL: the library has a plan of the form as our table's rows make it; else why there is none. */
static const char *refusal_of(struct lt_cudnn *d, const char *name, int type, const struct described_called *call)
{
	static char why[300];
	struct keeper k = keeper_new();
	struct lt_cudnn_plan p = { .key = NULL };
	struct lt_cudnn_wished same;
	struct lt_cudnn_wish w = { .tf32 = type == TF32 };
	int count = 0;
	if (lt__cudnn_form(call->t, LT_AT(struct lt_call, call->t->calls, 0)->loop, w.tf32, NULL, &w.form, why, sizeof why))
		return why;
	const int64_t align = said(name, ":align=", 16);
	if (align < (int64_t)cudnn_element_bytes(w.form.tensor[0].dtype))
		return "an element has more bytes than it is aligned to";
	for (int i = 0; i < w.form.n_tensor; i++)
		w.align[i] = (uint32_t)align;
	const lt_status status = lt__cudnn_plan_new(d, &w, 0, &p, &count, &k.diag);
	if (status == LT_EMISSING)
		return "none";
	cr_assert_eq(status, LT_OK, "%s: %s", name, k.text);
	(void)is_saved(d, &p, &same);
	return NULL;
}

/* By number, so many of them; types: a set. */
static void have_plans(size_t first, size_t n, unsigned types)
{
	struct keeper k = keeper_new();
	struct lt_cudnn d = { .handle = NULL };
	begin_compiled(&d, &k);
	for (size_t i = first; i < first + n && i < N_MEASURED; i++)
		for (int type = 0; type < MEASURED_TYPES; type++) {
			struct described_called call;
			if (!(types >> type & 1))
				continue;
			char *text = measured_script(measured[i].name, type);
			described_called_new(text, &call);
			const char *why = refusal_of(&d, measured[i].name, type, &call), *want = measured[i].why[type];
			cr_expect(why && want ? strstr(why, want) != NULL : why == want, "%s, type %d: %s, not %s", measured[i].name, type,
				why ? why : "a plan", want ? want : "a plan");
			described_called_free(&call);
			free(text);
		}
	(void)d.api.descriptor_free(d.device);
}

/* Those of true float32 are not compiled when they are built. */
Test(cudnn_plans, measured_forms_in_float32) { have_plans(0, N_MEASURED, 1u << F32); }

enum { MEASURED_AT_ONCE = 17 };
ParameterizedTestParameters(more_cudnn_plans, measured_forms)
{
	static int first[(N_MEASURED + MEASURED_AT_ONCE - 1) / MEASURED_AT_ONCE];
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		first[i] = (int)i * MEASURED_AT_ONCE;
	return cr_make_param_array(int, first, sizeof first / sizeof *first);
}
ParameterizedTest(int *first, more_cudnn_plans, measured_forms, .timeout = 1200)
{
	have_plans((size_t)*first, MEASURED_AT_ONCE, 1u << F16 | 1u << BF16 | 1u << TF32);
}

/* Each line of the table of measurements is a row of the one above. */
Test(cudnn_plans, no_measured_form_is_left_out)
{
	char line[300];
	FILE *f = fopen("../shared/data/cudnn-convolutions.txt", "r");
	size_t n = 0;
	bool inside = false;
	if (!f)
		cr_skip_test("it needs ../shared/data");
	while (fgets(line, sizeof line, f)) {
		inside = strncmp(line, "## 4.", 5) == 0 || (inside && strncmp(line, "## ", 3) != 0);
		const bool row = inside && (strncmp(line, "conv", 4) == 0 || strncmp(line, "pre+conv", 8) == 0);
		if (!row)
			continue;
		line[strcspn(line, " ")] = '\0';
		cr_expect(n < N_MEASURED && strcmp(line, measured[n].name) == 0, "row %zu is %s, not %s", n, line,
			n < N_MEASURED ? measured[n].name : "there");
		n++;
	}
	cr_expect_eq(n, N_MEASURED, "%zu", n);
	(void)fclose(f);
}
