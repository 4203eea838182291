/* convert.c -- lt-llama --convert: the model as a checkpoint, whose matrices have the type of --dtype. */
#include <string.h>
#include "tools/llama/llama.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

lt_status llama_convert(struct llama *l)
{
	struct lt_outfile file;

	LT_TRY(lt__out_open(l->ctx, l->o.convert, &file));
	lt__llama_write(&l->model, l->o.dtype && !strcmp(l->o.dtype, "f32"), file.file);
	LT_TRY(lt__out_close(l->ctx, &file, true));
	if (!l->o.quiet)
		lt__say(stdout, "%s is written\n", lt__shown(l->o.convert).text);
	return LT_OK;
}
