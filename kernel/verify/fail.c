/* fail.c -- saying which rule a kernel program breaks, and where (verifier.h). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "kernel/form/form.h"
#include "kernel/verify/verifier.h"

static _Noreturn void __attribute__((format(printf, 6, 0))) break_rule(struct lt_kernel_verifier *v,
enum lt_kernel_part part,
	int32_t index, int32_t other, const char *remedy, const char *fmt, va_list list)
{
	struct lt_broken_rule *o = v->out;
	o->part = part;
	o->index = index;
	o->other = other;
	o->remedy = remedy;
	o->region = part == LT_PART_REGION ? index : part == LT_PART_INSTRUCTION ? v->region : -1;
	(void)vsnprintf(o->text, sizeof o->text, fmt, list);
	v->status = LT_EINVAL;
	longjmp(v->pool.jump, 1);
}

_Noreturn void lt__verify_fail_at(
	struct lt_kernel_verifier *v, enum lt_kernel_part part, int32_t index, const char *remedy, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	break_rule(v, part, index, -1, remedy, fmt, list);
}

_Noreturn void lt__verify_fail(struct lt_kernel_verifier *v, int32_t other, const char *remedy, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	break_rule(v, LT_PART_INSTRUCTION, v->at, other, remedy, fmt, list);
}

lt_status lt__kernel_refuse(
	struct lt_diag *diag, const struct lt_broken_rule *broken, struct lt_text_position at, int32_t other_line)
{
	char column[16] = "", region[24] = "", other[32] = "";
	if (at.column)
		(void)snprintf(column, sizeof column, ":%" PRId32, at.column);
	if (broken->region >= 0)
		(void)snprintf(region, sizeof region, "region %" PRId32 ": ", broken->region);
	if (other_line)
		(void)snprintf(other, sizeof other, " (line %" PRId32 ")", other_line);
	return lt__report(diag, LT_EINVAL, -1, -1, broken->remedy, "kernel:%" PRId32 "%s: %s%s%s", at.line, column, region,
		broken->text, other);
}
