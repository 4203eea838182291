/* ref.h -- the interpreter: what its files share. */
#ifndef LT_REF_H
#define LT_REF_H
#include <stdbool.h>
#include "backends/backends.h"
#include "backends/ref/value.h"

struct term { int32_t column; int64_t coef; };
struct lt_object {
	const struct lt_tree *tree;
	/* rows without their zeros: terms first_term[r] .. first_term[r+1]-1 */
	struct term *term;
	int32_t *first_term;
	struct lt_ref_value *value;     /* by op */
	int64_t *local;                 /* by buffer: where it is in the workspace; -1: a slot */
	int64_t *shadow;                /* by buffer: where its doubles are; -1: none */
	bool *starts;                   /* by buffer: a shadow that begins with the buffer's content */
	int32_t *first_div, *next_div, *first_local, *next_local;       /* lists by loop + 1 */
	int64_t workspace;              /* bytes */
};

/* Whether the tree is well formed and knows only what this interpreter knows: LT_EILLEGAL or LT_EUNSUPPORTED. */
lt_status lt__ref_check(const struct lt_tree *, struct lt_diag *);
lt_status lt__ref_run(const struct lt_object *, const struct lt_args *, struct lt_diag *);
#endif
