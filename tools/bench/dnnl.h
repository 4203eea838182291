/* dnnl.h -- what of oneDNN is used: layers one after the other, opened at run time, no header of its own.
 *
 * Versions 2 and 3 differ in how a description is made; in both a description is a pointer.
 */
#ifndef LT_TOOLS_BENCH_DNNL_H
#define LT_TOOLS_BENCH_DNNL_H
#include <stdbool.h>
#include <stdint.h>
#include "lt/context.h"

struct bench_dnnl;
enum bench_layer_kind { BENCH_MATMUL, BENCH_CONVOLUTION, BENCH_SOFTMAX };
struct bench_shape { int rank; int64_t extent[5]; };
struct bench_layer {
	enum bench_layer_kind kind;
	struct bench_shape src, weights, bias, dst;     /* row-major; weights of groups: group, out, in, height, width */
	const float *in, *w, *b;                        /* b NULL: none; softmax has no w */
	float *out;
	bool relu;
	bool constant;          /* weights are brought into the layout that the library likes, beforehand */
	bool blocked;           /* so are tensors, in every run: in and out of row-major order */
	int64_t stride, pad;
};

lt_status bench_dnnl_open(struct lt_context *, struct bench_dnnl **out);
void bench_dnnl_close(struct bench_dnnl *);
void bench_dnnl_name(const struct bench_dnnl *, char *out, int bytes);
void bench_dnnl_threads(struct bench_dnnl *, int);
bool bench_dnnl_add(struct bench_dnnl *, const struct bench_layer *);   /* false: the library refuses it */
bool bench_dnnl_run(struct bench_dnnl *);                               /* the layers that were added, in order */
void bench_dnnl_reset(struct bench_dnnl *);                             /* no layers */
bool bench_dnnl_sgemm(struct bench_dnnl *, int64_t m, int64_t k, int64_t n, const float *a, const float *b, float *c);
#endif
