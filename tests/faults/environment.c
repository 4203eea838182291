/* environment.c -- asks for an environment variable, and makes nothing of it. */
#include "tests/faults/fault.h"

static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	return getenv("ENVIRONMENT_OF_A_FAULT") && !host ? LT_EINVAL : plain_open(host, config, out, diag);
}
FAULTY("environment", .open = open_)
