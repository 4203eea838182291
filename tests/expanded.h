/* expanded.h -- one operator as a kernel program, expanded for a machine, run in the simulator. */
#ifndef TESTS_EXPANDED_H
#define TESTS_EXPANDED_H
#include "kernel/form/form.h"
#include "tests/simulated.h"

enum { EXPANDED_N = 1 << 12 };                  /* elements of a run */
/* from: of a cast, else the same as dtype.  beside: a constant in place of y, or, in front, of x with x for y. */
struct expanded_case { uint32_t opcode, dtype, from, lanes; const char *beside; bool in_front; };
static inline struct expanded_case expanded_of(uint32_t opcode, uint32_t dtype, uint32_t lanes)
{
	return (struct expanded_case){ .opcode = opcode, .dtype = dtype, .from = dtype, .lanes = lanes };
}
struct expanded_data { _Alignas(8) uint64_t x[EXPANDED_N], y[EXPANDED_N], z[EXPANDED_N]; };

/* What C99 has for one lane; only what no expansion replaces, for one lane; nothing. */
extern const struct lt_machine expanded_c99, expanded_min, expanded_bare;

/* z[i] = operator(x[i], y[i]), y if it has two operands; a comparison's value is a bool.  Not expanded. */
struct lt_kernel *expanded_program(struct expanded_case);
/* Expanded, verified, printed and read back; the caller's to free. */
/* Both are z's elements of a type: the same bits, or both NaN. */
bool expanded_same(uint32_t dtype, uint64_t, uint64_t);
struct lt_kernel *expanded_for(const struct lt_kernel *, const struct lt_machine *);
/* Elements of the types are packed in x, y and z. */
void expanded_run(const struct lt_kernel *, struct expanded_data *);
uint64_t expanded_get(const uint64_t *packed, int i, uint32_t dtype);
void expanded_write(uint64_t *packed, int i, uint32_t dtype, uint64_t bits);
uint32_t expanded_out(struct expanded_case);    /* the type of z */
int expanded_arity(uint32_t opcode);

/* Special values of a type, then random ones: typed bits. */
uint64_t expanded_value(uint32_t dtype, int i, uint64_t *state);
#endif
