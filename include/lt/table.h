/* lt/table.h -- the tables of the library as rows: element types, operators, statuses (those of schedule primitives:
 * lt/schedule.h; backends and frontends: lt_backend_at, lt_frontend_at).
 *
 * Rows count from 0, in an order that stays, and new ones come at the end of types and statuses.  A function fills the
 * struct that it is handed: as many bytes as `size` says, which the caller sets to sizeof, and sets size to how many
 * these are.  LT_EINVAL: there is no such row, and nothing is filled.
 * Texts are static.  Nothing here needs a context; any thread may call it at any time.
 */
#ifndef LT_TABLE_H
#define LT_TABLE_H
#include "lt/status.h"
#include "lt/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values are pinned. */
enum lt_type_kind { LT_KIND_FLOAT, LT_KIND_INT, LT_KIND_BOOL };
struct lt_type_row {
	uint32_t size;
	int32_t dtype;                  /* enum lt_dtype                                              */
	const char *name;               /* "f32": of graphs and trees                                 */
	const char *script;             /* "float32": of scripts                                      */
	const char *numpy;              /* "f4": descr of NumPy's format without byte order; "": none */
	const char *safetensors;        /* "F32"; "": none                                            */
	uint32_t bytes;                 /* of one element                                             */
	int32_t kind;                   /* enum lt_type_kind                                          */
	uint32_t is_signed;
	int32_t compute;                /* enum lt_dtype: arithmetic is done in that type, and cast back */
	double unit;                    /* unit roundoff, half the distance from 1 to the next number; 0 of integers */
};
LT_API int32_t lt_type_count(void);
LT_API lt_status lt_type_at(int32_t i, struct lt_type_row *out);

struct lt_operator_row {
	uint32_t size;
	int32_t arity;                  /* operands; -1: any number                                   */
	const char *name;               /* "add": what lt_graph_op takes, unless it moves data        */
	const char *help;               /* one line                                                   */
	uint32_t moves_data;            /* 1: sources, views and what has functions of its own in lt/graph.h */
	uint32_t kinds;                 /* bit set 1<<enum lt_type_kind of the types that it computes in; any_type: 0 */
	uint32_t any_type;              /* 1: takes elements of every type as they are                */
	uint32_t to_bool;               /* 1: its result is a bool                                    */
	uint32_t reduces;               /* 1: lt_graph_reduce takes it                                */
	int32_t ulp;                    /* accuracy that backends owe, in units in the last place; 0: correctly rounded */
};
LT_API int32_t lt_operator_count(void);
LT_API lt_status lt_operator_at(int32_t i, struct lt_operator_row *out);

struct lt_status_row {
	uint32_t size;
	lt_status status;
	const char *name, *text;        /* "EINVAL", "invalid argument"                               */
};
LT_API int32_t lt_status_count(void);
LT_API lt_status lt_status_at(int32_t i, struct lt_status_row *out);

#ifdef __cplusplus
}
#endif
#endif
