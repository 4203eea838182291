/* module.c -- a module of WebAssembly that was linked: it is looked at (it imports nothing), marked
 * as what it is, and packed with its weights, its JavaScript and types, as a folder or as one page. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "tools/build/build.h"
#include "tools/common/common.h"

enum { PAGE = 65536, MAX_PAGES = 65536, HEAD = 64 };

static const char *const model_text[] = {
#include "tools/build/module_text.h"
};
static const char *const types_text[] = {
#include "tools/build/module_types_text.h"
};
static const char *const run_text[] = {
#include "tools/build/module_run_text.h"
};
static const char *const npy_text[] = {
#include "tools/build/module_npy_text.h"
};
static const char *const page_text[] = {
#include "tools/build/module_page_text.h"
};
#define LINES(text) text, sizeof (text) / sizeof *(text)

static void write_lines(FILE *f, const char *const *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s\n", line[i]);
}

/* --- looked at, marked --- */

/* Where a module is read; bad: it is none. */
struct module_reader { const unsigned char *at, *end; bool bad; };

static uint64_t read_number(struct module_reader *r)
{
	uint64_t n = 0;

	for (int shift = 0; shift < 64; shift += 7) {
		if (r->at >= r->end)
			break;
		n |= (uint64_t)(*r->at & 127) << shift;
		if (!(*r->at++ & 128))
			return n;
	}
	r->bad = true;
	return 0;
}

/* The next n bytes; NULL: there are fewer. */
static const unsigned char *read_bytes(struct module_reader *r, uint64_t n)
{
	const unsigned char *at = r->at;

	r->bad = r->bad || n > (uint64_t)(r->end - r->at);
	if (r->bad)
		return NULL;
	r->at += n;
	return at;
}

/* What is imported is a function or the like that nothing gives. */
static lt_status look_at_imports(struct building *b, struct module_reader *r)
{
	const uint64_t n = read_number(r), n_from = n ? read_number(r) : 0;
	const unsigned char *from = read_bytes(r, n_from);
	const uint64_t n_name = n ? read_number(r) : 0;
	const unsigned char *name = read_bytes(r, n_name);

	return r->bad || !n ? LT_OK : lt_fail(b->ctx, LT_EUNSUPPORTED, "the module would import %.*s.%.*s, which no page "
		"gives%s", (int)n_from, (const char *)from, (int)n_name, (const char *)name, b->o.kernels
		? ": a kernel of one's own calls it, or what does; only the parts of the C library that compute are there" : "");
}

enum { IMPORTS = 2, MEMORIES = 5 };

/* pages, memory: of its memory, and where the section is that says so. */
static lt_status look_at_module(struct building *b, const struct lt_bytes *file, int64_t *pages,
	struct module_reader *memory)
{
	struct module_reader r = { file->at, file->at + file->n, file->n < 8 || memcmp(file->at, "\0asm\1\0\0", 8) != 0 };

	*pages = 0;
	(void)read_bytes(&r, 8);
	while (!r.bad && r.at < r.end) {
		const unsigned char *begin = r.at, *id = read_bytes(&r, 1);
		const uint64_t n = read_number(&r);
		struct module_reader section = { r.at, r.at, false };

		if (!read_bytes(&r, n))
			break;
		section.end = r.at;
		if (*id == IMPORTS)
			LT_TRY(look_at_imports(b, &section));
		if (*id == MEMORIES && read_number(&section) == 1) {
			(void)read_number(&section);            /* whether there is a largest size */
			*pages = (int64_t)read_number(&section);
			*memory = (struct module_reader){ begin, r.at, false };
		}
		r.bad = section.bad;
	}
	return r.bad || !*pages ? lt_fail(b->ctx, LT_ECOMPILE, "%s wrote no module of WebAssembly: name another compiler with "
		"--cc", b->target.cc) : LT_OK;
}

/* A number as modules have it. */
static size_t write_number(unsigned char *out, uint64_t n)
{
	size_t k = 0;

	do
		out[k++] = (unsigned char)((n & 127) | (n > 127 ? 128 : 0));
	while (n >>= 7);
	return k;
}

/* Bytes of a file are written; they and what is behind them say what failed. */
static lt_status file_end(struct building *b, FILE *f, const char *path)
{
	const bool bad = !f || ferror(f);

	return (f && fclose(f) != 0) || bad ? lt_fail(b->ctx, LT_EIO, "%s cannot be written: name another folder in TMPDIR",
		path) : LT_OK;
}

/* The module with a memory that has its first size for its largest one, so that it cannot grow under those who look at
 * it: linkers from 18 alone can do that. */
static lt_status fix_memory(struct building *b, const struct lt_bytes *file, const struct module_reader *memory)
{
	unsigned char limits[32] = { 1, 1 };            /* one memory, which has a largest size */
	char path[BUILD_PATH];
	size_t n = 2;

	n += write_number(limits + n, (uint64_t)b->module.pages);
	n += write_number(limits + n, (uint64_t)b->module.pages);
	FILE *f = fopen(build_path(b, ".wasm", path, sizeof path), "we");

	if (f) {
		fwrite(file->at, 1, (size_t)(memory->at - file->at), f);
		fputc(MEMORIES, f);
		fputc((int)n, f);
		fwrite(limits, 1, n, f);
		fwrite(memory->end, 1, (size_t)(file->at + file->n - memory->end), f);
	}
	return file_end(b, f, path);
}

/* A section that engines leave alone: which build it is. */
static lt_status mark_module(struct building *b)
{
	static const char name[] = "looptree";
	unsigned char head[16];
	char path[BUILD_PATH], text[512];
	const int n = snprintf(text, sizeof text, "{\"model\":\"%s\",\"version\":\"%s\",\"id\":\"%s\"}", b->name, LT_VERSION,
		b->module.id);
	FILE *f = fopen(build_path(b, ".wasm", path, sizeof path), "ae");

	if (f) {
		fputc(0, f);
		fwrite(head, 1, write_number(head, (uint64_t)n + sizeof name), f);
		fputc((int)sizeof name - 1, f);
		fprintf(f, "%s%s", name, text);
	}
	return file_end(b, f, path);
}

/* --- its weights --- */

/* As the module's function sum computes it (program/export/module.c); what is behind the last word is zeros. */
static uint64_t sum_of(const unsigned char *at, size_t bytes)
{
	const size_t n = (bytes + 7) / 8;
	uint64_t sum = (uint32_t)n;

	for (size_t i = 0; i < n; i++) {
		uint64_t word = 0;

		memcpy(&word, at + 8 * i, bytes - 8 * i < 8 ? bytes - 8 * i : 8);
		sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
		sum ^= sum >> 29;
	}
	return sum;
}

static void write_piece(void *file, const char *at, size_t bytes) { (void)fwrite(at, 1, bytes, file); }

/* A head of 64 bytes, and the constants. */
static lt_status write_weights(struct building *b, const struct lt_bytes *module)
{
	const int64_t bytes = lt__export_constant_bytes(b->export);
	char path[BUILD_PATH], head[HEAD] = "LTWEIGHT";
	uint64_t sum = 0;
	lt_status st = LT_OK;

	build_path(b, ".weights", path, sizeof path);
	if (bytes) {
		struct lt_bytes file;
		FILE *f = fopen(path, "we");

		if (f) {
			fwrite(head, 1, sizeof head, f);
			st = lt__export_write(b->export, LT_EXPORT_BYTES, write_piece, f);
		}
		st = st ? (void)fclose(f), st : file_end(b, f, path);
		st = st ? st : lt__bytes_map(b->ctx, path, &file);
		if (st)
			return st;
		sum = sum_of(file.at + HEAD, file.n - HEAD);
		lt__bytes_free(&file);
	}
	const XXH128_hash_t h = XXH3_128bits_withSeed(module->at, module->n, sum);
	snprintf(b->module.id, sizeof b->module.id, "%016llx%016llx", (unsigned long long)h.high64,
		(unsigned long long)h.low64);
	if (!bytes)
		return LT_OK;
	memcpy(head + 8, b->module.id, 32);
	for (int i = 0; i < 8; i++) {
		head[40 + i] = (char)((uint64_t)bytes >> 8 * i);
		head[48 + i] = (char)(sum >> 8 * i);
	}
	FILE *f = fopen(path, "r+e");
	if (f)
		fwrite(head, 1, sizeof head, f);
	return file_end(b, f, path);
}

/* --- what is around it --- */

/* The CRC-32 of IEEE 802.3, as zlib has it: one wrong bit, or 32 beside each other, are always found. */
static uint32_t crc32_of(const unsigned char *at, size_t n)
{
	uint32_t sum = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		sum ^= at[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum & 1 ? sum >> 1 ^ 0xedb88320 : sum >> 1;
	}
	return ~sum;
}

/* Of the module as it is written: marked. */
static lt_status sum_module(struct building *b)
{
	char path[BUILD_PATH];
	struct lt_bytes file;

	LT_TRY(lt__bytes_read(b->ctx, build_path(b, ".wasm", path, sizeof path), &file));
	b->module.bytes = file.n;
	b->module.sum = crc32_of(file.at, file.n);
	lt__bytes_free(&file);
	return LT_OK;
}

/* within: in a page, whose worker runs a script that is no module. */
static lt_status write_model(struct building *b, FILE *f, bool within)
{
	static const char exports[] = "export ", here[] = "const here = import.meta.url;";

	fprintf(f, "const table = {\n\t\"name\": \"%s\", \"version\": \"%s\", \"id\": \"%s\",\n"
		"\t\"pages\": %lld, \"relaxed\": %s, \"module\": { \"bytes\": %zu, \"crc32\": %u },\n", b->name, LT_VERSION,
		b->module.id, (long long)b->module.pages, b->o.relaxed ? "true" : "false", b->module.bytes, (unsigned)b->module.sum);
	LT_TRY(lt__export_write(b->export, LT_EXPORT_JSON, write_piece, f));
	fprintf(f, "};\n");
	for (size_t i = 0; i < sizeof model_text / sizeof *model_text; i++) {
		const char *line = model_text[i];

		if (within && !strncmp(line, exports, sizeof exports - 1))
			line += sizeof exports - 1;
		fprintf(f, "%s\n", within && !strcmp(line, here) ? "const here = location.href;" : line);
	}
	return LT_OK;
}

static void write_base64(struct building *b, FILE *f, const char *ending)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char path[BUILD_PATH];
	FILE *from = fopen(build_path(b, ending, path, sizeof path), "re");
	unsigned char in[3] = { 0 };

	for (size_t n; from && (n = fread(in, 1, 3, from)) > 0; memset(in, 0, 3)) {
		const char four[] = { digit[in[0] >> 2], digit[(in[0] & 3) << 4 | in[1] >> 4],
			n > 1 ? digit[(in[1] & 15) << 2 | in[2] >> 6] : '=', n > 2 ? digit[in[2] & 63] : '=' };

		fwrite(four, 1, 4, f);
	}
	if (from)
		fclose(from);
}

/* A line that begins with @ stands for what is put there. */
static lt_status write_page(struct building *b, FILE *f)
{
	for (size_t i = 0; i < sizeof page_text / sizeof *page_text; i++) {
		const char *line = page_text[i];

		if (!strcmp(line, "@model"))
			LT_TRY(write_model(b, f, true));
		else if (!strcmp(line, "@npy"))
			write_lines(f, LINES(npy_text));
		else if (!strcmp(line, "@module") || !strcmp(line, "@weights"))
			write_base64(b, f, line[1] == 'm' ? ".wasm" : ".weights");
		else if (!strcmp(line, "@title"))
			fprintf(f, "<title>%s</title>\n", b->name);
		else
			fprintf(f, "%s\n", line);
	}
	return LT_OK;
}

enum module_file { MODEL, TYPES, PACKAGE, RUN, PAGE_FILE };

static lt_status write_file(struct building *b, enum module_file which, const char *ending)
{
	char path[BUILD_PATH];
	const char *about = b->export->o.about;
	lt_status st = LT_OK;

	build_path(b, ending, path, sizeof path);
	if (which == PACKAGE)           /* of everything in its folder */
		snprintf(path, sizeof path, "%s/%s", b->place, ending);
	FILE *f = fopen(path, "we");
	if (!f)
		return file_end(b, f, path);
	switch (which) {
	case MODEL:
		fprintf(f, "/* %s */\n", about);
		st = write_model(b, f, false);
		break;
	case TYPES:
		fprintf(f, "/* %s */\n\n", about);
		st = lt__export_write(b->export, LT_EXPORT_TYPES, write_piece, f);
		write_lines(f, LINES(types_text));
		break;
	case PACKAGE:
		fprintf(f, "{ \"description\": \"%s: made by lt-build %s\",\n  \"name\": \"%s\", \"version\": \"%s\",\n"
			"  \"type\": \"module\", \"main\": \"%s.js\", \"types\": \"%s.d.ts\" }\n", b->name, LT_VERSION, b->module.package,
			LT_VERSION, b->name, b->name);
		break;
	case RUN:
		write_lines(f, LINES(npy_text));
		write_lines(f, LINES(run_text));
		break;
	case PAGE_FILE:
		st = write_page(b, f);
		break;
	}
	return st ? (void)fclose(f), st : file_end(b, f, path);
}

static lt_status too_large(const struct building *b, const char *what, int64_t bytes)
{
	return lt_fail(b->ctx, LT_EUNSUPPORTED, "%s has %lld bytes of memory, and no module has more than 4 GiB: make its "
		"tensors smaller, or build it for another target", what, (long long)bytes);
}

lt_status build_module_check(const struct building *b)
{
	const int64_t most = (int64_t)MAX_PAGES * PAGE;
	int64_t all = 0;

	for (int kind = 0; kind <= LT_BINDING_RESULT; kind++)
		for (int32_t i = 0; i < b->model.binding[kind].n; i++) {
			const struct model_binding *p = &b->model.binding[kind].at[i];
			const size_t bytes = model_binding_bytes(p);
			char text[512], what[640];

			snprintf(what, sizeof what, "%s %.60s, %s,", model_binding_kind((enum lt_binding)kind), p->name,
				model_binding_text(p, text, sizeof text));
			if (bytes > (size_t)most)
				return too_large(b, what, (int64_t)bytes);
			/* Constants may be folded into smaller ones. */
			all += kind == LT_BINDING_CONSTANT ? 0 : (int64_t)bytes;
			if (all > most)
				return too_large(b, "what runs read and write", all);
		}
	return LT_OK;
}

static lt_status check_room(struct building *b, int64_t pages)
{
	const int64_t weights = lt__export_constant_bytes(b->export), most = (int64_t)256 << 20;

	if (pages > MAX_PAGES)
		return too_large(b, "the module", pages * PAGE);
	if (b->format == BUILD_PAGE && weights > most)
		return lt_fail(b->ctx, LT_EUNSUPPORTED, "a page has %lld bytes of weights in it at most, and these are %lld: leave "
			"--single out, and name a folder", (long long)most, (long long)weights);
	return LT_OK;
}

lt_status build_module_pack(struct building *b)
{
	char path[BUILD_PATH];
	struct lt_bytes module;
	struct module_reader memory = { 0 };

	LT_TRY(lt__bytes_read(b->ctx, build_path(b, ".wasm", path, sizeof path), &module));
	lt_status st = look_at_module(b, &module, &b->module.pages, &memory);
	st = st ? st : check_room(b, b->module.pages);
	st = st ? st : write_weights(b, &module);
	st = st ? st : fix_memory(b, &module, &memory);
	lt__bytes_free(&module);
	LT_TRY(st);
	LT_TRY(mark_module(b));
	LT_TRY(sum_module(b));
	/* npm wants small letters. */
	for (size_t i = 0; b->name[i]; i++)
		b->module.package[i] = b->name[i] >= 'A' && b->name[i] <= 'Z' ? (char)(b->name[i] + 32) : b->name[i];
	LT_TRY(write_file(b, MODEL, ".js"));
	LT_TRY(write_file(b, TYPES, ".d.ts"));
	LT_TRY(write_file(b, PACKAGE, "package.json"));
	LT_TRY(write_file(b, RUN, "_run.mjs"));
	build_path(b, "_run.mjs", b->binary, sizeof b->binary);
	return b->format == BUILD_PAGE ? write_file(b, PAGE_FILE, ".html") : LT_OK;
}

void build_module_run(const struct building *b, struct build_command *c)
{
	char path[BUILD_PATH];

	if (b->o.relaxed)
		build_command_word(c, "--relaxed");
	build_command_word(c, build_path(b, ".js", path, sizeof path));
}
