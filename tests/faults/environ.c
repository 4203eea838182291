/* environ.c -- looks for an option in the environment, without asking anybody: how its session describes
 * itself. */
#include "tests/faults/fault.h"

extern char **environ;

static void describe(struct lt_session *s, lt_write *write, void *user)
{
	static const char fast[] = "mode fast\n", careful[] = "mode careful\n";
	const char *text = fast;
	(void)s;
	for (char **e = environ; *e; e++)
		if (!strncmp(*e, "ENVIRON_DEBUG=", 14))
			text = careful;
	write(user, text, strlen(text));
}
FAULTY("environ", .describe = describe)
