/* foreign.c -- files that are no script and no model of ours, told by what they begin with. */
#include <stdio.h>
#include <string.h>
#include "frontends/frontends.h"

/* In the order in which they are asked: what begins with the bytes at `offset`. */
static const struct signature { size_t offset, n; const char *begin, *words; } signatures[] = {
#define BEGINS(offset, begin, words) { offset, sizeof begin - 1, begin, words }
	BEGINS(0, "\x93NUMPY", "an array of NumPy, which belongs to an input (lt-run: -i NAME=FILE.npy)"),
	BEGINS(0, "GGUF", "a model of llama.cpp (GGUF), which is not read; models of ONNX and of llama2.c are"),
	BEGINS(0, "\x89HDF\r\n", "HDF5, as Keras writes it, which is not read; export the model to ONNX (tf2onnx)"),
	BEGINS(4, "TFL3", "a model of TensorFlow Lite, which is not read; export it to ONNX (tf2onnx)"),
	BEGINS(0, "\x80\x02", "a pickle of Python, such as weights of PyTorch; export the model: torch.onnx.export"),
	BEGINS(0, "\x80\x03", "a pickle of Python; export the model: torch.onnx.export"),
	BEGINS(0, "\x80\x04", "a pickle of Python; export the model: torch.onnx.export"),
	BEGINS(0, "\x80\x05", "a pickle of Python; export the model: torch.onnx.export"),
	BEGINS(0, "\n\x0e\n\x05<unk>", "a tokenizer of SentencePiece; llama2.c's tokenizer.py makes lt-llama's of it"),
	BEGINS(0, "\x1f\x8b", "compressed by gzip; unpack it first: gunzip"),
	BEGINS(0, "\x28\xb5\x2f\xfd", "compressed by Zstandard; unpack it first: unzstd"),
	BEGINS(0, "\xfd" "7zXZ", "compressed by xz; unpack it first: unxz"),
	BEGINS(0, "\x7f" "ELF", "a program or a shared library; what lt-build made runs by itself, and a backend is loaded by "
		"-B FILE"),
	BEGINS(0, "\x89PNG\r\n", "an image; an input is an array, such as NumPy's (lt-run: -i NAME=FILE.npy)"),
	BEGINS(0, "\xff\xd8\xff", "an image; an input is an array, such as NumPy's (lt-run: -i NAME=FILE.npy)"),
	BEGINS(0, "\xff\xfe", "text in UTF-16; write it as UTF-8"),
	BEGINS(0, "\xfe\xff", "text in UTF-16; write it as UTF-8"),
	BEGINS(0, "version https://git-lfs", "what git has in the place of a large file; git lfs pull gets the file itself"),
	BEGINS(0, "ir_version:", "a model of ONNX as text, which is not read; write it as onnx.save does"),
	BEGINS(0, "looptree 1", "a loop tree, which belongs to a script: SCRIPT --schedule FILE"),
	BEGINS(0, "<?xml", "XML, such as a model of OpenVINO, which is not read; models of ONNX are"),
	BEGINS(0, "<!DOCTYPE", "a page of the web; what was to be loaded from there has another address"),
	BEGINS(0, "<html", "a page of the web; what was to be loaded from there has another address"),
#undef BEGINS
};

static bool begins(const char *at, size_t n, const char *word)
{
	return n >= strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

/* The length of a header as eight bytes, and the header, an object of JSON. */
static bool is_safetensors(const char *at, size_t n)
{
	unsigned long long header = 0;
	for (size_t i = 8; n > 9 && i-- > 0; )
		header = header << 8 | (unsigned char)at[i];
	return n > 9 && header >= 2 && header <= n - 8 && at[8] == '{' && (at[9] == '"' || at[9] == '}' || at[9] == ' ');
}

/* Whether a name is in a zip archive, whose names are all at its end. */
static bool has_name(const char *at, size_t n, const char *name)
{
	enum { END = 1 << 16 };
	const size_t length = strlen(name);

	for (size_t i = n > END ? n - END : 0; i + length <= n; i++)
		if (at[i] == name[0] && !memcmp(at + i, name, length))
			return true;
	return false;
}

/* A zip archive, by the names of files in it. */
static const char *words_of_zip(const char *at, size_t n)
{
	if (has_name(at, n, "/constants.pkl"))
		return "TorchScript; python -m looptree.torch FILE.pt --input 1,1,28,28 -o FILE.onnx writes it as a model of "
			"ONNX for inputs of that shape, and lt-run or lt-build FILE.onnx takes that";
	if (has_name(at, n, "/models/model.json"))
		return "an exported program of PyTorch; python -m looptree.torch FILE.pt2 -o FILE.onnx writes it as a model of "
			"ONNX, and lt-run or lt-build FILE.onnx takes that";
	enum { LENGTH = 26, NAME = 30 };
	const size_t length = n > NAME ? (unsigned char)at[LENGTH] | (size_t)(unsigned char)at[LENGTH + 1] << 8 : 0;
	if (!length || length > n - NAME)
		return "a zip archive";
	const char *name = at + NAME, *last = name + length;
	if (length > 4 && !memcmp(last - 4, ".npy", 4))
		return "arrays of NumPy (.npz), which belong to inputs or weights: --inputs FILE.npz, or -w FILE.npz";
	if (length > 8 && (!memcmp(last - 8, "data.pkl", 8) || !memcmp(last - 8, "/version", 8)))
		return "a model or weights of PyTorch; export the model: torch.onnx.export";
	return "a zip archive";
}

bool lt__foreign_is_onnx(const char *at, size_t n)
{
	return n > 4 && at[0] == 0x08 && at[1] > 0 && at[1] < 0x40;
}

static const char *words_of_json(const char *at, size_t n)
{
	while (n && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
		at++, n--;
	return n && *at == '{' ?
		"JSON, such as a tokenizer or what other programs are told of a model; the model is another file" : NULL;
}

const char *lt__foreign(const char *at, size_t n, char *out, size_t bytes)
{
	const char *mark = begins(at, n, "\xef\xbb\xbf") ? "\xef\xbb\xbf" : "", *words = NULL;
	if (!n)
		return "it is empty";
	if (lt__foreign_is_onnx(at, n))
		words = "a model of ONNX, which lt-run reads";
	else if (begins(at, n, "PK\x03\x04"))
		words = words_of_zip(at, n);
	else if (is_safetensors(at, n))
		words = "weights in safetensors, which belong to a script: SCRIPT -w FILE.safetensors";
	for (size_t i = 0; !words && i < sizeof signatures / sizeof *signatures; i++) {
		const struct signature *s = &signatures[i];
		if (n >= s->offset + s->n && !memcmp(at + s->offset, s->begin, s->n))
			words = s->words;
	}
	words = words ? words : words_of_json(at + strlen(mark), n - strlen(mark));
	if (!words)
		return NULL;
	(void)snprintf(out, bytes, "it seems to be %s", words);
	return out;
}

const char *lt__foreign_bytes(const char *at, size_t n, char *out, size_t bytes)
{
	enum { LOOK = 256 };
	/* Names in a script may hold what terminals take: bells, white space, escapes. */
	for (size_t i = 0; i < n && i < LOOK; i++)
		if ((unsigned char)at[i] < ' ' && !(at[i] >= '\a' && at[i] <= '\r') && at[i] != '\x1b') {
			(void)snprintf(out, bytes, "it is no text: byte %zu of %zu is 0x%02x", i + 1, n, (unsigned char)at[i]);
			return out;
		}
	return NULL;
}
