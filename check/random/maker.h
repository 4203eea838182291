/* maker.h -- what the files of the random graphs share. */
#ifndef LT_CHECK_RANDOM_MAKER_H
#define LT_CHECK_RANDOM_MAKER_H
#include "check/random/random.h"

enum { RANDOM_ELEMS = 1500, RANDOM_RANK = 5, RANDOM_POOL = 7 };

/* size: no element is larger in magnitude (of floats, about; infinities aside). */
struct random_value { lt_node node; double size; bool constant; int readers; };
struct random_maker {
	struct lt_graph *g;
	struct random_graph *out;
	const struct random_options *want;
	uint64_t rng;
	struct random_value *value; int n_value, cap_value;
	lt_var pool[RANDOM_POOL];
	lt_node state[3]; int n_state;
	lt_node gather[16]; int n_gather;
	int n_name;
	bool only_constants;            /* picks draw from constants */
};

/* values.c */
int64_t random_pick_int(struct random_maker *, int64_t low, int64_t high);
bool random_maybe(struct random_maker *, int percent);
/* A value for later picks; -1 notes a refusal instead. */
lt_node random_keep(struct random_maker *, lt_node, double size);
double random_size(const struct random_maker *, lt_node);
/* A value drawn from those made so far; of that type (0: any), by a cast where need be. */
lt_node random_value_of(struct random_maker *, enum lt_dtype);
/* x scaled down so that no element is larger than size; floats only, others as they are. */
lt_node random_tame(struct random_maker *, lt_node x, double size);
lt_node random_cast(struct random_maker *, lt_node, enum lt_dtype);
/* The type itself, or that which all floats are to have. */
enum lt_dtype random_allowed(const struct random_maker *, enum lt_dtype);
enum lt_dtype random_float(struct random_maker *);
/* A new source of that kind, of free data. */
lt_node random_source(struct random_maker *, enum lt_dtype, int32_t n, const lt_var *dims);
/* A new source of integers in a range; as many numbers as elements, or one for all (n 1). */
lt_node random_range_source(struct random_maker *, enum lt_dtype, int32_t rank, const lt_var *dims, int64_t n,
	const int64_t *low, const int64_t *high);
bool random_is_bounded(const struct lt_graph *, lt_node);
bool random_is_float(const struct lt_graph *, lt_node);
int64_t random_extent(const struct lt_graph *, lt_node, int32_t axis);
const char *random_name(struct random_maker *, const char *);

/* operators.c: of random values; LT_OMIT: not of those. */
lt_node random_map(struct random_maker *);
lt_node random_broadcast(struct random_maker *);
lt_node random_reduce(struct random_maker *);
lt_node random_contract(struct random_maker *);

/* views.c: 1 to 6 views over x. */
lt_node random_views(struct random_maker *, lt_node x);
lt_node random_view(struct random_maker *, lt_node x);
uint64_t random_fill_bits(struct random_maker *, enum lt_dtype);
/* parts.c */
/* A run-time scalar between low and high. */
lt_param random_param(struct random_maker *, int64_t low, int64_t high);
lt_node random_gather(struct random_maker *);
lt_node random_update(struct random_maker *, lt_node x);
lt_node random_composite(struct random_maker *);
void random_state(struct random_maker *);
/* Same type and extents, none bounded. */
bool random_same_form(const struct lt_graph *, lt_node a, lt_node b);
#endif
