/* models.c -- models [N [SEED]]: models of ONNX whose attributes, and constants that decide shapes, are at the limits
 * of their types.  None ends the process, and none is left without an answer.
 *
 * Models begin as those of cases.npz, layers.npz, types.npz and dims.npz.  One to four things of each are changed: a
 * number of an attribute or a constant, a list's length, an extent of an input; an attribute is added, an input made a
 * constant, an operator exchanged for another one of ops.def, or the operators' version.  What is still a model is
 * compiled by `ref`, and run where it is small.
 *
 * Prints TAP.  A process does TOGETHER of them; a model that ends it by a signal, or is at work for 60 seconds, is kept
 * as models-SEED.onnx.  `models 1 SEED` repeats one.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/arena.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "frontends/onnx/onnx.pb-c.h"
#include "ir/graph/graph.h"
#include "lt/lt.h"
#include "tools/tensor/tensor.h"

enum { TOGETHER = 500, SECONDS = 60, MAX_MODELS = 800, MAX_FAILED = 20, SMALL = 20000 };
#define COUNT(a) (sizeof (a) / sizeof *(a))

static const int64_t limits[] = { INT64_MIN, INT64_MIN + 1, -(INT64_C(1) << 40), INT32_MIN, -2, -1, 0, 1, 2, 3, 4, 7,
	1 << 22, INT32_MAX, INT64_C(1) << 31, INT64_C(1) << 40, INT64_C(1) << 62, INT64_MAX };
static const float float_limits[] = { (float)NAN, (float)INFINITY, -(float)INFINITY, 0, -0.f, 1, -1, 0.5f, 2, 3e38f,
	-3e38f, 1e-45f, 9.3e18f, -9.3e18f };
static const struct { const char *domain, *name; } operators[] = {       /* of ops.def */
#define ONNX_OP(domain, name, since, groups, build, arg) { domain, name },
#include "frontends/onnx/ops.def"
};
/* Attributes that builders ask for, by the kind that they have in the standard. */
static const char *const int_names[] = { "align_corners", "allowzero", "antialias", "axis", "batch_axis", "batch_dims",
	"block_size", "blocksize", "ceil_mode", "count_include_pad", "detect_negative", "detect_positive", "dtype", "end",
	"exclude_outside", "exclusive", "fmod", "group", "hidden_size", "ignore_index", "input_forget", "interleaved",
	"inverse", "is_causal", "is_test", "k", "keepdims", "kv_num_heads", "largest", "layout", "left_window_size",
	"linear_before_reset", "noop_with_empty_axes", "num_groups", "num_heads", "num_outputs", "num_scan_inputs",
	"offset_group", "onesided", "output_datatype", "output_dtype", "output_height", "output_width", "p", "periodic",
	"precision", "q_num_heads", "qk_matmul_output_mode", "reverse", "right_window_size", "rotary_embedding_dim",
	"sampling_ratio", "saturate", "select_last_index", "size", "softmax_precision", "spatial", "start", "stash_type",
	"storage_order", "time_axis", "to", "training_mode", "transA", "transB", "upper", "value_int" };
static const char *const list_names[] = { "axes", "dilations", "ends", "kernel_shape", "output_padding", "output_shape",
	"pads", "paddings", "perm", "scan_input_axes", "scan_input_directions", "scan_output_axes", "shape", "split", "starts",
	"strides", "value_ints" };
static const char *const float_names[] = { "alpha", "beta", "bias", "clip", "cubic_coeff_a", "epsilon",
	"extrapolation_value", "gamma", "max", "min", "momentum", "scale", "softcap", "spatial_scale", "threshold", "value",
	"value_float" };

/* dim: what it says of its symbolic dimensions, as the option does */
static struct { const struct lt_tensor *t; char dims[200]; const char *dim[8]; uint32_t n_dim; } model[MAX_MODELS];
static int n_model;

static int64_t pick(uint64_t *r, size_t n) { return random_between(r, 0, (int64_t)n - 1); }
static int64_t limit(uint64_t *r) { return limits[pick(r, COUNT(limits))]; }
static float float_limit(uint64_t *r) { return float_limits[pick(r, COUNT(float_limits))]; }

/* -- what is changed; all memory is malloc's, since the unpacked model frees it -- */

static void *grown(void *at, size_t n, size_t bytes)
{
	void *out = realloc(at, (n + 1) * bytes);
	must(out != NULL, "out of memory");
	return out;
}

/* A number of a small tensor. */
static void change_tensor(uint64_t *r, Onnx__TensorProto *t)
{
	static const struct { int32_t type; size_t bytes; } raw[] = { { 1, 4 }, { 6, 4 }, { 7, 8 }, { 11, 8 }, { 9, 1 },
		{ 3, 1 }, { 2, 1 } };
	if (t->n_int64_data)
		t->int64_data[pick(r, t->n_int64_data)] = limit(r);
	if (t->n_int32_data)
		t->int32_data[pick(r, t->n_int32_data)] = (int32_t)limit(r);
	if (t->n_float_data)
		t->float_data[pick(r, t->n_float_data)] = float_limit(r);
	for (size_t k = 0; t->has_raw_data && k < COUNT(raw); k++) {
		const size_t n = t->raw_data.len / raw[k].bytes;
		const int64_t whole = limit(r);
		const float real = float_limit(r);
		const double wide = (double)real;
		const void *from = t->data_type == 1 ? (const void *)&real : t->data_type == 11 ? (const void *)&wide : &whole;
		if (t->data_type == raw[k].type && n)
			memcpy(t->raw_data.data + raw[k].bytes * (size_t)pick(r, n), from, raw[k].bytes);
	}
	if (t->n_dims && random_chance(r, 10))
		t->dims[pick(r, t->n_dims)] = limit(r);
}

static void change_attribute(uint64_t *r, Onnx__AttributeProto *a)
{
	if (a->has_i)
		a->i = limit(r);
	if (a->has_f)
		a->f = float_limit(r);
	if (a->t)
		change_tensor(r, a->t);
	if (a->n_floats)
		a->floats[pick(r, a->n_floats)] = float_limit(r);
	if (a->n_ints && random_chance(r, 80))
		a->ints[pick(r, a->n_ints)] = limit(r);
	else if (a->n_ints && random_chance(r, 50))
		a->n_ints--;
	else if (a->type == 7) {
		a->ints = grown(a->ints, a->n_ints, sizeof *a->ints);
		a->ints[a->n_ints++] = limit(r);
	}
}

static void add_attribute(uint64_t *r, Onnx__NodeProto *n)
{
	Onnx__AttributeProto *a = grown(NULL, 0, sizeof *a);
	const int64_t kind = random_between(r, 0, 9), length = random_between(r, 0, 5);
	onnx__attribute_proto__init(a);
	a->has_type = 1;
	if (kind < 5) {
		a->name = strdup(int_names[pick(r, COUNT(int_names))]);
		a->type = 2;
		a->has_i = 1;
		a->i = limit(r);
	} else if (kind < 8) {
		a->name = strdup(list_names[pick(r, COUNT(list_names))]);
		a->type = 7;
		for (; (int64_t)a->n_ints < length; a->n_ints++) {
			a->ints = grown(a->ints, a->n_ints, sizeof *a->ints);
			a->ints[a->n_ints] = random_chance(r, 50) ? limit(r) : random_between(r, 0, 3);
		}
	} else {
		a->name = strdup(float_names[pick(r, COUNT(float_names))]);
		a->type = 1;
		a->has_f = 1;
		a->f = float_limit(r);
	}
	n->attribute = grown(n->attribute, n->n_attribute, sizeof *n->attribute);
	n->attribute[n->n_attribute++] = a;
}

/* An input becomes a constant: a list of numbers that decide shapes, or one of them. */
static void fix_input(uint64_t *r, Onnx__GraphProto *g)
{
	const size_t i = (size_t)pick(r, g->n_input);
	Onnx__ValueInfoProto *in = g->input[i];
	Onnx__TensorProto *t = grown(NULL, 0, sizeof *t);
	const int64_t n = random_between(r, 1, 5);
	onnx__tensor_proto__init(t);
	t->name = strdup(in->name ? in->name : "");
	t->has_data_type = 1;
	t->data_type = in->type && in->type->tensor_type && in->type->tensor_type->elem_type == 1 ? 1 : 7;
	if (random_chance(r, 70)) {
		t->dims = grown(NULL, 0, sizeof *t->dims);
		t->dims[t->n_dims++] = n;
	}
	for (int64_t k = 0; k < (t->n_dims ? n : 1); k++)
		if (t->data_type == 1) {
			t->float_data = grown(t->float_data, t->n_float_data, sizeof *t->float_data);
			t->float_data[t->n_float_data++] = float_limit(r);
		} else {
			t->int64_data = grown(t->int64_data, t->n_int64_data, sizeof *t->int64_data);
			t->int64_data[t->n_int64_data++] = random_chance(r, 50) ? limit(r) : random_between(r, 0, 5);
		}
	g->initializer = grown(g->initializer, g->n_initializer, sizeof *g->initializer);
	g->initializer[g->n_initializer++] = t;
	onnx__value_info_proto__free_unpacked(in, NULL);
	memmove(g->input + i, g->input + i + 1, (g->n_input - i - 1) * sizeof *g->input);
	g->n_input--;
}

static void change_extent(uint64_t *r, Onnx__ValueInfoProto *in)
{
	Onnx__TensorShapeProto *s = in->type && in->type->tensor_type ? in->type->tensor_type->shape : NULL;
	if (!s || !s->n_dim)
		return;
	Onnx__TensorShapeProto__Dimension *d = s->dim[pick(r, s->n_dim)];
	d->has_dim_value = 1;
	d->dim_value = random_chance(r, 50) ? limit(r) : random_between(r, 1, 9);
}

/* Another operator takes the node's inputs; the model imports its domain. */
static void change_operator(uint64_t *r, Onnx__ModelProto *m, Onnx__NodeProto *n)
{
	const int64_t k = pick(r, COUNT(operators));
	bool imported = !*operators[k].domain;
	free(n->op_type);
	free(n->domain);
	n->op_type = strdup(operators[k].name);
	n->domain = strdup(operators[k].domain);
	for (size_t i = 0; i < m->n_opset_import; i++)
		imported = imported || (m->opset_import[i]->domain && !strcmp(m->opset_import[i]->domain, n->domain));
	if (imported)
		return;
	Onnx__OperatorSetIdProto *set = grown(NULL, 0, sizeof *set);
	onnx__operator_set_id_proto__init(set);
	set->domain = strdup(n->domain);
	set->has_version = 1;
	set->version = 1;
	m->opset_import = grown(m->opset_import, m->n_opset_import, sizeof *m->opset_import);
	m->opset_import[m->n_opset_import++] = set;
}

static void change_model(uint64_t *r, Onnx__ModelProto *m)
{
	Onnx__GraphProto *g = m->graph;
	Onnx__NodeProto *n = g->n_node ? g->node[pick(r, g->n_node)] : NULL;
	const int64_t what = random_between(r, 0, 99);
	if (what < 40 && n && n->n_attribute)
		change_attribute(r, n->attribute[pick(r, n->n_attribute)]);
	else if (what < 55 && n)
		add_attribute(r, n);
	else if (what < 70 && g->n_initializer)
		change_tensor(r, g->initializer[pick(r, g->n_initializer)]);
	else if (what < 82 && g->n_input)
		fix_input(r, g);
	else if (what < 90 && g->n_input)
		change_extent(r, g->input[pick(r, g->n_input)]);
	else if (what < 97 && n)
		change_operator(r, m, n);
	else if (m->n_opset_import)
		m->opset_import[0]->version = random_between(r, 1, 26);
}

/* malloc; NULL: it cannot be unpacked, as some of the cases are meant to be */
static uint8_t *draw_model(uint64_t seed, size_t *bytes, int64_t *of)
{
	uint64_t r = seed * UINT64_C(0x9e3779b97f4a7c15) ^ UINT64_C(0x5bd1e995);
	*of = pick(&r, (size_t)n_model);
	const struct lt_tensor *t = model[*of].t;
	Onnx__ModelProto *m = onnx__model_proto__unpack(NULL, t->bytes, t->data);
	if (!m || !m->graph) {
		if (m)
			onnx__model_proto__free_unpacked(m, NULL);
		return NULL;
	}
	for (int64_t i = random_chance(&r, 60) ? 1 : random_between(&r, 2, 4); i > 0; i--)
		change_model(&r, m);
	*bytes = onnx__model_proto__get_packed_size(m);
	uint8_t *out = grown(NULL, *bytes, 1);
	(void)onnx__model_proto__pack(m, out);
	onnx__model_proto__free_unpacked(m, NULL);
	return out;
}

/* -- what is done with it -- */

struct models_tally { int64_t at, models, read, compiled, run, spent; double longest; uint64_t longest_seed; };

static void run_program(struct lt_program *p, struct models_tally *tally)
{
	const int32_t n_in = lt_program_count(p, LT_BINDING_INPUT), n_out = lt_program_count(p, LT_BINDING_RESULT);
	void **in = grown(NULL, (size_t)n_in, sizeof *in), **out = grown(NULL, (size_t)n_out, sizeof *out);
	struct lt_instance *i = NULL;
	for (int32_t k = 0; k < n_in; k++)
		in[k] = calloc(1, lt_program_bytes(p, LT_BINDING_INPUT, k) + 64);
	for (int32_t k = 0; k < n_out; k++)
		out[k] = calloc(1, lt_program_bytes(p, LT_BINDING_RESULT, k) + 64);
	if (!lt_instance_new(p, &i))
		tally->run += lt_instance_run(i, (const void *const *)in, out) == LT_OK;
	lt_instance_free(i);
	for (int32_t k = 0; k < n_in; k++)
		free(in[k]);
	for (int32_t k = 0; k < n_out; k++)
		free(out[k]);
	free(in);
	free(out);
}

static bool is_small(const struct lt_graph *g)
{
	int64_t all = 0;
	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_nodedef *d = &g->node[n];
		int64_t elems = 1;
		for (int32_t i = 0; i < d->n_dim; i++)
			elems = lt__mul_sat(elems, g->var[d->dim[i]].extent);
		for (int32_t i = 0; d->reduce && i < g->node[d->operand[0]].n_dim; i++)
			elems = lt__mul_sat(elems, g->var[g->node[d->operand[0]].dim[i]].extent);
		all = lt__add_sat(all, elems);
	}
	return all < SMALL;
}

static double processor_seconds(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void try_model(uint64_t seed, struct models_tally *tally)
{
	size_t bytes;
	int64_t of;
	uint8_t *text = draw_model(seed, &bytes, &of);
	struct lt_context *ctx;
	struct lt_graph *g = NULL;
	struct lt_program *p = NULL;
	const double begin = processor_seconds();
	if (!text)
		return;
	must(lt_context_new(&ctx) == LT_OK, "no context");
	const struct lt_parse_options parse = { .size = sizeof parse, .dim = model[of].dim, .n_dim = model[of].n_dim };
	const struct lt_options o = { .size = sizeof o, .backends = "ref", .n_thread = 1 };
	(void)alarm(SECONDS);
	lt_status st = lt_parse_with(ctx, (const char *)text, bytes, "model.onnx", "onnx", &parse, &g);
	tally->models++;
	tally->read += st == LT_OK;
	tally->spent += st == LT_EBUDGET;
	if (!st && g->n_result) {
		st = lt_compile(ctx, g, &o, &p);
		tally->compiled += st == LT_OK;
		tally->spent += st == LT_EBUDGET;
	}
	if (p && is_small(g))
		run_program(p, tally);
	must(!st || *lt_context_message(ctx), "%llu: a failure without a sentence", (unsigned long long)seed);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	(void)alarm(0);
	free(text);
	const double took = processor_seconds() - begin;
	if (took > tally->longest) {
		tally->longest = took;
		tally->longest_seed = seed;
	}
}

static void keep_model(uint64_t seed)
{
	char name[64];
	size_t bytes = 0;
	int64_t of;
	uint8_t *text = draw_model(seed, &bytes, &of);
	(void)snprintf(name, sizeof name, "models-%llu.onnx", (unsigned long long)seed);
	FILE *to = fopen(name, "wb");
	if (to) {
		(void)fwrite(text, 1, bytes, to);
		(void)fclose(to);
	}
	free(text);
}

static void read_models(struct lt_context *ctx, struct lt_tensors *file)
{
	static const char *const path[] = { "tests/onnx/cases.npz", "tests/onnx/layers.npz", "tests/onnx/types.npz",
		"tests/onnx/dims.npz" };
	for (size_t k = 0; k < COUNT(path); k++) {
		must(lt__tensors_read(ctx, path[k], &file[k]) == LT_OK, "%s", lt_context_message(ctx));
		for (int32_t i = 0; i < file[k].n; i++) {
			const char *slash = strrchr(file[k].at[i].name, '/');
			must(n_model < MAX_MODELS, "more than %d models", MAX_MODELS);
			if (slash && !strcmp(slash, "/model") && file[k].at[i].bytes < 100000)
				model[n_model++].t = &file[k].at[i];
		}
	}
	for (int i = 0; i < n_model; i++) {
		const size_t n = (size_t)(strrchr(model[i].t->name, '/') - model[i].t->name);
		for (size_t k = 0; k < COUNT(path); k++)
			for (int32_t e = 0; e < file[k].n; e++) {
				const struct lt_tensor *t = &file[k].at[e];
				if (strncmp(t->name, model[i].t->name, n) || strcmp(t->name + n, "/dims") || t->bytes >= sizeof model[i].dims)
					continue;
				memcpy(model[i].dims, t->data, t->bytes);
				for (char *rest, *at = strtok_r(model[i].dims, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest))
					model[i].dim[model[i].n_dim++] = at;
			}
	}
}

int main(int argc, char **argv)
{
	const int64_t n = argc > 1 ? atoll(argv[1]) : 1000, first = argc > 2 ? atoll(argv[2]) : 1;
	struct lt_tensors file[4];
	struct lt_context *ctx;
	struct models_tally *tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int failed = 0;
	must(tally != MAP_FAILED && lt_context_new(&ctx) == LT_OK, "out of memory");
	read_models(ctx, file);
	tally->at = first;
	while (tally->at < first + n && failed < MAX_FAILED) {
		const int64_t end = tally->at + TOGETHER < first + n ? tally->at + TOGETHER : first + n;
		(void)fflush(stdout);
		const pid_t child = fork();
		int status = 0;
		must(child >= 0, "no process");
		if (child == 0) {
			for (; tally->at < end; tally->at++)
				try_model((uint64_t)tally->at, tally);
			_exit(0);
		}
		must(waitpid(child, &status, 0) == child, "no child");
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			printf("not ok - model %lld ended by %s %d\n", (long long)tally->at, WIFSIGNALED(status) ? "signal" : "exit code",
				WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
			keep_model((uint64_t)tally->at++);
			failed++;
		}
	}
	if (!failed)
		printf("ok - %lld models at the limits, from %d\n", (long long)tally->models, n_model);
	printf("%sok - %lld were read, %lld compiled, %lld run, %lld refused by a budget\n",
		tally->models >= 1000 && (tally->read * 20 < tally->models || tally->run * 40 < tally->models) ? "not " : "",
		(long long)tally->read, (long long)tally->compiled, (long long)tally->run, (long long)tally->spent);
	printf("# the longest: %.2f s, %llu\n", tally->longest, (unsigned long long)tally->longest_seed);
	for (size_t k = 0; k < COUNT(file); k++)
		lt__tensors_free(&file[k]);
	lt_context_free(ctx);
	(void)munmap(tally, sizeof *tally);
	return failed != 0;
}
