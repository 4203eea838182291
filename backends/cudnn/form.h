/* form.h -- a convolution or a product on its way to a form: form.c says where its operands lie, chain.c what is
 * computed of them. */
#ifndef LT_CUDNN_FORM_H
#define LT_CUDNN_FORM_H
#include "backends/cudnn/described.h"

enum { LT_CUDNN_AXES = 64, LT_CUDNN_OPS = 128, LT_CUDNN_LANES = LT_CUDNN_LAID };
/* Products side by side. */
enum { CUDNN_ANCHORS = 2 };
/* Which dims a value has: those of the result, those of the left factor (the image), those of the right one (the
 * filters). */
enum cudnn_region { CUDNN_BEHIND, CUDNN_LEFT, CUDNN_RIGHT, CUDNN_REGIONS };
struct cudnn_forming {
	struct lt_cudnn_described d;
	const uint64_t *room;           /* see lt__cudnn_form */
	bool tf32;
	bool matrices;                  /* a product is a product, and no convolution with windows of one element */
	bool turned;                    /* of a product: its left factor is the right one, its rows are columns */
	int32_t image, filters;         /* reads, of a convolution */
	int32_t left[CUDNN_ANCHORS];    /* by product: which of its operands is the left factor */
	/* Each read, then each result: with the dims of its region, one element along those that it does not have.
	 * region -1: nothing reads it. */
	int32_t n_lane, n_dim, region[LT_CUDNN_LANES], op_region[LT_CUDNN_OPS];
	struct lt_cudnn_tensor lane[LT_CUDNN_LANES];
	int64_t full[CUDNN_REGIONS][LT_CUDNN_DIMS];     /* how many there are along the dims of a region */
	struct lt_cudnn_laid laid;      /* where the lanes lie */
};

static inline const struct lt_call_anchor *cudnn_anchor(const struct cudnn_forming *x, int32_t i)
{
	return LT_AT(struct lt_call_anchor, x->d.t->call_anchors, x->d.c->anchor + i);
}
/* Whose sum an op is; -1: it is none. */
static inline int32_t cudnn_anchor_of(const struct cudnn_forming *x, int32_t op)
{
	for (int32_t i = 0; i < x->d.c->n_anchor; i++)
		if (cudnn_anchor(x, i)->op[0] == op)
			return i;
	return -1;
}

/* chain.c: the graphs of the form, of lanes whose places are known. */
bool lt__cudnn_chain(struct cudnn_forming *);
#endif
