/* printer.h -- the text of a graph under way: its bytes, and what its lines are made of. */
#ifndef LT_IR_TEXT_PRINTER_H
#define LT_IR_TEXT_PRINTER_H
#include "ir/graph/graph.h"

enum { LT_PRINTER_BYTES = 4096 };       /* kept back before they are written */
struct lt_printer {
	const struct lt_graph *g;
	struct lt_arena *scratch;
	void (*write)(void *, const char *, size_t);
	void *user;
	struct lt_print_frame *stack;   /* of print_piece.c: expressions under way */
	int32_t cap_stack;
	char buffer[LT_PRINTER_BYTES];
	size_t n;
};

/* printer.c */
void lt__printer_text(struct lt_printer *, const char *);
void lt__printer_flush(struct lt_printer *);
void lt__printer_int(struct lt_printer *, int64_t);
/* In quotes.  What may not be shown as it is goes byte by byte, so that every text is read back, and none acts upon a
 * terminal. */
void lt__printer_string(struct lt_printer *, const char *);
void lt__printer_node(struct lt_printer *, lt_node);
void lt__printer_bits(struct lt_printer *, uint64_t bits, enum lt_dtype);
/* "+ 3*" before a term, "-" before a first one; atom: a name follows. */
void lt__printer_factor(struct lt_printer *, bool first, int64_t c, bool atom);
/* "n - m + 1": constant + sum coef*param, params first. */
void lt__printer_linear(struct lt_printer *, const struct lt_linear *);

/* print_piece.c: "%x[m, floor(k / 4)] if k - 1 >= 0", a piece of view n; listed: operands by their number. */
void lt__printer_piece(
	struct lt_printer *, const struct lt_nodedef *n, const struct lt_graphpiece *, bool listed);
#endif
