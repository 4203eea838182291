/* op_signal.c -- running sums, Fourier transforms and what is near them. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/groups.h"
#include "frontends/onnx/onnx.pb-c.h"
#include "frontends/onnx/take.h"

static const double pi = 3.14159265358979323846;

/* Sums (products) of all elements up to each one. */
void lt__onnx_build_running(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0);
	const int32_t axis = lt__onnx_along(c, lt__onnx_in_int(c, 1, "the axis", 0));
	const bool exclusive = lt__onnx_int(c, "exclusive", 0) != 0, reverse = lt__onnx_int(c, "reverse", 0) != 0;
	if (x < 0 || axis < 0 || lt__onnx_failed(m))
		return;
	if (reverse && lt__onnx_bounded(m, x, axis)) {
		lt__onnx_refuse(m, "attribute 'reverse' is 1, and the extent of axis %d differs from run to run: fix it by --dim",
			axis);
		return;
	}
	lt__onnx_give(c, 0, lt__build_running(m->graph, c->op->arg, x, axis, exclusive, reverse));
}

/* A content of numbers, of the type that attribute output_datatype names. */
static void give_numbers(struct lt_onnx_call *c, int32_t rank, const int64_t *shape, const double *data)
{
	struct lt_onnx *m = c->m;
	const int64_t type = lt__onnx_int(c, "output_datatype", 1);
	const enum lt_dtype t = lt__onnx_dtype(type);
	if (!t) {
		lt__onnx_refuse(m, "the type %s, which Looptree does not have", lt__onnx_type_name(type));
		return;
	}
	void *at = lt__onnx_room(m, t, rank, shape);
	struct lt_onnx_value v = lt__onnx_of_data(m, t, rank, shape, at);
	for (int64_t i = 0; i < lt__onnx_elems(&v); i++)
		lt__store(at, i, t, lt__convert((union lt_scalar){ .f = data[i] }, LT_F64, t));
	lt__onnx_give_value(c, 0, &v);
}

/* Numbers that can be multiplied by a few; how many may be made is the budget's. */
#define MAX_TABLE (INT64_C(1) << 40)

static bool table_fits(struct lt_onnx *m, double elems, const char *what)
{
	if (elems >= 1 && elems <= MAX_TABLE)
		return true;
	if (!lt__onnx_failed(m))
		lt__onnx_refuse(m, "%s has %.0f elements: 1 to %lld are supported", what, elems, (long long)MAX_TABLE);
	return false;
}

/* c0 - c1 cos(2 pi i / n) + c2 cos(4 pi i / n) */
void lt__onnx_build_window(struct lt_onnx_call *c)
{
	static const struct { const char *name; double c[3]; } windows[] = {
		{ "hann", { .5, .5, 0 } }, { "hamming", { 25. / 46, 21. / 46, 0 } }, { "blackman", { .42, .5, .08 } },
	};
	struct lt_onnx *m = c->m;
	const int64_t size = lt__onnx_in_int(c, 0, "the size", 0), n = lt__onnx_int(c, "periodic", 1) ? size : size - 1;
	const double *k = windows[0].c;
	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
		k = !strcmp(windows[i].name, c->op->arg) ? windows[i].c : k;
	if (lt__onnx_failed(m) || !table_fits(m, (double)size, "the window"))
		return;
	double *data = LT_ONNX_TABLE(m, double, size + 1);
	for (int64_t i = 0; i < size; i++) {
		const double angle = 2 * pi * (double)i / (double)n;
		data[i] = k[0] - k[1] * cos(angle) + k[2] * cos(2 * angle);
	}
	give_numbers(c, 1, &size, data);
}

/* Triangles over the bins of a transform, whose edges are at equal distances by ear. */
void lt__onnx_build_mel_weights(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const int64_t bands = lt__onnx_in_int(c, 0, "the number of bands", 0), length = lt__onnx_in_int(c, 1, "the length", 0);
	const int64_t rate = lt__onnx_in_int(c, 2, "the sample rate", 0), shape[2] = { length / 2 + 1, bands };
	const double low = lt__onnx_in_number(c, 3, "the lower edge", 0), high = lt__onnx_in_number(c, 4, "the upper edge", 0);
	if (lt__onnx_failed(m) || !table_fits(m, (double)shape[0] * (double)bands, "the matrix"))
		return;
	double *data = LT_ONNX_TABLE(m, double, shape[0] * bands + 1);
	int64_t *edge = LT_ONNX_TABLE(m, int64_t, bands + 3);
	const double low_mel = 2595 * log10(1 + low / 700), high_mel = 2595 * log10(1 + high / 700);
	for (int64_t i = 0; i < bands + 2; i++) {
		const double mel = low_mel + (double)i * (high_mel - low_mel) / (double)(bands + 2);
		const double bin = floor((double)(length + 1) * 700 * (pow(10, mel / 2595) - 1) / (double)rate);
		if (!(bin >= 0) || bin >= (double)shape[0]) {
			lt__onnx_refuse(m, "bands from %g to %g Hz of a transform of length %lld at a rate of %lld leave it", low, high,
				(long long)length, (long long)rate);
			return;
		}
		edge[i] = (int64_t)bin;
	}
	for (int64_t i = 0; i < bands; i++) {
		const int64_t from = edge[i], middle = edge[i + 1], to = edge[i + 2];
		for (int64_t j = from; j <= middle; j++)
			data[j * bands + i] = middle == from ? 1 : (double)(j - from) / (double)(middle - from);
		for (int64_t j = middle; j < to; j++)
			data[j * bands + i] = (double)(to - j) / (double)(to - middle);
	}
	give_numbers(c, 2, shape, data);
}

struct transform { int64_t length, in, out; int32_t parts_in, parts_out; bool inverse, half; };

/* By part of the input, element, part of the output, element: what one counts for the other. */
static lt_node transform_table(struct lt_onnx *m, const struct transform *f, enum lt_dtype t)
{
	const int64_t shape[4] = { f->parts_in, f->in, f->parts_out, f->out };
	if (!table_fits(m, (double)f->parts_in * (double)f->in * f->parts_out * (double)f->out, "the table of the transform"))
		return LT_NONE;
	double *data = LT_ONNX_TABLE(m, double, f->parts_in * f->in * f->parts_out * f->out + 1), *at = data;
	for (int64_t p = 0; p < f->parts_in; p++)
		for (int64_t i = 0; i < f->in; i++)
			for (int64_t q = 0; q < f->parts_out; q++)
				for (int64_t k = 0; k < f->out; k++) {
					double angle = 2 * pi * (double)(i * k % f->length) / (double)f->length;
					/* Those of the other half, which is not there, are this one's mirrors. */
					bool twice = f->inverse && f->half && i && 2 * i != f->length;
					double weight = f->inverse ? (twice ? 2 : 1) / (double)f->length : 1;
					double sign = (p != q) * (f->inverse == (p == 0) ? 1 : -1);
					*at++ = weight * (p == q ? cos(angle) : sign * sin(angle));
				}
	return lt__onnx_table(m, "transform", t, 4, shape, data);
}

/* x [.., n, .., parts] along an axis */
static lt_node transform(struct lt_onnx *m, lt_node x, int32_t axis, struct transform *f)
{
	struct lt_graph *g = m->graph;
	const int32_t rank = lt__onnx_rank(m, x);
	if (x < 0 || axis < 0)
		return LT_NONE;
	if (rank < 2 || axis == rank - 1 || lt__onnx_extent(m, x, rank - 1) > 2 || lt__onnx_bounded(m, x, axis)
	    || f->length < 1) {
		const struct lt_onnx_value v = lt__onnx_of_node(m, x);
		lt__onnx_refuse(m, "a transform of length %lld along axis %d of a value of the shape %s", (long long)f->length, axis,
			lt__onnx_shape(m, v.rank, v.shape));
		return LT_NONE;
	}
	const enum lt_dtype t = lt_node_dtype(g, x);
	const bool real = f->inverse && f->half;
	const int64_t room = real ? f->length / 2 + 1 : f->length;
	f->in = lt__onnx_extent(m, x, axis) < room ? lt__onnx_extent(m, x, axis) : room;
	f->out = f->half && !f->inverse ? f->length / 2 + 1 : f->length;
	f->parts_in = (int32_t)lt__onnx_extent(m, x, rank - 1);
	f->parts_out = real ? 1 : 2;
	lt_node wide = lt__onnx_slice(m, lt__onnx_wide(m, x), axis, 0, f->in, 1);
	lt_node table = transform_table(m, f, lt__dtype_info(t)->compute);
	if (wide < 0 || table < 0)
		return LT_NONE;
	const lt_var over[2] = { lt_node_dim(g, wide, rank - 1), lt_node_dim(g, wide, axis) };
	const lt_var v[4] = { over[0], over[1], lt__onnx_var(m, f->parts_out), lt__onnx_var(m, f->out) };
	lt_node y = lt_graph_contract(g, wide, lt_graph_rename(g, table, 4, v), 2, over);
	/* [.. without the axis .., part, element] */
	int32_t perm[LT_MAX_RANK];
	for (int32_t i = 0; i < rank; i++)
		perm[i] = i < axis ? i : i == axis ? rank - 1 : i < rank - 1 ? i - 1 : rank - 2;
	return lt__onnx_cast(m, lt__onnx_transpose(m, y, perm), t);
}

void lt__onnx_build_dft(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0);
	struct transform f = { .inverse = lt__onnx_int(c, "inverse", 0) != 0, .half = lt__onnx_int(c, "onesided", 0) != 0 };
	const int64_t at = c->version < 20 ? lt__onnx_int(c, "axis", 1) : lt__onnx_in_int(c, 2, "the axis", -2);
	const int32_t axis = lt__onnx_axis(m, at, lt__onnx_rank(m, x));
	if (x < 0 || axis < 0 || lt__onnx_failed(m))
		return;
	const int64_t n = lt__onnx_extent(m, x, axis);
	f.length = lt__onnx_in_int(c, 1, "the length", f.inverse && f.half ? 2 * (n - 1) : n);
	if (!lt__onnx_failed(m))
		lt__onnx_give(c, 0, transform(m, x, axis, &f));
}

/* A transform of each frame: signal [batch, n, parts] as [batch, frame, element, parts]. */
void lt__onnx_build_stft(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0);
	struct transform f = { .half = lt__onnx_int(c, "onesided", 1) != 0 };
	const int64_t step = lt__onnx_in_int(c, 1, "the step", 1);
	const bool weighted = lt__onnx_has(c, 2);
	if (x < 0 || lt__onnx_failed(m))
		return;
	const int64_t n = lt__onnx_rank(m, x) == 3 ? lt__onnx_extent(m, x, 1) : 0;
	f.length = lt__onnx_in_int(c, 3, "the length of a frame", weighted ? lt__onnx_elems(lt__onnx_value(c, 2)) : n);
	if (lt__onnx_failed(m))
		return;
	if (step < 1 || f.length < 1 || f.length > n || lt__onnx_bounded(m, x, 1)
	    || (weighted && lt__onnx_elems(lt__onnx_value(c, 2)) != f.length)) {
		lt__onnx_refuse(m, "frames of %lld elements, in steps of %lld, of a signal of %lld", (long long)f.length,
			(long long)step, (long long)n);
		return;
	}
	lt_var frame = lt__onnx_var(m, (n - f.length) / step + 1), element = lt__onnx_var(m, f.length);
	lt_node frames = lt_graph_window(m->graph, x, 1, frame, element, step, 1, 0, 0);
	if (weighted)
		frames = lt__onnx_op2(m, "mul", frames, lt__onnx_insert(m, lt__onnx_in(c, 2), 1));
	lt__onnx_give(c, 0, transform(m, frames, 2, &f));
}
