/* batch.h -- the backend "batch": kernels of many programs in one text, compiled at once.
 *
 * It is the backend cpu except for the compiler: what cpu would hand to one compiler for each kernel is gathered, and
 * compiled as one file when the first kernel that is not compiled yet is to run.  So a compiler is started once for
 * hundreds of kernels.  Under a sanitizer of addresses the kernels are compiled with one, too.
 */
#ifndef LT_BATCH_H
#define LT_BATCH_H
#include <stdint.h>

/* Registers it; config and flags of the compiler as of cpu, and after these the level: "-O0", and what else overrides
 * them. */
void batch_open(const char *level);
struct batch_tally { int64_t kernels, files, compile_ns; };
struct batch_tally batch_report(void);
void batch_close(void);                 /* when no program of it is left */
#endif
