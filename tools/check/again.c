/* again.c -- one graph from a file, by its tree and with its data: how a reduced failure is repeated. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "lt/frontend.h"
#include "tools/check/check.h"
#include "tools/tensor/tensor.h"
#include "tools/common/common.h"

/* A text file with a 0 after it, the caller's to free. */
static lt_status read_text(struct lt_context *ctx, const char *path, char **out)
{
	struct lt_bytes bytes;
	*out = NULL;
	LT_TRY(lt__bytes_read(ctx, path, &bytes));
	char *text = malloc(bytes.n + 1);
	if (text) {
		if (bytes.n)
			memcpy(text, bytes.at, bytes.n);
		text[bytes.n] = '\0';
	}
	lt__bytes_free(&bytes);
	*out = text;
	return text ? LT_OK : lt_fail(ctx, LT_ENOMEM, "out of memory");
}

static lt_status read_data(struct lt_context *ctx, const char *text, struct check_data *out)
{
	int wild = 0, end = 0;
	*out = (struct check_data){ .seed = 1 };
	if (text
		&& (sscanf(text, "%" SCNu64 "/%d/%d/%d%n", &out->seed, &out->set, &out->special, &wild, &end) != 4
			|| text[end] || out->set < 0 || out->set >= CHECK_N_SET))
		return lt_fail(ctx, LT_EINVAL, "--data %.100s: SEED/SET/SPECIAL/WILD is expected, as a failure's line has it", text);
	out->wild = wild != 0;
	return LT_OK;
}

/* *tree is NULL where none is given. */
static lt_status read_all(struct lt_context *ctx, const struct check_options *o, struct lt_graph **g, char **tree,
	struct check_data *data)
{
	char *script;
	LT_TRY(read_data(ctx, o->data, data));
	LT_TRY(read_text(ctx, o->script, &script));
	lt_status st = lt_parse(ctx, script, strlen(script), o->script, NULL, g);
	free(script);
	LT_TRY(st);
	return o->schedule ? read_text(ctx, o->schedule, tree) : LT_OK;
}

lt_status lt__check_again(struct lt_context *ctx, const struct check_options *o, int *verdict)
{
	struct check_outcome out = { 0 };
	struct check_data data;
	struct lt_graph *g = NULL;
	char *tree = NULL;
	lt_status st = read_all(ctx, o, &g, &tree, &data);
	if (!st) {
		lt__check_child_graph(o, g, &(struct check_tree){ .text = tree }, &data, &out);
		lt__say(stdout, "%s %s%s%s\n", lt__check_loud[out.status], o->script, out.text[0] ? "\n  " : "", out.text);
		*verdict = !out.done || out.status == CHECK_FAILED ? LT_EXIT_FAILED
			: out.status == CHECK_SKIPPED ? LT_EXIT_USAGE : LT_EXIT_OK;
	}
	free(out.schedule);
	free(tree);
	lt_graph_free(g);
	return st && st != LT_ENOMEM ? LT_EINVAL : st;  /* what cannot be read is a mistake in what was given */
}
