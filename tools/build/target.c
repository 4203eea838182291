/* target.c -- whom the code is for: the processor, the compiler and its machine, who runs its programs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backends/cpu/cpu.h"
#include "base/nearest.h"
#include "tools/build/build.h"
#include "tools/common/common.h"

static bool is_model(const char *name) { return lt__cpu_model_find(name, strlen(name)) != NULL; }

/* compiler: of the triple that the name may be, which is not there; NULL: it is none. */
static lt_status no_target(struct building *b, const char *compiler)
{
	struct lt_nearest near;
	char names[512];

	lt__nearest_begin(&near, b->o.target, strlen(b->o.target));
	for (uint32_t i = 0; i < lt__cpu_model_count(); i++)
		lt__nearest_add(&near, lt__cpu_model_at(i)->name);
	lt__nearest_add(&near, "portable");
	for (int i = 0; lt__board_at(i); i++)
		lt__nearest_add(&near, lt__board_at(i)->name);
	lt__option_words(&(struct lt_tool_option){ .list = build_target_at }, names, sizeof names);
	return compiler && !near.n ? lt_fail(b->ctx, LT_EINVAL, "there is no target '%s'; there is: %s; of a triple, the "
		"compiler '%s' cannot be started: install it (scripts/setup.sh cross installs some on Debian), or name another one "
		"with --cc", b->o.target, names, compiler)
		: lt_fail(b->ctx, LT_EINVAL, "there is no target '%s'; there is: %s, or a triple with a compiler, such as "
		"riscv64-linux-gnu%s", b->o.target, names, lt__nearest_hint(b->ctx, &near, "'", "'"));
}

/* "x86_64", of "x86_64-linux-gnu". */
static bool is_machine(const char *triple, const char *machine)
{
	const size_t n = strcspn(triple, "-");

	return strlen(machine) == n && !strncmp(triple, machine, n);
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

/* A clang that writes what engines take, as words for their machine.  --cc: that, which may be for it already. */
static lt_status find_clang(struct building *b)
{
	static const char *const names[] = { "clang-19", "clang-21", "clang-20", "clang-18", "clang-17", "clang-16", "clang" };
	static const char words[] = " --target=wasm32-wasi --sysroot=/usr";
	char line[600], version[64] = "";
	const char *cc = b->o.cc;
	lt_status st;

	for (size_t i = 0; i < sizeof names / sizeof *names && !cc; i++)
		cc = in_path(names[i]) ? names[i] : NULL;
	cc = cc ? cc : "clang-19";
	snprintf(b->target.cc, sizeof b->target.cc, "%s", cc);
	snprintf(line, sizeof line, "%s -dumpmachine", cc);
	st = build_ask(b, line, b->target.triple, sizeof b->target.triple);
	if (st == LT_EMISSING)
		return lt_fail(b->ctx, LT_EINVAL, "the compiler '%s' cannot be started: install it (scripts/setup.sh wasm does on "
			"Debian), or name another clang with --cc", cc);
	if (st || is_machine(b->target.triple, BUILD_MODULE))
		return st == LT_ENOMEM ? st : LT_OK;
	snprintf(line, sizeof line, "%s -dumpversion", cc);
	st = build_ask(b, line, version, sizeof version);
	if (st || atoi(version) < 16)
		return st == LT_ENOMEM ? st : lt_fail(b->ctx, LT_EINVAL, "'%s' is no clang of 16 or later: older ones write relaxed "
			"SIMD in a way that engines refuse; install clang-19 (scripts/setup.sh wasm does on Debian), or name another "
			"with --cc", cc);
	if (access("/usr/include/wasm32-wasi/math.h", R_OK) != 0)
		return lt_fail(b->ctx, LT_EINVAL, "the C library of WebAssembly, whose mathematical functions are taken, is not in "
			"/usr/include/wasm32-wasi: install wasi-libc (scripts/setup.sh wasm does on Debian), or name a compiler that has "
			"one with --cc 'clang --target=wasm32-wasi --sysroot=FOLDER'");
	snprintf(b->target.cc, sizeof b->target.cc, "%s%s", cc, words);
	snprintf(b->target.triple, sizeof b->target.triple, "wasm32-wasi");
	return LT_OK;
}

/* Products are added to sums one by one, as the text has them: gcc would add products first, and hold more of them than
 * there are registers.  What a loop decides in each iteration alike is decided before it: whether a row of an image is
 * beside its border.  gcc 12 makes a kernel again for the addresses that its one caller gives, and takes what is there
 * for something else then (-fno-ipa-cp). */
static const char in_order[] = " -fno-tree-reassoc -funswitch-loops -fno-ipa-cp";

static lt_status find_in_order(struct building *b)
{
	char line[600], said[4096];

	if (!b->target.micro)
		return LT_OK;
	snprintf(line, sizeof line, "%s%s -E -P -x c /dev/null", b->target.cc, in_order);
	const lt_status st = build_ask(b, line, said, sizeof said);
	b->target.in_order = !st;
	return st == LT_ENOMEM ? st : LT_OK;
}

static lt_status find_compiler(struct building *b, bool triple)
{
	const char *env = getenv("CC"), *cc = b->o.cc ? b->o.cc : env && *env ? env : "cc";
	char line[600];

	const struct lt_cpu_model *m = b->o.target ? lt__cpu_model_find(b->o.target, strlen(b->o.target)) : NULL;

	if (m && !strcmp(m->name, BUILD_MODULE))
		return find_clang(b);
	if (triple && !b->o.cc)
		snprintf(b->target.cc, sizeof b->target.cc, "%s-gcc", b->o.target);
	else if (m && m->int_bits && !b->o.cc)
		snprintf(b->target.cc, sizeof b->target.cc, "%s-gcc", m->flash ? "avr" : "arm-none-eabi");
	else
		snprintf(b->target.cc, sizeof b->target.cc, "%s", cc);
	snprintf(line, sizeof line, "%s -dumpmachine", b->target.cc);
	switch (build_ask(b, line, b->target.triple, sizeof b->target.triple)) {
	case LT_ENOMEM: return LT_ENOMEM;
	case LT_EMISSING:
		return lt_fail(b->ctx, LT_EINVAL, "the compiler '%s' cannot be started: %sname another one with --cc",
			b->target.cc, m && m->int_bits ? "install it (scripts/setup.sh micro does on Debian), or " : "");
	default: return LT_OK;          /* a compiler need not know the question */
	}
}

/* A bare function is text, or a library of it, and C99. */
static lt_status check_bare(struct building *b)
{
	const struct build_target *t = &b->target;
	const char *said = t->micro ? lt__scratch(b->ctx, "the target %s", t->model) : "--bare";

	if (!t->bare && (b->o.ram || b->o.flash))
		return lt_fail(b->ctx, LT_EINVAL, "--ram and --flash are of microcontrollers: add --target with one of cortex-m0, "
			"cortex-m3, cortex-m4, avr5");
	if (!t->bare)
		return b->o.integer ? lt_fail(b->ctx, LT_EINVAL, "--integer is of bare functions: add --bare, or --target with one "
			"of cortex-m0, cortex-m3, cortex-m4, avr5") : LT_OK;
	if (b->format != BUILD_C && b->format != BUILD_A)
		return lt_fail(b->ctx, LT_EINVAL, "%s makes a function, no program: give -o a name that ends in .c or .a", said);
	if (!t->strict)
		return lt_fail(b->ctx, LT_EINVAL, "%s is C99: leave --emit out", said);
	if (b->o.main)
		return lt_fail(b->ctx, LT_EINVAL, "%s has no main program that reads files: leave --main out", said);
	if (b->o.data && !strcmp(b->o.data, "incbin"))
		return lt_fail(b->ctx, LT_EINVAL, "%s has its constants as arrays: leave --data out", said);
	if (b->o.threads > 1)
		return lt_fail(b->ctx, LT_EINVAL, "%s has one thread: leave --threads out", said);
	return LT_OK;
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
	m = lt__cpu_model_find(t->model, strlen(t->model));
	t->micro = m && m->int_bits;
	t->module = m && !strcmp(m->name, BUILD_MODULE);
	t->bare = t->micro || b->o.bare;
	t->strict = b->o.emit ? !strcmp(b->o.emit, "c99") : t->portable || t->bare;
	LT_TRY(check_bare(b));
	if (t->portable && !t->strict)
		return lt_fail(b->ctx, LT_EINVAL, "--emit c does not go with the target portable, which has no vectors%s%s: name "
			"a target with --target, or leave --emit out", b->o.target ? "" : " and is that of ", b->o.target ? "" : t->cc);
	if (t->portable)
		return LT_OK;
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

/* Of --emulator: the program, before its options. */
static lt_status check_emulator(struct building *b)
{
	char program[4096];
	const size_t blank = strspn(b->o.emulator, " \t");

	snprintf(program, sizeof program, "%.*s", (int)strcspn(b->o.emulator + blank, " \t"), b->o.emulator + blank);
	return (strchr(program, '/') ? access(program, X_OK) == 0 : in_path(program)) ? LT_OK
		: lt_fail(b->ctx, LT_EINVAL, "the emulator '%s' cannot be started: name another one with --emulator", program);
}

static void find_emulator(struct building *b)
{
	struct build_target *t = &b->target;
	char machine[64], program[80], root[200];

	if (b->o.emulator) {
		snprintf(t->emulator, sizeof t->emulator, "%s", b->o.emulator);
		return;
	}
	if (t->micro) {
		const char *emulator = build_chip_next(t->model, NULL)->emulator;

		snprintf(program, sizeof program, "%.*s", (int)strcspn(emulator, " "), emulator);
		snprintf(t->emulator, sizeof t->emulator, "%s", in_path(program) ? emulator : "");
		return;
	}
	if (t->module) {
		snprintf(t->emulator, sizeof t->emulator, "%s", in_path("node") ? "node" : in_path("nodejs") ? "nodejs" : "");
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

static bool is_triple(const char *asked)
{
	return asked && !is_model(asked) && strcmp(asked, "portable") != 0 && strchr(asked, '-');
}

lt_status build_target_check(struct building *b)
{
	const char *asked = b->o.target;
	char compiler[512];

	if (!asked || is_model(asked) || !strcmp(asked, "portable"))
		return LT_OK;
	if (!is_triple(asked))
		return no_target(b, NULL);
	snprintf(compiler, sizeof compiler, "%s-gcc", asked);
	return b->o.cc || in_path(compiler) ? LT_OK : no_target(b, compiler);
}

lt_status build_target_find(struct building *b)
{
	LT_TRY(find_compiler(b, is_triple(b->o.target)));
	LT_TRY(b->o.emulator ? check_emulator(b) : LT_OK);
	LT_TRY(find_model(b));
	LT_TRY(find_in_order(b));
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

	if (b->target.bare) {
		const struct lt_cpu_model *m = lt__cpu_model_find(b->target.model, strlen(b->target.model));
		const struct build_chip *chip = build_chip_asked(b);

		/* Loops that copy are no calls of the C library; __flash is GNU C's. */
		snprintf(out, bytes, "-std=%s %s -fno-tree-loop-distribute-patterns%s", b->target.micro && m->flash ? "gnu99" : "c99",
			b->o.debug ? "-O0 -g" : "-O2", b->target.micro ? b->target.in_order ? in_order : "" : " -fPIC");
		if (chip && chip->ram)
			snprintf(out + strlen(out), bytes - strlen(out), " %s", chip->flags);
		for (int i = 0; b->target.micro && !(chip && chip->ram) && m->flags[i]; i++)
			snprintf(out + strlen(out), bytes - strlen(out), " %s", m->flags[i]);
		return LT_OK;
	}
	if (b->target.strict) {
		snprintf(out, bytes, "-std=c99 %s -fPIC", b->o.debug ? "-O0 -g" : "-O2");
		return LT_OK;
	}
	f = fmemopen(out, bytes, "w");
	if (!f)
		return lt_fail(b->ctx, LT_ENOMEM, "out of memory");
	lt__cpu_code_flags(s, true, f);
	/* Engines compute in the order of the code, and have few registers: a scalar that is loaded when it is wanted has
	 * one for as long as that takes. */
	fputs(b->target.module ? " -fno-pic -mllvm -pre-RA-sched=source" : "", f);
	fputs(b->target.module && b->o.relaxed ? " -mrelaxed-simd" : "", f);
	fputs(b->o.debug ? " -O0 -g" : "", f);          /* the last -O counts */
	fclose(f);
	return LT_OK;
}
