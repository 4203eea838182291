/* spec.c -- the tensor that a SPEC describes: a file, a value, a count, random numbers. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/hash.h"
#include "tools/model/model.h"

/* splitmix64: the same numbers everywhere. */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static double uniform(uint64_t *state)
{
	return ((double)(next(state) >> 11) + 0.5) * 0x1p-53;
}

/* Different tensors get different numbers when no seed is given. */
static uint64_t seed_of(const char *name) { return lt__hash_more(LT_HASH_BEGIN, name, strlen(name)); }

/* Where the script says which values are right (an index, a run-time scalar), within these: a part of them if there are
 * very many. */
static int64_t random_within(const struct lt_source_range *r, uint64_t *state)
{
	const int64_t many = INT64_C(1) << 31, low = r->low < -many ? -8 : r->low;
	const uint64_t n = (uint64_t)r->high - (uint64_t)low;

	return low + (int64_t)((next(state) >> 16) % ((n < (uint64_t)many ? n : (uint64_t)many) + 1));
}

static void fill_random(struct lt_tensor *t, const struct lt_source_range *range, uint64_t state)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(t->dtype);
	int64_t n = (int64_t)(t->bytes / info->bytes);

	for (int64_t i = 0; i < n; i++) {
		union lt_scalar v;

		if (range->given) {
			v.i = random_within(range, &state);
			v = lt__convert(v, LT_I64, t->dtype);
		} else if (info->cls == LT_CLASS_FLOAT) {
			v.f = sqrt(-2 * log(uniform(&state)));
			v.f *= cos(6.283185307179586 * uniform(&state));
			v = lt__round_to(v, t->dtype);
		} else if (info->cls == LT_CLASS_BOOL) {
			v.i = (int64_t)(next(&state) >> 63);
		} else {
			v.i = (int64_t)(next(&state) >> 33) % 17 - (info->is_signed ? 8 : 0);
		}
		lt__store(t->data, i, t->dtype, v);
	}
}

static void fill_iota(struct lt_tensor *t)
{
	int64_t n = (int64_t)(t->bytes / lt__dtype_info(t->dtype)->bytes);

	for (int64_t i = 0; i < n; i++)
		lt__store(t->data, i, t->dtype, lt__convert((union lt_scalar){ .i = i }, LT_I64, t->dtype));
}

/* The type must hold the last number, as it must hold a VALUE. */
static lt_status check_iota(struct lt_context *ctx, const struct model_binding *p)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(p->dtype);
	union lt_scalar last = { .i = -1 }, v;
	size_t bytes;

	if (!lt__tensor_bytes(p->dtype, p->rank, p->shape, &bytes))
		return LT_OK;           /* said where it is made */
	last.i += (int64_t)(bytes / info->bytes);
	v = lt__convert(last, LT_I64, p->dtype);
	if (last.i >= 0 && (info->cls == LT_CLASS_FLOAT ? isinf(v.f) != 0 : v.i != last.i))
		return lt_fail(ctx, LT_EINVAL, "iota counts to %lld, which does not fit %s", (long long)last.i, info->script);
	return LT_OK;
}

static void fill_value(struct lt_tensor *t, union lt_scalar v)
{
	int64_t n = (int64_t)(t->bytes / lt__dtype_info(t->dtype)->bytes);

	for (int64_t i = 0; i < n; i++)
		lt__store(t->data, i, t->dtype, v);
}

/* A VALUE of the binding's type.  Integers must be whole and fit. */
static lt_status read_value(struct lt_context *ctx, const struct model_binding *p, const char *spec,
	union lt_scalar *out)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(p->dtype);
	char *end;
	long long i;
	double f;

	if (info->cls == LT_CLASS_BOOL && (!strcasecmp(spec, "true") || !strcasecmp(spec, "false"))) {
		out->i = !strcasecmp(spec, "true");
		return LT_OK;
	}
	errno = 0;
	f = strtod(spec, &end);
	if (end == spec || *end)
		return lt_fail(ctx, LT_EINVAL, "'%s' is none of FILE.npy, zeros, ones, VALUE, iota, random[:SEED]", spec);
	if (info->cls == LT_CLASS_FLOAT) {
		*out = lt__round_to((union lt_scalar){ .f = f }, p->dtype);
		if (isinf(out->f) && !strpbrk(spec, "iI"))
			return lt_fail(ctx, LT_EINVAL, "%s is beyond %s (write inf if that is meant)", spec, info->script);
		return LT_OK;
	}
	errno = 0;
	i = p->dtype == LT_U64 && *spec != '-' ? (long long)strtoull(spec, &end, 10) : strtoll(spec, &end, 10);
	if (*end && f == floor(f) && fabs(f) < 0x1p53) {        /* 1e3 */
		i = (long long)f;
		end = strchr(end, 0);
	}
	if (*end)
		return lt_fail(ctx, LT_EINVAL, "%s is not a value of %s", spec, info->script);
	*out = lt__convert((union lt_scalar){ .i = i }, LT_I64, p->dtype);
	if (errno || out->i != i || (p->dtype == LT_U64 && *spec == '-' && i != 0))
		return lt_fail(ctx, LT_EINVAL, "%s does not fit %s", spec, info->script);
	return LT_OK;
}

static bool spec_wants(void *binding, const struct lt_tensor *t) { return model_binding_takes(binding, t); }

/* Without its data, if it does not fit. */
static lt_status read_file(
	struct lt_context *ctx, const struct model_binding *p, const char *path, struct lt_tensor *out)
{
	const struct lt_wanted wanted = { spec_wants, (void *)(uintptr_t)p };
	struct lt_tensors file;

	LT_TRY(lt__tensors_read_wanted(ctx, path, &wanted, &file));
	*out = file.at[0];
	free(file.at);
	return LT_OK;
}

static lt_status read_seed(struct lt_context *ctx, const struct model_binding *p, const char *spec, uint64_t *seed)
{
	char *end;

	*seed = seed_of(p->name);
	if (!spec[6])
		return LT_OK;
	errno = 0;
	*seed = strtoull(spec + 7, &end, 10);
	if (errno || end == spec + 7 || *end)
		return lt_fail(ctx, LT_EINVAL, "the seed of '%s' is not a whole number", spec);
	return LT_OK;
}

lt_status model_spec_check(struct lt_context *ctx, const char *whole, const char *spec)
{
	static const char *const words[] = { "zeros", "ones", "iota", "true", "false" };
	const enum lt_tensorfile file = lt__tensorfile_kind(spec);
	bool known = file == LT_FILE_NPY || (!strncmp(spec, "random", 6) && (!spec[6] || spec[6] == ':'));
	char *end;

	if (!*spec)
		return lt_fail(ctx, LT_EINVAL, "a value is missing after '='");
	if (file != LT_FILE_OTHER && file != LT_FILE_NPY)
		return lt_fail(ctx, LT_EINVAL, "%s may hold several tensors: give it with %s", spec, whole);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		known = known || !strcasecmp(spec, words[i]);
	if (known || strspn(spec, "0123456789") == strlen(spec))
		return LT_OK;
	if (!access(spec, F_OK))
		return lt_fail(ctx, LT_EINVAL, "the name of the file '%s' does not end in .npy: numpy.save writes such a file, also "
			"of bare elements (numpy.fromfile)", spec);
	(void)strtod(spec, &end);
	return end != spec && !*end ? LT_OK : lt_fail(ctx, LT_EINVAL,
		"'%s' is none of FILE.npy, zeros, ones, VALUE, iota, random[:SEED]", spec);
}

lt_status model_spec_make(struct lt_context *ctx, const struct model_binding *p, const char *whole, const char *spec,
	struct lt_tensor *out)
{
	enum lt_tensorfile kind = lt__tensorfile_kind(spec);
	bool random = !strncmp(spec, "random", 6) && (!spec[6] || spec[6] == ':'), iota = !strcmp(spec, "iota");
	union lt_scalar v = { .i = 0 };
	uint64_t seed = 0;

	memset(out, 0, sizeof *out);
	LT_TRY(model_spec_check(ctx, whole, spec));
	if (kind == LT_FILE_NPY)
		return read_file(ctx, p, spec, out);
	if (random)
		LT_TRY(read_seed(ctx, p, spec, &seed));
	else if (!iota && !strcmp(spec, "ones"))
		LT_TRY(read_value(ctx, p, "1", &v));
	else if (!iota && strcmp(spec, "zeros") != 0)
		LT_TRY(read_value(ctx, p, spec, &v));
	if (iota)
		LT_TRY(check_iota(ctx, p));
	LT_TRY(lt__tensor_new(ctx, lt__scratch(ctx, "%s=%s", p->name, spec), p->name, p->dtype, p->rank, p->shape, out));
	out->drawn = random;
	if (random)
		fill_random(out, &p->range, seed);
	else if (iota)
		fill_iota(out);
	else
		fill_value(out, v);
	return LT_OK;
}
