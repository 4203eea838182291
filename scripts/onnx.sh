#!/bin/sh
# onnx.sh -- prints the compiler of protobuf-c that the frontend onnx is built with.  Prints nothing, and answers 1,
# where it or the library is missing.
pkg-config --exists libprotobuf-c 2>/dev/null && command -v protoc-c
