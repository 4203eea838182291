/* board.c -- microcontrollers, and boards of Arduino with one, as --target names them. */
#include <string.h>
#include "backends/cpu/cpu.h"
#include "tools/common/common.h"

static const struct lt_board boards[] = {
	{ "arduino-uno", "avr5", 190, 2700 },
};
enum { N_BOARD = sizeof boards / sizeof *boards };

const struct lt_board *lt__board_at(int i) { return i >= 0 && i < N_BOARD ? &boards[i] : NULL; }

const struct lt_board *lt__board_find(const char *name)
{
	for (int i = 0; i < N_BOARD && name; i++)
		if (!strcmp(boards[i].name, name))
			return &boards[i];
	return NULL;
}

const char *lt__micro_at(int i)
{
	for (uint32_t k = 0; k < lt__cpu_model_count(); k++)
		if (lt__cpu_model_at(k)->int_bits && i-- == 0)
			return lt__cpu_model_at(k)->name;
	return lt__board_at(i) ? lt__board_at(i)->name : NULL;
}
