/* networks.c -- scripts of whole networks: what the models of torchvision and transformers compute when they are
 * used, so with batch norms that are part of the convolution before them. */
#include <stdarg.h>
#include <string.h>
#include "tests/networks.h"

/* A value of the script, and its shape where one layer after the other needs it: an image of one batch. */
struct net { FILE *out; const char *type; int n, n_weight; };
struct net_image { int at; int c, h, w; };

/* What computes is computed in float32 of values that are halves, and rounded to a half: each node by itself, as in
 * models of ONNX. */
static void net_print(const struct net *net, const char *text)
{
	static const char *const moves[] = { "InputTensor", "ConstantTensor", "FullNode", "CastNode", "ReshapeNode",
		"PermuteNode", "SliceNode", "ConcatNode", "GatherNode" };
	bool rounded = strcmp(net->type, "float16") == 0;
	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
		rounded = rounded && strncmp(text, moves[i], strlen(moves[i])) != 0;
	if (!rounded) {
		(void)fputs(text, net->out);
		return;
	}
	(void)fputs("CastNode(", net->out);
	while (*text) {
		const size_t n = *text == '$' ? 1 + strspn(text + 1, "0123456789") : strcspn(text, "$");
		(void)fprintf(net->out, *text == '$' ? "CastNode(%.*s, float32)" : "%.*s", (int)n, text);
		text += n;
	}
	(void)fprintf(net->out, ", %s)", net->type);
}

static int net_node(struct net *net, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int net_node(struct net *net, const char *fmt, ...)
{
	char text[300];
	va_list list;
	va_start(list, fmt);
	(void)vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	(void)fprintf(net->out, "$%d = ", ++net->n);
	net_print(net, text);
	(void)fputs(";\n", net->out);
	return net->n;
}

static int net_weight(struct net *net, const char *shape)
{
	return net_node(net, "ConstantTensor(w%d, %s, [%s])", net->n_weight++, net->type, shape);
}

static int net_vector(struct net *net, int n)
{
	char shape[16];
	(void)snprintf(shape, sizeof shape, "%d", n);
	return net_weight(net, shape);
}

static int net_full(struct net *net, double value) { return net_node(net, "FullNode(%s, [], %g)", net->type, value); }

/* ---- images ---- */

enum net_end { NET_PLAIN, NET_RELU, NET_RELU6 };

static int net_activate(struct net *net, int x, enum net_end end)
{
	if (end == NET_RELU)
		return net_node(net, "ReLUNode($%d)", x);
	if (end == NET_PLAIN)
		return x;
	int low = net_full(net, 0), high = net_full(net, 6);
	int above = net_node(net, "MaxNode($%d, $%d)", x, low);
	return net_node(net, "MinNode($%d, $%d)", above, high);
}

/* Of windows `high` by `wide`, with borders of `before` rows and `beside` columns on both sides, and a bias; `add` is
 * added before what follows, 0: nothing. */
struct net_window { int high, wide, before, beside, stride, groups; };
static struct net_image net_convolve(
	struct net *net, struct net_image x, int channels, struct net_window by, int add, enum net_end end)
{
	char shape[64];
	(void)snprintf(shape, sizeof shape, "%d, %d, %d, %d", channels, x.c / by.groups, by.high, by.wide);
	int w = net_weight(net, shape);
	(void)snprintf(shape, sizeof shape, "1, %d, 1, 1", channels);
	int bias = net_weight(net, shape);
	int y = net_node(net, "Conv2dNode($%d, $%d, [%d, %d], [%d, %d, %d, %d], [1, 1], %d)", x.at, w, by.stride, by.stride,
		by.before, by.beside, by.before, by.beside, by.groups);
	y = net_node(net, "AddNode($%d, $%d)", y, bias);
	if (add)
		y = net_node(net, "AddNode($%d, $%d)", y, add);
	return (struct net_image){ net_activate(net, y, end), channels, (x.h + 2 * by.before - by.high) / by.stride + 1,
		(x.w + 2 * by.beside - by.wide) / by.stride + 1 };
}

/* Of `window` by `window`, as many borders as leave the size. */
static struct net_image net_conv(
	struct net *net, struct net_image x, int channels, int window, int stride, int groups, int add, enum net_end end)
{
	return net_convolve(net, x, channels,
		(struct net_window){ window, window, window / 2, window / 2, stride, groups }, add, end);
}

static struct net_image net_input_of(struct net *net, int side)
{
	return (struct net_image){ net_node(net, "InputTensor(x, %s, [1, 3, %d, %d])", net->type, side, side), 3, side, side };
}

static struct net_image net_input(struct net *net) { return net_input_of(net, 224); }

/* x times weights that lie as those of a linear layer do, and its bias. */
static int net_linear(struct net *net, int x, int in, int out)
{
	char shape[32];
	(void)snprintf(shape, sizeof shape, "%d, %d", out, in);
	int w = net_weight(net, shape), bias = net_vector(net, out);
	int y = net_node(net, "EinsumNode(bk,nk->bn: $%d, $%d)", x, w);
	return net_node(net, "AddNode($%d, $%d)", y, bias);
}

/* The mean of each channel, and the classes. */
static void net_classify(struct net *net, struct net_image x)
{
	int mean = net_node(net, "ReduceMeanNode($%d, [2, 3])", x.at);
	(void)fprintf(net->out, "result = $%d;\n", net_linear(net, mean, x.c, 1000));
}

static void net_mobilenetv2(struct net *net)
{
	/* how much wider inside, channels, how many, stride of the first */
	static const int stage[][4] = { { 1, 16, 1, 1 }, { 6, 24, 2, 2 }, { 6, 32, 3, 2 }, { 6, 64, 4, 2 }, { 6, 96, 3, 1 },
		{ 6, 160, 3, 2 }, { 6, 320, 1, 1 } };
	struct net_image x = net_conv(net, net_input(net), 32, 3, 2, 1, 0, NET_RELU6);
	for (size_t s = 0; s < sizeof stage / sizeof *stage; s++)
		for (int i = 0; i < stage[s][2]; i++) {
			int inside = x.c * stage[s][0], stride = i ? 1 : stage[s][3];
			struct net_image y = inside > x.c ? net_conv(net, x, inside, 1, 1, 1, 0, NET_RELU6) : x;
			y = net_conv(net, y, inside, 3, stride, inside, 0, NET_RELU6);
			x = net_conv(net, y, stage[s][1], 1, 1, 1, i ? x.at : 0, NET_PLAIN);
		}
	net_classify(net, net_conv(net, x, 1280, 1, 1, 1, 0, NET_RELU6));
}

static struct net_image net_stem(struct net *net)
{
	struct net_image x = net_conv(net, net_input(net), 64, 7, 2, 1, 0, NET_RELU);
	return (struct net_image){ net_node(net, "MaxPool2dNode($%d, [3, 3], [2, 2], [1, 1, 1, 1])", x.at), x.c, x.h / 2,
		x.w / 2 };
}

static void net_resnet(struct net *net, const int count[4], bool bottleneck)
{
	struct net_image x = net_stem(net);
	for (int s = 0; s < 4; s++)
		for (int i = 0; i < count[s]; i++) {
			int width = 64 << s, out = bottleneck ? 4 * width : width, stride = s && !i ? 2 : 1;
			struct net_image y = x, skip = x;
			if (bottleneck)
				y = net_conv(net, y, width, 1, 1, 1, 0, NET_RELU);
			y = net_conv(net, y, width, 3, stride, 1, 0, NET_RELU);
			if (!i && (stride > 1 || out != x.c))
				skip = net_conv(net, x, out, 1, stride, 1, 0, NET_PLAIN);
			x = net_conv(net, y, out, bottleneck ? 1 : 3, 1, 1, skip.at, NET_RELU);
		}
	net_classify(net, x);
}

static void net_resnet18(struct net *net) { net_resnet(net, (const int[]){ 2, 2, 2, 2 }, false); }
static void net_resnet50(struct net *net) { net_resnet(net, (const int[]){ 3, 4, 6, 3 }, true); }

/* Images of one size beside each other, by their channels. */
static struct net_image net_beside(struct net *net, struct net_image a, struct net_image b)
{
	return (struct net_image){ net_node(net, "ConcatNode(1, $%d, $%d)", a.at, b.at), a.c + b.c, a.h, a.w };
}

/* Every second one of 3 by 3, or, of means, 2 by 2. */
static struct net_image net_pool(struct net *net, struct net_image x, bool mean)
{
	const int at = net_node(net, mean ? "AveragePool2dNode($%d, [2, 2], [2, 2])" : "MaxPool2dNode($%d, [3, 3], [2, 2])",
		x.at);
	return (struct net_image){ at, x.c, mean ? x.h / 2 : (x.h - 3) / 2 + 1, mean ? x.w / 2 : (x.w - 3) / 2 + 1 };
}

static void net_squeezenet(struct net *net)
{
	static const int squeezed[] = { 16, 16, 32, 32, 48, 48, 64, 64 };
	struct net_image x = net_conv(net, net_input(net), 64, 3, 2, 1, 0, NET_RELU);
	for (int i = 0; i < 8; i++) {
		x = i == 0 || i == 2 || i == 4 ? net_pool(net, x, false) : x;
		const struct net_image y = net_conv(net, x, squeezed[i], 1, 1, 1, 0, NET_RELU);
		x = net_beside(net, net_conv(net, y, 4 * squeezed[i], 1, 1, 1, 0, NET_RELU),
			net_conv(net, y, 4 * squeezed[i], 3, 1, 1, 0, NET_RELU));
	}
	x = net_conv(net, x, 1000, 1, 1, 1, 0, NET_RELU);
	(void)fprintf(net->out, "result = $%d;\n", net_node(net, "ReduceMeanNode($%d, [2, 3])", x.at));
}

/* A batch norm that is no part of a convolution before it, and ReLU. */
static struct net_image net_normed(struct net *net, struct net_image x)
{
	char shape[32];
	(void)snprintf(shape, sizeof shape, "1, %d, 1, 1", x.c);
	const int scale = net_weight(net, shape), bias = net_weight(net, shape);
	const int y = net_node(net, "AddNode($%d, $%d)", net_node(net, "MultiplyNode($%d, $%d)", x.at, scale), bias);
	return (struct net_image){ net_activate(net, y, NET_RELU), x.c, x.h, x.w };
}

static void net_densenet121(struct net *net)
{
	static const int count[] = { 6, 12, 24, 16 };
	struct net_image x = net_stem(net);
	for (int s = 0; s < 4; s++) {
		for (int i = 0; i < count[s]; i++) {
			const struct net_image y = net_conv(net, net_normed(net, x), 128, 1, 1, 1, 0, NET_RELU);
			x = net_beside(net, x, net_conv(net, y, 32, 3, 1, 1, 0, NET_PLAIN));
		}
		if (s < 3)
			x = net_pool(net, net_conv(net, net_normed(net, x), x.c / 2, 1, 1, 1, 0, NET_PLAIN), true);
	}
	net_classify(net, net_normed(net, x));
}

static struct net_image net_silu(struct net *net, struct net_image x)
{
	const int gate = net_node(net, "SigmoidNode($%d)", x.at);
	return (struct net_image){ net_node(net, "MultiplyNode($%d, $%d)", x.at, gate), x.c, x.h, x.w };
}

/* Each channel times what a small network makes of all of them. */
static struct net_image net_squeeze(struct net *net, struct net_image x, int channels)
{
	struct net_image y = { net_node(net, "ReduceMeanNode($%d, [2, 3], 1)", x.at), x.c, 1, 1 };
	y = net_silu(net, net_conv(net, y, channels, 1, 1, 1, 0, NET_PLAIN));
	y = net_conv(net, y, x.c, 1, 1, 1, 0, NET_PLAIN);
	const int gate = net_node(net, "SigmoidNode($%d)", y.at);
	return (struct net_image){ net_node(net, "MultiplyNode($%d, $%d)", gate, x.at), x.c, x.h, x.w };
}

static void net_efficientnet_b0(struct net *net)
{
	/* how much wider inside, channels, how many, stride of the first, window */
	static const int stage[][5] = { { 1, 16, 1, 1, 3 }, { 6, 24, 2, 2, 3 }, { 6, 40, 2, 2, 5 }, { 6, 80, 3, 2, 3 },
		{ 6, 112, 3, 1, 5 }, { 6, 192, 4, 2, 5 }, { 6, 320, 1, 1, 3 } };
	struct net_image x = net_silu(net, net_conv(net, net_input(net), 32, 3, 2, 1, 0, NET_PLAIN));
	for (size_t s = 0; s < sizeof stage / sizeof *stage; s++)
		for (int i = 0; i < stage[s][2]; i++) {
			const int inside = x.c * stage[s][0], stride = i ? 1 : stage[s][3];
			struct net_image y = inside > x.c ? net_silu(net, net_conv(net, x, inside, 1, 1, 1, 0, NET_PLAIN)) : x;
			y = net_silu(net, net_conv(net, y, inside, stage[s][4], stride, inside, 0, NET_PLAIN));
			y = net_squeeze(net, y, x.c / 4);
			x = net_conv(net, y, stage[s][1], 1, 1, 1, i ? x.at : 0, NET_PLAIN);
		}
	net_classify(net, net_silu(net, net_conv(net, x, 1280, 1, 1, 1, 0, NET_PLAIN)));
}

/* A chain of convolutions with ReLU; the last one, where it reduces, has no borders and takes every second place. */
static struct net_image net_branch(struct net *net, struct net_image x, int n, const int (*by)[3], bool reduces)
{
	for (int i = 0; i < n; i++) {
		const bool last = reduces && i == n - 1;
		const int high = by[i][1], wide = by[i][2];
		x = net_convolve(net, x, by[i][0], (struct net_window){ high, wide, last ? 0 : high / 2, last ? 0 : wide / 2,
			last ? 2 : 1, 1 }, 0, NET_RELU);
	}
	return x;
}

/* channels, height and width of a window */
#define BRANCH(net, x, reduces, ...) net_branch(net, x, (int)(sizeof (int[][3]){ __VA_ARGS__ } / sizeof (int[3])), \
	(const int[][3]){ __VA_ARGS__ }, reduces)

static struct net_image net_join(struct net *net, struct net_image a, struct net_image b, struct net_image c)
{
	return net_beside(net, net_beside(net, a, b), c);
}

/* A mean of 3 by 3, of which those beside the image count as zeros, and a convolution. */
static struct net_image net_branch_pool(struct net *net, struct net_image x, int channels)
{
	x.at = net_node(net, "AveragePool2dNode($%d, [3, 3], [1, 1], [1, 1, 1, 1], 1)", x.at);
	return net_conv(net, x, channels, 1, 1, 1, 0, NET_RELU);
}

static struct net_image net_inception_a(struct net *net, struct net_image x, int pooled)
{
	const struct net_image a = BRANCH(net, x, false, { 64, 1, 1 }), b = BRANCH(net, x, false, { 48, 1, 1 }, { 64, 5, 5 }),
		c = BRANCH(net, x, false, { 64, 1, 1 }, { 96, 3, 3 }, { 96, 3, 3 });
	const struct net_image d = net_branch_pool(net, x, pooled);
	return net_beside(net, net_join(net, a, b, c), d);
}

static struct net_image net_inception_c(struct net *net, struct net_image x, int inside)
{
	const struct net_image a = BRANCH(net, x, false, { 192, 1, 1 }),
		b = BRANCH(net, x, false, { inside, 1, 1 }, { inside, 1, 7 }, { 192, 7, 1 }),
		c = BRANCH(net, x, false, { inside, 1, 1 }, { inside, 7, 1 }, { inside, 1, 7 }, { inside, 7, 1 }, { 192, 1, 7 });
	const struct net_image d = net_branch_pool(net, x, 192);
	return net_beside(net, net_join(net, a, b, c), d);
}

static struct net_image net_inception_e(struct net *net, struct net_image x)
{
	const struct net_image a = BRANCH(net, x, false, { 320, 1, 1 }), b = BRANCH(net, x, false, { 384, 1, 1 }),
		b1 = BRANCH(net, b, false, { 384, 1, 3 }), b2 = BRANCH(net, b, false, { 384, 3, 1 }),
		c = BRANCH(net, x, false, { 448, 1, 1 }, { 384, 3, 3 }), c1 = BRANCH(net, c, false, { 384, 1, 3 }),
		c2 = BRANCH(net, c, false, { 384, 3, 1 });
	const struct net_image b3 = net_beside(net, b1, b2), c3 = net_beside(net, c1, c2), d = net_branch_pool(net, x, 192);
	return net_beside(net, net_join(net, a, b3, c3), d);
}

static void net_inception_v3(struct net *net)
{
	static const int pooled[] = { 32, 64, 64 }, inside[] = { 128, 160, 160, 192 };
	static const struct net_window first = { 3, 3, 0, 0, 2, 1 }, valid = { 3, 3, 0, 0, 1, 1 };
	struct net_image x = net_convolve(net, net_input_of(net, 299), 32, first, 0, NET_RELU);
	x = net_conv(net, net_convolve(net, x, 32, valid, 0, NET_RELU), 64, 3, 1, 1, 0, NET_RELU);
	x = net_conv(net, net_pool(net, x, false), 80, 1, 1, 1, 0, NET_RELU);
	x = net_pool(net, net_convolve(net, x, 192, valid, 0, NET_RELU), false);
	for (int i = 0; i < 3; i++)
		x = net_inception_a(net, x, pooled[i]);
	struct net_image a = BRANCH(net, x, true, { 384, 3, 3 }),
		b = BRANCH(net, x, true, { 64, 1, 1 }, { 96, 3, 3 }, { 96, 3, 3 }), c = net_pool(net, x, false);
	x = net_join(net, a, b, c);
	for (int i = 0; i < 4; i++)
		x = net_inception_c(net, x, inside[i]);
	a = BRANCH(net, x, true, { 192, 1, 1 }, { 320, 3, 3 });
	b = BRANCH(net, x, true, { 192, 1, 1 }, { 192, 1, 7 }, { 192, 7, 1 }, { 192, 3, 3 });
	c = net_pool(net, x, false);
	x = net_join(net, a, b, c);
	for (int i = 0; i < 2; i++)
		x = net_inception_e(net, x);
	net_classify(net, x);
}
#undef BRANCH

/* ---- BERT ---- */

enum { TOKENS = 128, WIDTH = 768, HEADS = 12, WORDS = 30522, POSITIONS = 512, N_LAYER = 12 };

/* x[1, l, in] times weights, and a bias: a product of ONNX's MatMul, whose weights lie transposed already. */
static int net_dense(struct net *net, int x, int in, int out)
{
	char shape[32];
	(void)snprintf(shape, sizeof shape, "%d, %d", in, out);
	int w = net_weight(net, shape), bias = net_vector(net, out);
	int y = net_node(net, "EinsumNode(blk,kn->bln: $%d, $%d)", x, w);
	return net_node(net, "AddNode($%d, $%d)", bias, y);
}

static int net_norm(struct net *net, int x)
{
	int scale = net_vector(net, WIDTH), bias = net_vector(net, WIDTH);
	return net_node(net, "LayerNormNode($%d, $%d, $%d, 1e-12)", x, scale, bias);
}

static int net_heads(struct net *net, int x, int tokens, const char *perm)
{
	int split = net_node(net, "ReshapeNode($%d, [1, %d, %d, %d])", x, tokens, HEADS, WIDTH / HEADS);
	return net_node(net, "PermuteNode($%d, [%s])", split, perm);
}

static int net_gelu(struct net *net, int x)
{
	int root = net_full(net, 1.4142135381698608), one = net_full(net, 1), half = net_full(net, 0.5);
	int scaled = net_node(net, "DivNode($%d, $%d)", x, root), erf = net_node(net, "ErfNode($%d)", scaled);
	int more = net_node(net, "AddNode($%d, $%d)", erf, one), whole = net_node(net, "MultiplyNode($%d, $%d)", x, more);
	return net_node(net, "MultiplyNode($%d, $%d)", whole, half);
}

static int net_encode(struct net *net, int x, int mask)
{
	int q = net_heads(net, net_dense(net, x, WIDTH, WIDTH), TOKENS, "0, 2, 1, 3");
	int k = net_heads(net, net_dense(net, x, WIDTH, WIDTH), TOKENS, "0, 2, 3, 1");
	int v = net_heads(net, net_dense(net, x, WIDTH, WIDTH), TOKENS, "0, 2, 1, 3");
	int score = net_node(net, "EinsumNode(bhlk,bhkm->bhlm: $%d, $%d)", q, k), scale = net_full(net, 0.125);
	score = net_node(net, "MultiplyNode($%d, $%d)", score, scale);
	score = net_node(net, "SoftmaxNode($%d)", net_node(net, "AddNode($%d, $%d)", score, mask));
	int seen = net_node(net, "EinsumNode(bhlm,bhmk->bhlk: $%d, $%d)", score, v);
	seen = net_node(net, "PermuteNode($%d, [0, 2, 1, 3])", seen);
	seen = net_node(net, "ReshapeNode($%d, [1, %d, %d])", seen, TOKENS, WIDTH);
	seen = net_dense(net, seen, WIDTH, WIDTH);
	x = net_norm(net, net_node(net, "AddNode($%d, $%d)", seen, x));
	int y = net_gelu(net, net_dense(net, x, WIDTH, 4 * WIDTH));
	y = net_dense(net, y, 4 * WIDTH, WIDTH);
	return net_norm(net, net_node(net, "AddNode($%d, $%d)", y, x));
}

static void net_bert(struct net *net)
{
	int ids = net_node(net, "InputTensor(ids, int64, [1, %d])", TOKENS);
	int mask = net_node(net, "InputTensor(mask, int64, [1, %d])", TOKENS);
	char shape[32];
	(void)snprintf(shape, sizeof shape, "%d, %d", WORDS, WIDTH);
	int x = net_node(net, "GatherNode($%d, $%d)", net_weight(net, shape), ids);
	(void)snprintf(shape, sizeof shape, "2, %d", WIDTH);
	int type = net_node(net, "SliceNode($%d, 0, 1)", net_weight(net, shape));
	(void)snprintf(shape, sizeof shape, "%d, %d", POSITIONS, WIDTH);
	int position = net_node(net, "SliceNode($%d, 0, %d)", net_weight(net, shape), TOKENS);
	x = net_node(net, "AddNode($%d, $%d)", x, type);
	x = net_norm(net, net_node(net, "AddNode($%d, $%d)", x, position));
	int one = net_full(net, 1), lowest = net_node(net, "FullNode(%s, [], %s)", net->type,
		strcmp(net->type, "float16") == 0 ? "-65504" : "-3.4028235e38");
	mask = net_node(net, "CastNode($%d, %s)", mask, net->type);
	mask = net_node(net, "MultiplyNode($%d, $%d)", net_node(net, "SubNode($%d, $%d)", one, mask), lowest);
	mask = net_node(net, "ReshapeNode($%d, [1, 1, 1, %d])", mask, TOKENS);
	for (int i = 0; i < N_LAYER; i++)
		x = net_encode(net, x, mask);
	(void)fprintf(net->out, "result hidden = $%d;\n", x);
	x = net_node(net, "ReshapeNode($%d, [1, %d])", net_node(net, "SliceNode($%d, 0, 1, 1)", x), WIDTH);
	(void)fprintf(net->out, "result pooled = $%d;\n", net_node(net, "TanhNode($%d)", net_linear(net, x, WIDTH, WIDTH)));
}

/* ---- GPT-2 ---- */

enum { GPT_WORDS = 50257, GPT_POSITIONS = 1024 };

/* What a run has: tokens, and those before them, whose keys and values it is given: past[layer, key or value, 1, head,
 * before, width].  mask[tokens, before + tokens]: what is added to scores. */
struct net_gpt { struct net *net; int tokens, before, past, mask, present; };

static int gpt_gelu(struct net *net, int x)
{
	int half = net_full(net, 0.5), three = net_full(net, 3), c = net_full(net, 0.044715), one = net_full(net, 1),
		root = net_full(net, 0.7978845834732056);
	int low = net_node(net, "MultiplyNode($%d, $%d)", x, half), cube = net_node(net, "PowNode($%d, $%d)", x, three);
	int sum = net_node(net, "AddNode($%d, $%d)", x, net_node(net, "MultiplyNode($%d, $%d)", cube, c));
	int tanh = net_node(net, "TanhNode($%d)", net_node(net, "MultiplyNode($%d, $%d)", sum, root));
	return net_node(net, "MultiplyNode($%d, $%d)", low, net_node(net, "AddNode($%d, $%d)", tanh, one));
}

/* A part of the product that makes queries, keys and values, by heads: 0, 1, 2. */
static int gpt_part(const struct net_gpt *g, int x, int part)
{
	int own = net_node(g->net, "SliceNode($%d, %d, %d, 2)", x, part * WIDTH, (part + 1) * WIDTH);
	return net_heads(g->net, own, g->tokens, "0, 2, 1, 3");
}

/* Keys (0) or values (1) of all tokens up to now; they are a part of `present`. */
static int gpt_cached(struct net_gpt *g, int layer, int which, int own)
{
	struct net *net = g->net;
	if (!g->before)
		return own;
	int past = net_node(net, "SliceNode($%d, %d, %d)", g->past, layer, layer + 1);
	past = net_node(net, "SliceNode($%d, %d, %d, 1)", past, which, which + 1);
	past = net_node(net, "ReshapeNode($%d, [1, %d, %d, %d])", past, HEADS, g->before, WIDTH / HEADS);
	int all = net_node(net, "ConcatNode(2, $%d, $%d)", past, own);
	int part = net_node(net, "ReshapeNode($%d, [1, 1, %d, %d, %d])", all, HEADS, g->before + g->tokens, WIDTH / HEADS);
	g->present = g->present ? net_node(net, "ConcatNode(0, $%d, $%d)", g->present, part) : part;
	return all;
}

static int gpt_layer(struct net_gpt *g, int layer, int x)
{
	struct net *net = g->net;
	int all = net_dense(net, net_norm(net, x), WIDTH, 3 * WIDTH), q = gpt_part(g, all, 0);
	int k = gpt_cached(g, layer, 0, gpt_part(g, all, 1)), v = gpt_cached(g, layer, 1, gpt_part(g, all, 2));
	int score = net_node(net, "EinsumNode(bhlk,bhmk->bhlm: $%d, $%d)", q, k), scale = net_full(net, 0.125);
	score = net_node(net, "MultiplyNode($%d, $%d)", score, scale);
	score = net_node(net, "SoftmaxNode($%d)", net_node(net, "AddNode($%d, $%d)", score, g->mask));
	int seen = net_node(net, "EinsumNode(bhlm,bhmk->bhlk: $%d, $%d)", score, v);
	seen = net_node(net, "PermuteNode($%d, [0, 2, 1, 3])", seen);
	seen = net_node(net, "ReshapeNode($%d, [1, %d, %d])", seen, g->tokens, WIDTH);
	x = net_node(net, "AddNode($%d, $%d)", net_dense(net, seen, WIDTH, WIDTH), x);
	int y = gpt_gelu(net, net_dense(net, net_norm(net, x), WIDTH, 4 * WIDTH));
	return net_node(net, "AddNode($%d, $%d)", x, net_dense(net, y, 4 * WIDTH, WIDTH));
}

static void gpt_write(struct net *net, int tokens, int before)
{
	struct net_gpt g = { .net = net, .tokens = tokens, .before = before };
	char shape[32];
	int ids = net_node(net, "InputTensor(ids, int64, [1, %d])", tokens);
	if (before)
		g.past = net_node(net, "InputTensor(past, %s, [%d, 2, 1, %d, %d, %d])", net->type, N_LAYER, HEADS, before,
			WIDTH / HEADS);
	(void)snprintf(shape, sizeof shape, "%d, %d", GPT_WORDS, WIDTH);
	int x = net_node(net, "GatherNode($%d, $%d)", net_weight(net, shape), ids);
	(void)snprintf(shape, sizeof shape, "%d, %d", GPT_POSITIONS, WIDTH);
	int position = net_node(net, "SliceNode($%d, %d, %d)", net_weight(net, shape), before, before + tokens);
	x = net_node(net, "AddNode($%d, $%d)", x, position);
	(void)snprintf(shape, sizeof shape, "%d, %d", tokens, before + tokens);
	g.mask = net_weight(net, shape);
	for (int i = 0; i < N_LAYER; i++)
		x = gpt_layer(&g, i, x);
	(void)snprintf(shape, sizeof shape, "%d, %d", WIDTH, GPT_WORDS);
	int w = net_weight(net, shape);
	x = net_norm(net, x);
	(void)fprintf(net->out, "result logits = $%d;\n", net_node(net, "EinsumNode(blk,kn->bln: $%d, $%d)", x, w));
	if (before)
		(void)fprintf(net->out, "result present = $%d;\n", g.present);
}

static void net_gpt2(struct net *net) { gpt_write(net, TOKENS, 0); }
static void net_gpt2_step(struct net *net) { gpt_write(net, 1, TOKENS); }

struct net_row { const char *name; void (*write)(struct net *); };
static const struct net_row networks[] = { { "mobilenetv2", net_mobilenetv2 }, { "resnet18", net_resnet18 },
	{ "resnet50", net_resnet50 }, { "bert", net_bert }, { "gpt2", net_gpt2 },
	{ "gpt2_step", net_gpt2_step }, { "squeezenet", net_squeezenet }, { "densenet121", net_densenet121 },
	{ "efficientnet_b0", net_efficientnet_b0 }, { "inception_v3", net_inception_v3 } };
const char *const network_names[] = { "mobilenetv2", "resnet18", "resnet50", "bert", "gpt2", "gpt2_step",
	NULL };

bool network_write(const char *name, const char *type, FILE *out)
{
	for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
		if (strcmp(networks[i].name, name) == 0) {
			struct net net = { .out = out, .type = type };
			networks[i].write(&net);
			return true;
		}
	return false;
}
