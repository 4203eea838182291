/* tensor.h -- tensors in files: .npy, .npz and .safetensors, read and written.
 *
 * A tensor in memory is row-major, in the byte order of the machine, its data aligned to 64 bytes, or, where it is
 * borrowed, to its elements; bools are 0 or 1.
 * Every size in a file is checked against the file before anything is allocated for it, and a caller who knows which
 * tensors it wants is asked before the data of one are read: what is packed is unpacked for nobody else, and straight
 * to its place.  A failure is a code
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
	void *data;             /* malloc; borrowed: a part of lt_tensors.file; NULL: it was not wanted */
	bool borrowed;
	bool drawn;             /* the data is random: others would do as well */
};
/* The bytes of a whole file, as they were when it was read, and a 0 behind them.  Only lt__bytes_map's may be a
 * mapping, with no 0 behind it: a file that is cut off under one kills the process, and one that is written to changes
 * what was checked. */
struct lt_bytes { const unsigned char *at; size_t n; void *heap; bool mapped; };
struct lt_tensors { struct lt_tensor *at; int32_t n; struct lt_bytes file; };    /* file: what is borrowed */
/* Whether the data of a tensor are read, by its name, type and shape. */
struct lt_wanted { bool (*is_wanted)(void *user, const struct lt_tensor *); void *user; };

/* bytes.c */
lt_status lt__bytes_read(struct lt_context *, const char *path, struct lt_bytes *out);
/* A model's: one that is as large as weights is mapped, privately and to be read only. */
lt_status lt__bytes_map(struct lt_context *, const char *path, struct lt_bytes *out);
/* Large pages: 100 MB are read in half the time.  The place for one more byte finds a file's end without
 * growing.  To be freed and grown as malloc's. */
unsigned char *lt__bytes_new(size_t size, size_t *cap);
/* Bytes one after the other: of a file, of memory, of an entry that is unpacked meanwhile. */
struct lt_stream {
	const char *file;               /* for messages */
	uint64_t left;                  /* by what the system, or the archive, says */
	lt_status (*read)(struct lt_context *, struct lt_stream *, void *to, size_t n); /* of memory, files: to NULL skips */
	const unsigned char *at;
	int fd; bool is_file;
	void *heap, *user;
};
/* All n bytes, or a failure. */
lt_status lt__stream_read(struct lt_context *, struct lt_stream *, void *to, size_t n);
lt_status lt__stream_open(struct lt_context *, const char *path, struct lt_stream *out);
void lt__stream_memory(struct lt_stream *out, const char *file, const void *at, size_t bytes);
void lt__stream_close(struct lt_stream *);

/* tensorfile.c */
enum lt_tensorfile { LT_FILE_OTHER, LT_FILE_NPY, LT_FILE_NPZ, LT_FILE_SAFETENSORS };
/* By the ending of the name. */
enum lt_tensorfile lt__tensorfile_kind(const char *path);
lt_status lt__tensors_read(struct lt_context *, const char *path, struct lt_tensors *out);
/* wanted NULL: all. */
lt_status lt__tensors_read_wanted(
	struct lt_context *, const char *path, const struct lt_wanted *, struct lt_tensors *out);
/* The same of bytes in memory; all of it. */
lt_status lt__tensors_parse(struct lt_context *, enum lt_tensorfile, const char *file, const void *at, size_t bytes,
	struct lt_tensors *out);
/* Names, types and shapes alone, of a file: `data` is NULL. */
lt_status lt__tensors_shapes(struct lt_context *, const char *path, struct lt_tensors *out);
lt_status lt__tensors_write(struct lt_context *, const char *path, const struct lt_tensors *);

/* tensor.c */
/* Bytes of a tensor; false if they exceed 63 bits or an extent is negative. */
bool lt__tensor_bytes(enum lt_dtype, int32_t rank, const int64_t *shape, size_t *bytes);
/* Copies name and shape, has no data.  file: for messages. */
lt_status lt__tensor_head(struct lt_context *, const char *file, const char *name, enum lt_dtype, int32_t rank,
	const int64_t *shape, struct lt_tensor *out);
/* Allocates the data without setting it. */
lt_status lt__tensor_room(struct lt_context *, const char *file, struct lt_tensor *);
bool lt__tensor_is_wanted(const struct lt_wanted *, const struct lt_tensor *);
/* Both: a tensor whose data are to be set. */
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
lt_status lt__npy_read(
	struct lt_context *, const char *name, struct lt_stream *, const struct lt_wanted *, struct lt_tensor *out);
lt_status lt__npy_parse(struct lt_context *, const char *file, const char *name, const void *at, size_t bytes,
	struct lt_tensor *out);
lt_status lt__npy_write(struct lt_context *, const char *path, const struct lt_tensor *);
/* The bytes before the data, malloc. */
lt_status lt__npy_header(struct lt_context *, const char *file, const struct lt_tensor *, char **out, size_t *bytes);

/* npz.c */
lt_status lt__npz_read(struct lt_context *, struct lt_stream *, const struct lt_wanted *, struct lt_tensors *out);
/* Why a tensor of that name cannot be an entry; NULL: it can. */
const char *lt__npz_name(const char *name);
lt_status lt__npz_write(struct lt_context *, const char *path, const struct lt_tensors *);

/* safetensors.c */
/* The data of all that is wanted are one block, which the tensors borrow. */
lt_status lt__safetensors_read(
	struct lt_context *, struct lt_stream *, const struct lt_wanted *, struct lt_tensors *out);
lt_status lt__safetensors_write(struct lt_context *, const char *path, const struct lt_tensors *);
#endif
