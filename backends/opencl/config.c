/* config.c -- the items after "opencl:". */
#include "backends/opencl/session.h"
#include "lt/options.h"

enum { PLATFORM, DEVICE, O0, N_OPTION };
static const struct lt_option options[N_OPTION] = {
	[PLATFORM] = { .key = "platform", .value = "N", .high = 999, .about = "the number of the platform" },
	[DEVICE] = { .key = "device", .value = "N", .high = 999, .about = "the number of its device" },
	[O0] = { .key = "O0", .about = "the device's compiler does not optimise" }
};
const struct lt_array lt__opencl_options = { options, N_OPTION, sizeof *options };

lt_status lt__opencl_config(const char *text, struct lt_opencl_config *out, struct lt_diag *diag)
{
	struct lt_option_reader r = lt_option_begin(text, options, N_OPTION, diag);
	*out = (struct lt_opencl_config){ .platform = -1 };
	for (struct lt_option_item item; lt_option_next(&r, &item); )
		if (item.which == PLATFORM)
			out->platform = (int)item.number;
		else if (item.which == DEVICE)
			out->device = (int)item.number;
		else
			out->plain = true;
	return r.status;
}
