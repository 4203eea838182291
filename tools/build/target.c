/* target.c -- whom the code is for: the processor, the compiler and its machine, who runs its programs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backends/cpu/cpu.h"
#include "base/nearest.h"
#include "tools/build/build.h"
#include "tools/common/common.h"

static bool is_model(const char *name) { return lt__cpu_model_find(name, strlen(name)) != NULL; }

static lt_status no_target(struct building *b)
{
	struct lt_nearest near;
	char names[512];

	lt__nearest_begin(&near, b->o.target, strlen(b->o.target));
	for (uint32_t i = 0; i < lt__cpu_model_count(); i++)
		lt__nearest_add(&near, lt__cpu_model_at(i)->name);
	lt__nearest_add(&near, "portable");
	lt__option_words(&(struct lt_tool_option){ .list = build_target_at }, names, sizeof names);
	return lt_fail(b->ctx, LT_EINVAL, "there is no target '%s'; there is: %s, or a triple with a compiler, such as "
		"riscv64-linux-gnu%s", b->o.target, names, lt__nearest_hint(b->ctx, &near, "'", "'"));
}

static lt_status find_compiler(struct building *b, bool triple)
{
	const char *env = getenv("CC"), *cc = b->o.cc ? b->o.cc : env && *env ? env : "cc";
	char line[600];

	if (triple && !b->o.cc)
		snprintf(b->target.cc, sizeof b->target.cc, "%s-gcc", b->o.target);
	else
		snprintf(b->target.cc, sizeof b->target.cc, "%s", cc);
	snprintf(line, sizeof line, "%s -dumpmachine", b->target.cc);
	switch (build_ask(b, line, b->target.triple, sizeof b->target.triple)) {
	case LT_ENOMEM: return LT_ENOMEM;
	case LT_EMISSING:
		if (triple && !b->o.cc)
			return lt_fail(b->ctx, LT_EINVAL, "the compiler '%s' cannot be started: look whether the triple '%s' is right, "
				"install its compiler (scripts/setup.sh cross installs some on Debian), or name another one with --cc",
				b->target.cc, b->o.target);
		return lt_fail(b->ctx, LT_EINVAL, "the compiler '%s' cannot be started: name another one with --cc",
			b->target.cc);
	default: return LT_OK;          /* a compiler need not know the question */
	}
}

/* "x86_64", of "x86_64-linux-gnu". */
static bool is_machine(const char *triple, const char *machine)
{
	const size_t n = strcspn(triple, "-");

	return strlen(machine) == n && !strncmp(triple, machine, n);
}

static lt_status find_model(struct building *b)
{
	struct build_target *t = &b->target;
	const char *asked = b->o.target;
	const struct lt_cpu_model *m;

	t->native = !*t->triple || is_machine(t->triple, lt__cpu_machine());
	if (asked && !is_model(asked) && strcmp(asked, "portable") != 0)
		asked = NULL;           /* a triple: the compiler has said what it writes for */
	t->model = asked ? asked : t->native ? "native" : is_machine(t->triple, "aarch64") ? "neon" : "portable";
	t->portable = !strcmp(t->model, "portable");
	t->strict = b->o.emit ? !strcmp(b->o.emit, "c99") : t->portable;
	if (t->portable && !t->strict)
		return lt_fail(b->ctx, LT_EINVAL, "--emit c does not go with the target portable, which has no vectors%s%s: name "
			"a target with --target, or leave --emit out", b->o.target ? "" : " and is that of ", b->o.target ? "" : t->cc);
	if (t->portable)
		return LT_OK;
	m = lt__cpu_model_find(t->model, strlen(t->model));
	if (*t->triple && !is_machine(t->triple, m->machine))
		return lt_fail(b->ctx, LT_EINVAL, "the target %s is for %s, but '%s' compiles for %s: name another compiler with "
			"--cc", t->model, m->machine, t->cc, t->triple);
	t->native = t->native && m->runs();
	return LT_OK;
}

/* As qemu's programs are named. */
static const char *emulated(const char *triple, char *out, size_t bytes)
{
	static const struct { const char *begin, *name; } names[] = { { "arm", "arm" }, { "i386", "i386" }, { "i486", "i386" },
		{ "i586", "i386" }, { "i686", "i386" }, { "powerpc64le", "ppc64le" }, { "powerpc64", "ppc64" },
		{ "powerpc", "ppc" } };

	snprintf(out, bytes, "%.*s", (int)strcspn(triple, "-"), triple);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(triple, names[i].begin, strlen(names[i].begin))) {
			snprintf(out, bytes, "%s", names[i].name);
			break;
		}
	return out;
}

static bool in_path(const char *program)
{
	const char *path = getenv("PATH");

	for (const char *at = path ? path : ""; *at; at += strcspn(at, ":"), at += *at == ':') {
		char file[4096];

		snprintf(file, sizeof file, "%.*s/%s", (int)strcspn(at, ":"), at, program);
		if (access(file, X_OK) == 0)
			return true;
	}
	return false;
}

static void find_emulator(struct building *b)
{
	struct build_target *t = &b->target;
	char machine[64], program[80], root[200];

	if (b->o.emulator) {
		snprintf(t->emulator, sizeof t->emulator, "%s", b->o.emulator);
		return;
	}
	if (t->native || !*t->triple || is_machine(t->triple, lt__cpu_machine()))
		return;
	snprintf(program, sizeof program, "qemu-%s", emulated(t->triple, machine, sizeof machine));
	snprintf(root, sizeof root, "/usr/%s", t->triple);
	if (in_path(program))
		snprintf(t->emulator, sizeof t->emulator, "%s%s%s", program, access(root, X_OK) ? "" : " -L ", access(root, X_OK) ?
			"" : root);
}

lt_status build_target_find(struct building *b)
{
	const char *asked = b->o.target;
	const bool triple = asked && !is_model(asked) && strcmp(asked, "portable") != 0 && strchr(asked, '-');

	if (asked && !triple && !is_model(asked) && strcmp(asked, "portable") != 0)
		return no_target(b);
	LT_TRY(find_compiler(b, triple));
	LT_TRY(find_model(b));
	find_emulator(b);
	if (b->o.verbose)
		lt__say(stderr, "target %s%s, compiled by %s%s%s%s%s\n", b->target.model, b->target.strict ? " in C99" : "",
			b->target.cc, *b->target.triple ? " for " : "", b->target.triple, *b->target.emulator ? ", run by " : "",
			b->target.emulator);
	return LT_OK;
}

lt_status build_target_flags(const struct building *b, char *out, size_t bytes)
{
	FILE *f;
	const struct lt_session *s = b->program->backends.at[0].session;

	if (b->target.strict) {
		snprintf(out, bytes, "-std=c99 %s -fPIC", b->o.debug ? "-O0 -g" : "-O2");
		return LT_OK;
	}
	f = fmemopen(out, bytes, "w");
	if (!f)
		return lt_fail(b->ctx, LT_ENOMEM, "out of memory");
	lt__cpu_code_flags(s, true, f);
	fputs(b->o.debug ? " -O0 -g" : "", f);          /* the last -O counts */
	fclose(f);
	return LT_OK;
}
