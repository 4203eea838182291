/* status.c -- names and texts of the status codes. */
#include "lt/status.h"

struct status_row { const char *name, *text; };
static const struct status_row rows[LT_NSTATUS] = {
#define ROW(name, value, text) [value] = { #name, text },
	LT_STATUS_MAP(ROW)
#undef ROW
};

const char *lt_status_name(lt_status status)
{
	return status >= 0 && status < LT_NSTATUS ? rows[status].name : "unknown";
}

const char *lt_status_text(lt_status status)
{
	return status >= 0 && status < LT_NSTATUS ? rows[status].text : "unknown status";
}
