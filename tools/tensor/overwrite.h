/* overwrite.h -- no output takes the place of an input, by whatever names the two are called. */
#ifndef LT_TOOLS_TENSOR_OVERWRITE_H
#define LT_TOOLS_TENSOR_OVERWRITE_H
#include "tools/option/options.h"

/* What a tool reads; NULL: none of it. */
struct lt_tool_inputs {
	const char *model, *schedule;
	const struct lt_texts *read;            /* files that the model names */
	const struct lt_texts *weights, *inputs, *constant, *input, *fix;      /* as the options of these names give them */
};
/* LT_EINVAL, with a sentence, where the file `to` is one of them; there need be no such file. */
lt_status lt__overwrite_check(struct lt_context *, const char *to, const struct lt_tool_inputs *);
#endif
