/* report.c -- what was found, as JSON: each value and constant with its range, bits and step, the sums and why they
 * fit, and all candidates that were tried. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/quantize/quantize.h"

void quantize_say_metric(const struct quantizing *z, double metric)
{
	static const char *const words[] = { "accuracy", "agreement with the floats", "closeness to the floats" };
	lt__say(stdout, "%s: %.2f %%, of the floats %.2f %% (%lld rows)\n", words[z->metric], metric, z->part.base,
		(long long)z->part.rows);
	if (z->held.samples)
		lt__say(stdout, "of what was held out: %.2f %%, of the floats %.2f %% (%lld rows)\n", z->held_score.metric,
			z->held.base, (long long)z->held.rows);
}

static const char *const kinds[] = { "input", "constant", "value", "table", "quotient", "wide" };

/* A step; where all are powers of two its exponent, too.  channels: of each of those. */
static void put_steps(json_t *o, const struct quantizing *z, double scale, const struct lt_quant_cell *channels,
	struct lt_quant_format f)
{
	json_object_set_new(o, "scale", json_real(scale));
	if (!z->q->any)
		json_object_set_new(o, "exponent", json_integer(ilogb(scale)));
	if (!channels)
		return;
	json_t *scales = json_array(), *exponents = json_array();
	for (int64_t i = 0; i < channels->channels; i++) {
		json_array_append_new(scales, json_real(lt__quant_step_of(f, i)));
		json_array_append_new(exponents, json_integer(ilogb(lt__quant_step_of(f, i))));
	}
	json_object_set_new(o, "scales", scales);
	if (z->q->any)
		json_decref(exponents);
	else
		json_object_set_new(o, "exponents", exponents);
}

static json_t *cell_json(const struct quantizing *z, const struct lt_quant_derived *d, int32_t c)
{
	const struct lt_quant_cell *cell = &z->q->cell[c];
	const struct lt_nodedef *n = &z->model.graph->node[cell->node];
	json_t *o = json_object();
	json_object_set_new(o, "name", lt__json_text(cell->name));
	json_object_set_new(o, "kind", json_string(kinds[cell->kind]));
	json_object_set_new(o, "line", json_integer(n->line > 0 ? n->line : 0));
	json_object_set_new(o, "elements", json_integer(cell->elems));
	json_object_set_new(o, "type", json_string(lt__dtype_info(d->type[c])->script));
	json_object_set_new(o, "bytes", json_integer(lt__quant_bytes(cell, z->best.format[c], d->type[c])));
	json_object_set_new(o, "bits", json_integer(cell->kind == LT_QUANT_WIDE ? cell->bits : z->best.format[c].bits));
	put_steps(o, z, d->scale[c], z->best.format[c].channel ? cell : NULL, z->best.format[c]);
	json_object_set_new(o, "low", json_real(cell->low));
	json_object_set_new(o, "high", json_real(cell->high));
	json_object_set_new(o, "least", json_real((double)d->least[c] * d->scale[c]));
	json_object_set_new(o, "most", json_real((double)d->most[c] * d->scale[c]));
	return o;
}

/* A sum, with what it is between, as the constants' numbers prove. */
static json_t *sums_json(const struct quantizing *z, const struct lt_quant_derived *d)
{
	json_t *all = json_array();
	for (lt_node x = 0; x < z->model.graph->n_node; x++) {
		int64_t least, most;
		if (!lt__quant_sum(z->q, d, x, &least, &most))
			continue;
		json_t *o = json_object();
		json_object_set_new(o, "name", lt__json_text(z->model.graph->node[x].name));
		json_object_set_new(o, "least", json_integer(least));
		json_object_set_new(o, "most", json_integer(most));
		json_object_set_new(o, "type", json_string(least >= -INT32_MAX && most <= INT32_MAX ? "int32" : "int64"));
		json_array_append_new(all, o);
	}
	return all;
}

/* What a multiplier and a shift bring to another step: operands, what is kept, the sums of channels. */
static void put_moves(json_t *all, const struct quantizing *z, const struct lt_quant_derived *d, lt_node x,
	int32_t first, int32_t by)
{
	struct lt_quant_moved m;
	for (int32_t i = first; ; i += by) {
		const bool is = lt__quant_moved_of(z->q, d, x, i, &m);
		if (m.end || (i == LT_QUANT_OF_CELL && !is))
			return;
		json_t *o = is ? json_object() : NULL;
		const int32_t channel = LT_QUANT_CHANNEL - i;
		json_object_set_new(o, "name", lt__json_text(z->model.graph->node[x].name));
		json_object_set_new(o, "of", json_string(i >= 0 ? "operand" : channel >= 0 ? "channel" : "value"));
		json_object_set_new(o, "number", json_integer(i >= 0 ? i : channel >= 0 ? channel : 0));
		json_object_set_new(o, "from", json_real(m.from));
		json_object_set_new(o, "to", json_real(m.to));
		json_object_set_new(o, "down", json_integer(m.move.down));
		json_object_set_new(o, "multiplier", json_integer(m.move.by));
		json_object_set_new(o, "shift", json_integer(m.move.shift));
		if (o)
			json_array_append_new(all, o);
		if (i == LT_QUANT_OF_CELL)
			return;
	}
}

static json_t *moves_json(const struct quantizing *z, const struct lt_quant_derived *d)
{
	json_t *all = json_array();
	for (lt_node x = 0; x < z->model.graph->n_node; x++) {
		put_moves(all, z, d, x, 0, 1);
		put_moves(all, z, d, x, LT_QUANT_CHANNEL, -1);
		put_moves(all, z, d, x, LT_QUANT_OF_CELL, 1);
	}
	return all;
}

static json_t *tried_json(const struct quantizing *z)
{
	json_t *all = json_array();
	for (int32_t i = 0; i < z->n_history; i++) {
		const struct quantize_candidate *c = &z->history[i];
		json_t *o = json_object();
		json_object_set_new(o, "possible", json_boolean(c->score.possible));
		json_object_set_new(o, "loss", c->score.possible ? json_real(c->score.loss) : json_null());
		json_object_set_new(o, "distance", c->score.possible ? json_real(c->score.error) : json_null());
		json_object_set_new(o, "constants", json_integer(c->flash));
		json_object_set_new(o, "values", json_integer(c->ram));
		json_array_append_new(all, o);
	}
	return all;
}

/* What was held out. */
static json_t *held_json(const struct quantizing *z)
{
	json_t *o = json_object();
	json_object_set_new(o, "rows", json_integer(z->held.rows));
	json_object_set_new(o, "floats", json_real(z->held.base));
	json_object_set_new(o, "integers", json_real(z->held_score.metric));
	json_object_set_new(o, "loss", json_real(z->held_score.loss));
	json_object_set_new(o, "distance", json_real(z->held_score.error));
	return o;
}

static json_t *report_json(const struct quantizing *z, const struct lt_quant_derived *d)
{
	static const char *const metrics[] = { "accuracy", "agree", "error" };
	json_t *o = json_object(), *cells = json_array();
	for (int32_t c = 0; c < z->q->n_cell; c++)
		json_array_append_new(cells, cell_json(z, d, c));
	json_object_set_new(o, "model", lt__json_text(z->o.model));
	json_object_set_new(o, "script", lt__json_text(z->o.output));
	json_object_set_new(o, "scales", json_string(z->q->any ? "any" : "pow2"));
	json_object_set_new(o, "metric", json_string(metrics[z->metric]));
	json_object_set_new(o, "floats", json_real(z->part.base));
	json_object_set_new(o, "integers", json_real(z->best.score.metric));
	json_object_set_new(o, "loss", json_real(z->best.score.loss));
	json_object_set_new(o, "distance", json_real(z->best.score.error));
	json_object_set_new(o, "rows", json_integer(z->part.rows));
	json_object_set_new(o, "evaluations", json_integer(z->part.samples));
	if (z->held.samples)
		json_object_set_new(o, "held_out", held_json(z));
	json_object_set_new(o, "compared", json_integer(z->judged));
	json_object_set_new(o, "constants", json_integer(z->best.flash));
	json_object_set_new(o, "values", json_integer(z->best.ram));
	if (z->q->mode != LT_QUANT_STATIC)
		json_object_set_new(o, "other_constants", json_integer(z->kept));
	json_object_set_new(o, "counted", json_string(z->q->mode != LT_QUANT_STATIC ? "constants: bytes of the integers of "
		"products and of their steps; other_constants: bytes of those that stay as they are" : "constants: bytes, each once "
		"in its type; values: bytes of kept values that are alive at once; without code, sums between kept values, what "
		"kernels need and the stack"));
	json_object_set_new(o, "seconds", json_real((double)(z->end_ns - z->begin_ns) / 1e9));
	json_object_set_new(o, "looked_at", json_integer(z->looked_at));
	json_object_set_new(o, "cells", cells);
	json_object_set_new(o, "sums", sums_json(z, d));
	if (z->q->any)
		json_object_set_new(o, "multipliers", moves_json(z, d));
	if (z->need)
		json_object_set(o, "target", z->need);
	json_object_set_new(o, "tried", tried_json(z));
	return o;
}

static lt_status write_text(struct quantizing *z, const char *path, const char *text)
{
	struct lt_outfile out;
	LT_TRY(lt__out_open(z->ctx, path, &out));
	fputs(text, out.file);
	return lt__out_close(z->ctx, &out, true) ? lt_context_code(z->ctx) : LT_OK;
}

lt_status quantize_report_write(struct quantizing *z, const struct lt_quant_derived *d)
{
	return quantize_json_write(z, report_json(z, d));
}

lt_status quantize_json_write(struct quantizing *z, json_t *o)
{
	char *text = json_dumps(o, LT_JSON_PLAIN | JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	lt_status s = text ? LT_OK : lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	if (!s && z->o.report)
		s = write_text(z, z->o.report, text);
	if (!s && z->o.page)
		s = quantize_page_write(z, o);
	free(text);
	json_decref(o);
	return s;
}
