/* tools/check_getenv.c -- getenv, listened to: the program's own stands before the C library's, for plug-ins, too. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "tools/check_parts.h"

extern char **environ;

/* By whom, and which, each once.  Plug-ins ask while they are loaded, too, when nobody could have handed over a place to write to, and all
 * others are heard: EARLY of these.  Once it is known whose calls are looked for, no others take any room. */
enum { MOST = 512, EARLY = MOST / 2, MAX_NAME = 64 };
static struct { const void *caller; char name[MAX_NAME]; } heard[MOST];
static uint32_t n_heard;
static const void *only;                /* where the file begins whose calls are looked for; NULL: of all files */

static bool is_known(const char *name, const void *caller)
{
	for (uint32_t i = 0; i < MOST && i < lt__check_heard(); i++)
		if (__atomic_load_n(&heard[i].caller, __ATOMIC_ACQUIRE) == caller && !strncmp(heard[i].name, name, MAX_NAME - 1))
			return true;
	return false;
}

static void getenv_hear(const char *name, const void *caller)
{
	const void *from = __atomic_load_n(&only, __ATOMIC_ACQUIRE);
	Dl_info asked;
	if (lt__check_heard() >= (from ? MOST : EARLY) || is_known(name, caller))
		return;
	if (from && (!dladdr(caller, &asked) || asked.dli_fbase != from))
		return;
	uint32_t at = __atomic_fetch_add(&n_heard, 1, __ATOMIC_RELAXED);
	size_t n = strlen(name);
	if (at >= MOST)
		return;
	memcpy(heard[at].name, name, n < MAX_NAME ? n : MAX_NAME - 1);
	__atomic_store_n(&heard[at].caller, caller, __ATOMIC_RELEASE);
}

static char *getenv_find(const char *name, const void *caller)
{
	size_t n = strlen(name);
	getenv_hear(name, caller);
	for (char **e = environ; e && *e; e++)
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

__attribute__((visibility("default"))) char *getenv(const char *name) { return getenv_find(name, __builtin_return_address(0)); }
__attribute__((visibility("default"))) char *secure_getenv(const char *name) { return getenv_find(name, __builtin_return_address(0)); }

uint32_t lt__check_heard(void) { return __atomic_load_n(&n_heard, __ATOMIC_RELAXED); }

void lt__check_hear_only(const void *code)
{
	Dl_info mine;
	if (dladdr(code, &mine))
		__atomic_store_n(&only, mine.dli_fbase, __ATOMIC_RELEASE);
}

const char *lt__check_heard_from(const void *code, uint32_t *i)
{
	Dl_info asked, mine;
	if (!dladdr(code, &mine))
		return NULL;
	for (; *i < MOST && *i < lt__check_heard(); ++*i) {
		const void *caller = __atomic_load_n(&heard[*i].caller, __ATOMIC_ACQUIRE);
		if (caller && dladdr(caller, &asked) && asked.dli_fbase == mine.dli_fbase)
			return heard[(*i)++].name;
	}
	return NULL;
}
