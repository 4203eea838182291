/* text.c -- a model compiled to texts, and these in files of the temporary folder. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lt/kernel.h"
#include "backends/cpu/cpu.h"
#include "tools/build/build.h"
#include "tools/common/common.h"

/* The main program after its table, one string a line. */
static const char *const main_text[] = {
#include "tools/build/main_text.h"
};

/* A thread for each processor of the target, unless it is any one. */
static uint32_t default_threads(const struct building *b)
{
	const struct lt_cpu_model *m = lt__cpu_model_find(b->target.model, strlen(b->target.model));

	return b->target.strict || !m ? 1 : m->target.size ? m->target.cores : lt_kernel_cores();
}

lt_status build_program(struct building *b)
{
	char backend[128];
	const struct lt_options options = { .size = sizeof options,
		.n_thread = b->o.threads ? (uint32_t)b->o.threads : default_threads(b),
		.backends = backend,
		.strict = 1,
		.no_passes = b->o.no_passes,
		.temp_dir = lt__temp_dir(),
		.schedule = b->o.schedule ? b->schedule.at ? (const char *)b->schedule.at : "" : NULL,
		.schedule_bytes = b->schedule.n,
		.schedule_name = b->o.schedule && !strcmp(b->o.schedule, "-") ? "standard input" : b->o.schedule,
		.apply = b->o.apply,
		.user = &b->model,
		.explain = b->o.explain ? model_explain_add : NULL,
		.cancelled = lt__interrupted,
		.source_only = 1 };
	lt_status s;

	snprintf(backend, sizeof backend, "cpu:target=%s/emit=%s", b->target.portable ? BUILD_PORTABLE : b->target.model,
		b->target.strict ? "c99" : "c");
	if (b->o.explain)
		LT_TRY(model_explain_begin(b->ctx, NULL, &b->model));
	lt__interrupt_catch(LT_INTERRUPT_SECONDS);
	s = lt_compile(b->ctx, b->model.graph, &options, &b->program);
	lt__interrupt_release();
	if (b->o.explain)
		model_explain_say(NULL, &b->model);
	for (int32_t i = 0; i < b->model.binding[LT_BINDING_CONSTANT].n && !s; i++) {
		const struct lt_tensor *t = b->model.given.constant.value[i];

		s = t ? lt_program_bind(b->program, i, t->data, 0) : LT_OK;
	}
	return s;
}

const char *build_path(const struct building *b, const char *ending, char *out, size_t bytes)
{
	snprintf(out, bytes, "%s/%s%s", b->folder.path, b->name, ending);
	return out;
}

struct text_file { FILE *f; };

static void text_write(void *user, const char *text, size_t bytes)
{
	(void)fwrite(text, 1, bytes, ((struct text_file *)user)->f);
}

static lt_status text_part(struct building *b, enum lt_export_part part, const char *ending)
{
	char path[BUILD_PATH];
	struct text_file file = { fopen(build_path(b, ending, path, sizeof path), "we") };
	lt_status st = file.f ? lt__export_write(b->export, part, text_write, &file) : LT_OK;
	const bool no_memory = !file.f && errno == ENOMEM;
	bool bad = !file.f;

	if (part == LT_EXPORT_TABLE && file.f)
		for (size_t i = 0; i < sizeof main_text / sizeof *main_text; i++)
			fprintf(file.f, "%s\n", main_text[i]);
	if (file.f) {
		bad = ferror(file.f) != 0;
		bad = fclose(file.f) != 0 || bad;
	}
	if (no_memory)
		return lt_fail(b->ctx, LT_ENOMEM, "out of memory");
	return st ? st : bad ? lt_fail(b->ctx, LT_EIO, "%s cannot be written: %s; name another folder in TMPDIR", path,
		strerror(errno)) : LT_OK;
}

static const char *base_name(const char *path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }

bool build_has_data(const struct building *b) { return lt__export_constant_bytes(b->export) > 0; }

lt_status build_texts(struct building *b)
{
	char header[300], bytes[BUILD_PATH], about[2048], flags[4096];
	const bool arrays = b->o.data ? !strcmp(b->o.data, "array") : b->format == BUILD_C;
	struct lt_export_options o = { .name = b->name, .header = header, .bytes = bytes, .about = about,
		.flags = b->format == BUILD_C ? flags : NULL,
		.strict = b->target.strict, .data = arrays ? LT_EXPORT_ARRAYS : LT_EXPORT_INCBIN,
		.static_workspace = !b->o.workspace || !strcmp(b->o.workspace, "static") };

	LT_TRY(build_target_flags(b, flags, sizeof flags));
	snprintf(header, sizeof header, "%s.h", b->name);
	snprintf(about, sizeof about, "%s: made by lt-build %s from %.200s for %s%s.", b->name, LT_VERSION,
		base_name(b->o.model),
		b->target.portable ? "any processor" : "cpu:", b->target.portable ? "" : b->target.model);
	if (b->format == BUILD_C)
		snprintf(bytes, sizeof bytes, "%s.bin", b->name);
	else
		build_path(b, ".bin", bytes, sizeof bytes);
	LT_TRY(lt__export_new(b->program, &o, &b->export));
	LT_TRY(text_part(b, LT_EXPORT_HEADER, ".h"));
	LT_TRY(text_part(b, LT_EXPORT_SOURCE, ".c"));
	if (build_has_data(b))
		LT_TRY(text_part(b, LT_EXPORT_CONSTANTS, "_data.c"));
	LT_TRY(text_part(b, LT_EXPORT_TABLE, "_main.c"));
	return arrays || !build_has_data(b) ? LT_OK : text_part(b, LT_EXPORT_BYTES, ".bin");
}
