/* llama_shape.c -- which models the suite llama has: shapes by name or by sizes, types of matrices. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/bench/llama.h"

/* In the order of a checkpoint's header. */
static const char *const size_names[] = { "dim", "hidden", "layers", "heads", "kv_heads", "vocab", "context" };
enum { SIZES = 7 };

/* Those of llama2.c's models, of TinyLlama and of LLaMA-2. */
static const struct shape_row { const char *name; int32_t size[SIZES]; bool shared; } shapes[] = {
	{ "260K", { 64, 172, 5, 8, 4, 512, 512 }, true },
	{ "15M", { 288, 768, 6, 6, 6, 32000, 256 }, true },
	{ "42M", { 512, 1376, 8, 8, 8, 32000, 1024 }, true },
	{ "110M", { 768, 2048, 12, 12, 12, 32000, 1024 }, true },
	{ "1.1B", { 2048, 5632, 22, 32, 4, 32000, 2048 }, false },
	{ "7B", { 4096, 11008, 32, 32, 32, 32000, 2048 }, false },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const struct type_row { const char *name; enum lt_dtype dtype; } types[BENCH_LLAMA_TYPES] = {
	[BENCH_LLAMA_F32] = { "f32", LT_F32 }, [BENCH_LLAMA_BF16] = { "bf16", LT_BF16 },
	[BENCH_LLAMA_F16] = { "f16", LT_F16 }, [BENCH_LLAMA_INT8] = { "int8", LT_I8 } };

const char *bench_llama_type_name(enum bench_llama_type t) { return types[t].name; }
enum lt_dtype bench_llama_dtype(enum bench_llama_type t) { return types[t].dtype; }

static void take_sizes(const int32_t *size, struct lt_llama *m)
{
	int32_t *const to[SIZES] = { &m->dim, &m->hidden, &m->layers, &m->heads, &m->kv_heads, &m->vocab, &m->context };

	for (int i = 0; i < SIZES; i++)
		*to[i] = size[i];
}

static const char *shape_words(struct lt_context *ctx)
{
	const char *text = "";

	for (int i = 0; i < SHAPES; i++)
		text = lt__scratch(ctx, "%s%s%s", text, i ? ", " : "", shapes[i].name);
	return text;
}

/* One NAME=NUMBER of a shape; `begin` is what it changes of 15M. */
static lt_status take_size(struct lt_context *ctx, const char *pair, int32_t *size, bool *shared)
{
	const size_t n = strcspn(pair, "=");
	char *end;
	int64_t value;

	if (n == 6 && !strncmp(pair, "shared", n) && (!strcmp(pair + n, "=0") || !strcmp(pair + n, "=1"))) {
		*shared = pair[n + 1] == '1';
		return LT_OK;
	}
	for (int i = 0; i < SIZES; i++) {
		if (strlen(size_names[i]) != n || strncmp(size_names[i], pair, n) != 0 || pair[n] != '=')
			continue;
		errno = 0;
		value = strtoll(pair + n + 1, &end, 10);
		if (errno || end == pair + n + 1 || *end || value < 1 || value > 1 << 24)
			return lt_fail(ctx, LT_EINVAL, "--shape: '%s' is to be a number from 1 to %d", pair, 1 << 24);
		size[i] = (int32_t)value;
		return LT_OK;
	}
	return lt_fail(ctx, LT_EINVAL, "--shape: '%s' is none of dim, hidden, layers, heads, kv_heads, vocab, context and "
		"shared, each with = and a number", pair);
}

/* "dim=64,hidden=172": what is left out is that of 15M, and kv_heads as many as heads. */
static lt_status shape_of_sizes(struct lt_context *ctx, const char *text, struct bench_llama *out)
{
	char *copy = lt__must_format("%s", text), *rest = NULL;
	int32_t size[SIZES];
	bool shared = true;
	lt_status s = LT_OK;

	memcpy(size, shapes[1].size, sizeof size);
	size[4] = 0;
	for (char *at = strtok_r(copy, ",", &rest); at && !s; at = strtok_r(NULL, ",", &rest))
		s = take_size(ctx, at, size, &shared);
	size[4] = size[4] ? size[4] : size[3];
	take_sizes(size, &out->sizes);
	out->sizes.shared = shared;
	snprintf(out->shape, sizeof out->shape, "%dx%dx%d", size[0], size[1], size[2]);
	free(copy);
	return s;
}

static lt_status shape_find(struct lt_context *ctx, const char *name, struct bench_llama *out)
{
	if (strchr(name, '='))
		return shape_of_sizes(ctx, name, out);
	for (int i = 0; i < SHAPES; i++)
		if (!strcmp(shapes[i].name, name)) {
			take_sizes(shapes[i].size, &out->sizes);
			out->sizes.shared = shapes[i].shared;
			snprintf(out->shape, sizeof out->shape, "%s", name);
			return LT_OK;
		}
	return lt_fail(ctx, LT_EINVAL, "--shape: there is no shape '%s' (there are %s, or its sizes: dim=64,hidden=172,"
		"layers=5,heads=8,kv_heads=4,vocab=512,context=512)", name, shape_words(ctx));
}

static lt_status type_find(struct lt_context *ctx, const char *name, enum bench_llama_type *out)
{
	for (int t = 0; t < BENCH_LLAMA_TYPES; t++)
		if (!strcmp(types[t].name, name)) {
			*out = (enum bench_llama_type)t;
			return LT_OK;
		}
	return lt_fail(ctx, LT_EINVAL, "--dtype: there is no type '%s' (there are f32, bf16, f16, int8)", name);
}

int64_t bench_llama_cache_bytes(const struct lt_llama *m)
{
	return 2 * (int64_t)m->layers * m->context * lt__llama_head(m) * m->kv_heads * (int64_t)sizeof (float);
}

int64_t bench_llama_bytes(const struct lt_llama *m, int tokens)
{
	int64_t bytes = 0;

	for (int k = 0; k < LT_LLAMA_KINDS; k++) {
		const struct lt_llama_weights *w = &m->weights[k];

		/* Of an embedding that is no classifier a token reads one row. */
		if (w->rows)
			bytes += k == LT_LLAMA_EMBEDDING && !m->shared ? w->stride / w->rows
				: w->stride * (lt__llama_layered((enum lt_llama_kind)k) ? m->layers : 1);
	}
	/* Position p reads p + 1 of them, and 1 to tokens - 1 are timed. */
	return bytes + (int64_t)((double)bench_llama_cache_bytes(m) / m->context * (tokens / 2.0 + 1));
}

int bench_llama_tokens(const struct bench_options *o, const struct lt_llama *m)
{
	const int most = o->tokens ? o->tokens : o->quick ? 8 : 256;

	return most < m->context ? most : m->context;
}

int bench_llama_prompt(const struct bench_options *o, const struct lt_llama *m)
{
	const int most = o->prompt >= 0 ? o->prompt : o->quick ? 16 : 256;

	return most < m->context ? most : m->context;
}

lt_status bench_llama_sized(
	struct lt_context *ctx, const struct bench_llama *x, enum bench_llama_type type, struct lt_llama *out, int64_t *bytes)
{
	*out = x->sizes;
	out->file = x->shape;
	out->group = type == BENCH_LLAMA_INT8 ? lt__llama_group(out->dim, out->hidden) : 0;
	if (type == BENCH_LLAMA_INT8 && !out->group)
		return lt_fail(ctx, LT_EINVAL, "%s: int8 has groups of at least 4 numbers, which do not divide dim %d and hidden %d",
			out->file, out->dim, out->hidden);
	return lt__mistake(lt__llama_sized(ctx, out, types[type].dtype, bytes));
}

/* A number that was asked for is not cut. */
static lt_status check_ask(struct lt_context *ctx, const struct bench_options *o, const struct bench_llama *x)
{
	const struct { const char *option; int n; } counts[] = { { "--tokens", o->tokens }, { "--prompt", o->prompt } };

	for (int i = 0; i < 2; i++)
		if (counts[i].n > x->sizes.context)
			return lt_fail(ctx, LT_EINVAL, "%s %d: the context of the shape %s has %d positions", counts[i].option,
				counts[i].n, x->shape, x->sizes.context);
	return LT_OK;
}

static lt_status add_type(struct lt_context *ctx, struct bench_cases *l, const char *suite,
	const struct bench_options *o, const struct bench_llama *shape, enum bench_llama_type type)
{
	struct lt_llama m;
	struct bench_llama *x;
	struct bench_case *c;
	char name[80];
	int64_t bytes;

	LT_TRY(bench_llama_sized(ctx, shape, type, &m, &bytes));
	snprintf(name, sizeof name, "%s-%s", shape->shape, types[type].name);
	c = bench_case_add(l, suite, types[type].name, "llama", name);
	c->flops = -1;
	c->bytes = bench_llama_bytes(&m, bench_llama_tokens(o, &m));
	c->bound = MACHINE_READ;
	c->llama = x = lt__must_alloc(sizeof *x);
	*x = *shape;
	x->type = type;
	x->seed = (uint64_t)o->seed;
	return LT_OK;
}

lt_status bench_llama_add(struct lt_context *ctx, struct bench_cases *l, const char *suite,
	const struct bench_options *o)
{
	const char *const usual = "15M", *const usual_type = "f32";
	const struct lt_texts shape = o->shape.n ? o->shape : (struct lt_texts){ .at = (const char **)&usual, .n = 1 };
	const struct lt_texts dtype = o->dtype.n ? o->dtype : (struct lt_texts){ .at = (const char **)&usual_type, .n = 1 };

	for (int i = 0; i < shape.n; i++) {
		struct bench_llama x = { .seed = 0 };

		LT_TRY(shape_find(ctx, shape.at[i], &x));
		LT_TRY(check_ask(ctx, o, &x));
		for (int k = 0; k < dtype.n; k++) {
			enum bench_llama_type type = BENCH_LLAMA_F32;

			LT_TRY(type_find(ctx, dtype.at[k], &type));
			LT_TRY(add_type(ctx, l, suite, o, &x, type));
		}
	}
	return LT_OK;
}

static lt_status check_program_path(struct lt_context *ctx, const char *option, const char *path)
{
	struct stat st;

	if (!path)
		return LT_OK;
	if (stat(path, &st))
		return lt_fail(ctx, LT_EINVAL, "%s '%s': %s", option, path, strerror(errno));
	return S_ISREG(st.st_mode) && !access(path, X_OK) ? LT_OK
		: lt_fail(ctx, LT_EINVAL, "%s '%s': it is no program that can be run; it is llama2.c's, built outside of Looptree",
			option, path);
}

static bool has_type(const struct bench_options *o, const char *name)
{
	for (int i = 0; i < o->dtype.n; i++)
		if (!strcmp(o->dtype.at[i], name))
			return true;
	return !o->dtype.n && !strcmp(name, "f32");
}

/* A program that no case is for would have no row. */
static lt_status check_program(struct lt_context *ctx, const struct bench_options *o, const char *option,
	const char *path, const char *type)
{
	if (path && !has_type(o, type))
		return lt_fail(ctx, LT_EINVAL, "%s takes part in the %s cases, and --dtype names none", option, type);
	return check_program_path(ctx, option, path);
}

/* It is made, as cache folders are. */
static lt_status check_folder(struct lt_context *ctx, const char *folder)
{
	struct stat st;

	if (!folder || mkdir(folder, 0777) == 0)
		return LT_OK;
	if (errno != EEXIST)
		return lt_fail(ctx, LT_EINVAL, "--folder '%s': it cannot be made: %s", folder, strerror(errno));
	return !stat(folder, &st) && S_ISDIR(st.st_mode) && !access(folder, W_OK) ? LT_OK
		: lt_fail(ctx, LT_EINVAL, "--folder '%s': it is no folder that can be written to", folder);
}

lt_status bench_llama_check(struct lt_context *ctx, const struct bench_options *o)
{
	LT_TRY(check_program(ctx, o, "--run", o->run, "f32"));
	LT_TRY(check_program(ctx, o, "--runq", o->runq, "int8"));
	return check_folder(ctx, o->folder);
}
