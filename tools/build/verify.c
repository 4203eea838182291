/* verify.c -- what was built is run, in a process of its own, and what it wrote is judged by the reference
 * evaluator (lt/verify.h), as lt-run --verify judges results and states.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lt/verify.h"
#include "program/host/host.h"
#include "tools/build/build.h"
#include "tools/common/common.h"

struct verify {
	struct building *b;
	struct lt_verifier *verifier;
	const void **input;             /* of a run */
	void **state, **result;         /* by binding: what the run begins with; what it wrote, at the largest extents */
	struct progress_line line;
};

static const char *file_name(const struct building *b, const char *kind, int32_t i, char *out, size_t bytes)
{
	snprintf(out, bytes, "%s/%s%d.npy", b->place, kind, (int)i);
	return out;
}

/* Where element i of a tensor that is dense at a run's extents lies at the largest ones. */
static size_t spread_index(const struct model_binding *p, const int64_t *extent, int64_t i)
{
	int64_t at = 0, stride = 1;

	for (int32_t d = p->rank - 1; d >= 0; d--) {
		at += i % extent[d] * stride;
		i /= extent[d];
		stride *= p->shape[d];
	}
	return (size_t)at;
}

/* The part within the run's extents.  bfloat16 has no name in NumPy: its bits go as integers of 16 bits. */
static lt_status write_file(struct verify *v, const char *path, enum lt_binding kind, int32_t number, const void *data)
{
	struct building *b = v->b;
	const struct model_binding *p = &b->model.binding[kind].at[number];
	const size_t unit = lt__dtype_info(p->dtype)->bytes;
	struct lt_tensor t = { .name = (char *)(uintptr_t)"", .dtype = p->dtype == LT_BF16 ? LT_I16 : p->dtype, .rank =
		p->rank, .shape = malloc((size_t)p->rank * sizeof *t.shape + 1), .data = malloc(model_binding_bytes(p) + 1) };
	int64_t n = 1;
	lt_status st = t.shape && t.data ? LT_OK : lt_fail(b->ctx, LT_ENOMEM, "out of memory");

	for (int32_t d = 0; d < p->rank && !st; d++) {
		t.shape[d] = lt_verifier_extent(v->verifier, kind, number, d);
		n *= t.shape[d];
	}
	t.bytes = (size_t)n * unit;
	for (int64_t i = 0; i < n && !st; i++)
		memcpy((char *)t.data + (size_t)i * unit, (const char *)data + spread_index(p, t.shape, i) * unit, unit);
	st = st ? st : lt__npy_write(b->ctx, path, &t);
	free(t.shape);
	free(t.data);
	return st;
}

/* The bits of what the program calls V2. */
static void rename_type(struct lt_bytes *file)
{
	for (size_t i = 10; i + 2 < file->n && i < 128; i++)
		if (!memcmp(file->at + i, "<V2", 3)) {
			((unsigned char *)(uintptr_t)file->at)[i + 1] = 'i';
			return;
		}
}

/* A file of the extents of a run, as rows at the largest ones; the rest stays as it is. */
static lt_status read_file(struct verify *v, const char *path, enum lt_binding kind, int32_t number, void *out)
{
	struct lt_context *ctx = v->b->ctx;
	const struct model_binding *p = &v->b->model.binding[kind].at[number];
	const size_t unit = lt__dtype_info(p->dtype)->bytes;
	struct lt_bytes file;
	struct lt_tensor t;
	int64_t n = 1;

	LT_TRY(lt__bytes_read(ctx, path, &file));
	if (p->dtype == LT_BF16)
		rename_type(&file);
	lt_status st = lt__npy_parse(ctx, path, "", file.at, file.n, &t);
	lt__bytes_free(&file);
	if (st)
		return st;
	bool fits = t.rank == p->rank && (t.dtype == p->dtype || (p->dtype == LT_BF16 && t.dtype == LT_I16));
	for (int32_t d = 0; d < p->rank && fits; d++) {
		fits = t.shape[d] == lt_verifier_extent(v->verifier, kind, number, d);
		n *= t.shape[d];
	}
	for (int64_t i = 0; i < n && fits; i++)
		memcpy((char *)out + spread_index(p, t.shape, i) * unit, (const char *)t.data + (size_t)i * unit, unit);
	lt__tensor_free(&t);
	return fits ? LT_OK : lt_fail(ctx, LT_EDEVICE, "the binary is wrong: '%s' does not have the type and extents of the "
		"reference", p->name);
}

/* NAME=FILE, of any length. */
static void named_word(struct build_command *c, const char *name, const char *path)
{
	char *word = malloc(strlen(name) + strlen(path) + 2);

	c->no_memory = c->no_memory || !word;
	if (word)
		sprintf(word, "%s=%s", name, path);
	build_command_word(c, word ? word : "");
	free(word);
}

/* Files that the process reads, and those that it is to write.  runs: calls of the function, one after the other. */
static lt_status binary_files(struct verify *v, const struct model_values *input, const char *runs,
	struct build_command *c)
{
	struct building *b = v->b;
	char path[BUILD_PATH];

	build_command_words(c, b->target.emulator);
	build_command_word(c, b->binary);
	if (b->target.module)
		build_module_run(b, c);
	if (runs) {
		build_command_word(c, "--runs");
		build_command_word(c, runs);
	}
	for (int32_t i = 0; i < b->model.binding[LT_BINDING_INPUT].n; i++) {
		/* A scalar that only says extents may have no value here: a file says it. */
		if (!b->export->member[LT_BINDING_INPUT][i].name || !input->value[i])
			continue;
		LT_TRY(write_file(v, file_name(b, "input", i, path, sizeof path), LT_BINDING_INPUT, i, input->value[i]->data));
		if (b->export->member[LT_BINDING_INPUT][i].implied)
			named_word(c, b->model.binding[LT_BINDING_INPUT].at[i].name, path);
		else
			build_command_word(c, path);
	}
	for (int32_t i = 0; i < b->model.binding[LT_BINDING_RESULT].n; i++) {
		(void)unlink(file_name(b, "result", i, path, sizeof path));     /* of a run before */
		build_command_word(c, path);
	}
	for (int32_t i = 0; i < b->model.binding[LT_BINDING_STATE].n; i++) {
		const struct model_binding *p = &b->model.binding[LT_BINDING_STATE].at[i];

		if (!lt_program_needs(b->program, LT_BINDING_STATE, i))
			continue;
		LT_TRY(write_file(v, file_name(b, "state", i, path, sizeof path), LT_BINDING_STATE, i, v->state[i]));
		named_word(c, p->name, path);
	}
	return LT_OK;
}

/* One process: inputs and states in, results and states out. */
static lt_status run_binary(struct verify *v, const struct model_values *input, const char *runs)
{
	struct build_command c = { .on = "what was built" };
	struct building *b = v->b;
	char said[4096];
	int status = 0;
	lt_status st = binary_files(v, input, runs, &c);

	if (!st)
		st = build_execute(b, &c, (uint32_t)(b->o.verify_seconds * 1000), &status, said, sizeof said);
	build_command_free(&c);
	LT_TRY(st);
	char path[BUILD_PATH];
	if (status == 0 && b->model.binding[LT_BINDING_RESULT].n && access(file_name(b, "result", 0, path, sizeof path), F_OK))
		return lt_fail(b->ctx, LT_EDEVICE, "the binary is wrong: it ended without an error, and wrote no results%s",
			b->o.kernels ? "; a kernel of one's own that calls exit does that (lt-check --kernels says which)" : "");
	return status == 0 ? LT_OK : lt_fail(b->ctx, LT_EDEVICE, "the binary is wrong: it ended with exit code %d%s%-s%s",
		status, said[0] ? ", and said: " : "", said, (status > 128 || !said[0]) && b->o.kernels
		? "; lt-check --kernels finds what a kernel of one's own does wrong" : "");
}

static lt_status judge_all(struct verify *v)
{
	struct building *b = v->b;
	const struct model_bindings *results = &b->model.binding[LT_BINDING_RESULT],
		*states = &b->model.binding[LT_BINDING_STATE];
	char path[BUILD_PATH];

	for (int32_t i = 0; i < results->n; i++) {
		memset(v->result[i], 0xff, model_binding_bytes(&results->at[i]));
		LT_TRY(read_file(v, file_name(b, "result", i, path, sizeof path), LT_BINDING_RESULT, i, v->result[i]));
		LT_TRY(lt_verifier_result(v->verifier, i, v->result[i]));
	}
	for (int32_t i = 0; i < states->n; i++) {
		if (!lt_program_needs(b->program, LT_BINDING_STATE, i))
			continue;
		LT_TRY(read_file(v, file_name(b, "state", i, path, sizeof path), LT_BINDING_STATE, i, v->state[i]));
		LT_TRY(lt_verifier_state(v->verifier, i, v->state[i]));
	}
	return LT_OK;
}

/* What a bare function wrote is there already. */
static lt_status judge_bare(struct verify *v)
{
	const struct building *b = v->b;

	for (int32_t i = 0; i < b->model.binding[LT_BINDING_RESULT].n; i++)
		LT_TRY(lt_verifier_result(v->verifier, i, v->result[i]));
	for (int32_t i = 0; i < b->model.binding[LT_BINDING_STATE].n; i++)
		if (lt_program_needs(b->program, LT_BINDING_STATE, i))
			LT_TRY(lt_verifier_state(v->verifier, i, v->state[i]));
	return LT_OK;
}

/* A kernel of one's own that keeps something gives other bits when it is called again.  Of a program with states, a
 * call begins with what the one before has left. */
static lt_status run_again(struct verify *v, const struct model_values *input)
{
	struct building *b = v->b;
	const struct model_bindings *results = &b->model.binding[LT_BINDING_RESULT];
	char path[BUILD_PATH];

	if (!b->o.kernels || b->target.bare || b->model.binding[LT_BINDING_STATE].n)
		return LT_OK;
	LT_TRY(run_binary(v, input, "2"));
	for (int32_t i = 0; i < results->n; i++) {
		const size_t bytes = model_binding_bytes(&results->at[i]);
		void *again = malloc(bytes + 1);
		if (!again)
			return lt_fail(b->ctx, LT_ENOMEM, "out of memory");
		memset(again, 0xff, bytes);
		lt_status st = read_file(v, file_name(b, "result", i, path, sizeof path), LT_BINDING_RESULT, i, again);
		if (!st && memcmp(again, v->result[i], bytes) != 0)
			st = lt_fail(b->ctx, LT_EDEVICE, "the binary is wrong, and is not written: '%s' has other bits when it is called "
				"again; a kernel of one's own keeps nothing from one call to the next (lt-check --kernels says which does)",
				results->at[i].name);
		free(again);
		LT_TRY(st);
	}
	return LT_OK;
}

static lt_status verify_run(struct verify *v, int32_t number)
{
	struct building *b = v->b;
	const struct model_values *input = &b->model.given.input[number];
	const struct model_bindings *inputs = &b->model.binding[LT_BINDING_INPUT];
	lt_status st;

	if (b->model.given.n_input > 1)
		snprintf(v->line.when, sizeof v->line.when, " of run %d", (int)number);
	lt_verifier_name(v->verifier, v->line.when);
	for (int32_t i = 0; i < inputs->n; i++)
		v->input[i] = input->value[i] ? input->value[i]->data : NULL;
	v->line.begin_ns = lt__now_ns();
	st = lt_verifier_evaluate(v->verifier, v->input);
	if (st)
		lt__progress_end(&v->line);
	if (st && !lt__is_end(st))
		return lt_fail(b->ctx, LT_EINVAL, "nothing was verified, and nothing is written: the reference refuses these "
			"inputs: %s; give others with --verify-input or --verify-inputs", lt_context_message(b->ctx));
	if (b->target.bare) {
		st = st ? st : build_micro_run(b, v->input, v->state, v->result);
		st = st ? st : judge_bare(v);
	} else {
		st = st ? st : run_binary(v, input, NULL);
		st = st ? st : judge_all(v);
	}
	if (!st && lt_verifier_report(v->verifier)->verdict != LT_VERDICT_FAILED)
		st = run_again(v, input);
	lt__progress_end(&v->line);
	return st;
}

static lt_status verify_begin(struct verify *v)
{
	const struct building *b = v->b;
	const struct model_bindings *constants = &b->model.binding[LT_BINDING_CONSTANT],
		*states = &b->model.binding[LT_BINDING_STATE],
		*results = &b->model.binding[LT_BINDING_RESULT];
	const struct lt_verify_options options = { .size = sizeof options, .allow_open = b->o.allow_unbounded,
		.progress = !b->o.quiet ? lt__progress_show : NULL, .user = &v->line };
	const void **constant = calloc((size_t)constants->n + 1, sizeof *constant);
	bool all;

	v->state = calloc((size_t)states->n + 1, sizeof *v->state);
	v->result = calloc((size_t)results->n + 1, sizeof *v->result);
	v->input = calloc((size_t)b->model.binding[LT_BINDING_INPUT].n + 1, sizeof *v->input);
	all = constant && v->state && v->result && v->input;
	for (int32_t i = 0; i < states->n && all; i++)
		all = (v->state[i] = calloc(1, model_binding_bytes(&states->at[i]) + 1)) != NULL;
	for (int32_t i = 0; i < results->n && all; i++)
		all = (v->result[i] = malloc(model_binding_bytes(&results->at[i]) + 1)) != NULL;
	for (int32_t i = 0; i < constants->n && all; i++)
		constant[i] = b->model.given.constant.value[i] ? b->model.given.constant.value[i]->data : NULL;
	lt_status st = all ? lt_verifier_new(b->model.graph, NULL, constant, &options, &v->verifier)
		: lt_fail(b->ctx, LT_ENOMEM, "out of memory");
	free(constant);
	return st;
}

static void verify_free(struct verify *v)
{
	const struct building *b = v->b;

	for (int32_t i = 0; v->state && i < b->model.binding[LT_BINDING_STATE].n; i++)
		free(v->state[i]);
	for (int32_t i = 0; v->result && i < b->model.binding[LT_BINDING_RESULT].n; i++)
		free(v->result[i]);
	free(v->state);
	free(v->result);
	free(v->input);
	lt_verifier_free(v->verifier);
}

static lt_status verify_end(struct verify *v)
{
	const struct lt_verified *f = lt_verifier_report(v->verifier);
	struct lt_context *ctx = v->b->ctx;

	if (f->verdict == LT_VERDICT_FAILED)
		return lt_fail(ctx, LT_EDEVICE, "the binary is wrong, and is not written: %s", f->first);
	if (!v->b->o.quiet)
		lt__say(stdout, "verified: %lld element%s compared, %lld equal; largest absolute error %.3g, relative %.3g%s\n",
			(long long)f->elements, lt__plural(f->elements), (long long)f->equal, f->absolute, f->relative,
			*v->b->target.emulator ? lt__scratch(ctx, " (by %.*s)", (int)strcspn(v->b->target.emulator, " "),
			v->b->target.emulator) : "");
	if (v->b->target.bare)
		build_micro_say(v->b);
	if (f->verdict == LT_VERDICT_PASSED)
		return LT_OK;
	v->b->verdict = LT_EXIT_OPEN;
	lt__say(stderr, "lt-build: not verified: %lld of %lld elements differ from the reference where rounding may explain "
		"any "
		"value, such as %s; with --allow-unbounded they pass\n", (long long)f->open, (long long)f->elements, f->open_at);
	return LT_OK;
}

lt_status build_verify(struct building *b)
{
	struct verify v = { .b = b };
	lt_status st;

	if (b->target.micro && (b->o.no_verify || !*b->target.emulator))
		build_micro_say(b);
	if (b->o.no_verify)
		return LT_OK;
	if (!b->target.native && !*b->target.emulator) {
		lt__say(stderr, "lt-build: nothing was verified: no program of the target %s%s%s runs here; name an emulator with "
			"--emulator, or give --no-verify\n", b->target.model, *b->target.triple ? " for " : "", b->target.triple);
		b->verdict = LT_EXIT_OPEN;
		return LT_OK;
	}
	st = verify_begin(&v);
	for (int32_t i = 0; i < b->model.given.n_input && !st; i++)
		st = verify_run(&v, i);
	if (!st)
		st = verify_end(&v);
	verify_free(&v);
	return st;
}
