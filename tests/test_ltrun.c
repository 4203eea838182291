/* test_ltrun.c -- lt-run as its user sees it: what it prints, writes and answers, in a process of its own. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/op/op.h"
#include "tests/ltrun.h"

#define out ltrun_out
#define err ltrun_err
#define run ltrun

TestSuite(ltrun, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 300);

/* ---- options and mistakes: exit code, a part of standard output, a part of standard error ---- */

struct mistake { const char *args; int code; const char *out, *err; };
static const struct mistake cases[] = {
	{ "--version", 0, "lt-run 0.", "" },
	{ "-h", 0, "usage: lt-run [options] SCRIPT", "" },
	{ "--help", 0, "--dump=KIND", "" },
	{ "--help", 0, "the last counts; these add up: --input, --inputs,", "" },
	{ "-b nothing -b ref -q add.lt -i x=1 -c w=1", 0, "", "" },
	{ "", 2, "", "a script is missing" },
	{ "none.lt", 2, "", "none.lt: cannot be opened: No such file" },
	{ ".", 2, "", "is a folder" },
	{ "add.lt two.lt", 2, "", "one script at a time: 'add.lt' and 'two.lt'" },
	{ "--verfy add.lt", 2, "", "there is no option --verfy; did you mean --verify?" },
	{ "--otuput=x add.lt", 2, "", "did you mean --output?" },
	{ "--xyzzy add.lt", 2, "", "there is no option --xyzzy (lt-run -h lists them)" },
	{ "--explain=3 add.lt", 2, "", "--explain takes no value" },
	{ "--verify=3 add.lt", 2, "", "--verify has no '3' (allow-unbounded)" },
	{ "--verify=allow-unbound add.lt", 2, "", "did you mean 'allow-unbounded'?" },
	{ "--ca stats", 2, "", "is short for several: --cache-dir, --cache" },
	{ "-Z add.lt", 2, "", "there is no option -Z" },
	{ "add.lt -i", 2, "", "the option -i needs a value" },
	{ "add.lt --weights", 2, "", "the option --weights needs a value" },
	{ "--dump=grahp add.lt", 2, "", "did you mean 'graph'?" },
	{ "--dump=all add.lt", 2, "", "graph, dot, script, tree, access, frozen, kernel, source" },
	{ "--cache=sats", 2, "", "did you mean 'stats'?" },
	{ "-n 0 add.lt", 2, "", "--runs takes a whole number from 1" },
	{ "--time=x add.lt", 2, "", "--time takes a whole number" },
	{ "--threads=-1 add.lt", 2, "", "--threads takes a whole number" },
	{ "-b cup add.lt -i x=1 -c w=1", 2, "", "there is no backend 'cup'; did you mean 'cpu'?" },
	{ "--apply= add.lt -i x=1 -c w=1", 2, "", "apply: there is no step in ''; give one, such as \"split m 8\"" },
	{ "--apply=' ;  # none' add.lt -i x=1 -c w=1", 2, "", "apply: there is no step in ' ;  # none'" },
	{ "--VERIFY add.lt", 2, "", "there is no option --VERIFY; did you mean --verify?" },
	{ "-B none.so add.lt", 2, "", "--load: none.so: " },
	{ "-o x.txt add.lt", 2, "", "ends in .npy, .npz or .safetensors" },
	{ "-o x%d%d.npy add.lt", 2, "", "%d twice" },
	{ "-o x.npy two.lt -i x=1", 2, "", "two.lt has 2 results, and a .npy holds one" },
	{ "-o x.npy count.lt --inputs a.npz --inputs b.npz", 2, "", "put %d in its name" },
	{ "--inputs x.npy add.lt", 2, "", "-i NAME=FILE.npy" },
	{ "-w x.npy add.lt", 2, "", "-c NAME=FILE.npy" },
	{ "-w x.txt add.lt", 2, "", "ends in .npz or .safetensors" },
	{ "--no-cache --cache-dir=x add.lt", 2, "", "contradict" },
	{ "--cache-dir=add.lt add.lt", 2, "", "is not a folder" },
	{ "-k V add.lt", 2, "", "-k is only for --dump, which is not given" },
	{ "--dump=tree -k V add.lt", 2, "", "-k goes with --dump=kernel" },
	{ "--dump=kernel -b sim -k Q add.lt", 2, "",
		"-k takes the letter of a step of kernel programs, not 'Q': L, C, G, V, F, T, A, W, P, S, M, U" },
	{ "-dF add.lt", 2, "", "-d is only for --dump=graph, dot or script, which is not given" },
	{ "--dump=graph -dX add.lt", 2, "", "no pass -dX" },
	/* inputs and constants */
	{ "add.lt", 2, "",
		"add.lt needs 2 tensors that are not given:\n  input 'x', float32 [2, 3]: give it with  -i x=FILE.npy\n"
		"  constant 'w', float32 [1, 3]: give it with  -c w=FILE.npy\n" },
	{ "add.lt -i x=1", 2, "", "add.lt needs 1 tensor that is not given:\n  constant 'w'" },
	{ "add.lt -i y=1 -c weight=1", 2, "", "the script has no input 'y'; it has 'x'" },
	{ "count.lt -i prat=1 -i begin=0 -i end=2", 2, "", "the script has no input 'prat'; did you mean 'part'?" },
	{ "count.lt -c part=1", 2, "", "give it with -i or --inputs" },
	{ "add.lt -i w=1", 2, "", "'w' is no input of the script but a constant: give it with -c or --weights" },
	{ "add.lt -c w=1 -i x=1 -i x=2", 2, "", "x=2: the input 'x' is given twice, here and by x=1" },
	{ "add.lt -i x", 2, "", "'x' is not NAME=SPEC" },
	{ "add.lt -i x= -c w=1", 2, "", "a value is missing after '='" },
	{ "add.lt -i x=zeroes -c w=1", 2, "", "'zeroes' is none of FILE.npy, zeros, ones, VALUE, iota, random[:SEED]" },
	{ "add.lt -i x=add.lt -c w=1", 2, "", "'add.lt' does not end in .npy: numpy.save writes such a file, also of bare" },
	{ "large.lt -i x=1", 1, "", "lt-run: x=1: out of memory: 'x' takes 4000000.0 GB, and this machine has " },
	{ "add.lt -i x=all.npz -c w=1", 2, "", "give it with --inputs" },
	{ "add.lt -i x=random:x -c w=1", 2, "", "the seed of 'random:x' is not a whole number" },
	{ "add.lt -i x=1e99 -c w=1", 2, "", "1e99 is beyond float32" },
	{ "add.lt -i x=none.npy -c w=1", 2, "", "none.npy: cannot be opened" },
	{ "add.lt -i x=1 -w none.npz", 2, "", "none.npz: cannot be opened" },
	{ "count.lt -i part=1 -i begin=0.5 -i end=2", 2, "", "0.5 is not a value of int64" },
	{ "count.lt -i part=1 -i begin=1e30 -i end=2", 2, "", "1e30" },
	{ "count.lt -i part=1 -i begin=99999999999999999999 -i end=2", 2, "", "does not fit int64" },
	{ "copy.lt", 2, "", "needs 1 tensor that is not given:\n  input 'a=b'" },
	{ "copy.lt -i a=b=iota", 0, "[0. 1. 2.]", "" },
	{ "copy.lt -i '*=-1.5'", 0, "[-1.5 -1.5 -1.5]", "" },
	{ "copy.lt -i a=b=nan -i unused=3", 0, "[nan nan nan]", "" },
	{ "add.lt -i x=iota -c w=0.5", 0, "result: float32 (2, 3)\n[[0.5 1.5 2.5]\n [3.5 4.5 5.5]]\n", "" },
	{ "add.lt -i x=iota -c w=0.5 -b ref", 0, "[[0.5 1.5 2.5]\n [3.5 4.5 5.5]]\n", "" },
	{ "add.lt -i x=iota -c w=0.5 --no-passes --threads 1", 0, "[[0.5 1.5 2.5]\n [3.5 4.5 5.5]]\n", "" },
	{ "- -i x=-inf <two.lt", 0, "result: float32 (2,)\n[-inf -inf]\nsquare: float32 (2,)\n[inf inf]\n", "" },
	{ "- <none.lt", 2, "", "none.lt" },
	{ "add.lt -i x=1 -c w=1 --cc false --no-cache -b cpu", 1, "", "false" },
	/* before anything is compiled */
	{ "add.lt -i x=1 -c w=1 -b cpu --cc false -o nowhere/x.npy", 1, "", "nowhere/x.npy: cannot be written" },
	{ "add.lt -i x=1 -c w=1 -b cpu --cc false -o nowhere/x%d.npy", 1, "", "nowhere/x0.npy: cannot be written" },
	{ "add.lt -i x=1 -c w=1 -b cpu --cc false --view nowhere/x.html", 1, "", "nowhere/x.html: cannot be written" },
	{ "add.lt -i x=1 -c w=1 -b cpu --cc false --profile=nowhere/x.json", 1, "", "nowhere/x.json: cannot be written" },
	{ "count.lt -i part=1 -i begin=3 -i end=5", 1, "", "'begin'" },
	{ "add.lt -i x=1 -c w=1 --cc cc --explain", 0, "k0_3 -> cpu\n", "" },
	{ "add.lt -i x=1 -c w=1 -b ref --explain", 0, "k0_3 -> ref\n", "" },
	{ "add.lt -i x=1 -c w=1 -v -q", 0, "", "constant 'w', float32 [1, 3]" },
	{ "add.lt -i x=1 -c w=1 >/dev/full", 1, "", "lt-run: standard output cannot be written: No space left on device\n" },
	{ "--list-backends", 0, "cpu", "" },
	{ "--list-backends --json", 0, "\"name\": \"ref\"", "" },
	{ "--list-backends --cc 'cc -pipe'", 0, "compiler cc -pipe\n", "" },
	{ "--list-backends --cc no-such", 0, "compiler no-such: not found: install gcc or give --cc\n", "" },
	{ "--cache=stats", 0, "kernels", "" },
	{ "--dump=dot add.lt", 0, "digraph", "" },
	{ "--dump=tree add.lt", 0, "for ", "" },
	{ "--dump=explain -b ref add.lt", 0, "k0_3 -> ref\n", "" },
	{ "--dump=source -b cpu add.lt", 0, "static __attribute__((noinline)) void k0_", "" },
	{ "--dump=source add.lt -o /dev/full", 1, "", "cannot be written" },
};

static void expect_answers(const struct mistake *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int code = run("%s", at[i].args);

		cr_expect_eq(code, at[i].code, "lt-run %s: %d, not %d\n%s%s", at[i].args, code, at[i].code, out, err);
		cr_expect(strstr(out, at[i].out), "lt-run %s prints\n%s, not\n%s", at[i].args, out, at[i].out);
		cr_expect(strstr(err, at[i].err), "lt-run %s says\n%s, not\n%s", at[i].args, err, at[i].err);
		/* What went well is silent, what did not prints nothing but the reason. */
		cr_expect(code == 0 || *err, "lt-run %s fails in silence", at[i].args);
		cr_expect(code == 0 || !*out, "lt-run %s fails and prints\n%s", at[i].args, out);
		cr_expect(code != 0 || !*err || strstr(at[i].args, "-v"), "lt-run %s complains\n%s", at[i].args, err);
	}
}

Test(ltrun, options_and_mistakes)
{
	expect_answers(cases, sizeof cases / sizeof *cases);
}

/* Options that have no meaning beside each other are refused, and what is not run is looked at. */
static const struct mistake together[] = {
	{ "copy.lt -i '*=iota' -i '*=ones'", 2, "",
		"lt-run: *=ones: '*', every other input, is given twice, here and by *=iota\n" },
	{ "add.lt -i x=1 -c '*=1' -c '*=1'", 2, "", "'*', every other constant, is given twice" },
	{ "--dump=tree add.lt -i x=1 -i nosuch=2", 2, "", "the script has no input 'nosuch'; it has 'x'" },
	{ "--dump=tree add.lt -i x=1 -i x=2", 2, "", "the input 'x' is given twice, here and by x=1" },
	{ "--dump=graph add.lt -c nosuch=2", 2, "", "the script has no constant 'nosuch'" },
	{ "--dump=tree add.lt -i x=1", 0, "for ", "" },
	{ "--dump=tree add.lt -i '*=iota' -w weights.npz", 0, "for ", "" },
	{ "--dump=graph -b nosuch add.lt", 2, "", "there is no backend 'nosuch'" },
	{ "--dump=graph -b ref add.lt", 0, "graph 1\n", "" },
	{ "--dump=graph --json add.lt", 2, "", "--json does not go with --dump=graph" },
	{ "--dump=dot --schedule=none.tree add.lt", 2, "", "--schedule does not go with --dump=graph, dot or script" },
	{ "--dump=tree --verify add.lt", 2, "", "--verify does not go with --dump, which prints instead of running" },
	{ "--dump=tree --time add.lt", 2, "", "--time does not go with --dump" },
	{ "--dump=tree --explain add.lt", 2, "", "--explain does not go with --dump" },
	{ "--dump=tree -n 3 add.lt", 2, "", "--runs does not go with --dump" },
	{ "--check-schedule --schedule=add.lt --dump=tree add.lt", 2, "", "--dump does not go with --check-schedule" },
	{ "--check-schedule --schedule=add.lt --verify add.lt", 2, "", "--verify does not go with --check-schedule" },
	{ "--list-backends add.lt", 2, "", "a script does not go with --list-backends, which lists them and ends" },
	{ "--list-backends --dump=graph", 2, "", "--dump does not go with --list-backends" },
	{ "--list-backends --cache=stats", 2, "", "--cache does not go with --list-backends" },
	{ "--list-backends -b cpu", 2, "", "--backend does not go with --list-backends" },
	{ "--list-backends --threads 1", 0, "cpu", "" },
	{ "--cache=stats add.lt", 2, "",
		"a script does not go with --cache, which looks after compiled code and ends" },
	{ "--cache=clear --cache-dir=none --dump=tree", 2, "", "--dump does not go with --cache" },
	{ "--dump=diff -i x=1 add.lt two.lt", 2, "", "--input does not go with --dump=diff" },
};

Test(ltrun, options_that_go_together)
{
	expect_answers(together, sizeof together / sizeof *together);
}

/* Exit code 2 for what the user can mend, before anything is run, and each sentence once. */
static const struct mistake refused[] = {
	{ "none.graph", 2, "",
		"lt-run: none.graph: the graph has no result: name one (result = $n; in a script, result \"name\" = %n "
		"in a graph's text)\n" },
	{ "- <none.graph", 2, "", "lt-run: standard input: the graph has no result" },
	{ "--dump=tree none.graph", 2, "", "none.graph: the graph has no result" },
	{ "--dump=graph none.graph", 0, "input \"x\"", "" },
	{ "add.lt -i x=1 -c w=1 -b cpu:foo", 2, "",
		"lt-run: backend cpu: unknown option 'foo': there is O0, O1, O2, O3, target=NAME, emit=NAME, "
		"source=FILE and symbols=FOLDER, with / between them\n" },
	{ "add.lt -i x=1 -c w=1 -b ref:foo", 2, "",
		"lt-run: backend ref: unknown option 'foo': it has no options: leave it out\n" },
	{ "--dump=tree add.lt -b cpu:O4", 2, "", "backend cpu: unknown option 'O4'" },
	{ "add.lt -i x=iota -c w=0.5 -b cpu:O0", 0, "[[0.5 1.5 2.5]\n [3.5 4.5 5.5]]\n", "" },
	{ "add.lt -i x=iota -c w=0.5 -b 'ref,cpu:O2/O1'", 0, "[[0.5 1.5 2.5]\n [3.5 4.5 5.5]]\n", "" },
	{ "add.lt -i x=1 -c w=1 -b cpu,,ref", 2, "", "a name is missing in --backend 'cpu,,ref'" },
	{ "add.lt -i x=1 -c w=1 -b cpu,", 2, "", "a name is missing in --backend 'cpu,'" },
	{ "add.lt -i x=1 -c w=1 -b ''", 2, "", "a name is missing in --backend ''" },
	{ "add.lt -i x=1 -c w=1 -b :O3", 2, "", "a name is missing in --backend ':O3'" },
	{ "add.lt -i x=1 -c w=1 -b cpu --cc nosuchcc --no-cache", 1, "",
		"lt-run: backend cpu: nosuchcc: not found: install gcc or give --cc; without a compiler "
		"-b llvm works where it was built, and -b ref always\n" },
	{ "add.lt -i x=1 -c w=1 -b mine", 2, "", "wasm); one of your own is loaded from a folder in "
		"LT_BACKEND_PATH, by lt-run, lt-check and lt-bench also by -B FILE.so\n" },
	/* An option that takes what was meant for the script, or for another option. */
	{ "--view add.lt", 2, "", "a script is missing; 'add.lt' is the page that --view writes: lt-run --view FILE.html " },
	{ "add.lt -i x=1 -c w=1 -o y=a.npy", 2, "", "--output takes one file for all results, " },
	/* Other texts say what they are in their first word. */
	{ "a.tree", 2, "", "a.tree:2:1: this is a loop tree, not a script: lt-run SCRIPT --schedule FILE" },
	{ "a.schedule", 2, "", "a.schedule:1:1: this is a list of schedule primitives, not a script: lt-run SCRIPT --sch" },
	{ "a.kernel", 2, "", "a.kernel:1:1: this is a kernel program, not a script: build/simulate FILE" },
	{ "a.c", 2, "", "a.c:2:1: this is C, not a script: lt-run SCRIPT --use-source FILE" },
	/* The value is wrong, not the option. */
	{ "add.lt -i x=1 -c w=1 -b sim:lanes=3", 2, "",
		"backend sim: the option lanes does not take '3': give one of 1, 2, 4, 8" },
	{ "add.lt -i x=1 -c w=1 -b sim:teams=2", 2, "",
		"backend sim: the option teams does not take '2': give a whole number from 0 to 1\n" },
	{ "add.lt -i x=1 -c w=1 -b sim:skip=", 2, "", "backend sim: the option skip has no value: write skip=STEPS" },
	{ "add.lt -i x=1 -c w=1 -b sim:off=foo", 2, "", "backend sim: the option off does not take 'foo': give one of " },
	{ "add.lt -i x=1 -c w=1 -b sim:lane=8", 2, "", "backend sim: unknown option 'lane=8'" },
	/* A comma parts backends, not the options of one. */
	{ "add.lt -i x=1 -c w=1 -b ref,sim:lanes=8,teams=0", 2, "", "there is no backend 'teams=0' (there are: " },
	{ "add.lt -i x=1 -c w=1 -b ref,sim:lanes=8,teams=0", 2, "", "; options of one backend have '/' between them: "
		"-b sim:lanes=8/teams=0\n" },
	{ "add.lt -i x=1 -c w=1 -b sim:lanes=8,masked,ref", 2, "", "-b sim:lanes=8/masked\n" },
	{ "add.lt -i x=1 -c w=1 -b cpu,target=sse2", 2, "", "-b cpu:target=sse2\n" },
	/* What would change nothing is refused: another one takes the kernels. */
	{ "add.lt -i x=1 -c w=1 -b ref,cpu --use-source add.c", 2, "", "--use-source is for the backend cpu, which is not the "
		"first of --backend 'ref,cpu': give -b cpu, or leave --use-source out" },
	{ "add.lt -i x=1 -c w=1 -b ref,cpu:O1 --target sse2", 2, "", "--target is for the backend cpu, which is not the "
		"first of --backend 'ref,cpu:O1': give -b cpu, or leave --target out" },
	{ "add.lt -i x=1 -c w=1 -b ref,cpu --cc cc", 2, "", "--cc is for the backend cpu, which is not the first of --backend "
		"'ref,cpu': give -b cpu, or leave --cc out" },
	{ "add.lt -i x=1 -c w=1 -b ref --cc cc", 2, "", "--cc is for the backend cpu, which is not in --backend 'ref'" },
	{ "add.lt --dump=tree -b sim --target sse2", 2, "", "--target is for the backend cpu, which is not in --backend" },
	{ "add.lt -i x=1 -c w=1 -b cpu:O1,ref --cc cc -q", 0, "", "" },
	{ "half.graph -i x=1 -o x.npy", 2, "",
		"x.npy: the result 'y' is bfloat16, which NumPy's format does not have: write a .safetensors" },
	{ "half.graph -i x=1 -o x%d.npz", 2, "", "the result 'y' is bfloat16" },
	{ "half.graph -o x.npz", 2, "", "the result 'y' is bfloat16" },
	{ "half.graph -i x=1 -o x.safetensors", 0, "", "" },
	{ "--dump=source -b ref add.lt", 2, "", "backend ref has no source to show; use -b cpu" },
	{ "--dump=asm -b ref add.lt", 2, "", "backend ref has no assembly to show; use -b cpu" },
	{ "--dump=kernel -b ref add.lt", 2, "", "backend ref has no kernel program to show; use -b cpu or "
		"-b sim" },
	{ "--dump=source -b ref add.lt -o source.c", 2, "", "backend ref has no source to show" },
	{ "bytes.graph -b ref -i x=iota", 2, "", "lt-run: x=iota: iota counts to 299, which does not fit int8\n" },
	{ "bytes.graph -b ref -i x=128", 2, "", "128 does not fit int8" },
	{ "truths.graph -b ref -i x=iota", 2, "", "iota counts to 2, which does not fit bool" },
	/* Random numbers that the script can be run with. */
	{ "range.graph -b ref -q -i '*=random:1'", 0, "", "" },
	{ "range.graph -b ref -q -i '*=random:2'", 0, "", "" },
	{ "range.graph -b ref -q -i '*=random:3'", 0, "", "" },
	{ "fits.graph -b ref -q -i '*=random:1'", 0, "", "" },
	{ "fits.graph -b ref -q -i '*=random:2'", 0, "", "" },
	{ "fits.graph -b ref -q -i '*=random' -i end=500", 0, "", "" },
	{ "fits.graph -b ref -q -i x=1 -i begin=7 -i end=22", 1, "",
		"lt-run: line 8:1 of its script: end - begin has to be 16" },
	/* A hint can be copied. */
	{ "names.graph -b ref", 2, "", "give it with  -i 'a b=FILE.npy'\n" },
	{ "names.graph -b ref", 2, "", "give it with  -i 'it'\\''s=FILE.npy'\n" },
	{ "names.graph -b ref -i 'a b'", 2, "", "'a b' is not NAME=SPEC, such as 'a b=random'\n" },
};

Test(ltrun, what_is_refused_before_a_run)
{
	ltrun_write_text("none.graph", "graph 1\nvar m 4\n%x = f32[m] input \"x\"\n");
	ltrun_write_text("a.tree", "# By hand.\nlooptree 1\ngraph 9993f5497b0902f6\n");
	ltrun_write_text("a.schedule", "schedule 1\nsplit m 8\n");
	ltrun_write_text("a.kernel", "kernel 1\nname sum\n");
	ltrun_write_text("a.c", "#include <stdint.h>\nstruct lt_slot { void *base; };\n");
	ltrun_write_text("half.graph", "graph 1\nvar m 4\n%x = bf16[m] input \"x\"\nresult \"y\" = %x\n");
	ltrun_write_text("bytes.graph", "graph 1\nvar m 300\n%x = i8[m] input \"x\"\nresult \"y\" = %x\n");
	ltrun_write_text("range.graph",
		"graph 1\nvar i 3\nvar j 2\nvar n 8\n%t = f32[i, j] input \"table\"\n%n = i64[n] input \"ids\"\n"
		"%g = f32[n, j] gather %t, %n axis 0\nresult \"r\" = %g\n");
	ltrun_write_text("fits.graph",
		"graph 1\nvar i 16\nvar j 1024\nvar one 1\nvar two 1\nparam begin = %b[0] in 0..1008\n"
		"param end = %e[0] in 16..1024\nrequire end - begin - 16 == 0 \"end - begin has to be 16\" @ 8:1\n"
		"%x = f32[i] input \"x\"\n%b = i64[one] input \"begin\"\n%e = i64[two] input \"end\"\n"
		"%s = f32[j] state \"s\"\n%u = f32[j] update %s, %x at [begin]\nresult \"r\" = %u\nset %s = %u\n");
	ltrun_write_text("names.graph",
		"graph 1\nvar m 3\n%x = f32[m] input \"a b\"\n%y = f32[m] input \"it's\"\n%z = f32[m] add %x, "
		"%y\nresult \"z\" = %z\n");
	ltrun_write_text("truths.graph", "graph 1\nvar m 3\n%x = bool[m] input \"x\"\nresult \"y\" = %x\n");
	expect_answers(refused, sizeof refused / sizeof *refused);
	ltrun_write_text("bytes.graph", "graph 1\nvar m 128\n%x = i8[m] input \"x\"\nresult \"y\" = %x\n");
	cr_assert_eq(run("bytes.graph -b ref -i x=iota"), 0, "%s", err);
}

/* A file that cannot be read may hold what is missing: only the file is reported of. */
Test(ltrun, a_file_with_a_bad_entry)
{
	const int64_t two = 2, shape[] = { 2, 3 };
	const float data[6] = { 0 };
	const struct lt_tensor t[] = { ltrun_tensor("x", LT_F32, 2, shape, data), ltrun_tensor("bad", LT_F32, 1, &two, data) };
	char bytes[4096];
	size_t n;
	FILE *f;

	ltrun_write("in.npz", 2, t);
	f = fopen(scratch("in.npz"), "r+b");
	cr_assert_not_null(f);
	n = fread(bytes, 1, sizeof bytes, f);
	/* The magic of the second array. */
	for (size_t i = n - 6; i > 0; i--)
		if (!memcmp(bytes + i, "\x93NUMPY", 6)) {
			bytes[i] = 'X';
			break;
		}
	rewind(f);
	cr_assert_eq(fwrite(bytes, 1, n, f), n);
	fclose(f);
	cr_assert_eq(run("add.lt --inputs in.npz"), 2);
	cr_assert(strstr(err, "in.npz: bad.npy: is not a .npy file") && !strstr(err, "not given"), "%s", err);
}

/* A wrong script: its line and column, exit code 2. */
Test(ltrun, a_wrong_script)
{
	ltrun_write_text("wrong.lt",
		"$1 = InputTensor(x, float32, [2]);\n$2 = InputTensor(y, float32, [3]);\n$3 = SumNode($1, $2);\nresult "
		"= $3;\n");
	cr_assert_eq(run("wrong.lt"), 2);
	cr_assert(strstr(err, "lt-run: wrong.lt:3:"), "%s", err);
	cr_assert_eq(run("- <wrong.lt"), 2);
	cr_assert(strstr(err, "standard input:3:"), "%s", err);
}

/* All that does not fit is said at once, a few lines however much it is. */
Test(ltrun, many_mistakes)
{
	const int64_t shape[] = { 1 };
	const float one = 1;
	struct lt_tensor t[60];
	char names[60][8];
	int lines = 0;

	for (int i = 0; i < 60; i++) {
		snprintf(names[i], sizeof names[i], "n%d", i);
		t[i] = ltrun_tensor(names[i], LT_F32, 1, shape, &one);
	}
	ltrun_write("many.npz", 60, t);
	cr_assert_eq(run("add.lt --inputs many.npz -w many.npz"), 2);
	for (const char *at = err; *at; at++)
		lines += *at == '\n';
	cr_assert(strstr(err, "many.npz: the script has no constant 'n0'") && strstr(err, "and 100 more like these"),
		"%s", err);
	cr_assert(strstr(err, "needs 2 tensors that are not given"));
	cr_assert_lt(lines, 30);
}

Test(ltrun, a_tensor_that_does_not_fit)
{
	const int64_t shape[] = { 2, 3 }, flat[] = { 6 };
	const double data[6] = { 0 };
	const struct lt_tensor wide = ltrun_tensor("", LT_F64, 2, shape, data),
			       flat_one = ltrun_tensor("", LT_F32, 1, flat, data);

	ltrun_write("wide.npy", 1, &wide);
	ltrun_write("flat.npy", 1, &flat_one);
	cr_assert_eq(run("add.lt -c w=1 -i x=wide.npy"), 2);
	cr_assert(strstr(err,
			  "x=wide.npy: the input 'x' is float32 [2, 3], but this is float64 (2, 3) (in NumPy: "
			  ".astype('float32'))"),
		"%s", err);
	cr_assert_eq(run("add.lt -c w=1 -i x=flat.npy"), 2);
	cr_assert(strstr(err, "the input 'x' is float32 [2, 3], but this is float32 (6,)"), "%s", err);
	/* NumPy has no such type to make one of. */
	ltrun_write_text("half.lt", "$1 = InputTensor(x, bfloat16, [2, 3]);\nresult = $1;\n");
	cr_assert_eq(run("half.lt -i x=wide.npy"), 2);
	cr_assert(strstr(err, "this is float64 (2, 3) (NumPy has no bfloat16; a .safetensors may hold it)"), "%s", err);
}

/* ---- what is printed: NumPy's own text ---- */

static const struct {
	enum lt_dtype dtype;
	int32_t rank;
	int64_t shape[3];
	double data[30];
	const char *text;
} prints[] = {
	{ LT_F32, 1, { 3 }, { 0.1, 2.5, -3 }, "[ 0.1  2.5 -3. ]" },
	{ LT_F32, 2, { 2, 2 }, { 10000000000.0, 1, 2, 3 }, "[[1.e+10 1.e+00]\n [2.e+00 3.e+00]]" },
	{ LT_F32, 1, { 4 }, { NAN, INFINITY, -INFINITY, 1.5 }, "[ nan  inf -inf  1.5]" },
	{ LT_F32, 1, { 3 }, { 1e-05, 0.5, 1 }, "[1.e-05 5.e-01 1.e+00]" },
	{ LT_F64, 1, { 3 }, { 0.1, 0.3333333333333333, 100 }, "[  0.1          0.33333333 100.        ]" },
	{ LT_F64, 1, { 2 }, { 1e+300, 1 }, "[1.e+300 1.e+000]" },
	{ LT_F16, 1, { 3 }, { 0.1, 1000, 2 }, "[1.e-01 1.e+03 2.e+00]" },
	{ LT_F32, 0, { 0 }, { 0.1 }, "0.1" },
	{ LT_F64, 0, { 0 }, { 1e+22 }, "1e+22" },
	{ LT_I64, 2, { 2, 3 }, { 1, -20, 3, 400, 5, 6 }, "[[  1 -20   3]\n [400   5   6]]" },
	{ LT_BOOL, 1, { 3 }, { 1, 0, 1 }, "[ True False  True]" },
	{ LT_BOOL, 0, { 0 }, { 1 }, "True" },
	{ LT_U8, 1, { 2 }, { 255, 0 }, "[255   0]" },
	{ LT_I32, 1, { 30 },
		{ 0, 1, 8, 27, 64, 125, 216, 343, 512, 729, 1000, 1331, 1728, 2197, 2744, 3375, 4096, 4913, 5832, 6859,
			8000, 9261, 10648, 12167, 13824, 15625, 17576, 19683, 21952, 24389 },
		"[    0     1     8    27    64   125   216   343   512   729  1000  1331\n  1728  2197  2744  3375  "
		"4096  4913  5832  6859  8000  9261 10648 12167\n 13824 15625 17576 19683 21952 24389]" },
	{ LT_F32, 1, { 12 }, { -3.0, -1.75, -0.5, 0.75, 2.0, 3.25, 4.5, 5.75, 7.0, 8.25, 9.5, 10.75 },
		"[-3.   -1.75 -0.5   0.75  2.    3.25  4.5   5.75  7.    8.25  9.5  10.75]" },
	{ LT_F32, 3, { 1, 2, 2 }, { 1, 2, 3, 4 }, "[[[1. 2.]\n  [3. 4.]]]" },
	{ LT_F32, 1, { 1 }, { 0.0001 }, "[0.0001]" },
};

static void write_values(const char *name, enum lt_dtype dtype, int32_t rank, const int64_t *shape, const double *data)
{
	bool is_float = lt__dtype_info(dtype)->cls == LT_CLASS_FLOAT;
	struct lt_tensor t;

	cr_assert_eq(lt__tensor_new(ltrun_ctx, name, "", dtype, rank, shape, &t), LT_OK);
	for (size_t i = 0; i < t.bytes / lt__dtype_info(dtype)->bytes; i++)
		lt__store(t.data, (int64_t)i, dtype, is_float ? lt__round_to((union lt_scalar){ .f = data[i] }, dtype) :
			(union lt_scalar){ .i = (int64_t)data[i] });
	ltrun_write(name, 1, &t);
	lt__tensor_free(&t);
}

Test(ltrun, prints_as_numpy_does)
{
	char graph[512], dims[128], want[2048];

	for (size_t i = 0; i < sizeof prints / sizeof *prints; i++) {
		int n = 0, d = 0;

		graph[0] = dims[0] = 0;
		n = snprintf(graph, sizeof graph, "graph 1\n");
		for (int32_t k = 0; k < prints[i].rank; k++) {
			n += snprintf(graph + n, sizeof graph - (size_t)n, "var v%d %lld\n", k, (long long)prints[i].shape[k]);
			d += snprintf(dims + d, sizeof dims - (size_t)d, k ? ", v%d" : "v%d", k);
		}
		snprintf(graph + n, sizeof graph - (size_t)n, "%%x = %s[%s] input \"x\"\nresult \"y\" = %%x\n",
			lt__dtype_info(prints[i].dtype)->name, dims);
		ltrun_write_text("print.lt", graph);
		write_values("print.npy", prints[i].dtype, prints[i].rank, prints[i].shape, prints[i].data);
		cr_assert_eq(run("print.lt -b ref -i x=print.npy"), 0, "%s", err);
		snprintf(want, sizeof want, "%s\n", prints[i].text);
		cr_expect_str_eq(strchr(out, '\n') + 1, want);
	}
}

Test(ltrun, leaves_out_the_middle_of_what_is_large)
{
	ltrun_write_text("large.lt", "$1 = InputTensor(x, float32, [100, 50]); result = $1;");
	cr_assert_eq(run("large.lt -i x=iota -b ref"), 0);
	cr_assert_str_eq(out,
		"result: float32 (100, 50)\n"
		"[[0.000e+00 1.000e+00 2.000e+00 ... 4.700e+01 4.800e+01 4.900e+01]\n [5.000e+01 5.100e+01 5.200e+01 "
		"... 9.700e+01 9.800e+01 9.900e+01]\n"
		" [1.000e+02 1.010e+02 1.020e+02 ... 1.470e+02 1.480e+02 1.490e+02]\n ...\n [4.850e+03 4.851e+03 "
		"4.852e+03 ... 4.897e+03 4.898e+03 4.899e+03]\n"
		" [4.900e+03 4.901e+03 4.902e+03 ... 4.947e+03 4.948e+03 4.949e+03]\n [4.950e+03 4.951e+03 4.952e+03 "
		"... 4.997e+03 4.998e+03 4.999e+03]]\n");
	ltrun_write_text("large.lt", "$1 = InputTensor(x, int64, [2000]); result = $1;");
	cr_assert_eq(run("large.lt -i x=iota -b ref"), 0);
	cr_assert_str_eq(out, "result: int64 (2000,)\n[   0    1    2 ... 1997 1998 1999]\n");
}

/* ---- specs ---- */

Test(ltrun, random_numbers)
{
	struct lt_tensors a, b, c;
	double sum = 0, squares = 0;

	ltrun_write_text("r.lt",
		"$1 = InputTensor(x, float32, [10000]); $2 = InputTensor(i, int8, [1000]); $3 = InputTensor(u, uint8, "
		"[1000]);result = $1; result i = $2; result u = $3;");
	cr_assert_eq(run("r.lt -b ref -i x=random:7 -i i=random -i u=random -o a.npz"), 0, "%s", err);
	cr_assert_eq(run("r.lt -b ref -i x=random:7 -i i=random -i u=random -o b.npz"), 0);
	cr_assert_eq(run("r.lt -b ref -i x=random:8 -i i=random -i u=random -o c.npz"), 0);
	ltrun_read("a.npz", &a);
	ltrun_read("b.npz", &b);
	ltrun_read("c.npz", &c);
	for (int t = 0; t < 3; t++)
		cr_assert_eq(memcmp(a.at[t].data, b.at[t].data, a.at[t].bytes), 0);
	cr_assert_neq(memcmp(a.at[0].data, c.at[0].data, a.at[0].bytes), 0);
	for (int i = 0; i < 10000; i++) {
		double v = ((float *)a.at[0].data)[i];

		sum += v;
		squares += v * v;
	}
	/* Mean 0 and variance 1, within five standard deviations of 10000 draws. */
	cr_assert(fabs(sum / 10000) < 0.05 && fabs(squares / 10000 - 1) < 0.08, "%g %g", sum / 10000, squares / 10000);
	for (int i = 0; i < 1000; i++)
		cr_assert(abs(((int8_t *)a.at[1].data)[i]) <= 8 && ((uint8_t *)a.at[2].data)[i] <= 16);
	lt__tensors_free(&a);
	lt__tensors_free(&b);
	lt__tensors_free(&c);
}

/* Its constructor asks the host for a function that only the library itself has. */
Test(ltrun, a_plug_in_without_its_macro)
{
	char command[1024];
	ltrun_write_text("plain.c",
		"#include \"lt/backend.h\"\nstatic const struct lt_backend b = { .size = sizeof b, .abi = LT_ABI, "
		".build = LT_BUILD, .name = \"b\" };\nLT_BACKEND(b)\n");
	(void)snprintf(command, sizeof command, "cc -shared -fPIC -Iinclude -o %s %s", scratch("plain.so"),
		scratch("plain.c"));
	cr_assert_eq(system(command), 0);
	cr_expect_eq(run("-B ./plain.so --list-backends"), 2, "%s", err);
	cr_expect_not_null(strstr(err, "plain.so: cannot be loaded: "), "%s", err);
	cr_expect_not_null(strstr(err, "; compile it with -DLT_PLUGIN"), "%s", err);
}
