/* simulated.c -- a kernel program from its text, run in the simulator. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "kernel/form/form.h"
#include "tests/simulated.h"

struct lt_kernel *simulated_kernel(const char *fmt, ...)
{
	static char text[65536];
	struct keeper k = keeper_new();
	struct lt_kernel *made;
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	must(n >= 0 && (size_t)n < sizeof text, "the text is too long");
	must(!lt_kernel_parse(text, strlen(text), &made, &k.diag), "%s\n%s", k.text, text);
	return made;
}

void simulated_run(const struct lt_kernel *k, void *const *slot, const struct lt_simulate_options *options,
	struct lt_simulate_count *count, struct simulated *out)
{
	static const struct lt_simulate_options plain = { .seed = 1 };
	struct lt_slot *slots = calloc(k->n_slot + 1u, sizeof *slots);
	*out = (struct simulated){ .diags = keeper_new() };
	must(slots != NULL, "out of memory");
	for (uint32_t i = 0; i < k->n_slot; i++)
		slots[i].base = slot[i];
	for (uint32_t b = 0; b < k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &k->buffers[b];
		int64_t bytes = x->elems * lt__number_bytes(x->dtype);
		if (x->space == LT_SPACE_SLOT && slots[x->slot].bytes < bytes)
			slots[x->slot].bytes = bytes;
	}
	const struct lt_args args = { .size = sizeof args, .n_slot = k->n_slot, .slot = slots, .fault = &out->fault };
	out->status = lt__simulate(k, &args, options ? options : &plain, count, &out->found, &out->diags.diag);
	free(slots);
}

void simulated_good(const struct lt_kernel *k, void *const *slot)
{
	struct simulated s;
	simulated_run(k, slot, NULL, NULL, &s);
	must(s.status == LT_OK && s.found.check == LT_NSIMULATE, "%s", s.diags.text);
}

static const char *const type_names[LT_NDTYPE] = { "", "f32", "f64", "f16", "bf16", "i8", "u8", "i16", "i32", "i64",
	"bool", "u16", "u32", "u64" };

const char *simulated_type(uint32_t dtype) { return type_names[dtype]; }

static void element_write(void *at, int i, uint32_t dtype, uint64_t bits)
{
	switch (lt__number_bytes(dtype)) {
	case 8: ((uint64_t *)at)[i] = bits; break;
	case 4: ((uint32_t *)at)[i] = (uint32_t)bits; break;
	case 2: ((uint16_t *)at)[i] = (uint16_t)bits; break;
	default: ((uint8_t *)at)[i] = (uint8_t)bits; break;
	}
}
static uint64_t element_of(const void *at, int i, uint32_t dtype)
{
	switch (lt__number_bytes(dtype)) {
	case 8: return ((const uint64_t *)at)[i];
	case 4: return ((const uint32_t *)at)[i];
	case 2: return ((const uint16_t *)at)[i];
	default: return ((const uint8_t *)at)[i];
	}
}

static char *replaced(char *to, const char *from, const char *what, const char *with)
{
	to[0] = '\0';
	for (const char *at; (at = strstr(from, what)) != NULL; from = at + strlen(what)) {
		strncat(to, from, (size_t)(at - from));
		strcat(to, with);
	}
	return strcat(to, from);
}

void simulated_pairs_run(struct simulated_pairs *all, const char *lines, uint32_t lanes)
{
	static uint64_t x[SIMULATED_MAX_PAIRS], y[SIMULATED_MAX_PAIRS], z[SIMULATED_MAX_PAIRS];
	char type[24], suffix[16] = "", some[512], body[512];
	if (lanes > 1)
		(void)snprintf(suffix, sizeof suffix, "x%u", (unsigned)lanes);
	(void)snprintf(type, sizeof type, "%s%s", type_names[all->dtype], suffix);
	(void)replaced(body, replaced(some, lines, "TYPE", type), "LANES", suffix);
	for (; all->n % 64; all->n++) {   /* whole vectors */
		all->x[all->n] = all->x[0];
		all->y[all->n] = all->y[0];
	}
	must(all->n <= SIMULATED_MAX_PAIRS, "too many pairs");
	for (int i = 0; i < all->n; i++) {
		element_write(x, i, all->dtype, all->x[i]);
		element_write(y, i, all->dtype, all->y[i]);
	}
	const char *in = type_names[all->dtype];
	struct lt_kernel *k = simulated_kernel("kernel 1\nname values\nworkspace 0 thread 0\n"
		"buffer a %s[%d] slot 0 align 8 exclusive\nbuffer b %s[%d] slot 1 align 8 exclusive\n"
		"buffer c %s[%d] slot 2 align 8 exclusive written\n"
		"region host\n\tloop %%i from 0 to %d step %u\n\t\t%%x = load %s a[%%i]\n\t\t%%y = load %s b[%%i]\n"
		"%s\t\tstore c[%%i] %%r\n\tend\n", in, all->n, in, all->n, type_names[all->out], all->n, all->n, (unsigned)lanes,
		type, type, body);
	simulated_good(k, (void *const[]){ x, y, z });
	for (int i = 0; i < all->n; i++)
		all->z[i] = element_of(z, i, all->out);
	lt_kernel_free(k);
}
