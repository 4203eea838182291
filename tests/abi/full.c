/* tests/abi/full.c -- no struct of the interface that may grow has free bytes at its end: a member that was put there
 * could not be told from what lay there before.  One that grows is named here with its new last member. */
#include "lt/backend.h"

#define FULL(type, last) \
	_Static_assert(offsetof(struct type, last) + sizeof((struct type *)0)->last == sizeof(struct type), \
		#type " has free bytes behind " #last);
FULL(lt_backend, options)
FULL(lt_device, bytes) FULL(lt_diagnostic, remedy) FULL(lt_host, running) FULL(lt_caps, promises) FULL(lt_args, param)
	FULL(lt_target, dot_bytes) FULL(lt_tree, call_windows) FULL(lt_type, bytes) FULL(lt_op, reserved)
		FULL(lt_tparam, high) FULL(lt_div, den) FULL(lt_loop, base) FULL(lt_buffer, reserved)
			FULL(lt_access, n_bound) FULL(lt_piece, bits) FULL(lt_operand, dtype) FULL(lt_stmt, reserved)
				FULL(lt_call, n_anchor) FULL(lt_call_dim, n_bound) FULL(lt_call_operand, first_stride)
					FULL(lt_routine, reserved) FULL(lt_routine_shape, window)
						FULL(lt_call_guard, first_stride) FULL(lt_call_read, fill)
						FULL(lt_call_value, bits) FULL(lt_call_op, n_value) FULL(lt_call_result, first_stride)
							FULL(lt_call_anchor, up_to) FULL(lt_call_window, step)
