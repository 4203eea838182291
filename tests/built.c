/* built.c -- what was built with a test, and commands run by it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/built.h"
#include "tools/common/common.h"

static char folder[400];

/* One of a few buffers in turn, so that several paths fit one call. */
static char *next_text(void)
{
	static char text[8][512];
	static int turn;

	return text[turn++ % 8];
}

const char *built(const char *name)
{
	char self[400] = "";
	char *out = next_text();
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	for (int up = 0; up < 2 && n > 0; up++) {
		char *slash = strrchr(self, '/');

		if (slash)
			*slash = 0;
	}
	/* A program in a folder of the tests, as tests/onnx. */
	n = (ssize_t)strlen(self);
	if (n > 6 && !strcmp(self + n - 6, "/tests"))
		self[n - 6] = 0;
	snprintf(out, 512, "%s/%s", self, name);
	return out;
}

const char *scratch(const char *name)
{
	char *out = next_text();

	if (!*folder) {
		snprintf(folder, sizeof folder, "%s/lt-test-XXXXXX", lt__temp_folder());
		if (!mkdtemp(folder))
			abort();
	}
	snprintf(out, 512, "%s%s%s", folder, *name ? "/" : "", name);
	return out;
}

void scratch_remove(void)
{
	char command[420];

	if (!*folder)
		return;
	snprintf(command, sizeof command, "rm -rf %s", folder);
	if (system(command) != 0)
		abort();
	*folder = 0;
}

static void read_back(const char *path, char *out, size_t bytes)
{
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(out, 1, bytes - 1, f) : 0;

	out[n] = 0;
	if (f)
		fclose(f);
}

int run_command(const char *command, char *out, size_t out_bytes, char *err, size_t err_bytes)
{
	const char *to_out = scratch("stdout"), *to_err = scratch("stderr");
	size_t n = strlen(command) + 200;
	char *whole = malloc(n);
	int code;

	if (!whole)
		abort();
	snprintf(whole, n, "{ %s\n} >%s 2>%s </dev/null", command, to_out, to_err);
	code = system(whole);
	free(whole);
	read_back(to_out, out, out_bytes);
	read_back(to_err, err, err_bytes);
	return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

int run_in_scratch(
	char *out, size_t out_bytes, char *err, size_t err_bytes, const char *begin, const char *fmt, va_list args)
{
	char command[4096];
	int n = snprintf(command, sizeof command, "cd %s && %s ", scratch(""), begin);

	vsnprintf(command + n, sizeof command - (size_t)n, fmt, args);
	return run_command(command, out, out_bytes, err, err_bytes);
}
