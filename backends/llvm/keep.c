/* keep.c -- objects that the host keeps on its disk: a header, then the object file. */
#include <stdio.h>
#include <string.h>
#include "diagnostic.h"
#include "session.h"

/* Beside tree, config, name and version, which the host knows; a version is easily forgotten where code is mended, and
 * the build is not. */
lt_status lt_llvm_identity(struct lt_session *s, lt_write *write, void *user, struct lt_diag *diag)
{
	unsigned version[3];
	char text[400], build[200];
	if (s->config.symbols)
		return lt_llvm_report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "code with symbols is where its text is, not in a cache");
	if (!lt_llvm_build(build, sizeof build))
		return lt_llvm_report(diag, LT_EUNSUPPORTED, -1, -1, NULL,
			"llvm: the loader does not tell which build of the backend this is");
	lt_llvm_version(version);
	int n = snprintf(text, sizeof text, "build %s\nLLVM %u.%u.%u\nlevel %d\nlibmvec %d\ncc %.60s\n", build, version[0],
		version[1], version[2], s->config.level, s->machine.machine.vector_library,
		LT_HAS(struct lt_host, s->host, cc) ? s->host->cc : "cc");
	write(user, text, (size_t)n);
	const char *const facts[] = { s->machine.triple, "\n", s->machine.cpu, "\n", s->machine.features, "\n" };
	for (int i = 0; i < 6; i++)
		write(user, facts[i], strlen(facts[i]));
	return LT_OK;
}

/* What is saved: this, then the object file. */
struct file_header { char magic[8]; struct lt_llvm_need need; uint64_t bytes, sum; };
static const char magic[8] = "LTLLVM3";

/* FNV-1a: a linker is not to be handed a file that is not whole. */
static uint64_t sum_of(const char *data, size_t bytes)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < bytes; i++)
		sum = (sum ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
	return sum;
}

lt_status lt_llvm_save(const struct lt_object *o, lt_write *write, void *user, struct lt_diag *diag)
{
	struct file_header h;
	(void)diag;
	memset(&h, 0, sizeof h);
	memcpy(h.magic, magic, sizeof h.magic);
	h.need = o->need;
	h.bytes = o->bytes;
	h.sum = sum_of(o->file, o->bytes);
	write(user, (const char *)&h, sizeof h);
	write(user, o->file, o->bytes);
	return LT_OK;
}

lt_status lt_llvm_load(struct lt_session *s, const struct lt_tree *t, const void *data, size_t bytes,
	struct lt_object **out, struct lt_diag *diag)
{
	struct file_header h;
	const char *file = (const char *)data + sizeof h;
	*out = NULL;
	if (bytes > sizeof h)
		memcpy(&h, data, sizeof h);
	if (bytes <= sizeof h || memcmp(h.magic, magic, sizeof h.magic) != 0 || h.bytes != bytes - sizeof h
		|| h.sum != sum_of(file, h.bytes))
		return lt_llvm_report(diag, LT_EINVAL, -1, -1, NULL, "kernel %s: what was kept is no object file", name_of(t));
	struct lt_object *o = lt_llvm_new_object(s, t);
	if (!o)
		return lt_llvm_report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for kernel %s", name_of(t));
	o->need = h.need;
	o->loaded = true;
	lt_status status = lt_llvm_take(o, file, h.bytes, diag);
	if (status) {
		lt_llvm_destroy(o);
		return status == LT_ECOMPILE ? LT_EINVAL : status;
	}
	*out = o;
	return LT_OK;
}
