/* temporary.h -- where tools make temporary files: $TMPDIR, which the library does not read itself.
 *
 * In a header, because libhamkaas.so is linked without the parts of lt-run.
 */
#ifndef LT_TOOLS_TENSOR_TEMPORARY_H
#define LT_TOOLS_TENSOR_TEMPORARY_H
#include <stdlib.h>

/* For lt_options.temp_dir and lt_host.temp_dir; NULL: the environment names none.  A folder that does not work is no
 * reason to take another one: what is made there says so. */
static inline const char *lt__temp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : NULL;
}

/* The same, with the usual folder in place of NULL. */
static inline const char *lt__temp_folder(void)
{
	const char *dir = lt__temp_dir();

	return dir ? dir : "/tmp";
}
#endif
