/* forms.h -- small graphs and the form that a pass gives them, written out. */
#ifndef TESTS_FORMS_H
#define TESTS_FORMS_H
#include <stddef.h>

/* Of the pass with that letter; texts without the head, `after` without vars and params, too; NULL: as before. */
struct form { char letter; const char *what, *before, *after; };
void forms_check(const struct form *, size_t n);
#endif
