/* output.c -- the files that are written: how they and the function are called (-o, --format, --name), whether they can
 * be written, before there is any work, and how they come to their places at the end. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/build/build.h"
#include "tools/common/common.h"

static const char *const endings[] = { [BUILD_EXE] = "", [BUILD_A] = ".a", [BUILD_SO] = ".so", [BUILD_C] = ".c",
	[BUILD_WASM] = "", [BUILD_PAGE] = ".html" };

/* Its function has no name that anybody calls in C. */
static bool is_hidden(const struct building *b)
{
	return b->format == BUILD_EXE || b->format == BUILD_WASM || b->format == BUILD_PAGE;
}

/* The function of a program is seen by nobody: it gets another name by itself. */
static lt_status check_function(struct building *b)
{
	const char *why = build_name_taken(b->name);

	if (!why && !is_hidden(b) && build_macro_taken(b->name))
		why = "is, in capitals and with _OK or another end of its header behind it, a macro of the C library";
	if (why && !b->o.name && is_hidden(b)) {
		strcat(b->name, "_");
		why = NULL;
	}
	return why ? lt_fail(b->ctx, LT_EINVAL, "'%s' cannot be the name of a C function, for it %s: give another one "
		"with --name, such as %s_model", b->name, why, b->name) : LT_OK;
}

/* A name that says something else than what is made, unless --format says so, too. */
static lt_status check_ending(struct building *b)
{
	static const char *const others[] = { ".dll", ".dylib", ".lib", ".o", ".obj", ".h",
		".lt", ".graph", ".tree", ".onnx", ".npy", ".npz", ".safetensors" };
	const char *name = build_last_name(b->o.output), *dot = strrchr(name, '.'), *version = strstr(name, ".so.");
	bool other = version != NULL;

	for (size_t i = 0; i < sizeof others / sizeof *others && dot; i++)
		other = other || !strcasecmp(dot, others[i]);
	for (int i = BUILD_A; i <= BUILD_C && dot; i++)         /* .SO is no .so */
		other = other || (!strcasecmp(dot, endings[i]) && strcmp(dot, endings[i]) != 0);
	return !other || b->o.format ? LT_OK : lt_fail(b->ctx, LT_EINVAL, "-o %s: nothing that ends in %s is made here; "
		"NAME.so is a shared library, NAME.a a static one, NAME.c a text of C with NAME.h, and NAME a program, which "
		"--format exe makes under any name", b->o.output, version ? version : dot);
}

/* The header is included by its name: within quotes, where nothing is escaped, and where a folder of the user's is
 * looked at before the compiler's. */
static lt_status check_stem(struct building *b)
{
	const char *stem = b->stem, *odd = strpbrk(stem, "\"\\");

	for (const char *c = stem; *c && !odd; c++)
		odd = (unsigned char)*c < ' ' || *c == 127 || !strncmp(c, "??", 2) ? c : NULL;
	if (odd)
		return lt_fail(b->ctx, LT_EINVAL, "'%s' cannot be the name of a header, which #include takes: give -o a name "
			"without quotes, backslashes and control characters", stem);
	return !build_header_taken(stem) ? LT_OK : lt_fail(b->ctx, LT_EINVAL, "'%s.h' would take the place of the C library's "
		"<%s.h>: give -o another name, such as %s_model", stem, stem, stem);
}

/* -o names a folder: without '/' at its end. */
static lt_status folder_base(struct building *b)
{
	const char *o = b->o.output;
	int n = (int)strlen(o);

	while (n > 1 && o[n - 1] == '/')
		n--;
	if (n >= (int)sizeof b->folder_made)
		return lt_fail(b->ctx, LT_EINVAL, "the name '%s' is too long", o);
	snprintf(b->folder_made, sizeof b->folder_made, "%.*s", n, o);
	snprintf(b->base, sizeof b->base, "%s", b->folder_made);
	return LT_OK;
}

/* -o is a folder, whose files are called like it. */
static lt_status sketch_base(struct building *b)
{
	const char *o = b->o.output, *dot = strrchr(o, '.');

	LT_TRY(folder_base(b));
	for (int i = BUILD_A; i <= BUILD_C && dot; i++)
		if (!strcmp(dot, endings[i]) || !strcmp(dot, ".ino"))
			return lt_fail(b->ctx, LT_EINVAL, "-o %s: the target %s makes a folder, with a sketch of its name in it: give -o "
				"a name without %s", o, b->board->name, dot);
	snprintf(b->base, sizeof b->base, "%s/%s", b->folder_made, build_last_name(b->folder_made));
	return LT_OK;
}

/* What -o, --format and --name say together. */
lt_status build_names(struct building *b)
{
	static const char *const formats[] = { "exe", "a", "so", "c", "wasm", "html" };
	const bool module = b->o.target && !strcmp(b->o.target, BUILD_MODULE);
	struct lt_context *ctx = b->ctx;
	const size_t n = strlen(b->o.output);
	const char *name;
	size_t k = 0;

	LT_TRY(check_ending(b));
	for (int i = BUILD_A; i <= BUILD_C && !b->o.format; i++)
		if (n > strlen(endings[i]) && !strcmp(b->o.output + n - strlen(endings[i]), endings[i]))
			b->format = (enum build_format)i;
	if (b->board && b->o.format)
		return lt_fail(ctx, LT_EINVAL, "the target %s makes a sketch: leave --format out", b->board->name);
	if (module)
		b->format = n > 5 && !strcmp(b->o.output + n - 5, ".html") ? BUILD_PAGE : BUILD_WASM;
	for (int i = BUILD_EXE; i <= BUILD_PAGE && b->o.format; i++)
		if (!strcmp(b->o.format, formats[i]))
			b->format = (enum build_format)i;
	b->format = b->board ? BUILD_C : b->format;
	k = strlen(endings[b->format]);
	if (b->board)
		LT_TRY(sketch_base(b));
	else if (b->format == BUILD_WASM)
		LT_TRY(folder_base(b));
	else
		snprintf(b->base, sizeof b->base, "%.*s",
			(int)(k && n > k && !strcmp(b->o.output + n - k, endings[b->format]) ? n - k : n), b->o.output);
	name = b->o.name ? b->o.name : build_last_name(b->base);
	if (n >= sizeof b->base - 16 || strlen(name) >= sizeof b->name - 16)
		return lt_fail(ctx, LT_EINVAL, "the name '%s' is too long", b->o.output);
	if (!*build_last_name(b->base))
		return lt_fail(ctx, LT_EINVAL, "'%s' is no name of a file: lt-build MODEL -o NAME", b->o.output);
	for (k = 0; name[k]; k++)
		b->name[k] = (char)(isalnum((unsigned char)name[k]) ? name[k] : '_');
	if (!isalpha((unsigned char)b->name[0]) || (b->o.name && strcmp(b->name, b->o.name) != 0))
		return lt_fail(ctx, LT_EINVAL, "'%s' is no name for a C function, which begins with a letter and has letters, "
			"digits and "
			"_ in it: give one with --name", name);
	LT_TRY(check_function(b));
	snprintf(b->stem, sizeof b->stem, "%.250s", is_hidden(b) ? b->name : build_last_name(b->base));
	LT_TRY(b->board ? build_sketch_names(b) : LT_OK);
	return is_hidden(b) ? LT_OK : check_stem(b);
}

/* What is written under other names than that of -o; of a module, in its folder. */
static const struct { const char *ending; bool c_only, module; } texts[] = {
	{ ".h", false, false }, { ".c", true, false }, { "_data.c", true, false }, { "_main.c", true, false },
	{ ".bin", true, false }, { ".ino", true, false }, { ".js", false, true }, { ".d.ts", false, true },
	{ ".wasm", false, true }, { ".weights", false, true }, { "package.json", false, true }
};
enum { N_TEXT = sizeof texts / sizeof *texts };

/* The file in a folder; package.json is of all in it. */
static void folder_path(const struct building *b, const char *folder, const char *ending, char *out, size_t bytes)
{
	snprintf(out, bytes, "%s/%s%s", folder, *ending == 'p' ? "" : b->stem, ending);
}

/* Where a text goes; false: to nowhere. */
static bool text_path(const struct building *b, int i, char *to, size_t bytes)
{
	const bool incbin = b->o.data && !strcmp(b->o.data, "incbin");

	if (texts[i].module) {
		folder_path(b, b->base, texts[i].ending, to, bytes);
		return b->format == BUILD_WASM;
	}
	if (is_hidden(b) || (texts[i].c_only && b->format != BUILD_C)
			|| (!strcmp(texts[i].ending, "_main.c") && !b->o.main) || (!strcmp(texts[i].ending, ".ino") && !b->board)
			|| (!strcmp(texts[i].ending, ".bin") && !incbin))
		return false;
	snprintf(to, bytes, "%s%s", b->base, texts[i].ending);
	return true;
}

/* Texts of ours say so in their first line; the bytes of constants are as their text is. */
static bool is_made_here(const char *path)
{
	char line[400] = "";
	FILE *f = fopen(path, "re");

	if (!f)
		return false;
	(void)fgets(line, sizeof line, f);
	fclose(f);
	return strstr(line, ": made by lt-build ") != NULL;
}

/* Nobody named it: what is there is written over if it was made here, or if that is asked for. */
static lt_status check_unnamed(const struct building *b, int i, const char *to)
{
	char text[BUILD_PATH];
	struct stat st;

	if (b->o.overwrite || lstat(to, &st) != 0 || (!strcmp(texts[i].ending, ".c") && !b->board))
		return LT_OK;
	if (texts[i].module)            /* bytes are as the text that belongs to them */
		folder_path(b, b->base, *texts[i].ending == 'p' ? texts[i].ending : ".js", text, sizeof text);
	else
		snprintf(text, sizeof text, "%s%s", b->base, !strcmp(texts[i].ending, ".bin") ? "_data.c" : texts[i].ending);
	return is_made_here(text) ? LT_OK : lt_fail(b->ctx, LT_EINVAL, "%s is there, lt-build has not made it, and it would "
		"be written over: give -o another name, or --overwrite", to);
}

static lt_status check_inputs(const struct building *b, const char *to)
{
	const struct build_options *o = &b->o;
	const struct lt_tool_inputs in = { .model = o->model, .schedule = o->schedule, .read = &b->model.read,
		.weights = &o->weights, .inputs = &o->inputs, .constant = &o->constant, .input = &o->input, .fix = &o->fix };

	return lt__overwrite_check(b->ctx, to, &in);
}

static lt_status output_fail(const struct building *b, const char *to, const char *why)
{
	return lt_fail(b->ctx, LT_EIO, "%s: cannot be written: %s", to, why);
}

static lt_status output_check(const struct building *b, const char *to)
{
	char folder[2 * BUILD_PATH];
	struct stat st;
	const bool there = lstat(to, &st) == 0, link = there && S_ISLNK(st.st_mode);

	if (there && stat(to, &st) != 0)
		return output_fail(b, to, "it is a link to a file that cannot be found");
	if (there && S_ISDIR(st.st_mode))
		return output_fail(b, to, strerror(EISDIR));
	if (there && !S_ISREG(st.st_mode))
		return output_fail(b, to, "it is no regular file, but a device, a pipe or a socket");
	if (there)
		LT_TRY(check_inputs(b, to));
	/* A link is written through; a file is made beside another, and takes its place. */
	if (link)
		return access(to, W_OK) ? output_fail(b, to, strerror(errno)) : LT_OK;
	snprintf(folder, sizeof folder, "%.*s", (int)(build_last_name(to) - to), to);
	if (!*folder)
		snprintf(folder, sizeof folder, ".");
	if (stat(folder, &st) != 0 || access(folder, W_OK | X_OK) != 0)
		return output_fail(b, to, strerror(errno));
	return S_ISDIR(st.st_mode) ? LT_OK : output_fail(b, to, strerror(ENOTDIR));
}

static void whole_path(const struct building *b, char *to, size_t bytes)
{
	snprintf(to, bytes, "%s%s", b->base, endings[b->format]);
}

/* The folder of a sketch or a module is not there yet: it can be made.  What may be done in /proc only trying shows. */
static lt_status check_folder_made(const struct building *b)
{
	const char *to = b->folder_made;
	char parent[BUILD_PATH];

	snprintf(parent, sizeof parent, "%.*s", (int)(build_last_name(to) - to), to);
	if (access(*parent ? parent : ".", W_OK | X_OK) || mkdir(to, 0777) || rmdir(to))
		return output_fail(b, to, strerror(errno));
	return LT_OK;
}

lt_status build_output_check(const struct building *b)
{
	char to[BUILD_PATH];
	const bool folder = b->board || b->format == BUILD_WASM;
	struct stat st;

	if (folder && lstat(b->folder_made, &st) != 0 && errno == ENOENT)
		return check_folder_made(b);
	if (b->format == BUILD_WASM && (stat(b->base, &st) != 0 || !S_ISDIR(st.st_mode)))
		return output_fail(b, b->folder_made, "it is a file, and a module is a folder with several: give -o the name of a "
			"folder");
	if (b->format != BUILD_C && b->format != BUILD_WASM) {
		whole_path(b, to, sizeof to);
		LT_TRY(output_check(b, to));
	}
	for (int i = 0; i < N_TEXT; i++)
		if (text_path(b, i, to, sizeof to)) {
			LT_TRY(output_check(b, to));
			LT_TRY(check_unnamed(b, i, to));
		}
	return LT_OK;
}

static void add_file(struct building *b, const char *from, const char *to, bool executable)
{
	struct build_file *f = &b->out[b->n_out++];

	snprintf(f->path, sizeof f->path, "%s", from);
	snprintf(f->to, sizeof f->to, "%s", to);
	f->executable = executable;
}

static void list_files(struct building *b)
{
	char from[BUILD_PATH], to[BUILD_PATH];
	struct stat st;

	if (b->format == BUILD_PAGE) {
		whole_path(b, to, sizeof to);
		add_file(b, build_path(b, ".html", from, sizeof from), to, false);
	} else if (b->format != BUILD_C && b->format != BUILD_WASM) {
		whole_path(b, to, sizeof to);
		add_file(b, b->format == BUILD_EXE ? b->binary : b->library, to, b->format != BUILD_A);
	}
	for (int i = 0; i < N_TEXT; i++) {
		folder_path(b, b->place, texts[i].ending, from, sizeof from);
		if (text_path(b, i, to, sizeof to) && stat(from, &st) == 0)
			add_file(b, from, to, false);
	}
}

/* Piece by piece: a signal waits no longer than one takes. */
static bool copy_bytes(int from, FILE *to)
{
	static char piece[1 << 20];
	ssize_t n;

	errno = 0;
	while ((n = read(from, piece, sizeof piece)) > 0 && !lt__interrupted(NULL))
		if (fwrite(piece, 1, (size_t)n, to) != (size_t)n)
			break;
	return n == 0;
}

static lt_status copy_file(struct building *b, const struct build_file *f)
{
	struct lt_context *ctx = b->ctx;
	const int from = open(f->path, O_RDONLY | O_CLOEXEC);
	struct lt_outfile out;
	bool good;
	int code = 0;
	lt_status st;

	if (from < 0)
		return output_fail(b, f->path, strerror(errno));
	st = lt__out_open(ctx, f->to, &out);
	if (!st) {
		const mode_t mask = umask(0);

		umask(mask);
		good = copy_bytes(from, out.file) && (!f->executable || fchmod(fileno(out.file), 0777 & ~mask) == 0);
		code = errno;
		st = lt__out_close(ctx, &out, good);
		/* What is closed as bad says nothing of its own. */
		if (!good)
			st = output_fail(b, f->to, strerror(code));
	}
	close(from);
	return st;
}

lt_status build_output_write(struct building *b)
{
	list_files(b);
	if ((b->board || b->format == BUILD_WASM) && mkdir(b->folder_made, 0777) != 0 && errno != EEXIST)
		return output_fail(b, b->folder_made, strerror(errno));
	for (int i = 0; i < b->n_out; i++)
		LT_TRY(copy_file(b, &b->out[i]));
	return LT_OK;
}

void build_output_say(const struct building *b)
{
	char folder[BUILD_PATH];
	char *real;

	if (b->format != BUILD_SO || b->o.quiet)
		return;
	snprintf(folder, sizeof folder, "%.*s.", (int)(build_last_name(b->base) - b->base), b->base);
	real = realpath(folder, NULL);
	lt__say(stdout, "%s.so and %s.h are written; a program that is linked with it (cc main.c -I %s %s.so) finds it by "
		"LD_LIBRARY_PATH=%s, or is linked with -Wl,-rpath,%s, too\n", b->base, b->base, folder, b->base, real ? real : folder,
		real ? real : folder);
	free(real);
}
