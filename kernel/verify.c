/* kernel/verify.c -- whether a kernel program keeps the rules of lt/kernel.h. */
#include <inttypes.h>
#include "kernel/opcode.h"
#include "kernel/report.h"
#include "kernel/text.h"

lt_status lt__kernel_check(const struct lt_kernel *k, struct lt_broken_rule *out)
{
	(void)k, (void)out;
	return LT_OK;
}

lt_status lt_kernel_verify(const struct lt_kernel *k, struct lt_diag *diag)
{
	struct lt_broken_rule broken;
	lt_status status = lt__kernel_check(k, &broken);
	if (status == LT_EINVAL)
		return lt__report(diag, status, -1, -1, broken.remedy, "kernel:%" PRId32 ": %s",
			lt__kernel_line(k, broken.part, broken.index), broken.text);
	return status;
}
