/* json.c -- all cases and their sums as JSON. */
#include <jansson.h>
#include "tools/check/check.h"
#include "tools/common/common.h"

/* NULL, which is left out: there is none. */
static json_t *text_of(const char *text) { return text && text[0] ? lt__json_text(text) : NULL; }

static json_t *case_of(const struct check_report *r, int32_t i)
{
	struct check_row row;
	lt__check_row(r, i, &row);
	return json_pack("{s:s,s:s,s:s,s:f,s:s*,s:s*,s:o*,s:o*,s:o*}", "name", row.name, "group", row.group, "status",
		lt__check_words[row.status], "seconds", row.seconds, "operator", row.op, "dtype", row.dtype, "text",
		text_of(row.text), "repeat", text_of(row.repeat), "reduced", text_of(row.more));
}

lt_status lt__check_json(const struct check_report *r, FILE *f)
{
	json_t *cases = json_array(), *sums = json_object();
	struct check_counts counts;
	lt__check_count(r, &counts);
	for (int32_t i = 0; i < r->n; i++)
		json_array_append_new(cases, case_of(r, i));
	for (int i = 0; i < 4; i++)
		json_object_set_new(sums, lt__check_words[i], json_integer(counts.all.n[i]));
	json_t *all = json_pack("{s:s,s:o,s:o,s:I,s:f,s:I,s:I,s:o,s:o,s:o*}", "backend", r->backend->name, "version",
		lt__json_text(r->backend->version ? r->backend->version : ""), "config", lt__json_text(r->o->config),
		"seed", (json_int_t)r->o->seed, "seconds", r->seconds, "elements",
		(json_int_t)counts.all.elements, "open", (json_int_t)counts.all.open, "sums", sums, "cases", cases, "part",
		r->o->n_part > 0 ? json_pack("[i,i]", r->o->part, r->o->n_part) : NULL);
	bool good = all && !json_dumpf(all, f, JSON_INDENT(1) | JSON_REAL_PRECISION(6) | LT_JSON_PLAIN) && fputc('\n', f) > 0;
	json_decref(all);
	return good ? LT_OK : LT_EIO;
}
