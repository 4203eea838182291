/* backends/elf.c -- which sanitizer a shared object was built with, told by its file, before it is loaded.
 *
 * The address sanitizer ends a process that was not built with it while dlopen is still at work.  Only what a loader reads is read: the
 * dynamic section, by the program headers.  Of a file that is odd in any way nothing is said; dlopen says it.
 */
#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include "backends/registry.h"

struct file { const unsigned char *at; uint64_t bytes; Elf64_Ehdr head; };

static bool get(const struct file *f, uint64_t offset, void *to, uint64_t bytes)
{
	if (offset > f->bytes || bytes > f->bytes - offset)
		return false;
	memcpy(to, f->at + offset, bytes);
	return true;
}

static bool get_segment(const struct file *f, uint64_t i, Elf64_Phdr *p)
{
	return i < f->head.e_phnum && f->head.e_phoff <= f->bytes && get(f, f->head.e_phoff + i * sizeof *p, p, sizeof *p);
}

/* Where in the file an address of memory is; its end if nowhere. */
static uint64_t offset_of(const struct file *f, uint64_t address)
{
	Elf64_Phdr p;
	for (uint64_t i = 0; get_segment(f, i, &p); i++)
		if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz && p.p_offset <= f->bytes)
			return p.p_offset + (address - p.p_vaddr);
	return f->bytes;
}

/* What of the dynamic section is needed; symbols and tables by address, 0: there is none; strings by place in the file. */
struct dynamic { uint64_t at, n, strings, symbols, hash, gnu_hash; };

static bool find_dynamic(const struct file *f, struct dynamic *d)
{
	Elf64_Phdr p;
	Elf64_Dyn e;
	*d = (struct dynamic){ .n = 0 };
	for (uint64_t i = 0; get_segment(f, i, &p); i++)
		if (p.p_type == PT_DYNAMIC && p.p_offset <= f->bytes)
			d->at = p.p_offset, d->n = p.p_filesz / sizeof e;
	for (uint64_t i = 0; i < d->n; i++) {
		if (!get(f, d->at + i * sizeof e, &e, sizeof e) || e.d_tag == DT_NULL) {
			d->n = i;
			break;
		}
		uint64_t *to = e.d_tag == DT_STRTAB ? &d->strings : e.d_tag == DT_SYMTAB ? &d->symbols : e.d_tag == DT_HASH ? &d->hash
			: e.d_tag == DT_GNU_HASH ? &d->gnu_hash : NULL;
		if (to)
			*to = e.d_un.d_ptr;
	}
	uint64_t strings = d->strings;
	d->strings = offset_of(f, strings);
	return d->n > 0 && strings;
}

static bool begins(const struct file *f, const struct dynamic *d, uint64_t name, const char *with, bool whole)
{
	char text[40];
	uint64_t n = strlen(with) + whole;
	return name <= f->bytes && n <= sizeof text && get(f, d->strings + name, text, n) && memcmp(text, with, n) == 0;
}

static uint32_t needed(const struct file *f, const struct dynamic *d)
{
	static const struct { const char *name; uint32_t bit; } runtimes[] = { { "libasan.", 1 }, { "libtsan.", 2 }, { "libclang_rt.asan", 1 },
		{ "libclang_rt.tsan", 2 } };
	uint32_t build = 0;
	Elf64_Dyn e;
	for (uint64_t i = 0; i < d->n && get(f, d->at + i * sizeof e, &e, sizeof e); i++)
		for (size_t k = 0; e.d_tag == DT_NEEDED && k < sizeof runtimes / sizeof *runtimes; k++)
			build |= begins(f, d, e.d_un.d_val, runtimes[k].name, false) ? runtimes[k].bit : 0;
	return build;
}

/* How many symbols there are to look at: the undefined ones stand before those that a GNU table hashes. */
static uint64_t n_symbol(const struct file *f, const struct dynamic *d)
{
	uint32_t words[2] = { 0, 0 };           /* buckets, chains; buckets, first symbol */
	uint64_t table = d->hash ? d->hash : d->gnu_hash;
	return table && get(f, offset_of(f, table), words, sizeof words) ? words[1] : 0;
}

static uint32_t undefined(const struct file *f, const struct dynamic *d)
{
	static const struct { const char *name; uint32_t bit; } marks[] = { { "__asan_init", 1 }, { "__tsan_init", 2 }, { "__msan_init", 4 } };
	uint64_t at = offset_of(f, d->symbols), n = d->symbols ? n_symbol(f, d) : 0;
	uint32_t build = 0;
	Elf64_Sym s;
	for (uint64_t i = 0; i < n && get(f, at + i * sizeof s, &s, sizeof s); i++)
		for (size_t k = 0; s.st_shndx == SHN_UNDEF && ELF64_ST_BIND(s.st_info) == STB_GLOBAL && k < sizeof marks / sizeof *marks; k++)
			build |= begins(f, d, s.st_name, marks[k].name, true) ? marks[k].bit : 0;
	return build;
}

uint32_t lt__elf_build(const void *data, size_t bytes)
{
	static const unsigned char ident[] = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB };
	const uint16_t one = 1;
	struct file f = { .at = data, .bytes = bytes };
	struct dynamic d;
	if (!*(const unsigned char *)&one || !get(&f, 0, &f.head, sizeof f.head) || memcmp(f.head.e_ident, ident, sizeof ident) != 0
	    || f.head.e_phentsize != sizeof (Elf64_Phdr) || !find_dynamic(&f, &d))
		return 0;
	return needed(&f, &d) | undefined(&f, &d);
}
