/* data.c -- the data, in samples: what one evaluation of the model takes.
 *
 * A row of a file is an example.  A model that takes 20 images at a time has 20 of them in a sample, one without an
 * axis for them has one.  Behind the last one it is repeated, so that the last sample and the last run are full.  The
 * last samples may be held out, for the best candidate alone to be judged by.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/nearest.h"
#include "tools/quantize/quantize.h"

/* A file of the command line, and the input that it names; NULL: it names none. */
struct data_file { const char *path; char *name; struct lt_tensors tensors; };

lt_status quantize_no_name(struct quantizing *z, enum lt_binding kind, const char *from, const char *name, size_t bytes)
{
	enum { SHOWN = 8 };
	const struct model_bindings *in = &z->model.binding[kind];
	struct lt_nearest near;
	lt__nearest_begin(&near, name, bytes);
	char *all = lt__must_format("; it has ");
	for (int32_t i = 0; i < in->n; i++) {
		lt__nearest_add(&near, in->at[i].name);
		char *more = i > SHOWN ? NULL : i == SHOWN ? lt__must_format("%s and %d more", all, (int)(in->n - SHOWN))
			: lt__must_format("%s%s'%s'", all, i ? ", " : "", in->at[i].name);
		if (more) {
			free(all);
			all = more;
		}
	}
	(void)lt_fail(z->ctx, LT_EINVAL, "%s: the model has no %s '%.*s'%s", from, model_binding_kind(kind),
		bytes < 60 ? (int)bytes : 60, name,
		near.n ? lt__nearest_hint(z->ctx, &near, "'", "'") : all);
	free(all);
	return LT_EINVAL;
}

static lt_status open_file(struct quantizing *z, const char *option, struct data_file *f)
{
	const struct model_bindings *in = &z->model.binding[LT_BINDING_INPUT];
	const char *equals = strchr(option, '=');
	f->path = option;
	if (equals && model_binding_index(in, option, (size_t)(equals - option)) >= 0) {
		f->path = equals + 1;
		if (!(f->name = strndup(option, (size_t)(equals - option))))
			return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	} else if (equals && access(option, F_OK) != 0) {
		return quantize_no_name(z, LT_BINDING_INPUT, option, option, (size_t)(equals - option));
	}
	return lt__mistake(lt__tensors_read(z->ctx, f->path, &f->tensors));
}

static bool same_shape(int32_t n, const int64_t *a, const int64_t *b)
{
	for (int32_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* Rows of a sample of the input, by the axes; 0: the tensor does not fit. */
static int64_t rows_of_sample(const struct model_binding *b, const struct lt_tensor *t)
{
	if (b->rank > 0 && t->rank == b->rank && same_shape(b->rank - 1, t->shape + 1, b->shape + 1))
		return b->shape[0];
	return t->rank == b->rank + 1 && same_shape(b->rank, t->shape + 1, b->shape) ? 1 : 0;
}

static lt_status check_finite(struct quantizing *z, const char *path, const struct lt_tensor *t)
{
	if (lt__dtype_info(t->dtype)->cls != LT_CLASS_FLOAT)
		return LT_OK;
	int64_t n = (int64_t)(t->bytes / lt_dtype_bytes(t->dtype)), row = t->shape[0] ? n / t->shape[0] : 1;
	for (int64_t i = 0; i < n; i++) {
		const double v = lt__load(t->data, i, t->dtype).f;
		if (!isfinite(v))
			return lt_fail(z->ctx, LT_EINVAL, "%s: row %lld, number %lld is %g: ranges are of finite numbers", path,
				(long long)(i / row), (long long)(i % row), v);
	}
	return LT_OK;
}

/* What makes data of the input of the tensor, where that is known: its type, as floats, and its axes. */
static const char *how_in_numpy(const struct model_binding *b, const struct lt_tensor *t, char *out, size_t cap)
{
	int64_t elems = 1, of_sample = 1;
	for (int32_t i = 0; i < t->rank; i++)
		elems *= t->shape[i];
	for (int32_t i = 0; i < b->rank; i++)
		of_sample *= b->shape[i];
	const bool type = t->dtype != b->dtype, axes = !rows_of_sample(b, t);
	out[0] = '\0';
	/* Rows that are torn are not what was meant. */
	const int64_t row = t->rank && t->shape[0] ? elems / t->shape[0] : elems;
	if (!elems || !of_sample || elems % of_sample || (row % of_sample && of_sample % row)
		|| (type && lt__dtype_info(b->dtype)->cls != LT_CLASS_FLOAT))
		return out;
	size_t n = (size_t)snprintf(out, cap, " (in NumPy: ");
	if (type)
		n += (size_t)snprintf(out + n, cap - n, ".astype('%s')", lt__dtype_info(b->dtype)->script);
	if (axes)
		n += (size_t)snprintf(out + n, cap - n, ".reshape(-1");
	for (int32_t i = 0; i < b->rank && axes && n + 24 < cap; i++)
		n += (size_t)snprintf(out + n, cap - n, ", %lld", (long long)b->shape[i]);
	(void)snprintf(out + n, cap - n, axes ? "))" : ")");
	return out;
}

/* The data of input i, before it is repeated: rows of the tensor. */
static lt_status take_input(struct quantizing *z, const struct data_file *f, const struct lt_tensor *t, int32_t i)
{
	const struct model_binding *b = &z->model.binding[LT_BINDING_INPUT].at[i];
	struct quantize_input *in = &z->input[i];
	char got[200], want[200], how[400];
	const int64_t rows = t->dtype == b->dtype ? rows_of_sample(b, t) : 0;
	if (in->at)
		return lt_fail(z->ctx, LT_EINVAL, "%s: the input '%s' has its data already", f->path, b->name);
	if (!rows)
		return lt_fail(z->ctx, LT_EINVAL, "%s is %s %s, and the input '%s' is %s: data has the type and the axes of its "
			"input, with any number of rows on the first, or one axis of rows before them%s", f->path,
			lt__dtype_info(t->dtype)->script, lt__shape_text(got, sizeof got, t->rank, t->shape), b->name,
			model_binding_text(b, want, sizeof want), how_in_numpy(b, t, how, sizeof how));
	if (t->shape[0] == 0)
		return lt_fail(z->ctx, LT_EINVAL, "%s: there are no rows", f->path);
	LT_TRY(check_finite(z, f->path, t));
	in->name = b->name;
	in->path = f->path;
	in->sample_bytes = model_binding_bytes(b);
	in->rows = rows;
	in->all_rows = t->shape[0];
	if (!(in->at = malloc(t->bytes + 1)))
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	memcpy(in->at, t->data, t->bytes);
	return LT_OK;
}

static lt_status take_file(struct quantizing *z, struct data_file *f)
{
	const struct model_bindings *in = &z->model.binding[LT_BINDING_INPUT];
	for (int32_t k = 0; k < f->tensors.n; k++) {
		const struct lt_tensor *t = &f->tensors.at[k];
		const char *name = f->name ? f->name : t->name;
		const int32_t i = *name ? model_binding_index(in, name, strlen(name)) : in->n == 1 ? 0 : -1;
		if (i < 0 && !*name)
			return lt_fail(z->ctx, LT_EINVAL, "%s: the model has %d inputs: --data NAME=FILE says which this is", f->path,
				in->n);
		if (i < 0)
			return quantize_no_name(z, LT_BINDING_INPUT, f->path, name, strlen(name));
		LT_TRY(take_input(z, f, t, i));
	}
	return LT_OK;
}

/* Room for whole chunks, the last row again and again behind what there is. */
static lt_status fill_up(struct quantizing *z, const struct quantize_input *in, int64_t rows, int64_t n_chunk,
	unsigned char **at)
{
	const size_t row = in->sample_bytes / (size_t)in->rows, all = in->sample_bytes * (size_t)(n_chunk * z->chunk);
	const size_t have = row * (size_t)rows;
	unsigned char *more = realloc(*at, all + 64);
	if (!more)
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	*at = more;
	for (size_t i = have; i < all; i += row)
		memcpy(more + i, more + have - row, row);
	return LT_OK;
}

static lt_status read_labels(struct quantizing *z)
{
	struct lt_tensors t = { 0 };
	const int64_t rows = z->part.rows + z->held.rows;
	lt_status s = lt__mistake(lt__tensors_read(z->ctx, z->o.labels, &t));
	char got[200];
	if (!s && (t.n != 1 || lt__dtype_info(t.at[0].dtype)->cls != LT_CLASS_INT
		|| (int64_t)(t.at[0].bytes / lt_dtype_bytes(t.at[0].dtype)) != rows))
		s = lt_fail(z->ctx, LT_EINVAL, "%s: labels are one integer for each of the %lld rows of data, not %s %s", z->o.labels,
			(long long)rows, t.n ? lt__dtype_info(t.at[0].dtype)->script : "nothing",
			t.n ? lt__shape_text(got, sizeof got, t.at[0].rank, t.at[0].shape) : "");
	if (!s && !(z->part.labels = calloc((size_t)rows, sizeof *z->part.labels)))
		s = lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	for (int64_t i = 0; !s && i < rows; i++)
		z->part.labels[i] = lt__load(t.at[0].data, i, t.at[0].dtype).i;
	z->held.labels = z->part.labels ? z->part.labels + z->part.rows : NULL;
	lt__tensors_free(&t);
	return s;
}

static int64_t samples_of(const struct quantize_input *in) { return (in->all_rows + in->rows - 1) / in->rows; }

/* All inputs have as many rows as the first, or, where an evaluation takes more or less of them, as many
 * evaluations. */
static lt_status check_rows(struct quantizing *z)
{
	const struct quantize_input *first = &z->input[0];
	z->part.rows = first->all_rows;
	z->part.samples = samples_of(first);
	for (int32_t i = 1; i < z->n_input; i++) {
		const struct quantize_input *in = &z->input[i];
		if (in->rows == first->rows ? in->all_rows != first->all_rows : samples_of(in) != z->part.samples)
			return lt_fail(z->ctx, LT_EINVAL, "the input '%s' has %lld rows of data, %lld an evaluation, and '%s' has %lld, "
				"%lld an evaluation: they have to be of the same evaluations", in->name, (long long)in->all_rows,
				(long long)in->rows, first->name, (long long)first->all_rows, (long long)first->rows);
	}
	return LT_OK;
}

/* The last samples, as many per cent as were asked for, go to z->held. */
static lt_status hold_out(struct quantizing *z)
{
	const int64_t share = z->part.samples * z->o.held / 100, held = share < 1 ? 1 : share;
	if (!z->o.held)
		return LT_OK;
	if (held >= z->part.samples)
		return lt_fail(z->ctx, LT_EINVAL, "--hold-out %lld: the data is one evaluation of the model, which is in the ranges: "
			"more rows are needed to hold some out", (long long)z->o.held);
	z->part.samples -= held;
	for (int32_t i = 0; i < z->n_input; i++) {
		struct quantize_input *in = &z->input[i];
		const size_t row = in->sample_bytes / (size_t)in->rows;
		in->held_rows = in->all_rows - z->part.samples * in->rows;
		in->all_rows -= in->held_rows;
		if (!(in->held = malloc(row * (size_t)in->held_rows + 1)))
			return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
		memcpy(in->held, in->at + row * (size_t)in->all_rows, row * (size_t)in->held_rows);
	}
	z->held = (struct quantize_part){ .first = z->input[0].all_rows, .rows = z->part.rows - z->input[0].all_rows,
		.samples = held };
	z->part.rows = z->input[0].all_rows;
	return LT_OK;
}

/* How many samples a run has: as many as a part of a cache's worth of values, so that nothing takes all memory. */
static void choose_chunk(struct quantizing *z)
{
	const int64_t numbers = 1 << 22;
	int64_t elems = 1;
	for (lt_node x = 0; x < z->model.graph->n_node; x++)
		if (z->model.graph->node[x].op != LT_OP_mul || lt__node_elems(z->model.graph, x) < numbers)
			elems += lt__node_elems(z->model.graph, x);
	z->chunk = numbers / elems < 1 ? 1 : numbers / elems > z->part.samples ? z->part.samples : numbers / elems;
	z->part.n_chunk = (z->part.samples + z->chunk - 1) / z->chunk;
	z->chunk = (z->part.samples + z->part.n_chunk - 1) / z->part.n_chunk;
	z->held.n_chunk = (z->held.samples + z->chunk - 1) / z->chunk;
}

lt_status quantize_data_read(struct quantizing *z)
{
	const struct model_bindings *in = &z->model.binding[LT_BINDING_INPUT];
	z->n_input = in->n;
	if (!(z->input = calloc((size_t)in->n + 1, sizeof *z->input)))
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	for (int32_t i = 0; i < z->o.data.n; i++) {
		struct data_file f = { 0 };
		lt_status s = open_file(z, z->o.data.at[i], &f);
		if (!s)
			s = take_file(z, &f);
		lt__tensors_free(&f.tensors);
		free(f.name);
		LT_TRY(s);
	}
	for (int32_t i = 0; i < in->n; i++)
		if (!z->input[i].at)
			return lt_fail(z->ctx, LT_EMISSING, "the input '%s' has no data: --data %s=FILE gives it%s", in->at[i].name,
				in->at[i].name, in->at[i].needed ? "" : "; nothing reads it, so the model may be without it");
	LT_TRY(check_rows(z));
	LT_TRY(hold_out(z));
	choose_chunk(z);
	for (int32_t i = 0; i < in->n; i++) {
		LT_TRY(fill_up(z, &z->input[i], z->input[i].all_rows, z->part.n_chunk, &z->input[i].at));
		if (z->input[i].held)
			LT_TRY(fill_up(z, &z->input[i], z->input[i].held_rows, z->held.n_chunk, &z->input[i].held));
	}
	return z->o.labels ? read_labels(z) : LT_OK;
}

void quantize_data_free(struct quantizing *z)
{
	for (int32_t i = 0; z->input && i < z->n_input; i++) {
		free(z->input[i].at);
		free(z->input[i].held);
	}
	free(z->input);
	free(z->part.labels);
}

/* -- as integers -- */

static lt_status write_input(struct quantizing *z, const struct lt_quant_derived *d, int32_t i, struct lt_tensor *out)
{
	const struct model_binding *b = &z->model.binding[LT_BINDING_INPUT].at[i];
	int32_t cell = -1;
	for (int32_t c = 0; c < z->q->n_cell; c++)
		if (z->q->cell[c].kind == LT_QUANT_INPUT && z->q->cell[c].node == b->node)
			cell = c;
	int64_t shape[LT_MAX_RANK + 1];
	const bool axis = z->input[i].rows == 1 && (b->rank == 0 || b->shape[0] != 1);
	const struct quantize_input *in = &z->input[i];
	shape[0] = in->all_rows + in->held_rows;
	for (int32_t k = !axis; k < b->rank; k++)
		shape[k + axis] = b->shape[k];
	const enum lt_dtype t = cell < 0 ? b->dtype : d->type[cell];
	LT_TRY(lt__tensor_new(z->ctx, z->o.data_out, b->name, t, b->rank + axis, shape, out));
	const int64_t n = (int64_t)(out->bytes / lt_dtype_bytes(t)), first = n / shape[0] * in->all_rows;
	for (int64_t k = 0; k < n; k++) {
		union lt_scalar v = k < first ? lt__load(in->at, k, b->dtype) : lt__load(in->held, k - first, b->dtype);
		if (cell >= 0)
			v.i = lt__quant_round(v.f, d->scale[cell], (struct lt_quant_range){ d->least[cell], d->most[cell] });
		lt__store(out->data, k, t, v);
	}
	return LT_OK;
}

lt_status quantize_data_write(struct quantizing *z, const struct lt_quant_derived *d)
{
	struct lt_tensors all = { .at = calloc((size_t)z->n_input + 1, sizeof *all.at) };
	lt_status s = all.at ? LT_OK : lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	for (; !s && all.n < z->n_input; all.n++)
		s = write_input(z, d, all.n, &all.at[all.n]);
	if (!s)
		s = lt__tensors_write(z->ctx, z->o.data_out, &all);
	lt__tensors_free(&all);
	return s;
}
