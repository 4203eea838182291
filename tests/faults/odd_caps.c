/* odd_caps.c -- caps that cannot be, by the word of the config; "refuses": good caps, and accepts refuses
 * every tree. */
#include "tests/faults/fault.h"

static const char *const words[] = { "no_shift", "no_types", "no_serial", "no_loops", "vector_7", "vector_huge",
	"no_vector", "no_combine", "target_size", "no_target", "caps_size", "none", "refuses" };
enum { N_WORD = sizeof words / sizeof *words };
static const char *word = "";

static int32_t score(const char *config, struct lt_diag *diag)
{
	for (int i = 0; i < N_WORD; i++)
		if (config && !strcmp(config, words[i]))
			return plain_score("", diag);
	return plain_score(config, diag);
}

static lt_status open(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	word = "";
	for (int i = 0; i < N_WORD; i++)
		if (config && !strcmp(config, words[i]))
			word = words[i];
	return plain_open(host, word[0] ? "" : config, out, diag);
}

static int is(const char *what) { return !strcmp(word, what); }

static const struct lt_caps *caps(const struct lt_session *s)
{
	static struct lt_caps mine;
	static struct lt_target target;
	mine = *plain_caps(s);
	target = *mine.target;
	if (!is("no_target"))
		mine.target = &target;
	else
		mine.target = NULL;
	if (is("no_shift"))
		mine.dtypes = LT_F32 | LT_I32;
	else if (is("no_types"))
		mine.dtypes = 0;
	else if (is("no_serial"))
		mine.loops &= ~(UINT64_C(1) << LT_SERIAL);
	else if (is("no_loops"))
		mine.loops = 0;
	else if (is("vector_huge"))
		target.vector_bytes = 4000000000u;
	else if (is("vector_7"))
		mine.dtypes = UINT64_C(1) << LT_F32;
	else if (is("no_combine"))
		mine.understands &= ~(uint64_t)LT_NEED_COMBINE;
	else if (is("no_vector"))
		mine.loops &= ~(UINT64_C(1) << LT_VECTOR);
	if (is("vector_7"))
		target.vector_bytes = 7;
	else if (is("no_vector") || is("no_combine"))
		target.vector_bytes = 32;
	if (is("target_size"))
		target.size = 0;
	if (is("caps_size"))
		mine.size = 0;
	return is("none") ? NULL : &mine;
}

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	if (!is("refuses"))
		return plain_accepts(s, t, diag);
	if (diag)
		diag->report(diag,
			&(struct lt_diagnostic){ .size = sizeof(struct lt_diagnostic),
				.code = LT_EUNSUPPORTED,
				.loop = -1,
				.stmt = 0,
				.text = "nothing is taken here" });
	return LT_EUNSUPPORTED;
}

FAULTY("odd_caps", .score = score, .open = open, .caps = caps, .accepts = accepts)
