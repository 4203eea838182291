/* parser.h -- the text of a kernel program as it is read: what the files of the parser share.
 *
 * parse.c          regions, and the whole
 * head.c     what stands before the regions
 * body.c     instructions
 * element.c  what they are made of
 * address.c  addresses, places of matrices
 * call.c     what routines are called for
 * operand.c  values, constants, names
 * number.c   numbers, constants, types
 * word.c     words, failures
 *
 * Failures jump: lt__kernel_fail never returns.
 */
#ifndef LT_KERNEL_PARSE_PARSER_H
#define LT_KERNEL_PARSE_PARSER_H
#include "kernel/build/build.h"
#include "kernel/verify/verify.h"

enum lt_kernel_token {
	LT_KERNEL_END, LT_KERNEL_LINE,
	LT_KERNEL_WORD,         /* a name, an opcode, a number: whatever is between blanks and signs */
	LT_KERNEL_VALUE,        /* the name after % */
	LT_KERNEL_STRING,       /* what is between the quotes, not yet unescaped */
	LT_KERNEL_SIGN,         /* one of [ ] ( ) , = @ */
	LT_KERNEL_BAD           /* a string that does not end in its line */
};
enum lt_kernel_named { LT_KERNEL_BUFFER, LT_KERNEL_VARIABLE, LT_KERNEL_MATRIX, LT_NKERNEL_NAMED };
/* Where the parts of one kind stand. */
struct lt_text_positions { struct lt_text_position *at; int32_t n, cap; };

struct lt_kernel_parser {
	struct lt_kernel_builder b;
	struct lt_pool scratch;
	struct lt_diag *diag;
	lt_status status;               /* of a jump */
	const char *next, *end, *line_at;
	int32_t line;
	enum lt_kernel_token kind;      /* the token last read */
	const char *at;
	size_t bytes;
	struct lt_text_position position;       /* where it begins */
	struct lt_kernel_names names;   /* of buffers, variables, matrices: LT_NKERNEL_NAMED i + enum lt_kernel_named */
	struct lt_kernel_names values;  /* of the region */
	struct lt_text_positions positions[LT_NPART];
	struct lt_text_position statement;      /* where the line's first token is */
	bool slots_given;
};

/* word.c */
_Noreturn void lt__kernel_fail(struct lt_kernel_parser *, lt_status, struct lt_text_position, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
#define LT_KERNEL_SYNTAX(p, ...) lt__kernel_fail(p, LT_ESYNTAX, (p)->position, __VA_ARGS__)
void lt__kernel_next(struct lt_kernel_parser *);
bool lt__kernel_is(const struct lt_kernel_parser *, const char *word);          /* that word or sign */
bool lt__kernel_accept(struct lt_kernel_parser *, const char *word);
void lt__kernel_expect(struct lt_kernel_parser *, const char *word);
/* The token as a message shows it. */
struct lt_shown_token { char text[80]; };
struct lt_shown_token lt__kernel_token(const struct lt_kernel_parser *);
const char *lt__kernel_string(struct lt_kernel_parser *, const char *what);     /* between quotes */
const char *lt__kernel_word(struct lt_kernel_parser *, const char *what);       /* a name, or a string */
void lt__kernel_line_end(struct lt_kernel_parser *);
void lt__kernel_located(struct lt_kernel_parser *, enum lt_kernel_part, struct lt_text_position);

/* number.c */
int32_t lt__kernel_origin(struct lt_kernel_parser *);                           /* @7; -1: none */
int64_t lt__kernel_number(struct lt_kernel_parser *, const char *what, int64_t min, int64_t max);
uint64_t lt__kernel_hex(struct lt_kernel_parser *, const char *what);
uint64_t lt__kernel_constant(struct lt_kernel_parser *, struct lt_value_type);  /* typed bits */
struct lt_value_type lt__kernel_type(struct lt_kernel_parser *);

/* head.c: a line before the regions; the first token is read. */
void lt__kernel_head(struct lt_kernel_parser *, struct lt_out *prelude);
/* (3, 4, 5) */
void lt__kernel_three(struct lt_kernel_parser *, const char *what, int64_t *out, int64_t max);

/* call.c: behind `call`, before the regions. */
void lt__kernel_read_call(struct lt_kernel_parser *);

/* An instruction that is being read. */
struct lt_read_instruction {
	struct lt_instruction i;
	const struct lt_opcode_facts *facts;
	struct lt_value_type t, from;
	const struct lt_op *op;                 /* of `text` */
	const char *name;                       /* of its value; NULL: it has none so far */
	size_t bytes;
};
/* operand.c: of that type, a value or a constant; the number of what is declared under the name. */
int32_t lt__kernel_build(struct lt_kernel_parser *, struct lt_instruction);
int32_t lt__kernel_build_constant(struct lt_kernel_parser *, struct lt_value_type, uint64_t bits);
int32_t lt__kernel_read_value(struct lt_kernel_parser *);               /* the token stays */
int32_t lt__kernel_operand(struct lt_kernel_parser *, struct lt_value_type);
int32_t lt__kernel_known(struct lt_kernel_parser *, enum lt_kernel_named);

/* address.c: NAME[%3 + 5 by 4]; what is copied, NAME[%3 + 5]; matrix a or b, a value or a place; (c0, c1). */
void lt__kernel_read_address(struct lt_kernel_parser *, struct lt_read_instruction *);
void lt__kernel_read_source(struct lt_kernel_parser *, struct lt_read_instruction *);
void lt__kernel_read_fragment(struct lt_kernel_parser *, struct lt_read_instruction *);
void lt__kernel_read_matrix(struct lt_kernel_parser *, struct lt_read_instruction *, int operand);
void lt__kernel_read_accumulators(struct lt_kernel_parser *, struct lt_read_instruction *);

/* element.c */
void lt__kernel_element(struct lt_kernel_parser *, struct lt_read_instruction *, char element);
void lt__kernel_value_name(struct lt_kernel_parser *, struct lt_read_instruction *);    /* %3, which is made */
void lt__kernel_stored_lanes(struct lt_kernel_parser *, struct lt_read_instruction *);

/* body.c: the instruction whose first token was read, and the end of its line. */
void lt__kernel_instruction(struct lt_kernel_parser *);
#endif
