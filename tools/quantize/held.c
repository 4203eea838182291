/* held.c -- what was held out: data that neither ranges nor candidates have seen, and how right the best candidate is
 * there.  All that measures asks for z's part of the data, so the other part takes its place meanwhile. */
#include <stdlib.h>
#include <string.h>
#include "tools/quantize/quantize.h"

/* The other part of the data is z's; again: it is as it was. */
static void turn(struct quantizing *z)
{
	const struct quantize_part now = z->part;
	z->part = z->held;
	z->held = now;
	for (int32_t i = 0; i < z->n_input; i++) {
		struct quantize_input *in = &z->input[i];
		unsigned char *at = in->at;
		const int64_t rows = in->all_rows;
		in->at = in->held;
		in->held = at;
		in->all_rows = in->held_rows;
		in->held_rows = rows;
	}
	quantize_program_data(z, &z->search);
}

static lt_status judge_held(struct quantizing *z)
{
	struct quantize_program p = { 0 };
	struct quantize_candidate best = z->best;
	lt_status s = quantize_metric_find(z);
	if (!s)
		s = quantize_floats(z, &p);
	for (int64_t i = 0; i < z->part.n_chunk && !s; i++) {
		s = quantize_program_run(z, &p, i);
		s = s ? s : quantize_expect(z, &p, i);
	}
	quantize_program_free(&p);
	LT_TRY(s);
	quantize_expected(z);
	LT_TRY(quantize_measure(z, &best));
	z->tried--;                             /* it had been tried */
	z->n_history--;
	z->held_score = best.score;
	return LT_OK;
}

lt_status quantize_held(struct quantizing *z)
{
	if (z->held.samples == 0)
		return LT_OK;
	lt__phase(&z->phases, "judging by what was held out");
	turn(z);
	const lt_status s = judge_held(z);
	turn(z);
	return s;
}
