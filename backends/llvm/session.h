/* session.h -- what the files of the backend share: sessions and objects. */
#ifndef LT_LLVM_SESSION_H
#define LT_LLVM_SESSION_H
#include "jit.h"
#include "lt/backend.h"
#include "lt/kernel.h"
#include "machine.h"

/* Workspace of the object and of each thread, in bytes; whether it has teams; whether its file is a shared object, of a
 * kernel of one's own. */
struct lt_llvm_need { int64_t shared, own; uint32_t align; bool parallel, library; };
/* level: 0 .. 3; verify: LLVM checks each module that it is given. */
struct lt_llvm_config {
	int level;
	bool verify;
	const struct lt_llvm_cpu *cpu;
	char *symbols;                  /* a folder (symbols.c), malloc; NULL: none */
};
struct lt_session {
	struct lt_caps caps;
	struct lt_llvm_host machine;
	struct lt_llvm_jit *jit;
	const struct lt_host *host;
	uint32_t n_thread;
	struct lt_llvm_config config;
};
struct lt_object {
	struct lt_session *s;
	const struct lt_tree *tree;
	struct lt_llvm_code *code;
	lt_llvm_kernel_fn *kernel;
	struct lt_llvm_need need;
	char *file; size_t bytes;       /* the object file */
	void *library;                  /* with symbols, or of a kernel of one's own: from dlopen, instead of code */
	const char *own;                /* that kernel's name; else NULL */
	bool loaded;                    /* and it was not made here */
};

static inline const char *name_of(const struct lt_tree *t) { return t->name ? t->name : "?"; }

/* config.c */
/* symbols: the caller's to free, on failure too */
extern const struct lt_array lt_llvm_options;           /* struct lt_option */
lt_status lt_llvm_configure(const char *config, struct lt_llvm_config *, struct lt_diag *);
/* compile.c
 * The kernel program of a tree, with what the printer knows; NULL of a kernel of one's own; LT_EUNSUPPORTED says what
 * it does not. */
lt_status lt_llvm_lower(const struct lt_session *, const struct lt_tree *, struct lt_kernel **, struct lt_diag *);
/* Whether there is one: what is accepted, compiles. */
lt_status lt_llvm_accepts(struct lt_session *, const struct lt_tree *, struct lt_diag *);
/* The module of a program, with all its passes behind it.  NULL: no memory, or why is a message of LLVM's,
 * LLVMDisposeMessage. */
LLVMModuleRef lt_llvm_make(
	const struct lt_session *, const struct lt_kernel *, LLVMTargetMachineRef, LLVMContextRef, char **why);
lt_status lt_llvm_compile(
	struct lt_session *, const struct lt_tree *const *, uint32_t n, struct lt_object **, struct lt_diag *);
struct lt_object *lt_llvm_new_object(struct lt_session *, const struct lt_tree *);
/* links a copy of the file */
lt_status lt_llvm_take(struct lt_object *, const void *file, size_t bytes, struct lt_diag *);
void lt_llvm_destroy(struct lt_object *);
/* symbols.c: the folder is there, and nobody else may write to it; a program's text in it; an object file as a library
 * there, loaded. */
lt_status lt_llvm_symbols_folder(const char *folder, struct lt_diag *);
bool lt_llvm_symbols_write(const char *folder, const struct lt_kernel *);
lt_status lt_llvm_symbols_load(struct lt_object *, const void *file, size_t bytes, struct lt_diag *);
/* own.c: kernels of one's own, which a C compiler makes shared objects of.  The file's bytes are the caller's to free;
 * why: a message of LLVM's, what the compiler says.  take: loads it. */
lt_status lt_llvm_own_build(const struct lt_session *, const struct lt_tree *, bool (*cancelled)(void *), void *user,
	char **file, size_t *bytes, char **why);
lt_status lt_llvm_own_take(struct lt_object *, const void *file, size_t bytes, struct lt_diag *);
/* The text. */
void lt_llvm_own_write(const struct lt_tree *, lt_write *, void *user);
/* run.c */
/* of a run for which the host says n; 0: the session's number */
uint32_t lt_llvm_threads(const struct lt_object *, uint32_t n);
void lt_llvm_workspace(const struct lt_object *, uint32_t n_thread, size_t *bytes, size_t *align);
lt_status lt_llvm_run(struct lt_object *, const struct lt_args *, struct lt_diag *);
lt_status lt_llvm_capture(struct lt_session *, struct lt_object *const *, const struct lt_args *, uint32_t n,
	struct lt_capture **, struct lt_diag *);
lt_status lt_llvm_replay(struct lt_capture *, struct lt_diag *);
void lt_llvm_capture_free(struct lt_capture *);
/* build.c: of this backend and of LLVM, as text, the same for the same code; false: that cannot be told. */
bool lt_llvm_build(char *to, size_t cap);
void lt_llvm_version(unsigned version[3]);
/* keep.c */
lt_status lt_llvm_identity(struct lt_session *, lt_write *, void *user, struct lt_diag *);
lt_status lt_llvm_save(const struct lt_object *, lt_write *, void *user, struct lt_diag *);
lt_status lt_llvm_load(struct lt_session *, const struct lt_tree *, const void *data, size_t bytes, struct lt_object **,
	struct lt_diag *);
/* dump.c */
lt_status lt_llvm_dump(const struct lt_object *, enum lt_dump, lt_write *, void *user);
void lt_llvm_describe(struct lt_session *, lt_write *, void *user);
#endif
