/* isl_config.h -- what isl's configure would find for WebAssembly by clang: integers of its own, small ones a word. */
#define GCC_WARN_UNUSED_RESULT __attribute__((__warn_unused_result__))
#define HAVE___ATTRIBUTE__ 1
#define HAVE_DECL_FFS 0
#define HAVE_DECL___BUILTIN_FFS 1
#define HAVE_DECL_SNPRINTF 1
#define HAVE_DECL_STRCASECMP 1
#define HAVE_DECL_STRNCASECMP 1
#define USE_IMATH_FOR_MP 1
#define USE_SMALL_INT_OPT 1
#include <isl_config_post.h>
