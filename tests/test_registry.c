/* tests/test_registry.c -- which backends there are, and what the loader says of plug-ins that do not fit.
 *
 * The plug-ins are built by the Makefile into $O/tests/plugins.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "keeper.h"
#include "lt/backend.h"

static void path_of(char *path, size_t room, const char *name)
{
	const char *o = getenv("O");
	(void)snprintf(path, room, "%s/tests/plugins/%s", o ? o : "build", name);
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
	static const struct { const char *file; lt_status status; const char *text; } cases[] = {
		{ "not-there.so", LT_ELOAD, "not-there.so: cannot be loaded: No such file or directory" },
		{ ".", LT_ELOAD, ".: cannot be loaded: it is not a file" },
		{ "../../../Makefile", LT_ELOAD, "cannot be loaded" },
		{ "nosymbol.so", LT_ELOAD, "nosymbol.so: it has no symbol lt_backend_entry, so it is no backend" },
		{ "major.so", LT_EABI, "major.so: it was built for version 2 of the backend interface, this library has 1" },
		{ "refuses.so", LT_EABI, "refuses.so: it does not know version 1 of the backend interface" },
		{ "short.so", LT_EABI, "too short for the mandatory functions" },
		{ "missing.so", LT_EINVAL, "missing.so: backend missing has no 'sync', which is mandatory" },
		{ "sanitizer.so", LT_EABI, "sanitizer.so: it was built " },
		{ "badname.so", LT_EINVAL, "'Bad,name' is no name for a backend" },
		{ "duplicate.so", LT_EEXIST, "two backends are called 'ref': interpreter in double precision: slow, for comparison (linked in) and another ref (" },
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
	cr_expect_eq(lt_backend_count(), before + 3);
	const struct lt_backend *older = lt_backend_find("older"), *newer = lt_backend_find("newer");
	cr_assert(older && newer);
	cr_expect(!LT_HAS(struct lt_backend, older, need) && !LT_HAS(struct lt_backend, older, dump));
	struct lt_session *s;
	const struct lt_host host = { .size = sizeof host };
	cr_assert_eq(newer->open(&host, "", &s, NULL), LT_OK);
	cr_expect_eq(newer->caps(s)->target->vector_bytes, 4);
	newer->close(s);
}

/* What constructors cannot tell anybody is kept. */
Test(registry, complaints_are_kept)
{
	static const struct lt_backend broken = { .size = sizeof broken, .abi = LT_ABI, .build = LT_BUILD, .name = "broken" };
	cr_expect_eq(lt_backend_register(&broken, NULL), LT_EINVAL);
	cr_expect_eq(lt_backend_register(lt_backend_find("cpu"), NULL), LT_EEXIST);
	cr_assert_not_null(lt_backend_complaint());
	cr_expect(strstr(lt_backend_complaint(), "backend broken has no 'summary'"), "%s", lt_backend_complaint());
	cr_expect(strstr(lt_backend_complaint(), "; two backends are called 'cpu'"), "%s", lt_backend_complaint());
}

/* The layout that plug-ins were built against. */
_Static_assert(offsetof(struct lt_backend, name) == 16 && offsetof(struct lt_backend, score) == 40, "struct lt_backend has changed");
_Static_assert(offsetof(struct lt_backend, run) == 88 && offsetof(struct lt_backend, need) == 112, "struct lt_backend has changed");
_Static_assert(sizeof(struct lt_slot) == 24 && sizeof(struct lt_fault) == 24, "struct lt_slot or lt_fault has changed");
