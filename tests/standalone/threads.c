/* threads.c -- calls a function that lt-build made: on one thread, and with loops run in parts, in
 * another order and on several threads; the results are the same, bit for bit.
 *
 * Compiled with -include NAME.h and F, ARGS and MAX_THREADS, the function's own; RESULT and the inputs are floats.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_THREAD = 4 };
struct part {
	void (*body)(void *, int64_t, int64_t, uint32_t);
	void *arg;
	int64_t n;
	uint32_t thread, n_thread;
};
static int calls;

/* Every fourth point, from the last one down. */
static void *run_part(void *arg)
{
	const struct part *p = arg;
	for (int64_t i = p->n - 1 - p->thread; i >= 0; i -= p->n_thread)
		p->body(p->arg, i, i + 1, p->thread);
	return NULL;
}

static void parallel_for(void *user, uint32_t n_thread, int64_t n, void (*body)(void *, int64_t, int64_t, uint32_t),
	void *arg)
{
	pthread_t thread[N_THREAD];
	struct part part[N_THREAD];
	if (strcmp(user, "mine") != 0 || n_thread > N_THREAD)
		abort();
	calls++;
	for (uint32_t t = 0; t < n_thread; t++) {
		part[t] = (struct part){ body, arg, n, t, n_thread };
		if (pthread_create(&thread[t], NULL, run_part, &part[t]) != 0)
			abort();
	}
	for (uint32_t t = 0; t < n_thread; t++)
		pthread_join(thread[t], NULL);
}

static float *numbers(size_t bytes)
{
	float *x = malloc(bytes);
	for (size_t i = 0; i < bytes / sizeof *x; i++)
		x[i] = (float)(rand() % 2001 - 1000) / 500;
	return x;
}

int main(void)
{
	ARGS a = { 0 };
	float *one = malloc(RESULT_BYTES), *many = malloc(RESULT_BYTES);
	INPUTS
	memset(one, 0xff, RESULT_BYTES);
	memset(many, 0xff, RESULT_BYTES);
	a.out_result = one;
	if (F(&a) != 0)
		return puts(a.message), 1;
	a.out_result = many;
	a.workspace = malloc(WORKSPACE_BYTES + 1);
	memset(a.workspace, 0xff, WORKSPACE_BYTES + 1);
	a.parallel_for = parallel_for;
	a.user = "mine";
	a.n_thread = N_THREAD;
	if (F(&a) != 0)
		return puts(a.message), 1;
	if (memcmp(one, many, RESULT_BYTES) != 0 || calls == 0)
		return printf("differs, or ran nothing on threads (%d calls)\n", calls), 1;
	/* What it refuses, it says. */
	a.out_result = NULL;
	if (F(&a) == 0 || strcmp(a.message, "result 'result' is NULL") != 0)
		return printf("a missing result: %s\n", a.message), 1;
	return 0;
}
