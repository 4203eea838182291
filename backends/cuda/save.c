/* save.c -- objects that the host keeps on its disk: the cubin, with the kernel program that it is of,
 * and what was chosen for its calls. */
#include <stdio.h>
#include <stdlib.h>
#include "backends/cuda/revision.h"
#include "backends/cuda/session.h"

/* A program and its cubin depend on the numbers that trees are lowered for, on the architecture, on NVRTC and on what
 * printed the text; not on the driver.  What options change is in the tree, or is a plan of a library, which is kept
 * elsewhere; but cuBLAS's choices are kept here, and TF32 is one of theirs. */
lt_status lt__cuda_identity(struct lt_session *s, lt_write *write, void *user, struct lt_diag *diag)
{
	char text[400];
	(void)diag;
	int n = snprintf(text, sizeof text, "config %s\nprinter %s\narchitecture %s\nshared %lld\nNVRTC %d.%d",
		s->config.tf32 ? "tf32" : "", LT_CUDA_REVISION, s->facts.arch, (long long)s->machine.shared_bytes, s->nvrtc.major,
		s->nvrtc.minor);
	for (int i = 0; lt__cuda_flags[i]; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, " %s", lt__cuda_flags[i]);
	write(user, text, (size_t)n);
	return LT_OK;
}

lt_status lt__cuda_save(const struct lt_object *o, lt_write *write, void *user, struct lt_diag *diag)
{
	if (!o->code.cubin)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, "compile it without text_only", "kernel %s was only printed",
			cuda_name(o->tree));
	struct lt_cuda_code code = o->code;
	lt_status status = lt__cuda_choices(o, &code.choices, &code.choice_bytes);
	if (!status)
		status = lt__cuda_code_save(&code, write, user);
	if (code.choices != o->code.choices)
		free(code.choices);
	return status ? lt__report(diag, status, -1, -1, NULL, "no memory to save kernel %s", cuda_name(o->tree)) : LT_OK;
}

lt_status lt__cuda_load(struct lt_session *s, const struct lt_tree *t, const void *data, size_t bytes,
	struct lt_object **out, struct lt_diag *diag)
{
	struct lt_cuda_code code;
	*out = NULL;
	lt_status status = lt__cuda_code_read(data, bytes, &code);
	if (status)
		return lt__report(diag, status, -1, -1, NULL, status == LT_ENOMEM ? "no memory for kernel %s"
			: "kernel %s: what was kept is no object of this backend", cuda_name(t));
	status = lt__cuda_object(s, t, &code, out, diag);
	if (!status)
		(*out)->loaded = true;
	/* A cubin that the driver refuses is compiled again; what the device fails of is not mended by that. */
	return status == LT_EDEVICE && !s->lost ? LT_EINVAL : status;
}
