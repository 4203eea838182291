/* config.c -- what the user wrote after `trace:`: "L1=32k/8/64/L2=1m/16/64/file=PATH". */
#include <stdlib.h>
#include <string.h>
#include <lt/options.h>
#include "trace.h"

/* A number and k, m or g; 0 where it is none. */
static uint64_t read_size(const char **at, bool unit)
{
	uint64_t n = 0;
	if (**at == '0')
		return 0;
	for (; **at >= '0' && **at <= '9' && n < UINT64_C(1) << 32; ++*at)
		n = n * 10 + (uint64_t)(**at - '0');
	const char *units = "kmg", *u = unit && **at ? strchr(units, **at | 0x20) : NULL;
	if (u) {
		n <<= 10 * (u - units + 1);
		++*at;
	}
	return n;
}

static lt_status read_level(int i, const char *word, struct config *c, struct lt_diag *diag)
{
	const char *at = word;
	struct level l = { .bytes = read_size(&at, true) };
	if (i != c->n_level)
		return refuse(diag, LT_EINVAL, -1, -1, "begin with L1 and leave none out",
			"'L%d=%s' is no level behind %d others", i + 1, word, c->n_level);
	if (*at == '/') {
		at++;
		l.ways = (uint32_t)read_size(&at, false);
	}
	if (*at == '/') {
		at++;
		l.line = (uint32_t)read_size(&at, false);
	}
	if (*at || !l.bytes || !l.ways || !l.line)
		return refuse(diag, LT_EINVAL, -1, -1, "write it as L1=32k/8/64",
			"'L%d=%s' is not a size, a number of ways and a size of lines", i + 1, word);
	if (l.line < 8 || l.line > 4096 || (l.line & (l.line - 1)))
		return refuse(diag, LT_EINVAL, -1, -1, "take 64",
			"L%d=%s: lines of %u bytes are no power of two from 8 to 4096", i + 1, word,
			(unsigned)l.line);
	if (l.bytes > UINT64_C(1) << 40 || l.bytes % ((uint64_t)l.ways * l.line))
		return refuse(diag, LT_EINVAL, -1, -1, "take a size that they divide",
			"L%d=%s: %u ways with lines of %u bytes do not divide %llu bytes", i + 1, word,
			(unsigned)l.ways, (unsigned)l.line, (unsigned long long)l.bytes);
	if (i && (l.line != c->level[i - 1].line || l.bytes <= c->level[i - 1].bytes))
		return refuse(diag, LT_EINVAL, -1, -1, "give each level the same lines, and more bytes than the one before it",
			"'L%d=%s' does not fit behind the level before it", i + 1, word);
	c->level[c->n_level++] = l;
	return LT_OK;
}

lt_status read_config(const char *text, struct config *c, struct lt_diag *diag)
{
	enum { LEVELS = MAX_LEVEL, LIST = LEVELS, FILE_, N_OPTION };
	static const struct lt_option options[N_OPTION] = { { .key = "L1", .value = "SIZE/WAYS/LINE", .slashes = 1 },
		{ .key = "L2", .value = "SIZE/WAYS/LINE", .slashes = 1 }, { .key = "L3", .value = "SIZE/WAYS/LINE", .slashes = 1 },
		[LIST] = { .key = "list", .value = "PATH", .slashes = 1 },
		[FILE_] = { .key = "file", .value = "PATH", .slashes = 1 } };
	struct lt_option_reader r = lt_option_begin(text, options, N_OPTION, diag);
	*c = (struct config){ 0 };
	for (struct lt_option_item item; lt_option_next(&r, &item); ) {
		char level[64], *to = item.which == LIST ? c->list : item.which == FILE_ ? c->file : level;
		size_t cap = to == level ? sizeof level : sizeof c->file;
		if (item.bytes >= cap)
			return lt_option_refuse(&options[item.which], &item, "give a shorter one", diag);
		memcpy(to, item.text, item.bytes);
		to[item.bytes] = '\0';
		if (to == level)
			r.status = read_level(item.which, level, c, diag);
	}
	if (r.status)
		return r.status;
	if (c->n_level == 0)
		c->level[c->n_level++] = (struct level){ 32 << 10, 8, 64 };
	return LT_OK;
}
