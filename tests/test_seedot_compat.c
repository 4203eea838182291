/* test_seedot_compat.c -- SeeDot's own fixed point as nodes, against its formulas as plain loops of C, bit for bit. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/seedot/compat/compat.h"
#include "lt/lt.h"

static struct lt_context *ctx;
static uint64_t seed = 0x5eed0715;

static void begin(void) { lt_context_new(&ctx); }
static void end(void) { lt_context_free(ctx); }
TestSuite(seedot_compat, .init = begin, .fini = end, .timeout = 120);

static int64_t draw(int64_t low, int64_t high)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return low + (int64_t)((seed >> 33) % (uint64_t)(high - low + 1));
}

static int32_t wrap(int64_t x, int32_t bits) { return bits == 8 ? (int8_t)x : bits == 16 ? (int16_t)x : (int32_t)x; }
static int32_t divisor(int32_t shift) { return shift >= 15 ? 32767 : 1 << shift; }

static int32_t load(const void *at, int64_t i, int32_t bits)
{
	return bits == 8 ? ((const int8_t *)at)[i] : bits == 16 ? ((const int16_t *)at)[i] : ((const int32_t *)at)[i];
}

/* Extremes come often. */
static void fill(void *at, int64_t n, int32_t bits)
{
	const int64_t most = (1 << (bits - 1)) - 1;

	for (int64_t i = 0; i < n; i++) {
		const int64_t kind = draw(0, 9), x = kind == 0 ? most : kind == 1 ? -most - 1 : kind == 2 ? 0 : draw(-most - 1, most);

		if (bits == 8)
			((int8_t *)at)[i] = (int8_t)x;
		else
			((int16_t *)at)[i] = (int16_t)x;
	}
}

static void run(struct lt_graph *g, const void *a, const void *b, void *y)
{
	const struct lt_options o = { .size = sizeof o, .backends = "ref" };
	struct lt_program *p;
	struct lt_instance *instance;

	cr_assert_eq(lt_compile(ctx, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_instance_new(p, &instance), LT_OK);
	cr_assert_eq(lt_instance_run(instance, (const void *[]){ a, b }, (void *[]){ y }), LT_OK);
	lt_instance_free(instance);
	lt_program_free(p);
}

static enum lt_dtype type_of(int32_t bits) { return bits == 8 ? LT_I8 : LT_I16; }

/* The tree of seedot.md, in place. */
static int32_t tree(int32_t *t, int64_t n, int32_t bits, const struct compat_steps *s)
{
	for (int32_t level = 0; level < s->halved + s->plain; level++, n = (n + 1) / 2)
		for (int64_t p = 0; p < (n + 1) / 2; p++) {
			const int32_t by = level < s->halved ? 2 : 1;

			t[p] = wrap((int64_t)t[2 * p] / by + (2 * p + 1 < n ? t[2 * p + 1] / by : 0), bits);
		}
	return t[0];
}

static struct compat_rule rule_of(int kind)
{
	return (struct compat_rule){ .wide = kind == 0, .derives = kind == 1, .maxscale = (int32_t)draw(-15, 0) };
}

Test(seedot_compat, products)
{
	enum { MOST = 40 };
	int tried = 0, wide = 0;

	for (int round = 0; round < 400; round++) {
		const int64_t m = draw(1, 3), n = draw(1, 3), k = draw(1, 10) == 1 ? MOST : draw(1, 17);
		const struct compat_rule rule = rule_of(round % 2);
		const struct compat_value a = { rule.wide && draw(0, 1) ? 8 : 16, (int32_t)draw(-15, 0) },
			b = { rule.wide && draw(0, 1) ? 8 : 16, (int32_t)draw(-15, 0) },
			out = { rule.wide && draw(0, 1) ? 8 : 16, (int32_t)draw(-20, 6) };
		const int32_t native = out.bits == 8 ? out.scale - 8 + (int32_t)draw(0, 2) : out.scale;
		const int32_t kept = (a.bits > b.bits ? a.bits : b.bits) * (rule.wide ? 2 : 1);
		struct compat_steps s;
		int16_t x[3 * MOST], w[3 * MOST], y[9];
		struct lt_graph *g;

		if (!lt__compat_steps(&rule, a, b, native, out, k, &s) || s.demote > 30)
			continue;
		tried++;
		wide += rule.wide;
		lt_graph_new(ctx, &g);
		const lt_var vm = lt_graph_var(g, "m", m), vk = lt_graph_var(g, "k", k), vn = lt_graph_var(g, "n", n);
		const lt_node nx = lt_graph_input(g, "x", type_of(a.bits), 2, (lt_var[]){ vm, vk });
		const lt_node nw = lt_graph_input(g, "w", type_of(b.bits), 2, (lt_var[]){ vk, vn });
		lt_graph_result(g, "y", lt__compat_product(g, nx, nw, 2, (lt_var[]){ vm, vn }, 1, &vk, &rule, &s, out.bits));
		fill(x, m * k, a.bits);
		fill(w, k * n, b.bits);
		run(g, x, w, y);
		for (int64_t i = 0; i < m; i++)
			for (int64_t j = 0; j < n; j++) {
				int32_t t[MOST], sum;

				for (int64_t q = 0; q < k; q++) {
					t[q] = wrap((int64_t)load(x, i * k + q, a.bits) * load(w, q * n + j, b.bits), 32);
					t[q] = wrap(rule.wide ? t[q] : t[q] / ((int64_t)divisor(s.shift_a) * divisor(s.shift_b)), kept);
				}
				sum = tree(t, k, kept, &s);
				sum = rule.wide ? sum / divisor(s.shift_a) / divisor(s.shift_b) : sum;
				sum = wrap(sum / (1 << s.demote), out.bits);
				cr_expect_eq(load(y, i * n + j, out.bits), sum, "round %d: %d, not %d", round,
					load(y, i * n + j, out.bits), sum);
			}
		lt_graph_free(g);
	}
	cr_expect(tried > 150 && wide > 100, "%d tried, %d wide", tried, wide);
}

/* A convolution is a sum over rows, columns and channels of the filter, in that order; what is outside the image
 * takes its
 * place in the tree as a 0. */
Test(seedot_compat, convolutions)
{
	enum { MOST = 6, CHANNELS = 3, OUT = 2, TERMS = 27 };
	int tried = 0;

	for (int round = 0; round < 60; round++) {
		const int64_t h = draw(1, MOST), w = draw(1, MOST), c = draw(1, CHANNELS), fh = draw(1, 3), fw = draw(1, 3);
		const int64_t pads[4] = { draw(0, 2), draw(0, 2), draw(0, 2), draw(0, 2) };
		const int64_t strides[2] = { draw(1, 2), draw(1, 2) }, dilations[2] = { draw(1, 2), draw(1, 2) };
		const int64_t rows = (h + pads[0] + pads[1] - dilations[0] * (fh - 1) - 1) / strides[0] + 1;
		const int64_t columns = (w + pads[2] + pads[3] - dilations[1] * (fw - 1) - 1) / strides[1] + 1;
		const struct compat_rule rule = { .wide = true };
		const int32_t scale = (int32_t)draw(-28, -12);
		struct compat_steps s;
		int16_t x[MOST * MOST * CHANNELS], f[TERMS * OUT], y[MOST * 2 * MOST * 2 * OUT];
		struct lt_graph *g;

		if (h + pads[0] + pads[1] < dilations[0] * (fh - 1) + 1 || w + pads[2] + pads[3] < dilations[1] * (fw - 1) + 1
		    || !lt__compat_steps(&rule, (struct compat_value){ 16, -14 }, (struct compat_value){ 16, -12 }, scale,
			(struct compat_value){ 16, scale }, fh * fw * c, &s))
			continue;
		tried++;
		lt_graph_new(ctx, &g);
		const lt_var vh = lt_graph_var(g, "h", h), vw = lt_graph_var(g, "w", w), vc = lt_graph_var(g, "c", c);
		const lt_var vi = lt_graph_var(g, "i", fh), vj = lt_graph_var(g, "j", fw), vo = lt_graph_var(g, "o", OUT);
		const lt_var vy = lt_graph_var(g, "y", rows), vx = lt_graph_var(g, "x", columns);
		lt_node image = lt_graph_input(g, "x", LT_I16, 3, (lt_var[]){ vh, vw, vc });
		const lt_node filter = lt_graph_input(g, "f", LT_I16, 4, (lt_var[]){ vi, vj, vc, vo });
		image = lt_graph_window(g, image, 0, vy, vi, strides[0], dilations[0], pads[0], 0);
		image = lt_graph_window(g, image, 2, vx, vj, strides[1], dilations[1], pads[2], 0);
		lt_graph_result(g, "y", lt__compat_product(g, image, filter, 3, (lt_var[]){ vy, vx, vo }, 3,
			(lt_var[]){ vi, vj, vc }, &rule, &s, 16));
		fill(x, h * w * c, 16);
		fill(f, fh * fw * c * OUT, 16);
		run(g, x, f, y);
		for (int64_t at = 0; at < rows * columns * OUT; at++) {
			const int64_t o = at % OUT, ax = at / OUT % columns, ay = at / OUT / columns;
			int32_t t[TERMS];
			int64_t n = 0;

			for (int64_t i = 0; i < fh; i++)
				for (int64_t j = 0; j < fw; j++)
					for (int64_t q = 0; q < c; q++) {
						const int64_t r = ay * strides[0] + i * dilations[0] - pads[0];
						const int64_t k = ax * strides[1] + j * dilations[1] - pads[2];
						const bool there = r >= 0 && r < h && k >= 0 && k < w;

						t[n++] = there ? x[(r * w + k) * c + q] * f[((i * fw + j) * c + q) * OUT + o] : 0;
					}
			const int32_t sum = tree(t, n, 32, &s) / divisor(s.shift_a) / divisor(s.shift_b) / (1 << s.demote);
			cr_expect_eq(y[at], (int16_t)sum, "round %d: %d, not %d", round, y[at], (int16_t)sum);
		}
		lt_graph_free(g);
	}
	cr_expect(tried > 30, "%d", tried);
}

/* Known answers, by the rules of docs/seedot.md by hand: what is rolled back, and in which order. */
static const struct steps_case { int32_t a, b, native, out; int64_t terms; struct compat_steps want; } steps_cases[] = {
	/* the profile asks for 2 levels of 4 */
	{ -12, -10, -20, -20, 16, { 0, 0, 2, 2, 0, -20 } },
	/* and for 6 of 4: two are divided before */
	{ -12, -10, -16, -16, 16, { 1, 1, 4, 0, 0, -16 } },
	/* an odd rest goes to the second */
	{ -12, -10, -15, -15, 16, { 1, 2, 4, 0, 0, -15 } },
	/* a result that is stored in fewer bits */
	{ -12, -10, -20, -12, 16, { 0, 0, 2, 2, 8, -12 } },
	/* it is stored finer than its profile: fewer levels halve */
	{ -12, -10, -20, -21, 16, { 0, 0, 1, 3, 0, -21 } },
	/* finer than the product itself: the product's scale is kept */
	{ -12, -10, -20, -25, 16, { 0, 0, 0, 4, 0, -22 } },
	{ -12, -10, -22, -22, 1, { 0, 0, 0, 0, 0, -22 } },
};

Test(seedot_compat, steps_of_a_product)
{
	const struct compat_rule wide = { .wide = true };

	for (size_t i = 0; i < sizeof steps_cases / sizeof *steps_cases; i++) {
		const struct steps_case *c = &steps_cases[i];
		struct compat_steps s;

		cr_assert(lt__compat_steps(&wide, (struct compat_value){ 16, c->a }, (struct compat_value){ 16, c->b }, c->native,
			(struct compat_value){ 16, c->out }, c->terms, &s));
		cr_expect(!memcmp(&s, &c->want, sizeof s), "row %zu: %d %d %d %d %d %d", i, s.shift_a, s.shift_b, s.halved, s.plain,
			s.demote, s.scale);
	}
}

Test(seedot_compat, sums)
{
	enum { N = 24 };

	for (int round = 0; round < 200; round++) {
		const struct compat_rule rule = rule_of(round % 2);
		const struct compat_value a = { draw(0, 1) ? 8 : 16, (int32_t)draw(-15, 0) },
			b = { draw(0, 1) ? 8 : 16, (int32_t)draw(-15, 0) }, out = { draw(0, 1) ? 8 : 16, (int32_t)draw(-18, 6) };
		struct compat_add s;
		int16_t x[N], w[N], y[N];
		struct lt_graph *g;

		lt__compat_add_steps(&rule, a, b, out, &s);
		lt_graph_new(ctx, &g);
		const lt_var v = lt_graph_var(g, "n", N);
		const lt_node nx = lt_graph_input(g, "x", type_of(a.bits), 1, &v), nw = lt_graph_input(g, "w", type_of(b.bits), 1,
			&v);
		lt_graph_result(g, "y", lt__compat_sum(g, round % 3 ? "add" : "sub", nx, nw, &s, out.bits));
		fill(x, N, a.bits);
		fill(w, N, b.bits);
		run(g, x, w, y);
		for (int i = 0; i < N; i++) {
			const int32_t common = a.scale > b.scale ? a.scale : b.scale;
			const int32_t scale = rule.derives ? common + (common < rule.maxscale) : out.scale;
			int32_t c = scale > common ? scale - common : 0, demote = 0;

			if (!rule.derives && c >= 8) {
				demote = c - 8;
				c = 8;
			}
			const int32_t l = load(x, i, a.bits) / divisor(common - a.scale) / divisor(c);
			const int32_t r = load(w, i, b.bits) / divisor(common - b.scale) / divisor(c);
			const int32_t widest = a.bits == 16 || b.bits == 16 || out.bits == 16 ? 16 : 8;
			int32_t want = wrap(round % 3 ? l + r : l - r, widest);

			want = wrap(want / (1 << demote), out.bits);
			want = wrap((int64_t)want * (1 << (scale < common ? common - scale : 0)), out.bits);
			cr_expect_eq(load(y, i, out.bits), want, "round %d: %d, not %d", round, load(y, i, out.bits), want);
		}
		lt_graph_free(g);
	}
}

static int16_t coarse[256], fine[128];
static int8_t bytes[128];

static int32_t exp16(int32_t v) { return coarse[v / 128] * fine[v % 128] / 16384; }

static int32_t sigmoid(int32_t x, int32_t bits)
{
	if (bits == 8)
		return x > 0 ? 4096 / (64 + bytes[x]) : 64 * bytes[x < -127 ? 127 : -x] / (64 + bytes[x < -127 ? 127 : -x]);
	if (x > 0)
		return 267943936 / (16384 + exp16(x));
	return 16384 * exp16(x < -32767 ? 32767 : -x) / (16384 + exp16(x < -32767 ? 32767 : -x));
}

static int32_t tanh_of(int32_t x, int32_t bits)
{
	const int32_t size = x < 0 ? -x : x;

	if (bits == 8) {
		/* Where -2x wraps to a number above 0, SeeDot takes the table's last one. */
		const int8_t twice = (int8_t)(-2 * size);
		const int at = twice > 0 || twice == -128 ? 127 : -twice;

		return (x < 0 ? -1 : 1) * (64 * (64 - bytes[at]) / (64 + bytes[at]));
	}
	const int32_t b = exp16(2 * size > 32767 ? 32767 : 2 * size);
	return (x < 0 ? -1 : 1) * (16384 * (16384 - b) / (16384 + b));
}

static void each_number(int32_t bits, int which)
{
	const int64_t n = bits == 8 ? 256 : 65536;
	int16_t *x = malloc((size_t)n * 2), *y = malloc((size_t)n * 2);
	struct lt_graph *g;

	lt_graph_new(ctx, &g);
	const lt_var v = lt_graph_var(g, "n", n), v256 = lt_graph_var(g, "c", 256), v128 = lt_graph_var(g, "f", 128);
	const struct compat_tables t = { lt_graph_constant(g, "coarse", LT_I16, 1, &v256),
		lt_graph_constant(g, "fine", LT_I16, 1, &v128), lt_graph_constant(g, "bytes", LT_I8, 1, &v128) };
	lt_graph_content(g, t.coarse, coarse);
	lt_graph_content(g, t.fine, fine);
	lt_graph_content(g, t.bytes, bytes);
	const lt_node in = lt_graph_input(g, "x", type_of(bits), 1, &v);
	lt_graph_result(g, "y", which == 0 ? lt__compat_exp(g, in, &t, bits, bits)
		: which == 1 ? lt__compat_sigmoid(g, in, &t, bits)
		: lt__compat_tanh(g, in, &t, bits));
	for (int64_t i = 0; i < n; i++) {
		if (bits == 8)
			((int8_t *)x)[i] = (int8_t)(i - 128);
		else
			x[i] = (int16_t)(i - 32768);
	}
	run(g, x, NULL, y);
	for (int64_t i = 0; i < n; i++) {
		const int32_t at = (int32_t)(i - n / 2), most = bits == 8 ? 127 : 32767, v_ = -at > most ? most : -at;
		/* exp takes numbers up to 0, tanh of 16 bits those whose double has 16 bits. */
		if ((which == 0 && at > 0) || (which == 2 && bits == 16 && abs(at) > 16384))
			continue;
		const int32_t want = which == 0 ? (bits == 8 ? bytes[v_] : exp16(v_)) : which == 1 ? sigmoid(at, bits)
			: tanh_of(at, bits);

		cr_expect_eq(load(y, i, bits), want, "function %d of %d in %d bits: %d, not %d", which, at, bits, load(y, i, bits),
			want);
	}
	lt_graph_free(g);
	free(x);
	free(y);
}

Test(seedot_compat, functions_of_all_numbers)
{
	lt__compat_tables(coarse, fine, bytes);
	cr_expect(coarse[0] == 16384 && coarse[16] == 6027 && fine[127] == 15399 && bytes[127] == 0 && bytes[16] == 24);
	for (int which = 0; which < 3; which++) {
		each_number(8, which);
		each_number(16, which);
	}
}

/* What docs/seedot.md says of it: a jump at 0. */
Test(seedot_compat, sigmoid_jumps)
{
	lt__compat_tables(coarse, fine, bytes);
	cr_expect_eq(sigmoid(0, 16), 8192);
	cr_expect_eq(267943936, 16384 * 16354);
	cr_expect_eq(267943936 / (16384 + exp16(0)), 8177);
	cr_expect(tanh_of(-128, 8) == 0 && tanh_of(-100, 8) == -64 && tanh_of(64, 8) == 64);
}
