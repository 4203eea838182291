/* random_layer_maker.h -- what the files of the random layers share. */
#ifndef LT_RANDOM_LAYER_MAKER_H
#define LT_RANDOM_LAYER_MAKER_H
#include <string.h>
#include "check/random/random.h"
#include "tests/random_layer.h"

enum { MAX_DIMS = 8 };
struct shape { int n; int64_t at[MAX_DIMS]; };
struct value { int number; struct shape shape; };
struct draw {
	uint64_t rng;
	char *text; size_t n, bytes;
	int64_t work;
	int number;
	const char *type;
};

static inline bool chance(struct draw *d, int percent) { return random_chance(&d->rng, percent); }
static inline int64_t between(struct draw *d, int64_t low, int64_t high)
{
	return high < low ? low : random_between(&d->rng, low, high);
}
static inline bool is_float(const struct draw *d) { return strstr(d->type, "float") != NULL; }
static inline bool is_f32(const struct draw *d) { return strcmp(d->type, "float32") == 0; }
static inline struct shape shape_of(int n, int64_t a, int64_t b, int64_t c, int64_t e)
{
	return (struct shape){ n, { a, b, c, e } };
}
static inline struct value node(struct draw *d, struct shape s) { return (struct value){ d->number++, s }; }

/* random_layer_source.c: appends to the script. */
__attribute__((format(printf, 2, 3))) void layer_say(struct draw *, const char *fmt, ...);
void layer_add_shape(struct draw *, const int64_t *at, int n);
/* At most `max`; often at a border of vectors, tiles and blocks. */
int64_t layer_extent(struct draw *, int64_t max);
/* An input or a constant. */
struct value layer_plain_source(struct draw *, struct shape);
/* One, as it is, or through views, joined of two, gathered, or computed. */
struct value layer_source(struct draw *, struct shape);
/* random_layer_steps.c: a layer of many nodes. */
struct value layer_steps(struct draw *);
#endif
