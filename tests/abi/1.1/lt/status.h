/* lt/status.h -- what a call may return.
 *
 * Every call that can fail returns an lt_status.  LT_OK is 0; any other value
 * is one of the errors below, and the context then holds a sentence which names
 * the thing that failed and, where there is one, the nearest change that would
 * make it work.  Of a call on an instance, and of lt_instance_new, the instance
 * holds it; of a call that is handed an lt_diag, it is reported to that.
 */
#ifndef LT_STATUS_H
#define LT_STATUS_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LT_API __attribute__((visibility("default")))
#else
#define LT_API
#endif

/* X(name, value, text): the values are pinned, rows are only added at the end. */
#define LT_STATUS_MAP(X)                                                     \
	X(OK,          0, "success")                                         \
	X(ENOMEM,      1, "out of memory")                                   \
	X(EINVAL,      2, "invalid argument")                                \
	X(EEXIST,      3, "exists already")                                  \
	X(EUNSUPPORTED,4, "not supported")                                   \
	X(ECOMPILE,    5, "compilation failed")                              \
	X(EDEVICE,     6, "the device failed")                               \
	X(EABI,        7, "incompatible binary interface")                   \
	X(ELOAD,       8, "cannot be loaded")                                \
	X(ESYNTAX,     9, "syntax error")                                    \
	X(ETYPE,      10, "types or shapes do not fit")                      \
	X(EOVERFLOW,  11, "a size or offset exceeds 63 bits")                \
	X(EIO,        12, "reading or writing failed")                       \
	X(EFAULT,     13, "a run-time index is out of range")                \
	X(EMISSING,   14, "an input or a constant is missing")               \
	X(EILLEGAL,   15, "the loop tree breaks a dependence or a rule")     \
	X(ECANCELLED, 16, "cancelled")                                       \
	X(EBUDGET,    17, "a budget is spent")

typedef int32_t lt_status;
enum lt_status_code {
#define LT_STATUS_ENUM(name, value, text) LT_##name = value,
	LT_STATUS_MAP(LT_STATUS_ENUM)
#undef LT_STATUS_ENUM
	LT_NSTATUS
};

/* "EINVAL"; "unknown" for a number that is not a status.  Static text, any thread. */
LT_API const char *lt_status_name(lt_status);
/* "invalid argument".  Static text, any thread. */
LT_API const char *lt_status_text(lt_status);

#ifdef __cplusplus
}
#endif
#endif
