/* random_layer_steps.c -- random layers that are made of many nodes: products of stacks, recurrent networks,
 * norms by channels, positions and running sums. */
#include "tests/random_layer_maker.h"

/* NumPy's matmul: vectors, matrices and stacks of them, whose leading axes broadcast. */
static struct value product(struct draw *d)
{
	struct shape s[2], out = { 0, { 0 } };
	int64_t batch[2] = { between(d, 1, 4), between(d, 1, 4) }, k = layer_extent(d, 60), rows[2] = { layer_extent(d, 40),
		layer_extent(d, 40) };
	for (int f = 0; f < 2; f++) {
		s[f] = (struct shape){ (int)between(d, 1, 4), { 0 } };
		for (int i = 0; i < s[f].n - 2; i++)
			s[f].at[i] = chance(d, 60) ? batch[2 - (s[f].n - 2) + i] : 1;
		if (s[f].n > 1)
			s[f].at[s[f].n - 2 + f] = rows[f];
		s[f].at[s[f].n == 1 ? 0 : s[f].n - 1 - f] = k;
	}
	for (int i = 0; i < 2; i++) {
		int p = i - (4 - s[0].n), q = i - (4 - s[1].n);
		int64_t l = p >= 0 ? s[0].at[p] : 0, r = q >= 0 ? s[1].at[q] : 0;
		if (l || r)
			out.at[out.n++] = l > r ? l : r;
	}
	for (int f = 0; f < 2; f++)
		if (s[f].n > 1)
			out.at[out.n++] = rows[f];
	struct value a = layer_source(d, s[0]), b = layer_source(d, s[1]), y = node(d, out);
	layer_say(d, "$%d = MatMulNode($%d, $%d);\n", y.number, a.number, b.number);
	return y;
}

static struct value recurrent(struct draw *d)
{
	static const struct { const char *name, *words[2]; int64_t gates; } kinds[] = {
		{ "RnnNode", { "tanh", "relu" }, 1 }, { "GruNode", { "reset_before_linear", "linear_before_reset" }, 3 },
		{ "LstmNode", { NULL, NULL }, 4 },
	};
	static const char *const directions[] = { "forward", "reverse", "bidirectional" };
	int kind = (int)between(d, 0, 2), direction = (int)between(d, 0, 2);
	int64_t n = direction == 2 ? 2 : 1, steps = between(d, 1, 4), batch = layer_extent(d, 5), in = layer_extent(d, 20);
	int64_t hidden = layer_extent(d, 17), rows = kinds[kind].gates * hidden;
	const char *word = kinds[kind].words[between(d, 0, 1)];
	bool last = chance(d, 50);
	struct value x = layer_source(d, shape_of(3, steps, batch, in, 0)), h = { 0, { 0, { 0 } } }, lengths = h;
	struct value w = layer_plain_source(d, shape_of(3, n, rows, in, 0));
	struct value r = layer_plain_source(d, shape_of(3, n, rows, hidden, 0));
	struct value b = layer_plain_source(d, shape_of(2, n, 2 * rows, 0, 0));
	if (chance(d, 50))
		h = layer_source(d, shape_of(3, n, batch, hidden, 0));
	if (chance(d, 40)) {            /* integers are from -6 to 6 */
		lengths = node(d, shape_of(1, batch, 0, 0, 0));
		layer_say(d, "$%d = InputTensor(s%d, int32, [%lld]);\n", lengths.number, lengths.number, (long long)batch);
	}
	struct value y = node(d, last ? shape_of(3, n, batch, hidden, 0) : shape_of(4, steps, n, batch, hidden));
	layer_say(d, "$%d = %s($%d, $%d, $%d, $%d, %s", y.number, kinds[kind].name, x.number, w.number, r.number,
		b.number, lengths.number ? "$" : "0");
	if (lengths.number)
		layer_say(d, "%d", lengths.number);
	layer_say(d, ", %s", h.number ? "$" : "0");
	if (h.number)
		layer_say(d, "%d", h.number);
	layer_say(d, ", %s%s%s, %s);\n", directions[direction], word ? ", " : "", word ? word : "", last ? "Y_h" : "Y");
	return y;
}

static struct value channels(struct draw *d)
{
	int64_t groups = between(d, 1, 3), c = groups * layer_extent(d, 20);
	int64_t n = between(d, 1, 3), h = layer_extent(d, 12), w = layer_extent(d, 12);
	struct shape s = shape_of(4, n, c, h, w), row = shape_of(1, c, 0, 0, 0);
	struct value x = layer_source(d, s), scale = layer_plain_source(d, row), bias = layer_plain_source(d, row);
	if (chance(d, 40)) {
		struct value mean = layer_plain_source(d, row), var = layer_plain_source(d, row);
		struct value square = node(d, row), y = node(d, s);
		layer_say(d, "$%d = MultiplyNode($%d, $%d);\n", square.number, var.number, var.number);
		layer_say(d, "$%d = BatchNormNode($%d, $%d, $%d, $%d, $%d, 0.125);\n", y.number, x.number, scale.number, bias.number,
			mean.number, square.number);
		return y;
	}
	struct value y = node(d, s);
	if (chance(d, 50))
		layer_say(d, "$%d = GroupNormNode($%d, $%d, $%d, %lld, 0.125);\n", y.number, x.number, scale.number, bias.number,
			(long long)groups);
	else
		layer_say(d, "$%d = InstanceNormNode($%d, $%d, $%d, 0.125);\n", y.number, x.number, scale.number, bias.number);
	return y;
}

/* Of sources that are read as they are: no rounding decides which of two is the greater. */
static struct value positions(struct draw *d)
{
	int64_t m = layer_extent(d, 40), n = layer_extent(d, 40);
	struct shape s = shape_of(2, m, n, 0, 0), out = s;
	int axis = (int)between(d, 0, 1), how = (int)between(d, 0, 5);
	int64_t k = between(d, 1, s.at[axis]);
	struct value x = layer_plain_source(d, s), y;
	if (how == 0)
		out.at[axis] = k;
	y = node(d, out);
	switch (how) {
	case 0:
		layer_say(d, "$%d = TopKNode($%d, %lld, %d);\n", y.number, x.number, (long long)k, axis);
		break;
	case 1:
		layer_say(d, "$%d = CumSumNode($%d, %d, %d, %d);\n", y.number, x.number, axis, chance(d, 50), chance(d, 50));
		break;
	case 2:
		layer_say(d, "$%d = TrilNode($%d, %lld);\n", y.number, x.number, (long long)between(d, -3, 3));
		break;
	case 3:
		layer_say(d, "$%d = FlipNode($%d, [%d]);\n", y.number, x.number, axis);
		break;
	case 4:
		layer_say(d, "$%d = TileNode($%d, [1, 1]);\n", y.number, x.number);
		break;
	default:
		layer_say(d, "$%d = ClipNode($%d, -1, 1);\n", y.number, x.number);
	}
	return y;
}

struct value layer_steps(struct draw *d)
{
	static struct value (*const layers[])(struct draw *) = { product, positions, recurrent, channels };
	return layers[between(d, 0, is_float(d) ? 3 : 1)](d);
}
