/* predict.h -- what bounds the loops of a grid on a machine, by what the simulator counted.
 *
 * Not modelled: latency, scheduling, and caches: what is read again counts again.  So a kernel that rereads little does
 * not fall below the time, and what is named is what has to become less first.
 */
#ifndef LT_KERNEL_SIMULATE_PREDICT_H
#define LT_KERNEL_SIMULATE_PREDICT_H
#include "kernel/simulate/simulate.h"

/* Rates are by multiprocessor and cycle. */
struct lt_simulate_machine {
	const char *name;
	double multiprocessors, cycles_per_second;
	double instructions;            /* of subgroups that are issued                        */
	double lanes;                   /* of f32 and 32-bit arithmetic                        */
	double memory_bytes;            /* of device memory, its share of all                  */
	double shared_cycles;           /* phases of banks                                     */
	double products;                /* multiply-adds of 16-bit matrices                    */
	int64_t shared_bytes;           /* that a block may have, at most                      */
	int64_t registers;              /* of 4 bytes, of a multiprocessor                     */
	int64_t l2_bytes;               /* of the whole                                        */
};
const struct lt_simulate_machine *lt__simulate_machine(const char *name);       /* NULL: not known */

/* A lower bound of the registers, of 4 bytes, that a thread of a region needs: values and variables that live at once.
 * LT_ENOMEM: out of memory. */
lt_status lt__simulate_registers(const struct lt_kernel *, int32_t region, int64_t *out);

/* Lines for each grid and each loop in it: blocks, registers, cycles of each kind, and which are the most.  The counts
 * have requests. */
lt_status lt__simulate_predict(const struct lt_kernel *, const struct lt_simulate_count *,
	const struct lt_simulate_machine *, lt_write *, void *user);
#endif
