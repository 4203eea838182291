/* hamkaas.c -- libhamkaas.so: HamKaas' C interface over this library.
 *
 * A model is a context of its own with a program and one instance, so that models never wait for one another.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/graph/graph.h"
#include "lt/lt.h"
#include "tools/common/common.h"
#include "tools/hamkaas/hamkaas.h"

struct handle { char *cc, *cache_dir, *temp_dir, *backends, *gpu; };
struct hamkaas_model {
	struct lt_context *ctx;
	struct lt_program *program;
	struct lt_instance *instance;
	pthread_mutex_t lock;           /* of everything below and of the instance */
	const void **input;
	void **result;
	void **own;                     /* results that are not handed out whole */
	int32_t answer;                 /* the result that the caller gets */
	bool bounded;                   /* its shape depends on a run-time scalar */
};

/* The one message that needs no memory; freeing it does nothing. */
static const char no_memory[] = "Out of memory";

static char *message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *message(const char *fmt, ...)
{
	va_list args;
	char *text = NULL;
	int n;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n >= 0)
		text = malloc((size_t)n + 1);
	if (!text)
		return (char *)(uintptr_t)no_memory;
	va_start(args, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, args);
	va_end(args);
	return text;
}

/* A failure as the caller gets it; NULL: there is none. */
static char *hamkaas_message(const struct lt_context *ctx, lt_status s)
{
	const char *text = lt_context_message(ctx);

	if (s == LT_ENOMEM && !*text)
		return (char *)(uintptr_t)no_memory;
	return s ? message("%s", *text ? text : lt_status_text(s)) : NULL;
}

void HamKaasFreeErrorMessage(char *text)
{
	if (text != no_memory)
		free(text);
}

/* The list for the processor: what the user names, else llvm where it is built or installed with this library.  It is
 * not looked for if the user names others. */
static char *cpu_backends(struct lt_context *ctx)
{
	const char *named = getenv("HAMKAAS_BACKENDS");
	bool asked = !named || !*named || strstr(named, "llvm");
	const struct lt_backend *llvm = asked && lt__plugins_find_own(ctx, "llvm") ? lt_backend_find("llvm") : NULL;

	if (named && *named)
		return strdup(named);
	return strdup(llvm && llvm->score(NULL, NULL) > 0 ? "llvm,cpu" : "cpu");
}

/* The list for UseGpu: which device, or another device than CUDA's. */
static char *gpu_backends(void)
{
	const char *named = getenv("HAMKAAS_GPU");

	return strdup(named && *named ? named : "cuda");
}

struct TInitializationResult HamKaasInitialize(void)
{
	struct TInitializationResult r = { NULL, NULL };
	const char *cc = getenv("CC");
	struct lt_context *ctx = NULL;
	struct handle *h = calloc(1, sizeof *h);

	if (!h || lt_context_new(&ctx)) {
		free(h);
		r.ErrorMessage = no_memory;
		return r;
	}
	/* not being able to keep anything is no reason not to work, and a library does not print */
	(void)lt__cachedir_default(ctx, &h->cache_dir);
	h->backends = cpu_backends(ctx);
	h->gpu = gpu_backends();
	lt_context_free(ctx);
	if (!h->backends || !h->gpu) {
		free(h->backends);
		free(h->gpu);
		free(h->cache_dir);
		free(h);
		r.ErrorMessage = no_memory;
		return r;
	}
	h->cc = cc && *cc ? strdup(cc) : NULL;
	h->temp_dir = lt__temp_dir() ? strdup(lt__temp_dir()) : NULL;
	r.Handle = h;
	return r;
}

void HamKaasFinalize(void *handle)
{
	struct handle *h = handle;

	if (!h)
		return;
	free(h->cc);
	free(h->backends);
	free(h->gpu);
	free(h->cache_dir);
	free(h->temp_dir);
	free(h);
}

static void free_model(struct hamkaas_model *m)
{
	int32_t n = m->program ? lt_program_count(m->program, LT_BINDING_RESULT) : 0;

	for (int32_t i = 0; m->own && i < n; i++)
		free(m->own[i]);
	free(m->own);
	free(m->result);
	free(m->input);
	lt_instance_free(m->instance);
	lt_program_free(m->program);
	lt_context_free(m->ctx);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

void HamKaasFreeModel(const void *handle, const void *model)
{
	(void)handle;
	if (model)
		free_model((struct hamkaas_model *)(uintptr_t)model);
}

struct hamkaas_reason { struct lt_diag diag; char text[400]; };

static void keep_reason(struct lt_diag *d, const struct lt_diagnostic *n)
{
	struct hamkaas_reason *r = (struct hamkaas_reason *)(void *)d;

	if (n->text)
		snprintf(r->text, sizeof r->text, "%s", n->text);
}

/* The first of a list "NAME:OPTIONS,NAME": what it refuses is an error, not another one's work. */
static lt_status check_backend(struct lt_context *ctx, const char *option, const char *list)
{
	struct hamkaas_reason r = { .diag = { .size = sizeof r.diag, .report = keep_reason } };
	char name[400];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(list, ","), list);
	char *config = strchr(name, ':');
	if (config)
		*config++ = '\0';
	if (!name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		(void)lt__plugins_find_own(ctx, name);
	const struct lt_backend *b = lt_backend_find(name);

	if (!b)
		return lt_fail(ctx, LT_EUNSUPPORTED, "%s: the backend '%s' is not in this build; compile without %s", option, name,
			option);
	if (b->score(config, &r.diag) <= 0)
		return lt_fail(ctx, LT_EUNSUPPORTED, "%s: the backend '%s' is not usable on this machine: %-s", option, name,
			r.text[0] ? r.text : "it does not say why");
	return LT_OK;
}

/* The result that is the model's: the unnamed one of the script, else the first. */
static void find_answer(struct hamkaas_model *m, const struct lt_graph *g)
{
	int32_t i = lt_program_find(m->program, LT_BINDING_RESULT, "result");
	const struct lt_nodedef *n;

	m->answer = i < 0 ? 0 : i;
	if (m->answer >= g->n_result)
		return;
	n = &g->node[g->result[m->answer].node];
	for (int32_t d = 0; d < n->n_dim; d++)
		m->bounded |= g->var[n->dim[d]].bounded;
}

/* data[i]: what is given for port i, NULL for nothing. The last of equal names counts. */
static lt_status hamkaas_match(const struct hamkaas_model *m, enum lt_binding binding, const char *what,
	const struct TNamedTensor *given, int n_given, const void **data)
{
	const struct lt_program *p = m->program;
	int32_t n = lt_program_count(p, binding);

	if (n_given < 0 || (n_given > 0 && !given))
		return lt_fail(m->ctx, LT_EINVAL, "%d %ss are announced, but there is no list of them", n_given, what);
	for (int32_t i = 0; i < n; i++)
		data[i] = NULL;
	for (int k = 0; k < n_given; k++) {
		int32_t i = given[k].Name ? lt_program_find(p, binding, given[k].Name) : -1;

		if (i >= 0)
			data[i] = given[k].Data;
	}
	for (int32_t i = 0; i < n; i++)
		if (!data[i] && lt_program_needs(p, binding, i))
			return lt_fail(m->ctx, LT_EMISSING, "Missing %s '%s'", what, lt_program_name(p, binding, i));
	return LT_OK;
}

static lt_status bind_constants(struct hamkaas_model *m, const struct TNamedTensor *constants, int n_constants)
{
	int32_t n = lt_program_count(m->program, LT_BINDING_CONSTANT);
	const void **data = calloc((size_t)n + 1, sizeof *data);
	lt_status s = data ? hamkaas_match(m, LT_BINDING_CONSTANT, "constant", constants, n_constants, data) : LT_ENOMEM;

	for (int32_t i = 0; i < n && !s; i++)
		if (data[i])
			s = lt_program_bind(m->program, i, data[i], 1);
	free(data);
	return s;
}

static lt_status new_arrays(struct hamkaas_model *m)
{
	int32_t n = lt_program_count(m->program, LT_BINDING_RESULT);

	m->input = calloc((size_t)lt_program_count(m->program, LT_BINDING_INPUT) + 1, sizeof *m->input);
	m->result = calloc((size_t)n + 1, sizeof *m->result);
	m->own = calloc((size_t)n + 1, sizeof *m->own);
	for (int32_t i = 0; m->own && i < n; i++)
		if (i != m->answer || m->bounded) {
			m->own[i] = aligned_alloc(64, (lt_program_bytes(m->program, LT_BINDING_RESULT, i) + 127) / 64 * 64);
			if (!m->own[i])
				return LT_ENOMEM;
		}
	return m->input && m->result && m->own ? LT_OK : LT_ENOMEM;
}

/* cuDNN with TF32, since in true float32 it joins nothing to a product, on the device that HAMKAAS_GPU names; then what
 * UseGpu takes. */
static void cudnn_backends(const struct handle *h, bool gpu, char *to, size_t bytes)
{
	static const char word[] = "device=";
	const char *device = strstr(h->gpu, word);
	const size_t n = device ? strlen(word) + strspn(device + strlen(word), "0123456789") : 0;
	snprintf(to, bytes, "cudnn:tf32%s%.*s%s%s", device ? "/" : "", (int)n, device ? device : "", gpu ? "," : "",
		gpu ? h->gpu : "");
}

static lt_status hamkaas_compile(struct hamkaas_model *m, const struct handle *h, struct TCompilationOptions asked,
	const char *script)
{
	char both[480];
	cudnn_backends(h, asked.UseGpu, both, sizeof both);
	const struct lt_options options = { .size = sizeof options,
		.backends = asked.UseCudnn ? both : asked.UseGpu ? h->gpu : h->backends,
		.cc = h->cc,
		.cache_dir = h->cache_dir,
		.cache_optional = 1,
		.temp_dir = h->temp_dir };
	struct lt_graph *g = NULL;
	lt_status s;

	if (asked.UseGpu)
		LT_TRY(check_backend(m->ctx, "UseGpu", h->gpu));
	if (asked.UseCudnn)
		LT_TRY(check_backend(m->ctx, "UseCudnn", both));
	s = lt_parse(m->ctx, script, strlen(script), "script", NULL, &g);
	if (!s)
		s = lt_compile(m->ctx, g, &options, &m->program);
	if (!s)
		find_answer(m, g);
	lt_graph_free(g);
	return s;
}

static lt_status make_model(struct hamkaas_model *m, const struct handle *h, struct TCompilationOptions asked,
	const char *script, const struct TNamedTensor *constants, int n_constants)
{
	LT_TRY(hamkaas_compile(m, h, asked, script));
	LT_TRY(bind_constants(m, constants, n_constants));
	const lt_status s = lt_instance_new(m->program, &m->instance);
	return s ? lt_fail(m->ctx, s, "%s", lt_instance_message(m->instance)) : new_arrays(m);
}

struct TCompilationResult HamKaasCompileModel(const void *handle, struct TCompilationOptions options,
	const char *script, const struct TNamedTensor *constants, int n_constants)
{
	struct TCompilationResult r = { NULL, NULL };
	struct hamkaas_model *m;
	lt_status s;

	if (!handle || !script) {
		r.ErrorMessage = message(handle ? "The script is NULL" : "The handle is NULL: HamKaasInitialize gives one");
		return r;
	}
	m = calloc(1, sizeof *m);
	if (!m || lt_context_new(&m->ctx)) {
		free(m);
		r.ErrorMessage = no_memory;
		return r;
	}
	pthread_mutex_init(&m->lock, NULL);
	s = make_model(m, handle, options, script, constants, n_constants);
	r.ErrorMessage = hamkaas_message(m->ctx, s);
	if (s)
		free_model(m);
	else
		r.Model = m;
	return r;
}

/* The answer without the gaps that a shape with a run-time extent has at its largest. */
static void pack(const struct hamkaas_model *m, char *output)
{
	int32_t rank = lt_program_rank(m->program, LT_BINDING_RESULT, m->answer);
	size_t bytes = lt_program_bytes(m->program, LT_BINDING_RESULT, m->answer);
	int64_t elems = 1, n_element = 1;

	for (int32_t d = 0; d < rank; d++) {
		elems *= lt_instance_extent(m->instance, m->answer, d);
		n_element *= lt_program_extent(m->program, LT_BINDING_RESULT, m->answer, d);
	}
	bytes /= (size_t)n_element;
	for (int64_t i = 0; i < elems; i++) {
		int64_t rest = i, from = 0, stride = 1;

		for (int32_t d = rank - 1; d >= 0; d--) {
			int64_t extent = lt_instance_extent(m->instance, m->answer, d);

			from += rest % extent * stride;
			rest /= extent;
			stride *= lt_program_extent(m->program, LT_BINDING_RESULT, m->answer, d);
		}
		memcpy(output + (size_t)i * bytes, (char *)m->own[m->answer] + (size_t)from * bytes, bytes);
	}
}

const char *HamKaasEvaluateModel(
	const void *handle, const void *model, const struct TNamedTensor *inputs, int n_inputs, char *output)
{
	struct hamkaas_model *m = (struct hamkaas_model *)(uintptr_t)model;
	char *text;
	lt_status s;

	if (!handle || !model || !output)
		return message(!handle ? "The handle is NULL: HamKaasInitialize gives one" :
			!model ? "The model is NULL: HamKaasCompileModel gives one" : "There is no room for the output: it is NULL");
	pthread_mutex_lock(&m->lock);
	lt_context_clear(m->ctx);
	s = hamkaas_match(m, LT_BINDING_INPUT, "input", inputs, n_inputs, m->input);
	if (!s) {
		for (int32_t i = 0; i < lt_program_count(m->program, LT_BINDING_RESULT); i++)
			m->result[i] = m->own[i] ? m->own[i] : output;
		s = lt_instance_run(m->instance, m->input, m->result);
		if (s)
			lt_fail(m->ctx, s, "%-s", lt_instance_message(m->instance));
		else if (m->bounded)
			pack(m, output);
	}
	text = hamkaas_message(m->ctx, s);
	pthread_mutex_unlock(&m->lock);
	return text;
}

char *HamKaasInverseElements(float *in, float *out, int size)
{
	if (size < 0 || (size > 0 && (!in || !out)))
		return message(size < 0 ? "The size %d is negative" : "There are %d elements, but an array is NULL", size);
	for (int i = 0; i < size; i++) {
		if (in[i] == 0)
			return message("Division by zero (index = %d)", i);
		out[i] = 1 / in[i];
	}
	return NULL;
}
