/* random_default.c -- graphs for default trees, as texts. */
#include <stdarg.h>
#include <string.h>
#include "check/random/must.h"
#include "tests/random_default.h"

enum { MAX_VARS = 24, MAX_VALUES = 64, MAX_RANK = 5, MAX_TEXT = 12000 };

struct drawn_var { int64_t extent; bool bounded; };
struct drawn_value { int n; int dim[MAX_RANK]; bool source, half; };       /* half: the next is its cast */
struct drawn {
	uint64_t rng;
	int64_t work;
	const char *type;
	bool whole;                     /* integers: no exp */
	struct drawn_var var[MAX_VARS]; int n_var;
	struct drawn_value value[MAX_VALUES]; int n_value;
	int n_input;
	char text[MAX_TEXT]; size_t n;
};

static const int64_t extents[] = { 1, 2, 3, 4, 7, 8, 16, 17, 31, 32, 33, 40, 49, 63, 64, 65, 100, 128, 129, 200, 256,
	257, 384, 500, 1000, 1024, 1025, 2048, 4096, 4097 };

static int below(struct drawn *d, int n) { return (int)random_between(&d->rng, 0, n - 1); }
static bool chance(struct drawn *d, int percent) { return random_chance(&d->rng, percent); }

__attribute__((format(printf, 2, 3))) static void drawn_write(struct drawn *d, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	int n = vsnprintf(d->text + d->n, MAX_TEXT - d->n, fmt, list);
	va_end(list);
	must(n >= 0 && d->n + (size_t)n < MAX_TEXT, "a drawn graph is too long");
	d->n += (size_t)n;
}

static int new_var(struct drawn *d, int64_t extent)
{
	must(d->n_var < MAX_VARS, "too many vars");
	d->var[d->n_var] = (struct drawn_var){ .extent = extent };
	return d->n_var++;
}

static bool has_var(const struct drawn_value *v, int var)
{
	for (int i = 0; i < v->n; i++)
		if (v->dim[i] == var)
			return true;
	return false;
}

static double work_of(const struct drawn *d, const struct drawn_value *v)
{
	double all = 1;
	for (int i = 0; i < v->n; i++)
		all *= (double)d->var[v->dim[i]].extent;
	return all;
}

/* An extent with which what has these dims is not too much. */
static int64_t extent_for(struct drawn *d, double others, int64_t max)
{
	int64_t x = extents[below(d, sizeof extents / sizeof *extents)];
	while (x > 1 && ((double)x * others > (double)d->work || x > max))
		x /= 2;
	return x;
}

static void shuffle(struct drawn *d, struct drawn_value *v)
{
	for (int i = v->n; i-- > 1; ) {
		int k = below(d, i + 1), kept = v->dim[i];
		v->dim[i] = v->dim[k];
		v->dim[k] = kept;
	}
}

/* All dims of both; more than fit: those of the first alone. */
static bool unite(const struct drawn_value *a, const struct drawn_value *b, struct drawn_value *out)
{
	*out = (struct drawn_value){ .n = a->n };
	memcpy(out->dim, a->dim, sizeof out->dim);
	for (int i = 0; i < b->n; i++)
		if (!has_var(a, b->dim[i])) {
			if (out->n == MAX_RANK)
				return false;
			out->dim[out->n++] = b->dim[i];
		}
	return true;
}

/* The beginning of a node's line. */
static int begin(struct drawn *d, const struct drawn_value *v, const char *type)
{
	must(d->n_value < MAX_VALUES, "too many values");
	d->value[d->n_value] = *v;
	d->value[d->n_value].source = d->value[d->n_value].half = false;
	drawn_write(d, "%%v%d = %s[", d->n_value, type);
	for (int i = 0; i < v->n; i++)
		drawn_write(d, "%sd%d", i ? ", " : "", v->dim[i]);
	drawn_write(d, "] ");
	return d->n_value++;
}

/* Any value of the graph's type. */
static int draw_old(struct drawn *d)
{
	int x = below(d, d->n_value);
	return x + d->value[x].half;
}

static int draw_source(struct drawn *d, struct drawn_value v)
{
	bool half = !strcmp(d->type, "f32") && chance(d, 12);
	const char *kind = chance(d, 25) ? "constant" : "input";
	bool limited = false;
	for (int i = 0; i < v.n; i++)
		limited = limited || d->var[v.dim[i]].bounded;
	int at = begin(d, &v, half ? "bf16" : d->type);
	drawn_write(d, "%s \"x%d\"\n", limited ? "input" : kind, d->n_input++);
	d->value[at].source = true;
	d->value[at].half = half;
	if (half) {
		int cast = begin(d, &v, d->type);
		drawn_write(d, "cast %%v%d\n", at);
		return cast;
	}
	return at;
}

static int draw_unary(struct drawn *d, int x)
{
	static const char *const any[] = { "neg", "abs" }, *const floats[] = { "tanh", "neg", "exp" };
	struct drawn_value v = d->value[x];
	if (chance(d, 30))
		shuffle(d, &v);
	const char *op = d->whole || chance(d, 60) ? any[below(d, 2)] : floats[below(d, 3)];
	int at = begin(d, &v, d->type);
	drawn_write(d, "%s %%v%d\n", op, x);
	return at;
}

static int draw_binary(struct drawn *d, int x, int y, const char *op, bool mixed)
{
	struct drawn_value v;
	if (!unite(&d->value[x], &d->value[y], &v) || work_of(d, &v) > (double)d->work)
		return x;
	if (mixed)
		shuffle(d, &v);
	int at = begin(d, &v, d->type);
	drawn_write(d, "%s %%v%d, %%v%d\n", op, x, y);
	return at;
}

/* What is left of x without the dims whose bit is in `gone`. */
static int draw_fold(struct drawn *d, int x, unsigned gone, const char *op, bool mixed)
{
	struct drawn_value v = { 0 };
	for (int i = 0; i < d->value[x].n; i++)
		if (!(gone >> i & 1))
			v.dim[v.n++] = d->value[x].dim[i];
	if (mixed)
		shuffle(d, &v);
	int at = begin(d, &v, d->type);
	drawn_write(d, "%s.reduce %%v%d\n", op, x);
	return at;
}

static int draw_reduce(struct drawn *d, int x)
{
	static const char *const ops[] = { "add", "max", "min", "add" };
	unsigned gone = (unsigned)below(d, 1 << d->value[x].n);
	return d->value[x].n == 0 ? x : draw_fold(d, x, gone ? gone : 1, ops[below(d, 4)], chance(d, 40));
}

/* x times a factor over one of its dims and a new one, or none. */
static int draw_product(struct drawn *d, int x)
{
	const struct drawn_value *of = &d->value[x];
	struct drawn_value w = { 0 };
	if (of->n < 1 || d->n_var + 1 >= MAX_VARS)
		return x;
	int deep = of->dim[below(d, of->n)];
	w.dim[w.n++] = deep;
	if (chance(d, 90) && of->n < MAX_RANK)
		w.dim[w.n++] = new_var(d, extent_for(d, work_of(d, of), 4097));
	if (chance(d, 25) && of->dim[0] != deep)
		w.dim[w.n++] = of->dim[0];              /* a batch */
	if (chance(d, 40))
		shuffle(d, &w);
	int y = draw_source(d, w), mul = draw_binary(d, x, y, "mul", chance(d, 30));
	unsigned gone = 0;
	for (int i = 0; i < d->value[mul].n; i++)
		gone |= d->value[mul].dim[i] == deep ? 1u << i : 0;
	return mul == x || !gone ? x : draw_fold(d, mul, gone, "add", chance(d, 25));
}

/* A row gone through again: softmax, or what is left without its mean square. */
static int draw_rows(struct drawn *d, int x)
{
	if (d->value[x].n == 0)
		return x;
	unsigned row = 1u << (chance(d, 70) ? d->value[x].n - 1 : below(d, d->value[x].n));
	bool soft = !d->whole && chance(d, 60);
	int of = soft ? draw_fold(d, x, row, "max", false)
		: draw_fold(d, draw_binary(d, x, x, "mul", false), row, "add", false);
	int left = draw_binary(d, x, of, "sub", false);
	if (!soft)
		return left;
	int e = begin(d, &d->value[left], d->type);
	drawn_write(d, "exp %%v%d\n", left);
	return draw_binary(d, e, draw_fold(d, e, row, "add", false), "div", false);
}

/* A view of x with dim i read elsewhere, along a new var. */
static int draw_view(struct drawn *d, int x)
{
	struct drawn_value v = d->value[x];
	int i = v.n ? below(d, v.n) : -1;
	if (i < 0 || d->var[v.dim[i]].bounded || d->n_var + 2 >= MAX_VARS)
		return x;
	int64_t extent = d->var[v.dim[i]].extent, out = extent, first = 0, step = 1;
	bool filled = false;
	switch (below(d, 4)) {
	case 0:                         /* a slice */
		first = random_between(&d->rng, 0, extent - 1);
		out = extent - first;
		break;
	case 1:                         /* a fill at both ends */
		first = -random_between(&d->rng, 0, 3);
		out = extent - first + random_between(&d->rng, 0, 3);
		filled = true;
		break;
	case 2:                         /* from the end */
		first = extent - 1;
		step = -1;
		break;
	default:                        /* every second one */
		step = 2;
		out = (extent + 1) / 2;
	}
	int of = v.dim[i], made = v.dim[i] = new_var(d, out);
	if (work_of(d, &v) > (double)d->work)
		return x;
	if (chance(d, 20))
		shuffle(d, &v);
	int at = begin(d, &v, d->type);
	drawn_write(d, "view { %%v%d[", x);
	for (int k = 0; k < d->value[x].n; k++) {
		int var = d->value[x].dim[k];
		drawn_write(d, k ? ", " : "");
		if (var == of)
			drawn_write(d, "%lld%s%lld*d%d", (long long)first, step < 0 ? " - " : " + ",
				(long long)(step < 0 ? -step : step), made);
		else
			drawn_write(d, "d%d", var);
	}
	drawn_write(d, "]");
	if (filled)
		drawn_write(d, " if d%d - %lld >= 0, %lld - d%d >= 0; else 0", made, (long long)-first,
			(long long)(extent - 1 - first), made);
	else if (first + step * (out - 1) >= extent)
		must(0, "a view past the end");
	drawn_write(d, filled && !d->whole ? ".0 }\n" : " }\n");
	return at;
}

/* Two neighbouring dims of x as one, or one as two. */
static int draw_reshape(struct drawn *d, int x)
{
	struct drawn_value v = d->value[x];
	int i = v.n ? below(d, v.n) : -1;
	if (i < 0 || d->var[v.dim[i]].bounded || d->n_var + 2 >= MAX_VARS)
		return x;
	int64_t extent = d->var[v.dim[i]].extent;
	if (i + 1 < v.n && !d->var[v.dim[i + 1]].bounded) {
		int64_t inner = d->var[v.dim[i + 1]].extent;
		int made = new_var(d, extent * inner);
		for (int k = i + 1; k + 1 < v.n; k++)
			v.dim[k] = v.dim[k + 1];
		v.n--;
		v.dim[i] = made;
		int at = begin(d, &v, d->type);
		drawn_write(d, "view { %%v%d[", x);
		for (int k = 0; k < d->value[x].n; k++) {
			drawn_write(d, k ? ", " : "");
			if (k == i)
				drawn_write(d, "floor(d%d / %lld)", made, (long long)inner);
			else if (k == i + 1)
				drawn_write(d, "d%d - %lld*floor(d%d / %lld)", made, (long long)inner, made, (long long)inner);
			else
				drawn_write(d, "d%d", d->value[x].dim[k]);
		}
		drawn_write(d, "] }\n");
		return at;
	}
	int64_t inner = extent % 4 == 0 ? 4 : extent % 2 == 0 ? 2 : 0;
	if (!inner || v.n == MAX_RANK)
		return x;
	int outer = new_var(d, extent / inner), in = new_var(d, inner);
	for (int k = v.n; k > i + 1; k--)
		v.dim[k] = v.dim[k - 1];
	v.n++;
	v.dim[i] = outer;
	v.dim[i + 1] = in;
	int at = begin(d, &v, d->type);
	drawn_write(d, "view { %%v%d[", x);
	for (int k = 0; k < d->value[x].n; k++)
		if (k == i)
			drawn_write(d, "%s%lld*d%d + d%d", k ? ", " : "", (long long)inner, outer, in);
		else
			drawn_write(d, "%sd%d", k ? ", " : "", d->value[x].dim[k]);
	drawn_write(d, "] }\n");
	return at;
}

/* A convolution along one dim of x, or along two, over what is left as channels. */
static int draw_window(struct drawn *d, int x)
{
	struct drawn_value v = d->value[x], w = { 0 };
	int sides = v.n >= 3 && chance(d, 50) ? 2 : 1, of[2], out[2], win[2];
	if (v.n < 2 || v.n + sides > MAX_RANK || d->n_var + 6 >= MAX_VARS)
		return x;
	int64_t size = chance(d, 70) ? 3 : 2, pad = chance(d, 60) ? 1 : 0, stride = chance(d, 70) ? 1 : 2;
	for (int s = 0; s < sides; s++) {
		of[s] = v.dim[v.n - 1 - s];
		int64_t n = (d->var[of[s]].extent + 2 * pad - size) / stride + 1;
		if (d->var[of[s]].bounded || d->var[of[s]].extent + 2 * pad < size || n < 1)
			return x;
		out[s] = new_var(d, n);
		win[s] = new_var(d, size);
		v.dim[v.n - 1 - s] = out[s];
	}
	int channel = v.dim[v.n - 1 - sides];
	for (int s = 0; s < sides; s++)
		v.dim[v.n++] = win[s];
	int filters = new_var(d, extent_for(d, work_of(d, &v), 300));
	if (work_of(d, &v) * (double)d->var[filters].extent > (double)d->work)
		return x;
	int view = begin(d, &v, d->type);
	drawn_write(d, "view { %%v%d[", x);
	for (int k = 0; k < d->value[x].n; k++) {
		int s = d->value[x].dim[k] == of[0] ? 0 : sides == 2 && d->value[x].dim[k] == of[1] ? 1 : -1;
		if (s < 0)
			drawn_write(d, "%sd%d", k ? ", " : "", d->value[x].dim[k]);
		else
			drawn_write(d, "%s%lld*d%d + d%d - %lld", k ? ", " : "", (long long)stride, out[s], win[s], (long long)pad);
	}
	drawn_write(d, "]");
	for (int s = 0; pad && s < sides; s++)
		drawn_write(d, "%s %lld*d%d + d%d - %lld >= 0, %lld - %lld*d%d - d%d >= 0", s ? "," : " if",
			(long long)stride, out[s], win[s], (long long)pad, (long long)(d->var[of[s]].extent - 1 + pad),
			(long long)stride, out[s], win[s]);
	drawn_write(d, pad ? d->whole ? "; else 0 }\n" : "; else 0.0 }\n" : " }\n");
	w.dim[w.n++] = filters;
	w.dim[w.n++] = channel;
	for (int s = 0; s < sides; s++)
		w.dim[w.n++] = win[s];
	struct drawn_value all;
	if (d->var[channel].bounded || !unite(&d->value[view], &w, &all)) {
		/* without channels: what is in a window is summed */
		unsigned gone = 0;
		for (int i = 0; i < v.n; i++)
			gone |= v.dim[i] == win[0] || (sides == 2 && v.dim[i] == win[1]) ? 1u << i : 0;
		return draw_fold(d, view, gone, chance(d, 50) ? "add" : "max", false);
	}
	int mul = draw_binary(d, view, draw_source(d, w), "mul", chance(d, 30));
	unsigned gone = 0;
	for (int i = 0; mul != view && i < d->value[mul].n; i++)
		gone |= !has_var(&w, d->value[mul].dim[i]) || d->value[mul].dim[i] == filters ? 0 : 1u << i;
	return gone ? draw_fold(d, mul, gone, "add", chance(d, 20)) : view;
}

/* A bias, along one dim. */
static int draw_bias(struct drawn *d, int x)
{
	struct drawn_value v = { .n = 1 };
	if (d->value[x].n == 0)
		return x;
	v.dim[0] = d->value[x].dim[below(d, d->value[x].n)];
	return draw_binary(d, x, draw_source(d, v), "add", false);
}

static int draw_step(struct drawn *d, int x)
{
	static const char *const ops[] = { "add", "sub", "mul", "max" };
	int kind = below(d, 100);
	if (kind < 14)
		return draw_unary(d, x);
	if (kind < 24)
		return draw_binary(d, x, draw_old(d), "add", chance(d, 40));
	if (kind < 32)
		return draw_binary(d, x, x, ops[below(d, 4)], false);
	if (kind < 44)
		return draw_reduce(d, x);
	if (kind < 64)
		return draw_product(d, x);
	if (kind < 74)
		return draw_rows(d, x);
	if (kind < 80)
		return draw_view(d, x);
	if (kind < 85)
		return draw_reshape(d, x);
	return kind < 93 ? draw_window(d, x) : draw_bias(d, x);
}

/* The node named last is a result; perhaps others. */
static void draw_results(struct drawn *d, int last)
{
	int n = 0;
	for (int i = 0; i < d->n_value; i++)
		if (!d->value[i].source && (i == last || chance(d, 6)))
			drawn_write(d, "result \"r%d\" = %%v%d\n", n++, i);
}

static void draw(struct drawn *d)
{
	static const char *const types[] = { "f32", "f32", "f32", "f32", "f32", "f32", "f64", "i32" };
	struct drawn_value v = { .n = 1 + below(d, 4) };
	d->type = types[below(d, 8)];
	d->whole = *d->type == 'i';
	double all = 1;
	for (int i = 0; i < v.n; i++) {
		v.dim[i] = new_var(d, extent_for(d, all, 4097));
		all *= (double)d->var[v.dim[i]].extent;
	}
	if (chance(d, 20))
		d->var[v.dim[below(d, v.n)]].bounded = true;
	int x = draw_unary(d, draw_source(d, v)), steps = 1 + below(d, 6);
	for (int i = 0; i < steps && d->n_value + 12 < MAX_VALUES; i++) {
		x = draw_step(d, x);
		if (chance(d, 10))
			x = draw_old(d);
	}
	draw_results(d, d->value[x].source ? draw_unary(d, x) : x);
}

void random_default_new(
	struct lt_context *ctx, uint64_t seed, int64_t work, struct random_graph *out, char *text, size_t bytes)
{
	struct drawn d = { .rng = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .work = work };
	int64_t max = -1;
	draw(&d);
	size_t n = (size_t)snprintf(text, bytes, "graph 1\n");
	for (int i = 0; i < d.n_var; i++) {
		n += (size_t)snprintf(text + n, bytes - n, "var d%d %lld%s\n", i, (long long)d.var[i].extent,
			d.var[i].bounded ? " limit n" : "");
		max = d.var[i].bounded ? d.var[i].extent : max;
	}
	if (max >= 0)
		n += (size_t)snprintf(text + n, bytes - n, "param n = %%n[0] in 0..%lld\n%%n = i64[] input \"n\"\n",
			(long long)max);
	must(n + d.n < bytes, "a drawn graph is too long");
	memcpy(text + n, d.text, d.n + 1);
	*out = (struct random_graph){ .exact = random_chance(&d.rng, 50) };
	must(lt_graph_parse(ctx, text, strlen(text), "drawn", &out->g) == LT_OK, "%s\n%s", lt_context_message(ctx), text);
	for (lt_node i = 0; max >= 0 && i < out->g->n_node; i++)
		if (out->g->node[i].op == LT_OP_input && !strcmp(out->g->node[i].name, "n")) {
			out->source = calloc(1, sizeof *out->source);
			must(out->source, "out of memory");
			out->n_source = 1;
			*out->source = (struct random_source){ .node = i, .kind = RANDOM_RANGE, .n = 1,
				.low = calloc(1, sizeof(int64_t)), .high = calloc(1, sizeof(int64_t)) };
			must(out->source->low && out->source->high, "out of memory");
			*out->source->high = max;
		}
}
