/* printer.h -- the text of a kernel program as it is printed: what print.c, body.c and word.c share. */
#ifndef LT_KERNEL_PRINT_PRINTER_H
#define LT_KERNEL_PRINT_PRINTER_H
#include "kernel/form/form.h"

struct lt_kernel_printer {
	const struct lt_kernel *k;
	lt_write *write;
	void *user;
	int32_t *number;                /* in the text, of each instruction; NULL: there was no memory */
	const struct lt_region *region;
	const char *gap;                /* what stands before the next element */
};

/* word.c */
void lt__print_text(struct lt_kernel_printer *, const char *);
void lt__printf(struct lt_kernel_printer *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void lt__print_quoted(struct lt_kernel_printer *, const char *, size_t n);
void lt__print_name(struct lt_kernel_printer *, const char *);          /* between quotes if it is not one word */
void lt__print_type(struct lt_kernel_printer *, struct lt_value_type);
void lt__print_const(struct lt_kernel_printer *, uint32_t dtype, uint64_t bits);

/* body.c */
bool lt__print_is_written(const struct lt_instruction *);       /* it has a line */
bool lt__print_has_value(const struct lt_instruction *);        /* and a number */
const char *lt__print_buffer_name(const struct lt_kernel_printer *, int64_t buffer);
void lt__print_instruction(struct lt_kernel_printer *, const struct lt_instruction *);
#endif
