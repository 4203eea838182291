/* builders.h -- the builders that ops.def names. */
#ifndef LT_ONNX_BUILDERS_H
#define LT_ONNX_BUILDERS_H
#include "frontends/onnx/onnx.h"

#define ONNX_OP(domain, name, since, groups, build, arg) void lt__onnx_build_##build(struct lt_onnx_call *);
#include "frontends/onnx/ops.def"
#endif
