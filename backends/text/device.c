/* device.c -- the dialects for devices: CUDA C, as NVRTC takes it, and OpenCL C 1.2. */
#include "backends/text/text.h"
#include "backends/text/part.h"

static const struct lt_text_device cuda = {
	.name = "cuda",
	.warps = true,
	.matrices = true,
	.kernel = "extern \"C\" __global__ void __launch_bounds__($n$r) ",
	.first = "lt_after();",
	.seen = "lt_seen",
	.shared = "__shared__ __align__(128) ",
	.dynamic = "extern __shared__ __align__(128) ",
	.most = 48 * 1024,
	.rolled = "#pragma unroll 1",
	.narrows = true,
	.space = { "", "", "", "", "" },
	.suffix = { "", "", "", "", "" },
	.restricted = "__restrict__ ",
	.block = { "blockIdx.x", "blockIdx.y", "blockIdx.z" },
	.thread = { "threadIdx.x", "threadIdx.y", "threadIdx.z" },
	.chunk = { "uint8_t", "uint16_t", "uint32_t", "uint2", "uint4" },
	.infinity = "__int_as_float(0x7f800000)",
	.taken = "and and_eq bitand bitor catch char16_t char32_t char8_t class compl concept const_cast co_await co_return "
		"co_yield decltype delete dynamic_cast explicit export friend mutable namespace new noexcept not not_eq operator or "
		"or_eq private protected public reinterpret_cast requires static_cast template this throw try typeid typename using "
		"virtual wchar_t xor xor_eq threadIdx blockIdx blockDim gridDim warpSize ldexp ldexpf uint2 uint4",
};

const struct lt_text_dialect lt__text_cuda = {
	.name = "CUDA C",
	.packs = true,
	.function = "",
	.head = "typedef signed char int8_t;\ntypedef short int16_t;\ntypedef int int32_t;\ntypedef long long int64_t;\n"
		"typedef unsigned char uint8_t;\ntypedef unsigned short uint16_t;\ntypedef unsigned int uint32_t;\n"
		"typedef unsigned long long uint64_t;\n\n"
		"/* Blocks of the next kernel may come, and wait: here, until the kernels before this one are done. */\n"
		"static __device__ __forceinline__ void lt_after(void)\n{\n#if __CUDA_ARCH__ >= 900\n"
		"\tasm volatile(\"griddepcontrol.launch_dependents;\\n\\tgriddepcontrol.wait;\" ::: \"memory\");\n#endif\n}\n\n"
		"/* A kernel that has begun before others are done reads what they write: no data that nobody writes while it runs\n"
		" * (ld.global.nc), for which a compiler takes what only const pointers reach. */\n"
		"template <class T> static __device__ __forceinline__ T *lt_seen(T *p)\n{\n\tasm volatile(\"\" : \"+l\"(p));\n"
		"\t__builtin_assume(__isGlobal(p));\n\treturn p;\n}\n",
	.inlined = "static __device__ __forceinline__ ",
	.unroll = "#pragma unroll %lld",
	.aligned = "__align__(%lld) ",
	.counting = "",
	.counted = "atomicAdd((int *)&fault->n, 1)",
	.device = &cuda,
};

static const struct lt_text_device opencl = {
	.name = "opencl",
	.overloads = true,
	.narrows = true,
	.offsets = true,
	.kernel = "__kernel __attribute__((reqd_work_group_size($x, $y, $z))) void ",
	.shared = "__local __attribute__((aligned(128))) ",
	.space = { "__global ", "__global ", "", "", "__local " },
	.suffix = { "_global", "_global", "", "", "_local" },
	.restricted = "restrict ",
	.block = { "get_group_id(0)", "get_group_id(1)", "get_group_id(2)" },
	.thread = { "get_local_id(0)", "get_local_id(1)", "get_local_id(2)" },
	.chunk = { "uchar", "uchar2", "uchar4", "uint2", "uint4" },
	.infinity = "INFINITY",
	.taken = "kernel global local constant private generic half uchar ushort uint ulong size_t ptrdiff_t intptr_t "
		"vec_step pipe event_t sampler_t complex imaginary quad ldexp barrier uchar2 uchar4 uint2 uint4 get_local_id "
		"get_group_id atomic_inc read_only write_only read_write",
};

const struct lt_text_dialect lt__text_opencl = {
	.name = "OpenCL C",
	.packs = true,
	.function = "",
	.head = "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n"
		"typedef char int8_t;\ntypedef short int16_t;\ntypedef int int32_t;\ntypedef long int64_t;\n"
		"typedef uchar uint8_t;\ntypedef ushort uint16_t;\ntypedef uint uint32_t;\ntypedef ulong uint64_t;\n",
	.inlined = "static inline ",
	.unroll = "#pragma unroll %lld",
	.aligned = "__attribute__((aligned(%lld))) ",
	.counting = "",
	.counted = "atomic_inc((volatile __global int *)&fault->n)",
	.device = &opencl,
};
