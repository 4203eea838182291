/* nvrtc.h -- CUDA C to machine code by NVRTC, which needs no device. */
#ifndef TESTS_NVRTC_H
#define TESTS_NVRTC_H
#include <stdbool.h>
#include <stddef.h>

bool nvrtc_is_there(void);      /* looked for by its name, then in /usr/local/cuda */
/* False: what the compiler says is in `message`.  The code is dropped, or kept in *code: to free. */
bool nvrtc_compile(const char *text, const char *arch, char *message, size_t cap, char **code, size_t *bytes);
#endif
