/* backends/cpu/cpu.h -- what the files of the backend share. */
#ifndef LT_CPU_H
#define LT_CPU_H
#include <stdbool.h>
#include "backends/cgen/cgen.h"
#include "backends/cpu/cache.h"

#define LT_CPU_VERSION "2"

/* model.c: targets by name */
struct lt_cpu_model {
	const char *name;               /* "avx2" */
	const char *machine;            /* as a compiler names it: "x86_64" */
	const char *flags[3];           /* what makes a compiler write for it; ends with NULL */
	bool (*runs)(void);             /* on this machine */
	struct lt_target target;        /* size 0: this machine's own */
};
uint32_t lt__cpu_model_count(void);
const struct lt_cpu_model *lt__cpu_model_at(uint32_t);
const struct lt_cpu_model *lt__cpu_model_find(const char *name, size_t bytes);         /* NULL: no such */
const char *lt__cpu_machine(void);                                                      /* this one */

/* config.c: the words behind "cpu:" */
struct lt_cpu_config {
	char level;                     /* of optimisation: '0' .. '3' */
	const struct lt_cpu_model *model;
	const char *source;             /* of source=PATH, within the config; NULL: none */
	size_t source_bytes;
};
lt_status lt__cpu_config(const char *config, struct lt_cpu_config *, struct lt_diag *);

enum lt_ability { LT_NOT_ASKED, LT_CANNOT, LT_CAN };

struct lt_session {
	struct lt_target target;
	struct lt_caps caps;
	struct lt_dialect dialect;
	const struct lt_cpu_model *model;
	bool runs;                      /* this machine runs the model's code */
	uint32_t n_thread, n_core;      /* of a run, and compilers at work; of this machine; never 0 */
	void (*progress)(void *user, int32_t done, int32_t total);
	void *user;
	char *cc, *cache_dir;           /* cache_dir NULL: none */
	char level;                     /* of optimisation: '0' .. '3' */
	char *identity;                 /* of compiler and processor; NULL: not asked yet */
	enum lt_ability openmp;         /* threads.c */
	char why_no_openmp[512];
	bool runtime_kept;
	struct lt_cpu_source *source;   /* source.c; NULL: kernels are printed */
};

/* target.c */
void lt__cpu_target(struct lt_target *);
uint32_t lt__cpu_cores(void);   /* that this process may use; never 0 */
/* What -march=native depends on; the caller's to free, NULL: no memory. */
char *lt__cpu_processor(void);

/* describe.c: facts of a session for people, lines "name value". */
void lt__cpu_describe(struct lt_session *, lt_write *, void *user);

/* command.c: running other programs */
struct lt_command {
	const char *const *argv;        /* ends with NULL; argv[0] is looked for as a shell would */
	char output[4096];              /* how its output and errors began, a string */
	int status;                     /* exit status; -1: could not be started, errno in `error`; 128 + signal */
	int error;
};
/* Runs n programs, at most `width` at a time, and waits for all; ended(user), if there is one, after each. */
void lt__cpu_run(struct lt_command *, uint32_t n, uint32_t width, void (*ended)(void *user), void *user);
/* "ccache gcc" as words, then room for `more` others.  One block, the caller's to free; NULL: no memory. */
const char **lt__cpu_words(const char *text, uint32_t more, uint32_t *n);

/* identity.c: which compiler and processor it is: what compiled code depends on beside its text. */
lt_status lt__cpu_identity(struct lt_session *, struct lt_diag *);     /* sets s->identity */

/* compile.c: texts to shared objects */
enum lt_cpu_product { LT_LIBRARY, LT_ASSEMBLY };
struct lt_job {
	const char *name;               /* for messages: of the kernel, or of what else it is */
	bool no_kernel;
	const char *source, *text;      /* C; canonical text of the tree, or NULL */
	bool threads;                   /* with OpenMP */
	enum lt_cpu_product product;
	void *handle;                   /* OUT: of a library, from dlopen */
	char *assembly;                 /* OUT: of an assembly, the caller's to free */
	bool cached;                    /* OUT: from the cache */
	char *key;                      /* of compile.c; NULL: no cache */
	size_t key_bytes;
};
/* All or nothing: on failure no handle is open. */
lt_status lt__cpu_compile(struct lt_session *, struct lt_job *, uint32_t n, struct lt_diag *);

/* threads.c: what kernels with parallel loops need of the compiler. */
/* Whether it can compile and link OpenMP; asked once, s->why_no_openmp says why not. */
bool lt__cpu_openmp(struct lt_session *);
/* After the first such kernel is loaded: its run-time library must outlive it, because its threads do. */
void lt__cpu_keep_runtime(struct lt_session *, void *handle);

/* source.c: C that the user edited in place of what is printed. */
/* "NAME_entry" and so on of each tree, found in the session's file; compiles it first if it has not been. */
lt_status lt__cpu_source_open(struct lt_session *, const char *path, size_t bytes, struct lt_diag *);
void lt__cpu_source_close(struct lt_session *);
lt_status lt__cpu_source_find(struct lt_session *, const struct lt_tree *, lt_kernel **, struct lt_cgen_need *, bool *cached, struct lt_diag *);
/* A kernel as such a file has it: definitions, then the line that source_find reads and the text.  Writes all, or says why not. */
lt_status lt__cpu_source_write(const struct lt_session *, const struct lt_tree *, lt_write *, void *user, struct lt_diag *);

/* cache.c */
/* How the key of an entry begins that is no kernel: it is not counted as one. */
#define LT_CPU_FACT "fact "
/* Looks key up and writes its code to the file `to`; false: not there, or damaged. */
bool lt__cpu_cache_get(const char *dir, const char *key, size_t bytes, const char *to);
/* The same as a string, the caller's to free; NULL: not there. */
char *lt__cpu_cache_read(const char *dir, const char *key, size_t bytes, size_t *n);
void lt__cpu_cache_write(const char *dir, const char *key, size_t bytes, const char *code, size_t n);
/* Keeps the code in file `from` under key.  A cache that cannot be written is no error. */
void lt__cpu_cache_put(const char *dir, const char *key, size_t bytes, const char *from);
lt_status lt__cpu_cache_make(const char *dir, struct lt_diag *);
/* A whole file, then a 0; NULL: not there, not readable, no memory. */
char *lt__cpu_read_file(const char *path, size_t *bytes);
#endif
