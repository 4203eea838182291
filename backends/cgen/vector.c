/* backends/cgen/vector.c -- the texts of operators and folds over GNU vectors. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#include "backends/cgen/vector_part.h"

static const struct row { const char *name, *on; int since; const char *scalar, *text; } texts[] = {
#define VOP(name, on, since, scalar, text) { #name, on, since, scalar, text },
#include "backends/cgen/vector_op.def"
};
enum { N_TEXT = sizeof texts / sizeof *texts };

int lt__vector_library(void)
{
	int version = 0;
#if defined(__GLIBC__) && defined(__x86_64__)
	void *there = dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL);
	char *remainder = NULL;
	long major = there ? strtol(gnu_get_libc_version(), &remainder, 10) : 0;

	if (there)
		(void)dlclose(there);
	if (major > 0 && *remainder == '.')
		version = (int)(100 * major + strtol(remainder + 1, NULL, 10));
#endif
	return version;
}

static bool possible(const struct lt_velement *e, int lanes)
{
	return e && lanes >= 2 && lanes <= 64 && (lanes & (lanes - 1)) == 0 && (int)e->bits / 8 * lanes <= LT_VECTOR_BYTES;
}

const char *lt__vector_type(struct lt_pool *pool, uint32_t dtype, int lanes)
{
	const struct lt_velement *e = lt__velement_of(dtype);
	struct lt_out o = lt__out_new(pool);

	if (!possible(e, lanes))
		return NULL;
	lt__vector_expand(&o, "@V", e, NULL, lanes);
	return o.at;
}

/* The scalar text of a conversion. */
static const char *cast_scalar(const struct lt_velement *from, const struct lt_velement *to)
{
	bool to_int = (from->kind == 'F' || from->kind == 'H') && to->kind != 'F' && to->kind != 'H';

	if (from == to)
		return "((@E)$0)";
	if (from->kind == 'H' || to->kind == 'H' || to_int)
		return "lt_cast_@f_@n($0)";
	return to->kind == 'B' ? "($0 != 0)" : "((@E)$0)";
}

static int operands_of(const char *text)
{
	int n = 0;

	for (const char *s = text; (s = strchr(s, '$')); s++)
		n = s[1] - '0' >= n ? s[1] - '0' + 1 : n;
	return n;
}

/* Whether op means what the scalar text says, and is not another operator of that name; without a source its name must
 * do. */
static bool genuine(struct lt_pool *pool, const struct lt_op *op, const char *scalar, const struct lt_velement *e,
	const struct lt_velement *from)
{
	struct lt_out o = lt__out_new(pool);

	lt__vector_expand(&o, scalar, e, from, 1);
	return op->arity == operands_of(scalar) && (!op->source || strcmp(op->source, o.at) == 0);
}

/* The row for op on elements e, or NULL. */
static const struct row *find_row(struct lt_pool *pool, const struct lt_op *op, const struct lt_velement *e)
{
	for (int i = 0; i < N_TEXT; i++)
		if (strcmp(texts[i].name, op->name) == 0 && lt__velement_fits(texts[i].on, e))
			return genuine(pool, op, texts[i].scalar, e, NULL) ? &texts[i] : NULL;
	return NULL;
}

static const char *vector_cast(struct lt_pool *pool, const struct lt_op *op, const struct lt_velement *from, int lanes)
{
	const struct lt_velement *to = lt__velement_of(op->out);
	struct lt_out o = lt__out_new(pool);

	if (!genuine(pool, op, cast_scalar(from, to), to, from))
		return NULL;
	lt__vector_expand(&o, from == to ? "$0" : "lt_cast_@f_@nx@L($0)", to, from, lanes);
	return o.at;
}

const char *lt__vector_op(struct lt_pool *pool, const struct lt_op *op, int lanes, int library)
{
	const struct lt_velement *e = op->arity >= 1 && op->arity <= 3 ? lt__velement_of(op->in[op->arity - 1]) : NULL;
	struct lt_out o = lt__out_new(pool);

	if (!possible(e, lanes) || !possible(lt__velement_of(op->out), lanes))
		return NULL;
	if (strcmp(op->name, "cast") == 0)
		return vector_cast(pool, op, e, lanes);
	const struct row *row = find_row(pool, op, e);
	if (!row)
		return NULL;
	const char *text = row->text, *how = strstr(text, "@v");
	if (how) {
		struct lt_out named = lt__out_new(pool);
		lt__out_bytes(&named, text, (size_t)(how - text));
		lt__outf(&named, "%s%s", library >= row->since ? "mvec" : "each", how + 2);
		text = named.at;
	}
	lt__vector_expand(&o, text, e, NULL, lanes);
	return o.at;
}

/* min and max of floats: what makes them one rule for zeros and NaN is needed for no number but that zero which wins,
 * and for that it is less. */
const char *lt__vector_beside(struct lt_pool *pool, const struct lt_op *op, int lanes, int k, uint64_t bits)
{
	const struct lt_velement *e = op->arity == 2 ? lt__velement_of(op->in[1]) : NULL;
	bool is_min = strcmp(op->name, "min") == 0, is_max = strcmp(op->name, "max") == 0;
	struct lt_out name = lt__out_new(pool), o = lt__out_new(pool);

	if (!e || e->kind != 'F' || !(is_min || is_max) || !possible(e, lanes) || !find_row(pool, op, e))
		return NULL;
	uint64_t sign = UINT64_C(1) << (e->bits - 1),
		 infinity = e->bits == 32 ? UINT64_C(0x7F800000) : UINT64_C(0x7FF0000000000000);
	if ((bits & (sign - 1)) > infinity)
		return NULL;
	bool wins = bits == (is_min ? sign : 0);
	lt__outf(&name, "lt_%s_@nx@L($%d, $%d)", is_min ? (wins ? "least" : "under") : wins ? "most" : "over", 1 - k, k);
	lt__vector_expand(&o, name.at, e, NULL, lanes);
	return o.at;
}

const char *lt__vector_fold(struct lt_pool *pool, const struct lt_op *op, int lanes)
{
	static const char *const names[] = { "add", "mul", "min", "max", "and", "or", "xor" };
	const struct lt_velement *e = lt__velement_of(op->out);
	struct lt_out name = lt__out_new(pool), o = lt__out_new(pool);

	if (!possible(e, lanes) || op->arity != 2 || op->in[0] != op->out || op->in[1] != op->out || !find_row(pool, op, e)
	    || (e->bits < 32 && e->kind != 'B'))
		return NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], op->name) == 0) {
			lt__outf(&name, "lt_fold_%s_@nx@L($0)", op->name);
			lt__vector_expand(&o, name.at, e, NULL, lanes);
			return o.at;
		}
	return NULL;
}

uint32_t lt__element_bytes(uint32_t dtype)
{
	const struct lt_velement *e = lt__velement_of(dtype);

	return e ? e->bits / 8 : 0;
}

const char *lt__element_ctype(uint32_t dtype)
{
	const struct lt_velement *e = lt__velement_of(dtype);

	return e ? e->ctype : "";
}
