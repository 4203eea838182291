/* lt/options.h -- what stands after NAME: of a backend: items with / between them, such as "device=1/tf32".
 *
 * A table says which items there are.  They are read one after the other, and what is wrong is reported in the same
 * words for every backend.  Functions of this header only: a plug-in needs nothing else.
 *
 *     static const struct lt_option options[] = { { "device", "N", NULL, 0, 999 }, { "tf32" } };
 *     struct lt_option_reader r = lt_option_begin(config, options, 2, diag);
 *     for (struct lt_option_item item; lt_option_next(&r, &item); )
 *             ...                                     item.which: its row; item.number: the number
 *     return r.status;
 *
 * ';' separates items, too, as it did before.
 */
#ifndef LT_OPTIONS_H
#define LT_OPTIONS_H
#include <stdio.h>
#include <string.h>
#include "lt/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lt_option {
	const char *key;
	const char *value;              /* for messages, what follows '=': "N", "FILE"; NULL: nothing may follow the key */
	const char *words;              /* "c c99": the value is one of these, and item.number its place; NULL: any */
	int64_t low, high;              /* high > 0: the value is a number from low to high; else a text */
	uint32_t again;                 /* 1: it may be given more than once */
	uint32_t slashes;               /* 1: the value may hold / (a path): it ends before the next KEY=, or at the end */
	const char *about;              /* what it does, a line for people; NULL: it does not say */
};
struct lt_option_item {
	int32_t which;                  /* its row */
	const char *text;               /* its value, in the config; not ended by a 0 */
	size_t bytes;
	int64_t number;
};
struct lt_option_reader {
	const struct lt_option *table;
	uint32_t n;
	const char *config, *at;        /* all, and what is left */
	struct lt_diag *diag;
	lt_status status;               /* LT_EINVAL: something is wrong, and has been reported */
};

static inline lt_status lt_option_report(struct lt_diag *diag, const char *text, const char *remedy)
{
	struct lt_diagnostic d = { (uint32_t)sizeof d, LT_EINVAL, -1, -1, text, remedy };
	if (diag)
		diag->report(diag, &d);
	return LT_EINVAL;
}

/* The place of the word of `bytes` letters in a list of them with blanks between; -1: it is not there. */
static inline int64_t lt_option_word(const char *words, const char *text, size_t bytes)
{
	int64_t place = 0;
	for (const char *at = words; *at; place++) {
		const size_t n = strcspn(at, " ");
		if (n == bytes && memcmp(at, text, n) == 0)
			return place;
		at += n + (at[n] == ' ');
	}
	return -1;
}

static inline void lt_option_append(char *to, size_t cap, const char *text, size_t bytes)
{
	const size_t n = strlen(to), space = cap - 1 - n;
	memcpy(to + n, text, bytes < space ? bytes : space);
	to[n + (bytes < space ? bytes : space)] = '\0';
}

/* LT_EINVAL: the item's value is wrong.  remedy: what the option takes; NULL: its row says it. */
static inline lt_status lt_option_refuse(
	const struct lt_option *o, const struct lt_option_item *item, const char *remedy, struct lt_diag *diag)
{
	char text[200], takes[400];
	const int shown = item->bytes < 60 ? (int)item->bytes : 60;
	(void)snprintf(text, sizeof text, item->bytes ? "the option %s does not take '%.*s'"
		: o->value ? "the option %s has no value" : "the option %s does not fit here",
		o->key, shown, item->text);
	if (!remedy && o->words) {
		takes[0] = '\0';
		lt_option_append(takes, sizeof takes, "give one of ", 12);
		for (const char *at = o->words; *at; at += strcspn(at, " "), at += *at == ' ') {
			lt_option_append(takes, sizeof takes, ", ", at == o->words ? 0 : 2);
			lt_option_append(takes, sizeof takes, at, strcspn(at, " "));
		}
	} else if (o->high > 0) {
		(void)snprintf(takes, sizeof takes, "give a whole number from %lld to %lld", (long long)o->low, (long long)o->high);
	} else {
		(void)snprintf(takes, sizeof takes, "write %s=%s", o->key, o->value ? o->value : "");
	}
	return lt_option_report(diag, text, remedy ? remedy : takes);
}

static inline lt_status lt_option_unknown(
	const struct lt_option *table, uint32_t n, const char *text, size_t bytes, struct lt_diag *diag)
{
	char what[100], all[900] = "";
	(void)snprintf(what, sizeof what, "unknown option '%.*s'", bytes < 60 ? (int)bytes : 60, text);
	for (uint32_t i = 0; i < n; i++) {
		lt_option_append(all, sizeof all, i == 0 ? "there is " : i + 1 < n ? ", " : " and ",
			i == 0 ? 9 : i + 1 < n ? 2 : 5);
		lt_option_append(all, sizeof all, table[i].key, strlen(table[i].key));
		if (table[i].value) {
			lt_option_append(all, sizeof all, "=", 1);
			lt_option_append(all, sizeof all, table[i].value, strlen(table[i].value));
		}
	}
	if (n > 1)
		lt_option_append(all, sizeof all, ", with / between them", 21);
	return lt_option_report(diag, what, n ? all : "it has no options: leave it out");
}

/* The row whose key stands there, with its '=' if a value follows; -1: none. */
static inline int32_t lt_option_find(const struct lt_option *table, uint32_t n, const char *at, size_t *value)
{
	const size_t end = strcspn(at, "/;="), key = end;
	*value = at[end] == '=' ? end + 1 : end;
	for (uint32_t i = 0; i < n; i++)
		if (strlen(table[i].key) == key && memcmp(table[i].key, at, key) == 0)
			return (int32_t)i;
	return -1;
}

/* Letters of a value up to the next item.  A path goes on behind a '/', unless KEY= stands there. */
static inline size_t lt_option_length(
	const struct lt_option *table, uint32_t n, const struct lt_option *o, const char *value)
{
	size_t bytes = strcspn(value, "/;");
	while (o->slashes && value[bytes] == '/') {
		const char *at = value + bytes + 1;
		size_t next;
		if (lt_option_find(table, n, at, &next) >= 0 && at[next - 1] == '=')
			break;
		bytes += 1 + strcspn(at, "/;");
	}
	return bytes;
}

/* Decimal digits, a '-' before them; -1: it is no number, or too long. */
static inline int lt_option_number(const char *text, size_t bytes, int64_t *out)
{
	const size_t sign = bytes && text[0] == '-';
	int64_t value = 0;
	if (bytes == sign || bytes > 18 + sign)
		return -1;
	for (size_t i = sign; i < bytes; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		value = value * 10 + (text[i] - '0');
	}
	*out = sign ? -value : value;
	return 0;
}

/* Whether the key of that row stands before `end`. */
static inline int lt_option_given(const struct lt_option_reader *r, int32_t which, const char *end)
{
	for (const char *at = r->config; at < end; ) {
		size_t value;
		const int32_t row = lt_option_find(r->table, r->n, at, &value);
		if (row == which)
			return 1;
		at += value + (row < 0 ? 0 : lt_option_length(r->table, r->n, &r->table[row], at + value));
		at += at < end && (*at == '/' || *at == ';');
	}
	return 0;
}

/* config: NULL is as "". */
static inline struct lt_option_reader lt_option_begin(
	const char *config, const struct lt_option *table, uint32_t n, struct lt_diag *diag)
{
	struct lt_option_reader r = { table, n, config ? config : "", config ? config : "", diag, LT_OK };
	return r;
}

/* 0: there is no item left, or something is wrong: r->status says which. */
static inline int lt_option_next(struct lt_option_reader *r, struct lt_option_item *item)
{
	char text[100];
	size_t value;
	while (*r->at == '/' || *r->at == ';')
		r->at++;
	if (!*r->at || r->status)
		return 0;
	const char *at = r->at;
	const int32_t which = lt_option_find(r->table, r->n, at, &value);
	if (which < 0) {
		r->status = lt_option_unknown(r->table, r->n, at, strcspn(at, "/;"), r->diag);
		return 0;
	}
	const struct lt_option *o = &r->table[which];
	item->which = which;
	item->text = at + value;
	item->bytes = lt_option_length(r->table, r->n, o, item->text);
	item->number = o->words ? lt_option_word(o->words, item->text, item->bytes) : 0;
	r->at = item->text + item->bytes;
	if (!o->again && lt_option_given(r, which, at)) {
		(void)snprintf(text, sizeof text, "the option %.60s is given twice", o->key);
		r->status = lt_option_report(r->diag, text, "leave one of them out");
	} else if (!o->value && value > strlen(o->key)) {
		(void)snprintf(text, sizeof text, "the option %.60s takes no value", o->key);
		r->status = lt_option_report(r->diag, text, "leave out what follows it");
	} else if (o->value && (!item->bytes || item->number < 0 || (o->high > 0
		&& (lt_option_number(item->text, item->bytes, &item->number) || item->number < o->low
			|| item->number > o->high)))) {
		r->status = lt_option_refuse(o, item, NULL, r->diag);
	}
	return !r->status;
}

#ifdef __cplusplus
}
#endif
#endif
