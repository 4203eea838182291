/* test_partition.c -- which groups whole networks are cut into for routines that take descriptions, as
 * tests/groups/NAME.txt has it (LT_BLESS=1 rewrites it).  Smaller images of the same networks are run as they are cut,
 * and as trees that were edited and given back.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/built.h"
#include "tests/partition.h"

TestSuite(partition, .timeout = 300);
TestSuite(more_partition, .timeout = 1200);

/* file: of a script; NULL: a network of networks.h, with an image of another size where it is run.  options: of a run.
 * calls: at least. */
#define CACHE(layer, start, end) " -i cache_start_" #layer "=" #start " -i cache_end_" #layer "=" #end
static const struct { const char *name, *file, *options; int calls; } nets[] = {
	{ "resnet50", NULL, "-i '*=random' -c '*=random'", 50 }, { "mobilenetv2", NULL, "-i '*=random' -c '*=random'", 50 },
	{ "vgg11", "tests/groups/vgg11.lt", NULL, 8 },
	{ "bert", NULL, NULL, 12 * 7 },
	{ "mnist", "examples/hamkaas-mnist.lt", "-i '*=random' -c '*=random'", 2 },
	{ "llama_step", "examples/llama/stories15M.lt", "-i '*=random' -c '*=random' -i pos_plus_one=1"
		CACHE(0, 0, 288) CACHE(1, 73728, 74016) CACHE(2, 147456, 147744) CACHE(3, 221184, 221472)
		CACHE(4, 294912, 295200) CACHE(5, 368640, 368928), 6 * 6 },
	{ "silu", "tests/golden/groups-silu.lt", "-i '*=random'", 1 },
};
enum { N_NET = sizeof nets / sizeof *nets };

/* The script; side: of the image, in the place of 224. */
static char *text_of(size_t i, int side, size_t *bytes)
{
	char *text = partition_script(nets[i].file ? nets[i].file : nets[i].name, "float32", bytes), want[32], now[32];
	int n = snprintf(want, sizeof want, "[1, 3, 224, 224]");
	char *at = strstr(text, want);
	if (at) {
		(void)snprintf(now, sizeof now, "[1, 3, %d, %d]", side, side);
		(void)snprintf(want, sizeof want, "%-*s", n, now);
		memcpy(at, want, (size_t)n);
	}
	return text;
}

Test(partition, of_whole_networks)
{
	for (size_t i = 0; i < N_NET; i++) {
		char path[64];
		size_t bytes;
		char *text = text_of(i, 224, &bytes);
		(void)snprintf(path, sizeof path, "tests/groups/%s.txt", nets[i].name);
		int calls = partition_compare(path, nets[i].name, text, bytes, "sim:grid/groups");
		cr_expect_geq(calls, nets[i].calls, "%s: %d calls", nets[i].name, calls);
		free(text);
	}
}

/* -- run -- */

/* By the descriptions of the calls, and with the calls handed to a routine that takes anything.  So many layers of
 * random weights leave elements of which rounding may explain any value: they are judged by runs with noise. */
Test(more_partition, networks_are_right_as_they_are_cut)
{
	for (size_t i = 0; i < 2 * N_NET; i++) {
		static char command[4000], out[8000], err[8000];
		const char *options = nets[i / 2].options, *name = nets[i / 2].name;
		size_t bytes;
		if (!options)
			continue;
		char *text = text_of(i / 2, 32, &bytes), run[500];
		FILE *f = fopen(scratch("net.lt"), "w");
		cr_assert(f && fwrite(text, 1, bytes, f) == bytes && fclose(f) == 0);
		(void)snprintf(run, sizeof run, "%s -b sim:grid/groups %s", built("lt-run"), scratch("net.lt"));
		(void)snprintf(command, sizeof command, "%s%s %s %s -q --verify=allow-unbounded %s", i % 2 ? run : "",
			i % 2 ? " --dump=tree | sed 's/group call [a-z]*/group call any/' |" : "", run,
			i % 2 ? "--schedule=-" : "", options);
		cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s: %s%s", name, out, err);
		cr_expect_not_null(strstr(out, "verify: passed"), "%s: %s%s", name, out, err);
		free(text);
	}
	scratch_remove();
}
