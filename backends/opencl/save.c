/* save.c -- objects that the host keeps on its disk: the program's binary, and which text it is of.
 *
 * A tree is lowered and printed again when its object is loaded, which takes a few milliseconds: the functions and
 * their parameters are then those of this build, and a binary of another text is not taken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/opencl/revision.h"
#include "backends/opencl/session.h"
#include "base/hash.h"

struct opencl_head { char magic[8]; uint64_t text, sum, bytes; };
static const char magic[8] = "LTCL001";

/* The driver is not to be handed a file that is not whole. */
static uint64_t sum_of(const void *data, size_t bytes) { return lt__hash_more(LT_HASH_BEGIN, data, bytes); }

static uint64_t sum_of_text(const struct lt_object *o) { return sum_of(o->grids->text, strlen(o->grids->text)); }

lt_status lt__opencl_identity(struct lt_session *s, lt_write *write, void *user, struct lt_diag *diag)
{
	char text[700];
	(void)diag;
	int n = snprintf(text, sizeof text,
		"printer %s\nplatform %s\ndevice %s\nversion %s\ndriver %s\nthreads %zu\nshared %lld\nflags %s",
		LT_OPENCL_REVISION, s->facts.platform, s->facts.name, s->facts.version, s->facts.driver, s->facts.max_threads,
		(long long)s->machine.shared_bytes, lt__opencl_flags(s));
	write(user, text, (size_t)n);
	return LT_OK;
}

lt_status lt__opencl_save(const struct lt_object *o, lt_write *write, void *user, struct lt_diag *diag)
{
	unsigned char *binary;
	size_t bytes;
	if (!o->program)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, "compile it without text_only", "kernel %s was only printed",
			opencl_name(o->tree));
	lt_status status = lt__opencl_program_binary(o->s, opencl_name(o->tree), o->program, &binary, &bytes, diag);
	if (status)
		return status;
	struct opencl_head h = { .text = sum_of_text(o), .sum = sum_of(binary, bytes), .bytes = bytes };
	memcpy(h.magic, magic, sizeof magic);
	write(user, (const char *)&h, sizeof h);
	write(user, (const char *)binary, bytes);
	free(binary);
	return LT_OK;
}

static lt_status not_ours(const struct lt_tree *t, struct lt_diag *diag)
{
	return lt__report(diag, LT_EINVAL, -1, -1, NULL, "kernel %s: what was kept is no object of this backend",
		opencl_name(t));
}

lt_status lt__opencl_load(struct lt_session *s, const struct lt_tree *t, const void *data, size_t bytes,
	struct lt_object **out, struct lt_diag *diag)
{
	struct opencl_head h;
	const char *binary = (const char *)data + sizeof h;
	cl_program program;
	*out = NULL;
	if (bytes < sizeof h)
		return not_ours(t, diag);
	memcpy(&h, data, sizeof h);
	if (memcmp(h.magic, magic, sizeof magic) != 0 || h.bytes != bytes - sizeof h || h.sum != sum_of(binary, h.bytes))
		return not_ours(t, diag);
	lt_status status = lt__opencl_object_new(s, t, out, diag);
	if (status)
		return status;
	status = h.text != sum_of_text(*out) ? not_ours(t, diag)
		: lt__opencl_program_load(s, opencl_name(t), binary, h.bytes, &program, diag);
	if (!status)
		status = lt__opencl_object_take(*out, program, diag);
	if (status) {
		lt__opencl_destroy(*out);
		*out = NULL;
		return status;
	}
	(*out)->loaded = true;
	return LT_OK;
}
