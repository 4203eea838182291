/* lt-llama.c -- runs a language model of llama2.c: the order of things; each step is in a file here. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tools/common/common.h"
#include "tools/llama/llama.h"

/* The tokenizer that -z names, or tokenizer.bin here, or beside the checkpoint: as llama2.c, and one place more. */
static char *tokenizer_path(const struct llama_options *o)
{
	static const char name[] = "tokenizer.bin";
	const char *slash = strrchr(o->checkpoint, '/');
	const size_t folder = slash ? (size_t)(slash - o->checkpoint) + 1 : 0;
	char *path;

	if (o->tokenizer || !folder || !access(name, F_OK))
		return strdup(o->tokenizer ? o->tokenizer : name);
	path = malloc(folder + sizeof name);
	if (path) {
		memcpy(path, o->checkpoint, folder);
		memcpy(path + folder, name, sizeof name);
	}
	return path;
}

static lt_status read_tokenizer(struct llama *l, char *path)
{
	const bool wanted = !l->o.emit && !l->o.convert
		&& (!l->o.tokens || l->o.prompt || l->o.tokenizer || !strcmp(l->o.mode, "chat"));

	if (!wanted)
		return LT_OK;
	if (!path)
		return lt_fail(l->ctx, LT_ENOMEM, "out of memory");
	LT_TRY(model_map(l->ctx, path, "tokenizer", &l->vocabulary));
	lt_status s = lt__llama_tokenizer_read(l->ctx, l->vocabulary.at, l->vocabulary.n, path, l->model.vocab, &l->tokenizer);
	if (s && !l->o.tokenizer && s != LT_ENOMEM) {
		char why[600];

		snprintf(why, sizeof why, "%s", lt_context_message(l->ctx));
		s = lt_fail(l->ctx, s, "%-s; it was taken because no other is named: -z FILE names the model's own%s", why,
			l->o.prompt || !strcmp(l->o.mode, "chat") ? "" : ", and --tokens needs none");
	}
	return lt__mistake(s);
}

/* f32 where none is named. */
static enum lt_dtype type_named(const char *name)
{
	const char *const names[] = { "f32", "bf16", "f16", "int8" };
	static const enum lt_dtype types[] = { LT_F32, LT_BF16, LT_F16, LT_I8 };

	for (int i = 0; name && i < 4; i++)
		if (!strcmp(name, names[i]))
			return types[i];
	return LT_F32;
}

/* A context is a number in a header: what it asks for has to be there. */
static lt_status check_context(struct llama *l)
{
	const struct lt_llama *m = &l->model;
	const double head = lt__llama_head(m),
		cache = 2.0 * m->layers * m->kv_heads * head * (double)lt_dtype_bytes(l->cache),
		wanted = m->context * (cache + 2 * head * sizeof (float));

	double memory;

	if (l->o.emit || l->o.convert || !lt__memory_lacks(wanted, &memory))
		return LT_OK;
	return lt__mistake(lt_fail(l->ctx, LT_EINVAL, "%s: its context (seq_len) of %d positions asks for %.1f GB of keys, "
		"values and rotations, and this machine has %.1f GB of memory%s", m->file, m->context, wanted / 1e9, memory / 1e9,
		l->cache == LT_F32 && wanted / 2 <= memory ? "; --kv-dtype bf16 needs half of it" : ""));
}

/* --dtype.  What is narrower in a file becomes floats by the graph, others are converted here. */
static lt_status convert_matrices(struct llama *l)
{
	const enum lt_dtype matrices = type_named(l->o.dtype);
	struct lt_llama converted;

	l->floats = l->o.dtype && matrices != LT_I8;
	if (!l->o.dtype || matrices == LT_F32 || matrices == l->model.weights[LT_LLAMA_EMBEDDING].dtype)
		return LT_OK;
	LT_TRY(lt__llama_convert(l->ctx, &l->model, matrices, &converted, &l->converted));
	l->model = converted;
	return LT_OK;
}

/* All that is given is looked at before any work. */
static lt_status read_files(struct llama *l, char *path)
{
	LT_TRY(model_map(l->ctx, l->o.checkpoint, "checkpoint", &l->checkpoint));
	LT_TRY(lt__mistake(lt__llama_read(l->ctx, l->checkpoint.at, l->checkpoint.n, l->o.checkpoint, &l->model)));
	LT_TRY(read_tokenizer(l, path));
	l->cache = type_named(l->o.kv_dtype);
	LT_TRY(check_context(l));
	l->steps = l->o.steps == 0 || l->o.steps > l->model.context ? l->model.context : (int32_t)l->o.steps;
	return lt__llama_sampler_new(l->ctx, l->model.vocab, (float)l->o.temperature, (float)l->o.top,
		l->o.seed ? l->o.seed : (uint64_t)time(NULL), &l->sampler);
}

/* No file that is written is one that is read, since weights are mapped while they are written; each can be written. */
static lt_status check_outputs(const struct llama *l, const char *tokenizer)
{
	const struct lt_texts read = { .at = &tokenizer, .n = tokenizer != NULL };
	const struct lt_tool_inputs in = { .model = l->o.checkpoint, .schedule = l->o.schedule, .read = &read };

	const char *const to[] = { l->o.output, l->o.convert };

	for (int i = 0; i < 2; i++)
		if (to[i]) {
			LT_TRY(lt__mistake(lt__overwrite_check(l->ctx, to[i], &in)));
			LT_TRY(lt__out_check(l->ctx, to[i]));
		}
	return l->o.emit ? llama_emit_check(l, &in) : LT_OK;
}

static lt_status llama_work(struct llama *l, char *path)
{
	LT_TRY(read_files(l, path));
	LT_TRY(check_outputs(l, path));
	LT_TRY(lt__mistake(convert_matrices(l)));
	if (l->o.emit)
		return llama_emit(l);
	if (l->o.convert)
		return llama_convert(l);
	LT_TRY(llama_begin(l));
	/* From here on a signal ends the text, not what is said of it: whoever makes tokens looks for it between two. */
	lt_context_cancel(l->ctx, NULL, NULL);
	lt__interrupt_catch(0);
	lt_status s = !strcmp(l->o.mode, "chat") ? llama_chat(l) : llama_generate(l);
	s = s ? s : llama_write_logits(l);
	if (!s)
		llama_report(l);
	s = s ? s : llama_verdict(l);
	if (l->json) {
		json_dumpf(l->json, stdout, LT_JSON_PLAIN);
		putchar('\n');
	}
	fflush(stdout);
	lt__interrupt_release();
	return s;
}

static void release(struct llama *l)
{
	llama_end(l);
	llama_text_free(l);
	lt__llama_sampler_free(&l->sampler);
	lt__llama_tokenizer_free(l->tokenizer);
	free(l->converted);
	model_unmap(&l->vocabulary);
	model_unmap(&l->checkpoint);
	llama_options_free(&l->o);
	json_decref(l->json);
	lt_context_free(l->ctx);
}

int main(int argc, char **argv)
{
	static struct llama l;
	char *path = NULL;
	bool done = false;
	lt_status s;
	int code;

	lt__interrupt_begin();
	if (lt_context_new(&l.ctx)) {
		fputs("lt-llama: out of memory\n", stderr);
		return LT_EXIT_FAILED;
	}
	lt_context_cancel(l.ctx, lt__interrupted, NULL);
	s = llama_options_read(l.ctx, argc, argv, &l.o, &done);
	if (!s && !done) {
		if (!l.o.cc && getenv("CC") && *getenv("CC"))
			l.o.cc = getenv("CC");
		l.json = l.o.json ? json_object() : NULL;
		path = tokenizer_path(&l.o);
		s = llama_work(&l, path);
	}
	code = lt__tool_end(l.ctx, &llama_tool, s);
	if (l.verdict)
		code = (int)l.verdict;
	release(&l);
	free(path);
	return code;
}
