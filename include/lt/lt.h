/* lt/lt.h -- Looptree for a caller: a context, a script, a program, a run.
 *
 *   struct lt_context *ctx;  struct lt_graph *g;  struct lt_program *p;  struct lt_instance *run;
 *   lt_context_new(&ctx);
 *   lt_parse(ctx, text, strlen(text), "my.lt", NULL, &g);
 *   lt_compile(ctx, g, NULL, &p);
 *   lt_program_bind(p, i, data, 1);            for each constant
 *   lt_instance_new(p, &run);
 *   lt_instance_run(run, inputs, results);     in the order of lt_program_count, lt_program_name
 *
 * Every call that can fail returns an lt_status.  lt_context_message(ctx) is the sentence; from lt_instance_new on it
 * is lt_instance_message(run).  Handles are opaque, no struct is passed by value, nothing is variadic: any language
 * can bind it.
 */
#ifndef LT_H
#define LT_H
#include "lt/access.h"
#include "lt/backend.h"
#include "lt/backends.h"
#include "lt/context.h"
#include "lt/extents.h"
#include "lt/frontend.h"
#include "lt/graph.h"
#include "lt/looptree.h"
#include "lt/profile.h"
#include "lt/program.h"
#include "lt/schedule.h"
#include "lt/status.h"
#include "lt/table.h"
#include "lt/timing.h"
#include "lt/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

LT_API const char *lt_version(void);            /* "0.1.0" */

#ifdef __cplusplus
}
#endif
#endif
