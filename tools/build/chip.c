/* chip.c -- the microcontrollers that emulators have. */
#include <string.h>
#include "tools/build/build.h"

static const struct build_chip chips[] = {
	{ "cortex-m0", "Cortex-M0", "-nostdlib", "qemu-system-arm -M mps2-an385", "instructions", 0, 0 },
	{ "cortex-m3", "Cortex-M3", "-nostdlib", "qemu-system-arm -M mps2-an385", "instructions", 0, 0 },
	{ "cortex-m4", "Cortex-M4", "-nostdlib", "qemu-system-arm -M mps2-an386", "instructions", 0, 0 },
	{ "avr5", "atmega328p", "-mmcu=atmega328p", "simavr -m atmega328p -f 16000000", "cycles", 2048, 32256 },
	/* The same processor with more memory, for what tries a function that fits the one above. */
	{ "avr5", "atmega1284p", "-mmcu=atmega1284p", "simavr -m atmega1284p -f 16000000", "cycles", 16384, 130048 },
};
enum { N_CHIP = sizeof chips / sizeof *chips };

const struct build_chip *build_chip_next(const char *model, const struct build_chip *last)
{
	for (const struct build_chip *c = last ? last + 1 : chips; c < chips + N_CHIP; c++)
		if (!strcmp(c->model, model))
			return c;
	return NULL;
}

const struct build_chip *build_chip_asked(const struct building *b)
{
	const struct build_chip *last = NULL;

	for (const struct build_chip *c = NULL; (c = build_chip_next(b->target.model, c)); ) {
		last = c;
		if (!c->ram || (b->o.ram <= c->ram && b->o.flash <= c->flash))
			break;
	}
	return last;
}
