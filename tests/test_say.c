/* test_say.c -- nothing that comes from outside reaches a terminal as a control character; texts of graphs and
 * trees are read back. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/plain.h"
#include "tests/ltrun.h"
#include "tools/common/common.h"

TestSuite(say, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120);
#define out ltrun_out
#define err ltrun_err

/* Texts, and what is shown of them. */
static const struct { const char *text, *shown;
} cases[] = {
	{ "", "" },
	{ "plain ~!\"\\ text", "plain ~!\"\\ text" },
	{ "\x1b[31mred", "\\x1b[31mred" },
	{ "\x01\x7f\r", "\\x01\\x7f\\x0d" },
	{ "a\nb\tc", "a\nb\tc" },
	{ "gr\xc3\xbc\xc3\x9f, \xe2\x82\xac, \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f, \xe2\x82\xac, \xf0\x9f\x98\x80" },
	{ "\xc2\x85\xc2\x9b"
	  "1m",
		"\\xc2\\x85\\xc2\\x9b1m" }, /* C1: next line, CSI */
	{ "\xc2\xa0", "\xc2\xa0" },
	{ "\x9b"
	  "31m\xff",
		"\\x9b31m\\xff" }, /* no UTF-8 */
	/* longer than need be */
	{ "\xc0\x9b\xe0\x80\x9b\xf0\x80\x80\x9b", "\\xc0\\x9b\\xe0\\x80\\x9b\\xf0\\x80\\x80\\x9b" },
	{ "\xed\xa0\x80\xf4\x90\x80\x80\xf5", "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xf5" }, /* a surrogate, too large */
	/* direction */
	{ "\xe2\x80\xae"
	  "evil\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c",
		"\\xe2\\x80\\xaeevil\\xe2\\x81\\xa6\\xe2\\x80\\x8f\\xd8\\x9c" },
	{ "\xe2\x80\xa8\xe2\x80\xa9", "\\xe2\\x80\\xa8\\xe2\\x80\\xa9" }, /* ends of line and paragraph */
	{ "\xf3\xa0\x81\x81\xef\xbb\xbf", "\\xf3\\xa0\\x81\\x81\\xef\\xbb\\xbf" }, /* a tag, no width */
	{ "cut \xe2\x82", "cut \\xe2\\x82" },
	{ "cut \xe2\x82\x1b", "cut \\xe2\\x82\\x1b" },
};
enum { N_CASE = sizeof cases / sizeof *cases };

Test(say, whole_and_in_all_pieces)
{
	for (int i = 0; i < N_CASE; i++) {
		const char *text = cases[i].text;
		size_t n = strlen(text), bytes;
		char *got;

		for (size_t a = 0; a <= n + 1; a++)             /* n + 1: as a message */
			for (size_t b = a; b <= n && a <= n; b++) {
				FILE *f = open_memstream(&got, &bytes);
				struct lt_says s = { .to = f };

				lt__say_piece(&s, text, a);
				lt__say_piece(&s, text + a, b - a);
				lt__say_piece(&s, text + b, n - b);
				lt__say_end(&s);
				fclose(f);
				cr_expect_str_eq(got, cases[i].shown, "case %d cut at %zu and %zu: %s", i, a, b, got);
				free(got);
			}
		FILE *f = open_memstream(&got, &bytes);
		lt__say(f, "<%s>", text);
		fclose(f);
		cr_expect(bytes == strlen(cases[i].shown) + 2 && !strncmp(got + 1, cases[i].shown, bytes - 2), "case %d: %s", i, got);
		free(got);
	}
}

Test(say, names_are_one_line_and_not_too_long)
{
	char text[5000];

	cr_expect_str_eq(lt__shown("a\nb\t\x1b").text, "a\\x0ab\\x09\\x1b");
	for (int n = 300; n < 5000; n += 7) {
		for (int i = 0; i < n; i++)
			text[i] = "\xe2\x82\xac"[i % 3];
		text[n] = 0;
		const struct lt_shown s = lt__shown(text);

		cr_expect(strlen(s.text) < sizeof s.text && (strlen(s.text) < 1000) == (n < 1000), "%d: %zu", n, strlen(s.text));
		memset(text, '\x1b', (size_t)n);
		cr_expect_lt(strlen(lt__shown(text).text), sizeof s.text);
	}
}

Test(say, words_for_a_shell)
{
	static const struct { const char *word, *shown;
	} words[] = {
		{ "x=FILE.npy", "x=FILE.npy" },
		{ "", "''" },
		{ "a b", "'a b'" },
		{ "it's", "'it'\\''s'" },
		{ "*=1", "'*=1'" },
		{ "$HOME", "'$HOME'" },
		{ "a\nb", "$'a\\x0ab'" },
		{ "'\\\x1b", "$'\\'\\\\\\x1b'" },
		{ "gr\xc3\xbc\xc3\x9f", "'gr\xc3\xbc\xc3\x9f'" },
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		cr_expect_str_eq(lt__shell(words[i].word).text, words[i].shown);
	char text[5000];

	memset(text, '\'', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	cr_expect_lt(strlen(lt__shell(text).text), sizeof(struct lt_shown));
}

/* As printf makes it, but a name has no line of its own. */
Test(say, sentences_of_the_library)
{
	struct lt_context *ctx;
	char want[200];

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	snprintf(want, sizeof want, "%d|%5d|%-5d|%05d|%+d|%lld|%zu|%ld|%u|%#x|%c|%%|%.3s|%.*s|%g|%.3f|%10.2e|%s", -1, 2,
		3, 4, 5, INT64_MIN + 0LL, SIZE_MAX, -7L, 8u, 9u, 'c', "abcdef", 2, "ghi", 0.5, 1.25, 1e100, "");
	(void)lt_fail(ctx, LT_EINVAL, "%d|%5d|%-5d|%05d|%+d|%lld|%zu|%ld|%u|%#x|%c|%%|%.3s|%.*s|%g|%.3f|%10.2e|%s", -1,
		2, 3, 4, 5, INT64_MIN + 0LL, SIZE_MAX, -7L, 8u, 9u, 'c', "abcdef", 2, "ghi", 0.5, 1.25, 1e100, "");
	cr_expect_str_eq(lt_context_message(ctx), want);
	(void)lt_fail(ctx, LT_EINVAL, "a\n'%s'%c'%.3s' %-s %*d", "x\ny\x1b", '\n', "12\n4", "c\nd", 3, 7);
	cr_expect_str_eq(lt_context_message(ctx), "a\n'x\\x0ay\\x1b'\\x0a'12\\x0a' c\nd   7");
	/* It may hold its own last sentence, and ends where there is no room. */
	(void)lt_fail(ctx, LT_EINVAL, "%-s; again: %-s", lt_context_message(ctx), lt_context_message(ctx));
	cr_expect_str_eq(lt_context_message(ctx),
		"a\n'x\\x0ay\\x1b'\\x0a'12\\x0a' c\nd   7; again: a\n'x\\x0ay\\x1b'\\x0a'12\\x0a' c\nd   7");
	char *text = malloc(20001);

	memset(text, '\n', 20000);
	text[20000] = '\0';
	(void)lt_fail(ctx, LT_EINVAL, "%s%s", text, text);
	cr_expect_eq(strlen(lt_context_message(ctx)), sizeof ctx->message - 1);
	free(text);
	lt_context_free(ctx);
}

/* Nor does a name look like a line of ours. */
Test(say, names_with_lines)
{
	static const char *const args[] = {
		"'no\nlt-run: fine.lt'",
		"lines.graph",
		"lines.graph -i 'a\nlt-run: fine=no'",
		"lines.graph -i '*=1\nlt-run: fine'",
		"lines.graph -b 'x\nlt-run: fine'",
		"lines.graph -i '*=no\nlt-run: fine.npy'",
		"lines.graph -i '*=1' --schedule 'no\nlt-run: fine'",
		"lines.graph -i '*=1' --apply 'split\nlt-run: fine'",
		"'--no\nlt-run: fine'",
		"lines.graph -i '*=1' -o 'no/\nlt-run: fine.npy'",
		"lines.graph -i '*=1' --cache-dir 'lines.graph\nlt-run: fine'",
		"'bad\nlt-run: fine.graph'",
		"-B 'no\nlt-run: fine.so' lines.graph",
		"--dump='a\nlt-run: fine' lines.graph",
	};

	ltrun_write_text("lines.graph", "graph 1\nvar m 3\n%x = f32[m] input \"a\\nlt-run: fine\"\nresult \"r\" = %x\n");
	ltrun_write_text("bad\nlt-run: fine.graph", "graph 1\nvar m 3\n%x = f32[m] inpt\n");
	for (size_t i = 0; i < sizeof args / sizeof *args; i++) {
		const char *at = err;

		(void)ltrun("%s", args[i]);
		cr_expect(*err || i == 10, "%s says nothing", args[i]);
		while ((at = strstr(at, "lt-run: fine"))) {
			cr_expect(at > err && at[-1] != '\n', "%s:\n%s", args[i], err);
			at++;
		}
	}
}

/* A long message is said as a whole. */
Test(say, long_messages)
{
	char *text = malloc(100001), *got;
	size_t bytes;
	FILE *f = open_memstream(&got, &bytes);

	memset(text, 'x', 100000);
	text[100000] = 0;
	lt__say(f, "%s", text);
	fclose(f);
	cr_expect(bytes == 100000 && !strcmp(got, text));
	free(got);
	free(text);
}

/* -- lt-run -- */

/* Only what a file of text may have: its lines are those of the program. */
static void expect_plain(const char *what)
{
	static const char *const names[] = { "output", "errors" };
	const char *const texts[] = { out, err };

	for (int k = 0; k < 2; k++) {
		bool plain, good = true;
		size_t n = strlen(texts[k]), bytes;

		for (size_t i = 0; i < n; i += bytes) {
			bytes = lt__plain_next(texts[k] + i, n - i, &plain);
			good = good && (plain || texts[k][i] == '\n' || texts[k][i] == '\t');
		}
		cr_expect(good, "%s: the %s are not plain:\n%s", what, names[k], texts[k]);
	}
}

#define ODD "\x1b[31m\xc2\x9b\xff\x07\xe2\x80\xae"
#define ODD_SHOWN "\\x1b[31m\\xc2\\x9b\\xff\\x07\\xe2\\x80\\xae"

static void write_odd(void)
{
	ltrun_write_text("odd" ODD ".lt",
		"$1 = InputTensor(x" ODD ", float32, [2]); $2 = ConstantTensor(w" ODD ", float32, [2]);\n"
		"$3 = SumNode($1, $2); $4 = HadamardProductNode($3, $3); result r" ODD " = $4;");
}

Test(say, names_of_scripts)
{
	static const struct { const char *args; int code; const char *has; } runs[] = {
		{ "-i '*=1' -c '*=2'", 0, "r" ODD_SHOWN ": float32 (2,)" },
		{ "-i '*=1' -c '*=2' -v --explain", 0, "r" ODD_SHOWN ": float32 (2,)" },
		{ "-i '*=1' -c '*=2' --verify --time=1 -b ref", 0, "verify: passed" },
		{ "-i '*=1' -c '*=2' --json", 0, "\"name\": \"r\\\\x1b[31m" },
		{ "-i '*=1' -c '*=2' --json --verify --explain -b ref,cpu", 0, "" },
		{ "", 2, "input 'x" ODD_SHOWN "', float32 [2]" },
		{ "-i y" ODD "=1", 2, "no input 'y" ODD_SHOWN "'; did you mean 'x" ODD_SHOWN "'?" },
		{ "-i '*=no" ODD ".npy'", 2, "no" ODD_SHOWN ".npy" },
		{ "--schedule no" ODD " -i '*=1' -c '*=1'", 2, "no" ODD_SHOWN },
		{ "--apply 'no" ODD " m' -i '*=1' -c '*=1'", 2, "there is no primitive 'no" ODD_SHOWN "'" },
		{ "-b no" ODD " -i '*=1' -c '*=1'", 2, ODD_SHOWN },
		{ "-B no" ODD ".so", 2, "\\xff \\xe2\\x80\\xae.so: cannot be loaded" },
		{ "-i '*=1' -c '*=1' -o no" ODD "/x.npy", 1, "no" ODD_SHOWN "/x.npy" },
		{ "--cc no" ODD " --no-cache -i '*=1' -c '*=1'", 1, "no" ODD_SHOWN ": not found" },
		{ "--cache-dir odd" ODD ".lt -i '*=1' -c '*=1'", 2, "odd" ODD_SHOWN ".lt' cannot hold compiled code" },
		{ "--cache-dir cache" ODD " -v -i '*=1' -c '*=1'", 0, "in cache" ODD_SHOWN },
		{ "--no" ODD, 2, "--no" ODD_SHOWN },
		{ "-i '*=1' -c '*=1' -b cpu:" ODD, 2, ODD_SHOWN },
	};

	write_odd();
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		int code = ltrun("odd" ODD ".lt %s", runs[i].args);

		cr_expect_eq(code, runs[i].code, "%s: %d\n%s", runs[i].args, code, err);
		cr_expect(strstr(out, runs[i].has) || strstr(err, runs[i].has), "%s has no %s\n%s%s", runs[i].args,
			runs[i].has, out, err);
		expect_plain(runs[i].args);
	}
	cr_expect_eq(ltrun("--cache=stats --cache-dir cache" ODD), 0);
	cr_expect(strstr(out, "cache" ODD_SHOWN ": 1 kernel"), "%s", out);
	expect_plain("--cache=stats");
	ltrun_write_text("bad" ODD ".lt", "$1 = No" ODD "Node(1);");
	cr_expect_eq(ltrun("bad" ODD ".lt"), 2);
	expect_plain("an error in a script");
	cr_expect(strstr(err, "bad" ODD_SHOWN ".lt:1:"), "%s", err);
}

/* What is dumped is plain, in a pipe and in a file, and read back as the same graph and tree. */
Test(say, dumps)
{
	static const char *const kinds[] = { "graph", "dot", "tree", "access", "frozen", "source", "asm", "stats", "plan" };

	write_odd();
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		cr_expect_eq(ltrun("odd" ODD ".lt --dump=%s", kinds[i]), 0, "%s", err);
		cr_expect(strlen(out) > 40);
		expect_plain(kinds[i]);
		cr_expect_eq(ltrun("odd" ODD ".lt --dump=%s -o file && %s odd" ODD ".lt --dump=%s | cmp - file",
				     kinds[i], built("lt-run"), kinds[i]),
			0, "%s", err);
	}
	cr_expect_eq(
		ltrun("odd" ODD ".lt --dump=graph -o g1 && %s g1 --dump=graph -o g2 && cmp g1 g2", built("lt-run")), 0,
		"%s", err);
	cr_expect_eq(ltrun("odd" ODD ".lt --dump=tree -o t1 && %s odd" ODD ".lt --schedule t1 --dump=tree -o t2 && cmp "
									   "t1 t2",
			     built("lt-run")),
		0, "%s", err);
	cr_expect_eq(ltrun("g1 -i '*=1' -c '*=2' --schedule t1 --json"), 0, "%s", err);
	expect_plain("a graph that was read back");
}

Test(say, strings_of_plugins)
{
	setenv("LT_BACKEND_PATH", "", 1);
	cr_expect_eq(ltrun("-B %s --list-backends", built("tests/plugins/rude.so")), 0, "%s", err);
	cr_expect(strstr(out, "\\x1b]0;owned\\x07") && strstr(out, "\\x9b2J"), "%s", out);
	expect_plain("--list-backends");
	cr_expect_eq(ltrun("-B %s --list-backends --json", built("tests/plugins/rude.so")), 0, "%s", err);
	cr_expect(strstr(out, "\"rude\""), "%s", out);
	expect_plain("--list-backends --json");
	cr_expect_neq(ltrun("-B %s -b rude add.lt -i x=1 -c w=2", built("tests/plugins/rude.so")), 0);
	cr_expect(strstr(err, "warning: \\x1b[2Jgone") && strstr(err, "no [0m, never: buy \\x9b" "1m another one"), "%s", err);
	expect_plain("what a backend logs and refuses");
}
