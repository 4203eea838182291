/* peak.c -- the denominators: multiply-adds that a core can do, bytes that it can read or copy.
 *
 * The kernels are GNU C vectors, compiled here for this machine in several forms; the fastest counts.  One unit of work
 * is ROUNDS rounds of every accumulator, or one pass over buffers that no cache holds; each thread has a part of its
 * own.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backends/command/command.h"
#include "backends/cpu/cpu.h"
#include "tools/common/common.h"
#include "tools/machine/machine.h"

enum { ROUNDS = 1 << 16, FORMS = 8, MAX_THREADS = 64 };

typedef void fma_kernel(long rounds, float *data);
typedef float read_kernel(const float *from, float *to, long n);
struct form { const char *name; int lanes, chains; fma_kernel *fma; read_kernel *pass; };

struct machine_peak {
	void *library;
	struct form form[3][FORMS];             /* of each bound */
	int n_form[3], best[3][MAX_THREADS + 1];       /* best[bound][threads]: the form */
	int best_threads[3][MAX_THREADS + 1];          /* how many of the threads do best */
	double rate[3][MAX_THREADS + 1];               /* found by machine_peak_measure */
	float *from, *to;
	int64_t n;                              /* elements of each buffer */
	bool quick;
	struct machine_device *device;            /* of which this is all measured, or NULL */
};

static const char text_head[] =
	"#ifdef __x86_64__\n#include <immintrin.h>\n#endif\n#include <string.h>\n";

/* Each accumulator is its own chain of multiply-adds, from a start of its own so that the compiler cannot merge them;
 * the values stay near 1. */
static void write_fma(FILE *f, int bytes, int chains)
{
	fprintf(f,
		"typedef float v%d_%d __attribute__((vector_size(%d)));\nvoid fma_%d_%d(long rounds, float "
		"*data)\n{\n\tv%d_%d x = data[0] - (v%d_%d){ 0 }, y = data[1] - (v%d_%d){ 0 }",
		bytes, chains, bytes, bytes, chains, bytes, chains, bytes, chains, bytes, chains);
	for (int i = 0; i < chains; i++)
		fprintf(f, ", a%d = x * data[%d]", i, i);
	fputs(";\n\tfor (long i = 0; i < rounds; i++) {\n", f);
	for (int i = 0; i < chains; i++)
		fprintf(f, "\t\ta%d = a%d * x + y;\n", i, i);
	fputs("\t}\n\ty = a0", f);
	for (int i = 1; i < chains; i++)
		fprintf(f, " + a%d", i);
	fprintf(f, ";\n\tmemcpy(data + 32, &y, %d);\n}\n", bytes);
}

static void write_pass(FILE *f, int bytes)
{
	fprintf(f,
		"typedef float r%d __attribute__((vector_size(%d)));\nfloat read_%d(const float *from, float *to, long "
		"n)\n{\n"
		"\tconst r%d *p = (const void *)from;\n\tr%d a = { 0 }, b = a, c = a, d = a;\n\t(void)to;\n"
		"\tfor (long i = 0; i < n * 4 / %d; i += 4) {\n\t\ta += p[i];\n\t\tb += p[i + 1];\n\t\tc += p[i + "
		"2];\n\t\td += p[i + 3];\n\t}\n"
		"\ta += b + c + d;\n\treturn a[0];\n}\n",
		bytes, bytes, bytes, bytes, bytes, bytes);
	fprintf(f,
		"float copy_%d(const float *from, float *to, long n)\n{\n\tconst r%d *p = (const void *)from;\n\tr%d "
		"*q = (void *)to;\n"
		"\tfor (long i = 0; i < n * 4 / %d; i += 4) {\n\t\tr%d a = p[i], b = p[i + 1], c = p[i + 2], d = p[i + "
		"3];\n"
		"\t\tq[i] = a;\n\t\tq[i + 1] = b;\n\t\tq[i + 2] = c;\n\t\tq[i + 3] = d;\n\t}\n\treturn 0;\n}\n",
		bytes, bytes, bytes, bytes, bytes);
}

static void write_remainder(FILE *f)
{
	fputs("float copy_memcpy(const float *from, float *to, long n)\n{\n\tmemcpy(to, from, n * 4);\n\treturn 0;\n}\n"
	      "#ifdef __AVX512F__\nfloat copy_stream(const float *from, float *to, long n)\n{\n\tfor (long i = 0; i < "
	      "n; i += 64) {\n"
	      "\t\t__m512 a = _mm512_load_ps(from + i), b = _mm512_load_ps(from + i + 16), c = _mm512_load_ps(from + i "
	      "+ 32), d = "
	      "_mm512_load_ps(from + i + 48);\n\t\t_mm512_stream_ps(to + i, a);\n\t\t_mm512_stream_ps(to + i + 16, "
	      "b);\n"
	      "\t\t_mm512_stream_ps(to + i + 32, c);\n\t\t_mm512_stream_ps(to + i + 48, "
	      "d);\n\t}\n\t_mm_sfence();\n\treturn 0;\n}\n"
	      "#elif defined __x86_64__\nfloat copy_stream(const float *from, float *to, long n)\n{\n\tfor (long i = "
	      "0; i < n; i += 16) {\n"
	      "\t\t__m128 a = _mm_load_ps(from + i), b = _mm_load_ps(from + i + 4), c = _mm_load_ps(from + i + 8), d = "
	      "_mm_load_ps(from + i + 12);\n"
	      "\t\t_mm_stream_ps(to + i, a);\n\t\t_mm_stream_ps(to + i + 4, b);\n\t\t_mm_stream_ps(to + i + 8, "
	      "c);\n\t\t_mm_stream_ps(to + i + 12, d);\n"
	      "\t}\n\t_mm_sfence();\n\treturn 0;\n}\n#endif\n",
		f);
}

static const int widths[] = { 16, 32, 64 }, chains[] = { 10, 20 };

static bool write_text(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return false;
	fputs(text_head, f);
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 2; k++)
			write_fma(f, widths[i], chains[k]);
		write_pass(f, widths[i]);
	}
	write_remainder(f);
	return fclose(f) == 0;
}

static lt_status peak_compile(
	struct lt_context *ctx, const struct machine_by *o, const char *folder, const char *from, const char *to)
{
	const char *const rest[] = { "-O3", "-march=native", "-w", "-shared", "-fPIC", "-o", to, from, NULL };
	const struct lt_command_limits limits = { .ms = o->cc_timeout_ms, .cancelled = lt__interrupted, .folder = folder };
	uint32_t n;
	const char **word = lt__command_words(o->cc, sizeof rest / sizeof *rest, &n);
	struct lt_command c = { .argv = word };
	bool ok = word && write_text(from);

	if (ok) {
		memcpy(word + n, rest, sizeof rest);
		lt__command_run(&c, 1, 1, &limits, NULL, NULL);
	}
	free(word);
	if (ok && c.late)
		return lt_fail(ctx, LT_ECOMPILE,
			"the C compiler '%s' was ended, because it took longer than %g s; give it more time with "
			"--cc-timeout, or another one with --cc",
			o->cc, (o->cc_timeout_ms ? o->cc_timeout_ms : LT_CC_TIMEOUT_MS) * 1e-3);
	if (!ok || c.status != 0)
		return lt_fail(ctx, LT_ECOMPILE,
			"the C compiler '%s' does not make the kernels that measure the machine (exit code %d); give "
			"another one with --cc",
			o->cc, ok ? c.status : -1);
	return LT_OK;
}

static void add_form(struct machine_peak *p, int bound, const char *symbol, int lanes, int n)
{
	void *at = dlsym(p->library, symbol);
	struct form *f = &p->form[bound][p->n_form[bound]];

	if (!at)
		return;
	f->name = strdup(symbol);
	f->lanes = lanes;
	f->chains = n;
	/* ISO C has no conversion from dlsym's pointer. */
	memcpy(bound == MACHINE_FLOPS ? (void *)&f->fma : (void *)&f->pass, &at, sizeof at);
	p->n_form[bound]++;
}

static lt_status load_library(struct lt_context *ctx, struct machine_peak *p, const struct machine_by *o)
{
	const char *folder;
	char *source, *library;
	lt_status s;

	LT_TRY(lt__tmp_home(ctx, &folder));
	source = lt__must_format("%s/peak.c", folder);
	library = lt__must_format("%s/peak.so", folder);
	s = peak_compile(ctx, o, folder, source, library);
	if (!s && !(p->library = dlopen(library, RTLD_NOW | RTLD_LOCAL)))
		s = lt_fail(ctx, LT_ELOAD, "%s", dlerror());
	unlink(source);
	unlink(library);
	free(source);
	free(library);
	return s;
}

static lt_status open_library(struct lt_context *ctx, struct machine_peak *p, const struct machine_by *o)
{
	LT_TRY(load_library(ctx, p, o));
	for (int i = 0; i < 3; i++) {
		char symbol[32];

		for (int k = 0; k < 2; k++) {
			snprintf(symbol, sizeof symbol, "fma_%d_%d", widths[i], chains[k]);
			add_form(p, MACHINE_FLOPS, symbol, widths[i] / 4, chains[k]);
		}
		snprintf(symbol, sizeof symbol, "read_%d", widths[i]);
		add_form(p, MACHINE_READ, symbol, 0, 0);
		snprintf(symbol, sizeof symbol, "copy_%d", widths[i]);
		add_form(p, MACHINE_COPY, symbol, 0, 0);
	}
	add_form(p, MACHINE_COPY, "copy_memcpy", 0, 0);
	add_form(p, MACHINE_COPY, "copy_stream", 0, 0);
	return LT_OK;
}

/* Far beyond it. */
static int64_t buffer_bytes(void)
{
	int64_t bytes = INT64_C(256) << 20, memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	if (bytes < 4 * machine_last_cache())
		bytes = 4 * machine_last_cache();
	while (bytes > memory / 8)
		bytes /= 2;
	return bytes;
}

static lt_status peak_of_device(struct machine_peak *p, const struct machine_by *o)
{
	for (int b = 0; b < 3; b++) {
		p->form[b][0].name = strdup(b == MACHINE_FLOPS ? "multiply-adds on the device" : "copies on the device");
		p->n_form[b] = 1;
	}
	return machine_device_measures(p->device, o->backend, o->quick);
}

lt_status machine_peak_new(struct lt_context *ctx, const struct machine_by *o, struct machine_peak **out)
{
	struct machine_peak *p = *out = lt__must_alloc(sizeof *p);

	p->quick = o->quick;
	LT_TRY(machine_device_open(ctx, o->backend, &p->device));
	if (machine_device_is(p->device))
		return peak_of_device(p, o);
	machine_device_close(p->device);
	p->device = NULL;
	LT_TRY(open_library(ctx, p, o));
	p->n = (o->quick ? buffer_bytes() / 4 : buffer_bytes()) / (int64_t)sizeof(float);
	p->from = machine_buffer(p->n);
	p->to = machine_buffer(p->n);
	return LT_OK;
}

void machine_peak_free(struct machine_peak *p)
{
	if (!p)
		return;
	for (int b = 0; b < 3; b++)
		for (int i = 0; i < p->n_form[b]; i++)
			free((char *)(uintptr_t)p->form[b][i].name);
	if (p->from)
		machine_buffer_free(p->from);
	if (p->to)
		machine_buffer_free(p->to);
	if (p->library)
		dlclose(p->library);
	machine_device_close(p->device);
	free(p);
}

/* Threads wait for each other, then work; the time is from the first's begin to the last's end. */
struct team {
	const struct machine_peak *p;
	const struct form *form;
	int64_t units;
	int threads, bound;
	pthread_barrier_t begin, end;
};
struct member { struct team *team; int number; pthread_t thread; };

static void work(const struct team *t, int number)
{
	const struct machine_peak *p = t->p;
	int64_t part = p->n / t->threads / 1024 * 1024;
	float data[64] __attribute__((aligned(64))) = { 0.999f, 0.001f };
	volatile float sink;

	for (int i = 2; i < 32; i++)
		data[i] = 1 + (float)i / 64;
	for (int64_t i = 0; i < t->units; i++)
		if (t->bound == MACHINE_FLOPS)
			t->form->fma(ROUNDS, data);
		else
			sink = t->form->pass(p->from + number * part, p->to + number * part, part);
	(void)sink;
}

static void *run_member(void *arg)
{
	struct member *m = arg;

	pthread_barrier_wait(&m->team->begin);
	work(m->team, m->number);
	pthread_barrier_wait(&m->team->end);
	return NULL;
}

/* Seconds of `units` units by every thread. */
static double run_team(
	const struct machine_peak *p, enum machine_bound bound, const struct form *form, int threads, int64_t units)
{
	struct team t = { .p = p, .form = form, .units = units, .threads = threads, .bound = (int)bound };
	struct member m[MAX_THREADS];
	double begin;

	if (p->device && machine_device_run(p->device, bound, units, &begin))
		lt__must_end("the device cannot be measured");
	if (p->device)
		return begin;
	pthread_barrier_init(&t.begin, NULL, (unsigned)threads);
	pthread_barrier_init(&t.end, NULL, (unsigned)threads);
	for (int i = 1; i < threads; i++) {
		m[i] = (struct member){ .team = &t, .number = i };
		if (pthread_create(&m[i].thread, NULL, run_member, &m[i]))
			lt__must_end("no thread can be made");
	}
	pthread_barrier_wait(&t.begin);
	begin = machine_now();
	work(&t, 0);
	pthread_barrier_wait(&t.end);
	begin = machine_now() - begin;
	for (int i = 1; i < threads; i++)
		pthread_join(m[i].thread, NULL);
	pthread_barrier_destroy(&t.begin);
	pthread_barrier_destroy(&t.end);
	return begin;
}

/* FLOP or bytes that one unit of all threads is. */
static double unit(const struct machine_peak *p, enum machine_bound bound, const struct form *form, int threads)
{
	int64_t part = p->n / threads / 1024 * 1024;

	if (p->device)
		return machine_device_unit(p->device, bound);
	if (bound == MACHINE_FLOPS)
		return 2.0 * ROUNDS * form->lanes * form->chains * threads;
	return (bound == MACHINE_READ ? 4.0 : 8.0) * (double)part * threads;
}

/* Keeps a form's rate if it is the best so far; gives the rate. */
static double try_form(struct machine_peak *p, enum machine_bound bound, int i, int threads, int64_t n)
{
	const struct form *f = &p->form[bound][i];
	double rate = unit(p, bound, f, threads) * (double)n / run_team(p, bound, f, threads, n);

	if (rate > p->rate[bound][threads]) {
		p->rate[bound][threads] = rate;
		p->best[bound][threads] = i;
		p->best_threads[bound][threads] = threads;
	}
	return rate;
}

/* Every form once, those that are near the best a few times more. */
static void peak_measure(struct machine_peak *p, enum machine_bound bound, int threads)
{
	double rate[FORMS];
	int64_t n[FORMS];

	for (int i = 0; i < p->n_form[bound]; i++) {
		n[i] = machine_repeat(run_team(p, bound, &p->form[bound][i], threads, 1), p->quick ? 0.001 : 0.02);
		rate[i] = try_form(p, bound, i, threads, n[i]);
	}
	for (int k = 0; k < (p->quick ? 0 : 4); k++)
		for (int i = 0; i < p->n_form[bound]; i++)
			if (rate[i] > 0.7 * p->rate[bound][threads])
				try_form(p, bound, i, threads, n[i]);
	/* Memory may be faster with fewer threads than there are. */
	if (bound != MACHINE_FLOPS && threads > 1 && p->rate[bound][threads - 1] > p->rate[bound][threads]) {
		p->rate[bound][threads] = p->rate[bound][threads - 1];
		p->best[bound][threads] = p->best[bound][threads - 1];
		p->best_threads[bound][threads] = p->best_threads[bound][threads - 1];
	}
}

double machine_peak_measure(struct machine_peak *p, enum machine_bound bound, int threads)
{
	threads = threads > MAX_THREADS ? MAX_THREADS : threads;
	for (int t = 1; t <= threads; t++)
		if (!p->best_threads[bound][t])
			peak_measure(p, bound, t);
	return p->rate[bound][threads];
}

double machine_peak_measure_one(struct machine_peak *p, enum machine_bound bound, int threads)
{
	threads = threads > MAX_THREADS ? MAX_THREADS : threads;
	if (!p->best_threads[bound][threads])
		peak_measure(p, bound, threads);
	return p->rate[bound][threads];
}

double machine_peak_measure_again(struct machine_peak *p, enum machine_bound bound, int threads)
{
	peak_measure(p, bound, threads > MAX_THREADS ? MAX_THREADS : threads);
	return machine_peak_measure(p, bound, threads);
}

int machine_peak_threads(const struct machine_peak *p, enum machine_bound bound, int threads)
{
	return p->best_threads[bound][threads > MAX_THREADS ? MAX_THREADS : threads];
}

double machine_peak_unit(const struct machine_peak *p, enum machine_bound bound, int threads)
{
	threads = threads > MAX_THREADS ? MAX_THREADS : threads;
	return unit(p, bound, &p->form[bound][p->best[bound][threads]], p->best_threads[bound][threads]);
}

double machine_peak_run(const struct machine_peak *p, enum machine_bound bound, int best_threads, int64_t n)
{
	return run_team(p, bound, &p->form[bound][p->best[bound][best_threads]], best_threads, n);
}

struct machine_device *machine_peak_device(const struct machine_peak *p) { return p->device; }

json_t *machine_peak_json(const struct machine_peak *p)
{
	static const char *const names[] = { "flops", "read_bytes", "copy_bytes" };
	json_t *o = json_object();

	json_object_set_new(o, "buffer_bytes", json_integer((json_int_t)(p->n * (int64_t)sizeof(float))));
	for (int b = 0; b < 3; b++) {
		json_t *list = json_array();

		for (int t = 1; t <= MAX_THREADS; t++)
			if (p->best_threads[b][t])
				json_array_append_new(list, json_pack("{s:i,s:f,s:s,s:i}", "threads", t, "per_second", p->rate[b][t], "kernel",
					p->form[b][p->best[b][t]].name, "best_threads", p->best_threads[b][t]));
		json_object_set_new(o, names[b], list);
	}
	return o;
}
