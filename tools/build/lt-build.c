/* lt-build.c -- builds a binary of its own from a model: the order of things; each step is in a file here. */
#include <stdlib.h>
#include <string.h>
#include "backends/cpu/cpu.h"
#include "tools/build/build.h"
#include "tools/common/common.h"

/* A scalar that was drawn as 0 and is an extent: nothing would be compared, so it is the largest. */
static void fill_extents(const struct model *m)
{
	const struct model_bindings *inputs = &m->binding[LT_BINDING_INPUT];

	for (int32_t e = 0; e < m->given.n_input; e++)
		for (int32_t i = 0; i < inputs->n; i++)
			for (int32_t d = 0; d < inputs->at[i].rank; d++) {
				const int32_t from = inputs->at[i].extent_from[d];
				const struct lt_tensor *t = from < 0 ? NULL : m->given.input[e].value[from];

				if (t && t->drawn && t->dtype == LT_I64 && *(const int64_t *)t->data == 0)
					*(int64_t *)t->data = inputs->at[i].shape[d];
			}
}

/* The model, what it asks for, and what it is given. */
static lt_status read_model(struct building *b)
{
	static char any[] = "*=random";

	struct model_options o = { .tool = build_tool.name, .script = b->o.model, .input = &b->o.input, .inputs = &b->o.inputs,
		.inputs_option = "--verify-inputs",
		.constant = &b->o.constant, .weights = &b->o.weights, .dim = &b->o.dim, .fix = &b->o.fix, .kernels = b->o.kernels,
		.quiet = b->o.quiet, .verbose = b->o.verbose };

	LT_TRY(model_parse(b->ctx, &o, &b->phases, &b->model));
	if (b->model.binding[LT_BINDING_RESULT].n == 0)
		return lt_fail(b->ctx, LT_EINVAL, "%s: the graph has no result: name one (result = $n; in a script)",
			!strcmp(b->o.model, "-") ? "standard input" : b->o.model);
	LT_TRY(b->target.module ? build_module_check(b) : LT_OK);
	if (b->o.inputs.n == 0) {
		bool given = false;

		for (int32_t i = 0; i < b->o.input.n; i++)
			given = given || !strncmp(b->o.input.at[i], "*=", 2);
		if (!given)
			LT_TRY(lt__texts_add(b->ctx, &b->o.input, any));
	}
	lt__phase(&b->phases, "reading tensors");
	LT_TRY(model_bind(b->ctx, &o, NULL, &b->model));
	fill_extents(&b->model);
	model_fit(&b->model);
	return b->o.schedule ? lt__mistake(lt__bytes_read(b->ctx, b->o.schedule, &b->schedule)) : LT_OK;
}

/* Where nobody else can replace what is built, unless it is kept. */
static lt_status open_folder(struct building *b)
{
	struct lt_heard heard = lt__heard();
	lt_status st = lt__cpu_folder(b->program->backends.at[0].session, &b->folder, &heard.diag);

	if (st)
		return lt_fail(b->ctx, st, "%s", lt__heard_reason(&heard));
	build_watch_begin(&b->watch, &b->folder);
	snprintf(b->place, sizeof b->place, "%s", b->folder.path);
	return b->o.keep ? build_keep_begin(b) : LT_OK;
}

static lt_status build_work(struct building *b)
{
	b->board = lt__board_find(b->o.target);
	b->o.target = b->board ? b->board->model : b->o.target;
	LT_TRY(build_target_check(b));
	LT_TRY(build_names(b));
	LT_TRY(build_output_check(b));
	LT_TRY(build_target_find(b));
	LT_TRY(read_model(b));
	LT_TRY(b->o.report ? build_report_check(b) : LT_OK);
	LT_TRY(build_output_check(b));          /* once more: the model's weights may be in files of their own */
	lt__phase(&b->phases, "making loops");
	LT_TRY(build_program(b));
	/* A signal ends the process when the folder is removed again. */
	lt__interrupt_catch(LT_INTERRUPT_MS);
	b->caught = true;
	LT_TRY(open_folder(b));
	lt__phase(&b->phases, "preparing constants");
	LT_TRY(build_texts(b));
	lt__phase(&b->phases, "compiling");
	LT_TRY(b->target.micro ? build_micro_check(b) : LT_OK);
	LT_TRY(build_compile(b));
	LT_TRY(b->target.module ? build_module_pack(b) : LT_OK);
	LT_TRY(b->target.bare && (b->target.micro || !b->o.no_verify) ? build_micro_size(b) : LT_OK);
	lt__phase(&b->phases, NULL);
	LT_TRY(build_verify(b));
	LT_TRY(b->board && !b->sketched ? build_sketch_write(b, NULL, NULL) : LT_OK);
	LT_TRY(b->o.report ? build_report_write(b) : LT_OK);
	LT_TRY(build_output_write(b));
	build_output_say(b);
	if (b->verdict)
		lt__say(stderr, "lt-build: %s is written, though it is not verified\n", b->o.output);
	return LT_OK;
}

static void build_release(struct building *b)
{
	build_watch_end(&b->watch);
	if (b->commands)
		fclose(b->commands);
	lt__export_free(b->export);
	if (b->folder.path[0])
		lt__folder_remove(&b->folder);
	if (b->caught)
		lt__interrupt_release();
	model_explain_free(&b->model);
	lt_program_free(b->program);
	model_free(&b->model);
	lt__bytes_free(&b->schedule);
	free(b->micro.refused);
	build_options_free(&b->o);
	lt_context_free(b->ctx);
}

int main(int argc, char **argv)
{
	static struct building b;
	bool done = false;
	lt_status s;
	int code;

	if (lt_context_new(&b.ctx)) {
		fputs("lt-build: out of memory\n", stderr);
		return LT_EXIT_FAILED;
	}
	lt_context_cancel(b.ctx, lt__interrupted, NULL);
	s = build_options_read(b.ctx, argc, argv, &b.o, &done);
	if (!s && !done) {
		lt__phases_begin(&b.phases, !b.o.quiet);
		s = build_work(&b);
		if (s && b.micro.refused && b.o.report)
			s = build_report_write(&b) ? lt_context_code(b.ctx) : lt_fail(b.ctx, s, "%s", b.micro.refused);
		lt__phases_end(&b.phases);
	}
	code = lt__tool_end(b.ctx, &build_tool, s);
	if (!s && b.verdict)
		code = (int)b.verdict;
	build_release(&b);
	return code;
}
