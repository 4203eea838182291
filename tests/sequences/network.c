/* network.c -- network NAME [float16]: the script of a network (tests/networks.h), for lt-run:
 *
 *     build/network mobilenetv2 > m.lt; build/lt-run m.lt -i '*=random' -c '*=random' --time -q
 */
#include <string.h>
#include "tests/networks.h"

int main(int argc, char **argv)
{
	const char *type = argc == 3 ? argv[2] : "float32";
	if ((argc == 2 || strcmp(type, "float16") == 0) && network_write(argv[1], type, stdout))
		return 0;
	(void)fputs("usage: network NAME [float16]; there are", stderr);
	for (const char *const *at = network_names; *at; at++)
		(void)fprintf(stderr, " %s", *at);
	(void)fputc('\n', stderr);
	return 2;
}
