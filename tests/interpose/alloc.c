/* alloc.c -- the n-th allocation that the program itself asks for fails: preloaded (LD_PRELOAD), for
 * tests/alloc.sh.
 *
 * LT_FAIL_PROGRAM: the program's name; others, such as compilers, are left alone.  LT_FAIL_AT: which allocation fails,
 * from 1 on; 0: none. LT_FAIL_COUNT: a file that is reported how many there were.  An allocation is the program's if
 * the call stands in its own code: those that libraries make for themselves always succeed.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static const char *begin, *end;                 /* of the program's code; NULL: nothing fails */
static long count, fail_at;
static const char *count_file;

static int find_program(struct dl_phdr_info *info, size_t size, void *user)
{
	(void)size, (void)user;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			begin = (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			end = begin + info->dlpi_phdr[i].p_memsz;
		}
	return 1;                               /* the first is the program */
}

__attribute__((constructor)) static void start(void)
{
	const char *program = getenv("LT_FAIL_PROGRAM"), *at = getenv("LT_FAIL_AT");
	if (!program || strcmp(program, program_invocation_short_name) != 0)
		return;
	fail_at = at ? atol(at) : 0;
	count_file = getenv("LT_FAIL_COUNT");
	(void)dl_iterate_phdr(find_program, NULL);
}

__attribute__((destructor)) static void report_count(void)
{
	FILE *f = count_file && begin ? fopen(count_file, "w") : NULL;
	if (f) {
		(void)fprintf(f, "%ld\n", count);
		(void)fclose(f);
	}
}

static int fails(const void *caller)
{
	if (!begin || (const char *)caller < begin || (const char *)caller >= end
		|| __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) != fail_at)
		return 0;
	errno = ENOMEM;
	return 1;
}

#pragma GCC visibility push(default)
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

void *malloc(size_t bytes) { return fails(CALLER) ? NULL : __libc_malloc(bytes); }
void *calloc(size_t n, size_t bytes) { return fails(CALLER) ? NULL : __libc_calloc(n, bytes); }
void *realloc(void *at, size_t bytes) { return bytes && fails(CALLER) ? NULL : __libc_realloc(at, bytes); }
void *aligned_alloc(size_t align, size_t bytes) { return fails(CALLER) ? NULL : __libc_memalign(align, bytes); }

static char *copy(const char *text, size_t n)
{
	char *at = __libc_malloc(n + 1);
	if (at) {
		memcpy(at, text, n);
		at[n] = '\0';
	}
	return at;
}

char *strdup(const char *text) { return fails(CALLER) ? NULL : copy(text, strlen(text)); }
char *strndup(const char *text, size_t n) { return fails(CALLER) ? NULL : copy(text, strnlen(text, n)); }

int asprintf(char **out, const char *fmt, ...)
{
	va_list args;
	if (fails(CALLER))
		return -1;
	va_start(args, fmt);
	int n = vasprintf(out, fmt, args);
	va_end(args);
	return n;
}

FILE *open_memstream(char **at, size_t *bytes)
{
	FILE *(*real)(char **, size_t *) = NULL;
	if (fails(CALLER))
		return NULL;
	*(void **)&real = dlsym(RTLD_NEXT, "open_memstream");
	return real(at, bytes);
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *) = NULL;
	if (fails(CALLER))
		return NULL;
	*(void **)&real = dlsym(RTLD_NEXT, "fopen");
	return real(path, mode);
}

FILE *fdopen(int fd, const char *mode)
{
	FILE *(*real)(int, const char *) = NULL;
	if (fails(CALLER))
		return NULL;
	*(void **)&real = dlsym(RTLD_NEXT, "fdopen");
	return real(fd, mode);
}
