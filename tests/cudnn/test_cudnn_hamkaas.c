/* test_cudnn_hamkaas.c -- libhamkaas.so with UseCudnn, several instances at once, on a library and a driver that are
 * not there (mock_cudnn.c).
 */
#include <math.h>
#include <pthread.h>
#include "tests/built.h"
#include "tests/cuda/cuda_session.h"
#include "tests/hamkaas_library.h"

static void begin(void)
{
	mock_load()->memory[0] = (size_t)1 << 30;
	(void)mock_library("../cudnn/libcudnn.so.9");
	(void)mock_library("../cudnn/libnvrtc.so.13");
	hamkaas_set_up();
}
TestSuite(cudnn_hamkaas, .init = begin, .fini = scratch_remove, .timeout = 300);

/* As small as a convolution is that default trees hand over. */
enum { CHANNELS = 360, FILTERS = 64, EDGE = 7, WINDOW = 3, THREADS = 3 };
static const char script[] = "x = InputTensor(x, float32, [1, 360, 7, 7]); w = ConstantTensor(w, float32, "
	"[64, 360, 3, 3]);\nb = ConstantTensor(b, float32, [64, 1, 1]);\n"
	"result = ReLUNode(Conv2dNode(x, w, [1, 1], [1, 1, 1, 1]) + b);\n";
static float weights[FILTERS][CHANNELS][WINDOW][WINDOW], bias[FILTERS];
struct instance {
	int number;
	char why[400];
	float x[CHANNELS][EDGE][EDGE], y[FILTERS][EDGE][EDGE];
};

static void *use(void *arg)
{
	struct instance *i = arg;
	struct TInitializationResult h = Initialize();
	const struct TNamedTensor constants[] = { TENSOR("w", weights), TENSOR("b", bias) }, in = TENSOR("x", i->x);
	struct TCompilationResult m = { NULL, h.ErrorMessage };
	if (!m.ErrorMessage)
		m = CompileModel(h.Handle, (struct TCompilationOptions){ .UseCudnn = true }, script, constants, 2);
	const char *message = m.ErrorMessage ? m.ErrorMessage : EvaluateModel(h.Handle, m.Model, &in, 1, (char *)i->y);
	(void)snprintf(i->why, sizeof i->why, "%s", message ? message : "");
	if (message)
		FreeErrorMessage((char *)(uintptr_t)message);
	if (m.Model)
		FreeModel(h.Handle, m.Model);
	if (h.Handle)
		Finalize(h.Handle);
	return NULL;
}

/* Each factor loses at most all but 10 bits of its fraction; the result is rounded. */
static void expect_right(const struct instance *i, int f, int row, int column)
{
	double sum = 0, size = 0;
	for (int c = 0; c < CHANNELS; c++)
		for (int k = 0; k < WINDOW; k++)
			for (int l = 0; l < WINDOW; l++) {
				const int y = row + k - 1, x = column + l - 1;
				if (y < 0 || y >= EDGE || x < 0 || x >= EDGE)
					continue;
				const double term = (double)i->x[c][y][x] * (double)weights[f][c][k][l];
				sum += term;
				size += fabs(term);
			}
	const double want = fmax(sum + (double)bias[f], 0), got = (double)i->y[f][row][column];
	cr_expect(fabs(got - want) <= size * 0x1p-9 + fabs(want) * 0x1p-23, "%d: y[%d, %d, %d] = %.9g, not %.9g", i->number, f,
		row, column, got, want);
}

Test(cudnn_hamkaas, several_instances_at_once)
{
	static struct instance i[THREADS];
	pthread_t thread[THREADS];
	for (int k = 0; k < FILTERS * CHANNELS * WINDOW * WINDOW; k++)
		(&weights[0][0][0][0])[k] = (float)((k * 131 + 7) % 199 - 99) / 128;
	for (int f = 0; f < FILTERS; f++)
		bias[f] = (float)(f % 5 - 2);
	for (int n = 0; n < THREADS; n++) {
		i[n].number = n;
		for (int k = 0; k < CHANNELS * EDGE * EDGE; k++)
			(&i[n].x[0][0][0])[k] = (float)((k * (37 + 6 * n) + 11) % 101 - 50) / 64;
		cr_assert_eq(pthread_create(&thread[n], NULL, use, &i[n]), 0);
	}
	for (int n = 0; n < THREADS; n++) {
		(void)pthread_join(thread[n], NULL);
		cr_expect_str_eq(i[n].why, "");
		for (int f = 0; f < FILTERS; f++)
			for (int at = 0; at < EDGE * EDGE; at += 1 + f % 4)
				expect_right(&i[n], f, at / EDGE, at % EDGE);
	}
}
