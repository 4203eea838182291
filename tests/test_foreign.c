/* test_foreign.c -- a file that is no script is answered with what it seems to be, and what to do with it.  Run once
 * more by a library without the frontend onnx. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "checkpoint.h"
#include "frontends/llama2/llama2.h"
#include "lt/frontend.h"

static struct lt_context *ctx;
static void set_up(void) { cr_assert_eq(lt_context_new(&ctx), LT_OK); }
static void tear_down(void) { lt_context_free(ctx); }
TestSuite(foreign, .init = set_up, .fini = tear_down);

static void expect_said(const char *bytes, size_t n, const char *words)
{
	struct lt_graph *g;
	lt_status s = lt_parse(ctx, bytes, n, "file", NULL, &g);
	cr_expect_eq(s, LT_EINVAL, "%s: %s", words, lt_status_name(s));
	cr_expect(strstr(lt_context_message(ctx), words), "'%s', not '%s'", lt_context_message(ctx), words);
	cr_expect_eq(strncmp(lt_context_message(ctx), "file: it", 8), 0, "%s", lt_context_message(ctx));
	if (!s)
		lt_graph_free(g);
}

Test(foreign, each_kind_is_told)
{
#define ROW(bytes, words) { bytes, sizeof bytes - 1, words }
	static const struct { const char *at; size_t n; const char *words; } rows[] = {
		ROW("", "it is empty"),
		ROW("\x93NUMPY\1\0v\0{'descr'", "-i NAME=FILE.npy"),
		ROW("\x15\0\0\0\0\0\0\0{\"__metadata__\": {}  }", "weights in safetensors, which belong to a script: SCRIPT -w"),
		ROW("PK\3\4\x2d\0\0\0\0\0\0\0!\0aaaabbbbcccc\5\0\0\0x.npyrest", "arrays of NumPy (.npz)"),
		ROW("PK\3\4\0\0\0\0\0\0\0\0\0\0aaaabbbbcccc\x0e\0\0\0model/data.pklrest", "torch.onnx.export"),
		ROW("PK\3\4\0\0\0\0\0\0\0\0\0\0aaaabbbbcccc\5\0\0\0a.txtrest", "a zip archive"),
		ROW("PK\3\4\0\0", "a zip archive"),
		/* As torch.jit.save and torch.export.save name their files, the central directory after the data. */
		ROW("PK\3\4\0\0\0\0\0\0\0\0\0\0aaaabbbbcccc\10\0\0\0m/data/0PK\1\2m/data.pklPK\1\2m/constants.pkl",
			"TorchScript; python -m looptree.torch"),
		ROW("PK\3\4\0\0\0\0\0\0\0\0\0\0aaaabbbbcccc\10\0\0\0m/data/0PK\1\2m/models/model.json",
			"an exported program of PyTorch; python -m looptree.torch"),
		ROW("\x80\2}q\0.", "a pickle of Python"),
		ROW("GGUF\3\0\0\0", "llama.cpp"),
		ROW("\x1c\0\0\0TFL3", "TensorFlow Lite"),
		ROW("\x7f" "ELF\2\1\1", "a program or a shared library"),
		ROW("\x1f\x8b\x08\0", "gunzip"),
		ROW("\xff\xfe$\0" "1\0", "UTF-16"),
		ROW("version https://git-lfs.github.com/spec/v1\noid sha256:", "git lfs pull"),
		ROW("{\n  \"version\": \"1.0\", \"model\": {", "JSON, such as a tokenizer"),
		ROW("\xef\xbb\xbf {", "JSON, such as a tokenizer"),
		ROW("<!DOCTYPE html><html>", "a page of the web"),
		ROW("looptree 1\ngraph 0\n", "--schedule FILE"),
		ROW("\n\x0e\n\x05<unk>\x15\0\0\0\0", "a tokenizer of SentencePiece"),
		ROW("abc\0def", "it is no text: byte 4 of 7 is 0x00"),
		ROW("\1", "it is no text: byte 1 of 1 is 0x01"),
	};
#undef ROW
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		expect_said(rows[i].at, rows[i].n, rows[i].words);
}

/* Each beginning of a file of a known kind is answered, and nothing is read behind its end. */
Test(foreign, cut_anywhere)
{
	static const char *const whole[] = { "PK\3\4\1\1\1\1\1\1\1\1\1\1aaaabbbbcccc\5\1\1\1x.npyrest",
		"\x15\1\1\1\1\1\1\1{\"__metadata__\"", "\x93NUMPY\1\1v", "\x08\x07\x12\x01x" };
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		for (size_t n = 0; n < strlen(whole[i]); n++) {
			struct lt_graph *g;
			char *copy = malloc(n + !n);
			memcpy(copy, whole[i], n);
			cr_expect(lt_parse(ctx, copy, n, "file", NULL, &g), "%zu of row %zu", n, i);
			free(copy);
		}
}

Test(foreign, a_model_of_onnx_where_none_is_read)
{
	static const char model[] = "\x08\x08\x12\x70pytorch\0", words[] = "protobuf-c-compiler libprotobuf-c-dev && make";
	struct lt_graph *g;
	cr_expect(lt_parse(ctx, model, sizeof model - 1, "file", NULL, &g));
	const char *said = lt_context_message(ctx);
	cr_expect_eq(!strstr(said, words), lt_frontend_find("onnx") != NULL, "%s", said);
}

/* As a script that is asked for by name, anything is a script. */
Test(foreign, a_frontend_that_is_named_is_asked)
{
	struct lt_graph *g;
	cr_expect_eq(lt_parse(ctx, "{", 1, "file", "script", &g), LT_ESYNTAX);
	cr_expect_eq(strncmp(lt_context_message(ctx), "file:1:1: ", 10), 0, "%s", lt_context_message(ctx));
}

Test(foreign, a_checkpoint_that_is_cut_short)
{
	static const struct checkpoint_sizes sizes = { 16, 24, 2, 4, 2, 40, 8 };
	for (int version = 0; version <= 2; version++) {
		struct checkpoint *c = checkpoint_new(&sizes, true, version, version == 2 ? 8 : 0, 7);
		expect_said((const char *)c->file, c->n - 1, "it is truncated");
		expect_said((const char *)c->file, c->n / 2, "it is truncated");
		expect_said((const char *)c->file, version ? 256 : 28, "it is truncated");
		checkpoint_free(c);
	}
}

/* A tokenizer for lt-run, and for lt-llama; a file of another kind for lt-llama. */
Test(foreign, a_tokenizer)
{
	char file[4 + 3 * 11] = { 3 };
	for (int i = 0; i < 3; i++)
		memcpy(file + 4 + i * 11, "\0\0\x80\x3f\3\0\0\0abc", 11);
	expect_said(file, sizeof file, "it seems to be a tokenizer, which a checkpoint needs beside it: lt-llama CHECKPOINT");
	expect_said(file, sizeof file - 1, "it is no text");

	const struct { const char *at; size_t n; const char *words; } rows[] = {
		{ file, sizeof file, "it is no checkpoint of llama2.c: it seems to be a tokenizer" },
		{ "PK\3\4\0\0", 6, "it is no checkpoint of llama2.c: it seems to be a zip archive" },
		{ "\x08\x08\x12\x07pytorch", 11, "it seems to be a model of ONNX, which lt-run reads" },
		{ "\1\1", 2, "2 bytes are too few for a header" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct lt_llama m;
		cr_expect_eq(lt__llama_read(ctx, rows[i].at, rows[i].n, "file", &m), LT_EINVAL);
		cr_expect(strstr(lt_context_message(ctx), rows[i].words), "%s", lt_context_message(ctx));
	}
}
