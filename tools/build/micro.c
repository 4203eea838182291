/* micro.c -- a bare function is tried where it is to run: on an emulated microcontroller (qemu-system-arm, simavr), or
 * here.  Inputs are a part of the program that tries it, results come back over its serial line.  What it takes of
 * flash, RAM, stack and time is said. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/build/build.h"
#include "tools/common/common.h"

static const char *const harness_text[] = {
#include "tools/build/micro_text.h"
};

static const char script_text[] =
	"ENTRY(vectors)\n"
	"MEMORY { FLASH (rx) : ORIGIN = 0, LENGTH = 4M  RAM (rw) : ORIGIN = 0x20000000, LENGTH = 4M }\n"
	"SECTIONS {\n"
	"\t.text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) } > FLASH\n"
	"\t.ARM.exidx : { *(.ARM.exidx*) } > FLASH\n"
	"\t.data : { *(.data*) } > RAM AT > FLASH\n"
	"\t.bss (NOLOAD) : { . = ALIGN(8); try_bss = .; *(.bss*) *(COMMON) . = ALIGN(8); try_bss_end = .; } > RAM\n"
	"\ttry_stack = ORIGIN(RAM) + LENGTH(RAM);\n}\n";

/* --- the text --- */

static const struct try_part { enum lt_binding kind; char letter; } parts[] = { { LT_BINDING_INPUT, 'i' },
	{ LT_BINDING_RESULT, 'r' }, { LT_BINDING_STATE, 's' } };
enum { N_PART = sizeof parts / sizeof *parts };

static void write_given(const struct building *b, FILE *f, const struct try_part *p, int32_t i, const void *data)
{
	const size_t n = model_binding_bytes(&b->model.binding[p->kind].at[i]);

	fprintf(f, "static const TRY_FLASH uint8_t given_%c%d[] = {", p->letter, (int)i);
	for (size_t k = 0; k < n; k++)
		fprintf(f, "%s%u,", k % 16 ? "" : "\n\t", ((const unsigned char *)data)[k]);
	fputs("0\n};\n", f);
}

/* data: of inputs and states, by kind and number. */
static void write_try(const struct building *b, FILE *f, const void *const *data[N_PART])
{
	const struct lt_export *x = b->export;
	bool any = false;

	fprintf(f, "#include \"%s.h\"\n#ifdef __AVR__\n#define TRY_FLASH __flash\n#else\n#define TRY_FLASH\n#endif\n",
		b->stem);
	for (int k = 0; k < N_PART; k++)
		for (int32_t i = 0; i < b->model.binding[parts[k].kind].n; i++) {
			const struct lt_export_member *m = &x->member[parts[k].kind][i];
			const size_t n = model_binding_bytes(&b->model.binding[parts[k].kind].at[i]);

			if (!m->name)
				continue;
			if (parts[k].kind != LT_BINDING_RESULT)
				write_given(b, f, &parts[k], i, data[k][i]);
			fprintf(f, "static %s try_%s[%zu];\n", lt__dtype_info(m->def->dtype)->ctype, m->name,
				n / lt__dtype_info(m->def->dtype)->bytes + (n == 0));
		}
	fprintf(f, "static void try_fill(void)\n{\n");
	for (int k = 0; k < N_PART; k += 2)
		for (int32_t i = 0; i < b->model.binding[parts[k].kind].n; i++) {
			const struct lt_export_member *m = &x->member[parts[k].kind][i];

			if (m->name)
				fprintf(f, "\tfor (uint32_t i = 0; i < %zuu; i++)\n\t\t((uint8_t *)try_%s)[i] = given_%c%d[i];\n",
					model_binding_bytes(&b->model.binding[parts[k].kind].at[i]), m->name, parts[k].letter, (int)i);
		}
	fprintf(f, "}\n");
	if (!x->o.static_workspace && x->bare_size.bytes)
		fprintf(f, "static uint64_t try_workspace[%lld];\n", (long long)(x->bare_size.bytes + 7) / 8);
	fprintf(f, "static int try_call(void)\n{\n\treturn %s(", b->name);
	for (int k = 0; k < N_PART; k++)
		for (int32_t i = 0; i < b->model.binding[parts[k].kind].n; i++)
			if (x->member[parts[k].kind][i].name) {
				fprintf(f, "%stry_%s", any ? ", " : "", x->member[parts[k].kind][i].name);
				any = true;
			}
	fprintf(f, "%s);\n}\n", x->o.static_workspace || !x->bare_size.bytes ? "" : any ? ", try_workspace" : "try_workspace");
	fprintf(f, "static void try_bytes(char, int, const void *, uint32_t);\nstatic void try_show(void)\n{\n");
	for (int k = 1; k < N_PART; k++)
		for (int32_t i = 0; i < b->model.binding[parts[k].kind].n; i++)
			if (x->member[parts[k].kind][i].name)
				fprintf(f, "\ttry_bytes('%c', %d, try_%s, %zu);\n", parts[k].letter, (int)i, x->member[parts[k].kind][i].name,
					model_binding_bytes(&b->model.binding[parts[k].kind].at[i]));
	fprintf(f, "}\n");
	for (size_t i = 0; i < sizeof harness_text / sizeof *harness_text; i++)
		fprintf(f, "%s\n", harness_text[i]);
}

static lt_status write_text(struct building *b, const char *path, const char *text, const void *const *data[N_PART])
{
	FILE *f = fopen(path, "we");

	if (f && text)
		fputs(text, f);
	else if (f)
		write_try(b, f, data);
	const bool bad = !f || ferror(f);

	if (bad || fclose(f) != 0)
		return lt_fail(b->ctx, LT_EIO, "%s cannot be written: name another folder in TMPDIR", path);
	return LT_OK;
}

/* --- what it takes --- */

/* Bytes of an object's sections that begin so. */
static lt_status section_size(struct building *b, const char *size, const char *path, const char *section, int64_t *out)
{
	struct build_command c = { .on = "what was compiled" };
	char said[16384];
	int status = 0;

	*out = 0;
	build_command_word(&c, size);
	build_command_word(&c, "-A");
	build_command_word(&c, path);
	const lt_status st = build_execute(b, &c, 0, &status, said, sizeof said);
	build_command_free(&c);
	LT_TRY(st);
	for (const char *line = said; line && !status; line = strchr(line, '\n')) {
		long long n;

		line += *line == '\n';
		if (!strncmp(line, section, strlen(section)) && sscanf(line, "%*s %lld", &n) == 1)
			*out += n;
	}
	return LT_OK;
}

/* text, data, bss of an object.  Where flash has addresses of its own, constants that are not placed there are data. */
static lt_status object_size(struct building *b, const char *object, int64_t out[3])
{
	char line[2 * BUILD_PATH], size[512], said[4096], path[BUILD_PATH];
	struct build_command c = { .on = "what was compiled" };
	long long n[3] = { 0 };
	int status = 0;

	snprintf(line, sizeof line, "%s -print-prog-name=size", b->target.cc);
	LT_TRY(build_ask(b, line, size, sizeof size));
	build_command_word(&c, size);
	build_command_word(&c, build_path(b, object, path, sizeof path));
	lt_status st = build_execute(b, &c, 0, &status, said, sizeof said);
	build_command_free(&c);
	LT_TRY(st);
	const char *second = strchr(said, '\n');
	if (status || !second || sscanf(second, "%lld %lld %lld", &n[0], &n[1], &n[2]) != 3)
		return lt_fail(b->ctx, LT_ECOMPILE, "%s does not say what %s takes", size, path);
	int64_t plain = 0;
	if (b->export->o.flash)
		LT_TRY(section_size(b, size, path, ".rodata", &plain));
	out[0] += n[0] - plain;
	out[1] += n[1] + plain;
	out[2] += n[2];
	return LT_OK;
}

/* Of memory that the caller gives. */
static int64_t tensor_bytes(const struct building *b)
{
	int64_t n = 0;

	for (int k = 0; k < N_PART; k++)
		for (int32_t i = 0; i < b->model.binding[parts[k].kind].n; i++)
			n += b->export->member[parts[k].kind][i].name ? (int64_t)model_binding_bytes(&b->model.binding[parts[k].kind].at[i])
				: 0;
	return n;
}

/* The largest constant, or tensor that a caller has: what to make smaller. */
static const char *largest_of(struct building *b, bool constants)
{
	const struct model_binding *most = NULL;
	const enum lt_binding all[] = { LT_BINDING_INPUT, LT_BINDING_RESULT, LT_BINDING_STATE, LT_BINDING_CONSTANT };

	for (size_t k = constants ? 3 : 0; k < (constants ? 4u : 3u); k++)
		for (int32_t i = 0; i < b->model.binding[all[k]].n; i++) {
			const struct model_binding *p = &b->model.binding[all[k]].at[i];

			if (!most || model_binding_bytes(p) > model_binding_bytes(most))
				most = p;
		}
	return most ? lt__scratch(b->ctx, " (the largest tensor of them is '%s', %zu bytes)", most->name,
		model_binding_bytes(most)) : "";
}

static int want_compare(const void *a, const void *b)
{
	const int64_t x = ((const struct build_want *)a)->bytes, y = ((const struct build_want *)b)->bytes;

	return (x < y) - (x > y);
}

/* LT_OK, or how much is missing, and what takes most: the largest comes first. */
static lt_status check_room(struct building *b, const char *memory, struct build_room *r)
{
	const struct build_chip *chip = build_chip_asked(b);
	char said[1024] = "";

	r->wanted = 0;
	for (int i = 0; i < r->n; i++)
		r->wanted += r->want[i].bytes;
	qsort(r->want, (size_t)r->n, sizeof *r->want, want_compare);
	if (!r->has || r->wanted <= r->has)
		return LT_OK;
	for (int i = 0; i < r->n && r->want[i].bytes; i++)
		snprintf(said + strlen(said), sizeof said - strlen(said), "%s %lld for %s%s", i ? "," : "",
			(long long)r->want[i].bytes, r->want[i].what, r->want[i].more);
	if (r->more)
		snprintf(said + strlen(said), sizeof said - strlen(said), "; to that %s", r->more);
	free(b->micro.refused);
	b->micro.refused = lt__must_format("%s has no room: %s%lld bytes of %s are wanted, %lld more than its %lld:%s",
		chip ? chip->name : b->target.model, r->more ? "at least " : "", (long long)r->wanted, memory,
		(long long)(r->wanted - r->has), (long long)r->has, said);
	return lt_fail(b->ctx, LT_EUNSUPPORTED, "%s", b->micro.refused);
}

/* code: bytes of the function without its constants, 0 before it is compiled. */
static lt_status check_flash(struct building *b, int64_t code)
{
	const struct build_chip *chip = build_chip_asked(b);

	b->micro.flash_room = (struct build_room){ .has = b->o.flash ? b->o.flash : chip ? chip->flash : 0, .n = 3,
		.more = code ? NULL : "comes the code of the function, which is not compiled yet", .want = {
		{ "constants", lt__export_constant_bytes(b->export), largest_of(b, true) },
		{ "the function", code, "" },
		{ "the sketch around it and its example", b->board ? b->board->flash + b->micro.tensors : 0, "" } } };
	return check_room(b, "flash", &b->micro.flash_room);
}

/* stack: bytes of a call, 0 before there was one. */
static lt_status check_ram(struct building *b, int64_t stack)
{
	const int64_t planned = b->export->bare_size.bytes, text = b->export->o.static_workspace ? planned : 0;
	const struct build_chip *chip = build_chip_asked(b);

	b->micro.ram_room = (struct build_room){ .has = b->o.ram ? b->o.ram : chip ? chip->ram : 0, .n = 5,
		.more = stack ? NULL : "comes the stack of a call, which is not run yet", .want = {
		{ "inputs, results and states", b->micro.tensors, largest_of(b, false) },
		{ "what lives between kernels and in them", planned, lt__export_bare_peak(b->export) },
		{ "other data of the function", b->micro.ram - text, "" },
		{ "the stack of a call", stack, "" },
		{ "the sketch around it", b->board ? b->board->ram : 0, "" } } };
	return check_room(b, "RAM", &b->micro.ram_room);
}

/* Compilers refuse arrays beyond that with words of their own. */
lt_status build_micro_check(struct building *b)
{
	b->micro.tensors = tensor_bytes(b);
	return check_flash(b, 0);
}

lt_status build_micro_size(struct building *b)
{
	struct build_micro *m = &b->micro;
	int64_t n[3] = { 0 };

	LT_TRY(object_size(b, ".o", n));
	if (lt__export_constant_bytes(b->export) > 0)
		LT_TRY(object_size(b, "_data.o", n));
	m->flash = n[0] + n[1];
	m->ram = n[1] + n[2];
	m->tensors = tensor_bytes(b);
	LT_TRY(check_flash(b, m->flash - lt__export_constant_bytes(b->export)));
	const struct build_chip *chip = build_chip_asked(b);
	m->predicted_unit = chip ? chip->unit : "";
	LT_TRY(build_predict(b, &m->work, &m->predicted));
	return check_ram(b, 0);
}

/* --- one run --- */

/* The words of `flags` but those that name a chip: a compiler takes one of these. */
static void leave_out_chip(char *flags)
{
	static const char names[] = "-mmcu=";

	for (char *at = flags; (at = strstr(at, names)); )
		memset(at, ' ', strcspn(at, " \t\n"));
}

/* A chip of another kind than that of what was compiled wants its own code. */
static bool other_chip(const struct build_chip *chip, const char *flags)
{
	return chip && strstr(chip->flags, "-mmcu=") && !strstr(flags, chip->flags);
}

/* What was compiled, and measured, is what is tried. */
static lt_status link_try(struct building *b, const struct build_chip *chip)
{
	struct build_command c = { .on = "what tries it" };
	static const char *const texts[] = { "_try.c", ".c", "_data.c" }, *const objects[] = { "_try.c", ".o", "_data.o" };
	char path[BUILD_PATH], flags[4096];

	build_command_words(&c, b->target.cc);
	LT_TRY(build_target_flags(b, flags, sizeof flags));
	const char *const *files = other_chip(chip, flags) ? texts : objects;
	if (chip)
		leave_out_chip(flags);
	build_command_words(&c, flags);
	if (chip)
		build_command_words(&c, chip->flags);
	build_command_word(&c, "-I");
	build_command_word(&c, b->place);
	for (int i = 0; i < 3; i++)
		if (i < 2 || lt__export_constant_bytes(b->export) > 0)
			build_command_word(&c, build_path(b, files[i], path, sizeof path));
	if (chip && !chip->ram) {
		LT_TRY(write_text(b, build_path(b, "_try.ld", path, sizeof path), script_text, NULL));
		build_command_word(&c, "-T");
		build_command_word(&c, path);
	}
	if (!b->o.integer)              /* functions of floats, such as tanhf */
		build_command_words(&c, chip && !chip->ram ? "-lm -lc" : "-lm");
	if (chip && !chip->ram)
		build_command_word(&c, "-lgcc");
	build_command_word(&c, "-o");
	c.makes = build_command_word(&c, build_path(b, ".elf", path, sizeof path));
	lt_status st = build_run(b, &c, 1);
	build_command_free(&c);
	return st;
}

static lt_status run_try(struct building *b, const struct build_chip *chip, char *said_path, size_t bytes)
{
	struct build_command c = { .on = "what tries it" };
	char path[BUILD_PATH], said[4096], serial[BUILD_PATH + 8];
	int status = 0;

	build_path(b, "_said.txt", said_path, bytes);
	build_path(b, ".elf", path, sizeof path);
	(void)unlink(said_path);
	if (chip && !chip->ram) {
		build_command_words(&c, b->o.emulator ? b->o.emulator : chip->emulator);
		build_command_words(&c, "-display none -monitor none -icount shift=6 -serial");
		snprintf(serial, sizeof serial, "file:%s", said_path);
		build_command_word(&c, serial);
		build_command_words(&c, "-semihosting-config enable=on,target=native -kernel");
		build_command_word(&c, path);
	} else {
		build_command_word(&c, "/bin/sh");
		build_command_word(&c, "-c");
		build_command_word(&c, "to=$1; shift; exec \"$@\" >\"$to\" 2>&1");
		build_command_word(&c, "sh");
		build_command_word(&c, said_path);
		build_command_words(&c, chip ? b->o.emulator ? b->o.emulator : chip->emulator : "");
		build_command_word(&c, path);
	}
	lt_status st = build_execute(b, &c, (uint32_t)(b->o.verify_seconds * 1000), &status, said, sizeof said);
	build_command_free(&c);
	LT_TRY(st);
	return status == 0 ? LT_OK : lt_fail(b->ctx, LT_EDEVICE, "the function is wrong: what tries it ended with exit code "
		"%d%s%-s", status, said[0] ? ", and said: " : "", said);
}

static int hex_digit(char c) { return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* "@time 0001f4;" */
static uint32_t read_word(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? (uint32_t)strtoul(at + strlen(name), NULL, 16) : 0;
}

/* The bytes of one tensor, in the order in which they were said. */
static bool read_bytes(const char *text, char letter, int32_t number, unsigned char *out, size_t n)
{
	char begin[16];
	size_t got = 0;

	snprintf(begin, sizeof begin, "@%c%04x ", letter, (unsigned)number);
	for (const char *at = text; (at = strstr(at, begin)); ) {
		at += strlen(begin);
		for (; hex_digit(at[0]) >= 0 && hex_digit(at[1]) >= 0 && got < n; at += 2)
			out[got++] = (unsigned char)(hex_digit(at[0]) << 4 | hex_digit(at[1]));
	}
	return got == n;
}

static lt_status read_said(struct building *b, const char *path, void *const *result, void *const *state)
{
	void *const *to[] = { NULL, result, state };
	struct lt_bytes file;
	lt_status st = LT_OK;

	LT_TRY(lt__bytes_read(b->ctx, path, &file));
	char *text = calloc(1, file.n + 1);
	if (text)
		memcpy(text, file.at, file.n);
	lt__bytes_free(&file);
	if (!text)
		return lt_fail(b->ctx, LT_ENOMEM, "out of memory");
	if (!strstr(text, "@end 0;"))
		st = lt_fail(b->ctx, LT_EDEVICE, "the function is wrong: what tries it did not come to its end (a fault of the "
			"processor, or the stack met the data)");
	else if (read_word(text, "@code "))
		st = lt_fail(b->ctx, LT_EDEVICE, "the function is wrong: it answered %u", (unsigned)read_word(text, "@code "));
	b->micro.time = read_word(text, "@time ");
	b->micro.stack = read_word(text, "@stack ");
	for (int k = 1; k < N_PART && !st; k++)
		for (int32_t i = 0; i < b->model.binding[parts[k].kind].n && !st; i++)
			if (b->export->member[parts[k].kind][i].name && !read_bytes(text, parts[k].letter, i, to[k][i],
					model_binding_bytes(&b->model.binding[parts[k].kind].at[i])))
				st = lt_fail(b->ctx, LT_EDEVICE, "the function is wrong: '%s' has fewer bytes than it should",
					b->model.binding[parts[k].kind].at[i].name);
	free(text);
	return st;
}

/* The first chip that has room for the tensors, too, and some stack; *out NULL: it is tried here. */
static lt_status find_chip(struct building *b, const struct build_chip **out)
{
	enum { STACK = 256, HARNESS = 2048, BOARD = 4 << 20 };          /* BOARD: as script_text has it */
	const int64_t ram = b->micro.ram + b->micro.tensors + STACK + (b->export->o.static_workspace ? 0
		: b->export->bare_size.bytes), flash = b->micro.flash + b->micro.tensors + HARNESS;
	const struct build_chip *last = NULL;

	*out = NULL;
	for (const struct build_chip *c = build_chip_asked(b); c && !*out; c = build_chip_next(b->target.model, c)) {
		last = c;
		if (ram <= (c->ram ? c->ram : BOARD) && flash <= (c->flash ? c->flash : BOARD))
			*out = c;
	}
	return *out || !last ? LT_OK : lt_fail(b->ctx, LT_EUNSUPPORTED, "the largest %s that is emulated has %lld bytes of "
		"RAM and %lld of flash, and what tries the function with its tensors takes %lld and %lld: --no-verify builds it "
		"untried",
		last->name, (long long)(last->ram ? last->ram : BOARD), (long long)(last->flash ? last->flash : BOARD),
		(long long)ram, (long long)flash);
}

lt_status build_micro_run(struct building *b, const void *const *input, void *const *state, void *const *result)
{
	const void *const *data[] = { input, NULL, (const void *const *)state };
	const struct build_chip *chip;
	char path[BUILD_PATH];

	LT_TRY(find_chip(b, &chip));
	if (chip)
		b->micro.unit = chip->unit;
	LT_TRY(write_text(b, build_path(b, "_try.c", path, sizeof path), NULL, data));
	LT_TRY(link_try(b, chip));
	LT_TRY(run_try(b, chip, path, sizeof path));
	LT_TRY(read_said(b, path, result, state));
	LT_TRY(check_ram(b, b->micro.stack));
	return b->board && !b->sketched ? build_sketch_write(b, input, (const void *const *)result) : LT_OK;
}

void build_micro_say(const struct building *b)
{
	const struct build_micro *m = &b->micro;
	const struct lt_fit_size *s = &b->export->bare_size;

	if (b->o.quiet)
		return;
	lt__say(stdout, "flash %lld bytes, %lld of them constants; RAM %lld, %lld of them planned%s; tensors of a call %lld\n",
		(long long)m->flash, (long long)lt__export_constant_bytes(b->export), (long long)m->ram, (long long)s->bytes,
		s->bytes == s->bound ? ", which is what lives at one time" : lt__scratch(b->ctx, ", where %lld live at one time%s",
		(long long)s->bound, s->exact ? ": there is no smaller plan" : ""), (long long)m->tensors);
	const char *predicted = m->predicted ? lt__scratch(b->ctx, "%lld %s", (long long)m->predicted, m->predicted_unit) : "";
	if (m->unit)
		lt__say(stdout, "a call takes %llu %s and %u bytes of stack%s%s%s\n", (unsigned long long)m->time, m->unit,
			(unsigned)m->stack, *predicted ? "; " : "", predicted, *predicted ? " were predicted" : "");
	else if (*predicted)
		lt__say(stdout, "a call takes about %s, as predicted\n", predicted);
	if (b->o.explain)
		build_say_work(stdout, &m->work);
}
