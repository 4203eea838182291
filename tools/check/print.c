/* print.c -- what a backend prints goes where it harms nothing, and is reported: a backend speaks through
 * diag and log only. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tools/check/parts.h"

/* A file of this size takes no more: who prints without end fails to, and goes on. */
enum { MAX_PRINTED = 1 << 16 };

int lt__check_print_new(void)
{
	int fd = memfd_create("printed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && (ftruncate(fd, MAX_PRINTED) || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK))) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

void lt__check_print_catch(int fd, bool keep_stderr)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd >= 0 || nowhere >= 0)
		(void)dup2(fd >= 0 ? fd : nowhere, STDOUT_FILENO);
	if (nowhere >= 0 && !keep_stderr)
		(void)dup2(nowhere, STDERR_FILENO);
	if (nowhere >= 0)
		(void)close(nowhere);
}

bool lt__check_print_fail(struct check_outcome *out)
{
	char text[80] = "";
	(void)fflush(stdout);
	off_t n = lseek(STDOUT_FILENO, 0, SEEK_CUR);
	ssize_t got = n > 0 ? pread(STDOUT_FILENO, text, n < (off_t)sizeof text ? (size_t)n : sizeof text - 1, 0) : 0;
	for (ssize_t i = 0; i < got; i++)
		text[i] = (char)(isprint((unsigned char)text[i]) ? text[i] : ' ');
	return n <= 0 || lt__check_fail(out,
		"it prints on the standard output, \"%s\"%s; a backend speaks through diag and host->log", text, n > (off_t)sizeof
		text ? " and more" : "");
}

/* All that can be asked of a kernel, that is, and is done. */
bool lt__check_errors_prints(struct check_work *w, const struct check_trial *t)
{
	struct check_diagnostics diags = lt__check_listen();
	bool good = lt__check_one_run(w, t, 0x5A, 0x5A, 1);
	const struct lt_args none = { .size = sizeof none };
	if (good && w->p->nests.frozen[lt__check_nest(w)].tree.n_slot > 0)
		(void)w->device->backend->run(w->object[lt__check_nest(w)], &none, &diags.diag);
	return good && lt__check_print_fail(w->out);
}

bool lt__check_errors_prints_first(struct check_device *d, struct check_outcome *out)
{
	struct check_device other;
	struct check_diagnostics diags = lt__check_listen();
	(void)d->backend->score("no_such_word_of_any_backend", &diags.diag);
	if (lt__check_open_again(d, &other, out))
		lt__check_close(&other);
	return lt__check_print_fail(out);
}
