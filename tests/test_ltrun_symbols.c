/* test_ltrun_symbols.c -- lt-run --symbols: what nm, addr2line and gdb find in the kernels that are kept. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/ltrun.h"

#define out ltrun_out
#define err ltrun_err
#define run ltrun

static void set_up(void)
{
	ltrun_set_up();
	ltrun_write_text("sum.lt", "$1 = InputTensor(x, float32, [64, 80]);\n$2 = ExpNode($1);\n$3 = ReduceSumNode($2, [1]);\n"
		"result = $3;\n");
}

TestSuite(ltrun_symbols, .init = set_up, .fini = ltrun_tear_down, .timeout = 300);

static char got[1 << 16];

static bool is_there(const char *program)
{
	char command[100], none[1000];

	snprintf(command, sizeof command, "command -v %s", program);
	return run_command(command, got, sizeof got, none, sizeof none) == 0;
}

/* The output of a command in the test's folder. */
static const char *in_folder(const char *what)
{
	char command[2000], none[1 << 14];

	snprintf(command, sizeof command, "cd '%s' && %s", scratch(""), what);
	cr_assert_eq(run_command(command, got, sizeof got, none, sizeof none), 0, "%s: %s", what, none);
	got[strcspn(got, "\n")] = strchr(got, '\n') && !strchr(strchr(got, '\n') + 1, '\n') ? '\0' : '\n';
	return got;
}

/* text: how the backend's text ends, ".c". */
static void check_symbols(const char *backend, const char *text)
{
	char kernel[200], command[1000], file[300], *line;

	cr_assert_eq(run("sum.lt -b %s -i x=random --symbols sym -q --verify --threads 1", backend), 0, "%s", err);
	snprintf(kernel, sizeof kernel, "%s", in_folder("ls sym | grep '^k0.*[.]so$'"));
	kernel[strcspn(kernel, ".")] = 0;
	snprintf(file, sizeof file, "%s%s", kernel, text);
	snprintf(command, sizeof command, "cat sym/%s", file);
	cr_assert_gt(strlen(in_folder(command)), 100, "the text stays");
	cr_assert_str_eq(in_folder("ls cache/looptree/*.ltk looptree/*.ltk 2>/dev/null | wc -l"), "0", "nothing is cached");
	if (!is_there("nm") || !is_there("addr2line"))
		cr_skip_test("nm and addr2line are not installed (binutils)");
	snprintf(command, sizeof command, "nm sym/%s.so | grep -c ' t %s$'", kernel, kernel);
	cr_expect_str_eq(in_folder(command), "1", "%s: its function has the kernel's name", backend);
	snprintf(command, sizeof command, "addr2line -e sym/%s.so 0x$(nm sym/%s.so | grep ' t %s$' | cut -d' ' -f1)", kernel,
		kernel, kernel);
	line = strrchr(in_folder(command), ':');
	cr_assert(line && strstr(got, file), "%s: %s", backend, got);
	const int number = atoi(line + 1);
	snprintf(command, sizeof command, "sed -n %d,%dp sym/%s", number - 1, number + 1, file);
	/* the function's head, or its first loop */
	in_folder(command);
	cr_expect(number > 1 && (strstr(got, kernel) || strstr(got, "loop") || strstr(got, "for")), "%s", got);
	if (!is_there("gdb"))
		return;
	snprintf(command, sizeof command, "gdb -q -batch -ex 'set breakpoint pending on' -ex 'break %s' -ex run -ex bt --args "
		"'%s' sum.lt -b %s -i x=random --symbols sym -q --threads 1 2>/dev/null", kernel, built("lt-run"), backend);
	in_folder(command);
	cr_expect(strstr(got, "Breakpoint 1, ") && strstr(got, file) && strstr(got, "lt_instance_run"), "%s: %s", backend,
		got);
}

Test(ltrun_symbols, of_cpu)
{
	check_symbols("cpu", ".c");
}

Test(ltrun_symbols, of_llvm)
{
	if (run("--list-backends -q") || !strstr(out, "llvm"))
		cr_skip_test("the backend llvm was not built");
	check_symbols("llvm", ".kernel");
}

/* Results are the same, and so are those of a program whose first backend has no symbols. */
Test(ltrun_symbols, refused)
{
	cr_assert_eq(run("sum.lt -b ref -i x=random --symbols sym"), 2);
	cr_assert(strstr(err, "--symbols is for the backends cpu and llvm, and neither is in 'ref'"), "%s", err);
	cr_assert_eq(run("sum.lt -b cpu -i x=random --symbols 'a,b'"), 2);
	cr_assert(strstr(err, "--symbols takes no folder with a ';' or ','"), "%s", err);
	cr_assert_eq(run("sum.lt -b cpu -i x=random --symbols /proc/none"), 1);
	cr_assert(strstr(err, "the folder for symbols, '/proc/none', cannot be made"), "%s", err);
	cr_assert_eq(run("sum.lt -b cpu:symbols=here -i x=random"), 2);
	cr_assert(strstr(err, "symbols=here does not begin with a '/'"), "%s", err);
	in_folder("mkdir -p open && chmod 777 open");
	cr_assert_eq(run("sum.lt -b cpu -i x=random --symbols open"), 1);
	cr_assert(strstr(err, "others may write to the folder for symbols"), "%s", err);
}
