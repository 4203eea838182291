/* kinds.h -- the ways in which a printed kernel is made wrong, one spot at a time. */
#ifndef MUTANTS_KINDS_H
#define MUTANTS_KINDS_H
#include "tests/mutants/text.h"

enum { MAX_EDITS = 3 };
struct edit { size_t at, n; char *with; };
struct mutant { int n; struct edit edit[MAX_EDITS]; };

/* Makes the mutant of token i, if there is one; variant: 0 .. n_variant - 1. */
typedef bool kind_find(const struct text *, int i, int variant, struct mutant *out);
struct kind {
	const char *name, *what;
	int n_variant;
	bool in_functions;              /* in what kernels call, too */
	kind_find *find;
};
extern const struct kind kinds[];
extern const int n_kind;

void mutant_free(struct mutant *);
/* The text with the edits in it (malloc). */
char *mutant_text(const struct text *, const struct mutant *);

/* -- for the files with kinds -- */
/* Tokens from .. to (both included) become what is printed. */
bool mutate(const struct text *, struct mutant *, int from, int to, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Inserted before token i. */
bool mutate_before(const struct text *, struct mutant *, int i, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* A call with arguments; they are between the brackets i + 1 and the pair of that. */
bool is_call(const struct text *, int i);
/* Tokens a .. a_end are those of b .. b_end. */
bool same_span(const struct text *, int a, int a_end, int b, int b_end);
/* A function that loads or stores lanes. */
bool moves(const struct text *, int i);
/* For "%.*s": tokens from .. to. */
#define SPAN(t, from, to) (int)((t)->tok[to].at + (t)->tok[to].n - (t)->tok[from].at), (t)->at + (t)->tok[from].at

kind_find kind_constant, kind_one, kind_identity_function, kind_sign, kind_negate, kind_operator, kind_operand,
	kind_swap, kind_compare, kind_max, kind_array, kind_narrow, kind_cast;
kind_find kind_bits, kind_lanes, kind_lane, kind_vector, kind_splat, kind_mask;
kind_find kind_stride, kind_offset, kind_variable, kind_float_index, kind_bound, kind_first, kind_step, kind_tail,
	kind_early_end, kind_early_store, kind_drop, kind_no_reset, kind_reset, kind_forget, kind_twice, kind_team, kind_guard;
#endif
