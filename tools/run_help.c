/* tools/run_help.c -- lt-run's help, and the word that a mistyped one was meant to be. */
#include <stdlib.h>
#include <string.h>
#include "ir/nearest.h"
#include "tools/run.h"

/* Compilers need not take a longer string than 4095 bytes. */
static const char help[] =
"usage: lt-run [options] SCRIPT                 (SCRIPT -: standard input)\n"
"       lt-run --dump=diff A B\n"
"\n"
"Compiles a script of tensor operations, or a graph in its text form, and runs it.\n"
"\n"
"Tensors in\n"
"  -i, --input NAME=SPEC      an input; SPEC: FILE.npy, zeros, ones, VALUE, iota, random[:SEED]\n"
"                             (normal distribution; small numbers for integers); NAME *: all others\n"
"      --inputs FILE          all inputs by name, from a .npz or .safetensors; given several times:\n"
"                             one evaluation each, in order, state kept\n"
"  -c, --constant NAME=SPEC   a constant\n"
"  -w, --weights FILE         constants by name, from a .npz or .safetensors\n"
"\n"
"Tensors out\n"
"  -o, --output FILE          the result, as .npy, .npz or .safetensors (several results: one of the last two);\n"
"                             %d in the name becomes the number of the evaluation, one file each\n"
"      --json                 results and reports as one JSON object\n"
"  -q, --quiet                no results, no progress; only what is asked for, and errors\n"
"\n"
"Running\n"
"  -n, --runs N               evaluates N times (all --inputs in order, N times), state kept\n"
"  -b, --backend NAME[:CONFIG][,NAME...]\n"
"                             the first that takes a kernel runs it; default: the best that works here;\n"
"                             cpu:O0 to cpu:O3: how far the C compiler optimises, O3 if not said\n"
"      --target NAME          the processor to write for: native (this one, if not said), avx512, avx2, sse4, sse2, neon;\n"
"                             short for -b 'cpu:target=NAME'\n"
"      --use-source FILE.c    runs the C in FILE, which --dump=source wrote and you have edited\n"
"  -B, --load FILE.so         loads a backend (also from the files and folders in $LT_BACKEND_PATH)\n"
"      --list-backends        which there are, and whether they work here\n"
"      --strict               a kernel that the first backend refuses is an error\n"
"      --threads N            at most N threads; default: one a processor\n"
"      --no-capture           runs kernels one by one always, where a backend could repeat a whole run by one call\n"
"      --no-passes            compiles the graph as it is\n"
"      --schedule FILE        runs by the loops in FILE: a tree, as --dump=tree prints it, or a list of primitives\n"
"      --apply STEPS          changes those loops: \"split i 8; unroll i'\"; docs/schedule.md\n"
"      --cc CMD               C compiler; default: $CC, or cc\n"
"      --cc-timeout S         ends one that takes longer than S seconds for a kernel; default: 60\n"
"      --cache-dir DIR        where compiled code is kept; default: $XDG_CACHE_HOME/looptree or ~/.cache/looptree\n"
"      --no-cache             keeps none\n"
"      --cache=stats|clear    what is kept there; removes it\n"
"\n"
"Looking\n"
"      --verify               judges every kernel, result and state by the reference evaluator; exit code 1 if\n"
"                             something is wrong, 3 if rounding may explain any value of some elements,\n"
"                             which --verify=allow-unbounded lets pass\n"
"      --time[=N]             times N runs, and says what the compiler did; default: half a second of runs\n"
"      --dump=KIND            prints instead of running: graph, dot, tree, access, frozen, source, asm, plan\n"
"                             (-o FILE: into a file); with -dLETTER, graph or dot after a pass (C, F, E, D)\n"
"      --dump=diff A B        what two files with trees differ in, by line; exit code 1 if they do\n"
"      --check-schedule       says whether --schedule and --apply fit the script, or which line does not, and why; exit code 1\n"
"      --explain              says which backend takes which kernel, and why the others do not\n"
"  -v, --verbose              says on standard error what is done\n"
"  -h, --help                 this text\n"
"      --version\n"
"\n"
"Exit code: 0; 1: a run or a verification failed; 2: a mistake in the options, the script or a file.\n"
;

static const char examples[] =
"\n"
"Examples\n"
"  lt-run softmax.lt -i x=random                        prints the result\n"
"  lt-run mnist.lt -w weights.safetensors -i image=digits.npy -o out.npy\n"
"  lt-run model.lt -c '*=random' -i '*=random' --verify --time\n"
"  lt-run step.lt --inputs t0.npz --inputs t1.npz -o out%d.npz\n"
"  lt-run --dump=tree softmax.lt                        the loops it becomes\n"
"  lt-run --dump=tree softmax.lt -o s.tree; edit s.tree; lt-run softmax.lt --schedule s.tree -i x=random --verify\n"
"  lt-run --dump=source softmax.lt -o k.c; edit k.c; lt-run softmax.lt --use-source k.c -i x=random --verify --time\n"
"  lt-run --dump=graph softmax.lt | lt-run - -i x=ones  a graph's own text is a script, too\n"
"\n"
"lt-run(1) says more.\n";

void run_help(FILE *f)
{
	fputs(help, f);
	fputs(examples, f);
}

#define LONGEST 60

const char *run_nearest(const char *word, int32_t n, const char *(*at)(const void *, int32_t), const void *user)
{
	struct lt_nearest near;

	lt__nearest_begin(&near, word, strlen(word));
	for (int32_t i = 0; i < n; i++)
		lt__nearest_add(&near, at(user, i));
	return near.n ? near.name[0] : NULL;
}

static const char *word_at(const void *words, int32_t i)
{
	return ((const char *const *)words)[i];
}

const char *run_nearest_of(const char *word, const char *const *words)
{
	int32_t n = 0;

	while (words[n])
		n++;
	return run_nearest(word, n, word_at, words);
}
