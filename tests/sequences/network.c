/* network.c -- network NAME: the script of a network (tests/networks.h), for lt-run:
 *
 *     build/network mobilenetv2 > m.lt; build/lt-run m.lt -i '*=random' -c '*=random' --time -q
 */
#include "tests/networks.h"

int main(int argc, char **argv)
{
	if (argc == 2 && network_write(argv[1], stdout))
		return 0;
	(void)fputs("usage: network NAME; there are", stderr);
	for (const char *const *at = network_names; *at; at++)
		(void)fprintf(stderr, " %s", *at);
	(void)fputc('\n', stderr);
	return 2;
}
