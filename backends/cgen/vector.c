/* backends/cgen/vector.c -- the texts of operators and folds over GNU vectors. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#include "backends/cgen/vector_part.h"
#include "ir/op.h"

static const struct { const char *name, *on; int since; const char *text; } texts[] = {
#define VOP(name, on, since, text) { #name, on, since, text },
#include "backends/cgen/vector_op.def"
};
enum { N_TEXT = sizeof texts / sizeof *texts };

int lt__vector_library(void)
{
	int version = 0;
#if defined(__GLIBC__) && defined(__x86_64__)
	void *there = dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL);
	char *rest = NULL;
	long major = there ? strtol(gnu_get_libc_version(), &rest, 10) : 0;

	if (there)
		(void)dlclose(there);
	if (major > 0 && *rest == '.')
		version = (int)(100 * major + strtol(rest + 1, NULL, 10));
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

/* Whether op is the row of the operator table that its name says, and not another of that name. */
static bool genuine(const struct lt_op *op, int code)
{
	const struct lt_opinfo *info = lt__op_info((enum lt_opcode)code);
	char source[256];

	if (op->arity < 1 || op->arity > 3 || (info->data && code != LT_OP_cast) || info->arity != op->arity)
		return false;
	lt__op_csource((enum lt_opcode)code, (enum lt_dtype)op->in[op->arity - 1], (enum lt_dtype)op->out, source, sizeof source);
	return !op->source || strcmp(op->source, source) == 0;
}

const char *lt__vector_op(struct lt_pool *pool, const struct lt_op *op, int lanes, int library)
{
	int code = lt__op_find(op->name);
	const struct lt_velement *e = op->arity >= 1 && op->arity <= 3 ? lt__velement_of(op->in[op->arity - 1]) : NULL;
	struct lt_out o = lt__out_new(pool);
	const char *text = NULL;
	bool in_library = false;

	if (!possible(e, lanes) || !possible(lt__velement_of(op->out), lanes) || code < 0 || !genuine(op, code))
		return NULL;
	if (code == LT_OP_cast) {
		text = op->in[0] == op->out ? "$0" : "lt_cast_@f_@nx@L($0)";
		lt__vector_expand(&o, text, lt__velement_of(op->out), e, lanes);
		return o.at;
	}
	for (int i = 0; i < N_TEXT && !text; i++)
		if (strcmp(texts[i].name, op->name) == 0 && lt__velement_fits(texts[i].on, e)) {
			text = texts[i].text;
			in_library = library >= texts[i].since;
		}
	if (!text)
		return NULL;
	const char *how = strstr(text, "@v");
	if (how) {
		struct lt_out named = lt__out_new(pool);
		lt__out_bytes(&named, text, (size_t)(how - text));
		lt__outf(&named, "%s%s", in_library ? "mvec" : "each", how + 2);
		text = named.at;
	}
	lt__vector_expand(&o, text, e, NULL, lanes);
	return o.at;
}

const char *lt__vector_fold(struct lt_pool *pool, const struct lt_op *op, int lanes)
{
	static const char *const names[] = { "add", "mul", "min", "max", "and", "or", "xor" };
	const struct lt_velement *e = lt__velement_of(op->out);
	struct lt_out name = lt__out_new(pool), o = lt__out_new(pool);
	int code = lt__op_find(op->name);

	if (!possible(e, lanes) || code < 0 || op->arity != 2 || op->in[0] != op->out || op->in[1] != op->out || !genuine(op, code)
	    || !lt__op_takes((enum lt_opcode)code, (enum lt_dtype)op->out))
		return NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], op->name) == 0) {
			lt__outf(&name, "lt_fold_%s_@nx@L($0)", op->name);
			lt__vector_expand(&o, name.at, e, NULL, lanes);
			return o.at;
		}
	return NULL;
}
