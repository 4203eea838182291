/* phase.h -- what a tool is doing, on a terminal, once it has done it for a second: "reading net.onnx, 3 s".
 *
 * A thread of its own writes the line, so that whatever is waited for needs not tell how far it is.  Where that would
 * disturb what is measured, lt__phase_between writes it from the caller's thread.  On standard error; wiped before
 * anything else is written.  In a pipe nothing is written, and there is no thread.
 */
#ifndef LT_TOOLS_COMMON_PHASE_H
#define LT_TOOLS_COMMON_PHASE_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct lt_phases {
	bool on, running, stop, shown;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	char text[200];                 /* "" : nothing that takes time */
	int64_t begin_ns, written_ns;
};
void lt__phases_begin(struct lt_phases *, bool wanted);
void lt__phases_end(struct lt_phases *);
/* What is done from now on; NULL: nothing, and the line is gone. */
void lt__phase(struct lt_phases *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same without a thread: writes the line now, if the last is half a second old, and a second has gone since the
 * first after lt__phases_begin or lt__phase(NULL). */
void lt__phase_between(struct lt_phases *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#endif
