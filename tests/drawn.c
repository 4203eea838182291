/* drawn.c -- tensors of drawn shapes and numbers: see drawn.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/drawn.h"
#include "tests/script_run.h"

uint64_t drawn_number(uint64_t *seed, uint64_t below)
{
	*seed += 0x9e3779b97f4a7c15u;
	uint64_t x = *seed;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (x ^ (x >> 31)) % below;
}

int64_t drawn_extent(uint64_t *seed)
{
	static const int64_t usual[] = { 1, 1, 2, 3, 4, 5, 7 };
	return usual[drawn_number(seed, sizeof usual / sizeof *usual)];
}

struct drawn drawn_zeros(int32_t rank, const int64_t *shape)
{
	struct drawn x = { .rank = rank, .elems = 1 };
	for (int32_t i = 0; i < rank; i++) {
		x.shape[i] = shape[i];
		x.elems *= shape[i];
	}
	return x;
}

void drawn_fill(struct drawn *x, uint64_t *seed, int32_t rank, const int64_t *shape, bool odd)
{
	static const double odds[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0 };
	*x = drawn_zeros(rank, shape);
	for (int64_t i = 0; i < x->elems; i++) {
		x->at[i] = ((double)drawn_number(seed, 33) - 16) / 4;
		if (odd && drawn_number(seed, 5) == 0)
			x->at[i] = odds[drawn_number(seed, sizeof odds / sizeof *odds)];
	}
}

int64_t drawn_offset(const struct drawn *x, int32_t rank, const int64_t *index)
{
	int64_t offset = 0;
	for (int32_t i = 0; i < x->rank; i++)
		offset = offset * x->shape[i] + (x->shape[i] == 1 ? 0 : index[rank - x->rank + i]);
	return offset;
}

bool drawn_next(int32_t rank, const int64_t *shape, int64_t *index)
{
	for (int32_t i = rank; i-- > 0;) {
		if (++index[i] < shape[i])
			return true;
		index[i] = 0;
	}
	return false;
}

void drawn_open(struct drawn_script *s)
{
	memset(s, 0, sizeof *s);
	s->script = open_memstream(&s->text[0], &s->bytes[0]);
	s->values = open_memstream(&s->text[1], &s->bytes[1]);
}

void drawn_list(FILE *out, const int64_t *x, int32_t n)
{
	fprintf(out, "[");
	for (int32_t i = 0; i < n; i++)
		fprintf(out, "%s%lld", i ? ", " : "", (long long)x[i]);
	fprintf(out, "]");
}

static void numbers(FILE *out, const struct drawn *x)
{
	for (int64_t i = 0; i < x->elems; i++)
		fprintf(out, "%s%.17g", i ? ", " : "[", x->at[i]);
	fprintf(out, "]\n");
}

void drawn_input(struct drawn_script *s, int32_t id, const char *name, const char *type, const struct drawn *x)
{
	fprintf(s->script, "$%d = InputTensor(%s, %s, ", (int)id, name, type);
	drawn_list(s->script, x->shape, x->rank);
	fprintf(s->script, ");\n");
	fprintf(s->values, "%s = ", name);
	numbers(s->values, x);
}

void drawn_result(struct drawn_script *s, const char *name, const struct drawn *x)
{
	fprintf(s->values, "%s -> ", name);
	numbers(s->values, x);
}

const char *drawn_close(struct drawn_script *s)
{
	static char said[4000];
	int n = 0;
	fclose(s->script);
	fclose(s->values);
	const char *bad = script_run(s->text[0], "drawn.lt", s->text[1], &n);
	if (!bad && n == 0)
		bad = "nothing was compared";
	if (bad)
		snprintf(said, sizeof said, "%s\n%s", bad, s->text[0]);
	free(s->text[0]);
	free(s->text[1]);
	return bad ? said : NULL;
}
