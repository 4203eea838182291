/* data.c -- what a declared name holds: an array that options fix, or NAME.npy beside the program. */
#define _GNU_SOURCE 1           /* O_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "frontends/seedot/seedot.h"
#include "ir/npy/npy.h"

struct sd_file { int fd; };
struct sd_shape { int64_t *at; };

static void file_close(void *of) { (void)close(((struct sd_file *)of)->fd); }
static void shape_free(void *of) { free(((struct sd_shape *)of)->at); }

static bool same_shape(const struct sd_expr *e, int32_t rank, const int64_t *shape)
{
	return rank == e->type.rank && (!rank || !memcmp(shape, e->type.shape, (size_t)rank * sizeof *shape));
}

static bool wrong_shape(struct sd_program *p, const struct sd_expr *e, const char *from, int32_t rank,
	const int64_t *shape)
{
	const struct sd_type is = { .rank = rank, .shape = shape };

	return lt__sd_refuse(p, e->place, "'%.100s' is declared as %s, and %s has %s", e->name, lt__sd_type_text(p, &e->type),
		from,
		rank ? lt__sd_type_text(p, &is) : "one number without axes");
}

/* Where element i of the tensor, row by row, is in a file whose first index is the fastest. */
static int64_t fortran_place(const struct sd_type *t, int64_t i)
{
	int64_t place = 0, stride = 1;
	int64_t at[SD_MAX_RANK];

	for (int32_t k = t->rank; k-- > 0; i /= t->shape[k])
		at[k] = i % t->shape[k];
	for (int32_t k = 0; k < t->rank; stride *= t->shape[k++])
		place += at[k] * stride;
	return place;
}

/* Numbers of any type as floats, each in the range that is declared. */
static bool convert(struct sd_program *p, const struct sd_expr *e, const char *from, enum lt_dtype dtype, bool fortran,
	const void *data, float **out)
{
	const int64_t n = lt__sd_elements(&e->type);
	float *to = lt__arena_alloc_unset(p->kept, (size_t)n * sizeof *to);

	for (int64_t i = 0; i < n; i++) {
		const double x = lt__as_double(lt__load(data, fortran ? fortran_place(&e->type, i) : i, dtype), dtype);

		if (!isfinite((float)x))
			return lt__sd_refuse(p, e->place, "element %lld of '%.100s' in %s is %g, which is no finite float", (long long)i,
				e->name, from, x);
		/* A bound is as exact as its last decimal, and the number as a float. */
		if (x < e->low - e->low_slack - fabs(x) * 1e-7 || x > e->high + e->high_slack + fabs(x) * 1e-7)
			return lt__sd_refuse(p, e->place, "element %lld of '%.100s' in %s is %g, outside of its range [%g, %g]",
				(long long)i, e->name, from, x, e->low, e->high);
		to[i] = (float)x;
	}
	*out = to;
	return true;
}

static bool fixed(struct sd_program *p, const struct sd_expr *e, const struct lt_fixed *f, float **out)
{
	const char *from = "the array that it is fixed to";

	if (!same_shape(e, f->rank, f->shape))
		return wrong_shape(p, e, from, f->rank, f->shape);
	return convert(p, e, from, f->dtype, false, f->data, out);
}

static bool read_all(int fd, unsigned char *to, size_t bytes)
{
	while (bytes) {
		const ssize_t n = read(fd, to, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		to += n;
		bytes -= (size_t)n;
	}
	return true;
}

static void swap_bytes(unsigned char *at, size_t n, size_t bytes)
{
	for (size_t i = 0; i < n; i++, at += bytes)
		for (size_t k = 0; k < bytes / 2; k++) {
			const unsigned char byte = at[k];

			at[k] = at[bytes - 1 - k];
			at[bytes - 1 - k] = byte;
		}
}

/* What is wrong with the file itself, with the declaration that asks for it. */
static bool wrong_file(struct sd_program *p, const struct sd_expr *e)
{
	return lt_context_code(p->ctx) != LT_ENOMEM
		&& lt__sd_refuse(p, e->place, "the numbers of '%.100s': %.900s", e->name, lt_context_message(p->ctx));
}

/* The text of a header and the data after it, checked against the declaration and the file's size. */
static bool parse_file(struct sd_program *p, const struct sd_expr *e, const char *path, unsigned char *at, size_t bytes,
	float **out)
{
	struct sd_shape *shape = LT_NEW(p->arena, struct sd_shape, 1);
	unsigned char head[12] = { 0 };
	size_t begin, length;
	struct lt_npy said;

	memcpy(head, at, bytes < 12 ? bytes : 12);
	if (lt__npy_magic(p->ctx, path, head, bytes, &begin))
		return wrong_file(p, e);
	if (begin == 10)
		head[10] = head[11] = 0;
	if (lt__npy_length(p->ctx, path, head, bytes - begin, &length))
		return wrong_file(p, e);
	lt__arena_defer(p->arena, shape_free, shape);
	const lt_status status = lt__npy_said(p->ctx, path, (const char *)at + begin, length, &said);
	shape->at = said.shape;
	if (status)
		return wrong_file(p, e);
	if (!same_shape(e, said.rank, said.shape))
		return wrong_shape(p, e, path, said.rank, said.shape);
	const size_t size = lt__dtype_info(said.dtype)->bytes, n = (size_t)lt__sd_elements(&e->type);
	if (n > SIZE_MAX / size || bytes - begin - length != n * size)
		return lt__sd_refuse(p, e->place, "%s has %zu bytes after its header, and %s of %s takes %zu each", path,
			bytes - begin - length, lt__sd_type_text(p, &e->type), lt__dtype_info(said.dtype)->script, size);
	unsigned char *data = lt__arena_copy(p->arena, at + begin + length, n * size);
	if (said.swap)
		swap_bytes(data, n, size);
	return convert(p, e, path, said.dtype, said.fortran, data, out);
}

static bool read_file(struct sd_program *p, const struct sd_expr *e, const char *path, float **out)
{
	struct sd_file *file = LT_NEW(p->arena, struct sd_file, 1);
	struct stat st;

	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0)
		return lt__sd_refuse(p, e->place, "the numbers of '%.100s' are to be in %s, which cannot be opened: %s; --fix "
			"%.100s=FILE.npy names another file, and an input is called X", e->name, path, strerror(errno), e->name);
	lt__arena_defer(p->arena, file_close, file);
	if (fstat(file->fd, &st) || !S_ISREG(st.st_mode))
		return lt__sd_refuse(p, e->place, "the numbers of '%.100s' are to be in %s, which is no file", e->name, path);
	const size_t bytes = (size_t)st.st_size;
	unsigned char *at = lt__arena_alloc_unset(p->arena, bytes + 1);
	if (!read_all(file->fd, at, bytes))
		return lt__sd_refuse(p, e->place, "%s cannot be read", path);
	return parse_file(p, e, path, at, bytes, out);
}

bool lt__sd_data(struct sd_program *p, const struct sd_expr *e, const float **out)
{
	const struct lt_parse_options *o = p->options;
	float *data = NULL;

	*out = NULL;
	for (uint32_t i = 0; i < o->n_fixed; i++)
		if (!strcmp(o->fixed[i].name, e->name))
			return fixed(p, e, &o->fixed[i], &data) && (*out = data) != NULL;
	if (!o->folder || !strcmp(e->name, "X"))
		return true;
	const char *path = lt__arena_format(p->arena, "%s%s%s.npy", o->folder,
		*o->folder && o->folder[strlen(o->folder) - 1] == '/' ? "" : "/", e->name);
	if (o->reads)
		o->reads(o->user, path);
	return read_file(p, e, path, &data) && (*out = data) != NULL;
}
