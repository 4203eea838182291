/* test_cuda_blas.c -- calls of cublas.gemm: each order in memory, type and epilogue against the simulator,
 * on a library that is not there and (gpu_blas) on a device; recorded, refused, failing.
 */
#include <unistd.h>
#include "tests/cuda/cuda_product.h"
#include "tests/cuda/mock_kernels.h"

TestSuite(cuda_blas, .init = mock_begin, .timeout = 300);
TestSuite(gpu_blas, .timeout = 120);

#define PLAIN "mk", "kn", "mn", "m 24 n 40 k 32"
#define F32 "f32", "f32", "f32"
static const struct cuda_product products[] = {
	{ PLAIN, F32, "", { 0 } },
	/* Each factor across, the result across. */
	{ "km", "kn", "mn", "m 24 n 40 k 32", F32, "", { 0 } },
	{ "mk", "nk", "mn", "m 24 n 40 k 32", F32, "", { 0 } },
	{ "km", "nk", "mn", "m 24 n 40 k 32", F32, "", { 0 } },
	{ "mk", "kn", "nm", "m 24 n 40 k 32", F32, "", { 0 } },
	{ "km", "nk", "nm", "m 24 n 40 k 32", F32, "", { 0 } },
	/* Odd sizes from odd addresses on. */
	{ "mk", "kn", "mn", "m 7 n 5 k 3", F32, "", { 1, 3, 5, 0, 0 } },
	{ "mk", "nk", "mn", "m 33 n 17 k 65", F32, "bias, relu", { 1, 0, 2, 3, 0 } },
	/* One element along a dim. */
	{ "mk", "k", "m", "m 24 k 32", F32, "", { 0 } },
	{ "k", "kn", "n", "n 40 k 32", F32, "bias", { 0 } },
	{ "k", "k", "", "k 32", F32, "", { 0 } },
	{ "m", "n", "mn", "m 24 n 40", F32, "", { 0 } },
	{ "mk", "kn", "mn", "m 1 n 40 k 32", F32, "", { 0 } },
	{ "mk", "kn", "mn", "m 24 n 1 k 32", F32, "bias, relu", { 0 } },
	{ "mk", "kn", "mn", "m 24 n 40 k 1", F32, "", { 0 } },
	/* Batches: side by side, between the rows, of one factor only, two that are no one dim. */
	{ "bmk", "bkn", "bmn", "b 6 m 24 n 40 k 32", F32, "", { 0 } },
	{ "mbk", "bnk", "mbn", "b 6 m 24 n 40 k 32", F32, "", { 0 } },
	{ "bmk", "kn", "bmn", "b 6 m 24 n 40 k 32", F32, "bias, relu", { 0 } },
	{ "mk", "bkn", "bmn", "b 6 m 24 n 40 k 32", F32, "", { 0 } },
	{ "bgmk", "gbkn", "bgmn", "b 3 g 4 m 9 n 10 k 8", F32, "", { 0 } },
	{ "gmbk", "gbnk", "gmbn", "b 3 g 4 m 9 n 10 k 8", F32, "relu", { 2, 0, 0, 0, 0 } },
	{ "bgmk", "bgkn", "bgmn", "b 3 g 4 m 9 n 10 k 8", F32, "", { 0 } },
	/* Several dims of one role. */
	{ "mik", "kn", "min", "m 3 i 8 n 40 k 32", F32, "", { 0 } },
	{ "mkh", "khnj", "mnj", "m 24 n 5 j 8 k 4 h 8", F32, "bias", { 0 } },
	/* What follows. */
	{ PLAIN, F32, "bias", { 0 } }, { PLAIN, F32, "relu", { 0 } }, { PLAIN, F32, "bias, relu", { 0 } },
	{ PLAIN, F32, "residual", { 0 } }, { PLAIN, F32, "residual, relu", { 0 } },
	{ "km", "nk", "mn", "m 24 n 40 k 32", F32, "residual, relu", { 0 } },
	{ "bmk", "bkn", "bmn", "b 6 m 24 n 40 k 32", F32, "residual", { 0 } },
	{ "bgmk", "gbkn", "bgmn", "b 3 g 4 m 9 n 10 k 8", F32, "residual", { 0 } },
	/* Types. */
	{ PLAIN, "f64", "f64", "f64", "", { 0 } },
	{ "bkm", "bnk", "bmn", "b 2 m 24 n 40 k 32", "f64", "f64", "f64", "", { 0 } },
	{ PLAIN, "f16", "f16", "f32", "", { 0 } }, { PLAIN, "f16", "f32", "f32", "", { 0 } },
	{ PLAIN, "bf16", "bf16", "f32", "", { 0 } }, { PLAIN, "bf16", "f32", "f32", "", { 0 } },
	{ "km", "nk", "mn", "m 24 n 40 k 32", "bf16", "bf16", "f32", "bias, relu", { 0 } },
	{ "mk", "nk", "mn", "m 7 n 5 k 3", "bf16", "bf16", "f32", "", { 1, 1, 1, 0, 0 } },
	{ "bmk", "bkn", "bmn", "b 6 m 24 n 40 k 32", "f16", "f16", "f32", "bias", { 0 } },
	{ PLAIN, "bf16", "f32", "f32", "bias, relu", { 0 } }, { PLAIN, "f16", "f16", "f32", "residual, relu", { 0 } },
	{ PLAIN, "bf16", "bf16", "f32", "residual", { 0 } },
	/* GELU by tanh. */
	{ PLAIN, F32, "gelu_tanh", { 0 } }, { PLAIN, F32, "bias, gelu_tanh", { 0 } },
	{ PLAIN, F32, "residual, gelu_tanh", { 0 } }, { "mk", "nk", "mn", "m 33 n 17 k 65", F32, "bias, gelu_tanh", { 0 } },
	{ "bmk", "kn", "bmn", "b 6 m 24 n 40 k 32", F32, "bias, gelu_tanh", { 0 } },
	{ PLAIN, "bf16", "bf16", "f32", "bias, gelu_tanh", { 0 } }, { PLAIN, "bf16", "f32", "f32", "gelu_tanh", { 0 } },
	{ PLAIN, "f16", "f16", "f32", "gelu_tanh", { 0 } }, { PLAIN, "f16", "f32", "f32", "bias, gelu_tanh", { 0 } },
	/* Those of rows and columns that are no one dim are batches: the shorter, and those across memory; with others. */
	{ "imk", "kn", "min", "m 9 i 3 n 10 k 8", F32, "bias, relu", { 1, 0, 2, 3, 0 } },
	{ "imk", "kn", "min", "m 3 i 9 n 10 k 8", F32, "residual", { 0 } },
	{ "mk", "njk", "mjn", "m 9 n 4 j 6 k 8", F32, "relu", { 0 } },
	{ "imk", "njk", "mijn", "m 9 i 4 n 5 j 3 k 8", F32, "", { 0 } },
	{ "bimk", "bkn", "mbin", "b 3 m 5 i 4 n 10 k 8", "f16", "f16", "f32", "", { 0 } },
	/* A bias and a residual. */
	{ PLAIN, F32, "bias, residual", { 0 } }, { PLAIN, F32, "bias, residual, relu", { 0 } },
	{ PLAIN, "f16", "f16", "f32", "bias, residual, relu", { 0 } },
	{ PLAIN, "bf16", "f32", "f32", "bias, residual", { 0 } },
	{ "bmk", "bkn", "bmn", "b 6 m 24 n 40 k 32", F32, "bias, residual, relu", { 0 } },
	{ "mk", "nk", "mn", "m 33 n 17 k 65", F32, "bias, residual, gelu_tanh", { 0 } },
};
enum { N_PRODUCT = sizeof products / sizeof *products };

/* Run once by itself, once recorded: both give what the simulator does. */
static void run_product(struct lt_session *s, const struct cuda_product *p, double first, double loose)
{
	struct keeper k = keeper_new();
	struct cuda_tree t;
	struct product_memory m;
	struct lt_slot slot[5];
	struct lt_fault fault;
	struct lt_capture *c;
	const struct lt_tree *tree = cuda_tree(&t, "product", 5, 1);
	t.type.bytes = 2;
	struct lt_object *o = product_object(s, tree, p, &k.diag);
	cr_assert_not_null(o, "%s %s %s, %s %s: %s", p->left, p->right, p->result, p->type, p->after, k.text);
	product_fill(p, first, &m);
	product_slots(s, &m, slot);
	struct lt_args args = cuda_args(slot, 5, &fault);
	cr_assert_eq(lt__cuda_run(o, &args, &k.diag), LT_OK, "%s", k.text);
	product_compare(s, p, &slot[0], &m, loose);
	if (!strstr(p->after, "residual")) {
		const struct lt_slot begin = { slot[0].base, p->begin[0] * (int64_t)lt__number_bytes(m.dtype[0]), 1 };
		cr_assert_eq(cuda_backend()->mem_copy(s, &begin, &(struct lt_slot){ m.at[1], 0, 1 }, 1, LT_COPY_TO_DEVICE, NULL,
			&k.diag), LT_OK);
		cr_assert_eq(lt__cuda_capture(s, &o, &args, 1, &c, &k.diag), LT_OK, "%s", k.text);
		cr_assert_eq(lt__cuda_replay(c, &k.diag), LT_OK, "%s", k.text);
		product_compare(s, p, &slot[0], &m, loose);
		lt__cuda_capture_free(c);
	}
	lt__cuda_destroy(o);
	for (int i = 0; i < 5; i++)
		lt__cuda_mem_free(s, slot[i].base);
	product_free(&m);
}

Test(cuda_blas, each_product)
{
	struct lt_session *s = cuda_open("");
	for (int i = 0; i < N_PRODUCT; i++)
		run_product(s, &products[i], 0, 0);
	mock_end(s);
}

Test(gpu_blas, each_product)
{
	struct lt_session *s = cuda_open("");
	for (int i = 0; i < N_PRODUCT; i++)
		run_product(s, &products[i], 0, 0);
	cuda_backend()->close(s);
}

/* What is no number stays none, also behind a ReLU. */
Test(cuda_blas, nan_stays)
{
	struct lt_session *s = cuda_open("");
	run_product(s, &products[25], (double)NAN, 0);
	mock_end(s);
}
Test(gpu_blas, nan_stays)
{
	struct lt_session *s = cuda_open("");
	for (int i = 24; i < 29; i++)
		run_product(s, &products[i], (double)NAN, 0);
	cuda_backend()->close(s);
}

static const struct cuda_product large = { "mk", "kn", "mn", "m 128 n 128 k 512", F32, "", { 0 } };
Test(gpu_blas, tf32_is_for_those_who_ask)
{
	struct lt_session *s = cuda_open("tf32");
	run_product(s, &large, 0, 0x1p-12);
	cuda_backend()->close(s);
}

/* ---- on the library that is not there ---- */

Test(cuda_blas, the_target_has_routines_and_the_session_says_where)
{
	struct lt_session *s = cuda_open("");
	const struct lt_caps *caps = cuda_backend()->caps(s);
	cr_expect(caps->target->routines.n == lt__cuda_routines(false, false).n
		&& caps->loops >> LT_CALL & 1 && s->machine.calls);
	cr_expect_str_eq(s->blas.path, "libcublasLt.so.13");
	cr_expect_null(s->blas.handle, "nothing is opened before a call is compiled");
	mock_end(s);
}

/* So that both can be compared: the same graphs, no library. */
Test(cuda_blas, generated_has_no_routines)
{
	struct lt_session *s = cuda_open("generated");
	const struct lt_caps *caps = cuda_backend()->caps(s);
	cr_expect(caps->target->routines.n == 0 && !(caps->loops >> LT_CALL & 1) && !s->machine.calls);
	mock_end(s);
}

/* The heuristic is asked once for each shape and alignment, not by each run. */
Test(cuda_blas, an_algorithm_is_chosen_once)
{
	struct lt_session *s = cuda_open("tf32");
	struct keeper k = keeper_new();
	struct cuda_tree t;
	struct product_memory m;
	struct lt_slot slot[5];
	struct lt_fault fault;
	const struct cuda_product *p = &products[19];           /* three products, of four batches each */
	struct lt_object *o = product_object(s, cuda_tree(&t, "product", 5, 1), p, &k.diag);
	cr_assert_not_null(o, "%s", k.text);
	cr_expect_eq(mock->choices, 1, "when it is compiled");
	product_fill(p, 0, &m);
	product_slots(s, &m, slot);
	struct lt_args args = cuda_args(slot, 5, &fault);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(lt__cuda_run(o, &args, &k.diag), LT_OK, "%s", k.text);
	const int chosen = mock->choices;
	cr_expect_leq(chosen, 2, "batches may lie closer than memory begins");
	cr_expect_eq(mock->calls, 9);
	cr_expect_eq(mock->compute, CUBLAS_COMPUTE_32F_FAST_TF32);
	slot[1].offset = 4;             /* less aligned */
	slot[1].bytes -= 4;
	struct lt_capture *c;
	cr_assert_eq(lt__cuda_capture(s, &o, &args, 1, &c, &k.diag), LT_OK, "%s", k.text);
	cr_expect_eq(mock->choices, chosen + 1);
	lt__cuda_capture_free(c);
	lt__cuda_destroy(o);
	product_free(&m);
	mock_end(s);
}

struct saved { char at[8192]; size_t n; };
static void saved_add(void *user, const char *data, size_t bytes)
{
	struct saved *s = user;
	cr_assert_leq(s->n + bytes, sizeof s->at);
	memcpy(s->at + s->n, data, bytes);
	s->n += bytes;
}

/* What was chosen is saved with the object; other alignments are asked for anew. */
Test(cuda_blas, choices_are_saved)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t;
	struct product_memory m;
	struct lt_slot slot[5];
	struct lt_fault fault;
	static struct saved saved;
	const struct cuda_product *p = &products[26];
	const struct lt_tree *tree = cuda_tree(&t, "product", 5, 1);
	struct lt_object *o = product_object(s, tree, p, &k.diag), *loaded;
	cr_assert_eq(lt__cuda_save(o, saved_add, &saved, &k.diag), LT_OK, "%s", k.text);
	lt__cuda_destroy(o);
	cr_expect_eq(mock->choices, 1);
	for (size_t i = 0; i < saved.n; i += 7) {               /* damaged ones are none */
		saved.at[i] ^= 4;
		cr_assert_eq(lt__cuda_load(s, tree, saved.at, saved.n, &loaded, NULL), LT_EINVAL);
		saved.at[i] ^= 4;
	}
	cr_assert_eq(lt__cuda_load(s, tree, saved.at, saved.n, &loaded, &k.diag), LT_OK, "%s", k.text);
	product_fill(p, 0, &m);
	product_slots(s, &m, slot);
	struct lt_args args = cuda_args(slot, 5, &fault);
	cr_assert_eq(lt__cuda_run(loaded, &args, &k.diag), LT_OK, "%s", k.text);
	cr_expect_eq(mock->choices, 1, "nothing is chosen again");
	product_compare(s, p, &slot[0], &m, 0);
	slot[3].offset = 4;
	slot[3].bytes -= 4;
	cr_assert_eq(lt__cuda_run(loaded, &args, &k.diag), LT_OK, "%s", k.text);
	cr_expect_eq(mock->choices, 2);
	lt__cuda_destroy(loaded);
	product_free(&m);
	mock_end(s);
}

/* What the library does not take is said when it is compiled; what fails later, by the run. */
Test(cuda_blas, failures)
{
	static const struct { const char *function; CUresult with; lt_status status; const char *says; } cases[] = {
		{ "cublasLtCreate", CUDA_ERROR_UNKNOWN, LT_EDEVICE,
			"kernel product: cuBLAS does not start: CUBLAS_STATUS_NOT_INITIALIZED" },
		{ "cublasLtMatmulAlgoGetHeuristic", CUDA_ERROR_NOT_SUPPORTED, LT_EUNSUPPORTED,
			"kernel product: cuBLAS has no way to multiply 40 x 32 by 24 of these types and layouts" },
		{ "cublasLtMatmulAlgoGetHeuristic", CUDA_ERROR_UNKNOWN, LT_EDEVICE,
			"kernel product: choosing how cuBLAS multiplies: CUBLAS_STATUS_EXECUTION_FAILED" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_session *s = cuda_open("");
		struct keeper k = keeper_new();
		struct cuda_tree t;
		(void)snprintf(mock->fail, sizeof mock->fail, "%s", cases[i].function);
		mock->fail_at = 1;
		mock->fail_with = cases[i].with;
		cr_expect_null(product_object(s, cuda_tree(&t, "product", 5, 1), &products[0], &k.diag));
		cr_expect_str_eq(k.text, cases[i].says);
		mock_end(s);
	}
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t;
	struct product_memory m;
	struct lt_slot slot[5];
	struct lt_fault fault;
	struct lt_object *o = product_object(s, cuda_tree(&t, "product", 5, 1), &products[0], &k.diag);
	product_fill(&products[0], 0, &m);
	product_slots(s, &m, slot);
	struct lt_args args = cuda_args(slot, 5, &fault);
	(void)snprintf(mock->fail, sizeof mock->fail, "cublasLtMatmul");
	mock->fail_at = 1;
	cr_expect_eq(lt__cuda_run(o, &args, &k.diag), LT_EDEVICE);
	cr_expect_str_eq(k.text, "kernel product: cublas.gemm: CUBLAS_STATUS_EXECUTION_FAILED");
	cr_expect_eq(lt__cuda_run(o, &args, &k.diag), LT_OK, "and it goes on");
	lt__cuda_destroy(o);
	product_free(&m);
	mock_end(s);
}

/* ---- whole programs, by lt-run: what only calls needs no device ---- */

#define HEAD "graph 1\nvar m 5\nvar k 12\nvar n 7\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n"
#define PRODUCT HEAD "%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n"
#define LAYER PRODUCT "%v = f32[n] input \"v\"\n%zero = f32[] lit 0.0\n%d = f32[m, n] add %c, %v\n" \
	"%y = f32[m, n] max %d, %zero\nresult \"y\" = %y\n"
#define GROUP "group m; call group cublas.gemm"
#define GELU(inside) PRODUCT "%v = f32[n] input \"v\"\n%d = f32[m, n] add %c, %v\n%half = f32[] lit 0.5\n" \
	"%h = f32[m, n] mul %d, %half\n" inside "%one = f32[] lit 1.0\n%g = f32[m, n] add %f, %one\n" \
	"%y = f32[m, n] mul %h, %g\nresult \"y\" = %y\n"
#define BY_TANH GELU("%s = f32[] lit 0.044715\n%d2 = f32[m, n] mul %d, %d\n%d3 = f32[m, n] mul %d2, %d\n" \
	"%d4 = f32[m, n] mul %d3, %s\n%d5 = f32[m, n] add %d, %d4\n%r = f32[] lit 0.79788456080286535588\n" \
	"%d6 = f32[m, n] mul %d5, %r\n%f = f32[m, n] tanh %d6\n")
#define BY_ERF GELU("%r = f32[] lit 0.70710678118654752440\n%d2 = f32[m, n] mul %d, %r\n%f = f32[m, n] erf %d2\n")
static const struct { const char *graph, *steps, *says; } programs[] = {
	{ BY_TANH, GROUP, "`call cublas.gemm` on the group: the routine adds no GELU by tanh after the product; move it out" },
	{ BY_ERF, GROUP, "`call cublas.gemm` on the group: the routine adds no GELU by erf after the product; move it out" },
	{ PRODUCT "result \"c\" = %c\n", "call m cublas.gemm", "verify: passed" },
	{ PRODUCT "result \"c\" = %c\n", "split m 2; call m' cublas.gemm", "verify: passed" },
	{ PRODUCT "result \"c\" = %c\n", "split m 2; tail m peel; call m' cublas.gemm", "verify: passed" },
	{ LAYER, GROUP, "verify: passed" },
	{ "graph 1\nvar b 3\nvar m 5\nvar k 12\nvar n 7\n%a = f32[m, b, k] input \"a\"\n%b = f32[b, n, k] input \"b\"\n"
		"%p = f32[b, m, n, k] mul %a, %b\n%c = f32[b, m, n] add.reduce %p\nresult \"c\" = %c\n", "call b cublas.gemm",
		"verify: passed" },
	{ PRODUCT "result \"c\" = %c\n", "bind m grid.x; call k cublas.gemm",
		"loop k: only the host calls cublas.gemm, and the grid loop m is around it" },
	{ PRODUCT "%d = f32[m, n] sigmoid %c\n%y = f32[m, n] mul %c, %d\nresult \"y\" = %y\n", GROUP,
		"`call cublas.gemm` on the group: the routine adds no SiLU after the product; move it out" },
	{ "graph 1\nvar m 5\nvar k 3\nvar n 7\nvar i 7\n%a = f32[i] input \"a\"\n%b = f32[k, n] input \"b\"\n"
		"%w = f32[m, k] view { %a[m + k] }\n%p = f32[m, n, k] mul %w, %b\n%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n",
		"call m cublas.gemm", "`call cublas.gemm` on the loop m: %a lies side by side along neither of its two dims" },
	{ PRODUCT "result \"c\" = %c\n", "call m cublas.gem",
		"`call cublas.gem` on the loop m: cuda:sm_90a has no routine of that name; it has cublas.gemm" },
	{ "graph 1\nvar m 5\nvar k 12\nvar n 7\n%a = i32[m, k] input \"a\"\n%b = i32[k, n] input \"b\"\n"
		"%p = i32[m, n, k] mul %a, %b\n%c = i32[m, n] add.reduce %p\nresult \"c\" = %c\n", "call m cublas.gemm",
		"`call cublas.gemm` on the loop m: %c is written as i32, and the routine takes f32 there; cast it outside" },
};

/* Both outputs of lt-run on the libraries that are not there.  steps: of the plain tree; NULL: the default one. */
static void lt_run_on(
	const char *backend, const char *graph, const char *steps, const char *options, char *text, size_t bytes)
{
	char path[] = "/tmp/cuda_blas_XXXXXX", command[1200];
	const char *o = getenv("O") ? getenv("O") : "build";
	int file = mkstemp(path);
	cr_assert(file >= 0 && write(file, graph, strlen(graph)) == (ssize_t)strlen(graph) && close(file) == 0);
	(void)snprintf(command, sizeof command, "echo 'schedule 1' | LD_LIBRARY_PATH=%s/tests/cuda:$LD_LIBRARY_PATH %s/lt-run "
		"--no-cache -b %s --strict --no-passes %s%s%s %s %s 2>&1", o, o, backend, steps ? "--schedule=- --apply=\"" : "",
		steps ? steps : "", steps ? "\"" : "", options, path);
	FILE *f = popen(command, "r");
	cr_assert_not_null(f);
	size_t n = fread(text, 1, bytes - 1, f);
	text[n] = '\0';
	(void)pclose(f);
	(void)unlink(path);
}

static void lt_run(const char *graph, const char *steps, const char *options, char *text, size_t bytes)
{
	lt_run_on("cuda", graph, steps, options, text, bytes);
}

Test(cuda_blas, whole_programs)
{
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		char text[20000];
		lt_run(programs[i].graph, programs[i].steps, "-q --verify -i '*=random'", text, sizeof text);
		cr_expect_not_null(strstr(text, programs[i].says), "%s: %s", programs[i].steps, text);
	}
}

/* Inputs and results on the device: the same numbers, and nothing crosses. */
Test(cuda_blas, on_the_device)
{
	static char plain[20000], given[20000];
	static const char product[] = "graph 1\nvar m 8\nvar k 16\nvar n 8\n%a = f32[m, k] input \"a\"\n"
		"%b = f32[k, n] input \"b\"\n%p = f32[m, k, n] mul %a, %b\n%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n";
	lt_run(product, "call m cublas.gemm", "-n 3 -i '*=random'", plain, sizeof plain);
	lt_run(product, "call m cublas.gemm", "-n 3 -i '*=random' --on-device", given, sizeof given);
	cr_assert_not_null(strstr(plain, "evaluation 2\nc: "), "%s", plain);
	cr_assert_str_eq(plain, given);
	lt_run(product, "call m cublas.gemm", "-q -i '*=random' --time=3", given, sizeof given);
	cr_assert_not_null(strstr(given, "\ncrossing: 3 copies between memories a run, 1.28 kB; to devices 1.024 kB, "),
		"%s", given);
	lt_run(product, "call m cublas.gemm", "-q -i '*=random' --on-device --time=3", given, sizeof given);
	cr_assert_not_null(strstr(given, "\ncrossing: 0 copies between memories a run, 0 bytes; "), "%s", given);
	/* One call of a library takes the host longer than a run that is recorded. */
	cr_assert_not_null(strstr(given, "\nrecorded: 3 of the 3 runs were replayed\n"), "%s", given);
}

/* Large products are calls in a default tree, with what follows them; small ones, and a matrix by a vector, are not. */
Test(cuda_blas, default_trees)
{
	static const struct { const char *sizes; bool calls; } cases[] = { { "var m 512\nvar k 1024\nvar n 512\n", true },
		{ "var m 64\nvar k 64\nvar n 64\n", false }, { "var m 512\nvar k 512\nvar n 512\n", false },
		{ "var m 8\nvar k 4096\nvar n 4096\n", true }, { "var m 1\nvar k 4096\nvar n 4096\n", false } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char graph[1000], text[20000];
		(void)snprintf(graph, sizeof graph, "graph 1\n%s%s", cases[i].sizes, strstr(LAYER, "%a ="));
		lt_run(graph, NULL, "--dump=tree", text, sizeof text);
		cr_expect_eq(strstr(text, "group call cublas.gemm") != NULL, cases[i].calls, "%s", text);
		cr_expect_not_null(strstr(text, "%y"), "%s", text);
	}
}

/* The library's GELU is that by tanh, and less exact than ours, so that it has to be asked for: else it is a kernel of
 * its own, as that by erf is, and --explain says why. */
Test(cuda_blas, default_trees_with_gelu)
{
	static const struct { const char *backend, *graph, *says; } cases[] = { { "cuda:gelu", BY_TANH, NULL },
		{ "cuda", BY_TANH, "tree: cublas.gemm ends here: the routine adds no GELU by tanh after the product\n" },
		{ "cuda:gelu", BY_ERF, "tree: cublas.gemm ends here: the routine adds no GELU by erf after the product\n" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char graph[1500], text[20000];
		(void)snprintf(graph, sizeof graph, "graph 1\nvar m 512\nvar k 1024\nvar n 512\n%s", strstr(cases[i].graph, "%a ="));
		lt_run_on(cases[i].backend, graph, NULL, "--dump=tree", text, sizeof text);
		const char *call = strstr(text, "group call cublas.gemm");
		cr_assert_not_null(call, "%s", text);
		cr_expect_eq(strstr(call, "\nfor ") == NULL, cases[i].says == NULL, "%s", text);
		lt_run_on(cases[i].backend, graph, NULL, "-q --explain -i '*=random'", text, sizeof text);
		cr_expect(cases[i].says ? strstr(text, cases[i].says) != NULL : !strstr(text, "ends here"), "%s", text);
	}
}

/* Halves as models of ONNX have them: each operator's result is rounded.  What a call leaves out is said, and `exact`
 * has no such call; one that reads in float32 what is rounded is none that writes float32. */
#define HALVES(m, k, n) "graph 1\nvar m " m "\nvar k " k "\nvar n " n "\n%a = f16[m, k] input \"a\"\n" \
	"%b = f16[k, n] input \"b\"\n%v = f16[n] input \"v\"\n%r = f16[m, n] input \"r\"\n%af = f32[m, k] cast %a\n" \
	"%bf = f32[k, n] cast %b\n%p = f32[m, n, k] mul %af, %bf\n%c = f32[m, n] add.reduce %p\n%ch = f16[m, n] cast %c\n"
#define BIASED(m, k, n) HALVES(m, k, n) "%cf = f32[m, n] cast %ch\n%vf = f32[n] cast %v\n" \
	"%d = f32[m, n] add %cf, %vf\n%dh = f16[m, n] cast %d\n"
#define ADDED(m, k, n) BIASED(m, k, n) "%df = f32[m, n] cast %dh\n%rf = f32[m, n] cast %r\n" \
	"%e = f32[m, n] add %df, %rf\n%eh = f16[m, n] cast %e\n%ef = f32[m, n] cast %eh\n" \
	"%zero = f32[] lit 0.0\n%x = f32[m, n] max %ef, %zero\n%y = f16[m, n] cast %x\nresult \"y\" = %y\n"
#define AND_ERF(m, k, n) HALVES(m, k, n) "%cf = f32[m, n] cast %ch\n%x = f32[m, n] erf %cf\n%y = f16[m, n] cast %x\n" \
	"result \"y\" = %y\n"
#define HALF_FACTORS "group %af/m %bf/k; group group %p/m; "
#define HALVES_CALL HALF_FACTORS "group group %vf/n; call group cublas.gemm"
Test(cuda_blas, roundings_between_operators)
{
	static const struct { const char *backend, *graph, *steps, *says, *says_too; } cases[] = {
		{ "cuda", ADDED("5", "12", "7"), HALVES_CALL, "verify: passed",
			"allowed: 2 roundings between operators may be left out" },
		{ "cuda", BIASED("5", "12", "7") "result \"y\" = %dh\n", HALVES_CALL, "verify: passed",
			"allowed: 1 rounding between operators may be left out" },
		{ "cuda:exact", ADDED("5", "12", "7"), HALVES_CALL, "`call cublas.gemm` on the group: %ch rounds to f16 between two "
			"operators, which cublas.gemm does not do; end the call there, or allow that it is left out", "" },
		{ "cuda:exact", HALVES("5", "12", "7") "result \"y\" = %ch\n", HALF_FACTORS "call group cublas.gemm",
			"verify: passed", "kernels: 1 value of 1 kernel" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[40000];
		lt_run_on(cases[i].backend, cases[i].graph, cases[i].steps, "--verify -i '*=random'", text, sizeof text);
		cr_expect(strstr(text, cases[i].says) && strstr(text, cases[i].says_too), "%s: %s\n%s", cases[i].backend,
			cases[i].says, text);
		cr_expect_eq(strstr(text, "allowed:") != NULL, strstr(cases[i].says_too, "allowed:") != NULL, "%s", text);
	}
}

/* Which values default trees keep in memory between the call and its reader. */
Test(cuda_blas, calls_end_in_halves)
{
	static const struct { const char *backend, *graph; int n; bool whole; } cases[] = {
		{ "cuda", ADDED("512", "1024", "512"), 1, true }, { "cuda:exact", ADDED("512", "1024", "512"), 1, false },
		{ "cuda", AND_ERF("512", "1024", "512"), 1, false } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[20000];
		lt_run_on(cases[i].backend, cases[i].graph, NULL, "--dump=tree", text, sizeof text);
		const char *call = strstr(text, "group call cublas.gemm"), *loop = call ? strstr(call, "\nfor ") : NULL;
		cr_assert_not_null(call, "%s", text);
		cr_expect_eq(loop == NULL, cases[i].whole, "%s", text);
		const char *half = strstr(call, "%ch");
		cr_expect(cases[i].whole || (half && half < loop), "%s", text);
	}
}

Test(cuda_blas, gelu_by_tanh_is_a_call)
{
	char text[20000];
	lt_run_on("cuda:gelu", BY_TANH, GROUP, "-q --verify -i '*=random'", text, sizeof text);
	cr_expect_not_null(strstr(text, "verify: passed"), "%s", text);
}
