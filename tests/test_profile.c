/* test_profile.c -- times of a run's steps (lt/profile.h): what they are of, what they add up to, and that taking
 * them changes nothing. */
#include "tests/device_run.h"

TestSuite(profile, .init = device_register, .timeout = 120);

#define PRODUCT \
	"graph 1\nvar m 128\nvar k 96\nvar n 160\n%x = f32[m, k] input \"x\" @ 3:1\n%w = f32[k, n] input \"w\" @ 4:1\n" \
	"%p = f32[m, k, n] mul %x, %w @ 5:1\n%y = f32[m, n] add.reduce %p @ 5:1\n%s = f32[m] add.reduce %y @ 6:9\n" \
	"%z = f32[m, n] sub %y, %s @ 7:1\nresult \"z\" = %z\n"

static const struct lt_profile *profile_of(struct lt_instance *r)
{
	const struct lt_profile *f;
	cr_assert_eq(lt_instance_profile(r, &f), LT_OK, "%s", lt_instance_message(r));
	cr_assert_eq(f->size, sizeof *f);
	return f;
}

/* What holds of any profile. */
static void check_sound(struct lt_program *p, struct lt_instance *r, const struct lt_profile *f)
{
	struct lt_stats st = { .size = sizeof st };
	struct lt_work work = { .size = sizeof work };
	int64_t useful = 0, executed = 0, bytes = 0, host = 0;
	int32_t n_launch = 0;
	lt_program_stats(p, &st);
	cr_assert_eq(lt_instance_work(r, &work), LT_OK);
	for (uint32_t i = 0; i < f->n_step; i++) {
		const struct lt_profile_step *s = &f->step[i];
		n_launch += s->kind == LT_PROFILE_KERNEL;
		useful += s->useful;
		executed += s->executed;
		bytes += s->kind == LT_PROFILE_MOVE ? 0 : s->bytes;
		host += s->clock == LT_PROFILE_HOST ? s->ns : 0;
		cr_expect(s->ns >= 0 && s->lane >= 0 && s->lane < (int32_t)f->n_lane && s->name && s->backend);
		if (s->clock == LT_PROFILE_HOST) {
			cr_expect_geq(s->n_thread, 1);
			/* each thread's times are within the step's */
			cr_expect_leq(s->busy_ns, s->ns * s->n_thread + 1000);
		}
	}
	cr_expect_eq(n_launch, st.n_launch);
	cr_expect_eq(useful, work.useful);
	cr_expect_eq(executed, work.executed);
	cr_expect_eq(bytes, work.bytes);
	cr_expect_leq(host, f->run_ns);
	cr_expect(f->check_ns >= 0 && f->launch_ns >= 0 && f->wait_ns >= 0);
	cr_expect_eq(f->check_ns + f->launch_ns + f->wait_ns + host, f->run_ns, "%lld", (long long)f->run_ns);
	cr_expect(f->stamp_ps > 0 && f->n_stamp >= 2 * (int64_t)f->n_step + 3 - 1);
	for (uint32_t i = 0; i < f->n_span; i++) {
		const struct lt_profile_span *s = &f->span[i];
		cr_expect(s->step >= 0 && s->step < (int32_t)f->n_step && s->lane < (int32_t)f->n_lane && s->ns >= 0);
		cr_expect(s->begin_ns >= f->begin_ns);
	}
}

static void fill(float *at, int n)
{
	for (int i = 0; i < n; i++)
		at[i] = (float)(i * 7 % 23) - 11;
}

Test(profile, of_threads_and_results_stay_the_same)
{
	struct lt_graph *g = parsed(PRODUCT);
	struct lt_program *plain = compiled_with(g, (struct lt_options){ .backends = "cpu", .n_thread = 3 }),
		*p = compiled_with(g, (struct lt_options){ .backends = "cpu", .n_thread = 3, .profile = 1 });
	struct lt_instance *q = instance_of(plain), *r = instance_of(p);
	static float x[128 * 96], w[96 * 160], z[128 * 160], want[128 * 160];
	const struct lt_profile *f;
	const void *in[] = { x, w };
	fill(x, 128 * 96);
	fill(w, 96 * 160);
	cr_assert_eq(lt_instance_profile(r, &f), LT_EINVAL);            /* nothing has run */
	cr_assert(!f && strstr(lt_instance_message(r), "no run"), "%s", lt_instance_message(r));
	for (int run = 0; run < 5; run++) {
		cr_assert_eq(lt_instance_run(q, in, (void *[]){ want }), LT_OK);
		cr_assert_eq(lt_instance_run(r, in, (void *[]){ z }), LT_OK);
		cr_assert(!memcmp(z, want, sizeof z), "run %d", run);
		f = profile_of(r);
		cr_assert_eq(f->n_lane, 3);
		cr_assert_str_eq(f->lane[0], "thread 0");
		check_sound(p, r, f);
	}
	bool product = false;
	for (uint32_t i = 0; i < f->n_step; i++)
		for (uint32_t k = 0; k < f->step[i].n_node; k++) {
			const struct lt_kernel_node *n = &f->step[i].node[k];
			if (strcmp(n->name, "y"))
				continue;
			product = true;
			cr_expect(!n->derived && n->line == 5 && n->column == 1 && !n->part);
			cr_expect_geq(f->step[i].useful, 2 * 128 * 96 * 160);
			cr_expect_str_eq(f->step[i].backend, "cpu");
		}
	cr_assert(product);
	cr_assert_eq(lt_instance_profile(q, &f), LT_EINVAL);
	cr_assert(strstr(lt_instance_message(q), "lt_options.profile"), "%s", lt_instance_message(q));
	lt_instance_free(q);
	lt_instance_free(r);
	lt_program_free(plain);
	lt_program_free(p);
	parsed_free(g);
}

/* The clock of these devices ticks 1000 ns at each launch, 10 for each byte that crosses. */
Test(profile, of_a_device_by_its_own_clock)
{
	struct lt_graph *g = parsed(LONG);
	struct lt_program *p = compiled_with(g, (struct lt_options){ .backends = "devone", .profile = 1 });
	struct lt_instance *r = instance_of(p);
	float x[16], h[4], want[4];
	for (int run = 0; run < 3; run++) {
		run_long(r, x, h, (float)run);
		const struct lt_profile *f = profile_of(r);
		check_sound(p, r, f);
		int64_t kernels = 0, ways[LT_PROFILE_BETWEEN + 1] = { 0 };
		for (uint32_t i = 0; i < f->n_step; i++) {
			ways[f->step[i].way]++;
			if (f->step[i].kind == LT_PROFILE_MOVE)
				cr_expect_eq(f->step[i].ns, 10 * f->step[i].bytes);
			if (f->step[i].kind != LT_PROFILE_KERNEL)
				continue;
			kernels++;
			cr_expect_eq(f->step[i].clock, LT_PROFILE_DEVICE);
			cr_expect_eq(f->step[i].ns, 1000);
			cr_expect_eq(f->step[i].busy_ns, 0);
			cr_expect_str_eq(f->lane[f->step[i].lane], "device of devone");
		}
		cr_expect_geq(kernels, 2);
		cr_expect(ways[LT_PROFILE_SENT] == 1 && ways[LT_PROFILE_BROUGHT] == 1 && ways[LT_PROFILE_BETWEEN] == 0);
		cr_expect_eq(device_one.captures, 0, "runs that are profiled are not recorded");
	}
	struct lt_program *plain = compiled(g, "devone");
	struct lt_instance *q = instance_of(plain);
	run_long(q, x, want, 2);
	cr_assert(!memcmp(h, want, sizeof h));
	lt_instance_free(q);
	lt_program_free(plain);
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}

/* A third party's device without events: the host waits for each kernel, and says whose clock it was. */
Test(profile, of_a_device_without_a_clock)
{
	static struct lt_backend blind;
	blind = *lt_backend_find("devone");
	blind.name = "devblind";
	blind.event_new = NULL;
	blind.event_record = NULL;
	blind.event_ns = NULL;
	blind.event_free = NULL;
	blind.event_wait = NULL;
	blind.stream_wait = NULL;
	cr_assert_eq(lt_backend_register(&blind, NULL), LT_OK);
	struct lt_graph *g = parsed(LONG);
	struct lt_program *p = compiled_with(g, (struct lt_options){ .backends = "devblind", .profile = 1 });
	struct lt_instance *r = instance_of(p);
	float x[16], h[4];
	run_long(r, x, h, 1);
	const struct lt_profile *f = profile_of(r);
	check_sound(p, r, f);
	for (uint32_t i = 0; i < f->n_step; i++)
		cr_expect_eq(f->step[i].clock, LT_PROFILE_HOST);
	lt_instance_free(r);
	lt_program_free(p);
	/* Nor does a copy count what was enqueued before it: the host waits before and after. */
	struct lt_stats st = { .size = sizeof st };
	int64_t syncs[2];
	for (uint32_t timed = 0; timed < 2; timed++) {
		p = compiled_with(g, (struct lt_options){ .backends = "devblind", .device_time = timed });
		r = instance_of(p);
		device_one.syncs = 0;
		run_long(r, x, h, 1);
		syncs[timed] = device_one.syncs;
		lt_program_stats(p, &st);
		cr_expect(st.send_ns > 0 && st.bring_ns > 0 && st.send_ns + st.bring_ns == st.move_ns);
		lt_instance_free(r);
		lt_program_free(p);
	}
	cr_expect(syncs[0] == 1 && syncs[1] == 3, "%lld, %lld", (long long)syncs[0], (long long)syncs[1]);
	close_graph(g);
}

/* Work follows the extents of each run. */
Test(profile, of_run_time_extents)
{
	struct lt_graph *g = parsed("graph 1\nvar b 1\nvar t 64\nvar s 64 limit p\nparam p = %n[0] in 0..64\n"
				    "%n = i64[b] input \"n\"\n%x = f32[t] input \"x\"\n%v = f32[s] view { %x[s] }\n"
				    "%y = f32[s] exp %v\nresult \"y\" = %y\n");
	struct lt_program *p = compiled_with(g, (struct lt_options){ .backends = "ref", .profile = 1 });
	struct lt_instance *r = instance_of(p);
	float x[64] = { 0 }, y[64];
	for (int64_t n = 64; n >= 0; n -= 21) {
		cr_assert_eq(lt_instance_run(r, (const void *[]){ &n, x }, (void *[]){ y }), LT_OK, "%s", lt_instance_message(r));
		const struct lt_profile *f = profile_of(r);
		check_sound(p, r, f);
		int64_t useful = 0;
		for (uint32_t i = 0; i < f->n_step; i++)
			useful += f->step[i].useful;
		cr_expect_eq(useful, n);
	}
	lt_instance_free(r);
	lt_program_free(p);
	parsed_free(g);
}
