/* test_cudnn_verify.c -- plans under trial: they compute what `ref` makes of a script, on memory of a driver that
 * is not there.  Those that are right pass, whichever roundings between operators they leave out;
 * those of another script, and those that do something wrong, do not.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cudnn/cudnn.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "lt/frontend.h"
#include "lt/lt.h"
#include "program/program.h"
#include "tests/cuda/cuda_session.h"
#include "tests/described.h"

TestSuite(cudnn_verify, .timeout = 300);

/* ---- scripts ---- */

/* T: the type of tensors; F: to float32; R: what the graph rounds between operators; TO: the result's rounding.  c, d,
 * h, m, k, n are sizes. */
#define CONV "x = InputTensor(x, T, [2, c, h, h + 1]); w = ConstantTensor(w, T, [d, c, 3, 2]);\n"
#define MATMUL "x = InputTensor(x, T, [m, k]); w = ConstantTensor(w, T, [k, n]); b = ConstantTensor(b, T, [n]);\n" \
	"r = InputTensor(r, T, [m, n]);\n"
#define HEADS "q = InputTensor(q, T, [2, m, k]); k1 = InputTensor(k1, T, [2, n, k]);\n" \
	"v = InputTensor(v, T, [2, n, d]);\n"
/* Added to scores that do not count. */
#define MASKED(test, low) HEADS "a = EinsumNode(hsd,htd->hst: F(q), F(k1));\n" \
	"c1 = " test "(IndexNode(a, 2), IndexNode(a, 1));\n" \
	"s = a * 0.5 + SelectNode(c1, a * 0, a * 0 + " low ");\n" \
	"result = TO(EinsumNode(hst,hte->hse: SoftmaxNode(s), F(v)));\n"
static const char *const scripts[] = {
	CONV "result = TO(Conv2dNode(F(x), F(w), [2, 1], [1, 0, 2, 1], [2, 1]));\n",
	CONV "b = ConstantTensor(b, T, [d, 1, 1]);\n"
		"y = R(Conv2dNode(F(x), F(w), [1, 1], [1, 1, 1, 1])); z = R(F(y) + F(b)); result = TO(ReLUNode(F(z)));\n",
	CONV "y = R(Conv2dNode(F(x), F(w))); result = TO(F(y) * SigmoidNode(F(y)));\n",
	"x = InputTensor(x, T, [1, c, h, h]); w = ConstantTensor(w, T, [c, 1, 3, 3]); b = ConstantTensor(b, T, [c, 1, 1]);\n"
		"y = R(Conv2dNode(F(x), F(w), [2, 2], [0, 0, 1, 1], [1, 1], c)); z = R(F(y) + F(b));\n"
		"result = TO(MinNode(MaxNode(F(z), 0), 6));\n",
	MATMUL "y = R(MatMulNode(F(x), F(w))); z = R(F(y) + F(b)); result = TO(ReLUNode(F(R(F(z) + F(r)))));\n",
	MATMUL "y = R(MatMulNode(F(x), F(w))); z = R(F(y) + F(b));\n"
		"result = TO(F(z) * 0.5 * (1 + ErfNode(F(z) * 0.70710678)));\n",
	/* What cancels, what grows, what divides. */
	MATMUL "y = MatMulNode(F(x), F(w)); result = TO(y - y * 0.999 + F(r) * 0.001 + F(b) * 0.001);\n",
	MATMUL "y = MatMulNode(F(x), F(w)); result = TO(ExpNode(y) * F(r) + F(b));\n",
	MATMUL "y = MatMulNode(F(x), F(w)); result = TO(F(r) / (y * y + 0.01) + TanhNode(y) * F(b));\n",
	/* Two results. */
	"x = InputTensor(x, T, [m, k]); u = ConstantTensor(u, T, [k, n]); w = ConstantTensor(w, T, [k, n]);\n"
		"a = MatMulNode(F(x), F(u)); result first = TO(a + 1);\n"
		"result = TO(a * SigmoidNode(a) * MatMulNode(F(x), F(w)));\n",
	HEADS "result = TO(AttentionNode(F(q), F(k1), F(v), 0.5));\n",
	HEADS "a = EinsumNode(hsd,htd->hst: F(q), F(k1));\n"
		"result = TO(EinsumNode(hst,hte->hse: SoftmaxNode(a * 0.25), F(v)));\n",
	HEADS "result = TO(AttentionNode(F(q), F(k1), F(v), 0.5, 1));\n", MASKED("LessEqualNode", "-10000"),
	MASKED("LessEqualNode", "-3.4028234e38"),
	("x = InputTensor(x, T, [m, k]); w = ConstantTensor(w, T, [k]); b = ConstantTensor(b, T, [k]);\n"
		"result = TO(LayerNormNode(F(x), F(w), F(b)));\n"),
	"x = InputTensor(x, T, [m, k]); w = ConstantTensor(w, T, [k]);\nresult = TO(RMSNormNode(F(x), F(w), 0.00001));\n",
};
enum { N_SCRIPT = sizeof scripts / sizeof *scripts };
static const char *const types[] = { "float32", "float16", "bfloat16" };

/* rounds: between operators, too. */
static void script_of(const char *script, const char *type, bool rounds, const char *sizes, char *out, size_t bytes)
{
	const bool half = strcmp(type, "float32") != 0;
	char to[60] = "x";
	if (half)
		(void)snprintf(to, sizeof to, "CastNode(x, %s)", type);
	const char *wide = half ? "CastNode(x, float32)" : "x";
	size_t n = (size_t)snprintf(out, bytes,
		"def TO(x) { return %s; }\ndef F(x) { return %s; }\ndef R(x) { return %s; }\n%s\n", to, wide,
		rounds ? to : wide, sizes);
	for (const char *at = script; *at; at++) {
		const bool is_type = *at == 'T' && at > script && at[-1] == ' ' && at[1] == ',';
		n += (size_t)snprintf(out + n, bytes - n, is_type ? "%s" : "%.1s", is_type ? type : at);
		must(n < bytes, "a script is too long");
	}
}

/* ---- the library ---- */

enum fault { RIGHT, MIDDLE, CORNER, LAST_RESULT, BEFORE, BEHIND, BEHIND_INPUT, BEHIND_WORKSPACE, OTHER_BITS,
	READS_BEYOND, LEAVES_OUT, LEAVES_OUT_SOME };
static struct {
	const struct lt_tree *t;        /* what is run */
	struct lt_cudnn_wish wish;      /* what it is judged by */
	enum fault fault;
	int runs;
	CUstream stream;
	void *at[LT_CUDNN_TENSORS], *room;
	struct lt_session *ref, *s;
	struct lt_object *object;
	struct mock_cuda *mock;
} now;

static const char *buffer_name(const struct lt_tree *t, int32_t b)
{
	return LT_AT(struct lt_buffer, t->buffers, b)->name;
}

/* The operand that is a buffer of that name; -1: none is. */
static int32_t operand_named(const char *name)
{
	const struct lt_call *c = now.wish.call;
	const struct lt_tree *t = now.wish.tree;
	for (int32_t i = 0; i < c->n_result + c->n_read; i++)
		if (!strcmp(name, buffer_name(t, i < c->n_result
			? LT_AT(struct lt_call_result, t->call_results, c->first_result + i)->buffer
			: LT_AT(struct lt_call_read, t->call_reads, c->first_read + i - c->n_result)->buffer)))
			return i;
	return -1;
}


/* Where an operand's first element is. */
static char *operand_at(int32_t o) { return now.mock->host((uint64_t)(uintptr_t)now.at[o]); }

static const struct lt_buffer *buffer_of(const struct lt_tree *t, int32_t slot)
{
	for (uint32_t b = 0; b < t->buffers.n; b++)
		if (LT_AT(struct lt_buffer, t->buffers, b)->slot == slot)
			return LT_AT(struct lt_buffer, t->buffers, b);
	return NULL;
}
static size_t bytes_of(const struct lt_tree *t, const struct lt_buffer *b)
{
	return (size_t)b->elems * LT_AT(struct lt_type, t->types, b->type)->bytes;
}

/* One unit more, of any type. */
static void spoil(char *at, uint32_t dtype)
{
	union lt_number x = lt__number_load(at, 0, dtype);
	x.f = x.f == x.f ? x.f + 1 : 0;
	lt__number_store(at, 0, dtype, lt__number_round(x, dtype));
}

static void do_wrong(void)
{
	const struct lt_cudnn_form *f = &now.wish.form;
	const int32_t last = now.wish.call->n_result - 1;
	const struct lt_cudnn_tensor *result = &f->tensor[0], *input = &f->tensor[now.wish.call->n_result];
	const size_t each = lt__number_bytes(result->dtype);
	switch (now.fault) {
	case MIDDLE: spoil(operand_at(0) + result->dim[2] / 2 * (int64_t)each, result->dtype); break;
	case CORNER: spoil(operand_at(0) + (result->dim[2] - 1) * (int64_t)each, result->dtype); break;
	case LAST_RESULT: spoil(operand_at(last), f->tensor[last].dtype); break;
	case BEFORE: operand_at(0)[-1] = 1; break;
	case BEHIND: operand_at(last)[f->tensor[last].dim[2] * (int64_t)lt__number_bytes(f->tensor[last].dtype)] = 1; break;
	case BEHIND_INPUT:
		operand_at(now.wish.call->n_result)[input->dim[2] * (int64_t)lt__number_bytes(input->dtype)] = 1;
		break;
	case BEHIND_WORKSPACE: ((char *)now.mock->host((uint64_t)(uintptr_t)now.room))[64] = 1; break;
	/* Less than what any element may be off by. */
	case OTHER_BITS: operand_at(0)[0] = (char)(operand_at(0)[0] ^ (now.runs == 2)); break;
	default: break;
	}
}

/* What is enqueued before is done; by buffers of the same names. */
static cudnnStatus_t execute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack)
{
	const struct lt_tree *t = now.t;
	struct lt_slot slot[16];
	struct lt_fault fault = { 0 };
	struct keeper k = keeper_new();
	size_t bytes = 0, align;
	(void)handle, (void)plan, (void)pack;
	cr_assert_eq(now.s->cuda.stream_wait(now.stream), CUDA_SUCCESS);
	now.runs++;
	for (int32_t i = 0; i < t->n_slot; i++) {
		const struct lt_buffer *b = buffer_of(t, i);
		const int32_t o = operand_named(b->name);
		slot[i] = (struct lt_slot){ .bytes = (int64_t)bytes_of(t, b) };
		slot[i].base = malloc((size_t)slot[i].bytes);
		cr_assert(o >= 0 && now.wish.form.tensor[o].dim[2] == b->elems, "nothing is called %s", b->name);
		const int shift = now.fault == READS_BEYOND && o == now.wish.call->n_result
			? (int)LT_AT(struct lt_type, t->types, b->type)->bytes : 0;
		memcpy(slot[i].base, operand_at(o) + shift, (size_t)slot[i].bytes);
		const size_t left_out = now.fault == LEAVES_OUT ? 1 : now.fault == LEAVES_OUT_SOME ? 5 : 0;
		if (left_out && o == now.wish.call->n_result + 1)
			memset(slot[i].base, 0, left_out * LT_AT(struct lt_type, t->types, b->type)->bytes);
	}
	lt_backend_find("ref")->need(now.object, 1, &bytes, &align);
	void *workspace = malloc(bytes + 1);
	const struct lt_args args = { .size = sizeof args, .n_slot = (uint32_t)t->n_slot, .slot = slot, .workspace = workspace,
		.n_thread = 1, .fault = &fault };
	cr_assert_eq(lt_backend_find("ref")->run(now.object, &args, &k.diag), LT_OK, "%s", k.text);
	for (int32_t i = 0; i < t->n_slot; i++) {
		const int32_t o = operand_named(buffer_of(t, i)->name);
		if (o < now.wish.call->n_result)
			memcpy(operand_at(o), slot[i].base, (size_t)slot[i].bytes);
		free(slot[i].base);
	}
	free(workspace);
	do_wrong();
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t set_stream(cudnnHandle_t handle, cudaStream_t stream)
{
	(void)handle;
	now.stream = (CUstream)stream;
	return CUDNN_STATUS_SUCCESS;
}
static cudnnStatus_t descriptor_new(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *out)
{
	static int any;
	(void)type;
	*out = &any;
	return CUDNN_STATUS_SUCCESS;
}
static cudnnStatus_t nothing(cudnnBackendDescriptor_t x)
{
	(void)x;
	return CUDNN_STATUS_SUCCESS;
}
static cudnnStatus_t set(cudnnBackendDescriptor_t x, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
	int64_t n, const void *values)
{
	(void)x, (void)type;
	if (name == CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS)
		memcpy(now.at, values, (size_t)n * sizeof *now.at);
	if (name == CUDNN_ATTR_VARIANT_PACK_WORKSPACE)
		memcpy(&now.room, values, sizeof now.room);
	return CUDNN_STATUS_SUCCESS;
}

/* ---- trials ---- */

static void begin(void)
{
	static const struct lt_host host = { .size = sizeof host };
	struct keeper k = keeper_new();
	now.mock = mock_load();
	(void)mock_library("../cudnn/libcudnn.so.9");
	(void)mock_library("../cudnn/libnvrtc.so.13");
	if (lt_backend_find("cudnn")->open(&host, NULL, &now.s, &k.diag))
		cr_skip_test("%s", k.text);
	cr_assert_eq(lt__cuda_enter(now.s, &k.diag), LT_OK, "%s", k.text);
	struct lt_cudnn *d = cudnn_of(now.s);
	cr_assert_eq(lt__cudnn_handle(d, &d->handle, &k.diag), LT_OK, "%s", k.text);
	d->api.execute = execute;
	d->api.set_stream = set_stream;
	d->api.descriptor_new = descriptor_new;
	d->api.descriptor_free = d->api.finish = nothing;
	d->api.set = set;
	cr_assert_eq(lt_backend_find("ref")->open(&host, NULL, &now.ref, &k.diag), LT_OK, "%s", k.text);
}
static void end(void)
{
	lt_backend_find("ref")->close(now.ref);
	lt__cuda_leave(now.s);
	lt_backend_find("cudnn")->close(now.s);
	cr_expect_str_eq(now.mock->wrong, "");
}

/* Each operand as one row of its buffer. */
static void wish_new(const struct lt_tree *t, bool tf32)
{
	const struct lt_call *c = LT_AT(struct lt_call, t->calls, 0);
	now.wish = (struct lt_cudnn_wish){ .tree = t, .call = c, .tf32 = tf32 };
	struct lt_cudnn_form *f = &now.wish.form;
	for (int32_t i = 0; i < c->n_result + c->n_read; i++) {
		const struct lt_call_result *y = i < c->n_result ? LT_AT(struct lt_call_result, t->call_results, c->first_result + i)
			: NULL;
		const struct lt_call_read *x = y ? NULL : LT_AT(struct lt_call_read, t->call_reads, c->first_read + i - c->n_result);
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, y ? y->buffer : x->buffer);
		f->tensor[f->n_tensor++] = (struct lt_cudnn_tensor){ .operand = i,
			.dtype = LT_AT(struct lt_type, t->types, b->type)->dtype, .n_dim = 3, .dim = { 1, 1, b->elems },
			.stride = { 1, 1, 1 },
			.offset = -t->rows[(int64_t)(y ? y->row : x->row) * t->n_column] };
	}
}

/* Whether the plan that computes `runs` passes for what `is` is; what it says in `why`. */
static bool passes(const struct described_called *is, const struct described_called *runs, enum fault fault, char *why,
	size_t bytes)
{
	const struct lt_cudnn_plan plan = { .engine = 7, .workspace = 64 };
	struct keeper k = keeper_new();
	wish_new(is->t, false);
	now.t = runs->t;
	now.fault = fault;
	now.runs = 0;
	why[0] = '\0';
	cr_assert_eq(lt_backend_find("ref")->compile(now.ref, &now.t, 1, &now.object, &k.diag), LT_OK, "%s", k.text);
	const lt_status status = lt__cudnn_verify(now.s, &now.wish, &plan, why, bytes, &k.diag);
	lt_backend_find("ref")->destroy(now.object);
	cr_assert(status == LT_OK || status == LT_EMISSING, "%s", k.text);
	cr_assert_eq(status != LT_OK, why[0] != '\0');
	return status == LT_OK;
}

static const char *draw_sizes(uint64_t *rng)
{
	static char text[200];
	(void)snprintf(text, sizeof text, "c = %d; d = %d; h = %d; m = %d; k = %d; n = %d;", (int)random_between(rng, 1, 7),
		(int)random_between(rng, 1, 7), (int)random_between(rng, 3, 7), (int)random_between(rng, 1, 13),
		(int)random_between(rng, 2, 40), (int)random_between(rng, 1, 13));
	return text;
}

/* Of what is tried with everything a third for `make check`. */
static size_t every_third(void) { return must_draws("LT_TRIED", 3) < 3 ? 3 : 1; }

/* With and without the roundings between operators, of random sizes. */
Test(cudnn_verify, no_plan_that_is_right_is_dropped)
{
	uint64_t rng = must_number("LT_SEED", 1);
	const int count = (int)must_draws("LT_COUNT", 200);
	int dropped = 0;
	begin();
	for (int i = 0; i < count; i++) {
		char is[3000], runs[3000], why[300];
		struct described_called a, b;
		const char *sizes = draw_sizes(&rng), *script = scripts[i % N_SCRIPT], *type = types[i / N_SCRIPT % 3];
		script_of(script, type, true, sizes, is, sizeof is);
		script_of(script, type, random_chance(&rng, 50), sizes, runs, sizeof runs);
		described_called_new(is, &a);
		described_called_new(runs, &b);
		const bool good = passes(&a, &b, RIGHT, why, sizeof why);
		cr_expect(good, "%d: %s\n%s", i, why, is);
		dropped += !good;
		described_called_free(&a);
		described_called_free(&b);
	}
	fprintf(stderr, "%d plans that are right, %d dropped\n", count, dropped);
	end();
}

/* What the plan does wrong in any script is seen, and said. */
Test(cudnn_verify, each_fault_is_seen)
{
	static const struct { enum fault fault; const char *says; } cases[] = { { MIDDLE, "element " }, { CORNER, "element " },
		{ LAST_RESULT, "element " }, { BEFORE, "it writes before" }, { BEHIND, "it writes behind" },
		{ BEHIND_INPUT, "it writes behind what it reads" }, { BEHIND_WORKSPACE, "it writes behind its workspace" },
		{ OTHER_BITS, "a second run of it gives other bits" }, { READS_BEYOND, "element " },
		{ LEAVES_OUT_SOME, "element " } };
	const size_t third = every_third();
	begin();
	for (size_t s = 0; s < N_SCRIPT; s++)
		for (size_t i = s % third; i < sizeof cases / sizeof *cases; i += third) {
			char text[3000], why[300];
			struct described_called a;
			script_of(scripts[s], types[(s + 2 * i) % 3], true, "c = 5; d = 6; h = 6; m = 11; k = 13; n = 9;", text,
				sizeof text);
			described_called_new(text, &a);
			const bool good = passes(&a, &a, cases[i].fault, why, sizeof why);
			cr_expect(!good && strstr(why, cases[i].says), "fault %d: '%s'\n%s", (int)cases[i].fault, why, text);
			described_called_free(&a);
		}
	end();
}

/* One term of 4,096. */
Test(cudnn_verify, a_term_is_seen)
{
	char text[3000], why[300];
	struct described_called a;
	begin();
	script_of(MATMUL "result = TO(MatMulNode(F(x), F(w)) + F(b) * F(r));\n", "float32", true,
		"m = 5; k = 4096; n = 3;", text, sizeof text);
	described_called_new(text, &a);
	cr_expect(passes(&a, &a, RIGHT, why, sizeof why), "%s", why);
	cr_expect(!passes(&a, &a, LEAVES_OUT, why, sizeof why));
	described_called_free(&a);
	end();
}

/* A script, and another that a plan must not be taken for. */
static const struct { const char *is, *runs; } others[] = {
	/* an operator is missing, or another one */
	{ MATMUL "result = TO(ReLUNode(MatMulNode(F(x), F(w)) + F(b) + F(r)));\n",
		MATMUL "result = TO(ReLUNode(MatMulNode(F(x), F(w)) + F(b) + F(r) * 0));\n" },
	{ MATMUL "result = TO(ReLUNode(MatMulNode(F(x), F(w)) + F(b) + F(r)));\n",
		MATMUL "result = TO(MatMulNode(F(x), F(w)) + F(b) + F(r));\n" },
	{ MATMUL "y = MatMulNode(F(x), F(w)) + F(b); result = TO(y * SigmoidNode(y) + F(r));\n",
		MATMUL "y = MatMulNode(F(x), F(w)); result = TO(y * SigmoidNode(y + F(b)) + F(r));\n" },
	{ "x = InputTensor(x, T, [m, k]); w = ConstantTensor(w, T, [k]);\nresult = TO(RMSNormNode(F(x), F(w), 0.00001));\n",
		"x = InputTensor(x, T, [m, k]); w = ConstantTensor(w, T, [k]);\nresult = TO(RMSNormNode(F(x), F(w), 0.1));\n" },
	/* two weights for each other */
	{ "x = InputTensor(x, T, [m, k]); u = ConstantTensor(u, T, [k, n]); w = ConstantTensor(w, T, [k, n]);\n"
		"a = MatMulNode(F(x), F(u)); result = TO(a * SigmoidNode(a) * MatMulNode(F(x), F(w)));\n",
		"x = InputTensor(x, T, [m, k]); u = ConstantTensor(u, T, [k, n]); w = ConstantTensor(w, T, [k, n]);\n"
		"a = MatMulNode(F(x), F(w)); result = TO(a * SigmoidNode(a) * MatMulNode(F(x), F(u)));\n" },
	/* a border of the other side; the mask of a row before */
	{ CONV "result = TO(Conv2dNode(F(x), F(w), [1, 1], [1, 0, 0, 0]));\n",
		CONV "result = TO(Conv2dNode(F(x), F(w), [1, 1], [0, 0, 1, 0]));\n" },
	{ MASKED("LessEqualNode", "-30000"), MASKED("LessNode", "-30000") },
	{ HEADS "result = TO(AttentionNode(F(q), F(k1), F(v), 0.5, 1));\n",
		HEADS "result = TO(AttentionNode(F(q), F(k1), F(v), 0.5));\n" },
	{ HEADS "result = TO(AttentionNode(F(q), F(k1), F(v), 0.5));\n", HEADS "result = TO(AttentionNode(F(q), F(k1), F(v), "
		"0.55));\n" },
};

Test(cudnn_verify, other_scripts_are_seen)
{
	begin();
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		for (size_t t = i % every_third(); t < 3; t += every_third()) {
			char is[3000], runs[3000], why[300];
			struct described_called a, b;
			script_of(others[i].is, types[t], true, "c = 5; d = 6; h = 6; m = 11; k = 13; n = 11;", is, sizeof is);
			script_of(others[i].runs, types[t], true, "c = 5; d = 6; h = 6; m = 11; k = 13; n = 11;", runs, sizeof runs);
			described_called_new(is, &a);
			described_called_new(runs, &b);
			cr_expect(passes(&a, &a, RIGHT, why, sizeof why), "%s\n%s", why, is);
			cr_expect(!passes(&a, &b, RIGHT, why, sizeof why), "%s\nis taken for\n%s", runs, is);
			described_called_free(&a);
			described_called_free(&b);
		}
	end();
}
