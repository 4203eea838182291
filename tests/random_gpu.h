/* random_gpu.h -- random trees for a GPU: graphs, steps that bind loops to grids and blocks, and what of a GPU
 * the trees that come of it use.
 *
 * Some graphs have a recipe, which is a whole schedule with random numbers: a product through shared memory, a product
 * by matrix instructions, a sum by several blocks.  All others get idioms where their loops allow it.  Nothing here has
 * to be legal: who takes a step that is refused goes on without it.
 */
#ifndef LT_RANDOM_GPU_H
#define LT_RANDOM_GPU_H
#include "check/random/random.h"
#include "looptree/tree/tree.h"

/* A graph in text form that has a recipe; tile: for which matrix instruction it is.  False: none was drawn, and any
 * graph will do. */
enum random_recipe_kind { RECIPE_PRODUCT, RECIPE_MATRIX, RECIPE_ROWS, RECIPE_SUM };
struct random_recipe { char graph[1000]; enum random_recipe_kind kind; int tile; };
bool random_recipe(uint64_t *rng, struct random_recipe *);
/* Its steps, a line each, of which each is taken or not. */
void random_recipe_steps(const struct random_recipe *, uint64_t *rng, char *steps, size_t bytes);

/* One idiom, steps with ';' between them.  False: the tree has no place for it. */
enum random_gpu_phase {
	GPU_PARTS,              /* partial sums, in a nest of their own */
	GPU_STAGES,             /* copies of what a leaf reads: ahead, asynchronous, in another layout */
	GPU_GRIDS,              /* an outermost loop, or one directly in grid loops, is a grid's */
	GPU_THREADS,            /* a loop of a leaf that is in none of a block yet, or a part of it, is a block's */
	GPU_ANY,                /* any loop is one of them */
	GPU_N_PHASE
};
bool random_gpu_step(const struct lt_looptree *, enum random_gpu_phase, uint64_t *rng, char *step, size_t bytes);

/* The simulator of some machine with grids, which runs its threads in some order; with matrix instructions. */
void random_machine(uint64_t *rng, bool matrix, char *config, size_t bytes);

/* What a tree uses, and its kernel programs: bits by number. */
#define GPU_USES(X) \
	X(grids, "grids") X(shared, "shared memory") X(barriers, "barriers") X(exchanges, "exchanges") \
	X(several, "several kernels") X(ahead, "copies ahead") X(async, "asynchronous copies") \
	X(tiles, "matrix instructions") X(partials, "sums of several blocks") X(layouts, "layouts") X(pads, "padded rows") \
	X(tails, "partial blocks") X(vectors, "wide accesses")
enum gpu_use {
#define GPU_ENUM(name, text) GPU_##name,
	GPU_USES(GPU_ENUM)
#undef GPU_ENUM
	GPU_N_USE
};
bool gpu_is_bound(const struct lt_looptree *);          /* at all */
uint32_t gpu_uses(const struct lt_looptree *, const char *kernels);
const char *gpu_use_name(enum gpu_use);
#endif
