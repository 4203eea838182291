/* lt-quantize.c -- makes a model of integers from one of floats and data: the order of things; each step is in a file
 * here. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "tools/quantize/quantize.h"

/* The model, its constants, and where these are by node. */
static lt_status read_model(struct quantizing *z)
{
	static char any[] = "*=zeros";
	static const char *const one[] = { any };
	const struct lt_texts input = { .at = (const char **)(uintptr_t)one, .n = 1, .cap = 1 }, none = { 0 };
	const struct model_options o = { .tool = quantize_tool.name, .script = z->o.model, .input = &input, .inputs = &none,
		.inputs_option = "--data", .constant = &z->o.constant, .weights = &z->o.weights, .dim = &z->o.dim, .fix = &z->o.fix,
		.fixed = true, .keep_text = z->o.compat != NULL, .quiet = z->o.quiet, .verbose = z->o.verbose };
	lt__phase(&z->phases, "reading the model");
	LT_TRY(model_parse(z->ctx, &o, &z->phases, &z->model));
	if (z->model.binding[LT_BINDING_RESULT].n == 0)
		return lt_fail(z->ctx, LT_EINVAL, "%s: the graph has no result: name one (result = $n; in a script)", z->o.model);
	if (z->model.binding[LT_BINDING_INPUT].n == 0)
		return lt_fail(z->ctx, LT_EINVAL, "%s: the graph has no input: there is nothing to quantise", z->o.model);
	LT_TRY(model_bind(z->ctx, &o, NULL, &z->model));
	z->source = calloc((size_t)z->model.graph->n_node + 1, sizeof *z->source);
	if (!z->source)
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	const struct model_bindings *b = &z->model.binding[LT_BINDING_CONSTANT];
	for (int32_t i = 0; i < b->n; i++) {
		const struct lt_tensor *t = z->model.given.constant.value[i];
		z->source[b->at[i].node] = t ? t->data : b->at[i].content;
	}
	return LT_OK;
}

/* What runs the candidates. */
static lt_status find_backends(struct quantizing *z)
{
	if (!z->o.backends || !lt__plugins_there(z->o.backends))
		LT_TRY(lt__plugins_find(z->ctx, quantize_tool.name));
	if (z->o.backends) {
		const size_t n = strcspn(z->o.backends, ":,");
		const struct lt_backend *b;
		LT_TRY(lt__backend_named(z->ctx, z->o.backends, n, &b));
		z->backends = strdup(z->o.backends);
		return z->backends ? LT_OK : lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	}
	const struct lt_host host = { .size = sizeof host, .temp_dir = lt__temp_dir() };
	const struct lt_backend *best = lt__backend_default(quantize_tool.name, &host);
	if (!best)
		return lt_fail(z->ctx, LT_EINVAL, "no backend works on this machine (lt-run --list-backends says why)");
	z->backends = malloc(strlen(best->name) + 8);
	if (!z->backends)
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	sprintf(z->backends, "%s%s", best->name, strcmp(best->name, "cpu") != 0 && lt_backend_find("cpu") ? ",cpu" : "");
	return LT_OK;
}

/* The folder of a path as the system knows it; false: there is none. */
static bool folder_of(const char *path, struct stat *out)
{
	const char *end = strrchr(path, '/');
	char *folder = end ? strndup(path, (size_t)(end - path) + 1) : strdup(".");
	const bool there = folder && !stat(folder, out);
	free(folder);
	return there;
}

/* Whether two files that are written, and need not be there yet, are one; what is no file, as /dev/null, is none. */
static bool same_output(const char *a, const char *b)
{
	struct stat x, y;
	const bool one = !stat(a, &x), other = !stat(b, &y);
	if ((one && !S_ISREG(x.st_mode)) || (other && !S_ISREG(y.st_mode)))
		return false;
	if (one && other && x.st_dev == y.st_dev && x.st_ino == y.st_ino)
		return true;
	const char *last = strrchr(a, '/'), *last_other = strrchr(b, '/');
	return !strcmp(last ? last + 1 : a, last_other ? last_other + 1 : b) && folder_of(a, &x) && folder_of(b, &y)
		&& x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static lt_status check_files(struct quantizing *z, const char *weights, const struct lt_tool_inputs *in)
{
	const char *const file[] = { z->o.output, weights, z->o.data_out, z->o.report, z->o.page };
	static const char *const what[] = { "the script (-o)", "its weights", "--data-out", "--report", "--page" };
	for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
		if (!file[i])
			continue;
		LT_TRY(lt__overwrite_check(z->ctx, file[i], in));
		for (size_t k = 0; k < i; k++)
			if (file[k] && same_output(file[k], file[i]))
				return lt_fail(z->ctx, LT_EINVAL, "%s would be written twice, for %s and for %s: give one of them another name",
					file[i], what[k], what[i]);
		LT_TRY(lt__out_check(z->ctx, file[i]));
	}
	return LT_OK;
}

static lt_status check_output(struct quantizing *z)
{
	const char **read = calloc(2 * (size_t)z->o.data.n + 2, sizeof *read);
	struct lt_texts data = { .at = read };
	char *weights = model_weights_path(z->o.output);
	lt_status s = read && weights ? LT_OK : lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	for (int32_t i = 0; i < z->o.data.n && !s; i++) {       /* FILE, or NAME=FILE */
		const char *equals = strchr(z->o.data.at[i], '=');
		read[data.n++] = z->o.data.at[i];
		if (equals)
			read[data.n++] = equals + 1;
	}
	if (z->o.labels && !s)
		read[data.n++] = z->o.labels;
	const struct lt_tool_inputs in = { .model = z->o.model, .read = &z->model.read, .weights = &z->o.weights,
		.inputs = &data, .constant = &z->o.constant, .fix = &z->o.fix };
	if (!s)
		s = check_files(z, weights, &in);
	free(read);
	free(weights);
	return s;
}

static void say_result(const struct quantizing *z)
{
	int32_t narrow = 0, all = 0, packed = 0;
	char other[80] = "", four[40] = "";
	for (int32_t c = 0; c < z->q->n_cell; c++) {
		all += z->q->cell[c].kind != LT_QUANT_WIDE;
		narrow += z->q->cell[c].kind != LT_QUANT_WIDE && z->best.format[c].bits <= 8;
		packed += lt__quant_is_packed(&z->q->cell[c], z->best.format[c]);
	}
	if (z->kept)
		snprintf(other, sizeof other, "; other constants stay as they are, %lld bytes", (long long)z->kept);
	if (packed)
		snprintf(four, sizeof four, "%d bits: %d, ", LT_QUANT_PACKED_BITS, packed);
	quantize_say_metric(z, z->best.score.metric);
	if (z->q->mode == LT_QUANT_STATIC)
		lt__say(stdout, "%s8 bits: %d of %d kept values and constants; constants %lld bytes, kept values alive "
			"at once %lld bytes\n", four, narrow - packed, all, (long long)z->best.flash, (long long)z->best.ram);
	else
		lt__say(stdout, "%d bits: %d of %d constants of products, which take %lld bytes%s\n",
			packed ? LT_QUANT_PACKED_BITS : 8, packed ? packed : narrow, all, (long long)z->best.flash, other);
	lt__say(stdout, "%lld candidate%s tried; %s of %lld of %lld evaluations are those of the evaluator of graphs\n",
		(long long)z->tried, z->tried == 1 ? "" : "s",
		z->q->mode == LT_QUANT_STATIC ? "the integers" : "up to rounding, the results",
		(long long)z->judged, (long long)z->part.samples);
}

static void say_line(void *user, const char *text)
{
	(void)user;
	lt__say(stdout, "%s\n", text);
}

static enum lt_quant_mode mode_of(const struct quantize_options *o)
{
	return !o->mode || !strcmp(o->mode, "static") ? LT_QUANT_STATIC : !strcmp(o->mode, "weights") ? LT_QUANT_WEIGHTS
		: LT_QUANT_DYNAMIC;
}

static lt_status quantize_work(struct quantizing *z)
{
	struct lt_graph *g;
	LT_TRY(find_backends(z));
	LT_TRY(read_model(z));
	LT_TRY(check_output(z));
	if (z->o.target) {
		lt__phase(&z->phases, "trying lt-build");
		LT_TRY(quantize_target_check(z));
	}
	if (z->o.compat) {
		LT_TRY(quantize_data_read(z));
		lt__interrupt_catch(0);
		z->caught = true;
		return quantize_compat(z);
	}
	lt__phase(&z->phases, "planning");
	LT_TRY(lt__quant_plan(z->model.graph, z->source, mode_of(&z->o), z->o.scales && !strcmp(z->o.scales, "any"),
		&z->q));
	LT_TRY(lt__quant_find_pairs(z->q));
	LT_TRY(z->o.per_channel ? lt__quant_find_channels(z->q) : LT_OK);
	lt__phase(&z->phases, "reading data");
	LT_TRY(quantize_data_read(z));
	lt__interrupt_catch(0);
	z->caught = true;
	lt__phase(&z->phases, "finding ranges");
	LT_TRY(quantize_ranges(z));
	lt__phase(&z->phases, "compiling");
	LT_TRY(z->q->mode == LT_QUANT_STATIC ? lt__quant_search(z->q, z->chunk, &g)
		: lt__quant_floats(z->q, z->chunk, NULL, NULL, &g));
	LT_TRY(quantize_program_make(z, g, &z->search));
	LT_TRY(quantize_choose(z));
	if (lt__interrupted(NULL) && !z->o.quiet)
		lt__say(stderr, "lt-quantize: interrupted: the best of %lld candidate%s is written\n", (long long)z->tried,
			z->tried == 1 ? "" : "s");
	lt__interrupt_hold(true);
	LT_TRY(quantize_held(z));
	LT_TRY(quantize_write(z));
	lt__phase(&z->phases, NULL);
	if (!z->o.quiet) {
		say_result(z);
		if (z->need)
			quantize_target_print(z, say_line, NULL);
	}
	return LT_OK;
}

static void quantize_release(struct quantizing *z)
{
	quantize_program_free(&z->search);
	for (int32_t c = 0; z->seen && c < z->q->n_cell; c++)
		free(z->seen[c].at);
	free(z->seen);
	free(z->found);
	free(z->part.expected);
	free(z->held.expected);
	free(z->best.format);
	free(z->history);
	json_decref(z->need);
	quantize_data_free(z);
	lt__quant_free(z->q);
	free(z->source);
	free(z->backends);
	model_free(&z->model);
	quantize_options_free(&z->o);
	lt_context_free(z->ctx);
	lt__interrupt_hold(false);
	if (z->caught)
		lt__interrupt_release();
}

int main(int argc, char **argv)
{
	static struct quantizing z;
	bool done = false;
	lt__interrupt_begin();
	if (lt_context_new(&z.ctx)) {
		fputs("lt-quantize: out of memory\n", stderr);
		return LT_EXIT_FAILED;
	}
	lt_status s = quantize_options_read(z.ctx, argc, argv, &z.o, &done);
	if (!s && !done) {
		lt__phases_begin(&z.phases, !z.o.quiet);
		s = quantize_work(&z);
		lt__phases_end(&z.phases);
	}
	const int code = lt__tool_end(z.ctx, &quantize_tool, s);
	quantize_release(&z);
	return code;
}
