/* report.c -- telling a diag one formatted reason, and a listener one decision. */
#include <stdarg.h>
#include <stdio.h>
#include "kernel/form/form.h"

lt_status lt__report(
	struct lt_diag *diag, lt_status code, int32_t loop, int32_t stmt, const char *remedy, const char *fmt, ...)
{
	char text[2048];
	va_list ap;
	if (!diag)
		return code;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	diag->report(diag,
		&(struct lt_diagnostic){ .size = sizeof(struct lt_diagnostic),
			.code = code,
			.loop = loop,
			.stmt = stmt,
			.text = text,
			.remedy = remedy });
	return code;
}

void lt__decide(
	struct lt_kernel_report *report, char letter, int32_t loop, int32_t stmt, int32_t buffer, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	if (!report)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	report->report(report, &(struct lt_kernel_decision){ letter, loop, stmt, buffer, text });
}

lt_status lt__report_grids(const struct lt_kernel *k, struct lt_diag *diag)
{
	for (uint32_t r = 0; r < k->n_region; r++)
		if (k->regions[r].kind == LT_REGION_GRID)
			return lt__report(diag, LT_EUNSUPPORTED, -1, -1, "print it as it is; each operator needs a spelling",
				"kernel %s: region %u is a grid, which no expansion changes", k->name, (unsigned)r);
	return LT_OK;
}
