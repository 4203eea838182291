/* llama_files.c -- what the contestants of the suite llama read: checkpoints with random weights, and a
 * tokenizer whose pieces are numbers, so that a text says which tokens it has. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/bench/llama.h"
#include "tools/model/model.h"

/* A model of floats in memory. */
struct floats { struct lt_llama m; float *at[LT_LLAMA_KINDS]; };

static void floats_free(struct floats *f)
{
	for (int k = 0; k < LT_LLAMA_KINDS; k++)
		free(f->at[k]);
}

static lt_status floats_make(struct lt_context *ctx, const struct bench_llama *x, struct floats *f)
{
	int64_t bytes;

	*f = (struct floats){ .at = { NULL } };
	LT_TRY(bench_llama_sized(ctx, x, BENCH_LLAMA_F32, &f->m, &bytes));
	for (int k = 0; k < LT_LLAMA_KINDS; k++) {
		struct lt_llama_weights *w = &f->m.weights[k];
		const int32_t layers = lt__llama_layered((enum lt_llama_kind)k) ? f->m.layers : 1;

		if (!w->rows)
			continue;
		f->at[k] = malloc((size_t)w->stride * (size_t)layers);
		if (!f->at[k])
			return lt_fail(ctx, LT_ENOMEM, "out of memory: the weights of %s take %lld bytes", x->shape, (long long)bytes);
		for (int32_t i = 0; i < layers; i++) {
			struct bench_llama_source s = { &f->m, x->seed, (enum lt_llama_kind)k, i, false };

			LT_TRY(bench_llama_fill(&s, 0, (size_t)w->stride, (char *)f->at[k] + i * w->stride));
		}
		w->at = (const unsigned char *)f->at[k];
	}
	return LT_OK;
}

static lt_status checkpoint_write(struct lt_context *ctx, const struct floats *f, enum bench_llama_type type,
	const char *path)
{
	struct lt_llama converted = f->m;
	struct lt_outfile file;
	void *memory = NULL;
	lt_status s = type == BENCH_LLAMA_F32 ? LT_OK
		: lt__llama_convert(ctx, &f->m, bench_llama_dtype(type), &converted, &memory);

	s = s ? s : lt__out_open(ctx, path, &file);
	if (!s) {
		lt__llama_write(&converted, false, file.file);
		s = lt__out_close(ctx, &file, true);
	}
	free(memory);
	return s;
}

static lt_status checkpoint_map(struct lt_context *ctx, struct bench_llama_file *file)
{
	struct model_mapped mapped;

	LT_TRY(model_map(ctx, file->path, "checkpoint", &mapped));
	file->at = (void *)(uintptr_t)mapped.at;
	file->bytes = mapped.n;
	return lt__llama_read(ctx, file->at, file->bytes, file->path, &file->m);
}

/* One that an earlier run has left in --folder, if it is what this one would write. */
static lt_status checkpoint_known(struct lt_context *ctx, const struct bench_llama *x, enum bench_llama_type type,
	struct bench_llama_file *file)
{
	struct lt_llama want;
	int64_t bytes;

	LT_TRY(bench_llama_sized(ctx, x, type, &want, &bytes));
	LT_TRY(checkpoint_map(ctx, file));
	const struct lt_llama *m = &file->m;
	const bool same = m->dim == want.dim && m->hidden == want.hidden && m->layers == want.layers && m->heads == want.heads
		&& m->kv_heads == want.kv_heads && m->vocab == want.vocab && m->context == want.context
		&& m->shared == want.shared && m->group == want.group && file->bytes == (size_t)bytes;
	return same ? LT_OK : lt_fail(ctx, LT_EINVAL, "--folder: '%s' is no checkpoint of the shape %s: move it away",
		file->path, x->shape);
}

/* Version 0's tokenizer: the longest piece, then of each its score, its bytes and these. */
static lt_status tokenizer_write(struct lt_context *ctx, int32_t vocab, const char *path)
{
	struct lt_outfile file;
	char piece[16];
	const int32_t longest = (int32_t)snprintf(piece, sizeof piece, "%d ", vocab - 1);

	LT_TRY(lt__out_open(ctx, path, &file));
	fwrite(&longest, sizeof longest, 1, file.file);
	for (int32_t i = 0; i < vocab; i++) {
		const float score = -(float)i;
		const int32_t n = (int32_t)snprintf(piece, sizeof piece, "%d ", i);

		fwrite(&score, sizeof score, 1, file.file);
		fwrite(&n, sizeof n, 1, file.file);
		fwrite(piece, 1, (size_t)n, file.file);
	}
	return lt__out_close(ctx, &file, true);
}

static lt_status tokenizer_make(struct lt_context *ctx, const struct bench_llama *x, const char *folder,
	struct bench_llama_files *out)
{
	struct model_mapped mapped;

	out->tokenizer = lt__must_format("%s/%d.tokenizer.bin", folder, x->sizes.vocab);
	LT_TRY(tokenizer_write(ctx, x->sizes.vocab, out->tokenizer));
	LT_TRY(model_map(ctx, out->tokenizer, "tokenizer", &mapped));
	out->vocabulary = (void *)(uintptr_t)mapped.at;
	out->n_vocabulary = mapped.n;
	return lt__llama_tokenizer_read(ctx, mapped.at, mapped.n, out->tokenizer, x->sizes.vocab, &out->words);
}

/* Weights are made once for all files that are not there yet. */
static lt_status checkpoints_make(struct lt_context *ctx, const struct bench_llama *x, unsigned types,
	const char *folder, bool kept, struct bench_llama_files *out)
{
	struct floats floats = { .at = { NULL } };
	bool made = false;
	lt_status s = LT_OK;

	for (int t = 0; t < BENCH_LLAMA_TYPES && !s; t++) {
		struct bench_llama_file *file = &out->of[t];

		if (!(types >> t & 1))
			continue;
		file->path = lt__must_format("%s/%s-%llu.%s.bin", folder, x->shape, (unsigned long long)x->seed,
			bench_llama_type_name((enum bench_llama_type)t));
		if (kept && !access(file->path, F_OK)) {
			s = checkpoint_known(ctx, x, (enum bench_llama_type)t, file);
			continue;
		}
		file->mine = !kept;
		if (!made)
			s = floats_make(ctx, x, &floats);
		made = true;
		s = s ? s : checkpoint_write(ctx, &floats, (enum bench_llama_type)t, file->path);
		s = s ? s : checkpoint_map(ctx, file);
	}
	floats_free(&floats);
	return s;
}

lt_status bench_llama_files_make(struct lt_context *ctx, const struct bench_llama *x, unsigned types,
	const struct bench_options *o, struct bench_llama_files *out)
{
	const char *folder = o->folder;

	*out = (struct bench_llama_files){ .tokenizer = NULL };
	if (!folder)
		LT_TRY(lt__tmp_home(ctx, &folder));
	LT_TRY(tokenizer_make(ctx, x, folder, out));
	return checkpoints_make(ctx, x, types, folder, o->folder != NULL, out);
}

void bench_llama_files_free(struct bench_llama_files *f)
{
	for (int t = 0; t < BENCH_LLAMA_TYPES; t++) {
		struct bench_llama_file *file = &f->of[t];

		model_unmap(&(struct model_mapped){ file->at, file->bytes });
		if (file->mine)
			unlink(file->path);
		free(file->path);
	}
	lt__llama_tokenizer_free(f->words);
	model_unmap(&(struct model_mapped){ f->vocabulary, f->n_vocabulary });
	if (f->tokenizer)
		unlink(f->tokenizer);
	free(f->tokenizer);
	*f = (struct bench_llama_files){ .tokenizer = NULL };
}
