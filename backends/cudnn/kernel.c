/* kernel.c -- the reference's interpreter on the device: its text by NVRTC, once for a session, kept by the host.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/backends.h"
#include "backends/cudnn/cudnn.h"
#include "backends/cudnn/reference.h"
#include "base/hash.h"

/* One string a line, made when the library is built. */
static const char *const lines[] = {
#include "backends/cudnn/reference_text.h"
};
static const char *const functions[LT_CUDNN_KERNELS] = { "lt_cudnn_reference_0", "lt_cudnn_same_0",
	"lt_cudnn_masked_0", "lt_cudnn_length_0", "lt_cudnn_empty_0" };

/* What headers say elsewhere. */
static void print_head(FILE *to)
{
	static const struct { const char *name; int number; } names[] = {
#define OPCODE(name, number, operands, types) { "LT_OPCODE_" #name, number },
		LT_OPERATOR_MAP(OPCODE)
#undef OPCODE
#define DTYPE(name) { #name, name }
		DTYPE(LT_F32), DTYPE(LT_F64), DTYPE(LT_F16), DTYPE(LT_BF16), DTYPE(LT_I8), DTYPE(LT_U8), DTYPE(LT_I16),
		DTYPE(LT_I32), DTYPE(LT_I64), DTYPE(LT_BOOL), DTYPE(LT_U16), DTYPE(LT_U32), DTYPE(LT_U64),
#undef DTYPE
	};
	(void)fprintf(to, "typedef signed char int8_t;\ntypedef short int16_t;\ntypedef int int32_t;\n"
		"typedef long long int64_t;\ntypedef unsigned char uint8_t;\ntypedef unsigned short uint16_t;\n"
		"typedef unsigned int uint32_t;\ntypedef unsigned long long uint64_t;\ntypedef uint64_t uintptr_t;\n"
		"#define UINT64_C(x) x##ull\n");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		(void)fprintf(to, "#define %s %d\n", names[i].name, names[i].number);
}

char *lt__cudnn_kernel_text(void)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	if (!to)
		return NULL;
	print_head(to);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (strncmp(lines[i], "#include", 8) != 0)
			(void)fprintf(to, "%s\n", lines[i]);
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

/* ---- kept by the host ---- */

/* Its code, behind a sum of it. */
struct cudnn_cubin { char *at; size_t bytes; };

static void cubin_add(void *user, const char *data, size_t bytes)
{
	struct cudnn_cubin *c = user;
	char *grown = realloc(c->at, c->bytes + bytes + 1);
	if (!grown)
		return;
	memcpy(grown + c->bytes, data, bytes);
	*c = (struct cudnn_cubin){ grown, c->bytes + bytes };
}

static char *key_of(const struct lt_session *s, const char *text)
{
	const size_t bytes = strlen(text) + 200;
	char *key = malloc(bytes);
	size_t n = key ? (size_t)snprintf(key, bytes, "cudnn reference for %s by NVRTC %d.%d", s->facts.arch, s->nvrtc.major,
		s->nvrtc.minor) : 0;
	for (int i = 0; key && lt__cuda_flags[i]; i++)
		n += (size_t)snprintf(key + n, bytes - n, " %s", lt__cuda_flags[i]);
	if (key)
		(void)snprintf(key + n, bytes - n, "\n%s", text);
	return key;
}

static bool cubin_recall(const struct lt_session *s, const char *key, struct cudnn_cubin *c)
{
	uint64_t sum;
	if (key && LT_HAS(struct lt_host, s->host, recall) && s->host->recall(s->host, key, strlen(key), cubin_add, c) == LT_OK
		&& c->bytes > sizeof sum) {
		memcpy(&sum, c->at, sizeof sum);
		c->bytes -= sizeof sum;
		memmove(c->at, c->at + sizeof sum, c->bytes);
		if (sum == lt__hash_more(LT_HASH_BEGIN, c->at, c->bytes))
			return true;
	}
	free(c->at);
	*c = (struct cudnn_cubin){ NULL, 0 };
	return false;
}

static void cubin_keep(const struct lt_session *s, const char *key, const struct cudnn_cubin *c)
{
	const uint64_t sum = lt__hash_more(LT_HASH_BEGIN, c->at, c->bytes);
	char *all = key && LT_HAS(struct lt_host, s->host, keep) ? malloc(sizeof sum + c->bytes) : NULL;
	if (!all)
		return;
	memcpy(all, &sum, sizeof sum);
	memcpy(all + sizeof sum, c->at, c->bytes);
	s->host->keep(s->host, key, strlen(key), all, sizeof sum + c->bytes);
	free(all);
}

/* ---- on the device ---- */

static CUresult load(struct lt_session *s, const struct cudnn_cubin *c)
{
	struct lt_cudnn *d = cudnn_of(s);
	CUresult r = s->cuda.module_load(&d->module, c->at);
	for (int i = 0; i < LT_CUDNN_KERNELS && !r; i++)
		r = s->cuda.module_function(&d->kernel[i], d->module, functions[i]);
	if (r && d->module) {
		(void)s->cuda.module_free(d->module);
		d->module = NULL;
	}
	return r;
}

static lt_status compile(struct lt_session *s, const char *text, struct cudnn_cubin *c, struct lt_diag *diag)
{
	const struct lt_cuda_job job = { .arch = s->facts.arch, .name = "lt_cudnn_reference", .text = text };
	struct lt_cuda_cubin made;
	lt__cuda_nvrtc_compile(&s->nvrtc, &job, &made);
	lt_status status = made.status ? lt__report(diag, made.status, -1, -1, NULL, "%s", made.why) : LT_OK;
	*c = (struct cudnn_cubin){ made.at, made.bytes };
	free(made.log);
	return status;
}

lt_status lt__cudnn_kernels(struct lt_session *s, struct lt_diag *diag)
{
	struct lt_cudnn *d = cudnn_of(s);
	struct cudnn_cubin c = { NULL, 0 };
	if (d->module)
		return LT_OK;
	char *text = lt__cudnn_kernel_text(), *key = text ? key_of(s, text) : NULL;
	lt_status status = text ? LT_OK : lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a kernel's text");
	if (!status && (!cubin_recall(s, key, &c) || load(s, &c))) {
		free(c.at);
		status = compile(s, text, &c, diag);
		if (!status)
			status = lt__cuda_check(s, load(s, &c), diag, "loading the kernel that plans are judged by");
		if (!status)
			cubin_keep(s, key, &c);
	}
	free(text);
	free(key);
	if (status)
		free(c.at);
	else
		d->cubin = c.at;
	return status;
}

void lt__cudnn_kernels_free(struct lt_session *s)
{
	struct lt_cudnn *d = cudnn_of(s);
	if (d->module)
		(void)s->cuda.module_free(d->module);
	d->module = NULL;
	free(d->cubin);
	d->cubin = NULL;
}

CUresult lt__cudnn_launch(struct lt_session *s, enum lt_cudnn_kernel which, CUstream stream, int64_t n_thread,
	const uint64_t *argument, int n)
{
	enum { THREADS = 32, MOST = 1 << 16, ARGUMENTS = 16 };  /* few a block: elements are few, and each takes long */
	const int64_t blocks = (n_thread + THREADS - 1) / THREADS;
	uint64_t value[ARGUMENTS];
	void *at[ARGUMENTS];
	for (int i = 0; i < n; i++) {
		value[i] = argument[i];
		at[i] = &value[i];
	}
	const CUlaunchConfig config = { .gridDimX = (unsigned)(blocks < MOST ? blocks : MOST), .gridDimY = 1, .gridDimZ = 1,
		.blockDimX = THREADS, .blockDimY = 1, .blockDimZ = 1, .hStream = stream };
	return s->cuda.launch(&config, cudnn_of(s)->kernel[which], at, NULL);
}
