/* backends.h -- what backends share: the registry, reasons that they give, checks of what a host hands to a run. */
#ifndef LT_BACKENDS_BACKENDS_H
#define LT_BACKENDS_BACKENDS_H
#include "lt/backend.h"
#include "kernel/form/form.h"

/* -- between the registry and the loader. */
/* origin: the file that a plug-in was loaded from; NULL: linked in.  Copied when the table is kept. */
lt_status lt__backend_add(const struct lt_backend *, const char *origin, struct lt_diag *);
/* A table that may be kept: version, mandatory members, build, name, groups of members that are whole. */
lt_status lt__backend_check(const struct lt_backend *, const char *origin, struct lt_diag *);
/* As lt_backend_load; but where one of these has the name already, the new one is left out, and that is not a mistake.
 * real: what is loaded, where it is not path itself but what that resolves to, and has been checked; NULL: path. */
lt_status lt__backend_load_behind(
	const char *path, const char *real, const struct lt_backend *const *before, uint32_t n, struct lt_diag *);
/* Refuses what was not built as this library was: LT_BUILD bits. */
lt_status lt__backend_alike(uint32_t build, const char *origin, struct lt_diag *);

/* -- reasons of backends: what a loader or a compiler says, to be put into one. */
/* What dlopen or dlsym failed of, without the name of the file that it may begin with: who tells it has named the file,
 * or has made one that nobody knows.  Borrowed until the thread's next call of these. */
const char *lt__load_error(const char *file);
/* The first line of a compiler's log that says "error", without blanks around it; of a log without one the last line
 * that there is. */
void lt__first_error(const char *log, char *out, size_t bytes);

/* -- whether what a host hands to a run fits the tree. */
/* What lt_backend.run has to refuse before anything is touched: LT_EINVAL.  workspace_bytes: that this run needs. */
lt_status lt__check_arguments(
	const struct lt_tree *, const struct lt_args *, int64_t workspace_bytes, struct lt_diag *);
/* For backends whose handles are addresses: those of the slots are as aligned as the tree says.  LT_EINVAL. */
lt_status lt__check_addresses(const struct lt_tree *, const struct lt_args *, struct lt_diag *);
#endif
