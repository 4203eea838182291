/* program.c -- one text, or a binary of it, to a program; what the compiler says becomes a sentence. */
#include <stdlib.h>
#include <string.h>
#include "backends/backends.h"
#include "backends/opencl/session.h"

/* No -cl-fast-relaxed-math: NaN and infinity are data.  A product may be contracted into its sum, the default. */
const char *lt__opencl_flags(const struct lt_session *s)
{
	static const char *const flags[2][2] = {
		{ "-cl-std=CL1.2", "-cl-std=CL1.2 -cl-opt-disable" },
		{ "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt",
			"-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -cl-opt-disable" }
	};
	return flags[s->facts.divides][s->config.plain];
}

static char *log_of(const struct lt_session *s, cl_program program)
{
	size_t bytes = 0;
	if (s->cl.program_said(program, s->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes))
		bytes = 0;
	char *log = malloc(bytes + 1);
	if (!log)
		return NULL;
	if (bytes && s->cl.program_said(program, s->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL))
		bytes = 0;
	log[bytes] = '\0';
	return log;
}

static lt_status build_failed(struct lt_session *s, const char *name, cl_program program, cl_int r,
	struct lt_diag *diag)
{
	char line[620], number[40];
	char *log = log_of(s, program);
	const char *error = lt__opencl_error(r, number, sizeof number);
	if (log && log[0] && LT_HAS(struct lt_host, s->host, log))
		s->host->log(s->host, LT_LOG_WARNING, log);
	lt__first_error(log ? log : "", line, sizeof line);
	free(log);
	return lt__report(diag, r == CL_OUT_OF_HOST_MEMORY ? LT_ENOMEM : LT_ECOMPILE, -1, -1, NULL,
		"kernel %s: the compiler of %s: %s: %s", name, s->facts.name, error, line);
}

lt_status lt__opencl_program_new(
	struct lt_session *s, const char *name, const char *text, cl_program *out, struct lt_diag *diag)
{
	cl_int r = CL_SUCCESS;
	cl_program program = s->cl.program_new(s->context, 1, &text, NULL, &r);
	*out = NULL;
	lt_status status = lt__opencl_check(r, diag, "kernel %s: its text", name);
	if (status)
		return status;
	r = s->cl.program_build(program, 1, &s->device, lt__opencl_flags(s), NULL, NULL);
	if (r) {
		status = build_failed(s, name, program, r, diag);
		(void)s->cl.program_free(program);
		return status;
	}
	*out = program;
	return LT_OK;
}

lt_status lt__opencl_program_load(
	struct lt_session *s, const char *name, const void *binary, size_t bytes, cl_program *out, struct lt_diag *diag)
{
	const unsigned char *at = binary;
	cl_int r = CL_SUCCESS, taken = CL_SUCCESS;
	cl_program program = s->cl.program_load(s->context, 1, &s->device, &bytes, &at, &taken, &r);
	char number[40];
	*out = NULL;
	if (program && !(r = r ? r : taken) && !(r = s->cl.program_build(program, 1, &s->device, lt__opencl_flags(s), NULL,
		NULL))) {
		*out = program;
		return LT_OK;
	}
	if (program)
		(void)s->cl.program_free(program);
	return lt__report(diag, r == CL_OUT_OF_HOST_MEMORY ? LT_ENOMEM : LT_EINVAL, -1, -1, NULL,
		"kernel %s: the driver does not take what was kept: %s", name, lt__opencl_error(r, number, sizeof number));
}

lt_status lt__opencl_program_binary(struct lt_session *s, const char *name, cl_program program, unsigned char **out,
	size_t *bytes, struct lt_diag *diag)
{
	*out = NULL;
	*bytes = 0;
	lt_status status = lt__opencl_check(s->cl.program_fact(program, CL_PROGRAM_BINARY_SIZES, sizeof *bytes, bytes, NULL),
		diag, "kernel %s: the size of its code", name);
	if (status)
		return status;
	if (*bytes == 0)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "kernel %s: the driver does not give its code", name);
	*out = malloc(*bytes);
	if (!*out)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for the code of kernel %s", name);
	status = lt__opencl_check(s->cl.program_fact(program, CL_PROGRAM_BINARIES, sizeof *out, out, NULL), diag,
		"kernel %s: its code", name);
	if (status) {
		free(*out);
		*out = NULL;
	}
	return status;
}
