/* tile.h -- the matrix instructions of lt/tile.h, by name and by what they are. */
#ifndef LT_KERNEL_FORM_TILE_H
#define LT_KERNEL_FORM_TILE_H
#include <stdbool.h>
#include "lt/tile.h"

/* All names: of a machine that has every instruction (lt_machine.tiles). */
extern const char *const lt__tile_names[];
extern const uint32_t lt__n_tile_name;
/* NULL: there is none. */
const struct lt_tile_row *lt__tile_row(const char *name);
const struct lt_tile_row *lt__tile_row_of(const struct lt_kernel_matrix *);
#endif
