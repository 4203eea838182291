/* simulate.c -- build/simulate: a kernel program's text, verified and run in the simulator.
 *
 *   build/simulate FILE [OPTION ...]
 *     NAME=FILE.npy      what the buffer holds before; others in slots hold random numbers, as does a param
 *     --out=NAME=FILE    writes what it holds afterwards, as .npy
 *     --machine=h100     says what bounds each loop there (a100, h100, h200)
 *     --counts           executions, operations and bytes by statement
 *     --blocks=N         so many blocks of a launch are run, and counts are scaled to all
 *     --text=cuda        or opencl: prints it as a text for such a device instead, and what is launched
 *     --order=forward    or backward, random;  --seed=N;  --off=CHECK leaves a check out
 *
 * For those who write kernel programs by hand: lt-run takes scripts.  Exit code: 0, 1 for a finding, 2 for a mistake.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/text/text.h"
#include "kernel/form/form.h"
#include "kernel/simulate/simulate.h"
#include "lt/lt.h"
#include "tools/tensor/tensor.h"

struct simulate_run {
	struct lt_context *ctx;
	struct lt_kernel *kernel;
	struct lt_slot *slot;
	struct lt_simulate_options options;
	const struct lt_simulate_machine *machine;
	const struct lt_text_dialect *text;
	bool counts;
};

static void say_finding(struct lt_diag *diag, const struct lt_diagnostic *d)
{
	(void)diag;
	(void)fprintf(stderr, "simulate: %s%s%s\n", d->text, d->remedy ? "; " : "", d->remedy ? d->remedy : "");
}
static struct lt_diag diag = { sizeof diag, say_finding };

static _Noreturn void end_wrong(const char *what, const char *name)
{
	(void)fprintf(stderr, "simulate: %s%s\n", what, name);
	exit(2);
}

static void check(struct simulate_run *r, lt_status status)
{
	if (status)
		end_wrong("", lt_context_message(r->ctx));
}

static const struct lt_kernel_buffer *buffer_named(const struct simulate_run *r, const char *name, size_t n)
{
	for (uint32_t b = 0; b < r->kernel->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &r->kernel->buffers[b];
		if (x->space == LT_SPACE_SLOT && strlen(x->name) == n && memcmp(x->name, name, n) == 0)
			return x;
	}
	(void)fprintf(stderr, "simulate: no buffer in a slot has the name '%.*s'\n", (int)n, name);
	exit(2);
}

/* Random numbers from -1 to 1, of integers from 0 to 9; params in their range. */
static void fill_slots(struct simulate_run *r)
{
	const struct lt_kernel *k = r->kernel;
	uint64_t z = r->options.seed;
	for (uint32_t b = 0; b < k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &k->buffers[b];
		int64_t bytes = x->elems * lt__number_bytes(x->dtype);
		if (x->space != LT_SPACE_SLOT || r->slot[x->slot].bytes >= bytes)
			continue;
		free(r->slot[x->slot].base);
		r->slot[x->slot] = (struct lt_slot){ aligned_alloc(4096, ((size_t)bytes + 4095) / 4096 * 4096), 0, bytes };
		if (!r->slot[x->slot].base)
			end_wrong("out of memory", "");
		for (int64_t e = 0; e < x->elems; e++) {
			union lt_number v;
			z = z * UINT64_C(6364136223846793005) + 1442695040888963407u;
			if (lt__number_is_float(x->dtype))
				v.f = (double)(int64_t)(z >> 40) / (1 << 23) - 1;
			else
				v.i = x->dtype == LT_BOOL ? (int64_t)(z >> 63) : (int64_t)(z >> 33) % 10;
			lt__number_store(r->slot[x->slot].base, e, x->dtype, lt__number_round(v, x->dtype));
		}
	}
	for (uint32_t p = 0; p < k->n_param; p++)
		((int64_t *)r->slot[k->buffers[k->params[p].buffer].slot].base)[k->params[p].element] = k->params[p].high;
}

/* NAME=FILE.npy */
static void read_tensor(struct simulate_run *r, const char *given)
{
	const char *path = strchr(given, '=') + 1;
	const struct lt_kernel_buffer *x = buffer_named(r, given, (size_t)(path - given) - 1);
	struct lt_tensors all = { 0 };
	check(r, lt__tensors_read(r->ctx, path, &all));
	if (all.n != 1 || (uint32_t)all.at[0].dtype != x->dtype || (int64_t)all.at[0].bytes != r->slot[x->slot].bytes)
		end_wrong("it takes one tensor of the buffer's type, of as many elements: ", given);
	memcpy(r->slot[x->slot].base, all.at[0].data, all.at[0].bytes);
	lt__tensors_free(&all);
}

static void write_tensor(struct simulate_run *r, const char *given)
{
	const char *path = strchr(given, '=');
	if (!path)
		end_wrong("--out takes NAME=FILE, not ", given);
	const struct lt_kernel_buffer *x = buffer_named(r, given, (size_t)(path - given));
	struct lt_tensor t;
	check(r, lt__tensor_new(r->ctx, path + 1, "", (enum lt_dtype)x->dtype, 1, &x->elems, &t));
	memcpy(t.data, r->slot[x->slot].base, t.bytes);
	check(r, lt__npy_write(r->ctx, path + 1, &t));
	lt__tensor_free(&t);
}

static bool has_prefix(const char *text, const char *prefix, const char **rest)
{
	*rest = text + strlen(prefix);
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void read_option(struct simulate_run *r, const char *text)
{
	static const char *const orders[] = { "random", "forward", "backward" };
	const char *rest;
	int i = 0;
	if (strcmp(text, "--counts") == 0) {
		r->counts = true;
	} else if (has_prefix(text, "--machine=", &rest)) {
		r->machine = lt__simulate_machine(rest);
		if (!r->machine)
			end_wrong("--machine takes a100, h100 or h200, not ", rest);
	} else if (has_prefix(text, "--text=", &rest)) {
		r->text = strcmp(rest, "cuda") == 0 ? &lt__text_cuda : strcmp(rest, "opencl") == 0 ? &lt__text_opencl : NULL;
		if (!r->text)
			end_wrong("--text takes cuda or opencl, not ", rest);
	} else if (has_prefix(text, "--blocks=", &rest)) {
		r->options.blocks = atoll(rest);
	} else if (has_prefix(text, "--seed=", &rest)) {
		r->options.seed = (uint64_t)atoll(rest);
	} else if (has_prefix(text, "--order=", &rest)) {
		while (i < 3 && strcmp(orders[i], rest) != 0)
			i++;
		if (i == 3)
			end_wrong("--order takes random, forward or backward, not ", rest);
		r->options.order = (enum lt_simulate_order)i;
	} else if (has_prefix(text, "--off=", &rest)) {
		while (i < LT_NSIMULATE && strcmp(lt__simulate_name((enum lt_simulate_check)i), rest) != 0)
			i++;
		if (i == LT_NSIMULATE)
			end_wrong("there is no check ", rest);
		r->options.off |= UINT64_C(1) << i;
	} else if (!has_prefix(text, "--out=", &rest) && (*text == '-' || !strchr(text, '='))) {
		end_wrong("there is no option ", text);
	}
}

static void write_out(void *user, const char *text, size_t bytes)
{
	(void)user;
	(void)fwrite(text, 1, bytes, stdout);
}

static lt_status run(struct simulate_run *r)
{
	const struct lt_kernel *k = r->kernel;
	struct lt_simulate_count c = { calloc(k->n_instruction + 1u, sizeof *c.runs), calloc(k->n_instruction + 1u,
		sizeof *c.lanes), calloc(k->n_instruction + 1u, sizeof *c.request) };
	struct lt_fault fault = { 0 };
	const struct lt_args args = { .size = sizeof args, .n_slot = k->n_slot, .slot = r->slot, .fault = &fault };
	if (!c.runs || !c.lanes || !c.request)
		end_wrong("out of memory", "");
	lt_status status = lt__simulate(k, &args, &r->options, &c, NULL, &diag);
	if (!status && fault.n)
		(void)fprintf(stderr, "simulate: statement %d: index %lld is out of range\n", (int)fault.stmt,
			(long long)fault.value);
	if (!status && r->counts)
		status = lt__simulate_print_counts(k, &c, write_out, NULL);
	if (!status && r->machine)
		status = lt__simulate_predict(k, &c, r->machine, write_out, NULL);
	free(c.runs);
	free(c.lanes);
	free(c.request);
	return status;
}

static lt_status say_launch(struct lt_text_launcher *to, const struct lt_text_launch *x)
{
	(void)to;
	printf("// launch: region %d, %lld x %lld x %lld blocks", (int)x->region, (long long)x->blocks[0],
		(long long)x->blocks[1], (long long)x->blocks[2]);
	for (int32_t i = 0; i < x->n_argument; i++)
		printf(", 0x%llx", (unsigned long long)x->argument[i]);
	printf("\n");
	return LT_OK;
}

static lt_status print_text(const struct simulate_run *r)
{
	struct lt_text_launcher launcher = { .launch = say_launch };
	struct lt_text_grids *grids;
	lt_status status = lt__text_grids(r->text, r->kernel, NULL, &grids, &diag);
	if (status)
		return status;
	printf("%s", grids->text);
	lt__text_grids_free(grids);
	return lt__text_launches(r->kernel, NULL, &launcher, &diag);
}

int main(int argc, char **argv)
{
	struct simulate_run r = { .options = { .seed = 1 } };
	struct lt_bytes text = { 0 };
	if (argc < 2)
		end_wrong("", "give the file of a kernel program (docs/kernel.md)");
	if (lt_context_new(&r.ctx))
		end_wrong("out of memory", "");
	check(&r, lt__bytes_read(r.ctx, argv[1], &text));
	if (lt_kernel_parse((const char *)text.at, text.n, &r.kernel, &diag))
		return 2;
	lt__bytes_free(&text);
	for (int i = 2; i < argc; i++)
		read_option(&r, argv[i]);
	if (r.text) {
		lt_status printed = print_text(&r);
		lt_kernel_free(r.kernel);
		lt_context_free(r.ctx);
		return printed ? 1 : 0;
	}
	r.slot = calloc(r.kernel->n_slot + 1u, sizeof *r.slot);
	if (!r.slot)
		end_wrong("out of memory", "");
	fill_slots(&r);
	for (int i = 2; i < argc; i++)
		if (*argv[i] != '-')
			read_tensor(&r, argv[i]);
	lt_status status = run(&r);
	for (int i = 2; i < argc && !status; i++)
		if (strncmp(argv[i], "--out=", 6) == 0)
			write_tensor(&r, argv[i] + 6);
	for (uint32_t s = 0; s < r.kernel->n_slot; s++)
		free(r.slot[s].base);
	free(r.slot);
	lt_kernel_free(r.kernel);
	lt_context_free(r.ctx);
	return status ? 1 : 0;
}
