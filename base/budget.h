/* budget.h -- what a call may spend, and whether its caller still wants it.
 *
 * A public call that reads a model or makes a program opens a struct lt_spending: from there to its end what is made is
 * counted (lt__spend), and what is beyond the context's budget (lt_context_budget) is refused, with a sentence that
 * says what was being done, for which node, and what grew.  Whoever counts does so before it allocates.
 * Long work asks now and then whether to go on (lt__poll; each allocation from an arena does).
 * Both end the call as memory that runs out does: by unwinding to the innermost lt__protect, which answers LT_EBUDGET
 * or LT_ECANCELLED.  What holds anything but memory of an arena calls neither.  Where no lt__protect is around, nothing
 * is asked, and outside of a struct lt_spending nothing is counted.
 */
#ifndef LT_BASE_BUDGET_H
#define LT_BASE_BUDGET_H
#include <stdbool.h>
#include <stdint.h>
#include "lt/context.h"

/* All texts are borrowed. */
struct lt_spending {
	struct lt_spending *up;
	int64_t spent[LT_NBUDGET];
	const char *call;               /* "reading net.onnx", "compiling" */
	const char *doing;              /* "making the tree"; to begin with, the call */
	const char *at;                 /* "node 'conv1' (Conv)"; NULL: not known */
	int (*cancelled)(void *user);   /* asked instead of the context's; NULL: that one */
	void *user;
};
/* Its counts begin at 0, and it asks whom the one around it asks. */
void lt__spending_begin(struct lt_context *, struct lt_spending *, const char *call);
void lt__spending_end(struct lt_context *, const struct lt_spending *);
/* What is done from now on, and for what; where no call is open: nothing. */
void lt__doing(struct lt_context *, const char *doing, const char *at);

/* n more of the kind are about to be made.  name: of the node that they are for, NULL: as of lt__doing. */
void lt__spend(struct lt_context *, enum lt_budget, int64_t n, const char *name);
/* Whether the caller wants no more of it: then it unwinds.  Cheap: the caller is asked fifty times a second. */
void lt__poll(struct lt_context *);
/* The same after work of some milliseconds: the clock is read each time. */
void lt__poll_long(struct lt_context *);
/* The same as an answer, asked at once, for what cannot be unwound: it returns LT_ECANCELLED itself. */
bool lt__unwanted(struct lt_context *);
/* Whether there is a caller to ask, and an lt__protect to unwind to. */
bool lt__is_asked(const struct lt_context *);

/* Goes on unwinding with the context's failure, which an inner lt__protect has answered. */
_Noreturn void lt__forward(struct lt_context *);

/* A failure after which nothing else is tried: memory ran out, or the caller wants no more. */
static inline bool lt__is_end(lt_status s) { return s == LT_ENOMEM || s == LT_ECANCELLED; }
#endif
