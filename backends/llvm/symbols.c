/* symbols.c -- symbols=FOLDER: a kernel's program stands there as text, its functions have the kernel's
 * name and each instruction its line of that text, and its code is a shared object beside it, which the loader loads:
 * debuggers and profilers find both as those of any library. */
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <llvm-c/DebugInfo.h>
#include "diagnostic.h"
#include "print.h"
#include "session.h"

enum { PATH_BYTES = 4096, MAX_WORDS = 64 };
extern char **environ;

struct lt_llvm_lines { LLVMDIBuilderRef d; LLVMMetadataRef file, type, function; };

static void symbols_flag(LLVMModuleRef m, LLVMContextRef c, const char *name, unsigned value)
{
	LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(c), value, 0);
	LLVMAddModuleFlag(m, LLVMModuleFlagBehaviorWarning, name, strlen(name), LLVMValueAsMetadata(number));
}

void lt_llvm_lines_begin(struct printing *p, const char *folder)
{
	static const char maker[] = "looptree";
	char name[300];
	struct lt_llvm_lines *l = p->lines = folder ? calloc(1, sizeof *l) : NULL;
	if (!l)
		return;
	(void)snprintf(name, sizeof name, "%s.kernel", p->k->name);
	symbols_flag(p->e.m, p->e.c, "Debug Info Version", LLVMDebugMetadataVersion());
	symbols_flag(p->e.m, p->e.c, "Dwarf Version", 4);
	l->d = LLVMCreateDIBuilder(p->e.m);
	l->file = LLVMDIBuilderCreateFile(l->d, name, strlen(name), folder, strlen(folder));
	(void)LLVMDIBuilderCreateCompileUnit(l->d, LLVMDWARFSourceLanguageC, l->file, maker, sizeof maker - 1, 1, "", 0, 0, "",
		0, LLVMDWARFEmissionLineTablesOnly, 0, 0, 0, "", 0, "", 0);
	l->type = LLVMDIBuilderCreateSubroutineType(l->d, l->file, NULL, 0, LLVMDIFlagZero);
}

/* The function in hand is the region's, whose first line is that of its first instruction. */
void lt_llvm_lines_region(struct printing *p, int32_t region)
{
	const struct lt_region *r = &p->k->regions[region];
	char name[300];
	if (!p->lines)
		return;
	const int n = snprintf(name, sizeof name, region ? "%s_%d" : "%s", p->k->name, (int)region);
	const unsigned line = r->n > 0 ? (unsigned)lt_kernel_line(p->k, r->first) : 1;
	LLVMSetValueName2(p->fn, name, (size_t)n);
	p->lines->function = LLVMDIBuilderCreateFunction(p->lines->d, p->lines->file, name, (size_t)n, name, (size_t)n,
		p->lines->file, line, p->lines->type, 1, 1, line, LLVMDIFlagZero, 1);
	LLVMSetSubprogram(p->fn, p->lines->function);
}

void lt_llvm_lines_at(struct printing *p, int32_t instruction)
{
	if (p->lines)
		LLVMSetCurrentDebugLocation2(p->e.b, LLVMDIBuilderCreateDebugLocation(p->e.c,
			(unsigned)lt_kernel_line(p->k, instruction), 0, p->lines->function, NULL));
}

void lt_llvm_lines_leave(struct printing *p)
{
	if (p->lines)
		LLVMSetCurrentDebugLocation2(p->e.b, NULL);
}

void lt_llvm_lines_end(struct printing *p)
{
	if (!p->lines)
		return;
	LLVMDIBuilderFinalize(p->lines->d);
	LLVMDisposeDIBuilder(p->lines->d);
	free(p->lines);
	p->lines = NULL;
}

/* -- files -- */

lt_status lt_llvm_symbols_folder(const char *folder, struct lt_diag *diag)
{
	struct stat st;
	if (folder[0] != '/')
		return lt_llvm_report(diag, LT_EINVAL, -1, -1, "write its whole path", "symbols=%s does not begin with a '/'",
			folder);
	if ((mkdir(folder, 0700) != 0 && errno != EEXIST) || stat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
		return lt_llvm_report(diag, LT_EIO, -1, -1, "name a folder that you may write to",
			"the folder for symbols, '%s', cannot be made", folder);
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWOTH | S_IWGRP)))
		return lt_llvm_report(diag, LT_EIO, -1, -1, "name a folder of your own",
			"others may write to the folder for symbols, '%s', and replace what is compiled there", folder);
	return LT_OK;
}

static void symbols_text(void *file, const char *text, size_t bytes) { (void)fwrite(text, 1, bytes, file); }

bool lt_llvm_symbols_write(const char *folder, const struct lt_kernel *k)
{
	char path[PATH_BYTES];
	(void)snprintf(path, sizeof path, "%s/%s.kernel", folder, k->name);
	FILE *f = fopen(path, "we");
	if (f)
		lt_kernel_print(k, symbols_text, f);
	return f && fclose(f) == 0;
}

static bool symbols_object(const char *path, const void *file, size_t bytes)
{
	FILE *f = fopen(path, "we");
	bool good = f && fwrite(file, 1, bytes, f) == bytes;
	return f && fclose(f) == 0 && good;
}

/* The C compiler's command, which may be several words, as a linker. */
static bool symbols_link(const struct lt_session *s, const char *object, const char *library)
{
	const char *cc = LT_HAS(struct lt_host, s->host, cc) ? s->host->cc : "cc";
	char *words = strdup(cc), *rest = NULL, *argv[MAX_WORDS + 8];
	const char *const end[] = { "-shared", "-nostartfiles", "-o", library, object, "-lm",
		s->machine.machine.vector_library > 0 ? "-lmvec" : NULL, NULL };
	int n = 0, code = -1;
	pid_t child;
	for (char *word = words ? strtok_r(words, " \t", &rest) : NULL; word && n < MAX_WORDS;
		word = strtok_r(NULL, " \t", &rest))
		argv[n++] = word;
	memcpy(argv + n, end, sizeof end);
	if (n > 0 && posix_spawnp(&child, argv[0], NULL, NULL, argv, environ) == 0)
		while (waitpid(child, &code, 0) < 0 && errno == EINTR)
			continue;
	free(words);
	return code == 0;
}

lt_status lt_llvm_symbols_load(struct lt_object *o, const void *file, size_t bytes, struct lt_diag *diag)
{
	const char *folder = o->s->config.symbols, *name = name_of(o->tree);
	char object[PATH_BYTES], library[PATH_BYTES];
	(void)snprintf(object, sizeof object, "%s/%s.o", folder, name);
	(void)snprintf(library, sizeof library, "%s/%s.so", folder, name);
	(void)unlink(library);          /* who runs an older one keeps it */
	bool good = symbols_object(object, file, bytes) && symbols_link(o->s, object, library);
	(void)unlink(object);
	if (!good)
		return lt_llvm_report(diag, LT_ECOMPILE, -1, -1, "give another compiler with --cc, or leave out symbols=",
			"kernel %s: '%s' cannot be linked; symbols=FOLDER needs a C compiler for that", name, library);
	o->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	void *at = o->library ? dlsym(o->library, "lt_kernel") : NULL;
	memcpy(&o->kernel, &at, sizeof at);     /* ISO C has no conversion from dlsym's pointer */
	return at ? LT_OK : lt_llvm_report(diag, LT_ELOAD, -1, -1, NULL, "kernel %s: %s", name, dlerror());
}
