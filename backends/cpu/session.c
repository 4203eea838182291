/* session.c -- what a session does with other programs and temporary files: as long as its host wants, and
 * where it wants. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "backends/cpu/cpu.h"

lt_status lt__cpu_no_memory(struct lt_diag *diag)
{
	return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
}

/* Where others may replace the compiler's files, the compiled code is theirs: who owns a folder, and, without a sticky
 * bit, who may write to it, can rename what is in it. */
static lt_status check_temporaries(const char *dir, struct lt_diag *diag)
{
	struct stat st;
	if (stat(dir, &st) != 0)
		return LT_OK;           /* making a folder in it says why */
	if ((st.st_mode & (S_IWOTH | S_IWGRP)) && !(st.st_mode & S_ISVTX))
		return lt__report(diag, LT_EIO, -1, -1, "set that bit (chmod +t), or name another folder in TMPDIR",
			"cpu: %s may write to the folder for temporary files, '%s', and it has no sticky bit, so others could replace what "
			"is compiled there", st.st_mode & S_IWOTH ? "everybody" : "its group", dir);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return lt__report(diag, LT_EIO, -1, -1, "name a folder of your own in TMPDIR",
			"cpu: the folder for temporary files, '%s', belongs to user %lu, who could replace what is compiled there", dir,
			(unsigned long)st.st_uid);
	return LT_OK;
}

lt_status lt__cpu_symbols(const struct lt_session *s, struct lt_diag *diag)
{
	struct stat st;
	if (s->symbols[0] != '/')
		return lt__report(diag, LT_EINVAL, -1, -1, "write its whole path", "cpu: symbols=%s does not begin with a '/'",
			s->symbols);
	if ((mkdir(s->symbols, 0700) != 0 && errno != EEXIST) || stat(s->symbols, &st) != 0 || !S_ISDIR(st.st_mode))
		return lt__report(diag, LT_EIO, -1, -1, "name a folder that you may write to",
			"cpu: the folder for symbols, '%s', cannot be made", s->symbols);
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWOTH | S_IWGRP)))
		return lt__report(diag, LT_EIO, -1, -1, "name a folder of your own",
			"cpu: others may write to the folder for symbols, '%s', and replace what is compiled there", s->symbols);
	return LT_OK;
}

lt_status lt__cpu_folder(const struct lt_session *s, struct lt_folder *f, struct lt_diag *diag)
{
	const char *dir = s->temp_dir ? s->temp_dir : "/tmp";
	lt_status status = check_temporaries(dir, diag);
	if (status)
		return status;
	int error = lt__folder_new(f, dir);
	return !error             ? LT_OK
		: error == ENOMEM ? lt__cpu_no_memory(diag)
				  : lt__report(diag, LT_EIO, -1, -1, error == ENOSPC || error == EDQUOT ? LT_CPU_OTHER_FOLDER
					  : "name a folder in TMPDIR that is there and that you may write to",
					  "cpu: no temporary folder can be made in '%s': %s", dir, strerror(error));
}

static int is_cancelled(void *session)
{
	const struct lt_session *s = session;
	return LT_HAS(struct lt_host, s->host, cancelled) ? s->host->cancelled(s->host) : 0;
}

/* on: what it worked on; NULL: it is not tried again. */
static lt_status too_late(const struct lt_session *s, const char *on, struct lt_diag *diag)
{
	return lt__report(diag, LT_ECOMPILE, -1, -1, "give it more time with --cc-timeout, or name another compiler with --cc",
		"%s was ended%s%s, because it took longer than %g s", s->cc, on ? " on " : "", on ? on : "",
		(s->cc_timeout_ms ? s->cc_timeout_ms : LT_CC_TIMEOUT_MS) * 1e-3);
}

lt_status lt__cpu_run(struct lt_session *s, struct lt_command *c, uint32_t n, const struct lt_folder *folder,
	void (*ended)(void *user), void *user, struct lt_diag *diag)
{
	const struct lt_command_limits limits = { .ms = s->cc_timeout_ms, .cancelled = is_cancelled, .user = s,
		.folder = folder && folder->path[0] ? folder->path : NULL };
	if (s->late)
		return too_late(s, NULL, diag);
	if (!lt__command_run(c, n, s->n_thread, &limits, ended, user))
		return lt__report(diag, LT_ECANCELLED, -1, -1, NULL, "compiling was cancelled");
	for (uint32_t i = 0; i < n; i++) {
		if (c[i].status == -1 && c[i].error == ENOMEM)
			return lt__cpu_no_memory(diag);
		if (c[i].late) {
			s->late = true;
			return too_late(s, c[i].on, diag);
		}
	}
	return LT_OK;
}

/* What has failed may have removed what had filled the folder. */
const char *lt__cpu_folder_fault(const struct lt_folder *f, const char *message, char *out, size_t bytes)
{
	struct statvfs fs;
	if (!f->path[0] || statvfs(f->path, &fs) != 0)
		return NULL;
	bool no_code = (fs.f_flag & ST_NOEXEC) != 0, full = fs.f_bavail == 0 || (fs.f_files > 0 && fs.f_favail == 0)
		|| (message && strstr(message, strerror(ENOSPC)));
	if (!no_code && !full)
		return NULL;
	(void)snprintf(out, bytes, "the folder '%.*s' %s: name another one in TMPDIR",
		(int)(strrchr(f->path, '/') - f->path), f->path, no_code ? "must not hold code (noexec)" : "is full");
	return out;
}
