/* progress.h -- a line of progress on the terminal while results are judged. */
#ifndef LT_TOOLS_COMMON_PROGRESS_H
#define LT_TOOLS_COMMON_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>

/* when: what is judged (" of run 2"), or "".  shown: a line stands on the terminal. */
struct progress_line { char when[40]; int64_t begin_ns; bool shown; };

/* lt_judge_options.progress with a struct progress_line as user: shows a line once it has taken a second. */
void lt__progress_show(void *line, const char *what, double share);
/* The line is gone. */
void lt__progress_end(struct progress_line *);
#endif
