/* frontends/script/print_forms.c -- candidates for what a node of the graph is in the language. */
#include <string.h>
#include "frontends/script/print.h"

void lt__script_find_form(struct lt_scripter *p, lt_node x)
{
	(void)p, (void)x;
}
