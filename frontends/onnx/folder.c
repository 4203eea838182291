/* folder.c -- external data: parts of files beside the model, mapped.
 *
 * A mapping is private and read only, and lives as long as the graph and its programs.  A file that is cut off
 * meanwhile ends the process (SIGBUS), as it does for every program that maps its weights: they are not to be changed
 * while a program runs.
 */
#define _GNU_SOURCE 1           /* O_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "frontends/onnx/onnx.h"

struct mapped_file { void *at; size_t bytes; };

static void mapped_release(void *of)
{
	struct mapped_file *f = of;

	munmap(f->at, f->bytes);
}

/* A name of a file in the folder or below it: no step leads out. */
static bool stays_inside(const char *name)
{
	if (!*name || *name == '/')
		return false;
	for (const char *at = name; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
		if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2]))
			return false;
	return true;
}

static const void *map_part(struct lt_onnx *m, const char *location, int fd, int64_t offset, int64_t bytes, size_t want)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		lt__onnx_refuse(m, "external data '%s' is no file", location);
		return NULL;
	}
	if (bytes < 0)
		bytes = st.st_size - offset;
	if (offset < 0 || offset > st.st_size || bytes > st.st_size - offset || bytes < 0) {
		lt__onnx_refuse(m, "external data '%s' has %lld bytes, too few for a part of %lld at %lld", location,
			(long long)st.st_size, (long long)bytes, (long long)offset);
		return NULL;
	}
	if ((size_t)bytes != want) {
		lt__onnx_refuse(m, "external data '%s': the part at %lld has %lld bytes, but its tensor %zu", location,
			(long long)offset, (long long)bytes, want);
		return NULL;
	}
	struct mapped_file *f = LT_NEW(m->kept, struct mapped_file, 1);
	const int64_t page = sysconf(_SC_PAGESIZE), begin = offset - offset % page;
	*f = (struct mapped_file){ .bytes = (size_t)(bytes + offset - begin) };
	/* The arena's record comes first: no step between can fail. */
	f->at = mmap(NULL, f->bytes, PROT_READ, MAP_PRIVATE, fd, begin);
	if (f->at == MAP_FAILED) {
		lt__onnx_refuse(m, "external data '%s' cannot be mapped: %s", location, strerror(errno));
		return NULL;
	}
	lt__arena_defer(m->kept, mapped_release, f);
	lt__graph_mapped(m->graph, f->at, f->bytes);
	return (const char *)f->at + (offset - begin);
}

const void *lt__onnx_external(struct lt_onnx *m, const char *location, int64_t offset, int64_t bytes, size_t want)
{
	if (!m->options->folder) {
		lt__onnx_refuse(m, "external data '%s': the model is not read from a file, so that no folder is known to look in",
			location);
		return NULL;
	}
	if (!stays_inside(location)) {
		lt__onnx_refuse(m, "external data '%s' is outside of the model's folder", location);
		return NULL;
	}
	const char *path = lt__arena_format(m->arena, "%s/%s", m->options->folder, location);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		lt__onnx_refuse(m, "external data '%s' cannot be opened: %s", location, strerror(errno));
		return NULL;
	}
	if (m->options->size >= offsetof(struct lt_parse_options, user) + sizeof m->options->user && m->options->reads)
		m->options->reads(m->options->user, path);
	const void *at = map_part(m, location, fd, offset, bytes, want);
	(void)close(fd);
	return at;
}
