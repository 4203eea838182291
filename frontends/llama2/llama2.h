/* llama2.h -- models of llama2.c: checkpoints, tokenizers, the model as a graph, sampling.
 *
 * Nothing here opens a file: a caller hands bytes, which it may have mapped, and which are never copied.  All that a
 * file says of itself is checked before anything is made of it; each sentence begins with the file's name.
 */
#ifndef LT_FRONTENDS_LLAMA2_H
#define LT_FRONTENDS_LLAMA2_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "lt/context.h"
#include "lt/graph.h"

/* Tokens with a meaning of their own. */
enum { LT_LLAMA_UNKNOWN, LT_LLAMA_BEGIN, LT_LLAMA_END, LT_LLAMA_BYTE };        /* BYTE + b: the byte b */

/* checkpoint.c */
enum lt_llama_kind {
	LT_LLAMA_EMBEDDING, LT_LLAMA_RMS_ATTENTION, LT_LLAMA_WQ, LT_LLAMA_WK, LT_LLAMA_WV, LT_LLAMA_WO,
	LT_LLAMA_RMS_FFN, LT_LLAMA_W1, LT_LLAMA_W2, LT_LLAMA_W3, LT_LLAMA_RMS_FINAL, LT_LLAMA_CLASSIFIER, LT_LLAMA_KINDS
};
/* One kind of weights in a file: `rows` of `columns` numbers for each layer (or once). */
struct lt_llama_weights {
	const unsigned char *at;        /* of layer 0, aligned to the type; NULL: who binds the constants has them */
	enum lt_dtype dtype;
	int64_t rows, columns;          /* rows 1: a vector */
	int64_t stride;                 /* bytes from a layer to the next */
	const unsigned char *scale;     /* int8: a float for each group of numbers, aligned or not; else NULL */
};
struct lt_llama {
	int32_t dim, hidden, layers, heads, kv_heads, vocab, context;
	int32_t version;                /* of the file: 0, 1, 2, or 100: halves */
	int32_t group;                  /* of int8: numbers with one scale; else 0 */
	bool shared;                    /* the embedding is the classifier, too */
	struct lt_llama_weights weights[LT_LLAMA_KINDS];
	int64_t parameters;
	const char *file;               /* for messages, borrowed */
};
/* The bytes of a checkpoint, aligned to 4, borrowed as long as what is made of them. */
lt_status lt__llama_read(struct lt_context *, const void *bytes, size_t n, const char *file, struct lt_llama *out);
/* Whether it begins as one whose sizes are possible, whatever comes behind. */
bool lt__llama_is_header(struct lt_context *, const void *bytes, size_t n);
/* A model of the sizes that it has (dim to context, shared, the group of int8), whose weights are nowhere: `at` is
 * NULL, and constants of its graph have no content.  *bytes: of the checkpoint that would have them. */
lt_status lt__llama_sized(struct lt_context *, struct lt_llama *, enum lt_dtype matrices, int64_t *bytes);
/* "layers.{i}.attention.wq.weight", with the number of the layer where there are several; in one of the context's
 * scratch texts. */
const char *lt__llama_name(struct lt_context *, enum lt_llama_kind, int32_t layer);
bool lt__llama_layered(enum lt_llama_kind);
bool lt__llama_is_vector(enum lt_llama_kind);   /* a norm's weights; a matrix may have one row, too */
static inline int32_t lt__llama_head(const struct lt_llama *m) { return m->dim / m->heads; }

/* convert.c: the model with its matrices in another type, bf16, f16 or int8 (in groups of 64, or fewer where rows are
 * no multiple of it).  Numbers that a type has not are refused: in int8 what is not finite, in halves what would
 * become infinite.  *memory, malloc, has them, and is to be freed after what is made of it, on failure, too. */
lt_status lt__llama_convert(struct lt_context *, const struct lt_llama *, enum lt_dtype, struct lt_llama *out,
	void **memory);
/* Numbers with one scale, where a model of these sizes becomes one of int8; 0: rows cannot be cut into groups. */
int32_t lt__llama_group(int32_t dim, int32_t hidden);
/* One such group of n finite numbers: the largest becomes 127 or -127, or less where floats have no scale so small. */
void lt__llama_round_group(const float *, int32_t n, int8_t *q, float *scale);
/* Number i of weights, as a float. */
float lt__llama_weight(const struct lt_llama *, enum lt_llama_kind, int32_t layer, int64_t i);
/* The name of the first weights that have infinity or what is not a number; NULL: all are finite.  Looks at each. */
const char *lt__llama_not_finite(struct lt_context *, const struct lt_llama *);

/* write.c: a checkpoint that lt__llama_read reads: matrices in the type that they have, or as floats.  Floats become
 * version 0, int8 version 2.  What could not be written is the file's to say (ferror). */
void lt__llama_write(const struct lt_llama *, bool floats, FILE *to);

/* model.c: the model as a graph.  Inputs: tokens i64[tokens], position i64[1], that of the first of them, and, of more
 * tokens than 1, count i64[1], how many there are.  Result: logits f32[vocab] of the last one.  States: keys.L and
 * values.L, [kv_heads, context, head], of each layer. */
#define LT_LLAMA_TOKENS "tokens"
#define LT_LLAMA_POSITION "position"
#define LT_LLAMA_COUNT "count"
#define LT_LLAMA_LOGITS "logits"
#define LT_LLAMA_KEYS "keys"
#define LT_LLAMA_VALUES "values"
struct lt_llama_options {
	int32_t tokens;                 /* of one run; 1: a step; more: at most so many, a prompt */
	/* int8 weights become floats before the first run; else they are multiplied as integers with activations that are
	 * rounded to int8 in the same groups */
	bool floats;
	enum lt_dtype cache;            /* of keys and values; 0: f32 */
};
lt_status lt__llama_graph(struct lt_context *, const struct lt_llama *, const struct lt_llama_options *,
	struct lt_graph **out);

/* The states alone, for an instance that others share them with, while these come and go; cache as above. */
lt_status lt__llama_cache_graph(struct lt_context *, const struct lt_llama *, enum lt_dtype cache,
	struct lt_graph **out);

/* tokenizer.c */
struct lt_llama_tokenizer;
/* vocab: the model's.  The bytes are borrowed. */
lt_status lt__llama_tokenizer_read(struct lt_context *, const void *bytes, size_t n, const char *file, int32_t vocab,
	struct lt_llama_tokenizer **out);
bool lt__llama_is_tokenizer(const void *bytes, size_t n);       /* of any vocabulary */
void lt__llama_tokenizer_free(struct lt_llama_tokenizer *);     /* NULL: nothing */
/* What a token stands for after the one before it. */
struct lt_llama_piece { const char *at; size_t n; };
struct lt_llama_piece lt__llama_decode(const struct lt_llama_tokenizer *, int32_t before, int32_t token);

/* encode.c: a text as tokens; room for n_text + 3.  begin, end: with the tokens of that name around them. */
lt_status lt__llama_encode(struct lt_context *, const struct lt_llama_tokenizer *, const char *text, size_t n_text,
	bool begin, bool end, int32_t *out, size_t *n_out);

/* sample.c */
struct lt_llama_sampler {
	int32_t vocab;
	float temperature, top;         /* 0: the largest; top: outside 0..1, all */
	uint64_t state;
	struct lt_llama_candidate { float probability; int32_t token; } *candidate;     /* malloc, vocab of them */
};
lt_status lt__llama_sampler_new(struct lt_context *, int32_t vocab, float temperature, float top, uint64_t seed,
	struct lt_llama_sampler *out);
void lt__llama_sampler_free(struct lt_llama_sampler *);
/* The next token; the logits become probabilities unless the temperature is 0. */
int32_t lt__llama_sample(struct lt_llama_sampler *, float *logits);
/* The first of the largest of n >= 1 numbers. */
int32_t lt__llama_largest(const float *, int32_t n);
/* As if a token had been drawn. */
void lt__llama_sample_skip(struct lt_llama_sampler *);
#endif
