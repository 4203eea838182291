/* pool.c -- pool [CALLS [SEED]]: random calls of lt_host.parallel_for from one thread, then from up to
 * four at once, with a fork between them.  For the thread sanitizer, which the test framework does not start under:
 * make SAN=thread build/thread/pool && TSAN_OPTIONS=die_after_fork=0 build/thread/pool
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check/random/must.h"
#include "tests/pool_stress.h"

int main(int argc, char **argv)
{
	const int calls = argc > 1 ? atoi(argv[1]) : 2000;
	const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	int status;
	int64_t wrong = pool_stress(seed, calls, 1);
	pid_t child = fork();
	must(child >= 0, "no process can be made");
	if (child == 0)
		_exit(pool_stress(seed + 1, calls / 4, 2) != 0);
	must(waitpid(child, &status, 0) == child, "the child is gone");
	wrong += status != 0;
	for (int callers = 2; callers <= 4; callers++)
		wrong += pool_stress(seed + 10 * (uint64_t)callers, calls, callers);
	(void)printf("pool: %lld wrong\n", (long long)wrong);
	return wrong != 0;
}
