/* test_cuda_trees.c -- whole programs on a device that is not there: graphs with their default trees, and
 * trees with grids, compiled by NVRTC and launched; the launches are run by the simulator. */
#include "check/random/must.h"
#include "tests/cuda/cuda_session.h"
#include "tests/cuda/simulated_device.h"
#include "tests/random_schedule.h"

static struct mock_cuda *mock;

static void trees_begin(void)
{
	struct lt_cuda_nvrtc nvrtc;
	mock = mock_load();
	if (lt__cuda_nvrtc_load(&nvrtc, 13000, NULL))
		cr_skip_test("it needs NVRTC");
	simulated_device(mock);
}
TestSuite(cuda_trees, .init = trees_begin, .timeout = 300);

static void draw(bool grids, uint64_t first, uint64_t graphs)
{
	struct schedule_tally tally = { 0 };
	const struct schedule_plan plan = { .backends = "cuda_sim", .skip = "bind call tile",
		.seed = must_number("LT_SEED", first), .graphs = (int)must_draws("LT_GRAPHS", graphs), .sequences = 2,
		.together = 1, .grids = grids };
	random_schedules(&plan, &tally);
	random_schedules_report(&plan, &tally);
	cr_expect_eq(tally.failed, 0, "%d of %d sequences: %s", tally.failed, tally.sequences, simulated_device_wrong());
	cr_expect_str_eq(simulated_device_wrong(), "");
	cr_expect_str_eq(mock->wrong, "");
	cr_expect_gt(tally.sequences, tally.refused);
	cr_expect_gt(simulated_device_launches(), 2 * tally.sequences);
	cr_expect(!mock->blocks && !mock->bytes && !mock->streams && !mock->events && !mock->modules && !mock->contexts);
}

Test(cuda_trees, by_one_thread) { draw(false, 1301, 12); }
Test(cuda_trees, of_grids) { draw(true, 1401, 16); }
