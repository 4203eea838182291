/* out_parameter.c -- open leaves its out-parameter as it was when it fails. */
#include "tests/faults/fault.h"

static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	struct lt_session *made;
	lt_status status = plain_open(host, config, &made, diag);
	if (!status)
		*out = made;
	return status;
}
FAULTY("out_parameter", .open = open_)
