/* report.c -- what a function takes of a microcontroller, as JSON: for programs, such as lt-quantize. */
#include <stdlib.h>
#include <string.h>
#include "tools/build/build.h"

lt_status build_report_check(const struct building *b)
{
	const struct build_options *o = &b->o;
	const struct lt_tool_inputs in = { .model = o->model, .schedule = o->schedule, .read = &b->model.read,
		.weights = &o->weights, .inputs = &o->inputs, .constant = &o->constant, .input = &o->input, .fix = &o->fix };
	const char *dot = strrchr(build_last_name(o->report), '.');

	if (!b->target.micro)
		return lt_fail(b->ctx, LT_EINVAL, "--report is of microcontrollers: add --target with one of cortex-m0, cortex-m3, "
			"cortex-m4, avr5");
	if (!dot || strcmp(dot, ".json") != 0)          /* so it is none of the other files */
		return lt_fail(b->ctx, LT_EINVAL, "--report takes a name that ends in .json, not '%s'", o->report);
	LT_TRY(lt__overwrite_check(b->ctx, o->report, &in));
	return lt__out_check(b->ctx, o->report);
}

static json_t *room_json(const struct build_room *r)
{
	json_t *o = json_object(), *parts = json_array();

	json_object_set_new(o, "wanted", json_integer(r->wanted));
	json_object_set_new(o, "has", r->has ? json_integer(r->has) : json_null());
	for (int i = 0; i < r->n && r->want[i].bytes; i++)
		json_array_append_new(parts, json_pack("{s:s,s:I}", "what", r->want[i].what, "bytes",
			(json_int_t)r->want[i].bytes));
	json_object_set_new(o, "parts", parts);
	if (r->more)
		json_object_set_new(o, "more", json_string(r->more));
	return o;
}

/* Of what was compiled. */
static json_t *function_json(const struct building *b)
{
	const struct lt_fit_size *s = &b->export->bare_size;
	json_t *o = json_object();

	json_object_set_new(o, "flash", json_integer(b->micro.flash));
	json_object_set_new(o, "constants", json_integer(lt__export_constant_bytes(b->export)));
	json_object_set_new(o, "ram", json_integer(b->micro.ram));
	json_object_set_new(o, "planned", json_integer(s->bytes));
	json_object_set_new(o, "alive", json_integer(s->bound));
	json_object_set_new(o, "smallest", json_boolean(s->exact || s->bytes == s->bound));
	json_object_set_new(o, "tensors", json_integer(b->micro.tensors));
	return o;
}

static json_t *report_json(const struct building *b)
{
	const struct build_micro *m = &b->micro;
	const struct build_chip *chip = build_chip_asked(b);
	json_t *o = json_object();

	json_object_set_new(o, "model", lt__json_text(b->o.model));
	json_object_set_new(o, "target", json_string(b->board ? b->board->name : b->target.model));
	json_object_set_new(o, "chip", json_string(chip ? chip->name : b->target.model));
	json_object_set_new(o, "fits", json_boolean(!m->refused));
	if (m->refused)
		json_object_set_new(o, "refused", lt__json_text(m->refused));
	json_object_set_new(o, "flash", room_json(&m->flash_room));
	if (m->ram_room.n)
		json_object_set_new(o, "ram", room_json(&m->ram_room));
	if (m->flash)
		json_object_set_new(o, "function", function_json(b));
	if (m->unit)
		json_object_set_new(o, "call", json_pack("{s:I,s:s,s:I}", "time", (json_int_t)m->time, "unit", m->unit, "stack",
			(json_int_t)m->stack));
	if (m->predicted)
		json_object_set_new(o, "predicted", json_pack("{s:I,s:s}", "time", (json_int_t)m->predicted, "unit",
			m->predicted_unit));
	json_object_set_new(o, "verified", json_boolean(!m->refused && m->unit && !b->verdict));
	return o;
}

lt_status build_report_write(struct building *b)
{
	json_t *report = report_json(b);
	char *text = json_dumps(report, LT_JSON_PLAIN | JSON_INDENT(1));
	struct lt_outfile out;
	lt_status st = text ? lt__out_open(b->ctx, b->o.report, &out) : lt_fail(b->ctx, LT_ENOMEM, "out of memory");

	if (!st) {
		fprintf(out.file, "%s\n", text);
		st = lt__out_close(b->ctx, &out, true);
	}
	free(text);
	json_decref(report);
	return st;
}
