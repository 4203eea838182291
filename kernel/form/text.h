/* text.h -- what the text of a kernel program has lines for, and what breaks a rule there.
 *
 * print*.c      the text (print.h); which line a part of a program has in it
 * parse*.c      the text read (parse.h)
 * names.c       what a name stands for
 * verify.c      the rules
 */
#ifndef LT_KERNEL_FORM_TEXT_H
#define LT_KERNEL_FORM_TEXT_H
#include <stdbool.h>
#include "kernel/form/pool.h"
#include "lt/kernel.h"

enum lt_kernel_part { LT_PART_WHOLE, LT_PART_OPERATOR, LT_PART_BUFFER, LT_PART_VARIABLE, LT_PART_PARAM, LT_PART_MATRIX,
	LT_PART_CALL, LT_PART_REGION, LT_PART_INSTRUCTION, LT_NPART };
/* The line that the part has in what lt_kernel_print writes: of a constant, that of the instruction after it.  The
 * indices of regions, instructions and prelude are good. */
int32_t lt__kernel_line(const struct lt_kernel *, enum lt_kernel_part, int32_t index);

enum { LT_MAX_NAME = 63 };
/* [a-zA-Z_][a-zA-Z0-9_.]*, of at most LT_MAX_NAME bytes. */
bool lt__kernel_is_name(const char *, size_t bytes);

struct lt_text_position { int32_t line, column; };

/* The first rule that a program breaks: where, in which region (-1: none), and another instruction that it has to do
 * with (-1: none). */
struct lt_broken_rule {
	enum lt_kernel_part part;
	int32_t index, region, other;
	char text[400];
	const char *remedy;
};
/* LT_EINVAL with *out, LT_ENOMEM, or LT_OK. */
lt_status lt__kernel_check(const struct lt_kernel *, struct lt_broken_rule *out);
/* Reports it, and returns LT_EINVAL.  column 0: not known; other_line 0: no other. */
lt_status lt__kernel_refuse(
	struct lt_diag *, const struct lt_broken_rule *, struct lt_text_position at, int32_t other_line);

/* What names stand for.  However they are chosen, a name costs no more than its length. */
struct lt_kernel_names {
	struct lt_pool *pool;
	struct lt_kernel_name { const char *at; size_t bytes; int32_t value; } *name;
	struct lt_name_fork { uint32_t bit; int32_t child[2]; } *fork;  /* child < 0: ~ a name */
	int32_t n, cap;
};
int32_t lt__kernel_name_find(const struct lt_kernel_names *, const char *, size_t bytes);      /* -1: not known */
/* A new one, of at most LT_MAX_NAME bytes and without a 0; it is not copied. */
void lt__kernel_name_add(struct lt_kernel_names *, const char *, size_t bytes, int32_t value);
#endif
