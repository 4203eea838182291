/* checkpoint.h -- small models of llama2.c with random weights: their files, and their formulas in double. */
#ifndef LT_TESTS_CHECKPOINT_H
#define LT_TESTS_CHECKPOINT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct checkpoint_sizes { int32_t dim, hidden, layers, heads, kv_heads, vocab, context; };
struct checkpoint {
	struct checkpoint_sizes s;
	bool shared;
	int version, group;             /* group: of version 2 */
	/* what the file says, by kind and layer, row by row; of version 2 what its numbers mean */
	float *embedding, *rms_att, *wq, *wk, *wv, *wo, *rms_ffn, *w1, *w2, *w3, *rms_final, *classifier;
	unsigned char *file;            /* malloc, aligned */
	size_t n;
	double *keys, *values;          /* [layers, context, kv_dim] */
	int rounded;                    /* what is multiplied by matrices is int8 with a scale for so many; 0: it is not */
	int cache_bits;                 /* significant bits of keys and values that are kept; 0: all */
};
/* All of it from one seed. */
struct checkpoint *checkpoint_new(const struct checkpoint_sizes *, bool shared, int version, int group, uint64_t seed);
void checkpoint_free(struct checkpoint *);
/* The logits behind a token at a position, and its keys and values kept: positions come in order. */
void checkpoint_forward(struct checkpoint *, int32_t token, int position, double *logits);
void checkpoint_write(const struct checkpoint *, const char *path);
#endif
