/* compat.h -- the fixed point of SeeDot and Shiftry themselves, as nodes of integers: for comparison with it.
 *
 * A value of 8, 16 or 32 bits stands for q * 2^scale.  Numbers are quantised by trunc(x * 2^-scale).
 */
#ifndef LT_SEEDOT_COMPAT_H
#define LT_SEEDOT_COMPAT_H
#include "ir/graph/graph.h"

struct compat_value { int32_t bits, scale; };
/* wide: products are kept in twice the bits (Shiftry), else in as many, and divided first (SeeDot).  derives: scales of
 * results follow from those of operands and maxscale (SeeDot's P, from -15 to 0), and not from a profile. */
struct compat_rule { bool wide, derives; int32_t maxscale; };
/* The product of a sum: / 2^shift_a / 2^shift_b / 2^demote after a sum of which `halved` levels halve and `plain` do
 * not;
 * scale: of the result. */
struct compat_steps { int32_t shift_a, shift_b, halved, plain, demote, scale; };
/* ceil(log2(terms)) */
int32_t lt__compat_levels(int64_t terms);
/* native: the scale that the result has in 16 bits; out: what it is stored as; neither is asked for where the rule
 * derives.  False: there is none, as in SeeDot. */
bool lt__compat_steps(const struct compat_rule *, struct compat_value a, struct compat_value b, int32_t native,
	struct compat_value out, int64_t terms, struct compat_steps *);
/* Sums over `over`, in that order, of products of a and b, which have vars of dims and over. */
lt_node lt__compat_product(struct lt_graph *, lt_node a, lt_node b, int32_t n, const lt_var *dims, int32_t n_over,
	const lt_var *over, const struct compat_rule *, const struct compat_steps *, int32_t bits);

/* The same for a matrix whose zeros are left out: each product is divided by all steps, and the sum wraps. */
lt_node lt__compat_sparse(struct lt_graph *, lt_node a, lt_node b, int32_t n, const lt_var *dims, int32_t n_over,
	const lt_var *over, const struct compat_steps *, int32_t bits);
/* x / 2^by of an i32, by 32767 where by is 15 and more; by < 0: x * 2^-by, which wraps.  divide: by itself, 30 at
 * most. */
lt_node lt__compat_shift(struct lt_graph *, lt_node x, int32_t by);
lt_node lt__compat_divide(struct lt_graph *, lt_node x, int32_t by);
enum lt_dtype lt__compat_type(int32_t bits);

/* a / 2^shift_a / 2^shift + b / 2^shift_b / 2^shift in `bits`, then / 2^demote, then * 2^up. */
struct compat_add { int32_t shift_a, shift_b, shift, demote, up, scale, bits; };
void lt__compat_add_steps(const struct compat_rule *, struct compat_value a, struct compat_value b,
	struct compat_value out,
	struct compat_add *);
lt_node lt__compat_sum(struct lt_graph *, const char *op, lt_node a, lt_node b, const struct compat_add *,
	int32_t bits);

/* exp of x <= 0, sigmoid and tanh: x of 16 bits has scale -11 and the result -14; of 8 bits -4 and -6; out: bits of the
 * result of exp.  tanh of 16 bits is defined to |x| < 8, beyond which SeeDot's reads outside of its table. */
struct compat_tables { lt_node coarse, fine, bytes; };
void lt__compat_tables(int16_t coarse[256], int16_t fine[128], int8_t bytes[128]);
lt_node lt__compat_exp(struct lt_graph *, lt_node x, const struct compat_tables *, int32_t bits, int32_t out);
lt_node lt__compat_sigmoid(struct lt_graph *, lt_node x, const struct compat_tables *, int32_t bits);
lt_node lt__compat_tanh(struct lt_graph *, lt_node x, const struct compat_tables *, int32_t bits);
#endif
