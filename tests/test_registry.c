/* test_registry.c -- which backends there are, and what the loader says of plug-ins that do not fit.
 *
 * The plug-ins are built by the Makefile into $O/tests/plugins.
 */
#include <criterion/criterion.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backends/backends.h"
#include "built.h"
#include "keeper.h"
#include "lt/backend.h"

static void path_of(char *path, size_t cap, const char *name)
{
	const char *o = getenv("O");
	(void)snprintf(path, cap, "%s/tests/plugins/%s", o ? o : "build", name);
}

Test(registry, ours_are_there_in_order)
{
	cr_expect_null(lt_backend_complaint(), "%s", lt_backend_complaint());
	cr_assert(lt_backend_find("cpu") && lt_backend_find("ref"));
	cr_expect_null(lt_backend_find("cp"));
	cr_expect_null(lt_backend_find("cpu2"));
	cr_expect_null(lt_backend_at(lt_backend_count()));
	for (uint32_t i = 0; i + 1 < lt_backend_count(); i++)
		cr_expect(strcmp(lt_backend_at(i)->name, lt_backend_at(i + 1)->name) < 0);
}

Test(registry, loader_says_what_is_wrong)
{
	static const struct { const char *file; lt_status status; const char *text;
	} cases[] = {
		{ "not-there.so", LT_ELOAD, "not-there.so: cannot be loaded: No such file or directory" },
		{ ".", LT_ELOAD, ".: cannot be loaded: it is a folder" },
		{ "nosymbol.so", LT_ELOAD, "nosymbol.so: it has no symbol lt_backend_entry, so it is not a backend" },
		{ "major.so", LT_EABI,
			"major.so: it was built for version 2.0 of the backend interface, and this library has 1.1" },
		{ "minor.so", LT_OK, "" },
		{ "refuses.so", LT_EABI, "refuses.so: it does not know version 1.1 of the backend interface" },
		{ "short.so", LT_EABI, "too short for the mandatory functions" },
		{ "nosize.so", LT_EABI, "nosize.so: the size of its table is 0" },
		{ "missing.so", LT_EINVAL, "missing.so: backend missing has no 'sync', which is mandatory" },
		{ "sanitizer.so", LT_EABI, "sanitizer.so: it was built " },
		{ "half_events.so", LT_EINVAL,
			"half_events.so: backend half_events has event_new but not event_record: all of event_new, "
			"event_record, event_ns, event_free or none" },
		{ "badname.so", LT_EINVAL, "'Bad,name' is not a valid name for a backend" },
		{ "duplicate.so", LT_EEXIST,
			"two backends are called 'ref': interpreter in double precision: slow, for comparison (linked "
			"in) and another ref (" },
		{ "plain.so", LT_OK, "" },
		{ "older.so", LT_OK, "" },
		{ "newer.so", LT_OK, "" },
		{ "plain.so", LT_EEXIST, "two backends are called 'plain': computes nothing (" },
	};
	uint32_t before = lt_backend_count();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char path[512];
		struct keeper k = keeper_new();
		path_of(path, sizeof path, cases[i].file);
		lt_status status = lt_backend_load(path, &k.diag);
		cr_expect_eq(status, cases[i].status, "%s: %s, %s", path, lt_status_name(status), k.text);
		cr_expect(strstr(k.text, cases[i].text) != NULL, "%s: %s", path, k.text);
		cr_expect_eq(k.n, status ? 1 : 0);
		cr_expect_eq(lt_backend_load(path, NULL), status == LT_OK ? LT_EEXIST : status);        /* nobody to tell */
	}
	cr_expect_eq(lt_backend_count(), before + 4);
	const struct lt_backend *older = lt_backend_find("older"), *newer = lt_backend_find("newer");
	cr_assert(older && newer);
	cr_expect(!LT_HAS(struct lt_backend, older, need) && !LT_HAS(struct lt_backend, older, dump));
	struct lt_session *s;
	const struct lt_host host = { .size = sizeof host };
	cr_assert_eq(newer->open(&host, "", &s, NULL), LT_OK);
	cr_expect_eq(newer->caps(s)->target->vector_bytes, 4);
	newer->close(s);
}

/* What comes after the path that the sentence begins with. */
static const char *once(const char *text, const char *path)
{
	cr_assert(strncmp(text, path, strlen(path)) == 0, "%s", text);
	return text + strlen(path);
}

static void copy_file(const char *from, const char *to)
{
	char command[1200], out[16], err[512];
	(void)snprintf(command, sizeof command, "cp %s %s", from, to);
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
}

/* What is not in the file ends the process if somebody reads it, the loader included. */
Test(registry, a_plugin_that_was_cut_short)
{
	char whole[512], part[512], want[128];
	struct stat st;
	path_of(whole, sizeof whole, "plain.so");
	(void)snprintf(part, sizeof part, "%s", scratch("part.so"));
	cr_assert_eq(stat(whole, &st), 0);
	const long long all = (long long)st.st_size;
	const long long bytes[] = { sizeof(ElfW(Ehdr)), 100, 1000, 4096, all / 4, all / 2, all * 9 / 10, all - 1 };
	for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
		struct keeper k = keeper_new();
		copy_file(whole, part);
		cr_assert_eq(truncate(part, (off_t)bytes[i]), 0);
		cr_expect_eq(lt_backend_load(part, &k.diag), LT_ELOAD, "%lld bytes", bytes[i]);
		(void)snprintf(want, sizeof want, ": cannot be loaded: truncated: %lld of %lld bytes", bytes[i], all);
		cr_expect_str_eq(once(k.text, part), want);
		cr_expect_str_eq(k.remedy, "copy it, or make it, again");
	}
	/* A file whose segments are beyond any end. */
	ElfW(Ehdr) head;
	ElfW(Phdr) segment;
	copy_file(whole, part);
	FILE *f = fopen(part, "r+");
	cr_assert(f && fread(&head, sizeof head, 1, f) == 1 && fseek(f, (long)head.e_phoff, SEEK_SET) == 0
		&& fread(&segment, sizeof segment, 1, f) == 1);
	segment.p_offset = UINT64_MAX - 8;
	cr_assert(fseek(f, (long)head.e_phoff, SEEK_SET) == 0
		&& fwrite(&segment, sizeof segment, 1, f) == 1 && fclose(f) == 0);
	struct keeper k = keeper_new();
	cr_expect_eq(lt_backend_load(part, &k.diag), LT_ELOAD);
	cr_expect(strstr(k.text, ": cannot be loaded: truncated: "), "%s", k.text);
	scratch_remove();
}

/* The loader's own sentence says which one. */
Test(registry, a_plugin_whose_library_is_missing)
{
	static char out[4096], err[4096], command[2048];
	struct keeper k = keeper_new();
	(void)snprintf(command, sizeof command,
		"cd %s && echo 'int gone(void) { return 1; }' >gone.c && "
		"echo 'int gone(void); int f(void) { return gone(); }' >f.c && "
		"cc -shared -fPIC -o libgone.so gone.c -Wl,-soname,libgone.so && cc -shared -fPIC -o f.so f.c -L. "
		"-lgone && rm libgone.so",
		scratch(""));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	cr_expect_eq(lt_backend_load(scratch("f.so"), &k.diag), LT_ELOAD);
	cr_expect(strstr(k.text, "f.so: cannot be loaded: libgone.so: cannot open shared object file"), "%s", k.text);
	(void)snprintf(command, sizeof command, "cd %s && cc -shared -fPIC -o g.so f.c", scratch(""));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	cr_expect_eq(lt_backend_load(scratch("g.so"), &k.diag), LT_ELOAD);
	cr_expect_str_eq(once(k.text, scratch("g.so")), ": cannot be loaded: undefined symbol: gone");
	(void)snprintf(command, sizeof command, "%s", scratch("text.so"));
	FILE *f = fopen(command, "w");
	cr_assert(f
		&& fputs("no library at all, but long enough that the loader reads what would be the head of one\n", f)
			> 0
		&& fclose(f) == 0);
	cr_expect_eq(lt_backend_load(command, &k.diag), LT_ELOAD);
	cr_expect_str_eq(once(k.text, command), ": cannot be loaded: it is not a shared library");
	cr_expect(strstr(k.remedy, "cc -shared"), "%s", k.remedy);
	f = fopen(command, "w");
	cr_assert(f
		&& fputs("\177ELF, and then nothing of the kind that makes the loader read on, however long it may be "
			 "for one",
			   f)
			> 0
		&& fclose(f) == 0);
	cr_expect_eq(lt_backend_load(command, &k.diag), LT_ELOAD);
	cr_expect(strncmp(once(k.text, command), ": cannot be loaded: ", 20) == 0
			&& !strstr(once(k.text, command), "/text.so"),
		"%s", k.text);
	cr_expect_eq(lt_backend_load("/dev/null", &k.diag), LT_ELOAD);
	cr_expect_str_eq(k.text, "/dev/null: cannot be loaded: it is no file");
	cr_expect_eq(lt_backend_load("", &k.diag), LT_EINVAL);
	cr_expect_str_eq(k.text, "the name of a plug-in is empty");
	cr_assert_eq(chdir(scratch("")), 0);    /* the loader is given ./g.so then */
	cr_expect_eq(lt_backend_load("g.so", &k.diag), LT_ELOAD);
	cr_expect_str_eq(k.text, "g.so: cannot be loaded: undefined symbol: gone");
	cr_assert_eq(chdir("/"), 0);
	scratch_remove();
}

/* Before it is loaded: the runtime of a sanitizer that the process does not have would end it.  The plug-in is
 * tests/plugins/plain.c. */
Test(registry, a_file_says_how_it_was_built)
{
	static const struct { const char *flags; uint32_t build; const char *says; } cases[] = {
		{ "", 0, "without a sanitizer" }, { "-fsanitize=address", 1, "with the address sanitizer" },
		{ "-fsanitize=thread", 2, "with the thread sanitizer" }, { "-fsanitize=undefined", 0, "without a sanitizer" },
		{ "-fsanitize=address -s -O2 -Wl,--gc-sections -fdata-sections", 1, "with the address sanitizer" },
	};
	static char out[4096], err[4096], command[4096], want[1024];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct keeper k = keeper_new();
		(void)snprintf(command, sizeof command, "cc -shared -fPIC -fvisibility=hidden -DLT_PLUGIN -Iinclude %s -o %s "
			"tests/plugins/plain.c", cases[i].flags, scratch("f.so"));
		cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
		if (cases[i].build == LT_BUILD)         /* as is plain.so, which other tests load */
			continue;
		cr_expect_eq(lt_backend_load(scratch("f.so"), &k.diag), LT_EABI, "%s: %s", cases[i].flags, k.text);
		(void)snprintf(want, sizeof want, "%s: it was built %s, this library ", scratch("f.so"), cases[i].says);
		cr_expect_eq(strncmp(k.text, want, strlen(want)), 0, "%s", k.text);
		cr_expect_str_eq(k.remedy, "build both alike");
	}
	/* Nothing refers to the mark; a linker that leaves out what nothing needs keeps it. */
	(void)snprintf(command, sizeof command, "cc -shared -fPIC -fvisibility=hidden -DLT_PLUGIN -Iinclude -O2 "
		"-fdata-sections "
		"-Wl,--gc-sections -o %s tests/plugins/plain.c && grep -q '" LT_BACKEND_MARK "' %s", scratch("f.so"),
		scratch("f.so"));
	cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	/* A mark that the end of the file has cut off says nothing; the loader does. */
	struct keeper k = keeper_new();
	FILE *f = fopen(scratch("f.so"), "w");
	cr_assert(f && fwrite("\177ELF " LT_BACKEND_MARK "\0\1", sizeof LT_BACKEND_MARK + 6, 1, f) == 1 && fclose(f) == 0);
	cr_expect_eq(lt_backend_load(scratch("f.so"), &k.diag), LT_ELOAD, "%s", k.text);
	scratch_remove();
}

/* What a plug-in of ours shows, and what it takes of the library: one function, and none. */
Test(registry, ours_need_nothing_of_the_library)
{
	static const char *const ours[] = { "ref", "cpu" };
	static char out[1 << 16], err[4096], command[1024];
	for (int i = 0; i < 2; i++) {
		(void)snprintf(command, sizeof command, "nm -D --defined-only %s/%s.so | sed 's/.* //' | grep -v '^__'; "
			"nm -D --undefined-only %s/%s.so | grep ' lt_'", built("plugins"), ours[i], built("plugins"), ours[i]);
		(void)run_command(command, out, sizeof out, err, sizeof err);
		cr_expect_str_eq(out, "lt_backend_entry\n", "%s: %s%s", ours[i], out, err);
	}
}

/* One file by two names is one backend twice; both names are reported. */
Test(registry, a_link_to_a_plugin_is_the_same_one)
{
	char path[512], want[2048];
	struct keeper k = keeper_new();
	path_of(path, sizeof path, "plain.so");
	char *real = realpath(path, NULL), *link = strdup(scratch("link.so"));
	cr_assert(real && symlink(real, link) == 0);
	cr_assert_eq(lt_backend_load(real, &k.diag), LT_OK, "%s", k.text);
	const struct lt_backend *plain = lt_backend_find("plain");
	cr_expect_eq(lt_backend_load(link, &k.diag), LT_EEXIST);
	(void)snprintf(want, sizeof want,
		"two backends are called 'plain': computes nothing (%s) and computes nothing (%s)", real, link);
	cr_expect_str_eq(k.text, want);
	cr_expect(lt_backend_find("plain") == plain && strcmp(lt_backend_origin(plain), real) == 0
		&& !lt_backend_origin(lt_backend_find("cpu")));
	free(real);
	free(link);
	scratch_remove();
}

/* What constructors cannot tell anybody is kept. */
Test(registry, complaints_are_kept)
{
	static const struct lt_backend broken = { .size = sizeof broken, .abi = LT_ABI, .build = LT_BUILD, .name = "broken" };
	cr_expect_eq(lt_backend_register(&broken, NULL), LT_EINVAL);
	cr_expect_eq(lt_backend_register(lt_backend_find("cpu"), NULL), LT_EEXIST);
	const char *first = lt_backend_complaint();
	cr_assert_not_null(first);
	char *was = strdup(first);
	cr_expect_eq(lt_backend_register(&broken, NULL), LT_EINVAL);
	cr_expect_str_eq(first, was);           /* who holds a text keeps it */
	cr_expect_gt(strlen(lt_backend_complaint()), strlen(was));
	for (int i = 0; i < 200; i++)
		cr_expect_eq(lt_backend_register(&broken, NULL), LT_EINVAL);
	cr_expect_eq(strlen(lt_backend_complaint()), 1023);
	free(was);
	cr_expect(strstr(lt_backend_complaint(), "backend broken has no 'summary'"), "%s", lt_backend_complaint());
	cr_expect(strstr(lt_backend_complaint(), "; two backends are called 'cpu'"), "%s", lt_backend_complaint());
}

/* The layout that plug-ins were built against. */
_Static_assert(offsetof(struct lt_backend, name) == 16 && offsetof(struct lt_backend, score) == 40,
	"struct lt_backend has changed");
_Static_assert(offsetof(struct lt_backend, run) == 88 && offsetof(struct lt_backend, need) == 112,
	"struct lt_backend has changed");
_Static_assert(sizeof(struct lt_slot) == 24 && sizeof(struct lt_fault) == 24, "struct lt_slot or lt_fault has changed");
