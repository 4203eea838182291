/* mock_nvrtc.c -- NVRTC that compiles nothing: libnvrtc.so.13 for the tests of cudnn, whose kernels no device runs.
 *
 * What NVRTC takes is tested where kernels are the subject (tests/cuda); here it would be half of the time.  The code
 * that it gives is what tests/cuda/mock.c reads of a cubin: an ELF header, and behind it the kernels' names.
 */
#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <nvrtc.h>

#define API __attribute__((visibility("default")))

struct _nvrtcProgram { size_t bytes; char code[]; };

/* The names of what a text declares as kernels: each the word before the first parenthesis behind __global__ and its
 * bounds.  Writes them, with a NUL behind each, unless there is no room; how many bytes they are. */
static size_t names_of(const char *text, char *out)
{
	static const char global[] = "__global__", bounds[] = "__launch_bounds__(";
	size_t n = 0;
	for (const char *at = text; (at = strstr(at, global)); ) {
		const char *from = at += sizeof global - 1, *bound = strstr(at, bounds), *end = strchr(at, '(');
		if (bound && end && bound < end) {
			from = strchr(end, ')');
			end = from ? strchr(from, '(') : NULL;
		}
		if (!end)
			break;
		const char *name = end;
		while (name > from && (name[-1] == '_' || isalnum((unsigned char)name[-1])))
			name--;
		if (out) {
			memcpy(out + n, name, (size_t)(end - name));
			out[n + (size_t)(end - name)] = '\0';
		}
		n += (size_t)(end - name) + 1;
	}
	return n;
}

API nvrtcResult nvrtcVersion(int *major, int *minor)
{
	*major = 13;
	*minor = 0;
	return NVRTC_SUCCESS;
}
API const char *nvrtcGetErrorString(nvrtcResult r) { return r ? "NVRTC_ERROR" : "NVRTC_SUCCESS"; }
/* Those of the devices of tests/cuda/mock.c, and others. */
static const int archs[] = { 80, 86, 89, 90, 100, 120 };
API nvrtcResult nvrtcGetNumSupportedArchs(int *n)
{
	*n = sizeof archs / sizeof *archs;
	return NVRTC_SUCCESS;
}
API nvrtcResult nvrtcGetSupportedArchs(int *out)
{
	memcpy(out, archs, sizeof archs);
	return NVRTC_SUCCESS;
}
API nvrtcResult nvrtcCreateProgram(
	nvrtcProgram *out, const char *text, const char *name, int n, const char *const *headers, const char *const *names)
{
	const size_t bytes = names_of(text, NULL), head = sizeof(Elf64_Ehdr);
	(void)name, (void)n, (void)headers, (void)names;
	if (!(*out = malloc(sizeof **out + head + bytes)))
		return NVRTC_ERROR_OUT_OF_MEMORY;
	Elf64_Ehdr h = { .e_ident = ELFMAG, .e_shoff = head + bytes };
	memcpy((*out)->code, &h, head);
	(*out)->bytes = head + names_of(text, (*out)->code + head);
	return NVRTC_SUCCESS;
}
API nvrtcResult nvrtcDestroyProgram(nvrtcProgram *p)
{
	free(*p);
	*p = NULL;
	return NVRTC_SUCCESS;
}
API nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options)
{
	(void)p, (void)n, (void)options;
	return NVRTC_SUCCESS;
}
API nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *bytes)
{
	*bytes = p->bytes;
	return NVRTC_SUCCESS;
}
API nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *out)
{
	memcpy(out, p->code, p->bytes);
	return NVRTC_SUCCESS;
}
API nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *bytes) { return nvrtcGetCUBINSize(p, bytes); }
API nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *out) { return nvrtcGetCUBIN(p, out); }
API nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *bytes)
{
	(void)p;
	*bytes = 1;
	return NVRTC_SUCCESS;
}
API nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *out)
{
	(void)p;
	*out = '\0';
	return NVRTC_SUCCESS;
}
