/* build.h -- the parts of lt-build: a model becomes a binary of its own, or C, and what was built is run and
 * judged.
 *
 * Everything is made in a temporary folder; what is right is copied to its place, so a wrong binary never appears under
 * its name.  Which tensors a model asks for, and where they come from, is tools/model's.
 */
#ifndef LT_TOOLS_BUILD_BUILD_H
#define LT_TOOLS_BUILD_BUILD_H
#include <pthread.h>
#include <string.h>
#include "backends/command/command.h"
#include "backends/cpu/cpu.h"
#include "program/export/export.h"
#include "tools/common/common.h"
#include "tools/model/model.h"
#include "tools/option/option.h"

/* options.c: the command line; everything points into argv. */
struct build_options {
	const char *model, *output, *format, *name, *data, *workspace, *target, *emit, *cc, *emulator, *schedule, *apply,
		*kernels, *keep, *report;
	struct lt_texts constant, weights, input, inputs, dim, fix;
	int64_t threads, verify_seconds, ram, flash;
	uint32_t cc_timeout_ms;
	bool main, debug, bare, integer, single, relaxed, overwrite, no_verify, allow_unbounded, no_passes, explain, quiet,
		verbose;
};
enum build_format { BUILD_EXE, BUILD_A, BUILD_SO, BUILD_C, BUILD_WASM, BUILD_PAGE };
#define BUILD_MODULE "wasm32"                   /* the target of the last two */
extern const struct lt_tool build_tool;
lt_status build_options_read(struct lt_context *, int argc, char **argv, struct build_options *, bool *done);
void build_options_free(struct build_options *);
const char *build_target_at(int i);             /* the targets by name; NULL after the last */

/* The target that has the numbers for the loops of "portable". */
#define BUILD_PORTABLE "sse2"
/* target.c: whom the code is for, and who compiles it. */
struct build_target {
	const char *model;              /* of the backend cpu; "portable" has the numbers of another one */
	bool portable, strict;          /* no flags for a processor; C99 alone */
	bool bare;                      /* a function for machines without an operating system (micro.c) */
	bool in_order;                  /* its compiler can leave the order of sums as it is */
	bool micro;                     /* one of them: a model whose texts are bare */
	bool module;                    /* of WebAssembly, for JavaScript (module.c) */
	char cc[512];
	char triple[128];               /* as the compiler names its machine; "": it does not say */
	bool native;                    /* this machine's kind */
	char emulator[1024];            /* what runs its programs, "": they run here, or nothing does */
};

enum { BUILD_PATH = 4608 };
/* What is behind the last '/' of a path. */
static inline const char *build_last_name(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}
/* A file of the place where everything is made, and where it goes. */
struct build_file { char path[BUILD_PATH], to[BUILD_PATH]; bool executable; };
enum { BUILD_MAX_FILES = 8 };

/* watch.c: from its beginning to its end, a signal that lt__interrupted tells of ends the process within a moment, and
 * the folder and what works in it are gone. */
struct build_watch { struct lt_folder folder; pthread_t thread; int end[2]; bool on; };
void build_watch_begin(struct build_watch *, const struct lt_folder *);
void build_watch_end(struct build_watch *);

/* What a memory of a microcontroller is wanted for, the largest first; more: how to know it.  has: its bytes, 0: any
 * number; more: what is not known yet and comes to that, as the rest of "to that"; NULL: nothing. */
enum { BUILD_WANTS = 5 };
struct build_want { const char *what; int64_t bytes; const char *more; };

/* Of a bare function: bytes of flash, of RAM by itself, of the tensors that a call is given; a call's time, as it is
 * predicted (0: it is not), and, in `unit`, as its last run had it, with its stack. */
struct build_micro {
	int64_t flash, ram, tensors, predicted;
	uint32_t time, stack;
	const char *unit, *predicted_unit;
	struct lt_walk_work work;
	struct build_room { int64_t wanted, has; struct build_want want[BUILD_WANTS]; int n; const char *more; } flash_room,
		ram_room;
	char *refused;                  /* the sentence of the one that is too small, malloc; NULL: there is room */
};

/* Of a module: which build it is; how its package is called; pages of its memory; its file's size and CRC-32. */
struct build_module { char id[33], package[256]; int64_t pages; size_t bytes; uint32_t sum; };

struct building {
	struct build_options o;
	const struct lt_board *board;        /* a sketch for it is made; NULL: none is */
	bool sketched;                  /* NAME.ino is there */
	char folder_made[2000];         /* of a sketch or a module: -o, without '/' at its end */
	enum build_format format;
	struct build_target target;
	char name[256];                 /* the function's */
	char stem[256];                 /* what the names of texts begin with */
	char base[4096];                /* -o without the ending of the format */
	struct lt_context *ctx;
	struct model model;
	struct lt_bytes schedule;
	struct lt_program *program;
	struct lt_phases phases;
	struct lt_export *export;
	struct lt_folder folder;
	struct build_watch watch;
	char place[4096 - 64];          /* where everything is made: the folder, or that of --keep */
	FILE *commands;                 /* of --keep: each command, as a shell reads it */
	struct build_file out[BUILD_MAX_FILES]; int n_out;
	char library[BUILD_PATH];       /* there, under the name that it will have */
	char binary[BUILD_PATH];              /* what is run to judge what was built */
	struct build_micro micro;
	struct build_module module;
	bool caught;                    /* signals are noted only, until the folder is removed */
	enum lt_exit verdict;
};

/* Whether --target names something, before anything else. */
lt_status build_target_check(struct building *);
lt_status build_target_find(struct building *);
/* The words after the compiler's name for the C of the function. */
lt_status build_target_flags(const struct building *, char *out, size_t bytes);

/* compile.c: the program, compiled to texts, and these in files; objects, and what is made of them; the binary that is
 * run to judge it. */
lt_status build_program(struct building *);
lt_status build_texts(struct building *);
lt_status build_compile(struct building *);
/* A path in that place. */
const char *build_path(const struct building *, const char *ending, char *out, size_t bytes);

/* process.c: commands of any length, word by word.  words: as a shell splits them at blanks, without quotes; word: one,
 * whatever is in it. */
struct build_command {
	const char *on;                 /* for messages: what it works on */
	const char *makes;              /* the file that is there when it has ended; NULL: none */
	char **word; size_t n_word, cap;        /* NULL behind the last */
	bool no_memory;
};
void build_command_words(struct build_command *, const char *words);
/* The word as it is kept, as long as the command; "": there is no memory. */
const char *build_command_word(struct build_command *, const char *word);
void build_command_free(struct build_command *);
/* All at once.  LT_ECOMPILE with what the first said that failed. */
lt_status build_run(struct building *, struct build_command *, int n);
/* What a command prints, without the end of its line.  LT_EMISSING: there is no such program; LT_ECOMPILE: it
 * failed. */
lt_status build_ask(struct building *, const char *words, char *out, size_t bytes);
/* One that may take so many milliseconds; *status: its exit status; output: how what it said began. */
lt_status build_execute(struct building *, struct build_command *, uint32_t ms, int *status, char *output, size_t
	bytes);

/* chip.c: a microcontroller of a model, the one that functions have to fit first.  flags: of its compiler; unit: of
 * time; ram, flash: bytes, 0: as many as wanted.  NULL: there is no other. */
struct build_chip { const char *model, *name, *flags, *emulator, *unit; int64_t ram, flash; };
const struct build_chip *build_chip_next(const char *model, const struct build_chip *last);
/* The one that has what --ram and --flash say: whose code is compiled.  NULL: the target is no microcontroller. */
const struct build_chip *build_chip_asked(const struct building *);
/* micro.c: what was compiled takes, and whether the chip has that; one run; what is said of both. */
lt_status build_micro_check(struct building *);         /* before it is compiled */
lt_status build_micro_size(struct building *);
lt_status build_micro_run(struct building *, const void *const *input, void *const *state, void *const *result);
void build_micro_say(const struct building *);

/* predict.c: what a call does, and what it should take, in its chip's unit; 0: nothing is known of the target, or of a
 * kernel. */
lt_status build_predict(const struct building *, struct lt_walk_work *, int64_t *time);
/* "48 load, 12 sum": what --explain says. */
void build_say_work(FILE *, const struct lt_walk_work *);

/* report.c: what a function takes of a microcontroller, as JSON, to --report; also where there is no room, but not
 * where it cannot be built for another reason. */
lt_status build_report_check(const struct building *);
lt_status build_report_write(struct building *);

/* sketch.c: whether the names of -o and --name may be those of a sketch. */
lt_status build_sketch_names(const struct building *);
/* NAME.ino, with the inputs and results of a run that was verified; NULL: there was none. */
lt_status build_sketch_write(struct building *, const void *const *input, const void *const *result);
/* module.c: tensors that no module has room for are refused before they are made; a module that was linked is looked
 * at, marked and packed; the words that its runner begins with. */
lt_status build_module_check(const struct building *);
lt_status build_module_pack(struct building *);
void build_module_run(const struct building *, struct build_command *);

/* verify.c: runs the binary and judges what it wrote.  The verdict says whether it may be kept. */
lt_status build_verify(struct building *);

/* names.c: why a function of C may not have that name: "is a word of C or C++"; NULL: it may. */
const char *build_name_taken(const char *name);
bool build_header_taken(const char *name);      /* "math" */
/* f: what a header calls its own, the name in capitals and _OK or another end, is a macro of another header. */
bool build_macro_taken(const char *name);
/* output.c: the format, the function's name, stem and base, by what -o, --format and --name say together. */
lt_status build_names(struct building *);
/* Whether what -o names can be written, and is none of the inputs; what was built, copied there. */
lt_status build_output_check(const struct building *);
lt_status build_output_write(struct building *);
/* Of a library: how a program is linked with it, and finds it. */
void build_output_say(const struct building *);
/* keep.c: the place of --keep, new or an earlier one's; a command that is run, for the list of them there. */
lt_status build_keep_begin(struct building *);
void build_keep_command(const struct building *, const struct build_command *);
#endif
