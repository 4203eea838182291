/* interrupt.h -- SIGINT, SIGTERM, SIGHUP and SIGQUIT while there is something to clean up: noted, and died of
 * afterwards.
 *
 * One call of catch for each of release; they may be nested.  A second signal of the same kind ends the process at
 * once.
 */
#ifndef LT_TOOLS_COMMON_INTERRUPT_H
#define LT_TOOLS_COMMON_INTERRUPT_H
#include <stdbool.h>

/* Of a compilation: compilers are ended within two. */
enum { LT_INTERRUPT_SECONDS = 4 };

/* From here on these signals are noted; one that is ignored stays so.  seconds: by then the process ends by the signal,
 * whatever it does; 0: no such time. */
void lt__interrupt_catch(unsigned seconds);
/* Whether one has come; as lt_options.cancelled. */
int lt__interrupted(void *user);
/* While held, lt__interrupted says that none has come: what is written then is written to its end. */
void lt__interrupt_hold(bool);
/* The signals are as they were; if one has come, the process ends by it here. */
void lt__interrupt_release(void);
/* In a child, after fork: as if nothing had been caught. */
void lt__interrupt_forget(void);
#endif
