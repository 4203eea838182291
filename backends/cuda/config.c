/* config.c -- the items after "cuda:". */
#include "backends/cuda/session.h"
#include "lt/options.h"

enum { DEVICE, TF32, GELU, GENERATED, EXACT, N_OPTION, WORKSPACE = N_OPTION, TRY, ONLY, N_MORE };
static const struct lt_option options[N_MORE] = {
	[DEVICE] = { .key = "device", .value = "N", .high = 999, .about = "the number of the device" },
	[TF32] = { .key = "tf32", .about = "products of float32 may drop all but 10 bits of their factors' fractions" },
	[GELU] = { .key = "gelu", .about = "cuBLAS may compute GELU by tanh in its own way" },
	[GENERATED] = { .key = "generated", .about = "nothing is handed to cuBLAS" },
	[EXACT] = { .key = "exact", .about = "what the graph rounds between two operators is no call" },
	[WORKSPACE] = { .key = "workspace", .value = "BYTES", .high = INT64_C(1) << 40,
		.about = "plans need at most so much memory beside their operands" },
	[TRY] = { .key = "try", .value = "N", .low = 1, .high = 100,
		.about = "the fastest is used of so many plans that are right" },
	[ONLY] = { .key = "only", .about = "what is no call of the library's is refused" }
};
const struct lt_array lt__cuda_options = { options, N_OPTION, sizeof *options };
const struct lt_array lt__cudnn_options = { options, N_MORE, sizeof *options };

lt_status lt__cuda_config(const char *text, bool more, struct lt_cuda_config *out, struct lt_diag *diag)
{
	struct lt_option_reader r = lt_option_begin(text, options, more ? N_MORE : N_OPTION, diag);
	*out = (struct lt_cuda_config){ 0 };
	for (struct lt_option_item item; lt_option_next(&r, &item); )
		if (item.which == DEVICE)
			out->device = (int)item.number;
		else if (item.which == TF32)
			out->tf32 = true;
		else if (item.which == GELU)
			out->gelu = true;
		else if (item.which == EXACT)
			out->exact = true;
		else if (item.which == WORKSPACE)
			out->workspace = item.number;
		else if (item.which == TRY)
			out->tries = item.number;
		else if (item.which == ONLY)
			out->only = true;
		else
			out->generated = true;
	return r.status;
}
