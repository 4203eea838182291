/* backends/cpu/cpu.h -- what the files of the backend share. */
#ifndef LT_CPU_H
#define LT_CPU_H
#include <stdbool.h>
#include "backends/cgen/cgen.h"
#include "backends/cpu/cache.h"

#define LT_CPU_VERSION "1"

struct lt_session {
	struct lt_target target;
	struct lt_caps caps;
	uint32_t n_thread;
	void (*progress)(void *user, int32_t done, int32_t total);
	void *user;
	char *cc, *cache_dir;           /* cache_dir NULL: none */
	char level;                     /* of optimisation: '0' .. '3' */
	char *identity;                 /* of compiler and processor; NULL: not asked yet */
};

/* target.c */
void lt__cpu_target(struct lt_target *);
/* What -march=native depends on; the caller's to free, NULL: no memory. */
char *lt__cpu_processor(void);

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

/* compile.c: texts to shared objects */
struct lt_job {
	const char *name;               /* of the kernel, for messages */
	const char *source, *text;      /* C; canonical text of the tree, or NULL */
	void *handle;                   /* OUT: from dlopen */
	bool cached;                    /* OUT: from the cache */
	char *key;                      /* of compile.c; NULL: no cache */
	size_t key_bytes;
};
/* All or nothing: on failure no handle is open. */
lt_status lt__cpu_compile(struct lt_session *, struct lt_job *, uint32_t n, struct lt_diag *);

/* cache.c */
/* Looks key up and writes its code to the file `to`; false: not there, or damaged. */
bool lt__cpu_cache_get(const char *dir, const char *key, size_t bytes, const char *to);
/* Keeps the code in file `from` under key.  A cache that cannot be written is no error. */
void lt__cpu_cache_put(const char *dir, const char *key, size_t bytes, const char *from);
lt_status lt__cpu_cache_make(const char *dir, struct lt_diag *);
#endif
