/* environment.c -- no environment: where LLVM is linked into the plug-in, its calls of getenv are calls
 * of this (--wrap=getenv), so that no variable of a user's changes what is compiled.  LLVM asks while it is loaded, too
 * (LLVM_OVERRIDE_PRODUCER). */

char *__wrap_getenv(const char *name);  /* what the linker makes of the name */
char *__wrap_getenv(const char *name)
{
	(void)name;
	return (char *)0;
}
