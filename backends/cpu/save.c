/* save.c -- compiled kernels as bytes, for the host to keep: a head, then the shared object.
 *
 * What the compiler made depends on the texts of kernels, and these on the tree, which the host has in its key, and on
 * the printer. So the identity begins with what the printer's sources were when it was built: a developer's build never
 * meets another one's code.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "lt/kernel.h"
#include "backends/cpu/revision.h"
#include "backends/cpu/object.h"

struct object_head { char magic[8]; int64_t shared, private_, threads; uint64_t bytes, checksum; };
static const char magic[8] = "ltcpu1";

lt_status lt__cpu_session_identity(struct lt_session *s, lt_write *write, void *user, struct lt_diag *diag)
{
	char *text = NULL;
	size_t bytes;
	if (s->source)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "cpu: code compiled from an edited C file is not cached");
	if (s->symbols)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "cpu: code with symbols is where its text is, not in a cache");
	if (s->text_only)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "cpu: there is no compiled code to cache");
	if (!s->runs)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "cpu: this machine compiles no code for the target %s",
			s->model->name);
	lt_status status = s->identity ? LT_OK : lt__cpu_identity(s, diag);
	FILE *out = status ? NULL : open_memstream(&text, &bytes);
	if (status)
		return status;
	if (out) {
		(void)fprintf(out, "printer %s %s\nflags", lt__cpu_emit_name(s->emit), LT_CPU_REVISION);
		lt__cpu_flags(s, out);
		(void)fprintf(out, "\nvector library %d\n%s", s->vector_library, s->identity);
	}
	if (!out || fclose(out) != 0) {
		free(text);
		return lt__cpu_no_memory(diag);
	}
	write(user, text, bytes);
	free(text);
	return LT_OK;
}

lt_status lt__cpu_save(const struct lt_object *o, lt_write *write, void *user, struct lt_diag *diag)
{
	if (!o->code)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "cpu: the code of kernel %s is not cached", o->tree->name);
	struct object_head head = { .shared = o->need.shared,
		.private_ = o->need.private_,
		.threads = o->need.threads,
		.bytes = o->code_bytes,
		.checksum = XXH3_64bits(o->code, o->code_bytes) };
	memcpy(head.magic, magic, sizeof magic);
	write(user, (const char *)&head, sizeof head);
	write(user, o->code, o->code_bytes);
	return LT_OK;
}

static lt_status none_of_ours(struct lt_diag *diag, const char *why)
{
	return lt__report(diag, LT_EINVAL, -1, -1, "compile it again", "cpu: the cached object is not a kernel of this "
		"backend: %s", why);
}

static bool write_all(int fd, const char *at, size_t bytes)
{
	for (size_t n = 0; n < bytes; ) {
		ssize_t written = write(fd, at + n, bytes - n);
		if (written < 0 && errno != EINTR)
			return false;
		n += written > 0 ? (size_t)written : 0;
	}
	return true;
}

/* A path of the descriptor's own: the loader takes a library of a name that it knows for the one that it has, and
 * numbers of descriptors come again.  A memory file's inode does not while its library is loaded, so it is in the path,
 * in "/." for a 1 and "//" for a 0. */
static void descriptor_path(int fd, uint64_t inode, char path[200])
{
	int n = snprintf(path, 200, "/proc/self/fd");
	for (int bit = 63; bit >= 0; bit--, n += 2)
		memcpy(path + n, inode >> bit & 1 ? "/." : "//", 2);
	(void)snprintf(path + n, 200 - (size_t)n, "/%d", fd);
}

/* From memory: no file that somebody could exchange between its check and dlopen, and no matter which disks may hold
 * programs. False: the system has no such files, or does not run them. */
static bool open_in_memory(const char *code, size_t bytes, void **handle)
{
	char path[200];
	struct stat st;
	int fd = memfd_create("looptree", MFD_CLOEXEC);
	bool ok = fd >= 0 && write_all(fd, code, bytes) && fstat(fd, &st) == 0;
	*handle = NULL;
	if (ok) {
		descriptor_path(fd, (uint64_t)st.st_ino, path);
		*handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	if (fd >= 0)
		(void)close(fd);
	return *handle != NULL;
}

/* As above, the loader takes a library of a name that it knows for the one that it has: the copy's address is in the
 * name, and lives as long. */
static lt_status open_as_file(
	const struct lt_session *s, const char *code, size_t bytes, void **handle, struct lt_diag *diag)
{
	struct lt_folder folder;
	char path[4096];
	lt_status status = lt__cpu_folder(s, &folder, diag);
	if (status)
		return status;
	(void)snprintf(path, sizeof path, "%s/k%llx.so", folder.path, (unsigned long long)(uintptr_t)code);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && write_all(fd, code, bytes);
	if (fd >= 0 && close(fd) != 0)
		ok = false;
	*handle = ok ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!ok) {
		status = lt__report(diag, LT_EIO, -1, -1, LT_CPU_OTHER_FOLDER, "cpu: '%s' cannot be written: %s", path,
			strerror(errno));
	} else if (!*handle) {
		const char *why = lt__load_error(path), *fault = lt__cpu_folder_fault(&folder, why, path, sizeof path);
		status = fault ? lt__report(diag, LT_EIO, -1, -1, fault, "cpu: a cached kernel cannot be loaded: %s",
			why) : none_of_ours(diag, why);
	}
	lt__folder_remove(&folder);
	return status;
}

static lt_status open_library(
	const struct lt_session *s, const char *code, size_t bytes, void **handle, struct lt_diag *diag)
{
	return open_in_memory(code, bytes, handle) ? LT_OK : open_as_file(s, code, bytes, handle, diag);
}

lt_status lt__cpu_load(struct lt_session *s, const struct lt_tree *t, const void *data, size_t bytes,
	struct lt_object **out, struct lt_diag *diag)
{
	struct object_head head;
	const char *code = (const char *)data + sizeof head;
	*out = NULL;
	if (bytes < sizeof head)
		return none_of_ours(diag, "it is too short");
	memcpy(&head, data, sizeof head);
	bytes -= sizeof head;
	if (memcmp(head.magic, magic, sizeof magic) != 0 || head.bytes != bytes
		|| head.checksum != XXH3_64bits(code, bytes) || head.shared < 0 || head.private_ < 0)
		return none_of_ours(diag, "it is damaged");
	if (!s->runs || s->source)
		return none_of_ours(diag, "its target does not run here, or an edited file is run in its place");
	struct lt_object *o = calloc(1, sizeof *o);
	char *copy = malloc(bytes + 1);
	lt_status status = o && copy ? LT_OK : lt__cpu_no_memory(diag);
	if (!status) {
		*o = (struct lt_object){ .s = s, .tree = t, .own = lt_kernel_own_name(t),
			.code = memcpy(copy, code, bytes), .code_bytes = bytes,
			.need = { .shared = head.shared, .private_ = head.private_, .threads = head.threads != 0 } };
		status = open_library(s, o->code, bytes, &o->handle, diag);
		*(void **)&o->kernel = o->handle ? dlsym(o->handle, LT_CPU_ENTRY) : NULL;
	}
	if (!status && o->kernel) {
		*out = o;
		return LT_OK;
	}
	if (!status)
		status = none_of_ours(diag, "it has no kernel");
	if (o && o->handle)
		(void)dlclose(o->handle);
	free(copy);
	free(o);
	return status;
}
