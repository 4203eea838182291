/* test_cpu_target.c -- what the backend cpu says of this machine, and targets by name. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include "tests/cpu_session.h"
#include "tests/ltrun.h"
#include "keeper.h"

#define out ltrun_out
#define err ltrun_err
#define run ltrun

TestSuite(cpu_target, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 300);
TestSuite(more_cpu_target, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 300);

/* ---- the machine ---- */

/* A cache fact of the first processor; -1: the system does not say. */
static long cache_fact(int index, const char *what)
{
	char path[256], unit = 0;
	long n = -1;
	(void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
	FILE *f = fopen(path, "r");
	if (f && fscanf(f, "%ld%c", &n, &unit) < 1)
		n = -1;
	if (f)
		fclose(f);
	return unit == 'K' ? n * 1024 : unit == 'M' ? n << 20 : n;
}

Test(cpu_target, caches_are_those_of_the_system)
{
	struct keeper k = keeper_new();
	struct lt_session *s = cpu_session("", 0, &k);
	const struct lt_target *t = lt_backend_find("cpu")->caps(s)->target;
	const uint64_t bytes[] = { t->l1_bytes, t->l2_bytes, t->l3_bytes };
	const uint32_t ways[] = { t->l1_ways, t->l2_ways, t->l3_ways };
	int seen = 0;
	for (int i = 0; i < 8; i++) {
		char path[128], type[32] = "";
		(void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
		FILE *f = fopen(path, "r");
		if (f && fgets(type, sizeof type, f) && type[0] != 'I') {
			long level = cache_fact(i, "level");
			cr_assert(level > 0 && level < 4);
			cr_expect_eq((long)bytes[level - 1], cache_fact(i, "size"));
			cr_expect_eq((long)ways[level - 1], cache_fact(i, "ways_of_associativity"));
			cr_expect_eq((long)t->cache_line, cache_fact(i, "coherency_line_size"));
			seen++;
		}
		if (f)
			fclose(f);
	}
	cr_expect(t->l1_bytes >= 8 << 10 && t->l1_bytes <= t->l2_bytes && t->cache_line >= 16);
#if defined(__x86_64__)
	/* The processor's own words: leaf 4 of Intel's, 0x8000001d of AMD's. */
	unsigned a = 0, b = 0, c = 0, d = 0, leaf = 4;
	__get_cpuid(0, &a, &b, &c, &d);
	if (b == signature_AMD_ebx)
		leaf = 0x8000001d;
	for (unsigned i = 0; i < 8 && __get_cpuid_count(leaf, i, &a, &b, &c, &d) && (a & 31); i++) {
		unsigned level = a >> 5 & 7;
		uint64_t size = (uint64_t)((b >> 22) + 1) * ((b >> 12 & 1023) + 1) * ((b & 4095) + 1) * ((uint64_t)c + 1);
		if ((a & 31) == 2 || level < 1 || level > 3)
			continue;
		cr_expect_eq(bytes[level - 1], size, "level %u: %llu, not %llu", level,
			(unsigned long long)bytes[level - 1], (unsigned long long)size);
		cr_expect_eq(ways[level - 1], (b >> 22) + 1);
		seen++;
	}
	cr_expect(seen > 0);
	__builtin_cpu_init();
	cr_expect_eq(t->vector_bytes, __builtin_cpu_supports("avx512f") ? 64u : __builtin_cpu_supports("avx") ? 32u : 16u);
	cr_expect_eq(t->vector_registers, __builtin_cpu_supports("avx512f") ? 32u : 16u);
#endif
	lt_backend_find("cpu")->close(s);
}

/* A process that may use one processor has one, however many the machine has. */
Test(cpu_target, cores_are_those_that_may_be_used)
{
	cpu_set_t all, one;
	struct keeper k = keeper_new();
	cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
	CPU_ZERO(&one);
	for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	struct lt_session *s = cpu_session("", 0, &k);
	cr_expect_eq((int)lt_backend_find("cpu")->caps(s)->target->cores, CPU_COUNT(&all));
	lt_backend_find("cpu")->close(s);
	cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
	s = cpu_session("", 0, &k);
	cr_expect_eq(lt_backend_find("cpu")->caps(s)->target->cores, 1);
	lt_backend_find("cpu")->close(s);
}

/* ---- targets by name ---- */

static const char *const names[] = { "native", "avx512", "avx2", "sse4", "sse2", "neon", "wasm32", "cortex-m0",
	"cortex-m3", "cortex-m4", "avr5" };
enum { N_NAME = sizeof names / sizeof *names, FIRST_MICRO = 7 };

static bool runs_here(const char *name)
{
	char config[64];
	struct keeper k = keeper_new();
	(void)snprintf(config, sizeof config, "target=%s", name);
	return lt_backend_find("cpu")->score(config, &k.diag) > 0;
}

Test(cpu_target, named_targets_have_fixed_numbers)
{
	static const struct { const char *name; uint32_t bytes, registers, cores; } want[] = {
		{ "avx512", 64, 32, 4 }, { "avx2", 32, 16, 4 }, { "sse4", 16, 16, 4 }, { "sse2", 16, 16, 4 },
		{ "neon", 16, 32, 4 }, { "wasm32", 16, 12, 1 },
	};
	const struct lt_backend *cpu = lt_backend_find("cpu");
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		char config[64], name[64];
		struct keeper k = keeper_new();
		(void)snprintf(config, sizeof config, "O2;target=%s", want[i].name);
		(void)snprintf(name, sizeof name, "cpu:%s", want[i].name);
		struct lt_session *s = cpu_session(config, 7, &k);
		const struct lt_target *t = cpu->caps(s)->target;
		cr_expect_str_eq(t->name, name);
		cr_expect(t->vector_bytes == want[i].bytes && t->vector_registers == want[i].registers
			&& t->cores == want[i].cores, "%s", name);
		cr_expect(t->l1_bytes && t->l1_ways && t->l2_bytes && t->l2_ways && t->l3_bytes && t->l3_ways
				&& t->cache_line,
			"%s", name);
		cpu->close(s);
	}
#if defined(__x86_64__)
	cr_expect(runs_here("native") && runs_here("sse2") && !runs_here("neon"));
#endif
	struct keeper k = keeper_new();
	cr_expect_eq(cpu->score("target=vax", &k.diag), 0);
	cr_expect_str_eq(k.text, "the option target does not take 'vax'");
	cr_expect_str_eq(k.remedy, "give one of native, avx512, avx2, sse4, sse2, neon, wasm32, cortex-m0, cortex-m3, "
		"cortex-m4, avr5");
	cr_expect_eq(cpu->score("target=avx2/target=avx2", &k.diag), 0);
	cr_expect_str_eq(k.text, "the option target is given twice");
	cr_expect_eq(cpu->score("emit=c98", &k.diag), 0);
	cr_expect_str_eq(k.text, "the option emit does not take 'c98'");
	cr_expect_eq(cpu->score("emit=c99/emit=c", &k.diag), 0);
	cr_expect_str_eq(k.text, "the option emit is given twice");
	cr_expect_eq(cpu->score("target", &k.diag), 0);
	cr_expect_str_eq(k.remedy, "write target=NAME");
}

static void write_scripts(void)
{
	ltrun_write_text("rows.lt", "$1 = InputTensor(x, float32, [7, 130]); $2 = SoftmaxNode($1, 1); result = $2;");
	ltrun_write_text("dense.lt",
		"$1 = InputTensor(x, float32, [16, 24]); $2 = ConstantTensor(w, float32, [24, 64]); $3 = "
		"ConstantTensor(b, float32, [1, 64]);$4 = MatMulNode($1, $2); $5 = SumNode($4, $3); $6 = ReLUNode($5); "
		"result = $6;");
	/* Storage in halves, arithmetic in float32, from one half type to the other. */
	ltrun_write_text("half.lt",
		"$1 = InputTensor(a, float16, [9, 32]); $2 = InputTensor(b, bfloat16, [9, 32]); $3 = CastNode($2, "
		"float16);$4 = MultiplyNode($1, $3); $5 = AddNode($4, $1); $6 = CastNode($5, bfloat16); $7 = "
		"CastNode($6, float32); $8 = SoftmaxNode($7, 1);$9 = CastNode($8, float16); result = $5; result bf = "
		"$6; result soft = $9;");
	ltrun_write_text("lanes.lt",
		"$1 = InputTensor(a, float16, [96]); $2 = InputTensor(b, bfloat16, [96]); $3 = CastNode($2, "
		"float16);$4 = MultiplyNode($1, $3); $5 = AddNode($4, $1); $6 = CastNode($5, bfloat16); result = $5; "
		"result bf = $6;");
	ltrun_write_text("halves.lt",
		"$1 = InputTensor(a, float16, [5, 32]); $2 = InputTensor(b, bfloat16, [32, 16]); $3 = CastNode($1, "
		"float32);$4 = CastNode($2, float32); $5 = MatMulNode($3, $4); $6 = CastNode($5, bfloat16); $7 = "
		"CastNode($5, float16); result = $6; result f = $7;");
}

/* Targets of one vector width have one text: the golden files have one target of each width, and sse2 and sse4 are
 * looked at here. */
Test(cpu_target, sse2_and_sse4_differ_by_name_only)
{
	static char text[2][2][sizeof ltrun_out];
	static const char *const kinds[] = { "tree", "source" };
	write_scripts();
	for (int i = 0; i < 2; i++)
		for (int kind = 0; kind < 2; kind++) {
			cr_assert_eq(run("dense.lt --target sse%d --dump=%s", i ? 4 : 2, kinds[kind]), 0, "%s", err);
			memcpy(text[i][kind], out, sizeof out);
		}
	cr_expect_str_eq(text[0][1], text[1][1]);
	cr_expect(strstr(text[0][1], "vector_size(16)") && !strstr(text[0][1], "vector_size(32)"), "%s", text[0][1]);
	char *two = strstr(text[0][0], "target cpu:sse2\n"), *four = strstr(text[1][0], "target cpu:sse4\n");
	cr_assert(two && four);
	two[14] = '4';
	cr_expect_str_eq(text[0][0], text[1][0]);
	cr_expect(strstr(text[0][0], "vector"), "%s", text[0][0]);
}

/* By default and by hand: the numbers are right on each target, whatever the level. */
Test(more_cpu_target, each_that_runs_here_is_right)
{
	static const struct { const char *script, *apply;
	} cases[] = {
		{ "rows.lt", "" },
		{ "dense.lt", "" },
		{ "half.lt", "" },
		{ "halves.lt", "" },
		/* Vectors narrower than a register, as wide, and of several. */
		{ "lanes.lt", "--apply \"merge i'; serial i; vectorize i 4\"" },
		{ "lanes.lt", "--apply \"merge i'; serial i; vectorize i 16\"" },
		{ "lanes.lt", "--apply \"merge i'; serial i; vectorize i 32\"" },
	};
	write_scripts();
	for (int i = 0; i < N_NAME; i++)
		for (size_t c = 0; c < sizeof cases / sizeof *cases && runs_here(names[i]); c++)
			for (int level = 0; level < 4; level += 3)
				cr_expect_eq(run("%s %s -i '*=random' -c '*=random' --verify -q --target %s -b cpu:O%d",
						     cases[c].script, cases[c].apply, names[i], level),
					0, "%s on %s: %s", cases[c].script, names[i], err);
}

/* The text of any target can be looked at anywhere; running it is refused with a reason. */
Test(more_cpu_target, what_does_not_run_here_can_be_looked_at)
{
	int n = 0;
	write_scripts();
	for (int i = 0; i < N_NAME; i++) {
		if (runs_here(names[i]))
			continue;
		n++;
		cr_expect_eq(run("rows.lt --target %s --dump=source --cc=no-such-compiler", names[i]), 0, "%s", err);
		cr_expect(strstr(out, i < FIRST_MICRO ? "_entry(" : "LT_NOINLINE void k0"), "%s", out);
		cr_expect_eq(run("rows.lt --target %s -i x=random", names[i]), 2);
		cr_expect(strstr(err, "this machine does not run code for the target"), "%s", err);
		cr_expect_eq(run("rows.lt -b cpu:target=%s -i x=random", names[i]), 2);
		cr_expect(strstr(err, "this machine does not run code for the target"), "%s", err);
	}
	cr_expect(n > 0);
#if defined(__x86_64__)
	ltrun_write_text("strided.lt",
		"$1 = InputTensor(x, float32, [64, 256]); $2 = SliceNode($1, 0, 256, 1, 2); $3 = ReLUNode($2); result = $3;");
	ltrun_write_text("padded.lt", "$1 = InputTensor(x, float32, [1, 3, 64, 64]); "
		"$2 = ConstantTensor(w, float32, [8, 3, 3, 3]); $3 = Conv2dNode($1, $2, [2, 2], [1, 1, 1, 1]); result = $3;");
	cr_expect_eq(run("rows.lt --target avx512 --dump=asm"), 0, "%s", err);
	cr_expect(strstr(out, "vscalefps") && !strstr(out, "valignd"), "%s", out);
	cr_expect_eq(run("strided.lt --target avx512 --dump=asm"), 0, "%s", err);
	cr_expect(!strstr(out, "vinsertps"), "%s", out);
	cr_expect_eq(run("padded.lt --target avx512 --dump=asm"), 0, "%s", err);
	cr_expect(strstr(out, "vpermt2ps") && !strstr(out, "vgatherdps"), "%s", out);
	ltrun_write_text("cc",
		"#!/bin/sh\n[ \"$1\" = -dumpmachine ] && echo pdp11-unknown && exit\n[ \"$1\" = --version ] && echo "
		"gcc 12 && exit\nexit 9\n");
	cr_expect_eq(run("rows.lt --target neon --dump=asm --cc 'sh cc'"), 1);
	cr_expect(strstr(err,
			  "kernel k0_2: sh cc generates code for pdp11-unknown, but the target neon is aarch64: give "
			  "--cc=clang, or a gcc for that machine"),
		"%s", err);
	if (system("command -v clang >/dev/null 2>&1") == 0) {
		cr_expect_eq(run("rows.lt --target neon --dump=asm --cc clang"), 0, "%s", err);
		cr_expect(strstr(out, "k0_2_entry:") && strstr(out, "\tret"), "%s", out);
	}
#endif
	cr_expect_eq(run("rows.lt -i x=1 --target vax"), 2);
	cr_expect(strstr(err, "backend cpu: the option target does not take 'vax': give one of native, avx512"), "%s", err);
	cr_expect_eq(run("rows.lt -b ref --target sse2"), 2);
	cr_expect(strstr(err, "--target is for the backend cpu, which is not in --backend 'ref'"), "%s", err);
	cr_expect_eq(run("rows.lt --target 'sse2;O0'"), 2);
	cr_expect_eq(run("rows.lt --target sse2 --dump=graph"), 0);
	cr_expect_eq(run("rows.lt -i x=1 -q --explain -b cpu:O1,ref,cpu --target sse2"), 0, "%s", err);
	cr_expect_eq(run("rows.lt --target sse2 --dump=tree"), 0);
	cr_expect(strstr(out, "\ntarget cpu:sse2\n"), "%s", out);
}

Test(cpu_target, assembly_has_names)
{
	write_scripts();
	cr_assert_eq(run("rows.lt -b cpu --dump=asm"), 0, "%s", err);
	cr_expect(strstr(out, "k0_2:") && strstr(out, "k0_2.c"), "%s", out);
	cr_expect(!strstr(out, "/tmp/"), "a folder that is gone is named\n%s", out);
	cr_expect_eq(run("rows.lt --dump=asm -b ref"), 2);
	cr_expect_eq(run("rows.lt --dump=asm --cc=no-such"), 1);
	cr_expect(strstr(err, "no-such: not found"), "%s", err);
#if defined(__x86_64__)
	cr_assert_eq(run("rows.lt --dump=asm --target sse2"), 0, "%s", err);
	cr_expect(!strstr(out, "%ymm") && !strstr(out, "%zmm"), "%s", out);
#endif
}
