/* auto.h -- what the parts of the default tree share: clusters (auto_cluster.c), placing (auto.c), loop order
 * (order.c), products (product*.c). */
#ifndef LT_LOOPTREE_DEFAULT_AUTO_H
#define LT_LOOPTREE_DEFAULT_AUTO_H
#include "looptree/default/default.h"
#include "looptree/tree/tree.h"

struct lt_auto_loop { lt_var var; int64_t step; };
/* The loops that a cluster wants when it is alone, outermost first. */
struct lt_auto_order { int32_t n, cap; struct lt_auto_loop *loop; bool contraction; };
/* closed: nothing is added to it.  row: a group for what is done with one short row: its sums, and what uses them. */
struct lt_auto_nest {
	int32_t number, leaves, class;
	bool constant, closed, row;
	lt_tnode fusion_point;        /* of a closed one: the loop that others may be added in, at its end; -1: none */
};

/* A sum of products over vars that both factors have, and the tree that it gets.  A var of the product is batch (of
 * both factors and the sum), row (of the left one and the sum), column (of the right one and the sum) or contracted
 * (summed over).  Which factor is the right one follows from the sum: its last dim, which runs along memory, is a
 * column. */
enum lt_product_form {
	/* register tiles; the right factor is read where it lies, or packed before the first run */
	LT_PRODUCT_CPU_TILE,
	LT_PRODUCT_PANEL,       /* the same, inside loops that pack a panel of the right factor */
	LT_PRODUCT_ROWS,        /* few rows: the right factor is read once, a few of its rows at a time */
	LT_PRODUCT_DOTS,        /* few rows and a right factor that lies along a contracted var: lanes hold partial sums */
	LT_PRODUCT_BYTES,       /* of bytes, cast to i32: exact sums of runs, in groups that another sum adds */
	LT_PRODUCT_GPU_SIMT,      /* of a GPU: tiles of blocks of threads */
	LT_PRODUCT_GPU_MMA        /* the same of halves, by matrix instructions */
};
struct lt_vars { int32_t n; lt_var *at; };
/* A product by matrix instructions, of left and right: the casts that are its factors, whether these lie along the deep
 * var, the sides of a block's and of a warp's tile. */
struct lt_product_mma {
	const char *name;               /* of the instruction */
	lt_node cast[2];                /* of the halves that are copied; -1: what is copied is multiplied */
	int64_t bytes, deep;            /* of an element that is copied; terms that the instruction adds */
	bool along_k[2];
	int64_t row[2];                 /* elements of a factor's slice that lie side by side: up to 128 bytes */
	int64_t block[2], warp[2], slice;
	int32_t depth;
};
/* A factor of a product on a GPU: its var of rows or columns, of which a thread has `thread`, so many lanes of a warp
 * side by side `lanes` times that, and a block's warps the tile. */
struct lt_block_factor {
	lt_node of;                     /* what is in shared memory: a copy, or the last node of the fused producers */
	lt_node part;                   /* what a thread needs of it, in registers */
	lt_node *fused; int32_t n_fused;  /* nodes that only the product reads: computed where others are copied */
	lt_var v;
	int64_t thread, lanes, warps, tile;
	bool along_k;                   /* it lies along the contracted var */
};
struct lt_product_simt {
	struct lt_block_factor factor[2];       /* left: rows; right: columns */
	int64_t slice;                  /* contracted elements in shared memory at a time */
	int64_t wide;                   /* elements of one access */
	int32_t depth, threads;
	lt_node stored;                 /* partial sums in their place: registers hold them before; -1: there are none */
	int64_t group;                  /* tiles of rows whose blocks follow each other for each tile of columns; 0: all */
};
/* The order of a copy in memory, slowest first; n 0: that of its dims. */
struct lt_product_order { int32_t n; struct lt_digit *at; };
struct lt_product {
	enum lt_product_form form;
	lt_node mul, sum, left, right;
	/* derived nodes; -1: none.  chunk: of LT_PRODUCT_ROWS, the sum over block_deep elements of k; out: the sum in its
	 * place */
	lt_node left_copy, right_copy, part, chunk, out;
	lt_node cast[2];                /* left, right: factors that are cast from fewer bytes where they are read; -1 */
	/* Of LT_PRODUCT_BYTES: the sum that adds what is made of the product's groups, over group; a partial sum of it for
	 * the lanes; nodes between the product and it; -1. */
	lt_node groups, groups_part, *fused;
	int32_t n_fused;
	lt_var group;
	struct lt_vars batch, row, column, contracted;        /* outermost first; unit vars are batch */
	/* of a register tile: a row var, another one that is around it, the sum's last column, another column; -1: none */
	lt_var m, m2, n, n2;
	/* tile_n: a multiple of the lanes, or all of n; tile_m is all of m where there is an m2 */
	int64_t tile_m, tile_m2, tile_n, tile_n2, lanes;
	enum lt_tail tail;              /* of the loop over tiles of n                                                       */
	enum lt_tail tile_tail;         /* of the loop over vectors of n in a tile                                           */
	int64_t block_m, block_n;       /* elements of m and n in an iteration of the loops around the tiles; 0: no such */
	lt_var k;                       /* contracted var that is cut in blocks, -1: none */
	int64_t block_k;
	int64_t block_deep;             /* of k, in an iteration of the loop that threads share; 0: no such              */
	/* the copy is made in a nest of its own, in that order */
	bool right_early, left_early;
	struct lt_product_order right_order, left_order;
	/* left_copy is made once in the nest, for all rows */
	bool left_whole;
	bool parallel;
	bool lanes_on_rows;                    /* n is not the sum's last dim: its vectors are stored lane by lane */
	bool rows_outside;              /* rows but m are looped over outside n, to have iterations for threads */
	/* where the leaves after the sum go */
	/* last node of a cluster that alone reads the sum, element by element; -1 */
	lt_node epilogue;
	lt_node activation;             /* last node of one that alone reads the epilogue, in the same loops; -1             */
	lt_tnode epilogue_at;           /* the innermost of them; -1: not opened yet                                         */
	lt_tnode end;                   /* below it; -1: not placed yet                                                      */
	bool in_tile;                   /* with the loops of a tile, else of all that `end` leaves                           */
	struct lt_product_simt *blocks;       /* of LT_PRODUCT_GPU_SIMT                                                     */
	struct lt_product_mma *tiles;         /* of LT_PRODUCT_GPU_MMA                                                      */
};

/* Why the product of a node, by its name, is a call, is none, is none any more, or has no tree of products; in which
 * group the node is, or why in none. */
struct lt_auto_reason {
	const char *sum, *why;
	enum lt_why { LT_WHY_CALL, LT_WHY_NO_CALL, LT_WHY_UNCALLED, LT_WHY_PLAIN, LT_WHY_GROUP } of;
};

struct lt_auto {
	const struct lt_graph *g;
	struct lt_looptree *t;
	const struct lt_target *target;         /* that of what is in hand */
	/* A tree for several targets (targets.c): a nest has nodes of one class only, that of its target; base_class
	 * NULL: one for all. */
	const struct lt_target *const *targets;
	const int32_t *base_class;              /* by node of the tree's base: which of the targets */
	int32_t *class, aim;                    /* by node: the same; that of what is in hand */
	int32_t *n_reader, *size;       /* by node: leaves that read it; leaves of its cluster */
	lt_node *reader;                /* by node: its last reader */
	int32_t *mark, n_gather;        /* by node: the last time that a cluster met it; how often one was gathered */
	bool *is_inlined, *constant, *written;       /* by node; written: a result, a state's content or a part of one */
	struct lt_auto_nest *nest; int32_t cap_nest, n_nest;    /* by root */
	lt_tnode last_group;            /* last nest of scalars */
	/* the cluster in hand */
	lt_node *member, *producer;
	int32_t n_member, n_producer, cap_producer;
	struct lt_auto_order order;
	struct lt_product *product; int32_t n_product, cap_product;
	struct lt_autocall *call; int32_t n_call, cap_call;     /* what is handed to routines */
	struct lt_auto_reason *reason; int32_t n_reason, cap_reason;
	int32_t *in_call;               /* by node: the number of its call and 1; 0: none */
	bool *unfused;                    /* GPUs, by node: shares the rows of no nest, as a block has no room; NULL: none */
	const bool *base_unfused;         /* by node of the base graph */
	const struct lt_fallback *fallback, *base_fallback;        /* by node; by node of the base graph; NULL: all 0 */
	bool alone; int32_t n_joined;   /* alone: no nest is joined to another one's */
	bool *fusible; int32_t cap_fusible; /* by tree node: a loop of a cluster in a closed nest */
	struct lt_product **role, **epilogue_of;     /* by node: the product it is part of; the one whose epilogue it ends */
	/* by node: the first product that it is a copy for, made in a nest of its own, NULL: for none; how many such */
	const struct lt_product **packer; int32_t *n_packer;
	/* of products on a CPU; by node: who reads it, also through views that name its dims anew; of all constants */
	int32_t *n_named_reader;
	double constant_bytes;
};
/* auto_cluster.c */
enum { LT_MAX_CLUSTER = 64 };           /* leaves: so that a chain of any length stays linear */
/* What is known of each node of the graph before anything is placed: its readers, its class, whether it is inlined
 * with its reader.  Asked again when the graph has changed. */
lt_status lt__auto_survey(struct lt_auto *);
/* Whether factor `of` of the product is a cast of fewer bytes that is done where it is read; n_reader: readers that it
 * may have. */
bool lt__auto_is_cast(const struct lt_auto *, lt_node mul, lt_node of, int32_t n_reader);
/* Whether the node multiplies two casts of bytes to i32, of which one has all of its dims: a matrix by a vector. */
bool lt__auto_is_byte_rows(const struct lt_auto *, lt_node mul);
/* Whether leaf n reads u at its own index along each of u's vars; var >= 0: along this one. */
bool lt__reads_in_place(const struct lt_auto *, lt_node n, lt_node u, lt_var);
/* Whether the leaf reads n. */
bool lt__auto_reads(const struct lt_leaf *, lt_node n);
/* Members of the cluster of root n, in order of the graph, and the stored values it reads from outside. */
void lt__auto_gather(struct lt_auto *, lt_node n);
void lt__auto_sort(lt_node *, int32_t count);   /* in the order of the graph */
/* A new root that the nest of number and kind begins with. */
void lt__auto_record_nest(struct lt_auto *, lt_tnode root, bool constant, bool closed);
/* targets.c: finds the classes of the graph's nodes; turns to the target of node n. */
void lt__auto_classes(struct lt_auto *);
void lt__auto_aim(struct lt_auto *, lt_node n);
static inline bool lt__auto_same_class(const struct lt_auto *s, lt_node a, lt_node b)
{
	return !s->class || s->class[a] == s->class[b];
}
/* Whether a node of the base is marked, of whatever it became: by node of the tree's graph. */
bool *lt__auto_marked(const struct lt_auto *, const bool *base);
/* product_cast.c: casts of halves are of one product each, where a machine multiplies halves. */
lt_status lt__auto_split_casts(struct lt_auto *);
/* auto_call.c: products for the routines of their target; nodes have moved (`to`, by old number) and their
 * places in in_call with them; the nest of the call of node n, if n is what it writes. */
lt_status lt__auto_calls(struct lt_auto *);
void lt__auto_move_calls(struct lt_auto *, const lt_node *to);
lt_status lt__auto_add_call(struct lt_auto *, lt_node n);
/* product_reason.c: what was chosen for each product of a GPU's tree and why; of a call; why there is none
 * (NULL: no routine was asked); what it was refused for; of one that gets the tree of any other nest. */
struct lt_callshape;
void lt__product_reasons(struct lt_auto *);
void lt__auto_call_because(struct lt_auto *, lt_node sum, bool called, const char *why);
void lt__auto_uncalled_because(struct lt_auto *, lt_node sum, const char *why);
void lt__auto_group_because(struct lt_auto *, lt_node n, const char *text);
const char *lt__auto_call_reason(
	struct lt_arena *, const struct lt_target *, const struct lt_routine *, const struct lt_callshape *);
const char *lt__auto_call_refusal(struct lt_arena *, const struct lt_target *, const struct lt_callshape *);
void lt__product_reason_plain(struct lt_auto *, const struct lt_product *);
/* auto_fallback.c: why a call of these leaves was refused, NULL: it was not (base: lt__tree_bases, where there is a
 * fallback; again, by node: it may be another one that computes the same); by node of the tree's graph, NULL: all 0;
 * that of the leaves in a nest, the plainest. */
const char *lt__auto_refused_call(
	const struct lt_auto *, const lt_node *base, const char *name, const lt_node *member, int32_t n, const bool *again);
const struct lt_fallback *lt__auto_fallback(const struct lt_looptree *, const struct lt_fallback *base);
const struct lt_fallback *lt__auto_fallback_in(
	const struct lt_looptree *, const struct lt_fallback *list, lt_tnode top);
static inline int32_t lt__auto_level(const struct lt_fallback *list, lt_node n) { return list ? list[n].level : 0; }
/* Whether a run-time scalar says how many elements there are of the var's extent. */
static inline bool lt__auto_bounded(const struct lt_auto *s, lt_var v) { return v >= 0 && s->g->var[v].bounded; }
/* Elements of a vector; below 2: none. */
static inline int64_t lt__auto_lanes(const struct lt_target *t, enum lt_dtype d)
{
	return t ? t->vector_bytes / lt__dtype_info(d)->bytes : 0;
}
/* Whether what is accessed under a mask costs no more, so that what is left of a run may be one vector (AVX-512). */
static inline bool lt__auto_masks(const struct lt_target *t) { return t && t->vector_bytes == 64; }
/* Whether a vector loop may have the lanes of a few vectors: what does not fit one is cut by halves then. */
static inline bool lt__auto_halves(int64_t lanes) { return lanes > 0 && (lanes & (lanes - 1)) == 0; }
/* Bytes of the cache that blocks are cut for: the second, or the nearest to it that is known; without limit where none
 * is. */
static inline int64_t lt__auto_cache(const struct lt_target *t)
{
	uint64_t bytes = t->l2_bytes ? t->l2_bytes : t->l3_bytes ? t->l3_bytes : t->l1_bytes;
	return bytes && bytes < INT64_MAX / 16 ? (int64_t)bytes : INT64_MAX / 16;
}
/* Bytes of the last cache, the same. */
static inline int64_t lt__auto_last_cache(const struct lt_target *t)
{
	return t->l3_bytes && t->l3_bytes < INT64_MAX / 16 ? (int64_t)t->l3_bytes : lt__auto_cache(t);
}
/* A leaf for node n in `at`, if there is a node and it has none. */
static inline void lt__auto_add_leaf(struct lt_auto *s, lt_tnode at, lt_node n)
{
	if (n >= 0 && s->t->leaf_of[n] < 0)
		(void)lt_looptree_add_leaf(s->t, at, n);
}
/* order.c: fills order for the cluster in hand, whose last node is n. */
lt_status lt__auto_order(struct lt_auto *, lt_node n);
/* Whether every stored value that the cluster reads has the var: sharing its loop re-reads nothing. */
bool lt__auto_is_batch(const struct lt_auto *, lt_var);
/* Elements between neighbours along column x in a read, 0: not read along it; -1: not affine there. */
int64_t lt__auto_stride(const struct lt_graph *, const struct lt_readpiece *, int32_t x);
/* By dim, elements between neighbours of a value where it is written: of a result that is written through a view, as
 * that has it; NULL: the view is not written through. */
const int64_t *lt__auto_strides_written(const struct lt_auto *, struct lt_arena *, lt_node n);

/* auto_join.c: the loop of an earlier nest that the product's begins in, -1; where others may join its own. */
lt_tnode lt__auto_join(struct lt_auto *, const struct lt_product *);
void lt__auto_set_fusion_point(struct lt_auto *, const struct lt_product *);
/* Whether the cluster of node n may share the loop `at`, if that is another one's; the loops from that tree node on are
 * a cluster's own. */
bool lt__auto_may_enter(const struct lt_auto *, lt_node n, lt_tnode at);
void lt__auto_mark_fusible(struct lt_auto *, lt_tnode from);

/* product_look.c: the value that a view is of, if it names its dims anew and no more; else n. */
lt_node lt__auto_renamed(const struct lt_graph *, lt_node n);
/* product.c: the products of the graph; clusters are known. */
lt_status lt__auto_products(struct lt_auto *);
/* product_form.c: which tree a product gets; false: that of any other nest. */
bool lt__product_form(const struct lt_auto *, struct lt_product *);
/* Whether threads share the copying of a factor. */
bool lt__product_shares_copy(const struct lt_auto *, lt_node copy);
/* What part of their time threads work if each has its share of equal iterations. */
double lt__product_share(int64_t trip_count, int64_t cores);
/* product_simt.c: the same on a GPU; false: it gets the tree of any other nest. */
bool lt__product_simt(struct lt_auto *, struct lt_product *);
/* product_mma.c: the same of halves, by matrix instructions */
bool lt__product_mma(struct lt_auto *, struct lt_product *);
/* Whether n is the end of the nest of an earlier product of that kind, which cannot do without: its threads leave their
 * sums to nobody else. */
bool lt__product_is_ending(const struct lt_auto *, lt_node n);
/* product_mma_nest.c */
lt_status lt__product_mma_add(struct lt_auto *, struct lt_product *);
lt_status lt__product_mma_add_epilogue(struct lt_auto *, struct lt_product *);
/* product_simt_nest.c */
lt_status lt__product_simt_add(struct lt_auto *, struct lt_product *);
lt_status lt__product_simt_add_epilogue(struct lt_auto *, struct lt_product *);
/* product_nest.c: its loops and leaves; then the leaves of its epilogue, the cluster in hand. */
lt_status lt__product_add(struct lt_auto *, struct lt_product *);
/* The nest of a copy that others than the products it is for read, too, which may be placed before them. */
lt_status lt__product_add_shared(struct lt_auto *, lt_node copy);
lt_status lt__product_add_epilogue(struct lt_auto *, struct lt_product *);
#endif
