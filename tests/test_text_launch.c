/* test_text_launch.c -- what the host does for a device: launches in their order, and what it is refused to do;
 * which parameters the functions have. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "backends/text/text.h"
#include "tests/grid_files.h"
#include "tests/grid_kernel.h"
#include "tests/simulated.h"

TestSuite(text_launch, .timeout = 60);

#define HEAD "kernel 1\nname k\nworkspace 0 thread 0\nbuffer n i64[4] slot 0 align 8\n" \
	"buffer y f32[64] slot 1 align 4 exclusive written\nvariable v i64\nparam n buffer n element 2 range 0..40\n"
#define GRID "region grid 1 blocks (40, 8, 1) threads (1, 1, 1) subgroup 1 shared 0\n" \
	"\t%a = argument i64 0\n\t%m = greaterequal i64 %a 64\n\tleave %m\n\tstore y[%a] 1\n"

struct launch_list { struct lt_text_launcher launcher; char text[1024]; size_t n; };

static lt_status list_launch(struct lt_text_launcher *launcher, const struct lt_text_launch *x)
{
	struct launch_list *l = (struct launch_list *)(void *)launcher;
	l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "%d: %lld %lld %lld (%lld); ", (int)x->region,
		(long long)x->blocks[0], (long long)x->blocks[1], (long long)x->blocks[2], (long long)x->argument[0]);
	return LT_OK;
}

/* The host's lines; the launches for n = 5, and of a recorded run: or why there are none. */
static const struct { const char *lines, *run, *recorded; } hosts[] = {
	{ "\tlaunch_grid 1 4 2 1 (i64 7)\n", "1: 4 2 1 (7); ", "1: 4 2 1 (7); " },
	{ "\t%n = param 0\n\tlaunch_grid 1 %n 2 1 (i64 7)\n", "1: 5 2 1 (7); ", "1: 40 2 1 (7); " },
	{ "\t%n = param 0\n\t%b = sub i64 %n 5\n\tlaunch_grid 1 %b 2 1 (i64 7)\n", "", "1: 40 2 1 (7); " },
	{ "\t%n = param 0\n\t%b = sub i64 %n 9\n\tlaunch_grid 1 2 %b 1 (i64 7)\n", "", "1: 2 8 1 (7); " },
	{ "\t%n = param 0\n\tlaunch_grid 1 1 1 1 (%n)\n", "1: 1 1 1 (5); ",
		"an argument of 'launch_grid' in the host's region of kernel k depends on run-time scalars, so one recorded run "
		"cannot stand for all" },
	{ "\tloop %i from 1 to 8 step 3\n\t\t%s = mul i64 %i %i\n\t\tlaunch_grid 1 %i 1 1 (%s)\n\tend\n",
		"1: 1 1 1 (1); 1: 4 1 1 (16); 1: 7 1 1 (49); ", "1: 1 1 1 (1); 1: 4 1 1 (16); 1: 7 1 1 (49); " },
	{ "\tloop %i from 3 to 3\n\t\tlaunch_grid 1 1 1 1 (%i)\n\tend\n", "", "" },
	{ "\t%n = param 0\n\tloop %i from 3 to %n\n\t\tlaunch_grid 1 1 1 1 (%i)\n\tend\n", "1: 1 1 1 (3); 1: 1 1 1 (4); ",
		"the end of 'loop' in the host's region" },
	{ "\t%n = param 0\n\t%m = less i64 %n 5\n\tif %m\n\t\tlaunch_grid 1 1 1 1 (i64 1)\n\telse\n"
		"\t\tlaunch_grid 1 2 1 1 (i64 2)\n\tend\n", "1: 2 1 1 (2); ", "the condition of 'if' in the host's region" },
	{ "\tif 0x1\n\t\tlaunch_grid 1 1 1 1 (i64 1)\n\telse\n\t\tlaunch_grid 1 2 1 1 (i64 2)\n\tend\n", "1: 1 1 1 (1); ",
		"1: 1 1 1 (1); " },
	{ "\tvariable v\n\tset v 3\n\tloop %i from 0 to 3\n\t\tupdate v mul 2\n\t\t%g = get v\n\t\tlaunch_grid 1 1 1 1 (%g)\n"
		"\tend\n", "1: 1 1 1 (6); 1: 1 1 1 (12); 1: 1 1 1 (24); ", "1: 1 1 1 (6); 1: 1 1 1 (12); 1: 1 1 1 (24); " },
	{ "\t%n = param 0\n\t%b = mul i64 %n 9\n\tlaunch_grid 1 %b 1 1 (i64 7)\n",
		"kernel k launches 45 blocks along axis 0 of region 1, which has at most 40", "1: 40 1 1 (7); " },
};

static void expect_launches(const struct lt_kernel *k, const int64_t *param, const char *want, const char *lines)
{
	struct launch_list l = { .launcher.launch = list_launch };
	struct keeper diags = keeper_new();
	lt_status status = lt__text_launches(k, param, &l.launcher, &diags.diag);
	if (status)
		cr_expect(*want && strstr(diags.text, want) == diags.text, "%s: %s", lines, diags.text);
	else
		cr_expect_str_eq(l.text, want, "%s", lines);
}

Test(text_launch, in_their_order)
{
	for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
		struct lt_kernel *k = simulated_kernel("%sregion host\n%s%s", HEAD, hosts[i].lines, GRID);
		const int64_t n = 5;
		expect_launches(k, &n, hosts[i].run, hosts[i].lines);
		expect_launches(k, NULL, hosts[i].recorded, hosts[i].lines);
		lt_kernel_free(k);
	}
}

static lt_status stop_at_once(struct lt_text_launcher *launcher, const struct lt_text_launch *x)
{
	(void)launcher;
	(void)x;
	return LT_EDEVICE;
}

Test(text_launch, the_launcher_may_stop_it)
{
	struct lt_kernel *k = simulated_kernel("%sregion host\n%s%s", HEAD, hosts[0].lines, GRID);
	struct lt_text_launcher launcher = { .launch = stop_at_once };
	cr_expect_eq(lt__text_launches(k, NULL, &launcher, NULL), LT_EDEVICE);
	lt_kernel_free(k);
}

#define LAUNCH "region host\n\tlaunch_grid 1 1 1 1 ()\n"
#define REGION(subgroup) "region grid 1 blocks (1, 1, 1) threads (64, 1, 1) subgroup " subgroup " shared 0\n"
/* Behind HEAD; what each device says of it, NULL: it is printed. */
static const struct { const char *lines, *cuda, *opencl; } refused[] = {
	{ "region host\n\tstore y[0] 1\n\tlaunch_grid 1 1 1 1 ()\n" REGION("1") "\tstore y[1] 1\n",
		"the host only launches grids in CUDA C; kernel k does 'store' there",
		"the host only launches grids in OpenCL C; kernel k does 'store' there" },
	{ "region host\n\tlaunch 1 4 ()\nregion team 1\n\t%i = first\n\tstore y[%i] 1\n", "the host only launches grids",
		"the host only launches grids" },
	{ "buffer m i64[4] slot 0 align 8 written\n" LAUNCH REGION("1") "\t%n = param 0\n\tstore y[%n] 1\n\tstore m[0] 1\n",
		"grids read param n when they begin, but kernel k writes the slot that it is in", "grids read param n" },
	{ LAUNCH REGION("64") "\tstore y[1] 1\n", "CUDA C has subgroups of at most 32 threads, not 64", NULL },
	{ LAUNCH REGION("16") "\tbarrier block 1 threads 32\n\tstore y[1] 1\n",
		"CUDA C has barriers with a number only of subgroups of 32; kernel k, region 1, 'barrier'",
		"OpenCL C has no barriers with a number; kernel k, region 1, 'barrier'" },
	{ LAUNCH REGION("32") "\t%s = subgroup 1\n\t%m = eq i64 %s 0\n\tif %m\n\t\tbarrier subgroup 0 threads 32\n\tend\n"
		"\tstore y[1] 1\n", NULL,
		"OpenCL C has no barriers and exchanges that only some subgroups of a block reach; kernel k, region 1, 'barrier'" },
	{ LAUNCH REGION("32") "\t%s = subgroup 1\n\tloop %i from 0 to %s\n\t\t%e = exchange i64 up %s 1\n\tend\n"
		"\tstore y[1] 1\n", NULL, "OpenCL C has no barriers and exchanges that only some subgroups of a block reach" },
	{ "operator twice f32 (f32) identity 0x0 \"$0 * 2\"\n" LAUNCH REGION("1") "\t%t = text f32 0 1.5\n\tstore y[1] %t\n",
		NULL, "OpenCL C has no operators that are C text; kernel k, region 1, 'text'" },
};

Test(text_launch, what_a_device_has_not)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		for (int d = 0; d < 2; d++) {
			struct keeper diags = keeper_new();
			struct lt_text_grids *grids;
			struct lt_kernel *k = simulated_kernel("%s%s", HEAD, refused[i].lines);
			const char *want = d ? refused[i].opencl : refused[i].cuda;
			lt_status status = lt__text_grids(d ? &lt__text_opencl : &lt__text_cuda, k, NULL, &grids, &diags.diag);
			cr_expect_eq(status, want ? LT_EUNSUPPORTED : LT_OK, "%s: %s", refused[i].lines, diags.text);
			cr_expect(!want || strstr(diags.text, want) == diags.text, "%s: '%s'", refused[i].lines, diags.text);
			lt__text_grids_free(grids);
			lt_kernel_free(k);
		}
}

/* As C there are no grids, and no instruction of 128 threads on any device. */
Test(text_launch, other_refusals)
{
	struct keeper diags = keeper_new();
	struct lt_text_grids *grids;
	struct lt_kernel *k = simulated_kernel("%s", grid_kernel);
	cr_expect_eq(lt__text_accepts(&lt__text_c99, k, &diags.diag), LT_EUNSUPPORTED);
	cr_expect_str_eq(diags.text, "C99 has no grids, as region 1 of kernel grids is one");
	cr_expect_eq(lt__text_grids(&lt__text_cuda, k, NULL, &grids, &diags.diag), LT_EUNSUPPORTED);
	cr_expect_str_eq(diags.text, "CUDA C has no matrix instruction of that description; kernel grids, region 1, 'matrix'");
	cr_expect_null(grids);
	lt_kernel_free(k);
}

static const struct { const struct lt_text_dialect *dialect; const char *text; } given[] = {
	{ &lt__text_cuda, "gather_1 0: buffer table, buffer index, buffer n, buffer kept, argument 0, fault; "
		"gather_2 0: buffer n, buffer y, buffer z, buffer kept, argument 0; " },
	{ &lt__text_opencl, "gather_1 0: buffer table, offset table, buffer index, offset index, buffer n, offset n, "
		"buffer kept, offset kept, argument 0, fault; gather_2 0: buffer n, offset n, buffer y, offset y, buffer z, "
		"offset z, buffer kept, offset kept, argument 0; " },
};

Test(text_launch, parameters_of_each_function)
{
	static const char *const kinds[] = { "buffer", "offset", "argument", "fault" };
	struct lt_kernel *k = grid_file_kernel("gather");
	for (int d = 0; d < 2; d++) {
		struct lt_text_grids *grids;
		char text[1024];
		size_t n = 0;
		cr_assert_eq(lt__text_grids(given[d].dialect, k, NULL, &grids, NULL), LT_OK);
		for (uint32_t g = 0; g < grids->n_grid; g++) {
			n += (size_t)snprintf(text + n, sizeof text - n, "%s %lld:", grids->grids[g].name,
				(long long)grids->grids[g].dynamic_bytes);
			for (uint32_t p = 0; p < grids->grids[g].n_parameter; p++) {
				const struct lt_text_parameter *x = &grids->grids[g].parameters[p];
				n += (size_t)snprintf(text + n, sizeof text - n, "%s %s", p ? "," : "", kinds[x->kind]);
				if (x->kind <= LT_TEXT_OFFSET)
					n += (size_t)snprintf(text + n, sizeof text - n, " %s", k->buffers[x->index].name);
				if (x->kind == LT_TEXT_ARGUMENT)
					n += (size_t)snprintf(text + n, sizeof text - n, " %d", (int)x->index);
			}
			n += (size_t)snprintf(text + n, sizeof text - n, "; ");
		}
		cr_expect_str_eq(text, given[d].text);
		lt__text_grids_free(grids);
	}
	lt_kernel_free(k);
}

/* Above 48 KB a launch asks for it. */
Test(text_launch, much_shared_memory)
{
	struct lt_kernel *k = simulated_kernel("kernel 1\nname k\nworkspace 0 thread 0\nbuffer y f32[64] slot 0 align 4 "
		"exclusive written\nbuffer s f32[16384] shared 0 align 16 written\n" LAUNCH
		"region grid 1 blocks (1, 1, 1) threads (64, 1, 1) subgroup 1 shared 65536\n\t%%i = thread 0\n\tstore s[%%i] 1\n"
		"\t%%x = load f32 s[%%i]\n\tstore y[%%i] %%x\n");
	struct lt_text_grids *grids;
	cr_assert_eq(lt__text_grids(&lt__text_cuda, k, NULL, &grids, NULL), LT_OK);
	cr_expect_eq(grids->grids[0].shared_bytes, 65536);
	cr_expect_eq(grids->grids[0].dynamic_bytes, 65536);
	cr_expect_not_null(strstr(grids->text, "extern __shared__ __align__(128) uint8_t lt_shared[];"));
	lt__text_grids_free(grids);
	cr_assert_eq(lt__text_grids(&lt__text_opencl, k, NULL, &grids, NULL), LT_OK);
	cr_expect_eq(grids->grids[0].dynamic_bytes, 0);
	lt__text_grids_free(grids);
	lt_kernel_free(k);
}
