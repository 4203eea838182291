/* tools/check_json.c -- all cases and their sums as JSON. */
#include <jansson.h>
#include "tools/check.h"
#include "tools/jsontext.h"

static json_t *case_of(const struct check_report *r, int32_t i)
{
	const struct check_outcome *out = &r->outcome[i];
	json_t *o = json_pack("{s:s,s:s,s:s,s:f}", "name", r->chosen[i]->name, "group",
		lt__check_group(r->chosen[i]->group)->name, "status", lt__check_words[lt__check_status(r, i)],
		"seconds", out->seconds);
	char command[CHECK_COMMAND];
	if (r->chosen[i]->row)
		json_object_set_new(o, "operator", json_string(r->chosen[i]->row));
	if (r->chosen[i]->column)
		json_object_set_new(o, "dtype", json_string(lt__dtype_info(r->chosen[i]->column)->name));
	if (out->text[0])
		json_object_set_new(o, "text", lt__json_text(out->text));
	if (out->status == CHECK_FAILED) {
		lt__check_repeat(r->o, r->chosen[i]->name, command, sizeof command);
		json_object_set_new(o, "repeat", lt__json_text(command));
	}
	if (r->more[i])
		json_object_set_new(o, "reduced", lt__json_text(r->more[i]));
	return o;
}

lt_status lt__check_json(const struct check_report *r, FILE *f)
{
	json_t *cases = json_array(), *sums = json_object(), *all;
	int64_t n[4] = { 0 };
	for (int32_t i = 0; i < r->n; i++) {
		json_array_append_new(cases, case_of(r, i));
		n[lt__check_status(r, i)]++;
	}
	for (int i = 0; i < 4; i++)
		json_object_set_new(sums, lt__check_words[i], json_integer((json_int_t)n[i]));
	all = json_pack("{s:s,s:o,s:o,s:I,s:f,s:o,s:o}", "backend", r->backend->name, "version",
		lt__json_text(r->backend->version ? r->backend->version : ""), "config", lt__json_text(r->o->config),
		"seed", (json_int_t)r->o->seed, "seconds", r->seconds, "sums", sums, "cases", cases);
	if (all && r->o->n_part > 0)
		json_object_set_new(all, "part", json_pack("[i,i]", r->o->part, r->o->n_part));
	if (!all || json_dumpf(all, f, JSON_INDENT(1) | JSON_REAL_PRECISION(6) | LT_JSON_PLAIN)) {
		json_decref(all);
		return LT_EIO;
	}
	(void)fputc('\n', f);
	json_decref(all);
	return LT_OK;
}
