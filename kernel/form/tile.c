/* tile.c -- the table of lt/tile.h, for whoever lowers or prints matrix instructions. */
#include <string.h>
#include "kernel/form/form.h"

static const struct lt_tile_row rows[] = { LT_TILE_MAP(LT_TILE_ROW) };
#define LT_TILE_NAME(name, ...) name,
const char *const lt__tile_names[] = { LT_TILE_MAP(LT_TILE_NAME) };
const uint32_t lt__n_tile_name = sizeof lt__tile_names / sizeof *lt__tile_names;

const struct lt_tile_row *lt__tile_row(const char *name)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].matrix.name, name) == 0)
			return &rows[i];
	return NULL;
}

static bool is_same_part(const struct lt_matrix_part *x, const struct lt_matrix_part *y)
{
	return x->dtype == y->dtype && x->n_element == y->n_element && x->n_thread == y->n_thread
		&& memcmp(x->element, y->element, sizeof x->element) == 0
		&& memcmp(x->thread, y->thread, sizeof x->thread) == 0;
}

const struct lt_tile_row *lt__tile_row_of(const struct lt_kernel_matrix *m)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct lt_kernel_matrix *x = &rows[i].matrix;
		bool same = x->threads == m->threads && memcmp(x->extent, m->extent, sizeof x->extent) == 0;
		for (int part = 0; part < LT_NMATRIX; part++)
			same = same && is_same_part(&x->part[part], &m->part[part]);
		if (same)
			return &rows[i];
	}
	return NULL;
}
