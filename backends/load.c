/* load.c -- loads a backend from a shared object. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backends/backends.h"

/* A path without a slash is that file, not a name to look for in the system's library folders. */
static char *with_slash(const char *path)
{
	char *file = malloc(strlen(path) + 3);
	if (file)
		(void)sprintf(file, "%s%s", strchr(path, '/') ? "" : "./", path);
	return file;
}

/* The part of the file that is constants, where LT_BACKEND's mark is: a plug-in may hold a library of 50 MB, most of it
 * code.  The whole file, if it does not say. */
static void find_constants(const unsigned char *at, size_t bytes, size_t *first, size_t *n)
{
	ElfW(Ehdr) head;
	ElfW(Shdr) part, names;
	*first = 0;
	*n = bytes;
	if (bytes < sizeof head)
		return;
	memcpy(&head, at, sizeof head);
	if (head.e_shentsize != sizeof part || head.e_shoff > bytes || head.e_shnum > (bytes - head.e_shoff) / sizeof part
		|| head.e_shstrndx >= head.e_shnum)
		return;
	memcpy(&names, at + head.e_shoff + head.e_shstrndx * sizeof names, sizeof names);
	for (size_t i = 0; i < head.e_shnum; i++) {
		memcpy(&part, at + head.e_shoff + i * sizeof part, sizeof part);
		const size_t name = names.sh_offset + part.sh_name;
		if (part.sh_type == SHT_PROGBITS && name < bytes && bytes - name > sizeof ".rodata"
			&& memcmp(at + name, ".rodata", sizeof ".rodata") == 0 && part.sh_offset < bytes
			&& part.sh_size <= bytes - part.sh_offset) {
			*first = part.sh_offset;
			*n = part.sh_size;
		}
	}
}

/* Where the mark is.  It is aligned as its number, so only each fourth byte is looked at. */
static const unsigned char *find_mark(const unsigned char *at, size_t n)
{
	static const char text[20] = LT_BACKEND_MARK;
	uint64_t begin, here;
	memcpy(&begin, text, sizeof begin);
	for (size_t i = 0; i + sizeof(struct lt_backend_mark) <= n; i += sizeof(uint32_t)) {
		memcpy(&here, at + i, sizeof here);
		if (here == begin && memcmp(at + i, text, sizeof text) == 0)
			return at + i;
	}
	return NULL;
}

/* The LT_BUILD that LT_BACKEND has left in the file; that of this library if there is none, or the file cannot be read,
 * which dlopen will say. */
static uint32_t build_of(const char *file, size_t bytes)
{
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	void *data = fd < 0 || bytes == 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	struct lt_backend_mark mark = { LT_BACKEND_MARK, LT_BUILD };
	const unsigned char *at = NULL, *all = data == MAP_FAILED ? NULL : data;
	if (all) {
		size_t first, n;
		find_constants(all, bytes, &first, &n);
		at = first % sizeof(uint32_t) == 0 ? find_mark(all + first, n) : NULL;
		at = at ? at : memmem(all, bytes, mark.text, sizeof mark.text);
	}
	if (at && bytes - (size_t)(at - all) >= sizeof mark)
		memcpy(&mark, at, sizeof mark);
	if (all)
		(void)munmap(data, bytes);
	if (fd >= 0)
		(void)close(fd);
	return mark.build;
}

/* Whether the file begins as a shared object does; one that cannot be read is left to dlopen, which says why. */
static bool is_library(const char *file)
{
	char head[4];
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);
	if (fd >= 0)
		(void)close(fd);
	return n < 0 || (n == sizeof head && memcmp(head, "\177ELF", sizeof head) == 0);
}

static uint64_t farther(uint64_t end, uint64_t offset, uint64_t bytes)
{
	const uint64_t last = bytes > UINT64_MAX - offset ? UINT64_MAX : offset + bytes;
	return bytes && last > end ? last : end;
}

/* How long the file says that it is: to the end of its program headers, of what they load, and of its section table,
 * which stands last.  0: it does not say; dlopen knows why.  What a file that was cut short no longer has is mapped
 * all the same, and whoever reads it there gets a bus error, the loader included. */
static uint64_t expected_length(int fd, uint64_t bytes)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) part;
	if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head
		|| head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) || head.e_phentsize != sizeof part)
		return 0;
	uint64_t end = farther(0, head.e_phoff, head.e_phnum * (uint64_t)sizeof part);
	end = farther(end, head.e_shoff, head.e_shnum * (uint64_t)head.e_shentsize);
	for (uint64_t i = 0, at = head.e_phoff; i < head.e_phnum && at < bytes; i++, at += sizeof part)
		if (pread(fd, &part, sizeof part, (off_t)at) == (ssize_t)sizeof part && part.p_type != PT_NULL)
			end = farther(end, part.p_offset, part.p_filesz);
	return end;
}

static lt_status check_length(const char *file, uint64_t bytes, const char *path, struct lt_diag *diag)
{
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	const uint64_t told = fd < 0 ? 0 : expected_length(fd, bytes);
	if (fd >= 0)
		(void)close(fd);
	return told <= bytes ? LT_OK
		: lt__report(diag, LT_ELOAD, -1, -1, "copy it, or make it, again",
			"%s: cannot be loaded: truncated: %llu of %llu bytes", path, (unsigned long long)bytes,
			(unsigned long long)told);
}

struct before { const struct lt_backend *const *at; uint32_t n; };

static bool yields(const struct lt_backend *b, const char *path, const struct before *before)
{
	bool same = false;
	if (before->n > 0 && lt__backend_check(b, path, NULL) == LT_OK)
		for (uint32_t i = 0; i < before->n && !same; i++)
			same = strcmp(before->at[i]->name, b->name) == 0;
	return same;
}

static lt_status load(const char *path, const char *file, const struct before *before, struct lt_diag *diag)
{
	struct stat st;
	if (stat(file, &st) != 0)
		return lt__report(diag, LT_ELOAD, -1, -1, NULL, "%s: cannot be loaded: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return lt__report(diag, LT_ELOAD, -1, -1, NULL, "%s: cannot be loaded: it is %s", path,
			S_ISDIR(st.st_mode) ? "a folder" : "no file");
	if (!is_library(file))
		return lt__report(diag, LT_ELOAD, -1, -1, "make one: cc -shared -fPIC -fvisibility=hidden -DLT_PLUGIN",
			"%s: cannot be loaded: it is not a shared library", path);
	lt_status whole = check_length(file, (uint64_t)st.st_size, path, diag);
	if (whole)
		return whole;
	/* Before it is loaded: a sanitizer's runtime that comes too late ends the process. */
	lt_status alike = lt__backend_alike(build_of(file, (size_t)st.st_size), path, diag);
	if (alike)
		return alike;
	void *so = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	const char *why = so ? "" : lt__load_error(file);
	if (!so)                /* it asks this host for the function by which built-in backends register */
		return lt__report(diag, LT_ELOAD, -1, -1, strstr(why, "lt_backend_register") ? "compile it with -DLT_PLUGIN" : NULL,
			"%s: cannot be loaded: %s", path, why);
	const struct lt_backend *(*entry)(uint32_t) = NULL;
	*(void **)&entry = dlsym(so, "lt_backend_entry");
	const struct lt_backend *table = entry ? entry(LT_ABI) : NULL;
	const bool left = entry && yields(table, path, before);
	lt_status status = left ? LT_OK : entry ? lt__backend_add(table, path, diag)
		: lt__report(diag, LT_ELOAD, -1, -1, "compile it with -DLT_PLUGIN and end it with LT_BACKEND(table)",
			"%s: it has no symbol lt_backend_entry, so it is not a backend", path);
	if (status || left)
		(void)dlclose(so);
	return status;
}

lt_status lt__backend_load_behind(
	const char *path, const char *real, const struct lt_backend *const *before, uint32_t n, struct lt_diag *diag)
{
	const struct before others = { before, n };
	if (!path[0])
		return lt__report(diag, LT_EINVAL, -1, -1, "name the file of a backend", "the name of a plug-in is empty");
	char *file = with_slash(real ? real : path);
	lt_status status = file ? load(path, file, &others, diag)
				: lt__report(diag, LT_ENOMEM, -1, -1, NULL, "%s: no memory to load it", path);
	free(file);
	return status;
}

lt_status lt_backend_load(const char *path, struct lt_diag *diag)
{
	return lt__backend_load_behind(path, NULL, NULL, 0, diag);
}
