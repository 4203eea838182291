/* random_layer_source.c -- the sources of random layers, and what they are read through. */
#include <stdarg.h>
#include "check/random/must.h"
#include "tests/random_layer_maker.h"

void layer_say(struct draw *d, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	int n = vsnprintf(d->text + d->n, d->bytes - d->n, fmt, list);
	va_end(list);
	must(n >= 0 && d->n + (size_t)n < d->bytes, "the script has no room");
	d->n += (size_t)n;
}

/* At most `max`; often at a border of vectors, tiles and blocks. */
int64_t layer_extent(struct draw *d, int64_t max)
{
	static const int64_t often[] = { 1, 2, 3, 4, 7, 8, 9, 12, 15, 16, 17, 23, 24, 31, 32, 33, 48, 63, 64, 65, 96,
		127, 128, 129, 192, 255, 256, 257, 300 };
	if (max < 1)
		max = 1;
	for (int i = 0; i < 4 && chance(d, 60); i++) {
		int64_t e = often[between(d, 0, (int64_t)(sizeof often / sizeof *often) - 1)];
		if (e <= max && (e * 8 >= max || chance(d, 30)))
			return e;
	}
	return between(d, chance(d, 70) ? max / 3 + 1 : 1, max);
}

void layer_add_shape(struct draw *d, const int64_t *at, int n)
{
	layer_say(d, "[");
	for (int i = 0; i < n; i++)
		layer_say(d, "%s%lld", i ? ", " : "", (long long)at[i]);
	layer_say(d, "]");
}

static int64_t elems(const struct shape *s)
{
	int64_t n = 1;
	for (int i = 0; i < s->n; i++)
		n *= s->at[i];
	return n;
}

struct value layer_plain_source(struct draw *d, struct shape s)
{
	struct value v = node(d, s);
	layer_say(d, "$%d = %s(s%d, %s, ", v.number, chance(d, 35) ? "ConstantTensor" : "InputTensor", v.number, d->type);
	layer_add_shape(d, s.at, s.n);
	layer_say(d, ");\n");
	return v;
}

static struct value permuted(struct draw *d, struct shape s)
{
	int64_t perm[MAX_DIMS];
	struct shape from = s;
	for (int i = 0; i < s.n; i++)
		perm[i] = i;
	for (int i = s.n - 1; i > 0; i--) {
		int k = (int)between(d, 0, i);
		int64_t was = perm[i];
		perm[i] = perm[k];
		perm[k] = was;
	}
	for (int i = 0; i < s.n; i++)
		from.at[perm[i]] = s.at[i];
	struct value x = layer_plain_source(d, from), y = node(d, s);
	layer_say(d, "$%d = PermuteNode($%d, ", y.number, x.number);
	layer_add_shape(d, perm, s.n);
	layer_say(d, ");\n");
	return y;
}

static struct value padded(struct draw *d, struct shape s)
{
	int64_t before[MAX_DIMS] = { 0 }, after[MAX_DIMS] = { 0 };
	struct shape from = s;
	int axis = (int)between(d, 0, s.n - 1);
	if (s.at[axis] < 4)
		return layer_plain_source(d, s);
	before[axis] = between(d, 0, 2);
	after[axis] = between(d, 0, 1);
	from.at[axis] -= before[axis] + after[axis];
	struct value x = layer_plain_source(d, from), y = node(d, s);
	layer_say(d, "$%d = PadNode($%d, ", y.number, x.number);
	layer_add_shape(d, before, s.n);
	layer_say(d, ", ");
	layer_add_shape(d, after, s.n);
	layer_say(d, "%s);\n", chance(d, 30) ? ", 2" : "");
	return y;
}

static struct value sliced(struct draw *d, struct shape s)
{
	struct shape from = s;
	int axis = (int)between(d, 0, s.n - 1);
	int64_t begin = between(d, 0, 3), step = between(d, 1, 2), end = begin + (s.at[axis] - 1) * step + 1;
	from.at[axis] = end + between(d, 0, 2);
	struct value x = layer_plain_source(d, from), y = node(d, s);
	layer_say(d, "$%d = SliceNode($%d, %lld, %lld, %d, %lld);\n", y.number, x.number, (long long)begin,
		(long long)end, axis, (long long)step);
	return y;
}

static struct value reshaped(struct draw *d, struct shape s)
{
	struct shape from = { 1, { elems(&s) } };
	struct value x = layer_plain_source(d, from), y = node(d, s);
	layer_say(d, "$%d = ReshapeNode($%d, ", y.number, x.number);
	layer_add_shape(d, s.at, s.n);
	layer_say(d, ");\n");
	return y;
}

static struct value computed(struct draw *d, struct shape s)
{
	struct value x = layer_plain_source(d, s), y = node(d, s);
	layer_say(d, "$%d = %s($%d);\n", y.number, is_float(d) && chance(d, 30) ? "TanhNode" : "NegNode", x.number);
	return y;
}

static struct value concatenated(struct draw *d, struct shape s)
{
	int axis = (int)between(d, 0, s.n - 1);
	if (s.at[axis] < 2)
		return layer_plain_source(d, s);
	struct shape a = s, b = s;
	a.at[axis] = between(d, 1, s.at[axis] - 1);
	b.at[axis] -= a.at[axis];
	struct value x = layer_plain_source(d, a), y = layer_plain_source(d, b), z = node(d, s);
	layer_say(d, "$%d = ConcatNode(%d, $%d, $%d);\n", z.number, axis, x.number, y.number);
	return z;
}

static struct value gathered(struct draw *d, struct shape s)
{
	struct shape from = s, index = { 1, { s.at[0] } };
	from.at[0] = 8;         /* data of integers are from -6 to 6: the index is made of its remainder */
	struct value x = layer_plain_source(d, from), i = node(d, index), n = node(d, (struct shape){ 0, { 0 } }),
		     m = node(d, index), y = node(d, s);
	layer_say(d,
		"$%d = InputTensor(s%d, int64, [%lld]);\n$%d = FullNode(int64, [], 8);\n$%d = ModNode($%d, $%d);\n$%d "
		"= GatherNode($%d, $%d, 0);\n",
		i.number, i.number, (long long)s.at[0], n.number, m.number, i.number, n.number, y.number, x.number,
		m.number);
	return y;
}

struct value layer_source(struct draw *d, struct shape s)
{
	if (s.n == 0 || chance(d, 60))
		return layer_plain_source(d, s);
	switch (between(d, 0, 6)) {
	case 0: return permuted(d, s);
	case 1: return padded(d, s);
	case 2: return sliced(d, s);
	case 3: return reshaped(d, s);
	case 4: return concatenated(d, s);
	case 5: return gathered(d, s);
	default: return computed(d, s);
	}
}
