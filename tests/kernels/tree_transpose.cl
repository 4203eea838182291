#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
typedef char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;
#if defined POCL_DEVICE_ADDRESS_BITS && !defined __SPIR__ && !defined __SPIRV__
#define LT_BARRIER(memory) barrier(memory); __asm__ volatile("")
#else
#define LT_BARRIER(memory) barrier(memory)
#endif

__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void k0_y_1(__global const char *lt_at0, int64_t lt_offset0, __global char *lt_at2, int64_t lt_offset2)
{
	__local __attribute__((aligned(128))) uint8_t lt_shared[4224];
	__global const float *restrict const x = (__global const float *)(lt_at0 + lt_offset0);
	__local float *const x_copy = (__local float *)(lt_shared + 0);
	__global float *restrict const y = (__global float *)(lt_at2 + lt_offset2);
	const int32_t v0 = (int32_t)get_group_id(1);
	const int32_t v1 = (int32_t)get_group_id(0);
	const int32_t v2 = (int32_t)get_local_id(1);
	const int32_t v3 = (int32_t)get_local_id(0);
	const int32_t v9 = v0 * 32 + v1 * 3072 + v2 * 96 + v3;
	const int32_t v12 = v2 * 33 + v3;
	x_copy[v12] = x[v9];
	x_copy[v12 + 264L] = x[v9 + 768L];
	x_copy[v12 + 528L] = x[v9 + 1536L];
	x_copy[v12 + 792L] = x[v9 + 2304L];
	LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	const int32_t v17 = v2 + v3 * 33;
	const int32_t v24 = v0 * 2048 + v1 * 32 + v2 * 64 + v3;
	y[v24] = -x_copy[v17];
	y[v24 + 512L] = -x_copy[v17 + 8L];
	y[v24 + 1024L] = -x_copy[v17 + 16L];
	y[v24 + 1536L] = -x_copy[v17 + 24L];
}
