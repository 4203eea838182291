/* cpu.h -- what the files of the backend share. */
#ifndef LT_CPU_H
#define LT_CPU_H
#include <stdbool.h>
#include <stdio.h>
#include "lt/backend.h"
#include "backends/backends.h"
#include "backends/command/command.h"

#define LT_CPU_VERSION "3"
#define LT_CPU_ENTRY "lt_kernel"        /* the function of a compiled text that takes slots */

enum {
	LT_CPU_NEEDS =
		LT_NEED_PARAMS | LT_NEED_DIVS | LT_NEED_GATHER | LT_NEED_PIECES | LT_NEED_GUARDED | LT_NEED_COMBINE
		| LT_NEED_TILE | LT_NEED_OWN
};

/* Who runs a kernel's parallel loops: lt_host.parallel_for with the threads of this run.  The text has it, too. */
struct lt_team {
	void (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,
		void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);
	const struct lt_host *host;
	uint32_t n_thread;
};
/* That function.  Thread i has its part of the workspace at shared + i * private_. */
typedef void lt_cpu_entry(const struct lt_slot *, void *workspace, struct lt_fault *, const struct lt_team *);

/* What a printed kernel needs to run. */
struct lt_cpu_need {
	int64_t shared, private_;       /* bytes of workspace, multiples of 64: once, and for each thread behind that */
	bool threads;                   /* it has parallel loops: it calls its team */
	size_t definitions;             /* bytes of the text before the kernel: what other kernels may define, too */
	size_t own;                     /* of a kernel of one's own: up to where the user's definitions go; 0: none */
};

/* model.c: targets by name */
struct lt_cpu_model {
	const char *name;               /* "avx2" */
	const char *machine;            /* as a compiler names it: "x86_64" */
	const char *flags[6];           /* what makes a compiler write for it; ends with NULL */
	bool (*runs)(void);             /* on this machine */
	struct lt_target target;        /* size 0: this machine's own */
	/* A microcontroller: its texts are bare C99.  int_bits: of an int, 0: it is none; flash: what says that a constant is
	 * read where the program is, not in RAM; NULL: that is the same to a program */
	uint8_t int_bits;
	const char *flash;
	bool avr_libc;                  /* its C library is that, which has neither rint nor erf, and a double of 32 bits */
};
uint32_t lt__cpu_model_count(void);
const struct lt_cpu_model *lt__cpu_model_at(uint32_t);
const struct lt_cpu_model *lt__cpu_model_find(const char *name, size_t bytes);         /* NULL: no such */
const char *lt__cpu_machine(void);                                                      /* this one */

/* emit.c: the dialect that is printed */
enum lt_cpu_emit { LT_CPU_C, LT_CPU_C99, LT_CPU_BARE, LT_CPU_NEMIT };
const char *lt__cpu_emit_name(enum lt_cpu_emit);
bool lt__cpu_emit_find(const char *name, size_t bytes, enum lt_cpu_emit *);     /* false: no such */

/* config.c: the words after "cpu:" */
struct lt_cpu_config {
	char level;                     /* of optimisation: '0' .. '3' */
	const struct lt_cpu_model *model;
	enum lt_cpu_emit emit;
	const char *source;             /* of source=PATH, within the config; NULL: none */
	size_t source_bytes;
	const char *symbols;            /* of symbols=FOLDER, the same */
	size_t symbols_bytes;
};
extern const struct lt_array lt__cpu_options;           /* struct lt_option */
lt_status lt__cpu_config(const char *config, struct lt_cpu_config *, struct lt_diag *);

struct lt_session {
	struct lt_target target;
	struct lt_caps caps;
	const struct lt_cpu_model *model;
	bool runs;                      /* this machine runs the model's code */
	int vector_library;             /* whose functions over vectors its code may call (target.c) */
	uint32_t n_thread, n_core;      /* of a run, and compilers at work; of this machine; never 0 */
	const struct lt_host *host;     /* never NULL: one with nothing in it */
	void (*progress)(void *user, int32_t done, int32_t total);
	void *user;
	char *cc, *temp_dir;            /* temp_dir NULL: /tmp */
	uint32_t cc_timeout_ms;         /* 0: LT_CC_TIMEOUT_MS */
	bool late;                      /* the compiler has not come to an end: it is not tried again */
	bool text_only;                 /* nothing is compiled, for nothing will be run */
	char level;                     /* of optimisation: '0' .. '3' */
	enum lt_cpu_emit emit;
	char *identity;                 /* of compiler and processor; NULL: not asked yet */
	/* kernels' texts and objects are made there, with symbols and lines, and stay; NULL: they are temporary */
	char *symbols;
	struct lt_cpu_source *source;   /* source.c; NULL: kernels are printed */
};

/* target.c */
void lt__cpu_target(struct lt_target *);
/* What -march=native depends on; the caller's to free, NULL: no memory. */
char *lt__cpu_processor(void);

/* describe.c: facts of a session for people, lines "name value". */
void lt__cpu_describe(struct lt_session *, lt_write *, void *user);

/* session.c.  lt__command_run for a session: as long as its host wants, in a folder of their own.  An error where they
 * could not run to their end. */
lt_status lt__cpu_run(struct lt_session *, struct lt_command *, uint32_t n, const struct lt_folder *,
	void (*ended)(void *user), void *user, struct lt_diag *);
/* The session's folder for symbols is there, and nobody else may put code in it. */
lt_status lt__cpu_symbols(const struct lt_session *, struct lt_diag *);
/* A folder for temporary files; says why there is none. */
lt_status lt__cpu_folder(const struct lt_session *, struct lt_folder *, struct lt_diag *);
/* What a sentence about a folder that is full or must not hold code continues with: the folder is named in it. */
#define LT_CPU_OTHER_FOLDER "free some space there, or name another folder for temporary files in TMPDIR"
/* Why a file in the folder may have failed, with the remedy; NULL: the folder is not the cause.  message: the text
 * about it, or NULL. */
const char *lt__cpu_folder_fault(const struct lt_folder *, const char *message, char *out, size_t bytes);
/* "out of memory", to the one that listens. */
lt_status lt__cpu_no_memory(struct lt_diag *);

/* identity.c: which compiler and processor it is: what compiled code depends on besides its text. */
lt_status lt__cpu_identity(struct lt_session *, struct lt_diag *);     /* sets s->identity */
/* Facts that the host keeps, as strings.  *text NULL: it does not have it; the caller's to free. */
lt_status lt__cpu_recall(const struct lt_session *, const char *key, char **text, struct lt_diag *);
void lt__cpu_keep(const struct lt_session *, const char *key, const char *text);

/* compile.c: texts to shared objects */
enum lt_cpu_product { LT_LIBRARY, LT_ASSEMBLY };
struct lt_cpu_job {
	const char *name;               /* for messages: of the kernel, or of what else it is */
	bool no_kernel;
	const char *source;             /* C */
	enum lt_cpu_product product;
	bool keep;                      /* a library's bytes are wanted, too */
	void *handle;                   /* OUT: of a library, from dlopen */
	char *code; size_t code_bytes;  /* OUT: if wanted, the caller's to free */
	char *assembly;                 /* OUT: of an assembly, the caller's to free */
};
/* All or nothing: on failure no handle is open. */
lt_status lt__cpu_compile(struct lt_session *, struct lt_cpu_job *, uint32_t n, struct lt_diag *);
/* The flags of a library, one after the other with spaces before them. */
void lt__cpu_flags(const struct lt_session *, FILE *);
/* The same without what makes it a library; machine: with what makes the compiler write for the session's target. */
void lt__cpu_code_flags(const struct lt_session *, bool machine, FILE *);
/* A whole file, then a 0; NULL: not there, not readable, no memory. */
char *lt__cpu_read_file(const char *path, size_t *bytes);

/* save.c: objects as bytes, and back. */
lt_status lt__cpu_session_identity(struct lt_session *, lt_write *, void *user, struct lt_diag *);
lt_status lt__cpu_save(const struct lt_object *, lt_write *, void *user, struct lt_diag *);
lt_status lt__cpu_load(struct lt_session *, const struct lt_tree *, const void *data, size_t bytes, struct lt_object **,
	struct lt_diag *);

/* emit.c.  What a text is for: to be compiled; for people; to be compiled where the compiler's headers may not be. */
enum lt_cpu_text { LT_CPU_TEXT_COMPILED, LT_CPU_TEXT_PEOPLE, LT_CPU_TEXT_ALONE };
lt_status lt__cpu_accepts(struct lt_session *, const struct lt_tree *, struct lt_diag *);
/* *text: the caller's to free().  The function that takes slots is LT_CPU_ENTRY, or else NAME_entry of kernel NAME. */
lt_status lt__cpu_print(const struct lt_session *, const struct lt_tree *, enum lt_cpu_text, char **text,
	struct lt_cpu_need *, struct lt_diag *);
/* The kernel program. */
lt_status lt__cpu_print_kernel(
	const struct lt_session *, const struct lt_tree *, lt_write *, void *user, struct lt_diag *);
/* What was decided, of the same. */
lt_status lt__cpu_explain(const struct lt_session *, const struct lt_tree *, lt_write *, void *user);

/* capture.c */
lt_status lt__cpu_capture(struct lt_session *, struct lt_object *const *, const struct lt_args *, uint32_t n,
	struct lt_capture **, struct lt_diag *);
lt_status lt__cpu_replay(struct lt_capture *, struct lt_diag *);
void lt__cpu_capture_free(struct lt_capture *);

/* source.c: C that the user edited in place of what is printed. */
/* "NAME_entry" and so on of each tree, found in the session's file; compiles it first if it has not been. */
lt_status lt__cpu_source_open(struct lt_session *, const char *path, size_t bytes, struct lt_diag *);
void lt__cpu_source_close(struct lt_session *);
lt_status lt__cpu_source_find(
	struct lt_session *, const struct lt_tree *, lt_cpu_entry **, struct lt_cpu_need *, struct lt_diag *);
/* A kernel as such a file has it: definitions, then the line that source_find reads and the text.  Writes all, or says
 * why not. */
lt_status lt__cpu_source_write(
	const struct lt_session *, const struct lt_tree *, lt_write *, void *user, struct lt_diag *);
#endif
