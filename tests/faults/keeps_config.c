/* keeps_config.c -- looks at the config once more when it compiles: it was lent to open alone. */
#include "tests/faults/fault.h"

static const char *kept = "";

static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	lt_status status = plain_open(host, config, out, diag);
	if (!status && config)
		kept = config;
	return status;
}

static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return *kept ? fault_report(diag, LT_EINVAL, "there are no options") : plain_compile(s, tree, n, object, diag);
}
FAULTY("keeps_config", .open = open_, .compile = compile)
