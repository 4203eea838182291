/* config.c -- what the user wrote after `trace:`, words with ; between them. */
#include <stdlib.h>
#include <string.h>
#include "trace.h"

#define OPTIONS "there are L1=SIZE/WAYS/LINE, L2 and L3 likewise, file=PATH and list=PATH, with ; between them"

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

static lt_status read_level(const char *word, struct config *c, struct lt_diag *diag)
{
	int i = word[1] - '1';
	const char *at = word + 3;
	struct level l = { .bytes = read_size(&at, true) };
	if (i != c->n_level)
		return refuse(diag, LT_EINVAL, -1, -1, "begin with L1 and leave none out",
			"'%s' is no level behind %d others", word, c->n_level);
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
			"'%s' is not a size, a number of ways and a size of lines", word);
	if (l.line < 8 || l.line > 4096 || (l.line & (l.line - 1)))
		return refuse(diag, LT_EINVAL, -1, -1, "take 64",
			"%s: lines of %u bytes are no power of two from 8 to 4096", word, (unsigned)l.line);
	if (l.bytes > UINT64_C(1) << 40 || l.bytes % ((uint64_t)l.ways * l.line))
		return refuse(diag, LT_EINVAL, -1, -1, "take a size that they divide",
			"%s: %u ways with lines of %u bytes do not divide %llu bytes", word, (unsigned)l.ways,
			(unsigned)l.line, (unsigned long long)l.bytes);
	if (i && (l.line != c->level[i - 1].line || l.bytes <= c->level[i - 1].bytes))
		return refuse(diag, LT_EINVAL, -1, -1, "give each level the same lines, and more bytes than the one before it",
			"'%s' does not fit behind the level before it", word);
	c->level[c->n_level++] = l;
	return LT_OK;
}

static lt_status read_word(const char *word, struct config *c, struct lt_diag *diag)
{
	if (word[0] == 'L' && word[1] >= '1' && word[1] <= '0' + MAX_LEVEL && word[2] == '=')
		return read_level(word, c, diag);
	char *path = strncmp(word, "file=", 5) ? strncmp(word, "list=", 5) ? NULL : c->list : c->file;
	if (!path || !word[5] || strlen(word + 5) >= sizeof c->file)
		return refuse(diag, LT_EINVAL, -1, -1, OPTIONS, "unknown option '%s'", word);
	strcpy(path, word + 5);
	return LT_OK;
}

lt_status read_config(const char *text, struct config *c, struct lt_diag *diag)
{
	char word[600];
	*c = (struct config){ 0 };
	for (const char *at = text ? text : ""; *at; ) {
		size_t bytes = strcspn(at, ";");
		if (bytes >= sizeof word)
			return refuse(diag, LT_EINVAL, -1, -1, OPTIONS, "an option has %zu letters", bytes);
		memcpy(word, at, bytes);
		word[bytes] = '\0';
		lt_status status = bytes ? read_word(word, c, diag) : LT_OK;
		if (status)
			return status;
		at += bytes + (at[bytes] == ';');
	}
	if (c->n_level == 0)
		c->level[c->n_level++] = (struct level){ 32 << 10, 8, 64 };
	return LT_OK;
}
