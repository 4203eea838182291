/* test_cuda_nvrtc.c -- CUDA C++ to cubins by NVRTC, which needs no device. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include "tests/cuda/mock_kernels.h"

static struct lt_cuda_nvrtc nvrtc;

static void nvrtc_begin(void)
{
	mock_begin();
	cr_assert_eq(lt__cuda_nvrtc_load(&nvrtc, 13000, NULL), LT_OK);
}
TestSuite(cuda_nvrtc, .init = nvrtc_begin, .timeout = 120);

/* With a function as operators of third parties are: C, and nothing of CUDA. */
#define AXPY \
	"static inline float twice(float x) { return 2 * x; }\n" \
	"extern \"C\" __global__ void axpy(const float *__restrict__ x, float *__restrict__ y, long long n)\n{\n" \
	"\tlong long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n\tif (i < n)\n\t\ty[i] += twice(x[i]);\n}\n"

static void compile(
	const char *arch, const char *name, const char *text, int (*cancelled)(void *), struct lt_cuda_cubin *out)
{
	const struct lt_cuda_job job = { .arch = arch, .name = name, .text = text, .cancelled = cancelled };
	lt__cuda_nvrtc_compile(&nvrtc, &job, out);
}

static void compiled_free(struct lt_cuda_cubin *c)
{
	free(c->at);
	free(c->log);
}

Test(cuda_nvrtc, a_text_becomes_code_for_each_architecture)
{
	static const struct { int major, minor; const char *arch; } cases[] = { { 8, 0, "sm_80" }, { 9, 0, "sm_90a" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char arch[16];
		struct lt_cuda_cubin c;
		cr_assert_eq(lt__cuda_arch(&nvrtc, cases[i].major, cases[i].minor, arch, sizeof arch, NULL), LT_OK);
		cr_assert_str_eq(arch, cases[i].arch);
		compile(arch, "axpy", AXPY, NULL, &c);
		cr_assert_eq(c.status, LT_OK, "%s", c.why);
		cr_assert(c.bytes > 1000 && memcmp(c.at, "\177ELF", 4) == 0 && memmem(c.at, c.bytes, "axpy", 4));
		compiled_free(&c);
	}
	struct keeper k = keeper_new();
	char arch[16];
	cr_assert_eq(lt__cuda_arch(&nvrtc, 99, 7, arch, sizeof arch, &k.diag), LT_EUNSUPPORTED);
	cr_assert(strstr(k.text, "makes no code for the device's compute capability 99.7"), "%s", k.text);
	cr_assert_str_eq(k.remedy, "install a newer CUDA toolkit");
	/* NVRTC may know it; the text is none for it. */
	cr_assert_eq(lt__cuda_arch(&nvrtc, 7, 5, arch, sizeof arch, &k.diag), LT_EUNSUPPORTED);
	cr_assert(strstr(k.text, "compute capability is 7.5; kernels are made for 8.0 and later"), "%s", k.text);
}

Test(cuda_nvrtc, mistakes_are_sentences)
{
	static const struct { const char *text, *sentence; } cases[] = {
		{ "extern \"C\" __global__ void f(float *x)\n{\n\tx[0] = yy;\n}\n",
			"k.cu(3): error: identifier \"yy\" is undefined" },
		{ "#include <nobody.h>\n", "k.cu(1): catastrophic error: could not open source file \"nobody.h\"" },
		{ "extern \"C\" __global__ void f(int *x) { asm(\"nonsense;\"); }\n", "error" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_cuda_cubin c;
		compile("sm_90a", "k", cases[i].text, NULL, &c);
		cr_expect_eq(c.status, LT_ECOMPILE);
		cr_expect(strncmp(c.why, "kernel k: NVRTC ", 16) == 0 && strstr(c.why, cases[i].sentence), "%s", c.why);
		cr_expect(!strchr(c.why, '\n') && c.log && strlen(c.log) >= 10);
		cr_expect_null(c.at);
		compiled_free(&c);
	}
}

static int always(void *user) { return (void)user, 1; }
Test(cuda_nvrtc, compiling_is_cancelled)
{
	struct lt_cuda_cubin c;
	if (!nvrtc.flow_callback)
		cr_skip_test("this NVRTC cannot be cancelled");
	compile("sm_90a", "axpy", AXPY, always, &c);
	cr_assert_eq(c.status, LT_ECANCELLED, "%s", c.why);
	cr_assert_str_eq(c.why, "compiling kernel axpy was cancelled");
	compiled_free(&c);
}

/* ---- several at once ---- */

struct nvrtc_host { struct lt_host host; int progress, logged, cancelled; };
static void count_progress(void *user, int32_t done, int32_t total)
{
	struct nvrtc_host *h = user;
	cr_assert(done == ++h->progress && total == 3);
}
static void count_log(const struct lt_host *host, enum lt_log level, const char *text)
{
	struct nvrtc_host *h = host->user;
	h->logged += level == LT_LOG_WARNING && strstr(text, "error") != NULL;
}
static int is_cancelled(const struct lt_host *host) { return ((struct nvrtc_host *)host->user)->cancelled; }
struct nvrtc_thread { void (*body)(void *, uint32_t, uint32_t); void *arg; uint32_t i, n; pthread_t thread; };
static void *nvrtc_main(void *arg)
{
	struct nvrtc_thread *t = arg;
	t->body(t->arg, t->i, t->n);
	return NULL;
}
static void in_parallel(const struct lt_host *host, uint32_t n, void (*body)(void *, uint32_t, uint32_t), void *arg)
{
	struct nvrtc_thread t[8] = { 0 };
	(void)host;
	for (uint32_t i = 1; i < n; i++) {
		t[i] = (struct nvrtc_thread){ body, arg, i, n, 0 };
		cr_assert_eq(pthread_create(&t[i].thread, NULL, nvrtc_main, &t[i]), 0);
	}
	body(arg, 0, n);
	for (uint32_t i = 1; i < n; i++)
		cr_assert_eq(pthread_join(t[i].thread, NULL), 0);
}

static void programs(struct lt_cuda_code code[3])
{
	for (int i = 0; i < 3; i++)
		cr_assert_eq(lt__cuda_code_print(cuda_program("axpy", (struct cuda_shape){ 4, 1, 32, 4 }), &code[i], NULL), LT_OK);
}

Test(cuda_nvrtc, kernels_together_all_or_none)
{
	struct nvrtc_host h = { 0 };
	h.host = (struct lt_host){ .size = sizeof h.host, .n_thread = 2, .user = &h, .progress = count_progress,
		.log = count_log, .parallel = in_parallel, .cancelled = is_cancelled };
	struct lt_session *s = cuda_open_on(&h.host, "");
	struct lt_cuda_code code[3];
	struct cuda_tree t[3];
	const struct lt_tree *tree[3];
	struct lt_object *o[3];
	struct keeper k = keeper_new();
	for (int i = 0; i < 3; i++)
		tree[i] = cuda_tree(&t[i], i == 0 ? "k0" : i == 1 ? "k1" : "k2", 2, 4);
	programs(code);
	cr_assert_eq(lt__cuda_compile(s, tree, code, 3, o, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(h.progress, 3);
	for (int i = 0; i < 3; i++)
		lt__cuda_destroy(o[i]);
	programs(code);
	code[1].grids->text = "extern \"C\" __global__ void axpy() { nothing; }\n";
	h.progress = 0;
	cr_assert_eq(lt__cuda_compile(s, tree, code, 3, o, &k.diag), LT_ECOMPILE);
	cr_assert(strstr(k.text, "kernel k1: NVRTC") && strstr(k.text, "\"nothing\" is undefined"), "%s", k.text);
	cr_assert(!o[0] && !o[1] && !o[2] && h.logged == 1);
	programs(code);
	h.cancelled = 1;
	cr_assert_eq(lt__cuda_compile(s, tree, code, 3, o, &k.diag), LT_ECANCELLED, "%s", k.text);
	cr_assert(!o[0] && !o[1] && !o[2]);
	mock_end(s);
}
