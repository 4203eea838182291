/* backends/cpu/save.c -- compiled kernels as bytes, for the host to keep: a head, then the shared object.
 *
 * What the compiler made depends on the texts of kernels, and these on the tree, which the host has in its key, and on the emitter.
 * So the identity begins with what the emitter's sources were when it was built: a developer's build never meets another one's code.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "backends/cgen/revision.h"
#include "backends/cpu/object.h"

struct head { char magic[8]; int64_t shared, private_, threads; uint64_t bytes, checksum; };
static const char magic[8] = "ltcpu1";

lt_status lt__cpu_session_identity(struct lt_session *s, lt_write *write, void *user, struct lt_diag *diag)
{
	char *text = NULL;
	size_t bytes;
	if (s->source)
		return lt__note(diag, LT_EUNSUPPORTED, -1, -1, NULL, "cpu: what is compiled from an edited C file is not kept");
	if (!s->runs)
		return lt__note(diag, LT_EUNSUPPORTED, -1, -1, NULL, "cpu: nothing is compiled for the target %s on this machine", s->model->name);
	lt_status status = s->identity ? LT_OK : lt__cpu_identity(s, diag);
	FILE *out = status ? NULL : open_memstream(&text, &bytes);
	if (status)
		return status;
	if (out) {
		(void)fprintf(out, "emitter %s\nflags", LT_CGEN_REVISION);
		lt__cpu_flags(s, true, out);
		(void)fprintf(out, "\nvector library %d\n%s", s->dialect.vector_library, s->identity);
	}
	if (!out || fclose(out) != 0) {
		free(text);
		return lt__note(diag, LT_ENOMEM, -1, -1, NULL, "cpu: no memory to compile");
	}
	write(user, text, bytes);
	free(text);
	return LT_OK;
}

/* Parallel loops that were compiled without threads are not kept: a compiler that has OpenMP later makes better code. */
lt_status lt__cpu_save(const struct lt_object *o, lt_write *write, void *user, struct lt_diag *diag)
{
	if (!o->code || (o->need.threads && o->s->openmp == LT_CANNOT))
		return lt__note(diag, LT_EUNSUPPORTED, -1, -1, NULL, "cpu: the code of kernel %s is not kept", o->tree->name);
	struct head head = { .shared = o->need.shared, .private_ = o->need.private_, .threads = o->need.threads, .bytes = o->code_bytes,
		.checksum = XXH3_64bits(o->code, o->code_bytes) };
	memcpy(head.magic, magic, sizeof magic);
	write(user, (const char *)&head, sizeof head);
	write(user, o->code, o->code_bytes);
	return LT_OK;
}

static lt_status none_of_ours(struct lt_diag *diag, const char *why)
{
	return lt__note(diag, LT_EINVAL, -1, -1, "compile it anew", "cpu: what was kept is no kernel of this backend: %s", why);
}

/* A name of its own for each: the loader takes a library of a name that it knows for the one that it has. */
static int open_temporary(const struct lt_session *s, char *path, size_t room)
{
	int n = snprintf(path, room, s->temp_dir ? "%s/new-XXXXXX" : "%s/looptree-XXXXXX", s->temp_dir ? s->temp_dir : P_tmpdir);
	return n > 0 && (size_t)n < room ? mkostemp(path, O_CLOEXEC) : -1;
}

static void *open_library(const struct lt_session *s, const char *code, size_t bytes, struct lt_diag *diag)
{
	char path[4096];
	int fd = open_temporary(s, path, sizeof path);
	bool ok = fd >= 0;
	for (size_t n = 0; ok && n < bytes; ) {
		ssize_t put = write(fd, code + n, bytes - n);
		ok = put >= 0 || errno == EINTR;
		n += put > 0 ? (size_t)put : 0;
	}
	if (!ok)
		lt__note(diag, LT_EIO, -1, -1, "free some space there, or give another folder for compiled code", "cpu: '%s' cannot be written: %s",
			path, strerror(errno));
	void *handle = NULL;
	if (fd >= 0 && close(fd) == 0 && ok && !(handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)))
		(void)none_of_ours(diag, lt__load_error(path));
	if (fd >= 0)
		(void)unlink(path);
	return handle;
}

lt_status lt__cpu_load(struct lt_session *s, const struct lt_tree *t, const void *data, size_t bytes, struct lt_object **out, struct lt_diag *diag)
{
	struct head head;
	const char *code = (const char *)data + sizeof head;
	*out = NULL;
	if (bytes < sizeof head)
		return none_of_ours(diag, "it is too short");
	memcpy(&head, data, sizeof head);
	bytes -= sizeof head;
	if (memcmp(head.magic, magic, sizeof magic) != 0 || head.bytes != bytes || head.checksum != XXH3_64bits(code, bytes) || head.shared < 0
	    || head.private_ < 0)
		return none_of_ours(diag, "it is damaged");
	if (!s->runs || s->source)
		return none_of_ours(diag, "its target does not run here, or an edited file is run in its place");
	struct lt_object *o = calloc(1, sizeof *o);
	char *copy = malloc(bytes + 1);
	if (o && copy) {
		*o = (struct lt_object){ .s = s, .tree = t, .code = memcpy(copy, code, bytes), .code_bytes = bytes,
			.need = { .shared = head.shared, .private_ = head.private_, .threads = head.threads != 0 } };
		o->handle = open_library(s, code, bytes, diag);
		*(void **)&o->kernel = o->handle ? dlsym(o->handle, s->dialect.entry) : NULL;
	}
	if (o && o->kernel) {
		if (o->need.threads)
			lt__cpu_keep_runtime(s, o->handle);
		*out = o;
		return LT_OK;
	}
	lt_status status = !o || !copy ? lt__note(diag, LT_ENOMEM, -1, -1, NULL, "cpu: no memory for kernel %s", t->name)
		: o->handle ? none_of_ours(diag, "it has no kernel") : LT_EINVAL;
	if (o && o->handle)
		(void)dlclose(o->handle);
	free(copy);
	free(o);
	return status;
}
