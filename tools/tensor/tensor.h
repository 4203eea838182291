/* tensor.h -- tensors in files: .npy, .npz and .safetensors, read and written.
 *
 * A tensor in memory is row-major, in the byte order of the machine, its data aligned to 64 bytes, or, where it is
 * borrowed, to its elements; bools are 0 or 1.
 * Every size in a file is checked against the file before anything is allocated for it.  A failure is a code
 * (LT_EIO: the system refused; LT_EINVAL: the file is wrong or lies; LT_EUNSUPPORTED: an element type that the
 * library does not have) and a sentence in the context that begins with the file's name.
 */
#ifndef LT_TOOLS_TENSOR_TENSOR_H
#define LT_TOOLS_TENSOR_TENSOR_H
#include <stdbool.h>
#include "lt/context.h"
#include "lt/tree.h"

struct lt_tensor {
	char *name;             /* malloc; "" for the one of a .npy */
	enum lt_dtype dtype;
	int32_t rank;
	int64_t *shape;         /* malloc; rank extents >= 0 */
	size_t bytes;
	void *data;             /* malloc; borrowed: a part of lt_tensors.file */
	bool borrowed;
	bool drawn;             /* the data is random: others would do as well */
};
/* The bytes of a whole file, and a 0 behind them, as they were when it was read.  Never a mapping: a file that is cut
 * off under one kills the process, and one that is written to changes what was checked. */
struct lt_bytes { const unsigned char *at; size_t n; void *heap; };
struct lt_tensors { struct lt_tensor *at; int32_t n; struct lt_bytes file; };    /* file: what is borrowed */

/* tensorfile.c */
enum lt_tensorfile { LT_FILE_OTHER, LT_FILE_NPY, LT_FILE_NPZ, LT_FILE_SAFETENSORS };
/* By the ending of the name. */
enum lt_tensorfile lt__tensorfile_kind(const char *path);
lt_status lt__tensors_read(struct lt_context *, const char *path, struct lt_tensors *out);
/* Names, types and shapes alone: `data` is NULL.  Of .npy and .npz no more is read or unpacked. */
lt_status lt__tensors_shapes(struct lt_context *, const char *path, struct lt_tensors *out);
lt_status lt__tensors_write(struct lt_context *, const char *path, const struct lt_tensors *);
lt_status lt__bytes_read(struct lt_context *, const char *path, struct lt_bytes *out);

/* tensor.c */
/* Bytes of a tensor; false if they exceed 63 bits or an extent is negative. */
bool lt__tensor_bytes(enum lt_dtype, int32_t rank, const int64_t *shape, size_t *bytes);
/* Copies name and shape, allocates the data without setting it.  file: for messages. */
lt_status lt__tensor_new(struct lt_context *, const char *file, const char *name, enum lt_dtype, int32_t rank,
	const int64_t *shape, struct lt_tensor *out);
void lt__bytes_free(struct lt_bytes *);
void lt__tensor_free(struct lt_tensor *);
void lt__tensors_free(struct lt_tensors *);
/* "(3, 4)" as NumPy writes it, cut with "..." to fit. */
const char *lt__shape_text(char *out, size_t bytes, int32_t rank, const int64_t *shape);
/* *twice: the first name that two tensors share, or NULL.  False: no memory to find it. */
bool lt__tensors_twice(const struct lt_tensors *, const char **twice);

/* npy.c */
enum { LT_NPY_BEGIN = 1 << 16 };        /* bytes that hold a header */
/* From the begin of a file. */
lt_status lt__npy_shape(struct lt_context *, const char *file, const char *name, const void *at, size_t bytes,
	struct lt_tensor *out);
lt_status lt__npy_parse(struct lt_context *, const char *file, const char *name, const void *at, size_t bytes,
	struct lt_tensor *out);
lt_status lt__npy_write(struct lt_context *, const char *path, const struct lt_tensor *);
/* The bytes before the data, malloc. */
lt_status lt__npy_header(struct lt_context *, const char *file, const struct lt_tensor *, char **out, size_t *bytes);

/* npz.c */
lt_status lt__npz_parse(struct lt_context *, const char *file, const void *at, size_t bytes, struct lt_tensors *out);
lt_status lt__npz_shapes(struct lt_context *, const char *file, const void *at, size_t bytes, struct lt_tensors *out);
/* Why a tensor of that name cannot be an entry; NULL: it can. */
const char *lt__npz_name(const char *name);
lt_status lt__npz_write(struct lt_context *, const char *path, const struct lt_tensors *);

/* safetensors.c */
/* What may stay where it is is borrowed, not copied: networks have hundreds of megabytes.  `at` must outlive out. */
lt_status lt__safetensors_parse(
	struct lt_context *, const char *file, const void *at, size_t bytes, struct lt_tensors *out);
lt_status lt__safetensors_write(struct lt_context *, const char *path, const struct lt_tensors *);
#endif
