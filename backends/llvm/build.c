/* build.c -- which build of the backend this is, and of LLVM: what is made of a tree depends on their
 * code, and objects that are kept on the disk outlive that.
 *
 * Nobody has to count anything up: it is the linker's hash of the file, which it writes into it (--build-id), or where
 * there is none, a hash of what is code and constants in memory.  That of the file on the disk could be of another
 * build, which has taken its place since.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>
#include "session.h"

/* An address in the file that is meant. */
struct build_search { uintptr_t within; char *to; size_t cap; };

/* Whether the segment is loaded, and stays as the linker made it: loaders write only to others. */
static bool is_constant(const ElfW(Phdr) * p)
{
	return p->p_type == PT_LOAD && p->p_flags & PF_R && !(p->p_flags & PF_W);
}

static bool is_in(const struct dl_phdr_info *of, uintptr_t at)
{
	for (int i = 0; i < of->dlpi_phnum; i++)
		if (of->dlpi_phdr[i].p_type == PT_LOAD && at - (of->dlpi_addr + of->dlpi_phdr[i].p_vaddr) < of->dlpi_phdr[i].p_memsz)
			return true;
	return false;
}

static const unsigned char *bytes_of(const struct dl_phdr_info *of, const ElfW(Phdr) *p)
{
	return (const unsigned char *)(uintptr_t)(of->dlpi_addr + p->p_vaddr);
}

/* The linker's note among those of a segment. */
static const unsigned char *find_diagnostic(const unsigned char *at, size_t bytes, size_t *n)
{
	ElfW(Nhdr) note;
	for (size_t i = 0; i + sizeof note < bytes; ) {
		memcpy(&note, at + i, sizeof note);
		size_t name = i + sizeof note, value = name + ((note.n_namesz + 3u) & ~3u),
		       next = value + ((note.n_descsz + 3u) & ~3u);
		if (next > bytes)
			return NULL;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(at + name, "GNU", 4) == 0) {
			*n = note.n_descsz;
			return at + value;
		}
		i = next;
	}
	return NULL;
}

/* FNV-1a.  A sanitizer's marks between the constants are read, too. */
__attribute__((no_sanitize("address"))) static uint64_t hash(uint64_t sum, const unsigned char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
	return sum;
}

static int ask(struct dl_phdr_info *of, size_t size, void *user)
{
	const struct build_search *s = user;
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	(void)size;
	if (!is_in(of, s->within))
		return 0;
	for (int i = 0; i < of->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &of->dlpi_phdr[i];
		size_t n = 0;
		const unsigned char *id = p->p_type == PT_NOTE ? find_diagnostic(bytes_of(of, p), p->p_memsz, &n) : NULL;
		for (size_t k = 0; k < n && 2 * k + 2 < s->cap; k++)
			(void)snprintf(s->to + 2 * k, 3, "%02x", id[k]);
		if (n > 0)
			return 1;
	}
	for (int i = 0; i < of->dlpi_phnum; i++)
		if (is_constant(&of->dlpi_phdr[i]))
			sum = hash(sum, bytes_of(of, &of->dlpi_phdr[i]), of->dlpi_phdr[i].p_filesz);
	(void)snprintf(s->to, s->cap, "hash %016llx", (unsigned long long)sum);
	return 1;
}

static bool build_at(uintptr_t within, char *to, size_t cap)
{
	struct build_search s = { within, to, cap };
	return dl_iterate_phdr(ask, &s) == 1;
}

bool lt_llvm_build(char *to, size_t cap)
{
	const bool ours = build_at((uintptr_t)build_at, to, cap);
	const size_t n = ours ? strlen(to) : 0;
	if (!ours || n + 2 > cap)
		return false;
	to[n] = ' ';
	return build_at((uintptr_t)LLVMContextCreate, to + n + 1, cap - n - 1);
}

void lt_llvm_version(unsigned version[3])
{
#if LLVM_VERSION_MAJOR >= 16
	LLVMGetVersion(&version[0], &version[1], &version[2]);
#else
	version[0] = LLVM_VERSION_MAJOR;
	version[1] = LLVM_VERSION_MINOR;
	version[2] = LLVM_VERSION_PATCH;
#endif
}
