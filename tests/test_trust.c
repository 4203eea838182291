/* test_trust.c -- what lt-run trusts of the machine around it: folders of temporaries and of compiled code,
 * another user's attack. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "tests/ltrun.h"

TestSuite(trust, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 300);
#define out ltrun_out
#define err ltrun_err

static void make_folder(const char *name)
{
	cr_assert_eq(mkdir(scratch(name), 0700), 0, "%s", name);
}

/* A command line, run in the scratch folder. */
static int shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int code = run_in_scratch(out, sizeof ltrun_out, err, sizeof ltrun_err, "", fmt, args);
	va_end(args);
	return code;
}

static int lines_with(const char *text, const char *what)
{
	int n = 0;

	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

/* The names in a folder, without . and .. */
static int count_names(const char *name)
{
	DIR *d = opendir(scratch(name));
	int n = 0;

	cr_assert_not_null(d, "%s", name);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

/* -- TMPDIR -- */

/* Whether the compiler's source was in that folder: the compiler here is a script that tells what it is given. */
Test(trust, temporaries_are_made_in_tmpdir)
{
	ltrun_write_text("cc.sh", "#!/bin/sh\necho \"$@\" >>told\nexec cc \"$@\"\n");
	cr_assert_eq(chmod(scratch("cc.sh"), 0700), 0);
	make_folder("temp");
	setenv("TMPDIR", scratch("temp"), 1);
	cr_expect_eq(ltrun("add.lt -b cpu -i x=1 -c w=2 -q --cc ./cc.sh"), 0, "%s", err);
	cr_expect_eq(shell("%s", "grep -c -- \"-o $TMPDIR/\" told"), 0, "%s", err);
	cr_expect_eq(count_names("temp"), 0, "temporaries stay");
	cr_expect_eq(shell("find looptree -name 'tmp*' -o -name 'new*'"), 0);
	cr_expect_str_eq(out, "");
	setenv("TMPDIR", "/dev/null/folder", 1);
	cr_expect_eq(ltrun("add.lt -b cpu -i x=1 -c w=2 -q --no-cache"), 1);
	cr_expect(strstr(err, "no temporary folder can be made in '/dev/null/folder'"), "%s", err);
	setenv("TMPDIR", "", 1);
	cr_expect_eq(ltrun("add.lt -b cpu -i x=1 -c w=2 -q --no-cache"), 0, "%s", err);
	/* One where others could exchange what is compiled. */
	cr_assert_eq(chmod(scratch("temp"), 0777), 0);
	setenv("TMPDIR", scratch("temp"), 1);
	cr_expect_eq(ltrun("add.lt -b cpu -i x=1 -c w=2 -q --no-cache"), 1);
	cr_expect(strstr(err, "everybody may write to the folder for temporary files, '") && strstr(err, "(chmod +t)"),
		"%s", err);
	cr_expect_eq(ltrun("add.lt -i x=1 -c w=2 -q --no-cache -b ref"), 0, "%s", err);
	cr_assert_eq(chmod(scratch("temp"), 01777), 0);
	cr_expect_eq(ltrun("add.lt -b cpu -i x=1 -c w=2 -q --no-cache"), 0, "%s", err);
}

/* -- damaged caches -- */

#define CACHE "looptree"
static const char right[] = "result: float32 (2, 3)\n[[3. 3. 3.]\n [3. 3. 3.]]\n";

/* The only file of the cache that ends so, under its scratch name; its size. */
static int64_t find_entry(const char *ending, char path[128])
{
	DIR *d = opendir(scratch(CACHE));
	struct stat st = { 0 };

	cr_assert_not_null(d);
	for (struct dirent *e; (e = readdir(d)); )
		if (strlen(e->d_name) > 4 && !strcmp(e->d_name + strlen(e->d_name) - 4, ending))
			snprintf(path, 128, CACHE "/%.64s", e->d_name);
	closedir(d);
	cr_assert_eq(lstat(scratch(path), &st), 0);
	return st.st_size;
}

/* One run: right, of so many lines of warning, within the time. */
static bool runs(const char *what, int max_warnings, bool cached)
{
	int code = shell("timeout 100 %s add.lt -b cpu -i x=1 -c w=2 -v", built("lt-run"));
	int warnings = lines_with(err, "warning: ");
	bool good = code == 0 && !strcmp(out, right) && warnings <= max_warnings
		&& (!cached || strstr(err, "0 compiled, 1 from the cache"));

	cr_expect(good, "%s: exit %d, %d warnings, of %d\n%s%s", what, code, warnings, max_warnings, out, err);
	return good;
}

struct sweep { int n, good, warned; };

/* After the damage: right, told at most once; then (own) repaired, so that the next run finds it and is silent. */
static void damaged(struct sweep *s, const char *what, bool own)
{
	bool good = runs(what, 1, false);

	s->warned += strstr(err, "warning: ") != NULL;
	good = good && (!own || runs(what, 0, true));
	s->n++;
	s->good += good;
}

static void restore(const char *path)
{
	cr_assert_eq(shell("rm -rf %s && cp sound %s && chmod 600 %s", path, path, path), 0, "%s", err);
}

static void flip(const char *path, int64_t at)
{
	FILE *f = fopen(scratch(path), "r+b");
	int c = f && !fseek(f, (long)at, SEEK_SET) ? fgetc(f) : EOF;

	cr_assert(c != EOF && !fseek(f, (long)at, SEEK_SET) && fputc(c ^ 1 << at % 8, f) != EOF && !fclose(f));
}

static void sweep_entry(struct sweep *s, const char *ending)
{
	/* What stands in its place; own: it is of the kind that is replaced. */
	static const struct { const char *what, *command; bool own, root; } kinds[] = {
		{ "empty", "rm %s && touch %s && chmod 600 %s", true, false },
		{ "huge", "truncate -s 1T %s", true, false },
		{ "longer", "printf x >>%s", true, false },
		{ "other text", "echo hello >%s", true, false },
		{ "group-writable", "chmod 620 %s", true, false },
		{ "writable by all", "chmod 602 %s", true, false },
		{ "of another user", "chown 65534 %s", true, true },
		{ "a link to a sound one", "rm %s && ln -s ../sound %s", false, false },
		{ "a link to itself", "rm %s && ln -s $(basename %s) %s", false, false },
		{ "a dangling link", "rm %s && ln -s /dev/null/none %s", false, false },
		{ "a fifo", "rm %s && mkfifo -m 600 %s", false, false },
		{ "a folder", "rm %s && mkdir %s", false, false },
		{ "a full folder", "rm %s && mkdir %s && touch %s/x", false, false },
		{ "a device", "rm %s && mknod -m 600 %s c 1 5", false, true },
	};
	char path[128], what[160];
	int64_t bytes = find_entry(ending, path);

	cr_assert_eq(shell("cp %s sound", path), 0);
	for (int i = 0; i < 24; i++) {
		int64_t at = i < 8 ? i * 4 : 32 + (bytes - 33) * (i - 8) / 15;

		flip(path, at);
		snprintf(what, sizeof what, "%s, bit at %lld", ending, (long long)at);
		damaged(s, what, true);
		restore(path);
	}
	for (int i = 0; i < 8; i++) {
		int64_t at = i < 2 ? 1 + 31 * i : bytes - 1 - (bytes - 40) * (i - 2) / 5;

		cr_assert_eq(truncate(scratch(path), at), 0);
		snprintf(what, sizeof what, "%s, cut to %lld", ending, (long long)at);
		damaged(s, what, true);
		restore(path);
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char command[600];

		if (kinds[i].root && geteuid() != 0)
			continue;
		snprintf(command, sizeof command, kinds[i].command, path, path, path, path);
		/* Not every container may make devices. */
		if (shell("%s", command) != 0) {
			cr_expect(kinds[i].root, "%s: %s", kinds[i].what, err);
			restore(path);
			continue;
		}
		snprintf(what, sizeof what, "%s, %s", ending, kinds[i].what);
		damaged(s, what, kinds[i].own);
		restore(path);
	}
}

/* An entry of the compiled code, and one of what was asked of the compiler. */
Test(trust, damaged_entries)
{
	struct sweep s = { 0 };

	cr_assert(runs("a first run", 0, false));
	cr_assert(runs("another one", 0, true));
	sweep_entry(&s, ".ltk");
	sweep_entry(&s, ".lti");
	fprintf(stderr,
		"told: damaged entries: %d kinds of damage, %d right and repaired where they are ours, %d told\n", s.n,
		s.good, s.warned);
	cr_expect(s.n >= 80 && s.good == s.n && s.warned == s.n);
}

/* The folder itself: the usual one is done without, with one line; the same one, named, is an error. */
Test(trust, damaged_folders)
{
	static const struct { const char *what, *command, *says; bool root;
	} kinds[] = {
		{ "writable by its group", "chmod 770 " CACHE, "its group may write to it", false },
		{ "writable by all", "chmod 777 " CACHE, "everybody may write to it", false },
		{ "writable by all, sticky", "chmod 1777 " CACHE, "everybody may write to it", false },
		{ "of another user", "chown 65534 " CACHE, "it belongs to another user (uid 65534)", true },
		{ "a link", "mv " CACHE " real && ln -s real " CACHE, "it is a link", false },
		{ "a file", "rm -r " CACHE " && touch " CACHE, "it is not a folder", false },
		{ "a fifo", "rm -r " CACHE " && mkfifo " CACHE, "it is not a folder", false },
		{ "a dangling link", "rm -r " CACHE " && ln -s /dev/null/none " CACHE, "it is a link", false },
		{ "with other files", "rm " CACHE "/looptree-cache && touch " CACHE "/letter.txt",
			"holds others, such as 'letter.txt'", false },
		{ "whose marker is a link", "cd " CACHE " && rm looptree-cache && ln -s /etc/passwd looptree-cache",
			"is not a regular file", false },
		{ "whose marker is a fifo", "cd " CACHE " && rm looptree-cache && mkfifo looptree-cache",
			"is not a regular file", false },
		{ "whose marker is another's", "chown 65534 " CACHE "/looptree-cache", "it belongs to another user",
			true },
	};
	int n = 0;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (kinds[i].root && geteuid() != 0)
			continue;
		cr_assert_eq(shell("rm -rf " CACHE " real"), 0);
		cr_assert(runs("a sound folder", 0, false));
		cr_assert_eq(shell("%s", kinds[i].command), 0, "%s: %s", kinds[i].what, err);
		runs(kinds[i].what, 1, false);
		cr_expect(lines_with(err, kinds[i].says) == 1 && strstr(err, "; give "), "%s\n%s", kinds[i].what, err);
		cr_expect_eq(ltrun("add.lt -b cpu -i x=1 -c w=2 --cache-dir " CACHE), 2, "%s\n%s", kinds[i].what, err);
		cr_expect(strstr(err, kinds[i].says), "%s\n%s", kinds[i].what, err);
		cr_expect_eq(ltrun("--cache=clear"), 1, "%s", kinds[i].what);
		cr_expect(strstr(err, kinds[i].says), "%s\n%s", kinds[i].what, err);
		n++;
	}
	fprintf(stderr, "told: unusable folders: %d kinds, done without with one line, an error if named\n", n);
	/* One above it that everybody can put another one in. */
	cr_assert_eq(shell("rm -rf " CACHE " real; mkdir -m 777 shared && mkdir -p shared/x && chmod 777 shared/x"), 0);
	setenv("XDG_CACHE_HOME", scratch("shared/x"), 1);
	runs("below a folder of everybody's", 1, false);
	cr_expect_eq(lines_with(err, "everybody may write to the folder '..' above it, which has no sticky bit"), 1,
		"%s", err);
}

Test(trust, no_home)
{
	static const struct { const char *environment, *says; } cases[] = {
		{ "env -u HOME -u XDG_CACHE_HOME", "HOME is not set" },
		{ "env HOME= XDG_CACHE_HOME=", "HOME is not set" },
		{ "env HOME=here XDG_CACHE_HOME=", "HOME is not an absolute path" },
		{ "env HOME=/dev/null/none XDG_CACHE_HOME=", "HOME is '/dev/null/none': Not a directory" },
		{ "env HOME=/proc/1/root/x XDG_CACHE_HOME=", "HOME is '/proc/1/root/x': " },
		{ "env XDG_CACHE_HOME=/dev/null/x", "XDG_CACHE_HOME is '/dev/null/x': Not a directory" },
		{ "env HOME=/dev/null XDG_CACHE_HOME=", "cannot hold compiled code: Not a directory" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool other = !strncmp(cases[i].environment, "env HOME=/dev/null", 18) && geteuid() != 0;

		cr_expect_eq(shell("%s timeout 100 %s add.lt -b cpu -i x=1 -c w=2", cases[i].environment, built("lt-run")), 0,
			"%s\n%s", cases[i].environment, err);
		cr_expect_str_eq(out, right);
		cr_expect(lines_with(err, "\n") == 1 && (other || strstr(err, cases[i].says)), "%s\n%s", cases[i].environment, err);
	}
	cr_expect_eq(shell("env -u HOME -u XDG_CACHE_HOME %s add.lt -i x=1 -c w=2 -q -b ref", built("lt-run")), 0);
	cr_expect_str_eq(err, "", "ref keeps nothing: %s", err);
	if (geteuid() == 0) {           /* as with sudo */
		cr_assert_eq(shell("mkdir theirs && chown 65534 theirs"), 0);
		cr_expect_eq(shell("HOME=$PWD/theirs XDG_CACHE_HOME= %s add.lt -b cpu -i x=1 -c w=2 -q", built("lt-run")), 0,
			"%s", err);
		cr_expect(strstr(err, "/theirs', which belongs to another user (uid 65534)"), "%s", err);
		cr_expect_eq(count_names("theirs"), 0);
	}
}

/* Disks of a kind of their own need a namespace of mounts. */
static bool with_disk(const char *options, const char *command)
{
	return shell("unshare -m sh -c 'mkdir -p disk && mount -t tmpfs -o %s tmpfs disk && { %s; }'", options, command) == 0;
}

Test(trust, disks_that_are_full_or_read_only)
{
	char command[2000], run[512];

	if (!with_disk("size=64k", "true"))
		cr_skip_test("no disk can be mounted: %s", err);
	snprintf(run, sizeof run, "%s", built("lt-run"));       /* which is overwritten soon */
	snprintf(command, sizeof command,
		"export XDG_CACHE_HOME=$PWD/disk; dd if=/dev/zero of=disk/x bs=4k 2>dd; timeout 100 %s add.lt -i x=1 "
		"-c w=2",
		run);
	cr_expect(with_disk("size=64k", command), "full: %s", err);
	cr_expect_str_eq(out, right);
	cr_expect(lines_with(err, "\n") == 1 && strstr(err, "warning: ") && strstr(err, "No space left on device"),
		"full: %s", err);
	snprintf(command, sizeof command,
		"export XDG_CACHE_HOME=$PWD/disk; %s add.lt -b cpu -i x=1 -c w=2 -q && dd if=/dev/zero of=disk/x bs=4k 2>dd; "
		"timeout 100 %s add.lt -b cpu -i x=1 -c w=2 --cc \"env cc\"",
		run, run);
	cr_expect(with_disk("size=64k", command), "filled: %s", err);
	cr_expect(!strcmp(out, right) && lines_with(err, "\n") == 1 && strstr(err, "compiled code cannot be cached in"),
		"filled: %s%s", out, err);
	snprintf(command, sizeof command,
		"dd if=/dev/zero of=disk/x bs=4k 2>dd; timeout 100 %s add.lt -b cpu -i x=1 -c w=2 --cache-dir disk/c", run);
	cr_expect(with_disk("size=64k", command), "named and full: %s", err);
	cr_expect(!strcmp(out, right) && lines_with(err, "\n") == 1 && strstr(err, "No space left on device"),
		"named and full: %s", err);
	snprintf(command, sizeof command,
		"export XDG_CACHE_HOME=$PWD/disk; mount -o remount,ro disk; timeout 100 %s add.lt -b cpu -i x=1 -c w=2", run);
	cr_expect(with_disk("size=64k", command), "read-only: %s", err);
	cr_expect(!strcmp(out, right) && lines_with(err, "\n") == 1 && strstr(err, "Read-only file system"),
		"read-only: %s", err);
	/* What was kept before is read from there. */
	snprintf(command, sizeof command,
		"export XDG_CACHE_HOME=$PWD/disk; %s add.lt -b cpu -i x=1 -c w=2 -q && mount -o remount,ro disk; timeout 100 "
		"%s add.lt -b cpu -i x=1 -c w=2 -v",
		run, run);
	cr_expect(with_disk("size=640k", command), "read-only: %s", err);
	cr_expect(!strcmp(out, right) && strstr(err, "1 from the cache"), "read-only: %s", err);
	/* Code is not loaded from the cache's disk, and may lie on one that holds no programs. */
	snprintf(command, sizeof command,
		"export XDG_CACHE_HOME=$PWD/disk; %s add.lt -b cpu -i x=1 -c w=2 -q && timeout 100 %s add.lt -b cpu -i x=1 -c w=2 -v",
		run, run);
	cr_expect(with_disk("size=640k,noexec", command), "noexec: %s", err);
	cr_expect(!strcmp(out, right) && strstr(err, "1 from the cache") && !strstr(err, "warning"), "noexec: %s", err);
}

/* -- another user -- */

enum { VICTIM = 65534, ATTACKER = 54321 };
struct host_head { char magic[8]; uint64_t key_bytes, data_bytes, checksum; };
struct cpu_head { char magic[8]; int64_t shared, private_, threads; uint64_t bytes, checksum; };

static char *read_whole(const char *path, size_t *bytes)
{
	struct lt_bytes b;
	char *at;

	cr_assert_eq(lt__bytes_read(ltrun_ctx, path, &b), LT_OK, "%s", lt_context_message(ltrun_ctx));
	at = malloc(b.n + 1);
	cr_assert_not_null(at);
	memcpy(at, b.at, b.n);
	*bytes = b.n;
	lt__bytes_free(&b);
	return at;
}

/* The entry, sound in all of its sums, with other code in it: the attack that worked. */
static void poison(const char *path)
{
	size_t entry_bytes, code_bytes;
	char *entry = read_whole(scratch(path), &entry_bytes);
	struct host_head head;
	struct cpu_head cpu;

	char text[1000];
	snprintf(text, sizeof text,
		"#include <fcntl.h>\n__attribute__((constructor)) static void run(void) { open(\"%s\", O_CREAT, 0666); }\n"
		"void lt_kernel(void) { }\n", scratch("ran"));
	ltrun_write_text("evil.c", text);
	cr_assert_eq(shell("cc -shared -fPIC -o evil.so evil.c"), 0, "%s", err);
	char *code = read_whole(scratch("evil.so"), &code_bytes);
	memcpy(&head, entry, sizeof head);
	memcpy(&cpu, entry + sizeof head + head.key_bytes, sizeof cpu);
	cpu.bytes = code_bytes;
	cpu.checksum = XXH3_64bits(code, code_bytes);
	head.data_bytes = sizeof cpu + code_bytes;
	size_t rest = head.key_bytes + head.data_bytes;
	char *made = malloc(sizeof head + rest);
	cr_assert_not_null(made);
	memcpy(made + sizeof head, entry + sizeof head, head.key_bytes);
	memcpy(made + sizeof head + head.key_bytes, &cpu, sizeof cpu);
	memcpy(made + sizeof head + head.key_bytes + sizeof cpu, code, code_bytes);
	head.checksum = XXH3_64bits(made + sizeof head, rest);
	memcpy(made, &head, sizeof head);
	FILE *f = fopen(scratch("evil.ltk"), "wb");
	cr_assert(f && fwrite(made, 1, sizeof head + rest, f) == sizeof head + rest && fclose(f) == 0);
	free(entry);
	free(code);
	free(made);
}

static int as(int user, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int as(int user, const char *fmt, ...)
{
	char command[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(command, sizeof command, fmt, args);
	va_end(args);
	return shell("setpriv --reuid=%d --regid=%d --clear-groups env HOME=$PWD XDG_CACHE_HOME=$PWD/victim sh -c '%s'",
		user, user, command);
}

static void attacked(const char *how)
{
	int code = as(VICTIM, "timeout 100 %s add.lt -b cpu -i x=1 -c w=2", built("lt-run"));

	cr_expect(code == 0 && !strcmp(out, right), "%s: exit %d\n%s%s", how, code, out, err);
	cr_expect_eq(lines_with(err, "warning: "), 1, "%s: %s", how, err);
	cr_expect_neq(access(scratch("ran"), F_OK), 0, "%s: the other user's code was run", how);
	unlink(scratch("ran"));
}

Test(trust, another_user_replaces_entry_or_folder)
{
	static const char *const ways[][2] = {
		{ "the folder is everybody's, and the entry replaced",
			"chmod 777 victim/looptree; as_attacker cp evil.ltk victim/looptree/new; as_attacker mv -f "
			"victim/looptree/new $entry" },
		{ "the same, closed again afterwards",
			"chmod 777 victim/looptree; as_attacker cp evil.ltk victim/looptree/new; as_attacker mv -f "
			"victim/looptree/new $entry; chmod 700 victim/looptree" },
		{ "the entry is everybody's",
			"chmod 666 $entry; chmod 711 victim/looptree; as_attacker dd if=evil.ltk of=$entry "
			"2>/dev/null" },
		{ "the folder is replaced",
			"chmod 777 victim; as_attacker mv victim/looptree victim/away; as_attacker mkdir -m 700 "
			"victim/looptree; as_attacker cp evil.ltk $entry; as_attacker touch "
			"victim/looptree/looptree-cache" },
		{ "the folder is a link to the attacker's",
			"chmod 777 victim; as_attacker mv victim/looptree victim/away; as_attacker mkdir -m 755 mine; "
			"as_attacker cp evil.ltk mine/${entry##*/}; as_attacker touch mine/looptree-cache; as_attacker "
			"ln -s $PWD/mine victim/looptree" },
		{ "the entry is a link to the attacker's",
			"chmod 777 victim/looptree; as_attacker rm -f $entry; as_attacker ln -s $PWD/evil.ltk $entry; "
			"chmod 700 victim/looptree" },
	};
	char entry[128] = "";

	if (geteuid() != 0)
		cr_skip_test("only root can be two users");
	unlink(scratch("ran"));
	cr_assert_eq(shell("chmod 1777 . && mkdir -m 755 victim && chown %d:%d victim", VICTIM, VICTIM), 0);
	if (as(VICTIM, "%s --version", built("lt-run")) != 0)
		cr_skip_test("another user cannot run it: %s", err);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		cr_assert_eq(shell("rm -rf victim mine && mkdir -m 755 victim && chown %d:%d victim", VICTIM, VICTIM), 0, "%s", err);
		cr_assert_eq(as(VICTIM, "%s add.lt -b cpu -i x=1 -c w=2 -q", built("lt-run")), 0, "%s", err);
		cr_assert_eq(shell("ls victim/looptree/*.ltk"), 0);
		snprintf(entry, sizeof entry, "%.*s", (int)strcspn(out, "\n"), out);
		poison(entry);
		if (i == 0) {           /* it is an attack: where it is the user's own, the code runs */
			cr_assert_eq(shell("cp evil.ltk %s", entry), 0);
			as(VICTIM, "%s add.lt -b cpu -i x=1 -c w=2", built("lt-run"));
			cr_assert_eq(access(scratch("ran"), F_OK), 0, "the attack does not work at all: %s", err);
			unlink(scratch("ran"));
		}
		cr_assert_eq(shell("entry=%s; as_attacker() { setpriv --reuid=%d --regid=%d --clear-groups \"$@\"; }; "
				   "%s; true",
				     entry, ATTACKER, ATTACKER, ways[i][1]),
			0, "%s: %s", ways[i][0], err);
		cr_assert_str_eq(err, "", "%s: %s", ways[i][0], err);
		attacked(ways[i][0]);
	}
	fprintf(stderr, "told: attacks on a shared cache: %d ways, all refused, results right\n",
		(int)(sizeof ways / sizeof *ways));
}
