/* compile.c -- texts to objects, and these to a program or a library; what was built is always linked with
 * the main program, so that it can be run. */
#include <string.h>
#include "tools/build/build.h"

/* What a command writes, as its next word. */
static void command_makes(struct build_command *c, const char *path)
{
	build_command_word(c, path);
	c->makes = c->n_word ? c->word[c->n_word - 1] : NULL;
}

static void compile_one(const struct building *b, struct build_command *c, const char *ending, const char *object)
{
	char path[BUILD_PATH], flags[4096];

	c->on = "a text";
	build_command_words(c, b->target.cc);
	(void)build_target_flags(b, flags, sizeof flags);
	build_command_words(c, flags);
	if (b->target.strict && b->format == BUILD_C && !strcmp(ending, ".c"))
		build_command_word(c, "-pedantic-errors");
	build_command_word(c, "-I");
	build_command_word(c, b->folder.path);
	if (!strcmp(ending, "_main.c"))
		build_command_word(c, "-pthread");
	build_command_word(c, "-c");
	build_command_word(c, build_path(b, ending, path, sizeof path));
	if (!c->full)
		c->on = strrchr(c->word[c->n_word - 1], '/') + 1;
	build_command_word(c, "-o");
	command_makes(c, build_path(b, object, path, sizeof path));
}

static void link_begin(const struct building *b, struct build_command *c)
{
	*c = (struct build_command){ .on = "what was compiled" };
	build_command_words(c, b->target.cc);
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
	if (build_has_data(b))
		link_object(b, c, "_data.o");
}

static lt_status link_library(struct building *b, struct build_command *c)
{
	const char *name = strrchr(b->base, '/') ? strrchr(b->base, '/') + 1 : b->base;
	char soname[400], ar[512], line[700];

	snprintf(b->library, sizeof b->library, "%s/%.250s%s", b->folder.path, name, b->format == BUILD_SO ? ".so" : ".a");
	if (b->format == BUILD_SO) {
		link_begin(b, c);
		snprintf(soname, sizeof soname, "-Wl,-soname,%.250s.so", name);
		build_command_word(c, "-shared");
		build_command_word(c, soname);
		link_function(b, c);
		build_command_words(c, "-lm -o");
		command_makes(c, b->library);
		return build_run(b, c, 1);
	}
	snprintf(line, sizeof line, "%s -print-prog-name=ar", b->target.cc);
	if (build_ask(b, line, ar, sizeof ar) || !*ar)
		snprintf(ar, sizeof ar, "ar");
	*c = (struct build_command){ .on = "what was compiled" };
	build_command_word(c, ar);
	build_command_word(c, "rcs");
	command_makes(c, b->library);
	link_function(b, c);
	return build_run(b, c, 1);
}

/* The program: of a library, or of C, only to be run here. */
static lt_status link_program(struct building *b, struct build_command *c)
{
	link_begin(b, c);
	link_object(b, c, "_main.o");
	if (*b->library)
		build_command_word(c, b->library);
	else
		link_function(b, c);
	if (b->format == BUILD_SO) {
		char rpath[BUILD_PATH + 32];

		snprintf(rpath, sizeof rpath, "-Wl,-rpath,%s", b->folder.path);
		build_command_word(c, rpath);
	}
	build_command_words(c, "-lm -pthread -o");
	command_makes(c, build_path(b, ".exe", b->binary, sizeof b->binary));
	return build_run(b, c, 1);
}

lt_status build_compile(struct building *b)
{
	static struct build_command c[3];
	static const char *const endings[] = { ".c", "_data.c", "_main.c" }, *const objects[] = { ".o", "_data.o", "_main.o" };

	const bool runs = !b->o.no_verify || b->format == BUILD_EXE;
	int n = 0;

	if (b->format == BUILD_C && !runs)
		return LT_OK;
	for (int i = 0; i < 3; i++) {
		if ((i == 1 && !build_has_data(b)) || (i == 2 && !runs))
			continue;
		c[n] = (struct build_command){ 0 };
		compile_one(b, &c[n++], endings[i], objects[i]);
	}
	LT_TRY(build_run(b, c, n));
	if (b->format == BUILD_A || b->format == BUILD_SO)
		LT_TRY(link_library(b, c));
	return runs ? link_program(b, c) : LT_OK;
}
