/* lt/target.h -- what a default tree needs to know about a machine: plain data.
 *
 * A backend's caps hold one.  Numbers that do not apply are 0.  The default tree is a function of the graph and
 * of this, and of nothing else; the target's name is in the header of a dumped tree.
 */
#ifndef LT_TARGET_H
#define LT_TARGET_H
#include "lt/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A routine of a library, or of the backend's own, that a loop or a group of the tree may be handed to (`call NAME`).
 * The default tree hands over what fits a row of this table; what it is given then is struct lt_call (tree.h). */
struct lt_routine {
	const char *name;               /* [a-zA-Z0-9_.]+; the word after `call`                                   */
	uint32_t pattern;               /* enum lt_pattern                                                         */
	uint32_t epilogues;             /* LT_EPILOGUE_* bits that one call can do after the pattern, each at most once */
	uint64_t left, right, result;   /* bit sets 1<<enum lt_dtype of what is read and written, casts left out    */
	uint64_t bias, residual;        /* of what those epilogues read; 0: of what `result` says                   */
	uint32_t sum;                   /* enum lt_dtype that it adds in, epilogues too; at least as wide as the graph's */
	uint32_t layouts;               /* LT_LAYOUT_* bits                                                         */
	int64_t min_flops;            /* smaller work is faster as loops                                           */
	/* Since 1.1: of a row with LT_PATTERN_GRAPH, which takes what a call's description says (tree.h), if all of this
	 * holds.  Its `epilogues` and `residual` are not read; `left` is of what the anchor's read[0] reads, `right` of
	 * read[1] and read[2], `bias` of everything else that is read; casts at the edges, of what is read and to what is
	 * written, are left out, and so are copies and casts that lose nothing.
	 *
	 * An anchor's own ops are those that it names, what is between two of them, a norm's square, and the comparison of
	 * a causal mask.  Of the others, those that one of these needs are before it; the rest are behind it.  No other
	 * op may be a REDUCE. */
	uint64_t anchors;               /* bit set 1<<enum lt_anchor: what it computes, one of them a call, or max_anchors */
	uint64_t before, behind;        /* bit sets 1<<enum lt_operator_opcode: the ops that may be there             */
	uint32_t scores;                /* of ATTENTION: bit set 1<<enum lt_call_scores                               */
	uint32_t max_ops;               /* ops before and behind together, at most; 0: any number                     */
	uint32_t max_reads, max_results;        /* the same of lt_call's                                              */
	/* 1: roundings between its ops (lt_call_op.may_skip) are left out; of a row with LT_PATTERN_PRODUCT, those between the
	 * product and its epilogues.  0: a call that has some is not taken, unless cast is in `before` or `behind`: then they
	 * are done */
	uint32_t wide;
	uint32_t align;                 /* bytes, of where operands begin and of all strides but those of 1; 0: any    */
	struct lt_array shapes;         /* struct lt_routine_shape: default trees call it where one fits; none: everywhere */
	/* PRODUCTs and CONVOLUTIONs side by side (tree.h), at most; 0: one.  `left` and `right` are then of the reads of each,
	 * and a shape fits where it fits each */
	uint32_t max_anchors, reserved;
};
/* Ranges, least and most (0: no limit), of how many positions an anchor has along its axes of each role, all of a role
 * together; 1 where it has none. */
struct lt_routine_shape {
	int64_t batch[2], row[2], column[2];
	int64_t deep[2];                /* without those of windows                                                 */
	int64_t window[2];              /* of a CONVOLUTION, of one window; of ATTENTION, keys; of a NORM, sums: 1 or 2 */
};
/* Which orders in memory the operands of a product may have, and which dims.  Without a bit:
 *   as a BLAS takes them: of dims of one role, batches left out, each goes on where those inside of it end, in every
 *     operand, so that they count as one; the result, left and right have stride 1 along one of the two dims that they
 *     then have, and along the other one lines that do not overlap; the residual lies as the result does; with a bias
 *     both that and the result have stride 1 along the columns;
 *   no batch dim has more than one element; the strides of batches are never asked for;
 *   how many there are of a dim does not depend on run-time scalars. */
enum lt_layout_need {
	LT_LAYOUT_ANY = 1,              /* any strides at all                            */
	/* batch dims of any number; without LT_LAYOUT_ANY also rows and columns that do not go on so, if all is as above
	 * where some of them count as batches: their stride is 0 in the factor that does not have them */
	LT_LAYOUT_BATCH = 2,
	LT_LAYOUT_BOUNDED = 4,          /* dims that run-time scalars bound              */
	/* Of rows with LT_PATTERN_GRAPH.  There, without LT_LAYOUT_ANY, each operand and result has stride 1 along one of
	 * its axes and none backwards, only a window's read has guards, and no op reads a position; without LT_LAYOUT_BATCH
	 * batch axes, which groups are, have one element.  These ask for more, of what is read by windows and of results:
	 * stride 1 along channels, along which no window moves; along an axis of a window.  With both: one of the two. */
	LT_LAYOUT_CHANNELS_LAST = 8,
	LT_LAYOUT_CHANNELS_FIRST = 16
};

struct lt_target {
	uint32_t size;
	const char *name;               /* "cpu:native", "ref"                           */
	/* 64 for AVX-512; any number, 12 are three floats; 0: no vectors.  With vectors, sums over rows have LT_COMBINE
	 * statements, which lt_caps.understands has to have then (LT_NEED_COMBINE) */
	uint32_t vector_bytes;
	uint32_t vector_registers;      /* 32 for AVX-512                                */
	uint32_t cores;
	uint32_t cache_line;            /* bytes                                         */
	uint64_t l1_bytes, l2_bytes, l3_bytes;
	uint32_t l1_ways, l2_ways, l3_ways;
	/* GPUs: with a warp, default trees have grid and block loops (docs/gpu.md); of one block, max_block threads. */
	uint32_t multiprocessors, warp, max_block;
	uint64_t shared_bytes, registers;               /* of one block, of one multiprocessor */
	struct lt_array routines;       /* struct lt_routine, in order of preference     */
	struct lt_array tiles;          /* const char *: the matrix instructions of lt/tile.h that it has */
	uint32_t allows;                /* LT_ALLOW_* bits: what default trees may give up */
	/* 1: no default tree packs a constant before the first run: panels of one are packed in each run, where that pays.
	 * What is set by a backend's caps stays; lt_options.unpacked sets it for one program */
	uint32_t unpacked;
	/* Without vectors: bytes whose products one step adds to a sum of 32 bits; 0: it has no such step */
	uint64_t dot_bytes;
};
/* TF32: in products of float32 the factors' bits that an instruction of `tiles` does not take. */
enum lt_allow { LT_ALLOW_TF32 = 1 };

#ifdef __cplusplus
}
#endif
#endif
