/* random_layer.c -- random layers, as scripts. */
#include <math.h>
#include <string.h>
#include "ir/op/op.h"
#include "lt/frontend.h"
#include "check/random/must.h"
#include "tests/random_layer_maker.h"

/* A run-time scalar: an input whose name ends in the number that its data is below (at...) or up to (end...). */
static struct value scalar(struct draw *d, const char *name, int64_t number)
{
	struct value v = node(d, shape_of(1, 1, 0, 0, 0));
	layer_say(d, "$%d = InputTensor(%s%d_%lld, int64, [1]);\n", v.number, name, v.number, (long long)number);
	return v;
}

static struct value two(struct draw *d, const char *op, struct value a, struct value b)
{
	struct value y = node(d, a.shape);
	layer_say(d, "$%d = %sNode($%d, $%d);\n", y.number, op, a.number, b.number);
	return y;
}

static struct value one(struct draw *d, const char *op, struct value a)
{
	struct value y = node(d, a.shape);
	layer_say(d, "$%d = %sNode($%d);\n", y.number, op, a.number);
	return y;
}

/* Bias along some axis, activation, residual, scale, a mask. */
static struct value behind(struct draw *d, struct value x)
{
	static const char *const activations[] = { "Tanh", "Sigmoid", "Gelu", "Abs", "Exp", "Neg" };
	if (x.shape.n > 0 && chance(d, 50)) {
		struct shape s = x.shape;
		int axis = (int)between(d, 0, s.n - 1);
		for (int i = 0; i < s.n; i++)
			s.at[i] = i == axis ? s.at[i] : 1;
		x = two(d, "Add", x, layer_plain_source(d, s));
	}
	if (chance(d, 30)) {
		struct value zero = node(d, (struct shape){ 0, { 0 } });
		layer_say(d, "$%d = FullNode(%s, [], 0);\n", zero.number, d->type);
		x = two(d, "Max", x, zero);
	}
	if (is_float(d) && chance(d, 25)) {
		struct value scaled = node(d, (struct shape){ 0, { 0 } });      /* small enough for an exponential */
		layer_say(d, "$%d = FullNode(%s, [], 0.0078125);\n", scaled.number, d->type);
		x = one(d, activations[between(d, 0, 5)], two(d, "Multiply", x, scaled));
	}
	if (x.shape.n > 0 && chance(d, 25))
		x = two(d, "Add", x, layer_source(d, x.shape));
	if (chance(d, 10))
		x = two(d, "Multiply", x, one(d, "Neg", x));
	if (x.shape.n > 1 && chance(d, 12)) {
		int axis = (int)between(d, 0, x.shape.n - 1);
		struct shape s = x.shape;
		for (int i = axis; i + 1 < s.n; i++)
			s.at[i] = s.at[i + 1];
		s.n--;
		struct value y = node(d, s);
		layer_say(d, "$%d = %s($%d, [%d]);\n", y.number, chance(d, 50) ? "ReduceSumNode" : "ReduceMaxNode", x.number, axis);
		x = y;
	}
	return x;
}

/* -- layers -- */

/* Letters stand for extents of their own; upper bounds follow the work that is left. */
static struct value einsum(struct draw *d)
{
	static const char *const equations[] = { "mk,kn->mn", "mk,nk->mn", "km,kn->mn", "km,nk->mn", "mk,kn->nm",
		"bmk,bkn->bmn", "bmk,bnk->bmn", "bkm,bkn->bmn", "mbk,nbk->bmn", "bshd,bthd->bhst", "bhsd,bhtd->bhst",
		"bhst,bthd->bshd", "mk,k->m", "k,kn->n", "k,nk->n", "mkl,kln->mn", "mkl,nlk->mn", "mkl,lkn->mn",
		"abk,kc->abc", "abk,kcd->acbd", "abk,ckd->dcab", "mk,kn,n->mn", "mbk,bkn->mn", "k,k->", "mk,mk->m",
		"mk,mk->k", "bk,bkn->bn", "bmk,kn->bmn", "abk,cbk->ca", "m,n->mn", "bm,bn->bmn", "mk,ln,kl->mn" };
	const char *equation = equations[between(d, 0, (int64_t)(sizeof equations / sizeof *equations) - 1)];
	int64_t e[26] = { 0 }, left = d->work;
	struct shape s[4] = { { 0 } };
	int n = 0;
	bool narrow = chance(d, 25);
	for (const char *at = equation; *at && *at != '-'; at++) {
		if (*at == ',') {
			n++;
			continue;
		}
		int64_t *x = &e[*at - 'a'];
		if (!*x) {
			bool outer = *at < 'i' && strchr(equation, 'm') != NULL;
			*x = layer_extent(d, outer ? 4 : narrow && *at == 'm' ? 8 : left < 300 ? left : 300);
			left = left / *x > 1 ? left / *x : 1;
		}
		s[n].at[s[n].n++] = *x;
	}
	struct value in[4], y;
	for (int i = 0; i <= n; i++)
		in[i] = layer_source(d, s[i]);
	struct shape out = { 0, { 0 } };
	for (const char *at = strchr(equation, '>') + 1; *at; at++)
		out.at[out.n++] = e[*at - 'a'];
	y = node(d, out);
	layer_say(d, "$%d = EinsumNode(%s:", y.number, equation);
	for (int i = 0; i <= n; i++)
		layer_say(d, "%s $%d", i ? "," : "", in[i].number);
	layer_say(d, ");\n");
	return y;
}

/* A few layers one after the other. */
static struct value chain(struct draw *d)
{
	int64_t m = layer_extent(d, chance(d, 40) ? 8 : 150), k = layer_extent(d, d->work / m < 300 ? d->work / m : 300);
	struct value x = layer_source(d, shape_of(2, m, k, 0, 0));
	for (int i = (int)between(d, 1, 3); i > 0; i--) {
		int64_t span = d->work / (m * k), n = layer_extent(d, span < 300 ? span : 300);
		struct value w = layer_source(d, shape_of(2, k, n, 0, 0)), y = node(d, shape_of(2, m, n, 0, 0));
		layer_say(d, "$%d = EinsumNode(mk,kn->mn: $%d, $%d);\n", y.number, x.number, w.number);
		x = behind(d, y);
		if (x.shape.n != 2)
			break;
		k = n;
	}
	return x;
}

static struct value conv(struct draw *d)
{
	bool last = chance(d, 40);
	int64_t groups = chance(d, 30) ? between(d, 2, 6) : 1, limit = groups > 1 ? 8 : 64;
	int64_t a = layer_extent(d, limit), b = layer_extent(d, limit), batch = chance(d, 70) ? 1 : 2;
	if (chance(d, 20)) {            /* depthwise */
		groups = layer_extent(d, 70);
		a = 1;
		b = chance(d, 80) ? 1 : 2;
	}
	int64_t kh = chance(d, 40) ? 1 : between(d, 1, 5), kw = chance(d, 75) ? kh : between(d, 1, 5);
	int64_t sh = between(d, 1, chance(d, 60) ? 1 : 3), sw = chance(d, 80) ? sh : between(d, 1, 3);
	int64_t dh = chance(d, 80) ? 1 : 2, dw = dh, p[4];
	for (int i = 0; i < 4; i++)
		p[i] = chance(d, 50) ? kh / 2 : between(d, 0, 2);
	int64_t left = d->work / (a * b * groups * kh * kw * batch), side = (int64_t)sqrt((double)(left < 1 ? 1 : left));
	int64_t oh = layer_extent(d, side < 40 ? side : 40), ow = layer_extent(d, left / oh < 60 ? left / oh : 60);
	int64_t h = (oh - 1) * sh + (kh - 1) * dh + 1 - p[0] - p[2], w = (ow - 1) * sw + (kw - 1) * dw + 1 - p[1] - p[3];
	if (h < 1 || w < 1) {
		h = h < 1 ? 1 + between(d, 0, 2) : h;
		w = w < 1 ? 1 + between(d, 0, 2) : w;
		for (int i = 0; i < 4; i++)
			p[i] = 2;
		h = h + p[0] + p[2] < (kh - 1) * dh + 1 ? (kh - 1) * dh + 1 : h;
		w = w + p[1] + p[3] < (kw - 1) * dw + 1 ? (kw - 1) * dw + 1 : w;
	}
	oh = (h + p[0] + p[2] - (kh - 1) * dh - 1) / sh + 1;
	ow = (w + p[1] + p[3] - (kw - 1) * dw - 1) / sw + 1;
	struct value x = layer_source(d, last ? shape_of(4, batch, h, w, a * groups) : shape_of(4, batch, a * groups, h, w));
	struct value f = chance(d, 80)
		? layer_plain_source(d, last ? shape_of(4, kh, kw, a, b * groups) : shape_of(4, b * groups, a, kh, kw))
		: layer_source(d, last ? shape_of(4, kh, kw, a, b * groups) : shape_of(4, b * groups, a, kh, kw));
	struct value y = node(d, last ? shape_of(4, batch, oh, ow, b * groups) : shape_of(4, batch, b * groups, oh, ow));
	layer_say(d, "$%d = Conv2dNode($%d, $%d, [%lld, %lld], [%lld, %lld, %lld, %lld], [%lld, %lld], %lld, %s);\n",
		y.number, x.number, f.number, (long long)sh, (long long)sw, (long long)p[0], (long long)p[1],
		(long long)p[2], (long long)p[3], (long long)dh, (long long)dw, (long long)groups,
		last ? "NHWC" : "NCHW");
	return y;
}

static struct value pool(struct draw *d)
{
	bool last = chance(d, 40);
	int64_t c = layer_extent(d, 40), h = layer_extent(d, 30) + 3, w = layer_extent(d, 30) + 3;
	int64_t k = between(d, 1, 3), s = between(d, 1, 3), p = k / 2;
	struct value x = layer_source(d, last ? shape_of(4, 1, h, w, c) : shape_of(4, 1, c, h, w));
	int64_t oh = (h + 2 * p - k) / s + 1, ow = (w + 2 * p - k) / s + 1;
	struct value y = node(d, last ? shape_of(4, 1, oh, ow, c) : shape_of(4, 1, c, oh, ow));
	bool max = chance(d, 50);
	layer_say(d, "$%d = %s($%d, [%lld, %lld], [%lld, %lld], [%lld, %lld, %lld, %lld], %s%s);\n", y.number,
		max ? "MaxPool2dNode" : "AveragePool2dNode", x.number,
		(long long)k, (long long)k, (long long)s, (long long)s, (long long)p, (long long)p, (long long)p, (long long)p,
		max ? "[1, 1], " : chance(d, 50) ? "1, " : "0, ", last ? "NHWC" : "NCHW");
	return y;
}

static struct value attention(struct draw *d)
{
	int64_t b = chance(d, 50) ? 1 : between(d, 1, 3), s = chance(d, 30) ? 1 : layer_extent(d, 80), k = layer_extent(d, 64);
	int64_t span = d->work / (b * s * k), t = layer_extent(d, span < 150 ? span : 150),
		e = chance(d, 60) ? k : layer_extent(d, 64);
	bool causal = t >= s && chance(d, 40), stack = chance(d, 60);
	struct value q = layer_source(d, stack ? shape_of(3, b, s, k, 0) : shape_of(2, s, k, 0, 0));
	struct value kk = layer_source(d, stack ? shape_of(3, b, t, k, 0) : shape_of(2, t, k, 0, 0));
	struct value v = layer_source(d, stack ? shape_of(3, b, t, e, 0) : shape_of(2, t, e, 0, 0));
	struct value y = node(d, stack ? shape_of(3, b, s, e, 0) : shape_of(2, s, e, 0, 0));
	layer_say(d, "$%d = AttentionNode($%d, $%d, $%d, 0.03125, %d);\n", y.number, q.number, kk.number, v.number, causal);
	return y;
}

static struct value norm(struct draw *d)
{
	int64_t r = layer_extent(d, 60), c = layer_extent(d, chance(d, 20) ? 3000 : 300);
	struct shape s = chance(d, 50) ? shape_of(2, r, c, 0, 0) : shape_of(3, layer_extent(d, 4), r, c, 0),
		     row = shape_of(1, c, 0, 0, 0);
	struct value x = layer_source(d, s), y, w, b;
	switch (between(d, 0, is_f32(d) ? 3 : 1)) {
	case 0:
		y = node(d, s);
		layer_say(d, "$%d = SoftmaxNode($%d, %d);\n", y.number, x.number,
			chance(d, 70) ? s.n - 1 : (int)between(d, 0, s.n - 1));
		return y;
	case 1:
		w = layer_plain_source(d, row);
		b = layer_plain_source(d, row);
		y = node(d, s);
		layer_say(d, "$%d = LayerNormNode($%d, $%d, $%d);\n", y.number, x.number, w.number, b.number);
		return y;
	case 2:
		w = layer_plain_source(d, row);
		y = node(d, s);
		layer_say(d, "$%d = RMSNormNode($%d, $%d);\n", y.number, x.number, w.number);
		return y;
	default:
		if (chance(d, 50)) {
			w = scalar(d, "end", c);
			y = node(d, s);
			layer_say(d, "$%d = SlicedSoftmaxNode($%d, $%d);\n", y.number, x.number, w.number);
		} else {
			y = node(d, s);
			layer_say(d, "$%d = SlicedSoftmaxNode($%d, %lld);\n", y.number, x.number, (long long)between(d, 0, c));
		}
		return y;
	}
}

/* A state that a part is written to, and its first rows. */
static struct value cache(struct draw *d, struct shape s, struct value at, struct value end)
{
	struct shape part = s;
	part.at[0] = 1;
	struct value state = node(d, s);
	layer_say(d, "$%d = BufferTensor(state%d, %s, ", state.number, state.number, d->type);
	layer_add_shape(d, s.at, s.n);
	layer_say(d, ");\n");
	struct value x = layer_plain_source(d, part), y = node(d, s), z = node(d, s);
	layer_say(d, "$%d = UpdateNode($%d, $%d, $%d%s);\n", y.number, state.number, x.number, at.number,
		s.n == 3 ? ", 0, 0" : ", 0");
	layer_say(d, "$%d = SliceNode($%d, 0, $%d);\n", z.number, y.number, end.number);
	return z;
}

/* Attention to what has been seen so far: keys and values are states, and how many there are is known when it runs. */
static struct value decode(struct draw *d)
{
	int64_t t = layer_extent(d, 150) + 1, h = layer_extent(d, 6), k = layer_extent(d, 64);
	bool heads = chance(d, 60);
	struct shape row = heads ? shape_of(3, t, h, k, 0) : shape_of(2, t, k, 0, 0);
	struct shape own = heads ? shape_of(2, h, k, 0, 0) : shape_of(1, k, 0, 0, 0);
	struct value at = scalar(d, "at", t), end = scalar(d, "end", t), q = layer_source(d, own),
		     keys = cache(d, row, at, end), scores = node(d, own);
	layer_say(d, "$%d = EinsumNode(%s: $%d, $%d);\n", scores.number, heads ? "hd,thd->ht" : "d,td->t", q.number,
		keys.number);
	struct value scale = node(d, (struct shape){ 0, { 0 } }), scaled = node(d, own), p = node(d, own);
	layer_say(d, "$%d = FullNode(%s, [], 0.03125);\n$%d = MultiplyNode($%d, $%d);\n", scale.number, d->type, scaled.number,
		scores.number, scale.number);
	layer_say(d, "$%d = SoftmaxNode($%d);\n", p.number, scaled.number);
	struct value values = cache(d, row, at, end), y = node(d, own);
	layer_say(d, "$%d = EinsumNode(%s: $%d, $%d);\n", y.number, heads ? "ht,thd->hd" : "t,td->d", p.number, values.number);
	return y;
}

static struct value reduction(struct draw *d)
{
	static const char *const ops[] = { "ReduceSumNode", "ReduceMaxNode", "ReduceMinNode", "ReduceMeanNode",
		"ReduceSumNode" };
	struct shape s = { (int)between(d, 1, 4), { 0 } }, out = { 0, { 0 } };
	int64_t left = chance(d, 30) ? 400000 : 20000;
	char axes[64] = "";
	for (int i = 0; i < s.n; i++) {
		s.at[i] = layer_extent(d, i + 1 == s.n ? left : left < 300 ? left : 300);
		left = left / s.at[i] > 1 ? left / s.at[i] : 1;
	}
	for (int i = 0; i < s.n; i++) {
		if (chance(d, 50))
			(void)snprintf(axes + strlen(axes), sizeof axes - strlen(axes), "%s%d", axes[0] ? ", " : "", i);
		else
			out.at[out.n++] = s.at[i];
	}
	struct value x = layer_source(d, s), y;
	if (chance(d, 40))
		x = chance(d, 50) ? two(d, "Multiply", x, x) : two(d, "Sub", x, layer_source(d, s));
	if (!axes[0])
		out = (struct shape){ 0, { 0 } };
	y = node(d, out);
	layer_say(d, "$%d = %s($%d%s%s%s);\n", y.number, ops[between(d, 0, is_float(d) ? 4 : 2)], x.number,
		axes[0] ? ", [" : "", axes, axes[0] ? "]" : "");
	return y;
}

static struct value pointwise(struct draw *d)
{
	struct shape s = { (int)between(d, 1, 4), { 0 } };
	int64_t left = chance(d, 20) ? 300000 : 20000;
	for (int i = 0; i < s.n; i++) {
		s.at[i] = layer_extent(d, i + 1 == s.n ? left : left < 100 ? left : 100);
		left = left / s.at[i] > 1 ? left / s.at[i] : 1;
	}
	return two(d, "Sub", layer_source(d, s), layer_source(d, s));
}

void random_layer(struct lt_context *ctx, uint64_t seed, int64_t work, struct lt_graph **out, char *text, size_t bytes)
{
	static const char *const types[] = { "float32", "float32", "float32", "float32", "float64", "float16",
		"bfloat16", "int32", "int64", "int8" };
	static struct value (*const layers[])(struct draw *) = { einsum, einsum, einsum, chain, chain, conv, conv, pool,
		attention, norm, decode, reduction, pointwise };
	struct draw d = { .rng = seed * 31 + 7, .text = text, .bytes = bytes, .number = 1 };
	d.work = chance(&d, 15) ? work : work / between(&d, 2, 40);
	d.type = types[between(&d, 0, (int64_t)(sizeof types / sizeof *types) - 1)];
	int layer = (int)between(&d, 0, (int64_t)(sizeof layers / sizeof *layers) - 1);
	if (layer >= 5 && layer <= 10 && !is_float(&d))
		layer = 0;
	/* One seed in eight, so that the others draw what they drew before there were such layers. */
	struct value x = seed % 8 == 5 ? layer_steps(&d) : layers[layer](&d);
	if (chance(&d, 15))
		layer_say(&d, "result early = $%d;\n", x.number);
	if (chance(&d, 60))
		x = behind(&d, x);
	layer_say(&d, "result = $%d;\n", x.number);
	must(lt_parse(ctx, text, d.n, "layer", NULL, out) == LT_OK, "seed %llu: %s\n%s", (unsigned long long)seed,
		lt_context_message(ctx), text);
}

void random_layer_fill(void *data, int run, lt_node n, void *out)
{
	const struct random_layer_data *d = data;
	uint64_t rng = d->seed * 1000003 + (uint64_t)n * 7919 + (uint64_t)(d->g->node[n].op == LT_OP_constant ? 0 : run);
	enum lt_dtype t = d->g->node[n].dtype;
	int64_t n_elem = lt__node_elems(d->g, n);
	const char *label = d->g->node[n].label, *below = t == LT_I64 && label ? strchr(label, '_') : NULL;
	if (below) {
		int64_t limit = strtoll(below + 1, NULL, 10);
		((int64_t *)out)[0] = label[0] == 'a' ? random_between(&rng, 0, limit - 1) : random_between(&rng, 1, limit);
		return;
	}
	bool real = lt__dtype_info(t)->cls == LT_CLASS_FLOAT;
	for (int64_t i = 0; i < n_elem; i++) {
		union lt_scalar x;
		int64_t number = random_between(&rng, -6, 6);
		if (real)
			x.f = (double)number / 4;
		else
			x.i = number;
		lt__store(out, i, t, lt__round_to(x, t));
	}
	if (!real || d->seed % 3 || n_elem < 2)
		return;
	const double odd[] = { NAN, INFINITY, -INFINITY, -0.0, 1e30, -1e30 };
	for (int64_t i = random_between(&rng, 0, 3); i > 0; i--)
		lt__store(out, random_between(&rng, 0, n_elem - 1), t,
			lt__round_to((union lt_scalar){ .f = odd[random_between(&rng, 0, 5)] }, t));
}
