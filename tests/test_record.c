/* test_record.c -- runs that repeat are recorded and replayed; faults in them; time on the device
 * (tests/device.h). */
#include <unistd.h>
#include "tests/device_run.h"

TestSuite(record, .init = device_register, .timeout = 60);

static void check_recorded(const char *backends, bool device)
{
	struct lt_graph *g = parsed(LONG);
	struct lt_program *p = compiled(g, backends),
			  *plain = compiled_with(g, (struct lt_options){ .backends = backends, .no_capture = 1 });
	struct lt_instance *r = instance_of(p), *q = instance_of(plain);
	float x[2][16], h[4], want[4];
	struct lt_stats st = { .size = sizeof st };
	lt_program_stats(p, &st);
	cr_assert_geq(st.n_launch, 2);
	/* which: the first buffer, three times; then the other one; then each in turn. */
	static const int which[] = { 0, 0, 0, 1, 1, 1, 0, 1, 0, 0 };
	static const int recorded[] = { 0, 1, 1, 1, 2, 2, 2, 2, 2, 3 }, replayed[] = { 0, 1, 2, 2, 3, 4, 4, 4, 4, 5 };
	for (int run = 0; run < 10; run++) {
		memset(h, 0xa5, sizeof h);
		run_long(r, x[which[run]], h, (float)run);
		/* In a device's memory nothing ever moves. */
		cr_expect_eq(device_one.captures, device ? run > 0 : recorded[run], "%s, run %d: %lld", backends, run,
			(long long)device_one.captures);
		cr_expect_eq(device_one.replays, device ? run : replayed[run], "%s, run %d: %lld", backends, run,
			(long long)device_one.replays);
		int64_t captures = device_one.captures, replays = device_one.replays;
		run_long(q, x[which[run]], want, (float)run);
		cr_assert(captures == device_one.captures && replays == device_one.replays, "no_capture");
		cr_assert(!memcmp(h, want, sizeof h), "%s, run %d", backends, run);
	}
	lt_program_stats(p, &st);
	cr_assert_eq(st.n_replayed, device ? 9 : 5);
	lt_instance_free(r);
	lt_instance_free(q);
	lt_program_free(p);
	lt_program_free(plain);
	close_graph(g);
}

Test(record, runs_that_repeat_are_recorded_and_replayed)
{
	check_recorded("devone:host", false);
	device_register();
	check_recorded("devone", true);
}

static void log_line(void *user, int level, const char *text)
{
	if (level == LT_LOG_INFO)
		(void)snprintf(user, 400, "%s", text);
}

Test(record, a_backend_that_cannot_record_runs_one_by_one)
{
	char said[400] = "";
	struct lt_graph *g = parsed(LONG);
	struct lt_program *p = compiled_with(g, (struct lt_options){ .backends = "devone:nocapture", .log = log_line,
		.user = said });
	struct lt_instance *r = instance_of(p);
	float x[16], h[4];
	for (int run = 0; run < 4; run++)
		run_long(r, x, h, 1);
	struct lt_stats st = { .size = sizeof st };
	lt_program_stats(p, &st);
	cr_assert(device_one.captures == 0 && st.n_replayed == 0);
	cr_expect(strstr(said, "backend devone: ") && strstr(said, " launches are not recorded: "), "%s", said);
	cr_assert_eq(device_one.runs, 4 * st.n_launch);
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}

static int take_time(void *user)
{
	(*(int *)user)++;
	(void)usleep(25000);
	return 0;
}

/* Between its launches somebody is asked, which is not done in a replay. */
Test(record, a_long_run_that_may_be_cancelled_is_not_recorded)
{
	struct lt_graph *g = parsed(LONG);
	struct lt_program *p = compiled(g, "devone:host");
	struct lt_instance *r = instance_of(p);
	float x[16] = { 0 }, h[4];
	int asked = 0;
	lt_instance_cancel(r, take_time, &asked);
	for (int run = 0; run < 4; run++)
		run_long(r, x, h, 1);
	struct lt_stats st = { .size = sizeof st };
	lt_program_stats(p, &st);
	cr_expect(device_one.captures == 0 && st.n_replayed == 0, "%lld", (long long)device_one.captures);
	cr_expect_geq(asked, 4 * st.n_launch, "%d", asked);
	lt_instance_cancel(r, NULL, NULL);
	for (int run = 0; run < 2; run++)
		run_long(r, x, h, 1);
	cr_expect(device_one.captures == 1, "%lld", (long long)device_one.captures);
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}

#define GATHER \
	"graph 1\nvar m 4\nvar n 3\nvar k 2\n%x = f32[m, n] input \"x\"\n%i = i64[k] input \"i\"\n%y = f32[k, n] " \
	"gather %x, %i axis 0\n" \
	"%e = f32[k, n] exp %y\n%s = f32[n] add.reduce %e\n%z = f32[k, n] mul %e, %s\nresult \"z\" = %z\n"

static void check_faults(const char *backends, bool replays)
{
	struct lt_graph *g = parsed(GATHER);
	struct lt_program *p = compiled(g, backends);
	struct lt_instance *r = instance_of(p);
	float x[12] = { 0 }, z[6];
	int64_t i[2] = { 3, 0 };
	for (int run = 0; run < 5; run++) {
		i[0] = run == 3 ? 7 : run % 4;
		lt_status st = lt_instance_run(r, (const void *[]){ x, i }, (void *[]){ z });
		cr_assert_eq(st, run == 3 ? LT_EFAULT : LT_OK, "%s: %s", backends, lt_instance_message(r));
		if (run == 3)
			cr_assert(strstr(lt_instance_message(r), "%y: index 7 is out of range 0..3"), "%s", lt_instance_message(r));
	}
	cr_assert_eq(device_one.replays > 0, replays, "%s", backends);
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}

Test(record, a_gather_out_of_range_is_told_recorded_or_not)
{
	check_faults("devone:nocapture", false);
	device_register();
	check_faults("devone", true);
	device_register();
	check_faults("devone:host", true);
}

/* ---- runs that repeat on the host ---- */

#define ONE \
	"graph 1\nvar m 4\nvar n 4\n%x = f32[m, n] input \"x\"\n%s = f32[m] add.reduce %x\nresult \"s\" = %s\n"

static void run_one(struct lt_instance *r, const float *x, float *s)
{
	memset(s, 0xa5, 4 * sizeof *s);
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ s }), LT_OK, "%s", lt_instance_message(r));
	for (int m = 0; m < 4; m++)
		cr_assert_eq(s[m], x[4 * m] + x[4 * m + 1] + x[4 * m + 2] + x[4 * m + 3]);
}

static void check_runs(const struct lt_program *p, int64_t runs, int64_t replayed)
{
	struct lt_stats st = { .size = sizeof st };
	lt_program_stats(p, &st);
	cr_expect(st.n_run == runs && st.n_replayed == replayed, "%lld runs, %lld replayed", (long long)st.n_run,
		(long long)st.n_replayed);
}

/* One launch is checked once, too.  Other addresses are other ones at once, also while the run before repeated. */
Test(record, one_launch_on_the_host_is_recorded)
{
	struct lt_graph *g = parsed(ONE);
	struct lt_program *p = compiled(g, "devone:host");
	struct lt_instance *r = instance_of(p), *q = instance_of(p);
	float x[2][16], s[2][4];
	for (int i = 0; i < 32; i++)
		x[i / 16][i % 16] = (float)(i * i % 29);
	for (int run = 0; run < 5; run++, x[0][3] += 1)
		run_one(r, x[0], s[0]);
	cr_expect(device_one.captures == 1 && device_one.replays == 4 && device_one.runs == 1);
	check_runs(p, 5, 4);
	cr_expect_eq(lt_instance_run(r, (const void *[]){ NULL }, (void *[]){ s[0] }), LT_EMISSING);
	cr_expect_eq(lt_instance_run(r, NULL, (void *[]){ s[0] }), LT_EMISSING);
	cr_expect_eq(lt_instance_run(r, (const void *[]){ x[0] }, (void *[]){ NULL }), LT_EMISSING);
	cr_expect_eq(lt_instance_run(r, (const void *[]){ x[0] }, NULL), LT_EMISSING);
	run_one(r, x[0], s[0]);
	check_runs(p, 6, 5);
	run_one(r, x[1], s[0]);
	run_one(r, x[1], s[1]);
	run_one(q, x[1], s[0]);
	check_runs(p, 9, 5);
	lt_instance_free(q);
	lt_instance_free(r);
	check_runs(p, 9, 5);
	lt_program_free(p);
	close_graph(g);
}

/* Scalars are read and checked in each run. */
Test(record, a_run_that_repeats_reads_its_scalars)
{
	struct lt_graph *g = parsed("graph 1\nvar m 4 limit p\nvar one 1\nparam p = %n[0] in 1..4\n"
		"%n = i64[one] input \"n\"\n%x = f32[m] input \"x\"\n%s = f32[] add.reduce %x\nresult \"s\" = %s\n");
	struct lt_program *p = compiled(g, "devone:host");
	struct lt_instance *r = instance_of(p);
	const float x[4] = { 1, 2, 4, 8 };
	static const int64_t lengths[] = { 4, 4, 4, 2, 1, 5, 3, 0, 4 };
	int64_t n;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		float s = -1;
		n = lengths[i];
		lt_status st = lt_instance_run(r, (const void *[]){ &n, x }, (void *[]){ &s });
		cr_assert_eq(st, n < 1 || n > 4 ? LT_EFAULT : LT_OK, "%s", lt_instance_message(r));
		cr_expect_eq(s, st ? -1.0F : (float)((1 << n) - 1), "%lld: %g", (long long)n, (double)s);
	}
	cr_expect_eq(device_one.replays, 6);
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}

/* ---- time on the device ---- */

Test(record, time_on_the_device)
{
	struct lt_graph *g = parsed(LONG);
	struct lt_program *p = compiled_with(g, (struct lt_options){ .backends = "devone", .device_time = 1 });
	struct lt_instance *r = instance_of(p);
	float x[16], h[4];
	for (int run = 0; run < 4; run++)
		run_long(r, x, h, 1);
	struct lt_stats st = { .size = sizeof st };
	lt_program_stats(p, &st);
	cr_assert_eq(st.device_ns, 4 * 1000 * (int64_t)st.n_launch, "%lld", (long long)st.device_ns);
	/* What crosses, apart: 10 ns a byte, also of runs that nobody has waited for when the next one begins. */
	const struct lt_run one = { sizeof one, NULL, (const void *[]){ x }, (void *[]){ h } };
	for (int run = 0; run < 3; run++)
		cr_assert_eq(lt_instance_enqueue(r, &one), LT_OK, "%s", lt_instance_message(r));
	cr_assert_eq(lt_instance_wait(r), LT_OK);
	lt_program_stats(p, &st);
	cr_expect(st.n_send == 1 && st.n_bring == 1 && st.n_send + st.n_bring == st.n_move);
	cr_expect(st.send_bytes == sizeof x && st.bring_bytes == sizeof h && st.move_bytes == sizeof x + sizeof h);
	cr_expect_eq(st.send_ns, 7 * 10 * (int64_t)sizeof x, "%lld", (long long)st.send_ns);
	cr_expect_eq(st.bring_ns, 7 * 10 * (int64_t)sizeof h, "%lld", (long long)st.bring_ns);
	cr_expect(st.n_once == 0 && st.move_ns == st.send_ns + st.bring_ns);
	lt_instance_free(r);
	lt_program_free(p);
	p = compiled(g, "devone");
	r = instance_of(p);
	run_long(r, x, h, 1);
	lt_program_stats(p, &st);
	cr_assert_eq(st.device_ns, 0);
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}

/* Moments are recorded of the run before the samples and of as many behind each as it has, not of its own. */
Test(record, samples_are_without_the_devices_clock)
{
	enum { SAMPLES = 5, REPEAT = 3 };
	struct lt_graph *g = parsed(LONG);
	struct lt_program *p = compiled_with(g, (struct lt_options){ .backends = "devone", .device_time = 1 });
	struct lt_instance *r = instance_of(p);
	float x[16] = { 0 }, h[4];
	const struct lt_run one = { sizeof one, NULL, (const void *[]){ x }, (void *[]){ h } };
	const struct lt_time_options o = { .size = sizeof o, .n_sample = SAMPLES, .repeat = REPEAT };
	struct lt_timing *t;
	struct lt_stats st = { .size = sizeof st };
	run_long(r, x, h, 1);
	const int64_t moments = device_one.moments;             /* of a run: around its launches and around two copies */
	cr_assert_geq(moments, 6);
	cr_assert_eq(lt_instance_time(r, &one, &o, &t), LT_OK, "%s", lt_instance_message(r));
	lt_program_stats(p, &st);
	cr_expect_eq(device_one.moments, moments * (2 + SAMPLES * REPEAT), "%lld of %lld a run",
		(long long)device_one.moments, (long long)moments);
	cr_expect_eq(st.n_run, 2 + 2 * SAMPLES * REPEAT, "%lld", (long long)st.n_run);
	cr_expect(t->n_run == SAMPLES * REPEAT && t->n_sample == SAMPLES && t->n_replayed == SAMPLES * REPEAT);
	cr_expect_eq(t->device_ns, SAMPLES * REPEAT * 1000 * (int64_t)st.n_launch, "%lld", (long long)t->device_ns);
	cr_expect_eq(t->send_ns, SAMPLES * REPEAT * 10 * (int64_t)sizeof x, "%lld", (long long)t->send_ns);
	cr_expect_eq(t->bring_ns, SAMPLES * REPEAT * 10 * (int64_t)sizeof h, "%lld", (long long)t->bring_ns);
	cr_expect_eq(t->move_ns, t->send_ns + t->bring_ns);
	lt_timing_free(t);
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}
