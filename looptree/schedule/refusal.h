/* refusal.h -- what a step that is refused says, as data (lt/schedule.h), made while its trees are still there. */
#ifndef LT_LOOPTREE_SCHEDULE_REFUSAL_H
#define LT_LOOPTREE_SCHEDULE_REFUSAL_H
#include "looptree/schedule/schedule.h"

/* The step, and where it failed; the context has the sentence, without place and step. */
struct lt_refused {
	const struct lt_looptree *from;         /* before the step */
	const struct lt_edit *edit;             /* its copy, which the step has changed; NULL: it was not begun */
	const char *name, *step;                /* name: of the text; step: of step_bytes */
	size_t step_bytes;
	int32_t line, column, number;
	int32_t primitive;                      /* -1: the step names none */
	struct lt_words words;
	int32_t n_given;                        /* nodes of the tree that was given */
	const lt_tnode *given;                  /* what each is in `from`; -1: gone */
};
/* NULL: there was no memory for it.  The context keeps its sentence and code. */
struct lt_refused_step *lt__refusal_new(const struct lt_refused *, lt_status);
/* With the whole sentence that the context has now. */
void lt__refusal_message(struct lt_refused_step *);
#endif
