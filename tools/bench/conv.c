/* conv.c -- the suite conv: the distinct convolutions of two networks, batch 1, images of 224x224.
 *
 * ResNet-50: He and others, Deep Residual Learning for Image Recognition, 2015, table 1: the first 1x1 of conv3_1,
 * conv4_1 and conv5_1 and the way around it have stride 2.  MobileNetV2: Sandler and others, 2018, table 2.
 * Filters are constants; tensors are NCHW and OIHW, as a framework would hand them over.
 */
#include <stdlib.h>
#include "tools/bench/bench.h"

static const struct layer { const char *group; int size, in, out, window, stride, groups; } table[] = {
	{ "resnet50", 224, 3, 64, 7, 2, 1 },
	{ "resnet50", 56, 64, 64, 1, 1, 1 },    { "resnet50", 56, 64, 64, 3, 1, 1 },
	{ "resnet50", 56, 64, 256, 1, 1, 1 },   { "resnet50", 56, 256, 64, 1, 1, 1 },
	{ "resnet50", 56, 256, 128, 1, 2, 1 },  { "resnet50", 28, 128, 128, 3, 1, 1 },
	{ "resnet50", 28, 128, 512, 1, 1, 1 },  { "resnet50", 56, 256, 512, 1, 2, 1 },
	{ "resnet50", 28, 512, 128, 1, 1, 1 },
	{ "resnet50", 28, 512, 256, 1, 2, 1 },  { "resnet50", 14, 256, 256, 3, 1, 1 },
	{ "resnet50", 14, 256, 1024, 1, 1, 1 }, { "resnet50", 28, 512, 1024, 1, 2, 1 },
	{ "resnet50", 14, 1024, 256, 1, 1, 1 },
	{ "resnet50", 14, 1024, 512, 1, 2, 1 }, { "resnet50", 7, 512, 512, 3, 1, 1 },
	{ "resnet50", 7, 512, 2048, 1, 1, 1 },  { "resnet50", 14, 1024, 2048, 1, 2, 1 },
	{ "resnet50", 7, 2048, 512, 1, 1, 1 },
	{ "mobilenetv2", 224, 3, 32, 3, 2, 1 },
	{ "depthwise", 112, 32, 32, 3, 1, 32 }, { "mobilenetv2", 112, 32, 16, 1, 1, 1 },
	{ "mobilenetv2", 112, 16, 96, 1, 1, 1 }, { "depthwise", 112, 96, 96, 3, 2, 96 },
	{ "mobilenetv2", 56, 96, 24, 1, 1, 1 }, { "mobilenetv2", 56, 24, 144, 1, 1, 1 },
	{ "depthwise", 56, 144, 144, 3, 1, 144 }, { "mobilenetv2", 56, 144, 24, 1, 1, 1 },
	{ "depthwise", 56, 144, 144, 3, 2, 144 }, { "mobilenetv2", 28, 144, 32, 1, 1, 1 },
	{ "mobilenetv2", 28, 32, 192, 1, 1, 1 }, { "depthwise", 28, 192, 192, 3, 1, 192 },
	{ "mobilenetv2", 28, 192, 32, 1, 1, 1 }, { "depthwise", 28, 192, 192, 3, 2, 192 },
	{ "mobilenetv2", 14, 192, 64, 1, 1, 1 }, { "mobilenetv2", 14, 64, 384, 1, 1, 1 },
	{ "depthwise", 14, 384, 384, 3, 1, 384 }, { "mobilenetv2", 14, 384, 64, 1, 1, 1 },
	{ "mobilenetv2", 14, 384, 96, 1, 1, 1 }, { "mobilenetv2", 14, 96, 576, 1, 1, 1 },
	{ "depthwise", 14, 576, 576, 3, 1, 576 }, { "mobilenetv2", 14, 576, 96, 1, 1, 1 },
	{ "depthwise", 14, 576, 576, 3, 2, 576 }, { "mobilenetv2", 7, 576, 160, 1, 1, 1 },
	{ "mobilenetv2", 7, 160, 960, 1, 1, 1 }, { "depthwise", 7, 960, 960, 3, 1, 960 },
	{ "mobilenetv2", 7, 960, 160, 1, 1, 1 }, { "mobilenetv2", 7, 960, 320, 1, 1, 1 },
	{ "mobilenetv2", 7, 320, 1280, 1, 1, 1 },
};

/* The first and the last window position plus one at which this tap is inside the image. */
static void inside(int64_t tap, int64_t stride, int64_t pad, int64_t size, int64_t count, int64_t *from, int64_t *to)
{
	int64_t first = pad - tap, last = size - 1 + pad - tap;

	*from = first > 0 ? (first + stride - 1) / stride : 0;
	*to = last < 0 ? 0 : last / stride + 1 < count ? last / stride + 1 : count;
}

static void add_tap(const float *image, double *plane, int64_t size, int64_t count, int64_t stride, int64_t pad,
	int64_t r, int64_t s, double w)
{
	int64_t y0, y1, x0, x1;

	inside(r, stride, pad, size, count, &y0, &y1);
	inside(s, stride, pad, size, count, &x0, &x1);
	for (int64_t y = y0; y < y1; y++)
		for (int64_t x = x0; x < x1; x++)
			plane[y * count + x] += w * image[(y * stride + r - pad) * size + x * stride + s - pad];
}

static void convolve(const struct bench_case *c, float *out)
{
	int64_t size = bench_case_get(c, "size"), in = bench_case_get(c, "in"), n = bench_case_get(c, "out"),
		window = bench_case_get(c, "window");
	int64_t stride = bench_case_get(c, "stride"), pad = bench_case_get(c, "pad"), groups = bench_case_get(c, "groups");
	int64_t count = c->out.shape[2], deep = in / groups, per = n / groups;
	double *plane = lt__must_alloc((size_t)(count * count) * sizeof *plane);

	for (int64_t o = 0; o < n; o++) {
		for (int64_t i = 0; i < count * count; i++)
			plane[i] = 0;
		for (int64_t i = 0; i < deep; i++)
			for (int64_t r = 0; r < window; r++)
				for (int64_t s = 0; s < window; s++)
					add_tap(c->in[0].data + (o / per * deep + i) * size * size, plane, size, count, stride, pad, r, s,
						c->in[1].data[((o * deep + i) * window + r) * window + s]);
		for (int64_t i = 0; i < count * count; i++)
			out[o * count * count + i] = (float)plane[i];
	}
	free(plane);
}

static void conv_add(struct bench_cases *l, const char *suite, const struct layer *y)
{
	int pad = y->window / 2, count = (y->size + 2 * pad - y->window) / y->stride + 1;
	char name[64];
	struct bench_case *c;

	snprintf(name, sizeof name, "%s-%d-%dto%d-%dx%d%s", y->groups > 1 ? "mobilenetv2-dw" : y->group, y->size, y->in,
		y->out, y->window, y->window, y->stride > 1 ? "-s2" : "");
	c = bench_case_add(l, suite, y->group, "conv2d", name);
	bench_case_number(c, "size", y->size);
	bench_case_number(c, "in", y->in);
	bench_case_number(c, "out", y->out);
	bench_case_number(c, "window", y->window);
	bench_case_number(c, "stride", y->stride);
	bench_case_number(c, "pad", pad);
	bench_case_number(c, "groups", y->groups);
	bench_case_in(c, "x", false, 4, (const int64_t[]){ 1, y->in, y->size, y->size });
	bench_case_in(c, "w", true, 4, (const int64_t[]){ y->out, y->in / y->groups, y->window, y->window });
	bench_case_out(c, 4, (const int64_t[]){ 1, y->out, count, count });
	bench_case_script(c, "$3 = Conv2dNode($1, $2, [%d, %d], [%d, %d, %d, %d], [1, 1], %d);\nresult = $3;\n",
		y->stride, y->stride, pad, pad, pad, pad, y->groups);
	c->depth = INT64_C(1) * y->in / y->groups * y->window * y->window;
	c->flops = 2 * c->depth * c->out.n;
	c->bytes = 4 * (c->in[0].n + c->in[1].n + c->out.n);
	c->bound = MACHINE_FLOPS;
	c->n_open = 1;
	c->reference = convolve;
}

void bench_conv_cases(struct bench_cases *l)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		conv_add(l, "conv", &table[i]);
}
