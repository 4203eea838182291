/* folder.c -- folders of operations are listed, their files read. */
#define _GNU_SOURCE 1
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/folder.h"

enum { MAX_TEXT = 16 << 20, MAX_OPERATIONS = 4096 };

struct own_file { const char *name; const char *kind; };      /* kind: "lt", "c" */
struct own_listing { struct own_file *at; int32_t n, cap; };

static int by_own_name(const void *a, const void *b)
{
	const struct own_file *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : -strcmp(x->kind, y->kind);       /* its meaning first */
}

/* "hard_swish" of "hard_swish.lt"; NULL: it is no file of that kind. */
static const char *stem_of(struct lt_arena *a, const char *file, const char *kind)
{
	const size_t n = strlen(file), end = strlen(kind) + 1;

	if (n <= end || file[n - end] != '.' || strcmp(file + n - end + 1, kind) != 0 || file[0] == '.')
		return NULL;
	return lt__arena_format(a, "%.*s", (int)(n - end), file);
}

static bool is_word(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

struct own_reading {
	struct lt_context *ctx;
	struct lt_arena *a;
	const char *path, *domain;      /* domain: NULL in the folder itself */
	struct own_listing *out;
	char **folder;                  /* names of folders in it, malloc */
	int32_t n_folder;
};

static lt_status add_file(struct own_reading *r, const char *file)
{
	static const char *const kinds[] = { "lt", "c" };

	for (int i = 0; i < 2; i++) {
		const char *stem = stem_of(r->a, file, kinds[i]);

		if (!stem)
			continue;
		if (!is_word(stem))
			return lt_fail(r->ctx, LT_EINVAL,
				"the operation %s/%s has a name that no function can have: letters, digits and _, no digit first", r->path, file);
		if (r->out->n == 2 * MAX_OPERATIONS)
			return lt_fail(r->ctx, LT_EUNSUPPORTED, "the folder of kernels %s has more than %d operations", r->path,
				MAX_OPERATIONS);
		LT_GROW(r->a, r->out->at, r->out->n, r->out->cap);
		r->out->at[r->out->n++] = (struct own_file){
			r->domain ? lt__arena_format(r->a, "%s/%s", r->domain, stem) : stem, kinds[i] };
	}
	return LT_OK;
}

static void free_names(struct own_reading *r)
{
	for (int32_t i = 0; i < r->n_folder; i++)
		free(r->folder[i]);
	free(r->folder);
}

/* The names are copied before anything is taken from the arena: the listing is not open meanwhile. */
static lt_status list_names(struct own_reading *r)
{
	DIR *dir = opendir(r->path);
	bool lost = false;

	if (!dir)
		return lt_fail(r->ctx, errno == ENOMEM ? LT_ENOMEM : LT_EINVAL, "the folder of kernels %s cannot be read: %s%s",
			r->path, strerror(errno), errno == ENOTDIR ? "; name the folder that the file is in" : "");
	for (const struct dirent *d; !lost && (d = readdir(dir));) {
		char **more = realloc(r->folder, (size_t)(r->n_folder + 1) * sizeof *more);

		r->folder = more ? more : r->folder;
		lost = !more || !(r->folder[r->n_folder] = strdup(d->d_name));
		r->n_folder += !lost;
	}
	(void)closedir(dir);
	return lost ? lt_fail(r->ctx, LT_ENOMEM, "out of memory") : LT_OK;
}

static lt_status add_files(void *of)
{
	struct own_reading *r = of;

	for (int32_t i = 0; i < r->n_folder; i++)
		LT_TRY(add_file(r, r->folder[i]));
	return LT_OK;
}

static lt_status read_folder(struct lt_context *ctx, struct lt_arena *a, const char *path, const char *domain,
	struct own_listing *out, int depth)
{
	struct own_reading r = { .ctx = ctx, .a = a, .path = path, .domain = domain, .out = out };
	lt_status status = list_names(&r);

	status = status ? status : lt__protect(ctx, add_files, &r);
	for (int32_t i = 0; !status && depth == 0 && i < r.n_folder; i++) {
		char *below;
		struct stat st;

		if (r.folder[i][0] == '.')
			continue;
		if (asprintf(&below, "%s/%s", path, r.folder[i]) < 0) {
			status = lt_fail(ctx, LT_ENOMEM, "out of memory");
			break;
		}
		if (!stat(below, &st) && S_ISDIR(st.st_mode))
			status = read_folder(ctx, a, below, r.folder[i], out, 1);
		free(below);
	}
	free_names(&r);
	return status;
}

lt_status lt__ownfolder_read(struct lt_context *ctx, struct lt_arena *a, const char *path, struct lt_ownfolder *out)
{
	struct own_listing list = { 0 };

	*out = (struct lt_ownfolder){ .path = lt__arena_string(a, path) };
	LT_TRY(read_folder(ctx, a, path, NULL, &list, 0));
	if (list.n)
		qsort(list.at, (size_t)list.n, sizeof *list.at, by_own_name);
	out->name = LT_NEW(a, const char *, list.n + 1);
	out->kernel = LT_NEW(a, bool, list.n + 1);
	for (int32_t i = 0; i < list.n; i++) {
		const struct own_file *x = &list.at[i];

		if (!strcmp(x->kind, "lt"))
			out->name[out->n++] = x->name;
		else if (!out->n || strcmp(out->name[out->n - 1], x->name) != 0)
			return lt_fail(ctx, LT_EINVAL, "the kernel %s/%s.c has no meaning: %s.lt is not there, a function of the script "
				"that says what it computes (what kernels share is in headers)", path, x->name, x->name);
		else
			out->kernel[out->n - 1] = true;
	}
	return LT_OK;
}

int32_t lt__ownfolder_find(const struct lt_ownfolder *f, const char *name, size_t bytes)
{
	for (int32_t i = 0; i < f->n; i++)
		if (strlen(f->name[i]) == bytes && memcmp(f->name[i], name, bytes) == 0)
			return i;
	return -1;
}

static lt_status text_unread(struct lt_context *ctx, const char *path, int error)
{
	return lt_fail(ctx, error == ENOMEM ? LT_ENOMEM : LT_EINVAL, "%s cannot be read: %s", path, strerror(error));
}

/* Into a buffer that was allocated for as many bytes as the file had. */
static lt_status fill_text(struct lt_context *ctx, const char *path, int fd, char *to, size_t *bytes)
{
	size_t n = 0;

	while (n < *bytes) {
		const ssize_t more = read(fd, to + n, *bytes - n);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return text_unread(ctx, path, errno);
		if (more == 0)
			break;
		n += (size_t)more;
	}
	*bytes = n;
	return memchr(to, 0, n) ? lt_fail(ctx, LT_ESYNTAX, "%s is no text: it has a byte 0", path) : LT_OK;
}

lt_status lt__text_read(struct lt_context *ctx, struct lt_arena *a, const char *path, char **text, size_t *bytes)
{
	struct stat st;
	lt_status status;
	int fd;

	/* asked first, as nothing may be open while the arena grows */
	if (stat(path, &st))
		return text_unread(ctx, path, errno);
	if (!S_ISREG(st.st_mode) || st.st_size > MAX_TEXT)
		return lt_fail(ctx, LT_EINVAL, "%s is %s", path, S_ISREG(st.st_mode) ? "too long, more than 16 MiB" : "no file");
	*bytes = (size_t)st.st_size;
	*text = lt__arena_alloc(a, *bytes + 1);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return text_unread(ctx, path, errno);
	status = fill_text(ctx, path, fd, *text, bytes);
	(void)close(fd);
	return status;
}
