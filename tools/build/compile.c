/* compile.c -- a model compiled to texts, these to objects, and these to a program or a library; what was built is
 * always linked with the main program, so that it can be run. */
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
		.kernels = b->o.kernels,
		.schedule_name = b->o.schedule && !strcmp(b->o.schedule, "-") ? "standard input" : b->o.schedule,
		.apply = b->o.apply,
		.user = &b->model,
		.explain = b->o.explain ? model_explain_add : NULL,
		.source_only = 1 };
	lt_status s;

	snprintf(backend, sizeof backend, "cpu:target=%s/emit=%s", b->target.portable ? BUILD_PORTABLE : b->target.model,
		b->target.bare ? "bare" : b->target.strict ? "c99" : "c");
	if (b->o.explain)
		LT_TRY(model_explain_begin(b->ctx, NULL, &b->model));
	/* It leaves nothing behind: a signal may end it as it is. */
	s = lt_compile(b->ctx, b->model.graph, &options, &b->program);
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
	snprintf(out, bytes, "%s/%s%s", b->place, b->stem, ending);
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

/* There are constants, and NAME_data.c. */
static bool has_data(const struct building *b) { return lt__export_constant_bytes(b->export) > 0; }

lt_status build_texts(struct building *b)
{
	char header[300], bytes[BUILD_PATH], about[2048], flags[4096];
	const bool arrays = b->o.data ? !strcmp(b->o.data, "array") : b->format == BUILD_C;
	const struct lt_cpu_model *micro = b->target.micro ? lt__cpu_model_find(b->target.model, strlen(b->target.model))
		: NULL;
	struct lt_export_options o = { .name = b->name, .header = header, .bytes = bytes, .about = about,
		.flags = b->format == BUILD_C ? flags : NULL,
		.bare = b->target.bare, .integer = b->o.integer, .flash = micro ? micro->flash : NULL,
		.no_f64 = micro && micro->avr_libc,
		.strict = b->target.strict, .data = b->target.module ? LT_EXPORT_LOADED
			: arrays ? LT_EXPORT_ARRAYS : LT_EXPORT_INCBIN,
		.static_workspace = !b->o.workspace || !strcmp(b->o.workspace, "static") };

	LT_TRY(build_target_flags(b, flags, sizeof flags));
	snprintf(header, sizeof header, "%s.h", b->stem);
	snprintf(about, sizeof about, "%s: made by lt-build %s from %.200s for %s%s.", b->name, LT_VERSION,
		build_last_name(b->o.model),
		b->target.portable ? "any processor" : "cpu:", b->target.portable ? "" : b->target.model);
	if (b->format == BUILD_C)
		snprintf(bytes, sizeof bytes, "%s.bin", b->stem);
	else
		build_path(b, ".bin", bytes, sizeof bytes);
	LT_TRY(lt__export_new(b->program, &o, &b->export));
	LT_TRY(text_part(b, LT_EXPORT_HEADER, ".h"));
	LT_TRY(text_part(b, LT_EXPORT_SOURCE, ".c"));
	if (has_data(b))
		LT_TRY(text_part(b, LT_EXPORT_CONSTANTS, "_data.c"));
	if (b->target.module)
		return text_part(b, LT_EXPORT_MODULE, "_module.c");
	if (!b->target.bare)
		LT_TRY(text_part(b, LT_EXPORT_TABLE, "_main.c"));
	return arrays || !has_data(b) ? LT_OK : text_part(b, LT_EXPORT_BYTES, ".bin");
}

/* What a command writes, as its next word. */
static void command_makes(struct build_command *c, const char *path)
{
	c->makes = build_command_word(c, path);
}

static void compile_one(const struct building *b, struct build_command *c, const char *ending, const char *object)
{
	char path[BUILD_PATH], flags[4096];

	c->on = "a text";
	build_command_words(c, b->target.cc);
	(void)build_target_flags(b, flags, sizeof flags);
	build_command_words(c, flags);
	if (b->target.strict && !b->target.micro && b->format == BUILD_C && !strcmp(ending, ".c"))
		build_command_word(c, "-pedantic-errors");
	/* What a text includes is beside it; the assembler has to be told. */
	if (b->format == BUILD_C && !strcmp(ending, "_data.c") && b->o.data && !strcmp(b->o.data, "incbin")) {
		build_command_word(c, "-Xassembler");
		build_command_word(c, "-I");
		build_command_word(c, "-Xassembler");
		build_command_word(c, b->place);
	}
	if (!strcmp(ending, "_main.c"))
		build_command_word(c, "-pthread");
	build_command_word(c, "-c");
	c->on = build_last_name(build_command_word(c, build_path(b, ending, path, sizeof path)));
	build_command_word(c, "-o");
	command_makes(c, build_path(b, object, path, sizeof path));
}

static void link_begin(const struct building *b, struct build_command *c)
{
	*c = (struct build_command){ .on = "what was compiled" };
	build_command_words(c, b->target.cc);
}

/* A word that the compiler hands to the linker, whatever is in it. */
static void linker_word(struct build_command *c, const char *word)
{
	build_command_word(c, "-Xlinker");
	build_command_word(c, word);
}

static lt_status link_end(struct building *b, struct build_command *c)
{
	const lt_status st = build_run(b, c, 1);

	build_command_free(c);
	return st;
}

static void link_object(const struct building *b, struct build_command *c, const char *ending)
{
	char path[BUILD_PATH];

	build_command_word(c, build_path(b, ending, path, sizeof path));
}

/* The function and its constants. */
static void link_function(const struct building *b, struct build_command *c)
{
	link_object(b, c, ".o");
	if (has_data(b))
		link_object(b, c, "_data.o");
}

static lt_status link_library(struct building *b)
{
	struct build_command command, *c = &command;
	const char *name = build_last_name(b->base);
	char soname[400], ar[512], line[700];

	snprintf(b->library, sizeof b->library, "%s/%.250s%s", b->place, name, b->format == BUILD_SO ? ".so" : ".a");
	if (b->format == BUILD_SO) {
		link_begin(b, c);
		snprintf(soname, sizeof soname, "%.250s.so", name);
		build_command_word(c, "-shared");
		linker_word(c, "-soname");
		linker_word(c, soname);
		link_function(b, c);
		build_command_words(c, "-lm -o");
		command_makes(c, b->library);
		return link_end(b, c);
	}
	snprintf(line, sizeof line, "%s -print-prog-name=ar", b->target.cc);
	if (build_ask(b, line, ar, sizeof ar) || !*ar)
		snprintf(ar, sizeof ar, "ar");
	*c = (struct build_command){ .on = "what was compiled" };
	build_command_word(c, ar);
	build_command_word(c, "rcs");
	command_makes(c, b->library);
	link_function(b, c);
	return link_end(b, c);
}

/* The program: of a library, or of C, only to be run here. */
static lt_status link_program(struct building *b)
{
	struct build_command command, *c = &command;

	link_begin(b, c);
	link_object(b, c, "_main.o");
	if (*b->library)
		build_command_word(c, b->library);
	else
		link_function(b, c);
	if (b->format == BUILD_SO) {
		linker_word(c, "-rpath");
		linker_word(c, b->place);
	}
	build_command_words(c, "-lm -pthread -o");
	command_makes(c, build_path(b, ".exe", b->binary, sizeof b->binary));
	return link_end(b, c);
}

/* What nothing gives is a mistake of the linker's; the stack comes first, so that an overflow is a trap. */
static lt_status link_module(struct building *b)
{
	struct build_command command, *c = &command;

	char path[BUILD_PATH];

	link_begin(b, c);
	build_command_words(c, "-nostdlib -Wl,--no-entry -Wl,--stack-first -Wl,-z,stack-size=1048576");
	if (!b->o.debug)
		build_command_word(c, "-Wl,--strip-all");
	link_function(b, c);
	link_object(b, c, "_module.o");
	build_command_words(c, "-lc -o");
	command_makes(c, build_path(b, ".wasm", path, sizeof path));
	return link_end(b, c);
}

lt_status build_compile(struct building *b)
{
	struct build_command c[4] = { { 0 } };
	static const char *const endings[] = { ".c", "_data.c", "_main.c", "_module.c" }, *const objects[] = { ".o", "_data.o",
		"_main.o", "_module.o" };

	const bool runs = !b->o.no_verify || b->format == BUILD_EXE;
	int n = 0;
	lt_status st;

	if (b->format == BUILD_C && !runs && !b->target.micro)
		return LT_OK;
	for (int i = 0; i < 4; i++) {
		if ((i == 1 && !has_data(b)) || (i == 2 && (!runs || b->target.bare || b->target.module))
				|| (i == 3 && !b->target.module))
			continue;
		compile_one(b, &c[n++], endings[i], objects[i]);
	}
	st = build_run(b, c, n);
	for (int i = 0; i < n; i++)
		build_command_free(&c[i]);
	if (!st && (b->format == BUILD_A || b->format == BUILD_SO))
		st = link_library(b);
	if (!st && b->target.module)
		return link_module(b);
	return st ? st : runs && !b->target.bare ? link_program(b) : LT_OK;
}
