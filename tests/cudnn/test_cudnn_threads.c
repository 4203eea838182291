/* test_cudnn_threads.c -- plans of the backend cudnn built on several threads, on a library and a driver that are not
 * there (mock_cudnn.c): how many at once, cancelled in the middle, wanted by several threads at the same moment.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#include "lt/lt.h"
#include "program/host/host.h"
#include "tests/built.h"
#include "tests/cuda/cuda_session.h"

enum { N = 8, THREADS = 4, EDGE = 20 };
static char log_path[300], hold_path[300], cache_path[300], script[2000], steps[2000], log_text[20000];

static void begin(void)
{
	mock_load()->memory[0] = (size_t)1 << 30;       /* each queue has room for calls */
	(void)mock_library("../cudnn/libcudnn.so.9");
	(void)mock_library("../cudnn/libnvrtc.so.13");
	(void)snprintf(log_path, sizeof log_path, "%s", scratch("log"));
	(void)snprintf(hold_path, sizeof hold_path, "%s", scratch("hold"));
	(void)snprintf(cache_path, sizeof cache_path, "%s", scratch("cache"));
	(void)setenv("MOCK_CUDNN_LOG", log_path, 1);
	(void)unsetenv("MOCK_CUDNN");
}
TestSuite(cudnn_threads, .init = begin, .fini = scratch_remove, .timeout = 300);

static const char *read_log(void)
{
	FILE *f = fopen(log_path, "r");
	size_t n = f ? fread(log_text, 1, sizeof log_text - 1, f) : 0;
	log_text[n] = '\0';
	if (f)
		(void)fclose(f);
	return log_text;
}

static int count(const char *text, const char *what)
{
	int n = 0;
	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

static int entries(const char *folder, const char *with)
{
	int n = 0;
	DIR *d = opendir(folder);
	for (const struct dirent *e; d && (e = readdir(d)); )
		n += strstr(e->d_name, with) != NULL && e->d_name[0] != '.';
	if (d)
		(void)closedir(d);
	return n;
}
static int threads(void) { return entries("/proc/self/task", ""); }

/* N convolutions, one behind the other, each of another size. */
static void make_script(void)
{
	char *at = script, *to = steps;
	at += sprintf(at, "y0 = InputTensor(x, float32, [2, 3, %d, %d]);\n", EDGE, EDGE);
	for (int i = 1; i <= N; i++) {
		const char *name = i == N ? "result" : "y";
		char number[8] = "";
		(void)snprintf(number, sizeof number, "%d", i);
		at += sprintf(at, "w%d = ConstantTensor(w%d, float32, [3, 3, 3, 3]);\n%s%s = Conv2dNode(y%d, w%d);\n", i, i, name,
			i == N ? "" : number, i - 1, i);
		to += sprintf(to, "%scall %%%s%s.mul/i cudnn.graph", i == 1 ? "" : "; ", name, i == N ? "" : number);
	}
}

/* What a test hears and says while something is compiled. */
struct listener {
	int building, n_progress, last, total;  /* building: cancel when so many are; 0: let them go when THREADS are */
	bool done, odd;
	struct timespec begin;
	pthread_t caller, opener;
};

static void *open_later(void *arg)
{
	(void)arg;
	(void)usleep(100000);                   /* the library has heard of it meanwhile */
	(void)unlink(hold_path);
	return NULL;
}

static int listen(void *user)
{
	struct listener *l = user;
	struct timespec now;
	const int n = count(read_log(), "building ");
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	l->odd = l->odd || !pthread_equal(pthread_self(), l->caller);
	if (l->done)
		return l->building > 0;
	if (n >= (l->building ? l->building : 2) || now.tv_sec - l->begin.tv_sec > 60) {
		l->done = true;
		if (l->building)
			cr_assert_eq(pthread_create(&l->opener, NULL, open_later, NULL), 0);
		else
			(void)unlink(hold_path);
	}
	return l->done && l->building;
}

static void hear(void *user, int32_t done, int32_t total)
{
	struct listener *l = user;
	l->odd = l->odd || !pthread_equal(pthread_self(), l->caller) || done > total || total > N + 1;
	l->n_progress++;
	l->last = done;
	l->total = total;
}

static lt_status compile(struct listener *l, const char *backends, const char *cache, char *why, size_t bytes,
	struct lt_program **program, struct lt_context **ctx)
{
	struct lt_graph *g;
	struct lt_program *p = NULL;
	const struct lt_options options = { .size = sizeof options, .n_thread = THREADS, .backends = backends, .strict = 1,
		.apply = steps, .schedule = "schedule 1\n", .cache_dir = cache, .cancelled = l ? listen : NULL,
		.progress = l ? hear : NULL, .user = l };
	struct lt_context *c;
	(void)unlink(log_path);
	make_script();
	cr_assert_eq(lt_context_new(&c), LT_OK);
	cr_assert_eq(lt_parse(c, script, strlen(script), "x.lt", NULL, &g), LT_OK, "%s", lt_context_message(c));
	if (l) {
		l->caller = pthread_self();
		(void)clock_gettime(CLOCK_MONOTONIC, &l->begin);
	}
	const lt_status status = lt_compile(c, g, &options, &p);
	(void)snprintf(why, bytes, "%s", lt_context_message(c));
	lt_graph_free(g);
	if (program) {
		*program = p;
		*ctx = c;
		return status;
	}
	lt_program_free(p);
	lt_context_free(c);
	return status;
}

static void hold(void)
{
	FILE *f = fopen(hold_path, "w");
	cr_assert(f && fclose(f) == 0);
	(void)setenv("MOCK_CUDNN_HOLD", hold_path, 1);
}

/* Builds last until there are two: that they are at once needs no clock. */
Test(cudnn_threads, plans_are_built_at_once)
{
	struct listener l = { .building = 0 };
	char why[1000];
	hold();
	cr_expect_eq(compile(&l, "cudnn", cache_path, why, sizeof why, NULL, NULL), LT_OK, "%s", why);
	cr_expect(l.done && !l.odd && l.n_progress >= 2, "%d reports", l.n_progress);
	cr_expect(l.last == l.total && l.total >= N, "%d of %d", l.last, l.total);
	cr_expect_eq(count(read_log(), "built 12\n"), N, "%s", log_text);
	(void)unsetenv("MOCK_CUDNN_HOLD");
	/* Another session builds none. */
	cr_expect_eq(compile(NULL, "cudnn", cache_path, why, sizeof why, NULL, NULL), LT_OK, "%s", why);
	cr_expect(count(read_log(), "loaded 12\n") == N && !strstr(log_text, "built") && !strstr(log_text, "run"), "%s",
		log_text);
}

/* What runs ends by itself, nothing else begins, and nothing stays: no plan, no mark of a trial, no thread. */
Test(cudnn_threads, cancelled_in_the_middle)
{
	struct listener l = { .building = 2 };
	char why[1000];
	const int before = threads();
	hold();
	cr_expect_eq(compile(&l, "cudnn", cache_path, why, sizeof why, NULL, NULL), LT_ECANCELLED, "%s", why);
	cr_assert_eq(pthread_join(l.opener, NULL), 0);
	cr_expect(!l.odd && strstr(why, "cancelled"), "%s", why);
	const int built = count(read_log(), "built 12\n");
	cr_expect(built >= 2 && built <= THREADS && !strstr(log_text, "run"), "%s", log_text);
	cr_expect_eq(threads(), before);
	cr_expect_eq(entries(cache_path, ".lti") + entries(cache_path, ".ltp"), 0);
	cr_expect_eq(entries(cache_path, "new-"), 0);
	(void)unsetenv("MOCK_CUDNN_HOLD");
	cr_expect_eq(compile(NULL, "cudnn", cache_path, why, sizeof why, NULL, NULL), LT_OK, "%s", why);
	cr_expect_eq(count(read_log(), "built 12\n"), N, "%s", log_text);
}

/* Two sessions at once, each on a thread. */
static void *compile_alone(void *why)
{
	struct lt_graph *g;
	struct lt_program *p = NULL;
	struct lt_context *c;
	const struct lt_options options = { .size = sizeof options, .n_thread = THREADS, .backends = "cudnn", .strict = 1,
		.apply = steps, .schedule = "schedule 1\n", .cache_dir = cache_path };
	lt_status status = lt_context_new(&c);
	status = status ? status : lt_parse(c, script, strlen(script), "x.lt", NULL, &g);
	if (!status) {
		status = lt_compile(c, g, &options, &p);
		(void)snprintf(why, 500, "%s", lt_context_message(c));
		lt_graph_free(g);
	}
	lt_program_free(p);
	lt_context_free(c);
	return (void *)(uintptr_t)status;
}

Test(cudnn_threads, sessions_at_once)
{
	char why[THREADS][500];
	pthread_t thread[THREADS];
	make_script();
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, compile_alone, why[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		void *status;
		(void)pthread_join(thread[i], &status);
		cr_expect_eq((uintptr_t)status, LT_OK, "%s", why[i]);
	}
	const int built = count(read_log(), "built 12\n");
	cr_expect(built >= N && built <= THREADS * N, "%d", built);
	cr_expect(!strstr(log_text, "left") && !strstr(log_text, "wrong"), "%s", log_text);
}

/* ---- one session ---- */

static struct lt_backend spy;
static const struct lt_backend *real;
struct asker { struct lt_session *s; const struct lt_tree *const *tree; uint32_t n, first; lt_status status; };

static void *ask(void *arg)
{
	struct asker *a = arg;
	for (uint32_t i = 0; i < a->n && !a->status; i++)
		a->status = real->accepts(a->s, a->tree[(i + a->first) % a->n], NULL);
	return NULL;
}

/* Each thread asks for all, each in another order. */
static lt_status ask_together(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, lt_status *verdict,
	struct lt_diag *const *diag)
{
	struct asker a[2 * THREADS];
	pthread_t thread[2 * THREADS];
	(void)diag;
	for (uint32_t i = 0; i < 2 * THREADS; i++) {
		a[i] = (struct asker){ .s = s, .tree = tree, .n = n, .first = i / 2 };
		cr_assert_eq(pthread_create(&thread[i], NULL, ask, &a[i]), 0);
	}
	for (uint32_t i = 0; i < 2 * THREADS; i++) {
		(void)pthread_join(thread[i], NULL);
		cr_expect_eq(a[i].status, LT_OK);
	}
	for (uint32_t i = 0; i < n; i++)
		verdict[i] = LT_OK;
	return LT_OK;
}

/* Runs of one program on a thread of their own. */
struct runner { struct lt_program *p; lt_status status; char why[300]; float x[6 * EDGE * EDGE], y[6 * 16]; };
static void *run(void *arg)
{
	struct runner *r = arg;
	struct lt_instance *i;
	const void *in[] = { r->x };
	void *out[] = { r->y };
	r->status = lt_instance_new(r->p, &i);
	for (int k = 0; k < 5 && !r->status; k++)
		r->status = lt_instance_run(i, in, out);
	(void)snprintf(r->why, sizeof r->why, "%s", lt_instance_message(i));
	lt_instance_free(i);
	return NULL;
}

Test(cudnn_threads, one_plan_for_all_who_want_it)
{
	static struct runner r[THREADS];
	static float w[81];
	struct lt_program *p;
	struct lt_context *ctx;
	pthread_t thread[THREADS];
	char why[1000];
	real = lt_backend_find("cudnn");
	spy = *real;
	spy.name = "cudnnspy";
	spy.accepts_all = ask_together;
	cr_assert_eq(lt_backend_register(&spy, NULL), LT_OK);
	cr_assert_eq(compile(NULL, "cudnnspy", NULL, why, sizeof why, &p, &ctx), LT_OK, "%s", why);
	cr_expect_eq(count(read_log(), "built 12\n"), N, "%s", log_text);
	const int tried = count(log_text, "run 12\n");
	for (int i = 0; i < 81; i++)
		w[i] = (float)(i % 7 - 3) / 8;
	for (int32_t i = 0; i < lt_program_count(p, LT_BINDING_CONSTANT); i++)
		cr_assert_eq(lt_program_bind(p, i, w, 1), LT_OK);
	for (int i = 0; i < THREADS; i++) {
		r[i].p = p;
		for (int k = 0; k < 6 * EDGE * EDGE; k++)
			r[i].x[k] = (float)((k * 37 + 11) % 41 - 20) / 32;
		cr_assert_eq(pthread_create(&thread[i], NULL, run, &r[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		(void)pthread_join(thread[i], NULL);
		cr_expect_eq(r[i].status, LT_OK, "%s", r[i].why);
		cr_expect_eq(memcmp(r[i].y, r[0].y, sizeof r[i].y), 0);
	}
	cr_expect_eq(count(read_log(), "built 12\n"), N, "%s", log_text);
	cr_expect(count(log_text, "run 12\n") == tried + THREADS * 5 * N && r[0].y[0] != 0, "%g", (double)r[0].y[0]);
	lt_program_free(p);
	lt_context_free(ctx);
}
